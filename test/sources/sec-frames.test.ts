import { describe, expect, test } from "bun:test";
import { type Statement, type StatementItem, StatementItems } from "#domain/statement.ts";
import { listFrames } from "#sources/sec/frames.ts";
import { secFrames } from "#sources/sec/statement-frames.ts";
import { secStatements } from "#sources/sec/statements.ts";
import { answersFrom, type PlayedAnswer } from "../support/answers.ts";
import { faultOf, liveQuery, transformed } from "../support/fetcher.ts";
import { instrument } from "../support/market.ts";
import { frameBody, framesOf, type Frames } from "../support/played-frames.ts";
import { type PlayedFact, type SecFacts, secFacts } from "../support/played-statements.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";

const TICKERS = {
  fields: ["cik", "name", "ticker", "exchange"],
  data: [
    [320_193, "Apple Inc.", "AAPL", "Nasdaq"],
    [7, "Two Classes Inc.", "TWO-A", "NYSE"],
    [7, "Two Classes Inc.", "TWO-B", "NYSE"],
    [8, "Unlisted Corp", "PINK", "OTC"],
  ],
};

/** A client of the SEC with these frames; a frame without rows is a 404. */
function clientOf(frames: Frames, instead: Readonly<Record<string, PlayedAnswer>> = {}) {
  const bodies = [...frames.keys()].map((path) => [
    `/us-gaap/${path}.json`,
    JSON.stringify(frameBody(frames, path)),
  ]);
  return answersFrom({
    ...instead,
    "company_tickers_exchange.json": JSON.stringify(TICKERS),
    ...Object.fromEntries(bodies),
    "/api/xbrl/frames/": { status: 404, body: "<html>Not Found</html>" },
  });
}

const queryAt = (now: number, listed?: readonly string[]) => ({
  ...liveQuery({ today: new Date(now).toISOString() }),
  ...(listed && { listed: listed.map((symbol) => ({ symbol })) }),
});

async function statementsIn(
  frames: Frames,
  now: number,
  listed?: readonly string[],
): Promise<Statement[]> {
  const query = queryAt(now, listed);
  return transformed(
    "statements",
    secFrames,
    await secFrames.fetch(query, clientOf(frames)),
    query,
  );
}

const ofCompany = (own: unknown, symbol: string, now: number) =>
  transformed(
    "statements",
    secStatements,
    { own, predecessor: null },
    { ...queryAt(now), instrument: instrument("US", symbol) },
  );

const nameOf = ({ span, fiscalYear, fiscalQuarter, periodEnd, currency }: Statement) =>
  `${span} ${fiscalYear} Q${fiscalQuarter} ${periodEnd} ${currency}`;

const ITEMS = Object.keys(StatementItems.properties) as StatementItem[];

/** The items whose frames are not fetched. */
const DETAILS: readonly StatementItem[] = [
  "researchAndDevelopment",
  "sellingGeneralAdministrative",
  "interestExpense",
  "sharesOutstanding",
  "receivables",
  "goodwill",
  "payables",
  "leaseLiabilities",
  "stockCompensation",
  "dividendsPaid",
  "shareRepurchases",
];

const FETCHED = ITEMS.filter((item) => !DETAILS.includes(item));

/**
 * Checks that each figure from frames is that of the company's own facts; returns the names of the
 * statements that both have, and the items that frames lack in one of the newest ones.
 */
function compare(fromFrames: readonly Statement[], own: readonly Statement[]) {
  const known = new Map(own.map((one) => [nameOf(one), one.items]));
  const both = fromFrames.filter((one) => known.has(nameOf(one)));
  for (const one of both) {
    const expected = known.get(nameOf(one));
    for (const item of ITEMS) {
      const figure = { of: nameOf(one), item, value: one.items[item] };
      if (figure.value !== null)
        expect(figure).toEqual({ ...figure, value: expected?.[item] ?? null });
    }
  }
  const isKnown = (span: Statement["span"], item: StatementItem) =>
    both
      // Balance sheets are fetched since then.
      .filter((one) => one.span === span && one.periodEnd >= "2025-03-01")
      .every((one) => one.items[item] !== null || known.get(nameOf(one))?.[item] === null);
  return {
    names: both.map(nameOf),
    missing: {
      quarter: FETCHED.filter((item) => !isKnown("quarter", item)),
      year: FETCHED.filter((item) => !isKnown("year", item)),
    },
  };
}

/** What frames do not have of a quarter: filings state these for the year to date. */
const UNKNOWN_IN_QUARTERS: StatementItem[] = [
  "depreciationAndAmortization",
  "ebitda",
  "operatingCashFlow",
  "investingCashFlow",
  "financingCashFlow",
  "capitalExpenditure",
];

describe.skipIf(!hasRecordings)("frames of the recorded facts of Apple (2026-03-21)", () => {
  const raw = hasRecordings ? recordedJson("sec/companyfacts_CIK0000320193.json") : null;
  const now = Date.parse("2026-03-21T12:00Z");
  // The SEC itself marks each fact that is in a frame with the frame's name.
  const marked = (fact: PlayedFact & { readonly frame?: string }) =>
    fact.frame === undefined ? null : { frame: fact.frame, days: 0 };

  test("statements have the same figures as those of the company's own facts, to the digit", async () => {
    const own = ofCompany(raw, "AAPL", now);
    const { names, missing } = compare(await statementsIn(framesOf([raw], marked), now), own);
    // Two years and the quarter that was reported in January 2026.
    for (const period of ["Q1 2025-12-27", "Q4 2025-09-27", "Q3 2025-06-28", "Q2 2025-03-29"])
      expect(names.some((name) => name.startsWith("quarter") && name.includes(period))).toBe(true);
    expect(names).toContain("year 2025 Q4 2025-09-27 USD");
    expect(names).toContain("year 2024 Q4 2024-09-28 USD");
    expect(missing.quarter).toEqual(UNKNOWN_IN_QUARTERS);
  });

  test("the rule by which the played frames are made is that of the SEC", () => {
    const named = framesOf([raw], marked);
    const ruled = framesOf([raw]);
    // Not by filing: two filings of one day state the same figures.
    const figuresIn = (frames: Frames, path: string) =>
      frames.get(path)?.map(({ start, end, val }) => ({ path, start, end, val }));
    const wrong = [...named.keys()].filter(
      (path) => !Bun.deepEquals(figuresIn(ruled, path), figuresIn(named, path)),
    );
    expect(named.size).toBeGreaterThan(5_000);
    expect(wrong).toEqual([]);
  });
});

describe.skipIf(!hasRecordings)("frames of other recorded companies", () => {
  const recorded = (name: string, day: string) => {
    const raw = recordedJson(`real-2/${name}.json.gz`) as SecFacts;
    for (const { units } of Object.values(raw.facts["us-gaap"] ?? {}))
      for (const [unit, facts] of Object.entries(units))
        units[unit] = facts.filter(({ filed }) => filed <= day);
    return raw;
  };
  const found = (name: string, day: string) =>
    statementsIn(framesOf([{ ...recorded(name, day), cik: 320_193 }]), Date.parse(day), ["AAPL"]);

  test("Tesla's debt is that of its report for September 2022", async () => {
    const newest = (await found("TSLA", "2022-11-15")).at(-1);
    expect(newest).toMatchObject({ periodEnd: "2022-09-30", items: { totalDebt: 2_397e6 } });
  });

  test("Marvell's debt is that of its report for fiscal 2026", async () => {
    const statements = await found("MRVL", "2026-04-01");
    const year = statements.find(({ periodEnd, span }) => span === "year" && periodEnd > "2026");
    expect(year?.items.totalDebt).toBe(4_470.6e6);
  });

  test("Alphabet has no earnings per share after 20 for 1, because old quarters are in old shares", async () => {
    const statements = await found("GOOGL", "2022-11-15");
    expect(statements.at(-1)?.items.netIncome).toBe(13_910e6);
    expect(new Set(statements.map(({ items }) => items.epsDiluted))).toEqual(new Set([null]));
  });
});

describe("statements from played frames", () => {
  const now = Date.parse("2026-08-21T22:30Z");

  test("of Apple have the same figures as those of its own facts", async () => {
    const own = ofCompany(secFacts(), "AAPL", now);
    const { names, missing } = compare(await statementsIn(framesOf([secFacts()]), now), own);
    expect(names).toContain("quarter 2026 Q3 2026-06-30 USD");
    expect(names).toContain("quarter 2025 Q4 2025-09-30 USD");
    expect(names).toContain("quarter 2024 Q4 2024-09-30 USD");
    expect(names).toContain("year 2025 Q4 2025-09-30 USD");
    expect(missing).toEqual({ quarter: UNKNOWN_IN_QUARTERS, year: [] });
  });

  test("are known since the day on which the report was due, and at the latest today", async () => {
    const found = await statementsIn(framesOf([secFacts()]), now);
    const filedOn = (end: string) =>
      new Set(found.filter(({ periodEnd }) => periodEnd === end).map((one) => one.filedOn));
    // 45 days after 31 March; 90 days after the year's end; 14 August is 45 days after 30 June.
    expect(filedOn("2026-03-31")).toEqual(new Set(["2026-05-15"]));
    expect(filedOn("2025-09-30")).toEqual(new Set(["2025-12-29"]));
    const early = await statementsIn(framesOf([secFacts()]), Date.parse("2026-08-03"));
    expect(early.at(-1)).toMatchObject({ periodEnd: "2026-06-30", filedOn: "2026-08-03" });
  });

  /** Facts of an invented company with calendar quarters. */
  const company = (cik: number, tags: Record<string, Record<string, [string, string, number][]>>) =>
    ({
      cik,
      entityName: "Invented",
      facts: {
        "us-gaap": Object.fromEntries(
          Object.entries(tags).map(([tag, units]) => [
            tag,
            {
              units: Object.fromEntries(
                Object.entries(units).map(([unit, facts]) => [
                  unit,
                  facts.map(([start, end, val]) => ({
                    ...(start !== "" && { start }),
                    end,
                    val,
                    accn: "0",
                    fy: 2026,
                    fp: "FY",
                    form: "10-K",
                    filed: "2026-08-01",
                  })),
                ]),
              ),
            },
          ]),
        ),
      },
    }) as SecFacts;
  const QUARTERS: [string, string][] = [
    ["2025-01-01", "2025-03-31"],
    ["2025-04-01", "2025-06-30"],
    ["2025-07-01", "2025-09-30"],
    ["2026-01-01", "2026-03-31"],
    ["2026-04-01", "2026-06-30"],
  ];
  const flows = (...values: number[]) =>
    QUARTERS.map(([start, end], i): [string, string, number] => [start, end, values[i] ?? 0]);
  const YEAR: [string, string] = ["2025-01-01", "2025-12-31"];
  const REVENUE = [...flows(100, 100, 100, 100, 100), [...YEAR, 400] as [string, string, number]];
  const ASSETS = { USD: [["", "2026-06-30", 500]] as [string, string, number][] };

  test("each class of shares has the statements of its company, and unlisted shares have none", async () => {
    const two = company(7, { Assets: ASSETS, Revenues: { USD: REVENUE } });
    const pink = company(8, { Assets: ASSETS, Revenues: { USD: REVENUE } });
    const frames = framesOf([two, pink]);
    const symbols = async (listed?: readonly string[]) => [
      ...new Set((await statementsIn(frames, now, listed)).map(({ symbol }) => symbol)),
    ];
    expect(await symbols(["TWO.A", "TWO.B", "AAPL"])).toEqual(["TWO.A", "TWO.B"]);
    expect(await symbols(["TWO.B"])).toEqual(["TWO.B"]);
  });

  test("have no figures per share if the number of shares jumps, as it does at a split", async () => {
    const figures = (...shares: number[]) =>
      company(7, {
        Assets: ASSETS,
        Revenues: { USD: REVENUE },
        EarningsPerShareDiluted: { "USD/shares": flows(1, 1, 1, 1, 1) },
        WeightedAverageNumberOfDilutedSharesOutstanding: { shares: flows(...shares) },
      });
    const perShare = async (...shares: number[]) =>
      new Set(
        (await statementsIn(framesOf([figures(...shares)]), now, ["TWO.A"]))
          .filter(({ span, fiscalQuarter }) => span === "quarter" && fiscalQuarter !== 4)
          .map(({ items }) => items.epsDiluted),
      );
    expect(await perShare(100, 101, 99, 100, 102)).toEqual(new Set([1]));
    expect(await perShare(100, 101, 99, 400, 402)).toEqual(new Set([null]));
    expect(await perShare(100, 101, 99, 10, 10)).toEqual(new Set([null]));
  });

  test("have EBITDA from two lines if no second or third quarter states depreciation alone", async () => {
    const first: [string, string, number] = ["2025-01-01", "2025-03-31", 8];
    const second: [string, string, number] = ["2025-04-01", "2025-06-30", 7];
    const year: [string, string, number] = [...YEAR, 30];
    const ebitda = async (
      depreciation: [string, string, number][],
      amortization = [...YEAR, 5],
    ) => {
      const figures = company(7, {
        Assets: ASSETS,
        Revenues: { USD: REVENUE },
        OperatingIncomeLoss: { USD: [[...YEAR, 40]] },
        Depreciation: { USD: depreciation },
        AmortizationOfIntangibleAssets: { USD: [amortization as [string, string, number]] },
      });
      const found = await statementsIn(framesOf([figures]), now, ["TWO.A"]);
      return found.find(({ span }) => span === "year")?.items.ebitda;
    };
    expect(await ebitda([first, year])).toBe(40 + 30 + 5);
    // It is in a note.
    expect(await ebitda([first, second, year])).toBeNull();
    expect(await ebitda([year])).toBeNull();
    // Amortization is not stated for the year, and intangible assets are not in the frames.
    expect(await ebitda([first, year], ["2024-01-01", "2024-12-31", 5])).toBeNull();
  });

  test("have no debt if flows of short-term debt have no balance beside them", async () => {
    const debt = async (balances: Record<string, number>) => {
      const tags = Object.entries({ LongTermDebtNoncurrent: 90, ...balances });
      const figures = company(7, {
        Assets: ASSETS,
        Revenues: { USD: REVENUE },
        ProceedsFromShortTermDebt: { USD: [[...YEAR, 40]] },
        RepaymentsOfShortTermDebt: { USD: [[...YEAR, 30]] },
        ...Object.fromEntries(
          tags.map(([tag, value]) => [tag, { USD: [["", "2026-06-30", value]] }]),
        ),
      });
      const found = await statementsIn(framesOf([figures]), now, ["TWO.A"]);
      return found.find(({ periodEnd }) => periodEnd === "2026-06-30")?.items.totalDebt;
    };
    expect(await debt({})).toBeNull();
    expect(await debt({ CommercialPaper: 12 })).toBe(102);
  });

  test("of a holding company begin with those of its predecessor, which filed its first report", async () => {
    const sheets = (...days: string[]): [string, string, number][] =>
      days.map((day) => ["", day, 500]);
    const [before, after] = [REVENUE.slice(0, 3), REVENUE.slice(3, 5)];
    const old = (cik: number) =>
      company(cik, {
        Assets: { USD: sheets("2025-09-30", "2025-12-31") },
        Revenues: { USD: [...before, ...REVENUE.slice(5)] },
      });
    const holding = company(7, {
      Assets: { USD: sheets("2025-12-31", "2026-03-31") },
      Revenues: { USD: after },
    });
    const periods = async (filer: string, predecessor: SecFacts) => {
      const frames = framesOf([predecessor, holding]);
      for (const rows of frames.values())
        for (const row of rows) if (row.cik === 7) Object.assign(row, { accn: filer });
      return (await statementsIn(frames, now, ["TWO.A"])).map(nameOf);
    };
    expect(await periods("0000000099-26-000001", old(99))).toEqual([
      "quarter 2025 Q1 2025-03-31 USD",
      "quarter 2025 Q2 2025-06-30 USD",
      "quarter 2025 Q3 2025-09-30 USD",
      "quarter 2025 Q4 2025-12-31 USD",
      "year 2025 Q4 2025-12-31 USD",
      "quarter 2026 Q1 2026-03-31 USD",
      "quarter 2026 Q2 2026-06-30 USD",
    ]);
    // Another company with the same total. Without a year, quarters have no place.
    expect(await faultOf(() => periods("0000000098-26-000001", old(99)))).toBe("nothing");
  });

  test("have no figures per share if net income / EPS jumps and shares are stated by class only", async () => {
    const classes = (eps: number) =>
      company(7, {
        Assets: ASSETS,
        Revenues: { USD: REVENUE },
        NetIncomeLoss: { USD: flows(100, 100, 100, 110, 110) },
        EarningsPerShareDiluted: { "USD/shares": flows(20, 20, 20, eps, eps) },
      });
    const perShare = async (eps: number) =>
      (await statementsIn(framesOf([classes(eps)]), now, ["TWO.A"]))
        .filter(({ span, fiscalQuarter }) => span === "quarter" && fiscalQuarter !== 4)
        .map(({ items }) => items.epsDiluted);
    expect(await perShare(22)).toEqual([20, 20, 20, 22, 22]);
    expect(await perShare(1.1)).toEqual([null, null, null, null, null]);
  });

  test("are in the shares of their newest period", async () => {
    const found = await statementsIn(framesOf([secFacts()]), now);
    expect(new Set(found.map(({ sharesAsOf }) => sharesAsOf))).toEqual(new Set(["2026-06-30"]));
  });

  test("common equity is unknown if net income to common is smaller and no line is preferred equity", async () => {
    const balance = (value: number) => ({
      USD: [["", "2026-06-30", value]] as [string, string, number][],
    });
    const equityWith = async (toCommon: number, lines: Record<string, number> = {}) => {
      const sheet = Object.entries(lines).map(([tag, value]) => [tag, balance(value)]);
      const raw = company(7, {
        Assets: ASSETS,
        Revenues: { USD: REVENUE },
        StockholdersEquity: balance(300),
        NetIncomeLoss: { USD: flows(10, 10, 10, 10, 10) },
        NetIncomeLossAvailableToCommonStockholdersBasic: {
          USD: flows(...Array.from({ length: 5 }, () => toCommon)),
        },
        ...Object.fromEntries(sheet),
      });
      const found = await statementsIn(framesOf([raw]), now);
      return found.at(-1)?.items.commonEquity;
    };
    expect(await equityWith(8)).toBeNull();
    expect(await equityWith(8, { PreferredStockValue: 80 })).toBe(220);
    // The rest is for shares that take part in the earnings.
    expect(await equityWith(9.95)).toBe(300);
  });

  test("are not made for a company that has years only: its dollars may be a translation", async () => {
    const foreign = company(7, { Assets: ASSETS, Revenues: { USD: [[...YEAR, 400]] } });
    expect(await faultOf(() => statementsIn(framesOf([foreign]), now))).toBe("nothing");
  });
});

describe("requests for frames", () => {
  const now = Date.parse("2026-08-21T22:30Z");

  test("are a few hundred, for quarters and years up to the running ones, and none is made twice", async () => {
    const frames = listFrames(now);
    const paths = frames.map(({ tag, unit, period }) => `${tag} ${unit} ${period}`);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths.length).toBeLessThan(850);
    const periods = (tag: string) =>
      frames.filter((frame) => frame.tag === tag).map(({ period }) => period);
    expect(periods("Revenues")).toEqual(
      // 13 quarters: from the third of 2026 back to the third of 2023.
      "2026Q3 2026Q2 2026Q1 2025Q4 2025Q3 2025Q2 2025Q1 2024Q4 2024Q3 2024Q2 2024Q1 2023Q4 2023Q3 2026 2025 2024 2023"
        .split(" ")
        .map((period) => `CY${period}`),
    );
    expect(periods("NetCashProvidedByUsedInOperatingActivities")).toHaveLength(4);
    expect(periods("Assets").at(0)).toBe("CY2026Q3I");
    const client = clientOf(framesOf([secFacts()]));
    await secFrames.fetch(queryAt(now), client);
    expect(client.requests).toHaveLength(1 + frames.length);
    expect(client.requests.some(({ url }) => url.endsWith("/USD-per-shares/CY2026Q2.json"))).toBe(
      true,
    );
  });

  test("are few if they only test the source", async () => {
    const client = clientOf(framesOf([secFacts()]));
    const query = { ...queryAt(now), isProbe: true as const };
    const raw = await secFrames.fetch(query, client);
    expect(client.requests.length).toBeLessThan(30);
    expect(transformed("statements", secFrames, raw, query).length).toBeGreaterThan(0);
  });

  const row = { accn: "a", cik: 320_193, entityName: "A", loc: "US", end: "2026-06-30", val: 5 };
  test.each([
    ["rows under another name", JSON.stringify({ rows: [row] })],
    ["a value as text", JSON.stringify({ data: [{ ...row, val: "5" }] })],
    ["no value", JSON.stringify({ data: [{ ...row, val: undefined }] })],
    ["no company", JSON.stringify({ data: [{ ...row, cik: undefined }] })],
    ["an impossible date", JSON.stringify({ data: [{ ...row, end: "2026-06-31" }] })],
    ["a balance with a first day", JSON.stringify({ data: [{ ...row, start: "2026-01-01" }] })],
  ])("a frame that is %s is refused", async (_, body) => {
    const client = clientOf(framesOf([secFacts()]), { "/Assets/USD/": body });
    expect(await faultOf(() => secFrames.fetch(queryAt(now), client))).toBe("invalid_answer");
  });

  test("that are all gone are `nothing`, so that stored statements stay", async () => {
    expect(await faultOf(() => statementsIn(new Map(), now))).toBe("nothing");
  });

  test("single bad rows of a long frame are left out", async () => {
    const frames = framesOf([secFacts()]);
    const rows = frames.get("Assets/USD/CY2026Q2I") ?? [];
    const others = Array.from({ length: 150 }, (_, i) => ({ ...rows[0], cik: 900 + i }));
    const body = JSON.stringify({ data: [...rows, { ...rows[0], val: "bad" }, ...others] });
    const client = clientOf(frames, { "Assets/USD/CY2026Q2I": body });
    const raw = await secFrames.fetch(queryAt(now), client);
    expect(transformed("statements", secFrames, raw, queryAt(now)).at(-1)).toMatchObject({
      periodEnd: "2026-06-30",
      items: { totalAssets: 360e9 },
    });
  });
});
