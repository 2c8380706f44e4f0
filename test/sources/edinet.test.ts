import { describe, expect, test } from "bun:test";
import { mergeFilings } from "#domain/filings.ts";
import type { Filing } from "#domain/filings.ts";
import type { Split } from "#domain/split.ts";
import { edinetFilings } from "#sources/edinet/filings.ts";
import { EDINET } from "#sources/edinet/source.ts";
import { edinetStatements } from "#sources/edinet/statements.ts";
import { createSourceClient } from "#sources/source-client.ts";
import { SourceError } from "#sources/source.ts";
import { answersFrom } from "../support/answers.ts";
import { ABOUT, ABOUT_HALF, csvOf, day, document, packed, TOYOTA_YEAR } from "../support/edinet.ts";
import { faultOf, liveQuery, transformed, vietnamese } from "../support/fetcher.ts";
import { playedWorld } from "../support/upstream.ts";

const instrument = vietnamese("7203", { country: "JP", exchange: "TSE", currency: "JPY" });
const today = "2026-11-20";
const query = liveQuery({ today, instrument });
const filing = (change: Partial<Filing> = {}): Filing => ({
  id: "S100TY26",
  form: "annual",
  filedOn: "2026-06-18",
  corrects: null,
  ...change,
});
/** The statements in reports. */
const read = (...reports: [csv: string, change?: Partial<Filing>][]) =>
  transformed(
    "statements",
    edinetStatements,
    reports.map(([csv, change]) => ({ csv, filing: filing(change) })),
    query,
  );
const known = (items: object | undefined) =>
  Object.fromEntries(Object.entries(items ?? {}).filter(([, value]) => value !== null));

const JAPAN = { ...ABOUT, AccountingStandards: "Japan GAAP" };
const ALONE = { ...JAPAN, WhetherConsolidatedFinancialStatementsArePrepared: "false" };

describe("a report", () => {
  test("of a group by IFRS has the total of sales, and no figure of its parent", () => {
    const [before, year] = read([TOYOTA_YEAR]);
    expect(year).toMatchObject({
      span: "year",
      fiscalYear: 2026,
      fiscalQuarter: 4,
      periodEnd: "2026-03-31",
      filedOn: "2026-06-18",
      sharesAsOf: "2026-06-18",
      currency: "JPY",
    });
    expect(known(year?.items)).toEqual({
      // 45 trillion is a part of it.
      revenue: 50e12,
      operatingIncome: 5e12,
      netIncome: 3.9e12,
      epsDiluted: 300,
      totalAssets: 100e12,
      commonEquity: 39e12,
      minorityInterest: 1e12,
      // 100 − 39 − 1.
      totalLiabilities: 60e12,
      // 39 trillion / 3,000: the element is called a ratio.
      sharesOutstanding: 13e9,
      capitalExpenditure: 2e12,
    });
    // Without the ends of the years in its summary, earlier ones are unknown.
    expect(before).toMatchObject({ periodEnd: "2025-03-31", isFilingAssumed: true });
    expect(known(before?.items)).toEqual({ revenue: 48e12, netIncome: 4.7e12 });
  });

  test("by Japanese standards has equity only if its balance sheet adds up", () => {
    const sheet = (minorities: number) =>
      csvOf(
        JAPAN,
        `jppfs_cor:NetSales CurrentYearDuration 900000000
         jppfs_cor:OperatingRevenue1 CurrentYearDuration 1000000000
         jppfs_cor:OperatingIncome CurrentYearDuration 100000000
         jppfs_cor:OrdinaryIncome CurrentYearDuration 105000000
         jppfs_cor:DepreciationAndAmortizationOpeCF CurrentYearDuration 40000000
         jppfs_cor:AmortizationOfGoodwillOpeCF CurrentYearDuration 5000000
         jppfs_cor:ProfitLoss CurrentYearDuration 70000000
         jppfs_cor:ProfitLossAttributableToOwnersOfParent CurrentYearDuration 60000000
         jppfs_cor:Assets CurrentYearInstant 2000000000
         jppfs_cor:Liabilities CurrentYearInstant 1100000000
         jppfs_cor:NetAssets CurrentYearInstant 900000000
         jppfs_cor:ShareholdersEquity CurrentYearInstant 800000000
         jppfs_cor:ValuationAndTranslationAdjustments CurrentYearInstant 60000000
         jppfs_cor:NonControllingInterests CurrentYearInstant ${minorities}
         jppfs_cor:CashAndDeposits CurrentYearInstant 300000000
         NetAssetsPerShareSummaryOfBusinessResults CurrentYearInstant 860.00`,
      );
    const items = known(read([sheet(40_000_000)]).at(-1)?.items);
    expect(items).toEqual({
      revenue: 1e9,
      operatingIncome: 1e8,
      ordinaryIncome: 105e6,
      depreciationAndAmortization: 45e6,
      ebitda: 145e6,
      netIncome: 60e6,
      totalAssets: 2e9,
      totalLiabilities: 11e8,
      cash: 3e8,
      // 800 + 60; 900 − 860; 860 million / 860.
      commonEquity: 860e6,
      minorityInterest: 40e6,
      sharesOutstanding: 1e6,
    });
    expect(read([sheet(10_000_000)]).at(-1)?.items).toMatchObject({
      commonEquity: null,
      minorityInterest: null,
      sharesOutstanding: null,
      netIncome: 60e6,
    });
  });

  test("of a company without a group has its own figures, which no group ever gets", () => {
    const facts = `jppfs_cor:NetSales CurrentYearDuration_NonConsolidatedMember 500
      jppfs_cor:ProfitLoss CurrentYearDuration_NonConsolidatedMember 30
      jppfs_cor:Assets CurrentYearDuration 1`;
    expect(known(read([csvOf(ALONE, facts)])[0]?.items)).toEqual({ revenue: 500, netIncome: 30 });
    expect(known(read([csvOf(JAPAN, facts)])[0]?.items)).toEqual({ totalAssets: 1 });
  });

  test("by US standards has its summary", () => {
    const us = { ...ABOUT, AccountingStandards: "US GAAP" };
    const facts = `RevenuesUSGAAPSummaryOfBusinessResults CurrentYearDuration 800
      NetIncomeLossAttributableToOwnersOfParentUSGAAPSummaryOfBusinessResults CurrentYearDuration 60
      jppfs_cor:NetSales CurrentYearDuration 999`;
    expect(known(read([csvOf(us, facts)])[0]?.items)).toEqual({ revenue: 800, netIncome: 60 });
  });

  test("has figures in units of yen only, and none that it contradicts", async () => {
    const facts =
      "jppfs_cor:NetSales CurrentYearDuration 12\njppfs_cor:Assets CurrentYearInstant 34";
    const revenueIn = (unit: string, text = facts) =>
      read([csvOf(JAPAN, text, unit)])[0]?.items.revenue;
    expect(["円", "千円", "百万円"].map((unit) => revenueIn(unit))).toEqual([12, 12e3, 12e6]);
    const faults = ["米ドル", "％", "株", ""].map((unit) => faultOf(() => revenueIn(unit)));
    expect(await Promise.all(faults)).toEqual(["nothing", "nothing", "nothing", "nothing"]);
    for (const value of ["－", "1,000", "△5", "1e3", ""])
      expect([value, revenueIn("円", facts.replace(" 12", ` ${value}`))]).toEqual([value, null]);
    expect(revenueIn("円", `${facts}\njppfs_cor:NetSales CurrentYearDuration 15`)).toBeNull();
  });

  test("has the years of its summary as far as it says when each ended", () => {
    const facts = [0, 1, 2, 3, 4].map((back) => {
      const year = back === 0 ? "CurrentYear" : `Prior${back}Year`;
      return `NetSalesSummaryOfBusinessResults ${year}Duration ${100 - back}
        BasicEarningsLossPerShareSummaryOfBusinessResults ${year}Duration 5.00`;
    });
    const yearsWith = (text: string) =>
      read([
        csvOf(JAPAN, facts.join("\n")) +
          `"jpcrp_cor:BusinessResultsOfGroupTextBlock"\t"項"\t"FilingDateInstant"\t"\t"\t"\t"－"\t"－"\t"${text}"\r\n`,
      ]).map(({ periodEnd, items }) => [periodEnd, items.revenue, items.epsDiluted]);
    const newest = [
      ["2025-03-31", 99, 5],
      ["2026-03-31", 100, 5],
    ];
    expect(
      yearsWith("回次第118期決算年月2022年３月2023年３月2024年３月2025年３月2026年３月売上高"),
    ).toEqual([
      // In whose shares they are is unknown.
      ["2023-03-31", 97, null],
      ["2024-03-31", 98, null],
      ...newest,
    ]);
    // The year to March 2024 had three months.
    expect(yearsWith("決算年月 2021年12月 2022年12月 2023年12月 2025年3月 2026年3月")).toEqual(
      newest,
    );
    expect(yearsWith("決算年月 2022年3月 2023年12月 2024年3月 2025年3月 2026年3月")).toEqual(
      newest,
    );
    expect(yearsWith("別の表")).toEqual(newest);
  });

  test("of a half-year is a year to date, with the half before", () => {
    const half = csvOf(
      { ...ABOUT_HALF, AccountingStandards: "Japan GAAP" },
      `jppfs_cor:NetSales InterimDuration 60
       jppfs_cor:NetSales Prior1InterimDuration 50
       NetSalesSummaryOfBusinessResults Prior1YearDuration 110
       jppfs_cor:Assets InterimInstant 400`,
    );
    const [before, now] = read([half, { id: "S100TY27", form: "half", filedOn: "2026-11-12" }]);
    expect(before).toMatchObject({ span: "year_to_date", fiscalYear: 2026, fiscalQuarter: 2 });
    expect(before).toMatchObject({ periodEnd: "2025-09-30", items: { revenue: 50 } });
    expect(now).toMatchObject({ fiscalYear: 2027, fiscalQuarter: 2, filedOn: "2026-11-12" });
    expect(known(now?.items)).toEqual({ revenue: 60, totalAssets: 400 });
  });

  test("without its dates, its standard or its columns gives nothing; another company's is refused", async () => {
    const facts = "jppfs_cor:NetSales CurrentYearDuration 1";
    const fault = (change: object, csv?: string) =>
      faultOf(() => read([csv ?? csvOf({ ...JAPAN, ...change }, facts)]));
    expect(await fault({ CurrentFiscalYearStartDate: "－" })).toBe("nothing");
    expect(await fault({ CurrentPeriodEndDate: "2026-02-31" })).toBe("nothing");
    expect(await fault({ AccountingStandards: "JMIS" })).toBe("nothing");
    expect(await fault({ WhetherConsolidatedFinancialStatementsArePrepared: "" })).toBe("nothing");
    expect(await fault({ SecurityCode: "67580" })).toBe("invalid_answer");
    expect(await fault({ SecurityCode: "" })).toBe("nothing");
    expect(await fault({}, "a\tb\nc\td")).toBe("invalid_answer");
  });

  test("a split between the year and the report leaves its shares unknown", () => {
    const splits: Split[] = [{ exDate: "2026-04-01", numerator: 5, denominator: 1 }];
    const [year] = transformed(
      "statements",
      edinetStatements,
      [{ csv: TOYOTA_YEAR, filing: filing() }],
      { ...query, splitsOf: () => splits },
    ).slice(-1);
    expect(year?.items).toMatchObject({
      epsDiluted: null,
      sharesOutstanding: null,
      revenue: 50e12,
    });
  });
});

test("a correction replaces the figures that it repeats, and both are kept with their days", () => {
  const correction = { id: "S100TYCC", filedOn: "2026-08-03", corrects: "S100TY26" };
  const facts = "OperatingRevenuesIFRSKeyFinancialData CurrentYearDuration 49000000000000";
  const raw = [
    { csv: TOYOTA_YEAR, filing: filing() },
    { csv: csvOf(ABOUT, facts), filing: filing(correction) },
  ];
  const year = transformed("statements", edinetStatements, raw, query).at(-1);
  expect(year).toMatchObject({
    filedOn: "2026-06-18",
    items: { revenue: 49e12, netIncome: 3.9e12 },
  });
  expect(edinetStatements.others?.(raw, query)).toEqual([
    {
      kind: "statementVintages",
      records: [
        expect.objectContaining({
          filedOn: "2026-06-18",
          accession: "S100TY26",
          items: expect.objectContaining({ revenue: 50e12 }),
        }),
        expect.objectContaining({ filedOn: "2026-08-03", accession: "S100TYCC", items: null }),
      ],
    },
  ]);
  expect(edinetStatements.others?.(raw.slice(0, 1), query)[0]?.records).toEqual([]);
});

describe("a request", () => {
  const from = (documents: Record<string, Uint8Array | string>) =>
    answersFrom(
      Object.fromEntries(
        Object.entries(documents).map(([id, body]) => [`/documents/${id}?`, body]),
      ),
      { key: "secret", source: "edinet" },
    );
  const fetched = async (filings: Filing[] | null | undefined, client = from({})) =>
    edinetStatements.fetch(
      { ...query, ...(filings !== undefined && { filingsOf: () => filings }) },
      client,
    );

  test("asks for the newest report of each form and its corrections, oldest first", async () => {
    const filings = [
      filing({ id: "S100TY25", filedOn: "2025-06-18" }),
      filing(),
      filing({ id: "S100OLDC", filedOn: "2026-07-01", corrects: "S100TY25" }),
      filing({ id: "S100TYCC", filedOn: "2026-12-01", corrects: "S100TY26" }),
      filing({ id: "S100HALF", form: "half", filedOn: "2026-11-12" }),
    ];
    const gone = '{"metadata":{"status":"404"}}';
    const client = from({ S100TY26: packed(TOYOTA_YEAR), S100HALF: gone, S100TYCC: "%PDF-1.7" });
    expect(await fetched(filings, client)).toEqual([{ csv: TOYOTA_YEAR, filing: filings[1] }]);
    expect(client.requests.map(({ url }) => url)).toEqual(
      ["S100TY26", "S100HALF", "S100TYCC"].map(
        (id) =>
          `https://api.edinet-fsa.go.jp/api/v2/documents/${id}?type=5&Subscription-Key=secret`,
      ),
    );
  });

  test("waits for the list of reports, and does not read what is no report", async () => {
    expect(await faultOf(() => fetched([]))).toBe("nothing");
    const error = await fetched(null).catch((one: unknown) => one);
    expect(error).toMatchObject({ fault: "not_asked", retryAfterMs: 300_000 });
    expect(await faultOf(() => fetched(undefined))).toBe("not_asked");
    for (const body of ["<html>", "PK", packed("x", "other")])
      expect(await faultOf(() => fetched([filing()], from({ S100TY26: body })))).toBe(
        body instanceof Uint8Array ? "nothing" : "invalid_answer",
      );
  });

  test("is refused by a status in the body, as by one of HTTP, and never names the key", async () => {
    const refusedBy = async (status: number, body: string) => {
      using server = Bun.serve({ port: 0, fetch: () => new Response(body, { status }) });
      const client = createSourceClient(
        EDINET,
        {
          mirror: server.url.origin,
          contact: null,
          key: "5ecretKey",
          program: "bourse/0",
          blockedUntil: 0,
        },
        playedWorld(),
      );
      const run = () => edinetStatements.fetch({ ...query, filingsOf: () => [filing()] }, client);
      const error = await run().catch((one: unknown) => one);
      expect(error).toBeInstanceOf(SourceError);
      expect(JSON.stringify(error) + String(error)).not.toContain("5ecretKey");
      return [String(error), (error as SourceError).refusal?.cause, client.blockedUntil > 0];
    };
    const message = "Access denied due to invalid subscription key.";
    const words =
      "Error: edinet: api.edinet-fsa.go.jp 401: it does not accept the key; check EDINET_API_KEY";
    expect(await refusedBy(200, `{"StatusCode":401,"message":"${message}"}`)).toEqual([
      words,
      401,
      false,
    ]);
    expect(await refusedBy(401, message)).toEqual([words, 401, false]);
    const limit = await refusedBy(200, '{"statusCode": 429, "message": "Rate limit is exceeded."}');
    expect(limit.slice(1)).toEqual([429, true]);
    expect(await refusedBy(200, '{"metadata":{"status":"500"}}')).toContain(500);
    expect(await refusedBy(404, "")).toEqual([
      "Error: edinet: it has no report of the company",
      undefined,
      false,
    ]);
  });
});

describe("the list of reports", () => {
  const country = liveQuery({ today, country: "JP" });
  const listed = (...rows: unknown[]) =>
    transformed("filings", edinetFilings, [day(...rows)], country).map((one) => [
      one.symbol,
      one.filings.map(({ id, form, filedOn, corrects }) => [id, form, filedOn, corrects]),
    ]);

  test("has listed companies with figures, by the day in Tokyo", () => {
    const correction = { docID: "S100TYCC", docTypeCode: "130", parentDocID: "S100TY26" };
    const rows = [
      document(),
      document({ ...correction, submitDateTime: "2026-08-03 09:00" }),
      document({ docID: "S100HALF", secCode: "130A0", docTypeCode: "160" }),
      document({ secCode: null }),
      document({ csvFlag: "0" }),
      document({ docTypeCode: "350" }),
      document({ withdrawalStatus: "2", secCode: null, submitDateTime: null }),
      document({ disclosureStatus: "2" }),
      document({ ...correction, parentDocID: null }),
    ];
    expect(listed(...rows)).toEqual([
      [
        "7203",
        [
          ["S100TY26", "annual", "2026-06-18", null],
          ["S100TYCC", "annual", "2026-08-03", "S100TY26"],
        ],
      ],
      ["130A", [["S100HALF", "half", "2026-06-18", null]]],
    ]);
    // The market may get the company later, and the day is listed once.
    const others = { ...country, listed: [{ symbol: "6758" }] };
    expect([...transformed("filings", edinetFilings, [day(document())], others)]).toHaveLength(1);
  });

  test("is read in parts from the newest stored day, 400 days at first", async () => {
    const parts = (after: string | null) => edinetFilings.parts?.({ ...country, after }) ?? [];
    const first = parts(null);
    // In Tokyo it is 21 November.
    expect(first[0]?.after).toBe("2025-10-17");
    // 400 days have about 270 sessions.
    expect(first.length).toBeWithin(13, 15);
    expect(parts("2020-01-06")).toHaveLength(first.length);
    const [rest, ...more] = parts("2026-11-18");
    expect(more).toEqual([]);
    const client = answersFrom({ "/documents.json": JSON.stringify(day()) }, { key: "k" });
    if (rest) await edinetFilings.fetch(rest, client);
    const dates = client.requests.map(({ url }) => new URL(url).searchParams.get("date"));
    expect(dates.toReversed()).toEqual(["2026-11-18", "2026-11-19", "2026-11-20"]);
  });

  test("a probe ends at the first day with a report; another form is refused", async () => {
    const client = answersFrom({
      "date=2026-11-19": JSON.stringify(day(document())),
      "/documents.json": JSON.stringify(day()),
    });
    const probe = { ...country, isProbe: true as const, listed: [{ symbol: "6758" }] };
    const days = await edinetFilings.fetch(probe, client);
    expect(client.requests).toHaveLength(2);
    expect(transformed("filings", edinetFilings, days, probe)).toHaveLength(1);
    expect(await faultOf(() => listed(document({ docID: "../x" })))).toBe("invalid_answer");
    expect(await faultOf(() => listed(document({ submitDateTime: "2026/06/18" })))).toBe(
      "invalid_answer",
    );
  });

  test("keeps the newest reports of a company", () => {
    const of = { country: "JP", symbol: "7203" } as const;
    const many = Array.from({ length: 25 }, (_, i) =>
      filing({ id: `S${i}`, filedOn: `20${10 + i}-06-18` }),
    );
    const merged = mergeFilings(
      { ...of, filings: many },
      { ...of, filings: [filing({ id: "S3", filedOn: "2040-06-18" })] },
    );
    expect(merged.filings).toHaveLength(20);
    expect(merged.filings.at(-1)).toEqual(filing({ id: "S3", filedOn: "2040-06-18" }));
  });
});
