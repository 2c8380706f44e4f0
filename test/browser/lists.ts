import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type BrowserPage, CHROMIUM, openConsole } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

describe.skipIf(CHROMIUM === null)("lists", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  let page: BrowserPage;
  beforeAll(async () => {
    opened = await openConsole();
    ({ page } = opened);
  });
  afterAll(() => opened?.close());
  beforeEach(() => void (page.problems.length = 0));

  const stored = (name: string) =>
    page.evaluate<{ items: { symbol: string; shares?: number; note?: string }[] }>(
      `fetch("/console/api/lists/${name}").then((answer) => answer.json())`,
    );
  const watch = async () => {
    await page.clickText("☆ Watch");
    await page.waitFor("document.querySelector('.toast')");
  };
  const add = async (text: string) => {
    await page.fill("main [role=combobox]", text);
    await page.waitFor("document.querySelector('[role=option]')");
    await page.press("Enter");
  };

  test("the star makes the watchlist, and Undo takes it back", async () => {
    await page.goto("/console/US/AAPL");
    await watch();
    expect((await stored("watchlist")).items.map(({ symbol }) => symbol)).toEqual(["AAPL"]);
    await page.clickText("Undo");
    await page.waitFor(
      "document.querySelector('main [aria-pressed=false]')?.innerText === '☆ Watch'",
    );
    expect((await stored("watchlist")).items).toEqual([]);
    await watch();
    await page.goto("/console/US/MSFT");
    await watch();
    await page.goto("/console/US/AAPL");
    await page.waitFor(
      "document.querySelector('main [aria-pressed=true]')?.innerText === '★ Watch'",
    );
    expect(await page.violations()).toEqual([]);
  });

  test("Markets shows the watchlist with its prices, as the API has them", async () => {
    await page.goto("/console");
    await page.settle();
    const { rows } = await page.answer<{ rows: (string | number)[][] }>(
      "get_lists",
      "name=watchlist&metrics=price",
    );
    expect(await page.texts(".my-list tbody b")).toEqual(rows.map(([, symbol]) => String(symbol)));
    const prices = await page.texts(".my-list tbody td:nth-child(2)");
    expect(prices.map((text) => Number(text.replaceAll(",", "")))).toEqual(
      rows.map((row) => Number(row.at(-1))),
    );
  });

  test("what reports this week is two clicks from Markets, as the API has it", async () => {
    await page.goto("/console");
    await page.clickText("Lists", "nav");
    await page.clickText("watchlist");
    const shown = await page.waitFor<string>("document.querySelector('.reports-week')?.innerText");
    const { earnings } = await page.answer<{ earnings: { symbol: string; date: string }[] }>(
      "get_earnings_calendar",
      "tickers=list:watchlist",
    );
    const week = new Date(opened.service.time.now + 7 * 86_400_000).toISOString().slice(0, 10);
    const soon = earnings.filter(({ date }) => date <= week).map(({ symbol }) => symbol);
    expect(shown).toStartWith(
      soon.length === 0
        ? "No company of the list reports within seven days."
        : `Within seven days: ${soon.join(", ")}.`,
    );
    expect(await page.texts('section[aria-label="Next reports"] tbody b')).toEqual(
      earnings.map(({ symbol }) => symbol),
    );
    expect(page.problems).toEqual([]);
  });

  test("items are added by typing, get shares and a note, and leave again", async () => {
    await page.goto("/console/lists");
    await page.fill("input[name=name]", "My Cars");
    await page.clickText("Make");
    await page.waitFor("location.pathname === '/console/lists/my-cars'");
    await add("toyota");
    await page.waitFor("document.querySelectorAll('tbody tr').length === 1");
    await add("honda");
    await page.waitFor("document.querySelectorAll('tbody tr').length === 2");
    // The reports were asked for while the list was empty.
    await page.settle();
    expect(await page.text("main")).not.toContain("is empty");
    await page.clickText("Edit 7203");
    await page.fill("dialog[open] input[name=shares]", "100");
    await page.fill("dialog[open] input[name=note]", "hybrids");
    await page.clickText("Save", "dialog[open]");
    await page.waitFor("document.querySelector('section[aria-label=\"As a portfolio\"]')");
    expect((await stored("my-cars")).items).toMatchObject([
      { symbol: "7203", shares: 100, note: "hybrids" },
      { symbol: "7267" },
    ]);
    await page.clickText("Edit 7267");
    await page.clickText("Remove", "dialog[open]");
    await page.waitFor(
      "document.querySelectorAll('section[aria-label=Items] tbody tr').length === 1",
    );
    const { rows } = await page.answer<{ rows: (string | number)[][] }>(
      "get_lists",
      "name=my-cars&metrics=price",
    );
    await page.settle();
    const cells = await page.texts('section[aria-label="Items"] tbody td.number');
    expect(Number(cells[0]?.replaceAll(",", ""))).toBe(Number(rows[0]?.at(-1)));
    expect(await page.violations()).toEqual([]);
    expect(page.problems).toEqual([]);
  });

  test("no list is replaced by a new or a renamed one, and a change keeps what an agent did meanwhile", async () => {
    await page.goto("/console/lists");
    await page.fill("input[name=name]", "Watchlist");
    await page.clickText("Make");
    expect(await page.waitFor("document.querySelector('main .failure')?.innerText")).toBe(
      "You have a list watchlist. Choose another name.",
    );
    await page.goto("/console/lists/my-cars");
    await page.clickText("Rename my-cars");
    await page.fill("dialog[open] input[name=name]", "watchlist");
    await page.clickText("Rename", "dialog[open] form");
    await page.waitFor("document.querySelector('dialog[open] .failure')");
    expect((await stored("watchlist")).items).toHaveLength(2);
    await page.press("Escape");
    await page.evaluate(`fetch("/console/api/lists/my-cars", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ items: [{ country: "JP", symbol: "7203", shares: 5 }, { country: "US", symbol: "F" }] }),
    })`);
    await add("honda");
    await page.waitFor("document.querySelector('.toast')?.innerText.includes('7267')");
    expect((await stored("my-cars")).items).toMatchObject([
      { symbol: "7203", shares: 5 },
      { symbol: "F" },
      { symbol: "7267" },
    ]);
    for (const symbol of ["F", "7267"]) {
      await page.clickText(`Edit ${symbol}`);
      await page.clickText("Remove", "dialog[open]");
      await page.waitFor(`!document.querySelector("[aria-label='Edit ${symbol}']")`);
    }
  });

  test("a list of several countries says the currency of each row, and its column sets are in the address", async () => {
    const items = [
      { country: "US", symbol: "AAPL", shares: 3 },
      { country: "JP", symbol: "7203", shares: 100 },
    ];
    const put = (path: string, body: unknown) =>
      page.evaluate(`fetch("/console/api/${path}", {
        method: "PUT",
        headers: { "Content-Type": "application/json" },
        body: ${JSON.stringify(JSON.stringify(body))},
      }).then(({ ok }) => ok)`);
    await put("lists/world", { items });
    await put("settings", { currency: "JPY" });
    await page.goto("/console/lists/world");
    await page.waitFor("document.querySelector('[aria-label=\"Items of the list\"] tbody td')");
    const table = "[aria-label='Items of the list']";
    expect(await page.texts(`${table} tbody td:nth-child(2)`)).toEqual(["USD", "JPY"]);
    await page.clickText("Valuation");
    await page.waitFor(`location.search === "?columns=Valuation"`);
    await page.settle();
    const { columns, rows } = await page.answer<{ columns: string[]; rows: (string | number)[][] }>(
      "get_lists",
      "name=world&metrics=pe",
    );
    const heads = await page.texts(`${table} th`);
    const shown = await page.texts(`${table} tbody td:nth-child(${heads.indexOf("P/E") + 1})`);
    expect(shown).toEqual(rows.map((row) => Number(row[columns.indexOf("pe")]).toFixed(2)));
    // The portfolio is in the currency of the settings.
    await page.waitFor("document.querySelector('.figures dt')?.innerText === 'Value, JPY'");
    await put("settings", {});
    expect(await page.violations()).toEqual([]);
  });

  test("a list is renamed, deleted, and comes back by Undo", async () => {
    await page.goto("/console/lists/my-cars");
    await page.clickText("Rename my-cars");
    await page.fill("dialog[open] input[name=name]", "cars");
    await page.clickText("Rename", "dialog[open] form");
    await page.waitFor("location.pathname === '/console/lists/cars'");
    await page.clickText("Delete cars?");
    await page.clickText("Delete", "dialog[open] .buttons");
    await page.waitFor("location.pathname === '/console/lists'");
    await page.clickText("Undo");
    await page.waitFor("!document.querySelector('.toast')");
    await page.waitFor('fetch("/console/api/lists/cars").then(({ ok }) => ok)');
    expect((await stored("cars")).items.map(({ symbol }) => symbol)).toEqual(["7203"]);
  });

  test("a dropped file shows what it becomes, and names what is not understood, before anything is stored", async () => {
    await page.goto("/console/lists");
    await page.evaluate(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["Symbol,Shares\\nAAPL,3\\nNOSUCHSYMBOL,1\\n"], "broker.csv", { type: "text/csv" }));
      document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    })()`);
    await page.waitFor("document.querySelector('main form.stack')");
    expect(await page.text("main form.stack")).toContain("NOSUCHSYMBOL");
    expect(
      await page.evaluate<number>(
        'fetch("/console/api/lists/broker").then(({ status }) => status)',
      ),
    ).toBe(404);
    page.problems.length = 0;
    await page.clickText("Save 1");
    await page.waitFor("location.pathname === '/console/lists/broker'");
    expect((await stored("broker")).items).toMatchObject([{ symbol: "AAPL", shares: 3 }]);
  });
});
