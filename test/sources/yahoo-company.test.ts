import { describe, expect, test } from "bun:test";
import { surprisePercent } from "#analytics/earnings-surprise.ts";
import { round2 } from "#panels/format.ts";
import { INDUSTRIES, SECTORS } from "#domain/taxonomy.ts";
import { yahooCoverage } from "#sources/yahoo/analyst-coverage.ts";
import { yahooResults } from "#sources/yahoo/earnings-results.ts";
import { yahooEarningsDate } from "#sources/yahoo/earnings-dates.ts";
import { yahooProfile } from "#sources/yahoo/profile.ts";
import { industrySlug, sectorSlug } from "#sources/yahoo/taxonomy.ts";
import { faultOf, transformed } from "../support/fetcher.ts";
import { answersFrom } from "../support/answers.ts";
import { ask, inJapan, instrument } from "./yahoo-support.ts";
import { hasRecordings, recordedJson, recordedText } from "../support/recordings.ts";

const AAPL = instrument();
const QQQ = instrument({ symbol: "QQQ", name: "Invesco QQQ Trust", assetType: "etf" });
/** The time at which quoteSummary-all-AAPL was recorded, by its pre-market price. */
const RECORDED_AT = "2025-02-24T09:35Z";

describe.skipIf(!hasRecordings)("recorded summaries (../shared/data/yahoo)", () => {
  test("AAPL's profile is added to the stored instrument", () => {
    const raw = recordedJson("yahoo/quoteSummary-all-AAPL.json");
    const [profile] = transformed("instruments", yahooProfile, raw, ask(AAPL, RECORDED_AT));
    expect(profile).toEqual({
      ...AAPL,
      sector: "technology",
      industry: "consumer-electronics",
      employees: 150_000,
      sharesOutstanding: 15_390_999_552,
      summary: expect.stringMatching(
        /^Apple Inc\. designs, .* headquartered in Cupertino, California\.$/,
      ),
    });
  });

  test("a fund gets a summary and keeps its other fields", async () => {
    const raw = recordedJson("yahoo/quoteSummary-all-QQQ.json");
    const known = { ...QQQ, sharesOutstanding: 1e6 };
    const [profile] = transformed("instruments", yahooProfile, raw, ask(known, RECORDED_AT));
    expect(profile).toEqual({
      ...known,
      // The store keeps the number that it has, with the day of its count.
      sharesOutstanding: null,
      summary: expect.stringMatching(/^To maintain the correspondence/),
    });
    expect(await faultOf(() => yahooCoverage.fetch(ask(QQQ, RECORDED_AT), answersFrom({})))).toBe(
      "nothing",
    );
  });

  test("the empty profile of a delisted company is `nothing`", async () => {
    // Recorded for WSKT.JK. Here it has a symbol of Viet Nam.
    const text = recordedText("yahoo/quoteSummary-all-WSKT.JK.json").replaceAll(".JK", ".VN");
    const delisted = instrument({ country: "VN", symbol: "WSKT", currency: "VND" });
    for (const fetcher of [yahooProfile, yahooCoverage]) {
      const fault = await faultOf(() =>
        fetcher.transform(JSON.parse(text), ask(delisted, "2026-11-20T09:00Z")),
      );
      expect(fault).toBe("nothing");
    }
  });

  test("AAPL's coverage: ratings by month, targets, estimates and the newest 60 actions", () => {
    const raw = recordedJson("yahoo/quoteSummary-all-AAPL.json");
    const records = transformed("analystCoverage", yahooCoverage, raw, ask(AAPL, RECORDED_AT));
    expect(records).toHaveLength(1);
    const { ratings = [], priceTarget, estimates = [], actions = [] } = records[0] ?? {};
    expect(ratings.map(({ month }) => month)).toEqual(["2025-02", "2025-01", "2024-12", "2024-11"]);
    expect(ratings[0]).toEqual({
      month: "2025-02",
      strongBuy: 7,
      buy: 21,
      hold: 14,
      sell: 2,
      strongSell: 2,
    });
    expect(priceTarget).toEqual({
      low: 197,
      mean: 252.22575,
      median: 257.5,
      high: 325,
      analysts: 40,
    });
    expect(estimates.map(({ period, periodEnd }) => [period, periodEnd])).toEqual([
      ["current_quarter", "2025-03-31"],
      ["next_quarter", "2025-06-30"],
      ["current_year", "2025-09-30"],
      ["next_year", "2026-09-30"],
    ]);
    expect(estimates[2]).toEqual({
      period: "current_year",
      periodEnd: "2025-09-30",
      eps: { low: 6.93, average: 7.3157, high: 7.65, analysts: 38 },
      revenue: { low: 389_800e6, average: 409_079_556_900, high: 431_783e6, analysts: 39 },
      // As Apple published it for fiscal 2024.
      epsYearAgo: 6.08,
    });
    // Fiscal 2025 was not reported yet: Yahoo's 7.3157 is its estimate.
    expect(estimates[3]).toMatchObject({ period: "next_year", epsYearAgo: null });
    expect(actions).toHaveLength(60);
    expect(actions[0]).toEqual({
      date: "2025-01-31",
      firm: "Citigroup",
      action: "maintain",
      fromGrade: "Buy",
      toGrade: "Buy",
      priceTarget: null,
      priorPriceTarget: null,
    });
    // The 59th was MoffettNathanson's first rating, so there is no previous grade.
    expect(actions[58]).toMatchObject({
      date: "2024-08-19",
      firm: "MoffettNathanson",
      action: "initiate",
      fromGrade: null,
      toGrade: "Neutral",
    });
  });

  test("AAPL's next report: the first day of the estimated range, about the quarter to March", () => {
    const raw = recordedJson("yahoo/quoteSummary-all-AAPL.json");
    expect(transformed("earningsDates", yahooEarningsDate, raw, ask(AAPL, RECORDED_AT))).toEqual([
      {
        country: "US",
        symbol: "AAPL",
        date: "2025-04-30",
        session: "not_supplied",
        fiscalPeriod: "Mar 2025",
        epsEstimate: 1.61696,
        revenueEstimate: 94_076_168_920,
        analysts: 27,
      },
    ]);
  });

  test("AAPL's results of calendar 2024, with Yahoo's own surprise percents", () => {
    const raw = recordedJson("yahoo/quoteSummary-all-AAPL.json");
    const [found] = transformed("earningsResults", yahooResults, raw, ask(AAPL, RECORDED_AT));
    const results = found?.results ?? [];
    // Apple's press releases; 0.97 is after the one-time charge of 0.67 for the State Aid decision.
    expect(results.map(({ quarterEnd, epsActual }) => [quarterEnd, epsActual])).toEqual([
      ["2024-03", 1.53],
      ["2024-06", 1.4],
      ["2024-09", 0.97],
      ["2024-12", 2.4],
    ]);
    expect(results.every(({ reportedOn }) => reportedOn === null)).toBe(true);
    // `fmt` of surprisePercent in the recording.
    expect(results.map((one) => round2(surprisePercent(one)))).toEqual([2.05, 4.41, 2.48, 2.52]);
  });

  test("all 11 sectors and 145 industries of Yahoo's own list have their slug", () => {
    const list = recordedJson("yahoo/sector_industry_11_145.json") as Record<string, string[]>;
    expect(new Set(Object.keys(list).map(sectorSlug))).toEqual(new Set(SECTORS.keys()));
    expect(new Set(Object.values(list).flat().map(industrySlug))).toEqual(
      new Set(INDUSTRIES.keys()),
    );
  });
});

test("industries are recognized by each key that Yahoo has used", () => {
  for (const key of ["oil-gas-e-p", "oil-gas-e&p", "Oil & Gas E&P"]) {
    expect(INDUSTRIES.get(industrySlug(key) ?? "")?.name).toBe("Oil & Gas E&P");
  }
  for (const key of ["banks—regional", "banks-regional"]) {
    expect(industrySlug(key)).toBe("banks-regional");
  }
  expect(industrySlug("alchemy")).toBeNull();
  expect(sectorSlug(null)).toBeNull();
});

/** An invented summary in Yahoo's form. */
const fake = (modules: Record<string, unknown>) => ({
  quoteSummary: {
    result: [{ price: { symbol: "AAPL", currency: "USD" }, ...modules }],
    error: null,
  },
});
const query = ask(AAPL, "2026-11-20T22:00Z");

test("an answer about another symbol is refused", async () => {
  const other = ask(instrument({ symbol: "MSFT" }), "2026-11-20T22:00Z");
  for (const fetcher of [yahooProfile, yahooCoverage, yahooEarningsDate]) {
    expect(await faultOf(() => fetcher.transform(fake({}), other))).toBe("invalid_answer");
  }
});

describe("profiles", () => {
  const profileOf = (modules: Record<string, unknown>) =>
    transformed("instruments", yahooProfile, fake(modules), query)[0];

  test("fields that Yahoo does not have stay as they are", () => {
    const profile = profileOf({ defaultKeyStatistics: { sharesOutstanding: 5 } });
    expect(profile).toEqual({ ...AAPL, sharesOutstanding: 5 });
  });

  test("an unknown industry is null, and its sector is used", () => {
    const assetProfile = { industryKey: "alchemy", sectorKey: "basic-materials" };
    expect(profileOf({ assetProfile })).toMatchObject({
      sector: "basic-materials",
      industry: null,
    });
  });

  test("an answer without a profile is `nothing`; a changed form is refused", async () => {
    expect(await faultOf(() => profileOf({}))).toBe("nothing");
    expect(await faultOf(() => profileOf({ assetProfile: { fullTimeEmployees: "many" } }))).toBe(
      "invalid_answer",
    );
    expect(
      await faultOf(() =>
        profileOf({ assetProfile: { fullTimeEmployees: 5 }, recommendationTrend: { trend: "up" } }),
      ),
    ).toBe("invalid_answer");
    const unknown = {
      quoteSummary: { result: null, error: { code: "Not Found", description: "Quote not found" } },
    };
    expect(await faultOf(() => yahooProfile.transform(unknown, query))).toBe("nothing");
  });
});

describe("coverage", () => {
  const coverageOf = (modules: Record<string, unknown>) =>
    transformed("analystCoverage", yahooCoverage, fake(modules), query)[0];
  const action = (change: Record<string, unknown> = {}) => ({
    epochGradeDate: Date.parse("2026-11-03T01:00Z") / 1000,
    firm: "Needham",
    toGrade: "Buy",
    fromGrade: "Hold",
    action: "up",
    ...change,
  });

  test("current price targets are read, a target of 0 is null, dates are those of New York", () => {
    const history = [
      action({ priceTargetAction: "Raises", currentPriceTarget: 300, priorPriceTarget: 0 }),
    ];
    expect(coverageOf({ upgradeDowngradeHistory: { history } })?.actions).toEqual([
      {
        date: "2026-11-02",
        firm: "Needham",
        action: "upgrade",
        fromGrade: "Hold",
        toGrade: "Buy",
        priceTarget: 300,
        priorPriceTarget: null,
      },
    ]);
  });

  test("actions are listed newest first; those of an unknown kind or without a firm are left out", () => {
    const history = [
      action({ epochGradeDate: 1_700_000_000, firm: "Old" }),
      action({ firm: "\u0007" }),
      action({ action: "sing" }),
      action({ firm: "N".repeat(500) }),
    ];
    const firms = coverageOf({ upgradeDowngradeHistory: { history } })?.actions.map((a) => a.firm);
    expect(firms).toEqual(["N".repeat(120), "Old"]);
  });

  test("figures without analysts are null, and an estimate in another currency is left out", () => {
    const row = (period: string, currency: string, analysts: unknown) => ({
      period,
      endDate: "2026-12-31",
      earningsEstimate: {
        avg: { raw: 1 },
        low: {},
        high: null,
        yearAgoEps: 0.5,
        numberOfAnalysts: analysts,
        earningsCurrency: currency,
      },
      revenueEstimate: { avg: 0, numberOfAnalysts: {} },
    });
    const trend = [
      row("0q", "USD", { raw: 3 }),
      row("+1q", "USD", {}),
      row("0y", "TWD", 5),
      { period: "+5y", endDate: null },
    ];
    const recommendationTrend = {
      trend: [{ period: "0m", strongBuy: 0, buy: 0, hold: 0, sell: 0, strongSell: 0 }],
    };
    const financialData = { targetMeanPrice: 5 };
    const coverage = coverageOf({ earningsTrend: { trend }, recommendationTrend, financialData });
    expect(coverage?.ratings).toEqual([]);
    expect(coverage?.priceTarget).toBeNull();
    expect(coverage?.estimates).toEqual([
      {
        period: "current_quarter",
        periodEnd: "2026-12-31",
        eps: { low: null, average: 1, high: null, analysts: 3 },
        revenue: { low: null, average: null, high: null, analysts: 0 },
        epsYearAgo: 0.5,
      },
    ]);
  });

  test("an estimate without a currency is in that of the statements", () => {
    const estimate = { avg: 100, numberOfAnalysts: 3 };
    const row = {
      period: "0q",
      endDate: "2026-12-31",
      earningsEstimate: { ...estimate, earningsCurrency: "USD" },
      revenueEstimate: estimate,
    };
    const estimatesIn = (financialCurrency: string | null) =>
      coverageOf({ earningsTrend: { trend: [row] }, financialData: { financialCurrency } })
        ?.estimates[0];
    expect(estimatesIn("CNY")).toMatchObject({ eps: { average: 100 }, revenue: { average: null } });
    expect(estimatesIn("USD")).toMatchObject({ eps: { average: 100 }, revenue: { average: 100 } });
    expect(estimatesIn(null)).toMatchObject({ revenue: { average: 100 } });
  });

  test("a Japanese company is requested by its Tokyo symbol and has dates of Tokyo", () => {
    const body = fake({ upgradeDowngradeHistory: { history: [action()] } });
    const raw = JSON.parse(JSON.stringify(body).replace("AAPL", "7203.T"));
    const about = ask(inJapan("7203"), "2026-11-20T22:00Z");
    expect(transformed("analystCoverage", yahooCoverage, raw, about)[0]?.actions[0]?.date).toBe(
      "2026-11-03",
    );
  });
});

describe("earnings dates", () => {
  const dateOf = (earnings: Record<string, unknown>) =>
    transformed(
      "earningsDates",
      yahooEarningsDate,
      fake({ calendarEvents: { earnings } }),
      query,
    )[0];
  const at = (time: string) => Date.parse(time) / 1000;

  test("a confirmed time has a session, an estimated one has none", () => {
    const after = [at("2027-01-28T21:30Z")];
    const before = [at("2027-01-28T12:00Z")];
    const midnight = [at("2027-01-28T05:00Z")];
    const session = (earningsDate: number[], isEarningsDateEstimate: boolean) =>
      dateOf({ earningsDate, isEarningsDateEstimate })?.session;
    expect(session(after, false)).toBe("after_market_close");
    expect(session(before, false)).toBe("before_market_open");
    expect(session(midnight, false)).toBe("not_supplied");
    expect(session(after, true)).toBe("not_supplied");
  });

  test("an estimate in another currency than the share's is left out", () => {
    const earnings = {
      earningsDate: [at("2027-01-28T21:30Z")],
      earningsAverage: 12.5,
      revenueAverage: 280e9,
    };
    const estimated = (parts: Record<string, unknown>) => {
      const raw = fake({ calendarEvents: { earnings }, ...parts });
      const [found] = transformed("earningsDates", yahooEarningsDate, raw, query);
      return [found?.epsEstimate, found?.revenueEstimate];
    };
    const trend = (earningsCurrency: string, revenueCurrency: string) => ({
      earningsTrend: {
        trend: [
          {
            period: "0q",
            endDate: "2026-12-31",
            earningsEstimate: { earningsCurrency },
            revenueEstimate: { revenueCurrency },
          },
        ],
      },
    });
    expect(estimated(trend("USD", "USD"))).toEqual([12.5, 280e9]);
    expect(estimated(trend("USD", "CNY"))).toEqual([12.5, null]);
    expect(estimated(trend("CNY", "CNY"))).toEqual([null, null]);
    expect(estimated({ financialData: { financialCurrency: "CNY" } })).toEqual([null, null]);
  });

  test("a past report, or no report, is `nothing`", async () => {
    expect(await faultOf(() => dateOf({ earningsDate: [at("2026-11-19T21:30Z")] }))).toBe(
      "nothing",
    );
    expect(await faultOf(() => dateOf({ earningsDate: [] }))).toBe("nothing");
    expect(await faultOf(() => dateOf({}))).toBe("nothing");
    // A report of this evening is upcoming by New York's date.
    expect(dateOf({ earningsDate: [at("2026-11-20T21:30Z")] })?.date).toBe("2026-11-20");
  });

  test("a quarter that cannot be that of the report is not named", () => {
    expect(dateOf({ earningsDate: [at("2027-01-28T21:30Z")] })?.fiscalPeriod).toBeNull();
  });
});
