/** Where the Postgres of a cluster is. */
export interface PostgresAddress {
  /** Without the socket; its host is then `localhost`. */
  readonly url: URL;
  /** The folder of the server's Unix socket, such as `/var/run/postgresql`; null over a network. */
  readonly socket: string | null;
}

/**
 * Parses an address of libpq: `postgres://user:password@host:5432/database`. A Unix socket is the parameter
 * `host` (`postgres://user@/database?host=/var/run/postgresql`) or the escaped host (`%2Fvar%2Frun…`). The
 * parameters `user`, `password`, `port` and `dbname` come before the same parts of the address. Returns null if it
 * is none, or has no host.
 */
export function parseAddress(text: string): PostgresAddress | null {
  // `URL` takes no user without a host.
  const [, start, rest = ""] = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([:/?].*)$/s.exec(text) ?? [];
  const url = URL.parse(start === undefined ? text : `${start}localhost${rest}`);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) return null;
  const params = url.searchParams;
  const host = params.get("host") || (start === undefined ? decodeHost(url.hostname) : "");
  if (host === "") return null;
  const [user, password, port, name] = ["user", "password", "port", "dbname"].map((one) =>
    params.get(one),
  );
  if (user) url.username = encodeURIComponent(user);
  if (password) url.password = encodeURIComponent(password);
  if (name) url.pathname = `/${encodeURIComponent(name)}`;
  for (const one of ["host", "user", "password", "port", "dbname"]) params.delete(one);
  const socket = host.startsWith("/") ? host : null;
  url.hostname = socket === null ? host : "localhost";
  if (port) url.port = port;
  // As in libpq, no TLS over a socket.
  if (socket !== null) for (const name of ["sslmode", "sslrootcert"]) params.delete(name);
  return { url, socket };
}

function decodeHost(hostname: string): string {
  try {
    return decodeURIComponent(hostname);
  } catch {
    return hostname;
  }
}
