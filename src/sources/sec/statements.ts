import {
  BALANCE_ITEMS,
  type Statement,
  type StatementItem,
  type StatementItems,
} from "#domain/statement.ts";
import { defineFetcher, type LiveQuery } from "#sources/fetcher.ts";
import { SourceError } from "#sources/source.ts";
import { type Fact, parseFacts, type TaxonomyFacts } from "./facts.ts";
import { createFindSpan, type FindSpan, type FiscalYear, fiscalYears } from "./fiscal-calendar.ts";
import { cikText, fetchRegistrants, getCik, parseRegistrants } from "./registrants.ts";
import { findShareSplits, splitFactor } from "./share-splits.ts";
import { SEC } from "./source.ts";
import { type FlowPart, type InstantPart, TAGS, type TagTable } from "./tags.ts";

/**
 * The quarters and years of one US company from its XBRL facts, oldest first.
 *
 * - A figure told again by a later filing has the value of the latest one; `filedOn` is the day on
 *   which the period was first reported in XBRL (for periods before about 2009 that is the first
 *   filing that repeats them).
 * - A quarter that no filing states alone (the fourth; cash flows) is the difference of longer
 *   periods, both as one filing generation tells them: a year that was restated after a spin-off is
 *   not reduced by quarters that were not. `sharesDiluted`, an average, is null there.
 * - Of several tags for one item, each fiscal year takes the one that states most of it.
 * - Shares and per-share figures are put in the shares of the last filing, splits being read off the
 *   filings themselves; a split since then is not in them.
 * - A foreign company reports in its own currency, per ordinary share, and mostly whole years only.
 */
export const secStatements = defineFetcher({
  kind: "statements",
  source: SEC,
  countries: ["US"],
  scope: "instrument",
  async fetch(query, client) {
    const registrants = parseRegistrants(await fetchRegistrants(client));
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

function symbolOf({ instrument }: LiveQuery): string {
  if (!instrument) throw new SourceError(SEC.name, "nothing", "asked for no instrument");
  return instrument.symbol;
}

function nothing(query: LiveQuery): SourceError {
  return new SourceError(SEC.name, "nothing", `no statements of ${symbolOf(query)}`);
}

function companyStatements(taxonomies: readonly TaxonomyFacts[], symbol: string): Statement[] {
  const ledger = chooseLedger(taxonomies);
  if (!ledger) return [];
  const { facts, tags, currency } = ledger;
  const list = (tag: string, unit: string) => facts.find(tag).get(unit) ?? [];
  const shareTags = ["WeightedAverageNumberOfSharesOutstandingBasic", ...tags.sharesDiluted];
  const splits = findShareSplits(shareTags.map((tag) => list(tag, "shares")));

  const flows = mapRecord(tags.flows, (names) => names.map((tag) => list(tag, currency)));
  const all = Object.values(flows).flat(2);
  const years = fiscalYears(all);
  const findSpan = createFindSpan(years);
  const periods = reportedPeriods(all, years, findSpan);

  const flow = mapRecord(flows, (candidates) => series(candidates, findSpan, true));
  const eps = series(
    tags.epsDiluted.map((tag) =>
      list(tag, `${currency}/shares`).map((fact) => ({
        ...fact,
        value: roundShareFigure(fact.value / splitFactor(splits, fact.filed)),
      })),
    ),
    findSpan,
    true,
  );
  const shares = series(
    tags.sharesDiluted.map((tag) =>
      list(tag, "shares").map((fact) => ({
        ...fact,
        value: fact.value * splitFactor(splits, fact.filed),
      })),
    ),
    findSpan,
    false,
  );
  const instant = mapRecord(tags.instants, (names) =>
    instants(names.map((tag) => list(tag, currency))),
  );

  const statements: Statement[] = [];
  for (const { year, fiscalQuarter, end, filedOn } of periods) {
    const spans = fiscalQuarter === 4 ? (["quarter", "year"] as const) : (["quarter"] as const);
    for (const span of spans) {
      const of = (values: Series) => {
        const ofYear = values.get(year);
        return (span === "year" ? ofYear?.whole : ofYear?.quarters[fiscalQuarter - 1]) ?? null;
      };
      const items = statementItems(
        mapRecord(flow, of),
        { eps: of(eps), shares: of(shares) },
        mapRecord(instant, (values) => values.get(end) ?? null),
      );
      if (!hasFlow(items)) continue;
      statements.push({
        country: "US",
        symbol,
        span,
        fiscalYear: year.year,
        fiscalQuarter,
        periodEnd: end,
        filedOn,
        currency,
        items,
      });
    }
  }
  return statements;
}

/** The taxonomy and currency in which the company reports: those of its most recent balance sheets. */
function chooseLedger(
  taxonomies: readonly TaxonomyFacts[],
): { facts: TaxonomyFacts; tags: TagTable; currency: string } | null {
  let best: { facts: TaxonomyFacts; tags: TagTable; currency: string } | null = null;
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

/** The fiscal quarters that any flow ends with, oldest first. */
function reportedPeriods(
  flows: readonly Fact[],
  years: readonly FiscalYear[],
  findSpan: FindSpan,
): ReportedPeriod[] {
  type Periods = Map<number, { filedOn: string; ends: Map<string, number> }>;
  const found = new Map(years.map((year): [FiscalYear, Periods] => [year, new Map()]));
  for (const { fact, year, to } of placed(flows, findSpan)) {
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

interface YearFigures {
  readonly quarters: readonly (number | null)[];
  readonly whole: number | null;
}

type Series = ReadonlyMap<FiscalYear, YearFigures>;

/** The figures of an item by fiscal year, each year's from the tag that states most of it. */
function series(
  candidates: readonly (readonly Fact[])[],
  findSpan: FindSpan,
  isAdditive: boolean,
): Series {
  const best = new Map<FiscalYear, YearFigures & { known: number }>();
  // Last of all the tags together, for a company that changed its tag within a year.
  for (const facts of [...candidates, candidates.flat()]) {
    for (const [year, cells] of cellsByYear(facts, findSpan)) {
      const figures = yearFigures(cells, isAdditive);
      const known = [...figures.quarters, figures.whole].filter((value) => value !== null).length;
      if (known > (best.get(year)?.known ?? 0)) best.set(year, { ...figures, known });
    }
  }
  return best;
}

/** What filings told of one span of quarters, the first filing first. */
type Cell = readonly Fact[];
/** By the quarters that they cover, `from-to`. */
type Cells = ReadonlyMap<string, Cell>;

function cellsByYear(facts: readonly Fact[], findSpan: FindSpan): Map<FiscalYear, Cells> {
  const byYear = new Map<FiscalYear, Map<string, Fact[]>>();
  const inOrder = facts.toSorted((a, b) => (a.filed < b.filed ? -1 : a.filed > b.filed ? 1 : 0));
  for (const { fact, year, from, to } of placed(inOrder, findSpan)) {
    const cells = byYear.get(year) ?? new Map<string, Fact[]>();
    byYear.set(year, cells);
    const cell = cells.get(`${from}-${to}`) ?? [];
    cell.push(fact);
    cells.set(`${from}-${to}`, cell);
  }
  return byYear;
}

/** The flows that cover whole fiscal quarters, with the year and the quarters. */
function* placed(facts: readonly Fact[], findSpan: FindSpan) {
  for (const fact of facts) {
    const span = fact.start === null ? null : findSpan(fact.start, fact.end);
    if (span) yield { fact, ...span };
  }
}

function yearFigures(cells: Cells, isAdditive: boolean): YearFigures {
  const cell = (from: number, to: number) => cells.get(`${from}-${to}`) ?? [];
  const alone = [0, 1, 2, 3].map((from) => cell(from, from + 1));
  const quarters = alone.map((stated, from) => {
    const value = stated.at(-1)?.value;
    if (value !== undefined) return value;
    if (!isAdditive) return null;
    const toDate = cell(0, from);
    const before = toDate.length > 0 ? [toDate] : alone.slice(0, from);
    return before.some((part) => part.length === 0) ? null : difference(cell(0, from + 1), before);
  });
  const whole = cell(0, 4).at(-1)?.value ?? null;
  return { quarters, whole };
}

/** `longer` less its `parts`, as the first filing tells it that could know the parts as they stand. */
function difference(longer: Cell, parts: readonly Cell[]): number | null {
  const since = parts.map(standsSince).reduce((a, b) => (a > b ? a : b), "");
  const minuend = longer.find(({ filed }) => filed >= since) ?? longer.at(-1);
  if (!minuend) return null;
  const rest = parts.reduce((left, part) => left - (part.at(-1)?.value ?? 0), minuend.value);
  return Number.isInteger(rest) ? rest : roundShareFigure(rest);
}

/** Cents are no binary fractions, and quotients by a split no longer cents. */
function roundShareFigure(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

/** The day of the first filing that told the value that stands. */
function standsSince(cell: Cell): string {
  let first = cell.at(-1);
  for (const fact of cell.toReversed()) {
    if (fact.value !== first?.value) break;
    first = fact;
  }
  return first?.filed ?? "";
}

/** The amounts that stand at a day, by day: of the first tag that has one, as told last. */
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
): StatementItems {
  const minority = at.minorityInterest ?? minus(at.equityWithMinority, at.equity);
  const equity = at.equity ?? minus(at.equityWithMinority, at.minorityInterest ?? 0);
  return {
    revenue: flow.revenue,
    costOfRevenue: flow.costOfRevenue ?? minus(flow.revenue, flow.grossProfit),
    grossProfit: flow.grossProfit ?? minus(flow.revenue, flow.costOfRevenue),
    operatingIncome: flow.operatingIncome,
    ebitda:
      flow.operatingIncome === null || flow.depreciation === null
        ? null
        : flow.operatingIncome + flow.depreciation,
    pretaxIncome: flow.pretaxIncome,
    incomeTax: flow.incomeTax,
    netIncome: flow.netIncome,
    epsDiluted: perShare.eps,
    sharesDiluted: perShare.shares,
    totalAssets: at.totalAssets,
    currentAssets: at.currentAssets,
    cash:
      at.cashAndInvestments ?? (at.cash === null ? null : sum(at.cash, at.shortTermInvestments)),
    inventory: at.inventory,
    totalLiabilities: at.totalLiabilities ?? minus(at.totalAssets, at.equityWithMinority ?? equity),
    currentLiabilities: at.currentLiabilities,
    totalDebt: totalDebt(at),
    commonEquity: equity === null ? null : equity - (at.preferredEquity ?? 0),
    preferredEquity: at.preferredEquity,
    minorityInterest: minority,
    operatingCashFlow: flow.operatingCashFlow,
    investingCashFlow: flow.investingCashFlow,
    financingCashFlow: flow.financingCashFlow,
    capitalExpenditure: flow.capitalExpenditure,
  };
}

/** Non-current + current debt, or the whole where the parts are not told; null where nothing is. */
function totalDebt(at: Figures<InstantPart>): number | null {
  const short = at.shortTermBorrowings ?? sum(at.commercialPaper, at.otherBorrowings);
  const current = at.currentDebt ?? sum(at.currentLongTermDebt, short);
  if (at.longTermDebt !== null) return sum(at.longTermDebt, current);
  if (at.wholeDebt !== null) return at.wholeDebt;
  return at.wholeLongTermDebt === null ? current : sum(at.wholeLongTermDebt, short);
}

/** The sum of what is known; null where nothing is. */
function sum(a: number | null, b: number | null): number | null {
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
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, map(value as T)]),
  ) as Record<K, U>;
}
