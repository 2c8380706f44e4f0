import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { invalidArgument, notFound } from "#domain/errors.ts";
import type { MarketWriter } from "#ingest/changes.ts";
import { IMPORT_KINDS, type ImportName } from "#imports/import-kinds.ts";
import { closestHint } from "#lib/closest.ts";
import { formatCount, formatMoment, formatTable } from "#lib/table.ts";
import type { ImportedRecord } from "#store/imported-records.ts";
import type { MarketStore } from "#store/index.ts";
import { type Command, type Invocation, parseChoice, type Result, usage } from "#cli/command.ts";
import { readyMarket } from "#cli/market.ts";
import { withImports, withMarket } from "#cli/stores.ts";

const NAMES = Object.keys(IMPORT_KINDS) as ImportName[];

const nameOf = (record: ImportedRecord): string =>
  NAMES.find((name) => IMPORT_KINDS[name].record === record.kind) ?? record.kind;

export const importList: Command = {
  name: "import list",
  operands: "[KIND]",
  summary: "List what was imported: key, number of records, dates, when",
  values: { KIND: NAMES },
  examples: ["", "bars --json"],
  settings: ["data"],
  report: ({ config, operands: [written] }) =>
    withMarket(config, (market) => {
      const rows = listImported(market, written).map((record) => ({
        kind: nameOf(record),
        country: record.country,
        key: record.key,
        records: record.records,
        first: record.first,
        last: record.last,
        imported: formatMoment(record.storedAt),
      }));
      const text = formatTable(
        ["KIND", "COUNTRY", "KEY", "RECORDS", "FIRST", "LAST", "IMPORTED"],
        rows.map((row) => Object.values(row)),
      );
      return { json: rows, text: rows.length > 0 ? text : "Nothing was imported.\n" };
    }),
};

export const importRemove: Command = {
  name: "import remove",
  operands: "KIND [KEY…]",
  summary: "Remove what was imported; the records of the sources come back",
  flags: {
    country: { value: COUNTRY_CODES.join("|"), description: "only of that country" },
    all: { description: "everything of that kind" },
    "dry-run": { description: "print what would be removed, and remove nothing" },
  },
  values: { KIND: NAMES },
  examples: ["bars ACME --country US", "macro --all --dry-run"],
  settings: ["data", "cluster"],
  report: (invocation) =>
    withImports(invocation, (market, writer) => removeImported(market, writer, invocation)),
};

function listImported(market: MarketStore, name: string | undefined): ImportedRecord[] {
  if (name === undefined) return market.imported.list(null);
  return market.imported.list(IMPORT_KINDS[parseKind(name)].record);
}

function parseKind(written: string): ImportName {
  const name = NAMES.find((one) => one === written);
  if (name) return name;
  throw invalidArgument(
    `KIND must be one of ${NAMES.join(", ")}, not ${written}${closestHint(written, NAMES)}.`,
  );
}

async function removeImported(
  market: MarketStore,
  writer: MarketWriter,
  { io, config, operands: [kind = "", ...keys], flags }: Invocation,
): Promise<Result> {
  const isAll = flags["all"] === true;
  if (isAll === keys.length > 0) throw usage(importRemove, "Give keys or --all");
  const country =
    flags["country"] === undefined ? null : parseChoice("country", flags["country"], COUNTRY_CODES);
  const name = parseKind(kind);
  const inCountry = listImported(market, name).filter(
    (record) => country === null || record.country === country,
  );
  const chosen = isAll ? inCountry : keys.flatMap((key) => chooseKey(inCountry, key, name));
  refuseNeeded(market, chosen);
  const isDryRun = flags["dry-run"] === true;
  if (!isDryRun) {
    const records = chosen.map(({ kind, country, key }) => ({ kind, country, key }));
    await writer.write({ type: "removal", records });
  }
  const origin = readyMarket(market, config.market, io.clock());
  const removed = chosen.map(({ country, key, records }) => ({ country, key, records }));
  const { noun, plural } = IMPORT_KINDS[name];
  // A company's statements have one key, and each of them is a record.
  const count =
    name === "statements" ? chosen.reduce((sum, { records }) => sum + records, 0) : chosen.length;
  const what = formatCount(count, noun, plural);
  return {
    json: { kind: name, isDryRun, removed },
    text: isDryRun
      ? `Dry run, nothing is removed: would remove ${what}.\n`
      : `Removed ${what}. ${origin === "sample" ? "Replaced records of the sample are back." : "The sources fill them again at the next refresh."}\n`,
  };
}

/** The imported record of that key. @throws BourseError if there is no such record, or if several countries have one */
function chooseKey(
  records: readonly ImportedRecord[],
  written: string,
  name: ImportName,
): ImportedRecord[] {
  const found = records.filter(({ key }) => key.toLowerCase() === written.toLowerCase());
  if (found.length === 1) return found;
  const countries: Country[] = found.map(({ country }) => country);
  if (countries.length > 1) {
    throw invalidArgument(
      `${written} was imported in ${countries.join(" and ")}; name one with --country.`,
    );
  }
  const keys = records.map(({ key }) => key);
  throw notFound(
    `No imported ${IMPORT_KINDS[name].noun} has the key ${written}${closestHint(written, keys)}; \`import list ${name}\` lists them.`,
  );
}

/** Removing an instrument also removes its bars, so imported bars must be removed first. */
function refuseNeeded(market: MarketStore, chosen: readonly ImportedRecord[]): void {
  const instruments = new Set(
    chosen
      .filter(({ kind }) => kind === "instruments")
      .map(({ country, key }) => `${country} ${key}`),
  );
  if (instruments.size === 0) return;
  const bars = market.imported
    .list("bars")
    .find(({ country, key }) => instruments.has(`${country} ${key}`));
  if (!bars) return;
  throw invalidArgument(
    `${bars.key} has imported bars; remove them first with \`import remove bars ${bars.key}\`.`,
  );
}
