import { normalForm } from "./normal-form.ts";

/** Longer texts stay as they are, because some characters become many. */
const MAX_TEXT = 1_000;

/** A text as it is typed on a keyboard of ASCII: `2015-2020` for `２０１５–２０２０`. Letters of other scripts stay. */
export function asTyped(text: string): string {
  if (text.length > MAX_TEXT) return text;
  return normalForm(text, "NFKC").replaceAll(/[\u2010-\u2015\u2212\uFE58]/g, "-");
}
