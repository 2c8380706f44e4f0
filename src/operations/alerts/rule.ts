import { BourseError } from "#domain/errors.ts";
import type { ListItem } from "#domain/user-list.ts";
import { METRICS } from "#analytics/metrics.ts";
import { asTyped } from "#lib/as-typed.ts";
import { closest } from "#lib/closest.ts";
import { findMetric } from "#operations/reading/metric-names.ts";
import { quote, refused } from "#operations/reading/metric-query.ts";
import { type Condition, parseScreen } from "#operations/reading/screen-language.ts";
import { AMOUNTS, readConditions, splitCurrency } from "#operations/reading/written-conditions.ts";
import { limitsOfScreen } from "./screen-bounds.ts";
import { type BriefRule, EVENT_WORDS, type EventRule, readBrief, readEvent } from "./rule-words.ts";

/** A condition of the language of screens: `price<380`. */
export interface ConditionRule {
  readonly kind: "condition";
  /** In the words of the language of screens: `price<380`. */
  readonly text: string;
  /** Alternatives, each a list of conditions that all must hold. */
  readonly screen: readonly (readonly Condition[])[];
  /** The ISO code of the currency in which amounts are written; null for the own currency of each instrument. */
  readonly currency: string | null;
  /** What was probably meant otherwise, and what can never or always hold. */
  readonly notes: readonly string[];
}

/** When an alert sends a message. `text` is the rule in its usual form, which `parseRule` reads again. */
export type Rule = ConditionRule | EventRule | BriefRule;

/** The forms of a rule, each with an example. */
const FORMS =
  "a condition (price<380), an event (earnings in 1d, ex_date in 2d, statement, rating_change, release CPI JP) or a brief (brief daily 07:30)";

/**
 * Parses when an alert sends a message: a condition, an event or a brief, in English, Japanese or Vietnamese words.
 *
 * @throws BourseError `invalid_argument` about `when` with the nearest right form
 */
export function parseRule(written: string): Rule {
  refuseLong(written, "when");
  const text = asTyped(written).trim().replaceAll(/\s+/g, " ");
  const rule = readBrief(text) ?? readEvent(text);
  if (rule) return rule;
  return parseCondition(text, "when");
}

/**
 * Parses the condition of a thesis, which holds while the thesis does: `roe>25,revenue_growth>0`.
 *
 * @throws BourseError `invalid_argument` about `while` with the nearest right form
 */
export function parseThesis(written: string): ConditionRule {
  refuseLong(written, "while");
  return parseCondition(asTyped(written).trim(), "while");
}

/** Characters of a rule before it is in its usual form. Reading takes time that grows faster than its text. */
const MOST_WRITTEN = 1_200;

function refuseLong({ length }: string, param: "when" | "while"): void {
  if (length <= MOST_WRITTEN) return;
  throw refused(param, `${param} has ${length} characters, and at most ${MOST_WRITTEN} are read.`, {
    hint: "Write two alerts, or fewer conditions.",
  });
}

/**
 * The items with their theses in the usual form.
 *
 * @throws BourseError `invalid_argument` that names the item whose condition cannot be read
 */
export function readTheses(items: readonly ListItem[]): ListItem[] {
  return items.map((item) => {
    if (!item.thesis) return item;
    try {
      return { ...item, thesis: { ...item.thesis, while: parseThesis(item.thesis.while).text } };
    } catch (thrown) {
      if (!(thrown instanceof BourseError)) throw thrown;
      const about = `The thesis of ${item.country}:${item.symbol}: ${thrown.message}`;
      throw new BourseError(thrown.code, about, thrown.details);
    }
  });
}

function parseCondition(text: string, param: "when" | "while"): ConditionRule {
  try {
    const read = readConditions(text) ?? text;
    if (!/[<>=≤≥≠]/.test(read)) throw noRule(text, param);
    const { where, currency } = splitCurrency(read);
    refuseFilters(where, param);
    const screen = parseScreen(where);
    const notes = screen.flat().flatMap(({ note }) => note ?? []);
    return {
      kind: "condition",
      text: textOf(screen, currency),
      screen,
      currency,
      notes: [...new Set([...notes, ...limitsOfScreen(screen)])],
    };
  } catch (thrown) {
    if (!(thrown instanceof BourseError)) throw thrown;
    // The language of screens names its own argument.
    const message = thrown.message.replaceAll(/\bwhere\b/g, param);
    throw new BourseError(thrown.code, message, { ...thrown.details, param });
  }
}

/** A screen in the usual form: `price<380 USD,rsi<30`. */
function textOf(screen: readonly (readonly Condition[])[], currency: string | null): string {
  const textOfOne = ({ metric, operator, right, text }: Condition) => {
    const [, written = ""] = /[<>=!≤≥≠]([^<>=!≤≥≠]*)$/.exec(text) ?? [];
    const isAmount = right.kind === "number" && AMOUNTS.has(METRICS[metric].unit);
    const operand =
      right.kind === "number"
        ? written.trim()
        : right.kind === "metric"
          ? right.metric
          : right.name;
    return `${metric}${operator}${operand}${isAmount && currency !== null ? ` ${currency}` : ""}`;
  };
  return screen.map((conditions) => conditions.map(textOfOne).join(",")).join(" or ");
}

/** @throws BourseError for a filter, which screens have as an argument, and alerts in what they watch */
function refuseFilters(text: string, param: "when" | "while"): void {
  const [, written] =
    /(?:^|[,\s])(?:not |!)?(sector|industry|country|exchange) *[=:!≠]/i.exec(text) ?? [];
  const filter = written?.toLowerCase();
  if (filter === undefined) return;
  throw refused(param, `${param} compares figures, and ${filter} is none.`, {
    hint:
      param === "while"
        ? "Leave it out: a thesis is about one company."
        : `Leave it out, and watch a symbol or list:NAME, with the companies of the ${filter} as its items.`,
  });
}

/** The error about a text that is no condition, event or brief. */
function noRule(text: string, param: "when" | "while"): BourseError {
  const hint = hintOn(text);
  return refused(
    param,
    param === "while"
      ? `while must be conditions such as roe>25,revenue_growth>0, not ${quote(text)}.`
      : `when must be ${FORMS}, not ${quote(text)}.`,
    hint === null ? {} : { hint },
  );
}

const FALLS = /\b(?:falls?|drops?|down|lose|loses|decline)\b|giảm|下落|下が|値下|安/i;
const RISES = /\b(?:rises?|up|gains?|climbs?|increases?|jumps?)\b|tăng|上昇|上が|値上|高/i;

/** What a text without an operator can mean; null if nothing is near. */
function hintOn(text: string): string | null {
  if (/\blist *:/i.test(text))
    return "Give the list in watch, and write when for each of its items.";
  const [grouped] = /(?<!\d)\d{1,3}(?:,\d{3})+(?!\d)/.exec(text) ?? [];
  if (grouped !== undefined)
    return `A comma separates conditions: write ${grouped} as ${grouped.replaceAll(",", "")}.`;
  const [, percent] = /(\d+(?:\.\d+)?) ?%/.exec(text) ?? [];
  if (percent !== undefined) {
    if (FALLS.test(text))
      return `Write change_percent<-${percent} for a fall within a day, or below_high_52w>${percent} for one from the high of 52 weeks.`;
    if (RISES.test(text)) return `Write change_percent>${percent} for a rise within a day.`;
  }
  const [, name = "", number] = /^(.+?)[ :]*([+-]?\d[\d.,]*(?: ?[KMBT%])?)?$/i.exec(text) ?? [];
  const metric = findMetric(name.replace(/ (?:crosses|hits|reaches|is|at|to)$/i, ""));
  if (metric !== null) {
    const limit = number ?? METRICS[metric].example;
    return `Did you mean ${metric}<${limit} or ${metric}>${limit}?`;
  }
  const [word = ""] = text.split(/ (?=in |\d)/);
  const near = closest(word, EVENT_WORDS.keys());
  return near === null ? null : `Did you mean ${EVENT_WORDS.get(near)}?`;
}
