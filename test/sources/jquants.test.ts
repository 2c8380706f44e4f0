import { describe, expect, test } from "bun:test";
import { periodFigures } from "#analytics/periods.ts";
import { ttm, knownStatements } from "#analytics/ttm.ts";
import type { Instrument } from "#domain/instrument.ts";
import { NO_ITEMS } from "#domain/statement.ts";
import { addDays } from "#lib/date.ts";
import { jquantsForecasts } from "#sources/jquants/company-forecasts.ts";
import { jquantsBars } from "#sources/jquants/bars.ts";
import { jquantsSplits } from "#sources/jquants/splits.ts";
import { jquantsInstruments } from "#sources/jquants/instruments.ts";
import { jquantsDisclosures, jquantsStatements } from "#sources/jquants/statements.ts";
import { answersFrom } from "../support/answers.ts";
import { faultOf, liveQuery, transformed, vietnamese } from "../support/fetcher.ts";
import { JQUANTS } from "#sources/jquants/source.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";

const japanese = (symbol: string, change: Partial<Instrument> = {}): Instrument =>
  vietnamese(symbol, { country: "JP", exchange: "TSE", currency: "JPY", ...change });

const API = "https://api.jquants.com/v2";
const today = "2026-11-20";
const listing = liveQuery({ today, country: "JP" });
const ofToyota = liveQuery({ today, instrument: japanese("7203") });
const page = (...rows: unknown[]) => ({ data: rows });

describe("J-Quants's listing", () => {
  const issue = (change: Record<string, unknown> = {}) => ({
    Date: "2026-08-28",
    Code: "72030",
    CoName: "トヨタ自動車",
    CoNameEn: "TOYOTA MOTOR CORPORATION",
    S17: "6",
    S17Nm: "自動車・輸送機",
    S33: "3700",
    S33Nm: "輸送用機器",
    ScaleCat: "TOPIX Core30",
    Mkt: "0111",
    MktNm: "プライム",
    ProdCat: "011",
    ...change,
  });
  const listed = (...rows: unknown[]) =>
    transformed("instruments", jquantsInstruments, [page(...rows)], listing);
  const typeOf = (change: Record<string, unknown>) => listed(issue(change))[0]?.assetType;

  test("a stock has its English name, its sector by the 33 of JPX and its four-letter symbol", () => {
    expect(listed(issue(), issue({ Code: "130A0", S33: "3250" }))).toEqual([
      japanese("7203", {
        name: "TOYOTA MOTOR CORPORATION",
        sector: "consumer-cyclical",
        segment: "prime",
        localSector: "3700",
        indexMember: false,
      }),
      expect.objectContaining({ symbol: "130A", sector: "healthcare", primaryListing: true }),
    ]);
  });

  test("a code without its leading zeros is a sector too", () => {
    expect(listed(issue({ S33: "50" }))[0]).toMatchObject({
      sector: "consumer-defensive",
      localSector: "0050",
    });
  });

  test.each([
    ["0111", "prime"],
    ["0112", "standard"],
    ["0113", "growth"],
    ["0109", null],
  ])("an issue of the market %s is in the segment %p", (Mkt, segment) => {
    expect(listed(issue({ Mkt }))[0]?.segment).toBe(segment as "prime" | null);
  });

  test("another line of an issuer has a fifth digit and is not primary", () => {
    expect(listed(issue({ Code: "25935" }))[0]).toMatchObject({
      symbol: "25935",
      primaryListing: false,
    });
  });

  test("the product category decides the type; without it, market and name decide", () => {
    const types = ["011", "012", "013", "014", "021", "022", "023", "024"];
    expect(types.map((ProdCat) => typeOf({ ProdCat }))).toEqual([
      "stock",
      "stock",
      "reit",
      "etf",
      "stock",
      "reit",
      "etf",
      "stock",
    ]);
    const other = (CoNameEn: string) =>
      typeOf({ ProdCat: undefined, Mkt: "0109", S33: "9999", CoNameEn });
    expect(typeOf({ ProdCat: undefined, Mkt: "0113" })).toBe("stock");
    expect(other("Nippon Building Fund Inc. Investment Corporation")).toBe("reit");
    expect(other("NEXT FUNDS REIT INDEX ETF")).toBe("etf");
    expect(other("MAXIS TOPIX ETF")).toBe("etf");
  });

  test("a trust has the sector real estate; a fund and an infrastructure trust have none", () => {
    const sectorOf = (ProdCat: string, CoNameEn: string) =>
      listed(issue({ ProdCat, CoNameEn, Mkt: "0109", S33: "9999" }))[0]?.sector;
    expect(sectorOf("013", "Japan Real Estate Investment Corporation")).toBe("real-estate");
    expect(sectorOf("013", "Canadian Solar Infrastructure Fund, Inc.")).toBeNull();
    expect(sectorOf("014", "MAXIS TOPIX ETF")).toBeNull();
  });

  test("the PRO Market is left out; without an English name, the Japanese one is used", () => {
    const list = listed(issue({ Mkt: "0105", Code: "14440" }), issue({ CoNameEn: " " }));
    expect(list.map(({ name }) => name)).toEqual(["トヨタ自動車"]);
  });

  test("a list in another form is refused", async () => {
    const changes = [
      { Code: "7203" },
      { Code: 72_030 },
      { S33: "1234" },
      { S33: "constructor" },
      { ProdCat: "099" },
      { CoNameEn: null },
    ];
    for (const change of changes)
      expect(await faultOf(() => listed(issue(), issue(change)))).toBe("invalid_answer");
    expect(await faultOf(() => listed(issue({ Mkt: "0105" })))).toBe("nothing");
  });

  test("it is requested page by page, with the key in a header", async () => {
    const client = answersFrom(
      {
        "pagination_key=a%2Fb": JSON.stringify(page(issue({ Code: "67580" }))),
        "/equities/master": JSON.stringify({ ...page(issue()), pagination_key: "a/b" }),
      },
      { key: "secret" },
    );
    const raw = await jquantsInstruments.fetch(listing, client);
    expect(client.requests).toEqual(
      [`${API}/equities/master`, `${API}/equities/master?pagination_key=a%2Fb`].map((url) => ({
        url,
        method: "GET",
        headers: { "x-api-key": "secret" },
        body: null,
      })),
    );
    const list = transformed("instruments", jquantsInstruments, raw, listing);
    expect(list.map(({ symbol }) => symbol)).toEqual(["7203", "6758"]);
  });

  test("endless pages are refused", async () => {
    const endless = JSON.stringify({ ...page(issue()), pagination_key: "again" });
    const client = answersFrom({ "/equities/master": endless });
    expect(await faultOf(() => jquantsInstruments.fetch(listing, client))).toBe("invalid_answer");
    expect(client.requests).toHaveLength(10);
  });
});

describe("J-Quants's bars", () => {
  const day = (Date: string, change: Record<string, unknown> = {}) => ({
    Date,
    Code: "72030",
    O: 2_047,
    H: 2_069,
    L: 2_035,
    C: 2_045,
    UL: "0",
    LL: "0",
    Vo: 2_202_500,
    Va: 4_507_051_850,
    AdjFactor: 1,
    AdjO: 1_023.5,
    AdjH: 1_034.5,
    AdjL: 1_017.5,
    AdjC: 1_022.5,
    AdjVo: 4_405_000,
    ...change,
  });
  const NO_TRADE = { AdjO: null, AdjH: null, AdjL: null, AdjC: null, AdjVo: null };
  const barsOf = (rows: unknown[], after: string | null = null, now = today) =>
    transformed("bars", jquantsBars, [page(...rows)], {
      ...ofToyota,
      after,
      now: Date.parse(now),
    })[0]?.bars;
  const datesOf = (...args: Parameters<typeof barsOf>) => barsOf(...args)?.map(({ date }) => date);

  test("prices and volume are adjusted, oldest first", () => {
    const bar = { open: 1_023.5, high: 1_034.5, low: 1_017.5, close: 1_022.5, volume: 4_405_000 };
    expect(barsOf([day("2026-08-27"), day("2026-08-26")])).toEqual([
      { date: "2026-08-26", ...bar },
      { date: "2026-08-27", ...bar },
    ]);
  });

  test("a figure may be written as text", () => {
    expect(barsOf([day("2026-08-27", { AdjC: "1022.5", AdjVo: "" })])?.[0]).toMatchObject({
      close: 1_022.5,
      volume: null,
    });
  });

  test("a day without trades and a price that was rounded to zero have no bar", async () => {
    const rows = [day("2026-08-26", NO_TRADE), day("2026-08-27", { AdjL: 0 }), day("2026-08-28")];
    expect(datesOf(rows)).toEqual(["2026-08-28"]);
    expect(await faultOf(() => barsOf([day("2026-08-26", NO_TRADE)]))).toBe("nothing");
  });

  test("a session that is not over has no bar", () => {
    // Tokyo is over by 07:00 UTC.
    const rows = [day("2026-11-19"), day("2026-11-20")];
    expect(datesOf(rows, null, "2026-11-20T06:59Z")).toEqual(["2026-11-19"]);
    expect(datesOf(rows, null, "2026-11-20T07:00Z")).toEqual(["2026-11-19", "2026-11-20"]);
  });

  test("splits are the factors of the days, beside the stored ones of before the first day", () => {
    const factors = {
      "2026-08-26": 1,
      "2026-08-27": 0.04,
      "2026-08-28": 0.909091,
      "2026-08-31": 5,
    };
    const rows = Object.entries(factors).map(([date, AdjFactor]) => day(date, { AdjFactor }));
    const stored = [
      { exDate: "2021-09-29", numerator: 5, denominator: 1 },
      { exDate: "2026-08-27", numerator: 24, denominator: 1 },
    ];
    const query = { ...ofToyota, splitsOf: () => stored };
    const splits = [
      { exDate: "2021-09-29", numerator: 5, denominator: 1 },
      { exDate: "2026-08-27", numerator: 25, denominator: 1 },
      { exDate: "2026-08-28", numerator: 11, denominator: 10 },
      { exDate: "2026-08-31", numerator: 1, denominator: 5 },
    ];
    const history = { country: "JP", symbol: "7203", splits } as const;
    expect(transformed("splits", jquantsSplits, [page(...rows)], query)).toEqual([history]);
    expect(jquantsBars.others?.([page(...rows)], query)).toEqual([
      { kind: "splits", records: [history] },
    ]);
    expect(transformed("splits", jquantsSplits, [page(day("2026-08-26"))], ofToyota)).toEqual([
      { country: "JP", symbol: "7203", splits: [] },
    ]);
  });

  test("only newer bars are added, unless a later split has changed the older ones", () => {
    const rows = [day("2026-08-26"), day("2026-08-27", { AdjFactor: 0.5 }), day("2026-08-28")];
    expect(datesOf(rows, "2026-08-27")).toEqual(["2026-08-28"]);
    expect(datesOf(rows, "2026-08-28")).toEqual([]);
    expect(datesOf(rows, "2026-08-26")).toEqual(["2026-08-26", "2026-08-27", "2026-08-28"]);
  });

  test("another form and the prices of another code are refused", async () => {
    for (const change of [
      { AdjC: "n/a" },
      { AdjC: "NaN" },
      { AdjC: "1e999" },
      { AdjC: [1] },
      { AdjC: undefined },
      { Date: "20260828" },
      { Code: "67580" },
    ]) {
      const rows = [day("2026-08-27"), day("2026-08-28", change)];
      expect(await faultOf(() => barsOf(rows))).toBe("invalid_answer");
    }
  });

  test("a request has the five-digit code; instruments without an exchange are not requested", async () => {
    const client = answersFrom({ "/equities/bars/daily": JSON.stringify(page()) });
    for (const symbol of ["7203", "130A", "25935"])
      await jquantsBars.fetch(liveQuery({ today, instrument: japanese(symbol) }), client);
    const index = japanese("^N225", { assetType: "index" });
    const fault = await faultOf(() =>
      jquantsBars.fetch(liveQuery({ today, instrument: index }), client),
    );
    expect(fault).toBe("nothing");
    expect(client.requests.map(({ url }) => url)).toEqual(
      ["72030", "130A0", "25935"].map((code) => `${API}/equities/bars/daily?code=${code}`),
    );
  });
});

describe("J-Quants's statements", () => {
  /** The year to March 2026 with round figures in yen, written as texts, as documented. */
  const year = (change: Record<string, unknown> = {}) => ({
    DiscDate: "2026-05-08",
    DiscTime: "14:00:00",
    Code: "72030",
    DiscNo: "20260508500001",
    DocType: "FYFinancialStatements_Consolidated_JP",
    CurPerType: "FY",
    CurPerSt: "2025-04-01",
    CurPerEn: "2026-03-31",
    CurFYSt: "2025-04-01",
    CurFYEn: "2026-03-31",
    NxtFYSt: "2026-04-01",
    NxtFYEn: "2027-03-31",
    Sales: "1000000000",
    OP: "100000000",
    OdP: "110000000",
    NP: "70000000",
    EPS: "70.00",
    DEPS: "69.50",
    TA: "2000000000",
    Eq: "900000000",
    EqAR: "0.430",
    BPS: "860.00",
    CFO: "90000000",
    CFI: "-40000000",
    CFF: "-30000000",
    CashEq: "300000000",
    DivAnn: "20.0",
    FSales: "",
    FNP: "",
    NxFSales: "1100000000",
    NxFNp: "80000000",
    ShOutFY: "1010000",
    TrShFY: "10000",
    AvgSh: "1000000",
    NCSales: "400000000",
    NCNP: "30000000",
    ...change,
  });
  /** The first three quarters of the company's next year, without cash flows. */
  const nineMonths = (change: Record<string, unknown> = {}) =>
    year({
      DiscDate: "2027-02-05",
      DocType: "3QFinancialStatements_Consolidated_JP",
      CurPerType: "3Q",
      CurPerSt: "2026-04-01",
      CurPerEn: "2026-12-31",
      CurFYSt: "2026-04-01",
      CurFYEn: "2027-03-31",
      Sales: "800000000",
      NP: "60000000",
      EPS: "60.00",
      DEPS: "",
      CFO: "",
      CFI: "",
      CFF: "",
      ...change,
    });
  const statements = (...rows: unknown[]) =>
    transformed("statements", jquantsStatements, [page(...rows)], ofToyota);
  const itemsOf = (change: Record<string, unknown>) => statements(year(change))[0]?.items;

  test("a summary of the parent alone never replaces the summary of its group", () => {
    const alone = {
      DocType: "FYFinancialStatements_NonConsolidated_JP",
      Sales: "400000000",
      NP: "30000000",
    };
    const revenueOf = (...rows: unknown[]) => statements(...rows).map(({ items }) => items.revenue);
    expect(revenueOf(year(), year({ ...alone, DiscDate: "2026-05-20" }))).toEqual([1_000_000_000]);
    expect(revenueOf(year({ ...alone, DiscDate: "2026-05-01" }), year())).toEqual([1_000_000_000]);
    expect(revenueOf(year(alone))).toEqual([400_000_000]);
  });

  test("a year has the figures of its summary, without forecasts and figures of the parent alone", () => {
    expect(statements(year())).toEqual([
      {
        country: "JP",
        symbol: "7203",
        span: "year",
        fiscalYear: 2026,
        fiscalQuarter: 4,
        periodEnd: "2026-03-31",
        filedOn: "2026-05-08",
        currency: "JPY",
        sharesAsOf: "2026-05-08",
        items: {
          ...NO_ITEMS,
          revenue: 1_000_000_000,
          operatingIncome: 100_000_000,
          ordinaryIncome: 110_000_000,
          netIncome: 70_000_000,
          epsDiluted: 69.5,
          // 1,010,000 with 10,000 of the company's own.
          sharesOutstanding: 1_000_000,
          totalAssets: 2_000_000_000,
          cash: 300_000_000,
          // 2,000 − 900 million.
          totalLiabilities: 1_100_000_000,
          // 43.0% of 2,000 million: the other 40 of 900 belong to minorities.
          commonEquity: 860_000_000,
          minorityInterest: 40_000_000,
          operatingCashFlow: 90_000_000,
          investingCashFlow: -40_000_000,
          financingCashFlow: -30_000_000,
        },
      },
    ]);
  });

  test("quarters are cumulative and belong to the year that ends last", () => {
    const quarter = (CurPerType: string, DiscDate: string, CurPerEn: string) =>
      nineMonths({
        CurPerType,
        DiscDate,
        CurPerEn,
        DocType: `${CurPerType}FinancialStatements_Consolidated_JP`,
      });
    const list = statements(
      nineMonths(),
      quarter("1Q", "2026-08-06", "2026-06-30"),
      quarter("2Q", "2026-11-05", "2026-09-30"),
    );
    expect(
      list.map(({ span, fiscalYear, fiscalQuarter, periodEnd }) => [
        span,
        fiscalYear,
        fiscalQuarter,
        periodEnd,
      ]),
    ).toEqual([
      ["year_to_date", 2027, 1, "2026-06-30"],
      ["year_to_date", 2027, 2, "2026-09-30"],
      ["year_to_date", 2027, 3, "2026-12-31"],
    ]);
    expect(list[2]?.items).toMatchObject({ revenue: 800_000_000, operatingCashFlow: null });
  });

  describe("of all companies", () => {
    // 2026-05-08 and 2026-05-11 are a Friday and a Monday.
    const ofAll = () => ({
      ...liveQuery({ today: "2026-05-11", country: "JP" }),
      now: Date.parse("2026-05-11T09:00:00Z"),
      listed: [{ symbol: "7203" }, { symbol: "130A" }, { symbol: "6269" }],
    });
    /** The service: the disclosures of each day, within the days that its plan covers. */
    const answering = (days: Readonly<Record<string, unknown[]>>, from = "2020-01-01", to = "") =>
      answersFrom({
        ...Object.fromEntries(
          Object.entries(days).map(([date, rows]) => [
            `/fins/summary?date=${date}`,
            JSON.stringify(page(...rows)),
          ]),
        ),
        ...(to !== "" && {
          "/fins/summary?date=2026-": {
            status: 400,
            body: JSON.stringify({
              message: `Your subscription covers the following dates: ${from} ~ ${to}. If you want more data, please check other plans:https://jpx-jquants.com/#dataset`,
            }),
          },
        }),
        "/fins/summary?date=": JSON.stringify(page()),
      });
    const daysOf = (client: ReturnType<typeof answering>) =>
      client.requests.map(({ url }) => url.slice(-"2026-05-11".length));
    const listOf = async (client: ReturnType<typeof answering>) => {
      const raw = await jquantsDisclosures.fetch(ofAll(), client);
      return transformed("statements", jquantsDisclosures, raw, ofAll());
    };

    test("are those of the disclosures of 16 months, the most recent day first", async () => {
      const client = answering({
        "2026-05-11": [year({ Code: "130A0" }), year({ Code: "99990" }), year({ Code: "62690" })],
        "2026-05-08": [year(), year({ DocType: "EarnForecastRevision" })],
        "2026-02-05": [
          nineMonths({ DiscDate: "2026-02-05", CurPerSt: "2025-04-01", CurPerEn: "2025-12-31" }),
        ],
      });
      const found = await listOf(client);
      expect(found.map(({ symbol, periodEnd }) => `${symbol} ${periodEnd}`)).toEqual([
        "130A 2026-03-31",
        "7203 2025-12-31",
        "7203 2026-03-31",
      ]);
      expect(found[2]).toEqual(statements(year())[0] as never);
      const days = daysOf(client);
      expect(days.slice(0, 3)).toEqual(["2026-05-11", "2026-05-08", "2026-05-07"]);
      // Sixteen months have some 330 sessions.
      expect(days.length).toBeWithin(310, 345);
      expect(days.at(-1)).toBe("2025-01-14");
    });

    test("are requested only for the days that the plan covers", async () => {
      const client = answering({ "2025-05-09": [year()] }, "2025-05-08", "2025-05-09");
      expect(await listOf(client)).toHaveLength(1);
      expect(daysOf(client)).toEqual(["2026-05-11", "2025-05-09", "2025-05-08"]);
    });

    test("are refused in another form; a failure ends the list", async () => {
      const fault = (body: string, status = 200) =>
        faultOf(() => listOf(answersFrom({ "/fins/summary": { status, body } })));
      expect(await fault(JSON.stringify({ message: "The api key is missing." }), 400)).toBe(
        "invalid_answer",
      );
      expect(await fault(JSON.stringify(page({ Code: "72030" })))).toBe("invalid_answer");
      expect(await fault("", 500)).toBe("unreachable");
      expect(await fault(JSON.stringify(page()))).toBe("nothing");
    });
  });

  test("twelve months are computed from cumulative quarters", () => {
    const list = statements(
      year(),
      nineMonths(),
      nineMonths({
        DiscDate: "2026-02-05",
        CurPerSt: "2025-04-01",
        CurPerEn: "2025-12-31",
        CurFYEn: "2026-03-31",
        Sales: "750000000",
      }),
    );
    // 800 + 1,000 − 750 million.
    expect(ttm(knownStatements(list, "2027-03-01"), "revenue").current).toBe(1_050_000_000);
  });

  test("an empty text is null, not zero; a loss is negative and a zero is zero", () => {
    // IFRS and US-GAAP have no ordinary profit, and may have no operating profit.
    const items = itemsOf({
      DocType: "FYFinancialStatements_Consolidated_IFRS",
      OP: "",
      OdP: "",
      NP: "-70000000",
      EPS: "-70.00",
      DEPS: "",
      Eq: "",
      CFO: null,
      CFI: "0",
    });
    expect(items).toMatchObject({
      operatingIncome: null,
      netIncome: -70_000_000,
      epsDiluted: -70,
      sharesDiluted: 1_000_000,
      totalLiabilities: null,
      commonEquity: null,
      operatingCashFlow: null,
      investingCashFlow: 0,
    });
  });

  test("owners' equity is the reported one, or all equity if the ratio says so", () => {
    expect(itemsOf({ ShEq: "861234567" })?.commonEquity).toBe(861_234_567);
    expect(itemsOf({ ShEq: "", EqAR: "0.450" })?.commonEquity).toBe(900_000_000);
    // 0.450 could be 0.4496, but not 0.448.
    expect(itemsOf({ EqAR: "0.450", Eq: "899200000" })?.commonEquity).toBe(899_200_000);
    expect(itemsOf({ EqAR: "0.450", Eq: "920000000" })?.commonEquity).toBe(900_000_000);
  });

  test("owners' equity is book value per share × shares, unless the rounded ratio contradicts it", () => {
    // 860.13 · 1,000,000; 0.430 of 2,000 million is 859 to 861 million.
    expect(itemsOf({ BPS: "860.13" })?.commonEquity).toBe(860_130_000);
    expect(itemsOf({ BPS: "430.07" })?.commonEquity).toBe(860_000_000);
  });

  test("total equity is assets − liabilities, as Toyota published for the year to March 2025", () => {
    // In millions of yen: assets 93,601,350, equity 36,878,913, of which 35,924,826 of the owners.
    const toyota =
      statements(
        year({
          TA: "93601350000000",
          Eq: "36878913000000",
          ShEq: "35924826000000",
          EqAR: "0.384",
        }),
      )[0]?.items ?? NO_ITEMS;
    expect(toyota).toMatchObject({
      totalLiabilities: 56_722_437_000_000,
      commonEquity: 35_924_826_000_000,
      minorityInterest: 954_087_000_000,
    });
    expect(periodFigures(toyota, "auto-manufacturers").totalEquity).toBe(36_878_913_000_000);
  });

  test("a company without minorities has none, however its book value per share is rounded", () => {
    // 900,004,000 / 1,000,000 shares = 900.004, stated as 900.00.
    const alone = { Eq: "900004000", EqAR: "0.450", BPS: "900.00" };
    expect(itemsOf(alone)).toMatchObject({ commonEquity: 900_004_000, minorityInterest: 0 });
    // A cent per share more than the rounding belongs to minorities.
    expect(itemsOf({ ...alone, Eq: "900014000" })).toMatchObject({
      commonEquity: 900_000_000,
      minorityInterest: 14_000,
    });
    expect(itemsOf({ Eq: "80000000", EqAR: "0.040", BPS: "" })?.minorityInterest).toBeNull();
  });

  test("owners' equity is unknown if the ratio is rounded too coarsely: 0.040 of a bank's assets", () => {
    // 0.0395 to 0.0405 of 2,000 million: 79 to 81 million, more than a hundredth.
    const bank = { Eq: "80000000", EqAR: "0.040", BPS: "" };
    expect(itemsOf(bank)?.commonEquity).toBeNull();
    expect(itemsOf({ ...bank, BPS: "79.52" })?.commonEquity).toBe(79_520_000);
    expect(itemsOf({ ...bank, ShEq: "79520000" })?.commonEquity).toBe(79_520_000);
  });

  test("of several disclosures of a period the last one is used, with any number", () => {
    const [statement, ...others] = statements(
      year({ DiscDate: "2026-06-20", DiscNo: "20260101000000", Sales: "990000000" }),
      year(),
      year({ DiscDate: "2026-06-20", DiscTime: "09:00:00", Sales: "1" }),
    );
    expect(others).toEqual([]);
    expect(statement).toMatchObject({ filedOn: "2026-06-20", items: { revenue: 990_000_000 } });
  });

  test("revisions, trusts, foreign issuers, odd periods and empty summaries are not statements", async () => {
    const revision = { CurPerSt: "", CurPerEn: "", CurFYEn: "", Sales: "", NP: "", TA: "" };
    for (const change of [
      { DocType: "EarnForecastRevision", ...revision },
      { DocType: "DividendForecastRevision" },
      { DocType: "REITEarnForecastRevision" },
      { DocType: "FYFinancialStatements_Consolidated_REIT" },
      { DocType: "FYFinancialStatements_Consolidated_Foreign" },
      { DocType: "OtherPeriodFinancialStatements_Consolidated_JP", CurPerType: "4Q" },
      { CurPerType: "5Q" },
      { CurPerType: "constructor" },
      // Eight months, which are no quarters.
      { CurPerSt: "2025-08-01" },
      // Nine months of a year of twelve.
      { CurPerEn: "2025-12-31" },
      { Sales: "", NP: "", TA: "" },
    ]) {
      expect(await faultOf(() => statements(year(change)))).toBe("nothing");
    }
    expect(statements(year(), year({ DocType: "EarnForecastRevision", ...revision }))).toHaveLength(
      1,
    );
  });

  describe("of a company that moves its fiscal year", () => {
    /** The summary of a period: its type, first and last day, the last day of its fiscal year, and its sales. */
    const summary = (
      [CurPerType, CurPerSt, CurPerEn, CurFYEn]: readonly [string, string, string, string],
      sales: number,
    ) => {
      const begins = { FY: "FY", "4Q": "OtherPeriod" }[CurPerType] ?? CurPerType;
      const DocType = `${begins}FinancialStatements_Consolidated_JP`;
      const period = { CurPerType, CurPerSt, CurPerEn, CurFYEn };
      return year({ ...period, DocType, DiscDate: addDays(CurPerEn, 40), Sales: `${sales}` });
    };
    const namesOf = (rows: readonly unknown[]) =>
      statements(...rows).map(
        (one) =>
          `${one.span} ${one.fiscalYear} Q${one.fiscalQuarter} ${one.periodEnd} ${one.items.revenue}`,
      );
    const trailing = (rows: readonly unknown[]) =>
      ttm(knownStatements(statements(...rows), "2025-12-01"), "revenue");
    const TO_MARCH = [
      summary(["1Q", "2023-04-01", "2023-06-30", "2024-03-31"], 10),
      summary(["2Q", "2023-04-01", "2023-09-30", "2024-03-31"], 21),
      summary(["3Q", "2023-04-01", "2023-12-31", "2024-03-31"], 33),
      summary(["FY", "2023-04-01", "2024-03-31", "2024-03-31"], 46),
    ];

    test("from March to December: nine months that end in the calendar year of the last full year", () => {
      const rows = [
        ...TO_MARCH,
        // Disclosed before the company decided to move its year.
        summary(["1Q", "2024-04-01", "2024-06-30", "2025-03-31"], 14),
        summary(["2Q", "2024-04-01", "2024-09-30", "2024-12-31"], 29),
        summary(["FY", "2024-04-01", "2024-12-31", "2024-12-31"], 45),
        summary(["1Q", "2025-01-01", "2025-03-31", "2025-12-31"], 17),
        summary(["2Q", "2025-01-01", "2025-06-30", "2025-12-31"], 35),
      ];
      expect(namesOf(rows).slice(3)).toEqual([
        "year 2024 Q4 2024-03-31 46",
        "year_to_date 2024 Q5 2024-06-30 14",
        "year_to_date 2024 Q6 2024-09-30 29",
        "year_to_date 2024 Q7 2024-12-31 45",
        "year_to_date 2025 Q1 2025-03-31 17",
        "year_to_date 2025 Q2 2025-06-30 35",
      ]);
      // The last four quarters: 35 − 17, 17, 45 − 29 and 29 − 14; a year ago 46 − 10 + 14.
      expect(trailing(rows)).toEqual({ current: 66, yearAgo: 50 });
      expect(trailing(rows.slice(0, -2))).toEqual({ current: 45 + 46 - 33, yearAgo: null });
    });

    test("from December to March: three months with a number of their own", () => {
      const rows = [
        summary(["FY", "2023-01-01", "2023-12-31", "2023-12-31"], 40),
        summary(["FY", "2024-01-01", "2024-03-31", "2024-03-31"], 12),
        summary(["1Q", "2024-04-01", "2024-06-30", "2025-03-31"], 13),
        summary(["FY", "2024-04-01", "2025-03-31", "2025-03-31"], 60),
      ];
      expect(namesOf(rows)).toEqual([
        "year 2023 Q4 2023-12-31 40",
        "year_to_date 2024 Q1 2024-03-31 12",
        "year_to_date 2025 Q1 2024-06-30 13",
        "year 2025 Q4 2025-03-31 60",
      ]);
      // No twelve months a year ago: their last three are known, the nine before only with three more.
      expect(trailing(rows)).toEqual({ current: 60, yearAgo: null });
    });

    test("a correction without the last day of the year is about the year that the others name", () => {
      const rows = [
        summary(["1Q", "2025-04-01", "2025-06-30", "2026-03-31"], 10),
        summary(["2Q", "2025-04-01", "2025-09-30", "2026-03-31"], 21),
        { ...summary(["2Q", "2025-04-01", "2025-09-30", ""], 22), DiscDate: "2025-11-20" },
      ];
      expect(namesOf(rows)).toEqual([
        "year_to_date 2026 Q1 2025-06-30 10",
        "year_to_date 2026 Q2 2025-09-30 22",
      ]);
    });

    test("to a year of fifteen months: its fifth quarter is a difference", () => {
      const rows = [
        summary(["3Q", "2024-01-01", "2024-09-30", "2025-03-31"], 30),
        summary(["4Q", "2024-01-01", "2024-12-31", "2025-03-31"], 42),
        summary(["FY", "2024-01-01", "2025-03-31", "2025-03-31"], 55),
      ];
      expect(namesOf(rows)).toEqual([
        "year_to_date 2025 Q3 2024-09-30 30",
        "year_to_date 2025 Q4 2024-12-31 42",
        "quarter 2025 Q5 2025-03-31 13",
      ]);
      // Fifteen months alone are neither a year nor a quarter.
      expect(namesOf([rows[0], rows[2]])).toEqual(["year_to_date 2025 Q3 2024-09-30 30"]);
    });
  });

  test("a summary of a company without subsidiaries is a statement", () => {
    const DocType = "FYFinancialStatements_NonConsolidated_JP";
    expect(itemsOf({ DocType, NCSales: "" })?.revenue).toBe(1_000_000_000);
  });

  test("figures per share are as disclosed, in the shares of that day", () => {
    const [before, after] = statements(year(), nineMonths({ AvgSh: "2970000", EPS: "20.20" }));
    expect(before).toMatchObject({ sharesAsOf: "2026-05-08", items: { epsDiluted: 69.5 } });
    expect(after).toMatchObject({
      sharesAsOf: "2027-02-05",
      items: { epsDiluted: 20.2, sharesDiluted: 2_970_000 },
    });
  });

  test("another form and the figures of another code are refused", async () => {
    for (const change of [
      { Sales: "１００" },
      { Sales: "1,000" },
      { NP: "Infinity" },
      { NP: true },
      { TA: undefined },
      { CurPerEn: "2026/03/31" },
      { DiscDate: "" },
      { Code: "72035" },
    ]) {
      expect(await faultOf(() => statements(year(), nineMonths(change)))).toBe("invalid_answer");
    }
  });

  test("a request has the five-digit code; funds and a company of unknown currency are not requested", async () => {
    const client = answersFrom({ "/fins/summary": JSON.stringify(page()) }, { key: "secret" });
    await jquantsStatements.fetch(ofToyota, client);
    for (const other of [japanese("1306", { assetType: "etf" }), japanese("6269")]) {
      const query = liveQuery({ today, instrument: other });
      expect(await faultOf(() => jquantsStatements.fetch(query, client))).toBe("nothing");
    }
    expect(client.requests).toEqual([
      {
        url: `${API}/fins/summary?code=72030`,
        method: "GET",
        headers: { "x-api-key": "secret" },
        body: null,
      },
    ]);
  });
});

test("J-Quants is called five times a minute with the operator's key", () => {
  expect(60 * JQUANTS.requestsPerSecond).toBe(5);
  expect(JQUANTS.key).toEqual({ variable: "JQUANTS_API_KEY", required: true });
});

describe.skipIf(!hasRecordings)("the manual's samples (../shared/data/jquants)", () => {
  /** A sample of version 1 under the names that the official client has for version 2. */
  const renamed = (file: string, list: string, from: string, to: readonly string[] | string) => {
    const columns = recordedJson("jquants/v2_columns.json") as Record<string, string[]>;
    const names = typeof to === "string" ? (columns[to] ?? []) : to;
    const rows = recordedJson(`jquants/${file}`)[list] as Record<string, unknown>[];
    expect(columns[from]).toHaveLength(names.length);
    return page(
      ...rows.map((row) =>
        Object.fromEntries(names.map((name, i) => [name, row[columns[from]?.[i] ?? ""]])),
      ),
    );
  };
  const ofExchange = liveQuery({ today, instrument: japanese("8697") });

  test("the listing of the exchange itself", () => {
    const names =
      "Date Code CoName CoNameEn S17 S17Nm S33 S33Nm ScaleCat Mkt MktNm Mrgn MrgnNm".split(" ");
    const raw = renamed(
      "v1_listed_issue_info.json",
      "info",
      "LISTED_INFO_STANDARD_PREMIUM_COLUMNS",
      names,
    );
    expect(transformed("instruments", jquantsInstruments, [raw], listing)).toEqual([
      expect.objectContaining({
        symbol: "8697",
        name: "Japan Exchange Group,Inc.",
        assetType: "stock",
        sector: "financial-services",
      }),
    ]);
  });

  test("its prices", () => {
    const raw = renamed(
      "v1_daily_stock_prices.json",
      "daily_quotes",
      "PRICES_DAILY_QUOTES_PREMIUM_COLUMNS",
      "EQ_BARS_DAILY_COLUMNS_V2",
    );
    expect(transformed("bars", jquantsBars, [raw], ofExchange)[0]?.bars).toEqual([
      { date: "2023-03-24", open: 2047, high: 2069, low: 2035, close: 2045, volume: 2_202_500 },
    ]);
  });

  test("its nine months to December 2022, with its forecast of the year", () => {
    const raw = renamed(
      "v1_financial_statements.json",
      "statements",
      "FINS_STATEMENTS_COLUMNS",
      "FIN_SUMMARY_COLUMNS_V2",
    );
    const [statement, ...others] = transformed("statements", jquantsStatements, [raw], ofExchange);
    expect(others).toEqual([]);
    expect(statement).toMatchObject({
      span: "year_to_date",
      fiscalYear: 2023,
      fiscalQuarter: 3,
      periodEnd: "2022-12-31",
      filedOn: "2023-01-30",
    });
    expect(transformed("companyForecasts", jquantsForecasts, [raw], ofExchange)).toEqual([
      {
        country: "JP",
        symbol: "8697",
        currency: "JPY",
        forecasts: [
          {
            yearEnd: "2023-03-31",
            announcedOn: "2023-01-30",
            revenue: 132_500_000_000,
            operatingIncome: 65_500_000_000,
            ordinaryIncome: null,
            netIncome: 45_000_000_000,
            eps: 85.42,
            dividendPerShare: 62,
            // 45,000 million / 85.42 are the 527 million shares of the summary.
            sharesAsOf: "2023-01-30",
          },
        ],
      },
    ]);
    expect(statement?.items).toMatchObject({
      revenue: 100_529_000_000,
      operatingIncome: 51_765_000_000,
      netIncome: 35_175_000_000,
      epsDiluted: 66.76,
      sharesDiluted: 526_874_759,
      totalAssets: 79_205_861_000_000,
      // 79,205,861 − 320,021 million.
      totalLiabilities: 78_885_840_000_000,
      cash: 91_135_000_000,
      // 0.004 of 79 trillion is rounded by 40 billion; the details state 311,103 million.
      commonEquity: null,
      sharesOutstanding: 528_578_441 - 1_861_043,
      operatingCashFlow: null,
    });
  });
});
