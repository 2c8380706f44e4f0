import { invalidArgument } from "#domain/errors.ts";
import { withDeadline } from "#lib/deadline.ts";
import { NoSlot, Slots } from "#lib/slots.ts";
import type { Caller } from "#operations/caller.ts";
import {
  type CachedAnswer,
  type Client,
  type DecodedRequest,
  type Executor,
  tookTooLong,
} from "#operations/execute.ts";
import { ANSWER_MS } from "./time-limits.ts";

/** Characters of all payloads that one answer is made of: about 150,000 daily bars. */
const MAX_CHARACTERS = 8 * 2 ** 20;
/** An answer that is made of more needs a slot: about 5,000 daily bars. */
const LARGE = 2 ** 18;
/** An answer that is made of more operations needs a slot too: many of them in one turn would hold all other requests. */
const MAX_OPERATIONS = 8;
/** Large answers that are made at once. They share a thread, so more of them would only take more memory. */
const SLOTS = 2;
/** Large answers that wait for a slot. */
const MAX_WAITING = 60;

/** Runs operations for one answer. */
export type Executes = Pick<Executor, "execute">;

/** Makes answers that need several operations, such as feeds, within bounds of time and memory. */
export class BoundedAnswers {
  readonly #executor: Executes;
  readonly #answerMs: number;
  readonly #slots: Slots;

  /**
   * @param clock gives milliseconds
   * @param answerMs how long an answer may take, in milliseconds
   */
  constructor(executor: Executes, clock: () => number, answerMs: number = ANSWER_MS) {
    this.#executor = executor;
    this.#answerMs = answerMs;
    const limits = { slots: SLOTS, maxWaiting: MAX_WAITING, patienceMs: answerMs };
    this.#slots = new Slots({ ...limits, clock });
  }

  /**
   * The answer that `make` makes of operations. They stop at the deadline, and when the client has closed its connection.
   *
   * @throws BourseError `unavailable` at the deadline, or where too many large answers wait; `invalid_argument` for an
   * answer that is too large
   */
  async make<T>(client: AbortSignal, make: (executor: Executes) => Promise<T>): Promise<T> {
    const work = new BoundedWork(this.#executor, this.#slots, client);
    try {
      return await withDeadline(make(work), this.#answerMs, tookTooLong);
    } finally {
      work.end();
    }
  }
}

/** The operations of one answer, and the client of each of them: it has gone once the answer has ended. */
class BoundedWork implements Executes, Client {
  readonly #executor: Executes;
  readonly #slots: Slots;
  readonly signal: AbortSignal;
  readonly #ending = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  /** Rejects when the operations stop. */
  readonly #stopped = Promise.withResolvers<never>();
  #characters = 0;
  #operations = 0;
  /** Resolves when this answer has a slot; null while it needs none. */
  #slot: Promise<void> | null = null;

  constructor(executor: Executes, slots: Slots, client: AbortSignal) {
    this.#executor = executor;
    this.#slots = slots;
    this.signal = AbortSignal.any([client, this.#ending.signal]);
    this.#stopped.promise.catch(() => {});
    this.signal.addEventListener("abort", () => this.#stopped.reject(tookTooLong()));
  }

  /** Also rejects while the operation waits. Otherwise its caller would hold the answers of earlier operations for long. */
  async execute(request: DecodedRequest, caller?: Caller): Promise<CachedAnswer> {
    return Promise.race([this.#run(request, caller), this.#stopped.promise]);
  }

  async #run(request: DecodedRequest, caller?: Caller): Promise<CachedAnswer> {
    if (++this.#operations > MAX_OPERATIONS) this.#slot ??= this.#takeSlot();
    await this.#slot;
    if (this.signal.aborted) throw tookTooLong();
    const answer = await this.#executor.execute(request, caller, this);
    this.#characters += answer.body.length;
    if (this.#characters > MAX_CHARACTERS) throw tooLarge();
    if (this.#characters > LARGE) await (this.#slot ??= this.#takeSlot());
    return answer;
  }

  /** Gives the slot back. Operations that have not begun are refused from now on. */
  end(): void {
    this.#ending.abort();
    this.#ended.resolve();
  }

  async #takeSlot(): Promise<void> {
    const taken = Promise.withResolvers<void>();
    const held = this.#slots.use(() => {
      taken.resolve();
      return this.#ended.promise;
    });
    held.catch((error: unknown) => taken.reject(error instanceof NoSlot ? tookTooLong() : error));
    await taken.promise;
  }
}

const tooLarge = () =>
  invalidArgument(
    "The answer would be too large. Ask for fewer symbols, a shorter range or fewer columns.",
  );
