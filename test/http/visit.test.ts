import { describe, expect, test } from "bun:test";
import { TrustedProxies } from "#http/client-address.ts";
import { readVisit, refuseCrossOrigin, type VisitSettings } from "#http/visit.ts";
import { expectError } from "../support/error.ts";

const DEFAULTS: VisitSettings = {
  host: "127.0.0.1",
  publicUrl: null,
  insecureSignIn: false,
  proxies: new TrustedProxies([]),
  signInProxy: null,
};
const PROXY = new TrustedProxies(["172.18.0.2"]);

/** A request with that `Host` from that socket. */
function visit(
  host: string,
  socketAddress = "127.0.0.1",
  options: {
    headers?: Record<string, string>;
    settings?: Partial<VisitSettings>;
    method?: string;
  } = {},
) {
  const { headers, settings, method = "GET" } = options;
  const request = new Request(`http://${host}/console?a=1`, {
    method,
    headers: { host, ...headers },
  });
  return readVisit(request, "/console", socketAddress, { ...DEFAULTS, ...settings });
}

describe("the Host header (DNS rebinding)", () => {
  test.each([
    ["localhost"],
    ["localhost:8787"],
    ["LOCALHOST:8787"],
    ["console.localhost:8787"],
    ["127.0.0.1:9000"],
    ["[::1]:8787"],
    ["192.168.1.5:8787"],
    ["[2001:db8::5]:8787"],
  ])("%s is known", (host) => {
    expect(visit(host).path).toBe("/console");
  });

  test.each([
    ["evil.example"],
    ["evil.example:8787"],
    ["localhost.evil.example"],
    ["127.0.0.1.evil.example"],
    ["evillocalhost"],
    ["localhost."],
    ["0x7f.1"],
    ["2130706433"],
    ["nas:8787"],
  ])("%s is refused with the setting to change", async (host) => {
    const error = await expectError(() => visit(host), "forbidden");
    expect(error.message).toContain("BOURSE_PUBLIC_URL");
  });

  test.each([[""], ["localhost/a"], ["user@localhost"], ["localhost, evil.example"], ["[::1"]])(
    "%j is not a host and is refused",
    async (host) => {
      const request = { url: "/console", method: "GET", headers: new Headers({ host }) } as Request;
      await expectError(() => readVisit(request, "/console", "127.0.0.1", DEFAULTS), "forbidden");
    },
  );

  test("the names of BOURSE_HOST and BOURSE_PUBLIC_URL are known", async () => {
    expect(visit("nas:8787", "127.0.0.1", { settings: { host: "NAS" } }).url).toBe(
      "http://nas:8787",
    );
    const settings = { publicUrl: "https://data.example.com" };
    expect(visit("data.example.com", "10.0.0.9", { settings }).url).toBe(settings.publicUrl);
    await expectError(() => visit("example.com", "10.0.0.9", { settings }), "forbidden");
  });
});

describe("sign-in over plain http", () => {
  test.each([
    ["localhost:8787", "127.0.0.1"],
    ["127.0.0.1:8787", "::ffff:127.0.0.1"],
    ["[::1]:8787", "::1"],
  ])("is allowed on this machine: %s from %s", (host, socketAddress) => {
    expect(visit(host, socketAddress)).toMatchObject({ isSecure: false, signInRefused: null });
  });

  test.each([
    // The name of this machine, but the request came over a network.
    ["localhost:8787", "172.17.0.1", {}, "Docker"],
    ["192.168.1.5:8787", "192.168.1.9", {}, "others in the network could read it"],
    ["192.168.1.5:8787", "127.0.0.1", {}, "others in the network could read it"],
    // A proxy on this machine forwards a request from elsewhere.
    ["localhost:8787", "127.0.0.1", { "x-forwarded-for": "203.0.113.7" }, "BOURSE_TRUSTED_PROXIES"],
    ["localhost:8787", "127.0.0.1", { "x-forwarded-proto": "https" }, "BOURSE_TRUSTED_PROXIES"],
    ["localhost:8787", "127.0.0.1", { via: "1.1 proxy" }, "BOURSE_PUBLIC_URL"],
  ])(
    "is refused for %s from %s with %j, in one sentence",
    (host, socketAddress, headers, words) => {
      const { isSecure, signInRefused } = visit(host, socketAddress, { headers });
      expect(isSecure).toBe(false);
      expect(signInRefused).toContain(words);
      expect(signInRefused).not.toContain("\n");
    },
  );

  test("is allowed everywhere by BOURSE_INSECURE_SIGN_IN", () => {
    const settings = { insecureSignIn: true };
    expect(visit("localhost:8787", "172.17.0.1", { settings }).signInRefused).toBeNull();
    expect(visit("192.168.1.5", "192.168.1.9", { settings }).isSecure).toBe(false);
  });
});

describe("https", () => {
  const from = (headers: Record<string, string>, proxies = PROXY) =>
    visit("192.168.1.5", "172.18.0.2", { headers, settings: { proxies } });

  test("is known by the header of a trusted proxy", () => {
    const { isSecure, signInRefused, address, url } = from({
      "x-forwarded-proto": "https",
      "x-forwarded-for": "203.0.113.7",
    });
    expect({ isSecure, signInRefused, address, url }).toEqual({
      isSecure: true,
      signInRefused: null,
      address: "203.0.113.7",
      url: "https://192.168.1.5",
    });
  });

  test.each([["http"], ["http, https"], ["https, http"], ["HTTPSX"], [""]])(
    "is not meant by X-Forwarded-Proto: %s",
    (protocol) => {
      const { isSecure, signInRefused } = from({ "x-forwarded-proto": protocol });
      expect(isSecure).toBe(false);
      expect(signInRefused).toContain("X-Forwarded-Proto: https");
    },
  );

  test("is not believed from a proxy that is not trusted", () => {
    const { isSecure, address } = from(
      { "x-forwarded-proto": "https", "x-forwarded-for": "127.0.0.1" },
      new TrustedProxies([]),
    );
    expect({ isSecure, address }).toEqual({ isSecure: false, address: "172.18.0.2" });
  });

  test("is known by the https URL of BOURSE_PUBLIC_URL, with its port only", () => {
    const settings = { publicUrl: "https://data.example.com" };
    const isSecure = (host: string) => visit(host, "10.0.0.9", { settings }).isSecure;
    expect(isSecure("data.example.com")).toBe(true);
    expect(isSecure("data.example.com:443")).toBe(true);
    // The port of the service itself, which is plain http.
    expect(isSecure("data.example.com:8787")).toBe(false);
    expect(isSecure("localhost")).toBe(false);
  });

  test("is not known by a public URL if a trusted proxy says http", () => {
    const settings = { publicUrl: "https://data.example.com", proxies: PROXY };
    const headers = { "x-forwarded-proto": "http" };
    expect(visit("data.example.com", "172.18.0.2", { headers, settings }).isSecure).toBe(false);
  });
});

describe("a request of another origin", () => {
  const OWN = "http://localhost:8787";
  const allowed: [string, Record<string, string>][] = [
    ["GET", {}],
    ["GET", { "sec-fetch-site": "same-origin" }],
    ["GET", { "sec-fetch-site": "none" }],
    ["HEAD", { "sec-fetch-site": "none" }],
    ["POST", { "sec-fetch-site": "same-origin" }],
    ["POST", { "sec-fetch-site": "same-origin", origin: OWN }],
    ["POST", { origin: OWN }],
    ["DELETE", { origin: OWN }],
  ];
  test.each(allowed)("is not %s with %j", (method, headers) => {
    refuseCrossOrigin(visit("localhost:8787", "127.0.0.1", { method, headers }));
  });

  const refused: [string, Record<string, string>][] = [
    ["GET", { "sec-fetch-site": "cross-site" }],
    // Another port of this machine is the same site, and gets the cookie.
    ["GET", { "sec-fetch-site": "same-site" }],
    ["GET", { origin: "http://localhost:3000" }],
    ["POST", {}],
    ["POST", { "sec-fetch-site": "none" }],
    ["POST", { "sec-fetch-site": "same-site" }],
    ["POST", { "sec-fetch-site": "cross-site", origin: OWN }],
    ["POST", { "sec-fetch-site": "same-origin, cross-site" }],
    ["POST", { "sec-fetch-site": "SAME-ORIGIN" }],
    ["POST", { "sec-fetch-site": "same-origin", origin: "http://evil.example" }],
    ["POST", { origin: "null" }],
    ["POST", { origin: "http://localhost" }],
    ["POST", { origin: "http://localhost:8787.evil.example" }],
    ["DELETE", { origin: "http://evil.example" }],
  ];
  // A page of plain http can be one that a stranger in the network has replaced.
  test("is the same host over plain http, for a connection by https", async () => {
    const settings = { publicUrl: "https://data.example.com" };
    const from = (origin: string) => {
      const headers = { "sec-fetch-site": "same-origin", origin };
      const secure = visit("data.example.com", "127.0.0.1", { method: "POST", headers, settings });
      expect(secure.isSecure).toBe(true);
      refuseCrossOrigin(secure);
    };
    from(settings.publicUrl);
    await expectError(() => from("http://data.example.com"), "forbidden");
  });

  test.each(refused)("is %s with %j", async (method, headers) => {
    await expectError(
      () => refuseCrossOrigin(visit("localhost:8787", "127.0.0.1", { method, headers })),
      "forbidden",
    );
  });
});

describe("the header of a proxy that signs users in", () => {
  const proxies = new TrustedProxies(["172.18.0.2", "fd00::/64"], true);
  const settings = { signInProxy: { header: "remote-user", proxies }, proxies: PROXY };
  const userFrom = (socketAddress: string, headers: Record<string, string>) =>
    visit("127.0.0.1", socketAddress, { headers, settings }).proxyUser;

  test.each([["172.18.0.2"], ["::ffff:172.18.0.2"], ["fd00::7"], [""]])(
    "counts from %j",
    (address) => {
      expect(userFrom(address, { "Remote-User": " anna " })).toBe("anna");
      expect(userFrom(address, { "Remote-User": "" })).toBeNull();
      expect(userFrom(address, { "X-Remote-User": "anna" })).toBeNull();
    },
  );

  test.each([["172.18.0.3"], ["127.0.0.1"], ["fd00:0:0:1::1"]])("does not from %s", (address) => {
    const headers = { "Remote-User": "anna", "X-Forwarded-For": "172.18.0.2", Via: "172.18.0.2" };
    expect(userFrom(address, headers)).toBeNull();
  });
});
