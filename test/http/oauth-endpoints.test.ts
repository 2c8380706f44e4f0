import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startService, type TestService } from "../support/service.ts";
import { PUBLIC_URL, RESOURCE, startOAuthService } from "../support/oauth-service.ts";

const CALLBACK = "https://client.example/callback";
const DOCUMENT_URL = "https://client.example/oauth/client.json";
// RFC 7636, appendix B.
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

const service = await startOAuthService();
service.accounts.addUser("alice", "pro");
afterAll(() => service.stop());

const json = { "content-type": "application/json" };
const register = (body: unknown) =>
  service.fetch(`${PUBLIC_URL}/oauth/register`, {
    method: "POST",
    headers: json,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

async function registerClient(name = "Example"): Promise<string> {
  service.time.now += 60_000;
  const response = await register({ client_name: name, redirect_uris: [CALLBACK] });
  return ((await response.json()) as { client_id: string }).client_id;
}

const post = (path: string, form: Record<string, string>) =>
  service.fetch(PUBLIC_URL + path, { method: "POST", body: new URLSearchParams(form) });

function authorizationUrl(clientId: string, more: Record<string, string> = {}): URL {
  const url = new URL(`${PUBLIC_URL}/oauth/authorize`);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    state: "xyz",
    resource: RESOURCE,
    ...more,
  }).toString();
  return url;
}

async function allow(clientId: string): Promise<string> {
  const browser = await service.openBrowser("alice");
  const { back } = await browser.allow(authorizationUrl(clientId));
  return back.searchParams.get("code") ?? "";
}

const exchange = (clientId: string, code: string, more: Record<string, string> = {}) =>
  post("/oauth/token", {
    grant_type: "authorization_code",
    client_id: clientId,
    code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    resource: RESOURCE,
    ...more,
  });

async function errorOf(response: Response): Promise<[number, string]> {
  const body = (await response.json()) as { error: string; error_description: string };
  // RFC 6749, section 5.2: printable ASCII without quotes and backslashes.
  expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(response.headers.get("cache-control")).toBe("no-store");
  return [response.status, body.error];
}

describe("the metadata", () => {
  test("of the resource is at the root and with the path of MCP (RFC 9728)", async () => {
    for (const path of ["", "/api/v1/svc/mcp"]) {
      const url = `${PUBLIC_URL}/.well-known/oauth-protected-resource${path}`;
      const response = await service.fetch(url);
      expect(response.headers.get("content-type")).toContain("application/json");
      expect(await response.json()).toEqual({
        resource: RESOURCE,
        authorization_servers: [PUBLIC_URL],
        scopes_supported: ["read", "lists:read", "lists:write", "alerts:write"],
        bearer_methods_supported: ["header"],
        resource_name: "bourse markets data",
      });
    }
  });

  test("of the authorization server names its endpoints (RFC 8414)", async () => {
    const response = await service.fetch(`${PUBLIC_URL}/.well-known/oauth-authorization-server`);
    expect(await response.json()).toEqual({
      issuer: PUBLIC_URL,
      authorization_endpoint: `${PUBLIC_URL}/oauth/authorize`,
      token_endpoint: `${PUBLIC_URL}/oauth/token`,
      registration_endpoint: `${PUBLIC_URL}/oauth/register`,
      revocation_endpoint: `${PUBLIC_URL}/oauth/revoke`,
      scopes_supported: ["read", "lists:read", "lists:write", "alerts:write"],
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code"],
      token_endpoint_auth_methods_supported: ["none"],
      revocation_endpoint_auth_methods_supported: ["none"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
  });

  test("offers no metadata documents while the service cannot read them", async () => {
    const offline = await startOAuthService({}, { isOnline: false });
    offline.accounts.addUser("alice", "pro");
    const url = `${PUBLIC_URL}/.well-known/oauth-authorization-server`;
    const offers = async () =>
      ((await (await offline.fetch(url)).json()) as Record<string, unknown>)[
        "client_id_metadata_document_supported"
      ];
    expect(await offers()).toBe(true);
    const browser = await offline.openBrowser("alice");
    expect((await browser.open(authorizationUrl(DOCUMENT_URL))).response.status).toBe(400);
    expect(await offers()).toBe(false);
    await offline.stop();
  });

  test("does not follow the Host header", async () => {
    const url = `${service.origin}/.well-known/oauth-authorization-server`;
    const response = await fetch(url, { headers: { host: "evil.example" } });
    expect(await response.json()).toMatchObject({ issuer: PUBLIC_URL });
  });

  test("is named by the 401 of MCP, and only there", async () => {
    const end = `resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource/api/v1/svc/mcp", scope="read"`;
    const challengeOf = async (path: string, token: string | null) => {
      const method = path === "/mcp" ? "POST" : "GET";
      const response = await service.request(path, token, { method });
      expect(response.status).toBe(401);
      return response.headers.get("www-authenticate");
    };
    expect(await challengeOf("/mcp", null)).toBe(`Bearer realm="bourse", ${end}`);
    expect(await challengeOf("/mcp", "wrong")).toBe(
      `Bearer realm="bourse", error="invalid_token", ${end}`,
    );
    expect(await challengeOf("/data/markets", null)).toBe('Bearer realm="bourse"');
  });
});

describe("without an https public URL", () => {
  let plain: TestService;
  beforeAll(async () => {
    plain = await startService({
      sample: false,
      env: { BOURSE_PUBLIC_URL: "http://data.example.com" },
    });
  });
  afterAll(() => plain.stop());

  test("no path of OAuth exists, and the 401 is that of the contract", async () => {
    for (const path of [
      "/.well-known/oauth-protected-resource",
      "/.well-known/oauth-protected-resource/api/v1/svc/mcp",
      "/.well-known/oauth-authorization-server",
      "/oauth/authorize",
      "/oauth/token",
      "/oauth/register",
      "/oauth/revoke",
    ]) {
      const response = await fetch(plain.origin + path);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: "NOT_FOUND" } });
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
    }
    const refused = await plain.mcp(null, {});
    expect(refused.headers.get("www-authenticate")).toBe('Bearer realm="bourse"');
  });

  test.each(["/register", "/authorize?client_id=x", "/token"])(
    "a client that tries %s without metadata reads why",
    async (path) => {
      for (const method of ["GET", "POST"]) {
        const response = await fetch(plain.origin + path, { method });
        expect(response.status).toBe(404);
        expect(await response.json()).toEqual({
          error: "invalid_request",
          error_description: expect.stringContaining("There is no OAuth here."),
        });
      }
    },
  );
});

describe("every endpoint for programs", () => {
  test("allows scripts of any origin, without credentials", async () => {
    for (const [path, method] of [
      ["/.well-known/oauth-authorization-server", "GET"],
      ["/.well-known/oauth-protected-resource", "GET"],
      ["/oauth/token", "POST"],
      ["/oauth/register", "POST"],
      ["/oauth/revoke", "POST"],
    ] as const) {
      const url = PUBLIC_URL + path;
      const origin = "https://inspector.example";
      const preflight = await service.fetch(url, {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": method,
          "access-control-request-headers": "content-type,mcp-protocol-version",
        },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("access-control-allow-methods")).toContain(method);
      const response = await service.fetch(url, { method, headers: { origin } });
      for (const { headers } of [preflight, response]) {
        expect(headers.get("access-control-allow-origin")).toBe("*");
        expect(headers.get("access-control-allow-credentials")).toBeNull();
      }
    }
  });

  test("names its method", async () => {
    for (const [path, method, allowed] of [
      ["/oauth/token", "GET", "POST"],
      ["/oauth/register", "DELETE", "POST"],
      ["/oauth/revoke", "PUT", "POST"],
      ["/oauth/authorize", "POST", "GET, HEAD"],
      ["/.well-known/oauth-authorization-server", "POST", "GET, HEAD"],
    ] as const) {
      const response = await service.fetch(PUBLIC_URL + path, { method });
      expect(response.headers.get("allow")).toBe(allowed);
      expect(await errorOf(response)).toEqual([405, "invalid_request"]);
    }
  });

  test("answers HEAD as GET, without a body", async () => {
    for (const path of ["/oauth/authorize", "/.well-known/oauth-authorization-server"]) {
      const [get, head] = await Promise.all(
        ["GET", "HEAD"].map((method) => service.fetch(PUBLIC_URL + path, { method })),
      );
      expect([head?.status, await head?.text()]).toEqual([get?.status, ""]);
      expect(head?.headers.get("content-type") ?? "").toBe(get?.headers.get("content-type") ?? "");
    }
  });

  test("sets no cookie", async () => {
    for (const path of ["/oauth/authorize?x=1", "/.well-known/oauth-authorization-server"]) {
      const response = await service.fetch(PUBLIC_URL + path);
      expect(response.headers.get("set-cookie")).toBeNull();
    }
  });
});

describe("the authorization endpoint", () => {
  test("leads to the consent page of this host with the query as it is", async () => {
    const query =
      "?client_id=a%20b&redirect_uri=https%3A%2F%2Fevil.example%2F&x=%0d%0aSet-Cookie:y";
    const response = await service.fetch(`${PUBLIC_URL}/oauth/authorize${query}`);
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe(`/console/connect${query}`);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("leads to no other address, whatever the request says", async () => {
    for (const query of [
      "",
      "?redirect_uri=https://evil.example/",
      "?error=x",
      "?//evil.example",
    ]) {
      const response = await service.fetch(`${PUBLIC_URL}/oauth/authorize${query}`);
      const location = new URL(response.headers.get("location") ?? "", PUBLIC_URL);
      expect(location.origin + location.pathname).toBe(`${PUBLIC_URL}/console/connect`);
    }
  });

  test("refuses a query that is too long", async () => {
    const url = `${PUBLIC_URL}/oauth/authorize?state=${"x".repeat(8_000)}`;
    expect(await errorOf(await service.fetch(url))).toEqual([400, "invalid_request"]);
  });
});

describe("the consent", () => {
  test("needs a session and a page of this origin", async () => {
    const clientId = await registerClient();
    const { search } = authorizationUrl(clientId);
    const asked = await fetch(`${service.origin}/console/api/oauth/request${search}`);
    expect(asked.status).toBe(401);
    const decide = (headers: Record<string, string>) =>
      fetch(`${service.origin}/console/api/oauth/consent`, {
        method: "POST",
        headers: { ...json, ...headers },
        body: JSON.stringify({ query: search, allow: true }),
      });
    expect((await decide({ "sec-fetch-site": "same-origin" })).status).toBe(401);
    expect((await decide({ "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await decide({ "sec-fetch-site": "same-site" })).status).toBe(403);
    expect((await decide({ origin: "https://evil.example" })).status).toBe(403);
    expect((await decide({})).status).toBe(403);
  });

  test("shows the fault of a request in one sentence and leads nowhere", async () => {
    const clientId = await registerClient();
    const browser = await service.openBrowser("alice");
    for (const [url, sentence] of [
      [
        authorizationUrl("unknown"),
        "The client is not registered here. Remove this service in the client and add it again.",
      ],
      [
        authorizationUrl(clientId, { redirect_uri: "https://evil.example/" }),
        "redirect_uri is not one that the client registered.",
      ],
      [
        authorizationUrl(DOCUMENT_URL),
        "The description of the client cannot be read from client.example: the answer is 404, not 200.",
      ],
    ] as const) {
      const { response } = await browser.open(url);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { code: "INVALID_REQUEST", message: sentence },
      });
    }
  });

  test("is not stored by caches", async () => {
    const browser = await service.openBrowser("alice");
    const { response } = await browser.open(authorizationUrl(await registerClient()));
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("the token endpoint", () => {
  test("exchanges a code for a token of the user", async () => {
    const clientId = await registerClient();
    const response = await exchange(clientId, await allow(clientId));
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const token = (await response.json()) as Record<string, unknown>;
    expect(token).toEqual({
      access_token: expect.stringMatching(/^bourse_\w{39}$/),
      token_type: "Bearer",
      expires_in: 7_776_000,
      scope: "read",
    });
    const used = await service.request("/data/markets", String(token["access_token"]));
    expect(used.status).toBe(200);
  });

  test("refuses a replay, and the token of the first use ends", async () => {
    const clientId = await registerClient();
    const code = await allow(clientId);
    const { access_token: token } = (await (await exchange(clientId, code)).json()) as {
      access_token: string;
    };
    expect((await service.request("/data/markets", token)).status).toBe(200);
    expect(await errorOf(await exchange(clientId, code))).toEqual([400, "invalid_grant"]);
    expect((await service.request("/data/markets", token)).status).toBe(401);
  });

  test("exchanges a code once even if it is sent many times at once", async () => {
    const clientId = await registerClient();
    const code = await allow(clientId);
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(clientId, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("refuses another client, verifier, redirect URI or resource", async () => {
    const other = await registerClient("Other");
    const clientId = await registerClient();
    for (const [more, code] of [
      [{ client_id: other }, "invalid_grant"],
      [{ code_verifier: `${VERIFIER}x` }, "invalid_grant"],
      [{ redirect_uri: "https://evil.example/" }, "invalid_grant"],
      [{ resource: "https://other.example/mcp" }, "invalid_target"],
    ] as const) {
      const answer = await exchange(clientId, await allow(clientId), more);
      expect(await errorOf(answer)).toEqual([400, code]);
    }
  });

  test("reads forms only", async () => {
    const send = (type: string, body: string) =>
      service.fetch(`${PUBLIC_URL}/oauth/token`, {
        method: "POST",
        headers: { "content-type": type },
        body,
      });
    const form = "application/x-www-form-urlencoded";
    expect(await errorOf(await send("application/json", "{}"))).toEqual([400, "invalid_request"]);
    expect(await errorOf(await send(form, ""))).toEqual([400, "invalid_request"]);
    expect(await errorOf(await send(form, "grant_type=password"))).toEqual([
      400,
      "unsupported_grant_type",
    ]);
    expect(await errorOf(await send(form, `code=${"x".repeat(40_000)}`))).toEqual([
      413,
      "invalid_request",
    ]);
  });

  test("says 503 while another process locks the access file, and the code stays", async () => {
    const clientId = await registerClient();
    const code = await allow(clientId);
    const other = new Database(`${service.folder}/access.db`);
    other.run("BEGIN IMMEDIATE");
    const refused = await exchange(clientId, code);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(await errorOf(refused)).toEqual([503, "server_error"]);
    other.run("ROLLBACK");
    other.close();
    expect((await exchange(clientId, code)).status).toBe(200);
  });

  test("logs no code and no token", async () => {
    const clientId = await registerClient();
    const code = await allow(clientId);
    const answer = (await (await exchange(clientId, code)).json()) as { access_token: string };
    await exchange(clientId, code);
    const log = service.logLines.join("\n");
    expect(log).not.toContain(code);
    expect(log).not.toContain(answer.access_token);
  });
});

describe("registration", () => {
  test("returns a public client (RFC 7591)", async () => {
    service.time.now += 60_000;
    const response = await register({
      client_name: "Claude",
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: "client_secret_basic",
      scope: "claudeai",
    });
    expect(response.status).toBe(201);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toEqual({
      client_id: expect.stringMatching(/^[\w-]{43}$/),
      client_id_issued_at: Math.floor(service.time.now / 1000),
      client_name: "Claude",
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    });
  });

  test.each<[unknown, number, string]>([
    ["", 400, "invalid_client_metadata"],
    ["{", 400, "invalid_client_metadata"],
    [[], 400, "invalid_client_metadata"],
    ["[".repeat(30_000), 400, "invalid_client_metadata"],
    [{ redirect_uris: [] }, 400, "invalid_client_metadata"],
    [{ redirect_uris: ["javascript:alert(1)"] }, 400, "invalid_redirect_uri"],
    [{ redirect_uris: ["http://evil.example/"] }, 400, "invalid_redirect_uri"],
    [{ redirect_uris: [`${CALLBACK}#x`] }, 400, "invalid_redirect_uri"],
    ["x".repeat(40_000), 413, "invalid_request"],
  ])("refuses %p", async (body, status, code) => {
    service.time.now += 60_000;
    expect(await errorOf(await register(body))).toEqual([status, code]);
  });

  test("is limited to 10 a minute from one address", async () => {
    service.time.now += 60_000;
    const statuses: number[] = [];
    for (let count = 0; count < 11; count++) {
      statuses.push((await register({ redirect_uris: [CALLBACK] })).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(201), 429]);
    const refused = await register({ redirect_uris: [CALLBACK] });
    // The test's clock is at the beginning of a minute.
    expect(refused.headers.get("retry-after")).toBe("60");
    service.time.now += 60_000;
    expect((await register({ redirect_uris: [CALLBACK] })).status).toBe(201);
  });
});

describe("revocation", () => {
  test("ends a client's token, and answers 200 for any other (RFC 7009)", async () => {
    const clientId = await registerClient();
    const answer = await exchange(clientId, await allow(clientId));
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const wrong = await post("/oauth/revoke", { token, client_id: "mixed-up" });
    expect(await errorOf(wrong)).toEqual([400, "invalid_request"]);
    expect((await post("/oauth/revoke", { token, client_id: clientId })).status).toBe(200);
    expect((await service.request("/data/markets", token)).status).toBe(401);
    expect((await post("/oauth/revoke", { token, client_id: clientId })).status).toBe(200);
    expect((await post("/oauth/revoke", { token: "unknown" })).status).toBe(200);
    expect(await errorOf(await post("/oauth/revoke", {}))).toEqual([400, "invalid_request"]);
  });
});
