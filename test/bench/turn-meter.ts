/**
 * Measures the turns of this thread's event loop, without the time for which the thread waited for a core, so
 * that other work of the machine counts as little as possible. Linux only: the wait is in `/proc`.
 */
import { dlopen, ptr } from "bun:ffi";
import { appendFileSync, openSync, readFileSync, readSync } from "node:fs";

/** The environment variable with the file to which a program of the bench writes its turns. */
export const TURNS_FILE = "BENCH_TURNS";
const PAUSE_MS = 1;
/** Shorter turns are not written. */
const LONG_MS = 1;
const CLOCK_THREAD_CPUTIME_ID = 3;

/** The time between two timers a millisecond apart, minus that millisecond. */
export interface Turn {
  /** Its end, UTC milliseconds. */
  readonly at: number;
  /** Without the time for which the thread waited for a core. */
  readonly ms: number;
  /** The time for which the thread waited for a core. */
  readonly waitMs: number;
  /** The CPU time of the thread, with that of the calls that it answered. */
  readonly cpuMs: number;
}

/** Begins to measure if the environment asks for it. Each long turn becomes a line of JSON. */
export function measureTurns(): void {
  const path = process.env[TURNS_FILE];
  if (path === undefined) return;
  const { symbols } = dlopen("libc.so.6", {
    clock_gettime: { args: ["i32", "ptr"], returns: "i32" },
  });
  const timespec = new BigInt64Array(2);
  const address = ptr(timespec);
  const cpuMs = () => {
    symbols.clock_gettime(CLOCK_THREAD_CPUTIME_ID, address);
    return Number(timespec[0]) * 1e3 + Number(timespec[1]) / 1e6;
  };
  // `thread-self` would be resolved again at each opening.
  const statistics = openSync("/proc/thread-self/schedstat", "r");
  const text = Buffer.alloc(100);
  const waitMs = () => {
    const length = readSync(statistics, text, 0, text.length, 0);
    return Number(text.toString("latin1", 0, length).split(" ")[1]) / 1e6;
  };
  const read = () => ({ at: performance.now(), cpuMs: cpuMs(), waitMs: waitMs() });
  let last = read();
  const tick = () => {
    const now = read();
    const waited = now.waitMs - last.waitMs;
    const turn: Turn = {
      at: performance.timeOrigin + now.at,
      ms: now.at - last.at - waited - PAUSE_MS,
      waitMs: waited,
      cpuMs: now.cpuMs - last.cpuMs,
    };
    if (turn.ms >= LONG_MS) appendFileSync(path, `${JSON.stringify(turn)}\n`);
    last = read();
    setTimeout(tick, PAUSE_MS).unref();
  };
  tick();
}

/** The turns of a file that ended within these times, UTC milliseconds. */
export function readTurns(path: string, from: number, to: number): Turn[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Turn)
    .filter(({ at }) => at >= from && at <= to);
}
