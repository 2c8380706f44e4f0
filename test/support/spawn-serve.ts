import { childEnv, MAIN } from "./cli.ts";

/** The service as a process of its own, on a port that was free. */
export type ServeProcess = Awaited<ReturnType<typeof spawnServe>>;

/** Starts `serve` on a data folder; it listens and has said so when this resolves. */
export function spawnServe(folder: string, ...flags: string[]) {
  return spawnServeWith({}, folder, ...flags);
}

/** The same with that environment. */
export function spawnServeWith(
  env: Readonly<Record<string, string>>,
  folder: string,
  ...flags: string[]
) {
  return spawnProgram([process.execPath, MAIN], env, folder, ...flags);
}

/** The same of that program, the source or a binary. */
export async function spawnProgram(
  program: readonly string[],
  env: Readonly<Record<string, string>>,
  folder: string,
  ...flags: string[]
) {
  const child = Bun.spawn([...program, "serve", "--port", "0", "--data", folder, ...flags], {
    env: childEnv(env),
    stdout: "pipe",
    stderr: "pipe",
  });
  const stdout = gather(child.stdout);
  const stderr = gather(child.stderr);
  await stdout.until(/listens on .*(another\.|"servers".*)\n/s);
  const url = /listens on (\S+)/.exec(stdout.text())?.[1];
  if (url === undefined) {
    throw new Error(`serve did not start: ${stdout.text()}${stderr.text()}`);
  }

  return {
    url,
    pid: child.pid,
    port: Number(new URL(url).port),
    stdout: () => stdout.text(),
    stderr: () => stderr.text(),
    /** Waits until stderr holds that. */
    stderrHolds: (pattern: RegExp) => stderr.until(pattern),
    /** The answer to a path of v1 with that token. */
    get: (path: string, token: string): Promise<Response> =>
      fetch(`${url}/api/v1/svc${path}`, { headers: { authorization: `Bearer ${token}` } }),
    kill: (signal: "SIGTERM" | "SIGINT" | "SIGKILL") => child.kill(signal),
    /** Its exit code, once it is gone and everything that it wrote is here. */
    async exited(): Promise<number> {
      await Promise.all([stdout.until(null), stderr.until(null)]);
      return child.exited;
    },
  };
}

/** Collects what a stream brings. */
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
    /** Waits for the pattern, or for the end where it is null or never comes. */
    async until(pattern: RegExp | null): Promise<void> {
      while (!isOver && !pattern?.test(text)) await wake.promise;
    },
  };
}
