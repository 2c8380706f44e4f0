import { SOURCES } from "#cli/live.ts";
import { childEnv, MAIN } from "./cli.ts";

/** Every source played at one address, as the environment of the program. */
export function playedAt(url: string): Record<string, string> {
  return Object.fromEntries(
    SOURCES.map(({ name }) => [
      `BOURSE_SOURCE_URL_${name.toUpperCase().replaceAll("-", "_")}`,
      url,
    ]),
  );
}

/** `serve` as a process of its own with that environment; it listens when this resolves. */
export async function spawnLive(
  folder: string,
  env: Readonly<Record<string, string>>,
  ...flags: string[]
) {
  const child = Bun.spawn(
    [process.execPath, MAIN, "serve", "--port", "0", "--data", folder, ...flags],
    { env: childEnv(env), stdout: "pipe", stderr: "pipe" },
  );
  const stderr = new Response(child.stderr).text();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let greeting = "";
  while (!/"servers".*\n|another\.\n/.test(greeting)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`serve did not start: ${greeting}${await stderr}`);
    greeting += value;
  }
  const url = /listens on (\S+)/.exec(greeting)?.[1];
  const token = /^ {2}(bourse_\w+)$/m.exec(greeting)?.[1] ?? "";
  return {
    greeting,
    /** The answer to a path of v1. */
    get: (path: string): Promise<Response> =>
      fetch(`${url}/api/v1/svc${path}`, { headers: { authorization: `Bearer ${token}` } }),
    /** Asks it to stop; its exit code, and what it wrote to stderr. */
    async stop(): Promise<{ code: number; stderr: string }> {
      child.kill("SIGTERM");
      return { code: await child.exited, stderr: await stderr };
    },
  };
}
