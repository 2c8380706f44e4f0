import { describe, expect, test } from "bun:test";
import { WorkbookError } from "#lib/workbook-error.ts";
import { readXls } from "#lib/xls.ts";
import { hasRecordings, recordedBytes } from "../support/recordings.ts";
import { record, workbookOf } from "../support/workbook.ts";

const JPX = "jpx/data_j.xls";

const read = (bytes: Uint8Array) => {
  try {
    return readXls(bytes);
  } catch (error) {
    if (error instanceof WorkbookError) return error.message;
    throw error;
  }
};

describe("readXls", () => {
  test("returns the cells of the first sheet by row and column, empty cells as null", () => {
    const rows = [["日付", "Code", 1.5], [null, "a", -7], [], [20_260_131]];
    expect(readXls(workbookOf(rows))).toEqual(rows);
  });

  test.each([0, 1, 2, 3, 5, 7, 11, 13, 20, 24, 27, 28])(
    "joins a text that continues in the next record after %d bytes",
    (splitAt) => {
      const rows = [["ab", "日付コ", "xyz"], ["市場・商品区分"]];
      expect(readXls(workbookOf(rows, { splitAt }))).toEqual(rows);
    },
  );

  // [MS-XLS] 2.5.217: 30 bits, whole (bit 1) or the upper half of a double, hundredths (bit 0).
  test.each([
    ["a whole number", (123 << 2) | 2, 123],
    ["a whole number of hundredths", (12_345 << 2) | 3, 123.45],
    ["a negative one", (-5 << 2) | 2, -5],
    // 1.5 is 0x3FF80000_00000000.
    ["half a double", 0x3ff80000, 1.5],
    ["half a double of hundredths", 0x3ff80001, 0.015],
  ])("reads a number of 30 bits: %s", (_, bits, value) => {
    const bytes = [bits & 255, (bits >> 8) & 255, (bits >> 16) & 255, (bits >> 24) & 255];
    const single = record(0x27e, [0, 0, 0, 0, 0, 0, ...bytes]);
    const several = record(0xbd, [1, 0, 0, 0, 0, 0, ...bytes, 0, 0, ...bytes, 1, 0]);
    expect(readXls(workbookOf([], { cells: [single, several] }))).toEqual([
      [value],
      [value, value],
    ]);
  });

  test.each([
    ["no workbook", new TextEncoder().encode("<html></html>"), "no Excel workbook"],
    ["nothing", new Uint8Array(), "no Excel workbook"],
    ["its first bytes alone", workbookOf([["a"]]).slice(0, 8), "damaged"],
    ["a locked one", workbookOf([], { globals: [record(0x2f, [0, 0])] }), "password"],
    ["formulas", workbookOf([], { cells: [record(0x06, [0, 0])] }), "formulas"],
    [
      "a text that is not there",
      workbookOf([], { cells: [record(0xfd, [0, 0, 0, 0, 0, 0, 9, 0, 0, 0])] }),
      "damaged",
    ],
    [
      "a column far out",
      workbookOf([], { cells: [record(0x203, [0, 0, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])] }),
      "damaged",
    ],
  ])("refuses %s", (_, bytes, words) => {
    expect(read(bytes)).toContain(words);
  });

  test("refuses a circular chain of sectors", () => {
    const bytes = workbookOf([["a"]]);
    // The second sector of the stream (number 3) points back to the first (number 2).
    new DataView(bytes.buffer).setUint32(512 + 3 * 4, 2, true);
    expect(read(bytes)).toContain("damaged");
  });

  test("returns rows or a WorkbookError for a file with a changed byte or a missing end", () => {
    const whole = workbookOf([
      ["日付", "Code"],
      [20_260_131, 1.5],
    ]);
    for (let i = 0; i < 3_000; i++) {
      const bytes = whole.slice();
      bytes[i] = (bytes[i] ?? 0) ^ 0xff;
      read(bytes);
      if (i % 10 === 0) expect(read(whole.slice(0, i + 512))).toBeString();
    }
  });
});

// npm xlsx 0.18.5 reads the same 4,271 rows.
describe.skipIf(!hasRecordings)("readXls of JPX's list", () => {
  test("reads every row", () => {
    const rows = readXls(recordedBytes(JPX));
    expect(rows).toHaveLength(4_271);
    expect(rows[1]).toEqual([
      20_230_428,
      1301,
      "極洋",
      "プライム（内国株式）",
      50,
      "水産・農林業",
      1,
      "食品 ",
      7,
      "TOPIX Small 2",
    ]);
    expect(rows.at(-1)?.slice(1, 3)).toEqual([9997, "ベルーナ"]);
  });

  test("refuses a copy with converted line ends, such as a published one", () => {
    const bytes = recordedBytes(JPX);
    const damaged = Uint8Array.from(
      [...bytes].flatMap((byte) => (byte === 10 ? [13, 10] : [byte])),
    );
    expect(read(damaged)).toContain("damaged");
  });
});
