import { type TSchema, Type } from "@sinclair/typebox";
import { COUNTRY_CODES, CountryCode } from "#domain/country.ts";
import { invalidArgument } from "#domain/errors.ts";
import { ASSET_TYPES, type AssetType } from "#domain/instrument.ts";
import { MACRO_CATEGORIES } from "#domain/macro.ts";
import { StringEnum } from "#domain/schema.ts";
import { SECTORS } from "#domain/taxonomy.ts";
import { SECTOR_TERMS } from "#domain/terms.ts";
import { listNameOf } from "#domain/user-list.ts";
import { type InputKeywords, quoteValue } from "./decode.ts";
import { MAX_ITEMS, MAX_QUERY_LENGTH } from "./metric-query.ts";
import { isCoded, parseSymbol } from "./symbol-notation.ts";
import { readConditions, readObject } from "./written-conditions.ts";
import { type Edge, readDate } from "./written-dates.ts";
import { normalForm } from "#lib/normal-form.ts";

/** The input schema of a ticker, in any notation that `parseSymbol` reads. */
export const SymbolInput = Type.String({
  minLength: 1,
  maxLength: 20,
  description: "AAPL, 7203, FPT.",
  upperCase: true,
  accepts: (text: string) => parseSymbol(text) !== null,
  example: "AAPL",
  expected: "1 to 20 letters, digits or any of . - ^ = (such as AAPL in US, 7203 in JP, FPT in VN)",
  hint: hintForSymbol,
  acceptsWords: (text: string) => listNameOf(text) === null && (isCoded(text) || isName(text)),
} satisfies InputKeywords & Parameters<typeof Type.String>[0]);

/** The maximum length of a symbol, and of one word. */
const MAX_SYMBOL = 20;
/** Longer texts are not the name of a company. */
const MAX_NAME = 80;

/** True for a text that can be the name of a company in any script. A longer one has several words. */
export function isName(written: string): boolean {
  if (written.length > MAX_NAME) return false;
  const text = normalForm(written, "NFKC").replace(
    /, ?(?=(?:inc|co|corp|ltd|llc|plc|limited|incorporated)\b)/i,
    " ",
  );
  return (
    text.length <= (/[^\x21-\x7E]/.test(text) ? MAX_NAME : MAX_SYMBOL) &&
    /\p{L}/u.test(text) &&
    /^[\p{L}\p{M}\p{N} .:&'’"“”()・/+-]+$/u.test(text)
  );
}

function hintForSymbol(text: string): string {
  if (listNameOf(text) !== null)
    return "For the symbols of a list call compare_stocks with symbols=list:NAME.";
  if (text.includes(",")) return "For several symbols call compare_stocks, or this once for each.";
  // `AAPL:US` has its country at the end.
  const reference = parseSymbol(text) ?? parseSymbol(text.split(":").reverse().join(":"));
  if (reference) return `Did you mean ${reference.symbol}?`;
  return `Call list_symbols with query ${quoteValue(text)} to find its symbol.`;
}

/**
 * The input schema of a list of symbols: comma-separated text, in any notation that `parseSymbol` reads.
 * A JSON list is accepted too. `resolveSymbols` looks the symbols up.
 */
export const SymbolListInput = (max: number, example = "US:AAPL,JP:7203,VN:FPT") =>
  Type.String({
    minLength: 1,
    maxLength: max * 25,
    description: `1 to ${max}: ${example} or list:NAME.`,
    upperCase: true,
    maxItems: max,
    example,
    expected: `1 to ${max} symbols, comma-separated, such as ${example}`,
  } satisfies InputKeywords & Parameters<typeof Type.String>[0]);

/** The input schema of a list of texts: comma-separated, or a JSON list. */
export const TextListInput = (max: number, description: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength: max * 40,
    description,
    maxItems: max,
    example,
    expected: `1 to ${max} texts, comma-separated, such as ${example}`,
  } satisfies InputKeywords & Parameters<typeof Type.String>[0]);

/**
 * The input schema of a comma-separated list of values of a closed list.
 *
 * @param each the schema of one value, a `StringEnum`
 */
export const ListInput = (each: TSchema, description: string) => {
  const values = each["enum"] as readonly string[];
  return Type.String({
    maxLength: 400,
    description,
    maxItems: values.length,
    each,
    accepts: (text: string) => text.split(",").every((item) => values.includes(item)),
    example: values.slice(0, 2).join(","),
    expected: `one or more of ${values.join(", ")}, comma-separated`,
  } satisfies InputKeywords & Parameters<typeof Type.String>[0]);
};

/** The input schema of one country, several, or all. */
export const CountriesInput = Type.String({
  maxLength: 60,
  description: "US, JP, VN, several (US,JP) or all.",
  maxItems: COUNTRY_CODES.length,
  each: { ...CountryCode, enum: [...COUNTRY_CODES, "all"] },
  accepts: (text: string) =>
    text === "all" || text.split(",").every((one) => (COUNTRY_CODES as string[]).includes(one)),
  example: "US",
  expected: "one of US, JP, VN, several of them (US,JP), or all",
} satisfies InputKeywords & Parameters<typeof Type.String>[0]);

/** The input schema of a category of macro figures. */
export const MacroCategoryInput = (description: string) =>
  StringEnum(MACRO_CATEGORIES, {
    description,
    aliases: {
      labour: "labor",
      物価: "prices",
      "lạm phát": "prices",
      雇用: "labor",
      "việc làm": "labor",
      金利: "money",
      "lãi suất": "money",
      employment: "labor",
      unemployment: "labor",
      jobs: "labor",
      inflation: "prices",
      "inflation rate": "prices",
      インフレ: "prices",
      インフレ率: "prices",
      cpi: "prices",
      "interest rate": "money",
      "interest rates": "money",
      "monetary policy": "money",
    },
  });

/**
 * The input schema of a date. A day word stays as it is, because it depends on the time of the call.
 *
 * @param edge which day of a month or a year is meant; without it, only days are understood
 */
export const DateInput = (description: string, edge?: Edge) =>
  Type.String({
    format: "date",
    description: `${description}, YYYY-MM-DD.`,
    expected: "a date that exists, YYYY-MM-DD",
    hint: hintForDate,
    understands: (text: string) => readDate(text, edge),
  } satisfies InputKeywords & Parameters<typeof Type.String>[0]);

/** Day and month, or month and day, of a year. */
const DAY_AND_MONTH = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/;

function hintForDate(text: string): string {
  const [, one = "", other = "", year] = DAY_AND_MONTH.exec(text.trim()) ?? [];
  const written = (month: string, day: string) =>
    readDate(`${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`);
  const [first, last] = year
    ? [written(other, one), written(one, other)]
    : [readDate(text, "first"), readDate(text, "last")];
  return first && last ? `Did you mean ${first} or ${last}?` : "Write it like 2026-05-21.";
}

/** @throws BourseError `invalid_argument` if `from` is after `to` */
export function checkPeriod(from: string | undefined, to: string | undefined): void {
  if (from === undefined || to === undefined || from <= to) return;
  throw invalidArgument(`from must not be after to: ${from} is after ${to}.`, { param: "from" });
}

/** The words of the console for sectors. */
const SECTOR_WORDS = Object.fromEntries(
  [...SECTORS.values()].flatMap(({ slug, name }) =>
    SECTOR_TERMS[name as keyof typeof SECTOR_TERMS].map((word) => [word, slug]),
  ),
);

/** The input schema of a sector: its slug, its name, or the name that GICS has for it. */
export const SectorInput = (description: string) => ({
  ...StringEnum([...SECTORS.keys()], {
    description,
    aliases: {
      Materials: "basic-materials",
      "vật liệu cơ bản": "basic-materials",
      "dược phẩm và y tế": "healthcare",
      Communications: "communication-services",
      "Consumer Discretionary": "consumer-cyclical",
      "Consumer Staples": "consumer-defensive",
      Financials: "financial-services",
      Industrial: "industrials",
      "Information Technology": "technology",
      情報技術: "technology",
      "công nghệ thông tin": "technology",
      "dịch vụ tài chính": "financial-services",
      医療: "healthcare",
      "y tế": "healthcare",
      "tiện ích": "utilities",
      "vật liệu": "basic-materials",
      資本財: "industrials",
      一般消費財: "consumer-cyclical",
      景気循環消費財: "consumer-cyclical",
      通信サービス: "communication-services",
      "viễn thông": "communication-services",
      ...SECTOR_WORDS,
    },
  }),
  hint: (text: string) =>
    text.includes(",")
      ? "Give one sector, and make one call for each sector."
      : /^(?:(?:jp|vn):|\d{4}$)/i.test(text)
        ? "get_sectors with country and level=local_sector has the classes of a market."
        : "For an industry call screen_stocks with industry.",
});

/** What the types of instruments are called in Japanese and Vietnamese. */
export const TYPE_WORDS: Readonly<Record<AssetType, readonly string[]>> = {
  commodity: ["商品", "コモディティ", "商品先物", "hàng hóa"],
  cryptocurrency: ["暗号資産", "仮想通貨", "tiền mã hóa", "tiền điện tử", "tiền số"],
  currency: ["為替", "外国為替", "為替レート", "通貨", "ngoại hối", "ngoại tệ", "tiền tệ"],
  etf: ["上場投信", "投資信託", "chứng chỉ quỹ"],
  index: ["指数", "株価指数", "chỉ số", "chỉ số chứng khoán"],
  reit: ["リート", "不動産投資信託"],
  stock: ["株", "株式", "個別株", "cổ phiếu"],
};

/** The input schema of an asset type. */
export const AssetTypeInput = StringEnum(ASSET_TYPES, {
  description: "Asset type.",
  aliases: {
    commodities: "commodity",
    crypto: "cryptocurrency",
    cryptocurrencies: "cryptocurrency",
    currencies: "currency",
    forex: "currency",
    fx: "currency",
    etfs: "etf",
    indices: "index",
    indexes: "index",
    reits: "reit",
    stocks: "stock",
    equity: "stock",
    equities: "stock",
    ...Object.fromEntries(
      Object.entries(TYPE_WORDS).flatMap(([type, words]) => words.map((word) => [word, type])),
    ),
  },
});

/** Comma-separated text of at most `MAX_ITEMS` items. `expected` names the items in words. */
export const QueryInput = (description: string, example: string, expected: string) =>
  Type.String({
    minLength: 1,
    maxLength: MAX_QUERY_LENGTH,
    maxItems: MAX_ITEMS,
    description,
    example,
    expected: `1 to ${MAX_ITEMS} ${expected} in at most ${MAX_QUERY_LENGTH} characters, separated by commas, such as ${example}`,
  } satisfies InputKeywords & Parameters<typeof Type.String>[0]);

/** The input schema of conditions of a screen, in the words of `readConditions` too. */
export const ConditionsInput = (description: string, example: string) => ({
  ...QueryInput(description, example, "conditions"),
  understands: readConditions,
  understandsObject: readObject,
});

/** The input schema of names of metrics, which `parseMetrics` reads. */
export const MetricListInput = (description: string) =>
  QueryInput(description, "price,pe,revenue_growth", "metrics");

/** Other words for the periods `annual` and `quarterly` of statements. */
export const PERIOD_WORDS = {
  year: "annual",
  通期: "annual",
  năm: "annual",
  四半期: "quarterly",
  四半期決算: "quarterly",
  quý: "quarterly",
  "hàng quý": "quarterly",
  "hàng năm": "annual",
  年次: "annual",
  yearly: "annual",
  annually: "annual",
  FY: "annual",
  Y: "annual",
  A: "annual",
  quarter: "quarterly",
  Q: "quarterly",
} as const;
