import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type BrowserPage, CHROMIUM, openConsole } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

const OPEN = ".tip > [popover]:popover-open";
const EV_EBITDA = ".key-figures > div:nth-child(4) .tip > button";

type Box = Readonly<Record<"left" | "right" | "top" | "bottom", number>>;

describe.skipIf(CHROMIUM === null)("the explanation of a term", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  let page: BrowserPage;
  beforeAll(async () => {
    opened = await openConsole();
    ({ page } = opened);
  });
  afterAll(() => opened?.close());
  beforeEach(async () => {
    page.problems.length = 0;
    await page.resize(1440);
    await page.goto("/console/US/AAPL");
    await page.waitFor(`document.querySelector("${EV_EBITDA}")`);
  });

  const shown = () => page.waitFor<string>(`document.querySelector("${OPEN}")?.innerText`);
  const isHidden = () => page.waitFor(`!document.querySelector("${OPEN}")`);

  test("a tap on a phone shows it beside the term, in the window, until Escape, a tap elsewhere or a scroll", async () => {
    await page.resize(390);
    for (const close of [
      () => page.press("Escape"),
      async () => {
        for (const type of ["mousePressed", "mouseReleased"]) {
          const where = { x: 4, y: 300, button: "left", clickCount: 1 };
          await page.cdp("Input.dispatchMouseEvent", { type, ...where });
        }
      },
      () => page.evaluate("scrollBy(0, 40)"),
    ]) {
      await page.click(EV_EBITDA);
      const text = await shown();
      expect(text).toStartWith("Enterprise value / EBITDA of the trailing twelve months.");
      expect(text).toContain("TTM, trailing twelve months: the twelve months to the newest");
      expect(text).toMatch(/Higher than \d+% of Technology in the US\.$/);
      const [tip, term] = await page.evaluate<Box[]>(
        `["${OPEN}", "${EV_EBITDA}"].map((one) => document.querySelector(one).getBoundingClientRect().toJSON())`,
      );
      if (!tip || !term) throw new Error("no explanation");
      expect([tip.left >= 0, tip.right <= 390, tip.top >= 0]).toEqual([true, true, true]);
      expect(
        Math.min(Math.abs(tip.top - term.bottom), Math.abs(term.top - tip.bottom)),
      ).toBeLessThan(8);
      expect(await page.violations()).toEqual([]);
      await close();
      await isHidden();
    }
  });

  test.each([
    [
      "/console/US/AAPL",
      ".stat-strip > div:nth-of-type(2) .tip",
      ".stat-strip > div:nth-of-type(2) dd",
    ],
    ["/console/US/AAPL", ".key-figures .tip", ".key-figures dd"],
    ["/console/US/AAPL/valuation", ".figures .tip", ".figures dd"],
    ["/console/screen", "#companies th:nth-child(4) .tip", "#companies td:nth-child(4)"],
  ])("on %s, the explanation of %s leaves its figure free", async (path, term, figure) => {
    await page.goto(path);
    await page.waitFor(`document.querySelector("${term} > button")`);
    await page.click(`${term} > button`);
    await shown();
    const [tip, box] = await page.evaluate<Box[]>(
      `["${OPEN}", "${figure}"].map((one) => document.querySelector(one).getBoundingClientRect().toJSON())`,
    );
    if (!tip || !box) throw new Error("no explanation");
    const isOver =
      tip.left < box.right && tip.right > box.left && tip.top < box.bottom && tip.bottom > box.top;
    expect([tip.top >= 0, isOver]).toEqual([true, false]);
  });

  test("the mouse shows it, also while it is on the explanation", async () => {
    const moveTo = async (selector: string) => {
      const { x, y, width, height } = await page.evaluate<{
        x: number;
        y: number;
        width: number;
        height: number;
      }>(`document.querySelector("${selector}").getBoundingClientRect().toJSON()`);
      const at = { x: x + Math.min(20, width / 2), y: y + height / 2 };
      await page.cdp("Input.dispatchMouseEvent", { type: "mouseMoved", ...at });
    };
    // A page that is loaded again goes back to its place.
    await page.goto("/console/US/MSFT");
    await page.waitFor("document.querySelector('.stat-strip .tip > button')");
    await moveTo(".stat-strip .tip > button");
    expect(await shown()).toContain("Market capitalisation.");
    await moveTo(OPEN);
    expect(await shown()).toContain("Market capitalisation.");
    await moveTo("h1");
    await isHidden();
    await moveTo(".stat-strip .tip > button");
    await shown();
    await page.press("Escape");
    await isHidden();
  });

  test("the bar of a rank says where the company is in its sector, and which end is better", async () => {
    await page.resize(390);
    for (const [title, direction] of [
      ["P/E", "Lower is cheaper."],
      ["FCF yield TTM", "Higher is cheaper."],
      ["ROE TTM", "Higher is usually better."],
      ["Debt / equity FQ", "Lower is usually better."],
      ["Payout ratio", "Neither high nor low is better in itself."],
    ] as const) {
      await page.waitFor(`(() => {
        const row = [...document.querySelectorAll(".key-figures > div")]
          .find((one) => one.querySelector("dt").innerText.trim() === ${JSON.stringify(title)});
        row?.querySelector("button:has(.track)")?.setAttribute("data-bar", ${JSON.stringify(title)});
        return row?.querySelector("[data-bar]");
      })()`);
      await page.click(`[data-bar="${title}"]`);
      const text = await page.waitFor<string>(
        `document.querySelector("[data-bar='${title}'] + :popover-open")?.innerText`,
      );
      expect(text).toMatch(/^Higher than \d+% of Technology in the US\. Left is the lowest/);
      expect(text).toEndWith(direction);
      expect(await page.violations()).toEqual([]);
      await page.press("Escape");
      await isHidden();
    }
  });

  test("a list of terms is one stop of the Tab key, and arrows go through it", async () => {
    const stops = await page.evaluate<number[]>(
      `[...document.querySelectorAll("dl:has(.tip)")].map((list) =>
        [...list.querySelectorAll(".tip > button")].filter(({ tabIndex }) => tabIndex === 0).length)`,
    );
    expect(new Set(stops)).toEqual(new Set([1]));
    await page.evaluate(`document.querySelector(".symbol-head .primary").focus()`);
    await page.press("Tab");
    expect(await shown()).toContain("Market capitalisation.");
    await page.press("ArrowDown");
    await page.waitFor(`document.querySelector("${OPEN}")?.innerText.includes("Forward P/E:")`);
    await page.press("ArrowUp");
    await page.waitFor(`document.querySelector("${OPEN}")?.innerText.includes("capitalisation")`);
    await page.press("Tab");
    await isHidden();
    // The verdict on the P/E is a link.
    expect(await page.evaluate("document.activeElement.closest('.stat-verdict') !== null")).toBe(
      true,
    );
    await page.press("Tab");
    expect(await page.evaluate("document.activeElement.closest('.symbol-tabs') !== null")).toBe(
      true,
    );
    expect(page.problems).toEqual([]);
  });

  test.each([
    ["/console/US/AAPL/valuation", "h2 .tip", "middle 80%"],
    [
      "/console/US/AAPL/dividends",
      ".dividends .tip",
      "Dividends of the last twelve months / price.",
    ],
    [
      "/console/US/AAPL/forecast",
      "section[aria-label='Price targets'] h2 .tip",
      "from the lowest to the highest target",
    ],
    [
      "/console/US/AAPL/forecast",
      "section[aria-label='Price targets'] dd + dt .tip",
      "Half of the targets",
    ],
    ["/console/US/AAPL/forecast", "section[aria-label='Estimates'] h2 .tip", "EPS: earnings per"],
    ["/console/US/AAPL/forecast", "section[aria-label='Recent actions'] h2 .tip", "rating"],
    ["/console/US/AAPL/chart", "#ratings h2 .tip", "above 0.5 Strong buy"],
    ["/console/compare?symbols=AAPL,MSFT", "tbody th .tip", "Newest close"],
  ])("is on %s", async (path, selector, words) => {
    await page.goto(path);
    await page.waitFor(`document.querySelector("${selector} > button")`);
    await page.click(`${selector} > button`);
    expect(await shown()).toContain(words);
  });

  test("what the choices above a chart do is below it", async () => {
    for (const path of ["/console/US/AAPL", "/console/US/%5EGSPC/chart"]) {
      await page.goto(path);
      await page.clickText("What the choices mean", "main");
      await page.waitFor(`document.querySelector(".meanings dd")?.checkVisibility()`);
      expect(await page.texts(".price-panel .meanings dt")).toEqual([
        "Linear, Log",
        "SMA 20, 50, 200",
        "RSI",
        "MACD",
        "+ Compare",
        "Events",
        "Prices",
      ]);
      expect((await page.texts(".price-panel .meanings dd")).join(" ")).toContain(
        "Above 70 the price has risen fast",
      );
      expect(await page.violations()).toEqual([]);
    }
  });

  test.each([
    ["/console/screen", "#companies", "P/E", "Price / "],
    ["/console/sectors", ".sector-frame", "Market cap, USD trillion", "Market capitalisation."],
    ["/console/sectors?sector=energy", "[aria-label=Companies]", "P/B", "Price / book value"],
    ["/console/lists/watchlist", "main", "Price", "Newest close"],
    ["/console/US/AAPL/financials?statement=ratios", "main", "Gross margin", "Gross profit / rev"],
  ])(
    "a mark at the figures of %s explains them, on a phone too",
    async (path, within, title, words) => {
      await page.evaluate(`fetch("/console/api/lists/watchlist", { method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: '{"items":[{"country":"US","symbol":"AAPL"}]}' }).then(({ ok }) => ok)`);
      for (const width of [390, 768, 1440]) {
        await page.resize(width);
        await page.goto(path);
        const mark = `${within} button[aria-label="What ${title} means"]`;
        await page.waitFor(`document.querySelector('${mark}')`);
        const order = () => page.evaluate<string>("location.search");
        const before = await order();
        await page.click(mark);
        expect(await shown()).toContain(words);
        // A screen reader reads it with the mark. The name of the head, read with each cell, is short.
        const { result } = await page.cdp<{ result: { objectId: string } }>("Runtime.evaluate", {
          expression: `document.querySelector('${mark}').closest("th")`,
        });
        const { nodes } = await page.cdp<{ nodes: { name: { value: string } }[] }>(
          "Accessibility.getPartialAXTree",
          { objectId: result.objectId, fetchRelatives: false },
        );
        expect(nodes[0]?.name.value).toBe(title);
        expect(
          await page.evaluate<string>(
            `document.getElementById(document.querySelector('${mark}').getAttribute("aria-describedby")).textContent`,
          ),
        ).toContain(words);
        // The press orders nothing.
        expect(await order()).toBe(before);
        expect(await page.isWide()).toBe(false);
        if (width === 390) expect(await page.violations()).toEqual([]);
        // The frame in which the focus shows the explanation can come after the key.
        while (await page.evaluate<boolean>(`document.querySelector("${OPEN}") !== null`))
          await page.press("Escape");
      }
    },
  );

  test("the marks of a table are one stop of the Tab key, and arrows go through them", async () => {
    await page.goto("/console/sectors");
    await page.waitFor("document.querySelector('.sector-frame .explained .tip')");
    const stops = await page.evaluate<number>(
      `[...document.querySelectorAll(".sector-frame .tip > button")].filter(({ tabIndex }) => tabIndex === 0).length`,
    );
    expect(stops).toBe(1);
    await page.evaluate(
      `[...document.querySelectorAll(".sector-frame .sort")].find((one) => one.innerText.startsWith("Market cap")).focus()`,
    );
    await page.press("Tab");
    expect(await shown()).toContain("Market capitalisation.");
    await page.press("ArrowRight");
    await page.waitFor(`document.querySelector("${OPEN}")?.innerText.includes("newest close")`);
    await page.press("ArrowLeft");
    await page.waitFor(`document.querySelector("${OPEN}")?.innerText.includes("capitalisation")`);
    expect(page.problems).toEqual([]);
  });

  test.each([
    ["ja", "時価総額（兆円）の意味", "時価総額"],
    ["vi", "Ý nghĩa của Vốn hóa, nghìn tỷ đồng", "Vốn hóa"],
  ])("the mark has words of %s", async (language, name, words) => {
    const speak = (to: string) =>
      page.evaluate(
        `fetch("/console/api/settings", { method: "PUT", headers: { "Content-Type": "application/json" }, body: '{"language":"${to}"}' }).then((one) => one.status)`,
      );
    await speak(language);
    await page.goto("/console/sectors");
    const mark = ".sector-frame th:nth-child(3) .tip > button";
    await page.waitFor(`document.querySelector("${mark}")`);
    expect(await page.evaluate<string>(`document.querySelector("${mark}").ariaLabel`)).toBe(name);
    await page.click(mark);
    expect(await shown()).toContain(words);
    await speak("en");
  });
});
