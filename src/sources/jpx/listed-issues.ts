import type { AssetType, Instrument, Segment } from "#domain/instrument.ts";
import { CsvError } from "#lib/csv.ts";
import { lookup } from "#lib/lookup.ts";
import { plainText } from "#lib/plain-text.ts";
import { listedInstrument } from "./listed-instrument.ts";
import { normalForm } from "#lib/normal-form.ts";

/** A row of the list, from its workbook or from the same saved as CSV. */
export interface ListedIssuesRow {
  /** Counted from 1; the header is 1. */
  readonly line: number;
  readonly cells: readonly (string | number | null)[];
}

/** The columns that are read, as the header names them. */
const COLUMNS = {
  code: "コード",
  name: "銘柄名",
  market: "市場・商品区分",
  sector: "33業種コード",
} as const;

/** The market for professional investors only, with very few trades. */
const PRO_MARKET = "PRO Market";

/** The asset type and the segment of each market class. */
const MARKETS: Readonly<Record<string, readonly [AssetType, Segment?]>> = {
  "プライム（内国株式）": ["stock", "prime"],
  "プライム（外国株式）": ["stock", "prime"],
  "スタンダード（内国株式）": ["stock", "standard"],
  "スタンダード（外国株式）": ["stock", "standard"],
  "グロース（内国株式）": ["stock", "growth"],
  "グロース（外国株式）": ["stock", "growth"],
  出資証券: ["stock"],
  "ETF・ETN": ["etf"],
  "REIT・ベンチャーファンド・カントリーファンド・インフラファンド": ["reit"],
  [PRO_MARKET]: ["stock"],
};

/** True for the header of JPX's list of listed issues. */
export function isListedIssuesHeader(cells: ListedIssuesRow["cells"]): boolean {
  return Object.values(COLUMNS).every((name) => cells.includes(name));
}

/** Reads the rows of the list one by one. */
export interface ListedIssuesReader {
  readonly symbolOf: (cells: ListedIssuesRow["cells"]) => string;
  readonly read: (row: ListedIssuesRow) => Instrument | null;
}

/**
 * Creates the reader of the rows of JPX's list of listed issues (東証上場銘柄一覧) below its header.
 * `read` returns the instrument in a row, or null for the PRO Market, and throws `CsvError` for a row
 * in another form. Names stay Japanese, their Latin letters and digits become plain ones; `listedInstrument` gives
 * sectors, segments and primary lines. `symbolOf` returns the text in the code's column.
 *
 * @throws CsvError for another header
 */
export function listedIssuesReader(header: ListedIssuesRow): ListedIssuesReader {
  const lines = new Map<string, number>();
  if (!isListedIssuesHeader(header.cells)) {
    const names = Object.values(COLUMNS).join(", ");
    throw new CsvError(header.line, `the header lacks one of ${names}`);
  }
  const columns = {
    code: header.cells.indexOf(COLUMNS.code),
    name: header.cells.indexOf(COLUMNS.name),
    market: header.cells.indexOf(COLUMNS.market),
    sector: header.cells.indexOf(COLUMNS.sector),
  };
  const symbolOf = (cells: ListedIssuesRow["cells"]) => textOf(cells[columns.code]);
  const read = ({ line, cells }: ListedIssuesRow): Instrument | null => {
    const symbol = symbolOf(cells);
    if (!/^\d[\dA-Z]\d[\dA-Z]\d?$/.test(symbol)) {
      throw new CsvError(line, `${COLUMNS.code} must be a code such as 7203 or 130A`);
    }
    const twin = lines.get(symbol);
    if (twin !== undefined) throw new CsvError(line, `${symbol} is also in row ${twin}`);
    lines.set(symbol, line);

    // The file has full-width Latin letters, which searches do not use.
    const name = plainText(normalForm(textOf(cells[columns.name]), "NFKC"), 200);
    if (name === "") throw new CsvError(line, `${COLUMNS.name} is missing`);
    const market = textOf(cells[columns.market]);
    const [assetType, segment = null] = lookup(MARKETS, market) ?? [];
    if (assetType === undefined) {
      const known = Object.keys(MARKETS).join(", ");
      throw new CsvError(line, `${COLUMNS.market} must be one of ${known}`);
    }
    const sector = textOf(cells[columns.sector]);
    const instrument = listedInstrument({
      symbol,
      name,
      assetType,
      segment,
      // The workbook has numbers, which lose the leading zeros of the code.
      sector33: sector === "-" || sector === "" ? null : sector.padStart(4, "0"),
    });
    if (instrument === null) {
      throw new CsvError(line, `${COLUMNS.sector} must be - or one of the 33 of JPX`);
    }
    return market === PRO_MARKET ? null : instrument;
  };
  return { symbolOf, read };
}

function textOf(cell: string | number | null | undefined): string {
  return String(cell ?? "")
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim();
}
