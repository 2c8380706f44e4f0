import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CHROMIUM, openConsole, type Theme } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

/** A path of every page, and a name for its screenshots. */
const PAGES: Readonly<Record<string, string>> = {
  markets: "/console",
  symbol: "/console/US/AAPL",
  "symbol-index": "/console/US/%5EGSPC",
  screen: "/console/screen",
  compare: "/console/compare?symbols=AAPL,MSFT,JP:7203",
  sectors: "/console/sectors",
  economy: "/console/economy",
  tokens: "/console/tokens",
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
    await page.clickText("Sign out");
    await page.waitFor("document.querySelector('h1').innerText === 'Sign in'");
    await close();
  });
});
