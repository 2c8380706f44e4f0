import {
  type BarEvidence,
  type BarFault,
  checkBars,
  type CheckedBars,
} from "#analytics/bar-check.ts";
import {
  checkDividends,
  convertDividends,
  type DividendFault,
  repairDividends,
  wholeYearsAfter,
} from "#analytics/dividend-check.ts";
import { HOLIDAYS_SINCE } from "#analytics/exchange-holidays.ts";
import { threshold } from "#analytics/plausibility.ts";
import { type Checked, checkQuote } from "#analytics/quote-check.ts";
import { checkRates } from "#analytics/rate-check.ts";
import { sessionsBetween } from "#analytics/sessions.ts";
import { splitFault } from "#analytics/split-check.ts";
import { checkStatement } from "#analytics/statement-check.ts";
import { findContradictions } from "#analytics/statement-contradictions.ts";
import type { ItemFault, Witnesses } from "#analytics/statement-units.ts";
import { checkYields } from "#analytics/yield-check.ts";
import type { Country } from "#domain/country.ts";
import { currenciesOf, currencyIn, referenceRateId } from "#domain/currency.ts";
import type { BarHistory, BarSeries, DailyBar } from "#domain/daily-bar.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import { type Instrument, type InstrumentKey, isShare } from "#domain/instrument.ts";
import type { RecentCloses } from "#domain/recent-closes.ts";
import { IMPORT, type RecordKind, type RecordOf } from "#domain/records.ts";
import type { Split, SplitHistory } from "#domain/split.ts";
import type { Statement } from "#domain/statement.ts";
import { addDays, daysBetween, isWeekend } from "#lib/date.ts";
import { SAMPLE } from "#sample/stamp.ts";
import type { MarketStore } from "#store/index.ts";
import type { CheckedBatch } from "./batch.ts";
import { rateOnDay } from "./day-rate.ts";

/** Bars before new ones that show what is usual. */
const BARS_BEFORE = 60;
/** A split among the bars that are read may be missing in all stored bars, so all are read: 60 bars are 90 days. */
const SPLIT_DAYS = 365;
/** Years of stored statements with which a new one is compared. */
const YEARS_OF_PEERS = 3;

/**
 * The batch without what is not plausible beside the stored records and the rest of the batch. Figures, bars and
 * records are left out and counted; bars in the shares before a known split are divided. The rules are in
 * `#analytics`, their thresholds in `THRESHOLDS`. `dividends` are those in an answer with bars, which are stored after
 * the bars.
 *
 * It runs where the batch was fetched, before its change is written, so that all nodes of a cluster store the same.
 */
export function leaveOutImplausible<K extends RecordKind>(
  market: MarketStore,
  batch: CheckedBatch<K>,
  source: string,
  dividends?: DividendHistory,
): CheckedBatch<K> {
  const check = CHECKS[batch.kind] as Check<K> | undefined;
  if (!check) return batch;
  const faults: string[] = [];
  const records: RecordOf<K>[] = [];
  const context: Context<K> = { market, source, records: batch.records, dividends };
  for (const record of batch.records) {
    const checked = check(record, context);
    if (checked.record !== null) records.push(checked.record);
    for (const fault of checked.faults) faults.push(`${nameOf(record)}: ${fault}`);
  }
  if (faults.length === 0) return { ...batch, records };
  return {
    ...batch,
    records,
    leftOut: batch.leftOut + faults.length,
    reason: batch.reason ?? `Implausible: ${faults[0]}.`,
  };
}

interface Context<K extends RecordKind> {
  readonly market: MarketStore;
  readonly source: string;
  readonly records: readonly RecordOf<K>[];
  readonly dividends: DividendHistory | undefined;
}

type Check<K extends RecordKind> = (
  record: RecordOf<K>,
  context: Context<K>,
) => Checked<RecordOf<K>>;

const CHECKS: { readonly [K in RecordKind]?: Check<K> } = {
  bars: checkHistory,
  recentCloses: checkCloses,
  quotes: (record, { market }) =>
    checkQuote(record, {
      instrument: market.instruments.find(record),
      stored: market.documents.find("quotes", record.country, record.symbol),
      splits: splitsOf(market, record),
      findStatedShares: () => findStatedShares(market, record),
    }),
  dividends: checkOneDividendHistory,
  splits: checkSplits,
  macroSeries: checkYields,
  statements: checkOneStatement,
  statementVintages: (record, { records }) => {
    if (record.items === null) return { record, faults: [] };
    const peers = records.flatMap(({ items, ...one }) =>
      items !== null && one.symbol === record.symbol ? [{ ...one, items }] : [],
    );
    const { statement } = checkStatement({ ...record, items: record.items }, peers);
    return { record: { ...record, items: statement.items }, faults: [] };
  },
};

/** A history with an impossible split is unknown: without that split, it would say that there was none. */
function checkSplits(record: SplitHistory): Checked<SplitHistory> {
  const faults = record.splits.flatMap((split) => {
    const fault = splitFault(split);
    return fault === null ? [] : `${split.exDate}, ${fault}`;
  });
  return { record: faults.length === 0 ? record : null, faults };
}

function nameOf(record: object): string {
  if ("symbol" in record) return String(record.symbol);
  return "name" in record ? String(record.name) : "a record";
}

function splitsOf(
  market: MarketStore,
  { country, symbol }: InstrumentKey,
): readonly Split[] | null {
  return market.documents.find("splits", country, symbol)?.splits ?? null;
}

/** The number of shares in the newest statement that has one; null if none has. */
function findStatedShares(market: MarketStore, key: InstrumentKey): number | null {
  const counts = market.statements
    .listLatest(key, 1)
    .map(({ items }) => items.sharesOutstanding ?? items.sharesDiluted);
  return counts.findLast((count) => count !== null) ?? null;
}

/** The evidence on an instrument's prices. `fetched` are the dividends in the same answer. */
function evidenceOf(
  market: MarketStore,
  instrument: Instrument,
  fetched?: DividendHistory,
): BarEvidence {
  const { country, symbol } = instrument;
  const dividends = fetched
    ? inOwnCurrency(market, fetched).record
    : market.documents.find("dividends", country, symbol);
  return {
    instrument,
    splits: splitsOf(market, instrument),
    dividends: dividends?.dividends ?? [],
    quote: market.documents.find("quotes", country, symbol),
  };
}

/**
 * Checks bars that an operator imports, with further splits that the operator or the file names. With `keepsOthers`, the
 * stored bars before them are compared too. A fault is a question to the operator.
 */
export function checkImport(
  market: MarketStore,
  instrument: Instrument,
  bars: readonly DailyBar[],
  { splits, keepsOthers }: { splits: readonly Split[]; keepsOthers: boolean },
): { bars: DailyBar[]; faults: readonly BarFault[]; isDivided: boolean } {
  const [first] = bars;
  if (!first) return { bars: [], faults: [], isDivided: false };
  const evidence = evidenceOf(market, instrument);
  const id = keepsOthers ? market.instruments.find(instrument)?.id : undefined;
  const isKnown = ({ exDate }: Split) => evidence.splits?.some((one) => one.exDate === exDate);
  const all = [...(evidence.splits ?? []), ...splits.filter((split) => !isKnown(split))];
  const before =
    id === undefined ? [] : barsOf(market.bars.series(id, BARS_BEFORE, { before: first.date }));
  const checked = checkBars(before, bars, {
    ...evidence,
    splits: evidence.splits === null && splits.length === 0 ? null : all,
  });
  const kept = checked.bars.filter(({ date }) => date >= first.date);
  const isDivided = hasOtherCloses(kept, bars);
  return { bars: kept, faults: checked.faults, isDivided };
}

/** True if a bar has another close than the bar of its date among those that were given. */
function hasOtherCloses(kept: readonly DailyBar[], given: readonly DailyBar[]): boolean {
  if (kept.every((bar, i) => bar === given[i])) return false;
  const closes = new Map(given.map(({ date, close }) => [date, close]));
  return kept.some(({ date, close }) => closes.get(date) !== close);
}

/** Exchanges that are open on holidays of the country of their indices. */
const WITHOUT_HOLIDAYS: ReadonlySet<string | null> = new Set(["Cboe", "ICE"]);

/**
 * Creates a function that finds the dates of imported bars on holidays of the exchange, by the computed holidays and the
 * stored decrees. It returns none if they are so few in a long history that a tool made them up.
 */
export function createHolidayFinder(
  market: MarketStore,
): (instrument: Instrument, bars: readonly DailyBar[]) => readonly string[] {
  const known = new Map<Country, { readonly until: string; readonly sessions: Set<string> }>();
  const sessionsUntil = (country: Country, until: string): Set<string> => {
    const found = known.get(country);
    if (found && found.until >= until) return found.sessions;
    const overrides = market.documents.list("holidayOverrides", country);
    const dates = sessionsBetween(country, HOLIDAYS_SINCE[country], until, overrides);
    const sessions = new Set(dates);
    known.set(country, { until, sessions });
    return sessions;
  };
  return ({ country, assetType, exchange }, bars) => {
    const hasHolidays =
      isShare(assetType) || (assetType === "index" && !WITHOUT_HOLIDAYS.has(exchange));
    const since = HOLIDAYS_SINCE[country];
    const last = bars.at(-1)?.date ?? "";
    if (!hasHolidays || last < since) return [];
    const sessions = sessionsUntil(country, last);
    const dates: string[] = [];
    for (const { date } of bars)
      if (date >= since && !sessions.has(date) && !isWeekend(date)) dates.push(date);
    return dates.length > threshold("holidayBars") * bars.length ? dates : [];
  };
}

/** Brings dividends into the currency of the instrument; see `convertDividends`. */
export function inOwnCurrency(market: MarketStore, record: DividendHistory) {
  const currency = market.instruments.find(record)?.currency ?? "unknown";
  const rateOn = (code: string, date: string) => {
    const [from, units] = currencyIn(code);
    const rate = rateOnDay(market, from, currency, date);
    return rate && rate / units;
  };
  return convertDividends(record, { currency, rateOn });
}

/**
 * Checks dividends that an operator imports, in the currency of the instrument. Returns their faults, and the dividends
 * after the division of those in the shares before a known split.
 */
export function checkImportedDividends(
  market: MarketStore,
  record: DividendHistory,
): { adjusted: DividendHistory; faults: readonly DividendFault[] } {
  const splits = splitsOf(market, record) ?? [];
  return {
    adjusted: repairDividends(record, splits),
    faults: checkDividends(record, splits, closesBefore(market, record)).faults,
  };
}

/** Finds the last close before a date, in the shares of a dividend history; null if it is unknown or generated. */
function closesBefore(
  market: MarketStore,
  record: DividendHistory,
): (date: string) => number | null {
  const id = market.instruments.find(record)?.id;
  const source = id === undefined ? undefined : market.bars.findProvenance(id)?.source;
  // Amounts may be in the shares of a split that the bars do not have yet.
  if (id === undefined || source === SAMPLE || record.sharesAsOf !== undefined) return () => null;
  return (date) => market.bars.findAtOrBefore(id, addDays(date, -1))?.close ?? null;
}

/**
 * The faults of each statement that an operator imports, in their order, beside the other imported ones and the stored
 * ones of other periods. Generated statements prove nothing.
 */
export function checkImportedStatements(
  market: MarketStore,
  statements: readonly Statement[],
): (readonly Pick<ItemFault, "reason">[])[] {
  const companyOf = ({ country, symbol }: Statement) => `${country} ${symbol}`;
  const companies = Map.groupBy(statements, companyOf);
  for (const peers of companies.values()) {
    const isImported = new Set(peers.map(periodOf));
    // An imported period replaces an earlier import of it under another label.
    const ends = new Set(peers.map(endOf));
    const [company] = peers;
    if (!company) continue;
    for (const stored of market.statements.list(company)) {
      const isReplaced =
        isImported.has(periodOf(stored)) || (stored.source === IMPORT && ends.has(endOf(stored)));
      if (stored.source !== SAMPLE && !isReplaced) peers.push(stored);
    }
  }
  return statements.map((one) => {
    const peers = companies.get(companyOf(one)) ?? [];
    const contradictions = findContradictions(one, peers).map((reason) => ({ reason }));
    return [...checkStatement(one, peers).faults, ...contradictions];
  });
}

const endOf = ({ span, periodEnd }: Statement) => `${span} ${periodEnd}`;
const periodOf = ({ span, fiscalYear, fiscalQuarter }: Statement) =>
  `${span} ${fiscalYear} ${fiscalQuarter}`;

function barsOf({ dates, open, high, low, close, volume }: BarSeries): DailyBar[] {
  return dates.map((date, i) => {
    const at = (column: Float64Array) => column[i] ?? Number.NaN;
    const traded = at(volume);
    return {
      date,
      open: at(open),
      high: at(high),
      low: at(low),
      close: at(close),
      volume: Number.isNaN(traded) ? null : traded,
    };
  });
}

function checkHistory(
  fetched: BarHistory,
  { market, source, dividends }: Context<"bars">,
): Checked<BarHistory> {
  const instrument = market.instruments.find(fetched);
  if (!instrument) return { record: fetched, faults: [] };
  const compared = checkRates(fetched.bars, referenceRates(market, instrument));
  const record = { ...fetched, bars: compared.bars };
  const [first] = record.bars;
  if (!first)
    return { record: fetched.bars.length === 0 ? fetched : null, faults: describe(compared) };
  const { id } = instrument;
  const evidence = evidenceOf(market, instrument, dividends);
  const isOwn = market.bars.findProvenance(id)?.source === source;
  const [newest] = isOwn ? market.bars.listNewest(id, 1) : [];
  const continues = newest !== undefined && first.date > newest.date;
  const mayDivide = evidence.splits?.some(
    ({ exDate }) => newest && exDate > addDays(newest.date, -SPLIT_DAYS),
  );
  const read = mayDivide ? Number.MAX_SAFE_INTEGER : BARS_BEFORE;
  const history = continues ? market.bars.listNewest(id, read).reverse() : [];
  const checked = checkBars(history, record.bars, evidence);
  const faults = describe({ faults: [...compared.faults, ...checked.faults] });
  if (continues) {
    const bars = checked.changesHistory ? checked.bars : checked.bars.slice(history.length);
    return { record: { ...record, bars: [...bars] }, faults };
  }
  const stored = () => market.bars.listNewest(id, Number.MAX_SAFE_INTEGER);
  const bars =
    isOwn && faults.length > 0
      ? withStored(checked.bars, record.bars, stored(), evidence)
      : checked.bars;
  // The bars before these are wrong in the answer, so the stored ones are wrong too.
  const isWhole = newest !== undefined && bars[0] !== undefined && bars[0].date > newest.date;
  return { record: { ...record, ...(isWhole && { isWhole }), bars: [...bars] }, faults };
}

/** The plausible bars of a whole history with the stored bars of the dates that were left out, if those fit. */
function withStored(
  bars: readonly DailyBar[],
  all: readonly DailyBar[],
  stored: readonly DailyBar[],
  evidence: BarEvidence,
): readonly DailyBar[] {
  const kept = new Set(bars.map(({ date }) => date));
  const missing = new Set(all.flatMap(({ date }) => (kept.has(date) ? [] : date)));
  const filled = [...bars, ...stored.filter(({ date }) => missing.has(date))];
  const sorted = filled.sort((a, b) => (a.date < b.date ? -1 : 1));
  return checkBars([], sorted, evidence).faults.length === 0 ? sorted : bars;
}

/** The rates of a central bank by day for a currency pair; empty without them. */
function referenceRates(
  market: MarketStore,
  { country, symbol, assetType }: Instrument,
): ReadonlyMap<string, number> {
  const currencies = assetType === "currency" ? currenciesOf(symbol) : null;
  const series =
    currencies && market.documents.find("macroSeries", country, referenceRateId(...currencies));
  if (!series) return new Map();
  return new Map(series.observations.map(({ period, value }) => [period, value]));
}

function describe({ faults }: Pick<CheckedBars, "faults">): string[] {
  return faults.map(({ date, bars, reason }) =>
    bars === 1 ? `${date}, ${reason}` : `${date}, ${reason} (${bars} bars)`,
  );
}

function checkCloses(
  record: RecentCloses,
  { market }: Context<"recentCloses">,
): Checked<RecentCloses> {
  const instrument = market.instruments.find(record);
  if (!instrument) return { record, faults: [] };
  const series = record.closes.map((close, i) => {
    const date = addDays(record.from, record.days[i] ?? 0);
    return { date, open: close, high: close, low: close, close, volume: null };
  });
  const checked = checkBars([], series, evidenceOf(market, instrument));
  const faults = describe(checked);
  const from = checked.bars[0]?.date;
  if (from === undefined) return { record: null, faults };
  const days = checked.bars.map(({ date }) => daysBetween(from, date));
  const closes = checked.bars.map(({ close }) => close);
  return { record: { ...record, from, days, closes }, faults };
}

function checkOneStatement(
  record: Statement,
  { market, records }: Context<"statements">,
): Checked<Statement> {
  const peers = [
    ...market.statements.listLatest(record, YEARS_OF_PEERS),
    ...records.filter(({ symbol }) => symbol === record.symbol),
  ];
  const { statement, faults } = checkStatement(record, peers, witnessesOf(market, record));
  return {
    record: statement,
    faults: faults.map(({ reason }) => `${record.periodEnd}, ${reason}`),
  };
}

function checkOneDividendHistory(
  record: DividendHistory,
  { market }: Context<"dividends">,
): Checked<DividendHistory> {
  const { record: converted, faults } = inOwnCurrency(market, record);
  const unknown = faults.at(-1);
  const known = unknown ? wholeYearsAfter(converted, unknown.exDate) : converted;
  const reasons = faults.map(({ reason }) => reason);
  if (known === null) return { record: null, faults: reasons };
  const splits = splitsOf(market, record) ?? [];
  const checked = checkDividends(known, splits, closesBefore(market, record));
  // An empty history would say that the share never paid.
  const isEmpty = checked.faults.length > 0 && checked.record.dividends.length === 0;
  return {
    record: isEmpty ? null : checked.record,
    faults: [...reasons, ...checked.faults.map(({ reason }) => reason)],
  };
}

/** The number of shares of another source, and the price, if it is in the currency of the statement. */
function witnessesOf(market: MarketStore, statement: Statement): Witnesses {
  const { country, symbol, currency } = statement;
  const instrument = market.instruments.find(statement);
  const quote = market.documents.find("quotes", country, symbol);
  return {
    sharesOutstanding: instrument?.sharesOutstanding ?? null,
    price: instrument?.currency === currency ? (quote?.price ?? null) : null,
  };
}
