import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { LAYER_NAMES } from "#feeds/index.ts";
import { resultOf, spawnChild } from "../support/child-process.ts";
import { startForPrograms } from "../support/program-service.ts";

// Not part of the suite: it needs the Debian packages r-cran-quantmod and r-cran-jsonlite.

const { service, folder } = await startForPrograms();
const script = join(folder, "quantmod.R");

/** quantmod has the addresses in its functions, so they are replaced there: the lines of the feeds' README. */
const PROGRAM = `
suppressMessages(library(quantmod))
args <- commandArgs(TRUE)
redirect <- function(name, address, base) {
  f <- get(name, asNamespace("quantmod"))
  body(f) <- parse(text = gsub(address, base, deparse(body(f)), fixed = TRUE))[[1]]
  assignInNamespace(name, f, "quantmod")
}
redirect("getSymbols.tiingo", "https://api.tiingo.com", paste0(args[1], "/tiingo"))
redirect("getSymbols.av", "https://www.alphavantage.co", paste0(args[1], "/alphavantage"))
redirect("getQuote.yahoo", "https://query1.finance.yahoo.com", paste0(args[1], "/", args[2], "/yahoo"))
redirect("getQuote.tiingo", "https://api.tiingo.com", paste0(args[1], "/tiingo"))
if (args[3] == "quote" || args[3] == "iex") {
  quotes <- if (args[3] == "iex") getQuote(args[4], src = "tiingo", api.key = args[2]) else
    getQuote(args[4], src = "yahoo", what = yahooQF(c("Last Trade (Price Only)", "P/E Ratio")))
  write.csv(quotes, quote = FALSE)
  quit()
}
rows <- try(getSymbols(args[4], src = args[3], api.key = args[2], auto.assign = FALSE,
  from = "2026-10-01", to = "2026-11-18"), silent = TRUE)
if (inherits(rows, "try-error")) cat("ERROR", rows) else {
  rows <- rows["2026-10-01/2026-11-18"]
  write.csv(data.frame(date = index(rows), coredata(rows)), row.names = FALSE, quote = FALSE)
}
`;
await Bun.write(script, PROGRAM);
const isInstalled =
  Bun.which("Rscript") !== null &&
  Bun.spawnSync(["Rscript", "-e", "library(quantmod); library(jsonlite)"], {
    stderr: "ignore",
    stdout: "ignore",
  }).success;
if (!isInstalled)
  process.stderr.write("SKIPPED: quantmod needs r-cran-quantmod and r-cran-jsonlite.\n");

/** What `getSymbols` reads as CSV, or its error; with the source `quote` or `iex` what `getQuote` reads of Yahoo or Tiingo. */
async function getSymbols(link: string, source: string, symbol: string): Promise<string> {
  const command = ["Rscript", script, `${service.origin}/feed`, link, source, symbol];
  const { code, stdout, stderr } = await resultOf(
    spawnChild(command, { stdout: "pipe", stderr: "pipe" }),
  );
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

const SHARES = [
  ["AAPL", "US", "AAPL"],
  ["7203.T", "JP", "7203"],
  ["FPT.VN", "VN", "FPT"],
] as const;

/** The bars of the same days as the store has them. */
function barsOf(country: "US" | "JP" | "VN", symbol: string) {
  const instrument = service.market.instruments.find({ country, symbol });
  if (!instrument) throw new Error(`no ${symbol}`);
  return service.market.bars.series(instrument.id, 99, {
    from: "2026-10-01",
    before: "2026-11-19",
  });
}

describe.skipIf(!isInstalled)("quantmod", () => {
  const { link } = service.createFeedLink();

  test.each(SHARES)("reads %s by src=tiingo", async (written, country, symbol) => {
    const [names = [], ...rows] = (await getSymbols(link, "tiingo", written))
      .trimEnd()
      .split("\n")
      .map((line) => line.split(","));
    const { dates, open, high, low, close } = barsOf(country, symbol);
    expect(names.map((name) => name.split(".").at(-1))).toEqual(
      "date Open High Low Close Volume Adjusted".split(" "),
    );
    expect(rows.map(([date]) => date)).toEqual([...dates]);
    const figures = rows.map((row) => row.slice(1, 5).map(Number));
    expect(figures).toEqual(
      dates.map((_, i) => [open, high, low, close].map((column) => column[i] ?? Number.NaN)),
    );
  });

  test.skipIf(!LAYER_NAMES.includes("alphavantage")).each(SHARES)(
    "reads %s by src=av",
    async (written, country, symbol) => {
      const rows = (await getSymbols(link, "av", written))
        .trimEnd()
        .split("\n")
        .slice(1)
        .map((line) => line.split(","));
      const { dates, close } = barsOf(country, symbol);
      expect(rows.map(([date, , , , price]) => [date, Number(price)])).toEqual(
        dates.map((date, i) => [date, close[i] ?? Number.NaN]),
      );
    },
  );

  test("reads quotes by getQuote", async () => {
    const [head, ...rows] = (await getSymbols(link, "quote", "AAPL;7203.T")).trimEnd().split("\n");
    expect(head).toBe(",Trade Time,Last,P/E Ratio");
    expect(rows.map((row) => row.split(",")[0])).toEqual(["AAPL", "7203.T"]);
    const { close } = service.market.bars.series(
      service.market.instruments.find({ country: "US", symbol: "AAPL" })?.id ?? 0,
      1,
    );
    expect(Number(rows[0]?.split(",")[2])).toBe(close[0] ?? 0);
    const [, tiingo] = (await getSymbols(link, "iex", "AAPL;MSFT")).trimEnd().split("\n");
    const [symbol, , , , , last] = tiingo?.split(",") ?? [];
    expect([symbol, Number(last)]).toEqual(["AAPL", close[0] ?? 0]);
  });

  test("has an error for an unknown symbol, a used-up quota and a revoked link", async () => {
    expect(await getSymbols(link, "tiingo", "NONE1")).toStartWith("ERROR");
    const free = service.createFeedLink("free");
    expect(await getSymbols(free.link, "tiingo", "AAPL")).toContain("2026-11-18");
    const url = `${service.origin}/feed/${free.link}/tiingo/tiingo/daily/AAPL`;
    for (let i = 0; i < 30; i++) await fetch(url);
    expect(await getSymbols(free.link, "tiingo", "AAPL")).toStartWith("ERROR");
    service.accounts.revokeToken(free.id);
    expect(await getSymbols(free.link, "tiingo", "AAPL")).toStartWith("ERROR");
  });
});
