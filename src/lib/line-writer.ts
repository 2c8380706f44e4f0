/** The destination of lines: the used part of `process.stderr`. */
interface LineSink {
  /** Writes a text and calls `done` when it is written or has failed. */
  write(text: string, done: () => void): unknown;
}

/** The maximum number of unwritten characters. Beyond it, lines are dropped. */
const MAX_WAITING = 2 ** 20;

/** Writes text without waiting for the reader. */
interface LineWriter {
  write(text: string): void;
  /** The number of unwritten characters. */
  waiting(): number;
}

/** A writer to `sink` that drops lines while the reader is too slow, and then reports their number. */
export function createLineWriter(sink: LineSink): LineWriter {
  let waiting = 0;
  let dropped = 0;
  const send = (text: string) => {
    waiting += text.length;
    sink.write(text, () => (waiting -= text.length));
  };
  return {
    write(text) {
      if (waiting + text.length > MAX_WAITING) {
        dropped++;
        return;
      }
      if (dropped > 0) {
        send(`${dropped} log lines were dropped because the reader was too slow.\n`);
        dropped = 0;
      }
      send(text);
    },
    waiting: () => waiting,
  };
}
