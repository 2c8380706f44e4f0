import { BourseError, unavailable } from "#domain/errors.ts";
import type { Log } from "#lib/log.ts";
import {
  POOLER,
  PostgresFailure,
  READ_ONLY,
  SHARED_CONNECTION,
  toFailure,
  UNKNOWN_PARAMETER,
} from "./postgres-failure.ts";
import type { PostgresAddress } from "#lib/postgres-address.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { NoSlot, Slots } from "#lib/slots.ts";
import { checkAddress, createPool, CONFIGURE, SEARCH_PATH, unusable } from "./postgres-pool.ts";
import {
  type PostgresAnswer,
  perform,
  type PostgresValue,
  rowsOf,
  type Sender,
  toStorable,
} from "./postgres-statement.ts";
import type { PostgresTransaction, TransactionOptions } from "./postgres-transaction.ts";
import type { SqlValue, Work } from "./work.ts";

/** A statement that takes longer fails, and then the connection counts as broken. */
const STATEMENT_MS = 1_000;
const POLL_MS = 500;
/** Connections for statements, each with one statement at a time. */
const CONNECTIONS = 2;
/** A full queue takes about the second that a statement may wait. */
const STATEMENTS = { maxWaiting: 500, patienceMs: 1_000 };
/** One at a time, so that a connection is free for single statements. */
const TRANSACTIONS = { slots: 1, maxWaiting: 100, patienceMs: 10_000 };
/** A refusal of the same kind is logged again after this time, because each call can cause one. */
const REFUSAL_LOG_MS = 10_000;
/** How often each connection is asked for its process: a shared one has the same twice, or another one. */
const PROCESS_ROUNDS = 3;
/** Callers retry after 1 s at first and after 5 s in a long outage. */
const MAX_RETRY_S = 5;

/** The dependencies of `Postgres`. */
export interface PostgresParts {
  readonly log: Log;
  /** Milliseconds from any start, which never go back: see `createAgeClock`. */
  readonly clock: () => number;
  /**
   * The connections for statements; two if absent, so that single statements need not wait for a transaction. One is
   * enough without transactions.
   */
  readonly connections?: number;
}

interface Channel {
  readonly name: string;
  readonly heard: (payload: string) => void;
  readonly listening: () => void;
}

/**
 * The Postgres of a cluster: two connections, and one that listens from the first `listen` on. A transaction
 * uses one of the two, so single statements never wait for it. With one connection they do.
 *
 * No statement takes longer than a second after it was sent. If the server does not answer in this time, or a
 * connection breaks, all connections are replaced, and every statement fails at once with BourseError `unavailable`
 * until the next successful poll. It polls at once after a failure, then every 500 ms. Statements wait for a
 * free connection. If too many wait, or one waits for a second, it is `unavailable`, and the connections stay.
 *
 * **A statement that failed with `unavailable` may still have run**, and so may a transaction whose COMMIT
 * failed. A caller that counts must treat it as counted.
 *
 * Tables are in the schema `bourse`. Session state (session locks, temporary tables, SET) must not be used,
 * because it does not survive a new connection. Numbers of type bigint, also `count(*)`, arrive as text: cast
 * them to integer or double precision.
 */
export class Postgres {
  readonly #address: PostgresAddress;
  readonly #parts: PostgresParts;
  readonly #channels: Channel[] = [];
  readonly #polls: (() => Promise<unknown>)[] = [];
  /** False until the first connection has succeeded. */
  #isOpened = false;
  /** True behind a connection pooler, which takes the settings by statements only. */
  #isPooled = false;
  #pool: Bun.SQL;
  /** The pool with a closed connection. It is replaced in the next turn. */
  #broken: Bun.SQL | null = null;
  /** When the present outage began; null while the server answers. */
  #downSince: number | null = null;
  #verifiedAt: number;
  #outages = 0;
  #recoveries = 0;
  readonly #connections: number;
  readonly #statements: Slots;
  readonly #transactions = new Slots(TRANSACTIONS);
  /** When a statement was last logged as refused, by SQLSTATE. */
  readonly #refusals = new Map<string, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isPolling = false;
  #isClosed = false;

  private constructor(address: PostgresAddress, parts: PostgresParts) {
    this.#address = address;
    this.#parts = parts;
    this.#verifiedAt = parts.clock();
    this.#connections = parts.connections ?? CONNECTIONS;
    this.#statements = new Slots({ ...STATEMENTS, slots: this.#connections });
    this.#pool = this.#openPool();
  }

  /**
   * Connects to a server.
   *
   * @param url as `parseAddress` takes it, with `sslmode` and `sslrootcert` as in libpq. Without `sslmode`, TLS
   * is used if the server offers it (`prefer`).
   * @throws BourseError with one sentence, without host, user or password, if the address is wrong, the
   * server does not answer, refuses the user or is a read-only standby, if a connection pooler shares the
   * connections of Postgres among transactions, or if the database cannot store all text
   */
  static async open(url: string, parts: PostgresParts): Promise<Postgres> {
    const postgres = new Postgres(checkAddress(url), parts);
    try {
      await postgres.#connect();
      await postgres.#refuseEncoding();
    } catch (error) {
      await postgres.close();
      const isUnknown = error instanceof Bun.SQL.PostgresError && error.errno === UNKNOWN_PARAMETER;
      const failure = isUnknown ? new PostgresFailure(UNKNOWN_PARAMETER) : failureOf(error);
      throw failure ? unusable(failure.advice) : error;
    }
    postgres.#schedulePoll(POLL_MS);
    return postgres;
  }

  /** The time by the clock of `PostgresParts`. */
  now(): number {
    return this.#parts.clock();
  }

  /** True from a failure of the connection until the next successful poll. */
  get isDown(): boolean {
    return this.#downSince !== null;
  }

  /** How long the server has not answered, in milliseconds; 0 while it answers. */
  get downMs(): number {
    return this.#downSince === null ? 0 : this.#parts.clock() - this.#downSince;
  }

  /** The number of outages so far. After each one, the database may have gone back in time. */
  get outages(): number {
    return this.#outages;
  }

  /** How often the server answered again after an outage. */
  get recoveries(): number {
    return this.#recoveries;
  }

  /** The beginning of the last poll that succeeded, by the clock of `PostgresParts`. */
  get verifiedAt(): number {
    return this.#verifiedAt;
  }

  /**
   * Runs one statement and returns its rows. Parameters are `$1`, `$2` and so on.
   *
   * @throws BourseError `unavailable` if the server does not answer within a second, is down, has too much to
   * do or refuses for now; the statement may have run
   */
  async query<Row>(sql: string, values: readonly PostgresValue[] = []): Promise<Row[]> {
    return rowsOf<Row>(await this.#sendInTurn(sql, values));
  }

  /**
   * Runs work that both engines understand, each statement on its own.
   *
   * @param before is called with the text of each statement before it runs
   * @throws BourseError as `query`
   */
  run<T>(work: Work<T>, before?: (sql: string) => void): Promise<T> {
    return perform(work, (sql, values) => this.#sendInTurn(sql, values), before);
  }

  /**
   * Runs work in one transaction; an error undoes all of it. The transactions of a node run one after the
   * other, so that a connection is free for single statements. The work must await every statement and must
   * not begin another transaction.
   *
   * @throws BourseError as `query`
   */
  transaction<T>(
    work: (transaction: PostgresTransaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    return this.#inTurn(this.#transactions, () =>
      this.#inTurn(this.#statements, () => this.#transact(work, options)),
    );
  }

  /**
   * Calls `heard` with the payload of each notification of a channel. Any user of the database can send one,
   * so it only says that something may have changed. Notifications that are sent while the connection is
   * broken are lost, so `listening` is called at first and after each new connection: read then what was
   * missed. Neither may throw.
   */
  async listen(
    channel: string,
    heard: (payload: string) => void,
    listening: () => void = () => {},
  ): Promise<void> {
    const added = { name: channel, heard, listening };
    await this.#subscribe(this.#usablePool(), added);
    this.#channels.push(added);
  }

  /** Sends texts of less than 8,000 bytes to the listeners of a channel. @throws BourseError as `query` */
  async notify(channel: string, payloads: readonly string[]): Promise<void> {
    const sql = "SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload";
    await this.query(sql, [channel, payloads]);
  }

  /**
   * Adds work to the poll, which runs every 500 ms. `verifiedAt` moves on only if all of it succeeds. It
   * runs together with the other work of the poll, so one statement each is one round trip for all.
   */
  addPoll(work: () => Promise<unknown>): void {
    this.#polls.push(work);
  }

  /** Closes the connections; statements that still run get up to a second. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#pool.close({ timeout: this.isDown ? 0 : 1 });
  }

  async #transact<T>(
    work: (transaction: PostgresTransaction) => Promise<T>,
    { isolation, lock, statementMs = STATEMENT_MS }: TransactionOptions,
  ): Promise<T> {
    const pool = this.#usablePool();
    const connection = await this.#within(pool, pool.reserve(), STATEMENT_MS);
    const send: Sender = (sql, values) => this.#send(pool, connection, sql, values, statementMs);
    try {
      await send(isolation ? `BEGIN ISOLATION LEVEL ${isolation}` : "BEGIN", []);
      if (statementMs !== STATEMENT_MS)
        await send(`SET LOCAL statement_timeout = ${statementMs}`, []);
      if (lock) await send(lock, []);
      const result = await work({
        query: async <Row>(sql: string, values: readonly PostgresValue[] = []) =>
          rowsOf<Row>(await send(sql, values)),
        run: (steps, before) => perform(steps, send, before),
        // Without an array of values, Bun sends a text that may have several statements.
        runScript: async (sql) =>
          void (await this.#within(pool, connection.unsafe(sql), statementMs)),
      });
      // If a statement has failed, COMMIT only ends the transaction, and answers with another word.
      const { command } = await send("COMMIT", []);
      if (command !== "COMMIT") throw new Error("A failed statement undid its transaction.");
      return result;
    } catch (error) {
      await send("ROLLBACK", []).catch(() => {});
      throw error;
    } finally {
      await connection.release().catch(() => {});
    }
  }

  #usablePool(): Bun.SQL {
    if (this.#isClosed || this.#downSince !== null || this.#broken === this.#pool)
      throw this.#unavailable();
    return this.#pool;
  }

  /** Sends a statement when a connection is free. The connections of that moment are used. */
  #sendInTurn(sql: string, values: readonly PostgresValue[]): Promise<PostgresAnswer> {
    return this.#inTurn(this.#statements, () => {
      const pool = this.#usablePool();
      return this.#send(pool, pool, sql, values);
    });
  }

  /** Waits for a slot, but not while the server is down. */
  async #inTurn<T>(slots: Slots, work: () => Promise<T>): Promise<T> {
    this.#usablePool();
    try {
      return await slots.use(work);
    } catch (error) {
      throw error instanceof NoSlot ? busy() : error;
    }
  }

  /** `pool` is replaced if its connection `via` breaks. */
  async #send(
    pool: Bun.SQL,
    via: Bun.SQL,
    sql: string,
    values: readonly PostgresValue[],
    limitMs = STATEMENT_MS,
  ): Promise<PostgresAnswer> {
    const sent = values.map((value) =>
      Array.isArray(value) ? pool.array(value.map(toStorable)) : toStorable(value as SqlValue),
    );
    return this.#within(pool, via.unsafe<PostgresAnswer>(sql, sent), limitMs);
  }

  /** Waits for an answer of a pool, and replaces the pool if it does not come in time or is a failure. */
  async #within<T>(pool: Bun.SQL, answer: PromiseLike<T>, limitMs: number): Promise<T> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new PostgresFailure("timeout")), limitMs);
    try {
      return await Promise.race([answer, late.promise]);
    } catch (error) {
      const failure = toFailure(error);
      if (failure === null) throw error;
      if (failure.isRefusal) this.#noteRefusal(failure.code, String(error));
      else if (pool === this.#pool) this.#replacePool(failure);
      throw this.#unavailable(failure);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * A connection that breaks without a statement is an outage too: the next statement would open another one without
   * a word, and the database may have gone back in time meanwhile.
   */
  #openPool(): Bun.SQL {
    const onBroken = async (error: Error | null) => {
      this.#broken = pool;
      // A statement that waited for the connection is rejected first, and replaces the pool itself.
      await nextTurn();
      const failure = toFailure(error) ?? new PostgresFailure("ERR_POSTGRES_CONNECTION_CLOSED");
      if (pool !== this.#pool || this.#isClosed) return;
      // Behind a pooler, a new connection has no settings.
      if (failure.isRefusal && !this.#isPooled) this.#broken = null;
      else this.#replacePool(failure);
    };
    const pool = createPool({
      address: this.#address,
      connections: this.#connections,
      isPooled: this.#isPooled,
      onBroken,
    });
    return pool;
  }

  #noteRefusal(code: string, error: string): void {
    const now = this.#parts.clock();
    const loggedAt = this.#refusals.get(code);
    if (loggedAt !== undefined && now - loggedAt < REFUSAL_LOG_MS) return;
    this.#refusals.set(code, now);
    this.#parts.log.warn("cluster database refused a statement", { code, error });
  }

  #replacePool(failure: PostgresFailure): void {
    this.#renewPool();
    if (this.#isClosed || this.#downSince !== null) return;
    this.#downSince = this.#parts.clock();
    // `open` throws it, or connects in another way.
    if (!this.#isOpened) return;
    this.#outages++;
    this.#parts.log.warn("cluster database unavailable", { code: failure.code });
    this.#schedulePoll(0);
  }

  #renewPool(): void {
    const old = this.#pool;
    this.#pool = this.#openPool();
    // Statements that still wait for an answer of the old one are rejected.
    void old.close({ timeout: 0 }).catch(() => {});
  }

  #unavailable(cause?: PostgresFailure): BourseError {
    const downMs = this.#parts.clock() - (this.#downSince ?? this.#parts.clock());
    const text = "The cluster's database cannot be used right now. Retry shortly.";
    const error = unavailable(text, {
      retryAfterSeconds: Math.min(MAX_RETRY_S, 1 + Math.max(0, Math.floor(downMs / 1_000))),
    });
    if (cause) error.cause = cause;
    return error;
  }

  #schedulePoll(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#poll(), ms);
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    const wasDown = this.isDown;
    const startedAt = this.#parts.clock();
    try {
      if (wasDown) await this.#recover();
      const polls = this.#polls.length > 0 ? this.#polls : [() => this.#probe()];
      await Promise.all(polls.map((work) => work()));
      this.#verifiedAt = startedAt;
    } catch (error) {
      // An outage is in the log already.
      if (!(error instanceof BourseError || error instanceof PostgresFailure))
        this.#parts.log.error("cluster poll failed", { error: String(error) });
    } finally {
      this.#isPolling = false;
      this.#schedulePoll(this.isDown && !wasDown ? 0 : POLL_MS);
    }
  }

  async #recover(): Promise<void> {
    const pool = this.#pool;
    try {
      if (this.#isPooled) await this.#configure(pool);
      await this.#probe();
      await Promise.all(this.#channels.map((channel) => this.#subscribe(pool, channel)));
    } catch (error) {
      // Some channels may have been subscribed, and would be twice after the next attempt.
      if (pool === this.#pool) this.#renewPool();
      throw error;
    }
    const downMs = this.#parts.clock() - (this.#downSince ?? 0);
    this.#recoveries++;
    this.#downSince = null;
    this.#parts.log.info("cluster database available again", { downMs });
  }

  /** Connects first. A pooler that refuses or drops the settings gets them by statements. */
  async #connect(): Promise<void> {
    try {
      await this.#probe();
    } catch (error) {
      if (failureOf(error)?.code !== POOLER) throw error;
      this.#isPooled = true;
      this.#renewPool();
      this.#downSince = null;
      await this.#configure(this.#pool);
      await this.#probe();
    }
    this.#isOpened = true;
  }

  /**
   * Gives the connections of a new pool their settings, if each has a process of the server for itself. A pooler
   * that shares processes would pass the settings on to other programs.
   */
  async #configure(pool: Bun.SQL): Promise<void> {
    const reserve = () => this.#within(pool, pool.reserve(), STATEMENT_MS);
    const connections = await Promise.all(Array.from({ length: this.#connections }, reserve));
    try {
      // Without values, Bun sends no prepared statement, which another process would not know.
      const asks = connections.map((one) => (sql: string) => {
        return this.#within(pool, one.unsafe<PostgresAnswer>(sql), STATEMENT_MS);
      });
      if (await areOwn(asks)) {
        for (const ask of asks) await ask(CONFIGURE);
        return;
      }
    } finally {
      for (const connection of connections) await connection.release().catch(() => {});
    }
    const failure = new PostgresFailure(SHARED_CONNECTION);
    this.#replacePool(failure);
    throw failure;
  }

  /**
   * @throws PostgresFailure, or BourseError with a PostgresFailure as its cause, if the server does not answer
   * or is unsuitable
   */
  async #probe(): Promise<void> {
    const pool = this.#pool;
    const answer = await this.#send(pool, pool, PROBE, []);
    const [row] = rowsOf<{ readOnly: string; path: string }>(answer);
    if (row?.readOnly === "off" && row.path === SEARCH_PATH) return;
    const failure = new PostgresFailure(row?.path === SEARCH_PATH ? READ_ONLY : POOLER);
    this.#replacePool(failure);
    throw failure;
  }

  /** @throws BourseError if the database is of an encoding without most of the characters of Unicode */
  async #refuseEncoding(): Promise<void> {
    const [row] = await this.query<{ server_encoding: string }>("SHOW server_encoding");
    const encoding = row?.server_encoding ?? "";
    if (encoding === "UTF8" || encoding === "SQL_ASCII") return;
    throw unusable(
      `leads to a database of the encoding ${encoding}, but bourse needs UTF8 (CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0)`,
    );
  }

  #subscribe(pool: Bun.SQL, { name, heard, listening }: Channel): Promise<unknown> {
    return this.#within(pool, pool.listen(name, heard, listening), STATEMENT_MS);
  }
}

/** True if the statements of each connection always run in the same process, and no two connections share one. */
async function areOwn(
  asks: readonly ((sql: string) => Promise<PostgresAnswer>)[],
): Promise<boolean> {
  const processes = asks.map(() => new Set<number>());
  for (let round = 0; round < PROCESS_ROUNDS; round++) {
    for (const [i, ask] of asks.entries()) {
      const rows = rowsOf<{ process: number }>(await ask("SELECT pg_backend_pid() AS process"));
      for (const { process } of rows) processes[i]?.add(process);
    }
  }
  const all = new Set(processes.flatMap((own) => [...own]));
  return all.size === asks.length && processes.every(({ size }) => size === 1);
}

const PROBE = `SELECT current_setting('transaction_read_only') AS "readOnly",
  current_setting('search_path') AS path`;

/** The failure of the server behind an error; null if it has another cause. */
function failureOf(error: unknown): PostgresFailure | null {
  const cause = error instanceof BourseError ? error.cause : error;
  return cause instanceof PostgresFailure ? cause : null;
}

function busy(): BourseError {
  return unavailable("The cluster's database has too much to do right now. Retry shortly.", {
    retryAfterSeconds: 1,
  });
}
