import { describe, expect, test } from "bun:test";
import { openTestMarket, SAMPLE, stock } from "../support/market.ts";
import { barsFrom, quote } from "../support/upstream-refresher.ts";

const ALL = { limit: 100, offset: 0 };

describe("instruments", () => {
  test("every field comes back as it was put, with its provenance", () => {
    using home = openTestMarket();
    const { market } = home;
    const records = [
      stock("US", "AAPL", { summary: "Phones.", indexMember: true }),
      stock("VN", "VNINDEX", {
        assetType: "index",
        exchange: null,
        sector: null,
        industry: null,
        sharesOutstanding: null,
        employees: null,
        primaryListing: false,
      }),
    ];
    market.put("instruments", records, SAMPLE);
    expect(market.instruments.list(null)).toEqual(
      records.map((record, i) => ({ id: i + 1, ...record, ...SAMPLE })),
    );
  });

  test("a symbol is known within its country", () => {
    using home = openTestMarket();
    const { market } = home;
    market.put(
      "instruments",
      [stock("US", "FPT"), stock("VN", "FPT"), stock("JP", "7203")],
      SAMPLE,
    );
    expect(market.instruments.find({ country: "VN", symbol: "FPT" })?.country).toBe("VN");
    expect(market.instruments.find({ country: "JP", symbol: "FPT" })).toBeNull();
    expect(market.instruments.listCountries("FPT")).toEqual(["US", "VN"]);
    expect(market.instruments.listCountries("NONE")).toEqual([]);
    expect(market.instruments.listSymbols("JP")).toEqual(["7203"]);
  });

  test("put again changes the fields, unknown ones aside, and keeps the id, and with it the bars", () => {
    using home = openTestMarket();
    const { market } = home;
    market.put("instruments", [stock("US", "AAPL", { employees: 7 }), stock("US", "MSFT")], SAMPLE);
    const bar = { date: "2026-11-19", open: 1, high: 1, low: 1, close: 1, volume: 1 };
    market.put("bars", [{ country: "US", symbol: "AAPL", bars: [bar] }], SAMPLE);
    market.put("instruments", [stock("US", "AAPL", { name: "Apple", employees: null })], {
      source: "listing",
      storedAt: 2_000,
    });
    const apple = market.instruments.find({ country: "US", symbol: "AAPL" });
    expect(apple).toMatchObject({ id: 1, name: "Apple", employees: 7, source: "listing" });
    expect(market.bars.listNewest(1, 9)).toEqual([bar]);
    expect(market.instruments.list("US")).toHaveLength(2);
  });

  test("what was imported is not overwritten by what is fetched, but by another import", () => {
    using home = openTestMarket();
    const { market } = home;
    const put = (name: string, source: string) =>
      market.put("instruments", [stock("US", "AAPL", { name })], { source, storedAt: 1 });
    const name = () => market.instruments.find({ country: "US", symbol: "AAPL" })?.name;
    put("Mine", "import");
    put("Theirs", "listing");
    expect(name()).toBe("Mine");
    put("Mine again", "import");
    expect(name()).toBe("Mine again");
  });

  test("what an import left out is told by others", () => {
    using home = openTestMarket();
    const { market } = home;
    const imported = { source: "import", storedAt: 1 };
    market.put("instruments", [stock("US", "AAPL", { name: "Mine", employees: null })], imported);
    market.put("instruments", [stock("US", "AAPL", { name: "Theirs", employees: 9 })], SAMPLE);
    expect(market.instruments.find({ country: "US", symbol: "AAPL" })).toMatchObject({
      name: "Mine",
      employees: 9,
      source: "import",
    });
  });

  test("a whole market's list changes no class and ends no index membership", () => {
    using home = openTestMarket();
    const { market } = home;
    const apple = (sector: string, indexMember: boolean) =>
      stock("US", "AAPL", { sector, industry: null, indexMember });
    const listing = { country: "US" } as const;
    const found = () => market.instruments.find({ country: "US", symbol: "AAPL" });
    market.put("instruments", [apple("industrials", false)], SAMPLE, listing);
    market.put("instruments", [apple("technology", true)], SAMPLE);
    market.put("instruments", [apple("industrials", false)], SAMPLE, listing);
    expect(found()).toMatchObject({ sector: "technology", indexMember: true });
    market.put("instruments", [apple("energy", false)], SAMPLE);
    expect(found()).toMatchObject({ sector: "energy", indexMember: false });
  });

  test("are counted by country and asset type, none of zero", () => {
    using home = openTestMarket();
    const { market } = home;
    market.put(
      "instruments",
      [
        stock("US", "AAPL"),
        stock("US", "MSFT"),
        stock("US", "SPY", { assetType: "etf" }),
        stock("JP", "7203"),
      ],
      SAMPLE,
    );
    expect(market.instruments.countByAssetType()).toEqual([
      { country: "JP", assetType: "stock", count: 1 },
      { country: "US", assetType: "etf", count: 1 },
      { country: "US", assetType: "stock", count: 2 },
    ]);
  });

  test("name each source once, with the oldest moment at which it gave one", () => {
    using home = openTestMarket();
    const { market } = home;
    expect(market.instruments.listSources()).toEqual([]);
    market.put("instruments", [stock("US", "AAPL")], { source: "sample", storedAt: 2_000 });
    market.put("instruments", [stock("JP", "7203")], SAMPLE);
    market.put("instruments", [stock("US", "OWN")], { source: "import", storedAt: 3_000 });
    expect(market.instruments.listSources()).toEqual([
      { source: "import", storedAt: 3_000 },
      { source: "sample", storedAt: 1_000 },
    ]);
  });
});

describe("search", () => {
  /** A small market in an order that is not the expected one. */
  function openSearch() {
    const home = openTestMarket();
    home.market.put(
      "instruments",
      [
        stock("US", "XAP", { name: "Snap On Maple" }),
        stock("US", "MAPS", { name: "Apex Maps" }),
        stock("US", "APD", { name: "Air Products", sector: "basic-materials" }),
        stock("US", "AP", { name: "Ampco" }),
        stock("JP", "9999", { name: "APPLE JAPAN" }),
        stock("US", "PCT", { name: "100% Pure_Cotton \\ Sons" }),
        stock("VN", "DHG", { name: "Dược Hậu Giang ÉCLAT" }),
        stock("US", "SPY", { name: "S&P 500 ETF", assetType: "etf", sector: null }),
      ],
      SAMPLE,
    );
    const symbols = (filter: Parameters<typeof home.market.instruments.search>[0]) =>
      home.market.instruments.search(filter, ALL).instruments.map(({ symbol }) => symbol);
    return { ...home, symbols };
  }

  test("gives the exact symbol, then symbols and then names that begin so, then the rest as stored", () => {
    using home = openSearch();
    expect(home.symbols({ query: "ap" })).toEqual(["AP", "APD", "MAPS", "9999", "XAP"]);
    expect(home.symbols({ query: "AP" })).toEqual(["AP", "APD", "MAPS", "9999", "XAP"]);
  });

  test("without a query gives all that the other filters let through, as stored", () => {
    using home = openSearch();
    expect(home.symbols({})).toHaveLength(8);
    expect(home.symbols({ country: "JP" })).toEqual(["9999"]);
    expect(home.symbols({ assetType: "etf" })).toEqual(["SPY"]);
    expect(home.symbols({ sector: "basic-materials" })).toEqual(["APD"]);
    expect(home.symbols({ country: "JP", sector: "basic-materials" })).toEqual([]);
    expect(home.symbols({ country: "US", query: "ap" })).toEqual(["AP", "APD", "MAPS", "XAP"]);
  });

  test("takes %, _ and \\ for what they are", () => {
    using home = openSearch();
    expect(home.symbols({ query: "%" })).toEqual(["PCT"]);
    expect(home.symbols({ query: "e_c" })).toEqual(["PCT"]);
    expect(home.symbols({ query: "\\" })).toEqual(["PCT"]);
    expect(home.symbols({ query: "' OR 1=1 --" })).toEqual([]);
  });

  test("finds a name with other letters than ASCII as it is written", () => {
    using home = openSearch();
    expect(home.symbols({ query: "Dược Hậu" })).toEqual(["DHG"]);
    expect(home.symbols({ query: "ÉCLAT" })).toEqual(["DHG"]);
  });

  test("counts all that match, whatever page is asked for; pages meet without gap or overlap", () => {
    using home = openSearch();
    const pages = [0, 2, 4, 6].map((offset) =>
      home.market.instruments.search({ query: "ap" }, { limit: 2, offset }),
    );
    expect(pages.map(({ total }) => total)).toEqual([5, 5, 5, 5]);
    expect(pages.flatMap((page) => page.instruments.map(({ symbol }) => symbol))).toEqual(
      home.symbols({ query: "ap" }),
    );
  });

  test("of 10,000 characters is an answer, not an error", () => {
    using home = openSearch();
    expect(home.symbols({ query: "%_".repeat(5_000) })).toEqual([]);
  });
});

describe("the largest companies", () => {
  const stored = { source: "sample", storedAt: 1 };
  const quoted = (symbol: string, price: number, marketCap: number | null) =>
    quote(symbol, price, { marketCap });

  test("are by shares at the newest price, else as quoted; those of unknown size come last, members first", () => {
    using home = openTestMarket();
    const { market } = home;
    const unknown = { sharesOutstanding: null };
    market.put(
      "instruments",
      [
        stock("US", "NOTHING", unknown),
        stock("US", "MEMBER", { ...unknown, indexMember: true }),
        stock("US", "QUOTED", unknown),
        stock("US", "SHARES", { sharesOutstanding: 100 }),
        stock("US", "BARS", { sharesOutstanding: 100 }),
        stock("JP", "ELSEWHERE", { sharesOutstanding: 1e9 }),
      ],
      stored,
    );
    market.put("quotes", [quoted("QUOTED", 1, 700), quoted("SHARES", 6, 5)], stored);
    market.put(
      "bars",
      [{ country: "US", symbol: "BARS", bars: barsFrom("2026-11-19", 9, 8) }],
      stored,
    );
    expect(market.instruments.listLargest("US", 10)).toEqual([
      { symbol: "BARS", marketCap: 800 },
      { symbol: "QUOTED", marketCap: 700 },
      { symbol: "SHARES", marketCap: 600 },
      { symbol: "MEMBER", marketCap: null },
      { symbol: "NOTHING", marketCap: null },
    ]);
    expect(market.instruments.listLargest("US", 2)).toHaveLength(2);
  });

  test("are companies, each once", () => {
    using home = openTestMarket();
    home.market.put(
      "instruments",
      [
        stock("US", "SPY", { assetType: "etf" }),
        stock("US", "GOOG", { primaryListing: false }),
        stock("US", "GOOGL"),
        stock("US", "O", { assetType: "reit" }),
      ],
      stored,
    );
    expect(home.market.instruments.listLargest("US", 10).map(({ symbol }) => symbol)).toEqual([
      "GOOGL",
      "O",
    ]);
  });
});
