import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type BrowserPage, CHROMIUM, openConsole } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium. With WRITE_PICTURE=1 it writes the picture
// of the README again.

const PICTURE = join(import.meta.dir, "../../src/docs/pictures/symbol-and-agent.webp");
const MAX_BYTES = 300_000;
const PAGE = { width: 1120, height: 860 };
const ANSWER_WIDTH = 600;

const QUESTION = "What are 10 Apple, 300 Toyota and 5,000 FPT worth in dollars?";
const CALL = {
  name: "analyze_portfolio",
  arguments: {
    holdings: "US:AAPL=10, JP:7203=300, VN:FPT=5000",
    currency: "USD",
    range: "1y",
    columns: "symbol,value,weight,return",
  },
};

let opened: Awaited<ReturnType<typeof openConsole>>;

describe.skipIf(CHROMIUM === null)("the picture of the README", () => {
  beforeAll(async () => {
    opened = await openConsole(PAGE);
  });
  afterAll(() => opened?.close());

  test("shows the page of a symbol beside the answer that an agent gets", async () => {
    const { page, service } = opened;
    await page.goto("/console/US/AAPL");
    await page.waitFor("document.querySelector('.chart canvas')");
    const symbol = await shot(page, PAGE);
    const answer = await agentAnswer(service.base, service.createToken().token);
    const frame = { width: PAGE.width + ANSWER_WIDTH, height: PAGE.height };
    const { frameTree } = await page.cdp<{ frameTree: { frame: { id: string } } }>(
      "Page.getFrameTree",
    );
    await page.resize(frame.width, frame.height);
    await page.cdp("Page.navigate", { url: "about:blank" });
    await page.waitFor("location.href === 'about:blank'");
    await page.cdp("Page.setDocumentContent", {
      frameId: frameTree.frame.id,
      html: pageOf(symbol, answer),
    });
    await page.waitFor("document.images[0]?.complete");
    const picture = Buffer.from(await shot(page, frame), "base64");
    expect(picture.byteLength).toBeLessThan(MAX_BYTES);
    if (Bun.env["WRITE_PICTURE"]) await Bun.write(PICTURE, picture);
    expect(await Bun.file(PICTURE).exists()).toBe(true);
    expect(Bun.file(PICTURE).size).toBeLessThan(MAX_BYTES);
  });
});

/** A part of the page as WebP in base64. */
async function shot(page: BrowserPage, size: { width: number; height: number }): Promise<string> {
  const { data } = await page.cdp<{ data: string }>("Page.captureScreenshot", {
    format: "webp",
    quality: 88,
    clip: { x: 0, y: 0, ...size, scale: 1 },
    captureBeyondViewport: true,
  });
  return data;
}

/** The text of the answer to `CALL`, through the official client. */
async function agentAnswer(base: string, token: string): Promise<string> {
  const client = new Client({ name: "picture", version: "1.0.0" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${base}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  const { structuredContent } = await client.callTool(CALL);
  await client.close();
  return oneLineEach(structuredContent);
}

/** JSON with two spaces, in which lists and objects of plain values have a line each. */
const oneLineEach = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replaceAll(/[[{]\n[^[\]{}]*[\]}]/g, (inner) => inner.replaceAll(/\n\s*/g, " "))
    .replaceAll(/([[{]) | ([\]}])(?=,?$)/gm, "$1$2");

function pageOf(symbol: string, answer: string): string {
  return `<!doctype html><body style="margin:0;display:flex">
    <img src="data:image/webp;base64,${symbol}" width="${PAGE.width}" height="${PAGE.height}">
    <pre style="margin:0;padding:24px;width:${ANSWER_WIDTH - 48}px;background:#14181d;color:#dfe6ee;font:13.5px/1.5 monospace;white-space:pre-wrap;overflow-wrap:anywhere"><b>${QUESTION}</b>

<span style="color:#7fc8a9">${CALL.name} ${oneLineEach(CALL.arguments)}</span>

${answer}</pre></body>`;
}
