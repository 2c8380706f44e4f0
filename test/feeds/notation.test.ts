import { afterAll, describe, expect, test } from "bun:test";
import type { Country } from "#domain/country.ts";
import { exchangeCode } from "#domain/exchanges.ts";
import type { AssetType } from "#domain/instrument.ts";
import { type ListedSymbol, writeSymbol } from "#feeds/notation.ts";
import { resolveSymbols } from "#operations/reading/symbols.ts";
import { listUniverse } from "#sample/universe.ts";
import { startHandMade } from "../support/contract-exchange.ts";
import { seeded } from "../support/hostile.ts";
import { SAMPLE, stock } from "../support/market.ts";
import { openSampleMarket } from "../support/service.ts";

const { market, close } = openSampleMarket();
afterAll(close);
/** The instrument that the operations read in a text: `JP:7203`. */
function read(written: string): string | undefined {
  const [found] = resolveSymbols(market, written).found;
  return found && `${found.country}:${found.symbol}`;
}

// As the vendors' documents and clients write them.
test.each([
  ["yahoo", "JP", "7203", "stock", "7203.T"],
  ["yahoo", "VN", "FPT", "stock", "FPT.VN"],
  ["yahoo", "US", "BRK.B", "stock", "BRK-B"],
  ["yahoo", "JP", "^N225", "index", "^N225"],
  ["yahoo", "JP", "JPY=X", "currency", "JPY=X"],
  ["eodhd", "US", "AAPL", "stock", "AAPL.US"],
  ["eodhd", "US", "BRK.B", "stock", "BRK-B.US"],
  ["eodhd", "JP", "7203", "stock", "7203.TSE"],
  ["eodhd", "VN", "FPT", "stock", "FPT.VN"],
  ["eodhd", "US", "^GSPC", "index", "GSPC.INDX"],
  ["eodhd", "JP", "JPY=X", "currency", "USDJPY.FOREX"],
  ["eodhd", "US", "BTC-USD", "cryptocurrency", "BTC-USD.CC"],
  ["eodhd", "US", "GC=F", "commodity", "GC.COMM"],
  ["twelvedata", "JP", "7203", "stock", "7203"],
  ["twelvedata", "US", "EURUSD=X", "currency", "EUR/USD"],
  ["twelvedata", "US", "BTC-USD", "cryptocurrency", "BTC/USD"],
  ["massive", "US", "BRK.B", "stock", "BRK.B"],
  ["massive", "JP", "JPY=X", "currency", "C:USDJPY"],
  ["massive", "US", "BTC-USD", "cryptocurrency", "X:BTCUSD"],
  ["massive", "US", "^NDX", "index", "I:NDX"],
  ["massive", "US", "^GSPC", "index", "I:SPX"],
  ["twelvedata", "US", "^GSPC", "index", "SPX"],
  ["twelvedata", "JP", "^N225", "index", "N225"],
  ["twelvedata", "VN", "VNINDEX", "index", "VNINDEX"],
  ["twelvedata", "US", "^DJT", "index", "^DJT"],
  ["massive", "US", "^DJT", "index", "I:DJT"],
] as const)("%s writes %s:%s (%s) as %s", (layer, country, symbol, type, written) => {
  expect(writeSymbol(layer, { country, symbol, type })).toBe(written);
});

describe("every notation that a layer writes is read as the same instrument", () => {
  const layers = [
    "yahoo",
    "eodhd",
    "tiingo",
    "massive",
    "alphavantage",
    "financialdatasets",
  ] as const;
  test.each(layers)("%s", (layer) => {
    const wrong = listUniverse().flatMap(({ country, symbol, assetType: type }) => {
      const written = writeSymbol(layer, { country, symbol, type });
      const found = read(written);
      return found === `${country}:${symbol}` ? [] : [{ written, country, symbol, found }];
    });
    expect(wrong).toEqual([]);
  });
});

describe("no two instruments of a live market have one name", () => {
  const random = seeded(15_000);
  const letters = (count: number) =>
    Array.from({ length: count }, () => String.fromCodePoint(65 + Math.floor(random() * 26))).join(
      "",
    );
  const listed = new Map<string, ListedSymbol>();
  const add = (country: Country, symbol: string, type: AssetType) =>
    listed.set(`${country}:${symbol}`, { country, symbol, type });
  // The same letters are a share in two countries, a class, an index, a future, a coin and half of a pair. Symbols of
  // Japan have a digit.
  for (let i = 0; i < 1_600; i++) {
    const [short, long] = [letters(3), letters(1 + Math.floor(random() * 5))];
    for (const country of ["US", "VN"] as const) add(country, short, "stock");
    add("US", long, "etf");
    add("US", `${long}.${letters(1)}`, "stock");
    add("JP", `${1_000 + i}`, "reit");
    add("JP", `${100 + (i % 900)}A`, "stock");
    add("US", `^${short}`, "index");
    add("VN", `${long}INDEX`, "index");
    add("US", `${short.slice(0, 2)}=F`, "commodity");
    add("US", `${long}-USD`, "cryptocurrency");
    add("JP", `${short}=X`, "currency");
    add("US", `${short}${letters(3)}=X`, "currency");
  }
  const market = [...listed.values()].filter(({ symbol }) => !/^USD.{3}=X$/.test(symbol));

  test.each(["yahoo", "alphavantage", "financialdatasets", "massive", "eodhd", "tiingo"] as const)(
    "%s",
    (layer) => {
      expect(market.length).toBeGreaterThan(15_000);
      const byName = Map.groupBy(market, (one) => writeSymbol(layer, one));
      const shared = [...byName].filter(([, owners]) => owners.length > 1);
      expect(shared.map(([name, owners]) => [name, owners.map(({ symbol }) => symbol)])).toEqual(
        [],
      );
    },
  );

  test("twelvedata, with the country and the type that stand beside the symbol", () => {
    const nameOf = (one: ListedSymbol) =>
      [writeSymbol("twelvedata", one), one.country, one.type].join(" ");
    expect(new Set(market.map(nameOf)).size).toBe(market.length);
  });
});

test.each([
  ["XNAS:AAPL", "US:AAPL"],
  ["XNYS:KO", "US:KO"],
  ["XTKS:7203", "JP:7203"],
  ["XJPX:7203", "JP:7203"],
  ["XSTC:FPT", "VN:FPT"],
  ["HSTC:SHS", "VN:SHS"],
  ["TYO:7203", "JP:7203"],
  ["NASDAQ:AAPL", "US:AAPL"],
  ["USDJPY=X", "JP:JPY=X"],
  ["VSE:FPT", "VN:FPT"],
])("%s is %s", (written, key) => {
  expect(read(written)).toBe(key);
});

test("a code is known of an exchange, or if all exchanges of the country have it", () => {
  expect(exchangeCode("mic", "JP")).toBe("XJPX");
  expect(exchangeCode("mic", "VN")).toBeNull();
  expect(exchangeCode("mic", "VN", "HNX")).toBe("HSTC");
  expect(exchangeCode("mic", "US", "NYSE")).toBe("XNYS");
  expect(exchangeCode("mic", "US")).toBeNull();
  expect(exchangeCode("eodhd", "US")).toBe("US");
  expect(exchangeCode("twelvedata", "US", "NASDAQ")).toBe("NASDAQ");
});

describe("a symbol without an exchange that several countries have", () => {
  // FPT is a fund in New York and a company in Viet Nam.
  const shares = [
    stock("US", "FPT", { name: "A fund" }),
    stock("VN", "FPT", { name: "A company", currency: "VND" }),
  ];
  const world = startHandMade();
  afterAll(async () => (await world).service.stop());

  test.each([
    ["yahoo/v8/finance/chart/FPT?range=5d", "USD"],
    ["yahoo/v8/finance/chart/FPT.VN?range=5d", "VND"],
    ["twelvedata/time_series?symbol=FPT&interval=1day", "USD"],
    ["twelvedata/time_series?symbol=FPT&mic_code=XSTC&interval=1day", "VND"],
  ])("%s is in %s", async (path, currency) => {
    const { service } = await world;
    service.market.put("instruments", shares, SAMPLE);
    const { user } = service.createToken();
    const { token } = service.accounts.createToken(user, "x", null, "feed");
    const answer = await fetch(`${service.origin}/feed/${token}/${path}`);
    expect(await answer.text()).toContain(`"currency":"${currency}"`);
  });
});
