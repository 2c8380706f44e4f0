import { describe, expect, test } from "bun:test";
import { TOPICS } from "#docs/topics.ts";
import { expectFailure, run, runWith } from "../support/cli.ts";

describe("help", () => {
  test("lists the topics", async () => {
    const { code, stdout, stderr } = await run({}, "help");
    expect([code, stderr]).toEqual([0, ""]);
    for (const { name, summary } of TOPICS) {
      expect(stdout).toContain(`  ${name} `);
      expect(stdout).toContain(summary);
    }
  });

  test.each(TOPICS.map(({ name }) => [name]))(
    "prints %s: Markdown for programs, lines of its width on a terminal",
    async (name) => {
      const markdown = await run({}, "help", name);
      expect(markdown.stdout).toStartWith("# ");
      const terminal = await runWith({ columns: 60 }, {}, "help", name);
      expect([terminal.code, terminal.stderr]).toEqual([0, ""]);
      expect(terminal.stdout).toContain("\u001b[1m");
      const paragraph = terminal.stdout.split("\n").filter((line) => /^[A-Z]/.test(line));
      expect(paragraph.filter((line) => Bun.stringWidth(line) > 60)).toEqual([]);
    },
  );

  test("has no colours with NO_COLOR, and links by the command that prints a topic", async () => {
    const { stdout } = await runWith({ columns: 80 }, { NO_COLOR: "1" }, "help", "start");
    expect(stdout).not.toContain("\u001b");
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("src/main.ts help operating)");
  });

  test("of a command is its help", async () => {
    expect(await run({}, "help", "user", "add")).toEqual(await run({}, "user", "add", "--help"));
  });

  test("leads from a mistyped topic to the closest one", async () => {
    expectFailure(await run({}, "help", "operatin"), "did you mean `operating`?");
  });

  test("has JSON", async () => {
    const { stdout } = await run({}, "help", "changes", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ name: "changes", title: "Changes" });
  });
});
