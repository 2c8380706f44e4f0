import { assumedFiling } from "#analytics/filing-day.ts";
import { localDateOf } from "#domain/country.ts";
import type { Filing } from "#domain/filings.ts";
import { type Instrument, isCompany } from "#domain/instrument.ts";
import { withoutShares } from "#domain/split-adjustment.ts";
import type { Statement, StatementItem, StatementVintage } from "#domain/statement.ts";
import { addDays, addMonths } from "#lib/date.ts";
import { WorkbookError } from "#lib/workbook-error.ts";
import { ZipFile } from "#lib/zip.ts";
import { defineFetcher, type LiveQuery } from "#sources/fetcher.ts";
import { fiscalPeriodOf } from "#sources/jpx/fiscal-period.ts";
import { type SourceClient, SourceError } from "#sources/source.ts";
import { request, statusOf } from "./answer.ts";
import { itemsOf, STANDARDS } from "./items.ts";
import { dayIn, parseReport, type Report, type RequestedReport } from "./report.ts";
import { EDINET } from "./source.ts";

/** The time until a company is tried again while the list of reports is not complete. */
const LISTING_MS = 5 * 60_000;
/** Corrections of a report that are read. */
const MAX_CORRECTIONS = 3;
const MAX_TEXT_BYTES = 48_000_000;
/** The figures of a securities report; other files are of auditors. */
const REPORT_FILE = /^XBRL_TO_CSV\/jpcrp\d{6}-(asr|ssr|q\dr)-.*\.csv$/;

/** The contexts of the flows and of the balance sheet of each period, the newest first. */
const YEARS = ["CurrentYear", "Prior1Year", "Prior2Year", "Prior3Year"].map(
  (year) => [`${year}Duration`, `${year}Instant`] as const,
);
const HALVES = [
  ["InterimDuration", "InterimInstant"],
  ["Prior1InterimDuration", "Prior1InterimInstant"],
] as const;
const QUARTERS = [
  ["CurrentYTDDuration", "CurrentQuarterInstant"],
  ["Prior1YTDDuration", "Prior1QuarterInstant"],
] as const;
const ALONE = "_NonConsolidatedMember";

/**
 * The years and half-years of a company as it filed them, in yen: from its newest annual and half-year's report and their
 * corrections. Figures are of the group; a company without a group has its own. There are no quarters since
 * 2024, because the law asks for none.
 *
 * `filedOn` of a report's own period is its day of filing, and assumed for the periods before. Years before the last
 * one have the figures of the summary, as far as the summary says when they ended. What a report cannot prove is null:
 * debt, which Japanese balance sheets list in parts.
 */
export const edinetStatements = defineFetcher({
  kind: "statements",
  source: EDINET,
  countries: ["JP"],
  scope: "instrument",
  async fetch(query, client): Promise<RequestedReport[]> {
    const reports: RequestedReport[] = [];
    for (const filing of filingsOf(query)) {
      const csv = await requestReport(client, filing);
      if (csv !== null) reports.push({ filing, csv });
    }
    if (reports.length === 0) throw nothing();
    return reports;
  },
  others(reports, query) {
    const versions = versionsOf(reports, query);
    const corrected = [...versions.values()].filter((all) => all.length > 1);
    return [{ kind: "statementVintages", records: corrected.flatMap((all) => all.map(vintageOf)) }];
  },
  transform(reports, query) {
    const statements = [...versionsOf(reports, query).values()].flatMap((all) => {
      const newest = all.at(-1);
      return newest ? [newest.statement] : [];
    });
    if (statements.length === 0) throw nothing();
    return statements.sort((a, b) => a.periodEnd.localeCompare(b.periodEnd));
  },
});

const nothing = () => EDINET.error("nothing", "it has no report of the company");

/** The reports to read, oldest first: the newest of each form, and its corrections. */
function filingsOf({ instrument, filingsOf: listed }: LiveQuery): Filing[] {
  const { symbol } = companyOf(instrument);
  if (!listed)
    throw EDINET.error(
      "not_asked",
      "a check does not list the reports by which it finds a company",
    );
  const all = listed(symbol);
  if (all === null)
    throw new SourceError(
      EDINET.name,
      "not_asked",
      "the list of EDINET's reports is not whole yet",
      LISTING_MS,
    );
  return (["annual", "half", "quarter"] as const)
    .flatMap((form) => {
      const first = all.findLast((one) => one.form === form && one.corrects === null);
      const corrections = all.filter((one) => first && one.corrects === first.id);
      return first ? [first, ...corrections.slice(-MAX_CORRECTIONS)] : [];
    })
    .sort((a, b) => a.filedOn.localeCompare(b.filedOn));
}

function companyOf(instrument: Instrument | null): Instrument {
  if (!instrument || !isCompany(instrument.assetType)) throw nothing();
  return instrument;
}

/** The figures of a report as text; null if it was withdrawn or has none. @throws SourceError */
async function requestReport(client: SourceClient, { id }: Filing): Promise<string | null> {
  const answer = await request(client, `/documents/${id}?type=5`);
  if (statusOf(answer) === 404) return null;
  // A report that is no longer shown is a page that says so.
  if (answer.bytes[0] === "%".charCodeAt(0)) return null;
  try {
    const zip = new ZipFile(answer.bytes, MAX_TEXT_BYTES);
    const [name] = zip.names.filter((one) => REPORT_FILE.test(one)).sort();
    const bytes = name === undefined ? null : zip.read(name);
    return bytes && new TextDecoder("utf-16le").decode(bytes);
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error;
    throw EDINET.error("invalid_answer", `a report cannot be unpacked: ${error.message}`);
  }
}

/** The figures of a period in one report. */
interface Version {
  readonly filing: Filing;
  readonly basis: string;
  readonly statement: Statement;
  readonly isCurrent: boolean;
}

/** The versions of each period, the oldest first. A correction keeps the figures that it does not repeat. */
function versionsOf(
  reports: readonly RequestedReport[],
  query: LiveQuery,
): ReadonlyMap<string, readonly Version[]> {
  const versions = new Map<string, Version[]>();
  for (const requested of reports) {
    for (const version of readReport(parseReport(requested), query)) {
      const { span, fiscalYear, fiscalQuarter } = version.statement;
      const key = `${span} ${fiscalYear} ${fiscalQuarter}`;
      const known = versions.get(key) ?? [];
      const before = known.at(-1);
      // The newest report of a year shows it beside the next one; its own report has more of it.
      if (before?.isCurrent && !version.isCurrent) continue;
      const isCorrection = before !== undefined && version.filing.corrects !== null;
      const newest = isCorrection ? corrected(before, version) : version;
      versions.set(key, isCorrection && version.isCurrent ? [...known, newest] : [newest]);
    }
  }
  return versions;
}

function corrected(before: Version, { statement, ...version }: Version): Version {
  const { filedOn } = before.statement;
  if (before.basis !== version.basis) return { ...version, statement: { ...statement, filedOn } };
  const items = { ...before.statement.items };
  for (const item of Object.keys(items) as StatementItem[])
    items[item] = statement.items[item] ?? items[item];
  return { ...version, statement: { ...statement, filedOn, items } };
}

function vintageOf(
  { statement, filing }: Version,
  i: number,
  all: readonly Version[],
): StatementVintage {
  const { items, ...period } = statement;
  return {
    ...period,
    filedOn: filing.filedOn,
    accession: filing.id,
    items: i === all.length - 1 ? null : items,
  };
}

/** The periods of a report, the newest first; none if it does not say what they are. */
function* readReport(report: Report, query: LiveQuery): Generator<Version> {
  const { symbol } = companyOf(query.instrument);
  const { filing, facts, about } = report;
  const standard = STANDARDS.find((one) => one === about.get("AccountingStandards"));
  const hasGroup = about.get("WhetherConsolidatedFinancialStatementsArePrepared");
  if (!standard || (hasGroup !== "true" && hasGroup !== "false")) return;
  const code = about.get("SecurityCode");
  // A correction can repeat a part only. Without the code, nothing proves whose figures they are.
  if (!code) return;
  if (code !== `${symbol}0`)
    throw EDINET.error("invalid_answer", "a report is about another company");
  const member = hasGroup === "true" ? "" : ALONE;
  const isWhole = about.get("TypeOfCurrentPeriod") === "FY";
  const contexts = isWhole
    ? YEARS
    : [HALVES, QUARTERS].find(([[flows]]) => facts.has(flows + member));
  const [current] = periodsOf(report);
  const later = (query.splitsOf?.(symbol) ?? []).some(
    ({ exDate }) => exDate > (current?.end ?? "") && exDate <= filing.filedOn,
  );
  for (const [place, [flows, balances]] of (contexts ?? []).entries()) {
    const dates = periodsOf(report)[place];
    const period = dates && fiscalPeriodOf({ ...dates, isWhole });
    if (!period) continue;
    const figures = (element: string) => {
      const figure = [flows, balances].map((one) => facts.get(one + member)?.get(element));
      const known = figure.find((one) => one !== undefined && !Number.isNaN(one));
      return known ?? null;
    };
    const statement: Statement = {
      country: "JP",
      symbol,
      ...period,
      currency: "JPY",
      sharesAsOf: filing.filedOn,
      ...(place === 0
        ? { filedOn: filing.filedOn }
        : assumedFiling({ country: "JP", ...period }, localDateOf("JP", query.now))),
      items: itemsOf(figures, standard, hasGroup === "true"),
    };
    const { revenue, netIncome, totalAssets } = statement.items;
    if ([revenue, netIncome, totalAssets].every((item) => item === null)) continue;
    yield {
      filing,
      basis: standard + member,
      // A summary does not say in whose shares earlier years are.
      statement: later || place > 1 ? withoutShares(statement) : statement,
      isCurrent: place === 0,
    };
  }
}

/** The dates of the periods of a report, the newest first, as far as it says them. */
function periodsOf(report: Report) {
  const day = (name: string) => dayIn(report, `${name}Date`);
  const said = [
    {
      start: day("CurrentFiscalYearStart"),
      end: day("CurrentPeriodEnd"),
      yearEnd: day("CurrentFiscalYearEnd"),
    },
    {
      start: day("PreviousFiscalYearStart"),
      end: day("ComparativePeriodEnd"),
      yearEnd: day("PreviousFiscalYearEnd"),
    },
  ];
  const periods = said.map((one) => (Object.values(one).includes("") ? null : one));
  const ends = report.yearEnds.toReversed();
  // A year is twelve months if the table has its end and the end of the year before.
  for (let place = 2; place < YEARS.length; place++) {
    const [end, before] = [0, 1].map((more) =>
      yearsBefore(said[1]?.yearEnd ?? "", place - 1 + more),
    );
    const isRegular =
      end?.startsWith(ends[place] ?? "-") && before?.startsWith(ends[place + 1] ?? "-");
    periods.push(
      isRegular && end && before ? { start: addDays(before, 1), end, yearEnd: end } : null,
    );
  }
  return periods;
}

/** The same day of an earlier year; the last day of a month stays the last one. */
function yearsBefore(day: string, years: number): string {
  return day === "" ? "" : addDays(addMonths(addDays(day, 1), -12 * years), -1);
}
