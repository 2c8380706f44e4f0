import type { Database } from "bun:sqlite";
import { nextTurn } from "#lib/next-turn.ts";

/** Changed instruments that are read without a pause. They take some milliseconds. */
const CHANGES_PER_TURN = 250;

/** The first day of the records of a table with days of filing. */
const firstFiled = (table: string) =>
  `coalesce((SELECT min(filed_on) FROM ${table} AS filed WHERE filed.country = instruments.country
     AND filed.symbol = instruments.symbol), '9999')`;

/** The first day of an instrument's document. */
const firstOf = (kind: string, date: string) =>
  `coalesce((SELECT body ->> '${date}' FROM documents WHERE kind = '${kind}'
     AND documents.country = instruments.country AND key = instruments.symbol), '9999')`;

/** The condition of a slice of changes. */
const SLICE = "number > $since AND number <= $until";
/** The ids of the instruments in a slice of changes. */
const CHANGED = `SELECT id FROM changes JOIN instruments USING (country, symbol) WHERE ${SLICE}`;

/**
 * The first day on which a price or a statement of each instrument was known, and a search index of the delisted
 * instruments, in temporary tables of a connection, so that the instruments of any past day are found quickly.
 */
export class FirstKnown {
  readonly #changes;
  readonly #puts;
  /** The number of the last change that was read. */
  #last = 0;
  #reading: Promise<void> | null = null;

  constructor(reader: Database) {
    reader.run(
      "CREATE TEMP TABLE IF NOT EXISTS first_known (id INTEGER PRIMARY KEY, day TEXT NOT NULL)",
    );
    this.#changes = reader.query<{ number: number }, { since: number }>(
      `SELECT max(number) AS number FROM (SELECT number FROM changes WHERE number > $since
       ORDER BY number LIMIT ${CHANGES_PER_TURN}) HAVING number IS NOT NULL`,
    );
    reader.run(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.delisted_search USING fts5 (
      symbol, name, filters, content = '', contentless_delete = 1,
      tokenize = 'trigram remove_diacritics 1')`);
    this.#puts = [
      `INSERT OR REPLACE INTO temp.first_known SELECT instruments.id, min(
         coalesce((SELECT iif(min(date) IS NULL, NULL, printf('%04d-%02d-%02d', min(date) / 10000,
             min(date) / 100 % 100, min(date) % 100))
           FROM scaled_bars WHERE instrument_id = instruments.id), '9999'),
         ${firstFiled("statements")}, ${firstFiled("statement_vintages")},
         ${firstOf("quotes", "date")}, ${firstOf("recentCloses", "from")})
       FROM changes JOIN instruments USING (country, symbol) WHERE ${SLICE}`,
      `DELETE FROM temp.delisted_search WHERE rowid IN (${CHANGED})`,
      `INSERT INTO temp.delisted_search (rowid, symbol, name, filters) SELECT * FROM instrument_texts
       WHERE id IN (${CHANGED} AND delisted_at IS NOT NULL)`,
    ].map((sql) => reader.query<unknown, { since: number; until: number }>(sql));
  }

  /** Reads the instruments that have changed, in several turns; undefined if none has. */
  prepare(): Promise<void> | undefined {
    if (this.#reading) return this.#reading;
    if (this.#changes.get({ since: this.#last }) === null) return undefined;
    this.#reading = this.#readAll().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    for (;;) {
      const next = this.#changes.get({ since: this.#last });
      if (next === null) return;
      for (const put of this.#puts) put.run({ since: this.#last, until: next.number });
      this.#last = next.number;
      await nextTurn();
    }
  }
}
