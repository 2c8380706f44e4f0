import { readdirSync, readFileSync } from "node:fs";

/** Requests of a slice, over as many connections. */
const REQUESTS = 1_000;
const CONNECTIONS = 32;
/** Rounds before the first that counts, while the JIT compiles. */
const WARM_UP_ROUNDS = 20;

/** A server and the requests that it gets, in turn. */
export interface Sliced {
  readonly pid: number;
  readonly port: number;
  /** Whole requests of HTTP/1.1, each for a number of calls before the next. */
  readonly requests: readonly string[];
  readonly callsPerRequest: number;
}

/** The CPU time of all threads of a process, in microseconds. */
export function cpuMicroseconds(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8");
    return sum + Number(text.split(" ")[0]) / 1_000;
  }, 0);
}

/** The 10th percentile: other work on the machine only adds. */
export function lowTenth(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)] ?? Number.NaN;
}

/**
 * The CPU of a call of each server, in microseconds: the 10th percentile of slices that the servers get in turn,
 * forwards and backwards, so that other work on the machine affects all of them.
 */
export async function measureSlices(
  servers: readonly Sliced[],
  slices: number,
): Promise<readonly number[]> {
  const all = await Promise.all(
    servers.map(async (server) => ({
      server,
      client: await Client.open(server),
      found: [] as number[],
    })),
  );
  for (let round = -WARM_UP_ROUNDS; round < slices; round++) {
    for (const { server, client, found } of round % 2 === 0 ? all : all.toReversed()) {
      const before = cpuMicroseconds(server.pid);
      await client.send(REQUESTS);
      if (round >= 0) found.push((cpuMicroseconds(server.pid) - before) / REQUESTS);
    }
  }
  for (const { client } of all) client.close();
  return all.map(({ found }) => lowTenth(found));
}

/** A connection, and the bytes of its answer that have not arrived. */
interface Connection {
  head: Buffer;
  left: number;
}

/** Sends requests over persistent connections, each after the answer to the one before. */
class Client {
  readonly #server: Sliced;
  readonly #sockets: Bun.Socket<Connection>[] = [];
  #calls = 0;
  #toSend = 0;
  #toArrive = 0;
  #done = Promise.withResolvers<void>();

  private constructor(server: Sliced) {
    this.#server = server;
  }

  static async open(server: Sliced): Promise<Client> {
    const client = new Client(server);
    for (let i = 0; i < CONNECTIONS; i++) {
      const socket = await Bun.connect<Connection>({
        hostname: "127.0.0.1",
        port: server.port,
        data: { head: Buffer.alloc(0), left: 0 },
        socket: {
          data: (one, chunk) => client.#receive(one, chunk),
          close: () => client.#done.reject(new Error(`port ${server.port} closed a connection`)),
        },
      });
      client.#sockets.push(socket);
    }
    return client;
  }

  /** Resolves when as many answers have arrived. */
  send(count: number): Promise<void> {
    this.#done = Promise.withResolvers();
    this.#toSend = this.#toArrive = count;
    for (const socket of this.#sockets) this.#sendNext(socket);
    return this.#done.promise;
  }

  close(): void {
    this.#done.promise.catch(() => {});
    for (const socket of this.#sockets) socket.end();
  }

  #sendNext(socket: Bun.Socket<Connection>): void {
    if (this.#toSend === 0) return;
    this.#toSend--;
    const { requests, callsPerRequest } = this.#server;
    const text = requests[Math.floor(this.#calls++ / callsPerRequest) % requests.length] ?? "";
    socket.write(text);
  }

  #receive(socket: Bun.Socket<Connection>, chunk: Buffer): void {
    const { data } = socket;
    if (data.left > 0) data.left -= chunk.length;
    else {
      data.head = data.head.length === 0 ? chunk : Buffer.concat([data.head, chunk]);
      const end = data.head.indexOf("\r\n\r\n");
      if (end < 0) return;
      const head = data.head.toString("latin1", 0, end);
      const [, status = ""] = /^HTTP\/1\.1 (\d+)/.exec(head) ?? [];
      if (status !== "200") this.#done.reject(new Error(`port ${this.#server.port}: ${head}`));
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
      data.left = end + 4 + length - data.head.length;
      data.head = Buffer.alloc(0);
    }
    if (data.left > 0) return;
    if (--this.#toArrive === 0) this.#done.resolve();
    this.#sendNext(socket);
  }
}
