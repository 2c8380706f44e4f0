/** Only a longer text can have more combining marks in a row than any language writes (UAX #15, Stream-Safe Text Format). */
const MAX_MARKS = 30;
/** A longer run. In the compatible forms, ﾞ and ﾟ are marks too. */
const LONG_RUN = /([\p{M}ﾞﾟ]{30})[\p{M}ﾞﾟ]+/gu;

/**
 * A text in a normal form of Unicode, with at most 30 combining marks in a row. Marks are sorted by insertion, so the time
 * for a longer run would grow with the square of its length.
 */
export function normalForm(text: string, form: "NFC" | "NFD" | "NFKC" | "NFKD"): string {
  return (text.length > MAX_MARKS ? text.replaceAll(LONG_RUN, "$1") : text).normalize(form);
}

/** A text whose Latin letters have no marks, as it is typed without a Vietnamese keyboard: `von hoa` for `vốn hóa`. */
export const withoutMarks = (text: string): string =>
  normalForm(text, "NFC")
    .replaceAll(/\p{Script=Latin}\p{M}*/gu, (letter) => normalForm(letter, "NFD").charAt(0))
    .replaceAll("đ", "d")
    .replaceAll("Đ", "D");
