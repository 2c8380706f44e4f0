import { type Config, mirrorVariable } from "#config.ts";
import { BourseError } from "#domain/errors.ts";
import { createOnRequest, type OnRequest } from "#ingest/on-request.ts";
import { Refresher } from "#ingest/refresh.ts";
import { Schedule } from "#ingest/schedule.ts";
import type { Log } from "#lib/log.ts";
import { countryPe } from "#rollups/companies.ts";
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
import { VERSION } from "./version.ts";

/** Every source that a fetcher names, in the order of the fetchers. */
export const SOURCES: readonly Source[] = [...new Set(FETCHERS.map(({ source }) => source))];

/** The parts that bring live data. */
export interface Live {
  /** The client of each source that is switched on, by the source's name. */
  readonly clients: ReadonlyMap<string, StatefulSourceClient>;
  readonly refresher: Refresher;
  readonly schedule: Schedule;
  readonly onRequest: OnRequest;
  /** Lets no source be asked any more, and resolves once what was under way has ended. */
  stop(): Promise<void>;
}

/** What live data is brought with. */
export interface LiveParts {
  readonly config: Config;
  readonly market: MarketStore;
  readonly clock: () => number;
  readonly log: Log;
  /** Roll-ups of the same market; its own where left out. */
  readonly rollups?: CompanyRollups;
  /** Pauses between the requests to a source; real ones where left out. */
  readonly sleep?: (ms: number) => Promise<void>;
  /** How long a request waits for its sources; by the real clock where left out. */
  readonly patience?: (ms: number) => Promise<void>;
  /** How many companies of each country the schedule fetches; its own number where left out. */
  readonly largest?: number;
}

/**
 * The client of each source that is switched on, by the source's name. `blockedUntil` says until when a
 * source is blocked after earlier failures: UTC milliseconds, 0 for not at all.
 *
 * @throws BourseError where `BOURSE_SOURCES` names a source that there is not, or a mirror is no
 * address that may be asked
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
    SOURCES.filter(({ name }) => config.sources?.includes(name) ?? true).map((source) => [
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

/** What clients need of the world: the time from `clock`, real pauses and chance. */
export function worldOf(clock: () => number): SourceWorld {
  return { clock, sleep: Bun.sleep, random: Math.random };
}

/** The clients with a refresher and what waits for it on request. @throws BourseError as `createClients` */
export function createLive(parts: LiveParts): Live {
  const { config, market, clock, log } = parts;
  const rollups = parts.rollups ?? new CompanyRollups(market, clock);
  const stopping = new AbortController();
  const clients = createClients(
    config,
    {
      ...worldOf(clock),
      sleep: parts.sleep ?? ((ms: number) => sleepUntil(stopping.signal, ms)),
      signal: stopping.signal,
    },
    (source) => market.fetches.blockedUntil(source),
  );
  const refresher = new Refresher({
    market,
    fetchers: FETCHERS,
    clientOf: (source) => clients.get(source) ?? null,
    clock,
    log,
  });
  return {
    clients,
    refresher,
    schedule: new Schedule({
      market,
      refresher,
      clock,
      log,
      indexPe: async (country) => {
        await rollups.update([country]);
        return countryPe(rollups.get(country).list).pe;
      },
      ...(parts.largest !== undefined && { largest: parts.largest }),
    }),
    onRequest: createOnRequest({
      market,
      refresher,
      clock,
      // The timer must not keep the process alive once the sources were faster.
      sleep:
        parts.patience ?? ((ms) => new Promise((resolve) => void setTimeout(resolve, ms).unref())),
    }),
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
    `The address set for the source ${name} (BOURSE_SOURCE_URL_…) must be an https: one, or an http: one on this machine.`,
  );
}

/** Sleeps, but no longer than until the signal. */
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
