import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CHROMIUM, openConsole } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

let opened: Awaited<ReturnType<typeof openConsole>>;

describe.skipIf(CHROMIUM === null)("as a call", () => {
  beforeAll(async () => void (opened = await openConsole()));
  afterAll(() => opened?.close());

  test.each([
    "/console/US/AAPL?range=5Y&statement=balance&period=quarterly",
    "/console/JP/7203",
    "/console/US/%5EGSPC",
    "/console/screen?where=pe<20,roe>=10&sort=-roe&sector=technology",
    "/console/compare?symbols=AAPL,JP:7203,VN:FPT&range=Max&metrics=all&currency=USD",
  ])("%s: every call that it shows is answered over REST and MCP", async (path) => {
    const { page, service } = opened;
    const { token } = service.createToken();
    await page.goto(path);
    const titles = await page.evaluate<string[]>(
      "[...document.querySelectorAll('button[aria-label$=\" as a call\"]')].map((one) => one.ariaLabel)",
    );
    expect(titles.length).toBeGreaterThan(0);
    const blocks = () =>
      page.evaluate<string[]>(
        "[...document.querySelectorAll('dialog[open] pre')].map((one) => one.innerText)",
      );
    for (const title of titles) {
      await page.clickText(title);
      await page.waitFor("document.querySelector('dialog[open] pre')");
      for (const curl of await blocks()) {
        const url = new URL(/"(http[^"]+)"$/.exec(curl)?.[1] ?? "");
        const route = url.pathname.replace("/api/v1/svc", "") + url.search;
        const { status } = await service.request(route, token);
        expect({ route, status }).toEqual({ route, status: 200 });
      }
      await page.clickText("MCP", "dialog[open]");
      await page.waitFor("document.querySelector('dialog[open] pre').innerText.startsWith('{')");
      for (const text of await blocks()) {
        const { params } = JSON.parse(text) as { params: { name: string; arguments: object } };
        const { result } = await service.callTool(token, params.name, params.arguments);
        expect({ text, isError: result?.isError ?? false }).toEqual({ text, isError: false });
      }
      await page.clickText("Close", "dialog[open]");
    }
    expect(page.problems).toEqual([]);
  });
});
