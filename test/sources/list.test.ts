import { describe, expect, test } from "bun:test";
import type { Country } from "#domain/country.ts";
import { jquantsInstruments } from "#sources/jquants/instruments.ts";
import { jpxInstruments } from "#sources/jpx/instruments.ts";
import type { Fetcher } from "#sources/fetcher.ts";
import { nasdaqInstruments } from "#sources/nasdaq/instruments.ts";
import { nasdaqQuotes } from "#sources/nasdaq/quotes.ts";
import { secInstruments } from "#sources/sec/instruments.ts";
import { vietcapInstruments } from "#sources/vietcap/instruments.ts";
import {
  yahooScreenerInstruments,
  yahooScreenerQuotes,
  yahooSectors,
} from "#sources/yahoo/screener.ts";
import { faultOf, ingested, liveQuery } from "../support/fetcher.ts";
import { xlsxOf } from "../support/xlsx.ts";

const ROWS = 3_000;
/** `AAAA`, `AAAB`, …: none has W, R or U as its fifth letter, or is a company's only in part. */
const lettersOf = (i: number) =>
  [17_576, 676, 26, 1]
    .map((place) => String.fromCharCode(65 + (Math.floor(i / place) % 26)))
    .join("");

const screenerRow = (i: number) => ({
  symbol: lettersOf(i),
  name: `${lettersOf(i)} Inc. Common Stock`,
  lastsale: "$10.00",
  netchange: "0.50",
  volume: "1000",
  marketCap: "1000000.00",
  sector: "",
  industry: "",
});
const screener = (rows: readonly unknown[]) => ({ data: { rows } });
const DIRECTORIES = {
  nasdaqListed: "Symbol|Security Name|Test Issue|ETF\nQQQ|QQQ|N|N\nFile Creation Time: 1|||\n",
  otherListed: "ACT Symbol|Security Name|Exchange|Test Issue|ETF\nFile Creation Time: 1||||\n",
};

const JPX_HEADER = ["コード", "銘柄名", "市場・商品区分", "33業種コード"];
const yahooRow = (i: number) => ({
  symbol: lettersOf(i),
  quoteType: "EQUITY",
  longName: `Company ${i}`,
  currency: "USD",
  exchangeTimezoneName: "America/New_York",
  regularMarketTime: 1_787_342_400,
  regularMarketPrice: 10,
});
const yahooPages = (rows: readonly unknown[]) => [
  {
    sector: "technology",
    page: { finance: { result: [{ total: rows.length, quotes: rows }], error: null } },
  },
];

/** A list of a source: a good row by its number, a bad row with its symbol, and the answer. */
interface List {
  readonly fetcher: Fetcher;
  readonly country: Country;
  readonly row: (i: number) => unknown;
  readonly bad: unknown;
  /** The symbol of the bad row as instruments are stored. */
  readonly badSymbol: string;
  readonly answer: (rows: readonly unknown[]) => unknown;
}

const yahooList = {
  country: "US",
  row: yahooRow,
  bad: { ...yahooRow(7), symbol: "BAD-B", marketCap: "much" },
  badSymbol: "BAD.B",
  answer: yahooPages,
} as const;

const LISTS: Readonly<Record<string, List>> = {
  "Nasdaq's screener, instruments": {
    fetcher: nasdaqInstruments,
    country: "US",
    row: screenerRow,
    bad: { ...screenerRow(7), symbol: "BAD/B", lastsale: "$ten" },
    badSymbol: "BAD.B",
    answer: (rows) => ({ screener: screener(rows), ...DIRECTORIES }),
  },
  "Nasdaq's screener, quotes": {
    fetcher: nasdaqQuotes,
    country: "US",
    row: screenerRow,
    bad: { symbol: "BAD" },
    badSymbol: "BAD",
    answer: screener,
  },
  "Nasdaq's directory": {
    fetcher: nasdaqInstruments,
    country: "US",
    row: (i) => `${lettersOf(i)}|A fund|N|Y`,
    bad: "BAD|A fund",
    badSymbol: "BAD",
    answer: (rows) => ({
      ...DIRECTORIES,
      screener: screener([
        { ...screenerRow(0), symbol: "ZZZZZ", name: "1% notes" },
        screenerRow(9_999),
      ]),
      nasdaqListed: `Symbol|Security Name|Test Issue|ETF\n${rows.join("\n")}\nFile Creation Time: 1|||\n`,
    }),
  },
  "the SEC's registrants": {
    fetcher: secInstruments,
    country: "US",
    row: (i) => [i, `Company ${i}`, lettersOf(i), "NYSE"],
    bad: ["1", "Company", "BAD-B", "NYSE"],
    badSymbol: "BAD.B",
    answer: (data) => ({ fields: ["cik", "name", "ticker", "exchange"], data }),
  },
  "JPX's list": {
    fetcher: jpxInstruments,
    country: "JP",
    row: (i) => [1_000 + i, `会社${i}`, "プライム（内国株式）", 3700],
    bad: [9999, "会社", "新しい市場", 3700],
    badSymbol: "9999",
    answer: (rows) => ({
      japanese: xlsxOf([JPX_HEADER, ...(rows as (string | number)[][])]),
      english: new Uint8Array(),
    }),
  },
  "J-Quants' list": {
    fetcher: jquantsInstruments,
    country: "JP",
    row: (i) => ({
      Code: `${1_000 + i}0`,
      CoName: "会社",
      CoNameEn: `Company ${i}`,
      S33: "3700",
      Mkt: "0111",
      ProdCat: "011",
    }),
    bad: { Code: "99990", CoName: "会社", CoNameEn: "C", S33: "1", Mkt: "0111", ProdCat: "011" },
    badSymbol: "9999",
    answer: (data) => [{ data }],
  },
  "Vietcap's list": {
    fetcher: vietcapInstruments,
    country: "VN",
    row: (i) => ({ code: lettersOf(i), name: `Company ${i}`, floor: "HOSE" }),
    bad: { code: "BAD", name: "Company", floor: 5 },
    badSymbol: "BAD",
    answer: (data) => ({ successful: true, data }),
  },
  "Yahoo's screener, quotes": { fetcher: yahooScreenerQuotes, ...yahooList },
  "Yahoo's screener, sectors": { fetcher: yahooSectors, ...yahooList },
  "Yahoo's screener, a time zone that is none": {
    ...yahooList,
    fetcher: yahooScreenerQuotes,
    bad: { ...yahooRow(7), symbol: "BAD", exchangeTimezoneName: "Mars/Base" },
    badSymbol: "BAD",
  },
  "Yahoo's screener, instruments": {
    fetcher: yahooScreenerInstruments,
    country: "JP",
    row: (i) => ({ ...yahooRow(i), symbol: `${1_000 + i}.T`, currency: "JPY" }),
    bad: { symbol: "9999.T", marketCap: "much" },
    badSymbol: "9999",
    answer: yahooPages,
  },
};

const queryOf = (country: Country) => liveQuery({ today: "2026-08-22T12:00Z", country });

describe.each(Object.entries(LISTS))("a list of thousands: %s", (_, list) => {
  const { fetcher, country, row, bad, badSymbol, answer } = list;
  const good = Array.from({ length: ROWS }, (_row, i) => row(i));
  const ingest = (rows: readonly unknown[]) =>
    ingested(fetcher.kind, fetcher, answer(rows), queryOf(country));

  test("is stored without its bad row, which is counted and delists nothing", () => {
    const whole = ingest(good);
    expect([whole.leftOut, whole.records.length >= ROWS]).toEqual([0, true]);
    const { records, leftOut, reason, rejectedSymbols } = ingest([
      ...good.slice(0, 9),
      bad,
      ...good.slice(9),
    ]);
    expect(records).toEqual(whole.records);
    expect([leftOut, rejectedSymbols]).toEqual([1, [badSymbol]]);
    expect(reason).toStartWith(`${fetcher.source.name}: `);
  });

  test("is refused if a fifth of its rows are bad, and if it is short", async () => {
    const rows = good.map((one, i) => (i % 5 === 0 ? bad : one));
    expect(await faultOf(() => ingest(rows))).toBe("invalid_answer");
    expect(await faultOf(() => ingest([...good.slice(0, 9), bad]))).toBe("invalid_answer");
  });
});
