import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { judgeBrief, nextBriefAt } from "#alerts/brief.ts";
import { readFacts, readReleases } from "#alerts/facts.ts";
import { judgeCondition, judgeEvent } from "#alerts/judge.ts";
import type { BriefMark } from "#domain/brief.ts";
import type { RecordKind, RecordOf } from "#domain/records.ts";
import { fiscalQuarterNumber, NO_ITEMS } from "#domain/statement.ts";
import { timeIn } from "#lib/zone.ts";
import { type ConditionRule, parseRule } from "#operations/alerts/rule.ts";
import type { BriefRule, InstrumentEventRule, ReleaseRule } from "#operations/alerts/rule-words.ts";
import { createMetricsReader } from "#rollups/companies.ts";
import { ConvertedCompanies } from "#rollups/converted-companies.ts";
import { quoteAt } from "../support/judging.ts";
import { flatBar, instrument, openTestMarket, SAMPLE } from "../support/market.ts";

const briefOf = (text: string) => parseRule(text) as BriefRule;

// New York changes its clocks on 8 March and 1 November 2026 at 2:00, Lord Howe by half an hour on 5 April at 2:00.
describe("the time of a brief", () => {
  test.each([
    ["brief daily 07:30", "Asia/Tokyo", "2026-11-29T00:00Z", "2026-11-29T22:30Z"],
    ["brief daily 07:30", "Asia/Kolkata", "2026-11-29T00:00Z", "2026-11-29T02:00Z"],
    ["brief daily 07:30", "Asia/Kathmandu", "2026-11-29T00:00Z", "2026-11-29T01:45Z"],
    ["brief daily 07:30", "America/New_York", "2026-03-07T12:30Z", "2026-03-08T11:30Z"],
    ["brief daily 02:30", "America/New_York", "2026-03-08T00:00Z", "2026-03-08T07:30Z"],
    ["brief daily 01:30", "America/New_York", "2026-11-01T00:00Z", "2026-11-01T05:30Z"],
    ["brief daily 01:30", "America/New_York", "2026-11-01T05:30Z", "2026-11-02T06:30Z"],
    ["brief daily 07:30", "Australia/Lord_Howe", "2026-04-04T12:00Z", "2026-04-04T21:00Z"],
    ["brief daily 23:30", "Pacific/Kiritimati", "2026-11-29T09:31Z", "2026-11-30T09:30Z"],
    ["brief daily 00:00", "UTC", "2026-11-29T00:00Z", "2026-11-30T00:00Z"],
    ["brief weekly mon 07:30", "Asia/Tokyo", "2026-11-29T00:00Z", "2026-11-29T22:30Z"],
    ["brief weekly sun 07:30", "Asia/Tokyo", "2026-11-29T00:00Z", "2026-12-05T22:30Z"],
  ])("%s in %s after %s is %s", (text, zone, after, expected) => {
    expect(nextBriefAt(briefOf(text), Date.parse(after), zone)).toBe(Date.parse(expected));
  });

  test("comes once in each local day, at its time", () => {
    const zones = ["America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Asia/Tokyo", "UTC"];
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 4, max: 23 }), (zone, hour) => {
        const time = `${String(hour).padStart(2, "0")}:15`;
        let at = Date.parse("2026-01-01T00:00Z");
        for (let day = 0; day < 330; day++) {
          const next = nextBriefAt({ weekday: null, time }, at, zone);
          expect(timeIn(zone, next)).toBe(time);
          // A day of 23, 24 or 25 hours, and the first one less.
          if (day > 0) expect(Math.abs((next - at) / 3_600_000 - 24)).toBeLessThanOrEqual(1);
          at = next;
        }
      }),
      { numRuns: 8 },
    );
  });
});

/** A market with one share, closes of weekdays in November 2026, and its facts. */
function openWorld() {
  const home = openTestMarket();
  const { market } = home;
  const put = <K extends RecordKind>(kind: K, ...records: RecordOf<K>[]) =>
    market.put(kind, records, SAMPLE);
  put("instruments", instrument("US", "ACME"));
  const close = (date: string, price: number) =>
    put("bars", { country: "US", symbol: "ACME", bars: [flatBar(date, price)] });
  const share = market.instruments.find({ country: "US", symbol: "ACME" });
  if (!share) throw new Error("ACME is not stored");
  const facts = (now: number, currency: string | null = null) =>
    readFacts(createMetricsReader(market, now)(share), new ConvertedCompanies(market, currency), {
      market,
      medianOf: () => null,
      holidays: [],
      now,
    });
  return { market, put, close, share, facts, [Symbol.dispose]: () => home[Symbol.dispose]() };
}

describe("a brief", () => {
  test("covers what became known since the last one, and is silent if nothing did", async () => {
    using world = openWorld();
    const { market, close, share } = world;
    const subject = { list: "core", of: null, instruments: [share] };
    close("2026-11-23", 100);
    close("2026-11-24", 100);
    let state: BriefMark | null = null;
    const judge = async (at: string) => {
      const judged = await judgeBrief(state, subject, market, Date.parse(at));
      state = JSON.parse(JSON.stringify(judged.state)) as BriefMark;
      return judged.message;
    };
    expect(await judge("2026-11-25T08:00Z")).toBeNull();
    close("2026-11-25", 110);
    const move = { what: "move", symbol: "US:ACME", before: 100, after: 110, percent: 10 };
    expect(await judge("2026-11-26T08:00Z")).toMatchObject({
      kind: "brief",
      list: "core",
      total: 1,
      rows: [move],
    });
    expect(await judge("2026-11-26T09:00Z")).toBeNull();
  });
});

describe("facts of an instrument", () => {
  const at = Date.parse("2026-11-25T18:00Z");

  test("have the price of a day that is not over", () => {
    using world = openWorld();
    world.close("2026-11-24", 100);
    world.put("quotes", quoteAt("ACME", 93.5));
    const facts = world.facts(at);
    expect(facts.read("price")).toBe(93.5);
    expect(facts.read("change_percent")).toBe(-6.5);
    expect(facts.price).toEqual({ before: 100, after: 93.5, currency: "USD", date: "2026-11-25" });
  });

  test("leave out figures of prices while a split is not known, and of a suspended share", () => {
    using world = openWorld();
    world.close("2026-11-24", 100);
    world.put("quotes", quoteAt("ACME", 50, { previousClose: 50 }));
    const facts = world.facts(at);
    expect([facts.read("price"), facts.read("change_percent"), facts.price]).toEqual([
      null,
      null,
      null,
    ]);
    using other = openWorld();
    other.close("2026-11-20", 100);
    expect(other.facts(Date.parse("2026-11-24T12:00Z")).read("price")).toBe(100);
    expect(other.facts(Date.parse("2026-11-25T12:00Z")).read("price")).toBeNull();
  });

  test("keep a rule quiet over a split, before it is known and after", () => {
    using world = openWorld();
    const rule = parseRule("price<80") as ConditionRule;
    const terms = { repeat: "again", since: "2026-11-24" } as const;
    const judge = () => judgeCondition(rule, { is: false }, world.facts(at), terms);
    world.close("2026-11-24", 100);
    world.put("quotes", quoteAt("ACME", 50, { previousClose: 50 }));
    expect(judge()).toMatchObject({ is: null, message: null });
    const splits = [{ exDate: "2026-11-25", numerator: 2, denominator: 1 }];
    world.put("splits", { country: "US", symbol: "ACME", splits });
    expect(judge()).toMatchObject({ is: false, message: null });
    // 80 before the split is 40 after it.
    world.put("quotes", quoteAt("ACME", 39, { previousClose: 50 }));
    expect(judge()).toMatchObject({
      is: true,
      message: { split: 2, figures: [{ value: 39, limit: 40 }] },
    });
  });

  // 100 dollars at 150 yen are 15,000 yen.
  test("have the currency of the rule, and a message names the figure and the limit in it", () => {
    using world = openWorld();
    world.put("instruments", instrument("US", "JPY=X", { assetType: "currency", currency: "JPY" }));
    world.put("bars", { country: "US", symbol: "JPY=X", bars: [flatBar("2026-11-24", 150)] });
    world.close("2026-11-24", 100);
    const terms = { repeat: "again", since: "2026-11-24" } as const;
    const judge = (text: string) => {
      const rule = parseRule(text) as ConditionRule;
      return judgeCondition(rule, { is: false }, world.facts(at, rule.currency), terms);
    };
    expect(judge("price<14999円")).toMatchObject({ is: false });
    expect(judge("price<15001円").message).toMatchObject({
      figures: [{ value: 15_000, limit: 15_001, currency: "JPY" }],
    });
    expect(judge("price<15001")).toMatchObject({
      is: true,
      message: { figures: [{ value: 100, limit: 15_001, currency: "USD" }] },
    });
  });

  test("have no amount in a currency without a rate", () => {
    using world = openWorld();
    world.close("2026-11-24", 100);
    expect(world.facts(at, "JPY").read("price")).toBeNull();
  });

  // Four quarters of 100 make 400; with 120 for the oldest of them, 420, which is 5 % more.
  test("name the newest statement, and what a later one changes", () => {
    using world = openWorld();
    const quarter = (year: number, fiscalQuarter: number, end: string, revenue: number) => ({
      country: "US" as const,
      symbol: "ACME",
      span: "quarter" as const,
      fiscalYear: year,
      fiscalQuarter,
      periodEnd: `${year}-${end}`,
      currency: "USD",
      items: { ...NO_ITEMS, revenue },
    });
    world.put(
      "statements",
      { ...quarter(2025, 3, "09-30", 100), filedOn: "2025-10-30" },
      { ...quarter(2025, 4, "12-31", 100), filedOn: "2026-01-30" },
      { ...quarter(2026, 1, "03-31", 100), filedOn: "2026-04-30" },
      { ...quarter(2026, 2, "06-30", 100), filedOn: "2026-07-30" },
    );
    const statement = parseRule("statement") as InstrumentEventRule;
    const terms = { repeat: "again", since: "2026-11-01" } as const;
    const first = judgeEvent(statement, null, world.facts(at), terms);
    expect(first).toMatchObject({ message: null, state: { period: "2026-06-30" } });
    world.put("statements", { ...quarter(2026, 3, "09-30", 120), filedOn: "2026-11-25" });
    const facts = world.facts(at);
    expect(facts.filing).toEqual({
      periodEnd: "2026-09-30",
      quarter: fiscalQuarterNumber(2026, 3),
      filedOn: "2026-11-25",
    });
    const figures = { detail: "revenue TTM to 2026-09-30", before: 400, after: 420, percent: 5 };
    expect(judgeEvent(statement, first.state, facts, terms).message).toMatchObject({
      event: "statement",
      rows: [{ what: "statement", ...figures, unit: "USD" }],
    });
  });

  test("name the releases of a series by every word for it", () => {
    using world = openWorld();
    world.put("macroSeries", {
      country: "JP",
      id: "jp-cpi",
      name: "CPI inflation YoY",
      category: "prices",
      unit: "%",
      decimals: 1,
      frequency: "monthly",
      observations: [
        { period: "2026-09", value: 2.9 },
        { period: "2026-10", value: 2.7 },
      ],
    } as RecordOf<"macroSeries">);
    const event = {
      country: "JP",
      forecast: null,
      consensus: null,
      previous: null,
      importance: "high",
    } as const;
    world.put("calendarEvents", {
      ...event,
      id: "cpi-2026-10",
      event: "CPI y/y",
      date: "2026-11-19",
      time: "23:30",
      actual: null,
      currency: null,
      series: "jp-cpi",
      period: "2026-10",
    } as RecordOf<"calendarEvents">);
    for (const word of ["CPI", "inflation", "lạm phát", "消費者物価指数"]) {
      const rule = parseRule(`release ${word} JP`) as ReleaseRule;
      expect(readReleases(rule, { market: world.market, now: at })).toMatchObject({
        country: "JP",
        name: "CPI inflation YoY",
        known: [{ id: "cpi-2026-10", actual: "2.7%", previous: "2.9%" }],
      });
    }
    // A calendar of the operator names no series.
    const titled = (title: string, id: string) =>
      world.put("calendarEvents", {
        ...event,
        id,
        event: title,
        date: "2026-11-20",
        time: "01:00",
        actual: "2.5%",
        currency: null,
      } as RecordOf<"calendarEvents">);
    titled("CPI y/y (Oct)", "a");
    titled("Inflation Rate", "b");
    titled("CPI m/m", "c");
    titled("CPI Tokyo", "d");
    titled("Machine Orders YoY", "e");
    const cpi = parseRule("release CPI JP") as ReleaseRule;
    const { known } = readReleases(cpi, { market: world.market, now: at });
    expect(known.map(({ id }) => id)).toEqual(["cpi-2026-10", "a", "b"]);
    const unknown = parseRule("release infltion JP") as ReleaseRule;
    expect(() => readReleases(unknown, { market: world.market, now: at })).toThrow(
      "not found in Japan",
    );
  });
});
