import { type Static, Type } from "@sinclair/typebox";
import { type AnalystCoverage, EARNINGS_SESSIONS } from "#domain/analyst-coverage.ts";
import { surprisePercent } from "#analytics/earnings-surprise.ts";
import { COUNTRY_CODES, type Country, CountryCode } from "#domain/country.ts";
import type { EarningsResult } from "#domain/earnings-results.ts";
import type { Provenance } from "#domain/records.ts";
import { BourseError, invalidArgument, notFound } from "#domain/errors.ts";
import { DateOutput, FigureOutput, Nullable, StringEnum, TableOutput } from "#domain/schema.ts";
import { listNameOf } from "#domain/user-list.ts";
import { dateOf, MONTH_NAMES } from "#lib/date.ts";
import { tableOf } from "#lib/table.ts";
import { round2 } from "#panels/format.ts";
import { newestPrice } from "#rollups/prices.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import type { InputKeywords } from "./reading/decode.ts";
import { BeginsOutput, beginsOf, KnownToOutput, knownToOf } from "./horizon.ts";
import { checkPeriod, DateInput, isName } from "./reading/inputs.ts";
import { SURPRISE } from "./get-stock-forecast.ts";
import { marketCapOf } from "./reading/instruments.ts";
import { readAmong } from "./portfolio/list-references.ts";
import { whyNoMarketCap } from "./metric-reasons.ts";
import { findNear } from "./reading/near-symbols.ts";
import { CursorInput, NextCursorOutput, pageOf } from "./reading/cursor.ts";
import { countryNeeds, optionalCountryNeeds } from "./needs.ts";
import { COMPANY_FACTS } from "./known-day.ts";
import { defineOperation, type OperationContext } from "./operation.ts";
import { parseSymbol } from "./reading/symbol-notation.ts";
import type { Gap, Why } from "./reasons.ts";
import { commaHint, findReferenced, formatKey, resolveSymbols } from "./reading/symbols.ts";

const MAX_TICKERS = 50;
const DEFAULT_REPORTS = 20;
/** Suggestions are looked up for this number of unknown tickers, because each takes milliseconds. */
const MAX_SUGGESTED = 5;
const TICKERS = `1 to ${MAX_TICKERS} US tickers, comma-separated`;

const isTicker = (text: string) => parseSymbol(text) !== null || listNameOf(text) !== null;

const input = Type.Object({
  tickers: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_200,
      description: `1 to ${MAX_TICKERS}: AAPL,JP:7203 or list:NAME.`,
      upperCase: true,
      maxItems: MAX_TICKERS,
      accepts: (list: string) => list.split(",").every(isTicker),
      acceptsWords: (list: string) =>
        list.split(",").every((ticker) => isTicker(ticker) || isName(ticker)),
      example: "AAPL,MSFT",
      expected: `${TICKERS}, such as AAPL,MSFT`,
    } satisfies InputKeywords & Record<string, unknown>),
  ),
  from: Type.Optional({ ...DateInput("First date, today by default", "first"), isAhead: true }),
  to: Type.Optional({ ...DateInput("Last date", "last"), isAhead: true }),
  country: Type.Optional({ ...CountryCode, description: "US by default." }),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      description: `${DEFAULT_REPORTS} with dates.`,
    }),
  ),
  cursor: Type.Optional(CursorInput),
  table: Type.Optional(Type.Boolean({ description: "Shorter." })),
});
type Input = Static<typeof input>;

const Report = Type.Object({
  symbol: Type.String({ description: "Ticker: AAPL, JP:7203." }),
  name: Type.String({ description: "Name of the company: Apple Inc." }),
  date: DateOutput("Local date of the report, YYYY-MM-DD."),
  session: StringEnum(EARNINGS_SESSIONS, { description: "Time of day of the report." }),
  fiscal_period: Nullable(
    Type.String({
      description:
        "Reported fiscal quarter by the company's own name, Q2 2026, or by the month in which it ends, Jul 2026.",
    }),
  ),
  eps_estimate: FigureOutput("Consensus of earnings per share: 1.43."),
  revenue_estimate: FigureOutput("Consensus of revenue: 89300000000."),
  market_cap: FigureOutput("Market cap at the newest close: 3010000000000."),
  currency: Type.Optional(
    Type.String({ description: "Currency of the figures if it is not USD: JPY." }),
  ),
  eps_actual: Type.Optional(
    Type.Number({
      description:
        "Only for a past report: earnings per share as analysts count them, in today's shares: 1.47.",
    }),
  ),
  surprise_percent: Type.Optional(FigureOutput(`Only for a past report: ${SURPRISE}`)),
});

const REPORT_COLUMNS = Object.keys(Report.properties);

export const getEarningsCalendar = defineOperation({
  name: "get_earnings_calendar",
  set: "company",
  title: "Earnings calendar",
  description:
    "Lists the next earnings reports of US or JP tickers, or all in a period (past US ones with EPS surprise), earliest first, with estimates. Economy: get_macro_calendar.",
  path: "/data/earnings/calendar",
  notRewound: COMPANY_FACTS,
  // The name of the tool as a path.
  otherPaths: ["/data/earnings-calendar"],
  input,
  output: Type.Object({
    earnings: Type.Array(Report),
    without_date: Type.Array(Type.String(), {
      description: "Known tickers without a date of the next report.",
    }),
    not_covered: Type.Array(Type.String(), {
      description: "Tickers of a country without report dates, or that country: VN:FPT, VN.",
    }),
    unknown: Type.Array(Type.String(), { description: "Tickers that no country has." }),
    total: Type.Integer({ description: "Number of reports on all pages." }),
    next_cursor: NextCursorOutput,
    columns: Type.Optional(TableOutput.columns),
    rows: Type.Optional(TableOutput.rows),
    ...BeginsOutput,
    ...KnownToOutput,
  }),
  tableArguments: { table: "false" },
  table({ earnings, without_date, not_covered, unknown, total, next_cursor: cursor }) {
    const others = [...without_date, ...not_covered, ...unknown].map((symbol) => ({ symbol }));
    return {
      ...tableOf(REPORT_COLUMNS, [...earnings, ...others]),
      total,
      next: cursor === undefined ? null : { cursor },
    };
  },
  needs: ({ tickers, from, country = "US", ...others }) => [
    ...countryNeeds(["instruments", "earningsDates"], country),
    ...[...countriesOf(tickers)]
      .filter((one) => one !== country)
      .flatMap((one) => optionalCountryNeeds(["instruments", "earningsDates", "quotes"], one)),
    ...optionalCountryNeeds(
      from === undefined ? ["quotes"] : ["quotes", "earningsResults"],
      country,
    ),
    // Report dates beyond the calendar, and revenue estimates.
    ...[...symbolsOf(tickers), ...usSymbolsOf(others)].slice(0, MAX_TICKERS).flatMap((symbol) =>
      (["earningsDates", "analystCoverage"] as const).map((kind) => ({
        kind,
        country: "US" as const,
        symbol,
        optional: true as const,
      })),
    ),
  ],
  // The order of the reports of a day.
  companiesOf: ({ tickers, country = "US" }) => (tickers === undefined ? [country] : []),
  handle(args, context) {
    checkArguments(args);
    const found = args.tickers === undefined ? inPeriod(args, context) : ofTickers(args, context);
    const why = (gap: Gap) => whyMissing(gap, found.data, args, context);
    const answer = { ...found, why };
    if (!args.table) return answer;
    const { earnings, ...rest } = answer.data;
    // Only past reports have results.
    const columns = REPORT_COLUMNS.filter((name) =>
      earnings.some((row) => Object.hasOwn(row, name)),
    );
    return { ...answer, data: { earnings: [], ...tableOf(columns, earnings), ...rest } };
  },
});

/** Why a report lacks a figure, or no report is listed. */
function whyMissing(
  { figure, path, of, isList }: Gap,
  {
    known_to: last,
    not_covered: uncovered,
    total,
  }: { known_to?: string; not_covered: string[]; total: number },
  { tickers, from, country = "US", table }: Input,
  { market }: OperationContext,
): Why | undefined {
  if (isList) {
    // With `table`, the rows have them.
    if (total > 0 && table && path.length === 0 && figure === "earnings") return "not_asked";
    if (uncovered.length > 0) return { kind: "earningsDates", country, symbol: null };
    if (last !== undefined && from !== undefined && from > last) return "beyond_horizon";
    if (tickers === undefined) return "no_match";
    const [symbol = ""] = symbolsOf(tickers);
    const found = findCovered(market, symbol, country);
    const about = found && { country: found.country, symbol: found.symbol };
    const stored = about && market.documents.find("earningsDates", about.country, about.symbol);
    // The last known report is over.
    return about && !stored ? { kind: "earningsDates", ...about } : "none";
  }
  // As `namesOf` writes it.
  const [, other, symbol = ""] = /^(?:(JP|VN):)?(.*)$/.exec(String(of["symbol"])) ?? [];
  const about = { country: (other ?? "US") as Country, symbol };
  const instrument = market.instruments.find(about);
  if (figure === "market_cap") return instrument ? whyNoMarketCap(market, instrument) : undefined;
  if (figure === "surprise_percent")
    return of["eps_estimate"] === 0 ? "not_meaningful" : "not_published";
  // Past results have no estimates of revenue.
  const isAbsent =
    figure === "revenue_estimate" &&
    !Object.hasOwn(of, "eps_actual") &&
    !market.documents.find("analystCoverage", about.country, about.symbol);
  return isAbsent ? { kind: "analystCoverage", ...about } : "not_published";
}

/** A code of Tokyo's exchange, which no US ticker looks like. */
const TOKYO_CODE = /^\d[\dA-Z]\d[\dA-Z]$/;

/** The countries that the tickers name. */
function countriesOf(tickers: string | undefined): Set<Country> {
  return new Set(
    symbolsOf(tickers).flatMap((ticker) => {
      const { country, symbol = "" } = parseSymbol(ticker) ?? {};
      return country ?? (TOKYO_CODE.test(symbol) ? "JP" : []);
    }),
  );
}

/** The US tickers of the list that restricts a period; none without a list. */
const usSymbolsOf = (input: object): string[] =>
  [...(readAmong(input) ?? [])].flatMap((key) => (key.startsWith("US:") ? key.slice(3) : []));

/** @throws BourseError unless there are either tickers or dates */
function checkArguments({ tickers, from, to }: Input): void {
  if (tickers === undefined && (from ?? to) === undefined) {
    throw new BourseError(
      "missing_argument",
      `tickers must be ${TICKERS}, such as AAPL,MSFT, or from and to must be dates; all are missing.`,
      { param: "tickers" },
    );
  }
  if (tickers !== undefined && (from ?? to) !== undefined) {
    throw invalidArgument("Use tickers, or from and to, not both.", { param: "tickers" });
  }
  checkPeriod(from, to);
}

/** The reports of these tickers, soonest first. */
function ofTickers(
  { tickers, limit = MAX_TICKERS, cursor, country = "US" }: Input,
  context: OperationContext,
) {
  const { market } = context;
  const requested = symbolsOf(tickers).map((symbol) => ({
    symbol,
    instrument: findCovered(market, symbol, country),
  }));
  const missing = requested.flatMap(({ symbol, instrument }) => (instrument ? [] : [symbol]));
  if (missing.length === requested.length) {
    throw notFound(`Symbol ${missing.join(", ")} not found in ${country}.`, {
      param: "tickers",
      hint: hintForUnknown(market, missing.slice(0, MAX_SUGGESTED)),
    });
  }
  const elsewhere = new Map(missing.map((symbol) => [symbol, findElsewhere(market, symbol)]));
  const found = requested
    .flatMap(({ instrument }) => (instrument && nextReport(context, instrument)) ?? [])
    .sort((a, b) => a.record.date.localeCompare(b.record.date));
  const dated = new Set(found.map(({ instrument }) => formatKey(instrument)));
  const page = pageOf(found, ({ instrument }) => instrument.symbol, { cursor, limit });
  const undated = requested.filter(
    ({ instrument }) => instrument && !dated.has(formatKey(instrument)),
  );
  const isCovered = (one: StoredInstrument) =>
    market.documents.hasAny("earningsDates", one.country);
  const uncovered = [...undated.map(({ instrument }) => instrument), ...elsewhere.values()];
  return {
    data: {
      earnings: page.items.map(toRow),
      without_date: undated.flatMap(({ symbol, instrument }) =>
        instrument && isCovered(instrument) ? [symbol] : [],
      ),
      not_covered: uncovered.flatMap((one) => (one && !isCovered(one) ? [formatKey(one)] : [])),
      unknown: missing.filter((symbol) => !elsewhere.get(symbol)),
      total: found.length,
      ...page.next,
    },
    from: [
      ...found.flatMap(({ from }) => from),
      ...requested.flatMap(({ instrument }) => (instrument ? [instrument] : [])),
    ],
  };
}

/** The instrument that a ticker means in a country with report dates; the given country comes first. Null without one. */
function findCovered(
  market: MarketStore,
  ticker: string,
  country: Country,
): StoredInstrument | null {
  const reference = parseSymbol(ticker);
  if (country === "US" && reference?.country === undefined) {
    const inUs = market.instruments.find({ country, symbol: ticker });
    if (inUs) return inUs;
  }
  const covered = COUNTRY_CODES.filter((one) => market.documents.hasAny("earningsDates", one));
  return findElsewhere(market, ticker, [country, ...covered]);
}

/** The instrument that a ticker means in one of the countries, or null. A ticker can name its country. */
function findElsewhere(
  market: MarketStore,
  ticker: string,
  countries: readonly Country[] = COUNTRY_CODES,
): StoredInstrument | null {
  const reference = parseSymbol(ticker);
  if (!reference) return null;
  const { country } = reference;
  const [found] = countries
    .filter((one) => country === undefined || one === country)
    .flatMap((one) => findReferenced(market, reference, one) ?? []);
  return found ?? null;
}

function hintForUnknown(market: MarketStore, tickers: readonly string[]): string {
  const spaced = commaHint(market, tickers.join(","));
  if (spaced !== null) return spaced;
  const [elsewhere] = resolveSymbols(market, tickers.join(",")).found;
  if (elsewhere) {
    const { country, symbol } = elsewhere;
    return `${symbol} is in ${country}, and report dates are not known there. For its estimates call get_stock_forecast with country ${country} and symbol ${symbol}.`;
  }
  const near = tickers.flatMap((ticker) => findNear(market, ticker, ["US"])?.symbol ?? []);
  const suggestion = near.length === 0 ? "" : `Did you mean ${near.join(",")}? `;
  return `${suggestion}Call list_symbols with a query to find a symbol by name.`;
}

/**
 * The reports of all companies in a period, or of a list's companies, earliest first; on one day the largest company
 * first. Another line of shares of the same company is left out, as in a screen, unless the list has it.
 */
function inPeriod(
  { from, to, limit = DEFAULT_REPORTS, cursor, country = "US", ...input }: Input,
  context: OperationContext,
) {
  const { market, rollups, now } = context;
  const among = readAmong(input);
  const today = dateOf(now);
  const first = from ?? today;
  const companies = rollups.get(country).list;
  const caps = new Map(
    companies
      .filter(({ instrument }) =>
        among ? among.has(formatKey(instrument)) : instrument.primaryListing,
      )
      .map(({ instrument, fundamentals }) => [instrument.symbol, fundamentals.marketCap]),
  );
  const past = first <= today ? market.documents.list("earningsResults", country) : [];
  const reported = past.flatMap((record) =>
    record.results.flatMap((result) => {
      const date = result.reportedOn;
      return date === null ? [] : [{ symbol: record.symbol, date, record, result }];
    }),
  );
  // A report of today is known before the next one is announced.
  const done = new Set(reported.flatMap(({ date, symbol }) => (date < today ? [] : [symbol])));
  const planned = market.documents.list("earningsDates", country);
  const next = planned.filter(
    ({ date, symbol }) => date >= today && !(date === today && done.has(symbol)),
  );
  const reports = [
    ...next.map((record) => ({ symbol: record.symbol, date: record.date, record, result: null })),
    ...reported,
  ];
  const known = reports.filter(({ symbol }) => caps.has(symbol));
  const announced = new Set(next.map(({ symbol }) => symbol));
  const dates = known.map(({ date }) => date).toSorted();
  const sorted = known
    .filter(({ date }) => date >= first && (to === undefined || date <= to))
    .sort(
      (a, b) =>
        a.date.localeCompare(b.date) || (caps.get(b.symbol) ?? 0) - (caps.get(a.symbol) ?? 0),
    );
  const page = pageOf(sorted, ({ date, symbol }) => `${date} ${symbol}`, { cursor, limit });
  const shown = page.items.flatMap(({ symbol, record, result }) => {
    const instrument = market.instruments.find({ country, symbol });
    if (!instrument) return [];
    if (result) return pastReport(context, instrument, record, result);
    const report = nextReport(context, instrument);
    return report ? { row: toRow(report), from: report.from } : [];
  });
  return {
    data: {
      earnings: shown.map(({ row }) => row),
      without_date: among ? [...caps.keys()].filter((symbol) => !announced.has(symbol)) : [],
      not_covered: [
        ...(planned.length + past.length > 0 ? [] : [country]),
        ...[...(among ?? [])].filter((key) => !key.startsWith(`${country}:`)),
      ],
      unknown: [],
      ...page.next,
      total: sorted.length,
      ...beginsOf(dates[0], from !== undefined && from < today ? from : undefined),
      ...knownToOf(dates.at(-1), to),
    },
    from:
      shown.length > 0 ? shown.flatMap((report) => report.from) : allOf(planned, past, companies),
  };
}

/** The records that an answer without reports comes from: all reports that are stored, or else the list of companies. */
function allOf(
  planned: readonly Provenance[],
  past: readonly Provenance[],
  companies: readonly { readonly instrument: StoredInstrument }[],
): Provenance[] {
  const reports = [...planned, ...past];
  return reports.length > 0 ? reports : companies.slice(0, 1).map(({ instrument }) => instrument);
}

/** The row of a report that is over. */
function pastReport(
  context: OperationContext,
  instrument: StoredInstrument,
  record: Provenance,
  result: EarningsResult,
) {
  const { marketCap, from } = sizeOf(context, instrument);
  const [year, month] = result.quarterEnd.split("-");
  return {
    row: {
      ...namesOf(instrument),
      date: result.reportedOn ?? "",
      session: "not_supplied" as const,
      fiscal_period: `${MONTH_NAMES[Number(month) - 1]} ${year}`,
      eps_estimate: result.epsEstimate,
      revenue_estimate: null,
      market_cap: marketCap,
      ...currencyOf(instrument),
      eps_actual: result.epsActual,
      surprise_percent: round2(surprisePercent(result)),
    },
    from: [record, ...from],
  };
}

const toRow = ({ instrument, record, revenueEstimate, marketCap }: NextReport) => ({
  ...namesOf(instrument),
  date: record.date,
  session: record.session,
  fiscal_period: record.fiscalPeriod,
  eps_estimate: record.epsEstimate,
  revenue_estimate: revenueEstimate,
  market_cap: marketCap,
  ...currencyOf(instrument),
});

const namesOf = (instrument: StoredInstrument) => ({
  symbol: instrument.country === "US" ? instrument.symbol : formatKey(instrument),
  name: instrument.name,
});

/** The currency of a company's figures, unless it is the US dollar. */
const currencyOf = ({ currency }: StoredInstrument) => (currency === "USD" ? {} : { currency });

type NextReport = NonNullable<ReturnType<typeof nextReport>>;

/** The next report of an instrument today or later, or null without a known date. */
function nextReport(context: OperationContext, instrument: StoredInstrument) {
  const { market, now } = context;
  const { country, symbol } = instrument;
  const record = market.documents.find("earningsDates", country, symbol);
  if (!record || record.date < dateOf(now)) return null;
  const coverage = market.documents.find("analystCoverage", country, symbol);
  const { marketCap, from } = sizeOf(context, instrument);
  return {
    instrument,
    record,
    revenueEstimate: record.revenueEstimate ?? quarterRevenue(coverage, record.date),
    marketCap,
    from: [record, ...from, ...(coverage ? [coverage] : [])],
  };
}

/** The market cap at the newest price, and the records that it comes from. */
function sizeOf({ market, now }: OperationContext, instrument: StoredInstrument) {
  const quote = market.documents.find("quotes", instrument.country, instrument.symbol);
  const bars = market.bars.findProvenance(instrument.id);
  const price = newestPrice(market, instrument, bars, quote)?.close ?? null;
  return {
    marketCap: marketCapOf(market, instrument, { price, quote, now }),
    from: [bars, quote].filter((one) => one !== null),
  };
}

const symbolsOf = (tickers: string | undefined) => tickers?.split(",") ?? [];

/** The revenue estimate for the quarter that a report on that date covers; null if unknown. */
function quarterRevenue(coverage: AnalystCoverage | null, date: string): number | null {
  const quarter = coverage?.estimates.find(({ period }) => period === "current_quarter");
  return quarter && quarter.periodEnd <= date ? quarter.revenue.average : null;
}
