import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Config } from "#config.ts";
import { unavailable } from "#domain/errors.ts";
import type { HttpApp } from "#http/app.ts";
import { type HttpServer, listen } from "#http/listen.ts";
import { removeStaleSocket } from "./stale-socket.ts";
import { listenForMetrics, type MetricsServer } from "#http/metrics-server.ts";
import { compileAsUsual } from "#domain/program.ts";

/** How long the start lasts. Its code runs once and is not worth compiling. */
const START_MS = 1_000;
/** How long requests in flight may take after a stop was requested. */
const GRACE_MS = 10_000;
/** How often a stop checks for requests in flight. */
const POLL_MS = 10;

/** The addresses of a service, held before it makes anything. */
export interface Listening {
  readonly port: number;
  /** Answers requests by this application. Until then they get 503. */
  serve(app: HttpApp): void;
  /** Answers scrapes by this text. Until then they are empty. */
  serveMetrics(write: () => Promise<string>): void;
  /** Aborted by `finish`: answers without an end must end. */
  readonly stopping: AbortSignal;
  /** Accepts no more connections, waits for the requests in flight, then closes idle connections. */
  finish(): Promise<void>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Listens on the addresses of a service. @throws BourseError that says what to change if one cannot be used */
export async function listenOn(config: Config): Promise<Listening> {
  let app: HttpApp = answerStarting;
  let writeMetrics = async () => "";
  const stopping = new AbortController();
  for (const place of [config.socket, config.metrics])
    if (place && "path" in place) await removeStaleSocket(place.path);
  const server = await listenForRequests((request, from) => app(request, from), config);
  let metrics: MetricsServer | null = null;
  try {
    if (config.metrics) metrics = openMetrics(() => writeMetrics(), config.metrics);
  } catch (error) {
    await server.stop(true);
    throw error;
  }
  setTimeout(compileAsUsual, START_MS).unref();
  return {
    port: server.port ?? config.port,
    serve: (given) => void (app = given),
    serveMetrics: (write) => void (writeMetrics = write),
    stopping: stopping.signal,
    finish() {
      stopping.abort();
      return finish(server);
    },
    async close() {
      await Promise.all([server.stop(true), metrics?.stop(true)]);
    },
  };
}

/** Answers while the rest of the service is loaded and the files are opened. */
const answerStarting: HttpApp = async (request) =>
  (await import("./starting-answer.ts")).answerStarting(request);

async function listenForRequests(app: HttpApp, config: Config): Promise<HttpServer> {
  try {
    return listen(app, config);
  } catch (error) {
    throw unavailable(await explainListenError(error, config));
  }
}

function openMetrics(
  write: () => Promise<string>,
  address: NonNullable<Config["metrics"]>,
): MetricsServer {
  try {
    return listenForMetrics(write, address);
  } catch (error) {
    const place = "path" in address ? address.path : `${address.host}, port ${address.port}`;
    throw unavailable(
      `The metrics cannot be served on ${place} (${codeOf(error)}); choose another address with --metrics.`,
    );
  }
}

async function explainListenError(error: unknown, config: Config): Promise<string> {
  const { host, port, socket } = config;
  if (socket !== null)
    return `Cannot listen on ${socket.path} (${codeOf(error)}); create its folder and let this user write there, or choose another path with --socket.`;
  const advice = "set --host to an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all";
  if (isIP(host) === 0 && !(await isKnownHost(host))) {
    return `Cannot listen on ${host}: the host name cannot be resolved; ${advice}.`;
  }
  const code = codeOf(error);
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use; stop the program that listens there, or choose another port with --port.`;
    case "EADDRNOTAVAIL":
      return `Cannot listen on ${host}: it is not an address of this machine; ${advice}.`;
    case "EACCES":
      return `Port ${port} needs the rights of an administrator; choose one above 1023 with --port.`;
    default:
      return `Cannot listen on ${host}, port ${port} (${code}).`;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

function isKnownHost(host: string): Promise<boolean> {
  return lookup(host).then(
    () => true,
    () => false,
  );
}

async function finish(server: HttpServer): Promise<void> {
  void server.stop();
  for (let waitedMs = 0; server.pendingRequests > 0 && waitedMs < GRACE_MS; waitedMs += POLL_MS) {
    await Bun.sleep(POLL_MS);
  }
  await server.stop(true);
}
