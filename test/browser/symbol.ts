import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type BrowserPage, CHROMIUM, openConsole } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

type Row = (string | number | null)[];

let opened: Awaited<ReturnType<typeof openConsole>>;
let page: BrowserPage;

const panel = (title: string) => `section[aria-label="${title}"]`;
const RANGES = ["1W", "1M", "3M", "6M", "YTD", "1Y", "5Y", "10Y", "Max"];
const rangeButton = (range: string) => `.range-bar button:nth-child(${RANGES.indexOf(range) + 1})`;

describe.skipIf(CHROMIUM === null)("the page of a symbol", () => {
  beforeAll(async () => {
    opened = await openConsole();
    ({ page } = opened);
  });
  afterAll(() => opened?.close());
  beforeEach(() => void (page.problems.length = 0));

  const speak = (language: string | undefined) =>
    page.evaluate(`fetch("/console/api/settings", { method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(${JSON.stringify({ language })}) }).then((one) => one.status)`);

  test("is found by its name from any page, with the keyboard alone", async () => {
    await page.goto("/console/about");
    await page.press("/");
    await page.waitFor("document.activeElement?.role === 'combobox'");
    await page.type("apple inc");
    await page.waitFor("document.querySelector('[role=option][aria-selected=true]')");
    await page.press("Enter");
    await page.waitFor("location.pathname === '/console/US/AAPL'");
    await page.waitFor("document.querySelector('h1')?.innerText === 'Apple Inc.'");
    await page.settle();
    const { overview } = await page.answer<{ overview: Record<string, string> }>(
      "get_stock_overview",
      "country=US&symbol=AAPL",
    );
    const [amount = ""] = (overview["Price"] ?? "").split(" ");
    expect((await page.texts(".symbol-price b"))[0]).toBe(amount);
    expect(page.problems).toEqual([]);
  });

  test("draws each range after the click, and keeps it in the address", async () => {
    await page.goto("/console/US/AAPL");
    await page.waitFor("document.querySelector('.chart canvas')");
    const took: number[] = [];
    for (const range of [...RANGES.filter((one) => one !== "1Y"), "1Y"]) {
      await page.evaluate(
        "document.addEventListener('click', () => performance.mark('clicked'), { capture: true, once: true })",
      );
      await page.click(rangeButton(range));
      const ms = await page.waitFor<number>(`(() => {
        const at = (name) => performance.getEntriesByName(name).at(-1)?.startTime ?? 0;
        return at('chart drawn') > at('clicked') && at('chart drawn') - at('clicked');
      })()`);
      took.push(ms);
      const query = await page.evaluate<string>("location.search");
      expect(query).toBe(range === "1Y" ? "" : `?range=${range}`);
    }
    // Printed, not asserted: the time depends on the machine.
    process.stderr.write(`chart drawn after ${took.map((ms) => Math.round(ms)).join(", ")} ms\n`);
  });

  test("names the return of each range as the overview has it", async () => {
    const { performance } = await page.answer<{ performance: Record<string, string> }>(
      "get_stock_overview",
      "country=US&symbol=AAPL",
    );
    for (const range of RANGES.slice(0, -1)) {
      await page.goto(`/console/US/AAPL${range === "1Y" ? "" : `?range=${range}`}`);
      await page.waitFor("document.querySelector('.chart canvas')");
      const summary = await page.text(`${panel("Price")} .chart-body > p.muted`);
      const text = (performance[`Perf %${range}`] ?? "").replace("-", "−");
      expect([range, summary.includes(text)]).toEqual([range, true]);
      expect(await page.text(rangeButton(range))).toEndWith(text);
    }
    // Apple's split of 31 August 2020 is no loss, also in prices as traded.
    const { columns, rows } = await page.answer<{ columns: string[]; rows: Row[] }>(
      "get_price_statistics",
      "symbols=US:AAPL&range=max",
    );
    const all = `+${Number(rows[0]?.[columns.indexOf("return")]).toFixed(2)}%`;
    await page.goto("/console/US/AAPL?range=Max&adjust=none");
    expect(await page.text(`${panel("Price")} .chart-body > p.muted`)).toContain(all);
    expect(await page.text(rangeButton("Max"))).toEndWith(all);
    const total = await page.answer<{ columns: string[]; rows: Row[] }>(
      "get_price_statistics",
      "symbols=US:AAPL&range=1y&adjust=total",
    );
    await page.goto("/console/US/AAPL?adjust=total");
    const summary = await page.text(`${panel("Price")} .chart-body > p.muted`);
    expect(summary).toContain(
      `${Number(total.rows[0]?.[total.columns.indexOf("return")]).toFixed(2)}%). The change includes dividends`,
    );
  });

  test("shows the figures of the bar under the keyboard's mark", async () => {
    await page.goto("/console/US/AAPL");
    await page.waitFor("document.querySelector('.chart canvas')");
    const { bars } = await page.answer<{ bars: { rows: Row[] } }>(
      "get_stock_price_history",
      "country=US&symbol=AAPL&fields=ohlcv&limit=50",
    );
    await page.evaluate("document.querySelector('.chart').focus()");
    const marked = () => page.evaluate<string>("document.querySelector('.chart').ariaValueText");
    await page.press("ArrowLeft");
    await page.press("ArrowLeft");
    const [date, open, , , close] = bars.rows.at(-3) ?? [];
    await page.waitFor(`document.querySelector('.legend time').dateTime === '${date}'`);
    expect(await marked()).toContain(`open ${Number(open).toFixed(2)}`);
    expect(await marked()).toContain(`close ${Number(close).toFixed(2)}`);
    // The newest bar has the mean of all 50 closes.
    await page.press("End");
    const mean = bars.rows.reduce((sum, row) => sum + Number(row[4]), 0) / 50;
    await page.waitFor(
      `document.querySelector('.legend').innerText.includes('SMA 50 ${mean.toFixed(2)}')`,
    );
    await page.evaluate("document.querySelector('.chart').blur()");
  });

  test("switches averages and the kind of chart by links that show the same", async () => {
    await page.goto("/console/US/AAPL");
    await page.clickText("SMA 20", panel("Price"));
    await page.clickText("SMA 200", panel("Price"));
    await page.clickText("Line", panel("Price"));
    await page.clickText("Log", panel("Price"));
    expect(await page.evaluate<string>("location.search")).toBe(
      "?averages=20%2C50&chart=Line&scale=log",
    );
    await page.goto("/console/US/AAPL?averages=20%2C50&chart=Line&scale=log");
    const pressed = await page.texts(`${panel("Price")} [aria-pressed=true]`);
    expect(pressed.slice(0, 5)).toEqual(["Log", "Line", "SMA 20", "SMA 50", "Events"]);
    expect(pressed[5]).toStartWith("1Y");
  });

  test("draws indicators, another instrument and events, and keeps them in the address", async () => {
    await page.goto("/console/US/AAPL/chart");
    await page.clickText("RSI", panel("Price"));
    await page.clickText("+ Compare", panel("Price"));
    await page.clickText("Index of the country", "dialog[open]");
    // The pointer would mark the bar below it.
    await page.cdp("Input.dispatchMouseEvent", { type: "mouseMoved", x: 1, y: 1 });
    const legend = () => page.text(".legend");
    await page.waitFor("/RSI \\d+/.test(document.querySelector('.legend').innerText)");
    const technicals = await page.answer<Record<string, string>>(
      "get_stock_technicals",
      "country=US&symbol=AAPL",
    );
    const index = await page.answer<{ closes: number[] }>(
      "get_stock_price_history",
      "country=US&symbol=%5EGSPC&from=1900-01-01&limit=1",
    );
    expect(await legend()).toContain(`RSI ${Math.round(Number(technicals["RSI (14)"]))}`);
    expect((await legend()).replaceAll(",", "")).toContain(`^GSPC ${index.closes[0]?.toFixed(2)}`);
    // A comparison keeps the averages. It has no log axis, and says why.
    expect(await legend()).toContain("SMA 50");
    const scales = `${panel("Price")} [aria-label="Scale"] button`;
    expect(
      await page.evaluate(
        `[...document.querySelectorAll(${JSON.stringify(scales)})].map((one) => [one.disabled, one.title])`,
      ),
    ).toEqual(Array.from({ length: 2 }, () => [true, "A comparison is always in percent."]));
    expect(await page.evaluate<string>("location.search")).toBe("?panes=rsi&with=US%3A%5EGSPC");

    // Each figure has decimals of its own: the rate of a currency, its MACD, and the index.
    await page.goto("/console/US/EURUSD%3DX/chart?panes=macd&with=US:%5EGSPC");
    await page.waitFor("/MACD −?\\d/.test(document.querySelector('.legend').innerText)");
    expect((await legend()).replaceAll(",", "")).toMatch(
      new RegExp(`GSPC ${index.closes[0]?.toFixed(2)}\\s+MACD −?0\\.\\d{6} · signal −?0\\.\\d{6}$`),
    );
    await page.goto("/console/US/AAPL/chart?panes=rsi&with=US:%5EGSPC");

    const { dividends } = await page.answer<{ dividends: { rows: Row[] } }>(
      "get_stock_price_history",
      "country=US&symbol=AAPL&range=1y&dividends=true",
    );
    const [date, amount] = dividends.rows.at(-1) ?? [];
    await page.evaluate("document.querySelector('.chart').focus()");
    for (let days = 0; days < 100; days++) {
      if ((await legend()).includes("Dividend")) break;
      await page.press("ArrowLeft");
    }
    expect(await legend()).toContain(`Dividend ${Number(amount).toFixed(4)}`);
    expect(await page.text(".chart-tip")).toContain(`Dividend ${Number(amount).toFixed(4)}`);
    expect(await page.evaluate<string>("document.querySelector('.legend time').dateTime")).toBe(
      String(date),
    );
    await page.clickText("Events", panel("Price"));
    await page.clickText("^GSPC ×", panel("Price"));
    await page.waitFor("document.querySelector('.legend').innerText.includes('SMA 50')");
    expect(await page.evaluate<string>("location.search")).toBe("?panes=rsi&events=off");
  });

  test.each(["1d", "1wk", "1mo"])(
    "with bars of %s, another market has its close of the shown day, and 0%% is where the range begins",
    async (interval) => {
      const { page } = opened;
      for (const [country, symbol] of [
        ["JP", "7203"],
        ["VN", "FPT"],
      ]) {
        await page.goto(
          `/console/US/NVDA/chart?interval=${interval}&averages=none&with=${country}:${symbol}`,
        );
        await page.settle();
        const shown = await page.evaluate<string>(
          "document.querySelector('.legend time').dateTime",
        );
        const { dates, closes } = await page.answer<{ dates: string[]; closes: number[] }>(
          "get_stock_price_history",
          `country=${country}&symbol=${symbol}&range=1m`,
        );
        const close = closes[dates.findLastIndex((date) => date <= shown)] ?? 0;
        expect(await page.text(".legend")).toEndWith(
          `${symbol} ${close.toLocaleString("en", { maximumFractionDigits: 1 })}`,
        );
        const { columns, rows } = await page.answer<{ columns: string[]; rows: Row[] }>(
          "get_price_statistics",
          "symbols=US:NVDA&range=1y",
        );
        const from = String(rows[0]?.[columns.indexOf("from_session")]);
        const day = new Date(from).toLocaleDateString("en-GB", {
          dateStyle: "medium",
          timeZone: "UTC",
        });
        expect(await page.text(panel("Price"))).toContain(
          `0% is the close of ${day}, each in its own currency.`,
        );
      }
    },
  );

  test.each([1440, 390])(
    "at %i px, the chart has the whole year, also when it is loaded again",
    async (width) => {
      const { page } = opened;
      await page.resize(width);
      // The second time, events and prices come from the memory before the chart is drawn.
      for (const path of ["/console/JP/7203", "/console/US/AAPL", "/console/JP/7203"]) {
        await page.goto(path);
        await page.settle();
        await page.evaluate("document.querySelector('.chart').scrollIntoView({ block: 'center' })");
        const { x, y } = await page.evaluate<{ x: number; y: number }>(
          "(({ x, y }) => ({ x: x + 3, y: y + 80 }))(document.querySelector('.chart canvas').getBoundingClientRect())",
        );
        await page.cdp("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
        // The page's clock is at 20 November 2026.
        expect(
          await page.waitFor<string>("document.querySelector('.legend b')?.innerText"),
        ).toMatch(/^(19|2\d) Nov 2025$/);
      }
      await page.resize(1440);
    },
  );

  test("the pressed range is the one that is drawn, also while the service does not answer", async () => {
    const { page } = opened;
    await page.goto("/console/US/MSFT");
    await page.settle();
    const pressed = () => page.texts(".range-bar [aria-pressed=true] b");
    await page.cdp("Network.enable");
    await page.cdp("Network.setBlockedURLs", { urls: ["*/console/api/*"] });
    await page.evaluate("document.querySelectorAll('.range-bar button')[6].click()");
    await page.waitFor(
      "document.querySelector('.range-bar [aria-busy=true] b')?.innerText === '5Y'",
    );
    await page.waitFor("document.querySelector('.outage')");
    expect(await pressed()).toEqual(["1Y"]);
    // The head stays usable.
    const [head, banner] = await page.evaluate<{ top: number; bottom: number }[]>(
      "['.head', '.outage'].map((one) => document.querySelector(one).getBoundingClientRect().toJSON())",
    );
    expect(banner?.top).toBeGreaterThanOrEqual(head?.bottom ?? 0);
    await page.cdp("Network.setBlockedURLs", { urls: [] });
    await page.clickText("Retry now", ".outage");
    await page.waitFor(
      "document.querySelector('.range-bar [aria-pressed=true] b')?.innerText === '5Y'",
    );
    page.problems.length = 0;
  });

  test("fills the window, loads older bars when the user drags to them, and saves a picture and the rows", async () => {
    const chart = "document.querySelector('.chart').getBoundingClientRect()";
    await page.resize(1440, 1200);
    await page.goto("/console/US/AAPL?chart=Line");
    const overview = await page.waitFor<number>(`${chart}.height`);
    await page.clickText("Chart", ".symbol-tabs");
    await page.waitFor("location.href.endsWith('/chart?chart=Line')");
    await page.waitFor(`${chart}.height > ${overview}`);
    expect(await page.evaluate<number>(`window.innerHeight - ${chart}.bottom`)).toBeWithin(0, 24);
    await page.resize(1440);
    await page.goto("/console/US/AAPL/chart");
    await page.waitFor("document.querySelector('.chart canvas')");
    const asked = () =>
      page.evaluate<string[]>(
        "performance.getEntriesByType('resource').map(({ name }) => /limit=(\\d+).*snapshot/.exec(name)?.[1] ?? '')",
      );
    expect(await asked()).not.toContain("1200");
    await page.evaluate("document.querySelector('.chart').scrollIntoView({ block: 'center' })");
    const { x, y } = await page.evaluate<{ x: number; y: number }>(
      "(({ x, y }) => ({ x: x + 40, y: y + 150 }))(document.querySelector('.chart').getBoundingClientRect())",
    );
    const mouse = (type: string, left: number) =>
      page.cdp("Input.dispatchMouseEvent", {
        type,
        x: left,
        y,
        button: "left",
        buttons: 1,
        clickCount: 1,
      });
    for (let drags = 0; drags < 6 && !(await asked()).includes("1200"); drags++) {
      await mouse("mousePressed", x);
      for (const left of [x + 100, x + 300, x + 700]) await mouse("mouseMoved", left);
      await mouse("mouseReleased", x + 700);
    }
    await page.waitFor(
      "performance.getEntriesByType('resource').some(({ name }) => name.includes('limit=1200'))",
    );
    await page.evaluate(
      "void (HTMLAnchorElement.prototype.click = function () { window.saved = this.download; })",
    );
    await page.clickText("⋯", panel("Price"));
    await page.clickText("Picture", "dialog[open]");
    expect(await page.waitFor<string>("window.saved")).toMatch(/^AAPL \d{4}-\d\d-\d\d\.png$/);
    expect(await page.text("dialog[open]")).toContain("Source: sample");
    await page.clickText("CSV: get_stock_price_history AAPL", "dialog[open]");
    await page.waitFor("window.saved.endsWith('.csv')");
    expect(page.problems).toEqual([]);
  });

  test("describes the days to which the chart was moved, and a range moves it back", async () => {
    await page.goto("/console/US/AAPL");
    await page.waitFor("document.querySelector('.chart canvas')");
    const summary = () => page.text(`${panel("Price")} .chart-body > p.muted`);
    const pressed = () => page.texts(".range-bar [aria-pressed=true] b");
    const year = await summary();
    expect(await pressed()).toEqual(["1Y"]);
    for (let i = 0; i < 4; i++)
      await page.evaluate("document.querySelector('.chart-tools button').click()");
    await page.waitFor("!document.querySelector('.range-bar [aria-pressed=true]')");
    const { bars } = await page.answer<{ bars: { rows: Row[] } }>(
      "get_stock_price_history",
      "country=US&symbol=AAPL&fields=ohlcv&limit=253",
    );
    const [from, first, last] =
      /^(.+) to .+: from (\S+) to (\S+) \(/.exec(await summary())?.slice(1) ?? [];
    const at = bars.rows.find(
      ([date]) =>
        new Date(String(date)).toLocaleDateString("en-GB", {
          dateStyle: "medium",
          timeZone: "UTC",
        }) === from,
    );
    const end = bars.rows.at(-1);
    expect([first, last]).toEqual([at, end].map((row) => Number(row?.[4]).toFixed(2)));
    const percent = (100 * Number(end?.[4])) / Number(at?.[4]) - 100;
    expect((await summary()).replace("−", "-")).toContain(`${percent.toFixed(2)}%).`);
    await page.click(rangeButton("1Y"));
    await page.waitFor("document.querySelector('.range-bar [aria-pressed=true]')");
    expect([await pressed(), await summary()]).toEqual([["1Y"], year]);
    expect(page.problems).toEqual([]);
  });

  test("draws figures of the company below the price, lines of chosen lengths, and zooms", async () => {
    const { page } = opened;
    await page.goto("/console/US/AAPL/chart");
    await page.waitFor("document.querySelector('.chart canvas')");
    const height = () =>
      page.evaluate<number>("document.querySelector('.price-panel .chart').clientHeight");
    const before = await height();
    await page.clickText("More lines");
    await page.waitFor("document.querySelector('dialog[open] [name=pe]')");
    for (const name of ["pe", "eps", "revenue", "dividend"])
      await page.click(`dialog[open] [name=${name}]`);
    await page.fill("dialog[open] [name=ema]", "20, 1");
    await page.clickText("Show", "dialog[open]");
    expect(await page.text("dialog[open] [role=alert]")).toContain("from 2 to 400");
    await page.fill("dialog[open] [name=ema]", "20");
    await page.fill("dialog[open] [name=bb]", "30");
    await page.clickText("Show", "dialog[open]");
    await page.waitFor(
      "location.search.includes('extra=ema20%2Cbb30%2Cpe%2Ceps%2Crevenue%2Cdividend')",
    );
    // Without the pointer on the chart, the legend has the newest bar.
    await page.click("h1");
    const legend = await page.waitFor<string>(
      "(document.querySelector('.price-panel .legend')?.innerText.match(/P\\/E \\d[^]*EPS, 12 months \\d[^]*Revenue, 12 months \\d/)?.[0] && document.querySelector('.price-panel .legend').innerText)",
    );
    const { rows } = await page.answer<{ rows: (string | number)[][] }>(
      "get_metric_history",
      "symbols=US:AAPL&metrics=eps,revenue&period=ttm&limit=1",
    );
    const [eps, revenue] = rows[0]?.slice(-2).map(Number) ?? [];
    expect(legend).toContain(`EPS, 12 months ${eps?.toFixed(2)} USD`);
    expect(legend).toContain(
      `Revenue, 12 months ${Math.round((revenue ?? 0) / 1e6).toLocaleString("en-GB")} USD million`,
    );
    for (const name of ["EMA 20", "BB 30 +2σ", "BB 30 −2σ"]) expect(legend).toContain(name);
    expect(legend).toMatch(/Dividends per share, 12 months \d+\.\d+ USD/);
    // The P/E of the newest session is the same as in the strip.
    const { metrics } = await page.answer<{ metrics: { pe: { today: number } } }>(
      "get_valuation_history",
      "country=US&symbol=AAPL&metric=pe",
    );
    expect(legend).toContain(`P/E ${metrics.pe.today.toFixed(2)}`);
    // Two means, three further lines and four panes.
    const swatches = "document.querySelectorAll('.price-panel .legend .swatch').length";
    expect(await page.evaluate<number>(swatches)).toBe(9);
    expect(await height()).toBe(before + 4 * 96);
    // Each zoom draws the chart again.
    const picture = () =>
      page.evaluate<string>("document.querySelector('.price-panel .chart canvas').toDataURL()");
    for (const act of [
      () => page.clickText("Zoom in"),
      () => page.clickText("Zoom out"),
      async () => {
        await page.evaluate("document.querySelector('.price-panel .chart').focus()");
        await page.press("+");
      },
      () =>
        page.evaluate(
          `document.querySelector(".price-panel .chart").dispatchEvent(new WheelEvent("wheel", { deltaY: 100, ctrlKey: true, cancelable: true, bubbles: true }))`,
        ),
    ]) {
      const last = await picture();
      await act();
      await page.waitFor(
        `document.querySelector('.price-panel .chart canvas').toDataURL() !== ${JSON.stringify(last)}`,
      );
    }
    expect(await page.violations()).toEqual([]);
    await page.clickText("vs S&P 500");
    await page.waitFor("decodeURIComponent(location.search).includes('with=US:^GSPC')");
    expect(page.problems).toEqual([]);
  });

  test("shows ratios, which REST has at a path of their own", async () => {
    const { page } = opened;
    await page.goto("/console/US/AAPL?statement=ratios");
    expect(await page.text(panel("Statements"))).toContain("Gross margin");
    // Ratios are in no currency.
    expect(await page.text(panel("Statements"))).not.toContain("USD");
    const { figures } = await page.answer<{ figures: { columns: string[]; rows: Row[] } }>(
      "get_stock_ratios",
      "country=US&symbol=AAPL&period=annual&limit=1&figures=true",
    );
    const newest = (name: string) => Number(figures.rows[0]?.[figures.columns.indexOf(name)]);
    const cells = await page.texts(`${panel("Statements")} tbody tr :is(th, td:last-child)`);
    const valueOf = (title: string) => cells[cells.indexOf(title) + 1];
    expect(valueOf("ROE")).toBe(`${newest("roe_percent").toFixed(2)}%`);
    expect(valueOf("P/E")).toBe(newest("pe").toFixed(2));
    expect(await page.evaluate<number>(`document.querySelectorAll(".failure").length`)).toBe(0);
  });

  test("shows statements by quarter as the API gives them", async () => {
    await page.goto("/console/US/AAPL/financials");
    await page.clickText("Cash flow", panel("Statements"));
    await page.clickText("Quarters", panel("Statements"));
    const { figures } = await page.answer<{ figures: { columns: string[]; rows: Row[] } }>(
      "get_stock_statements",
      "country=US&symbol=AAPL&type=cashflow&period=quarterly&limit=8&figures=true",
    );
    const [newest = []] = figures.rows;
    const column = (name: string) => newest[figures.columns.indexOf(name)];
    // `Q4 2026` of the API is a fiscal quarter, which is said.
    const quarter = String(newest[0]).replace(/^(Q\d) 20/, "$1 FY");
    await page.waitFor(
      `document.querySelector('${panel("Statements")} thead').innerText.includes('${quarter}')`,
    );
    const cells = await page.texts(`${panel("Statements")} tbody tr:first-child :is(th, td)`);
    expect([cells[0], cells.at(-1)]).toEqual([
      "Operating cash flow",
      Math.round(Number(column("operating_cash_flow")) / 1e6).toLocaleString("en-GB"),
    ]);
    expect(await page.text(`${panel("Statements")} thead tr:last-child th`)).toBe("In USD million");
    expect(await page.evaluate<string>("location.search")).toBe(
      "?statement=cashflow&period=quarterly",
    );
  });

  test("shows amounts in one unit, the growth of each year below them, and the growth of all years", async () => {
    await page.goto("/console/US/AAPL/financials");
    const query = "country=US&symbol=AAPL&type=income&period=annual&limit=9&figures=true";
    const { figures } = await page.answer<{ figures: { columns: string[]; rows: Row[] } }>(
      "get_stock_statements",
      query,
    );
    const at = figures.columns.indexOf("revenue");
    const revenue = figures.rows.map((row) => Number(row[at])).toReversed();
    const cells = (row: number) =>
      page.texts(`${panel("Statements")} tbody tr:nth-child(${row}) :is(th, td)`);
    const percentText = (ratio: number) => {
      const percent = 100 * (ratio - 1);
      return `${percent > 0 ? "+" : ""}${percent.toFixed(2)}%`.replace("-", "−");
    };
    // Eight fiscal years are seven years apart.
    const first = revenue.at(-8) ?? NaN;
    const yearly = ((revenue.at(-1) ?? NaN) / first) ** (1 / 7);
    expect(await cells(1)).toEqual([
      "Revenue",
      ...revenue.slice(-8).map((value) => Math.round(value / 1e6).toLocaleString("en-GB")),
      percentText(yearly),
    ]);
    expect(await cells(2)).toEqual([
      "Growth",
      ...revenue.slice(1).map((value, i) => percentText(value / Number(revenue[i]))),
      "",
    ]);
    expect((await page.texts(`${panel("Statements")} thead th`)).at(-1)).toMatch(
      /^CAGR\s+7 years$/,
    );
    expect(await page.violations()).toEqual([]);
    for (const width of [1440, 360]) {
      await page.resize(width);
      await page.screenshot(`financials-${width}`);
    }
    await page.resize(1440);
    // A quarter has growth, and no rate of years.
    await page.clickText("Quarters", panel("Statements"));
    await page.waitFor(
      `!document.querySelector('${panel("Statements")}').innerText.includes("CAGR")`,
    );
    expect(await page.texts(`${panel("Statements")} .growth`)).not.toEqual([]);
    // Ratios are percentages already.
    await page.clickText("Ratios", panel("Statements"));
    await page.waitFor(
      `document.querySelector('${panel("Statements")}').innerText.includes("Gross margin")`,
    );
    expect(await page.texts(`${panel("Statements")} .growth`)).toEqual([]);
  });

  test("the ratings are three words with their votes and their rule, and the 26 votes are folded", async () => {
    await page.goto("/console/US/AAPL");
    await page.clickText("Chart", ".symbol-tabs");
    await page.waitFor(`document.querySelector('${panel("Technical ratings")} .verdicts')`);
    const data = await page.answer<Record<string, string> & { votes: { rows: Row[] } }>(
      "get_stock_technicals",
      "country=US&symbol=AAPL&votes=true",
    );
    expect(await page.texts(`${panel("Technical ratings")} tbody tr`)).toHaveLength(26);
    const counts = ["sell", "neutral", "buy"].map((vote) =>
      String(data.votes.rows.filter((row) => row[3] === vote).length),
    );
    const verdicts = await page.texts(".verdicts dd:first-of-type");
    expect(verdicts).toEqual(
      ["MA rating", "Os rating", "Tech rating"].map((one) => String(data[one])),
    );
    expect(await page.text(".verdicts > :last-child dd:last-child")).toBe(
      `${counts[2]} buy, ${counts[1]} neutral, ${counts[0]} sell`,
    );
    const isSeen = "document.querySelector('.votes table').checkVisibility()";
    expect(await page.evaluate<boolean>(isSeen)).toBe(false);
    await page.clickText("All 26 votes");
    expect(await page.evaluate<boolean>(isSeen)).toBe(true);
    await page.goto("/console/US/AAPL/forecast");
    expect(await page.text(panel("Analyst ratings"))).toContain("A mean up to 1.5 is Strong buy");
  });

  test("shows targets, ratings, dividends and the next report of a company", async () => {
    await page.goto("/console/US/AAPL/forecast");
    const { price_target: target } = await page.answer<{ price_target: Record<string, number> }>(
      "get_stock_forecast",
      "country=US&symbol=AAPL",
    );
    expect(await page.texts(`${panel("Price targets")} dd`)).toContain(
      Number(target["mean"]).toFixed(2),
    );
    const { earnings } = await page.answer<{ earnings: { fiscal_period: string }[] }>(
      "get_earnings_calendar",
      "tickers=AAPL",
    );
    const [quarter = "", year = ""] = String(earnings[0]?.fiscal_period).split(" ");
    expect(await page.texts(`${panel("Next earnings")} dd`)).toContain(
      `${quarter} of fiscal year ${year}`,
    );
    // The year before the next one is the current one, whose figure is the estimate above.
    const rows = await page.evaluate<string[][]>(
      `[...document.querySelectorAll('${panel("Estimates")} tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText.split("\\n")[0].trim()))`,
    );
    const [current, next] = rows.slice(-2);
    expect([current?.[0], next?.[0], next?.[2]]).toEqual([
      "Current year",
      "Next year",
      String(current?.[1]),
    ]);
    // One word for the votes and for their mean.
    expect(await page.texts(`${panel("Analyst ratings")} .chart-key > span`)).toContain(
      "Neutral (hold)",
    );
    expect(await page.text(panel("Analyst ratings"))).toContain("up to 3.5 Neutral (hold)");
    // The figures end where their card ends, less its border, like the bar above them.
    expect(
      await page.evaluate(
        `["Next earnings", "Price targets"].map((name) => { const card = document.querySelector(\`[aria-label="\${name}"]\`); const end = (one) => Math.round(one.getBoundingClientRect().right); return end(card) - parseFloat(getComputedStyle(card).paddingRight) - end(card.querySelector(".figures dd")); })`,
      ),
    ).toEqual([1, 1]);
    await page.goto("/console/US/AAPL/dividends");
    const { dividends } = await page.answer<{ dividends: { rows: Row[] } }>(
      "get_stock_price_history",
      "country=US&symbol=AAPL&range=10y&limit=1&dividends=true",
    );
    const newest = dividends.rows.at(-1)?.[1];
    const shown = await page.texts(`${panel("Dividends")} tbody tr:first-child td`);
    expect(Number(shown[1])).toBe(Number(newest));
    // The sample market begins in July 2015, and Apple has raised its dividend in each year since.
    const raised = `[...document.querySelectorAll("[aria-label=Dividends] dt")].find((term) => term.innerText.startsWith("Raised"))`;
    expect(await page.evaluate<string>(`${raised}.nextElementSibling.innerText`)).toBe("9 or more");
    expect(await page.evaluate<string>(`${raised}.textContent`)).toEndWith(
      "Prices and dividends are known since Jul 2015.",
    );
  });

  test("shows what a company expects, with its currency, in words of each language", async () => {
    const { market, time } = opened.service;
    const expected = {
      yearEnd: "2027-03-31",
      announcedOn: "2026-05-08",
      revenue: 48e12,
      operatingIncome: 4.8e12,
      // As under IFRS.
      ordinaryIncome: null,
      netIncome: 3.57e12,
      eps: 274.15,
      dividendPerShare: 90,
    };
    const raised = {
      ...expected,
      announcedOn: "2026-11-05",
      operatingIncome: 4.9e12,
      netIncome: 3.64e12,
      eps: 279.5,
    };
    const forecasts = {
      country: "JP" as const,
      symbol: "7203",
      currency: "JPY",
      forecasts: [expected, raised],
    };
    market.transaction(() =>
      market.put("companyForecasts", [forecasts], { source: "jquants", storedAt: time.now }),
    );
    const rows = () =>
      page.evaluate<string[][]>(
        `[...document.querySelectorAll(".table-frame.pinned tr")].map((row) => [...row.cells].map((cell) => cell.innerText.trim().replace("\\n", " ")))`,
      );
    await page.goto("/console/JP/7203/forecast");
    await page.waitFor("document.querySelector('.table-frame.pinned')");
    expect(await rows()).toEqual([
      ["Announced", "5 Nov 2026 Forecast raised", "8 May 2026"],
      ["Period to", "31 Mar 2027", "31 Mar 2027"],
      ["Revenue, JPY billion", "48,000", "48,000"],
      ["Operating income, JPY billion", "4,900", "4,800"],
      ["Net income, JPY billion", "3,640", "3,570"],
      ["EPS, JPY", "279.50", "274.15"],
      ["Dividend per share, JPY", "90", "90"],
    ]);
    await speak("ja");
    for (const width of [390, 1440]) {
      await page.resize(width);
      await page.goto("/console/JP/7203/forecast");
      await page.waitFor("document.querySelector('.table-frame.pinned')");
      await page.screenshot(`company-forecast-${width}`);
      expect(await rows()).toEqual([
        ["発表日", "2026/11/05 上方修正", "2026/05/08"],
        ["期末", "2027/03/31", "2027/03/31"],
        ["売上高（億円）", "480,000", "480,000"],
        ["営業利益（億円）", "49,000", "48,000"],
        ["純利益（億円）", "36,400", "35,700"],
        ["EPS（円）", "279.50", "274.15"],
        ["1株配当（円）", "90", "90"],
      ]);
      const cut = await page.evaluate<boolean>(
        "(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('.table-frame.pinned'))",
      );
      expect({ width, cut }).toEqual({ width, cut: false });
      expect(await page.violations()).toEqual([]);
    }
    await speak(undefined);
  });

  test("does not say that no analyst covers a company whose analysts a source refused", async () => {
    const { identifier } = await page.cdp<{ identifier: string }>(
      "Page.addScriptToEvaluateOnNewDocument",
      {
        source: `{
          const { fetch: ask } = window;
          window.fetch = async (input, init) => {
            const response = await ask(input, init);
            if (!String(input).includes("get_stock_forecast")) return response;
            const { data, ...rest } = await response.json();
            const headers = location.search.includes("refused")
              ? { "X-Data-Missing": "yahoo: analyst coverage of AAPL (403)" }
              : {};
            return Response.json({ ...rest, data: { ...data, rating: null, price_target: null, estimates: [] } }, { headers });
          };
        }`,
      },
    );
    await page.goto("/console/US/AAPL/forecast");
    expect(await page.text(`${panel("Analysts")} .empty`)).toBe("No analyst covers this company.");
    await page.goto("/console/US/AAPL/forecast?refused");
    expect(await page.text(`${panel("Analysts")} .empty`)).toBe("Not given by sources");
    await page.cdp("Page.removeScriptToEvaluateOnNewDocument", { identifier });
  });

  test("says in the strip of every part whether the P/E is usual for the company, and leads to its band", async () => {
    await page.resize(360);
    for (const [path, symbol] of [
      ["/console/JP/7203", "JP:7203"],
      ["/console/US/AAPL/chart", "US:AAPL"],
    ] as const) {
      const [country = "", name = ""] = symbol.split(":");
      const { verdicts } = await page.answer<{ verdicts: { pe: string } }>(
        "get_valuation_history",
        { country, symbol: name, metric: "pe", range: "10y" },
      );
      await page.goto(path);
      expect(await page.text(".stat-verdict a")).toBe(`${verdicts.pe} 10Y`);
      expect(
        await page.evaluate<number>(
          "document.querySelector('.stat-verdict a').getBoundingClientRect().bottom",
        ),
      ).toBeLessThan(500);
    }
    // The strip and the panel have one answer.
    await page.goto("/console/JP/7203");
    await page.waitFor(
      "document.querySelector('.stat-verdict a') && document.querySelector('.band')",
    );
    const asked = await page.evaluate<string[]>(
      `performance.getEntriesByType("resource").map(({ name }) => name).filter((one) => one.includes("valuation"))`,
    );
    expect(asked.filter((one) => /[?&]metric=pe(&|$)/.test(one))).toHaveLength(1);
    await page.click(".stat-verdict a");
    await page.waitFor("location.pathname === '/console/JP/7203/valuation'");
    await page.waitFor("document.querySelector('.band')");
    // Only the index of a country has a P/E.
    await page.goto("/console/US/%5EVIX");
    await page.settle();
    expect(await page.texts(".stat-verdict a")).toEqual([]);
    await page.resize(1440);
  });

  test("compares each multiple with its past in panels side by side, and says why a company has no verdict", async () => {
    await page.goto("/console/JP/7203/valuation");
    await page.waitFor("document.querySelectorAll('.band-frame .band').length === 5");
    const places = await page.evaluate<number[][]>(
      "[...document.querySelectorAll('.columns.five > section')].map((one) => { const { top, width } = one.getBoundingClientRect(); return [Math.round(top), Math.round(width)]; })",
    );
    // Three and two, all as wide.
    expect(new Set(places.map(([, width]) => width)).size).toBe(1);
    expect(places.map(([top]) => places.findIndex(([other]) => other === top))).toEqual([
      0, 0, 0, 3, 3,
    ]);
    const sentences = await page.texts(".band-frame > p:first-child");
    for (const sentence of sentences.slice(0, 4)) {
      expect(sentence).toMatch(
        /^[\d.]+ (Cheaper|More expensive) than in \d+% of its months since /,
      );
    }
    // A high yield is not dear.
    expect(sentences[4]).toMatch(/^[\d.]+% (Lower|Higher) than in \d+% of its months since /);
    expect(await page.text("main")).toContain("A multiple above 69% of them is Expensive");
    expect(await page.violations()).toEqual([]);

    // A yield of 0.02% is not lower than a median of 0.02%.
    await page.goto("/console/US/NVDA/valuation");
    await page.waitFor("document.querySelectorAll('.band-frame .band').length === 5");
    const [card = ""] = (await page.texts(".band-frame")).slice(-1);
    const { metrics } = await page.answer<{
      metrics: { dividend_yield: Record<"today" | "median", number> };
    }>("get_valuation_history", "country=US&symbol=NVDA&metric=dividend_yield&range=10y");
    const { today, median } = metrics.dividend_yield;
    expect([today, median]).toEqual([0.02, 0.02]);
    expect(card).toStartWith("0.02% The same as its median since ");
  });

  test("compares multiples with five or ten years, with the forward P/E and the peak that is cut off", async () => {
    const historyOf = (symbol: string, metric: string, range: string) =>
      page.answer<{
        metrics: Record<string, Record<"median" | "p10" | "p90", number>>;
        rows: [string, number | null][];
      }>("get_valuation_history", `country=US&symbol=${symbol}&metric=${metric}&range=${range}`);
    const shown = () => page.waitFor("document.querySelectorAll('.band-frame .band').length === 5");
    for (const width of [1440, 360]) {
      await page.resize(width);
      await page.goto("/console/US/AAPL/valuation");
      await shown();
      const { rows } = await page.answer<{ rows: [string, string, string, number][] }>(
        "compare_stocks",
        "symbols=US:AAPL&metrics=forward_pe",
      );
      const forward = rows[0]?.at(-1);
      await page.waitFor("document.querySelectorAll('.band-ends span').length === 11");
      expect(await page.texts(".band-forward")).toEqual([`Forward ${Number(forward).toFixed(2)}`]);
      await page.evaluate(
        "[...document.querySelectorAll('button')].find((one) => one.innerText === '5Y').focus()",
      );
      await page.press("Enter");
      await page.waitFor("location.search === '?past=5Y'");
      await page.settle();
      await shown();
      const { metrics } = await historyOf("AAPL", "pe", "5y");
      expect(await page.text(".band-frame p")).toContain(
        `median ${metrics["pe"]?.median.toFixed(2)}`,
      );
      await page.screenshot(`valuation-5y-${width}`);
      expect(await page.isWide()).toBe(false);
      expect(await page.violations()).toEqual([]);
    }
    await page.resize(1440);
    await page.clickText("By week", "main");
    await page.waitFor("location.search === '?past=5Y&points=weekly'");
    await page.settle();
    await shown();
    const { metrics: weekly } = await page.answer<{
      metrics: Record<string, Record<"median" | "percentile", number>>;
    }>("get_valuation_history", "country=US&symbol=AAPL&metric=pe&range=5y&interval=1wk");
    const { median = NaN, percentile = NaN } = weekly["pe"] ?? {};
    const shares = Math.max(percentile, 100 - percentile).toFixed(0);
    expect(await page.text(".band-frame p")).toMatch(
      new RegExp(`${shares}% of its weeks since .* \\(median ${median.toFixed(2)}\\)`),
    );
    // A picture ends one band above the band.
    const cut: string[] = [];
    for (const symbol of ["AAPL", "NVDA", "TSLA", "AMZN"]) {
      await page.goto(`/console/US/${symbol}/valuation`);
      await shown();
      const expected: string[] = [];
      for (const metric of ["pe", "pb", "ps", "ev_ebitda", "dividend_yield"]) {
        const { metrics, rows } = await historyOf(symbol, metric, "10y");
        const { p10 = NaN, p90 = NaN } = metrics[metric] ?? {};
        const peak = Math.max(...rows.map(([, value]) => value ?? 0));
        if (peak > 2 * p90 - p10) expected.push(peak.toFixed(2));
      }
      const marks = await page.texts(".band-peak span");
      expect(marks.map((one) => /[\d.]+/.exec(one)?.[0])).toEqual(expected);
      cut.push(...marks);
      if (marks.length > 0) await page.screenshot(`valuation-peak-${symbol}`);
    }
    expect(cut).not.toEqual([]);
  });

  test.each([
    ["US", "^GSPC"],
    ["VN", "VNINDEX"],
  ])(
    "the page of %s:%s has the verdict of Markets, and nothing that an index never has",
    async (country, symbol) => {
      await page.goto(`/console/${country}/${encodeURIComponent(symbol)}`);
      await page.waitFor(
        "document.querySelector('.stat-verdict a') && document.querySelector('.band')",
      );
      const { country_pe: pe, country_valuation_status: status } = await page.answer<{
        country_pe: number;
        country_valuation_status: string;
      }>("get_sectors", `country=${country}`);
      const strip = await page.text(".stat-strip");
      expect(strip).toMatch(new RegExp(`P/E\\s+${pe.toFixed(2)}\\s+${status}\\s`));
      expect(strip).not.toMatch(/—|Dividend|ex-date/);
      expect(await page.text(panel("P/E"))).toContain(pe.toFixed(2));
      // Beside the chart.
      expect(await page.text(`.symbol-top ${panel("Profile")}`)).toContain("is an index");
      expect(await page.shifts()).toEqual([]);
      expect(await page.violations()).toEqual([]);
    },
  );

  test("nothing moves when the conclusions arrive, and no button leaves a phone, in all languages", async () => {
    for (const language of ["ja", "vi"]) {
      await speak(language);
      for (const width of [1440, 360]) {
        await page.resize(width);
        await page.goto("/console/US/AAPL/valuation");
        await page.waitFor("document.querySelectorAll('.band-frame .band').length === 5");
        await page.waitFor("document.querySelector('.stat-verdict a')");
        const at = { language, width };
        expect({ ...at, shifts: await page.shifts() }).toEqual({ ...at, shifts: [] });
        expect({ ...at, isWide: await page.isWide() }).toEqual({ ...at, isWide: false });
      }
      // Amounts in dong are the longest, and the page is 360 px wide now.
      await page.goto("/console/VN/FPT");
      await page.waitFor("document.querySelector('.stat-verdict a')");
      const outside = await page.evaluate<string[]>(`[
        ...[...document.querySelectorAll(".stat-strip dd")].filter((one) => one.scrollWidth > one.clientWidth),
        ...[...document.querySelectorAll(".symbol-head :is(button, .button)")]
          .filter((one) => one.getBoundingClientRect().right > innerWidth),
      ].map((one) => one.innerText)`);
      expect({ language, outside }).toEqual({ language, outside: [] });
      expect(await page.text(".stat-verdict a")).toMatch(
        language === "ja" ? /（10年）$/ : / \(10 năm\)$/,
      );
    }
    await speak(undefined);
    await page.resize(1440);
  });

  test("the name of a peer is on one line, and is cut only where its table has no room", async () => {
    for (const [width, path] of [
      [1440, "/console/JP/7203"],
      [390, "/console/JP/7203"],
    ] as const) {
      await page.resize(width);
      await page.goto(path);
      await page.waitFor("document.querySelector('.peers tbody tr')");
      const heights = await page.evaluate<number[]>(
        "[...document.querySelectorAll('.peers tbody tr')].map((row) => row.getBoundingClientRect().height)",
      );
      expect(Math.max(...heights)).toBeLessThan(30);
      const [content = 0, frame = 0] = await page.evaluate<number[]>(
        "(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector('.peers .table-frame'))",
      );
      expect(content).toBeLessThanOrEqual(frame);
    }
    await page.resize(1440);
  });

  test("old addresses of ratings and peers show their panels, in each language at each width", async () => {
    for (const [width, language] of [
      [390, "en"],
      [768, "ja"],
      [1440, "vi"],
    ] as const) {
      await speak(language);
      await page.resize(width);
      for (const [path, address, id] of [
        ["/console/JP/7203/peers", "/console/JP/7203#peers", "peers"],
        ["/console/jp/7203/Peers?range=5Y", "/console/JP/7203?range=5Y#peers", "peers"],
        ["/console/JP/7203/technicals", "/console/JP/7203/chart#ratings", "ratings"],
      ] as const) {
        await page.goto(path);
        await page.waitFor(
          `(({ top = -1, bottom } = {}) => top >= 0 && bottom <= innerHeight)(document.querySelector("#${id} table, #${id} .verdicts")?.getBoundingClientRect())`,
        );
        expect(
          await page.evaluate<string>("location.pathname + location.search + location.hash"),
        ).toBe(address);
        expect(await page.isWide()).toBe(false);
      }
    }
    await speak("en");
    await page.resize(1440);
    // A link within the console leads there too.
    await page.goto("/console/JP/7203");
    await page.evaluate(`(() => {
      const link = document.createElement("a");
      link.href = "/console/JP/7203/technicals";
      document.querySelector("main").append(link);
      link.click();
    })()`);
    await page.waitFor(
      "document.querySelector('#ratings .verdicts')?.getBoundingClientRect().bottom <= innerHeight",
    );
    expect(await page.evaluate<string>("location.pathname + location.hash")).toBe(
      "/console/JP/7203/chart#ratings",
    );
  });

  test("one press compares the peers, and another shows all of the industry with their figures", async () => {
    await page.goto("/console/JP/7203");
    const peers = await page.answer<{ rows: Row[] }>(
      "screen_stocks",
      "country=JP&industry=Auto Manufacturers&limit=50",
    );
    const symbols = peers.rows.map(([symbol]) => String(symbol));
    await page.clickText("Compare", "#peers");
    await page.waitFor("location.pathname === '/console/compare'");
    expect(await page.evaluate<string>("decodeURIComponent(location.search)")).toBe(
      `?symbols=${symbols
        .slice(0, 7)
        .map((one) => `JP:${one}`)
        .join()}`,
    );
    await page.goto("/console/JP/7203");
    await page.clickText("Open in the screener", "#peers");
    await page.waitFor("location.pathname === '/console/screen'");
    await page.settle();
    expect(await page.texts("#companies tbody a")).toEqual(symbols);
    expect(await page.texts("#companies thead th")).toEqual(
      expect.arrayContaining(["P/B", "EV/EBITDA TTM", "ROE TTM", "Target upside"]) as string[],
    );
  });

  test("the verdict on an index is a link to its rule", async () => {
    await page.goto("/console");
    const { country_valuation_status: status } = await page.answer<
      Record<"country_valuation_status", string>
    >("get_sectors", "country=JP&columns=pe_median");
    const link = "a[href='/console/sectors?country=JP#verdict']";
    expect(await page.text(link)).toBe(status);
    await page.click(link);
    await page.waitFor("document.querySelector('#verdict')?.getBoundingClientRect().top < 900");
    expect(await page.text("#verdict")).toContain(
      "Within half a standard deviation of their mean it is Fair",
    );
    await page.waitFor(
      `document.querySelector(".index-line a[href='#verdict']")?.innerText === "${status} 5Y"`,
    );
  });

  test("has its key figures with their ranks, and its peers, as the API gives them", async () => {
    await page.goto("/console/JP/7203");
    await page.settle();
    const { columns, rows } = await page.answer<{ columns: string[]; rows: Row[] }>(
      "compare_stocks",
      "symbols=JP:7203&metrics=pe,roe,high_52w&rank=true",
    );
    const figure = (name: string) => Number(rows[0]?.[columns.indexOf(name)]);
    expect(await page.text(".key-figures dd")).toBe(figure("pe").toFixed(2));
    expect(
      await page.evaluate<string>("document.querySelector('.key-figures .track').ariaLabel"),
    ).toBe(`Higher than ${Math.round(figure("pe_rank"))}% of Consumer Cyclical in Japan.`);
    expect(Number((await page.text(".year-bar-ends span:last-child")).replaceAll(",", ""))).toBe(
      figure("high_52w"),
    );
    const peers = await page.answer<{ rows: Row[] }>(
      "screen_stocks",
      "country=JP&industry=Auto Manufacturers&limit=7",
    );
    expect(await page.texts(`${panel("Peers")} tbody a`)).toEqual(
      peers.rows.map(([, name]) => String(name)),
    );
    // No other company of the sample makes consumer electronics in the US.
    await page.goto("/console/US/AAPL");
    await page.waitFor(
      `document.querySelector(${JSON.stringify(panel("Peers"))})?.innerText.includes("These are the largest of Technology")`,
    );
    const sector = await page.answer<{ rows: Row[] }>(
      "screen_stocks",
      "country=US&sector=technology&limit=7",
    );
    expect(await page.texts(`${panel("Peers")} tbody a`)).toEqual(
      sector.rows.map(([, name]) => String(name)),
    );
  });

  test("draws the line item that was chosen above its columns, and keeps it in the address", async () => {
    await page.goto("/console/US/AAPL/financials?periods=20&period=quarterly");
    await page.clickText("Net income", panel("Statements"));
    await page.waitFor("location.search.includes('draw=net_income')");
    expect(await page.text(".bar-row td")).toBe("Net income");
    const bars = await page.texts(".bar-row-frame");
    expect(bars.length).toBeGreaterThan(8);
    expect(bars).toHaveLength((await page.texts(`${panel("Statements")} thead th.number`)).length);
  });

  test.each(["%5EGSPC", "SPY", "EURUSD%3DX", "BTC-USD"])(
    "%s has only the panels that exist for it",
    async (symbol) => {
      await page.goto(`/console/US/${symbol}`);
      const titles = await page.texts("h2");
      expect(titles).toContain("Price");
      expect(titles).not.toContain("Key figures");
      expect(titles).not.toContain("Peers");
      const tabs = await page.texts(".symbol-tabs a");
      expect(tabs.filter((one) => one !== "Dividends")).toEqual(["Overview", "Chart"]);
      expect(tabs.includes("Dividends")).toBe(symbol === "SPY");
      await page.goto(`/console/US/${symbol}/chart`);
      expect(await page.texts("h2")).toContain("Technical ratings");
      expect(page.problems).toEqual([]);
    },
  );

  test("says in its head when the exchange opens, exports all prices, and shows the calls of an agent", async () => {
    await page.goto("/console/JP/7203");
    // It is Saturday in Tokyo, and Monday 23 November is Labor Thanksgiving Day.
    expect(await page.text(".symbol-session")).toStartWith("Next session Tue 24 Nov, 09:00 JST");
    // A currency has no exchange.
    await page.goto("/console/US/EURUSD%3DX");
    expect(await page.texts(".symbol-session")).toEqual([]);

    await page.goto("/console/US/AAPL");
    expect(await page.text(".symbol-session")).toStartWith("Open until Fri 20 Nov, 16:00 ET");
    await page.evaluate(`void (
      (URL.createObjectURL = (blob) => ((window.blob = blob), "blob:none")),
      (HTMLAnchorElement.prototype.click = function () { window.saved = this.download; }))`);
    await page.clickText("Export", ".symbol-head");
    expect(await page.waitFor<string>("window.saved")).toBe("AAPL 2026-11-19.csv");
    const lines = (await page.evaluate<string>("window.blob.text()")).trim().split("\r\n");
    const { total } = await page.answer<{ total: number }>(
      "get_stock_price_history",
      "country=US&symbol=AAPL&from=1900-01-01&limit=1",
    );
    expect([lines[0], lines.length]).toEqual(["date,open,high,low,close,volume", total + 1]);
    // The service gives the newest page first.
    const dates = lines.slice(1).map((line) => line.slice(0, 10));
    expect(dates).toEqual(dates.toSorted());
    await page.clickText("Use in agent", ".symbol-head");
    // First what to ask, then what the agent calls.
    await page.waitFor("document.querySelectorAll('dialog[open] pre').length > 1");
    const [question, text = ""] = await page.texts("dialog[open] pre");
    expect(question).toStartWith("Use bourse: is US:AAPL cheap");
    const call = JSON.parse(text) as { params: { name: string } };
    expect(call.params.name).toBe("get_stock_overview");
    await page.clickText("Close", "dialog[open]");
  });

  test("does not take a delisted index or fund for a company, but a delisted company", async () => {
    const { market, time } = opened.service;
    const symbols = ["^DJI", "QQQ", "PFE"];
    market.transaction(() => {
      for (const symbol of symbols) {
        const found = market.instruments.find({ country: "US", symbol });
        if (!found) throw new Error(`no ${symbol}`);
        market.instruments.put(
          [found],
          { source: "list", storedAt: time.now },
          { isListing: true },
        );
      }
      market.instruments.delistMissing({ country: "US", source: "list", listedAt: time.now + 1 });
    });
    time.now += 60_000;
    const tabs: Record<string, string[]> = {};
    for (const symbol of symbols) {
      await page.goto(`/console/US/${encodeURIComponent(symbol)}`);
      expect(await page.text(".symbol-price")).toContain("Delisted on");
      await page.text(".symbol-tabs a");
      tabs[symbol] = await page.texts(".symbol-tabs a");
      expect([symbol, (await page.texts("h2")).includes("Key figures")]).toEqual([
        symbol,
        symbol === "PFE",
      ]);
    }
    expect(tabs["^DJI"]).toEqual(["Overview", "Chart"]);
    expect(tabs["QQQ"]).toEqual(["Overview", "Chart", "Dividends"]);
    expect(tabs["PFE"]).toHaveLength(6);
    expect(page.problems).toEqual([]);
  });

  test("gives the server's sentence for what does not exist", async () => {
    await page.goto("/console/US/%5EGSPC?statement=income");
    expect(await page.text(`${panel("Statements")} .failure p`)).toStartWith(
      "^GSPC in US has no statements: it is of type index, not a company.",
    );
    await page.goto("/console/US/NOSUCH");
    expect(await page.text(".failure p")).toStartWith("Symbol NOSUCH not found in US.");
    // A path that cannot be decoded.
    await page.goto("/console/US/%E0%A4%A");
    expect(await page.text(".failure p")).toStartWith("symbol must be");
    expect(page.problems).toEqual([]);
  });

  test("shows markup in names and addresses as text", async () => {
    const { market } = opened.service;
    const markup = "<img src=x onerror=window.hacked=1>";
    await page.goto(`/console/US/${encodeURIComponent(markup)}`);
    // An address in other capitals leads to the symbol.
    expect(await page.text("h1")).toBe(markup.toUpperCase());
    const instrument = market.instruments.find({ country: "US", symbol: "KO" });
    if (!instrument) throw new Error("no KO");
    market.transaction(() =>
      market.instruments.put([{ ...instrument, name: markup, summary: markup }], {
        source: "test",
        storedAt: opened.service.time.now,
      }),
    );
    opened.service.time.now += 60_000;
    await page.goto("/console/US/KO");
    expect(await page.text("h1")).toBe(markup);
    expect(await page.texts(`${panel("Profile")} p`)).toContain(markup);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(page.problems).toEqual([]);
  });
});

// Each user may send 600 requests a minute, so these have a service of their own.
describe.skipIf(CHROMIUM === null)("the page of a symbol at other widths", () => {
  beforeAll(async () => {
    opened = await openConsole();
    ({ page } = opened);
  });
  afterAll(() => opened?.close());

  test("shows on a phone all columns of its peers, and the labels of all its bars", async () => {
    await page.resize(360);
    for (const path of ["/console/US/AAPL", "/console/JP/7203", "/console/US/AAPL/dividends"]) {
      await page.goto(path);
      expect(await page.isWide()).toBe(false);
      const cut = await page.evaluate<string[]>(`(() => {
        const isCut = (one, frame) => {
          const range = document.createRange();
          range.selectNodeContents(one);
          const [inner, outer] = [range.getBoundingClientRect(), frame.getBoundingClientRect()];
          return inner.width > 0 && (inner.right > outer.right + 1 || inner.left < outer.left - 1);
        };
        const all = [
          ["#content .peers th", ".table-frame"],
          [".bar-groups-group > .muted", ".bar-groups-plot"],
          [".symbol-head :is(button, .button, time)", "main"],
        ].flatMap(([text, frame]) =>
          [...document.querySelectorAll(text)].filter((one) => isCut(one, one.closest(frame))));
        const labels = [...document.querySelectorAll(".bar-groups-group > .muted")].filter((one) => one.innerText);
        const touching = labels.filter((one, i) => {
          const { right, bottom } = one.getBoundingClientRect();
          const next = labels[i + 1]?.getBoundingClientRect();
          return next && next.bottom === bottom && next.left < right + 2;
        });
        return [...all, ...touching].map((one) => one.innerText);
      })()`);
      expect([path, cut]).toEqual([path, []]);
    }
    await page.resize(1440);
  });

  test("fades figures of which only the end is seen beside the name of their row", async () => {
    const fade =
      "parseFloat(getComputedStyle(document.querySelector('.table-frame.pinned tbody th'), '::after').width)";
    await page.resize(390);
    await page.goto("/console/US/AAPL/financials");
    // The table begins at its newest column.
    await page.waitFor("document.querySelector('.table-frame.pinned')?.scrollLeft > 0");
    await page.waitFor(`${fade} > 20`);
    await page.evaluate("document.querySelector('.table-frame.pinned').scrollTo(0, 0)");
    await page.waitFor(`${fade} === 0`);
    await page.resize(1440);
  });

  test("on a phone, the six figures are on the overview only, and the content begins above the fold", async () => {
    await page.resize(390, 844);
    const isShown = () =>
      page.evaluate<boolean>("document.querySelector('.stat-strip').checkVisibility()");
    await page.goto("/console/US/AAPL");
    expect(await isShown()).toBe(true);
    // The menu at the bottom is 45 px high.
    const shown = await page.evaluate<number>(
      "844 - 45 - document.querySelector('main canvas').getBoundingClientRect().top",
    );
    expect(shown).toBeGreaterThan(150);
    expect(await page.isWide()).toBe(false);
    for (const tab of ["chart", "financials", "forecast"]) {
      await page.goto(`/console/US/AAPL/${tab}`);
      expect([tab, await isShown()]).toEqual([tab, false]);
      const top = await page.evaluate<number>(
        "document.querySelector('.symbol-tabs').getBoundingClientRect().bottom",
      );
      expect(top).toBeLessThan(844 / 2);
    }
    await page.resize(1440);
    expect(await isShown()).toBe(true);
  });

  test("keeps its tabs above everything that scrolls below them", async () => {
    for (const width of [390, 1440]) {
      await page.resize(width);
      await page.goto("/console/US/AAPL");
      await page.waitFor("document.querySelector('.chart canvas')");
      await page.text(".symbol-tabs a");
      // What is at the middle of the first tab, at each place of the page where it is stuck below the head.
      const covered = await page.evaluate<string[]>(`(async () => {
        const tab = document.querySelector(".symbol-tabs a");
        const found = new Set();
        const end = document.documentElement.scrollHeight - innerHeight;
        for (let y = 0; y <= end; y += 60) {
          scrollTo(0, y);
          await new Promise((done) => requestAnimationFrame(done));
          const { left, top, width, height } = tab.getBoundingClientRect();
          const above = document.elementFromPoint(left + width / 2, top + height / 2);
          if (!above?.closest(".symbol-tabs")) found.add(above?.outerHTML.slice(0, 60) ?? "nothing");
        }
        return [...found];
      })()`);
      expect([width, covered]).toEqual([width, []]);
    }
    await page.resize(1440);
  });
});
