import { afterAll, describe, expect, test } from "bun:test";
import * as next from "@modelcontextprotocol/client";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { PUBLIC_URL, RESOURCE, startOAuthService } from "../support/oauth-service.ts";

// From the 401 to `tools/call` with both official clients, in both ways of registration.

const CALLBACK = "https://client.example/callback";
const DOCUMENT_URL = "https://client.example/oauth/client.json";
const METADATA = { client_name: "Example", redirect_uris: [CALLBACK] };

const service = await startOAuthService({
  [DOCUMENT_URL]: { client_id: DOCUMENT_URL, ...METADATA },
});
for (const user of ["alice", "bob", "carol", "dave"]) service.accounts.addUser(user, "pro");
afterAll(() => service.stop());

/** Keeps what a client keeps; it satisfies the interfaces of both versions. */
class MemoryProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = METADATA;
  readonly clientMetadataUrl: string | undefined;
  opened: URL | null = null;
  #client: unknown;
  #tokens: unknown;
  #verifier = "";
  #discovery: unknown;

  constructor(clientMetadataUrl?: string) {
    this.clientMetadataUrl = clientMetadataUrl;
  }

  state = () => "state-1";
  clientInformation = () => this.#client as never;
  saveClientInformation = (information: unknown) => void (this.#client = information);
  tokens = () => this.#tokens as never;
  saveTokens = (tokens: unknown) => void (this.#tokens = tokens);
  codeVerifier = () => this.#verifier;
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  discoveryState = () => this.#discovery as never;
  saveDiscoveryState = (state: unknown) => void (this.#discovery = state);
  redirectToAuthorization = (url: URL) => void (this.opened = url);
}

const nameOf = (work: Promise<unknown>) =>
  work.then(
    () => "connected",
    (error: unknown) => (error as Error).constructor.name,
  );

describe.each([
  ["registration", undefined, "alice", null],
  ["a metadata document", DOCUMENT_URL, "bob", "client.example"],
])("version 2 of the official client, by %s", (_, documentUrl, user, verifiedHost) => {
  test("connects from a 401 to tools/call", async () => {
    const provider = new MemoryProvider(documentUrl);
    const open = () =>
      new next.StreamableHTTPClientTransport(new URL(RESOURCE), {
        authProvider: provider as next.OAuthClientProvider,
        fetch: service.fetch,
      });
    const client = new next.Client({ name: "test", version: "1" });
    const transport = open();
    expect(await nameOf(client.connect(transport))).toBe("UnauthorizedError");
    expect(provider.opened?.searchParams.get("resource")).toBe(RESOURCE);

    const browser = await service.openBrowser(user);
    const { shown, back } = await browser.allow(provider.opened ?? new URL(PUBLIC_URL));
    expect(shown).toMatchObject({
      client: "Example",
      verifiedHost,
      redirectHost: "client.example",
      user,
    });
    expect(back.origin + back.pathname).toBe(CALLBACK);
    expect(back.searchParams.get("state")).toBe("state-1");
    // It checks `iss` against the metadata.
    await transport.finishAuth(back.searchParams);

    await client.connect(open());
    const result = await client.callTool({ name: "get_markets", arguments: {} });
    expect(result.structuredContent).toHaveProperty("data");
    await client.close();
    const [token] = service.accounts.listTokens(user);
    expect(token).toMatchObject({ label: "Example", callsToday: 1 });
  });
});

describe.each([
  ["registration", undefined, "carol", ""],
  ["a metadata document, with tool sets", DOCUMENT_URL, "dave", "?tools=market"],
])("version 1 of the official client, by %s", (_, documentUrl, user, query) => {
  test("connects from a 401 to tools/call", async () => {
    const provider = new MemoryProvider(documentUrl);
    const open = () =>
      new Transport1(new URL(RESOURCE + query), {
        authProvider: provider as OAuthClientProvider,
        fetch: service.fetch,
      });
    const transport = open();
    const first = new Client1({ name: "test", version: "1" });
    expect(await nameOf(first.connect(transport))).toBe("UnauthorizedError");
    const browser = await service.openBrowser(user);
    const { back } = await browser.allow(provider.opened ?? new URL(PUBLIC_URL));
    await transport.finishAuth(back.searchParams.get("code") ?? "");

    const client = new Client1({ name: "test", version: "1" });
    await client.connect(open());
    const result = await client.callTool({ name: "get_markets", arguments: {} });
    expect(result.structuredContent).toHaveProperty("data");
    await client.close();
  });
});

test("a refusal leads back to the client with access_denied", async () => {
  const provider = new MemoryProvider();
  const transport = new next.StreamableHTTPClientTransport(new URL(RESOURCE), {
    authProvider: provider as next.OAuthClientProvider,
    fetch: service.fetch,
  });
  const client = new next.Client({ name: "test", version: "1" });
  expect(await nameOf(client.connect(transport))).toBe("UnauthorizedError");
  const browser = await service.openBrowser("alice");
  const { query } = await browser.open(provider.opened ?? new URL(PUBLIC_URL));
  const back = await browser.decide(query, false);
  const error = await transport.finishAuth(back.searchParams).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: "access_denied" });
});
