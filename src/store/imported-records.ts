import type { Database } from "bun:sqlite";
import type { Country } from "#domain/country.ts";
import { IMPORT, type RecordKind } from "#domain/records.ts";

/** The imported records under one key. */
export interface ImportedRecord {
  readonly kind: RecordKind;
  readonly country: Country;
  /** Identifies the record in its country: a symbol, a series, an event, a month. */
  readonly key: string;
  /** The number of bars, statements, observations or payments; 1 for a record without a list. */
  readonly records: number;
  /** The dates of the first and the last; null if they have none. */
  readonly first: string | null;
  readonly last: string | null;
  /** UTC milliseconds. */
  readonly storedAt: number;
}

const DATE = (column: string) =>
  `substr(${column}, 1, 4) || '-' || substr(${column}, 5, 2) || '-' || substr(${column}, 7)`;

const LIST = `
  SELECT 'instruments' AS kind, country, symbol AS key, 1 AS records, NULL AS first, NULL AS last,
    stored_at AS storedAt FROM instruments WHERE source = '${IMPORT}'
  UNION ALL
  SELECT 'bars', country, symbol, (SELECT count(*) FROM scaled_bars WHERE instrument_id = id),
    (SELECT ${DATE("min(date)")} FROM scaled_bars WHERE instrument_id = id),
    (SELECT ${DATE("max(date)")} FROM scaled_bars WHERE instrument_id = id), bar_histories.stored_at
    FROM bar_histories JOIN instruments ON id = instrument_id WHERE bar_histories.source = '${IMPORT}'
  UNION ALL
  SELECT 'statements', country, symbol, count(*), min(period_end), max(period_end), max(stored_at)
    FROM statements WHERE source = '${IMPORT}' GROUP BY country, symbol
  UNION ALL
  SELECT kind, country, key,
    coalesce(json_array_length(body, '$.observations'), json_array_length(body, '$.dividends'),
      json_array_length(body, '$.splits'), json_array_length(body, '$.values'), 1),
    coalesce(body ->> '$.observations[0].period', body ->> '$.dividends[0].exDate',
      body ->> '$.splits[0].exDate', body ->> '$.date', body ->> '$.month'),
    coalesce(body ->> '$.observations[#-1].period', body ->> '$.dividends[#-1].exDate',
      body ->> '$.splits[#-1].exDate', body ->> '$.date', body ->> '$.month'),
    stored_at FROM documents WHERE source = '${IMPORT}'`;

/** The imported records of the market file, of every kind. */
export function createImportedRecordStore(reader: Database, writer: Database) {
  const list = reader.query<ImportedRecord, { kind: string | null }>(
    `SELECT * FROM (${LIST}) WHERE $kind IS NULL OR kind = $kind ORDER BY kind, country, key`,
  );
  const listTimes = reader.query<{ text: string; storedAt: number }, []>(
    `SELECT kind || ' ' || country || ':' || key AS text, max(stored_at) AS storedAt FROM (
       SELECT 'instruments' AS kind, country, symbol AS key, stored_at FROM instruments
         WHERE source = '${IMPORT}'
       UNION ALL SELECT 'bars', country, symbol, bar_histories.stored_at FROM bar_histories
         JOIN instruments ON id = instrument_id WHERE bar_histories.source = '${IMPORT}'
       UNION ALL SELECT 'statements', country, symbol, stored_at FROM statements
         WHERE source = '${IMPORT}'
       UNION ALL SELECT kind, country, key, stored_at FROM documents WHERE source = '${IMPORT}')
     GROUP BY text`,
  );
  const remove = prepareRemovals(writer);

  return {
    /** The imported records of one kind or of all (null), sorted by kind, country and key. */
    list: (kind: RecordKind | null): ImportedRecord[] => list.all({ kind }),
    /** When each key was last imported, UTC milliseconds. The keys are texts, such as `bars US:AAPL`. */
    listTimes: (): ReadonlyMap<string, number> =>
      new Map(listTimes.all().map(({ text, storedAt }) => [text, storedAt])),
    /**
     * Removes imported records and makes their keys due again. An instrument is removed with its bars; statements and
     * forecasts are removed with their vintages. Call it within `transaction`.
     */
    remove(records: Iterable<Pick<ImportedRecord, "kind" | "country" | "key">>): void {
      for (const { kind, country, key } of records) {
        if (kind === "instruments") remove.instrument.run({ country, key });
        else if (kind === "bars") remove.bars.run({ country, key });
        else if (kind === "statements") {
          remove.statements.run({ country, key });
          remove.vintages.run({ country, key });
        } else remove.document.run({ kind, country, key });
        if (kind === "macroForecasts") {
          remove.forecasts.run({ country, key });
          remove.emptyForecasts.run({ country, key });
        }
        remove.fetch.run({ kind, country, key });
      }
    },
  };
}

type Key = { country: string; key: string };

const OF_FORECAST = "kind = 'forecastVintages' AND country = $country AND key = $key";

function prepareRemovals(writer: Database) {
  return {
    instrument: writer.query<unknown, Key>(
      `DELETE FROM instruments WHERE country = $country AND symbol = $key AND source = '${IMPORT}'`,
    ),
    bars: writer.query<unknown, Key>(
      `DELETE FROM bar_histories WHERE source = '${IMPORT}' AND instrument_id =
         (SELECT id FROM instruments WHERE country = $country AND symbol = $key)`,
    ),
    statements: writer.query<unknown, Key>(
      `DELETE FROM statements WHERE country = $country AND symbol = $key AND source = '${IMPORT}'`,
    ),
    vintages: writer.query<unknown, Key>(
      `DELETE FROM statement_vintages WHERE country = $country AND symbol = $key AND source = '${IMPORT}'`,
    ),
    document: writer.query<unknown, Key & { kind: string }>(
      `DELETE FROM documents WHERE kind = $kind AND country = $country AND key = $key
         AND source = '${IMPORT}'`,
    ),
    forecasts: writer.query<unknown, Key>(
      `UPDATE documents SET body = json_set(body, '$.vintages', json((SELECT json_group_array(json(value))
         FROM json_each(body, '$.vintages') WHERE value ->> 'source' <> '${IMPORT}'))) WHERE ${OF_FORECAST}`,
    ),
    emptyForecasts: writer.query<unknown, Key>(
      `DELETE FROM documents WHERE ${OF_FORECAST} AND json_array_length(body, '$.vintages') = 0`,
    ),
    // Makes the key due again, so that the next refresh fetches what the import had replaced.
    fetch: writer.query<unknown, Key & { kind: string }>(
      `UPDATE fetches SET succeeded_at = NULL
       WHERE kind = $kind AND country = $country AND symbol IN ('', $key)`,
    ),
  };
}
