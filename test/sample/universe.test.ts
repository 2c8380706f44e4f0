import { describe, expect, test } from "bun:test";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { COUNTRIES, COUNTRY_CODES, type Country } from "#domain/country.ts";
import { ASSET_TYPES, type AssetType, Instrument } from "#domain/instrument.ts";
import { INDUSTRIES } from "#domain/taxonomy.ts";
import { localName } from "#domain/translated-names.ts";
import { csvRows } from "#lib/csv.ts";
import { listUniverse, sampleInstrument, type SampleListing } from "#sample/universe.ts";
import { hasRecordings, recordedJson, recordedText } from "../support/recordings.ts";

const isCompany = (listing: SampleListing) =>
  listing.assetType === "stock" || listing.assetType === "reit";
const companies = listUniverse().filter(isCompany);
const others = listUniverse().filter((listing) => !isCompany(listing));
const inCountry = (listings: readonly SampleListing[], country: Country) =>
  listings.filter((listing) => listing.country === country);
const symbolsOf = (listings: readonly SampleListing[]) => listings.map(({ symbol }) => symbol);
const label = ({ country, symbol }: SampleListing) => `${country} ${symbol}`;

describe("the markets", () => {
  const MARKETS: [
    country: Country,
    fewestCompanies: number,
    fewestStocksPerSector: number,
    exchanges: string[],
  ][] = [
    ["US", 165, 11, ["NASDAQ", "NYSE"]],
    ["JP", 135, 11, ["TSE"]],
    ["VN", 95, 10, ["HNX", "HOSE", "UPCOM"]],
  ];

  test.each(MARKETS)("%s has at least %d companies, on its exchanges", (country, fewest, _, on) => {
    const listings = inCountry(companies, country);
    expect(listings.length).toBeGreaterThanOrEqual(fewest);
    expect(new Set<string | null>(listings.map(({ exchange }) => exchange))).toEqual(new Set(on));
  });

  const WITHOUT: Record<Country, AssetType[]> = {
    US: [],
    JP: ["commodity"],
    VN: ["commodity", "cryptocurrency"],
  };

  test.each(COUNTRY_CODES)("%s has every asset type that its market has", (country) => {
    const types = new Set(inCountry(listUniverse(), country).map(({ assetType }) => assetType));
    expect(ASSET_TYPES.filter((type) => !types.has(type))).toEqual(WITHOUT[country]);
  });

  const KNOWN: Record<Country, string> = {
    US: `AAPL MSFT NVDA AMZN TSLA JPM XOM GOOGL GOOG BRK.B CBRE PLD SPY QQQ ^DJI ^VIX EURUSD=X
      DX-Y.NYB GC=F CL=F BTC-USD ETH-USD`,
    JP: "7203 6758 8306 1605 9501 8801 8951 1306 1321 1570 ^TOPX JPY=X EURJPY=X BTC-JPY ETH-JPY",
    VN: `VCB BID CTG TCB MBB VPB ACB HPG VIC VHM VRE VNM MSN MWG FPT GAS PLX POW SSI VND HCM VJC HVN
      DGC GVR BVH SAB E1VFVN30 FUEVFVND FUESSV50 FUCVREIT VN30 HNXINDEX VND=X`,
  };

  test.each(COUNTRY_CODES)("%s has the names that users look up", (country) => {
    const symbols = symbolsOf(inCountry(listUniverse(), country));
    expect(symbols).toEqual(expect.arrayContaining(KNOWN[country].split(/\s+/)));
    expect(symbols).toContain(COUNTRIES[country].indexSymbol);
  });

  test("GOOG is the only secondary share class, and has its company's market cap", () => {
    expect(symbolsOf(listUniverse().filter(({ primaryListing }) => !primaryListing))).toEqual([
      "GOOG",
    ]);
    const [a, c] = ["GOOGL", "GOOG"].map((one) =>
      listUniverse().find(({ symbol }) => symbol === one),
    );
    expect(c?.marketCap).toBe(a?.marketCap ?? 0);
  });

  test("every industry has a company, and every company has employees", () => {
    const industries = new Set(companies.map(({ industry }) => industry));
    expect([...INDUSTRIES.keys()].filter((industry) => !industries.has(industry))).toEqual([]);
    expect(companies.filter(({ employees }) => !employees).map(label)).toEqual([]);
  });

  test("the VN-Index has every company on HOSE and no other", () => {
    const stocks = inCountry(listUniverse(), "VN").filter(({ assetType }) => assetType === "stock");
    expect(
      stocks.filter(({ exchange, indexMember }) => (exchange === "HOSE") !== indexMember),
    ).toEqual([]);
  });

  test("only companies are index members, and every country has enough for an index P/E", () => {
    expect(others.filter(({ indexMember }) => indexMember)).toEqual([]);
    for (const country of COUNTRY_CODES) {
      const members = inCountry(companies, country).filter(({ indexMember }) => indexMember);
      expect(members.length).toBeGreaterThan(80);
    }
  });
});

describe("the figures", () => {
  test("companies trade in the currency of their country", () => {
    const foreign = companies.filter(
      ({ country, currency }) => currency !== COUNTRIES[country].currency,
    );
    expect(foreign.map(label)).toEqual([]);
  });

  test("instruments that are not companies have a price but no company figures", () => {
    const odd = others.filter(
      ({ sector, industry, marketCap, sharesOutstanding, pe, employees }) =>
        sector ?? industry ?? marketCap ?? sharesOutstanding ?? pe ?? employees,
    );
    expect(odd.map(label)).toEqual([]);
    expect(others.filter(({ price }) => !(price > 0)).map(label)).toEqual([]);
  });
});

describe("the instrument record", () => {
  test("every listing gives a valid record", () => {
    const check = TypeCompiler.Compile(Instrument);
    const invalid = listUniverse()
      .map((listing) => sampleInstrument(listing, listing.sharesOutstanding))
      .filter((record) => !check.Check(record));
    expect(invalid).toEqual([]);
  });

  test("its summary describes the listing and says that its figures are not real", () => {
    const summaryOf = (country: Country, symbol: string) =>
      inCountry(listUniverse(), country)
        .filter((listing) => listing.symbol === symbol)
        .map((listing) => sampleInstrument(listing, listing.sharesOutstanding).summary);

    expect(summaryOf("US", "AAPL")).toEqual([
      "Apple Inc. is a company in Consumer Electronics (Technology) on NASDAQ. " +
        "Figures in this sample market are generated, not real.",
    ]);
    expect(summaryOf("JP", "^N225")).toEqual([
      "Nikkei 225 is an index. Figures in this sample market are generated, not real.",
    ]);
  });
});

describe.skipIf(!hasRecordings)("against recorded lists (../shared/data)", () => {
  const rowsBy = (column: number, path: string) =>
    new Map([...csvRows(recordedText(path))].map(({ cells }) => [cells[column], cells]));

  test("US companies are in Nasdaq's screener, on the same exchange", () => {
    const exchanges = new Map<string, string>();
    for (const exchange of ["nasdaq", "nyse"]) {
      const rows: { symbol: string }[] = recordedJson(
        `nasdaq_screener/${exchange}_full_tickers.json`,
      );
      for (const { symbol } of rows) {
        exchanges.set(symbol.replace("/", "."), exchange.toUpperCase());
      }
    }
    const wrong = inCountry(companies, "US").filter(
      ({ symbol, exchange }) => exchanges.get(symbol) !== exchange,
    );
    expect(wrong.map(label)).toEqual([]);
  });

  test("JP codes are in the JPX list, with the same type", () => {
    const jpx = rowsBy(1, "jpx/data_j_20260131.csv");
    const wrong = inCountry(listUniverse(), "JP").filter(({ symbol, assetType }) => {
      if (!/^\d{4}$/.test(symbol)) return false;
      const [, , , market = ""] = jpx.get(symbol) ?? [];
      if (assetType === "etf") return !market.startsWith("ETF");
      return market === "" || (assetType === "reit") !== market.startsWith("REIT");
    });
    expect(wrong.map(label)).toEqual([]);
  });

  test("VN tickers are in the listing of 2026, on the same exchange", () => {
    const listed = rowsBy(0, "vn_listing/vn_symbols_2026.csv");
    const wrong = inCountry(listUniverse(), "VN").filter(({ symbol, assetType, exchange }) => {
      if (assetType === "index" || assetType === "currency") return false;
      const [, , , listedOn, type] = listed.get(symbol) ?? [];
      return listedOn !== exchange || type !== (assetType === "stock" ? "stock" : "fund");
    });
    expect(wrong.map(label)).toEqual([]);
  });

  test("names in the language of the country are those of the lists", () => {
    const jpx = rowsBy(1, "jpx/data_j_20260131.csv");
    const japanese = inCountry(listUniverse(), "JP").filter(({ symbol }) => jpx.has(symbol));
    const nameOf = (one: SampleListing) => localName(one)?.replace("株式会社", "");
    const listedAs = ({ symbol }: SampleListing) => jpx.get(symbol)?.[2]?.normalize("NFKC");
    expect(japanese.map(nameOf)).toEqual(japanese.map(listedAs));
    const listed = rowsBy(0, "vn_listing/vn_symbols_2026.csv");
    const vietnamese = inCountry(listUniverse(), "VN").filter(
      (one) => listed.has(one.symbol) && localName(one) !== null,
    );
    expect(vietnamese.map(localName)).toEqual(
      vietnamese.map(
        ({ symbol }) =>
          listed.get(symbol)?.[1]?.replaceAll(/\s+/g, " ").replaceAll("–", "-").trim() ?? null,
      ),
    );
    expect(vietnamese.length).toBeGreaterThan(120);
  });
});
