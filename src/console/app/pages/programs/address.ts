/** Addresses that only this computer or its own network can reach, and names of such. */
const LOCAL_IPV4 = /^(?:0|127|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+$/;
const LOCAL_IPV6 = /^\[(?:::1?|f[cd].*|fe80:.*)\]$/;
const LOCAL_NAME = /\.(?:localhost|local|internal|lan)$/;

/** The host of an address that other networks cannot reach, and null for any other one. */
export function localHostOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { hostname } = new URL(url);
  const isLocal =
    // A name without a dot is one of this computer or its own network.
    !/[.[]/.test(hostname) ||
    [LOCAL_IPV4, LOCAL_IPV6, LOCAL_NAME].some((pattern) => pattern.test(hostname));
  return isLocal ? hostname : null;
}
