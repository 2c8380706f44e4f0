import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import ja from "#console/app/words/ja.ts";
import { SENTENCES } from "#console/app/words/table.ts";
import vi from "#console/app/words/vi.ts";
import type { UserSettings } from "#domain/user-settings.ts";
import { type BrowserPage, CHROMIUM, openConsole } from "../support/browser.ts";
import { setPageClock } from "../support/page-clock.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

describe.skipIf(CHROMIUM === null)("settings", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  let page: BrowserPage;
  beforeAll(async () => {
    opened = await openConsole();
    ({ page } = opened);
    await setPageClock(page, "America/New_York");
  });
  afterAll(() => opened?.close());
  beforeEach(() => void (page.problems.length = 0));

  /** Saves settings as another device does, and opens a page. */
  const openWith = async (settings: UserSettings, path: string) => {
    await page.evaluate(`fetch("/console/api/settings", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: ${JSON.stringify(JSON.stringify(settings))},
    })`);
    await page.goto(path);
  };
  const kept = () =>
    page.evaluate<UserSettings>(
      "fetch('/console/api/user-data').then((answer) => answer.json()).then(({ settings }) => settings)",
    );
  const style = (selector: string, property: string) =>
    page.evaluate<string>(
      `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).getPropertyValue("${property}")`,
    );

  test("every group is on the page, without a finding, at every width", async () => {
    for (const theme of ["light", "dark"] as const) {
      for (const width of [390, 768, 1440]) {
        await page.resize(width);
        await openWith({ theme }, "/console/settings");
        expect(await page.isWide()).toBe(false);
        expect(await page.violations()).toEqual([]);
        await page.screenshot(`settings-${theme}-${width}`);
      }
    }
    expect(page.problems).toEqual([]);
  });

  test("a change is seen and kept at once, and taken back", async () => {
    await openWith({}, "/console/settings");
    const gain = await style(".change.gain", "color");
    const loss = await style(".change.loss", "color");
    await page.clickText("Red and green, as in Tokyo");
    await page.waitFor("document.querySelector('.toast')");
    expect(await kept()).toEqual({ colors: "red-green" });
    expect([await style(".change.gain", "color"), await style(".change.loss", "color")]).toEqual([
      loss,
      gain,
    ]);
    await page.clickText("Undo");
    await page.waitFor("document.documentElement.dataset.colors === 'green-red'");
    await page.waitFor("document.querySelector('.toast')");
    expect(await kept()).toEqual({});
    await page.clickText("Blue and orange");
    await page.waitFor("document.documentElement.dataset.colors === 'blue-orange'");
    expect([gain, loss]).not.toContain(await style(".change.gain", "color"));
  });

  test("the map has the colours of gain and loss, each with text that can be read", async () => {
    const colorOf = (step: string) => style(`.map-legend .${step}`, "background-color");
    const seen = new Set<string>();
    const pairs: Record<string, string[]> = {};
    const open = new Set<string>();
    for (const colors of ["green-red", "red-green", "blue-orange"] as const) {
      await openWith({ colors }, "/console");
      // An open exchange is no gain: in Tokyo's colours, a red dot would read as closed.
      open.add(await style(".state-dot.open", "background-color"));
      await page.waitFor("document.querySelector('.map-legend')");
      pairs[colors] = [await colorOf("rise-3"), await colorOf("fall-3")];
      pairs[colors].forEach((one) => seen.add(one));
      expect(await page.violations()).toEqual([]);
    }
    expect(pairs["red-green"]).toEqual(pairs["green-red"]?.toReversed());
    expect(open.size).toBe(1);
    expect(seen.size).toBe(4);
  });

  test("compact rows are lower", async () => {
    const height = () =>
      page.evaluate<number>("document.querySelector('main td').getBoundingClientRect().height");
    await openWith({}, "/console/sectors");
    await page.waitFor("document.querySelector('main td')");
    const before = await height();
    await openWith({ density: "compact" }, "/console/sectors");
    await page.waitFor("document.querySelector('main td')");
    expect(await height()).toBeLessThan(before);
  });

  test("candles of gains are hollow, and a chart follows the theme of the user", async () => {
    const drawn = async (settings: UserSettings) => {
      await openWith(settings, "/console/US/AAPL");
      await page.waitFor("performance.getEntriesByName('chart drawn').length > 0");
      return page.evaluate<string>("document.querySelector('.chart canvas').toDataURL()");
    };
    const canvases = [];
    for (const settings of [
      { theme: "light" },
      { theme: "light", candles: "hollow" },
      { theme: "dark" },
    ] as const) {
      canvases.push(await drawn(settings));
    }
    expect(new Set(canvases).size).toBe(3);
  });

  test("the home country is what pages show without an address, and an address wins", async () => {
    const pressed = () => page.text("[aria-label=Country] [aria-pressed=true]");
    for (const path of ["/console/sectors", "/console/economy", "/console/screen"]) {
      await openWith({ country: "JP" }, path);
      expect(await pressed()).toBe("Japan");
      await page.goto(`${path}?country=VN`);
      expect(await pressed()).toBe("Viet Nam");
    }
    await page.goto("/console/sectors");
    await page.clickText("US");
    expect(await page.evaluate<string>("location.search")).toBe("?country=US");
  });

  test("comparisons are in the user's currency, unless the address says another", async () => {
    await openWith({ currency: "JPY" }, "/console/compare?symbols=AAPL,JP:7203");
    expect(await page.evaluate<string>("document.querySelector('select').value")).toBe("JPY");
    await page.goto("/console/compare?symbols=AAPL,JP:7203&currency=");
    expect(await page.evaluate<string>("document.querySelector('select').value")).toBe("");
  });

  test("times and days are those of the user's time zone, not of the browser", async () => {
    await openWith({ timeZone: "Asia/Tokyo" }, "/console/calendar?from=2026-11-25");
    const rows = await page.evaluate<[string, string, string][]>(
      `[...document.querySelectorAll("[aria-label=Events] tbody")].flatMap((body) =>
        [...body.querySelectorAll("tr:has(td time)")].map((row) => [
          body.querySelector(".group").textContent,
          row.cells[0].innerText.trim(),
          row.querySelector(".own-time time").dateTime,
        ]))`,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const [day, time, utc] of rows) {
      // Tokyo is nine hours ahead of UTC in every season.
      const there = new Date(Date.parse(utc) + 9 * 3_600_000);
      expect(time).toBe(there.toISOString().slice(11, 16));
      expect(day).toEndWith(
        there.toLocaleDateString("en-GB", { timeZone: "UTC", day: "numeric", month: "short" }),
      );
    }
    await page.goto("/console/settings");
    await page.evaluate(`(() => {
      const select = [...document.querySelectorAll("select")].find((one) => one.value === "Asia/Tokyo");
      select.value = "Asia/Ho_Chi_Minh";
      select.dispatchEvent(new Event("change", { bubbles: true }));
    })()`);
    await page.waitFor("document.querySelector('.toast')");
    expect(await kept()).toEqual({ timeZone: "Asia/Ho_Chi_Minh" });
  });

  test("time zones are in groups with their offsets, and one that was kept by its old name is chosen", async () => {
    await openWith({ timeZone: "Asia/Calcutta" }, "/console/settings");
    const chosen = "document.querySelector('select:has(optgroup)')";
    expect(await page.evaluate<string>(`${chosen}.selectedOptions[0].text`)).toBe(
      "Kolkata (UTC+5:30)",
    );
    const options = await page.evaluate<string[]>(
      `[...${chosen}.querySelectorAll("optgroup:first-of-type option")].map((one) => one.value)`,
    );
    expect(options).toContainValues(["America/New_York", "Asia/Tokyo", "Asia/Ho_Chi_Minh"]);
    const values = await page.evaluate<string[]>(`[...${chosen}.options].map((one) => one.value)`);
    expect(new Set(values).size).toBe(values.length);
    expect(values.filter((one) => /Saigon|Calcutta|Rangoon|Kiev/.test(one))).toEqual([]);
    expect(await page.text("label:has(optgroup) .muted")).toStartWith("Kolkata (UTC+5:30): ");
  });

  test("the first page opens instead of Markets, which stays within reach", async () => {
    await openWith({ firstPage: "screener" }, "/console");
    await page.waitFor("location.pathname === '/console/screen'");
    await page.clickText("Markets", ".head nav");
    await page.waitFor("document.querySelector('h1')?.innerText === 'Markets'");
    expect(await page.evaluate<string>("location.pathname")).toBe("/console/markets");
    // Its address opens it in a new tab too.
    await page.goto("/console/about");
    await page.goto("/console/markets");
    expect(await page.text("h1")).toBe("Markets");
    expect(await page.evaluate<string>("location.pathname")).toBe("/console/markets");
    // Without a choice of the user, the start is Markets.
    await openWith({}, "/console");
    expect(await page.text("h1")).toBe("Markets");
  });
});

/** Visible texts and names for screen readers, without code and what is English on purpose. */
const TEXTS = `(() => {
  const isOurs = (one) => !one.closest("code, pre, .short-name, .tile, [lang=en]");
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (isOurs(parentElement) && parentElement.checkVisibility()) texts.push(data);
  }
  for (const name of ["aria-label", "aria-valuetext", "title", "placeholder"]) {
    for (const one of document.querySelectorAll("[" + name + "]")) {
      if (isOurs(one)) texts.push(one.getAttribute(name));
    }
  }
  return [document.title, ...texts].map((text) => text.trim());
})()`;
/** English words in a row that are names of programs and of their authors. */
const NAMES = /API with|TradingView charting library|and contributors/;

describe.skipIf(CHROMIUM === null).each([
  ["ja", ja, /兆|億/, ["市場", "スクリーナー", "失業率", "自動車"]],
  [
    "vi",
    vi,
    /, (?:nghìn )?tỷ/,
    ["Thị trường", "Lọc cổ phiếu", "Tỷ lệ thất nghiệp", "Sản xuất ô tô"],
  ],
] as const)("in %s", (language, words, units, terms) => {
  // A service of its own: one user may send 600 requests a minute.
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => void (opened = await openConsole()));
  afterAll(() => opened?.close());
  /** Saves the language as another device does. */
  const choose = () =>
    opened.page.evaluate(`fetch("/console/api/settings", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: '{"language":"${language}"}',
    })`);

  test("figures, sentences and terms are those of the language", async () => {
    const [markets, screener, unemployment] = terms;
    const { page } = opened;
    await choose();
    await page.goto("/console/screen?country=US");
    await page.waitFor("document.querySelector('main td.number')");
    expect(await page.evaluate<string>("document.documentElement.lang")).toBe(language);
    const texts = await page.texts("main td.number");
    // One unit for the column, in its head.
    expect((await page.texts("main th")).filter((text) => units.test(text))).not.toBeEmpty();
    // An English unit after a digit.
    expect(texts.filter((text) => /\d\.\d+ [KMBT]\b/.test(text))).toEqual([]);
    expect((await page.texts(".head nav a")).slice(0, 2)).toEqual([markets, screener]);
    // The calendar is searched in both languages, and a list with the name of a page keeps its name.
    await page.goto("/console/calendar?from=2026-11-25");
    await page.fill("#calendar input[type=search]", unemployment);
    await page.waitFor("location.search.includes('find=')");
    await page.settle();
    expect(await page.text("#calendar td.event")).toContain(unemployment);
    await page.evaluate(`fetch("/console/api/lists/Markets", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ items: [] }),
    }).then((answer) => answer.text())`);
    await page.goto("/console/lists/Markets");
    expect(await page.text("h1")).toBe("Markets");
    expect(page.problems).toEqual([]);
  });

  test.each([
    ["markets", "/console"],
    ["symbol", "/console/JP/7203"],
    ["screen", "/console/screen?country=VN"],
    ["lists", "/console/lists"],
    ["calendar", "/console/calendar"],
    ["economy", "/console/economy?country=JP"],
    ["settings", "/console/settings"],
  ] as const)("%s fits, is accessible, and is in the language", async (name, path) => {
    const { page } = opened;
    const [, , unemployment, cars] = terms;
    await choose();
    for (const width of [390, 1440]) {
      await page.resize(width);
      await page.goto(path);
      await page.screenshot(`${name}-${language}-${width}`);
      expect([path, width, await page.isWide()]).toEqual([path, width, false]);
      expect(await page.violations()).toEqual([]);
      if (name === "economy") expect(await page.text("main")).toContain(unemployment);
      if (name === "symbol") {
        expect(await page.text(".symbol-about")).toContain(cars);
        const isJapanese = language === "ja";
        await page.waitFor(
          `document.querySelector("h1").innerText === "${isJapanese ? "トヨタ自動車" : "Toyota Motor Corporation"}"`,
        );
        expect(await page.text(".symbol-about")).toContain(
          isJapanese ? "Toyota Motor Corporation" : "トヨタ自動車",
        );
      }
    }
    expect(page.problems).toEqual([]);
  });

  test("no sentence of the console is left in English", async () => {
    const { page } = opened;
    const translated = new Map(
      Object.entries(words.sentences).filter(
        ([english, own]) => english !== own && /[a-z]/.test(english),
      ),
    );
    // A sentence without a translation is in English.
    const missing = Object.keys(SENTENCES)
      .filter((one) => !(one in words.sentences))
      .map((one) => new RegExp(`^${RegExp.escape(one).replaceAll(/\\\{\w+\\\}/g, ".*")}$`));
    await choose();
    for (const path of [
      "/console",
      "/console/US/AAPL",
      "/console/US/AAPL/chart",
      "/console/JP/7203/financials?period=quarterly",
      "/console/US/^GSPC",
      "/console/sectors?country=US&sector=technology",
      "/console/compare?symbols=AAPL,JP:7203",
      "/console/screen?country=JP",
      "/console/lists",
      "/console/alerts",
      "/console/calendar?view=list",
      "/console/economy",
      "/console/economy?country=US&series=GDP+growth+QoQ+annualized",
      "/console/programs",
      "/console/tokens",
      "/console/settings",
      "/console/about",
      "/console/admin",
    ]) {
      await page.goto(path);
      await page.waitFor(`document.documentElement.lang === "${language}"`);
      const texts = await page.evaluate<string[]>(TEXTS);
      expect(texts.length).toBeGreaterThan(20);
      const english = texts.filter(
        (text) =>
          translated.has(text) ||
          // Vietnamese has words without accents.
          (language === "ja" &&
            /\b[a-z]{3,} [a-z]{3,}\b/.test(text) &&
            !NAMES.test(text) &&
            !missing.some((one) => one.test(text))),
      );
      expect([path, ...english]).toEqual([path]);
      // Two columns of a table with one name are two English words with one translation.
      const heads = await page.evaluate<string[][]>(
        `[...document.querySelectorAll("thead")].map((head) =>
          [...head.querySelectorAll("th")].map((one) => one.innerText.trim()).filter(Boolean))`,
      );
      for (const titles of heads) expect([path, ...new Set(titles)]).toEqual([path, ...titles]);
    }
  });

  test("companies have their names of the language in the tables of sectors and reports", async () => {
    const { page } = opened;
    await choose();
    await page.evaluate(`fetch("/console/api/lists/apple", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: '{"items":[{"country":"US","symbol":"AAPL"}]}',
    })`);
    const name = language === "ja" ? "アップル" : "Apple Inc.";
    for (const [path, cell] of [
      ["/console/sectors?country=US&sector=technology", "main td .short-name"],
      ["/console/lists/apple", "main table:has(time) td .cut"],
    ] as const) {
      await page.goto(path);
      await page.waitFor(
        `[...document.querySelectorAll("${cell}")].some((one) => one.innerText === "${name}")`,
      );
    }
  });
});
