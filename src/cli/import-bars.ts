import { COUNTRIES, COUNTRY_CODES, type Country, localDateOf } from "#domain/country.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import { BourseError } from "#domain/errors.ts";
import {
  ASSET_TYPES,
  type AssetType,
  type Instrument,
  type InstrumentKey,
  NO_PROFILE,
  SYMBOL_PATTERN,
} from "#domain/instrument.ts";
import { type BarsFile, type BarsFileOptions, parseBars } from "#imports/bars-file.ts";
import { cleanText } from "#imports/cells.ts";
import { joinTexts } from "#imports/record-rows.ts";
import { decodeText } from "#imports/text-encoding.ts";
import { importChanges } from "#ingest/changes.ts";
import { closest } from "#lib/closest.ts";
import { CsvError } from "#lib/csv.ts";
import { SAMPLE } from "#sample/provider.ts";
import type { MarketStore } from "#store/index.ts";
import type { Invocation } from "./command.ts";
import { type ImportFile, withFiles } from "./import-files.ts";
import {
  type ImportOptions,
  parseChoice,
  readImportOptions,
  readShapeOptions,
} from "./import-flags.ts";
import { askAboutJumps, type CheckedImport } from "./import-jumps.ts";
import { counted, importedWord, listRows } from "./import-report.ts";
import { type ImportTarget, writeImport } from "./import-target.ts";

/** A file and the bars that were read from it. */
interface ReadFile extends BarsFile {
  readonly path: string;
  readonly name: string;
}

/** Imports the daily bars of the one instrument that the flags name. */
export async function importHistory(
  { market, writer, now }: ImportTarget,
  invocation: Invocation,
): Promise<void> {
  const { io, operands: paths, flags } = invocation;
  const options = readImportOptions(flags);
  const shape = readShapeOptions(flags);
  const country = parseChoice("country", flags["country"], COUNTRY_CODES);
  const symbol = parseSymbol(flags["symbol"]);
  const known = market.instruments.find({ country, symbol });
  const added = known ? null : newInstrument(market, { country, symbol }, flags);
  if (known && options.append) refuseSample(market, known.id, `${symbol} (${country})`);

  const overrides = market.documents.list("holidayOverrides", country);
  const { onBad, decimalMark } = options;
  const files = await withFiles(io, paths, (opened) =>
    opened.map((file) =>
      readHistory(file, {
        country,
        symbol,
        assetType: (known ?? added)?.assetType ?? "stock",
        fileName: file.name,
        today: localDateOf(country, now),
        overrides,
        onBad,
        ...(decimalMark && { decimalMark }),
        ...shape,
        ...(known && {
          findClose: (date) => market.bars.findAtOrBefore(known.id, date)?.close ?? null,
        }),
      }),
    ),
  );
  const read = merge(files);
  const splits = files.flatMap((file) => file.splits);
  const instrument = known ?? (added as Instrument);
  const checked = askAboutJumps(market, instrument, read, options, splits);
  const { bars } = checked;
  const before = known ? market.bars.count(known.id) : 0;
  const isNew = ({ date }: DailyBar) =>
    !known || market.bars.findAtOrBefore(known.id, date)?.date !== date;
  const after = options.append ? before + bars.filter(isNew).length : bars.length;
  const history = [{ country, symbol, bars }];
  const changes = [
    ...importChanges("instruments", added ? [added] : [], { at: now }),
    ...importChanges("bars", history, { at: now, keepsOthers: options.append }),
  ];
  await writeImport({ market, writer, options }, changes);
  report(invocation, { country, symbol }, { files, checked, before, after, options });
}

function readHistory(file: ImportFile, options: BarsFileOptions): ReadFile {
  let text: string;
  try {
    text = joinTexts(
      decodeText(file.pieces),
      "write CSV or JSON Lines with a country and a symbol in each row",
    );
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new BourseError("invalid_argument", `${file.name}, line ${error.line}: ${error.message}`);
  }
  return { path: file.path, name: file.name, ...parseBars(text, options) };
}

interface Outcome {
  readonly files: readonly ReadFile[];
  readonly checked: CheckedImport;
  /** The numbers of bars that the instrument had before and has now. */
  readonly before: number;
  readonly after: number;
  readonly options: ImportOptions;
}

function report(
  { io, flags }: Invocation,
  { country, symbol }: InstrumentKey,
  { files, checked, before, after, options }: Outcome,
): void {
  const { bars, isDivided } = checked;
  const [first, last] = [bars[0]?.date, bars.at(-1)?.date];
  const leftOut = files.reduce((sum, file) => sum + file.filledForward, 0);
  const otherSymbols = files.reduce((sum, file) => sum + file.otherSymbols, 0);
  const rows = (which: "skipped" | "widened") =>
    files.flatMap((file) =>
      file[which].map(({ line, reason }) => ({
        place: `${file.name}, ${file.unit} ${line}`,
        reason,
      })),
    );
  const [skipped, widened] = [[...rows("skipped"), ...checked.skipped], rows("widened")];
  const unread = [...new Set(files.flatMap((file) => file.unread))];
  if (flags["json"]) {
    const written = files.map(({ path, shape, bars: { length } }) => ({
      path,
      shape,
      bars: length,
    }));
    const counts = { bars: bars.length, first, last, leftOut, otherSymbols, replaced: before };
    const { isDryRun, append } = options;
    io.stdout(
      `${JSON.stringify({ country, symbol, ...counts, total: after, isDryRun, append, isDivided, unread, skipped, widened, files: written })}\n`,
    );
    return;
  }
  const added = after - before;
  const effect = options.append
    ? `, ${added.toLocaleString("en-US")} of them new; it has ${counted(after, "bar")}`
    : before > 0
      ? `, in place of ${before.toLocaleString("en-US")}`
      : "";
  const shapes = [...new Set(files.map(({ shape }) => shape))].join(", ");
  io.stdout(
    `${importedWord(options)} ${counted(bars.length, "bar")} of ${symbol} (${country}), ${first} to ${last}, as ${shapes}${effect}.\n` +
      note(leftOut, "of days without trades, filled forward,") +
      note(otherSymbols, "of other symbols") +
      (isDivided ? "Bars before a split were divided by it.\n" : "") +
      (unread.length > 0 ? `Columns that were not read: ${unread.join(", ")}.\n` : "") +
      listRows(skipped, widened),
  );
}

function note(count: number, what: string): string {
  if (count === 0) return "";
  return `${counted(count, "row")} ${what} ${count === 1 ? "was" : "were"} left out.\n`;
}

/** Refuses to mix generated and real bars in one history. */
export function refuseSample(market: MarketStore, instrumentId: number, name: string): void {
  if (market.bars.findProvenance(instrumentId)?.source !== SAMPLE) return;
  throw new BourseError(
    "invalid_argument",
    `The bars of ${name} are generated, and --append would mix them with yours; import the whole history once without --append.`,
  );
}

function parseSymbol(value: unknown): string {
  const symbol = typeof value === "string" ? value.toUpperCase() : "";
  if (new RegExp(SYMBOL_PATTERN).test(symbol)) return symbol;
  throw new BourseError(
    "invalid_argument",
    "--symbol must be 1 to 20 letters, digits or any of . - ^ = (such as AAPL, 7203 or FPT).",
  );
}

/** @throws BourseError if the flags have no name for it */
function newInstrument(
  market: MarketStore,
  { country, symbol }: { country: Country; symbol: string },
  flags: Readonly<Record<string, unknown>>,
): Instrument {
  const written = flags["name"];
  const name = typeof written === "string" ? cleanText(written) : "";
  if (name === "") {
    const near = closest(symbol, market.instruments.listSymbols(country));
    throw new BourseError(
      "not_found",
      `${symbol} is not known in ${country}${near ? ` (is it ${near}?)` : ""}; give --name to make it.`,
    );
  }
  const assetType: AssetType = parseChoice("type", flags["type"] ?? "stock", ASSET_TYPES);
  return {
    country,
    symbol,
    name: name.slice(0, 200),
    assetType,
    exchange: null,
    currency: COUNTRIES[country].currency,
    ...NO_PROFILE,
    primaryListing: true,
    indexMember: false,
  };
}

/** The bars of all files as one history, oldest first; a date may be in one file only. */
function merge(files: readonly ReadFile[]): DailyBar[] {
  const byDate = new Map<string, { bar: DailyBar; name: string }>();
  for (const { name, bars } of files) {
    for (const bar of bars) {
      const rival = byDate.get(bar.date);
      if (rival) {
        throw new BourseError(
          "invalid_argument",
          `${bar.date} is in ${rival.name} and in ${name}; a date may be in one file only.`,
        );
      }
      byDate.set(bar.date, { bar, name });
    }
  }
  return [...byDate.values()].map(({ bar }) => bar).sort((a, b) => (a.date < b.date ? -1 : 1));
}
