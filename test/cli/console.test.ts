import { describe, expect, test } from "bun:test";
import { readSecrets, type Terminal } from "#cli/secret-prompt.ts";
import { noteServer } from "#service/servers.ts";
import { openAccess } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { expectFailure, openUsers, run, runOn, runWith } from "../support/cli.ts";
import { ConsoleClient } from "../support/console-client.ts";
import { expectError } from "../support/error.ts";
import { startService, type TestService } from "../support/service.ts";

const PASSWORD = "correct horse battery";
const LINK = /^(\S+)\/console#key=([\w-]{43})\n$/;

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

/** A terminal on which these keys are typed. */
function terminalOf(...keys: string[]): Terminal & { readonly modes: boolean[] } {
  const modes: boolean[] = [];
  return { input: chunks(...keys), setRawMode: (isRaw) => modes.push(isRaw), modes };
}

/** Runs a command with these bytes on stdin, or with a terminal there. */
const runTyped = (folder: string, input: readonly string[] | Terminal, ...argv: string[]) =>
  runWith(
    {
      stdin: () => chunks(...("input" in input ? [] : input)),
      openTerminal: () => ("input" in input ? input : null),
    },
    { BOURSE_DATA: folder },
    ...argv,
  );

/** Signs in to the service and returns the status. */
async function signIn(service: TestService, body: object): Promise<number> {
  return (await new ConsoleClient(service).send("POST", "session", { body })).status;
}

describe("console", () => {
  test("prints a link that signs in the first admin, or the named user", async () => {
    const service = await startService({ sample: false });
    for (const name of ["anna", "ben"]) service.accounts.addUser(name, "free");
    for (const [argv, user] of [
      [[], "anna"],
      [["ben"], "ben"],
    ] as const) {
      const { code, stdout, stderr } = await runOn(service.folder, "console", ...argv);
      expect(code).toBe(0);
      expect(stderr).toStartWith(`The link signs in ${user} once, within 15 minutes.\n`);
      const [, url, key] = LINK.exec(stdout) ?? [];
      expect(url).toBe("http://127.0.0.1:8787");
      const client = new ConsoleClient(service);
      await client.send("POST", "session", { body: { key } });
      expect(await client.get("me")).toMatchObject({ user });
    }
    await service.stop();
  });

  test("names an admin before an older user", async () => {
    using folder = await openUsers("anna", "ben --role ADMIN");
    await folder.run("user", "role", "anna", "user");
    const { stderr } = await folder.run("console");
    expect(stderr).toContain("signs in ben once");
    expect(stderr).toContain("No service runs on this data folder");
  });

  test("uses BOURSE_PUBLIC_URL, and the host and port of the settings", async () => {
    using folder = await openUsers("anna");
    const urlOf = async (env: Record<string, string>) =>
      LINK.exec((await run({ BOURSE_DATA: folder.path, ...env }, "console")).stdout)?.[1];
    expect(await urlOf({ BOURSE_PUBLIC_URL: "https://data.example.com" })).toBe(
      "https://data.example.com",
    );
    expect(await urlOf({ BOURSE_HOST: "::", BOURSE_PORT: "9000" })).toBe("http://127.0.0.1:9000");
  });

  test("uses the public address of the service that runs on the folder", async () => {
    using folder = await openUsers("anna");
    const remove = noteServer(folder.path, {
      pid: process.ppid,
      url: "http://127.0.0.1:8787",
      publicUrl: "https://data.example.com",
      startedAt: 0,
    });
    const { stdout } = await folder.run("console");
    expect(LINK.exec(stdout)?.[1]).toBe("https://data.example.com");
    remove();
  });

  test("refuses an unknown user and an empty folder", async () => {
    using folder = openFolder();
    openAccess(folder.path).close();
    expectFailure(await runOn(folder.path, "console"), "user add NAME");
    expectFailure(
      await runOn(folder.path, "console", "stranger"),
      "There is no user stranger; `user list` shows all.",
    );
  });

  test("stores no secret and is in the audit log", async () => {
    using folder = await openUsers("anna");
    const key = LINK.exec((await folder.run("console")).stdout)?.[2] ?? "";
    const file = await Bun.file(`${folder.path}/access.db`).text();
    const log = await Bun.file(`${folder.path}/access.db-wal`)
      .text()
      .catch(() => "");
    expect(file + log).not.toContain(key);
    const { stdout } = await folder.run("audit", "--json");
    expect(JSON.parse(stdout)).toMatchObject([
      { actor: "command line", action: "link created", subject: "user anna", address: null },
      { action: "user added" },
    ]);
  });
});

describe("user password", () => {
  test("reads the first line of stdin and ends all sessions of the user", async () => {
    const service = await startService({ sample: false });
    service.accounts.addUser("anna", "free");
    const client = await new ConsoleClient(service).signIn("anna");
    const result = await runTyped(
      service.folder,
      [PASSWORD.slice(0, 5), `${PASSWORD.slice(5)}\r\nmore\n`],
      ..."user password anna".split(" "),
    );
    expect(result).toEqual({
      code: 0,
      stdout: "",
      stderr: "anna has a new password. All sessions of anna have ended.\n",
    });
    expect((await client.send("GET", "me")).status).toBe(401);
    expect(await signIn(service, { user: "anna", password: PASSWORD })).toBe(200);
    expect(await signIn(service, { user: "anna", password: `${PASSWORD}x` })).toBe(401);
    await service.stop();
  });

  test("asks twice on a terminal, without echo", async () => {
    using folder = await openUsers("anna");
    const terminal = terminalOf(`${PASSWORD}\r`, `${PASSWORD}\r`);
    const argv = ["user", "password", "anna"];
    const { code, stdout, stderr } = await runTyped(folder.path, terminal, ...argv);
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).not.toContain(PASSWORD);
    expect(terminal.modes).toEqual([true, false]);
    const differing = terminalOf(`${PASSWORD}\r`, "another one\r");
    const refused = await runTyped(folder.path, differing, ...argv);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("The two passwords differ; nothing was changed.\n");
  });

  test("refuses short passwords, empty input and unknown users", async () => {
    using folder = await openUsers("anna");
    const set = (name: string, ...input: string[]) =>
      runTyped(folder.path, input, "user", "password", name);
    expectFailure(await set("anna", "eleven char\n"), "12 to 256 characters");
    expectFailure(await set("anna"), "stdin");
    expectFailure(await set("anna", "\n"), "stdin");
    expectFailure(await set("stranger", `${PASSWORD}\n`), "stranger");
  });
});

describe("a typed secret", () => {
  const read = (...keys: string[]) => readSecrets(["? "], terminalOf(...keys), () => {});

  test("ends with Enter, and Backspace removes a character", async () => {
    expect(await read("abc\u007f\u007f", "d\r")).toEqual(["ad"]);
    expect(await read("\u007fé😀\u007f\n")).toEqual(["é"]);
  });

  test.each([["ab\u0003"], ["ab\u0004"], ["ab"]])("is cancelled by %j", async (keys) => {
    const terminal = terminalOf(keys);
    await expectError(() => readSecrets(["? "], terminal, () => {}), "invalid_argument");
    expect(terminal.modes).toEqual([true, false]);
  });
});

describe("user role", () => {
  test("changes the role, and refuses others", async () => {
    using folder = await openUsers("anna", "ben");
    const roles = async () => {
      const { stdout } = await folder.run("user", "list", "--json");
      return (JSON.parse(stdout) as { role: string }[]).map(({ role }) => role);
    };
    expect(await roles()).toEqual(["admin", "user"]);
    const changed = await folder.run("user", "role", "ben", "Admin");
    expect(changed).toEqual({ code: 0, stdout: "", stderr: "ben has role admin now.\n" });
    expect(await roles()).toEqual(["admin", "admin"]);
    expectFailure(await folder.run("user", "role", "ben", "root"), "admin or user");
    expectFailure(await folder.run("user", "add", "eve", "--role", "x"), "admin or user");
    expectFailure(await folder.run("user", "role", "stranger", "user"), "stranger");
  });
});
