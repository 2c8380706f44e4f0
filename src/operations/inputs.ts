import { Type } from "@sinclair/typebox";
import { SYMBOL_CHARACTERS } from "#domain/instrument.ts";
import type { InputKeywords } from "./decode.ts";

/** The input schema of a ticker. */
export const SymbolInput = Type.String({
  minLength: 1,
  maxLength: 20,
  pattern: `^[a-z${SYMBOL_CHARACTERS}]+$`,
  description: "Ticker in its country's form: AAPL (US), 7203 (JP), FPT (VN).",
  upperCase: true,
  example: "AAPL",
  expected: "1 to 20 letters, digits or any of . - ^ = (such as AAPL in US, 7203 in JP, FPT in VN)",
} satisfies InputKeywords & Parameters<typeof Type.String>[0]);

/**
 * The input schema of a list of symbols: comma-separated text, in any notation that `parseSymbol` reads.
 * The list can also be a JSON list. `resolveSymbols` looks it up.
 */
export const SymbolListInput = (max: number) =>
  Type.String({
    minLength: 1,
    maxLength: max * 25,
    description: `1 to ${max} symbols, comma-separated, with their country if several have them: US:AAPL,JP:7203,VN:FPT.`,
    upperCase: true,
    maxItems: max,
    example: "US:AAPL,JP:7203,VN:FPT",
    expected: `1 to ${max} symbols, comma-separated, such as US:AAPL,JP:7203,VN:FPT`,
  } satisfies InputKeywords & Parameters<typeof Type.String>[0]);
