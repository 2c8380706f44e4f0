import { ftruncateSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { FetchKey } from "#domain/fetch.ts";
import type { RefreshOutcome } from "#ingest/refresh.ts";
import type { Log } from "#lib/log.ts";
import {
  createWindowCounters,
  unknownSeed,
  WINDOW_COUNTERS_BYTES,
  type WindowCounters,
} from "#lib/window-counters.ts";
import { type Io, IS_COMPILED } from "./command.ts";

/** The variable in which a process that serves beside the first one finds its orders. */
const ORDERS = "BOURSE_WORKER";
/** A worker that ended by itself is started again, but not at once. */
const RESTART_MS = 1_000;
/** A worker that has not ended by then is ended: its requests in flight had their time. */
const STOP_MS = 15_000;
/** Where a worker finds the file of the gate's memory, behind the three that every process has. */
const GATE_FD = 3;

/** What the processes of one service have in common. */
interface Orders {
  readonly port: number;
  /** Of the gate's memory. */
  readonly seed: number;
}

type Ask = { readonly ask: number; readonly key: FetchKey };
type Told = { readonly ask: number; readonly outcome: RefreshOutcome };

/** A gate that counts in a file without a name, which is handed on to the workers. */
export interface SharedGate {
  readonly counters: WindowCounters;
  readonly seed: number;
  readonly file: number;
}

/** Makes the gate that the processes of one service share. */
export function shareGate(folder: string): SharedGate {
  const name = join(folder, `gate-${process.pid}`);
  const file = openSync(name, "w+", 0o600);
  try {
    ftruncateSync(file, WINDOW_COUNTERS_BYTES);
    const seed = unknownSeed();
    return { counters: countIn(name, seed), seed, file };
  } finally {
    rmSync(name);
  }
}

function countIn(path: string, seed: number): WindowCounters {
  return createWindowCounters(Bun.mmap(path, { shared: true }).buffer, seed);
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
  port: number;
  gate: SharedGate;
  io: Io;
  refresh: ((key: FetchKey) => Promise<RefreshOutcome>) | undefined;
  log: Log;
}): Workers {
  const { count, port, gate, io, refresh, log } = parts;
  const orders: Orders = { port, seed: gate.seed };
  const program = IS_COMPILED ? [process.execPath] : [process.execPath, Bun.main];
  const running = new Set<Bun.Subprocess>();
  const restarts = new Set<Timer>();
  let isStopping = false;

  const start = () => {
    const worker = Bun.spawn([...program, ...io.argv], {
      env: { ...io.env, [ORDERS]: JSON.stringify(orders) },
      stdio: ["ignore", "ignore", "inherit", gate.file],
      ipc: (message: Ask, asker) => {
        void refresh?.(message.key).then((outcome) => {
          try {
            asker.send({ ask: message.ask, outcome } satisfies Told);
          } catch {
            // It is gone by now, and with it whoever asked.
          }
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
      const deadline = setTimeout(() => {
        for (const worker of ending) worker.kill("SIGKILL");
      }, STOP_MS);
      await Promise.all(ending.map((worker) => worker.exited));
      clearTimeout(deadline);
    },
  };
}

/** What a worker knows of the process that started it. */
export interface Foreman {
  readonly port: number;
  readonly gate: WindowCounters;
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
  // Whoever was started by hand has nobody to speak to, whatever stands in the variable.
  if (written === undefined || !process.send) return null;
  const { port, seed } = JSON.parse(written) as Orders;
  // Before anything is listened to, which would keep a process alive that cannot serve.
  const gate = countIn(`/proc/self/fd/${GATE_FD}`, seed);
  const waiting = new Map<number, { key: FetchKey; resolve: (outcome: RefreshOutcome) => void }>();
  let asks = 0;
  // Whoever waits for one that is gone is told so; the key stays due.
  process.once("disconnect", () => {
    for (const [ask, { key, resolve }] of waiting) {
      waiting.delete(ask);
      resolve({ ...key, source: null, records: 0, error: "bourse is stopping", asked: false });
    }
  });
  process.on("message", ({ ask, outcome }: Told) => {
    waiting.get(ask)?.resolve(outcome);
    waiting.delete(ask);
  });
  return {
    port,
    gate,
    refresh: (key) =>
      new Promise((resolve) => {
        const ask = ++asks;
        waiting.set(ask, { key, resolve });
        process.send?.({ ask, key } satisfies Ask);
      }),
    onGone: (listener) => void process.once("disconnect", listener),
    leave() {
      if (process.connected) process.disconnect?.();
    },
  };
}
