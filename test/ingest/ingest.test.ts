import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { CalendarEvent } from "#domain/calendar-event.ts";
import type { RecordKind, RecordOf } from "#domain/records.ts";
import { storeRecords } from "#ingest/batch.ts";
import { claimMarket, findOrigin } from "#ingest/ingest.ts";
import { loadSample } from "#ingest/sample-load.ts";
import { listUniverse } from "#sample/universe.ts";
import { type MarketStore, openMarket } from "#store/index.ts";
import { instrument } from "../support/market.ts";
import { copySampleMarket, START, temporaryFolder } from "../support/service.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const openIn = (name: string) => openMarket(join(folder, name));
const event = (id: string, change: Partial<CalendarEvent> = {}): CalendarEvent => ({
  id,
  country: "US",
  event: "CPI YoY",
  date: "2026-11-12",
  time: "13:30",
  importance: "high",
  previous: "3.0%",
  forecast: null,
  consensus: "3.1%",
  actual: null,
  ...change,
});
const provenance = { source: "test", storedAt: 1 };
const store = <K extends RecordKind>(
  market: MarketStore,
  kind: K,
  records: readonly RecordOf<K>[],
) => market.transaction(() => storeRecords(market, kind, records, provenance));
const listEvents = (market: MarketStore) =>
  market.documents.list("calendarEvents", null).map(({ id, previous }) => [id, previous]);

describe("incoming records", () => {
  test("a record that does not match its schema rejects its whole batch and leaves stored records", () => {
    const market = openIn("batch");
    expect(store(market, "calendarEvents", [event("a"), event("b")])).toBe(2);
    const batch = [event("a", { previous: "9.9%" }), event("c", { time: "25:00" })];
    expect(() => store(market, "calendarEvents", batch)).toThrow(
      "Record 2 of calendarEvents (US, c, 2026-11-12) is refused at /time",
    );
    expect(listEvents(market)).toEqual([
      ["a", "3.0%"],
      ["b", "3.0%"],
    ]);
    market.close();
  });

  test("the place in a nested record is named", () => {
    const market = openIn("nested");
    store(market, "instruments", [instrument("US", "AAPL")]);
    const bar = { date: "2026-11-19", open: 1, high: 1, low: 1, close: 1, volume: null };
    const bars = [bar, { ...bar, date: "2026-11-20", low: 0 }];
    expect(() => store(market, "bars", [{ country: "US", symbol: "AAPL", bars }])).toThrow(
      "Record 1 of bars (US, AAPL) is refused at /bars/1/low",
    );
    expect(market.listCounts().map(({ kind }) => kind)).toEqual(["instruments"]);
    market.close();
  });
});

// Later loads are in sample-loads.ts.
describe("the sample market in a data folder", () => {
  let market: MarketStore;
  const countOf = (kind: string) =>
    market.listCounts().find((one) => one.kind === kind && one.source === "sample")?.count ?? 0;

  beforeAll(() => {
    mkdirSync(join(folder, "sample"));
    copySampleMarket(join(folder, "sample"));
    market = openIn("sample");
  }, 600_000);
  afterAll(() => market.close());

  test("the first load stores every kind of record with its source", () => {
    expect(market.findSetting("origin")).toBe("sample");
    expect(countOf("instruments")).toBe(listUniverse().length);
    // More than 11 years of 240 sessions for each instrument.
    expect(countOf("bars")).toBeGreaterThan(listUniverse().length * 11 * 240);
    for (const kind of [
      ..."statements dividends splits macroSeries macroForecasts indexPe".split(" "),
      ..."calendarEvents analystCoverage earningsDates earningsResults".split(" "),
    ])
      expect([kind, countOf(kind) > 0]).toEqual([kind, true]);
  });

  test("it is not due again before a date or a session has passed", () => {
    expect(loadSample({ market, now: START + 30 * 60_000 })).toBe(false);
  });

  test("it is not mixed into another market", () => {
    const other = openIn("other");
    other.transaction(() => other.setSetting("origin", "stooq"));
    expect(() => loadSample({ market: other, now: START })).toThrow("holds the stooq market");
    expect(other.listCounts()).toEqual([]);
    other.close();
  });
});

describe("sample and live", () => {
  test("an empty market takes the claimed origin and keeps it", () => {
    const claimed = openIn("claimed");
    expect(findOrigin(claimed)).toBeNull();
    claimMarket(claimed, "live");
    claimMarket(claimed, "live");
    expect(findOrigin(claimed)).toBe("live");
    claimed.close();
  });

  test.each([
    ["live", "sample"],
    ["sample", "live"],
  ] as const)("never mix: a %s market is refused as %s, with what to do", (held, wanted) => {
    const claimed = openIn(`${held}-as-${wanted}`);
    claimMarket(claimed, held);
    const words = `The data folder holds the ${held} market; name another folder with --data, or start \`serve --market ${wanted} --reset-market\``;
    expect(() => claimMarket(claimed, wanted)).toThrow(words);
    if (wanted === "sample") {
      expect(() => loadSample({ market: claimed, now: Date.now() })).toThrow(words);
    }
    expect(findOrigin(claimed)).toBe(held);
    claimed.close();
  });
});
