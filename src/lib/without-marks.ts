import { normalForm } from "./normal-form.ts";

/** A text whose Latin letters have no marks, as it is typed without a Vietnamese keyboard: `von hoa` for `vốn hóa`. */
export const withoutMarks = (text: string): string =>
  normalForm(text, "NFC")
    .replaceAll(/\p{Script=Latin}\p{M}*/gu, (letter) => normalForm(letter, "NFD").charAt(0))
    .replaceAll("đ", "d")
    .replaceAll("Đ", "D");
