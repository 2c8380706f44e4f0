import type { Database } from "bun:sqlite";
import { unavailable } from "#domain/errors.ts";
import { formatCount } from "#lib/table.ts";
import type { BarRow } from "./bar-rows.ts";
import { openReader, withUserErrors } from "./database.ts";

const COLUMNS = 6;
const numbers = new Float64Array(COLUMNS);
const words = new Int32Array(numbers.buffer);

/** A hash of the stored bar that begins at a position in the values: a whole number below 2³². It takes 30 ns. */
export function hashRow(values: readonly (number | null)[], at = 0): number {
  for (let i = 0; i < COLUMNS; i++) numbers[i] = values[at + i] ?? Number.NaN;
  // FNV-1a over words instead of bytes, then the last steps of MurmurHash3, which spread all bits.
  let hash = 0x811c9dc5;
  for (let i = 0; i < words.length; i++) hash = Math.imul(hash ^ (words[i] as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The number of bars and the sum of their hashes, in any order. */
export interface BarSum {
  readonly bars: number;
  readonly checksum: number;
}

/** The sum of these rows. */
export function sumRows(rows: readonly BarRow[]): BarSum {
  return { bars: rows.length, checksum: rows.reduce((sum, row) => sum + hashRow(row), 0) };
}

/** How many symbols an error names. */
const MAX_NAMED = 5;

const HISTORIES = `SELECT instrument_id AS id, country || ':' || symbol AS name, bars, checksum
  FROM bar_checksums JOIN instruments ON id = instrument_id WHERE checksum IS NOT NULL ORDER BY name`;
const UNCHECKED = "SELECT count(*) AS count FROM bar_checksums WHERE checksum IS NULL";
/** All instruments with bars, in a file whose form is older than the checksums. */
const WITHOUT_TABLE = "SELECT count(*) AS count FROM bar_histories";
const BARS = "SELECT date, open, high, low, close, volume FROM scaled_bars WHERE instrument_id = ?";

/**
 * Reads all bars of a `market.db` and compares them with their checksums: SQLite finds a damaged page only if
 * its structure is damaged. A million bars take a third of a second.
 *
 * @returns the number of instruments whose bars have no checksum, because an older version stored them
 * @param shownPath the path in the error, if the file is a copy of it
 * @throws BourseError that names the instruments whose bars differ
 */
export function checkBars(path: string, shownPath = path): number {
  return withUserErrors(path, () => {
    const database = openReader(path);
    try {
      if (!hasChecksums(database)) return countOf(database, WITHOUT_TABLE);
      const damaged = listDamaged(database);
      if (damaged.length === 0) return countOf(database, UNCHECKED);
      const named = damaged.slice(0, MAX_NAMED).join(", ");
      const others = damaged.length - MAX_NAMED;
      throw unavailable(
        `${shownPath} has bars that are not those that were stored: ${named}${others > 0 ? ` and ${formatCount(others, "other instrument")}` : ""}. The disk or another program changed them; import them again or restore a backup.`,
      );
    } finally {
      database.close();
    }
  });
}

/** False for a file of an earlier version that was not upgraded yet. */
function hasChecksums(database: Database): boolean {
  return database.query("SELECT 1 FROM sqlite_schema WHERE name = 'bar_checksums'").get() !== null;
}

function countOf(database: Database, query: string): number {
  return database.query<{ count: number }, []>(query).get()?.count ?? 0;
}

function listDamaged(database: Database): string[] {
  const histories = database.query<BarSum & { id: number; name: string }, []>(HISTORIES).all();
  const bars = database.query<never, [number]>(BARS);
  return histories.flatMap(({ id, name, ...stored }) => {
    const found = sumRows(bars.values(id) as BarRow[]);
    return found.bars === stored.bars && found.checksum === stored.checksum ? [] : [name];
  });
}
