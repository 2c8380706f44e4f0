import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { decodeArguments } from "#operations/reading/decode.ts";
import { HoldingsInput, mapHoldings, parseHoldings } from "#operations/reading/holdings.ts";
import { expectError } from "../../support/error.ts";

const input = Type.Object({ holdings: HoldingsInput });
const read = (holdings: unknown) => decodeArguments(input, { holdings })["holdings"];
const refuse = async (holdings: unknown, says: string) => {
  const error = await expectError(() => read(holdings), "invalid_argument");
  expect(`${error.message} ${error.details.hint ?? ""}`).toContain(says);
};

describe("holdings are read", () => {
  test.each([
    ["US:AAPL=10", "US:AAPL=10"],
    ["us:aapl = 10 , jp:7203=300", "US:AAPL=10,JP:7203=300"],
    ["US:AAPL=10;JP:7203=300", "US:AAPL=10,JP:7203=300"],
    ["US:AAPL=10\nJP:7203=300\n", "US:AAPL=10,JP:7203=300"],
    ["US:AAPL=10 JP:7203=300", "US:AAPL=10,JP:7203=300"],
    ["AAPL: 10", "AAPL=10"],
    ["US:AAPL:10", "US:AAPL=10"],
    ["AAPL 10", "AAPL=10"],
    ["AAPL 10 shares", "AAPL=10"],
    ["AAPL (10)", "AAPL=10"],
    ["AAPL x 10", "AAPL=10"],
    ["10 AAPL", "AAPL=10"],
    ["10 shares of AAPL and 5 MSFT", "AAPL=10,MSFT=5"],
    ["10 AAPL shares", "AAPL=10"],
    ["7203 300", "7203=300"],
    ["300 shares of 7203.T", "7203.T=300"],
    ["7203 JP 300", "7203 JP=300"],
    ["AAPL=40%", "AAPL=40%"],
    ["AAPL 40 percent", "AAPL=40%"],
    ["40% AAPL", "AAPL=40%"],
    ["40% in AAPL", "AAPL=40%"],
    ["AAPL=5000USD", "AAPL=5000USD"],
    ["AAPL=$5000", "AAPL=5000USD"],
    ["AAPL 5000 USD", "AAPL=5000USD"],
    ["$5000 in AAPL", "AAPL=5000USD"],
    ["7203=¥100000", "7203=100000JPY"],
    ["AAPL=-5", "AAPL=-5"],
    ["AAPL=10@150, 7203=300 shares @ 2500.5", "AAPL=10@150,7203=300@2500.5"],
    [[{ symbol: "AAPL", shares: 10, cost: 150, sector: "technology" }], "AAPL=10@150"],
    [{ AAPL: { qty: "10", avg_price: "1,150" } }, "AAPL=10@1150"],
    [[{ symbol: "AAPL", shares: 10, cost: 150, currency: "usd" }], "AAPL=10@150USD"],
    [[{ symbol: "AAPL", shares: 10, cost: 150, avg_cost: "150" }], "AAPL=10@150"],
    ["AAPL=10@150USD on 2024-05-01", "AAPL=10@150USD@2024-05-01"],
    [
      [{ symbol: "AAPL", shares: 10, cost: 150, currency: "EUR", bought_on: "May 1, 2024" }],
      "AAPL=10@150EUR@2024-05-01",
    ],
    ["AAPL=10@$150, 7203=100 @ 2500 JPY", "AAPL=10@150USD,7203=100@2500JPY"],
    // A part of a share has a price paid, a weight has none.
    ["AAPL=0.5@150,MSFT=0.5@300", "AAPL=0.5@150,MSFT=0.5@300"],
    ["AAPL=−5", "AAPL=-5"],
    ["BTC-USD=0.5", "BTC-USD=0.5"],
    ["JPY=X=1000", "JPY=X=1000"],
    ["^GSPC=60%", "^GSPC=60%"],
    ["BND 40", "BND=40"],
    ["ＡＡＰＬ＝１０", "AAPL=10"],
    [["AAPL=10", "7203: 300"], "AAPL=10,7203=300"],
    [["AAPL=1,000"], "AAPL=1000"],
    [[["AAPL", 10]], "AAPL=10"],
    [{ AAPL: 10, MSFT: "5" }, "AAPL=10,MSFT=5"],
    [{ AAPL: "1,000", MSFT: "40%" }, "AAPL=1000,MSFT=40%"],
    [{ AAPL: { shares: 10 } }, "AAPL=10"],
    [[{ symbol: "AAPL", shares: 10 }], "AAPL=10"],
    [[{ ticker: "7203", country: "JP", quantity: 300 }], "JP:7203=300"],
    [[{ symbol: "US:AAPL", country: "US", qty: "10" }], "US:AAPL=10"],
    [
      [
        { symbol: "AAPL", weight: 60 },
        { symbol: "MSFT", weight: "40%" },
      ],
      "AAPL=60%,MSFT=40%",
    ],
    [
      [
        { symbol: "AAPL", weight: 0.6 },
        { symbol: "MSFT", weight: 0.4 },
      ],
      "AAPL=60%,MSFT=40%",
    ],
    [[{ symbol: "AAPL", amount: 5000, currency: "USD" }], "AAPL=5000USD"],
    [{ symbol: "AAPL", shares: 0.5 }, "AAPL=0.5"],
    [
      [
        { symbol: "A", shares: 0.5 },
        { symbol: "B", shares: 0.5 },
      ],
      "A=0.5,B=0.5",
    ],
    ['[{"symbol":"AAPL","shares":10}]', "AAPL=10"],
    ['{"AAPL": 10, "MSFT": 5}', "AAPL=10,MSFT=5"],
    ["AAPL=0.6 shares,MSFT=0.4 shares", "AAPL=0.6,MSFT=0.4"],
  ])("%j as %s", (written, means) => {
    expect(read(written)).toBe(means);
  });

  test.each([
    ["USD=1000", "CASH:USD=1000"],
    ["cash:JPY=100000", "CASH:JPY=100000"],
    ["cash=1000USD", "CASH:USD=1000"],
    ["1000 USD", "CASH:USD=1000"],
    ["$1000", "CASH:USD=1000"],
    ["USD 1000", "CASH:USD=1000"],
    ["10% cash", "CASH=10%"],
    ["cash: 1000", "CASH=1000"],
    ["USD=-30%", "CASH:USD=-30%"],
  ])("cash: %s as %s", (written, means) => {
    expect(read(`AAPL=1,${written}`)).toBe(`AAPL=1,${means}`);
  });
});

describe("holdings are refused", () => {
  test.each([
    ["AAPL", "Write AAPL=10, AAPL=40% or AAPL=5000USD"],
    ["JP:7203", "Write JP:7203=10"],
    ["AAPL=10,MSFT", "How much of MSFT?"],
    ["US:AAPL=1,000", "Write thousands without a comma: 1000."],
    // Points separate thousands in Viet Nam.
    ["FPT=1.000,VCB=500", "Write 1.000 as 1000 if its points separate thousands"],
    ["FPT=5.000.000VND", "Write 5.000.000 as 5000000"],
    [{ FPT: "1.500" }, "Write 1.500 as 1500"],
    ["AAPL=0.6,MSFT=0.4", "For a weight write AAPL=60%, for a part of a share AAPL=0.6 shares."],
    [{ AAPL: 0.6, MSFT: 0.4 }, "For a weight write AAPL=60%"],
    [[{ symbol: "AAPL", weight: 0.5 }], "For a weight write AAPL=50%"],
    [[{ symbol: "AAPL", amount: 5000 }], "An amount needs its currency: AAPL=5000USD."],
    ["USD=1000", "Add a holding that is no cash"],
    [[{ symbol: "AAPL", shares: 10, note: "core" }], "A holding has no field note."],
    ["AAPL=10@150@2024-02-30", "The day of the purchase can follow"],
    [[{ symbol: "AAPL", shares: 10, cost_basis: 1500 }], "cost, the price paid for a share"],
    [{ AAPL: { shares: 10, buy_date: "2024-01-02" } }, "A holding has no field buy_date."],
    [[{ symbol: "AAPL", weight: 10, cost: 150 }], "The price paid follows a number of shares"],
    ["AAPL=40%@150", "The price paid follows a number of shares"],
    ["AAPL=10@150XYZ", "in the currency of the share"],
    ["AAPL=10@$150EUR", "in the currency of the share"],
    // The first one is mostly the price of all shares.
    [[{ symbol: "AAPL", shares: 10, cost: 1500, avg_price: 150 }], "no field avg_price"],
    ["USD=10@1,AAPL=1", "The price paid follows a number of shares"],
    ["AAPL=ten", "like US:AAPL=10"],
    ["AAPL=5000XYZ", "like US:AAPL=10"],
    [[], "such as US:AAPL=10"],
    [{}, "such as US:AAPL=10"],
    [[null], "such as US:AAPL=10"],
    [7203, "such as US:AAPL=10"],
    [Array.from({ length: 51 }, (_, i) => `A${i}=1`), "at most 50 holdings"],
  ])("%j: %s", async (written, says) => {
    await refuse(written, says);
  });
});

test("symbols of holdings are replaced, cash is not", () => {
  const text = mapHoldings("AAPL=10,CASH:USD=5,7203=40%", (symbol) => `US:${symbol}`);
  expect(text).toBe("US:AAPL=10,CASH:USD=5,US:7203=40%");
  expect(parseHoldings(text)).toEqual([
    { symbol: "US:AAPL", quantity: 10, unit: "shares" },
    { symbol: "CASH:USD", quantity: 5, unit: "shares" },
    { symbol: "US:7203", quantity: 40, unit: "%" },
  ]);
});

test("fifty holdings can be separated by spaces", () => {
  const items = Array.from({ length: 50 }, (_, i) => `US:SYMBOL${i}=${i + 1}`);
  expect(read(items.join(" "))).toBe(items.join(","));
});

// Reading each would take minutes if the time grew with the square of its length.
test.each([
  ["words", "a ".repeat(60_000)],
  ["a word that NFKC makes 18 times longer", "ﷺ".repeat(8_000)],
  ["a list of one text", ["a ".repeat(60_000)]],
  ["a word without a separator", "a".repeat(8_000)],
])("%s is refused at once", async (_, holdings) => {
  await refuse(holdings, "such as US:AAPL=10");
});
