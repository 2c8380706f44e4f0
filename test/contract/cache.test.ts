import { Database } from "bun:sqlite";
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { startHandMade } from "../support/contract-exchange.ts";
import { calendarEvent, STORED_AT } from "../support/contract-market.ts";
import { instrument, listInstruments } from "../support/market.ts";

// A process has its own cache.
/** Every test begins a day after the one before, so that no answer of it is cached. */
const world = await startHandMade({ oneNode: true });
beforeEach(() => {
  world.service.time.now += 86_400_000;
});
afterAll(() => world.service.stop());

const CATALOG = "/data/markets";
const text = async (path: string, token = world.token) =>
  (await world.service.request(path, token)).text();
const asOf = (body: string) => (JSON.parse(body) as { as_of: string }).as_of;

/** Adds a stock, which the catalog then counts. */
function add(symbol: string): void {
  const { market } = world.service;
  market.transaction(() =>
    market.instruments.put([instrument("US", symbol)], { source: "test", storedAt: STORED_AT }),
  );
}

describe("the 30 second cache", () => {
  test("serves byte-identical answers with one as_of for 30 seconds, then a new one", async () => {
    const { time } = world.service;
    const first = await text(CATALOG);
    expect(asOf(first)).toBe(new Date(time.now).toISOString());
    add("CACHED");
    time.now += 29_999;
    expect(await text(CATALOG)).toBe(first);
    time.now += 1;
    const second = await text(CATALOG);
    expect(asOf(second)).toBe(new Date(time.now).toISOString());
    expect(second).toContain(
      `"total_symbols":${listInstruments(world.service.market, null).length}`,
    );
    expect(second).not.toBe(first);
  });

  test("ends at midnight UTC, so that no calendar begins with yesterday", async () => {
    const { time } = world.service;
    const midnight = Math.ceil(time.now / 86_400_000) * 86_400_000;
    time.now = midnight - 5_000;
    const response = await world.service.request("/data/macro/calendar", world.token);
    expect(response.headers.get("cache-control")).toBe("private, max-age=5");
    const before = await response.text();
    time.now = midnight - 1;
    expect(await text("/data/macro/calendar")).toBe(before);
    time.now = midnight;
    const after = await text("/data/macro/calendar");
    expect(asOf(after)).toBe(new Date(midnight).toISOString());
    const { data } = JSON.parse(after) as { data: { events: { date: string }[] } };
    for (const { date } of data.events) expect(date >= asOf(after).slice(0, 10)).toBe(true);
  });

  test("is shared between callers", async () => {
    const { service } = world;
    const first = await text(CATALOG);
    service.time.now += 10_000;
    expect(await text(CATALOG, service.createToken("free").token)).toBe(first);
  });

  test("is shared between REST and MCP in both orders", async () => {
    const { service, token } = world;
    const path = "/data/sectors?country=US";
    const rest = await text(path);
    service.time.now += 10_000;
    const tool = await service.callTool(token, "get_sectors", { country: "US" });
    expect(tool.result?.content[0]?.text).toBe(rest);

    service.time.now += 30_000;
    const later = await service.callTool(token, "get_sectors", { country: "US" });
    service.time.now += 10_000;
    expect(await text(path)).toBe(later.result?.content[0]?.text ?? "");
    expect(asOf(await text(path))).not.toBe(asOf(rest));
  });

  test("keys on the arguments", async () => {
    const { time } = world.service;
    const paths = [
      "/data/macro/calendar",
      "/data/macro/calendar?limit=1",
      "/data/macro/calendar?importance=high",
      "/data/macro/calendar?country=US",
      "/data/macro/indicators?country=US",
      "/data/macro/indicators?country=JP",
      "/data/macro/indicators?country=US&category=prices",
      "/data/stocks/AAPL/overview?country=US",
      "/data/stocks/YOUNG/overview?country=US",
      "/data/stocks/AAPL/technicals?country=US",
      "/data/stocks/AAPL/statements?country=US&type=income",
      "/data/stocks/AAPL/statements?country=US&type=balance",
    ];
    for (const path of paths) {
      time.now += 1;
      expect(asOf(await text(path))).toBe(new Date(time.now).toISOString());
    }
  });

  test("keys on what the arguments mean, not on how they are written", async () => {
    const { time } = world.service;
    const same = async (one: string, other: string) => {
      const first = await text(one);
      time.now += 1;
      expect(await text(other)).toBe(first);
    };
    await same(
      "/data/stocks/AAPL/overview?country=US",
      "/data/stocks/aapl/overview?_nonsense=1&country=US",
    );
    await same(
      "/data/macro/calendar?country=US&limit=20",
      "/data/macro/calendar?limit=20&country=US",
    );
    await same(
      "/data/macro/calendar?importance=low",
      "/data/macro/calendar?importance=low&limit=20",
    );
  });

  test("does not keep errors", async () => {
    const path = "/data/stocks/LATER/overview?country=US";
    expect((await world.service.request(path, world.token)).status).toBe(404);
    add("LATER");
    // A missing symbol may be cached for 30 seconds, no longer.
    world.service.time.now += 30_000;
    expect((await world.service.request(path, world.token)).status).toBe(200);
  });

  test("does not keep an answer without records, which can arrive at any moment", async () => {
    const { service, token } = world;
    const path = "/data/macro/calendar?country=VN";
    using file = new Database(join(service.folder, "market.db"));
    file.run("DELETE FROM documents WHERE kind = 'calendarEvents' AND country = 'VN'");
    const empty = await service.request(path, token);
    expect(empty.headers.get("cache-control")).toBe("private, max-age=0");
    expect(await empty.json()).toMatchObject({ data: { events: [], source: null } });
    const date = new Date(service.time.now + 86_400_000).toISOString().slice(0, 10);
    const event = calendarEvent("VN", date, "02:00", "high");
    const at = { source: "test", storedAt: STORED_AT };
    service.market.transaction(() => service.market.put("calendarEvents", [event], at));
    const full = await service.request(path, token);
    expect(full.headers.get("cache-control")).toBe("private, max-age=30");
    expect(await full.json()).toMatchObject({ data: { events: [{ date }], source: "test" } });
  });

  test("runs the work once for concurrent callers", async () => {
    const { service, token } = world;
    const bodies = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        service.time.now += 1;
        return i % 2
          ? text("/data/sectors?country=US")
          : (await service.callTool(token, "get_sectors", { country: "US" })).result?.content[0]
              ?.text;
      }),
    );
    expect(new Set(bodies).size).toBe(1);
  });

  test("every call counts, cached or not", async () => {
    const { service, id } = world;
    const used = () => service.used(id);
    const before = await used();
    await text(CATALOG);
    await text(CATALOG);
    expect((await used()) - before).toBe(2);
  });
});
