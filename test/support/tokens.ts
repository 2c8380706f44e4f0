import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** The tokens of a text, or of a value as JSON, in the o200k encoding. Other models' encodings differ by some percent. */
export function tokensOf(value: unknown): number {
  return countTokens(typeof value === "string" ? value : JSON.stringify(value));
}
