import { COUNTRY_CODES } from "#domain/country.ts";
import { ASSET_TYPES, type AssetType, type Instrument } from "#domain/instrument.ts";
import { listReferenceInstruments } from "#domain/reference-instruments.ts";
import { INDUSTRIES, SECTORS } from "#domain/taxonomy.ts";
import { type CsvRow, csvRows } from "#lib/csv.ts";
import { lazy } from "#lib/lazy.ts";
import referencePricesCsv from "./reference-prices.csv" with { type: "text" };
import universeCsv from "./universe.csv" with { type: "text" };

const COLUMNS = [
  "country",
  "symbol",
  "name",
  "asset_type",
  "exchange",
  "currency",
  "industry",
  "price",
  "market_cap_bn",
  "pe",
  "employees",
  "primary",
  "index_member",
  "aliases",
  "year_end",
  "report",
  "margin_percent",
  "dividend_percent",
  "payments",
  "listed",
] as const;
type Column = (typeof COLUMNS)[number];

/**
 * An instrument of the sample market with the figures from which its records are generated. Names,
 * exchanges and industries are real; price, market cap and P/E are near those of 2025, but not quotes.
 * Companies and funds are listed in `universe.csv`; the others are the program's reference instruments.
 * `sharesOutstanding` is market cap / price on the anchor date, in whole shares.
 */
export interface SampleListing extends Readonly<Omit<Instrument, "summary">> {
  /** In `currency`; an index in points, a futures contract per unit of its commodity. */
  readonly price: number;
  /** Of all share classes of the issuer, in whole units of `currency`; null if not a company. */
  readonly marketCap: number | null;
  /** Price / earnings per share; null if unprofitable or not a company. */
  readonly pe: number | null;
  /** Month (1 to 12) in which the fiscal year ends; null for the country's usual one. */
  readonly yearEnd: number | null;
  /** Days from the end of a quarter to its report; null if unknown. */
  readonly reportDays: number | null;
  /** True for reports before the market opens; null if unknown. */
  readonly reportsBeforeOpen: boolean | null;
  /** Net income / revenue; null for the industry's. */
  readonly netMargin: number | null;
  /** Dividends of a year / price; 0 without dividends. */
  readonly dividendYield: number;
  /** Number of dividends in a year; null for the country's usual number. */
  readonly paymentsPerYear: number | null;
  /** The first session; null if it is before the sample market begins. */
  readonly listedOn: string | null;
}

/**
 * Reads `universe.csv`: one listing per line, in the order of the text. An empty cell is a missing value.
 * Stocks and REITs, and only these, have a market cap and an industry, which gives the sector. The
 * record schema checks the form of symbols, names and currencies.
 *
 * @throws Error on another header, and on the first wrong line with its number and the reason
 */
export function parseUniverse(text: string): readonly SampleListing[] {
  const [header, ...rows] = csvRows(text);
  if (header?.cells.join() !== COLUMNS.join()) {
    throw new Error(`universe.csv: the header must be ${COLUMNS.join()}`);
  }
  return Object.freeze(rows.map((row) => Object.freeze(parseListing(row))));
}

/** Every instrument of the sample market, US first, then JP and VN; no symbol twice in a country. */
export const listUniverse = lazy((): readonly SampleListing[] => {
  const listings = [...parseUniverse(universeCsv), ...pricedReferences()];
  return Object.freeze(COUNTRY_CODES.flatMap((code) => listings.filter((l) => l.country === code)));
});

const NO_COMPANY = {
  marketCap: null,
  pe: null,
  yearEnd: null,
  reportDays: null,
  reportsBeforeOpen: null,
  netMargin: null,
  dividendYield: 0,
  paymentsPerYear: null,
} as const;

/** The reference instruments, each with its price on the anchor date. */
function pricedReferences(): SampleListing[] {
  const rows = new Map([...csvRows(referencePricesCsv)].map(({ cells }) => [cells[0], cells]));
  return listReferenceInstruments().map((instrument) => {
    const [, cell, listed] = rows.get(instrument.symbol) ?? [];
    const price = Number(cell);
    if (!(price > 0)) throw new Error(`reference-prices.csv: no price for ${instrument.symbol}`);
    return Object.freeze({ ...instrument, ...NO_COMPANY, price, listedOn: listed || null });
  });
}

/** The cells of one line by column. Each method throws if a cell is invalid. */
class ListingCells {
  readonly #cells: readonly string[];
  readonly #line: number;

  constructor({ line, cells }: CsvRow) {
    this.#cells = cells;
    this.#line = line;
    if (cells.length !== COLUMNS.length)
      this.refuse(`${cells.length} cells instead of ${COLUMNS.length}`);
  }

  refuse(reason: string): never {
    throw new Error(`universe.csv, line ${this.#line}: ${reason}`);
  }

  text(column: Column): string {
    return this.#cells[COLUMNS.indexOf(column)] ?? "";
  }

  oneOf<T extends string>(column: Column, values: readonly T[]): T {
    return (
      values.find((value) => value === this.text(column)) ??
      this.refuse(`${column} "${this.text(column)}" is not one of ${values.join(", ")}`)
    );
  }

  /** A number above 0, or null for an empty cell. */
  positive(column: Column): number | null {
    if (this.text(column) === "") return null;
    const value = Number(this.text(column));
    return Number.isFinite(value) && value > 0
      ? value
      : this.refuse(`${column} "${this.text(column)}" is not a number above 0`);
  }

  /** The match of a pattern, or null for an empty cell. */
  match(column: Column, pattern: RegExp, form: string): RegExpMatchArray | null {
    if (this.text(column) === "") return null;
    return (
      this.text(column).match(pattern) ??
      this.refuse(`${column} "${this.text(column)}" is not ${form}`)
    );
  }
}

function parseListing(row: CsvRow): SampleListing {
  const cells = new ListingCells(row);
  const assetType = cells.oneOf("asset_type", ASSET_TYPES);
  const industry = INDUSTRIES.get(cells.text("industry")) ?? null;
  if (industry === null && cells.text("industry") !== "")
    cells.refuse(`industry "${cells.text("industry")}" is not in the taxonomy`);
  const price = cells.positive("price") ?? cells.refuse("price is missing");
  const marketCapBillions = cells.positive("market_cap_bn");
  const isCompany = assetType === "stock" || assetType === "reit";
  if (isCompany !== (industry !== null) || isCompany !== (marketCapBillions !== null))
    cells.refuse("stocks and REITs, and only these, have an industry and a market cap");
  const marketCap = marketCapBillions === null ? null : Math.round(marketCapBillions * 1e9);
  const [, reportDays, reportSession] = cells.match("report", /^(\d+)([ab])$/, "such as 14b") ?? [];

  return {
    country: cells.oneOf("country", COUNTRY_CODES),
    symbol: cells.text("symbol"),
    name: cells.text("name"),
    assetType,
    exchange: cells.text("exchange") || null,
    currency: cells.text("currency"),
    sector: industry?.sector ?? null,
    industry: industry?.slug ?? null,
    price,
    marketCap,
    pe: cells.positive("pe"),
    sharesOutstanding: marketCap === null ? null : Math.round(marketCap / price),
    employees: cells.positive("employees"),
    primaryListing: cells.oneOf("primary", ["0", "1"]) === "1",
    indexMember: cells.oneOf("index_member", ["0", "1"]) === "1",
    aliases: cells.text("aliases") || null,
    yearEnd: cells.positive("year_end"),
    reportDays: reportDays === undefined ? null : Number(reportDays),
    reportsBeforeOpen: reportSession === undefined ? null : reportSession === "b",
    netMargin: hundredth(cells.positive("margin_percent")),
    dividendYield: hundredth(cells.positive("dividend_percent")) ?? 0,
    paymentsPerYear: cells.positive("payments"),
    listedOn: cells.match("listed", /^\d{4}-\d\d-\d\d$/, "a date")?.[0] ?? null,
  };
}

function hundredth(percent: number | null): number | null {
  return percent === null ? null : percent / 100;
}

const ASSET_TYPE_PHRASES: Record<AssetType, string> = {
  commodity: "a commodity",
  cryptocurrency: "a cryptocurrency",
  currency: "an exchange rate",
  etf: "an exchange-traded fund",
  index: "an index",
  reit: "a real estate investment trust",
  stock: "a company",
};

/**
 * The instrument record of a sample listing with a share count. The summary says that the figures are
 * not real.
 */
export function sampleInstrument(
  listing: SampleListing,
  sharesOutstanding: number | null,
): Instrument {
  const { name, assetType, exchange, sector, industry } = listing;
  const industryName = industry === null ? undefined : INDUSTRIES.get(industry)?.name;
  const sectorName = sector === null ? undefined : SECTORS.get(sector)?.name;
  const field = industryName && sectorName ? ` in ${industryName} (${sectorName})` : "";
  const place = exchange === null ? "" : ` on ${exchange}`;
  return {
    country: listing.country,
    symbol: listing.symbol,
    name,
    assetType,
    exchange,
    currency: listing.currency,
    sector,
    industry,
    sharesOutstanding,
    employees: listing.employees,
    aliases: listing.aliases ?? null,
    summary:
      `${name} is ${ASSET_TYPE_PHRASES[assetType]}${field}${place}. ` +
      "Figures in this sample market are generated, not real.",
    primaryListing: listing.primaryListing,
    indexMember: listing.indexMember,
  };
}
