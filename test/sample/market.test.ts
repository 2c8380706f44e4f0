import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { indexPe } from "#analytics/index-valuation.ts";
import { lastCompletedSession, sessionsBetween } from "#analytics/sessions.ts";
import { companyFundamentals } from "#analytics/valuation.ts";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { BarHistory } from "#domain/daily-bar.ts";
import type { Instrument } from "#domain/instrument.ts";
import { type RecordKind, type RecordOf, RECORDS } from "#domain/records.ts";
import { NO_ITEMS, type Statement, type StatementItem } from "#domain/statement.ts";
import { addDays } from "#lib/date.ts";
import { memoize } from "#sample/memoize.ts";
import { createSampleMakers, sampleStamp } from "#sample/provider.ts";
import { sampleInstrument, type SampleListing, listUniverse } from "#sample/universe.ts";
import { COMPANIES } from "./listings.ts";

const NOW = Date.parse("2026-11-20T06:00:00Z");
const DAY_MS = 86_400_000;

const keyOf = ({ country, symbol }: { country: Country; symbol: string }) => `${country} ${symbol}`;

type Makers = ReturnType<typeof createSampleMakers>;

/** New makers at an instant, without a cache; of bars, only those after a date if it is given. */
const makersAt = (now: number, after: string | null = null): Makers =>
  createSampleMakers({ now, after });

function recordsOf<K extends RecordKind>(makers: Makers, kind: K): Iterable<RecordOf<K>> {
  const maker = makers.find((one) => one.kind === kind);
  if (!maker) throw new Error(`no maker for ${kind}`);
  return maker.make() as Iterable<RecordOf<K>>;
}

function sharesOf(key: string): number | null {
  return COMPANIES.find((listing) => keyOf(listing) === key)?.sharesOutstanding ?? null;
}

const statementsByCompany = (makers: Makers): Map<string, Statement[]> =>
  Map.groupBy(recordsOf(makers, "statements"), keyOf);

const instrumentsByKey = (makers: Makers): Map<string, Instrument> =>
  new Map(Array.from(recordsOf(makers, "instruments"), (record) => [keyOf(record), record]));

const dividendsByKey = (makers: Makers) =>
  new Map(
    Array.from(recordsOf(makers, "dividends"), (record) => [keyOf(record), record.dividends]),
  );

/** The newest close of every instrument. */
const newestCloses = (makers: Makers): Map<string, number> =>
  new Map(
    Array.from(recordsOf(makers, "bars"), (history) => [
      keyOf(history),
      history.bars.at(-1)?.close ?? Number.NaN,
    ]),
  );

const bars = new Map<string, BarHistory>();
let statements: ReturnType<typeof statementsByCompany>;
let dividends: ReturnType<typeof dividendsByKey>;

beforeAll(() => {
  const makers = makersAt(NOW);
  for (const history of recordsOf(makers, "bars")) bars.set(keyOf(history), history);
  statements = statementsByCompany(makers);
  dividends = dividendsByKey(makers);
});
// Two million bars would stay in the memory of later files.
afterAll(() => bars.clear());

describe("records", () => {
  test("every record of every kind fits its schema", () => {
    for (const { kind, make } of makersAt(NOW)) {
      const check = TypeCompiler.Compile(RECORDS[kind]);
      let count = 0;
      for (const record of make()) {
        if (!check.Check(record)) throw new Error(`${kind}: ${JSON.stringify(record)}`);
        count++;
      }
      expect([kind, count > 0]).toEqual([kind, true]);
    }
  });

  test("two runs at the same instant give the same records", () => {
    const digests = () =>
      // Only the last weeks' bars: another test compares all of them with those of a later market.
      makersAt(NOW, "2026-10-01").map(({ kind, make }) => {
        const hasher = new Bun.CryptoHasher("sha1");
        for (const record of make()) hasher.update(JSON.stringify(record));
        return [kind, hasher.digest("hex")];
      });
    expect(digests()).toEqual(digests());
  });

  test("the stamp changes with the date, each completed session and each publication only", () => {
    const at = (time: string) => sampleStamp(Date.parse(`2026-11-20T${time}Z`));
    // Sessions end at 07:00 (JP), 08:30 (VN) and 22:00 (US) UTC; Viet Nam's credit is published at 08:00.
    const times = ["00:00", "06:59", "07:00", "07:59", "08:00", "08:29", "08:30", "21:59", "22:00"];
    const stamps = [...times, "23:59"].map(at);
    expect(times.filter((_, i) => stamps[i] !== stamps[i - 1] && i > 0)).toEqual([
      "07:00",
      "08:00",
      "08:30",
      "22:00",
    ]);
    expect(stamps.at(-1)).toBe(stamps.at(-2) ?? "");
    expect(sampleStamp(NOW + DAY_MS)).not.toBe(sampleStamp(NOW));
  });
});

describe("bars", () => {
  test("instruments of an exchange have one bar per session, up to the last completed one", () => {
    const sessions = new Map(
      COUNTRY_CODES.map((country) => [
        country,
        sessionsBetween(country, "2015-07-01", lastCompletedSession(country, NOW)),
      ]),
    );
    let suspended = 0;
    for (const listing of listUniverse()) {
      // Currencies, the dollar index and cryptocurrencies have other days: see links.test.ts.
      if (/^c(urrency|ryptocurrency)$/.test(listing.assetType)) continue;
      if (listing.symbol === "DX-Y.NYB") continue;
      const dates = bars.get(keyOf(listing))?.bars.map(({ date }) => date) ?? [];
      const expected = (sessions.get(listing.country) ?? []).filter(
        (date) => date >= (listing.listedOn ?? ""),
      );
      const traded = new Set(dates);
      const missing = expected.filter((date) => !traded.has(date));
      expect([...dates, ...missing].sort()).toEqual(expected);
      // Tokyo's exchange was down for all of 1 October 2020.
      const outage = listing.country === "JP" ? ["2020-10-01"] : [];
      const own = missing.filter((date) => !outage.includes(date));
      if (expected.includes("2020-10-01")) expect(missing).toEqual([...outage, ...own].sort());
      if (listing.marketCap === null) expect(own).toEqual([]);
      // A company is suspended for one day of a year at most.
      expect(new Set(own.map((date) => date.slice(0, 4))).size).toBe(own.length);
      suspended += own.length;
    }
    // 3 % of 430 companies in each of eleven years: some 140.
    expect(suspended).toBeGreaterThan(70);
    expect(suspended).toBeLessThan(220);
  });

  test.each([
    ["US ABNB", "2020-12-10"],
    ["US COIN", "2021-04-14"],
    ["US PLTR", "2020-09-30"],
    ["US RBLX", "2021-03-10"],
    ["US SNAP", "2017-03-02"],
    ["JP 4385", "2018-06-19"],
    ["JP 9434", "2018-12-19"],
    ["VN VHM", "2018-05-17"],
    ["VN TCB", "2018-06-04"],
  ])("%s begins on the day of its listing, %s", (key, date) => {
    expect(bars.get(key)?.bars[0]?.date).toBe(date);
    // Statements of its prospectus are known from that day on.
    expect(statements.get(key)?.every(({ filedOn }) => filedOn >= date)).toBe(true);
  });

  test("all markets fell by a third or so from February to March 2020", () => {
    // The S&P 500 fell by 34 %, the Nikkei by 31 %, the VN-Index by 33 %.
    for (const key of ["US ^GSPC", "JP ^N225", "VN VNINDEX"]) {
      const closes = bars.get(key)?.bars.filter(({ date }) => date.startsWith("2020")) ?? [];
      const before = closes.findLast(({ date }) => date <= "2020-02-19")?.close ?? 0;
      const low = Math.min(...closes.filter(({ date }) => date < "2020-05").map((b) => b.close));
      expect([key, low / before]).toSatisfy(() => low < 0.76 * before && low > 0.55 * before);
    }
  });

  test("a share moves more on reports than on other days, and opens with a gap", () => {
    let [reportMoves, otherMoves, reports, others] = [0, 0, 0, 0];
    for (const listing of COMPANIES.filter(({ country }) => country === "US")) {
      const own = bars.get(keyOf(listing))?.bars ?? [];
      const reported = new Set(statements.get(keyOf(listing))?.map(({ filedOn }) => filedOn));
      for (const [i, bar] of own.entries()) {
        const before = own[i - 1];
        if (!before || bar.date < "2021") continue;
        const gap = Math.abs(Math.log(bar.open / before.close));
        if (reported.has(bar.date) || reported.has(before.date)) {
          reportMoves += gap;
          reports++;
        } else {
          otherMoves += gap;
          others++;
        }
      }
    }
    expect(reportMoves / reports).toBeGreaterThan(1.8 * (otherMoves / others));
  });

  test("prices in Viet Nam are multiples of the tick and within the daily limits of their exchange", () => {
    const limits = { HOSE: 0.07, HNX: 0.1, UPCOM: 0.15 };
    for (const listing of listUniverse()) {
      const { country, exchange, assetType } = listing;
      if (country !== "VN" || !["stock", "etf", "reit"].includes(assetType)) continue;
      const own = bars.get(keyOf(listing))?.bars ?? [];
      const limit = limits[exchange as keyof typeof limits];
      for (const [i, { date, open, high, low, close }] of own.entries()) {
        for (const price of [open, high, low, close]) {
          // HOSE: 10 dong below 10,000, 50 below 50,000, 100 above, and 10 for funds. Elsewhere 100.
          const ofHose = assetType !== "stock" || price < 10_000 ? 10 : price < 50_000 ? 50 : 100;
          const tick = exchange === "HOSE" ? ofHose : 100;
          if (price % tick !== 0) throw new Error(`${listing.symbol} ${date} ${price}`);
        }
        const before = own[i - 1]?.close;
        if (before === undefined) continue;
        // One tick is always allowed.
        const most = Math.max(limit * before, 100) + 1e-6;
        if (high - before > most || before - low > most)
          throw new Error(`${listing.symbol} ${date} moved by more than ${limit}`);
      }
    }
  });

  test("volumes are plausible for a large fund and for companies", () => {
    const usual = (key: string) => {
      const volumes =
        bars
          .get(key)
          ?.bars.slice(-250)
          .map(({ volume }) => volume ?? 0) ?? [];
      return volumes.toSorted((a, b) => a - b)[125] ?? 0;
    };
    // SPY trades tens of millions of shares a day.
    expect(usual("US SPY")).toSatisfy((volume) => volume > 30e6 && volume < 150e6);
    // It is the most traded security of the US by value, next to the largest technology companies.
    const value = (key: string) => usual(key) * (bars.get(key)?.bars.at(-1)?.close ?? 0);
    for (const symbol of ["AVGO", "ABBV", "JPM", "WELL"])
      expect([symbol, value(`US ${symbol}`)]).toSatisfy(([, own]) => Number(own) < value("US SPY"));
    // A real estate trust trades less than 1 % of its shares a day.
    expect(usual("US WELL") / (sharesOf("US WELL") ?? 0)).toBeLessThan(0.01);
    // A day's volume of a company is between 0.1 and 5 % of its shares.
    for (const listing of COMPANIES) {
      const share = usual(keyOf(listing)) / (listing.sharesOutstanding ?? 0);
      expect([keyOf(listing), share]).toSatisfy(() => share > 0.001 && share < 0.05);
    }
  });

  test("the history reaches back far enough for ten years on every date since 2026", () => {
    for (const listing of listUniverse().filter(({ listedOn }) => listedOn === null))
      expect((bars.get(keyOf(listing))?.bars[0]?.date ?? "9") <= addDays("2026-01-01", -3652)).toBe(
        true,
      );
  });

  test("low ≤ open and close ≤ high", () => {
    for (const [key, { bars: history }] of bars)
      for (const { date, open, high, low, close } of history)
        if (!(0 < low && low <= Math.min(open, close) && Math.max(open, close) <= high))
          throw new Error(`${key} ${date}`);
  });

  test("on the anchor date every close is the universe's price", () => {
    for (const listing of listUniverse()) {
      const bar = bars.get(keyOf(listing))?.bars.find(({ date }) => date === "2025-10-01");
      // A price of the universe may be between two ticks.
      expect(Math.abs((bar?.close ?? 0) / listing.price - 1)).toBeLessThan(0.002);
    }
  });

  test("shares have a daily deviation of 1 to 4 %, and never move by more than 15 %", () => {
    for (const listing of COMPANIES) {
      const closes = bars.get(keyOf(listing))?.bars.map(({ close }) => close) ?? [];
      const moves = closes.slice(1).map((close, i) => Math.log(close / (closes[i] ?? close)));
      const deviation = Math.sqrt(moves.reduce((sum, x) => sum + x * x, 0) / moves.length);
      expect(deviation).toBeGreaterThan(0.01);
      expect(deviation).toBeLessThan(0.04);
      expect(Math.max(...moves.map(Math.abs))).toBeLessThan(0.15);
    }
  });

  test("both share classes of one issuer move together", () => {
    const [a, c] = ["US GOOGL", "US GOOG"].map((key) => bars.get(key)?.bars ?? []);
    for (const [i, bar] of a?.entries() ?? [])
      expect(Math.abs(bar.close / (c?.[i]?.close ?? 0) / (290 / 291) - 1)).toBeLessThan(1e-3);
  });

  test("a later market has exactly the bars of an earlier one, followed by newer ones", () => {
    let compared = 0;
    for (const later of recordsOf(makersAt(NOW + 30 * DAY_MS), "bars")) {
      const earlier = bars.get(keyOf(later))?.bars ?? [];
      expect(later.bars.length).toBeGreaterThan(earlier.length + 15);
      expect(later.bars[0]?.date).toBe(earlier[0]?.date ?? "");
      for (const [i, bar] of earlier.entries()) {
        const same = later.bars[i];
        if (
          same?.date !== bar.date ||
          same.open !== bar.open ||
          same.high !== bar.high ||
          same.low !== bar.low ||
          same.close !== bar.close ||
          same.volume !== bar.volume
        )
          throw new Error(`${keyOf(later)} ${bar.date}`);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(1_600_000);
  });

  test("with a date, only the bars after it are generated", () => {
    for (const fresh of recordsOf(makersAt(NOW, "2026-10-30"), "bars")) {
      const all = bars.get(keyOf(fresh))?.bars ?? [];
      expect(fresh.bars).toEqual(all.filter(({ date }) => date > "2026-10-30"));
    }
  });
});

/** The amount of an item; 0 for items that banks and insurers do not report. */
const amount = (items: Statement["items"], item: StatementItem) => items[item] ?? 0;

describe("statements", () => {
  test("a company reports at least seven fiscal years, or all since two years before its listing", () => {
    const young: string[] = [];
    for (const company of COMPANIES) {
      const own = statements.get(keyOf(company)) ?? [];
      const years = own.filter(({ span }) => span === "year").length;
      const listingYear = Number((company.listedOn ?? "2000").slice(0, 4));
      // The prospectus has the years that end in the two years before the listing. 2025 is filed.
      const sinceProspectus = 2025 - (listingYear - 2) + 1;
      if (sinceProspectus < 7) {
        young.push(company.symbol);
        expect([company.symbol, years]).toEqual([company.symbol, sinceProspectus]);
      } else expect(years).toBeGreaterThanOrEqual(7);
    }
    // Constellation Energy was listed in February 2022, VNG in January 2023.
    expect(young).toEqual(["CEG", "VNZ"]);
  });

  test("a company reports every period within 60 days or so, and not before 25 days or its usual time", () => {
    for (const company of COMPANIES) {
      const listedOn = company.listedOn ?? "";
      // A weekday of variation, a weekend at the quarter's end, and a Friday's report on Thursday.
      const earliest = Math.min(25, (company.reportDays ?? Infinity) - 5);
      for (const { periodEnd, filedOn } of statements.get(keyOf(company)) ?? []) {
        // Reports of US companies that are due from 19 December on are on the last session before.
        const isBeforeHolidays = company.country === "US" && /-12-1[678]$/.test(filedOn);
        if (!isBeforeHolidays)
          expect([company.symbol, filedOn >= addDays(periodEnd, earliest)]).toEqual([
            company.symbol,
            true,
          ]);
        // The next session after 60 days; Tet can put nine closed days between.
        if (filedOn !== listedOn) expect(filedOn <= addDays(periodEnd, 69)).toBe(true);
        expect(filedOn <= "2026-11-20").toBe(true);
      }
    }
  });

  test("Japanese companies report cumulatively, all others by quarter", () => {
    const spans = (country: Country) =>
      new Set(
        [...statements.values()]
          .flat()
          .filter((s) => s.country === country)
          .map((s) => s.span),
      );
    expect(spans("JP")).toEqual(new Set(["year_to_date", "year"]));
    expect(spans("US")).toEqual(new Set(["quarter", "year"]));
    expect(spans("VN")).toEqual(new Set(["quarter", "year"]));
  });

  const FLOWS: StatementItem[] = [
    "revenue",
    "costOfRevenue",
    "grossProfit",
    "operatingIncome",
    "ebitda",
    "pretaxIncome",
    "incomeTax",
    "netIncome",
    "operatingCashFlow",
    "investingCashFlow",
    "financingCashFlow",
    "capitalExpenditure",
  ];

  test("every statement adds up exactly", () => {
    for (const [key, own] of statements) {
      for (const { items: i, span, periodEnd } of own) {
        const at = `${key} ${span} ${periodEnd}`;
        expect([at, amount(i, "totalAssets")]).toEqual([
          at,
          amount(i, "totalLiabilities") +
            amount(i, "commonEquity") +
            amount(i, "preferredEquity") +
            amount(i, "minorityInterest"),
        ]);
        expect([at, amount(i, "pretaxIncome") - amount(i, "incomeTax")]).toEqual([
          at,
          amount(i, "netIncome"),
        ]);
        if (i.grossProfit !== null)
          expect([at, amount(i, "revenue") - amount(i, "costOfRevenue")]).toEqual([
            at,
            i.grossProfit,
          ]);
        // Parts are less than their total.
        expect(amount(i, "totalDebt")).toBeLessThan(amount(i, "totalLiabilities"));
        expect(amount(i, "cash") + amount(i, "inventory")).toBeLessThan(
          i.currentAssets ?? amount(i, "totalAssets"),
        );
        expect(amount(i, "currentLiabilities")).toBeLessThan(amount(i, "totalLiabilities"));
        expect(amount(i, "revenue")).toBeGreaterThan(0);
        expect(amount(i, "commonEquity")).toBeGreaterThan(0);
      }
    }
  });

  test("a year is the sum of its quarters, and ends with the balances of the last one", () => {
    for (const own of statements.values()) {
      for (const year of own.filter(({ span }) => span === "year")) {
        const quarters = own.filter(
          ({ span, fiscalYear }) => span === "quarter" && fiscalYear === year.fiscalYear,
        );
        if (year.country === "JP") continue;
        expect(quarters).toHaveLength(4);
        for (const item of FLOWS)
          expect(quarters.reduce((sum, { items }) => sum + amount(items, item), 0)).toBe(
            amount(year.items, item),
          );
        const eps = quarters.reduce((sum, { items }) => sum + amount(items, "epsDiluted"), 0);
        expect(eps).toBeCloseTo(amount(year.items, "epsDiluted"), 9);
        expect(year.items.cash).toBe(quarters.at(-1)?.items.cash ?? null);
      }
    }
  });

  test("years to date only grow within a year", () => {
    for (const own of statements.values())
      for (const s of own.filter(
        ({ country, fiscalQuarter }) => country === "JP" && fiscalQuarter > 1,
      )) {
        const before = own.find(
          ({ fiscalYear, fiscalQuarter }) =>
            fiscalYear === s.fiscalYear && fiscalQuarter === s.fiscalQuarter - 1,
        );
        expect(amount(s.items, "revenue")).toBeGreaterThan(before?.items.revenue ?? Infinity);
      }
  });

  test("the three cash flows of a period add up to the change of cash", () => {
    for (const own of statements.values()) {
      const ends = new Map(own.map(({ periodEnd, items }) => [periodEnd, items.cash ?? 0]));
      for (const { span, fiscalQuarter, periodEnd, items } of own) {
        const months = span === "quarter" ? 3 : 3 * fiscalQuarter;
        const [year = 0, month = 0] = periodEnd.split("-").map(Number);
        const start = new Date(Date.UTC(year, month - months, 0)).toISOString().slice(0, 10);
        const cashBefore = ends.get(start);
        if (cashBefore === undefined) continue;
        expect(
          amount(items, "operatingCashFlow") +
            amount(items, "investingCashFlow") +
            amount(items, "financingCashFlow"),
        ).toBe((items.cash ?? 0) - cashBefore);
      }
    }
  });

  test("US companies have a revenue per employee that pays wages", () => {
    // Darden's is one of the lowest of large companies: 12.1 billion dollars by 191,000 people in 2025.
    for (const { country, symbol, employees } of COMPANIES) {
      if (country !== "US" || employees === null) continue;
      const year = (statements.get(`US ${symbol}`) ?? [])
        .filter(({ span }) => span === "quarter")
        .slice(-4)
        .reduce((sum, { items }) => sum + amount(items, "revenue"), 0);
      expect([symbol, year / employees]).toSatisfy(([, one]) => Number(one) > 50_000);
    }
  });

  test("Alphabet holds more cash than debt", () => {
    for (const { items } of statements.get("US GOOGL") ?? [])
      expect(amount(items, "cash")).toBeGreaterThan(amount(items, "totalDebt"));
  });

  test("balance sheets are near the published ones where the industry's ratios would be far off", () => {
    const newest = (key: string) => statements.get(key)?.at(-1)?.items ?? NO_ITEMS;
    const capOf = (key: string) => {
      const { close = Number.NaN } = bars.get(key)?.bars.at(-1) ?? {};
      return close * amount(newest(key), "sharesDiluted");
    };
    // Price / book value in autumn 2025: Tejon Ranch 430 / 475 million dollars, FRP Holdings 450 / 420.
    for (const key of ["US TRC", "US FRPH"])
      expect([key, capOf(key) / amount(newest(key), "commonEquity")]).toSatisfy(
        ([, ratio]) => Number(ratio) > 0.6 && Number(ratio) < 1.6,
      );
    // Berkshire Hathaway 1,078 / 698 billion dollars, with assets of 1,226 billion.
    expect(capOf("US BRK.B") / amount(newest("US BRK.B"), "commonEquity")).toSatisfy(
      (ratio) => ratio > 1 && ratio < 2.5,
    );
    expect(amount(newest("US BRK.B"), "totalAssets") / 1.226e12).toSatisfy(
      (ratio) => Math.abs(ratio - 1) < 0.3,
    );
    // Takeda's assets on 31 March 2025: 14.2 trillion yen, of which 6.9 trillion are equity.
    const takeda = newest("JP 4502");
    expect(amount(takeda, "totalAssets") / 14.2e12).toSatisfy((ratio) => Math.abs(ratio - 1) < 0.3);
    expect(amount(takeda, "commonEquity") / 6.9e12).toSatisfy((ratio) => Math.abs(ratio - 1) < 0.3);
    // Airbnb on 30 September 2025: 11.7 billion dollars of cash, 2 billion of debt.
    const airbnb = newest("US ABNB");
    expect((amount(airbnb, "totalDebt") - amount(airbnb, "cash")) / (2e9 - 11.7e9)).toSatisfy(
      (ratio) => Math.abs(ratio - 1) < 0.3,
    );
  });

  test("profitable companies seldom have a negative operating cash flow; Visa and S&P Global never", () => {
    const negative = new Map<string, number>();
    let quarters = 0;
    for (const [key, own] of statements)
      for (const { span, items } of own) {
        if (span !== "quarter" || (items.netIncome ?? 0) <= 0) continue;
        quarters++;
        if (amount(items, "operatingCashFlow") < 0) negative.set(key, (negative.get(key) ?? 0) + 1);
      }
    expect([negative.get("US V"), negative.get("US SPGI")]).toEqual([undefined, undefined]);
    const total = [...negative.values()].reduce((sum, count) => sum + count, 0);
    expect(total / quarters).toBeLessThan(0.01);
  });

  test("a later market has the same statements, and only newly filed ones besides", () => {
    const later = statementsByCompany(makersAt(NOW + 30 * DAY_MS));
    let added = 0;
    for (const [key, own] of statements) {
      const after = later.get(key) ?? [];
      expect(after.slice(0, own.length)).toEqual(own);
      for (const { filedOn } of after.slice(own.length)) expect(filedOn > "2026-11-20").toBe(true);
      added += after.length - own.length;
    }
    expect(added).toBeGreaterThan(0);
  });
});

/** Net income and share count of each fiscal quarter, oldest first. */
function quarterlyEarnings(own: readonly Statement[]) {
  return own
    .filter(({ country, span }) => country === "JP" || span === "quarter")
    .map(({ country, fiscalYear, fiscalQuarter, items }) => {
      // Japanese companies report the year to date.
      const before = own.find(
        (one) =>
          country === "JP" &&
          one.fiscalYear === fiscalYear &&
          one.fiscalQuarter === fiscalQuarter - 1,
      );
      return {
        netIncome: amount(items, "netIncome") - (before ? amount(before.items, "netIncome") : 0),
        shares: amount(items, "sharesDiluted"),
      };
    });
}

/**
 * Published figures of autumn 2025 above the usual bounds: price / diluted earnings per share of four
 * quarters, and enterprise value / EBITDA of four quarters in billions of dollars.
 */
const DEAR: Readonly<Record<string, { readonly pe: number; readonly evToEbitda?: number }>> = {
  // EBITDA = operating income + depreciation.
  AMD: { pe: 220 / (0.29 + 0.44 + 0.54 + 0.75) },
  PLTR: { pe: 180 / (0.03 + 0.08 + 0.13 + 0.18), evToEbitda: (428 - 6) / (0.85 + 0.03) },
  TSLA: { pe: 430 / (0.66 + 0.12 + 0.33 + 0.39), evToEbitda: (1_430 - 29) / (4.5 + 5.9) },
  PANW: { pe: 190 / 1.6, evToEbitda: (131 - 3) / (1.24 + 0.34) },
  ABBV: { pe: 228 / (-0.02 + 0.72 + 0.52 + 0.1) },
  WELL: { pe: 200 / (0.19 + 0.4 + 0.45 + 0.41) },
};

describe("valuation", () => {
  const fundamentalsAt = memoize((date: string) => {
    const makers = makersAt(Date.parse(`${date}T12:00:00Z`), addDays(date, -15));
    const closes = newestCloses(makers);
    const filed = statementsByCompany(makers);
    const paid = dividendsByKey(makers);
    const instruments = instrumentsByKey(makers);
    return COMPANIES.map((listing) => ({
      listing,
      own: filed.get(keyOf(listing)) ?? [],
      price: closes.get(keyOf(listing)) ?? Number.NaN,
      figures: companyFundamentals({
        instrument: instruments.get(keyOf(listing)) ?? sampleInstrument(listing, null),
        statements: filed.get(keyOf(listing)) ?? [],
        price: closes.get(keyOf(listing)) ?? null,
        dividends: paid.get(keyOf(listing)) ?? null,
        asOf: date,
      }),
    }));
  });

  test.each(["2026-01-15", "2026-11-20", "2030-06-03"])(
    "on %s every profitable company has a plausible P/E that its statements give",
    (date) => {
      for (const { listing, own, price, figures } of fundamentalsAt(date)) {
        const { pe, marketCap, netIncomeTtm, epsTtm } = figures;
        if (listing.pe === null) {
          expect(pe).toBeNull();
          expect(netIncomeTtm).toBeLessThan(0);
          continue;
        }
        // A dear share has half as much again as its published P/E at most.
        const most = Math.max(120, 1.5 * (DEAR[listing.symbol]?.pe ?? 0));
        expect([listing.symbol, pe]).toSatisfy(() => pe !== null && pe > 2 && pe < most);
        // The number of shares changes: the earnings of each quarter are divided by its own number.
        const year = quarterlyEarnings(own).slice(-4);
        const perShare = year.reduce((sum, one) => sum + one.netIncome / one.shares, 0);
        const averageShares = (netIncomeTtm ?? 0) / perShare;
        const byCap = (price * averageShares) / (netIncomeTtm ?? 0);
        expect(marketCap).toBe(price * (own.at(-1)?.items.sharesDiluted ?? 0));
        // Twelve months are put together from three figures, each rounded to a hundredth.
        const rounding = (3 * 0.005) / (epsTtm ?? 0);
        expect(Math.abs((epsTtm ?? 0) * (pe ?? 0) - price)).toBeLessThan(1e-6 * price);
        expect(Math.abs((pe ?? 0) / byCap - 1)).toBeLessThan(rounding + 1e-6);
      }
    },
  );

  test("on the anchor date the P/E is the universe's, within 5 to 300", () => {
    for (const { listing, figures } of fundamentalsAt("2025-10-01")) {
      if (listing.pe === null) continue;
      const expected = Math.min(Math.max(listing.pe, 5), 300);
      const byCap = (figures.marketCap ?? 0) / (figures.netIncomeTtm ?? 0);
      // The US session of the day is not completed at noon: the close is that of the day before.
      expect(Math.abs(byCap / expected - 1)).toBeLessThan(listing.country === "US" ? 0.1 : 0.005);
    }
  });

  test("every applicable figure of a company is present and plausible", () => {
    for (const { listing, figures: f } of ["2026-11-20", "2030-06-03"].flatMap(fundamentalsAt)) {
      const isLender = /^(banks|insurance-(?!brokers))/.test(listing.industry ?? "");
      const isBroker = /^(capital-markets|mortgage-finance)$/.test(listing.industry ?? "");
      expect(f.statementCurrency).toBe(listing.currency);
      expect(f.pb).toBeGreaterThan(0.1);
      expect(f.ps).toBeGreaterThan(0.05);
      expect(Math.abs(f.roePercent ?? Infinity)).toBeLessThan(60);
      expect(Math.abs(f.revenueGrowthPercent ?? Infinity)).toBeLessThan(60);
      expect(f.dividendYieldPercent).toBeGreaterThanOrEqual(0);
      // Annaly declared four dividends of 0.70 dollars for 2025, at a price of 22 dollars.
      const mostPaid = listing.symbol === "NLY" ? (1.25 * 100 * 4 * 0.7) / 22 : 9;
      expect([listing.symbol, f.dividendYieldPercent]).toSatisfy(
        ([, percent]) => Number(percent) < mostPaid,
      );
      const mostEv = Math.max(60, 1.5 * (DEAR[listing.symbol]?.evToEbitda ?? 0));
      expect([listing.symbol, f.evToEbitda ?? 0]).toSatisfy(([, ratio]) => Number(ratio) < mostEv);
      expect(f.investingCashFlowTtm).not.toBeNull();
      expect(f.grossMarginPercent === null).toBe(isLender);
      expect(f.ebitdaTtm === null).toBe(isLender || isBroker);
      expect(f.currentRatio === null).toBe(isLender);
      if (!isLender && listing.pe !== null) {
        expect(f.grossMarginPercent).toBeGreaterThan(f.operatingMarginPercent ?? Infinity);
        expect(f.operatingMarginPercent).toBeGreaterThan(f.netMarginPercent ?? Infinity);
        expect(f.netMarginPercent).toBeGreaterThan(0);
        expect(f.operatingCashFlowTtm).toBeGreaterThan(0);
      }
    }
  });

  // They paid dividends in 2025 although they reported a net loss for that year or the one before.
  const LOSS_MAKING_PAYERS = new Set("ALB APD BTU BXP DOW MMI 4911 6723".split(" "));

  test("dividends fall on sessions; loss-makers, indices, currencies and coins pay none", () => {
    let payers = 0;
    for (const listing of listUniverse()) {
      const own = dividends.get(keyOf(listing));
      const pays = listing.marketCap !== null || listing.assetType === "etf";
      expect([keyOf(listing), own !== undefined]).toEqual([keyOf(listing), pays]);
      if (own === undefined) continue;
      if (own.length > 0) payers++;
      if (
        listing.marketCap !== null &&
        listing.pe === null &&
        !LOSS_MAKING_PAYERS.has(listing.symbol)
      )
        expect([listing.symbol, own]).toEqual([listing.symbol, []]);
      const dates = own.map(({ exDate }) => exDate);
      expect(dates).toEqual([...new Set(dates)].sort());
      const sessions = new Set(bars.get(keyOf(listing))?.bars.map(({ date }) => date));
      for (const date of dates) expect(sessions.has(date) || date === "2026-11-20").toBe(true);
    }
    expect(payers).toBeGreaterThan(350);
  });

  test("known companies have their real number of dividends, and about their real yields", () => {
    const ofYear = (key: string) =>
      dividends.get(key)?.filter(({ exDate }) => exDate.startsWith("2025")) ?? [];
    // Yields of 2025 in percent, from the companies' declared dividends and prices of that autumn.
    for (const [key, payments, percent] of [
      ["US O", 12, 5.6],
      ["US WELL", 4, 1.5],
      ["US ABBV", 4, 2.9],
      ["US LLY", 4, 0.6],
      ["US AVGO", 4, 0.7],
      ["US COST", 4, 0.6],
      ["US VZ", 4, 6.8],
      ["JP 4502", 2, 4.3],
      ["JP 8951", 2, 3.5],
      ["VN VNM", 2, 7.2],
    ] as const) {
      const paid = ofYear(key);
      expect([key, paid.length]).toEqual([key, payments]);
      const listing = COMPANIES.find((one) => keyOf(one) === key);
      const sum = paid.reduce((total, { amount: one }) => total + one, 0);
      expect([key, (100 * sum) / (listing?.price ?? 0) / percent]).toSatisfy(
        () => Math.abs((100 * sum) / (listing?.price ?? 0) / percent - 1) < 0.12,
      );
    }
    for (const key of ["US AMZN", "US BRK.B", "US TSLA", "US ABNB", "JP 4385"])
      expect(dividends.get(key)).toEqual([]);
  });

  test("share counts, minority interest and current ratios differ by company and over time", () => {
    const newest = (key: string) => statements.get(key)?.at(-1)?.items;
    const oldest = (key: string) => statements.get(key)?.[0]?.items;
    const fewer = COMPANIES.filter((listing) => {
      const key = keyOf(listing);
      return (newest(key)?.sharesDiluted ?? 0) < (oldest(key)?.sharesDiluted ?? 0);
    });
    const share = (country: Country) =>
      fewer.filter((listing) => listing.country === country).length /
      COMPANIES.filter((listing) => listing.country === country).length;
    // Most US and Japanese companies buy shares back; REITs, utilities and unprofitable ones issue some.
    expect(share("US")).toSatisfy((one) => one > 0.6 && one < 0.95);
    expect(share("JP")).toSatisfy((one) => one > 0.6 && one < 0.97);
    const minorities = COMPANIES.map((listing) => {
      const items = newest(keyOf(listing));
      return (items?.minorityInterest ?? 0) / (items?.commonEquity ?? 1);
    });
    expect(minorities.filter((one) => one === 0).length).toBeGreaterThan(80);
    expect(new Set(minorities.map((one) => one.toFixed(4))).size).toBeGreaterThan(100);
    const ratios = (statements.get("US AAPL") ?? []).map(({ items }) =>
      (amount(items, "currentAssets") / amount(items, "currentLiabilities")).toFixed(2),
    );
    expect(new Set(ratios).size).toBeGreaterThan(10);
  });

  test("past index P/E are those that the analytics give for their dates", () => {
    const history = Array.from(recordsOf(makersAt(NOW), "indexPe"));
    for (const country of COUNTRY_CODES) {
      const months = history.filter((one) => one.country === country);
      expect(months.map(({ month }) => month)).toHaveLength(72);
      expect(months[0]?.month).toBe("2020-11");
      expect(months.at(-1)?.month).toBe("2026-10");
    }
    const members = (listing: SampleListing) => listing.indexMember && listing.primaryListing;
    for (const [month, monthEnd] of [
      ["2021-01", "2021-01-31"],
      ["2023-06", "2023-06-30"],
      ["2026-10", "2026-10-31"],
    ] as const)
      for (const country of COUNTRY_CODES) {
        const sharesThen = (listing: SampleListing) =>
          statements.get(keyOf(listing))?.findLast(({ filedOn }) => filedOn <= monthEnd)?.items
            .sharesDiluted ?? null;
        const then = COMPANIES.filter((one) => one.country === country && members(one)).map(
          (listing) =>
            companyFundamentals({
              instrument: sampleInstrument(listing, sharesThen(listing)),
              statements: statements.get(keyOf(listing)) ?? [],
              price:
                bars.get(keyOf(listing))?.bars.findLast(({ date }) => date <= monthEnd)?.close ??
                null,
              dividends: null,
              asOf: monthEnd,
            }),
        );
        const recorded = history.find((one) => one.country === country && one.month === month);
        expect(recorded?.pe).toBeCloseTo(indexPe(then) ?? Number.NaN, 6);
      }
  });
});
