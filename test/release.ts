import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readSigningKey } from "#deploy/signing-key.ts";
import { BUNDLED, DEBIAN, RPM, TARGETS } from "#deploy/targets.ts";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import packages from "../package.json";
import { outputOf, resultOf, spawnChild } from "./support/child-process.ts";
import { installTools } from "./support/npm-tools.ts";
import { temporaryFolder } from "./support/service.ts";
import { startProgram } from "./support/started-program.ts";

// Not part of the suite (no .test in its name): it needs the release that `.ci/run` makes.

const RELEASE = join(import.meta.dir, "../dist/release");
const { version } = packages;
/** The key of `.ci/run` for this release. */
const signingKey = readSigningKey(process.env, packages.releases.publicKey);
if (signingKey === null) process.stdout.write("SKIPPED: the release has no signing key\n");
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
    const debian = Bun.which("dpkg-deb") ? Object.keys(DEBIAN).length : 0;
    // Debian did not answer if it is missing.
    const image = existsSync(join(RELEASE, `bourse-${version}-oci.tar`)) ? 1 : 0;
    // The npm registry did not answer if it is missing.
    const client = existsSync(join(RELEASE, `bourse-client-${version}.tgz`)) ? 1 : 0;
    const rpm = Bun.which("rpmbuild") ? Object.keys(RPM).length : 0;
    const files = [
      ...readdirSync(RELEASE).filter((name) => name !== "npm" && !name.startsWith("SHA256SUMS")),
      ...readdirSync(join(RELEASE, "npm")).map((name) => `npm/${name}`),
    ];
    expect(named.toSorted()).toEqual(files.toSorted());
    expect(files).toHaveLength(
      TARGETS.length +
        TARGETS.filter(({ npm }) => npm).length +
        BUNDLED.length +
        debian +
        rpm +
        image +
        client +
        4,
    );
  });

  test.skipIf(Bun.which("minisign") === null || signingKey === null)(
    "have sums that Debian's minisign verifies",
    async () => {
      const sums = join(RELEASE, "SHA256SUMS");
      const verify = ["minisign", "-V", "-H", "-Q", "-P", signingKey?.publicKey ?? "", "-m", sums];
      expect(await outputOf(verify)).toMatch(/^timestamp:\d+\tfile:SHA256SUMS\thashed\n$/);
    },
  );

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
      expect(await read("doc/bourse/README.md")).toContain("\nbourse serve\nbourse help\n");
      expect(await read("doc/bourse/CHANGELOG.md")).toContain(`\n## ${version}\n`);
      expect(await read("man/man1/bourse.1")).toContain(`"bourse ${version}"`);
      expect(await read("bash-completion/completions/bourse")).toContain("_bourse");
    },
    600_000,
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
    600_000,
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
  }, 600_000);
});

const MCPB = "2.1.2";

const tools = await installTools(empty("tools"), { "@anthropic-ai/mcpb": MCPB });

describe("the MCP bundle", () => {
  const unpacked = join(folder, "tools/bundle");
  const mcpb = (...args: string[]) =>
    tools.run(join(folder, "tools/node_modules/.bin/mcpb"), ...args);

  test.skipIf(!tools.isInstalled)("is unpacked and valid by the official tool", async () => {
    const file = join(RELEASE, `bourse-${version}-linux-x64.mcpb`);
    expect(await mcpb("unpack", file, unpacked)).toMatchObject({ exitCode: 0 });
    const { exitCode, output } = await mcpb("validate", join(unpacked, "manifest.json"));
    expect([exitCode, output]).toEqual([0, expect.stringContaining("passes")]);
  });

  test.skipIf(!tools.isInstalled)(
    "answers the official client over stdio, with the settings' defaults",
    async () => {
      const {
        server,
        tools: declared,
        user_config,
      } = await Bun.file(join(unpacked, "manifest.json")).json();
      const fill = (text: string) =>
        text
          .replaceAll(/\$\{user_config\.(\w+)\}/g, (_, name) => user_config[name].default)
          .replaceAll("${__dirname}", unpacked)
          .replaceAll("${HOME}", join(folder, "home"));
      const { command, args, env } = server.mcp_config;
      const client = new Client({ name: "test", version: "1" });
      await client.connect(
        new StdioClientTransport({
          command: fill(command),
          args,
          cwd: folder,
          env: Object.fromEntries(Object.keys(env).map((name) => [name, fill(env[name])])),
        }),
      );
      const { tools: listed } = await client.listTools();
      expect(declared.map(({ name }: { name: string }) => name)).toEqual(
        listed.map(({ name }) => name),
      );
      const call = { name: "get_stock_overview", arguments: { country: "JP", symbol: "7203" } };
      expect(await client.callTool(call, undefined, { timeout: 60_000 })).toMatchObject({
        structuredContent: { country: "JP", data: { source: "sample" } },
      });
      await client.close();
    },
    600_000,
  );

  test("and the npm package have the name and the sums of the entry for the MCP Registry", async () => {
    const entry = await Bun.file(join(RELEASE, "server.json")).json();
    const [npm, ...others] = entry.packages;
    const bundles = others.filter((one: { registryType: string }) => one.registryType === "mcpb");
    const manifest = JSON.parse(
      await outputOf(["tar", "-xzOf", `npm/bourse-${version}.tgz`, "package/package.json"], {
        cwd: RELEASE,
      }),
    );
    expect([manifest.mcpName, manifest.name, manifest.version]).toEqual([
      entry.name,
      npm.identifier,
      npm.version,
    ]);
    // A name without a scope could be taken by a stranger.
    for (const name of [manifest.name, ...Object.keys(manifest.optionalDependencies)])
      expect(name).toStartWith("@example/bourse");
    const sums = await Bun.file(join(RELEASE, "SHA256SUMS")).text();
    expect(bundles).toHaveLength(BUNDLED.length);
    for (const { identifier, fileSha256 } of bundles)
      expect(sums).toContain(`${fileSha256}  ${identifier.split("/").at(-1)}\n`);
    // The registry's limit.
    expect(entry.description.length).toBeLessThanOrEqual(100);
  });

  test("the plugin of Claude Code starts the npm package of this version, and its skill has a name", async () => {
    const plugin = empty("plugin");
    const file = join(RELEASE, `bourse-${version}-claude-plugin.zip`);
    await outputOf(["unzip", "-q", file, "-d", plugin]);
    expect(await Bun.file(join(plugin, ".claude-plugin/plugin.json")).json()).toMatchObject({
      name: "bourse",
      version,
      mcpServers: {
        bourse: { command: "npx", args: ["-y", `@example/bourse@${version}`, "mcp"] },
      },
    });
    const skill = await Bun.file(join(plugin, "skills/market-research/SKILL.md")).text();
    expect(skill).toMatch(/^---\nname: market-research\ndescription: .{50,}\n---\n/);
  });
});
