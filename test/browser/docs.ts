import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TOPICS } from "#docs/topics.ts";
import { CHROMIUM, openConsole } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

const PATHS = [
  "/docs",
  "/docs?q=backup",
  "/docs/nothing",
  ...TOPICS.map(({ name }) => `/docs/${name}`),
];
/** Narrow and dark, wide and light: the rules of accessibility are checked in both. */
const VIEWS = [
  { width: 390, theme: "dark" },
  { width: 1440, theme: "light" },
] as const;

describe.skipIf(CHROMIUM === null)("the documentation", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => void (opened = await openConsole({ signedIn: false })));
  afterAll(() => opened?.close());

  test.each(PATHS)(
    "%s fits, is accessible and keeps the policy, without JavaScript",
    async (path) => {
      const { page } = opened;
      page.problems.length = 0;
      await page.goto(path);
      expect(await page.evaluate("document.scripts.length")).toBe(0);
      for (const { width, theme } of VIEWS) {
        await page.setTheme(theme);
        await page.resize(width);
        await page.settle();
        await page.screenshot(`docs${path.slice(5).replace(/\W/, "-")}-${width}-${theme}`);
        expect({ width, isWide: await page.isWide() }).toEqual({ width, isWide: false });
        expect(await page.violations()).toEqual([]);
      }
      expect(page.problems).toEqual([]);
    },
  );

  test("is opened from the foot of the console", async () => {
    const { page } = opened;
    await page.goto("/console");
    await page.clickText("Documentation", ".foot");
    await page.waitFor("location.pathname === '/docs'");
  });

  test("each page of the console leads to its topic", async () => {
    const { page } = opened;
    for (const [path, docs, heading] of [
      ["/console/US/AAPL/financials", "/docs/metrics", ""],
      ["/console/lists", "/docs/examples", "#lists-of-the-user"],
      ["/console/about", "/docs/live-sources", ""],
    ]) {
      await page.goto(`${path}`);
      await page.clickText("Help with this page", ".foot");
      await page.waitFor(`location.pathname === '${docs}' && location.hash === '${heading}'`);
    }
    // A page that does not exist has no topic.
    await page.goto("/console/nothing");
    expect(await page.texts(".foot a")).not.toContain("Help with this page");
  });

  test("is found by the search and by its links", async () => {
    const { page } = opened;
    await page.goto("/docs");
    await page.fill("input[type=search]", "claude");
    await page.press("Enter");
    await page.waitFor("location.search === '?q=claude'");
    await page.clickText("claude.ai and ChatGPT");
    await page.waitFor(
      "location.pathname + location.hash === '/docs/operating#claudeai-and-chatgpt'",
    );
    expect(await page.text("main h1")).toBe("Operating bourse");
  });
});
