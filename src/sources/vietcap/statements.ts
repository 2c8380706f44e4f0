import { Type } from "@sinclair/typebox";
import { Nullable, type Static } from "#domain/schema.ts";
import { adjustStatement } from "#domain/split-adjustment.ts";
import { type Statement, type StatementItems, NO_ITEMS } from "#domain/statement.ts";
import { assumedFilingDate } from "#analytics/filing-day.ts";
import { isDate } from "#lib/date.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { dataReader, VIETCAP_SERVICE } from "./answer.ts";
import { type CapitalPeriod, sharesSince } from "./bonus-issues.ts";
import { VIETCAP } from "./source.ts";

const SECTIONS = ["INCOME_STATEMENT", "BALANCE_SHEET", "CASH_FLOW"] as const;
type Section = (typeof SECTIONS)[number];

/** One section of one period; its figures are fields with codes such as `isa3`, in VND. */
const Row = Type.Object({
  yearReport: Type.Integer({ minimum: 1900, maximum: 2200 }),
  /** 1 to 4 for a quarter, 5 for the year; others are left out. */
  lengthReport: Type.Integer(),
  publicDate: Type.Optional(Nullable(Type.String())),
});
type Row = Static<typeof Row>;

const readSection = dataReader(
  Type.Object({ years: Type.Optional(Type.Array(Row)), quarters: Type.Optional(Type.Array(Row)) }),
);

/** The sections of one period; a section that is not given for it is an empty row. */
interface Period {
  readonly year: number;
  /** 5 for the year. */
  readonly length: number;
  readonly sections: Partial<Record<Section, Row>>;
}

/**
 * The quarters and years of one company, as published. Flows of a quarter are of that quarter alone.
 *
 * Zero is how the source writes "not applicable". So a zero is null if the figure is a total or
 * the first item of a statement, which is never zero at a reporting company. It stays zero if the figure
 * is one part of a known total (debt, inventory, tax, capital expenditure), so that the parts add up.
 *
 * Banks, brokers and insurers have their own forms of statements. Of these, only the items that all forms
 * have are read, their revenue (see `revenueOf`) and their interest expense.
 *
 * The source does not restate earnings per share after share dividends. If the splits of the company are
 * stored, figures per share are as reported, in the shares of the day of publication. Else they are in
 * the shares of the newest balance sheet, as far as the statements prove bonus issues (`sharesSince`).
 *
 * A fiscal year is read as a calendar year, because the source names no month.
 */
export const vietcapStatements = defineFetcher({
  kind: "statements",
  source: VIETCAP,
  countries: ["VN"],
  scope: "instrument",
  async fetch({ instrument }, client): Promise<Record<Section, unknown>> {
    if (instrument?.assetType !== "stock")
      throw VIETCAP.error("nothing", "it has no data for the request");
    const symbol = encodeURIComponent(instrument.symbol);
    const requestSection = async (section: Section) => {
      const address = `${VIETCAP_SERVICE}/v1/company/${symbol}/financial-statement?section=${section}`;
      return (await client.request(address)).json();
    };
    return {
      INCOME_STATEMENT: await requestSection("INCOME_STATEMENT"),
      BALANCE_SHEET: await requestSection("BALANCE_SHEET"),
      CASH_FLOW: await requestSection("CASH_FLOW"),
    };
  },
  *transform(raw, { instrument, splitsOf }) {
    if (!instrument) throw VIETCAP.error("nothing", "it has no data for the request");
    const periods = joinSections(raw);
    if (periods.length === 0) throw VIETCAP.error("nothing", "it has no data for the request");
    const hasSplits = (splitsOf?.(instrument.symbol) ?? null) !== null;
    const capital = (isYear: boolean) =>
      periods.filter(({ length }) => (length === 5) === isYear).map(capitalOf);
    const since = hasSplits ? null : sharesSince(capital(false), capital(true));
    const newest = since && periods.findLast((period) => capitalOf(period).capital !== null);
    const newestFiled = newest ? filedOn(newest) : "";
    for (const period of periods) {
      const isYear = period.length === 5;
      const fiscalQuarter = isYear ? 4 : period.length;
      const periodEnd = endOf(period);
      const filed = filedOn(period);
      const isFilingAssumed = publishedOn(period) === null;
      const items = itemsOf(period, periods);
      if (Object.values(items).every((item) => item === null)) continue;
      const statement = {
        country: instrument.country,
        symbol: instrument.symbol,
        span: isYear ? "year" : "quarter",
        fiscalYear: period.year,
        fiscalQuarter,
        periodEnd,
        filedOn: filed,
        ...(isFilingAssumed && { isFilingAssumed }),
        currency: "VND",
        sharesAsOf: newestFiled > filed ? newestFiled : filed,
        items,
      } satisfies Statement;
      yield adjustStatement<Statement>(statement, since?.get(capitalOf(period).number) ?? 1);
    }
  },
});

/** Far more periods than any company has: a hundred years of quarters. */
const MAX_PERIODS = 500;

/** The periods, oldest first, a year after its fourth quarter. */
function joinSections(raw: Record<Section, unknown>): Period[] {
  const periods = new Map<number, Period>();
  for (const section of SECTIONS) {
    const { years, quarters } = readSection(raw[section]);
    if (!years && !quarters) throw VIETCAP.error("invalid_answer", `${section} has no periods`);
    for (const row of [...(years ?? []), ...(quarters ?? [])]) {
      const { yearReport: year, lengthReport: length } = row;
      if (length < 1 || length > 5) continue;
      const period = periods.get(year * 5 + length) ?? { year, length, sections: {} };
      period.sections[section] = row;
      periods.set(year * 5 + length, period);
    }
  }
  if (periods.size > MAX_PERIODS) {
    throw VIETCAP.error("invalid_answer", `it has ${periods.size} periods`);
  }
  return [...periods.entries()].sort(([a], [b]) => a - b).map(([, period]) => period);
}

/** A figure of a row; null if it is not given. @throws SourceError if it is not a number */
function figure(row: Row | undefined, code: string): number | null {
  const value: unknown = row && Reflect.get(row, code);
  if (value === undefined || value === null) return null;
  if (typeof value !== "number" || !Number.isFinite(value))
    throw VIETCAP.error("invalid_answer", `${code} is not a number`);
  return value;
}

/** A total or the first item of a statement, for which zero means "not applicable". */
function total(row: Row | undefined, code: string): number | null {
  return figure(row, code) || null;
}

/** The sum; null if one of the values is null. */
function sum(...figures: (number | null)[]): number | null {
  let result = 0;
  for (const part of figures) {
    if (part === null) return null;
    result += part;
  }
  return result;
}

const negated = (value: number | null) => (value === null ? null : 0 - value);

/** True if a column is filled that only banks (b), brokers (s) or insurers (i) fill. */
function isFinancialForm({ sections }: Period): boolean {
  return [sections.INCOME_STATEMENT, sections.BALANCE_SHEET].some(
    (row) =>
      row &&
      Object.entries(row).some(
        ([code, value]) =>
          /^(is|bs)[bsi]\d+$/.test(code) && typeof value === "number" && value !== 0,
      ),
  );
}

function itemsOf(period: Period, periods: readonly Period[]): StatementItems {
  const { INCOME_STATEMENT: income, BALANCE_SHEET: sheet } = period.sections;
  const pretaxIncome = total(income, "isa16");
  const shared: StatementItems = {
    ...NO_ITEMS,
    revenue: revenueOf(income),
    pretaxIncome,
    incomeTax: pretaxIncome === null ? null : negated(figure(income, "isa19")),
    netIncome:
      total(income, "isa22") ?? sum(total(income, "isa20"), negated(figure(income, "isa21"))),
    // Basic if diluted are not given.
    epsDiluted: total(income, "isa24") ?? total(income, "isa23"),
    sharesOutstanding: sharesOf(sheet),
    totalAssets: total(sheet, "bsa53"),
    totalLiabilities: total(sheet, "bsa54"),
    ...equityOf(sheet),
    ...cashFlowsOf(period, periods),
  };
  if (isFinancialForm(period)) {
    const interestExpense = negated(total(income, "isb26") ?? total(income, "iss148"));
    return { ...shared, interestExpense, capitalExpenditure: null };
  }
  // Operating profit (isa11) contains financial income and interest; EBIT is without both.
  const operatingIncome =
    total(income, "isa5") === null
      ? null
      : sum(figure(income, "isa5"), figure(income, "isa9"), figure(income, "isa10"));
  const hasSheet = shared.totalAssets !== null;
  const part = (code: string) => (hasSheet ? figure(sheet, code) : null);
  // Convertible bonds have their own column, which older answers leave out.
  const totalDebt = sum(part("bsa56"), part("bsa71"), part("bsa173") ?? 0);
  return {
    ...shared,
    costOfRevenue: negated(total(income, "isa4")),
    grossProfit: total(income, "isa5"),
    sellingGeneralAdministrative: negated(sum(figure(income, "isa9"), total(income, "isa10"))),
    operatingIncome,
    ebitda: sum(operatingIncome, shared.depreciationAndAmortization),
    interestExpense: negated(total(income, "isa8") ?? (totalDebt === 0 ? 0 : null)),
    currentAssets: total(sheet, "bsa1"),
    cash: sum(part("bsa2"), part("bsa5")),
    receivables: part("bsa9"),
    inventory: part("bsa15"),
    // Before 2015 it had another column.
    goodwill: part("bsa209") || part("bsa48") || part("bsa209"),
    currentLiabilities: total(sheet, "bsa55"),
    payables: part("bsa57"),
    totalDebt,
  };
}

/**
 * A bank's total operating income, an insurer's net revenue from insurance, or net sales, which brokers
 * state as their operating revenue.
 */
function revenueOf(income: Row | undefined): number | null {
  return total(income, "isb38") ?? total(income, "isi64") ?? total(income, "isa3");
}

/** The par value of every listed share, in VND. */
const PAR_VALUE = 10_000;

/** Paid-in capital of the common shares, which is at par. */
function paidInCapital(sheet: Row | undefined): number | null {
  return total(sheet, "bsa175") ?? total(sheet, "bsa80");
}

/** Common shares by the paid-in capital. Unknown with treasury shares, whose value is not their number. */
function sharesOf(sheet: Row | undefined): number | null {
  const capital = paidInCapital(sheet);
  return capital === null || total(sheet, "bsa83") !== null ? null : capital / PAR_VALUE;
}

/**
 * Owners' equity (bsa78) contains the minority's share (bsa210) and preferred shares (bsa174). Before
 * 2015 the minority's share was a separate column (bsa95).
 */
function equityOf(
  sheet: Row | undefined,
): Pick<StatementItems, "commonEquity" | "preferredEquity" | "minorityInterest"> {
  const equity = total(sheet, "bsa78");
  if (equity === null) return { commonEquity: null, preferredEquity: null, minorityInterest: null };
  const preferredEquity = figure(sheet, "bsa174");
  const within = figure(sheet, "bsa210");
  return {
    commonEquity: equity - (within ?? 0) - (preferredEquity ?? 0),
    preferredEquity,
    minorityInterest: within || figure(sheet, "bsa95") || within,
  };
}

/**
 * The cash flows, if they add up to the reported change in cash, as they must, and if a quarter begins
 * with the cash at the quarter's start. A quarter that begins with the cash at the year's start is
 * cumulative, so its own flows are unknown.
 */
function cashFlowsOf(period: Period, periods: readonly Period[]) {
  const row = period.sections.CASH_FLOW;
  const [operating = null, investing = null, financing = null] = ["cfa18", "cfa26", "cfa34"].map(
    (code) => total(row, code),
  );
  const change = figure(row, "cfa35");
  const parts = sum(operating ?? 0, investing ?? 0, financing ?? 0) ?? 0;
  // A rounding error of one dong per million is allowed.
  const addsUp = change === null || Math.abs(parts - change) <= 1 + Math.abs(change) * 1e-6;
  const isKnown = addsUp && !isCumulative(period, periods);
  const outflow = (code: string) => {
    const spent = isKnown && operating !== null ? figure(row, code) : null;
    return spent === null ? null : Math.max(0 - spent, 0);
  };
  return {
    operatingCashFlow: isKnown ? operating : null,
    investingCashFlow: isKnown ? investing : null,
    financingCashFlow: isKnown ? financing : null,
    capitalExpenditure: outflow("cfa19"),
    depreciationAndAmortization: isKnown && operating !== null ? total(row, "cfa2") : null,
    dividendsPaid: outflow("cfa32"),
    shareRepurchases: outflow("cfa28"),
  } satisfies Partial<StatementItems>;
}

/** True if a second to fourth quarter begins with the same cash as the first. */
function isCumulative({ year, length, sections }: Period, periods: readonly Period[]): boolean {
  if (length < 2 || length > 4) return false;
  const inYear = (quarter: number) =>
    periods.find((other) => other.year === year && other.length === quarter)?.sections.CASH_FLOW;
  const opening = total(sections.CASH_FLOW, "cfa36");
  return (
    opening !== null &&
    opening === total(inYear(1), "cfa36") &&
    opening !== total(inYear(length - 1), "cfa38")
  );
}

/** What a period shows of share issues. */
function capitalOf({ year, length, sections }: Period): CapitalPeriod {
  const { INCOME_STATEMENT: income, BALANCE_SHEET: sheet, CASH_FLOW: flows } = sections;
  return {
    number: 4 * year + Math.min(length, 4),
    capital: paidInCapital(sheet),
    equity: total(sheet, "bsa78"),
    netIncome: total(income, "isa20"),
    // A row without a change in cash is not filled.
    proceeds: total(flows, "cfa35") === null ? null : figure(flows, "cfa27"),
  };
}

/** The last day of a period. */
function endOf({ year, length }: Period): string {
  return `${year}-${["03-31", "06-30", "09-30", "12-31"][Math.min(length, 4) - 1]}`;
}

/** The day when all sections were public; an assumed one if it is unknown. */
function filedOn(period: Period): string {
  const fiscalQuarter = Math.min(period.length, 4);
  const assumed = assumedFilingDate({ country: "VN", fiscalQuarter, periodEnd: endOf(period) });
  return publishedOn(period) ?? assumed;
}

function publishedOn(period: Period): string | null {
  const periodEnd = endOf(period);
  const dates = Object.values(period.sections).flatMap(({ publicDate }) => {
    const date = publicDate?.slice(0, 10) ?? "";
    return isDate(date) && date > periodEnd ? [date] : [];
  });
  return dates.sort().at(-1) ?? null;
}
