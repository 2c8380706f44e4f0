import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "#access/audit.ts";
import { UserData } from "#access/user-data.ts";
import { BrowserPage, CHROMIUM } from "../support/browser.ts";
import { createKey } from "../support/console-client.ts";
import {
  copySampleMarket,
  startService,
  temporaryFolder,
  type TestService,
} from "../support/service.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

const PAGES = [
  "/console",
  "/console/US/AAPL",
  "/console/US/AAPL/financials",
  "/console/sectors",
  "/console/compare?symbols=AAPL,MSFT",
  "/console/screen",
  "/console/lists",
  "/console/alerts",
  "/console/calendar",
  "/console/economy",
  "/console/programs",
  "/console/tokens",
  "/console/settings",
  "/console/account",
  "/console/admin",
  "/console/about",
];

describe.skipIf(CHROMIUM === null)("what a page shows", () => {
  const { folder, remove } = temporaryFolder();
  let service: TestService;
  let page: BrowserPage;
  let stopping: AbortController;
  const start = async (port = 0) => {
    stopping = new AbortController();
    service = await startService({
      folder,
      port,
      beatMs: 20,
      oneNode: true,
      stopping: stopping.signal,
    });
  };
  const stop = async () => {
    stopping.abort();
    await service.stop();
  };
  beforeAll(async () => {
    copySampleMarket(folder);
    await start();
    service.accounts.addUser("owner", "unlimited");
    page = await BrowserPage.open(service.origin);
    await page.goto(`/console#key=${createKey(service, "owner")}`);
  });
  afterAll(async () => {
    page?.close();
    await stop();
    remove();
  });

  test("is loaded again when the market has changed, without a gap, and only then", async () => {
    await page.goto("/console/economy?country=JP&series=Unemployment%20rate");
    const { name } = await page.answer<{ name: string }>("get_macro_history", {
      country: "JP",
      series: "Unemployment rate",
    });
    const stored = service.market.documents
      .list("macroSeries", "JP")
      .find((one) => one.name === name);
    if (!stored) throw new Error("the sample has no such series");
    await page.evaluate(`(() => {
      window.asked = 0;
      const real = window.fetch;
      // The browser has the real clock, on which no minute has passed.
      window.fetch = (url, init) => (window.asked++, real(url, { ...init, cache: "no-cache" }));
      window.gaps = 0;
      new MutationObserver(() => {
        if (document.querySelector(".loading") || !document.querySelector(".plot")) window.gaps++;
      }).observe(document.body, { childList: true, subtree: true });
    })()`);
    const { source, storedAt, ...series } = stored;
    const observations = series.observations.map((one, i, all) =>
      i === all.length - 1 ? { ...one, value: 98.7 } : one,
    );
    service.market.transaction(() =>
      service.market.put("macroSeries", [{ ...series, observations }], {
        source,
        storedAt: storedAt + 1,
      }),
    );
    // Answers from before are kept for 30 s, and a version is told a minute after it was seen.
    await page.waitFor(`(() => {
      window.seen ??= performance.now();
      return performance.now() - window.seen > 100;
    })()`);
    expect(await page.evaluate<number>("window.asked")).toBe(0);
    service.time.now += 60_000;
    await page.waitFor("document.querySelector('.plot figcaption b').innerText === '98.7'");
    expect(await page.evaluate<number>("window.gaps")).toBe(0);
    expect(await page.text(".updated")).toMatch(/^Loaded \d+ s ago$/);
  });

  test("has what another tab or an agent changed of the user's lists and settings", async () => {
    await page.goto("/console/lists");
    await page.settle();
    const data = new UserData({
      access: service.access,
      clock: () => service.time.now,
      user: "owner",
      actor: COMMAND_LINE,
    });
    await data.save("list", { name: "semis", items: [{ country: "US", symbol: "NVDA" }] });
    await page.waitFor("document.querySelector('main table')?.innerText.includes('semis')");
    await page.clickText("semis");
    await page.waitFor("document.querySelector('main')?.innerText.includes('NVIDIA')");
    service.time.now += 1;
    await data.save("list", { name: "semis", items: [{ country: "JP", symbol: "7203" }] });
    await page.waitFor("document.querySelector('main')?.innerText.includes('Toyota')");
    service.time.now += 1;
    await data.saveSettings({ language: "vi" });
    await page.waitFor("document.documentElement.lang === 'vi'");
    service.time.now += 1;
    await data.saveSettings({});
    await page.waitFor("document.documentElement.lang === 'en'");
  });

  test("keeps every panel and tab of a company while its figures are loaded again", async () => {
    await page.goto("/console/JP/7203");
    await page.settle();
    const shown = () => page.texts(".symbol-tabs a, main h2");
    const before = await shown();
    expect(before).toContain("Key figures");
    await page.evaluate(`(() => {
      window.answered = 0;
      const real = window.fetch;
      window.fetch = async (url, init) => {
        const response = await real(url, { ...init, cache: "no-cache" });
        if (String(url).includes("symbols?")) window.answered++;
        return response;
      };
      window.gaps = [];
      new MutationObserver(() => {
        const now = [...document.querySelectorAll(".symbol-tabs a, main h2")].map((one) => one.innerText);
        if (now.length < ${before.length}) window.gaps.push(now.join(", "));
      }).observe(document.body, { childList: true, subtree: true });
    })()`);
    const [stored] = service.market.documents.list("macroSeries", "JP");
    if (!stored) throw new Error("the sample has no series");
    const { source, storedAt, ...series } = stored;
    const observations = series.observations.slice(1);
    service.market.transaction(() =>
      service.market.put("macroSeries", [{ ...series, observations }], {
        source,
        storedAt: storedAt + 2,
      }),
    );
    // A version is told a minute after it was seen.
    await page.waitFor(`(() => {
      window.seen ??= performance.now();
      return performance.now() - window.seen > 100;
    })()`);
    service.time.now += 60_000;
    await page.waitFor("window.answered > 0");
    await page.settle();
    expect(await page.evaluate<string[]>("window.gaps")).toEqual([]);
    expect(await shown()).toEqual(before);
  });

  test("stays while the service stops, under every page, and is alive again when it starts", async () => {
    const port = Number(new URL(service.origin).port);
    for (const [i, path] of PAGES.entries()) {
      await page.goto(path);
      const title = await page.text("h1");
      // The page follows the market.
      await page.waitFor(
        "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/console/api/me'))",
      );
      await stop();
      await page.waitFor("document.querySelector('.outage')");
      expect({
        path,
        title: await page.text("h1"),
        failures: await page.texts(".failure"),
      }).toEqual({ path, title, failures: [] });
      await start(port);
      // The first page waits for the countdown.
      if (i > 0) await page.clickText("Retry now");
      await page.waitFor("!document.querySelector('.outage')");
      await page.settle();
      expect({ path, failures: await page.texts(".failure") }).toEqual({ path, failures: [] });
    }
    expect(page.problems).toEqual([]);
  }, 600_000);

  test("follows no stream after the sign-out, and needs no second one", async () => {
    await page.goto("/console");
    await page.waitFor("document.querySelector('.user')");
    await page.clickText("owner");
    await page.clickText("Sign out");
    await page.waitFor("document.querySelector('h1').innerText === 'Sign in'");
    expect(await page.texts(".outage")).toEqual([]);
  });
});
