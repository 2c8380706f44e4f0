import { nearest } from "#lib/closest.ts";
import { plainName } from "./record-values.ts";

/** A file of another program that is known by its columns, and not read. */
interface ForeignFile {
  /** What it has: `statements of SimFin`. */
  readonly what: string;
  /** Plain names of columns that together no other file has; of alternatives, one. */
  readonly has: readonly (string | readonly string[])[];
  /** What the file lacks or has in another form. */
  readonly remark: string;
}

const NAMES_DIFFER = "their columns have other names, and outflows may be negative";

/** By the columns of their files: the most particular first. */
const FOREIGN_FILES: readonly ForeignFile[] = [
  { what: "statements of SimFin", has: ["simfinid"], remark: NAMES_DIFFER },
  {
    what: "statements of Financial Modeling Prep",
    has: ["reportedcurrency", ["fillingdate", "filingdate", "accepteddate"], "period"],
    remark: NAMES_DIFFER,
  },
  {
    what: "statements of Alpha Vantage",
    has: ["fiscaldateending", "reportedcurrency"],
    remark: "their columns have other names, and they have no day of filing",
  },
  {
    what: "statements of vnstock",
    has: [
      ["cp", "ticker", "mã"],
      ["năm", "yearreport"],
    ],
    remark:
      "they have no last day of a period, and headers such as (Bn. VND) do not always name the unit",
  },
  { what: "statements of EODHD", has: ["filingdate", "currencysymbol"], remark: NAMES_DIFFER },
  {
    what: "statements of Financial Datasets",
    has: ["reportperiod", "fiscalperiod"],
    remark: NAMES_DIFFER,
  },
  { what: "statements of Sharadar", has: ["dimension", "calendardate"], remark: NAMES_DIFFER },
  { what: "statements of OpenBB", has: ["periodending", "fiscalperiod"], remark: NAMES_DIFFER },
  {
    what: "summaries of J-Quants",
    has: [
      ["discdate", "discloseddate"],
      ["curpertype", "typeofcurrentperiod"],
    ],
    remark: "their quarters are cumulative (span year_to_date)",
  },
  {
    what: "facts of the SEC",
    has: ["cik", "entityname", "facts"],
    remark: "they have all tags of a company; the source sec reads them",
  },
  {
    what: "facts of the SEC",
    has: ["adsh", "tag", "ddate"],
    remark: "they have a row for each tag; the source sec reads them",
  },
  {
    what: "dividends of yfinance",
    has: ["date", "dividends"],
    remark: "rename Date to exDate and Dividends to amount, and give --set country=US,symbol=AAPL",
  },
  {
    what: "splits of yfinance",
    has: ["date", "stocksplits"],
    remark: "write a ratio of 4 as numerator 4, denominator 1",
  },
  {
    what: "dividends of Nasdaq.com",
    has: ["ex/effdate", "cashamount"],
    remark: "rename Ex/EFF Date to exDate and Cash Amount to amount",
  },
  {
    what: "lists of Nasdaq's screener",
    has: ["lastsale", "netchange", "ipoyear"],
    remark: "they name no exchange, type or currency",
  },
  {
    what: "series of FRED",
    has: ["observationdate"],
    remark: "they have no name, unit and category",
  },
  {
    what: "calendars of Forex Factory",
    has: ["title", "impact", "forecast"],
    remark: "they have no ids, and their times may be in the zone of the reader",
  },
];

/** The first column of a table whose rows are items: what yfinance and many web pages write. */
const ITEM_COLUMNS = new Set([
  "",
  "item",
  "itemid",
  "itemen",
  "name",
  "items",
  "index",
  "unnamed:0",
  "periodending",
  "yearending",
  "quarterending",
  "metric",
  "breakdown",
  "fiscalyear",
  "khoảnmục",
  "chỉtiêu",
  "勘定科目",
  "科目",
  "項目",
]);
/** Columns for periods: `2024-09-30`, `9/30/2024`, `Sep 28, 2024`, `2024-Q3`, `Quý 3/2024`, `FY 2024`, `2024年3月期`, `ttm`. */
const PERIODS: readonly RegExp[] = [
  /^\d{4}[-/]\d{2}(?:[-/]\d{2})?(?:[ T]00:00:00)?$/,
  /^\d{1,2}\/\d{1,2}\/\d{4}$/,
  /^[A-Z][a-z]{2} \d{1,2}, \d{4}$/,
  /^(?:FY ?|Năm )?\d{4}$/i,
  /^\d{4}[- /]?Q[1-4]$/i,
  /^(?:Q|Quý )[1-4][- /]?\d{4}$/i,
  /^\d{4}年\d{1,2}月期?$/,
  /^(?:ttm|ltm|current)$/i,
];
const isPeriod = (name: string) => PERIODS.some((pattern) => pattern.test(name.trim()));

/** True if the rows of a table are items and its columns are periods. */
function isTransposed(names: readonly string[]): boolean {
  const periods = names.filter(isPeriod);
  const others = names.filter((name) => !isPeriod(name));
  return periods.length > 0 && others.every((name) => ITEM_COLUMNS.has(plainName(name.trim())));
}

/** A clause on the program that wrote a file that is not read, by the names of its columns; null if it is unknown. */
export function foreignFile(given: readonly string[]): string | null {
  const names = new Set(given.map((name) => plainName(name.trim())));
  const isIn = (one: string | readonly string[]) =>
    typeof one === "string" ? names.has(one) : one.some((name) => names.has(name));
  const foreign = FOREIGN_FILES.find(({ has }) => has.every(isIn));
  const template = "--template prints the columns of a file that is read";
  if (foreign) return `${foreign.what} are not read as they are: ${foreign.remark}; ${template}`;
  return isTransposed(given)
    ? `the file has items as rows and periods as columns, as yfinance writes them: write a row for each period, with its symbol, currency and day of filing; ${template}`
    : null;
}

/** How many near names a refusal lists. */
const MOST_NEAR = 6;

/** What a column must be one of: all names, or of many the nearest. */
export function noneOf(written: string, names: readonly string[], plural: string): string {
  if (names.length <= 2 * MOST_NEAR) return `none of ${names.join(", ")}`;
  const near = nearest(written, names, MOST_NEAR).join(", ");
  return `none of the ${names.length} columns of ${plural}; the nearest are ${near}, and --template prints all`;
}
