import {
  BALANCE_ITEMS,
  NO_ITEMS,
  type Statement,
  type StatementItem,
  type StatementItems,
} from "#domain/statement.ts";
import { dateOf } from "#lib/date.ts";
import { defineFetcher, type LiveQuery } from "#sources/fetcher.ts";
import { readInTurns } from "#sources/list.ts";
import type { SourceClient, SourceError } from "#sources/source.ts";
import { type Fact, parseFacts, type TaxonomyFacts } from "./facts.ts";
import {
  companiesInFrames,
  fetchFrame,
  type Frame,
  type FrameFigures,
  listFrames,
} from "./frames.ts";
import {
  createFindSpan,
  type FindSpan,
  type FiscalYear,
  fiscalYears,
  type QuarterSpan,
} from "./fiscal-calendar.ts";
import { cikText, fetchRegistrants, getCik, listTickers, readRegistrants } from "./registrants.ts";
import { findShareSplits, splitFactor } from "./share-splits.ts";
import { SEC } from "./source.ts";
import { type FlowPart, type InstantPart, TAGS, type TagTable } from "./tags.ts";

/**
 * The quarters and years of one US company from its XBRL facts, oldest first.
 *
 * - A restated figure has the value of the latest filing; `filedOn` is the day on which the period
 *   was first reported in XBRL (for periods before about 2009, the first filing that repeats them).
 * - A quarter that no filing states alone (the fourth; cash flows) is the difference of two longer
 *   periods of the same filing generation: a year restated after a spin-off is not reduced by
 *   quarters that were not restated. `sharesDiluted`, an average, is null there.
 * - If a flow's quarter cannot be derived, there is also a year-to-date statement.
 * - Cash and debt are sums of several tags; null if one that the previous sheet had is missing.
 * - If several tags give an item, each fiscal year takes the tag with the most periods in that year.
 * - Share counts and per-share figures are adjusted to the shares of the last filing, by the splits
 *   that filings show; a later split is not in them.
 * - A foreign company reports in its own currency, per ordinary share, and usually whole years only.
 */
export const secStatements = defineFetcher({
  kind: "statements",
  source: SEC,
  countries: ["US"],
  scope: "instrument",
  async fetch(query, client) {
    const registrants = await readInTurns(readRegistrants(await fetchRegistrants(client)));
    const cik = getCik(registrants, symbolOf(query));
    const answer = await client.request(
      `https://data.sec.gov/api/xbrl/companyfacts/${cikText(cik)}.json`,
      { accept: [404] },
    );
    if (answer.status === 404) throw nothing(query);
    return answer.json();
  },
  transform(raw: unknown, query): Statement[] {
    const statements = companyStatements(parseFacts(raw), symbolOf(query));
    if (statements.length === 0) throw nothing(query);
    return statements;
  },
});

/** Tags from whose frames alone statements can be made. */
const PROBED: ReadonlySet<string> = new Set(["Assets", "NetIncomeLoss"]);

/** The frames, and the symbols of the companies that they are about. */
interface CompaniesInFrames {
  /** The symbols of each company. */
  readonly companies: readonly (readonly string[])[];
  readonly frames: readonly FrameFigures[];
}

/**
 * The quarters and years of all US companies since about two years, from the SEC's frames: some 630
 * requests instead of one for each company.
 *
 * They are placed in fiscal periods like `secStatements` places the facts of one company, and have the
 * same figures, with these differences:
 *
 * - Cash flows, depreciation and EBITDA are known for whole years only, because frames have no year to
 *   date.
 * - `filedOn` is the day on which the report was due, because frames do not have the day of filing.
 * - A fiscal year has the number of the calendar year in which it ends.
 * - The fourth quarter of a year that was restated later may be reduced by quarters that were not.
 * - Companies without quarterly reports, and those in another currency, are missing.
 */
export const secFrames = defineFetcher({
  kind: "statements",
  source: SEC,
  countries: ["US"],
  scope: "country",
  /** Each answer is reduced at once to the figures of listed companies: all answers have 300 MB. */
  async fetch({ now, listed, isProbe }, client): Promise<CompaniesInFrames> {
    const registrants = await readInTurns(readRegistrants(await fetchRegistrants(client)));
    const isAll = isProbe || !listed;
    const tickers = listTickers(
      registrants,
      isAll ? null : new Set(listed.map(({ symbol }) => symbol)),
    );
    const places = new Map([...tickers.keys()].map((cik, place) => [cik, place]));
    const wanted = listFrames(now);
    const frames = await fetchFrames(client, listProbed(wanted, true), places);
    // If the frames have moved, the other 600 requests would be in vain too.
    if (frames.every(({ values }) => values.length === 0)) throw noStatements();
    if (!isProbe) frames.push(...(await fetchFrames(client, listProbed(wanted, false), places)));
    return { companies: [...tickers.values()], frames };
  },
  *transform({ companies, frames }, { now }) {
    let found = 0;
    const today = dateOf(now);
    const inOrder = companiesInFrames(frames, companies.length, today);
    for (const symbols of companies) {
      yield undefined;
      const facts = inOrder.next().value ?? null;
      const statements = facts ? companyStatements([facts], symbols[0] ?? "") : [];
      found += statements.length;
      for (const symbol of symbols)
        yield* statements.map((statement) => ({ ...statement, symbol }));
    }
    if (found === 0) throw noStatements();
  },
});

function listProbed(frames: readonly Frame[], isProbed: boolean): Frame[] {
  return frames.filter(({ tag }) => PROBED.has(tag) === isProbed);
}

async function fetchFrames(
  client: SourceClient,
  wanted: readonly Frame[],
  places: ReadonlyMap<number, number>,
): Promise<FrameFigures[]> {
  const frames: FrameFigures[] = [];
  const waiting = wanted.entries();
  const fetchNext = async () => {
    for (const [i, frame] of waiting) frames[i] = await fetchFrame(client, frame, places);
  };
  await Promise.all(Array.from({ length: SEC.concurrency }, fetchNext));
  return frames;
}

function noStatements(): SourceError {
  return SEC.error("nothing", "its frames have no company with statements");
}

function symbolOf({ instrument }: LiveQuery): string {
  if (!instrument) throw SEC.error("nothing", "the request names no instrument");
  return instrument.symbol;
}

function nothing(query: LiveQuery): SourceError {
  return SEC.error("nothing", `no statements of ${symbolOf(query)}`);
}

function companyStatements(taxonomies: readonly TaxonomyFacts[], symbol: string): Statement[] {
  const ledger = chooseLedger(taxonomies);
  if (!ledger) return [];
  const { tags, currency } = ledger;
  const flows = mapRecord(tags.flows, (names) => names.map((tag) => listFacts(ledger, tag)));
  const all = Object.values(flows).flat(2);
  const years = fiscalYears(all);
  const findSpan = createFindSpan(years);
  const flow = mapRecord(flows, (candidates) => series(candidates, findSpan, true));
  const figures: CompanySeries = {
    flow: { ...flow, depreciationAndAmortization: depreciationSeries(flow) },
    ...shareSeries(ledger, findSpan),
    instant: mapRecord(tags.instants, (names) =>
      instants(names.map((tag) => listFacts(ledger, tag))),
    ),
  };
  const sheets = listSheets(figures);
  // All filings are restated in the shares of the newest one.
  const sharesAsOf = all.reduce((newest, { filed }) => (filed > newest ? filed : newest), "");
  return reportedPeriods(all, years, findSpan).flatMap((period) =>
    spansOf(figures, period).flatMap((span): Statement[] => {
      const items = itemsOf(figures, period, span, sheets);
      if (!hasFlow(items)) return [];
      const { year, fiscalQuarter, end, filedOn } = period;
      return [
        {
          country: "US",
          symbol,
          span,
          fiscalYear: year.year,
          fiscalQuarter,
          periodEnd: end,
          filedOn,
          currency,
          sharesAsOf,
          items,
        },
      ];
    }),
  );
}

/** All figures of a company by part: flows by fiscal year, balances by day. */
interface CompanySeries {
  readonly flow: Readonly<Record<FlowPart, Series>>;
  readonly eps: Series;
  readonly shares: Series;
  readonly instant: Readonly<Record<InstantPart, ReadonlyMap<string, number>>>;
}

/** Per-share figures and numbers of shares, in the shares of the last filing. */
function shareSeries(ledger: Ledger, findSpan: FindSpan): Pick<CompanySeries, "eps" | "shares"> {
  const { tags, currency } = ledger;
  const shareTags = ["WeightedAverageNumberOfSharesOutstandingBasic", ...tags.sharesDiluted];
  const splits = findShareSplits(shareTags.map((tag) => listFacts(ledger, tag, "shares")));
  const scaled = (tag: string, unit: string, scale: (value: number, factor: number) => number) =>
    listFacts(ledger, tag, unit).map((fact) => ({
      ...fact,
      value: scale(fact.value, splitFactor(splits, fact.filed)),
    }));
  return {
    eps: series(
      tags.epsDiluted.map((tag) =>
        scaled(tag, `${currency}/shares`, (value, factor) => roundShareFigure(value / factor)),
      ),
      findSpan,
      true,
    ),
    shares: series(
      tags.sharesDiluted.map((tag) => scaled(tag, "shares", (value, factor) => value * factor)),
      findSpan,
      false,
    ),
  };
}

/**
 * The spans of which a period has a statement: its quarter; the year, in the fourth quarter; the year
 * to date if it states a flow of which one of the year's quarters cannot be derived.
 */
function spansOf({ flow }: CompanySeries, { year, fiscalQuarter }: ReportedPeriod) {
  if (fiscalQuarter === 4) return ["quarter", "year"] as const;
  const isCumulative = Object.values(flow).some((values) => {
    const { quarters, toDate } = values.get(year) ?? NO_FIGURES;
    return quarters.slice(0, fiscalQuarter).includes(null) && toDate[fiscalQuarter - 1] !== null;
  });
  return isCumulative ? (["quarter", "year_to_date"] as const) : (["quarter"] as const);
}

function itemsOf(
  { flow, eps, shares, instant }: CompanySeries,
  { year, fiscalQuarter, end }: ReportedPeriod,
  span: Statement["span"],
  sheets: ReadonlyMap<string, Sheet>,
): StatementItems {
  const of = (values: Series) => {
    const { whole, quarters, toDate } = values.get(year) ?? NO_FIGURES;
    if (span === "year") return whole;
    return (span === "quarter" ? quarters : toDate)[fiscalQuarter - 1] ?? null;
  };
  let previous: Sheet | null = null;
  for (const [date, sheet] of sheets) if (date < end) previous = sheet;
  return statementItems(
    mapRecord(flow, of),
    { eps: of(eps), shares: of(shares) },
    sheets.get(end) ?? sheetAt(instant, end),
    previous,
  );
}

/** The balance sheets of a company by day, oldest first: those with a total. */
function listSheets({ instant }: CompanySeries): ReadonlyMap<string, Sheet> {
  const dates = [...instant.totalAssets.keys()].sort();
  return new Map(dates.map((date) => [date, sheetAt(instant, date)]));
}

function sheetAt(instant: CompanySeries["instant"], date: string): Sheet {
  return mapRecord(instant, (values) => values.get(date) ?? null);
}

/** For each fiscal year, the tag of the total, or the sum of its two parts if they cover more periods. */
function depreciationSeries({
  depreciationAndAmortization,
  depreciation,
  amortization,
}: CompanySeries["flow"]): Series {
  const summed = new Map<FiscalYear, YearFigures>();
  for (const [year, figures] of depreciation) {
    summed.set(year, addWhereCovered(figures, amortization.get(year) ?? NO_FIGURES));
  }
  for (const [year, figures] of depreciationAndAmortization) {
    if (knownOf(figures) >= knownOf(summed.get(year) ?? NO_FIGURES)) summed.set(year, figures);
  }
  return summed;
}

/** Adds a second part if it is stated for every span that the first one is, or for none: nothing else adds up. */
function addWhereCovered(first: YearFigures, second: YearFigures): YearFigures {
  const covers =
    (first.whole === null || second.whole !== null) &&
    first.quarters.every((value, i) => value === null || second.quarters[i] !== null);
  if (!covers) return first;
  const add = (a: readonly (number | null)[], b: readonly (number | null)[]) =>
    a.map((value, i) => plus(value, b[i] ?? null));
  return {
    quarters: add(first.quarters, second.quarters),
    toDate: add(first.toDate, second.toDate),
    whole: plus(first.whole, second.whole),
  };
}

interface Ledger {
  readonly facts: TaxonomyFacts;
  readonly tags: TagTable;
  readonly currency: string;
}

/** The facts of a tag in a unit; in the ledger's currency by default. */
function listFacts({ facts, currency }: Ledger, tag: string, unit = currency): readonly Fact[] {
  return facts.find(tag).get(unit) ?? [];
}

/** The taxonomy and currency in which the company reports: those of its most recent balance sheets. */
function chooseLedger(taxonomies: readonly TaxonomyFacts[]): Ledger | null {
  let best: Ledger | null = null;
  let bestRank = "";
  for (const facts of taxonomies) {
    const tags = TAGS.get(facts.name);
    if (!tags) continue;
    for (const [unit, assets] of tags.instants.totalAssets.flatMap((tag) => [...facts.find(tag)])) {
      if (!/^[A-Z]{3}$/.test(unit) || assets.length === 0) continue;
      const newest = assets.reduce((latest, { end }) => (end > latest ? end : latest), "");
      // A convenience translation has the same dates but fewer figures.
      const rank = `${newest} ${String(assets.length).padStart(9, "0")}`;
      if (rank > bestRank) [best, bestRank] = [{ facts, tags, currency: unit }, rank];
    }
  }
  return best;
}

interface ReportedPeriod {
  readonly year: FiscalYear;
  readonly fiscalQuarter: number;
  readonly end: string;
  readonly filedOn: string;
}

/** The fiscal quarters with which any flow ends, oldest first. */
function reportedPeriods(
  flows: readonly Fact[],
  years: readonly FiscalYear[],
  findSpan: FindSpan,
): ReportedPeriod[] {
  type Periods = Map<number, { filedOn: string; ends: Map<string, number> }>;
  const found = new Map(years.map((year): [FiscalYear, Periods] => [year, new Map()]));
  for (const fact of flows) {
    const span = spanOf(fact, findSpan);
    if (span === null) continue;
    const { year, to } = span;
    const periods = found.get(year);
    const known = periods?.get(to) ?? { filedOn: fact.filed, ends: new Map<string, number>() };
    if (fact.filed < known.filedOn) known.filedOn = fact.filed;
    known.ends.set(fact.end, (known.ends.get(fact.end) ?? 0) + 1);
    periods?.set(to, known);
  }
  return [...found].flatMap(([year, periods]) =>
    [...periods]
      .sort(([a], [b]) => a - b)
      .map(([fiscalQuarter, { filedOn, ends }]) => {
        const [end = year.end] = [...ends].sort(([, a], [, b]) => b - a)[0] ?? [];
        return { year, fiscalQuarter, end, filedOn };
      }),
  );
}

/** The figures of an item in one fiscal year. */
interface YearFigures {
  /** Each of the four quarters alone. */
  readonly quarters: readonly (number | null)[];
  /** From the year's start to the end of each of the first three quarters. */
  readonly toDate: readonly (number | null)[];
  readonly whole: number | null;
}

const NO_FIGURES: YearFigures = {
  quarters: [null, null, null, null],
  toDate: [null, null, null],
  whole: null,
};

/** The number of known values among the quarters and the whole year. */
function knownOf({ quarters, whole }: YearFigures): number {
  return [...quarters, whole].filter((value) => value !== null).length;
}

type Series = ReadonlyMap<FiscalYear, YearFigures>;

/** The figures of an item by fiscal year, each year's from the tag with the most periods in it. */
function series(
  candidates: readonly (readonly Fact[])[],
  findSpan: FindSpan,
  isAdditive: boolean,
): Series {
  const best = new Map<FiscalYear, YearFigures>();
  // As the last choice, all tags together, for a company that changed its tag within a year.
  const stated = candidates.filter((facts) => facts.length > 0);
  for (const facts of stated.length > 1 ? [...stated, stated.flat()] : stated) {
    for (const [year, cells] of cellsByYear(facts, findSpan)) {
      const figures = yearFigures(cells, isAdditive);
      const known = best.get(year);
      if (!known || knownOf(figures) > knownOf(known)) best.set(year, figures);
    }
  }
  return best;
}

/** The values that filings stated for one span of quarters, the first filing first. */
type Cell = readonly Fact[];
/** By the quarters that they cover: see `spanNumber`. */
type Cells = ReadonlyMap<number, Cell>;

/** A number for a span of quarters. A text would be made for each of a company's facts. */
function spanNumber(from: number, to: number): number {
  return from * 5 + to;
}

function cellsByYear(facts: readonly Fact[], findSpan: FindSpan): Map<FiscalYear, Cells> {
  const byYear = new Map<FiscalYear, Map<number, Fact[]>>();
  const inOrder = facts.toSorted((a, b) => (a.filed < b.filed ? -1 : a.filed > b.filed ? 1 : 0));
  for (const fact of inOrder) {
    const span = spanOf(fact, findSpan);
    if (span === null) continue;
    const cells = byYear.get(span.year) ?? new Map<number, Fact[]>();
    byYear.set(span.year, cells);
    const number = spanNumber(span.from, span.to);
    const cell = cells.get(number);
    if (cell) cell.push(fact);
    else cells.set(number, [fact]);
  }
  return byYear;
}

/** The fiscal quarters that a flow covers; null for a balance, and if it does not cover whole ones. */
function spanOf(fact: Fact, findSpan: FindSpan): QuarterSpan | null {
  return fact.start === null ? null : findSpan(fact.start, fact.end);
}

function yearFigures(cells: Cells, isAdditive: boolean): YearFigures {
  const cell = (from: number, to: number) => cells.get(spanNumber(from, to)) ?? [];
  const alone = [0, 1, 2, 3].map((from) => cell(from, from + 1));
  const quarters = alone.map((stated, from) => {
    const value = stated.at(-1)?.value;
    if (value !== undefined) return value;
    if (!isAdditive) return null;
    const toDate = cell(0, from);
    const before = toDate.length > 0 ? [toDate] : alone.slice(0, from);
    return before.some((part) => part.length === 0) ? null : difference(cell(0, from + 1), before);
  });
  const statedTo = (to: number) => cell(0, to).at(-1)?.value ?? null;
  return { quarters, toDate: [1, 2, 3].map(statedTo), whole: statedTo(4) };
}

/** `longer` less its `parts`, from the first filing that states `longer` and knows the parts as restated. */
function difference(longer: Cell, parts: readonly Cell[]): number | null {
  const since = parts.map(validSince).reduce((a, b) => (a > b ? a : b), "");
  const minuend = longer.find(({ filed }) => filed >= since) ?? longer.at(-1);
  if (!minuend) return null;
  const rest = parts.reduce((left, part) => left - (part.at(-1)?.value ?? 0), minuend.value);
  return Number.isInteger(rest) ? rest : roundShareFigure(rest);
}

/** Cents are not binary fractions, and after a division by a split they are not cents. */
function roundShareFigure(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

/** The day of the first filing that stated the latest value. */
function validSince(cell: Cell): string {
  let first = cell.at(-1);
  for (const fact of cell.toReversed()) {
    if (fact.value !== first?.value) break;
    first = fact;
  }
  return first?.filed ?? "";
}

/** The balances by day: each from the first tag that has one, as stated last. */
function instants(candidates: readonly (readonly Fact[])[]): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const facts of candidates.toReversed()) {
    const latest = new Map<string, Fact>();
    for (const fact of facts) {
      const known = latest.get(fact.end);
      if (fact.start === null && (!known || known.filed <= fact.filed)) latest.set(fact.end, fact);
    }
    for (const [end, { value }] of latest) values.set(end, value);
  }
  return values;
}

type Figures<Part extends string> = Readonly<Record<Part, number | null>>;

function statementItems(
  flow: Figures<FlowPart>,
  perShare: { eps: number | null; shares: number | null },
  at: Figures<InstantPart>,
  previous: Figures<InstantPart> | null,
): StatementItems {
  const minority = at.minorityInterest ?? minus(at.equityWithMinority, at.equity);
  const equity = at.equity ?? minus(at.equityWithMinority, at.minorityInterest ?? 0);
  return {
    ...NO_ITEMS,
    revenue: flow.revenue,
    costOfRevenue: flow.costOfRevenue ?? minus(flow.revenue, flow.grossProfit),
    grossProfit: flow.grossProfit ?? minus(flow.revenue, flow.costOfRevenue),
    operatingIncome: flow.operatingIncome,
    ebitda:
      flow.operatingIncome === null || flow.depreciationAndAmortization === null
        ? null
        : flow.operatingIncome + flow.depreciationAndAmortization,
    pretaxIncome: flow.pretaxIncome,
    incomeTax: flow.incomeTax,
    netIncome: flow.netIncome,
    epsDiluted: perShare.eps,
    sharesDiluted: perShare.shares,
    totalAssets: at.totalAssets,
    currentAssets: at.currentAssets,
    cash: liquidity(at, previous),
    inventory: at.inventory,
    totalLiabilities: at.totalLiabilities ?? minus(at.totalAssets, at.equityWithMinority ?? equity),
    currentLiabilities: at.currentLiabilities,
    totalDebt: totalDebt(at, previous),
    commonEquity: equity === null ? null : equity - (at.preferredEquity ?? 0),
    preferredEquity: at.preferredEquity,
    minorityInterest: minority,
    operatingCashFlow: flow.operatingCashFlow,
    investingCashFlow: flow.investingCashFlow,
    financingCashFlow: flow.financingCashFlow,
    capitalExpenditure: flow.capitalExpenditure,
  };
}

type Sheet = Figures<InstantPart>;

/** Cash and current investments. */
function liquidity(at: Sheet, previous: Sheet | null): number | null {
  if (at.cashAndInvestments !== null || at.cash === null) return at.cashAndInvestments;
  return sumOfSheet((sheet) => [sheet.cash, currentInvestments(sheet)], at, previous);
}

/** The line for all of them; or debt and equity securities, if they are two lines. */
function currentInvestments(at: Sheet): number | null {
  if (at.shortTermInvestments !== null) return at.shortTermInvestments;
  return at.currentDebtSecurities === null
    ? at.securitiesForSale
    : plus(at.currentDebtSecurities, at.currentEquitySecurities);
}

/** Non-current + current debt, or the total if the parts are not stated; null if neither is. */
function totalDebt(at: Sheet, previous: Sheet | null): number | null {
  if (at.longTermDebt === null && at.wholeDebt !== null) return at.wholeDebt;
  if (at.longTermDebt === null && at.wholeLongTermDebt !== null)
    return sumOfSheet((sheet) => [sheet.wholeLongTermDebt, shortDebt(sheet)], at, previous);
  return sumOfSheet(
    (sheet) => [
      sheet.longTermDebt,
      sheet.currentDebt ?? sheet.currentLongTermDebt,
      shortDebt(sheet),
    ],
    at,
    previous,
  );
}

/** Debt due in less than a year; null if the line for all current debt includes it. */
function shortDebt(at: Sheet): number | null {
  if (at.currentDebt !== null) return 0;
  return at.shortTermBorrowings ?? plus(at.commercialPaper, at.otherBorrowings);
}

/**
 * The sum of the parts that a balance sheet states; null if it states none, and if a part is
 * missing that the previous sheet had: its tag may have changed, so the rest is not a total.
 */
function sumOfSheet(
  partsOf: (sheet: Sheet) => readonly (number | null)[],
  at: Sheet,
  previous: Sheet | null,
): number | null {
  const parts = partsOf(at);
  const before = previous === null ? [] : partsOf(previous);
  if (parts.some((part, i) => part === null && (before[i] ?? 0) !== 0)) return null;
  return parts.reduce(plus, null);
}

/** The sum of the known values; null if none is known. */
function plus(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : a + b;
}

function minus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a - b;
}

const BALANCES: ReadonlySet<StatementItem> = new Set(BALANCE_ITEMS);

function hasFlow(items: StatementItems): boolean {
  return Object.entries(items).some(
    ([item, value]) => value !== null && !BALANCES.has(item as StatementItem),
  );
}

function mapRecord<K extends string, T, U>(
  record: Readonly<Record<K, T>>,
  map: (value: T) => U,
): Record<K, U> {
  const mapped = {} as Record<K, U>;
  for (const key of Object.keys(record) as K[]) mapped[key] = map(record[key]);
  return mapped;
}
