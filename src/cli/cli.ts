import { BourseError } from "#domain/errors.ts";
import { hideSecrets } from "#lib/secrets.ts";
import { type Io, runCommand } from "./command.ts";
import { serve } from "./serve.ts";

/** Runs the program; returns its exit code, 0 or 1. An error is one sentence on stderr. */
export async function runCli(io: Io): Promise<number> {
  try {
    // A service starts without the code of the other commands.
    if (io.argv[0] === serve.name) await runCommand(serve, io.argv.slice(1), io);
    else await (await import("./commands.ts")).runProgram(io);
    return 0;
  } catch (error) {
    io.stderr(`${hideSecrets(describe(error))}\n`);
    return 1;
  }
}

function describe(error: unknown): string {
  if (error instanceof BourseError) {
    return error.details.hint ? `${error.message} ${error.details.hint}` : error.message;
  }
  const message = error instanceof Error ? error.message : String(error);
  // The file is damaged, full or locked: only the code shows which.
  return error instanceof Error && "code" in error
    ? `Unexpected: ${message} (${String(error.code)}).`
    : `Unexpected: ${message}.`;
}
