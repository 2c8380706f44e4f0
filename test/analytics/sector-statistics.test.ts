import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Performance } from "#analytics/performance.ts";
import {
  convertTable,
  type RollUpCompany,
  rollUpRow,
  RollUpTableBuilder,
  sectorStatistics,
  sectorTotals,
} from "#analytics/sector-statistics.ts";
import { inOneTurn } from "#lib/next-turn.ts";

const AS_OF = "2026-11-20";

const NO_PERFORMANCE: Performance = {
  "1w": null,
  "1m": null,
  "3m": null,
  "6m": null,
  ytd: null,
  "1y": null,
  "5y": null,
  "10y": null,
};

const NO_FIGURES: RollUpCompany["fundamentals"] = {
  marketCap: 100,
  periodEnd: "2026-09-30",
  dividendYieldPercent: null,
  pe: null,
  pb: null,
  ps: null,
  evToEbitda: null,
  roePercent: null,
  roicPercent: null,
  revenueGrowthPercent: null,
  epsGrowthPercent: null,
  grossMarginPercent: null,
  operatingMarginPercent: null,
  netMarginPercent: null,
  fcfMarginPercent: null,
  currency: "USD",
  statementCurrency: "USD",
  revenueTtm: null,
  netIncomeTtm: null,
};

/** A semiconductor company of cap 100 with only the given figures. */
function company(
  fundamentals: Partial<RollUpCompany["fundamentals"]> = {},
  instrument: Partial<RollUpCompany["instrument"]> = {},
  rest: Partial<Pick<RollUpCompany, "changePercent" | "performance">> = {},
): RollUpCompany {
  return {
    instrument: {
      assetType: "stock",
      primaryListing: true,
      sector: "technology",
      industry: "semiconductors",
      currency: "USD",
      ...instrument,
    },
    fundamentals: { ...NO_FIGURES, ...fundamentals },
    changePercent: null,
    performance: NO_PERFORMANCE,
    ...rest,
  };
}

/** The technology statistics of companies that differ in one figure. */
function technologyOf<K extends keyof RollUpCompany["fundamentals"]>(
  figure: K,
  values: readonly RollUpCompany["fundamentals"][K][],
) {
  return technology(values.map((value) => company({ [figure]: value })));
}

function tableOf(companies: readonly RollUpCompany[]) {
  const builder = new RollUpTableBuilder(companies.length);
  for (const row of companies.flatMap((one) => rollUpRow(one) ?? [])) builder.add(row);
  return builder.build();
}
const statistics = (companies: readonly RollUpCompany[], by?: "sector" | "industry") =>
  inOneTurn(sectorStatistics(tableOf(companies), AS_OF, by));

function technology(companies: readonly RollUpCompany[]) {
  const row = statistics(companies).get("technology");
  if (row === undefined) throw new Error("no technology row");
  return row;
}

describe("medians", () => {
  test("of five P/E are the third: 10, 12, 20, 30, 90 have 20", () => {
    expect(technologyOf("pe", [30, 10, 90, 20, 12]).peMedian).toBe(20);
  });

  test("are null below 5 values", () => {
    expect(technologyOf("pe", [30, 10, 90, 20]).peMedian).toBeNull();
  });

  test("have quartiles from 8 values on: of 1 to 8 they are 2.75 and 6.25 (R, type 7)", () => {
    const row = technologyOf("pe", [8, 7, 6, 5, 4, 3, 2, 1]);
    expect([row.peP25, row.peMedian, row.peP75]).toEqual([2.75, 4.5, 6.25]);
    const fewer = technologyOf("pe", [7, 6, 5, 4, 3, 2, 1]);
    expect([fewer.peP25, fewer.peMedian, fewer.peP75]).toEqual([null, 4, null]);
  });

  test("exclude bad data: P/E above 1,000, P/B above 200, P/S above 500", () => {
    const around = (limit: number) => [limit + 0.01, limit, 1, 2, 3, 4];
    // The median of 1, 2, 3, 4 and the limit is 3; with the sixth value it would be 3.5.
    expect(technologyOf("pe", around(1_000)).peMedian).toBe(3);
    expect(technologyOf("pb", around(200)).pbMedian).toBe(3);
    expect(technologyOf("ps", around(500)).psMedian).toBe(3);
  });

  test("exclude growth and margins beyond ±1,000 %", () => {
    const values = [-1_000.01, -1_000, 1, 2, 3, 1_000, 1_000.01];
    for (const [figure, result] of [
      ["revenueGrowthPercent", "revenueGrowthMedian"],
      ["epsGrowthPercent", "epsGrowthMedian"],
      ["grossMarginPercent", "grossMarginMedian"],
      ["operatingMarginPercent", "operatingMarginMedian"],
      ["netMarginPercent", "netMarginMedian"],
      ["fcfMarginPercent", "fcfMarginMedian"],
    ] as const) {
      const row = technologyOf(figure, values);
      expect([figure, row[result], row.sampleSize]).toEqual([figure, 2, 5]);
    }
  });

  test("of returns include all known values", () => {
    const values = [-5_000, -20, 10, 20, 60_000, null, NaN];
    expect(technologyOf("roePercent", values).roeMedian).toBe(10);
    expect(technologyOf("roicPercent", values).roicMedian).toBe(10);
  });

  test("of EV/EBITDA include only positive values", () => {
    const row = technologyOf("evToEbitda", [-4, 0, 8, 9, 10, 11, 5_000]);
    expect([row.evEbitdaMedian, row.sampleSize]).toEqual([10, 5]);
  });

  test("exclude companies whose last period ended more than 15 months ago", () => {
    const figures = [10, 20, 30, 40, 50].map((pe) => company({ pe, periodEnd: "2025-08-20" }));
    const stale = [1, 2, 3].map((pe) => company({ pe, periodEnd: "2025-08-19" }));
    const unreported = company({ pe: 1, periodEnd: null });
    const row = technology([...figures, ...stale, unreported]);
    expect([row.peMedian, row.sampleSize, row.stockCount]).toEqual([30, 5, 9]);
  });
});

describe("the sample", () => {
  const tenWithPe = Array.from({ length: 10 }, (_, i) => company({ pe: i + 1 }));

  test("counts each company with a valid figure once", () => {
    const row = technology([
      company({ pe: 10, pb: 2, netMarginPercent: 5 }),
      company({ netMarginPercent: 5 }),
      company({ pe: 1_001 }),
      company(),
    ]);
    expect(row.sampleSize).toBe(2);
  });

  test("is reliable with 10 companies, 5 P/E and all of the cap", () => {
    expect(technology(tenWithPe)).toMatchObject({ sampleSize: 10, reliable: true });
  });

  test("is not reliable with 9 companies", () => {
    expect(technology(tenWithPe.slice(1)).reliable).toBe(false);
  });

  test("needs 5 valid P/E", () => {
    const withPe = (count: number) =>
      technology(
        Array.from({ length: 10 }, (_, i) => company({ pb: 1, pe: i < count ? 10 : null })),
      );
    expect(withPe(5).reliable).toBe(true);
    expect(withPe(4).reliable).toBe(false);
  });

  test("must cover 70 % of the cap: 1,000 of 1,428 do, 1,000 of 1,429 do not", () => {
    const beside = (marketCap: number) => technology([...tenWithPe, company({ marketCap })]);
    expect(beside(428)).toMatchObject({ sampleSize: 10, reliable: true });
    expect(beside(429)).toMatchObject({ sampleSize: 10, reliable: false });
  });
});

describe("the included companies", () => {
  test("are primary listings of stocks and REITs with a market cap and a sector", () => {
    const rows = statistics([
      company({ marketCap: 1 }),
      company({ marketCap: 2 }, { assetType: "reit" }),
      company({ marketCap: 4 }, { assetType: "etf" }),
      company({ marketCap: 8 }, { primaryListing: false }),
      company({ marketCap: null }),
      company({ marketCap: 0 }),
      company({ marketCap: 16 }, { sector: null }),
    ]);
    expect([...rows.keys()]).toEqual(["technology"]);
    expect(rows.get("technology")).toMatchObject({ stockCount: 2, marketCap: 3 });
  });

  test("give a row per sector with the number of industries, or a row per industry", () => {
    const companies = [
      company({ marketCap: 10 }),
      company({ marketCap: 20 }),
      company({ marketCap: 40 }, { industry: "solar" }),
      company({ marketCap: 80 }, { sector: "energy", industry: "uranium" }),
    ];
    const rowsBy = (by: "sector" | "industry") =>
      Array.from(statistics(companies, by), ([slug, row]) => [
        slug,
        row.stockCount,
        row.industryCount,
        row.marketCap,
      ]);
    expect(rowsBy("sector")).toEqual([
      ["technology", 3, 2, 70],
      ["energy", 1, 1, 80],
    ]);
    expect(rowsBy("industry")).toEqual([
      ["semiconductors", 2, 1, 30],
      ["solar", 1, 1, 40],
      ["uranium", 1, 1, 80],
    ]);
  });
});

describe("a cap-weighted change", () => {
  const moved = (marketCap: number, changePercent: number | null) =>
    company({ marketCap }, {}, { changePercent });

  test("is weighted by the cap at the start: 150 + 75 now were 100 + 100, so 225 / 200 − 1 = 12.5 %", () => {
    expect(technology([moved(150, 50), moved(75, -25)]).changePercent).toBeCloseTo(12.5, 12);
  });

  test("includes only companies with a known change", () => {
    expect(technology([moved(150, 50), moved(1e9, null)]).changePercent).toBeCloseTo(50, 12);
    expect(technology([moved(150, null)]).changePercent).toBeNull();
  });

  test("excludes a change of −100 %, which has no computable earlier cap", () => {
    expect(technology([moved(150, 50), moved(10, -100)]).changePercent).toBeCloseTo(50, 12);
  });

  test("is computed for each window", () => {
    const performance = { ...NO_PERFORMANCE, "1w": 1, "1m": 2, ytd: 3, "10y": 4 };
    const row = technology([company({}, {}, { performance })]);
    expect(row.performance["1w"]).toBeCloseTo(1, 12);
    expect(row.performance["1m"]).toBeCloseTo(2, 12);
    expect(row.performance["ytd"]).toBeCloseTo(3, 12);
    expect(row.performance["10y"]).toBeCloseTo(4, 12);
    expect(row.performance["1y"]).toBeNull();
  });

  test("is between the smallest and the largest change", () => {
    const change = fc.double({ min: -99, max: 1_000, noNaN: true });
    const cap = fc.double({ min: 1, max: 1e12, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(cap, change), { minLength: 1 }), (found) => {
        const companies = found.map(([marketCap, percent]) => moved(marketCap, percent));
        const weighted = technology(companies).changePercent ?? NaN;
        const changes = found.map(([, percent]) => percent);
        expect(weighted).toBeGreaterThanOrEqual(Math.min(...changes) - 1e-6);
        expect(weighted).toBeLessThanOrEqual(Math.max(...changes) + 1e-6);
      }),
    );
  });
});

test("the dividend yield is dividends / caps of companies with a known history: (2 + 0) / 300", () => {
  const row = technology([
    company({ marketCap: 100, dividendYieldPercent: 2 }),
    company({ marketCap: 200, dividendYieldPercent: 0 }),
    company({ marketCap: 900, dividendYieldPercent: null }),
  ]);
  expect(row.dividendYieldPercent).toBeCloseTo(200 / 300, 12);
});

const figure = fc.option(fc.integer({ min: -300, max: 1_200 }));
/** Integers, so that sums are exact in any order. */
const anyCompany = fc
  .record({
    pe: figure,
    pb: figure,
    roePercent: figure,
    fcfMarginPercent: figure,
    marketCap: fc.integer({ min: 1, max: 1_000_000 }),
    periodEnd: fc.constantFrom("2026-09-30", "2025-06-30", null),
    sector: fc.constantFrom("technology", "energy"),
    industry: fc.constantFrom("semiconductors", "uranium"),
    changePercent: fc.option(fc.integer({ min: -50, max: 50 })),
  })
  .map(({ sector, industry, changePercent, ...fundamentals }) =>
    company(fundamentals, { sector, industry }, { changePercent }),
  );
const anyCompanies = fc.array(anyCompany, { maxLength: 40 });

describe("laws", () => {
  test("p25 ≤ median ≤ p75", () => {
    fc.assert(
      fc.property(anyCompanies, (companies) => {
        for (const { peP25, peMedian, peP75 } of statistics(companies).values()) {
          if (peP25 === null || peMedian === null || peP75 === null) continue;
          expect(peP25).toBeLessThanOrEqual(peMedian);
          expect(peMedian).toBeLessThanOrEqual(peP75);
        }
      }),
    );
  });

  test("the order of the companies has no effect", () => {
    fc.assert(
      fc.property(
        anyCompanies.chain((companies) =>
          fc.tuple(
            fc.constant(companies),
            fc.shuffledSubarray(companies, { minLength: companies.length }),
          ),
        ),
        ([companies, shuffled]) => {
          const before = statistics(companies);
          const after = statistics(shuffled);
          expect([...after.keys()].toSorted()).toEqual([...before.keys()].toSorted());
          for (const [slug, row] of before) {
            const found = after.get(slug);
            // The only figure whose terms are not integers: its sum can differ in the last bits.
            expect(found?.changePercent ?? 0).toBeCloseTo(row.changePercent ?? 0, 9);
            expect({ ...found, changePercent: 0 }).toEqual({ ...row, changePercent: 0 });
          }
        },
      ),
    );
  });

  test("a company of one sector has no effect on another sector", () => {
    fc.assert(
      fc.property(anyCompanies, anyCompany, (companies, newcomer) => {
        const before = statistics(companies);
        const after = statistics([...companies, newcomer]);
        for (const [slug, row] of before)
          if (slug !== newcomer.instrument.sector) expect(after.get(slug)).toEqual(row);
      }),
    );
  });

  test("a median needs 5 companies of the sample", () => {
    fc.assert(
      fc.property(anyCompanies, (companies) => {
        for (const row of statistics(companies).values())
          if (row.sampleSize < 5) expect([row.peMedian, row.pbMedian]).toEqual([null, null]);
      }),
    );
  });
});

describe("totals over several tables", () => {
  const IN_YEN = { currency: "JPY", statementCurrency: "JPY" } as const;
  const american = company(
    { marketCap: 900, netIncomeTtm: 60, revenueTtm: 400, dividendYieldPercent: 1 },
    {},
    { changePercent: 50 },
  );
  // At 150 yen to a dollar: a cap of 100, a loss of 10, a revenue of 100.
  const japanese = company(
    {
      ...IN_YEN,
      marketCap: 15_000,
      netIncomeTtm: -1_500,
      revenueTtm: 15_000,
      dividendYieldPercent: 3,
    },
    { currency: "JPY" },
    { changePercent: -50 },
  );
  const totals = (
    tables: readonly (readonly RollUpCompany[])[],
    rates: Readonly<Record<string, number>> = { USD: 1, JPY: 150 },
  ) => {
    const converted = tables.map((companies) =>
      convertTable(tableOf(companies), (currency) => rates[currency] ?? null),
    );
    return inOneTurn(sectorTotals(converted, "sector")).get("technology");
  };

  test("are in one currency", () => {
    const row = totals([[american], [japanese]]);
    expect(row?.stockCount).toBe(2);
    // 900 + 15,000 / 150
    expect(row?.marketCap).toBe(1_000);
    // Losses included: (900 + 100) / (60 − 10)
    expect(row?.pe).toBe(20);
    // (60 − 10) / (400 + 100)
    expect(row?.profitMarginPercent).toBe(10);
    // (900 × 1 % + 100 × 3 %) / 1,000
    expect(row?.dividendYieldPercent).toBeCloseTo(1.2, 12);
    // Before the session they were worth 900 / 1.5 + 100 / 0.5 = 800.
    expect(row?.changePercent).toBeCloseTo(25, 12);
    expect(totals([[american, japanese]])).toEqual(row);
  });

  test("ask for the rate of each currency once", () => {
    const asked: string[] = [];
    convertTable(tableOf([american, japanese, american, japanese]), (currency) => {
      asked.push(currency);
      return null;
    });
    expect(asked).toEqual(["USD", "JPY"]);
  });

  test("leave out a company whose currency has no rate", () => {
    expect(totals([[american], [japanese]], { USD: 1 })).toEqual(totals([[american]]));
    expect(totals([[japanese]], { USD: 1 })).toBeUndefined();
  });

  test("leave a company out of both sums if one figure is unknown", () => {
    const earns = (revenueTtm: number | null, netIncomeTtm: number | null) =>
      company({ marketCap: 900, revenueTtm, netIncomeTtm });
    const row = totals([[earns(100, 25), earns(null, 5), earns(1e6, null)]]);
    // 25 / 100, and (900 + 900) / (25 + 5)
    expect([row?.profitMarginPercent, row?.pe]).toEqual([25, 60]);
  });

  test("leave out earnings in another currency than the share's", () => {
    const abroad = company({ statementCurrency: "JPY", netIncomeTtm: 1e9, revenueTtm: 1e10 });
    const row = totals([[american, abroad]]);
    expect([row?.stockCount, row?.pe, row?.profitMarginPercent]).toEqual([2, 15, 15]);
  });

  test("have no P/E without earnings and no margin without revenue", () => {
    const none = totals([[company({ netIncomeTtm: 10 }), company({ netIncomeTtm: -10 })]]);
    expect([none?.pe, none?.profitMarginPercent]).toEqual([null, null]);
  });
});
