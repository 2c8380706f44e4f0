import { type Config, mirrorVariable } from "#config.ts";
import { BourseError } from "#domain/errors.ts";
import type { FetchKey } from "#domain/fetch.ts";
import { createLocalWriter, type MarketWriter } from "#ingest/changes.ts";
import { DueKeys } from "#ingest/due-keys.ts";
import { createOnRequest, type OnRequest } from "#ingest/on-request.ts";
import { Refresher, type FetchRoute } from "#ingest/refresh.ts";
import { Schedule } from "#ingest/schedule.ts";
import type { Log } from "#lib/log.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import { FETCHERS } from "#sources/index.ts";
import {
  createSourceClient,
  isAskable,
  type SourceWorld,
  type StatefulSourceClient,
} from "#sources/source-client.ts";
import type { Source } from "#sources/source.ts";
import type { MarketStore } from "#store/index.ts";
import type { World } from "./world.ts";
import { type CompanyFigures, figuresOf, type MarketIngest } from "./market-ingest.ts";
import { VERSION } from "./program.ts";

/** Every source that a fetcher names, in the order of the fetchers. */
export const SOURCES: readonly Source[] = [...new Set(FETCHERS.map(({ source }) => source))];

/** True if the settings switch the source on. */
export function isSwitchedOn(source: Source, { sources }: Pick<Config, "sources">): boolean {
  return sources?.includes(source.name) ?? source.isOffByDefault !== true;
}

/** The parts that fetch live data. */
export interface Live {
  /** The client of each source that is switched on, by the source's name. */
  readonly clients: ReadonlyMap<string, StatefulSourceClient>;
  readonly refresher: Refresher;
  readonly schedule: Schedule;
  readonly onRequest: OnRequest;
  /** Continues the blocks of sources that another node of the cluster stored. */
  resumeBlocks(): void;
  /** Stops all calls of sources; resolves when the running refreshes have ended. */
  stop(): Promise<void>;
}

/** Waits for sources. The timer must not keep the process alive if they are faster. */
const patience = (ms: number) =>
  new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());

/** The refresh on request of a service whose ingest calls the sources; `clients` are never called. */
export function createIngestRefresh(
  ingest: Pick<MarketIngest, "refresh">,
  parts: Pick<LiveParts, "market" | "clock"> &
    Pick<Live, "clients"> & {
      /** False while another service on this folder calls the sources. */
      readonly mayFetch: () => boolean;
    },
): OnRequest {
  const { market, clock, clients, mayFetch } = parts;
  const clientOf = (source: string) => clients.get(source) ?? null;
  const keys = new DueKeys({ market, fetchers: FETCHERS, clientOf, clock });
  const refresher = {
    isDue: (key: FetchKey) => mayFetch() && keys.isDue(key),
    wasNeverFetched: (key: FetchKey) => keys.wasNeverFetched(key),
    refresh: (key: FetchKey) => ingest.refresh(key),
  };
  return createOnRequest({ market, refresher, clock, sleep: patience });
}

/** The dependencies of `createLive`. */
export interface LiveParts {
  readonly config: Config;
  readonly market: MarketStore;
  readonly clock: () => number;
  readonly log: Log;
  /** The figures of the same market; computed here if absent. */
  readonly figures?: CompanyFigures;
  /** Writes what the sources give; writes to `market` alone if absent. */
  readonly writer?: MarketWriter | undefined;
  /** Decides which node of a cluster fetches a key; this process if absent. */
  readonly route?: FetchRoute | undefined;
  /** Waits between the requests to a source; uses real time if absent. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
  /** Waits while a request waits for its sources; uses real time if absent. */
  readonly patience?: (ms: number) => Promise<void>;
  /** The number of companies of each country that the schedule fetches; the schedule's default if absent. */
  readonly largest?: number;
}

/**
 * The client of each source that is switched on, by the source's name. `blockedUntil` returns the end of a
 * source's block after earlier failures: UTC milliseconds, 0 if it is not blocked.
 *
 * @throws BourseError if `BOURSE_SOURCES` names an unknown source, or the address of a mirror is not
 * allowed
 */
export function createClients(
  config: Config,
  world: SourceWorld,
  blockedUntil: (source: string) => number = () => 0,
): Live["clients"] {
  const unknown = config.sources?.find((name) => !SOURCES.some((source) => source.name === name));
  if (unknown !== undefined) {
    throw new BourseError(
      "invalid_argument",
      `There is no source ${unknown}; the sources are ${SOURCES.map(({ name }) => name).join(", ")}.`,
    );
  }
  const variableOf = ({ name }: Source) => mirrorVariable(name);
  const stray = config.mirrors.find((variable) => !SOURCES.map(variableOf).includes(variable));
  if (stray !== undefined) {
    throw new BourseError(
      "invalid_argument",
      `${stray} names no source; the variables are ${SOURCES.map(variableOf).join(", ")}.`,
    );
  }
  return new Map(
    SOURCES.filter((source) => isSwitchedOn(source, config)).map((source) => [
      source.name,
      createSourceClient(
        source,
        {
          mirror: mirrorOf(config, source),
          contact: config.contact,
          key: source.key ? config.keyOf(source.key.variable) : null,
          program: `bourse/${VERSION}`,
          blockedUntil: blockedUntil(source.name),
        },
        world,
      ),
    ]),
  );
}

/** The side effects of clients: the time and the waits of the command, and random numbers. */
export function worldOf({ clock, sleep = Bun.sleep }: Pick<World, "clock" | "sleep">): SourceWorld {
  return { clock, sleep, random: Math.random };
}

/** Creates the clients, the refresher, the schedule and the refresh on request. @throws BourseError as `createClients` */
export function createLive(parts: LiveParts): Live {
  const { config, market, clock, log, writer = createLocalWriter(market), route } = parts;
  const { figures = figuresOf(new CompanyRollups(market, clock)) } = parts;
  const stopping = new AbortController();
  const clients = createClients(
    config,
    {
      ...worldOf({ clock }),
      sleep: parts.sleep ?? ((ms: number) => sleepUntil(stopping.signal, ms)),
      signal: stopping.signal,
    },
    (source) => market.fetches.blockedUntil(source),
  );
  const refresher = new Refresher({
    market,
    writer,
    fetchers: FETCHERS,
    clientOf: (source) => clients.get(source) ?? null,
    clock,
    log,
    route,
  });
  return {
    clients,
    refresher,
    schedule: new Schedule({
      market,
      writer,
      refresher,
      clock,
      log,
      ...figures,
      ...(parts.largest !== undefined && { largest: parts.largest }),
    }),
    onRequest: createOnRequest({ market, refresher, clock, sleep: parts.patience ?? patience }),
    resumeBlocks() {
      for (const [source, client] of clients)
        client.blockedUntil = market.fetches.blockedUntil(source);
    },
    stop() {
      stopping.abort();
      return refresher.stop();
    },
  };
}

function mirrorOf(config: Config, { name }: Source): string | null {
  const mirror = config.mirrorOf(name);
  if (mirror === null || isAskable(mirror)) return mirror;
  throw new BourseError(
    "invalid_argument",
    `The address set for the source ${name} (BOURSE_SOURCE_URL_…) must begin with https:, or with http: for this machine.`,
  );
}

/** Sleeps until the time is over or the signal is aborted. */
function sleepUntil(signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal.addEventListener("abort", wake);
  });
}
