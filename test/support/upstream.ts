import { createServer, type Socket } from "node:net";
import { SOURCES } from "#service/live.ts";
import type { SourceWorld } from "#sources/source-client.ts";
import { defineSource, type Source, type SourceSpec } from "#sources/source.ts";

/** A request to the server. */
export interface Arrived {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  /** Aborted if the client closes the connection before the end of the answer. */
  readonly signal: AbortSignal;
}

export type Answerer = (arrived: Arrived) => Response | Promise<Response>;

/** A server on loopback that plays a source; `using` stops it. */
export type Upstream = ReturnType<typeof startUpstream>;

export function startUpstream(first: Answerer | string = "{}") {
  const requests: Arrived[] = [];
  let answer: Answerer;
  const play = (next: Answerer | string) =>
    (answer = typeof next === "string" ? () => new Response(next) : next);
  play(first);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers, signal } = request;
      const arrived = {
        method,
        path: pathname + search,
        headers,
        signal,
        body: await request.text(),
      };
      requests.push(arrived);
      return answer(arrived);
    },
    error: () => new Response("the played source failed", { status: 500 }),
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    /** All requests, in order. */
    requests,
    /** From now on answers with that body, or with the result of the function. */
    play,
    /** The number of running requests. */
    pending: () => server.pendingRequests,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** Every source played at one address, as the environment of the program. */
export function playedAt(url: string): Record<string, string> {
  return Object.fromEntries(
    SOURCES.map(({ name }) => [
      `BOURSE_SOURCE_URL_${name.toUpperCase().replaceAll("-", "_")}`,
      url,
    ]),
  );
}

/** A chart in Entrade's form with five sessions of the VN-Index. */
export function entradeChart(): string {
  const days = [1, 2, 3, 4, 5].map((day) => Date.UTC(2026, 0, 4 + day, 2) / 1000);
  const prices = [1_700, 1_710, 1_720, 1_730, 1_740];
  return JSON.stringify({ t: days, o: prices, h: prices, l: prices, c: prices, v: prices });
}

/** A server on loopback that writes these bytes to every client, and then closes the connection or not. */
export async function startRawUpstream(
  bytes: string,
  after: "close" | "stay",
  received: () => void = () => {},
) {
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
    socket.once("data", () => {
      socket.write(bytes, () => after === "close" && socket.end());
      received();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    /** The number of connections so far, and the number of open ones. */
    connections: () => connections,
    open: () => open.size,
    [Symbol.dispose]() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

/** Waits until the condition is true. The time limit of the test ends a wait in vain. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await Bun.sleep(5);
}

/** A source without limits, except those in `change`. */
export function playedSource(change: Partial<SourceSpec> = {}): Source {
  return defineSource({
    name: "played",
    official: true,
    terms: "none",
    fills: "tests",
    requestsPerSecond: Number.POSITIVE_INFINITY,
    concurrency: 8,
    timeoutMs: 2_000,
    maxBytes: 100_000,
    userAgent: "program",
    ...change,
  });
}

/** A world in which time passes only while sleeping, and every random number is 0.5. */
export function playedWorld(): SourceWorld & { time: { now: number }; sleeps: number[] } {
  const time = { now: Date.parse("2026-11-20T17:30:00Z") };
  const sleeps: number[] = [];
  return {
    time,
    sleeps,
    clock: () => time.now,
    async sleep(ms) {
      sleeps.push(ms);
      time.now += ms;
    },
    random: () => 0.5,
  };
}
