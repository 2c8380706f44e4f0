import type { Database } from "bun:sqlite";
import { priceDateOf } from "#domain/country.ts";
import type { InstrumentKey } from "#domain/instrument.ts";
import { IMPORT, type Provenance } from "#domain/records.ts";
import { adjustStatement } from "#domain/split-adjustment.ts";
import {
  NO_ITEMS,
  type Statement,
  type StatementItem,
  type StatementVintage,
} from "#domain/statement.ts";
import { addDays } from "#lib/date.ts";
import { importsWin } from "./database.ts";
import type { KnownDay } from "./known-day.ts";
import { StatementLabels } from "./statement-labels.ts";
import {
  dropsVintages,
  renumbersVintages,
  formatItems,
  type VintageRow,
  type VintageRules,
  VintageStore,
} from "./statement-vintages.ts";
import type { StoredSplits } from "./stored-splits.ts";

type Row = Omit<Statement, "items" | "sharesAsOf" | "isFilingAssumed"> &
  Provenance & {
    items: string;
    sharesAsOf: string;
    isFilingAssumed: number | null;
    /** Of the filing, if the row is a vintage. */
    accession?: string | null;
  };

/** The figures of a period as they were filed: `filedOn` is the day of that filing. */
export type FiledStatement = Statement & Provenance & Pick<StatementVintage, "accession">;

/** Statements whose newest period ends this much earlier than a list's are outdated. */
const OUTDATED_DAYS = 100;

type Statements = readonly [Statement, ...Statement[]];

/** The statements of each company, in the same order. */
function* byCompany(records: Iterable<Statement>): Generator<Statements> {
  let company: [Statement, ...Statement[]] | null = null;
  for (const record of records) {
    if (company?.[0].symbol === record.symbol && company[0].country === record.country) {
      company.push(record);
      continue;
    }
    if (company) yield company;
    company = [record];
  }
  if (company) yield company;
}

const maxOf = (a: string, b: string) => (a > b ? a : b);

const COLUMNS = `SELECT country, symbol, span, fiscal_year AS fiscalYear,
  fiscal_quarter AS fiscalQuarter, period_end AS periodEnd, filed_on AS filedOn,
  filing_assumed AS isFilingAssumed, currency, items, shares_as_of AS sharesAsOf, source,
  stored_at AS storedAt FROM statements WHERE country = $country AND symbol = $symbol`;

type Key = { country: string; symbol: string };
/** Periods of fiscal years from `since` on that end by the day `through`. */
type Periods = { since: number; through: string };
/** All periods. */
const ALL: Periods = { since: 0, through: "9999-12-31" };

function prepareReads(reader: Database) {
  return {
    list: reader.query<Row, Key & Periods>(
      `${COLUMNS} AND fiscal_year >= $since AND period_end <= $through ORDER BY period_end, span`,
    ),
    latest: reader.query<Row, Key & { years: number }>(
      `${COLUMNS} AND fiscal_year > (SELECT max(fiscal_year) FROM statements
         WHERE country = $country AND symbol = $symbol) - $years ORDER BY period_end, span`,
    ),
  };
}

/** Fetches of the statements of a company, or with an empty symbol of a list of all. */
const FETCHES = "FROM fetches WHERE kind = 'statements' AND fetches.country = $country";
const OWN_FETCHES = `${FETCHES} AND fetches.symbol = $symbol AND records > 0`;
const FETCHED = `FROM statements WHERE country = $country AND symbol = $symbol
  AND source <> '${IMPORT}'`;

function prepareWrites(writer: Database) {
  return {
    /** Sees the writes of this transaction. */
    find: writer.query<Row, Key & Pick<Statement, "span" | "fiscalYear" | "fiscalQuarter">>(
      `${COLUMNS} AND span = $span AND fiscal_year = $fiscalYear AND fiscal_quarter = $fiscalQuarter`,
    ),
    // Of the statements of the source itself, its first own fetch removes those from a list.
    dropOthers: writer.query<unknown, Key & { source: string }>(
      `DELETE ${FETCHED} AND (source <> $source
         OR (NOT EXISTS (SELECT 1 ${OWN_FETCHES} AND fetches.source = $source)
           AND EXISTS (SELECT 1 ${FETCHES} AND fetches.symbol = '' AND fetches.source = $source)))`,
    ),
    newestOwn: writer.query<{ end: string | null }, Key>(
      `SELECT max(period_end) AS end ${FETCHED} AND EXISTS (SELECT 1 ${OWN_FETCHES})`,
    ),
    dropFetched: writer.query<unknown, Key>(`DELETE ${FETCHED}`),
    forgetFetches: writer.query<unknown, Key>(`DELETE ${OWN_FETCHES}`),
    put: writer.query(
      `INSERT INTO statements (country, symbol, span, fiscal_year, fiscal_quarter, period_end,
         filed_on, filing_assumed, currency, items, shares_as_of, source, stored_at)
       VALUES ($country, $symbol, $span, $fiscalYear, $fiscalQuarter, $periodEnd, $filedOn,
         $isFilingAssumed, $currency, $items, $sharesAsOf, $source, $storedAt)
       ON CONFLICT (country, symbol, span, fiscal_year, fiscal_quarter) DO UPDATE SET
         period_end = excluded.period_end, filed_on = excluded.filed_on,
         filing_assumed = excluded.filing_assumed, currency = excluded.currency,
         items = excluded.items, shares_as_of = excluded.shares_as_of, source = excluded.source,
         stored_at = excluded.stored_at
       WHERE ${importsWin("statements")}`,
    ),
  };
}

/** The statements of the market file. */
export class StatementStore {
  readonly #reads: ReturnType<typeof prepareReads>;
  readonly #writes: ReturnType<typeof prepareWrites>;

  readonly #splits: StoredSplits;
  readonly #vintages: VintageStore;
  readonly #labels: StatementLabels;
  readonly #known: KnownDay | null;

  /** `known`: only what was filed by that day is read, in the shares of that day; null for all. */
  constructor(
    reader: Database,
    writer: Database,
    splits: StoredSplits,
    known: KnownDay | null = null,
  ) {
    this.#splits = splits;
    this.#known = known;
    this.#vintages = new VintageStore(reader, writer);
    this.#labels = new StatementLabels(writer);
    this.#reads = prepareReads(reader);
    this.#writes = prepareWrites(writer);
  }

  /** Every statement of the instrument in today's shares, oldest period first. */
  list({ country, symbol }: InstrumentKey): (Statement & Provenance)[] {
    if (this.#known !== null) return this.#parse(lastFiled(this.#filedRows({ country, symbol })));
    return this.#parse(this.#reads.list.all({ country, symbol, ...ALL }));
  }

  /** The statements of the newest `years` fiscal years in today's shares, oldest period first. */
  listLatest({ country, symbol }: InstrumentKey, years: number): (Statement & Provenance)[] {
    if (this.#known !== null) return this.#listKnownLatest({ country, symbol }, years);
    return this.#parse(this.#reads.latest.all({ country, symbol, years }));
  }

  /** The statements of the newest `years` fiscal years that were known on the day. */
  #listKnownLatest(key: InstrumentKey, years: number): (Statement & Provenance)[] {
    const ofDay = Number(this.#known?.day.slice(0, 4));
    // Most companies filed in the year before. The others are read whole.
    const recent = this.#filedRows(key, ofDay - years - 1);
    const rows = recent.length > 0 ? recent : this.#filedRows(key);
    const newest = Math.max(...rows.map(({ fiscalYear }) => fiscalYear));
    return this.#parse(lastFiled(rows.filter(({ fiscalYear }) => fiscalYear > newest - years)));
  }

  /**
   * Every statement as each of its filings gave it, oldest period first, then oldest filing. A statement without
   * vintages was filed once. `knownStatements` selects those that were known on a day.
   *
   * @param sharesOn the figures are in the shares of the end of this day, by default of today
   */
  listFiled(key: InstrumentKey, sharesOn?: string): FiledStatement[] {
    const rows = this.#filedRows(key);
    return this.#parse(rows, sharesOn).map((one, i) => ({
      ...one,
      accession: rows[i]?.accession ?? null,
    }));
  }

  /** The rows of all filings until the known day, of fiscal years from `since` on. */
  #filedRows({ country, symbol }: InstrumentKey, since = 0): Row[] {
    const known = this.#known;
    // No period is filed long before its end, which can be the last day of a week or of a month.
    const periods = { since, through: known === null ? ALL.through : addDays(known.day, 31) };
    const vintages = this.#vintages.list({ country, symbol }, periods);
    const current = this.#reads.list.all({ country, symbol, ...periods });
    const rows = vintages.length === 0 ? current : withVintages(current, vintages);
    return known === null ? rows : rows.filter(({ filedOn }) => filedOn <= known.day);
  }

  /** Stores vintages: see `VintageStore.put`. */
  putVintages(records: Iterable<StatementVintage>, provenance: Provenance): number {
    return this.#vintages.put(records, provenance);
  }

  /** Parses rows of one instrument, in the shares of the end of a day, by default of today. */
  #parse(rows: readonly Row[], sharesOn?: string): (Statement & Provenance)[] {
    const [first] = rows;
    if (!first) return [];
    const { shares: ratioSince } = this.#splits.ratiosOf(first);
    const sinceThen = sharesOn === undefined ? 1 : ratioSince(sharesOn);
    return rows.map((row) => {
      const statement = toStatement(row);
      const ratio = ratioSince(row.sharesAsOf) / sinceThen;
      return ratio === 1 ? statement : adjustStatement(statement, ratio);
    });
  }

  /**
   * Adds these statements, or replaces the statements of the same period; returns how many. A period whose fiscal year or quarter
   * has another number now keeps its place in time: see `StatementLabels`. Statements of the
   * company from another source or from a list are removed with their vintages, except imported ones, because they may
   * number fiscal years differently. Figures that the same source restates are kept as vintages.
   */
  put(
    records: Iterable<Statement>,
    provenance: Provenance,
    vintages: VintageRules = "current",
  ): number {
    let stored = 0;
    const begun = new Set<string>();
    for (const given of records) {
      const { country, symbol } = given;
      if (provenance.source !== IMPORT && !begun.has(`${country} ${symbol}`)) {
        this.#writes.dropOthers.run({ country, symbol, source: provenance.source });
        if (dropsVintages(vintages)) this.#vintages.dropOthers(given, provenance.source);
        begun.add(`${country} ${symbol}`);
      }
      const record = renumbersVintages(vintages)
        ? this.#labels.makeWay(given, provenance.source)
        : given;
      const { span, fiscalYear, fiscalQuarter } = record;
      const old =
        vintages !== "none" &&
        this.#writes.find.get({ country, symbol, span, fiscalYear, fiscalQuarter });
      if (old && old.source === provenance.source)
        this.#vintages.keep(old, record, provenance.storedAt, vintages);
      this.#put(record, provenance);
      stored++;
    }
    return stored;
  }

  /**
   * Stores statements from a source's list of all companies; returns how many. A company's statements must
   * follow each other, and replace all that were fetched for it, with their vintages.
   *
   * Statements that were fetched for a company alone stay, because they have more items and years,
   * except if the list's are more than a quarter newer: then nothing has refreshed the others,
   * and the company counts as never fetched.
   */
  putList(
    records: Iterable<Statement>,
    provenance: Provenance,
    vintages: VintageRules = "current",
  ): number {
    const { newestOwn, forgetFetches, dropFetched } = this.#writes;
    let stored = 0;
    for (const company of byCompany(records)) {
      const key = { country: company[0].country, symbol: company[0].symbol };
      const own = newestOwn.get(key)?.end ?? null;
      const end = company.reduce((newest, one) => maxOf(newest, one.periodEnd), "");
      if (own !== null && end <= addDays(own, OUTDATED_DAYS)) continue;
      forgetFetches.run(key);
      dropFetched.run(key);
      if (dropsVintages(vintages)) this.#vintages.dropOthers(key, null);
      for (const record of company) this.#put(record, provenance);
      stored += company.length;
    }
    return stored;
  }

  #put(record: Statement, provenance: Provenance): void {
    const items = formatItems(record.items);
    const { sharesAsOf = priceDateOf(record.country, provenance.storedAt) } = record;
    const isFilingAssumed = record.isFilingAssumed ? 1 : null;
    this.#writes.put.run({ ...record, sharesAsOf, isFilingAssumed, items, ...provenance });
  }
}

/** Copies each field, because all statements of 10,000 companies are read at once, and a spread takes twice as long. */
function toStatement(row: Row): Statement & Provenance {
  const statement: Statement & Provenance = {
    country: row.country,
    symbol: row.symbol,
    span: row.span,
    fiscalYear: row.fiscalYear,
    fiscalQuarter: row.fiscalQuarter,
    periodEnd: row.periodEnd,
    filedOn: row.filedOn,
    currency: row.currency,
    items: parseItems(row.items),
    source: row.source,
    storedAt: row.storedAt,
  };
  return row.isFilingAssumed ? { ...statement, isFilingAssumed: true } : statement;
}

/** Items that are not stored are null, also those that the domain did not have when the row was stored. */
function parseItems(items: string): Statement["items"] {
  const stored = JSON.parse(items) as Statement["items"];
  const all = { ...NO_ITEMS };
  for (const name in stored) all[name as StatementItem] = stored[name as StatementItem];
  return all;
}

/** The rows of all filings of each period. */
function withVintages(rows: readonly Row[], all: readonly VintageRow[]): Row[] {
  const vintages = Map.groupBy(all, periodOf);
  return rows.flatMap((row): Row[] => {
    const filings = vintages.get(periodOf(row)) ?? [];
    if (filings.length === 0) return [row];
    return filings.map(({ items, ...filing }) => {
      if (items !== null) return { ...filing, items };
      const { items: current, sharesAsOf, storedAt } = row;
      return { ...filing, items: current, sharesAsOf, storedAt };
    });
  });
}

/** The last filing of each period, in the order of the first ones. */
function lastFiled(rows: readonly Row[]): readonly Row[] {
  // Without vintages, each period has one row.
  if (rows.every(({ accession }) => accession === undefined)) return rows;
  return [...new Map(rows.map((row) => [periodOf(row), row])).values()];
}

/** Identifies a period of one source. */
function periodOf({
  source,
  span,
  fiscalYear,
  fiscalQuarter,
  periodEnd,
}: Pick<Row, "source" | "span" | "fiscalYear" | "fiscalQuarter" | "periodEnd">) {
  return `${source} ${span} ${fiscalYear} ${fiscalQuarter} ${periodEnd}`;
}
