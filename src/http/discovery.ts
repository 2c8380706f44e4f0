import { DAY_MS } from "#lib/date.ts";
import { serverInfoOf } from "#mcp/identity.ts";
import { SUPPORTED_VERSIONS } from "#mcp/revision.ts";
import { VERSION } from "#domain/program.ts";
import { isIP } from "node:net";
import { plainAddress } from "./client-address.ts";
import { EVERY_ANSWER } from "./headers.ts";
import { RESOURCE_PATH } from "./oauth-metadata.ts";
import { addressOf } from "./service-address.ts";

/** The places of the card: one that is asked for without a catalog, and the one that its draft recommends. */
const CARD_PATH = "/.well-known/mcp/server-card.json";
const CARD_PATHS = [CARD_PATH, `${RESOURCE_PATH}/server-card`];
const CARD_TYPE = "application/mcp-server-card+json";
const CATALOG_PATH = "/.well-known/ai-catalog.json";
const SECURITY_PATH = "/.well-known/security.txt";

/** The path of a URL, which begins with the `Host` header if that is a host. */
const PATH = /^(?:https?:\/\/[^/?#]*)?([^?#]*)/;
/** RFC 9116 wants less than a year. */
const SECURITY_DAYS = 180;
const KEPT_SECONDS = 3_600;

/** What the documents say of the service. */
export interface DiscoveryParts {
  readonly publicUrl?: string | null | undefined;
  readonly hasOAuth: boolean;
  /** True if the drafts of discovery are served. */
  readonly isDiscoverable: boolean;
  /** UTC milliseconds. */
  readonly clock: () => number;
}

/** Answers a request for a document by which programs and people find out what runs here; null for another path. */
export function answerDiscovery(request: Request, parts: DiscoveryParts): Response | null {
  const { method, url } = request;
  if (method !== "GET" && method !== "HEAD") return null;
  const path = PATH.exec(url)?.[1] ?? "";
  if (!path.startsWith("/.well-known/") && !CARD_PATHS.includes(path)) return null;
  const address = parts.publicUrl ?? addressOf(request);
  const answer = (type: string, text: string) =>
    new Response(method === "HEAD" ? null : text, {
      headers: {
        ...EVERY_ANSWER,
        "Content-Type": type,
        // Without a public URL the address in it is the one of the caller.
        "Cache-Control": `${parts.publicUrl ? "public" : "private"}, max-age=${KEPT_SECONDS}`,
      },
    });
  if (path === SECURITY_PATH)
    return answer("text/plain; charset=utf-8", writeSecurity(address, parts.clock()));
  if (!parts.isDiscoverable || address === "") return null;
  if (CARD_PATHS.includes(path))
    return answer(CARD_TYPE, JSON.stringify(serverCard(address, parts.hasOAuth)));
  if (path === CATALOG_PATH) return answer("application/json", JSON.stringify(catalog(address)));
  return null;
}

/** The host without its port; `localhost` for an IP address, which is no name. */
function hostOf(address: string): string {
  const { hostname } = new URL(address);
  return isIP(plainAddress(hostname)) === 0 ? hostname : "localhost";
}

/** The card of the MCP server, version 1 (SEP-2127). */
function serverCard(address: string, hasOAuth: boolean) {
  const { name, title, version } = serverInfoOf(VERSION);
  const token = { name: "Authorization", description: "Bearer and a token", isSecret: true };
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    name: `${hostOf(address).split(".").reverse().join(".")}/${name}`,
    version,
    title,
    description: "Markets data of the United States, Japan and Viet Nam.",
    websiteUrl: `${address}/docs`,
    remotes: [
      {
        type: "streamable-http",
        url: address + RESOURCE_PATH,
        supportedProtocolVersions: SUPPORTED_VERSIONS,
        headers: [{ ...token, isRequired: !hasOAuth }],
      },
    ],
  };
}

/** The catalog of what agents can use at this address: the card. */
function catalog(address: string) {
  const { name, title } = serverInfoOf(VERSION);
  return {
    specVersion: "1.0",
    entries: [
      {
        identifier: `urn:air:${hostOf(address)}:${name}`,
        displayName: title,
        type: CARD_TYPE,
        url: address + CARD_PATH,
      },
    ],
  };
}

/** Where to report a vulnerability (RFC 9116). */
function writeSecurity(address: string, now: number): string {
  const day = new Date(now + SECURITY_DAYS * DAY_MS).toISOString().slice(0, 10);
  const lines = [
    `Contact: ${address}/docs/security`,
    `Expires: ${day}T00:00:00Z`,
    "Preferred-Languages: en",
    `Canonical: ${address}${SECURITY_PATH}`,
  ];
  return `${lines.join("\n")}\n`;
}
