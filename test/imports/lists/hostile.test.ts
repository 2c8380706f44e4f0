import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { BourseError } from "#domain/errors.ts";
import { readListFile } from "#imports/lists/read.ts";
import { zip } from "#lib/zip-writer.ts";
import { readList, readShort } from "../../support/list-files.ts";
import { xlsxOf } from "../../support/xlsx.ts";

const utf16 = (text: string, isLittle: boolean): Uint8Array => {
  const bytes = new Uint8Array(2 * text.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), isLittle);
  return bytes;
};

const TABLE = "Symbol;Stück\r\nAAPL;1,5\r\nFPT;2\r\n";

describe("encodings and separators", () => {
  test.each<[string, string | Uint8Array]>([
    ["UTF-8", TABLE],
    ["UTF-8 with a mark", `\uFEFF${TABLE}`],
    ["UTF-16LE with a mark", utf16(`\uFEFF${TABLE}`, true)],
    ["UTF-16BE with a mark", utf16(`\uFEFF${TABLE}`, false)],
    ["UTF-16LE without a mark", utf16(TABLE, true)],
    ["windows-1252", Uint8Array.from(TABLE, (one) => one.charCodeAt(0))],
    ["LF", TABLE.replaceAll("\r", "")],
    ["CR", TABLE.replaceAll("\n", "")],
    ["tabs", TABLE.replaceAll(";", "\t")],
    ["bars", TABLE.replaceAll(";", "|")],
    ["quotes", TABLE.replaceAll(/[^;\r\n]+/g, '"$&"')],
    ["Excel's first line", `sep=;\r\n${TABLE}`],
    ["no line end", TABLE.trimEnd()],
  ])("%s", (_, content) => {
    expect(readShort(content).items).toEqual(["AAPL 1.5", "FPT 2"]);
  });
});

describe("what is refused, in one sentence with the file", () => {
  const bomb = `<!DOCTYPE client [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 20 }, (_, i) => `<!ENTITY a${i} "&a;&a;">`).join("")}]><client>&a9;</client>`;
  test.each<[string, string | Uint8Array, string]>([
    ["nothing", "", "names no instrument"],
    ["only blanks", " \n\n", "names no instrument"],
    ["a header alone", "Symbol,Shares\n", ""],
    ["an XML bomb", bomb, "DOCTYPE"],
    [
      "a file of the system as an entity",
      '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><client><name>&b;</name></client>',
      "DOCTYPE",
    ],
    ["XML of another program", "<portfolio><client/></portfolio>", "XML of another program"],
    ["a web page", "<!doctype html><html></html>", "web page"],
    ["cut-off XML", "<client><securities><security>", "cut off"],
    ["XML that closes another tag", "<client><securities></client></securities>", "closes no tag"],
    ["deep XML", `<client>${"<a>".repeat(100_000)}`, "nested too deeply"],
    ["a long text of XML", `<client><name>${"x".repeat(2_000_000)}</name></client>`, "too long"],
    ["deep JSON", "[".repeat(100_000), "nested more than 32 levels"],
    ["wide JSON", `[${"{},".repeat(300_000)}{}]`, "more than 200000 arrays and objects"],
    ["long JSON", `["${"x".repeat(5_000_000)}"]`, "4 MiB"],
    ["broken JSON", '{"activities": [', "not JSON"],
    ["JSON without instruments", '{"a": [{"b": 1}]}', "no list of the JSON names instruments"],
    ["binary", Uint8Array.from({ length: 4_000 }, (_, i) => (i * 7_919) % 251), "not text"],
    ["a workbook", xlsxOf([["Symbol"], ["AAPL"]]), "a workbook or a ZIP archive: save it as CSV"],
    ["a damaged archive", "PK\u0003\u0004\u0014", "a workbook or a ZIP archive"],
    [
      "a workbook of Excel 97",
      Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0),
      "a workbook",
    ],
    ["gzip", Uint8Array.of(0x1f, 0x8b, 8, 0, 1, 2, 3), "compressed"],
    ["invalid UTF-8", Uint8Array.of(0x41, 0xff, 0xfe, 0x00, 0x80), "not text"],
    ["a quote that is never closed", 'Symbol,Shares\n"AAPL,1\n', "never closed"],
    ["too many rows", `Symbol,Shares\n${"A,1\n".repeat(100_001)}`, "more than 100000 rows"],
    ["too large", new Uint8Array(33 * 2 ** 20).fill(0x41), "more than 32 MiB"],
  ])("%s", (_, content, words) => {
    let found: unknown;
    try {
      const { items } = readList(content);
      if (words === "") expect(items.map(({ written }) => written)).toEqual(["Symbol", "Shares"]);
    } catch (error) {
      found = error;
    }
    if (words === "") return;
    expect(found).toBeInstanceOf(BourseError);
    const { code, message } = found as BourseError;
    expect(code).toBe("invalid_argument");
    expect(message).toStartWith("my file.txt, line ");
    expect(message).toContain(words);
    expect(message.length).toBeLessThan(400);
  });
});

test.each(["\t", ";", ","])("%j with nothing between leaves turns to other requests", (mark) => {
  const text = `AAPL${mark.repeat(100_000)}MSFT`;
  const work = readListFile("a.txt", new TextEncoder().encode(text), { today: "2026-11-20" });
  let turns = 0;
  for (;;) {
    const { done, value } = work.next();
    if (done) {
      expect(value.items.map(({ written }) => written)).toEqual(["AAPL", "MSFT"]);
      break;
    }
    turns++;
  }
  // One for each thousand parts.
  expect(turns).toBeGreaterThan(100);
});

describe("long texts", () => {
  const digits = `${"9".repeat(100_000)}x`;
  const zeros = `${"1,000".repeat(20_000)}x`;

  test.each([
    `Symbol,Shares,Price\nAAPL,${digits},1\nMSFT,2,${digits}\n`,
    `Symbol;Shares;Price\nAAPL;${digits};1\nMSFT;2;${zeros}\n`,
    JSON.stringify([
      { symbol: "AAPL", shares: digits },
      { symbol: "MSFT", shares: 2 },
    ]),
    // A part of a number is no number.
    `Symbol,Shares\nAAPL,5${" ".repeat(600)}000\nMSFT,2\n`,
    `Symbol,Shares\nAAPL,5${" ".repeat(80)}000\nMSFT,2\n`,
  ])("of a cell give no number of shares, in time (%#)", (content) => {
    const { items } = readList(content);
    expect(items.map(({ shares }) => shares)).toEqual(["uncertain", 2]);
  });

  test("of a note are cut", () => {
    const note = "bought after the report ".repeat(80).trim();
    const { items } = readList(`Symbol,Shares,Note\nAAPL,1,${note}\n`);
    expect(items[0]?.shares).toBe(1);
    expect(items[0]?.note).toStartWith(note.slice(0, 400));
  });

  test("are cells of a watch list in one line", () => {
    const symbols = Array.from({ length: 900 }, (_, i) => `NASDAQ:SYMBOL${i}`);
    expect(readList(symbols.join(",")).items).toHaveLength(900);
  });

  test.each([
    [`Symbol,Shares${",a".repeat(255)}\nAAPL,1\n`, "line 1: the row has more than 256 columns"],
    [`Symbol,Shares\nAAPL,1${",1".repeat(255)}\n`, "line 2: the row has more than 256 columns"],
    [`2026-01-05 * "a"\n  Assets:A  1${" ".repeat(4_000)}AAPL\n`, "line 2: the line has more"],
    [`AAPL\n${"AAPL ".repeat(900)}\n`, "line 2: the line has more than 4000 characters"],
    [",".repeat(2 ** 20 + 1), "line 1: the line has more than 1048576 characters"],
    ["\n".repeat(400_001), "more than 400000 lines"],
    ["A\n".repeat(100_001), "more than 100000 rows"],
    // A cell for each field in each row would be 25 million cells.
    [
      JSON.stringify(Array.from({ length: 5_000 }, (_, i) => ({ symbol: "A", [`f${i}`]: 1 }))),
      "no list of the JSON names instruments",
    ],
  ])("that are too long are refused (%#)", (content, words) => {
    expect(() => readList(content)).toThrow(words);
  });

  test("blank lines are no rows", () => {
    expect(readList(`${"\n".repeat(150_000)}AAPL\n`).items).toHaveLength(1);
  });
});

test("names that could be code are text of one line", () => {
  const { items } = readList(
    'Symbol,Name,Shares,Note\n"=cmd|A1","<b>Apple</b>\u202e\n  Inc.",1,"__proto__"\n__proto__,constructor,2,\n',
  );
  expect(items.map(({ symbols, name, shares }) => [symbols[0], name, shares])).toEqual([
    ["=cmd|A1", "Apple Inc.", 1],
    ["__proto__", "constructor", 2],
  ]);
});

test("reading gives others their turn at least every 5,000 tags or 1,000 rows", () => {
  const prices = '<price t="2026-01-05" v="1"/>'.repeat(50_000);
  const xml = `<client><version>69</version><securities><security><name>A</name><prices>${prices}</prices></security></securities></client>`;
  expect(turnsOf(xml)).toBeGreaterThanOrEqual(10);
  expect(turnsOf(`Symbol,Shares\n${"AAPL,1\n".repeat(20_000)}`)).toBeGreaterThanOrEqual(20);
});

const turnsOf = (text: string): number =>
  [...readListFile("a", new TextEncoder().encode(text), { today: "2026-11-20" })].length;

describe("kinds that are not read are named, with what to export instead", () => {
  const xml = (content: string) => `<?xml version="1.0" encoding="UTF-8"?>\n${content}`;
  const gzip = (text: string) => Bun.gzipSync(text + " ".repeat(100_000));
  const zipOf = (...names: string[]) =>
    zip(names.map((name) => ({ name, bytes: new TextEncoder().encode(name) })));
  test.each<[string | Uint8Array, string, string]>([
    ["OFXHEADER:100\nDATA:OFXSGML\n\n<OFX>", "an OFX or QFX file", "choose CSV instead"],
    [xml('<?OFX OFXHEADER="200" VERSION="211"?>\n<OFX/>'), "an OFX or QFX file", "CSV"],
    ["OFXHEADER:100\n<OFX><FI><ORG>Vanguard\n<FID>1", "an OFX or QFX file", "(of 'Vanguard')"],
    ["\uFEFF!Type:Invst\nD11/05/2024\nNBuy\n", "a QIF file of Quicken", "as CSV"],
    ["!Account\nNBroker\n", "a QIF file of Quicken", "as CSV"],
    ["%PDF-1.7\n%âãÏÓ\n", "a PDF", "as CSV"],
    ["SQLite format 3\0\u0010", "a SQLite database", "as CSV"],
    [xml("<gnc-v2 xmlns:gnc='x'>"), "a file of GnuCash", "Export Transactions to CSV"],
    [gzip(xml("<gnc-v2 xmlns:gnc='x'>")), "a file of GnuCash", "Export Transactions to CSV"],
    [gzip(xml("<!DOCTYPE KMYMONEY-FILE>\n<KMYMONEY-FILE>")), "a file of KMyMoney", "as CSV"],
    [xml('<homebank v="1.4">'), "a file of HomeBank", "as CSV"],
    [xml("<FlexQueryResponse queryName='x'>"), "a Flex query", "choose CSV as its format"],
    [xml('<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">'), "CAMT", "as CSV"],
    ["{1:F01BANKDEFFXXXX}{2:O940}{4:\r\n:20:X\r\n", "MT940", "as CSV"],
    [":20:STARTUMS\r\n:25:1/2\r\n", "MT940", "as CSV"],
    [
      xml('<?mso-application progid="Excel.Sheet"?>\n<Workbook>'),
      "a workbook of Excel as XML",
      "CSV",
    ],
    [xml('<office:document office:version="1.2">'), "OpenDocument", "CSV"],
    ["{\\rtf1\\ansi", "RTF", "as CSV"],
    [Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0), "a picture", "in a table"],
    [
      zipOf("Index/Document.iwa", "Metadata/Properties.plist"),
      "a document of Apple Numbers",
      "save it as CSV",
    ],
    [xlsxOf([["Symbol"], ["AAPL"]]), "a workbook of Excel (XLSX)", "save it as CSV"],
  ])("%#", (content, kind, instead) => {
    expect(() => readList(content)).toThrow("line 1: this is ");
    expect(() => readList(content)).toThrow(kind);
    expect(() => readList(content)).toThrow(instead);
  });
});

describe("a damaged file", () => {
  const files = [
    '<client id="1"><version>69</version><securities><security id="2"><name>A</name><currencyCode>USD</currencyCode><tickerSymbol>AAPL</tickerSymbol></security></securities><portfolios><portfolio-transaction><security reference="2"/><shares>100000000</shares><type>BUY</type></portfolio-transaction></portfolios></client>',
    '{"meta":{},"activities":[{"symbol":"AAPL","type":"BUY","quantity":1,"date":"2024-01-05","dataSource":"YAHOO"}],"assetProfiles":[{"symbol":"AAPL","name":"Apple"}]}',
    '2024-01-05 commodity AAPL\n  price: "USD:yahoo/AAPL"\n2024-01-06 * "x"\n  Assets:A  1 AAPL {1 USD}\n  Assets:B\n2024-01-07 pad Assets:A Equity:B\n',
    "Date;Type;Symbol;Name;Quantity;Amount\n2024-01-05;Buy;AAPL;Apple;1,5;2:1\n2024-01-06;Split;AAPL;Apple;;2:1\n",
    'country,symbol,shares,weight,note\r\nUS,AAPL,1,,"a\nb"\r\n',
    "###A,NASDAQ:AAPL,TSE:7203,FPT=5\n- Apple (AAPL)\n",
  ];
  const edit = fc.record({
    at: fc.nat(400),
    cut: fc.nat(30),
    text: fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.constantFrom(
        "<",
        ">",
        '"',
        "&#0;",
        "\0",
        "\n",
        ";",
        "{",
        "]",
        "NaN",
        "1e999",
        "-",
        "\uFFFD",
        "9".repeat(400),
      ),
    ),
  });

  test("is read or refused in one sentence, whatever is broken", () => {
    fc.assert(
      fc.property(fc.constantFrom(...files), fc.array(edit, { maxLength: 4 }), (file, edits) => {
        const text = edits.reduce(
          (all, { at, cut, text: more }) => all.slice(0, at) + more + all.slice(at + cut),
          file,
        );
        try {
          for (const { shares, weight } of readList(text).items) {
            if (typeof shares === "number") expect(shares).toBeFinite();
            if (weight !== null) expect(weight).toBeFinite();
          }
        } catch (error) {
          if (!(error instanceof BourseError)) throw error;
          expect(error.code).toBe("invalid_argument");
        }
      }),
      { numRuns: 300 },
    );
  });
});
