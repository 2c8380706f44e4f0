import { BlockList, isIP } from "node:net";
import { lazy } from "./lazy.ts";

/** IPv4 ranges that are not the public internet (IANA's special-purpose registry, multicast, reserved). */
const SPECIAL_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];
/** The public range of IPv6. Addresses that contain an IPv4 address are outside it or in `SPECIAL_IPV6`. */
const GLOBAL_IPV6 = "2000::/3";
/** Parts of that range that are special: Teredo and protocols, documentation, 6to4. */
const SPECIAL_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

/** True for an IP address that leads to the public internet, not to this machine or its networks. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !special().includes(address);
  if (version !== 6 || address.includes("%")) return false;
  return global().includes(address) && !special().includes(address);
}

/** Addresses and ranges of addresses. */
export class AddressRanges {
  readonly #list = new BlockList();

  /** @param entries each an entry that `isAddressRange` accepts */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const [address = "", bits] = entry.split("/");
      const family = isIP(address);
      const length = bits === undefined ? LENGTHS[family] : Number(bits);
      this.#list.addSubnet(address, length ?? 0, family === 4 ? "ipv4" : "ipv6");
    }
  }

  /** True for an IP address in one of the ranges. */
  includes(address: string): boolean {
    return this.#list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
  }
}

/** The bits of an address by its version. */
const LENGTHS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/** True for an IP address (`192.0.2.1`) and for a range in CIDR notation (`10.0.0.0/8`). */
export function isAddressRange(entry: string): boolean {
  const [address = "", bits = "0", ...more] = entry.split("/");
  const most = LENGTHS[isIP(address)] ?? -1;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= most && more.length === 0;
}

const special = lazy(() => new AddressRanges([...SPECIAL_IPV4, ...SPECIAL_IPV6]));
const global = lazy(() => new AddressRanges([GLOBAL_IPV6]));
