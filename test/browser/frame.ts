import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type BrowserPage, CHROMIUM, openConsole } from "../support/browser.ts";
import { setPageClock } from "../support/page-clock.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

describe.skipIf(CHROMIUM === null)("the frame", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  let page: BrowserPage;
  beforeAll(async () => {
    opened = await openConsole();
    ({ page } = opened);
  });
  afterAll(() => opened?.close());
  beforeEach(() => void (page.problems.length = 0));

  const find = async (text: string) => {
    await page.press("k", { modifiers: ["Control"] });
    await page.waitFor("document.activeElement?.role === 'combobox'");
    await page.type(text);
  };
  const address = () =>
    page.evaluate<string>("decodeURIComponent(location.pathname + location.search)");

  test.each([
    ["compare AAPL msft", "/console/compare?symbols=US:AAPL,US:MSFT"],
    ["compare AAPL and MSFT", "/console/compare?symbols=US:AAPL,US:MSFT"],
    ["Compare Toyota Honda", "/console/compare?symbols=JP:7203,JP:7267"],
    ["compare bank of america vs xyzzyx", "/console/compare?symbols=US:BAC,xyzzyx"],
    ["apple vs toyota", "/console/compare?symbols=US:AAPL,JP:7203"],
    ["sectors", "/console/sectors"],
    ["new token", "/console/tokens"],
    ["language", "/console/settings"],
    ["toyota valuation", "/console/JP/7203/valuation"],
    ["toyota peers", "/console/JP/7203"],
    ["toyota technicals", "/console/JP/7203/chart"],
    ["us interest rate", "/console/economy?country=US&series=Fed+funds+target+(upper)"],
  ])("Enter does at once what %s says", async (text, expected) => {
    await page.goto("/console/about");
    await find(text);
    await page.press("Enter");
    await page.waitFor("location.pathname !== '/console/about'");
    expect(await address()).toBe(expected);
  });

  test("? shows the keys on every page, and is a letter in a field", async () => {
    for (const path of ["/console", "/console/US/AAPL", "/console/screen"]) {
      await page.goto(path);
      await page.press("?");
      const help = "document.querySelector('dialog[open][aria-label=Keys]')";
      await page.waitFor(help);
      expect(await page.texts("dialog[open] kbd")).toContain("J K");
      await page.press("?");
      expect(await page.texts("dialog[open] h2")).toEqual(["Keys"]);
      expect(await page.violations()).toEqual([]);
      await page.press("Escape");
      await page.waitFor(`!${help}`);
      await page.press("/");
      await page.waitFor("document.activeElement?.role === 'combobox'");
      await page.press("?");
      expect(await page.evaluate(`${help} === null`)).toBe(true);
      await page.press("Escape");
    }
    expect(page.problems).toEqual([]);
  });

  test("at 200 %, nothing of a page lies over the menu at the bottom", async () => {
    // Half of 1440 × 900.
    await page.resize(720, 450);
    await page.goto("/console/US/AAPL");
    const over = await page.evaluate<string[]>(`(() => {
      const menu = document.querySelector(".head nav").getBoundingClientRect();
      const found = new Set();
      const end = document.documentElement.scrollHeight;
      for (let top = 0; top < end; top += 10) {
        scrollTo(0, top);
        for (const x of [20, 200, 360, 600]) {
          const hit = document.elementFromPoint(x, menu.top + menu.height / 2);
          if (!hit.closest(".head nav")) found.add(hit.className || hit.localName);
        }
      }
      return [...found];
    })()`);
    expect(over).toEqual([]);
    await page.resize(1440);
  });

  test.each([
    ["CPI Japan", /country=JP&series=\S*(CPI|Inflation)/],
    ["vietnam gdp", /country=VN&series=\S*GDP/],
    ["inflation us", /country=US&series=\S*inflation/i],
  ])(
    "the search leads to a series by words of its name and its country: %s",
    async (text, series) => {
      await page.goto("/console/about");
      await find(text);
      // At once: Enter waits for the answers.
      await page.press("Enter");
      await page.waitFor("location.pathname === '/console/economy'");
      expect(await address()).toMatch(series);
    },
  );

  test("a series that fits is before what is only close, and what is not there is said neutrally", async () => {
    await page.goto("/console/about");
    await find("interest rate");
    await page.waitFor("document.querySelector('.search [role=option]')");
    await page.waitFor("document.querySelector('.search [role=option]').innerText.includes('Fed')");
    expect(await page.text(".search")).not.toMatch(/Did you mean|Pinterest/);
    await page.fill(".search input", "s&p");
    await page.waitFor("document.querySelector('.search [role=option] b')");
    await page.settle();
    expect((await page.texts(".search [role=option]")).join()).not.toContain("payrolls");
    await page.fill(".search input", "qqzzxx9");
    await page.waitFor("document.querySelector('.search .empty')");
    expect(await page.text(".search .empty")).toBe(
      "Nothing found for “qqzzxx9”. Try a symbol, a company, an indicator or a page.",
    );
    // Longer than a query of the service.
    await page.fill(".search input", "qqzzxx9".repeat(20));
    await page.waitFor("document.querySelector('.search .empty')?.innerText.includes('9qq')");
  });

  test.each([
    ["cheap banks", "Cheap and paying · Financial Services\nScreener"],
    ["momentum", "Momentum\nScreener"],
    ["dividend calendar", "Calendar\nPage"],
    ["ex-dates", "Calendar\nPage"],
    ["export my data", "Lists\nPage"],
  ])("the search offers for %s what has it", async (text, expected) => {
    await page.goto("/console/about");
    await find(text);
    await page.waitFor("document.querySelector('.search [role=option]')");
    await page.settle();
    const words = expected.split("\n").join(" ");
    expect(
      (await page.texts(".search [role=option]")).map((one) => one.replace(/\s+/g, " ")),
    ).toContain(words);
  });

  test("where clients cannot connect by OAuth, the page says where they connect by a token", async () => {
    await page.goto("/console/connect");
    expect(await page.text(".consent .failure")).toContain("Clients cannot connect by OAuth");
    await page.clickText("Agents and programs", ".consent");
    await page.waitFor("location.pathname === '/console/programs'");
  });

  test("a preset opens with its sector, and a letter in brackets finds no series", async () => {
    await page.goto("/console/about");
    await find("cheap banks");
    await page.waitFor("document.querySelector('.search [role=option]')");
    await page.press("Enter");
    await page.waitFor("location.pathname === '/console/screen'");
    expect(await address()).toBe(
      "/console/screen?country=US&sector=financial-services&where=pe<15,dividend_yield>3,payout_ratio<80&sort=pe",
    );
    await page.goto("/console/about");
    await find("<b>");
    await page.waitFor("document.querySelector('.search .empty')");
    expect(await page.texts(".search [role=option]")).toEqual([]);
  });

  test.each([
    ["ja", "トヨタ 配当", "配当"],
    ["vi", "ngon ngu", "Ngôn ngữ"],
  ])("in %s, %s finds %s", async (language, text, expected) => {
    await page.goto("/console/about");
    const keep = (body: object) =>
      page.evaluate(`fetch("/console/api/settings", {
        method: "PUT", headers: { "Content-Type": "application/json" }, body: '${JSON.stringify(body)}',
      }).then(({ ok }) => ok)`);
    await keep({ language });
    await page.goto("/console/about");
    await find(text);
    await page.waitFor(
      `[...document.querySelectorAll('.search [role=option]')].some((one) => one.innerText.includes("${expected}"))`,
    );
    await keep({});
  });

  test("Caps Lock does not hide the search, and its field says that it has a list", async () => {
    await page.goto("/console/about");
    await page.evaluate(
      `document.dispatchEvent(new KeyboardEvent("keydown", { key: "K", ctrlKey: true, bubbles: true }))`,
    );
    await page.waitFor("document.activeElement?.role === 'combobox'");
    expect(await page.evaluate<string>("document.activeElement.ariaAutoComplete")).toBe("list");
  });

  test.each([
    ["/console/us/aapl", "/console/US/AAPL"],
    ["/console/jp/7203/", "/console/JP/7203"],
    ["/console/US/aapl/Financials?periods=8", "/console/US/AAPL/financials?periods=8"],
    ["/console/us/%5egspc", "/console/US/^GSPC"],
    ["/console/Screen/", "/console/screen"],
  ])("%s leads to %s", async (written, expected) => {
    await page.goto(written);
    expect(await address()).toBe(expected);
    expect(await page.texts(".failure")).toEqual([]);
  });

  test("a country that is not there is answered by those that are, and by the search", async () => {
    await page.goto("/console/XX/AAPL");
    expect(await page.text(".failure")).toContain("US, JP, VN");
    await page.goto("/console/US/QQZZXX9");
    await page.clickText("Search for QQZZXX9");
    await page.waitFor("document.activeElement?.value === 'QQZZXX9'");
    expect(await page.violations()).toEqual([]);
  });

  test("the search offers what was opened last, before anything is typed", async () => {
    await page.goto("/console/about");
    await page.evaluate("localStorage.clear()");
    for (const symbol of ["AAPL", "MSFT"]) await page.goto(`/console/US/${symbol}`);
    await find("");
    const rows = await page.texts("[role=option]");
    // Below them, examples of what else can be typed.
    expect(rows.map((row) => row.split(" ")[0])).toEqual(["MSFT", "AAPL", "Compare", "New"]);
    expect(await page.violations()).toEqual([]);
    await page.press("ArrowDown");
    await page.press("Enter");
    await page.waitFor("location.pathname === '/console/US/AAPL'");
  });

  test("an Enter that ends a composition of kana opens nothing, and the keys keep the chosen row in sight", async () => {
    await page.goto("/console/about");
    await page.resize(1366, 500);
    await find("inc");
    await page.waitFor("document.querySelectorAll('[role=option]').length > 8");
    await page.evaluate(`document.activeElement.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true }),
    )`);
    for (let i = 0; i < 9; i++) await page.press("ArrowDown");
    const [row, dialog] = await page.evaluate<number[]>(
      `["[role=option][aria-selected=true]", "dialog[open]"].map((one) => document.querySelector(one).getBoundingClientRect().bottom)`,
    );
    expect(row).toBeLessThanOrEqual(dialog ?? 0);
    expect(await address()).toBe("/console/about");
    await page.resize(1440);
  });

  test.each([390, 1440])(
    "at %i px, the field of the search is as wide as its dialog",
    async (width) => {
      await page.resize(width);
      await page.goto("/console");
      await page.press("/");
      const [field, dialog] = await page.waitFor<number[]>(
        `["dialog[open] input", "dialog[open]"].map((one) => document.querySelector(one)?.clientWidth ?? 0)
        .every(Boolean) && ["dialog[open] input", "dialog[open]"].map((one) => document.querySelector(one).clientWidth)`,
      );
      expect(field).toBeGreaterThan((dialog ?? 0) - 48);
      await page.press("Escape");
      await page.resize(1440);
    },
  );

  test("the head fits every window", async () => {
    for (const width of [961, 1024, 1161, 1280, 1321]) {
      await page.resize(width);
      await page.goto("/console/about");
      await page.waitFor("document.querySelector('.markets-chip .market-word')");
      expect({ width, isWide: await page.isWide() }).toEqual({ width, isWide: false });
    }
    await page.resize(1440);
  });

  test("a theme is kept with the account", async () => {
    const background = () =>
      page.evaluate<string>("getComputedStyle(document.body.parentElement).backgroundColor");
    await page.goto("/console/about");
    const before = await background();
    await find("dark");
    await page.press("Enter");
    await page.waitFor("document.documentElement.dataset.theme === 'dark'");
    expect(await background()).not.toBe(before);
    await page.evaluate("localStorage.clear()");
    await page.goto("/console/about");
    await page.waitFor("document.documentElement.dataset.theme === 'dark'");
    await find("system theme");
    await page.press("Enter");
    await page.waitFor("document.documentElement.dataset.theme === 'system'");
  });

  test("a phone has five pages at the bottom, the state of the market above, and the rest in a menu", async () => {
    const shown = (selector: string) =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll("${selector}")]
          .filter((one) => one.checkVisibility() && one.getBoundingClientRect().left >= 0 &&
            one.getBoundingClientRect().right <= innerWidth)
          .map((one) => one.innerText.trim())`,
      );
    const sections = ["Markets", "Screener", "Lists", "Calendar", "Economy"];
    for (const width of [360, 390, 960]) {
      await page.resize(width);
      await page.goto("/console/about");
      expect(await shown(".head nav a")).toEqual(sections);
      expect(await shown(".chip.sample")).toHaveLength(1);
      await page.waitFor("document.querySelector('.markets-chip .market-word')");
      expect(await shown(".markets-chip")).toHaveLength(1);
      expect(await page.isWide()).toBe(false);
      await page.click(".markets-chip");
      expect(await shown("#markets-text li")).toHaveLength(3);
      await page.press("Escape");
      expect(
        await page.evaluate<string>(
          `getComputedStyle(document.querySelector(".user"), "::after").content`,
        ),
      ).toContain("☰");
      await page.click(".user");
      expect(await shown("#user-menu .menu-title")).toEqual(["Markets", "Connect", "owner"]);
      expect(await shown("#user-menu a")).toEqual(
        expect.arrayContaining(["Sectors", "Compare", "Tokens"]),
      );
      await page.screenshot(`menu-${width}`);
      await page.click("#user-menu [aria-label^='Theme: As the system']");
      await page.waitFor("document.documentElement.dataset.theme === 'light'");
      expect(await page.violations()).toEqual([]);
      await page.evaluate(`fetch("/console/api/settings", {
        method: "PUT", headers: { "Content-Type": "application/json" }, body: "{}",
      }).then(({ ok }) => ok)`);
    }
    await page.resize(1440);
    await page.goto("/console/about");
    expect(await shown(".head nav a")).toEqual([...sections, "Connect"]);
    await page.click(".user");
    expect(await shown("#user-menu .menu-title")).toEqual(["Connect", "owner"]);
    await page.goto("/console");
    expect(await shown("main .section-menu a")).toEqual(["Sectors", "Compare"]);
  });

  test("the head says how long a market is open, by the reader's clock", async () => {
    await setPageClock(page, "America/New_York");
    await page.goto("/console/about");
    // The clock is START, Friday 2026-11-20T17:30Z: New York closes at 21:00Z, Tokyo opens on Monday or Tuesday.
    await page.waitFor("document.querySelector('.markets-chip .muted')");
    expect((await page.text(".markets-chip")).trim()).toBe("US open 3:30 left");
    await page.click(".markets-chip");
    const states = await page.texts("#markets-text li");
    expect(states[1]?.trim()).toMatch(/^Japan closed opens in \d days$/);
  });

  test("the buttons beside the title of a page have one form, and the main one its colour", async () => {
    const buttons = ".page-title > .panel-actions > :is(button, a.button)";
    for (const path of ["/console/US/AAPL", "/console/screen?where=pe<20"]) {
      await page.goto(path);
      const forms = await page.evaluate<string[]>(
        `[...document.querySelectorAll("${buttons}")].map((one) => {
          const { height, fontSize, borderTopColor, backgroundColor, color } = getComputedStyle(one);
          const colours = one.matches(".primary") ? [] : [borderTopColor, backgroundColor, color];
          return [height, fontSize, ...colours].join(" ");
        })`,
      );
      expect(forms.length).toBeGreaterThan(1);
      const [other = "", ...rest] = [...new Set(forms)].toSorted((a, b) => b.length - a.length);
      expect(rest.filter((one) => !other.startsWith(one))).toEqual([]);
      expect(rest.length).toBeLessThanOrEqual(1);
    }
  });

  test("an unknown page leads to those that there are", async () => {
    await page.goto("/console/nothing");
    expect(await page.texts("main li a")).toContain("Screener");
  });

  test("an unknown symbol leads to the closest ones", async () => {
    await page.goto("/console/US/TOYTA");
    await page.waitFor("document.querySelector('.failure')");
    await page.waitFor("document.querySelector('.page-list a[href=\"/console/JP/7203\"]')");
  });
});
