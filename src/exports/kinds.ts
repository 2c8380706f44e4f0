import { METRIC_NAMES, METRIC_UNITS, METRICS, type Metric } from "#analytics/metrics.ts";
import type { EarningsDate } from "#domain/analyst-coverage.ts";
import { currencyOfEvent, unitOfEvent } from "#domain/calendar-event.ts";
import type { Country } from "#domain/country.ts";
import type { Dividend } from "#domain/dividend.ts";
import type { EarningsResult } from "#domain/earnings-results.ts";
import { type InstrumentKey, isCompany, isShare } from "#domain/instrument.ts";
import type { MacroSeries } from "#domain/macro.ts";
import { lastDayOf } from "#domain/macro-periods.ts";
import type { Provenance, RecordOf } from "#domain/records.ts";
import { NO_ITEMS, type Statement, type StatementItem } from "#domain/statement.ts";
import { dateOf } from "#lib/date.ts";
import { toSnakeCase } from "#operations/get-stock-statements.ts";
import { columnReader } from "#operations/metric-values.ts";
import type { CompanyMetrics } from "#rollups/companies.ts";
import type { CompanyRollups } from "#rollups/company-rollups.ts";
import { ConvertedCompanies } from "#rollups/converted-companies.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { BAR_COLUMNS, barBatches, type BarsRequest } from "./bars.ts";
import { type Batch, columnsFor, type ExportColumn, inBatches } from "./columns.ts";

/** What the rows of files are read from. */
export interface ExportSource extends BarsRequest {
  readonly rollups: CompanyRollups;
  /** Every instrument of a country by symbol, delisted or not. */
  readonly instrumentsOf: (country: Country) => readonly StoredInstrument[];
}

/** A kind of file. */
interface ExportKind {
  /** One sentence without a final stop. */
  readonly description: string;
  readonly columns: readonly ExportColumn[];
  /** The column by which `--since` selects rows; null if all rows are exported. */
  readonly dateColumn: string | null;
  /** True if one file has all countries. */
  readonly isOfAll?: true;
  readonly batches: (source: ExportSource, country: Country) => Iterable<Batch>;
}

const instrument = columnsFor<StoredInstrument>();
const INSTRUMENTS = [
  instrument.country,
  instrument.required(instrument.text("symbol", "Symbol", (one) => one.symbol)),
  instrument.text("name", "Name", (one) => one.name),
  instrument.text("aliases", "Other names, separated by `|`", (one) => one.aliases),
  instrument.text("asset_type", "stock, reit, etf, index, currency, …", (one) => one.assetType),
  instrument.text("exchange", "Exchange", (one) => one.exchange),
  instrument.text("currency", "Currency of its prices", (one) => one.currency),
  instrument.text("sector", "Slug of the sector", (one) => one.sector),
  instrument.text("industry", "Slug of the industry", (one) => one.industry),
  instrument.text("segment", "prime, standard or growth in Tokyo", (one) => one.segment),
  instrument.text(
    "local_sector",
    "Code of the class of its own market: one of Tokyo's 33 sectors, or of ICB in Viet Nam",
    (one) => one.localSector,
  ),
  instrument.text(
    "share_kind",
    "share or receipt: what is traded of a company in the US",
    (one) => one.shareKind,
  ),
  instrument.number(
    "shares_outstanding",
    "Shares of all classes of the issuer",
    (one) => one.sharesOutstanding,
    "shares",
  ),
  instrument.integer("employees", "Employees", (one) => one.employees, "persons"),
  instrument.text("summary", "Description of the business", (one) => one.summary),
  instrument.boolean(
    "primary_listing",
    "True for the one instrument of an issuer in roll-ups",
    (one) => one.primaryListing,
  ),
  instrument.boolean(
    "index_member",
    "True for a member of the country's primary index",
    (one) => one.indexMember,
  ),
  instrument.date(
    "delisted_on",
    "Day on which its source's list no longer had it; missing while it is listed",
    (one) => (one.delistedAt === undefined ? null : dateOf(one.delistedAt)),
  ),
  instrument.text("source", "Source of the record", (one) => one.source),
];

type StoredStatement = Statement & Provenance;
const statement = columnsFor<StoredStatement>();
const ITEM_UNITS: { readonly [Item in StatementItem]?: string } = {
  epsDiluted: "currency of the statement, per share",
  sharesDiluted: "shares",
  sharesOutstanding: "shares",
};
const STATEMENTS = [
  statement.country,
  statement.required(statement.text("symbol", "Symbol", (one) => one.symbol)),
  statement.text("span", "quarter, year_to_date or year", (one) => one.span),
  statement.integer("fiscal_year", "Fiscal year as the company counts", (one) => one.fiscalYear),
  statement.integer(
    "fiscal_quarter",
    "1 to 4; 4 for a whole year; 5 to 7 between two fiscal years",
    (one) => one.fiscalQuarter,
  ),
  statement.date("period_end", "Last day of the period", (one) => one.periodEnd),
  statement.date("filed_on", "Day of publication", (one) => one.filedOn),
  statement.boolean(
    "filing_date_assumed",
    "True if no source gives the day of publication",
    (one) => one.isFilingAssumed ?? false,
  ),
  statement.text("currency", "Currency of the amounts", (one) => one.currency),
  ...(Object.keys(NO_ITEMS) as StatementItem[]).map((item) =>
    statement.number(
      toSnakeCase(item),
      `\`${toSnakeCase(item)}\` of \`get_stock_statements\`, in today's shares`,
      (one) => one.items[item],
      ITEM_UNITS[item] ?? "currency of the statement",
    ),
  ),
  statement.text("source", "Source of the record", (one) => one.source),
];

interface CompanyRow {
  readonly country: Country;
  readonly company: CompanyMetrics;
  readonly figures: ConvertedCompanies;
  readonly source: string;
}
const company = columnsFor<CompanyRow>();
const METRIC_COLUMNS = [
  company.country,
  company.required(company.text("symbol", "Symbol", (row) => row.company.instrument.symbol)),
  company.text("name", "Name", (row) => row.company.instrument.name),
  company.text("currency", "Currency of the price", (row) =>
    row.figures.currencyOf(row.company.instrument),
  ),
  company.date("session", "Session of the price", (row) => row.company.newest?.date ?? null),
  ...METRIC_NAMES.map((name) => {
    const { unit, description, period }: Metric = METRICS[name];
    const declare =
      unit === "calendar date"
        ? company.date
        : unit === "fiscal quarter"
          ? company.text
          : company.number;
    return declare(
      name,
      `${description} (${period})`,
      ({ figures, company: one }) => columnReader(name, figures)(one),
      METRIC_UNITS[unit],
    );
  }),
];

interface Event extends Pick<Provenance, "source"> {
  readonly country: Country;
  readonly symbol: string;
  readonly exDate: string;
}
const dividend = columnsFor<Event & Pick<Dividend, "amount" | "capitalGain">>();
const DIVIDENDS = [
  dividend.country,
  dividend.required(dividend.text("symbol", "Symbol", (one) => one.symbol)),
  dividend.required(dividend.date("ex_date", "Ex-date", (one) => one.exDate)),
  dividend.number(
    "amount",
    "Cash dividend per share, adjusted for splits",
    (one) => one.amount,
    "currency of the instrument",
  ),
  dividend.number(
    "capital_gain",
    "Part of the amount that is a capital gain of a fund",
    (one) => one.capitalGain ?? null,
    "currency of the instrument",
  ),
  dividend.text("source", "Source of the record", (one) => one.source),
];

const split = columnsFor<Event & { readonly numerator: number; readonly denominator: number }>();
const SPLITS = [
  split.country,
  split.required(split.text("symbol", "Symbol", (one) => one.symbol)),
  split.required(split.date("ex_date", "First session in new shares", (one) => one.exDate)),
  split.number("numerator", "New shares", (one) => one.numerator),
  split.number("denominator", "for these old shares", (one) => one.denominator),
  split.text("source", "Source of the record", (one) => one.source),
];

type Observation = MacroSeries & Provenance & { readonly period: string; readonly value: number };
const macro = columnsFor<Observation>();
const MACRO = [
  macro.country,
  macro.required(macro.text("id", "Id of the series", (one) => one.id)),
  macro.text("category", "Category", (one) => one.category),
  macro.text("name", "Name of the series", (one) => one.name),
  macro.text("unit", "Unit of the value", (one) => one.unit),
  macro.integer("decimals", "Decimals as published", (one) => one.decimals),
  macro.required(macro.text("period", "2026, 2026-Q3, 2026-10 or 2026-10-31", (one) => one.period)),
  macro.date("period_end", "Last day of the period", (one) => lastDayOf(one.period)),
  macro.number("value", "Value", (one) => one.value, "column `unit`"),
  macro.text("source", "Source of the record", (one) => one.source),
];

const event = columnsFor<ReturnType<typeof listEvents>[number]>();
const CALENDAR = [
  event.country,
  event.required(event.text("id", "Id of the event", (one) => one.id)),
  event.text("event", "What is published", (one) => one.event),
  event.required(event.date("date", "UTC date", (one) => one.date)),
  event.text("time", "UTC time, HH:MM", (one) => one.time),
  event.text("importance", "high, medium or low", (one) => one.importance),
  event.text("previous", "Figure before, with its unit", (one) => one.previous),
  event.text("forecast", "Forecast, with its unit", (one) => one.forecast),
  event.text("consensus", "Consensus, with its unit", (one) => one.consensus),
  event.text("actual", "Published figure, with its unit", (one) => one.actual),
  event.text("unit", "What the figures count", (one) => one.unit),
  event.text("currency", "Currency of the amounts, else of the country", (one) => one.currency),
  event.text("series", "Id of the series in `macro`", (one) => one.series),
  event.text("period", "Period of the figure", (one) => one.period),
  event.text("source", "Source of the record", (one) => one.source),
];

type Report = Pick<Provenance, "source"> &
  InstrumentKey &
  Partial<EarningsResult> &
  Partial<EarningsDate> & { readonly isReported: boolean };
const report = columnsFor<Report>();
const EARNINGS = [
  report.country,
  report.required(report.text("symbol", "Symbol", (one) => one.symbol)),
  report.boolean("reported", "False for the next report", (one) => one.isReported),
  report.date("date", "Local day of the report", (one) =>
    one.isReported ? one.reportedOn : one.date,
  ),
  report.text("session", "Session of the next report", (one) => one.session),
  report.text("quarter_end", "Month in which the quarter ends, 2026-09", (one) => one.quarterEnd),
  report.text("fiscal_period", "Quarter of the next report", (one) => one.fiscalPeriod),
  report.number(
    "eps_actual",
    "Earnings per share as analysts count them, in today's shares",
    (one) => one.epsActual,
    "currency of the company, per share",
  ),
  report.number(
    "eps_estimate",
    "Mean estimate, in today's shares",
    (one) => one.epsEstimate,
    "currency of the company, per share",
  ),
  report.number(
    "revenue_estimate",
    "Mean estimate of revenue",
    (one) => one.revenueEstimate,
    "currency of the company",
  ),
  report.integer("analysts", "Number of estimates", (one) => one.analysts),
  report.text("source", "Source of the record", (one) => one.source),
];

/** The entries of the records that shares of a country have, by symbol. */
function* entriesOf<Entry>(
  { market, instrumentsOf }: ExportSource,
  country: Country,
  list: (market: MarketStore, symbol: string) => readonly Entry[],
): Generator<Entry> {
  for (const { symbol, assetType } of instrumentsOf(country))
    if (isShare(assetType)) yield* list(market, symbol);
}

/** The function that lists the events of a record: of dividends or of splits. */
const eventsOf =
  <Kind extends "dividends" | "splits", One extends { readonly exDate: string }>(
    kind: Kind,
    country: Country,
    read: (record: RecordOf<Kind>) => readonly One[],
  ) =>
  (market: MarketStore, symbol: string) => {
    const record = market.documents.find(kind, country, symbol);
    if (!record) return [];
    return read(record).map((one) => ({ ...one, country, symbol, source: record.source }));
  };

function listReports(market: MarketStore, country: Country, symbol: string): Report[] {
  const past = market.documents.find("earningsResults", country, symbol);
  const next = market.documents.find("earningsDates", country, symbol);
  const results = past?.results.map((result) => ({
    ...result,
    country,
    symbol,
    source: past.source,
    isReported: true,
  }));
  return [...(results ?? []), ...(next ? [{ ...next, isReported: false }] : [])];
}

/** The economic calendar of a country, each event with what its figures count. */
function listEvents(market: MarketStore, country: Country) {
  return market.documents.list("calendarEvents", country).map((one) => {
    const { series: id } = one;
    const series = id === undefined ? null : market.documents.find("macroSeries", country, id);
    const unit = unitOfEvent(one, series);
    return { ...one, unit, currency: currencyOfEvent(one, unit) };
  });
}

const byText =
  <T>(textOf: (one: T) => string) =>
  (a: T, b: T) =>
    textOf(a) < textOf(b) ? -1 : textOf(a) > textOf(b) ? 1 : 0;

function* metricBatches({ rollups, market }: ExportSource, country: Country): Generator<Batch> {
  const figures = new ConvertedCompanies(market, null);
  const list = rollups.get(country).list.toSorted(byText((one) => one.instrument.symbol));
  // Few at a time: the figures of a company's history are computed when they are read.
  for (let at = 0; at < list.length; at += COMPANIES_PER_BATCH) {
    const companies = list.slice(at, at + COMPANIES_PER_BATCH);
    const rows = companies.map((one) => ({ country, company: one, figures, source: "" }));
    const sources = new Set(companies.flatMap(({ from }) => from.map(({ source }) => source)));
    for (const batch of inBatches(rows, METRIC_COLUMNS)) yield { ...batch, sources };
  }
}
const COMPANIES_PER_BATCH = 20;

/** All kinds of files, by the name of their folder. */
export const EXPORT_KINDS = {
  instruments: {
    description: "Every instrument, delisted ones too",
    columns: INSTRUMENTS,
    dateColumn: null,
    isOfAll: true,
    batches: ({ instrumentsOf }, country) => inBatches(instrumentsOf(country), INSTRUMENTS),
  },
  bars: {
    description: "Daily bars with factors, by symbol and date",
    columns: BAR_COLUMNS,
    dateColumn: "date",
    batches: (source, country) => barBatches(source, source.instrumentsOf(country)),
  },
  statements: {
    description: "Statements of companies by fiscal period",
    columns: STATEMENTS,
    dateColumn: "period_end",
    *batches({ market, instrumentsOf }, country) {
      for (const { symbol, assetType } of instrumentsOf(country))
        if (isCompany(assetType))
          yield* inBatches(market.statements.list({ country, symbol }), STATEMENTS);
    },
  },
  metrics: {
    description: "Today's figures of the listed companies: every metric of `screen_stocks`",
    columns: METRIC_COLUMNS,
    dateColumn: null,
    batches: metricBatches,
  },
  dividends: {
    description: "Cash dividends",
    columns: DIVIDENDS,
    dateColumn: "ex_date",
    batches: (source, country) => {
      const list = eventsOf("dividends", country, ({ dividends }) => dividends);
      return inBatches(entriesOf(source, country, list), DIVIDENDS);
    },
  },
  splits: {
    description: "Splits, reverse splits and stock dividends",
    columns: SPLITS,
    dateColumn: "ex_date",
    batches: (source, country) => {
      const list = eventsOf("splits", country, ({ splits }) => splits);
      return inBatches(entriesOf(source, country, list), SPLITS);
    },
  },
  macro: {
    description: "Macro series",
    columns: MACRO,
    dateColumn: "period_end",
    batches({ market }, country) {
      const list = market.documents.list("macroSeries", country).toSorted(byText((one) => one.id));
      return inBatches(
        list.flatMap((one) => one.observations.map((each) => ({ ...one, ...each }))),
        MACRO,
      );
    },
  },
  calendar: {
    description: "Economic calendar",
    columns: CALENDAR,
    dateColumn: "date",
    batches: ({ market }, country) =>
      inBatches(
        listEvents(market, country).toSorted(
          byText(({ date, time, id }) => `${date} ${time} ${id}`),
        ),
        CALENDAR,
      ),
  },
  earnings: {
    description: "Results of past quarters, and the next report",
    columns: EARNINGS,
    dateColumn: "date",
    batches: (source, country) =>
      inBatches(
        entriesOf(source, country, (market, symbol) => listReports(market, country, symbol)),
        EARNINGS,
      ),
  },
} as const satisfies Readonly<Record<string, ExportKind>>;

/** The name of a kind of file. */
export type ExportKindName = keyof typeof EXPORT_KINDS;
/** All kinds of files in their order. */
export const EXPORT_KIND_NAMES = Object.keys(EXPORT_KINDS) as ExportKindName[];

/** The kind of that name. */
export const exportKindOf = (name: ExportKindName): ExportKind => EXPORT_KINDS[name];
