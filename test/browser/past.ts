import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { BrowserPage, CHROMIUM } from "../support/browser.ts";
import { createKey } from "../support/console-client.ts";
import { cutMarket } from "../support/cut-market.ts";
import { startService } from "../support/service.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

const DAY = "2025-03-31";
/** The pages with figures of the market, with all their parts. */
const PAGES = [
  "/console",
  "/console?country=JP&window=return_1y",
  "/console/US/AAPL",
  "/console/US/AAPL/chart?panes=rsi,macd&with=US:%5EGSPC&range=5Y",
  "/console/US/AAPL/financials",
  "/console/US/AAPL/financials?periods=quarterly&view=ratios",
  "/console/US/AAPL/valuation",
  "/console/US/AAPL/forecast",
  "/console/US/AAPL/dividends",
  "/console/US/%5EGSPC",
  "/console/US/SPY",
  "/console/JP/7203",
  "/console/VN/FPT",
  "/console/screen",
  "/console/screen?where=pe%3C20&country=JP",
  "/console/lists",
  "/console/lists/semis",
  "/console/compare?symbols=AAPL,MSFT,JP:7203",
  "/console/compare?symbols=AAPL,MSFT,JP:7203&part=risk",
  "/console/sectors",
  "/console/sectors?columns=valuation&country=VN",
  "/console/sectors?sector=technology",
  "/console/economy",
  "/console/economy?country=JP&series=Manufacturing%20PMI",
  "/console/calendar",
  "/console/calendar?view=week&list=semis",
];

const on = (path: string) => `${path}${path.includes("?") ? "&" : "?"}on=${DAY}`;

/** The parts of a text that are dates after the day: `20 Nov 2026`, `2026-11-20`, `FY 2026`. */
function laterDates(text: string): string[] {
  const written = text.match(/\b\d{1,2} [A-Z][a-z]{2,3} 20\d\d|\b20\d\d-\d\d-\d\d\b/g) ?? [];
  return written.filter((one) => Date.parse(`${one.replace("Sept", "Sep")} UTC`) > Date.parse(DAY));
}

describe.skipIf(CHROMIUM === null)("a page of a past day", () => {
  /** A service, and a page of it that is signed in. */
  async function open(host: string, folder?: string) {
    const service = await startService({ perUser: Infinity, ...(folder && { folder }) });
    service.accounts.addUser("owner", "unlimited");
    // A cookie is of a host, whatever its port.
    const page = await BrowserPage.open(service.origin.replace("127.0.0.1", host));
    return { service, page };
  }
  async function signIn({ service, page }: Awaited<ReturnType<typeof open>>): Promise<void> {
    await page.goto(`/console#key=${createKey(service, "owner")}`);
    const items = [
      { country: "US", symbol: "NVDA", shares: 10 },
      { country: "JP", symbol: "7203", shares: 100 },
    ];
    await page.evaluate(`fetch("/console/api/lists/semis", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: ${JSON.stringify(JSON.stringify({ items }))},
    }).then(({ ok }) => ok)`);
  }
  let whole: Awaited<ReturnType<typeof open>>;
  let cut: Awaited<ReturnType<typeof open>>;
  let stored: ReturnType<typeof cutMarket>;
  beforeAll(async () => {
    whole = await open("127.0.0.1");
    whole.service.market.checkpoint();
    stored = cutMarket(join(whole.service.folder, "market.db"), DAY);
    cut = await open("localhost", stored.folder);
    for (const one of [whole, cut]) await signIn(one);
  });
  afterAll(async () => {
    for (const one of [whole, cut]) {
      one?.page.close();
      await one?.service.stop();
    }
    stored?.[Symbol.dispose]();
  });

  test.each(PAGES)("%s has nothing that became known later", async (path) => {
    const [text, expected] = await Promise.all(
      [whole.page, cut.page].map(async (page) => {
        page.problems.length = 0;
        await page.goto(on(path));
        await page.settle();
        expect(page.problems).toEqual([]);
        // The companies of lists come without a placeholder.
        await page.waitFor(
          `(document.querySelector(".lists-table")?.innerText ?? "NVDA").includes("NVDA")`,
        );
        // The panels below a series come together, without a placeholder.
        await page.waitFor(
          `document.querySelector("#series")?.innerText.includes("Over another series") ?? true`,
        );
        return page.text("main");
      }),
    );
    expect(text).toBe(expected ?? "");
    expect(laterDates(text ?? "")).toEqual([]);
    // The day is in the head, and in each link and request.
    expect(await whole.page.text(".past b")).toBe("As of 31 Mar 2025");
    const undated = await whole.page.evaluate<string[]>(`[
      ...[...document.querySelectorAll("a[href^='/console']")].map((one) => one.getAttribute("href")),
      ...performance.getEntriesByType("resource").map(({ name }) => new URL(name))
        .filter(({ pathname }) => /api\\/(data|macro-lines|indicator-lines|distribution)/.test(pathname))
        .map(({ pathname, search }) => pathname + search.replace("known_on", "on")),
    ].filter((one) => !/[?&]on=${DAY}(&|#|$)/.test(one))`);
    expect(undated).toEqual([]);
  });

  test("is one click from today, and the same click away by keyboard", async () => {
    const { page } = whole;
    await page.goto("/console/US/AAPL?range=5Y");
    expect(await page.evaluate("document.querySelector('.past')")).toBeNull();
    await page.click(".markets-chip");
    await page.waitFor("document.querySelector('.day-choice input')");
    await page.evaluate(`document.querySelector(".day-choice input").value = "${DAY}"`);
    await page.evaluate("document.querySelector('.day-choice input').focus()");
    await page.press("Enter");
    await page.waitFor("document.querySelector('.past b')");
    expect(await page.evaluate("location.search")).toBe(`?range=5Y&on=${DAY}`);
    expect(await page.shifts()).toEqual([]);
    expect(await page.evaluate("document.title")).toBe("Apple Inc. · 31 Mar 2025 · bourse");
    // The day stays on the way through links, the search and back.
    await page.clickText("Financials");
    await page.waitFor("location.pathname.endsWith('/financials')");
    expect(await page.evaluate("location.search")).toBe(`?on=${DAY}`);
    await page.evaluate("history.back()");
    await page.waitFor("location.search.startsWith('?range')");
    await page.clickText("Back to today");
    await page.waitFor("location.search === '?range=5Y' && document.querySelector('h1')");
    await page.waitFor("document.title === 'Apple Inc. · bourse'");
    expect(await page.evaluate("document.querySelector('.past')")).toBeNull();
  });

  test("names its day in what leaves it", async () => {
    const { page } = whole;
    await page.goto(on("/console/US/AAPL"));
    await page.evaluate(`(() => {
      window.saved = [];
      HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };
    })()`);
    await page.clickText("Export");
    const [name] = await page.waitFor<string[]>("window.saved.length > 0 && window.saved");
    expect(name).toBe("AAPL 2025-03-31 (as of 2025-03-31).csv");
    await page.clickText("Use in agent");
    await page.waitFor("document.querySelector('dialog pre')");
    const calls = await page.texts("dialog pre");
    expect(calls.filter((one) => one.includes("tools/call")).length).toBeGreaterThan(0);
    for (const one of calls.filter((text) => text.includes("tools/call")))
      expect(one).toContain(`"known_on": "${DAY}"`);
  });

  test("a page without figures of the market says that it shows today", async () => {
    const { page } = whole;
    for (const path of ["/console/tokens", "/console/settings", "/console/about"]) {
      await page.goto(on(path));
      expect(await page.text(".past")).toContain("This page has no past: it shows today.");
    }
  });

  test.each(["2025-02-31", "yesterday", "", "2099-01-01"])("on=%s is refused", async (day) => {
    const { page } = whole;
    await page.goto(`/console/US/AAPL?on=${day}`);
    expect(await page.text("main")).toMatch(/The address names no day|must be today/);
    await page.clickText("Back to today");
    await page.waitFor("location.search === '' && document.querySelector('h1')");
  });

  test.each([
    [360, "en"],
    [360, "ja"],
    [360, "vi"],
    [1440, "en"],
  ] as const)("at %i px in %s it fits and is accessible", async (width, language) => {
    const { page } = whole;
    await page.resize(width, 844);
    await page.evaluate(`fetch("/console/api/settings", { method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ language: "${language}" }) }).then(({ ok }) => ok)`);
    await page.goto(on("/console/US/AAPL"));
    await page.click(".markets-chip");
    await page.waitFor("document.querySelector('.day-choice')?.checkVisibility()");
    await page.screenshot(`past-${width}-${language}`);
    expect(await page.isWide()).toBe(false);
    expect(await page.violations()).toEqual([]);
    const overlaps = await page.evaluate<string[]>(`(() => {
      const all = [...document.querySelectorAll(".head > :not(nav, .skip, .menu, dialog)")]
        .filter((one) => one.checkVisibility()).map((one) => [one.innerText, one.getBoundingClientRect()]);
      return all.flatMap(([text, box], i) => all.slice(i + 1)
        .filter(([, other]) => other.left < box.right - 1).map(([other]) => text + " / " + other));
    })()`);
    expect(overlaps).toEqual([]);
  });
});
