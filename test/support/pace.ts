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
