// The floor: a bare `Bun.serve` with two ports per ready answer, bare and with the service's headers. It
// prints the ports as JSON, in the order of the answers.
import { join } from "node:path";
import { measureTurns } from "./turn-meter.ts";

/** A prepared answer. */
export interface ReadyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

measureTurns();
const answers = (await Bun.file(
  join(process.env["BENCH_FOLDER"] ?? "", "floor.json"),
).json()) as ReadyAnswer[];

const ports = answers.map((answer) => [
  listen(answer, { "content-type": "application/json" }),
  listen(answer, answer.headers),
]);
process.stdout.write(`listens on ${JSON.stringify(ports)}\n`);

function listen({ status, body }: ReadyAnswer, headers: Readonly<Record<string, string>>) {
  const init = { status, headers: new Headers(headers) };
  const content = status === 304 ? null : body;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    // Reads the body of a POST, because every real server must.
    fetch: (request) =>
      request.method === "POST"
        ? request.text().then(() => new Response(content, init))
        : new Response(content, init),
  });
  return server.port;
}
