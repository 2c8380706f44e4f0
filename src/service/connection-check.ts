import { addBase, basePathOf } from "#http/service-address.ts";
import { isIP } from "node:net";
import { VERSION } from "#domain/program.ts";
import { plainAddress } from "#http/client-address.ts";
import { RESOURCE_PATH } from "#http/oauth-metadata.ts";
import { isPublicAddress } from "#lib/public-address.ts";
import type { Finding } from "#http/service-reports.ts";
import { DAY_MS } from "#lib/date.ts";
import { formatMoment } from "#lib/table.ts";
import { checkPaths, type WithToken } from "./connection-paths.ts";
import { CHECK_AGENT } from "./connection-watch.ts";
import { type Certificate, type ConnectionNetwork, WRONG_NAME } from "./connection-network.ts";
import { quote, readAnswer } from "./connection-answer.ts";
import { failed, ok, warning } from "./finding.ts";

/** A certificate that ends sooner was not renewed in time. */
const RENEWED_BEFORE_MS = 3 * DAY_MS;
/** The port of https that hosts on the internet call. */
const HTTPS_PORT = 443;

/** What the check of a connection needs. */
export interface ConnectionParts {
  /** The address of the service for clients: `https://data.example.com`, with or without the path of MCP. */
  readonly address: string;
  readonly network: ConnectionNetwork;
  /** UTC milliseconds. */
  readonly clock: () => number;
  /** Runs a function with a live token, or with the reason why there is none. */
  readonly withToken: WithToken;
  /** Called with each finding, in order. */
  readonly found: (finding: Finding) => void;
}

/**
 * Checks from outside in how a client reaches a service: name, port, certificate, proxy, OAuth and MCP. It stops at the first
 * fault that hides all others. No finding has a secret.
 */
export async function checkConnection(parts: ConnectionParts): Promise<void> {
  const { found, network, clock } = parts;
  const url = readAddress(parts.address);
  if ("level" in url) return found(url);
  if (url.protocol === "http:") found(warnOfPlainHttp(url));
  const addresses = await network.resolve(url.hostname).catch(() => []);
  found(checkName(url, addresses));
  if (addresses.length === 0) return;
  const port = Number(url.port) || (url.protocol === "https:" ? HTTPS_PORT : 80);
  const { finding, open } = await checkPort(network, url, { addresses, port });
  found(finding);
  if (open === null) return;
  const certificate =
    url.protocol === "https:" ? await network.readCertificate(open, port, url.hostname) : null;
  const proof = certificate && checkCertificate(url, certificate, clock());
  if (proof) found(proof);
  // Without a certificate, no TLS connection began.
  if (certificate && Number.isNaN(certificate.endsAt)) return;
  const base = basePathOf(url.href);
  await checkPaths({
    url: url.origin + base,
    isSafe: certificate?.faults.length === 0,
    withToken: parts.withToken,
    found,
    ask: (path, request = {}, pieces = Number.POSITIVE_INFINITY) =>
      readAnswer(
        network.send(open, port, new URL(addBase(path, base), url.origin), {
          method: "GET",
          ...request,
          headers: { "User-Agent": `${CHECK_AGENT}/${VERSION}`, ...request.headers },
        }),
        pieces,
      ),
  });
}

/** The origin of an address, or what is wrong with it. */
function readAddress(text: string): URL | Finding {
  const url = URL.parse(text.trim());
  const example = "such as https://data.example.com";
  if (!url || !/^https?:$/.test(url.protocol))
    return failed("address", `The address must begin with https:// and have a host, ${example}.`);
  if (url.username !== "" || url.password !== "")
    return failed(
      "address",
      "The address has a user or a password. Clients send the token in the same header; leave both out, and let the proxy ask for none.",
    );
  const path = url.pathname.replace(/\/+$/, "");
  const base = path.endsWith(RESOURCE_PATH) ? path.slice(0, -RESOURCE_PATH.length) : path;
  return new URL(url.origin + base);
}

function warnOfPlainHttp({ origin }: URL): Finding {
  return warning(
    "address",
    `${origin} is not https, so OAuth is off: claude.ai and ChatGPT cannot connect. Programs in your own network can, with a token. Put a proxy with a certificate in front, and set BOURSE_PUBLIC_URL to its https address.`,
  );
}

function checkName({ hostname }: URL, addresses: readonly string[]): Finding {
  if (addresses.length === 0)
    return failed(
      "name",
      `${hostname} has no address in the DNS of this machine. Add an A record with the public address of your network.`,
    );
  const local = addresses.filter((address) => !isPublicAddress(address));
  const words = `${hostname} is ${addresses.join(", ")}.`;
  if (local.length === 0) return ok("name", words);
  if (isIP(plainAddress(hostname)) !== 0)
    return warning(
      "name",
      `Other networks cannot reach ${hostname}. Hosts need a name in the DNS.`,
    );
  return warning(
    "name",
    `${words} Other networks cannot reach ${local.join(", ")}. If the DNS of your own network alone says so, run this check from another network; else set the public address.`,
  );
}

/** The first address that accepts a connection; null if none does. */
async function checkPort(
  network: ConnectionNetwork,
  { protocol }: URL,
  { addresses, port }: { readonly addresses: readonly string[]; readonly port: number },
): Promise<{ finding: Finding; open: string | null }> {
  // IPv4 first, as most hosts call.
  const sorted = addresses.toSorted((a, b) => Number(a.includes(":")) - Number(b.includes(":")));
  const knocks = await Promise.all(sorted.map((address) => network.knock(address, port)));
  const at = knocks.indexOf(null);
  const open = sorted[at] ?? null;
  if (open === null)
    return { finding: failed("port", describeClosed(port, knocks[0] ?? "")), open };
  // This machine itself may have no IPv6.
  const shut = sorted.filter(
    (_, i) => knocks[i] !== null && !/UNREACH|EADDRNOTAVAIL/.test(knocks[i] ?? ""),
  );
  if (shut.length > 0)
    return {
      finding: warning(
        "port",
        `Port ${port} is open at ${open}, but not at ${shut.join(", ")}. Open it there, or remove that address from the DNS: clients may choose it.`,
      ),
      open,
    };
  if (protocol === "https:" && port !== HTTPS_PORT)
    return {
      finding: warning(
        "port",
        `Port ${port} is open, but claude.ai calls port ${HTTPS_PORT} only. Let the proxy listen on ${HTTPS_PORT} too.`,
      ),
      open,
    };
  return { finding: ok("port", `Port ${port} is open.`), open };
}

function describeClosed(port: number, code: string): string {
  const later =
    "Some routers do not lead their own network back in: if all is set, run this check from another network.";
  if (code === "ECONNREFUSED")
    return `Port ${port} refuses connections. Start the proxy there, and forward the port in the router. ${later}`;
  return `Port ${port} does not answer (${code}). Open it in the firewall, and forward it in the router. ${later}`;
}

/** What to do about each code of OpenSSL. */
const CERTIFICATE_ADVICE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "has ended; renew it, and let the proxy read it again",
  CERT_NOT_YET_VALID: "is not valid yet; check the clocks of this machine and of the proxy",
  [WRONG_NAME]: "is for other names; get one for this name",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "is signed by itself, and hosts refuse it; get one of a public authority, as Caddy does by itself",
  SELF_SIGNED_CERT_IN_CHAIN:
    "is signed by an authority of your own, and hosts refuse it; get one of a public authority, as Caddy does by itself",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "comes without the certificate of its authority; let the proxy send the whole chain, often a file fullchain.pem",
  UNABLE_TO_GET_ISSUER_CERT:
    "comes with a part of its chain; let the proxy send the whole chain, often a file fullchain.pem",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "is signed by an unknown authority; get one of a public authority, as Caddy does by itself",
};

function checkCertificate({ hostname }: URL, certificate: Certificate, now: number): Finding {
  const { faults, names, startsAt, endsAt } = certificate;
  if (Number.isNaN(endsAt))
    return failed(
      "certificate",
      `No TLS connection began (${faults.join(", ")}). Let the proxy speak https with a certificate for ${hostname} on this port.`,
    );
  if (faults.length > 0) {
    const words = faults.map((code) => CERTIFICATE_ADVICE[code] ?? `is refused (${code})`);
    const facts = `It is for ${quote(names.join(", "))}, from ${formatMoment(startsAt)} to ${formatMoment(endsAt)}.`;
    return failed("certificate", `The certificate ${words.join("; it ")}. ${facts}`);
  }
  if (endsAt - now < RENEWED_BEFORE_MS)
    return warning(
      "certificate",
      `The certificate ends on ${formatMoment(endsAt)} and was not renewed. Read the log of what renews it.`,
    );
  return ok("certificate", `It is valid for ${hostname} until ${formatMoment(endsAt)}.`);
}
