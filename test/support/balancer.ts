import { connect, createServer, type Server, type Socket } from "node:net";

/** How often each node is checked. */
const CHECK_MS = 250;
/** A node that does not answer a check within this time gets no more connections: it hangs, or is stopped. */
const CHECK_TIMEOUT_MS = 30_000;
/** How long a client waits while no node accepts its connection. */
const CONNECT_MS = 3_000;
const RETRY_MS = 20;

/**
 * A small TCP balancer: each new connection goes to the next living node, in turn. A connection that a node
 * refuses is tried on the next one. A node that does not answer `/health` loses its connections.
 */
export class Balancer {
  readonly #ports: () => readonly number[];
  readonly #server: Server;
  readonly #timer: ReturnType<typeof setInterval>;
  /** By port. */
  readonly #connections = new Map<number, Set<Socket>>();
  readonly #silent = new Set<number>();
  #turn = 0;

  private constructor(ports: () => readonly number[]) {
    this.#ports = ports;
    this.#server = createServer({ pauseOnConnect: true }, (client) => {
      client.on("error", () => client.destroy());
      this.#forward(client, performance.now() + CONNECT_MS);
    });
    this.#timer = setInterval(() => this.#check(), CHECK_MS);
  }

  /** Opens a balancer on a free loopback port. `ports` are those of all nodes, living or not. */
  static async open(ports: () => readonly number[]): Promise<Balancer> {
    const balancer = new Balancer(ports);
    await new Promise<void>((resolve) => balancer.#server.listen(0, "127.0.0.1", resolve));
    return balancer;
  }

  /** Its URL, without a slash at the end. */
  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  }

  /** Ends the balancer and all connections. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const port of this.#connections.keys()) this.#dropConnections(port);
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #next(): number | undefined {
    const ports = this.#ports();
    const living = ports.filter((port) => !this.#silent.has(port));
    const choice = living.length > 0 ? living : ports;
    return choice[this.#turn++ % choice.length];
  }

  #forward(client: Socket, until: number): void {
    const port = this.#next();
    if (client.destroyed || port === undefined) return void client.destroy();
    const node = connect({ port, host: "127.0.0.1", noDelay: true });
    const refused = () => {
      if (performance.now() < until) setTimeout(() => this.#forward(client, until), RETRY_MS);
      else client.destroy();
    };
    node.once("error", refused);
    node.once("connect", () => {
      node.off("error", refused);
      node.on("error", () => node.destroy());
      const connections = this.#connections.get(port) ?? new Set();
      this.#connections.set(port, connections.add(node));
      node.on("close", () => {
        connections.delete(node);
        client.destroy();
      });
      client.on("close", () => node.destroy());
      client.on("data", (bytes) => node.write(bytes));
      node.on("data", (bytes) => client.write(bytes));
      client.resume();
    });
  }

  #check(): void {
    for (const port of this.#ports()) {
      fetch(`http://127.0.0.1:${port}/health`, {
        keepalive: false,
        signal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
      }).then(
        () => this.#silent.delete(port),
        () => {
          this.#silent.add(port);
          this.#dropConnections(port);
        },
      );
    }
  }

  #dropConnections(port: number): void {
    for (const node of this.#connections.get(port) ?? []) node.destroy();
  }
}
