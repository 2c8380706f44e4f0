import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { COMMAND_LINE } from "#access/audit.ts";
import { SignIn } from "#access/sign-in.ts";
import { ConsoleClient, createKey } from "../support/console-client.ts";
import { quickPasswords } from "../support/quick-passwords.ts";
import { startService } from "../support/service.ts";

const MINUTE = 60_000;
const PASSWORD = "correct horse battery";

// Proxies that are trusted let a test choose the address of a client.
const service = await startService({
  sample: false,
  trustedProxies: "127.0.0.1",
  env: { BOURSE_INSECURE_SIGN_IN: "true" },
});
for (const name of ["owner", "alice", "bob"]) service.accounts.addUser(name, "free");
const setPassword = (user: string, password: string) =>
  new SignIn(service.access, () => service.time.now).setPassword(user, password, COMMAND_LINE);
await setPassword("alice", PASSWORD);
beforeEach(() => {
  service.time.now += MINUTE;
});
afterAll(() => service.stop());

/** Tries to sign in with a password from an address. */
function tryPassword(user: string, password: string, address = "203.0.113.7"): Promise<Response> {
  return new ConsoleClient(service).send("POST", "session", {
    headers: { "x-forwarded-for": address },
    body: { user, password },
  });
}

const statusesOf = async (answers: readonly Promise<Response>[]) =>
  (await Promise.all(answers)).map(({ status }) => status).toSorted((a, b) => a - b);

describe("a password", () => {
  test("signs in", async () => {
    const response = await tryPassword("alice", PASSWORD);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ user: "alice", hasPassword: true });
  });

  test("is the same in both forms of Unicode", async () => {
    await setPassword("bob", "cafe\u0301 cafe\u0301 cafe\u0301");
    expect((await tryPassword("bob", "caf\u00e9 caf\u00e9 caf\u00e9")).status).toBe(200);
  });

  test("that is wrong, of an unknown user or of a user without one gets the same answer", async () => {
    const answers = await Promise.all([
      tryPassword("alice", "wrong"),
      tryPassword("alice", ""),
      tryPassword("stranger", PASSWORD),
      tryPassword("owner", PASSWORD),
      tryPassword("owner", ""),
      tryPassword("owner", " "),
      tryPassword("ALICE", PASSWORD),
      tryPassword("alice' OR 1=1 --", PASSWORD),
    ]);
    const bodies = await Promise.all(answers.map((response) => response.text()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(new Set(bodies).size).toBe(1);
    expect(answers.flatMap(({ headers }) => headers.getSetCookie())).toEqual([]);
  });

  test("of an unknown user costs the same work as one of a known user", async () => {
    const verify = spyOn(Bun.password, "verify");
    try {
      for (const name of ["alice", "owner", "stranger"]) await tryPassword(name, "wrong");
      const parameters = verify.mock.calls.map(([, hash]) =>
        (hash as string).split("$").slice(1, 4),
      );
      expect(parameters).toEqual(Array(3).fill(["argon2id", "v=19", "m=19456,t=2,p=1"]));
    } finally {
      verify.mockRestore();
    }
  });

  test("that is typed as a name is not in the audit log", async () => {
    await tryPassword(PASSWORD, "alice");
    await tryPassword("alice", "wrong");
    const [known, unknown] = service.accounts.listAudit({ limit: 2 });
    const refused = {
      action: "sign-in refused",
      subject: "wrong password",
      address: "203.0.113.7",
    };
    expect(known).toMatchObject({ ...refused, actor: "alice" });
    expect(unknown).toMatchObject({ ...refused, actor: "unknown user" });
    expect(JSON.stringify(service.accounts.listAudit({ limit: 1_000 }))).not.toContain(PASSWORD);
  });
});

/** The tests that follow are about the number of attempts, not about hashes. */
let quick: Disposable;
const withQuickPasswords = () => {
  beforeAll(async () => {
    quick = quickPasswords();
    await setPassword("alice", PASSWORD);
  });
  afterAll(() => quick[Symbol.dispose]());
};

describe("guessing", () => {
  withQuickPasswords();

  test("ends after five attempts a minute for one user from one address, even the right one", async () => {
    for (let i = 0; i < 5; i++) expect((await tryPassword("alice", `guess ${i}`)).status).toBe(401);
    const denied = await tryPassword("alice", PASSWORD);
    expect(denied.status).toBe(429);
    expect(Number(denied.headers.get("retry-after"))).toBeGreaterThan(0);
    // A stranger cannot lock alice out elsewhere, and other users are not affected.
    expect((await tryPassword("alice", PASSWORD, "198.51.100.1")).status).toBe(200);
    expect((await tryPassword("owner", "guess")).status).toBe(401);
    service.time.now += MINUTE;
    expect((await tryPassword("alice", PASSWORD)).status).toBe(200);
  });

  test("counts attempts at once too", async () => {
    const answers = Array.from({ length: 8 }, (_, i) => tryPassword("alice", `guess ${i}`));
    expect(await statusesOf(answers)).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
  });

  test("counts an IPv6 network as one address", async () => {
    const answers = Array.from({ length: 7 }, (_, i) =>
      tryPassword("alice", "guess", `2001:db8::${i + 1}`),
    );
    expect(await statusesOf(answers)).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });

  test("of many names and links ends after 20 attempts a minute from one address", async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 22; i++) {
      const body = i % 2 ? { key: "A".repeat(43) } : { user: `name-${i}`, password: "guess" };
      const headers = { "x-forwarded-for": "203.0.113.7" };
      const client = new ConsoleClient(service);
      statuses.push((await client.send("POST", "session", { headers, body })).status);
    }
    expect(statuses).toEqual([...Array<number>(20).fill(401), 429, 429]);
  });

  test("never runs more than two checks at a time, and refuses those that would wait long", async () => {
    let [running, most, refused] = [0, 0, 0];
    const release = Promise.withResolvers<void>();
    using _ = spyOn(Bun.password, "verify").mockImplementation(async () => {
      most = Math.max(most, ++running);
      await release.promise;
      running--;
      return false;
    });
    const answers = Array.from({ length: 30 }, async (_, i) => {
      const answer = await tryPassword("alice", "guess", `198.51.100.${i + 1}`);
      // Two run and 20 wait, so eight are refused before one of them ends.
      if (answer.status === 503 && ++refused === 8) release.resolve();
      return answer;
    });
    const expected = [...Array<number>(22).fill(401), ...Array<number>(8).fill(503)];
    expect(await statusesOf(answers)).toEqual(expected);
    expect(most).toBe(2);
  }, 600_000);
});

describe("changing the password", () => {
  withQuickPasswords();

  const NEW = "another long password";

  test("needs the current one, if there is one, and ends the other sessions and links", async () => {
    service.accounts.addUser("carol", "free");
    const client = await new ConsoleClient(service).signIn("carol");
    const other = await new ConsoleClient(service).signIn("carol");
    const key = createKey(service, "carol");
    const change = (body: object) => client.send("POST", "password", { body });

    expect((await change({ password: PASSWORD })).status).toBe(204);
    expect(await client.get("me")).toMatchObject({ hasPassword: true });
    expect((await other.send("GET", "me")).status).toBe(401);
    const late = await new ConsoleClient(service).send("POST", "session", { body: { key } });
    expect(late.status).toBe(401);

    for (const body of [{ password: NEW }, { current: "wrong", password: NEW }]) {
      const refused = await change(body);
      expect(refused.status).toBe(400);
      const { error } = (await refused.json()) as { error: object };
      expect(error).toMatchObject({ param: "current", message: "The current password is wrong." });
    }
    expect((await change({ current: PASSWORD, password: NEW })).status).toBe(204);
    expect((await tryPassword("carol", PASSWORD)).status).toBe(401);
    expect((await tryPassword("carol", NEW)).status).toBe(200);
    expect(service.accounts.listAudit({ limit: 10 })).toContainEqual(
      expect.objectContaining({
        actor: "carol",
        action: "password changed",
        subject: "user carol",
      }),
    );
  });

  test("cannot be used to guess the current one", async () => {
    const client = await new ConsoleClient(service).signIn("alice");
    service.time.now += MINUTE;
    const body = { current: "guess", password: NEW };
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) {
      statuses.push((await client.send("POST", "password", { body })).status);
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
    // The audit log has an entry for each guess, without its text.
    const [entry] = service.accounts.listAudit({ limit: 1 });
    expect(entry).toMatchObject({
      actor: "alice",
      action: "sign-in refused",
      subject: "wrong current password",
    });
  });

  test.each([
    ["short", "eleven char"],
    ["long", "x".repeat(257)],
    ["long", "x".repeat(2_000)],
  ])("refuses a %s one", async (_, password) => {
    const client = await new ConsoleClient(service).signIn("owner");
    const response = await client.send("POST", "password", { body: { password } });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { param: string; message: string } };
    expect(error.param).toBe("password");
    expect(error.message).toContain("12");
    expect(error.message).not.toContain(password);
  });

  test("by a removed user's session, while the body arrives, is refused", async () => {
    service.accounts.addUser("dave", "free");
    const client = await new ConsoleClient(service).signIn("dave");
    const started = Promise.withResolvers<void>();
    const body = new ReadableStream({
      async pull(controller) {
        controller.enqueue(new TextEncoder().encode('{"password":'));
        await started.promise;
        controller.enqueue(new TextEncoder().encode(`"${PASSWORD}"}`));
        controller.close();
      },
    });
    const response = fetch(`${service.origin}/console/api/password`, {
      method: "POST",
      headers: {
        cookie: client.cookie,
        "content-type": "application/json",
        "sec-fetch-site": "same-origin",
      },
      body,
    });
    // A later request is answered, so the earlier one was authorized.
    expect((await client.send("GET", "me")).status).toBe(200);
    service.accounts.removeUser("dave");
    started.resolve();
    expect((await response).status).toBe(401);
  });
});
