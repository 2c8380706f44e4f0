import { BlockList, isIP } from "node:net";

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

const special = createList([...SPECIAL_IPV4, ...SPECIAL_IPV6]);
const global = createList([GLOBAL_IPV6]);

/** True for an IP address that leads to the public internet, not to this machine or its networks. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !special.check(address, "ipv4");
  if (version !== 6 || address.includes("%")) return false;
  return global.check(address, "ipv6") && !special.check(address, "ipv6");
}

function createList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? "ipv4" : "ipv6");
  }
  return list;
}
