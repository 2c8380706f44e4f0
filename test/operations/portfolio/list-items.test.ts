import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { checkItems, readItems } from "#operations/portfolio/list-items.ts";
import { expectError } from "../../support/error.ts";
import { finish } from "../../support/list-files.ts";
import { instrument, openTestMarket, SAMPLE } from "../../support/market.ts";

let world: ReturnType<typeof openTestMarket>;
beforeAll(() => {
  world = openTestMarket();
  world.market.put(
    "instruments",
    [
      instrument("US", "AAPL", { name: "Apple Inc." }),
      instrument("US", "META", { name: "Meta Platforms, Inc." }),
      instrument("US", "BRK.B", { name: "Berkshire Hathaway Inc." }),
      instrument("US", "^GSPC", { name: "S&P 500", assetType: "index" }),
      instrument("US", "ABC", { name: "Abc Inc." }),
      instrument("JP", "7203", { name: "Toyota Motor Corporation" }),
      instrument("JP", "JPY=X", { name: "USD/JPY", assetType: "currency" }),
      instrument("VN", "FPT", { name: "FPT Corporation" }),
      instrument("VN", "ABC", { name: "Abc JSC" }),
    ],
    SAMPLE,
  );
});
afterAll(() => world[Symbol.dispose]());

const TODAY = "2026-11-20";
const read = (...texts: string[]) => finish(readItems(world.market, texts, TODAY));

describe("items as people and models write them", () => {
  test.each([
    ["US:AAPL", { country: "US", symbol: "AAPL" }],
    ["aapl", { country: "US", symbol: "AAPL" }],
    ["AAPL=10", { country: "US", symbol: "AAPL", shares: 10 }],
    // 2026-11-21 has begun in Tokyo.
    [
      "AAPL=1@90@2026-11-21",
      {
        country: "US",
        symbol: "AAPL",
        shares: 1,
        cost: { price: 90, currency: "USD", date: "2026-11-21" },
      },
    ],
    ["AAPL=-2.5", { country: "US", symbol: "AAPL", shares: -2.5 }],
    ["300 Toyota", { country: "JP", symbol: "7203", shares: 300 }],
    ["7203.T=40%", { country: "JP", symbol: "7203", weight: 40 }],
    ["brk-b 3", { country: "US", symbol: "BRK.B", shares: 3 }],
    ["VN:FPT = 1000", { country: "VN", symbol: "FPT", shares: 1_000 }],
    // Neither is a quantity.
    ["S&P 500", { country: "US", symbol: "^GSPC" }],
    ["JPY=X", { country: "JP", symbol: "JPY=X" }],
    ["7203", { country: "JP", symbol: "7203" }],
  ])("%s", (text, item) => {
    expect(read(text).items).toEqual([item as never]);
  });

  test("keep their order, each instrument once, and what was understood is said", () => {
    const { items, understood } = read("FPT", "FB", "AAPL=1", "VN:FPT", "AAPL=1");
    expect(items.map(({ symbol }) => symbol)).toEqual(["FPT", "META", "AAPL"]);
    expect(understood).toEqual([expect.stringContaining("FB is META since 2022-06-09")]);
  });

  test.each([
    [
      ["AAPL", "APPL"],
      "1 item of 2 is not understood: APPL: Not found in US, JP or VN. Is it US:AAPL?",
    ],
    [["APPL", "APPL", "APPL"], "1 item of 1 is not understood: APPL: Not found in US, JP or VN."],
    [["APPL=5"], "APPL=5: Not found in US, JP or VN. Is it US:AAPL?"],
    [["ABC"], "ABC: Several countries have it: US:ABC Abc Inc., VN:ABC Abc JSC."],
    [["AAPL=5000USD"], "AAPL=5000USD: Give shares (AAPL=10) or a weight (AAPL=40%)."],
    [["USD=1000"], "USD=1000: Cash is no instrument."],
    [["AAPL=1", "AAPL=2"], "AAPL=2: US:AAPL is there twice, with different shares or weights."],
    [["AAPL=ten"], "AAPL=ten: ten is no amount. Give AAPL=10, AAPL=40% or AAPL=10@150USD."],
    [["APPL=ten"], "APPL=ten: Not found"],
    [['{"symbol":"AAPL","share":5}'], '"share":5}: An object takes symbol, country, shares'],
    [
      ["7203=100@20USD"],
      "The price paid for JP:7203 is in USD, its prices are in JPY. Give the day",
    ],
    [["AAPL=1@90@2062-05-01"], "The day of the purchase of US:AAPL, 2062-05-01, is in the future."],
  ])("%j are refused", async (texts, words) => {
    const error = await expectError(() => read(...texts), "not_found");
    expect(error.message).toStartWith("Nothing was saved, because ");
    expect(error.message).toContain(words);
  });

  test("of which more than 100 are no symbols are refused, because each takes a search", async () => {
    // Equal texts are looked up once, so each has other capitals: the binary digits of its number.
    const written = (i: number) =>
      "toyota".replaceAll(/./g, (letter, at: number) =>
        (i >> at) & 1 ? letter.toUpperCase() : letter,
      );
    const names = Array.from({ length: 100 }, (_, i) => `${written(i)} ${i < 64 ? "m" : "M"}otor`);
    expect(read("AAPL", ...names).items).toHaveLength(2);
    const { message } = await expectError(() => read(...names, "AAPL", "Abc Co"), "not_found");
    expect(message).toContain("1 item of 102 is not understood: Abc Co: At most 100 names are");
  });

  test("are refused with every fault at once, of which twenty are named", async () => {
    const texts = Array.from({ length: 25 }, (_, i) => `NOSUCH${i}`);
    const { message } = await expectError(() => read("AAPL", ...texts), "not_found");
    expect(message).toStartWith(
      "Nothing was saved, because 25 items of 26 are not understood: NOSUCH0:",
    );
    expect(message).toContain("NOSUCH19:");
    expect(message).toEndWith("And 5 more. Correct them or leave them out.");
  });

  test("are at most 1,000", async () => {
    const texts = Array.from({ length: 1_001 }, () => "AAPL");
    const { message } = await expectError(() => read(...texts), "invalid_argument");
    expect(message).toContain("These are 1001 items, and a list has at most 1000.");
  });
});

test("items that the market does not know are named; a delisted one is known", async () => {
  const { instruments } = world.market;
  world.market.transaction(() => {
    const provenance = { source: "list", storedAt: 1 };
    instruments.put([instrument("US", "OLD")], provenance, { isListing: true });
    instruments.delistMissing({ country: "US", source: "list", listedAt: 2 });
  });
  expect(instruments.find({ country: "US", symbol: "OLD" })?.delistedAt).toBe(2);
  checkItems(
    world.market,
    [
      { country: "US", symbol: "OLD" },
      { country: "US", symbol: "AAPL" },
    ],
    TODAY,
  );
  const work = () => checkItems(world.market, [{ country: "JP", symbol: "AAPL" }], TODAY);
  expect((await expectError(work, "not_found")).message).toBe(
    "Nothing was saved, because 1 item of 1 is not understood: JP:AAPL is unknown. Correct them or leave them out.",
  );
});

test.each([
  [{ price: 20, currency: "USD" }, "is in USD, its prices are in JPY."],
  [{ price: 2_500, currency: "JPY", date: "2062-05-01" }, "2062-05-01, is in the future."],
])("a price paid of %j is refused in a form too", async (cost, words) => {
  const item = { country: "JP", symbol: "7203", shares: 100 } as const;
  const check = (paid: typeof cost) => checkItems(world.market, [{ ...item, cost: paid }], TODAY);
  expect((await expectError(() => check(cost), "invalid_argument")).message).toContain(words);
  check({ price: 20, currency: "USD", date: "2026-05-01" });
});

test("an item of 200 KB is refused before it is searched", async () => {
  for (const text of [`a${" ".repeat(200_000)}b`, "a".repeat(200_000)]) {
    const { message } = await expectError(() => read(text), "not_found");
    expect(message).toContain("A symbol or name has at most 200 characters.");
  }
});
