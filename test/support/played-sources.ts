import { SOURCES } from "#service/live.ts";
import {
  alfred,
  boj,
  calendar,
  constituents,
  frankfurter,
  fred,
  imf,
  mof,
  multpl,
  nasdaqEarnings,
  nikkei,
  nso,
  sbv,
  oecd,
  shiller,
  treasury,
  vndirect,
  worldbank,
} from "./played-economies.ts";
import { edinet } from "./edinet.ts";
import { entrade, jpx, jquants, nasdaq, sec, ssga, ssi, vietcap } from "./played-markets.ts";
import { inMode, type PlayedMode } from "./played-modes.ts";
import type { PlayedBody, PlayedSource } from "./played-answer.ts";
import { yahoo } from "./played-yahoo.ts";
import { playedAt } from "./upstream.ts";

/** The answers of each source, by its name. */
const PLAYED: Readonly<Record<string, PlayedSource>> = {
  nasdaq,
  sec,
  jpx,
  jquants,
  edinet,
  vietcap,
  ssi,
  entrade,
  yahoo,
  fred,
  alfred,
  treasury,
  mof,
  boj,
  frankfurter,
  oecd,
  nso,
  sbv,
  imf,
  worldbank,
  calendar,
  "nasdaq-earnings": nasdaqEarnings,
  shiller,
  multpl,
  vndirect,
  constituents,
  nikkei,
  ssga,
};

/** Sources without requests: their records are part of the program. */
export const SOURCES_WITHOUT_REQUESTS: ReadonlySet<string> = new Set(
  SOURCES.filter(({ isLocal }) => isLocal).map(({ name }) => name),
);

for (const { name } of SOURCES) {
  if (!(name in PLAYED) && !SOURCES_WITHOUT_REQUESTS.has(name))
    throw new Error(
      `The source ${name} is not played: add its answers to PLAYED in test/support/played-sources.ts, or declare that it isLocal.`,
    );
}

/** A request to a played source. */
export interface PlayedCall {
  readonly source: string;
  /** Path and query. */
  readonly address: string;
  readonly userAgent: string;
  /** The size of the normal answer. */
  readonly bytes: number;
}

/** One server that plays all sources; a path belongs to one of them. */
export type PlayedSources = Awaited<ReturnType<typeof playSources>>;

/**
 * Plays every source on loopback. An answer in `instead`, if it is not null, replaces that source's own.
 *
 * @param change makes another answer of each one
 */
export async function playSources(
  instead: Readonly<Record<string, PlayedSource>> = {},
  change: (played: PlayedBody) => PlayedBody = (played) => played,
) {
  let running = 0;
  const modes = new Map<string, PlayedMode>();
  /** What ends the waiting of the requests to a source in the mode `slow`. */
  const held = new Map<string, PromiseWithResolvers<void>>();
  const calls: PlayedCall[] = [];
  const awaited = new Map<string, () => void>();
  let strayed = 0;
  const elsewhere = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      strayed++;
      return Response.json({});
    },
  });

  const respond = async (request: Request): Promise<Response> => {
    running++;
    return play(request).finally(() => running--);
  };
  const play = async (request: Request): Promise<Response> => {
    const { pathname: path, search, searchParams: query } = new URL(request.url);
    const { headers } = request;
    const body = await request.text();
    for (const [source, answer] of Object.entries(PLAYED)) {
      const received = { path, query, headers, body };
      const found = instead[source]?.(received) ?? answer(received);
      if (found === null) continue;
      const played = change(found);
      const userAgent = headers.get("user-agent") ?? "";
      calls.push({ source, address: path + search, userAgent, bytes: played.body.length });
      awaited.get(source)?.();
      await held.get(source)?.promise;
      return await inMode(modes.get(source) ?? "normal", source, played, elsewhere.url.href);
    }
    calls.push({ source: "?", address: path + search, userAgent: "", bytes: 0 });
    return new Response("Not Found", { status: 404 });
  };

  let server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: respond });
  const port = server.port ?? 0;
  const url = `http://127.0.0.1:${port}`;

  return {
    url,
    /** Every request, in the order of arrival. */
    calls,
    /** The number of requests that are being answered. */
    running: () => running,
    /** Waits for the next request to a source. */
    nextCall: (source: string) => new Promise<void>((resolve) => awaited.set(source, resolve)),
    /** The number of requests to another host than that of the source. */
    strayed: () => strayed,
    /** The settings that send each source's requests here. */
    environment: playedAt(url),
    /** In the mode `slow`, requests are answered when another mode is set. */
    setMode(source: string, mode: PlayedMode): void {
      modes.set(source, mode);
      held.get(source)?.resolve();
      if (mode === "slow") held.set(source, Promise.withResolvers());
      else held.delete(source);
    },
    setAllModes(mode: PlayedMode): void {
      for (const source of Object.keys(PLAYED)) modes.set(source, mode);
    },
    /** Refuses every connection from now on. */
    disconnect: () => server.stop(true),
    /** Accepts connections again. */
    reconnect(): void {
      server = Bun.serve({ hostname: "127.0.0.1", port, fetch: respond });
    },
    async stop(): Promise<void> {
      await server.stop(true);
      await elsewhere.stop(true);
    },
  };
}
