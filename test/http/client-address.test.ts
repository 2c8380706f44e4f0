import { describe, expect, test } from "bun:test";
import { createClientAddress, gateKeyOf } from "#http/client-address.ts";
import { expectError } from "../support/error.ts";
import { startService } from "../support/service.ts";

/** The address that is counted for a socket address and its `X-Forwarded-For`. */
function counting(trustedProxies: readonly string[]) {
  const address = createClientAddress(trustedProxies);
  return (socket: string, forwarded: string | null) =>
    address(socket, new Headers(forwarded === null ? {} : { "x-forwarded-for": forwarded }));
}

describe("without trusted proxies", () => {
  const address = counting([]);

  test.each([
    ["203.0.113.7", null, "203.0.113.7"],
    ["203.0.113.7", "198.51.100.1", "203.0.113.7"],
    ["127.0.0.1", "198.51.100.1", "127.0.0.1"],
    ["::ffff:203.0.113.7", null, "203.0.113.7"],
    ["::FFFF:203.0.113.7", null, "203.0.113.7"],
    // 203 = cb, 0 = 00, 113 = 71, 7 = 07
    ["::ffff:cb00:7107", null, "203.0.113.7"],
    ["0:0:0:0:0:ffff:cb00:7107", null, "203.0.113.7"],
    ["0:0:0:0:0:ffff:203.0.113.7", null, "203.0.113.7"],
    ["0000:0000:0000:0000:0000:FFFF:CB00:7107", null, "203.0.113.7"],
  ])("the socket %s that forwards %s counts as %s", (socket, forwarded, expected) => {
    expect(address(socket, forwarded)).toBe(expected);
  });
});

describe("behind trusted proxies", () => {
  const address = counting(["10.0.0.0/8", "192.0.2.1", "2001:db8:1::/48", "::1"]);

  test.each([
    ["10.1.2.3", "203.0.113.7", "203.0.113.7", "what the proxy saw"],
    ["::ffff:10.1.2.3", "203.0.113.7", "203.0.113.7", "a proxy with a mapped address"],
    ["::1", "203.0.113.7", "203.0.113.7", "a proxy on the same machine"],
    ["2001:db8:1:2::3", "203.0.113.7", "203.0.113.7", "a proxy with an IPv6 address"],
    ["192.0.2.1", "203.0.113.7, 10.9.9.9", "203.0.113.7", "a chain of proxies"],
    ["10.1.2.3", " 203.0.113.7 ,10.9.9.9 ", "203.0.113.7", "spaces"],
    ["10.1.2.3", "1.1.1.1, 203.0.113.7", "203.0.113.7", "an address that the client forged"],
    ["10.1.2.3", "10.7.7.7, 203.0.113.7", "203.0.113.7", "a proxy's address that it forged"],
    ["10.1.2.3", "203.0.113.7:4711", "203.0.113.7", "a port"],
    ["10.1.2.3", "[2001:db8:2:3::4]:4711", "2001:db8:2:3::/64", "an IPv6 address with a port"],
    ["10.1.2.3", "::ffff:203.0.113.7", "203.0.113.7", "a mapped address"],
    ["10.1.2.3", "::ffff:cb00:7107", "203.0.113.7", "a mapped address in hexadecimal"],
    ["::ffff:a01:203", "203.0.113.7", "203.0.113.7", "a mapped proxy in hexadecimal"],
    ["10.1.2.3", "203.0.113.7,", "203.0.113.7", "a trailing comma"],
    ["10.1.2.3", "203.0.113.7, , 10.9.9.9,", "203.0.113.7", "empty elements"],
    ["10.1.2.3", ", ,", "10.1.2.3", "nothing but commas"],
    ["10.1.2.3", "unknown", "10.1.2.3", "no address at all"],
    ["10.1.2.3", "203.0.113.7, garbage", "10.1.2.3", "garbage next to the proxy"],
    ["10.1.2.3", "", "10.1.2.3", "an empty header"],
    ["10.1.2.3", null, "10.1.2.3", "no header"],
    ["10.1.2.3", "10.4.5.6", "10.4.5.6", "only proxies"],
    ["203.0.113.7", "198.51.100.1", "203.0.113.7", "an untrusted socket that claims to forward"],
    ["192.0.2.2", "198.51.100.1", "192.0.2.2", "a neighbour of the trusted address"],
  ])("the socket %s that forwards %s counts as %s: %s", (socket, forwarded, expected) => {
    expect(address(socket, forwarded)).toBe(expected);
  });
});

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["198.51.100.9, 203.0.113.7", "203.0.113.7"],
  ["203.0.113.7, 10.1.1.1", "203.0.113.7"],
  [null, ""],
])(
  "a Unix socket that forwards %s counts as %p, and is not trusted without that setting",
  (forwarded, expected) => {
    const headers = new Headers(forwarded === null ? {} : { "x-forwarded-for": forwarded });
    expect(createClientAddress(["10.0.0.0/8"], true)("", headers)).toBe(expected);
    expect(createClientAddress(["10.0.0.0/8"])("", headers)).toBe("");
    expect(createClientAddress([])("", headers)).toBe("");
  },
);

describe("an IPv6 address", () => {
  const address = counting([]);

  test("is counted with its /64", () => {
    const one = address("2001:db8:1:2:aaaa:bbbb:cccc:dddd", null);
    expect(address("2001:db8:1:2::1", null)).toBe(one);
    expect(address("2001:0DB8:0001:0002:0000::ffff", null)).toBe(one);
    expect(address("2001:db8:1:3::1", null)).not.toBe(one);
    expect(address("2001:db8:1::1", null)).not.toBe(one);
  });

  test("that is link-local loses its zone", () => {
    expect(address("fe80::1%eth0", null)).toBe(address("fe80::2", null));
  });

  test("of the short forms is read whole", () => {
    expect(address("::1", null)).toBe("0:0:0:0::/64");
    expect(address("1::", null)).toBe("1:0:0:0::/64");
    expect(address("::1:2:3:4:5", null)).toBe("0:0:0:1::/64");
  });
});

describe("a trusted proxy", () => {
  test.each([
    ..."10.0.0.0/33 10.0.0 example.com ::/129 10.0.0.0/ 10.0.0.0/x 10.0.0.0/-1".split(" "),
    "10.0.0.0/8/8",
  ])("%s is refused with an error that names the setting", async (entry) => {
    const error = await expectError(() => createClientAddress([entry]), "invalid_argument");
    expect(error.message).toContain("BOURSE_TRUSTED_PROXIES");
  });
});

test.each([
  ["127.0.0.1", "cross-site", "127.0.0.1 other sites"],
  ["127.1.2.3", "same-site", "127.1.2.3 other sites"],
  ["0:0:0:0::/64", "cross-site", "0:0:0:0::/64 other sites"],
  ["127.0.0.1", "same-origin", "127.0.0.1"],
  ["127.0.0.1", "none", "127.0.0.1"],
  ["127.0.0.1", null, "127.0.0.1"],
  // Another address can write the header itself, and would get twice the requests.
  ["203.0.113.7", "cross-site", "203.0.113.7"],
  ["2001:db8:0:1::/64", "cross-site", "2001:db8:0:1::/64"],
])("the gate counts %s with the site %p by %s", (address, site, key) => {
  expect(gateKeyOf(address, new Headers(site === null ? {} : { "sec-fetch-site": site }))).toBe(
    key,
  );
});

describe("the gate", () => {
  test("counts the socket where the proxy is not trusted: a forged header changes nothing", async () => {
    const service = await startService({ sample: false, gatePerMinute: 2 });
    try {
      const statuses: number[] = [];
      for (const forwarded of ["1.1.1.1", "2.2.2.2", "3.3.3.3"]) {
        const headers = { "x-forwarded-for": forwarded };
        statuses.push((await service.request("/openapi.json", null, { headers })).status);
      }
      expect(statuses).toEqual([200, 200, 429]);
    } finally {
      await service.stop();
    }
  });

  test("counts each client behind a trusted proxy separately", async () => {
    const service = await startService({
      sample: false,
      gatePerMinute: 1,
      trustedProxies: "127.0.0.0/8",
    });
    try {
      const status = async (forwarded: string) =>
        (
          await service.request("/openapi.json", null, {
            headers: { "x-forwarded-for": forwarded },
          })
        ).status;
      expect(await status("1.1.1.1")).toBe(200);
      expect(await status("2.2.2.2")).toBe(200);
      expect(await status("1.1.1.1")).toBe(429);
      expect(await status("9.9.9.9, 1.1.1.1")).toBe(429);
      expect(await status("2001:db8::1")).toBe(200);
      expect(await status("2001:db8::ffff:1")).toBe(429);
    } finally {
      await service.stop();
    }
  });
});
