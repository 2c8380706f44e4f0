import type { Database } from "bun:sqlite";
import type { CalendarEvent } from "#domain/calendar-event.ts";
import type { Country } from "#domain/country.ts";
import { IMPORT, type Provenance } from "#domain/records.ts";
import { type KnownDay, REWINDS } from "./known-day.ts";

interface Row extends Provenance {
  readonly body: string;
}

/** The dates of a country's calendar for which a source's answer has every event, both included. */
export interface CoveredDates {
  readonly country: Country;
  readonly source: string;
  /** UTC dates. */
  readonly from: string;
  readonly to: string;
}

// A literal and not a parameter, because the partial index on the date needs it.
const OF_COUNTRY = `kind = 'calendarEvents' AND country = $country`;

/** The economic calendar of the market file. Its events are stored as documents. */
export class CalendarStore {
  readonly #reader: Database;
  readonly #writer: Database;
  readonly #known: KnownDay | null;

  constructor(reader: Database, writer: Database, known: KnownDay | null = null) {
    this.#reader = reader;
    this.#writer = writer;
    this.#known = known;
  }

  /** The events of a country from a UTC date on, soonest first. */
  listFrom(country: Country, date: string): (CalendarEvent & Provenance)[] {
    return this.#reader
      .query<Row, { country: string; date: string }>(
        `SELECT body, source, stored_at AS storedAt FROM documents
         WHERE ${OF_COUNTRY} AND body ->> 'date' >= $date ORDER BY body ->> 'date', id`,
      )
      .all({ country, date })
      .flatMap((row) => this.#parse(row) ?? []);
  }

  /** The event of a country with the latest date, or null. */
  findLast(country: Country): (CalendarEvent & Provenance) | null {
    const rows = this.#reader
      .query<Row, { country: string }>(
        `SELECT body, source, stored_at AS storedAt FROM documents
         WHERE ${OF_COUNTRY} ORDER BY body ->> 'date' DESC`,
      )
      .iterate({ country });
    for (const row of rows) {
      const event = this.#parse(row);
      if (event) return event;
    }
    return null;
  }

  /** The event of a row; null if it was not known on the day of the market. */
  #parse({ body, ...provenance }: Row): (CalendarEvent & Provenance) | null {
    const event = { ...(JSON.parse(body) as CalendarEvent), ...provenance };
    return this.#known === null ? event : REWINDS.calendarEvents(event, this.#known);
  }

  /**
   * Removes events that the source gave earlier for these dates and that its answer no longer has,
   * such as the old time of a rescheduled one. Returns how many.
   */
  removeMissing(covered: CoveredDates, namedIds: ReadonlySet<string>): number {
    const earlier = this.#writer
      .query<{ id: number; key: string }, { [K in keyof CoveredDates]: string }>(
        `SELECT id, key FROM documents WHERE ${OF_COUNTRY} AND source = $source
           AND body ->> 'date' >= $from AND body ->> 'date' <= $to`,
      )
      .all({ ...covered });
    const gone = earlier.filter(({ key }) => !namedIds.has(key));
    const remove = this.#writer.query("DELETE FROM documents WHERE id = ?");
    for (const { id } of gone) remove.run(id);
    return gone.length;
  }

  /** Removes the events of a country before a UTC date, except imported ones. Returns how many. */
  prune(country: Country, date: string): number {
    return this.#writer
      .query<unknown, { country: string; date: string }>(
        `DELETE FROM documents WHERE ${OF_COUNTRY} AND body ->> 'date' < $date
           AND source <> '${IMPORT}'`,
      )
      .run({ country, date }).changes;
  }
}
