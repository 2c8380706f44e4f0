import { listUniverse, type SampleListing } from "./universe.ts";

/** How a price is computed from other prices. */
export type Link =
  /** The total market cap of the members, or the sum of their prices. */
  | { readonly kind: "basket"; readonly weight: "cap" | "price"; readonly members: Listings }
  /** The product of other prices, each raised to its power. */
  | { readonly kind: "product"; readonly factors: readonly Factor[] }
  /** A multiple of another price's daily change. */
  | { readonly kind: "leverage"; readonly of: SampleListing; readonly times: number };

type Listings = readonly SampleListing[];
type Factor = { readonly listing: SampleListing; readonly power: number };

const ofCountry = (country: SampleListing["country"], is: (company: SampleListing) => boolean) =>
  listUniverse().filter(
    (company) =>
      company.marketCap !== null &&
      company.primaryListing &&
      company.country === country &&
      is(company),
  );
const among = (...symbols: string[]) => ofCountry("US", ({ symbol }) => symbols.includes(symbol));
const largest = (count: number, companies: Listings) =>
  companies.toSorted((a, b) => (b.marketCap ?? 0) - (a.marketCap ?? 0)).slice(0, count);
const ofSector = (sector: string) =>
  ofCountry("US", (company) => company.indexMember && company.sector === sector);

/** The members of each index, or of a fund whose index is not in the sample, as far as the sample has them. */
const BASKETS: Readonly<Record<string, () => Listings>> = {
  "^GSPC": () => ofCountry("US", ({ indexMember }) => indexMember),
  "^IXIC": () => ofCountry("US", ({ exchange }) => exchange === "NASDAQ"),
  "^NDX": () =>
    ofCountry(
      "US",
      ({ exchange, indexMember, sector }) =>
        exchange === "NASDAQ" && indexMember && sector !== "financial-services",
    ),
  "^RUT": () => ofCountry("US", ({ indexMember }) => !indexMember),
  VTI: () => ofCountry("US", () => true),
  XLK: () => ofSector("technology"),
  XLF: () => ofSector("financial-services"),
  XLE: () => ofSector("energy"),
  XLV: () => ofSector("healthcare"),
  VNQ: () => ofCountry("US", ({ sector }) => sector === "real-estate"),
  ARKK: () => among("TSLA", "COIN", "RBLX", "PLTR", "AMD"),
  "^N225": () => ofCountry("JP", ({ indexMember }) => indexMember),
  "^TOPX": () => ofCountry("JP", ({ assetType }) => assetType === "stock"),
  "1343": () => ofCountry("JP", ({ assetType }) => assetType === "reit"),
  VNINDEX: () => ofCountry("VN", ({ indexMember }) => indexMember),
  VN30: () =>
    largest(
      30,
      ofCountry("VN", ({ indexMember }) => indexMember),
    ),
  HNXINDEX: () => ofCountry("VN", ({ exchange }) => exchange === "HNX"),
  UPCOMINDEX: () => ofCountry("VN", ({ exchange }) => exchange === "UPCOM"),
  FUESSV50: () =>
    largest(
      50,
      ofCountry("VN", ({ exchange }) => exchange !== "UPCOM"),
    ),
  FUESSVFL: () =>
    ofCountry("VN", ({ indexMember, sector }) => indexMember && sector === "financial-services"),
};

/** Price-weighted indices. The sample has 29 of the Dow Jones's 30 members, without Travelers. */
const PRICE_WEIGHTED: Readonly<Record<string, () => Listings>> = {
  "^DJI": () =>
    among(
      ..."AAPL AMGN AMZN AXP BA CAT CRM CSCO CVX DIS GS HD HON IBM JNJ".split(" "),
      ..."JPM KO MCD MMM MRK MSFT NKE NVDA PG SHW UNH V VZ WMT".split(" "),
    ),
};

/** The factors of a product with their powers. The dollar index has its real weights, without the krona. */
const PRODUCTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "EURJPY=X": { "EURUSD=X": 1, "JPY=X": 1 },
  "GBPJPY=X": { "GBPUSD=X": 1, "JPY=X": 1 },
  "AUDJPY=X": { "AUDUSD=X": 1, "JPY=X": 1 },
  "EURVND=X": { "EURUSD=X": 1, "VND=X": 1 },
  "JPYVND=X": { "VND=X": 1, "JPY=X": -1 },
  "DX-Y.NYB": {
    "EURUSD=X": -0.576,
    "JPY=X": 0.136,
    "GBPUSD=X": -0.119,
    "CAD=X": 0.091,
    "CHF=X": 0.036,
  },
  "BTC-JPY": { "BTC-USD": 1, "JPY=X": 1 },
  "ETH-JPY": { "ETH-USD": 1, "JPY=X": 1 },
  "BZ=F": { "CL=F": 1 },
  GLD: { "GC=F": 1 },
  SLV: { "SI=F": 1 },
  "1540": { "GC=F": 1, "JPY=X": 1 },
  SPY: { "^GSPC": 1 },
  VOO: { "^GSPC": 1 },
  "2558": { "^GSPC": 1, "JPY=X": 1 },
  QQQ: { "^NDX": 1 },
  IWM: { "^RUT": 1 },
  DIA: { "^DJI": 1 },
  "1306": { "^TOPX": 1 },
  "1321": { "^N225": 1 },
  E1VFVN30: { VN30: 1 },
  FUEMAV30: { VN30: 1 },
  FUEVFVND: { VN30: 1 },
  FUEVN100: { VNINDEX: 1 },
};

const LEVERAGED: Readonly<Record<string, readonly [index: string, times: number]>> = {
  "1570": ["^N225", 2],
  "1357": ["^N225", -2],
};

/** The listing of a symbol that is not a company. Throws if the universe has none. */
export function getNonCompany(symbol: string): SampleListing {
  const listing = listUniverse().find((one) => one.symbol === symbol && one.marketCap === null);
  if (!listing)
    throw new Error(`The sample market has no ${symbol} from which another price is computed.`);
  return listing;
}

/** How the listing's price follows from others; null for companies and other independent prices. */
export function linkOf({ symbol, marketCap }: SampleListing): Link | null {
  if (marketCap !== null) return null;
  const capWeighted = BASKETS[symbol];
  const priceWeighted = PRICE_WEIGHTED[symbol];
  const members = (capWeighted ?? priceWeighted)?.();
  if (members) return { kind: "basket", weight: capWeighted ? "cap" : "price", members };
  const [index, times] = LEVERAGED[symbol] ?? [];
  if (index && times) return { kind: "leverage", of: getNonCompany(index), times };
  const powers = PRODUCTS[symbol];
  if (!powers) return null;
  return {
    kind: "product",
    factors: Object.entries(powers).map(([one, power]) => ({ listing: getNonCompany(one), power })),
  };
}
