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

/** Calls as fast as the contender answers, over 32 connections that are kept. */
export interface LoadGenerator {
  readonly name: string;
  run(origin: string, load: Load, seconds: number): Promise<LoadResult>;
}

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
      async run(origin, load, seconds) {
        const file = join(folder, "load.json");
        writeFileSync(file, JSON.stringify({ origin, load, seconds, connections: CONNECTIONS }));
        return lastLineOf(Bun.spawn(["node", join(peers, "autocannon.mjs"), file], PIPED));
      },
    };
  }
  return {
    name: `wrk -t1 -c${CONNECTIONS}`,
    async run(origin, load, seconds) {
      writeFileSync(join(folder, "paths"), `${load.paths.join("\n")}\n`);
      writeFileSync(join(folder, "tokens"), `${load.tokens.join("\n")}\n`);
      writeFileSync(join(folder, "tail"), requestTail(load));
      const script = join(import.meta.dir, "load.lua");
      const own = ["--", load.method, String(load.callsPerToken), folder];
      const child = Bun.spawn(
        [
          "wrk",
          "-t1",
          `-c${CONNECTIONS}`,
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

/**
 * Calls at a fixed rate and tells each latency, in milliseconds, ascending. It counts from the moment
 * at which a call was due, so that a server that stalls is charged for the calls that had to wait. wrk
 * knows no rate, therefore this is our own.
 */
export async function loadAtRate(
  origin: string,
  load: Load,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<Float64Array> {
  const { hostname, port, host } = new URL(origin);
  const tail = requestTail(load);
  const requestOf = (n: number) => {
    const path = load.paths[n % load.paths.length];
    const token = load.tokens[Math.floor(n / load.callsPerToken) % load.tokens.length];
    return `${load.method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}${tail}`;
  };
  const calls = Math.round(rate * seconds);
  const latencies = new Float64Array(calls);
  const idle: Connection[] = [];
  let answered = 0;
  let failure: Error | null = null;
  const dueAt = (n: number) => start + (n * 1000) / rate;

  let start = Number.POSITIVE_INFINITY;
  let sent = 0;
  const sendDue = () => {
    const now = performance.now();
    while (sent < calls && dueAt(sent) <= now) {
      const connection = idle.pop();
      if (!connection) return;
      connection.call = sent++;
      connection.socket?.write(requestOf(connection.call));
    }
  };
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const connection: Connection = { socket: null, call: 0, buffer: Buffer.alloc(0), left: -1 };
      connection.socket = await Bun.connect({
        hostname,
        port: Number(port),
        socket: {
          data(_, chunk) {
            try {
              if (!isAnswered(connection, chunk)) return;
              latencies[connection.call] = performance.now() - dueAt(connection.call);
              answered++;
              idle.push(connection);
            } catch (error) {
              failure = error instanceof Error ? error : new Error(String(error));
            }
          },
          close() {
            failure ??= new Error("the contender closed a connection");
          },
        },
      });
      return connection;
    }),
  );

  idle.push(...connections);
  start = performance.now();
  while (answered < calls && failure === null) {
    sendDue();
    // Not a timer, whose millisecond is longer than most answers take. It costs a core, as wrk does.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const failed: Error | null = failure;
  for (const { socket } of connections) socket?.terminate();
  if (failed) throw failed;
  return latencies.sort();
}

interface Connection {
  socket: Bun.Socket | null;
  /** The number of the call under way. */
  call: number;
  /** What came of a head that is not whole yet. */
  buffer: Buffer;
  /** Bytes of the answer that are still to come; -1 before its head is whole. */
  left: number;
}

/** Takes a chunk; true where the answer is whole with it. @throws Error where it is no success */
function isAnswered(connection: Connection, chunk: Buffer): boolean {
  if (connection.left < 0) {
    const bytes = connection.buffer.length > 0 ? Buffer.concat([connection.buffer, chunk]) : chunk;
    const end = bytes.indexOf("\r\n\r\n");
    if (end < 0) {
      connection.buffer = Buffer.from(bytes);
      return false;
    }
    const head = bytes.toString("latin1", 0, end);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (!head.startsWith("HTTP/1.1 2") || length === undefined) {
      throw new Error(`a call at a fixed rate was answered ${head.split("\r\n", 1)[0]}`);
    }
    connection.buffer = Buffer.alloc(0);
    connection.left = Number(length) - (bytes.length - end - 4);
  } else {
    connection.left -= chunk.length;
  }
  if (connection.left > 0) return false;
  connection.left = -1;
  return true;
}
