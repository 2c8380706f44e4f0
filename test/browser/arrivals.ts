import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { BrowserPage, CHROMIUM, openConsole } from "../support/browser.ts";
import { createKey } from "../support/console-client.ts";
import type { PlayedBody } from "../support/played-answer.ts";
import { type PlayedService, startPlayedService } from "../support/played-service.ts";
import { type PlayedSources, playSources } from "../support/played-sources.ts";
import { temporaryFolder } from "../support/service.ts";
import { workbookOf } from "../support/workbook.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

/** A path of every page, and a name for its screenshots. */
const PAGES: Readonly<Record<string, string>> = {
  markets: "/console",
  "markets-table": "/console?view=table&country=JP",
  symbol: "/console/US/AAPL",
  "symbol-chart": "/console/US/AAPL/chart",
  "symbol-financials": "/console/US/AAPL/financials",
  "symbol-valuation": "/console/US/AAPL/valuation",
  "symbol-forecast": "/console/US/AAPL/forecast",
  "symbol-dividends": "/console/US/AAPL/dividends",
  "symbol-index": "/console/US/%5EGSPC",
  "symbol-japan": "/console/JP/7203",
  screen: "/console/screen",
  lists: "/console/lists",
  list: "/console/lists/semis",
  alerts: "/console/alerts",
  compare: "/console/compare?symbols=AAPL,MSFT,JP:7203",
  "compare-risk": "/console/compare?symbols=AAPL,MSFT&part=risk",
  sectors: "/console/sectors",
  sector: "/console/sectors?sector=technology",
  economy: "/console/economy",
  "economy-series": "/console/economy?country=JP&series=Manufacturing%20PMI",
  calendar: "/console/calendar",
  "calendar-week": "/console/calendar?view=week",
  tokens: "/console/tokens",
  programs: "/console/programs",
  log: "/console/log",
  admin: "/console/admin",
  "admin-users": "/console/admin?part=users",
  "admin-sources": "/console/admin?part=sources",
  "admin-audit": "/console/admin?part=audit",
  settings: "/console/settings",
  account: "/console/account",
  about: "/console/about",
};
const WIDTHS = [1440, 768, 360] as const;

/** How the sources of each market answer. */
const MARKETS: Readonly<Record<string, () => Promise<PlayedSources>>> = {
  refused: () => playSources({}, () => ({ status: 403, body: "Forbidden" })),
  empty: () => playSources({}, emptied),
  half: async () => {
    const played = await playSources();
    for (const source of ["fred", "imf", "jquants", "vndirect"]) played.setMode(source, "busy");
    played.setMode("yahoo", "slow");
    return played;
  },
};

/** The same answer without a row. */
function emptied(played: PlayedBody): PlayedBody {
  const { body } = played;
  if (typeof body !== "string") return { ...played, body: workbookOf([["日付", "コード"]]) };
  if (!/^\s*[[{]/.test(body)) return { ...played, body: body.split("\n").slice(0, 1).join("") };
  const withoutItems = (_: string, value: unknown) => (Array.isArray(value) ? [] : value);
  return { ...played, body: JSON.stringify(JSON.parse(body, withoutItems)) };
}

/** The sentences of more than four words that are more than once in the visible text of a page. Names of data are none. */
const REPEATED = `(() => {
  const lines = document.body.innerText.split(/\\n|(?<=[.!?])\\s+/).map((one) => one.trim());
  const long = lines.filter((one) => /[.!?]$/.test(one) && one.split(/\\s+/).length > 4);
  return [...new Set(long.filter((one, i) => long.indexOf(one) !== i))];
})()`;

/** The page fits every width, says no sentence twice, and is accessible. */
async function expectGood(page: BrowserPage, name: string, title: string): Promise<void> {
  const found: object[] = [];
  for (const width of WIDTHS) {
    await page.resize(width);
    await page.settle();
    await page.screenshot(`${name}-${title}-${width}`);
    found.push({
      width,
      isWide: await page.isWide(),
      repeated: title === "about" ? [] : await page.evaluate<string[]>(REPEATED),
      violations: await page.violations(),
    });
  }
  const right = { isWide: false, repeated: [], violations: [] };
  expect(found).toEqual(WIDTHS.map((width) => ({ width, ...right })));
  expect(page.problems).toEqual([]);
}

describe.skipIf(CHROMIUM === null).each(Object.keys(MARKETS))("a market that is %s", (name) => {
  const { folder, remove } = temporaryFolder();
  let played: PlayedSources;
  let service: PlayedService;
  let page: BrowserPage;
  let isStopped = false;
  let filling: Promise<void>;
  beforeAll(async () => {
    played = await (MARKETS[name] ?? playSources)();
    service = await startPlayedService(folder, played, { perUser: Infinity });
    filling = service.live.schedule.run({ stopped: () => isStopped }).catch((error) => {
      // The end of the test closes the market while sources still answer.
      if (!isStopped) throw error;
    });
    await Promise.race([filling, Bun.sleep(3_000)]);
    page = await BrowserPage.open(service.origin);
    await page.goto(`/console#key=${createKey(service, "user-1")}`);
  }, 600_000);
  afterAll(async () => {
    isStopped = true;
    played?.setAllModes("down");
    played?.setMode("yahoo", "down");
    page?.close();
    await service?.stop();
    await filling;
    await played?.stop();
    remove();
  });

  test.each(Object.entries(PAGES))(
    "%s fits, says nothing twice and is accessible",
    async (title, path) => {
      page.problems.length = 0;
      await page.goto(path);
      await page.waitFor("document.querySelector('.arrivals')");
      await expectGood(page, name, title);
    },
    30_000,
  );
});

test.skipIf(CHROMIUM === null)("an error of the service fits the cards of Markets", async () => {
  const { page, close } = await openConsole();
  const message = `Something failed on our side, at ${"a-very-long-name-".repeat(12)}. Retry with backoff.`;
  await page.cdp("Page.addScriptToEvaluateOnNewDocument", {
    source: `const ask = fetch;
      fetch = (url, ...more) => /data.(get_markets|compare_stocks|get_sectors|get_stock_price_history)/.test(url)
        ? Promise.resolve(Response.json({ error: { code: "INTERNAL", message: ${JSON.stringify(message)} } }, { status: 500 }))
        : ask(url, ...more);`,
  });
  await page.goto("/console");
  expect(await page.text(".market-card")).toContain("a-very-long-name");
  for (const width of WIDTHS) {
    await page.resize(width);
    await page.screenshot(`failing-markets-${width}`);
    const outside = await page.evaluate<string[]>(`[...document.querySelectorAll(".market-card")]
      .filter((card) => card.scrollWidth > card.clientWidth + 1).map((card) => card.ariaLabel)`);
    expect({ width, isWide: await page.isWide(), outside }).toEqual({
      width,
      isWide: false,
      outside: [],
    });
  }
  await close();
});

/** How every call of market data fails, as JavaScript in the page with the options of the call. */
const FAILURES: Readonly<Record<string, string>> = {
  "500": `Response.json({ error: { code: "INTERNAL", message: "Something failed on our side. Retry with backoff." } }, { status: 500 })`,
  // Of a proxy, without an error of the service.
  "503": `new Response("<h1>Service Unavailable</h1>", { status: 503 })`,
  hangs: `new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason)))`,
};

describe.skipIf(CHROMIUM === null).each(Object.entries(FAILURES))(
  "a market that %s",
  (name, answer) => {
    let opened: Awaited<ReturnType<typeof openConsole>>;
    beforeAll(async () => {
      opened = await openConsole();
      await opened.page.cdp("Page.addScriptToEvaluateOnNewDocument", {
        source: `{
        const [ask, wait] = [fetch, AbortSignal.timeout.bind(AbortSignal)];
        AbortSignal.timeout = () => wait(300);
        window.isBroken = true;
        window.fetch = async (url, { signal, ...more } = {}) =>
          window.isBroken && /api.data/.test(url) ? ${answer} : ask(url, more);
      }`,
      });
    });
    afterAll(() => opened?.close());

    test.each(Object.entries(PAGES).filter(([title]) => !/list$|about/.test(title)))(
      "%s says so once and leaves nothing loading or empty",
      async (title, path) => {
        const { page } = opened;
        page.problems.length = 0;
        await page.goto(path);
        await expectGood(page, `calls-${name}`, title);
        const failures = await page.texts(".failure p");
        expect(failures).toEqual([...new Set(failures)]);
        expect(await page.texts(".chip")).not.toContain("");
        // What could not be loaded is unknown.
        expect(await page.text("main")).not.toMatch(/No event from|\b0 events/);
      },
      30_000,
    );

    test("one Retry loads the whole page", async () => {
      const { page } = opened;
      await page.goto("/console");
      await page.evaluate("window.isBroken = false");
      await page.clickText("Retry");
      await page.waitFor(
        "document.querySelector('.tile') && document.querySelector('.year-line svg')",
      );
      await page.settle();
      expect(await page.texts(".failure, .not-given")).toEqual([]);
      expect((await page.text(".market-facts")).replace(/\s/g, "")).toMatch(/P\/E\d/);
    });
  },
);
