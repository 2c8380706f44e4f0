import { expect } from "bun:test";
import type { Grant } from "#domain/rights.ts";
import type { OutsideNetwork } from "#lib/outside-network.ts";
import type { AnswerTo } from "#http/console-api.ts";
import { ConsoleClient, createKey } from "./console-client.ts";
import { startService } from "./service.ts";

/** Where clients reach the service. */
export const PUBLIC_URL = "https://data.example.com";
/** The MCP endpoint. */
export const RESOURCE = `${PUBLIC_URL}/api/v1/svc/mcp`;
/** The metadata documents that the service can read, by URL. */
export type Documents = Readonly<Record<string, object>>;

/** A service with OAuth. `fetch` reaches it under its public URL. */
export async function startOAuthService(
  documents: Documents = {},
  { isOnline = true, env = {} }: { isOnline?: boolean; env?: Record<string, string> } = {},
) {
  const network: OutsideNetwork = {
    async resolve() {
      if (!isOnline) throw new Error("no network");
      return ["93.184.215.14"];
    },
    fetchFrom: async (_, url) =>
      Response.json(documents[url.href] ?? {}, { status: documents[url.href] ? 200 : 404 }),
  };
  const service = await startService({
    env: { BOURSE_PUBLIC_URL: PUBLIC_URL, ...env },
    documentNetwork: network,
  });
  const { host } = new URL(PUBLIC_URL);
  const fetchPublic = (
    input: string | URL | Request,
    init: RequestInit = {},
  ): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    expect(url.origin).toBe(PUBLIC_URL);
    const headers = new Headers(init.headers);
    headers.set("host", host);
    return fetch(service.origin + url.pathname + url.search, {
      redirect: "manual",
      ...init,
      headers,
    });
  };

  return {
    ...service,
    /** Fetches a URL of the service as a proxy in front of it does. */
    fetch: fetchPublic,
    /** A browser in which that user is signed in under the public URL. */
    async openBrowser(user: string) {
      const browser = new ConsoleClient(service);
      const headers = { host, origin: PUBLIC_URL };
      const signedIn = await browser.send("POST", "session", {
        body: { key: createKey(service, user) },
        headers,
      });
      expect(signedIn.status).toBe(200);
      return {
        /** What the consent page gets when the browser opens a URL of the authorization endpoint. */
        async open(authorizationUrl: URL): Promise<{ query: string; response: Response }> {
          // A navigation from another site: without a cookie.
          const redirect = await fetchPublic(authorizationUrl);
          expect(redirect.status).toBe(302);
          const page = new URL(redirect.headers.get("location") ?? "", PUBLIC_URL);
          expect(page.origin + page.pathname).toBe(`${PUBLIC_URL}/console/connect`);
          const query = page.search;
          const response = await browser.send("GET", `oauth/request${query}`, {
            headers: { host },
          });
          return { query, response };
        },
        /** Requests a path below `/console/api/`. */
        get: (path: string) => browser.send("GET", path, { headers: { host } }),
        /** Decides about a request; returns the URL that leads back to the client. */
        async decide(query: string, allow: boolean, rights: readonly Grant[] = []): Promise<URL> {
          const body = { query, allow, rights };
          const response = await browser.send("POST", "oauth/consent", { body, headers });
          expect(response.status).toBe(200);
          return new URL(((await response.json()) as AnswerTo<"POST oauth/consent">).redirect);
        },
        /** Opens a URL of the authorization endpoint and allows the client. */
        async allow(
          authorizationUrl: URL,
        ): Promise<{ shown: AnswerTo<"GET oauth/request">; back: URL }> {
          const { query, response } = await this.open(authorizationUrl);
          expect(response.status).toBe(200);
          const shown = (await response.json()) as AnswerTo<"GET oauth/request">;
          return { shown, back: await this.decide(query, true) };
        },
      };
    },
  };
}
