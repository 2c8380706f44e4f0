import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type BrowserPage, CHROMIUM, openConsole } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

const PATHS = [
  "/console",
  "/console/US/AAPL",
  "/console/US/AAPL/chart?panes=rsi",
  "/console/US/AAPL/financials",
  "/console/US/AAPL/valuation",
  "/console/US/AAPL/dividends",
  "/console/screen?where=pe<20",
  "/console/lists",
  "/console/lists/semis",
  "/console/alerts",
  "/console/compare?symbols=AAPL,MSFT,JP:7203",
  "/console/sectors?sector=technology",
  "/console/economy",
  "/console/calendar",
  "/console/calendar?view=week",
  "/console/tokens",
  "/console/programs",
  "/console/admin",
  "/console/settings",
  "/console/about",
];

/**
 * The controls that a finger must hit within less than 24 × 24 CSS px (WCAG 2.5.8), with what can be pressed of each
 * around its middle. Left out are links in running text, and tiles of the map: their sizes are figures.
 */
const SMALL = `(() => {
  const SIZE = 24;
  const STEP = 0.5;
  const isHit = (one, x, y) => {
    const hit = document.elementFromPoint(x, y);
    return hit !== null && [one, ...(one.labels ?? [])].some((part) => part.contains(hit));
  };
  const isInText = (one) => getComputedStyle(one).display === "inline" &&
    one.localName === "a" && one.parentElement.innerText.trim() !== one.innerText.trim();
  return [...document.querySelectorAll("button, a[href], input, select, textarea, summary")].flatMap((one) => {
    if (!one.checkVisibility() || one.disabled || one.matches(".skip, .map-frame *") || isInText(one)) return [];
    // Not below the first column, which stays at the left.
    one.scrollIntoView({ block: "center", inline: "end" });
    const { left, top, width, height } = one.getClientRects()[0] ?? {};
    if (!width) return [];
    const reach = (dx, dy) => {
      let length = 0;
      while (length < SIZE && isHit(one, left + width / 2 + dx * (length + STEP), top + height / 2 + dy * (length + STEP))) length += STEP;
      return length;
    };
    const [across, down] = [reach(1, 0) + reach(-1, 0), reach(0, 1) + reach(0, -1)];
    const name = one.innerText || one.ariaLabel || one.name;
    return across < SIZE || down < SIZE ? [one.localName + " " + name + ": " + across + " × " + down] : [];
  });
})()`;

describe.skipIf(CHROMIUM === null)("on a phone that is touched", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  let page: BrowserPage;
  beforeAll(async () => {
    opened = await openConsole({ width: 390, height: 844 });
    ({ page } = opened);
    await page.cdp("Emulation.setTouchEmulationEnabled", { enabled: true });
    const items = [
      { country: "US", symbol: "NVDA", shares: 10 },
      { country: "JP", symbol: "7203", shares: 100 },
    ];
    await page.evaluate(`fetch("/console/api/lists/semis", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: ${JSON.stringify(JSON.stringify({ items }))},
    }).then(({ ok }) => ok)`);
  });
  afterAll(() => opened?.close());

  test.each(PATHS)("all controls of %s are large enough for a finger", async (path) => {
    await page.goto(path);
    expect(await page.evaluate("matchMedia('(pointer: coarse)').matches")).toBe(true);
    await page.evaluate(
      `document.querySelectorAll("details").forEach((one) => void (one.open = true))`,
    );
    await page.settle();
    expect(await page.evaluate<string[]>(SMALL)).toEqual([]);
    expect(await page.isWide()).toBe(false);
  });

  test.each(["/console/US/AAPL", "/console/tokens"])(
    "tabs of %s are as wide as their words",
    async (path) => {
      await page.goto(path);
      await page.waitFor("document.querySelector(':is(.symbol-tabs, .section-menu) a')");
      const cut = await page.evaluate<string[]>(
        `[...document.querySelectorAll(":is(.symbol-tabs, .section-menu) a")]
          .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)`,
      );
      expect(cut).toEqual([]);
    },
  );

  test("fields and buttons of dialogs and the boxes of tables are 44 px high", async () => {
    await page.goto("/console/screen?where=pe<20");
    const box = await page.evaluate<number>(
      "document.querySelector('.companies td input').labels[0].getBoundingClientRect().height",
    );
    await page.click(".pill > button");
    await page.waitFor("document.querySelector('dialog[open] .primary')");
    const heights = await page.evaluate<number[]>(
      `[...document.querySelectorAll("dialog[open] :is(.primary, input:not([type=range]))")].map((one) => one.offsetHeight)`,
    );
    expect(heights.length).toBe(3);
    expect(Math.min(box, ...heights)).toBeGreaterThanOrEqual(44);
  });
});
