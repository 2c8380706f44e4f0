import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { listRows, type Work } from "#store/work.ts";
import { RUN_FOLDER, startService, type TestService } from "../support/service.ts";
import { ConsoleClient, createKey, refusalOf } from "../support/console-client.ts";
import { TEST_CLUSTER } from "../support/cluster-service.ts";
import { type PlayedPerson, PlayedProvider } from "../support/played-provider.ts";

const MINUTE = 60_000;
const IS_CLUSTER = TEST_CLUSTER !== undefined;
const PUBLIC_URL = "https://data.example.com";
const BROWSER = { host: "data.example.com", origin: PUBLIC_URL };
const MAIL = { email: "ben@example.com", email_verified: true };
const provider = new PlayedProvider();
const services: TestService[] = [];
afterEach(() => {
  provider.faults = {};
  provider.userInfo = {};
});
afterAll(async () => {
  for (const service of services) await service.stop();
  await provider.stop();
});

async function start(env: Record<string, string>): Promise<TestService> {
  const service = await startService({
    sample: false,
    env: { BOURSE_PUBLIC_URL: PUBLIC_URL, ...env },
  });
  service.accounts.addUser("owner", "unlimited");
  services.push(service);
  return service;
}

/** The entries of the audit log with a text, the oldest first. */
function* auditOf(text: string): Work<unknown[]> {
  return yield* listRows(
    "SELECT actor, action, subject FROM audit WHERE action || subject LIKE '%' || $text || '%' ORDER BY id",
    { text },
  );
}

const actions = (service: TestService) =>
  service.access.run(
    (function* () {
      const { rows } = yield {
        sql: "SELECT actor, action, subject FROM audit ORDER BY id DESC LIMIT 3",
        values: {},
      };
      return rows as { actor: string; action: string; subject: string }[];
    })(),
  );

/** A browser at the public address. */
class Visitor extends ConsoleClient {
  /** The cookie of a sign-in that has begun. */
  pending = "";

  override async send(
    ...[method, path, { body, headers = {} } = {}]: Parameters<ConsoleClient["send"]>
  ): Promise<Response> {
    const session = this.cookie;
    const cookie = [session, this.pending].filter(Boolean).join("; ");
    const response = await super.send(method, path, {
      ...(body !== undefined && { body }),
      headers: { ...BROWSER, ...(cookie !== "" && { cookie }), ...headers },
    });
    const [set = ""] = response.headers.getSetCookie();
    if (set.startsWith("__Host-bourse-provider=")) {
      this.cookie = session;
      this.pending = set.split("; ")[0] ?? "";
    }
    return response;
  }

  /** Goes to the provider; the query with which it sends the browser back. */
  async begin(): Promise<string> {
    const response = await this.send("POST", "provider");
    expect(response.status).toBe(200);
    expect(response.headers.getSetCookie()[0]).toEndWith(
      "; Max-Age=600; Path=/; Secure; HttpOnly; SameSite=Strict",
    );
    const { url } = (await response.json()) as { url: string };
    const back = await fetch(url, { redirect: "manual" });
    const location = new URL(back.headers.get("location") ?? "");
    expect(location.origin + location.pathname).toBe(`${PUBLIC_URL}/console/provider`);
    return location.search.slice(1);
  }

  finish(query: string): Promise<Response> {
    return this.send("POST", "session", { body: { provider: query } });
  }

  async signInAs(person: PlayedPerson): Promise<Response> {
    provider.person = person;
    return this.finish(await this.begin());
  }
}

const connected = await start({ ...provider.env, BOURSE_NEW_USERS: "pro" });
describe("an OpenID provider", () => {
  const service = connected;
  const anna = { sub: "7", preferred_username: "anna", email: "anna@example.com" };

  test("signs in a new user with the plan of the settings, and the same one again by the subject", async () => {
    const browser = new Visitor(service);
    expect(await browser.get("service")).toMatchObject({
      provider: new URL(provider.issuer).host,
      proxyUser: null,
    });
    const first = await browser.signInAs(anna);
    expect(first.status).toBe(200);
    expect(await first.json()).toEqual({
      user: "anna",
      role: "user",
      plan: "pro",
      hasPassword: false,
    });
    expect(first.headers.getSetCookie().map((one) => one.split(";")[0])).toEqual([
      expect.stringMatching(/^__Host-bourse=[\w-]{43}$/),
      "__Host-bourse-provider=",
    ]);
    expect(actions(service)).toEqual([
      { actor: "anna", action: "sign-in", subject: `by ${provider.issuer}` },
      {
        actor: "anna",
        action: "identity connected",
        subject: `user anna, ${provider.issuer}`,
      },
      { actor: "anna", action: "user added", subject: "user anna (user, plan pro)" },
    ]);
    // A person can change the name and the address at the provider.
    const again = await new Visitor(service).signInAs({ sub: "7", preferred_username: "owner" });
    expect(await again.json()).toMatchObject({ user: "anna", role: "user" });
  });

  test("never makes an admin, also where there is none", async () => {
    const empty = await startService({
      sample: false,
      env: { BOURSE_PUBLIC_URL: PUBLIC_URL, ...provider.env },
    });
    services.push(empty);
    const response = await new Visitor(empty).signInAs({ sub: "1", preferred_username: "first" });
    expect(await response.json()).toMatchObject({ user: "first", role: "user", plan: "free" });
  });

  test("does not make a person the user of the same name", async () => {
    const response = await new Visitor(service).signInAs({
      sub: "8",
      preferred_username: "owner",
      email: "owner",
      email_verified: true,
    });
    expect(await refusalOf(response)).toEqual([
      403,
      expect.stringContaining("a user owner already"),
    ]);
  });

  test.each([
    ["a forged signature", { foreignKey: true }, 503],
    ["a token for another client", { claims: { aud: "other" } }, 503],
    ["a token of another provider", { claims: { iss: "https://evil.example" } }, 503],
    ["a token of another sign-in", { claims: { nonce: "x".repeat(43) } }, 503],
    ["a token that has expired", { claims: { exp: 1_000 } }, 503],
    ["an answer that names another provider (mix-up)", { iss: "https://evil.example" }, 403],
    ["a refusal of the provider", { error: "access_denied" }, 403],
  ] as const)("is not believed with %s", async (_, faults, status) => {
    service.time.now += MINUTE;
    provider.faults = faults;
    const response = await new Visitor(service).signInAs(anna);
    expect(response.status).toBe(status);
    expect(response.headers.getSetCookie()).toEqual([]);
    if ("error" in faults) expect(await response.text()).toContain("access_denied");
  });

  test("logs the cause without a secret", () => {
    const lines = service.logLines.join("\n");
    expect(lines).toContain("OAUTH_JWT_CLAIM_COMPARISON_FAILED");
    const { form } = provider.seen.findLast(({ path }) => path === "/token") ?? {};
    for (const secret of [provider.secret, "an-access-token", form?.get("code"), "eyJ"])
      expect(lines).not.toContain(secret ?? "");
  });

  test("signs in only the browser that began, and only once (forged and repeated answers)", async () => {
    service.time.now += MINUTE;
    const [victim, attacker] = [new Visitor(service), new Visitor(service)];
    provider.person = { sub: "666", preferred_username: "mallory" };
    const query = await attacker.begin();
    // A browser that began nothing, and one that has begun another sign-in.
    expect((await victim.finish(query)).status).toBe(403);
    await victim.begin();
    expect((await victim.finish(query)).status).toBe(403);
    expect((await attacker.finish(query)).status).toBe(200);
    const { pending } = attacker;
    const thief = new Visitor(service);
    // The provider has used up the code.
    thief.pending = pending;
    expect((await thief.finish(query)).status).toBe(503);
    const foreign = { ...BROWSER, "sec-fetch-site": "cross-site" };
    expect((await victim.send("POST", "provider", { headers: foreign })).status).toBe(403);
  });

  // Each node counts attempts in its memory.
  test.skipIf(IS_CLUSTER)("is limited to 20 attempts a minute of an address", async () => {
    service.time.now += MINUTE;
    const browser = new Visitor(service);
    const statuses: number[] = [];
    for (let i = 0; i < 21; i++) statuses.push((await browser.send("POST", "provider")).status);
    expect(statuses).toEqual([...Array<number>(20).fill(200), 429]);
    service.time.now += MINUTE;
  });

  test("says where to begin at another address of the service", async () => {
    const headers = { host: "127.0.0.1", origin: "http://127.0.0.1" };
    const response = await new ConsoleClient(service).send("POST", "provider", { headers });
    expect(await refusalOf(response)).toEqual([
      400,
      expect.stringContaining(`Open ${PUBLIC_URL}/console`),
    ]);
  });

  test("is connected to a signed-in user, who can disconnect it", async () => {
    service.time.now += MINUTE;
    const browser = new Visitor(service);
    await browser.send("POST", "session", { body: { key: createKey(service, "owner") } });
    expect(await browser.get("provider")).toEqual({ isConnected: false });
    const signedIn = await browser.signInAs({ sub: "9", preferred_username: "boss" });
    expect(await signedIn.json()).toMatchObject({ user: "owner", role: "admin" });
    expect(await browser.get("provider")).toEqual({ isConnected: true });
    const other = await new Visitor(service).signInAs({ sub: "9" });
    expect(await other.json()).toMatchObject({ user: "owner" });
    // Anna's account stays hers.
    expect((await browser.signInAs(anna)).status).toBe(400);
    expect((await browser.send("DELETE", "provider")).status).toBe(204);
    expect(await browser.get("provider")).toEqual({ isConnected: false });
    expect((await new Visitor(service).signInAs({ sub: "9" })).status).toBe(403);
    expect(actions(service)).toContainEqual(
      expect.objectContaining({ actor: "owner", action: "identity removed" }),
    );
  });

  test("is connected only by the session that began", async () => {
    service.time.now += MINUTE;
    const browser = new Visitor(service);
    await browser.signInAs(anna);
    provider.person = { sub: "10", preferred_username: "eve" };
    const query = await browser.begin();
    // Another user of the same browser.
    browser.cookie = "";
    await browser.send("POST", "session", { body: { key: createKey(service, "owner") } });
    const words = expect.stringContaining("connect again");
    expect(await refusalOf(await browser.finish(query))).toEqual([403, words]);
    browser.cookie = "";
    expect(await refusalOf(await browser.finish(query))).toEqual([403, words]);
    expect(await (await new Visitor(service).signInAs(provider.person)).json()).toMatchObject({
      user: "eve",
    });
  });

  test("leaves nothing of a user who is removed", async () => {
    service.time.now += MINUTE;
    service.accounts.removeUser("anna");
    const response = await new Visitor(service).signInAs({ ...anna, preferred_username: "new" });
    expect(await response.json()).toMatchObject({ user: "new" });
  });
});

const secretFile = join(RUN_FOLDER, "oidc-secret");
await Bun.write(secretFile, `${provider.secret}\n`);
afterAll(() => rmSync(secretFile, { force: true }));
const limited = await start({
  ...provider.env,
  BOURSE_OIDC_SECRET: "",
  BOURSE_OIDC_SECRET_FILE: secretFile,
  BOURSE_OIDC_ALLOW: "markets, @Example.com",
});
describe("allowed groups and domains", () => {
  const service = limited;
  test.each([
    ["no mail address", { sub: "1" }],
    ["an address that is not verified", { sub: "1", email: "ben@example.com" }],
    ["an address that is half verified", { ...MAIL, sub: "1", email_verified: ["yes"] }],
    ["another domain", { sub: "1", ...MAIL, email: "ben@sub.example.com" }],
    ["a domain inside", { sub: "1", ...MAIL, email: "ben@example.com@evil.example" }],
    ["another group", { sub: "1", groups: ["market", "@example.com"] }],
  ])("refuse %s", async (_, person) => {
    service.time.now += MINUTE;
    const response = await new Visitor(service).signInAs(person);
    expect(await refusalOf(response)).toEqual([403, expect.stringContaining("BOURSE_OIDC_ALLOW")]);
  });

  test("refuse an address where the provider has verified another one", async () => {
    provider.userInfo = { email: "x@y.example", email_verified: true };
    const response = await new Visitor(service).signInAs({ sub: "1", email: "ben@example.com" });
    expect(response.status).toBe(403);
    provider.userInfo = MAIL;
    const same = await new Visitor(service).signInAs({ sub: "1", email: MAIL.email });
    expect(same.status).toBe(200);
    service.accounts.removeUser(MAIL.email);
  });

  test("let in by a group that only the answer about the user has", async () => {
    provider.userInfo = { groups: ["markets"], preferred_username: "carl", email: "x@y.example" };
    const response = await new Visitor(service).signInAs({ sub: "2" });
    expect(await response.json()).toMatchObject({ user: "carl" });
  });

  test("take a new secret from the file, and log that a wrong one is wrong", async () => {
    service.time.now += MINUTE;
    const carl = { sub: "2", groups: ["markets"] };
    await Bun.write(secretFile, "another secret");
    const response = await new Visitor(service).signInAs(carl);
    expect(response.status).toBe(503);
    expect(service.logLines.at(-1)).toContain(
      "/token answers 401, as it does if the id or the secret of the client is wrong",
    );
    await Bun.write(secretFile, `${provider.secret}\n`);
    expect((await new Visitor(service).signInAs(carl)).status).toBe(200);
  });

  test("make a person the user whose name is the verified address of an allowed domain, once", async () => {
    service.accounts.addUser("ben@example.com", "max");
    const response = await new Visitor(service).signInAs({
      sub: "3",
      ...MAIL,
      email_verified: "true",
    });
    expect(await response.json()).toMatchObject({ user: "ben@example.com", plan: "max" });
    // The provider gave the address to another person.
    const next = await new Visitor(service).signInAs({ sub: "4", ...MAIL });
    expect(next.status).toBe(403);
    // A group lets in with an address of a foreign domain, but does not prove it.
    service.accounts.addUser("eve@other.example", "max");
    const eve = { sub: "5", email: "eve@other.example", email_verified: true, groups: "markets" };
    expect((await new Visitor(service).signInAs(eve)).status).toBe(403);
  });
});

const trusted = await start({
  BOURSE_SIGN_IN_HEADER: "X-Forwarded-User",
  BOURSE_SIGN_IN_PROXIES: "127.0.0.1",
});
describe("an invitation", () => {
  const service = trusted;
  const password = "correct horse battery";
  const DAY = 86_400_000;
  const signInAs = async (user: string) => {
    const admin = new Visitor(service);
    await admin.send("POST", "session", { body: { key: createKey(service, user) } });
    return admin;
  };
  const invite = async (admin: Visitor, plan = "pro") => {
    const body = { plan, note: "for Dora" };
    const response = await admin.send("POST", "invitations", { body });
    expect(response.status).toBe(200);
    const { id, url } = (await response.json()) as { id: number; url: string };
    const [, key = ""] =
      /^https:\/\/data\.example\.com\/console#invite=([\w-]{43})$/.exec(url) ?? [];
    return { id, key };
  };
  const accept = (key: string, user: string, other: object = {}) =>
    new Visitor(service).send("POST", "session", {
      body: { invitation: key, user, password, ...other },
    });

  test("makes a person a user with its plan, once, also if it is used many times at once", async () => {
    const admin = await signInAs("owner");
    const { id, key } = await invite(admin);
    expect(await admin.get("invitations")).toEqual([
      {
        id,
        plan: "pro",
        note: "for Dora",
        by: "owner",
        createdAt: service.time.now,
        expiresAt: service.time.now + 7 * DAY,
      },
    ]);
    const names = ["dora", "dora-2", "dora-3", "dora-4"];
    const answers = await Promise.all(names.map((name) => accept(key, name)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401]);
    const users = service.accounts.listUsers().filter(({ name }) => name.startsWith("dora"));
    expect(users).toMatchObject([{ plan: "pro", role: "user", hasPassword: true }]);
    expect(await admin.get("invitations")).toEqual([]);
    const [{ name } = { name: "" }] = users;
    const back = await new Visitor(service).send("POST", "session", {
      body: { user: name, password },
    });
    expect(back.status).toBe(200);
    expect(service.access.run(auditOf("invitation"))).toEqual([
      { actor: "owner", action: "invitation created", subject: `invitation ${id} (plan pro)` },
      {
        actor: name,
        action: "user added",
        subject: `user ${name} (user, plan pro), invitation ${id}`,
      },
      { actor: name, action: "sign-in", subject: "by invitation" },
    ]);
  });

  test("stays open if the name or the password is refused", async () => {
    service.time.now += MINUTE;
    const { key } = await invite(await signInAs("owner"), "free");
    const taken = await accept(key, "owner");
    expect(await refusalOf(taken)).toEqual([400, expect.stringContaining("owner is taken")]);
    expect((await accept(key, "a b")).status).toBe(400);
    expect((await accept(key, "..")).status).toBe(400);
    expect((await accept(key, "eva", { password: "short" })).status).toBe(400);
    expect((await accept(key, "eva", { key })).status).toBe(400);
    const done = await accept(key, "eva");
    expect(await done.json()).toMatchObject({ user: "eva", role: "user", plan: "free" });
  });

  test("ends after seven days, when it is revoked, and with the role or the user of its admin", async () => {
    service.time.now += MINUTE;
    service.accounts.addUser("boss", "max", "admin");
    const [owner, boss] = [await signInAs("owner"), await signInAs("boss")];
    const [old, revoked, ofBoss] = [await invite(owner), await invite(owner), await invite(boss)];
    expect((await owner.send("DELETE", `invitations/${revoked.id}`)).status).toBe(204);
    expect((await owner.send("DELETE", `invitations/${revoked.id}`)).status).toBe(404);
    expect((await accept(revoked.key, "frida")).status).toBe(401);
    service.accounts.setRole("boss", "user");
    expect((await accept(ofBoss.key, "frida")).status).toBe(401);
    service.accounts.setRole("boss", "admin");
    service.accounts.removeUser("boss");
    expect((await accept(ofBoss.key, "frida")).status).toBe(401);
    service.time.now += 7 * DAY;
    expect((await accept(old.key, "frida")).status).toBe(401);
    expect((await accept("x".repeat(43), "frida")).status).toBe(401);
    expect((await accept("", "frida")).status).toBe(401);
    expect(actions(service)[0]).toEqual({
      actor: "unknown user",
      action: "sign-in refused",
      subject: "used, expired or unknown link",
    });
  });

  test("is made by admins only, and its key is stored nowhere", async () => {
    service.time.now += MINUTE;
    const { key } = await invite(await signInAs("owner"));
    const user = await signInAs("eva");
    const body = { plan: "max", note: "" };
    expect((await user.send("POST", "invitations", { body })).status).toBe(403);
    expect((await user.send("GET", "invitations")).status).toBe(403);
    expect((await user.send("DELETE", "invitations/1")).status).toBe(403);
    for (const name of IS_CLUSTER ? [] : ["access.db", "access.db-wal"]) {
      const bytes = await Bun.file(join(service.folder, name)).bytes();
      expect(Buffer.from(bytes).includes(key)).toBe(false);
    }
    expect(service.logLines.join("\n")).not.toContain(key);
  });
});

test("no user is made with BOURSE_NEW_USERS=off, and a provider that is down is named", async () => {
  const service = await start({ ...provider.env, BOURSE_NEW_USERS: "off" });
  const response = await new Visitor(service).signInAs({ sub: "1", preferred_username: "anna" });
  expect(await refusalOf(response)).toEqual([403, expect.stringContaining("makes none")]);
  expect(service.accounts.listUsers().map(({ name }) => name)).toEqual(["owner"]);

  const down = await start({ BOURSE_OIDC_ISSUER: "http://127.0.0.1:1", BOURSE_OIDC_CLIENT: "b" });
  const failed = await new Visitor(down).send("POST", "provider");
  expect(await refusalOf(failed)).toEqual([503, expect.stringContaining("127.0.0.1:1 failed")]);
  expect((await new Visitor(await start({})).send("POST", "provider")).status).toBe(404);
});

describe("a proxy", () => {
  const header = "x-forwarded-user";
  const asUser = (name: string) => ({ headers: { [header]: name } });
  const signIn = (browser: Visitor, name: string) =>
    browser.send("POST", "session", { body: { proxy: true }, ...asUser(name) });

  test("signs in the user of its header, and makes a new one", async () => {
    const browser = new Visitor(trusted);
    expect((await browser.send("GET", "me", asUser("anna"))).status).toBe(401);
    const answer = await signIn(browser, "anna");
    expect(await answer.json()).toMatchObject({ user: "anna", role: "user", plan: "free" });
    expect((await browser.send("GET", "me", asUser("anna"))).status).toBe(200);
    const owner = new Visitor(trusted);
    expect(await (await signIn(owner, "owner")).json()).toMatchObject({ role: "admin" });
    expect(actions(trusted)).toContainEqual({
      actor: "owner",
      action: "sign-in",
      subject: "by proxy",
    });
  });

  test("ends the session of another user in the same browser", async () => {
    const browser = new Visitor(trusted);
    await signIn(browser, "owner");
    expect((await browser.send("GET", "users", asUser("anna"))).status).toBe(401);
    expect(await (await signIn(browser, "anna")).json()).toMatchObject({ user: "anna" });
    // A password of another user would make a session that does not count.
    const body = { key: createKey(trusted, "owner") };
    const other = await browser.send("POST", "session", { body, ...asUser("anna") });
    expect(other.status).toBe(403);
  });

  test.each([["a b"], ["a, b"], ["x".repeat(65)], ["<b>"], ["../owner"]])(
    "cannot name %j",
    async (name) => {
      expect((await signIn(new Visitor(trusted), name)).status).toBe(403);
    },
  );

  test("is not believed without a header, or from an address that is not its own", async () => {
    const bare = await new Visitor(trusted).send("POST", "session", { body: { proxy: true } });
    expect(bare.status).toBe(403);
    const elsewhere = await start({
      BOURSE_SIGN_IN_HEADER: "X-Forwarded-User",
      BOURSE_SIGN_IN_PROXIES: "192.0.2.1,::1",
      // This list is about addresses only.
      BOURSE_TRUSTED_PROXIES: "127.0.0.1",
    });
    const off = await start({});
    for (const service of [elsewhere, off]) {
      const browser = new Visitor(service);
      const forged = { [header]: "owner", "x-forwarded-for": "192.0.2.1" };
      const answer = await browser.send("POST", "session", {
        body: { proxy: true },
        headers: forged,
      });
      expect(answer.status).toBe(403);
      const info = await browser.send("GET", "service", { headers: forged });
      expect(await info.json()).toMatchObject({ proxyUser: null });
      // The header does not disturb another sign-in either.
      await browser.send("POST", "session", {
        body: { key: createKey(service, "owner") },
        headers: forged,
      });
      expect((await browser.send("GET", "me", { headers: { [header]: "anna" } })).status).toBe(200);
    }
  });

  test("is of no use to a page of another origin", async () => {
    const foreign = await new Visitor(trusted).send("POST", "session", {
      body: { proxy: true },
      headers: { [header]: "anna", "sec-fetch-site": "cross-site" },
    });
    expect(foreign.status).toBe(403);
  });

  test.skipIf(IS_CLUSTER)("is limited for each user", async () => {
    trusted.time.now += MINUTE;
    const statuses: number[] = [];
    for (let i = 0; i < 21; i++) statuses.push((await signIn(new Visitor(trusted), "anna")).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await signIn(new Visitor(trusted), "owner")).status).toBe(200);
  });
});
