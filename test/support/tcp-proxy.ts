import { connect, createServer, type Server, type Socket } from "node:net";

/**
 * A loopback proxy with a stable port in front of another loopback port. It plays networks that fail.
 */
export class TcpProxy {
  /** Connections go to this port; change it to lead new ones to another server. */
  target: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Connections that were made while nothing is forwarded. */
  readonly #waiting = new Set<Socket>();
  #state: "forwarding" | "silent" | "refusing" = "forwarding";

  private constructor(target: number) {
    this.target = target;
    this.#server = createServer({ pauseOnConnect: true }, (client) => this.#accept(client));
  }

  /** Opens a proxy on a free port. */
  static async open(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  /** The proxy's port. */
  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" ? (address?.port ?? 0) : 0;
  }

  /** Forwards nothing and closes nothing, as a network does that drops packets. Also new connections hang. */
  silence(): void {
    this.#state = "silent";
    for (const socket of this.#sockets) socket.pause();
  }

  /** Closes all connections, and each new one at once, until `resume`. */
  cut(): void {
    this.#state = "refusing";
    for (const socket of [...this.#sockets, ...this.#waiting]) socket.destroy();
  }

  /** Forwards again, also what was sent while the proxy was silent. */
  resume(): void {
    this.#state = "forwarding";
    for (const socket of this.#sockets) socket.resume();
    for (const client of this.#waiting) this.#forward(client);
    this.#waiting.clear();
  }

  /** Ends the proxy and its connections. */
  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(client: Socket): void {
    client.on("error", () => client.destroy());
    if (this.#state === "refusing") client.destroy();
    else if (this.#state === "silent") {
      this.#waiting.add(client);
      client.on("close", () => this.#waiting.delete(client));
    } else this.#forward(client);
  }

  #forward(client: Socket): void {
    const server = connect(this.target, "127.0.0.1");
    server.on("error", () => server.destroy());
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on("data", (bytes) => to.write(bytes));
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
    client.resume();
  }
}
