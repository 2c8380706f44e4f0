import { lookup } from "#lib/lookup.ts";
import { plainText } from "#lib/plain-text.ts";
import { checkRowCount } from "#sources/check-answer.ts";
import { type ListReading, readList } from "#sources/list.ts";
import { NASDAQ } from "./source.ts";

/** A security as the Nasdaq Trader symbol directory lists it. */
export interface ListedSecurity {
  /** With a dot before the class of a share: `BRK.B`. */
  readonly symbol: string;
  readonly name: string;
  readonly exchange: string;
  readonly isEtf: boolean;
}

/** The exchanges of `otherlisted.txt`. */
const OTHER_EXCHANGES: Readonly<Record<string, string>> = {
  A: "NYSE American",
  N: "NYSE",
  P: "NYSE Arca",
  V: "IEX",
  Z: "CBOE",
};

/** The securities listed on Nasdaq (`nasdaqlisted.txt`), without test issues. */
export function readNasdaqListed(text: string): ListReading<ListedSecurity[]> {
  return readDirectory(text, "Symbol", () => "NASDAQ");
}

/**
 * The securities listed on the other US exchanges (`otherlisted.txt`), without test issues and without
 * securities of unknown exchanges.
 */
export function readOtherListed(text: string): ListReading<ListedSecurity[]> {
  return readDirectory(text, "ACT Symbol", (row) =>
    lookup(OTHER_EXCHANGES, row.get("Exchange") ?? ""),
  );
}

/** True if the last line is the creation time; without it the file was cut off. */
export function isWhole(text: string): boolean {
  return /(?:^|\n)File Creation Time[^\n]*$/.test(text.trimEnd());
}

function* readDirectory(
  text: string,
  symbolField: string,
  exchangeOf: (row: ReadonlyMap<string, string>) => string | undefined,
): ListReading<ListedSecurity[]> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  checkRowCount(NASDAQ, lines.length);
  const fields = lines[0]?.split("|").map((field) => field.trim()) ?? [];
  for (const field of [symbolField, "Security Name", "Test Issue", "ETF"])
    if (!fields.includes(field))
      throw NASDAQ.error("invalid_answer", `a symbol directory without ${field}`);
  if (!isWhole(text)) throw NASDAQ.error("invalid_answer", "the symbol directory is cut off");
  const symbolOf = (line: string) => line.split("|")[fields.indexOf(symbolField)] ?? null;
  const read = (line: string, number: number): ListedSecurity | null => {
    const cells = line.split("|");
    if (cells.length !== fields.length)
      throw NASDAQ.error(
        "invalid_answer",
        `a symbol directory with ${cells.length} cells in line ${number + 1}`,
      );
    const row = new Map(fields.map((field, at) => [field, plainText(cells[at] ?? "", 1_000)]));
    const exchange = exchangeOf(row);
    const symbol = row.get(symbolField) ?? "";
    if (row.get("Test Issue") !== "N" || exchange === undefined) return null;
    if (!/^[A-Z]{1,6}(\.[A-Z])?$/.test(symbol)) return null;
    const name = row.get("Security Name") ?? "";
    return { symbol, name, exchange, isEtf: row.get("ETF") === "Y" };
  };
  const securities = yield* readList(lines.slice(1, -1), read, symbolOf);
  return securities.filter((security) => security !== null);
}
