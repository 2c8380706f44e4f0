import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { endChildren, outputOf } from "../support/child-process.ts";
import { putLookalikes } from "../support/lookalikes.ts";
import { installTools } from "../support/npm-tools.ts";
import { startService, temporaryFolder } from "../support/service.ts";

// Not part of the suite: it needs the Debian packages python3-pandas, r-base-core, r-cran-readr and csvkit, and DuckDB
// of the npm registry. It runs the lines of the README that name the types of columns.

const { folder, remove } = temporaryFolder();
const service = await startService();
putLookalikes(service.market);
const { token } = service.createToken();
const npm = await installTools(folder, { "@duckdb/node-api": "1.5.6-r.1" });

afterAll(async () => {
  await endChildren();
  await service.stop();
  remove();
});

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
    const { data } = (await (await service.request(path, token)).json()) as {
      data: { columns: string[]; rows: (string | number | null)[][] };
    };
    const [at, price] = ["symbol", "price"].map((name) => data.columns.indexOf(name));
    for (const row of data.rows) prices.set(String(row[at ?? 0]), Number(row[price ?? 0]));
    const csv = await service.request(`${path}&format=csv`, token);
    await Bun.write(join(folder, `${i}.csv`), await csv.text());
  }
});

/** The line of a program in the README. */
async function lineOf(program: string): Promise<string> {
  const readme = await Bun.file(
    join(import.meta.dir, "..", "..", "src", "operations", "README.md"),
  ).text();
  const [, line] = new RegExp(`^${program} +(.+)$`, "m").exec(readme) ?? [];
  if (!line) throw new Error(`no line for ${program}`);
  return line;
}

const names = FILES.map((_, i) => `${i}.csv`);
const run = (...command: string[]) => outputOf(command, { cwd: folder });
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
    frame = ${await lineOf("pandas")}
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
  frame <- suppressMessages(${await lineOf(program)})
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
    expectRows(await run("node", "types.mjs", await lineOf("DuckDB"), ...names));
  });

  test.skipIf(!Bun.which("csvjson"))("csvkit", async () => {
    const line = await lineOf("csvkit");
    const lines = names.map((name) => `${line.replace("file.csv", name)}; echo`).join("\n");
    const printed = (await run("bash", "-c", lines)).trim().split("\n");
    const rows = printed.flatMap((one) => JSON.parse(one) as { symbol: string; price: string }[]);
    expectRows(rows.map(({ symbol, price }) => `${symbol} ${price}`).join("\n"));
  });
});
