import { assumedFiling } from "#analytics/filing-day.ts";
import { type Static, Type } from "@sinclair/typebox";
import { priceDateOf } from "#domain/country.ts";
import { DateText, Nullable } from "#domain/schema.ts";
import { type Statement, type StatementItem, NO_ITEMS } from "#domain/statement.ts";
import { addMonths, dateOf } from "#lib/date.ts";
import { mapRecord } from "#lib/map-record.ts";
import { answerReader } from "#sources/check-answer.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { checkSymbol, Figure, figureOf, resultsOf } from "./answer.ts";
import { createFindPeriod } from "./fiscal-period.ts";
import { YAHOO, YAHOO_API } from "./source.ts";
import { companyOf, yahooSymbol } from "./symbol.ts";

/** Yahoo's names of each item, the best first. Further ones are for companies without the first, or for parts. */
const ITEM_TYPES: Readonly<Record<StatementItem, readonly string[]>> = {
  revenue: ["TotalRevenue", "OperatingRevenue"],
  costOfRevenue: ["CostOfRevenue"],
  grossProfit: ["GrossProfit"],
  researchAndDevelopment: ["ResearchAndDevelopment"],
  sellingGeneralAdministrative: ["SellingGeneralAndAdministration"],
  operatingIncome: ["TotalOperatingIncomeAsReported", "OperatingIncome"],
  depreciationAndAmortization: [
    "DepreciationAmortizationDepletion",
    "DepreciationAndAmortization",
    "ReconciledDepreciation",
  ],
  ebitda: ["EBITDA"],
  interestExpense: ["InterestExpense", "InterestExpenseNonOperating"],
  ordinaryIncome: [],
  pretaxIncome: ["PretaxIncome"],
  incomeTax: ["TaxProvision"],
  netIncome: ["NetIncomeCommonStockholders", "NetIncome"],
  // A company without anything to dilute reports the basic figures only.
  epsDiluted: ["DilutedEPS", "BasicEPS"],
  sharesDiluted: ["DilutedAverageShares", "BasicAverageShares"],

  sharesOutstanding: ["OrdinarySharesNumber"],
  totalAssets: ["TotalAssets"],
  currentAssets: ["CurrentAssets"],
  cash: ["CashCashEquivalentsAndShortTermInvestments", "CashAndCashEquivalents"],
  receivables: ["AccountsReceivable", "Receivables"],
  inventory: ["Inventory"],
  goodwill: ["Goodwill"],
  totalLiabilities: ["TotalLiabilitiesNetMinorityInterest"],
  currentLiabilities: ["CurrentLiabilities"],
  payables: ["AccountsPayable", "Payables"],
  totalDebt: ["TotalDebt"],
  leaseLiabilities: ["CapitalLeaseObligations"],
  commonEquity: ["CommonStockEquity"],
  preferredEquity: ["PreferredStockEquity"],
  minorityInterest: ["MinorityInterest"],

  operatingCashFlow: ["OperatingCashFlow"],
  investingCashFlow: ["InvestingCashFlow"],
  financingCashFlow: ["FinancingCashFlow"],
  capitalExpenditure: ["CapitalExpenditure"],
  stockCompensation: ["StockBasedCompensation"],
  dividendsPaid: ["CashDividendsPaid", "CommonStockDividendPaid"],
  shareRepurchases: ["CommonStockPayments", "RepurchaseOfCapitalStock"],
};

/** Yahoo writes outflows as negative. */
const OUTFLOWS: ReadonlySet<StatementItem> = new Set([
  "capitalExpenditure",
  "dividendsPaid",
  "shareRepurchases",
]);

const ITEMS = Object.keys(ITEM_TYPES) as StatementItem[];

const SPANS = [
  { span: "quarter", prefix: "quarterly", periodType: "3M" },
  { span: "year", prefix: "annual", periodType: "12M" },
] as const;

/** Parts of capital expenditure. */
const FIXED_ASSETS = "PurchaseOfPPE";
const INVESTMENT_PROPERTIES = "PurchaseOfInvestmentProperties";

const TYPES: ReadonlySet<string> = new Set(
  SPANS.flatMap(({ prefix }) =>
    [...Object.values(ITEM_TYPES).flat(), FIXED_ASSETS, INVESTMENT_PROPERTIES].map(
      (type) => prefix + type,
    ),
  ),
);

/** Days from the end of a period to its publication, because the publication date is unknown. */

const readSeries = answerReader(
  YAHOO,
  Type.Object({
    meta: Type.Object({
      symbol: Type.Array(Type.String()),
      type: Type.Array(Type.String(), { minItems: 1 }),
    }),
  }),
);

const Points = Type.Array(
  Nullable(
    Type.Object({
      asOfDate: DateText,
      periodType: Type.String(),
      currencyCode: Type.String({ pattern: "^[A-Z]{3}$" }),
      reportedValue: Type.Object({ raw: Figure }),
    }),
  ),
);
const readPoints = answerReader(YAHOO, Points);
type Point = NonNullable<Static<typeof Points>[number]>;

/**
 * The last five or so quarters and four years. Figures are in the currency in which the company
 * reports. Yahoo does not say when they were published: `filedOn` is assumed. Without an annual statement, as after a
 * listing, quarters are numbered by the calendar year.
 */
export const yahooStatements = defineFetcher({
  kind: "statements",
  source: YAHOO,
  countries: ["US", "JP", "VN"],
  scope: "instrument",
  async fetch(query, client) {
    const symbol = encodeURIComponent(yahooSymbol(companyOf(query)));
    const from = Date.parse(addMonths(dateOf(query.now), -120)) / 1000;
    const to = Math.floor(query.now / 1000);
    const answer = await client.request(
      `${YAHOO_API}/ws/fundamentals-timeseries/v1/finance/timeseries/${symbol}?type=${[...TYPES].join("%2C")}&period1=${from}&period2=${to}`,
      { accept: [404] },
    );
    return answer.json();
  },
  transform(answer: unknown, query) {
    const { country, symbol } = companyOf(query);
    const series = seriesByType(answer, yahooSymbol(companyOf(query)));
    const ends = (prefix: string, periodType: string) => [
      ...new Set(
        ITEMS.flatMap((item) => ITEM_TYPES[item])
          .flatMap((type) => [...(series.get(prefix + type)?.values() ?? [])])
          .filter((point) => point.periodType === periodType)
          .map((point) => point.asOfDate),
      ),
    ];
    const findPeriod = createFindPeriod(ends("annual", "12M"));
    const today = dateOf(query.now);
    const names = namesIn(series);
    // A series that Yahoo does not send has no value in any period.
    const noInventory = SPANS.every(({ prefix }) => !series.get(`${prefix}Inventory`)?.size);

    const statements: Statement[] = [];
    for (const { span, prefix, periodType } of SPANS) {
      for (const periodEnd of ends(prefix, periodType)) {
        const period = findPeriod(span, periodEnd);
        if (period === null || periodEnd > today) continue;
        const figures = figuresAt((type) => {
          const point = series.get(prefix + type)?.get(periodEnd);
          return point?.periodType === periodType ? point : undefined;
        }, names);
        if (figures === null) continue;
        statements.push({
          country,
          symbol,
          ...period,
          periodEnd,
          ...assumedFiling({ country, periodEnd, ...period }, today),
          // Yahoo restates earlier periods after a split.
          sharesAsOf: priceDateOf(country, query.now),
          currency: figures.currency,
          items:
            noInventory && figures.items.currentAssets !== null
              ? { ...figures.items, inventory: 0 }
              : figures.items,
        });
      }
    }
    if (statements.length === 0) throw YAHOO.error("nothing", "it has no statement of the company");
    return statements.sort((a, b) => a.periodEnd.localeCompare(b.periodEnd));
  },
});

/** The reported values of each type, by the end of the period; of two, the last. */
function seriesByType(
  answer: unknown,
  symbol: string,
): ReadonlyMap<string, ReadonlyMap<string, Point>> {
  const series = new Map<string, ReadonlyMap<string, Point>>();
  for (const result of resultsOf(answer, "timeseries")) {
    const { meta } = readSeries(result);
    checkSymbol(meta.symbol[0], symbol);
    const type = meta.type[0] ?? "";
    const points = (result as Record<string, unknown>)[type];
    if (points === undefined || !TYPES.has(type)) continue;
    const known = readPoints(points).filter((point) => point !== null);
    series.set(type, new Map(known.map((point) => [point.asOfDate, point])));
  }
  return series;
}

/**
 * The names of each item at a company: without those whose figures differ from a better name's in any period. Such a
 * name is for a part, as cash is beside short-term investments.
 */
function namesIn(series: ReadonlyMap<string, ReadonlyMap<string, Point>>): typeof ITEM_TYPES {
  const differ = (better: string, name: string) =>
    SPANS.some(({ prefix }) =>
      [...(series.get(prefix + better)?.values() ?? [])].some((point) => {
        const a = figureOf(point.reportedValue.raw);
        const b = figureOf(series.get(prefix + name)?.get(point.asOfDate)?.reportedValue.raw);
        return a !== null && b !== null && Math.abs(a - b) > SAME_FIGURE * Math.abs(a);
      }),
    );
  return mapRecord(ITEM_TYPES, (types) =>
    types.filter((name, i) => !types.slice(0, i).some((better) => differ(better, name))),
  );
}

/** Figures of two names that differ by less are one figure: options dilute EPS by as much. */
const SAME_FIGURE = 0.05;

/**
 * The items of one period with the currency of the first item known. An item in another
 * currency is left out. Null if neither a result nor a balance is known.
 */
function figuresAt(
  pointOf: (type: string) => Point | undefined,
  names: typeof ITEM_TYPES,
): Pick<Statement, "currency" | "items"> | null {
  let currency: string | null = null;
  const items = { ...NO_ITEMS };
  const valueOf = (type: string): number | null => {
    const point = pointOf(type);
    const value = figureOf(point?.reportedValue.raw);
    if (point === undefined || value === null) return null;
    currency ??= point.currencyCode;
    return point.currencyCode === currency ? value : null;
  };
  for (const item of ITEMS) {
    for (const type of names[item]) {
      const value = item === "capitalExpenditure" ? spentOnAssets(valueOf) : valueOf(type);
      if (value === null) continue;
      items[item] = OUTFLOWS.has(item) ? 0 - value : value;
      break;
    }
  }
  const isKnown = [items.revenue, items.netIncome, items.totalAssets].some((v) => v !== null);
  return currency !== null && isKnown ? { currency, items } : null;
}

/**
 * Capital expenditure, with purchases of investment property if Yahoo's total has other fixed
 * assets alone, or if there is no total.
 */
function spentOnAssets(valueOf: (type: string) => number | null): number | null {
  const total = valueOf("CapitalExpenditure");
  const fixedAssets = valueOf(FIXED_ASSETS);
  const properties = valueOf(INVESTMENT_PROPERTIES);
  if (total !== null && total !== fixedAssets) return total;
  return fixedAssets === null ? properties : fixedAssets + (properties ?? 0);
}
