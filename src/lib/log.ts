/** How a log line is written. */
export type LogFormat = "json" | "text";
/** What a log line says beside its message; a field that is undefined is left out. */
export type LogFields = Record<string, string | number | boolean | undefined>;

/** Writes one line per event. It never sees a token: callers pass ids, never headers. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** A log that writes each event through `write`, as a JSON object or as `time level message key=value`. */
export function createLog(options: {
  format: LogFormat;
  write: (line: string) => void;
  clock: () => number;
}): Log {
  const line =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
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
