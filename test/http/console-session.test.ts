import { afterAll, describe, expect, test } from "bun:test";
import { PROGRAM } from "#lib/compiled.ts";
import { ConsoleClient, cookieOf, createKey } from "../support/console-client.ts";
import { startService } from "../support/service.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const service = await startService({ sample: false });
service.accounts.addUser("owner", "max");
service.accounts.addUser("alice", "free");
afterAll(() => service.stop());

async function expectError(response: Response, status: number, words: string): Promise<void> {
  expect(response.status).toBe(status);
  const { error } = (await response.json()) as { error: { message: string } };
  expect(error.message).toContain(words);
}

describe("a sign-in link", () => {
  test("signs its user in once", async () => {
    const key = createKey(service, "alice");
    const browser = new ConsoleClient(service);
    const response = await browser.send("POST", "session", { body: { key } });
    expect(response.status).toBe(200);
    const alice = { user: "alice", role: "user", plan: "free", hasPassword: false } as const;
    expect(await response.json()).toEqual(alice);
    expect(await browser.get("me")).toEqual(alice);
    const again = await new ConsoleClient(service).send("POST", "session", { body: { key } });
    await expectError(again, 401, "used before or has expired");
  });

  test("works once even if it is sent many times at once", async () => {
    const key = createKey(service, "alice");
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        new ConsoleClient(service).send("POST", "session", { body: { key } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    service.time.now += MINUTE;
  });

  test("is valid for 15 minutes", async () => {
    const [early, late] = [createKey(service, "alice"), createKey(service, "alice")];
    service.time.now += 15 * MINUTE - 1;
    const post = (key: string) =>
      new ConsoleClient(service).send("POST", "session", { body: { key } });
    expect((await post(early)).status).toBe(200);
    service.time.now += 1;
    expect((await post(late)).status).toBe(401);
  });
});

describe("a session", () => {
  test("has a cookie that scripts and other sites cannot use", async () => {
    const response = await new ConsoleClient(service).send("POST", "session", {
      body: { key: createKey(service, "alice") },
    });
    const { pair, attributes } = cookieOf(response);
    expect(pair).toMatch(/^bourse=[\w-]{43}$/);
    expect(attributes).toBe("Max-Age=604800; Path=/console; HttpOnly; SameSite=Strict");
  });

  test("ends after 12 hours without a request", async () => {
    const browser = await new ConsoleClient(service).signIn("alice");
    service.time.now += 12 * HOUR - MINUTE;
    expect((await browser.send("GET", "me")).status).toBe(200);
    service.time.now += 12 * HOUR - MINUTE;
    expect((await browser.send("GET", "me")).status).toBe(200);
    service.time.now += 12 * HOUR + MINUTE;
    await expectError(await browser.send("GET", "me"), 401, `${PROGRAM} console`);
  });

  test("ends after seven days", async () => {
    const browser = await new ConsoleClient(service).signIn("alice");
    for (let hour = 0; hour < 7 * 24 - 6; hour += 6) {
      service.time.now += 6 * HOUR;
      expect((await browser.send("GET", "me")).status).toBe(200);
    }
    service.time.now += 6 * HOUR;
    expect((await browser.send("GET", "me")).status).toBe(401);
  });

  test("ends by signing out: a copy of its cookie is worthless", async () => {
    const browser = await new ConsoleClient(service).signIn("alice");
    const { cookie } = browser;
    const response = await browser.send("DELETE", "session");
    expect(response.status).toBe(204);
    expect(cookieOf(response)).toEqual({
      pair: "bourse=",
      attributes: "Max-Age=0; Path=/console; HttpOnly; SameSite=Strict",
    });
    const thief = new ConsoleClient(service);
    thief.cookie = cookie;
    expect((await thief.send("GET", "me")).status).toBe(401);
  });

  test("ends when its user is removed", async () => {
    service.accounts.addUser("bob", "free");
    const browser = await new ConsoleClient(service).signIn("bob");
    const key = createKey(service, "bob");
    service.accounts.removeUser("bob");
    expect((await browser.send("GET", "me")).status).toBe(401);
    const late = await new ConsoleClient(service).send("POST", "session", { body: { key } });
    expect(late.status).toBe(401);
  });

  test("is new at each sign-in: a planted cookie does not become a session (fixation)", async () => {
    const victim = new ConsoleClient(service);
    const planted = `bourse=${"A".repeat(43)}`;
    victim.cookie = planted;
    await victim.signIn("alice");
    expect(victim.cookie).not.toBe(planted);
    const attacker = new ConsoleClient(service);
    attacker.cookie = planted;
    expect((await attacker.send("GET", "me")).status).toBe(401);
  });

  test("of the same browser ends at the next sign-in", async () => {
    const browser = await new ConsoleClient(service).signIn("alice");
    const earlier = new ConsoleClient(service);
    earlier.cookie = browser.cookie;
    await browser.signIn("alice");
    expect((await earlier.send("GET", "me")).status).toBe(401);
  });

  test("is listed, and can be ended from another one of the same user only", async () => {
    service.accounts.addUser("carol", "free");
    const first = await new ConsoleClient(service).signIn("carol");
    const second = await new ConsoleClient(service).signIn("carol");
    const list = await second.get("sessions");
    expect(list).toHaveLength(2);
    expect(list.map(({ current }) => current)).toEqual([true, false]);
    expect(list[1]).toMatchObject({ address: "127.0.0.1", createdAt: service.time.now });
    const path = `sessions/${list[1]?.id}`;
    const alice = await new ConsoleClient(service).signIn("alice");
    expect((await alice.send("DELETE", path)).status).toBe(404);
    expect((await first.send("GET", "me")).status).toBe(200);
    expect((await second.send("DELETE", path)).status).toBe(204);
    expect((await first.send("GET", "me")).status).toBe(401);
  });
});

describe("GET service", () => {
  test("needs no session", async () => {
    const info = await new ConsoleClient(service).get("service");
    expect(info).toMatchObject({
      // With it, pages find out whether the browser's clock is wrong.
      time: new Date(service.time.now).toISOString(),
      market: "sample",
      url: service.origin,
      oauth: false,
      program: PROGRAM,
      signInRefused: null,
    });
  });
});
