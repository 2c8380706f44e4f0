import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { childEnv, outputOf } from "../support/child-process.ts";
import { putLookalikes } from "../support/lookalikes.ts";
import { installTools } from "../support/npm-tools.ts";
import { startForPrograms } from "../support/program-service.ts";

// Not part of the suite: it needs the Debian packages python3-pandas, r-base-core, r-cran-readr and csvkit, and DuckDB
// of the npm registry. It runs the programs of the operations' README that read CSV.

const { service, folder } = await startForPrograms();
putLookalikes(service.market);
const { token } = service.createToken();
const npm = await installTools(folder, { "@duckdb/node-api": "1.5.6-r.1" });

/** Symbols that a program takes for something else, each list in a file of its own. NONE1 is unknown. */
const FILES: readonly (readonly string[])[] = [
  ["T", "F"],
  ["NA", "NULL", "NONE1"],
  ["7203", "6758"],
  ["130D"],
  ["MAR"],
  ["TRUE"],
];
/** The price of each known symbol. */
const prices = new Map<string, number>();

beforeAll(async () => {
  for (const [i, symbols] of FILES.entries()) {
    const path = `/data/stocks/compare?symbols=${symbols.join(",")}&metrics=price`;
    type Table = { columns: string[]; rows: (string | number | null)[][] };
    const data = await service.payload<Table>(path, token);
    const [at, price] = ["symbol", "price"].map((name) => data.columns.indexOf(name));
    for (const row of data.rows) prices.set(String(row[at ?? 0]), Number(row[price ?? 0]));
    const csv = await service.request(`${path}&format=csv`, token);
    await Bun.write(join(folder, `${i}.csv`), await csv.text());
  }
});

const README = await Bun.file(
  join(import.meta.dir, "..", "..", "src", "operations", "README.md"),
).text();

/** What a pattern finds in the README. */
function inReadme(pattern: RegExp): string {
  const [, found] = pattern.exec(README) ?? [];
  if (found === undefined) throw new Error(`the README has no ${pattern}`);
  return found.replaceAll("http://127.0.0.1:8787", service.origin);
}

/** The line of a program that keeps symbols as text. */
const lineOf = (program: string) => inReadme(new RegExp(`^${program} +(.+)$`, "m"));
/** The first program in a language that has those words. */
const programOf = (language: string, words: string) =>
  inReadme(new RegExp("```" + language + "\\n((?:(?!```)[^])*" + words + "(?:(?!```)[^])*)```"));

const names = FILES.map((_, i) => `${i}.csv`);
const run = (...command: string[]) =>
  outputOf(command, { cwd: folder, env: childEnv({ TOKEN: token }) });
const hasR = (library: string) =>
  Bun.which("Rscript") !== null &&
  Bun.spawnSync(["Rscript", "-e", `library(${library})`], { stderr: "ignore" }).exitCode === 0;
const PYTHON = "/usr/bin/python3";
const hasPandas =
  Bun.spawnSync([PYTHON, "-c", "import pandas"], { stderr: "ignore" }).exitCode === 0;

/** Checks the symbol and price of each row, file by file: `T 31.85`, or `NONE1` without a price. */
function expectRows(printed: string): void {
  const rows = printed.split("\n").map((line) => line.trim());
  expect(rows.filter((row) => row !== "")).toEqual(
    FILES.flat().map((symbol) => `${symbol} ${prices.get(symbol) ?? ""}`.trim()),
  );
}

describe("the README's line keeps every symbol as text, and prices as numbers, in", () => {
  test.skipIf(!hasPandas)("pandas", async () => {
    const program = `
import pandas as pd
for file in ${JSON.stringify(names)}:
    frame = ${lineOf("pandas")}
    for symbol, price in zip(frame["symbol"], frame["price"].astype(float)):
        print(symbol, "" if pd.isna(price) else "%.10g" % price)
        assert isinstance(price, float) and isinstance(symbol, str)`;
    expectRows(await run(PYTHON, "-c", program));
  });

  test.each(["R", "readr"])("%s", async (program) => {
    if (!hasR(program === "R" ? "base" : program)) return;
    const script = `
${program === "R" ? "" : "library(readr)"}
for (file in c(${names.map((name) => JSON.stringify(name)).join(", ")})) {
  frame <- suppressMessages(${lineOf(program)})
  stopifnot(is.character(frame$symbol), is.numeric(frame$price))
  cat(paste(frame$symbol, ifelse(is.na(frame$price), "", frame$price), "\\n"), sep = "")
}`;
    expectRows(await run("Rscript", "-e", script));
  });

  test.skipIf(!npm.isInstalled)("DuckDB", async () => {
    await npm.write(
      "types.mjs",
      `import { DuckDBInstance } from "@duckdb/node-api";
       const connection = await (await DuckDBInstance.create(":memory:")).connect();
       for (const file of process.argv.slice(3)) {
         const reader = await connection.runAndReadAll(process.argv[2].replace("file.csv", file));
         for (const { symbol, price } of reader.getRowObjectsJson()) console.log(symbol, price ?? "");
       }`,
    );
    // The binding needs Node.
    expectRows(await run("node", "types.mjs", lineOf("DuckDB"), ...names));
  });

  test.skipIf(!Bun.which("csvjson"))("csvkit", async () => {
    const line = lineOf("csvkit");
    const lines = names.map((name) => `${line.replace("file.csv", name)}; echo`).join("\n");
    const printed = (await run("bash", "-c", lines)).trim().split("\n");
    const rows = printed.flatMap((one) => JSON.parse(one) as { symbol: string; price: string }[]);
    expectRows(rows.map(({ symbol, price }) => `${symbol} ${price}`).join("\n"));
  });
});

test("the README's function for Google Sheets, whose services are played, keeps symbols as text", async () => {
  await npm.write(
    "sheet.mjs",
    `import { readFileSync } from "node:fs";
       const PropertiesService = { getScriptProperties: () => ({ getProperty: () => "" }) };
       const UrlFetchApp = { fetch: (url) => ({ getContentText: () => readFileSync(url.split("/").at(-1), "utf8") }) };
       const Utilities = { parseCsv: (text) => text.trim().split("\\r\\n").map((line) => line.split(",")) };
       ${programOf("js", "function BOURSE")}
       console.log(JSON.stringify(["1.csv", "2.csv"].flatMap((file) => BOURSE(file).slice(1))));`,
  );
  const rows = JSON.parse(await run(process.execPath, "sheet.mjs")) as unknown[][];
  expect(rows.map((row) => [row[1], row.at(-1)])).toEqual(
    [...(FILES[1] ?? []), ...(FILES[2] ?? [])].map((symbol) => [symbol, prices.get(symbol) ?? ""]),
  );
});
