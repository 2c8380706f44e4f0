import { basename } from "node:path";
import { BourseError } from "#domain/errors.ts";
import { IMPORT, type Provenance, type RecordKind, type RecordOf } from "#domain/records.ts";
import { claimMarket, storeRecords } from "#ingest/ingest.ts";
import { closest } from "#lib/closest.ts";
import { dateOf } from "#lib/date.ts";
import { IMPORT_KINDS, type ImportName } from "#providers/file/import-kinds.ts";
import {
  parseRecordFiles,
  type PlacedRecord,
  recordTemplate,
} from "#providers/file/records-file.ts";
import type { MarketStore } from "#store/index.ts";
import { type Command, type Flag, type Invocation, JSON_FLAG, usage } from "./command.ts";
import { HISTORY_FLAGS, importHistory } from "./import-bars.ts";
import { readBytes, withProgress } from "./import-files.ts";
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
        return withMarket(config.dataFolder, async (market) => {
          const now = Date.now();
          // What the market knows is the same before the first start of the service and after it.
          const origin = readyMarket(market, config.market);
          const isOfOne = Object.keys(HISTORY_FLAGS).some((flag) => flags[flag] !== undefined);
          if (isOfOne) await importHistory(market, invocation, now);
          else await importRecords(name, market, invocation, now);
          // So that a folder meant for the live market never gets the sample beside the import.
          claimMarket(market, origin);
        });
      },
    };
    return command;
  },
);

async function importRecords(
  name: ImportName,
  market: MarketStore,
  { io, operands: paths, flags }: Invocation,
  now: number,
): Promise<void> {
  const files = await Promise.all(
    paths.map(async (path) => ({ name: basename(path), bytes: await readBytes(path) })),
  );
  const { records, files: read } = withProgress(io, (onRow) => {
    try {
      return parseRecordFiles(name, files, { today: dateOf(now), onRow });
    } catch (error) {
      if (name !== "bars" || !(error instanceof BourseError) || error.details.param !== "header") {
        throw error;
      }
      const advice = "name the instrument of a file without them with --country and --symbol";
      throw new BourseError(error.code, `${error.message}; ${advice}.`);
    }
  });
  refuseUnknownInstruments(name, records, market);
  store(name, records, market, { source: IMPORT, storedAt: now });

  const { plural } = IMPORT_KINDS[name];
  const rows = read.reduce((sum, file) => sum + file.rows, 0);
  const report = {
    kind: name,
    records: records.length,
    rows,
    files: read.map(({ shape, rows: ofFile }, i) => ({ path: paths[i], shape, rows: ofFile })),
  };
  const from = `${rows} row${rows === 1 ? "" : "s"} of ${read.map((file) => file.name).join(", ")}`;
  io.stdout(
    flags["json"]
      ? `${JSON.stringify(report)}\n`
      : `Imported ${records.length} ${plural} (${from}). Nothing fetched takes their place.\n`,
  );
}

/** @throws BourseError where records are of an instrument that the market does not know */
function refuseUnknownInstruments(
  name: ImportName,
  records: readonly PlacedRecord<ImportName>[],
  market: MarketStore,
): void {
  if (name === "instruments") return;
  const known = new Set<string>();
  for (const { place, record } of records) {
    if (!("symbol" in record)) return;
    const { country, symbol } = record;
    const key = `${country} ${symbol}`;
    if (known.has(key)) continue;
    if (!market.instruments.find({ country, symbol })) {
      const near = closest(symbol, market.instruments.listSymbols(country));
      throw new BourseError(
        "not_found",
        `${place}: ${symbol} is not known in ${country}${near ? ` (is it ${near}?)` : ""}; import it with \`import instruments\` first.`,
      );
    }
    known.add(key);
  }
}

function store(
  name: ImportName,
  placed: readonly PlacedRecord<ImportName>[],
  market: MarketStore,
  provenance: Provenance,
): void {
  const records = placed.map(({ record }) => record);
  if (name === "bars") {
    market.transaction(() => {
      for (const history of records as RecordOf<"bars">[]) market.bars.replace(history, provenance);
    });
    return;
  }
  storeRecords<RecordKind>(market, IMPORT_KINDS[name].record, records, provenance);
}
