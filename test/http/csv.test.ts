import { afterAll, describe, expect, test } from "bun:test";
import { parseBars } from "#imports/bars-file.ts";
import type { ImportName } from "#imports/import-kinds.ts";
import { parseRecordFiles } from "#imports/records-file.ts";
import { csvRows, formatCsv } from "#lib/csv.ts";
import { OPERATIONS } from "#operations/index.ts";
import { openMarket } from "#store/index.ts";
import { CALLS, restPath } from "../support/contract-calls.ts";
import { expectErrorEnvelope } from "../support/contract-exchange.ts";
import { startService } from "../support/service.ts";

const service = await startService();
const { token } = service.createToken("max");
afterAll(() => service.stop());

const SECTORS = "/data/sectors/overview";
const get = (path: string, accept?: string) =>
  service.request(path, token, accept === undefined ? {} : { headers: { accept } });
const asCsv = (path: string) => get(`${path}${path.includes("?") ? "&" : "?"}format=csv`);
const isCsv = (response: Response) =>
  response.headers.get("content-type") === "text/csv; charset=utf-8; header=present";

describe("an operation with a table", () => {
  test.each(
    CALLS.filter(({ operation }) => operation.table).map((call) => [call.title, call] as const),
  )("%s: the CSV has the cells of the table", async (_, call) => {
    const path = restPath(call);
    const same = { ...call, arguments: { ...call.arguments, ...call.operation.tableArguments } };
    const { data } = (await (await get(restPath(same))).json()) as { data: unknown };
    const csv = await asCsv(path);
    expect(csv.status).toBe(200);
    expect(isCsv(csv)).toBe(true);
    const [header, ...rows] = [...csvRows(await csv.text())].map(({ cells }) => cells);
    const table = call.operation.table?.(data, same.arguments as never);
    expect(header).toEqual([...(table?.columns ?? [])]);
    // Programs read a column by its name.
    expect(new Set(header).size).toBe(header?.length ?? 0);
    expect(rows).toEqual(
      (table?.rows ?? []).map((row) => row.map((cell) => (cell === null ? "" : String(cell)))),
    );
  });

  test("a screen of one country has the columns of three: country, session and currency", async () => {
    const screen = "/data/stocks/screen?metrics=price&limit=2&country=";
    const tableOf = async (country: string) =>
      [...csvRows(await (await asCsv(screen + country)).text())].map(({ cells }) => cells);
    const [header = [], first = []] = await tableOf("JP");
    const [ofAll = []] = await tableOf("all");
    expect(header).toEqual(ofAll.slice(0, header.length));
    expect(ofAll.slice(header.length).every((name) => name.includes("_to_USD"))).toBe(true);
    const { data } = (await (await get(`${screen}JP`)).json()) as { data: { session: string } };
    const row = Object.fromEntries(header.map((name, i) => [name, first[i]]));
    expect(row).toMatchObject({ country: "JP", to_session: data.session, currency: "JPY" });
  });

  /** The first two cells of each row on all pages, by following the links. */
  async function readPages(path: string) {
    const cells: string[] = [];
    const totals: (string | null)[] = [];
    for (let next: string | undefined = path; next !== undefined;) {
      const page: Response = await get(next);
      expect([page.status, isCsv(page)]).toEqual([200, true]);
      totals.push(page.headers.get("x-total-count"));
      const [, ...rows] = [...csvRows(await page.text())];
      cells.push(...rows.map(({ cells: row }) => row.slice(0, 2).join()));
      next = /^<\/api\/v1\/svc(\/[^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
    }
    return { cells, totals };
  }

  test.each([
    ["symbols", "/data/symbols?country=US&limit=100&format=csv&_n=1", "symbols"],
    ["a screen", "/data/stocks/screen?country=US&where=market_cap>0&limit=70&format=csv", "rows"],
    ["sessions", "/data/stocks/AAPL/history?country=US&limit=900&format=csv", "dates"],
    ["months", "/data/stocks/AAPL/history?country=US&interval=1mo&limit=50&format=csv", "dates"],
  ])("pages of %s lead to all rows, with their number", async (_, path, key) => {
    const { cells, totals } = await readPages(path);
    expect(totals.length).toBeGreaterThan(1);
    expect(new Set(totals)).toEqual(new Set([String(cells.length)]));
    expect(new Set(cells).size).toBe(cells.length);
    const whole = path.replace(/limit=\d+&format=csv/, "limit=100");
    const { data } = (await (await get(whole)).json()) as { data: Record<string, unknown[]> };
    expect(data["total"] as unknown).toBe(cells.length);
    expect(data[key]?.length).toBeLessThan(cells.length);
  });

  test("older figures of a series follow by their links", async () => {
    const path = "/data/macro/history?country=US&series=Unemployment%20rate";
    const { data } = (await (await get(`${path}&limit=1000`)).json()) as {
      data: { rows: [string, number][] };
    };
    const { cells } = await readPages(`${path}&limit=20&format=csv`);
    expect(cells.toSorted()).toEqual(data.rows.map((row) => row.join()));
  });

  test("says how many rows there are also where no page follows", async () => {
    for (const [path, rows] of [
      ["/data/stocks/AAPL/statements?country=US&type=income&period=quarterly&limit=3", 3],
    ] as const) {
      const answer = await asCsv(path);
      expect((await answer.text()).trimEnd().split("\r\n")).toHaveLength(rows + 1);
      expect(Number(answer.headers.get("x-total-count"))).toBeGreaterThan(rows);
      expect(answer.headers.get("link")).toBeNull();
    }
    const complete = await asCsv(SECTORS);
    expect(complete.headers.get("x-total-count")).toBeNull();
    expect((await get("/data/symbols?country=US")).headers.get("x-total-count")).toBeNull();
  });

  const rowsOf = async (path: string) => {
    const [header = [], ...rows] = [...csvRows(await (await asCsv(path)).text())].map(
      ({ cells }) => cells,
    );
    return rows.map((row) => Object.fromEntries(header.map((name, i) => [name, row[i]])));
  };
  const dataOf = async <T>(path: string) => ((await (await get(path)).json()) as { data: T }).data;

  test.each(["1d", "1wk", "1mo"])(
    "prices per %s have their dividends and splits",
    async (interval) => {
      const path = `/data/stocks/AAPL/history?country=US&range=10y&interval=${interval}&dividends=true&splits=true`;
      const { dividends, splits } = await dataOf<{
        dividends: { rows: [string, number][] };
        splits: { rows: [string, number, number][] };
      }>(path);
      const rows = await rowsOf(path);
      const paid = rows.filter(({ dividend }) => dividend !== "0");
      expect(paid.map(({ dividend }) => Number(dividend))).toEqual(
        dividends.rows.map(([, amount]) => amount),
      );
      // Four new shares for one on 2020-08-31, a Monday and the last session of its month.
      expect(splits.rows).toEqual([["2020-08-31", 4, 1]]);
      const split = rows.filter((row) => row["split"] !== "1");
      const date = interval === "1wk" ? "2020-09-04" : "2020-08-31";
      expect(split).toEqual([expect.objectContaining({ date, split: "4" })]);
      if (interval === "1d")
        expect(paid.map((row) => row["date"])).toEqual(dividends.rows.map(([exDate]) => exDate));
    },
  );

  test("a page of prices has the dividends of its own rows", async () => {
    const path = "/data/stocks/AAPL/history?country=US&range=1y&dividends=true&interval=1mo";
    const { dividends, dates } = await dataOf<{
      dividends: { rows: [string, number][] };
      dates: string[];
    }>(path);
    const newest = (await rowsOf(`${path}&limit=6`)).map(({ dividend }) => Number(dividend));
    const before = `${dates.at(-6)?.slice(0, 8)}01`;
    const older = (await rowsOf(`${path}&before=${before}`)).map(({ dividend }) =>
      Number(dividend),
    );
    const sum = (amounts: number[]) => amounts.reduce((all, one) => all + one, 0);
    const [all, late] = [dividends.rows, dividends.rows.filter(([exDate]) => exDate >= before)];
    expect(sum(newest)).toBeCloseTo(sum(late.map(([, amount]) => amount)), 9);
    expect(sum(newest) + sum(older)).toBeCloseTo(sum(all.map(([, amount]) => amount)), 9);
  });

  test("a converted comparison has its rates with their dates", async () => {
    const path = "/data/stocks/compare?symbols=JP:7203,US:AAPL&currency=USD&metrics=price";
    const { rates } = await dataOf<{ rates: { rate: number; date: string }[] }>(path);
    const [{ rate, date } = { rate: 0, date: "" }] = rates;
    expect(rate).toBeGreaterThan(0);
    expect((await rowsOf(path))[0]).toMatchObject({
      symbol: "7203",
      JPY_to_USD: String(rate),
      JPY_to_USD_date: date,
    });
  });

  test("price statistics have their correlations and closes", async () => {
    const path = "/data/prices/statistics?symbols=AAPL,MSFT&dates=2025-03-03,2025-03-04";
    const { correlation, closes } = await dataOf<{
      correlation: { matrix: number[][] };
      closes: { rows: (string | number)[][] };
    }>(path);
    const [, second] = await rowsOf(path);
    expect(second).toMatchObject({
      symbol: "MSFT",
      "correlation_US:AAPL": String(correlation.matrix[1]?.[0]),
      "correlation_US:MSFT": "1",
      "close_2025-03-03": String(closes.rows[2]?.[4]),
      "close_2025-03-04": String(closes.rows[3]?.[4]),
    });
  });

  test.each(["/data/stocks/compare", "/data/prices/statistics"])(
    "%s: a symbol that is not found has a row without figures",
    async (path) => {
      const [found, missing] = await rowsOf(`${path}?symbols=AAPL,ZQXJKW`);
      expect(found).toMatchObject({ country: "US", symbol: "AAPL" });
      const { symbol, ...others } = missing ?? {};
      expect(symbol).toBe("ZQXJKW");
      expect(new Set(Object.values(others))).toEqual(new Set([""]));
    },
  );

  test("tickers without a report have a row without a date", async () => {
    const path = "/data/earnings/calendar?tickers=AAPL,7203,ZQXJKW";
    const data = await dataOf<Record<"not_covered" | "unknown", string[]>>(path);
    expect([data.not_covered, data.unknown]).toEqual([["JP:7203"], ["ZQXJKW"]]);
    const [report, ...others] = await rowsOf(path);
    expect(report).toMatchObject({ symbol: "AAPL" });
    expect(others.map(({ symbol, date }) => [symbol, date])).toEqual([
      ["JP:7203", ""],
      ["ZQXJKW", ""],
    ]);
  });

  test("statements are figures without being asked for", async () => {
    const path = "/data/stocks/AAPL/statements?country=US&type=income";
    const { figures } = await dataOf<{ figures: { rows: unknown[][] } }>(`${path}&figures=true`);
    const byHeader = await (await get(path, "text/csv")).text();
    expect(byHeader).toBe(await (await asCsv(path)).text());
    expect((await rowsOf(path)).map(({ revenue }) => Number(revenue))).toEqual(
      figures.rows.map((row) => Number(row[4])),
    );
    expect((await dataOf<object>(path)) as { figures?: unknown }).not.toHaveProperty("figures");
  });

  test("a sector has its statistics, and an overview its panels", async () => {
    const { sectors } = await dataOf<{
      sectors: Record<string, { stats: { pe_median: number }; overview: Record<string, string> }>;
    }>("/data/sectors?country=US");
    const rows = await rowsOf("/data/sectors?country=US");
    expect(rows.map(({ slug }) => slug ?? "")).toEqual(Object.keys(sectors));
    for (const { slug = "", pe_median: pe, "Mkt cap": cap } of rows)
      expect([Number(pe), cap]).toEqual([
        Number(sectors[slug]?.stats.pe_median),
        sectors[slug]?.overview["Mkt cap"],
      ]);
    const overview = await get("/data/stocks/AAPL/overview?country=US", "text/csv");
    expect(isCsv(overview)).toBe(true);
    expect(await overview.text()).toStartWith("panel,label,value\r\noverview,Name,Apple Inc.\r\n");
  });

  test("has the figures of the JSON in its CSV", async () => {
    const { data } = (await (await get(SECTORS)).json()) as {
      data: { rows: { slug: string; market_cap: number; stocks: number }[] };
    };
    const [header = "", ...lines] = (await (await asCsv(SECTORS)).text()).trimEnd().split("\r\n");
    expect(header).toStartWith("slug,name,stocks,market_cap,");
    expect(lines).toHaveLength(data.rows.length);
    for (const [i, { slug, stocks, market_cap }] of data.rows.entries()) {
      expect(lines[i]).toStartWith(`${slug},`);
      expect(lines[i]).toContain(`,${stocks},${market_cap},`);
    }
  });

  test("answers CSV if the Accept header names it and does not prefer JSON", async () => {
    const accepts: [string, boolean][] = [
      ["text/csv", true],
      ["Text/CSV; charset=utf-8", true],
      ["text/csv, application/json;q=0.9", true],
      ["application/json, text/csv;q=0.5", false],
      ["application/json", false],
      ["text/html, */*", false],
      ["text/csv;q=0", false],
    ];
    for (const [accept, wanted] of accepts) {
      expect([accept, isCsv(await get(SECTORS, accept))]).toEqual([accept, wanted]);
    }
    expect(isCsv(await get(`${SECTORS}?format=json`, "text/csv"))).toBe(false);
  });

  test("has another ETag for its CSV, which 304 respects", async () => {
    const [json, csv] = [await get(SECTORS), await asCsv(SECTORS)];
    const tag = csv.headers.get("etag") ?? "";
    expect(tag).not.toBe(json.headers.get("etag") ?? "");
    const held = await service.request(`${SECTORS}?format=csv`, token, {
      headers: { "if-none-match": tag },
    });
    expect(held.status).toBe(304);
    const other = await service.request(SECTORS, token, { headers: { "if-none-match": tag } });
    expect(other.status).toBe(200);
    expect(csv.headers.get("vary")).toContain("Accept,");
  });

  test("costs one call", async () => {
    const { token: fresh } = service.createToken("free");
    const response = await service.request(`${SECTORS}?format=csv`, fresh);
    expect(response.headers.get("x-ratelimit-remaining")).toBe("99");
  });

  test("refuses two formats", async () => {
    const response = await get(`${SECTORS}?format=csv&format=json`);
    expect(response.status).toBe(400);
    expect(expectErrorEnvelope(await response.text(), "invalid")).toBe(
      "format is in the query twice; send it once.",
    );
  });

  test("refuses other formats with the allowed ones", async () => {
    const response = await get(`${SECTORS}?format=xml`);
    expect(response.status).toBe(400);
    expect(expectErrorEnvelope(await response.text(), "invalid")).toBe(
      'format must be json or csv, not "xml".',
    );
  });
});

test("every operation has a table: the catalog a row for each country, a forecast a row for each value", async () => {
  const without = OPERATIONS.filter(({ table, right }) => !table && !right);
  expect(without.map(({ name }) => name)).toEqual([]);
  const { data: catalog } = (await (await get("/data/markets")).json()) as {
    data: { countries: { code: string; asset_counts: Record<string, number> }[] };
  };
  const markets = [...csvRows(await (await get("/data/markets", "text/csv")).text())];
  const stocks = markets[0]?.cells.indexOf("stock") ?? -1;
  expect(markets.slice(1).map(({ cells }) => [cells[0], Number(cells[stocks])])).toEqual(
    catalog.countries.map(({ code, asset_counts }) => [code, asset_counts["stock"] ?? 0]),
  );

  const path = "/data/stocks/AAPL/forecast?country=US";
  const { data } = (await (await get(path)).json()) as { data: { estimates: { eps: object }[] } };
  const rows = [...csvRows(await (await get(`${path}&format=csv`)).text())].map(
    ({ cells }) => cells,
  );
  expect(rows[0]).toEqual(["section", "entry", "field", "value"]);
  expect(rows).toContainEqual(["name", "", "", "Apple Inc."]);
  const { eps } = data.estimates[1] as { eps: { average: number } };
  expect(rows).toContainEqual(["estimates", "2", "eps.average", String(eps.average)]);
  const past = await (await get(`${path}&format=csv&known_on=2026-11-20`)).text();
  const sections = [...rows, ...[...csvRows(past)].map(({ cells }) => cells)].map(([one]) => one);
  expect(sections).not.toContain("reasons");
  expect(sections).not.toContain("not_rewound");
  expect(sections).toContain("known_on");
});

test("cells are quoted as RFC 4180 requires, and a text is never a formula", () => {
  const rows = [
    ["a,b", 'say "hi"', "two\r\nlines", null, -1.5, true],
    ["=1+1", "+49", "-x", "@SUM(A1)", 0, "plain"],
  ];
  expect(formatCsv({ columns: ["one", "two", "three", "four", "five", "six"], rows })).toBe(
    'one,two,three,four,five,six\r\n"a,b","say ""hi""","two\r\nlines",,-1.5,true\r\n' +
      "'=1+1,'+49,'-x,'@SUM(A1),0,plain\r\n",
  );
});

test("full-width signs and line feeds begin no formula either", () => {
  const rows = [["＝1+1"], ["＋1"], ["－1"], ["＠SUM(A1)"], ["\n=1+1"]];
  expect(formatCsv({ columns: ["text"], rows })).toBe(
    "text\r\n'＝1+1\r\n'＋1\r\n'－1\r\n'＠SUM(A1)\r\n\"'\n=1+1\"\r\n",
  );
});

test("a signed figure is written as it is in JSON, without an apostrophe", () => {
  const figures = ["-2.1%", "+3.76%", "-71.93 B USD", "-0.36", "-72.7B", "-4.5 USD/bbl"];
  expect(formatCsv({ columns: ["figure"], rows: figures.map((figure) => [figure]) })).toBe(
    `figure\r\n${figures.map((figure) => `${figure}\r\n`).join("")}`,
  );
  const formulas = ["-1+A1", "-2*cmd|' /C calc'!A0", "+1%+A1", "-1 A1", "-SUM(A1)", "+49 B"];
  expect(formatCsv({ columns: ["text"], rows: formulas.map((text) => [text]) })).toBe(
    `text\r\n${formulas.map((text) => `'${text}\r\n`).join("")}`,
  );
});

describe("decimal=comma", () => {
  test("writes a decimal comma, never an exponent, and semicolons between cells", () => {
    const rows = [
      [0.236, -342.06, 4.3e-7, 1e21, 1_234_567_890.12, 7203],
      ["a,b", "a;b", 'say "hi"', "plain", null, true],
      ["3.3", "-0.16%", "207.94 T VND", "1,704.32", "BRK.B", "Apple, Inc."],
      ["=1,5+A1", "two\nlines", "2026-11-20", "7203", "-4.5 USD/bbl", "2.2B"],
    ];
    expect(formatCsv({ columns: ["1", "2", "3", "4", "5", "6"], rows }, "comma")).toBe(
      "1;2;3;4;5;6\r\n" +
        "0,236;-342,06;0,00000043;1000000000000000000000;1234567890,12;7203\r\n" +
        '"a,b";"a;b";"say ""hi""";plain;;true\r\n' +
        '"3,3";"-0,16%";"207,94 T VND";"1.704,32";BRK.B;"Apple, Inc."\r\n' +
        `"'=1,5+A1";"two\nlines";2026-11-20;7203;"-4,5 USD/bbl";"2,2B"\r\n`,
    );
  });

  test("has the cells of the other form, with its own tag, on each page and behind a link", async () => {
    const path = "/data/stocks/AAPL/history?country=US&fields=ohlcv&limit=3&format=csv";
    const [point, comma] = [await get(path), await get(`${path}&decimal=comma`)];
    const read = (text: string, delimiter: string): string[][] =>
      [...csvRows(text, { delimiter })].map(({ cells }) => [...cells]);
    const written = await comma.text();
    const swapped = read(written, ";").map((row) => row.map((cell) => cell.replace(",", ".")));
    expect(swapped).toEqual(read(await point.text(), ","));
    expect(written).toMatch(/;\d+,\d+;/);
    expect(comma.headers.get("etag")).not.toBe(point.headers.get("etag"));
    expect(comma.headers.get("link")).toContain("decimal=comma");
    const linked = await get(`${path.replace("format=csv", "as=csv_link")}&decimal=comma`);
    const { data } = (await linked.json()) as { data: { csv_link: string } };
    expect(await (await fetch(data.csv_link)).text()).toBe(written);
  });

  test("refuses another mark", async () => {
    const wrong = await get(`${SECTORS}?format=csv&decimal=komma`);
    expect([wrong.status, await wrong.text()]).toEqual([
      400,
      expect.stringContaining("decimal must be point or comma"),
    ]);
  });
});

describe("the CSV of an answer can be imported again", () => {
  const csvOf = async (path: string) => (await asCsv(path)).text();
  const dataOf = async <T>(path: string) => ((await (await get(path)).json()) as { data: T }).data;
  const recordsOf = (name: ImportName, text: string, constants: Record<string, string> = {}) => {
    const pieces = [new TextEncoder().encode(text)];
    const options = { today: "2099-12-31", constants };
    return [...parseRecordFiles(name, [{ name, pieces }], options).records].map(
      ({ record }) => record as unknown,
    );
  };

  test("as bars of one instrument", async () => {
    const path = "/data/stocks/AAPL/history?country=US&fields=ohlcv&range=1mo";
    const { bars } = await dataOf<{ bars: { rows: (string | number)[][] } }>(path);
    const file = parseBars(await csvOf(path), {
      country: "US",
      symbol: "AAPL",
      assetType: "stock",
      fileName: "aapl.csv",
    });
    expect(
      file.bars.map(({ date, open, high, low, close, volume }) => [
        date,
        open,
        high,
        low,
        close,
        volume,
      ]),
    ).toEqual(bars.rows);
  });

  test("as calendar events", async () => {
    const path = "/data/macro/calendar?country=US&limit=200";
    const { events } = await dataOf<{ events: Record<string, unknown>[] }>(path);
    const imported = recordsOf("calendar", await csvOf(path));
    expect(imported).toEqual(
      events.map((event) => {
        const { id, event: title, date, time, importance, previous, consensus, actual } = event;
        const fields = { id, event: title, date, time, importance, previous, consensus, actual };
        return expect.objectContaining({ ...fields, country: "US" });
      }),
    );
  });

  test("as a macro series, whose country and names are given", async () => {
    const path = "/data/macro/history?country=US&series=Unemployment%20rate";
    const { rows } = await dataOf<{ rows: [string, number][] }>(path);
    const constants = {
      country: "US",
      category: "prices",
      id: "mine",
      name: "Mine",
      unit: "%",
      decimals: "1",
    };
    expect(recordsOf("macro", await csvOf(path), constants)).toEqual([
      expect.objectContaining({ observations: rows.map(([period, value]) => ({ period, value })) }),
    ]);
  });

  test("as instruments", async () => {
    const path = "/data/symbols?country=US&type=stock&limit=5";
    const { symbols } = await dataOf<{ symbols: Record<string, unknown>[] }>(path);
    const constants = { primaryListing: "true", indexMember: "false" };
    expect(recordsOf("instruments", await csvOf(path), constants)).toEqual(
      symbols.map(({ country, symbol, name, type, sector, currency }) =>
        expect.objectContaining({
          country,
          symbol,
          name,
          assetType: type,
          sector,
          industry: null,
          currency,
          exchange: null,
          primaryListing: true,
          indexMember: false,
        }),
      ),
    );
  });

  test.each(["annual", "quarterly"])(
    "as %s statements, whose tables are joined",
    async (period) => {
      const constants = { country: "US", symbol: "AAPL" };
      const tables = await Promise.all(
        ["income", "balance", "cashflow"].map((type) =>
          csvOf(
            `/data/stocks/AAPL/statements?country=US&type=${type}&period=${period}&limit=3&figures=true`,
          ),
        ),
      );
      const files = tables.map((text) => ({
        name: "aapl",
        pieces: [new TextEncoder().encode(text)],
      }));
      const options = { today: "2099-12-31", constants };
      const read = [...parseRecordFiles("statements", files, options).records];
      const imported = read.map(({ record }) => record);
      expect(imported).toHaveLength(3);
      const market = openMarket(service.folder);
      const stored = market.statements.list({ country: "US", symbol: "AAPL" });
      market.close();
      for (const {
        span,
        fiscalYear,
        fiscalQuarter,
        periodEnd,
        filedOn,
        currency,
        items,
      } of imported) {
        const own = stored.find(
          (one) =>
            one.span === span &&
            one.fiscalYear === fiscalYear &&
            one.fiscalQuarter === fiscalQuarter,
        );
        expect({ periodEnd, filedOn, currency, items }).toEqual({
          periodEnd: own?.periodEnd,
          filedOn: own?.filedOn,
          currency: own?.currency,
          items: own?.items,
        } as never);
      }
    },
  );

  test("a statement that is twice in the files is refused, a contradiction too", () => {
    const constants = { country: "US", symbol: "AAPL" };
    const header = "fiscal_period,period_end,filing_date,currency";
    const read = (...rows: string[]) => recordsOf("statements", rows.join("\n"), constants);
    const row = "Q3 2026,2026-06-27,2026-07-31,USD";
    expect(() => read(`${header},revenue`, `${row},5`, `${row},5`)).toThrow(
      "US AAPL quarter 2026 3 appears here and in statements, line 2",
    );
    const other = "Q3 2026,2026-06-27,2026-08-01,USD";
    expect(() => read(`${header},revenue,goodwill`, `${row},5,`, `${other},,6`)).toThrow(
      "filedOn is '2026-08-01' here but '2026-07-31' in statements, line 2, of the same record",
    );
    expect(() => read(`${header},revenue`, "Q8 2026,2026-06-27,2026-07-31,USD,5")).toThrow(
      "line 2: span must be one of quarter, year_to_date, year, not 'Q8 2026'",
    );
  });

  test("--set also gives the fields that records of JSON do not have", () => {
    const record = '[{"ex_date":"2025-08-11","amount":0.26}]';
    const constants = { country: "US", symbol: "AAPL" };
    expect(recordsOf("dividends", record, constants)).toEqual([
      { ...constants, dividends: [{ exDate: "2025-08-11", amount: 0.26 }] },
    ]);
    expect(() => recordsOf("dividends", record, { ...constants, amount: "1" })).toThrow(
      "amount is in the record and in --set",
    );
    const observation = '{"period":"2026-01","value":4}';
    const series = { country: "US", category: "labor", id: "mine", name: "Mine", unit: "%" };
    expect(recordsOf("macro", observation, { ...series, decimals: "1" })).toMatchObject([
      { decimals: 1, observations: [{ period: "2026-01", value: 4 }] },
    ]);
  });

  test("as dividends and splits with a column ex_date", () => {
    const constants = { country: "US", symbol: "AAPL" };
    expect(recordsOf("dividends", "ex_date,amount\n2025-08-11,0.26\n", constants)).toEqual([
      { ...constants, dividends: [{ exDate: "2025-08-11", amount: 0.26 }] },
    ]);
    expect(
      recordsOf("splits", "ex_date,numerator,denominator\n2020-08-31,4,1\n", constants),
    ).toEqual([{ ...constants, splits: [{ exDate: "2020-08-31", numerator: 4, denominator: 1 }] }]);
  });
});

test("rows=objects answers each row of a table as an object by column", async () => {
  const path = "/data/stocks/compare?symbols=AAPL,JP:7203&metrics=price,pe";
  const { data } = (await (await get(path)).json()) as {
    data: { columns: string[]; rows: unknown[][] };
  };
  const answer = await get(`${path}&rows=objects`);
  const objects = (await answer.json()) as { data: { rows: object[] }; as_of: string };
  expect(objects.data.rows).toEqual(
    data.rows.map((row) => Object.fromEntries(data.columns.map((name, i) => [name, row[i]]))),
  );
  expect({ ...objects.data, rows: data.rows }).toEqual(data as never);
  expect(answer.headers.get("etag")).not.toBe((await get(path)).headers.get("etag"));
  // A table inside of the payload, and CSV, which stays as it is.
  const bars = "/data/stocks/AAPL/history?country=US&fields=ohlcv&limit=1";
  const { data: history } = (await (await get(`${bars}&rows=objects`)).json()) as {
    data: { bars: { rows: object[] } };
  };
  expect(Object.keys(history.bars.rows[0] ?? {})).toEqual(
    "date open high low close volume".split(" "),
  );
  expect(await (await asCsv(`${path}&rows=objects`)).text()).toBe(await (await asCsv(path)).text());
  const refused = await get(`${path}&rows=dicts`);
  expect(expectErrorEnvelope(await refused.text(), "invalid")).toContain("lists or objects");
  const unknown = await get("/data/markets?rows=objects");
  expect(expectErrorEnvelope(await unknown.text(), "invalid")).toContain("not a parameter");
});
