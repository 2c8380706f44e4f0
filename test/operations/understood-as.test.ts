import { afterAll, expect, test } from "bun:test";
import { startHandMade } from "../support/contract-exchange.ts";
import { SAMPLE, stock } from "../support/market.ts";

// Where an answer says what was understood: in its payload and beside it, for this caller only.

const { service, token } = await startHandMade();
service.market.put("instruments", [stock("JP", "7203", { aliases: "トヨタ自動車" })], SAMPLE);
afterAll(() => service.stop());

const UNDERSTOOD = "symbol=AAPL (APPLE is AAPL, Apple Inc.)";
const overview = (symbol: string, headers = {}) =>
  service.request(`/data/stocks/${symbol}/overview?country=US`, token, { headers });
const payloadOf = async (response: Response) =>
  ((await response.json()) as { data: Record<string, unknown> }).data;

test("over REST the payload and a header say it, with a tag of its own", async () => {
  const [exact, named] = [await overview("AAPL"), await overview("Apple")];
  expect(named.headers.get("x-understood-as")).toBe(UNDERSTOOD);
  expect(exact.headers.get("x-understood-as")).toBeNull();
  expect(named.headers.get("etag")).not.toBe(exact.headers.get("etag"));
  const payload = await payloadOf(exact);
  expect(await payloadOf(named)).toEqual({ understood_as: UNDERSTOOD, ...payload });
});

test("no other caller gets it, before or after", async () => {
  for (const [symbol, told] of [
    ["apple", UNDERSTOOD],
    ["AAPL", null],
    ["aapl", null],
    ["Apple", UNDERSTOOD],
    ["$AAPL", null],
    ["AAPL.O", "symbol=AAPL (AAPL.O is AAPL, Apple Inc.)"],
    ["AAPL", null],
  ] as const) {
    const response = await overview(symbol);
    expect([symbol, response.headers.get("x-understood-as")]).toEqual([symbol, told]);
    expect((await payloadOf(response))["understood_as"] ?? null).toBe(told);
  }
});

test("a client that holds the answer gets 304", async () => {
  const etag = (await overview("Apple")).headers.get("etag") ?? "";
  expect((await overview("Apple", { "if-none-match": etag })).status).toBe(304);
  expect((await overview("AAPL", { "if-none-match": etag })).status).toBe(200);
});

test("over MCP the text, the structured content and _meta have it", async () => {
  const args = { country: "日本", symbol: "7203" };
  const { result } = await service.callTool(token, "get_stock_overview", args);
  const body = result?.structuredContent as { data: Record<string, unknown> };
  expect(JSON.parse(result?.content[0]?.text ?? "")).toEqual(body);
  expect(body.data["understood_as"]).toBe("country=JP");
  expect(result?._meta).toMatchObject({ understood_as: "country=JP" });
});

test("a payload of categories stays as it is; _meta and the header say it", async () => {
  const args = { country: "United States", category: "inflation" };
  const { result } = await service.callTool(token, "get_macro_indicators", args);
  const told = "country=US; category=prices";
  expect(result?._meta).toMatchObject({ understood_as: told });
  expect(result?.structuredContent).toMatchObject({ country: "US" });
  expect(Object.keys(result?.structuredContent?.["data"] as object)).toEqual(["prices"]);
  const response = await service.request(
    "/data/macro/indicators?country=US&category=inflation",
    token,
  );
  expect(response.headers.get("x-understood-as")).toBe("category=prices");
  expect(Object.keys(await payloadOf(response))).toEqual(["prices"]);
});

test("CSV says it in the header, which has other characters percent-encoded", async () => {
  const path = "/data/prices/statistics?symbols=トヨタ自動車&format=csv";
  const response = await service.request(encodeURI(path), token);
  const told = decodeURIComponent(response.headers.get("x-understood-as") ?? "");
  expect(told).toStartWith("symbols=JP:7203 (トヨタ自動車 is 7203, ");
});

test("over REST a country is its code only", async () => {
  for (const country of ["us", "United States", "日本"]) {
    const path = `/data/stocks/AAPL/overview?country=${encodeURIComponent(country)}`;
    expect((await service.request(path, token)).status).toBe(400);
  }
});
