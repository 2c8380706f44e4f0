import { plainText } from "#lib/plain-text.ts";
import { readWorkbook } from "#lib/workbook.ts";
import { type WorkbookCell, WorkbookError } from "#lib/workbook-error.ts";
import { normalForm } from "#lib/normal-form.ts";

const CODE = "Local Code";
const NAME = "Name (English)";

/**
 * Reads the English names in JPX's English list of listed issues, by symbol. The map is empty if the
 * list cannot be read or has another form: the Japanese list has all other fields.
 */
export function readEnglishNames(bytes: Uint8Array): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  let columns: { readonly code: number; readonly name: number } | null = null;
  for (const cells of rowsOf(bytes)) {
    if (!columns) {
      columns = { code: cells.indexOf(CODE), name: cells.indexOf(NAME) };
      if (columns.code === -1 || columns.name === -1) return names;
      continue;
    }
    const symbol = String(cells[columns.code] ?? "").trim();
    const name = plainText(normalForm(String(cells[columns.name] ?? ""), "NFKC"), 200);
    if (name !== "" && name !== "-") names.set(symbol, name);
  }
  return names;
}

function rowsOf(bytes: Uint8Array): WorkbookCell[][] {
  try {
    return readWorkbook(bytes);
  } catch (error) {
    if (error instanceof WorkbookError) return [];
    throw error;
  }
}
