import type { DailyBar } from "#domain/daily-bar.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import { invalidArgument } from "#domain/errors.ts";
import type { Instrument } from "#domain/instrument.ts";
import { formatPlace, type Place } from "#domain/records.ts";
import type { Split } from "#domain/split.ts";
import type { Statement } from "#domain/statement.ts";
import type { LeftOut } from "#imports/reading.ts";
import {
  checkImport,
  checkImportedDividends,
  checkImportedStatements,
  type createHolidayFinder,
  inOwnCurrency,
} from "#ingest/plausibility.ts";
import { currencyOfText } from "#imports/units.ts";
import { formatCount } from "#lib/table.ts";
import { KNOWN_CLOSES, priceAdjustment } from "#sources/price-adjustment.ts";
import type { MarketStore } from "#store/index.ts";
import type { ImportOptions } from "./flags.ts";

/** A record to import, and where it was read. */
export interface ReadRecord<R> {
  readonly place: Place;
  /** With the entries of earlier imports, if they are kept. */
  readonly record: R;
  /** The places of the entries of its list that were read, by their date. */
  readonly placeOf: ReadonlyMap<string, Place>;
}

/** Records or bars after the check of their figures. */
interface Checked<R> {
  readonly records: R[];
  /** What was left out, as `--on-bad skip` says. */
  readonly skipped: readonly LeftOut[];
  /** The number of records that were divided by a split; of bars, of histories. */
  readonly divided: number;
}

/**
 * Asks about statements whose figures other figures prove wrong, unless `--on-bad skip` leaves them out.
 *
 * @throws BourseError with the question
 */
export function askAboutStatements(
  market: MarketStore,
  read: readonly ReadRecord<Statement>[],
  options: ImportOptions,
): Checked<Statement> {
  const statements = read.map(({ record }) => record);
  const faults = checkImportedStatements(market, statements);
  const skipped = read.flatMap(({ place }, i) => {
    const reasons = new Set(faults[i]?.map(({ reason }) => reason));
    return reasons.size > 0 ? { place, reason: [...reasons].join("; ") } : [];
  });
  askAboutFigures(skipped, options);
  return { records: statements.filter((_, i) => !faults[i]?.length), skipped, divided: 0 };
}

/**
 * Converts dividends into the currency of their instrument, and asks about those in another unit than their neighbours
 * or as large as the price, unless `--on-bad` keeps them or leaves them out. Dividends in the shares before a known
 * split are divided, unless they are kept. A dividend without a rate cannot be kept.
 *
 * @throws BourseError with the question
 */
export function askAboutDividends(
  market: MarketStore,
  read: readonly ReadRecord<DividendHistory>[],
  options: ImportOptions,
): Checked<DividendHistory> {
  const skipped: LeftOut[] = [];
  let divided = 0;
  const records = read.map(({ record: written, place, placeOf }) => {
    const { record, faults: unknown } = inOwnCurrency(market, withCodes(written));
    const noRate = unknown.map(({ exDate, reason }) => ({
      place: placeOf.get(exDate) ?? place,
      reason,
    }));
    ask(
      noRate,
      options,
      ": import the bars of its pair with the dollar first, such as CAD=X with the price of a dollar in CAD, or give --on-bad skip to leave such rows out",
    );
    skipped.push(...noRate);
    if (options.onBad === "keep") return record;
    const { adjusted, faults } = checkImportedDividends(market, record);
    divided += adjusted.dividends.filter((one, i) => one !== record.dividends[i]).length;
    // A stored dividend was accepted when it was stored.
    const wrong = faults.filter(({ exDate }) => placeOf.has(exDate));
    for (const { exDate, reason } of wrong) {
      const place = placeOf.get(exDate);
      if (place) skipped.push({ place, reason });
    }
    const dividends = adjusted.dividends.filter(
      ({ exDate }) => !wrong.some((fault) => fault.exDate === exDate),
    );
    return { ...adjusted, dividends };
  });
  askAboutFigures(skipped, options);
  // An empty history would say that the share never paid.
  const kept = records.filter(
    ({ dividends }, i) => dividends.length > 0 || read[i]?.record.dividends.length === 0,
  );
  return { records: kept, skipped, divided };
}

/** The dividends with a code for a currency that is written as a sign or a word, such as 円. */
function withCodes(history: DividendHistory): DividendHistory {
  const dividends = history.dividends.map((dividend) => {
    const { currency } = dividend;
    if (currency === undefined) return dividend;
    return { ...dividend, currency: currencyOfText(currency) ?? currency };
  });
  return { ...history, dividends };
}

function askAboutFigures(faults: readonly LeftOut[], options: ImportOptions): void {
  const count = faults.length - 1;
  const more = count <= 0 ? "" : ` (and ${count} other row${count === 1 ? "" : "s"})`;
  const answers =
    "give --on-bad keep if such values are right, or --on-bad skip to leave such rows out";
  ask(faults, options, `${more}: ${answers}`);
}

/** Asks about the first fault, unless `--on-bad skip` answers. */
function ask([first]: readonly LeftOut[], { onBad }: ImportOptions, rest: string): void {
  if (!first || onBad === "skip") return;
  throw invalidArgument(`${formatPlace(first.place)}: ${first.reason}${rest}`);
}

/** The place of a bar that is not known by its line: `AAPL, 2026-01-05`. */
export const placeOfDay = ({ symbol }: Instrument, date: string): Place => ({
  within: `${symbol}, ${date}`,
  number: null,
});

/**
 * Asks about bars on days on which the exchange is closed, unless `--splits none`, `--on-bad keep` or `--on-bad skip`
 * answers.
 *
 * @throws BourseError with the question, for the first of them
 */
export function askAboutHolidays(
  findHolidays: ReturnType<typeof createHolidayFinder>,
  instrument: Instrument,
  bars: readonly DailyBar[],
  options: ImportOptions,
): readonly LeftOut[] {
  if (options.onBad === "keep" || options.splits === null) return [];
  const skipped = findHolidays(instrument, bars).map((date) => ({
    place: placeOfDay(instrument, date),
    reason: `there is a bar, but ${instrument.country} exchanges were closed on that holiday`,
  }));
  const more = skipped.length > 1 ? ` (and ${formatCount(skipped.length - 1, "other day")})` : "";
  const answers =
    "check the dates (the header may name their zone, as in Date (UTC)), or give --on-bad skip to leave such bars out, or --on-bad keep if they are right";
  ask(skipped, options, `${more}: ${answers}`);
  return skipped;
}

/**
 * Asks about jumps that no known split explains, unless `--splits none`, `--on-bad keep` or `--on-bad skip`
 * answers, and about closes that are adjusted for cash dividends, unless one of the first two answers. Bars before
 * a known split that lack it are divided; `splits` are those that the file names.
 *
 * @throws BourseError with the question, for the first jump
 */
export function askAboutJumps(
  market: MarketStore,
  instrument: Instrument,
  bars: DailyBar[],
  options: ImportOptions,
  splits: readonly Split[],
): Checked<DailyBar> {
  const { onBad, append, splits: given } = options;
  if (given === null || onBad === "keep") return { records: bars, skipped: [], divided: 0 };
  refuseDividendAdjusted(market, instrument, bars);
  const evidence = { splits: [...given, ...splits], keepsOthers: append };
  const checked = checkImport(market, instrument, bars, evidence);
  const skipped = checked.faults.map((fault) => ({
    place: placeOfDay(instrument, fault.date),
    reason: fault.bars === 1 ? fault.reason : `${fault.reason} (${formatCount(fault.bars, "bar")})`,
  }));
  const answers =
    "give --splits DATE=NEW:OLD if it is a split that the bars before it lack, --splits none if all prices are right, or --on-bad skip to leave such bars out";
  ask(skipped, options, `: ${answers}`);
  return { records: checked.bars, skipped, divided: checked.isDivided ? 1 : 0 };
}

/** Refuses closes that are lower than the traded ones by cash dividends, where a traded close is known. */
function refuseDividendAdjusted(
  market: MarketStore,
  { country, symbol }: Instrument,
  bars: readonly DailyBar[],
): void {
  const splits = market.documents.find("splits", country, symbol)?.splits ?? null;
  for (const known of KNOWN_CLOSES) {
    if (known.country !== country || known.symbol !== symbol) continue;
    const close = bars.find(({ date }) => date === known.date)?.close;
    if (close === undefined || priceAdjustment(known, close, splits) !== "total") continue;
    throw invalidArgument(
      `${symbol}, ${known.date}: close ${close}, but ${known.close} was traded, so the prices are adjusted for cash dividends: import prices that are adjusted for splits only, or give --splits none if all prices are right`,
    );
  }
}
