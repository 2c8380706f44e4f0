import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type BrowserPage, CHROMIUM, openConsole } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

type Row = (string | number | null)[];

let opened: Awaited<ReturnType<typeof openConsole>>;
let page: BrowserPage;

const panel = (title: string) => `section[aria-label="${title}"]`;
const RANGES = ["1W", "1M", "3M", "6M", "YTD", "1Y", "5Y", "10Y", "Max"];
const rangeButton = (range: string) => `.range-bar button:nth-child(${RANGES.indexOf(range) + 1})`;
const inBillions = (value: unknown) => `${(Number(value) / 1e9).toFixed(2)} B`;

describe.skipIf(CHROMIUM === null)("the page of a symbol", () => {
  beforeAll(async () => {
    opened = await openConsole();
    ({ page } = opened);
  });
  afterAll(() => opened?.close());
  beforeEach(() => void (page.problems.length = 0));

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
    // In percent, averages would begin at 0 too.
    expect(await legend()).not.toContain("SMA");
    expect(await page.evaluate<string>("location.search")).toBe("?panes=rsi&with=US%3A%5EGSPC");

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
    expect(await page.evaluate<string>("document.querySelector('.legend time').dateTime")).toBe(
      String(date),
    );
    await page.clickText("Events", panel("Price"));
    await page.clickText("^GSPC ×", panel("Price"));
    await page.waitFor("document.querySelector('.legend').innerText.includes('SMA 50')");
    expect(await page.evaluate<string>("location.search")).toBe("?panes=rsi&events=off");
  });

  test("loads older bars when the user drags to them, and saves a picture", async () => {
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
    await page.clickText("Picture", panel("Price"));
    expect(await page.waitFor<string>("window.saved")).toMatch(/^AAPL \d{4}-\d\d-\d\d\.png$/);
    expect(page.problems).toEqual([]);
  });

  test("shows ratios, which REST has at a path of their own", async () => {
    const { page } = opened;
    await page.goto("/console/US/AAPL?statement=ratios");
    expect(await page.text(panel("Statements"))).toContain("Gross margin");
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
    await page.waitFor(
      `document.querySelector('${panel("Statements")} thead').innerText.includes('${newest[0]}')`,
    );
    const cells = await page.texts(`${panel("Statements")} tbody tr:first-child :is(th, td)`);
    expect([cells[0], cells.at(-1)]).toEqual([
      "Operating cash flow",
      inBillions(column("operating_cash_flow")),
    ]);
    expect(await page.evaluate<string>("location.search")).toBe(
      "?statement=cashflow&period=quarterly",
    );
  });

  test("lists the 26 votes and counts them below the dials", async () => {
    await page.goto("/console/US/AAPL/technicals");
    const data = await page.answer<Record<string, string> & { votes: { rows: Row[] } }>(
      "get_stock_technicals",
      "country=US&symbol=AAPL&votes=true",
    );
    expect(await page.texts(`${panel("Technical ratings")} tbody tr`)).toHaveLength(26);
    const counts = ["sell", "neutral", "buy"].map((vote) =>
      String(data.votes.rows.filter((row) => row[3] === vote).length),
    );
    expect(await page.texts(".dial.large dd")).toEqual(counts);
    expect(await page.text(".dial.large .dial-rating")).toBe(data["Tech rating"] ?? "");
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
    expect(await page.texts(`${panel("Next earnings")} dd`)).toContain(
      String(earnings[0]?.fiscal_period),
    );
    await page.goto("/console/US/AAPL/dividends");
    const { dividends } = await page.answer<{ dividends: { rows: Row[] } }>(
      "get_stock_price_history",
      "country=US&symbol=AAPL&range=10y&limit=1&dividends=true",
    );
    const newest = dividends.rows.at(-1)?.[1];
    const shown = await page.texts(`${panel("Dividends")} tbody tr:first-child td`);
    expect(Number(shown[1])).toBe(Number(newest));
  });

  test("answers at a glance whether a company is cheap for itself, in two actions from Markets", async () => {
    await page.goto("/console");
    await page.press("/");
    await page.waitFor("document.activeElement?.role === 'combobox'");
    await page.type("toyota");
    await page.press("Enter");
    await page.waitFor("location.pathname === '/console/JP/7203'");
    const { metrics } = await page.answer<{ metrics: { pe: Record<string, number> } }>(
      "get_valuation_history",
      "country=JP&symbol=7203&range=10y",
    );
    const text = await page.waitFor<string>("document.querySelector('.band-frame p')?.innerText");
    expect(text).toStartWith(`${metrics.pe["today"]?.toFixed(2)} — higher than `);
    expect(text).toContain(`${Math.round(metrics.pe["percentile"] ?? NaN)}% of the months since`);
    expect(text).toEndWith(`Median ${metrics.pe["median"]?.toFixed(2)}.`);
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
    ).toBe(`Higher than ${Math.round(figure("pe_rank"))}% of the sector`);
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
      expect(tabs.filter((one) => one !== "Dividends")).toEqual([
        "Overview",
        "Chart",
        "Technicals",
      ]);
      expect(tabs.includes("Dividends")).toBe(symbol === "SPY");
      await page.goto(`/console/US/${symbol}/technicals`);
      expect(await page.texts("h2")).toContain("Technical ratings");
      expect(page.problems).toEqual([]);
    },
  );

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
    expect(await page.text("h1")).toBe(markup);
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
