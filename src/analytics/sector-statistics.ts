import { type Instrument, isCompany } from "#domain/instrument.ts";
import type { Performance } from "./performance.ts";
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

/** A company with the figures that a roll-up reads. */
export interface RollUpCompany {
  readonly instrument: Pick<Instrument, "assetType" | "primaryListing" | "sector" | "industry">;
  /** All market caps of one roll-up are in one currency. */
  readonly fundamentals: Pick<
    CompanyFundamentals,
    "marketCap" | "periodEnd" | "dividendYieldPercent" | MedianFigure
  >;
  /** Newest close against the previous one, in percent. */
  readonly changePercent: number | null;
  readonly performance: Performance;
}

/** The figures of which a sector has a median. */
type MedianFigure =
  | "pe"
  | "pb"
  | "ps"
  | "evToEbitda"
  | "roePercent"
  | "roicPercent"
  | "revenueGrowthPercent"
  | "epsGrowthPercent"
  | "grossMarginPercent"
  | "operatingMarginPercent"
  | "netMarginPercent"
  | "fcfMarginPercent";

/**
 * A sector or an industry as one row.
 *
 * Medians and quartiles are over the companies whose latest fiscal period ended at most 15 months
 * ago and whose figure is within the bounds against bad data; a median is null below 5 such
 * companies, a quartile below 8. Nothing is rounded.
 */
export interface SectorStatistics {
  /** Companies of the universe, as `sectorStatistics` draws it. */
  readonly stockCount: number;
  /** Distinct industries among them. */
  readonly industryCount: number;
  /** Sum of their market caps. */
  readonly marketCap: number;
  /** Cap-weighted change of the newest session: see `capWeightedPercent`. */
  readonly changePercent: number | null;
  /** Cap-weighted performance of each window: see `capWeightedPercent`. */
  readonly performance: Performance;
  /** Dividends of all companies whose history is known over their market cap. */
  readonly dividendYieldPercent: number | null;

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

  /** Companies with at least one valid figure, be they enough for its median or not. */
  readonly sampleSize: number;
  /** True with a sample of 10, 5 valid P/E and 70 % of the market cap in the sample. */
  readonly reliable: boolean;
}

/** Fewer values than these are no sample of a sector. */
const MIN_FOR_MEDIAN = 5;
const MIN_FOR_QUARTILE = 8;

const MARGIN = withinPlusMinus(1_000);
const GROWTH = withinPlusMinus(1_000);
const UNBOUNDED = withinPlusMinus(Infinity);

/**
 * The statistics of each sector, or of each industry, by slug; one without companies has no entry.
 * The order of the companies is of no effect.
 *
 * Only the universe counts: primary listings of stocks and real-estate trusts (the taxonomy knows
 * both as companies) that have a class and a market cap. Ages are judged on the date `asOf`.
 */
export function sectorStatistics(
  companies: readonly RollUpCompany[],
  asOf: string,
  by: "sector" | "industry" = "sector",
): Map<string, SectorStatistics> {
  const members = new Map<string, RollUpCompany[]>();
  for (const company of companies) {
    const slug = company.instrument[by];
    if (slug === null || !isInUniverse(company)) continue;
    const group = members.get(slug);
    if (group === undefined) members.set(slug, [company]);
    else group.push(company);
  }
  const since = recentSince(asOf);
  return new Map(Array.from(members, ([slug, group]) => [slug, statisticsOf(group, since)]));
}

/**
 * Σcap / Σ(cap / (1 + r)) − 1 in percent: what the companies that have a change r are worth against
 * what they were worth when its window began, so that each weighs what it weighed then. Null where
 * none has one; a change of −100 % tells nothing of the cap before it and is left out.
 */
export function capWeightedPercent(
  companies: readonly RollUpCompany[],
  percentOf: (company: RollUpCompany) => number | null,
): number | null {
  let worth = 0;
  let worthAtStart = 0;
  for (const company of companies) {
    const percent = percentOf(company);
    if (percent === null || percent <= -100) continue;
    worth += capOf(company);
    worthAtStart += capOf(company) / (1 + percent / 100);
  }
  return worthAtStart > 0 ? 100 * (worth / worthAtStart - 1) : null;
}

function isInUniverse({ instrument, fundamentals }: RollUpCompany): boolean {
  return (
    instrument.primaryListing &&
    isCompany(instrument.assetType) &&
    fundamentals.marketCap !== null &&
    fundamentals.marketCap > 0
  );
}

function capOf({ fundamentals }: RollUpCompany): number {
  return fundamentals.marketCap ?? 0;
}

function sumOfCaps(companies: readonly RollUpCompany[]): number {
  return companies.reduce((sum, company) => sum + capOf(company), 0);
}

function statisticsOf(companies: readonly RollUpCompany[], since: string): SectorStatistics {
  const recent = companies.filter(
    ({ fundamentals: { periodEnd } }) => periodEnd !== null && periodEnd >= since,
  );
  const sampled = new Uint8Array(recent.length);
  /** The valid values of a figure, ascending; their companies enter the sample. */
  const valid = (figure: MedianFigure, bounds: Bounds) => {
    const values = new Float64Array(recent.length);
    let count = 0;
    recent.forEach(({ fundamentals }, i) => {
      const value = fundamentals[figure];
      if (!isWithin(value, bounds)) return;
      values[count++] = value;
      sampled[i] = 1;
    });
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

  const sample = recent.filter((_, i) => sampled[i] === 1);
  const marketCap = sumOfCaps(companies);
  const changeOver = (window: keyof Performance) =>
    capWeightedPercent(companies, ({ performance }) => performance[window]);
  return {
    stockCount: companies.length,
    industryCount: new Set(companies.map(({ instrument }) => instrument.industry)).size,
    marketCap,
    changePercent: capWeightedPercent(companies, (company) => company.changePercent),
    performance: {
      oneWeek: changeOver("oneWeek"),
      oneMonth: changeOver("oneMonth"),
      threeMonths: changeOver("threeMonths"),
      sixMonths: changeOver("sixMonths"),
      yearToDate: changeOver("yearToDate"),
      oneYear: changeOver("oneYear"),
      fiveYears: changeOver("fiveYears"),
      tenYears: changeOver("tenYears"),
    },
    dividendYieldPercent: dividendYieldPercent(companies),
    ...medians,
    sampleSize: sample.length,
    reliable: sample.length >= 10 && pe.length >= 5 && sumOfCaps(sample) / marketCap >= 0.7,
  };
}

function medianFrom(ascending: Float64Array): number | null {
  return ascending.length < MIN_FOR_MEDIAN ? null : median(ascending);
}

function quartileFrom(ascending: Float64Array, p: number): number | null {
  return ascending.length < MIN_FOR_QUARTILE ? null : quantile(ascending, p);
}

function dividendYieldPercent(companies: readonly RollUpCompany[]): number | null {
  let paid = 0;
  let marketCap = 0;
  for (const company of companies) {
    const yieldPercent = company.fundamentals.dividendYieldPercent;
    if (yieldPercent === null) continue;
    paid += capOf(company) * yieldPercent;
    marketCap += capOf(company);
  }
  return marketCap > 0 ? paid / marketCap : null;
}
