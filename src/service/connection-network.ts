import { connect as connectTcp, isIP } from "node:net";
import { plainAddress } from "#http/client-address.ts";
import { checkServerIdentity, connect as connectTls, rootCertificates } from "node:tls";

/** How long the DNS, a connection or an answer may take. */
const TIMEOUT_MS = 6_000;

/** The fault of a certificate for another name. */
export const WRONG_NAME = "ERR_TLS_CERT_ALTNAME_INVALID";

/** What a server proves when a connection begins. */
export interface Certificate {
  /** The codes of OpenSSL for what is wrong with it, such as `CERT_HAS_EXPIRED`; empty if a client accepts it. */
  readonly faults: readonly string[];
  /** The names that it is for; empty if no certificate came. */
  readonly names: readonly string[];
  /** UTC milliseconds; NaN if no certificate came. */
  readonly startsAt: number;
  readonly endsAt: number;
}

/** How a check reaches a service as a client elsewhere does. */
export interface ConnectionNetwork {
  /** Every IP address of a host. Rejects if the host is unknown. */
  resolve(host: string): Promise<readonly string[]>;
  /** The code of the failure to connect, such as `ECONNREFUSED`; null if the connection opened. */
  knock(address: string, port: number): Promise<string | null>;
  /** The certificate for a host at an address. */
  readCertificate(address: string, port: number, host: string): Promise<Certificate>;
  /** Sends a request to an address of its host, and follows no redirect. Rejects without an answer in time. */
  send(address: string, port: number, url: URL, request: ConnectionRequest): Promise<Response>;
}

/** A request of a check. */
export interface ConnectionRequest {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** True if the request has a secret, which needs a valid certificate. */
  readonly isSecret?: boolean;
}

/**
 * The real network.
 *
 * @param roots the certificates that clients trust; if left out, the ones of browsers, without this machine's own
 */
export function createConnectionNetwork(
  roots: readonly string[] = rootCertificates,
): ConnectionNetwork {
  const ca = [...roots];
  return {
    async resolve(host) {
      const bare = plainAddress(host);
      if (isIP(bare) !== 0) return [bare];
      const found = await Bun.dns.lookup(host);
      return [...new Set(found.map(({ address }) => address))];
    },
    knock,
    readCertificate: (address, port, host) => readCertificate(address, port, host, ca),
    send(address, port, url, { isSecret = false, ...init }) {
      const target = new URL(url);
      target.hostname = address.includes(":") ? `[${address}]` : address;
      target.port = String(port);
      return fetch(target, {
        ...init,
        headers: { ...init.headers, Host: url.host },
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
        tls: { serverName: url.hostname, rejectUnauthorized: isSecret, ca },
      });
    },
  };
}

function knock(address: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connectTcp({ host: address, port });
    const end = (code: string | null) => {
      socket.destroy();
      resolve(code);
    };
    socket.setTimeout(TIMEOUT_MS, () => end("ETIMEDOUT"));
    socket.once("connect", () => end(null));
    socket.once("error", (error) => end(codeOf(error)));
  });
}

function readCertificate(
  host: string,
  port: number,
  servername: string,
  ca: string[],
): Promise<Certificate> {
  return new Promise((resolve) => {
    // A name of an address is no SNI.
    const sni = isIP(servername) === 0 ? { servername } : {};
    const socket = connectTls({ host, port, ca, rejectUnauthorized: false, ...sni });
    const end = (certificate: Certificate) => {
      socket.destroy();
      resolve(certificate);
    };
    const fail = (fault: string) =>
      end({ faults: [fault], names: [], startsAt: Number.NaN, endsAt: Number.NaN });
    socket.setTimeout(TIMEOUT_MS, () => fail("ETIMEDOUT"));
    socket.once("error", (error) => fail(codeOf(error)));
    socket.once("secureConnect", () => {
      const own = socket.getPeerCertificate();
      // Bun names one fault only, and the chain before the name.
      const faults = new Set(socket.authorized ? [] : [String(socket.authorizationError)]);
      if (checkServerIdentity(servername, own)) faults.add(WRONG_NAME);
      end({
        faults: [...faults],
        names: namesOf(own),
        startsAt: Date.parse(own.valid_from),
        endsAt: Date.parse(own.valid_to),
      });
    });
  });
}

function namesOf({
  subject,
  subjectaltname,
}: {
  subject: { CN?: string | string[] };
  subjectaltname?: string | undefined;
}): string[] {
  const names = subjectaltname?.split(", ").map((name) => name.replace(/^[\w ]+:/, ""));
  return names ?? [subject.CN ?? []].flat();
}

function codeOf(error: Error): string {
  return "code" in error ? String(error.code) : error.message;
}
