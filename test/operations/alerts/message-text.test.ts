import { describe, expect, test } from "bun:test";
import type { AlertFacts } from "#operations/alerts/message.ts";
import { messageText } from "#operations/alerts/message-text.ts";

const of = { country: "US", symbol: "AAPL", name: "Apple Inc.", assetType: "stock" } as const;
const toyota = { country: "JP", symbol: "7203", name: "Toyota Motor", assetType: "stock" } as const;
const figure = { limitOf: null, currency: null };

const price: AlertFacts = {
  kind: "condition",
  of,
  figures: [
    { ...figure, metric: "price", operator: "<", value: 378.2, limit: 380, currency: "USD" },
  ],
  session: "2026-11-27",
};
const thesis: AlertFacts = {
  kind: "thesis",
  of,
  list: "core",
  text: "It earns well.",
  figures: [
    { ...figure, metric: "roe", operator: ">", before: 27, value: 23, limit: 25 },
    { ...figure, metric: "revenue_growth", operator: ">", before: 5, value: 5, limit: 0 },
  ],
  broken: 1,
  filing: { periodEnd: "2026-03-31", quarter: 20262, filedOn: "2026-05-01", isRestated: false },
  move: null,
};
const release: AlertFacts = {
  kind: "event",
  event: "release",
  country: "JP",
  name: "CPI inflation YoY",
  date: "2026-11-20",
  time: "23:30",
  previous: "2.0%",
  expected: "2.2%",
  actual: "2.1%",
};
const row = { detail: null, before: null, expected: null, after: null, percent: null, unit: null };
const brief: AlertFacts = {
  kind: "brief",
  list: "core",
  of: null,
  total: 4,
  rows: [
    {
      ...row,
      date: "2026-10-30",
      symbol: "US:AAPL",
      what: "statement",
      detail: "revenue TTM to 2026-09-30",
      before: 4e11,
      after: 4.1e11,
      percent: 2.5,
      unit: "USD",
    },
    {
      ...row,
      date: "2026-11-27",
      symbol: "US:TSLA",
      what: "move",
      before: 412.3,
      after: 386.7,
      percent: -6.21,
      unit: "USD",
    },
    { ...row, date: "2026-12-02", symbol: "JP:7203", what: "report" },
  ],
};

/** The title and the lines in each language; 23:30 UTC is 5:00 in Kolkata. */
const SAID: readonly (readonly [AlertFacts, "en" | "ja" | "vi", string, readonly string[]])[] = [
  [price, "en", "AAPL: Price 378.20 USD < 380.00 USD", ["Apple Inc.", "Prices of 27 Nov 2026."]],
  [price, "ja", "AAPL: 株価 378.20ドル < 380.00ドル", ["Apple Inc.", "2026年11月27日の株価です。"]],
  [price, "vi", "AAPL: Giá 378,20 USD < 380,00 USD", ["Apple Inc.", "Giá ngày 27/11/2026."]],
  [
    { ...price, title: "Buy the dip", split: 2 } as AlertFacts,
    "en",
    "AAPL: Buy the dip",
    [
      "Apple Inc.",
      "Price 378.20 USD < 380.00 USD",
      "Prices of 27 Nov 2026.",
      "The limit is in new shares: 2 for 1 since the rule was made.",
    ],
  ],
  [
    {
      kind: "condition",
      of: toyota,
      figures: [
        {
          ...figure,
          metric: "market_cap",
          operator: ">",
          value: 45.5e12,
          limit: 4e13,
          currency: "JPY",
        },
        {
          ...figure,
          metric: "pe",
          operator: "<",
          value: 9.5,
          limit: 10.25,
          limitOf: "pe_5y_median",
        },
      ],
      session: null,
    },
    "vi",
    "7203: Vốn hóa 45,50 nghìn tỷ yên > 40,00 nghìn tỷ yên, P/E 9,50 < P/E (trung vị 5 năm) 10,25",
    ["Toyota Motor"],
  ],
  ...(
    [
      ["en", "AAPL: P/E 9.50 ≤ sector median 12.10"],
      ["ja", "AAPL: PER（実績） 9.50 ≤ セクター中央値 12.10"],
      ["vi", "AAPL: P/E 9,50 ≤ trung vị lĩnh vực 12,10"],
    ] as const
  ).map(
    ([language, title]) =>
      [
        {
          kind: "condition",
          of: thesis.of,
          figures: [
            {
              metric: "pe",
              operator: "<=",
              value: 9.5,
              limit: 12.1,
              limitOf: "sector.pe_median",
              currency: null,
            },
          ],
          session: null,
        } as AlertFacts,
        language,
        title,
        ["Apple Inc."],
      ] as const,
  ),
  [
    thesis,
    "en",
    "AAPL: thesis broken",
    [
      "“It earns well.”",
      "ROE 27.00% → 23.00%: not > 25.00% any more",
      "Revenue growth +5.00%: still > 0.00%",
      "Because of the statement to 31 Mar 2026, filed on 1 May 2026.",
      "In the list core.",
    ],
  ],
  [
    {
      ...thesis,
      filing: null,
      move: { before: 300, after: 340, currency: "USD", date: "2026-06-10" },
      figures: [{ ...figure, metric: "pe", operator: "<", before: null, value: 31.7, limit: 30 }],
    } as AlertFacts,
    "ja",
    "AAPL：投資理由が崩れました",
    [
      "「It earns well.」",
      "PER（実績） — → 31.70：< 30.00 を満たしません",
      "要因は株価の変動です：300.00ドル → 340.00ドル (+13.33%), 2026年6月10日。",
      "リストcoreの銘柄です。",
    ],
  ],
  [
    release,
    "en",
    "Japan: CPI inflation YoY 2.1%",
    ["Expected 2.2%.", "Previous 2.0%.", "21 Nov 2026, 05:00"],
  ],
  [
    release,
    "ja",
    "日本: 消費者物価指数（CPI） 前年比 2.1%",
    ["予想 2.2%。", "前回 2.0%。", "2026年11月21日 5:00"],
  ],
  [
    brief,
    "en",
    "core: 4 changes",
    [
      "AAPL Revenue, 12 months to 30 Sept 2026: 400.00 B USD → 410.00 B USD (+2.50%)",
      "TSLA −6.21%, 27 Nov 2026: 412.30 USD → 386.70 USD",
      "7203 reports on 2 Dec 2026",
      "And 1 more.",
    ],
  ],
  [
    { kind: "event", event: "rating_change", of, before: "Buy", after: "Neutral" },
    "vi",
    "AAPL: khuyến nghị Mua → Trung lập",
    ["Apple Inc.", "Trung bình khuyến nghị của các nhà phân tích."],
  ],
  [
    {
      kind: "event",
      event: "ex_date",
      of,
      date: "2026-12-03",
      days: 2,
      movedFrom: "2026-12-05",
      amount: 0.25,
      currency: "USD",
    },
    "en",
    "AAPL: ex-date in 2 days, 3 Dec 2026",
    ["Apple Inc.", "Announced for 5 Dec 2026 before.", "0.25 USD a share."],
  ],
  [
    {
      kind: "event",
      event: "earnings",
      of,
      date: "2026-12-03",
      days: 1,
      movedFrom: null,
      session: "after_market_close",
      period: "Q4 2026",
      epsEstimate: 1.4,
      currency: "USD",
    },
    "ja",
    "AAPL：明日（2026年12月3日）決算発表",
    ["Apple Inc.", "引け後です。", "EPS予想 1.40ドル。"],
  ],
];

test("a small number of shares, people or years has no decimals", () => {
  const titles = ([0, 999, 382_909_157] as const).map((value) => {
    const counted = { ...figure, metric: "foreign_room", operator: "<=", value, limit: 0 } as const;
    const facts = { kind: "condition", of, figures: [counted], session: "2026-11-27" } as const;
    return messageText(facts, { language: "vi" }).title;
  });
  expect(titles).toEqual([
    "AAPL: Room ngoại 0 ≤ 0",
    "AAPL: Room ngoại 999 ≤ 0",
    "AAPL: Room ngoại 382,91 triệu ≤ 0",
  ]);
});

describe("the text of a message", () => {
  test.each(SAID)("%o in %s", (facts, language, title, lines) => {
    const said = messageText(facts, { language, timeZone: "Asia/Kolkata" });
    expect({ title: said.title, lines: said.body.split("\n") }).toEqual({
      title,
      lines: [...lines],
    });
  });

  test("is in English and in UTC without settings", () => {
    expect(messageText(release, {}).body).toContain("20 Nov 2026, 23:30");
  });

  test("links to its page", () => {
    const links = [price, thesis, release, brief].map((facts) => messageText(facts, {}).link);
    expect(links).toEqual([
      "/console/US/AAPL",
      "/console/US/AAPL",
      "/console/calendar",
      "/console/lists/core",
    ]);
  });

  test("has a title of one line that fits a phone", () => {
    const title = `${"long ".repeat(40)}\nend`;
    const said = messageText({ ...price, title } as AlertFacts, {});
    expect(said.title.length).toBe(120);
    expect(said.title).not.toContain("\n");
  });
});
