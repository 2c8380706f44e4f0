import { BlockList, isIP } from "node:net";
import { BourseError } from "#domain/errors.ts";
import { createMemo } from "#lib/memo.ts";

/** Finds the address that the gate counts by. */
export type ClientAddress = (socketAddress: string, headers: Headers) => string;

/** Socket addresses whose groups are remembered. */
const MAX_REMEMBERED = 10_000;

/**
 * The client's address is the socket's. Where the socket is a trusted proxy's, it is the last
 * address in `X-Forwarded-For` that is none of the proxies'. An IPv6 address stands for its /64,
 * which is what one customer commonly holds.
 *
 * @param trustedProxies addresses and CIDR ranges
 * @throws BourseError where one of them is neither
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = new BlockList();
  for (const entry of trustedProxies) {
    const [address = "", bits, ...more] = entry.split("/");
    const family = isIP(address);
    const length = bits === undefined ? (family === 4 ? 32 : 128) : Number(bits);
    if (
      family === 0 ||
      !/^\d{1,3}$/.test(bits ?? "0") ||
      length > (family === 4 ? 32 : 128) ||
      more.length > 0
    ) {
      throw new BourseError(
        "invalid_argument",
        `BOURSE_TRUSTED_PROXIES must hold addresses or CIDR ranges such as 10.0.0.0/8, not ${entry}.`,
      );
    }
    trusted.addSubnet(address, length, family === 4 ? "ipv4" : "ipv6");
  }
  const isTrusted = (address: string) =>
    trusted.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");

  const group = (address: string) => (isIP(address) === 6 ? prefix64(address) : address);
  if (trustedProxies.length === 0) {
    const groups = createMemo<string>(MAX_REMEMBERED);
    return (socketAddress) => groups.get(socketAddress, () => group(plain(socketAddress)));
  }
  return (socketAddress, headers) => {
    let address = plain(socketAddress);
    for (const hop of (headers.get("x-forwarded-for") ?? "").split(",").reverse()) {
      if (!isTrusted(address)) break;
      const next = plain(hop.trim());
      if (isIP(next) === 0) break;
      address = next;
    }
    return group(address);
  };
}

/** Without port, brackets and zone; an IPv4 address in IPv6 clothes becomes plain. */
function plain(address: string): string {
  const bare =
    /^\[(.+)\](:\d+)?$/.exec(address)?.[1] ?? address.replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1");
  return bare.replace(/%.*$/, "").replace(/^::ffff:(?=\d+\.)/i, "");
}

function prefix64(address: string): string {
  const [head, tail] = address
    .split("::")
    .map((groups) => (groups === "" ? [] : groups.split(":"))) as [string[], string[]?];
  const zeros = tail ? 8 - head.length - tail.length : 0;
  return `${[...head, ...Array<string>(zeros).fill("0"), ...(tail ?? [])]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
