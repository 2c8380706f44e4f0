import { afterAll, describe, expect, test } from "bun:test";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { checkBars } from "#analytics/bar-check.ts";
import { halfDays } from "#analytics/exchange-holidays.ts";
import { indexPe } from "#analytics/index-valuation.ts";
import { lastCompletedSession, sessionsBetween } from "#analytics/sessions.ts";
import { checkStatement } from "#analytics/statement-check.ts";
import { companyFundamentals } from "#analytics/valuation.ts";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import { type RecordKind, type RecordOf, RECORDS } from "#domain/records.ts";
import type { Statement, StatementItem } from "#domain/statement.ts";
import { addDays } from "#lib/date.ts";
import { memoize } from "#sample/memoize.ts";
import { createSampleMakers } from "#sample/provider.ts";
import { sampleStamp } from "#sample/releases.ts";
import { listCompanies, listUniverse, sampleInstrument } from "#sample/universe.ts";

const NOW = Date.parse("2026-11-20T06:00:00Z");
const DAY_MS = 86_400_000;
const keyOf = ({ country, symbol }: { country: Country; symbol: string }) => `${country} ${symbol}`;

type Makers = ReturnType<typeof createSampleMakers>;
const makersAt = (now: number, after: string | null = null): Makers =>
  createSampleMakers({ now, after });

function recordsOf<K extends RecordKind>(makers: Makers, kind: K): Iterable<RecordOf<K>> {
  const maker = makers.find((one) => one.kind === kind);
  if (!maker) throw new Error(`no maker for ${kind}`);
  return maker.make() as Iterable<RecordOf<K>>;
}
const statementsOf = (makers: Makers) => Map.groupBy(recordsOf(makers, "statements"), keyOf);
const dividendsOf = (makers: Makers) =>
  new Map(Array.from(recordsOf(makers, "dividends"), (one) => [keyOf(one), one.dividends]));

/** The companies that report half years. */
const HALF_YEARLY: ReadonlySet<string> = new Set(
  listUniverse()
    .filter(({ country, assetType }) => country === "JP" && assetType === "reit")
    .map(keyOf),
);

const bars = new Map<string, readonly DailyBar[]>();
const closesOf = (key: string) => (bars.get(key) ?? []).map(({ close }) => close);

const makers = makersAt(NOW);
for (const history of recordsOf(makers, "bars")) bars.set(keyOf(history), history.bars);
const statements = statementsOf(makers);
const dividends = dividendsOf(makers);
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
    const changes = times.filter((_, i) => i > 0 && stamps[i] !== stamps[i - 1]);
    expect(changes).toEqual(["07:00", "08:00", "08:30", "22:00"]);
    expect(stamps.at(-1)).toBe(stamps.at(-2) ?? "");
    expect(sampleStamp(NOW + DAY_MS)).not.toBe(sampleStamp(NOW));
  });
});

describe("bars", () => {
  test("instruments of an exchange have one bar per session since their listing", () => {
    for (const listing of listUniverse()) {
      // Currencies, the dollar index and cryptocurrencies have other days: see links.test.ts.
      if (/^c(urrency|ryptocurrency)$/.test(listing.assetType)) continue;
      if (listing.symbol === "DX-Y.NYB") continue;
      const { country, listedOn } = listing;
      const last = lastCompletedSession(country, NOW);
      const dates = bars.get(keyOf(listing))?.map(({ date }) => date);
      expect(dates).toEqual(sessionsBetween(country, listedOn ?? "2015-07-01", last));
    }
    expect(bars.get("US ABNB")?.[0]?.date).toBe("2020-12-10");
    expect(bars.get("VN VHM")?.[0]?.date).toBe("2018-05-17");
  });

  test("low ≤ open and close ≤ high", () => {
    for (const [key, history] of bars)
      for (const { date, open, high, low, close } of history)
        if (!(0 < low && low <= Math.min(open, close) && Math.max(open, close) <= high))
          throw new Error(`${key} ${date}`);
  });

  test("prices in yen have the steps of Tokyo: 5 from 10,000, 10 from 30,000", () => {
    let checked = 0;
    for (const [key, history] of bars) {
      if (!/^JP \d/.test(key)) continue;
      for (const { close } of history.slice(-250)) {
        if (close < 10_000) continue;
        checked += 1;
        if (close % (close < 30_000 ? 5 : 10) !== 0) throw new Error(`${key} ${close}`);
      }
    }
    expect(checked).toBeGreaterThan(0);
  });

  test("on the anchor date every close is the universe's price, except for rounding", () => {
    for (const listing of listUniverse()) {
      const bar = bars.get(keyOf(listing))?.find(({ date }) => date === "2025-10-01");
      expect(Math.abs((bar?.close ?? 0) / listing.price - 1)).toBeLessThan(0.003);
    }
  });

  test("the checks of bars and figures that arrive from a source find no fault", () => {
    const makers = makersAt(NOW);
    const splits = new Map(
      Array.from(recordsOf(makers, "splits"), (one) => [keyOf(one), one.splits]),
    );
    for (const instrument of recordsOf(makers, "instruments")) {
      const key = keyOf(instrument);
      const evidence = {
        instrument,
        splits: splits.get(key) ?? null,
        dividends: dividends.get(key) ?? [],
        quote: null,
      };
      expect([key, checkBars([], bars.get(key) ?? [], evidence).faults]).toEqual([key, []]);
      const own = statements.get(key) ?? [];
      const newest = own.slice(-8);
      for (const one of newest) expect([key, checkStatement(one, own).faults]).toEqual([key, []]);
    }
  });

  test("a later market has exactly the bars of an earlier one, followed by newer ones", () => {
    for (const later of recordsOf(makersAt(NOW + 30 * DAY_MS), "bars")) {
      const earlier = bars.get(keyOf(later)) ?? [];
      expect(later.bars.length).toBeGreaterThan(earlier.length + 15);
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
      }
    }
  });

  test("with a date, only the bars after it are generated", () => {
    for (const fresh of recordsOf(makersAt(NOW, "2026-10-30"), "bars"))
      expect(fresh.bars).toEqual(
        (bars.get(keyOf(fresh)) ?? []).filter(({ date }) => date > "2026-10-30"),
      );
  });

  test("volumes are plausible, and lower on half days", () => {
    const usual = (key: string, is: (bar: DailyBar) => boolean = () => true) => {
      const volumes = (bars.get(key) ?? []).filter(is).map(({ volume }) => volume ?? 0);
      return volumes.toSorted((a, b) => a - b)[Math.floor(volumes.length / 2)] ?? 0;
    };
    // SPY trades tens of millions of shares a day, and a company 0.1 to 5 % of its shares.
    expect(usual("US SPY")).toBeWithin(30e6, 150e6);
    for (const listing of listCompanies())
      expect(usual(keyOf(listing)) / (listing.sharesOutstanding ?? 0)).toBeWithin(0.001, 0.05);
    const short = new Set(
      Array.from({ length: 11 }, (_, i) => halfDays("US", 2016 + i)).flatMap((days) =>
        days.map(({ date }) => date),
      ),
    );
    for (const key of ["US SPY", "US AAPL"])
      expect(usual(key, ({ date }) => short.has(date))).toBeLessThan(0.7 * usual(key));
  });
});

const mean = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;

/** Yearly volatility, kurtosis, and autocorrelation of the squares, of the daily changes in log. */
function statisticsOf(closes: readonly number[]) {
  const changes = closes.slice(1).map((close, i) => Math.log(close / (closes[i] ?? close)));
  const average = mean(changes);
  const squares = changes.map((x) => (x - average) ** 2);
  const variance = mean(squares);
  const products = squares.slice(1).map((x, i) => (x - variance) * ((squares[i] ?? 0) - variance));
  return {
    volatility: Math.sqrt(252 * variance),
    kurtosis: mean(squares.map((x) => x ** 2)) / variance ** 2,
    clustering: mean(products) / mean(squares.map((x) => (x - variance) ** 2)),
    changes,
  };
}

describe("daily changes", () => {
  const ofIndustry = (prefix: string) =>
    listCompanies()
      .filter(({ country, industry }) => country === "US" && industry?.startsWith(prefix))
      .map((listing) => statisticsOf(closesOf(keyOf(listing))).volatility);

  test("volatility is from that of utilities to that of biotechnology", () => {
    const all = listCompanies()
      .filter(({ industry }) => industry !== "shell-companies")
      .map((listing) => statisticsOf(closesOf(keyOf(listing))).volatility);
    expect(Math.min(...all)).toBeWithin(0.1, 0.2);
    expect(Math.max(...all)).toBeWithin(0.6, 1);
    expect(mean(ofIndustry("utilities-regulated"))).toBeWithin(0.14, 0.25);
    expect(mean(ofIndustry("biotechnology"))).toBeWithin(0.45, 0.85);
    // A share moves more than the index of all.
    for (const [index, share] of [
      ["US ^GSPC", "US AAPL"],
      ["JP ^N225", "JP 7203"],
      ["VN VNINDEX", "VN FPT"],
    ] as const) {
      const { volatility } = statisticsOf(closesOf(index));
      expect(volatility).toBeWithin(0.14, 0.27);
      expect(statisticsOf(closesOf(share)).volatility).toBeGreaterThan(volatility);
    }
  });

  test("tails are fat, and volatile days follow volatile days", () => {
    const all = listCompanies().map((listing) => statisticsOf(closesOf(keyOf(listing))));
    const kurtoses = all.map(({ kurtosis }) => kurtosis).sort((a, b) => a - b);
    // The daily limits of Viet Nam cut the tails of its shares.
    expect(kurtoses[0]).toBeGreaterThan(3);
    expect(kurtoses[Math.floor(kurtoses.length / 2)]).toBeWithin(5, 20);
    expect(all.filter(({ clustering }) => clustering > 0.02).length).toBeGreaterThan(
      0.97 * all.length,
    );
    for (const index of ["US ^GSPC", "JP ^N225", "VN VNINDEX"])
      expect(statisticsOf(closesOf(index)).kurtosis).toBeWithin(5, 25);
  });

  test("shares move with their index, and the volatility index against it", () => {
    const correlation = (a: string, b: string) => {
      const [x, y] = [a, b].map((key) => statisticsOf(closesOf(key).slice(-2_000)).changes);
      const [mx, my] = [mean(x ?? []), mean(y ?? [])];
      const products = (x ?? []).map((one, i) => (one - mx) * ((y?.[i] ?? 0) - my));
      const squares = (of: number[] = [], m: number) => mean(of.map((one) => (one - m) ** 2));
      return mean(products) / Math.sqrt(squares(x, mx) * squares(y, my));
    };
    for (const symbol of ["AAPL", "JPM", "XOM", "KO", "CAT"])
      expect(correlation(`US ${symbol}`, "US ^GSPC")).toBeWithin(0.3, 0.9);
    expect(correlation("VN VCB", "VN VNINDEX")).toBeWithin(0.3, 0.95);
    expect(correlation("US ^VIX", "US ^GSPC")).toBeWithin(-0.9, -0.2);
    const vix = closesOf("US ^VIX");
    expect(Math.min(...vix)).toBeWithin(9, 14);
    expect(Math.max(...vix)).toBeWithin(40, 85);
  });

  // Closes of the S&P 500, the Nikkei 225 and the VN-Index on these days.
  test.each([
    ["US ^GSPC", "2020-03-16", -12],
    ["US ^GSPC", "2020-03-24", 9.4],
    ["US ^GSPC", "2024-08-05", -3],
    ["US ^GSPC", "2025-04-04", -6],
    ["US ^GSPC", "2025-04-09", 9.5],
    ["JP ^N225", "2024-08-05", -12.4],
    ["JP ^N225", "2025-04-07", -7.8],
    ["VN VNINDEX", "2025-04-03", -6.7],
  ] as const)("%s moved on %s about as it did: %d %%", (key, date, percent) => {
    const history = bars.get(key) ?? [];
    const at = history.findIndex((bar) => bar.date === date);
    const change = 100 * ((history[at]?.close ?? 0) / (history[at - 1]?.close ?? 1) - 1);
    expect(change / percent).toBeWithin(0.6, 1.4);
  });

  test("the S&P 500 lost a third from February to March 2020", () => {
    const closes = (bars.get("US ^GSPC") ?? []).filter(({ date }) => date.startsWith("2020"));
    const before = closes.findLast(({ date }) => date <= "2020-02-19")?.close ?? 0;
    const low = Math.min(...closes.filter(({ date }) => date < "2020-05").map((b) => b.close));
    expect(low / before).toBeWithin(0.55, 0.78);
  });
});

/** The amount of an item; 0 for items that lenders do not report. */
const amount = (items: Statement["items"], item: StatementItem) => items[item] ?? 0;

describe("statements", () => {
  test("every statement adds up exactly", () => {
    for (const [key, own] of statements)
      for (const { items: i, span, periodEnd } of own) {
        const at = `${key} ${span} ${periodEnd}`;
        const claims =
          amount(i, "totalLiabilities") + amount(i, "commonEquity") + amount(i, "minorityInterest");
        expect([at, claims]).toEqual([at, amount(i, "totalAssets")]);
        const afterTax = amount(i, "pretaxIncome") - amount(i, "incomeTax");
        expect([at, afterTax]).toEqual([at, amount(i, "netIncome")]);
        if (i.grossProfit !== null)
          expect(amount(i, "revenue") - amount(i, "costOfRevenue")).toBe(i.grossProfit);
        if (i.ebitda !== null)
          expect(amount(i, "operatingIncome") + amount(i, "depreciationAndAmortization")).toBe(
            i.ebitda,
          );
        // Parts are less than their total.
        expect(amount(i, "totalDebt")).toBeLessThanOrEqual(amount(i, "totalLiabilities"));
        expect(amount(i, "cash") + amount(i, "inventory")).toBeLessThan(
          i.currentAssets ?? amount(i, "totalAssets"),
        );
        expect(amount(i, "currentLiabilities")).toBeLessThan(amount(i, "totalLiabilities"));
        expect(amount(i, "revenue")).toBeGreaterThan(0);
      }
  });

  test("no gross or operating profit is above the revenue", () => {
    for (const [key, own] of statements)
      for (const { periodEnd, items: i } of own)
        if ((i.grossProfit ?? i.operatingIncome ?? 0) > (i.revenue ?? Infinity))
          throw new Error(`${key} ${periodEnd}`);
  });

  test("a year is the sum of its quarters; Japanese companies report the year to date", () => {
    const flows = ["revenue", "operatingIncome", "netIncome", "operatingCashFlow"] as const;
    for (const own of statements.values())
      for (const year of own.filter(({ span }) => span === "year")) {
        const parts = own.filter(
          ({ span, fiscalYear }) => span !== "year" && fiscalYear === year.fiscalYear,
        );
        const span = year.country === "JP" ? "year_to_date" : "quarter";
        expect(parts.map((part) => part.span)).toEqual(
          Array.from(
            { length: HALF_YEARLY.has(keyOf(year)) ? 1 : span === "quarter" ? 4 : 3 },
            () => span,
          ),
        );
        if (span !== "quarter") continue;
        for (const item of flows)
          expect(parts.reduce((sum, { items }) => sum + amount(items, item), 0)).toBe(
            amount(year.items, item),
          );
        const eps = parts.reduce((sum, { items }) => sum + amount(items, "epsDiluted"), 0);
        expect(eps).toBeCloseTo(amount(year.items, "epsDiluted"), 9);
        expect(year.items.cash).toBe(parts.at(-1)?.items.cash ?? null);
      }
  });

  test("Japanese REITs report half years, and know twelve months between them", () => {
    expect(HALF_YEARLY).toContain("JP 8951");
    for (const key of HALF_YEARLY) {
      const own = statements.get(key) ?? [];
      // Its year ends in the same month as its listing says, its half year six months before.
      expect(new Set(own.map(({ fiscalQuarter }) => fiscalQuarter))).toEqual(new Set([2, 4]));
      for (const { span, fiscalQuarter } of own)
        expect(span).toBe(fiscalQuarter === 2 ? "year_to_date" : "year");
    }
  });

  test("all classes of an issuer have its figures: statements, dividends, dates and estimates", () => {
    const figures = (symbol: string) => {
      const of = <K extends RecordKind>(kind: K) =>
        Array.from(
          recordsOf(makers, kind) as Iterable<{ country: Country; symbol: string }>,
        ).filter((one) => keyOf(one) === `US ${symbol}`);
      const [coverage] = of("analystCoverage") as { estimates?: unknown }[];
      return JSON.stringify([
        statements.get(`US ${symbol}`),
        dividends.get(`US ${symbol}`),
        of("earningsDates"),
        of("earningsResults"),
        coverage?.estimates,
      ]).replaceAll(`"${symbol}"`, '"CLASS"');
    };
    expect(figures("GOOG")).toBe(figures("GOOGL"));
    expect(figures("GOOG")).toContain("epsDiluted");
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

  test("a later market has the same statements, and only newly filed ones besides", () => {
    let added = 0;
    const later = statementsOf(makersAt(NOW + 30 * DAY_MS));
    for (const [key, own] of statements) {
      const after = later.get(key) ?? [];
      expect(after.slice(0, own.length)).toEqual(own);
      for (const { filedOn } of after.slice(own.length)) expect(filedOn > "2026-11-20").toBe(true);
      added += after.length - own.length;
    }
    expect(added).toBeGreaterThan(0);
  });

  test("reports follow their quarter by two to ten weeks, and the listing", () => {
    for (const { country, symbol, listedOn } of listCompanies())
      for (const { periodEnd, filedOn } of statements.get(`${country} ${symbol}`) ?? []) {
        expect(filedOn >= (listedOn ?? "")).toBe(true);
        if (filedOn === listedOn) continue;
        expect(filedOn >= addDays(periodEnd, 7) && filedOn <= addDays(periodEnd, 70)).toBe(true);
      }
  });

  test("some companies have a loss, and some that buy shares back a negative equity", () => {
    const newest = listCompanies().map((one) => statements.get(keyOf(one))?.at(-1)?.items);
    const share = (is: (items: Statement["items"]) => boolean) =>
      newest.filter((items) => items && is(items)).length / newest.length;
    expect(share(({ netIncome }) => (netIncome ?? 0) < 0)).toBeWithin(0.02, 0.2);
    expect(share(({ commonEquity }) => (commonEquity ?? 0) < 0)).toBeWithin(0.005, 0.05);
    // McDonald's stockholders' equity has been negative since 2016.
    const { commonEquity, totalDebt } = statements.get("US MCD")?.at(-1)?.items ?? {};
    expect(commonEquity).toBeLessThan(0);
    expect(totalDebt).toBeGreaterThan(0);
  });
});

describe("valuation", () => {
  const fundamentalsAt = memoize((date: string) => {
    const makers = makersAt(Date.parse(`${date}T12:00:00Z`), addDays(date, -15));
    const closes = new Map(
      Array.from(recordsOf(makers, "bars"), (one) => [keyOf(one), one.bars.at(-1)?.close ?? null]),
    );
    const [filed, paid] = [statementsOf(makers), dividendsOf(makers)];
    const records = new Map(
      Array.from(recordsOf(makers, "instruments"), (one) => [keyOf(one), one]),
    );
    return listCompanies().map((listing) => ({
      listing,
      own: filed.get(keyOf(listing)) ?? [],
      figures: companyFundamentals({
        instrument: records.get(keyOf(listing)) ?? sampleInstrument(listing, null),
        statements: filed.get(keyOf(listing)) ?? [],
        price: closes.get(keyOf(listing)) ?? null,
        dividends: paid.get(keyOf(listing)) ?? null,
        asOf: date,
      }),
    }));
  });

  test("on the anchor date the P/E is the universe's, within 5 to 300", () => {
    for (const { listing, figures } of fundamentalsAt("2025-10-01")) {
      if (listing.pe === null) continue;
      const byCap = (figures.marketCap ?? 0) / (figures.netIncomeTtm ?? 0);
      // The US session of the day is not completed at noon: the close is that of the day before.
      const most = listing.country === "US" ? 0.2 : 0.01;
      expect(Math.abs(byCap / Math.min(Math.max(listing.pe, 5), 300) - 1)).toBeLessThan(most);
    }
  });

  test.each(["2026-01-15", "2026-11-20", "2030-06-03"])("on %s figures are plausible", (date) => {
    const all = fundamentalsAt(date);
    const share = (is: (one: (typeof all)[number]) => boolean) =>
      all.filter(is).length / all.length;
    expect(share(({ figures: { pe } }) => pe !== null && pe >= 8 && pe <= 60)).toBeGreaterThan(
      0.65,
    );
    for (const { listing, own, figures: f } of all) {
      expect([listing.symbol, f.pe === null]).toEqual([listing.symbol, listing.pe === null]);
      expect([listing.symbol, f.pe ?? 20]).toSatisfy(
        ([, pe]) => Number(pe) > 1 && Number(pe) < 900,
      );
      expect(f.statementCurrency).toBe(listing.currency);
      expect(f.ps).toBeGreaterThan(0.02);
      // Annaly declared four dividends of 0.70 dollars for 2025, at a price of 22 dollars: 12.7 %.
      expect([listing.symbol, f.dividendYieldPercent]).toSatisfy(
        ([, percent]) => Number(percent) >= 0 && Number(percent) < 25,
      );
      const hasEquity = (own.at(-1)?.items.commonEquity ?? 0) > 0;
      expect((f.pb ?? -1) > 0).toBe(hasEquity);
    }
    const yields = all.map(({ figures }) => figures.dividendYieldPercent ?? 0);
    expect(yields.filter((one) => one <= 6).length / yields.length).toBeGreaterThan(0.9);
  });

  test("banks, insurers and brokers have no EBITDA and no free cash flow; others have", () => {
    for (const { listing, figures } of fundamentalsAt("2026-11-20")) {
      const { industry } = listing;
      const isLender = /^(banks|insurance-(?!brokers)|capital-markets|mortgage)/.test(
        industry ?? "",
      );
      for (const item of ["ebitdaTtm", "freeCashFlowTtm", "grossMarginPercent"] as const)
        expect([listing.symbol, item, figures[item] === null]).toEqual([
          listing.symbol,
          item,
          isLender,
        ]);
    }
  });

  test("past index P/E are those that the analytics give for their dates", () => {
    const history = Array.from(recordsOf(makersAt(NOW), "indexPe"));
    for (const country of COUNTRY_CODES) {
      const months = history.filter((one) => one.country === country);
      expect([months.length, months[0]?.month, months.at(-1)?.month]).toEqual([
        72,
        "2020-11",
        "2026-10",
      ]);
      const monthEnd = "2026-10-31";
      const members = listCompanies().filter(
        (one) => one.country === country && one.indexMember && one.primaryListing,
      );
      const then = members.map((listing) => {
        const filed = statements.get(keyOf(listing)) ?? [];
        const known = filed.findLast(({ filedOn }) => filedOn <= monthEnd);
        return companyFundamentals({
          instrument: sampleInstrument(listing, known?.items.sharesDiluted ?? null),
          statements: filed,
          price: bars.get(keyOf(listing))?.findLast(({ date }) => date <= monthEnd)?.close ?? null,
          dividends: null,
          asOf: monthEnd,
        });
      });
      expect(months.at(-1)?.pe).toBeCloseTo(indexPe(then) ?? Number.NaN, 6);
    }
  });
});

describe("dividends", () => {
  test("they fall on sessions; indices, currencies and coins have no record", () => {
    for (const listing of listUniverse()) {
      const own = dividends.get(keyOf(listing));
      expect(own !== undefined).toBe(listing.marketCap !== null || listing.assetType === "etf");
      const dates = (own ?? []).map(({ exDate }) => exDate);
      expect(dates).toEqual([...new Set(dates)].sort());
      const sessions = new Set(bars.get(keyOf(listing))?.map(({ date }) => date));
      for (const date of dates) expect(sessions.has(date) || date === "2026-11-20").toBe(true);
    }
  });

  // Number and yield in percent of 2025, from the declared dividends and the prices of that autumn.
  test.each([
    ["US O", 12, 5.6],
    ["US LLY", 4, 0.6],
    ["US VZ", 4, 6.8],
    ["JP 4502", 2, 4.3],
    ["VN VNM", 2, 7.2],
  ] as const)("%s paid %d dividends in 2025, %d %%", (key, payments, percent) => {
    const paid = (dividends.get(key) ?? []).filter(({ exDate }) => exDate.startsWith("2025"));
    expect(paid.length).toBe(payments);
    const price = listUniverse().find((one) => keyOf(one) === key)?.price ?? 0;
    const sum = paid.reduce((total, { amount: one }) => total + one, 0);
    expect((100 * sum) / price / percent).toBeWithin(0.88, 1.12);
  });

  test("AT&T and 3M cut theirs", () => {
    // AT&T paid 0.52 dollars a quarter until 2022 and 0.2775 since; 3M 1.50 until 2024 and 0.70 since.
    for (const [key, year] of [
      ["US T", 2022],
      ["US MMM", 2024],
    ] as const) {
      const first = (one: number) =>
        dividends.get(key)?.find(({ exDate }) => exDate.startsWith(`${one}`))?.amount ?? 0;
      expect(first(year) / first(year - 1)).toBeWithin(0.4, 0.62);
    }
  });
});
