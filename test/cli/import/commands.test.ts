import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Country } from "#domain/country.ts";
import { IMPORT_KINDS, type ImportName } from "#imports/import-kinds.ts";
import { claimMarket, findOrigin } from "#ingest/ingest.ts";
import { openMarket } from "#store/index.ts";
import { openFolder } from "../../support/access.ts";
import { bunCommand, endChildren, spawnChild } from "../../support/child-process.ts";
import { expectFailure, MAIN, run, runOn, runWith } from "../../support/cli.ts";
import { createSmallSample } from "../../support/contract-market.ts";
import { openImports, storedBars } from "../../support/imports.ts";
import { instrument, listInstruments } from "../../support/market.ts";
import { hasRecordings, recordedPath } from "../../support/recordings.ts";
import { START } from "../../support/service.ts";

const { folder, run: importKind, fileOf, inMarket, stored } = openImports();
afterAll(endChildren);

const PE = "country,month,pe\n";
const BARS = "country,symbol,date,open,high,low,close,volume\n";
const ROW = "US,NVDA,2026-01-05,1,1,1,1,\n";
const listPe = () =>
  inMarket((market) => market.documents.list("indexPe", "VN")).filter(
    ({ source }) => source === "import",
  );

/** The kinds whose two rows belong to one record. */
const LISTED = new Set(["macro", "forecasts", "dividends", "splits"]);
const twoOf = (kind: string) =>
  `Imported 2 ${IMPORT_KINDS[kind as ImportName].plural} (2 rows of ${kind}.csv). Sources do not replace them.\n`;

describe("import", () => {
  // Instruments come first: the other templates use its made-up symbols.
  test.each(Object.keys(IMPORT_KINDS))(
    "%s --template prints a CSV that imports cleanly",
    async (kind) => {
      const { code, stdout, stderr } = await importKind(kind, "--template");
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout.trimEnd().split("\n")).toHaveLength(3);
      const path = fileOf(`${kind}.csv`, stdout);
      const result = await importKind(kind, path);
      expect([result.code, result.stderr]).toEqual([0, ""]);
      const { noun } = IMPORT_KINDS[kind as ImportName];
      const one = `Imported 1 ${noun} (2 rows of ${kind}.csv). Sources do not replace them.`;
      expect(result.stdout).toBe(LISTED.has(kind) ? `${one}\n` : twoOf(kind));
    },
  );

  test("--template touches no data folder", async () => {
    const data = join(folder.path, "none");
    expect((await runOn(data, "import", "macro", "--template")).code).toBe(0);
    expect(existsSync(data)).toBe(false);
  });

  test("stores the records as imported, and reports as JSON", async () => {
    const csv = fileOf("pe.csv", `${PE}VN,2001-01,11.5\n`);
    const json = fileOf("pe.json", '[{"country":"VN","month":"2001-02","pe":12}]');
    const { code, stdout, stderr } = await importKind("index-pe", csv, json, "--json");
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual({
      kind: "index-pe",
      records: 2,
      rows: 2,
      isDryRun: false,
      append: false,
      divided: 0,
      unread: [],
      skipped: [],
      widened: [],
      files: [
        { path: csv, shape: "csv", rows: 1 },
        { path: json, shape: "json", rows: 1 },
      ],
    });
    expect(listPe().map(({ month, pe }) => [month, pe])).toEqual([
      ["2001-01", 11.5],
      ["2001-02", 12],
    ]);
  });

  test("replaces a fetched record with the same key, and later fetches do not replace it", async () => {
    const fetched = { source: "worldbank", storedAt: 1 };
    const put = (pe: number) =>
      inMarket((market) =>
        market.put("indexPe", [{ country: "VN", month: "2001-03", pe }], fetched),
      );
    const stored = () =>
      inMarket((market) => market.documents.find("indexPe", "VN", "2001-03"))?.pe;
    put(10);
    await importKind("index-pe", fileOf("pe.csv", `${PE}VN,2001-03,13\n`));
    expect(stored()).toBe(13);
    put(10);
    expect(stored()).toBe(13);
    await importKind("index-pe", fileOf("pe.csv", `${PE}VN,2001-03,14\n`));
    expect(stored()).toBe(14);
  });

  test("imports all of its files or none, and names the bad line", async () => {
    const before = listPe();
    const good = fileOf("good.csv", `${PE}VN,2002-01,11.5\n`);
    const bad = fileOf("bad.csv", `${PE}VN,2002-02,11.5\nVN,2002-03,none\n`);
    const words = "bad.csv, line 3: pe must be a number above 0, not 'none'";
    expectFailure(await importKind("index-pe", good, bad), words);
    expect(listPe()).toEqual(before);
  });

  test("of an unknown symbol names the line and the closest symbol", async () => {
    const text =
      "country,symbol,exDate,amount\nUS,AAPL,2025-08-11,0.26\nUS,GOOGLE,2025-08-11,0.2\n";
    expectFailure(
      await importKind("dividends", fileOf("d.csv", text)),
      "d.csv, line 3: GOOGLE is not known in US (is it GOOGL?); import it with `import instruments`",
    );
  });

  test("of instruments makes them known to other imports", async () => {
    const header = "country,symbol,name,assetType,currency,primaryListing,indexMember,price\n";
    const list = fileOf("i.csv", `${header}US,ZZ9,Zeta,etf,USD,true,false,5\n`);
    const { stdout } = await importKind("instruments", list);
    expect(stdout).toEndWith("\nColumns that were not read: price.\n");
    const paid = fileOf("d.csv", "country,symbol,exDate,amount\nUS,zz9,2025-08-11,0.26\n");
    expect((await importKind("dividends", paid)).code).toBe(0);
    expect(
      inMarket((market) => market.documents.find("dividends", "US", "ZZ9"))?.dividends,
    ).toEqual([{ exDate: "2025-08-11", amount: 0.26 }]);
  });

  test("of bars without --symbol imports many instruments, each with its whole history", async () => {
    const rows = "US,MSFT,2026-01-05,10,12,9,11,500\nJP,7203,2026-01-05,20,22,19,21,\n";
    expect((await importKind("bars", fileOf("b.csv", BARS + rows))).code).toBe(0);
    const next = "US,MSFT,2026-01-06,11,13,10,12,500\n";
    expect((await importKind("bars", fileOf("b.csv", BARS + next))).code).toBe(0);
    expect(stored("US", "MSFT")).toMatchObject({ closes: ["2026-01-06 12"], source: "import" });
    expect(stored("JP", "7203")).toMatchObject({ closes: ["2026-01-05 21"], source: "import" });
  });

  test("of bars of one instrument requires --country and --symbol", async () => {
    const path = fileOf("b.csv", "Date,Open,High,Low,Close\n2026-01-05,10,12,9,11\n");
    expectFailure(await importKind("bars", path), "b.csv, line 1", "--country and --symbol");
  });

  test.each([
    [["nonsense", "x.csv"], "There is no command `import nonsense`"],
    [["macros", "x.csv"], "did you mean `import macro`?"],
    [["macro", "--symbol", "AAPL", "x.csv"], "Unknown option '--symbol'"],
  ])("%j fails in one sentence", async (argv, words) => {
    expectFailure(await importKind(...(argv as [string])), words);
  });

  test("of bars accepts rows of many instruments in any order, in several files", async () => {
    const a = "JP,7203,2026-01-06,20,22,19,21,\nUS,MSFT,2026-01-06,11,13,10,12,500\n";
    const b =
      '{"country":"US","symbol":"msft","date":"2026-01-05","open":10,"high":12,"low":9,"close":11}\n' +
      '{"country":"JP","symbol":"7203","bars":[{"date":"2026-01-05","open":20,"high":22,"low":19,"close":20}]}\n';
    const paths = [fileOf("a.csv", BARS + a), fileOf("b.jsonl", b)];
    const { code, stdout } = await importKind("bars", ...paths, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      kind: "bars",
      records: 2,
      rows: 4,
      isDryRun: false,
      append: false,
      divided: 0,
      unread: [],
      skipped: [],
      widened: [],
      files: [
        { path: paths[0], shape: "csv", rows: 2 },
        { path: paths[1], shape: "json lines", rows: 2 },
      ],
    });
    expect([closesOf("US", "MSFT"), closesOf("JP", "7203")]).toEqual([
      ["2026-01-05 11", "2026-01-06 12"],
      ["2026-01-05 20", "2026-01-06 21"],
    ]);
  });

  test.each([
    [
      "in one file",
      [`${ROW}JP,7203,2026-01-05,1,1,1,1,\n${ROW}`],
      "a.csv, line 4",
      "a.csv, line 2",
    ],
    ["in two files", [ROW, `\n${ROW}`], "b.csv, line 3", "a.csv, line 2"],
  ])(
    "of bars refuses a date that occurs twice %s, and names both places",
    async (_, texts, ...places) => {
      const before = closesOf("US", "NVDA");
      const paths = texts.map((text, i) => fileOf(`${"ab"[i]}.csv`, BARS + text));
      const [here, earlier] = places;
      const words = `${here}: date 2026-01-05 appears here and in ${earlier}\n`;
      expectFailure(await importKind("bars", ...paths), words);
      expect(closesOf("US", "NVDA")).toEqual(before);
    },
  );

  test("names a bad line late in a long file, and stores nothing of the file", async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => `US,NVDA,${dateAfter(i)},1,1,1,1,`);
    rows[19_000] = "US,NVDA,2026-01-05,1,1,1,none,";
    const before = closesOf("US", "NVDA");
    const path = fileOf("long.csv", `${BARS}${rows.join("\n")}\n`);
    // After the header and 19,000 rows.
    expectFailure(await importKind("bars", path), "long.csv, line 19002: close must be a number");
    expect(closesOf("US", "NVDA")).toEqual(before);
  });

  test("on a terminal only, shows how much of a long file is read, and clears the line", async () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => `US,NVDA,${dateAfter(i)},1,1,1,1,`);
    const text = `${BARS}${rows.join("\n")}\n`;
    const path = fileOf("long.csv", text);
    const stderrOf = async (isTerminal: boolean) => {
      const env = { BOURSE_DATA: folder.path };
      return (await runWith({ isTerminal }, env, "import", "bars", path)).stderr;
    };
    expect(await stderrOf(false)).toBe("");
    // It is read in pieces of 256 KiB, so one line is shown before the end.
    expect(text.length).toBeWithin(262_144, 2 * 262_144);
    const percent = Math.floor((100 * 262_144) / text.length);
    const clear = "\r\u001B[2K";
    expect(await stderrOf(true)).toBe(
      `${clear}Reading long.csv: ${percent} %${clear}Storing the bars${clear}`,
    );
  });
});

const closesOf = (country: Country, symbol: string) => stored(country, symbol).closes;

/** The date of a weekday, as the number of weekdays after Monday, 1 January 1900. */
const dateAfter = (weekdays: number) =>
  new Date(Date.UTC(1900, 0, 1 + 7 * Math.floor(weekdays / 5) + (weekdays % 5)))
    .toISOString()
    .slice(0, 10);

test("an import that is killed half-way stores nothing", async () => {
  using fresh = openFolder();
  const market = openMarket(fresh.path);
  // The child's clock is another one, and a sample market would be generated for its date.
  claimMarket(market, "live");
  market.instruments.put([instrument("US", "NVDA")], { source: "test", storedAt: 1 });
  const whole = fileOf("a.csv", BARS + ROW);
  const argv = ["import", "bars", "--data", fresh.path];
  expect((await runOn(fresh.path, ...argv, whole)).code).toBe(0);
  const before = storedBars(market, "US", "NVDA").closes;
  const pipe = join(fresh.path, "pipe");
  Bun.spawnSync(["mkfifo", pipe]);
  const child = spawnChild([...bunCommand(MAIN), ...argv, pipe], { stderr: "pipe" });
  const rows = Array.from(
    { length: 24_000 },
    (_, i) => `US,NVDA,${dateAfter(i)},1.00,1.00,1.00,1.00,1000\n`,
  );
  const csv = fileOf("half.csv", BARS + rows.join(""));
  // A separate process, because opening the pipe waits for the reader. A pipe holds 64 KiB, so the
  // reader has nearly all of the MiB once it is written.
  const writer = spawnChild(
    ["sh", "-c", 'exec 3> "$0" && cat "$1" >&3 && echo written && exec sleep 60', pipe, csv],
    { stdout: "pipe" },
  );
  const written = writer.stdout.getReader().read();
  await Promise.race([written, child.exited]);
  child.kill("SIGINT");
  await child.exited;
  writer.kill();
  expect([child.signalCode, await new Response(child.stderr).text()]).toEqual(["SIGINT", ""]);
  expect(storedBars(market, "US", "NVDA").closes).toEqual(before);
  expect((await runOn(fresh.path, ...argv, whole)).code).toBe(0);
  expect(storedBars(market, "US", "NVDA").closes).toEqual(["2026-01-05 1"]);
  market.close();
});

test("import into an empty folder of the live market does not add the sample", async () => {
  using fresh = openFolder();
  const path = fileOf("pe.csv", `${PE}VN,2001-01,11.5\n`);
  const env = { BOURSE_DATA: fresh.path, BOURSE_MARKET: "live" };
  expect((await run(env, "import", "index-pe", path)).code).toBe(0);
  const market = openMarket(fresh.path);
  expect(findOrigin(market)).toBe("live");
  expect(listInstruments(market, null)).toEqual([]);
  market.close();
});

test.skipIf(!hasRecordings)("import instruments reads JPX's original workbook", async () => {
  using fresh = openFolder();
  createSmallSample(fresh.path, START);
  const { code, stdout } = await runOn(
    fresh.path,
    "import",
    "instruments",
    recordedPath("jpx/data_j.xls"),
  );
  expect([code, stdout]).toEqual([
    0,
    "Imported 4,195 instruments (4,270 rows of data_j.xls). Sources do not replace them.\n",
  ]);
});
