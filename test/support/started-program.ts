import { spawnChild } from "./child-process.ts";

/** A service that a released program runs, with the token of its first start. */
export interface StartedProgram {
  readonly base: string;
  readonly token: string;
  /** Ends it as a supervisor does, and gives its exit code. */
  readonly stop: () => Promise<number>;
}

/** Runs `COMMAND serve` in an empty folder, without any setting, until its greeting is complete. */
export async function startProgram(
  command: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<StartedProgram> {
  const service = spawnChild([...command, "serve", "--port", "0"], {
    cwd,
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let greeting = "";
  for await (const chunk of service.stdout) {
    greeting += new TextDecoder().decode(chunk);
    if (/^Console: .*\n/m.test(greeting)) break;
  }
  return {
    token: /bourse_[0-9A-Za-z]{39}/.exec(greeting)?.[0] ?? "",
    base: `${/http:\/\/127\.0\.0\.1:\d+/.exec(greeting)?.[0]}/api/v1/svc`,
    async stop() {
      service.kill();
      return service.exited;
    },
  };
}
