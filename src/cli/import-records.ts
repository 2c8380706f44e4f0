import { BourseError } from "#domain/errors.ts";
import type { HolidayOverride } from "#domain/calendar-event.ts";
import type { BarHistory } from "#domain/daily-bar.ts";
import type { InstrumentKey } from "#domain/instrument.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import type { Statement } from "#domain/statement.ts";
import { formatPlace, type Place, type RecordKind, type RecordOf } from "#domain/records.ts";
import { closedReason } from "#imports/bars-file.ts";
import {
  IMPORT_KINDS,
  type ImportKind,
  type ImportName,
  type Values,
} from "#imports/import-kinds.ts";
import type { LeftOut, ReadSoFar, RecordFile, RecordFileOptions } from "#imports/record-rows.ts";
import { compareEntries, parseBarFiles, parseRecordFiles } from "#imports/records-file.ts";
import { importChanges, type MarketWriter } from "#ingest/changes.ts";
import { closest } from "#lib/closest.ts";
import { dateOf, isWeekend } from "#lib/date.ts";
import { SAMPLE } from "#sample/provider.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import type { MarketStore } from "#store/index.ts";
import type { Invocation } from "./command.ts";
import { refuseSample } from "./import-bars.ts";
import {
  askAboutDividends,
  askAboutStatements,
  type CheckedRecords,
  type ReadRecord,
} from "./import-figures.ts";
import { askAboutJumps } from "./import-jumps.ts";
import { withFiles } from "./import-files.ts";
import { type ImportOptions, readImportOptions } from "./import-flags.ts";
import { type ImportTarget, writeImport } from "./import-target.ts";
import { counted, importedWord, listRows } from "./import-report.ts";

/** The parameters of an import. */
interface Context {
  readonly name: ImportName;
  readonly market: MarketStore;
  readonly writer: MarketWriter;
  readonly options: ImportOptions;
  readonly reading: RecordFileOptions;
  /** UTC milliseconds. */
  readonly now: number;
  /** @throws BourseError with the place of a record whose instrument is unknown */
  readonly findInstrument: (key: InstrumentKey, place: Place) => KnownInstrument;
}

/** What an import needs of an instrument. A whole one has a summary of up to 4,000 characters. */
type KnownInstrument = Pick<StoredInstrument, "id" | "country" | "symbol" | "assetType">;

/** The numbers of records that were stored, or would be. */
interface Outcome {
  readonly count: number;
  readonly read: ReadSoFar;
  /** The number of dividends that were divided by a split. */
  readonly divided: number;
}

/** Imports records of one kind, of any countries and instruments. */
export async function importRecords(
  name: ImportName,
  { market, writer, now }: ImportTarget,
  invocation: Invocation,
): Promise<void> {
  const { io, operands: paths, flags } = invocation;
  const options = readImportOptions(flags);
  const { onBad, decimalMark, constants } = options;
  const context: Context = {
    name,
    market,
    writer,
    options,
    reading: { today: dateOf(now), onBad, constants, ...(decimalMark && { decimalMark }) },
    now,
    findInstrument: createInstrumentFinder(market),
  };
  const outcome = await withFiles(io, paths, (files, show) =>
    name === "bars" ? storeBars(context, files, show) : storeOthers(context, files),
  );
  report(invocation, name, options, outcome);
}

async function storeBars(
  context: Context,
  files: readonly RecordFile[],
  show: (text: string) => void,
): Promise<Outcome> {
  const { market, options, reading, now, findInstrument } = context;
  const { bars, read } = parseBarFiles(files, reading);
  const overrides = market.documents.list("holidayOverrides", null);
  const checked = new Set<number>();
  const isOnWeekend = createWeekendCheck(overrides);
  const stage = () =>
    market.bars.stage((add) => {
      let instrument: KnownInstrument | undefined;
      for (const { place, record, entry } of bars) {
        // Rows of one instrument usually follow each other.
        if (instrument?.symbol !== record.symbol || instrument.country !== record.country) {
          instrument = findInstrument(record, place);
        }
        if (options.append && !checked.has(instrument.id)) {
          refuseSample(market, instrument.id, `${record.symbol} (${record.country})`);
          checked.add(instrument.id);
        }
        const reason = entry && isOnWeekend(instrument, entry.date);
        if (reason === null) add(instrument, entry, place);
        else if (options.onBad === "skip") read.skipped.push({ place, reason });
        else throw new BourseError("invalid_argument", `${formatPlace(place)}: ${reason}`);
      }
      show("Storing the bars");
    });
  using staged = advise(stage);
  const how = { at: now, keepsOthers: options.append };
  const histories = checkedHistories(context, staged.histories(), read);
  await writeImport(context, importChanges("bars", histories, how));
  return { count: staged.instruments, read, divided: 0 };
}

/** The histories without jumps that no split explains; see `askAboutJumps`. */
function* checkedHistories(
  { market, options }: Context,
  histories: Iterable<BarHistory>,
  { skipped }: ReadSoFar,
): Generator<BarHistory> {
  for (const history of histories) {
    const instrument = market.instruments.find(history);
    if (!instrument) continue;
    const checked = askAboutJumps(market, instrument, history.bars, options);
    for (const { place, reason } of checked.skipped)
      skipped.push({ place: { within: place, number: null }, reason });
    yield { ...history, bars: checked.bars };
  }
}

/** Why there can be no bar of that date, or null; cached by date, because most dates have many bars. */
function createWeekendCheck(overrides: readonly HolidayOverride[]) {
  const weekdays = new Set<string>();
  return ({ country, assetType }: KnownInstrument, date: string): string | null => {
    if (weekdays.has(date)) return null;
    if (!isWeekend(date)) {
      weekdays.add(date);
      return null;
    }
    return closedReason(date, { country, assetType, overrides });
  };
}

async function storeOthers(context: Context, files: readonly RecordFile[]): Promise<Outcome> {
  const { name, options, reading, now, findInstrument } = context;
  const { records, read } = parseRecordFiles(name, files, reading);
  const placed = [...records].map(({ place, record, entries }) => {
    if ("symbol" in record && name !== "instruments") findInstrument(record, place);
    const dates = "dividends" in record ? record.dividends.map(({ exDate }) => exDate) : [];
    const placeOf = new Map(dates.map((date, i) => [date, entries?.[i] ?? place]));
    const whole = options.append ? withStoredEntries(context, record, place) : record;
    return { place, record: whole, placeOf };
  });
  const { records: checked, skipped, divided } = askAboutFigures(context, placed);
  read.skipped.push(...skipped);
  const { record: kind }: { record: ImportableKind } = IMPORT_KINDS[name];
  const count = await writeImport(context, importChanges(kind, checked, { at: now }));
  return { count, read, divided };
}

type ImportableKind = (typeof IMPORT_KINDS)[ImportName]["record"];
type Importable = RecordOf<ImportableKind>;

/** The records that are plausible, or that `--on-bad keep` keeps; see `askAboutStatements`, `askAboutDividends`. */
function askAboutFigures(
  { name, market, options }: Context,
  read: readonly ReadRecord<Importable>[],
): CheckedRecords<Importable> {
  if (options.onBad !== "keep") {
    if (name === "statements")
      return askAboutStatements(market, read as readonly ReadRecord<Statement>[], options);
    if (name === "dividends")
      return askAboutDividends(market, read as readonly ReadRecord<DividendHistory>[], options);
  }
  return { records: read.map(({ record }) => record), skipped: [], divided: 0 };
}

/** The lists within records, by kind. */
const LISTS = {
  macro: "observations",
  forecasts: "values",
  dividends: "dividends",
  splits: "splits",
} as const;

const hasList = (name: ImportName): name is keyof typeof LISTS => Object.hasOwn(LISTS, name);

/** The record with the entries of earlier imports; entries of the file replace them. */
function withStoredEntries<R extends RecordOf<RecordKind>>(
  { name, market }: Context,
  record: R,
  place: Place,
): R {
  if (!hasList(name)) return record;
  const kind: ImportKind = IMPORT_KINDS[name];
  const list = LISTS[name];
  const fields = record as unknown as Record<string, unknown>;
  const stored = (market.documents.list(IMPORT_KINDS[name].record, record.country) as unknown[])
    .map((one) => one as Record<string, unknown>)
    .find((one) => kind.key.every((column) => one[column] === fields[column]));
  if (!stored) return record;
  if (stored["source"] === SAMPLE) {
    throw new BourseError(
      "invalid_argument",
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

function report(
  { io, operands: paths, flags }: Invocation,
  name: ImportName,
  options: ImportOptions,
  { count, read, divided }: Outcome,
): void {
  const placed = (rows: readonly LeftOut[]) =>
    rows.map(({ place, reason }) => ({ place: formatPlace(place), reason }));
  const [skipped, widened] = [placed(read.skipped), placed(read.widened)];
  const rows = read.files.reduce((sum, file) => sum + file.rows, 0);
  if (flags["json"]) {
    const files = read.files.map(({ shape, rows }, i) => ({ path: paths[i], shape, rows }));
    const { isDryRun, append } = options;
    io.stdout(
      `${JSON.stringify({ kind: name, records: count, rows, isDryRun, append, divided, skipped, widened, files })}\n`,
    );
    return;
  }
  const { noun, plural } = IMPORT_KINDS[name];
  const from = read.files.map((file) => file.name).join(", ");
  const remark = options.isDryRun ? "" : " Sources do not replace them.";
  io.stdout(
    `${importedWord(options)} ${counted(count, noun, plural)} (${counted(rows, "row")} of ${from}).${remark}\n` +
      (divided > 0
        ? `${counted(divided, "dividend")} in the shares before a split ${divided === 1 ? "was" : "were"} divided.\n`
        : "") +
      listRows(skipped, widened),
  );
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

/** Finds instruments and remembers them. */
function createInstrumentFinder(market: MarketStore): Context["findInstrument"] {
  const instruments = new Map<string, KnownInstrument>();
  return ({ country, symbol }, place) => {
    const key = `${country} ${symbol}`;
    const known = instruments.get(key);
    if (known !== undefined) return known;
    const instrument = market.instruments.find({ country, symbol });
    if (!instrument) {
      const near = closest(symbol, market.instruments.listSymbols(country));
      throw new BourseError(
        "not_found",
        `${formatPlace(place)}: ${symbol} is not known in ${country}${near ? ` (is it ${near}?)` : ""}; import it with \`import instruments\` first.`,
      );
    }
    const { id, assetType } = instrument;
    const found = { id, country, symbol, assetType };
    instruments.set(key, found);
    return found;
  };
}
