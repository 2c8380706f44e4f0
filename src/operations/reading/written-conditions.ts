import { COUNTRIES, COUNTRY_CODES } from "#domain/country.ts";
import { invalidArgument } from "#domain/errors.ts";
import { parseJson } from "#lib/json.ts";
import { asTyped } from "#lib/as-typed.ts";
import { METRICS } from "#analytics/metrics.ts";
import { findMetric } from "./metric-names.ts";
import { isVietnamese, readLocalConditions } from "./local-conditions.ts";
import { FACTORS, POWERS } from "./written-numbers.ts";

// Conditions of a screen in other words than `pe<20`: numbers of other languages, `between`, objects.

/** Longer conditions are not read: they are refused for their length. */
const MAX_WRITTEN = 1_000;

/** A number in two parts, `1兆5000億`: the larger unit is ten thousand of the smaller one. */
const IN_TWO_PARTS =
  /(?<![\d.])(\d{1,12})(?:兆(\d{1,4})億|億(\d{1,4})万|万(\d{1,4})(?![\d.,万億兆]))/g;
const CURRENCY_MARKS: Readonly<Record<string, string>> = {
  US$: "USD",
  $: "USD",
  "¥": "JPY",
  円: "JPY",
  "₫": "VND",
  Đ: "VND",
  VNĐ: "VND",
  ĐỒNG: "VND",
  ドル: "USD",
  米ドル: "USD",
  DOLLAR: "USD",
  DOLLARS: "USD",
  "US DOLLARS": "USD",
  ĐÔ: "USD",
  "ĐÔ LA": "USD",
  "ĐÔ LA MỸ": "USD",
  YEN: "JPY",
  USD: "USD",
  JPY: "JPY",
  VND: "VND",
};
/** What can follow an operator in words: a number, or a median. */
const AFTER = String.raw`(?=[\d$¥₫.-]|(?:the |its )?(?:sector|industry)\b)`;
const OPERATOR_WORDS: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(
      ` (?:is )?(?:lte|at most|no more than|up to|nhỏ hơn hoặc bằng|tối đa|không quá) ${AFTER}`,
      "gi",
    ),
    "<=",
  ],
  [
    new RegExp(
      ` (?:is )?(?:gte|at least|no less than|lớn hơn hoặc bằng|tối thiểu|ít nhất|không dưới) ${AFTER}`,
      "gi",
    ),
    ">=",
  ],
  [new RegExp(` (?:is )?(?:lt|less than|below|under) ${AFTER}`, "gi"), "<"],
  [new RegExp(` (?:is )?(?:gt|greater than|more than|above|over) ${AFTER}`, "gi"), ">"],
  [new RegExp(` (?:dưới|thấp hơn|nhỏ hơn) ${AFTER}`, "gi"), "<"],
  [new RegExp(` (?:trên|cao hơn|lớn hơn|vượt) ${AFTER}`, "gi"), ">"],
];
/** Words around conditions: `alert me when price<380`, `khi giá<100000`. */
const OPENING =
  /^ *(?:please )?(?:(?:alert|notify|tell|warn) me )?(?:if|when|once|khi|nếu) (?:the )?/i;
/** Between conditions, behind a limit: `PER<10かつROE>20`, `P/E<15 và ROE>25`. Names of figures have these words too. */
const JOINED =
  /(?<=\d\S*(?: (?:nghìn|triệu|tỷ|tỉ|đồng|lần))*|以下|未満|以上|超え?) *(?:(かつ|且つ)|または|又は|もしくは| (và) | hoặc ) */gi;
/** `10倍`, `20x`, `15 lần`. */
const TIMES =
  /([^<>=≤≥,]+)([<>=≤≥]+ *[+-]?\d+(?:\.\d+)?) ?(?:倍|x|times|lần)(?= *(?:$|,| and | or |&&|\|\|))/gi;
/** What a figure does before it is below or above a limit: `price falls below 380`. */
const MOVES =
  / (?:falls?|drops?|goes|rises?|climbs?|crosses|breaks|gets|giảm|tăng|xuống|lên)(?: xuống| lên)?(?= (?:below|under|above|over|dưới|trên|vượt))/gi;
/** `株価が380円以下になったら`, `PERは15を下回る`. */
const JAPANESE =
  /([^,、]+?) ?[がは] ?([+-]?[\d.]+ ?[^\s,、\d]*?)(以下|未満|以上|超え?|を(?:下回|上回|超え|割))(?:[にと]?な?(?:り込)?(?:る|む|っ?たら?|んだら?|れば|ると))?(?:とき|時|場合)?(?=$|[,、]| and | or )/g;
/** `PER15倍以下`, `PBR1倍割れ`: without a particle, the number and its unit end with the word. */
const JAPANESE_JOINED =
  /([^\s,、\d<>=][^,、\d<>=]*?) ?([+-]?\d[\d.]* ?(?:[倍円株人年期%兆億万千百十]|[KMBT])*)(以下|未満|以上|超え?|割れ|以内)(?=$|[,、]| and | or )/g;
const JAPANESE_OPERATORS: Readonly<Record<string, string>> = {
  以下: "<=",
  未満: "<",
  割れ: "<",
  以上: ">=",
  超: ">",
  超え: ">",
  以内: "<=",
  を下回: "<",
  を割: "<",
  を上回: ">",
  を超え: ">",
};
/** Conditions that people name in a word. */
const STATES: Readonly<Record<string, string>> = {
  ストップ高: "below_ceiling<=0",
  "limit up": "below_ceiling<=0",
  "tăng trần": "below_ceiling<=0",
  "kịch trần": "below_ceiling<=0",
  trần: "below_ceiling<=0",
  ストップ安: "above_floor<=0",
  "khối ngoại mua ròng": "foreign_net_value>0",
  "khối ngoại bán ròng": "foreign_net_value<0",
  "hết room": "foreign_room=0",
  "còn room": "foreign_room>0",
  "limit down": "above_floor<=0",
  "giảm sàn": "above_floor<=0",
  "kịch sàn": "above_floor<=0",
  sàn: "above_floor<=0",
};
const STATE = new RegExp(
  `(?<=^|,| and | or ) *(?:cổ phiếu )?(${Object.keys(STATES).join("|")})(?:銘柄)? *(?=$|,| and | or )`,
  "gi",
);
const BETWEEN =
  /((?:^|,|\band\b|\bor\b|&&|\|\|)\s*)([^,<>=!]+?) (?:is )?between (\S+) (?:and|to) ([^\s,]+)/gi;
/** `not pe>15`, `!(pe>15)`. */
const NEGATED =
  /(^|,|&&|\|\||\band |\bor )\s*(?:not\b|!)\s*(\()?\s*([a-z_]\w*)\s*(<=|>=|!=|<|>|=)\s*([^\s,()]+)(\s*\))?/gi;
/** `pe!>15`. */
const NOT_OPERATOR = /(?<=\w)\s*!\s*([<>])\s*(?=[\d.-])/g;
const OPPOSITES: Readonly<Record<string, string>> = {
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
  "=": "!=",
  "!=": "=",
};
/** `pe<sector_median`, `pe < the industry's P/E median`: the median of the metric itself. */
const OWN_MEDIAN =
  /\b([a-z_]\w*)\s*(<=|>=|<|>)\s*(?:the |its )?(sector|industry)(?:'s)?[ _]?(?:\1[ _]?)?median\b/gi;
/** A number with T: `>10T`. */
const TRILLIONS = /[<>=≤≥] ?(\d[\d.]*) ?T(?!\p{L})/iu;
const escaped = (words: readonly string[]) =>
  words
    .toSorted((a, b) => b.length - a.length)
    .map((word) => word.replaceAll("$", "\\$"))
    .join("|");
const AMOUNT = new RegExp(
  `([<>=≤≥] *)(?:(${escaped(Object.keys(CURRENCY_MARKS))}) *)?([+-]?\\d+(?:\\.\\d+)?)(?: *(${escaped([...Object.keys(POWERS), ...Object.keys(FACTORS)])}|[KMBT](?![a-z])))?(?: *(${escaped(Object.keys(CURRENCY_MARKS))}))?(?= *(?:$|,| and | or |&&|\\|\\|))`,
  "gi",
);

/**
 * Conditions in the words of the language of screens: `market_cap>10B` for `market_cap > 10bn`, `market_cap>1T` for
 * `market_cap>1兆`, `pe>=5,pe<=10` for `pe between 5 and 10`. An amount with the mark of a currency keeps its code:
 * `market_cap>USD10B` for `market_cap>$10B`. Null if nothing is to be changed.
 *
 * @throws BourseError `invalid_argument` for T, and for a point that can separate thousands, beside Vietnamese words
 */
export function readConditions(written: string): string | null {
  if (written.length > MAX_WRITTEN) return null;
  const text = written.startsWith("{") ? (readObject(parseJson(written)) ?? written) : written;
  const local = readLocalConditions(asTyped(text.replaceAll("￥", "¥").replaceAll("、", ",")));
  const [, number] = TRILLIONS.exec(local) ?? [];
  if (number !== undefined && isVietnamese(local)) {
    throw invalidArgument(`where has "${number}T", which in Vietnamese can mean tỷ or nghìn tỷ.`, {
      param: "where",
      hint: `Write ${number} tỷ for ${number} billion, or ${number} nghìn tỷ for ${number} trillion.`,
    });
  }
  const folded = local
    .replaceAll(IN_TWO_PARTS, (_, large: string, ...found: (string | undefined)[]) => {
      const at = [0, 1, 2].find((i) => found[i] !== undefined) ?? 0;
      return `${Number(large) * 1e4 + Number(found[at])}${["億", "万", ""][at]}`;
    })
    .replaceAll(NEGATED, (whole, start: string, open: string | undefined, ...found: string[]) => {
      const [name = "", operator = "", value = "", close = ""] = found;
      const isWhole = (open === undefined) === (close === "");
      return isWhole ? `${start}${name}${OPPOSITES[operator] ?? operator}${value}` : whole;
    })
    .replaceAll(NOT_OPERATOR, (_, operator: string) => OPPOSITES[operator] ?? operator);
  const plain = folded
    .replace(OPENING, "")
    .replaceAll(JOINED, (_, also?: string, too?: string) => ((also ?? too) ? " and " : " or "))
    .replaceAll(STATE, (_, state: string) => STATES[state.toLowerCase()] ?? state)
    .replaceAll(JAPANESE, (_, name: string, limit: string, words: string) =>
      [name, JAPANESE_OPERATORS[words], limit.replace(/[株人年期]$/, "")].join(""),
    )
    .replaceAll(JAPANESE_JOINED, (_, name: string, limit: string, words: string) =>
      [name, JAPANESE_OPERATORS[words], limit.replace(/[倍株人年期]$/, "")].join(""),
    )
    .replaceAll(MOVES, "");
  const spoken = OPERATOR_WORDS.reduce(
    (rest, [words, operator]) => rest.replaceAll(words, operator),
    plain.replaceAll(BETWEEN, "$1$2>=$3,$2<=$4"),
  );
  const own = spoken.replaceAll(OWN_MEDIAN, (_, name: string, operator: string, group: string) => {
    const metric = name.toLowerCase();
    return `${metric}${operator}${group.toLowerCase()}.${metric}_median`;
  });
  const counted = own.replaceAll(TIMES, (whole, name: string, limit: string) => {
    const metric = findMetric(name.replace(/^.*(?: and | or |&&|\|\|)/i, ""));
    return metric !== null && METRICS[metric].unit === "multiple" ? name + limit : whole;
  });
  const meant = counted.replaceAll(AMOUNT, (...found: (string | undefined)[]) => amountOf(found));
  return meant === written ? null : meant;
}

/** The units that the language of screens has. */
const KNOWN_UNIT = /^(?:[kmbt]|(?:m|b|tr)illion)?$/i;

function amountOf(found: readonly (string | undefined)[]): string {
  const [whole = "", operator = "", mark, digits = "", unit = "", yen] = found;
  const factor = FACTORS[unit];
  const power = POWERS[unit.toLowerCase()] ?? unit;
  const isWritten = mark === undefined && yen === undefined && factor === undefined;
  if (isWritten && KNOWN_UNIT.test(unit)) return whole;
  const currency = CURRENCY_MARKS[(mark ?? yen ?? "").toUpperCase()] ?? "";
  const number = factor === undefined ? `${digits}${power}` : String(Number(digits) * factor);
  return `${operator.trim()}${currency}${number}`;
}

const OBJECT_OPERATORS: Readonly<Record<string, string>> = {
  lt: "<",
  lte: "<=",
  le: "<=",
  max: "<=",
  gt: ">",
  gte: ">=",
  ge: ">=",
  min: ">=",
  eq: "=",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
  "=": "=",
};

/** `pe<15,pe>5` for `{ pe: { lt: 15, gt: 5 } }`, `pe<15` for `{ pe: "<15" }`; null for other objects. */
export function readObject(value: unknown): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const conditions: string[] = [];
  for (const [metric, limits] of Object.entries(value)) {
    if (typeof limits === "string" && /^ *[<>=]/.test(limits)) {
      conditions.push(`${metric}${limits.trim()}`);
      continue;
    }
    if (typeof limits !== "object" || limits === null) return null;
    for (const [name, limit] of Object.entries(limits as object)) {
      const operator = OBJECT_OPERATORS[name.replace(/^\$/, "").toLowerCase()];
      if (!operator || !["number", "string"].includes(typeof limit)) return null;
      conditions.push(`${metric}${operator}${String(limit)}`);
    }
  }
  return conditions.length > 0 ? conditions.join(",") : null;
}

const CODED = /([<>=≤≥])(USD|JPY|VND)(?=[+-]?\d)/g;
const CODED_AMOUNT = /([^<>=!≤≥≠,]*)[<>=!≤≥≠]+(USD|JPY|VND)(?=[+-]?\d)/g;

/**
 * Conditions that `readConditions` has read, without codes of currencies; the code that they have, or null; and the name
 * before each amount with its code.
 *
 * @throws BourseError `invalid_argument` about `where` if they name several currencies
 */
export function splitCurrency(where: string) {
  const amounts = [...where.matchAll(CODED_AMOUNT)].map(
    ([, name = "", code = ""]) => [name.replace(/^.*(?: and | or |&&|\|\|)/i, ""), code] as const,
  );
  const [currency = null, other] = new Set(amounts.map(([, code]) => code));
  if (other !== undefined) {
    throw invalidArgument(`where has amounts in ${currency} and in ${other}.`, {
      param: "where",
      hint: "Write all amounts in one currency.",
    });
  }
  return { where: where.replaceAll(CODED, "$1"), currency, amounts };
}

/**
 * The conditions without the codes of currencies.
 *
 * @throws BourseError `invalid_argument` if they name another currency than the one in which the screen compares
 */
export function withoutCurrency(
  where: string,
  country: string,
  currency: string | undefined,
): string {
  // Several countries are compared in dollars.
  const own =
    currency ??
    COUNTRY_CODES.flatMap((one) => (one === country ? COUNTRIES[one].currency : []))[0] ??
    "USD";
  for (const [, , code = ""] of where.matchAll(CODED)) {
    if (code === own) continue;
    throw invalidArgument(`where names an amount in ${code}, but the screen compares in ${own}.`, {
      param: "where",
      hint: `Add currency=${code}.`,
    });
  }
  return where.replaceAll(CODED, "$1");
}
