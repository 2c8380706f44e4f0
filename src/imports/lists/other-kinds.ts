import { cleanText, quote } from "#imports/cells.ts";
import { CsvError } from "#lib/csv.ts";
import { startOfGzip } from "#lib/gzip-start.ts";

/** The bytes by which a kind of file is known. */
const HEAD_BYTES = 4_096;

const POSITIONS = "export the holdings or transactions as CSV";

/** Kinds of files that are not read: what they begin with, what they are, and what to export instead. */
const KINDS: readonly (readonly [RegExp, string, string])[] = [
  [
    /^%PDF-/,
    "a PDF",
    `a statement as PDF cannot be read without doubt: ${POSITIONS}, or write symbols and shares in a table`,
  ],
  [
    /^SQLite format 3\0/,
    "a SQLite database, as GnuCash, Wealthfolio and others write it",
    `in GnuCash choose File, Export, Export Transactions to CSV; elsewhere ${POSITIONS} or JSON`,
  ],
  [
    /^\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--[^>]{0,200}-->\s*)?<gnc-v2|<gnc:book/,
    "a file of GnuCash",
    "choose File, Export, Export Transactions to CSV there",
  ],
  [
    /<!DOCTYPE KMYMONEY-FILE|<KMYMONEY-FILE/,
    "a file of KMyMoney",
    "run its report of investment holdings and export that as CSV",
  ],
  [/<homebank\b/, "a file of HomeBank", POSITIONS],
  [
    /<(?:FlexQueryResponse|FlexStatements)\b/,
    "a Flex query of Interactive Brokers as XML",
    "choose CSV as its format",
  ],
  [
    /^\s*(?:OFXHEADER\s*:|<\?OFX\b|<OFX>|(?:<\?xml[^>]{0,200}\?>\s*)?<\?OFX\b)/i,
    "an OFX or QFX file, as Quicken and Microsoft Money read it",
    "at the broker that wrote it, choose CSV instead, with the positions or the transactions",
  ],
  [
    /^\s*!(?:Type|Account|Option|Clear)\b/i,
    "a QIF file of Quicken",
    `${POSITIONS} from the program that wrote it, or the investing transactions of Quicken as a table`,
  ],
  [
    /urn:iso:std:iso:20022:tech:xsd:|<BkToCstmr|<SctiesBalCtdyRpt/,
    "a CAMT or another message of ISO 20022",
    `it is a bank's statement: ${POSITIONS} of the securities account`,
  ],
  [
    /^\s*(?:\{1:F\d\d|:16R:GENL|:20:)/,
    "an MT940, MT535 or another SWIFT message",
    `it is a bank's statement: ${POSITIONS} of the securities account`,
  ],
  [
    /<\?mso-application progid="Excel|urn:schemas-microsoft-com:office:spreadsheet/,
    "a workbook of Excel as XML",
    "save it as CSV",
  ],
  [/<office:document/, "a flat document of OpenDocument", "save the sheet as CSV"],
  [/^\{\\rtf/, "a text of a word processor (RTF)", "save its table as CSV"],
  [
    /^(?:\x89PNG|\xFF\xD8\xFF|GIF8|RIFF....WEBP)/s,
    "a picture",
    "a table in a picture cannot be read without doubt: write symbols and shares in a table",
  ],
  [/^Rar!|^7z\xBC\xAF/, "a compressed archive", "unpack it, and give the file inside"],
];

/** What the parts of a ZIP archive show. */
const ZIPPED: readonly (readonly [RegExp, string])[] = [
  [/Index\/Document\.iwa|Index\.zip|\.iwa/, "a document of Apple Numbers"],
  [/opendocument\.spreadsheet/, "a workbook of LibreOffice (ODS)"],
  [/opendocument|word\//, "a document of a word processor"],
  [/xl\/|\[Content_Types\]\.xml/, "a workbook of Excel (XLSX)"],
];

/**
 * Refuses a kind of file that is not read, and says what to export instead.
 *
 * @throws CsvError
 */
export function refuseOtherKind(bytes: Uint8Array): void {
  const head = latin1(bytes.subarray(0, HEAD_BYTES));
  const isGzip = head.startsWith("\x1F\x8B");
  const text = isGzip
    ? latin1(startOfGzip(bytes, HEAD_BYTES).subarray(0, HEAD_BYTES))
    : withoutMark(bytes, head);
  const found = KINDS.find(([pattern]) => pattern.test(text));
  if (found) {
    const [, kind, instead] = found;
    const maker = /<(?:ORG|BROKERID)>([^<\r\n]{1,60})/i.exec(text)?.[1];
    const of = maker ? ` (of ${quote(cleanText(maker))})` : "";
    throw new CsvError(1, `this is ${kind}${of}, which is not read: ${instead}`);
  }
  if (!head.startsWith("PK\x03\x04")) return;
  // The names of the parts are at the start and at the end of an archive.
  const names = head + latin1(bytes.subarray(-16 * HEAD_BYTES));
  const kind = ZIPPED.find(([pattern]) => pattern.test(names))?.[1];
  if (kind)
    throw new CsvError(
      1,
      `this is ${kind}, a workbook or a ZIP archive: save it as CSV, or unpack it`,
    );
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

/** The start of a text in UTF-8 or UTF-16 without its byte order mark. */
function withoutMark(bytes: Uint8Array, head: string): string {
  if (head.startsWith("\xFF\xFE"))
    return new TextDecoder("utf-16le").decode(bytes.subarray(0, HEAD_BYTES));
  return head.replace(/^\xEF\xBB\xBF/, "");
}
