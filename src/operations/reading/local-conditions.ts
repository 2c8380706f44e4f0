import { lazy } from "#lib/lazy.ts";
import { normalForm, withoutMarks } from "#lib/normal-form.ts";
import { vietnameseNames } from "./metric-names.ts";

// Conditions as people in Japan and Viet Nam type them, in plain numbers and with marks. `one-condition.ts` reads each one.

/** A letter with marks, or a word that has none. */
const VIETNAMESE = /[à-ỹ]|\b(?:doanh thu|lnst|vcsh|klgd|gtgd)\b/i;
/** Units of amounts and counts, before which a point can only separate thousands. A multiple has decimals too. */
const UNITS = String.raw`(?:nghìn|ngàn|triệu|tỷ|tỉ|đồng|vnđ|vnd|₫|đ(?!\p{L})|cổ phiếu|cp(?!\p{L})|người)`;
const START = String.raw`(?<=(?:^|,| and | or |&&|\|\|) *)`;
const END = String.raw`(?= *(?:$|,| and | or |&&|\|\|))`;

/** Words beside numbers, without and with marks, the longest first. */
const UNMARKED: readonly (readonly [RegExp, string])[] = [
  [/(?<=\d ?)(?:nghin|ngan) (?:ty|ti)(?!\p{L})/giu, "nghìn tỷ"],
  [/(?<=\d ?)(?:ty|ti)(?!\p{L})/giu, "tỷ"],
  [/(?<=\d ?)trieu(?!\p{L})/giu, "triệu"],
  [/(?<=\d ?)(?:nghin|ngan)(?!\p{L})/giu, "nghìn"],
  [/(?<=(?:\d|nghìn|triệu|tỷ) ?)dong(?!\p{L})/giu, "đồng"],
  [/(?<=\d ?)lan(?!\p{L})/giu, "lần"],
  [/ lon hon hoac bang (?=\d)/gi, " lớn hơn hoặc bằng "],
  [/ nho hon hoac bang (?=\d)/gi, " nhỏ hơn hoặc bằng "],
  [/ (?:duoi|thap hon|nho hon) (?=\d)/gi, " dưới "],
  [/ (?:tren|cao hon|lon hon|vuot) (?=\d)/gi, " trên "],
  [/ tu (?=\d)/gi, " từ "],
  [/ den (?=\d)/gi, " đến "],
];
/** A name of a figure without marks, where a condition begins and a limit follows. */
const unmarkedName = lazy(() => {
  const names = [...vietnameseNames().keys()]
    .toSorted((a, b) => b.length - a.length)
    .map((name) => name.replaceAll(/[/()%.]/g, String.raw`\$&`));
  return new RegExp(
    String.raw`${START}(${names.join("|")})(?= *[<>=≤≥]| (?:duoi|tren|tu|thap hon|cao hon|nho hon|lon hon|vuot) |(?: ?[~-])? ?\d)`,
    "gi",
  );
});

/** Vietnamese words with their marks: `vốn hóa > 10 nghìn tỷ` for `von hoa > 10 nghin ty`. Others stay. */
function withMarks(text: string): string {
  if (!/^[\x20-\x7E≤≥]*$/.test(text)) return text;
  const named = text.replaceAll(
    unmarkedName(),
    (_, name: string) => vietnameseNames().get(name.toLowerCase()) ?? name,
  );
  if (named === text && !VIETNAMESE.test(text) && !/ (?:duoi|tren) \d/i.test(text)) return text;
  return UNMARKED.reduce((rest, [words, marked]) => rest.replaceAll(words, marked), named);
}

/** `1.000` before a unit: its points separate thousands. */
const POINTED = new RegExp(
  String.raw`(?<![\d.,])([1-9]\d{0,2}(?:\.\d{3})+)(?![\d.,])(?=(?: ?(?:-|~|đến|tới) ?\d[\d.]*)? ?${UNITS})`,
  "giu",
);
/** `1,5`: a comma with one or two digits after it. Three digits can be thousands. */
const DECIMAL_COMMA = new RegExp(
  String.raw`(?<![\d.,])(\d+),(\d{1,2})(?=(?: ?(?:-|~|đến|tới) ?\d[\d,]*)? ?(?:%|lần|${UNITS})|${END})`,
  "giu",
);
/** `5,000億円`, `¥5,000`. */
const JAPANESE_THOUSANDS =
  /(?<![\d.,])(\d{1,3}(?:,\d{3})+)(?= ?(?:兆|億|万|千|百万|円|株|人|ドル))|(?<=¥ ?)(\d{1,3}(?:,\d{3})+)(?![\d,])/g;
/** Before a second limit of a figure: `PER10倍以上かつ20倍以下`. */
const SECOND_LIMIT =
  /(?<=以上) ?(?:かつ|且つ|で|,) ?(?=[+-]?\d[\d.]* ?[^\s\d,<>=]{0,4}(?:以下|未満)(?:$|[ ,]|かつ|且つ|または|又は|もしくは))/g;
/** The space between two conditions: `PER15倍以下 PBR1倍以下`. */
const SIDE_BY_SIDE =
  /(?<=\d\S{0,6}(?:以下|未満|以上|超え?|割れ))[ ・/]+(?!かつ|且つ|または|又は|もしくは|(?:and|or|và|va|hoặc|hoac) |&&|\|\||の)(?=[^,]{0,60}\d)/g;
/** Words between conditions. Names of figures have them too. */
const JOINED = / *(?:(かつ|且つ)|または|又は|もしくは| (va|và) | (?:hoặc|hoac) ) */gi;
/** The end of a condition, without marks: a number with its words. */
const LIMIT_END =
  /(?:\d\S*(?: (?:nghin|ngan|trieu|ty|ti|dong|vnd|lan|co phieu|cp|nguoi|tro len|tro xuong))*|以下|未満|以上|超え?|割れ|以内) *$/i;
/** The most characters of such an end. */
const MAX_END = 40;

/** `P/E<15 and ROE>25` for `P/E<15 và ROE>25`. */
const withEnglishJoins = (text: string) =>
  text.replaceAll(JOINED, (whole: string, ...found: (string | number | undefined)[]) => {
    const [both, also, at] = [found[0], found[1], Number(found[2])];
    const before = withoutMarks(text.slice(Math.max(0, at - MAX_END), at));
    return LIMIT_END.test(before) ? ((both ?? also) ? " and " : " or ") : whole;
  });

/**
 * Conditions with plain numbers, words with their marks, and separators in English: `vốn hóa > 10000 tỷ and ROE>15` for
 * `von hoa > 10.000 ty va ROE>15`.
 */
export function readLocalConditions(written: string): string {
  const joined = withEnglishJoins(
    written.replaceAll(SECOND_LIMIT, "").replaceAll(SIDE_BY_SIDE, ","),
  );
  const text = withMarks(joined)
    .replaceAll(/[≦⩽]/g, "<=")
    .replaceAll(/[≧⩾]/g, ">=")
    .replaceAll(JAPANESE_THOUSANDS, (number) => number.replaceAll(",", ""))
    .replaceAll(/(?<=\d) ?(?:%|％|phần trăm|パーセント)/giu, "%")
    .replaceAll(/(?<=[\d%倍円億万兆株]) (?=以下|未満|以上|超|割れ|以内)/g, "");
  return isVietnamese(text) ? withPoints(text) : text;
}

/** True for a text with Vietnamese words. */
export const isVietnamese = (text: string): boolean => VIETNAMESE.test(normalForm(text, "NFC"));

function withPoints(text: string): string {
  return text
    .replaceAll(/(?<=\d ?)tr(?!\p{L})/giu, "triệu")
    .replaceAll(POINTED, (number) => number.replaceAll(".", ""))
    .replaceAll(DECIMAL_COMMA, "$1.$2");
}
