import { describe, expect, test } from "bun:test";
import {
  addParameters,
  findRedirectFault,
  isRegistered,
  redirectHost,
} from "#access/oauth-redirect.ts";

describe("a redirect URI", () => {
  test.each([
    "https://claude.ai/api/mcp/auth_callback",
    "https://chatgpt.com/connector/oauth/abc?x=1",
    "https://client.example:8443/callback",
    "http://localhost:33418/callback",
    "http://127.0.0.1/callback",
    "http://[::1]:8080/",
  ])("may be %s", (uri) => {
    expect(findRedirectFault(uri)).toBeNull();
  });

  test.each([
    "",
    "/callback",
    "https:client.example/callback",
    "https:/client.example/callback",
    "https:\\\\client.example/callback",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "cursor://anysphere.cursor-retrieval/callback",
    "http://claude.ai/callback",
    "http://localhost.evil.example/callback",
    "http://127.0.0.1.evil.example/",
    "http://127.0.0.2/",
    "http://0.0.0.0/",
    "https://client.example/callback#fragment",
    "https://client.example/callback#",
    "https://claude.ai@evil.example/",
    "https://user:secret@client.example/",
    "https://client.example/\ncallback",
    " https://client.example/",
    "https://client.example/café",
    `https://client.example/${"a".repeat(1_000)}`,
  ])("may not be %j", (uri) => {
    expect(findRedirectFault(uri)).not.toBeNull();
  });

  test("must be registered exactly", () => {
    const registered = ["https://client.example/callback"];
    expect(isRegistered(registered, "https://client.example/callback")).toBe(true);
    for (const other of [
      "https://client.example/callback/",
      "https://client.example/callback?x=1",
      "https://client.example:8443/callback",
      "https://client.example/",
      "https://client.example.evil.example/callback",
      "http://client.example/callback",
      "https://CLIENT.example/callback",
    ]) {
      expect(isRegistered(registered, other)).toBe(false);
    }
  });

  // RFC 8252, section 7.3: the port of a loopback redirect is chosen at the time of the request.
  test("of this computer may have another port, but no other path, name or scheme", () => {
    const registered = ["http://localhost/callback", "http://127.0.0.1:1234/callback"];
    expect(isRegistered(registered, "http://localhost:50123/callback")).toBe(true);
    expect(isRegistered(registered, "http://127.0.0.1/callback")).toBe(true);
    expect(isRegistered(registered, "http://[::1]:50123/callback")).toBe(false);
    expect(isRegistered(registered, "http://localhost:50123/other")).toBe(false);
    expect(isRegistered(registered, "https://localhost:50123/callback")).toBe(false);
    expect(isRegistered(["https://localhost/callback"], "https://localhost:1/callback")).toBe(
      false,
    );
  });

  test("shows the host that gets the code", () => {
    expect(redirectHost("https://claude.ai/api/mcp/auth_callback")).toBe("claude.ai");
    expect(redirectHost("https://client.example:8443/callback")).toBe("client.example:8443");
    // U+0430 is the Cyrillic letter that looks like a.
    expect(redirectHost("https://cl\u0430ude.ai/")).toStartWith("xn--");
    expect(redirectHost("http://127.0.0.1:5000/")).toBeNull();
    expect(redirectHost("https://localhost/")).toBeNull();
  });

  test("keeps its query", () => {
    expect(addParameters("https://a.example/x?q=a%20b", { code: "1", state: "ä&b" })).toBe(
      "https://a.example/x?q=a%20b&code=1&state=%C3%A4%26b",
    );
    expect(addParameters("https://a.example/x", { code: "1" })).toBe("https://a.example/x?code=1");
  });
});
