import { nextTurn } from "#lib/next-turn.ts";

/** A clock that jumps to the end of the next wait, so that hours pass in seconds. */
export interface VirtualTime {
  /** UTC milliseconds. */
  now: number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Passes the time until the work ends; returns the milliseconds that passed. */
  readonly passUntil: (work: Promise<unknown>) => Promise<number>;
}

/** Turns of the event loop without a new wait after which everything is waiting. */
const QUIET_TURNS = 60;

/**
 * Counts the requests of this process from `fetch` until the whole answer is there. A server's count would
 * miss the time on the wire, in which a slow machine turns its event loop many times.
 */
export function countFetches(): { readonly running: () => number } & Disposable {
  const real = globalThis.fetch;
  let running = 0;
  const counted = async (...request: Parameters<typeof fetch>): Promise<Response> => {
    running++;
    try {
      const answer = await real(...request);
      return new Response(await answer.arrayBuffer(), answer);
    } finally {
      running--;
    }
  };
  globalThis.fetch = Object.assign(counted, { preconnect: real.preconnect });
  return { running: () => running, [Symbol.dispose]: () => void (globalThis.fetch = real) };
}

/**
 * Creates a virtual time. Work takes no time, only waits do. If the time passes too early, because some work
 * goes on, later waits only begin later, so the measured time is an upper bound.
 */
export function createVirtualTime(start: number, isBusy: () => boolean): VirtualTime {
  const waits: { at: number; wake: () => void }[] = [];
  let begun = 0;
  const time: VirtualTime = {
    now: start,
    sleep: (ms) =>
      new Promise((wake) => {
        begun++;
        waits.push({ at: time.now + Math.ceil(ms), wake });
      }),
    async passUntil(work) {
      const from = time.now;
      let isOver = false;
      const end = work.finally(() => (isOver = true));
      end.catch(() => {});
      while (!isOver) {
        const before = begun;
        for (let turn = 0; turn < QUIET_TURNS && !isOver; turn++) await nextTurn();
        if (begun !== before || isBusy() || waits.length === 0) continue;
        waits.sort((a, b) => a.at - b.at);
        const next = waits.shift();
        time.now = Math.max(time.now, next?.at ?? 0);
        next?.wake();
      }
      await end;
      return time.now - from;
    },
  };
  return time;
}
