import { describe, expect, test } from "bun:test";
import type { CalendarEvent } from "#domain/calendar-event.ts";
import { macroSeries } from "../support/contract-market.ts";
import { openTestMarket, SAMPLE, stock } from "../support/market.ts";

const event = (id: string, details: Partial<CalendarEvent> = {}): CalendarEvent => ({
  id,
  country: "US",
  event: "CPI y/y",
  date: "2026-12-10",
  time: "13:30",
  importance: "high",
  previous: "3.0%",
  forecast: null,
  consensus: null,
  actual: null,
  ...details,
});

describe("documents", () => {
  test("come back unchanged, in the same order, with their provenance", () => {
    using home = openTestMarket();
    const { documents } = home.market;
    const records = [event("b"), event("a", { country: "JP" }), event("c")];
    expect(documents.put("calendarEvents", records, SAMPLE)).toBe(3);
    expect(documents.list("calendarEvents", null)).toEqual(
      records.map((record) => ({ ...record, ...SAMPLE })),
    );
    expect(documents.list("calendarEvents", "US").map(({ id }) => id)).toEqual(["b", "c"]);
    expect(documents.list("calendarEvents", "VN")).toEqual([]);
  });

  test("one is found by its key within its country and kind", () => {
    using home = openTestMarket();
    const { documents } = home.market;
    documents.put("dividends", [{ country: "US", symbol: "AAPL", dividends: [] }], SAMPLE);
    expect(documents.find("dividends", "US", "AAPL")).toMatchObject({ dividends: [] });
    expect(documents.find("dividends", "JP", "AAPL")).toBeNull();
    expect(documents.find("earningsDates", "US", "AAPL")).toBeNull();
  });

  test("trades of foreigners change the figures of their instrument", async () => {
    using home = openTestMarket();
    const { market } = home;
    market.put("instruments", [stock("VN", "FPT")], SAMPLE);
    const before = market.instruments.listChanged(0, 9).at(-1)?.number ?? 0;
    const trades = { boughtValue: 5e9, soldValue: 2e9, room: 1_000 };
    const put = (date: string) =>
      market.put("foreignTrades", [{ country: "VN", symbol: "FPT", date, ...trades }], SAMPLE, {
        country: "VN",
      });
    put("2026-11-19");
    const [first] = market.instruments.listChanged(before, 9);
    expect(first).toMatchObject({ country: "VN", symbol: "FPT" });
    const version = await market.findVersion();
    put("2026-11-20");
    expect(market.instruments.listChanged(first?.number ?? 0, 9)).toHaveLength(1);
    expect(await market.findVersion()).not.toBe(version);
  });

  test("vintages of a source join the ones that were kept here, also in a whole list", () => {
    using home = openTestMarket();
    const { market } = home;
    const on = (day: string, source: string) => ({ source, storedAt: Date.parse(`${day}T12:00Z`) });
    const whole = { country: "US" } as const;
    const store = (day: string, values: readonly number[]) =>
      market.put("macroSeries", [macroSeries("US", "gdp", "gdp", values)], on(day, "fred"), whole);
    const given = (since: string) => [
      {
        country: "US" as const,
        id: "gdp",
        unit: "%",
        vintages: [{ period: "2026-09", since, value: 1 }],
      },
    ];
    store("2026-11-18", [1, 2]);
    market.put("macroVintages", given("2026-10-02"), on("2026-11-19", "alfred"), whole);
    store("2026-11-20", [1.1, 2]);
    market.put("macroVintages", given("2026-10-01"), on("2026-11-26", "alfred"), whole);
    const { vintages, source } = market.documents.find("macroVintages", "US", "gdp") ?? {};
    expect(source).toBe("alfred");
    expect(vintages?.map(({ period, since, value }) => [period, since, value])).toEqual([
      ["2026-09", "2026-10-01", 1],
      ["2026-09", "2026-11-20", 1.1],
      ["2026-10", "2026-11-18", 2],
    ]);
    expect(
      market.asKnownOn("2026-10-01").documents.find("macroSeries", "US", "gdp")?.observations,
    ).toEqual([{ period: "2026-09", value: 1 }]);
    expect(market.asKnownOn("2026-09-30").documents.find("macroSeries", "US", "gdp")).toBeNull();
  });

  describe("past results", () => {
    const result = (quarterEnd: string, reportedOn: string | null, epsActual: number) => ({
      quarterEnd,
      reportedOn,
      epsActual,
      epsEstimate: 1,
    });
    const nvda = (...results: ReturnType<typeof result>[]) => [
      { country: "US" as const, symbol: "NVDA", results },
    ];
    const on = (day: string, source = "sample") => ({ source, storedAt: Date.parse(day) });
    const found = ({ market }: ReturnType<typeof openTestMarket>) =>
      market.documents
        .find("earningsResults", "US", "NVDA")
        ?.results.map((one) => [one.quarterEnd, one.reportedOn, one.epsActual]);

    test("of quarters that an answer leaves out stay, and so do report dates", () => {
      using home = openTestMarket();
      const { documents } = home.market;
      const first = nvda(result("2024-01", "2024-02-21", 5.16), result("2024-04", "2024-05-22", 6));
      documents.put("earningsResults", first, on("2024-05-25"));
      const second = nvda(result("2024-04", null, 6.12), result("2024-07", "2024-08-28", 7));
      documents.put("earningsResults", second, on("2024-08-30", "other"));
      expect(found(home)).toEqual([
        ["2024-01", "2024-02-21", 5.16],
        ["2024-04", "2024-05-22", 6.12],
        ["2024-07", "2024-08-28", 7],
      ]);
    });

    test("are in today's shares, each from the day on which it was stored", () => {
      using home = openTestMarket();
      const { documents } = home.market;
      documents.put("earningsResults", nvda(result("2024-01", null, 5.16)), on("2024-05-25"));
      documents.put("earningsResults", nvda(result("2024-07", null, 0.68)), on("2024-08-30"));
      const split = { exDate: "2024-06-10", numerator: 10, denominator: 1 };
      const splits = [{ country: "US" as const, symbol: "NVDA", splits: [split] }];
      documents.put("splits", splits, on("2024-09-01"));
      expect(found(home)).toEqual([
        ["2024-01", null, 0.516],
        ["2024-07", null, 0.68],
      ]);
      expect(documents.find("earningsResults", "US", "NVDA")?.results[0]).not.toHaveProperty(
        "sharesAsOf",
      );
    });

    test("imports replace them whole, and stay", () => {
      using home = openTestMarket();
      const { documents } = home.market;
      documents.put("earningsResults", nvda(result("2024-01", null, 5)), on("2024-05-25"));
      documents.put(
        "earningsResults",
        nvda(result("2024-04", null, 6)),
        on("2024-05-26", "import"),
      );
      documents.put("earningsResults", nvda(result("2024-07", null, 7)), on("2024-05-27"));
      expect(found(home)).toEqual([["2024-04", null, 6]]);
    });
  });

  test("put as a whole replace all records of that kind of the same source", () => {
    using home = openTestMarket();
    const { documents } = home.market;
    documents.put("calendarEvents", [event("a"), event("b")], SAMPLE);
    documents.put("indexPe", [{ country: "US", month: "2026-10", pe: 28 }], SAMPLE);
    documents.put("calendarEvents", [event("x")], { source: "feed", storedAt: 2_000 });
    const later = { source: "sample", storedAt: 3_000 };
    documents.put("calendarEvents", [event("c")], later, { country: null });
    expect(documents.list("calendarEvents", null).map(({ id, source }) => [id, source])).toEqual([
      ["x", "feed"],
      ["c", "sample"],
    ]);
    expect(documents.list("indexPe", null)).toHaveLength(1);
  });

  test("a record of two sources is stored once, from the later one", () => {
    using home = openTestMarket();
    const { documents } = home.market;
    documents.put("calendarEvents", [event("a", { actual: "1%" })], SAMPLE);
    documents.put("calendarEvents", [event("a", { actual: "2%" })], {
      source: "feed",
      storedAt: 2_000,
    });
    expect(documents.list("calendarEvents", null)).toMatchObject([
      { actual: "2%", source: "feed" },
    ]);
  });

  test("put as a whole for one country leave other countries, put in part leave all", () => {
    using home = openTestMarket();
    const { documents } = home.market;
    const ids = () => documents.list("calendarEvents", null).map(({ id }) => id);
    documents.put("calendarEvents", [event("a"), { ...event("b"), country: "JP" }], SAMPLE);
    documents.put("calendarEvents", [event("c")], SAMPLE);
    expect(ids()).toEqual(["a", "b", "c"]);
    documents.put("calendarEvents", [event("d")], SAMPLE, { country: "US" });
    expect(ids()).toEqual(["b", "d"]);
  });

  test("an empty put as a whole removes the source's records", () => {
    using home = openTestMarket();
    const { documents } = home.market;
    documents.put("calendarEvents", [event("a")], SAMPLE);
    expect(documents.put("calendarEvents", [], SAMPLE, { country: null })).toBe(0);
    expect(documents.list("calendarEvents", null)).toEqual([]);
  });

  test("text of any kind survives", () => {
    using home = openTestMarket();
    const { documents } = home.market;
    const title = `Chỉ số giá "tiêu dùng" \\ 日銀 ' -- \u2028 🎌`;
    documents.put("calendarEvents", [event("__proto__", { event: title })], SAMPLE);
    expect(documents.find("calendarEvents", "US", "__proto__")?.event).toBe(title);
  });
});
