import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type BrowserPage, CHROMIUM, openConsole } from "../support/browser.ts";
import { SAMPLE } from "../support/market.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

type Row = (string | number | null)[];
interface Table {
  columns: string[];
  rows: Row[];
}

let opened: Awaited<ReturnType<typeof openConsole>>;
let page: BrowserPage;

const search = () => page.evaluate<string>("decodeURIComponent(location.search)");

describe.skipIf(CHROMIUM === null)("comparisons", () => {
  beforeAll(async () => {
    opened = await openConsole();
    ({ page } = opened);
  });
  afterAll(() => opened?.close());
  beforeEach(() => void (page.problems.length = 0));

  test("ticked companies are compared side by side", async () => {
    await page.goto("/console/screen");
    await page.click("[aria-label='Compare AAPL']");
    await page.click("[aria-label='Compare MSFT']");
    await page.clickText("Compare 2");
    await page.waitFor("document.querySelector('h1').innerText === 'Compare'");
    await page.settle();
    expect(await page.texts("thead th a")).toEqual(["AAPL", "MSFT"]);
    const { columns, rows } = await page.answer<Table>("compare_stocks", {
      symbols: "US:AAPL,US:MSFT",
    });
    const pe = columns.indexOf("pe");
    const shown = (await page.texts("tbody tr")).find((text) => text.startsWith("P/E"));
    expect(shown?.split(/\s+/)).toEqual(["P/E", ...rows.map((row) => Number(row[pe]).toFixed(2))]);
    expect(page.problems).toEqual([]);
  });

  test.each([
    ["6M", "&currency=", ""],
    ["5Y", "&currency=", ""],
    ["6M", "&currency=JPY", "JPY"],
    // The currency of the first one.
    ["6M", "", "USD"],
  ])(
    "the lines over %s, with '%s', end at the returns of the comparison in currency '%s'",
    async (range, inCurrency, currency) => {
      await page.goto(`/console/compare?symbols=US:AAPL,JP:7203&range=${range}${inCurrency}`);
      await page.waitFor("document.querySelector('.chart canvas')");
      const { rows } = await page.answer<Table>("compare_stocks", {
        symbols: "US:AAPL,JP:7203",
        metrics: `return_${range.toLowerCase()}`,
        ...(currency !== "" && { currency }),
      });
      const legend = await page.text(".legend");
      for (const row of rows) {
        const percent = Number(row[5]);
        expect(legend).toMatch(
          new RegExp(
            `${String(row[1])} ${(100 + percent).toFixed(2)}\\s+\\S?\\s*[+−]${Math.abs(percent).toFixed(2)}`,
          ),
        );
      }
    },
  );

  test("amounts of several currencies are shown in one, and each in its own if the reader wants", async () => {
    const compact = new Intl.NumberFormat("en", {
      notation: "compact",
      minimumFractionDigits: 2,
      maximumFractionDigits: 2,
    });
    const inBillions = (value: number) => Math.round(value / 1e9).toLocaleString("en-GB");
    const amountsIn = async (
      currency: Record<string, string>,
      format: (value: number) => string = (value) => compact.format(value),
    ) => {
      const args = { symbols: "^GSPC,JP:7203,VN:FPT", metrics: "market_cap", ...currency };
      const { rows } = await page.answer<Table>("compare_stocks", args);
      return rows.map(([, , , , , value]) => (value ? format(Number(value)) : "—"));
    };
    const shown = async () => ({
      units: (await page.texts("section[aria-label=Figures] thead th")).map((text) =>
        text.trim().slice(-3),
      ),
      amounts: (await page.texts("section[aria-label=Figures] tbody tr:last-child td")).map(
        (text) => text.replaceAll(/\s/g, ""),
      ),
      chosen: await page.evaluate<string>("document.querySelector('main select').value"),
    });
    // An index is in points, so the first currency is the yen.
    await page.goto(
      "/console/compare?symbols=^GSPC,JP:7203,VN:FPT&part=valuation&metrics=market_cap",
    );
    await page.settle();
    expect(await shown()).toEqual({
      units: ["ure", "JPY", "JPY", "JPY"],
      amounts: await amountsIn({ currency: "JPY" }, inBillions),
      chosen: "JPY",
    });
    expect(await page.text("section[aria-label=Figures] tbody tr:last-child th")).toBe(
      "Market cap JPY billion",
    );
    await page.evaluate(`(() => {
      const choice = document.querySelector("main select");
      choice.value = "";
      choice.dispatchEvent(new Event("change", { bubbles: true }));
    })()`);
    await page.settle();
    expect(await shown()).toEqual({
      units: ["ure", "nts", "JPY", "VND"],
      amounts: await amountsIn({}),
      chosen: "",
    });
    expect(await search()).toContain("currency=");
    // The choice holds on the other parts of the page.
    await page.clickText("Risk", "main nav");
    await page.settle();
    expect((await shown()).units).toEqual(["ure", "nts", "JPY", "VND"]);
    // One currency needs no choice.
    await page.goto("/console/compare?symbols=JP:7203,JP:6758&part=valuation");
    await page.settle();
    expect((await shown()).chosen).toBe("");
    expect(page.problems).toEqual([]);
  });

  test("each company has the date of its newest close where markets closed on different days", async () => {
    await page.goto("/console/compare?symbols=US:NVDA,JP:7203,VN:FPT");
    await page.waitFor("document.querySelector('.chart canvas')");
    const { columns, rows } = await page.answer<Table>("compare_stocks", {
      symbols: "US:NVDA,JP:7203,VN:FPT",
    });
    const session = columns.indexOf("to_session");
    const sessions = rows.map((row) => String(row[session]));
    expect(new Set(sessions).size).toBe(2);
    const dates = () =>
      page.evaluate<string[]>(
        "[...document.querySelectorAll('.legend time')].map((one) => one.dateTime)",
      );
    expect(await dates()).toEqual(sessions);
    expect(await page.text(".legend")).toContain("19 Nov");
    // One day for all needs no more than one date.
    await page.goto("/console/compare?symbols=JP:7203,VN:FPT");
    await page.waitFor("document.querySelector('.chart canvas')");
    expect(await dates()).toEqual(["2026-11-20"]);
  });

  test("the best value of a row is bold: the lowest multiple, the highest return", async () => {
    await page.goto(
      "/console/compare?symbols=US:AAPL,JP:7267&metrics=pe,roe,market_cap,dividend_yield_percentile_5y",
    );
    await page.settle();
    const { columns, rows } = await page.answer<{ columns: string[]; rows: (string | number)[][] }>(
      "compare_stocks",
      "symbols=US:AAPL,JP:7267&metrics=pe,roe,market_cap,dividend_yield_percentile_5y",
    );
    const of = (name: string) => rows.map((row) => Number(row[columns.indexOf(name)]));
    const bold = await page.texts("section[aria-label=Figures] td b");
    expect(bold).toEqual([
      Math.min(...of("pe")).toFixed(2),
      `${Math.max(...of("roe")).toFixed(2)}%`,
      `${Math.max(...of("dividend_yield_percentile_5y")).toFixed(0)}%`,
    ]);
  });

  test("each part of a comparison has an address; chips have the colours of the lines, and labels at their ends do not overlap", async () => {
    await page.cdp("Page.addScriptToEvaluateOnNewDocument", {
      source: `window.drawn = [];
        const { prototype } = CanvasRenderingContext2D;
        const { fillText } = prototype;
        prototype.fillText = function (text, x, y) {
          drawn.push([text, new DOMPoint(x, y).matrixTransform(this.getTransform()).y]);
          return fillText.apply(this, arguments);
        };`,
    });
    const symbols = ["AAPL", "MSFT", "7203", "FPT"];
    await page.goto("/console/compare?symbols=AAPL,MSFT,JP:7203,VN:FPT&metrics=all");
    await page.waitFor("document.querySelector('.chart canvas')");
    await page.waitFor(
      `${JSON.stringify(symbols)}.every((one) => drawn.some(([text]) => text === one))`,
    );
    const drawn = await page.evaluate<[string, number][]>("drawn");
    const ends = symbols.map((one) => drawn.findLast(([text]) => text === one)?.[1] ?? 0);
    const sorted = ends.toSorted((a, b) => a - b);
    // The letters are 12 px high.
    for (const [i, y] of sorted.slice(1).entries()) {
      expect(y - (sorted[i] ?? 0)).toBeGreaterThanOrEqual(12);
    }
    expect(await page.texts(".compared-chip b")).toEqual(symbols);
    const colours = (selector: string) =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll("${selector}")].map((one) => getComputedStyle(one).backgroundColor)`,
      );
    expect(await colours(".compared-chip .swatch")).toEqual(await colours(".legend .swatch"));
    // All dates have one form.
    const cells = await page.texts("section[aria-label=Figures] td");
    expect(cells.filter((text) => /^\d{4}-\d\d-\d\d$/.test(text))).toEqual([]);
    for (const [part, first] of [
      ["Valuation", "P/E"],
      ["Growth", "Revenue growth TTM YoY"],
      ["Risk", "Volatility"],
    ] as const) {
      await page.clickText(part, "main nav");
      await page.settle();
      expect(await search()).toBe(`?symbols=AAPL,MSFT,JP:7203,VN:FPT&part=${part.toLowerCase()}`);
      // The figures before stay until those of the part have arrived.
      await page.waitFor(
        `document.querySelectorAll("section[aria-label=Figures] tbody th")[1]?.innerText === "${first}"`,
      );
      expect(await page.violations()).toEqual([]);
    }
    await page.evaluate("history.back()");
    await page.waitFor("location.search.endsWith('part=growth')");
    // One instrument under two names has one chip and one column.
    await page.goto("/console/compare?symbols=aapl,US:AAPL,JP:7203");
    expect(await page.texts(".compared-chip b")).toEqual(["AAPL", "7203"]);
    expect(await page.texts("thead th a")).toEqual(["AAPL", "7203"]);
  });

  test.each(["en", "ja", "vi"])(
    "on a phone three companies fit, and more scroll beside the names of the figures (%s)",
    async (language) => {
      await page.goto("/console");
      const put = `fetch("/console/api/settings", {
        method: "PUT",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ language: "${language}" }),
      }).then(({ ok }) => ok)`;
      expect(await page.evaluate<boolean>(put)).toBe(true);
      /** The ends of the cells beyond the frame, and the number of the sentences that say there are more. */
      const beyond = () =>
        page.evaluate<[cells: number, hints: number]>(`(() => {
          const frame = document.querySelector(".side-by-side");
          const { right } = frame.getBoundingClientRect();
          const cells = [...frame.querySelectorAll("th, td")].filter((cell) => {
            const range = document.createRange();
            range.selectNodeContents(cell);
            return Math.max(cell.getBoundingClientRect().right, range.getBoundingClientRect().right) > right + 0.5;
          });
          return [cells.length, frame.parentElement.querySelectorAll(":scope > .muted:has(+ .side-by-side)").length];
        })()`);
      for (const width of [360, 390]) {
        await page.resize(width);
        for (const symbols of ["US:AAPL,US:NVDA", "US:AAPL,US:NVDA,JP:7203"]) {
          for (const part of [
            "",
            "&part=valuation",
            "&part=growth",
            "&part=history",
            "&part=risk",
          ]) {
            await page.goto(`/console/compare?symbols=${symbols}${part}`);
            expect([width, symbols, part, ...(await beyond())]).toEqual([
              width,
              symbols,
              part,
              0,
              0,
            ]);
            expect(await page.isWide()).toBe(false);
            expect(await page.evaluate<string>("document.documentElement.lang")).toBe(language);
          }
        }
      }
      await page.goto("/console/compare?symbols=US:AAPL,US:NVDA,JP:7203,VN:FPT,US:MSFT");
      const [cells, hints] = await beyond();
      expect(cells).toBeGreaterThan(0);
      expect(hints).toBe(1);
      const left = `document.querySelector(".side-by-side tbody th").getBoundingClientRect().left`;
      const before = await page.evaluate<number>(left);
      await page.evaluate(`document.querySelector(".side-by-side").scrollLeft = 100`);
      expect(await page.evaluate<number>(left)).toBe(before);
      // The name is below the symbol.
      expect(
        await page.evaluate<boolean>(`(() => {
        const [link, name] = ["a", ".cut"].map((one) => document.querySelectorAll(".side-by-side th")[1].querySelector(one));
        return name.getBoundingClientRect().top >= link.getBoundingClientRect().bottom;
      })()`),
      ).toBe(true);
      expect(await page.violations()).toEqual([]);
      await page.evaluate(put.replace(language, "en"));
      await page.resize(1440);
    },
  );

  test("correlations are those of the daily returns of all common sessions", async () => {
    const closesOf = async (symbol: string) => {
      const args = { country: "US", symbol, range: "2y", interval: "1d" };
      const { closes } = await page.answer<{ closes: number[] }>("get_stock_price_history", args);
      return closes;
    };
    const closes = [await closesOf("AAPL"), await closesOf("MSFT")];
    await page.goto("/console/compare?symbols=AAPL,MSFT&part=risk");
    await page.waitFor("document.querySelector('.correlations')");
    const text = await page.text("section[aria-label='Correlation of daily returns'] p.muted");
    const sessions = Number(/Of (\d+) sessions/.exec(text)?.[1]);
    const [a = [], b = []] = closes.map((all) => {
      const own = all.slice(-sessions);
      return own.slice(1).map((close, i) => close / (own[i] ?? Number.NaN) - 1);
    });
    const mean = (values: readonly number[]) =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    const moment = (x: readonly number[], y: readonly number[]) =>
      mean(x.map((value, i) => (value - mean(x)) * ((y[i] ?? 0) - mean(y))));
    const expected = moment(a, b) / Math.sqrt(moment(a, a) * moment(b, b));
    const shown = expected.toFixed(2).replace("-", "−");
    expect(await page.texts(".correlations td.number")).toEqual(["1.00", shown, shown, "1.00"]);
  });

  test("the history of figures has the values of the API, in one currency, at an address to share", async () => {
    const symbols = "US:AAPL,US:MSFT,JP:7203";
    await page.goto(`/console/compare?symbols=${symbols}`);
    await page.clickText("History", "main nav");
    await page.waitFor("document.querySelectorAll('.histories .chart canvas').length > 0");
    await page.clickText("Figures (4)");
    await page.clickText("Revenue", "dialog[open]");
    await page.clickText("Revenue growth", "dialog[open]");
    await page.clickText("Close", "dialog[open]");
    await page.clickText("5Y", "main");
    const args = { symbols, metrics: "net_margin,roe,eps,revenue", limit: "5", currency: "USD" };
    const shared = `?symbols=${symbols}&part=history&metrics=${args.metrics}&range=5Y`;
    expect(await search()).toBe(shared);
    await page.goto(`/console/compare${shared}`);
    const { columns, rows } = await page.answer<Table>("get_metric_history", args);
    const of = (symbol: string, year: string, metric: string) =>
      Number(
        rows.find((row) => row[1] === symbol && String(row[4]).startsWith(year))?.[
          columns.indexOf(metric)
        ],
      );
    const cells = async (title: string) =>
      (await page.texts(`section[aria-label="${title}"] tbody tr`)).map((one) => one.split(/\s+/));
    expect((await cells("Net margin"))[0]).toEqual([
      "2026",
      ...["AAPL", "MSFT", "7203"].map((one) => `${of(one, "2026", "net_margin").toFixed(2)}%`),
    ]);
    // All in the unit in which the largest has four digits or more.
    const millions = (symbol: string) => Math.round(of(symbol, "2025", "revenue") / 1e6);
    const [, before = []] = await cells("Revenue, USD million");
    expect(before.slice(1).map((text) => Number(text.replace(",", "")))).toEqual(
      ["AAPL", "MSFT", "7203"].map(millions),
    );
    expect(await page.text(".histories > .muted")).toContain("Newest ends: AAPL Sept 2026");
    // The keyboard walks along the years.
    await page.evaluate(`document.querySelector(".histories .chart").focus()`);
    await page.press("ArrowLeft");
    await page.waitFor(`document.querySelector(".histories .legend b").innerText === "2025"`);
    // Quarters, and one company's own currency.
    await page.goto("/console/compare?symbols=JP:7203&part=history&metrics=eps&period=quarterly");
    expect(await page.texts(".histories h2")).toEqual(["EPS diluted, JPY"]);
    expect((await cells("EPS diluted, JPY"))[0]?.slice(0, 2)).toEqual(["Q3", "2026"]);
    await page.clickText("TTM", "main");
    await page.waitFor("location.search.includes('period=ttm')");
    expect(await page.violations()).toEqual([]);
    // A fund has no statements.
    await page.goto("/console/compare?symbols=US:SPY&part=history");
    expect(await page.text(".histories .failure")).toContain("No figures are known");
    expect(page.problems).toEqual([]);
  });

  test("symbols are added and removed, and unknown ones are named", async () => {
    await page.goto("/console/compare");
    expect(await page.text(".empty")).toStartWith("Add 2 to 10 symbols");
    for (const [i, text] of ["aapl", "honda", "^gspc"].entries()) {
      await page.fill("main [role=combobox]", text);
      await page.press("Enter");
      await page.waitFor(
        `location.search.split("%2C").length === ${i + 1} && location.search !== ""`,
      );
    }
    expect(await search()).toBe("?symbols=US:AAPL,JP:7267,US:^GSPC");
    await page.clickText("Remove 7267");
    await page.waitFor("!location.search.includes('7267')");
    await page.fill("main [role=combobox]", "xqzv");
    await page.press("Enter");
    expect(await page.text(".symbol-field .empty")).toStartWith("No instrument");
    // An address can name what the market does not have.
    await page.goto("/console/compare?symbols=AAPL,^GSPC,NOSUCH");
    expect(await page.text(".failure")).toStartWith("NOSUCH: Not found");
    await page.clickText("Remove", ".failure");
    await page.waitFor("!location.search.includes('NOSUCH')");
    await page.settle();
    await page.clickText("Remove AAPL");
    await page.waitFor("decodeURIComponent(location.search) === '?symbols=US:^GSPC'");
    expect(page.problems).toEqual([]);
  });

  test("amounts stay in their own currencies where no exchange rates are stored", async () => {
    const { page, service, close } = await openConsole();
    for (const [country, symbol] of [
      ["JP", "JPY=X"],
      ["VN", "VND=X"],
    ] as const)
      service.market.bars.replace({ country, symbol, bars: [] }, SAMPLE);
    await page.goto("/console/compare?symbols=JP:7203,VN:FPT&part=valuation&metrics=market_cap");
    await page.settle();
    const cells = await page.texts("section[aria-label=Figures] tbody tr:last-child td");
    expect(cells.map((text) => text === "—")).toEqual([false, false]);
    expect(await page.evaluate<string>("document.querySelector('main select').value")).toBe("");
    await close();
  });
});
