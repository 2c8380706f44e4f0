import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { CountryCode } from "#domain/country.ts";
import {
  IMPORT,
  type Provenance,
  type RecordKind,
  type RecordOf,
  RECORDS,
} from "#domain/records.ts";
import { DateText, Nullable, StringEnum } from "#domain/schema.ts";
import { dateOf } from "#lib/date.ts";
import { LOG_FINGERPRINT, LOG_NUMBER, type MarketStore, nextFingerprint } from "#store/index.ts";
import type { LogEntry } from "#store/market-log.ts";
import type { VintageRules } from "#store/statement-vintages.ts";
import { checkedRecords, type StoredBatch, storeBatch } from "./batch.ts";
import { removeObsoleteEvents } from "./calendar.ts";
import { refuseMarketOfCluster } from "./node-market.ts";
import { forgetSample } from "./ingest.ts";
import { afterAnswer, afterFailure, endsOutage } from "./outages.ts";

const Kind = StringEnum(Object.keys(RECORDS) as RecordKind[]);
/** UTC milliseconds. */
const Instant = Type.Integer({ minimum: 0 });
const Count = Type.Integer({ minimum: 0 });

/** A state of a host: see `StoredHost`. */
const Host = Type.Object({
  host: Type.String({ minLength: 1 }),
  blockedUntil: Instant,
  refusal: Nullable(Type.String()),
  refusedAt: Nullable(Instant),
  identity: Nullable(Type.String()),
});

/** A source's result for a key. */
const FETCHED = {
  kind: Kind,
  country: CountryCode,
  symbol: Nullable(Type.String()),
  source: Type.String({ minLength: 1 }),
  at: Instant,
  /** The end of the source's block, 0 if it is not blocked; null leaves a stored block unchanged. */
  blockedUntil: Nullable(Instant),
  /** The hosts whose state changed; absent if none did. */
  hosts: Type.Optional(Type.Array(Host)),
};

/** The parts that an answer lacks; absent if it is whole. */
const Missing = Type.Optional(Type.Array(Type.Object({ what: Type.String(), why: Type.String() })));

/** The fields of a type of change. Others are refused. */
const fieldsOf = <N extends string, P extends TProperties>(type: N, fields: P) =>
  Type.Object({ type: Type.Literal(type), ...fields }, { additionalProperties: false });

/** The fields of each type of change, without its list `records`. */
export const CHANGE_FIELDS = {
  answer: fieldsOf("answer", {
    ...FETCHED,
    /** True if it has all records of the kind that the source has for the country. */
    isWhole: Type.Boolean(),
    /** True if it ends the fetch, which has then succeeded; false for a part of a list. */
    isComplete: Type.Boolean(),
    /** The UTC dates for which it has every calendar event; null if some may be missing. */
    covered: Nullable(Type.Object({ from: DateText, to: DateText })),
    /** As in `Batch`. */
    leftOut: Count,
    reason: Nullable(Type.String()),
    rejectedSymbols: Type.Array(Type.String()),
    missing: Missing,
  }),
  success: fieldsOf("success", {
    ...FETCHED,
    /** The number of records that the fetch gave; 0 if the source answered that there are none. */
    count: Count,
    /** The faults of the answer; null if it had none. */
    warning: Nullable(Type.String()),
    missing: Missing,
  }),
  failure: fieldsOf("failure", {
    ...FETCHED,
    reason: Type.String(),
  }),
  import: fieldsOf("import", {
    kind: Kind,
    at: Instant,
    /** Only for bars: true if the imported bars replace only bars of the same dates. */
    keepsOthers: Type.Boolean(),
  }),
  removal: fieldsOf("removal", {}),
} as const;

/** The key of imported records. */
export const ImportedKey = Type.Object({ kind: Kind, country: CountryCode, key: Type.String() });
export type ImportedKey = Static<typeof ImportedKey>;

type Fields<T extends keyof typeof CHANGE_FIELDS> = Readonly<Static<(typeof CHANGE_FIELDS)[T]>>;
/** Those fields with records of one kind: a union over all kinds, so that `kind` determines their type. */
type WithRecords<F> = {
  [K in RecordKind]: F & { readonly kind: K; readonly records: readonly RecordOf<K>[] };
}[RecordKind];

/** Records that a source gave for a key: its whole answer, or a part of a long list. */
export type AnswerChange = WithRecords<Fields<"answer">>;
/** The successful end of a fetch whose records, if any, were stored in parts. */
export type SuccessChange = Fields<"success">;
/** The failure of a source. */
export type FailureChange = Fields<"failure">;
/** Records that the operator imports; bars replace the history of their instrument. */
export type ImportChange = WithRecords<Fields<"import">>;
/** The removal of imported records. */
export type RemovalChange = Fields<"removal"> & { readonly records: readonly ImportedKey[] };

/**
 * The format of the changes that this bourse writes. An older one refuses them, because it does not know their fields
 * or applies them in another way. 2 added splits, `sharesAsOf` and items of statements; 3 earnings results and
 * vintages of statements; 4 changed what becomes of vintages (see `VintageRules`); 5 changed what becomes of statements
 * and vintages whose fiscal quarter gets another number, and added quarters above 4; 6 added the states of hosts and
 * the missing parts of answers; 7 the forecasts of companies and
 * the lists of their reports; 8 keeps the members of indices by day, and the vintages of
 * macro series; 9 added the segments and the local sectors of instruments; 10 keeps earlier macro forecasts; 11 added
 * the trades of foreigners, and the kinds of shares.
 */
export const CHANGE_FORMAT = 11;

/** The first format whose changes store the health of sources. */
const HEALTH_FORMAT = 3;
/** The first format whose lists store the members of indices. */
const MEMBERS_FORMAT = 8;

/** By format; `current` for later ones. */
const VINTAGE_RULES: Readonly<Partial<Record<number, VintageRules>>> = {
  1: "none",
  2: "none",
  3: "first",
  4: "dropped",
  5: "numbered",
  6: "numbered",
  7: "numbered",
  8: "series",
  9: "series",
};
const vintagesOf = (format: number): VintageRules => VINTAGE_RULES[format] ?? "current";

/**
 * One change of the market. It is a plain value that JSON can hold. Fetched and imported
 * records are written in no other way. All of its records match their schemas.
 */
export type MarketChange =
  AnswerChange | SuccessChange | FailureChange | ImportChange | RemovalChange;

/** The result of a change: all zero and empty if it has no records. */
export type ChangeResult = StoredBatch;

const NOTHING: ChangeResult = { records: 0, delisted: 0, warnings: [] };

/**
 * Applies a change; call it within a transaction. The result depends on the change and on the stored
 * records only: no clock and no source is read. So the same changes in the same order give equal
 * markets. A change of an older format is applied as the bourse that wrote it does. Bars of an instrument that was removed meanwhile are left out.
 *
 * @throws Error only if the file cannot be written
 */
export function applyChange(
  market: MarketStore,
  change: MarketChange,
  format = CHANGE_FORMAT,
): ChangeResult {
  switch (change.type) {
    case "answer":
      return applyAnswer(market, change, format);
    case "success":
      storeSuccess(market, change, format, change.count, change.warning);
      return NOTHING;
    case "failure":
      market.fetches.recordFailure(change.source, change, change.at, change.reason);
      if (format >= HEALTH_FORMAT)
        market.fetches.putHealth(
          change.source,
          afterFailure(market.fetches.findHealth(change.source), change.at),
        );
      storeBlock(market, change);
      return NOTHING;
    case "import":
      return applyImport(market, change, vintagesOf(format));
    case "removal":
      market.imported.remove(change.records);
      forgetSample(market);
      return NOTHING;
  }
}

function applyAnswer(market: MarketStore, change: AnswerChange, format: number): ChangeResult {
  const { kind, country, source, at } = change;
  const records = keptRecords(market, change);
  const stored = storeBatch<RecordKind>(
    market,
    { ...change, records },
    { source, storedAt: at },
    change.isWhole ? { country } : undefined,
    vintagesOf(format),
  );
  if (format >= MEMBERS_FORMAT) storeMembers(market, change);
  if (kind === "calendarEvents") {
    const answer = { country, source, today: dateOf(at), covered: change.covered };
    removeObsoleteEvents(market, change, answer);
  }
  if (change.isComplete) {
    storeSuccess(market, change, format, stored.records, stored.warnings.join(" ") || null);
  }
  return stored;
}

/** Stores the members of indices that a list of a whole country names. */
function storeMembers(market: MarketStore, { kind, records, isWhole, at }: AnswerChange): void {
  if (kind === "classifications" || (kind === "instruments" && isWhole))
    market.indexMembers.put(records, dateOf(at));
}

/**
 * The records of an answer to store. Bars need their instrument. A list of price targets or of prices
 * that complements another source leaves out the companies for which that source has as new a record,
 * because its records have more fields.
 */
function keptRecords(market: MarketStore, change: AnswerChange): AnswerChange["records"] {
  if (change.kind === "bars") return change.records.filter((one) => market.instruments.has(one));
  if (change.symbol !== null || change.isWhole) return change.records;
  const { country, source } = change;
  const isOwn = (stored: Provenance | null) => stored === null || stored.source === source;
  if (change.kind === "analystCoverage") {
    return change.records.filter(({ symbol }) =>
      isOwn(market.documents.find("analystCoverage", country, symbol)),
    );
  }
  if (change.kind !== "quotes") return change.records;
  return change.records.filter(({ symbol, date }) => {
    const stored = market.documents.find("quotes", country, symbol);
    return isOwn(stored) || (stored !== null && stored.date < date);
  });
}

function applyImport(
  market: MarketStore,
  change: ImportChange,
  vintages: VintageRules,
): ChangeResult {
  const { at, keepsOthers } = change;
  const provenance = { source: IMPORT, storedAt: at };
  let records = 0;
  if (change.kind !== "bars") {
    records = market.put<RecordKind>(change.kind, change.records, provenance, undefined, vintages);
  } else {
    for (const history of change.records) {
      if (!market.instruments.has(history)) continue;
      records += market.bars.replace(history, provenance, { keepsOthers });
    }
  }
  return { ...NOTHING, records };
}

/** A change has about this many records and entries of their lists, so that it needs little memory. */
const ENTRIES_PER_CHANGE = 10_000;

/**
 * The changes that import records of one kind. Each record is checked when it is read, except bars: their
 * readers have checked every bar, and a second check would take a tenth of an import.
 *
 * @throws Error that names the first record that does not match its schema, and the fault
 */
export function* importChanges<K extends RecordKind>(
  kind: K,
  records: Iterable<RecordOf<K>>,
  { at, keepsOthers = false }: { at: number; keepsOthers?: boolean },
): Generator<ImportChange> {
  const changeOf = (part: readonly RecordOf<K>[]) =>
    ({ type: "import", kind, at, keepsOthers, records: part }) as unknown as ImportChange;
  let part: RecordOf<K>[] = [];
  let entries = 0;
  for (const record of kind === "bars" ? records : checkedRecords(kind, records)) {
    part.push(record);
    entries += countEntries(record);
    if (entries < ENTRIES_PER_CHANGE) continue;
    yield changeOf(part);
    [part, entries] = [[], 0];
  }
  if (part.length > 0) yield changeOf(part);
}

/** 1, and the number of entries in the record's lists. */
function countEntries(record: object): number {
  let entries = 1;
  for (const value of Object.values(record)) if (Array.isArray(value)) entries += value.length;
  return entries;
}

function storeSuccess(
  market: MarketStore,
  change: AnswerChange | SuccessChange,
  format: number,
  records: number,
  warning: string | null,
): void {
  const { source, at } = change;
  const health = market.fetches.findHealth(source);
  market.fetches.recordSuccess(source, change, at, records, warning, change.missing);
  if (format >= HEALTH_FORMAT) {
    market.fetches.putHealth(source, afterAnswer(health, at));
    // Its companies failed because the source failed.
    if (endsOutage(health, at)) market.fetches.retryFailed(source, at);
  }
  storeBlock(market, change);
}

/** Stores the blocks of a source and of hosts, for the commands and for the next start. */
function storeBlock(
  market: MarketStore,
  { source, at, blockedUntil, hosts = [] }: Fields<"answer" | "success" | "failure">,
): void {
  for (const host of hosts) market.fetches.putHost(host);
  if (blockedUntil === null) return;
  // A probe that succeeds ends a block that was stored.
  if (blockedUntil > 0 || market.fetches.blockedUntil(source) > at)
    market.fetches.block(source, blockedUntil);
}

/** Writes changes of the market, on one machine or for a cluster. */
export interface MarketWriter {
  /**
   * Applies a change, all of it or nothing, after the changes that were written before it.
   *
   * @throws Error if the change could not be stored
   */
  write(change: MarketChange): Promise<ChangeResult>;
  /**
   * Applies the changes of one import in order, all of them or none; returns the number of records. The
   * changes are read one by one, so that they need little memory. If that fails, nothing is stored.
   */
  writeAll(changes: Iterable<ImportChange>): Promise<number>;
}

/**
 * Creates the writer of one machine. It waits up to `waitMs`, 10 seconds by default, while another process
 * writes.
 *
 * @throws BourseError as `refuseMarketOfCluster`
 */
export function createLocalWriter(
  market: MarketStore,
  options: { waitMs?: number } = {},
): MarketWriter {
  refuseMarketOfCluster(market);
  return {
    write: (change) => market.queueTransaction(() => applyChange(market, change), options),
    writeAll: (changes) => market.queueTransaction(() => applyImports(market, changes), options),
  };
}

/**
 * Applies the changes of an import to the file of this machine and undoes them; returns the number of
 * records.
 *
 * @throws Error if the import could not be stored
 */
export function tryImport(market: MarketStore, changes: Iterable<ImportChange>): number {
  let records = 0;
  try {
    market.transaction(() => {
      records = applyImports(market, changes);
      throw UNDO;
    });
  } catch (error) {
    if (error !== UNDO) throw error;
  }
  return records;
}

/** Thrown to roll back a transaction. */
const UNDO = new Error("undo");

function applyImports(market: MarketStore, changes: Iterable<ImportChange>): number {
  let records = 0;
  for (const change of changes) records += applyImport(market, change, "current").records;
  return records;
}

/** A place in a cluster's log: the number of a change, and the fingerprint of the log up to it. */
export type LogPlace = Pick<LogEntry, "number" | "fingerprint">;

/** The last change of a cluster's log that was applied to the market; number 0 if none was. */
export function findLogPlace(market: MarketStore): LogPlace {
  return {
    number: Number(market.findSetting(LOG_NUMBER) ?? 0),
    fingerprint: market.findSetting(LOG_FINGERPRINT) ?? "",
  };
}

/** The log does not continue the changes that the market has: the cluster's database went back in time. */
export class OtherLog extends Error {}

/**
 * Applies a change of a cluster's log and stores its place in the same transaction. Numbers begin with 1
 * and have no gaps.
 *
 * @throws OtherLog if the market has other changes before it; Error if it is not the next change, or if the
 * file cannot be written. Nothing is stored then.
 */
export function applyLogged(
  market: MarketStore,
  entry: Omit<LogEntry, "bytes">,
  change: MarketChange,
  format = CHANGE_FORMAT,
): Promise<ChangeResult> {
  return market.queueTransaction(() => {
    const { number, fingerprint } = entry;
    const last = findLogPlace(market);
    if (number !== last.number + 1) {
      throw new Error(
        `Change ${number} of the log is refused: the next one is ${last.number + 1}.`,
      );
    }
    if (nextFingerprint(last.fingerprint, entry) !== fingerprint)
      throw new OtherLog(`Change ${number} of the log follows other changes than this market has.`);
    const result = applyChange(market, change, format);
    market.setSetting(LOG_NUMBER, String(number));
    market.setSetting(LOG_FINGERPRINT, fingerprint);
    return result;
  });
}
