import type { Config } from "#config.ts";
import { BourseError } from "#domain/errors.ts";
import { createOnRequest, type OnRequest } from "#ingest/on-request.ts";
import { createRefresher, type Refresher } from "#ingest/refresh.ts";
import type { Log } from "#lib/log.ts";
import { FETCHERS } from "#providers/index.ts";
import type { Source } from "#providers/source.ts";
import { createSourceClient, type StatefulSourceClient } from "#providers/source-client.ts";
import type { MarketStore } from "#store/index.ts";
import { VERSION } from "./version.ts";

/** Every source that a fetcher names, in the order of the fetchers. */
export const SOURCES: readonly Source[] = [...new Set(FETCHERS.map(({ source }) => source))];

/** The parts that bring live data. */
export interface Live {
  /** The client of each source that is switched on, by the source's name. */
  readonly clients: ReadonlyMap<string, StatefulSourceClient>;
  readonly refresher: Refresher;
  readonly onRequest: OnRequest;
}

export interface LiveParts {
  readonly config: Config;
  readonly market: MarketStore;
  readonly clock: () => number;
  readonly log: Log;
}

/** @throws BourseError where `BOURSE_SOURCES` names a source that there is not */
export function createLive({ config, market, clock, log }: LiveParts): Live {
  const unknown = config.sources?.find((name) => !SOURCES.some((source) => source.name === name));
  if (unknown !== undefined) {
    throw new BourseError(
      "invalid_argument",
      `There is no source ${unknown}; the sources are ${SOURCES.map(({ name }) => name).join(", ")}.`,
    );
  }
  const clients = new Map(
    SOURCES.filter(({ name }) => config.sources?.includes(name) ?? true).map((source) => [
      source.name,
      createSourceClient(
        source,
        {
          mirror: config.mirrorOf(source.name),
          contact: config.contact,
          key: source.key ? config.keyOf(source.key.variable) : null,
          program: `bourse/${VERSION}`,
        },
        { clock, sleep: Bun.sleep, random: Math.random },
      ),
    ]),
  );
  const refresher = createRefresher({
    market,
    fetchers: FETCHERS,
    clientOf: (source) => clients.get(source) ?? null,
    clock,
    log,
  });
  return {
    clients,
    refresher,
    onRequest: createOnRequest({ market, refresher, sleep: Bun.sleep }),
  };
}
