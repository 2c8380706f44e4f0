import type { Database } from "bun:sqlite";
import type { Statement } from "#domain/statement.ts";
import { daysBetween } from "#lib/date.ts";

type Span = Pick<Statement, "country" | "symbol" | "span"> & { source: string };
type Label = Pick<Statement, "fiscalYear" | "fiscalQuarter">;
type Labelled = Label & Pick<Statement, "periodEnd">;

/** In days: ends of one period that differ by less are two readings of its last day. */
const SAME_PERIOD_DAYS = 45;
/** Quarters that a fiscal year of twelve months does not have: labels for displaced statements. */
const SPARE_QUARTERS = [5, 6, 7];

const SPAN = `country = $country AND symbol = $symbol AND source = $source AND span = $span`;
const COLUMNS = `SELECT fiscal_year AS fiscalYear, fiscal_quarter AS fiscalQuarter,
  period_end AS periodEnd FROM statements`;
const LABEL = "fiscal_year = $fiscalYear AND fiscal_quarter = $fiscalQuarter";

/**
 * The labels (fiscal year and quarter) of stored statements, of which each is the key of one statement. A company that
 * moves its fiscal year gets other labels for known periods, and known labels for other periods.
 */
export class StatementLabels {
  readonly #list;
  /** Other periods with a label, and other labels of a period. */
  readonly #conflicts;
  readonly #moves;
  readonly #remove;

  constructor(writer: Database) {
    this.#list = writer.query<Labelled, Span>(`${COLUMNS} WHERE ${SPAN}`);
    this.#conflicts = writer.query<Labelled, Span & Labelled>(
      `${COLUMNS} WHERE ${SPAN} AND (${LABEL}) <> (period_end = $periodEnd)`,
    );
    this.#moves = ["statements", "statement_vintages"].map((table) =>
      writer.query<unknown, Span & Labelled & { toYear: number; toQuarter: number }>(
        `UPDATE OR IGNORE ${table} SET fiscal_year = $toYear, fiscal_quarter = $toQuarter
         WHERE ${SPAN} AND ${LABEL} AND period_end = $periodEnd`,
      ),
    );
    this.#remove = writer.query<unknown, Span & Labelled>(
      `DELETE FROM statements WHERE ${SPAN} AND ${LABEL} AND period_end = $periodEnd`,
    );
  }

  /**
   * Prepares the storing of a statement of a source: its period takes its new label, with its vintages. Another
   * period that has this label takes a spare one, until its source gives it again.
   */
  makeWay(record: Statement, source: string): void {
    const { country, symbol, span, fiscalYear, fiscalQuarter, periodEnd } = record;
    const key = { country, symbol, span, source };
    const conflicts = this.#conflicts.all({ ...key, fiscalYear, fiscalQuarter, periodEnd });
    for (const other of conflicts)
      if (Math.abs(daysBetween(other.periodEnd, periodEnd)) >= SAME_PERIOD_DAYS)
        this.#move(key, other, spareLabel(other, this.#list.all(key)));
    for (const former of conflicts) {
      if (former.periodEnd !== periodEnd) continue;
      this.#move(key, former, record);
      // If its label has the period already, with a last day near this one.
      this.#remove.run({ ...key, ...former });
    }
  }

  #move(key: Span, from: Labelled, to: Label): void {
    const { fiscalYear: toYear, fiscalQuarter: toQuarter } = to;
    const { fiscalYear, fiscalQuarter, periodEnd } = from;
    for (const move of this.#moves)
      move.run({ ...key, fiscalYear, fiscalQuarter, periodEnd, toYear, toQuarter });
  }
}

/** The first free label with a spare quarter, from the year before the end of a period on. */
function spareLabel({ periodEnd }: Labelled, stored: readonly Label[]): Label {
  for (let fiscalYear = Number(periodEnd.slice(0, 4)) - 1; ; fiscalYear++)
    for (const fiscalQuarter of SPARE_QUARTERS)
      if (
        !stored.some((one) => one.fiscalYear === fiscalYear && one.fiscalQuarter === fiscalQuarter)
      )
        return { fiscalYear, fiscalQuarter };
}
