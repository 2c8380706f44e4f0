import { courseOf, type PortfolioCourse, sessionsOfAny } from "#analytics/portfolio.ts";
import { changePercent } from "#analytics/performance.ts";
import {
  beta,
  type Closes,
  commonSessions,
  correlations,
  maxDrawdown,
  NO_CLOSES,
  sessionsPerYear,
  volatilityPercent,
} from "#analytics/price-statistics.ts";
import { percent } from "#analytics/ratios.ts";
import { COUNTRIES, type Country } from "#domain/country.ts";
import { notFound } from "#domain/errors.ts";
import { isCompany } from "#domain/instrument.ts";
import type { Provenance } from "#domain/records.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { Cell } from "#lib/table.ts";
import { dateOf } from "#lib/date.ts";
import { round2, roundPrice } from "#panels/format.ts";
import { type Company, getCompany } from "#rollups/companies.ts";
import { convertPrices, CurrencyRates } from "#rollups/currency-rates.ts";
import { pricesOf } from "#rollups/prices.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { ratesOf } from "#operations/conversion.ts";
import {
  type Line,
  newestSession,
  noteOf,
  periodOf,
  positionsOf,
  priceCash,
  type PricedLine,
  type PriceInputs,
  priceLine,
  readLines,
  readPrices,
  typeOf,
} from "./lines.ts";
import { courseTable } from "./course-table.ts";
import { whyOfPortfolio } from "./reasons.ts";
import { incomeByMonth } from "./income-months.ts";
import {
  gainOfAll,
  groupsOf,
  incomeNotes,
  incomeOf,
  type Item,
  nextEvents,
  ratiosOf,
  refuseWorthless,
  roundValue,
  todayOf,
  todayRow,
} from "./today.ts";
import type { PriceRange } from "#operations/reading/price-range.ts";
import { formatKey, resolveSymbols } from "#operations/reading/symbols.ts";

/** The columns of a holding. */
export const HOLDING_COLUMNS = [
  "symbol",
  "name",
  "type",
  "country",
  "sector",
  "industry",
  "currency",
  "shares",
  "price",
  "price_session",
  "value",
  "weight",
  "cost",
  "gain",
  "gain_percent",
  "start_value",
  "start_weight",
  "end_value",
  "end_weight",
  "return",
  "contribution",
  "total_return",
  "total_contribution",
  "risk_share",
  "income",
  "yield",
  "pe",
  "pb",
  "begins",
  "next_earnings",
  "next_ex_date",
] as const;
/** One of `HOLDING_COLUMNS`. */
export type HoldingColumn = (typeof HOLDING_COLUMNS)[number];

/** The figures of a holding, rounded. */
export type Holding = Readonly<Record<HoldingColumn, Cell>>;

/** The arguments of an analysis. */
interface Asked {
  readonly holdings: string;
  readonly currency?: string;
  readonly range?: PriceRange;
  readonly from?: string;
  readonly to?: string;
  readonly benchmark?: string;
  readonly rebalance?: "none" | "monthly";
}

/** The figures of a portfolio, rounded. */
export type Portfolio = Awaited<ReturnType<typeof analyze>>;

/**
 * Analyzes a portfolio at `now` (UTC milliseconds).
 *
 * @throws BourseError for holdings that are unknown, have no price or no value
 */
export async function analyze(market: MarketStore, asked: Asked, now: number) {
  const { lines, currency, notes } = readLines(market, asked.holdings, {
    currency: asked.currency,
    today: dateOf(now),
  });
  const prices = readPrices(market, lines);
  const period = periodOf(prices.values(), asked);
  const session = newestSession(prices.values());
  const inputs: PriceInputs = { period, session, rates: new CurrencyRates(market), currency, now };
  const { priced, companies, dates } = await priceAll(market, lines, prices, inputs);
  const today = todayOf(market, priced, companies, inputs);
  const { items, whole, isKnown } = today;
  const course = getCourse(priced, dates, inputs, asked.rebalance === "monthly");
  const [first = "", last = ""] = [dates[0], dates.at(-1)];
  const hasStart = first <= period.start;
  const benchmark = benchmarkOf(market, items, dates, asked.benchmark, inputs);
  return {
    currency,
    value: isKnown ? roundValue(whole) : null,
    session,
    holdings: items.map((item, i) => ({
      ...describe(item),
      ...todayRow(item, today),
      ...courseRow(item, course, isKnown, i, hasStart ? first : null),
    })),
    groups: groupsOf(today),
    performance: {
      from_session: first,
      to_session: last,
      return: hasStart ? round2(course.returnPercent) : null,
      total_return: hasStart ? round2(course.totalReturnPercent) : null,
      start_value: hasStart && isKnown ? roundValue(course.value[0] ?? 0) : null,
      end_value: hasStart && isKnown ? roundValue(course.value.at(-1) ?? 0) : null,
    },
    risk: riskOf(course, dates, priced, benchmark),
    course: courseTable(dates, course.value, benchmark?.closes ?? null, isKnown),
    income: incomeOf(today),
    income_by_month: incomeByMonth(today, inputs),
    ratios: ratiosOf(today),
    why: whyOfPortfolio({ market, today, hasStart, isPositive: course.isPositive }),
    gain: gainOfAll(today),
    next: nextEvents(items),
    rates: ratesOf(inputs.rates),
    notes: [
      ...notes,
      ...priced.flatMap((line) => noteOf(line, first, last) ?? []),
      ...(hasStart ? [] : [`Returns are null: no price is known at ${period.start}.`]),
      ...(course.isPositive ? [] : ["Risk is null: the value falls to zero or below."]),
      ...priced.flatMap(({ reason }) => reason ?? []),
      ...incomeNotes(items),
    ],
    from: [
      ...items.flatMap(({ from, company, paid, report }) => [
        ...from,
        ...(company?.from ?? []),
        ...[paid, report].filter((one) => one !== null),
      ]),
      ...inputs.rates.from,
      ...(benchmark?.from ?? []),
    ] satisfies Provenance[],
  };
}

/** Lines that are read in one turn of the event loop: ten years of one take some 2 ms. */
const LINES_PER_TURN = 2;

/** Reads the prices of all lines and the figures of the companies, in several turns of the event loop. */
async function priceAll(
  market: MarketStore,
  lines: readonly Line[],
  prices: ReturnType<typeof readPrices>,
  inputs: PriceInputs,
) {
  const shares = new Map<Line, PricedLine>();
  const companies = new Map<string, Company>();
  for (const line of lines) {
    const { instrument } = line;
    const found = prices.get(line);
    if (!instrument || !found) continue;
    if (shares.size > 0 && shares.size % LINES_PER_TURN === 0) await nextTurn();
    shares.set(line, priceLine(market, { ...line, instrument }, found, inputs));
    if (isCompany(instrument.assetType))
      companies.set(line.key, getCompany(market, instrument, inputs.now));
  }
  if (shares.size > LINES_PER_TURN) await nextTurn();
  const all = sessionsOfAny([...shares.values()].map(({ closes }) => closes));
  // From the last session at or before the start.
  const dates = all.slice(
    Math.max(
      0,
      all.findLastIndex((date) => date <= inputs.period.start),
    ),
  );
  const priced = lines.map((line) => shares.get(line) ?? priceCash(line, dates, inputs));
  const empty = priced.find(({ closes }) => closes.dates.length === 0);
  if (empty)
    throw notFound(
      `${empty.key} has no price in ${inputs.currency} in this period. Leave it out, or choose another period.`,
      { param: "holdings" },
    );
  return { priced, companies, dates };
}

function getCourse(
  lines: readonly PricedLine[],
  dates: readonly string[],
  inputs: PriceInputs,
  isMonthly: boolean,
): PortfolioCourse {
  const start = dates[0] ?? inputs.period.end;
  const positions = positionsOf(lines, inputs, start);
  const all = lines.flatMap(({ closes, totals }, i) => {
    const position = positions[i];
    return position ? { closes, totals, position } : [];
  });
  return courseOf(dates, all, isMonthly) ?? refuseWorthless(null, start);
}

/** @param first the first session; null if no price is known at the start */
function courseRow(
  { closes, totals }: Item,
  { holdings, value }: PortfolioCourse,
  isKnown: boolean,
  i: number,
  first: string | null,
) {
  const course = first === null ? undefined : holdings[i];
  const { start = null, end = null } = course ?? {};
  return {
    start_value: isKnown && start !== null ? roundValue(start) : null,
    start_weight: round2(percent(start, value[0] ?? null)),
    end_value: isKnown && end !== null ? roundValue(end) : null,
    end_weight: round2(percent(end, value.at(-1) ?? null)),
    return: round2(periodReturn(closes, first)),
    contribution: round2(course?.contributionPercent ?? null),
    total_return: round2(periodReturn(totals, first)),
    total_contribution: round2(course?.totalContributionPercent ?? null),
    risk_share: round2(holdings[i]?.riskSharePercent ?? null),
  };
}

/** The return of closes of the whole period, in percent; null if they begin later. */
function periodReturn(closes: Closes | null, first: string | null): number | null {
  const begins = closes?.dates[0];
  if (!closes || first === null || begins === undefined || begins > first) return null;
  return changePercent(closes.close.at(-1) ?? null, closes.close[0] ?? null);
}

function describe(line: PricedLine) {
  const { instrument, newest, closes } = line;
  return {
    symbol: line.key,
    name: instrument?.name ?? null,
    type: typeOf(line),
    country: instrument?.country ?? null,
    sector: instrument?.sector ?? null,
    industry: instrument?.industry ?? null,
    currency: line.currency,
    price: roundPrice(line.price),
    price_session: newest?.date ?? null,
    begins: closes.dates[0] ?? null,
  };
}

/** The benchmark that is asked for, or the index of the country with the largest weight; null if it is not stored. */
function findBenchmark(
  market: MarketStore,
  items: readonly Item[],
  asked: string | undefined,
): StoredInstrument | null {
  if (asked !== undefined) {
    const { found, unknown } = resolveSymbols(market, asked);
    if (found[0]) return found[0];
    throw notFound(`The benchmark ${asked} was not found.`, {
      param: "benchmark",
      hint: `${unknown[0]?.reason} Indices are US:^GSPC, JP:^N225 and VN:VNINDEX.`,
    });
  }
  const sums = new Map<Country, number>();
  for (const { instrument, value } of items)
    if (instrument) sums.set(instrument.country, (sums.get(instrument.country) ?? 0) + value);
  const [largest] = [...sums].sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
  const country = largest?.[0] ?? "US";
  return market.instruments.find({ country, symbol: COUNTRIES[country].indexSymbol });
}

function benchmarkOf(
  market: MarketStore,
  items: readonly Item[],
  dates: readonly string[],
  asked: string | undefined,
  { rates, currency }: PriceInputs,
) {
  const index = findBenchmark(market, items, asked);
  if (!index) return null;
  const quote = market.documents.find("quotes", index.country, index.symbol);
  const prices = convertPrices(pricesOf(market, index, quote), index, rates, currency);
  const [first = "", last = ""] = [dates[0], dates.at(-1)];
  const close = (date: string) => prices.findClose(date)?.close ?? null;
  return {
    key: formatKey(index),
    closes: prices.list(first, last),
    returnPercent: changePercent(close(last), close(first)),
    from: prices.from,
  };
}

function riskOf(
  { value, isPositive }: PortfolioCourse,
  dates: readonly string[],
  lines: readonly PricedLine[],
  benchmark: ReturnType<typeof benchmarkOf>,
) {
  const own: Closes = isPositive ? { dates, close: value } : NO_CLOSES;
  const isDaily = lines.some(({ instrument }) => instrument?.assetType === "cryptocurrency");
  const fall = maxDrawdown(own);
  const { closes: common } = commonSessions([own, benchmark?.closes ?? NO_CLOSES]);
  const [mine, its] = common;
  return {
    volatility: round2(
      volatilityPercent(own.close, sessionsPerYear(isDaily ? "cryptocurrency" : "stock")),
    ),
    max_drawdown: round2(fall?.percent ?? null),
    peak_session: fall?.peakSession ?? null,
    trough_session: fall?.troughSession ?? null,
    recovered_session: fall?.recoveredSession ?? null,
    benchmark: benchmark?.key ?? null,
    benchmark_return: round2(benchmark?.returnPercent ?? null),
    beta: round2(mine && its ? beta(mine, its) : null),
    correlation: round2(correlations(common)[0]?.[1] ?? null),
  };
}
