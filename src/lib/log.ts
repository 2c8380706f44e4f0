import { hideSecrets } from "./secrets.ts";
import { toVisibleJson } from "./visible-line.ts";

/** The format of log lines. */
export type LogFormat = "json" | "text";
/** The importance of log lines, the least important first. */
const LEVELS = ["info", "warn", "error"] as const;
/** How important a log line is. */
export type LogLevel = (typeof LEVELS)[number];
/** The fields of a log line. Undefined fields are left out. */
type LogFields = Record<string, string | number | boolean | undefined>;

/**
 * Writes one line per event. A message is a constant: what varies belongs in the fields, because equal
 * messages are counted. Callers never pass tokens or headers, only ids.
 */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** The maximum number of warnings and errors with the same message and `source` in one minute. */
const MAX_SAME_A_MINUTE = 10;

/**
 * Creates a log that writes each event as a JSON object or as `time level message key=value`.
 * If a warning or an error repeats more than ten times in a minute for one `source`, further lines are
 * only counted. The field `suppressed` of the next line reports this count. Passwords in URLs are hidden. Controls in
 * fields are escaped, so foreign text cannot control a terminal that shows the log.
 */
export function createLog(options: {
  format: LogFormat;
  write: (line: string, level: LogLevel) => void;
  clock: () => number;
  /** Less important lines are not written; `info` if absent. */
  least?: LogLevel;
  /** Counts the events of each level, also those that are not written. */
  counts?: Record<LogLevel, number> | undefined;
}): Log {
  const written = new Map<string, { minute: number; lines: number; suppressed: number }>();
  let newestMinute = 0;

  /** The number of equal lines suppressed before this one; null if this one is suppressed too. */
  const suppressedBefore = (message: string, { source = "" }: LogFields): number | null => {
    const minute = Math.floor(options.clock() / 60_000);
    if (minute !== newestMinute) {
      newestMinute = minute;
      for (const [key, { suppressed }] of written) if (suppressed === 0) written.delete(key);
    }
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

  const least = LEVELS.indexOf(options.least ?? "info");
  const line =
    (level: LogLevel) =>
    (message: string, given: LogFields = {}) => {
      if (options.counts) options.counts[level]++;
      if (LEVELS.indexOf(level) < least) return;
      const suppressed = level === "info" ? 0 : suppressedBefore(message, given);
      if (suppressed === null) return;
      const fields = suppressed > 0 ? { ...given, suppressed } : given;
      const time = new Date(options.clock()).toISOString();
      const entries = Object.entries(fields)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => [key, typeof value === "string" ? hideSecrets(value) : value]);
      options.write(
        options.format === "json"
          ? toVisibleJson(JSON.stringify({ time, level, message, ...Object.fromEntries(entries) }))
          : [
              time,
              level.toUpperCase().padEnd(5),
              message,
              ...entries.map(
                ([key, value]) => `${String(key)}=${toVisibleJson(JSON.stringify(value))}`,
              ),
            ].join(" "),
        level,
      );
    };
  return { info: line("info"), warn: line("warn"), error: line("error") };
}
