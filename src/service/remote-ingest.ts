import { type BourseError, unavailable } from "#domain/errors.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { RefreshOutcome } from "#ingest/source-chain.ts";
import { withDeadline } from "#lib/deadline.ts";
import type { CompaniesToCompute } from "#rollups/saved-companies.ts";
import type { FiguresPart } from "#store/company-figures.ts";
import type { HostCalls, WorkerCalls } from "./ingest-thread.ts";
import type { IngestHost, IngestState, MarketIngest } from "./market-ingest.ts";
import { ThreadCalls } from "./thread-calls.ts";

/** The pause before the first new start of a thread that ended. Each further pause is twice as long. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** A thread that worked for this time starts again after the first pause. */
const STABLE_MS = 10 * 60_000;
/** How often the thread learns the cluster's time and the leases of the node. */
const OBSERVE_MS = 1_000;
/** How long the end waits for the thread, which may be storing a long list. */
const CLOSE_MS = 5_000;

const ENDED =
  "No records are fetched now, because the ingest ended unexpectedly. It starts again by itself.";

/** The dependencies of a `RemoteIngest`. */
export interface RemoteIngestParts extends IngestHost {
  readonly startWorker: () => Worker;
  /** The environment with all settings. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How far the time of the cluster's database is ahead of this machine, in milliseconds. */
  readonly aheadMs: () => number;
  /** The number of leases that the node holds. */
  readonly leases: () => number;
  readonly stopwatch: () => number;
  /** The pause before the first new start; a second if absent. */
  readonly pauseMs?: number;
}

/** A thread and the calls of its functions. */
interface Thread {
  readonly worker: Worker;
  readonly calls: ThreadCalls<WorkerCalls>;
  readonly opened: Promise<void>;
  readonly ended: Promise<unknown>;
}

/** The ingest in a thread of its own, which starts with the first call, and again if it ends unexpectedly. */
export class RemoteIngest implements MarketIngest {
  readonly #parts: RemoteIngestParts;
  #state: IngestState = { sources: new Map(), warning: null, node: null };
  #thread: Thread | null = null;
  /** The address of `begin`; null before. */
  #url: string | null = null;
  /** When the thread last began its work, by the stopwatch. */
  #begunAt = 0;
  #pauseMs: number;
  /** The next start of a thread that ended; null while it works. */
  #restart: ReturnType<typeof setTimeout> | null = null;
  #observing: ReturnType<typeof setInterval> | null = null;
  #isClosed = false;

  /** No thread runs before the first call. */
  constructor(parts: RemoteIngestParts) {
    this.#parts = parts;
    this.#pauseMs = firstPauseOf(parts);
  }

  get state(): IngestState {
    return this.#restart ? { ...this.#state, warning: ENDED } : this.#state;
  }

  async refresh(key: FetchKey): Promise<RefreshOutcome> {
    return (await this.#open()).call("refresh", key);
  }

  async computeCompanies(companies: CompaniesToCompute): Promise<string> {
    return (await this.#open()).call("computeCompanies", companies);
  }

  async saveFigures(state: string, parts: readonly FiguresPart[]): Promise<void> {
    return (await this.#open()).call("saveFigures", state, parts);
  }

  /** Ends the thread afterwards, because the sample changes once a day. */
  async loadSample(now: number): Promise<void> {
    await (await this.#open()).call("loadSample", now);
    if (this.#url === null) await this.#end();
  }

  async begin(url: string): Promise<void> {
    this.#url = url;
    const calls = await this.#open();
    // It may have been stopped meanwhile.
    if (this.#url === null) return;
    await calls.call("begin", url);
    if (this.#url === null) return;
    this.#begunAt = this.#parts.stopwatch();
    this.#observing ??= setInterval(() => this.#observe(), OBSERVE_MS);
  }

  pause(): Promise<void> {
    return this.#rest("pause");
  }

  stop(): Promise<void> {
    return this.#rest("stop");
  }

  /** A thread that ends from now on is not started again. */
  async #rest(name: "pause" | "stop"): Promise<void> {
    this.#url = null;
    if (this.#observing) clearInterval(this.#observing);
    if (this.#restart) clearTimeout(this.#restart);
    this.#observing = this.#restart = null;
    await this.#thread?.calls.call(name).catch(() => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  /** The functions of the thread, which starts if none runs. @throws BourseError while it waits for its start */
  async #open(): Promise<ThreadCalls<WorkerCalls>> {
    if (this.#restart || this.#isClosed) throw this.#failure();
    const { opened, calls } = (this.#thread ??= this.#start());
    await opened;
    return calls;
  }

  #start(): Thread {
    const { startWorker, env, aheadMs, leases, log, figures } = this.#parts;
    const { progressed, accessChanged } = this.#parts;
    const worker = startWorker();
    const handlers: HostCalls = {
      log: (level, message, fields) => log[level](message, fields),
      progressed,
      accessChanged,
      setState: (state) => void (this.#state = state),
      indexPe: (country) => figures.indexPe(country),
      listUnknownSplits: (country) => figures.listUnknownSplits(country),
    };
    const calls = new ThreadCalls<WorkerCalls>((data) => worker.postMessage(data), handlers);
    const ended = Promise.withResolvers<void>();
    let reason = "";
    worker.addEventListener("message", ({ data }) => calls.receive(data));
    worker.addEventListener("error", ({ message }) => void (reason = errorOf(message)));
    worker.addEventListener("close", ({ code }) => {
      this.#noteEnd(thread, reason || `exit code ${code}`);
      ended.resolve();
    });
    const opened = calls.call("open", { env, aheadMs: aheadMs(), leases: leases() });
    const thread = { worker, calls, opened, ended: ended.promise };
    // A thread that cannot open its files is of no use.
    opened.catch(() => worker.terminate());
    return thread;
  }

  /** Rejects what the thread had to do, and starts another one if this end was not requested. */
  #noteEnd(thread: Thread, reason: string): void {
    thread.calls.end(this.#failure());
    if (this.#thread !== thread) return;
    this.#thread = null;
    const { node } = this.#state;
    // The market no longer follows the log of the cluster.
    if (node)
      this.#state = {
        ...this.#state,
        node: { ...node, hasCaughtUp: false, isLeader: false, term: null },
      };
    if (this.#url === null) return;
    const { stopwatch, log } = this.#parts;
    if (stopwatch() - this.#begunAt >= STABLE_MS) this.#pauseMs = firstPauseOf(this.#parts);
    const seconds = this.#pauseMs / 1_000;
    log.error("the ingest ended unexpectedly and starts again", { reason, seconds });
    this.#restart = setTimeout(() => void this.#beginAgain(), this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
  }

  async #beginAgain(): Promise<void> {
    this.#restart = null;
    const url = this.#url;
    if (url === null) return;
    try {
      await this.begin(url);
      this.#parts.log.info("the ingest works again");
    } catch (error) {
      this.#parts.log.error("the ingest could not start", { error: String(error) });
      // Its end starts the next attempt.
      this.#thread?.worker.terminate();
    }
  }

  #observe(): void {
    const { aheadMs, leases } = this.#parts;
    this.#thread?.calls.tell("observe", aheadMs(), leases());
  }

  /** Ends the thread after it has closed its files. */
  async #end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    if (!thread) return;
    const closed = thread.calls.call("close");
    await withDeadline(closed, CLOSE_MS, () => this.#failure()).catch(() => {});
    thread.worker.terminate();
    await thread.ended;
  }

  #failure(): BourseError {
    const seconds = Math.ceil(this.#pauseMs / 1_000);
    return unavailable(`${ENDED} Retry in ${seconds} seconds.`, {
      retryAfterSeconds: seconds,
    });
  }
}

const firstPauseOf = ({ pauseMs = FIRST_PAUSE_MS }: RemoteIngestParts) => pauseMs;

/** The line with the error in an event's message, which has lines of the source around it. */
const errorOf = (message: string) => /^\w*error: .*/im.exec(message)?.[0] ?? message;
