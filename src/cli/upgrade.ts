import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { invalidArgument } from "#domain/errors.ts";
import { oldPathOf, upgradeExecutable } from "#service/executable.ts";
import { IS_COMPILED, PROGRAM } from "#lib/compiled.ts";
import { BUILD, EXECUTABLE, VERSION } from "#domain/program.ts";
import { askForRelease, describeReleaseAge, isNewerVersion } from "#service/updates.ts";
import type { Command, Result } from "./command.ts";
import { createProgressLine } from "./progress.ts";
import { runsInstalledUnit } from "./service-install.ts";

export const upgrade: Command = {
  name: "upgrade",
  summary: "Replace this executable with the newest release's; the old one is kept beside it",
  examples: ["", "--check", "--data /var/lib/bourse"],
  flags: { check: { description: "only say whether a newer version is released" } },
  settings: ["data", "cluster", "updates-url", "updates-key"],
  async report({ io, config, flags }): Promise<Result> {
    const { server } = config.updates;
    const path = IS_COMPILED ? realpathSync(process.execPath) : null;
    const isCheck = flags["check"] === true;
    const installer = describeInstaller(path);
    if (!isCheck && installer !== null) throw invalidArgument(installer);
    if (server === null)
      throw invalidArgument(
        "This bourse knows no releases: set BOURSE_UPDATES_URL to the folder of the newest one and BOURSE_UPDATES_KEY to the public key that signs it, or the flags --updates-url and --updates-key.",
      );
    const at = io.clock();
    const release = await askForRelease({ dataFolder: config.dataFolder, server, at });
    const signedAt = new Date(release.signedAt).toISOString();
    const facts = { version: VERSION, newest: release.version, signedAt };
    const age = describeReleaseAge(release.signedAt, at);
    if (!isNewerVersion(release.version, VERSION)) return describeNewest(facts, age);
    if (isCheck || path === null) {
      const text = `bourse ${release.version} is released; this is ${VERSION}.`;
      return { json: { ...facts, upgraded: false }, text: lineOf(text, age) };
    }
    const line = createProgressLine(io);
    try {
      await upgradeExecutable({
        path,
        target: BUILD?.target ?? "unknown",
        isInPlace: () => statSync(path).ino === statSync(EXECUTABLE).ino,
        server,
        release,
        progress: (bytes) =>
          line.show(`Downloading bourse ${release.version}: ${Math.floor(bytes / 1e6)} MB…`),
      });
    } finally {
      line.end();
    }
    const old = oldPathOf(path);
    return {
      json: { ...facts, upgraded: true, executable: path, old },
      text:
        describeNextSteps({
          path,
          old,
          newest: release.version,
          folder: config.dataFolder,
          isNode: config.cluster !== null,
          hasUnit: runsInstalledUnit(path),
        }) + (age === null ? "" : lineOf(age)),
    };
  },
};

/** A line of sentences. */
const lineOf = (...sentences: readonly (string | null)[]): string =>
  `${sentences.filter(Boolean).join(" ")}\n`;

/**
 * Nothing is newer. An older release on the server is an error, because someone expected a newer one.
 *
 * @param age sentences about a release that is old; null if it is not
 */
function describeNewest(
  facts: { readonly version: string; readonly newest: string },
  age: string | null,
): Result {
  const json = { ...facts, upgraded: false };
  if (!isNewerVersion(facts.version, facts.newest)) {
    const text = `bourse ${facts.version} is the newest version. Nothing was changed.`;
    return { json, text: lineOf(text, age) };
  }
  const reason = `The newest release of the server is ${facts.newest}, and this is ${facts.version}. An older version is never installed by \`upgrade\`: its executable is in its archive, and its data are in a backup.`;
  return { json, failure: invalidArgument(reason) };
}

/** A path of an npm package, with its scope if it has one. */
const NODE_MODULES = /^.*[\\/]node_modules[\\/](?:(@[^\\/]+)[\\/])?/;

/** How to upgrade an npm package. Only a name in the scope of its publisher is safe to install. */
function describeNpm(path: string): string {
  const scope = NODE_MODULES.exec(path)?.[1];
  if (scope === undefined)
    return "This bourse belongs to an npm package without a scope, a name that anyone could take. Remove the package, and install an archive of the release.";
  const name = `${scope}/bourse@latest`;
  return `This bourse belongs to an npm package. Upgrade the package: npm install ${name}, or npx -y ${name} for one call.`;
}

/** Executables that another program has installed: in which places, and how a newer version is installed there. */
const INSTALLERS: readonly (readonly [RegExp, string])[] = [
  [
    /^\/(usr\/)?(s?bin|lib|lib64|libexec|share)\//,
    "This bourse belongs to a package of the system. Install the newer package of the release, such as apt install ./bourse_VERSION_amd64.deb or dnf install ./bourse-VERSION-1.x86_64.rpm.",
  ],
  [
    /^\/(nix\/store|gnu\/store|snap)\/|[\\/](Cellar|scoop|chocolatey)[\\/]/,
    "This bourse was installed by a package manager. Upgrade it there.",
  ],
];

/**
 * Why `upgrade` must not replace this program, and what to do instead; null if it may.
 *
 * @param path the executable; null if Bun runs the source
 */
export function describeInstaller(
  path: string | null,
  exists: (path: string) => boolean = existsSync,
  isWritable: (path: string) => boolean = canWrite,
): string | null {
  if (path === null)
    return "This bourse runs from its source, not as an executable. Get the newer source: git pull, then start it again.";
  if (NODE_MODULES.test(path)) return describeNpm(path);
  const known = INSTALLERS.find(([place]) => place.test(path));
  if (known) return known[1];
  // In an image its user cannot write there; in a container for work, such as a toolbox, it can.
  if (["/.dockerenv", "/run/.containerenv"].some(exists) && !isWritable(dirname(path)))
    return "This bourse belongs to the image of its container. Start a container of the newer image.";
  // As `bourse.mcpb` is unpacked: see deploy/mcp-files.ts.
  const folder = dirname(path);
  if (basename(folder) === "server" && exists(join(folder, "../manifest.json")))
    return "This bourse belongs to an extension of a desktop client. Open the newer .mcpb file of the release there.";
  return null;
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

interface Upgraded {
  readonly path: string;
  readonly old: string;
  readonly newest: string;
  readonly folder: string;
  /** True for a node of a cluster, whose data are in Postgres. */
  readonly isNode: boolean;
  /** True if the unit of `service install` starts this executable. */
  readonly hasUnit: boolean;
}

/** What to do after an upgrade, and how to undo it, as commands to copy. */
export function describeNextSteps(upgraded: Upgraded): string {
  const { path, old, newest, folder, isNode, hasUnit } = upgraded;
  const done = `${path} is bourse ${newest} now; ${old} is ${VERSION}.\nA service that runs goes on with ${VERSION} until it restarts.`;
  if (isNode)
    return `${done} Before the first node restarts, dump the database. \`${PROGRAM} help maintenance\` has the commands for clusters, also to go back.\n`;
  const data = hasUnit ? "/var/lib/bourse" : resolve(folder);
  const asUser = hasUnit ? "sudo -u bourse " : "";
  const backup = join(data, `before-${newest}.tar.gz`);
  const restart = hasUnit
    ? [`${path} service install`, "systemctl restart bourse"]
    : ["# Restart the service as you started it; a supervisor starts the new executable."];
  const [stop, start] = hasUnit
    ? ["systemctl stop bourse", "systemctl start bourse"]
    : ["# Stop the service.", "# Start it."];
  const goBack = process.platform === "win32" ? "move /y" : "mv -f";
  return `${done} Back up its data, then restart it:

${asUser}${old} backup ${backup} --market --data ${data}
${restart.join("\n")}

To go back to ${VERSION} later:

${stop}
${goBack} ${old} ${path}
${hasUnit ? `${path} service install\n` : ""}${asUser}${path} restore ${backup} --data ${data}
${start}
`;
}
