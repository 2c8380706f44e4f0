import type { Database } from "bun:sqlite";
import { nextTurn } from "#lib/next-turn.ts";

/** The kinds of documents that are no change of an instrument. */
const OTHER_KINDS = [
  "macroSeries",
  "macroVintages",
  "macroForecasts",
  "forecastVintages",
  "calendarEvents",
  "holidayOverrides",
  "indexPe",
  "splits",
  "earningsDates",
  "companyForecasts",
  "filings",
];
/** The number of documents that are read without a pause. They take a millisecond. */
const DOCUMENTS_PER_TURN = 1_000;

function prepareQueries(reader: Database) {
  return {
    fileVersion: reader.query<{ data_version: number }, []>("PRAGMA data_version"),
    lastChange: reader.query<{ number: number | null }, []>(
      "SELECT max(number) AS number FROM changes",
    ),
    documentTimes: reader.query<
      { country: string; key: string; stored_at: number },
      { kind: string; country: string; key: string }
    >(
      `SELECT country, key, stored_at FROM documents
       WHERE kind = $kind AND (country, key) > ($country, $key)
       ORDER BY country, key LIMIT ${DOCUMENTS_PER_TURN}`,
    ),
  };
}

/** The version of the records of a market. */
export class MarketVersion {
  readonly #queries: ReturnType<typeof prepareQueries>;
  /** The version of the records that the file had in that version. */
  #found: { readonly file: number; readonly text: string } | null = null;

  constructor(reader: Database) {
    this.#queries = prepareQueries(reader);
  }

  /**
   * A text that changes when records are stored or removed, by any process. It says nothing else, and it is not the
   * same on two nodes of a cluster. It takes microseconds while nobody writes to the file, else several turns.
   */
  async find(): Promise<string> {
    const file = this.#queries.fileVersion.get()?.data_version ?? 0;
    if (this.#found?.file === file) return this.#found.text;
    // The instruments' changes have numbers.
    const parts = [this.#queries.lastChange.get()?.number ?? 0];
    for (const kind of OTHER_KINDS) parts.push(...(await this.#summarize(kind)));
    const text = Bun.hash(parts.join(" ")).toString(36);
    this.#found = { file, text };
    return text;
  }

  /** The number of documents of a kind, and the sum of the times at which they were stored. */
  async #summarize(kind: string): Promise<[number, number]> {
    let [count, sum] = [0, 0];
    for (let last = { country: "", key: "" }; ; await nextTurn()) {
      const page = this.#queries.documentTimes.values({ kind, ...last });
      for (const [, , storedAt] of page) sum += Number(storedAt);
      count += page.length;
      if (page.length < DOCUMENTS_PER_TURN) return [count, sum];
      const [country, key] = page.at(-1) ?? [];
      last = { country: String(country), key: String(key) };
    }
  }
}
