import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** How many requests are under way at once: `wrk -t1 -c32`. */
export const CONNECTIONS = 32;

/** What is asked of a contender. Nothing of it differs between contenders but the origin. */
export interface Load {
  readonly method: "GET" | "POST";
  /** Paths with their queries, asked in turn. */
  readonly paths: readonly string[];
  /** Bearer tokens, in turn. */
  readonly tokens: readonly string[];
  /** How many calls one token makes before it is the next one's turn. */
  readonly callsPerToken: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a load generator saw. */
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

/** Calls over connections that are kept. */
export interface LoadGenerator {
  readonly name: string;
  /**
   * Calls as fast as the contender answers, over 32 connections; with a rate, about so often a second,
   * over as many as that takes where each pauses for 1 to 5 ms after every answer.
   */
  run(origin: string, load: Load, seconds: number, rate?: number): Promise<LoadResult>;
}

/**
 * wrk knows no rate, but pauses of whole milliseconds: this long in the mean. Were they equal, the
 * connections would fall into step and call all at once.
 */
const PAUSE_MS = 3;
/** What an answer takes beside the pause, about. */
const ANSWER_MS = 0.8;

/** What stands behind the token in every request. */
export function requestTail({ headers, body }: Load): string {
  const all = { ...headers, ...(body !== "" && { "Content-Length": Buffer.byteLength(body) }) };
  const lines = Object.entries(all).map(([name, value]) => `\r\n${name}: ${value}`);
  return `${lines.join("")}\r\n\r\n${body}`;
}

/** wrk where it is installed, else autocannon of the peers' folder; `folder` takes their files. */
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
      // wrk counts in whole seconds, and prints what it has when it is interrupted.
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
