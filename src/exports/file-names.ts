/** Names that Windows gives to devices, with any ending and in any case. */
const RESERVED = /^(?:CON|PRN|AUX|NUL|(?:COM|LPT)\d)(?=\.|_*$)/;

/** The name of a symbol's file without its ending, and a sentence for the export if it is another one than expected. */
export interface FileName {
  readonly name: string;
  readonly note: string | null;
}

/**
 * The name of a symbol's file, on every system the same: `CON_` for `CON`, because `CON.csv` is a device on Windows. No
 * symbol has an underscore, so no two symbols have one name.
 *
 * @param dot what is written for a full stop: `_` for programs that end a name at the first one
 */
export function fileNameOf(symbol: string, dot: "." | "_" = "."): FileName {
  const plain = symbol.replaceAll(".", dot);
  const name = plain.replace(RESERVED, "$&_");
  const note = `${symbol} is in ${name}, because Windows reserves the name ${plain}.`;
  return { name, note: name === plain ? null : note };
}
