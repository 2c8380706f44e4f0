import { BourseError } from "#domain/errors.ts";
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { CountryCode } from "#domain/country.ts";
import type { FetchKey } from "#domain/fetch.ts";
import { type RecordKind, RECORDS } from "#domain/records.ts";
import { Nullable, StringEnum } from "#domain/schema.ts";
import { parseJson } from "#lib/json.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { Postgres } from "#store/postgres.ts";
import { nameOf } from "./due-keys.ts";
import type { RefreshOutcome } from "./source-chain.ts";
import type { Replica } from "./replica.ts";

/** The channels of requests to the leader and of its answers. */
const WANTED = "bourse_wanted";
const FETCHED = "bourse_fetched";
/** The channel on which the leader reports a fetch that goes on when it is requested again. */
const FETCHING = "bourse_fetching";
/** How long a request is repeated without a word of a leader. A change of leader takes less. */
const PATIENCE_MS = 30_000;

const KEY = {
  kind: StringEnum(Object.keys(RECORDS) as RecordKind[]),
  country: CountryCode,
  symbol: Nullable(Type.String()),
};
const OUTCOME = {
  ...KEY,
  source: Nullable(Type.String()),
  records: Type.Number(),
  error: Nullable(Type.String()),
  calledSource: Type.Boolean(),
  firstAnswered: Type.Boolean(),
  retryAt: Nullable(Type.Number()),
} satisfies Record<keyof RefreshOutcome, TSchema>;

const KEY_CHECK = TypeCompiler.Compile(Type.Object(KEY));
/** How the leader answers a request. The version before reads the number of the last change. */
const ANSWER = TypeCompiler.Compile(
  Type.Object({ outcome: Type.Object(OUTCOME), number: Type.Integer({ minimum: 0 }) }),
);

interface Answer {
  readonly outcome: RefreshOutcome;
  readonly number: number;
}

interface Pending {
  readonly key: FetchKey;
  /** When it was requested first, or when the leader last reported its fetch; by the stopwatch. */
  heardAt: number;
  /** Null if this node leads now. */
  readonly answered: PromiseWithResolvers<Answer | null>;
}

/** The dependencies of `FetchRequests`. */
export interface FetchRequestsParts {
  readonly postgres: Pick<Postgres, "listen" | "notify">;
  readonly replica: Pick<Replica, "catchUp" | "applied">;
  /** Milliseconds from any start, which never go back. */
  readonly stopwatch: () => number;
  readonly isLeading: () => boolean;
  /** Fetches a key for another node; null if this one fetches nothing. */
  readonly fetch: (key: FetchKey) => Promise<RefreshOutcome> | null;
}

/**
 * The requests of all nodes to the leader for records that a call needs. They are notifications, which can
 * be lost and which no leader may hear, so they are repeated every second.
 */
export class FetchRequests {
  readonly #parts: FetchRequestsParts;
  readonly #pending = new Map<string, Pending>();
  /** The names of the keys that this node fetches for others. */
  readonly #serving = new Set<string>();
  /** The keys that were requested in this turn of the event loop. */
  #unsent: FetchKey[] = [];
  #isStopped = false;

  /** Requests and answers are heard from `listen` on. */
  constructor(parts: FetchRequestsParts) {
    this.#parts = parts;
  }

  /** Listens for requests and answers from now on. @throws BourseError `unavailable` if the database is */
  async listen(): Promise<void> {
    const { postgres } = this.#parts;
    await postgres.listen(WANTED, (payload) => {
      const key = parsePayload(KEY_CHECK, payload);
      if (key) void this.#serve(key);
    });
    await postgres.listen(FETCHING, (payload) => {
      const key = parsePayload(KEY_CHECK, payload);
      const pending = key && this.#pending.get(nameOf(key));
      if (pending) pending.heardAt = this.#parts.stopwatch();
    });
    await postgres.listen(
      FETCHED,
      (payload) => {
        const answer = parsePayload(ANSWER, payload);
        if (answer) this.#pending.get(nameOf(answer.outcome))?.answered.resolve(answer);
      },
      () => this.repeat(),
    );
  }

  /**
   * Requests a key from the leader. Resolves with its outcome when this node has applied its changes, or
   * with null if this node begins to lead before there is an answer.
   *
   * @throws BourseError `unavailable` if no leader is heard of for half a minute, or if this node stops
   */
  async request(key: FetchKey): Promise<RefreshOutcome | null> {
    if (this.#isStopped) throw stopping();
    const name = nameOf(key);
    const answered = Promise.withResolvers<Answer | null>();
    this.#pending.set(name, { key, heardAt: this.#parts.stopwatch(), answered });
    try {
      this.#send(key);
      const answer = await answered.promise;
      if (answer === null) return null;
      // Not to the number of the answer: any user of the database can send one, and it can go back in time.
      await this.#parts.replica.catchUp();
      return answer.outcome;
    } finally {
      this.#pending.delete(name);
    }
  }

  /** Repeats the requests without an answer, and ends old ones. Call it also when this node begins to lead. */
  repeat(): void {
    const now = this.#parts.stopwatch();
    const isLeading = this.#parts.isLeading();
    for (const { key, heardAt, answered } of this.#pending.values()) {
      if (isLeading) answered.resolve(null);
      else if (now - heardAt < PATIENCE_MS) this.#send(key);
      else answered.reject(unavailable("No node of the cluster refreshes the market."));
    }
  }

  /** Ends all requests. */
  stop(): void {
    this.#isStopped = true;
    for (const { answered } of this.#pending.values()) answered.reject(stopping());
  }

  #send(key: FetchKey): void {
    this.#unsent.push(key);
    if (this.#unsent.length > 1) return;
    // All keys of this turn are sent in one statement, because each one locks all notifications.
    void nextTurn().then(() => {
      const payloads = this.#unsent.map(formatKey);
      this.#unsent = [];
      return this.#notify(WANTED, payloads);
    });
  }

  async #serve(key: FetchKey): Promise<void> {
    const name = nameOf(key);
    if (!this.#parts.isLeading()) return;
    // Callers that come later get the same answer. A list can take minutes.
    if (this.#serving.has(name)) return this.#notify(FETCHING, [formatKey(key)]);
    const flight = this.#parts.fetch(key);
    if (flight === null) return;
    this.#serving.add(name);
    const outcome = await flight.finally(() => this.#serving.delete(name));
    if (this.#isStopped) return;
    const error = outcome.error?.slice(0, 1_000) ?? null;
    const answer: Answer = { outcome: { ...outcome, error }, number: this.#parts.replica.applied };
    await this.#notify(FETCHED, [JSON.stringify(answer)]);
  }

  /** A notification that cannot be sent now is repeated with its request. */
  async #notify(channel: string, payloads: readonly string[]): Promise<void> {
    await this.#parts.postgres.notify(channel, payloads).catch(() => {});
  }
}

function formatKey({ kind, country, symbol }: FetchKey): string {
  return JSON.stringify({ kind, country, symbol });
}

/** A payload that matches its schema; null for any other, because every program may notify every channel. */
function parsePayload<T extends TSchema>(schema: TypeCheck<T>, payload: string): Static<T> | null {
  const value = parseJson(payload);
  return schema.Check(value) ? value : null;
}

function stopping(): BourseError {
  return unavailable("This node is stopping.");
}

function unavailable(text: string): BourseError {
  return new BourseError("unavailable", text, { retryAfterSeconds: 5 });
}
