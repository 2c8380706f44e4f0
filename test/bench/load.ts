import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Number of concurrent requests: `wrk -t1 -c32`. */
export const CONNECTIONS = 32;

/** The requests for a contender. Only the origin differs between contenders. */
export interface Load {
  readonly method: "GET" | "POST";
  /** Paths with queries, requested in turn. */
  readonly paths: readonly string[];
  /** Bearer tokens, in turn. */
  readonly tokens: readonly string[];
  /** Calls of one token before the next is used. */
  readonly callsPerToken: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of a load generator. */
export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Answers with a status of 400 or above. */
  readonly refused: number;
  /** Requests without an answer. */
  readonly broken: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A program that calls a server over persistent connections. */
export interface LoadGenerator {
  readonly name: string;
  /**
   * Calls as fast as the contender answers, over 32 connections. With a rate, it makes about that many
   * calls a second: each connection pauses for 1 to 5 ms after every answer.
   */
  run(origin: string, load: Load, seconds: number, rate?: number): Promise<LoadResult>;
}

/**
 * The mean pause. wrk has no rate, only pauses of whole milliseconds. They vary, because equal pauses
 * would synchronize the connections.
 */
const PAUSE_MS = 3;
/** Estimated time of an answer. */
const ANSWER_MS = 0.8;

/** The part of a request after the token. */
export function requestTail({ headers, body }: Pick<Load, "headers" | "body">): string {
  const all = { ...headers, ...(body !== "" && { "Content-Length": Buffer.byteLength(body) }) };
  const lines = Object.entries(all).map(([name, value]) => `\r\n${name}: ${value}`);
  return `${lines.join("")}\r\n\r\n${body}`;
}

/** Uses wrk if it is installed, else autocannon from the peers' folder. `folder` is for their files. */
export function createLoadGenerator(folder: string, peers: string): LoadGenerator {
  mkdirSync(folder, { recursive: true });
  if (Bun.which("wrk") === null) {
    return {
      name: "autocannon, 32 connections (wrk is not installed; it slows the floor down more than us, so ratios to the floor are too good)",
      async run(origin, load, seconds, rate) {
        const file = join(folder, "load.json");
        const connections = CONNECTIONS;
        writeFileSync(file, JSON.stringify({ origin, load, seconds, rate, connections }));
        return lastLineOf(Bun.spawn(["node", join(peers, "autocannon.mjs"), file], PIPED));
      },
    };
  }
  return {
    name: `wrk -t1 -c${CONNECTIONS}`,
    async run(origin, load, seconds, rate) {
      const pauseMs = rate === undefined ? 0 : PAUSE_MS;
      const connections =
        rate === undefined ? CONNECTIONS : Math.ceil((rate * (pauseMs + ANSWER_MS)) / 1000);
      writeFileSync(join(folder, "paths"), `${load.paths.join("\n")}\n`);
      writeFileSync(join(folder, "tokens"), `${load.tokens.join("\n")}\n`);
      writeFileSync(join(folder, "tail"), requestTail(load));
      const script = join(import.meta.dir, "load.lua");
      const own = ["--", load.method, String(load.callsPerToken), folder, String(pauseMs)];
      const child = Bun.spawn(
        [
          "wrk",
          "-t1",
          `-c${connections}`,
          `-d${Math.ceil(seconds)}s`,
          "-s",
          script,
          origin,
          ...own,
        ],
        PIPED,
      );
      // wrk takes whole seconds only, and prints its results when it is interrupted.
      const timer = setTimeout(() => child.kill("SIGINT"), seconds * 1000);
      return lastLineOf(child).finally(() => clearTimeout(timer));
    },
  };
}

const PIPED = { stdout: "pipe", stderr: "pipe" } as const;

async function lastLineOf(child: Bun.Subprocess<"ignore", "pipe", "pipe">): Promise<LoadResult> {
  const [text, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  if (!line.startsWith("{")) throw new Error(`the load generator failed: ${text}${errors}`);
  return JSON.parse(line) as LoadResult;
}
