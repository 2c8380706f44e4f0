import { afterEach, describe, expect, test } from "bun:test";
import { type MetricInfo, SERVICE_METRICS } from "#service/metric-list.ts";
import { renameSync, statfsSync } from "node:fs";
import { listenForMetrics } from "#http/metrics-server.ts";
import { ConsoleClient } from "../support/console-client.ts";
import { playClient, playLiveMetrics } from "../support/live-metrics.ts";
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
  const { bavail, bsize } = statfsSync(service.folder);
  const free = samples.get("bourse_data_folder_free_bytes") ?? 0;
  // Other processes write meanwhile.
  expect(Math.abs(free / (bavail * bsize) - 1)).toBeLessThan(0.5);
  expect(samples.get("process_start_time_seconds")).toBe(START / 1000);
  expect([...samples.keys()].filter((name) => name.startsWith("bourse_build_info"))).toHaveLength(
    1,
  );
});

/** The value of a sample of the service; undefined if it has none. */
const sample = async (name: string) => samplesOf(await service.metrics.write()).get(name);

test("readiness and its warnings are described", async () => {
  const health = { downMs: 0, differs: [] as string[] };
  service = await startService({ counts: true, node: { list: () => [], health } });
  expect(await sample("bourse_ready")).toBe(1);
  for (const about of ["backups", "nodes", "sources"])
    expect(await sample(`bourse_warning{about="${about}"}`)).toBe(0);
  Object.assign(health, { downMs: 10_000, differs: ["plans"] });
  // An answer of readiness is reused for a second.
  service.time.now += 1_000;
  expect(await sample("bourse_ready")).toBe(0);
  expect(await sample('bourse_warning{about="nodes"}')).toBe(1);
  expect(await sample('bourse_warning{about="sources"}')).toBe(0);
});

test("refused sign-ins are counted by reason", async () => {
  service = await startService({ counts: true });
  const { user } = service.createToken();
  const browser = new ConsoleClient(service);
  const attempt = async (body: object) => (await browser.send("POST", "session", { body })).status;
  expect(await attempt({ key: "A".repeat(43) })).toBe(401);
  // Five attempts a minute for one user from one address.
  const statuses = [];
  for (let i = 0; i < 6; i++)
    statuses.push(await attempt({ user, password: `wrong password ${i}` }));
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  expect(await sample('bourse_sign_in_refusals_total{reason="link"}')).toBe(1);
  expect(await sample('bourse_sign_in_refusals_total{reason="password"}')).toBe(5);
  expect(await sample('bourse_sign_in_refusals_total{reason="limit"}')).toBe(1);
  // A sign-in that succeeds is no refusal.
  service.time.now += 60_000;
  await browser.signIn(user);
  expect(await sample('bourse_sign_in_refusals_total{reason="link"}')).toBe(1);
}, 600_000);

test("live tokens in use that expire within a week and were made for longer are counted, once a minute", async () => {
  service = await startService({ counts: true });
  const week = 7 * 86_400_000;
  const lifetimes = [null, 1_000, week, week + 60_000, week + 60_001];
  for (const lifetimeMs of lifetimes) {
    const { token } = service.createToken("max", lifetimeMs);
    expect((await service.request("/data/markets", token)).status).toBe(200);
    // A connector that was forgotten.
    service.createToken("max", lifetimeMs);
  }
  service.accounts.revokeToken(service.createToken("max", week + 60_000).id);
  expect(await sample("bourse_tokens_expiring")).toBe(0);
  // The count is reused for a minute.
  service.time.now += 59_999;
  expect(await sample("bourse_tokens_expiring")).toBe(0);
  service.time.now += 1;
  expect(await sample("bourse_tokens_expiring")).toBe(1);
  service.time.now += 60_000;
  expect(await sample("bourse_tokens_expiring")).toBe(2);
  service.time.now += week;
  expect(await sample("bourse_tokens_expiring")).toBe(0);
});

test("a token in use had a call within 31 days", async () => {
  service = await startService({ counts: true });
  const day = 86_400_000;
  const { token } = service.createToken("max", 40 * day);
  expect((await service.request("/data/markets", token)).status).toBe(200);
  // A month without a call, a week before its end.
  service.time.now += 34 * day;
  expect(await sample("bourse_tokens_expiring")).toBe(0);
  expect((await service.request("/data/markets", token)).status).toBe(200);
  service.time.now += 60_000;
  expect(await sample("bourse_tokens_expiring")).toBe(1);
});

test("events of the log are counted by level, also those that it leaves out", async () => {
  service = await startService({ counts: true });
  const count = (level: string) => sample(`bourse_log_lines_total{level="${level}"}`);
  const before = await count("error");
  // The log writes ten equal lines a minute.
  for (let i = 0; i < 12; i++) service.log.error("equal");
  expect(await count("error")).toBe((before ?? 0) + 12);
});

test("a data folder that was removed leaves the other metrics", async () => {
  service = await startService({ counts: true });
  renameSync(service.folder, `${service.folder}-away`);
  const samples = samplesOf(await service.metrics.write());
  renameSync(`${service.folder}-away`, service.folder);
  expect(samples.get("bourse_data_folder_free_bytes")).toBeUndefined();
  expect(samples.get("bourse_ready")).toBe(0);
});

test("a clock that is set is a shift; time that passes is none", async () => {
  service = await startService({ counts: true });
  service.time.now += 3_600_000;
  expect(await sample("bourse_clock_shift_seconds")).toBe(0);
  service.time.now -= 90_000;
  service.time.setMs -= 90_000;
  expect(await sample("bourse_clock_shift_seconds")).toBe(-90);
});

test("the newest prices are described by their session, beside the last completed one", async () => {
  service = await startService({ counts: true });
  // Before the figures of companies are computed, the newest session is unknown.
  const newest = 'bourse_newest_close_timestamp_seconds{country="JP"}';
  expect(await sample(newest)).toBeUndefined();
  await service.rollups.update();
  service.time.now += 60_000;
  // Friday, 20 November 2026 has ended in Tokyo; Monday is Labor Thanksgiving Day.
  const friday = Date.parse("2026-11-20") / 1_000;
  expect(await sample(newest)).toBe(friday);
  expect(await sample('bourse_completed_session_timestamp_seconds{country="JP"}')).toBe(friday);
  service.time.now = Date.parse("2026-11-24T23:00:00Z");
  expect(await sample('bourse_completed_session_timestamp_seconds{country="JP"}')).toBe(
    Date.parse("2026-11-24") / 1_000,
  );
  expect(await sample(newest)).toBe(friday);
}, 600_000);

const clusterSamples = async () =>
  [...samplesOf(await service.metrics.write())].filter(([name]) => name.includes("cluster"));

test("a node of a cluster describes its part", async () => {
  const health = { isLeader: true, changesBehind: 3, leases: 17, nodesAlive: 3 };
  service = await startService({ counts: true, node: { list: () => [], health } });
  expect(await clusterSamples()).toEqual([
    ["bourse_cluster_database_up", 1],
    ["bourse_cluster_leader", 1],
    ["bourse_cluster_changes_behind", 3],
    ["bourse_cluster_leases", 17],
    ["bourse_cluster_nodes", 3],
  ]);
  // Its users are in the database.
  expect(await service.metrics.write()).not.toContain("access.db");
});

test("without a cluster, nothing of it is described", async () => {
  service = await startService({ counts: true });
  expect(await clusterSamples()).toEqual([]);
});

describe("a live service", () => {
  test("describes what is overdue by the rule of the schedule", async () => {
    service = await startService({ sample: false });
    using home = openTestMarket();
    const { market } = home;
    const overdue = async (name: string, country = "US") => {
      const parts = { succeededAt: () => null, warning: () => null };
      const samples = samplesOf(await playLiveMetrics(service, { market, backups: parts }).write());
      const labels = `{kind="${name}",country="${country}"}`;
      const get = (of: string) => samples.get(`bourse_${of}_fetches${labels}`);
      return [get("scheduled"), get("overdue")];
    };
    const list = { kind: "calendarEvents", country: "US", symbol: null } as const;
    expect(await overdue("calendarEvents")).toEqual([1, 1]);
    // A calendar is due after three hours.
    market.fetches.recordSuccess("calendar", list, START - 3 * 3_600_000 + 1, 9);
    expect(await overdue("calendarEvents")).toEqual([1, 0]);
    market.fetches.recordSuccess("calendar", list, START - 3 * 3_600_000, 9);
    expect(await overdue("calendarEvents")).toEqual([1, 1]);
    // No source has an earnings calendar of Viet Nam, so nothing is scheduled.
    expect(await overdue("earningsDates", "VN")).toEqual([undefined, undefined]);
  });

  test("misses no session of a country whose prices no source keeps", async () => {
    service = await startService({ sample: false });
    using home = openTestMarket();
    const countriesOf = async (sources?: string) => {
      const backups = { succeededAt: () => null, warning: () => null };
      const parts = { market: home.market, backups, ...(sources && { sources }) };
      const names = [...samplesOf(await playLiveMetrics(service, parts).write()).keys()];
      return names.flatMap((name) => /^bourse_completed_session.*"(\w+)"/.exec(name)?.[1] ?? []);
    };
    expect(await countriesOf()).toEqual(["US", "JP", "VN"]);
    // Bars of Japan can still be imported; then no new ones are expected.
    expect(await countriesOf("nasdaq")).toEqual(["US"]);
    expect(await countriesOf("boj")).toEqual([]);
  });

  test("describes its sources, its newest records and its backups", async () => {
    service = await startService({ sample: false });
    using home = openTestMarket();
    const { market } = home;
    const key = { kind: "bars", country: "US", symbol: "AAPL" } as const;
    market.fetches.recordSuccess("nasdaq", key, START - 60_000, 250);
    market.fetches.recordSuccess("yahoo", { ...key, symbol: "MSFT" }, START, 0);
    market.fetches.recordFailure("yahoo", { ...key, country: "JP", symbol: "7203" }, START, "down");
    const metrics = playLiveMetrics(service, {
      market,
      backups: { succeededAt: () => START - 3_600_000, warning: () => "The last backup failed." },
      clients: new Map([
        ["sec", playClient(START + 1)],
        ["yahoo", playClient(0)],
      ]),
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

test("every declared metric is written by some service, with the declared labels", async () => {
  service = await startService({ counts: true });
  const { token } = service.createToken();
  await (await service.request("/data/markets", token)).text();
  await service.rollups.update();
  const { market } = service;
  market.fetches.recordSuccess("nasdaq", { kind: "bars", country: "US", symbol: "AAPL" }, START, 1);
  const backups = { succeededAt: () => START, warning: () => null };
  const node = { list: () => [] };
  const text = [
    await service.metrics.write(),
    await playLiveMetrics(service, { market, backups, node }).write(),
  ].join("\n");
  for (const [name, { type, labels = [] }] of Object.entries<MetricInfo>(SERVICE_METRICS)) {
    const suffix = type === "histogram" ? "_count" : "";
    const found = new RegExp(`^${name}${suffix}(?:\\{(.*)\\})? `, "m").exec(text);
    expect([name, found !== null]).toEqual([name, true]);
    const written = [...(found?.[1] ?? "").matchAll(/(\w+)="/g)].map(([, label]) => label ?? "");
    expect([name, written]).toEqual([name, [...labels]]);
  }
}, 600_000);
