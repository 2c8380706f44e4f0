import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { childEnv, endChildren, resultOf, spawnChild } from "../support/child-process.ts";
import { CHROMIUM, openConsole } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

/** Pages with panels that show calls. */
const PAGES = [
  "/console",
  "/console?country=VN&window=1Y",
  "/console/sectors",
  "/console/sectors?columns=valuation",
  "/console/sectors?country=JP&sector=technology",
  "/console/economy?series=Unemployment%20rate",
  "/console/US/AAPL?range=5Y",
  "/console/JP/7203",
  "/console/US/AAPL/financials?statement=balance&period=quarterly",
  "/console/US/AAPL/valuation",
  "/console/US/AAPL/dividends",
  "/console/US/AAPL/chart",
  "/console/calendar",
  "/console/calendar?view=week&events=VN",
  "/console/US/%5EGSPC",
  "/console/screen?where=pe<20,roe>=10&sort=-roe&sector=technology",
  "/console/compare?symbols=AAPL,JP:7203,VN:FPT&range=Max&metrics=all&currency=USD",
] as const;

describe.skipIf(CHROMIUM === null)("what ⋯ shows of a panel", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  let token: string;
  beforeAll(async () => {
    opened = await openConsole();
    ({ token } = opened.service.accounts.createToken("owner", "calls", null));
  });
  afterAll(async () => {
    await endChildren();
    await opened?.close();
  });

  const texts = () =>
    opened.page.evaluate<string[]>(
      `[...document.querySelectorAll("dialog[open] pre")].map((one) => one.innerText)`,
    );

  test.each(PAGES)("%s: every call works over REST and MCP", async (path) => {
    const { page, service } = opened;
    await page.goto(path);
    const buttons = await page.evaluate<string[]>(
      `[...document.querySelectorAll("button[aria-label$='code, files, source']")].map((one) => one.ariaLabel)`,
    );
    expect(buttons.length).toBeGreaterThan(0);
    for (const label of buttons) {
      await page.clickText(label);
      await page.waitFor(`document.querySelector("dialog[open] pre")`);
      const urls = (await texts()).map((text) => /"(http[^"]*)"/.exec(text)?.[1] ?? text);
      await page.clickText("MCP", "dialog[open]");
      const tools = (await texts()).map(
        (text) => (JSON.parse(text) as { params: { name: string; arguments: object } }).params,
      );
      expect(tools).toHaveLength(urls.length);
      for (const url of urls) {
        const { pathname, search } = new URL(url);
        const response = await fetch(service.origin + pathname + search, {
          headers: { authorization: `Bearer ${token}` },
        });
        expect({ url, status: response.status }).toEqual({ url, status: 200 });
      }
      for (const tool of tools) {
        const { result } = await service.callTool(token, tool.name, tool.arguments);
        expect({ tool, isError: result?.isError ?? false }).toEqual({ tool, isError: false });
      }
      await page.clickText("Close", "dialog[open]");
      await page.waitFor(`!document.querySelector("dialog[open]")`);
    }
    expect(page.problems).toEqual([]);
  });

  test.each([
    ["Python", ["python3", "-"]],
    ["TypeScript", ["bun", "run", "-"]],
  ])("the text in %s runs unchanged and prints the payload", async (language, command) => {
    if (Bun.which(command[0] ?? "") === null) return;
    const { page, service } = opened;
    await page.goto("/console/US/AAPL/valuation");
    await page.clickText("Overview and valuation: code, files, source");
    await page.clickText(language, "dialog[open]");
    await page.waitFor(`/import|await/.test(document.querySelector("dialog[open] pre").innerText)`);
    const [text = ""] = await texts();
    const address = /"(http.*)\/api\/v1/.exec(text)?.[1] ?? "";
    const program = spawnChild(command, {
      stdin: new Blob([text.replace(address, service.origin)]),
      stderr: "pipe",
      env: childEnv({ BOURSE_TOKEN: token }),
    });
    const { code, stdout, stderr } = await resultOf(program);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("Apple Inc.");
  });
});
