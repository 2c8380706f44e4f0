/** A Unix socket to listen on. */
export interface SocketPlace {
  readonly path: string;
  /** The permissions of the file: who may connect. */
  readonly mode: number;
}

const PREFIX = "unix:";

/** The address of a service that listens on a Unix socket: `unix:/run/bourse/bourse.sock`. */
export const socketAddress = (path: string): string => PREFIX + path;

/** True for an address that only programs on this machine reach: `unix:/run/bourse/bourse.sock`. */
export const isSocketAddress = (address: string): boolean => address.startsWith(PREFIX);

/** Asks a service on this machine, by its address or its socket. `path` begins with a slash. */
export function fetchFrom(
  address: string,
  path: string,
  init: BunFetchRequestInit,
): Promise<Response> {
  return isSocketAddress(address)
    ? fetch(`http://localhost${path}`, { ...init, unix: address.slice(PREFIX.length) })
    : fetch(address + path, init);
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
