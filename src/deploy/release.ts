/** Makes all files of a release in `dist/release`: see `publisher.ts` for the arguments. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SCRIPTS } from "#cli/completion.ts";
import { formatManPage } from "#cli/man-page.ts";
import { signBytes } from "#lib/minisign.ts";
import { zip } from "#lib/zip-writer.ts";
import { RELEASES, VERSION } from "#domain/program.ts";
import { below, packed, type PackedFile, tarGz } from "./archives.ts";
import { buildExecutable, readSource, ROOT } from "./build.ts";
import { type Bundle, bundleFiles, pluginFiles, registryEntry } from "./mcp-files.ts";
import { writeDebianPackage } from "./deb.ts";
import { launcherPackage, platformPackage } from "./npm.ts";
import { imageArchive, type ImagePlatform } from "./image.ts";
import { downloadLibc } from "./libc.ts";
import { formatLicences, formatSbom } from "./packages.ts";
import { readPublisher } from "./publisher.ts";
import { formatReadme } from "./readme.ts";
import { readSigningKey, SIGNING_KEY } from "./signing-key.ts";
import { rpmName, writeRpm } from "./rpm.ts";
import { BUNDLED, DEBIAN, executableOf, isWindows, RPM, type Target, TARGETS } from "./targets.ts";
import { typescriptClient } from "./typescript-client.ts";

// Folders of packages have the same permissions on every machine.
process.umask(0o022);

const OUT = join(ROOT, "dist/release");

// First, so that a wrong argument or key fails before eight executables are built.
const publisher = readPublisher(Bun.argv.slice(2));
const { repository, owner, npmScope, maintainer } = publisher;
const npmPublisher = npmScope === null ? null : { scope: npmScope, repository };
const signingKey = readSigningKey(process.env, RELEASES.publicKey);
const mcpName = `io.github.${repository}`;
const source = await readSource();
if (signingKey !== null && source.date === null)
  throw new Error("A signed release needs the time of its commit. Build it in a clone, with git.");
const modifiedAt = Date.parse(source.date ?? "1980-01-01");
const text = (path: string) => Bun.file(join(ROOT, path)).text();
const licences = [
  packed("LICENSE", await text("LICENSE")),
  packed("THIRD-PARTY-LICENSES.txt", formatLicences(source.packages)),
];
const readme = packed("README.md", formatReadme(publisher));
/** The files beside the executable, where a prefix such as /usr/local has them. */
const shared: readonly PackedFile[] = [
  ...below("share/doc/bourse", [
    ...licences,
    readme,
    packed("CHANGELOG.md", await text("src/deploy/CHANGELOG.md")),
  ]),
  packed("share/man/man1/bourse.1", formatManPage(new Date(modifiedAt).toISOString().slice(0, 10))),
  packed("share/bash-completion/completions/bourse", SCRIPTS.bash),
  packed("share/zsh/site-functions/_bourse", SCRIPTS.zsh),
  packed("share/fish/vendor_completions.d/bourse.fish", SCRIPTS.fish),
];
const unit = await text("src/deploy/bourse.service");
const settings = await text("src/deploy/debian/bourse.toml");
const debian = { "bourse.service": unit, "bourse.toml": settings };
for (const name of ["postinst", "prerm", "postrm", "overrides"])
  Object.assign(debian, { [name]: await text(`src/deploy/debian/${name}`) });
const rpm = {
  "bourse.service": unit,
  "bourse.toml": settings,
  "bourse.spec": await text("src/deploy/rpm/bourse.spec"),
};
const sums = new Map<string, string>();
const bundles: Bundle[] = [];

rmSync(OUT, { recursive: true, force: true });
mkdirSync(join(OUT, "npm"), { recursive: true });
for (const target of TARGETS) await releaseTarget(target);
if (npmPublisher === null) process.stdout.write("no npm packages: --npm-scope is not given\n");
else
  await write(
    `npm/bourse-${VERSION}.tgz`,
    await npmPackage(launcherPackage([...licences, readme], npmPublisher, mcpName)),
  );
await writeClient();
const image = await writeImage();
const sbom = formatSbom(source.packages, VERSION, source.date);
await write(`bourse-${VERSION}.cdx.json`, packed("", `${JSON.stringify(sbom, null, 2)}\n`).bytes);
await write("server.json", registryEntry(mcpName, publisher, bundles, image).bytes);
await write(`bourse-${VERSION}-claude-plugin.zip`, zip(pluginFiles(publisher)));
const lines = [...sums].map(([name, sum]) => `${sum}  ${name}\n`);
await Bun.write(join(OUT, "SHA256SUMS"), lines.join(""));
await signSums(Buffer.from(lines.join("")));

/** Signs the sums with the time of the commit, or says that they are not signed. */
async function signSums(text: Uint8Array): Promise<void> {
  if (signingKey === null) {
    process.stdout.write(`SHA256SUMS is not signed: ${SIGNING_KEY} is not set.\n`);
    return;
  }
  // As minisign writes it. With the time of the commit, two builds have equal signatures.
  const comment = `timestamp:${modifiedAt / 1000}\tfile:SHA256SUMS\thashed`;
  await Bun.write(join(OUT, "SHA256SUMS.minisig"), signBytes(signingKey, text, comment));
  process.stdout.write(`SHA256SUMS is signed by ${signingKey.publicKey}.\n`);
  if (RELEASES.publicKey === "")
    process.stdout.write(
      "package.json declares no releases.publicKey, so `bourse upgrade` needs BOURSE_UPDATES_KEY.\n",
    );
}

/** The executable of a target, in an archive and in its npm package. */
async function releaseTarget(target: Target): Promise<void> {
  const path = join(ROOT, "dist/build", target.name, executableOf(target));
  await buildExecutable(path, source, target.name);
  const executable = packed(`bin/${executableOf(target)}`, await Bun.file(path).bytes(), 0o755);
  const name = `bourse-${VERSION}-${target.name}`;
  const files = below(name, [executable, ...shared]);
  const [archive, npm] = await Promise.all([
    isWindows(target) ? zip(files) : tarGz(files, modifiedAt),
    target.npm &&
      npmPublisher &&
      npmPackage(platformPackage(target, executable, licences, npmPublisher)),
  ]);
  await write(`${name}.${isWindows(target) ? "zip" : "tar.gz"}`, archive);
  if (npm) await write(`npm/bourse-${target.name}-${VERSION}.tgz`, npm);
  await writePackages(target, executable);
  if (!BUNDLED.includes(target.name)) return;
  const bundle = zip(bundleFiles(target, executable, licences, owner));
  bundles.push({ file: `${name}.mcpb`, sha256: await write(`${name}.mcpb`, bundle) });
}

/** The packages of a target for systems with packages, by the packagers that this machine has. */
async function writePackages({ name }: Target, executable: PackedFile): Promise<void> {
  const folder = (architecture: string) => join(ROOT, "dist/build", architecture);
  const deb = DEBIAN[name];
  if (deb && maintainer === null)
    process.stdout.write("no .deb package: --maintainer is not given\n");
  else if (deb && maintainer !== null && hasPackager("dpkg-deb", "deb")) {
    const file = `bourse_${VERSION}_${deb}.deb`;
    const parts = { architecture: deb, maintainer, executable, shared, files: debian };
    writeDebianPackage(join(OUT, file), folder(deb), modifiedAt, parts);
    await write(file, await Bun.file(join(OUT, file)).bytes());
  }
  const architecture = RPM[name];
  if (architecture && hasPackager("rpmbuild", "rpm")) {
    const parts = { architecture, executable, shared, files: rpm };
    writeRpm(OUT, folder(architecture), modifiedAt, parts);
    const file = rpmName(architecture);
    await write(file, await Bun.file(join(OUT, file)).bytes());
  }
}

/** True if this machine has a program that makes packages. Otherwise says that the release has none. */
function hasPackager(program: string, kind: string): boolean {
  if (Bun.which(program)) return true;
  process.stdout.write(`no .${kind} package: ${program} is not installed\n`);
  return false;
}

/** The npm package of the TypeScript client, if the npm registry delivers its compiler. */
async function writeClient(): Promise<void> {
  try {
    await write(`bourse-client-${VERSION}.tgz`, await npmPackage(await typescriptClient()));
  } catch (error) {
    process.stdout.write(`no TypeScript client: ${String(error)}\n`);
  }
}

/** The image, if Debian's C library can be downloaded. Gives its address after it is published, or null. */
async function writeImage(): Promise<string | null> {
  const platforms: ImagePlatform[] = [];
  try {
    for (const [name, architecture] of Object.entries(DEBIAN)) {
      const path = join(ROOT, "dist/build", name, "bourse");
      const executable = packed("", await Bun.file(path).bytes(), 0o755);
      const libc = await downloadLibc(architecture, join(ROOT, "dist/build/libc6", architecture));
      platforms.push({ architecture, executable, libc });
    }
  } catch (error) {
    process.stdout.write(`no image: Debian's libc6 could not be downloaded. ${String(error)}\n`);
    return null;
  }
  const revision = source.commit;
  const parts = { version: VERSION, revision, modifiedAt, repository, mcpName, licences };
  await write(`bourse-${VERSION}-oci.tar`, await imageArchive(platforms, parts));
  return `ghcr.io/${repository.toLowerCase()}:${VERSION}`;
}

/** The archive that `npm pack` would make. */
function npmPackage(files: readonly PackedFile[]) {
  return tarGz(below("package", files), modifiedAt);
}

/** Writes a file of the release and gives its SHA-256. */
async function write(name: string, bytes: Uint8Array): Promise<string> {
  await Bun.write(join(OUT, name), bytes);
  const sum = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  sums.set(name, sum);
  process.stdout.write(`${name}\n`);
  return sum;
}
