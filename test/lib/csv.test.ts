import { expect, test } from "bun:test";
import fc from "fast-check";
import { CsvError, csvRows } from "#lib/csv.ts";

const cellsOf = (text: string) => [...csvRows(text)].map((row) => row.cells);
const linesOf = (text: string) => [...csvRows(text)].map((row) => row.line);

function errorOf(text: string): CsvError {
  try {
    cellsOf(text);
  } catch (error) {
    if (error instanceof CsvError) return error;
  }
  throw new Error("the text was accepted");
}

test("a comma separates cells, and empty cells are kept", () => {
  expect(cellsOf("a,b,c\n,1,\n")).toEqual([
    ["a", "b", "c"],
    ["", "1", ""],
  ]);
});

test("CRLF, LF, CR and the end of the text all end a line", () => {
  const rows = [["a", "b"], ["c", "d"], ["e"]];
  expect(cellsOf("a,b\r\nc,d\r\ne")).toEqual(rows);
  expect(cellsOf("a,b\nc,d\ne\n")).toEqual(rows);
  expect(cellsOf("a,b\rc,d\re\r")).toEqual(rows);
  expect(cellsOf("a,b\rc,d\r\ne\n")).toEqual(rows);
});

test("a quoted cell can contain commas, line breaks and doubled quotes", () => {
  expect(cellsOf('"1,234.5","say ""hi""","two\r\nlines"\n"",plain,""""')).toEqual([
    ["1,234.5", 'say "hi"', "two\r\nlines"],
    ["", "plain", '"'],
  ]);
});

test("a quote inside an unquoted cell is an ordinary character", () => {
  expect(cellsOf('5" pipe,a"b"\n')).toEqual([['5" pipe', 'a"b"']]);
});

test("a comma at the end of the text adds an empty cell", () => {
  expect(cellsOf('"a",')).toEqual([["a", ""]]);
  expect(cellsOf("a,")).toEqual([["a", ""]]);
});

test("a byte order mark does not belong to the first cell, quoted or not", () => {
  expect(cellsOf('\uFEFF"Date",x')).toEqual([["Date", "x"]]);
  expect(cellsOf("\uFEFFDate,x")).toEqual([["Date", "x"]]);
});

test("a text without content has no rows", () => {
  expect(cellsOf("")).toEqual([]);
  expect(cellsOf("\uFEFF")).toEqual([]);
  expect(cellsOf("\r\n \n\n\t\r")).toEqual([]);
});

test("blank lines are skipped but counted", () => {
  expect(linesOf("a\n\n  \nb\r\n\r\nc")).toEqual([1, 4, 6]);
});

test("a row has the number of the line on which it begins, also if it contains line breaks", () => {
  expect(linesOf('a\n"x\ny\r\nz",1\n"p\rq"\nb')).toEqual([1, 2, 5, 7]);
});

test("a quote that is never closed is refused with the line of the quote", () => {
  expect(errorOf('a,b\n1,2\n3,"4\n5,6\n')).toMatchObject({
    line: 3,
    message: "a quote is never closed",
  });
  expect(errorOf('"x\ny","z').line).toBe(2);
});

test("text after a closing quote is refused with its line", () => {
  expect(errorOf('a,b\n"1"2,3\n')).toMatchObject({
    line: 2,
    message: "text follows a closing quote",
  });
});

test("rows come one at a time: rows before a bad line are read", () => {
  const rows = csvRows('a,b\n"1');
  expect(rows.next().value).toEqual({ line: 1, cells: ["a", "b"] });
  expect(() => rows.next()).toThrow(CsvError);
});

const encoded = (cell: string) =>
  /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

test("any rows written by RFC 4180 are read back", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", "1", " ", ",", '"', "\r", "\n", "é") });
  // Blank lines are skipped, so the first cell of each row has a letter.
  const row = fc.tuple(cell, fc.array(cell)).map(([first, rest]) => [`x${first}`, ...rest]);
  const lineBreak = fc.constantFrom("\r\n", "\n", "\r");
  fc.assert(
    fc.property(fc.array(row), lineBreak, fc.boolean(), (rows, end, isEnded) => {
      const text = rows.map((cells) => cells.map(encoded).join(",")).join(end);
      expect(cellsOf(isEnded ? text + end : text)).toEqual(rows);
    }),
  );
});

test("a text in pieces has the same rows and lines as the whole text, for any cut", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", ",", '"', '""', "\r", "\n", "é", "x,", "\r\n"),
  });
  const outcome = (source: string | string[]) => {
    try {
      return [...csvRows(source)];
    } catch (error) {
      return error instanceof CsvError ? [error.line, error.message] : error;
    }
  };
  fc.assert(
    fc.property(text, fc.array(fc.nat(20)), (whole, cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
      const pieces = places.map((from, i) => whole.slice(from, places[i + 1]));
      expect(outcome(pieces)).toEqual(outcome(whole));
    }),
    { numRuns: 2_000 },
  );
});

test("only one piece and one row of a text are in memory", () => {
  const seen: [number, number][] = [];
  const pieces = ["a,b\n1,", "2\n3,4\r", "\n5,6\n"];
  const rows = csvRows(pieces, {
    inspect: (text, line) => seen.push([text.length, line]),
  });
  expect([...rows].map(({ line }) => line)).toEqual([1, 2, 3, 4]);
  // Each piece follows the unread rest of the previous one: "1,", then "3,4\r".
  expect(seen).toEqual([
    [6, 1],
    [8, 2],
    [9, 3],
  ]);
});

test("a quote that is never closed is refused long before the end of an endless text", () => {
  let pieces = 0;
  const endless = function* () {
    yield 'a,b\n1,"';
    for (; pieces < 100; pieces++) yield "x".repeat(100_000);
  };
  const rows = csvRows(endless());
  rows.next();
  expect(() => rows.next()).toThrow("the row has more than 1,048,576 characters");
  expect(pieces).toBeLessThan(12);
});

test("with another delimiter, a comma is an ordinary character", () => {
  for (const delimiter of [";", "\t", "|"]) {
    const text = ["a", '"x,y"', "1,5"].join(delimiter);
    expect([...csvRows(text, { delimiter })][0]?.cells).toEqual(["a", "x,y", "1,5"]);
  }
});

test("a text with a row of more than a million characters is refused before the row is split", () => {
  const long = "1,".repeat(600_000);
  for (const row of [long, `"a",${long}`]) {
    expect(errorOf(`a,b\n${row}\n`)).toMatchObject({
      line: 2,
      message: "the row has more than 1,048,576 characters: is a quote never closed?",
    });
  }
});

test("a row of more cells than a spreadsheet has columns is refused, quoted or not", () => {
  // 16,383 commas separate 16,384 cells.
  const widest = ",".repeat(16_383);
  expect([...csvRows(widest)]).toEqual([{ line: 1, cells: Array(16_384).fill("") }]);
  for (const row of [`${widest},`, `"a",${widest}`, `${widest},"a"`])
    expect(() => [...csvRows(`a\n${row}\n`)]).toThrow(
      expect.objectContaining({ line: 2, message: "the row has more than 16,384 columns" }),
    );
});
