import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CHROMIUM, openConsole } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

const SETTINGS = `fetch("/console/api/user-data").then((answer) => answer.json()).then(({ settings }) => settings)`;
const LISTS = `fetch("/console/api/lists").then((answer) => answer.json())`;

describe.skipIf(CHROMIUM === null)("the first sign-in", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    opened = await openConsole({ isNew: true });
  });
  afterAll(() => opened?.close());

  test("asks for country, language and colours, offers a list, and never again", async () => {
    const { page } = opened;
    for (const width of [360, 768, 1440]) {
      await page.resize(width);
      await page.goto("/console");
      await page.waitFor("document.querySelector('.welcome-card')");
      expect({ width, isWide: await page.isWide() }).toEqual({ width, isWide: false });
      for (const theme of ["light", "dark"] as const) {
        await page.setTheme(theme);
        await page.settle();
        await page.screenshot(`welcome-${width}-${theme}`);
        expect(await page.violations()).toEqual([]);
      }
    }
    await page.setTheme("light");
    // Another page is for those who know what they want.
    await page.goto("/console/screen");
    expect(await page.texts(".welcome-card")).toEqual([]);
    await page.goto("/console");
    await page.clickText("Japan", ".welcome-card");
    await page.clickText("日本語", ".welcome-card");
    await page.clickText("Blue and orange", ".welcome-card");
    await page.clickText("Start", ".welcome-card");
    await page.waitFor("!document.querySelector('.welcome-card')");
    expect(await page.evaluate<object>(SETTINGS)).toEqual({
      country: "JP",
      language: "ja",
      colors: "blue-orange",
      welcomed: true,
    });
    const { rows } = await page.answer<{ rows: string[][] }>(
      "screen_stocks",
      "country=JP&sort=market_cap desc&metrics=market_cap&limit=5",
    );
    await page.waitFor("document.querySelectorAll('.my-list tbody b').length === 5");
    const shown = await page.texts(".my-list tbody b");
    expect(shown).toEqual(rows.map(([symbol]) => String(symbol)));
    await page.waitFor("document.documentElement.lang === 'ja'");
    await page.goto("/console");
    expect(await page.texts(".welcome-card")).toEqual([]);
    expect(page.problems).toEqual([]);
  });

  test("is left by one press, without a list and with no setting but that it is over", async () => {
    const { page } = opened;
    await page.evaluate(`fetch("/console/api/settings", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: "{}",
    }).then(({ ok }) => ok)`);
    await page.evaluate(`fetch("/console/api/lists/watchlist", {
      method: "DELETE",
      headers: { "Content-Type": "application/json" },
    }).then(({ ok }) => ok)`);
    await page.goto("/console");
    await page.clickText("Not now", ".welcome-card");
    await page.waitFor("!document.querySelector('.welcome-card')");
    expect(await page.evaluate<object>(SETTINGS)).toEqual({ welcomed: true });
    expect(JSON.stringify(await page.evaluate<object>(LISTS))).not.toContain("watchlist");
    await page.goto("/console");
    expect(await page.texts(".welcome-card")).toEqual([]);
  });
});
