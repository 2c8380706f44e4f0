import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CALLS as ALL_CALLS } from "#cli/call.ts";
import type { Command } from "#cli/command.ts";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { OPERATIONS } from "#operations/index.ts";
import type { Operation } from "#operations/operation.ts";
import { openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { type CliResult, expectFailure, run, runAt } from "../support/cli.ts";
import { CALLS } from "../support/contract-calls.ts";
import { stock } from "../support/market.ts";
import { copySampleMarket, START } from "../support/service.ts";

const folder = openFolder();
beforeAll(() => copySampleMarket(folder.path), 600_000);
afterAll(() => folder[Symbol.dispose]());

const call = (...argv: string[]) =>
  runAt(() => START, { BOURSE_DATA: folder.path }, "call", ...argv);

/** The arguments of an operation's default call in a country, as flags. */
function flagsFor(operation: Operation, country: Country): string[] {
  const takesCountry = "country" in operation.input.properties;
  const found = CALLS.find(
    (one) =>
      one.isDefault &&
      one.operation === operation &&
      (!takesCountry || one.arguments["country"] === country),
  );
  return Object.entries(found?.arguments ?? {}).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ]);
}

describe.each(COUNTRY_CODES)("call, for %s,", (country) => {
  const ofMarket = OPERATIONS.filter(({ own }) => !own);
  test.each(ofMarket.map((operation) => [operation.name, operation] as const))(
    "prints the envelope of %s on stdout and its source on stderr",
    async (name, operation) => {
      const { code, stdout, stderr } = await call(name, ...flagsFor(operation, country));
      expect(stderr).toMatch(/^Source: [^\n]+\n$/);
      expect(code).toBe(0);
      const envelope = JSON.parse(stdout) as Record<string, unknown>;
      const hasCountry = !operation.omitsCountry && "country" in operation.input.properties;
      expect(envelope["country"] as string | undefined).toBe(hasCountry ? country : undefined);
      expect(envelope["data"]).toBeDefined();
      expect(envelope["as_of"]).toBe(new Date(START).toISOString());
    },
  );
});

test("every example of a call succeeds in a folder with one user", async () => {
  using fresh = openFolder();
  copySampleMarket(fresh.path);
  const env = { BOURSE_DATA: fresh.path };
  await runAt(() => START, env, "user", "add", "anna");
  const order = ({ name }: Command) =>
    ["save", "get", "delete"].findIndex((verb) => name.includes(verb));
  const failed: string[] = [];
  for (const { name, examples } of ALL_CALLS.toSorted((a, b) => order(a) - order(b))) {
    for (const example of examples) {
      const words = [...example.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
      const { code, stderr } = await runAt(() => START, env, ...name.split(" "), ...words);
      if (code !== 0) failed.push(`${name} ${example}: ${stderr}`);
    }
  }
  expect(failed).toEqual([]);
}, 600_000);

test("call changes and reads the lists of the user that it names, by default of the oldest admin", async () => {
  const data = async (...argv: string[]) => {
    const { code, stdout, stderr } = await call(...argv);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return (JSON.parse(stdout) as { data: Record<string, unknown> }).data;
  };
  const env = { BOURSE_DATA: folder.path };
  expect((await call("get_lists")).stderr).toContain("There is no user yet");
  for (const name of ["owner", "anna"]) await runAt(() => START, env, "user", "add", name);
  const items = ["--items", "AAPL=10,7203.T=5"];
  expect(await data("save_list", "mine", ...items, "--user", "anna")).toMatchObject({ items: 2 });
  expect(await data("get_lists", "--user", "anna")).toMatchObject({ total: 1 });
  expect(await data("get_lists")).toMatchObject({ total: 0 });
  const compare = ["compare_stocks", "list:mine", "--metrics", "price"];
  const compared = await data(...compare, "--user", "anna");
  expect(compared["understood_as"]).toBe("list=mine (2 instruments: US 1, JP 1)");
  expect((await call(...compare)).stderr).toContain("owner has no list mine");
  expect((await call(...compare, "--user", "carl")).stderr).toContain("There is no user carl");
  expect(await data("delete_list", "mine", "--user", "anna")).toMatchObject({ deleted: "mine" });
  expect((await call("save_list")).stderr).toContain("name must be the name of a list");
});

describe("call", () => {
  test.each([
    [
      ["get_stock_overview", "AAPL"],
      ["--country", "US", "--symbol", "AAPL"],
    ],
    [
      ["get_stock_technicals", "7203"],
      ["--country", "JP", "--symbol", "7203"],
    ],
    [
      ["get_stock_technicals", "7203.T"],
      ["--country", "JP", "--symbol", "7203"],
    ],
    [
      ["get_stock_overview", "brk-b"],
      ["--country", "US", "--symbol", "BRK.B"],
    ],
    [
      ["get_stock_statements", "fpt", "--type", "income"],
      ["--country", "VN", "--symbol", "FPT", "--type", "income"],
    ],
    [
      ["get_stock_statements", "fpt", "--type", "income", "--known-on", "2026-06-01"],
      ["--country", "VN", "--symbol", "FPT", "--type", "income", "--known_on=2026-06-01"],
    ],
    [
      ["get_macro_forecast", "JP"],
      ["--country", "JP"],
    ],
    [
      ["get_sectors", "VN"],
      ["--country", "VN"],
    ],
    [
      ["list_symbols", "apple"],
      ["--query", "apple"],
    ],
    [
      ["compare_stocks", "AAPL,7203"],
      ["--symbols", "AAPL,7203"],
    ],
    [
      ["get_earnings_calendar", "AAPL,MSFT"],
      ["--tickers", "AAPL,MSFT"],
    ],
  ])(
    "takes its first argument without a flag, and finds its country: %j",
    async ([name = "", ...argv], flags) => {
      const dataOf = ({ code, stdout }: CliResult): unknown => [
        code,
        (JSON.parse(stdout) as { data: unknown }).data,
      ];
      expect(dataOf(await call(name, ...argv))).toEqual(dataOf(await call(name, ...flags)));
    },
  );

  test("asks for the country of a symbol that several countries list", async () => {
    using home = openFolder();
    const market = openMarket(home.path);
    market.setSetting("origin", "live");
    market.put("instruments", [stock("US", "ABC"), stock("JP", "ABC")], {
      source: "import",
      storedAt: START,
    });
    market.close();
    const env = { BOURSE_DATA: home.path, BOURSE_SOURCES: "reference" };
    expectFailure(
      await run(env, "call", "get_stock_overview", "ABC"),
      "ABC is listed in US and JP; choose one with --country.",
    );
  });

  test("a flag of an operation is not the setting of the same name", async () => {
    const { code, stdout } = await call("screen_stocks", "JP", "--metrics", "price,pe");
    expect(code).toBe(0);
    const { data } = JSON.parse(stdout) as { data: { columns: string[] } };
    expect(data.columns).toEqual(expect.arrayContaining(["price", "pe"]));
  });

  test("has the limits of REST, and with --mcp those of MCP", async () => {
    const history = ["get_stock_price_history", "AAPL"];
    const closesOf = async (...flags: string[]) => {
      const { stdout } = await call(...history, ...flags);
      const { data } = JSON.parse(stdout) as { data: { closes: number[]; total: number } };
      return data;
    };
    // MCP shortens the whole history to a year and month-ends.
    const [whole, page] = [await closesOf(), await closesOf("--mcp")];
    expect(whole.closes).toHaveLength(whole.total);
    expect(page.closes.length).toBeLessThan(whole.total);
    expect((await call(...history, "--limit", "3001")).code).toBe(0);
    expectFailure(await call(...history, "--limit", "3001", "--mcp"), "limit", "3000");
  });

  test("decodes its flags as REST does its parameters", async () => {
    const { stdout } = await call("list_symbols", "--country", "JP", "--limit", "3");
    const { data } = JSON.parse(stdout) as { data: { symbols: unknown[]; total: number } };
    expect(data.symbols).toHaveLength(3);
    expect(data.total).toBeGreaterThan(3);
    const lower = await call("get_stock_overview", "--country", "VN", "--symbol", "fpt");
    expect(lower.code).toBe(0);
  });

  test.each([
    [["get_macro_forecast"], ["country must be one of US, JP, VN", "missing"]],
    [["get_stock_overview"], ["It takes SYMBOL; see `"]],
    [
      ["get_stock_overview", "US", "AAPL"],
      ["It takes [SYMBOL].", "--country, --symbol, --known_on; see `"],
    ],
    [
      ["get_stock_price_history", "JP", "7203"],
      ["It takes [SYMBOL]. Other values need their flags: --country, --symbol, --range, "],
    ],
    [
      ["compare_stocks", "AAPL", "MSFT"],
      ["It takes [SYMBOLS].", "--symbols, --metrics, "],
    ],
    [["get_stock_overview", "APPL"], ["APPL not found in US, JP or VN. Did you mean US:AAPL?"]],
    [
      ["get_stock_overview", "ZQXJKW"],
      ["ZQXJKW not found in US, JP or VN.", "call list_symbols"],
    ],
    [["get_stock_overview", "AAPL,MSFT"], ["AAPL,MSFT not found in US, JP or VN."]],
    [
      ["get_stock_overview", "--country", "us", "--symbol", "AAPL"],
      ["one of US, JP, VN", '"us"'],
    ],
    [["get_stock_overview", "--country", "US", "--symbol", "NOPE"], ["NOPE"]],
    [["get_stock_overview", "--country", "US", "--symbol", "A".repeat(21)], ["symbol"]],
    [["get_macro_indicators", "--country", "US", "--category", "prcies"], ["prices"]],
    [
      ["get_macro_calendar", "--limit", "1e2"],
      ["limit", "1 to 200"],
    ],
    [
      ["get_macro_calendar", "--limit=-5"],
      ["limit", "1 to 200"],
    ],
    [["get_stock_statements", "--country", "US", "--symbol", "AAPL", "--type", "x"], ["income"]],
    [
      ["get_sector_overview", "--country", "US"],
      ["--country", "--help"],
    ],
  ])("%j fails in one sentence", async (argv, words) => {
    expectFailure(await call(...argv), ...words);
  });
});
