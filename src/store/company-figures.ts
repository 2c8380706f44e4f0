import type { Database } from "bun:sqlite";
import type { Country } from "#domain/country.ts";

/** A part of the figures of a country's companies: compressed JSON. */
export interface FiguresPart {
  readonly country: Country;
  readonly body: Uint8Array;
}

/** The key of the row with the state in which the figures were computed. */
const STATE = { country: "", part: 0 };

function prepareQueries(reader: Database, writer: Database) {
  type Key = { country: string; part: number };
  return {
    find: reader.query<{ body: Uint8Array }, Key>(
      "SELECT body FROM company_figures WHERE country = $country AND part = $part",
    ),
    clear: writer.query<unknown, []>("DELETE FROM company_figures"),
    put: writer.query<unknown, Key & { body: Uint8Array }>(
      "INSERT INTO company_figures (country, part, body) VALUES ($country, $part, $body)",
    ),
  };
}

/** The figures of all companies as they were last computed. */
export class CompanyFigureStore {
  readonly #queries: ReturnType<typeof prepareQueries>;

  constructor(reader: Database, writer: Database) {
    this.#queries = prepareQueries(reader, writer);
  }

  /** The text that was saved as the state of the figures; null if nothing was saved. */
  findState(): string | null {
    const row = this.#queries.find.get(STATE);
    return row && Buffer.from(row.body).toString();
  }

  /** The body of a country's part, counted from 0; null beyond the last one. */
  findPart(country: Country, part: number): Uint8Array | null {
    return this.#queries.find.get({ country, part })?.body ?? null;
  }

  /** Replaces the saved figures. Call it within a transaction. */
  replace(state: string, parts: readonly FiguresPart[]): void {
    this.#queries.clear.run();
    const counts: Partial<Record<Country, number>> = {};
    for (const { country, body } of parts) {
      const part = counts[country] ?? 0;
      this.#queries.put.run({ country, part, body });
      counts[country] = part + 1;
    }
    this.#queries.put.run({ ...STATE, body: Buffer.from(state) });
  }
}
