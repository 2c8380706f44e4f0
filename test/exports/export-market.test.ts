import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXPORT_KIND_NAMES, EXPORT_KINDS } from "#exports/kinds.ts";
import type { Manifest } from "#exports/manifest.ts";
import { lockFile, openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { expectFailure, runAt, runWith } from "../support/cli.ts";
import { fillMarket } from "../support/contract-market.ts";
import { instrument, stock } from "../support/market.ts";
import { readParquet } from "../support/parquet.ts";
import { START } from "../support/service.ts";
import { bar, putSplitShare, SPLIT_BARS } from "./split-share.ts";

const clock = () => START;
const folder = openFolder();
const data = join(folder.path, "data");
const at = (path: string) => join(folder.path, path);
const run = (...argv: string[]) => runAt(clock, { BOURSE_DATA: data }, ...argv);
const exportTo = async (name: string, ...flags: string[]): Promise<Manifest> => {
  const { code, stdout, stderr } = await run("export", at(name), "--json", ...flags);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
};

beforeAll(() => {
  const market = openMarket(data);
  fillMarket(market);
  const stored = (source: string) => ({ source, storedAt: START - 1_000 });
  market.instruments.put(
    [stock("VN", "XYZ", { currency: "VND" }), instrument("US", "^ONE", { assetType: "index" })],
    stored("nasdaq"),
  );
  putSplitShare(market);
  market.put(
    "bars",
    [
      { country: "US", symbol: "^ONE", bars: [bar("2026-11-19", 7)] },
      { country: "VN", symbol: "XYZ", bars: [bar("2026-11-19", 30_000)] },
    ],
    stored("yahoo"),
  );
  market.close();
});

/** Every file below a folder. */
const filesBelow = (path: string) =>
  readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(path, name)).isFile())
    .toSorted();

describe("bars", () => {
  test("have factors to prices as traded and to prices with reinvested dividends", async () => {
    await exportTo("bars", "--kinds", "bars");
    const rows = await readParquet(at("bars/bars/US.parquet"));
    // The close before the ex-date is 50: 1 − 1 / 50.
    expect(rows.filter(({ symbol }) => symbol === "SPLT")).toEqual(
      SPLIT_BARS.map((one, i) => ({
        country: "US",
        symbol: "SPLT",
        ...one,
        date: new Date(one.date),
        split_factor: [2, 1, 1][i],
        total_return_factor: [0.98, 0.98, 1][i],
      })),
    );
  });

  test("have no factor where the splits or dividends are unknown; an index has no dividends", async () => {
    const factorsOf = async (country: string, wanted: string) =>
      (await readParquet(at(`bars/bars/${country}.parquet`)))
        .filter(({ symbol }) => symbol === wanted)
        .map(({ split_factor, total_return_factor }) => [split_factor, total_return_factor]);
    expect(await factorsOf("VN", "XYZ")).toEqual([[null, null]]);
    expect(await factorsOf("US", "^ONE")).toEqual([[1, null]]);
  });

  test("are sorted by symbol and date", async () => {
    const rows = await readParquet(at("bars/bars/US.parquet"));
    const keys = rows.map(
      ({ symbol, date }) => `${String(symbol)} ${(date as Date).toISOString()}`,
    );
    expect(keys).toEqual(keys.toSorted());
  });
});

describe("the manifest", () => {
  test("has the size, hash, dates and sources of every file", async () => {
    const manifest = await exportTo("all");
    expect(JSON.parse(readFileSync(at("all/manifest.json"), "utf8"))).toEqual(manifest);
    expect(manifest.files.map(({ path }) => path).toSorted()).toEqual(
      filesBelow(at("all")).filter((name) => name !== "manifest.json"),
    );
    for (const { path, bytes, sha256, rows } of manifest.files) {
      const content = readFileSync(at(`all/${path}`));
      const hash = new Bun.CryptoHasher("sha256").update(content).digest("hex");
      expect([content.length, hash]).toEqual([bytes, sha256]);
      expect(await readParquet(at(`all/${path}`))).toHaveLength(rows);
    }
    expect(manifest.files.find(({ path }) => path === "dividends/US.parquet")).toMatchObject({
      kind: "dividends",
      country: "US",
      last_date: "2026-11-19",
      sources: expect.arrayContaining(["sec"]),
    });
    expect(manifest.stored_at).toBe(new Date(START - 1_000).toISOString());
  });

  test("names the terms of each source, and whether they allow to pass its records on", async () => {
    const { sources } = await exportTo("all");
    const termsOf = (name: string) => sources.find(({ source }) => source === name);
    expect(termsOf("sec")).toMatchObject({ redistributable: true });
    expect(termsOf("yahoo")).toEqual({
      source: "yahoo",
      terms: expect.stringContaining("nothing may be redistributed"),
      redistributable: false,
    });
    const { stderr } = await run("export", at("all"));
    expect(stderr).toMatch(/^For your own use only: the terms of .*yahoo/);
  });

  test("describes each column of each kind", async () => {
    const { kinds } = await exportTo("all");
    expect(Object.keys(kinds)).toEqual([...EXPORT_KIND_NAMES]);
    for (const name of EXPORT_KIND_NAMES) {
      const { columns } = EXPORT_KINDS[name];
      expect(kinds[name]?.columns.map((column) => column.name)).toEqual(
        columns.map((column) => column.name),
      );
      for (const { description } of columns) expect(description).toMatch(/^\S.*[^.]$/);
    }
  });
});

describe("a second export", () => {
  const contentOf = (path: string) =>
    Object.fromEntries(
      filesBelow(path).map((name) => [name, readFileSync(join(path, name)).toString("base64")]),
    );

  test("of an unchanged market has the same bytes", async () => {
    await exportTo("first");
    await exportTo("second");
    expect(contentOf(at("second"))).toEqual(contentOf(at("first")));
  });

  test("replaces the files of the first one, and no others", async () => {
    await exportTo("twice", "--kinds", "bars,splits");
    writeFileSync(at("twice/notes.txt"), "mine");
    await exportTo("twice", "--kinds", "bars", "--country", "US", "--format", "csv");
    expect(filesBelow(at("twice"))).toEqual(["bars/US.csv", "manifest.json", "notes.txt"]);
    expect(existsSync(at("twice/splits"))).toBe(false);
  });
});

describe("the formats", () => {
  test("have the same rows", async () => {
    await exportTo("csv", "--format", "csv");
    await exportTo("jsonl", "--format", "jsonl");
    const textOf = (value: unknown) =>
      value === null || value === undefined
        ? ""
        : value instanceof Date
          ? value.toISOString().slice(0, 10)
          : JSON.stringify(value).replace(/^"(.*)"$/, "$1");
    for (const path of filesBelow(at("csv")).filter((name) => name.endsWith(".csv"))) {
      const name = path.slice(0, -4);
      const rows = await readParquet(at(`all/${name}.parquet`));
      const lines = readFileSync(at(`jsonl/${name}.jsonl`), "utf8").trim();
      const objects = lines === "" ? [] : lines.split("\n").map((line) => JSON.parse(line));
      expect(objects.map((one) => Object.values(one).map(textOf))).toEqual(
        rows.map((row) => Object.values(row).map(textOf)),
      );
      expect(readFileSync(at(`csv/${path}`), "utf8").split("\n")[0]).toBe(
        EXPORT_KINDS[name.split("/")[0] as "bars"].columns.map((column) => column.name).join(","),
      );
    }
  });

  test("--since leaves out earlier rows; factors stay", async () => {
    const { files } = await exportTo("since", "--kinds", "bars", "--since", "2026-11-18");
    expect(files[0]).toMatchObject({ first_date: "2026-11-18" });
    const rows = await readParquet(at("since/bars/US.parquet"));
    const factors = rows.flatMap(({ symbol, total_return_factor }) =>
      symbol === "SPLT" ? [total_return_factor] : [],
    );
    expect(factors).toEqual([0.98, 1]);
  });
});

describe("an export that fails", () => {
  test.each([
    [["--kinds", "bar"], "did you mean bars"],
    [["--since", "2026-13-01"], "must be a date"],
    [["--format", "xlsx"], "parquet, csv, jsonl"],
    [["--country", "FR"], "US, JP, VN"],
    [["--format", "lean", "--kinds", "metrics"], "bars only"],
    [["--format", "lean", "--country", "JP"], "US shares only"],
  ])("says what is wrong with %p, and leaves nothing", async (flags, words) => {
    expectFailure(await run("export", at("wrong"), ...flags), words);
    expect(existsSync(at("wrong"))).toBe(false);
  });

  test("is stopped between two batches, and leaves the folder as it was", async () => {
    await exportTo("stopped", "--kinds", "splits");
    const before = filesBelow(at("stopped"));
    for (const name of ["stopped", "never/there"]) {
      const stopped = await runWith(
        { clock, onStop: (listener) => listener() },
        { BOURSE_DATA: data },
        "export",
        at(name),
      );
      expectFailure(stopped, "The export was stopped");
    }
    expect(filesBelow(at("stopped"))).toEqual(before);
    expect(existsSync(at("never"))).toBe(false);
  });

  test("names a folder that cannot be used", async () => {
    writeFileSync(at("file"), "");
    expectFailure(await run("export", at("file")), at("file"), "cannot be written");
    mkdirSync(at("foreign"));
    writeFileSync(at("foreign/manifest.json"), '{"name":"a web app"}');
    expectFailure(await run("export", at("foreign")), "is not from `bourse export`");
    expect(readdirSync(at("foreign"))).toEqual(["manifest.json"]);
    // A folder in the place of a file is found before the first file is moved.
    mkdirSync(at("conflict/bars"), { recursive: true });
    writeFileSync(at("conflict/splits"), "");
    expectFailure(
      await run("export", at("conflict"), "--kinds", "bars,splits"),
      "cannot be written",
    );
    expect(filesBelow(at("conflict"))).toEqual(["splits"]);
  });

  test("refuses a folder into which another export writes, and removes what a killed one left", async () => {
    const work = at("busy/.bourse-export");
    mkdirSync(work, { recursive: true });
    writeFileSync(join(work, "0.part"), "half");
    const lock = lockFile(join(work, "export.lock"));
    expectFailure(await run("export", at("busy")), "Another export is being written");
    lock?.release();
    writeFileSync(join(work, "export.lock"), "");
    await exportTo("busy", "--kinds", "splits", "--country", "US");
    expect(filesBelow(at("busy"))).toEqual(["manifest.json", "splits/US.parquet"]);
  });

  test("says that a market is empty or missing", async () => {
    const empty = join(folder.path, "empty");
    openMarket(empty).close();
    expectFailure(await runAt(clock, { BOURSE_DATA: empty }, "export", at("none")), "is empty");
    const missing = await runAt(clock, { BOURSE_DATA: at("missing") }, "export", at("none"));
    expectFailure(missing, "There is no data folder");
    expect(existsSync(at("none"))).toBe(false);
  });
});

describe("an exported file", () => {
  test.each([
    "instruments",
    "bars",
    "statements",
    "dividends",
    "splits",
    "macro",
    "calendar",
  ] as const)("of %s is imported again", async (kind) => {
    await exportTo("again");
    const target = at(`import-${kind}`);
    const into = (...argv: string[]) =>
      runAt(clock, { BOURSE_DATA: target, BOURSE_MARKET: "live" }, ...argv);
    const imported = async (name: string) => {
      const all =
        name === "instruments"
          ? ["again/instruments.parquet"]
          : ["US", "JP", "VN"].map((country) => `again/${name}/${country}.parquet`);
      const files: string[] = [];
      for (const path of all) if ((await readParquet(at(path))).length > 0) files.push(at(path));
      const result = await into("import", name, ...files, "--on-bad", "keep");
      expect([result.stderr, result.code]).toEqual(["", 0]);
    };
    await imported("instruments");
    if (kind === "bars") await imported("splits");
    if (kind !== "instruments") await imported(kind);
    const { code, stderr } = await into("export", at(`out-${kind}`), "--kinds", kind);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const own = ["source", "total_return_factor"];
    for (const path of filesBelow(at(`out-${kind}`)).filter((name) => name.endsWith(".parquet"))) {
      const without = (rows: Record<string, unknown>[]) =>
        rows.map((row) =>
          Object.fromEntries(Object.entries(row).filter(([name]) => !own.includes(name))),
        );
      expect(without(await readParquet(at(`out-${kind}/${path}`)))).toEqual(
        without(await readParquet(at(`again/${path}`))),
      );
    }
  });

  test.each(["csv", "jsonl"])("of %s is imported like one of Parquet", async (format) => {
    await exportTo(`as-${format}`, "--format", format);
    const target = at(`import-${format}`);
    for (const kind of ["instruments", "splits", "dividends", "statements", "macro", "bars"]) {
      const path = at(`as-${format}/${kind === "instruments" ? kind : `${kind}/US`}.${format}`);
      const { code, stdout, stderr } = await runAt(
        clock,
        { BOURSE_DATA: target, BOURSE_MARKET: "live" },
        "import",
        kind,
        path,
        "--on-bad",
        "keep",
      );
      expect([code, stderr]).toEqual([0, ""]);
      // Each file has columns that follow from others.
      expect(stdout).toContain("Columns that were not read: ");
    }
    await runAt(clock, { BOURSE_DATA: target }, "export", at(`from-${format}`), "--kinds", "bars");
    const without = (rows: Record<string, unknown>[]) =>
      rows.map((row) => ({ ...row, total_return_factor: null }));
    expect(without(await readParquet(at(`from-${format}/bars/US.parquet`)))).toEqual(
      without(await readParquet(at("all/bars/US.parquet"))),
    );
  });

  test("of a country is imported with --set too, as files of older versions need it", async () => {
    const target = at("import-set");
    const into = (...argv: string[]) =>
      runAt(clock, { BOURSE_DATA: target, BOURSE_MARKET: "live" }, ...argv);
    await exportTo("set", "--kinds", "instruments,bars", "--format", "csv");
    await into("import", "instruments", at("set/instruments.csv"));
    const [, ...rows] = readFileSync(at("set/bars/VN.csv"), "utf8").trimEnd().split("\n");
    const header = "symbol,date,open,high,low,close,volume,split_factor,total_return_factor";
    const older = rows.map((row) => row.replace(/^VN,/, ""));
    writeFileSync(at("set/older.csv"), `${[header, ...older].join("\n")}\n`);
    for (const file of ["set/bars/VN.csv", "set/older.csv"]) {
      const set = ["--set", "country=VN", "--on-bad", "keep"];
      const result = await into("import", "bars", at(file), ...set);
      expect([result.stderr, result.code]).toEqual(["", 0]);
    }
    expectFailure(
      await into("import", "bars", at("set/bars/VN.csv"), "--set", "country=US"),
      "VN.csv, line 2: country is in the record and in --set, with different values: here 'VN'",
      "leave it out of --set",
    );
  });
});

describe("files of several countries, read as one by `bars/*.parquet`", () => {
  test("have the country as their first column, in every kind", async () => {
    await exportTo("all");
    for (const path of filesBelow(at("all")).filter((name) => name.endsWith(".parquet"))) {
      const rows = await readParquet(at(`all/${path}`));
      const [, country] = /\/(..)\.parquet$/.exec(path) ?? [];
      for (const row of rows) {
        expect(Object.keys(row)[0]).toBe("country");
        if (country !== undefined) expect(row["country"]).toBe(country);
      }
    }
  });
});
