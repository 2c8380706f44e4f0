import type { Io } from "./command.ts";

const CLEAR_LINE = "\r\u001B[2K";

/** A line on stderr that is overwritten as work goes on. */
export interface ProgressLine {
  show(text: string): void;
  /** Clears the line. */
  end(): void;
}

/** A progress line on a terminal; elsewhere it writes nothing. */
export function createProgressLine(io: Io): ProgressLine {
  let isShown = false;
  return {
    show(text) {
      if (!io.isTerminal) return;
      io.stderr(CLEAR_LINE + text);
      isShown = true;
    },
    end() {
      if (isShown) io.stderr(CLEAR_LINE);
      isShown = false;
    },
  };
}
