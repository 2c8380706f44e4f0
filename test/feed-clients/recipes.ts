import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { PLANS } from "#access/plans.ts";
import { fillRecipe } from "#console/app/client-lines.ts";
import { listRecipes } from "#feeds/recipes/recipes.ts";
import { childEnv, resultOf, spawnChild } from "../support/child-process.ts";
import { installTools } from "../support/npm-tools.ts";
import { fillRecipes } from "../support/recipes.ts";
import { startForPrograms } from "../support/program-service.ts";

// Not part of the suite. It runs the texts of recipes with the programs that are installed: R with quantmod,
// hledger, ledger, bean-price, gnc-fq-dump, Perl with Finance::QuoteHist, and Python with pandas, Jinja and YAML, all of Debian, and npm packages.

const { service, folder } = await startForPrograms();
const { textOf } = fillRecipes(service);
const PACKAGES = {
  "@duckdb/node-api": "1.5.6-r.1",
  "@polygon.io/client-js": "8.2.0",
  echarts: "6.1.0",
  "@openai/agents": "0.20.0",
  jsonpath: "1.3.0",
  "jsonpath-plus": "11.3.0",
  vega: "6.4.0",
  "vega-lite": "6.4.3",
  "yahoo-finance2": "4.0.2",
  zod: "4.6.7",
};
const npm = await installTools(folder, PACKAGES);

const PYTHON = "/usr/bin/python3";
const hasPython = (modules: string) =>
  Bun.spawnSync([PYTHON, "-c", `import ${modules}`], { stderr: "ignore" }).exitCode === 0;
const hasPerl = (module: string) =>
  Bun.spawnSync(["perl", `-M${module}`, "-e", "1"], { stderr: "ignore" }).exitCode === 0;
const hasR = () =>
  Bun.which("Rscript") !== null &&
  Bun.spawnSync(["Rscript", "-e", "library(quantmod)"], { stderr: "ignore" }).exitCode === 0;

/** What a program prints, which must end well. HOME is the folder. */
async function run(command: readonly string[], more: Record<string, string> = {}) {
  const env = childEnv({ HOME: folder, ...more });
  const child = spawnChild(command, { cwd: folder, env, stdout: "pipe", stderr: "pipe" });
  const { code, stdout, stderr } = await resultOf(child);
  if (code !== 0) throw new Error(`${command[0]} ended with ${code}: ${stderr}`);
  return stdout;
}

/** Today of the programs that have one: no day before it has a newer price than the service. */
const TODAY = "2026-11-30";

/**
 * What stands in for what a test has not: another date of today, and a window. So the lines of a recipe run as they are
 * printed.
 */
const STAND_INS = `
  hledger() { command hledger --today=${TODAY} "$@"; }
  ledger() { command ledger --now ${TODAY} "$@"; }
  gnucash() { gnc-fq-dump bourse AAPL; }
`;

/** Runs lines as a user types them. Debian's Python has the modules, and no file is outside the folder. */
const shell = (lines: string, more: Record<string, string> = {}) =>
  run(["bash", "-euo", "pipefail", "-c", `${STAND_INS}\n${lines}`], {
    PATH: `/usr/bin:${process.env["PATH"]}`,
    TMPDIR: folder,
    ...more,
  });

/** The closes of a stored instrument, oldest first. */
function stored(country: "US" | "JP", symbol: string) {
  const instrument = service.market.instruments.find({ country, symbol });
  if (!instrument) throw new Error(`no ${symbol}`);
  const { dates, close } = service.market.bars.series(instrument.id, 100_000);
  return { dates, closes: [...close], newest: close.at(-1) ?? Number.NaN };
}
const apple = stored("US", "AAPL");

describe("code", () => {
  test("API with curl, Python and TypeScript: the overview of Apple", async () => {
    await Bun.write(join(folder, "first.py"), textOf("API with Python"));
    await Bun.write(join(folder, "first.mjs"), textOf("API with TypeScript"));
    const programs = ["python3 first.py", "node first.mjs", `${process.execPath} first.mjs`];
    for (const command of [textOf("API with curl"), ...programs])
      expect(await shell(command)).toContain("Apple Inc.");
  });

  test.skipIf(!hasPython("pandas"))("pandas: annual volatility of five years", async () => {
    const printed = Number(await run([PYTHON, "-c", textOf("pandas")]));
    const closes = apple.closes.slice(-printedSessions());
    const returns = closes.slice(1).map((close, i) => close / (closes[i] ?? Number.NaN) - 1);
    const mean = returns.reduce((sum, one) => sum + one, 0) / returns.length;
    const squares = returns.reduce((sum, one) => sum + (one - mean) ** 2, 0);
    expect(printed).toBeCloseTo(Math.sqrt((squares / (returns.length - 1)) * 252), 6);
  });

  test.skipIf(!hasPython("pandas"))("yfinance: the newest close, by the module", async () => {
    expect(Number(await shell(textOf("yfinance")))).toBeCloseTo(apple.newest, 6);
  });

  test.skipIf(!hasR())("R: the newest daily returns", async () => {
    const rows = (await run(["Rscript", "-e", textOf("R")])).trim().split("\n").slice(1);
    const [date, change] = rows.at(-1)?.split(/\s+/) ?? [];
    const [before = Number.NaN, last = Number.NaN] = apple.closes.slice(-2);
    expect(date).toBe(apple.dates.at(-1) ?? "");
    expect(Number(change)).toBeCloseTo(last / before - 1, 6);
  });

  test.skipIf(!npm.isInstalled)("DuckDB: the range of each year, from a saved file", async () => {
    const [, , ...lines] = textOf("DuckDB").split("\n");
    const [url = ""] = /http[^']+/.exec(lines.join("\n")) ?? [];
    await Bun.write(join(folder, "history.csv"), await fetch(url));
    const query = lines.join("\n").replace(url, "history.csv");
    await npm.write(
      "duck.mjs",
      `import { DuckDBInstance } from "@duckdb/node-api";
       const connection = await (await DuckDBInstance.create(":memory:")).connect();
       const reader = await connection.runAndReadAll(process.argv[2]);
       console.log(JSON.stringify(reader.getRowObjectsJson()));`,
    );
    // The binding needs Node.
    const rows = JSON.parse(await run(["node", "duck.mjs", query])) as {
      year: string;
      low: number;
      high: number;
    }[];
    expect(rows.map(({ year }) => Number(year))).toEqual([2021, 2022, 2023, 2024, 2025, 2026]);
    for (const { low, high } of rows) expect(high).toBeGreaterThan(low);
  });

  test.skipIf(!npm.isInstalled)("yahoo-finance2: the bars of a year, and a price", async () => {
    await npm.write("yahoo.mjs", textOf("yahoo-finance2"));
    const printed = await run([process.execPath, "yahoo.mjs"]);
    const sessions = apple.dates.filter((date) => date >= "2026-01-01").length;
    // The package prints a notice too.
    const figures = printed
      .trim()
      .split("\n")
      .flatMap((line) => Number(line) || []);
    expect(figures).toEqual([sessions, apple.newest]);
  });

  test.skipIf(!npm.isInstalled)("@polygon.io/client-js: the bars of a period", async () => {
    await npm.write("polygon.mjs", textOf("@polygon.io/client-js"));
    const printed = await run(["node", "polygon.mjs"]);
    const within = apple.dates.filter((date) => date >= "2026-01-01" && date <= "2026-11-18");
    expect(Number(printed)).toBe(within.length);
  });

  test.skipIf(!hasPerl("Finance::QuoteHist::Yahoo"))("Finance::QuoteHist: the closes", async () => {
    const rows = (await run(["perl", "-e", textOf("Finance::QuoteHist")])).trim().split("\n");
    const dates = apple.dates.filter((date) => date >= "2026-11-02" && date <= "2026-11-18");
    expect(rows.map((row) => row.split(",")[1]?.replaceAll("/", "-"))).toEqual(dates);
    const close = apple.closes[apple.dates.indexOf("2026-11-18")] ?? 0;
    expect(Number(rows.at(-1)?.split(",")[5])).toBe(close);
  });
});

describe.skipIf(!npm.isInstalled)("charts", () => {
  test("Vega-Lite draws the closes of the specification", async () => {
    await npm.write(
      "vega.mjs",
      `import * as vega from "vega";
       import * as lite from "vega-lite";
       const { spec } = lite.compile(JSON.parse(process.argv[2]));
       const view = await new vega.View(vega.parse(spec), { renderer: "none" }).runAsync();
       console.log(JSON.stringify(view.data(spec.data.at(-1).name).map(({ close }) => close)));`,
    );
    const printed = await run(["node", "vega.mjs", textOf("Vega-Lite")]);
    const closes = (JSON.parse(printed) as string[]).map(Number);
    expect(closes).toEqual(apple.closes.slice(-closes.length));
    expect(closes.length).toBeGreaterThan(1_000);
  });

  test("ECharts draws the bars as SVG", async () => {
    const program = textOf("ECharts").replace(
      'echarts.init(document.getElementById("chart"))',
      "chart",
    );
    await npm.write(
      "echarts.mjs",
      `import * as echarts from "echarts";
       const size = { renderer: "svg", ssr: true, width: 800, height: 400 };
       const chart = echarts.init(null, null, size);
       ${program}
       console.log(chart.renderToSVGString().match(/<path/g).length);
       process.exit();`,
    );
    expect(Number(await run(["node", "echarts.mjs"]))).toBeGreaterThan(250);
  });
});

/** The sessions of the five years up to the newest one: the first is the one at or before the same day five years ago. */
function printedSessions(): number {
  const newest = apple.dates.at(-1) ?? "";
  const start = `${Number(newest.slice(0, 4)) - 5}${newest.slice(4)}`;
  return apple.dates.length - apple.dates.findLastIndex((date) => date <= start);
}

describe("ledgers", () => {
  /** Dollars of 10 Apple and 100 Toyota, by the newest closes. */
  const worth = () => [
    10 * apple.newest,
    (100 * stored("JP", "7203").newest) / stored("JP", "JPY=X").newest,
  ];
  const writeJournal = () =>
    Bun.write(
      join(folder, "journal.ledger"),
      `2026-01-05 shares
  assets:apple   10 AAPL
  assets:toyota   100 "7203"
  assets:cash   1.00 USD
  equity:all
`,
    );
  /** The dollars on the lines of both shares. */
  const dollars = (text: string) =>
    ["apple", "toyota"].map((name) => {
      const line = text.split("\n").find((one) => one.endsWith(name)) ?? "";
      return Number(/[\d.,]*\d/.exec(line)?.[0].replaceAll(",", ""));
    });

  test.skipIf(!Bun.which("hledger"))("hledger values shares of two countries", async () => {
    await writeJournal();
    const [us = 0, jp = 0] = dollars(await shell(textOf("hledger")));
    expect(us).toBeCloseTo(worth()[0] ?? 0, 2);
    expect(jp).toBeCloseTo(worth()[1] ?? 0, 2);
  });

  test.skipIf(!Bun.which("ledger"))("ledger values shares of two countries", async () => {
    await writeJournal();
    const [us = 0, jp = 0] = dollars(await shell(textOf("ledger")));
    expect(us).toBeCloseTo(worth()[0] ?? 0, 2);
    expect(jp).toBeCloseTo(worth()[1] ?? 0, 2);
  });

  test.skipIf(!Bun.which("bean-price"))("beancount: all prices, and one price", async () => {
    const ledger = `include "prices.beancount"\n`;
    await Bun.write(join(folder, "ledger.beancount"), ledger);
    expect(await shell(textOf("beancount", "All prices"))).toBe("");
    const prices = await Bun.file(join(folder, "prices.beancount")).text();
    expect(prices).toContain(`price US.AAPL ${apple.newest} USD`);
    const printed = await shell(textOf("beancount", "One price"));
    expect(printed).toContain(` ${apple.newest} USD`);
  });

  test.skipIf(!Bun.which("gnc-fq-dump"))(
    "GnuCash finds the module where it was saved",
    async () => {
      const lines = `${textOf("GnuCash", "Once")}\n${textOf("GnuCash", "Start")}`;
      expect(await shell(lines)).toContain(`last: ${apple.newest}`);
    },
  );
});

describe("a line that saves a file", () => {
  const lines = listRecipes()
    .flatMap(({ program, texts }) => texts.map(({ text }) => ({ program, text })))
    .flatMap(({ program, text }) => {
      const [line, target] = /^curl .* mv \S+ (\S+)$/m.exec(text) ?? [];
      return line && target ? [[program, line, target] as const] : [];
    });

  test("is in six recipes", () => expect(lines.length).toBe(6));

  test.each(lines)("%s: leaves the old file if the service refuses", async (_, line, target) => {
    const path = join(folder, target.replace("~", "."));
    await Bun.write(path, "old");
    for (const URL of [`${service.origin}/nothing`, "http://127.0.0.1:1"]) {
      const refused = shell(fillRecipe(line, { URL, LINK: "x" }));
      expect((await refused.catch(String)).toString()).toContain("curl:");
      expect(await Bun.file(path).text()).toBe("old");
    }
  });
});

describe("portfolios", () => {
  /** What a JSONPath finds in the answer of an address, by the library that the program uses or a similar one. */
  const FIND = `
    import { JSONPath } from "jsonpath-plus";
    import jsonpath from "jsonpath";
    const [library, url, ...paths] = process.argv.slice(2);
    const json = await (await fetch(url)).json();
    const find = (path) => library === "jsonpath" ? jsonpath.query(json, path) : JSONPath({ path, json });
    console.log(JSON.stringify(paths.map(find)));`;
  const find = async (library: string, url: string, ...paths: string[]) => {
    await npm.write("find.mjs", FIND);
    const printed = await run([process.execPath, "find.mjs", library, url, ...paths]);
    return JSON.parse(printed) as (string | number)[][];
  };
  const newestFirst = (dates: readonly string[]) => dates.toReversed().slice(0, 5_000);

  test.skipIf(!npm.isInstalled)("Portfolio Performance: as many closes as dates", async () => {
    const text = (label: string) => textOf("Portfolio Performance", label);
    const url = text("Feed URL").replace("{TICKER}", "AAPL");
    const paths = ["date", "close", "day's high", "day's low", "volume"];
    const [dates = [], closes, ...others] = await find(
      "jsonpath-plus",
      url,
      ...paths.map((one) => text(`Path to ${one}`)),
    );
    expect(dates).toEqual(newestFirst(apple.dates));
    expect(closes?.map(Number)).toEqual(apple.closes.toReversed().slice(0, 5_000));
    for (const list of others) expect(list.length).toBe(dates.length);
  });

  test.skipIf(!npm.isInstalled)("Ghostfolio: the price of its selector", async () => {
    const { url, selector } = JSON.parse(textOf("Ghostfolio", "Scraper configuration")) as {
      url: string;
      selector: string;
    };
    // Otherwise Ghostfolio reads the answer as HTML.
    expect((await fetch(url)).headers.get("content-type")).toContain("application/json");
    const [prices = []] = await find("jsonpath", url, selector);
    expect(prices.map(Number)).toEqual([apple.newest]);
  });

  test.skipIf(!Bun.which("jq"))("Ghostfolio: the history that is posted", async () => {
    interface Posted {
      readonly marketData: readonly { readonly date: string; readonly marketPrice: number }[];
    }
    const posted = Promise.withResolvers<{ path: string; token: string | null; body: Posted }>();
    const ghostfolio = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const body = (await request.json()) as Posted;
        const token = request.headers.get("authorization");
        posted.resolve({ path: new URL(request.url).pathname, token, body });
        return new Response(null, { status: 201 });
      },
    });
    const address = { GHOSTFOLIO: `http://127.0.0.1:${ghostfolio.port}`, GHOSTFOLIO_TOKEN: "t" };
    await shell(textOf("Ghostfolio", "History"), address);
    const { path, token, body } = await posted.promise;
    await ghostfolio.stop(true);
    expect([path, token]).toEqual(["/api/v1/market-data/MANUAL/AAPL", "Bearer t"]);
    expect(body.marketData.map(({ date }) => date)).toEqual(newestFirst(apple.dates));
    expect(body.marketData[0]?.marketPrice).toBe(apple.newest);
  });

  test.skipIf(!npm.isInstalled)("Wealthfolio: the latest price and a period", async () => {
    const text = (label: string) => textOf("Wealthfolio", label);
    const latest = await find(
      "jsonpath-plus",
      text("Latest: URL").replace("{SYMBOL}", "7203.T"),
      ...["price", "date", "currency"].map((one) => text(`Latest: ${one} path`)),
    );
    const toyota = stored("JP", "7203");
    const [[price], [date], [currency]] = latest as [string[], string[], string[]];
    expect([Number(price), date, currency]).toEqual([
      toyota.newest,
      toyota.dates.at(-1) ?? "",
      "JPY",
    ]);
    const period = text("Historical: URL")
      .replace("{SYMBOL}", "7203.T")
      .replace("{FROM}", "2026-10-01")
      .replace("{TO}", "2026-11-18");
    const paths = ["price", "date"].map((one) => text(`Historical: ${one} path`));
    const [prices = [], dates = []] = await find("jsonpath-plus", period, ...paths);
    const within = toyota.dates.filter((one) => one >= "2026-10-01" && one <= "2026-11-18");
    expect(dates).toEqual(within.toReversed());
    expect(prices.length).toBe(dates.length);
  });
});

test.skipIf(!npm.isInstalled)("OpenAI Agents SDK: the model sees rows and errors", async () => {
  const recipe = listRecipes().find(({ program }) => program === "OpenAI Agents SDK");
  const ask = async (token: string) => {
    const text = fillRecipe(recipe?.texts[0]?.text ?? "", { URL: service.origin, TOKEN: token });
    await npm.write(
      "agent.mjs",
      `${text}
       import { RunContext } from "@openai/agents";
       const context = new RunContext();
       const tools = await agent.getMcpTools(context);
       const tool = tools.find(({ name }) => name.endsWith("compare_stocks"));
       console.log(JSON.stringify(await tool.invoke(context, '{"symbols":"AAPL","metrics":"price"}')));
       await bourse.close();`,
    );
    return run([process.execPath, "agent.mjs"]);
  };
  expect(await ask(service.createToken("max").token)).toContain(String(apple.newest));
  const { token } = service.createToken("free");
  const { hourly } = PLANS.free;
  for (let i = 0; i < hourly; i++) await service.callTool(token, "get_markets", {});
  expect(await ask(token)).toContain("retry after");
});

describe("automation", () => {
  test.skipIf(!hasPython("jinja2, yaml"))("Home Assistant: the sensor's template", async () => {
    const program = `
import jinja2, json, sys, urllib.request, yaml
[rest] = yaml.safe_load(sys.argv[1])["rest"]
[sensor] = rest["sensor"]
value = json.load(urllib.request.urlopen(rest["resource"]))
print(jinja2.Template(sensor["value_template"]).render(value_json=value), sensor["unit_of_measurement"])`;
    const yaml = textOf("Home Assistant", "configuration.yaml");
    expect((await run([PYTHON, "-c", program, yaml])).trim()).toBe(`${apple.newest} USD`);
  });

  test.each([
    ["Node-RED", (flow: { url?: string }[]) => flow.find(({ url }) => url)?.url],
    ["n8n", ({ nodes }: { nodes: { parameters: { url: string } }[] }) => nodes[0]?.parameters.url],
  ] as const)("%s: the address of the node answers JSON", async (program, urlOf) => {
    const url = (urlOf as (value: unknown) => string)(JSON.parse(textOf(program)));
    const quote = (await (await fetch(url)).json()) as { close: string };
    expect(Number(quote.close)).toBe(apple.newest);
  });

  test("curl prints a table", async () => {
    const [header, ...rows] = (await shell(textOf("curl"))).trim().split(/\r?\n/);
    expect(header).toStartWith("symbol,price");
    expect(rows.map((row) => row.split(",")[0])).toEqual(["AAPL", "7203.T", "FPT"]);
  });
});
