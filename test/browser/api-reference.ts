import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CHROMIUM, openConsole } from "../support/browser.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

interface Document {
  readonly paths: Readonly<
    Record<string, Record<string, { operationId: string; parameters?: unknown[] }>>
  >;
}

const ids = (document: Document) =>
  Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
const SHOWN = `[...document.querySelectorAll(".operation")].map((one) => one.id)`;

describe.skipIf(CHROMIUM === null)("the API reference", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  let document: Document;
  beforeAll(async () => {
    opened = await openConsole({ role: "user" });
    document = (await (await opened.service.request("/openapi.json", null)).json()) as Document;
  });
  afterAll(() => opened?.close());

  /** Loads the page, also if only the part after # differs. */
  const visit = async (path: string) => {
    await opened.page.goto("/console/about");
    await opened.page.goto(path);
  };

  test("has every operation of the document, closed", async () => {
    const { page } = opened;
    await page.goto("/console/api-reference");
    expect((await page.evaluate<string[]>(SHOWN)).toSorted()).toEqual(ids(document).toSorted());
    expect(await page.evaluate<number>(`document.querySelectorAll(".operation-body").length`)).toBe(
      0,
    );
  });

  test("opens and scrolls to the operation of the address", async () => {
    const { page } = opened;
    await visit("/console/api-reference#get_stock_technicals");
    await page.waitFor(`document.querySelector("#get_stock_technicals .operation-body")`);
    const top = await page.evaluate<number>(
      `document.getElementById("get_stock_technicals").getBoundingClientRect().top`,
    );
    expect(top).toBeWithin(0, 400);
  });

  test("shows the method and the body of an operation that writes, which cannot be tried here", async () => {
    const { page } = opened;
    await visit("/console/api-reference#save_list");
    const text = await page.waitFor<string>(
      `document.querySelector("#save_list .operation-body") && document.querySelector("#save_list").innerText`,
    );
    expect(text).toStartWith("PUT");
    expect(text).toContain("items");
    expect(text).not.toContain("Try it");
  });

  test("filters by the name of a field", async () => {
    const { page } = opened;
    await visit("/console/api-reference?filter=emptied_by");
    // Only the screen has this field.
    expect(await page.evaluate<string[]>(SHOWN)).toEqual(["screen_stocks"]);
    await page.fill("input[type=search]", "no such words");
    await page.waitFor(`document.body.innerText.includes("No operation has")`);
  });

  test("shows every parameter, field, header and status of an operation", async () => {
    const { page } = opened;
    await visit("/console/api-reference?filter=screen_stocks#screen_stocks");
    const text = await page.waitFor<string>(
      `document.querySelector("#screen_stocks .operation-body")?.innerText`,
    );
    for (const name of [
      "country",
      "where",
      "cursor",
      "If-None-Match",
      "emptied_by",
      "next_cursor",
    ]) {
      expect(text).toContain(name);
    }
    for (const name of ["X-RateLimit-Remaining", "ETag", "X-Data-Age", "Retry-After"]) {
      expect(text).toContain(name);
    }
    for (const status of ["200", "304", "400", "401", "404", "429", "500", "503"]) {
      expect(text).toContain(status);
    }
  });

  test("runs an operation with the session, and shows status, headers and body", async () => {
    const { page, service } = opened;
    await visit("/console/api-reference#get_stock_ratios");
    await page.fill("#get_stock_ratios input[name=symbol]", "MSFT");
    await page.clickText("Run");
    expect(await page.text(".result [role=status]")).toStartWith("200");
    const { token } = service.createToken();
    const rest = await service.request("/data/stocks/MSFT/ratios?country=US", token);
    expect(JSON.parse(await page.text(".result pre"))).toEqual(await rest.json());
    await page.evaluate(`document.querySelector(".result details").open = true`);
    expect(await page.text(".result .headers")).toContain("x-data-source");
    // Ratios are a route of their own over REST, and a type of statements over MCP.
    await page.clickText("Use in code");
    await page.clickText("MCP");
    const call = await page.waitFor<string>(
      `(() => { const text = document.querySelector("dialog[open] pre")?.innerText; return text?.startsWith("{") && text; })()`,
    );
    expect(JSON.parse(call)).toEqual({
      method: "tools/call",
      params: {
        name: "get_stock_statements",
        arguments: { country: "US", symbol: "MSFT", type: "ratios" },
      },
    });
  });

  test("shows a refusal with its status and body", async () => {
    const { page } = opened;
    await visit("/console/api-reference#get_stock_overview");
    await page.fill("#get_stock_overview input[name=symbol]", "NOSUCH");
    await page.clickText("Run");
    expect(await page.text(".result [role=status]")).toStartWith("404");
    const body = JSON.parse(await page.text(".result pre")) as { error: { code: string } };
    expect(body.error.code).toBe("NOT_FOUND");
    expect(page.problems).toEqual([]);
  });
});

describe.skipIf(CHROMIUM === null)("the API reference without a session", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => void (opened = await openConsole({ signedIn: false })));
  afterAll(() => opened?.close());

  test("can be read, but not tried", async () => {
    const { page } = opened;
    await page.goto("/console/api-reference#get_sectors");
    const text = await page.waitFor<string>(
      `document.querySelector("#get_sectors .operation-body")?.innerText`,
    );
    expect(text).toContain("country");
    expect(text).toContain("Sign in to try this operation");
    expect(
      await page.evaluate<number>(`document.querySelectorAll("#get_sectors form").length`),
    ).toBe(0);
  });
});
