import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ColumnSource, parquetWriteBuffer } from "hyparquet-writer";
import { isSession } from "#analytics/sessions.ts";
import { addDays } from "#lib/date.ts";
import { sampleStamp } from "#sample/releases.ts";
import { SAMPLE } from "#sample/stamp.ts";
import { expectFailure, runAt, runOn } from "../../support/cli.ts";
import { openImports } from "../../support/imports.ts";
import { hasRecordings, recordedPath } from "../../support/recordings.ts";
import { START } from "../../support/service.ts";

const priceFile = (name: string) => recordedPath(`prices/${name}`);
const { folder, importBars, inMarket, fileOf, stored } = openImports();

const STOOQ = "Date,Open,High,Low,Close,Volume\n";

describe("import bars", () => {
  test("replaces the sample's bars by the bars of a file", async () => {
    const before = stored("US", "MSFT");
    expect(before.source).toBe("sample");
    const path = fileOf(
      "msft.csv",
      `${STOOQ}2026-01-05,10,12,9,11,500\n2026-01-06,11,13,10,12,600\n`,
    );
    expect(await importBars("US", "MSFT", path)).toEqual({
      code: 0,
      stdout: `Imported 2 bars of MSFT (US), 2026-01-05 to 2026-01-06, as stooq, in place of ${before.bars.length.toLocaleString("en-US")}.\n`,
      stderr: "",
    });
    const after = stored("US", "MSFT");
    expect(after.source).toBe("import");
    expect(after.bars).toEqual([
      { date: "2026-01-05", open: 10, high: 12, low: 9, close: 11, volume: 500 },
      { date: "2026-01-06", open: 11, high: 13, low: 10, close: 12, volume: 600 },
    ]);
    expect(after.instrument).toEqual(before.instrument);
  });

  test("reads several files as one history, and reports as JSON", async () => {
    const newer = fileOf("b.csv", `${STOOQ}2026-01-06,11,13,10,12,600\n`);
    const older = fileOf("a.csv", "Date,Close,High,Low,Open,Volume\n2026-01-05,11,12,9,10,500\n");
    const { code, stdout } = await importBars("US", "NVDA", newer, older, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      kind: "bars",
      records: 1,
      rows: 2,
      divided: 0,
      country: "US",
      symbol: "NVDA",
      bars: 2,
      first: "2026-01-05",
      last: "2026-01-06",
      leftOut: 0,
      otherSymbols: 0,
      replaced: expect.any(Number),
      total: 2,
      isDryRun: false,
      append: false,
      isDivided: false,
      unread: [],
      skipped: [],
      widened: [],
      files: [
        { path: newer, shape: "stooq", rows: 1, bars: 1 },
        { path: older, shape: "yfinance", rows: 1, bars: 1 },
      ],
    });
    expect(stored("US", "NVDA").bars.map(({ close }) => close)).toEqual([11, 12]);
  });

  test("imports all of its files or none, and names the bad line", async () => {
    const before = stored("US", "GOOGL");
    const good = fileOf("good.csv", `${STOOQ}2026-01-05,10,12,9,11,500\n`);
    const bad = fileOf(
      "bad.csv",
      `${STOOQ}2026-01-06,11,13,10,12,600\n2026-01-07,11,13,10,zwölf,600\n`,
    );
    expectFailure(await importBars("US", "GOOGL", good, bad), "bad.csv, line 3", "close");
    expect(stored("US", "GOOGL")).toEqual(before);
  });

  test("refuses a date that is in two files", async () => {
    const before = stored("US", "GOOGL");
    const a = fileOf("a.csv", `${STOOQ}2026-01-05,10,12,9,11,500\n`);
    const b = fileOf("b.csv", `${STOOQ}2026-01-05,10,12,9,11,500\n`);
    const words = "b.csv: date 2026-01-05 appears here and in a.csv\n";
    expectFailure(await importBars("US", "GOOGL", a, b), words);
    expect(stored("US", "GOOGL")).toEqual(before);
  });

  test("refuses a date after today", async () => {
    // The commands run on 2026-11-20.
    const path = fileOf("future.csv", `${STOOQ}2026-11-23,10,12,9,11,500\n`);
    expectFailure(await importBars("US", "GOOGL", path), "line 2", "2026-11-23");
  });

  test("of an unknown symbol names the closest symbol and requires --name", async () => {
    const path = fileOf("x.csv", `${STOOQ}2026-01-05,10,12,9,11,500\n`);
    expectFailure(
      await importBars("US", "GOOGLE", path),
      "GOOGLE is not known in US",
      "GOOGL",
      "--name",
    );
    expectFailure(
      await importBars("US", "ZZZZZZZZ", path),
      "ZZZZZZZZ is not known in US",
      "--name",
    );
    expectFailure(await importBars("US", "ZZZZZZZZ", path, "--name", " "), "--name");
    expect(stored("US", "ZZZZZZZZ").instrument).toBeNull();
  });

  test("with --name creates the instrument, as a stock or with the type of --type", async () => {
    const path = fileOf("x.csv", `${STOOQ}2026-01-05,10,12,9,11,500\n`);
    expect((await importBars("JP", "zz1", path, "--name", "Zeta One")).code).toBe(0);
    expect(stored("JP", "ZZ1")).toMatchObject({
      instrument: { name: "Zeta One", assetType: "stock", currency: "JPY", source: "import" },
      bars: [{ date: "2026-01-05", close: 11 }],
      source: "import",
    });
    await importBars("US", "ZZ2", path, "--name", "Zeta Two", "--type", "etf");
    expect(stored("US", "ZZ2").instrument?.assetType).toBe("etf");
    expectFailure(
      await importBars("US", "ZZ3", path, "--name", "Zeta Three", "--type", "fund"),
      "--type must be one of",
      "fund",
    );
    expect(stored("US", "ZZ3").instrument).toBeNull();
  });

  test("creates no instrument if its file is refused", async () => {
    const path = fileOf("bad.csv", `${STOOQ}2026-01-05,10,12,9,none,500\n`);
    expectFailure(await importBars("US", "ZZ4", path, "--name", "Zeta Four"), "line 2");
    expect(stored("US", "ZZ4").instrument).toBeNull();
  });

  test.each([
    ["no country", ["--symbol", "AAPL"], "--country must be one of US, JP, VN; it is missing"],
    ["a wrong country", ["--country", "us", "--symbol", "AAPL"], "US, JP, VN, not us"],
    ["no symbol", ["--country", "US"], "--symbol must be"],
    ["a wrong symbol", ["--country", "US", "--symbol", "A B"], "--symbol must be"],
    ["a long symbol", ["--country", "US", "--symbol", "A".repeat(21)], "--symbol must be"],
  ])("with %s fails in one sentence", async (_, flags, words) => {
    expectFailure(await runOn(folder.path, "import", "bars", "x.csv", ...flags), words);
  });

  test("of another table fails in one sentence that names the file", async () => {
    const before = stored("US", "GOOGL");
    const path = fileOf("other.csv", "id,name\n1,anna\n");
    expectFailure(await importBars("US", "GOOGL", path), "other.csv");
    expect(stored("US", "GOOGL")).toEqual(before);
  });

  test("of a folder fails in one sentence that names it", async () => {
    expectFailure(await importBars("US", "GOOGL", folder.path), `${folder.path} cannot be read`);
  });
});

describe.skipIf(!hasRecordings)("import bars of real files", () => {
  test("FPT_vci.csv, in thousand VND, is stored in VND", async () => {
    // The closes are adjusted for cash dividends, which is a question.
    const flags = ["--json", "--splits", "none"];
    const { stdout, stderr } = await importBars("VN", "FPT", priceFile("FPT_vci.csv"), ...flags);
    expect(stderr).toBe("");
    // Its 1,213 rows begin with a close of 47.36 and end with one of 70.8.
    const [first, last] = ["2021-08-16", "2026-08-07"];
    const report = { bars: 1_213, first, last, files: [{ shape: "vnstock" }] };
    expect(JSON.parse(stdout)).toMatchObject(report);
    const { closes, source } = stored("VN", "FPT");
    expect([closes.length, closes[0], closes.at(-1), source]).toEqual([
      1_213,
      `${first} 47360`,
      `${last} 70800`,
      "import",
    ]);
  });

  test("closes that are adjusted for cash dividends are refused, and nothing changes", async () => {
    const before = stored("VN", "FPT");
    expectFailure(
      await importBars("VN", "FPT", priceFile("FPT_vci.csv")),
      "FPT, 2025-12-31: close 94500, but 95800 was traded, so the prices are adjusted for cash dividends: import prices that are adjusted for splits only, or give --splits none if all prices are right",
    );
    expect(stored("VN", "FPT")).toEqual(before);
  });

  test("FPT_investing.csv replaces an earlier import completely", async () => {
    const { code } = await importBars("VN", "FPT", priceFile("FPT_investing.csv"));
    expect(code).toBe(0);
    const { bars } = stored("VN", "FPT");
    // Its first data row is the newest: "31/12/2025","95,800.0",…
    expect(bars.at(-1)).toMatchObject({ date: "2025-12-31", close: 95_800 });
    expect(bars[0]?.date).toBe("2018-12-28");
  });
});

describe("a bar of a day that is not over", () => {
  /** Makes the sample market one of that time, so that no command generates it again. */
  const markSample = (now: string | number) =>
    inMarket((market) => market.setSetting(SAMPLE, sampleStamp(new Date(now).getTime())));
  afterAll(() => markSample(START));

  /** The dates of three bars that a command at that time stores, and its report. */
  async function at(now: string, country: string, symbol: string, ...dates: string[]) {
    const rows = dates.map((date, i) => `${date},10,11,9,${10 + i / 10},1000\n`);
    const path = fileOf("days.csv", STOOQ + rows.join(""));
    const flags = ["--country", country, "--symbol", symbol];
    const env = { BOURSE_DATA: folder.path };
    markSample(now);
    const result = await runAt(() => Date.parse(now), env, "import", "bars", path, ...flags);
    expect([result.code, result.stderr]).toEqual([0, ""]);
    const { bars } = stored(country as "US", symbol);
    return [bars.map(({ date }) => date.slice(5)), result.stdout] as const;
  }
  const DAYS = ["2026-11-23", "2026-11-24", "2026-11-25"];

  test("is left out with a note", async () => {
    const [dates, report] = await at("2026-11-25T16:00Z", "US", "ORCL", ...DAYS);
    expect(dates).toEqual(["11-23", "11-24"]);
    expect(report).toContain(
      "1 row was skipped:\n  ORCL, 2026-11-25: the day is not over, so its prices are not final; import it again later\n",
    );
  });

  test("of a coin is left out until the day ends in UTC, when it is still the 25th in New York", async () => {
    const days = [...DAYS, "2026-11-26"];
    expect((await at("2026-11-26T00:00Z", "US", "BTC-USD", ...days))[0]).toEqual(
      DAYS.map((day) => day.slice(5)),
    );
  });

  test("of a currency is left out, also after 17:00 in New York, when its next day begins", async () => {
    const stamps = ["2026-11-23T22:00:00Z", "2026-11-24T22:00:00Z", "2026-11-25T22:00:00Z"];
    const [dates, report] = await at("2026-11-25T23:00Z", "US", "EURUSD=X", ...stamps);
    expect(dates).toEqual(["11-24"]);
    expect(report).toContain("EURUSD=X, 2026-11-26: the day is not over");
  });

  test("is left out of a file of many instruments, and does not empty a history", async () => {
    const before = stored("US", "IBM").bars.length;
    const rows = ["US,IBM,2026-11-25", "JP,6758,2026-11-25"].map((row) => `${row},1,1,1,1,5\n`);
    const path = fileOf(
      "many.csv",
      `country,symbol,date,open,high,low,close,volume\n${rows.join("")}`,
    );
    markSample("2026-11-25T16:00Z");
    const now = () => Date.parse("2026-11-25T16:00Z");
    const { stdout } = await runAt(now, { BOURSE_DATA: folder.path }, "import", "bars", path);
    expect(stdout).toContain("IBM, 2026-11-25: the day is not over");
    expect(stored("US", "IBM").bars).toHaveLength(before);
    expect(stored("JP", "6758").bars.map(({ date }) => date)).toEqual(["2026-11-25"]);
  });
});

describe("a bar on a holiday", () => {
  const rowsOf = (...dates: string[]) => dates.map((date) => `${date},10,11,9,10,1000\n`).join("");
  // 8 January 2024 was Coming of Age Day.
  const path = () =>
    fileOf("holiday.csv", STOOQ + rowsOf("2024-01-05", "2024-01-08", "2024-01-09"));

  test("is a question, which flags answer", async () => {
    expectFailure(
      await importBars("JP", "9432", path()),
      "9432, 2024-01-08: there is a bar, but JP exchanges were closed on that holiday: check the dates (the header may name their zone, as in Date (UTC)), or give --on-bad skip to leave such bars out, or --on-bad keep if they are right",
    );
    const dates = () => stored("JP", "9432").bars.map(({ date }) => date.slice(8));
    expect((await importBars("JP", "9432", path(), "--on-bad", "skip")).code).toBe(0);
    expect(dates()).toEqual(["05", "09"]);
    expect((await importBars("JP", "9432", path(), "--on-bad", "keep")).code).toBe(0);
    expect(dates()).toEqual(["05", "08", "09"]);
  });

  test("is no question for a coin, before the first known holidays, or if a decree opened the exchange", async () => {
    expect((await importBars("JP", "BTC-JPY", path())).code).toBe(0);
    const old = fileOf("old.csv", STOOQ + rowsOf("1985-01-15", "1985-01-16"));
    expect((await importBars("JP", "9432", old)).code).toBe(0);
    const decree = fileOf("decree.csv", "country,date,name,closed\nJP,2024-01-08,Open,false\n");
    await runOn(folder.path, "import", "holidays", decree);
    expect((await importBars("JP", "9432", path())).code).toBe(0);
    // Through the store: the command would generate the whole sample market again.
    inMarket(({ imported }) => imported.remove(imported.list("holidayOverrides")));
  });

  test("is kept if a tool made up a few in a long history", async () => {
    const days = Array.from({ length: 1_000 }, (_, i) => addDays("2020-01-06", i));
    const sessions = days.filter((date) => isSession("JP", date));
    const one = fileOf("one.csv", STOOQ + rowsOf(...sessions, "2024-01-08"));
    expect((await importBars("JP", "9432", one)).code).toBe(0);
    const two = fileOf("two.csv", STOOQ + rowsOf(...sessions, "2024-01-08", "2024-02-12"));
    expectFailure(await importBars("JP", "9432", two), "9432, 2024-01-08", "(and 1 other day)");
  });
});

describe("a jump in imported bars", () => {
  /** Thirty sessions in 2019 at about 100 with a million shares a day, then one close with a volume. */
  const withJump = (close: number, volume: number, header = STOOQ, rest = "") => {
    const days = Array.from({ length: 60 }, (_, i) => new Date(Date.UTC(2019, 0, 2 + i)));
    const dates = days
      .map((day) => day.toISOString().slice(0, 10))
      .filter((date) => isSession("US", date))
      .slice(0, 31);
    const rows = dates.map((date, i) => {
      const price = i === 30 ? close : 100 + (i % 2);
      return `${date},${price},${price},${price},${price},${i === 30 ? volume : 1_000_000}`;
    });
    return { date: dates[30] ?? "", text: `${header}${rows.join(`${rest}\n`)}` };
  };

  test("that looks like a split is a question, which flags answer", async () => {
    const { date, text } = withJump(20, 5_000_000);
    const path = fileOf("jump.csv", `${text}\n`);
    const before = stored("US", "ORCL").bars.length;
    expectFailure(
      await importBars("US", "ORCL", path),
      `ORCL, ${date}: close 20 after 101, like a split that is not known: give --splits DATE=NEW:OLD if it is a split that the bars before it lack, --splits none if all prices are right, or --on-bad skip to leave such bars out`,
    );
    expect(stored("US", "ORCL").bars).toHaveLength(before);
    const imported = async (...flags: string[]) => {
      const { stdout } = await importBars("US", "ORCL", path, ...flags);
      return [
        stdout,
        stored("US", "ORCL")
          .bars.slice(-2)
          .map((bar) => bar.close),
      ] as const;
    };
    expect((await imported("--splits", "none"))[1]).toEqual([101, 20]);
    expect((await imported("--on-bad", "keep"))[1]).toEqual([101, 20]);
    const [report, closes] = await imported("--splits", `${date}=5:1`);
    expect(closes).toEqual([101 / 5, 20]);
    expect(report).toContain("Bars before a split were divided by it.");
    const [skipped, rest] = await imported("--on-bad", "skip");
    expect(rest).toEqual([100, 101]);
    expect(skipped).toContain("1 row was skipped");
  });

  test("with forty times the volume is no question", async () => {
    const path = fileOf("crash.csv", `${withJump(20, 40_000_000).text}\n`);
    expect((await importBars("US", "ORCL", path)).code).toBe(0);
  });

  test("is asked about in files of many instruments too", async () => {
    const { date, text } = withJump(20, 5_000_000, "");
    const rows = text.split("\n").map((row) => `US,ORCL,${row}`);
    const path = fileOf(
      "many.csv",
      `country,symbol,date,open,high,low,close,volume\n${rows.join("\n")}\n`,
    );
    expectFailure(
      await runOn(folder.path, "import", "bars", path),
      "like a split that is not known: give --splits",
    );
    const imported = (splits: string) =>
      runOn(folder.path, "import", "bars", path, "--splits", splits);
    expect((await imported("none")).code).toBe(0);
    expect((await imported(`${date}=5:1`)).stdout).toContain("divided by it");
  });

  test.if(hasRecordings)("is divided by the column of splits: Shin-Etsu in 2023", async () => {
    const of = (name: string) => recordedPath(`real-2/prices/4063-T-1d-bad-stock-split${name}.csv`);
    const closes = async (path: string) => {
      const { stdout } = await importBars("JP", "7203", path);
      return [stdout.includes("divided"), stored("JP", "7203").bars] as const;
    };
    const [isDivided, bars] = await closes(of(""));
    expect([isDivided, bars]).toEqual([true, (await closes(of("-fixed")))[1]]);
  });
});

describe("a Parquet file", () => {
  const days = ["2024-01-04T00:00Z", "2024-01-05T00:00Z"].map((day) => new Date(day));
  const prices = (...names: string[]) =>
    names.map((name, i) => ({ name, data: [100 + i, 101 + i], type: "DOUBLE" as const }));
  const ohlc = prices("Low", "Open", "Close", "High");
  const parquetOf = (name: string, columnData: ColumnSource[]) => {
    const path = join(folder.path, name);
    writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData })));
    return path;
  };
  const expected = [
    { date: "2024-01-04", open: 101, high: 103, low: 100, close: 102, volume: 500 },
    { date: "2024-01-05", open: 102, high: 104, low: 101, close: 103, volume: 600 },
  ];
  const volume: ColumnSource = { name: "Volume", data: [500n, 600n], type: "INT64" };

  test("of one instrument is read like a CSV file, its instants in the country's time", async () => {
    // As yfinance and pandas write Tokyo's days: midnight there, in UTC.
    const tokyo = days.map((day) => new Date(day.getTime() - 9 * 3_600_000));
    for (const data of [days, tokyo]) {
      const path = parquetOf("jp.parquet", [
        ...ohlc,
        volume,
        { name: "Date", data, type: "TIMESTAMP" },
      ]);
      const { stderr, code } = await importBars("JP", "7203", path);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stored("JP", "7203").bars).toEqual(expected);
    }
  });

  test("of many instruments is read with a country and a symbol in each row", async () => {
    const path = parquetOf("many.parquet", [
      { name: "country", data: ["JP", "JP"], type: "STRING" },
      { name: "symbol", data: ["6758", "6758"], type: "STRING" },
      { name: "date", data: days, type: "TIMESTAMP" },
      ...ohlc,
      volume,
    ]);
    const { stderr, code } = await runOn(folder.path, "import", "bars", path);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stored("JP", "6758").bars).toEqual(expected);
  });

  test("needs a temporary file, and says so if there is no place for it", async () => {
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = join(folder.path, "nowhere");
    try {
      expectFailure(
        await importBars("JP", "7203", parquetOf("big.parquet", ohlc)),
        "The rows of big.parquet cannot be written to a temporary file",
        "nowhere (ENOENT)",
        "set TMPDIR to a folder with that much space",
      );
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    }
  });

  test("that is damaged or comes from a pipe is refused with a sentence", async () => {
    expectFailure(
      await importBars("JP", "7203", fileOf("bad.parquet", "PAR1 and nothing else PAR1")),
      "bad.parquet: the Parquet file cannot be read, it is damaged",
    );
  });
});
