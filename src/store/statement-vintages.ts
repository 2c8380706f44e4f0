import type { Database } from "bun:sqlite";
import { localDateOf, priceDateOf } from "#domain/country.ts";
import type { InstrumentKey } from "#domain/instrument.ts";
import { IMPORT, type Provenance } from "#domain/records.ts";
import {
  PER_SHARE_ITEMS,
  SHARE_COUNT_ITEMS,
  type Statement,
  type StatementItem,
  type StatementVintage,
} from "#domain/statement.ts";
import { dateOf } from "#lib/date.ts";

/** A vintage as it is stored. */
export interface VintageRow extends Omit<
  StatementVintage,
  "items" | "sharesAsOf" | "isFilingAssumed"
> {
  readonly isFilingAssumed: number | null;
  readonly items: string | null;
  readonly sharesAsOf: string;
  readonly source: string;
  readonly storedAt: number;
}

type Company = { country: string; symbol: string };
type Period = Company &
  Pick<Statement, "span" | "fiscalYear" | "fiscalQuarter"> & { source: string };

const COMPANY = "country = $country AND symbol = $symbol";
const PERIOD = `${COMPANY} AND source = $source AND span = $span AND fiscal_year = $fiscalYear
  AND fiscal_quarter = $fiscalQuarter`;

/**
 * What becomes of vintages when statements are stored. Changes that an older bourse wrote are applied by its rules, so
 * that all nodes of a cluster have equal markets during and after an upgrade.
 *
 * - `none`: restated figures are not kept.
 * - `first`: they are kept, from the UTC day on which they are stored, and stay when another source replaces the
 *   statements.
 * - `dropped`: they are kept from the local day of the country, and go with the statements.
 * - `numbered`: the same, and a period keeps them if its fiscal year or quarter gets another number.
 * - `series`: the same, and earlier figures of macro series are kept, too.
 * - `current`: the same, and earlier macro forecasts are kept, too.
 */
export type VintageRules = "none" | "first" | "dropped" | "numbered" | "series" | "current";

/** True if vintages go with the statements that another source replaces. */
export const dropsVintages = (rules: VintageRules): boolean =>
  rules === "dropped" || renumbersVintages(rules);

/** True if a period keeps its vintages when its fiscal year or quarter gets another number. */
export const renumbersVintages = (rules: VintageRules): boolean =>
  rules === "numbered" || keepsSeries(rules);

/** True if earlier figures of macro series are kept. */
export const keepsSeries = (rules: VintageRules): boolean =>
  rules === "series" || keepsForecasts(rules);

/** True if earlier macro forecasts are kept. */
export const keepsForecasts = (rules: VintageRules): boolean => rules === "current";

/** Items that a split changes without a restatement. */
const OF_SHARES: ReadonlySet<StatementItem> = new Set([...PER_SHARE_ITEMS, ...SHARE_COUNT_ITEMS]);

/** The earlier figures of restated statements. */
export class VintageStore {
  readonly #reads;
  readonly #writes;

  constructor(reader: Database, writer: Database) {
    this.#reads = {
      list: reader.query<VintageRow, Company & { since: number; through: string }>(
        `SELECT country, symbol, source, span, fiscal_year AS fiscalYear, fiscal_quarter AS fiscalQuarter,
           filed_on AS filedOn, filing_assumed AS isFilingAssumed, period_end AS periodEnd, currency,
           accession, items, shares_as_of AS sharesAsOf, stored_at AS storedAt
         FROM statement_vintages WHERE ${COMPANY} AND fiscal_year >= $since AND period_end <= $through
         ORDER BY period_end, span, filed_on`,
      ),
    };
    this.#writes = {
      drop: writer.query<unknown, Company & { source: string }>(
        `DELETE FROM statement_vintages WHERE ${COMPANY} AND source = $source`,
      ),
      dropOthers: writer.query<unknown, Company & { source: string | null }>(
        `DELETE FROM statement_vintages WHERE ${COMPANY} AND source <> '${IMPORT}'
           AND source IS NOT $source`,
      ),
      hasFilings: writer.query<unknown, Company & { source: string }>(
        `SELECT 1 FROM statement_vintages WHERE ${COMPANY} AND source = $source
           AND accession IS NOT NULL LIMIT 1`,
      ),
      newest: writer.query<{ filedOn: string | null }, Period>(
        `SELECT max(filed_on) AS filedOn FROM statement_vintages WHERE ${PERIOD}`,
      ),
      put: writer.query(
        `INSERT OR REPLACE INTO statement_vintages (country, symbol, source, span, fiscal_year,
           fiscal_quarter, filed_on, filing_assumed, period_end, currency, accession, items,
           shares_as_of, stored_at)
         VALUES ($country, $symbol, $source, $span, $fiscalYear, $fiscalQuarter, $filedOn,
           $isFilingAssumed, $periodEnd, $currency, $accession, $items, $sharesAsOf, $storedAt)`,
      ),
    };
  }

  /** The vintages of all sources of fiscal years from `since` on, the oldest filing of each period first. */
  list(
    { country, symbol }: InstrumentKey,
    periods: { readonly since: number; readonly through: string },
  ): VintageRow[] {
    return this.#reads.list.all({ country, symbol, ...periods });
  }

  /** Stores the vintages of companies. They replace all that the source gave of each company; returns how many. */
  put(records: Iterable<StatementVintage>, { source, storedAt }: Provenance): number {
    let stored = 0;
    const begun = new Set<string>();
    for (const record of records) {
      const { country, symbol } = record;
      if (!begun.has(`${country} ${symbol}`)) this.#writes.drop.run({ country, symbol, source });
      begun.add(`${country} ${symbol}`);
      const items = record.items && formatItems(record.items);
      const { sharesAsOf = priceDateOf(country, storedAt) } = record;
      this.#write({ ...record, source, items, sharesAsOf, storedAt });
      stored++;
    }
    return stored;
  }

  /**
   * Removes the vintages of a company, except imported ones and a source's. They belong to removed statements:
   * a vintage without items would show the figures of a later statement of its period.
   */
  dropOthers({ country, symbol }: InstrumentKey, source: string | null): void {
    this.#writes.dropOthers.run({ country, symbol, source });
  }

  /**
   * Keeps the figures of a stored statement that a newer record of the same source restates. The newer ones count from
   * their day of filing or, if that is not newer, from the day on which they are stored, a day of the company's country
   * as days of filing are. A source that gives vintages
   * itself is left alone.
   */
  keep(
    old: Omit<VintageRow, "accession" | "items"> & { readonly items: string },
    newer: Statement,
    storedAt: number,
    rules: VintageRules,
  ): void {
    const { country, symbol, source } = old;
    if (!isRestated(JSON.parse(old.items) as Statement["items"], newer.items)) return;
    if (this.#writes.hasFilings.get({ country, symbol, source })) return;
    const { span, fiscalYear, fiscalQuarter } = old;
    const period = { country, symbol, source, span, fiscalYear, fiscalQuarter };
    const since = this.#writes.newest.get(period)?.filedOn ?? old.filedOn;
    const today = rules === "first" ? dateOf(storedAt) : localDateOf(newer.country, storedAt);
    const filedOn = newer.filedOn > old.filedOn ? newer.filedOn : today;
    // A correction on the same day is no restatement.
    if (filedOn <= since) return;
    this.#write({ ...old, filedOn: since, accession: null });
    const { sharesAsOf } = old;
    this.#write({ ...newer, source, filedOn, accession: null, items: null, sharesAsOf, storedAt });
  }

  #write(
    row: Omit<VintageRow, "isFilingAssumed"> & {
      readonly isFilingAssumed?: boolean | number | null;
    },
  ): void {
    const isFilingAssumed = row.isFilingAssumed ? 1 : null;
    const { country, symbol, source, span, fiscalYear, fiscalQuarter, filedOn } = row;
    const { periodEnd, currency, accession, items, sharesAsOf, storedAt } = row;
    const key = { country, symbol, source, span, fiscalYear, fiscalQuarter, filedOn };
    const rest = { isFilingAssumed, periodEnd, currency, accession, items, sharesAsOf, storedAt };
    this.#writes.put.run({ ...key, ...rest });
  }
}

/** The items as JSON without the unknown ones. */
export function formatItems(items: Statement["items"]): string {
  const known: Partial<Record<string, number>> = {};
  // A replacer would be called for each item.
  for (const name in items) {
    const value = items[name as StatementItem];
    if (value !== null && value !== undefined) known[name] = value;
  }
  return JSON.stringify(known);
}

/** True if a known figure, other than of shares, has another value. */
function isRestated(old: Statement["items"], newer: Statement["items"]): boolean {
  return (Object.keys(old) as StatementItem[]).some((item) => {
    const [before, after] = [old[item] ?? null, newer[item]];
    return !OF_SHARES.has(item) && before !== null && after !== null && before !== after;
  });
}
