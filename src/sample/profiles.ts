import { BANKS_AND_INSURERS } from "#analytics/valuation.ts";
import type { Country } from "#domain/country.ts";
import { lazy } from "#lib/lazy.ts";
import { normalAt, seedOf, uniformAt } from "./random.ts";
import type { SampleListing } from "./universe.ts";

/** The financial ratios of a sector's or industry's companies. */
interface Profile {
  /** Net income / revenue. */
  netMargin: number;
  /** Net income / common equity. */
  returnOnEquity: number;
  /** Operating expenses other than cost of revenue / revenue. */
  overhead: number;
  /** Depreciation / revenue. */
  depreciation: number;
  /** Capital expenditure / revenue. */
  investment: number;
  /** Debt / common equity. */
  debt: number;
  /** All other liabilities / common equity. */
  otherLiabilities: number;
  /** Current assets / total assets. */
  currentAssets: number;
  /** Cash / total assets. */
  cash: number;
  /** Inventory / total assets. */
  inventory: number;
  /** Current assets / current liabilities. */
  currentRatio: number;
  /** Growth of revenue, earnings and price, in log per year. */
  growth: number;
}

const COLUMNS = [
  "netMargin",
  "returnOnEquity",
  "overhead",
  "depreciation",
  "investment",
  "debt",
  "otherLiabilities",
  "currentAssets",
  "cash",
  "inventory",
  "currentRatio",
  "growth",
] as const satisfies readonly (keyof Profile)[];

/** One line per sector slug, in the order of `COLUMNS`. */
const sectorProfiles = lazy(() =>
  readProfiles(`
basic-materials        0.09 0.12 0.10 0.060 0.075 0.50 0.60 0.40 0.10 0.14 1.8 0.045
communication-services 0.14 0.14 0.28 0.110 0.115 0.70 0.60 0.28 0.12 0.01 1.3 0.055
consumer-cyclical      0.07 0.16 0.18 0.040 0.050 0.70 0.80 0.45 0.13 0.15 1.3 0.055
consumer-defensive     0.08 0.18 0.20 0.035 0.042 0.70 0.90 0.35 0.08 0.13 1.1 0.045
energy                 0.08 0.12 0.06 0.080 0.090 0.40 0.60 0.30 0.09 0.08 1.3 0.035
financial-services     0.24 0.13 0.35 0.030 0.030 0.80 1.50 0.50 0.20 0.00 1.2 0.060
healthcare             0.13 0.16 0.30 0.050 0.050 0.50 0.70 0.38 0.12 0.10 1.5 0.060
industrials            0.08 0.15 0.14 0.040 0.048 0.60 0.90 0.45 0.11 0.13 1.3 0.055
real-estate            0.18 0.10 0.10 0.050 0.060 0.80 0.60 0.45 0.07 0.25 1.5 0.045
technology             0.18 0.22 0.28 0.050 0.055 0.35 0.60 0.48 0.20 0.07 1.8 0.080
utilities              0.11 0.10 0.06 0.130 0.200 1.40 0.80 0.12 0.03 0.02 0.9 0.040
`),
);

/** Differences of industries from their sector, by prefix of the industry's slug. */
const INDUSTRY_PROFILES: readonly (readonly [prefix: string, Partial<Profile>])[] = [
  ["banks-", { netMargin: 0.29, returnOnEquity: 0.12, debt: 1, otherLiabilities: 9, cash: 0.1 }],
  ["insurance-", { netMargin: 0.09, debt: 0.3, otherLiabilities: 5, cash: 0.06 }],
  ["credit-services", { netMargin: 0.35, overhead: 0.25 }],
  ["financial-data-", { netMargin: 0.35, overhead: 0.25 }],
  ["consumer-electronics", { overhead: 0.15 }],
  ["software-", { netMargin: 0.24, overhead: 0.45, inventory: 0 }],
  ["semiconductors", { netMargin: 0.3, overhead: 0.22, inventory: 0.1 }],
  ["information-technology-services", { netMargin: 0.1, overhead: 0.15, inventory: 0.01 }],
  ["electronics-and-computer-distribution", { netMargin: 0.02, overhead: 0.05 }],
  [
    "internet-content-",
    { netMargin: 0.26, overhead: 0.25, debt: 0.2, currentAssets: 0.4, cash: 0.22 },
  ],
  ["auto-manufacturers", { netMargin: 0.06, overhead: 0.09 }],
  ["auto-and-truck-", { netMargin: 0.02, overhead: 0.08 }],
  ["discount-stores", { netMargin: 0.03, overhead: 0.18 }],
  ["grocery-stores", { netMargin: 0.02, overhead: 0.2 }],
  ["food-distribution", { netMargin: 0.02, overhead: 0.14 }],
  ["farm-products", { netMargin: 0.04, overhead: 0.07 }],
  ["tobacco", { netMargin: 0.25, overhead: 0.2 }],
  [
    "oil-and-gas-refining-",
    { netMargin: 0.025, overhead: 0.03, depreciation: 0.02, investment: 0.022 },
  ],
  ["oil-and-gas-midstream", { netMargin: 0.2, depreciation: 0.15 }],
  ["healthcare-plans", { netMargin: 0.03, overhead: 0.12, depreciation: 0.01, investment: 0.01 }],
  ["medical-distribution", { netMargin: 0.015, overhead: 0.03, depreciation: 0.005 }],
  ["drug-manufacturers-", { netMargin: 0.2, overhead: 0.42 }],
  ["biotechnology", { netMargin: 0.28, overhead: 0.5 }],
  ["airlines", { netMargin: 0.06, overhead: 0.1, depreciation: 0.05 }],
  ["railroads", { netMargin: 0.2, depreciation: 0.1, investment: 0.14 }],
  [
    "reit-",
    {
      netMargin: 0.3,
      returnOnEquity: 0.06,
      depreciation: 0.25,
      investment: 0.1,
      currentAssets: 0.08,
      cash: 0.03,
      inventory: 0,
      growth: 0.03,
    },
  ],
];

/**
 * Differences of companies from their industry, by symbol, from their reports of 2025: book values of
 * land and of acquired companies, large amortization, and much cash with little debt. They do not vary.
 */
const COMPANY_PROFILES: Readonly<
  Record<string, Partial<Profile> & { readonly priceToBook?: number }>
> = {
  ABBV: { depreciation: 0.14, growth: 0.07 },
  ABNB: { debt: 0.2, otherLiabilities: 1.2, currentAssets: 0.75, cash: 0.45 },
  AVGO: { depreciation: 0.15 },
  "BRK.B": { priceToBook: 1.55, debt: 0.18, otherLiabilities: 0.55, cash: 0.3 },
  FRPH: {
    priceToBook: 1.05,
    debt: 0.45,
    depreciation: 0.24,
    investment: 0.3,
    currentAssets: 0.25,
    cash: 0.2,
    growth: 0.04,
  },
  META: { debt: 0.27 },
  NVDA: { debt: 0.1, cash: 0.35 },
  NVL: { priceToBook: 0.7 },
  PLTR: { priceToBook: 65, debt: 0.04, otherLiabilities: 0.25, currentAssets: 0.9, cash: 0.5 },
  RBLX: { priceToBook: 20 },
  SAB: { debt: 0.03, otherLiabilities: 0.35, currentAssets: 0.75, cash: 0.45 },
  TRC: { priceToBook: 0.95, debt: 0.2, otherLiabilities: 0.1, currentAssets: 0.15, cash: 0.07 },
  TSLA: { debt: 0.17, cash: 0.27 },
  "4502": {
    priceToBook: 1.05,
    debt: 0.65,
    otherLiabilities: 0.4,
    currentAssets: 0.17,
    cash: 0.03,
    depreciation: 0.16,
    growth: 0.02,
  },
  "6861": { debt: 0.01, cash: 0.4 },
  "7974": { debt: 0.01, otherLiabilities: 0.25, currentAssets: 0.7, cash: 0.42 },
};

const COUNTRY_GROWTH: Record<Country, number> = { US: 0.01, JP: -0.005, VN: 0.02 };

/** Yearly rate on debt. */
const INTEREST: Record<Country, number> = { US: 0.04, JP: 0.012, VN: 0.065 };
const TAX: Record<Country, number> = { US: 0.19, JP: 0.3, VN: 0.19 };

/** P/E of the universe are clamped to this range. */
const MIN_PE = 5;
const MAX_PE = 300;

/** Return on equity of the country's companies / that of their industry. */
const RETURN_ON_EQUITY_FACTOR: Record<Country, number> = { US: 1.4, JP: 0.65, VN: 1 };
/** Maximum price / book value, so that a company with a high P/E has equity too. */
const MAX_PRICE_TO_BOOK: Record<Country, number> = { US: 14, JP: 6, VN: 7 };
/** Minimum price / book value: a low price means a low return on equity. */
const MIN_PRICE_TO_BOOK = 0.5;
/** Maximum price / book value of a REIT. Its assets are its buildings. */
const MAX_REIT_PRICE_TO_BOOK = 2;
/** Common equity / revenue and maximum price / book value of an unprofitable company. */
const UNPROFITABLE_EQUITY = 0.6;
const MAX_UNPROFITABLE_PRICE_TO_BOOK = 3;

/** Growth to add above a P/E, because the price implies it. */
const GROWTH_PREMIUMS: readonly (readonly [pe: number, growth: number])[] = [
  [80, 0.1],
  [45, 0.05],
  [30, 0.02],
];
const MIN_GROWTH = -0.01;
const MAX_GROWTH = 0.18;

/** Maximum market cap / EBITDA of an unprofitable company. */
const MAX_UNPROFITABLE_PRICE_TO_EBITDA = 30;

/** Market cap / revenue of unprofitable companies; about 2 for those not listed here. */
const UNPROFITABLE_PRICE_TO_SALES: Readonly<Record<string, number>> = {
  ALB: 2.9,
  APD: 4.5,
  BA: 1.8,
  BXP: 3.3,
  COMP: 0.85,
  CSGP: 9,
  DOW: 0.4,
  INTC: 3.4,
  LYV: 1.3,
  MMI: 1.6,
  MRNA: 4.5,
  NVL: 4,
  OPEN: 1.2,
  RBLX: 14,
  RIG: 1.2,
  RKT: 8,
  SNAP: 2.3,
  TRC: 9,
  TTWO: 7,
  VNZ: 1.2,
  Z: 7,
  "4324": 0.6,
  "4755": 0.85,
  "4911": 1,
  "6723": 2.8,
  "7201": 0.1,
  "9501": 0.18,
};

/** Growth of the share count, in log per year. Companies of the US and Japan buy shares back. */
const SHARE_GROWTH: Record<Country, number> = { US: -0.018, JP: -0.012, VN: 0.008 };
/** Growth to add for industries that issue shares: REITs, utilities, biotechnology. */
const EXTRA_SHARE_GROWTH: readonly (readonly [industryPrefix: string, growth: number])[] = [
  ["reit-", 0.035],
  ["utilities-", 0.028],
  ["biotechnology", 0.02],
];
const UNPROFITABLE_SHARE_GROWTH = 0.04;

/** The share of companies without minority interest. */
const WHOLLY_OWNING: Record<Country, number> = { US: 0.55, JP: 0.15, VN: 0.3 };
/** Maximum minority interest / common equity of the others. */
const MAX_MINORITY: Record<Country, number> = { US: 0.04, JP: 0.09, VN: 0.12 };

/** The profile of one company: its industry's ratios, varied a little by its seed. */
export interface CompanyProfile extends Readonly<Omit<Profile, "returnOnEquity">> {
  readonly seed: number;
  /** Net income of the twelve months reported by the anchor date, negative for a loss. */
  readonly netIncome: number;
  /** On the anchor date. */
  readonly commonEquity: number;
  readonly taxRate: number;
  /** Interest / debt, per year. */
  readonly interestRate: number;
  /** Growth of the share count, in log per year; negative for net buy-backs. */
  readonly shareGrowth: number;
  /** Minority interest / common equity. */
  readonly minority: number;
  /** True for banks and insurers, whose statements have fewer items. */
  readonly lendsOrInsures: boolean;
}

const profiles = new WeakMap<SampleListing, CompanyProfile>();

/** The profile of a stock or REIT of the universe. */
export function companyProfile(listing: SampleListing): CompanyProfile {
  const known = profiles.get(listing);
  if (known) return known;
  const profile = makeProfile(listing);
  profiles.set(listing, profile);
  return profile;
}

/** The main share class by symbol of another class of the same issuer. */
const FIRST_LINES: Readonly<Record<string, string>> = { GOOG: "GOOGL" };

/** The seed of a listing. All share classes of an issuer share it, so that they move together. */
export function listingSeed({ country, symbol }: SampleListing): number {
  return seedOf(`${country} ${FIRST_LINES[symbol] ?? symbol}`);
}

function makeProfile(listing: SampleListing): CompanyProfile {
  const { country, pe } = listing;
  const industry = listing.industry ?? "";
  const seed = listingSeed(listing);
  const profile = { ...sectorProfile(listing.sector ?? "") };
  for (const [prefix, differences] of INDUSTRY_PROFILES)
    if (industry.startsWith(prefix)) Object.assign(profile, differences);
  const dear = GROWTH_PREMIUMS.find(([from]) => (pe ?? 0) > from)?.[1] ?? 0;
  const growth = profile.growth + COUNTRY_GROWTH[country] + dear + 0.015 * normalAt(seed, 20);
  for (const [i, column] of COLUMNS.entries()) profile[column] *= Math.exp(0.1 * normalAt(seed, i));
  profile.growth = Math.min(Math.max(growth, MIN_GROWTH), MAX_GROWTH);
  const { priceToBook, ...own } = COMPANY_PROFILES[listing.symbol] ?? {};
  Object.assign(profile, own);
  const common = {
    seed,
    interestRate: INTEREST[country],
    lendsOrInsures: BANKS_AND_INSURERS.has(industry),
    shareGrowth: shareGrowthOf(listing, seed),
    minority: minorityOf(listing, seed),
  };
  const { usualPriceToBook, ...earnings } =
    pe === null ? losses(listing, profile, seed) : profits(listing, profile, seed);
  const commonEquity = (listing.marketCap ?? 0) / (priceToBook ?? usualPriceToBook);
  return { ...profile, ...common, ...earnings, commonEquity };
}

function profits(listing: SampleListing, profile: Profile, seed: number) {
  const { country, assetType, pe, marketCap, netMargin } = listing;
  const taxRate = TAX[country] + 0.02 * normalAt(seed, 21);
  const margin = netMargin ?? profile.netMargin;
  const boundedPe = Math.min(Math.max(pe ?? 0, MIN_PE), MAX_PE);
  // Leaves at least 40 % of the costs for the cost of revenue.
  const overhead = Math.min(profile.overhead, 0.6 * Math.max(1 - margin / (1 - taxRate), 0));
  const maxPriceToBook = assetType === "reit" ? MAX_REIT_PRICE_TO_BOOK : MAX_PRICE_TO_BOOK[country];
  const priceToBook = boundedPe * RETURN_ON_EQUITY_FACTOR[country] * profile.returnOnEquity;
  return {
    netMargin: margin,
    overhead,
    netIncome: (marketCap ?? 0) / boundedPe,
    usualPriceToBook: Math.min(Math.max(priceToBook, MIN_PRICE_TO_BOOK), maxPriceToBook),
    taxRate,
  };
}

function losses({ symbol, assetType, marketCap }: SampleListing, profile: Profile, seed: number) {
  const maxPriceToBook =
    assetType === "reit" ? MAX_REIT_PRICE_TO_BOOK : MAX_UNPROFITABLE_PRICE_TO_BOOK;
  const netMargin = -0.02 - 0.1 * uniformAt(seed, 22);
  const priceToSales = UNPROFITABLE_PRICE_TO_SALES[symbol] ?? 1 + 3 * uniformAt(seed, 23);
  // EBITDA is positive and not near 0, which would give an absurd multiple.
  const ebitdaMargin = priceToSales / MAX_UNPROFITABLE_PRICE_TO_EBITDA;
  return {
    netMargin,
    overhead: profile.overhead + 0.15,
    depreciation: Math.max(profile.depreciation, ebitdaMargin - netMargin),
    netIncome: ((marketCap ?? 0) / priceToSales) * netMargin,
    usualPriceToBook: Math.min(priceToSales / UNPROFITABLE_EQUITY, maxPriceToBook),
    taxRate: 0,
  };
}

function shareGrowthOf({ country, industry, pe }: SampleListing, seed: number): number {
  const issues = EXTRA_SHARE_GROWTH.find(([prefix]) => industry?.startsWith(prefix))?.[1] ?? 0;
  return (
    SHARE_GROWTH[country] +
    issues +
    (pe === null ? UNPROFITABLE_SHARE_GROWTH : 0) +
    0.008 * normalAt(seed, 24)
  );
}

function minorityOf({ country }: SampleListing, seed: number): number {
  if (uniformAt(seed, 25) < WHOLLY_OWNING[country]) return 0;
  return MAX_MINORITY[country] * uniformAt(seed, 26) ** 2;
}

function sectorProfile(sector: string): Profile {
  const profile = sectorProfiles().get(sector);
  if (!profile) throw new Error(`The sample market has no profile for the sector "${sector}".`);
  return profile;
}

function readProfiles(table: string): Map<string, Profile> {
  return new Map(
    table
      .trim()
      .split("\n")
      .map((line) => {
        const [sector = "", ...figures] = line.split(/\s+/);
        const entries = COLUMNS.map((column, i) => [column, Number(figures[i])] as const);
        return [sector, Object.fromEntries(entries) as unknown as Profile];
      }),
  );
}
