import { beforeAll, describe, expect, test } from "bun:test";
import { isSession } from "#analytics/sessions.ts";
import type { AnalystCoverage } from "#domain/analyst-coverage.ts";
import type { Country } from "#domain/country.ts";
import { addDays } from "#lib/date.ts";
import { analystCoverage, earningsDate } from "#sample/analyst-coverage.ts";
import { createSampleMarket, type SampleMarket } from "#sample/market.ts";
import type { SampleListing } from "#sample/universe.ts";
import { COMPANIES, listingOf } from "./listings.ts";

const TODAY = "2026-11-20";
const market = createSampleMarket(Date.parse(`${TODAY}T06:00:00Z`));

const covered = new Map<SampleListing, AnalystCoverage>();
beforeAll(() => {
  for (const listing of COMPANIES) {
    const coverage = analystCoverage(listing, market);
    if (coverage) covered.set(listing, coverage);
  }
});

describe("coverage", () => {
  test.each([
    ["US", 0.9, 1],
    ["JP", 0.6, 0.8],
    ["VN", 0.3, 0.45],
  ] as const)("of %s companies between %d and %d are covered", (country: Country, least, most) => {
    const all = COMPANIES.filter((listing) => listing.country === country);
    const share = all.filter((listing) => covered.has(listing)).length / all.length;
    expect(share).toBeGreaterThan(least);
    expect(share).toBeLessThan(most);
  });

  test("the ratings of each of four months, newest first, add up to the number of analysts", () => {
    for (const { ratings, priceTarget } of covered.values()) {
      expect(ratings.map(({ month }) => month)).toEqual([
        "2026-11",
        "2026-10",
        "2026-09",
        "2026-08",
      ]);
      for (const { strongBuy, buy, hold, sell, strongSell } of ratings)
        expect(strongBuy + buy + hold + sell + strongSell).toBe(priceTarget?.analysts ?? -1);
    }
  });

  test("every firm that says Sell is among the sellers of the month", () => {
    let seen = 0;
    for (const { ratings, actions } of covered.values()) {
      const newest = new Map<string, string | null>();
      for (const { date, firm, toGrade } of actions.toReversed())
        if (date >= "2025-12-01") newest.set(firm, toGrade);
      const sellers = [...newest.values()].filter((grade) => grade === "Sell").length;
      const { strongBuy = 0, buy = 0, hold = 0, sell = 0, strongSell = 0 } = ratings[0] ?? {};
      // Small companies have fewer analysts than firms with a rating.
      const most = hold + sell + strongSell;
      expect(sell + strongSell).toBeGreaterThanOrEqual(Math.min(sellers, most));
      if (sellers > 0 && strongBuy + buy > 0) seen++;
    }
    expect(seen).toBeGreaterThan(20);
  });

  test("price targets are near the price, and in order from low to high", () => {
    for (const [listing, { priceTarget }] of covered) {
      const { low, median, mean, high } = priceTarget ?? {};
      const price = market.prices.closes(listing).at(-1) ?? Number.NaN;
      expect([low, median, mean, high].every((target) => (target ?? 0) > 0.4 * price)).toBe(true);
      expect(low).toBeLessThanOrEqual(mean ?? 0);
      expect(median).toBeLessThanOrEqual(high ?? 0);
      expect(mean).toBeLessThanOrEqual(high ?? 0);
      expect(Math.abs((mean ?? 0) / price - 1)).toBeLessThan(0.4);
    }
  });

  test("the estimate of the year is for the fiscal year of the current quarter", () => {
    for (const [listing, { estimates }] of covered) {
      const [current, next, year, nextYear] = estimates;
      const quarters = market.quarters(listing);
      const reported = quarters.find(({ periodEnd }) => periodEnd === current?.periodEnd);
      expect((reported?.filedOn ?? "") > TODAY).toBe(true);
      expect((next?.periodEnd ?? "") > (current?.periodEnd ?? "9")).toBe(true);
      const yearEnd = quarters.find(
        ({ fiscalYear, fiscalQuarter }) =>
          fiscalYear === reported?.fiscalYear && fiscalQuarter === 4,
      );
      expect(year?.periodEnd).toBe(yearEnd?.periodEnd ?? "");
      expect(nextYear?.periodEnd.slice(0, 4)).toBe(String(Number(year?.periodEnd.slice(0, 4)) + 1));
      for (const { eps, revenue } of estimates) {
        expect(eps.low).toBeLessThanOrEqual(eps.average ?? 0);
        expect(eps.average).toBeLessThanOrEqual(eps.high ?? 0);
        expect(revenue.low).toBeLessThan(revenue.average ?? 0);
        expect(revenue.average).toBeLessThan(revenue.high ?? 0);
      }
    }
  });

  test("the figure of a year ago is the filed one, or missing if a quarter is not filed", () => {
    for (const [listing, { estimates }] of covered) {
      const quarters = market.quarters(listing);
      for (const { period, periodEnd, epsYearAgo } of estimates) {
        const last = quarters.findIndex((quarter) => quarter.periodEnd === periodEnd);
        const yearAgo = quarters.slice(period.endsWith("year") ? last - 7 : last - 4, last - 3);
        const isFiled = yearAgo.every(({ filedOn }) => filedOn <= TODAY);
        const filed = yearAgo.reduce((sum, { items }) => sum + (items.epsDiluted ?? 0), 0);
        expect(epsYearAgo).toBe(isFiled ? Math.round(100 * filed) / 100 : null);
      }
      // The current year is never completely filed.
      expect(estimates.at(-1)).toMatchObject({ period: "next_year", epsYearAgo: null });
    }
  });

  test("coverage does not depend on figures that are not filed", () => {
    const blind: SampleMarket = {
      ...market,
      quarters: (listing) =>
        market.quarters(listing).map((quarter) => {
          if (quarter.filedOn <= TODAY) return quarter;
          return { ...quarter, items: { ...quarter.items, epsDiluted: 1e6, revenue: 1e15 } };
        }),
    };
    for (const [listing, coverage] of covered)
      expect(analystCoverage(listing, blind)).toEqual(coverage);
  });

  test("the estimate of a year is its filed quarters plus the estimates of the others", () => {
    for (const [listing, { estimates }] of covered) {
      const [quarter, next, year] = estimates;
      const quarters = market.quarters(listing);
      const last = quarters.findIndex(({ periodEnd }) => periodEnd === year?.periodEnd);
      const open = quarters.slice(last - 3, last + 1).filter(({ filedOn }) => filedOn > TODAY);
      if (open.length > 2) continue;
      const filed = quarters
        .slice(last - 3, last + 1 - open.length)
        .reduce((sum, { items }) => sum + (items.epsDiluted ?? 0), 0);
      const rest = [quarter, next]
        .slice(0, open.length)
        .reduce((sum, estimate) => sum + (estimate?.eps.average ?? 0), 0);
      expect(Math.abs((year?.eps.average ?? 0) - filed - rest)).toBeLessThan(0.016);
    }
  });

  test("estimates are within a third of the reported figure, and most within an eighth", () => {
    const errors: number[] = [];
    for (const [listing, { estimates }] of covered) {
      const [next] = estimates;
      const reported = market
        .quarters(listing)
        .find(({ periodEnd }) => periodEnd === next?.periodEnd)?.items.revenue;
      errors.push(Math.abs((next?.revenue.average ?? 0) / (reported ?? 1) - 1));
    }
    expect(Math.max(...errors)).toBeLessThan(0.34);
    expect(errors.filter((error) => error < 0.125).length / errors.length).toBeGreaterThan(0.8);
  });

  test("the newest target of each firm is between the lowest and the highest", () => {
    let compared = 0;
    for (const { actions, priceTarget } of covered.values()) {
      const firms = new Set<string>();
      for (const { date, firm, priceTarget: target } of actions) {
        if (firms.has(firm) || date < addDays(TODAY, -100)) continue;
        firms.add(firm);
        expect(target).toBeGreaterThanOrEqual(priceTarget?.low ?? Infinity);
        expect(target).toBeLessThanOrEqual(priceTarget?.high ?? 0);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(150);
  });

  test("actions cover three years, newest first, by invented firms; a Buy has a target above the price", () => {
    for (const [listing, { actions }] of covered) {
      expect(actions.length).toBeGreaterThanOrEqual(6);
      expect(actions.length).toBeLessThanOrEqual(15);
      const dates = actions.map(({ date }) => date);
      expect(dates).toEqual(dates.toSorted().reverse());
      expect((dates.at(-1) ?? "") >= addDays(TODAY, -3 * 365)).toBe(true);
      for (const {
        date,
        firm,
        action,
        fromGrade,
        toGrade,
        priceTarget,
        priorPriceTarget,
      } of actions) {
        expect(isSession(listing.country, date)).toBe(true);
        expect(firm).toStartWith("Sample Research");
        expect(action === "initiate").toBe(fromGrade === null);
        if (action === "reiterate")
          expect([toGrade, priceTarget]).toEqual([fromGrade, priorPriceTarget]);
        const close = market.prices.closeUpTo(listing, date) ?? Number.NaN;
        const ofPrice = (priceTarget ?? 0) / close;
        expect(ofPrice).toBeGreaterThan(0.7);
        expect(ofPrice).toBeLessThan(1.4);
        if (toGrade === "Buy") expect(ofPrice).toBeGreaterThan(1);
        if (toGrade === "Sell") expect(ofPrice).toBeLessThan(1);
      }
    }
  });

  test("a later market has the same earlier actions", () => {
    // Tokyo's session of today is not completed: its actions are added later.
    const before = ({ date }: { date: string }) => date < TODAY;
    const later = createSampleMarket(Date.parse("2027-03-10T06:00:00Z"));
    for (const [listing, { actions }] of covered) {
      const after = analystCoverage(listing, later)?.actions ?? [];
      const oldest = after.at(-1)?.date ?? "";
      const kept = actions.filter(before).filter(({ date }) => date >= oldest);
      expect(kept.length).toBeGreaterThan(4);
      expect(after.filter(before)).toEqual(kept);
    }
  });
});

describe("fiscal years", () => {
  // From the companies' annual reports: Home Depot's fiscal 2025 ended on 2026-02-01, Walmart's
  // fiscal 2026 on 2026-01-31, Apple's fiscal 2025 on 2025-09-27.
  test.each([
    ["HD", "2026-01-31", 2025],
    ["TGT", "2026-01-31", 2025],
    ["WMT", "2026-01-31", 2026],
    ["NVDA", "2026-01-31", 2026],
    ["AAPL", "2025-09-30", 2025],
  ])("%s names the year that ends on %s %d", (symbol, periodEnd, fiscalYear) => {
    const last = market
      .quarters(listingOf(symbol))
      .find((quarter) => quarter.periodEnd === periodEnd);
    expect(last).toMatchObject({ fiscalYear, fiscalQuarter: 4 });
  });
});

describe("earnings dates", () => {
  test("every US company reports next on the day on which that quarter's statement appears", () => {
    for (const listing of COMPANIES) {
      const next = earningsDate(listing, market);
      expect(next !== null).toBe(listing.country === "US");
      if (next === null) continue;
      expect(next.date > TODAY).toBe(true);
      // A quarter is three months, and a year's report may take 60 days more.
      expect(next.date <= addDays(TODAY, 92 + 60)).toBe(true);
      const statement = market.quarters(listing).find(({ filedOn }) => filedOn === next.date);
      expect(next.fiscalPeriod).toBe(`Q${statement?.fiscalQuarter} ${statement?.fiscalYear}`);
      const estimate = covered.get(listing)?.estimates[0];
      expect(next.epsEstimate).toBe(estimate?.eps.average ?? null);
      expect(next.revenueEstimate).toBe(estimate?.revenue.average ?? null);
    }
  });

  test("no day of a season has more than a quarter of the reports", () => {
    const byDate = new Map<string, number>();
    for (const listing of COMPANIES.filter(({ country }) => country === "US"))
      for (const { filedOn } of market.quarters(listing))
        byDate.set(filedOn, (byDate.get(filedOn) ?? 0) + 1);
    // Of some 165 companies; the day after a holiday has those of two.
    expect(Math.max(...byDate.values())).toBeLessThanOrEqual(41);
    // Quarters that end in September are reported in October and November.
    const days = (from: string, to: string) =>
      [...byDate.keys()].filter((date) => date >= from && date < to).length;
    expect(days("2026-10-26", "2026-11-25")).toBeGreaterThan(17);
  });

  // From the companies' own annual reports; month-ends nearest to those of 52 or 53 weeks.
  test.each([
    ["01", "NVDA CRM DELL WMT TGT HD LOW TJX KR LULU VEEV 1928"],
    ["02", "STZ 3382 8267"],
    ["03", "MCK RL TTWO 7203 6758 8306 9432"],
    ["04", "MDT"],
    ["05", "ORCL NKE FDX GIS CTAS"],
    ["06", "MSFT PG ADP SYY FOXA 4385 6920 7532 SBT"],
    ["07", "CSCO INTU PANW"],
    ["08", "ACN COST AZO MU 9983"],
    ["09", "AAPL V DIS SBUX QCOM DHI ATO APD 4751 HSG"],
    ["10", "AVGO AMAT DE"],
    ["11", "ADBE"],
    ["12", "JPM AMZN GOOGL META TSLA XOM 7751 2914 5108 FPT VCB"],
  ])("fiscal years end in month %s for %s", (month, symbols) => {
    for (const symbol of symbols.split(" ")) {
      const last = market
        .quarters(listingOf(symbol))
        .find(({ fiscalQuarter }) => fiscalQuarter === 4);
      // The last day of the month, as in 02-28 or 02-29.
      const lastDay = new Date(
        Date.UTC(Number(last?.periodEnd.slice(0, 4)), Number(month), 0),
      ).getUTCDate();
      expect([symbol, last?.periodEnd.slice(5)]).toEqual([symbol, `${month}-${lastDay}`]);
    }
  });

  const daysBetween = (from: string, to: string) =>
    (Date.parse(to) - Date.parse(from)) / 86_400_000;

  test("US banks report in the second week after the quarter", () => {
    for (const symbol of ["JPM", "WFC", "C", "BAC", "GS", "MS", "BLK"])
      for (const { periodEnd, filedOn } of market.quarters(listingOf(symbol))) {
        const days = daysBetween(periodEnd, filedOn);
        expect([symbol, filedOn, days]).toSatisfy(() => days >= 11 && days <= 19);
      }
  });

  test("other companies report after their usual time, and none from 19 December to New Year", () => {
    // Apple reports at the end of the month after its quarter, Nvidia about four weeks after it.
    for (const symbol of ["AAPL", "NVDA", "MSFT", "TSLA", "WMT"])
      for (const { periodEnd, filedOn } of market.quarters(listingOf(symbol))) {
        const days = daysBetween(periodEnd, filedOn);
        expect([symbol, filedOn, days]).toSatisfy(() => days >= 17 && days <= 39);
      }
    for (const listing of COMPANIES.filter(
      ({ country, listedOn }) => country === "US" && !listedOn,
    ))
      for (const { filedOn } of market.quarters(listing))
        expect([listing.symbol, filedOn.slice(5) < "12-19"]).toEqual([listing.symbol, true]);
  });

  test("reports after the close are from Tuesday to Thursday, except around holidays", () => {
    let [midweek, all] = [0, 0];
    for (const listing of COMPANIES.filter(({ country }) => country === "US")) {
      const next = earningsDate(listing, market);
      if (next?.session !== "after_market_close") continue;
      all++;
      if (/[234]/.test(String(new Date(next.date).getUTCDay()))) midweek++;
    }
    expect(midweek / all).toBeGreaterThan(0.9);
  });
});
