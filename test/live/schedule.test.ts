import { Database } from "bun:sqlite";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openFolder } from "../support/access.ts";
import { PLAYED_AT } from "../support/played-answer.ts";
import { US_COMPANIES } from "../support/played-companies.ts";
import { DOUBLES_OF_FPT } from "../support/played-markets.ts";
import { type PlayedService, startPlayedService } from "../support/played-service.ts";
import { type PlayedSources, playSources } from "../support/played-sources.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The largest companies of Viet Nam that have quotes. */
const LARGEST = ["FPT", ...DOUBLES_OF_FPT];

// The tests of this file depend on each other and run in order.
describe("a live service without calls", () => {
  const folder = openFolder();
  let played: PlayedSources;
  let service: PlayedService;
  /** Runs the schedule once and returns the addresses that it requested. */
  const runSchedule = async () => {
    const before = played.calls.length;
    await service.live.schedule.run({ stopped: () => false });
    return played.calls.slice(before).map(({ address }) => address);
  };
  const sectors = async () => {
    const response = await service.get("/data/sectors?country=VN");
    expect(response.status).toBe(200);
    return {
      // oxlint-disable-next-line typescript/no-explicit-any
      data: ((await response.json()) as { data: any }).data,
      age: Number(response.headers.get("x-data-age")),
      sources: (response.headers.get("x-data-source") ?? "").split(", "),
    };
  };
  beforeAll(async () => {
    played = await playSources();
    service = await startPlayedService(folder.path, played, {
      sources: ["vietcap", "entrade", "yahoo", "reference"],
      largest: LARGEST.length,
    });
    await runSchedule();
  }, 600_000);
  afterAll(async () => {
    await service.stop();
    await played.stop();
    folder[Symbol.dispose]();
  });

  test("has fetched bars and statements of the largest companies", () => {
    for (const symbol of LARGEST) {
      const key = { country: "VN", symbol } as const;
      expect(service.market.holds({ kind: "bars", ...key })).toBe(true);
      expect(service.market.statements.list(key).length).toBeGreaterThan(8);
    }
  });

  test("answers sectors with medians of reported figures, and with performance", async () => {
    const { technology } = (await sectors()).data.sectors;
    const { roe_median, roic_median, gross_margin_median, net_margin_median, fcf_margin_median } =
      technology.stats;
    for (const median of [roe_median, roic_median, net_margin_median, fcf_margin_median])
      expect(median).toBeNumber();
    // Each quarter has a gross profit (isa5) of 4,000 and net sales (isa3) of 10,000 billion dong.
    expect(gross_margin_median).toBeCloseTo(40, 2);
    for (const window of ["Perf %1W", "Perf %1M", "Perf %YTD", "Perf %1Y"])
      expect(technology.performance[window]).toMatch(/^[+-]?\d+\.\d\d%$/);
  });

  test("stores the P/E of its index for the month", async () => {
    const { data, sources, age } = await sectors();
    expect(data.country_pe).toBeGreaterThan(0);
    expect(service.market.documents.list("indexPe", "VN")).toMatchObject([
      { month: "2026-08", source: "computed" },
    ]);
    expect(data.country_pe_5y_avg).toBeNumber();
    expect(data.country_valuation_status).toBe("insufficient_history");
    // It is computed from the same records, so it does not change their age.
    expect({ sources, age }).toEqual({ sources: ["entrade", "vietcap", "yahoo"], age: 0 });
  });

  test("calls no source a second time", async () => {
    expect(await runSchedule()).toEqual([]);
  });

  test("requests only prices after the next session", async () => {
    service.time.now += 3 * DAY;
    const addresses = await runSchedule();
    const symbols = addresses.flatMap(
      (address) => /ohlcs\/stock\?symbol=(\w+)/.exec(address)?.[1] ?? [],
    );
    expect(symbols.sort()).toEqual([...LARGEST].sort());
    expect(addresses.filter((address) => address.includes("financial-statement"))).toEqual([]);
  });

  test("pauses a kind of record if its source fails, and tries it again later", async () => {
    service.time.now += DAY;
    played.setMode("entrade", "down");
    service.logLines.length = 0;
    const failed = (await runSchedule()).filter((address) => address.includes("/ohlcs/"));
    // Four of six companies, with three attempts each.
    expect(failed).toHaveLength(12);
    expect(service.logLines.join()).toContain("companies are paused after failures");
    played.setMode("entrade", "normal");
    expect((await runSchedule()).filter((address) => address.includes("/ohlcs/"))).toEqual([]);
    service.time.now += 16 * MINUTE;
    expect((await runSchedule()).filter((address) => address.includes("/ohlcs/"))).toHaveLength(2);
    service.time.now += 6 * HOUR;
    expect((await runSchedule()).filter((address) => address.includes("/ohlcs/"))).toHaveLength(4);
  });
});

describe("a first fill that was killed", () => {
  test("goes on where it was after a restart: nothing that is whole is fetched again", async () => {
    using folder = openFolder();
    const played = await playSources();
    played.setMode("fred", "down");
    const sources = ["nasdaq", "jpx", "yahoo", "fred", "oecd"];
    const addressesFrom = (begin: number) =>
      played.calls.slice(begin).map(({ source, address }) => `${source} ${address}`);
    const symbolsIn = (addresses: readonly string[]) =>
      addresses.flatMap((one) => /spark\?symbols=([^&]+)/.exec(one)?.[1]?.split(",") ?? []);

    const first = await startPlayedService(folder.path, played, { sources });
    let isKilled = false;
    const running = first.live.schedule.run({ stopped: () => isKilled });
    const countCloses = () => first.market.documents.listAges("recentCloses", "US").length;
    while (countCloses() < 500) await played.nextCall("yahoo");
    isKilled = true;
    // Running requests are lost, as after `kill -9`.
    await first.live.stop();
    await running;
    await first.stop();
    const before = addressesFrom(0);
    const stored = openStored(folder.path);

    played.setMode("fred", "normal");
    const begin = played.calls.length;
    const second = await startPlayedService(folder.path, played, {
      sources,
      // The pauses after the failures of FRED are over.
      now: PLAYED_AT + 15 * MINUTE,
    });
    await second.live.schedule.run({ stopped: () => false });
    const after = addressesFrom(begin);

    // Lists that were whole.
    for (const list of ["nasdaq /api/screener", "jpx ", "yahoo /v1/finance/screener", "oecd "]) {
      expect(before.some((one) => one.startsWith(list))).toBeTrue();
      expect(after.filter((one) => one.startsWith(list))).toEqual([]);
    }
    // The closes go on with the next companies.
    expect(stored.length).toBeGreaterThanOrEqual(500);
    const again = symbolsIn(after);
    expect(again.filter((symbol) => stored.includes(symbol))).toEqual([]);
    expect(new Set(again).size).toBe(again.length);
    expect(second.market.documents.listAges("recentCloses", "US").length).toBeGreaterThan(
      US_COMPANIES,
    );
    // The source that failed is called again.
    expect(after.some((one) => one.startsWith("fred "))).toBeTrue();
    expect(second.market.documents.list("macroSeries", "US").length).toBeGreaterThan(20);
    // All is there.
    const third = played.calls.length;
    await second.live.schedule.run({ stopped: () => false });
    expect(addressesFrom(third)).toEqual([]);
    await second.stop();
    await played.stop();
  }, 600_000);
});

/** The symbols of the US whose closes are in a folder. */
function openStored(folder: string): string[] {
  using database = new Database(join(folder, "market.db"), { readonly: true });
  return database
    .query<{ key: string }, []>(
      "SELECT key FROM documents WHERE kind = 'recentCloses' AND country = 'US'",
    )
    .all()
    .map(({ key }) => key);
}
