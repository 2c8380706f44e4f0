import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DEBIAN } from "#deploy/targets.ts";
import packages from "../package.json";
import { outputOf } from "./support/child-process.ts";
import { runHere } from "./support/debian-root.ts";
import { temporaryFolder } from "./support/service.ts";
import { startProgram } from "./support/started-program.ts";

// Not part of the suite (no .test in its name): it needs `bun run release` first. Without a daemon of
// containers, the files of the image are run in a root of their own, as a runtime would.

const { version } = packages;
const RELEASE = join(import.meta.dir, "../dist/release");
const ARCHIVE = join(RELEASE, `bourse-${version}-oci.tar`);
const { folder, remove } = temporaryFolder();
afterAll(remove);
const isMade = existsSync(ARCHIVE);
if (!isMade) process.stderr.write("SKIPPED: the release has no image\n");
const layout = join(folder, "layout");
if (isMade) {
  mkdirSync(layout);
  await outputOf(["tar", "-xf", ARCHIVE, "-C", layout], { cwd: layout });
}

/** Runs a script whose mounts end with it. */
const UNSHARED = ["unshare", "--mount", "sh", "-ec"] as const;

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string; readonly os: string };
}
interface Manifest {
  readonly manifests: readonly Descriptor[];
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}
interface Config {
  readonly architecture: string;
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly [string];
    readonly Labels: Readonly<Record<string, string>>;
    readonly Healthcheck: { readonly Test: readonly string[] };
  };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

const hashOf = (bytes: Uint8Array) =>
  `sha256:${new Bun.CryptoHasher("sha256").update(bytes).digest("hex")}`;

/** The bytes of a blob, which must have its digest and size. */
async function blobOf({ digest, size }: Descriptor): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await Bun.file(join(layout, "blobs", digest.replace(":", "/"))).bytes();
  expect([hashOf(bytes), bytes.length]).toEqual([digest, size]);
  return bytes;
}

const jsonOf = async <T>(descriptor: Descriptor): Promise<T> =>
  JSON.parse(new TextDecoder().decode(await blobOf(descriptor))) as T;

/** The manifest of an architecture, and its configuration. */
async function imageOf(architecture: string) {
  const top: Manifest = await Bun.file(join(layout, "index.json")).json();
  const [whole] = top.manifests;
  if (!whole) throw new Error("The layout has no image.");
  const { manifests } = await jsonOf<Manifest>(whole);
  expect(manifests.map(({ platform }) => platform?.architecture)).toEqual(Object.values(DEBIAN));
  const found = manifests.find(({ platform }) => platform?.architecture === architecture);
  if (!found) throw new Error(`The image has no part for ${architecture}.`);
  const manifest = await jsonOf<Manifest>(found);
  return { manifest, config: await jsonOf<Config>(manifest.config) };
}

/** The files of an architecture in a folder, each layer over the ones before. */
async function unpack(architecture: string): Promise<string> {
  const root = join(folder, architecture);
  mkdirSync(root);
  const { manifest } = await imageOf(architecture);
  for (const { digest } of manifest.layers) {
    const blob = join(layout, "blobs", digest.replace(":", "/"));
    await outputOf(["tar", "-xzpf", blob, "--numeric-owner", "-C", root], { cwd: root });
  }
  // A runtime makes these.
  for (const name of ["proc", "dev"]) mkdirSync(join(root, name));
  return root;
}

describe.skipIf(!isMade)("the image", () => {
  test.each(Object.values(DEBIAN))(
    "for %s has blobs of their digests, no root rights, a health check and its owner in the MCP Registry",
    async (architecture) => {
      const { manifest, config } = await imageOf(architecture);
      const layers = await Promise.all(manifest.layers.map(blobOf));
      expect(layers.map((bytes) => hashOf(Bun.gunzipSync(bytes)))).toEqual([
        ...config.rootfs.diff_ids,
      ]);
      expect(config.architecture).toBe(architecture);
      expect(config.config.User).toMatch(/^[1-9]\d*:[1-9]\d*$/);
      expect(config.config.Healthcheck.Test).toEqual([
        "CMD",
        config.config.Entrypoint[0],
        "health",
      ]);
      const entry = await Bun.file(join(RELEASE, "server.json")).json();
      expect(config.config.Labels).toMatchObject({
        "io.modelcontextprotocol.server.name": entry.name,
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "MIT",
        "org.opencontainers.image.source": entry.repository.url,
      });
    },
    600_000,
  );

  test.skipIf(Bun.which("skopeo") === null)(
    "is read and copied whole by skopeo",
    async () => {
      const source = `oci-archive:${ARCHIVE}:${version}`;
      for (const architecture of Object.values(DEBIAN)) {
        const arguments_ = ["--override-arch", architecture, "inspect", source];
        const { code, stdout, stderr } = await runHere("skopeo", ...arguments_);
        expect([code, stderr]).toEqual([0, ""]);
        expect(JSON.parse(stdout)).toMatchObject({ Architecture: architecture, Os: "linux" });
      }
      const copied = await runHere(
        "skopeo",
        "--insecure-policy",
        "copy",
        "--all",
        source,
        `oci:${join(folder, "copy")}`,
      );
      expect([copied.code, copied.stderr]).toEqual([0, ""]);
    },
    600_000,
  );

  test.skipIf(process.getuid?.() !== 0)(
    "serves as its user, on a root that is read-only, and its health check says so",
    async () => {
      const root = await unpack("amd64");
      const { config } = (await imageOf("amd64")).config;
      const enter = [
        'mount --bind "$0" "$0"',
        'mount --bind /proc "$0/proc"',
        'mount --bind /dev "$0/dev"',
        'mount -o remount,bind,ro "$0"',
        `mount -t tmpfs -o mode=700,uid=${config.User.split(":")[0]} data "$0/data"`,
        `exec env -i ${config.Env.join(" ")} "$PORT" /usr/sbin/chroot --userspec=${config.User} "$0" "$@"`,
      ].join("; ");
      const inside = (port: string) => [
        "env",
        `PORT=BOURSE_PORT=${port}`,
        ...UNSHARED,
        enter,
        root,
        config.Entrypoint[0],
      ];
      const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
      const program = await startProgram(inside("0"), folder, env);
      const response = await fetch(`${program.base}/data/stocks/AAPL/technicals?country=US`, {
        headers: { authorization: `Bearer ${program.token}` },
      });
      expect([response.status, await response.json()]).toMatchObject([200, { country: "US" }]);
      const { port } = new URL(program.base);
      const healthy = await runHere(...inside(port), "health");
      expect([healthy.code, healthy.stdout]).toEqual([0, '{"status":"ok"}\n']);
      expect(await program.stop()).toBe(0);
      expect((await runHere(...inside(port), "health")).code).toBe(1);
    },
    600_000,
  );

  const qemu = Bun.which("qemu-aarch64-static");
  test.skipIf(process.getuid?.() !== 0 || qemu === null)(
    "has an executable for arm64 that finds its libraries",
    async () => {
      const root = await unpack("arm64");
      copyFileSync(qemu ?? "", join(root, "qemu"));
      const { config } = (await imageOf("arm64")).config;
      const enter = 'mount --bind /proc "$0/proc"; exec chroot "$0" /qemu "$@"';
      const { code, stdout } = await runHere(
        ...UNSHARED,
        enter,
        root,
        config.Entrypoint[0],
        "--version",
        "--json",
      );
      expect([code, JSON.parse(stdout)]).toMatchObject([0, { version, target: "linux-arm64" }]);
    },
    600_000,
  );
});
