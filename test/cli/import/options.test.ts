import { describe, expect, test } from "bun:test";
import { claimMarket } from "#ingest/ingest.ts";
import { openMarket } from "#store/index.ts";
import { openFolder } from "../../support/access.ts";
import { expectFailure, runOn } from "../../support/cli.ts";
import { openImports } from "../../support/imports.ts";
import { copySampleMarket } from "../../support/service.ts";

const { run, importBars, fileOf, inMarket, stored } = openImports();

const STOOQ = "Date,Open,High,Low,Close,Volume\n";
const BARS = "country,symbol,date,open,high,low,close,volume\n";
// Monday to Wednesday, 5 to 7 January 2026.
const [MON, TUE, WED] = ["2026-01-05", "2026-01-06", "2026-01-07"];
const bar = (date: string | undefined, close: number) =>
  `${date},${close},${close},${close},${close},5\n`;

describe("--append", () => {
  test("adds and updates days of one instrument and keeps the others", async () => {
    await importBars("US", "MSFT", fileOf("a.csv", STOOQ + bar(MON, 10) + bar(TUE, 11)));
    const next = fileOf("b.csv", STOOQ + bar(TUE, 12) + bar(WED, 13));
    const result = await importBars("US", "MSFT", "--append", next);
    expect(result).toEqual({
      code: 0,
      stdout:
        "Imported 2 bars of MSFT (US), 2026-01-06 to 2026-01-07, as stooq, 1 of them new; it has 3 bars.\n",
      stderr: "",
    });
    expect(stored("US", "MSFT")).toMatchObject({
      source: "import",
      closes: [`${MON} 10`, `${TUE} 12`, `${WED} 13`],
    });
  });

  test("of bars of many instruments too, and duplicates in the files are still refused", async () => {
    await run("bars", fileOf("a.csv", `${BARS}US,GOOGL,${bar(MON, 10)}`));
    const path = fileOf("b.csv", `${BARS}US,GOOGL,${bar(TUE, 11)}US,GOOGL,${bar(MON, 9)}`);
    expect((await run("bars", "--append", path)).code).toBe(0);
    expect(stored("US", "GOOGL").closes).toEqual([`${MON} 9`, `${TUE} 11`]);
    const twice = fileOf("c.csv", `${BARS}US,GOOGL,${bar(WED, 1)}US,GOOGL,${bar(WED, 2)}`);
    expectFailure(await run("bars", "--append", twice), "c.csv, line 3", "c.csv, line 2");
    expect(stored("US", "GOOGL").closes).toEqual([`${MON} 9`, `${TUE} 11`]);
  });

  test("never mixes with generated bars", async () => {
    const before = stored("US", "CSCO");
    expect(before.source).toBe("sample");
    const one = fileOf("a.csv", STOOQ + bar(MON, 10));
    expectFailure(await importBars("US", "CSCO", "--append", one), "generated", "without --append");
    const many = fileOf("b.csv", `${BARS}US,CSCO,${bar(MON, 10)}`);
    expectFailure(await run("bars", "--append", many), "CSCO (US) are generated");
    expect(stored("US", "CSCO")).toEqual(before);
  });

  test("keeps the other payments, observations and quarters", async () => {
    const dividends = "country,symbol,exDate,amount\n";
    const macro = "country,category,id,name,unit,decimals,period,value\n";
    const series = "VN,consumer,mine,Mine,%,1";
    await run("dividends", fileOf("a.csv", `${dividends}US,MSFT,2025-02-20,0.83\n`));
    await run("dividends", "--append", fileOf("b.csv", `${dividends}US,MSFT,2025-05-15,0.84\n`));
    await run("macro", fileOf("c.csv", `${macro}${series},2026-01,1\n${series},2026-02,2\n`));
    await run("macro", "--append", fileOf("d.csv", `${macro}${series},2026-02,3\n`));
    inMarket((market) => {
      expect(market.documents.find("dividends", "US", "MSFT")?.dividends).toEqual([
        { exDate: "2025-02-20", amount: 0.83 },
        { exDate: "2025-05-15", amount: 0.84 },
      ]);
      expect(market.documents.find("macroSeries", "VN", "mine")?.observations).toEqual([
        { period: "2026-01", value: 1 },
        { period: "2026-02", value: 3 },
      ]);
    });
  });
});

test("splits are appended, listed and removed, and a ratio of 1 is refused", async () => {
  const header = "country,symbol,exDate,numerator,denominator\n";
  await run("splits", fileOf("a.csv", `${header}US,MSFT,1987-09-21,2,1\nUS,MSFT,2003-02-18,2,1\n`));
  await run("splits", "--append", fileOf("b.csv", `${header}US,MSFT,2030-01-02,21,20\n`));
  const splitsOf = () => inMarket((market) => market.documents.find("splits", "US", "MSFT"));
  expect(splitsOf()).toMatchObject({
    source: "import",
    splits: [
      { exDate: "1987-09-21", numerator: 2, denominator: 1 },
      { exDate: "2003-02-18", numerator: 2, denominator: 1 },
      { exDate: "2030-01-02", numerator: 21, denominator: 20 },
    ],
  });
  const listed = inMarket((market) => market.imported.list("splits"));
  expect(listed).toMatchObject([
    { key: "MSFT", records: 3, first: "1987-09-21", last: "2030-01-02" },
  ]);
  const same = fileOf("c.csv", `${header}US,MSFT,2025-05-15,2,2\n`);
  expectFailure(await run("splits", same), "c.csv, line 2", "numerator and denominator are equal");
  const large = fileOf("d.csv", `${header}US,MSFT,2025-05-15,1,50000\n`);
  expectFailure(await run("splits", large), "d.csv, line 2", "ratio 1:50000, below 1:20000");
  inMarket((market) => market.imported.remove(listed));
  expect(splitsOf()?.source).not.toBe("import");
});

describe("--dry-run", () => {
  test.each([
    [
      "bars of one instrument",
      ["bars", "--country", "US", "--symbol", "CSCO"],
      STOOQ + bar(MON, 10),
    ],
    ["bars of many", ["bars"], `${BARS}US,CSCO,${bar(MON, 10)}`],
    ["dividends", ["dividends"], "country,symbol,exDate,amount\nUS,CSCO,2025-02-20,0.83\n"],
    [
      "an instrument that it would create",
      ["bars", "--country", "US", "--symbol", "ZZ9", "--name", "Z"],
      STOOQ + bar(MON, 10),
    ],
  ])("of %s prints the result and stores nothing", async (_, argv, text) => {
    const { imported, bars } = state();
    const result = await run(...argv, "--dry-run", fileOf("x.csv", text));
    expect(result.code).toBe(0);
    expect(result.stdout).toStartWith("Dry run, nothing is stored: would import 1 ");
    expect(state()).toEqual({ imported, bars });
    expect(
      inMarket((market) => market.instruments.find({ country: "US", symbol: "ZZ9" })),
    ).toBeNull();
  });

  const state = () =>
    inMarket((market) => ({ imported: market.imported.list(null), bars: stored("US", "CSCO") }));
});

describe("--unit", () => {
  /** A stored close of a source, with which files are compared. */
  const known = (close: number) =>
    inMarket((market) => {
      const price = { open: close, high: close, low: close, close, volume: 1 };
      const history = {
        country: "VN",
        symbol: "VNM",
        bars: [{ date: MON ?? "", ...price }],
      } as const;
      market.transaction(() =>
        market.bars.replace(
          { ...history, bars: [...history.bars] },
          { source: "yahoo", storedAt: 1 },
        ),
      );
    });
  const file = (close: number) => fileOf("vnm.csv", STOOQ + bar(TUE, close));

  test.each([
    [68, "a thousandth of", "--unit 1000"],
    [680, "a hundredth of", "--unit 100"],
    [6_800_000, "a hundred times", "--unit 0.01"],
    [68_000_000, "a thousand times", "--unit 0.001"],
  ])("is required if the close is %d and the known close is 68,000", async (close, words, flag) => {
    known(68_000);
    expectFailure(
      await importBars("VN", "VNM", file(close)),
      words,
      flag,
      "--unit 1 if they are in VND",
    );
    expect(stored("VN", "VNM").source).toBe("yahoo");
    expect((await importBars("VN", "VNM", file(close), ...flag.split(" "))).code).toBe(0);
    expect(stored("VN", "VNM").closes).toEqual([`${TUE} 68000`]);
  });

  test("is not required after a ten-to-one split or after a price that fell by half", async () => {
    for (const close of [6_800, 34_000]) {
      known(68_000);
      expect((await importBars("VN", "VNM", file(close))).code).toBe(0);
    }
  });

  test("1 keeps the prices unchanged; other texts are refused", async () => {
    known(68_000);
    expect((await importBars("VN", "VNM", file(68), "--unit", "1")).code).toBe(0);
    expect(stored("VN", "VNM").closes).toEqual([`${TUE} 68`]);
    known(68_000);
    await importBars("VN", "VNM", file(68), "--unit", "thousand");
    expect(stored("VN", "VNM").closes).toEqual([`${TUE} 68000`]);
    expectFailure(
      await importBars("VN", "VNM", file(68), "--unit", "dong"),
      "--unit must be a number",
    );
  });
});

describe("--on-bad", () => {
  // Saturday, 10 January 2026; a high below the close.
  const text = `${STOOQ}${bar(MON, 10)}2026-01-06,10,11,9,11.5,5\n2026-01-10,10,12,9,11,5\n`;

  test("refuses all by default", async () => {
    const before = stored("US", "NVDA");
    const path = fileOf("x.csv", text);
    expectFailure(
      await importBars("US", "NVDA", path),
      "x.csv, line 3: high 11 is below close 11.5",
    );
    expectFailure(
      await importBars("US", "NVDA", "--on-bad", "widen", path),
      "x.csv, line 4",
      "Saturday",
    );
    expectFailure(
      await importBars("US", "NVDA", "--on-bad", "drop", path),
      "--on-bad must be one of",
    );
    expect(stored("US", "NVDA")).toEqual(before);
  });

  test("skip leaves wrong rows out and lists them", async () => {
    const path = fileOf("x.csv", text);
    const { code, stdout } = await importBars("US", "NVDA", "--on-bad", "skip", path);
    expect(code).toBe(0);
    expect(stdout).toContain(
      "2 rows were skipped:\n  x.csv, line 3: high 11 is below close 11.5\n",
    );
    expect(stdout).toContain(
      "  x.csv, line 4: 2026-01-10 is a Saturday, when US exchanges are closed",
    );
    expect(stored("US", "NVDA").closes).toEqual([`${MON} 10`]);
  });

  test("skip empties no history if every row is wrong", async () => {
    const before = stored("US", "NVDA");
    const path = fileOf("x.csv", `${STOOQ}2026-01-10,10,12,9,11,5\n`);
    expectFailure(
      await importBars("US", "NVDA", "--on-bad", "skip", path),
      "No bar of NVDA is left, so nothing is stored; x.csv, line 2: 2026-01-10 is a Saturday",
    );
    expect(stored("US", "NVDA")).toEqual(before);
  });

  test("skip lists the rows of a JSON file as records", async () => {
    const rows = [
      { date: MON, open: 10, high: 11, low: 9, close: 10 },
      { date: "2026-01-06", open: 10, high: 11, low: 9, close: 11.5 },
    ];
    const path = fileOf("x.json", JSON.stringify(rows));
    const { stdout } = await importBars("US", "NVDA", "--on-bad", "skip", path);
    expect(stdout).toContain("x.json, record 2: high 11 is below close 11.5\n");
  });

  test("widen moves high and low to include open and close, and lists the rows", async () => {
    const path = fileOf("x.csv", text.split("\n").slice(0, 3).join("\n"));
    const { stdout } = await importBars("US", "NVDA", "--on-bad", "widen", path);
    expect(stdout).toContain(
      "1 row had a range that misses open or close and was widened:\n  x.csv, line 3: high 11 is below close 11.5\n",
    );
    expect(stored("US", "NVDA").closes).toEqual([`${MON} 10`, `${TUE} 11.5`]);
  });

  test("works on bars of many instruments, and skip on every kind", async () => {
    const rows = text
      .split("\n")
      .slice(1, 4)
      .map((row) => `US,NVDA,${row}\n`);
    const many = fileOf("x.csv", BARS + rows.join(""));
    expectFailure(await run("bars", many), "x.csv, line 3");
    const saturday = fileOf("y.csv", BARS + (rows[2] ?? ""));
    expectFailure(await run("bars", saturday), "y.csv, line 2", "Saturday");
    const { stdout } = await run("bars", "--on-bad", "skip", "--json", many);
    const { skipped, records } = JSON.parse(stdout);
    expect([records, skipped.map(({ place }: { place: string }) => place)]).toEqual([
      1,
      ["x.csv, line 3", "x.csv, line 4"],
    ]);
    const pe = fileOf("pe.csv", "country,month,pe\nVN,2001-01,11\nVN,2001-02,none\n");
    expect((await run("index-pe", "--on-bad", "skip", pe)).stdout).toContain(
      "1 row was skipped:\n  pe.csv, line 3: pe must be",
    );
  });

  test("an imported decree opens the exchange on a Saturday", async () => {
    const decree = fileOf("h.csv", "country,date,name,closed\nVN,2026-01-10,Make-up day,false\n");
    await run("holidays", decree);
    const path = fileOf("x.csv", `${STOOQ}2026-01-10,10,12,9,11,5\n`);
    expect((await importBars("VN", "FPT", "--unit", "1", path)).code).toBe(0);
  });
});

describe("--columns", () => {
  test("names the columns of an unknown format; wrong names are refused", async () => {
    const path = fileOf("x.csv", `Tag;Fixing\n${MON};10\n${TUE};11\n`);
    expectFailure(
      await importBars("US", "NVDA", path),
      "name the columns with --columns date=NAME",
    );
    expect((await importBars("US", "NVDA", "--columns", "date=Tag,close=Fixing", path)).code).toBe(
      0,
    );
    expect(stored("US", "NVDA").closes).toEqual([`${MON} 10`, `${TUE} 11`]);
    expectFailure(
      await importBars("US", "NVDA", "--columns", "date=Tag,close=Kurs", path),
      "has no column 'Kurs'",
    );
    expectFailure(
      await importBars("US", "NVDA", "--columns", "day=Tag", path),
      "--columns must be pairs",
    );
  });
});

describe("import list and import remove", () => {
  // `test/ingest/sample-loads.ts` removes them: the sample's own records are back.
  test("list the imported data, and remove nothing in a dry run", async () => {
    using fresh = openFolder();
    copySampleMarket(fresh.path);
    const on = (...argv: string[]) => runOn(fresh.path, "import", ...argv);
    expect((await on("list")).stdout).toBe("Nothing was imported.\n");
    const path = fileOf("a.csv", STOOQ + bar(MON, 250) + bar(TUE, 251));
    await on("bars", "--country", "US", "--symbol", "AAPL", path);
    await on("index-pe", fileOf("pe.csv", "country,month,pe\nUS,2026-01,99\n"));
    const imported = expect.any(String);
    const listed = [
      { kind: "bars", country: "US", key: "AAPL", records: 2, first: MON, last: TUE, imported },
      {
        kind: "index-pe",
        country: "US",
        key: "2026-01",
        records: 1,
        first: "2026-01",
        last: "2026-01",
        imported,
      },
    ];
    expect(JSON.parse((await on("list", "--json")).stdout)).toEqual(listed);
    expect(JSON.parse((await on("list", "bars", "--json")).stdout)).toHaveLength(1);
    expect((await on("list")).stdout).toContain("KIND      COUNTRY  KEY");

    expect((await on("remove", "bars", "aapl", "--dry-run")).stdout).toStartWith("Dry run");
    expect(JSON.parse((await on("list", "--json")).stdout)).toEqual(listed);
  });

  test("an instrument can be removed after its imported bars, and its statements too", async () => {
    using fresh = openFolder();
    const market = openMarket(fresh.path);
    // After a removal, a sample market would be generated again.
    claimMarket(market, "live");
    const on = (...argv: string[]) => runOn(fresh.path, "import", ...argv);
    const path = fileOf("x.csv", STOOQ + bar(MON, 10));
    const symbol = ["--country", "US", "--symbol", "ZZ7", "--name", "Zeta"];
    await on("bars", ...symbol, path);
    expectFailure(
      await on("remove", "instruments", "ZZ7"),
      "ZZ7 has imported bars",
      "import remove bars ZZ7",
    );
    await on("remove", "bars", "ZZ7");
    const years = "country,symbol,span,fiscalYear,fiscalQuarter,periodEnd,filedOn,currency,revenue";
    const reports = `US,ZZ7,year,2001,4,2001-09-29,2001-12-21,USD,5363\nUS,ZZ7,year,2002,4,2002-09-28,2002-12-19,USD,5742\n`;
    await on("statements", fileOf("reports.csv", `${years}\n${reports}`));
    expect((await on("remove", "statements", "ZZ7")).stdout).toStartWith("Removed 2 statements.");
    expect((await on("remove", "instruments", "ZZ7")).stdout).toStartWith("Removed 1 instrument.");
    expect(market.instruments.find({ country: "US", symbol: "ZZ7" })).toBeNull();
    market.close();
  });

  test.each(["2001-01", "--all"])("in a live market, the kind is due again: %s", async (month) => {
    using fresh = openFolder();
    const key = { kind: "indexPe", country: "VN", symbol: null } as const;
    const market = openMarket(fresh.path);
    market.setSetting("origin", "live");
    market.fetches.recordSuccess("vietcap", key, 5, 1);
    market.put("indexPe", [{ country: "VN", month: "2001-01", pe: 9 }], {
      source: "import",
      storedAt: 5,
    });
    market.close();
    const { stdout } = await runOn(fresh.path, "import", "remove", "index-pe", month);
    expect(stdout).toBe(
      "Removed 1 month of index P/E. The sources fill them again at the next refresh.\n",
    );
    const after = openMarket(fresh.path);
    expect(after.fetches.findLastSuccess("vietcap", key)).toBeNull();
    expect(after.documents.list("indexPe", "VN")).toEqual([]);
    after.close();
  });

  test.each([
    [["remove"], "It takes KIND [KEY…]"],
    [["remove", "bars"], "Give keys or --all"],
    [["remove", "bars", "X", "--all"], "Give keys or --all"],
    [["remove", "bar", "X"], "(is it bars?)"],
    [["remove", "bars", "NOTHERE"], "No imported bar history has the key NOTHERE"],
    [["list", "nonsense"], "KIND must be one of"],
  ] as const)("%j fails in one sentence", async (argv, words) => {
    expectFailure(await run(...argv), words);
  });
});

describe("hostile files", () => {
  test("an endless device is refused after its first bytes", async () => {
    expectFailure(
      await importBars("US", "NVDA", "/dev/zero"),
      "zero, line 1: the file is not text",
    );
    expectFailure(await run("macro", "/dev/zero"), "zero, line 1: the file is not text");
  });

  test("a line of 64 MiB is refused early, in CSV and in JSON", async () => {
    const long = Buffer.alloc(64 * 1_048_576, "1,");
    const header = Buffer.from(BARS);
    const csv = fileOf("long.csv", Buffer.concat([header, long]));
    expectFailure(await run("bars", csv), "long.csv, line 2: the row has more than 1,048,576");
    const one = fileOf("one.csv", Buffer.concat([Buffer.from(STOOQ), long]));
    expectFailure(
      await importBars("US", "NVDA", one),
      "one.csv, line 2: the row has more than 1,048,576",
    );
    const json = fileOf("long.json", Buffer.concat([Buffer.from('{"a":['), long]));
    expectFailure(await run("bars", json), "long.json, line 1: the line has more than 16,777,216");
  }, 600_000);

  test("JSON that is nested too deeply is refused", async () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    const words = "nested more than 32 levels deep";
    expectFailure(await run("macro", fileOf("a.json", deep)), "a.json, record 1", words);
    expectFailure(await run("macro", fileOf("b.json", `{"a":${deep}}`)), "b.json, line 1", words);
    expectFailure(await importBars("US", "NVDA", fileOf("c.json", deep)), "c.json", words);
  });

  test("file names are printed without escape sequences and marks of direction", async () => {
    const path = fileOf("a\u001B[31mb\u202Ec.csv", "nonsense\n");
    const { stderr } = await importBars("US", "NVDA", path);
    expect(stderr).toStartWith("a [31mb c.csv, line 1: ");
    const absent = await importBars("US", "NVDA", "/nowhere/\u001B[2Jx");
    expect(absent.stderr).toBe("/nowhere/ [2Jx cannot be read: there is no such file.\n");
  });

  test("imported names lose markup, zero-width marks and marks of direction", async () => {
    const header = "country,symbol,name,assetType,currency,primaryListing,indexMember\n";
    const row = "US,ZZ8,Ze\u200Bta \u202Eevil\u202C  <b>Corp</b>,etf,USD,true,false\n";
    await run("instruments", fileOf("i.csv", header + row));
    expect(
      inMarket((market) => market.instruments.find({ country: "US", symbol: "ZZ8" }))?.name,
    ).toBe("Ze ta evil Corp");
    const path = fileOf("x.csv", STOOQ + bar(MON, 10));
    await importBars("US", "ZZ6", path, "--name", "Ome\u200Bga\u202E");
    expect(
      inMarket((market) => market.instruments.find({ country: "US", symbol: "ZZ6" }))?.name,
    ).toBe("Ome ga");
  });
});

test("a template that a German Excel saved is read: semicolons, decimal commas, windows-1252", async () => {
  const macro =
    "country;category;id;name;unit;decimals;period;value\r\nVN;consumer;mine2;Umsätze;%;1;2026-01;1,5\r\nVN;consumer;mine2;Umsätze;%;1;2026-02;-0,25\r\n";
  const bytes = Uint8Array.from(macro, (character) => character.charCodeAt(0));
  expect((await run("macro", fileOf("m.csv", bytes))).code).toBe(0);
  const series = inMarket((market) => market.documents.find("macroSeries", "VN", "mine2"));
  expect(series?.name).toBe("Umsätze");
  expect(series?.observations.map(({ value }) => value)).toEqual([1.5, -0.25]);
});
