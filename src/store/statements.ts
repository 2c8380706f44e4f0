import type { Database } from "bun:sqlite";
import type { InstrumentKey } from "#domain/instrument.ts";
import { IMPORT, type Provenance } from "#domain/records.ts";
import type { Statement } from "#domain/statement.ts";
import { eachInSlices, type Slices } from "#lib/slices.ts";
import { importsWin, ROWS_PER_SLICE } from "./database.ts";

type Row = Omit<Statement, "items"> & Provenance & { items: string };

/** The statements of the market file. */
export function createStatementStore(reader: Database, writer: Database) {
  const columns = `SELECT country, symbol, span, fiscal_year AS fiscalYear,
    fiscal_quarter AS fiscalQuarter, period_end AS periodEnd, filed_on AS filedOn, currency, items,
    source, stored_at AS storedAt FROM statements WHERE country = $country AND symbol = $symbol`;
  const list = reader.query<Row, { country: string; symbol: string }>(
    `${columns} ORDER BY period_end, span`,
  );
  const latest = reader.query<Row, { country: string; symbol: string; years: number }>(
    `${columns} AND fiscal_year > (SELECT max(fiscal_year) FROM statements
       WHERE country = $country AND symbol = $symbol) - $years ORDER BY period_end, span`,
  );
  const parse = (row: Row) => ({ ...row, items: JSON.parse(row.items) as Statement["items"] });
  const dropOthers = writer.query<unknown, { country: string; symbol: string; source: string }>(
    `DELETE FROM statements WHERE country = $country AND symbol = $symbol
       AND source NOT IN ($source, '${IMPORT}')`,
  );
  const put = writer.query(
    `INSERT INTO statements (country, symbol, span, fiscal_year, fiscal_quarter, period_end, filed_on,
       currency, items, source, stored_at)
     VALUES ($country, $symbol, $span, $fiscalYear, $fiscalQuarter, $periodEnd, $filedOn, $currency,
       $items, $source, $storedAt)
     ON CONFLICT (country, symbol, span, fiscal_year, fiscal_quarter) DO UPDATE SET
       period_end = excluded.period_end, filed_on = excluded.filed_on, currency = excluded.currency,
       items = excluded.items, source = excluded.source, stored_at = excluded.stored_at
     WHERE ${importsWin("statements")}`,
  );

  return {
    /** Every statement of the instrument, oldest period first. */
    list(key: InstrumentKey): (Statement & Provenance)[] {
      return list.all({ country: key.country, symbol: key.symbol }).map(parse);
    },
    /** The statements of the newest `years` fiscal years, oldest period first. */
    listLatest(key: InstrumentKey, years: number): (Statement & Provenance)[] {
      return latest.all({ country: key.country, symbol: key.symbol, years }).map(parse);
    },
    /**
     * Adds these statements, or replaces those of the same period; returns how many. Statements of the
     * company from another source are removed, except imported ones, because sources may number fiscal
     * years differently.
     */
    *putInSlices(records: Iterable<Statement>, provenance: Provenance): Slices<number> {
      const begun = new Set<string>();
      return yield* eachInSlices(records, ROWS_PER_SLICE, (record) => {
        const { country, symbol } = record;
        if (provenance.source !== IMPORT && !begun.has(`${country} ${symbol}`)) {
          dropOthers.run({ country, symbol, source: provenance.source });
          begun.add(`${country} ${symbol}`);
        }
        put.run({ ...record, items: JSON.stringify(record.items), ...provenance });
      });
    },
  };
}
