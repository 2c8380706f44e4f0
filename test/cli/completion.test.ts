import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "#cli/commands.ts";
import { OPERATIONS } from "#operations/index.ts";
import { openFolder } from "../support/access.ts";
import { bunCommand } from "../support/child-process.ts";
import { MAIN, run, runOn } from "../support/cli.ts";

/** What the program offers for the last of these words. */
async function complete(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await run({}, "completion", "bash", "--", ...words);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.split("\n").filter(Boolean);
}

describe("completion", () => {
  test("offers the first word of every command", async () => {
    const first = new Set(COMMANDS.map(({ name }) => name.split(" ")[0] ?? ""));
    expect(new Set(await complete(""))).toEqual(first.add("call"));
  });

  test("offers the second words of a group", async () => {
    const second = COMMANDS.flatMap(({ name }) =>
      name.startsWith("token ") ? [name.slice(6)] : [],
    );
    expect(await complete("token", "")).toEqual(second);
    expect(await complete("sources", "c")).toEqual(["check"]);
  });

  test("offers the flags of a command after its operands", async () => {
    expect(await complete("token", "create", "owner", "--ex")).toEqual(["--expires"]);
    expect(await complete("backup", "--market", "--da")).toEqual(["--data"]);
    expect(await complete("user", "add", "--json", "--")).toContain("--plan");
  });

  test("offers operations and their arguments", async () => {
    const operations = OPERATIONS.map(({ name }) => name);
    expect(new Set(await complete("call", ""))).toEqual(new Set(operations));
    expect(await complete("call", "screen_stocks", "--wh")).toEqual(["--where"]);
  });

  test.each([
    [
      ["call", "get_sectors", ""],
      ["US", "JP", "VN"],
    ],
    [
      ["call", "get_stock_overview", "AAPL", "--country", ""],
      ["US", "JP", "VN"],
    ],
    [["call", "get_stock_overview", "AAPL", "--country=V"], ["--country=VN"]],
    // As bash splits it.
    [["call", "get_stock_overview", "--country", "=", "J"], ["JP"]],
    [
      ["call", "get_stock_overview", "--country", "="],
      ["US", "JP", "VN"],
    ],
    [
      ["user", "plan", "anna", ""],
      ["free", "pro", "max", "unlimited"],
    ],
    [["user", "add", "anna", "--plan", "p"], ["pro"]],
    [["user", "role", "anna", "a"], ["admin"]],
    [
      ["serve", "--log", ""],
      ["text", "json"],
    ],
    [["serve", "--market", "l"], ["live"]],
    [["import", "list", "holi"], ["holidays"]],
    [["import", "bars", "a.csv", "--on-bad", "s"], ["skip"]],
    [["sync", "--kind", "quo"], ["quotes"]],
    [["completion", "z"], ["zsh"]],
    [["--data", "x", "completion", "f"], ["fish"]],
  ])("offers the values of %j", async (words, values) => {
    expect(await complete(...words)).toEqual(values);
  });

  test("offers nothing, which lets the shell offer files, for files and free text", async () => {
    for (const words of [
      ["serve", "--data", ""],
      ["import", "bars", ""],
      ["import", "bars", "a.csv", "b"],
      ["backup", ""],
      ["serve", "--port", ""],
      ["nothing", ""],
    ])
      expect(await complete(...words)).toEqual([]);
  });

  test("offers the users of the folder, also of one that the line names, and none without one", async () => {
    using folder = openFolder();
    const [one, other] = [join(folder.path, "one"), join(folder.path, "other")];
    await runOn(one, "user", "add", "anna");
    await runOn(other, "user", "add", "ben");
    const offered = async (...words: string[]) =>
      (await runOn(one, "completion", "bash", "--", ...words)).stdout;
    expect(await offered("token", "create", "")).toBe("anna\n");
    expect(await offered("token", "list", "--data", other, "")).toBe("ben\n");
    expect(await offered(`--data=${other}`, "user", "plan", "b")).toBe("ben\n");
    const { stdout } = await runOn(
      join(folder.path, "none"),
      "completion",
      "bash",
      "--",
      "console",
      "",
    );
    expect(stdout).toBe("");
  });

  test("shows zsh and fish what the words do", async () => {
    const zsh = await run({}, "completion", "zsh", "--", "token", "cr");
    expect(zsh.stdout).toMatch(/^create:Create a token/);
    const fish = await run({}, "completion", "fish", "--", "call", "x", "--");
    expect(fish).toMatchObject({ code: 0, stdout: "" });
    expect((await run({}, "completion", "fish", "--", "token", "cr")).stdout).toMatch(
      /^create\tCreate a token/,
    );
  });
});

test.skipIf(Bun.which("bash") === null)(
  "bash completes with the script, and falls back to files",
  async () => {
    using folder = openFolder();
    mkdirSync(join(folder.path, "etc"));
    const { stdout: script } = await run({}, "completion", "bash");
    const program = `bourse() { ${bunCommand(MAIN).join(" ")} "$@"; }
${script}
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _bourse; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p bourse`;
    // Bash warns about a locale that is not installed.
    const env = { ...process.env, LC_ALL: "C" };
    const words = ["bourse", "user", "add", "anna", "--plan", "p"];
    const shell = Bun.spawnSync(["bash", "-c", program, "bash", ...words], {
      cwd: folder.path,
      env,
    });
    expect(shell.stderr.toString()).toBe("");
    expect(shell.stdout.toString()).toBe("pro\ncomplete -o default -F _bourse bourse\n");
  },
);

test.each(["zsh", "fish"])("the script for %s has correct syntax", async (shell) => {
  const { stdout } = await run({}, "completion", shell);
  expect(stdout).toContain(`bourse completion ${shell} -- `);
  if (Bun.which(shell) === null) return;
  const checked = Bun.spawnSync([shell, "-n"], { stdin: Buffer.from(stdout) });
  expect([checked.exitCode, checked.stderr.toString()]).toEqual([0, ""]);
});

test("another shell is refused with the known ones", async () => {
  const { code, stderr } = await run({}, "completion", "csh");
  expect([code, stderr]).toEqual([1, "The shell must be one of bash, zsh, fish, not csh.\n"]);
});
