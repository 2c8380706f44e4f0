import { type Awaitable, whenKnown } from "#lib/awaitable.ts";
import type { AddressSource } from "./trace.ts";

/** The name of a host, and its port. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * The address by which the client reached the service, without a slash at the end; empty without a `Host` that is a name.
 * Only the client itself may get it, because the client wrote it.
 */
export function addressOf({ headers, url }: Request): string {
  const host = headers.get("host") ?? "";
  if (!HOST.test(host)) return "";
  // Each proxy on the way adds its protocol.
  const protocols = headers.get("x-forwarded-proto")?.toLowerCase().split(",");
  const isSecure = protocols?.every((one) => one.trim() === "https") || url.startsWith("https:");
  return `${isSecure ? "https" : "http"}://${host}`;
}

/** The path below which clients reach the service, such as `/bourse`; empty for the root of a host. */
export function basePathOf(publicUrl: string | null | undefined): string {
  return publicUrl ? new URL(publicUrl).pathname.replace(/\/$/, "") : "";
}

/** The address of a host without the path of the service. */
export const originOf = (publicUrl: string): string => new URL(publicUrl).origin;

/** HTML whose links and files begin with the base path. Addresses in it begin with one slash. */
export function addBaseToHtml(html: string, base: string): string {
  return base === "" ? html : html.replaceAll(/ (href|src|action)="\/(?!\/)/g, ` $1="${base}/`);
}

/** The code or styles of the console, whose other files begin with the base path. */
export function addBaseToCode(code: string, base: string): string {
  return base === "" ? code : code.replaceAll(/(["'`(])\/chunk-/g, `$1${base}/chunk-`);
}

/** Markdown whose links to documents begin with the base path. */
export function addBaseToMarkdown(text: string, base: string): string {
  return base === "" ? text : text.replaceAll(/\]\(\/(?!\/)/g, `](${base}/`);
}

/** Metadata of OAuth is between the host and the path of its issuer or resource (RFC 8414, RFC 9728). */
const METADATA = "/.well-known/oauth-(?:authorization-server|protected-resource)";

/** A path of the service below a base path, as clients call it. */
export function addBase(path: string, base: string): string {
  const metadata = new RegExp(`^${METADATA}(?=/|$)`).exec(path)?.[0] ?? "";
  return metadata + base + path.slice(metadata.length);
}

type App = (request: Request, server: AddressSource) => Awaitable<Response>;

/**
 * The application below a base path. A request may have it, or a proxy has removed it. The headers Location and Link get
 * it here. Bodies and cookies get it where they are made.
 */
export function serveBelow(app: App, base: string): App {
  if (base === "") return app;
  const path = base.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = new RegExp(`^(https?://[^/?#]*)?(${METADATA})?${path}(/[^?#]*)?(?=[?#]|$)`);
  return (request, server) => {
    const url = request.url.replace(
      pattern,
      (_, host = "http://localhost", metadata = "", below = "") =>
        host + metadata + (below || (metadata ? "" : "/")),
    );
    const inner = url === request.url ? request : new Request(url, request);
    const source = { requestIP: () => server.requestIP(request) };
    return whenKnown(app(inner, source), (response) => addBaseToHeaders(response, base));
  };
}

function addBaseToHeaders(response: Response, base: string): Response {
  const { headers } = response;
  const location = headers.get("Location");
  if (location?.startsWith("/")) headers.set("Location", base + location);
  const link = headers.get("Link");
  if (link !== null) headers.set("Link", link.replaceAll("</", `<${base}/`));
  return response;
}
