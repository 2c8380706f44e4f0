/** How long work takes that may fail, in milliseconds. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work().catch(() => {});
  return performance.now() - startedAt;
}

/** The shortest time of five attempts, in milliseconds. Other work of the machine is not in the way of all of them. */
export async function quickestOf(work: () => Promise<unknown>): Promise<number> {
  let quickest = Infinity;
  for (let attempt = 0; attempt < 5; attempt++) quickest = Math.min(quickest, await timeOf(work));
  return quickest;
}

/**
 * The time within which a promise must be kept, in milliseconds, so that a slow machine does not break it: the promised
 * time and twenty times the time that usual work takes at that moment, such as one call.
 */
export const allowedMs = (promisedMs: number, usualMs: number): number => promisedMs + 20 * usualMs;

/** The time that this thread has computed, in milliseconds. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const LINES = "1,a\n".repeat(400_000);
/** How long `countLines` computes on a quiet machine with two cores, in milliseconds. */
const LINES_MS = 60;

function countLines(): number {
  const keys = new Map<string, number>();
  for (const [i, line] of LINES.split("\n").entries()) {
    const [number = "", name = ""] = line.split(",");
    keys.set(`${name}${i % 1_000}`, Number(number));
  }
  return keys.size;
}

/** How many times as long as a quiet machine this thread now computes; at least 1. */
export function slowness(): number {
  const begun = threadMs();
  countLines();
  return Math.max(1, (threadMs() - begun) / LINES_MS);
}
