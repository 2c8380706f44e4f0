/** How a log line is written. */
export type LogFormat = "json" | "text";
/** What a log line says beside its message; a field that is undefined is left out. */
type LogFields = Record<string, string | number | boolean | undefined>;

/** Writes one line per event. It never sees a token: callers pass ids, never headers. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Warnings and errors with the same message, and about the same source, that are written in one minute. */
const MAX_SAME_A_MINUTE = 10;

/**
 * A log that writes each event through `write`, as a JSON object or as `time level message key=value`.
 * A warning or an error that repeats more than ten times in a minute of the clock is counted instead,
 * for each `source` apart; the next such line says how many were left out (`suppressed`).
 */
export function createLog(options: {
  format: LogFormat;
  write: (line: string) => void;
  clock: () => number;
}): Log {
  const written = new Map<string, { minute: number; lines: number; suppressed: number }>();

  /** How many such lines were left out before this one; null if this one is left out too. */
  const suppressedBefore = (message: string, { source = "" }: LogFields): number | null => {
    const minute = Math.floor(options.clock() / 60_000);
    const key = `${message} ${source}`;
    const count = written.get(key) ?? { minute, lines: 0, suppressed: 0 };
    written.set(key, count);
    if (count.minute !== minute) Object.assign(count, { minute, lines: 0 });
    if (++count.lines > MAX_SAME_A_MINUTE) {
      count.suppressed++;
      return null;
    }
    const { suppressed } = count;
    count.suppressed = 0;
    return suppressed;
  };

  const line =
    (level: string) =>
    (message: string, more: LogFields = {}) => {
      const suppressed = level === "info" ? 0 : suppressedBefore(message, more);
      if (suppressed === null) return;
      const fields = suppressed > 0 ? { ...more, suppressed } : more;
      const time = new Date(options.clock()).toISOString();
      options.write(
        options.format === "json"
          ? JSON.stringify({ time, level, message, ...fields })
          : [
              time,
              level.toUpperCase().padEnd(5),
              message,
              ...Object.entries(fields)
                .filter(([, value]) => value !== undefined)
                .map(([key, value]) => `${key}=${JSON.stringify(value)}`),
            ].join(" "),
      );
    };
  return { info: line("info"), warn: line("warn"), error: line("error") };
}
