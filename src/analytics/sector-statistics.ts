import { type Instrument, isCompany } from "#domain/instrument.ts";
import { type Performance, PERFORMANCE_WINDOWS } from "./performance.ts";
import {
  type Bounds,
  isWithin,
  median,
  positiveUpTo,
  quantile,
  withinPlusMinus,
} from "./quantile.ts";
import { recentSince } from "./ttm.ts";
import type { CompanyFundamentals } from "./valuation.ts";

/** The figures of a company that roll-ups use. */
export interface RollUpCompany {
  readonly instrument: Pick<
    Instrument,
    "assetType" | "primaryListing" | "sector" | "industry" | "currency"
  >;
  readonly fundamentals: Pick<
    CompanyFundamentals,
    | (typeof OF_FUNDAMENTALS)[number]
    | (typeof EARNINGS)[number]
    | "periodEnd"
    | "currency"
    | "statementCurrency"
  >;
  /** Change from the previous to the newest close, in percent. */
  readonly changePercent: number | null;
  readonly performance: Performance;
}

/** The figures that have a median in each sector. */
const MEDIAN_FIGURES = [
  "pe",
  "pb",
  "ps",
  "evToEbitda",
  "roePercent",
  "roicPercent",
  "revenueGrowthPercent",
  "epsGrowthPercent",
  "grossMarginPercent",
  "operatingMarginPercent",
  "netMarginPercent",
  "fcfMarginPercent",
] as const;
type MedianFigure = (typeof MEDIAN_FIGURES)[number];

/** Amounts of money, known only if the statements are in the share's currency. */
const EARNINGS = ["revenueTtm", "netIncomeTtm"] as const;
const AMOUNTS = ["marketCap", ...EARNINGS] as const;
const OF_FUNDAMENTALS = ["marketCap", "dividendYieldPercent", ...MEDIAN_FIGURES] as const;
const FIGURES = ["changePercent", ...OF_FUNDAMENTALS, ...EARNINGS, ...PERFORMANCE_WINDOWS] as const;

type Figure = (typeof FIGURES)[number];

/** A company that roll-ups include. */
export interface RollUpRow {
  readonly sector: string | null;
  readonly industry: string | null;
  /** ISO code of the currency of its amounts. */
  readonly currency: string;
  readonly periodEnd: string | null;
  /** In the order of `FIGURES`; NaN if unknown. */
  readonly figures: Float64Array;
}

/**
 * The row of a company, or null if roll-ups leave it out. They include primary listings of stocks and
 * REITs that have a market cap.
 */
export function rollUpRow(company: RollUpCompany): RollUpRow | null {
  const { instrument, fundamentals, performance } = company;
  const { marketCap, periodEnd } = fundamentals;
  if (!instrument.primaryListing || !isCompany(instrument.assetType)) return null;
  if (marketCap === null || marketCap <= 0) return null;
  const areEarningsKnown = fundamentals.statementCurrency === fundamentals.currency;
  const values = [
    company.changePercent,
    ...OF_FUNDAMENTALS.map((figure) => fundamentals[figure]),
    ...EARNINGS.map((figure) => (areEarningsKnown ? fundamentals[figure] : null)),
    ...PERFORMANCE_WINDOWS.map((window) => performance[window]),
  ];
  const { sector, industry, currency } = instrument;
  const figures = Float64Array.from(values, (value) => value ?? Number.NaN);
  return { sector, industry, currency, periodEnd, figures };
}

/**
 * The rows of roll-ups as one column for each figure, NaN if unknown. A roll-up reads two dozen figures
 * of thousands of companies; columns are three times as fast as objects.
 */
export interface RollUpTable {
  readonly sector: ReadonlyMap<string, RollUpClass>;
  readonly industry: ReadonlyMap<string, RollUpClass>;
  readonly currency: readonly string[];
  readonly periodEnd: readonly (string | null)[];
  readonly figures: Readonly<Record<Figure, Float64Array>>;
}

/** A sector or an industry. */
interface RollUpClass {
  /** The indexes of its companies in the table. */
  readonly rows: readonly number[];
  readonly industryCount: number;
}

/** Builds a table row by row. The order of the rows has no effect on the figures. */
export class RollUpTableBuilder {
  readonly #columns: readonly Float64Array[];
  readonly #currency: string[] = [];
  readonly #periodEnd: (string | null)[] = [];
  readonly #sector = new Map<string, RowsOfClass>();
  readonly #industry = new Map<string, RowsOfClass>();

  /** `max` is the maximum number of rows. */
  constructor(max: number) {
    this.#columns = FIGURES.map(() => new Float64Array(max));
  }

  add({ sector, industry, currency, periodEnd, figures }: RollUpRow): void {
    const row = this.#currency.length;
    // A plain loop: over a quarter of a million figures, iterators would dominate the time.
    for (let column = 0; column < this.#columns.length; column++) {
      const values = this.#columns[column];
      if (values) values[row] = figures[column] ?? Number.NaN;
    }
    this.#currency.push(currency);
    this.#periodEnd.push(periodEnd);
    addToClass(this.#sector, sector, row, industry);
    addToClass(this.#industry, industry, row, industry);
  }

  build(): RollUpTable {
    const count = this.#currency.length;
    return {
      sector: withIndustryCounts(this.#sector),
      industry: withIndustryCounts(this.#industry),
      currency: this.#currency,
      periodEnd: this.#periodEnd,
      figures: Object.fromEntries(
        FIGURES.map((figure, column) => [figure, this.#columns[column]?.subarray(0, count)]),
      ) as RollUpTable["figures"],
    };
  }
}

/** A sector or an industry while its table is built. */
interface RowsOfClass {
  readonly rows: number[];
  readonly industries: Set<string | null>;
}

function addToClass(
  classes: Map<string, RowsOfClass>,
  slug: string | null,
  row: number,
  industry: string | null,
): void {
  if (slug === null) return;
  let members = classes.get(slug);
  if (!members) classes.set(slug, (members = { rows: [], industries: new Set() }));
  members.rows.push(row);
  members.industries.add(industry);
}

function withIndustryCounts(classes: ReadonlyMap<string, RowsOfClass>): Map<string, RollUpClass> {
  return new Map(
    Array.from(classes, ([slug, { rows, industries }]) => [
      slug,
      { rows, industryCount: industries.size },
    ]),
  );
}

/**
 * The table with all amounts converted to one currency; `unitsOf` gives the units of a currency for one
 * unit of that currency. Without a rate the amounts become NaN, so that totals leave the company out.
 */
export function convertTable(
  table: RollUpTable,
  unitsOf: (currency: string) => number | null,
): RollUpTable {
  const rates = new Map<string, number>();
  for (const currency of new Set(table.currency))
    rates.set(currency, unitsOf(currency) ?? Number.NaN);
  const units = table.currency.map((currency) => rates.get(currency) ?? Number.NaN);
  const converted = AMOUNTS.map((figure) => [
    figure,
    table.figures[figure].map((amount, row) => amount / (units[row] ?? Number.NaN)),
  ]);
  return { ...table, figures: { ...table.figures, ...Object.fromEntries(converted) } };
}

/** The size, changes, yield and earnings of a sector or an industry. */
interface SectorTotals {
  /** Number of companies that roll-ups include: see `rollUpRow`. */
  readonly stockCount: number;
  /** Sum of the companies' market caps. */
  readonly marketCap: number;
  /** Cap-weighted change of the newest session: see `capWeightedPercent`. */
  readonly changePercent: number | null;
  /** Cap-weighted performance over each window: see `capWeightedPercent`. */
  readonly performance: Performance;
  /** Cap-weighted mean yield of the companies whose dividend history is known. */
  readonly dividendYieldPercent: number | null;
  /** Σ market cap / Σ net income TTM, losses included; null if Σ net income ≤ 0. */
  readonly pe: number | null;
  /** Σ net income TTM / Σ revenue TTM in percent, losses included; null if Σ revenue ≤ 0. */
  readonly profitMarginPercent: number | null;
}

/**
 * The totals and the distribution of figures of a sector or an industry, unrounded.
 *
 * Medians and quartiles include the companies whose latest fiscal period ended at most 15 months ago
 * and whose figure is within its bounds. A median is null below 5 such companies, a quartile below 8.
 */
export interface SectorStatistics extends SectorTotals {
  /** Number of distinct industries of its companies. */
  readonly industryCount: number;

  readonly peMedian: number | null;
  readonly peP25: number | null;
  readonly peP75: number | null;
  readonly pbMedian: number | null;
  readonly psMedian: number | null;
  readonly evEbitdaMedian: number | null;
  readonly roeMedian: number | null;
  readonly roicMedian: number | null;
  readonly revenueGrowthMedian: number | null;
  readonly epsGrowthMedian: number | null;
  readonly grossMarginMedian: number | null;
  readonly operatingMarginMedian: number | null;
  readonly netMarginMedian: number | null;
  readonly fcfMarginMedian: number | null;

  /** Number of companies with at least one valid figure, even if its median is null. */
  readonly sampleSize: number;
  /** True if the sample has 10 companies, 5 valid P/E and 70 % of the sector's market cap. */
  readonly reliable: boolean;
}

/** With fewer values, a median or a quartile is null. */
const MIN_FOR_MEDIAN = 5;
const MIN_FOR_QUARTILE = 8;

/** Statistics of so many companies are computed between two yields. They take half a millisecond. */
const ROWS_PER_PART = 500;

const MARGIN = withinPlusMinus(1_000);
const GROWTH = withinPlusMinus(1_000);
const UNBOUNDED = withinPlusMinus(Infinity);

/**
 * The totals of each sector, or of each industry, by slug, over tables whose amounts are all in one
 * currency. A sector without companies has no entry. It yields as `sectorStatistics` does.
 */
export function* sectorTotals(
  tables: readonly RollUpTable[],
  by: "sector" | "industry",
): Generator<void, Map<string, SectorTotals>> {
  const members = new Map<string, Members[]>();
  for (const { [by]: classes, figures } of tables) {
    for (const [slug, { rows }] of classes) {
      const counted = rows.filter((row) => (figures.marketCap[row] ?? 0) > 0);
      if (counted.length === 0) continue;
      members.set(slug, [...(members.get(slug) ?? []), { rows: counted, figures }]);
    }
    yield;
  }
  const totals = new Map<string, SectorTotals>();
  let counted = 0;
  for (const [slug, parts] of members) {
    const total = totalsOf(parts);
    totals.set(slug, total);
    counted += total.stockCount;
    if (counted < ROWS_PER_PART) continue;
    counted = 0;
    yield;
  }
  return totals;
}

/**
 * The statistics of each sector, or of each industry, by slug, on the date `asOf`. A sector without
 * companies has no entry. It yields between them, because all together take milliseconds.
 */
export function* sectorStatistics(
  table: RollUpTable,
  asOf: string,
  by: "sector" | "industry" = "sector",
): Generator<void, Map<string, SectorStatistics>> {
  const since = recentSince(asOf);
  const statistics = new Map<string, SectorStatistics>();
  let counted = 0;
  for (const [slug, one] of table[by]) {
    statistics.set(slug, statisticsOf(table, one, since));
    counted += one.rows.length;
    if (counted < ROWS_PER_PART) continue;
    counted = 0;
    yield;
  }
  return statistics;
}

/** The companies of a sector or an industry in one table. */
interface Members {
  readonly rows: readonly number[];
  readonly figures: RollUpTable["figures"];
}

function totalsOf(parts: readonly Members[]): SectorTotals {
  const [capOfReporting, netIncome] = sumBoth(parts, "marketCap", "netIncomeTtm");
  const [netIncomeOfSales, revenue] = sumBoth(parts, "netIncomeTtm", "revenueTtm");
  return {
    stockCount: parts.reduce((count, { rows }) => count + rows.length, 0),
    marketCap: parts.reduce((sum, { rows, figures }) => sum + sumOf(figures.marketCap, rows), 0),
    changePercent: capWeightedPercent(parts, "changePercent"),
    performance: Object.fromEntries(
      PERFORMANCE_WINDOWS.map((window) => [window, capWeightedPercent(parts, window)]),
    ) as Record<keyof Performance, number | null>,
    dividendYieldPercent: dividendYieldPercent(parts),
    pe: quotient(capOfReporting, netIncome),
    profitMarginPercent: quotient(100 * netIncomeOfSales, revenue),
  };
}

/** Null if the divisor is not positive. */
function quotient(value: number, by: number): number | null {
  return by > 0 ? value / by : null;
}

function statisticsOf(table: RollUpTable, sector: RollUpClass, since: string): SectorStatistics {
  const { periodEnd, figures } = table;
  const { marketCap: caps } = figures;
  const recent = sector.rows.filter((row) => (periodEnd[row] ?? "") >= since);
  const sampled = new Uint8Array(caps.length);
  /** The valid values of a figure, ascending. Adds their companies to the sample. */
  const valid = (figure: MedianFigure, bounds: Bounds) => {
    const column = figures[figure];
    const values = new Float64Array(recent.length);
    let count = 0;
    for (const row of recent) {
      const value = column[row] ?? Number.NaN;
      if (!isWithin(value, bounds)) continue;
      values[count++] = value;
      sampled[row] = 1;
    }
    return values.subarray(0, count).sort();
  };
  const medianOf = (figure: MedianFigure, bounds: Bounds) => medianFrom(valid(figure, bounds));

  const pe = valid("pe", positiveUpTo(1_000));
  const medians = {
    peMedian: medianFrom(pe),
    peP25: quartileFrom(pe, 0.25),
    peP75: quartileFrom(pe, 0.75),
    pbMedian: medianOf("pb", positiveUpTo(200)),
    psMedian: medianOf("ps", positiveUpTo(500)),
    evEbitdaMedian: medianOf("evToEbitda", positiveUpTo(Infinity)),
    roeMedian: medianOf("roePercent", UNBOUNDED),
    roicMedian: medianOf("roicPercent", UNBOUNDED),
    revenueGrowthMedian: medianOf("revenueGrowthPercent", GROWTH),
    epsGrowthMedian: medianOf("epsGrowthPercent", GROWTH),
    grossMarginMedian: medianOf("grossMarginPercent", MARGIN),
    operatingMarginMedian: medianOf("operatingMarginPercent", MARGIN),
    netMarginMedian: medianOf("netMarginPercent", MARGIN),
    fcfMarginMedian: medianOf("fcfMarginPercent", MARGIN),
  };

  const sample = recent.filter((row) => sampled[row] === 1);
  const totals = totalsOf([{ rows: sector.rows, figures }]);
  return {
    ...totals,
    industryCount: sector.industryCount,
    ...medians,
    sampleSize: sample.length,
    reliable:
      sample.length >= 10 && pe.length >= 5 && sumOf(caps, sample) / totals.marketCap >= 0.7,
  };
}

function sumOf(column: Float64Array, rows: readonly number[]): number {
  let sum = 0;
  for (const row of rows) sum += column[row] ?? 0;
  return sum;
}

/** The sums of two figures over the rows that have both. */
function sumBoth(parts: readonly Members[], one: Figure, other: Figure): [number, number] {
  let sumOfOne = 0;
  let sumOfOther = 0;
  for (const { rows, figures } of parts) {
    for (const row of rows) {
      const a = figures[one][row] ?? Number.NaN;
      const b = figures[other][row] ?? Number.NaN;
      if (Number.isNaN(a) || Number.isNaN(b)) continue;
      sumOfOne += a;
      sumOfOther += b;
    }
  }
  return [sumOfOne, sumOfOther];
}

/**
 * Σcap / Σ(cap / (1 + r)) − 1 in percent, over the companies with a known change r: their market cap
 * compared with their market cap when the window began, so that each company has its weight of that
 * time. Null if no change is known. A change of −100 % is left out, because the earlier cap cannot be
 * computed from it.
 */
function capWeightedPercent(parts: readonly Members[], change: Figure): number | null {
  let capNow = 0;
  let capAtStart = 0;
  for (const { rows, figures } of parts) {
    const changes = figures[change];
    for (const row of rows) {
      const percent = changes[row] ?? Number.NaN;
      if (!(percent > -100)) continue;
      const cap = figures.marketCap[row] ?? 0;
      capNow += cap;
      capAtStart += cap / (1 + percent / 100);
    }
  }
  return capAtStart > 0 ? 100 * (capNow / capAtStart - 1) : null;
}

/** Null if no company's dividends are known. */
function dividendYieldPercent(parts: readonly Members[]): number | null {
  let paid = 0;
  let marketCap = 0;
  for (const { rows, figures } of parts) {
    for (const row of rows) {
      const yieldPercent = figures.dividendYieldPercent[row] ?? Number.NaN;
      if (Number.isNaN(yieldPercent)) continue;
      const cap = figures.marketCap[row] ?? 0;
      paid += cap * yieldPercent;
      marketCap += cap;
    }
  }
  return marketCap > 0 ? paid / marketCap : null;
}

function medianFrom(ascending: Float64Array): number | null {
  return ascending.length < MIN_FOR_MEDIAN ? null : median(ascending);
}

function quartileFrom(ascending: Float64Array, p: number): number | null {
  return ascending.length < MIN_FOR_QUARTILE ? null : quantile(ascending, p);
}
