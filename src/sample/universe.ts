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
] as const;
type Column = (typeof COLUMNS)[number];

/**
 * An instrument of the sample market and the figures that its records are generated from. Names,
 * exchanges and industries are real; price, market cap and P/E are near those of 2025 and no quotes.
 * Companies and funds are listed in `universe.csv`; all others are the program's reference instruments.
 * `sharesOutstanding` is market cap over price, in whole shares.
 */
export interface SampleListing extends Readonly<Omit<Instrument, "summary">> {
  /** In `currency`; an index in points, a futures contract per unit of its commodity. */
  readonly price: number;
  /** Of all classes of the issuer, in whole units of `currency`; null for what is no company. */
  readonly marketCap: number | null;
  /** Price over earnings per share; null for a company without profit and for what is no company. */
  readonly pe: number | null;
}

/**
 * Reads the sample market's list: one listing per line, in the order of the text.
 *
 * An empty cell is a missing value. Stocks and REITs, and only these, have an industry, which gives
 * the sector, and a market cap. Throws on another header and on the first bad line, with its number
 * and what is wrong with it; the form of symbols, names and currencies is the record schema's to check.
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

/** The instruments of the program's own list, each with its price of the anchor date. */
function pricedReferences(): SampleListing[] {
  const prices = new Map([...csvRows(referencePricesCsv)].map(({ cells: [a, b] }) => [a, b]));
  return listReferenceInstruments().map((instrument) => {
    const price = Number(prices.get(instrument.symbol));
    if (!(price > 0)) throw new Error(`reference-prices.csv: no price of ${instrument.symbol}`);
    return Object.freeze({ ...instrument, price, marketCap: null, pe: null });
  });
}

function parseListing({ line, cells }: CsvRow): SampleListing {
  const refuse: (reason: string) => never = (reason) => {
    throw new Error(`universe.csv, line ${line}: ${reason}`);
  };
  if (cells.length !== COLUMNS.length) {
    refuse(`${cells.length} cells instead of ${COLUMNS.length}`);
  }
  const cell = (column: Column) => cells[COLUMNS.indexOf(column)] ?? "";
  const oneOf = <T extends string>(column: Column, values: readonly T[]): T =>
    values.find((value) => value === cell(column)) ??
    refuse(`${column} "${cell(column)}" is none of ${values.join(", ")}`);
  const positive = (column: Column): number | null => {
    if (cell(column) === "") return null;
    const value = Number(cell(column));
    return Number.isFinite(value) && value > 0
      ? value
      : refuse(`${column} "${cell(column)}" is no number above 0`);
  };

  const assetType = oneOf("asset_type", ASSET_TYPES);
  const industry = INDUSTRIES.get(cell("industry")) ?? null;
  if (industry === null && cell("industry") !== "") {
    refuse(`industry "${cell("industry")}" is not in the taxonomy`);
  }
  const price = positive("price") ?? refuse("price is missing");
  const marketCapBillions = positive("market_cap_bn");
  const isCompany = assetType === "stock" || assetType === "reit";
  if (isCompany !== (industry !== null) || isCompany !== (marketCapBillions !== null)) {
    refuse("stocks and REITs, and only these, have an industry and a market cap");
  }
  const marketCap = marketCapBillions === null ? null : Math.round(marketCapBillions * 1e9);

  return {
    country: oneOf("country", COUNTRY_CODES),
    symbol: cell("symbol"),
    name: cell("name"),
    assetType,
    exchange: cell("exchange") || null,
    currency: cell("currency"),
    sector: industry?.sector ?? null,
    industry: industry?.slug ?? null,
    price,
    marketCap,
    pe: positive("pe"),
    sharesOutstanding: marketCap === null ? null : Math.round(marketCap / price),
    employees: positive("employees"),
    primaryListing: oneOf("primary", ["0", "1"]) === "1",
    indexMember: oneOf("index_member", ["0", "1"]) === "1",
  };
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

/** The record of a sample listing; its summary says in so many words that the figures are not real. */
export function sampleInstrument(listing: SampleListing): Instrument {
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
    sharesOutstanding: listing.sharesOutstanding,
    employees: listing.employees,
    summary:
      `${name} is ${ASSET_TYPE_PHRASES[assetType]}${field}${place}. ` +
      "Figures in this sample market are generated, not real.",
    primaryListing: listing.primaryListing,
    indexMember: listing.indexMember,
  };
}
