import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CHROMIUM, openConsole, type Theme } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

/** A path of every page, and a name for its screenshots. */
const PAGES: Readonly<Record<string, string>> = {
  markets: "/console",
  symbol: "/console/US/AAPL",
  "symbol-chart": "/console/US/AAPL/chart?panes=rsi,macd&with=US:%5EGSPC",
  "symbol-extras": "/console/US/AAPL/chart?extra=pe,eps,revenue,dividend,ema20,bb20",
  "symbol-financials": "/console/US/AAPL/financials",
  "symbol-valuation": "/console/US/AAPL/valuation",
  "symbol-forecast": "/console/US/AAPL/forecast",
  "symbol-dividends": "/console/US/AAPL/dividends",
  "symbol-index": "/console/US/%5EGSPC",
  "symbol-fund": "/console/US/SPY",
  "symbol-japan": "/console/JP/7203",
  screen: "/console/screen",
  "screen-filters": "/console/screen?where=pe%3C20",
  lists: "/console/lists",
  list: "/console/lists/semis",
  alerts: "/console/alerts",
  compare: "/console/compare?symbols=AAPL,MSFT,JP:7203",
  "compare-history":
    "/console/compare?symbols=AAPL,MSFT,JP:7203&part=history&metrics=roe,revenue&range=5Y",
  "compare-risk": "/console/compare?symbols=AAPL,MSFT,JP:7203&part=risk",
  sectors: "/console/sectors",
  "sectors-valuation": "/console/sectors?columns=valuation",
  "sectors-japan": "/console/sectors?country=JP&by=local_sector",
  sector: "/console/sectors?sector=technology",
  economy: "/console/economy",
  calendar: "/console/calendar",
  "calendar-week": "/console/calendar?view=week",
  "economy-series": "/console/economy?country=JP&series=Manufacturing%20PMI",
  tokens: "/console/tokens",
  programs: "/console/programs",
  log: "/console/log",
  "log-errors": "/console/log?view=errors",
  admin: "/console/admin",
  "admin-users": "/console/admin?part=users",
  settings: "/console/settings",
  account: "/console/account",
  about: "/console/about",
  unknown: "/console/nothing",
  "symbol-unknown": "/console/US/NOSUCH",
};
const WIDTHS = [360, 768, 1440] as const;
/** The themes with the rules to check: a theme changes nothing but colours. */
const THEMES: readonly (readonly [Theme, rules?: readonly string[]])[] = [
  ["light"],
  ["dark", ["color-contrast", "link-in-text-block"]],
];

describe.skipIf(CHROMIUM === null).each([...WIDTHS])("every page at %i px", (width) => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    opened = await openConsole({ width });
    const { page } = opened;
    const items = [
      { country: "US", symbol: "NVDA", shares: 10, note: "bought early" },
      { country: "JP", symbol: "7203", shares: 100 },
    ];
    await page.evaluate(`fetch("/console/api/lists/semis", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: ${JSON.stringify(JSON.stringify({ items }))},
    }).then(({ ok }) => ok)`);
    await page.answerLate(width);
  });
  afterAll(() => opened?.close());

  test.each(Object.entries(PAGES))(
    "%s stays where it is, fits, is accessible and keeps the policy",
    async (name, path) => {
      const { page } = opened;
      page.problems.length = 0;
      await page.goto(path);
      expect(await page.shifts()).toEqual([]);
      for (const [theme, rules] of THEMES) {
        await page.setTheme(theme);
        await page.settle();
        await page.screenshot(`${name}-${width}-${theme}`);
        expect({ theme, isWide: await page.isWide() }).toEqual({ theme, isWide: false });
        expect(await page.violations(rules)).toEqual([]);
      }
      expect(page.problems).toEqual([]);
    },
  );
});

/** Pages whose heads have long titles, buttons or tabs. */
const HEADS = [
  "/console",
  "/console/JP/7203",
  "/console/screen",
  "/console/lists",
  "/console/compare?symbols=AAPL,MSFT,JP:7203",
  "/console/calendar",
  "/console/economy",
];

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

  test.each(["/console/programs", "/console/calendar", "/console/screen", "/console/US/AAPL"])(
    "%s: what gets the focus is above the menu",
    async (path) => {
      const { page } = opened;
      await page.goto(path);
      const hidden = await page.evaluate<string[]>(`(() => {
        const menu = document.querySelector(".head nav").getBoundingClientRect().top;
        return [...document.querySelectorAll("main :is(a, button, input, select)")].filter((one) => {
          one.focus();
          const { bottom, height } = one.getBoundingClientRect();
          return document.activeElement === one && height < 200 && bottom > menu + 1;
        }).map((one) => one.innerText || one.name);
      })()`);
      expect(hidden).toEqual([]);
    },
  );

  test.each(["en", "ja", "vi"])(
    "the age of the figures has a line of its own (%s)",
    async (language) => {
      const { page } = opened;
      const speak = (one: string) =>
        page.evaluate(`fetch("/console/api/settings", { method: "PUT",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ language: "${one}" }) }).then(({ ok }) => ok)`);
      expect(await speak(language)).toBe(true);
      for (const path of HEADS) {
        await page.goto(path);
        await page.settle();
        const beside = await page.evaluate<string[]>(`(() => {
          const updated = document.querySelector(".updated")?.getBoundingClientRect();
          if (!updated) return [];
          return [...document.querySelectorAll("main > :not(.updated), main > :not(.updated) *")]
            .filter((one) => !one.matches(".skip") && one.checkVisibility() && one.getClientRects().length > 0 &&
              one.getBoundingClientRect().top < updated.bottom + 2)
            .map((one) => one.localName + " " + one.innerText);
        })()`);
        expect({ path, beside }).toEqual({ path, beside: [] });
      }
      await speak("en");
    },
  );

  test("a toast is as wide as its sentence, within the window", async () => {
    const { page } = opened;
    await page.goto("/console/US/AAPL");
    await page.settle();
    await page.clickText("☆ Watch");
    const { left, right, height } = await page.waitFor<{
      left: number;
      right: number;
      height: number;
    }>("document.querySelector('.toast')?.getBoundingClientRect().toJSON()");
    expect(left).toBeGreaterThanOrEqual(0);
    expect(right).toBeLessThanOrEqual(WIDTH);
    // Two lines at most.
    expect(height).toBeLessThan(72);
    await page.clickText("Undo", ".toast");
  });

  test("the button of a panel is beside its title, whatever the title's length", async () => {
    const { page } = opened;
    for (const width of [WIDTH, 768]) {
      await page.resize(width);
      for (const path of ["/console", "/console/calendar", "/console/US/AAPL/valuation"]) {
        await page.goto(path);
        const heads = await page.evaluate<{ title: string; isBeside: boolean }[]>(
          `[...document.querySelectorAll(".panel-head:has(> button)")].map((head) => {
            const [title, button] = ["h2", ":scope > button"].map((one) => head.querySelector(one));
            const { top, right } = title.getBoundingClientRect();
            const box = button.getBoundingClientRect();
            return { title: title.innerText, isBeside: box.left >= right - 1 && box.top < top + 8 };
          })`,
        );
        expect(heads.length).toBeGreaterThan(0);
        expect(heads.filter(({ isBeside }) => !isBeside)).toEqual([]);
      }
    }
    await page.resize(WIDTH);
  });

  test("the names of a statement's rows hide what is scrolled below them", async () => {
    const { page } = opened;
    await page.goto("/console/US/AAPL/financials");
    const hidden = await page.waitFor<boolean>(
      `(() => {
        const cell = document.querySelector(".bar-row td");
        if (!cell) return null;
        cell.scrollIntoView({ block: "center" });
        const { right, bottom } = cell.getBoundingClientRect();
        cell.closest(".table-frame").scrollLeft = 1000;
        return document.elementFromPoint(right - 4, bottom - 8) === cell;
      })()`,
    );
    expect(hidden).toBe(true);
  });

  test("an error that stays has no Retry", async () => {
    await opened.page.goto("/console/US/NOSUCH");
    expect(await opened.page.text(".failure")).toBe("Symbol NOSUCH not found in US.");
  });
});

describe.skipIf(CHROMIUM === null)("on paper", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => void (opened = await openConsole({ width: 794, height: 1123 })));
  afterAll(() => opened?.close());

  test.each(["/console/JP/7203/financials", "/console/screen", "/console/economy"])(
    "%s is black on white, without what can be pressed, and its tables are whole",
    async (path) => {
      const { page } = opened;
      await page.setTheme("dark");
      await page.goto(path);
      await page.cdp("Emulation.setEmulatedMedia", { media: "print" });
      const shown = await page.evaluate<string[]>(
        "[...document.querySelectorAll('.head, .foot, .panel-actions, main select, main form')].filter((one) => one.checkVisibility()).map((one) => one.className)",
      );
      expect(shown).toEqual([]);
      expect(await page.evaluate<string>("getComputedStyle(document.body).backgroundColor")).toBe(
        "rgb(255, 255, 255)",
      );
      const cut = await page.evaluate<number>(
        "[...document.querySelectorAll('.table-frame')].filter((one) => getComputedStyle(one).overflowY !== 'visible').length",
      );
      expect(cut).toBe(0);
      await page.cdp("Emulation.setEmulatedMedia", { media: "" });
    },
  );
});

describe.skipIf(CHROMIUM === null)("without a session", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => void (opened = await openConsole({ signedIn: false })));
  afterAll(() => opened?.close());

  test.each(["/console", "/console/about"])("%s can be read", async (path) => {
    const { page } = opened;
    page.problems.length = 0;
    await page.goto(path);
    await page.screenshot(`signed-out-${path.split("/").at(-1)}`);
    if (path === "/console") {
      // What it is, the form, and then what an administrator does.
      const order = await page.evaluate<string[]>(
        "[...document.querySelectorAll('.sign-in > *')].map(({ tagName }) => tagName)",
      );
      expect(order.slice(1, 4)).toEqual(["P", "FORM", "H2"]);
      expect(await page.text(".sign-in > p")).toStartWith("bourse serves market data of");
    }
    expect(await page.violations()).toEqual([]);
    expect(page.problems).toEqual([]);
  });
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
