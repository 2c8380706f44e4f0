import { COUNTRY_CODES } from "#domain/country.ts";
import { ASSET_TYPES, type AssetType, type Instrument, SEGMENTS } from "#domain/instrument.ts";
import { listReferenceInstruments } from "#domain/reference-instruments.ts";
import { INDUSTRIES, SECTORS } from "#domain/taxonomy.ts";
import { lazy } from "#lib/lazy.ts";
import referencePricesCsv from "./reference-prices.csv" with { type: "text" };
import { numberIn, oneOf, readTable, type Row } from "./table.ts";
import universeCsv from "./universe.csv" with { type: "text" };

/**
 * An instrument of the sample market with the figures from which its records are generated. Names,
 * exchanges and industries are real; price, market cap and P/E are near the figures of 2025, but not quotes.
 * Companies and funds are listed in `universe.csv`; the others are the program's reference instruments.
 * `sharesOutstanding` is market cap / price on the anchor date, in whole shares.
 */
export type SampleListing = Readonly<Omit<Instrument, "summary"> & ReturnType<typeof figuresIn>>;

/** Every instrument of the sample market, US first, then JP and VN; no symbol twice in a country. */
export const listUniverse = lazy((): readonly SampleListing[] => {
  const listings = [...readTable(universeCsv).map(readListing), ...pricedReferences()];
  return Object.freeze(COUNTRY_CODES.flatMap((code) => listings.filter((l) => l.country === code)));
});

/** The stocks and REITs of the sample market. */
export const listCompanies = lazy(() => listUniverse().filter((l) => l.marketCap !== null));

/** The listing of a symbol. Throws if the universe has none. */
export function getListing(symbol: string): SampleListing {
  const listing = listUniverse().find((one) => one.symbol === symbol);
  if (!listing) throw new Error(`The sample market has no ${symbol}.`);
  return listing;
}

/** The main share class by symbol of another class of the same issuer. */
const MAIN_CLASSES: Readonly<Record<string, string>> = { GOOG: "GOOGL" };

/** The listing of an issuer's main share class, to which the figures of the company belong. */
export function mainListing(listing: SampleListing): SampleListing {
  const main = MAIN_CLASSES[listing.symbol];
  return main === undefined || listing.primaryListing ? listing : getListing(main);
}

/** The reference instruments, each with its price on the anchor date. */
function pricedReferences(): SampleListing[] {
  const rows = new Map(readTable(referencePricesCsv).map((row) => [row("symbol"), row]));
  return listReferenceInstruments().map((instrument) => {
    const row = rows.get(instrument.symbol);
    if (!row) throw new Error(`reference-prices.csv has no ${instrument.symbol}.`);
    return { ...instrument, ...figuresIn(row) };
  });
}

function readListing(row: Row): SampleListing {
  const industry = INDUSTRIES.get(row("industry")) ?? null;
  const figures = figuresIn(row);
  const { marketCap, price } = figures;
  return {
    ...figures,
    country: oneOf(COUNTRY_CODES, row("country")),
    symbol: row("symbol"),
    name: row("name"),
    assetType: oneOf(ASSET_TYPES, row("asset_type")),
    exchange: row("exchange") || null,
    currency: row("currency"),
    sector: industry?.sector ?? null,
    industry: industry?.slug ?? null,
    segment: row("segment") === "" ? null : oneOf(SEGMENTS, row("segment")),
    localSector: row("local_sector") || null,
    sharesOutstanding: marketCap === null ? null : Math.round(marketCap / price),
    employees: numberIn(row("employees")),
    primaryListing: row("primary") === "1",
    indexMember: row("index_member") === "1",
    aliases: row("aliases") || null,
  };
}

/** The figures of a row; missing ones for an instrument that is not a company. */
function figuresIn(row: Row) {
  const [marketCap, margin] = [numberIn(row("market_cap_bn")), numberIn(row("margin_percent"))];
  return {
    /** In `currency`; an index in points, a futures contract per unit of its commodity. */
    price: Number(row("price")),
    /** Of all share classes of the issuer, in whole units of `currency`; null if not a company. */
    marketCap: marketCap === null ? null : Math.round(marketCap * 1e9),
    /** Price / earnings per share; null if unprofitable or not a company. */
    pe: numberIn(row("pe")),
    /** Month (1 to 12) in which the fiscal year ends; null for the country's usual one. */
    yearEnd: numberIn(row("year_end")),
    /** Days from the end of a quarter to its report, null if unknown: `31a` is 31 days, after the close. */
    reportDays: numberIn(row("report").slice(0, -1)),
    /** True for reports before the market opens: `14b`. */
    reportsBeforeOpen: row("report").endsWith("b"),
    /** Net income / revenue; null for the industry's. */
    netMargin: margin === null ? null : margin / 100,
    /** Dividends of a year / price; 0 without dividends. */
    dividendYield: Number(row("dividend_percent")) / 100,
    /** Number of dividends in a year; null for the country's usual number. */
    paymentsPerYear: numberIn(row("payments")),
    /** The first session; null if it is before the sample market begins. */
    listedOn: row("listed") || null,
    /** Units traded on a usual day; null for companies and for instruments without a volume. */
    volume: numberIn(row("volume")),
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
    segment: listing.segment ?? null,
    localSector: listing.localSector ?? null,
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
