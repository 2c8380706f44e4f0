import { crc32, deflateRawSync } from "node:zlib";

type Cell = string | number | null;

const CONTENT = "http://schemas.openxmlformats.org";

/** A workbook in Excel's format of 2007 with one sheet, written by hand after ECMA-376. */
export function xlsxOf(rows: readonly (readonly Cell[])[]): Uint8Array {
  const texts = [...new Set(rows.flat().filter((cell) => typeof cell === "string"))];
  const cellXml = (cell: Cell, row: number, column: number) => {
    if (cell === null) return "";
    const place = `${String.fromCharCode(65 + column)}${row + 1}`;
    return typeof cell === "string"
      ? `<c r="${place}" s="1" t="s"><v>${texts.indexOf(cell)}</v></c>`
      : `<c r="${place}"><v>${cell}</v></c>`;
  };
  const sheet = rows.map(
    (cells, row) =>
      `<row r="${row + 1}">${cells.map((cell, i) => cellXml(cell, row, i)).join("")}</row>`,
  );
  return xlsxOfParts({
    "xl/sharedStrings.xml": `<sst>${texts.map((text) => `<si><t>${escaped(text)}</t></si>`).join("")}</sst>`,
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${sheet.join("")}</sheetData></worksheet>`,
  });
}

/** A workbook of these parts, with those that name its one sheet unless they are given. */
export function xlsxOfParts(parts: Readonly<Record<string, string>>): Uint8Array {
  const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n';
  const all = {
    "xl/workbook.xml": `<workbook xmlns:r="${CONTENT}/officeDocument/2006/relationships"><sheets><sheet name="A &gt; B" sheetId="1" r:id="rId7"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Target="styles.xml"/><Relationship Id="rId7" Target="worksheets/sheet1.xml"/></Relationships>`,
    ...parts,
  };
  return zipOf(
    Object.entries(all).map(([name, xml]) => [name, new TextEncoder().encode(declaration + xml)]),
  );
}

/** A ZIP file (PKWARE APPNOTE) of deflated parts; `change` may damage its directory, or write it as ZIP64. */
export function zipOf(
  parts: readonly (readonly [name: string, content: Uint8Array])[],
  change: { method?: number; flags?: number; isWide?: true } = {},
): Uint8Array {
  const { method = 8, flags = 0, isWide = false } = change;
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of parts) {
    const data = method === 0 ? Buffer.from(content) : deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, Buffer.from(name), data]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const madeBy = Buffer.from([20, 0]);
    const entry = Buffer.from(common);
    if (isWide) {
      entry.fill(0xff, 14, 22);
      entry.writeUInt16LE(32, 24);
      place.fill(0xff, 10);
    }
    // A time stamp (0x5455) can come before the field of ZIP64.
    const extra = isWide
      ? [fields(2, 0x54_55, 0), fields(2, 1, 24), fields(8, content.length, data.length, offset)]
      : [];
    const parts = [
      Buffer.from("PK\u0001\u0002"),
      madeBy,
      entry,
      place,
      Buffer.from(name),
      ...extra,
    ];
    directory.push(Buffer.concat(parts));
    files.push(local);
    offset += local.length;
  }
  const size = directory.reduce((sum, one) => sum + one.length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(parts.length, 4);
  end.writeUInt16LE(parts.length, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  const wide: Buffer[] = [];
  if (isWide) {
    end.fill(0xff, 4, 16);
    const sums = [parts.length, parts.length, size, offset];
    wide.push(Buffer.from("PK\u0006\u0006"), fields(8, 44), fields(4, 0, 0, 0), fields(8, ...sums));
    wide.push(Buffer.from("PK\u0006\u0007"), fields(4, 0), fields(8, offset + size), fields(4, 1));
  }
  return Buffer.concat([...files, ...directory, ...wide, Buffer.from("PK\u0005\u0006"), end]);
}

/** Numbers in so many bytes each, the lowest byte first. */
function fields(bytes: 2 | 4 | 8, ...numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(bytes * numbers.length);
  for (const [i, number] of numbers.entries())
    buffer.writeUIntLE(number, i * bytes, Math.min(bytes, 6));
  return buffer;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
