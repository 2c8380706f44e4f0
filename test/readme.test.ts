import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { existsSync } from "node:fs";
import { PLANS } from "#access/plans.ts";
import { COMMANDS } from "#cli/cli.ts";
import { SOURCES } from "#cli/live.ts";
import { SETTINGS } from "#config.ts";
import { HTTP_ERRORS } from "#http/errors.ts";
import { OPERATIONS } from "#operations/index.ts";

const ROOT = join(import.meta.dir, "..");
// The formatter pads the cells of tables.
const readme = (await Bun.file(join(ROOT, "README.md")).text()).replaceAll(/ {2,}/g, " ");

describe("the README", () => {
  test("shows the two commands on lines of their own, and the scripts are there", async () => {
    expect(readme).toMatch(/^npx -y bun@1\.4\.4 start$/m);
    expect(readme).toMatch(/^npx -y bun@1\.4\.4 run test$/m);
    const { scripts } = await Bun.file(join(ROOT, "package.json")).json();
    expect(Object.keys(scripts)).toContainValues(["start", "test", "build"]);
  });

  test.each(OPERATIONS.map(({ name, path }) => [name, path]))(
    "names the operation %s and its path",
    (name, path) => {
      expect(readme).toContain(`\`${name}\` | \`${path}\``);
    },
  );

  test.each(COMMANDS.map(({ name }) => name))("names the command %s", (name) => {
    expect(readme).toContain(`\`bourse ${name}`);
  });

  test.each(Object.entries(SETTINGS))(
    "names the setting %s with its variable and default",
    (flag, setting) => {
      const fallback = setting.fallback === "" ? "none" : `\`${setting.fallback}\``;
      expect(readme).toContain(`| \`${setting.variable}\` | \`--${flag}\` | ${fallback} |`);
    },
  );

  test.each(Object.entries(PLANS))("states plan %s as it is", (name, { daily, hourly, tokens }) => {
    const count = (value: number) => value.toLocaleString("en-US");
    expect(readme).toContain(`| ${name} | ${count(daily)} | ${count(hourly)} | ${tokens} |`);
  });

  test.each(SOURCES.map((source) => [source.name, source]))(
    "tells what the source %s is",
    (_, source) => {
      const official = source.official ? "yes" : "no";
      expect(readme).toContain(
        `| \`${source.name}\` | ${official} | ${source.fills} | ${source.terms} |`,
      );
    },
  );

  test("names every status that an error can have", () => {
    for (const { status, code } of Object.values(HTTP_ERRORS)) {
      expect(readme).toContain(String(status));
      expect(readme).toContain(`\`${code}\``);
    }
  });

  test("links only to files that are there", () => {
    for (const [, path = ""] of readme.matchAll(/\]\((src\/[^)#]+)\)/g)) {
      expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
    }
  });
});
