import { isatty } from "node:tty";
import { runCli } from "#cli/cli.ts";
import type { ProcessEvents } from "#service/world.ts";
import { openCommand, openWith } from "#service/desktop.ts";
import { isJournal } from "#service/systemd.ts";
import { createLineWriter } from "#lib/line-writer.ts";

/** How long the end waits for a slow reader of stderr. */
const FLUSH_MS = 1_000;
/** One Ctrl-C can arrive twice within this time, since npm and the terminal both send it. */
const SAME_KEY_PRESS_MS = 500;

// The data folder holds tokens' hashes and the names of users: its files are for the operator alone.
process.umask(0o077);

/** Making `process.stdin` only for its `isTTY` would take half a millisecond of each start. */
const hasKeyboard = isatty(0);

const stopListeners: (() => void)[] = [];
let stopRequestedAt: number | null = null;

/**
 * Handles the signals when a command requests it. Before that they end the process at once: a handler
 * would not run while a synchronous command, such as an import, is at work.
 */
function listenForStop(listener: () => void): void {
  stopListeners.push(listener);
  if (stopListeners.length > 1) return;
  // A terminal that is closed sends SIGHUP.
  for (const signal of ["SIGINT", "SIGTERM", ...(hasKeyboard ? ["SIGHUP"] : [])]) {
    process.on(signal, () => {
      const now = performance.now();
      if (
        stopRequestedAt !== null &&
        signal === "SIGINT" &&
        now - stopRequestedAt > SAME_KEY_PRESS_MS
      ) {
        process.exit(130);
      }
      stopRequestedAt ??= now;
      for (const each of stopListeners) each();
    });
  }
}

function watchProcess({ warned, crashed, hungUp }: ProcessEvents): void {
  // Bun writes its warnings to the console.
  Object.assign(console, { warn: (...words: unknown[]) => warned(words.map(String).join(" ")) });
  if (!hasKeyboard) process.on("SIGHUP", hungUp);
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, (error: unknown) => {
      crashed(error);
      process.exit(1);
    });
  }
}

process.stdout.on("error", (error: Error & { code?: string }) => {
  // A service goes on without its output.
  if (stopListeners.length > 0) return;
  // The reader may have seen enough: `bourse call get_markets | head`.
  if (error.code === "EPIPE") process.exit(0);
  stderr.write(`The output could not be written (${error.code ?? error.message}).\n`);
  process.exit(1);
});
// There is no other place to report it: the reader is gone, or the disk is full.
process.stderr.on("error", () => {});
const stderr = createLineWriter(process.stderr);

/** Ends a backup or an export whose service was killed. The next start of the service makes another. */
const endWithService = () => process.exit(1);
if (process.connected) process.once("disconnect", endWithService);

const desktop = openCommand(process.platform, process.env);

void runCli({
  argv: process.argv.slice(2),
  env: process.env,
  stdin: () => Bun.stdin.stream(),
  openTerminal: () =>
    hasKeyboard
      ? { input: process.stdin, setRawMode: (isRaw) => void process.stdin.setRawMode(isRaw) }
      : null,
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => stderr.write(text),
  clock: Date.now,
  stopwatch: () => performance.now(),
  startWorker: () => new Worker(new URL("./worker.ts", import.meta.url).href),
  isTerminal: process.stderr.isTTY,
  isOutputTerminal: process.stdout.isTTY,
  columns: process.stdout.columns,
  ...(desktop && { openFile: (path) => openWith(desktop, path) }),
  onStop: listenForStop,
  watch: watchProcess,
  isJournal: isJournal(process.env, process.stderr.fd),
}).then(async (code) => {
  process.exitCode = code;
  process.off("disconnect", endWithService);
  // An open channel would keep the process alive.
  process.disconnect?.();
  const deadline = performance.now() + FLUSH_MS;
  while (stderr.waiting() > 0 && performance.now() < deadline) await Bun.sleep(10);
  // Output that its reader does not read would keep the process alive.
  if (stderr.waiting() > 0) process.exit(code);
});
