import { describe, expect, test } from "bun:test";
import { isPublicAddress } from "#lib/public-address.ts";

describe("an address", () => {
  test.each([
    ..."1.1.1.1 8.8.8.8 172.15.255.255 172.32.0.1 192.167.255.255 223.255.255.255".split(" "),
    ..."2606:4700:4700::1111 2a00:1450:4001:81b::200e".split(" "),
  ])("is public: %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  // https://www.iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry
  test.each([
    // this host, loopback, private, shared, link-local (with the metadata service of clouds)
    "0.0.0.0",
    "127.0.0.1",
    "127.255.255.254",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.169.254",
    // protocols, documentation, benchmarks, multicast, reserved, broadcast
    "192.0.0.170",
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    // IPv6: unspecified, loopback, link-local, unique local, multicast
    "::",
    "::1",
    "0:0:0:0:0:0:0:1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12:3456:789a::1",
    "ff02::1",
    // IPv4 within IPv6: mapped, compatible, NAT64, 6to4, Teredo
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
    "2001:db8::1",
    "3fff::1",
    // no addresses
    "",
    "localhost",
    "127.1",
    "0x7f000001",
    "2130706433",
    "017700000001",
    "[::1]",
    "1.1.1.1:443",
  ])("is not public: %j", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
