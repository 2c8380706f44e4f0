import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Country } from "#domain/country.ts";
import { BourseError, isDatabaseBusy } from "#domain/errors.ts";
import type { FetchKey } from "#domain/fetch.ts";
import { createDailyBarStore } from "./daily-bars.ts";
import {
  BUSY_TIMEOUT_MS,
  createFileCheck,
  explained,
  isInUse,
  openDatabase,
  openReader,
  type Schema,
  schemaVersion,
  setBusyTimeout,
  toUserError,
} from "./database.ts";
import { createDocumentStore, type DocumentKind } from "./documents.ts";
import { createInstrumentStore } from "./instruments.ts";
import accessMigration1 from "./migrations/access-1.sql" with { type: "text" };
import type { RecordKind, RecordOf, Provenance } from "#domain/records.ts";
import { createFetchStore } from "./fetches.ts";
import marketMigration1 from "./migrations/market-1.sql" with { type: "text" };
import leftAloneMigration from "./migrations/market-2-left-alone.sql" with { type: "text" };
import searchMigration from "./migrations/market-3-search.sql" with { type: "text" };
import changesMigration from "./migrations/market-4-changes.sql" with { type: "text" };
import scaledBarsMigration from "./migrations/market-5-scaled-bars.sql" with { type: "text" };
import aliasesMigration from "./migrations/market-6-aliases.sql" with { type: "text" };
import { createStatementStore } from "./statements.ts";
import { createTokenStore } from "./tokens.ts";
import { createUsageStore } from "./usage.ts";
import { createUserStore } from "./users.ts";

const ACCESS: Schema = {
  name: "access",
  applicationId: 0x62_6f_75_61,
  migrations: [accessMigration1],
  isPrecious: true,
};
const MARKET: Schema = {
  name: "market",
  applicationId: 0x62_6f_75_6d,
  migrations: [
    marketMigration1,
    leftAloneMigration,
    searchMigration,
    changesMigration,
    scaledBarsMigration,
    aliasesMigration,
  ],
  isPrecious: false,
};

/** Users, tokens and counters: precious, so it is checked page by page when it is opened. */
export type AccessStore = ReturnType<typeof openAccess>;

/**
 * Opens `access.db` in the data folder and creates it where it is missing.
 *
 * A statement waits `busyTimeoutMs` for a lock of another process and then throws an error that
 * `isDatabaseBusy` recognises. The wait blocks the thread, so a service sets a short one.
 */
export function openAccess(
  folder: string,
  { busyTimeoutMs = BUSY_TIMEOUT_MS }: { busyTimeoutMs?: number } = {},
) {
  const path = join(folder, "access.db");
  const database = openDatabase(path, ACCESS, { busyTimeoutMs });
  const dataVersion = database.query<{ data_version: number }, []>("PRAGMA data_version");
  /** As read in this turn of the event loop. */
  let othersChanges: number | null = null;
  let ownChanges = 0;
  const onChange = () => void ownChanges++;
  return {
    users: createUserStore(database, onChange),
    tokens: createTokenStore(database, onChange),
    usage: createUsageStore(database, busyTimeoutMs),
    /**
     * A number that grows whenever a user or a token may have changed: through this store, or with
     * anything that another process writes.
     */
    version: (): number => {
      // To ask costs as much as a third of a request. Requests that arrive within one turn came before
      // whoever sent them could know of a change within it.
      if (othersChanges === null) {
        othersChanges = dataVersion.get()?.data_version ?? 0;
        setImmediate(() => (othersChanges = null));
      }
      return othersChanges + ownChanges;
    },
    schemaVersion: () => schemaVersion(database),
    /** Throws BourseError where the file was removed or replaced since it was opened. */
    checkFile: createFileCheck(path),
    /** A BourseError that names the file where the file is at fault, else the error itself. */
    toUserError: (error: unknown): unknown => toUserError(path, error),
    close: () => database.close(),
  };
}

/**
 * Throws the market file of a data folder away, if there is one.
 *
 * @throws BourseError where anybody has it open: they would go on with a file that is no more
 */
export function removeMarket(folder: string): void {
  if (isInUse(join(folder, "market.db"))) {
    throw new BourseError(
      "unavailable",
      `Another process works with the market of ${folder}; stop it before the market is thrown away.`,
    );
  }
  for (const suffix of ["", "-wal", "-shm"])
    rmSync(join(folder, `market.db${suffix}`), { force: true });
}

/** Everything that sources bring: can be had again, so it may be deleted. */
export type MarketStore = ReturnType<typeof openMarket>;

/** Opens `market.db` in the data folder, making it where absent. */
export function openMarket(folder: string) {
  const path = join(folder, "market.db");
  const writer = openDatabase(path, MARKET);
  // Answers read through a connection of their own: it sees only what is committed, never locks and
  // never waits for an import that is under way.
  const reader = openReader(path);

  const instruments = createInstrumentStore(reader, writer);
  const bars = createDailyBarStore(reader, writer);
  const statements = createStatementStore(reader, writer);
  const documents = createDocumentStore(reader, writer);
  const fetches = createFetchStore(reader, writer);
  const setting = reader.query<{ value: string }, { name: string }>(
    "SELECT value FROM settings WHERE name = $name",
  );
  const setSetting = writer.query<unknown, { name: string; value: string }>(
    `INSERT INTO settings (name, value) VALUES ($name, $value)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  );
  const counts = reader.query<
    { kind: string; source: string; count: number; storedAt: number },
    []
  >(
    `SELECT 'instruments' AS kind, source, count(*) AS count, min(stored_at) AS storedAt FROM instruments GROUP BY source
     UNION ALL SELECT 'bars', source, (SELECT count(*) FROM daily_bars WHERE instrument_id IN
       (SELECT instrument_id FROM bar_histories AS same WHERE same.source = bar_histories.source)), min(stored_at)
       FROM bar_histories GROUP BY source
     UNION ALL SELECT 'statements', source, count(*), min(stored_at) FROM statements GROUP BY source
     UNION ALL SELECT kind, source, count(*), min(stored_at) FROM documents GROUP BY kind, source`,
  );

  const transaction = <T>(work: () => T): T =>
    explained(path, () => writer.transaction(work).immediate());

  return {
    instruments,
    bars,
    statements,
    documents,
    fetches,
    /**
     * Stores the records of one kind; returns how many. `whole` says that they are all that their
     * source has of that kind, for one country or for all (null). To be called within `transaction`.
     */
    put<K extends RecordKind>(
      kind: K,
      records: Iterable<RecordOf<K>>,
      provenance: Provenance,
      whole?: { country: Country | null },
    ): number {
      switch (kind) {
        case "instruments":
          return instruments.put(records as Iterable<RecordOf<"instruments">>, provenance, {
            isListing: whole !== undefined,
          });
        case "bars":
          return bars.put(records as Iterable<RecordOf<"bars">>, provenance);
        case "statements":
          return statements.put(records as Iterable<RecordOf<"statements">>, provenance);
        default:
          return documents.put(
            kind as DocumentKind,
            records as Iterable<RecordOf<DocumentKind>>,
            provenance,
            whole,
          );
      }
    },
    /** Whether there is anything of that kind for a country, or for one instrument of it. */
    holds({ kind, country, symbol }: FetchKey): boolean {
      const instrument = symbol === null ? null : instruments.find({ country, symbol });
      if (kind === "instruments")
        return symbol === null ? instruments.hasListing(country) : instrument !== null;
      if (kind === "bars")
        return instrument !== null && bars.findProvenance(instrument.id) !== null;
      if (kind === "statements")
        return symbol !== null && statements.list({ country, symbol }).length > 0;
      return symbol === null
        ? documents.hasAny(kind, country)
        : documents.find(kind, country, symbol) !== null;
    },
    /** Runs `work` so that all of its writes land or none. */
    transaction,
    /**
     * As `transaction`, but while another process writes it waits without holding up this one, up to
     * ten seconds.
     */
    async transactionWhenFree<T>(work: () => T): Promise<T> {
      for (let tries = 1; ; tries++) {
        try {
          setBusyTimeout(writer, 0);
          return transaction(work);
        } catch (error) {
          if (!isDatabaseBusy(error) || tries === 200) throw error;
        } finally {
          setBusyTimeout(writer, BUSY_TIMEOUT_MS);
        }
        await Bun.sleep(50);
      }
    },
    /** Moves what was committed into the file itself and empties the log beside it. */
    checkpoint: (): void => void writer.run("PRAGMA wal_checkpoint(TRUNCATE)"),
    findSetting: (name: string): string | null => setting.get({ name })?.value ?? null,
    setSetting: (name: string, value: string): void => void setSetting.run({ name, value }),
    /** How much of each kind there is by source, and when the oldest of it was stored. */
    listCounts: () => counts.all(),
    schemaVersion: () => schemaVersion(writer),
    /** Throws BourseError where the file was removed or replaced since it was opened. */
    checkFile: createFileCheck(path),
    /** A BourseError that names the file where the file is at fault, else the error itself. */
    toUserError: (error: unknown): unknown => toUserError(path, error),
    close(): void {
      reader.close();
      writer.close();
    },
  };
}
