import type { ListFile } from "#domain/list-file.ts";
import { cutCells } from "#imports/cut-cells.ts";
import { findTable, isObject, jsonTable } from "#imports/json-table.ts";
import { parseJson } from "#lib/json.ts";
import { findJsonExcess } from "#lib/bounded-json.ts";
import { CsvError } from "#lib/csv.ts";
import { isListHeader, mapListColumns } from "./headers.ts";
import { readPlain } from "./plain.ts";
import { type ListOptions, readTable } from "./table.ts";

/** It is parsed in one piece, which takes some 20 ms at this size. */
const MAX_CHARACTERS = 4 * 2 ** 20;

/**
 * Reads the export of Ghostfolio, a list of symbols, or the first list of objects that name instruments.
 *
 * @throws CsvError if it is no JSON, too large, or names no instrument
 */
export function* readJson(text: string, options: ListOptions): Generator<void, ListFile> {
  if (text.length > MAX_CHARACTERS) {
    throw new CsvError(1, "the JSON has more than 4 MiB: export fewer activities, or CSV");
  }
  const excess = findJsonExcess(text, { maxDepth: 32, maxContainers: 200_000 });
  if (excess !== null) throw new CsvError(1, `the JSON ${excess}`);
  const value = parseJson(text);
  yield;
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) {
    return yield* readPlain(value.join("\n"), options);
  }
  const fits = (names: readonly string[]) => isListHeader(mapListColumns(names));
  // JSON Lines are no JSON.
  const table = value === undefined ? jsonTable(text, fits) : findTable(withNames(value), fits);
  yield;
  if (!table || table.isByColumn) {
    throw new CsvError(
      1,
      "no list of the JSON names instruments: its objects need symbol, ticker, isin, or name and quantity",
    );
  }
  const rows = table.rows.map((cells, i) => ({ number: i + 1, cells: cutCells(cells) }));
  const header = cutCells(table.names);
  return yield* readTable({ unit: "entry", header, rows, delimiter: null }, options);
}

/** The activities of Ghostfolio with the names and ISINs of the assets that a user made; any other value as it is. */
function withNames(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value["activities"])) return value;
  const profiles = Array.isArray(value["assetProfiles"]) ? value["assetProfiles"] : [];
  const bySymbol = new Map(
    profiles.filter(isObject).map(({ symbol, name, isin }) => [symbol, { name, isin }] as const),
  );
  return value["activities"]
    .filter(isObject)
    .map((one) => ({ ...one, ...bySymbol.get(one["symbol"]) }));
}
