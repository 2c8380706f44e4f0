/** The name of a host, and its port. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * The address by which the client reached the service, without a slash at the end; empty without a `Host` that is a name.
 * Only the client itself may get it, because the client wrote it.
 */
export function addressOf({ headers, url }: Request): string {
  const host = headers.get("host") ?? "";
  if (!HOST.test(host)) return "";
  const isSecure = headers.get("x-forwarded-proto") === "https" || url.startsWith("https:");
  return `${isSecure ? "https" : "http"}://${host}`;
}
