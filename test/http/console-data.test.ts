import { afterAll, describe, expect, test } from "bun:test";
import { ConsoleClient } from "../support/console-client.ts";
import { REASONS } from "#domain/reasons.ts";
import { type Call, CALLS, restPath } from "../support/contract-calls.ts";
import { QUOTA_HEADERS, startHandMade } from "../support/contract-exchange.ts";

const world = await startHandMade();
const client = await new ConsoleClient(world.service).signIn("user-1");
afterAll(() => world.service.stop());

/** The path of a call below `/console/api/`. */
function dataPath({ operation, arguments: args }: Call): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(args)) query.set(name, String(value));
  return `data/${operation.name}?${query.toString()}`;
}

/** Everything of an answer that both interfaces have in common. */
async function commonOf(response: Response) {
  const { status, headers } = response;
  const names = ["content-type", "etag", "x-data-source", "x-data-age", "cache-control"];
  return {
    status,
    headers: names.map((name) => [name, headers.get(name)]),
    body: await response.text(),
  };
}

test("GET vocabulary has the words of the OpenAPI document, and is sent again only when it has changed", async () => {
  const answer = await client.send("GET", "vocabulary");
  const words = (await answer.json()) as {
    metrics: Record<string, Record<string, unknown>>;
    sectors: string[];
    currencies: string[];
    reasons: object;
  };
  expect(words.reasons).toEqual(REASONS);
  const document = (await (await fetch(`${world.service.base}/openapi.json`)).json()) as {
    components: { schemas: { Metrics: { properties: Record<string, Record<string, unknown>> } } };
  };
  const { properties } = document.components.schemas.Metrics;
  expect(words.metrics).toEqual(
    Object.fromEntries(
      Object.entries(properties).map(([name, { title, description, ...one }]) => [
        name,
        {
          title,
          description,
          group: one["x-group"],
          unit: one["x-unit"],
          better: one["x-better"],
        },
      ]),
    ),
  );
  expect(words.sectors).toContain("real-estate");
  expect(words.currencies.slice(0, 3)).toEqual(["USD", "JPY", "VND"]);
  expect(answer.headers.get("access-control-allow-origin")).toBe(null);
  const headers = { "If-None-Match": answer.headers.get("etag") ?? "" };
  expect((await client.send("GET", "vocabulary", { headers })).status).toBe(304);
});

test("GET macro-lines has the newest figures of each series, as REST has them", async () => {
  const answer = await client.send("GET", "macro-lines?country=US");
  const lines = (await answer.json()) as Record<string, number[]>;
  const read = (path: string) => world.service.payload<never>(path, world.token);
  const indicators: Record<string, { name: string }[]> = await read(
    "/data/macro/indicators?country=US",
  );
  const names = Object.values(indicators)
    .flat()
    .map(({ name }) => name);
  expect(names.length).toBeGreaterThan(0);
  expect(Object.keys(lines)).toEqual(names);
  for (const name of names) {
    const query = new URLSearchParams({ country: "US", series: name, limit: "40" });
    const { rows }: { rows: [string, number][] } = await read(
      `/data/macro/history?${query.toString()}`,
    );
    expect(lines[name]).toEqual(rows.map(([, value]) => value));
  }
  expect((await client.send("GET", "macro-lines?country=XX")).status).toBe(400);
});

test("GET macro-lines asks for all series before it waits for the first", async () => {
  const all = Promise.withResolvers<void>();
  let missing = 0;
  const onRequest = () => {
    if (missing === 0) return undefined;
    if (--missing === 0) all.resolve();
    return all.promise;
  };
  const { service, token } = await startHandMade({ onRequest });
  const path = "/data/macro/indicators?country=US";
  const data = await service.payload<Record<string, unknown[]>>(path, token);
  missing = Object.values(data).flat().length;
  expect(missing).toBeGreaterThan(1);
  const reader = await new ConsoleClient(service).signIn("user-1");
  expect((await reader.send("GET", "macro-lines?country=US")).status).toBe(200);
  await service.stop();
});

test("GET indicator-lines ends with the figures of the technicals, as REST has them", async () => {
  type Lines = Record<"rsi" | "macd" | "signal", (number | null)[]> & { dates: string[] };
  const query = "country=US&symbol=AAPL";
  const answer = await client.send("GET", `indicator-lines?${query}&limit=30`);
  const lines = (await answer.json()) as Lines;
  const read = (path: string) => world.service.payload<never>(path, world.token);
  const technicals: Record<string, string> = await read("/data/stocks/AAPL/technicals?country=US");
  const { dates }: { dates: string[] } = await read(
    "/data/stocks/AAPL/history?country=US&limit=30&from=1900-01-01",
  );
  expect(lines.dates).toEqual(dates);
  expect(lines.rsi.at(-1)?.toFixed(2)).toBe(technicals["RSI (14)"]);
  expect(lines.macd.at(-1)?.toFixed(2)).toBe(technicals["MACD (12,26)Level"]);
  expect(lines.signal.at(-1)?.toFixed(2)).toBe(technicals["MACD (12,26)Signal"]);
  for (const wrong of ["country=US&symbol=NOSUCH", "country=XX&symbol=AAPL", `${query}&limit=x`]) {
    expect((await client.send("GET", `indicator-lines?${wrong}`)).status).toBeOneOf([400, 404]);
  }
});

test("GET distribution counts the companies of a screen that have a figure", async () => {
  const screen = new URLSearchParams({ country: "US", metrics: "market_cap", limit: "1000" });
  type Screen = { rows: [string, string, number | null][] };
  const path = `/data/stocks/screen?${screen.toString()}`;
  const data = await world.service.payload<Screen>(path, world.token);
  const figures = data.rows.map(([, , figure]) => figure).filter((figure) => figure !== null);
  const found = (await (
    await client.send("GET", "distribution?country=US&metrics=market_cap")
  ).json()) as { low: number; high: number; counts: number[]; currency: string };
  expect(found.counts.reduce((sum, count) => sum + count)).toBe(figures.length);
  expect(found.currency).toBe("USD");
  expect(found.low).toBeGreaterThanOrEqual(Math.min(...figures));
  expect(found.high).toBeLessThanOrEqual(Math.max(...figures));
  expect((await client.send("GET", "distribution?country=US&metrics=nosuch")).status).toBe(400);
});

describe("GET data/:operation", () => {
  const calls = CALLS.filter(
    ({ isDefault, arguments: { country = "US" } }) => isDefault && country === "US",
  );
  test.each(calls.map((call) => [call.title, call] as const))(
    "%s is the answer of REST",
    async (_, call) => {
      const console = await client.send("GET", dataPath(call));
      expect(QUOTA_HEADERS.filter((name) => console.headers.has(name))).toEqual([]);
      expect(console.headers.has("access-control-allow-origin")).toBe(false);
      const rest = await world.service.request(restPath(call), world.token);
      expect(await commonOf(console)).toEqual(await commonOf(rest));
      expect(rest.status).toBe(200);
    },
  );

  test("counts against no token", async () => {
    const used = await world.service.used(1);
    expect((await client.send("GET", "data/get_markets")).status).toBe(200);
    expect(await world.service.used(1)).toBe(used);
  });

  test("has CSV, 304 and compressed bodies like REST", async () => {
    const path = "data/get_stock_price_history?country=US&symbol=AAPL&range=1y&limit=600";
    const json = await client.send("GET", path);
    const etag = json.headers.get("etag") ?? "";
    const held = await client.send("GET", path, { headers: { "if-none-match": etag } });
    expect([held.status, await held.text()]).toEqual([304, ""]);
    expect(held.headers.get("cache-control")).toContain("private");
    const csv = await client.send("GET", `${path}&format=csv`);
    expect(csv.headers.get("content-type")).toContain("text/csv");
    expect(await csv.text()).toStartWith("date,");
    const packed = await fetch(`${world.service.origin}/console/api/${path}`, {
      headers: { cookie: client.cookie, "accept-encoding": "zstd" },
      decompress: false,
    });
    expect(packed.headers.get("content-encoding")).toBe("zstd");
    const text = new TextDecoder().decode(Bun.zstdDecompressSync(await packed.bytes()));
    expect(text).toBe(await json.text());
  });

  test("refuses wrong arguments and unknown operations in the envelope of REST", async () => {
    const wrong = await client.send("GET", "data/get_stock_overview?country=XX&symbol=AAPL");
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ error: { param: "country" } });
    const unknown = await client.send("GET", "data/get_market");
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({
      error: { message: "There is no operation of this name; did you mean get_markets?" },
    });
  });
});
