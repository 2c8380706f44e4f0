import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type BrowserPage, CHROMIUM, openConsole } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

/** A click, a key, or a text typed into one field. */
const MOST_ACTIONS = 6;

/** What a person does on a page, counted. Each task begins on the first page. */
class Person {
  actions = 0;
  readonly page: BrowserPage;
  constructor(page: BrowserPage) {
    this.page = page;
  }
  click(selector: string): Promise<void> {
    this.actions++;
    return this.page.click(selector);
  }
  clickText(text: string, within?: string): Promise<void> {
    this.actions++;
    return this.page.clickText(text, within);
  }
  fill(selector: string, text: string): Promise<void> {
    this.actions++;
    return this.page.fill(selector, text);
  }
  press(key: string): Promise<void> {
    this.actions++;
    return this.page.press(key);
  }
  /** Types a text where the focus is, and Enter: one action. */
  async enter(text: string): Promise<void> {
    this.actions++;
    await this.page.type(text);
    await this.page.press("Enter");
  }
}

interface Table {
  columns: string[];
  rows: (string | number | null)[][];
}

describe.skipIf(CHROMIUM === null)("a person does in six actions or fewer", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  let page: BrowserPage;
  beforeAll(async () => {
    opened = await openConsole();
    ({ page } = opened);
  });
  afterEach(() => {
    expect(page.problems.splice(0)).toEqual([]);
  });
  afterAll(() => opened?.close());

  const isAt = (path: string) => page.waitFor(`location.pathname === ${JSON.stringify(path)}`);

  /** Begins on the first page, and holds the number of actions. */
  async function task(actions: number, run: (person: Person) => Promise<void>): Promise<void> {
    const person = new Person(page);
    await page.goto("/console");
    await run(person);
    expect(person.actions).toBe(actions);
    expect(actions).toBeLessThanOrEqual(MOST_ACTIONS);
  }

  test("opens an index by its exact name", () =>
    task(2, async (person) => {
      await person.press("/");
      await page.waitFor("document.activeElement?.role === 'combobox'");
      await person.enter("S&P 500");
      await isAt("/console/US/%5EGSPC");
    }));

  test("learns whether a company is cheap for itself", () =>
    task(2, async (person) => {
      await person.press("/");
      await page.waitFor("document.activeElement?.role === 'combobox'");
      await person.enter("toyota");
      await isAt("/console/JP/7203");
      const { metrics } = await page.answer<{ metrics: { pe: Record<string, number> } }>(
        "get_valuation_history",
        "country=JP&symbol=7203&range=10y",
      );
      const text = await page.waitFor<string>("document.querySelector('.band-frame p')?.innerText");
      // 33 % of the months had a lower P/E, so today is cheaper than 67 % of them.
      const { today = NaN, percentile = NaN, median = NaN } = metrics.pe;
      const conclusion =
        percentile < 50
          ? `Cheaper than in ${Math.round(100 - percentile)}%`
          : `More expensive than in ${Math.round(percentile)}%`;
      expect(text).toStartWith(`${today.toFixed(2)} ${conclusion} of its months since `);
      expect(text).toEndWith(`(median ${median.toFixed(2)}).`);
    }));

  test("compares ten-year margins of three companies", () =>
    task(4, async (person) => {
      await person.clickText("Compare", "nav");
      await page.waitFor("document.querySelector('h1')?.innerText === 'Compare'");
      await person.click(".compared input");
      await person.enter("AAPL, jp:7203, FPT");
      await page.waitFor("document.querySelectorAll('.compared-chip').length === 3");
      await person.clickText("History", "main nav");
      await page.waitFor("document.querySelectorAll('.histories .chart canvas').length > 0");
      const rows = await page.texts('section[aria-label="Net margin"] tbody tr');
      expect(rows.length).toBeGreaterThanOrEqual(10);
      expect(rows[1]).toMatch(/^20\d\d(\s+−?\d+\.\d\d%){3}$/);
    }));

  test("finds the cheapest US bank that pays more than 3 %", () =>
    task(4, async (person) => {
      await person.clickText("Screener", "nav");
      await person.clickText("Cheap and paying");
      await page.waitFor("document.querySelector('h1').innerText === 'Cheap and paying'");
      await person.fill("[name=industry]", "bank");
      await page.press("Enter");
      await page.waitFor("location.search.includes('industry=bank')");
      // The cheapest may pay out more than the preset allows.
      await person.clickText("Remove Payout ratio < 80%");
      await page.waitFor("!location.search.includes('payout')");
      const { columns, rows } = await page.answer<Table>("screen_stocks", {
        country: "US",
        industry: "bank",
        where: "dividend_yield>3",
        sort: "pe",
      });
      const cheapest = rows[0]?.[columns.indexOf("symbol")];
      await page.waitFor(
        `document.querySelector("tbody td:nth-child(2) > a")?.innerText === "${cheapest}"`,
      );
      // The way back is no part of the task.
      await page.clickText("Remove Industry: bank");
      await page.waitFor("document.querySelector('[name=industry]').value === ''");
    }));

  test("draws the earnings of a company below its price", () =>
    task(6, async (person) => {
      await person.press("/");
      await page.waitFor("document.activeElement?.role === 'combobox'");
      await person.enter("AAPL");
      await isAt("/console/US/AAPL");
      await person.clickText("Chart", "main nav");
      await person.clickText("More lines");
      await page.waitFor("document.querySelector('dialog[open] [name=eps]')");
      await person.click("dialog[open] [name=eps]");
      await person.clickText("Show", "dialog[open]");
      await page.waitFor(
        "/EPS, 12 months \\d+\\.\\d\\d USD/.test(document.querySelector('.price-panel .legend')?.innerText)",
      );
    }));

  test("sees what a company did beside its index", () =>
    task(3, async (person) => {
      await person.press("/");
      await page.waitFor("document.activeElement?.role === 'combobox'");
      await person.enter("FPT");
      await isAt("/console/VN/FPT");
      await person.clickText("vs VN-Index");
      await page.waitFor("location.search.includes('with=')");
    }));

  test("knows when the next CPI of Japan is published", () =>
    task(2, async (person) => {
      await person.clickText("Calendar", "nav");
      await person.fill("#calendar input[type=search]", "japan CPI");
      await page.waitFor("location.search.includes('find=japan+CPI')");
      await page.settle();
      const { events } = await page.answer<{ events: { event: string; date: string }[] }>(
        "get_macro_calendar",
        "country=JP&limit=200",
      );
      const next = events.find(({ event, date }) => event.includes("CPI") && date >= "2026-11-20");
      const shown = await page.texts(
        "[aria-label=Events] tbody tr.event, [aria-label=Events] tbody tr",
      );
      expect(shown.find((text) => text.includes("\t"))).toContain(String(next?.event));
    }));

  test("compares the yield curve with a year ago", () =>
    task(1, async (person) => {
      await person.clickText("Economy", "nav");
      await page.waitFor("document.querySelectorAll('.curve polyline').length === 3");
      expect((await page.texts(".curve li")).at(-1)).toStartWith("19 Nov 2025");
    }));

  test("is told when a price falls", () =>
    task(5, async (person) => {
      await person.press("/");
      await page.waitFor("document.activeElement?.role === 'combobox'");
      await person.enter("MSFT");
      await isAt("/console/US/MSFT");
      await person.clickText("Alerts", "main");
      await isAt("/console/alerts");
      await person.fill("input[name=when]", "price<300");
      await person.press("Enter");
      await page.waitFor("document.querySelector('tbody code')?.innerText === 'price<300'");
    }));

  test("sees the market of a past day, and is back", () =>
    task(4, async (person) => {
      await person.click(".markets-chip");
      await page.waitFor("document.querySelector('.day-choice input')");
      // Typing into a field of a date depends on the browser's language.
      await page.evaluate(`document.querySelector(".day-choice input").value = "2025-03-31"`);
      person.actions++;
      await page.evaluate("document.querySelector('.day-choice input').focus()");
      await person.press("Enter");
      await page.waitFor("document.querySelector('.past b')");
      expect(await page.text(".past b")).toBe("As of 31 Mar 2025");
      await person.clickText("Back to today");
      await page.waitFor("!document.querySelector('.past b')");
    }));

  test("keeps what was paid for shares, and sees the gain", async () => {
    await page.goto("/console/US/AAPL");
    await page.clickText("☆ Watch");
    await page.waitFor("document.querySelector('.toast')");
    await task(6, async (person) => {
      await person.clickText("Lists", "nav");
      await person.clickText("watchlist", "main");
      await person.clickText("Edit AAPL");
      await person.fill("dialog[open] [name=shares]", "10");
      await person.fill("dialog[open] [name=price]", "150");
      await person.press("Enter");
      await page.waitFor("!document.querySelector('dialog[open]')");
      const row = await page.waitFor<string>(
        "[...document.querySelectorAll('[aria-label=Items] tbody tr')].find((one) => one.innerText.includes('150.00 USD'))?.innerText",
      );
      // The close of 19 November 2026 is 341.15, so the gain is 10 × (341.15 − 150) = 1,911.50, which the service rounds.
      expect(row).toContain("1,912 ▲");
    });
  });

  test("takes the statements of a company as a file", () =>
    task(5, async (person) => {
      await page.evaluate(`(() => {
        window.saved = [];
        HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };
      })()`);
      await person.press("/");
      await page.waitFor("document.activeElement?.role === 'combobox'");
      await person.enter("7203");
      await isAt("/console/JP/7203");
      await person.clickText("Financials", "main nav");
      await person.clickText("Statements: code, files, source");
      await person.clickText("CSV", "dialog[open]");
      await page.waitFor("window.saved.length > 0");
    }));

  test("learns why a call of a program was refused", async () => {
    const { service, user } = opened;
    const { token } = service.accounts.createToken(user, "program", null);
    await service.request("/data/markets?country=XX", token);
    await task(3, async (person) => {
      await person.clickText("Menu of owner");
      await person.clickText("Call log", "#user-menu");
      await person.clickText("Errors", "main");
      const cells = "document.querySelector('[aria-label=Calls] tbody')?.innerText";
      expect(await page.waitFor<string>(`/country/.test(${cells}) && ${cells}`)).toContain("400");
    });
  });
});
