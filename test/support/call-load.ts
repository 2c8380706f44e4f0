/** The answers to the calls of a load, or of one of its tokens. */
export interface CallCounts {
  /** Answered with 200. */
  served: number;
  /** Answered with 429. */
  refused: number;
  /** Answered with 503. */
  unavailable: number;
  /** Answers with 503 that do not say when to try again. */
  withoutRetryAfter: number;
  /** Answered with 401. */
  unauthorized: number;
  /** Any other answer. */
  other: number;
  /** Calls whose connection broke, or that got no answer in time: each may be counted or not. */
  broken: number;
}

/** How long a call waits for its answer: only a hang takes so long. */
const CALL_MS = 120_000;
/** How long a test waits for calls. */
const WAIT_MS = 500_000;
/** Unexpected answers that are kept. */
const MAX_OTHERS = 3;
/** How long a client pauses after a call that was not served. */
const PAUSE_MS = 10;

/** Clients that call a service in turn with some tokens, and count every answer. */
export class CallLoad {
  readonly #url: string;
  readonly #counts: Map<string, CallCounts>;
  readonly #callers: Promise<void>[];
  /** The first answers that are none of 200, 401, 429 and 503: their status and body. */
  readonly others: string[] = [];
  #isOver = false;
  #servedAt = performance.now();
  #longestGapMs = 0;

  /**
   * Starts the clients.
   *
   * @param origin such as `http://127.0.0.1:8787`
   */
  constructor(
    origin: string,
    tokens: readonly string[],
    { clients = 8, path = "/data/markets" }: { clients?: number; path?: string } = {},
  ) {
    this.#url = `${origin}/api/v1/svc${path}`;
    this.#counts = new Map(tokens.map((token) => [token, noCalls()]));
    this.#callers = Array.from({ length: clients }, async (_, client) => {
      for (let call = client; !this.#isOver; call++) {
        await this.#call(tokens[call % tokens.length] ?? "");
      }
    });
  }

  /** The counts of all tokens, or of one. */
  counts(token?: string): CallCounts {
    const all = token === undefined ? [...this.#counts.values()] : [this.#counts.get(token)];
    const sum = noCalls();
    for (const one of all) {
      for (const key of Object.keys(sum) as (keyof CallCounts)[]) sum[key] += one?.[key] ?? 0;
    }
    return sum;
  }

  /** The longest time without a served call, in milliseconds, since the start or the last `restartGap`. */
  get longestGapMs(): number {
    return Math.round(Math.max(this.#longestGapMs, performance.now() - this.#servedAt));
  }

  /** Begins a new measurement of the longest gap. */
  restartGap(): void {
    this.#longestGapMs = 0;
    this.#servedAt = performance.now();
  }

  /** Resolves when that many more calls were served. @throws Error after eight minutes */
  served(more: number): Promise<void> {
    return this.#rises(more, () => this.counts().served);
  }

  /** Resolves when that many more calls had an answer. @throws Error after eight minutes */
  answered(more: number): Promise<void> {
    return this.#rises(more, () => {
      const { served, refused, unavailable, unauthorized, other } = this.counts();
      return served + refused + unavailable + unauthorized + other;
    });
  }

  /** Ends the clients after their running calls. */
  async stop(): Promise<CallCounts> {
    const gap = this.longestGapMs;
    this.#isOver = true;
    await Promise.all(this.#callers);
    this.#longestGapMs = gap;
    this.#servedAt = Number.POSITIVE_INFINITY;
    return this.counts();
  }

  async #rises(more: number, count: () => number): Promise<void> {
    const target = count() + more;
    const until = performance.now() + WAIT_MS;
    while (count() < target) {
      if (performance.now() > until)
        throw new Error(`no progress: ${JSON.stringify(this.counts())}`);
      await Bun.sleep(2);
    }
  }

  async #call(token: string): Promise<void> {
    const counts = this.#counts.get(token) ?? noCalls();
    try {
      const response = await fetch(this.#url, {
        headers: { authorization: `Bearer ${token}` },
        // One connection a call, so that a balancer leads each call to the next node.
        keepalive: false,
        signal: AbortSignal.timeout(CALL_MS),
      });
      const body = await response.text();
      if (response.status === 200) {
        counts.served++;
        const now = performance.now();
        this.#longestGapMs = Math.max(this.#longestGapMs, now - this.#servedAt);
        this.#servedAt = now;
        return;
      }
      if (response.status === 429) counts.refused++;
      else if (response.status === 503) counts.unavailable++;
      else if (response.status === 401) counts.unauthorized++;
      else {
        counts.other++;
        if (this.others.length < MAX_OTHERS) this.others.push(`${response.status} ${body}`);
      }
      if (response.status === 503 && !Number(response.headers.get("retry-after")))
        counts.withoutRetryAfter++;
    } catch {
      counts.broken++;
    }
    await Bun.sleep(PAUSE_MS);
  }
}

const noCalls = (): CallCounts => ({
  served: 0,
  refused: 0,
  unavailable: 0,
  withoutRetryAfter: 0,
  unauthorized: 0,
  other: 0,
  broken: 0,
});
