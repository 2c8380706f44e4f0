/** Names that Windows gives to devices, with any ending and in any case. */
const RESERVED = /^(?:CON|PRN|AUX|NUL|(?:COM|LPT)\d)(?=\.|$)/;

/**
 * The name of a symbol's file without its ending, on every system the same: `CON_` for `CON`, because `CON.csv` is a
 * device on Windows. No symbol has an underscore, so no two symbols have one name.
 */
export function fileNameOf(symbol: string): string {
  return symbol.replace(RESERVED, "$&_");
}

/** What a reader of the files must know of that name; null if it is the symbol. */
export function noteOfName(symbol: string): string | null {
  const name = fileNameOf(symbol);
  return name === symbol
    ? null
    : `${symbol} has the name ${name}, because Windows reserves ${symbol}.`;
}
