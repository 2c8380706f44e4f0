import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packed, type PackedFile } from "./archives.ts";
import type { Architecture } from "./targets.ts";

/** Debian's GNU C library: the only files that the executable for Linux loads. */
export interface Libc {
  /** Debian's version of it. */
  readonly version: string;
  readonly files: readonly PackedFile[];
}

/** Where libraries are, and the loader that the executable names. */
const PLACES: Readonly<Record<Architecture, { libraries: string; loader: string }>> = {
  amd64: { libraries: "lib/x86_64-linux-gnu", loader: "lib64/ld-linux-x86-64.so.2" },
  arm64: { libraries: "lib/aarch64-linux-gnu", loader: "lib/ld-linux-aarch64.so.1" },
};

const LIBRARIES = ["libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2"];
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
const SOURCES = ["debian bookworm", "debian-security bookworm-security"];

/**
 * Downloads the library with its security fixes from Debian, whose signature apt checks. It changes nothing
 * of this machine.
 *
 * @param folder for what it needs meanwhile
 * @throws Error if apt, dpkg or Debian's keys are not installed, or Debian does not answer
 */
export async function downloadLibc(architecture: Architecture, folder: string): Promise<Libc> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "lists/partial"), { recursive: true });
  mkdirSync(join(folder, "cache/archives/partial"), { recursive: true });
  writeFileSync(join(folder, "status"), "");
  writeFileSync(
    join(folder, "sources.list"),
    SOURCES.map((one) => {
      const [path, suite] = one.split(" ");
      return `deb [signed-by=${KEYRING}] http://deb.debian.org/${path} ${suite} main\n`;
    }).join(""),
  );
  const settings = {
    "APT::Architecture": architecture,
    "APT::Architectures": architecture,
    "APT::Sandbox::User": "",
    "Dir::State": folder,
    "Dir::State::lists": join(folder, "lists"),
    "Dir::State::status": join(folder, "status"),
    "Dir::Cache": join(folder, "cache"),
    "Dir::Etc::sourcelist": join(folder, "sources.list"),
    "Dir::Etc::sourceparts": "-",
    "Acquire::Languages": "none",
    // A list that could not be fetched would otherwise be a warning.
    "APT::Update::Error-Mode": "any",
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  run(["apt-get", "-q", ...options, "update"], folder);
  run(["apt-get", "-q", ...options, "download", "libc6"], folder);
  const deb = readdirSync(folder).find((name) => name.endsWith(".deb")) ?? "";
  run(["dpkg-deb", "-x", deb, "content"], folder);
  const { libraries, loader } = PLACES[architecture];
  const read = (path: string) => Bun.file(join(folder, "content", path)).bytes();
  const name = loader.slice(loader.lastIndexOf("/") + 1);
  const files = await Promise.all([
    ...LIBRARIES.map(async (one) =>
      packed(`${libraries}/${one}`, await read(`${libraries}/${one}`), 0o755),
    ),
    read(`${libraries}/${name}`).then((bytes) => packed(loader, bytes, 0o755)),
    read("usr/share/doc/libc6/copyright").then((bytes) =>
      packed("usr/share/doc/libc6/copyright", bytes),
    ),
  ]);
  const control = run(["dpkg-deb", "-f", deb], folder);
  return {
    version: /^Version: (.+)$/m.exec(control)?.[1] ?? "",
    // Scanners of images find the package here.
    files: [...files, packed("var/lib/dpkg/status.d/libc6", control)],
  };
}

function run(command: readonly string[], cwd: string): string {
  const path = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" };
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd, env: path });
  if (exitCode !== 0) throw new Error(`${command[0]}: ${stderr.toString().trim()}`);
  return stdout.toString();
}
