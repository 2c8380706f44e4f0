import { announcedForecasts } from "#analytics/forecast-revision.ts";
import { changePercent } from "#analytics/performance.ts";
import { NO_CLOSES } from "#analytics/price-statistics.ts";
import { isDayOver } from "#analytics/sessions.ts";
import { type CompanyFundamentals, companyFundamentals } from "#analytics/valuation.ts";
import type { Seen } from "#domain/brief.ts";
import type { HolidayOverride } from "#domain/calendar-event.ts";
import { localDateOf } from "#domain/country.ts";
import type { Provenance } from "#domain/records.ts";
import { addDays, addMonths, dateOf } from "#lib/date.ts";
import { round2, roundPrice } from "#panels/format.ts";
import { toSnakeCase } from "#operations/get-stock-statements.ts";
import { formatKey } from "#operations/reading/symbols.ts";
import { type CompanyRecords, readCompany } from "#rollups/company-inputs.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { type Change, changeOf } from "./changes.ts";

/** Reports and ex-dates are named this many days ahead. */
export const HORIZON_DAYS = 7;

/** Fiscal years whose statements give the figures of twelve months before and after a new statement. */
const STATEMENT_YEARS = 4;
/** The longest pause between two sessions, with a margin for an instrument that is traded rarely. */
const PAUSE_DAYS = 30;
/** Every bar of a range. */
const ALL = 100_000;

/** What a brief reads of one instrument. */
export interface BriefRecords extends CompanyRecords {
  readonly instrument: StoredInstrument;
  readonly report: ReturnType<typeof findReport>;
  /** What the company itself expects; null if it is unknown. */
  readonly expected: ReturnType<typeof findForecasts>;
  /** True if the bar or the quote of a date is final. */
  readonly isFinal: (date: string) => boolean;
  /** True if a date of the instrument is over at an instant. */
  readonly isOver: (date: string, at: number) => boolean;
  /** The time of the brief, UTC milliseconds. */
  readonly now: number;
}

const findReport = (market: MarketStore, { country, symbol }: StoredInstrument) =>
  market.documents.find("earningsDates", country, symbol);

const findForecasts = (market: MarketStore, { country, symbol }: StoredInstrument) =>
  market.documents.find("companyForecasts", country, symbol);

/** Reads the records of an instrument for a brief at `now`, UTC milliseconds. */
export function readBriefRecords(
  market: MarketStore,
  instrument: StoredInstrument,
  now: number,
  holidays: readonly HolidayOverride[],
): BriefRecords {
  const records = readCompany(market, instrument, now, STATEMENT_YEARS);
  const { newest, from } = records.prices;
  // The earlier days are over in every zone.
  const isOver = (date: string, at: number) =>
    date <= addDays(dateOf(at), -2) || isDayOver(instrument, date, at, holidays);
  const { quote } = records;
  const isQuoted = quote !== null && newest?.date === quote.date && from.includes(quote);
  return {
    ...records,
    instrument,
    report: findReport(market, instrument),
    expected: findForecasts(market, instrument),
    isOver,
    // A quote that was stored while its session went on is no close.
    isFinal: (date) => isOver(date, isQuoted && date === quote.date ? quote.storedAt : now),
    now,
  };
}

/** The provenances of the records. */
export function sourcesOf({ from, prices, report, expected }: BriefRecords): Provenance[] {
  return [...from, ...prices.from, report, expected].filter((one) => one !== null);
}

/**
 * Up to where an instrument was known at an earlier instant, by the days of its records: statements by their day of
 * filing, sessions by their end. No report and no later ex-date was named yet.
 */
export function seenByDays({ inputs, expected, isOver }: BriefRecords, at: number): Seen {
  const day = dateOf(at);
  let session = addDays(day, 1);
  while (!isOver(session, at)) session = addDays(session, -1);
  const filed = inputs.statements.filter(({ filedOn }) => filedOn < day);
  const announced = expected?.forecasts.map(({ announcedOn }) => announcedOn) ?? [];
  return {
    period: newestOf(filed.map(({ periodEnd }) => periodEnd)),
    session,
    exDate: addDays(day, -1),
    report: null,
    forecast: newestOf(announced.filter((date) => date < day)),
  };
}

/** Up to where an instrument is known now. It never falls behind what was seen before. */
export function seenNow(records: BriefRecords, before: Seen): Seen {
  const { inputs, instrument, prices, report, expected, isFinal, now } = records;
  const today = localDateOf(instrument.country, now);
  const horizon = addDays(today, HORIZON_DAYS);
  const filed = inputs.statements.filter(({ filedOn }) => filedOn <= inputs.asOf);
  // Sessions after a split that is not known yet are named once it is.
  const { dates } = records.showsUnknownSplit
    ? NO_CLOSES
    : prices.list(before.session, "9999-12-31");
  const exDates = (inputs.dividends ?? []).map(({ exDate }) => exDate);
  const announced = expected?.forecasts.map(({ announcedOn }) => announcedOn) ?? [];
  const isDue = report !== null && report.date >= today && report.date <= horizon;
  // A source can leave out a date for a day.
  const isNamed = before.report !== null && before.report >= today;
  return {
    period: newestOf([before.period, ...filed.map(({ periodEnd }) => periodEnd)]),
    session: newestOf([before.session, ...dates.filter(isFinal)]) ?? before.session,
    exDate:
      newestOf([before.exDate, ...exDates.filter((date) => date <= horizon)]) ?? before.exDate,
    report: isDue ? report.date : isNamed ? before.report : null,
    forecast: newestOf([before.forecast ?? null, ...announced.filter((date) => date <= today)]),
  };
}

/** The last date; null if there is none. */
function newestOf(dates: readonly (string | null)[]): string | null {
  return dates.reduce((newest, date) => ((date ?? "") > (newest ?? "") ? date : newest), null);
}

/**
 * What became known of an instrument between two moments.
 *
 * @param movePercent the smallest change of a close that is named
 */
export function changesOf(
  market: MarketStore,
  records: BriefRecords,
  seen: { readonly from: Seen; readonly to: Seen },
  movePercent: number,
): Change[] {
  const isSplit = records.showsUnknownSplit;
  return [
    ...newStatements(records, seen.from.period, seen.to.period),
    ...revisedForecasts(records, seen.from, seen.to),
    ...(isSplit ? [] : moves(records, seen.from, seen.to, movePercent)),
    ...(isSplit ? [] : extremes(market, records, seen.from, seen.to)),
    ...dueReport(records, seen.from, seen.to),
    ...exDates(records, seen.from, seen.to),
  ];
}

/** The figures of the trailing twelve months that a statement changes. */
const FIGURES = [
  ["revenue", ({ revenueTtm }: CompanyFundamentals) => revenueTtm],
  ["eps", ({ epsTtm }: CompanyFundamentals) => epsTtm],
] as const;

/** Each period after one and up to another, both by their ends, compared with the one before it. */
export function newStatements(
  { inputs, instrument }: BriefRecords,
  from: string | null,
  to: string | null,
): Change[] {
  const ends = inputs.statements
    .map(({ periodEnd }) => periodEnd)
    .filter((end) => end > (from ?? "") && end <= (to ?? ""));
  const figuresTo = (end: string | null) => {
    const statements = inputs.statements.filter(
      ({ periodEnd }) => end !== null && periodEnd <= end,
    );
    return companyFundamentals({ ...inputs, statements });
  };
  let before = figuresTo(from);
  return [...new Set(ends)].toSorted().flatMap((period) => {
    const after = figuresTo(period);
    const rows = statementRows(formatKey(instrument), period, before, after);
    before = after;
    return rows;
  });
}

function statementRows(
  symbol: string,
  period: string,
  before: CompanyFundamentals,
  after: CompanyFundamentals,
): Change[] {
  // A statement that is to be published later has no day yet.
  if (after.filedOn === null || after.periodEnd !== period) return [];
  const isComparable = before.statementCurrency === after.statementCurrency;
  const head = { date: after.filedOn, symbol, what: "statement" } as const;
  const rows = FIGURES.flatMap(([name, read]): Change[] => {
    const figure = read(after);
    if (figure === null) return [];
    const earlier = isComparable ? read(before) : null;
    return [
      changeOf({
        ...head,
        detail: `${name} TTM to ${period}`,
        before: earlier === null ? null : roundPrice(earlier),
        after: roundPrice(figure),
        percent: earlier !== null && earlier > 0 ? round2(changePercent(figure, earlier)) : null,
        unit: after.statementCurrency,
      }),
    ];
  });
  return rows.length > 0 ? rows : [changeOf({ ...head, detail: `period to ${period}` })];
}

/** What a company changed in its own forecast. The first forecasts that are stored are no news. */
function revisedForecasts({ instrument, expected }: BriefRecords, from: Seen, to: Seen): Change[] {
  const after = from.forecast ?? from.session;
  return announcedForecasts(expected?.forecasts ?? [])
    .filter(({ announcedOn }) => announcedOn > after && announcedOn <= (to.forecast ?? ""))
    .flatMap(({ announcedOn, yearEnd, revised }) =>
      revised.map((figure) =>
        changeOf({
          date: announcedOn,
          symbol: formatKey(instrument),
          what: "forecast",
          detail: `${toSnakeCase(figure.item)} to ${yearEnd}`,
          before: roundPrice(figure.before),
          after: roundPrice(figure.after),
          percent: figure.before > 0 ? round2(changePercent(figure.after, figure.before)) : null,
          unit: expected?.currency ?? null,
        }),
      ),
    );
}

function moves(
  { instrument, prices, isFinal }: BriefRecords,
  from: Seen,
  to: Seen,
  movePercent: number,
): Change[] {
  const { newest } = prices;
  const { dates, close } = prices.list(addDays(from.session, -PAUSE_DAYS), to.session);
  return dates.flatMap((date, i): Change[] => {
    if (date <= from.session || !isFinal(date)) return [];
    // The close before a quote may be known from the quote alone.
    const before = (date === newest?.date ? newest.previousClose : null) ?? close[i - 1] ?? null;
    const after = close[i] ?? null;
    const percent = changePercent(after, before);
    if (percent === null || before === null || after === null) return [];
    if (Math.abs(percent) < movePercent) return [];
    return [
      changeOf({
        date,
        symbol: formatKey(instrument),
        what: "move",
        before: roundPrice(before),
        after: roundPrice(after),
        percent: round2(percent),
        unit: instrument.currency,
      }),
    ];
  });
}

interface Prices {
  readonly date: string;
  readonly high: number;
  readonly low: number;
}

/** The last new extreme on either side, with the extreme of the 52 weeks before the first new session. */
function extremes(
  market: MarketStore,
  { instrument, prices, isFinal }: BriefRecords,
  from: Seen,
  to: Seen,
): Change[] {
  const yearAgo = addMonths(from.session, -12);
  // Without a whole year, the extreme of the year is unknown.
  if (to.session <= from.session || !market.bars.findAtOrBefore(instrument.id, yearAgo)) return [];
  const bars = market.bars.series(instrument.id, ALL, {
    from: yearAgo,
    before: addDays(to.session, 1),
  });
  const all = bars.dates.map((date, i): Prices => ({
    date,
    high: bars.high[i] ?? 0,
    low: bars.low[i] ?? 0,
  }));
  const { newest } = prices;
  if (newest && newest.date > (bars.dates.at(-1) ?? "") && newest.date <= to.session)
    all.push({ date: newest.date, high: newest.close, low: newest.close });
  const found = [
    { what: "high_52w", read: ({ high }: Prices) => high, sign: 1 },
    { what: "low_52w", read: ({ low }: Prices) => low, sign: -1 },
  ] as const;
  return found.flatMap(({ what, read, sign }): Change[] => {
    const last = all.findLast((session, i) => {
      if (session.date <= from.session || !isFinal(session.date)) return false;
      const start = addMonths(session.date, -12);
      return all
        .slice(0, i)
        .every((one) => one.date < start || sign * read(session) > sign * read(one));
    });
    if (!last) return [];
    const start = addMonths(last.date, -12);
    const known = all.filter(({ date }) => date >= start && date <= from.session).map(read);
    if (known.length === 0) return [];
    const before = sign > 0 ? Math.max(...known) : Math.min(...known);
    return [
      changeOf({
        date: last.date,
        symbol: formatKey(instrument),
        what,
        before: roundPrice(before),
        after: roundPrice(read(last)),
        percent: round2(changePercent(read(last), before)),
        unit: instrument.currency,
      }),
    ];
  });
}

function dueReport({ instrument, report }: BriefRecords, from: Seen, to: Seen): Change[] {
  if (report === null || to.report === from.report || to.report !== report.date) return [];
  const { date, session, epsEstimate } = report;
  return [
    changeOf({
      date,
      symbol: formatKey(instrument),
      what: "report",
      detail: session === "not_supplied" ? null : session,
      expected: epsEstimate === null ? null : roundPrice(epsEstimate),
      unit: epsEstimate === null ? null : instrument.currency,
    }),
  ];
}

function exDates({ instrument, inputs }: BriefRecords, from: Seen, to: Seen): Change[] {
  return (inputs.dividends ?? []).flatMap(({ exDate, amount }) =>
    exDate <= from.exDate || exDate > to.exDate
      ? []
      : [
          changeOf({
            date: exDate,
            symbol: formatKey(instrument),
            what: "ex_date",
            after: roundPrice(amount),
            unit: instrument.currency,
          }),
        ],
  );
}
