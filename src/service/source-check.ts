import type { Config } from "#config.ts";
import { FETCHERS } from "#sources/index.ts";
import type { Refusal } from "#sources/refusal.ts";
import { type HostState, SourceHosts } from "#sources/source-host.ts";
import type { StatefulSourceClient } from "#sources/source-client.ts";
import {
  type Source,
  type SourceAnswer,
  type SourceClient,
  SourceError,
  type SourceRequest,
} from "#sources/source.ts";
import { createClients, SOURCES, worldOf } from "./live.ts";
import { failedProbe, listSymbols, type Probe, probe, type Target } from "./source-probe.ts";
import { judgeProbes, type SourceVerdict } from "./source-verdict.ts";
import type { World } from "./world.ts";

/** A source without an answer for this time hangs. */
const SILENCE_MS = 30_000;
/** All sources together take this time at most, unless the limits of a source make its calls slower. */
const WHOLE_MS = 55_000;
/** A source may take this multiple of the time in which its limits allow a request for each row. */
const SLACK = 1.5;

/** The dependencies of a check. */
export interface SourceCheckParts {
  readonly world: World;
  readonly config: Config;
  /** What is known of hosts: the doors that passed are tried first, as the service does. */
  readonly remembered: readonly HostState[];
  /** True to call each source once, and only those that are switched on. */
  readonly isBrief?: boolean;
  /** Called with each answer. */
  readonly onAnswer?: (answer: SourceAnswer) => void;
  /** Called with each result, their number so far and the number of all. */
  readonly onRow?: (row: Probe, done: number, of: number) => void;
}

/**
 * Calls every source that is switched on, through the doors that the service uses and in the same order, and
 * stores nothing. A source that hangs is stopped after 30 seconds, all after 55.
 */
export async function checkSources(
  parts: SourceCheckParts,
): Promise<{ rows: Probe[]; verdicts: SourceVerdict[] }> {
  const { world, config, remembered, isBrief = false, onRow } = parts;
  const stopping = new AbortController();
  const sourceWorld = { ...worldOf(world), signal: stopping.signal };
  const hosts = new SourceHosts(sourceWorld);
  // A block is not continued, because the operator wants to know now.
  hosts.resume(remembered.map((host) => ({ ...host, blockedUntil: 0 })));
  const clients = createClients(config, sourceWorld, () => 0, hosts);
  let done = 0;
  let total = 0;
  const flights = SOURCES.flatMap((source): Promise<Probe>[] => {
    const client = clients.get(source.name);
    const targets = client || (config.sources === null && !isBrief) ? listTargets(source) : [];
    const called = targets.slice(0, isBrief ? 1 : undefined);
    if (!client) return called.map(async (target) => failedProbe(target, switchedOff(source)));
    total += called.length;
    const watch = new Watch({ ...parts, client, hosts }, source, called.length);
    return called.map(async (target) => {
      const row = await watch.race(probe(target, watch.client, world.clock()), (error) =>
        failedProbe(target, error),
      );
      onRow?.(row, ++done, total);
      return row;
    });
  });
  const rows = await Promise.all(flights);
  // Requests that hang would keep the process alive.
  stopping.abort();
  return { rows, verdicts: judgeProbes(rows, config) };
}

function listTargets(source: Source): Target[] {
  return FETCHERS.filter((one) => one.source === source).flatMap((fetcher) =>
    fetcher.countries.flatMap((country) =>
      listSymbols(fetcher, country).map((symbol) => ({ fetcher, country, symbol })),
    ),
  );
}

const switchedOff = ({ error }: Source) =>
  error(
    "not_asked",
    "it is off, because no licence is stated; to use it, set BOURSE_SOURCES to all sources that you want",
  );

/** What a watch needs from its check. */
interface WatchParts extends Pick<SourceCheckParts, "world" | "onAnswer"> {
  readonly client: StatefulSourceClient;
  readonly hosts: SourceHosts;
}

/** Calls a source, and ends the wait for it if it does not answer. */
class Watch {
  /** The client of the source, one for all calls, because a session belongs to it; the watch notes its answers. */
  readonly client: SourceClient;
  readonly #parts: WatchParts;
  readonly #source: Source;
  readonly #beganAt: number;
  readonly #end = Promise.withResolvers<SourceError>();
  /** The host that was called last. */
  #host: string;
  /** The number of silences so far: each answer ends one and begins the next. */
  #silences = 0;

  constructor(parts: WatchParts, source: Source, calls: number) {
    this.#parts = parts;
    this.#source = source;
    this.#beganAt = parts.world.clock();
    this.#host = source.name;
    const { key, isClosed } = parts.client;
    this.client = { key, ...(isClosed && { isClosed }), request: this.#request };
    if (source.isLocal) return;
    this.#listen();
    const slowMs = (SLACK * calls * 1_000) / source.requestsPerSecond;
    this.#after(Math.max(WHOLE_MS, slowMs), () =>
      this.#stop(`${this.#host} is slow: the check ended before all its answers; retry later`),
    );
  }

  /** The result, or `instead` if the source does not answer in time. */
  race<T>(work: Promise<T>, instead: (error: SourceError) => T): Promise<T> {
    return Promise.race([work, this.#end.promise.then(instead)]);
  }

  readonly #request = async (url: string, request?: SourceRequest): Promise<SourceAnswer> => {
    this.#host = new URL(url).hostname;
    try {
      const answer = await this.#parts.client.request(url, request);
      this.#parts.onAnswer?.(answer);
      return answer;
    } finally {
      this.#listen();
    }
  };

  #listen(): void {
    const silence = ++this.#silences;
    this.#after(
      SILENCE_MS,
      () => silence === this.#silences && this.#stop({ host: this.#host, cause: "hangs" }),
    );
  }

  /** Ends the wait. The reason is the refusal of the host if it refused, else `instead`. */
  #stop(instead: Refusal | string): void {
    const { refusal, state } = this.#parts.hosts.get(this.#host);
    // Its requests may wait behind requests of another source, which the host refuses.
    const isNew = state.refusedAt !== null && state.refusedAt >= this.#beganAt;
    const reason = isNew && refusal ? refusal : instead;
    this.#end.resolve(new SourceError(this.#source.name, "unreachable", reason));
  }

  #after(ms: number, act: () => void): void {
    const { timeout = (limit: number) => AbortSignal.timeout(limit) } = this.#parts.world;
    timeout(ms).addEventListener("abort", act);
  }
}
