import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { TARGETS } from "#deploy/targets.ts";
import packages from "../package.json";
import { outputOf, resultOf, spawnChild } from "./support/child-process.ts";
import { temporaryFolder } from "./support/service.ts";
import { startProgram } from "./support/started-program.ts";

// Not part of the suite (no .test in its name): it needs `bun run release` first.

const RELEASE = join(import.meta.dir, "../dist/release");
const { version } = packages;
const { folder, remove } = temporaryFolder();
afterAll(remove);

/** A new folder, empty. */
function empty(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

const path = { PATH: "/usr/local/bin:/usr/bin:/bin" };

/** The folder of an unpacked archive. */
async function unpack(target: string): Promise<string> {
  const name = `bourse-${version}-${target}`;
  const into = empty(target);
  if (target.startsWith("windows"))
    await outputOf(["unzip", "-q", join(RELEASE, `${name}.zip`), "-d", into]);
  else await outputOf(["tar", "-xzf", join(RELEASE, `${name}.tar.gz`), "-C", into]);
  return join(into, name);
}

/** How `file` describes the executable of each system. */
const FORMATS: Readonly<Record<string, readonly [offset: number, bytes: string]>> = {
  // ELF, 64 bits, little-endian; PE; Mach-O, 64 bits, with its processor.
  linux: [0, "7f454c460201"],
  windows: [0, "4d5a"],
  "darwin-x64": [0, "cffaedfe07000001"],
  "darwin-arm64": [0, "cffaedfe0c000001"],
};
/** `e_machine` of an ELF file, at byte 18. */
const MACHINES = { x64: "3e00", arm64: "b700" };

describe("the archives", () => {
  test("have the sums of SHA256SUMS, and nothing else is there", async () => {
    const text = await outputOf(["sha256sum", "--check", "SHA256SUMS"], { cwd: RELEASE });
    const named = text
      .trim()
      .split("\n")
      .map((line) => line.replace(/: OK$/, ""));
    const files = [
      ...readdirSync(RELEASE).filter((name) => name !== "npm" && name !== "SHA256SUMS"),
      ...readdirSync(join(RELEASE, "npm")).map((name) => `npm/${name}`),
    ];
    expect(named.toSorted()).toEqual(files.toSorted());
    expect(files).toHaveLength(TARGETS.length + TARGETS.filter(({ npm }) => npm).length + 2);
  });

  test.each(TARGETS.map(({ name }) => [name]))(
    "of %s has an executable of that machine, its licences and documents",
    async (name) => {
      const root = await unpack(name);
      const [system = "", processor = ""] = name.split("-");
      const executable = Bun.file(
        join(root, "bin", system === "windows" ? "bourse.exe" : "bourse"),
      );
      const head = Buffer.from(await executable.slice(0, 64).arrayBuffer()).toString("hex");
      const [offset, bytes] = FORMATS[system] ?? FORMATS[`${system}-${processor}`] ?? [0, "?"];
      expect(head.slice(offset).startsWith(bytes)).toBe(true);
      if (system === "linux")
        expect(head.slice(36, 40)).toBe(MACHINES[processor as keyof typeof MACHINES]);
      const read = (file: string) => Bun.file(join(root, "share", file)).text();
      expect(await read("doc/bourse/LICENSE")).toStartWith("MIT License");
      expect(await read("doc/bourse/THIRD-PARTY-LICENSES.txt")).toContain("elysia 1.");
      expect(await read("doc/bourse/CHANGELOG.md")).toContain(`\n## ${version}\n`);
      expect(await read("man/man1/bourse.1")).toContain(`"bourse ${version}"`);
      expect(await read("bash-completion/completions/bourse")).toContain("_bourse");
    },
    60_000,
  );
});

/** A call of the REST interface with the token of the first start. */
async function expectAnswer(base: string, token: string) {
  const response = await fetch(`${base}/data/stocks/AAPL/technicals?country=US`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ country: "US", data: { Name: "Apple Inc." } });
}

describe("on this machine", () => {
  const binary = () => join(folder, "linux-x64", `bourse-${version}-linux-x64`, "bin/bourse");

  test("the executable names its build and its licences without any file of the repository", async () => {
    const options = { cwd: folder, env: {} };
    const info = JSON.parse(await outputOf([binary(), "--version", "--json"], options));
    expect(info).toEqual({
      version,
      commit: expect.stringMatching(/^[0-9a-f]{40}/),
      target: "linux-x64",
      date: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      bun: packages.dependencies["bun-types"],
    });
    const licences = await outputOf([binary(), "licenses"], options);
    const text = Bun.file(join(binary(), "../../share/doc/bourse/THIRD-PARTY-LICENSES.txt"));
    expect(licences).toBe(await text.text());
    const { components } = await Bun.file(join(RELEASE, `bourse-${version}.cdx.json`)).json();
    for (const { name, version: number } of components)
      expect(licences).toContain(`${name} ${number} (`);
    // Every package that the project declares and that has code in the executable.
    const names: string[] = components.map(({ name }: { name: string }) => name);
    const declared = Object.keys(packages.dependencies).filter((name) => name !== "bun-types");
    expect(declared.filter((name) => !names.includes(name))).toEqual([]);
  });

  test("the executable serves from an empty folder", async () => {
    const program = await startProgram([binary()], empty("served"));
    await expectAnswer(program.base, program.token);
    expect(await program.stop()).toBe(0);
  });

  test.skipIf(Bun.which("mandoc") === null)("the manual page has no fault", async () => {
    const page = join(binary(), "../../share/man/man1/bourse.1");
    expect(await outputOf(["mandoc", "-T", "lint", "-W", "warning", page])).toBe("");
  });

  test.skipIf(
    !existsSync("/usr/aarch64-linux-gnu/lib") || Bun.which("qemu-aarch64-static") === null,
  )(
    "the executable for arm64 runs under qemu",
    async () => {
      const arm = join(folder, "linux-arm64", `bourse-${version}-linux-arm64`, "bin/bourse");
      const command = ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu", arm];
      const options = { cwd: empty("arm"), env: path };
      const info = JSON.parse(await outputOf([...command, "--version", "--json"], options));
      expect(info).toMatchObject({ version, target: "linux-arm64" });
      // The folder that the other executable filled: under qemu that takes minutes.
      const call = [
        ...command,
        "call",
        "get_markets",
        "--data",
        join(folder, "served/bourse-data"),
      ];
      const { code, stdout } = await resultOf(spawnChild(call, { stderr: "pipe", ...options }));
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toHaveProperty("data");
    },
    120_000,
  );

  test("the npm package starts the executable of its optional dependency", async () => {
    const project = empty("npm-project");
    const files = ["bourse-linux-x64", "bourse"].map((name) =>
      join(RELEASE, "npm", `${name}-${version}.tgz`),
    );
    const home = {
      ...path,
      HOME: project,
      npm_config_offline: "true",
      npm_config_loglevel: "silent",
    };
    await outputOf(["npm", "install", "--silent", "--no-audit", "--no-fund", ...files], {
      cwd: project,
      env: home,
    });
    const launcher = join(project, "node_modules/.bin/bourse");
    const program = await startProgram([launcher], empty("npm-data"), home);
    await expectAnswer(program.base, program.token);
    expect(await program.stop()).toBe(0);
  }, 60_000);
});
