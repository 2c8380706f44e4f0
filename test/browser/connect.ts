import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { BrowserPage, CHROMIUM } from "../support/browser.ts";
import { createKey } from "../support/console-client.ts";
import { startOAuthService } from "../support/oauth-service.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

// RFC 7636, appendix B.
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

describe.skipIf(CHROMIUM === null)("a client of another site", () => {
  let service: Awaited<ReturnType<typeof startOAuthService>>;
  let page: BrowserPage;
  /** The client's site: its page opens the authorization endpoint. */
  let site: Bun.Server<undefined>;
  let link = "";
  let clientId = "";
  const callback = () => `http://localhost:${site.port}/callback`;
  const allowButton =
    "[...document.querySelectorAll('button')].find((one) => one.innerText === 'Allow')";

  beforeAll(async () => {
    service = await startOAuthService();
    service.accounts.addUser("alice", "pro");
    // The service is at 127.0.0.1, so a browser treats localhost as another site.
    site = Bun.serve({
      hostname: "localhost",
      port: 0,
      fetch: () =>
        new Response(
          `<!doctype html><title>Client</title><h1>Client</h1><a href="${link}">Go</a>`,
          {
            headers: { "Content-Type": "text/html" },
          },
        ),
    });
    const registered = await fetch(`${service.origin}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_name: "Example", redirect_uris: [callback()] }),
    });
    ({ client_id: clientId } = (await registered.json()) as { client_id: string });
    link = `${service.origin}/oauth/authorize?${new URLSearchParams({
      response_type: "code",
      client_id: clientId,
      redirect_uri: callback(),
      code_challenge: CHALLENGE,
      code_challenge_method: "S256",
      state: "xyz",
    }).toString()}`.replaceAll("&", "&amp;");
    page = await BrowserPage.open(service.origin);
  });
  afterAll(async () => {
    page?.close();
    await site?.stop(true);
    await service?.stop();
  });

  const openClient = async () => {
    await page.evaluate(`location.assign("http://localhost:${site.port}/")`);
    await page.waitFor("document.title === 'Client'");
    await page.clickText("Go");
  };

  /** Exchanges the code that the client got. */
  const exchange = async () => {
    const { searchParams } = new URL(await page.evaluate<string>("location.href"));
    const answer = await fetch(`${service.origin}/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code",
        client_id: clientId,
        code: searchParams.get("code") ?? "",
        redirect_uri: callback(),
        code_verifier: VERIFIER,
      }),
    });
    const token = (await answer.json()) as { access_token: string; scope: string };
    return { ...token, state: searchParams.get("state") };
  };

  test("leads to the sign-in first", async () => {
    await openClient();
    await page.waitFor("document.querySelector('h1')?.innerText === 'Sign in'");
    expect(await page.evaluate<string>("location.pathname")).toBe("/console/connect");
  });

  test("gets a token after the user allows it, though the cookie is SameSite=Strict", async () => {
    await page.goto(`/console#key=${createKey(service, "alice")}`);
    await openClient();
    await page.waitFor(`Boolean(${allowButton})`);
    expect(await page.evaluate<string>("document.body.innerText")).toContain(
      "a program on this computer",
    );
    // A second must pass, because the click could be the second of a double click.
    expect(await page.evaluate<boolean>(`${allowButton}.disabled`)).toBe(true);
    await page.waitFor(`!${allowButton}.disabled`);
    expect(await page.violations()).toEqual([]);
    await page.screenshot("connect");
    await page.clickText("Allow");
    await page.waitFor("document.title === 'Client' && location.pathname === '/callback'");

    const { state, access_token: token, scope } = await exchange();
    expect([state, scope]).toEqual(["xyz", "read"]);
    expect((await service.request("/data/markets", token)).status).toBe(200);
  });

  test.each([true, false])("may change lists only as the tick says: %s", async (isTicked) => {
    const reading = link;
    link += "&amp;scope=read+lists%3Awrite";
    await openClient();
    await page.waitFor(`${allowButton} && !${allowButton}.disabled`);
    expect(await page.evaluate<string>("document.body.innerText")).toContain(
      "It may also change and delete your lists",
    );
    // The right to change lists includes reading them.
    expect(
      await page.evaluate<boolean>(`document.querySelector("[name='lists:read']").disabled`),
    ).toBe(true);
    expect(await page.violations()).toEqual([]);
    if (isTicked) await page.screenshot("connect-lists");
    else await page.click("[name='lists:write']");
    await page.clickText("Allow");
    await page.waitFor("document.title === 'Client' && location.pathname === '/callback'");
    link = reading;
    const { scope, access_token: token } = await exchange();
    expect(scope).toBe(isTicked ? "read lists:write" : "read");
    const saved = await fetch(`${service.base}/data/lists/mine`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ items: ["US:AAPL"] }),
    });
    expect(saved.status).toBe(isTicked ? 200 : 403);
  });

  test("learns of a refusal, from a reader of Japanese", async () => {
    await page.goto("/console/account");
    await page.evaluate(`fetch("/console/api/settings", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ language: "ja" }),
    })`);
    await openClient();
    await page.clickText("拒否");
    await page.waitFor("document.title === 'Client' && location.pathname === '/callback'");
    expect(await page.evaluate<string>("location.search")).toContain("error=access_denied");
  });
});
