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

describe.skipIf(CHROMIUM === null)("screen and compare", () => {
  beforeAll(async () => {
    opened = await openConsole();
    ({ page } = opened);
  });
  afterAll(() => opened?.close());
  beforeEach(() => void (page.problems.length = 0));

  test("a condition is added, applied by the server, and removed", async () => {
    await page.goto("/console/screen");
    const top = () =>
      page.evaluate<number>("document.querySelector('.column-choice').getBoundingClientRect().top");
    const before = await top();
    await choose("[name=metric]", "pe");
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
    // Nothing moves when the first filter comes.
    expect(await top()).toBe(before);
    await page.clickText("Remove P/E < 20");
    await page.waitFor("!location.search.includes('where')");
    expect(page.problems).toEqual([]);
  });

  test("a filter has the market's histogram, two handles and exact limits", async () => {
    await page.goto("/console/screen?where=pe>=5,pe<20");
    expect(await page.texts(".chips li")).toEqual(["P/E 5 – 20\n×"]);
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
    expect(await search()).toBe(`?where=${where},pe<=30`);
    const { total } = await page.answer<Table>("screen_stocks", {
      country: "US",
      where: `${where},pe<=30`,
    });
    await page.waitFor(`document.body.innerText.includes('${total} of ')`);
    expect(await page.text("dialog[open] .matching")).toBe(`${total} companies meet all filters.`);
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
    await choose("[name=metric]", "beta");
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

  test("several countries: each row has its country, and links and ticks use it", async () => {
    await page.goto("/console/screen?country=US,JP&pick=&metrics=market_cap,next_ex_date");
    await page.waitFor("document.querySelectorAll('tbody tr').length > 10");
    const links = await page.evaluate<string[]>(
      "[...document.querySelectorAll('tbody td:nth-child(2) a')].map((a) => a.getAttribute('href'))",
    );
    const countries = new Set(links.map((link) => /(US|JP)/.exec(link)?.[1]));
    expect(countries).toEqual(new Set(["JP", "US"]));
    expect(page.problems).toEqual([]);
  });

  test("a decimal comma is refused, thousands are read, and a condition is added once", async () => {
    await page.goto("/console/screen");
    const add = async (limit: string) => {
      await choose("[name=metric]", "pe");
      await page.fill("[name=limit]", limit);
      await page.press("Enter");
    };
    for (const limit of ["1,5", "1,50", "1,5000", "1,500,5"]) {
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

  test("columns that are ticked at once are all kept, and the last one stays", async () => {
    await page.goto("/console/screen?metrics=price");
    await page.text(".column-choice summary");
    const tick = (...titles: string[]) =>
      page.evaluate(`(() => {
        for (const title of ${JSON.stringify(titles)})
          [...document.querySelectorAll(".column-list label")]
            .find((label) => label.innerText.trim() === title || label.textContent.trim() === title)
            .querySelector("input").click();
      })()`);
    // In one turn of the page, so that it is not drawn between them.
    await tick("P/E", "P/B", "P/S");
    await page.waitFor("location.search.includes('ps')");
    expect(await search()).toBe("?metrics=price,pe,pb,ps");
    await tick("P/E", "P/B", "P/S");
    await page.waitFor("!location.search.includes('ps')");
    await page.waitFor("document.querySelector('.column-list input:checked')?.disabled");
    await tick("Price");
    expect(await search()).toBe("?metrics=price");
    expect(page.problems).toEqual([]);
  });

  test("sector, country and sorting are chosen, and are in the address", async () => {
    await page.goto("/console/screen");
    await page.clickText("Japan");
    await choose(".filters select:not([name])", "technology");
    await page.waitFor("location.search.includes('sector=technology')");
    await page.clickText("P/E");
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
    expect(await page.texts("[name=metric] option")).toHaveLength(
      columns.filter((column) => !column.endsWith("_from_session")).length - 5,
    );
    await page.click("summary");
    await page.clickText("Beta", ".column-list");
    await page.waitFor(
      "[...document.querySelectorAll('th')].some((one) => one.innerText === 'Beta')",
    );
  });

  test("the cheapest US bank with a yield above 3 % is four actions from Markets", async () => {
    await page.goto("/console");
    await page.clickText("Screener", "nav");
    await page.waitFor("document.querySelector('[name=metric] option')");
    await choose(".filters select:not([name])", "financial-services");
    await choose("[name=metric]", "dividend_yield");
    await choose("[name=operator]", ">");
    await page.fill("[name=limit]", "3");
    await page.press("Enter");
    await page.waitFor("location.search.includes('dividend_yield')");
    // New rows can make the columns wider, and move the head that is clicked.
    await page.settle();
    await page.clickText("P/E");
    await page.waitFor("location.search.includes('sort=-pe')");
    await page.settle();
    await page.clickText("P/E ↓");
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
    await page.waitFor("location.search.includes('sort=-pe')");
  });

  test("which US bank with a yield above 3 % is cheapest: four actions from Markets", async () => {
    await page.goto("/console");
    await page.clickText("Screener", "nav");
    await page.clickText("Cheap and paying");
    await page.waitFor("document.querySelector('h1').innerText === 'Cheap and paying'");
    await page.fill("[name=industry]", "bank");
    await page.press("Enter");
    await page.waitFor("location.search.includes('industry=bank')");
    // The cheapest may pay out more than the preset allows.
    await page.clickText("Remove Payout ratio < 80");
    await page.waitFor("!location.search.includes('payout')");
    const answer = await page.answer<Table>("screen_stocks", {
      country: "US",
      industry: "bank",
      where: "dividend_yield>3",
      sort: "pe",
    });
    const [cheapest] = symbolsOf(answer);
    await page.waitFor(
      `document.querySelector("tbody td:nth-child(2) > a")?.innerText === "${cheapest}"`,
    );
    await page.clickText("Remove Industry: bank");
    await page.waitFor("document.querySelector('[name=industry]').value === ''");
    expect(page.problems).toEqual([]);
  });

  test("J and K move, the preview has the row's figures, W watches, C ticks, Enter opens", async () => {
    await page.goto("/console/screen?metrics=price,pe");
    await page.waitFor("document.querySelectorAll('tbody tr').length > 2");
    const [first = "", second = ""] = await symbols();
    await page.evaluate("document.querySelector('.table-frame').focus()");
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
    expect(figures).toEqual((await page.texts("tr[aria-current] td")).slice(3));
    await page.waitFor("document.querySelector('.preview polyline')");
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

  test("an empty screen says how many companies it has without each filter", async () => {
    await page.goto("/console/screen?where=pe<20,market_cap>900T&sector=technology");
    await page.waitFor("document.querySelectorAll('.without button').length === 3");
    const totalOf = async (query: Record<string, string>) =>
      (await page.answer<Table>("screen_stocks", { country: "US", ...query })).total;
    const without = await totalOf({ where: "pe<20", sector: "technology" });
    expect(without).toBeGreaterThan(0);
    expect(await page.texts(".without button")).toEqual([
      `Without Market cap > 900T: ${without} companies`,
      "Without P/E < 20: 0 companies",
      "Without Sector: Technology: 0 companies",
    ]);
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
    await page.waitFor("document.querySelector('h1').innerText === 'oil-that-pays'");
    await page.goto("/console/screen");
    await page.clickText("oil-that-pays");
    await page.waitFor("document.querySelector('h1').innerText === 'oil-that-pays'");
    const query = new URLSearchParams(await search());
    expect([query.get("country"), query.get("sector"), query.get("sort")]).toEqual([
      "all",
      "energy",
      "pe",
    ]);
    expect(await page.violations()).toEqual([]);
    await page.clickText("Delete oil-that-pays?");
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
      await page.clickText("Save", "dialog[open]");
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
    expect(lines[0]).toBe("symbol,name,pe,roe,market_cap");
    const { total } = await page.answer<Table>("screen_stocks", { country: "US", where: "pe<15" });
    expect(lines).toHaveLength(total + 1);
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
    expect(await page.text(".empty")).toStartWith("No company meets pe<0.0001.");
    await page.goto("/console/screen?where=nonsense<1");
    expect(await page.text(".failure p")).toStartWith('where names "nonsense"');
    await page.goto("/console/screen?country=XX");
    expect(await page.text(".failure p")).toStartWith("country");
  });

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
    ["6M", ""],
    ["5Y", ""],
    ["6M", "USD"],
  ])(
    "the lines over %s end at the returns of the comparison, in currency '%s'",
    async (range, currency) => {
      const inCurrency = currency === "" ? "" : `&currency=${currency}`;
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
      Math.max(...of("dividend_yield_percentile_5y")).toFixed(2),
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
});
