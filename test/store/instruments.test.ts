import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Classification } from "#domain/classification.ts";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { ASSET_TYPES, type Instrument } from "#domain/instrument.ts";
import { EXCHANGES } from "#domain/exchanges.ts";
import { LOCAL_SECTORS } from "#domain/local-sectors.ts";
import { SECTORS } from "#domain/taxonomy.ts";
import type { InstrumentFilter } from "#store/instrument-search.ts";
import type { SearchPosition } from "#store/instruments.ts";
import { fillLargeMarket } from "../support/large-market.ts";
import { openTestMarket, SAMPLE, stock, listInstruments } from "../support/market.ts";
import { START } from "../support/service.ts";
import { barsFrom, quote } from "../support/refresher.ts";

const ALL = { limit: 100, after: null };

describe("instruments", () => {
  test("every field comes back unchanged, with its provenance", () => {
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
    expect(listInstruments(market, null)).toEqual(
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

  test("put again changes all known fields and keeps the id with its bars", () => {
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
    expect(listInstruments(market, "US")).toHaveLength(2);
  });

  test("imported values are replaced by another import only, not by a source", () => {
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

  test("values that an import does not give come from sources", () => {
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

  test("a whole market's list changes no sector and ends no index membership", () => {
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

  test("name each source once, with the time of its oldest record", () => {
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

describe("an instrument that is missing in its source's list", () => {
  const US = { country: "US" } as const;
  const listOf = (source: string, listedAt: number) => ({ ...US, source, listedAt });
  function openListed() {
    const home = openTestMarket();
    const { instruments } = home.market;
    const list = (source: string, storedAt: number, ...symbols: string[]) => {
      home.market.put(
        "instruments",
        symbols.map((symbol) => stock("US", symbol)),
        { source, storedAt },
        US,
      );
      return instruments.delistMissing(listOf(source, storedAt));
    };
    const find = (symbol: string) => instruments.find({ country: "US", symbol });
    const search = () =>
      instruments.search({ query: "inc" }, ALL).instruments.map(({ symbol }) => symbol);
    return { ...home, instruments, list, find, search };
  }

  test("is delisted: absent from counts, search, suggestions and rankings, but still found with its bars", async () => {
    using home = openListed();
    const { instruments } = home;
    home.list("alpha", 1_000, "AAPL", "TWTR", "MSFT");
    const bars = barsFrom("2022-10-27", 53.7);
    home.market.put("bars", [{ ...US, symbol: "TWTR", bars }], SAMPLE);
    expect(home.list("alpha", 2_000, "AAPL", "MSFT", "NVDA")).toBe(1);

    const twitter = home.find("TWTR");
    expect(twitter).toMatchObject({ symbol: "TWTR", delistedAt: 2_000, storedAt: 1_000 });
    expect(home.market.bars.listNewest(twitter?.id ?? -1, 9)).toEqual(bars);
    const rest = ["AAPL", "MSFT", "NVDA"];
    expect(home.search()).toEqual(rest);
    expect(instruments.search({}, ALL).total).toBe(3);
    expect(instruments.listSymbols("US").toSorted()).toEqual(rest);
    expect((await instruments.listLargest("US", 9)).map(({ symbol }) => symbol)).toEqual(rest);
    expect(instruments.countByAssetType()).toEqual([{ ...US, assetType: "stock", count: 3 }]);
    // Delisted instruments make no answer older.
    expect(instruments.listSources()).toEqual([{ source: "alpha", storedAt: 2_000 }]);
    expect(instruments.countListedBy("alpha", "US")).toBe(3);
    // Roll-ups see it like any other change.
    expect(instruments.listChanged(0, 99).map(({ symbol }) => symbol)).toContain("TWTR");
  });

  test("is listed again after a list has it, and after an import", () => {
    using home = openListed();
    home.list("alpha", 1_000, "AAPL", "TWTR", "FB");
    expect(home.list("alpha", 2_000, "AAPL")).toBe(2);
    home.list("alpha", 3_000, "AAPL", "TWTR");
    home.market.put("instruments", [stock("US", "FB")], { source: "import", storedAt: 4_000 });
    for (const symbol of ["TWTR", "FB"]) expect(home.find(symbol)).not.toHaveProperty("delistedAt");
    expect(home.search()).toEqual(["AAPL", "TWTR", "FB"]);
  });

  test("stays delisted when its profile is fetched", () => {
    using home = openListed();
    home.list("alpha", 1_000, "AAPL", "TWTR");
    home.list("alpha", 2_000, "AAPL");
    home.market.put("instruments", [stock("US", "TWTR")], { source: "beta", storedAt: 3_000 });
    expect(home.find("TWTR")?.delistedAt).toBe(2_000);
  });

  test("stays listed if it was imported, or if another source's list had it last", () => {
    using home = openListed();
    const imported = { source: "import", storedAt: 500 };
    home.market.put("instruments", [stock("US", "MINE")], imported);
    home.list("alpha", 1_000, "AAPL", "MINE", "MSFT");
    home.list("beta", 1_500, "MSFT", "NVDA");
    expect(home.list("alpha", 2_000, "AAPL")).toBe(0);
    expect(home.instruments.listSymbols("US")).toHaveLength(4);
    // Only the source that listed it last can delist it.
    expect(home.list("beta", 2_500, "NVDA")).toBe(1);
    expect(home.find("MSFT")?.delistedAt).toBe(2_500);
  });

  test("stays listed if its record in the list was rejected", () => {
    using home = openListed();
    home.list("alpha", 1_000, "AAPL", "MSFT");
    home.market.put("instruments", [stock("US", "AAPL")], { source: "alpha", storedAt: 2_000 }, US);
    home.instruments.keepListed("MSFT", listOf("alpha", 2_000));
    expect(home.instruments.countNamed(listOf("alpha", 2_000))).toBe(2);
    expect(home.instruments.delistMissing(listOf("alpha", 2_000))).toBe(0);
  });

  test("of another country is unchanged", () => {
    using home = openListed();
    const japan = { country: "JP" } as const;
    home.market.put("instruments", [stock("JP", "7203")], { source: "alpha", storedAt: 1 }, japan);
    home.list("alpha", 2, "AAPL");
    expect(home.instruments.find({ ...japan, symbol: "7203" })).not.toHaveProperty("delistedAt");
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

  test("gives the exact symbol, then symbols and then names that start with the query, then the rest as stored", () => {
    using home = openSearch();
    expect(home.symbols({ query: "ap" })).toEqual(["AP", "APD", "MAPS", "9999", "XAP"]);
    expect(home.symbols({ query: "AP" })).toEqual(["AP", "APD", "MAPS", "9999", "XAP"]);
  });

  test("gives an exact name or alias before longer ones, in any case", () => {
    using home = openSearch();
    const named = (symbol: string, name: string, aliases?: string) => ({
      ...stock("US", symbol, { name }),
      ...(aliases !== undefined && { aliases }),
    });
    home.market.put(
      "instruments",
      [
        named("SPY", "SPDR S&P 500 ETF Trust", "S&P 500 ETF"),
        named("VOO", "Vanguard S&P 500 ETF"),
        named("^GSPC", "S&P 500", "SPX|S&P"),
        named("SPGI", "S&P Global Inc."),
      ],
      SAMPLE,
    );
    for (const query of ["S&P 500", "s&p 500"])
      expect(home.symbols({ query })).toEqual(["^GSPC", "SPY", "VOO"]);
    expect(home.symbols({ query: "S&P" })[0]).toBe("^GSPC");
    expect(home.symbols({ query: "S&P Global" })).toEqual(["SPGI"]);
    expect(home.symbols({ query: "S&P 500 ETF" })).toEqual(["SPY", "VOO"]);
  });

  test("finds Japanese names by their reading, and by kanji of the family", () => {
    using home = openSearch();
    const put = (symbol: string, name: string, aliases: string) =>
      home.market.put("instruments", [{ ...stock("JP", symbol, { name }), aliases }], SAMPLE);
    put("7203", "TOYOTA MOTOR CORPORATION", "トヨタ自動車");
    put("7974", "Nintendo Co.,Ltd.", "任天堂");
    put("8411", "Mizuho Financial Group,Inc.", "みずほフィナンシャルグループ");
    for (const [query, symbol] of [
      ["とよた", "7203"],
      ["トヨタ", "7203"],
      ["とよ", "7203"],
      ["豊田", "7203"],
      ["豊田自動車", "7203"],
      ["にんてんどう", "7974"],
      ["任天堂", "7974"],
      ["ミズホ", "8411"],
      ["みずほ", "8411"],
    ] as const)
      expect([query, home.symbols({ query })]).toEqual([query, [symbol]]);
  });

  test("finds each alias as a name, and keeps aliases that a later source does not give", () => {
    using home = openSearch();
    const toyota = stock("JP", "7203", { name: "TOYOTA MOTOR CORPORATION" });
    const aliases = "トヨタ自動車|Toyota Jidosha";
    home.market.put("instruments", [{ ...toyota, aliases }], SAMPLE);
    for (const query of ["トヨタ", "自動", "toyota jidosha", "jidosha", "Toyota Motor"])
      expect(home.symbols({ query })).toEqual(["7203"]);
    home.market.put("instruments", [toyota], SAMPLE);
    expect(home.market.instruments.find(toyota)?.aliases).toBe(aliases);
    expect(home.symbols({ query: "トヨタ自動車" })).toEqual(["7203"]);
    home.market.put("instruments", [{ ...toyota, aliases: "豊田" }], SAMPLE);
    expect(home.symbols({ query: "豊田" })).toEqual(["7203"]);
    expect(home.symbols({ query: "jidosha" })).toEqual([]);
  });

  test("without a query gives all instruments that pass the other filters, as stored", () => {
    using home = openSearch();
    expect(home.symbols({})).toHaveLength(8);
    expect(home.symbols({ country: "JP" })).toEqual(["9999"]);
    expect(home.symbols({ assetType: "etf" })).toEqual(["SPY"]);
    expect(home.symbols({ sector: "basic-materials" })).toEqual(["APD"]);
    expect(home.symbols({ country: "JP", sector: "basic-materials" })).toEqual([]);
    expect(home.symbols({ country: "US", query: "ap" })).toEqual(["AP", "APD", "MAPS", "XAP"]);
  });

  test("treats %, _ and \\ as plain characters", () => {
    using home = openSearch();
    expect(home.symbols({ query: "0%" })).toEqual(["PCT"]);
    expect(home.symbols({ query: "%" })).toEqual([]);
    expect(home.symbols({ query: "e_c" })).toEqual(["PCT"]);
    expect(home.symbols({ query: "\\" })).toEqual(["PCT"]);
    expect(home.symbols({ query: "' OR 1=1 --" })).toEqual([]);
  });

  test("ignores case and diacritics in names and query", () => {
    using home = openSearch();
    for (const query of ["Dược Hậu", "duoc hau", "DƯỢC", "hậu", "giảng", "ÉCLAT", "eclat", "éc"])
      for (const form of ["NFC", "NFD"])
        expect(home.symbols({ query: query.normalize(form) })).toEqual(["DHG"]);
    home.market.put("instruments", [stock("VN", "DAG", { name: "Nhựa Đông Á" })], SAMPLE);
    for (const query of ["Đông", "dong a", "đôNG Á", "Đô", "đ"])
      expect(home.symbols({ query })).toEqual(query === "đ" ? ["DHG", "DAG"] : ["DAG"]);
  });

  test("finds two or more characters inside a word; one character only at its start", () => {
    using home = openSearch();
    home.market.put("instruments", [stock("JP", "7201", { name: "日産自動車" })], SAMPLE);
    expect(home.symbols({ query: "napo" })).toEqual([]);
    expect(home.symbols({ query: "apl" })).toEqual(["XAP"]);
    expect(home.symbols({ query: "nap" })).toEqual(["XAP"]);
    expect(home.symbols({ query: "p " })).toEqual(["PCT", "APD"]);
    expect(home.symbols({ query: "自動" })).toEqual(["7201"]);
    expect(home.symbols({ query: "動車" })).toEqual(["7201"]);
    expect(home.symbols({ query: "日" })).toEqual(["7201"]);
    expect(home.symbols({ query: "動" })).toEqual([]);
  });

  test("ignores extra spaces around and between words", () => {
    using home = openSearch();
    expect(home.symbols({ query: "  snap   on " })).toEqual(["XAP"]);
    expect(home.symbols({ query: "n m" })).toEqual(["XAP"]);
    expect(home.symbols({ query: "   " })).toHaveLength(8);
  });

  test.each([
    // Operators of the index, and quotes that would end the text.
    ...'" "" "a a"b * ap* ^ap -ap ( ) NEAR(ap,2) name:apex'.split(" "),
    "ap NOT x",
    "ap OR dhg",
    "a AND b",
    "ap + ex",
    "{name} : apex",
    // What the index holds beside symbols and names.
    ..."=US ~st all all= tgy us~ \u0002\u0002A \u0002\u0002AP \u0003\u0003A".split(" "),
    // Characters that text cannot hold, or ends at.
    ..."\0 ap\0ex \0\0\0 \ud800 \ud800\ud800\ud800 \u{10ffff}\u{10ffff}".split(" "),
    "; DROP TABLE instruments",
  ])("takes %j for text that nothing here holds", (query) => {
    using home = openSearch();
    expect(home.market.instruments.search({ query }, ALL)).toEqual({
      instruments: [],
      ranks: [],
      total: 0,
      next: null,
    });
  });

  test("finds the words in any order if no name contains them as written", () => {
    using home = openTestMarket();
    home.market.put(
      "instruments",
      [
        stock("US", "MTC", { name: "Motor Toyco" }),
        stock("JP", "7203", { name: "Toyota Motor Corporation", aliases: "トヨタ自動車" }),
        stock("US", "TMX", { name: "Big Motor Toyota Dealers" }),
        stock("VN", "HPG", { name: "Tập đoàn Hòa Phát" }),
        stock("US", "AAPL", { name: "Apple Inc." }),
      ],
      SAMPLE,
    );
    const find = (query: string) =>
      home.market.instruments.search({ query }, ALL).instruments.map(({ symbol }) => symbol);
    for (const [query, symbols] of [
      ["motor toyota", ["TMX"]],
      ["corporation toyota", ["7203", "TMX"]],
      ["mo to to", ["MTC", "7203", "TMX"]],
      ["toyota motor", ["7203"]],
      ["Toyota, Motor Corp.", ["7203", "TMX"]],
      ["トヨタ自動車株式会社", ["7203"]],
      ["トヨタ motor", ["7203"]],
      ["7203 toyota", ["7203"]],
      ["ＴＯＹＯＴＡ", ["7203", "TMX"]],
      ["phat hoa", ["HPG"]],
      ["hoà phát", ["HPG"]],
      ["Apple Incorporated", ["AAPL"]],
      ["Apple Computer", []],
      ["motor apple", []],
    ] as const) {
      expect({ [query]: find(query) }).toEqual({ [query]: [...symbols] });
    }
  });

  test("lists the most similar names of a query without a match", () => {
    using home = openTestMarket();
    home.market.put(
      "instruments",
      [
        stock("JP", "6201", { name: "Toyota Industries Corporation" }),
        stock("JP", "7203", { name: "Toyota Motor Corporation", aliases: "トヨタ自動車" }),
        stock("US", "AAPL", { name: "Apple Inc." }),
        stock("US", "MSFT", { name: "Microsoft Corporation" }),
        stock("VN", "VCB", { name: "Ngân hàng Ngoại thương" }),
      ],
      SAMPLE,
    );
    const similar = (query: string, filter: object = {}) =>
      home.market.instruments.listSimilar({ query, ...filter }, 3).map(({ symbol }) => symbol);
    expect(similar("Toyta Motors")).toEqual(["7203"]);
    expect(similar("Toyota Motors Japan")).toEqual(["7203"]);
    expect(similar("Microsft")).toEqual(["MSFT"]);
    expect(similar("Ngoai thuongg")).toEqual(["VCB"]);
    expect(similar("Microsft", { country: "JP" })).toEqual([]);
    expect(similar("Zebra Technologies")).toEqual([]);
    expect(similar('"')).toEqual([]);
    expect(similar("")).toEqual([]);
  });

  test("of a large market finds, counts and orders as a plain reading of every name does", () => {
    using home = openTestMarket();
    const { market } = home;
    fillLargeMarket(market, { instruments: 3_000, now: START });
    const folded = (text: string) =>
      text
        .normalize("NFD")
        .replaceAll(/[\u0300-\u036f]/g, "")
        .toLowerCase()
        .replaceAll("đ", "d");
    const rows = listInstruments(market, null).map(({ symbol, name }) => ({
      symbol,
      key: folded(symbol),
      name: folded(name),
    }));
    for (const query of ["an", "AB", "a", "1", "10", "149", "inc", "oldin", "i b", "viet nam"]) {
      const text = folded(query);
      // A single character must start a word.
      const holds = (row: { key: string; name: string }) =>
        text.length > 1
          ? row.key.includes(text) || row.name.includes(text)
          : row.key.startsWith(text) || ` ${row.name}`.includes(` ${text}`);
      const rank = ({ key, name }: { key: string; name: string }) =>
        key === text ? 0 : key.startsWith(text) ? 1 : name.startsWith(text) ? 2 : 3;
      const wanted = rows.filter(holds).sort((a, b) => rank(a) - rank(b));
      const found = market.instruments.search({ query }, { limit: 3_000, after: null });
      expect(found.total).toBe(wanted.length);
      expect(wanted.length).toBeGreaterThan(2);
      expect(found.instruments.map(({ symbol }) => symbol)).toEqual(
        wanted.map(({ symbol }) => symbol),
      );
    }
  });

  test("each filter finds exactly its instruments, alone and combined", () => {
    using home = openTestMarket();
    const { market } = home;
    const sectors = [...SECTORS.keys(), null];
    const records = COUNTRY_CODES.flatMap((country) =>
      ASSET_TYPES.flatMap((assetType, t) =>
        sectors.map((sector, s) => stock(country, `X${t}-${s}`, { assetType, sector })),
      ),
    );
    market.put("instruments", records, SAMPLE);
    // 3 countries, 7 types, 11 sectors or none.
    expect(records).toHaveLength(252);
    for (const country of [undefined, ...COUNTRY_CODES])
      for (const assetType of [undefined, ...ASSET_TYPES])
        for (const sector of [undefined, ...SECTORS.keys()]) {
          const { instruments, total } = market.instruments.search(
            { country, assetType, sector, query: "inc" },
            { limit: 300, after: null },
          );
          const wanted = records.filter(
            (record) =>
              (country ?? record.country) === record.country &&
              (assetType ?? record.assetType) === record.assetType &&
              (sector ?? record.sector) === record.sector,
          );
          expect(instruments.map(({ country, symbol }) => [country, symbol])).toEqual(
            wanted.map(({ country, symbol }) => [country, symbol]),
          );
          expect(total).toBe(wanted.length);
        }
  });

  test("the exchange, the segment and the class of its own market are exact filters", () => {
    using home = openTestMarket();
    const { market } = home;
    const put = (symbol: string, values: Parameters<typeof stock>[2], country = "JP" as Country) =>
      market.put("instruments", [stock(country, symbol, values)], SAMPLE);
    put("A1", { exchange: "TSE", segment: "prime", localSector: "3650" });
    put("A2", { exchange: "TSE", segment: "growth", localSector: "3700" });
    put("A3", { exchange: "TSE" });
    put("B1", { exchange: "NYSE" }, "US");
    put("B2", { exchange: "NYSE American" }, "US");
    put("C1", { exchange: "UPCOM", localSector: "3700" }, "VN");
    const found = (filter: InstrumentFilter) =>
      market.instruments.search(filter, ALL).instruments.map(({ symbol }) => symbol);
    expect(found({ exchange: "NYSE" })).toEqual(["B1"]);
    expect(found({ exchange: "TSE" })).toEqual(["A1", "A2", "A3"]);
    expect(found({ exchange: "TSE", segment: "growth" })).toEqual(["A2"]);
    expect(found({ localSector: "3700" })).toEqual(["A2", "C1"]);
    expect(found({ localSector: "3700", country: "VN" })).toEqual(["C1"]);
    expect(found({ exchange: "Osaka" })).toEqual([]);
    // A company that moves to another segment is found there; a list without segments ends none.
    put("A2", { exchange: "TSE", segment: "standard", localSector: "3700" });
    put("A2", { exchange: "TSE" });
    put("C1", { exchange: "HOSE" }, "VN");
    expect([found({ exchange: "UPCOM" }), found({ exchange: "HOSE" })]).toEqual([[], ["C1"]]);
    expect(found({ segment: "growth" })).toEqual([]);
    expect(found({ segment: "standard" })).toEqual(["A2"]);
    expect(market.instruments.find({ country: "JP", symbol: "A2" })).toMatchObject({
      segment: "standard",
      localSector: "3700",
    });
  });

  test("a list without kinds of shares removes none", () => {
    using home = openTestMarket();
    const { market } = home;
    const put = (values: Parameters<typeof stock>[2]) =>
      market.put("instruments", [stock("US", "ONC", values)], SAMPLE);
    const kind = () => market.instruments.find({ country: "US", symbol: "ONC" })?.shareKind;
    put({});
    expect(kind()).toBeUndefined();
    put({ shareKind: "receipt" });
    put({});
    expect(kind()).toBe("receipt");
    put({ shareKind: "share" });
    expect(kind()).toBe("share");
  });

  test("each exchange and each class is a filter of its own", () => {
    using home = openTestMarket();
    const { market } = home;
    const listed = EXCHANGES.map(({ country, name }, i) =>
      stock(country, `E${i}`, { exchange: name }),
    );
    const classed = LOCAL_SECTORS.map(({ country, code }) =>
      stock(country, `C${code}`, { exchange: null, localSector: code }),
    );
    market.put("instruments", [...listed, ...classed], SAMPLE);
    const found = (filter: InstrumentFilter) =>
      market.instruments.search(filter, ALL).instruments.map(({ symbol }) => symbol);
    for (const [i, { name }] of EXCHANGES.entries())
      expect(found({ exchange: name })).toEqual([`E${i}`]);
    for (const { country, code } of LOCAL_SECTORS)
      expect(found({ country, localSector: code })).toEqual([`C${code}`]);
  });

  test("counts all matches on every page; pages have no gap or overlap", () => {
    using home = openSearch();
    for (const query of [undefined, "ap", "a", "apple"]) {
      const found: string[] = [];
      let after: SearchPosition | null = null;
      do {
        const page = home.market.instruments.search({ query }, { limit: 2, after });
        expect(page.total).toBe(home.symbols({ query }).length);
        expect(page.instruments.length).toBeGreaterThan(0);
        found.push(...page.instruments.map(({ symbol }) => symbol));
        after = page.next;
      } while (after !== null);
      expect(found).toEqual(home.symbols({ query }));
    }
  });

  test("continues at its position, whatever was stored meanwhile", () => {
    using home = openSearch();
    const search = (after: SearchPosition | null) =>
      home.market.instruments.search({ query: "ap" }, { limit: 2, after });
    const first = search(null);
    expect(first.instruments.map(({ symbol }) => symbol)).toEqual(["AP", "APD"]);
    // A better match than all of the first page, and one that comes last.
    home.market.put("instruments", [stock("JP", "AP"), stock("US", "ZAPP")], SAMPLE);
    const rest = search(first.next);
    expect(rest.instruments.map(({ symbol }) => symbol)).toEqual(["MAPS", "9999"]);
    expect(rest.total).toBe(7);
    const last = search(rest.next);
    expect(last.instruments.map(({ symbol }) => symbol)).toEqual(["XAP", "ZAPP"]);
    expect(last.next).toBeNull();
  });

  test("uses the current name and sector of an instrument", () => {
    using home = openSearch();
    const { market } = home;
    const renamed = { name: "Zinc Works", assetType: "reit", sector: "real-estate" } as const;
    market.put("instruments", [stock("US", "MAPS", renamed)], SAMPLE);
    expect(home.symbols({ query: "apex" })).toEqual([]);
    expect(home.symbols({ query: "zinc" })).toEqual(["MAPS"]);
    expect(home.symbols({ query: "zi", assetType: "reit", sector: "real-estate" })).toEqual([
      "MAPS",
    ]);
    expect(home.symbols({ query: "zinc", assetType: "stock" })).toEqual([]);
    const other = new Database(join(home.folder, "market.db"));
    other.run("DELETE FROM instruments WHERE symbol = 'MAPS'");
    other.close();
    expect(home.market.instruments.search({ query: "zinc" }, ALL).total).toBe(0);
    expect(home.market.instruments.search({}, ALL).total).toBe(7);
  });

  test("reads one segment of the index after a whole market's list", () => {
    using home = openSearch();
    home.market.put("instruments", [stock("US", "AAPL")], SAMPLE, { country: "US" });
    const reader = new Database(join(home.folder, "market.db"), { readonly: true });
    const pieces = reader.query("SELECT DISTINCT segid FROM instrument_search_idx").all();
    reader.close();
    expect(pieces).toHaveLength(1);
    expect(home.symbols({ query: "ap" })).toEqual(["AP", "APD", "MAPS", "9999", "XAP", "AAPL"]);
  });

  test("of 10,000 characters is an answer, not an error", () => {
    using home = openSearch();
    expect(home.symbols({ query: "%_".repeat(5_000) })).toEqual([]);
  });
});

describe("classifications", () => {
  const classified = (symbol: string, sector: string, change: Partial<Classification> = {}) => ({
    country: "US" as const,
    symbol,
    sector: sector as Classification["sector"],
    replaces: true,
    indexMember: null,
    ...change,
  });
  const blank = { sector: null, industry: null };

  function openClassified() {
    const home = openTestMarket();
    const { market } = home;
    const list = (...records: Instrument[]) =>
      market.put("instruments", records, SAMPLE, { country: "US" });
    list(
      stock("US", "AAPL"),
      stock("US", "GOOGL", blank),
      stock("US", "SPY", { ...blank, assetType: "etf" }),
      stock("US", "IBM", { indexMember: true }),
    );
    market.put("instruments", [stock("US", "MINE", blank)], { ...SAMPLE, source: "import" });
    const classesOf = (symbol: string) => {
      const found = market.instruments.find({ country: "US", symbol });
      return found && [found.sector, found.industry];
    };
    const members = () =>
      listInstruments(market, "US").flatMap(({ symbol, indexMember }) =>
        indexMember ? symbol : [],
      );
    return { ...home, list, classesOf, members };
  }

  test("set a sector, and end an industry of another sector", () => {
    using home = openClassified();
    const records = [
      classified("AAPL", "industrials"),
      classified("GOOGL", "communication-services"),
      classified("UNLISTED", "energy"),
    ];
    expect(home.market.put("classifications", records, SAMPLE)).toBe(3);
    expect(home.classesOf("AAPL")).toEqual(["industrials", null]);
    expect(home.classesOf("GOOGL")).toEqual(["communication-services", null]);
    expect(home.classesOf("IBM")).toEqual(["technology", "consumer-electronics"]);
    expect(home.classesOf("UNLISTED")).toBeNull();
    expect(home.market.instruments.search({ sector: "industrials" }, ALL).total).toBe(1);
  });

  test("that do not replace only fill empty sectors", () => {
    using home = openClassified();
    const only = { replaces: false };
    home.market.put(
      "classifications",
      [classified("AAPL", "energy", only), classified("GOOGL", "energy", only)],
      SAMPLE,
    );
    expect(home.classesOf("AAPL")).toEqual(["technology", "consumer-electronics"]);
    expect(home.classesOf("GOOGL")).toEqual(["energy", null]);
  });

  test("leave funds and imported instruments unchanged", () => {
    using home = openClassified();
    const records = [
      classified("SPY", "energy"),
      classified("MINE", "energy", { indexMember: true }),
    ];
    home.market.put("classifications", records, SAMPLE);
    expect([home.classesOf("SPY"), home.classesOf("MINE")]).toEqual([
      [null, null],
      [null, null],
    ]);
    expect(home.members()).toEqual([]);
  });

  test("survive the next list, whose empty or coarser sector changes nothing", () => {
    using home = openClassified();
    const records = [
      classified("AAPL", "industrials"),
      classified("GOOGL", "communication-services"),
    ];
    home.market.put("classifications", records, SAMPLE);
    home.list(stock("US", "AAPL"), stock("US", "GOOGL", blank));
    // The list's industry belongs to its own sector.
    expect(home.classesOf("AAPL")).toEqual(["industrials", null]);
    expect(home.classesOf("GOOGL")).toEqual(["communication-services", null]);
    const same = { sector: "industrials", industry: "railroads" };
    home.list(stock("US", "AAPL", same));
    expect(home.classesOf("AAPL")).toEqual(["industrials", "railroads"]);
  });

  test("that name index members replace the earlier members", () => {
    using home = openClassified();
    expect(home.members()).toEqual(["IBM"]);
    home.market.put("classifications", [classified("AAPL", "technology")], SAMPLE);
    expect(home.members()).toEqual(["IBM"]);
    const member = { indexMember: true as const };
    home.market.put(
      "classifications",
      [classified("AAPL", "technology", member), classified("GOOGL", "technology", member)],
      SAMPLE,
    );
    expect(home.members()).toEqual(["AAPL", "GOOGL"]);
  });

  test("without a sector keep the stored one, and can name index members", () => {
    using home = openClassified();
    const before = home.classesOf("AAPL");
    const record = {
      ...classified("AAPL", "technology"),
      sector: null,
      indexMember: true as const,
    };
    home.market.put("classifications", [record], SAMPLE);
    expect(home.classesOf("AAPL")).toEqual(before);
    expect(home.members()).toEqual(["AAPL"]);
  });

  test("that change nothing cause no new computation", () => {
    using home = openClassified();
    const records = [
      classified("AAPL", "technology"),
      classified("IBM", "technology", { indexMember: true }),
    ];
    const latest = () => home.market.instruments.listChanged(0, 99).at(-1)?.number;
    const before = latest();
    home.market.put("classifications", records, SAMPLE);
    expect(latest()).toBe(before);
    home.market.put("classifications", [classified("GOOGL", "technology")], SAMPLE);
    expect(latest()).toBe((before ?? 0) + 1);
  });
});

describe("the largest companies", () => {
  const stored = { source: "sample", storedAt: 1 };
  const quoted = (symbol: string, price: number, marketCap: number | null) =>
    quote(symbol, price, { marketCap });

  test("are by shares at the newest price, else as quoted; those of unknown size come last, members first", async () => {
    using home = openTestMarket();
    const { market } = home;
    const unknown = { sharesOutstanding: null };
    market.put(
      "instruments",
      [
        stock("US", "NOTHING", unknown),
        stock("US", "MEMBER", { ...unknown, indexMember: true, sector: null }),
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
    expect(await market.instruments.listLargest("US", 10)).toEqual([
      { symbol: "BARS", marketCap: 800, sector: "technology" },
      { symbol: "QUOTED", marketCap: 700, sector: "technology" },
      { symbol: "SHARES", marketCap: 600, sector: "technology" },
      { symbol: "MEMBER", marketCap: null, sector: null },
      { symbol: "NOTHING", marketCap: null, sector: "technology" },
    ]);
    expect(await market.instruments.listLargest("US", 2)).toHaveLength(2);
  });

  test("are companies, each once", async () => {
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
    expect(
      (await home.market.instruments.listLargest("US", 10)).map(({ symbol }) => symbol),
    ).toEqual(["GOOGL", "O"]);
  });
});

test("a share that is delisted later is found on a day before, by its stored name", async () => {
  using home = openTestMarket();
  const { market } = home;
  const listed = { source: "alpha", storedAt: Date.parse("2026-01-05") };
  const gone = stock("US", "GONE", { name: "Harbour Ltd" });
  market.instruments.put([gone, stock("US", "KEPT")], listed, { isListing: true });
  market.put("quotes", [quote("GONE", 10, { date: "2026-01-06" })], listed);
  const foundOn = async (day: string, query: string) => {
    await market.preparePastDays();
    const past = market.asKnownOn(day).instruments;
    return past.listBest({ query }, 5).instruments.map(({ symbol }) => symbol);
  };
  expect(await foundOn("2026-01-06", "harbour")).toEqual(["GONE"]);
  const storedAt = Date.parse("2026-02-02");
  market.instruments.put([stock("US", "KEPT")], { ...listed, storedAt }, { isListing: true });
  market.instruments.delistMissing({ country: "US", source: "alpha", listedAt: storedAt });
  expect(await foundOn("2026-02-01", "harbour")).toEqual(["GONE"]);
  expect(await foundOn("2026-02-02", "harbour")).toEqual([]);
  const renamed = { ...gone, name: "Anchor Ltd" };
  market.instruments.put([renamed], { ...listed, storedAt });
  expect(await foundOn("2026-02-01", "harbour")).toEqual([]);
  expect(await foundOn("2026-02-01", "anchor")).toEqual(["GONE"]);
});
