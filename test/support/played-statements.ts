import { lazy } from "#lib/lazy.ts";
import { addDays, addMonths } from "#lib/date.ts";
import type { UsCompany } from "./played-companies.ts";

type Figures = Readonly<Record<string, number>>;

/** Apple's fiscal years; the last one ends with its third quarter. */
const APPLE_YEARS = [2023, 2024, 2025, 2026];
/** Every quarter of the last year is a tenth above those of the years before. */
const growthOf = (year: number) => (year === APPLE_YEARS.at(-1) ? 1.1 : 1);

/** One quarter of Apple by the SEC's tags, in USD. Filings state quarters and the year to date. */
const APPLE_INCOME: Figures = {
  RevenueFromContractWithCustomerExcludingAssessedTax: 100e9,
  CostOfGoodsAndServicesSold: 60e9,
  GrossProfit: 40e9,
  OperatingIncomeLoss: 35e9,
  IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest: 36e9,
  IncomeTaxExpenseBenefit: 6e9,
  NetIncomeLoss: 30e9,
};
/** Filings state the year to date only. */
const APPLE_CASH_FLOW: Figures = {
  DepreciationDepletionAndAmortization: 3e9,
  NetCashProvidedByUsedInOperatingActivities: 40e9,
  NetCashProvidedByUsedInInvestingActivities: -5e9,
  NetCashProvidedByUsedInFinancingActivities: -33e9,
  PaymentsToAcquirePropertyPlantAndEquipment: 4e9,
};
const APPLE_BALANCE: Figures = {
  Assets: 360e9,
  AssetsCurrent: 150e9,
  CashAndCashEquivalentsAtCarryingValue: 30e9,
  MarketableSecuritiesCurrent: 30e9,
  InventoryNet: 6e9,
  Liabilities: 290e9,
  LiabilitiesCurrent: 140e9,
  LongTermDebtNoncurrent: 80e9,
  LongTermDebtCurrent: 10e9,
  CommercialPaper: 5e9,
  StockholdersEquity: 70e9,
};
const APPLE_EPS = 2;
const APPLE_SHARES = 15e9;

/** A filing of Apple: the report of one fiscal quarter. */
interface Filing {
  readonly year: number;
  readonly quarter: number;
  readonly end: string;
  readonly filed: string;
}

const FILINGS: readonly Filing[] = APPLE_YEARS.flatMap((year) =>
  (year === APPLE_YEARS.at(-1) ? [1, 2, 3] : [1, 2, 3, 4]).map((quarter) => {
    const next = addMonths(`${year - 1}-10-01`, 3 * quarter);
    return { year, quarter, end: addDays(next, -1), filed: addDays(next, 30) };
  }),
);

/** A fact as companyfacts lists it. */
export interface PlayedFact {
  readonly start?: string;
  readonly end: string;
  readonly val: number;
  readonly accn: string;
  readonly fy: number;
  readonly fp: string;
  readonly form: string;
  readonly filed: string;
}

const factOf = (
  { year, quarter, end, filed }: Filing,
  value: number,
  quarters: number | null,
): PlayedFact => ({
  ...(quarters !== null && { start: addMonths(addDays(end, 1), -3 * quarters) }),
  end,
  val: value,
  accn: `0000320193-${filed.slice(2, 4)}-00000${quarter}`,
  fy: year,
  fp: quarter === 4 ? "FY" : `Q${quarter}`,
  form: quarter === 4 ? "10-K" : "10-Q",
  filed,
});

/** A flow in every filing: of its quarter alone, except in annual reports, and of the year to date. */
const incomeFacts = (value: (filing: Filing, quarters: number) => number) =>
  FILINGS.flatMap((filing) =>
    [...new Set(filing.quarter === 4 ? [4] : [1, filing.quarter])].map((quarters) =>
      factOf(filing, value(filing, quarters), quarters),
    ),
  );

/** A balance in every filing. */
const balanceFacts = (value: number) => FILINGS.map((filing) => factOf(filing, value, null));

/** The facts of a tag. */
const tag = (unit: string, facts: PlayedFact[]) => ({
  label: "Invented",
  description: "Invented figures.",
  units: { [unit]: facts },
});

/** The SEC's companyfacts of a company: facts by taxonomy, tag and unit. */
export interface SecFacts {
  readonly cik: number;
  readonly entityName: string;
  readonly facts: Record<string, Record<string, { units: Record<string, PlayedFact[]> }>>;
}

/** The SEC's companyfacts of Apple. */
export const secFacts = lazy((): SecFacts => {
  const tags = (figures: Figures, factsOf: (figure: number) => PlayedFact[]) =>
    Object.entries(figures).map(([name, figure]) => [name, tag("USD", factsOf(figure))] as const);
  return {
    cik: 320_193,
    entityName: "Apple Inc.",
    facts: {
      dei: {
        EntityCommonStockSharesOutstanding: tag("shares", balanceFacts(APPLE_SHARES)),
      },
      "us-gaap": {
        ...Object.fromEntries([
          ...tags(APPLE_INCOME, (figure) =>
            incomeFacts(({ year }, quarters) => figure * growthOf(year) * quarters),
          ),
          ...tags(APPLE_CASH_FLOW, (figure) =>
            FILINGS.map((filing) =>
              factOf(filing, figure * growthOf(filing.year) * filing.quarter, filing.quarter),
            ),
          ),
          ...tags(APPLE_BALANCE, balanceFacts),
        ]),
        EarningsPerShareDiluted: tag(
          "USD/shares",
          incomeFacts(({ year }, quarters) =>
            Number((APPLE_EPS * growthOf(year) * quarters).toFixed(2)),
          ),
        ),
        WeightedAverageNumberOfDilutedSharesOutstanding: tag(
          "shares",
          incomeFacts(() => APPLE_SHARES),
        ),
      },
    },
  };
});

/** The shares of an invented US company, and the quotient of its price and its earnings a share. */
const FAKE_SHARES = 10_000_000;
const FAKE_PE = 20;

/** The facts of an invented US company: every quarter it earns an 80th of its price. */
export function factsOf({ cik, name, price }: UsCompany): SecFacts {
  const eps = price / FAKE_PE / 4;
  const income = eps * FAKE_SHARES;
  const flow = (value: number, unit = "USD") =>
    tag(
      unit,
      incomeFacts((_, quarters) => value * quarters),
    );
  const balance = (value: number) => tag("USD", balanceFacts(value));
  return {
    cik,
    entityName: name,
    facts: {
      "us-gaap": {
        Revenues: flow(5 * income),
        GrossProfit: flow(2.5 * income),
        NetIncomeLoss: flow(income),
        EarningsPerShareDiluted: flow(eps, "USD/shares"),
        Assets: balance(40 * income),
        StockholdersEquity: balance((price * FAKE_SHARES) / 2.5),
      },
    },
  };
}

/** A company at Yahoo: all its quarters are alike. Amounts in its currency. */
interface YahooCompany {
  readonly currency: string;
  readonly quarter: Figures;
  readonly balance: Figures;
  readonly quarterEnds: readonly string[];
  readonly yearEnds: readonly string[];
}

/** Statements of a quarter with this revenue, in the proportions of no real company. */
const company = (
  currency: string,
  revenue: number,
  shares: number,
  ends: Pick<YahooCompany, "quarterEnds" | "yearEnds">,
): YahooCompany => ({
  ...ends,
  currency,
  quarter: {
    TotalRevenue: revenue,
    CostOfRevenue: 0.6 * revenue,
    GrossProfit: 0.4 * revenue,
    OperatingIncome: 0.35 * revenue,
    EBITDA: 0.38 * revenue,
    PretaxIncome: 0.36 * revenue,
    TaxProvision: 0.06 * revenue,
    NetIncomeCommonStockholders: 0.3 * revenue,
    DilutedEPS: (0.3 * revenue) / shares,
    OperatingCashFlow: 0.4 * revenue,
    InvestingCashFlow: -0.05 * revenue,
    FinancingCashFlow: -0.33 * revenue,
    CapitalExpenditure: -0.04 * revenue,
  },
  balance: {
    TotalAssets: 4 * revenue,
    CurrentAssets: 1.5 * revenue,
    CashCashEquivalentsAndShortTermInvestments: 0.6 * revenue,
    Inventory: 0.1 * revenue,
    TotalLiabilitiesNetMinorityInterest: 3 * revenue,
    CurrentLiabilities: 1.4 * revenue,
    TotalDebt: revenue,
    CommonStockEquity: revenue,
  },
});

const QUARTER_ENDS = "2025-03-31 2025-06-30 2025-09-30 2025-12-31 2026-03-31 2026-06-30".split(" ");
const yearEnds = (monthDay: string, newest: number) =>
  [3, 2, 1, 0].map((ago) => `${newest - ago}-${monthDay}`);

const YAHOO_COMPANIES: Readonly<Record<string, YahooCompany>> = {
  AAPL: company("USD", 100e9, APPLE_SHARES, {
    quarterEnds: QUARTER_ENDS,
    yearEnds: yearEnds("09-30", 2025),
  }),
  // Earnings of 75 yen a share in each quarter: 0.3 × 3.25 trillion / 13 billion.
  "7203.T": company("JPY", 3.25e12, 13e9, {
    quarterEnds: QUARTER_ENDS,
    yearEnds: yearEnds("03-31", 2026),
  }),
  "VNM.VN": company("VND", 1e12, 100e6, {
    quarterEnds: QUARTER_ENDS,
    yearEnds: yearEnds("12-31", 2025),
  }),
};

/** Yahoo's time series of a company's statements; without results for other companies. */
export function yahooFundamentals(symbol: string) {
  const found = YAHOO_COMPANIES[symbol];
  const series = (
    { currency, quarter, balance }: YahooCompany,
    prefix: string,
    periodType: string,
    ends: readonly string[],
    quarters: number,
  ) =>
    Object.entries({
      ...Object.fromEntries(Object.entries(quarter).map(([name, raw]) => [name, raw * quarters])),
      ...balance,
    }).map(([name, raw]) => ({
      meta: { symbol: [symbol], type: [prefix + name] },
      [prefix + name]: ends.map((asOfDate) => ({
        asOfDate,
        periodType,
        currencyCode: currency,
        reportedValue: { raw },
      })),
    }));
  const result = found && [
    ...series(found, "quarterly", "3M", found.quarterEnds, 1),
    ...series(found, "annual", "12M", found.yearEnds, 4),
  ];
  return { timeseries: { result: result ?? [], error: null } };
}
