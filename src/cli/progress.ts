import type { Io } from "./command.ts";

const CLEAR_LINE = "\r\u001B[2K";

/** A line on stderr that is written over as work goes on. */
export interface ProgressLine {
  show(text: string): void;
  /** Takes it away; nothing of it stays. */
  end(): void;
}

/** A progress line on a terminal; elsewhere it stays quiet. */
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
