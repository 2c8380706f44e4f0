import { FILING_DAYS } from "#analytics/filing-day.ts";
import { Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { addDays, addMonths, dateOf, DAY_MS, isDate } from "#lib/date.ts";
import { Nullable } from "#domain/schema.ts";
import { answerReader, checkRowCount } from "#sources/check-answer.ts";
import { readList, finishReading } from "#sources/list.ts";
import type { SourceClient } from "#sources/source.ts";
import type { Fact, TagFacts, TaxonomyFacts } from "./facts.ts";
import { SEC } from "./source.ts";
import { frameTags } from "./frame-tags.ts";
import type { FlowPart } from "./tags.ts";

/**
 * A frame: the figures of one tag for one calendar period, of all companies that file with the SEC. It
 * has at most one figure of a company: the one that was filed last for the dates that fit the period
 * best.
 */
export interface Frame {
  readonly tag: string;
  /** `USD`, `shares` or `USD/shares`. */
  readonly unit: string;
  /** `CY2025`, `CY2026Q2`, or `CY2026Q2I` for balances near the end of the quarter. */
  readonly period: string;
}

/** The figures of one frame, sorted by company. */
export interface FrameFigures extends Frame {
  /** The place of each figure's company in the list of companies. */
  readonly companies: Uint16Array;
  /** First days, in days since 1970; 0 for a balance. */
  readonly starts: Uint16Array;
  /** Last days, in days since 1970. */
  readonly ends: Uint16Array;
  readonly values: Float64Array;
}

/** Two years of quarters, and the three before them, from which the oldest fourth quarter is derived. */
const FLOW_QUARTERS = 13;
/** The balance sheets of a year, with the sheets at its start and of companies that file late. */
const BALANCE_QUARTERS = 7;

/** Flows that quarterly filings state for the year to date only: their frames have whole years. Quarters of depreciation show that it is in a note. */
const YEARLY: ReadonlySet<FlowPart> = new Set([
  "depreciationAndAmortization",
  "amortization",
  "operatingCashFlow",
  "investingCashFlow",
  "financingCashFlow",
  "capitalExpenditure",
  "otherCapitalExpenditure",
  "software",
  "shortTermBorrowed",
  "shortTermRepaid",
  "inventoryChange",
]);

/** The frames with the statements of two years up to `now` (UTC milliseconds); about 800. */
export function listFrames(now: number): Frame[] {
  const quarters = Array.from({ length: FLOW_QUARTERS }, (_, ago) => {
    const date = addMonths(`${dateOf(now).slice(0, 7)}-01`, -3 * ago);
    return `CY${date.slice(0, 4)}Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`;
  });
  const years = [...new Set(quarters.map((quarter) => quarter.slice(0, "CY2026".length)))];
  const balances = quarters.slice(0, BALANCE_QUARTERS).map((quarter) => `${quarter}I`);
  return frameTags().flatMap(({ tag, unit, part }) => {
    const periods =
      part === null ? balances : part && YEARLY.has(part) ? years : [...quarters, ...years];
    return periods.map((period) => ({ tag, unit, period }));
  });
}

const readFrameData = answerReader(SEC, Type.Object({ data: Type.Array(Type.Unknown()) }));
const FrameRow = Type.Object({
  cik: Type.Integer(),
  accn: Type.Optional(Type.String()),
  start: Type.Optional(Nullable(Type.String())),
  end: Type.String(),
  val: Type.Number(),
});
const ROW = TypeCompiler.Compile(FrameRow);
const readRow = answerReader(SEC, FrameRow);

/**
 * The answer with a frame. A period in which no company has the tag is a frame without figures.
 *
 * @throws SourceError
 */
export async function requestFrame(
  client: SourceClient,
  { tag, unit, period }: Frame,
): Promise<unknown> {
  const answer = await client.request(
    `https://data.sec.gov/api/xbrl/frames/us-gaap/${tag}/${unit.replace("/", "-per-")}/${period}.json`,
    { accept: [404] },
  );
  return answer.status === 404 ? { data: [] } : answer.json();
}

/**
 * The figures of some companies in the answer with a frame. `places` has the place of each company by
 * its CIK.
 *
 * @throws SourceError
 */
export function readFrame(
  frame: Frame,
  raw: unknown,
  places: ReadonlyMap<number, number>,
): FrameFigures {
  const { data } = readFrameData(raw);
  checkRowCount(SEC, data.length);
  const isBalance = frame.period.endsWith("I");
  const read = (row: unknown) => {
    const { cik, start = null, end, val } = readRow(row);
    if (!isDate(end) || (start === null) !== isBalance || (start !== null && !isDate(start)))
      throw SEC.error("invalid_answer", `a figure of ${frame.tag} is not as documented`);
    return { place: places.get(cik), start: dayOf(start), end: dayOf(end), value: val };
  };
  const figures = finishReading(readList(data, read))
    .flatMap(({ place, ...figure }) => (place === undefined ? [] : [{ place, ...figure }]))
    .sort((a, b) => a.place - b.place);
  return {
    ...frame,
    companies: Uint16Array.from(figures, ({ place }) => place),
    starts: Uint16Array.from(figures, ({ start }) => start),
    ends: Uint16Array.from(figures, ({ end }) => end),
    values: Float64Array.from(figures, ({ value }) => value),
  };
}

/**
 * Gives the predecessors of companies the same places: `places` with their CIKs.
 *
 * A holding company has figures of its own only since it was formed. Its first reports repeat the last
 * balance sheet of the predecessor, which often files them, as the accession number shows. So both have
 * one frame in which their total assets are the same.
 *
 * @param assets answers with frames of total assets
 */
export function addPredecessors(
  places: ReadonlyMap<number, number>,
  assets: readonly unknown[],
): ReadonlyMap<number, number> {
  const all = new Map(places);
  for (const raw of assets) {
    const rows = readFrameRows(raw);
    const figures = new Map(rows.map(({ cik, end, val }) => [cik, `${end} ${val}`]));
    for (const { cik, accn, end, val } of rows) {
      const place = places.get(cik);
      const filer = Number(accn?.slice(0, 10));
      if (place === undefined || places.has(filer) || filer === cik) continue;
      if (figures.get(filer) === `${end} ${val}`) all.set(filer, place);
    }
  }
  return all;
}

/** The rows in the documented form. `readFrame` reports the others. */
function readFrameRows(raw: unknown) {
  return readFrameData(raw).data.flatMap((row) => (ROW.Check(row) ? [row] : []));
}

const dayOf = (date: string | null) => (date === null ? 0 : Date.parse(date) / DAY_MS);

/** A flow of more days is a year's. */
const LONGEST_QUARTER_DAYS = 150;
/** Numbers of shares that differ by this factor from one period to the next may be before and after a split. */
const SPLIT_FACTOR = 1.4;

/**
 * The facts of each company in the frames, in the order of the companies; null for a company without
 * a quarter. Such a company is foreign, and its dollars may be a translation.
 *
 * - Frames do not say when a figure was filed. Facts have the last day on which the report was due, or
 *   `today` if that is earlier.
 * - Per-share figures are left out if the number of shares jumps, because frames mix figures from before
 *   and after a split. If shares are not stated, they are net income / earnings per share.
 */
export function* companiesInFrames(
  frames: readonly FrameFigures[],
  count: number,
  today: string,
): Generator<TaxonomyFacts | null> {
  const next = new Uint32Array(frames.length);
  const periods = new Map<number, Period>();
  for (let company = 0; company < count; company++) {
    const byTag = new Map<string, Map<string, Fact[]>>();
    let hasQuarter = false;
    // A loop without iterators, because it runs millions of times.
    for (let i = 0; i < frames.length; i++) {
      const frame = frames[i];
      if (frame === undefined) continue;
      for (let at = next[i] ?? 0; frame.companies[at] === company; next[i] = ++at) {
        const period = findPeriod(periods, frame.starts[at] ?? 0, frame.ends[at] ?? 0, today);
        if (!period.isPossible) continue;
        hasQuarter ||= period.isQuarter;
        addFact(byTag, frame, { ...period.fact, value: frame.values[at] ?? 0 });
      }
    }
    const shares = [...byTag.values()].flatMap((units) => units.get("shares") ?? []);
    if (mayBeSplit(shares.length > 0 ? shares : impliedShares(byTag)))
      for (const units of byTag.values()) for (const unit of PER_SHARE) units.delete(unit);
    const none: TagFacts = new Map();
    yield hasQuarter
      ? { name: "us-gaap", isPartial: true, find: (tag) => byTag.get(tag) ?? none }
      : null;
  }
}

function addFact(byTag: Map<string, Map<string, Fact[]>>, { tag, unit }: Frame, fact: Fact): void {
  const units = byTag.get(tag) ?? new Map<string, Fact[]>();
  byTag.set(tag, units);
  const facts = units.get(unit);
  if (facts) facts.push(fact);
  else units.set(unit, [fact]);
}

const PER_SHARE = ["shares", "USD/shares"] as const;

/** The dates of a figure. */
interface Period {
  /** False if it ends before it starts, or in the future. */
  readonly isPossible: boolean;
  readonly isQuarter: boolean;
  /** A fact of these dates. */
  readonly fact: Omit<Fact, "value">;
}

/** Finds or makes the period of these days, because companies have few different ones. */
function findPeriod(
  periods: Map<number, Period>,
  startDay: number,
  endDay: number,
  today: string,
): Period {
  const key = startDay * 2 ** 16 + endDay;
  const known = periods.get(key);
  if (known) return known;
  const period = makePeriod(startDay, endDay, today);
  periods.set(key, period);
  return period;
}

function makePeriod(startDay: number, endDay: number, today: string): Period {
  const [start, end] = [startDay === 0 ? null : dateOf(startDay * DAY_MS), dateOf(endDay * DAY_MS)];
  const isYear = start !== null && isLong(start, end);
  const due = addDays(end, FILING_DAYS.US[isYear ? "year" : "quarter"]);
  return {
    isPossible: end <= today && (start === null || start <= end),
    isQuarter: start !== null && !isYear,
    fact: {
      start,
      end,
      filed: due < today ? due : today,
      form: "",
      filingYear: null,
      filingPeriod: null,
      filing: "",
    },
  };
}

function isLong(start: string, end: string): boolean {
  return end > addDays(start, LONGEST_QUARTER_DAYS);
}

/** Net income / earnings per share, for companies that state their shares by class only. */
function impliedShares(byTag: ReadonlyMap<string, TagFacts>): Fact[] {
  const income = byTag.get("NetIncomeLoss")?.get("USD") ?? [];
  const earned = new Map(income.map(({ start, end, value }) => [`${start} ${end}`, value]));
  const eps = byTag.get("EarningsPerShareDiluted")?.get("USD/shares") ?? [];
  return eps.flatMap((fact) => {
    const shares = (earned.get(`${fact.start} ${fact.end}`) ?? 0) / fact.value;
    return Math.abs(fact.value) >= PRECISE_EPS && shares > 0 ? [{ ...fact, value: shares }] : [];
  });
}

/** An amount per share that is rounded to cents by at most 5 %. */
const PRECISE_EPS = 0.1;

function mayBeSplit(shares: readonly Fact[]): boolean {
  const inOrder = shares.toSorted((a, b) => (a.end < b.end ? -1 : a.end > b.end ? 1 : 0));
  return inOrder.some(({ value }, i) => {
    const before = inOrder[i - 1]?.value ?? value;
    const ratio = value / before;
    // Also if one of them is zero.
    return !(ratio < SPLIT_FACTOR && ratio > 1 / SPLIT_FACTOR);
  });
}
