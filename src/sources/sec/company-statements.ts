import { difference } from "#analytics/ratios.ts";
import type { Split } from "#domain/split.ts";
import { QUARTERS_OF_YEAR, type Statement, type StatementItems } from "#domain/statement.ts";
import { daysBetween } from "#lib/date.ts";
import { BadRow } from "#sources/list.ts";
import { mapRecord } from "#lib/map-record.ts";
import { readSheets, type Sheets } from "./balance-sheet.ts";
import { findTotalDebts, netFlows } from "./debt.ts";
import { depreciationSeries } from "./depreciation.ts";
import type { Fact, TaxonomyFacts } from "./facts.ts";
import { createFindSpan, type FindSpan, type FiscalYear, fiscalYears } from "./fiscal-calendar.ts";
import { inOneUnit } from "./filing-units.ts";
import { chooseLedger, type Ledger, listFacts } from "./ledger.ts";
import { netIncomeFacts } from "./net-income.ts";
import { type PerShareSeries, perShareSeries } from "./per-share.ts";
import { largestSeries, NO_FIGURES, type Series, series, spanOf, sumSeries } from "./series.ts";
import { revenueFacts } from "./revenue.ts";
import { SEC } from "./source.ts";
import { sharesOutstanding } from "./shares-outstanding.ts";
import { hasFlow, statementItems } from "./statement-items.ts";
import { MAIN_FLOWS } from "./frame-tags.ts";
import type { FlowPart } from "./tags.ts";

/** The flows of a company in the taxonomy and the currency in which it reports now, and its fiscal years. */
export interface CompanyCalendar {
  readonly taxonomy: string;
  readonly currency: string;
  readonly years: readonly FiscalYear[];
  readonly findSpan: FindSpan;
  /** The figures of the main flows, which show when periods were reported. */
  readonly stated: readonly Fact[];
}

/** The calendar of a company; null without a balance sheet. */
export function companyCalendar(taxonomies: readonly TaxonomyFacts[]): CompanyCalendar | null {
  const ledger = chooseLedger(taxonomies);
  if (!ledger) return null;
  const stated = mainFlows(ledger);
  const years = fiscalYears(stated);
  const { currency, facts } = ledger;
  return { taxonomy: facts.name, currency, years, findSpan: createFindSpan(years), stated };
}

const mainFlows = (ledger: Ledger): Fact[] =>
  MAIN_FLOWS.flatMap((part) => ledger.tags.flows[part].flatMap((tag) => listFacts(ledger, tag)));

/** The filings in another unit, whose amounts are left out: see `inOneUnit`. */
export function misstatedFilings(taxonomies: readonly TaxonomyFacts[], symbol: string): BadRow[] {
  const ledger = chooseLedger(taxonomies);
  const faults = ledger ? inOneUnit(ledger).faults : [];
  return faults.map(
    (reason) => new BadRow(SEC.error("invalid_answer", `${symbol}, ${reason}`), symbol, false),
  );
}

/**
 * The quarters and years of one company, oldest first; empty without a balance sheet. `secStatements`
 * defines the figures.
 *
 * @param splits the recorded splits, oldest first; null if they are unknown
 * @param calendar the fiscal years, if the facts are only some of the company's
 */
export function companyStatements(
  taxonomies: readonly TaxonomyFacts[],
  symbol: string,
  splits: readonly Split[] | null,
  calendar = companyCalendar(taxonomies),
): Statement[] {
  const all = chooseLedger(taxonomies);
  if (all?.facts.name !== calendar?.taxonomy || all?.currency !== calendar?.currency) return [];
  if (!all || !calendar) return [];
  const { ledger } = inOneUnit(all);
  const { years, findSpan } = calendar;
  const sheets = readSheets(ledger);
  const flows = {
    ...mapRecord(ledger.tags.flows, (names) => names.map((tag) => listFacts(ledger, tag))),
    revenue: revenueFacts(ledger, findSpan),
    netIncome: netIncomeFacts(ledger, sheets),
  };
  const stated = mainFlows(all);
  const flow = flowSeries(flows, findSpan, sheets);
  const newest = stated.reduce((last, { filed }) => (filed > last ? filed : last), "");
  const perShare = perShareSeries(ledger, findSpan, flow.netIncome, splits, newest);
  const cover = taxonomies.find(({ name }) => name === "dei");
  const figures: CompanyFigures = {
    flow,
    perShare,
    sheets,
    debtAt: findTotalDebts(
      sheets,
      netFlows(flows.shortTermBorrowed, flows.shortTermRepaid),
      interestOfYear(flow.interestExpense),
    ),
    sharesAt: sharesOutstanding(ledger, cover, perShare.basis),
    inventoryFlows: new Set(
      flows.inventoryChange.flat().flatMap(({ end, value }) => (value === 0 ? [] : [end])),
    ),
  };
  return reportedPeriods(stated, years, findSpan).flatMap((period) =>
    spansOf(figures, period).flatMap((span): Statement[] => {
      const items = itemsOf(figures, period, span);
      if (!hasFlow(items)) return [];
      const { year, fiscalQuarter, end, filedOn } = period;
      return [
        {
          country: "US",
          symbol,
          span,
          fiscalYear: year.year,
          fiscalQuarter: year.firstQuarter - 1 + fiscalQuarter,
          periodEnd: end,
          filedOn,
          currency: ledger.currency,
          sharesAsOf: perShare.basis.sharesAsOf,
          items,
        },
      ];
    }),
  );
}

/** All figures of a company: flows by fiscal year, balances by day. */
interface CompanyFigures {
  readonly flow: Readonly<Record<FlowPart, Series>>;
  readonly perShare: PerShareSeries;
  readonly sheets: Sheets;
  readonly debtAt: (date: string) => number | null;
  readonly sharesAt: ReadonlyMap<string, number>;
  /** The last days of the cash flows with a change of inventories. */
  readonly inventoryFlows: ReadonlySet<string>;
}

/** The flows by fiscal year; parts that are sums of others are complete. */
function flowSeries(
  flows: Readonly<Record<FlowPart, readonly (readonly Fact[])[]>>,
  findSpan: FindSpan,
  sheets: Sheets,
): Record<FlowPart, Series> {
  const flow = mapRecord(flows, (candidates) => series(candidates, findSpan, true));
  return {
    ...flow,
    // Banks state no total, or tag it like the fees that are a part.
    revenue: new Map([
      ...flow.revenue,
      ...sumSeries(flow.netInterestIncome, flow.noninterestIncome, true),
    ]),
    depreciationAndAmortization: new Map([
      ...sumSeries(flow.depreciationExpense, flow.amortisationExpense, true),
      ...depreciationSeries(flows, findSpan, sheets),
    ]),
    capitalExpenditure: largestSeries([
      sumSeries(
        capitalExpenditure(
          flow.capitalExpenditure,
          largestSeries(
            flows.otherCapitalExpenditure.map((facts) => series([facts], findSpan, true)),
          ),
        ),
        flow.investmentProperty,
      ),
      flow.investmentProperty,
      // The first tag is for plant and equipment only, the others may include software.
      sumSeries(series(flows.capitalExpenditure.slice(0, 1), findSpan, true), flow.software, true),
    ]),
    // A tag may be for acquired projects only (Johnson & Johnson).
    researchAndDevelopment: largestSeries([
      flow.researchAndDevelopment,
      ...flows.researchAndDevelopment.map((facts) => series([facts], findSpan, true)),
    ]),
    sellingGeneralAdministrative: largestSeries([
      sumSeries(flow.selling, flow.generalAdministrative, true),
      flow.sellingGeneralAdministrative,
    ]),
    dividends: largestSeries([
      sumSeries(flow.commonDividends, flow.preferredDividends),
      flow.dividends,
    ]),
  };
}

/**
 * The line for property, with the line for wells, construction or improvements if that is larger: then the first is
 * for other property (Range Resources, American Electric Power). It is unknown in a year in which it may be.
 */
function capitalExpenditure(line: Series, other: Series): Series {
  const wholeOf = (values: Series, year: FiscalYear) => values.get(year)?.whole ?? 0;
  const beside = [...other.keys()]
    .filter((year) => wholeOf(other, year) > wholeOf(line, year))
    .map((year) => wholeOf(other, year));
  if (beside.length === 0) return line;
  const isAll = (year: FiscalYear) => wholeOf(line, year) >= 0.5 * Math.min(...beside);
  return new Map([
    ...other,
    ...sumSeries(line, other, true),
    ...[...line].filter(([year]) => isAll(year) && wholeOf(other, year) <= wholeOf(line, year)),
  ]);
}

/**
 * The spans for which a period has a statement: its quarter; in the fourth quarter the year; in others the
 * year to date, if a flow is stated to date and one of its quarters cannot be derived.
 */
function spansOf({ flow }: CompanyFigures, { year, fiscalQuarter }: ReportedPeriod) {
  if (fiscalQuarter === QUARTERS_OF_YEAR) return ["quarter", "year"] as const;
  const isCumulative = MAIN_FLOWS.some((part) => {
    const { quarters, toDate } = flow[part].get(year) ?? NO_FIGURES;
    return quarters.slice(0, fiscalQuarter).includes(null) && toDate[fiscalQuarter - 1] !== null;
  });
  return isCumulative ? (["quarter", "year_to_date"] as const) : (["quarter"] as const);
}

function itemsOf(
  { flow, perShare, sheets, debtAt, sharesAt, inventoryFlows }: CompanyFigures,
  { year, fiscalQuarter, end }: ReportedPeriod,
  span: Statement["span"],
): StatementItems {
  const of = (values: Series) => {
    const { whole, quarters, toDate } = values.get(year) ?? NO_FIGURES;
    if (span === "year") return whole;
    return (span === "quarter" ? quarters : toDate)[fiscalQuarter - 1] ?? null;
  };
  return statementItems(
    mapRecord(flow, of),
    { eps: of(perShare.eps), diluted: of(perShare.shares), outstanding: sharesAt.get(end) ?? null },
    {
      at: sheets.at(end),
      recent: sheets.recent(end),
      totalDebt: debtAt(end),
      preferredDividends: preferredDividends(flow, sheets.isPartial, year, fiscalQuarter),
      hasInventoryFlows: [...inventoryFlows].some(
        (day) => Math.abs(daysBetween(day, end)) <= NEAR_DAYS,
      ),
    },
  );
}

/**
 * Dividends on preferred equity of the company itself, not of its subsidiaries: net income to common is after them.
 * Frames do not have them. There they are the difference, from 1 % of the income on: less goes to shares that take part
 * in the earnings (JPMorgan Chase).
 */
function preferredDividends(
  flow: CompanyFigures["flow"],
  isPartial: boolean,
  year: FiscalYear,
  fiscalQuarter: number,
): number {
  const of = (part: FlowPart) => {
    const { quarters, whole } = flow[part].get(year) ?? NO_FIGURES;
    return quarters[fiscalQuarter - 1] ?? whole;
  };
  const income = of("incomeToParent");
  const allocated = difference(income, of("netIncome")) ?? 0;
  if (isPartial) return allocated > 0.01 * Math.abs(income ?? 0) ? allocated : 0;
  const paid = of("preferredDividends") ?? of("preferredDeclared");
  return paid !== null && allocated >= 0.5 * paid ? paid : 0;
}

/** The interest expense of the fiscal year of a day, or of the year before if that is not over. */
function interestOfYear(interest: Series): (date: string) => number | null {
  const inOrder = [...interest].sort(([a], [b]) => (a.end < b.end ? 1 : -1));
  return (date) => {
    const full = inOrder.filter(([{ quarters }]) => quarters === QUARTERS_OF_YEAR);
    const begun = full.filter(([year]) => year.start <= date).slice(0, 2);
    return begun.map(([, { whole }]) => whole).find((whole) => whole !== null) ?? null;
  };
}

/** Cash flows of companies that report by year only are up to so many days from a balance sheet. */
const NEAR_DAYS = 460;

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
