import { lazy } from "#lib/lazy.ts";
import { normalForm } from "#lib/normal-form.ts";

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

/** What a number may count: shares, lots or money. */
const COUNTED = String.raw`(?:[株円口元枚手¥$€£₫]|(?:cp|ccq|cổ phiếu|co phieu|shares?|stück|aktien|lots?|vn[dđ]|đồng|dong|đ|yen|jpy|usd|us\$|dollars?|eur|euros?)(?![\p{L}\p{N}]))`;

/** Long words for a factor. */
const FACTORS: readonly (readonly [words: RegExp, factor: number])[] = [
  [
    words("triệu", "millions?|millionen|trieu|milion[yi]|milhões|millones|млн|миллион(?:ов|а)?"),
    1e6,
  ],
  [words("milliarden", "billions?|milliards?|miliardy?|miliardi|млрд|миллиард(?:ов|а)?"), 1e9],
  [
    words(
      "nghìn|ngàn",
      "thousands?|tausend|nghin|ngan|milliers?|tys|tysi[ąę]c[ey]?|тыс|тысяч[аи]?|milhares|migliaia|duizend",
    ),
    1e3,
  ],
  [/(?<![\d.,])'?000s?(?![\d.,])/, 1e3],
  [words("trăm", "hundreds?|tram"), 100],
];

const SHORT_FACTORS: ReadonlyMap<string, number> = new Map(
  (
    [
      ["k tsd ng", 1e3],
      ["m mm mio mil mln mn tr", 1e6],
      ["b bn mrd tỷ tỉ ty", 1e9],
    ] as const
  ).flatMap(([names, factor]) => names.split(" ").map((name) => [name, factor] as const)),
);

/** A short word for a factor, with nothing but units beside it: `USD m`, but not `Class B` or `Công ty`. */
const SHORT = new RegExp(
  String.raw`(?:^|[^\p{L}\p{N}\s.&/]\s?|(?<!\p{L})(?:in|of|usd|vn[dđ]|jpy|eur)\s)(${[...SHORT_FACTORS.keys()].join("|")})(?=$|[^\p{L}\p{N}\s/]|\s?${COUNTED}|\sof\s)`,
  "iu",
);

const DIGITS = Object.entries({ 十: 10, 百: 100, 千: 1e3, 万: 1e4, 萬: 1e4, 億: 1e8 });

/** A number in Japanese, such as 百万 or 100万, before what it counts or alone, but not in the name 千葉. */
const JAPANESE = /(1[0,]*)?([十百千万萬億]+)(?=[株股円口枚手元ド米ユ¥$]|$|[^\p{L}\p{N}])/u;

const NUMBER = String.raw`(1[.,' ]?000[.,' ]?000|1[.,' ]?000|100|10)`;

/** A number that multiplies: before what it counts, behind a sign or a word for it, or alone. A date, a time, `100%` and `per 100 USD` are none. */
const NUMBERS = [
  String.raw`(?<![\p{L}\p{N}:.,'/-]|\b(?:per|je) )${NUMBER}s?\s?(?=${COUNTED})`,
  String.raw`(?<!\p{L})[x×]\s?${NUMBER}(?![\p{N}:.,%])`,
  String.raw`(?:^|[([]|(?<!\p{L})(?:in|of)\s)\s?${NUMBER}s?(?=$|\s?[)\]])`,
].map((pattern) => new RegExp(pattern, "iu"));

/** The factor that a text names; 1 without one. */
function factorIn(text: string): number {
  const [, ones = "1", japanese] = JAPANESE.exec(text) ?? [];
  if (japanese !== undefined) {
    const product = DIGITS.map(([digit, value]) => value ** (japanese.split(digit).length - 1));
    return product.reduce((a, b) => a * b, Number(ones.replaceAll(",", "")));
  }
  const [, short] = SHORT.exec(text) ?? [];
  if (short !== undefined) return SHORT_FACTORS.get(short.toLowerCase()) ?? 1;
  const [, number] = NUMBERS.map((pattern) => pattern.exec(text)).find(Boolean) ?? [];
  if (number !== undefined) return Number(number.replaceAll(/\D/g, ""));
  return FACTORS.find(([words]) => words.test(text))?.[1] ?? 1;
}

/** Words and signs for currencies; their codes are found without this list. */
const CURRENCIES: readonly (readonly [words: RegExp, code: string])[] = [
  [/(?<!\p{L})(?:pence|penny|GBp|GBX)(?!\p{L})/u, "GBX"],
  [words("¢|セント", "cents?"), "USX"],
  [/HK\$|hong kong dollar|香港ドル/i, "HKD"],
  [/NZ\$|new zealand dollar|(?:NZ|ニュージーランド)ドル/i, "NZD"],
  [/MX\$/, "MXN"],
  [/NT\$|taiwan dollar|台湾ドル/i, "TWD"],
  [/R\$/, "BRL"],
  [/(?<!U)S\$|singapore dollar|シンガポール・?ドル/i, "SGD"],
  [/A\$|australian dollar|(?:豪|オーストラリア・?)ドル/i, "AUD"],
  [/C\$|canadian dollar|(?:加|カナダ・?)ドル/i, "CAD"],
  [words(String.raw`\$|ドル`, "dollars?"), "USD"],
  [words("€|ユーロ", "euros?"), "EUR"],
  [words("£|ポンド", "pounds?"), "GBP"],
  [/CN¥|元/, "CNY"],
  [words("¥|円", "yen"), "JPY"],
  [words("₫|đồng", "vn[đd]|đ"), "VND"],
  [/₩|ウォン/, "KRW"],
  [/₹|(?<!\p{L})Rs(?!\p{L})/u, "INR"],
  [/฿/, "THB"],
  [/₱/, "PHP"],
  [/₪/, "ILS"],
  [/₺/, "TRY"],
  [/₽/, "RUB"],
  [/zł/, "PLN"],
];

const codes = lazy(
  () => new Set([...Intl.supportedValuesOf("currency"), "USX", "GBX", "ILA", "ZAC", "KWF"]),
);

/** Codes that are read in small letters too. Others are also words, such as "all" and "top". */
const ANY_CASE = /^(?:usd|eur|gbp|jpy|vnd|cny|hkd|cad|aud|chf|krw|twd|sgd|inr|nzd|thb)$/i;

const SHARES = words("株|股|口", "shares?|stück|aktien|cổ phiếu|co phieu|cp|ccq");
const LOTS = words("単元|枚|手", "lots?|lô|contracts?");

/** The unit in a text; other words do not count. */
export function unitIn(written: string): WrittenUnit {
  const text = normalForm(written, "NFKC");
  return {
    factor: factorIn(text),
    currency: currencyOfText(text),
    countsShares: SHARES.test(text) ? true : LOTS.test(text) ? false : null,
  };
}

/** A dollar or a pound with another word before it, such as `Canadian Dollar` or 豪ドル. */
const FOREIGN =
  /(?<!\p{L})(?!(?:american|british|thousands?|millions?|billions?|hundreds?|per|the) )(?:hong |new )?\p{L}{3,20} (?:dollars?|pounds?)(?!\p{L})|(?:豪|香港|台湾|[\p{Script=Katakana}ー]{2,10})(?:ドル|ポンド)/iu;

/** The currency that a text names by a sign, a word or a code, or in its words if those have no code here; null if it names none. */
export function currencyOfText(text: string): string | null {
  const isCode = (word: string) => codes().has(word) || ANY_CASE.test(word);
  const code =
    text
      .split(/[^\p{L}]+/u)
      .find(isCode)
      ?.toUpperCase() ?? null;
  const [, known] = CURRENCIES.find(([words]) => words.test(text)) ?? [];
  const [foreign] = known === "USD" || known === "GBP" ? (FOREIGN.exec(text) ?? []) : [];
  return foreign === undefined ? (known ?? code) : (code ?? foreign);
}

/** A word that announces the units of a table, in a line before its header. A unit of trading (売買単位, `đơn vị giao dịch`) is none. */
const ANNOUNCED =
  /(?:(?<!売買|の)単位|đơn vị(?: tính)?(?! giao dịch)|đvt|(?<!(?:trading|price|tick) )\bunits?\b|\beinheit\b|\bcurrency\b|\bwährung\b|通貨|\bdevise\b|\bmoneda\b|tiền tệ)[\s:：=,;]+(\S.*)$/iu;
/** A sentence about figures: `Prices in cents`, `(in thousands)`. `Market cap (in millions)` is about another one. */
const SPOKEN =
  /(?:^\(?|\b(?:prices|amounts|figures|values|quotes|kurse|volumes?)(?: are)?[: (]{1,2})in (?:thousands?|millions?|hundreds?|cents|pence)\b[^,;)]*/giu;
const CURRENCY = /\bin [A-Z]{3}\b/g;

/** The parts of a line before a header that name units, such as `円` and `千株` of `単位:円、千株`. */
export function announcedUnits(line: string): string[] {
  const text = normalForm(line, "NFKC").slice(0, 300);
  const [, named] = ANNOUNCED.exec(text) ?? [];
  const parts = named?.split(/[、;/|\t]|,(?!\d{3})/) ?? [
    ...(text.match(SPOKEN) ?? []),
    ...(text.match(CURRENCY) ?? []),
  ];
  return parts.flatMap((part) => part.replace(/^[(,;:]/, "").trim() || []);
}
