import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type BrowserPage, CHROMIUM, openConsole } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

type Row = (string | number | null)[];
interface Table {
  columns: string[];
  rows: Row[];
  total: number;
  next_cursor: string | null;
}

let opened: Awaited<ReturnType<typeof openConsole>>;
let page: BrowserPage;

/** The symbols of the table of companies. */
const symbols = () => page.texts("tbody td:nth-child(2) > a");
const symbolsOf = ({ rows }: Table) => rows.map(([symbol]) => String(symbol));
const search = () => page.evaluate<string>("decodeURIComponent(location.search)");

async function choose(selector: string, value: string): Promise<void> {
  await page.evaluate(`(() => {
    const select = document.querySelector(${JSON.stringify(selector)});
    select.value = ${JSON.stringify(value)};
    select.dispatchEvent(new Event("change", { bubbles: true }));
  })()`);
}

/** Chooses the metric of the form for a condition. */
async function chooseMetric(title: string): Promise<void> {
  await page.click(".condition-form > button");
  await page.clickText(title, "dialog[open]");
}

describe.skipIf(CHROMIUM === null)("the screener", () => {
  beforeAll(async () => {
    opened = await openConsole();
    ({ page } = opened);
  });
  afterAll(() => opened?.close());
  beforeEach(() => void (page.problems.length = 0));

  test("a condition is added, applied by the server, and removed", async () => {
    await page.goto("/console/screen");
    const top = () =>
      page.evaluate<number>(
        "document.querySelector('section[aria-label=Companies]').getBoundingClientRect().top",
      );
    const before = await top();
    await chooseMetric("P/E");
    await page.fill("[name=limit]", "20");
    await page.press("Enter");
    await page.waitFor("location.search.includes('where=pe%3C20')");
    const cheap = await page.answer<Table>("screen_stocks", {
      country: "US",
      where: "pe<20",
      limit: "50",
    });
    await page.waitFor(`document.body.innerText.includes('${cheap.total} of ')`);
    expect(await symbols()).toEqual(symbolsOf(cheap));
    expect(await page.texts(".chips li")).toEqual(["P/E < 20\n×"]);
    // The metric stays chosen, and its number is gone.
    expect(await page.text(".condition-form > button")).toBe("P/E ▾");
    expect(await page.evaluate<string>("document.querySelector('[name=limit]').value")).toBe("");
    // Nothing moves when the first filter comes.
    expect(await top()).toBe(before);
    await page.clickText("Remove P/E < 20");
    await page.waitFor("!location.search.includes('where')");
    expect(page.problems).toEqual([]);
  });

  test("a filter has the market's histogram, two handles and exact limits", async () => {
    await page.goto("/console/screen?where=pe>=5,pe<20");
    expect(await page.texts(".chips li")).toEqual(["5 ≤ P/E < 20\n×"]);
    await page.waitFor("document.querySelectorAll('.pill .histogram rect.within').length > 0");
    await page.click(".pill > button");
    await page.waitFor("document.querySelector('dialog[open] input[type=range]')");
    expect(await page.violations()).toEqual([]);
    // The upper handle at its end means no limit.
    await page.evaluate("document.querySelectorAll('dialog[open] input[type=range]')[1].focus()");
    await page.press("End");
    await page.waitFor("location.search === '?where=pe%3E%3D5'");
    await page.evaluate("document.querySelectorAll('dialog[open] input[type=range]')[0].focus()");
    await page.press("ArrowRight");
    await page.waitFor("location.search !== '?where=pe%3E%3D5'");
    const where = (await search()).replace("?where=", "");
    expect(Number(/^pe>=([\d.]+)$/.exec(where)?.[1])).toBeGreaterThan(5);
    await page.fill("dialog[open] .filter-row label:nth-child(2) input", "1,5");
    await page.press("Tab");
    expect(await search()).toBe(`?where=${where}`);
    await page.fill("dialog[open] .filter-row label:nth-child(2) input", "30");
    await page.press("Tab");
    await page.waitFor("location.search.includes('30')");
    // The filter had "<" when it was opened, and lost it at the end of the handle.
    expect(await search()).toBe(`?where=${where},pe<=30`);
    const { total } = await page.answer<Table>("screen_stocks", {
      country: "US",
      where: `${where},pe<=30`,
    });
    await page.waitFor(`document.body.innerText.includes('${total} of ')`);
    expect(await page.text("dialog[open] .matching")).toBe(
      `Companies that meet all filters: ${total}`,
    );
    expect(page.problems).toEqual([]);
  });

  test("a handle begins at the filter's limit, moves in round steps, and stays as strict", async () => {
    const input = (side: 0 | 1) =>
      `document.querySelectorAll("dialog[open] input[type=range]")[${side}]`;
    const press = async (side: 0 | 1, key: string, where: string) => {
      await page.evaluate(`${input(side)}.focus()`);
      await page.press(key);
      await page.waitFor(`decodeURIComponent(location.search) === "?where=${where}"`);
    };
    await page.goto("/console/screen?where=pe<17.3");
    await page.click(".pill > button");
    await page.waitFor(input(1));
    const shown = () => page.texts("dialog[open] .handles label");
    expect(await shown()).toEqual(["At least any", "Less than 17.3"]);
    // Its place is that of 17.3 between the ends of the scale.
    const { low, high } = await page.evaluate<{ low: number; high: number }>(
      "fetch('/console/api/distribution?country=US&metrics=pe').then((one) => one.json())",
    );
    const share = await page.evaluate<number>(`${input(1)}.value / ${input(1)}.max`);
    expect(Math.abs(share - (17.3 - low) / (high - low))).toBeLessThan(0.03);
    const next = async () => {
      const before = await page.evaluate<string>("location.search");
      await page.evaluate(`${input(1)}.focus()`);
      await page.press("ArrowRight");
      await page.waitFor(`location.search !== ${JSON.stringify(before)}`);
      return Number(/^\?where=pe<([\d.]+)$/.exec(await search())?.[1]);
    };
    const first = await next();
    const step = (await next()) - first;
    expect([1, 2, 5]).toContain(step);
    expect(first % step).toBe(0);
    await page.goto("/console/screen?where=pe<=20");
    await page.click(".pill > button");
    await page.waitFor(input(1));
    await press(1, "ArrowLeft", `pe<=${20 - step}`);
    // The dialog stays while the filter gets a second limit and loses the first.
    await page.evaluate(`${input(0)}.focus()`);
    await page.press("ArrowRight");
    await page.waitFor("location.search.includes('pe%3E%3D')");
    await press(0, "Home", `pe<=${20 - step}`);
    await page.fill("dialog[open] .filter-row label:nth-child(2) input", "25");
    await page.press("Tab");
    await page.waitFor("decodeURIComponent(location.search) === '?where=pe<=25'");
    expect(await page.violations()).toEqual([]);
    expect(page.problems).toEqual([]);
  });

  test("a set of columns is chosen, and is in the address", async () => {
    await page.goto("/console/screen");
    await page.clickText("Dividends", "section[aria-label=Companies]");
    await page.waitFor("location.search.includes('payout_ratio')");
    await page.waitFor("document.querySelector('thead').innerText.includes('Payout ratio')");
    expect(await page.texts(".tabs[aria-label=Columns] [aria-pressed=true]")).toEqual([
      "Dividends",
    ]);
  });

  test("alternatives are one condition, and a condition beside them belongs to each", async () => {
    const either = "pe<20,roe>10 or pb<industry.pb_median";
    await page.goto(`/console/screen?where=${encodeURIComponent(either)}`);
    const count = async (where: string) => {
      const { total } = await page.answer<Table>("screen_stocks", { country: "US", where });
      await page.waitFor(`document.body.innerText.includes('${total} of ')`);
    };
    await count(either);
    expect(await page.texts(".chips li")).toEqual([`${either}\n×`]);
    await chooseMetric("Beta");
    await page.fill("[name=limit]", "1");
    await page.press("Enter");
    await page.waitFor("location.search.includes('beta')");
    const both = "pe<20,roe>10,beta<1 or pb<industry.pb_median,beta<1";
    expect((await search()).replaceAll("+", " ")).toBe(`?where=${both}`);
    await count(both);
    await page.clickText(`Remove ${both}`);
    await page.waitFor("!location.search.includes('where')");
    expect(page.problems).toEqual([]);
  });

  test("the median of an industry is named in words, in the filter and in the table", async () => {
    await page.goto("/console/screen?where=pb<industry.pb_median");
    expect(await page.texts(".chips li")).toEqual(["P/B < P/B, median of the industry\n×"]);
    expect(await page.texts("thead th")).toContain("P/B, median of the industry");
  });

  test("several countries: each row has its country, and links and ticks use it", async () => {
    await page.goto("/console/screen?country=US,JP&pick=&metrics=market_cap,next_ex_date");
    await page.waitFor("document.querySelectorAll('tbody tr').length > 10");
    const links = await page.evaluate<string[]>(
      "[...document.querySelectorAll('tbody td:nth-child(2) a')].map((a) => a.getAttribute('href'))",
    );
    const countries = new Set(links.map((link) => /(US|JP)/.exec(link)?.[1]));
    expect(countries).toEqual(new Set(["JP", "US"]));
    // Prices in dollars have cents, or three digits below one dollar, whatever the exchange rate.
    await page.goto("/console/screen?country=all&sort=price&metrics=price");
    await page.waitFor("document.querySelectorAll('tbody tr').length > 10");
    const heads = await page.texts("thead th");
    expect(heads.filter((one) => one.startsWith("Session"))).toEqual(["Session"]);
    const at = heads.findIndex((one) => one.startsWith("Price"));
    const cheap = await page.texts(`tbody td:nth-child(${at + 1})`);
    expect(cheap.filter((price) => !/^(0\.0*[1-9]\d{1,2}|[1-9]\d*\.\d\d)$/.test(price))).toEqual(
      [],
    );
    await page.goto("/console/screen?country=all");
    expect(await page.text("[role=status].muted")).toMatch(
      /companies\. Prices, amounts and returns in USD, closes of 19 Nov 2026 to 20 Nov 2026, newest rates of 19 Nov 2026\.$/,
    );
    await page.goto("/console/compare?symbols=US:AAPL,VN:ST8&currency=USD&metrics=price");
    const prices = await page.texts("section[aria-label=Figures] tbody tr:last-child td");
    expect(prices[1]).toMatch(/^0\.\d{2,3}$/);
    expect(page.problems).toEqual([]);
  });

  test("a decimal comma is refused, thousands are read, and a condition is added once", async () => {
    await page.goto("/console/screen");
    const add = async (limit: string) => {
      await chooseMetric("P/E");
      await page.fill("[name=limit]", limit);
      await page.press("Enter");
    };
    for (const limit of ["", " ", "1,5", "1,50", "1,5000", "1,500,5"]) {
      await add(limit);
      expect(
        await page.evaluate<boolean>("document.querySelector('[name=limit]').validity.valid"),
      ).toBe(false);
      expect(await search()).toBe("");
    }
    for (const limit of ["1,500", "1500", " 1 500 ", "1500 %"]) await add(limit);
    await page.waitFor("location.search.includes('where')");
    expect(await search()).toBe("?where=pe<1500");
    await add("2,500.5");
    await page.waitFor("location.search.includes('2500')");
    expect(await search()).toBe("?where=pe<1500,pe<2500.5");
    expect(page.problems).toEqual([]);
  });

  test("on a phone the screens are one row, no room is empty, and the order's figure is beside the names", async () => {
    await page.resize(390);
    await page.goto("/console/screen?sort=-return_1y");
    const heads = await page.evaluate<string[]>(
      "[...document.querySelectorAll('thead th')].filter((one) => one.checkVisibility()).map((one) => one.innerText.trim())",
    );
    // The boxes keep their name for screen readers.
    expect(heads.slice(0, 4)).toEqual(["Compare", "Symbol", "1 year ↓", "Price"]);
    const box = "document.querySelector('.companies thead th')";
    expect(await page.evaluate<string>(`getComputedStyle(${box}).fontSize`)).toBe("0px");
    const heightOf = (selector: string) =>
      page.evaluate<number>(`document.querySelector("${selector}").getBoundingClientRect().height`);
    expect(await heightOf(".presets")).toBeLessThan(40);
    expect(await heightOf(".filter-line")).toBeLessThan(40);
    expect(
      await page.evaluate<number>("document.querySelector('tbody tr').getBoundingClientRect().top"),
    ).toBeLessThan(560);
    expect(await page.isWide()).toBe(false);
    expect(await page.violations()).toEqual([]);
    // A new order is seen, although its head was far to the right.
    await page.clickText("P/E", ".companies thead");
    await page.waitFor(
      "document.querySelectorAll('.companies thead th')[3].innerText.startsWith('P/E')",
    );
    await page.waitFor("document.querySelector('.companies .table-frame').scrollLeft === 0");
    await page.resize(1440);
    expect(page.problems).toEqual([]);
  });

  test("the keyboard reaches the table by one link, and then J opens the first row", async () => {
    await page.goto("/console/screen?metrics=price");
    const [first = ""] = await symbols();
    await page.evaluate("document.querySelector('main .skip').focus()");
    expect(await page.text("main .skip")).toBe("Skip to the companies");
    await page.press("Enter");
    await page.waitFor("document.activeElement.matches('.companies .table-frame')");
    await page.press("j");
    await page.waitFor(`location.search.includes("at=US%3A${first}")`);
    // The help does not touch the last row.
    const gap = await page.evaluate<number>(
      "document.querySelector('.preview').getBoundingClientRect().left - document.querySelector('.companies .table-frame').getBoundingClientRect().right",
    );
    expect(gap).toBeGreaterThanOrEqual(8);
    expect(page.problems).toEqual([]);
  });

  test("columns that are ticked at once are all kept, and the last one stays", async () => {
    await page.goto("/console/screen?metrics=price&sort=price");
    await page.clickText("Columns (1)");
    await page.text(".column-choice button[aria-pressed]");
    const tick = (...titles: string[]) =>
      page.evaluate(`(() => {
        for (const title of ${JSON.stringify(titles)})
          [...document.querySelectorAll(".column-choice button[aria-pressed]")]
            .find((button) => button.textContent === title)
            .click();
      })()`);
    // In one turn of the page, so that it is not drawn between them.
    await tick("P/E", "P/B", "P/S");
    await page.waitFor("location.search.includes('ps')");
    expect(await search()).toBe("?metrics=price,pe,pb,ps&sort=price");
    await page.waitFor(
      "document.querySelector('.filter-line > button').innerText === 'Columns (4)'",
    );
    expect(await page.violations()).toEqual([]);
    await tick("P/E", "P/B", "P/S");
    await page.waitFor("!location.search.includes('ps')");
    await page.waitFor("document.querySelector('.column-choice [aria-pressed=true]')?.disabled");
    await tick("Price");
    expect(await search()).toBe("?metrics=price&sort=price");
    // A column is found by its words, and one of a condition counts, and stays.
    await page.fill(".column-choice [type=search]", "yield");
    await page.press("Enter");
    await page.waitFor("location.search.includes('dividend_yield')");
    await page.goto("/console/screen?metrics=price&where=pe<20,pb<industry.pb_median");
    await page.clickText("Columns (4)");
    expect(await page.texts(".column-choice button[aria-pressed=true]")).toEqual([
      "Price",
      "Market cap",
      "P/E",
      "P/B",
    ]);
    expect(await page.texts(".column-choice button:disabled")).toHaveLength(4);
    expect(page.problems).toEqual([]);
  });

  test("sector, country and sorting are chosen, and are in the address", async () => {
    await page.goto("/console/screen");
    await page.clickText("Japan");
    await choose(".filters select:not([name])", "technology");
    await page.waitFor("location.search.includes('sector=technology')");
    // The cheapest first, and the largest of what should be large.
    await page.clickText("Net margin TTM");
    await page.waitFor("location.search.includes('sort=-net_margin')");
    await page.clickText("P/E");
    await page.waitFor("location.search.includes('sort=pe')");
    await page.clickText("P/E ↑");
    await page.waitFor("location.search.includes('sort=-pe')");
    await page.clickText("P/E ↓");
    await page.waitFor("location.search.includes('sort=pe')");
    expect(await search()).toBe("?country=JP&sector=technology&sort=pe");
    const expected = symbolsOf(
      await page.answer<Table>("screen_stocks", {
        country: "JP",
        sector: "technology",
        sort: "pe",
        limit: "50",
      }),
    );
    await page.waitFor(
      `document.querySelector("tbody td:nth-child(2) > a")?.innerText === "${expected[0]}"`,
    );
    await page.settle();
    expect(await symbols()).toEqual(expected);
    const [sorted] = await page.texts("th[aria-sort=ascending]");
    expect(sorted).toStartWith("P/E");
  });

  test("lists every metric of the API as a column", async () => {
    await page.goto("/console/screen");
    const { columns } = await page.answer<Table>("compare_stocks", {
      symbols: "US:AAPL",
      metrics: "all",
    });
    await page.click(".condition-form > button");
    expect(await page.texts("dialog[open] section:not(:first-of-type) button")).toHaveLength(
      columns.filter((column) => !column.endsWith("_from_session")).length - 5,
    );
    await page.press("Escape");
    await page.click(".filter-line > button");
    await page.clickText("Beta", ".column-choice");
    await page.waitFor(
      "[...document.querySelectorAll('th')].some((one) => one.innerText === 'Beta')",
    );
  });

  test("the buttons of the preview stay while the keys pass companies, and Escape closes it", async () => {
    await page.goto("/console/screen");
    await page.press("j");
    const buttons = () =>
      page.evaluate<number>(
        "Math.round(document.querySelector('.preview .buttons')?.getBoundingClientRect().top)",
      );
    const isLoaded =
      "[...document.querySelectorAll('.preview dd')].every((one) => one.innerText.trim() !== '')";
    await page.waitFor(`document.querySelector('.preview dd') && ${isLoaded}`);
    const before = await buttons();
    for (let i = 0; i < 3; i++) {
      await page.press("j");
      await page.waitFor(`document.querySelectorAll('tbody tr')[${i + 1}].ariaCurrent`);
      expect(await buttons()).toBe(before);
    }
    await page.waitFor(isLoaded);
    expect(await buttons()).toBe(before);
    await page.press("Escape");
    await page.waitFor("!document.querySelector('.preview .buttons')");
    expect(await search()).toBe("");
    expect(page.problems).toEqual([]);
  });

  test("on a phone a metric is found by its words or its group, and those used last are first", async () => {
    await page.resize(390);
    await page.goto("/console/screen");
    await page.click(".more-filters summary");
    await page.click(".condition-form > button");
    // The keyboard of the phone does not cover the metrics.
    expect(await page.evaluate<string>("document.activeElement.type")).not.toBe("search");
    const names = () => page.texts("dialog[open] section:first-of-type button");
    expect((await names())[0]).toBe("P/E");
    expect(await page.texts("dialog[open] h3")).toContain("Balance sheet");
    expect(await page.violations()).toEqual([]);
    expect(await page.isWide()).toBe(false);
    await page.fill("dialog[open] [type=search]", "debt eq");
    await page.waitFor("document.querySelectorAll('dialog[open] section button').length === 1");
    await page.press("Enter");
    await page.waitFor("document.activeElement.name === 'limit'");
    expect(await page.text(".condition-form > button")).toBe("Debt / equity FQ ▾");
    await page.type("0.5");
    await page.press("Enter");
    await page.waitFor("location.search.includes('debt_to_equity')");
    await page.click(".condition-form > button");
    expect((await names())[0]).toBe("Debt / equity FQ");
    await page.press("Escape");
    await page.resize(1440);
    expect(page.problems).toEqual([]);
  });

  test("what a figure means is in the reader's language, wherever it is chosen", async () => {
    const settings = (body: object) =>
      page.evaluate(`fetch("/console/api/settings", { method: "PUT",
        headers: { "Content-Type": "application/json" },
        body: ${JSON.stringify(JSON.stringify(body))} }).then((one) => one.status)`);
    await page.goto("/console/screen");
    try {
      for (const [language, words, tip] of [
        ["ja", "PBR（5年中央値）", "株価 / 1株純資産。"],
        ["vi", "P/B (trung vị 5 năm)", "Giá / giá trị sổ sách trên mỗi cổ phiếu."],
      ] as const) {
        await settings({ language });
        await page.goto("/console/screen?where=pb<3,pb<industry.pb_median");
        await page.waitFor(`document.documentElement.lang === "${language}"`);
        const cut = await page.evaluate<string[]>(`(() => {
          const pen = document.createElement("canvas").getContext("2d");
          return [...document.querySelectorAll(".filters input")].filter((field) => {
            const { font, paddingLeft, paddingRight } = getComputedStyle(field);
            pen.font = font;
            const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
            return pen.measureText(field.placeholder).width > room;
          }).map((field) => field.placeholder);
        })()`);
        expect(cut).toEqual([]);
        await page.click(".filter-line > button");
        // By the mouse, the keyboard and a finger: what is reached is explained.
        const meanings = await page.evaluate<string[]>(`(async () => {
          const said = [];
          for (const one of document.querySelectorAll(".column-choice section button:not(:disabled)")) {
            one.focus();
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            said.push(document.querySelector(".metric-meaning").innerText);
          }
          return said;
        })()`);
        expect(meanings.filter((one) => one.startsWith(words))).toHaveLength(1);
        expect(meanings.filter((one) => /\b(of the|and|newest)\b/.test(one))).toEqual([]);
        await page.press("Escape");
        await page.click(".pill > button");
        await page.waitFor(`document.querySelector("dialog[open]")?.innerText.includes("${tip}")`);
      }
    } finally {
      await settings({});
    }
    expect(page.problems).toEqual([]);
  });

  test("the cheapest US bank with a yield above 3 % is four actions from Markets", async () => {
    await page.goto("/console");
    await page.clickText("Screener", "nav");
    await page.waitFor("document.querySelector('.condition-form')");
    await choose(".filters select:not([name])", "financial-services");
    await chooseMetric("Dividend yield");
    await choose("[name=operator]", ">");
    await page.fill("[name=limit]", "3");
    await page.press("Enter");
    await page.waitFor("location.search.includes('dividend_yield')");
    // New rows can make the columns wider, and move the head that is clicked.
    await page.settle();
    expect(await page.texts(".chips li")).toEqual(["Dividend yield > 3%\n×"]);
    await page.clickText("P/E");
    await page.waitFor("location.search.includes('sort=pe')");
    const answer = await page.answer<Table>("screen_stocks", {
      country: "US",
      sector: "financial-services",
      where: "dividend_yield>3",
      sort: "pe",
      limit: "50",
    });
    await page.waitFor(
      `document.querySelector("tbody td:nth-child(2) > a")?.innerText === "${symbolsOf(answer)[0]}"`,
    );
    // Each filter is an entry of the history: the way back removes the last one.
    await page.evaluate("history.back()");
    await page.waitFor("!location.search.includes('sort=pe')");
    // A condition on a figure that is no column brings it.
    expect(await page.texts("thead th")).not.toContain("Beta");
    await page.goto("/console/screen?where=beta<1");
    expect(await page.texts("thead th")).toContain("Beta");
  });

  test("J and K move, the preview has the row's figures, W watches, C ticks, Enter opens", async () => {
    await page.goto("/console/screen?metrics=price,pe");
    await page.waitFor("document.querySelectorAll('tbody tr').length > 2");
    const [first = "", second = ""] = await symbols();
    // The keys belong to the companies as long as nothing else has the focus.
    expect(await page.evaluate("document.activeElement === document.body")).toBe(true);
    const press = async (key: string, symbol: string) => {
      await page.press(key);
      await page.waitFor(`location.search.includes("at=US%3A${symbol}")`);
      await page.waitFor(
        `document.querySelector("tr[aria-current] td:nth-child(2) > a")?.innerText === "${symbol}"`,
      );
    };
    await press("j", first);
    await press("j", second);
    await press("k", first);
    await press("k", first);
    const figures = await page.texts(".preview dd");
    const cells = (await page.texts("tr[aria-current] td")).slice(3);
    expect(figures.slice(0, cells.length)).toEqual(cells);
    await page.waitFor("document.querySelector('.preview polyline')");
    // What the row does not have: its own P/E is not repeated.
    await page.waitFor(`/\\d/.test(document.querySelector(".preview dd:last-of-type")?.innerText)`);
    const names = await page.texts(".preview dt");
    expect(names.filter((name) => name === "P/E")).toHaveLength(1);
    expect(names).toContain("P/E, 5-year percentile");
    expect(await page.violations()).toEqual([]);
    await page.press("c");
    await page.waitFor(`location.search.includes("pick=US%3A${first}")`);
    await page.press("w");
    await page.waitFor("document.querySelector('tr[aria-current] .star[aria-pressed=true]')");
    await page.press("Enter");
    await page.waitFor(`location.pathname.endsWith("/${first}")`);
    expect(page.problems).toEqual([]);
  });

  test("the preview loads the line of the company where the keys rest, follows the width, and closes", async () => {
    await page.goto("/console/screen?metrics=price,pe");
    await page.waitFor("document.querySelectorAll('tbody tr').length > 3");
    const rows = await symbols();
    // The keys rest when the test says so.
    await page.evaluate(`(() => {
      const [setReal, clearReal, fetchReal] = [setTimeout, clearTimeout, fetch];
      window.asked = [];
      window.resting = null;
      window.setTimeout = (run, ms, ...args) =>
        ms === 150 ? ((window.resting = run), -1) : setReal(run, ms, ...args);
      window.clearTimeout = (id) => (id === -1 ? (window.resting = null) : clearReal(id));
      window.fetch = (url, init) => {
        if (String(url).includes("price_history")) window.asked.push(String(url));
        return fetchReal(url, init);
      };
      document.querySelector(".table-frame").focus();
    })()`);
    for (const symbol of rows.slice(0, 3)) {
      await page.press("j");
      await page.waitFor(
        `document.querySelector(".preview a.button")?.innerText === "Open ${symbol}"`,
      );
    }
    expect(await page.evaluate<string[]>("window.asked")).toEqual([]);
    const place = "document.querySelector('.preview dl').getBoundingClientRect().top";
    const before = await page.evaluate<number>(place);
    // The timer of the last company may begin after its figures are drawn.
    await page.waitFor("window.resting?.(), document.querySelector('.preview polyline')");
    expect(await page.evaluate<number>(place)).toBe(before);
    const asked = await page.evaluate<string[]>("window.asked");
    expect(asked.map((url) => new URLSearchParams(url.split("?")[1]).get("symbol"))).toEqual([
      rows[2] ?? null,
    ]);
    const heights = await page.evaluate<number[]>(
      "[...document.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect().height)",
    );
    expect(new Set(heights.map(Math.round))).toEqual(new Set([28]));
    // No column is cut: the table scrolls in its own box, and its symbols stay.
    const fits = `(() => {
      const frame = document.querySelector(".companies .table-frame");
      const preview = document.querySelector(".preview").getBoundingClientRect();
      return frame.getBoundingClientRect().right <= preview.left &&
        document.documentElement.scrollWidth <= innerWidth;
    })()`;
    expect(await page.evaluate<boolean>(fits)).toBe(true);
    await page.resize(1200);
    await page.waitFor("document.querySelector('.preview h3') === null");
    await page.resize(1440);
    await page.waitFor("document.querySelector('.preview h3')");
    await page.clickText("Close the preview");
    await page.waitFor("!location.search.includes('at=')");
    await page.waitFor("document.querySelector('.preview h3') === null");
    expect(page.problems).toEqual([]);
  });

  test("amounts name their currency, and a country with another one says so", async () => {
    await page.goto("/console/screen?country=JP&where=market_cap>=200B,market_cap<=2T,pe<30");
    const first = () => page.text(".chips li");
    const note = () => page.evaluate<string>("document.querySelector('.currency-note').innerText");
    expect(await first()).toBe("Market cap 200B – 2T JPY\n×");
    expect(await note()).toBe("");
    await page.clickText("All three");
    await page.waitFor("document.querySelector('.currency-note p')");
    expect(await note()).toStartWith(
      "The amounts of your conditions were in JPY and are now in USD.",
    );
    expect(await first()).toBe("Market cap 200B – 2T USD\n×");
    expect(await page.violations()).toEqual([]);
    // Another condition changes nothing, the earlier country does.
    await page.clickText("Remove P/E < 30");
    await page.waitFor("!location.search.includes('pe')");
    expect(await note()).not.toBe("");
    await page.clickText("Japan");
    await page.waitFor("!document.querySelector('.currency-note p')");
    await page.click(".pill > button");
    await page.text("dialog[open] .filter-row label");
    expect(await page.texts("dialog[open] .filter-row label")).toEqual([
      "At least, JPY",
      "At most, JPY",
    ]);
    await page.press("Escape");
    await chooseMetric("Market cap");
    expect(await page.text(".condition-form > input + .muted")).toBe("JPY");
    // What is no amount has no currency.
    await page.goto("/console/screen?country=JP&where=pe<30");
    expect(await first()).toBe("P/E < 30\n×");
    await page.clickText("All three");
    await page.waitFor("location.search.includes('country=all')");
    expect(await note()).toBe("");
    expect(page.problems).toEqual([]);
  });

  test("every head stays above the rows, and the frame of a table shows that it has the focus", async () => {
    const frame = "document.querySelector('.companies .table-frame')";
    for (const width of [1440, 800, 390]) {
      await page.resize(width);
      await page.goto("/console/screen");
      await page.waitFor("document.querySelectorAll('tbody tr').length > 10");
      await page.evaluate(`${frame}.scrollIntoView()`);
      await page.evaluate(`${frame}.scrollTo({ top: 235 })`);
      await page.waitFor(`${frame}.scrollTop === 235`);
      const hidden = await page.evaluate<string[]>(`(() => {
        const edge = ${frame}.getBoundingClientRect();
        return [...${frame}.querySelectorAll("thead th")].filter((head) => {
          const { left, right, top, bottom } = head.getBoundingClientRect();
          const [x, y] = [(left + right) / 2, (top + bottom) / 2];
          return left < x && x < edge.right && !document.elementFromPoint(x, y)?.closest("thead");
        }).map((head) => head.innerText);
      })()`);
      expect(hidden).toEqual([]);
      // Each cell has its own line, also a symbol that stays.
      expect(
        await page.evaluate<string>(
          `getComputedStyle(${frame}.querySelector("table")).borderCollapse`,
        ),
      ).toBe("separate");
    }
    await page.resize(1440);
    // A button of the filters keeps the focus after it was pressed, and takes no letters.
    await page.evaluate("document.querySelector('.presets button, .presets a').focus()");
    await page.press("j");
    await page.waitFor(`document.activeElement === ${frame}`);
    expect(
      await page.evaluate<number>(`parseFloat(getComputedStyle(${frame}).outlineOffset)`),
    ).toBe(-2);
    expect(page.problems).toEqual([]);
  });

  test("amounts of a column are in the unit of its head, and long heads leave no column outside", async () => {
    for (const [language, country, head] of [
      ["en", "US", "Market cap, USD billion ↓"],
      ["ja", "JP", "時価総額（億円） ↓"],
      ["vi", "VN", "Vốn hóa, nghìn tỷ đồng ↓"],
    ]) {
      await page.evaluate(`fetch("/console/api/settings", { method: "PUT",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ language: "${language}", welcomed: true }) }).then((one) => one.status)`);
      await page.goto(`/console/screen?country=${country}&limit=50`);
      expect(await page.texts("thead th")).toContain(head ?? "");
      const cells = await page.texts("tbody td:nth-child(6)");
      expect(cells.filter((cell) => /[^\d.,]/.test(cell))).toEqual([]);
      expect(
        await page.evaluate<boolean>(
          "document.querySelector('.companies .table-frame').scrollWidth <= document.querySelector('.companies .table-frame').clientWidth",
        ),
      ).toBe(true);
    }
    await page.evaluate(`fetch("/console/api/settings", { method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: '{"welcomed":true}' }).then((one) => one.status)`);
    expect(page.problems).toEqual([]);
  });

  test.each([
    ["JP", "sector=jp:3700", "Sector", "JP:3700"],
    ["JP", "sector=輸送用機器", "Sector", "輸送用機器"],
    ["US", "sector=Technology", "Sector", "Technology"],
    ["JP", "exchange=tse", "Exchange", "TSE"],
  ])("in %s, the list of a class shows %s", async (country, query, label, expected) => {
    await page.goto(`/console/screen?country=${country}&${query}`);
    const shown = `document.querySelector(".filters select[aria-label=${label}]")?.selectedOptions[0]`;
    await page.waitFor(shown);
    expect(await page.evaluate<string>(`${shown}.text`)).toBe(expected);
    await page.waitFor("document.querySelector('.companies')");
  });

  test("J and K move after a filter: Escape leaves its field, and the mouse that chose a sector its list", async () => {
    await page.goto("/console/screen");
    const current = () => page.waitFor("document.querySelector('tbody tr[aria-current]')");
    await page.click(".filters [name=limit]");
    await page.type("j");
    expect(await page.evaluate("document.activeElement.value")).toBe("j");
    await page.press("Escape");
    await page.press("j");
    await current();
    await page.goto("/console/screen");
    const sectors = ".filters select[aria-label=Sector]";
    const focused = () => page.evaluate<string>("document.activeElement.className");
    // By the mouse.
    await page.evaluate(`document.querySelector('${sectors}').focus({ focusVisible: false })`);
    await choose(sectors, "energy");
    await page.settle();
    expect(await focused()).toBe("table-frame");
    // By the keyboard.
    await page.evaluate(`document.querySelector('${sectors}').focus({ focusVisible: true })`);
    await choose(sectors, "technology");
    await page.settle();
    expect(await focused()).not.toBe("table-frame");
    await page.press("Escape");
    await page.press("k");
    await current();
    expect(page.problems).toEqual([]);
  });

  test("the preview of a long name is within the card, and stays while the page is scrolled", async () => {
    await page.goto("/console/screen");
    const preview = "document.querySelector('.preview')";
    const isOpen = (row: number) =>
      page.waitFor(`document.querySelectorAll("tbody tr")[${row}]?.ariaCurrent`);
    await page.press("j");
    await isOpen(0);
    const widest = await page.evaluate<number>(`(() => {
      const names = [...document.querySelectorAll("tbody td:nth-child(3)")];
      const lengths = names.map((name) => name.innerText.length);
      return lengths.indexOf(Math.max(...lengths));
    })()`);
    await page.evaluate(`document.querySelectorAll("tbody tr")[${widest}].click()`);
    await isOpen(widest);
    await page.waitFor(`${preview}.querySelector("dl")`);
    expect(await page.evaluate(`${preview}.scrollWidth === ${preview}.clientWidth`)).toBe(true);
    // No lower than the end of the table.
    await page.evaluate("window.scrollTo(0, 9999)");
    await page.waitFor("window.scrollY > 0");
    expect(
      await page.evaluate<number>(`${preview}.getBoundingClientRect().top`),
    ).toBeGreaterThanOrEqual(44);
    expect(page.problems).toEqual([]);
  });

  test("an empty screen says how many companies it has without each filter", async () => {
    await page.goto("/console/screen?where=pe<20,market_cap>900T&sector=technology");
    await page.waitFor("document.querySelectorAll('.without button').length === 3");
    const totalOf = async (query: Record<string, string>) =>
      (await page.answer<Table>("screen_stocks", { country: "US", ...query })).total;
    const without = await totalOf({ where: "pe<20", sector: "technology" });
    expect(without).toBeGreaterThan(0);
    expect(await page.texts(".without button")).toEqual([
      `Without Market cap > 900T USD: ${without} companies`,
      "Without P/E < 20: 0 companies",
      "Without Sector: Technology: 0 companies",
    ]);
    expect(await page.text(".empty")).toMatch(
      /^No company meets (Market cap > 900T USD|P\/E < 20)\./,
    );
    expect(await page.violations()).toEqual([]);
    await page.click(".without button");
    await page.waitFor("!location.search.includes('market_cap')");
    await page.waitFor(`document.querySelectorAll("tbody tr").length === ${Math.min(50, without)}`);
    expect(await search()).toBe("?where=pe<20&sector=technology");
    expect(page.problems).toEqual([]);
  });

  test("a preset is opened, changed, saved with its sector, opened again and deleted", async () => {
    await page.goto("/console/screen?country=all&sector=energy");
    await page.clickText("Cheap and paying");
    await page.waitFor("document.querySelector('h1').innerText === 'Cheap and paying'");
    await choose(".filters select:not([name])", "energy");
    await page.waitFor("location.search.includes('sector=energy')");
    await page.clickText("Save this screen");
    await page.fill("dialog[open] input[name=name]", "Oil that pays");
    await page.clickText("Save", "dialog[open]");
    await page.waitFor("document.querySelector('h1').innerText === 'Oil that pays'");
    await page.goto("/console/screen");
    await page.clickText("Oil that pays");
    await page.waitFor("document.querySelector('h1').innerText === 'Oil that pays'");
    const query = new URLSearchParams(await search());
    expect([query.get("country"), query.get("sector"), query.get("sort")]).toEqual([
      "all",
      "energy",
      "pe",
    ]);
    expect(await page.violations()).toEqual([]);
    await page.clickText("Delete Oil that pays?");
    await page.clickText("Delete", "dialog[open] .buttons");
    await page.waitFor("document.querySelectorAll('.presets button').length === 0");
  });

  test("a saved screen says what is not saved, and is renamed without replacing another", async () => {
    const put = (name: string, where: string) =>
      page.evaluate(`fetch("/console/api/screens/${name}", { method: "PUT",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ countries: ["US"], where: "${where}" }) }).then((one) => one.status)`);
    const stored = async (name: string) =>
      page.evaluate<string | undefined>(
        `fetch("/console/api/screens/${name}").then((one) => one.json()).then(({ where }) => where)`,
      );
    await page.goto("/console/screen");
    await put("first", "pe<20");
    await page.goto("/console/screen?where=pe<20&saved=first");
    await page.waitFor("/^Saved /.test(document.querySelector('.saved-state')?.innerText)");
    await page.clickText("Remove P/E < 20");
    await page.waitFor("document.querySelector('.saved-state').innerText === 'Unsaved changes'");
    await page.clickText("Revert");
    await page.waitFor("/^Saved /.test(document.querySelector('.saved-state').innerText)");
    expect(await page.texts(".chips li")).toEqual(["P/E < 20\n×"]);
    // Another tab saves a screen that this page does not know.
    await put("second", "pb<1");
    await page.clickText("Rename first");
    const rename = async (name: string) => {
      await page.fill("dialog[open] input[name=name]", name);
      await page.clickText("Rename", "dialog[open]");
    };
    await rename("second");
    await page.waitFor("document.querySelector('dialog[open] .failure')");
    expect(await page.text("dialog[open] .failure")).toBe(
      "You have a screen second. Choose another name.",
    );
    expect([await stored("first"), await stored("second")]).toEqual(["pe<20", "pb<1"]);
    await rename("third");
    await page.waitFor("document.querySelector('h1').innerText === 'third'");
    expect([await stored("first"), await stored("third")]).toEqual([undefined, "pe<20"]);
    // What is deleted comes back as it was saved, not as it is shown.
    await page.clickText("Remove P/E < 20");
    await page.waitFor("document.querySelector('.saved-state').innerText === 'Unsaved changes'");
    await page.clickText("Delete third?");
    await page.clickText("Delete", "dialog[open] .buttons");
    await page.waitFor("!location.search.includes('saved')");
    await page.clickText("Undo");
    await page.waitFor("document.querySelector('h1').innerText === 'third'");
    expect(await stored("third")).toBe("pe<20");
    await page.waitFor("document.querySelector('.saved-state').innerText === 'Unsaved changes'");
    await page.clickText("Save");
    await page.waitFor("/^Saved /.test(document.querySelector('.saved-state').innerText)");
    expect(await stored("third")).toBe("");
    expect(await page.violations()).toEqual([]);
    for (const name of ["second", "third"]) {
      await page.evaluate(`fetch("/console/api/screens/${name}", { method: "DELETE" })`);
    }
    expect(page.problems.filter((one) => !one.includes("404"))).toEqual([]);
  });

  test("unsaved changes stay when the page is left, and are offered when the screener is opened again", async () => {
    const title = (text: string) =>
      page.waitFor(`document.querySelector("h1").innerText === "${text}"`);
    await page.goto("/console/screen");
    await page.evaluate("localStorage.clear()");
    await page.evaluate(`fetch("/console/api/screens/kept", { method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ countries: ["US"], where: "pe<20" }) }).then((one) => one.status)`);
    await page.goto("/console/screen");
    await page.clickText("kept");
    await page.waitFor("/^Saved /.test(document.querySelector('.saved-state')?.innerText)");
    expect(await page.texts(".presets button")).toEqual(["kept"]);
    await choose(".filters select:not([name])", "energy");
    await page.waitFor("document.querySelector('.saved-state')?.innerText === 'Unsaved changes'");
    // Another page, then the screener by its link, which has no filters.
    await page.clickText("Lists", "nav");
    await title("Lists");
    await page.clickText("Screener", "nav");
    await title("Screener");
    await page.waitFor("document.querySelector('.presets button')?.innerText === 'kept changed'");
    expect(await page.violations()).toEqual([]);
    await page.clickText("kept changed");
    await page.waitFor("document.querySelector('.saved-state')?.innerText === 'Unsaved changes'");
    expect(await search()).toContain("sector=energy");
    await page.clickText("Revert");
    await page.waitFor("/^Saved /.test(document.querySelector('.saved-state').innerText)");
    await page.waitFor("document.querySelector('.presets button').innerText === 'kept'");
    expect(await search()).not.toContain("sector");
    // A screen without a name is offered too, also after a reload.
    await page.goto("/console/screen?where=pb<1.5&sort=pb&at=US:JPM");
    await page.goto("/console/screen");
    await page.clickText("Your last screen, not saved");
    await page.waitFor("location.search.includes('sort=pb')");
    expect(await search()).toBe("?where=pb<1.5&sort=pb");
    await page.waitFor("!document.querySelector('.presets').innerText.includes('not saved')");
    await page.clickText("Save this screen");
    await page.fill("dialog[open] input[name=name]", "Cheap Banks!");
    expect(await page.text("dialog[open] .name-note")).toBe(
      "Agents and programs call it cheap-banks.",
    );
    await page.clickText("Save", "dialog[open]");
    await title("Cheap Banks!");
    await page.goto("/console/screen");
    await page.waitFor("document.querySelectorAll('.presets button').length === 2");
    expect(await page.text(".presets")).not.toContain("not saved");
    for (const name of ["kept", "cheap-banks"]) {
      await page.evaluate(`fetch("/console/api/screens/${name}", { method: "DELETE" })`);
    }
    expect(page.problems).toEqual([]);
  });

  test("a name can have any letters, and one that is too long is refused with a sentence", async () => {
    await page.goto("/console/screen?where=pe<9");
    await page.clickText("Save this screen");
    const field = "dialog[open] input[name=name]";
    expect(await page.text("dialog[open] .name-note")).toBe("Any letters, at most 60.");
    for (const [name, note] of [
      [" ", "Any letters, at most 60."],
      ["半".repeat(61), "Any letters, at most 60."],
    ] as const) {
      await page.fill(field, name);
      await page.press("Enter");
      expect(await page.text("dialog[open] .name-note")).toBe(note);
      expect(
        await page.evaluate<boolean>(`document.querySelector("${field}").validity.valid`),
      ).toBe(false);
    }
    expect(await page.violations()).toEqual([]);
    expect(await page.evaluate<string>("document.querySelector('h1').innerText")).toBe("Screener");
    await page.fill(field, "半導体");
    await page.clickText("Save", "dialog[open]");
    await page.waitFor("document.querySelector('h1').innerText === '半導体'");
    expect(await search()).toContain("saved=screen-1");
    await page.evaluate(`fetch("/console/api/screens/screen-1", { method: "DELETE" })`);
    expect(page.problems).toEqual([]);
  });

  test("pages follow the server's cursor, and the back button returns", async () => {
    await page.goto("/console/screen");
    const first = await page.answer<Table>("screen_stocks", { country: "US", limit: "50" });
    expect(await symbols()).toEqual(symbolsOf(first));
    await page.clickText("Next page");
    const second = await page.answer<Table>("screen_stocks", {
      country: "US",
      limit: "50",
      cursor: first.next_cursor ?? "",
    });
    await page.waitFor(
      `document.querySelector("tbody td:nth-child(2) > a").innerText === "${symbolsOf(second)[0]}"`,
    );
    expect(await symbols()).toEqual(symbolsOf(second));
    await page.evaluate("history.back()");
    await page.waitFor(
      `document.querySelector("tbody td:nth-child(2) > a").innerText === "${symbolsOf(first)[0]}"`,
    );
  });

  /** The text of the file that a click on CSV saves. */
  async function saveCsv(): Promise<string> {
    await page.evaluate(`(() => {
      window.saved = undefined;
      HTMLAnchorElement.prototype.click = function () {
        window.savedAs = this.download;
      };
      URL.createObjectURL = (blob) => (
        void blob.text().then((text) => (window.saved = { type: blob.type, text })), "#"
      );
    })()`);
    await page.clickText("CSV");
    const { type, text } = await page.waitFor<{ type: string; text: string }>("window.saved");
    expect(type).toStartWith("text/csv");
    return text;
  }

  test("the file has the rows of the table as CSV", async () => {
    await page.goto("/console/screen?where=pe<15&metrics=pe,roe");
    const lines = (await saveCsv()).trim().split(/\r?\n/);
    expect(lines[0]).toBe("country,symbol,name,pe,roe,market_cap,to_session,currency");
    const { total, session } = await page.answer<Table & { session: string }>("screen_stocks", {
      country: "US",
      where: "pe<15",
    });
    expect(lines).toHaveLength(total + 1);
    expect(lines[1]).toMatch(new RegExp(`^US,.*,${session},USD$`));
    expect(await page.evaluate<string>("window.savedAs")).toBe("screen.csv");
    // The file has the name of the preset or of the saved screen.
    await page.clickText("Cheap and paying");
    await saveCsv();
    expect(await page.evaluate<string>("window.savedAs")).toBe("cheap-and-paying.csv");
    await page.goto("/console/screen?where=pe<15&saved=my-screen");
    await saveCsv();
    expect(await page.evaluate<string>("window.savedAs")).toBe("my-screen.csv");
  });

  test("the file has the rows of all pages, and the header once", async () => {
    await page.goto("/console/screen?metrics=price");
    const { total } = await page.answer<Table>("screen_stocks", { country: "US" });
    // The server is asked for pages of 100 rows instead of 1,000.
    await page.evaluate(`(() => {
      const real = window.fetch;
      window.fetch = (url, init) => real(String(url).replace("limit=1000", "limit=100"), init);
    })()`);
    const lines = (await saveCsv()).trim().split(/\r?\n/);
    expect(total).toBeGreaterThan(200);
    expect(lines).toHaveLength(total + 1);
    expect(new Set(lines).size).toBe(total + 1);
    expect(page.problems).toEqual([]);
  });

  test("an error and an empty answer are sentences of the server", async () => {
    await page.goto("/console/screen?where=pe<0.0001");
    expect(await page.text(".empty")).toStartWith("No company meets P/E < 0.0001.");
    await page.goto("/console/screen?where=nonsense<1");
    expect(await page.text(".failure p")).toStartWith('where names "nonsense"');
    await page.goto("/console/screen?country=XX");
    expect(await page.text(".failure p")).toStartWith("country");
  });
});
