import { describe, expect, test } from "bun:test";
import { addDays, isWeekend } from "#lib/date.ts";
import { barHistory } from "#sample/bars.ts";
import { createSampleMarket } from "#sample/market.ts";
import { getListing, listCompanies, listUniverse, type SampleListing } from "#sample/universe.ts";

const TODAY = "2026-11-20";
const { prices } = createSampleMarket(Date.parse(`${TODAY}T23:30:00Z`));

/** The closes of a listing by date. */
const closes = (symbol: string) =>
  new Map(
    barHistory(getListing(symbol), prices, null).bars.map(({ date, close }) => [date, close]),
  );

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

test("cryptocurrencies trade on every day up to yesterday, currencies and the dollar index on weekdays", () => {
  for (const listing of listUniverse()) {
    const isCoin = listing.assetType === "cryptocurrency";
    if (!isCoin && listing.assetType !== "currency" && listing.symbol !== "DX-Y.NYB") continue;
    const expected: string[] = [];
    for (let date = listing.listedOn ?? "2015-07-01"; date < TODAY; date = addDays(date, 1))
      if (isCoin || !isWeekend(date)) expected.push(date);
    expect([...closes(listing.symbol).keys()]).toEqual(expected);
  }
});

describe("cross rates", () => {
  test.each([
    ["EURJPY=X", "EURUSD=X", "JPY=X", 1],
    ["EURVND=X", "EURUSD=X", "VND=X", 1],
    ["JPYVND=X", "VND=X", "JPY=X", -1],
    ["BTC-JPY", "BTC-USD", "JPY=X", 1],
  ] as const)(
    "%s is the product of %s and %s, to its last digit",
    (cross, first, second, power) => {
      const [a, b] = [closes(first), closes(second)];
      for (const [date, close] of closes(cross)) {
        const product = closeUpTo(a, date) * closeUpTo(b, date) ** power;
        // Half a step, and what the universe's price of JPY/VND is rounded by: 0.0001 of 169.
        expect([date, Math.abs(close - product) < 0.01 / 2 + product * 1e-6]).toEqual([date, true]);
      }
    },
  );
});

describe("indices and funds", () => {
  const INDICES = [
    ["^GSPC", ({ country, indexMember }) => country === "US" && indexMember],
    ["^N225", ({ country, indexMember }) => country === "JP" && indexMember],
    ["VNINDEX", ({ country, indexMember }) => country === "VN" && indexMember],
    ["XLE", (one) => one.country === "US" && one.indexMember && one.sector === "energy"],
  ] as [string, (company: SampleListing) => boolean][];

  test.each(INDICES)("%s changes with the market cap of its members", (symbol, isMember) => {
    const history = closes(symbol);
    const worthOn = (date: string) =>
      listCompanies()
        .filter((one) => one.primaryListing && isMember(one))
        .reduce(
          (sum, one) => sum + (prices.closeUpTo(one, date) ?? 0) * (one.sharesOutstanding ?? 0),
          0,
        );
    for (const [from, to] of [
      ["2026-11-18", "2026-11-19"],
      ["2025-11-19", "2026-11-19"],
    ] as const) {
      const index = closeUpTo(history, to) / closeUpTo(history, from);
      // Rounding: half a cent of 45 dollars, twice.
      expect(Math.abs(index / (worthOn(to) / worthOn(from)) - 1)).toBeLessThan(3e-4);
    }
  });

  test.each([
    ["SPY", "^GSPC", 1],
    ["QQQ", "^NDX", 1],
    ["GLD", "GC=F", 1],
    ["1306", "^TOPX", 1],
    ["GOOG", "GOOGL", 1],
    ["1570", "^N225", 2],
    ["1357", "^N225", -2],
  ] as const)("%s follows %s times %d, but not to the last digit", (symbol, index, times) => {
    const tracked = changesOf(closes(index));
    const errors = [...changesOf(closes(symbol))]
      // A leveraged fund reaches its own daily limit on days of stress.
      .filter(([date]) => Math.abs(tracked.get(date) ?? 0) < 0.06)
      .map(([date, change]) => Math.abs(change - times * (tracked.get(date) ?? Number.NaN)))
      .sort((a, b) => a - b);
    expect(errors.length).toBeGreaterThan(2_500);
    expect(errors[Math.floor(errors.length / 2)]).toBeWithin(0.000_05, 0.002);
    expect(errors[Math.floor(0.95 * errors.length)]).toBeLessThan(0.012);
  });

  test("a Tokyo fund of US shares follows New York's close of the day before", () => {
    const [sp500, dollar] = [closes("^GSPC"), closes("JPY=X")];
    const at = (date: string) => closeUpTo(sp500, date) * closeUpTo(dollar, date);
    const fund = [...closes("2558")];
    let [sameDay, dayBefore] = [0, 0];
    for (const [i, [date, close]] of fund.entries()) {
      const [last, closeBefore] = fund[i - 1] ?? [];
      if (last === undefined || closeBefore === undefined) continue;
      const change = close / closeBefore;
      sameDay += Math.abs(change - at(date) / at(last));
      dayBefore += Math.abs(change - at(addDays(date, -1)) / at(addDays(last, -1)));
    }
    expect(dayBefore).toBeLessThan(0.25 * sameDay);
  });
});
