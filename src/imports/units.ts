import { lazy } from "#lib/lazy.ts";

/** What a text such as `nghìn VND`, `千株` or `USD` says about figures. */
export interface WrittenUnit {
  /** The number by which figures are multiplied; 1 without a word for it. */
  readonly factor: number;
  /** Code of the currency or its part, such as `GBX`; null if none is named. */
  readonly currency: string | null;
  /** True if it counts shares, false if it counts lots, null if it says neither. */
  readonly countsShares: boolean | null;
}

/** A pattern of parts of words, and of whole words in any alphabet. */
const words = (parts: string, whole: string): RegExp =>
  new RegExp(String.raw`${parts}|(?<![\p{L}\p{N}])(?:${whole})(?![\p{L}\p{N}])`, "iu");

/** Words for a factor, the longest first. */
const FACTORS: readonly (readonly [words: RegExp, factor: number])[] = [
  [
    words(
      String.raw`(?<!\d)1[.,' ]?000[.,' ]?000(?!\d)|triệu|百万`,
      "millions?|millionen|trieu|mio|mln|mn|mm?|tr",
    ),
    1e6,
  ],
  [words("十億", "billions?|milliarden|tỷ|tỉ|ty|bn|mrd|b"), 1e9],
  [/億/, 1e8],
  [/[万萬]/, 1e4],
  [
    words(
      String.raw`(?<!\d)1[.,' ]?000(?!\d)|(?<!\d)'?000s?(?!\d)|千`,
      "thousands?|tausend|nghìn|nghin|ngàn|ngan|tsd|k|ng",
    ),
    1e3,
  ],
  [words(String.raw`(?<!\d)100(?!\d)|百`, "hundreds?|trăm|tram"), 100],
  [/(?<!\d)10(?!\d)/, 10],
];

/** Words and signs for currencies; their codes are found without this list. */
const CURRENCIES: readonly (readonly [words: RegExp, code: string])[] = [
  [/(?<!\p{L})(?:pence|penny|GBp|GBX)(?!\p{L})/u, "GBX"],
  [words("¢|セント", "cents?"), "USX"],
  [/HK\$/, "HKD"],
  [/NT\$/, "TWD"],
  [/R\$/, "BRL"],
  [/(?<!U)S\$/, "SGD"],
  [/A\$/, "AUD"],
  [/C\$/, "CAD"],
  [words(String.raw`\$|ドル`, "dollars?"), "USD"],
  [words("€|ユーロ", "euros?"), "EUR"],
  [words("£|ポンド", "pounds?"), "GBP"],
  [/CN¥|元/, "CNY"],
  [words("¥|円", "yen"), "JPY"],
  [words("₫|đồng", "vn[đd]|đ"), "VND"],
  [/₩|ウォン/, "KRW"],
  [/zł/, "PLN"],
];

const codes = lazy(() => new Set([...Intl.supportedValuesOf("currency"), "ILA", "ZAC", "KWF"]));

const SHARES = words("株|口", "shares?|stück|aktien|cổ phiếu|co phieu|cp|ccq");
const LOTS = words("単元|枚|手", "lots?|lô|contracts?");

/** The unit in a text; other words do not count. */
export function unitIn(written: string): WrittenUnit {
  const text = written.normalize("NFKC");
  const [, factor = 1] = FACTORS.find(([words]) => words.test(text)) ?? [];
  return {
    factor,
    currency: currencyOfText(text),
    countsShares: SHARES.test(text) ? true : LOTS.test(text) ? false : null,
  };
}

/** The currency that a text names by a sign, a word or a code; null if it names none. */
export function currencyOfText(text: string): string | null {
  const [, known = null] = CURRENCIES.find(([words]) => words.test(text)) ?? [];
  return known ?? text.split(/[^\p{L}]+/u).find((word) => codes().has(word)) ?? null;
}

/** A word that announces the units of a table, in a line before its header. */
const ANNOUNCED =
  /(?:単位|đơn vị(?: tính)?|đvt|\bunits?\b|\beinheit\b|\bcurrency\b|\bwährung\b|通貨|\bdevise\b|\bmoneda\b|tiền tệ)[\s:：=,;]+(\S.*)$|\b((?:prices|amounts|figures|values|kurse)? ?in (?:thousands?|millions?|hundreds?|cents|pence|[A-Z]{3})\b.*)$/iu;

/** The parts of a line before a header that name units, such as `円` and `千株` of `単位:円、千株`. */
export function announcedUnits(line: string): string[] {
  const [, named, spoken] = ANNOUNCED.exec(line.normalize("NFKC").slice(0, 300)) ?? [];
  return (named ?? spoken ?? "").split(/[、,;/|\t]/).flatMap((part) => part.trim() || []);
}
