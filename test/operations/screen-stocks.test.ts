import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { METRIC_NAMES, type MetricName } from "#analytics/metrics.ts";
import { COUNTRIES, COUNTRY_CODES } from "#domain/country.ts";
import type { Instrument } from "#domain/instrument.ts";
import type { Quote } from "#domain/quote.ts";
import { createExecutor, decodeRequest } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { routesOf } from "#operations/operation.ts";
import { screenStocks } from "#operations/screen-stocks.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import type { MarketStore } from "#store/index.ts";
import { expectError } from "../support/error.ts";
import { openTestMarket, SAMPLE, stock } from "../support/market.ts";
import { quote } from "../support/refresher.ts";
import { openSampleMarket, START } from "../support/service.ts";

interface Screen {
  columns: string[];
  rows: (string | number | null)[][];
  total: number;
  by_country?: Record<string, number>;
  of: number;
  session: string | null;
  currency: string;
  emptied_by: string | null;
  next_cursor: string | null;
  note?: string;
  limits?: string[];
  rates?: { from: string; to: string; rate: number }[];
}

const clock = () => START;

/** The answer to a call, without any cache; roll-ups of the market are computed again if absent. */
const screen = (
  market: MarketStore,
  args: Record<string, unknown>,
  rollups = new CompanyRollups(market, clock),
) => call<Screen>("screen_stocks", market, args, rollups);

async function call<Data>(
  name: string,
  market: MarketStore,
  args: Record<string, unknown>,
  rollups: CompanyRollups,
): Promise<Data> {
  const operation = OPERATIONS.find((one) => one.name === name);
  if (!operation) throw new Error(`there is no ${name}`);
  const executor = createExecutor({ market, clock, rollups });
  const { body } = await executor.execute(decodeRequest(operation, args));
  return (JSON.parse(body) as { data: Data }).data;
}

const symbolsOf = ({ rows }: Screen) => rows.map(([symbol]) => symbol);

/** A company with a price of 10, its market cap, EPS and change of the day. */
function company(symbol: string, known: { cap?: number; eps?: number; change?: number }) {
  const { cap = null, eps = null, change } = known;
  return quote(symbol, 10, {
    marketCap: cap,
    epsTtm: eps,
    previousClose: change === undefined ? null : 10 / (1 + change / 100),
    date: "2026-11-19",
  });
}

function openCompanies(quotes: readonly Quote[], more: readonly Instrument[] = []) {
  const home = openTestMarket();
  const listed = quotes.map(({ symbol }) => stock("US", symbol, { sharesOutstanding: null }));
  home.market.put("instruments", [...listed, ...more], SAMPLE);
  home.market.put("quotes", quotes, SAMPLE);
  return home;
}

/** A has P/E 5 (10 / 2), B 10, C 20, D none because of a loss. E has nothing but a listing. */
const FIVE = [
  company("A", { cap: 100, eps: 2, change: 1 }),
  company("B", { cap: 400, eps: 1, change: -2 }),
  company("C", { cap: 300, eps: 0.5, change: 3 }),
  company("D", { cap: 200, eps: -1, change: 0 }),
];
const openFive = () => openCompanies(FIVE, [stock("US", "E", { sharesOutstanding: null })]);

describe("screen_stocks", () => {
  test("without arguments: the largest companies", async () => {
    using home = openFive();
    expect(await screen(home.market, { country: "US" })).toMatchObject({
      columns: ["symbol", "name", "price", "change_percent", "market_cap", "pe"],
      rows: [
        ["B", "B Inc", 10, -2, 400, 10],
        ["C", "C Inc", 10, 3, 300, 20],
        ["D", "D Inc", 10, 0, 200, null],
        ["A", "A Inc", 10, 1, 100, 5],
        ["E", "E Inc", null, null, null, null],
      ],
      total: 5,
      of: 5,
      session: "2026-11-19",
      currency: "USD",
      emptied_by: null,
      next_cursor: null,
    });
  });

  test("ranks unknown values last in both directions, equal ones by symbol", async () => {
    using home = openFive();
    const sorted = async (sort: string) =>
      symbolsOf(await screen(home.market, { country: "US", sort }));
    expect(await sorted("pe")).toEqual(["A", "B", "C", "D", "E"]);
    expect(await sorted("-pe")).toEqual(["C", "B", "A", "D", "E"]);
    expect(await sorted("price")).toEqual(["A", "B", "C", "D", "E"]);
    expect(await sorted("-price")).toEqual(["A", "B", "C", "D", "E"]);
  });

  test("both: has the top and the bottom, each company once", async () => {
    using home = openFive();
    const both = async (limit: number) =>
      symbolsOf(await screen(home.market, { country: "US", sort: "both:change_percent", limit }));
    expect(await both(2)).toEqual(["C", "B"]); // +3 %, −2 %
    expect(await both(3)).toEqual(["C", "A", "B"]);
    // E has no change.
    expect(await both(100)).toEqual(["C", "A", "D", "B"]);
    expect(await both(1)).toEqual(["C"]);
  });

  test("shows the metrics of conditions and order, and the chosen ones first", async () => {
    using home = openFive();
    const { columns, rows } = await screen(home.market, {
      country: "US",
      where: "change_percent>=0",
      sort: "pe",
      metrics: "volume,Mkt cap",
    });
    expect(columns).toEqual(["symbol", "name", "volume", "market_cap", "pe", "change_percent"]);
    expect(rows.map(([symbol]) => symbol)).toEqual(["A", "C", "D"]);
  });

  test("alternatives: one of them must hold, and an empty answer names them all", async () => {
    using home = openFive();
    const found = async (where: string) =>
      symbolsOf(await screen(home.market, { country: "US", where, sort: "pe" }));
    // pe is 5, 10, 20; caps are 100, 400, 300, and 200 of D.
    expect(await found("pe<10 or market_cap>300")).toEqual(["A", "B"]);
    expect(await found("pe>15,market_cap<300 or market_cap<250,change_percent<1")).toEqual(["D"]);
    const where = "pe<1 or pe>100";
    const { emptied_by } = await screen(home.market, { country: "US", where });
    expect(emptied_by).toBe(where);
  });

  test("compares metrics with each other and shows both; unknown values meet nothing", async () => {
    using home = openFive();
    const { columns, rows } = await screen(home.market, {
      country: "US",
      where: "change_percent>=return_1d,pe>pb",
      metrics: "price",
    });
    expect(columns.join(" ")).toBe("symbol name price market_cap change_percent return_1d pe pb");
    expect(rows).toEqual([]);
    const same = await screen(home.market, { country: "US", where: "change_percent=return_1d" });
    expect(same.total).toBe(4);
  });

  test("notes a number that is probably meant in another unit or direction", async () => {
    using home = openFive();
    const noteOf = async (where: string) =>
      (await screen(home.market, { country: "US", where })).note;
    expect(await noteOf("change_percent>0.03,pe<20")).toBe(
      "percent: 0.03 is 0.03 %; for 3 % write 3",
    );
    expect(await noteOf("change_percent>3")).toBeUndefined();
    expect(await noteOf("rsi<0.3")).toBe("0 to 100: 0.3 is below 1; for 30 write 30");
    expect(await noteOf("rating>4")).toBe(
      "rating: 1 is strong buy, 5 is strong sell; for better ratings write rating<4",
    );
  });

  test("says the unit and the range of a figure whose condition all companies meet, or none", async () => {
    // P/E 1, 2, … 10, and market caps of 1 to 10 billion.
    using home = openCompanies(
      Array.from({ length: 10 }, (_, i) =>
        company(`N${i}`, { cap: (i + 1) * 1e9, eps: 10 / (i + 1) }),
      ),
    );
    const limitsOf = async (where: string) =>
      (await screen(home.market, { country: "US", where })).limits;
    const cap = "market_cap is in USD, here from 1.00 B USD to 10.00 B USD";
    const ofAll = "none of the 10 companies with the figure";
    expect(await limitsOf("market_cap>10")).toEqual([`market_cap>10 removes ${ofAll}: ${cap}.`]);
    expect(await limitsOf("market_cap>price,pe<5")).toEqual([
      `market_cap>price removes ${ofAll}: ${cap}; price is in USD, here from 10.00 USD to 10.00 USD.`,
    ]);
    expect(await limitsOf("pe>1000 or pe<3")).toEqual([
      `pe>1000 leaves ${ofAll}: pe is a multiple, here from 1.00 to 10.00.`,
    ]);
    // No company has a rating, and five companies are too few.
    expect(await limitsOf("rating>4")).toBeUndefined();
    using five = openFive();
    expect((await screen(five.market, { country: "US", where: "price>1" })).limits).toBeUndefined();
  });

  test("compares with the median of the industry or sector in the company's country", async () => {
    const listed = [3, 6, 10, 12, 14, 20, 8].map((pe, i) => ({
      stock: stock("US", `S${i}`, {
        sharesOutstanding: null,
        industry: i < 5 ? "semiconductors" : "software-application",
        sector: "technology",
      }),
      quote: company(`S${i}`, { cap: 100, eps: 10 / pe }),
    }));
    using home = openCompanies(
      [],
      listed.map((one) => one.stock),
    );
    home.market.put(
      "quotes",
      listed.map((one) => one.quote),
      SAMPLE,
    );
    const found = async (where: string) => {
      const { columns, rows } = await screen(home.market, { country: "US", where, sort: "pe" });
      return [rows.map(([symbol]) => symbol), rows[0]?.[columns.indexOf(`${where.slice(3)}`)]];
    };
    // Semiconductors: 3, 6, 10, 12, 14. The other industry has only two companies, so no median.
    expect(await found("pe<industry.pe_median")).toEqual([["S0", "S1"], 10]);
    // All: 3, 6, 8, 10, 12, 14, 20.
    expect(await found("pe>sector.pe_median")).toEqual([["S3", "S4", "S5"], 10]);
  });

  test("says which condition removed the last company", async () => {
    using home = openFive();
    const emptiedBy = async (args: object) =>
      (await screen(home.market, { country: "US", ...args })).emptied_by;
    expect(await emptiedBy({ where: "pe<10,market_cap>100,price>1" })).toBe("market_cap>100");
    expect(await emptiedBy({ sector: "energy", where: "pe<10" })).toBe("sector energy");
    expect(await emptiedBy({ industry: "Biotech" })).toBe("industry Biotech");
    expect(await emptiedBy({ where: "pe<10" })).toBeNull();
  });

  test("narrows to a sector and to a part of an industry's name", async () => {
    using home = openCompanies(FIVE, [
      stock("US", "OIL", { sector: "energy", industry: "oil-and-gas-midstream" }),
      stock("US", "RIG", { sector: "energy", industry: "oil-and-gas-drilling" }),
    ]);
    const of = async (args: object) =>
      symbolsOf(await screen(home.market, { country: "US", sort: "price", ...args }));
    expect(await of({ sector: "energy" })).toEqual(["OIL", "RIG"]);
    expect(await of({ industry: "MIDSTREAM" })).toEqual(["OIL"]);
    expect(await of({ industry: "oil" })).toEqual(["OIL", "RIG"]);
  });

  test("the whole name of an industry is not part of another one's", async () => {
    using home = openCompanies(FIVE, [
      stock("US", "ACID", { sector: "basic-materials", industry: "chemicals" }),
      stock("US", "PAINT", { sector: "basic-materials", industry: "specialty-chemicals" }),
    ]);
    const of = async (industry: string) =>
      symbolsOf(await screen(home.market, { country: "US", sort: "price", industry }));
    expect(await of("Chemicals")).toEqual(["ACID"]);
    expect(await of("chemicals")).toEqual(["ACID"]);
    expect(await of("chemical")).toEqual(["ACID", "PAINT"]);
  });

  test("has the slugs of sector and industry as columns", async () => {
    using home = openCompanies(FIVE, [
      stock("US", "OIL", { sector: "energy", industry: "oil-and-gas-midstream" }),
    ]);
    const { columns, rows } = await screen(home.market, {
      country: "US",
      metrics: "Sector, price,industry",
      where: "market_cap>300",
    });
    expect(columns).toEqual(["symbol", "name", "sector", "industry", "price", "market_cap"]);
    // A stock of the test market has the classes of Apple.
    expect(rows).toEqual([["B", "B Inc", "technology", "consumer-electronics", 10, 400]]);
    const energy = await screen(home.market, {
      country: "US",
      sector: "energy",
      metrics: "sector",
    });
    expect(energy.columns).toEqual(["symbol", "name", "sector", "market_cap"]);
    expect(energy.rows).toEqual([["OIL", "OIL Inc", "energy", null]]);
  });

  test("REST takes a limit of 1,000 rows, tools one of 100", () => {
    const operation = OPERATIONS.find(({ name }) => name === "screen_stocks");
    if (!operation) throw new Error("there is no screen_stocks");
    expect(operation.input.properties["limit"]).toMatchObject({ maximum: 100 });
    const [route] = routesOf(operation);
    expect(route?.input.properties["limit"]).toMatchObject({ maximum: 1_000 });
  });

  test("has one line per issuer and no funds", async () => {
    using home = openCompanies(FIVE, [
      stock("US", "SPY", { assetType: "etf" }),
      stock("US", "A2", { primaryListing: false }),
    ]);
    const { total, of } = await screen(home.market, { country: "US" });
    expect([total, of]).toEqual([4, 4]);
  });

  test("converts reported amounts to the currency of the country", async () => {
    using home = openCompanies(
      [company("ADR", { cap: 100, eps: null as never })],
      [{ ...stock("JP", "JPY=X"), assetType: "currency", currency: "JPY", primaryListing: false }],
    );
    const bar = { open: 150, high: 150, low: 150, close: 150, volume: null };
    home.market.put(
      "bars",
      [{ country: "JP", symbol: "JPY=X", bars: [{ date: "2026-11-19", ...bar }] }],
      SAMPLE,
    );
    const { NO_ITEMS } = await import("#domain/statement.ts");
    home.market.put(
      "statements",
      [
        {
          country: "US",
          symbol: "ADR",
          span: "year",
          fiscalYear: 2025,
          fiscalQuarter: 4,
          periodEnd: "2025-12-31",
          filedOn: "2026-02-01",
          currency: "JPY",
          items: { ...NO_ITEMS, revenue: 30_000 },
        },
      ],
      SAMPLE,
    );
    const { rows } = await screen(home.market, {
      country: "US",
      metrics: "revenue",
      where: "revenue>0",
    });
    // 30,000 yen at 150 yen a dollar.
    expect(rows[0]?.[2]).toBe(200);
  });

  test.each([
    [{ where: "pee<1" }, "where"],
    [{ where: Array.from({ length: 21 }, () => "pe<1").join(",") }, "where"],
    [{ where: `pe<1${"0".repeat(300)}` }, "where"],
    [{ where: "pe<1,,roe>1" }, "where"],
    [{ where: "" }, "where"],
    [{ metrics: Array.from({ length: 21 }, () => "pe").join(",") }, "metrics"],
    [{ metrics: "all" }, "metrics"],
    [{ sort: "size" }, "sort"],
    [{ limit: 0 }, "limit"],
    [{ limit: 101 }, "limit"],
    [{ industry: "zzzzzz" }, "industry"],
    [{ sector: "zzzzzz" }, "sector"],
    [{ cursor: "x" }, "cursor"],
    [{ cursor: Buffer.from('["-pe",1,"A"]').toString("base64url") }, "cursor"],
    [{ cursor: Buffer.from('{"a":1}').toString("base64url") }, "cursor"],
  ])("refuses %j", async (args, param) => {
    using home = openFive();
    const work = () => screen(home.market, { country: "US", ...args });
    const { details } = await expectError(work, "invalid_argument");
    expect(details.param).toBe(param);
  });

  test("accepts 20 conditions, and conditions as a JSON list", async () => {
    using home = openFive();
    const where = Array.from({ length: 20 }, () => "pe<=10");
    const args = { country: "US", sort: "pe" };
    expect(symbolsOf(await screen(home.market, { ...args, where }))).toEqual(["A", "B"]);
    expect(symbolsOf(await screen(home.market, { ...args, where: where.join(",") }))).toEqual([
      "A",
      "B",
    ]);
  });
});

describe("laws over the sample market", () => {
  let close: () => void;
  let screenSample: (args: Record<string, unknown>) => Promise<Screen>;
  let answer: <Data>(name: string, args: Record<string, unknown>) => Promise<Data>;
  beforeAll(() => {
    const sample = openSampleMarket();
    const { market, rollups } = sample;
    close = sample.close;
    screenSample = (args) => screen(market, args, rollups);
    answer = (name, args) => call(name, market, args, rollups);
  }, 600_000);
  afterAll(() => close());

  test.each([...COUNTRY_CODES])("%s: all rows meet the conditions, in order", async (country) => {
    const { columns, rows, total, of } = await screenSample({
      country,
      where: "pe<25,roe>5,return_1y>-50",
      sort: "-dividend_yield",
      limit: 100,
    });
    const column = (name: MetricName) => rows.map((row) => row[columns.indexOf(name)]);
    expect(rows.length).toBeGreaterThan(5);
    expect(column("pe").every((value) => typeof value === "number" && value < 25)).toBe(true);
    expect(column("roe").every((value) => typeof value === "number" && value > 5)).toBe(true);
    expect(column("return_1y").every((value) => typeof value === "number" && value > -50)).toBe(
      true,
    );
    const yields = column("dividend_yield").map((value) => (value === null ? -1 : Number(value)));
    expect(yields).toEqual(yields.toSorted((a, b) => b - a));
    expect(total).toBeGreaterThanOrEqual(rows.length);
    expect(of).toBeGreaterThan(total);
  });

  test.each([
    ["a condition and its opposite divide the companies that have the figure", "pe<15", "pe>=15"],
    ["so do = and !=", "analyst_count=10", "analyst_count!=10"],
  ])("%s", async (_, one, other) => {
    const [metric = ""] = one.split(/[<=]/);
    for (const country of COUNTRY_CODES) {
      const total = async (where: string) => (await screenSample({ country, where })).total;
      expect((await total(one)) + (await total(other))).toBe(await total(`${metric}>-1e17`));
    }
  });

  // The sectors come from the exchange's list of listed issues, the supersectors from ICB.
  test.each([
    ["JP", "6758", "JP:electric-appliances", "電気機器", "Thiết bị điện"],
    ["JP", "6861", "JP:electric-appliances", "3650", "JP:3650"],
    ["JP", "6098", "JP:services", "サービス業", "9050"],
    ["JP", "9984", "JP:information-and-communication", "情報・通信業", "情報通信業"],
    ["JP", "8001", "JP:wholesale-trade", "卸売業", "Bán buôn"],
    ["JP", "7974", "JP:other-products", "その他製品", "Other Products"],
    ["JP", "8306", "JP:banks", "銀行業", "Banks"],
    ["JP", "8801", "JP:real-estate-tse", "不動産業", "8050"],
    ["VN", "VCB", "VN:banks", "Ngân hàng (ICB)", "銀行（ICB）"],
    ["VN", "SSI", "VN:financial-services-icb", "Dịch vụ tài chính", "8700"],
    ["VN", "FPT", "VN:technology-icb", "Công nghệ thông tin", "9500"],
  ])("%s %s is in %s, which sector and industry find", async (country, symbol, name, ...words) => {
    for (const word of words)
      for (const filter of ["sector", "industry"]) {
        // The name of a code is for sector.
        if (filter === "industry" && word === "Banks") continue;
        const args = { country, [filter]: word, metrics: "local_sector", limit: 100 };
        const { rows, columns } = await screenSample(args);
        const at = columns.indexOf("local_sector");
        expect([word, new Set(rows.map((row) => row[at]))]).toEqual([word, new Set([name])]);
        expect(rows.map(([one]) => one)).toContain(symbol);
      }
  });

  const of = async (country: string, sector: string) =>
    (await screenSample({ country, sector })).total;

  test("a sector that another country has too is that sector there", async () => {
    // Y tế is Viet Nam's class and a word for the sector Healthcare.
    expect(await of("US", "y tế")).toBe(await of("US", "healthcare"));
    const refused = await expectError(() => of("US", "電気機器"), "invalid_argument");
    expect(refused.message).toContain("is a class of Japan");
    await expectError(() => of("JP", "Bán lẻ"), "invalid_argument");
  });

  test("a word means the same in any case, without its marks and with the class named", async () => {
    const read = (country: string, sector: string) => {
      const { input, understood } = decodeRequest(screenStocks, { country, sector });
      return [input["sector"], understood["sector"]];
    };
    for (const word of ["Bất động sản", "bất động sản", "bat dong san"])
      expect([word, ...read("VN", word)]).toEqual([word, "real-estate", "real-estate"]);
    for (const word of ["Ngân hàng", "ngan hang", "8300", "vn:8300"])
      expect([word, ...read("VN", word)]).toEqual([word, "VN:banks", "VN:banks"]);
    const unknown = await expectError(() => of("JP", "JP:9999"), "invalid_argument");
    expect(unknown.details.hint).toContain("level=local_sector has the classes");
    // 3700 is Transportation Equipment in Tokyo, and Personal & Household Goods in ICB.
    expect(read("JP", "3700")).toEqual(Array(2).fill("JP:transportation-equipment"));
    const refused = await expectError(() => of("JP,VN", "3700"), "invalid_argument");
    expect(refused.details.allowed).toEqual([
      "JP:transportation-equipment",
      "VN:personal-and-household-goods",
    ]);
  });

  test.each([
    ["JP", "プライム", "TSE Prime"],
    ["JP", "standard", "TSE Standard"],
    ["VN", "sàn upcom", "UPCOM"],
    ["VN", "san ha noi", "HNX"],
    ["VN", "sàn thành phố Hồ Chí Minh", "HOSE"],
    ["US", "Nasdaq", "NASDAQ"],
  ])("%s: exchange=%s has only companies on %s", async (country, exchange, name) => {
    const { rows, total, of } = await screenSample({
      country,
      exchange,
      metrics: "sàn",
      limit: 100,
    });
    expect(new Set(rows.map((row) => row[2]))).toEqual(new Set([name]));
    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThan(of);
    const listed = await answer<{ total: number }>("list_symbols", {
      country,
      exchange,
      type: "stock",
    });
    expect(listed.total).toBeGreaterThanOrEqual(total - 20);
  });

  test("the classes of a market have every company that has one", async () => {
    const { columns, rows } = await answer<Screen>("get_sectors", {
      country: "JP",
      level: "33業種",
      columns: "stocks,pe_median",
    });
    expect(columns).toEqual(["slug", "stocks", "pe_median"]);
    const banks = rows.find(([slug]) => slug === "JP:banks");
    expect(banks?.slice(0, 2)).toEqual([
      "JP:banks",
      (await screenSample({ country: "JP", sector: "銀行業" })).total,
    ]);
    const ofUs = () => answer("get_sectors", { country: "US", level: "local_sector" });
    await expectError(ofUs, "invalid_argument");
  });

  test("get_sectors and get_sector_overview have the classes of a market too", async () => {
    const slugsOf = async (args: Record<string, unknown>) =>
      Object.keys((await answer<{ sectors: object }>("get_sectors", args)).sectors);
    for (const sector of ["銀行業", "jp:7050", "Banks"])
      expect([sector, await slugsOf({ country: "JP", sector })]).toEqual([sector, ["JP:banks"]]);
    const industries = { country: "JP", sector: "銀行業", level: "industry" };
    await expectError(() => slugsOf(industries), "invalid_argument");
    await expectError(() => slugsOf({ country: "US", sector: "銀行業" }), "invalid_argument");

    type Rows = { coverage: string; rows: { slug: string; stocks: number; market_cap: number }[] };
    const level = "local_sector";
    const { rows, coverage } = await answer<Rows>("get_sector_overview", { level });
    expect(rows).toHaveLength(53);
    expect(coverage).toBe("Stored companies listed in Japan and Viet Nam.");
    for (const country of ["JP", "VN"]) {
      const banks = rows.find(({ slug }) => slug === `${country}:banks`);
      const { total } = await screenSample({ country, sector: `${country}:banks` });
      expect([country, banks?.stocks]).toEqual([country, total]);
    }
    // Each company with a class and a size is in one class.
    const whole = await answer<Rows>("get_sector_overview", {});
    const sum = (of: Rows["rows"]) => of.reduce((total, { market_cap: cap }) => total + cap, 0);
    expect(sum(rows)).toBeLessThan(sum(whole.rows));
  });

  test("compare_stocks and the overview have the class and the exchange", async () => {
    const compared = await answer<Screen>("compare_stocks", {
      symbols: "JP:6758,VN:VGI,US:AAPL",
      metrics: "東証33業種,sàn,pe",
    });
    const at = compared.columns.indexOf("exchange");
    expect(compared.columns.slice(at)).toEqual(["exchange", "local_sector", "pe"]);
    expect(compared.rows.map((row) => row.slice(at, at + 2))).toEqual([
      ["TSE Prime", "JP:electric-appliances"],
      ["UPCOM", "VN:telecommunications"],
      ["NASDAQ", null],
    ]);
    const { listing } = await answer<{ listing: object }>("get_stock_overview", {
      country: "JP",
      symbol: "6861",
    });
    expect(listing).toEqual({
      exchange: "TSE Prime",
      local_sector: "Electric Appliances",
      local_sector_code: "3650",
    });
  });

  test("several countries: US dollars, a column of countries, and each company once", async () => {
    const where = "market_cap>20B,dividend_yield>1";
    const args = { where, metrics: "price", limit: 100 };
    const all = await screenSample({ ...args, country: "all" });
    expect(all.columns.slice(0, 3)).toEqual(["country", "symbol", "name"]);
    expect(all.currency).toBe("USD");
    expect(all.rates?.map(({ from, to }) => `${from} ${to}`).sort()).toEqual([
      "JPY USD",
      "VND USD",
    ]);
    const each = await Promise.all(
      COUNTRY_CODES.map((country) => screenSample({ ...args, country, currency: "USD" })),
    );
    const sum = (of: (one: Screen) => number) => each.reduce((total, one) => total + of(one), 0);
    expect([all.total, all.of]).toEqual([sum(({ total }) => total), sum((one) => one.of)]);
    expect(all.by_country).toEqual(
      Object.fromEntries(each.map(({ total }, i) => [COUNTRY_CODES[i], total])),
    );
    const none = await screenSample({ where: "pe<0.001", country: "US,VN" });
    expect(none.by_country).toEqual({ US: 0, VN: 0 });
    expect(each[0]).not.toHaveProperty("by_country");
    const known: unknown[] = each.flatMap(({ rows }, i) =>
      rows.map(([symbol, , ...cells]) => [COUNTRY_CODES[i], symbol, ...cells.slice(0, 3)]),
    );
    for (const [country, symbol, , ...cells] of all.rows)
      expect(known).toContainEqual([country, symbol, ...cells.slice(0, 3)]);
    const caps = all.rows.map((row) => Number(row[all.columns.indexOf("market_cap")]));
    expect(caps).toEqual(caps.toSorted((a, b) => b - a));
    const yen = await screenSample({ ...args, country: "JP,US", currency: "JPY" });
    expect([yen.currency, new Set(yen.rows.map(([country]) => country)).size]).toEqual(["JPY", 2]);
  });

  test.each([...COUNTRY_CODES])(
    "%s: changes of earlier sessions are of its closes",
    async (country) => {
      const names = METRIC_NAMES.filter((name) => /^change_\d/.test(name));
      const historyOf = async (symbol: unknown) => {
        const args = { country, symbol: String(symbol), limit: "8" };
        type History = { dates: string[]; closes: number[] };
        const { dates, closes } = await answer<History>("get_stock_price_history", args);
        return new Map(dates.map((date, i) => [date, closes[i] ?? Number.NaN]));
      };
      const symbols = `${country}:${COUNTRIES[country].indexSymbol}`;
      const { session } = await answer<Screen>("compare_stocks", { symbols });
      const index = await historyOf(COUNTRIES[country].indexSymbol);
      const before = [...index.keys()].filter((date) => date < (session ?? "")).toReversed();
      const metrics = names.join();
      const { columns, rows } = await screenSample({ country, metrics, limit: 12 });
      for (const row of rows) {
        const closes = await historyOf(row[0]);
        for (const [i, name] of names.entries()) {
          const [close, previous] = [i, i + 1].map((ago) => closes.get(before[ago] ?? ""));
          const change = 100 * (Number(close) / Number(previous) - 1);
          // Both closes are rounded.
          expect(Number(row[columns.indexOf(name)])).toBeCloseTo(change, 1);
        }
      }
    },
  );

  test("the median of an industry is that of get_sectors", async () => {
    const { columns, rows } = await screenSample({
      country: "US",
      where: "pe>industry.pe_median",
      sector: "technology",
      metrics: "industry",
      limit: 100,
    });
    const args = { country: "US", sector: "technology", level: "industry" };
    const { sectors } = await answer<{
      sectors: Record<string, { stats: { pe_median: number } }>;
    }>("get_sectors", args);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      const median = row[columns.indexOf("industry.pe_median")];
      const slug = String(row[columns.indexOf("industry")]);
      expect([slug, sectors[slug]?.stats.pe_median as unknown]).toEqual([slug, median]);
    }
  });

  test.each(["-market_cap", "change_percent", "-rating"])(
    "the pages by %s together are the whole",
    async (sort) => {
      const whole = await screenSample({ country: "VN", sort, limit: 100 });
      const paged: Screen["rows"] = [];
      let cursor: string | null = null;
      do {
        const page: Screen = await screenSample({
          country: "VN",
          sort,
          limit: 30,
          ...(cursor !== null && { cursor }),
        });
        paged.push(...page.rows);
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(paged.length).toBe(whole.total);
      expect(new Set(paged.map(([symbol]) => symbol)).size).toBe(whole.total);
      expect(paged.slice(0, 100)).toEqual(whole.rows);
    },
  );

  // Conditions are on values as shown, that is rounded.
  test("every company is below, at or above a value that is shown", async () => {
    // One of each way of rounding.
    for (const metric of ["price", "market_cap", "pe", "change_percent", "eps", "employees"]) {
      const args = { country: "VN", sort: metric, metrics: metric };
      const known = await screenSample({ ...args, where: `${metric}>-1e17` });
      const shown = known.rows.at(-1)?.[known.columns.indexOf(metric)];
      const count = async (operator: string) =>
        (await screenSample({ ...args, where: `${metric}${operator}${shown}` })).total;
      const [below, at, above] = [await count("<"), await count("="), await count(">")];
      expect(at, metric).toBeGreaterThan(0);
      expect([metric, below + at + above]).toEqual([metric, known.total]);
      expect([await count("<="), await count("!=")]).toEqual([below + at, below + above]);
    }
  });

  test("the cursor of an order continues it in every notation", async () => {
    const args = { country: "VN", limit: 1 };
    const { next_cursor: cursor } = await screenSample({ ...args, sort: "-market_cap" });
    const second = await screenSample({ ...args, sort: "-market_cap", cursor });
    // 60 characters, the longest text that is allowed. A cursor has at most 200.
    const longest = "-market_cap".padStart(60, "\u3000");
    for (const sort of ["market_cap desc", "Mkt cap:desc", longest]) {
      const first = await screenSample({ ...args, sort });
      const next = await screenSample({ ...args, sort, cursor: first.next_cursor });
      expect(next.rows).toEqual(second.rows);
      expect((await screenSample({ ...args, sort, cursor })).rows).toEqual(second.rows);
    }
  });

  test("a page has at most 3,000 values, and the rest on the next pages", async () => {
    const where = METRIC_NAMES.slice(0, 16)
      .map((name) => `${name}!=1e9`)
      .join(",");
    const metrics = METRIC_NAMES.slice(20, 40).join(",");
    const args = { country: "VN", where, metrics, sort: "employees", limit: 100 };
    const first = await screenSample(args);
    // Symbol, name, 20 metrics, 16 conditions and the order: 3,000 / 39 = 76.9.
    expect([first.columns.length, first.rows.length]).toEqual([39, 76]);
    const second = await screenSample({ ...args, cursor: first.next_cursor });
    expect(first.rows.length + second.rows.length).toBe(first.total);
  });

  test.each([...COUNTRY_CODES])("%s: every metric is known of some company", async (country) => {
    for (let start = 0; start < METRIC_NAMES.length; start += 15) {
      const names = METRIC_NAMES.slice(start, start + 15);
      const { columns, rows } = await screenSample({
        country,
        metrics: names.join(","),
        limit: 100,
      });
      for (const name of names) {
        const values = rows.map((row) => row[columns.indexOf(name)]);
        // The sample announces no dividends. New York has no limits, and only Viet Nam counts trades of foreigners.
        const isKnown =
          !["next_ex_date", "last_cum_date"].includes(name) &&
          (country === "VN" || !name.startsWith("foreign")) &&
          (country !== "US" ||
            !/^(min_investment|reference|(below_)?ceiling|(above_)?floor)/.test(name));
        expect([name, values.some((value) => value !== null)]).toEqual([name, isKnown]);
      }
    }
  });
});

// Reading each would take minutes if the time grew with the cube of its spaces.
test.each([
  ["after a number", `pe<1${" ".repeat(4_000)}x`],
  ["after an operator", `pe<${" ".repeat(4_000)}x`],
  ["before between", `pe<1,${"and ".repeat(2_000)}pe between 1 and 2`],
])("conditions with thousands of words or spaces %s are refused at once", async (_, where) => {
  await expectError(
    () => decodeRequest(screenStocks, { country: "US", where }),
    "invalid_argument",
  );
});
