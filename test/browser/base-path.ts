import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { BrowserPage, CHROMIUM, openConsole } from "../support/browser.ts";
import { createKey } from "../support/console-client.ts";
import { startProxy } from "../support/played-proxy.ts";
import { freePort } from "../support/free-port.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

const PAGES = [
  "/console",
  "/console/US/AAPL",
  "/console/screen?country=JP",
  "/console/compare?symbols=US:AAPL,US:MSFT",
  "/console/calendar",
  "/console/economy",
  "/console/sectors",
  "/console/programs",
  "/console/tokens",
  "/console/admin",
  "/docs",
  "/docs/users",
];

describe.skipIf(CHROMIUM === null).each([
  ["keeps the path", (path: string) => path],
  ["removes the path", (path: string) => path.replace("/bourse", "")],
] as const)("the console behind a proxy that %s", (_, path) => {
  const proxy = startProxy({ isPlain: true, path });
  const origin = `http://127.0.0.1:${proxy.port}`;
  let opened: Awaited<ReturnType<typeof openConsole>>;
  let page: BrowserPage;
  beforeAll(async () => {
    const env = { BOURSE_PUBLIC_URL: `${origin}/bourse` };
    opened = await openConsole({ env, port: freePort(), signedIn: false });
    opened.page.close();
    proxy.origin = opened.service.origin;
    page = await BrowserPage.open(origin);
  });
  afterAll(async () => {
    page?.close();
    await opened?.service.stop();
    await proxy.stop();
  });

  test("opens every page and leads on below the path, with no request outside", async () => {
    const { service, user } = opened;
    await page.goto("/bourse/console/tokens?client=Cursor");
    expect(await page.text("h1")).toBe("Sign in");
    await page.goto(`/bourse/console#key=${createKey(service, user)}`);
    await page.waitFor(`document.querySelector("h1")?.innerText === "Tokens"`);
    expect(await page.evaluate<string>("location.pathname + location.search")).toBe(
      "/bourse/console/tokens?client=Cursor",
    );
    for (const one of PAGES) {
      await page.goto(`/bourse${one}`);
      const wrong = await page.evaluate<string[]>(
        `[...document.querySelectorAll("a[href], form[action], link[href], script[src]")]
          .map((one) => one.href ?? one.action ?? one.src)
          .filter((url) => url.startsWith(location.origin) && !url.startsWith(location.origin + "/bourse"))`,
      );
      expect([one, wrong]).toEqual([one, []]);
    }
    await page.goto("/bourse/console");
    await page.clickText("Screener", "nav");
    await page.waitFor(`location.pathname === "/bourse/console/screen"`);
    await page.evaluate("history.back()");
    await page.waitFor(`location.pathname === "/bourse/console"`);
    await page.goto("/bourse/console/us/aapl");
    await page.waitFor(`location.pathname === "/bourse/console/US/AAPL"`);
    // A past day is in every link too.
    await page.goto("/bourse/console?on=2026-10-30");
    const dated = await page.evaluate<string>(
      `[...document.querySelectorAll("nav a")].find((one) => one.innerText === "Screener").href`,
    );
    expect(dated).toBe(`${origin}/bourse/console/screen?on=2026-10-30`);
    await page.clickText("Screener", "nav");
    await page.waitFor(`location.href.endsWith("/bourse/console/screen?on=2026-10-30")`);
    expect(proxy.urls.filter((url) => !/^\/bourse(\/|$)/.test(url))).toEqual([]);
    expect(page.problems).toEqual([]);
  });

  test("shows addresses of the service with the path", async () => {
    await page.goto("/bourse/console/tokens");
    await page.fill("input[name=label]", "laptop");
    await page.clickText("Create a token");
    await page.waitFor(`document.body.innerText.includes("/bourse/api/v1/svc")`);
    const text = await page.evaluate<string>("document.body.innerText");
    expect(text).not.toContain(`${origin}/api`);
    await page.screenshot("below-a-path");
  });
});
