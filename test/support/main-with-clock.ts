/** The program with a clock that stood at the first argument (UTC milliseconds) when it began. */
import { runCli } from "#cli/cli.ts";

const [start = "", ...argv] = process.argv.slice(2);

process.exitCode = await runCli({
  argv,
  env: process.env,
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  clock: () => Number(start) + Math.floor(performance.now()),
  onStop: (listener) => void process.once("SIGTERM", listener),
});
