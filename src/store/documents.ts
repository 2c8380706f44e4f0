import type { Database } from "bun:sqlite";
import type { Country } from "#domain/country.ts";
import type { Provenance, RecordKind, RecordOf } from "#domain/records.ts";
import { importsWin } from "./database.ts";

/** The kinds of record that are kept as documents, and what tells two of a country apart. */
const KEYS = {
  quotes: (record) => record.symbol,
  dividends: (record) => record.symbol,
  macroSeries: (record) => record.id,
  macroForecasts: (record) => `${record.category}/${record.name}`,
  indexPe: (record) => record.month,
  calendarEvents: (record) => record.id,
  holidayOverrides: (record) => record.date,
  analystCoverage: (record) => record.symbol,
  earningsDates: (record) => record.symbol,
} satisfies { [K in RecordKind]?: (record: RecordOf<K>) => string };

/** A kind of record that is kept as a document. */
export type DocumentKind = keyof typeof KEYS;

interface Row extends Provenance {
  body: string;
}

/** The records of the market file that are only ever read whole. */
export function createDocumentStore(reader: Database, writer: Database) {
  const columns = "SELECT body, source, stored_at AS storedAt FROM documents WHERE kind = $kind";
  const list = reader.query<Row, { kind: string; country: string | null }>(
    `${columns} AND ($country IS NULL OR country = $country) ORDER BY id`,
  );
  const find = reader.query<Row, { kind: string; country: string; key: string }>(
    `${columns} AND country = $country AND key = $key`,
  );
  const any = reader.query<unknown, { kind: string; country: string }>(
    "SELECT 1 FROM documents WHERE kind = $kind AND country = $country LIMIT 1",
  );
  const drop = writer.query(
    `DELETE FROM documents WHERE kind = $kind AND source = $source
       AND ($country IS NULL OR country = $country)`,
  );
  const put = writer.query(
    `INSERT INTO documents (kind, country, key, body, source, stored_at)
     VALUES ($kind, $country, $key, $body, $source, $storedAt)
     ON CONFLICT (kind, country, key) DO UPDATE SET body = excluded.body, source = excluded.source,
       stored_at = excluded.stored_at WHERE ${importsWin("documents")}`,
  );
  const parse = <K extends DocumentKind>({ body, ...provenance }: Row) => ({
    ...(JSON.parse(body) as RecordOf<K>),
    ...provenance,
  });

  return {
    /** Every record of a kind, of one country or of all (null), in the order in which they were stored. */
    list<K extends DocumentKind>(kind: K, country: Country | null): (RecordOf<K> & Provenance)[] {
      return list.all({ kind, country }).map(parse<K>);
    },
    hasAny: (kind: DocumentKind, country: Country): boolean => any.get({ kind, country }) !== null,
    /** The record with that key, or null. */
    find<K extends DocumentKind>(
      kind: K,
      country: Country,
      key: string,
    ): (RecordOf<K> & Provenance) | null {
      const row = find.get({ kind, country, key });
      return row && parse<K>(row);
    },
    /**
     * Stores records. They take the place of what the same source gave before: of records with the
     * same key, and with `whole` of all of that kind in that country, or in all (null).
     */
    put<K extends DocumentKind>(
      kind: K,
      records: Iterable<RecordOf<K>>,
      provenance: Provenance,
      whole?: { country: Country | null },
    ): number {
      const keyOf = KEYS[kind] as (record: RecordOf<K>) => string;
      let stored = 0;
      if (whole) drop.run({ kind, source: provenance.source, country: whole.country });
      for (const record of records) {
        put.run({
          kind,
          country: record.country,
          key: keyOf(record),
          body: JSON.stringify(record),
          ...provenance,
        });
        stored++;
      }
      return stored;
    },
  };
}
