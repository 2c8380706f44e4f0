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
