import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { itemsBetween } from "#analytics/periods.ts";
import { difference, product } from "#analytics/ratios.ts";
import { sessionsBetween } from "#analytics/sessions.ts";
import { localDateOf } from "#domain/country.ts";
import { NO_ITEMS, type Statement, type StatementItems } from "#domain/statement.ts";
import { addMonths } from "#lib/date.ts";
import { type DateSpan, defineFetcher, type LiveQuery } from "#sources/fetcher.ts";
import { type FiscalPeriod, fiscalPeriodOf, quartersBetween } from "#sources/jpx/fiscal-period.ts";
import { SourceError } from "#sources/source.ts";
import { requestPages, codeOf, figureOf, rowsReader, symbolOf } from "./answer.ts";
import { JQUANTS } from "./source.ts";
import {
  checkCode,
  companyOf,
  Disclosure,
  inOrder,
  isOfGroup,
  requestSummaries,
  STATEMENT,
  UNKNOWN_CURRENCY,
} from "./summary.ts";

const readRows = rowsReader(Disclosure);

/** The quarters of a summary that is not of the whole fiscal year. The fourth has one in a longer year. */
const QUARTERS: ReadonlyMap<string, number> = new Map([
  ["1Q", 1],
  ["2Q", 2],
  ["3Q", 3],
  ["4Q", 4],
]);

/**
 * The months of disclosures that are fetched: the newest ones, the same quarter a year before,
 * from which the sum of four quarters is computed, and the months that a report takes.
 */
const MONTHS = 16;

/** The share of equity in assets is rounded by up to this. */
const RATIO_ROUNDING = 0.0005;
/** The largest error of equity that is computed from the rounded share, as a share of the equity. */
const MAX_EQUITY_ERROR = 0.01;
/** Book value per share is rounded by up to this. */
const BOOK_VALUE_ROUNDING = 0.005;

/**
 * The statements of one company as it summarised them on disclosure, in yen: years, and within a
 * year the first one, two or three quarters together. If a period has several summaries,
 * the newest disclosure is used. A company that moves its fiscal year has a shorter year with cumulative summaries
 * alone, or a longer one, whose last quarter is a difference.
 *
 * What the summaries do not have is null: costs, tax, debt, inventory, capital expenditure; cash
 * flows are usually missing in first and third quarters. Figures per share and share counts are in the
 * shares of the day of disclosure.
 */
export const jquantsStatements = defineFetcher({
  kind: "statements",
  source: JQUANTS,
  countries: ["JP"],
  scope: "instrument",
  fetch: requestSummaries,
  transform(pages: readonly unknown[], { instrument }) {
    const { symbol } = companyOf(instrument);
    const statements = companyStatements(checkCode(readRows(pages), symbol), symbol);
    if (statements.length === 0) throw JQUANTS.error("nothing", "it has no data for the request");
    return statements;
  },
});

/**
 * The statements of all listed companies from the disclosures of the last 16 months, day by day: some
 * 330 requests instead of one for each company. That is enough for the sums of four quarters. They have
 * the same figures as `jquantsStatements`.
 *
 * Days that the plan does not cover are left out: the service names the covered ones when it refuses
 * the first. A failure in the middle stores nothing, because the statements of a company replace its
 * earlier ones.
 */
export const jquantsDisclosures = defineFetcher({
  kind: "statements",
  source: JQUANTS,
  countries: ["JP"],
  scope: "country",
  async fetch({ now, listed, isProbe, holidayOverrides }, client): Promise<Disclosure[]> {
    const codes = listed && new Set(listed.map(({ symbol }) => codeOf(symbol)));
    const found: Disclosure[] = [];
    let covered: DateSpan = { from: "", to: "9999" };
    for (const date of disclosureDays(now, holidayOverrides)) {
      if (date < covered.from || date > covered.to) continue;
      // Status 400 is the answer for a day that the plan does not cover.
      const pages = await requestPages(client, `/fins/summary?date=${date}`, [400]);
      const span = coveredBy(pages);
      if (span !== null && (date < span.from || date > span.to)) covered = span;
      else found.push(...listedRows(pages, codes));
      if (isProbe && found.length > 0) break;
    }
    return found;
  },
  *transform(rows: readonly Disclosure[]) {
    const byCode = Map.groupBy(rows, ({ Code }) => Code);
    let count = 0;
    for (const [code, disclosed] of byCode) {
      const statements = companyStatements(disclosed, symbolOf(code));
      count += statements.length;
      yield* statements;
    }
    if (count === 0) throw JQUANTS.error("nothing", "its disclosures have no statements");
  },
});

/** The sessions of the last 16 months, the most recent first: companies disclose on these days. */
function disclosureDays(now: number, overrides: LiveQuery["holidayOverrides"]): string[] {
  const today = localDateOf("JP", now);
  return sessionsBetween("JP", addMonths(today, -MONTHS), today, overrides).reverse();
}

const Refusal = Type.Object({ message: Type.String() });
/** `Your subscription covers the following dates: 2024-05-31 ~ 2026-05-31.` The end may be missing. */
const COVERED = /covers the following dates: (\d{4}-\d{2}-\d{2})? ?~ ?(\d{4}-\d{2}-\d{2})?/;

/** The days that the plan covers, if that is the answer; else null. */
function coveredBy([page]: readonly unknown[]): DateSpan | null {
  if (!Value.Check(Refusal, page)) return null;
  const [isNamed, from = "", to = "9999"] = COVERED.exec(page.message) ?? [];
  return isNamed === undefined ? null : { from, to };
}

/** The summaries of statements of these companies, or of all; without other fields, which are many. */
function listedRows(
  pages: readonly unknown[],
  codes: ReadonlySet<string> | undefined,
): Disclosure[] {
  return readDay(pages)
    .filter(({ Code, DocType }) => STATEMENT.test(DocType) && (codes?.has(Code) ?? true))
    .filter(({ Code }) => symbolOf(Code) !== UNKNOWN_CURRENCY)
    .map((row) => {
      const fields = Object.keys(Disclosure.properties).map((name) => [
        name,
        Reflect.get(row, name),
      ]);
      return Object.fromEntries(fields) as Disclosure;
    });
}

/** The disclosures of a day; empty if there are none. */
function readDay(pages: readonly unknown[]): readonly Disclosure[] {
  try {
    return readRows(pages);
  } catch (error) {
    if (error instanceof SourceError && error.fault === "nothing") return [];
    throw error;
  }
}

/** The statements in a company's disclosures, oldest first. */
function companyStatements(rows: readonly Disclosure[], symbol: string): Statement[] {
  const disclosed = inOrder(rows).filter(({ DocType }) => STATEMENT.test(DocType));
  // A year that is cut short after its first quarter is named by later disclosures.
  const yearEnds = new Map(
    disclosed.flatMap(({ CurPerSt, CurFYEn }) => (CurFYEn === "" ? [] : [[CurPerSt, CurFYEn]])),
  );
  const statements = new Map<string, Statement>();
  const keep = (statement: Statement) =>
    statements.set(`${statement.fiscalYear} ${statement.fiscalQuarter}`, statement);
  // The group's come last, and replace the parent's own.
  for (const row of disclosed.toSorted((a, b) => Number(isOfGroup(a)) - Number(isOfGroup(b)))) {
    const period = periodOf({ ...row, CurFYEn: yearEnds.get(row.CurPerSt) ?? row.CurFYEn });
    const items = itemsOf(row);
    const isKnown = [items.revenue, items.netIncome, items.totalAssets].some((v) => v !== null);
    if (period === null || !isKnown) continue;
    const statement: Statement = {
      country: "JP",
      symbol,
      ...period,
      filedOn: row.DiscDate,
      currency: "JPY",
      sharesAsOf: row.DiscDate,
      items,
    };
    if (period.span !== "quarter") keep(statement);
    // The quarters before it, together. Without them, the last quarter of a longer year is unknown.
    const before = statements.get(`${period.fiscalYear} ${period.fiscalQuarter - 1}`);
    if (period.span === "quarter" && before)
      keep({ ...statement, items: itemsBetween(items, before.items) });
  }
  return [...statements.values()].sort((a, b) => (a.periodEnd < b.periodEnd ? -1 : 1));
}

/** The period; null if its length is not what it is called. */
function periodOf(row: Disclosure): FiscalPeriod | null {
  const { CurPerSt: start, CurPerEn: end, CurFYEn: yearEnd } = row;
  if (start === "" || end === "" || yearEnd === "") return null;
  const isWhole = row.CurPerType === "FY";
  if (isWhole ? end !== yearEnd : quartersBetween(start, end) !== QUARTERS.get(row.CurPerType))
    return null;
  return fiscalPeriodOf({ start, end, yearEnd, isWhole });
}

function itemsOf(row: Disclosure): StatementItems {
  const totalAssets = figureOf(row.TA);
  const equity = figureOf(row.Eq);
  const diluted = figureOf(row.DEPS);
  const sharesOutstanding = difference(figureOf(row.ShOutFY), figureOf(row.TrShFY));
  const commonEquity = figureOf(row.ShEq) ?? commonEquityOf(row, sharesOutstanding);
  return {
    ...NO_ITEMS,
    revenue: figureOf(row.Sales),
    operatingIncome: figureOf(row.OP),
    ordinaryIncome: figureOf(row.OdP),
    netIncome: figureOf(row.NP),
    epsDiluted: diluted ?? figureOf(row.EPS),
    sharesDiluted: diluted === null ? figureOf(row.AvgSh) : null,
    sharesOutstanding,
    totalAssets,
    cash: figureOf(row.CashEq),
    totalLiabilities: difference(totalAssets, equity),
    commonEquity,
    // With the rights to shares, so that total equity is assets − liabilities; as exact as `commonEquity`.
    minorityInterest: difference(equity, commonEquity),
    operatingCashFlow: figureOf(row.CFO),
    investingCashFlow: figureOf(row.CFI),
    financingCashFlow: figureOf(row.CFF),
  };
}

/**
 * The equity of the owners: book value per share × shares, or all equity, if the two differ by no more
 * than rounding; or all equity, if its ratio to assets is the reported one; or the reported ratio × assets.
 * Null if the ratio is so small that its rounding may change it by more than 1 %, as for a bank or an
 * exchange.
 */
function commonEquityOf(row: Disclosure, shares: number | null): number | null {
  const totalAssets = figureOf(row.TA);
  const equity = figureOf(row.Eq);
  const ratio = figureOf(row.EqAR);
  if (totalAssets === null || equity === null || ratio === null) return null;
  const reported = ratio * totalAssets;
  const agrees = (amount: number) => Math.abs(reported - amount) <= RATIO_ROUNDING * totalAssets;
  const bookValue = product(figureOf(row.BPS), shares);
  if (bookValue !== null && bookValue !== 0 && agrees(bookValue)) {
    const isAll = Math.abs(equity - bookValue) <= BOOK_VALUE_ROUNDING * (shares ?? 0);
    return isAll ? equity : Math.round(bookValue);
  }
  if (RATIO_ROUNDING > MAX_EQUITY_ERROR * Math.abs(ratio)) return null;
  return agrees(equity) ? equity : Math.round(reported);
}
