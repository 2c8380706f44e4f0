import type { Country } from "#domain/country.ts";
import type { Split } from "#domain/split.ts";

interface Company {
  readonly country: Country;
  readonly symbol: string;
  /** All splits since its oldest figure here, oldest first. */
  readonly splits: readonly Split[];
}

/** A figure that was published, and where. */
interface Published extends Company {
  readonly origin: string;
}

/** An item of a fiscal year, as the first filing has it, in whole units or per share. */
export interface StatementFact extends Published {
  readonly kind: "statements";
  readonly item: "revenue" | "epsDiluted";
  readonly periodEnd: string;
  readonly filed: number;
}

/** Two closes, as they were traded, the older one first. */
export interface ClosesFact extends Published {
  readonly kind: "bars";
  readonly closes: readonly [TradedClose, TradedClose];
  /**
   * The factor by which an adjustment for cash dividends lowers the first close against the second: the
   * product of 1 − dividend / close for each ex-date between them.
   */
  readonly afterDividends: number;
  /** The relative tolerance of `afterDividends`. */
  readonly tolerance: number;
}

interface TradedClose {
  readonly date: string;
  readonly close: number;
}

/** A dividend as it was declared. */
export interface DividendFact extends Published {
  readonly kind: "dividends";
  readonly exDate: string;
  readonly declared: number;
}

/** A published figure that a source is compared with. */
export type PublishedFact = StatementFact | ClosesFact | DividendFact;

const company = (
  country: Country,
  symbol: string,
  exDate: string,
  numerator: number,
  denominator = 1,
): Company => ({ country, symbol, splits: [{ exDate, numerator, denominator }] });

const APPLE = company("US", "AAPL", "2020-08-31", 4);
const ALPHABET = company("US", "GOOGL", "2022-07-18", 20);
const TOYOTA = company("JP", "7203", "2021-09-29", 5);
const NTT = company("JP", "9432", "2023-06-29", 25);
const FPT = company("VN", "FPT", "2025-07-21", 23, 20);

/** Half of the effect of Apple's dividend of 2020-11-06. Prices with two decimals are off by 0.0001. */
const ONE_DIVIDEND = 0.0006;

/** The published figures, by country. Add a company's newer splits when it splits again. */
export const FACTS: readonly PublishedFact[] = [
  {
    kind: "statements",
    ...APPLE,
    item: "revenue",
    periodEnd: "2019-09-28",
    filed: 260_174_000_000,
    origin: "Form 10-K of 2019-10-31, SEC 0000320193-19-000119",
  },
  {
    kind: "statements",
    ...APPLE,
    item: "epsDiluted",
    periodEnd: "2019-09-28",
    filed: 11.89,
    origin: "Form 10-K of 2019-10-31; 2.97 in the form of 2020-10-30, SEC 0000320193-20-000096",
  },
  {
    kind: "statements",
    ...APPLE,
    item: "revenue",
    periodEnd: "2024-09-28",
    filed: 391_035_000_000,
    origin: "Form 10-K of 2024-11-01, for the fiscal year 2024",
  },
  {
    kind: "statements",
    ...APPLE,
    item: "epsDiluted",
    periodEnd: "2024-09-28",
    filed: 6.08,
    origin: "Form 10-K of 2024-11-01, for the fiscal year 2024",
  },
  {
    kind: "statements",
    ...ALPHABET,
    item: "epsDiluted",
    periodEnd: "2019-12-31",
    filed: 49.16,
    origin: "Form 10-K of 2020-02-04, SEC 0001652044-20-000008",
  },
  {
    kind: "bars",
    ...APPLE,
    closes: [
      { date: "2020-08-28", close: 499.23 },
      { date: "2020-11-06", close: 118.69 },
    ],
    // 0.205 on 2020-11-06, after a close of 119.03.
    afterDividends: 1 - 0.205 / 119.03,
    tolerance: ONE_DIVIDEND,
    origin: "Nasdaq, by Yahoo's chart of 2022-07-18: 124.81 and 118.69 after the split",
  },
  {
    kind: "dividends",
    ...APPLE,
    exDate: "2020-08-07",
    declared: 0.82,
    origin: "Yahoo's chart of 2022-07-18: 0.205 after the split of 4 for 1",
  },
  {
    kind: "statements",
    ...TOYOTA,
    item: "revenue",
    periodEnd: "2025-03-31",
    filed: 48_036_704_000_000,
    origin: "Toyota's financial summary of 2025-05-08, Form 6-K 0001193125-25-115410",
  },
  {
    kind: "statements",
    ...TOYOTA,
    item: "epsDiluted",
    periodEnd: "2025-03-31",
    filed: 359.56,
    origin: "Toyota's financial summary of 2025-05-08; it has no dilution",
  },
  {
    kind: "statements",
    ...NTT,
    item: "epsDiluted",
    periodEnd: "2023-03-31",
    filed: 347.99,
    origin: "NTT's financial results of 2023-05-12; it has no dilution",
  },
  {
    kind: "bars",
    ...TOYOTA,
    closes: [
      { date: "2021-05-12", close: 8_523 },
      { date: "2025-05-20", close: 2_673 },
    ],
    // Eight dividends of 277 yen together, by Yahoo's adjusted closes of August 2026: 0.8681 / 0.9702.
    afterDividends: 0.8948,
    tolerance: 0.01,
    origin: "Tokyo Stock Exchange, as tukibetu.com and irbank.net list its closes",
  },
  {
    kind: "statements",
    ...FPT,
    item: "revenue",
    periodEnd: "2024-12-31",
    filed: 62_848_794_000_000,
    origin: "FPT's audited statements of 2024, as stockanalysis.com lists them",
  },
  {
    kind: "bars",
    ...FPT,
    closes: [
      { date: "2025-07-18", close: 126_000 },
      { date: "2025-12-31", close: 95_800 },
    ],
    // 1,000 VND on 2025-12-01, after a close of about 97,300.
    afterDividends: 1 - 1_000 / 97_300,
    tolerance: ONE_DIVIDEND,
    origin:
      "Ho Chi Minh Stock Exchange, by investing.com: 109,565.2 and 95,800 after the bonus shares",
  },
];
