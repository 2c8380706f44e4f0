/** Where lines go: the part of `process.stderr` that is needed. */
interface LineSink {
  /** Takes a text and calls back once it is written, or could not be. */
  write(text: string, done: () => void): unknown;
}

/** Text that may wait for a slow reader. Beyond it, lines are dropped. */
const MAX_WAITING = 2 ** 20;

/** Writes text without ever waiting for the reader. */
interface LineWriter {
  write(text: string): void;
  /** Characters that the reader has not taken yet. */
  waiting(): number;
}

/** A writer to `sink` that drops lines while the reader is far behind, and then says how many it dropped. */
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
        send(`${dropped} log lines were dropped: their reader was too slow.\n`);
        dropped = 0;
      }
      send(text);
    },
    waiting: () => waiting,
  };
}
