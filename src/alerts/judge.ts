import { type MetricName, isOfPrices, METRIC_GROUPS, METRICS } from "#analytics/metrics.ts";
import type { EarningsDate } from "#domain/analyst-coverage.ts";
import type { Country } from "#domain/country.ts";
import type { Split } from "#domain/split.ts";
import { addDays, daysBetween } from "#lib/date.ts";
import {
  type Figures,
  ratiosSince,
  type ShareRatios,
  sidesOf,
  truthOf,
  truthOfOne,
} from "#operations/alerts/condition.ts";
import type {
  AlertFacts,
  MessageFigure,
  MessageFiling,
  MessageInstrument,
  MessageMove,
} from "#operations/alerts/message.ts";
import type { ConditionRule } from "#operations/alerts/rule.ts";
import type { InstrumentEventRule } from "#operations/alerts/rule-words.ts";
import type { Change } from "#operations/brief/changes.ts";
import type { Condition } from "#operations/reading/screen-language.ts";

// Pure judgement: a rule, its state and the facts of now make the next state and at most one message.

/** What is known of one instrument when a rule is judged. */
export interface InstrumentFacts extends Figures {
  readonly of: MessageInstrument;
  /** The ISO code of a metric that is an amount; null for other metrics. */
  readonly currencyOf: (metric: MetricName) => string | null;
  /** The newest price; null if it is unknown, or stale. */
  readonly price: MessageMove | null;
  /** Oldest first; empty if no split is known. */
  readonly splits: readonly Split[];
  /** The UTC date up to which splits are in force. */
  readonly day: string;
  /** The local date of the instrument's country. */
  readonly today: string;
  /** The newest published statement; null without one. */
  readonly filing: Omit<MessageFiling, "isRestated"> | null;
  /** The rows of a brief for the statements after a period, which was known before. */
  readonly statementsAfter: (period: string | null) => readonly Change[];
  /** The next report; null if no day is known. */
  readonly report: Pick<EarningsDate, "date" | "session" | "fiscalPeriod" | "epsEstimate"> | null;
  /** Dividends with their ex-dates, also announced ones. */
  readonly dividends: readonly { readonly exDate: string; readonly amount: number }[];
  /** The label of the analysts' mean rating; null without ratings. */
  readonly ratingLabel: string | null;
  readonly currency: string;
}

/** A publication of a series whose figure is known. */
export interface KnownRelease {
  readonly id: string;
  readonly date: string;
  /** UTC, `12:30`. */
  readonly time: string;
  readonly previous: string | null;
  readonly expected: string | null;
  readonly actual: string;
}

/** The publications of a series in the last weeks, oldest first. */
export interface ReleaseFacts {
  readonly country: Country;
  readonly name: string;
  readonly known: readonly KnownRelease[];
}

/** How a rule fires, and the UTC date from which it has its condition. */
export interface RuleTerms {
  readonly repeat: "once" | "again";
  readonly since: string;
}

/** The state of a condition for one instrument. */
export interface ConditionState {
  /** The last known truth; null before the first one. */
  readonly is: boolean | null;
  readonly fired?: true;
}

/** The state of a thesis for one instrument. */
export interface ThesisState {
  /** The condition that was judged: another one begins anew. */
  readonly while: string;
  readonly is: boolean | null;
  /** The UTC date in whose shares its limits are. */
  readonly since: string;
  /** The statement and the session of `figures`. */
  readonly filing: string | null;
  readonly session: string | null;
  readonly figures: Readonly<Partial<Record<MetricName, number | null>>>;
}

/** The state of an event rule for one instrument, or for one series. */
export interface EventState {
  /** Days and ids of events that messages named. */
  readonly told?: readonly string[];
  /** Days to which a named report was moved, by messages. */
  readonly moved?: readonly string[];
  /** The end of the newest known period; null without one. */
  readonly period?: string | null;
  /** The label of the last known rating; null before the first one. */
  readonly rating?: string | null;
  readonly fired?: true;
}

/** What judging one rule for one instrument gives. */
export interface Judged<State> {
  readonly state: State;
  /** Null if nothing is to be said. */
  readonly message: AlertFacts | null;
  /** True if the condition holds now; null if that is unknown. False for events. */
  readonly is: boolean | null;
}

/**
 * Judges a condition. It fires when it holds after it did not, or after its truth was unknown from the beginning. The
 * first judgement of an instrument fires nothing. A truth that is unknown changes nothing.
 */
export function judgeCondition(
  rule: ConditionRule,
  before: ConditionState | null,
  facts: InstrumentFacts,
  { repeat, since }: RuleTerms,
): Judged<ConditionState> {
  const ratios = ratiosSince(rule.screen, facts, since);
  const is = truthOf(rule.screen, facts, ratios);
  if (before === null) return { state: { is }, message: null, is };
  const hasFired = before.fired === true;
  const fires = is === true && before.is !== true && !(hasFired && repeat === "once");
  const state = { is: is ?? before.is, ...((fires || hasFired) && { fired: true as const }) };
  if (!fires) return { state, message: null, is };
  const met = rule.screen.find((conditions) => truthOf([conditions], facts, ratios)) ?? [];
  const message: AlertFacts = {
    kind: "condition",
    of: facts.of,
    figures: met.map((one) => figureOf(one, facts, ratios)),
    session: facts.price?.date ?? null,
    ...(ratios.prices !== 1 && { split: ratios.prices }),
  };
  return { state, message, is };
}

function figureOf(
  condition: Condition,
  facts: InstrumentFacts,
  ratios: ShareRatios,
): MessageFigure {
  const { metric, operator, right } = condition;
  const { left, right: limit } = sidesOf(condition, facts, ratios);
  return {
    metric,
    operator,
    value: left,
    limit,
    limitOf: right.kind === "metric" ? right.metric : right.kind === "median" ? right.name : null,
    currency: facts.currencyOf(metric),
  };
}

/** A thesis of an item of a list. */
export interface Thesis {
  readonly list: string;
  /** The sentence of the user. */
  readonly text: string;
  readonly rule: ConditionRule;
}

/**
 * Judges a thesis. One message says that it broke, with the filing or the move of the price that did it. It can break
 * again after it held again. The first judgement says nothing.
 */
export function judgeThesis(
  { list, text, rule }: Thesis,
  before: ThesisState | null,
  facts: InstrumentFacts,
): Judged<ThesisState> {
  const known = before?.while === rule.text ? before : null;
  const since = known?.since ?? facts.day;
  const ratios = ratiosSince(rule.screen, facts, since);
  const is = truthOf(rule.screen, facts, ratios);
  const filing = keyOf(facts.filing);
  const session = facts.price?.date ?? known?.session ?? null;
  const isNew = !known || known.filing !== filing || known.session !== session;
  const holds = is ?? known?.is ?? null;
  const state: ThesisState =
    !isNew && holds === known.is
      ? known
      : { while: rule.text, is: holds, since, filing, session, figures: figuresNow(rule, facts) };
  // What was never known to hold cannot break.
  if (is !== false || known?.is !== true) return { state, message: null, is };
  const figures = rule.screen
    .flat()
    .map((one) => ({ one, isBroken: truthOfOne(one, facts, ratios) === false }))
    .toSorted((a, b) => Number(b.isBroken) - Number(a.isBroken));
  const broken = figures.filter(({ isBroken }) => isBroken).map(({ one }) => one);
  const message: AlertFacts = {
    kind: "thesis",
    of: facts.of,
    list,
    text,
    figures: figures.map(({ one }) => ({
      ...figureOf(one, facts, ratios),
      before: known.figures[one.metric] ?? null,
    })),
    broken: broken.length,
    ...causeOf(broken, rule, known, facts),
  };
  return { state, message, is };
}

/** Figures of a statement that show a correction, if a rule has ratios to the price only. */
const WITNESSES = ["revenue", "net_income", "total_equity"] as const;

/** The metrics whose values the state of a thesis keeps. */
const judgedOf = ({ screen }: ConditionRule): MetricName[] => [
  ...new Set([...screen.flat().map(({ metric }) => metric), ...WITNESSES]),
];

const figuresNow = (rule: ConditionRule, facts: InstrumentFacts) =>
  Object.fromEntries(judgedOf(rule).map((metric) => [metric, facts.read(metric)]));

/** The filing that broke conditions, or else the move of the price; both null if other records did it. */
function causeOf(
  broken: readonly Condition[],
  rule: ConditionRule,
  before: ThesisState,
  facts: InstrumentFacts,
): { readonly filing: MessageFiling | null; readonly move: MessageMove | null } {
  const names = broken.flatMap(({ metric, right }) =>
    right.kind === "metric" ? [metric, right.metric] : [metric],
  );
  const { filing, price } = facts;
  const ofStatement = names.some((name) => !isOfPrices(METRICS[name]));
  // A figure of the same statement changes only by a correction of the same day, or by a rate.
  const isCorrected = judgedOf(rule).some(
    (metric) =>
      OF_STATEMENTS.has(metric) &&
      (rule.currency === null || !METRICS[metric].unit.startsWith("reported")) &&
      (before.figures[metric] ?? null) !== null &&
      before.figures[metric] !== facts.read(metric),
  );
  if (filing && ofStatement && (keyOf(filing) !== before.filing || isCorrected)) {
    const isRestated = before.filing?.startsWith(`${filing.periodEnd} `) ?? false;
    return { filing: { ...filing, isRestated }, move: null };
  }
  return { filing: null, move: names.some(needsPrice) ? price : null };
}

const keyOf = (filing: InstrumentFacts["filing"]) =>
  filing && `${filing.periodEnd} ${filing.filedOn}`;

/** Figures that only a statement changes. A split changes figures per share. */
const OF_STATEMENTS: ReadonlySet<MetricName> = new Set<MetricName>(
  [
    ...METRIC_GROUPS["Sales and earnings"],
    ...METRIC_GROUPS.Profitability,
    ...METRIC_GROUPS["Balance sheet"],
    ...METRIC_GROUPS["Cash flow"],
  ].filter((name) => name !== "eps" && name !== "shares_outstanding"),
);

/** True for a figure that moves with the price. Ratios to the price have the period of their statement. */
function needsPrice(name: MetricName): boolean {
  const { unit } = METRICS[name];
  return isOfPrices(METRICS[name]) || ["money", "percentile"].includes(unit) || RATIOS.has(name);
}

/** Ratios to the price. */
const RATIOS: ReadonlySet<MetricName> = new Set<MetricName>([
  ...METRIC_GROUPS.Valuation,
  "dividend_yield",
  "target_upside",
]);

/** Days of past events that are kept, so that a source that repeats one is no news. */
const KEPT_DAYS = 7;
/** A report or an ex-date that is farther from a named one is another one: the next quarter's, the next month's. */
const MOVED_DAYS = 21;
/** Ids of releases that are kept: more than the last weeks have. */
const KEPT_IDS = 60;

/**
 * Judges an event of an instrument. It fires once for each event. A report or ex-date that moves to another day after it
 * was named fires again, once for each day, and says from which day it moved.
 */
export function judgeEvent(
  rule: InstrumentEventRule,
  before: EventState | null,
  facts: InstrumentFacts,
  terms: RuleTerms,
): Judged<EventState> {
  if (before?.fired && terms.repeat === "once") return { state: before, message: null, is: false };
  const judged =
    "days" in rule
      ? judgeDay(rule.event, rule.days, before, facts)
      : rule.event === "statement"
        ? judgeStatement(before, facts, terms)
        : judgeRating(before, facts);
  return withFired(judged);
}

const withFired = ({ state, message }: Omit<Judged<EventState>, "is">): Judged<EventState> => ({
  state: message ? { ...state, fired: true } : state,
  message,
  is: false,
});

function judgeDay(
  event: "earnings" | "ex_date",
  ahead: number,
  before: EventState | null,
  facts: InstrumentFacts,
): Omit<Judged<EventState>, "is"> {
  const { today } = facts;
  const isKept = (date: string) => date >= addDays(today, -KEPT_DAYS);
  const told = (before?.told ?? []).filter(isKept);
  const moved = (before?.moved ?? []).filter(isKept);
  const dates =
    event === "earnings" ? [facts.report?.date ?? ""] : facts.dividends.map(({ exDate }) => exDate);
  const coming = dates.filter((date) => date >= today).toSorted();
  const due = coming.find((date) => daysBetween(today, date) <= ahead && !told.includes(date));
  const next = due ?? coming[0];
  // A day that was named, is still to come, and has no event any more.
  const movedFrom =
    told.findLast(
      (date) =>
        date >= today &&
        !coming.includes(date) &&
        next !== undefined &&
        Math.abs(daysBetween(date, next)) <= MOVED_DAYS,
    ) ?? null;
  const isMoved = movedFrom !== null && next !== undefined && ![...moved, ...told].includes(next);
  const date = due ?? (isMoved ? next : undefined);
  const state: EventState = {
    ...before,
    told: due === undefined ? told : [...told, due],
    moved: due === undefined && date !== undefined ? [...moved, date] : moved,
  };
  if (date === undefined) return { state, message: null };
  const { of, currency, report } = facts;
  const head = {
    kind: "event",
    of,
    date,
    days: daysBetween(today, date),
    movedFrom,
    currency,
  } as const;
  const amount = facts.dividends
    .filter(({ exDate }) => exDate === date)
    .reduce((sum, one) => sum + one.amount, 0);
  if (event === "ex_date") return { state, message: { ...head, event, amount } };
  return {
    state,
    message: {
      ...head,
      event,
      session: report?.session ?? "not_supplied",
      period: report?.fiscalPeriod ?? null,
      epsEstimate: report?.epsEstimate ?? null,
    },
  };
}

/** Only a later period is news: a restatement of a known one is not. */
function judgeStatement(
  before: EventState | null,
  { filing, of, statementsAfter }: InstrumentFacts,
  { since }: RuleTerms,
): Omit<Judged<EventState>, "is"> {
  const known = before?.period ?? null;
  const newest = filing?.periodEnd ?? null;
  const isLater = newest !== null && (known === null || newest > known);
  const state: EventState = { ...before, period: isLater ? newest : known };
  // Statements that arrive for the first time can be old.
  const isNews = isLater && before !== null && (known !== null || (filing?.filedOn ?? "") >= since);
  if (!isNews || filing === null) return { state, message: null };
  const rows = statementsAfter(known);
  return {
    state,
    message: {
      kind: "event",
      event: "statement",
      of,
      filing: { ...filing, isRestated: false },
      rows,
    },
  };
}

function judgeRating(
  before: EventState | null,
  { ratingLabel, of }: InstrumentFacts,
): Omit<Judged<EventState>, "is"> {
  const known = before?.rating ?? null;
  const state: EventState = { ...before, rating: ratingLabel ?? known };
  if (known === null || ratingLabel === null || ratingLabel === known)
    return { state, message: null };
  return {
    state,
    message: { kind: "event", event: "rating_change", of, before: known, after: ratingLabel },
  };
}

/** Judges the releases of a series. It fires when the figure of a publication becomes known, for the newest of several. */
export function judgeRelease(
  before: EventState | null,
  { country, name, known }: ReleaseFacts,
  { repeat }: RuleTerms,
): Judged<EventState> {
  if (before?.fired && repeat === "once") return { state: before, message: null, is: false };
  const told = before?.told ?? [];
  const added = known.filter(({ id }) => !told.includes(id));
  const state: EventState =
    before && added.length === 0
      ? before
      : { ...before, told: [...told, ...added.map(({ id }) => id)].slice(-KEPT_IDS) };
  const newest = added.at(-1);
  if (before === null || newest === undefined) return { state, message: null, is: false };
  const { date, time, previous, expected, actual } = newest;
  const message: AlertFacts = {
    kind: "event",
    event: "release",
    country,
    name,
    date,
    time,
    previous,
    expected,
    actual,
  };
  return withFired({ state, message });
}
