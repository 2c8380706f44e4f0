/** A machine that a release has an executable for. */
export interface Target {
  /** As Bun names it: `linux-x64-musl`. */
  readonly name: string;
  /** Its npm package is installed on these machines; null if it has none. */
  readonly npm: { readonly os: string; readonly cpu: string; readonly libc?: string } | null;
}

/** The executables of a release. */
export const TARGETS: readonly Target[] = [
  { name: "linux-x64", npm: { os: "linux", cpu: "x64", libc: "glibc" } },
  // npm cannot ask for AVX2: machines without it take the archive.
  { name: "linux-x64-baseline", npm: null },
  { name: "linux-arm64", npm: { os: "linux", cpu: "arm64", libc: "glibc" } },
  { name: "linux-x64-musl", npm: { os: "linux", cpu: "x64", libc: "musl" } },
  { name: "linux-arm64-musl", npm: { os: "linux", cpu: "arm64", libc: "musl" } },
  { name: "darwin-x64", npm: { os: "darwin", cpu: "x64" } },
  { name: "darwin-arm64", npm: { os: "darwin", cpu: "arm64" } },
  { name: "windows-x64", npm: { os: "win32", cpu: "x64" } },
];

/** Desktop clients of MCP run on these; a bundle has one executable. */
export const BUNDLED = ["linux-x64", "darwin-x64", "darwin-arm64", "windows-x64"];

/** A processor as Debian and images name it. */
export type Architecture = "amd64" | "arm64";

/** The targets with a package for Debian and a part of the image, and their name of each. */
export const DEBIAN: Readonly<Record<string, Architecture>> = {
  "linux-x64": "amd64",
  "linux-arm64": "arm64",
};

/** The targets with a package for Fedora, RHEL and openSUSE, and their name of each. */
export const RPM: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64",
  "linux-arm64": "aarch64",
};

/** A version as Debian and rpm order it: `0.3.0~rc.1` comes before `0.3.0`. */
export const packageVersionOf = (version: string): string => version.replace("-", "~");

export const isWindows = ({ name }: Target) => name.startsWith("windows");

/** The file name of its executable. */
export const executableOf = (target: Target) => (isWindows(target) ? "bourse.exe" : "bourse");
