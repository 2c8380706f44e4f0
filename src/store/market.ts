import type { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Country } from "#domain/country.ts";
import { isDatabaseBusy, unavailable } from "#domain/errors.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { InstrumentKey } from "#domain/instrument.ts";
import { IMPORT, type Provenance, type RecordKind, type RecordOf } from "#domain/records.ts";
import { isInOtherShares } from "#domain/split.ts";
import { addDays, daysBetween } from "#lib/date.ts";
import { CalendarStore } from "./calendar-events.ts";
import { CompanyFigureStore } from "./company-figures.ts";
import { DailyBarStore } from "./daily-bars.ts";
import {
  withUserErrors,
  isInUse,
  openDatabase,
  openReader,
  type Schema,
  setBusyTimeout,
  toUserError,
} from "./database.ts";
import { type DocumentKind, DocumentStore } from "./documents.ts";
import { createFileCheck } from "./file-check.ts";
import { FetchStore } from "./fetches.ts";
import { FirstKnown } from "./first-known.ts";
import { createImportedRecordStore } from "./imported-records.ts";
import { IndexMemberStore } from "./index-members.ts";
import { InstrumentStore } from "./instruments.ts";
import { type KnownDay, knownDay } from "./known-day.ts";
import marketSchema from "./market.sql" with { type: "text" };
import { MarketVersion } from "./market-version.ts";
import removals from "./market-removals.sql" with { type: "text" };
import vintages from "./market-vintages.sql" with { type: "text" };
import serviceSchema from "./market-service.sql" with { type: "text" };
import marketFailures from "./market-failures.sql" with { type: "text" };
import marketDoors from "./market-doors.sql" with { type: "text" };
import marketClasses from "./market-classes.sql" with { type: "text" };
import marketShareKinds from "./market-share-kinds.sql" with { type: "text" };
import marketMembers from "./market-members.sql" with { type: "text" };
import marketSplits from "./market-splits.sql" with { type: "text" };
import { runInThread } from "./sqlite-thread.ts";
import { StatementStore } from "./statements.ts";
import type { VintageRules } from "./statement-vintages.ts";
import { StoredSplits } from "./stored-splits.ts";

/** The schema of `market.db`. */
export const MARKET: Schema = {
  name: "market",
  applicationId: 0x62_6d_6b_74, // "bmkt"
  migrations: [
    marketSchema,
    removals,
    marketSplits,
    serviceSchema,
    vintages,
    marketFailures,
    marketDoors,
    marketMembers,
    marketClasses,
    marketShareKinds,
  ],
  isPrecious: false,
};

/**
 * How long a command or a start waits for another process that writes. The longest transaction is the
 * first load of a sample market, which takes many seconds on a slow machine.
 */
export const LOCK_WAIT_MS = 60_000;

/** How long a transaction of a service waits for another process that writes, and between two attempts. */
const SERVICE_WAIT_MS = 10_000;
const PAUSE_MS = 50;

/** The setting with the id of the cluster whose market the file has; absent on one machine. */
export const CLUSTER_ID = "cluster.id";
/** The setting with the number of the last change of the cluster's log that the file has. */
export const LOG_NUMBER = "log.number";
/** The setting with the fingerprint of that change: see `nextFingerprint`. */
export const LOG_FINGERPRINT = "log.fingerprint";

/**
 * The fingerprint of the change that follows the one with the fingerprint `before`: SHA-256, hexadecimal. Two
 * changes have the same fingerprint only if the logs up to them are the same. `next_fingerprint` in Postgres
 * is the same function.
 */
export function nextFingerprint(
  before: string,
  { id, position }: { readonly id: string; readonly position: number },
) {
  return new Bun.CryptoHasher("sha256").update(`${before} ${id} ${position}`).digest("hex");
}

/** What past days are read with. */
interface PastDays {
  readonly reader: Database;
  readonly firstKnown: FirstKnown;
}

/** The number of records of one kind from one source. */
export interface StoredCount {
  readonly kind: string;
  readonly source: string;
  readonly count: number;
  /** When the oldest one was stored, UTC milliseconds. */
  readonly storedAt: number;
}

function prepareQueries(reader: Database, writer: Database) {
  return {
    setting: reader.query<{ value: string }, { name: string }>(
      "SELECT value FROM settings WHERE name = $name",
    ),
    setSetting: writer.query<unknown, { name: string; value: string }>(
      `INSERT INTO settings (name, value) VALUES ($name, $value)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    ),
    anything: reader.query<unknown, []>(
      "SELECT 1 FROM settings UNION ALL SELECT 1 FROM instruments UNION ALL SELECT 1 FROM documents LIMIT 1",
    ),
    newest: reader.query<{ storedAt: number | null }, []>(
      `SELECT max(storedAt) AS storedAt FROM (SELECT max(stored_at) AS storedAt FROM instruments
       UNION ALL SELECT max(stored_at) FROM bar_histories UNION ALL SELECT max(stored_at) FROM statements
       UNION ALL SELECT max(stored_at) FROM statement_vintages UNION ALL SELECT max(stored_at) FROM documents)`,
    ),
    counts: reader.query<StoredCount, []>(
      `SELECT 'instruments' AS kind, source, count(*) AS count, min(stored_at) AS storedAt FROM instruments GROUP BY source
       UNION ALL SELECT 'bars', source, sum(bars), min(stored_at)
         FROM bar_histories JOIN bar_checksums USING (instrument_id) GROUP BY source
       UNION ALL SELECT 'statements', source, count(*), min(stored_at) FROM statements GROUP BY source
       UNION ALL SELECT 'statementVintages', source, count(*), min(stored_at)
         FROM statement_vintages GROUP BY source
       UNION ALL SELECT kind, source, count(*), min(stored_at) FROM documents GROUP BY kind, source`,
    ),
  };
}

/**
 * The records of the markets. Fetched ones can be fetched again; imported ones cannot.
 *
 * Reads use a separate connection. It sees committed data only, and neither locks nor waits for a
 * running transaction.
 */
export class MarketStore {
  readonly instruments: InstrumentStore;
  readonly indexMembers: IndexMemberStore;
  readonly bars: DailyBarStore;
  readonly statements: StatementStore;
  readonly documents: DocumentStore;
  readonly calendar: CalendarStore;
  readonly fetches: FetchStore;
  readonly figures: CompanyFigureStore;
  readonly imported: ReturnType<typeof createImportedRecordStore>;
  /** Throws BourseError if the file was removed or replaced since it was opened. */
  readonly checkFile: () => void;

  /** The day at whose end it is read, `YYYY-MM-DD`; null for today. */
  readonly knownOn: string | null;

  readonly #path: string;
  readonly #reader: Database;
  readonly #writer: Database;
  /** The connection of all past days, whose temporary tables no transaction of `readOneMoment` may end; null before one. */
  #past: PastDays | null = null;
  readonly #queries: ReturnType<typeof prepareQueries>;
  readonly #version: MarketVersion;
  readonly #splits: StoredSplits;
  /** Resolves when the asynchronous transactions so far have ended. */
  #lastTransaction: Promise<unknown> = Promise.resolve();

  /**
   * The stores of the file at `path`; the migrations have run. `openMarket` explains `clock`. `known`: see
   * `asKnownOn`.
   */
  constructor(
    path: string,
    reader: Database,
    writer: Database,
    clock: Clock | null,
    known: KnownDay | null = null,
  ) {
    this.knownOn = known?.day ?? null;
    this.#path = path;
    this.#reader = reader;
    this.#writer = writer;
    this.#queries = prepareQueries(reader, writer);
    this.#version = new MarketVersion(reader);
    const splits = new StoredSplits(reader, clock, known);
    this.#splits = splits;
    this.instruments = new InstrumentStore(reader, writer, splits, known);
    this.indexMembers = new IndexMemberStore(reader, writer);
    this.bars = new DailyBarStore(reader, writer, splits, known);
    this.statements = new StatementStore(reader, writer, splits, known);
    this.documents = new DocumentStore(reader, writer, splits, known);
    this.calendar = new CalendarStore(reader, writer, known);
    this.fetches = new FetchStore(reader, writer);
    this.figures = new CompanyFigureStore(reader, writer);
    this.imported = createImportedRecordStore(reader, writer);
    this.checkFile = createFileCheck(path, writer);
  }

  /**
   * The same market as it was known at the end of a UTC date, `YYYY-MM-DD`, for reads only. Bars end with that day,
   * statements are those filed by then, and figures per share are in the shares of that day. `REWINDS` has the rule of
   * each other kind. Names, sectors and memberships are today's.
   */
  asKnownOn(day: string): MarketStore {
    const { reader } = this.#pastDays();
    return new MarketStore(this.#path, reader, this.#writer, null, knownDay(day));
  }

  /**
   * Prepares searches and counts of past days, in several turns; undefined if they are ready. `asKnownOn` lists nothing
   * that was stored since.
   */
  preparePastDays(): Promise<void> | undefined {
    return this.#pastDays().firstKnown.prepare();
  }

  #pastDays(): PastDays {
    if (this.#past === null) {
      const reader = openReader(this.#path);
      this.#past = { reader, firstKnown: new FirstKnown(reader) };
    }
    return this.#past;
  }

  /**
   * Stores the records of one kind; returns how many. `whole`: they are all records of that kind that
   * their source has for one country, or for all (null). `vintages`: see `VintageRules`. Call it within a transaction.
   */
  put<K extends RecordKind>(
    kind: K,
    records: Iterable<RecordOf<K>>,
    provenance: Provenance,
    whole?: { country: Country | null },
    vintages: VintageRules = "current",
  ): number {
    switch (kind) {
      case "instruments":
        return this.instruments.put(records as Iterable<RecordOf<"instruments">>, provenance, {
          isListing: whole !== undefined,
        });
      case "classifications":
        return this.instruments.classify(records as Iterable<RecordOf<"classifications">>);
      case "bars":
        return this.bars.put(records as Iterable<RecordOf<"bars">>, provenance);
      case "statements":
        // A sample, which has all countries, replaces its records one by one.
        return whole?.country
          ? this.statements.putList(
              records as Iterable<RecordOf<"statements">>,
              provenance,
              vintages,
            )
          : this.statements.put(
              records as Iterable<RecordOf<"statements">>,
              provenance,
              // A changed generator is no restatement.
              whole === undefined ? vintages : "none",
            );
      case "statementVintages":
        return this.statements.putVintages(
          records as Iterable<RecordOf<"statementVintages">>,
          provenance,
        );
      default:
        return this.documents.put(
          kind as DocumentKind,
          records as Iterable<RecordOf<DocumentKind>>,
          provenance,
          whole,
          // A changed generator revises no figures.
          whole?.country === null ? "none" : vintages,
        );
    }
  }

  /** True if a record of that kind is stored for the country or the instrument. */
  holds({ kind, country, symbol }: FetchKey): boolean {
    const instrument = symbol === null ? null : this.instruments.find({ country, symbol });
    if (kind === "instruments")
      return symbol === null ? this.instruments.hasListing(country) : instrument !== null;
    if (kind === "classifications") return this.instruments.hasListing(country);
    if (kind === "bars")
      return instrument !== null && this.bars.findProvenance(instrument.id) !== null;
    if (kind === "statements" || kind === "statementVintages")
      return symbol !== null && this.statements.list({ country, symbol }).length > 0;
    return symbol === null
      ? this.documents.hasAny(kind, country)
      : this.documents.find(kind, country, symbol) !== null;
  }

  /**
   * True if the newest quote of an instrument is in other shares than the closes before it: it split, and
   * that split is not known yet. False if there are no closes of the week before the quote, and for
   * imported bars, beside which no quote is used.
   */
  showsUnknownSplit({ id, country, symbol }: InstrumentKey & { readonly id: number }): boolean {
    const quote = this.documents.find("quotes", country, symbol);
    if (!quote || this.bars.findProvenance(id)?.source === IMPORT) return false;
    const newest = this.bars.listNewest(id, 1)[0] ?? this.#findRecentClose({ country, symbol });
    if (!newest || newest.date >= quote.date) return false;
    return daysBetween(newest.date, quote.date) <= 7 && isInOtherShares(quote, newest.close);
  }

  #findRecentClose({ country, symbol }: InstrumentKey): { date: string; close: number } | null {
    const record = this.documents.find("recentCloses", country, symbol);
    const [day, close] = [record?.days.at(-1), record?.closes.at(-1)];
    if (!record || day === undefined || close === undefined) return null;
    return { date: addDays(record.from, day), close };
  }

  /**
   * Runs `work` in a transaction: all of its writes are stored, or none.
   *
   * @throws Error during another transaction, because the writes would become part of it
   */
  transaction<T>(work: () => T): T {
    if (this.#writer.inTransaction) throw new Error("Another transaction is running.");
    return withUserErrors(this.#path, () => this.#writer.transaction(work).immediate());
  }

  /**
   * Like `transaction`, after the ones that were queued before. While another process writes, it waits up to
   * `waitMs`, 10 seconds by default, without blocking the thread.
   */
  queueTransaction<T>(
    work: () => T,
    { waitMs = SERVICE_WAIT_MS }: { waitMs?: number } = {},
  ): Promise<T> {
    const run = this.#lastTransaction.then(() => this.#runInTransaction(work, waitMs));
    this.#lastTransaction = run.catch(() => {});
    return run;
  }

  async #runInTransaction<T>(work: () => T, waitMs: number): Promise<T> {
    await this.#begin(waitMs);
    try {
      const result = work();
      this.#writer.run("COMMIT");
      return result;
    } catch (error) {
      if (this.#writer.inTransaction) this.#writer.run("ROLLBACK");
      throw toUserError(this.#path, error);
    }
  }

  async #begin(waitMs: number): Promise<void> {
    for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
      try {
        setBusyTimeout(this.#writer, 0);
        this.#writer.run("BEGIN IMMEDIATE");
        return;
      } catch (error) {
        if (!isDatabaseBusy(error) || waitedMs >= waitMs) throw toUserError(this.#path, error);
      } finally {
        setBusyTimeout(this.#writer, LOCK_WAIT_MS);
      }
      await Bun.sleep(PAUSE_MS);
    }
  }

  /** Moves the log (WAL) into the database file and empties it; blocks the thread. */
  checkpoint(): void {
    withUserErrors(this.#path, () => this.#writer.run("PRAGMA wal_checkpoint(TRUNCATE)"));
  }

  /**
   * Replaces all records by another market file's, in one transaction and in a separate thread.
   * Readers see the old ones until its end.
   *
   * @throws Error if the file cannot be written; it is unchanged then
   */
  replaceContent(path: string): Promise<void> {
    const run = this.#lastTransaction.then(async () => {
      // Brings an older file to the same schema.
      openDatabase(path, MARKET).close();
      const failure = await runInThread(this.#path, copyStatements(this.#reader, path));
      if (failure !== null) throw new Error(`The market could not be replaced: ${failure}`);
    });
    this.#lastTransaction = run.catch(() => {});
    return run;
  }

  /** The value of a setting of the file, or null. */
  findSetting(name: string): string | null {
    return this.#queries.setting.get({ name })?.value ?? null;
  }

  /** Stores a setting of the file. */
  setSetting(name: string, value: string): void {
    this.#queries.setSetting.run({ name, value });
  }

  /** True if nothing was ever stored or marked. */
  isEmpty(): boolean {
    return this.#queries.anything.get() === null;
  }

  /** The number of records by kind and source. */
  listCounts(): StoredCount[] {
    return this.#queries.counts.all();
  }

  /** When the newest record was stored, UTC milliseconds; null without records. */
  findNewest(): number | null {
    return this.#queries.newest.get()?.storedAt ?? null;
  }

  /** See `MarketVersion.find`. */
  findVersion(): Promise<string> {
    return this.#version.find();
  }

  /**
   * Runs `work` while all reads see the market of one moment. Other processes may write meanwhile; their log
   * (WAL) is not emptied until the end.
   */
  async readOneMoment<T>(work: () => Promise<T>): Promise<T> {
    this.#reader.run("BEGIN");
    try {
      return await work();
    } finally {
      this.#reader.run("ROLLBACK");
    }
  }

  /**
   * Runs `work` while all reads see the market of one moment, without a pause. Many small reads in one transaction
   * take a third of the time, because each transaction locks the file.
   */
  readTogether<T>(work: () => T): T {
    if (this.#reader.inTransaction) return work();
    this.#reader.run("BEGIN");
    try {
      return this.#splits.readOnce(work);
    } finally {
      this.#reader.run("ROLLBACK");
    }
  }

  /** A BourseError that names the file if the file is the cause, else the error itself. */
  toUserError(error: unknown): unknown {
    return toUserError(this.#path, error);
  }

  /** Closes the file; a running transaction is rolled back. */
  close(): void {
    this.#past?.reader.close();
    this.#reader.close();
    this.#writer.close();
  }
}

/**
 * The statements that copy all records of a file of the same schema. Without triggers, SQLite copies whole
 * tables at the speed of the disk. The search index is built again, because its tables cannot be written.
 * Every instrument that either file had is changed.
 */
function copyStatements(reader: Database, path: string): string[] {
  const triggers = reader
    .query<{ name: string; sql: string }, []>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'",
    )
    .all();
  const tables = reader
    .query<{ name: string }, []>(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
       AND name NOT IN ('sqlite_schema', 'sqlite_sequence', 'changes', 'company_figures')`,
    )
    .all();
  return [
    `PRAGMA busy_timeout = ${LOCK_WAIT_MS}`,
    "PRAGMA foreign_keys = OFF",
    `ATTACH '${path.replaceAll("'", "''")}' AS other`,
    "BEGIN IMMEDIATE",
    ...triggers.map(({ name }) => `DROP TRIGGER "${name}"`),
    ...tables.flatMap(({ name }) => [
      `DELETE FROM main."${name}"`,
      `INSERT INTO main."${name}" SELECT * FROM other."${name}"`,
    ]),
    "INSERT OR REPLACE INTO changes (country, symbol) SELECT country, symbol FROM changes",
    "INSERT OR REPLACE INTO changes (country, symbol) SELECT country, symbol FROM main.instruments",
    "DELETE FROM company_figures",
    "INSERT INTO instrument_search (instrument_search) VALUES ('delete-all')",
    `INSERT INTO instrument_search (rowid, symbol, name, filters) SELECT * FROM main.instrument_texts
     WHERE id IN (SELECT id FROM main.instruments WHERE delisted_at IS NULL)`,
    ...triggers.map(({ sql }) => sql),
    "COMMIT",
  ];
}

/** The time in UTC milliseconds. */
type Clock = () => number;

/**
 * Opens `market.db` in the data folder and creates it if it is missing.
 *
 * @param clock decides which splits are in force: those with an ex-date up to its UTC date. Without it
 * all stored splits are.
 */
export function openMarket(folder: string, clock: Clock | null = null): MarketStore {
  const path = join(folder, "market.db");
  const writer = openDatabase(path, MARKET, { busyTimeoutMs: LOCK_WAIT_MS });
  return new MarketStore(path, openReader(path), writer, clock);
}

/**
 * Deletes the market file of a data folder, if there is one.
 *
 * @throws BourseError if any process has it open, because that process would continue without it
 */
export function removeMarket(folder: string): void {
  if (isInUse(join(folder, "market.db"))) {
    throw unavailable(
      `Another process uses the market of ${folder}. Stop it before you delete the market.`,
    );
  }
  for (const suffix of ["", "-wal", "-shm"])
    rmSync(join(folder, `market.db${suffix}`), { force: true });
}
