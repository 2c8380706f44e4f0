import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { listRecipes } from "#feeds/recipes/recipes.ts";
import { CHROMIUM, openConsole, type Theme } from "../support/browser.ts";
import { networkOf, PROXY_URL, startProxy } from "../support/played-proxy.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

const WIDTHS = [390, 768, 1280] as const;
const THEMES: readonly Theme[] = ["light", "dark"];

describe.skipIf(CHROMIUM === null)("Connect", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => void (opened = await openConsole({ role: "user" })));
  afterAll(() => opened?.close());

  const texts = () => opened.page.texts(".code-block pre");
  const choose = async (program: string) => {
    await opened.page.clickText(program, ".programs");
    await opened.page.waitFor(
      `document.querySelector(".programs [aria-pressed=true]").innerText === ${JSON.stringify(program)}`,
    );
  };
  /** The address bar, and all addresses of the session's history. */
  const address = () => opened.page.evaluate<string>("location.href");

  /** The secret that the texts of the page show now. */
  let link = "";

  test("is in the menu and has all programs", async () => {
    const { page } = opened;
    await page.goto("/console");
    await page.clickText("Connect", "nav");
    await page.waitFor("document.querySelector('.programs')");
    expect(await page.texts(".programs button")).toEqual(
      listRecipes().map(({ program }) => program),
    );
    // Agents are first.
    expect((await texts())[0]).toContain("claude mcp add");
    await choose("Google Sheets");
    expect((await texts())[0]).toContain(`${opened.service.origin}/feed/<LINK>/sheets/`);
  });

  test("puts a new feed link into every text, and into no address", async () => {
    const { page, service } = opened;
    await choose("LibreOffice Calc");
    await page.clickText("Create a feed link");
    await page.waitFor(
      `document.querySelector(".code-block pre")?.innerText.includes("bourse_feed_")`,
    );
    const [table = "", value = ""] = await texts();
    link = /bourse_feed_\w+/.exec(table)?.[0] ?? "";
    expect(value).toContain(link);
    const answer = await fetch(table);
    expect([answer.status, (await answer.text()).split("\n")[0]]).toEqual([
      200,
      expect.stringContaining("symbol,price"),
    ]);
    expect(await address()).not.toContain("bourse_feed_");
    const [listed] = service.accounts.listTokens("anna");
    expect(listed).toMatchObject({ kind: "feed", label: "LibreOffice Calc" });
    // A year after the service's clock, which is at 20 November 2026.
    expect(new Date(listed?.expiresAt ?? 0).toISOString().slice(0, 10)).toBe("2027-11-20");
  });

  test("keeps the link while programs are compared, in the address of none", async () => {
    for (const program of ["Portfolio Performance", "GnuCash", "OpenBB Workspace"]) {
      await choose(program);
      expect((await texts()).join("\n")).toContain(link);
      const { search } = new URL(await address());
      expect(new URLSearchParams(search).get("program")).toBe(program);
      expect(search).not.toContain("bourse_");
    }
  });

  test("copies a text", async () => {
    const { page } = opened;
    await page.cdp("Browser.grantPermissions", {
      permissions: ["clipboardReadWrite", "clipboardSanitizedWrite"],
    });
    await choose("curl");
    await page.clickText("Copy");
    await page.waitFor("document.querySelector('.code-block button').innerText === 'Copied'");
    const [text = ""] = await texts();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(text);
  });

  test("makes a named token for an agent, and shows its first call and its row in the table", async () => {
    const { page, service } = opened;
    await choose("Claude Code");
    expect((await texts())[0]).toContain("Bearer <TOKEN>");
    await page.fill(".row-form input[name=label]", "my laptop");
    await page.clickText("Create a token");
    await page.waitFor(
      `document.querySelector(".code-block pre")?.innerText.includes("Bearer bourse_")`,
    );
    const token = /Bearer (\w+)/.exec((await texts())[0] ?? "")?.[1] ?? "";
    await page.waitFor(
      `document.querySelector(".first-call")?.innerText.includes("Waiting until the agent connects")`,
    );
    // A call that fails is no proof.
    await service.callTool(token, "get_list", {});
    await page.waitFor(`document.querySelector(".first-call").innerText.includes("failed")`);
    await page.waitFor(`document.querySelector(".first-call").innerText.includes("status 404")`);
    expect(await page.text(".first-call")).toMatch(/failed: unknown tool, status 404\./);
    expect(await page.text(".first-call")).not.toContain("It works");
    // The row below is of the same moment.
    const row = `[...document.querySelectorAll("tbody tr")].find((one) => one.innerText.includes("my laptop")).innerText`;
    await page.waitFor(`${row}.includes("1 error") && !${row}.includes("no call")`);
    const path = "/data/stocks/AAPL/overview?country=US";
    expect((await service.request(path, token)).status).toBe(200);
    // The page asks every four seconds.
    await page.waitFor(
      `/arrived:\\s+get_stock_overview AAPL, [\\d.]+ ms/.test(document.querySelector(".first-call").innerText)`,
      9_000,
    );
    // The table below has the token with its name, and the call.
    expect(await page.texts(".token-label")).toContain("my laptop");
    await page.waitFor(
      `[...document.querySelectorAll("[role=meter]")].some((one) => one.getAttribute("aria-valuetext") === "2 of 500")`,
      12_000,
    );
    await page.clickText("All its calls");
    await page.waitFor("document.querySelectorAll('[aria-label=Calls] tbody tr').length === 2");
    await page.clickText("Agents and programs", ".section-menu");
    await choose("claude.ai");
    expect(await page.texts("main button.primary")).toEqual([]);
  });

  test("a client reads the user's list after three actions from Markets", async () => {
    const { page } = opened;
    await page.evaluate(`fetch("/console/api/lists/held", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ items: [{ country: "JP", symbol: "7203" }] }),
    })`);
    await page.goto("/console");
    await page.clickText("Connect", "nav");
    await choose("Cursor");
    await page.clickText("Create a token");
    const text = await page.waitFor<string>(
      `[...document.querySelectorAll(".code-block pre")].map((one) => one.innerText).find((one) => one.includes("Bearer bourse_"))`,
    );
    const { mcpServers } = JSON.parse(text) as {
      mcpServers: { bourse: { url: string; headers: Record<string, string> } };
    };
    const { url, headers } = mcpServers.bourse;
    const client = new Client({ name: "test", version: "1.0.0" });
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
    await client.connect(transport as unknown as Parameters<typeof client.connect>[0]);
    await client.listTools();
    // The page says that the agent is there before it has called anything.
    await page.waitFor(
      `document.querySelector(".first-call").innerText.includes("The agent is connected")`,
      9_000,
    );
    const answer = await client.callTool({ name: "get_lists", arguments: { name: "held" } });
    expect(JSON.stringify(answer)).toContain("7203");
    await client.close();
  });

  test("says what claude.ai and ChatGPT need without a public address", async () => {
    for (const program of ["claude.ai", "ChatGPT"]) {
      await choose(program);
      await opened.page.waitFor(`document.body.innerText.includes("BOURSE_PUBLIC_URL")`);
      expect(await texts()).toEqual([
        `${opened.service.origin}/api/v1/svc/mcp`,
        // A way to a public address.
        expect.stringContaining(`cloudflared tunnel --url ${opened.service.origin}\n`),
        "Use bourse: which companies on my list “held” report in the next seven days?",
      ]);
    }
  });

  test("shows a secret this one time", async () => {
    const { page } = opened;
    await page.goto("/console/programs?program=curl");
    expect((await texts())[0]).toContain("<LINK>");
    expect(await page.evaluate<string>("document.documentElement.outerHTML")).not.toContain(link);
  });

  test("scrolls to the recipe where it is below the programs", async () => {
    const { page } = opened;
    await page.resize(390, 800);
    await page.goto("/console/programs");
    await choose("curl");
    // As far as the page's end allows.
    await page.waitFor("window.scrollY > 100");
    await page.resize(1280, 900);
    await page.goto("/console/programs");
    await choose("hledger");
    expect(await page.evaluate<number>("window.scrollY")).toBe(0);
  });

  test("says why no link can be made", async () => {
    const { page, service } = opened;
    // Plan pro has five live tokens of each kind.
    for (let i = 0; i < 4; i++) service.accounts.createToken("anna", `${i}`, null, "feed");
    await page.goto("/console/programs?program=Excel");
    await page.clickText("Create a feed link");
    expect(await page.text(".failure")).toContain("as many as plan pro allows");
  });

  test.each(["Ghostfolio", "Node-RED", "VS Code"])(
    "fits with the long texts of %s and is accessible",
    async (program) => {
      const { page } = opened;
      page.problems.length = 0;
      await page.goto(`/console/programs?${new URLSearchParams({ program }).toString()}`);
      for (const theme of THEMES) {
        await page.setTheme(theme);
        for (const width of WIDTHS) {
          await page.resize(width);
          await page.settle();
          await page.screenshot(`programs-${program.replace(" ", "")}-${width}-${theme}`);
          expect([width, theme, await page.isWide()]).toEqual([width, theme, false]);
          expect(await page.violations()).toEqual([]);
        }
      }
      expect(page.problems).toEqual([]);
    },
  );
});

describe.skipIf(CHROMIUM === null)("the check of the connection", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  const proxy = startProxy({ answered: (headers) => headers.delete("www-authenticate") });
  beforeAll(async () => {
    opened = await openConsole({
      env: { BOURSE_PUBLIC_URL: PROXY_URL },
      connectionNetwork: networkOf(proxy.port),
    });
    proxy.origin = opened.service.origin;
  });
  afterAll(async () => {
    await opened?.close();
    await proxy.stop();
  });

  test("says what to do, shows requests as they arrive, and fits in three languages", async () => {
    const { page, service } = opened;
    await page.goto("/console/programs");
    await page.clickText("Check the connection", "#connection");
    await page.waitFor("document.querySelectorAll('.findings > li').length >= 10");
    const findings = await page.texts(".findings > li");
    expect(findings.filter((text) => !text.startsWith("✓"))).toEqual([
      expect.stringMatching(
        /^✗\s+Request for a token: The proxy removes the header WWW-Authenticate/,
      ),
    ]);
    await page.waitFor(
      "document.querySelector('#connection .first-call')?.innerText.includes('Connect the client now')",
    );
    await fetch(`${service.base}/mcp`, {
      method: "POST",
      headers: { "User-Agent": "Claude-User" },
    });
    await page.waitFor(
      "document.querySelectorAll('[aria-label=\"Requests of clients\"] tbody tr').length === 1",
    );
    await page.waitFor("document.querySelectorAll('.findings').length === 2");
    expect((await page.texts(".findings > li")).at(-1)).toContain(
      "A client came without a valid token",
    );
    expect(await page.violations()).toEqual([]);
    for (const [language, button] of [
      ["en", "Check the connection"],
      ["ja", "接続を確認"],
      ["vi", "Kiểm tra kết nối"],
    ]) {
      await page.evaluate(`fetch("/console/api/settings", {
        method: "PUT",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ language: "${language}" }),
      })`);
      await page.goto(`/console/programs?reader=${language}#connection`);
      await page.clickText(button ?? "", "#connection");
      await page.waitFor("document.querySelectorAll('.findings > li').length >= 10");
      for (const width of [390, 1440]) {
        await page.resize(width, 1400);
        await page.settle();
        await page.evaluate("document.getElementById('connection').scrollIntoView()");
        await page.screenshot(`connection-${language}-${width}`);
        expect([language, width, await page.isWide()]).toEqual([language, width, false]);
      }
    }
    expect(page.problems).toEqual([]);
  });
});
