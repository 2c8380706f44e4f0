import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type ColumnSource, parquetWriteBuffer } from "hyparquet-writer";
import { hasBarColumns } from "#imports/bar-columns.ts";
import { PlainBarReader, plainNumber, PlainRunReader } from "#imports/plain-bars.ts";
import { parseBarFiles } from "#imports/records-file.ts";
import { openParquetTable, parquetToCsv } from "#lib/parquet.ts";

describe("plain numbers", () => {
  test("are what Number reads, to the last bit", () => {
    const digits = fc.stringMatching(/^\d{1,14}$/);
    fc.assert(
      fc.property(digits, fc.nat(14), (text, at) => {
        const number = at < text.length ? `${text.slice(0, at)}.${text.slice(at)}` : text;
        expect(plainNumber(number)).toBe(Number(number));
      }),
      { numRuns: 5_000 },
    );
  });

  test.each(["", " 1", ...". 1.2.3 -1 +1 1e5 0x1F 1,5 Infinity 1234567890123456".split(" ")])(
    "%j is none",
    (text) => {
      expect(plainNumber(text)).toBeNaN();
    },
  );
});

describe("rows of bars", () => {
  const header = new Map(
    ["country", "symbol", "date", "open", "high", "low", "close", "volume"].map((name, i) => [
      name,
      i,
    ]),
  );
  const reader = new PlainBarReader<string>(header, 8);
  const row = (text: string) => text.split(",");
  reader.learn(row("US,A,2026-01-05,1,1,1,1,1"), "A", "2026-01-05");

  test("of a known instrument and date are read", () => {
    expect(reader.read(row("US,A,2026-01-05,10,12.5,9,11,"))).toEqual({
      record: "A",
      entry: { date: "2026-01-05", open: 10, high: 12.5, low: 9, close: 11, volume: null },
    });
  });

  test.each([
    ["an unknown instrument", "US,B,2026-01-05,10,12,9,11,5"],
    ["another country", "JP,A,2026-01-05,10,12,9,11,5"],
    ["an unknown date", "US,A,2026-01-06,10,12,9,11,5"],
    ["a cell too many", "US,A,2026-01-05,10,12,9,11,5,"],
    ["a high below the close", "US,A,2026-01-05,10,10.5,9,11,5"],
    ["a low above the open", "US,A,2026-01-05,10,12,10.5,11,5"],
    ["no open", "US,A,2026-01-05,,12,9,11,5"],
    ["a price of 0", "US,A,2026-01-05,0,12,0,11,5"],
    ["a price above 1e12", "US,A,2026-01-05,10,1000000000001,9,11,5"],
    ["a volume above 1e15", "US,A,2026-01-05,10,12,9,11,9999999999999999"],
    ["a word", "US,A,2026-01-05,10,12,9,eleven,5"],
  ])("with %s are left to the general reader", (_, text) => {
    expect(reader.read(row(text))).toBeNull();
  });
});

describe("runs of rows", () => {
  const NAMES = ["close", "symbol", "note", "date", "open", "volume", "high", "low", "country"];
  const header = new Map(NAMES.map((name, i) => [name, i]));
  const plain = () => new PlainBarReader<string>(header, NAMES.length);
  const runs = (delimiter = ",") =>
    new PlainRunReader<string>(header, { width: NAMES.length, delimiter, within: "a.csv, line" });
  const known = "11,A,,2026-01-05,10,5,12,9,US";
  const learnt = [
    known,
    known.replace("A", "B"),
    known.replace("US", "JP"),
    known.replace("05", "06"),
  ];
  const read = <Reader extends { learn: PlainBarReader<string>["learn"] }>(
    reader: Reader,
  ): Reader => {
    for (const text of learnt) {
      const cells = text.split(",");
      reader.learn(cells, `${cells[8]} ${cells[1]}`, cells[3] ?? "");
    }
    return reader;
  };

  const number = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("9", "10", "10.5", "11", "12") },
    fc.constantFrom(
      "",
      ".5",
      "5.",
      ".",
      "1.2.3",
      "-1",
      " 9",
      "1e3",
      "1000000000001",
      "0",
      "1234567890123456",
    ),
  );
  const cells = fc.tuple(
    number,
    fc.constantFrom("A", "A", "A", "B", "AB", ""),
    fc.constantFrom("", "", "x", "7"),
    fc.constantFrom("2026-01-05", "2026-01-05", "2026-01-06", "2026-01-07", "2026/01/05", ""),
    number,
    fc.constantFrom("", "5", "1.5", "x", "9999999999999999"),
    number,
    number,
    fc.constantFrom("US", "US", "US", "JP", "U", ""),
  );
  const line = fc
    .tuple(cells, fc.constantFrom(0, 0, 0, 0, 0, 1, -1))
    .map(([all, more]) => (more > 0 ? [...all, ""] : more < 0 ? all.slice(1) : all).join(","));

  test("have the rows that are read one by one, up to the first other row or instrument", () => {
    const texts = fc.tuple(
      fc.array(line, { minLength: 1, maxLength: 9 }),
      fc.constantFrom("\n", "\r\n"),
    );
    fc.assert(
      fc.property(texts, ([lines, lineBreak]) => {
        const one = read(plain());
        const rows = lines.map((text) => one.read(text.split(",")));
        const last = rows.findIndex(
          (row, i) => row === null || (row.record !== rows[i - 1]?.record && i > 0),
        );
        const expected = rows.slice(0, rows[0] === null ? 0 : last === -1 ? rows.length : last);
        const text = [...lines, "end"].join(lineBreak);
        const reader = read(runs());
        const taken = reader.take(text, 0, 7);
        const length = lines.slice(0, expected.length).join(lineBreak).length + lineBreak.length;
        expect(taken).toEqual(
          expected.length === 0 ? null : { lines: expected.length, end: length },
        );
        if (taken === null) return;
        const { run, record } = reader.taken;
        expect(record).toBe(expected[0]?.record ?? "");
        expect([run.firstNumber, run.count, run.within]).toEqual([
          7,
          expected.length,
          "a.csv, line",
        ]);
        const entries = expected.map((_, i) => ({
          date: String(run.dates[i]).replace(/^(....)(..)/, "$1-$2-"),
          open: run.open[i],
          high: run.high[i],
          low: run.low[i],
          close: run.close[i],
          volume: Number.isNaN(run.volume[i]) ? null : run.volume[i],
        }));
        expect(entries).toEqual(expected.map((row) => row?.entry) as typeof entries);
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    ["whose end may be in the next piece", known],
    ["whose line feed may be in the next piece", `${known}\r`],
    ["that is the last one of a piece", `${known}\n`],
    ["with a quote", `${known.replace(",,", ',"",')}\nend`],
  ])("leave a row %s to the general reader", (_, text) => {
    expect(read(runs()).take(text, 0, 1)).toBeNull();
  });

  test("are read with other delimiters", () => {
    const text = `${known.replaceAll(",", ";")}\nend`;
    expect(read(runs(";")).take(text, 0, 1)).toEqual({ end: text.length - 3, lines: 1 });
  });
});

describe("bars of a Parquet file", () => {
  const DAYS = ["2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08"];
  const USUAL = {
    country: "US",
    symbol: "A",
    open: 10,
    high: 12.5,
    low: 9.123456789012344,
    close: 11,
    volume: 5,
  };
  type Row = { [K in keyof typeof USUAL]: (typeof USUAL)[K] | null } & { readonly date: string };
  const rowsOf = (changes: readonly object[]): Row[] =>
    changes.flatMap((change) => DAYS.map((date) => ({ ...USUAL, date, ...change })));
  /** Three instruments, one of them in small letters, one without a volume, and rows in turn. */
  const GOOD = [
    ...rowsOf([{}, { symbol: "B" }, { symbol: "A", volume: null, date: "2026-01-09" }]),
    ...rowsOf([{ country: "JP", symbol: "7203" }, { symbol: "c" }]).sort((a, b) =>
      a.date < b.date ? -1 : 1,
    ),
  ];

  /** The file in each form that has columns: instants or texts as dates, numbers of 64 bits as volumes. */
  const filesOf = (rows: readonly Row[]): ArrayBuffer[] =>
    (["TIMESTAMP", "STRING"] as const).map((type) => {
      const column = (name: keyof Row, as: ColumnSource["type"] = "DOUBLE"): ColumnSource => {
        const values = rows.map((row) => row[name]);
        const data =
          name === "date" && type === "TIMESTAMP"
            ? values.map((one) => new Date(String(one)))
            : values;
        return { name, data, ...(as && { type: as }) };
      };
      const columnData = [
        column("date", type),
        column("country", "STRING"),
        column("symbol", "STRING"),
        ...(["open", "high", "low", "close", "volume"] as const).map((name) => column(name)),
      ];
      return parquetWriteBuffer({ columnData, rowGroupSize: 7 });
    });

  /** What an import reads, by columns and from CSV: bars, errors, and rows that were left out. */
  const readBoth = async (bytes: ArrayBuffer, onBad?: "skip") => {
    const file = {
      byteLength: bytes.byteLength,
      slice: (from: number, to?: number) => bytes.slice(from, to),
    };
    const table = await openParquetTable(file);
    expect(hasBarColumns(table)).toBe(true);
    const csv: Uint8Array[] = [];
    for await (const piece of parquetToCsv(file)) csv.push(new TextEncoder().encode(piece));
    return [{ pieces: [], table }, { pieces: csv }].map((source) => {
      const files = [{ name: "bars.parquet", ...source }];
      const { bars, read } = parseBarFiles(files, { today: "2026-01-31", ...(onBad && { onBad }) });
      const found: unknown[] = [];
      try {
        for (const { place, record, entry, run } of bars) {
          if (entry) found.push([place.number, record, entry]);
          for (let i = 0; run && i < run.count; i++) {
            const date = String(run.dates[i]).replace(/(\d{4})(..)/, "$1-$2-");
            const volume = Number.isNaN(run.volume[i]) ? null : run.volume[i];
            const [open, high, low, close] = [run.open[i], run.high[i], run.low[i], run.close[i]];
            found.push([run.firstNumber + i, record, { date, open, high, low, close, volume }]);
          }
        }
      } catch (error) {
        found.push(String(error));
      }
      return { found, read };
    });
  };

  test("equal the rows of its CSV, row by row", async () => {
    for (const bytes of filesOf(GOOD)) {
      const [columns, csv] = await readBoth(bytes);
      expect(columns?.found).toHaveLength(GOOD.length);
      expect(columns).toEqual(csv);
    }
  });

  test.each([
    ["no price", { close: null }],
    ["a price that is no number", { open: Number.NaN }],
    ["an endless price", { high: Number.POSITIVE_INFINITY }],
    ["a price of 0", { low: 0 }],
    ["a high below the close", { high: 10.5 }],
    ["a low above the open", { low: 10.5 }],
    ["a negative volume", { volume: -1 }],
    ["too large a volume", { volume: 2e15 }],
    ["an unknown country", { country: "ZZ" }],
    ["no symbol", { symbol: null }],
    ["a symbol of many letters", { symbol: "A".repeat(50) }],
    ["a day after today", { date: "2026-02-02" }],
    ["a date that no month has", { date: "2026-02-30" }],
  ])("with %s are refused as in its CSV", async (_, change) => {
    const rows = GOOD.map((row, i) => (i === 5 ? { ...row, ...change } : row));
    for (const bytes of filesOf(rows)) {
      const [columns, csv] = await readBoth(bytes);
      expect(columns?.found.at(-1)).toContain("bars.parquet, line 7: ");
      expect(columns).toEqual(csv);
      const [kept, keptOfCsv] = await readBoth(bytes, "skip");
      expect(kept).toEqual(keptOfCsv);
    }
  });

  test("with a zero character are no text", async () => {
    for (const bytes of filesOf(GOOD.map((row, i) => (i === 5 ? { ...row, symbol: "A\0" } : row))))
      for (const { found } of await readBoth(bytes, "skip"))
        expect(found.at(-1)).toContain("bars.parquet, line 7: the file is not text");
  });

  test("with other columns or types are read as CSV", async () => {
    const tableOf = (columnData: ColumnSource[]) => {
      const bytes = parquetWriteBuffer({ columnData });
      return openParquetTable({
        byteLength: bytes.byteLength,
        slice: (from, to) => bytes.slice(from, to),
      });
    };
    const texts = ["country", "symbol", "date"].map((name) => ({ name, data: ["1"] }));
    const figures = ["open", "high", "low", "close"].map((name) => ({ name, data: [1.5] }));
    expect(hasBarColumns(await tableOf([...texts, ...figures]))).toBe(true);
    for (const columns of [
      [...texts, ...figures.slice(1)],
      [...texts, ...figures, { name: "volume", data: ["5"] }],
      [...texts.slice(1), ...figures, { name: "country", data: [1.5] }],
      [...texts, ...figures, { name: "isWhole", data: [true] }],
    ])
      expect(hasBarColumns(await tableOf(columns))).toBe(false);
  });
});
