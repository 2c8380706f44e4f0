import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createMessageId, putMessage } from "#store/alerts.ts";
import { findUser } from "#store/users.ts";
import type { AlertFacts } from "#operations/alerts/message.ts";
import { type BrowserPage, CHROMIUM, openConsole } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

const of = { country: "US", symbol: "AAPL", name: "Apple Inc.", assetType: "stock" } as const;
const FACTS: AlertFacts = {
  kind: "condition",
  of,
  figures: [
    { metric: "price", operator: "<", value: 378.2, limit: 380, limitOf: null, currency: "USD" },
  ],
  session: "2026-11-27",
};

describe.skipIf(CHROMIUM === null)("alerts", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  let page: BrowserPage;
  beforeAll(async () => {
    opened = await openConsole();
    ({ page } = opened);
    await page.goto("/console/alerts");
  });
  afterAll(() => opened?.close());
  beforeEach(() => void (page.problems.length = 0));

  const checked = (text: string) =>
    page.waitFor<string>(`(() => {
      const said = document.querySelector("main form [role=status]")?.innerText ?? "";
      return said.includes(${JSON.stringify(text)}) && said;
    })()`);
  const send = (at: number) => {
    const { access } = opened.service;
    const owner = access.run(findUser("owner"));
    const message = {
      id: createMessageId(),
      alert: "apple-is-cheap",
      kind: FACTS.kind,
      at,
      facts: JSON.stringify(FACTS),
    };
    access.run(putMessage(owner?.id ?? 0, message, []));
  };

  test("a page without any says what to do", async () => {
    expect(await page.texts("main .empty")).toEqual([
      "You have no alert yet. A thesis on an item of a list is judged without one.",
      "No alert has sent a message yet.",
    ]);
    expect([await page.violations(), page.problems]).toEqual([[], []]);
  });

  test("a condition is checked while it is written, with the figures of now", async () => {
    await page.goto("/console/alerts?watch=US:AAPL");
    await page.fill("input[name=when]", "price falls below 380, rsi<30");
    const said = await checked("Read as price<380,rsi<30");
    const { rows } = await page.answer<{ rows: (string | number)[][] }>("compare_stocks", {
      symbols: "US:AAPL",
      metrics: "price,rsi",
    });
    const [price = 0, rsi = 0] = (rows[0] ?? []).filter((cell) => typeof cell === "number");
    expect(said).toContain(`Price ${price.toFixed(2)}, RSI (14) ${rsi.toFixed(2)} now`);
    expect(said).toContain(price < 380 && rsi < 30 ? "it holds already" : "it does not hold");
  });

  test("a text that is no rule gets the nearest right form, and an impossible one its reason", async () => {
    await page.fill("input[name=when]", "earning in 1d");
    await checked("when must be a condition");
    await page.fill("input[name=when]", "rsi>100");
    await checked("rsi>100 can never hold: rsi is from 0 to 100.");
  });

  test("an alert is made by keyboard, changed, paused and deleted", async () => {
    await page.fill("input[name=when]", "price<380");
    await page.clickText("More");
    await page.fill("input[name=title]", "Apple is cheap");
    await page.press("Enter");
    await page.waitFor("document.querySelector('tbody code')?.innerText === 'price<380'");
    expect(await page.texts("tbody td:nth-child(2)")).toEqual(["Not judged yet"]);
    await page.clickText("Edit apple-is-cheap");
    await page.fill("dialog[open] input[name=when]", "price<370");
    await page.clickText("Save", "dialog[open]");
    await page.waitFor("document.querySelector('tbody code')?.innerText === 'price<370'");
    await page.clickText("Pause apple-is-cheap");
    await page.waitFor("document.querySelector('tbody td:nth-child(2)')?.innerText === 'Paused'");
    expect([await page.violations(), page.problems]).toEqual([[], []]);
    await page.clickText("Delete apple-is-cheap?");
    await page.clickText("Delete", "dialog[open]");
    await page.waitFor("!document.querySelector('tbody code')");
  });

  test("a webhook shows its secret once, and a test says what came of it", async () => {
    await page.evaluate("document.querySelector('main select').value = 'webhook'");
    await page.evaluate(
      "document.querySelector('main select').dispatchEvent(new Event('change', { bubbles: true }))",
    );
    await page.fill("input[name=place]", "https://127.0.0.1:9/hook");
    await page.fill("input[name=name]", "My Hook");
    await page.clickText("Add");
    // The internet only, unless the operator allows private networks.
    await page.waitFor("document.querySelector('main .failure')");
    expect(await page.text("main .failure p")).toContain("no public address");
    const field = (name: string) => page.evaluate(`document.querySelector('${name}').value`);
    expect(await field("input[name=name]")).toBe("My Hook");
    await page.fill("input[name=place]", "https://hooks.invalid/hook");
    await page.clickText("Add");
    await page.waitFor("document.querySelector('.secret')");
    expect(await page.text(".secret code")).toStartWith("whsec_");
    // The next one is often of the same kind.
    await page.waitFor("document.querySelector('input[name=place]').value === ''");
    expect(await field("main select")).toBe("webhook");
    await page.clickText("Test my-hook");
    await page.waitFor("document.body.innerText.includes('The test failed:')");
    await page.goto("/console/alerts");
    expect(await page.texts(".secret")).toEqual([]);
    expect(await page.text("main li b")).toBe("my-hook");
  });

  test("the bell has a dot until the newest message is shown, in the language of the reader", async () => {
    send(opened.service.time.now);
    await page.goto("/console");
    await page.waitFor("document.querySelector('.head a[href=\"/console/alerts\"] circle')");
    await page.click('.head a[href="/console/alerts"]');
    await page.waitFor("document.querySelector('main ol li')");
    await page.waitFor("!document.querySelector('.head circle')");
    expect((await page.text("main ol li")).split("\n")).toEqual([
      expect.stringMatching(/^AAPL: Price 378.20 USD < 380.00 USD .*, apple-is-cheap$/),
      "Apple Inc.",
      "Prices of 27 Nov 2026.",
    ]);
    await page.evaluate(`fetch("/console/api/settings", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ language: "vi" }),
    })`);
    await page.goto("/console/alerts");
    expect(await page.text("main ol li")).toStartWith("AAPL: Giá 378,20 USD < 380,00 USD");
    await page.goto("/console/alerts?watch=JP:7203");
    expect(await page.text("main form .quiet")).toBe("Chọn lại");
    await page.evaluate(`fetch("/console/api/settings", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: "{}",
    })`);
  });

  test("an item of a list has a thesis, whose condition must be readable", async () => {
    await page.evaluate(`fetch("/console/api/lists/core", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ items: [{ country: "US", symbol: "AAPL" }] }),
    })`);
    await page.goto("/console/lists/core");
    await page.clickText("Edit AAPL");
    await page.fill("dialog[open] input[name=thesis]", "It earns well.");
    await page.fill("dialog[open] input[name=while]", "earnings in 1d");
    await page.clickText("Save", "dialog[open]");
    expect(await page.text("dialog[open] .failure")).toContain("while must be conditions");
    await page.fill("dialog[open] input[name=while]", "ROE > 25");
    await page.clickText("Save", "dialog[open]");
    await page.waitFor("!document.querySelector('dialog[open]')");
    const stored = await page.evaluate<{ items: { thesis?: object }[] }>(
      `fetch("/console/api/lists/core").then((answer) => answer.json())`,
    );
    expect(stored.items[0]?.thesis).toEqual({ text: "It earns well.", while: "roe>25" });
    // The lists cover the next field only after they were asked for.
    await page.goto("/console/alerts");
    expect(await page.texts("main form [role=option]")).toEqual([]);
    await page.fill("main form [role=combobox]", "co");
    await page.waitFor("document.querySelector('main form [role=option]')");
    expect((await page.texts("main form [role=option]")).join()).toContain("list:core");
  });
});
