import { createServer } from "node:net";

/** The command that runs a TypeScript program with this Bun. */
export const bunCommand = (program: string): string[] => [process.execPath, program];

const running = new Set<Bun.Subprocess>();

/**
 * Starts a child process. `endChildren` ends it if the test did not. All tests start their processes
 * with this function.
 */
export function spawnChild<
  const In extends Bun.SpawnOptions.Writable = "ignore",
  const Out extends Bun.SpawnOptions.Readable = "pipe",
  const Err extends Bun.SpawnOptions.Readable = "inherit",
>(
  command: readonly string[],
  options: Bun.SpawnOptions.SpawnOptions<In, Out, Err> = {},
): Bun.Subprocess<In, Out, Err> {
  const child = Bun.spawn([...command], { ...options, env: options.env ?? childEnv() });
  running.add(child);
  void child.exited.then(() => running.delete(child));
  return child;
}

/** The exit code of a child and all of its output. Waits for its end. */
export async function resultOf(child: Bun.Subprocess<Bun.SpawnOptions.Writable, "pipe", "pipe">) {
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

/** What a program writes to stdout. It must end well, without a word on stderr. */
export async function outputOf(
  command: readonly string[],
  options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<string> {
  const child = spawnChild([...command], { stdout: "pipe", stderr: "pipe", ...options });
  const { code, stdout, stderr } = await resultOf(child);
  if (code === 0 && stderr === "") return stdout;
  throw new Error(`${command.join(" ")} ended with ${code}: ${stderr || stdout}`);
}

/** Kills every child that still runs and waits for its end. A test file that starts children calls it in `afterAll`. */
export async function endChildren(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      child.kill("SIGKILL");
      return child.exited;
    }),
  );
}

/**
 * Removes a folder after the end of a process, which is this one by default. A test worker gets no event at its end, so a detached
 * child waits for it.
 */
export function removeAfterExit(folder: string, pid = process.pid): void {
  const script = 'while kill -0 "$0" 2>&-; do sleep 0.2; done; rm -rf "$1"';
  Bun.spawn(["sh", "-c", script, String(pid), folder], {
    stdio: ["ignore", "ignore", "ignore"],
    detached: true,
  }).unref();
}

/** Removes a folder in a process that nothing waits for. */
export function removeLater(folder: string): void {
  Bun.spawn(["rm", "-rf", folder], {
    stdio: ["ignore", "ignore", "ignore"],
    detached: true,
  }).unref();
}

/**
 * The environment of a child process: that of this process, including a shifted clock, time zone and
 * locale, but without settings of a bourse on this machine.
 */
export function childEnv(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith("BOURSE_"),
  );
  return { ...Object.fromEntries(inherited), ...more };
}

/** Collects the text of a stream. */
export function gather(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  let text = "";
  let isOver = false;
  let wake = Promise.withResolvers<undefined>();
  void (async () => {
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      wake.resolve(undefined);
      wake = Promise.withResolvers();
    }
    isOver = true;
    wake.resolve(undefined);
  })();
  return {
    text: () => text,
    /** Waits for the pattern, or for the end of the stream if the pattern is null or never appears. */
    async until(pattern: RegExp | null): Promise<void> {
      while (!isOver && !pattern?.test(text)) await wake.promise;
    },
  };
}

/** A loopback port that nothing listens on. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
