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
      "document.querySelector('main [aria-pressed=true]')?.innerText === '★ Watching'",
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
    for (const width of [360, 1440]) {
      await page.resize(width);
      const isCut = await page.evaluate<boolean>(
        "(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('.my-list .table-frame'))",
      );
      expect({ width, isCut }).toEqual({ width, isCut: false });
    }
    const prices = await page.texts(".my-list tbody td:nth-child(2)");
    expect(prices.map((text) => Number(text.replace(/\s*USD/, "").replaceAll(",", "")))).toEqual(
      rows.map((row) => Number(row.at(-1))),
    );
  });

  test("the page Lists shows what is in each list, and the mean of its day", async () => {
    await page.goto("/console/lists");
    await page.settle();
    const { rows } = await page.answer<{ rows: (string | number)[][] }>(
      "get_lists",
      "name=watchlist&metrics=change_percent",
    );
    const changes = rows.map((row) => Number(row.at(-1)));
    const mean = changes.reduce((sum, one) => sum + one, 0) / changes.length;
    const shown = await page.text(
      'section[aria-label="Your lists"] tbody tr:has(a[href$=watchlist])',
    );
    expect(shown).toContain(rows.map(([, symbol]) => String(symbol)).join(", "));
    expect(shown).toContain(`${Math.abs(mean).toFixed(2)}%`);
    // A list that fails leaves the others.
    await page.evaluate(`fetch("/console/api/lists/semis", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ items: [{ country: "US", symbol: "NVDA" }] }),
    }).then((answer) => answer.text())`);
    await page.cdp("Network.enable");
    await page.cdp("Network.setBlockedURLs", { urls: ["*name=semis*"] });
    await page.goto("/console/lists");
    await page.settle();
    const cells = await page.texts('section[aria-label="Your lists"] tbody td:nth-child(4)');
    expect(cells.filter((text) => text === "—")).toHaveLength(1);
    expect(cells.filter((text) => text.endsWith("%"))).toHaveLength(1);
    await page.cdp("Network.setBlockedURLs", { urls: [] });
    await page.evaluate(`fetch("/console/api/lists/semis", {
      method: "DELETE",
      headers: { "Content-Type": "application/json" },
    }).then((answer) => answer.status)`);
    page.problems.length = 0;
    expect(page.problems).toEqual([]);
  });

  test("what reports this week is two clicks from Markets, as the API has it", async () => {
    await page.goto("/console");
    await page.clickText("Lists", "nav");
    await page.clickText("watchlist");
    const shown = await page.waitFor<string>("document.querySelector('.reports-week')?.innerText");
    const today = new Date(opened.service.time.now).toISOString().slice(0, 10);
    const { earnings } = await page.answer<{ earnings: { symbol: string; date: string }[] }>(
      "get_earnings_calendar",
      `tickers=list:watchlist&from=${today}`,
    );
    const week = new Date(opened.service.time.now + 6 * 86_400_000).toISOString().slice(0, 10);
    const soon = earnings.filter(({ date }) => date <= week).map(({ symbol }) => symbol);
    expect(shown).toStartWith(
      soon.length === 0
        ? "No company of the list reports within seven days."
        : `Reports within seven days: ${soon.join(", ")}.`,
    );
    expect(await page.texts('section[aria-label="Next reports"] tbody b')).toEqual(
      earnings.map(({ symbol }) => symbol),
    );
    expect(page.problems).toEqual([]);
  });

  test.each(["America/New_York", "Asia/Tokyo", "Asia/Ho_Chi_Minh"])(
    "in %s, the reports of the week are those of the calendar, whatever the browser's clock",
    async (timezoneId) => {
      // The machine's clock is not that of the service.
      await page.cdp("Emulation.setTimezoneOverride", { timezoneId });
      const { rows } = await page.answer<{ rows: [symbol: string][] }>("screen_stocks", {
        country: "US",
        limit: "100",
      });
      const items = rows.map(([symbol]) => ({ country: "US", symbol }));
      await page.evaluate(`fetch("/console/api/lists/all-of-week", {
        method: "PUT",
        headers: { "Content-Type": "application/json" },
        body: ${JSON.stringify(JSON.stringify({ items }))},
      }).then(({ ok }) => ok)`);
      await page.goto("/console/lists/all-of-week");
      const text = await page.text(".reports-week");
      await page.goto("/console/calendar?list=all-of-week&hide=releases,holidays");
      const reports = await page.texts("#calendar .earnings b");
      expect(reports.length).toBeGreaterThan(0);
      for (const symbol of reports) expect(text).toMatch(new RegExp(`[ ,:]${symbol}[,.]`));
      expect(text.match(/[A-Z]+(?=[,.])/g)).toHaveLength(reports.length);
      const first = new Date(opened.service.time.now).toLocaleDateString("en-GB", {
        timeZone: timezoneId,
        day: "numeric",
        month: "short",
      });
      expect(await page.text("#calendar p.muted:not(.list-note)")).toContain(first);
      await page.evaluate(
        `fetch("/console/api/lists/all-of-week", { method: "DELETE", headers: { "Content-Type": "application/json" } }).then(({ ok }) => ok)`,
      );
      await page.cdp("Emulation.setTimezoneOverride", { timezoneId: "" });
    },
  );

  test("items are added by typing, get shares and a note, and leave again", async () => {
    await page.goto("/console/lists");
    await page.fill("input[name=name]", "My Cars");
    await page.clickText("Create");
    await page.waitFor("location.pathname === '/console/lists/my-cars'");
    await add("toyota");
    await page.waitFor("document.querySelectorAll('tbody tr').length === 1");
    await add("honda");
    await page.waitFor("document.querySelectorAll('tbody tr').length === 2");
    // The reports were asked for while the list was empty.
    await page.settle();
    expect(await page.text("[aria-label='As a portfolio'] .empty")).toBe(
      "Press Edit at a company and enter your shares, to see the value, return and risk of your portfolio.",
    );
    expect(await page.text("main")).not.toContain("is empty");
    await page.clickText("Edit 7203");
    await page.fill("dialog[open] input[name=shares]", "100");
    await page.fill("dialog[open] input[name=note]", "hybrids");
    await page.clickText("Save", "dialog[open]");
    await page.waitFor(
      "document.querySelector('section[aria-label=\"As a portfolio\"] .left-out')",
    );
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
    await page.clickText("Create");
    expect(await page.waitFor("document.querySelector('main .failure')?.innerText")).toBe(
      "You have a list watchlist. Choose another name.",
    );
    await page.goto("/console/lists/my-cars");
    await page.clickText("Rename My Cars");
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

  test("a list says the currency of each row, which is that of the settings, and its column sets are in the address", async () => {
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
    const table = "[aria-label='Items of the list']";
    const cells = (column: number) => page.texts(`${table} tbody td:nth-child(${column})`);
    await page.goto("/console/lists/world");
    await page.waitFor(`document.querySelector("${table} tbody td")`);
    expect(await cells(2)).toEqual(["USD", "JPY"]);
    const [apple = "", toyota = ""] = await cells(3);
    // One share, so that the value of the portfolio is the price.
    await put("lists/one", { items: [{ country: "JP", symbol: "7203", shares: 1 }] });
    await page.goto("/console/lists/one");
    await page.waitFor(`document.querySelector(".figures dd")`);
    // Yen have no decimals.
    expect([await cells(2), await cells(3)]).toEqual([["JPY"], [toyota]]);
    expect([toyota, await page.text(".figures dd")]).toEqual([
      expect.stringMatching(/^\d,\d{3}$/),
      toyota,
    ]);
    await put("settings", { currency: "JPY" });
    await page.goto("/console/lists/world");
    await page.waitFor(`document.querySelector("${table} tbody td")`);
    expect(await cells(2)).toEqual(["JPY", "JPY"]);
    const number = (text: string) => Number(text.replaceAll(",", ""));
    const { rates } = await page.answer<{ rates: { from: string; rate: number }[] }>("get_lists", {
      name: "world",
      metrics: "price",
      currency: "JPY",
    });
    const rate = rates.find(({ from }) => from === "USD")?.rate ?? Number.NaN;
    const [appleInYen = "", toyotaInYen] = await cells(3);
    expect(toyotaInYen).toBe(toyota);
    expect(Math.abs(number(appleInYen) / (number(apple) * rate) - 1)).toBeLessThan(0.001);
    await page.screenshot("list-yen");
    await page.resize(390);
    await page.screenshot("list-yen-390");
    expect(await page.isWide()).toBe(false);
    await page.resize(1440);
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
    // Without a setting, the currency is chosen on the page.
    await page.goto("/console/lists/world");
    await page.evaluate(`(() => {
      const select = document.querySelector("[aria-label='Currency of amounts']");
      select.value = "VND";
      select.dispatchEvent(new Event("change", { bubbles: true }));
    })()`);
    await page.waitFor("location.search === '?currency=VND'");
    await page.waitFor("document.querySelector('.figures dt')?.innerText === 'Value, VND'");
    await page.settle();
    expect(await cells(2)).toEqual(["VND", "VND"]);
    const converted = await page.texts("main .panel > p.muted");
    expect(converted).toEqual([
      expect.stringMatching(
        /^In VND, changes include the exchange rate\. Converted at USD\/VND [\d,]+\.\d\d \(\d+ Nov 2026\), JPY\/VND /,
      ),
      expect.stringMatching(/^Converted at USD\/VND /),
    ]);
    // The panel names companies and the index, and its amounts have the decimals of the currency.
    const portfolio = "[aria-label='As a portfolio']";
    const held = await page.answer<{ rows: [string, number][] }>("analyze_portfolio", {
      holdings: "list:world",
      currency: "VND",
      columns: "symbol,value",
    });
    expect(await page.texts(`${portfolio} tbody td:nth-child(1)`)).toEqual([
      "AAPL Apple Inc.",
      "7203 Toyota Motor Corporation",
    ]);
    expect((await page.texts(`${portfolio} tbody td:nth-child(2)`)).map(number)).toEqual(
      held.rows.map(([, value]) => Math.round(value)),
    );
    expect(await page.text(portfolio)).toContain("Beta to Nikkei 225");
    await page.goto("/console/lists/world?currency=JPY");
    const amounts = await page.texts(`${portfolio} :is(dd:nth-of-type(1), dd:nth-of-type(4))`);
    expect(amounts.filter((text) => /^[\d,]+$/.test(text))).toHaveLength(2);
    // From 1,000 on, the service gives whole dollars: no amount has cents.
    await page.goto("/console/lists/world?currency=USD");
    const dollars = await page.texts(
      `${portfolio} :is(dd:nth-of-type(1), dd:nth-of-type(4), td:nth-child(2))`,
    );
    expect(dollars.filter((text) => /^[\d,]+$/.test(text))).toHaveLength(4);
    expect(await page.violations()).toEqual([]);
  });

  test("a list with some shares is worth those, says what is left out, names companies, and fits a phone", async () => {
    const items = [
      { country: "US", symbol: "AAPL", shares: 3 },
      { country: "JP", symbol: "7203" },
      { country: "VN", symbol: "FPT" },
    ];
    await page.evaluate(`fetch("/console/api/lists/part", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: ${JSON.stringify(JSON.stringify({ items }))},
    }).then(({ ok }) => ok)`);
    await page.goto("/console/lists/part");
    const portfolio = "[aria-label='As a portfolio']";
    expect(await page.text(`${portfolio} .left-out`)).toBe(
      "Not included: Toyota Motor Corporation and FPT Corporation. To include them, press Edit and enter their shares.",
    );
    expect(await page.texts("main .failure")).toEqual([]);
    const { value } = await page.answer<{ value: number }>("analyze_portfolio", {
      holdings: "US:AAPL=3 shares",
    });
    const valueShown = await page.text(`${portfolio} .figures dd`);
    expect(Number(valueShown.replaceAll(",", ""))).toBe(value);
    expect(await page.text(portfolio)).toContain("Beta to S&P 500");
    // The owner's purchases are not known: what the figures are of is in their explanations.
    const tips = await page.evaluate<string[]>(
      `[...document.querySelectorAll("${portfolio} dt")].map((term) => term.querySelector("[popover]")?.textContent ?? "")`,
    );
    expect(tips[1]).toStartWith("Today's holdings, held for 1 year.");
    expect(tips.filter((tip) => /1 year/.test(tip))).toHaveLength(5);
    expect(await page.text(".reports-week")).toContain(
      "Report dates of Toyota Motor Corporation and FPT Corporation are not known",
    );
    expect(await page.violations()).toEqual([]);
    await page.resize(390);
    await page.settle();
    // Company, price with its currency and the change of the day, without scrolling.
    const table = "[aria-label='Items of the list']";
    expect(await page.texts(`${table} tbody tr:nth-child(2) td:nth-child(3) small`)).toEqual([
      "JPY",
    ]);
    const [shown, end] = await page.evaluate<[string, number][]>(`(() => {
      const frame = document.querySelector("${table}").getBoundingClientRect();
      const cells = [...document.querySelectorAll("${table} tbody tr:nth-child(2) td")];
      const visible = cells.filter((one) => one.offsetWidth > 0 && one.getBoundingClientRect().right <= frame.right + 1);
      return [visible.map((one) => one.innerText.replace(/\\s+/g, " ")).join(" | "), frame.right];
    })()`);
    expect([shown, Number(end) <= 390]).toEqual([
      expect.stringMatching(/^7203 .* \| 3,324 JPY \| . .1\.10%/),
      true,
    ]);
    // Shares and Edit are below the name. The dialog has the name of the company and two ways out without a change.
    const first = `${table} tbody tr:nth-child(1) td:first-child`;
    expect(await page.text(first)).toMatch(/^AAPL\s+Apple Inc\.\s+3 shares\s+Edit$/);
    await page.screenshot("list-part-390");
    const before = await stored("part");
    await page.clickText("Edit FPT");
    expect(await page.text("dialog[open] h2")).toBe("Edit FPT Corporation (FPT)");
    await page.clickText("Cancel", "dialog[open]");
    await page.waitFor("!document.querySelector('dialog[open]')");
    await page.clickText("Edit FPT");
    const mouse = async (type: string, x: number, y: number) =>
      page.cdp("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
    const [x = 0, y = 0] = await page.evaluate<number[]>(
      `(({ left, top }) => [left + 8, top + 8])(document.querySelector("dialog[open]").getBoundingClientRect())`,
    );
    // A press that begins inside the dialog, or is on its edge, leaves it open.
    for (const end of [y, 20]) {
      await mouse("mousePressed", x, y);
      await mouse("mouseReleased", x, end);
      expect(await page.texts("dialog[open] h2")).toHaveLength(1);
    }
    await mouse("mousePressed", x, 20);
    await mouse("mouseReleased", x, 20);
    await page.waitFor("!document.querySelector('dialog[open]')");
    expect(await stored("part")).toEqual(before);
    await page.resize(1440);
    // With shares of all, the call names the list; its answer follows the shares.
    for (const [symbol, shares] of [
      ["7203", "100"],
      ["FPT", "1000"],
      ["FPT", "2000"],
    ] as const) {
      const old = await page.text(`${portfolio} .figures dd`);
      await page.clickText(`Edit ${symbol}`);
      await page.fill("dialog[open] input[name=shares]", shares);
      await page.clickText("Save", "dialog[open]");
      await page.waitFor(
        `![null, undefined, ${JSON.stringify(old)}].includes(document.querySelector("${portfolio} .figures dd")?.innerText)`,
      );
    }
    expect(await page.texts(".left-out")).toEqual([]);
    await page.clickText("Export");
    expect(await page.texts("dialog[open] dt")).toEqual(["CSV", "Save as a file"]);
    expect(await page.violations()).toEqual([]);
    await page.screenshot("list-export");
    await page.press("Escape");
  });

  test("an item has a price paid, and the list its gain and its course beside the index", async () => {
    await page.evaluate(`fetch("/console/api/lists/paid", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ items: [
        { country: "US", symbol: "AAPL", shares: 10 },
        { country: "JP", symbol: "7203", shares: 100 },
      ] }),
    }).then((answer) => answer.text())`);
    await page.goto("/console/lists/paid");
    await page.clickText("Edit AAPL");
    await page.fill("dialog[open] [name=price]", "150");
    await page.evaluate(
      `Object.assign(document.querySelector("dialog[open] [name=date]"), { value: "2024-05-01" })`,
    );
    await page.clickText("Save", "dialog[open]");
    await page.waitFor("document.querySelector('.toast')");
    const [apple] = (await stored("paid")).items;
    expect(apple).toMatchObject({
      shares: 10,
      cost: { price: 150, currency: "USD", date: "2024-05-01" },
    });
    await page.goto("/console/lists/paid");
    await page.waitFor("document.querySelector('.course-chart .chart canvas')");
    const { columns, rows } = await page.answer<{ columns: string[]; rows: (string | number)[][] }>(
      "get_lists",
      "name=paid",
    );
    const [gain, percent] = ["gain", "gain_percent"].map((name) =>
      Number(rows[0]?.[columns.indexOf(name)]),
    );
    const row = await page.text("section[aria-label=Items] tbody tr");
    expect(row).toContain("150.00 USD");
    expect(row).toContain(`${Math.abs(percent ?? 0).toFixed(2)}%`);
    const portfolio = await page.answer<{
      gain: { gain: number };
      course: { rows: (string | number)[][] };
    }>("analyze_portfolio", "holdings=list:paid&parts=course");
    expect(portfolio.gain.gain).toBe(gain ?? 0);
    const last = portfolio.course.rows.at(-1);
    const legend = await page.text(".course-chart .legend");
    for (const value of last?.slice(1) ?? [])
      expect(legend).toContain(Number(value).toLocaleString("en-GB"));
    expect(await page.violations()).toEqual([]);
    // The form keeps what was entered, and other fields leave it as it is.
    await page.clickText("Edit AAPL");
    await page.fill("dialog[open] [name=note]", "early");
    await page.clickText("Save", "dialog[open]");
    await page.waitFor("!document.querySelector('dialog[open]')");
    expect((await stored("paid")).items[0]).toMatchObject({ note: "early", cost: { price: 150 } });
    expect(page.problems).toEqual([]);
    await page.evaluate(`fetch("/console/api/lists/paid", {
      method: "DELETE",
      headers: { "Content-Type": "application/json" },
    }).then((answer) => answer.status)`);
  });

  test("a list is renamed, deleted, and comes back by Undo", async () => {
    await page.goto("/console/lists/my-cars");
    await page.clickText("Rename My Cars");
    // A name without letters a-z stays for programs, and comes back with the list.
    await page.fill("dialog[open] input[name=name]", "自動車");
    await page.clickText("Rename", "dialog[open] form");
    await page.waitFor("document.querySelector('h1').innerText === '自動車'");
    expect(await page.evaluate<string>("location.pathname")).toBe("/console/lists/my-cars");
    await page.clickText("Rename 自動車");
    await page.fill("dialog[open] input[name=name]", "Cars & more");
    await page.clickText("Rename", "dialog[open] form");
    await page.waitFor("location.pathname === '/console/lists/cars-more'");
    await page.clickText("Delete Cars & more?");
    expect(await page.text("dialog[open] p")).toBe("This deletes the list and its item.");
    await page.clickText("Delete", "dialog[open] .buttons");
    await page.waitFor("location.pathname === '/console/lists'");
    const isNamed =
      "[...document.querySelectorAll('.lists-table a')].some((one) => one.innerText === 'Cars & more')";
    await page.waitFor(`!(${isNamed})`);
    await page.clickText("Undo");
    await page.waitFor("!document.querySelector('.toast')");
    await page.waitFor(isNamed);
    await page.waitFor('fetch("/console/api/lists/cars-more").then(({ ok }) => ok)');
    expect((await stored("cars-more")).items.map(({ symbol }) => symbol)).toEqual(["7203"]);
  });

  test("on a phone, Edit is beside any number of shares and no figure of a portfolio is cut", async () => {
    const items = [
      { country: "US", symbol: "NVDA", shares: 10 },
      { country: "US", symbol: "AAPL", shares: 20 },
      { country: "JP", symbol: "7203", shares: 100 },
      { country: "JP", symbol: "6758", shares: 100 },
      { country: "VN", symbol: "FPT", shares: 12_000 },
    ];
    await page.evaluate(`fetch("/console/api/lists/many", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: ${JSON.stringify(JSON.stringify({ items }))},
    }).then(({ ok }) => ok)`);
    await page.resize(390, 844);
    await page.goto("/console/lists/many");
    const lines = await page.evaluate<boolean[]>(
      `[...document.querySelectorAll(".list-item")].map((one) => {
        const [small, button] = [one.querySelector("small"), one.querySelector("button")].map((part) => part.getBoundingClientRect());
        return small.bottom > button.top && small.right <= button.left;
      })`,
    );
    expect(lines).toEqual(items.map(() => true));
    const holdings = "document.querySelector('[aria-label=\"Weights and contributions\"]')";
    expect(await page.evaluate<boolean>(`${holdings}.scrollWidth <= ${holdings}.clientWidth`)).toBe(
      true,
    );
    await page.resize(1440);
    // The words after the names have the room that is there.
    await page.goto("/console/lists");
    // The names come in answers of their own, after the lists.
    await page.waitFor("document.querySelector('.lists-table')?.innerText.includes('and 1 more')");
    await page.settle();
    expect(
      await page.evaluate<string[]>(
        "[...document.querySelectorAll('.lists-table .short-name')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)",
      ),
    ).toEqual([]);
    expect((await page.texts(".lists-table tr")).join()).toContain("and 1 more");
  });

  test("the remarks of an import are in sight", async () => {
    await page.goto("/console/lists");
    await page.evaluate(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["Symbol,Shares,Purchase date\\nNVDA,10,2020-01-06\\nAAPL,abc,2024-01-05\\nCash,100,\\n"], "remarks.csv", { type: "text/csv" }));
      document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    })()`);
    await page.waitFor("document.querySelector('main form.stack details')");
    expect(await page.text("main form.stack summary")).toBe("3 remarks");
    const open = await page.text("main form.stack details[open]");
    expect(open).toContain("split");
    expect(open).toContain("taken without shares");
  });

  test("a file with two readings is a question, and a button answers it", async () => {
    await page.goto("/console/lists");
    await page.evaluate(`(() => {
      const rows = ["Symbol;Quantity", "AAPL;1.500", "AAPL;1.200", "Total AAPL;3.000"];
      const transfer = new DataTransfer();
      transfer.items.add(new File([rows.join("\\n")], "two.csv", { type: "text/csv" }));
      document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    })()`);
    await page.waitFor("document.querySelector('main .failure')");
    expect(await page.text("main .failure")).toEndWith(
      "whether the mark in '1.500' is a decimal mark.",
    );
    expect(await page.violations()).toEqual([]);
    await page.clickText("Decimal comma");
    await page.waitFor("document.querySelector('main .failure')?.innerText.includes('in total')");
    expect(await page.text("main .failure")).toContain("'AAPL' has 3000 shares in total");
    await page.clickText("The lots count");
    await page.waitFor("document.querySelector('main form.stack td.number')");
    expect(await page.texts("main form.stack td.number")).toEqual(["2,700"]);
    page.problems.length = 0;
  });

  test("a dropped file shows what it becomes, and names what is not understood, before anything is stored", async () => {
    await page.goto("/console/lists");
    await page.evaluate(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["Symbol,Shares,Purchase price,Date\\nAAPL,1500,150.25,2024-01-05\\nNOSUCHSYMBOL,1,,\\n"], "broker.csv", { type: "text/csv" }));
      document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    })()`);
    await page.waitFor("document.querySelector('main form.stack')");
    expect(await page.text("main form.stack")).toContain("NOSUCHSYMBOL");
    expect((await page.texts("main form.stack > p")).slice(0, 2)).toEqual([
      "1 instrument found in the CSV file. Nothing is stored yet.",
      "Not read: Date.",
    ]);
    expect(await page.texts("main form.stack td.number")).toEqual(["1,500"]);
    expect(
      await page.evaluate<number>(
        'fetch("/console/api/lists/broker").then(({ status }) => status)',
      ),
    ).toBe(404);
    page.problems.length = 0;
    await page.clickText("Save list");
    await page.waitFor("location.pathname === '/console/lists/broker'");
    expect((await stored("broker")).items).toMatchObject([{ symbol: "AAPL", shares: 1500 }]);
  });
});
