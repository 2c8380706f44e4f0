import { type Metric, type MetricName, METRICS } from "#analytics/metrics.ts";
import { invalidArgument } from "#domain/errors.ts";
import { findMetric } from "./metric-names.ts";
import { FACTORS, hintOnPoints, POWERS } from "./written-numbers.ts";

// One condition in the words of three languages: a figure, what it is compared with, and the unit of the limit.

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

const escaped = (words: readonly string[]) =>
  words
    .toSorted((a, b) => b.length - a.length)
    .map((word) => word.replaceAll("$", "\\$"))
    .join("|");

const SHARES: readonly MetricName[] = ["volume", "foreign_room", "shares_outstanding"];
const PEOPLE: readonly MetricName[] = ["employees", "analyst_count"];
const isOneOf = (metrics: readonly MetricName[]) => (name: MetricName) => metrics.includes(name);
const isMultiple = (name: MetricName) => METRICS[name].unit === "multiple";
const countsYears = (name: MetricName) => METRICS[name].period === "calendar years";

/** What a limit counts, behind its number, and the metrics that count it. */
const COUNTED: Readonly<Record<string, (name: MetricName) => boolean>> = {
  倍: isMultiple,
  x: isMultiple,
  times: isMultiple,
  lần: isMultiple,
  株: isOneOf(SHARES),
  "cổ phiếu": isOneOf(SHARES),
  cp: isOneOf(SHARES),
  人: isOneOf(PEOPLE),
  người: isOneOf(PEOPLE),
  年: countsYears,
  期: countsYears,
};

const MARK = escaped(Object.keys(CURRENCY_MARKS));
const POWER = `${escaped([...Object.keys(POWERS), ...Object.keys(FACTORS)])}|[KMBT](?![a-z])`;
const UNIT = `(?: ?(?:${POWER}|${MARK}|${escaped(Object.keys(COUNTED))}|%))*`;
/** A number with its mark and its units: `$10B`, `15%`, `1000億円`. */
const LIMIT = String.raw`((?:(?:${MARK}) ?)?(?<![\d.])[+-]?\d[\d.]*)(${UNIT})`;
/** A name of a figure, which does not end in a dash before a number. */
const NAME = String.raw`^([^<>=≤≥]*?[^<>=≤≥\s~〜-])`;

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

/** What a condition in words means: conditions with operators, separated by commas; null if it is not certain. */
type Reading = (...found: string[]) => string | null;

const HAS_POWER = new RegExp(POWER, "iu");

const between: Reading = (name, low = "", unit = "", high = "", last = "", word = "以下") => {
  // `5億〜10` can end at ten or at 10億.
  if (last === "" && HAS_POWER.test(unit)) return null;
  const [from, to] = [unit || last, last || unit];
  if (from === to && Number(low) > Number(high)) return null;
  return `${name}>=${low}${from},${name}${JAPANESE_OPERATORS[word]}${high}${to}`;
};

/** Conditions in words, each as a whole. */
const FORMS: readonly (readonly [RegExp, Reading])[] = [
  // `PERが10〜20倍`, `P/E từ 5 đến 10`, `price 100-200`.
  [
    new RegExp(
      `${NAME} ?(?:[がは]|từ|trong khoảng)? ?${LIMIT} ?(?:[~〜-]|から|đến|tới) ?${LIMIT}(?: ?の(?:間|範囲))?$`,
      "iu",
    ),
    between,
  ],
  // `PER10倍以上20倍以下`.
  [new RegExp(`${NAME} ?[がは]? ?${LIMIT}以上 ?${LIMIT}(以下|未満)$`, "iu"), between],
  [
    new RegExp(String.raw`${NAME} (?:is )?between (\S+) to (\S[^,]*)$`, "iu"),
    (name, low, high) => `${name}>=${low},${name}<=${high}`,
  ],
  // `ROE từ 15% trở lên`.
  [
    new RegExp(`${NAME} (?:từ )?${LIMIT} ?trở (lên|xuống)$`, "iu"),
    (name = "", digits = "", unit = "", word = "") =>
      [name, word === "lên" ? ">=" : "<=", digits, unit].join(""),
  ],
  // `PER15倍以下`, `株価が380円以下になったら`, `PERは15を下回る`.
  [
    new RegExp(
      `${NAME} ?[がは]? ?${LIMIT} ?(以下|未満|以上|超え?|割れ|以内|を(?:下回|上回|超え|割))(?:[にと]?な?(?:り込)?(?:る|む|っ?たら?|んだら?|れば|ると))?(?:とき|時|場合)?$`,
      "iu",
    ),
    (name, digits, unit, word = "") => [name, JAPANESE_OPERATORS[word], digits, unit].join(""),
  ],
];

/** What can follow an operator in words: a number, or a median. */
const AFTER = String.raw`(?=[\d$¥₫.+-]|(?:the |its )?(?:sector|industry)\b)`;
const OPERATOR_WORDS: readonly (readonly [RegExp, string])[] = (
  [
    ["(?:is )?(?:lte|at most|no more than|up to)|nhỏ hơn hoặc bằng|tối đa|không quá", "<="],
    ["(?:is )?(?:gte|at least|no less than)|lớn hơn hoặc bằng|tối thiểu|ít nhất|không dưới", ">="],
    ["(?:is )?(?:lt|less than|below|under)|dưới|thấp hơn|nhỏ hơn", "<"],
    ["(?:is )?(?:gt|greater than|more than|above|over)|trên|cao hơn|lớn hơn|vượt", ">"],
  ] as const
).map(([words, operator]) => [new RegExp(` (?:${words}) ${AFTER}`, "gi"), operator] as const);
/** What a figure does before it is below or above a limit: `price falls below 380`. */
const MOVES =
  / (?:falls?|drops?|goes|rises?|climbs?|crosses|breaks|gets|giảm|tăng|xuống|lên)(?: xuống| lên)?(?= (?:below|under|above|over|dưới|trên|vượt))/gi;

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

/** `not pe>15`, `!(pe>15)`. */
const NEGATED = /^(?:not\b|!)\s*(\()?\s*([a-z_]\w*)\s*(<=|>=|!=|<|>|=)\s*([^\s()]+)(?:\s*(\)))?$/i;
/** `pe!>15`. */
const NOT_OPERATOR = /(?<=\w)\s*!\s*([<>])\s*(?=[\d.-])/;
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
  /\b([a-z_]\w*)\s*(<=|>=|<|>)\s*(?:the |its )?(sector|industry)(?:'s)?[ _]?(?:\1[ _]?)?median\b/i;
/** A number in two parts, `1兆5000億`: the larger unit is ten thousand of the smaller one. */
const IN_TWO_PARTS =
  /(?<![\d.])(\d{1,12})(?:兆(\d{1,4})億|億(\d{1,4})万|万(\d{1,4})(?![\d.,万億兆]))/g;

/**
 * A condition in the language of screens, without spaces around it: `pe>=10,pe<=20` for `PERが10〜20倍`. Others stay.
 *
 * @param notation `vi` if a point before three digits can separate thousands
 * @throws BourseError `invalid_argument` about `where` for a number that can have two meanings in Vietnamese
 */
export function readCondition(written: string, notation: "en" | "vi"): string {
  const text = written.trim().replaceAll(IN_TWO_PARTS, joinParts);
  const stated = STATES[text.toLowerCase().replace(/^cổ phiếu |銘柄$/g, "")];
  if (stated !== undefined) return stated;
  const positive = text
    .replace(NEGATED, (whole, open: string | undefined, ...found: string[]) => {
      const [name = "", operator = "", value = "", close] = found;
      const isWhole = (open === undefined) === (close === undefined);
      return isWhole ? `${name}${OPPOSITES[operator] ?? operator}${value}` : whole;
    })
    .replace(NOT_OPERATOR, (_, operator: string) => OPPOSITES[operator] ?? operator);
  const form = readForm(positive);
  const symbols = form ?? readOperators(positive.replaceAll(MOVES, ""));
  const meant = symbols
    .replace(OWN_MEDIAN, (_, name: string, operator: string, group: string) => {
      const metric = name.toLowerCase();
      return `${metric}${operator}${group.toLowerCase()}.${metric}_median`;
    })
    .split(",")
    .map((one) => readLimit(one, notation, form !== null))
    .join(",");
  return meant === written.trim() ? written : meant;
}

function joinParts(_: string, large: string, ...found: (string | undefined)[]): string {
  const at = [0, 1, 2].find((i) => found[i] !== undefined) ?? 0;
  return `${Number(large) * 1e4 + Number(found[at])}${["億", "万", ""][at]}`;
}

function readForm(text: string): string | null {
  for (const [form, meaningOf] of FORMS) {
    const [whole, ...found] = form.exec(text) ?? [];
    if (whole !== undefined) return meaningOf(...found);
  }
  return null;
}

const readOperators = (text: string) =>
  OPERATOR_WORDS.reduce((rest, [words, operator]) => rest.replaceAll(words, operator), text);

/** The units that the language of screens has. */
const KNOWN_UNIT = /^(?:[kmbt]|(?:m|b|tr)illion)?$/i;
const COMPARED = /^([^<>=!≤≥≠]*)([<>=!≤≥≠]+) *(.*)$/;
const AMOUNT = new RegExp(
  `^(?:(${MARK}) *)?([+-]?\\d+(?:\\.\\d+)?(?:e[+-]?\\d{1,2})?)(?: *(${POWER}))?(?: *(?:(${MARK})|(${escaped(Object.keys(COUNTED))})))?$`,
  "i",
);
/** `1.234` without a unit: the point can separate thousands or a fraction. */
const UNCLEAR = /^[+-]?([1-9]\d{0,2}(?:\.\d{3})+)(?![\d.]| ?%)/;
/** Figures that hardly have thousands. */
const FRACTIONS: ReadonlySet<Metric["unit"]> = new Set([
  "percent",
  "change",
  "multiple",
  "index",
  "percentile",
  "rating",
]);

/** The limit in plain numbers and letters, with the code of its currency: `market_cap>USD10B` for `market_cap>$10bn`. */
function readLimit(text: string, notation: "en" | "vi", isInWords: boolean): string {
  const [, name = "", operator = "", limit = ""] = COMPARED.exec(text) ?? [];
  const metric = findMetric(name);
  const [whole, mark, digits = "", unit = "", end, counted] = AMOUNT.exec(limit) ?? [];
  if (notation === "vi" && mark === undefined) refuseUnclear(metric, limit, digits, unit);
  const codes = new Set(
    [mark, end].flatMap((one) => CURRENCY_MARKS[one?.toUpperCase() ?? ""] ?? []),
  );
  // Two currencies, or a point that can separate thousands: the limit is no number for the language of screens.
  if (whole === undefined || codes.size > 1 || hintOnPoints(digits) !== null) return text;
  const isCounted = counted !== undefined;
  if (isCounted && (metric === null || !COUNTED[counted.toLowerCase()]?.(metric))) {
    // `1年>5年` compares two returns, `ROEが5年以上` nothing.
    if (!isInWords || findMetric(limit) === null) return text;
    throw invalidArgument(`where must compare ${name} with a number, not "${limit}".`, {
      param: "where",
      hint: "Write the number alone, or compare two figures as return_1y>return_5y.",
    });
  }
  const factor = FACTORS[unit];
  const power = POWERS[unit.toLowerCase()] ?? unit;
  const isWritten = mark === undefined && end === undefined && factor === undefined && !isCounted;
  if (isWritten && KNOWN_UNIT.test(unit)) return text;
  const [currency = ""] = codes;
  const number =
    factor === undefined
      ? `${digits}${power}`
      : String(Number((Number(digits) * factor).toPrecision(15)));
  return `${name}${operator}${currency}${number}`;
}

function refuseUnclear(
  metric: MetricName | null,
  limit: string,
  digits: string,
  unit: string,
): void {
  if (unit.toUpperCase() === "T") {
    throw invalidArgument(`where has "${digits}T", which in Vietnamese can mean tỷ or nghìn tỷ.`, {
      param: "where",
      hint: `Write ${digits} tỷ for ${digits} billion, or ${digits} nghìn tỷ for ${digits} trillion.`,
    });
  }
  const [, unclear] = UNCLEAR.exec(limit) ?? [];
  if (unclear === undefined || (metric !== null && FRACTIONS.has(METRICS[metric].unit))) return;
  throw invalidArgument(`where has ${unclear}, whose point can separate thousands or a fraction.`, {
    param: "where",
    hint: `Write ${unclear} as ${unclear.replaceAll(".", "")} if its points separate thousands, else with one or two decimals.`,
  });
}
