import { ftruncateSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { RefreshOutcome } from "#ingest/refresh.ts";
import type { Log } from "#lib/log.ts";
import { WINDOW_COUNTERS_BYTES } from "#lib/window-counters.ts";
import type { FetchKey } from "#store/fetches.ts";
import type { Io } from "./command.ts";

/** The variable in which a process that serves beside the first one finds its orders. */
const ORDERS = "BOURSE_WORKER";
/** A worker that ended by itself is started again, but not at once. */
const RESTART_MS = 1_000;

/** What the processes of one service have in common. */
export interface Orders {
  readonly port: number;
  /** The path of the memory in which all of them count at the gate, and the seed. */
  readonly gate: string;
  readonly seed: number;
}

/** The gate's memory: of this process alone, or shared. */
export interface GateMemory {
  readonly memory: ArrayBufferLike;
  readonly seed: number;
}

type Ask = { readonly ask: number; readonly key: FetchKey };
type Told = { readonly ask: number; readonly outcome: RefreshOutcome };

const randomSeed = () => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;

/** A gate's memory that only this process sees. */
export function ownGateMemory(): GateMemory {
  return { memory: new ArrayBuffer(WINDOW_COUNTERS_BYTES), seed: randomSeed() };
}

/** A gate's memory that workers share by its path, in a file that ends with this process. */
export function shareGateMemory(folder: string): GateMemory & { readonly path: string } {
  const name = join(folder, `gate-${process.pid}`);
  const file = openSync(name, "w+", 0o600);
  ftruncateSync(file, WINDOW_COUNTERS_BYTES);
  rmSync(name);
  const path = `/proc/${process.pid}/fd/${file}`;
  return { ...mapGate(path, randomSeed()), path };
}

function mapGate(path: string, seed: number): GateMemory {
  return { memory: Bun.mmap(path, { shared: true }).buffer, seed };
}

/** Processes that serve on the same port. */
export interface Workers {
  /** Lets them finish what is in flight, and resolves once they are gone. */
  stop(): Promise<void>;
}

/**
 * Starts processes of the same command that serve beside this one. They fetch nothing: what one of
 * them needs, `refresh` fetches here (left out where nothing is live).
 */
export function startWorkers(parts: {
  count: number;
  orders: Orders;
  io: Io;
  refresh: ((key: FetchKey) => Promise<RefreshOutcome>) | undefined;
  log: Log;
}): Workers {
  const { count, orders, io, refresh, log } = parts;
  // A compiled program is its own executable.
  const program = Bun.main.includes("$bunfs") ? [process.execPath] : [process.execPath, Bun.main];
  const running = new Set<Bun.Subprocess>();
  const restarts = new Set<Timer>();
  let isStopping = false;

  const start = () => {
    const worker = Bun.spawn([...program, ...io.argv], {
      env: { ...io.env, [ORDERS]: JSON.stringify(orders) },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "inherit",
      ipc: (message: Ask, asker) => {
        void refresh?.(message.key).then((outcome) => {
          // It may be gone by now.
          if (running.has(asker)) asker.send({ ask: message.ask, outcome } satisfies Told);
        });
      },
      onExit: (ended, exitCode, signalCode) => {
        running.delete(ended);
        if (isStopping) return;
        log.error("a worker ended and is started again", {
          exitCode: exitCode ?? undefined,
          signal: signalCode ?? undefined,
        });
        const restart = setTimeout(() => {
          restarts.delete(restart);
          start();
        }, RESTART_MS);
        restarts.add(restart);
      },
    });
    running.add(worker);
  };
  for (let i = 0; i < count; i++) start();

  return {
    async stop() {
      isStopping = true;
      for (const restart of restarts) clearTimeout(restart);
      const ending = [...running];
      for (const worker of ending) worker.kill("SIGTERM");
      await Promise.all(ending.map((worker) => worker.exited));
    },
  };
}

/** What a worker knows of the process that started it. */
export interface Foreman {
  readonly port: number;
  readonly gate: GateMemory;
  /** Has something fetched there. */
  readonly refresh: (key: FetchKey) => Promise<RefreshOutcome>;
  /** Calls back once it is gone. */
  onGone(listener: () => void): void;
  /** Hears no more of it; the connection would keep this process alive. */
  readonly leave: () => void;
}

/** The process that started this one as a worker, or null where somebody else did. */
export function findForeman(env: Readonly<Record<string, string | undefined>>): Foreman | null {
  const written = env[ORDERS];
  if (written === undefined) return null;
  const { port, gate, seed } = JSON.parse(written) as Orders;
  const waiting = new Map<number, (outcome: RefreshOutcome) => void>();
  let asks = 0;
  process.on("message", ({ ask, outcome }: Told) => {
    waiting.get(ask)?.(outcome);
    waiting.delete(ask);
  });
  return {
    port,
    gate: mapGate(gate, seed),
    refresh: (key) =>
      new Promise((resolve) => {
        const ask = ++asks;
        waiting.set(ask, resolve);
        process.send?.({ ask, key } satisfies Ask);
      }),
    onGone: (listener) => void process.once("disconnect", listener),
    leave() {
      if (process.connected) process.disconnect?.();
    },
  };
}
