import { holdsCustomerFunds } from "#analytics/valuation.ts";
import { lazy } from "#lib/lazy.ts";
import profilesCsv from "./profiles.csv" with { type: "text" };
import { memoize } from "./memoize.ts";
import { normalAt, seedOf, uniformAt } from "./random.ts";
import { readTable } from "./table.ts";
import { mainListing, type SampleListing } from "./universe.ts";

/**
 * The columns of `profiles.csv`, whose rows are for an asset type, a sector, industries, or one symbol. Capital
 * is common equity without buybacks that are paid with debt.
 *
 * - Shares of revenue: net margin, overhead (operating expenses other than cost of revenue), depreciation,
 *   investment (capital expenditure). Shares of capital: net income, debt, other liabilities, common equity.
 * - Shares of total assets: current assets, cash, inventory. Current ratio: / current liabilities.
 * - Growth of revenue, earnings and price in log per year. Beta to its market. Volatility of its price beside
 *   market and sector, in log per year.
 * - Price / capital. Price / sales is for companies with a loss. Issues: growth of the share count in log per
 *   year, beside all companies' growth.
 */
const COLUMNS = [
  ...(["netMargin", "overhead", "depreciation", "investment"] as const),
  ...(["returnOnEquity", "debt", "otherLiabilities", "equityShare"] as const),
  ...(["currentAssets", "cash", "inventory", "currentRatio"] as const),
  ...(["growth", "beta", "volatility", "priceToBook", "priceToSales", "issues"] as const),
];
type Ratios = Record<(typeof COLUMNS)[number], number>;

const profileRows = lazy(() =>
  readTable(profilesCsv).map((row) => ({
    key: row("key"),
    group: row("group"),
    ratios: Object.fromEntries(
      COLUMNS.filter((column) => row(column) !== "").map((one) => [one, Number(row(one))]),
    ) as Partial<Ratios>,
  })),
);

/**
 * Figures that differ by country: growth to add, interest and tax rate, return on equity / the
 * industry's, maximum price / capital, growth of the share count of a profitable company.
 */
const COUNTRY_TRAITS = {
  US: { growth: 0.01, interest: 0.04, tax: 0.19, equity: 1.4, most: 14, shareGrowth: -0.018 },
  JP: { growth: -0.005, interest: 0.012, tax: 0.3, equity: 0.65, most: 6, shareGrowth: -0.012 },
  VN: { growth: 0.02, interest: 0.065, tax: 0.19, equity: 1, most: 7, shareGrowth: 0.008 },
} as const;

/** Maximum minority interest / capital; a third of the companies have none. */
const MAX_MINORITY = 0.08;
const MAX_VOLATILITY = 0.5;
/** Growth of the share count of a company with a loss. */
const UNPROFITABLE_SHARE_GROWTH = 0.025;

/** P/E of the universe are clamped to this range, and price / capital to at least the last number. */
const [MIN_PE, MAX_PE, MIN_PRICE_TO_BOOK] = [5, 300, 0.5];
/** Maximum price / capital of a REIT, whose assets are its buildings, and of a company with a loss. */
const [MAX_REIT_PRICE_TO_BOOK, MAX_LOSS_PRICE_TO_BOOK] = [2, 3];
/** Capital / revenue and maximum market cap / EBITDA of a company with a loss. */
const [LOSS_CAPITAL, MAX_PRICE_TO_EBITDA] = [0.6, 30];

/** The profile of one listing: its industry's ratios, varied a little by its seed, or its own. */
export type Profile = Readonly<ReturnType<typeof makeProfile>>;

/** The profile of a listing. The ratios of companies are 0 for other instruments. */
export const profileOf = memoize(makeProfile);

function makeProfile(listing: SampleListing) {
  const { country, symbol, pe, sector, industry } = listing;
  const traits = COUNTRY_TRAITS[country];
  const seed = listingSeed(listing);
  const rows = profileRows().filter(
    ({ key }) =>
      key === sector || key === listing.assetType || (industry?.startsWith(key) ?? false),
  );
  const own = profileRows().find(({ key }) => key === symbol);
  const ratios = Object.fromEntries(COLUMNS.map((column) => [column, 0])) as Ratios;
  for (const row of rows) Object.assign(ratios, row.ratios);
  if (sector !== null) vary(ratios, listing, seed);
  Object.assign(ratios, own?.ratios);
  const usual = pe === null ? UNPROFITABLE_SHARE_GROWTH : traits.shareGrowth;
  const earned = earnings(listing, ratios, seed);
  return {
    ...ratios,
    ...earned,
    seed,
    // The sector, or the kind of commodity; null without one.
    group: sector ?? (own?.group || null),
    equityShare: own?.ratios.equityShare ?? 1,
    capital: (listing.marketCap ?? 0) / (own?.ratios.priceToBook ?? earned.priceToBook),
    // Interest / debt, per year.
    interestRate: traits.interest,
    // Growth of the share count, in log per year; negative for net buybacks.
    shareGrowth: sector === null ? 0 : usual + ratios.issues + 0.008 * normalAt(seed, 24),
    // Minority interest / capital.
    minority: MAX_MINORITY * Math.max(1.6 * uniformAt(seed, 26) - 0.6, 0) ** 2,
    // True for banks, insurers, brokers and mortgage lenders, whose statements have fewer items.
    holdsFunds: holdsCustomerFunds(listing, 1),
  };
}

/** The seed of a listing. All share classes of an issuer share it. */
export function listingSeed(listing: SampleListing): number {
  const { country, symbol } = mainListing(listing);
  return seedOf(`${country} ${symbol}`);
}

/** Varies an industry's ratios for a company, in place. Dear and unprofitable companies move more. */
function vary(ratios: Ratios, { country, pe }: SampleListing, seed: number): void {
  const { growth, beta, volatility } = ratios;
  for (const [i, column] of COLUMNS.entries()) ratios[column] *= Math.exp(0.1 * normalAt(seed, i));
  // A high price implies growth.
  const dear = (pe ?? 0) > 80 ? 0.1 : (pe ?? 0) > 45 ? 0.05 : (pe ?? 0) > 30 ? 0.02 : 0;
  const varied = growth + COUNTRY_TRAITS[country].growth + dear + 0.015 * normalAt(seed, 20);
  ratios.growth = Math.min(Math.max(varied, -0.01), 0.18);
  ratios.beta = beta * (0.8 + 0.4 * uniformAt(seed, 40));
  const isSpeculative = pe === null || pe > 80;
  const own = volatility * Math.exp(0.15 * normalAt(seed, 41)) * (isSpeculative ? 1.3 : 1);
  ratios.volatility = Math.min(own, MAX_VOLATILITY);
}

/** Earnings and price / capital. A loss has a margin of −2 to −12 % and no tax. */
function earnings(listing: SampleListing, ratios: Ratios, seed: number) {
  const { country, assetType, pe, marketCap } = listing;
  const traits = COUNTRY_TRAITS[country];
  const isLoss = pe === null;
  const taxRate = isLoss ? 0 : traits.tax + 0.02 * normalAt(seed, 21);
  const netMargin = isLoss
    ? -0.02 - 0.1 * uniformAt(seed, 22)
    : (listing.netMargin ?? ratios.netMargin);
  const boundedPe = Math.min(Math.max(pe ?? 0, MIN_PE), MAX_PE);
  const priceToSales = isLoss
    ? ratios.priceToSales || 1 + 3 * uniformAt(seed, 23)
    : boundedPe * netMargin;
  const priceToBook = isLoss
    ? priceToSales / LOSS_CAPITAL
    : boundedPe * traits.equity * ratios.returnOnEquity;
  const most =
    assetType === "reit" ? MAX_REIT_PRICE_TO_BOOK : isLoss ? MAX_LOSS_PRICE_TO_BOOK : traits.most;
  return {
    netMargin,
    taxRate,
    // Leaves at least 40 % of the costs for the cost of revenue.
    overhead: isLoss
      ? ratios.overhead + 0.15
      : Math.min(ratios.overhead, 0.6 * Math.max(1 - netMargin / (1 - taxRate), 0)),
    // EBITDA is positive and not near 0, which would give an absurd multiple.
    depreciation: isLoss
      ? Math.max(ratios.depreciation, priceToSales / MAX_PRICE_TO_EBITDA - netMargin)
      : ratios.depreciation,
    netIncome: ((marketCap ?? 0) / priceToSales) * netMargin,
    priceToBook: Math.min(Math.max(priceToBook, MIN_PRICE_TO_BOOK), most),
  };
}
