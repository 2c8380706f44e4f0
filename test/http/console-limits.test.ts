import { expect, test } from "bun:test";
import { CONSOLE_READS } from "#access/plans.ts";
import { ENDPOINTS } from "#http/console-api.ts";
import { ConsoleClient } from "../support/console-client.ts";
import { startHandMade } from "../support/contract-exchange.ts";
import { samplesOf } from "../support/prometheus.ts";
import { startService } from "../support/service.ts";

test("data in the console is limited by user and plan in each hour, over all sessions", async () => {
  const service = await startService({ sample: false });
  service.accounts.addUser("owner", "unlimited");
  service.accounts.addUser("anna", "free");
  const [first, second] = [
    await new ConsoleClient(service).signIn("anna"),
    await new ConsoleClient(service).signIn("anna"),
  ];
  const owner = await new ConsoleClient(service).signIn("owner");
  const statusOf = async (client: ConsoleClient, path = "data/get_markets") => {
    const response = await client.send("GET", path);
    await response.arrayBuffer();
    return response.status;
  };
  const read = async (client: ConsoleClient, count: number) => {
    for (let i = 0; i < count; i++) {
      // 600 requests a minute are a limit of their own.
      if (i % 300 === 0) service.time.now += 60_000;
      expect(await statusOf(client)).toBe(200);
    }
  };
  await read(first, 600);
  await read(second, CONSOLE_READS.free - 600);
  for (const client of [first, second]) {
    const refused = await client.send("GET", "data/get_markets");
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain(
      "1000 answers with data an hour in the console on plan free",
    );
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(60);
  }
  // Other endpoints run operations, too.
  for (const path of [
    "macro-lines?country=US",
    "indicator-lines?country=US&symbol=AAPL",
    "distribution?country=US&metrics=pe",
  ])
    expect([path, await statusOf(first, path)]).toEqual([path, 429]);
  // Other pages and other users go on.
  expect([await statusOf(first, "me"), await statusOf(owner)]).toEqual([200, 200]);
  service.time.now += 3_600_000;
  expect(await statusOf(first)).toBe(200);
  await service.stop();
}, 600_000);

/** A query for each endpoint that reads the market; an endpoint without one fails the test. */
const QUERIES: Readonly<Record<string, string>> = {
  "data/:operation": "data/get_markets",
  "macro-lines": "macro-lines?country=US",
  "indicator-lines": "indicator-lines?country=US&symbol=AAPL",
  distribution: "distribution?country=US&metrics=pe",
  "alert-check": "alert-check?watch=US:AAPL&when=price%3C380",
};

test("the console counts each operation that an endpoint runs, and the others run none", async () => {
  const { service } = await startHandMade({ counts: true, oneNode: true });
  service.accounts.addUser("anna", "free");
  service.accounts.addUser("owner", "max");
  const client = await new ConsoleClient(service).signIn("anna");
  const owner = await new ConsoleClient(service).signIn("owner");
  const executed = async () => {
    const samples = samplesOf(await service.metrics.write());
    return ["hit", "miss"].reduce(
      (sum, one) => sum + (samples.get(`bourse_cache_requests_total{result="${one}"}`) ?? 0),
      0,
    );
  };
  const runs = new Map<string, number>();
  for (const { readsMarket, method, path } of ENDPOINTS) {
    const before = Number(await executed());
    // A stream has no end.
    if (path === "changes") continue;
    const query = readsMarket ? QUERIES[path] : path.replaceAll(/:\w+/g, "1");
    expect([path, query]).not.toContain(undefined);
    const who = readsMarket ? client : owner;
    const response = await who.send(method, query ?? "", method === "GET" ? {} : { body: {} });
    if (readsMarket) expect([path, response.status]).toEqual([path, 200]);
    await response.arrayBuffer();
    // Some of them end the session.
    if (owner.cookie === "") await owner.signIn("owner");
    runs.set(`${method} ${path}`, Number(await executed()) - before);
    service.time.now += 3_000;
  }
  const market = ENDPOINTS.filter(({ readsMarket }) => readsMarket).map((one) => `GET ${one.path}`);
  expect([...runs].filter(([, count]) => count > 0).map(([name]) => name)).toEqual(market);
  expect(runs.get("GET macro-lines")).toBeGreaterThan(2);
  let left = 0;
  while ((await client.send("GET", "data/get_markets")).status === 200) {
    left++;
    // 600 requests a minute are a limit of their own.
    if (left % 300 === 0) service.time.now += 60_000;
  }
  const counted = market.reduce((sum, name) => sum + (runs.get(name) ?? 0), 0);
  expect(left).toBe(CONSOLE_READS.free - counted);
  await service.stop();
}, 600_000);

test("the requests of a user are limited over all sessions", async () => {
  const service = await startService({ sample: false });
  service.accounts.addUser("owner", "max");
  const clients = [
    await new ConsoleClient(service).signIn("owner"),
    await new ConsoleClient(service).signIn("owner"),
  ];
  for (let i = 0; i < 600; i++) expect((await clients[i % 2]?.send("GET", "me"))?.status).toBe(200);
  for (const client of clients) expect((await client.send("GET", "me")).status).toBe(429);
  await service.stop();
}, 600_000);

test("a person who opens too many pages reads a page, a script JSON", async () => {
  const service = await startService({ sample: false, gatePerMinute: 3 });
  const open = (accept: string) =>
    fetch(`${service.origin}/console/US/AAPL`, { headers: { accept } });
  for (let i = 0; i < 3; i++) expect((await open("text/html,*/*;q=0.8")).status).toBe(200);
  const page = await open("text/html,*/*;q=0.8");
  expect([page.status, page.headers.get("content-type")]).toEqual([
    429,
    "text/html; charset=utf-8",
  ]);
  const seconds = Number(page.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(0);
  const text = await page.text();
  expect(text).toContain(
    `<p>Rate limit exceeded: 3 requests a minute from one address. Retry after ${seconds} s.</p>`,
  );
  // The browser loads it again by itself.
  expect(text).toContain(`<meta http-equiv="refresh" content="${seconds}">`);
  const script = await open("*/*");
  expect([script.status, script.headers.get("content-type")]).toEqual([429, "application/json"]);
  // Outside the console as well, but not in the API, whose errors are JSON for everyone.
  for (const [path, type] of [
    ["/", "text/html; charset=utf-8"],
    ["/docs", "text/html; charset=utf-8"],
    ["/docs/rest", "text/html; charset=utf-8"],
    ["/api/v1/svc/openapi.json", "application/json"],
  ]) {
    const answer = await fetch(service.origin + path, { headers: { accept: "text/html" } });
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 429, type]);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  await service.stop();
});
