import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import type { TSchema } from "@sinclair/typebox";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { type Provenance, type RecordKind, type RecordOf, RECORDS } from "#domain/records.ts";
import { BadRow, canLeaveOut, MAX_RECORDS } from "#sources/list.ts";
import type { MarketStore } from "#store/index.ts";
import type { VintageRules } from "#store/statement-vintages.ts";

/** A list shorter than this share of the previous one delists nothing. */
const MIN_LIST_SHARE = 0.5;

/** Records of one kind that match their schema. */
export interface Batch<K extends RecordKind> {
  readonly kind: K;
  readonly records: Iterable<RecordOf<K>>;
  /** The number of records that were left out because they do not match their schema. */
  readonly leftOut: number;
  /** Why the first one was left out; null if none was. */
  readonly reason: string | null;
  /** The symbols of the records that were left out, as far as they are readable. */
  readonly rejectedSymbols: readonly string[];
}

/** A batch whose records were all checked before the first one is stored. */
export interface CheckedBatch<K extends RecordKind> extends Batch<K> {
  readonly records: readonly RecordOf<K>[];
}

/** The result of storing a batch. */
export interface StoredBatch {
  readonly records: number;
  /** The number of instruments that the source's list no longer has. */
  readonly delisted: number;
  /** Warnings for the operator, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Checks each of a source's records. Bad ones in a long list are left out, like rows that the source
 * could not read. Figures that a source left out of its records only count.
 *
 * @throws Error about the first bad record or row if the batch is small or more than a tenth of it is
 * bad, and if there are more than 100,000 records
 */
export function checkBatch<K extends RecordKind>(
  kind: K,
  records: Iterable<RecordOf<K> | BadRow>,
): CheckedBatch<K> {
  const check = checkOf(RECORDS[kind]);
  const good: RecordOf<K>[] = [];
  const rejectedSymbols: string[] = [];
  const leftOutFigures: Error[] = [];
  let total = 0;
  let first: Error | null = null;
  for (const record of records) {
    if (++total > MAX_RECORDS)
      throw new Error(`An answer with more than ${MAX_RECORDS} records of ${kind} is refused.`);
    if (record instanceof BadRow && !record.isRecord) leftOutFigures.push(record.error);
    else if (!(record instanceof BadRow) && check.Check(record)) good.push(record);
    else {
      first ??= record instanceof BadRow ? record.error : schemaError(kind, total, record, check);
      const symbol = textOf(record, "symbol");
      if (symbol !== null) rejectedSymbols.push(symbol);
    }
  }
  const leftOut = total - good.length;
  if (first && !canLeaveOut(leftOut - leftOutFigures.length, total)) throw first;
  const reason = (first ?? leftOutFigures[0])?.message ?? null;
  return { kind, records: good, leftOut, reason, rejectedSymbols };
}

/**
 * Splits the records of many companies into parts of about `size` records, each with whole companies,
 * so that a long list needs little memory and short transactions. Read each part to its end before the next.
 */
export function* partsByCompany<T>(records: Iterable<T>, size: number): Generator<Iterable<T>> {
  const all = records[Symbol.iterator]();
  let next = all.next();
  const part = function* (): Generator<T> {
    let count = 0;
    let symbol: string | null = null;
    for (; next.done !== true; next = all.next()) {
      const of = textOf(next.value, "symbol");
      if (count >= size && of !== null && of !== symbol) return;
      if (of !== null) symbol = of;
      count += Number(of !== null);
      yield next.value;
    }
  };
  while (next.done !== true) yield part();
}

/**
 * Stores a checked batch; call it within a transaction. `whole`: it has all records of the kind that
 * its source has for one country, or for all (null). Instruments that are missing in such a list are
 * delisted, unless the list is less than half as long as the previous one.
 */
export function storeBatch<K extends RecordKind>(
  market: MarketStore,
  batch: Batch<K>,
  provenance: Provenance,
  whole?: { country: Country | null },
  vintages?: VintageRules,
): StoredBatch {
  const { kind, records, leftOut, reason, rejectedSymbols } = batch;
  const warnings = reason === null ? [] : [`Bad records left out: ${leftOut}. ${reason}`];
  const isListing = kind === "instruments" && whole !== undefined;
  const countries = isListing ? (whole.country === null ? COUNTRY_CODES : [whole.country]) : [];
  const lists = countries.map((country) => {
    const list = { country, source: provenance.source, listedAt: provenance.storedAt };
    return { list, before: market.instruments.countListedBy(list.source, country) };
  });
  const stored = market.put(kind, records, provenance, whole, vintages);
  let delisted = 0;
  for (const { list, before } of lists) {
    for (const symbol of rejectedSymbols) market.instruments.keepListed(symbol, list);
    const named = market.instruments.countNamed(list);
    if (named < before * MIN_LIST_SHARE) {
      warnings.push(
        `The list of ${list.country} is suddenly short (${named} instead of ${before}): nothing was delisted.`,
      );
    } else delisted += market.instruments.delistMissing(list);
  }
  return { records: stored, delisted, warnings };
}

/**
 * Stores records of one kind; returns how many. `whole` is as for `storeBatch`. Call it within a
 * transaction.
 *
 * @throws Error that names the first record that does not match its schema, and the fault
 */
export function storeRecords<K extends RecordKind>(
  market: MarketStore,
  kind: K,
  records: Iterable<RecordOf<K>>,
  provenance: Provenance,
  whole?: { country: Country | null },
): number {
  const checked = checkedRecords(kind, records);
  const batch = { kind, records: checked, leftOut: 0, reason: null, rejectedSymbols: [] };
  return storeBatch(market, batch, provenance, whole).records;
}

/**
 * The same records, each checked when it is read.
 *
 * @throws Error that names the first record that does not match its schema, and the fault
 */
export function* checkedRecords<K extends RecordKind>(
  kind: K,
  records: Iterable<RecordOf<K>>,
): Generator<RecordOf<K>> {
  let number = 0;
  for (const record of records) {
    refuseWrong(RECORDS[kind], kind, ++number, record);
    yield record;
  }
}

/** @throws Error that names the record with that number and the fault, if it does not match the schema */
export function refuseWrong(schema: TSchema, kind: string, number: number, record: unknown): void {
  const check = checkOf(schema);
  if (!check.Check(record)) throw schemaError(kind, number, record, check);
}

const checks = new Map<TSchema, TypeCheck<TSchema>>();

function checkOf(schema: TSchema): TypeCheck<TSchema> {
  const check = checks.get(schema) ?? TypeCompiler.Compile(schema);
  checks.set(schema, check);
  return check;
}

function schemaError(
  kind: string,
  number: number,
  record: unknown,
  check: TypeCheck<TSchema>,
): Error {
  const fault = check.Errors(record).First();
  const names = ["country", "symbol", "id", "name", "month", "date"].flatMap(
    (key) => textOf(record, key) ?? [],
  );
  return new Error(
    `Record ${number} of ${kind} (${names.join(", ") || "nameless"}) is refused at ${fault?.path || "/"}: ${fault?.message ?? "does not match its schema"}.`,
  );
}

function textOf(record: unknown, key: string): string | null {
  const value: unknown = typeof record === "object" && record !== null && Reflect.get(record, key);
  return typeof value === "string" ? value : null;
}
