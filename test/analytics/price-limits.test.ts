import { describe, expect, test } from "bun:test";
import { priceLimits, withDistances, withoutWidened } from "#analytics/price-limits.ts";
import type { AssetType } from "#domain/instrument.ts";

const at = (exchange: string, reference: number, assetType: AssetType = "stock") => {
  const country = exchange === "TSE" ? "JP" : exchange === "NYSE" ? "US" : "VN";
  const found = priceLimits({ country, exchange, assetType }, reference);
  return found && [found.ceiling, found.floor];
};

describe("limits in Viet Nam", () => {
  test.each<[string, number, AssetType, [number, number]]>([
    // 25,300 · 1.07 = 27,071 and · 0.93 = 23,529, with ticks of 50.
    ["HOSE", 25_300, "stock", [27_050, 23_550]],
    // 48,000: 51,360 has a tick of 100, 44,640 one of 50.
    ["HOSE", 48_000, "stock", [51_300, 44_650]],
    // 10,500: 11,235 has a tick of 50, 9,765 one of 10.
    ["HOSE", 10_500, "stock", [11_200, 9_770]],
    ["HOSE", 10_000, "stock", [10_700, 9_300]],
    // 26,270: a fund has ticks of 10. 28,108.9 and 24,431.1.
    ["HOSE", 26_270, "etf", [28_100, 24_440]],
    // 12,700: 13,970 and 11,430.
    ["HNX", 12_700, "stock", [13_900, 11_500]],
    // 800 · 1.1 = 880 would be the reference: one tick away.
    ["HNX", 800, "stock", [900, 700]],
  ])("%s from %d, %s", (exchange, reference, assetType, expected) => {
    expect(at(exchange, reference, assetType)).toEqual(expected);
  });

  test("are unknown for a price between ticks, and for UPCoM, whose reference is an average", () => {
    expect(at("HOSE", 25_320)).toBeNull();
    expect(at("HNX", 12_750)).toBeNull();
    expect(at("UPCOM", 12_700)).toBeNull();
    expect(at("HOSE", 1_280, "index")).toBeNull();
  });
});

describe("limits in Tokyo", () => {
  test.each<[number, [number | null, number | null]]>([
    // Below 1,000 yen 150; below 5,000 yen 700.
    [950, [1_100, 800]],
    [3_500, [4_200, 2_800]],
    [25, [55, 1]],
    // 7083 on 2024-05-29 had an upper limit of 1,344 yen, 300 above the close before (github.com/kabucom/kabusapi/issues/832).
    [1_044, [1_344, 744]],
    // 3,341 has the fine ticks of the TOPIX 500, in which 4,041 is a price.
    [3_341, [4_041, 2_641]],
    [985.5, [1_135.5, 835.5]],
    // 1,026.9 is between ticks of 0.5; 726.9 is a multiple of 0.1 also in binary fractions.
    [876.9, [null, 726.9]],
    // 2,601 + 500 = 3,101 is a price with fine ticks only, and nothing shows which ones it has.
    [2_601, [null, 2_101]],
    [2_600, [3_100, 2_100]],
  ])("from %d yen", (reference, expected) => {
    expect(at("TSE", reference)).toEqual(expected);
  });

  test("are unknown for an adjusted price, and do not exist in the US", () => {
    expect(at("TSE", 3_341.37)).toBeNull();
    expect(at("NYSE", 25)).toBeNull();
  });
});

describe("limits after closes at a limit in Tokyo", () => {
  const ordinary = { reference: 1_000, ceiling: 1_300, floor: 700 };
  const sides = (assetType: AssetType, closes: readonly number[], country: "JP" | "VN" = "JP") => {
    const { ceiling, floor } = withoutWidened(
      ordinary,
      { country, exchange: null, assetType },
      closes,
    );
    return [ceiling, floor];
  };
  test.each<[AssetType, readonly number[], [number | null, number | null]]>([
    // On 2025-04-07 the fund 1466 closed at its upper limit of 783, 100 above 683, and its upper limit of the next day was
    // 600 yen (jpx.co.jp/english/news/1030/20250407-02.html). 1572 closed at 5,686, 1,000 below: below 7,000 yen 1,000.
    ["etf", [783, 683], [null, 700]],
    ["etf", [5_686, 6_686], [1_300, null]],
    ["etf", [775, 683], [1_300, 700]],
    // A share is at its limit for two sessions: 150, 150; then 80, 80.
    ["stock", [1_050, 900, 750], [null, 700]],
    ["stock", [300, 380, 460], [1_300, null]],
    ["stock", [1_050, 900, 800], [1_300, 700]],
    ["stock", [1_050, 900], [1_300, 700]],
    // 2,601 + 500 is 3,100 with ticks of 5, then 700.
    ["stock", [3_800, 3_100, 2_601], [null, 700]],
    // 30 yen below 20 is below one yen.
    ["stock", [1, 1, 20], [1_300, null]],
  ])("of a %s from %j", (assetType, closes, expected) => {
    expect(sides(assetType, closes)).toEqual(expected);
  });

  test("stay in Viet Nam", () => {
    expect(sides("etf", [783, 683], "VN")).toEqual([1_300, 700]);
  });
});

test("a price beyond a limit disproves both", () => {
  const limits = { reference: 1_000, ceiling: 1_300, floor: 700 };
  expect(withDistances(limits, 1_300)).toEqual({
    ...limits,
    belowCeilingPercent: 0,
    aboveFloorPercent: 100 * (1_300 / 700 - 1),
  });
  expect(withDistances(limits, 1_301)).toBeNull();
  expect(withDistances(limits, 699)).toBeNull();
  expect(withDistances({ ...limits, ceiling: null }, 1_500)?.belowCeilingPercent).toBeNull();
});
