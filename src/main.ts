import { runCli } from "#cli/cli.ts";

// Whoever reads our output may have seen enough: `bourse call get_markets | head`.
process.stdout.on("error", (error: Error & { code?: string }) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

void runCli({
  argv: process.argv.slice(2),
  env: process.env,
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  clock: Date.now,
  isTerminal: process.stderr.isTTY,
  onStop(listener) {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, listener);
  },
}).then((code) => {
  process.exitCode = code;
});
