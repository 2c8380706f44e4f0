// `serve` with a clock that is BENCH_AHEAD_MS ahead, so that a UTC day begins when the bench needs it.
import { runCli } from "#cli/cli.ts";
import { measureTurns } from "./turn-meter.ts";

const aheadMs = Number(process.env["BENCH_AHEAD_MS"] ?? 0);

measureTurns();
process.exitCode = await runCli({
  argv: process.argv.slice(2),
  env: process.env,
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  clock: () => Date.now() + aheadMs,
  startWorker: () => new Worker(new URL("./shifted-worker.ts", import.meta.url).href),
  onStop: (listener) => void process.once("SIGTERM", listener),
});
