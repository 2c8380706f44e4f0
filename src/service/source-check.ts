import type { Config } from "#config.ts";
import { wordsOf } from "#domain/records.ts";
import { withoutSource } from "#ingest/lacks.ts";
import { FETCHERS } from "#sources/index.ts";
import { describeRefusal } from "#sources/refusal.ts";
import { type HostState, SourceHosts } from "#sources/source-host.ts";
import type { StatefulSourceClient } from "#sources/source-client.ts";
import type { Source, SourceAnswer, SourceClient } from "#sources/source.ts";
import { createClients, SOURCES, worldOf } from "./live.ts";
import { listProbes, type Probe, probe, unanswered } from "./source-probe.ts";
import { keysFor } from "./state.ts";
import type { World } from "./world.ts";

/** A source without an answer for this time hangs. */
const SILENCE_MS = 30_000;
/** All sources together take this time at most, unless the limits of a source make its calls slower. */
const WHOLE_MS = 60_000;

/** What is known of a source after its check. */
export interface SourceVerdict {
  readonly source: string;
  /** `not called` if it lacks a key or a contact. */
  readonly verdict: "works" | "partly" | "refused" | "not called";
  /** The records that no other source gave, and those that another one gave instead; empty if none is lost. */
  readonly lost: string;
  /** The reasons and what to do, in the words of refusals; empty if it works. */
  readonly advice: readonly string[];
}

/** The dependencies of a check. */
export interface SourceCheckParts {
  readonly world: World;
  readonly config: Config;
  /** What is known of hosts: the doors that passed are tried first, as the service does. */
  readonly remembered: readonly HostState[];
  /** True to call each source once. */
  readonly isBrief?: boolean;
  /** Called with each answer. */
  readonly onAnswer?: (answer: SourceAnswer) => void;
  /** Called with each result, their number so far and the number of all. */
  readonly onRow?: (row: Probe, done: number, of: number) => void;
}

/**
 * Calls every source that is switched on, through the doors that the service uses and in the same order, and
 * stores nothing. A source that hangs is stopped after 30 seconds, all after 60.
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
  const flights = SOURCES.flatMap((source) => {
    const client = clients.get(source.name);
    if (!client) return [];
    const targets = listTargets(source).slice(0, isBrief ? 1 : undefined);
    total += targets.length;
    const watch = new Watch({ ...parts, client, hosts }, source, targets.length);
    return targets.map(async ({ fetcher, country, symbol }) => {
      const row = await watch.race(
        probe(fetcher, country, watch.client, world.clock(), symbol),
        (words) => unanswered(fetcher, country, symbol, words),
      );
      onRow?.(row, ++done, total);
      return row;
    });
  });
  const rows = await Promise.all(flights);
  // Requests that hang would keep the process alive.
  stopping.abort();
  return { rows, verdicts: judge(rows, config) };
}

function listTargets(source: Source) {
  return FETCHERS.filter((one) => one.source === source).flatMap((fetcher) =>
    fetcher.countries.flatMap((country) =>
      listProbes(fetcher, country).map((symbol) => ({ fetcher, country, symbol })),
    ),
  );
}

/** What a watch needs from its check. */
interface WatchParts extends Pick<SourceCheckParts, "world" | "onAnswer"> {
  readonly client: StatefulSourceClient;
  readonly hosts: SourceHosts;
}

/** Ends the wait for a source that does not answer. */
class Watch {
  /** The client of the source; it notes when the source answers. */
  readonly client: SourceClient;
  readonly #over = Promise.withResolvers<string>();
  #host = "";
  #silence = 0;

  constructor(
    { client, hosts, world, onAnswer = () => {} }: WatchParts,
    { name, requestsPerSecond, isLocal }: Source,
    calls: number,
  ) {
    const { timeout = (ms: number) => AbortSignal.timeout(ms) } = world;
    const began = world.clock();
    // Its requests may wait behind requests of another source, which the host refuses.
    const refusal = () => {
      const { refusal: known, state } = hosts.get(this.#host);
      const isNew = state.refusedAt !== null && state.refusedAt >= began;
      return known !== null && isNew ? known : ({ host: this.#host, cause: "hangs" } as const);
    };
    this.#host = name;
    const end = (ms: number, isDue: () => boolean) =>
      timeout(ms).addEventListener("abort", () => {
        if (isDue()) this.#over.resolve(describeRefusal(refusal()));
      });
    const listen = () => {
      const silence = ++this.#silence;
      end(SILENCE_MS, () => silence === this.#silence);
    };
    this.client = {
      key: client.key,
      isClosed: client.isClosed ?? (() => false),
      request: (url, request) => {
        this.#host = new URL(url).hostname;
        return client
          .request(url, request)
          .then((answer) => {
            onAnswer(answer);
            return answer;
          })
          .finally(listen);
      },
    };
    if (isLocal) return;
    listen();
    end(Math.max(WHOLE_MS, (calls * 1_000) / requestsPerSecond + SILENCE_MS), () => true);
  }

  /** The result, or `instead` if the source does not answer in time. */
  race<T>(work: Promise<T>, instead: (words: string) => T): Promise<T> {
    return Promise.race([work, this.#over.promise.then(instead)]);
  }
}

/** One verdict for each source, in the order of the sources. */
function judge(rows: readonly Probe[], config: Config): SourceVerdict[] {
  return [...Map.groupBy(rows, ({ source }) => source)].map(([source, own]) => {
    const verdict = verdictOf(own);
    const lost = verdict === "works" ? "" : describeLoss(own, rows, config);
    return { source, verdict, lost, advice: adviceOf(own) };
  });
}

function verdictOf(own: readonly Probe[]): SourceVerdict["verdict"] {
  const hasFailed = own.some((row) => row.failed || row.isBlocked);
  const hasAnswered = own.some((row) => row.error === null || row.records !== null);
  if (hasFailed && !hasAnswered) return "refused";
  if (hasFailed || own.some(({ missing = [] }) => missing.length > 0)) return "partly";
  return hasAnswered ? "works" : "not called";
}

function adviceOf(own: readonly Probe[]): string[] {
  const errors = own.flatMap(({ error, isBlocked }) =>
    error === null || isBlocked ? [] : [error],
  );
  const whys = own.flatMap(({ missing = [] }) => missing.map(({ why }) => why));
  return [...new Set([...errors.map(withoutSource), ...whys])];
}

/** `no bars, statements of JP unless JQUANTS_API_KEY is set; bars of VN come from entrade`. */
function describeLoss(own: readonly Probe[], all: readonly Probe[], config: Config): string {
  const lost = own.filter((row) => row.records === null && (row.failed || row.isBlocked));
  const ends = Map.groupBy(lost, (row) => endOf(row, all, config));
  const texts = [...ends].flatMap(([end, rows]) => {
    const kinds = Map.groupBy(rows, ({ kind }) => wordsOf(kind));
    const countries = Map.groupBy(kinds.keys(), (kind) =>
      [...new Set(kinds.get(kind)?.map(({ country }) => country))].join(", "),
    );
    const isReplaced = end.startsWith(FROM);
    return [...countries].map(
      ([places, names]) => `${isReplaced ? "" : "no "}${names.join(", ")} of ${places}${end}`,
    );
  });
  const parts = own.flatMap(({ missing = [] }) => missing.map(({ what }) => what));
  return [...texts, ...(parts.length > 0 ? [`no ${[...new Set(parts)].join(", ")}`] : [])].join(
    "; ",
  );
}

const FROM = " come from ";

/** What becomes of the records of a row that failed: another source has them, or would with its key, or none has. */
function endOf(row: Probe, all: readonly Probe[], config: Config): string {
  const other = all.find(
    (one) =>
      one.kind === row.kind &&
      one.country === row.country &&
      one.source !== row.source &&
      one.records !== null &&
      !isForSome(one),
  );
  if (other) return FROM + other.source;
  const [key] = keysFor(row, config);
  return key === undefined ? "" : ` unless ${key} is set`;
}

/** True if the source only adds to the records of others, or knows no companies. */
function isForSome(row: Probe): boolean {
  return FETCHERS.some(
    ({ kind, countries, source, complements, assetType }) =>
      (complements === true || assetType !== undefined) &&
      kind === row.kind &&
      source.name === row.source &&
      countries.includes(row.country),
  );
}
