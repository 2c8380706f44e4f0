/** A task that goes on in the background. */
export interface Upkeep {
  /** Resolves when the task has ended. */
  stop(): Promise<void>;
}

/** Runs `work` after `firstMs` and then periodically, but never twice at a time: it may last hours. */
export function keepAt(
  { firstMs, everyMs }: { firstMs: number; everyMs: number },
  work: (stopped: () => boolean) => Promise<void>,
  failed: (error: string) => void,
): Upkeep {
  let isStopped = false;
  let round: Promise<void> | null = null;
  const begin = () => {
    round ??= work(() => isStopped)
      .catch((error) => failed(String(error)))
      .finally(() => (round = null));
  };
  const first = setTimeout(begin, firstMs);
  const timer = setInterval(begin, everyMs);
  return {
    async stop() {
      isStopped = true;
      clearTimeout(first);
      clearInterval(timer);
      await round;
    },
  };
}
