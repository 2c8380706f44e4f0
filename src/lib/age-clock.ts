/** A wall clock that moves by more than this against the stopwatch was set, or the machine slept. */
const STEP_MS = 500;

/**
 * Creates a clock for ages: whole milliseconds from any start, which never go back. It follows the stopwatch, so a
 * wall clock that is set back makes nothing younger. A step forward counts as time that has passed,
 * because a stopwatch stands still while its machine sleeps or is a paused virtual machine.
 */
export function createAgeClock(clock: () => number, stopwatch: () => number): () => number {
  let wallAhead = clock() - stopwatch();
  let sleptMs = 0;
  return () => {
    const now = stopwatch();
    const step = clock() - now - wallAhead;
    if (Math.abs(step) > STEP_MS) {
      wallAhead += step;
      sleptMs += Math.max(0, step);
    }
    return Math.floor(now + sleptMs);
  };
}
