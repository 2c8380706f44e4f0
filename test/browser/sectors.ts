import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CHROMIUM, openConsole } from "../support/browser.ts";
import { answerOf } from "../support/page-clock.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

describe.skipIf(CHROMIUM === null)("Sectors", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => void (opened = await openConsole()));
  afterAll(async () => {
    expect(opened?.page.problems).toEqual([]);
    await opened?.close();
  });

  /** The texts of a column of the table with that label. */
  const column = (label: string, number: number) =>
    opened.page.evaluate<string[]>(
      `[...document.querySelectorAll('[aria-label="${label}"] tbody td:nth-child(${number})')].map((one) => one.innerText)`,
    );
  const answer = async (args: string) =>
    Object.values((await answerOf(opened.page, `get_sectors?${args}`)).sectors);

  test("shows size, change and medians of each sector", async () => {
    await opened.page.goto("/console/sectors?country=JP");
    const sectors = await answer("country=JP");
    expect(await column("Size and change", 1)).toEqual(sectors.map(({ name }) => name));
    // All in one unit, which the head has: 858.33 B JPY is 0.86.
    const trillions = sectors.map(({ overview }) => {
      const [number, unit = ""] = (overview["Mkt cap"] ?? "").split(" ");
      return (Number(number) * ({ T: 1, B: 1e-3 }[unit] ?? NaN)).toFixed(2);
    });
    expect(await column("Size and change", 3)).toEqual(trillions);
    expect(await opened.page.texts('[aria-label="Size and change"] .sort')).toContain(
      "Market cap, JPY trillion",
    );
    const shown = await column("Size and change", 8);
    for (const [i, { performance }] of sectors.entries()) {
      expect(shown[i]).toContain((performance["Perf %1Y"] ?? "").replace("-", "−"));
    }
    // The strongest shade is that of the largest change of the column.
    const changes = sectors.map(({ performance }) => parseFloat(performance["Perf %1Y"] ?? ""));
    const largest = changes.findIndex(
      (one) => one === changes.toSorted((a, b) => Math.abs(b) - Math.abs(a))[0],
    );
    const shade = await opened.page.evaluate<string>(
      `document.querySelectorAll("[aria-label='Size and change'] tbody tr")[${largest}].cells[7].className`,
    );
    expect(shade).toContain((changes[largest] ?? 0) > 0 ? "shade-gain-3" : "shade-loss-3");
    await opened.page.clickText("1 year", "[aria-label='Size and change']");
    await opened.page.waitFor("location.search.includes('size=-8')");
    const byChange = () =>
      opened.page.evaluate<string>(
        `document.querySelector("[aria-label='Size and change'] tbody td").innerText`,
      );
    const best = changes.indexOf(Math.max(...changes));
    expect(await byChange()).toBe(sectors[best]?.name ?? "");
    await opened.page.goto("/console/sectors?country=JP&size=-8");
    expect(await byChange()).toBe(sectors[best]?.name ?? "");
  });

  test.each([
    [390, "en", "Valuation", "Growth and margins"],
    [768, "ja", "バリュエーション", "成長と利益率"],
    [1440, "vi", "Định giá", "Tăng trưởng và biên lợi nhuận"],
  ] as const)(
    "at %i px in %s, one press shows the medians, and another the growth",
    async (width, language, valuation, growth) => {
      const { page } = opened;
      const speak = (to: string) =>
        page.evaluate(
          `fetch("/console/api/settings", { method: "PUT", headers: { "Content-Type": "application/json" }, body: '{"language":"${to}"}' }).then((one) => one.status)`,
        );
      await speak(language);
      await page.resize(width);
      await page.goto("/console/sectors?country=JP");
      const sectors = await answer("country=JP");
      const medians = (name: "pe_median" | "roe_median") =>
        sectors.map(({ stats }) => stats[name]?.toFixed(2) ?? "—");
      const shown = async (label: string, number: number) =>
        (await column(label, number)).map((text) => text.replace(",", "."));
      await page.clickText(valuation, ".panel-actions");
      expect(await shown(valuation, 4)).toEqual(medians("pe_median"));
      expect(await page.isWide()).toBe(false);
      expect(await page.violations()).toEqual([]);
      await page.clickText(growth, ".panel-actions");
      expect((await shown(growth, 8)).map((text) => text.replace(/ ?%$/, ""))).toEqual(
        medians("roe_median").map((text) => text.replace("-", "−")),
      );
      expect(await page.isWide()).toBe(false);
      expect(await page.evaluate<string>("location.search")).toBe("?country=JP&columns=growth");
      // The industries have the same columns.
      await page.click(".sector-name a");
      await page.waitFor("location.search.includes('sector=')");
      expect(await page.evaluate<string>("location.search")).toEndWith("&columns=growth");
      // An address of earlier versions has only an order.
      await page.goto("/console/sectors?country=JP&valuation=4");
      expect(await page.texts(".panel-actions [aria-pressed=true]")).toEqual([valuation]);
      expect(await shown(valuation, 4)).toEqual(
        medians("pe_median").toSorted((a, b) => (Number(a) || 1e9) - (Number(b) || 1e9)),
      );
      await speak("en");
      await page.resize(1440);
    },
  );

  test("draws the quartiles and the median to scale", async () => {
    await opened.page.goto("/console/sectors?columns=valuation");
    const sectors = await answer("country=US");
    const plots = await opened.page.evaluate<
      { left: number; width: number; median: number; label: string }[]
    >(`[...document.querySelectorAll(".range")].map((one) => ({
      left: Number(one.querySelector("rect").getAttribute("x")),
      width: Number(one.querySelector("rect").getAttribute("width")),
      median: Number(one.querySelector(".range-median").getAttribute("x1")),
      label: one.getAttribute("aria-label"),
    }))`);
    const [first, ...others] = plots.map((plot, i) => {
      const { pe_p25: low = 0, pe_p75: high = 0, pe_median: median = 0 } = sectors[i]?.stats ?? {};
      expect(plot.label).toContain(`from ${low?.toFixed(2)} to ${high?.toFixed(2)}`);
      expect(plot.left / plot.median).toBeCloseTo(Number(low) / Number(median), 2);
      expect((plot.left + plot.width) / plot.median).toBeCloseTo(Number(high) / Number(median), 2);
      return plot.median / Number(median);
    });
    // All plots have one scale.
    for (const scale of others) expect(scale).toBeCloseTo(first ?? 0, 3);
  });

  test("sorts by a figure that the service writes as text", async () => {
    const { page } = opened;
    await page.goto("/console/sectors");
    await page.clickText("Market cap, USD trillion", '[aria-label="Size and change"]');
    const sizes = (await column("Size and change", 3)).map(Number);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    expect(sizes).toHaveLength(11);
  });

  test("goes down to industries and companies, and up again", async () => {
    const { page } = opened;
    await page.goto("/console/sectors");
    await page.clickText("Technology", '[aria-label="Size and change"]');
    await page.waitFor(`document.querySelector("h1").innerText === "Technology in the US"`);
    await page.settle();
    const industries = await answer("country=US&sector=technology&level=industry");
    expect(await column("Size and change", 1)).toEqual(industries.map(({ name }) => name));
    await page.clickText("Semiconductors", '[aria-label="Size and change"]');
    await page.waitFor(`document.querySelector("h1").innerText === "Semiconductors in the US"`);
    await page.settle();
    const { rows } = await answerOf(
      page,
      "screen_stocks?country=US&sector=technology&industry=semiconductors&limit=50",
    );
    expect(await column("Companies", 1)).toEqual(rows.map(([symbol]) => String(symbol)));
    // The screener has the same companies in the same order.
    await page.clickText("Open in the screener");
    await page.waitFor(`location.pathname === "/console/screen"`);
    await page.settle();
    expect(
      await page.evaluate(`Object.fromEntries(new URLSearchParams(location.search))`),
    ).toMatchObject({ sector: "technology", industry: "semiconductors" });
    const screened = await page.texts("main tbody tr");
    for (const [i, [symbol]] of rows.entries()) expect(screened[i]).toContain(String(symbol));
    await page.evaluate("history.back()");
    await page.waitFor(`document.querySelector(".crumbs")`);
    await page.clickText("Technology", ".crumbs");
    await page.waitFor(`document.querySelector("h1").innerText === "Technology in the US"`);
  });

  test.each(["valuation", "growth"])(
    "says that no industry has medians of the %s, in place of a table of dashes",
    async (columns) => {
      const { page } = opened;
      await page.goto(`/console/sectors?country=JP&sector=technology&columns=${columns}`);
      await page.settle();
      const tables = await page.evaluate<string[][]>(
        `[...document.querySelectorAll("main table")].map((table) =>
        [...table.querySelectorAll("td.number")].map((cell) => cell.innerText.trim()))`,
      );
      expect(tables.length).toBeGreaterThan(0);
      expect(tables.filter((cells) => cells.every((text) => /^(—|\d+ small)$/.test(text)))).toEqual(
        [],
      );
      expect(await page.text("main")).toContain("No median: each needs 5 companies");
    },
  );

  test("has the companies below the size of the industries, and no row without a median", async () => {
    const { page } = opened;
    await page.goto("/console/sectors?country=US&sector=technology");
    await page.settle();
    expect(
      await page.evaluate<string[]>(
        `[...document.querySelectorAll("main .table-frame")].map((one) => one.getAttribute("aria-label"))`,
      ),
    ).toEqual(["Size and change", "Companies"]);
    await page.clickText("Valuation", ".panel-actions");
    const industries = await answer("country=US&sector=technology&level=industry");
    const names = (has: boolean) =>
      industries
        .filter(({ stats }) => (stats["pe_median"] !== null) === has)
        .map(({ name }) => name);
    expect(names(false)).not.toBeEmpty();
    expect(await column("Valuation", 1)).toEqual(names(true));
    expect(await page.text("main")).toContain(`Not shown: ${names(false).join(", ")}.`);
  });

  test("has companies that the service sorts", async () => {
    const { page } = opened;
    await page.goto("/console/sectors?country=US&sector=energy");
    await page.clickText("P/E", '[aria-label="Companies"]');
    await page.waitFor(
      `document.querySelector('[aria-label="Companies"] th[aria-sort=descending]').innerText.startsWith("P/E")`,
    );
    await page.settle();
    const { rows } = await answerOf(
      page,
      "screen_stocks?country=US&sector=energy&sort=-pe&limit=50",
    );
    await page.waitFor(
      `document.querySelector('[aria-label="Companies"] tbody td').innerText === ${JSON.stringify(rows[0]?.[0])}`,
    );
    expect(await column("Companies", 1)).toEqual(rows.map(([symbol]) => String(symbol)));
    // The order is in the address, so Back has the one of before.
    expect(await page.evaluate<string>("location.search")).toContain("sort=-pe");
    await page.evaluate("history.back()");
    await page.waitFor(`location.search === "?country=US&sector=energy"`);
    await page.waitFor(
      `document.querySelector('[aria-label="Companies"] th[aria-sort=descending]').innerText.startsWith("Market cap")`,
    );
  });

  test.each([
    ["country=XX", "country must be one of US, JP, VN"],
    ["sector=gold", "sector must be one of"],
  ])("?%s shows the sentence of the service", async (query, words) => {
    await opened.page.goto(`/console/sectors?${query}`);
    expect(await opened.page.text(".failure")).toContain(words);
  });
});
