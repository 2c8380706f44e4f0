import { afterAll, describe, expect, test } from "bun:test";
import { FEED_LAYERS } from "#feeds/index.ts";
import { expectFailure } from "../support/feeds.ts";
import { startService } from "../support/service.ts";

const NEVER = new Promise<never>(() => {});
const service = await startService();
const slow = await startService({ onRequest: () => NEVER, answerMs: 1 });
const gated = await startService({ gatePerMinute: 1 });
afterAll(() => Promise.all([service, slow, gated].map((one) => one.stop())));

const { link } = service.createFeedLink();

const get = (path: string, init: RequestInit = {}, at = service) =>
  fetch(`${at.origin}/feed/${path}`, init);

describe.each(FEED_LAYERS.map((layer) => [layer.name, layer] as const))("%s", (name, layer) => {
  const [route = ""] = Object.keys(layer.routes);
  const path = route.slice(1).replaceAll(/:\w+/g, "AAPL");

  test("without a link, and with a revoked one, is 401 in its form", async () => {
    await expectFailure(layer, await get(`${name}/${path}`), "missing_auth", path);
    const revoked = service.createFeedLink();
    service.accounts.revokeToken(revoked.id);
    const response = await get(`${revoked.link}/${name}/${path}`);
    expect(await expectFailure(layer, response, "invalid_token", path)).toContain("revoked");
  });

  test("has no unknown path, names its own, and counts the call", async () => {
    const response = await get(`${link}/${name}/no/such/path/here`);
    const text = await expectFailure(layer, response, "not_found");
    expect(text).toContain(route);
    expect(response.headers.has("x-ratelimit-remaining")).toBe(true);
  });

  test("refuses other methods and large bodies in its form; HEAD has no body", async () => {
    const put = await get(`${link}/${name}/${path}`, { method: "PUT", body: "{}" });
    expect(put.headers.get("allow")).toContain("GET");
    await expectFailure(layer, put, "method_not_allowed", path);
    for (const [post, at] of Object.keys(layer.posts ?? {}).map(
      (one) => [one, one.slice(1)] as const,
    )) {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify("x".repeat(70_000));
      const large = await get(`${link}/${name}${post}`, { method: "POST", headers, body });
      await expectFailure(layer, large, "payload_too_large", at);
      const read = await get(`${link}/${name}${post}`);
      expect([read.status, read.headers.get("allow")]).toEqual([405, "POST"]);
    }
    const head = await get(`${link}/${name}/no/such`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([404, ""]);
  });

  test("an error of the client is no failure of the service, and stays in a comment of a price file", async () => {
    const put = await get(`${link}/${name}/${path}`, { method: "PUT", body: "{}" });
    expect(await put.text()).not.toContain("Internal Server Error");
    const lines = await get(`${link}/${name}/${path}?symbols=NOPE%0Ainclude%20x&tickers=A%0AB`);
    if (name === "prices") expect(await lines.text()).toMatch(/^; .*NOPE INCLUDE X.*\n$/);
  });

  test("a used-up quota is 429 in its form, with the headers of the quota", async () => {
    const free = service.createFeedLink("free").link;
    for (let i = 0; i < 30; i++) await get(`${free}/${name}/unknown`);
    const response = await get(`${free}/${name}/${path}`);
    await expectFailure(layer, response, "rate_limited", path);
    expect(response.headers.get("x-ratelimit-limit")).toBe("100");
    expect(response.headers.get("ratelimit")).toContain('"hourly";r=0');
  });

  test("the gate by address is 429 in its form", async () => {
    await get("", {}, gated);
    const response = await get(`${name}/${path}`, {}, gated);
    await expectFailure(layer, response, "rate_limited", path);
    expect(response.headers.get("x-ratelimit-limit")).toBe("1");
  });

  // The messages of alerts have no source.
  test.skipIf(name === "alerts.atom")(
    "an answer that its source delays is 503 in its form",
    async () => {
      const { link: token } = slow.createFeedLink();
      const query =
        "symbol=AAPL&symbols=AAPL&ticker=AAPL&tickers=AAPL&query=AAPL&function=GLOBAL_QUOTE";
      const statuses = new Set<number>();
      for (const one of Object.keys(layer.routes)) {
        const at = one.slice(1).replaceAll(/:\w+/g, "AAPL");
        const response = await get(`${token}/${name}/${at}?${query}`, {}, slow);
        statuses.add(response.status);
        if (response.status === 503) await expectFailure(layer, response, "unavailable", at);
      }
      expect([...statuses]).toContain(503);
    },
  );
});

describe("errors name the layer's parameters, and no operation", () => {
  test.each([
    [
      "sheets/quotes.csv?symbols=AAPL&fields=nothing",
      'fields names "nothing", which is not a metric. Usual ones are price,',
    ],
    ["sheets/value?symbol=AAPL&field=nothing", "field names"],
    [
      "yahoo/v8/finance/chart/AAPL?period1=1700000000&period2=1600000000",
      "period1 must not be after period2:",
    ],
    ["tiingo/tiingo/daily/AAPL/prices?startDate=yesterdayish", "startDate must be a date"],
    ["tiingo/tiingo/daily/AAPL/prices?endDate=2020-31-31", "endDate must be a date"],
    ["twelvedata/time_series?symbol=AAPL&start_date=x&interval=1day", "start_date must be a date"],
    ["udf/history?symbol=AAPL&currencyCode=ZZZ", "currencyCode must be one of"],
    ["udf/search?query=AAPL&exchange=ZZ", "exchange must be one of"],
    ["yahoo/v8/finance/chart/AAPL,MSFT", "symbol must be one symbol"],
    ["eodhd/api/eod/%20", "symbol must be one symbol"],
    ["eodhd/api/eod/list:held", "symbol must be one symbol"],
    ["sheets/history.csv?symbol=NONE1", "Not found in US, JP or VN."],
  ])("%s", async (path, words) => {
    const text = await (await get(`${link}/${path}`)).text();
    expect(text).toContain(words);
    expect(text).not.toMatch(/list_symbols|compare_stocks|get_\w+|screen_stocks/);
  });
});

test("a period without sessions is empty where the program expects a list", async () => {
  const read = async (path: string) => (await get(`${link}/${path}`)).json();
  expect(await read("tiingo/tiingo/daily/AAPL/prices?startDate=2030-01-01")).toEqual([]);
  expect(await read("eodhd/api/eod/AAPL.US?from=2030-01-01&fmt=json")).toEqual([]);
});

test("a price file has the prices of the other symbols, and a comment", async () => {
  const query = "symbols=AAPL,7203&from=2026-11-20&to=2026-11-20";
  const response = await get(`${link}/prices/prices.ledger?${query}`);
  const lines = (await response.text()).trimEnd().split("\n").slice(1);
  // On the morning of START in New York, the newest session of the US is the 19th.
  expect(lines).toEqual([
    "decimal-mark .",
    expect.stringMatching(/^; AAPL has no session from 2026-11-20/),
    expect.stringMatching(/^P 2026-11-20 "7203" [\d.]+ JPY$/),
  ]);
});
