import { invalidArgument } from "#domain/errors.ts";
import { lazy } from "#lib/lazy.ts";
import { normalForm } from "#lib/normal-form.ts";
import { vietnameseNames } from "./metric-names.ts";

// Conditions as people in Japan and Viet Nam write them: numbers with their separators, ranges, words without marks.

/** A letter with marks, or a word that has none. */
const VIETNAMESE = /[à-ỹ]|\b(?:doanh thu|lnst|vcsh|klgd|gtgd)\b/i;
const UNITS = String.raw`(?:nghìn|ngàn|triệu|tỷ|tỉ|đồng|lần|vnđ|vnd|₫|đ(?!\p{L})|cổ phiếu|cp(?!\p{L})|người)`;
const END = String.raw`(?= *(?:$|,| and | or | và | hoặc |&&|\|\|))`;

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
  [/(?<=\d\S*(?: \S+)?) den (?=\d)/gi, " đến "],
  [/(?<=\d\S*(?: \S+)?) va (?=\p{L})/giu, " và "],
  [/(?<=\d\S*(?: \S+)?) hoac (?=\p{L})/giu, " hoặc "],
];
/** A name of a figure without marks, where a condition begins and a limit follows. */
const unmarkedName = lazy(() => {
  const names = [...vietnameseNames().keys()]
    .toSorted((a, b) => b.length - a.length)
    .map((name) => name.replaceAll(/[/()%.]/g, String.raw`\$&`));
  return new RegExp(
    String.raw`(?<=^|,| and | or | va | hoac ) *(${names.join("|")})(?= *[<>=≤≥]| (?:duoi|tren|tu|thap hon|cao hon|nho hon|lon hon|vuot) |(?: ?[~-])? ?\d)`,
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
/** `1.234` without a unit: the point can separate thousands or a fraction. */
const UNCLEAR = /(?<![\d.,])([1-9]\d{0,2}(?:\.\d{3})+)(?![\d.]| ?%)/;
/** `1,5`: a comma with one or two digits after it. Three digits can be thousands. */
const DECIMAL_COMMA = new RegExp(
  String.raw`(?<![\d.,])(\d+),(\d{1,2})(?=(?: ?(?:-|~|đến|tới) ?\d[\d,]*)? ?(?:%|${UNITS})|${END})`,
  "giu",
);
/** `5,000億円`, `¥5,000`. */
const JAPANESE_THOUSANDS =
  /(?<![\d.,])(\d{1,3}(?:,\d{3})+)(?= ?(?:兆|億|万|千|百万|円|株|人|ドル))|(?<=¥ ?)(\d{1,3}(?:,\d{3})+)(?![\d,])/g;
/** The word for shares or people behind a number. */
const COUNTED = new RegExp(
  String.raw`(?<=\d(?: ?(?:nghìn|ngàn|triệu|tỷ|tỉ))?) ?(?:cổ phiếu|cp|người)${END}`,
  "giu",
);

const NAME = String.raw`(\p{L}[^,、\d<>=]*?)`;
const NUMBER = String.raw`(\d[\d.]*) ?((?:[倍円株人年期%兆億万千]|百万|nghìn|ngàn|triệu|tỷ|tỉ|đồng|lần| (?=nghìn|ngàn|triệu|tỷ|tỉ|đồng))*)`;
/** `PERが10〜20倍`, `P/E từ 5 đến 10`. */
const RANGE = new RegExp(
  String.raw`${NAME} ?(?:[がは]|từ|trong khoảng)? ?${NUMBER} ?(?:[~〜-]|から|đến|tới) ?${NUMBER}(?: ?の(?:間|範囲))?${END}`,
  "giu",
);
/** `PER10倍以上20倍以下`. */
const BETWEEN = new RegExp(
  String.raw`${NAME} ?[がは]? ?${NUMBER}以上(?:かつ|で|、|,)? ?${NUMBER}(以下|未満)${END}`,
  "gu",
);
/** `ROE từ 15% trở lên`. */
const FROM = new RegExp(String.raw`${NAME} (?:từ )?${NUMBER} ?trở (lên|xuống)${END}`, "giu");

/** The space between two conditions: `PER15倍以下 PBR1倍以下`. */
const SIDE_BY_SIDE =
  /(?<=\d\S{0,6}(?:以下|未満|以上|超え?|割れ))[ ・/]+(?!かつ|且つ|または|又は|もしくは|and |or |の)(?=[^,]+\d)/g;

/** The time of reading grows with the square of a text. A query of 300 characters can be longer in words. */
const MAX_TEXT = 450;

const limit = (digits: string, unit: string) =>
  `${digits}${unit.replace(/[倍株人年期]$|lần$/, "")}`;

/**
 * The conditions with plain numbers and one limit each: `PER>=10,PER<=20` for `PERが10〜20倍`, `vốn hóa > 10000 tỷ` for
 * `von hoa > 10.000 ty`.
 *
 * @throws BourseError `invalid_argument` about `where` for a number beside Vietnamese words that can be a thousand or one
 */
export function readLocalConditions(written: string): string {
  if (written.length > MAX_TEXT) return written;
  const text = withMarks(written)
    .replaceAll(/[≦⩽]/g, "<=")
    .replaceAll(/[≧⩾]/g, ">=")
    .replaceAll(SIDE_BY_SIDE, ",")
    .replaceAll(JAPANESE_THOUSANDS, (number) => number.replaceAll(",", ""))
    .replaceAll(/(?<=\d) ?(?:%|％|phần trăm|パーセント)/giu, "%")
    .replaceAll(/(?<=[\d%倍円億万兆株]) (?=以下|未満|以上|超|割れ|以内)/g, "");
  const plain = isVietnamese(text) ? withPoints(text) : text;
  return plain
    .replaceAll(COUNTED, "")
    .replaceAll(RANGE, (_, name: string, ...found: string[]) => {
      const [low = "", unit = "", high = "", last = ""] = found;
      return `${name}>=${limit(low, unit || last)},${figureIn(name)}<=${limit(high, last)}`;
    })
    .replaceAll(BETWEEN, (_, name: string, ...found: string[]) => {
      const [low = "", unit = "", high = "", last = "", word = ""] = found;
      const operator = word === "未満" ? "<" : "<=";
      return `${name}>=${limit(low, unit)},${figureIn(name)}${operator}${limit(high, last)}`;
    })
    .replaceAll(FROM, (_, name: string, digits: string, unit: string, word: string) =>
      [name, word === "lên" ? ">=" : "<=", limit(digits, unit)].join(""),
    );
}

/** The name without the word that joins it to the condition before. */
const figureIn = (name: string) => name.replace(/^(?:and|or|và|hoặc) /, "");

/** True for a text with Vietnamese words. */
export const isVietnamese = (text: string): boolean => VIETNAMESE.test(normalForm(text, "NFC"));

function withPoints(text: string): string {
  const plain = text
    .replaceAll(/(?<=\d ?)tr(?!\p{L})/giu, "triệu")
    .replaceAll(POINTED, (number) => number.replaceAll(".", ""))
    .replaceAll(DECIMAL_COMMA, "$1.$2");
  const [, unclear] = UNCLEAR.exec(plain) ?? [];
  if (unclear === undefined) return plain;
  throw invalidArgument(`where has ${unclear}, whose point can separate thousands or a fraction.`, {
    param: "where",
    hint: `Write ${unclear} as ${unclear.replaceAll(".", "")} if its points separate thousands, else with one or two decimals.`,
  });
}
