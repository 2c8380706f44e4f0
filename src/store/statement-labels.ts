import type { Database } from "bun:sqlite";
import { IMPORT } from "#domain/records.ts";
import { QUARTERS_OF_YEAR, type Statement } from "#domain/statement.ts";
import { daysBetween } from "#lib/date.ts";

type OfCompany = Pick<Statement, "country" | "symbol" | "span">;
type Span = OfCompany & { source: string };
type Label = Pick<Statement, "fiscalYear" | "fiscalQuarter">;
type Labelled = Label & Pick<Statement, "periodEnd">;

/** In days: ends of one period that differ by less are two readings of its last day. */
const SAME_PERIOD_DAYS = 45;
/** Quarters that a fiscal year of twelve months does not have: labels for displaced statements. */
const SPARE_QUARTERS = [5, 6, 7];

const OF_COMPANY = "country = $country AND symbol = $symbol AND span = $span";
const SPAN = `${OF_COMPANY} AND source = $source`;
const COLUMNS = `SELECT fiscal_year AS fiscalYear, fiscal_quarter AS fiscalQuarter,
  period_end AS periodEnd FROM statements`;
const LABEL = "fiscal_year = $fiscalYear AND fiscal_quarter = $fiscalQuarter";

/**
 * The labels (fiscal year and quarter) of stored statements. Each label is the key of one statement of its span. A
 * company that moves its fiscal year gets other labels for known periods, and known labels for other periods.
 */
export class StatementLabels {
  readonly #list;
  readonly #imports;
  /** Other periods with a label, and other labels of a period. */
  readonly #conflicts;
  readonly #moves;
  readonly #remove;

  constructor(writer: Database) {
    this.#list = writer.query<Labelled, OfCompany>(`${COLUMNS} WHERE ${OF_COMPANY}`);
    this.#imports = writer.query<Labelled, OfCompany>(
      `${COLUMNS} WHERE ${OF_COMPANY} AND source = '${IMPORT}'`,
    );
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
   * Prepares the storing of a statement of a source, and returns it with the label under which it is stored: its period
   * takes its new label, with its vintages. Another period that has this label takes a spare one, until its source gives
   * it again. If that is an imported one, which no source replaces, the statement itself takes a spare one, unless its
   * period is imported too. An import replaces an earlier one of its label: the operator corrects its date.
   */
  makeWay(record: Statement, source: string): Statement {
    const { country, symbol, span, fiscalYear, fiscalQuarter, periodEnd } = record;
    const ofCompany = { country, symbol, span };
    const key = { ...ofCompany, source };
    const conflicts = this.#conflicts.all({ ...key, fiscalYear, fiscalQuarter, periodEnd });
    const isFar = (one: Labelled) =>
      Math.abs(daysBetween(one.periodEnd, periodEnd)) >= SAME_PERIOD_DAYS;
    const imports = source === IMPORT ? [] : this.#imports.all(ofCompany);
    const hasLabel = (one: Label) =>
      one.fiscalYear === fiscalYear && one.fiscalQuarter === fiscalQuarter;
    if (imports.some(hasLabel) && imports.every(isFar)) {
      const former = conflicts.find((one) => one.periodEnd === periodEnd);
      const free = former ?? spareLabel(record, this.#list.all(ofCompany));
      return { ...record, ...labelOf(free) };
    }
    for (const other of source === IMPORT ? [] : conflicts)
      if (isFar(other))
        this.#move(key, other, spareLabel({ ...other, span }, this.#list.all(ofCompany)));
    for (const former of conflicts) {
      if (former.periodEnd !== periodEnd) continue;
      this.#move(key, former, record);
      // If its label has the period already, with a last day near this one.
      this.#remove.run({ ...key, ...labelOf(former), periodEnd });
    }
    return record;
  }

  #move(key: Span, from: Labelled, to: Label): void {
    const { fiscalYear: toYear, fiscalQuarter: toQuarter } = to;
    const { fiscalYear, fiscalQuarter, periodEnd } = from;
    for (const move of this.#moves)
      move.run({ ...key, fiscalYear, fiscalQuarter, periodEnd, toYear, toQuarter });
  }
}

const labelOf = ({ fiscalYear, fiscalQuarter }: Label): Label => ({ fiscalYear, fiscalQuarter });

/**
 * The first free label with a spare quarter, from the year before the end of a period on. A year to date keeps the
 * number of quarters that it covers.
 */
function spareLabel(
  { span, fiscalQuarter, periodEnd }: Pick<Statement, "span" | "fiscalQuarter" | "periodEnd">,
  stored: readonly Label[],
): Label {
  const sameNumber =
    fiscalQuarter < QUARTERS_OF_YEAR ? fiscalQuarter + QUARTERS_OF_YEAR : fiscalQuarter;
  const quarters = span === "year_to_date" ? [sameNumber] : SPARE_QUARTERS;
  for (let fiscalYear = Number(periodEnd.slice(0, 4)) - 1; ; fiscalYear++)
    for (const quarter of quarters)
      if (!stored.some((one) => one.fiscalYear === fiscalYear && one.fiscalQuarter === quarter))
        return { fiscalYear, fiscalQuarter: quarter };
}
