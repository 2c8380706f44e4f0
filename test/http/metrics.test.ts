import { afterEach, describe, expect, test } from "bun:test";
import { ServiceMetrics } from "#cli/metrics.ts";
import { listenForMetrics } from "#http/metrics-server.ts";
import type { StatefulSourceClient } from "#sources/source-client.ts";
import { openFolder } from "../support/access.ts";
import { openTestMarket } from "../support/market.ts";
import { samplesOf } from "../support/prometheus.ts";
import { START, startService, type TestService } from "../support/service.ts";

let service: TestService;
afterEach(() => service.stop());

const requests = (via: string, operation: string, status: number) =>
  `bourse_http_requests_total{interface="${via}",operation="${operation}",status="${status}"}`;

describe("requests are counted by interface, operation and status", () => {
  test("over REST", async () => {
    service = await startService({ counts: true });
    const { token } = service.createToken();
    const overview = "/data/stocks/AAPL/overview";
    for (const [path, bearer, init] of [
      [`${overview}?country=US`, token, {}],
      // The second time the URL is known.
      [`${overview}?country=US`, token, {}],
      [`${overview}?country=XX`, token, {}],
      [`${overview}?country=US`, null, {}],
      ["/data/stocks/NONE/overview?country=US", token, {}],
      [`${overview}?country=US`, token, { method: "POST" }],
      ["/data/nothing", token, {}],
      ["/openapi.json", null, {}],
    ] as const)
      await (await service.request(path, bearer, init)).text();
    const samples = samplesOf(await service.metrics.write());
    const expected = {
      [requests("rest", "get_stock_overview", 200)]: 2,
      [requests("rest", "get_stock_overview", 400)]: 1,
      [requests("rest", "get_stock_overview", 401)]: 1,
      [requests("rest", "get_stock_overview", 404)]: 1,
      [requests("rest", "openapi", 200)]: 1,
      [requests("other", "", 405)]: 1,
      [requests("other", "", 404)]: 1,
    };
    const counted = [...samples].filter(([name]) => name.startsWith("bourse_http_requests_total"));
    expect(Object.fromEntries(counted)).toEqual(expected);
    // The wrong country was refused before the cache; a handler searched for the unknown symbol.
    expect(samples.get('bourse_cache_requests_total{result="miss"}')).toBe(2);
    expect(samples.get('bourse_cache_requests_total{result="hit"}')).toBe(1);
    // Five requests of the operation reached it.
    const labels = '{interface="rest",operation="get_stock_overview"';
    const durations = "bourse_http_request_duration_seconds";
    expect(samples.get(`${durations}_count${labels}}`)).toBe(5);
    expect(samples.get(`${durations}_bucket${labels},le="+Inf"}`)).toBe(5);
  });

  test("over MCP by the tool or the method, and never by the client's own text", async () => {
    service = await startService({ counts: true });
    const { token } = service.createToken();
    const call = { country: "US", symbol: "AAPL" };
    await service.callTool(token, "get_stock_overview", call);
    await service.callTool(token, "get_stock_overview", call);
    await service.callTool(token, "evil\ntool", {});
    for (const method of ["ping", "tools/list", "evil"])
      await (await service.mcp(token, { jsonrpc: "2.0", id: 1, method })).text();
    await service.mcp(token, { jsonrpc: "2.0", method: "notifications/initialized" });
    await service.mcp(token, "no json");
    await service.mcp(null, "{}");
    const samples = samplesOf(await service.metrics.write());
    const counted = [...samples].filter(([name]) => name.startsWith("bourse_http_requests_total"));
    expect(Object.fromEntries(counted)).toEqual({
      [requests("mcp", "get_stock_overview", 200)]: 2,
      [requests("mcp", "unknown", 200)]: 2,
      [requests("mcp", "ping", 200)]: 1,
      [requests("mcp", "tools/list", 200)]: 1,
      [requests("mcp", "notification", 202)]: 1,
      [requests("mcp", "invalid", 400)]: 1,
      [requests("mcp", "", 401)]: 1,
    });
  });

  test("with a bounded number of series, whatever clients send", async () => {
    service = await startService({ counts: true });
    const { token } = service.createToken();
    const send = async (round: number) => {
      for (let i = 0; i < 20; i++) {
        const text = `x${round}y${i}`;
        await service.request(`/data/stocks/${text}/overview?country=US`, token);
        await service.request(`/${text}?${text}=${text}`, token);
        await service.callTool(token, text, {});
      }
    };
    await send(1);
    const first = await service.metrics.write();
    await send(2);
    const second = await service.metrics.write();
    expect([...samplesOf(second).keys()]).toEqual([...samplesOf(first).keys()]);
    expect(second).not.toMatch(/x\dy\d/);
    expect(second).not.toContain(token);
  });

  test("with the console and health checks apart", async () => {
    service = await startService({ counts: true });
    const root = new URL(service.base).origin;
    for (const path of ["/health", "/health/ready", "/console/api/service"])
      await (await fetch(root + path)).text();
    const samples = samplesOf(await service.metrics.write());
    expect(samples.get(requests("health", "", 200))).toBe(2);
    expect(samples.get(requests("console", "", 200))).toBe(1);
  });
});

test("calls over the quota and requests over the gate are counted", async () => {
  service = await startService({ counts: true, gatePerMinute: 32 });
  const { token } = service.createToken("free");
  // Plan free allows 30 calls an hour; the gate of this test allows 32 requests a minute.
  for (let i = 0; i < 35; i++) await service.request("/data/markets", token);
  const samples = samplesOf(await service.metrics.write());
  expect(samples.get('bourse_quota_denials_total{plan="free"}')).toBe(2);
  expect(samples.get('bourse_quota_denials_total{plan="max"}')).toBe(0);
  expect(samples.get("bourse_gate_refusals_total")).toBe(3);
  expect(samples.get(requests("rest", "get_markets", 200))).toBe(30);
  expect(samples.get(requests("rest", "get_markets", 429))).toBe(2);
  expect(samples.get(requests("other", "", 429))).toBe(3);
});

test("process, files and version are described", async () => {
  service = await startService({ counts: true });
  const samples = samplesOf(await service.metrics.write());
  // The sample market has 90 MB; the process has more memory than an empty one.
  expect(samples.get('bourse_database_bytes{file="market.db"}')).toBeGreaterThan(10_000_000);
  expect(samples.get("process_resident_memory_bytes")).toBeGreaterThan(20_000_000);
  expect(samples.get("process_cpu_seconds_total")).toBeGreaterThan(0);
  expect(samples.get("process_start_time_seconds")).toBe(START / 1000);
  expect([...samples.keys()].filter((name) => name.startsWith("bourse_build_info"))).toHaveLength(
    1,
  );
});

const clusterSamples = async () =>
  [...samplesOf(await service.metrics.write())].filter(([name]) => name.includes("cluster"));

test("a node of a cluster describes its part", async () => {
  const health = { isLeader: true, changesBehind: 3, leases: 17 };
  service = await startService({ counts: true, node: { list: () => [], health } });
  expect(await clusterSamples()).toEqual([
    ["bourse_cluster_database_up", 1],
    ["bourse_cluster_leader", 1],
    ["bourse_cluster_changes_behind", 3],
    ["bourse_cluster_leases", 17],
  ]);
  // Its users are in the database.
  expect(await service.metrics.write()).not.toContain("access.db");
});

test("without a cluster, nothing of it is described", async () => {
  service = await startService({ counts: true });
  expect(await clusterSamples()).toEqual([]);
});

describe("a live service", () => {
  test("describes its sources, its newest records and its backups", async () => {
    service = await startService({ sample: false });
    using folder = openFolder();
    using home = openTestMarket();
    const { market } = home;
    const key = { kind: "bars", country: "US", symbol: "AAPL" } as const;
    market.fetches.recordSuccess("nasdaq", key, START - 60_000, 250);
    market.fetches.recordSuccess("yahoo", { ...key, symbol: "MSFT" }, START, 0);
    market.fetches.recordFailure("yahoo", { ...key, country: "JP", symbol: "7203" }, START, "down");
    const client = (blockedUntil: number): StatefulSourceClient => ({
      counts: { answered: 5, failed: 2 },
      unusable: 1,
      blockedUntil,
      key: null,
      probe() {
        return this;
      },
      reportAnswer() {},
      request: () => Promise.reject(new Error("not called")),
    });
    const metrics = new ServiceMetrics({
      dataFolder: folder.path,
      market,
      backups: { succeededAt: () => START - 3_600_000, warning: () => "The last backup failed." },
      live: {
        clients: new Map([
          ["sec", client(START + 1)],
          ["yahoo", client(0)],
        ]),
      },
      node: null,
      clock: () => START,
      stopwatch: () => 0,
    });
    const samples = samplesOf(await metrics.write());
    expect(samples.get('bourse_source_requests_total{source="sec",result="failed"}')).toBe(2);
    // A request with an unusable answer is one of the five that were answered.
    expect(samples.get('bourse_source_requests_total{source="sec",result="answered"}')).toBe(5);
    expect(samples.get('bourse_source_unusable_answers_total{source="sec"}')).toBe(1);
    expect(samples.get('bourse_source_blocked{source="sec"}')).toBe(1);
    expect(samples.get('bourse_source_blocked{source="yahoo"}')).toBe(0);
    // A fetch without records does not make the newest record younger, and Japan has none.
    const newest = [...samples].filter(([name]) => name.startsWith("bourse_newest_record"));
    expect(newest).toEqual([
      ['bourse_newest_record_timestamp_seconds{kind="bars",country="US"}', START / 1000 - 60],
    ]);
    expect(samples.get("bourse_backup_last_success_timestamp_seconds")).toBe(START / 1000 - 3_600);
    expect(samples.get("bourse_backup_needs_attention")).toBe(1);
  });
});

test("the metrics have an address of their own, which answers GET and HEAD of /metrics only", async () => {
  service = await startService({ counts: true });
  const server = listenForMetrics(() => service.metrics.write(), { host: "127.0.0.1", port: 0 });
  const root = `http://127.0.0.1:${server.port}`;
  const answer = await fetch(`${root}/metrics`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(await answer.text()).toContain("# TYPE process_start_time_seconds gauge\n");
  expect((await fetch(`${root}/metrics`, { method: "HEAD" })).status).toBe(200);
  const post = await fetch(`${root}/metrics`, { method: "POST" });
  expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  expect((await fetch(`${root}/`)).status).toBe(404);
  // A page of another site can point its own name at this address.
  const statusOf = async (host: string) =>
    (await fetch(`${root}/metrics`, { headers: { host } })).status;
  for (const host of ["localhost:9787", "bourse:9787", "127.0.0.1", "[::1]:9787", "10.1.2.3:1"])
    expect([host, await statusOf(host)]).toEqual([host, 200]);
  for (const host of ["evil.example", "evil.example:9787", "127.0.0.1.evil.example"])
    expect([host, await statusOf(host)]).toEqual([host, 403]);
  await server.stop(true);
  // The service itself does not serve them.
  expect((await fetch(`${new URL(service.base).origin}/metrics`)).status).toBe(404);
});
