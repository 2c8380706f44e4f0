import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { listenForMetrics } from "#http/metrics-server.ts";
import { endChildren, resultOf, spawnChild } from "./support/child-process.ts";
import { playLiveMetrics } from "./support/live-metrics.ts";
import { START, startService, temporaryFolder } from "./support/service.ts";

// Not part of the suite (no .test in its name): it needs the programs `promtool` and `prometheus`.

const { folder, remove } = temporaryFolder();

const service = await startService({ counts: true });
const metrics = listenForMetrics(() => service.metrics.write(), { host: "127.0.0.1", port: 0 });
const { token } = service.createToken();
for (const bearer of [token, token, null])
  await service.request("/data/stocks/AAPL/overview?country=US", bearer);
await service.callTool(token, "get_markets", {});
service.metrics.watchEventLoop()();

afterAll(async () => {
  await endChildren();
  await metrics.stop(true);
  await service.stop();
  remove();
});

async function checkMetrics(text: string): Promise<void> {
  const child = spawnChild(["promtool", "check", "metrics"], {
    stdin: new Blob([text]),
    stdout: "pipe",
    stderr: "pipe",
  });
  // It also prints advice on names, with exit code 3.
  expect(await resultOf(child)).toEqual({ code: 0, stdout: "", stderr: "" });
}

test("promtool finds no fault in the metrics of a service", async () => {
  const text = await (await fetch(`http://127.0.0.1:${metrics.port}/metrics`)).text();
  expect(text).toContain("bourse_http_requests_total{");
  await checkMetrics(text);
});

test("promtool finds no fault in the metrics of a live service", async () => {
  const { market } = service;
  const key = { kind: "bars", country: "US", symbol: "AAPL" } as const;
  market.fetches.recordSuccess("nasdaq", key, START, 250);
  const live = playLiveMetrics(service, {
    market,
    backups: { succeededAt: () => START, warning: () => null },
    node: { list: () => [], health: { leases: 17 } },
  });
  const text = await live.write();
  for (const name of [
    "source_requests_total",
    "newest_record",
    "backup_last_success",
    "cluster_leases",
  ])
    expect(text).toContain(`bourse_${name}`);
  await checkMetrics(text);
});

test("Prometheus scrapes them", async () => {
  const config = join(folder, "prometheus.yml");
  await Bun.write(
    config,
    `scrape_configs:
  - job_name: bourse
    scrape_interval: 1s
    static_configs: [{ targets: ["127.0.0.1:${metrics.port}"] }]
`,
  );
  const probe = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = probe;
  await probe.stop(true);
  spawnChild(
    [
      "prometheus",
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdout: "ignore", stderr: "ignore" },
  );
  const query = encodeURIComponent("bourse_http_requests_total");
  const answer = `http://127.0.0.1:${port}/api/v1/query?query=${query}`;
  let found: { metric: Record<string, string>; value: [number, string] }[] = [];
  // It scrapes every second, after its own start.
  for (let tries = 0; found.length === 0 && tries < 300; tries++) {
    await Bun.sleep(100);
    const response = await fetch(answer).catch(() => null);
    if (!response?.ok) continue;
    const body = (await response.json()) as { data: { result: typeof found } };
    found = body.data.result;
  }
  const counts = found.map(({ metric, value }) =>
    [metric["interface"], metric["operation"], metric["status"], value[1]].join(" "),
  );
  expect(counts.toSorted()).toEqual([
    "mcp get_markets 200 1",
    "rest get_stock_overview 200 2",
    "rest get_stock_overview 401 1",
  ]);
}, 600_000);

// After the scrape, whose counters would have this call.
test("promtool finds no fault in the figures of a market", async () => {
  const { link } = service.createFeedLink();
  const symbols = encodeURIComponent('AAPL,7203.T,^GSPC,JPY=X,NONE1,NO"NE\\');
  const url = `${service.origin}/feed/${link}/metrics?symbols=${symbols}`;
  const text = await (await fetch(url)).text();
  expect(text).toContain('bourse_symbol_unknown{symbol="NONE1"} 1');
  await checkMetrics(text);
});
