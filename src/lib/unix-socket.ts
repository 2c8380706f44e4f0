/** A Unix socket to listen on. */
export interface SocketPlace {
  readonly path: string;
  /** The permissions of the file: who may connect. */
  readonly mode: number;
}

const PREFIX = "unix:";

/** The address of a service that listens on a Unix socket: `unix:/run/bourse/bourse.sock`. */
export const socketAddress = (path: string): string => PREFIX + path;

/** The host that a client writes in an address of this service; its own address if it has one. */
export const hostAddressOf = (address: string): string =>
  address.startsWith(PREFIX) ? "http://localhost" : address;

/** Asks a service on this machine, by its address or its socket. `path` begins with a slash. */
export function fetchFrom(address: string, path: string, signal: AbortSignal): Promise<Response> {
  const url = hostAddressOf(address) + path;
  return address.startsWith(PREFIX)
    ? fetch(url, { signal, unix: address.slice(PREFIX.length) })
    : fetch(url, { signal });
}

/** Runs `open`, which begins to listen on the socket. At no moment may more users connect than the mode allows. */
export function withMode<T>({ mode }: SocketPlace, open: () => T): T {
  const before = process.umask(0o777 & ~mode);
  try {
    return open();
  } finally {
    process.umask(before);
  }
}
