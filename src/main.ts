import { runCli } from "#cli/cli.ts";

void runCli({
  argv: process.argv.slice(2),
  env: process.env,
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY,
  onStop(listener) {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, listener);
  },
}).then((code) => {
  process.exitCode = code;
});
