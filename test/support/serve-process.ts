import { expect } from "bun:test";
import { connect } from "node:net";
import { bunCommand, childEnv, gather, spawnChild } from "./child-process.ts";
import { MAIN } from "./cli.ts";

export interface ServeOptions {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The command of the program, unless it is the source. */
  readonly program?: readonly string[];
  /** The file descriptor or the file of the log. Without it, the log is collected. */
  readonly log?: number | Bun.BunFile;
}

/** The service as a child process on a free port. */
export type ServeProcess = Awaited<ReturnType<typeof spawnServe>>;

/** Starts `serve` on a data folder; it listens when this resolves. */
export async function spawnServe(folder: string, options: ServeOptions = {}) {
  const { flags = [], env, program = bunCommand(MAIN), log } = options;
  const command = [...program, "serve", "--port", "0", "--data", folder, ...flags];
  const child = spawnChild(command, { env: childEnv(env), stdout: "pipe", stderr: log ?? "pipe" });
  const stdout = gather(child.stdout);
  const stderr = child.stderr instanceof ReadableStream ? gather(child.stderr) : null;
  const stderrText = () => stderr?.text() ?? "";
  await stdout.until(/listens on .*sign-in link\.\n/s);
  const url = /listens on (\S+)/.exec(stdout.text())?.[1];
  if (url === undefined) throw new Error(`serve did not start: ${stdout.text()}${stderrText()}`);
  const ownersToken = /^ {2}(bourse_\w+)$/m.exec(stdout.text())?.[1] ?? "";
  /** Its exit code. Resolves after its end, when its output is complete. */
  const exited = async (): Promise<number> => {
    await Promise.all([stdout.until(null), stderr?.until(null)]);
    return child.exited;
  };

  return {
    url,
    pid: child.pid,
    port: Number(new URL(url).port),
    /** The owner's token if this was the first start on the folder, else "". */
    ownersToken,
    stdout: () => stdout.text(),
    stderr: stderrText,
    /** Waits until stderr matches the pattern. */
    stderrHolds: async (pattern: RegExp) => stderr?.until(pattern),
    /** The answer to a path of v1, with the owner's token unless another one is given. */
    get: (path: string, token = ownersToken): Promise<Response> =>
      fetch(`${url}/api/v1/svc${path}`, { headers: { authorization: `Bearer ${token}` } }),
    /** Waits until it is ready. */
    async isReady(): Promise<void> {
      while ((await fetch(`${url}/health/ready`)).status !== 200) await Bun.sleep(50);
    },
    kill: (signal: "SIGTERM" | "SIGINT" | "SIGKILL") => child.kill(signal),
    exited,
    /** Sends SIGTERM and returns its exit code. */
    async stop(): Promise<number> {
      child.kill("SIGTERM");
      return exited();
    },
  };
}

/**
 * Begins an MCP request over a connection of its own: sends the head and ten characters of the body.
 * Resolves when the service has begun to read it.
 */
export async function beginMcpRequest({ port }: ServeProcess, token: string, body: string) {
  const socket = connect(port, "127.0.0.1");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const interim = new Promise<Buffer>((resolve) => socket.once("data", resolve));
  socket.write(
    [
      "POST /api/v1/svc/mcp HTTP/1.1",
      "Host: localhost",
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "Expect: 100-continue",
      "",
      body.slice(0, 10),
    ].join("\r\n"),
  );
  expect((await interim).toString()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  let answer = "";
  socket.on("data", (chunk) => (answer += chunk.toString()));
  return {
    /** Sends the rest; the answer once the service has closed the connection. */
    async finish(): Promise<string> {
      socket.write(body.slice(10));
      await closed;
      return answer;
    },
    /** Closes the connection in the middle of the body. */
    async abort(): Promise<void> {
      socket.destroy();
      await closed;
    },
  };
}
