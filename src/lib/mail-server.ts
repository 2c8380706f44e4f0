/** The server that takes mail. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** True if the connection begins with TLS; otherwise STARTTLS follows, which only a server without a user may lack. */
  readonly isTls: boolean;
  /** Null for a server that needs no sign-in. */
  readonly user: string | null;
  /** A secret; null without a user. */
  readonly password: string | null;
}

/** The ports of RFC 8314 by the scheme of the address. */
const PORTS: Readonly<Record<string, number>> = { "smtp:": 587, "smtps:": 465 };

/** Parses `smtps://user:password@mail.example.com` or `smtp://…` for STARTTLS; null for anything else. */
export function parseMailServer(text: string): MailServer | null {
  const url = URL.parse(text);
  const port = PORTS[url?.protocol ?? ""];
  if (!url || port === undefined || url.hostname === "" || /\s/.test(text)) return null;
  // A / or # in a password ends the host too early.
  if ((url.pathname !== "" && url.pathname !== "/") || url.search !== "" || url.hash !== "")
    return null;
  if ((url.username === "") !== (url.password === "")) return null;
  try {
    return {
      host: decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, "$1"),
      port: Number(url.port) || port,
      isTls: url.protocol === "smtps:",
      user: decodeURIComponent(url.username) || null,
      password: decodeURIComponent(url.password) || null,
    };
  } catch {
    return null;
  }
}

/** True for one mail address without a name: `anna@example.com`. */
export function isMailAddress(text: string): boolean {
  return /^[^\s@<>(),;:"[\]\\]{1,64}@[^\s@<>(),;:"[\]\\]{1,250}$/.test(text);
}
