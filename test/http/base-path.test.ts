import { afterAll, describe, expect, test } from "bun:test";
import { addBase, serveBelow } from "#http/service-address.ts";
import { ConsoleClient, cookieOf, createKey } from "../support/console-client.ts";
import { startProxy } from "../support/played-proxy.ts";
import { startService } from "../support/service.ts";

const PUBLIC_URL = "https://home.example/bourse";
const HOST = { host: "home.example" };
const service = await startService({ env: { BOURSE_PUBLIC_URL: PUBLIC_URL } });
service.accounts.addUser("owner", "unlimited");
/** A proxy that removes the path, as `handle_path` of Caddy and `StripPrefix` of Traefik do. */
const stripping = startProxy({ isPlain: true, path: (path) => path.replace("/bourse", "") });
stripping.origin = service.origin;
afterAll(() => Promise.all([service.stop(), stripping.stop()]));

const PROXIES = [
  ["that keeps the path", service.origin],
  ["that removes the path", `http://127.0.0.1:${stripping.port}`],
] as const;

const get = (origin: string, path: string, headers: Record<string, string> = {}) =>
  fetch(origin + path, { headers: { ...HOST, ...headers }, redirect: "manual" });

/** The addresses in a page or a script that begin with a slash. */
const addressesIn = (text: string) => [
  ...[...text.matchAll(/ (?:href|src|action)="(\/[^"]*)"/g)].map(([, address = ""]) => address),
  ...(text.match(/(?<=["'`(])\/(?:bourse\/)?chunk-\w+\.(?:js|css)/g) ?? []),
];

describe.each(PROXIES)("below a path, behind a proxy %s", (_, origin) => {
  test("every file of the console names the others below the path", async () => {
    const page = await get(origin, "/bourse/console/screen", { accept: "text/html" });
    const html = await page.text();
    expect(html).toContain('<html data-base="/bourse"');
    const seen = new Set<string>();
    const queue = addressesIn(html);
    for (const address of queue) {
      expect(address).toStartWith("/bourse/");
      if (seen.has(address)) continue;
      seen.add(address);
      const file = await get(origin, address);
      expect([address, file.status]).toEqual([address, 200]);
      queue.push(...addressesIn(await file.text()));
    }
    expect(seen.size).toBeGreaterThan(30);
  });

  test.each([["/docs"], ["/docs?q=token"], ["/docs/users"], ["/docs/unknown"], ["/docs/users.md"]])(
    "%s links only below the path",
    async (path) => {
      const text = await (await get(origin, `/bourse${path}`)).text();
      const links = [...addressesIn(text), ...(text.match(/(?<=\]\()\/[^)]*/g) ?? [])];
      expect(links.length).toBeGreaterThan(0);
      expect(links.filter((one) => !one.startsWith("/bourse/"))).toEqual([]);
    },
  );

  test.each([
    ["/bourse", "/bourse/console"],
    ["/bourse/", "/bourse/console"],
    ["/bourse/console/api-reference", "/bourse/docs/examples"],
    ["/bourse/oauth/authorize?a=1", "/bourse/console/connect?a=1"],
  ])("%s leads to %s", async (path, to) => {
    const response = await get(origin, path, { accept: "text/html" });
    expect(response.headers.get("location")?.replace("https://home.example", "")).toBe(to);
  });

  test("addresses in documents and headers are whole", async () => {
    const { token } = service.createToken();
    const bearer = { authorization: `Bearer ${token}` };
    const api = "/bourse/api/v1/svc";
    const openapi = await (await get(origin, `${api}/openapi.json`)).json();
    expect(openapi).toMatchObject({ servers: [{ url: expect.stringContaining(PUBLIC_URL) }] });
    const csv = await get(
      origin,
      `${api}/data/stocks/screen?country=US&format=csv&limit=5`,
      bearer,
    );
    expect(csv.headers.get("link")).toStartWith(`<${api}/data/`);
    const unknown = await (await get(origin, `${api}/nosuch`)).text();
    expect(unknown).toContain(`${api}/openapi.json describes`);
    const mcp = await fetch(`${origin}${api}/mcp`, { method: "POST", headers: HOST });
    expect(mcp.headers.get("www-authenticate")).toContain(
      `resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource/api/v1/svc/mcp"`,
    );
    const card = await (await get(origin, "/bourse/.well-known/mcp/server-card.json")).text();
    expect(card).toContain(`"${PUBLIC_URL}/api/v1/svc/mcp"`);
    expect(card).not.toContain("home.example/api");
  });

  test.each([
    [`/.well-known/oauth-authorization-server/bourse`, "issuer", PUBLIC_URL],
    [`/bourse/.well-known/oauth-authorization-server`, "issuer", PUBLIC_URL],
    [
      "/.well-known/oauth-protected-resource/bourse/api/v1/svc/mcp",
      "resource",
      `${PUBLIC_URL}/api/v1/svc/mcp`,
    ],
  ])("%s has the %s", async (path, name, value) => {
    const metadata = await (await get(origin, path)).json();
    expect(metadata).toMatchObject({ [name]: value });
    const addresses = JSON.stringify(metadata).match(/https:\/\/home\.example[^"]*/g) ?? [];
    expect(addresses.filter((one) => !one.startsWith(PUBLIC_URL))).toEqual([]);
  });

  test("an error is a page that leads to the console", async () => {
    const page = await get(origin, "/bourse/console", {
      host: "evil.example",
      accept: "text/html",
    });
    expect(await page.text()).toContain('href="/bourse/console"');
  });
});

test("a body arrives, and its request ends with the connection", async () => {
  const ended = Promise.withResolvers<string>();
  const app = serveBelow(async (request) => {
    expect(request.url).toEndWith("/echo?a=/bourse");
    request.signal.addEventListener("abort", () => ended.resolve("ended"));
    if (request.method === "GET") await ended.promise;
    return new Response(await request.text());
  }, "/bourse");
  using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: app });
  const url = `http://127.0.0.1:${server.port}/bourse/echo?a=/bourse`;
  expect(await (await fetch(url, { method: "POST", body: "text" })).text()).toBe("text");
  const leaving = new AbortController();
  const left = fetch(url, { signal: leaving.signal }).catch(() => "left");
  setTimeout(() => leaving.abort(), 50);
  expect([await left, await ended.promise]).toEqual(["left", "ended"]);
});

test("the cookie of plain http is for the path, and the gate knows the address", async () => {
  const plain = await startService({
    sample: false,
    gatePerMinute: 3,
    env: { BOURSE_PUBLIC_URL: "http://nas.example/bourse" },
  });
  plain.accounts.addUser("owner", "max");
  const client = new ConsoleClient(plain);
  const response = await client.send("POST", "session", {
    body: { key: createKey(plain, "owner") },
  });
  expect(cookieOf(response).attributes).toContain("Path=/bourse/console;");
  await client.send("GET", "me");
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++)
    statuses.push((await fetch(`${plain.origin}/bourse/api/v1/svc/data/markets`)).status);
  expect(statuses.slice(-2)).toEqual([429, 429]);
  await plain.stop();
});

test("a host can have two services, each with a session of the same browser", async () => {
  const client = new ConsoleClient(service);
  const response = await client.send("POST", "session", {
    body: { key: createKey(service, "owner") },
    headers: { ...HOST, origin: "https://home.example" },
  });
  expect(cookieOf(response).pair).toMatch(/^__Host-bourse\.bourse=[\w-]{43}$/);
  const neighbour = `__Host-bourse=${"x".repeat(43)}`;
  const me = await client.send("GET", "me", {
    headers: { ...HOST, cookie: `${neighbour}; ${cookieOf(response).pair}` },
  });
  expect(await me.json()).toMatchObject({ user: "owner" });
});

test("a path that only begins like the base is another one", async () => {
  expect((await get(service.origin, "/boursex/console")).status).toBe(404);
  expect((await get(service.origin, "/x/bourse/console")).status).toBe(404);
  // The machine's own programs may leave the path out.
  expect((await get(service.origin, "/health")).status).toBe(200);
  expect((await get(service.origin, "/bourse/health")).status).toBe(200);
});

test("the metadata of OAuth is between the host and the path", () => {
  expect(addBase("/.well-known/oauth-protected-resource/mcp", "/a/b")).toBe(
    "/.well-known/oauth-protected-resource/a/b/mcp",
  );
  expect(addBase("/console", "/a/b")).toBe("/a/b/console");
});
