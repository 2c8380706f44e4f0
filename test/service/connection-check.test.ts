import { afterAll, describe, expect, test } from "bun:test";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { CHECK_AGENT } from "#service/connection-watch.ts";
import { checkConnection } from "#service/connection-check.ts";
import type { ConnectionNetwork } from "#service/connection-network.ts";
import { tokenOf } from "#service/connection-report.ts";
import type { Finding } from "#http/service-reports.ts";
import {
  CHAINLESS_CERTIFICATE,
  CHAINLESS_KEY,
  EXPIRED_CERTIFICATE,
  EXPIRED_KEY,
} from "../support/certificate.ts";
import { ConsoleClient } from "../support/console-client.ts";
import { networkOf, PROXY_URL, type ProxyOptions, startProxy } from "../support/played-proxy.ts";
import { startService } from "../support/service.ts";

const proxy = startProxy();
const service = await startService({
  env: { BOURSE_PUBLIC_URL: PROXY_URL },
  connectionNetwork: networkOf(proxy.port),
  // The second piece of a stream comes after 20 ms.
  beatMs: 100,
  oneNode: true,
});
proxy.origin = service.origin;
const withoutOAuth = await startService({ beatMs: 100, sample: false, oneNode: true });
const below = await startService({
  env: { BOURSE_PUBLIC_URL: `${PROXY_URL}/bourse` },
  beatMs: 100,
  sample: false,
  oneNode: true,
});
service.accounts.addUser("anna", "pro", "admin");
afterAll(() => Promise.all([proxy.stop(), service.stop(), withoutOAuth.stop(), below.stop()]));

const accounts = new Accounts({
  access: service.access,
  clock: () => service.time.now,
  actor: COMMAND_LINE,
});

/** What the check finds at an address, by check. The token is a new one of anna. */
async function check(
  address: string,
  network: ConnectionNetwork = networkOf(proxy.port),
): Promise<Finding[]> {
  const findings: Finding[] = [];
  await checkConnection({
    address,
    network,
    clock: () => service.time.now,
    withToken: tokenOf(accounts, "anna"),
    found: (finding) => findings.push(finding),
  });
  return findings;
}

/** What the check finds behind a proxy with those faults. */
async function checkBehind(faults: ProxyOptions, address = PROXY_URL) {
  proxy.faults = faults;
  const findings = await check(address);
  proxy.faults = {};
  return findings;
}

const levels = (findings: readonly Finding[]) =>
  findings.map(({ check, level }) => `${check} ${level}`);
const faults = (findings: readonly Finding[]) => findings.filter(({ level }) => level !== "ok");
const ALL =
  "name port certificate service host stream oauth registration challenge agents authorization mcp";
const OK = ALL.split(" ").map((name) => `${name} ok`);

describe("the check of a connection", () => {
  test("finds nothing to do where everything is right, and leaves no token and no client", async () => {
    const before = service.accounts.listTokens("anna");
    const findings = await check(`${PROXY_URL}/api/v1/svc/mcp/`);
    expect(levels(findings)).toEqual(OK);
    expect(findings.at(-1)?.text).toMatch(/^A client connects and sees \d+ tools\.$/);
    const live = service.accounts.listTokens("anna").filter(({ revokedAt }) => revokedAt === null);
    expect(live.length).toBe(before.filter(({ revokedAt }) => revokedAt === null).length);
    expect(JSON.stringify(findings)).not.toContain("bourse_");
  });

  test("is right below a path, and says what to set if the service does not know it", async () => {
    expect(levels(await check(`${PROXY_URL}/bourse`))).toContain("service failed");
    proxy.origin = below.origin;
    expect(levels(await check(`${PROXY_URL}/bourse/api/v1/svc/mcp`))).toEqual(
      OK.map((one) => one.replace("mcp ok", "mcp failed")),
    );
    // The token of the check is one of the other service.
    proxy.faults = { path: (path) => path.replace("/other", "") };
    const others = faults(await check(`${PROXY_URL}/other`));
    proxy.faults = {};
    proxy.origin = service.origin;
    expect(others[0]).toMatchObject({ check: "path", level: "failed" });
    expect(others[0]?.text).toContain(`BOURSE_PUBLIC_URL=${PROXY_URL}/other`);
  });

  test.each([
    ["data.example.com", "address failed", "must begin with https://"],
    ["ftp://data.example.com", "address failed", "must begin with https://"],
    ["https://anna:s3cret@data.example.com", "address failed", "a user or a password"],
  ])("refuses the address %s before any request", async (address, level, words) => {
    const [first, ...others] = await check(address, null as never);
    expect([levels(first ? [first] : []), others]).toEqual([[level], []]);
    expect(first?.text).toContain(words);
    expect(first?.text).not.toContain("s3cret");
  });

  test.each<[string, Partial<ConnectionNetwork>, string, string]>([
    [
      "a name without an address",
      { resolve: () => Promise.reject(new Error()) },
      "name failed",
      "has no address",
    ],
    [
      "a name of the own network",
      { resolve: async () => ["192.168.1.7"] },
      "name warning",
      "Other networks cannot reach 192.168.1.7",
    ],
    [
      "a port that refuses",
      { knock: async () => "ECONNREFUSED" },
      "port failed",
      "refuses connections",
    ],
    ["a port behind a firewall", { knock: async () => "ETIMEDOUT" }, "port failed", "firewall"],
    [
      "an address of IPv6 that is closed",
      {
        resolve: async () => ["2606:4700::1", "93.184.215.14"],
        knock: async (address) => (address.includes(":") ? "ECONNREFUSED" : null),
      },
      "port warning",
      "not at 2606:4700::1",
    ],
  ])("names %s", async (_, changed, level, words) => {
    const found = faults(await check(PROXY_URL, { ...networkOf(proxy.port), ...changed }));
    expect(levels(found)).toEqual([level]);
    expect(found[0]?.text).toContain(words);
  });

  test("warns of another port than 443, which claude.ai does not call", async () => {
    const found = faults(await check(`${PROXY_URL}:8443`));
    expect(found[0]).toMatchObject({ check: "port", text: expect.stringContaining("443 only") });
  });

  test.each([
    ["signed by itself", {}, [], /signed by itself/],
    [
      "that has ended",
      { cert: EXPIRED_CERTIFICATE, key: EXPIRED_KEY },
      [EXPIRED_CERTIFICATE],
      /has ended; renew it.* to 2021-01-01T00:00Z/,
    ],
    [
      "without its chain",
      { cert: CHAINLESS_CERTIFICATE, key: CHAINLESS_KEY },
      [],
      /whole chain, often a file fullchain\.pem/,
    ],
  ] as const)("names a certificate %s, and sends it no token", async (_, options, roots, words) => {
    await using other = startProxy(options);
    other.origin = service.origin;
    const found = faults(await check(PROXY_URL, networkOf(other.port, { roots })));
    expect(levels(found)).toEqual(["certificate failed", "mcp warning"]);
    expect(found[0]?.text).toMatch(words);
    expect(found[1]?.text).toContain("no token is sent");
  });

  test("names a certificate for another name", async () => {
    const [first] = faults(await check("https://other.example"));
    expect(first).toMatchObject({
      check: "certificate",
      text: expect.stringMatching(/is for other names.* It is for client\.example,/),
    });
  });

  test("names a port that speaks no TLS", async () => {
    await using other = startProxy({ isPlain: true });
    const found = faults(await check(PROXY_URL, networkOf(other.port)));
    expect(levels(found)).toEqual(["certificate failed"]);
    expect(found[0]?.text).toContain("No TLS connection began");
  });

  const page = (status: number, headers: Record<string, string> = {}) => ({
    own: () => new Response("<html>…</html>", { status, headers }),
  });
  test.each<[string, ProxyOptions, string[], RegExp]>([
    [
      "that does not reach bourse",
      page(502),
      ["service failed"],
      /status 502: the proxy does not reach bourse/,
    ],
    [
      "with a password of its own",
      page(401, { "www-authenticate": "Basic realm=x" }),
      ["service failed"],
      /sign-in of the proxy \(Basic\)/,
    ],
    [
      "that refuses robots",
      page(403, { server: "cloudflare" }),
      ["service failed"],
      /answered by cloudflare with status 403.*robots/,
    ],
    [
      "that redirects",
      page(301, { location: "https://www.client.example/?code=s3cret" }),
      ["service failed"],
      /leads to https:\/\/www\.client\.example\/, and/,
    ],
    [
      "with another program",
      page(200),
      ["service failed"],
      /answered by another program with status 200/,
    ],
    [
      "that changes the header Host to an address",
      { request: (headers) => headers.set("host", "127.0.0.1:8787") },
      ["host failed"],
      /proxy_set_header Host/,
    ],
    [
      "that changes the header Host to a name",
      { request: (headers) => headers.set("host", "bourse:8787") },
      ["host failed"],
      /proxy_set_header Host/,
    ],
    [
      "that removes WWW-Authenticate",
      { answered: (headers) => headers.delete("www-authenticate") },
      ["challenge failed"],
      /removes the header WWW-Authenticate/,
    ],
    [
      "that writes a WWW-Authenticate of its own",
      { answered: (headers) => headers.set("www-authenticate", "Bearer") },
      ["challenge failed"],
      /names no metadata instead of https:\/\/client\.example\/\.well-known/,
    ],
    [
      "that removes Authorization",
      { request: (headers) => headers.delete("authorization") },
      ["authorization failed"],
      /removes the header Authorization/,
    ],
    [
      "that adds a token",
      {
        request: (headers) =>
          headers.set("authorization", `Bearer ${service.createToken("max").token}`),
      },
      ["challenge failed", "authorization failed"],
      /answers without a token/,
    ],
    [
      "whose firewall refuses claude.ai by its name",
      {
        own: (_, headers) =>
          headers.get("user-agent")?.startsWith("Claude-User")
            ? new Response("Your request was blocked.", { status: 403 })
            : undefined,
      },
      ["agents failed"],
      /refuses Claude-User \(403\), as.*Block AI bots/,
    ],
    [
      "that removes headers of MCP",
      { request: (headers) => headers.delete("mcp-method") },
      ["mcp failed"],
      /removes the header MCP-Protocol-Version or Mcp-Method/,
    ],
    ["that holds answers back", { buffers: true }, ["stream warning"], /proxy_buffering off/],
    [
      "that keeps /.well-known for itself",
      {
        own: (path) =>
          path.startsWith("/.well-known/") ? new Response("no", { status: 404 }) : undefined,
      },
      ["oauth failed"],
      /\/\.well-known\/oauth-protected-resource\/api\/v1\/svc\/mcp is answered by another program with status 404/,
    ],
    [
      "that passes no registration",
      {
        own: (path) => (path === "/oauth/register" ? new Response("", { status: 405 }) : undefined),
      },
      ["registration failed"],
      /^\/oauth\/register is answered by another program with status 405/,
    ],
    [
      "that keeps MCP for itself",
      {
        own: (path) => (path === "/api/v1/svc/mcp" ? new Response("", { status: 405 }) : undefined),
      },
      ["challenge failed"],
      /^\/api\/v1\/svc\/mcp is answered by another program/,
    ],
  ])("names a proxy %s", async (_, options, expected, words) => {
    const found = faults(await checkBehind(options));
    expect(levels(found)).toEqual(expected);
    expect(found[0]?.text).toMatch(words);
    expect(JSON.stringify(found)).not.toContain("s3cret");
  });

  test("names metadata with plain http or another address", async () => {
    for (const issuer of ["http://client.example", "https://old.example"]) {
      const own = (path: string) =>
        path === "/.well-known/oauth-authorization-server"
          ? Response.json({ issuer, token_endpoint: `${issuer}/oauth/token` })
          : undefined;
      const found = faults(await checkBehind({ own }));
      expect(levels(found)).toEqual(["oauth failed"]);
      expect(found[0]?.text).toContain(`has issuer "${issuer}", but clients call ${PROXY_URL}`);
    }
  });

  test("says how to switch OAuth on", async () => {
    proxy.origin = withoutOAuth.origin;
    const found = faults(await check(PROXY_URL));
    proxy.origin = service.origin;
    // Without its public address, bourse does not know the name either.
    expect(levels(found).slice(0, 2)).toEqual(["host failed", "oauth failed"]);
    expect(found[1]?.text).toContain(`Set BOURSE_PUBLIC_URL=${PROXY_URL} and restart`);
  });

  test("checks an address of plain http without OAuth", async () => {
    const found = faults(
      await check(service.origin, networkOf(Number(new URL(service.origin).port))),
    );
    expect(levels(found)).toEqual(["address warning", "mcp warning"]);
    expect(found[0]?.text).toContain("is not https, so OAuth is off");
  });
});

describe("the check in the console", () => {
  const FIRST = "/.well-known/oauth-protected-resource/api/v1/svc/mcp";
  const call = (path: string, agent = "Claude-User") =>
    fetch(service.origin + path, { redirect: "manual", headers: { "user-agent": agent } });

  test("is for admins, takes no address, and shows the requests of clients", async () => {
    service.accounts.addUser("ben", "pro", "user");
    const ben = await new ConsoleClient(service).signIn("ben");
    expect((await ben.send("POST", "connection")).status).toBe(403);
    expect((await ben.send("GET", "connection")).status).toBe(403);
    const anna = await new ConsoleClient(service).signIn("anna");
    proxy.urls.length = 0;
    const body = { url: "https://evil.example", address: "http://169.254.169.254" };
    expect((await anna.send("POST", "connection", { body })).status).toBe(200);
    let info = await anna.get("connection");
    while (info.isRunning) info = await anna.get("connection");
    expect(info).toMatchObject({ url: PROXY_URL, requests: [], client: null });
    expect(levels(info.findings)).toEqual(OK);
    expect(proxy.urls.length).toBeGreaterThan(9);
    const [revoked, created] = service.accounts.listAudit({ limit: 2 });
    expect([revoked, created]).toMatchObject([
      { actor: "anna", action: "token revoked" },
      {
        actor: "anna",
        action: "token created",
        subject: expect.stringContaining("connection check"),
      },
    ]);

    await call(`${FIRST}?secret=s3cret`);
    await call("/mcp", "\u009B31mred");
    await call("/console/api/service");
    await call("/health");
    await call("/", `${CHECK_AGENT}/1`);
    info = await anna.get("connection");
    expect(info.requests).toMatchObject([
      { method: "GET", path: FIRST, status: 200, agent: "Claude-User" },
      { method: "GET", path: "/mcp", status: 404, agent: "\uFFFD31mred" },
    ]);
    expect(JSON.stringify(info)).not.toContain("s3cret");
    expect(info.client?.text).toContain("read the metadata and stopped");
    const { token } = service.createToken("pro");
    await service.mcp(token, { jsonrpc: "2.0", id: 1, method: "tools/list" });
    info = await anna.get("connection");
    expect(info.requests.at(-1)).toMatchObject({ operation: "tools/list", status: 200 });
    expect(info.client).toEqual({ check: "client", level: "ok", text: "A client is connected." });
  });

  test("says after 30 seconds that nothing arrived", async () => {
    const anna = await new ConsoleClient(service).signIn("anna");
    await anna.send("POST", "connection");
    service.time.now += 29_000;
    expect((await anna.get("connection")).client).toBeNull();
    service.time.now += 1_000;
    expect((await anna.get("connection")).client?.text).toBe(
      "Nothing arrived in 30 s: the client never left its network, or calls another address. claude.ai calls port 443 only.",
    );
  });

  test("forgets the requests a minute after the last look at them", async () => {
    const anna = await new ConsoleClient(service).signIn("anna");
    await anna.get("connection");
    const before = (await anna.get("connection")).requests.length;
    service.time.now += 61_000;
    await call("/mcp");
    expect((await anna.get("connection")).requests).toHaveLength(before);
  });

  test("says what to set without a public address", async () => {
    withoutOAuth.accounts.addUser("anna", "pro", "admin");
    const anna = await new ConsoleClient(withoutOAuth).signIn("anna");
    await anna.send("POST", "connection");
    const { url, findings } = await anna.get("connection");
    expect([url, levels(findings)]).toEqual([null, ["address warning"]]);
    expect(findings[0]?.text).toContain("BOURSE_PUBLIC_URL is not set");
  });
});
