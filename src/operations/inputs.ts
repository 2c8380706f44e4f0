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
