import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CHROMIUM, openConsole } from "../support/browser.ts";
import { answerOf, setPageClock } from "../support/page-clock.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

/** A figure of the service as the page shows it. */
const withMinus = (text: string) => text.replace(/^-/, "−");

describe.skipIf(CHROMIUM === null)("Economy", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    opened = await openConsole();
    await setPageClock(opened.page, "America/New_York");
  });
  afterAll(async () => {
    expect(opened?.page.problems).toEqual([]);
    await opened?.close();
  });

  /** The texts of the cells of every row with data, in the table with that label. */
  const rowsOf = (label: string) =>
    opened.page.evaluate<string[][]>(
      `[...document.querySelectorAll('[aria-label="${label}"] tbody tr')]
        // Of the calendar, only the publications.
        .filter((row) => !row.matches(".earnings, .dividends, .splits, .holidays"))
        .map((row) => [...row.querySelectorAll("td")].map((one) => one.innerText.trim()))
        // Not the headings of days.
        .filter((cells) => cells.length > 1)`,
    );

  test("shows the ten categories with latest figures and forecasts, also of a figure without a series", async () => {
    const { page, service } = opened;
    const [known] = service.market.documents.list("macroForecasts", "JP");
    if (!known) throw new Error("the sample has no forecast");
    const { source, storedAt, ...forecast } = known;
    service.market.transaction(() =>
      service.market.put(
        "macroForecasts",
        [{ ...forecast, category: "trade", name: "Tourism receipts" }],
        { source, storedAt },
      ),
    );
    await page.goto("/console/economy?country=JP");
    await page.waitFor("document.querySelector('.series-card')");
    expect(await page.texts(".theme:not(.curve) h3")).toHaveLength(10);
    const all = Object.values(await answerOf(page, "get_macro_indicators?country=JP")).flat();
    const { categories } = await answerOf(page, "get_macro_forecast?country=JP");
    const forecasts = new Map(
      Object.values(categories).flatMap((list) => list.map((one) => [one.name, one])),
    );
    const cards = await page.texts(".series-card");
    expect(cards).toHaveLength(all.length + 1);
    /** The forecast figures, as the page writes them, the soonest first. */
    const figuresOf = (name: string) =>
      Object.entries(forecasts.get(name) ?? {})
        .filter(([key]) => /^Q\d\/\d\d$/.test(key))
        .map(([quarter, figure]) => `${quarter} ${withMinus(String(figure))}`);
    for (const { name, latest_raw: raw, unit } of all) {
      const card = cards.find((one) => one.split("\n")[0] === name);
      expect(card).toContain(withMinus(raw.replace(unit, "").trim()));
      const last = figuresOf(name).at(-1);
      if (last === undefined) expect(card).not.toContain("Forecast");
      else expect(card).toEndWith(`Forecast ${last}`);
    }
    const alone = cards.find((one) => one.startsWith("Tourism receipts"));
    expect(figuresOf("Tourism receipts").length).toBeGreaterThan(1);
    expect(alone).toEndWith(`Forecast ${figuresOf("Tourism receipts").join(" ")}`);
    expect(await page.violations()).toEqual([]);
  });

  test("a yield curve has the newest day, a month and a year before, and their spread", async () => {
    const { page } = opened;
    for (const country of ["US", "JP"] as const) {
      const curveAt = async (to: string) => {
        const { money = [] } = await answerOf(
          page,
          `get_macro_indicators?country=${country}&category=money&to=${to}`,
        );
        return money.filter(({ name }) => name.startsWith("Yield curve, "));
      };
      const newest = await curveAt("2026-11-20");
      // The clock is at 20 November 2026, 17:30 UTC. New York has not closed yet.
      const day = country === "US" ? "19" : "20";
      expect(newest[0]?.period).toBe(`2026-11-${day}`);
      const curves = [newest, await curveAt(`2026-10-${day}`), await curveAt(`2025-11-${day}`)];
      await page.goto(`/console/economy?country=${country}`);
      await page.waitFor("document.querySelectorAll('.curve polyline').length === 3");
      expect(
        await page.evaluate<number[]>(
          "[...document.querySelectorAll('.curve polyline')].map((one) => one.points.length)",
        ),
      ).toEqual(curves.map(({ length }) => length).toReversed());
      const dates = [`${day} Nov 2026`, `${day} Oct 2026`, `${day} Nov 2025`];
      const percentOf = (curve: typeof newest, length: string) =>
        curve.find(({ name }) => name === `Yield curve, ${length}`)?.latest_raw ?? "none";
      const legend = await page.texts(".curve li");
      expect(legend).toEqual(
        curves.map((curve, i) => `${dates[i]} ${percentOf(curve, "10 years").replace("%", " %")}`),
      );
      const spreads = curves.map(
        (curve) =>
          Number.parseFloat(percentOf(curve, "10 years")) -
          Number.parseFloat(percentOf(curve, "2 years")),
      );
      const decimals = country === "US" ? 2 : 3;
      expect(spreads[0]).toBeGreaterThan(0);
      expect(await page.text(".curve p")).toBe(
        `Bonds of 10 years yield ${spreads[0]?.toFixed(decimals)} points more than bonds of 2 years. Source: sample`,
      );
      await page.click(".curve summary");
      const rows = await rowsOf("Figures");
      expect(rows).toEqual([
        ...newest.map(({ name }) => {
          const length = name.replace("Yield curve, ", "");
          return [length, ...curves.map((curve) => percentOf(curve, length))];
        }),
        ["10 years − 2 years, points", ...spreads.map((one) => one.toFixed(decimals))],
      ]);
      for (const width of [390, 768, 1440]) {
        await page.resize(width);
        for (const theme of ["light", "dark"] as const) {
          await page.setTheme(theme);
          await page.screenshot(`economy-curve-${country}-${width}-${theme}`);
          expect({ width, isWide: await page.isWide() }).toEqual({ width, isWide: false });
          expect(await page.violations()).toEqual([]);
        }
        const cut = await page.evaluate<boolean>(
          "[...document.querySelectorAll('.curve .table-frame')].some((one) => one.scrollWidth > one.clientWidth)",
        );
        expect({ width, cut }).toEqual({ width, cut: false });
      }
      await page.setTheme("light");
    }
    await page.click(".curve .panel-head button");
    await page.waitFor("document.querySelector('dialog[open] pre')");
    expect(
      (await page.texts("dialog[open] button")).filter((text) => text.startsWith("CSV")),
    ).toEqual(["", " 2026-10-20", " 2025-11-20"].map((to) => `CSV: get_macro_indicators JP${to}`));
    await page.press("Escape");
    // A maturity is a series of its own.
    await page.clickText("5 years", ".curve");
    await page.waitFor("document.querySelector('.series-frame .plot')");
    expect(await page.text("#series h2")).toBe("Yield curve, 5 years in Japan");
  });

  test("a country without a yield curve has no place for it, and one with two days has one line", async () => {
    const { page, service } = opened;
    await page.goto("/console/economy?country=VN");
    await page.waitFor("document.querySelector('.series-card')");
    await page.settle();
    expect(await page.texts(".curve")).toEqual([]);
    const maturity = (years: number, yields: readonly [number, number]) => ({
      country: "VN" as const,
      category: "money" as const,
      id: `yield-curve-${years}y`,
      name: `Yield curve, ${years} years`,
      unit: "%",
      decimals: 2,
      isDetail: true,
      observations: yields.map((value, i) => ({ period: `2026-11-${18 + i}`, value })),
    });
    service.market.transaction(() =>
      service.market.put("macroSeries", [maturity(2, [3.1, 3.4]), maturity(10, [3.2, 3.15])], {
        source: "invented",
        storedAt: service.time.now,
      }),
    );
    service.time.now += 60_000;
    await page.cdp("Network.setCacheDisabled", { cacheDisabled: true });
    // As a market that knows nothing but details: they are in the answer about the whole economy then.
    const { identifier } = await page.cdp<{ identifier: string }>(
      "Page.addScriptToEvaluateOnNewDocument",
      {
        source: `const { fetch: ask } = window;
          window.fetch = (input, init) => ask(String(input).replace(/indicators\\?country=VN$/, "$&&category=money"), init);`,
      },
    );
    await page.goto("/console/economy?country=VN");
    await page.waitFor("document.querySelectorAll('.curve polyline').length === 1");
    // 3.15 − 3.40.
    expect(await page.text(".curve p")).toBe(
      "Bonds of 10 years yield 0.25 points less than bonds of 2 years: the curve is inverted. Source: invented",
    );
    const { money = [] } = await answerOf(page, "get_macro_indicators?country=VN&to=2026-11-20");
    expect((await page.texts("a.series-card")).map((text) => text.split("\n")[0])).toEqual(
      money.map(({ name }) => name),
    );
    await page.cdp("Page.removeScriptToEvaluateOnNewDocument", { identifier });
    await page.cdp("Network.setCacheDisabled", { cacheDisabled: false });
  });

  test("has a card for each series, with its change and its next release, and one request for all trends", async () => {
    const { page } = opened;
    await page.goto("/console/economy?country=JP");
    const indicators = Object.values(
      await answerOf(page, "get_macro_indicators?country=JP"),
    ).flat();
    await page.waitFor(
      `document.querySelectorAll(".series-card .trend svg").length === ${indicators.length}`,
    );
    const asked = await page.evaluate<string[]>(
      `performance.getEntriesByType("resource").map(({ name }) => name)
        .filter((name) => /macro-lines|macro_history/.test(name))`,
    );
    expect(asked).toEqual([expect.stringMatching(/\/macro-lines\?country=JP$/) as string]);
    const cpi = indicators.find(({ name }) => name === "CPI inflation YoY");
    const { events } = await answerOf(page, "get_macro_calendar?country=JP&limit=200");
    const next = events.find(({ event }) => event === "CPI inflation YoY");
    expect(next?.unit).toBe("%");
    // The page's clock is START, 12:30 on 20 November in New York, which is five hours behind UTC.
    const local = new Date(Date.parse(`${next?.date}T${next?.time}Z`) - 5 * 3_600_000);
    const days =
      (Date.parse(local.toISOString().slice(0, 10)) - Date.parse("2026-11-20")) / 86_400_000;
    const card = await page.text(".series-card[href*='series=CPI+inflation']");
    expect(card).toContain(`Next in ${days} d`);
    await page.click(".series-card[href*='series=CPI+inflation']");
    const line = await page.waitFor<string>("document.querySelector('.series-frame p')?.innerText");
    expect(line).toStartWith("Next release: ");
    expect(line).toContain(`${local.toISOString().slice(11, 16)} (in ${days} d`);
    expect(line).toContain(`Previous: ${next?.previous}.`);
    const change = ((cpi?.latest ?? 0) - (cpi?.previous ?? 0)).toFixed(1);
    expect(card).toContain(withMinus(change));
    expect(await page.violations()).toEqual([]);
  });

  test("the figures of all countries have one number of decimals", async () => {
    const { page } = opened;
    const decimals = (text: string) => text.split(".")[1]?.length ?? 0;
    const all: Map<string, { unit: string; latest: number | null }>[] = [];
    for (const country of ["US", "JP", "VN"]) {
      const data = await answerOf(page, `get_macro_indicators?country=${country}`);
      all.push(new Map(Object.values(data).flatMap((list) => list.map((one) => [one.name, one]))));
    }
    const [first, ...others] = all;
    // A figure such as 3.0 is the number 3.
    const name = [...(first?.keys() ?? [])].find((one) => {
      const found = all.map((each) => each.get(one));
      const isEverywhere = found.every((each) => each && each.unit === first?.get(one)?.unit);
      return isEverywhere && new Set(found.map((each) => decimals(String(each?.latest)))).size > 1;
    });
    expect([typeof name, others.length]).toEqual(["string", 2]);
    await page.goto(`/console/economy?country=JP&series=${encodeURIComponent(name ?? "")}`);
    await page.waitFor("document.querySelectorAll('.countries b').length === 3");
    const shown = await page.texts(".countries b");
    expect([shown, new Set(shown.map(decimals)).size]).toEqual([shown, 1]);
  });

  test("a series has its forecast as a dashed line, and the same series of other countries", async () => {
    const { page } = opened;
    await page.goto("/console/economy?country=JP&series=Manufacturing%20PMI");
    await page.waitFor("document.querySelectorAll('.countries polyline').length === 3");
    const { categories, forecast_horizons: quarters } = await answerOf(
      page,
      "get_macro_forecast?country=JP",
    );
    const found = Object.values(categories)
      .flat()
      .find(({ name }) => name === "Manufacturing PMI");
    const figures = new Map(Object.entries(found ?? {}));
    const known = quarters.filter((quarter) => (figures.get(quarter) ?? "—") !== "—");
    expect(known.length).toBeGreaterThan(1);
    // The line begins at the last published figure.
    expect(
      await page.evaluate<number>("document.querySelector('.plot-forecast').points.length"),
    ).toBe(known.length + 1);
    for (const width of [390, 768, 1440]) {
      await page.resize(width);
      for (const theme of ["light", "dark"] as const) {
        await page.setTheme(theme);
        await page.screenshot(`economy-series-${width}-${theme}`);
        expect(await page.isWide()).toBe(false);
        expect(await page.violations()).toEqual([]);
      }
    }
    await page.setTheme("light");
    // A country has one colour in both plots.
    const colours = await page.evaluate<string[]>(
      `[".series-frame .plot > svg polyline", ".countries polyline.country-2"]
        .map((one) => getComputedStyle(document.querySelector(one)).stroke)`,
    );
    expect(new Set(colours).size).toBe(1);
    await page.click(".series-frame summary");
    const table = await rowsOf("Figures");
    expect(table.slice(0, known.length).every(([period]) => period?.endsWith("forecast"))).toBe(
      true,
    );
    expect(table.slice(0, known.length).map(([, value]) => Number(value))).toEqual(
      known.toReversed().map((quarter) => Number(figures.get(quarter))),
    );
    // Only Japan counts jobs for each applicant.
    await page.goto("/console/economy?country=JP&series=Jobs-to-applicants%20ratio");
    await page.waitFor("document.querySelector('.plot')");
    expect(await page.texts(".countries")).toEqual([]);
  });

  test("a policy rate is a line of steps, on a scale of its levels, with the years below", async () => {
    const { page } = opened;
    await page.goto("/console/economy?country=US&series=Fed+funds+target+(upper)");
    await page.waitFor("document.querySelector('.plot')");
    const slopes = await page.evaluate<number>(
      `[...document.querySelector(".plot polyline").points].filter(({ x, y }, i, all) =>
        i > 0 && x !== all[i - 1].x && y !== all[i - 1].y).length`,
    );
    expect(slopes).toBe(0);
    const { rows } = await answerOf(
      page,
      "get_macro_history?country=US&series=Fed%20funds%20target%20(upper)&limit=1000",
    );
    const levels = new Set(rows.map(([, value]) => Number(value)));
    expect(levels.size).toBeGreaterThan(1);
    const ticks = (await page.texts(".plot-scale span")).map(Number);
    expect(ticks.filter((tick) => levels.has(tick)).length).toBeGreaterThan(1);
    const years = await page.texts(".plot-years span");
    expect(years.length).toBeGreaterThan(0);
    expect(years.every((year) => /^20\d\d$/.test(year))).toBe(true);
  });

  test("a series is the title of its page, and is drawn in a range of years", async () => {
    const { page } = opened;
    await page.goto("/console/economy?country=US&series=Unemployment%20rate");
    await page.waitFor("document.querySelectorAll('.countries polyline').length > 1");
    expect(await page.text("h1")).toBe("Unemployment rate");
    expect(await page.evaluate<string>("document.title")).toBe("Unemployment rate · bourse");
    const lines = () =>
      page.evaluate<number[]>(
        `[".series-frame .plot > svg polyline", ".countries polyline"]
          .map((one) => document.querySelector(one).points.length)`,
      );
    const [all = 0] = await lines();
    const { rows } = await answerOf(
      page,
      "get_macro_history?country=US&series=Unemployment%20rate&limit=1000",
    );
    expect(all).toBe(rows.length);
    for (const [width, range, months] of [
      [1440, "1Y", 12],
      [360, "5Y", 60],
    ] as const) {
      await page.resize(width);
      await page.evaluate(
        `[...document.querySelectorAll("#series button")].find((one) => one.innerText === "${range}").focus()`,
      );
      await page.press("Enter");
      await page.waitFor(`location.search.includes("range=${range}")`);
      await page.settle();
      const newest = String(rows.at(-1)?.[0]);
      const oldest = `${Number(newest.slice(0, 4)) - months / 12}${newest.slice(4)}`;
      const expected = rows.filter(([period]) => String(period) >= oldest).length;
      if (range === "1Y") expect(expected).toBeLessThan(all);
      expect(await lines()).toEqual([expected, expected]);
      await page.screenshot(`economy-range-${width}`);
      expect(await page.isWide()).toBe(false);
      expect(await page.violations()).toEqual([]);
    }
    await page.resize(1440);
    await page.clickText("Close");
    expect(await page.evaluate<string>("location.search")).toBe("?country=US");
  });

  test("any series is drawn over another one, with a scale of its own", async () => {
    const { page } = opened;
    const choice = "#series select";
    await page.goto("/console/economy?country=US&series=Unemployment+rate");
    await page.waitFor(`document.querySelector("${choice}")`);
    await page.evaluate(`(() => {
      const select = document.querySelector("${choice}");
      select.value = "JP:10-year JGB yield";
      select.dispatchEvent(new Event("change", { bubbles: true }));
    })()`);
    await page.waitFor("document.querySelectorAll('.two-lines polyline').length === 2");
    expect(await page.evaluate<string>("new URLSearchParams(location.search).get('over')")).toBe(
      "JP:10-year JGB yield",
    );
    const newest = async (country: string, series: string) => {
      const query = new URLSearchParams({ country, series, limit: "1" });
      const { rows } = await answerOf(page, `get_macro_history?${query.toString()}`);
      return String(rows[0]?.[1]);
    };
    expect(await page.texts(".two-lines li b")).toEqual([
      await newest("US", "Unemployment rate"),
      await newest("JP", "10-year JGB yield"),
    ]);
    expect(await page.texts(".two-lines .plot-scale")).toHaveLength(2);
    // A short name is understood, and the list shows the whole one.
    await page.goto("/console/economy?country=US&series=Unemployment+rate&over=JP:10Y+JGB+yield");
    await page.waitFor("document.querySelector('.two-lines')");
    expect(await page.evaluate(`document.querySelector("${choice}").selectedOptions[0].text`)).toBe(
      "10-year JGB yield",
    );
    expect(await page.violations()).toEqual([]);
    expect(page.problems).toEqual([]);
  });

  test("small trend lines of policy rates have steps too, in the cards of each country", async () => {
    const { page } = opened;
    for (const [country, name] of [
      ["US", "Fed funds target (upper)"],
      ["JP", "BoJ policy rate"],
      ["VN", "Refinancing rate"],
    ] as const) {
      await page.goto(`/console/economy?country=${country}`);
      const find = `[...document.querySelectorAll(".series-card")].find((one) => one.innerText.includes("${name}"))`;
      await page.waitFor(`${find}?.querySelector(".trend polyline")`);
      const slopes = await page.evaluate<number>(
        `[...${find}.querySelector(".trend polyline").points].filter(({ x, y }, i, all) =>
          i > 0 && x !== all[i - 1].x && y !== all[i - 1].y).length`,
      );
      expect([country, slopes]).toEqual([country, 0]);
    }
  });

  test("writes negative figures with a true minus sign", async () => {
    const figures: string[] = [];
    for (const path of ["economy?country=US", "economy?country=JP", "US/AAPL"]) {
      await opened.page.goto(`/console/${path}`);
      figures.push(...(await opened.page.texts("td.number, .series-card b, .figures dd")));
    }
    expect(figures.filter((text) => /^−\d/.test(text))).not.toBeEmpty();
    expect(figures.filter((text) => /^-[\d.]/.test(text))).toEqual([]);
  });

  test("opens a series as a plot and a table", async () => {
    const { page } = opened;
    await page.goto("/console/economy");
    await page.click(".series-card[href*='Unemployment+rate']");
    await page.waitFor(`document.querySelector(".series-frame .plot")`);
    expect(await page.evaluate<string>("location.search")).toContain("series=Unemployment");
    await page.waitFor(`document.activeElement.id === "series"`);
    const { rows } = await answerOf(
      page,
      "get_macro_history?country=US&series=Unemployment%20rate&limit=1000",
    );
    const points = await page.evaluate<number>(
      `document.querySelector(".series-frame .plot polyline").points.length`,
    );
    expect(points).toBe(rows.length);
    await page.click(".series-frame summary");
    const newest = (await rowsOf("Figures")).find(([label]) => !label?.endsWith("forecast"));
    const [period, value] = rows.at(-1) ?? [];
    // START is in November 2026.
    expect([period, newest?.[0]]).toEqual(["2026-10", "Oct 2026"]);
    expect<unknown>(Number(newest?.[1])).toBe(value);
    expect(await page.violations()).toEqual([]);
    await page.clickText("Close");
    expect(
      await page.evaluate<boolean>(`document.querySelector(".series-frame .plot") === null`),
    ).toBe(true);
  });

  test("filters events by country and importance", async () => {
    const { page } = opened;
    await page.goto("/console/calendar");
    await page.clickText("Japan", "#calendar");
    await page.clickText("High and medium", "#calendar");
    await page.settle();
    const { events } = await answerOf(
      page,
      "get_macro_calendar?country=JP&from=2026-11-19&to=2026-11-27&importance=high,medium&limit=200",
    );
    // New York is five hours behind UTC: its seven days begin and end at 05:00 UTC.
    const own = events.filter(({ date, time }) => {
      const at = `${date}T${time}`;
      return at >= "2026-11-20T05:00" && at < "2026-11-27T05:00";
    });
    expect(own.length).toBeGreaterThan(0);
    const rows = await rowsOf("Events");
    expect(rows.map((cells) => cells.join(" "))).toEqual(
      own.map(({ event }) => expect.stringContaining(event) as string),
    );
    expect(rows.every((cells) => cells[1] === "Japan")).toBe(true);
  });

  test("shows one time, in the time zone of the browser", async () => {
    await opened.page.goto("/console/calendar?from=2026-11-25");
    expect((await opened.page.texts("#calendar thead th")).slice(0, 3)).toEqual([
      "Your time",
      "Country",
      "Kind",
    ]);
    const rows = await rowsOf("Events");
    // In November New York is five hours behind UTC.
    const claims = rows.find((cells) => cells.join(" ").includes("Initial jobless claims"));
    expect(claims?.slice(0, 2)).toEqual(["08:30", "US"]);
    // An evening in New York is the next day in UTC and in Asia.
    const late = await opened.page.evaluate<string[]>(
      `[...document.querySelectorAll("#calendar td time")]
        .flatMap((one) => one.innerText >= "19:00" ? one.dateTime.slice(11) : [])`,
    );
    expect(late.length).toBeGreaterThan(0);
    for (const utc of late) expect(utc).toMatch(/^0\d:\d\dZ$/);
  });

  test("the day above an event is that of its time in the browser", async () => {
    await opened.page.goto("/console/calendar?from=2026-11-25");
    const groups = await opened.page.evaluate<[string, string[]][]>(
      `[...document.querySelectorAll("#calendar tbody:has(.group):has(td time)")].map((body) => [
        body.querySelector(".group").textContent,
        [...body.querySelectorAll(".own-time time")].map((time) => time.dateTime),
      ])`,
    );
    expect(groups.length).toBeGreaterThan(0);
    // Five hours before UTC.
    const dayOf = (utc: string) =>
      new Date(Date.parse(utc) - 5 * 3_600_000).toLocaleDateString("en-GB", {
        timeZone: "UTC",
        weekday: "short",
        day: "numeric",
        month: "short",
      });
    for (const [day, times] of groups) expect(new Set(times.map(dayOf))).toEqual(new Set([day]));
  });

  test("has the days on which exchanges are closed, among the publications", async () => {
    const { page } = opened;
    await page.goto("/console/calendar");
    await page.settle();
    // 23 November is Labor Thanksgiving Day of Japan, and the fourth Thursday of November Thanksgiving Day of the US.
    const texts = () => page.texts("#calendar .holiday");
    expect(await texts()).toEqual([
      "Japan exchange closed: Labor Thanksgiving Day",
      "Viet Nam exchange closed: Vietnam Culture Day",
      "US exchange closed: Thanksgiving Day",
    ]);
    await page.clickText("Japan", "#calendar");
    await page.waitFor("document.querySelectorAll('#calendar .holiday').length === 1");
    await page.clickText("Publications", "#calendar");
    await page.waitFor("location.search.includes('hide=releases')");
    expect(await texts()).toEqual(["Japan exchange closed: Labor Thanksgiving Day"]);
    expect(await page.texts("#calendar td time")).toEqual([]);
    await page.clickText("Holidays", "#calendar");
    await page.waitFor("!document.querySelector('#calendar .holiday')");
    // Reports may follow, so it is not said that there are none.
    expect(await page.text("#calendar")).toContain("Earnings: It is after the last known date.");
    await page.clickText("Earnings", "#calendar");
    await page.waitFor("document.querySelector('#calendar').innerText.includes('No event from')");
  });

  const saveList = (name: string, items: readonly object[]) =>
    opened.page.evaluate<boolean>(`fetch("/console/api/lists/${name}", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: ${JSON.stringify(JSON.stringify({ items }))},
    }).then(({ ok }) => ok)`);

  test("shows a week in columns, with reports of a list only", async () => {
    const { page } = opened;
    await page.goto("/console/calendar?from=2026-11-24");
    await page.settle();
    const reports = await page.texts("#calendar .earnings b");
    expect(reports.length).toBeGreaterThan(1);
    await page.clickText("Week");
    await page.waitFor("document.querySelectorAll('.week-day').length === 7");
    await page.settle();
    // The largest company of a day is first, as the service lists them.
    const { earnings } = await page.answer<{ earnings: { symbol: string }[] }>(
      "get_earnings_calendar",
      "from=2026-11-23&to=2026-11-29&limit=200",
    );
    expect(await page.texts(".week-day h3")).toEqual([
      "Mon 23 Nov",
      "Tue 24 Nov",
      "Wed 25 Nov",
      "Thu 26 Nov",
      "Fri 27 Nov",
      "Sat 28 Nov",
      "Sun 29 Nov",
    ]);
    expect(await page.texts(".week-day a")).toEqual(earnings.map(({ symbol }) => symbol));
    const [first = ""] = reports;
    await saveList("one", [{ country: "US", symbol: first }]);
    await page.goto("/console/calendar?from=2026-11-24&view=week&list=one");
    await page.settle();
    expect(await page.texts(".week-day a")).toEqual([first]);
  });

  test("a week begins on Monday, also on a Sunday", async () => {
    const { page } = opened;
    const search = () => page.evaluate<string>("location.search");
    const firstDay = async () => (await page.texts(".week-day h3"))[0];
    // The page's clock is on Friday, 20 November.
    await page.goto("/console/calendar?view=week");
    await page.settle();
    expect(await firstDay()).toBe("Mon 16 Nov");
    expect(await page.texts("#calendar [aria-label=Days] [aria-pressed=true]")).toEqual([
      "This week",
    ]);
    await page.clickText("Later →");
    expect(await search()).toBe("?view=week&from=2026-11-23");
    await page.clickText("← Earlier");
    expect(await search()).toBe("?view=week");
    await page.goto("/console/calendar?view=week&from=2026-11-29");
    await page.settle();
    expect(await firstDay()).toBe("Mon 23 Nov");
  });

  test("shows only the companies of a list at one press, and all again at the next", async () => {
    const { page } = opened;
    const { earnings } = await page.answer<{ earnings: { symbol: string }[] }>(
      "get_earnings_calendar",
      "from=2026-11-24&to=2026-11-30&limit=200",
    );
    const { symbol } = earnings[0] ?? { symbol: "" };
    const button =
      "[...document.querySelectorAll('#calendar button')].find((one) => one.innerText.includes('Only my list'))";
    const pressed = () => page.evaluate<string>(`${button}.ariaPressed`);
    expect(await saveList("watchlist", [{ country: "US", symbol }])).toBe(true);
    for (const width of [1440, 360]) {
      await page.resize(width, 800);
      await page.goto("/console/calendar?from=2026-11-24");
      await page.settle();
      if (width === 360) await page.clickText("Filters");
      expect(await pressed()).toBe("false");
      await page.evaluate(`${button}.focus()`);
      await page.press("Enter");
      await page.waitFor("!document.querySelector('#calendar .releases')");
      await page.settle();
      expect(await page.texts("#calendar .event b")).toEqual([symbol]);
      expect(await page.texts("#calendar .holiday")).toEqual([]);
      expect(await pressed()).toBe("true");
      expect(await page.evaluate<string>("document.querySelector('#calendar select').value")).toBe(
        "watchlist",
      );
      await page.screenshot(`calendar-only-list-${width}`);
      expect(await page.violations()).toEqual([]);
      await page.press("Enter");
      await page.waitFor("document.querySelector('#calendar .releases')");
      expect(await page.evaluate<string>("location.search")).toBe("?from=2026-11-24");
    }
    await page.resize(1440);
  });

  test("has reports and publications of a day in the order of their local times, with their kinds", async () => {
    const { page } = opened;
    await page.goto("/console/calendar?from=2026-11-24");
    await page.settle();
    const rows = await page.evaluate<[day: string, kind: string, time: string, event: string][]>(
      `[...document.querySelectorAll("#calendar tbody")].flatMap((body) =>
        [...body.querySelectorAll("tr:not(:has(.group))")].map((row) => [
          body.querySelector(".group").innerText,
          row.querySelector(".kind").innerText,
          row.cells[0].innerText,
          row.querySelector(".event").innerText,
        ]))`,
    );
    const { earnings } = await page.answer<{ earnings: { symbol: string; session: string }[] }>(
      "get_earnings_calendar",
      "from=2026-11-24&to=2026-11-30&limit=200",
    );
    const reports = rows.filter(([, kind]) => kind === "Earnings");
    expect(reports.map(([, , , event]) => event.split(" ")[0] ?? "").toSorted()).toEqual(
      earnings.map(({ symbol }) => symbol).toSorted(),
    );
    // New York's clock is the reader's. On the day after Thanksgiving it closes at 13:00.
    for (const [day, , time, event] of reports) {
      const session = earnings.find(({ symbol }) => symbol === event.split(" ")[0])?.session;
      const close = day.endsWith("27 Nov") ? "13:00" : "16:00";
      expect(time).toBe(session === "before_market_open" ? "before 09:30" : `after ${close}`);
    }
    expect(new Set(rows.map(([, kind]) => kind))).toEqual(
      new Set(["Publication", "Earnings", "Market closed", "Early close"]),
    );
    for (const day of new Set(rows.map(([one]) => one))) {
      const times = rows
        .filter(([one]) => one === day)
        .map(([, , time]) => time.replace(/^\D+/, ""));
      expect([day, ...times]).toEqual([day, ...times.toSorted()]);
    }
    await page.clickText("Earnings", "#calendar");
    await page.waitFor("!document.querySelector('#calendar .earnings')");
    expect(await page.evaluate<string>("location.search")).toContain("hide=earnings");
    await page.fill("#calendar input[type=search]", "thanksgiving");
    await page.waitFor("document.querySelectorAll('#calendar .holidays').length === 2");
    expect(await rowsOf("Events")).toEqual([]);
  });

  test("says how many publications there are, and shows more of them", async () => {
    const { page } = opened;
    // As a service with more events than a call lists.
    const { identifier } = await page.cdp<{ identifier: string }>(
      "Page.addScriptToEvaluateOnNewDocument",
      {
        source: `const { fetch: ask } = window;
          window.fetch = (input, init) => ask(String(input).replace("limit=200", "limit=6"), init);`,
      },
    );
    const shown = async () => (await rowsOf("Events")).length;
    await page.goto("/console/calendar?from=2026-11-23&hide=earnings,dividends,splits,holidays");
    await page.settle();
    const first = await shown();
    expect(await page.text("#calendar")).toMatch(/only the first 6 of \d\d/);
    await page.clickText("Show more", "#calendar");
    await page.waitFor(
      "/only the first 12 of/.test(document.querySelector('#calendar').innerText)",
    );
    expect(await shown()).toBeGreaterThan(first);
    expect(await page.evaluate<string>("location.search")).toContain("pages=2");
    await page.cdp("Page.removeScriptToEvaluateOnNewDocument", { identifier });
  });

  test("more is one call for each kind that has more, and the place stays", async () => {
    const { page } = opened;
    // As a service with more reports than a call lists: those of a day before the last publications.
    const { identifier } = await page.cdp<{ identifier: string }>(
      "Page.addScriptToEvaluateOnNewDocument",
      {
        source: `{
          const { fetch: ask } = window;
          window.asked = [];
          window.fetch = (input, init) => {
            window.asked.push(String(input));
            return ask(String(input).replace(/(get_earnings_calendar.*)limit=200/, "$1limit=1"), init);
          };
        }`,
      },
    );
    await page.resize(1440, 400);
    await page.goto("/console/calendar?from=2026-11-23");
    await page.settle();
    // The first row that is seen below the head of the page.
    await page.evaluate(`void (window.seen = () => [...document.querySelectorAll("#calendar td.event")]
      .find((one) => one.getBoundingClientRect().top > 60))`);
    const placeOf = (row: string) =>
      page.evaluate<{ text: string; top: number }>(
        `({ text: ${row}.innerText, top: ${row}.getBoundingClientRect().top })`,
      );
    const reports = () => page.texts("#calendar .earnings b");
    const button = "[...document.querySelectorAll('#calendar button')].at(-1)";
    let count = (await reports()).length;
    expect(count).toBe(1);
    await page.evaluate(`${button}.scrollIntoView({ block: "end" })`);
    for (;;) {
      await page.evaluate("void (window.row = seen())");
      const place = await placeOf("row");
      await page.evaluate("void (window.asked = [])");
      await page.clickText("Show more", "#calendar");
      await page.waitFor(`document.querySelectorAll("#calendar .earnings").length > ${count}`);
      const asked = await page.evaluate<string[]>("window.asked");
      expect(asked).toEqual([expect.stringMatching(/get_earnings_calendar.*cursor=/)]);
      const { text, top } = await placeOf("row");
      expect(text).toBe(place.text);
      // Less than what a reader sees.
      expect(Math.abs(top - place.top)).toBeLessThan(2);
      count = (await reports()).length;
      await page.settle();
      const focused = await page.evaluate<string>("document.activeElement.innerText");
      if ((await page.texts("#calendar button")).at(-1) !== "Show more") {
        // Where the button was.
        expect(focused).toContain("No source has report dates");
        break;
      }
      expect(focused).toBe("Show more");
    }
    expect(count).toBeGreaterThan(2);
    await page.resize(1440);
    await page.cdp("Page.removeScriptToEvaluateOnNewDocument", { identifier });
  });

  test("a page that fails leaves those before it", async () => {
    const { page } = opened;
    const { identifier } = await page.cdp<{ identifier: string }>(
      "Page.addScriptToEvaluateOnNewDocument",
      {
        source: `{
          const { fetch: ask } = window;
          window.fetch = (input, init) => String(input).includes("cursor=")
            ? Promise.resolve(Response.json({ error: { message: "Too many calls." } }, { status: 429 }))
            : ask(String(input).replace("limit=200", "limit=6"), init);
        }`,
      },
    );
    await page.goto("/console/calendar?from=2026-11-23&hide=earnings,dividends,splits,holidays");
    await page.settle();
    const before = await rowsOf("Events");
    await page.clickText("Show more", "#calendar");
    expect(await page.text(".toast")).toContain("Too many calls.");
    expect(await rowsOf("Events")).toEqual(before);
    await page.cdp("Page.removeScriptToEvaluateOnNewDocument", { identifier });
  });

  test("says what a chosen list restricts, and what of it is not in the days", async () => {
    const { page } = opened;
    expect(await saveList("quiet", [{ country: "JP", symbol: "7203" }])).toBe(true);
    const note = async (query: string) => {
      await page.goto(`/console/calendar?from=2026-11-24&${query}`);
      await page.settle();
      await page.waitFor("!document.querySelector('#calendar').innerText.includes('being loaded')");
      return page.texts("#calendar .list-note");
    };
    const restricted = "Earnings, ex-dates and splits are for the list quiet.";
    const stay = "Publications and holidays stay: their buttons hide them.";
    const none = "No report of the list is known in these days.";
    expect(await note("")).toEqual([]);
    for (const view of ["list", "week"]) {
      expect(await note(`list=quiet&view=${view}`)).toEqual([
        `${restricted} ${stay} ${none} No split or ex-date of the list is known in these days.`,
      ]);
    }
    expect(await note("list=quiet&hide=releases,holidays,earnings,splits")).toEqual([
      `${restricted} No ex-date of the list is known in these days.`,
    ]);
    expect(await note("list=quiet&hide=earnings,dividends,splits")).toEqual([
      "Earnings, ex-dates and splits are off, so the list quiet changes nothing.",
    ]);
    const { earnings } = await page.answer<{ earnings: { symbol: string }[] }>(
      "get_earnings_calendar",
      "from=2026-11-24&to=2026-11-30",
    );
    await saveList("quiet", [{ country: "US", symbol: earnings[0]?.symbol }]);
    // What a search hides is still there.
    expect(await note("list=quiet&hide=dividends,splits&find=thanksgiving")).toEqual([
      `${restricted} ${stay}`,
    ]);
    expect(await page.violations()).toEqual([]);
  });

  test("has the past ex-dates and splits of a list, of at most 20 companies", async () => {
    const { page } = opened;
    const items = [
      { country: "US", symbol: "NVDA" },
      { country: "VN", symbol: "FPT" },
    ];
    expect(await saveList("payers", items)).toBe(true);
    const shown = async (path: string) => {
      await page.goto(`/console/calendar?list=payers&hide=releases,holidays&${path}`);
      await page.settle();
      return page.evaluate<string[]>(
        `[...document.querySelectorAll("#calendar tbody tr:not(:has(.group))")].map((row) =>
          [".kind", ".event b", ".figures-joined"].map((one) => row.querySelector(one).innerText).join(" "))`,
      );
    };
    // NVIDIA's split of 10 June 2024, and FPT's bonus shares of 13 June.
    expect(await shown("from=2024-06-08")).toEqual(["Split NVDA 10:1", "Split FPT 23:20"]);
    expect(await shown("from=2024-06-08&events=VN")).toEqual(["Split FPT 23:20"]);
    const { dividends } = await page.answer<{ dividends: { rows: [string, number][] } }>(
      "get_stock_price_history",
      "country=VN&symbol=FPT&range=1y&limit=1&dividends=true",
    );
    const [date, amount] = dividends.rows.at(-1) ?? ["", 0];
    const dividend = [`Ex-dividend FPT Dividend ${amount.toLocaleString("en")} VND`];
    expect(await shown(`from=${date}`)).toEqual(dividend);
    expect(await page.text("#calendar")).not.toContain("Choose a list");
    await page.clickText("Week");
    await page.waitFor("document.querySelector('.week-day')");
    expect(await page.texts(".week-day a")).toEqual(["FPT"]);
    const { rows } = await answerOf(page, "screen_stocks?country=US&limit=25");
    const many = rows.map(([symbol]) => ({ country: "US", symbol }));
    expect(await saveList("payers", many)).toBe(true);
    await page.evaluate("performance.clearResourceTimings()");
    await shown("from=2026-11-20");
    expect(await page.text("#calendar")).toContain("first 20 of 25 companies");
    expect(
      await page.evaluate<number>(
        `performance.getEntriesByType("resource").filter(({ name }) => name.includes("get_stock_price_history")).length`,
      ),
    ).toBe(20);
    expect(await page.violations()).toEqual([]);
  });

  test("a list without US companies, and one that was deleted, leave the publications of the week", async () => {
    const { page } = opened;
    expect(await saveList("tokyo", [{ country: "JP", symbol: "7203" }])).toBe(true);
    await page.goto("/console/calendar?view=week&list=tokyo");
    expect(await page.text("#calendar")).toContain("report dates of companies of Viet Nam");
    await page.settle();
    expect(await page.texts("#calendar .failure")).toEqual([]);
    expect((await page.texts(".week-day time")).length).toBeGreaterThan(0);
    expect(await page.texts(".week-day a")).toEqual([]);
    await page.goto("/console/calendar?view=week&list=gone&hide=nonsense");
    await page.settle();
    expect(await page.texts("#calendar .failure")).toEqual([
      expect.stringContaining("has no list gone"),
    ]);
    expect((await page.texts(".week-day time")).length).toBeGreaterThan(0);
    expect(await page.evaluate<string>("document.querySelector('#calendar select').value")).toBe(
      "gone",
    );
  });

  test("a phone folds the filters of the calendar, says how many are set, and titles are the largest text", async () => {
    const { page } = opened;
    await page.resize(390, 844);
    await page.goto("/console/calendar?events=JP&hide=splits");
    const isShown = () =>
      page.evaluate<boolean>("document.querySelector('.choices-line select').checkVisibility()");
    expect(await isShown()).toBe(false);
    const used = await page.evaluate<number>(
      "document.querySelector('.choices-line').offsetHeight",
    );
    expect(used).toBeLessThan(100);
    const sizes = await page.evaluate<number[]>(
      `["td.event", "td.event .figures-below"].map((one) =>
        parseFloat(getComputedStyle(document.querySelector("#calendar " + one)).fontSize))`,
    );
    expect(Number(sizes[0])).toBeGreaterThan(Number(sizes[1]));
    await page.clickText("Filters (2)");
    expect(await isShown()).toBe(true);
    expect(await page.violations()).toEqual([]);
    await page.resize(1440);
    expect(await isShown()).toBe(true);
  });

  test("gives calendar programs the address of what the page shows", async () => {
    const { page } = opened;
    await page.goto("/console/calendar?events=US&importance=high&hide=earnings,dividends");
    await page.clickText("Subscribe");
    await page.waitFor("document.querySelector('dialog[open] pre')");
    expect(await page.text("dialog[open]")).toContain("Choose a list");
    // An address without its link is of no use.
    expect(await page.text("dialog[open] pre")).toContain("<LINK>");
    expect(await page.texts("dialog[open] .recipe-text button")).toEqual([]);
    expect(await page.violations()).toEqual([]);
    await page.clickText("Create a feed link", "dialog[open]");
    await page.waitFor(
      "document.querySelector('dialog[open] pre').innerText.includes('bourse_feed_')",
    );
    expect(await page.texts("dialog[open] .recipe-text button")).toEqual(["Copy"]);
    const address = new URL(await page.text("dialog[open] pre"));
    const dialog = await page.text("dialog[open]");
    expect(dialog).toContain("Your new feed link is in the text below.");
    expect(dialog).toContain("Waiting until a program reads the link for the first time.");
    // Those are words about programs and agents on the page Connect.
    expect(dialog).not.toMatch(/khal|tools|token/);
    await page.screenshot("calendar-subscribe");
    expect([address.pathname.replace(/bourse_feed_\w+/, "LINK"), address.search]).toEqual([
      "/feed/LINK/calendar/calendar.ics",
      "?kinds=releases,holidays&country=US&importance=high",
    ]);
    const events = async (url: string) => {
      const answer = await fetch(url);
      const text = (await answer.text()).replaceAll("\r\n ", "");
      expect(answer.status).toBe(200);
      return [
        ...new Set([...text.matchAll(/^UID:([a-z]+)-([A-Z]+)/gm)].map(([, ...of]) => of.join(" "))),
      ];
    };
    expect((await events(address.href)).toSorted()).toEqual(["holidays US", "releases US"]);
    expect(
      await saveList(
        "two",
        ["AAPL", "NVDA"].map((symbol) => ({ country: "US", symbol })),
      ),
    ).toBe(true);
    await page.goto("/console/calendar?view=week&list=two&hide=releases,holidays");
    await page.clickText("Subscribe");
    await page.waitFor("document.querySelector('dialog[open] pre')");
    const shown = await page.text("dialog[open] pre");
    expect(shown).toEndWith(
      "/feed/<LINK>/calendar/calendar.ics?kinds=earnings,dividends,splits&list=two",
    );
    // The list of the page is ticked, and a link that was made for none does not read it.
    expect(await page.texts("dialog[open] .ticks label:has(:checked)")).toEqual(["two"]);
    const [, , first = ""] = address.pathname.split("/");
    expect((await fetch(shown.replace("<LINK>", first))).status).toBe(404);
    await page.clickText("Create a feed link", "dialog[open]");
    await page.waitFor(
      "document.querySelector('dialog[open] pre').innerText.includes('bourse_feed_')",
    );
    expect((await events(await page.text("dialog[open] pre"))).toSorted()).toEqual([
      "dividends US",
      "earnings US",
    ]);
    await page.goto("/console/calendar?hide=releases,holidays");
    await page.clickText("Subscribe");
    await page.waitFor("document.querySelector('dialog[open] .empty')");
    expect(await page.texts("dialog[open] pre")).toEqual([]);
    // A feed takes at most 100 symbols, so the address of a longer list would fail in the program.
    const { rows } = await answerOf(page, "screen_stocks?country=US&limit=101");
    expect(
      await saveList(
        "long",
        rows.map(([symbol]) => ({ country: "US", symbol })),
      ),
    ).toBe(true);
    await page.goto("/console/calendar?list=long");
    await page.clickText("Subscribe");
    await page.waitFor("document.querySelector('dialog[open] .empty')");
    expect(await page.text("dialog[open] .empty")).toContain("more than 100 symbols");
    expect(await page.text("dialog[open] pre")).toEndWith("calendar.ics?kinds=releases,holidays");
    const link = await page.evaluate<string>(`fetch("/console/api/tokens", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ kind: "feed", label: "long", expires: null, lists: ["long"] }),
    }).then((answer) => answer.json()).then(({ token }) => token)`);
    const refused = await fetch(`${address.origin}/feed/${link}/calendar/calendar.ics?list=long`);
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining("1 to 100 symbols"),
    ]);
  });

  test("the next CPI of Japan, by the reader's clock, is three actions from Markets", async () => {
    const { page } = opened;
    await page.goto("/console");
    await page.clickText("Calendar", "nav");
    await page.fill("#calendar input[type=search]", "japan CPI");
    // A pause is enough, and the companies keep their seven days.
    await page.waitFor("location.search.includes('find=japan+CPI')");
    await page.settle();
    const { events } = await answerOf(page, "get_macro_calendar?country=JP&limit=200");
    const next = events.find(({ event, date }) => event.includes("CPI") && date >= "2026-11-20");
    const [first] = await rowsOf("Events");
    expect(first?.join(" ")).toContain(String(next?.event));
    expect(
      await page.evaluate<string[]>(
        `[...new Set(performance.getEntriesByType("resource").map(({ name }) => new URL(name))
          .filter(({ pathname }) => pathname.endsWith("get_earnings_calendar"))
          .filter(({ searchParams }) => searchParams.has("to"))
          .filter(({ searchParams }) => searchParams.get("limit") === "200")
          .map(({ searchParams }) => searchParams.get("to")))]`,
      ),
    ).toEqual(["2026-11-26"]);
    const local = new Date(Date.parse(`${next?.date}T${next?.time}Z`) - 5 * 3_600_000);
    expect(first?.[0]).toBe(local.toISOString().slice(11, 16));
  });

  test("what is being written stays when the page is drawn again", async () => {
    const { page } = opened;
    await page.goto("/console/calendar");
    await page.fill("#calendar input[type=search]", "CP");
    // As a new version of the market does.
    await page.evaluate(
      "[...document.querySelectorAll('#calendar button')].find((one) => one.innerText === 'Japan').click()",
    );
    await page.waitFor("location.search.includes('events=JP')");
    await page.settle();
    expect(
      await page.evaluate<string>("document.querySelector('#calendar input[type=search]').value"),
    ).toBe("CP");
  });

  test("moves by seven days, and says which days are not kept", async () => {
    const { page } = opened;
    await page.goto("/console/calendar");
    await page.clickText("Later →");
    expect(await page.evaluate<string>("location.search")).toBe("?from=2026-11-27");
    await page.clickText("← Earlier");
    expect(await page.evaluate<string>("location.search")).toBe("");
    // The page's clock is at 20 November 2026: the oldest kept day is 60 days before, 21 September.
    await page.goto("/console/calendar?from=2026-09-21");
    expect(
      await page.evaluate<number>(`document.querySelectorAll("#calendar .failure").length`),
    ).toBe(0);
    expect(
      await page.evaluate<boolean>(
        `document.querySelector("#calendar [aria-label=Days] button").disabled`,
      ),
    ).toBe(true);
    await page.goto("/console/calendar?from=2020-01-01");
    expect(await page.text("#calendar .failure")).toContain("older events are not kept");
  });

  test.each([
    ["country=XX", "country must be one of US, JP, VN"],
    ["series=Tulips", "Tulips"],
    ["from=soon", "from must be"],
  ])("?%s shows the sentence of the service", async (query, words) => {
    const page = query.startsWith("from") ? "calendar" : "economy";
    await opened.page.goto(`/console/${page}?${query}`);
    expect(await opened.page.text(".failure")).toContain(words);
  });
});
