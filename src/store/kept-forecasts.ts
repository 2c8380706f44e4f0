import type { Database } from "bun:sqlite";
import { type ForecastVintages, forecastOn, keepForecast } from "#domain/macro-vintages.ts";
import type { MacroForecast } from "#domain/macro.ts";
import { COMPUTED, type Provenance } from "#domain/records.ts";
import { type KnownDay, REWINDS } from "./known-day.ts";

type StoredForecast = MacroForecast & Provenance;
interface Row extends Provenance {
  readonly key: string;
  readonly body: string;
}

const LIST = `SELECT key, body, source, stored_at AS storedAt FROM documents
  WHERE kind = $kind AND country = $country ORDER BY id`;
const prepareList = (database: Database) =>
  database.query<Row, { kind: string; country: string }>(LIST);

/** The macro forecasts of a country as they are stored, and as they were known on past days. */
export class KeptForecasts {
  readonly #read;
  /** Sees the writes of this transaction. */
  readonly #written;
  readonly #put;

  constructor(reader: Database, writer: Database) {
    this.#read = prepareList(reader);
    this.#written = prepareList(writer);
    this.#put = writer.query(
      `INSERT INTO documents (kind, country, key, body, source, stored_at)
       VALUES ('forecastVintages', $country, $key, $body, $source, $storedAt)
       ON CONFLICT (kind, country, key) DO UPDATE SET body = excluded.body, stored_at = excluded.stored_at`,
    );
  }

  /** The forecasts of a country that were known at the end of a day, in the order in which they were first stored. */
  listOn(country: string, known: KnownDay): StoredForecast[] {
    const vintages = vintagesIn(this.#read, country);
    // Without vintages, they were stored by an older bourse, or generated.
    const others = [...forecastsIn(this.#read, country)]
      .filter(([key]) => !vintages.has(key))
      .map(([, forecast]) => REWINDS.macroForecasts(forecast, known));
    const kept = [...vintages.values()].map((one) => forecastOn(one, known.day));
    return [...kept, ...others].filter((one) => one !== null);
  }

  /** Runs `write`, and keeps each forecast of these countries that it changes or removes, with its day. */
  keep(countries: ReadonlySet<string>, storedAt: number, write: () => number): number {
    const stored = [...countries].map(
      (country) => [country, forecastsIn(this.#written, country)] as const,
    );
    const count = write();
    for (const [country, before] of stored) {
      const vintages = vintagesIn(this.#written, country);
      const now = forecastsIn(this.#written, country);
      for (const id of new Set([...before.keys(), ...now.keys()])) {
        const older = vintages.get(id) ?? null;
        const change = { id, storedAt };
        const kept = keepForecast(older, before.get(id) ?? null, now.get(id) ?? null, change);
        const body = JSON.stringify(kept);
        if (body !== JSON.stringify(older))
          this.#put.run({ country, key: id, body, source: COMPUTED, storedAt });
      }
    }
    return count;
  }
}

type List = ReturnType<typeof prepareList>;

const vintagesIn = (list: List, country: string) =>
  new Map(
    list
      .all({ kind: "forecastVintages", country })
      .map(({ key, body }) => [key, JSON.parse(body) as ForecastVintages]),
  );

const forecastsIn = (list: List, country: string) =>
  new Map(
    list
      .all({ kind: "macroForecasts", country })
      .map(({ key, body, source, storedAt }): [string, StoredForecast] => [
        key,
        { ...(JSON.parse(body) as MacroForecast), source, storedAt },
      ]),
  );
