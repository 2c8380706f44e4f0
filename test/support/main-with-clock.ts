/**
 * The program with another clock, and without waits between the requests to a source. The first argument is
 * the time at its start, UTC milliseconds; with the prefix `=` the clock stays there.
 */
import { runCli } from "#cli/cli.ts";

const [start = "", ...argv] = process.argv.slice(2);

process.exitCode = await runCli({
  argv,
  env: process.env,
  stdin: () => Bun.stdin.stream(),
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  clock: start.startsWith("=")
    ? () => Number(start.slice(1))
    : () => Number(start) + Math.floor(performance.now()),
  sleep: () => new Promise((resolve) => void setImmediate(resolve)),
  onStop: (listener) => void process.once("SIGTERM", listener),
});
