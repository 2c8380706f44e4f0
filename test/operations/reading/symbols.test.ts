import { describe, expect, spyOn, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { listReferenceInstruments } from "#domain/reference-instruments.ts";
import { decodeArguments } from "#operations/reading/decode.ts";
import { createExecutor, decodeRequest } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { SymbolListInput } from "#operations/reading/inputs.ts";
import { parseSymbol } from "#operations/reading/symbol-notation.ts";
import { commaHint, resolveArguments, resolveSymbols } from "#operations/reading/symbols.ts";
import { CurrencyRates } from "#rollups/currency-rates.ts";
import { expectError } from "../../support/error.ts";
import { openTestMarket, SAMPLE, stock } from "../../support/market.ts";
import { START } from "../../support/service.ts";

describe("parseSymbol", () => {
  test.each([
    ["AAPL", null, "AAPL"],
    ["aapl", null, "AAPL"],
    [" AAPL ", null, "AAPL"],
    ["$AAPL", null, "AAPL"],
    ["$aapl", null, "AAPL"],
    ["US:AAPL", "US", "AAPL"],
    ["us:aapl", "US", "AAPL"],
    ["NASDAQ:AAPL", "US", "AAPL"],
    ["NYSE:BRK.B", "US", "BRK.B"],
    ["AAPL.US", "US", "AAPL"],
    ["AAPL US Equity", "US", "AAPL"],
    ["BRK.B", null, "BRK.B"],
    ["BRK-B", null, "BRK.B"],
    ["BRK/B", null, "BRK.B"],
    ["brk/b", null, "BRK.B"],
    ["BRK-B.US", "US", "BRK.B"],
    ["NYSE:BRK B", "US", "BRK.B"],
    ["US:bf b", "US", "BF.B"],
    ["BRK B US", "US", "BRK.B"],
    ["US.AAPL", "US", "AAPL"],
    // AT&T and Ford, and not a share in Tokyo or Frankfurt.
    ["US.T", "US", "T"],
    ["US.F", "US", "F"],
    ["US.BRK.B", "US", "BRK.B"],
    ["JP.7203", "JP", "7203"],
    ["vn.fpt", "VN", "FPT"],
    ["JP:7203", "JP", "7203"],
    ["7203.T", "JP", "7203"],
    ["7203.t", "JP", "7203"],
    ["TSE:7203", "JP", "7203"],
    ["TYO:7203", "JP", "7203"],
    ["7203 JP", "JP", "7203"],
    ["７２０３", null, "7203"],
    ["７２０３．Ｔ", "JP", "7203"],
    ["285A.T", "JP", "285A"],
    ["VN:FPT", "VN", "FPT"],
    ["FPT.VN", "VN", "FPT"],
    ["HOSE:FPT", "VN", "FPT"],
    ["HNX:SHS", "VN", "SHS"],
    ["FPT.HM", "VN", "FPT"],
    ["USDJPY", null, "JPY=X"],
    ["USD/JPY", null, "JPY=X"],
    ["usd/jpy", null, "JPY=X"],
    ["USDJPY=X", null, "JPY=X"],
    ["JPY=X", null, "JPY=X"],
    ["EURUSD", null, "EURUSD=X"],
    ["EUR/USD", null, "EURUSD=X"],
    ["EURUSD=X", null, "EURUSD=X"],
    ["JP:USDJPY", "JP", "JPY=X"],
    ["BTC-USD", null, "BTC-USD"],
    ["BTC/USD", null, "BTC-USD"],
    ["^GSPC", null, "^GSPC"],
    ["GC=F", null, "GC=F"],
    ["DX-Y.NYB", null, "DX-Y.NYB"],
    ["VNINDEX", null, "VNINDEX"],
    ["GOOGLE", null, "GOOGLE"],
  ] as const)("reads %j", (text, country, symbol) => {
    const reference = parseSymbol(text);
    expect([reference?.country ?? null, reference?.symbol]).toEqual([country, symbol]);
  });

  test.each([
    "",
    " ",
    "$",
    ":",
    "US:",
    ":AAPL",
    "LON:VOD",
    "US:JP:7203",
    "AAPL:US",
    "A B",
    "A,B",
    "A_B",
    "AAPL\0",
    "AAPL\n",
    "../../ETC",
    "A/B/C",
    "Ä",
    "トヨタ",
    "A".repeat(21),
    "US:" + "A".repeat(21),
  ])("refuses %j", (text) => {
    expect(parseSymbol(text)).toBeNull();
  });
});

describe("SymbolListInput", () => {
  const input = Type.Object({ symbols: SymbolListInput(3) });
  const read = (symbols: unknown) => decodeArguments(input, { symbols })["symbols"];

  test.each([
    ["us:aapl,jp:7203", "US:AAPL,JP:7203"],
    ["AAPL , MSFT", "AAPL,MSFT"],
    [["AAPL", 7203, "VN:FPT"], "AAPL,7203,VN:FPT"],
    ['["AAPL", "MSFT"]', "AAPL,MSFT"],
    [7203, "7203"],
    [["AAPL, MSFT"], "AAPL,MSFT"],
  ])("%j is read as %j", (symbols, list) => {
    expect(read(symbols)).toBe(list);
  });

  test.each([
    "",
    " ",
    "AAPL,",
    ",AAPL",
    "A,,B",
    "A,B,C,D",
    "[]",
    "x".repeat(99),
    [],
    [[]],
    {},
    [{}],
    true,
  ])("%j is refused", async (symbols) => {
    const error = await expectError(() => read(symbols), "invalid_argument");
    expect(error.message).toStartWith("symbols must be 1 to 3 symbols, comma-separated");
  });
});

describe("resolveSymbols", () => {
  function openListed() {
    const home = openTestMarket();
    const reference = listReferenceInstruments().map((one) => ({ ...one, summary: null }));
    home.market.put(
      "instruments",
      [
        ...reference,
        stock("US", "AAPL", { name: "Apple Inc." }),
        stock("US", "BRK.B"),
        stock("US", "BTC-B"),
        stock("US", "FPT"),
        stock("US", "BKK"),
        stock("JP", "7203", { name: "Toyota Motor Corporation", aliases: "トヨタ自動車" }),
        stock("VN", "FPT"),
      ],
      SAMPLE,
    );
    return home;
  }
  const look = (list: string) => {
    using home = openListed();
    const { found, unknown } = resolveSymbols(home.market, list);
    return { found: found.map(({ country, symbol }) => `${country}:${symbol}`), unknown };
  };

  test("finds every notation, in the order of the list and each instrument once", () => {
    expect(
      look("7203.T,AAPL,BRK-B,BRK/B,VN:FPT,TSE:7203,USDJPY,EUR/USD,^GSPC,BTC-B,$AAPL,BTC/USD"),
    ).toEqual({
      found: [
        "JP:7203",
        "US:AAPL",
        "US:BRK.B",
        "VN:FPT",
        "JP:JPY=X",
        "US:EURUSD=X",
        "US:^GSPC",
        "US:BTC-B",
        "US:BTC-USD",
      ],
      unknown: [],
    });
  });

  test.each([
    ["FPT", "Several countries have it: US:FPT FPT Inc, VN:FPT FPT Inc.", "US:FPT"],
    [
      "BTC",
      "Several countries have it: US:BTC-USD Bitcoin in US dollars, JP:BTC-JPY Bitcoin in yen.",
      "US:BTC-USD",
    ],
    ["AAPL.T", "Not in JP, but in US.", "US:AAPL"],
    // The code of another company, and a ticker too short for a certain mistake, have no suggestion.
    ["JP:7204", "Not found in JP.", null],
    ["BKJ", "Not found in US, JP or VN.", null],
    ["AAPK", "Not found in US, JP or VN.", "US:AAPL"],
    ["LON:VOD", "LON:VOD is listed in London, and only US, JP and VN are covered.", null],
    ["VOD.L", "VOD.L is listed in London, and only US, JP and VN are covered.", null],
    ["TWTR", "TWTR (Twitter, Inc.) was delisted on 2022-10-27.", null],
    ["US:TM", "TM is the depositary receipt of JP:7203, Toyota Motor Corporation.", "JP:7203"],
    ["VN000000FPT2", "VN000000FPT2 is no ISIN: its last digit is wrong.", null],
    [
      "BBG000B9XRY4",
      "BBG000B9XRY4 is a FIGI that no source gives. Give the symbol, or import it as an alias of the share.",
      null,
    ],
    [
      "AAPL270115C00200000",
      "AAPL270115C00200000 is an option, and there are no options here.",
      null,
    ],
    ["US:FB", "FB is META since 2022-06-09.", null],
    [
      "JP3435000009",
      "JP3435000009 is an ISIN that no source gives. Give the symbol, or import it as an alias of the share.",
      null,
    ],
    ["ZZZZZZZZ", "Not found in US, JP or VN.", null],
  ])("%s is unknown: %s %s", (symbol, reason, closest) => {
    expect(look(symbol)).toEqual({ found: [], unknown: [{ symbol, reason, closest }] });
  });

  test.each([
    ["APPLE", "US:AAPL"],
    ["APPLE INC", "US:AAPL"],
    ["TOYOTA MOTOR", "JP:7203"],
    ["トヨタ自動車", "JP:7203"],
    ["SPX", "US:^GSPC"],
    ["72030", "JP:7203"],
    ["AAPL.O", "US:AAPL"],
    ["TM", "JP:7203"],
    ["OIL", "US:CL=F"],
    ["US:VIX", "US:^VIX"],
    // The first eleven characters are VN, six zeros and the symbol. Luhn's check digit is 1.
    ["VN000000FPT1", "VN:FPT"],
  ])("%s is understood as %s", (written, symbol) => {
    expect(look(written)).toEqual({ found: [symbol], unknown: [] });
  });

  test("an imported ISIN or FIGI means the instrument", () => {
    using home = openListed();
    const aliases = "US0378331005|BBG000B9XRY4";
    home.market.put("instruments", [stock("US", "AAPL", { name: "Apple Inc.", aliases })], SAMPLE);
    for (const id of aliases.split("|")) {
      expect(resolveSymbols(home.market, id).found.map(({ symbol }) => symbol)).toEqual(["AAPL"]);
    }
  });

  test("a share of one country and an index of another with this name are a doubt, which a country ends", () => {
    using home = openListed();
    home.market.put("instruments", [stock("VN", "VIX", { name: "VIX Securities" })], SAMPLE);
    const reasons = (list: string) => resolveSymbols(home.market, list).unknown;
    expect(reasons("VIX")[0]?.reason).toBe(
      "Several countries have it: VN:VIX VIX Securities, US:^VIX CBOE Volatility Index.",
    );
    expect(reasons("US:VIX,VN:VIX")).toEqual([]);
  });

  test("a name that fits several companies is a doubt, unless the largest of them has it alone", () => {
    using home = openTestMarket();
    const company = (symbol: string, name: string, sharesOutstanding: number) =>
      stock("JP", symbol, { name, sharesOutstanding });
    home.market.put(
      "instruments",
      [
        company("9984", "SoftBank Group Corp.", 100),
        company("9434", "SoftBank Corp.", 50),
        company("8058", "Mitsubishi Corporation", 50),
        company("8306", "Mitsubishi UFJ Financial Group, Inc.", 100),
        company("6758", "Sony Group Corporation", 100),
        company("8729", "Sony Financial Group Inc.", 10),
        stock("JP", "6201", { name: "Toyota Industries Corporation", aliases: "豊田自動織機" }),
        stock("JP", "3116", { name: "Toyota Boshoku Corporation", aliases: "トヨタ紡織" }),
      ],
      SAMPLE,
    );
    const close = { open: 1, high: 1, low: 1, close: 1, volume: 1 };
    const bars = ["9984", "9434", "8058", "8306", "6758", "8729"].map((symbol) => ({
      country: "JP" as const,
      symbol,
      bars: [{ date: "2026-11-19", ...close }],
    }));
    home.market.put("bars", bars, SAMPLE);
    const find = (name: string) => resolveSymbols(home.market, name).found.map((one) => one.symbol);
    expect(find("SOFTBANK")).toEqual([]);
    expect(find("SOFTBANK GROUP")).toEqual(["9984"]);
    expect(find("SOFTBANK CORP")).toEqual(["9434"]);
    expect(find("MITSUBISHI")).toEqual([]);
    expect(find("MITSUBISHI CORPORATION")).toEqual(["8058"]);
    expect(find("SONY")).toEqual(["6758"]);
    expect(find("SONY FINANCIAL")).toEqual(["8729"]);
    expect(find("TOYOTA")).toEqual([]);
    expect(find("トヨタ")).toEqual(["3116"]);
    expect(find("豊田自動織機株式会社")).toEqual(["6201"]);
  });

  test("a delisted share under a former symbol is the company's share of today", () => {
    using home = openTestMarket();
    const { instruments } = home.market;
    const list = { country: "US", source: "list", listedAt: 2 } as const;
    home.market.transaction(() => {
      instruments.put([stock("US", "FB")], { source: "list", storedAt: 1 }, { isListing: true });
      instruments.delistMissing(list);
      instruments.put([stock("US", "META")], { source: "list", storedAt: 2 }, { isListing: true });
    });
    expect(resolveSymbols(home.market, "FB").found.map(({ symbol }) => symbol)).toEqual(["META"]);
  });

  test("a past day does not know the later end of a symbol", () => {
    using home = openTestMarket();
    home.market.put("instruments", [stock("US", "META")], SAMPLE);
    const on = (day: string) => {
      const market = home.market.asKnownOn(day);
      const { input, understood } = resolveArguments(market, { country: "US", symbol: "FB" });
      const [one] = resolveSymbols(market, "TWTR").unknown;
      return [input["symbol"], understood["symbol"], one?.reason];
    };
    // Renamed on 2022-06-09, delisted on 2022-10-27.
    const why = "META (FB is META since 2022-06-09: META Inc)";
    const notFound = "Not found in US, JP or VN.";
    expect(on("2022-06-08")).toEqual(["META", "META (FB is META, META Inc)", notFound]);
    expect(on("2022-06-09")).toEqual(["META", why, notFound]);
    expect(on("2022-10-26")).toEqual(["META", why, notFound]);
    expect(on("2022-10-27")).toEqual([
      "META",
      why,
      "TWTR (Twitter, Inc.) was delisted on 2022-10-27.",
    ]);
  });

  test("a past day keeps a doubt and a rate whose records are not prepared yet", async () => {
    using home = openTestMarket();
    const { market } = home;
    const pair = { ...stock("JP", "JPY=X"), assetType: "currency" as const };
    market.put("instruments", [stock("US", "FPT"), stock("VN", "FPT"), pair], SAMPLE);
    const bar = { date: "2024-01-02", open: 150, high: 150, low: 150, close: 150, volume: 1 };
    market.put("bars", [{ country: "VN", symbol: "FPT", bars: [bar] }], SAMPLE);
    await market.preparePastDays();
    // A live service fetches a rate after that.
    market.put("bars", [{ country: "JP", symbol: "JPY=X", bars: [bar] }], SAMPLE);
    const past = market.asKnownOn("2024-01-03");
    expect(resolveSymbols(past, "FPT").unknown).toHaveLength(1);
    expect(new CurrencyRates(past).find("USD", "JPY")).toBe(150);
  });

  test("prefers a listed instrument to a delisted one of another country", () => {
    using home = openTestMarket();
    const { instruments } = home.market;
    const stored = (storedAt: number) => ({ source: "list", storedAt });
    home.market.transaction(() => {
      instruments.put([stock("US", "FPT")], stored(1), { isListing: true });
      instruments.put([stock("VN", "FPT")], SAMPLE);
    });
    expect(resolveSymbols(home.market, "FPT").unknown).toHaveLength(1);
    home.market.transaction(() => {
      instruments.delistMissing({ country: "US", source: "list", listedAt: 2 });
    });
    const { found, unknown } = resolveSymbols(home.market, "FPT");
    expect([found.map(({ country }) => country), unknown]).toEqual([["VN"], []]);
    expect(resolveSymbols(home.market, "US:FPT").found).toHaveLength(1);
  });
});

describe("the argument symbol", () => {
  /** Answers calls of one operation and counts how often its handler looks the instrument up. */
  function openOverviews() {
    const home = openTestMarket();
    home.market.put(
      "instruments",
      [
        ...listReferenceInstruments().map((one) => ({ ...one, summary: null })),
        stock("US", "AAPL"),
        stock("US", "BRK.B"),
        stock("US", "FPT"),
        stock("JP", "7203"),
        stock("VN", "FPT"),
      ],
      SAMPLE,
    );
    const executor = createExecutor({ market: home.market, clock: () => START });
    const computed = spyOn(home.market.bars, "findProvenance");
    return {
      ...home,
      computed,
      ask: async (country: string, symbol: string, name = "get_stock_overview") => {
        const operation = OPERATIONS.find((one) => one.name === name);
        if (!operation) throw new Error(`There is no operation ${name}.`);
        return executor.execute(decodeRequest(operation, { country, symbol }));
      },
    };
  }

  test.each([
    [
      "US",
      "BRK.B",
      ["BRK-B", "brk.b", "NYSE:BRK.B", "US:BRK-B", "BRK.B.US", " $BRK.B ", "US.BRK.B"],
    ],
    ["JP", "7203", ["7203.T", "JP.7203", "TSE:7203", "TYO:7203", "JP:7203", "7203 JP"]],
    ["VN", "FPT", ["FPT.VN", "HOSE:FPT", "VN:FPT", "fpt"]],
    ["JP", "JPY=X", ["USDJPY", "USD/JPY", "usdjpy=x"]],
  ] as const)(
    "in %s, all notations of %s have one cached answer",
    async (country, symbol, notations) => {
      using home = openOverviews();
      const answer = await home.ask(country, symbol);
      const computed = home.computed.mock.calls.length;
      for (const notation of notations) expect(await home.ask(country, notation)).toBe(answer);
      expect(home.computed.mock.calls.length).toBe(computed);
    },
  );

  test.each([
    ["US", "BRK.B", "BRK/B"],
    ["JP", "7203", "７２０３"],
    ["JP", "7203", "7203．T"],
  ] as const)(
    "in %s, the answer of %s says that it was written %s",
    async (country, symbol, written) => {
      using home = openOverviews();
      const { body } = await home.ask(country, symbol);
      const computed = home.computed.mock.calls.length;
      const answer = await home.ask(country, written);
      expect(answer.understoodAs).toBe(`symbol=${symbol} (written ${written})`);
      expect(answer.body.replace(/"understood_as":"[^"]*",/, "")).toBe(body);
      expect(home.computed.mock.calls.length).toBe(computed);
    },
  );

  test("the error of an unknown symbol says how it was understood", async () => {
    using home = openOverviews();
    for (let again = 0; again < 2; again++) {
      const { message } = await expectError(async () => home.ask("US", "A/B"), "not_found");
      expect(message).toBe(
        "Symbol A.B not found in US. The symbol was understood as A.B (written A/B).",
      );
    }
  });

  test("a literal symbol of the country comes before a notation", async () => {
    using home = openOverviews();
    home.market.put("instruments", [stock("US", "BRK-B"), stock("US", "7203.T")], SAMPLE);
    for (const symbol of ["BRK-B", "7203.T"]) {
      expect(await home.ask("US", symbol)).toHaveProperty(
        "body",
        expect.stringContaining(`${symbol} Inc`),
      );
    }
  });

  test.each([
    ["US", "7203.T", "Symbol 7203.T is in JP, not in US.", "Use country JP."],
    ["JP", "VN:FPT", "Symbol VN:FPT is in VN, not in JP.", "Use country VN."],
    ["US", "FPT.VN", "Symbol FPT.VN is in VN, not in US.", "Use country VN."],
    ["US", "7203", "Symbol 7203 not found in US.", "It exists in JP: use that country."],
    ["US", "USDJPY", "Symbol JPY=X not found in US.", "It exists in JP: use that country."],
    ["US", "AAPL.T", "Symbol AAPL.T not found in JP.", "Use symbol AAPL in US."],
    ["VN", "AAPL.T", "Symbol AAPL.T not found in JP.", "Use symbol AAPL in US."],
  ])("%s and %s: %s %s", async (country, symbol, message, hint) => {
    using home = openOverviews();
    const error = await expectError(() => home.ask(country, symbol), "not_found");
    expect([error.message, error.details.hint]).toEqual([message, hint]);
  });
});

test("a list of words without commas is looked up until the first unknown one", () => {
  using home = openTestMarket();
  home.market.put("instruments", [stock("US", "AAPL"), stock("US", "MSFT")], SAMPLE);
  const finds = spyOn(home.market.instruments, "find");
  expect(commaHint(home.market, "Q ".repeat(20))).toBeNull();
  const ofOne = finds.mock.calls.length;
  finds.mockClear();
  expect(commaHint(home.market, "Q Z")).toBeNull();
  expect(finds.mock.calls.length).toBe(ofOne);
  expect(commaHint(home.market, "AAPL MSFT")).toBe("Separate symbols with commas: AAPL,MSFT.");
  finds.mockRestore();
});
