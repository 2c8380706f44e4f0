import { describe, expect, test } from "bun:test";
import { COMMANDS } from "#cli/commands.ts";
import { OPERATIONS } from "#operations/index.ts";
import { run } from "../support/cli.ts";

/** What bash offers for the last of these words. */
async function completeInBash(...words: string[]): Promise<string[]> {
  const { stdout: script } = await run({}, "completion", "bash");
  const program = `${script}
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _bourse; printf '%s\\n' "\${COMPREPLY[@]}"`;
  // Bash warns about a locale that is not installed.
  const env = { ...process.env, LC_ALL: "C" };
  const shell = Bun.spawnSync(["bash", "-c", program, "bash", ...words], { cwd: "/", env });
  expect(shell.stderr.toString()).toBe("");
  return shell.stdout.toString().split("\n").filter(Boolean);
}

describe.skipIf(Bun.which("bash") === null)("completion in bash", () => {
  test("offers the first word of every command", async () => {
    const first = new Set(COMMANDS.map(({ name }) => name.split(" ")[0] ?? ""));
    expect(new Set(await completeInBash("bourse", ""))).toEqual(first.add("call"));
  });

  test("offers the second words of a group", async () => {
    const second = COMMANDS.flatMap(({ name }) =>
      name.startsWith("token ") ? [name.slice(6)] : [],
    );
    expect(await completeInBash("bourse", "token", "")).toEqual(expect.arrayContaining(second));
  });

  test("offers the flags of a command after its operands", async () => {
    expect(await completeInBash("bourse", "token", "create", "owner", "--ex")).toEqual([
      "--expires",
    ]);
  });

  test("offers operations and their arguments", async () => {
    expect(await completeInBash("bourse", "call", "")).toEqual(
      expect.arrayContaining(OPERATIONS.map(({ name }) => name)),
    );
    expect(await completeInBash("bourse", "call", "screen_stocks", "--wh")).toEqual(["--where"]);
  });

  test("offers files, not flags, after a flag that takes a value", async () => {
    expect(await completeInBash("bourse", "serve", "--data", "et")).toEqual(["etc"]);
    expect(await completeInBash("bourse", "serve", "--data", "")).not.toContain("--port");
    expect(await completeInBash("bourse", "backup", "--market", "--da")).toEqual(["--data"]);
  });

  test("offers files where nothing else fits", async () => {
    expect(await completeInBash("bourse", "import", "bars", "et")).toEqual(["etc"]);
  });
});

test.each(["zsh", "fish"])("the script for %s has correct syntax", async (shell) => {
  const { stdout } = await run({}, "completion", shell);
  for (const { name } of COMMANDS) expect(stdout).toContain(name.split(" ").at(-1) ?? "");
  if (Bun.which(shell) === null) return;
  const checked = Bun.spawnSync([shell, "-n"], { stdin: Buffer.from(stdout) });
  expect([checked.exitCode, checked.stderr.toString()]).toEqual([0, ""]);
});

test("another shell is refused with the known ones", async () => {
  const { code, stderr } = await run({}, "completion", "csh");
  expect([code, stderr]).toEqual([1, "The shell must be one of bash, zsh, fish, not csh.\n"]);
});
