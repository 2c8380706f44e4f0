import { describe, expect, test } from "bun:test";
import { formatMoment, formatTable } from "#lib/table.ts";

describe("table", () => {
  test("columns are aligned under their headings, numbers to the right", () => {
    const text = formatTable(
      ["USER", "LIVE TOKENS", "PLAN"],
      [
        ["anna", 5, "pro"],
        ["bartholomew", 12, "max"],
      ],
    );
    expect(text).toBe(
      [
        "USER         LIVE TOKENS  PLAN\n",
        "anna                   5  pro\n",
        "bartholomew           12  max\n",
      ].join(""),
    );
  });

  test("null is —, and lines have no trailing spaces", () => {
    expect(formatTable(["ID", "REVOKED"], [["a", null]])).toBe("ID  REVOKED\na   —\n");
    expect(formatTable(["ID", "LABEL"], [["a", ""]])).toBe("ID  LABEL\na\n");
  });

  test("a cell cannot control the terminal", () => {
    expect(formatTable(["LABEL"], [["a\u001b[2Jb\nc\u009b1m"]])).toBe("LABEL\na�[2Jb�c�1m\n");
  });

  test("a column of numbers with gaps is aligned to the right", () => {
    expect(
      formatTable(
        ["ID", "ROWS"],
        [
          ["a", 5],
          ["b", null],
        ],
      ),
    ).toBe("ID  ROWS\na      5\nb      —\n");
  });

  test("without rows the table has only headings", () => {
    expect(formatTable(["ID", "LABEL"], [])).toBe("ID  LABEL\n");
  });

  test("a moment is in UTC to the minute, and null for null", () => {
    expect(formatMoment(Date.UTC(2026, 10, 20, 5, 30, 59))).toBe("2026-11-20T05:30Z");
    expect(formatMoment(0)).toBe("1970-01-01T00:00Z");
    expect(formatMoment(null)).toBeNull();
  });
});
