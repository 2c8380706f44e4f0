import {
  currencyOf,
  type Metric,
  type MetricName,
  METRICS,
  type MetricUnit,
} from "#analytics/metrics.ts";
import type { PeriodRatios } from "#analytics/period-fundamentals.ts";
import { listPeriods, type PeriodFigures, periodFigures } from "#analytics/periods.ts";
import { VALUATION_METRICS, type ValuationMetric } from "#analytics/valuation-history.ts";
import { dividendIncome } from "#domain/dividend.ts";
import { isCompany } from "#domain/instrument.ts";
import { REASONS } from "#domain/reasons.ts";
import type { Provenance } from "#domain/records.ts";
import { type Adjustment, changesShares, splitRatio } from "#domain/split.ts";
import {
  BALANCES,
  PER_SHARE_ITEMS,
  QUARTERS_OF_YEAR,
  SHARE_COUNT_ITEMS,
  type Statement,
  type StatementItems,
} from "#domain/statement.ts";
import { addDays, addMonths, dateOf, daysBetween } from "#lib/date.ts";
import { lazy } from "#lib/lazy.ts";
import { formatFiscalPeriod, roundPrice } from "#panels/format.ts";
import { formatMetric, metricCell, roundMetric } from "#panels/metrics.ts";
import type { CompanyMetrics } from "#rollups/companies.ts";
import { readCompany } from "#rollups/company-inputs.ts";
import { type CompanyOnDay, getCompanyOnDay } from "#rollups/company-on-day.ts";
import { ConvertedCompanies } from "#rollups/converted-companies.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { NO_RATIOS } from "#operations/get-stock-statements.ts";
import { findAdjuster, type PriceAdjuster } from "#operations/adjusted-prices.ts";
import { whyMetric, whyPastMetric } from "#operations/metric-reasons.ts";
import {
  newestInputs,
  PAST_METRICS,
  periodReader,
  valuationReader,
} from "#operations/past-periods.ts";
import { NO_PERFORMANCE } from "#operations/reading/known-on.ts";
import { formatKey } from "#operations/reading/symbols.ts";
import type { Basis, WrittenPeriod } from "#operations/reading/written-periods.ts";
import type { FigureName, LineName } from "./figure-name.ts";
import { NEWEST_RATE, type Reading, type Readings } from "./reading.ts";

/** A fiscal year of 52 or 53 weeks ends some days before or after the end of its month. */
const NEAR_DAYS = 6;
/** A limit above the number of sessions of any history. */
const ALL_BARS = 100_000;
/** Fiscal years and quarters among which the one that a claim means is looked for. */
const MOST_PERIODS = 12;

/** The metrics with figures of earlier days or periods. */
const HAVE_PAST: ReadonlySet<MetricName> = new Set([...PAST_METRICS, ...VALUATION_METRICS]);

/** The instrument of claims. Its figures are computed once, when they are first read. */
export class ClaimedCompany {
  readonly market: MarketStore;
  readonly instrument: StoredInstrument;
  /** YYYY-MM-DD. */
  readonly today: string;
  readonly metrics: () => CompanyMetrics;
  /** What adjusts its prices; null if that cannot be known. */
  readonly adjusterOf: (adjustment: Adjustment) => PriceAdjuster | null;
  readonly #inputs;
  readonly #periods;
  readonly #valuations;
  readonly #onDate: (date: string) => CompanyOnDay;

  /** `now` is in UTC milliseconds. */
  constructor(
    market: MarketStore,
    instrument: StoredInstrument,
    now: number,
    readMetrics: (instrument: StoredInstrument) => CompanyMetrics,
  ) {
    this.market = market;
    this.instrument = instrument;
    this.today = dateOf(now);
    this.metrics = lazy(() => readMetrics(instrument));
    this.#inputs = lazy(() =>
      newestInputs(market, instrument, this.metrics().newest?.close ?? null, this.today),
    );
    this.#periods = lazy(() => {
      const { statements } = this.#inputs();
      return {
        year: listPeriods(statements, this.today, "annual"),
        quarter: listPeriods(statements, this.today, "quarterly"),
        read: remembered(periodReader(market, instrument, this.#inputs())),
      };
    });
    this.#valuations = lazy(() => {
      const records = readCompany(market, instrument, now, 1);
      return valuationReader(instrument, records, market.statements.listFiled(instrument));
    });
    this.#onDate = remembered((date) => getCompanyOnDay(market, instrument, date, this.today));
    this.adjusterOf = remembered((adjustment) => {
      const allCloses = () => market.bars.closes(instrument.id, ALL_BARS);
      const inputs = { market, instrument, allCloses, today: this.today };
      return findAdjuster(adjustment, inputs).adjuster;
    });
  }

  get from(): readonly Provenance[] {
    return this.metrics().from;
  }

  /** What a figure can mean at a time. */
  read(name: FigureName, period: WrittenPeriod, currency: string | null): Readings {
    const { metric, line } = name;
    const basis = period.basis ?? name.basis;
    const isOfStatements = line !== null || (metric !== null && HAVE_PAST.has(metric));
    const newest = metric === null ? [] : [this.#newest(metric, period, basis, currency)];
    if (metric === "dividend_per_share" && period.unit !== "newest")
      return this.#dividendsIn(period);
    if (!isOfStatements) {
      const isNow = this.#isNow(period);
      return {
        all: isNow ? newest : [],
        others: () => newest.map((one) => ({ ...one, isOpen: false })),
        ...(!isNow && {
          reason: `${metric} is known of the newest session only: leave on out.`,
        }),
      };
    }
    const { assetType } = this.instrument;
    if (!isCompany(assetType)) {
      const lead =
        assetType === "index" && metric === "pe" ? " For its P/E call get_valuation_history." : "";
      const reason = `${formatKey(this.instrument)} is of type ${assetType}, so it has no statements.${lead}`;
      // A fund has a dividend yield.
      return { all: newest.filter(({ isOpen, value }) => isOpen && value !== null), reason };
    }
    const isNewest = period.unit === "newest";
    const reported = (areOpen: boolean) => this.#reported(name, period, basis, areOpen);
    const onDay = metric === null || isNewest ? [] : this.#onDay(metric, period, basis);
    const all = [...newest, ...reported(true), ...onDay];
    return {
      all: all.filter(({ isOpen }) => isOpen),
      others: () => [...reported(false), ...all.filter(({ isOpen }) => !isOpen)],
      reason: this.#whyNone(period, basis),
    };
  }

  /** The figure as `compare_stocks` answers it. */
  #newest(
    name: MetricName,
    period: WrittenPeriod,
    basis: Basis | null,
    currency: string | null,
  ): Reading {
    const company = this.metrics();
    const metric: Metric = METRICS[name];
    const figures = new ConvertedCompanies(this.market, currency);
    const value = figures.read(metric, company);
    const { periodEnd } = company.fundamentals;
    const isReported = metric.period === "TTM" || metric.period === "MRQ";
    const start = metric.period === "TTM" ? "TTM to " : "";
    const own = currencyOf(metric, company);
    return {
      value,
      shown: metricCell(metric, roundMetric(metric, value)),
      unit: metric.unit,
      ...(metric.unit === "rating" && { words: formatMetric(metric, value, null) }),
      currency: own === null ? null : (currency ?? own),
      rateOn: null,
      on:
        isReported && periodEnd !== null ? start + periodEnd : (company.newest?.date ?? this.today),
      why: () => whyMetric(name, company, this.market),
      as: own !== null && currency !== null && own !== currency ? NEWEST_RATE : null,
      isOpen: this.#isNow(period) && (basis === null || basis === "ttm"),
    };
  }

  /** The dividends with an ex-date in a time, as a price history lists them. */
  #dividendsIn({ from, to }: WrittenPeriod): Readings {
    const { country, symbol, currency } = this.instrument;
    const paid = this.market.documents.find("dividends", country, symbol);
    if (paid === null || from > this.today || from === "")
      return { all: [], reason: REASONS.not_known };
    const found = paid.dividends.filter(({ exDate }) => exDate >= from && exDate <= to);
    const value = found.reduce((sum, one) => sum + dividendIncome(one), 0);
    const reading: Reading = {
      value,
      shown: roundPrice(value),
      unit: "price",
      currency,
      rateOn: found.at(-1)?.exDate ?? null,
      on: from === to ? from : `ex-dates ${from} to ${to}`,
      as: null,
      isOpen: true,
      ...(to > this.today && { isPart: true }),
    };
    const [first, last] = [found[0]?.exDate, found.at(-1)?.exDate];
    const isInOneCount = first && last && this.#splitsAfter(first) === this.#splitsAfter(last);
    return {
      all: [reading, ...(isInOneCount ? this.#inSharesOf(reading, "per share", last) : [])],
      reason: `The dividends of ${from} to ${to} are not all paid yet.`,
    };
  }

  /** True for a time whose figure is the newest one. */
  #isNow({ unit, from, to }: WrittenPeriod): boolean {
    const session = this.metrics().newest?.date;
    const isToday = unit === "day" && from <= this.today;
    return unit === "newest" || (isToday && session !== undefined && to >= session);
  }

  /** The figures of fiscal periods that a claim means, or of the newest others. */
  #reported(
    figure: Pick<FigureName, "metric" | "line">,
    period: WrittenPeriod,
    basis: Basis | null,
    areOpen: boolean,
  ): Reading[] {
    const { metric, line } = figure;
    const { year: years, quarter: quarters } = this.#periods();
    const isWanted = (isOpen: boolean, place: number) =>
      isOpen === areOpen && (isOpen || place < MOST_PERIODS);
    const ofYears = years.flatMap((statement, i) => {
      const isOpen =
        meansYear(statement, period, i) &&
        (basis === null || basis === "year" || isTwelveMonths(period, basis));
      return isWanted(isOpen, i)
        ? [
            ...this.#twelveMonths(metric, statement, isOpen),
            ...this.#single(line, statement, isOpen),
          ]
        : [];
    });
    const isRatio = line === null || isOfTwelveMonths(line);
    const isDated = period.unit !== "newest";
    const ofQuarters = quarters.flatMap((statement, i) => {
      const isMeant = meansQuarter(statement, period, i);
      const isQuarter = basis === "quarter" || (basis === null && (isDated || isOfDay(figure)));
      const isTtm =
        (meansTwelveMonths(statement, period) && (basis === null || basis === "ttm")) ||
        (isMeant && (basis === "ttm" || (basis === null && isRatio && isDated)));
      return [
        ...(isWanted(isMeant && isQuarter, i) && !(isRatio && metric !== null)
          ? this.#single(line, statement, areOpen)
          : []),
        ...(isWanted(isTtm, i) ? this.#twelveMonths(metric, statement, areOpen) : []),
      ];
    });
    return [...ofYears, ...ofQuarters];
  }

  /** A metric of the twelve months that end with a period. */
  #twelveMonths(name: MetricName | null, statement: Statement, isOpen: boolean): Reading[] {
    if (name === null || !PAST_METRICS.has(name)) return [];
    const metric: Metric = METRICS[name];
    const fundamentals = this.#periods().read(statement);
    const figures = {
      ...NO_PERFORMANCE,
      newest: null,
      instrument: this.instrument,
      fundamentals: { ...fundamentals, statementCurrency: statement.currency },
    };
    const value = metric.valueOf(figures);
    const isYear = statement.span === "year";
    const start = metric.period === "TTM" && !isYear ? "TTM to " : "";
    const reading: Reading = {
      value,
      shown: roundMetric(metric, value),
      unit: metric.unit,
      currency: currencyOf(metric, figures),
      rateOn: statement.periodEnd,
      on: isYear ? labelOf(statement) : `${start}${statement.periodEnd}`,
      why: () => whyPastMetric(name, figures, this.market),
      as: null,
      isOpen,
    };
    return [
      reading,
      ...this.#inSharesOf(
        reading,
        metric.unit === "reported per share"
          ? "per share"
          : name === "shares_outstanding"
            ? "count"
            : null,
        statement.periodEnd,
      ),
    ];
  }

  /** A line of one fiscal year or quarter. */
  #single(line: LineName | null, statement: Statement, isOpen: boolean): Reading[] {
    if (line === null) return [];
    const { items, currency, periodEnd } = statement;
    const unit = unitOf(line);
    const value = valueOf(line, statement, this.instrument.industry, () =>
      this.#periods().read(statement),
    );
    const reading: Reading = {
      value,
      shown: unit === "percent" || unit === "multiple" ? roundMetric({ unit }, value) : value,
      unit,
      currency: unit === "reported" || unit === "reported per share" ? currency : null,
      rateOn: periodEnd,
      on: labelOf(statement),
      as: null,
      isOpen,
    };
    const kind = (PER_SHARE_ITEMS as readonly string[]).includes(line)
      ? "per share"
      : (SHARE_COUNT_ITEMS as readonly string[]).includes(line) &&
          items[line as keyof StatementItems] !== null
        ? "count"
        : null;
    return [reading, ...this.#inSharesOf(reading, kind, periodEnd)];
  }

  /** A figure per share, or a number of shares, before the splits since the end of its period. */
  #inSharesOf(reading: Reading, kind: "per share" | "count" | null, date: string): Reading[] {
    if (kind === null || reading.value === null) return [];
    const ratio = this.#splitsAfter(date);
    if (ratio === 1) return [];
    const value = kind === "count" ? reading.value / ratio : reading.value * ratio;
    return [{ ...reading, value, shown: value, as: "before later splits" }];
  }

  /** The number of new shares for one of a day. */
  #splitsAfter(date: string): number {
    const { country, symbol } = this.instrument;
    const splits = this.market.documents.find("splits", country, symbol)?.splits ?? [];
    const ofShares = splits.filter((one) => changesShares(one, country));
    return splitRatio(ofShares, date, this.today);
  }

  /** The figures as they were known on a day, or at the end of a month. */
  #onDay(name: MetricName, { unit, to }: WrittenPeriod, basis: Basis | null): Reading[] {
    if ((unit !== "day" && unit !== "month") || (to > this.today && unit === "day")) return [];
    const { market, instrument } = this;
    const day = to > this.today ? this.today : to;
    const bar = market.bars.findAtOrBefore(instrument.id, day);
    if (bar === null || daysBetween(bar.date, day) > 2 * NEAR_DAYS) return [];
    const metric: Metric = METRICS[name];
    const isOpen = basis === null || basis === "ttm";
    const company = this.#onDate(bar.date);
    const known = metric.valueOf({ ...NO_PERFORMANCE, ...company });
    const reading = (value: number | null, as: string | null): Reading => ({
      value,
      shown: roundMetric(metric, value),
      unit: metric.unit,
      currency: currencyOf(metric, company),
      rateOn: bar.date,
      on: bar.date,
      as,
      isOpen,
      ...(unit === "month" && { isPart: true }),
    });
    const isMultiple = (VALUATION_METRICS as readonly string[]).includes(name);
    const values = isMultiple
      ? this.#valuations()({ dates: [bar.date], close: Float64Array.of(bar.close) })
      : undefined;
    const multiple = values?.[name as ValuationMetric][0];
    return [
      ...(multiple === undefined ? [] : [reading(Number.isNaN(multiple) ? null : multiple, null)]),
      ...(known === null && isMultiple ? [] : [reading(known, "as known on that day")]),
    ];
  }

  #whyNone(period: WrittenPeriod, basis: Basis | null): string {
    const { year, quarter } = this.#periods();
    const key = formatKey(this.instrument);
    if (period.sort === "calendar" && period.unit === "year")
      return `No fiscal year or quarter of ${key} ends with ${period.to}.`;
    const isQuarter = period.unit === "quarter" || basis === "quarter";
    const all = isQuarter ? quarter : year;
    const [newest, oldest] = [all[0], all.at(-1)];
    const kind = isQuarter ? "quarters" : "years";
    if (period.unit === "day" && period.from > this.today)
      return `${period.from} is in the future.`;
    return newest === undefined || oldest === undefined
      ? `No fiscal ${kind} of ${key} are stored.`
      : `Not stored: fiscal ${kind} of ${key} are ${labelOf(oldest)} to ${labelOf(newest)}.`;
  }
}

/** A function that computes the result for each argument once. */
function remembered<Key, Result>(compute: (key: Key) => Result): (key: Key) => Result {
  const results = new Map<Key, Result>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = compute(key);
    results.set(key, result);
    return result;
  };
}

/** `FY 2025, to 2025-09-30`. */
const labelOf = ({ span, fiscalYear, fiscalQuarter, periodEnd }: Statement): string =>
  `${formatFiscalPeriod(fiscalYear, span === "year" ? null : fiscalQuarter)}, to ${periodEnd}`;

type PeriodValues = StatementItems & PeriodFigures & PeriodRatios;

/** Ratios that need twelve months, also in the columns of quarters. */
const isOfTwelveMonths = (line: LineName): boolean => Object.hasOwn(NO_RATIOS, line);

function valueOf(
  line: LineName,
  { items }: Statement,
  industry: string | null,
  ratios: () => PeriodRatios,
): number | null {
  const values: Partial<PeriodValues> = { ...items, ...periodFigures(items, industry) };
  return (isOfTwelveMonths(line) ? ratios()[line as keyof PeriodRatios] : values[line]) ?? null;
}

function unitOf(line: LineName): MetricUnit {
  if (line.endsWith("Percent")) return "percent";
  if ((PER_SHARE_ITEMS as readonly string[]).includes(line)) return "reported per share";
  if ((SHARE_COUNT_ITEMS as readonly string[]).includes(line)) return "count";
  return ["evToEbit", "debtToEquity", "currentRatio", "pe"].includes(line)
    ? "multiple"
    : "reported";
}

/** True for a figure of the last day of a period. */
function isOfDay({ metric, line }: Pick<FigureName, "metric" | "line">): boolean {
  if (metric !== null) return METRICS[metric].period === "MRQ";
  return line !== null && (BALANCES as ReadonlySet<string>).has(line);
}

const isNear = (date: string, { from, to }: WrittenPeriod): boolean =>
  date >= addDays(from, -NEAR_DAYS) && date <= addDays(to, NEAR_DAYS);

/** True for twelve months that end with a day or a month. */
const isTwelveMonths = ({ unit }: WrittenPeriod, basis: Basis | null): boolean =>
  basis === "ttm" && (unit === "day" || unit === "month");

/** The calendar year in which the fiscal year of a statement begins. */
function yearBegun({ span, fiscalQuarter, periodEnd }: Statement): number {
  const missing = span === "year" ? 0 : Math.max(0, QUARTERS_OF_YEAR - fiscalQuarter);
  const end = addMonths(periodEnd, 3 * missing);
  return Number(addDays(addMonths(end, -12), 2 * NEAR_DAYS).slice(0, 4));
}

/** True if a claim's time is the fiscal year of a statement; `place` is 0 for the newest one. */
function meansYear(statement: Statement, period: WrittenPeriod, place: number): boolean {
  const { fiscalYear, periodEnd } = statement;
  const { unit, year, sort } = period;
  if (unit === "newest") return place === 0;
  if (unit === "day" || unit === "month") return isNear(periodEnd, period);
  if (unit !== "year") return false;
  if (sort === "begun") return yearBegun(statement) === year;
  return sort === "calendar" ? endsWith(periodEnd, period) : fiscalYear === year;
}

/** True if a claim's time is the fiscal quarter of a statement, or a quarter of the calendar. */
function meansQuarter(statement: Statement, period: WrittenPeriod, place: number): boolean {
  const { fiscalYear, fiscalQuarter, periodEnd } = statement;
  const { unit, year, quarter, sort } = period;
  if (unit === "newest") return place === 0;
  if (unit === "day" || unit === "month") return isNear(periodEnd, period);
  if (unit !== "quarter") return false;
  const isCalendar = period.to !== "" && endsWith(periodEnd, period);
  if (sort === "calendar") return isCalendar;
  const isFiscal =
    quarter === fiscalQuarter && year === (sort === "begun" ? yearBegun(statement) : fiscalYear);
  return isFiscal || (sort === null && isCalendar);
}

/** True if the twelve months to the end of a quarter are the calendar year of a claim, or end with its day. */
function meansTwelveMonths({ periodEnd }: Statement, period: WrittenPeriod): boolean {
  const { unit, sort } = period;
  if (unit === "day" || unit === "month") return isNear(periodEnd, period);
  return unit === "year" && (sort === null || sort === "calendar") && endsWith(periodEnd, period);
}

const endsWith = (date: string, { to }: WrittenPeriod): boolean =>
  Math.abs(daysBetween(date, to)) <= NEAR_DAYS;
