import { isIP } from "node:net";
import { invalidArgument } from "#domain/errors.ts";
import { Memo } from "#lib/memo.ts";
import { AddressRanges, isAddressRange } from "#lib/public-address.ts";

/** Returns the address by which the gate counts. */
export type ClientAddress = (socketAddress: string, headers: Headers) => string;

/** Socket addresses whose groups are cached. */
const MAX_CACHED = 10_000;

/**
 * The client's address, by which the gate counts. An IPv6 address is counted by its /64, which usually
 * belongs to one customer.
 *
 * @param trustedProxies as `TrustedProxies` takes them
 * @param trustsSocket as `TrustedProxies` takes it
 * @throws BourseError if an entry is neither an address nor a range
 */
export function createClientAddress(
  trustedProxies: readonly string[],
  trustsSocket = false,
): ClientAddress {
  const proxies = new TrustedProxies(trustedProxies, trustsSocket);
  if (trustedProxies.length === 0 && !trustsSocket) {
    const groups = new Memo<string>(MAX_CACHED);
    return (socketAddress) =>
      groups.get(socketAddress, () => addressGroup(plainAddress(socketAddress)));
  }
  return (socketAddress, headers) => addressGroup(proxies.clientOf(socketAddress, headers));
}

/** Proxies whose `X-Forwarded-…` headers are true. */
export class TrustedProxies {
  readonly #trusted: AddressRanges;
  readonly #trustsSocket: boolean;

  /**
   * @param entries addresses and CIDR ranges
   * @param trustsSocket true if clients connect to a Unix socket, whose permissions let in only a proxy. Such
   * a client has no address, an empty text
   * @throws BourseError if an entry is neither an address nor a range
   */
  constructor(entries: readonly string[], trustsSocket = false) {
    this.#trustsSocket = trustsSocket;
    const wrong = entries.find((entry) => !isAddressRange(entry));
    if (wrong !== undefined) {
      throw invalidArgument(
        `BOURSE_TRUSTED_PROXIES must hold addresses or CIDR ranges such as 10.0.0.0/8, not ${wrong}.`,
      );
    }
    this.#trusted = new AddressRanges(entries);
  }

  /** True if the address is a trusted proxy's. */
  includes(address: string): boolean {
    if (address === "") return this.#trustsSocket;
    return this.#trusted.includes(address);
  }

  /**
   * The client's address is the connection's. If that is a trusted proxy's, it is the last address in
   * `X-Forwarded-For` that is not a trusted proxy.
   */
  clientOf(socketAddress: string, headers: Headers): string {
    let address = plainAddress(socketAddress);
    const hops = (headers.get("x-forwarded-for") ?? "").split(",").map((hop) => hop.trim());
    for (const hop of hops.filter((one) => one !== "").reverse()) {
      if (!this.includes(address)) break;
      const next = plainAddress(hop);
      if (isIP(next) === 0) break;
      address = next;
    }
    return address;
  }
}

/** An IPv4 address, or the /64 of an IPv6 address. */
export function addressGroup(address: string): string {
  return isIP(address) === 6 ? prefix64(address) : address;
}

/** The loopback addresses of a machine, as `addressGroup` has them. */
const THIS_MACHINE = /^(?:127\.|0:0:0:0::)/;

/**
 * The text by which the gate counts a request from an address of `addressGroup`. On this machine, requests that pages
 * of other sites send have their own, because any page in a browser could use up the requests of all local programs.
 */
export function gateKeyOf(address: string, headers: Headers): string {
  if (!THIS_MACHINE.test(address)) return address;
  const site = headers.get("sec-fetch-site");
  return site === "cross-site" || site === "same-site" ? `${address} other sites` : address;
}

/** The address without port, brackets and zone; a mapped IPv4 address (`::ffff:cb00:7107`) as IPv4. */
export function plainAddress(address: string): string {
  const bare =
    /^\[(.+)\](:\d+)?$/.exec(address)?.[1] ?? address.replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1");
  const zoneless = bare.replace(/%.*$/, "");
  return isIP(zoneless) === 6 ? (mappedIpv4(zoneless) ?? zoneless) : zoneless;
}

function mappedIpv4(address: string): string | null {
  const groups = groupsOf(address);
  if (groups.slice(0, 5).some((group) => group !== 0) || groups[5] !== 0xffff) return null;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");
}

function prefix64(address: string): string {
  const groups = groupsOf(address).slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`;
}

/** The eight groups of an IPv6 address in any of its forms. */
function groupsOf(address: string): number[] {
  const hexadecimal = address.replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_, ...bytes: string[]) =>
      `${pair(bytes[0], bytes[1]).toString(16)}:${pair(bytes[2], bytes[3]).toString(16)}`,
  );
  const [head = [], tail] = hexadecimal
    .split("::")
    .map((groups) => (groups === "" ? [] : groups.split(":")));
  const zeros = tail ? 8 - head.length - tail.length : 0;
  return [...head, ...Array<string>(zeros).fill("0"), ...(tail ?? [])].map((group) =>
    Number.parseInt(group, 16),
  );
}

const pair = (high: string | undefined, low: string | undefined) =>
  Number(high) * 256 + Number(low);
