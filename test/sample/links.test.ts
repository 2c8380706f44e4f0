import { describe, expect, test } from "bun:test";
import type { Country } from "#domain/country.ts";
import { addDays, isWeekend } from "#lib/date.ts";
import { createSampleMarket } from "#sample/market.ts";
import { barHistory } from "#sample/prices.ts";
import { type SampleListing, listUniverse } from "#sample/universe.ts";
import { listingOf } from "./listings.ts";

const TODAY = "2026-11-20";
const { prices } = createSampleMarket(Date.parse(`${TODAY}T23:30:00Z`));

/** The closes of a listing by date. */
function closesOf(listing: SampleListing): Map<string, number> {
  return new Map(barHistory(listing, prices, null).bars.map(({ date, close }) => [date, close]));
}
const closes = (symbol: string) => closesOf(listingOf(symbol));

/** The close on the date or the last before it. */
function closeUpTo(history: Map<string, number>, date: string): number {
  for (let day = date, tries = 0; tries < 15; day = addDays(day, -1), tries++) {
    const close = history.get(day);
    if (close !== undefined) return close;
  }
  throw new Error(`no close up to ${date}`);
}

/** The changes of each day against the day before, by date. */
function changesOf(history: Map<string, number>): Map<string, number> {
  const days = [...history];
  return new Map(
    days.slice(1).map(([date, close], i) => [date, close / (days[i]?.[1] ?? close) - 1] as const),
  );
}

describe("trading days", () => {
  test("cryptocurrencies trade on every day up to yesterday, currencies and the dollar index on weekdays", () => {
    for (const listing of listUniverse()) {
      const isCoin = listing.assetType === "cryptocurrency";
      const isCurrency = listing.assetType === "currency" || listing.symbol === "DX-Y.NYB";
      if (!isCoin && !isCurrency) continue;
      const dates = [...closesOf(listing).keys()];
      const expected: string[] = [];
      for (let date = listing.listedOn ?? "2015-07-01"; date < TODAY; date = addDays(date, 1))
        if (isCoin || !isWeekend(date)) expected.push(date);
      expect([listing.symbol, dates]).toEqual([listing.symbol, expected]);
    }
  });
});

describe("cross rates", () => {
  test.each([
    ["EURJPY=X", "EURUSD=X", "JPY=X", 1, 0.01],
    ["GBPJPY=X", "GBPUSD=X", "JPY=X", 1, 0.01],
    ["AUDJPY=X", "AUDUSD=X", "JPY=X", 1, 0.01],
    ["EURVND=X", "EURUSD=X", "VND=X", 1, 0.01],
    ["JPYVND=X", "VND=X", "JPY=X", -1, 0.01],
    ["BTC-JPY", "BTC-USD", "JPY=X", 1, 0.01],
    ["ETH-JPY", "ETH-USD", "JPY=X", 1, 0.01],
  ] as const)(
    "%s is the product of %s and %s, to its last digit",
    (cross, first, second, power, step) => {
      const [a, b] = [closes(first), closes(second)];
      for (const [date, close] of closes(cross)) {
        const product = closeUpTo(a, date) * closeUpTo(b, date) ** power;
        // Half a step, and what the universe's price of JPY/VND is rounded by: 0.0001 of 169.
        expect([date, Math.abs(close - product) < step / 2 + product * 1e-6]).toEqual([date, true]);
      }
    },
  );

  test("the dollar index falls where the euro rises", () => {
    const euro = changesOf(closes("EURUSD=X"));
    let products = 0;
    for (const [date, change] of changesOf(closes("DX-Y.NYB")))
      products += change * (euro.get(date) ?? 0);
    expect(products).toBeLessThan(0);
  });
});

describe("commodities", () => {
  test("Brent costs a few dollars more than WTI on every day", () => {
    const wti = closes("CL=F");
    for (const [date, close] of closes("BZ=F")) {
      const spread = close - (wti.get(date) ?? 0);
      expect([date, spread]).toSatisfy(() => spread > 0.5 && spread < 10);
    }
  });
});

/** The total market cap of the members on a date. */
const worthOn = (date: string, isMember: (company: SampleListing) => boolean) =>
  listUniverse()
    .filter((company) => company.marketCap !== null && company.primaryListing && isMember(company))
    .reduce(
      (sum, company) =>
        sum + (prices.closeUpTo(company, date) ?? 0) * (company.sharesOutstanding ?? 0),
      0,
    );
const ofIndex = (country: Country) => (company: SampleListing) =>
  company.country === country && company.indexMember;

describe("indices", () => {
  /**
   * Total market cap at a date / that at an earlier one, chained at each listing in between: a company
   * counts from the close of its first session.
   */
  const chainedRatio = (
    isMember: (company: SampleListing) => boolean,
    from: string,
    to: string,
  ) => {
    const dates = listUniverse()
      .filter((company) => company.marketCap !== null && isMember(company))
      .map(({ listedOn }) => listedOn ?? "")
      .filter((date) => date > from && date < to);
    const chain = [...new Set([from, ...dates.sort(), to])];
    return chain.slice(1).reduce((product, end, i) => {
      const start = chain[i] ?? from;
      const isListed = (company: SampleListing) =>
        isMember(company) && (company.listedOn ?? "") <= start;
      return product * (worthOn(end, isListed) / worthOn(start, isListed));
    }, 1);
  };

  const INDICES = [
    ["^GSPC", ofIndex("US")],
    ["^N225", ofIndex("JP")],
    ["VNINDEX", ofIndex("VN")],
    ["^TOPX", ({ country, assetType }) => country === "JP" && assetType === "stock"],
    ["^IXIC", ({ exchange }) => exchange === "NASDAQ"],
    ["HNXINDEX", ({ exchange }) => exchange === "HNX"],
  ] as [string, (company: SampleListing) => boolean][];

  const PERIODS = [
    ["2026-11-18", "2026-11-19"],
    ["2025-11-19", "2026-11-19"],
    ["2016-11-17", "2026-11-19"],
  ] as const;

  test.each(INDICES)("%s changes with the market cap of its members", (symbol, isMember) => {
    const history = closes(symbol);
    for (const [from, to] of PERIODS) {
      const index = closeUpTo(history, to) / closeUpTo(history, from) - 1;
      const members = chainedRatio(isMember, from, to) - 1;
      expect(Math.abs(index - members)).toBeLessThan(1e-4 * (1 + members));
    }
  });
});

describe("funds", () => {
  test.each([
    ["SPY", "^GSPC", 1, 0.01],
    ["VOO", "^GSPC", 1, 0.01],
    ["QQQ", "^NDX", 1, 0.01],
    ["DIA", "^DJI", 1, 0.01],
    ["IWM", "^RUT", 1, 0.01],
    ["GLD", "GC=F", 1, 0.01],
    ["SLV", "SI=F", 1, 0.01],
    ["1306", "^TOPX", 1, 1],
    ["1321", "^N225", 1, 10],
    ["1570", "^N225", 2, 10],
    ["1357", "^N225", -2, 1],
    ["E1VFVN30", "VN30", 1, 50],
  ] as const)(
    "%s changes by %s times %d on every day, except for rounding",
    (symbol, index, times, step) => {
      const fund = closes(symbol);
      const tracked = changesOf(closes(index));
      const days = [...changesOf(fund)];
      for (const [date, change] of days) {
        const close = fund.get(date) ?? 0;
        const error = Math.abs(change - times * (tracked.get(date) ?? Number.NaN));
        // Two closes of the fund are off by half a tick each, those of the index by much less.
        expect([date, error]).toSatisfy(() => error < (1.2 * step) / close + 5e-4);
      }
      expect(days.length).toBeGreaterThan(2_700);
    },
  );

  test("a fund and its index have the same opens, so that returns since a day are equal", () => {
    const index = barHistory(listingOf("^GSPC"), prices, null).bars;
    for (const [i, bar] of barHistory(listingOf("SPY"), prices, null).bars.entries())
      expect(Math.abs(bar.open / (index[i]?.open ?? 0) / 0.1 - 1)).toBeLessThan(2e-4);
  });

  test.each([
    ["XLK", "technology"],
    ["XLF", "financial-services"],
    ["XLE", "energy"],
    ["XLV", "healthcare"],
  ])("%s changes as the index's %s companies do", (symbol, sector) => {
    const history = closes(symbol);
    const isMember = (company: SampleListing) =>
      ofIndex("US")(company) && company.sector === sector;
    for (const [from, to] of [
      ["2026-11-18", "2026-11-19"],
      ["2025-11-19", "2026-11-19"],
    ] as const) {
      const fund = closeUpTo(history, to) / closeUpTo(history, from);
      const members = worthOn(to, isMember) / worthOn(from, isMember);
      // Rounding: half a cent of 45 USD, twice.
      expect(Math.abs(fund / members - 1)).toBeLessThan(3e-4);
    }
  });

  test("a Tokyo fund of US shares follows New York's close of the day before", () => {
    const sp500 = closes("^GSPC");
    const dollar = closes("JPY=X");
    const at = (date: string) => {
      const before = addDays(date, -1);
      return closeUpTo(sp500, before) * closeUpTo(dollar, before);
    };
    const fund = [...closes("2558")].filter(([date]) => date > "2015-07-10");
    for (const [i, [date, close]] of fund.entries()) {
      const [dateBefore, closeBefore] = fund[i - 1] ?? [];
      if (dateBefore === undefined || closeBefore === undefined) continue;
      const expected = at(date) / at(dateBefore);
      expect([date, close / closeBefore / expected - 1]).toSatisfy(
        () => Math.abs(close / closeBefore / expected - 1) < 10 / close + 1e-4,
      );
    }
  });
});
