import { COUNTRIES, COUNTRY_CODES } from "#domain/country.ts";
import { invalidArgument } from "#domain/errors.ts";
import { parseJson } from "#lib/json.ts";
import { asTyped } from "#lib/as-typed.ts";
import { type Metric, METRICS } from "#analytics/metrics.ts";
import { findMetric } from "./metric-names.ts";
import { isVietnamese, readLocalConditions } from "./local-conditions.ts";
import { readCondition } from "./one-condition.ts";

// Conditions of a screen in other words than `pe<20`: `local-conditions.ts` has the numbers of other languages,
// `one-condition.ts` the words of one condition. Here they are objects, and amounts with currencies.

/** Longer conditions are not read: they are refused for their length. */
const MAX_WRITTEN = 1_000;

/** A longer condition is no words of a person. The time of reading grows with the square of one condition. */
const MAX_CONDITION = 150;
/** Words around conditions: `alert me when price<380`, `khi giá<100000`. */
const OPENING =
  /^ *(?:please )?(?:(?:alert|notify|tell|warn) me )?(?:if|when|once|khi|nếu) (?:the )?/i;
/** Between two limits, whose `and` joins no conditions: `pe between 5 and 10`. */
const BETWEEN = / between (\S{1,40}) (?:and|và) (?=[^\s,])/gi;
/** Between two conditions. */
const SEPARATORS = /(,| and | or |&&|\|\|)/i;

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
  const typed = asTyped(text.replaceAll("￥", "¥").replaceAll("、", ","))
    .replace(OPENING, "")
    .replaceAll(BETWEEN, " between $1 to ");
  const local = readLocalConditions(typed);
  const notation = isVietnamese(local) ? "vi" : "en";
  const meant = local
    .split(SEPARATORS)
    .map((one) => (one.length > MAX_CONDITION ? one : readCondition(one, notation)))
    .join("");
  return meant === written ? null : meant;
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

/** The units of metrics that are amounts of a currency. */
export const AMOUNTS: ReadonlySet<Metric["unit"]> = new Set([
  "price",
  "price difference",
  "money",
  "reported",
  "reported per share",
]);

/**
 * Conditions that `readConditions` has read, without codes of currencies; and the code that they have, or null.
 *
 * @throws BourseError `invalid_argument` about `where` if they name several currencies, or one beside a figure that is no
 * amount
 */
export function splitCurrency(where: string) {
  const amounts = [...where.matchAll(CODED_AMOUNT)].map(
    ([, name = "", code = ""]) => [name.replace(/^.*(?: and | or |&&|\|\|)/i, ""), code] as const,
  );
  for (const [name, code] of amounts) {
    const metric = findMetric(name);
    if (metric === null || AMOUNTS.has(METRICS[metric].unit)) continue;
    throw invalidArgument(`${metric} is no amount, but where compares it with ${code}.`, {
      param: "where",
      hint: "Write its number without a currency.",
    });
  }
  const [currency = null, other] = new Set(amounts.map(([, code]) => code));
  if (other !== undefined) {
    throw invalidArgument(`where has amounts in ${currency} and in ${other}.`, {
      param: "where",
      hint: "Write all amounts in one currency.",
    });
  }
  return { where: where.replaceAll(CODED, "$1"), currency };
}

/**
 * The conditions without the codes of currencies.
 *
 * @throws BourseError `invalid_argument` if they name another currency than the one in which the screen compares
 */
export function withoutCurrency(
  written: string,
  country: string,
  currency: string | undefined,
): string {
  const { where, currency: code } = splitCurrency(written);
  // Several countries are compared in dollars.
  const own =
    currency ??
    COUNTRY_CODES.flatMap((one) => (one === country ? COUNTRIES[one].currency : []))[0] ??
    "USD";
  if (code === null || code === own) return where;
  throw invalidArgument(`where names an amount in ${code}, but the screen compares in ${own}.`, {
    param: "where",
    hint: `Add currency=${code}.`,
  });
}
