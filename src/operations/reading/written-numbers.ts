/** The powers of ten that numbers have as a letter. */
export const LETTERS: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 };

/** Words for the same. */
export const POWERS: Readonly<Record<string, string>> = {
  "nghìn tỷ": "T",
  "ngàn tỷ": "T",
  "k tỷ": "T",
  trillion: "T",
  trn: "T",
  tn: "T",
  兆: "T",
  billion: "B",
  bln: "B",
  bn: "B",
  "nghìn tỉ": "T",
  tỷ: "B",
  tỉ: "B",
  十億: "B",
  million: "M",
  mln: "M",
  mn: "M",
  triệu: "M",
  百万: "M",
  nghìn: "K",
  ngàn: "K",
  千: "K",
  thousand: "K",
};
/** Words for a hundred million and ten thousand, which have no letter. */
export const FACTORS: Readonly<Record<string, number>> = { 億: 1e8, 万: 1e4, 萬: 1e4 };

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
