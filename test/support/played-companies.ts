import { lazy } from "#lib/lazy.ts";
import { fakeJson } from "./played-answer.ts";
import { TESTS_ALL } from "./test-all.ts";

/** A sector and one of its industries, as each source of the US names them. */
interface SectorNames {
  readonly nasdaq: string;
  readonly industry: string;
  readonly yahoo: string;
  readonly gics: string;
}

const sector = (nasdaq: string, industry: string, yahoo: string, gics: string): SectorNames => ({
  nasdaq,
  industry,
  yahoo,
  gics,
});

const REIT = sector("Real Estate", "Real Estate Investment Trusts", "Real Estate", "Real Estate");

/** The eleven sectors. */
const SECTORS: readonly SectorNames[] = [
  sector("Basic Materials", "Aluminum", "Basic Materials", "Materials"),
  sector("Consumer Discretionary", "Restaurants", "Consumer Cyclical", "Consumer Discretionary"),
  sector("Consumer Staples", "Packaged Foods", "Consumer Defensive", "Consumer Staples"),
  sector("Energy", "Oilfield Services/Equipment", "Energy", "Energy"),
  sector("Finance", "Banks", "Financial Services", "Financials"),
  sector("Health Care", "Hospital/Nursing Management", "Healthcare", "Health Care"),
  sector("Industrials", "Railroads", "Industrials", "Industrials"),
  REIT,
  sector("Technology", "Semiconductors", "Technology", "Information Technology"),
  sector("Telecommunications", "Advertising", "Communication Services", "Communication Services"),
  sector("Utilities", "Water Supply", "Utilities", "Utilities"),
];

/** An invented US company. */
export interface UsCompany {
  readonly symbol: string;
  readonly name: string;
  readonly sector: SectorNames;
  readonly isReit: boolean;
  readonly cik: number;
  /** USD. */
  readonly price: number;
}

/** The number of invented US companies: a tenth of the real number, or with BOURSE_TEST_ALL=1 all of it. */
export const US_COMPANIES = TESTS_ALL ? 6_000 : 600;

/** The symbols with that first part and that many letters after it: `FAAA`, `FAAB`, … */
export const symbolAt = (first: string, letters: number, index: number): string =>
  first +
  Array.from({ length: letters }, (_, i) =>
    String.fromCharCode(65 + (Math.floor(index / 26 ** (letters - 1 - i)) % 26)),
  ).join("");

/** Invented US companies, sector by sector in turn. */
export const usCompanies = lazy((): readonly UsCompany[] =>
  Array.from({ length: US_COMPANIES }, (_, i) => {
    const names = SECTORS[i % SECTORS.length] ?? REIT;
    return {
      symbol: symbolAt("F", 3, i),
      name: `Fake ${names.industry === "Banks" ? "Bank" : "Company"} ${i + 1} Inc.`,
      sector: names,
      isReit: names === REIT,
      cik: 2_000_000 + i,
      price: 10 + (i % 90),
    };
  }),
);

/** A row of Nasdaq's screener. */
export interface ScreenerRow {
  readonly symbol: string;
  readonly name: string;
  readonly lastsale: string;
  readonly netchange: string;
  readonly volume: string;
  readonly marketCap: string;
  readonly industry: string;
  readonly sector: string;
}

/** Nasdaq's screener: the rows of a file, then the invented companies, which rose by 0.10 dollars. */
export const screenerRows = lazy((): readonly ScreenerRow[] => [
  ...fakeJson("nasdaq/screener.fake.json"),
  ...usCompanies().map(({ symbol, name, sector: names, price }, i) => ({
    symbol,
    name: `${name} Common Stock`,
    lastsale: `$${price}.00`,
    netchange: "0.10",
    volume: String(100_000 + i),
    marketCap: `${price * 10_000_000}.00`,
    country: "United States",
    industry: names.industry,
    sector: names.nasdaq,
  })),
]);

/** Yahoo's name of a sector for each of Nasdaq's. */
export const YAHOO_SECTORS: ReadonlyMap<string, string> = new Map(
  SECTORS.map(({ nasdaq, yahoo }) => [nasdaq, yahoo]),
);
