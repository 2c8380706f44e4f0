import { afterAll, expect, test } from "bun:test";
import { openFolder } from "../support/access.ts";
import { endChildren, findFreePort } from "../support/child-process.ts";
import { createSmallSample } from "../support/contract-market.ts";
import { samplesOf } from "../support/prometheus.ts";
import { spawnServe } from "../support/serve-process.ts";

afterAll(endChildren);

test("serve answers health checks, serves metrics and writes the access log", async () => {
  using folder = openFolder();
  createSmallSample(folder.path, Date.now());
  const port = await findFreePort();
  const flags = ["--metrics", `127.0.0.1:${port}`, "--access-log", "json"];
  const service = await spawnServe(folder.path, { flags });
  await service.isReady();
  const start = performance.now();
  expect((await service.get("/data/stocks/AAPL/overview?country=US")).status).toBe(200);
  const elapsed = (performance.now() - start) / 1_000;
  const scrape = await fetch(`http://127.0.0.1:${port}/metrics`);
  const samples = samplesOf(await scrape.text());
  const labels = '{interface="rest",operation="get_stock_overview"';
  expect(samples.get(`bourse_http_requests_total${labels},status="200"}`)).toBe(1);
  // In seconds, and in fractions of milliseconds: a part of the time that passed here.
  const seconds = samples.get(`bourse_http_request_duration_seconds_sum${labels}}`) ?? 0;
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThan(elapsed);
  expect(await service.stop()).toBe(0);
  const line =
    service
      .stderr()
      .split("\n")
      .find((one) => one.includes('"level":"access"')) ?? "";
  expect(JSON.parse(line)).toMatchObject({
    operation: "get_stock_overview",
    status: 200,
    token: 1,
  });
  expect(service.stderr()).not.toContain(service.ownersToken);
}, 600_000);
