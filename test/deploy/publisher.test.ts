import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { packed } from "#deploy/archives.ts";
import { pluginFiles, registryEntry } from "#deploy/mcp-files.ts";
import { launcherPackage, platformPackage } from "#deploy/npm.ts";
import { readPublisher } from "#deploy/publisher.ts";
import { packageVersionOf, TARGETS } from "#deploy/targets.ts";
import { VERSION } from "#domain/program.ts";

const ROOT = join(import.meta.dir, "../..");
const WITH_SCOPE = readPublisher(["alice/data", "--npm-scope", "@alice-data"]);
const WITHOUT = readPublisher(["alice/data"]);

/** A JSON file of a package. */
function readJson(files: readonly { name: string; bytes: Uint8Array }[], name: string) {
  const file = files.find((one) => one.name === name);
  return JSON.parse(new TextDecoder().decode(file?.bytes));
}

describe("the publisher of a release", () => {
  test("is the owner of its repository, with the scope that the arguments name", () => {
    expect(WITH_SCOPE).toMatchObject({
      repository: "alice/data",
      owner: "alice",
      npmScope: "@alice-data",
    });
    expect(WITHOUT).toMatchObject({ npmScope: null, maintainer: null });
  });

  test.each([
    ["Alice Doe <alice@doe.dev>"],
    ["Nguyễn Văn An <an.nguyen+bourse@mail.fpt.com.vn>"],
    ["J. R. O'Neil (work) <12+neil@users.noreply.github.com>"],
    ["Ann <ann@contest.io>"],
  ])("has a maintainer of packages: %s", (maintainer) => {
    expect(readPublisher(["alice/data", "--maintainer", maintainer])).toMatchObject({ maintainer });
  });

  test.each([
    ["alice@doe.dev"],
    ["Alice Doe"],
    ["Alice Doe <alice>"],
    ["Alice Doe <alice@doe.dev> and others"],
    ["Alice\nDepends: evil <alice@doe.dev>"],
    ["The bourse authors <bourse@example.com>"],
    ["Alice <alice@mail.example.ORG>"],
    ["Alice <alice@doe.example>"],
    ["Alice <root@localhost>"],
    ["Alice <alice@doe.test>"],
    ["Alice <alice@doe.invalid>"],
    [""],
  ])("has no maintainer %j, because no mail arrives or Debian cannot read it", (maintainer) => {
    expect(() => readPublisher(["alice/data", "--maintainer", maintainer])).toThrow(
      "Debian demands a name and an address that works",
    );
  });

  test.each([
    [[], "names its repository"],
    [["bourse"], "names its repository"],
    [["alice/data", "bob/data"], "names its repository on GitHub once"],
    [["https://github.com/alice/data"], "names its repository"],
    [["-alice/data"], "Unknown option"],
    [["alice/data", "--npm-scope", "alice"], "--npm-scope is alice. A scope of npm is @"],
    [["alice/data", "--npm-scope", "@Alice"], "small letters"],
    [["alice/data", "--npm-scope", "@alice/bourse"], "such as @alice"],
    [["alice/data", "--npm-scope="], "A scope of npm is @"],
    [["alice/data", "--scope", "@alice"], "--scope"],
  ])("is refused if the arguments are %j", (argv, reason) => {
    expect(() => readPublisher(argv)).toThrow(reason);
  });
});

describe("the names of npm packages", () => {
  const npm = { scope: "@alice-data", repository: "alice/data" };

  test("have the scope, in each package, the entry of the registry and the plugin", () => {
    const launcher = readJson(launcherPackage([], npm, "io.github.alice/data"), "package.json");
    expect(launcher.name).toBe("@alice-data/bourse");
    const executable = packed("bin/bourse", "");
    const platforms = TARGETS.filter((target) => target.npm !== null).map(
      (target) => readJson(platformPackage(target, executable, [], npm), "package.json").name,
    );
    expect(platforms).toContain("@alice-data/bourse-linux-x64-musl");
    expect(launcher.optionalDependencies).toEqual(
      Object.fromEntries(platforms.map((name) => [name, VERSION])),
    );
    const entry = readJson([registryEntry("name", WITH_SCOPE, [], null)], "server.json");
    expect(entry.packages.map((one: { identifier: string }) => one.identifier)).toEqual([
      "@alice-data/bourse",
    ]);
    const plugin = readJson(pluginFiles(WITH_SCOPE), ".claude-plugin/plugin.json");
    expect(plugin.mcpServers.bourse).toEqual({
      command: "npx",
      args: ["-y", `@alice-data/bourse@${VERSION}`, "mcp"],
    });
  });

  test("are nowhere without a scope", () => {
    const entry = readJson([registryEntry("name", WITHOUT, [], null)], "server.json");
    expect(entry.packages).toEqual([]);
    const plugin = readJson(pluginFiles(WITHOUT), ".claude-plugin/plugin.json");
    expect(plugin.mcpServers.bourse).toEqual({ command: "bourse", args: ["mcp"] });
  });

  test("are never installed or started without a scope, in any text that we publish", async () => {
    const command =
      /\b(?:npx|bunx|(?:npm|pnpm|yarn|bun) (?:i|install|add|exec|dlx|x))(?: -[\w-]+)* bourse\b[^\n]*/g;
    expect("npx -y bourse@latest mcp, npm install bourse-client".match(command)).toHaveLength(1);
    const found: string[] = [];
    for (const pattern of ["README.md", "src/**/*.{ts,tsx,md,txt,json}"])
      for await (const path of new Bun.Glob(pattern).scan(ROOT))
        for (const text of (await Bun.file(join(ROOT, path)).text()).match(command) ?? [])
          found.push(`${path}: ${text}`);
    expect(found).toEqual([]);
  });
});

test.skipIf(Bun.which("dpkg") === null)("Debian orders versions as we do", () => {
  const ordered = ["0.2.0", "0.3.0-beta.2", "0.3.0-rc.1", "0.3.0", "0.3.1"];
  for (const [i, earlier] of ordered.slice(0, -1).entries()) {
    const later = ordered[i + 1] ?? "";
    expect(Bun.semver.order(earlier, later)).toBe(-1);
    const versions = [packageVersionOf(earlier), "lt", packageVersionOf(later)];
    const { exitCode } = Bun.spawnSync(["dpkg", "--compare-versions", ...versions]);
    expect([...versions, exitCode]).toEqual([...versions, 0]);
  }
});
