import { describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { askForRelease, UpdateCheck } from "#service/updates.ts";
import { VERSION } from "#domain/program.ts";
import { openFolder } from "../support/access.ts";
import { runOn, runWith } from "../support/cli.ts";
import { expectError } from "../support/error.ts";
import { playedExecutable, ReleaseServer } from "../support/release-server.ts";
import { START } from "../support/service.ts";

const DAY = 86_400_000;
const TARGET = "linux-x64";

const withUser = <S extends { readonly url: string }>(settings: S, user: string): S => ({
  ...settings,
  url: settings.url.replace("://", `://${user}`),
});

/** A data folder whose service asks a server for newer versions. */
async function openAsking(isOn = true, limitMs = 60_000, user = "") {
  const folder = openFolder();
  const server = new ReleaseServer();
  const publish = (version: string) =>
    server.publish(version, { [TARGET]: playedExecutable(version, TARGET) });
  await publish("999.1.0");
  const state = { now: START };
  const lines: string[] = [];
  const note = (text: string, facts?: object) =>
    void lines.push(`${text} ${JSON.stringify(facts)}`);
  const check = new UpdateCheck({
    dataFolder: folder.path,
    config: { isOn, server: withUser(server.settings, user) },
    clock: () => state.now,
    log: { info: note, warn: note, error: note },
    limitMs,
  });
  await runOn(folder.path, "user", "add", "owner");
  const env = {
    BOURSE_DATA: folder.path,
    BOURSE_PORT: "0",
    ...(isOn && { BOURSE_UPDATES: "on" }),
    ...server.env,
  };
  const run = (...argv: string[]) => runWith({ clock: () => state.now }, env, ...argv);
  return {
    folder: folder.path,
    state,
    server,
    lines,
    check,
    publish,
    /** What `status` and `doctor` say. */
    async read() {
      const report = JSON.parse((await run("status", "--json")).stdout);
      const text = (await run("status")).stdout.split("\n");
      const findings: { check: string; level: string; text: string }[] = JSON.parse(
        (await run("doctor", "--json")).stdout,
      );
      return {
        json: report.updates,
        text: text.find((line) => line.startsWith("Updates "))?.slice(13),
        finding: findings.find((one) => one.check === "updates"),
      };
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const NEWER = `bourse 999.1.0 is released, and this is ${VERSION}: \`npx -y bun@1.4.4 src/main.ts upgrade\` installs it.`;

describe("the question for newer versions", () => {
  test("is off by default: no request, and no line", async () => {
    await using home = await openAsking(false);
    await home.check.runIfDue();
    expect(home.server.requests).toEqual([]);
    expect(await home.read()).toEqual({ json: null, text: undefined, finding: undefined });
  });

  test("is asked once a day, and status and doctor show the answer", async () => {
    await using home = await openAsking();
    const first = "The service asks a minute after its start, then once a day.";
    expect(await home.read()).toEqual({
      json: { newest: null, signedAt: null, isNewer: false, askedAt: null, error: null },
      text: first,
      finding: { check: "updates", level: "ok", text: first },
    });
    await home.check.runIfDue();
    await home.check.runIfDue();
    home.state.now += DAY - 1;
    await home.check.runIfDue();
    // The sums and their signature.
    expect(home.server.requests.map(({ url }) => url.pathname)).toHaveLength(2);
    expect(await home.read()).toEqual({
      json: {
        newest: "999.1.0",
        signedAt: START - DAY,
        isNewer: true,
        askedAt: START,
        error: null,
      },
      text: NEWER,
      finding: { check: "updates", level: "warning", text: NEWER },
    });
    home.state.now += 1;
    await home.check.runIfDue();
    expect(home.server.requests).toHaveLength(4);
    // A version is logged once.
    expect(home.lines).toEqual(['a newer version is released {"version":"999.1.0"}']);
  });

  test("finds nothing newer in this version or an older one", async () => {
    await using home = await openAsking();
    for (const version of [VERSION, "0.0.1"]) {
      await home.publish(version);
      await home.check.runIfDue();
      const text = `The newest version is ${version}, asked at ${new Date(home.state.now).toISOString().slice(0, 16)}Z.`;
      expect(await home.read()).toMatchObject({
        json: { newest: version, isNewer: false },
        text,
        finding: { level: "ok", text },
      });
      home.state.now += DAY;
    }
    expect(home.lines).toEqual([]);
  });

  test("that fails is asked again after a day; the last known version stays", async () => {
    await using home = await openAsking();
    await home.check.runIfDue();
    home.state.now += DAY;
    home.server.files.set("SHA256SUMS", new TextEncoder().encode("forged"));
    await home.check.runIfDue();
    const { json, text } = await home.read();
    expect(json).toMatchObject({ newest: "999.1.0", isNewer: true, askedAt: START + DAY });
    expect(json.error).toContain("The signed file was changed, or the signature was forged.");
    // What matters more: the newer version.
    expect(text).toBe(NEWER);
    await home.check.runIfDue();
    expect(home.server.requests).toHaveLength(4);
    expect(home.lines.at(-1)).toStartWith("the question for a newer version failed");
  });

  test("ends if the server sends a part of its answer and nothing more", async () => {
    await using home = await openAsking(true, 20);
    const start = (controller: ReadableStreamDefaultController) =>
      controller.enqueue(new Uint8Array([0x30]));
    home.server.files.set("SHA256SUMS", () => new Response(new ReadableStream({ start })));
    await home.check.runIfDue();
    expect(home.lines.at(-1)).toStartWith("the question for a newer version failed");
    home.state.now += DAY;
    await home.check.runIfDue();
    expect(home.lines).toHaveLength(2);
  });

  test("refuses an older signature, and keeps what it knows through failures", async () => {
    await using home = await openAsking();
    await home.check.runIfDue();
    for (const version of ["999.2.0", "999.0.9"]) {
      home.state.now += DAY;
      home.server.signedAt -= 1000;
      await home.publish(version);
      await home.check.runIfDue();
      const { json, text, finding } = await home.read();
      expect(json).toMatchObject({ newest: "999.1.0", signedAt: START - DAY });
      expect(json.error).toStartWith(
        `The server offers bourse ${version}, signed at 2026-11-19T17`,
      );
      expect([text, finding?.level]).toEqual([NEWER, "warning"]);
    }
  });

  test("says in status and doctor that the newest release is old", async () => {
    await using home = await openAsking();
    home.server.signedAt = START - 200 * DAY;
    await home.publish(VERSION);
    await home.check.runIfDue();
    const { text, finding } = await home.read();
    const age = "The newest release of the server was signed 200 days ago.";
    expect(text).toContain(age);
    expect(finding).toMatchObject({ level: "ok", text: expect.stringContaining(age) });
  });

  test("takes no signature from the future, which would refuse all later ones", async () => {
    await using home = await openAsking();
    home.server.signedAt = START + DAY + 1000;
    await home.publish("999.0.1");
    await home.check.runIfDue();
    const { json } = await home.read();
    expect(json).toMatchObject({ newest: null, signedAt: null });
    expect(json.error).toStartWith(
      "The signature of bourse 999.0.1 is of 2026-11-21T17:30Z, and this machine has 2026-11-20T17:30Z. Check its clock;",
    );
    // A day is the difference of wrong time zones.
    home.state.now += DAY;
    home.server.signedAt = START + 2 * DAY;
    await home.publish("999.1.0");
    await home.check.runIfDue();
    expect((await home.read()).json).toMatchObject({ newest: "999.1.0", error: null });
  });

  test("takes no release that was signed before its own commit", async () => {
    using folder = openFolder();
    await using server = new ReleaseServer();
    const ask = (builtAt: number) =>
      askForRelease({ dataFolder: folder.path, server: server.settings, at: START, builtAt });
    for (const version of ["999.1.0", VERSION]) {
      await server.publish(version, { [TARGET]: playedExecutable(version, TARGET) });
      expect((await ask(server.signedAt)).version).toBe(version);
    }
    // A build can be newer than the release of its version. It then installs nothing older.
    expect((await ask(server.signedAt + 1000)).version).toBe(VERSION);
    await server.publish("999.1.0", { [TARGET]: playedExecutable("999.1.0", TARGET) });
    const { message } = await expectError(() => ask(server.signedAt + 60_000), "unavailable");
    expect(message).toContain(
      "signed at 2026-11-19T17:30Z, but this bourse is of 2026-11-19T17:31Z",
    );
  });

  test("that never had an answer is a warning of doctor", async () => {
    await using home = await openAsking();
    home.server.files.clear();
    await home.check.runIfDue();
    const { finding } = await home.read();
    expect(finding).toMatchObject({ level: "warning" });
    expect(JSON.stringify(finding)).toContain("The release server answers 404 for SHA256SUMS");
  });

  test("names its server without the password of the address", async () => {
    await using home = await openAsking(true, 60_000, "anna:hunter2@");
    home.server.files.clear();
    await home.check.runIfDue();
    expect(home.lines.join()).toContain("at http://…@");
    expect(home.lines.join() + JSON.stringify(await home.read())).not.toContain("hunter2");
  });

  test("is asked once a day also while its answer cannot be kept, as on a full disk", async () => {
    await using home = await openAsking();
    rmSync(home.folder, { recursive: true });
    for (let minute = 0; minute < 3; minute++) {
      await home.check.runIfDue();
      home.state.now += 60_000;
    }
    expect(home.server.requests).toHaveLength(2);
  });

  test("goes on after the clock was set back", async () => {
    await using home = await openAsking();
    await home.check.runIfDue();
    home.state.now -= 30 * DAY;
    await home.check.runIfDue();
    expect(home.server.requests).toHaveLength(4);
  });
});
