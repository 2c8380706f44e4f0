import { isDayOver } from "#analytics/sessions.ts";
import type { HolidayOverride } from "#domain/calendar-event.ts";
import { localDateOf } from "#domain/country.ts";
import type { BarHistory, BarRun, DailyBar } from "#domain/daily-bar.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import { BourseError, invalidArgument } from "#domain/errors.ts";
import type { Instrument } from "#domain/instrument.ts";
import { formatPlace, type Place, type RecordKind, type RecordOf } from "#domain/records.ts";
import type { Statement } from "#domain/statement.ts";
import { hasBarColumns } from "#imports/bar-columns.ts";
import { closedReason, dayZone } from "#imports/bars-file.ts";
import { dayAt } from "#imports/dates.ts";
import {
  IMPORT_KINDS,
  type ImportKind,
  type ImportName,
  type Values,
} from "#imports/import-kinds.ts";
import type { LeftOut, ReadSoFar, RecordFile, RecordFileOptions } from "#imports/reading.ts";
import { compareEntries, parseBarFiles, parseRecordFiles } from "#imports/records-file.ts";
import { type ImportChange, importChanges, type MarketWriter, tryImport } from "#ingest/changes.ts";
import { createHolidayFinder } from "#ingest/plausibility.ts";
import { dateOf, DAY_MS, isWeekend } from "#lib/date.ts";
import { GarbageCollection } from "#lib/garbage.ts";
import { SAMPLE } from "#sample/stamp.ts";
import { toDate, toNumber } from "#store/bar-rows.ts";
import type { DocumentKind } from "#store/documents.ts";
import type { MarketStore } from "#store/index.ts";
import type { Invocation, Result } from "#cli/command.ts";
import { withFiles } from "./files.ts";
import { type ImportOptions, readImportOptions, readShapeOptions } from "./flags.ts";
import {
  createInstrumentFinder,
  findOneInstrument,
  type KnownInstrument,
  type OneInstrument,
  readOneKey,
  refuseSample,
} from "./instruments.ts";
import {
  askAboutDividends,
  askAboutHolidays,
  askAboutJumps,
  askAboutStatements,
  placeOfDay,
  type ReadRecord,
} from "./questions.ts";
import { type HistoryReport, type ImportReport, reportAsJson, reportAsText } from "./report.ts";

/** The market of an import, and its time. */
interface ImportTarget {
  readonly market: MarketStore;
  readonly writer: MarketWriter;
  /** UTC milliseconds. */
  readonly now: number;
}

/** The parameters of an import. */
interface Context extends ImportTarget {
  readonly name: ImportName;
  readonly options: ImportOptions;
  readonly reading: RecordFileOptions;
  /** The instrument that the flags name; null if the rows name theirs. */
  readonly one: OneInstrument | null;
}

/** The counts of a report. */
type Outcome = Pick<ImportReport, "read" | "records" | "divided" | "history">;

/** Imports records of one kind: of any countries and instruments, or bars of the one that the flags name. */
export async function importRecords(
  name: ImportName,
  target: ImportTarget,
  invocation: Invocation,
): Promise<Result> {
  const { io, operands: paths, flags } = invocation;
  const { market, now } = target;
  const options = readImportOptions(flags);
  const { onBad, decimalMark, constants } = options;
  const shape = readShapeOptions(flags);
  const key = readOneKey(name, flags);
  const one = key && findOneInstrument(market, key, flags);
  const reading: RecordFileOptions = {
    today: one ? latestDate(one.instrument, now) : dateOf(now),
    onBad,
    constants,
    ...(decimalMark && { decimalMark }),
    ...(one && { history: { ...shape, ...historyOf(market, one) } }),
  };
  const context: Context = { ...target, name, options, reading, one };
  const { ignored }: ImportKind = IMPORT_KINDS[name];
  // Constants are checked in each row.
  const readsRows = name === "bars" && !one && Object.keys(constants).length === 0;
  const outcome = await withFiles(
    io,
    paths,
    (files, show) =>
      name === "bars" ? storeBars(context, files, show) : storeOthers(context, files),
    { unread: one ? [] : ignored, readsColumns: readsRows ? hasBarColumns : undefined },
  );
  const report = { kind: name, options, ...outcome };
  return { json: reportAsJson(report, paths), text: reportAsText(report) };
}

/** The date that it is at most: in the country, or in the instrument's own days, which may begin before midnight. */
function latestDate(instrument: Instrument, now: number): string {
  const local = localDateOf(instrument.country, now);
  const own = dayAt(dayZone(instrument), now);
  return local < own ? own : local;
}

/** What the market knows about an instrument whose file does not name it. */
function historyOf(
  market: MarketStore,
  { id, instrument: { country, symbol, assetType, currency } }: OneInstrument,
): NonNullable<RecordFileOptions["history"]> {
  return {
    country,
    symbol,
    assetType,
    currency,
    overrides: market.documents.list("holidayOverrides", country),
    ...(id !== null && {
      findClose: (date: string) => market.bars.findAtOrBefore(id, date)?.close ?? null,
    }),
  };
}

/** Writes an import, or with `--dry-run` only tries it; returns the number of records. */
async function write(
  { market, writer, options }: Context,
  changes: Iterable<ImportChange>,
): Promise<number> {
  return options.isDryRun ? tryImport(market, changes) : writer.writeAll(changes);
}

/** The cells of a row of bars: the country, the symbol, the date and five figures. */
const VALUES_PER_BAR = 8;

/** The id of an instrument that the market does not have yet, while its bars are staged. */
const NEW_ID = -1;

async function storeBars(
  context: Context,
  files: readonly RecordFile[],
  show: (text: string) => void,
): Promise<Outcome> {
  const { market, options, reading, now, one } = context;
  const { bars, read } = parseBarFiles(files, reading);
  const find = one
    ? () => ({ ...one.instrument, id: one.id ?? NEW_ID })
    : createInstrumentFinder(market);
  const checked = new Set<number>();
  const weekendReason = createWeekendCheck(market.documents.list("holidayOverrides", null));
  const garbage = new GarbageCollection("values");
  const leaveOut = (place: Place, reason: string) => {
    if (options.onBad !== "skip") throw invalidArgument(`${formatPlace(place)}: ${reason}`);
    read.skipped.push({ place, reason });
  };
  const stage = () =>
    market.bars.stage((add, addRun) => {
      let instrument: KnownInstrument | undefined;
      for (const { place, record, entry, run } of bars) {
        // Rows of one instrument usually follow each other.
        if (instrument?.symbol !== record.symbol || instrument.country !== record.country) {
          instrument = find(record, place);
        }
        if (options.append && !checked.has(instrument.id)) {
          refuseSample(market, instrument);
          checked.add(instrument.id);
        }
        if (run) {
          garbage.add(VALUES_PER_BAR);
          addWeekdays(instrument, run);
          continue;
        }
        garbage.add(VALUES_PER_BAR);
        const reason = entry && weekendReason(instrument, toNumber(entry.date));
        if (reason === null) add(instrument, entry, place);
        else leaveOut(place, reason);
      }
      show("Storing the bars");

      function addWeekdays(of: KnownInstrument, run: BarRun): void {
        let from = 0;
        for (let i = 0; i < run.count; i++) {
          const reason = weekendReason(of, run.dates[i] as number);
          if (reason === null) continue;
          addRun(of, run, from, i);
          leaveOut({ within: run.within, number: run.firstNumber + i }, reason);
          from = i + 1;
        }
        addRun(of, run, from, run.count);
      }
    });
  using staged = advise(stage);
  const outcome = { read, records: staged.instruments, divided: 0, history: null };
  const histories = checkedHistories(context, staged.histories(), outcome, garbage);
  const how = { at: now, keepsOthers: options.append };
  if (!one) {
    await write(context, importChanges("bars", histories, how));
    return outcome;
  }
  const [history] = histories;
  if (!history || history.bars.length === 0) refuseEmpty(one, read);
  const report = reportHistory(context, one, history);
  await write(context, [
    ...importChanges("instruments", one.id === null ? [one.instrument] : [], { at: now }),
    ...importChanges("bars", [history], how),
  ]);
  return { ...outcome, history: report };
}

/** Refuses an import with no bar left: it would empty a history. */
function refuseEmpty({ instrument: { symbol } }: OneInstrument, { skipped }: ReadSoFar): never {
  const [first] = skipped;
  const why = first ? `; ${formatPlace(first.place)}: ${first.reason}` : "";
  throw invalidArgument(`No bar of ${symbol} is left, so nothing is stored${why}`);
}

/**
 * The histories without the bars of days that are not over, of holidays, and of jumps that no split explains; see
 * `askAboutHolidays` and `askAboutJumps`. A history without any other bar is left out.
 */
function* checkedHistories(
  { market, options, one, now }: Context,
  histories: Iterable<BarHistory>,
  outcome: { readonly read: ReadSoFar; divided: number },
  garbage: GarbageCollection,
): Generator<BarHistory> {
  const { read } = outcome;
  const findHolidays = createHolidayFinder(market);
  for (const history of histories) {
    const instrument = one?.instrument ?? market.instruments.find(history);
    if (!instrument) continue;
    const { final, open } = withoutOpenDays(market, instrument, history.bars, now);
    const checked = askAboutJumps(market, instrument, final, options, read.splits);
    const onHolidays = askAboutHolidays(findHolidays, instrument, checked.records, options);
    const closed = new Set(onHolidays.map(({ place }) => place.within));
    const isKept = ({ date }: DailyBar) => !closed.has(placeOfDay(instrument, date).within);
    // Most histories have no such bar, and a text for each of a million bars takes time.
    const kept = closed.size === 0 ? checked.records : checked.records.filter(isKept);
    read.skipped.push(...open, ...checked.skipped, ...onHolidays);
    outcome.divided += checked.divided;
    if (kept.length > 0 || history.bars.length === 0) yield { ...history, bars: kept };
    garbage.add(history.bars.length * VALUES_PER_BAR);
  }
}

/** The bars of days that are over, and why the others are left out: their prices still change. */
function withoutOpenDays(
  market: MarketStore,
  instrument: Instrument,
  bars: BarHistory["bars"],
  now: number,
): { final: BarHistory["bars"]; open: LeftOut[] } {
  const yesterday = dateOf(now - DAY_MS);
  const last = bars.at(-1)?.date ?? "";
  if (last < yesterday) return { final: bars, open: [] };
  const overrides = market.documents.list("holidayOverrides", instrument.country);
  const isOpen = ({ date }: { date: string }) =>
    date >= yesterday && !isDayOver(instrument, date, now, overrides);
  const open = bars.filter(isOpen).map(({ date }) => ({
    place: placeOfDay(instrument, date),
    reason: "the day is not over, so its prices are not final; import it again later",
  }));
  return { final: open.length === 0 ? bars : bars.filter((bar) => !isOpen(bar)), open };
}

/** The numbers of bars that an instrument has before and after an import. */
function reportHistory(
  { market, options }: Context,
  { id }: OneInstrument,
  { country, symbol, bars }: BarHistory,
): HistoryReport {
  const replaced = id === null ? 0 : market.bars.count(id);
  const isNew = (date: string) =>
    id === null || market.bars.findAtOrBefore(id, date)?.date !== date;
  return {
    country,
    symbol,
    bars: bars.length,
    first: bars[0]?.date,
    last: bars.at(-1)?.date,
    replaced,
    total: options.append ? replaced + bars.filter(({ date }) => isNew(date)).length : bars.length,
  };
}

/** Why there can be no bar of a date such as 20261120, or null; cached by date, because most dates have many bars. */
function createWeekendCheck(overrides: readonly HolidayOverride[]) {
  const weekdays = new Set<number>();
  return ({ country, assetType }: KnownInstrument, number: number): string | null => {
    if (weekdays.has(number)) return null;
    const date = toDate(number);
    if (!isWeekend(date)) {
      weekdays.add(number);
      return null;
    }
    return closedReason(date, { country, assetType, overrides });
  };
}

type ImportableKind = (typeof IMPORT_KINDS)[ImportName]["record"];
type Importable = RecordOf<ImportableKind>;

async function storeOthers(context: Context, files: readonly RecordFile[]): Promise<Outcome> {
  const { name, market, options, reading, now } = context;
  const { records, read } = parseRecordFiles(name, files, reading);
  const find = createInstrumentFinder(market);
  const placed = [...records].map(({ place, record, entries }) => {
    if ("symbol" in record && name !== "instruments") find(record, place);
    const dates = "dividends" in record ? record.dividends.map(({ exDate }) => exDate) : [];
    const placeOf = new Map(dates.map((date, i) => [date, entries?.[i] ?? place]));
    const whole = options.append ? withStoredEntries(context, record, place) : record;
    return { place, record: whole, placeOf };
  });
  const checked = askAboutRecords(context, placed);
  for (const row of checked.skipped) read.skipped.push(row);
  const { record: kind }: { record: ImportableKind } = IMPORT_KINDS[name];
  const count = await write(context, importChanges(kind, checked.records, { at: now }));
  return { read, records: count, divided: checked.divided, history: null };
}

/** The records that are plausible, or that `--on-bad keep` keeps. */
function askAboutRecords(
  { name, market, options }: Context,
  read: readonly ReadRecord<Importable>[],
) {
  if (name === "dividends")
    return askAboutDividends(market, read as readonly ReadRecord<DividendHistory>[], options);
  if (name === "statements" && options.onBad !== "keep")
    return askAboutStatements(market, read as readonly ReadRecord<Statement>[], options);
  return { records: read.map(({ record }) => record), skipped: [], divided: 0 };
}

/** The record with the entries of earlier imports; entries of the file replace them. */
function withStoredEntries<R extends RecordOf<RecordKind>>(
  { name, market }: Context,
  record: R,
  place: Place,
): R {
  const kind: ImportKind = IMPORT_KINDS[name];
  const fields = record as unknown as Record<string, unknown>;
  const list = Object.keys(fields).find((field) => Array.isArray(fields[field])) ?? "";
  const stored = (market.documents.list(kind.record as DocumentKind, record.country) as unknown[])
    .map((one) => one as Record<string, unknown>)
    .find((one) => kind.key.every((column) => one[column] === fields[column]));
  if (!stored) return record;
  if (stored["source"] === SAMPLE) {
    throw invalidArgument(
      `${formatPlace(place)}: its ${list} in the market are generated, and --append would mix them with yours; import them all once without --append.`,
    );
  }
  const order = kind.order ?? [];
  const entries = fields[list] as Values[];
  const kept = (stored[list] as Values[]).filter(
    (old) => !entries.some((entry) => compareEntries(old, entry, order) === 0),
  );
  return { ...record, [list]: [...kept, ...entries].sort((a, b) => compareEntries(a, b, order)) };
}

/** Runs `work`; if a file of bars names no instrument, the error says how to name it. */
function advise<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof BourseError) || error.details.param !== "header") throw error;
    const advice = "name the instrument of a file without them with --country and --symbol";
    throw new BourseError(error.code, `${error.message}; ${advice}.`);
  }
}
