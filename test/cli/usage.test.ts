import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CALLS } from "#cli/call.ts";
import { flagsOf, parseCommand } from "#cli/command.ts";
import { COMMANDS } from "#cli/commands.ts";
import { choicesOf } from "#cli/completion.ts";
import { SETTINGS } from "#config.ts";
import { OPERATIONS } from "#operations/index.ts";
import { openFolder } from "../support/access.ts";
import { expectFailure, run, runOn, runWith } from "../support/cli.ts";
import { freePort } from "../support/free-port.ts";

const NOWHERE = join("/", "nowhere", "bourse-data");
const all = [...COMMANDS, ...CALLS];

describe("help", () => {
  test("every setting is a flag of serve", () => {
    const flags = flagsOf(COMMANDS.find(({ name }) => name === "serve") ?? expect.unreachable());
    expect(Object.keys(flags)).toEqual(expect.arrayContaining(Object.keys(SETTINGS)));
  });

  test("there is a call for every operation", () => {
    expect(CALLS.map(({ name }) => name)).toEqual(OPERATIONS.map(({ name }) => `call ${name}`));
  });

  test.each([["no argument"], ["--help"]])(
    "of the program, by %s, names every command",
    async (argument) => {
      const argv = argument === "--help" ? ["--help"] : [];
      const { code, stdout, stderr } = await run({}, ...argv);
      expect([code, stderr]).toEqual([0, ""]);
      for (const { name, summary } of COMMANDS) {
        expect(stdout).toContain(`  ${name}`);
        expect(stdout).toContain(summary);
      }
      expect(stdout).toContain("call OPERATION");
    },
  );

  test.each(all.map((command) => [command.name, command] as const))(
    "of %s names its operands and flags and touches no data folder",
    async (name, command) => {
      const { code, stdout, stderr } = await runOn(NOWHERE, ...name.split(" "), "--help");
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain(`${[name, command.operands].filter(Boolean).join(" ")} [flags]`);
      expect(stdout).toContain(command.summary);
      for (const [flag, { description }] of Object.entries(command.flags ?? {})) {
        expect(stdout).toContain(`--${flag}`);
        expect(stdout).toContain(description);
      }
      for (const setting of command.settings) {
        expect(stdout).toContain(`--${setting}`);
        expect(stdout).toContain(SETTINGS[setting].variable);
      }
    },
  );

  test.each(all.flatMap((command) => command.examples.map((one) => [command, one] as const)))(
    "of $name has an example that its command takes: %s",
    (command, example) => {
      const words = [...example.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
      const { flags } = parseCommand(command, words);
      for (const [flag, { value = "" }] of Object.entries(flagsOf(command))) {
        const choices = choicesOf(value, command);
        if (flags[flag] !== undefined && choices.length > 0)
          expect(choices).toContain(String(flags[flag]));
      }
    },
  );

  test("is wrapped to the width of the terminal, with all its words", async () => {
    const [wide, narrow] = [
      await run({}, "serve", "--help"),
      await runWith({ columns: 60 }, {}, "serve", "--help"),
    ];
    const lines = narrow.stdout.split("\n");
    // Flags, examples and a word alone, such as a long address, are not broken.
    const texts = lines.filter((line) => !/^(Usage:|  --|  \S+ |\s*\S+$)/.test(line));
    expect(Math.max(...texts.map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(lines.length).toBeGreaterThan(wide.stdout.split("\n").length);
    expect(narrow.stdout.split(/\s+/)).toEqual(wide.stdout.split(/\s+/));
    const beside = (await runWith({ columns: 100 }, {}, "user", "add", "--help")).stdout.split(
      "\n",
    );
    expect(Math.max(...beside.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  test("has --json for every command with a result", () => {
    const printing = all.filter((command) => !Object.hasOwn(flagsOf(command), "json"));
    expect(printing.map(({ name }) => name).filter((name) => !name.startsWith("call "))).toEqual([
      "serve",
      "mcp",
      "service install",
      "completion",
    ]);
  });

  test.each(OPERATIONS.map((operation) => [operation.name, operation] as const))(
    "of call %s has a flag for every argument and says which are required",
    async (name, { input }) => {
      const { stdout } = await run({}, "call", name, "--help");
      for (const argument of Object.keys(input.properties)) {
        const line = stdout.split("\n").find((text) => text.startsWith(`  --${argument} `));
        const isFound = argument === "country" && Object.hasOwn(input.properties, "symbol");
        expect(line?.endsWith("Required.") ?? null).toBe(
          !isFound && (input.required?.includes(argument) ?? false),
        );
      }
    },
  );

  test.each(["user", "token", "list", "import", "call"])(
    "of %s lists the commands of that group",
    async (group) => {
      const { code, stdout } = await run({}, group, "--help");
      expect(code).toBe(0);
      const members = all.filter(({ name }) => name.startsWith(`${group} `));
      for (const { name } of members) expect(stdout).toContain(name);
      expect(stdout).not.toContain("  serve");
    },
  );

  test.each(["user", "token", "import", "call"])(
    "%s alone lists the commands of that group",
    async (group) => {
      expect(await run({}, group)).toEqual(await run({}, group, "--help"));
    },
  );

  test.each(["--version", "-v", "-V", "version", "--data x -V"])(
    "%s prints only the version",
    async (words) => {
      const { code, stdout, stderr } = await run({}, ...words.split(" "));
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    },
  );

  test("--version --json has the build, which the source does not know", async () => {
    const { code, stdout } = await run({}, "--version", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      commit: null,
      target: null,
      date: null,
      bun: "1.4.4",
    });
  });
});

describe("a mistyped or incomplete command", () => {
  test.each([
    [["serv"], "did you mean `serve`?"],
    [["usr", "add", "anna"], "did you mean `user add`?"],
    [["token", "revok", "3"], "did you mean `token revoke`?"],
    [["call", "get_stok_overview"], "did you mean `call get_stock_overview`?"],
    [["xyzzy"], "There is no command `xyzzy`;"],
    [["-x"], "There is no command `-x`;"],
    [["--port", "9000", "serv"], "did you mean `serve`?"],
    [
      ["--port=-1", "serve"],
      'BOURSE_PORT (--port) must be a whole number from 0 to 65535, not "-1".',
    ],
    [
      ["serve", "--gate-per-minute", "-1"],
      'BOURSE_GATE_PER_MINUTE (--gate-per-minute) must be a whole number from 0 to 100000000, not "-1".',
    ],
    [["__proto__"], "There is no command `__proto__`;"],
    [["serve", "--prot", "1"], "Unknown option '--prot'; see `"],
    [["user", "list", "-j"], "Unknown option '-j'; see `"],
    [["status", "--json=1"], "'--json' does not take an argument; see `"],
    [["serve", "--port"], "--port"],
    [["serve", "--port", "--host", "x"], "--port"],
    [["serve", "now"], "It takes flags only; see `"],
    [["user", "add"], "Give NAME or --from FILE; see `"],
    [["user", "add", "anna", "ben"], "It takes [NAME]; see `"],
    [["user", "add", "anna", "--from", "x.csv"], "Give NAME or --from FILE; see `"],
    [["token", "create"], "Give USER or --from FILE; see `"],
    [["user", "plan", "anna"], "It takes USER PLAN; see `"],
    [["token", "list", "anna", "ben"], "It takes [USER]; see `"],
    [["import", "bars", "--country", "US", "--symbol", "AAPL"], "It takes FILE…; see `"],
    [["call", "get_sector_overview", "US"], "It takes flags only; see `"],
    [["call", "get_stock_overview"], "It takes SYMBOL; see `"],
    [["import", "bars", "x.csv", "--on-bad", "x"], "--on-bad must be one of"],
    [["import", "bars", "/nowhere/x.csv"], "/nowhere/x.csv cannot be read: there is no such file."],
    [["call", "get_macro_history", "US"], "series"],
    [["call", "get_stock_price_history", "AAPL", "--range", "x"], "range"],
  ])("%j is refused in one sentence, before any folder is created", async (argv, words) => {
    using folder = openFolder();
    const data = join(folder.path, "data");
    expectFailure(await runOn(data, ...argv), words);
    expect(existsSync(data)).toBe(false);
  });
});

describe("settings", () => {
  const foldersOf = (path: string) => ({
    byFlag: join(path, "flag"),
    byVariable: join(path, "variable"),
  });

  test("a flag takes precedence over its variable, with and without =", async () => {
    using folder = openFolder();
    const { byFlag, byVariable } = foldersOf(folder.path);
    for (const [name, ...flag] of [
      ["anna", "--data", byFlag],
      ["ben", `--data=${byFlag}`],
    ] as const) {
      await run({ BOURSE_DATA: byVariable }, "user", "add", name, ...flag);
    }
    expect(existsSync(byVariable)).toBe(false);
    const { stdout } = await runOn(byFlag, "user", "list", "--json");
    expect((JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)).toEqual([
      "anna",
      "ben",
    ]);
  });

  test("flags may precede the command", async () => {
    using folder = openFolder();
    const { byFlag } = foldersOf(folder.path);
    await run({}, "--data", byFlag, "user", "add", "anna", "--plan", "pro");
    const { stdout } = await run({}, `--data=${byFlag}`, "--json", "user", "list");
    expect(JSON.parse(stdout)).toMatchObject([{ name: "anna", plan: "pro" }]);
    expect((await run({}, "--json", "user", "list", "--data", byFlag)).stdout).toBe(stdout);
  });

  test("a variable that looks like a setting but is not one is reported and ignored", async () => {
    using folder = openFolder();
    const env = { BOURSE_DATA: folder.path, BOURSE_PRT: "1", BOURSE_COLOUR: "red" };
    expect(await run(env, "user", "add", "anna")).toEqual({
      code: 0,
      stdout: "",
      stderr:
        "The environment variable BOURSE_PRT is not a setting and is ignored; did you mean BOURSE_PORT?\n" +
        "The environment variable BOURSE_COLOUR is not a setting and is ignored.\n" +
        "Added the user anna with plan free.\n",
    });
  });

  test("a wrong variable stops every command, with an error that names the variable", async () => {
    using folder = openFolder();
    const env = { BOURSE_DATA: folder.path, BOURSE_PORT: "http" };
    expectFailure(await run(env, "serve"), "BOURSE_PORT", '"http"');
    expectFailure(await run({ ...env, BOURSE_PORT: "" }, "serve", "--log", "xml"), "BOURSE_LOG");
    // A service may run on the default port of this machine.
    env.BOURSE_PORT = String(freePort());
    expectFailure(
      await run({ ...env, BOURSE_TRUSTED_PROXIES: "10.0.0.0/33" }, "serve"),
      "BOURSE_TRUSTED_PROXIES",
      "10.0.0.0/33",
    );
    expectFailure(await run(env, "serve", "--host", ""), "BOURSE_HOST (--host) must not be empty");
  });
});

/** Commands that never open the data folder that the settings name. */
const NEED_NO_FOLDER = new Set([
  "config",
  "help",
  "completion",
  "doctor connect",
  "health",
  "licenses",
  "service install",
  "cluster import",
  "upgrade",
]);

describe("a data folder that cannot be used", () => {
  const opening = all.filter(({ name }) => !name.startsWith("call ") && !NEED_NO_FOLDER.has(name));
  test.each(opening.map(({ name }) => [name]))(
    "stops %s in one sentence that names the file",
    async (name) => {
      const operands: Record<string, string[]> = {
        "user add": ["anna"],
        "user plan": ["anna", "pro"],
        "user role": ["anna", "admin"],
        "user password": ["anna"],
        "user remove": ["anna"],
        "token create": ["anna"],
        "token rename": ["1", "laptop"],
        "token replace": ["1"],
        "token revoke": ["1"],
        "list save": ["semis", "AAPL"],
        "list delete": ["semis"],
        "list import": [import.meta.path],
        "list export": ["semis"],
        "alert save": ["cheap"],
        "alert delete": ["cheap"],
        "channel save": ["phone"],
        "channel test": ["phone"],
        "channel delete": ["phone"],
        backup: ["x.tar.gz"],
        restore: [import.meta.path],
        export: ["x"],
        "import bars": [import.meta.path, "--country", "US", "--symbol", "AAPL"],
      };
      const data = join(import.meta.path, "data");
      const files = name.startsWith("import ") ? [import.meta.path] : [];
      const env = { BOURSE_DATA: data, BOURSE_PORT: String(freePort()) };
      const result = await run(env, ...name.split(" "), ...(operands[name] ?? files));
      const makesNone =
        /^(user (?!add)|token|list|alert|channel|status|audit|backup|export|console|doctor)/.test(
          name,
        );
      expectFailure(result, data, makesNone ? "There is no data folder" : ".db cannot be written");
    },
  );

  test("is not created by a command that only reads or changes data: a mistyped folder is reported", async () => {
    using folder = openFolder();
    const data = join(folder.path, "mistyped");
    for (const argv of ["status", "user list", "token list", "token create anna"]) {
      expectFailure(await runOn(data, ...argv.split(" ")), `There is no data folder ${data}`);
    }
    expect(existsSync(data)).toBe(false);
  });

  test("stops a call with one sentence too", async () => {
    const data = join(import.meta.path, "data");
    expectFailure(await runOn(data, "call", "get_markets"), join(data, "market.db"));
  });
});

// A flag of a setting, or of all commands, would take the place of a command's own.
test.each(all.map((command) => [command.name, command] as const))(
  "%s has no flag of its own that is also a setting or a flag of all commands",
  (_, command) => {
    const others: readonly string[] = [...command.settings, "help", "json"];
    expect(Object.keys(command.flags ?? {}).filter((name) => others.includes(name))).toEqual([]);
  },
);

test("no argument of an operation has the name of a flag that all calls have", () => {
  const common = ["data", "help", "json", "mcp"];
  for (const { name, input } of OPERATIONS) {
    const names = Object.keys(input.properties);
    expect([name, names.filter((one) => common.includes(one))]).toEqual([name, []]);
  }
});

const ALIKE = OPERATIONS.flatMap(({ name, input }) =>
  Object.keys(input.properties)
    .filter((argument) => Object.hasOwn(SETTINGS, argument))
    .map((argument) => [name, argument] as const),
);

test.each(ALIKE)(
  "call %s --%s is the argument, not the setting of that name",
  async (name, argument) => {
    // A setting would be refused by its variable, BOURSE_METRICS.
    const { stderr } = await runOn(NOWHERE, "call", name, `--${argument}`, "nothing");
    expect(stderr).not.toBe("");
    // Lists are in a data folder, which BOURSE_DATA selects.
    expect(stderr.replace("BOURSE_DATA", "")).not.toContain("BOURSE_");
  },
);
