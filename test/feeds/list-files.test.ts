import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ListItem } from "#domain/user-list.ts";
import { LIST_FORMATS, type ListFormat, writeList } from "#feeds/list-files.ts";
import { describeItems } from "#operations/portfolio/list-items.ts";
import { previewList } from "#operations/portfolio/list-preview.ts";
import { finish, readList } from "../support/list-files.ts";
import { instrument, openTestMarket, SAMPLE } from "../support/market.ts";

const INSTRUMENTS = [
  instrument("US", "AAPL", { exchange: "NASDAQ" }),
  instrument("US", "BRK.B", { exchange: "NYSE" }),
  instrument("US", "SPY", { exchange: "NYSE Arca", assetType: "etf" }),
  instrument("US", "FPT", { exchange: "NASDAQ" }),
  instrument("VN", "FPT", { exchange: "HOSE" }),
  instrument("VN", "VNM", { exchange: null }),
  instrument("JP", "7203", { exchange: "TSE" }),
  instrument("US", "^VIX", { assetType: "index" }),
  instrument("JP", "JPY=X", { assetType: "currency" }),
  instrument("US", "BTC-USD", { assetType: "cryptocurrency" }),
  instrument("US", "GC=F", { assetType: "commodity" }),
];

let world: ReturnType<typeof openTestMarket>;
beforeAll(() => {
  world = openTestMarket();
  world.market.put("instruments", INSTRUMENTS, SAMPLE);
});
afterAll(() => world[Symbol.dispose]());

/** The file of a list. */
function write(format: ListFormat, items: readonly ListItem[]) {
  return writeList(format, describeItems(world.market, items));
}

const OPTIONS = { fileName: "a.csv", today: "2026-11-20" };

/** The items of a file. */
function read(text: string): ListItem[] {
  const preview = finish(previewList(world.market, readList(text), OPTIONS));
  expect(preview.notUnderstood).toEqual([]);
  return preview.items.map(({ item }) => item);
}

const figure = fc.oneof(
  fc.double({ min: -1e15, max: 1e15, noNaN: true }).map((one) => one || 0),
  fc.integer({ min: -100, max: 10_000 }),
);
/** NUL and the sign of damaged text make no text file. */
const note = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
    fc.constantFrom(
      "=1+1",
      "'=1+1",
      "''-x",
      "-2.1%",
      "a,b",
      'say "x"',
      "two\r\nlines",
      " blanks ",
      "<b>&amp;",
      "0012",
      "@x",
    ),
  )
  .filter((text) => !/[\0\uFFFD]/.test(text));
const quantity = fc.oneof(
  fc.constant({}),
  fc.record({ shares: figure }),
  fc.record({
    weight: fc.double({ min: -10_000, max: 10_000, noNaN: true }).map((one) => one || 0),
  }),
);
const list = fc
  .uniqueArray(
    fc.record({
      of: fc.constantFrom(...INSTRUMENTS),
      quantity,
      note: fc.option(note, { nil: undefined }),
      cost: fc.option(
        fc.record({
          price: fc.double({ min: 0, max: 1e15, noNaN: true }).map((one) => one || 0),
          currency: fc.constantFrom("USD", "JPY"),
        }),
        { nil: undefined },
      ),
      thesis: fc.option(fc.record({ text: note, while: note }), { nil: undefined }),
    }),
    { selector: ({ of }) => of, minLength: 1 },
  )
  .map((items) =>
    items.map(
      ({ of: { country, symbol }, quantity: held, note: text, thesis, cost }): ListItem => ({
        country,
        symbol,
        ...held,
        ...(text !== undefined && { note: text }),
        ...(thesis && { thesis }),
        ...(cost && "shares" in held && { cost }),
      }),
    ),
  );

describe("what is exported is read again", () => {
  test("csv: every list as it was", () => {
    fc.assert(
      fc.property(list, (items) => {
        expect(read(write("csv", items).text)).toEqual(items);
      }),
    );
  });

  test("yahoo: prices paid in the currency of the share", () => {
    const cost = { price: 150.5, currency: "USD", date: "2024-05-01" };
    const items: ListItem[] = [{ country: "US", symbol: "AAPL", shares: 10, cost }];
    const { text } = write("yahoo", items);
    expect(text.split("\r\n")[1]).toBe("AAPL,,,,,,,,,20240501,150.5,10,,,,");
    expect(read(text)).toEqual(items);
    const inEuro = [{ ...items[0], cost: { ...cost, currency: "EUR" } }] as ListItem[];
    expect(write("yahoo", inEuro).text.split("\r\n")[1]).toStartWith("AAPL,,,,,,,,,,,10");
  });

  test("yahoo: symbols, shares and notes", () => {
    const items: ListItem[] = [
      { country: "US", symbol: "BRK.B", shares: 2.5, note: "class B" },
      { country: "JP", symbol: "7203", shares: 300 },
      { country: "VN", symbol: "FPT", shares: 1_000 },
      { country: "US", symbol: "^VIX" },
      { country: "JP", symbol: "JPY=X" },
    ];
    const { text, leftOut } = write("yahoo", items);
    expect(text.split("\r\n")[1]).toBe("BRK-B,,,,,,,,,,,2.5,,,,class B");
    expect(text).toContain("\r\n7203.T,");
    expect(leftOut).toEqual([]);
    expect(read(text)).toEqual(items);
  });

  test("tradingview: symbols with their exchange; the others are named", () => {
    const { text, leftOut } = write(
      "tradingview",
      INSTRUMENTS.map(({ country, symbol }) => ({ country, symbol })),
    );
    expect(text).toBe(
      "NASDAQ:AAPL,NYSE:BRK.B,AMEX:SPY,NASDAQ:FPT,HOSE:FPT,TSE:7203,FX:USDJPY,CRYPTO:BTCUSD\n",
    );
    expect(leftOut).toEqual(["VN:VNM", "US:^VIX", "US:GC=F"]);
    expect(read(text).map(({ country, symbol }) => `${country}:${symbol}`)).toEqual(
      "US:AAPL US:BRK.B US:SPY US:FPT VN:FPT JP:7203 JP:JPY=X US:BTC-USD".split(" "),
    );
  });

  test("an empty list is a header, and each format is one of the list", () => {
    expect(write("csv", []).text).toBe("country,symbol,shares,weight,note\r\n");
    expect(LIST_FORMATS).toEqual(["csv", "tradingview", "yahoo"]);
  });
});

test("our own file as a spreadsheet saves it, with semicolons and decimal commas", () => {
  const { items, remarks } = readList(
    "country;symbol;shares;weight;note\r\nUS;AAPL;1.234,5;;x\r\nJP;7203;viele;;\r\n",
  );
  expect(items.map(({ shares }) => shares)).toEqual([1234.5, null]);
  expect(remarks.map(({ reason }) => reason)).toEqual([
    "taken without 'viele', which is no number that a list can have",
  ]);
});
