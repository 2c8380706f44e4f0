import { afterAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { createSecret } from "#access/secret.ts";
import { ENDPOINTS } from "#http/console-api.ts";
import { SMALL_BODY } from "#http/json-body.ts";
import { ConsoleClient, cookieOf, createKey } from "../support/console-client.ts";
import { startService } from "../support/service.ts";

const MINUTE = 60_000;

let admin: ConsoleClient;
let user: ConsoleClient;
const service = await startService({ sample: false });
service.accounts.addUser("owner", "max");
service.accounts.addUser("alice", "free");
/** Every test begins in a new minute, with new sessions. */
beforeEach(async () => {
  service.time.now += MINUTE;
  admin = await new ConsoleClient(service).signIn("owner");
  user = await new ConsoleClient(service).signIn("alice");
});
afterAll(() => service.stop());

/** The error of an answer in the envelope of REST. */
async function errorOf(response: Response) {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return error;
}

/** Every answer of the console's interface, also an error. */
function expectPrivate(response: Response): void {
  const { headers } = response;
  expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("www-authenticate")).toBeNull();
}

/** The path of an endpoint with values for its parameters. */
const pathOf = (path: string) =>
  path.replace(":operation", "get_markets").replace(":name", "alice").replace(/:\w+/, "1");

describe("every endpoint", () => {
  const signedIn = ENDPOINTS.filter(({ role }) => role !== "anyone");

  test.each(signedIn.map(({ method, path }) => [method, pathOf(path)]))(
    "%s %s needs a session",
    async (method, path) => {
      const body = method === "GET" ? undefined : {};
      const response = await new ConsoleClient(service).send(method, path, { body });
      expect(response.status).toBe(401);
      expectPrivate(response);
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect((await errorOf(response)).code).toBe("MISSING_AUTH");
    },
  );

  test.each(
    signedIn
      .filter(({ role }) => role === "admin")
      .map(({ method, path }) => [method, pathOf(path)]),
  )("%s %s is refused to a user who is not an admin", async (method, path) => {
    const body = method === "GET" ? undefined : {};
    const response = await user.send(method, path, { body });
    expect(response.status).toBe(403);
    expect((await errorOf(response)).message).toContain("user role alice admin");
  });

  const changing = ENDPOINTS.filter(({ method }) => method !== "GET");
  test.each(changing.map(({ method, path }) => [method, pathOf(path)]))(
    "%s %s is refused to a page of another origin and without a sign of its own page",
    async (method, path) => {
      for (const headers of [
        { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
        { "sec-fetch-site": "same-site", origin: "http://127.0.0.1:3000" },
        { "sec-fetch-site": null, origin: "https://evil.example" },
        { "sec-fetch-site": null, origin: null },
      ]) {
        const response = await admin.send(method, path, { headers, body: {} });
        expect(response.status).toBe(403);
        expectPrivate(response);
      }
      expect((await admin.send("GET", "me")).status).toBe(200);
    },
  );

  const reading = ENDPOINTS.filter(({ method }) => method === "GET");
  test.each(reading.map(({ path }) => [pathOf(path)]))(
    "GET %s is refused to a page of another origin",
    async (path) => {
      const headers = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
      const response = await admin.send("GET", path, { headers });
      expect(response.status).toBe(403);
      expectPrivate(response);
    },
  );

  test.each(
    ENDPOINTS.filter(({ body }) => body).map(({ method, path, limits = SMALL_BODY }) => [
      method,
      pathOf(path),
      limits.maxBytes,
    ]),
  )(
    "%s %s takes a JSON object of known fields only, up to %d bytes",
    async (method, path, maxBytes) => {
      const send = (body: unknown, headers = {}) => admin.send(method, path, { body, headers });
      const form = { "content-type": "application/x-www-form-urlencoded" };
      expect((await send("key=1", form)).status).toBe(415);
      expect((await send("{}", { "content-type": "text/plain" })).status).toBe(415);
      expect((await send("{", {})).status).toBe(400);
      expect((await send("[]", {})).status).toBe(400);
      expect((await send("null", {})).status).toBe(400);
      expect((await send("[".repeat(60_000), {})).status).toBe(400);
      expect((await send({ __proto__x: 1 })).status).toBe(400);
      expect((await send({ key: "x".repeat(maxBytes) })).status).toBe(413);
    },
  );
});

describe("the dispatcher", () => {
  test("answers unknown paths with 404, and wrong methods with 405 and Allow", async () => {
    for (const path of ["nothing", "", "me/", "sessions/1/2", "sessions/%ff", "../session"]) {
      const response = await admin.send("GET", path);
      expect(response.status).toBe(path === "../session" ? 200 : 404);
    }
    const wrong = await admin.send("PUT", "me");
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    const preflight = await admin.send("OPTIONS", "session");
    expect([preflight.status, preflight.headers.get("allow")]).toEqual([405, "POST, DELETE"]);
    expectPrivate(preflight);
  });

  test("answers HEAD like GET, without the body", async () => {
    const [get, head] = [await admin.send("GET", "me"), await admin.send("HEAD", "me")];
    expect(head.status).toBe(200);
    expect(await head.text()).toBe("");
    expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
    expectPrivate(head);
    expect(get.headers.get("cache-control")).toBe("no-store");
  });

  test("names the wrong field of a body", async () => {
    const response = await admin.send("POST", "password", { body: { password: 5 } });
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({ param: "password" });
    const both = await admin.send("POST", "session", { body: { key: "a", user: "b" } });
    expect((await errorOf(both)).message).toBe("Send either key, or user and password.");
  });

  test.each([["evil.example"], ["evil.example:8787"], ["nas"]])(
    "refuses the host name %s (DNS rebinding), also with a session",
    async (host) => {
      for (const path of ["me", "service"]) {
        const response = await admin.send("GET", path, { headers: { host } });
        expect(response.status).toBe(403);
        expect((await errorOf(response)).message).toContain("BOURSE_PUBLIC_URL");
      }
      const page = await fetch(`${service.origin}/console`, { headers: { host } });
      expect(page.status).toBe(403);
      // The API keeps its contract: no cookie has an effect there.
      const api = await fetch(`${service.base}/openapi.json`, { headers: { host } });
      expect(api.status).toBe(200);
    },
  );
});

describe("the cookie", () => {
  test("has no effect on the API", async () => {
    const headers = { cookie: admin.cookie, "sec-fetch-site": "same-origin" };
    const rest = await fetch(`${service.base}/data/markets`, { headers });
    expect(rest.status).toBe(401);
    const mcp = await service.mcp(null, { jsonrpc: "2.0", id: 1, method: "ping" }, headers);
    expect(mcp.status).toBe(401);
    expect([rest, mcp].flatMap((one) => one.headers.getSetCookie())).toEqual([]);
  });

  test("has no effect if another one of its name is before or after it", async () => {
    for (const cookie of [
      `bourse=${"A".repeat(43)}; ${admin.cookie}`,
      `${admin.cookie}; bourse=${"A".repeat(43)}`,
    ]) {
      expect((await admin.send("GET", "me", { headers: { cookie } })).status).toBe(401);
    }
    const cookie = `theme=dark; ${admin.cookie}; other=1`;
    expect((await admin.send("GET", "me", { headers: { cookie } })).status).toBe(200);
  });

  test.each([["bourse="], ["bourse=x"], [`bourse=${"'".repeat(43)}`], ["bourse"], ["=;=;"]])(
    "%j is no session",
    async (cookie) => {
      expect((await admin.send("GET", "me", { headers: { cookie } })).status).toBe(401);
    },
  );

  test("is not read over plain http beyond this machine", async () => {
    const headers = { "x-forwarded-for": "203.0.113.7" };
    const response = await admin.send("GET", "me", { headers });
    expect(response.status).toBe(401);
    expect((await errorOf(response)).message).toContain("BOURSE_PUBLIC_URL");
    const key = createKey(service, "alice");
    const signIn = await new ConsoleClient(service).send("POST", "session", {
      headers,
      body: { key },
    });
    expect(signIn.status).toBe(403);
    // The key was not used up.
    const local = await new ConsoleClient(service).send("POST", "session", { body: { key } });
    expect(local.status).toBe(200);
  });

  test("does not become an admin's before the role changes, and not after it changes back", async () => {
    const link = () => user.send("POST", "users/alice/link");
    expect((await link()).status).toBe(403);
    service.accounts.setRole("alice", "admin");
    expect((await link()).status).toBe(200);
    service.accounts.setRole("alice", "user");
    expect((await link()).status).toBe(403);
  });
});

describe("a link for another user", () => {
  test("is made by an admin and signs that user in", async () => {
    const response = await admin.send("POST", "users/alice/link");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const { url, expiresAt } = (await response.json()) as { url: string; expiresAt: number };
    expect(expiresAt).toBe(service.time.now + 15 * MINUTE);
    const [page, key] = url.split("#key=");
    expect(page).toBe(`${service.origin}/console`);
    const client = new ConsoleClient(service);
    expect((await client.send("POST", "session", { body: { key } })).status).toBe(200);
    expect(await client.get("me")).toMatchObject({ user: "alice" });
  });

  test("is not made for an unknown user", async () => {
    expect((await admin.send("POST", "users/stranger/link")).status).toBe(404);
  });
});

describe("limits", () => {
  test("600 requests a minute of one user, without the gate of the address", async () => {
    for (let i = 0; i < 599; i++) {
      const response = await admin.send("GET", "me");
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
    // One more was the sign-in's; it had no session.
    expect((await admin.send("GET", "me")).status).toBe(200);
    const denied = await admin.send("GET", "me");
    expect(denied.status).toBe(429);
    expect(Number(denied.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await user.send("GET", "me")).status).toBe(200);
    service.time.now += MINUTE;
    expect((await admin.send("GET", "me")).status).toBe(200);
  });

  test("600 look-ups of unknown cookies a minute from one address, also without a gate", async () => {
    const open = await startService({ sample: false });
    open.accounts.addUser("owner", "max");
    const client = await new ConsoleClient(open).signIn("owner");
    expect((await client.send("GET", "me")).status).toBe(200);
    const find = spyOn(open.access, "run");
    const statuses = new Map<number, number>();
    for (let i = 0; i < 700; i++) {
      const cookie = `bourse=${createSecret()}`;
      const { status } = await fetch(`${new URL(open.base).origin}/console/api/me`, {
        headers: { cookie },
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    // The first look-up was that of the signed-in client. Each cookie is looked up by the limit and the endpoint.
    expect([...statuses]).toEqual([
      [401, 599],
      [429, 101],
    ]);
    expect(find).toHaveBeenCalledTimes(2 * 599);
    find.mockRestore();
    expect((await client.send("GET", "me")).status).toBe(200);
    await open.stop();
  });

  test("the gate of an address counts requests without a session, not those with one", async () => {
    const gated = await startService({ sample: false, gatePerMinute: 5 });
    gated.accounts.addUser("owner", "max");
    const client = await new ConsoleClient(gated).signIn("owner");
    for (let i = 0; i < 20; i++) expect((await client.send("GET", "me")).status).toBe(200);
    const stranger = new ConsoleClient(gated);
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await stranger.send("GET", "service")).status);
    // The sign-in was the first of five.
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    expect((await fetch(`${gated.base}/openapi.json`)).status).toBe(429);
    expect((await client.send("GET", "me")).status).toBe(200);
    await gated.stop();
  });
});

test("over https the cookie is Secure and bound to the host", async () => {
  const https = await startService({
    sample: false,
    trustedProxies: "127.0.0.1",
    env: { BOURSE_PUBLIC_URL: "https://data.example.com" },
  });
  https.accounts.addUser("owner", "max");
  const client = new ConsoleClient(https);
  const headers = {
    host: "data.example.com",
    origin: "https://data.example.com",
    "x-forwarded-proto": "https",
    "x-forwarded-for": "203.0.113.7",
  };
  const response = await client.send("POST", "session", {
    headers,
    body: { key: createKey(https, "owner") },
  });
  expect(response.status).toBe(200);
  const { pair, attributes } = cookieOf(response);
  expect(pair).toMatch(/^__Host-bourse=[\w-]{43}$/);
  expect(attributes).toBe("Max-Age=604800; Path=/; Secure; HttpOnly; SameSite=Strict");
  expect((await client.send("GET", "me", { headers })).status).toBe(200);
  const sessions = (await (await client.send("GET", "sessions", { headers })).json()) as object[];
  expect(sessions).toMatchObject([{ address: "203.0.113.7" }]);
  // The cookie of plain http, which others in the network could plant, is not read over https.
  const cookie = pair.replace("__Host-bourse", "bourse");
  expect((await client.send("GET", "me", { headers: { ...headers, cookie } })).status).toBe(401);
  const link = await client.send("POST", "users/owner/link", { headers });
  expect(((await link.json()) as { url: string }).url).toStartWith(
    "https://data.example.com/console#key=",
  );
  await https.stop();
});

describe("the service's address without a path", () => {
  const get = (accept: string, method = "GET") =>
    fetch(`${service.origin}/`, { method, headers: { accept }, redirect: "manual" });

  test("leads a browser to the console", async () => {
    const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    for (const method of ["GET", "HEAD"]) {
      const response = await get(browser, method);
      expect([response.status, response.headers.get("location")]).toEqual([302, "/console"]);
      expect(response.headers.get("vary")).toBe("Accept");
    }
  });

  test.each([
    ["*/*"],
    ["application/json"],
    ["application/json, text/html;q=0.5"],
    ["text/html;q=0"],
  ])("stays unknown for Accept: %s", async (accept) => {
    const response = await get(accept);
    expect(response.status).toBe(404);
    expect((await errorOf(response)).code).toBe("NOT_FOUND");
  });

  test("stays unknown for other methods", async () => {
    expect((await get("text/html", "POST")).status).toBe(404);
  });
});

test("sign-in, refusal, sign-out and links are in the audit log, without secrets", async () => {
  const before = service.accounts.listAudit({ limit: 1 })[0]?.id ?? 0;
  const key = createKey(service, "alice");
  const client = new ConsoleClient(service);
  await client.send("POST", "session", { body: { key } });
  const { cookie } = client;
  await new ConsoleClient(service).send("POST", "session", { body: { key } });
  await client.send("DELETE", "session");
  await client.send("DELETE", "session");
  await admin.send("POST", "users/alice/link");
  const entries = service.accounts.listAudit({ limit: 50 }).filter(({ id }) => id > before);
  const local = "127.0.0.1";
  expect(
    entries
      .toReversed()
      .map(({ actor, action, subject, address }) => ({ actor, action, subject, address })),
  ).toEqual([
    { actor: "command line", action: "link created", subject: "user alice", address: null },
    { actor: "alice", action: "sign-in", subject: "by link", address: local },
    {
      actor: "unknown user",
      action: "sign-in refused",
      subject: "used, expired or unknown link",
      address: local,
    },
    { actor: "alice", action: "sign-out", subject: "user alice", address: local },
    { actor: "owner", action: "link created", subject: "user alice", address: local },
  ]);
  const log = JSON.stringify([service.accounts.listAudit({ limit: 1_000 }), service.logLines]);
  expect(log).not.toContain(key);
  expect(log).not.toContain(cookie.split("=")[1] ?? "");
});
