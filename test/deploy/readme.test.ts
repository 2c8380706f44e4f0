import { describe, expect, test } from "bun:test";
import { COMMANDS } from "#cli/commands.ts";
import { formatReadme } from "#deploy/readme.ts";
import { run } from "../support/cli.ts";

const publisher = { repository: "alice/data", npmScope: null };
const readme = formatReadme(publisher);
/** Lines of code blocks and code in sentences. */
const code = [
  ...[...readme.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = ""]) =>
    block.trim().split("\n"),
  ),
  ...[...readme.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, text = ""]) => text),
];
const calls = code.filter((text) => text.startsWith("bourse "));

describe("the README of a release", () => {
  test("begins with the two commands that everyone can run", () => {
    expect(readme).toMatch(/^# bourse \d+\.\d+\.\d+\n\n```sh\nbourse serve\nbourse help\n```\n/);
  });

  test("names only commands that the program has, and no way to run the source", async () => {
    expect(calls.length).toBeGreaterThan(12);
    for (const call of calls) {
      const [name = "", ...words] = call.slice("bourse ".length).split(" ");
      if (name.startsWith("--") || name === "COMMAND") continue;
      if (name === "help" && words.length > 0) {
        const { code: exitCode, stderr } = await run({}, name, ...words);
        expect([call, exitCode, stderr]).toEqual([call, 0, ""]);
        continue;
      }
      const known = COMMANDS.some((one) =>
        `${name} ${words.join(" ")} `.startsWith(`${one.name} `),
      );
      expect([call, known]).toEqual([call, true]);
    }
    expect(readme).not.toMatch(/npx|bun |src\/|dist\//);
  });

  test("links to no file, because each package has its files elsewhere", () => {
    expect(readme).not.toMatch(/\]\(|<http|href/);
    const addresses = [...readme.matchAll(/https?:\/\/[^\s)]*[\w]/g)].map(([address]) => address);
    expect([...new Set(addresses)]).toEqual([
      "http://127.0.0.1:8787",
      "http://127.0.0.1:8787/docs",
      "https://github.com/alice/data",
    ]);
  });

  test("names the npm package, if the publisher has one", () => {
    const added = formatReadme({ ...publisher, npmScope: "@alice" }).replace(
      "From npm without an installation, write `npx -y @alice/bourse` instead of `bourse`. ",
      "",
    );
    expect(added).toBe(readme);
  });

  test("is short", () => expect(readme.split(/\s+/).length).toBeLessThan(500));
});
