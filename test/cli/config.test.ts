import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { run } from "../support/cli.ts";
import { temporaryFolder } from "../support/service.ts";

let home: ReturnType<typeof temporaryFolder>;
beforeEach(() => void (home = temporaryFolder()));
afterEach(() => home.remove());

const writeFile = (text: string) => Bun.write(join(home.folder, "bourse.toml"), text);

async function listSettings(env: Record<string, string>, ...flags: string[]) {
  const { stdout } = await run({ BOURSE_DATA: home.folder, ...env }, "config", "--json", ...flags);
  const rows = JSON.parse(stdout) as { setting: string; value: string; from: string }[];
  return (setting: string) => {
    const row = rows.find((one) => one.setting === setting);
    return row && [row.value, row.from];
  };
}

describe("a setting comes from", () => {
  test("a flag, else the environment, else bourse.toml, else the default", async () => {
    await writeFile('port = 9001\nhost = "10.0.0.1"\nmarket = "live"\n');
    const settingOf = await listSettings(
      { BOURSE_PORT: "9002", BOURSE_HOST: "10.0.0.2" },
      "--port",
      "9003",
    );
    expect(settingOf("port")).toEqual(["9003", "flag"]);
    expect(settingOf("host")).toEqual(["10.0.0.2", "environment"]);
    expect(settingOf("market")).toEqual(["live", "bourse.toml"]);
    expect(settingOf("log")).toEqual(["text", "default"]);
  });

  test("bourse.toml as text, a number or a list of texts", async () => {
    await writeFile(
      'gate-per-minute = 0\ntrusted-proxies = ["10.0.0.0/8", "::1"]\nplan-pro = "9/8/7" # comment\n',
    );
    const settingOf = await listSettings({});
    expect(settingOf("gate-per-minute")).toEqual(["0", "bourse.toml"]);
    expect(settingOf("trusted-proxies")).toEqual(["10.0.0.0/8,::1", "bourse.toml"]);
    expect(settingOf("plan-pro")).toEqual(["9/8/7", "bourse.toml"]);
  });

  test("the default if bourse.toml is empty", async () => {
    await writeFile("");
    expect((await listSettings({}))("port")).toEqual(["8787", "default"]);
  });
});

test.each(["", " ", "\n"])("a password is not shown after %j", async (space) => {
  const { stdout } = await run(
    {
      BOURSE_DATA: home.folder,
      BOURSE_CLUSTER: `${space}postgres://bourse:hush-hush@db.example.com/bourse${space}`,
    },
    "config",
    "--json",
  );
  expect(stdout).toContain('"value":"postgres://…@db.example.com/bourse"');
  expect(stdout).not.toContain("hush-hush");
});

test("the password of a cluster's database is not shown", async () => {
  const { stdout } = await run(
    {
      BOURSE_DATA: home.folder,
      BOURSE_CLUSTER: "postgres://bourse:hush-hush@db.example.com/bourse",
    },
    "config",
  );
  expect(stdout).toMatch(/cluster +postgres:\/\/…@db.example.com\/bourse +environment/);
});

describe("bourse.toml is refused with", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["prt = 1", "has the unknown setting `prt`; did you mean `port`?"],
    ["data = '/srv'", "cannot set `data`: the file is in the data folder."],
    ["port = ", "is not TOML: "],
    ["port = [1]", "needs text, a number or a list of texts for `port`."],
    ["[port]\nx = 1", "needs text, a number or a list of texts for `port`."],
    ["__proto__ = 1", "has the unknown setting `__proto__`; `serve --help` lists all settings."],
  ];
  test.each(cases)("%s", async (text, sentence) => {
    await writeFile(text);
    const { code, stderr } = await run({ BOURSE_DATA: home.folder }, "status");
    expect(code).toBe(1);
    expect(stderr).toStartWith(`${join(home.folder, "bourse.toml")} ${sentence}`);
  });

  test("the name of the key if its value is not allowed", async () => {
    await writeFile('port = "x"');
    const { stderr } = await run({ BOURSE_DATA: home.folder }, "status");
    expect(stderr).toBe('port in bourse.toml must be a whole number from 0 to 65535, not "x".\n');
  });

  test.skipIf(process.getuid?.() === 0)("its path if it cannot be read", async () => {
    await writeFile("port = 1");
    chmodSync(join(home.folder, "bourse.toml"), 0);
    const { stderr } = await run({ BOURSE_DATA: home.folder }, "status");
    expect(stderr).toContain("bourse.toml cannot be read (EACCES).");
  });
});
