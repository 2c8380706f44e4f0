import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { Amount, DateText, Nullable, type Static, StringEnum } from "./schema.ts";

/**
 * The time that the flows of a statement cover: one fiscal quarter, the fiscal year up to the end of
 * that quarter (cumulative reporting), or the whole fiscal year.
 */
const STATEMENT_SPANS = ["quarter", "year_to_date", "year"] as const;

/** The number of the quarter with which a fiscal year of twelve months ends. */
export const QUARTERS_OF_YEAR = 4;
/** The highest number of a quarter: nine months between two fiscal years. */
const MAX_QUARTER = QUARTERS_OF_YEAR + 3;

/** A fiscal quarter as one number, greater for later ones: 20263 for the third quarter of 2026. */
export function fiscalQuarterNumber(year: number, quarter: number): number {
  return 10 * year + quarter;
}

const Item = Nullable(Amount);

/**
 * The figures of a statement, in whole units of its currency. An item is null if the company does not
 * report it. Figures per share and share counts are in the shares of `Statement.sharesAsOf`.
 */
export const StatementItems = Type.Object({
  revenue: Item,
  costOfRevenue: Item,
  grossProfit: Item,
  researchAndDevelopment: Item,
  /** Selling, general and administrative expenses. */
  sellingGeneralAdministrative: Item,
  operatingIncome: Item,
  /** Depreciation, amortisation and depletion, as in the cash flow statement. */
  depreciationAndAmortization: Item,
  ebitda: Item,
  /** Interest on debt as a positive expense. */
  interestExpense: Item,
  /** Before extraordinary items and tax; null outside Japanese standards. */
  ordinaryIncome: Item,
  pretaxIncome: Item,
  incomeTax: Item,
  /** Net income to common shareholders. */
  netIncome: Item,
  epsDiluted: Item,
  /** The average over the span. */
  sharesDiluted: Item,

  /** Common shares of all classes at the period's end, or in the filing, without treasury shares. */
  sharesOutstanding: Item,
  totalAssets: Item,
  currentAssets: Item,
  /** Cash, equivalents and short-term investments. */
  cash: Item,
  /** Trade receivables; with other current receivables if the company does not separate them. */
  receivables: Item,
  /** 0 if the company has none. */
  inventory: Item,
  goodwill: Item,
  totalLiabilities: Item,
  currentLiabilities: Item,
  /** Trade payables; with other current payables if the company does not separate them. */
  payables: Item,
  totalDebt: Item,
  /** Liabilities from operating and finance leases, current and non-current. */
  leaseLiabilities: Item,
  /** Equity of the common shareholders. */
  commonEquity: Item,
  preferredEquity: Item,
  minorityInterest: Item,

  operatingCashFlow: Item,
  investingCashFlow: Item,
  financingCashFlow: Item,
  /** Capital expenditure, capitalised software included, as a positive outflow. */
  capitalExpenditure: Item,
  /** Stock-based compensation, a non-cash expense that operating cash flow adds back. */
  stockCompensation: Item,
  /** Cash dividends to common and preferred shareholders as a positive outflow. */
  dividendsPaid: Item,
  /** Cash paid for own common shares as a positive outflow. */
  shareRepurchases: Item,
});
export type StatementItems = Static<typeof StatementItems>;
/** The name of an item of a statement. */
export type StatementItem = keyof StatementItems;

/** The items of a statement without known figures: all null. */
export const NO_ITEMS: Readonly<StatementItems> = Object.freeze(
  Object.fromEntries(Object.keys(StatementItems.properties).map((item) => [item, null])),
) as StatementItems;

/** The items that are amounts per share. */
export const PER_SHARE_ITEMS = ["epsDiluted"] as const satisfies readonly StatementItem[];

/** The items that are numbers of shares. */
export const SHARE_COUNT_ITEMS = [
  "sharesDiluted",
  "sharesOutstanding",
] as const satisfies readonly StatementItem[];

/** The items as of the end of the period; all other items are flows over the statement's span. */
export const BALANCE_ITEMS = [
  "sharesOutstanding",
  "totalAssets",
  "currentAssets",
  "cash",
  "receivables",
  "inventory",
  "goodwill",
  "totalLiabilities",
  "currentLiabilities",
  "payables",
  "totalDebt",
  "leaseLiabilities",
  "commonEquity",
  "preferredEquity",
  "minorityInterest",
] as const satisfies readonly StatementItem[];

/** The items of `BALANCE_ITEMS`, to look one up. */
export const BALANCES: ReadonlySet<StatementItem> = new Set(BALANCE_ITEMS);

/** The statement of a company for one fiscal period: income, balance sheet and cash flow together. */
export const Statement = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  span: StringEnum(STATEMENT_SPANS),
  /** The fiscal year of the period, by the company's own numbering. */
  fiscalYear: Type.Integer({ minimum: 1900, maximum: 2200 }),
  /**
   * 1 to 4; 4 for a whole year. 5 to 7 are the quarters between two fiscal years with consecutive numbers, of a company
   * that moved its fiscal year; a year to date of them begins with quarter 5.
   */
  fiscalQuarter: Type.Integer({ minimum: 1, maximum: MAX_QUARTER }),
  /** Last day of the period. */
  periodEnd: DateText,
  /** Day of publication. Before this day, calculations ignore the statement. */
  filedOn: DateText,
  /** True if the source does not give `filedOn`: it is a rule's day (see `assumedFilingDate`). */
  isFilingAssumed: Type.Optional(Type.Boolean()),
  currency: Type.String({ pattern: "^[A-Z]{3}$" }),
  /**
   * Per-share figures and share counts are in the shares of the end of this day; if absent, of the day
   * of the newest prices when the statement is stored. The store applies later splits and returns statements without it.
   */
  sharesAsOf: Type.Optional(DateText),
  items: StatementItems,
});
export type Statement = Static<typeof Statement>;

/**
 * The figures of a period as one filing gave them. `filedOn` is the day of that filing. A period that was restated has
 * several vintages.
 */
export const StatementVintage = Type.Composite([
  Type.Omit(Statement, ["items"]),
  Type.Object({
    /** The SEC's accession number of the filing: `0000320193-23-000106`; null without one. */
    accession: Nullable(Type.String({ maxLength: 40 })),
    /** Null if the stored statement of the period has them. */
    items: Nullable(StatementItems),
  }),
]);
export type StatementVintage = Static<typeof StatementVintage>;
