import { beforeAll, describe, expect, test } from "bun:test";
import { analystRating } from "#analytics/analyst-rating.ts";
import { isSession } from "#analytics/sessions.ts";
import type { AnalystCoverage } from "#domain/analyst-coverage.ts";
import type { Country } from "#domain/country.ts";
import { surprisePercent } from "#analytics/earnings-surprise.ts";
import { addDays } from "#lib/date.ts";
import { analystCoverage, earningsDate, earningsResults } from "#sample/analyst-coverage.ts";
import { createSampleMarket, type SampleMarket } from "#sample/market.ts";
import { reportsHalfYears } from "#sample/reports.ts";
import { getListing, listCompanies, type SampleListing } from "#sample/universe.ts";

const TODAY = "2026-11-20";
const market = createSampleMarket(Date.parse(`${TODAY}T06:00:00Z`));

const covered = new Map<SampleListing, AnalystCoverage>();
beforeAll(() => {
  for (const listing of listCompanies()) {
    const coverage = analystCoverage(listing, market);
    if (coverage) covered.set(listing, coverage);
  }
});

describe("coverage", () => {
  test.each([
    ["US", 0.85, 1],
    ["JP", 0.6, 0.8],
    ["VN", 0.3, 0.45],
  ] as const)("of %s companies between %d and %d are covered", (country: Country, least, most) => {
    const all = listCompanies().filter((listing) => listing.country === country);
    expect(all.filter((listing) => covered.has(listing)).length / all.length).toBeWithin(
      least,
      most,
    );
  });

  test("the ratings of each of four months, newest first, add up to the number of analysts", () => {
    for (const { ratings, priceTarget } of covered.values()) {
      expect(ratings.map(({ month }) => month).join()).toBe("2026-11,2026-10,2026-09,2026-08");
      for (const { strongBuy, buy, hold, sell, strongSell } of ratings) {
        expect(Math.min(strongBuy, buy, hold, sell, strongSell)).toBeGreaterThanOrEqual(0);
        expect(strongBuy + buy + hold + sell + strongSell).toBe(priceTarget?.analysts ?? -1);
      }
    }
  });

  test("ratings are over the whole scale, and most are a buy or neutral", () => {
    const counts = new Map<string, number>();
    for (const { ratings } of covered.values()) {
      const rating = ratings[0] ? (analystRating(ratings[0]) ?? "") : "";
      counts.set(rating, (counts.get(rating) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([
      "Buy",
      "Neutral",
      "Sell",
      "Strong buy",
      "Strong sell",
    ]);
    const usual = (counts.get("Buy") ?? 0) + (counts.get("Neutral") ?? 0);
    expect(usual / covered.size).toBeWithin(0.6, 0.95);
  });

  test("every firm's view of the last year is among the ratings", () => {
    for (const { actions, ratings } of covered.values()) {
      const { hold = 0, sell = 0, strongSell = 0, buy = 0, strongBuy = 0 } = ratings[0] ?? {};
      const views = new Map<string, string | null>();
      // The first action of a firm is its newest.
      for (const { date, firm, toGrade } of actions) {
        if (date >= "2025-12-01" && !views.has(firm)) views.set(firm, toGrade);
      }
      const saying = (grade: string) => [...views.values()].filter((one) => one === grade).length;
      expect(sell + strongSell).toBeGreaterThanOrEqual(saying("Sell"));
      expect(hold).toBeGreaterThanOrEqual(saying("Hold"));
      expect(buy + strongBuy).toBeGreaterThanOrEqual(saying("Buy"));
    }
  });

  test("the newest target is between the lowest and the highest", () => {
    for (const { actions, priceTarget } of covered.values()) {
      const [newest] = actions;
      if (!newest || newest.date < addDays(TODAY, -100)) continue;
      expect(newest.priceTarget).toBeWithin(priceTarget?.low ?? 0, (priceTarget?.high ?? 0) + 0.01);
    }
  });

  test("price targets are near the price, and in order from low to high", () => {
    for (const [listing, { priceTarget }] of covered) {
      const { low, median, mean, high } = priceTarget ?? {};
      const price = market.prices.closes(listing).at(-1) ?? Number.NaN;
      expect((low ?? 0) / price).toBeGreaterThan(0.4);
      expect(low).toBeLessThanOrEqual(mean ?? 0);
      expect(median).toBeLessThanOrEqual(high ?? 0);
      expect(mean).toBeLessThanOrEqual(high ?? 0);
      expect((mean ?? 0) / price).toBeWithin(0.6, 1.5);
    }
  });

  test("the estimate of a year is its filed quarters plus the estimates of the others", () => {
    for (const [listing, { estimates }] of covered) {
      const [quarter, next, year, nextYear] = estimates;
      const quarters = market.quarters(listing);
      const last = quarters.findIndex(({ periodEnd }) => periodEnd === year?.periodEnd);
      expect(quarters[last]?.fiscalQuarter).toBe(4);
      expect(nextYear?.periodEnd.slice(0, 4)).toBe(String(Number(year?.periodEnd.slice(0, 4)) + 1));
      const open = quarters.slice(last - 3, last + 1).filter(({ filedOn }) => filedOn > TODAY);
      expect(open[0]?.periodEnd).toBe(quarter?.periodEnd ?? "");
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

  test("the figure of a year ago is the filed one, or missing if a quarter is not filed", () => {
    for (const [listing, { estimates }] of covered) {
      const quarters = market.quarters(listing);
      for (const { period, periodEnd, epsYearAgo, eps, revenue } of estimates) {
        const last = quarters.findIndex((quarter) => quarter.periodEnd === periodEnd);
        const yearAgo = quarters.slice(period.endsWith("year") ? last - 7 : last - 4, last - 3);
        const isFiled = yearAgo.every(({ filedOn }) => filedOn <= TODAY);
        const filed = yearAgo.reduce((sum, { items }) => sum + (items.epsDiluted ?? 0), 0);
        expect(epsYearAgo).toBe(isFiled ? Math.round(100 * filed) / 100 : null);
        expect(eps.low).toBeLessThanOrEqual(eps.high ?? 0);
        expect(revenue.low).toBeLessThan(revenue.high ?? 0);
      }
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

  test("actions cover three years, newest first, by invented firms, and stay the same later", () => {
    const later = createSampleMarket(Date.parse("2027-03-10T06:00:00Z"));
    const isBefore = ({ date }: { date: string }) => date < TODAY;
    for (const [listing, { actions }] of covered) {
      expect(actions.length).toBeWithin(2, 16);
      const dates = actions.map(({ date }) => date);
      expect(dates).toEqual(dates.toSorted().reverse());
      for (const { date, firm, action, fromGrade, toGrade, priceTarget } of actions) {
        expect(isSession(listing.country, date)).toBe(true);
        expect(firm).toStartWith("Sample Research");
        expect(action === "initiate").toBe(fromGrade === null);
        const close = market.prices.closeUpTo(listing, date) ?? Number.NaN;
        if (toGrade === "Buy") expect(priceTarget).toBeGreaterThan(close);
        if (toGrade === "Sell") expect(priceTarget).toBeLessThan(close);
      }
      const after = analystCoverage(listing, later)?.actions ?? [];
      const oldest = after.at(-1)?.date ?? "";
      expect(after.filter(isBefore)).toEqual(
        actions.filter((one) => isBefore(one) && one.date >= oldest),
      );
    }
  });
});

describe("fiscal years and reports", () => {
  // From the companies' annual reports: Home Depot's fiscal 2025 ended on 2026-02-01, Walmart's
  // fiscal 2026 on 2026-01-31, Apple's fiscal 2025 on 2025-09-27.
  test.each([
    ["HD", "2026-01-31", 2025],
    ["WMT", "2026-01-31", 2026],
    ["AAPL", "2025-09-30", 2025],
    ["7203", "2026-03-31", 2026],
    ["FPT", "2025-12-31", 2025],
  ])("%s names the year that ends on %s %d", (symbol, periodEnd, fiscalYear) => {
    const quarters = market.quarters(getListing(symbol));
    const last = quarters.find((quarter) => quarter.periodEnd === periodEnd);
    expect(last).toMatchObject({ fiscalYear, fiscalQuarter: 4 });
  });

  test("US banks report in the second or third week after the quarter", () => {
    for (const symbol of ["JPM", "WFC", "C", "BAC", "GS", "MS", "BLK"])
      for (const { periodEnd, filedOn } of market.quarters(getListing(symbol))) {
        const days = (Date.parse(filedOn) - Date.parse(periodEnd)) / 86_400_000;
        expect(days).toBeWithin(10, 21);
      }
  });

  test("every US company reports next on the day on which that quarter's statement appears", () => {
    for (const listing of listCompanies()) {
      const next = earningsDate(listing, market);
      expect(next !== null).toBe(listing.country === "US");
      if (next === null) continue;
      expect(next.date > TODAY && next.date <= addDays(TODAY, 92 + 60)).toBe(true);
      const statement = market.quarters(listing).find(({ filedOn }) => filedOn === next.date);
      expect(next.fiscalPeriod).toBe(`Q${statement?.fiscalQuarter} ${statement?.fiscalYear}`);
      const estimate = covered.get(listing)?.estimates[0];
      expect(next.epsEstimate).toBe(estimate?.eps.average ?? null);
      expect(next.revenueEstimate).toBe(estimate?.revenue.average ?? null);
    }
  });

  test("past results are the EPS of the filed quarters; most beat the estimate, as in the S&P 500", () => {
    const surprises: number[] = [];
    for (const listing of covered.keys()) {
      if (reportsHalfYears(listing)) {
        expect(earningsResults(listing, market)).toBeNull();
        continue;
      }
      const results = earningsResults(listing, market)?.results ?? [];
      expect(results.length).toBeWithin(10, 15);
      for (const { quarterEnd, reportedOn, epsActual, ...result } of results) {
        const filed = market.quarters(listing).find((quarter) => quarter.filedOn === reportedOn);
        expect([filed?.periodEnd.slice(0, 7), filed?.items.epsDiluted]).toEqual([
          quarterEnd,
          epsActual,
        ]);
        expect(reportedOn).not.toBeNull();
        expect(String(reportedOn) <= TODAY).toBe(true);
        const surprise = surprisePercent({ epsActual, ...result });
        if (surprise !== null) surprises.push(surprise);
      }
    }
    // Since 2010, 65 to 80 % of the S&P 500 beat the mean estimate in most quarters.
    const beats = surprises.filter((surprise) => surprise > 0).length;
    expect(beats / surprises.length).toBeWithin(0.62, 0.78);
  });
});
