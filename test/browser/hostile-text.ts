import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openFolder } from "../support/access.ts";
import { BrowserPage, CHROMIUM } from "../support/browser.ts";
import { createKey } from "../support/console-client.ts";
import { copySampleMarket, startService, type TestService } from "../support/service.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

/** Markup that sets a variable of the page, or requests something from another host. */
const HOSTILE = `"'><img src=https://evil.example/ onerror="window.hacked=1"><script>window.hacked=1</script><a href="javascript:window.hacked=1">x</a>`;
/** Fields of records that a page shows as text. */
const TEXTS = ["name", "event", "unit", "summary"];

/** Pages that show it. */
const PAGES = [
  "/console",
  "/console/US/AAPL",
  "/console/screen",
  "/console/compare?symbols=AAPL,JP:7203",
  "/console/economy",
  "/console/tokens",
  "/console/account",
];

/** Addresses that pages read as arguments. */
const ADDRESSES = [
  `/console/${encodeURIComponent(HOSTILE)}`,
  `/console/US/${encodeURIComponent(HOSTILE)}`,
  `/console/screen?sector=${encodeURIComponent(HOSTILE)}`,
  `/console/sectors?country=US&sector=${encodeURIComponent(HOSTILE)}`,
  `/console/compare?symbols=${encodeURIComponent(HOSTILE)}`,
  `/console/connect?client_id=${encodeURIComponent(HOSTILE)}`,
  "/console/economy?country=__proto__",
  "/console/__proto__/constructor",
];

/** Puts the markup into the market, past every check of an import. */
function poisonMarket(path: string): void {
  const market = new Database(path);
  market.run("UPDATE instruments SET name = symbol || ?1, summary = ?1", [HOSTILE]);
  const change = market.prepare("UPDATE documents SET body = ? WHERE id = ?");
  market.transaction(() => {
    for (const { id, body } of market
      .query<{ id: number; body: string }, []>("SELECT id, body FROM documents")
      .all()) {
      const poisoned: unknown = JSON.parse(body, (key, value: unknown) =>
        TEXTS.includes(key) && typeof value === "string" ? value + HOSTILE : value,
      );
      change.run(JSON.stringify(poisoned), id);
    }
  })();
  market.close();
}

describe.skipIf(CHROMIUM === null)("text with markup, stored or in an address", () => {
  const folder = openFolder();
  let service: TestService;
  let page: BrowserPage;
  beforeAll(async () => {
    copySampleMarket(folder.path);
    poisonMarket(join(folder.path, "market.db"));
    service = await startService({ folder: folder.path });
    service.accounts.addUser("owner", "max");
    const { id } = service.accounts.createToken("owner", HOSTILE.slice(0, 64), null);
    expect(id).toBe(1);
    const access = new Database(join(folder.path, "access.db"));
    access.run("UPDATE tokens SET label = ?", [HOSTILE]);
    access.run("UPDATE audit SET subject = ?1, actor = ?1", [HOSTILE]);
    page = await BrowserPage.open(service.origin);
    await page.goto(`/console#key=${createKey(service, "owner")}`);
    access.run("UPDATE sessions SET browser = ?1, address = ?1", [HOSTILE]);
    access.close();
  }, 600_000);
  afterAll(async () => {
    page?.close();
    await service?.stop();
    folder[Symbol.dispose]();
  });

  /** Opens a path; nothing of the text may be part of the document. */
  async function expectText(path: string): Promise<void> {
    page.problems.length = 0;
    await page.goto(path);
    expect(await page.evaluate("window.hacked ?? null")).toBeNull();
    const marked = `[onerror], [src*=evil], a[href^="javascript:"]`;
    const found = `document.querySelectorAll(${JSON.stringify(marked)}).length`;
    expect(await page.evaluate(found)).toBe(0);
    expect(page.problems).toEqual([]);
  }

  test.each(PAGES)("stays text at %s", async (path) => {
    await expectText(path);
    const shown = await page.evaluate<string>("document.documentElement.textContent");
    expect(shown).toContain("<script>window.hacked=1</script>");
  });

  test("stays text in the audit log", async () => {
    await page.goto("/console/admin");
    await page.clickText("Audit log");
    await page.waitFor(`document.body.textContent.includes("<script>window.hacked=1</script>")`);
    expect(await page.evaluate("window.hacked ?? null")).toBeNull();
  });

  test.each(ADDRESSES)("is no markup at %s", expectText);
});
