import { fileURLToPath } from "node:url";
import type { PlanName } from "#access/plans.ts";
import { bunCommand, spawnChild } from "./child-process.ts";

const WORKER = fileURLToPath(new URL("charge-worker.ts", import.meta.url));

/** Starts a process that will charge a token until it is refused. Resolves when the process is ready. */
export async function spawnChargeWorker(
  folder: string,
  token: { readonly id: number; readonly plan: PlanName },
  now: number,
) {
  const child = spawnChild(
    [...bunCommand(WORKER), folder, String(token.id), token.plan, String(now)],
    { stdin: "pipe", stdout: "pipe", stderr: "inherit" },
  );
  const reader = child.stdout.getReader();
  let written = "";
  const decoder = new TextDecoder();
  const readMore = async (): Promise<boolean> => {
    const { value, done } = await reader.read();
    if (value) written += decoder.decode(value, { stream: true });
    return !done;
  };
  while (!written.includes("\n") && (await readMore()));
  const counted = () => written.length - written.indexOf("\n") - 1;

  return {
    start(): void {
      void child.stdin.write("go\n");
      void child.stdin.flush();
    },
    /** Kills the process as soon as it has counted that many calls. */
    async killAfter(calls: number): Promise<void> {
      while (counted() < calls && (await readMore()));
      child.kill("SIGKILL");
    },
    /** The number of calls that it reported as counted. Resolves after its end. */
    async exited(): Promise<number> {
      while (await readMore());
      await child.exited;
      return counted();
    },
  };
}
