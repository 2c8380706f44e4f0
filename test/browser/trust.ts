import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type BrowserPage, CHROMIUM, openConsole } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

const SLOW = { offline: false, latency: 300, downloadThroughput: -1, uploadThroughput: -1 };

describe.skipIf(CHROMIUM === null)("what a user relies on", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  let page: BrowserPage;
  beforeAll(async () => {
    opened = await openConsole();
    ({ page } = opened);
  });
  afterAll(() => opened?.close());
  beforeEach(() => void (page.problems.length = 0));

  test.each([
    ["NVDA", 60],
    ["GM", 90],
    ["KO", 60],
  ])(
    "Enter opens what was typed, %s at %d ms a key, also on a slow line",
    async (symbol, pause) => {
      await page.goto("/console/about");
      await page.cdp("Network.emulateNetworkConditions", SLOW);
      await page.press("/");
      await page.waitFor("document.activeElement?.role === 'combobox'");
      for (const key of symbol.toLowerCase()) {
        await page.type(key);
        await Bun.sleep(pause);
      }
      await page.press("Enter");
      await page.waitFor("location.pathname !== '/console/about'");
      await page.cdp("Network.emulateNetworkConditions", { ...SLOW, latency: 0 });
      expect(await page.evaluate<string>("location.pathname")).toBe(`/console/US/${symbol}`);
      expect(page.problems).toEqual([]);
    },
  );

  test("a mistyped name leads to the closest instrument, and Enter opens it only once it was seen", async () => {
    await page.goto("/console/about");
    await page.press("/");
    await page.waitFor("document.activeElement?.role === 'combobox'");
    await page.type("microsft");
    await page.press("Enter");
    const shown = await page.waitFor<string>("document.querySelector('[role=option]')?.innerText");
    expect(shown).toContain("MSFT");
    expect(await page.text(".search .empty")).toEndWith("Did you mean:");
    expect(await page.evaluate<string>("location.pathname")).toBe("/console/about");
    expect(await page.violations()).toEqual([]);
    await page.press("Enter");
    await page.waitFor("location.pathname === '/console/US/MSFT'");
  });

  test("the way back ends where the user was, also after the page was loaded again", async () => {
    await page.goto("/console/US/AAPL");
    await page.evaluate("window.scrollTo(0, 700)");
    await page.waitFor("history.state?.y === 700");
    // A click by the pointer would first scroll to the link.
    await page.evaluate("document.querySelector('nav a[href=\"/console/screen\"]').click()");
    await page.waitFor("document.querySelector('h1').innerText === 'Screener'");
    expect(await page.evaluate<number>("window.scrollY")).toBe(0);
    await page.evaluate("history.back()");
    await page.waitFor("document.querySelector('h1').innerText === 'Apple Inc.'");
    await page.waitFor("window.scrollY === 700");
    await page.evaluate("location.reload()");
    await page.waitFor("window.scrollY === 700");
  });

  test("a logarithmic scale leaves the volume as it is", async () => {
    const volume = async () => {
      await page.waitFor("document.querySelector('.chart canvas')");
      await page.settle();
      // The panes are rows of a table: prices, a separator, volume, the dates.
      return page.evaluate<string>(
        "document.querySelectorAll('.chart tr')[2].querySelectorAll('canvas')[0].toDataURL()",
      );
    };
    await page.goto("/console/US/AAPL");
    const linear = await volume();
    await page.clickText("Log");
    await page.waitFor("location.search === '?scale=log'");
    expect((await volume()) === linear).toBe(true);
    await page.clickText("Linear");
    await page.waitFor("location.search === ''");
    expect((await volume()) === linear).toBe(true);
  });

  test("a rem is what the reader chose in the browser", async () => {
    const size = "getComputedStyle(document.documentElement).fontSize";
    expect(await page.evaluate<string>(size)).toBe("16px");
  });

  test("Copy works over plain http, where browsers have no clipboard", async () => {
    await page.goto("/console/US/AAPL");
    await page.evaluate(`(() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      document.addEventListener("copy", () => (window.copied = getSelection().toString()));
    })()`);
    await page.clickText("⋯", `section[aria-label="Price"]`);
    await page.clickText("Copy", "dialog[open]");
    await page.waitFor("window.copied !== undefined");
    expect(await page.evaluate<string>("window.copied")).not.toBe("");
  });

  test("a symbol leads to its comparison", async () => {
    await page.goto("/console/JP/7203");
    await page.clickText("Compare", ".symbol-head");
    await page.waitFor("location.search === '?symbols=JP%3A7203'");
    await page.settle();
    expect(await page.texts("thead th a")).toEqual(["7203"]);
  });

  test("while the service does not answer, one banner says so, figures stay, and all comes back by itself", async () => {
    await page.goto("/console/US/AAPL");
    // The parts of a company come when its type is known.
    await page.waitFor(
      "document.querySelector('.key-figures') && document.querySelector('.peers td')",
    );
    await page.settle();
    const before = await page.texts(".panel dd, .panel td");
    const block = (urls: string[]) => page.cdp("Network.setBlockedURLs", { urls });
    await block(["*/console/api/*"]);
    // A range that is not there yet asks the service.
    await page.click(".range-bar button:nth-child(7)");
    expect(await page.text(".outage")).toStartWith("The service does not answer.");
    expect(await page.texts(".failure")).toEqual([]);
    expect(await page.texts(".panel dd, .panel td")).toEqual(before);
    // Another page waits for the service, too.
    await page.evaluate("document.querySelector('nav a[href=\"/console/screen\"]').click()");
    await page.waitFor("document.querySelector('h1').innerText === 'Screener'");
    expect(await page.texts(".failure")).toEqual([]);
    expect(await page.texts(".outage")).toHaveLength(1);
    await page.screenshot("outage");
    await block([]);
    await page.waitFor("document.querySelector('.outage') === null");
    await page.waitFor("document.querySelectorAll('tbody tr').length === 50");
  });

  test("on a phone, companies of Japan have their names", async () => {
    await page.resize(390);
    await page.goto("/console/screen?country=JP");
    const { rows } = await page.answer<{ rows: string[][] }>("screen_stocks", "country=JP&limit=1");
    expect(await page.text("tbody td:nth-child(2)")).toContain(String(rows[0]?.[1]));
    await page.screenshot("screen-390-japan");
    await page.resize(1440);
  });

  test("on a slow line, no raw figure is shown before its unit is known", async () => {
    await page.goto("/console/about");
    await page.evaluate(`(() => {
      const real = window.fetch;
      window.fetch = async (url, init) => {
        if (String(url).includes("vocabulary")) await new Promise((done) => (window.release = done));
        return real(url, init);
      };
    })()`);
    await page.evaluate("document.querySelector('nav a[href=\"/console/screen\"]').click()");
    await page.waitFor("document.querySelector('h1').innerText === 'Screener' && window.release");
    await page.waitFor(
      "performance.getEntriesByType('resource').some(({ name, responseEnd }) => name.includes('screen_stocks') && responseEnd)",
    );
    expect(await page.texts("tbody td")).toEqual([]);
    await page.evaluate("window.release()");
    await page.waitFor("document.querySelectorAll('tbody tr').length === 50");
  });

  test("the figures of a scale are at their lines", async () => {
    await page.goto("/console/economy?series=Unemployment%20rate");
    await page.waitFor("document.querySelector('.plot line')");
    const middles = (selector: string) =>
      page.evaluate<number[]>(
        `[...document.querySelector(".plot").querySelectorAll("${selector}")]
          .map((one) => one.getBoundingClientRect()).map(({ top, height }) => top + height / 2)`,
      );
    const [lines, figures] = [await middles(".plot-line"), await middles(".plot-scale span")];
    expect(lines.length).toBeGreaterThan(2);
    expect(figures).toHaveLength(lines.length);
    for (const [i, line] of lines.entries()) {
      expect(Math.abs(line - (figures[i] ?? 0))).toBeLessThan(2);
    }
  });
});
