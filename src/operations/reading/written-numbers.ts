/** `1.000` is a thousand in Viet Nam and one elsewhere. A fraction hardly ends with a third decimal of zero. */
const POINTED_THOUSANDS =
  /(?<![\d.])([1-9]\d{0,2}(?:\.\d{3})*\.\d{2}0)(?![\d.]| ?(?:%|percent|pct))/i;

/** How to write a number whose points can separate thousands, such as `10.000`; null if the text has none. */
export function hintOnPoints(text: string): string | null {
  const [, number] = POINTED_THOUSANDS.exec(text) ?? [];
  return number === undefined
    ? null
    : `Write ${number} as ${number.replaceAll(".", "")} if its points separate thousands, or without the last zero.`;
}
