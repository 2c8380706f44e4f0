import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Table } from "#lib/table.ts";
import { CHROMIUM, openConsole } from "../support/browser.ts";
import { createKey } from "../support/console-client.ts";
import { instrument } from "../support/market.ts";
import { answerOf, setPageClock } from "../support/page-clock.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

interface Tile {
  readonly symbol: string;
  readonly area: number;
  readonly text: string;
  readonly class: string;
}

const HOSTILE = `<img src=x onerror="document.title='hacked'">`;
/** What the first page may load: 80 KB. */
const FIRST_PAGE_BYTES = 80_000;

/** The clock is at Friday, 20 November 2026. */
const REPORTS = [
  ["2026-11-20", "AAPL", "before_market_open"],
  ["2026-11-21", "EVIL", "after_market_close"],
  ["2026-11-21", "MSFT", "not_supplied"],
  ["2026-11-21", "NVDA", "not_supplied"],
  ["2026-11-21", "AMZN", "not_supplied"],
  ["2026-11-21", "META", "not_supplied"],
  ["2026-11-21", "JPM", "not_supplied"],
] as const;

const objectsOf = ({ columns, rows }: Table) =>
  rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i] ?? null])));
const two = (value: unknown) =>
  Number(value).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const percent = (value: unknown) =>
  `${Number(value) > 0 ? "+" : ""}${two(value)}%`.replace("-", "−");

describe.skipIf(CHROMIUM === null)("Markets", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    opened = await openConsole({ signedIn: false });
    const { service, page } = opened;
    const bar = { open: 10, high: 10, low: 10, close: 10, volume: null };
    const stored = { source: "test", storedAt: service.time.now };
    service.market.transaction(() => {
      const evil = { name: HOSTILE, assetType: "stock" as const, sharesOutstanding: 5e11 };
      service.market.put(
        "instruments",
        [instrument("US", "EVIL", { ...evil, sector: "energy", industry: "uranium" })],
        stored,
      );
      const bars = [
        { ...bar, date: "2026-11-18" },
        { ...bar, date: "2026-11-19", close: 9, low: 9 },
      ];
      service.market.put("bars", [{ country: "US", symbol: "EVIL", bars }], stored);
      const report = {
        fiscalPeriod: null,
        epsEstimate: null,
        revenueEstimate: null,
        analysts: null,
      };
      service.market.put(
        "earningsDates",
        REPORTS.map(([date, symbol, session]) => ({
          country: "US",
          symbol,
          date,
          session,
          ...report,
        })),
        stored,
      );
    });
    await setPageClock(page, "America/New_York");
    await page.goto(`/console#key=${createKey(service, "owner")}`);
    await page.waitFor("location.hash === ''");
  });
  afterAll(async () => {
    expect(opened?.page.problems).toEqual([]);
    await opened?.close();
  });

  const tiles = () =>
    opened.page.evaluate<Tile[]>(`[...document.querySelectorAll(".tile")].map((one) => ({
      symbol: one.dataset.symbol,
      area: one.offsetWidth * one.offsetHeight,
      text: one.innerText,
      class: one.className,
    }))`);
  /** Stores the watchlist, with companies of the US. */
  const setList = (symbols: readonly string[]) =>
    opened.page.evaluate<boolean>(`fetch("/console/api/lists/watchlist", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: ${JSON.stringify(JSON.stringify({ items: symbols.map((symbol) => ({ country: "US", symbol })) }))},
    }).then(({ ok }) => ok)`);
  const putSettings = (settings: object) =>
    opened.page.evaluate<boolean>(`fetch("/console/api/settings", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: ${JSON.stringify(JSON.stringify(settings))},
    }).then(({ ok }) => ok)`);
  /** Moves the mouse to the middle of an element. */
  const moveTo = async (selector: string) => {
    const at = await opened.page.evaluate<{ x: number; y: number }>(`(() => {
      const one = document.querySelector(${JSON.stringify(selector)});
      one.scrollIntoView({ block: "center" });
      const { x, y, width, height } = one.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    })()`);
    await opened.page.cdp("Input.dispatchMouseEvent", { type: "mouseMoved", ...at });
  };
  const screen = (args: string) => answerOf(opened.page, `screen_stocks?${args}`);

  test("shows each index, its valuation, and its exchange at this moment", async () => {
    const { page } = opened;
    await page.goto("/console");
    const cards = await page.evaluate<string[]>(
      `[...document.querySelectorAll(".market-card")].map((one) => one.innerText)`,
    );
    const averages = await page.evaluate<string[]>(
      `[...document.querySelectorAll(".market-card a[href*=sectors]")].map((one) => one.title)`,
    );
    const levels = await answerOf(
      page,
      "compare_stocks?symbols=US:^GSPC,JP:^N225,VN:VNINDEX&metrics=price,change_percent,return_1y",
    );
    // Friday, 20 November 2026, 12:30 for a reader in New York. Monday is a holiday in Japan.
    const exchanges = ["Open until 16:00", "Closed until Mon 19:00", "Closed until Sun 21:00"];
    for (const [i, row] of objectsOf(levels).entries()) {
      const card = cards[i] ?? "";
      const sectors = await answerOf(page, `get_sectors?country=${row["country"]}`);
      for (const text of [
        String(row["name"]),
        two(row["price"]),
        percent(row["change_percent"]),
        percent(row["return_1y"]),
        two(sectors["country_pe"]),
        String(sectors["country_valuation_status"]),
        exchanges[i] ?? "",
      ]) {
        expect(card).toContain(text);
      }
      expect(averages[i]).toBe(`5-year average ${two(sectors["country_pe_5y_avg"])}`);
    }
    expect(
      await page.evaluate<string[]>(
        `[...document.querySelectorAll(".market-facts time")].map((one) => one.title)`,
      ),
    ).toEqual([
      "16:00 in America/New_York",
      "Tue 09:00 in Asia/Tokyo",
      "Mon 09:00 in Asia/Ho_Chi_Minh",
    ]);
    expect(await page.evaluate<number>(`document.querySelectorAll(".year-line svg").length`)).toBe(
      3,
    );
  });

  test("the other indices are a line below, each with its change", async () => {
    const { page } = opened;
    await page.goto("/console");
    const levels = await answerOf(
      page,
      "compare_stocks?symbols=US:^DJI,US:^IXIC,JP:^TOPX,VN:VN30,VN:HNXINDEX,VN:UPCOMINDEX&metrics=price,change_percent",
    );
    const shown = await page.texts(".other-indices a");
    expect(shown.length).toBe(6);
    for (const [i, row] of objectsOf(levels).entries())
      for (const text of [String(row["name"]), two(row["price"]), percent(row["change_percent"])])
        expect(shown[i]).toContain(text);
  });

  test("the indices are one line of a wide screen and short on a narrow one, and the list follows", async () => {
    const { page } = opened;
    // The line of the other indices has 40.
    for (const [width, lines, height] of [
      [1440, 1, 120],
      [1024, 1, 128],
      [768, 3, 250],
      [390, 3, 300],
      [360, 3, 300],
    ] as const) {
      await page.resize(width);
      await page.goto("/console");
      const { tops, used, isCut } = await page.evaluate<{
        tops: number[];
        used: number;
        isCut: boolean;
      }>(`(() => {
        const cards = [...document.querySelectorAll(".market-card")].map((one) => one.getBoundingClientRect());
        return {
          tops: cards.map(({ top }) => top),
          used: document.querySelector(".my-list").getBoundingClientRect().top - cards[0].top,
          isCut: [...document.querySelectorAll(".market-card > *")].some((one) => one.scrollWidth > one.clientWidth + 1),
        };
      })()`);
      expect({ width, lines: new Set(tops).size, isCut }).toEqual({ width, lines, isCut: false });
      // With the space before the list.
      expect(used).toBeLessThan(height + 16);
    }
    await page.resize(1440);
  });

  test("draws companies with the area of their market cap and the colour of their change", async () => {
    await opened.page.goto("/console");
    const drawn = new Map((await tiles()).map((one) => [one.symbol, one]));
    const rows = objectsOf(await screen("country=US&metrics=market_cap,return_1d&limit=500"));
    expect(drawn.size).toBeGreaterThan(rows.length * 0.9);
    const [first, second] = ["AAPL", "MSFT"].map((symbol) => ({
      cap: Number(rows.find((row) => row["symbol"] === symbol)?.["market_cap"]),
      area: drawn.get(symbol)?.area ?? 0,
    }));
    // Borders of one pixel and whole pixels are below 3 % of these tiles.
    const shares = Number(first?.area) / Number(second?.area);
    expect(shares / (Number(first?.cap) / Number(second?.cap))).toBeCloseTo(1, 1);
    for (const row of rows) {
      const change = Number(row["return_1d"]);
      const tile = drawn.get(String(row["symbol"]));
      if (!tile || row["return_1d"] === null) continue;
      // The strongest colour of a day begins at 3 %, in three steps: 2.5 % rounds to it.
      if (change >= 2.5) expect(tile.class).toContain("rise-3");
      if (change <= -2.5) expect(tile.class).toContain("fall-3");
      if (Math.abs(change) < 0.5) expect(tile.class).toContain("flat");
    }
    expect(drawn.get("AAPL")?.text).toContain(
      percent(rows.find((row) => row["symbol"] === "AAPL")?.["return_1d"]),
    );
  });

  test("colours companies by P/E around the median, by yield and by growth", async () => {
    const { page } = opened;
    await page.goto("/console");
    await page.clickText("P/E", ".panel-actions");
    await page.waitFor("document.querySelector('.map-note').innerText.includes('median')");
    expect(await page.evaluate<string>("decodeURIComponent(location.search)")).toBe("?color=P/E");
    // P/E is of no window: only the figure and the view are pressed, beside the country.
    const pressed = () =>
      page.texts(".panel-actions [aria-label='Change over'] [aria-pressed='true']");
    expect(await pressed()).toEqual([]);
    const rows = objectsOf(await screen("country=US&metrics=market_cap,pe&limit=500"));
    const ratios = rows
      .map((row) => row["pe"])
      .filter((pe) => pe !== null)
      .map(Number);
    const ascending = ratios.toSorted((a, b) => a - b);
    const half = (ascending.length - 1) / 2;
    const median = (Number(ascending[Math.floor(half)]) + Number(ascending[Math.ceil(half)])) / 2;
    expect(await page.text(".map-note")).toContain(`median of ${two(median)}. Low is green.`);
    const drawn = new Map((await tiles()).map((one) => [one.symbol, one]));
    const [lowest, highest] = [ascending[0], ascending.at(-1)].map((pe) =>
      drawn.get(String(rows.find((row) => row["pe"] === pe)?.["symbol"])),
    );
    expect([lowest?.class, highest?.class]).toEqual([
      expect.stringContaining("rise-3") as string,
      expect.stringContaining("fall-3") as string,
    ]);
    expect(drawn.get("AAPL")?.text).toContain(
      two(rows.find((row) => row["symbol"] === "AAPL")?.["pe"]),
    );
    await page.clickText("Growth", ".panel-actions");
    await page.waitFor("document.querySelector('.map-note').innerText.includes('Revenue growth')");
    expect(await page.violations()).toEqual([]);
    // The words are those of the chosen colours.
    for (const [colors, word] of [
      ["red-green", "Low is red."],
      ["blue-orange", "Low is blue."],
    ] as const) {
      await putSettings({ colors });
      await page.goto("/console?color=P/E");
      expect(await page.text(".map-note")).toContain(word);
    }
    await putSettings({ welcomed: true });
    expect(page.problems).toEqual([]);
  });

  test("a change of 0.00% has no colour of the map", async () => {
    const { page } = opened;
    await page.goto("/console");
    const background = await page.evaluate(`(() => {
      const change = document.querySelector(".map-head .change");
      change.className = "change flat";
      return getComputedStyle(change).backgroundColor;
    })()`);
    expect(background).toBe("rgba(0, 0, 0, 0)");
  });

  test("keeps country and window in the address", async () => {
    const { page } = opened;
    await page.goto("/console");
    await page.clickText("1M");
    await page.clickText("Japan");
    expect(await page.evaluate<string>("location.search")).toBe("?window=1M&country=JP");
    await page.goto("/console?window=1M&country=JP");
    const rows = objectsOf(await screen("country=JP&metrics=return_1m&limit=1"));
    const largest = (await tiles()).find(({ symbol }) => symbol === rows[0]?.["symbol"]);
    expect(largest?.text).toContain(percent(rows[0]?.["return_1m"]));
    expect(await page.evaluate<string>(`document.body.innerText`)).toContain(
      "Gains in Japan, 1 month",
    );
  });

  test("one press shows the changes of earlier sessions, and an old address of a session leads there", async () => {
    const { page } = opened;
    const ago = [1, 2, 3, 4].map((n) => `change_${n}_session${n === 1 ? "" : "s"}_ago`);
    const expectSessions = async (country: string) => {
      await page.waitFor("location.pathname === '/console/screen'");
      await page.settle();
      const query = new URLSearchParams(await page.evaluate<string>("location.search"));
      expect([...query]).toEqual([
        ["country", country],
        ["metrics", ["return_1d", ...ago].join(",")],
      ]);
      const [first] = objectsOf(await screen(`country=${country}&metrics=${ago.join()}&limit=1`));
      const row = (await page.texts("#companies tbody tr"))[0]?.replaceAll(",", ".");
      for (const metric of ago) expect(row).toContain(percent(first?.[metric]));
    };
    for (const [width, language] of [
      [390, "en"],
      [768, "ja"],
      [1440, "vi"],
    ] as const) {
      await putSettings({ language });
      await page.resize(width);
      for (const view of ["", "&view=table"]) {
        await page.goto(`/console?country=JP${view}`);
        expect(await page.isWide()).toBe(false);
        await page.click(".map-panel a[href^='/console/screen']");
        await expectSessions("JP");
      }
    }
    await putSettings({ language: "en" });
    await page.goto("/console/about");
    await page.goto("/console?day=2026-11-17");
    await expectSessions("US");
    await page.evaluate("history.back()");
    await page.waitFor("location.pathname === '/console/about'");
    // The colours of another window never were the changes of a day.
    await page.goto("/console?window=1M&day=2026-11-17");
    expect(await page.text(".map-note")).toContain("change, 1 month");
    expect(page.problems).toEqual([]);
  });

  test("the company at the mouse has a tip with its figure, a line of a year and its largest peers", async () => {
    const { page } = opened;
    await page.goto("/console");
    const move = (x: number, y: number) =>
      page.cdp("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
    // Tiles at both ends, so that the tip is on either side of the mouse.
    for (const end of [0, -1]) {
      const [symbol, x, y] = await page.evaluate<[string, number, number]>(`(() => {
        const large = [...document.querySelectorAll(".tile.large")];
        large.sort((a, b) => a.getBoundingClientRect().x - b.getBoundingClientRect().x);
        const tile = large.at(${end});
        tile.scrollIntoView({ block: "center" });
        const { x, y, width, height } = tile.getBoundingClientRect();
        return [tile.dataset.symbol, x + width / 2, y + height / 2];
      })()`);
      await move(x, y);
      await page.waitFor(
        `document.querySelector(".map-tip b")?.innerText.startsWith("${symbol} ")`,
      );
      await page.waitFor("document.querySelector('.map-tip .sparkline')");
      const [figures] = objectsOf(
        await answerOf(page, `compare_stocks?symbols=US:${symbol}&metrics=price,return_1y`),
      );
      const text = await page.text(".map-tip");
      expect(text).toContain(`${two(figures?.["price"])} 1 year`);
      expect(text).toContain(percent(figures?.["return_1y"]));
      const [tip, map] = await page.evaluate<{ left: number; right: number }[]>(
        "['.map-tip', '.map'].map((one) => document.querySelector(one).getBoundingClientRect().toJSON())",
      );
      expect(tip?.left).toBeGreaterThanOrEqual(map?.left ?? 0);
      expect(tip?.right).toBeLessThanOrEqual(map?.right ?? 0);
      const { rows } = await page.answer<Table>(
        "screen_stocks",
        "country=US&metrics=industry,market_cap&limit=500&sort=-market_cap",
      );
      const industry = rows.find(([one]) => one === symbol)?.[2];
      const peers = rows.filter((row) => row[2] === industry && row[0] !== symbol).slice(0, 3);
      expect(await page.texts(".map-tip .peer > span:first-child")).toEqual(
        peers.map(([one]) => String(one)),
      );
    }
    await move(1, 1);
    await page.waitFor("!document.querySelector('.map-tip')");
    // Escape closes it wherever the focus is.
    await moveTo('.tile[data-symbol="AAPL"]');
    await page.waitFor("document.querySelector('.map-tip')");
    await page.evaluate("document.activeElement.blur()");
    await page.press("Escape");
    await page.waitFor("!document.querySelector('.map-tip')");
  });

  test("beside the map, a short list has companies below it: those opened last, then the largest", async () => {
    const { page } = opened;
    const ends = () =>
      page.evaluate<number[]>(
        "['.list-column > :last-child', '.map-panel'].map((one) => Math.round(document.querySelector(one).getBoundingClientRect().bottom))",
      );
    await page.evaluate("localStorage.clear()");
    await page.goto("/console");
    const largest = objectsOf(
      await screen("country=US&metrics=market_cap&sort=-market_cap&limit=12"),
    ).map((row) => String(row["symbol"]));
    expect(await page.text(".my-list .empty")).toStartWith("Open a company and press Watch");
    expect(await page.text(".more-companies h2")).toBe("Largest companies of the US");
    expect(await page.texts(".more-companies tbody b")).toEqual(largest.slice(0, 8));
    expect(new Set(await ends()).size).toBe(1);
    for (const symbol of ["US/MSFT", "JP/7203", "US/AAPL"]) await page.goto(`/console/${symbol}`);
    await setList(["AAPL", "NVDA"]);
    await page.goto("/console");
    await page.settle();
    const rest = largest.filter((symbol) => !["AAPL", "NVDA", "MSFT"].includes(symbol));
    expect(await page.text(".more-companies h2")).toBe("Recently opened");
    expect(await page.texts(".more-companies tbody b")).toEqual([
      "7203",
      "MSFT",
      ...rest.slice(0, 3),
    ]);
    const [toyota] = objectsOf(await answerOf(page, "compare_stocks?symbols=JP:7203"));
    expect(await page.text(".more-companies tbody td:nth-child(2)")).toContain(
      Number(toyota?.["price"]).toLocaleString("en-US"),
    );
    expect(new Set(await ends()).size).toBe(1);
    // In the currency of the list, as its rows above.
    await putSettings({ currency: "USD" });
    await page.goto("/console");
    expect(await page.text(".more-companies tbody .name-below")).toBe("Toyota Motor Corporation");
    expect(await page.text(".more-companies tbody td:nth-child(2) .name-below")).toBe("USD");
    expect(await page.text(".more-companies p.muted")).toBe(
      "In USD, changes include the exchange rate.",
    );
    expect(new Set(await ends()).size).toBe(1);
    await putSettings({ welcomed: true });
    // Those that were opened fill the room of a longer list.
    await setList(["NVDA", "GOOGL", "AMZN", "META", "AVGO"]);
    await page.goto("/console");
    await page.settle();
    expect(await page.texts(".more-companies tbody b")).toEqual(["AAPL", "7203", "MSFT"]);
    await setList(largest.slice(0, 6));
    await page.goto("/console");
    await page.settle();
    expect(await page.texts(".more-companies")).toEqual([]);
    // Without a column there is no room to fill.
    await setList(["AAPL"]);
    await page.resize(768);
    await page.goto("/console");
    await page.settle();
    expect(await page.texts(".more-companies")).toEqual([]);
    await page.resize(1440);
    await page.evaluate(`fetch("/console/api/lists/watchlist", {
      method: "DELETE",
      headers: { "Content-Type": "application/json" },
    }).then(({ ok }) => ok)`);
    expect(page.problems).toEqual([]);
  });

  test("a tap on a tile shows its tip with a link, and a tap elsewhere closes it", async () => {
    const { page } = opened;
    await page.resize(390, 844);
    await page.cdp("Emulation.setTouchEmulationEnabled", { enabled: true });
    await page.goto("/console");
    const tap = async (selector: string) => {
      const point = await page.evaluate<{ x: number; y: number }>(`(() => {
        const one = document.querySelector(${JSON.stringify(selector)});
        one.scrollIntoView({ block: "center" });
        const { x, y, width, height } = one.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      })()`);
      await page.cdp("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] });
      await page.cdp("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    };
    const showsTip = (symbol: string) =>
      page.waitFor(`document.querySelector(".map-tip b")?.innerText.startsWith("${symbol} ")`);
    // A tile without a text, at the right.
    const small = await page.evaluate<string>(`[...document.querySelectorAll(".tile")]
      .filter((one) => one.innerText === "" && one.offsetWidth > 4 && one.offsetHeight > 4)
      .toSorted((a, b) => b.getBoundingClientRect().x - a.getBoundingClientRect().x)[0].dataset.symbol`);
    await tap(`.tile[data-symbol="${small}"]`);
    await showsTip(small);
    expect(await page.isWide()).toBe(false);
    await tap('.tile[data-symbol="AAPL"]');
    await showsTip("AAPL");
    const [tip, map] = await page.evaluate<{ left: number; right: number }[]>(
      "['.map-tip', '.map'].map((one) => document.querySelector(one).getBoundingClientRect().toJSON())",
    );
    expect(tip?.left).toBeGreaterThanOrEqual(map?.left ?? 0);
    expect(tip?.right).toBeLessThanOrEqual(map?.right ?? 0);
    expect(await page.violations()).toEqual([]);
    await tap(".map-note");
    await page.waitFor("!document.querySelector('.map-tip')");
    expect(await page.evaluate<string>("location.pathname")).toBe("/console");
    await tap('.tile[data-symbol="AAPL"]');
    await page.waitFor("document.querySelector('.map-tip a')?.innerText === 'Open AAPL'");
    await tap(".map-tip a");
    await page.waitFor("location.pathname === '/console/US/AAPL'");
    // A second tap on the same tile opens it too.
    await page.goto("/console");
    await tap('.tile[data-symbol="NVDA"]');
    await showsTip("NVDA");
    await tap('.tile[data-symbol="NVDA"]');
    await page.waitFor("location.pathname === '/console/US/NVDA'");
    await page.cdp("Emulation.setTouchEmulationEnabled", { enabled: false });
    await page.resize(1440);
    expect(page.problems).toEqual([]);
  });

  test("the map is one stop of the Tab key, in which the arrow keys move", async () => {
    const { page } = opened;
    await page.goto("/console");
    const at = () =>
      page.evaluate<[string, string, string]>(`(() => {
        const { activeElement: one } = document;
        return [one.dataset.symbol ?? "", one.ariaLabel ?? one.innerText.replaceAll(/\\s+/g, " "), getComputedStyle(one).outlineStyle];
      })()`);
    const stops = "document.querySelectorAll('.map :is(a, [tabindex])[tabindex=\"0\"]').length";
    await page.evaluate(
      `[...document.querySelectorAll("button")].find((one) => one.ariaLabel?.startsWith("Companies of the US:")).focus()`,
    );
    await page.press("Tab");
    const [first, name, outline] = await at();
    const rows = objectsOf(await screen("country=US&metrics=market_cap,return_1d&limit=500"));
    const company = rows.find((row) => row["symbol"] === first);
    expect(name).toBe(`${first} ${String(company?.["name"])} ${percent(company?.["return_1d"])}`);
    expect(outline).toBe("solid");
    await page.waitFor(`document.querySelector(".map-tip b")?.innerText.startsWith("${first} ")`);
    const edges = () =>
      page.evaluate<{ left: number; right: number; top: number; bottom: number }>(
        "document.activeElement.getBoundingClientRect().toJSON()",
      );
    const before = await edges();
    await page.press("ArrowRight");
    const [second] = await at();
    expect((await edges()).left).toBeGreaterThanOrEqual(before.right - 2);
    await page.waitFor(`document.querySelector(".map-tip b")?.innerText.startsWith("${second} ")`);
    expect(await page.evaluate<number>(stops)).toBe(1);
    expect(await page.violations()).toEqual([]);
    await page.press("ArrowDown");
    await page.press("ArrowUp");
    await page.press("ArrowLeft");
    expect((await edges()).right).toBeLessThanOrEqual(before.right);
    await page.press("Escape");
    await page.waitFor("!document.querySelector('.map-tip')");
    // Out of the map, and back to where it was left.
    const [left] = await at();
    await page.press("Tab");
    expect((await at())[0]).toBe("");
    await page.press("Tab", { modifiers: ["Shift"] });
    expect((await at())[0]).toBe(left);
    await page.press("Enter");
    await page.waitFor(`location.pathname === "/console/US/${left}"`);
    expect(page.problems).toEqual([]);
  });

  test("the arrow keys reach the name of each sector above its companies", async () => {
    const { page } = opened;
    await page.goto("/console");
    await page.evaluate(
      `document.querySelector('.map a[tabindex="0"]').focus({ focusVisible: true })`,
    );
    const at = () =>
      page.evaluate<{ class: string; name: string; outline: string; stops: number }>(`({
        class: document.activeElement.classList[0],
        name: document.activeElement.ariaLabel,
        outline: getComputedStyle(document.activeElement).outlineStyle,
        stops: document.querySelectorAll('.map a[tabindex="0"]').length,
      })`);
    await page.press("ArrowUp");
    const sectors = await answerOf(page, "get_sectors?country=US");
    const change = sectors.sectors["technology"]?.performance["Chg %"]?.replace("-", "−");
    expect(await at()).toEqual({
      class: "map-head",
      name: `Sector: Technology ${change}`,
      outline: "solid",
      stops: 1,
    });
    expect(await page.texts(".map-tip")).toEqual([]);
    const described = await page.evaluate<string>(
      "document.getElementById(document.querySelector('.map').getAttribute('aria-describedby')).textContent",
    );
    expect(described).toContain("arrow keys");
    expect(await page.violations()).toEqual([]);
    // From the first company of each sector.
    const unreached = await page.evaluate<
      string[]
    >(`[...document.querySelectorAll(".map-sector")].flatMap((sector) => {
      sector.querySelector(".tile").focus();
      for (let i = 0; i < 50 && document.activeElement.matches(".tile"); i++)
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true }));
      const head = sector.querySelector(".map-head");
      return document.activeElement === head ? [] : [head.innerText];
    })`);
    expect(unreached).toEqual([]);
    await page.press("Tab");
    await page.press("Tab", { modifiers: ["Shift"] });
    expect((await at()).class).toBe("map-head");
    await page.press("Enter");
    await page.waitFor("location.pathname === '/console/sectors'");
  });

  test("opens a company and a sector by a click", async () => {
    const { page } = opened;
    await page.goto("/console");
    await page.click('.tile[data-symbol="NVDA"]');
    await page.waitFor(`location.pathname === "/console/US/NVDA"`);
    await page.goto("/console");
    await page.click('.map-head[href*="sector=technology"]');
    await page.waitFor(`document.querySelector("h1").innerText === "Technology in the US"`);
  });

  test("is a table for the keyboard and for screen readers", async () => {
    const { page } = opened;
    await page.goto("/console");
    await page.evaluate(
      `[...document.querySelectorAll("button")].find((one) => one.innerText === "Table").focus()`,
    );
    await page.press("Enter");
    await page.waitFor(`document.querySelector(".map-table table")`);
    await page.clickText("All companies", ".map-table");
    const cells = await page.evaluate<string[]>(
      `[...document.querySelectorAll(".map-table tbody tr td:first-child")].map((one) => one.innerText)`,
    );
    const rows = objectsOf(await screen("country=US&metrics=market_cap&limit=500"));
    const known = rows.filter((row) => row["market_cap"] !== null);
    expect(cells).toEqual(known.map((row) => String(row["symbol"])));
    expect(await page.violations()).toEqual([]);
  });

  test("lists the largest gains and losses of ordinary companies", async () => {
    const { page } = opened;
    await page.goto("/console?window=1Y");
    const shown = await page.evaluate<string[][]>(
      `[...document.querySelectorAll(".movers table")].map((table) =>
        [...table.querySelectorAll("tbody tr td:first-child")].map((one) => one.innerText))`,
    );
    const all = objectsOf(
      await screen("country=US&metrics=return_1y&where=market_cap>=2B&limit=1000"),
    ).filter((row) => row["return_1y"] !== null);
    const sorted = all.toSorted((a, b) => Number(b["return_1y"]) - Number(a["return_1y"]));
    const symbols = sorted.map((row) => String(row["symbol"]));
    expect(shown).toEqual([symbols.slice(0, 12), symbols.slice(-12).toReversed()]);
  });

  test("movers say how many companies rose and fell, and lead to the most traded ones", async () => {
    const { page } = opened;
    for (const country of ["US", "VN"]) {
      await page.goto(`/console?country=${country}`);
      await page.waitFor("/ rose, /.test(document.querySelector('.columns')?.innerText)");
      const { breadth } = (await answerOf(
        page,
        `get_sectors?country=${country}&columns=stocks`,
      )) as unknown as { breadth: Record<string, number> };
      const text = await page.text(".columns");
      const { advancers, decliners, unchanged, at_ceiling, at_floor } = breadth;
      expect(text).toContain(`${advancers} rose, ${decliners} fell, ${unchanged} unchanged.`);
      const limits = `${at_ceiling} limit up, ${at_floor} limit down.`;
      expect(text.includes(limits)).toBe(country === "VN");
      expect(text).toMatch(/Traded value [\d.]+ [BT] \w+ of \d+ companies\./);
    }
    await page.clickText("Largest traded value");
    await page.waitFor("document.querySelector('h1').innerText === 'Largest traded value'");
  });

  test("movers and the largest companies name their session", async () => {
    const { page } = opened;
    const titles = () => page.texts(".panel h2");
    await page.goto("/console");
    expect(await titles()).toContain("Gains in the US, 19 Nov");
    expect(await titles()).toContain("Losses in the US, 19 Nov");
    expect(await page.texts(".more-companies table:last-of-type th")).toContain("19 Nov");
    // In Japan, the newest session is that of the 20th.
    await page.goto("/console?country=JP");
    expect(await titles()).toContain("Gains in Japan, 20 Nov");
  });

  test("the pages beside Markets keep its country", async () => {
    const { page } = opened;
    await page.goto("/console/markets?country=JP");
    expect(await page.texts("main .section-menu a")).toEqual(["Sectors", "Compare"]);
    await page.clickText("Sectors", ".section-menu");
    await page.waitFor("location.pathname === '/console/sectors'");
    await page.settle();
    expect(await page.evaluate<string>("location.search")).toBe("?country=JP");
    expect(await page.texts("main .tabs [aria-pressed=true]")).toContain("Japan");
    await page.clickText("Markets", ".section-menu");
    await page.waitFor("location.pathname === '/console/markets'");
    expect(await page.evaluate<string>("location.search")).toBe("?country=JP");
  });

  test("the list and the table of companies have whole rows and do not scroll", async () => {
    const { page } = opened;
    const all = objectsOf(await screen("country=US&metrics=market_cap&sort=-market_cap&limit=12"));
    await setList(all.map(({ symbol }) => String(symbol)));
    for (const width of [390, 768, 1440]) {
      await page.resize(width);
      await page.goto("/console?view=table");
      await page.waitFor("document.querySelector('.map-table')");
      expect(
        await page.evaluate<
          string[]
        >(`[...document.querySelectorAll(".my-list, .my-list *, .map-panel .map-frame, .map-table, .map-table *")]
          .filter((one) => one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflowY !== "visible")
          .map((one) => one.className)`),
      ).toEqual([]);
      expect((await page.texts(".my-list tbody tr")).length).toBe(10);
      expect(await page.text(".my-list > p")).toBe("10 of 12 companies. All companies");
      expect((await page.texts(".map-table tbody tr")).length).toBe(16);
    }
    await page.clickText("All companies", ".map-table");
    await page.waitFor("document.querySelectorAll('.map-table tbody tr').length > 16");
    // The list has as much room as its rows before they are there.
    await setList(["AAPL", "MSFT"]);
    await page.resize(390, 844);
    await page.goto("/console");
    const [used, rows] = await page.evaluate<number[]>(
      "[document.querySelector('.my-list').offsetHeight, document.querySelector('.my-list tbody').offsetHeight]",
    );
    expect(Number(used) - Number(rows)).toBeLessThan(160);
    await page.resize(1440);
    await setList([]);
  });

  test("shows prices in yen with their decimals", async () => {
    const { page } = opened;
    await page.goto("/console?country=JP");
    const shown = await page.texts(".movers tbody tr td:nth-child(3)");
    const all = await screen("country=JP&metrics=price&limit=1000");
    const prices = objectsOf(all).map((row) => Number(row["price"]));
    expect(shown.length).toBeGreaterThan(0);
    for (const text of shown) expect(prices).toContain(Number(text.replaceAll(",", "")));
  });

  test("shows the events of the local day", async () => {
    const { page } = opened;
    await page.goto("/console");
    const { events } = await answerOf(
      page,
      "get_macro_calendar?from=2026-11-20&importance=high,medium&limit=60",
    );
    const text = await page.evaluate<string>(
      `[...document.querySelectorAll(".panel")].at(-1).innerText`,
    );
    // The local days begin at 05:00 UTC.
    const soon = events.filter((one) => `${one.date} ${one.time}` < "2026-11-22 05:00");
    for (const { event } of soon) expect(text).toContain(event);
    expect(text).toContain("Tomorrow");
  });

  test("shows the largest companies that report today and tomorrow", async () => {
    const { page } = opened;
    await page.goto("/console");
    await page.settle();
    const rows = objectsOf(
      await screen("country=US&metrics=market_cap&sort=-market_cap&limit=500"),
    );
    const order = rows.map((row) => String(row["symbol"]));
    const largest = REPORTS.flatMap(([date, symbol]) => (date === "2026-11-21" ? [symbol] : []))
      .toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
      .slice(0, 5)
      .map((symbol) => (symbol === "EVIL" ? "EVIL after close" : symbol));
    expect(await page.texts(".reports")).toEqual([
      "Earnings\nAAPL before open",
      ["Earnings", ...largest, "and 1 more"].join("\n"),
    ]);
  });

  test("shows hostile text as text", async () => {
    const { page } = opened;
    await page.goto("/console?view=table");
    expect(await page.evaluate<string>(`document.querySelector(".map-table").innerText`)).toContain(
      HOSTILE,
    );
    expect(await page.evaluate<number>(`document.querySelectorAll("main img").length`)).toBe(0);
    expect(await page.evaluate<string>("document.title")).toBe("Markets · bourse");
  });

  test.each([
    ["country=XX", "country must be one of US, JP, VN"],
    ["window=soon", "soon"],
  ])("?%s shows the sentence of the service", async (query, words) => {
    await opened.page.goto(`/console?${query}`);
    expect(await opened.page.text(".map-frame .failure")).toContain(words);
  });

  test("needs at most 80 KB, nothing moves while it loads, and its table is not wider than a phone", async () => {
    for (const width of [1440, 360]) {
      const { page, close } = await openConsole({ width });
      await page.goto("/console/about");
      await page.cdp("Network.clearBrowserCache");
      await page.goto("/console");
      const { bytes, shift } = await page.evaluate<{ bytes: number; shift: number }>(
        `new Promise((done) => {
          let shift = 0;
          const observer = new PerformanceObserver((list) => {
            for (const { value } of list.getEntries()) shift += value;
          });
          observer.observe({ type: "layout-shift", buffered: true });
          const files = ["navigation", "resource"].flatMap((one) => performance.getEntriesByType(one));
          setTimeout(() => done({
            bytes: files.reduce((sum, { transferSize }) => sum + transferSize, 0),
            shift,
          }), 200);
        })`,
      );
      expect(bytes).toBeGreaterThan(10_000);
      expect(bytes).toBeLessThan(FIRST_PAGE_BYTES);
      // Google calls a shift below 0.1 good.
      expect(shift).toBeLessThan(0.05);
      await page.goto("/console?view=table");
      await page.waitFor("document.querySelector('.map-table')");
      expect(
        await page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth"),
      ).toBe(true);
      await close();
    }
  });
});
