import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { WrittenItem } from "#domain/list-file.ts";
import { previewList } from "#operations/portfolio/list-preview.ts";
import { expectError } from "../../support/error.ts";
import { finish } from "../../support/list-files.ts";
import { flatBar, instrument, openTestMarket, SAMPLE } from "../../support/market.ts";

let world: ReturnType<typeof openTestMarket>;
beforeAll(() => {
  world = openTestMarket();
  world.market.put(
    "instruments",
    [
      instrument("US", "AAPL", { name: "Apple Inc." }),
      instrument("US", "GOOGL", { name: "Alphabet Inc. Class A" }),
      instrument("US", "GOOG", { name: "Alphabet Inc. Class C", primaryListing: false }),
      instrument("US", "META", { name: "Meta Platforms, Inc." }),
      instrument("US", "NVD", { name: "Daily Short NVDA", assetType: "etf" }),
      instrument("US", "NVDA", { name: "NVIDIA Corporation" }),
      instrument("US", "SAP", { name: "SAP SE" }),
      instrument("US", "ALL", { name: "The Allstate Corporation" }),
      instrument("US", "USD", { name: "Ultra Semiconductors", assetType: "etf" }),
      instrument("US", "FPT", { name: "Federated Trust" }),
      instrument("US", "DE", { name: "Deere & Company" }),
      instrument("US", "BTC-USD", { name: "Bitcoin", assetType: "cryptocurrency" }),
      instrument("JP", "7203", { name: "Toyota Motor Corporation", aliases: "JP3633400001" }),
      instrument("VN", "FPT", { name: "FPT Corporation" }),
      instrument("VN", "VNM", { name: "Vinamilk" }),
    ],
    SAMPLE,
  );
});
afterAll(() => world[Symbol.dispose]());

/** What a file of these items becomes: `line` counts from 1. */
function preview(...written: Partial<WrittenItem>[]) {
  const items = written.map((one, i): WrittenItem => ({
    place: `line ${i + 1}`,
    written: one.symbols?.[0] ?? one.isin ?? one.name ?? "",
    symbols: [],
    isin: null,
    name: null,
    currency: null,
    shares: null,
    boughtOn: null,
    weight: null,
    note: null,
    ...one,
  }));
  const file = { program: "CSV", items, remarks: [] };
  return finish(
    previewList(world.market, file, { fileName: "Meine Käufe 2026.csv", today: "2026-11-20" }),
  );
}

const symbolsOf = (...written: Partial<WrittenItem>[]) =>
  preview(...written).items.map(({ item }) => `${item.country}:${item.symbol}`);

describe("what an item means", () => {
  test.each<[string, Partial<WrittenItem>, string]>([
    ["a symbol with an exchange", { symbols: ["TSE:7203"] }, "JP:7203"],
    ["a suffix", { symbols: ["7203.T"] }, "JP:7203"],
    ["a symbol of one country", { symbols: ["VNM"] }, "VN:VNM"],
    ["a symbol of two countries, by its currency", { symbols: ["FPT"], currency: "VND" }, "VN:FPT"],
    ["by its ISIN", { symbols: ["FPT"], isin: "VN000000FPT1" }, "VN:FPT"],
    ["an ISIN that the market knows", { isin: "JP3633400001" }, "JP:7203"],
    ["a former symbol", { symbols: ["FB"] }, "US:META"],
    [
      "a share on another exchange, by ISIN and name",
      { symbols: ["APC.DE"], isin: "US0378331005", name: "Apple Inc.", currency: "EUR" },
      "US:AAPL",
    ],
    [
      "the same with what banks write",
      {
        symbols: ["APC.DE"],
        isin: "US0378331005",
        name: "Apple Inc. Registered Shares o.N.",
        currency: "EUR",
      },
      "US:AAPL",
    ],
    [
      "a ticker of Frankfurt that is a fund in the US",
      { symbols: ["NVD"], isin: "US67066G1040", name: "NVIDIA Corp.", currency: "EUR" },
      "US:NVDA",
    ],
    ["a class of shares", { isin: "US02079K1079", name: "Alphabet Inc. Class C" }, "US:GOOG"],
    ["a name alone", { name: "Apple" }, "US:AAPL"],
    ["a share whose symbol is a currency too", { symbols: ["ALL"], shares: 5 }, "US:ALL"],
    [
      "a cryptocurrency, which has no country",
      { symbols: ["BTC-USD"], currency: "EUR" },
      "US:BTC-USD",
    ],
    ["the next of several notations", { symbols: ["MUTF:AAPL", "AAPL"] }, "US:AAPL"],
  ])("%s", (_, written, key) => {
    expect(symbolsOf(written)).toEqual([key]);
  });

  test.each<[string, Partial<WrittenItem>, string, string | null]>([
    [
      "two countries have it",
      { symbols: ["FPT"] },
      "Several countries have it: US:FPT Federated Trust, VN:FPT FPT Corporation",
      "FPT",
    ],
    [
      "another exchange",
      { symbols: ["VOD.L"] },
      "VOD.L is listed in London, and only US, JP and VN are covered",
      null,
    ],
    [
      "another company with these letters",
      { symbols: ["SAP"], isin: "DE0007164600", currency: "EUR" },
      "its price is in EUR, and the price of US:SAP SAP SE in USD",
      "SAP",
    ],
    [
      "an ISIN of a country that has no such symbol here",
      { symbols: ["7203"], isin: "DE0007164600" },
      "its ISIN DE0007164600 is not of JP, where JP:7203 Toyota Motor Corporation is",
      "7203",
    ],
    [
      "an ISIN of another country",
      { symbols: ["7203"], isin: "US0378331005" },
      "Not in US, but in JP",
      null,
    ],
    [
      "a receipt, which is no share of its company",
      { symbols: ["TOYOF"], name: "Toyota Motor" },
      "Not found in US, JP or VN",
      "7203",
    ],
    [
      "a mistyped symbol beside its exchange",
      { symbols: ["NASDAQ:GOOGLE"] },
      "Not found in US",
      "GOOGL",
    ],
    ["a mistyped symbol", { symbols: ["GOOGLE"] }, "Not found in US, JP or VN", "GOOGL"],
    // The bond that the CUSIP number 037833BH2 names, as its issuer is called.
    [
      "a bond",
      { isin: "US037833BH21", name: "Apple Inc." },
      "US037833BH21 is an ISIN that no source gives. Give the symbol, or import it as an alias of the share",
      "AAPL",
    ],
    ["nothing", { name: "Penthouse" }, "Penthouse is no name of one instrument", null],
  ])("not understood: %s", (_, written, reason, closest) => {
    const { items, notUnderstood } = preview(written);
    expect(items).toEqual([]);
    expect(
      notUnderstood.map((one) => [one.place, one.reason, one.closest?.item.symbol ?? null]),
    ).toEqual([["line 1", reason, closest]]);
  });
});

test("duplicates are added, and named; uncertain shares stay uncertain", () => {
  const { items, remarks } = preview(
    { symbols: ["AAPL"], shares: 0.1, note: "first" },
    { symbols: ["NASDAQ:AAPL"], shares: 0.2, note: "second" },
    { symbols: ["META"], shares: 3 },
    { symbols: ["FB"], shares: "uncertain" },
    { symbols: ["VNM"], shares: null },
    { symbols: ["HOSE:VNM"], shares: 7 },
  );
  expect(items.map(({ item }) => item)).toEqual([
    { country: "US", symbol: "AAPL", shares: 0.3, note: "first" },
    { country: "US", symbol: "META" },
    { country: "VN", symbol: "VNM", shares: 7 },
  ]);
  expect(remarks.map(({ place, reason }) => `${place}: ${reason}`)).toEqual([
    "line 2: added to US:AAPL of line 1",
    "line 4: added to US:META of line 3",
    "line 6: added to VN:VNM of line 5",
  ]);
});

test("the shares of a depositary receipt are no shares in Tokyo", () => {
  const { items, remarks } = preview({ symbols: ["TM"], shares: 5 }, { symbols: ["7203"] });
  expect(items.map(({ item }) => item)).toEqual([{ country: "JP", symbol: "7203" }]);
  expect(remarks[0]?.reason).toBe(
    "taken without shares: TM is a receipt, which can be of several shares or a part of one",
  );
  expect(preview({ symbols: ["TM"] }).remarks).toEqual([]);
});

test("cash is left out and named, and a currency without an amount is an instrument", () => {
  const { items, remarks } = preview(
    { symbols: ["USD"], shares: 1000 },
    { symbols: ["US:USD"], shares: 3 },
  );
  expect(items.map(({ item }) => item)).toEqual([{ country: "US", symbol: "USD", shares: 3 }]);
  expect(remarks[0]?.reason).toBe("cash; write US:USD if a share is meant");
});

test("a split after a purchase that the file does not have is a remark", () => {
  const splits = [
    { exDate: "2024-06-10", numerator: 10, denominator: 1 },
    { exDate: "2027-01-04", numerator: 2, denominator: 1 },
  ];
  world.market.documents.put("splits", [{ country: "US", symbol: "NVDA", splits }], SAMPLE);
  const remarksOf = (boughtOn: string | null) =>
    preview({ symbols: ["NVDA"], shares: 20, boughtOn }).remarks.map(({ reason }) => reason);
  expect(remarksOf("2024-01-03")).toEqual([
    "check whether 20 shares count the split of 10 for 1 on 2024-06-10: a purchase is of 2024-01-03",
  ]);
  expect(remarksOf("2024-06-10")).toEqual([]);
  expect(remarksOf(null)).toEqual([]);
});

test("a name that has nothing of the instrument's is a remark", () => {
  const [remark] = preview({ symbols: ["DE"], name: "Consumer prices, Germany" }).remarks;
  expect(remark?.reason).toBe(
    "taken as US:DE Deere & Company, but its name in the file is Consumer prices, Germany",
  );
  expect(preview({ symbols: ["7203"], name: "トヨタ自動車" }).remarks).toEqual([]);
});

test("an item has shares or a weight, and a note of at most 200 characters", () => {
  const { items } = preview(
    { symbols: ["AAPL"], shares: 2, weight: 60 },
    { symbols: ["META"], weight: 40, note: "n".repeat(300) },
  );
  expect(items.map(({ item }) => item)).toEqual([
    { country: "US", symbol: "AAPL", shares: 2 },
    { country: "US", symbol: "META", weight: 40, note: "n".repeat(200) },
  ]);
});

test("the list's name is made of the file's name", () => {
  expect(preview({ symbols: ["AAPL"] }).name).toBe("meine-kaufe-2026");
});

test("a file of more instruments than a list has is refused", async () => {
  const many = Array.from({ length: 1_001 }, (_, i) => ({ symbols: [`X${i}`] }));
  const { message } = await expectError(() => preview(...many), "invalid_argument");
  expect(message).toBe(
    "The file names 1001 instruments, and a list has at most 1000: split the file.",
  );
});

test("a price paid is taken in its currency, and left out where it contradicts the market", () => {
  const bars = [flatBar("2024-01-03", 0.5), flatBar("2024-06-11", 6), flatBar("2026-11-19", 10)];
  world.market.put("bars", [{ country: "US", symbol: "NVDA", bars }], SAMPLE);
  const splits = [{ exDate: "2024-06-10", numerator: 10, denominator: 1 }];
  world.market.put("splits", [{ country: "US", symbol: "NVDA", splits }], SAMPLE);
  const costOf = (
    price: number,
    date: string | null,
    more: Partial<WrittenItem> = {},
    currency: string | null = "USD",
  ) => {
    const { items, remarks } = preview({
      symbols: ["NVDA"],
      shares: 20,
      cost: { price, currency, date },
      ...more,
    });
    return [items[0]?.item.cost, remarks.map(({ reason }) => reason).join()] as const;
  };
  // In shares of today the close was 0.5, in shares of the day 5.
  expect(costOf(5.2, "2024-01-03")).toEqual([
    { price: 5.2, currency: "USD", date: "2024-01-03" },
    "",
  ]);
  // A program that has adjusted it writes 0.52.
  expect(costOf(0.52, "2024-01-03")[0]).toEqual({
    price: 5.2,
    currency: "USD",
    date: "2024-01-03",
  });
  expect(costOf(5_200, "2024-01-03")).toEqual([
    undefined,
    "taken without its price paid: the price paid, 5200 USD, is far from its close of 5 USD on 2024-01-03",
  ]);
  expect(costOf(7, "2024-06-11", {}, null)).toEqual([
    { price: 7, currency: "USD", date: "2024-06-11" },
    "the price paid is taken as USD, as the file names no currency",
  ]);
  expect(costOf(7, null)).toEqual([{ price: 7, currency: "USD" }, ""]);
  expect(costOf(7, null, { boughtOn: "2024-01-03" })[1]).toContain(
    "bought on several days, and split since",
  );
  expect(costOf(7, null, {}, "EUR")[1]).toContain(
    "the price paid is in EUR, and its day is not known",
  );
  expect(costOf(7, "2027-01-01")[1]).toContain("2027-01-01 is no day of a purchase");
});
