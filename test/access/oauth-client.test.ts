import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseDocument, parseRegistration } from "#access/oauth-client.ts";
import { OAuthError } from "#access/oauth-error.ts";
import { openTestAccess } from "../support/access.ts";

const CALLBACK = "https://client.example/callback";
const URL_ID = "https://client.example/client.json";

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof OAuthError) return error.code;
    throw error;
  }
  return "accepted";
}

describe("a registration", () => {
  test("has a name and redirect URIs", () => {
    const { name, redirectUris } = parseRegistration({
      client_name: "Claude",
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "client_secret_post",
      logo_uri: "https://client.example/logo.png",
    });
    expect(name).toBe("Claude");
    expect(redirectUris).toEqual([CALLBACK]);
  });

  test.each([
    [null, "invalid_client_metadata"],
    [[], "invalid_client_metadata"],
    ["text", "invalid_client_metadata"],
    [{}, "invalid_client_metadata"],
    [{ redirect_uris: [] }, "invalid_client_metadata"],
    [{ redirect_uris: CALLBACK }, "invalid_client_metadata"],
    [{ redirect_uris: [1] }, "invalid_client_metadata"],
    [{ redirect_uris: Array(21).fill(CALLBACK) }, "invalid_client_metadata"],
    [{ redirect_uris: [CALLBACK], grant_types: ["implicit"] }, "invalid_client_metadata"],
    [{ redirect_uris: [CALLBACK], response_types: ["token"] }, "invalid_client_metadata"],
    [{ redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
    [{ redirect_uris: [CALLBACK, "http://evil.example/"] }, "invalid_redirect_uri"],
  ])("is refused: %j", (body, code) => {
    expect(codeOf(() => parseRegistration(body))).toBe(code);
  });

  test("names the URI that is not allowed, in the characters of RFC 6749", () => {
    expect(() => parseRegistration({ redirect_uris: ['http://evil.example/"\\é'] })).toThrow(
      "http://evil.example/??? is not an absolute URL.",
    );
  });

  test.each([
    ["  My\u0000 client\n", "My client"],
    // Right-to-left override: a name that shows "cod.exe" as "exe.doc".
    ["\u202eexe.doc", "exe.doc"],
    ["<b>Claude</b>", "Claude"],
    ["x".repeat(100), "x".repeat(64)],
    ["\u200b\u202e", "Unnamed client"],
    [undefined, "Unnamed client"],
    [7, "Unnamed client"],
  ])("shows the name %j as %j", (name, shown) => {
    expect(parseRegistration({ client_name: name, redirect_uris: [CALLBACK] }).name).toBe(shown);
  });
});

test("every name is a label that a token can have", () => {
  using service = openTestAccess();
  service.accounts.addUser("alice", "unlimited");
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 80 }), (client_name) => {
      const { name } = parseRegistration({ client_name, redirect_uris: [CALLBACK] });
      expect(name).not.toBe("");
      service.accounts.createToken("alice", name, 1);
      service.time.now += 1;
    }),
  );
});

describe("a metadata document", () => {
  const parse = (more: object) =>
    parseDocument(URL_ID, { client_id: URL_ID, redirect_uris: [CALLBACK], ...more });

  test("is the client of its URL", () => {
    expect(parse({ client_name: "Example" })).toEqual({
      id: URL_ID,
      name: "Example",
      redirectUris: [CALLBACK],
    });
    expect(parse({}).name).toBe("client.example");
  });

  test("leaves out the redirect URIs that we do not allow", () => {
    const redirect_uris = ["cursor://x/callback", CALLBACK, "http://evil.example/"];
    expect(parse({ redirect_uris }).redirectUris).toEqual([CALLBACK]);
    expect(codeOf(() => parse({ redirect_uris: ["cursor://x/callback"] }))).toBe(
      "invalid_client_metadata",
    );
  });

  test.each([
    { client_id: "https://client.example/other.json" },
    { client_id: `${URL_ID}/` },
    { client_id: undefined },
    { redirect_uris: undefined },
    { token_endpoint_auth_method: "client_secret_basic" },
    { token_endpoint_auth_method: "private_key_jwt" },
  ])("is refused with %j", (more) => {
    expect(codeOf(() => parse(more))).toBe("invalid_client_metadata");
  });

  // The document of ChatGPT, as several servers report it in 2026.
  test("may prefer a signed assertion if it supports none", () => {
    const { name } = parse({
      client_name: "ChatGPT",
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
      jwks_uri: "https://client.example/jwks.json",
    });
    expect(name).toBe("ChatGPT");
  });
});
