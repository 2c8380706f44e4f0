import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CHROMIUM, openConsole } from "../support/browser.ts";
import { createKey } from "../support/console-client.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

const HOSTILE = `<img src=x onerror="document.title='hacked'">`;

describe.skipIf(CHROMIUM === null)("Tokens", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => void (opened = await openConsole({ role: "user" })));
  afterAll(() => opened?.close());

  /** The secret of the token that the page shows. */
  let secret = "";
  const calls = (token: string) =>
    opened.service.request("/data/stocks/AAPL/overview?country=US", token);
  const chooseProgram = (program: string) =>
    opened.page.evaluate(`(() => {
      const select = document.querySelector("select[name=program]");
      select.value = ${JSON.stringify(program)};
      select.dispatchEvent(new Event("change", { bubbles: true }));
    })()`);
  const bodyText = () => opened.page.evaluate<string>("document.body.innerText");

  test("say what to do without a token", async () => {
    await opened.page.goto("/console/tokens");
    expect(await bodyText()).toContain("You have no live token. Create one above.");
    // The recipes are on the page Connect, and here only with a token to put into them.
    expect(await opened.page.texts("main pre")).toEqual([]);
    expect(await bodyText()).toContain("No call in the last 30 days.");
  });

  test("are made with a label, which is shown as text, and without an expiry", async () => {
    const { page } = opened;
    await page.fill("input[name=label]", "  ");
    expect(
      await page.evaluate<boolean>("document.querySelector('input[name=label]').validity.valid"),
    ).toBe(false);
    await page.fill("input[name=label]", HOSTILE);
    // As a consent does, while a feed link in a file of another program usually lasts a year.
    expect(await page.evaluate<string>("document.querySelector('[name=expires]').value")).toBe(
      "90d",
    );
    await page.evaluate(`(() => {
      const select = document.querySelector("select[name=expires]");
      select.value = "";
      select.dispatchEvent(new Event("change", { bubbles: true }));
    })()`);
    await page.clickText("Create a token");
    secret = await page.text(".secret code");
    expect(secret).toStartWith("bourse_");
    await page.waitFor(
      `document.querySelector(".token-label")?.innerText === ${JSON.stringify(HOSTILE)}`,
    );
    expect(await page.evaluate("document.title")).toBe("Tokens · bourse");
    expect((await calls(secret)).status).toBe(200);
    // The next token often has the same choices, but another label.
    expect(
      await page.evaluate<string[]>(
        "['label', 'expires'].map((name) => document.querySelector(`.row-form [name=${name}]`).value)",
      ),
    ).toEqual(["", ""]);
  });

  test.each([
    [
      "Claude Code",
      (url: string) =>
        `claude mcp add --transport http bourse ${url}/api/v1/svc/mcp --header "Authorization: Bearer `,
    ],
    ["API with curl", (url: string) => `"${url}/api/v1/svc/data/stocks/AAPL/overview?country=US"`],
    ["API with Python", () => "urllib.request"],
    ["API with TypeScript", () => "await fetch("],
  ] as const)("have the recipe for %s with the new token in it", async (program, words) => {
    const { page, service } = opened;
    await chooseProgram(program);
    const text = await page.waitFor<string>(
      `[...document.querySelectorAll(".code-block pre")].map((one) => one.innerText).find((one) => one.includes(${JSON.stringify(words(service.origin))}))`,
    );
    expect(text).toContain(secret);
  });

  test.each(["Cursor", "VS Code"])("have settings for %s that work unchanged", async (client) => {
    const { page } = opened;
    await chooseProgram(client);
    const settings = JSON.parse(
      await page.waitFor<string>(
        `(() => { const text = document.querySelector(".code-block pre").innerText; return text.startsWith("{") && text; })()`,
      ),
    ) as Record<string, { bourse: { url: string; headers: Record<string, string> } }>;
    const [server] = Object.values(settings);
    const answer = await fetch(server?.bourse.url ?? "", {
      method: "POST",
      headers: { "content-type": "application/json", ...server?.bourse.headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    expect(await answer.json()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  test("show the first call when it arrives, and every call in the table of usage", async () => {
    const { page } = opened;
    await chooseProgram("Claude Code");
    // One call was made above.
    await page.waitFor(
      `document.body.innerText.includes("The first call with this token has arrived")`,
      9_000,
    );
    await page.waitFor(
      `document.body.innerText.includes("1 call, 0 refused because a limit was reached")`,
    );
    await page.waitFor(
      `/arrived:\\s+get_stock_overview AAPL, [\\d.]+ ms/.test(document.querySelector(".first-call").innerText)`,
    );
    await page.clickText("All its calls");
    await page.waitFor("document.querySelectorAll('[aria-label=Calls] tbody tr').length > 0");
    expect(await page.texts("[aria-label=Calls] tbody tr:last-child td code")).toEqual([
      expect.stringMatching(/^(get_\w+|ping)$/) as string,
    ]);
    await page.clickText("Errors");
    await page.waitFor("location.search.includes('view=errors')");
    await calls(secret);
    await calls(secret);
    await page.goto("/console/tokens");
    await page.clickText("Calls by hour", "main");
    const row = await page.waitFor<string[]>(
      `[...document.querySelectorAll("[aria-label='Calls by hour'] tbody tr:first-child td")].map((cell) => cell.innerText)`,
    );
    // The service's clock is at 17:30 UTC on 20 November 2026; three calls, none refused.
    expect(row).toEqual(["20 Nov, 17:00", "3", "0"]);
    await page.clickText("Calls by day", "main");
    const days = await page.texts("[aria-label='Calls by day'] tbody tr:first-child td");
    expect(days).toEqual(["20 Nov", "3", "0"]);
    // A bar is wide enough for the eye and the pointer.
    const width = await page.evaluate<number>(
      `document.querySelector(".bars-value").getBoundingClientRect().width`,
    );
    expect(width).toBeGreaterThanOrEqual(3);
    expect(await page.violations()).toEqual([]);
    await page.screenshot("tokens-usage");
    const meters = await page.evaluate<string[]>(
      `[...document.querySelectorAll("[role=meter]")].map((one) => one.ariaValueText ?? one.getAttribute("aria-valuetext"))`,
    );
    // Plan pro: 500 calls an hour, 5,000 a day.
    expect(meters).toEqual(["3 of 500", "3 of 5,000"]);
  });

  test("show why calls were refused, by day, as they are made", async () => {
    const { page, service } = opened;
    const refuse = (query: string) => service.request(`/data/markets?${query}`, secret);
    await page.goto("/console/log?view=errors");
    await page.waitFor(`document.body.innerText.includes("No call was refused.")`);
    await refuse("country=XX");
    await refuse("country=XX");
    const rows = '[...document.querySelectorAll("[aria-label=Calls] tbody tr")]';
    await page.waitFor(`${rows}.length === 1`, 9_000);
    await refuse("nosuch=1");
    await page.waitFor(`${rows}.length === 2`, 9_000);
    const cells = await page.evaluate<string[][]>(
      `${rows}.map((row) => [...row.cells].slice(1, 5).map((cell) => cell.innerText)).toSorted()`,
    );
    expect(cells).toEqual([
      ["1", "get_markets", "400", "nosuch"],
      ["2", "get_markets", "400", "country"],
    ]);
    expect(await page.text("[aria-label=Calls] tbody")).toContain("is not a parameter");
    expect(
      await page.evaluate<string>(
        "document.querySelector('[aria-label=\"UTC day\"]').selectedOptions[0].innerText",
      ),
    ).toBe("20 Nov 2026: 3");
    expect(await page.violations()).toEqual([]);
    await page.screenshot("log-refused");
    await page.resize(390);
    expect(await page.isWide()).toBe(false);
    await page.screenshot("log-refused-390");
    await page.resize(1440);
    await page.goto("/console/tokens");
    await page.waitFor("document.querySelector('input[name=label]')");
  });

  test("can be a feed link, shown as a URL that answers", async () => {
    const { page } = opened;
    await page.fill("input[name=label]", "sheet");
    await page.evaluate(`(() => {
      const select = document.querySelector("select[name=kind]");
      select.value = "feed";
      select.dispatchEvent(new Event("change", { bubbles: true }));
    })()`);
    await page.clickText("Create a feed link");
    await page.waitFor(`document.querySelector(".secret code")?.innerText.includes("/feed/")`);
    const response = await fetch(await page.text(".secret code"));
    expect(response.status).toBe(200);
    expect(await response.text()).toStartWith(
      "symbol,price,name,currency,change_percent\r\nUS:AAPL,",
    );
    expect(await bodyText()).toContain("feed link");
  });

  test("can be a feed link that reads the lists and alerts that are ticked, and no other list", async () => {
    const { page } = opened;
    for (const name of ["held", "other"]) {
      await page.evaluate(`fetch("/console/api/lists/${name}", {
        method: "PUT",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ items: [{ country: "US", symbol: "AAPL", shares: 10 }] }),
      })`);
    }
    await page.goto("/console/tokens");
    await page.waitFor("document.querySelector('input[name=label]')");
    await page.fill("input[name=label]", "ticked");
    await page.evaluate(`(() => {
      const select = document.querySelector("select[name=kind]");
      select.value = "feed";
      select.dispatchEvent(new Event("change", { bubbles: true }));
    })()`);
    await page.waitFor("document.querySelectorAll('.ticks input').length === 3");
    expect(
      await page.evaluate<number>("document.querySelectorAll('.ticks input:checked').length"),
    ).toBe(0);
    expect(await page.violations()).toEqual([]);
    await page.click(".ticks input[value=held]");
    await page.click('.ticks input[value="alerts:read"]');
    await page.screenshot("tokens-lists");
    await page.clickText("Create a feed link");
    await page.waitFor(`document.querySelector(".secret code")?.innerText.includes("/feed/")`);
    await page.waitFor(`document.body.innerText.includes("reads held, Messages of your alerts")`);
    const address = new URL(await page.text(".secret code"));
    const statuses = ["held", "other"].map(async (name) => {
      address.search = `?symbols=list:${name}`;
      return (await fetch(address)).status;
    });
    expect(await Promise.all(statuses)).toEqual([200, 404]);
    const [, , link = ""] = address.pathname.split("/");
    expect((await fetch(new URL(`/feed/${link}/alerts.atom`, address))).status).toBe(200);
  });

  test("may change lists if that is ticked, and the list of tokens says so", async () => {
    const { page, service } = opened;
    await page.goto("/console/tokens");
    await page.fill("input[name=label]", "agent with lists");
    await page.click("input[name=lists]");
    await page.clickText("Create a token");
    await page.waitFor(`document.querySelector(".new-token b")?.innerText === "agent with lists"`);
    const made = await page.text(".secret code");
    await page.waitFor(`document.body.innerText.includes("may change lists")`);
    await page.screenshot("tokens-rights");
    const saved = await fetch(`${service.base}/data/lists/mine`, {
      method: "PUT",
      headers: { authorization: `Bearer ${made}`, "content-type": "application/json" },
      body: JSON.stringify({ items: "AAPL=10" }),
    });
    expect(saved.status).toBe(200);
  });

  test("are not shown again after the page is loaded again", async () => {
    await opened.page.goto("/console/tokens");
    expect(await opened.page.evaluate<string>("document.documentElement.outerHTML")).not.toContain(
      secret,
    );
  });

  test("are renamed, and replaced by a new secret that is shown once", async () => {
    const { page } = opened;
    const before = (await page.texts(".token-label")).length;
    const [label = ""] = await page.texts(".token-label");
    // The buttons are below the head of their column.
    const [head, button] = await page.evaluate<number[]>(
      `(() => {
        const th = [...document.querySelectorAll("thead th")].find((one) => one.innerText === "Action");
        const range = document.createRange();
        range.selectNodeContents(th);
        const first = th.closest("table").querySelector("tbody tr td:last-child button");
        return [range, first].map((one) => one.getBoundingClientRect().left);
      })()`,
    );
    expect(Math.abs(Number(head) - Number(button))).toBeLessThan(16);
    await page.clickText(`Rename ${label}`);
    await page.fill("dialog[open] input[name=label]", "renamed");
    await page.press("Enter");
    await page.waitFor("document.querySelector('.token-label').innerText === 'renamed'");
    await page.clickText("Replace renamed");
    expect(await page.violations()).toEqual([]);
    await page.clickText("Replace", "dialog[open] .buttons");
    await page.waitFor(`document.querySelectorAll('.token-label').length === ${before + 1}`);
    expect(await page.text(".secret code")).toMatch(/^bourse_|\/feed\//);
    expect(await page.text(".new-token")).toStartWith("renamed");
  });

  test("get a number if another one has the label, and the page says so", async () => {
    const { page } = opened;
    await page.fill("input[name=label]", "sheet");
    await page.clickText("Create a token");
    await page.waitFor(`document.querySelector(".new-token b")?.innerText === "sheet 2"`);
    expect(await page.text(".toast")).toStartWith(
      "Another live token has the label sheet, so the new one is sheet 2.",
    );
  });

  test("that go on counting for one that ended say so, and errors say since when they are counted", async () => {
    const { page, service } = opened;
    service.accounts.addUser("carl", "pro");
    await page.goto(`/console#key=${createKey(service, "carl")}`);
    await page.goto("/console/tokens");
    await page.waitFor(`document.body.innerText.includes("You have no live token.")`);
    await page.waitFor(`document.body.innerText.includes("Limits are for each token.")`);
    expect(await page.text("main")).not.toContain("Errors come from");
    const first = service.accounts.createToken("carl", "old", null).token;
    expect((await calls(first)).status).toBe(200);
    await page.goto("/console/tokens");
    // The service's clock is at 17:30 UTC, as is the reader's, and the log began then.
    await page.waitFor(
      `document.body.innerText.includes("Errors come from the call log, which begins 20 Nov 2026, 17:30.")`,
    );
    await page.clickText("Replace old");
    await page.evaluate(`(() => {
      const select = document.querySelector("dialog[open] select");
      select.value = "0";
      select.dispatchEvent(new Event("change", { bubbles: true }));
    })()`);
    await page.clickText("Replace", "dialog[open] .buttons");
    const row = "document.querySelector(\"[aria-label='Your live tokens'] tbody tr\").innerText";
    await page.waitFor(`${row}.includes("Continues the count of a token that ended")`);
    expect(await page.evaluate<string>(row)).toContain("no call of its own");
    expect(await page.violations()).toEqual([]);
    await page.screenshot("tokens-continued");
    await page.resize(390);
    expect(await page.isWide()).toBe(false);
    await page.screenshot("tokens-continued-390");
    await page.resize(1440);
    expect((await calls(await page.text(".secret code"))).status).toBe(200);
    await page.goto("/console/tokens");
    await page.waitFor(`!${row}.includes("Continues")`);
    await page.goto(`/console#key=${createKey(service, "anna")}`);
    await page.goto("/console/tokens");
  });

  test("are revoked after a confirmation", async () => {
    const { page } = opened;
    await page.clickText(`Revoke ${HOSTILE}?`);
    await page.clickText("Cancel", "dialog[open]");
    expect((await calls(secret)).status).toBe(200);
    await page.clickText(`Revoke ${HOSTILE}?`);
    expect(await page.text("dialog[open] h2")).toContain(HOSTILE);
    // The one that was replaced has ended already.
    expect(await bodyText()).toContain("Revoked and expired (1)");
    await page.clickText("Revoke", "dialog[open]");
    await page.waitFor(`document.body.innerText.includes("Revoked and expired (2)")`);
    expect((await calls(secret)).status).toBe(401);
  });

  test("are refused with the sentence of the server", async () => {
    const { page } = opened;
    // Plan pro allows five live tokens, of which two are there.
    for (let count = 0; count < 3; count++)
      opened.service.accounts.createToken("anna", "more", null);
    await page.fill("input[name=label]", "one too many");
    await page.clickText("Create a token");
    expect(await page.text(".failure")).toContain("5");
    expect(opened.page.problems).toEqual([]);
  });
});
