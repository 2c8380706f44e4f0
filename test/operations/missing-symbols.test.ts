import { expect, spyOn, test } from "bun:test";
import { createExecutor, decodeRequest } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { listReferenceInstruments } from "#domain/reference-instruments.ts";
import { openTestMarket, SAMPLE, stock } from "../support/market.ts";
import { START } from "../support/service.ts";
import { openCopiedMarket } from "../support/empty-files.ts";

/** A market with one stock, an executor on a clock that the test moves, and its searches. */
function openSearches() {
  const home = openTestMarket();
  home.market.put("instruments", [stock("US", "AAPL")], SAMPLE);
  const time = { now: START };
  const executor = createExecutor({ market: home.market, clock: () => time.now });
  const searches = spyOn(home.market.instruments, "listSymbols");
  return {
    ...home,
    time,
    /** The answer's JSON text, or the message and the hint of the error. */
    async ask(name: string, args: Record<string, string>): Promise<string> {
      const operation = OPERATIONS.find((one) => one.name === name);
      if (!operation) throw new Error(`There is no operation ${name}.`);
      try {
        return (await executor.execute(decodeRequest(operation, args))).body;
      } catch (error) {
        const { message, details } = error as { message: string; details: { hint?: string } };
        return `${message} ${details.hint}`;
      }
    },
    searches: () => searches.mock.calls.length,
  };
}

const MISTYPED = { country: "US", symbol: "AAPK" };
const REFUSAL =
  "Symbol AAPK not found in US. Did you mean AAPL? Call list_symbols with a query to find a symbol by name.";

test("a missing symbol is searched once in 30 s over all operations", async () => {
  using home = openSearches();
  expect(await home.ask("get_stock_overview", MISTYPED)).toBe(REFUSAL);
  home.time.now += 29_999;
  expect(await home.ask("get_stock_overview", { country: "US", symbol: "aapk" })).toBe(REFUSAL);
  expect(await home.ask("get_stock_technicals", MISTYPED)).toBe(REFUSAL);
  expect(home.searches()).toBe(1);
  home.time.now += 1;
  expect(await home.ask("get_stock_overview", MISTYPED)).toBe(REFUSAL);
  expect(home.searches()).toBe(2);
});

test.each([
  ["US", "SPX", "^GSPC"],
  ["US", "DJIA", "^DJI"],
  ["US", "DXY", "DX-Y.NYB"],
  ["US", "BTC", "BTC-USD"],
  ["JP", "NKY", "^N225"],
  ["VN", "VN-INDEX", "VNINDEX"],
] as const)(
  "in %s, the symbol %s of another service means %s, not the closest stock",
  async (country, alias, symbol) => {
    using home = openSearches();
    // Simon Property and others differ by one letter.
    const near = ["SPG", "DJT", "DXYZ", "BTCS", "NKE", "VNI"].map((one) => stock(country, one));
    const reference = listReferenceInstruments().map((one) => ({ ...one, summary: null }));
    home.market.put("instruments", [...near, ...reference], SAMPLE);
    expect(await home.ask("get_stock_overview", { country, symbol: alias })).toContain(
      `"understood_as":"symbol=${symbol} (${alias} is ${symbol}, `,
    );
  },
);

test("a missing symbol is remembered for one country only", async () => {
  using home = openSearches();
  await home.ask("get_stock_overview", MISTYPED);
  expect(await home.ask("get_stock_overview", { country: "JP", symbol: "AAPK" })).toStartWith(
    "Symbol AAPK not found in JP.",
  );
  expect(home.searches()).toBe(2);
});

test.each([false, true])(
  "a symbol is found after it was stored, also by another process: %p",
  async (elsewhere) => {
    using home = openSearches();
    await home.ask("get_stock_overview", MISTYPED);
    const writer = elsewhere ? openCopiedMarket(home.folder) : home.market;
    writer.put("instruments", [stock("US", "AAPK")], SAMPLE);
    if (elsewhere) writer.close();
    expect(await home.ask("get_stock_overview", MISTYPED)).toContain("AAPK Inc");
  },
);

test("at most 1,000 missing symbols are remembered, the newest ones", async () => {
  using home = openSearches();
  // Only letters are searched: X and four letters, A to J for the digits.
  const symbolOf = (i: number) =>
    `X${Array.from(String(i).padStart(4, "0"), (digit) => "ABCDEFGHIJ"[Number(digit)]).join("")}`;
  for (let i = 0; i <= 1_000; i++) {
    await home.ask("get_stock_overview", { country: "US", symbol: symbolOf(i) });
  }
  expect(home.searches()).toBe(1_001);
  await home.ask("get_stock_overview", { country: "US", symbol: symbolOf(1_000) });
  expect(home.searches()).toBe(1_001);
  await home.ask("get_stock_overview", { country: "US", symbol: symbolOf(0) });
  expect(home.searches()).toBe(1_002);
});

test("no other error is remembered", async () => {
  using home = openSearches();
  const listed = spyOn(home.market.documents, "list");
  const missing = { country: "US", category: "gdp" };
  await home.ask("get_macro_indicators", missing);
  const first = listed.mock.calls.length;
  expect(first).toBeGreaterThan(0);
  await home.ask("get_macro_indicators", missing);
  expect(listed.mock.calls.length).toBe(2 * first);
});
