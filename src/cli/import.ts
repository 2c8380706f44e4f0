import { BourseError } from "#domain/errors.ts";
import type { InstrumentKey } from "#domain/instrument.ts";
import { formatPlace, IMPORT, type Place, type RecordKind } from "#domain/records.ts";
import { IMPORT_KINDS, type ImportName } from "#imports/import-kinds.ts";
import {
  parseBarFiles,
  parseRecordFiles,
  type PlacedBar,
  recordTemplate,
} from "#imports/records-file.ts";
import { storeRecords } from "#ingest/batch.ts";
import { claimMarket } from "#ingest/ingest.ts";
import { closest } from "#lib/closest.ts";
import { dateOf } from "#lib/date.ts";
import type { MarketStore } from "#store/index.ts";
import { type Command, type Flag, type Invocation, JSON_FLAG, usage } from "./command.ts";
import { HISTORY_FLAGS, importHistory } from "./import-bars.ts";
import { withFiles } from "./import-files.ts";
import { readyMarket } from "./market.ts";
import { withMarket } from "./stores.ts";

/** What the help says of each kind. */
const SUMMARIES: Readonly<Record<ImportName, string>> = {
  instruments: "Take instruments from files, or from JPX's list of listed issues",
  bars: "Take daily bars from files, in place of those that an instrument had",
  statements: "Take what companies reported from files",
  macro: "Take series of a country's economy from files",
  forecasts: "Take forecasts of a country's economy from files",
  calendar: "Take economic publications from files",
  holidays: "Take days on which an exchange is closed or open against its rules",
  "index-pe": "Take month-end P/E ratios of a country's index from files",
  dividends: "Take cash dividends from files",
};

const FILE_FLAGS: Readonly<Record<string, Flag>> = {
  template: { description: "print a CSV template with two rows, and import nothing" },
  json: JSON_FLAG,
};

/** A command for each kind of record that can be imported. */
export const IMPORTS: readonly Command[] = (Object.keys(IMPORT_KINDS) as ImportName[]).map(
  (name) => {
    const command: Command = {
      name: `import ${name}`,
      operands: "[FILE…]",
      summary: SUMMARIES[name],
      flags: name === "bars" ? { ...HISTORY_FLAGS, ...FILE_FLAGS } : FILE_FLAGS,
      settings: ["data"],
      run: (invocation) => {
        const { io, config, operands, flags } = invocation;
        if (flags["template"]) return io.stdout(recordTemplate(name));
        if (operands.length === 0) throw usage(command, "It takes FILE…");
        return withMarket(config.dataFolder, (market) => {
          const now = io.clock();
          // What the market knows is the same before the first start of the service and after it.
          const origin = readyMarket(market, config.market, now);
          const isOfOne = Object.keys(HISTORY_FLAGS).some((flag) => flags[flag] !== undefined);
          if (isOfOne) importHistory(market, invocation, now);
          else importRecords(name, market, invocation, now);
          // So that a folder meant for the live market never gets the sample beside the import.
          claimMarket(market, origin);
        });
      },
    };
    return command;
  },
);

function importRecords(
  name: ImportName,
  market: MarketStore,
  { io, operands: paths, flags }: Invocation,
  now: number,
): void {
  const options = { today: dateOf(now) };
  const provenance = { source: IMPORT, storedAt: now };
  const idOf = createIdFinder(market);
  const { count, read } = withFiles(io, paths, (files, show) => {
    if (name === "bars") {
      const { bars, files: read } = parseBarFiles(files, options);
      const histories = market.bars.replaceAll((add) => {
        for (const { place, record, entry } of advised(bars))
          add(idOf(record, place), entry, place);
        show("Storing the bars");
      }, provenance);
      return { count: histories, read };
    }
    const { records, files: read } = parseRecordFiles(name, files, options);
    const known = records.map(({ place, record }) => {
      if ("symbol" in record && name !== "instruments") idOf(record, place);
      return record;
    });
    const { record } = IMPORT_KINDS[name];
    return { count: storeRecords<RecordKind>(market, record, known, provenance), read };
  });

  const { plural } = IMPORT_KINDS[name];
  const rows = read.reduce((sum, file) => sum + file.rows, 0);
  const report = {
    kind: name,
    records: count,
    rows,
    files: read.map(({ shape, rows: ofFile }, i) => ({ path: paths[i], shape, rows: ofFile })),
  };
  const from = `${rows} row${rows === 1 ? "" : "s"} of ${read.map((file) => file.name).join(", ")}`;
  io.stdout(
    flags["json"]
      ? `${JSON.stringify(report)}\n`
      : `Imported ${count} ${plural} (${from}). Nothing fetched takes their place.\n`,
  );
}

/** The same bars; where their file names no instrument, the error says how to. */
function* advised(bars: Iterable<PlacedBar>): Generator<PlacedBar, void> {
  try {
    yield* bars;
  } catch (error) {
    if (!(error instanceof BourseError) || error.details.param !== "header") throw error;
    const advice = "name the instrument of a file without them with --country and --symbol";
    throw new BourseError(error.code, `${error.message}; ${advice}.`);
  }
}

/** Tells the ids of instruments; throws BourseError with the place of a record whose is not known. */
function createIdFinder(market: MarketStore) {
  const ids = new Map<string, number>();
  return ({ country, symbol }: InstrumentKey, place: Place): number => {
    const key = `${country} ${symbol}`;
    const known = ids.get(key);
    if (known !== undefined) return known;
    const instrument = market.instruments.find({ country, symbol });
    if (!instrument) {
      const near = closest(symbol, market.instruments.listSymbols(country));
      throw new BourseError(
        "not_found",
        `${formatPlace(place)}: ${symbol} is not known in ${country}${near ? ` (is it ${near}?)` : ""}; import it with \`import instruments\` first.`,
      );
    }
    ids.set(key, instrument.id);
    return instrument.id;
  };
}
