import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isVisibleLine } from "#lib/visible-line.ts";
import { openFolder } from "../support/access.ts";
import { expectFailure, openUsers, runOn } from "../support/cli.ts";

test("an error that quotes other text cannot control the terminal", async () => {
  using folder = openFolder();
  const file = join(folder.path, "no\u001b[2J\u009b.tar.gz");
  const { stderr } = await runOn(join(folder.path, "data"), "restore", file);
  expect(stderr).toContain("no�[2J�.tar.gz");
  expect(isVisibleLine(stderr.trim())).toBe(true);
});

describe("a command that fails on a folder that does not exist leaves none", () => {
  // After it has generated the sample market: see test/first-start.ts.
  test.each([
    [["user", "add", "bad name!"], "A user's name has"],
    [["user", "add", "anna", "--plan", "gold"], "gold"],
  ])("%j", async (argv, reason) => {
    using folder = openFolder();
    const data = join(folder.path, "data");
    expectFailure(await runOn(data, ...argv), reason);
    expect(existsSync(data)).toBe(false);
  });

  test("but a folder that was there before, with its other files", async () => {
    using folder = openFolder();
    const data = join(folder.path, "data");
    mkdirSync(data);
    writeFileSync(join(data, "bourse.toml"), "");
    expectFailure(await runOn(data, "user", "add", "bad name!"));
    expect(readdirSync(data)).toEqual(["bourse.toml"]);
  });
});

test("a failed command keeps what an earlier one stored", async () => {
  using folder = await openUsers("anna");
  expectFailure(await folder.run("user", "add", "anna"));
  const { stdout } = await folder.run("user", "list", "--json");
  expect(JSON.parse(stdout)).toMatchObject([{ name: "anna" }]);
});
