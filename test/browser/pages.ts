import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CHROMIUM, openConsole, type Theme } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

/** A path of every page, and a name for its screenshots. */
const PAGES: Readonly<Record<string, string>> = {
  markets: "/console",
  symbol: "/console/US/AAPL",
  "symbol-chart": "/console/US/AAPL/chart",
  "symbol-financials": "/console/US/AAPL/financials",
  "symbol-valuation": "/console/US/AAPL/valuation",
  "symbol-forecast": "/console/US/AAPL/forecast",
  "symbol-dividends": "/console/US/AAPL/dividends",
  "symbol-technicals": "/console/US/AAPL/technicals",
  "symbol-peers": "/console/US/AAPL/peers",
  "symbol-index": "/console/US/%5EGSPC",
  screen: "/console/screen",
  lists: "/console/lists",
  compare: "/console/compare?symbols=AAPL,MSFT,JP:7203",
  "compare-risk": "/console/compare?symbols=AAPL,MSFT,JP:7203&part=risk",
  sectors: "/console/sectors",
  economy: "/console/economy",
  calendar: "/console/calendar",
  tokens: "/console/tokens",
  programs: "/console/programs",
  "api-reference": "/console/api-reference",
  admin: "/console/admin",
  account: "/console/account",
  about: "/console/about",
  unknown: "/console/nothing",
  "symbol-unknown": "/console/US/NOSUCH",
};
const WIDTHS = [360, 768, 1440] as const;
const THEMES: readonly Theme[] = ["light", "dark"];

describe.skipIf(CHROMIUM === null)("every page", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => void (opened = await openConsole()));
  afterAll(() => opened?.close());

  test.each(Object.entries(PAGES))(
    "%s fits, is accessible and keeps the policy",
    async (name, path) => {
      const { page } = opened;
      page.problems.length = 0;
      await page.goto(path);
      for (const theme of THEMES) {
        await page.setTheme(theme);
        for (const width of WIDTHS) {
          await page.resize(width);
          await page.settle();
          await page.screenshot(`${name}-${width}-${theme}`);
          expect({ width, theme, isWide: await page.isWide() }).toEqual({
            width,
            theme,
            isWide: false,
          });
          expect(await page.violations()).toEqual([]);
        }
      }
      expect(page.problems).toEqual([]);
    },
  );
});

describe.skipIf(CHROMIUM === null)("on a phone", () => {
  const WIDTH = 360;
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => void (opened = await openConsole({ width: WIDTH })));
  afterAll(() => opened?.close());

  test.each(["/console", "/console/economy", "/console/admin"])(
    "the menu shows the page %s",
    async (path) => {
      await opened.page.goto(path);
      const { left, right } = await opened.page.evaluate<{ left: number; right: number }>(
        "document.querySelector('nav [aria-current]').getBoundingClientRect().toJSON()",
      );
      expect(left).toBeGreaterThanOrEqual(0);
      expect(right).toBeLessThanOrEqual(WIDTH);
    },
  );

  test("an error that stays has no Retry", async () => {
    await opened.page.goto("/console/US/NOSUCH");
    expect(await opened.page.text(".failure")).toBe("Symbol NOSUCH not found in US.");
  });
});

describe.skipIf(CHROMIUM === null)("panels that depend on an answer", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    opened = await openConsole();
    const items = [
      { country: "US", symbol: "NVDA", shares: 10, note: "bought early" },
      { country: "JP", symbol: "7203", shares: 100 },
    ];
    await opened.page.evaluate(`fetch("/console/api/lists/semis", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: ${JSON.stringify(JSON.stringify({ items }))},
    }).then(({ ok }) => ok)`);
  });
  afterAll(() => opened?.close());

  test.each([
    "/console/tokens",
    "/console/admin?part=users",
    "/console/JP/7203",
    "/console/JP/7203/financials",
    "/console/US/%5EGSPC",
    "/console/US/SPY",
    "/console/compare?symbols=AAPL,MSFT,JP:7203",
    "/console/compare?symbols=AAPL,MSFT,JP:7203&part=risk",
    "/console/lists",
    "/console/lists/semis",
    "/console/economy?country=JP&series=Manufacturing%20PMI",
  ])("nothing moves while %s loads", async (path) => {
    const { page } = opened;
    // Slow enough to show what is drawn before the answers.
    await page.cdp("Network.emulateNetworkConditions", {
      offline: false,
      latency: 100,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
    await page.goto(path);
    const shift = await page.evaluate<number>(
      `new Promise((done) => {
          let shift = 0;
          new PerformanceObserver((list) => {
            for (const { value } of list.getEntries()) shift += value;
          }).observe({ type: "layout-shift", buffered: true });
          setTimeout(() => done(shift), 200);
        })`,
    );
    expect(shift).toBe(0);
  });
});

describe.skipIf(CHROMIUM === null)("without a session", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => void (opened = await openConsole({ signedIn: false })));
  afterAll(() => opened?.close());

  test.each(["/console", "/console/api-reference", "/console/about"])(
    "%s can be read",
    async (path) => {
      const { page } = opened;
      page.problems.length = 0;
      await page.goto(path);
      await page.screenshot(`signed-out-${path.split("/").at(-1)}`);
      expect(await page.violations()).toEqual([]);
      expect(page.problems).toEqual([]);
    },
  );
});

describe.skipIf(CHROMIUM === null)("signing in", () => {
  test("a link signs in once and leaves no key in the address", async () => {
    const { page, close } = await openConsole();
    expect(await page.evaluate<string>("location.hash")).toBe("");
    expect(await page.text(".user")).toBe("owner");
    await page.click(".user");
    await page.clickText("Sign out");
    await page.waitFor("document.querySelector('h1').innerText === 'Sign in'");
    await close();
  });
});
