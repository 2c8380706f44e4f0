import {
  allocate,
  type CompanyHolding,
  hasOnlyWeights,
  portfolioRatios,
  sumOf,
} from "#analytics/portfolio.ts";
import { percent } from "#analytics/ratios.ts";
import { listOfLastYear } from "#analytics/valuation.ts";
import { dividendIncome } from "#domain/dividend.ts";
import type { EarningsDate } from "#domain/analyst-coverage.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import { invalidArgument } from "#domain/errors.ts";
import { isShare } from "#domain/instrument.ts";
import { formatLocalSector, localSectorOf } from "#domain/local-sectors.ts";
import type { Provenance } from "#domain/records.ts";
import { dateOf } from "#lib/date.ts";
import type { Cell, Table } from "#lib/table.ts";
import { round2, roundPrice } from "#panels/format.ts";
import type { Company } from "#rollups/companies.ts";
import type { MarketStore } from "#store/index.ts";
import { costOf } from "./purchases.ts";
import { positionsOf, type PricedLine, type PriceInputs, typeOf } from "./lines.ts";

/** Rounds a value for JSON: to whole units from 1,000 on, below to two decimals. */
export const roundValue = (value: number): number =>
  Math.abs(value) >= 1_000 ? Math.round(value) : (round2(value) ?? 0);

/** A line with its figures at the newest price. */
export interface Item extends PricedLine {
  readonly value: number;
  /** Dividends of the last 12 months; null if they are unknown. */
  readonly income: number | null;
  /** These dividends / price, both in the share's own currency, in percent; null if they are unknown. */
  readonly yieldPercent: number | null;
  /** What the shares cost; null if that is not known. */
  readonly cost: number | null;
  readonly company: Company | null;
  readonly paid: (DividendHistory & Provenance) | null;
  /** The next report; null if it is unknown. */
  readonly report: (EarningsDate & Provenance) | null;
  /** The next ex-date; null if it is unknown. */
  readonly exDate: string | null;
}

/** A portfolio at the newest prices. */
export interface Today {
  readonly items: readonly Item[];
  /** The sum of the values. */
  readonly whole: number;
  /** False for weights alone: their values are percent. */
  readonly isKnown: boolean;
}

/** Reads what the lines are worth and pay. @throws BourseError `invalid_argument` if they are worth nothing */
export function todayOf(
  market: MarketStore,
  lines: readonly PricedLine[],
  companies: ReadonlyMap<string, Company>,
  inputs: PriceInputs,
): Today {
  const positions = positionsOf(lines, inputs, inputs.session);
  const values = allocate(
    positions,
    lines.map(({ price }) => price),
  );
  const whole = sumOf(values);
  if (!(whole > 0)) refuseWorthless(whole, inputs.session);
  const today = dateOf(inputs.now);
  const items = lines.map((line, i): Item => {
    const { key, instrument } = line;
    const value = values[i] ?? Number.NaN;
    const paid = dividendsOf(market, line);
    const report =
      instrument && market.documents.find("earningsDates", instrument.country, instrument.symbol);
    return {
      ...line,
      value,
      paid,
      ...incomeOfLine({ ...line, value }, paid, inputs),
      cost:
        line.purchases &&
        instrument &&
        costOf(market, instrument, line.purchases, { ...inputs, today }),
      company: companies.get(key) ?? null,
      report: report && report.date >= today ? report : null,
      exDate: paid?.dividends.find(({ exDate }) => exDate >= today)?.exDate ?? null,
    };
  });
  return { items, whole, isKnown: !hasOnlyWeights(positions) };
}

/** The dividends of a share; null if they are unknown, or for another type. */
function dividendsOf(market: MarketStore, { instrument }: PricedLine) {
  if (!instrument || !isShare(instrument.assetType) || market.showsUnknownSplit(instrument))
    return null;
  return market.documents.find("dividends", instrument.country, instrument.symbol);
}

/** The income has the rates of the ex-dates. The yield needs no rate, so it is the same in each currency. */
function incomeOfLine(
  { instrument, newest, currency: own, value, price }: PricedLine & { readonly value: number },
  paid: DividendHistory | null,
  { rates, currency, now }: PriceInputs,
): Pick<Item, "income" | "yieldPercent"> {
  const type = instrument?.assetType;
  const isUnknown = !paid && type !== undefined && (type === "index" || isShare(type));
  if (isUnknown) return { income: null, yieldPercent: null };
  if (!paid || !newest) return { income: 0, yieldPercent: 0 };
  const dividends = listOfLastYear(paid.dividends, dateOf(now));
  const received = dividends.map((dividend) => {
    const rate = own === currency ? 1 : rates.findOn(own, currency, dividend.exDate);
    return rate === null ? null : (dividendIncome(dividend) * rate * value) / price;
  });
  return {
    income: sumOfKnown(received),
    yieldPercent: percent(sumOf(dividends.map(dividendIncome)), newest.close),
  };
}

/** The sum; null if a value is. */
function sumOfKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length < values.length ? null : sumOf(known);
}

/**
 * @param value null if it is known only to be zero or below
 * @throws BourseError `invalid_argument`
 */
export function refuseWorthless(value: number | null, session: string): never {
  throw invalidArgument(
    `On ${session} the holdings are worth ${value === null ? "zero or less" : roundValue(value)}: weights and returns need a value above zero. Add the cash that short sales brought in, such as USD=10000.`,
    { param: "holdings" },
  );
}

/** The columns of a holding that are of today. */
export function todayRow(item: Item, { whole, isKnown }: Today) {
  const { instrument, price, value, income, yieldPercent, company, report, exDate } = item;
  const { pe = null, pb = null } = company?.fundamentals ?? {};
  return {
    shares: isKnown && instrument ? roundPrice(value / price) : null,
    value: isKnown ? roundValue(value) : null,
    weight: round2(percent(value, whole)),
    income: isKnown && income !== null ? roundValue(income) : null,
    yield: round2(yieldPercent),
    ...gainRow(item),
    pe: round2(pe),
    pb: round2(pb),
    next_earnings: report?.date ?? null,
    next_ex_date: exDate,
  };
}

const gainRow = ({ cost, value }: Item) => gainOf(cost, cost === null ? null : value - cost);

/** The cost and the gain, in money and in percent of what was paid or, for short sales, received. */
function gainOf(cost: number | null, gain: number | null) {
  return {
    cost: cost === null ? null : roundValue(cost),
    gain: gain === null ? null : roundValue(gain),
    gain_percent: round2(percent(gain, cost === null ? null : Math.abs(cost))),
  };
}

/** The cost and the gain of the holdings whose cost is known; null if no cost is. */
export function gainOfAll({ items }: Today) {
  const known = items.flatMap(({ cost, value }) =>
    cost === null ? [] : [{ size: Math.abs(cost), gain: value - cost }],
  );
  if (known.length === 0) return null;
  return {
    ...gainOf(sumOf(known.map(({ size }) => size)), sumOf(known.map(({ gain }) => gain))),
    without_cost: items.flatMap(({ instrument, cost, key }) =>
      instrument && cost === null ? key : [],
    ),
  };
}

/** Sums of weights by the classes of the holdings, largest first. */
export function groupsOf({ items, whole }: Today) {
  const by = (classOf: (item: Item) => string) => {
    const sums = new Map<string, number>();
    for (const item of items) {
      const name = classOf(item);
      sums.set(name, (sums.get(name) ?? 0) + item.value);
    }
    const entries = [...sums].sort(([, a], [, b]) => b - a);
    return Object.fromEntries(entries.map(([name, sum]) => [name, round2(percent(sum, whole))]));
  };
  // A company without a known class is "unknown"; another type has none.
  const classed = (item: Item, slug: string | null | undefined) =>
    slug ?? (item.company ? "unknown" : typeOf(item));
  return {
    countries: by(({ instrument }) => instrument?.country ?? "cash"),
    sectors: by((item) => classed(item, item.instrument?.sector)),
    industries: by((item) => classed(item, item.instrument?.industry)),
    local_sectors: by((item) => classed(item, localClass(item))),
    currencies: by(({ currency }) => currency),
  };
}

/** The class of a company in its market. Companies of the US have none, so they are one class. */
function localClass({ instrument, company }: Item): string | null {
  if (instrument === null) return null;
  const local = localSectorOf(instrument);
  if (local !== null) return formatLocalSector(local);
  return company !== null && instrument.country === "US" ? "US" : null;
}

/** The dividends of the last 12 months, and the yields of the holdings weighted by their values. */
export function incomeOf({ items, whole, isKnown }: Today) {
  const sum = sumOfKnown(items.map(({ income }) => income));
  const weighted = items.map(({ value, yieldPercent }) => yieldPercent && value * yieldPercent);
  const yields = sumOfKnown(weighted);
  return {
    last_12_months: sum !== null && isKnown ? roundValue(sum) : null,
    yield: round2(yields && yields / whole),
  };
}

/** Says why the income is null. */
export function incomeNotes(items: readonly Item[]): string[] {
  const without = items.filter(({ income }) => income === null);
  const keysOf = (some: readonly Item[]) => some.map(({ key }) => key).join(", ");
  const unknown = keysOf(without.filter(({ yieldPercent }) => yieldPercent === null));
  const unconverted = keysOf(without.filter(({ yieldPercent }) => yieldPercent !== null));
  return [
    ...(unknown === "" ? [] : [`Income is null: dividends of ${unknown} are unknown.`]),
    ...(unconverted === ""
      ? []
      : [`Income is null: a dividend of ${unconverted} is older than the exchange rates.`]),
  ];
}

/** The ratios of the companies. */
export function ratiosOf({ items, whole }: Today) {
  const found = portfolioRatios(
    items.flatMap(({ value, company }) => (company ? { value, ...companyFigures(company) } : [])),
  );
  return {
    pe: round2(found.pe),
    pb: round2(found.pb),
    gross_margin: round2(found.grossMarginPercent),
    operating_margin: round2(found.operatingMarginPercent),
    net_margin: round2(found.netMarginPercent),
    coverage: round2(percent(found.coveredValue, whole)),
  };
}

function companyFigures({ fundamentals }: Company): Omit<CompanyHolding, "value"> {
  const { marketCap, netIncomeTtm, statementCurrency, currency } = fundamentals;
  const income = statementCurrency === currency ? netIncomeTtm : null;
  return {
    pe: fundamentals.pe,
    earningsYield: income !== null && marketCap !== null ? income / marketCap : null,
    pb: fundamentals.pb,
    ps: fundamentals.ps,
    grossMarginPercent: fundamentals.grossMarginPercent,
    operatingMarginPercent: fundamentals.operatingMarginPercent,
    netMarginPercent: fundamentals.netMarginPercent,
  };
}

/** The next reports and ex-dates, soonest first, and the companies whose report dates are not known. */
export function nextEvents(
  items: readonly Item[],
): Table & { readonly withoutDate: readonly string[] } {
  const rows = items.flatMap(({ key, report, exDate }): Cell[][] => [
    ...(report === null ? [] : [[report.date, key, "earnings"]]),
    ...(exDate === null ? [] : [[exDate, key, "ex_dividend"]]),
  ]);
  return {
    columns: ["date", "symbol", "event"],
    rows: rows.sort(([a], [b]) => String(a).localeCompare(String(b))),
    withoutDate: items.flatMap(({ key, company, report }) => (company && !report ? key : [])),
  };
}
