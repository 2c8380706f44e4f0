import { describe, expect, test } from "bun:test";
import { isWorkbook, readWorkbook } from "#lib/workbook.ts";
import { WorkbookError } from "#lib/workbook-error.ts";
import { workbookOf } from "../support/workbook.ts";
import { xlsxOf, xlsxOfParts, zipOf } from "../support/xlsx.ts";

const SHEET = "xl/worksheets/sheet1.xml";
const STRINGS = "xl/sharedStrings.xml";

function read(bytes: Uint8Array) {
  try {
    return readWorkbook(bytes);
  } catch (error) {
    if (error instanceof WorkbookError) return error.message;
    throw error;
  }
}
const readSheet = (rows: string, strings = "<sst/>") =>
  read(
    xlsxOfParts({
      [SHEET]: `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
      [STRINGS]: strings,
    }),
  );

describe("a workbook of Excel 2007 and later", () => {
  test("has the cells of its first sheet by row and column, empty cells as null, like an .xls workbook", () => {
    const rows = [["日付", "R&D <Code>", 1.5], [null, "a", -7], [], [20_260_131]];
    expect(read(xlsxOf(rows))).toEqual(rows);
    expect(read(workbookOf(rows))).toEqual(rows);
    expect(isWorkbook(xlsxOf(rows)) && isWorkbook(workbookOf(rows))).toBe(true);
    expect(isWorkbook(new TextEncoder().encode("PK,1"))).toBe(false);
  });

  // Apache POI and .NET write them for small files too; Python's zipfile reads this one.
  test("can have its sizes and positions in the fields of ZIP64", () => {
    const sheet = '<worksheet><sheetData><row r="1"><c><v>5</v></c></row></sheetData></worksheet>';
    const rels = `<Relationships><Relationship Id="rId7" Target="worksheets/sheet1.xml"/></Relationships>`;
    const parts = Object.entries({
      "xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet name="A" r:id="rId7"/></sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": rels,
      [SHEET]: sheet,
    }).map(([name, xml]) => [name, new TextEncoder().encode(xml)] as const);
    expect(read(zipOf(parts))).toEqual([[5]]);
    const wide = zipOf(parts, { isWide: true });
    expect(read(wide)).toEqual([[5]]);
    for (let length = 1; length < 200; length++)
      expect(read(wide.slice(0, -length))).toStartWith("it is damaged");
  });

  test("can omit rows, cells and the references of cells", () => {
    expect(
      readSheet('<row r="2"><c r="C2"><v>1</v></c></row><row><c><v>2</v></c><c><v>3</v></c></row>'),
    ).toEqual([[], [null, null, 1], [2, 3]]);
    expect(readSheet('<row r="1"><c r="AB1"><v>1</v></c></row>')).toEqual([
      [...Array.from({ length: 27 }, () => null), 1],
    ]);
  });

  test("has formatted texts without their pronunciation, and inline texts", () => {
    const strings =
      '<sst><si><r><t>トヨ</t></r><r><t xml:space="preserve">タ </t></r><rPh sb="0"><t>トヨタ</t></rPh></si><si><t/></si><si/></sst>';
    expect(
      readSheet(
        '<row r="1"><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c><c t="inlineStr"><is><r><t>a</t></r><r><t>&#x9053;</t></r></is></c><c t="str"><f>A1&amp;"x"</f><v>yx</v></c></row>',
        strings,
      ),
    ).toEqual([["トヨタ ", "", "", "a道", "yx"]]);
  });

  test("has the stored results of formulas, and null for error values", () => {
    expect(
      readSheet(
        '<row r="1"><c><f>1+1</f><v>2</v></c><c t="e"><v>#N/A</v></c><c t="b"><v>1</v></c></row>',
      ),
    ).toEqual([[2, null, 1]]);
  });

  test("can have prefixed names, comments and CDATA", () => {
    const sheet =
      '<x:worksheet xmlns:x="y"><!-- <c> --><x:row r="1"><x:c t="str"><x:v>a<![CDATA[<b>]]></x:v></x:c></x:row></x:worksheet>';
    expect(read(xlsxOfParts({ [SHEET]: sheet }))).toEqual([["a<b>"]]);
  });

  test.each([
    ["nothing after its first bytes", new Uint8Array([0x50, 0x4b, 3, 4]), "damaged or cut off"],
    ["a cut file", xlsxOf([["a"]]).slice(0, -40), "damaged or cut off"],
    ["another ZIP file", zipOf([["a.txt", new Uint8Array(3)]]), "no Excel workbook"],
    ["no sheet", xlsxOfParts({ "xl/workbook.xml": "<workbook/>" }), "no worksheet"],
    ["a password", zipOf([["xl/workbook.xml", new Uint8Array(3)]], { flags: 1 }), "password"],
    [
      "another compression",
      zipOf([["xl/workbook.xml", new Uint8Array(3)]], { method: 12 }),
      "unknown way",
    ],
    ["a cut sheet", xlsxOfParts({ [SHEET]: "<worksheet><row" }), "a tag is not closed"],
    [
      "a DOCTYPE",
      xlsxOfParts({ [SHEET]: "<!DOCTYPE x [<!ENTITY a 'b'>]><worksheet/>" }),
      "DOCTYPE",
    ],
  ])("is refused with %s", (_, bytes, words) => {
    expect(read(bytes)).toContain(words);
  });

  test.each([
    ["a text that is not there", '<row r="1"><c t="s"><v>0</v></c></row>', "damaged"],
    ["a text in a number cell", '<row r="1"><c><v>x</v></c></row>', "damaged"],
    ["rows out of order", '<row r="2"/><row r="1"/>', "damaged"],
    ["a row far below", '<row r="200001"/>', "more than 200000 rows"],
    [
      "a column far to the right",
      '<row r="1"><c r="ZZZ1"><v>1</v></c></row>',
      "more than 256 columns",
    ],
  ])("is refused with %s", (_, rows, words) => {
    expect(readSheet(rows)).toContain(words);
  });

  test("is refused if a part is larger than 16 MB, without allocating it", () => {
    const bomb = new Uint8Array(65 * 1024 * 1024);
    expect(read(zipOf([["xl/workbook.xml", bomb]]))).toContain("larger than 16 MB");
  });
});

describe("a workbook that is small as a file and large in memory", () => {
  const row = (number: number, column: string) =>
    `<row r="${number}"><c r="${column}${number}"><v>1</v></c></row>`;
  const rows = (count: number, column: string) =>
    Array.from({ length: count }, (_, i) => row(i + 1, column)).join("");

  test("is refused if its rows have more than a million cells, empty ones included", () => {
    // Column IV is the 256th: 3,906 rows have 999,936 cells, one more has 1,000,192.
    expect(readSheet(rows(3_906, "IV"))).toHaveLength(3_906);
    expect(readSheet(rows(3_907, "IV"))).toContain("more than 1,000,000 cells");
    expect(readSheet(rows(1, "IW"))).toContain("more than 256 columns");
  });

  test("is refused if a text is longer than Excel's cells", () => {
    const strings = (text: string) => `<sst><si><t>${text}</t></si></sst>`;
    const sheet = '<row r="1"><c t="s"><v>0</v></c></row>';
    expect(readSheet(sheet, strings("a".repeat(32_767)))).toEqual([["a".repeat(32_767)]]);
    for (const text of ["a".repeat(262_137), `<![CDATA[${"a".repeat(262_137)}]]>`])
      expect(readSheet(sheet, strings(text))).toContain("a text that is too long");
  });

  test("is refused if its cells have more than 32 million characters, which one text can be", () => {
    const strings = `<sst><si><t>${"a".repeat(32_767)}</t></si></sst>`;
    const cells = (count: number) =>
      Array.from({ length: count }, (_, i) => `<row r="${i + 1}"><c t="s"><v>0</v></c></row>`).join(
        "",
      );
    // 976 × 32,767 = 31,980,592, and one more is 32,013,359.
    expect(readSheet(cells(976), strings)).toHaveLength(976);
    expect(readSheet(cells(977), strings)).toContain("more than 32,000,000 characters");
  });
});
