import { beforeAll, describe, expect, test } from "bun:test";
import { isSession } from "#analytics/sessions.ts";
import type { AnalystCoverage } from "#domain/analyst-coverage.ts";
import type { Country } from "#domain/country.ts";
import { addDays } from "#lib/date.ts";
import { analystCoverage, earningsDate } from "#providers/sample/analyst-coverage.ts";
import { createSampleMarket } from "#providers/sample/market.ts";
import { type SampleListing, UNIVERSE } from "#providers/sample/universe.ts";

const TODAY = "2026-11-20";
const COMPANIES = UNIVERSE.filter(({ marketCap }) => marketCap !== null);
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

  test("the ratings of four months, newest first, count as many analysts as there are", () => {
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

  test("price targets lie about the price, low to high", () => {
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

  test("a year's estimate is of the fiscal year that the current quarter belongs to", () => {
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

  test("actions of three years, newest first, by invented firms, near the price of their day", () => {
    for (const [listing, { actions }] of covered) {
      expect(actions.length).toBeGreaterThanOrEqual(6);
      expect(actions.length).toBeLessThanOrEqual(15);
      const dates = actions.map(({ date }) => date);
      expect(dates).toEqual(dates.toSorted().reverse());
      expect((dates.at(-1) ?? "") >= addDays(TODAY, -3 * 365)).toBe(true);
      const sessions = market.prices.sessions[listing.country];
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
        else {
          const close = market.prices.closes(listing)[sessions.indexOf(date)] ?? Number.NaN;
          expect((priceTarget ?? 0) / close).toBeGreaterThan(0.88);
          expect((priceTarget ?? 0) / close).toBeLessThan(1.32);
        }
      }
    }
  });

  test("an action once taken stays as it was", () => {
    // Tokyo's session of today is not over yet; its actions are made later.
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

  test("fiscal years end when the companies' do", () => {
    const yearEnd = (symbol: string) => {
      const listing = COMPANIES.find((one) => one.symbol === symbol);
      return (
        listing &&
        market
          .quarters(listing)
          .find(({ fiscalQuarter }) => fiscalQuarter === 4)
          ?.periodEnd.slice(5)
      );
    };
    // Month-ends nearest to the real ones: Apple's is the last Saturday of September.
    expect(["AAPL", "MSFT", "JPM", "WMT"].map(yearEnd)).toEqual([
      "09-30",
      "06-30",
      "12-31",
      "01-31",
    ]);
    expect(["7203", "9983", "7751", "FPT"].map(yearEnd)).toEqual([
      "03-31",
      "08-31",
      "12-31",
      "12-31",
    ]);
  });
});
