/**
 * The result of the work, or the error of `late` if it takes longer. The work then continues, and its result is
 * dropped.
 *
 * @param ms milliseconds
 */
export async function withDeadline<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
