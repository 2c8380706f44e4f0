import { type Static, Type } from "@sinclair/typebox";
import { intervalStarts } from "#analytics/bar-intervals.ts";
import type { Closes } from "#analytics/price-statistics.ts";
import { INDEX_WINDOW, indexValuation } from "#analytics/index-valuation.ts";
import {
  MIN_POINTS,
  VALUATION_METRICS,
  type ValuationMetric,
  valueRange,
  valuesOf,
} from "#analytics/valuation-history.ts";
import {
  type CompanyInputs,
  fundamentalsOf,
  reportedFigures,
  tradedCompany,
} from "#analytics/valuation.ts";
import { type Verdict, verdictByPercentile } from "#analytics/valuation-verdict.ts";
import { COUNTRIES, COUNTRY_CODES, CountryCode } from "#domain/country.ts";
import { BourseError, invalidArgument, notFound } from "#domain/errors.ts";
import { DateOutput, Nullable, StringEnum, TableOutput } from "#domain/schema.ts";
import { COMPUTED, type Provenance } from "#domain/records.ts";
import { dateOf } from "#lib/date.ts";
import type { Cell } from "#lib/table.ts";
import { round2 } from "#panels/format.ts";
import { type Company, getCompany } from "#rollups/companies.ts";
import { readCompany } from "#rollups/company-inputs.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { BeginsOutput, beginsOf } from "./horizon.ts";
import { DateInput, ListInput, SymbolInput, SymbolListInput } from "./reading/inputs.ts";
import { getInstrument, requireCompany } from "./reading/instruments.ts";
import { FilingsOutput, filingsOf } from "./reading/known-on.ts";
import { metricOf, whyMetric, whyPastMetric } from "./metric-reasons.ts";
import { countryNeeds, instrumentNeeds, optionalCountryNeeds } from "./needs.ts";
import { COMPANY_FACTS } from "./known-day.ts";
import { defineOperation, type OperationContext } from "./operation.ts";
import { inSlices } from "./metric-ranks.ts";
import type { DecodedArguments } from "./reading/decode.ts";
import { usedFilings, valuationReader } from "./past-periods.ts";
import type { WhyMissing } from "./reasons.ts";
import { checkRange, RangeInput, rangeStart } from "./reading/price-range.ts";
import { parseSymbol } from "./reading/symbol-notation.ts";
import { requireSymbols, UnknownSymbolsOutput } from "./reading/symbols.ts";
import { joinValuations, whyOfSeveral } from "./several-valuations.ts";

const METRICS = VALUATION_METRICS.join(", ");
/** About 17,000 tokens. */
const MAX_CELLS = 3_000;
const MAX_SYMBOLS = 10;
const NAME = "get_valuation_history";
const TITLE = "Valuation history";
const PATH = "/data/stocks/{symbol}/valuation";
/** The past with which a company's multiples are compared for a verdict. */
const COMPANY_WINDOW = "10y";

const input = Type.Object({
  country: { ...CountryCode, orElse: "symbols" },
  symbol: { ...SymbolInput, orElse: "symbols" },
  symbols: Type.Optional({
    ...SymbolListInput(MAX_SYMBOLS),
    description: "Further ones, side by side: MSFT,JP:7203 or list:NAME.",
  }),
  metric: Type.Optional(
    ListInput(
      StringEnum(VALUATION_METRICS, {
        aliases: {
          "p/e": "pe",
          "p/e ratio": "pe",
          "pe ratio": "pe",
          PER: "pe",
          株価収益率: "pe",
          "p/b ratio": "pb",
          "pb ratio": "pb",
          PBR: "pb",
          株価純資産倍率: "pb",
          配当利回り: "dividend_yield",
          "tỷ suất cổ tức": "dividend_yield",
          "p/b": "pb",
          "p/s": "ps",
          "price to earnings": "pe",
          "price to book": "pb",
          "price to sales": "ps",
          "ev/ebitda": "ev_ebitda",
          yield: "dividend_yield",
        },
      }),
      `Several of ${METRICS}; default pe.`,
    ),
  ),
  range: Type.Optional(RangeInput("5y by default.", ["1y", "3y", "5y", "10y", "max"])),
  from: Type.Optional(DateInput("First date")),
  to: Type.Optional(DateInput("Last date")),
  interval: Type.Optional(
    StringEnum(["1wk", "1mo"], {
      default: "1mo",
      aliases: { weekly: "1wk", week: "1wk", monthly: "1mo", month: "1mo" },
    }),
  ),
  summary: Type.Optional(Type.Boolean({ description: "true leaves out the rows." })),
});
type Input = Static<typeof input>;

const { country: _country, symbol: _symbol, ...listed } = input.properties;
/** The arguments of several instruments over REST. */
const inputOfSeveral = Type.Object({ ...listed, symbols: SymbolListInput(MAX_SYMBOLS) });

export const getValuationHistory = defineOperation({
  name: NAME,
  set: "company",
  title: TITLE,
  description:
    "Returns a company's multiples, or an index's P/E, against their past, by figures known on each day. For today's use compare_stocks.",
  path: PATH,
  complete: withSymbols,
  notRewound: COMPANY_FACTS,
  input,
  routes: [
    { name: NAME, title: TITLE, path: PATH, input, complete: withSymbols },
    {
      name: "get_valuation_histories",
      title: "Valuation history of several stocks",
      path: "/data/stocks/valuation",
      input: inputOfSeveral,
    },
  ],
  output: Type.Object({
    name: Type.String({ description: "Name of the instrument: Apple Inc." }),
    session: Nullable(DateOutput("Session of today's values, YYYY-MM-DD.")),
    metrics: Type.Record(Type.String(), Type.Record(Type.String(), Nullable(Type.Number())), {
      description:
        "By metric, with symbols by US:AAPL: today, median, p10, p90, percentile (% of rows below today), points. Today is the value at the newest price, as in screen_stocks. The percentile counts equal rows half, points are the rows with a value.",
    }),
    verdicts: Type.Record(Type.String(), Nullable(Type.String()), {
      description:
        "`Very cheap` to `Very expensive`, by metric. It compares today with the month ends of `verdict_window`: by percentile for a company (Fair from 30.9 to 69.1, Cheap or Expensive from 15.9 to 84.1), as in get_sectors for an index. A high dividend yield is cheap. Null without a value or below 24 months.",
    }),
    verdict_window: Type.String({ description: "Past of the verdicts: 10y." }),
    figures: Type.Optional(FilingsOutput.figures),
    filing_dates: Type.Optional(FilingsOutput.filing_dates),
    ...BeginsOutput,
    notes: Type.Optional(
      Type.Array(Type.String(), { description: "With symbols: what begins later or is missing." }),
    ),
    unknown: Type.Optional(UnknownSymbolsOutput),
    columns: TableOutput.columns,
    rows: {
      ...TableOutput.rows,
      description:
        "date (with symbols the month, or the Monday of the week) and the metrics, newest last: the last session of each week or month that is over, with the statements filed by that day, or a month of the index's P/E. Multiples; dividend_yield in percent. Null if unknown or without meaning.",
    },
  }),
  table: ({ columns, rows }) => ({ columns, rows, total: rows.length }),
  needs: (args) => {
    const { symbols } = args;
    if (symbols === undefined) return needsOfOne(args);
    const keys = symbols.split(",").flatMap((one) => parseSymbol(one) ?? []);
    return keys.flatMap(({ country, symbol }) =>
      (country ? [country] : COUNTRY_CODES).flatMap((one) =>
        needsOfOne({ country: one, symbol }).map((need) => ({ ...need, optional: true as const })),
      ),
    );
  },
  companiesOf: ({ symbols, ...args }) =>
    symbols === undefined
      ? [args.country].filter(() => isIndex(args))
      : COUNTRY_CODES.filter((code) => symbols.includes(COUNTRIES[code].indexSymbol)),
  handle(args, context) {
    const { symbols, ...one } = args;
    checkRange(args.range, args.from, args.to);
    return symbols === undefined ? answerOf(one, context) : answerSeveral(symbols, one, context);
  },
});

/** Why figures are missing. The rows of a summary are not asked for. */
const whyOf =
  (why: WhyMissing, summary = false): WhyMissing =>
  (gap) =>
    summary && gap.isList && gap.figure === "rows" ? "not_asked" : why(gap);

/** The answer about several companies and indices. @throws BourseError if none has a history */
async function answerSeveral(
  symbols: string,
  { interval = "1mo", summary = false, ...args }: Input,
  context: OperationContext,
) {
  const { found, unknown } = requireSymbols(context.market, symbols);
  const answered: (ReturnType<typeof answerOf> & { key: StoredInstrument })[] = [];
  const errors: { key: StoredInstrument; error: BourseError }[] = [];
  const from: Provenance[] = [];
  await inSlices(found, (key) => {
    const { country, symbol } = key;
    try {
      const one = answerOf({ ...args, interval, country, symbol }, context);
      answered.push({ key, ...one });
      from.push(...one.from);
    } catch (thrown) {
      if (!(thrown instanceof BourseError)) throw thrown;
      errors.push({ key, error: thrown });
    }
  });
  const [first] = errors;
  if (answered.length === 0 && first) throw first.error;
  const joined = joinValuations({ found: answered, errors, unknown }, interval);
  refuseLarge(joined.rows.length, joined.columns.length - 1);
  const rows = summary ? [] : joined.rows;
  return { data: { ...joined, rows }, from, why: whyOf(whyOfSeveral(answered, interval), summary) };
}

/** The arguments with all of their symbols in `symbols`, or with `country` and `symbol` if it is one. */
function withSymbols({ country, symbol, symbols, ...others }: DecodedArguments): DecodedArguments {
  if (typeof symbols !== "string") return { country, symbol, ...others };
  const place = typeof country === "string" ? country : null;
  const placed = (one: string) => (place === null ? one : withCountry(one, place));
  const all =
    typeof symbol === "string"
      ? `${placed(symbol)},${symbols}`
      : symbols.split(",").map(placed).join();
  return { symbols: all, ...others };
}

/** `US:AAPL` for `AAPL` in the US. `7203.T` and `list:mine` need no country. */
const withCountry = (symbol: string, country: string) =>
  /[:.]/.test(symbol) ? symbol : `${country}:${symbol}`;

const needsOfOne = (key: Pick<Input, "country" | "symbol">) =>
  isIndex(key)
    ? [
        ...countryNeeds(["instruments"], key.country),
        ...optionalCountryNeeds(["quotes", "indexPe"], key.country),
      ]
    : instrumentNeeds(key, ["statements", "bars"], ["instruments", "dividends", "quotes"]);

/** The answer about one company or index. @throws BourseError if it has no history */
function answerOf(args: Input, context: OperationContext) {
  const { country, symbol } = args;
  const instrument = getInstrument(context.market, { country, symbol });
  const history = isIndex(args)
    ? indexHistory(args, context, instrument)
    : companyHistory(args, context, instrument);
  const { rows, today, ...rest } = history;
  const metrics = metricsOf(args);
  refuseLarge(rows.length, metrics.length);
  return {
    data: {
      name: instrument.name,
      session: rest.session,
      metrics: Object.fromEntries(
        metrics.map((metric, i) => {
          const values = rows.map((row) => row.values[i] ?? Number.NaN);
          const { points, ...place } = valueRange(Float64Array.from(values), today[metric]);
          const { median, p10, p90, percentile } = place;
          const figures = { today: today[metric], median, p10, p90, percentile };
          const rounded = Object.entries(figures).map(([name, value]) => [name, round2(value)]);
          return [metric, { ...Object.fromEntries(rounded), points }];
        }),
      ),
      verdicts: Object.fromEntries(
        metrics.map((metric) => [metric, rest.verdicts[metric] ?? null]),
      ),
      verdict_window: rest.window,
      ...rest.filings,
      ...beginsOf(rest.first, rest.asked),
      columns: ["date", ...metrics],
      rows: args.summary
        ? []
        : rows.map(({ date, values }): Cell[] => [date, ...values.map(roundKnown)]),
    },
    from: rest.from,
    why: whyOf(rest.why, args.summary),
  };
}

const metricsOf = ({ metric = "pe" }: Input) => metric.split(",") as ValuationMetric[];

const roundKnown = (value: number) => (Number.isNaN(value) ? null : round2(value));

const isIndex = ({ country, symbol }: Pick<Input, "country" | "symbol">) =>
  symbol === COUNTRIES[country].indexSymbol;

/** The history of a company or an index. */
interface History {
  /** Oldest first; a value for each metric, NaN if it is unknown. */
  readonly rows: readonly { readonly date: string; readonly values: readonly number[] }[];
  readonly today: Readonly<Record<ValuationMetric, number | null>>;
  readonly session: string | null;
  readonly verdicts: Readonly<Partial<Record<ValuationMetric, Verdict | null>>>;
  /** The past of the verdicts. */
  readonly window: string;
  readonly filings: ReturnType<typeof filingsOf> | null;
  /** The first known date, and the first one that the call asks for; absent if it does not matter. */
  readonly first: string | undefined;
  readonly asked: string | undefined;
  readonly from: readonly Provenance[];
  readonly why: WhyMissing;
}

function companyHistory(
  args: Input,
  { market, now }: OperationContext,
  instrument: StoredInstrument,
): History {
  requireCompany(instrument, "valuation history");
  const { range = "5y", from, to, interval = "1mo" } = args;
  const company = getCompany(market, instrument, now);
  const records = readCompany(market, instrument, now, 1);
  const { prices } = records;
  const { newest } = prices;
  if (newest === null) throw withoutPrices(instrument);
  const start = from ?? rangeStart(range, newest.date);
  const all = prices.list(start, newest.date);
  const closes = lastSessions(all, interval, to ?? newest.date);
  const filed = market.statements.listFiled(instrument);
  const valuesAt = valuationReader(instrument, records, filed);
  const values = valuesAt(closes);
  const metrics = metricsOf(args);
  const today = valuesOf(company.fundamentals);
  const tenYears = prices.list(rangeStart(COMPANY_WINDOW, newest.date), newest.date);
  return {
    rows: closes.dates.map((date, i) => ({
      date,
      values: metrics.map((metric) => values[metric][i] ?? Number.NaN),
    })),
    today,
    session: newest.date,
    verdicts: verdictsOf(valuesAt(lastSessions(tenYears, "1mo", newest.date)), today),
    window: COMPANY_WINDOW,
    filings: filed.length > 0 ? filingsOf(filed) : null,
    first: prices.findClose(start) === null ? all.dates[0] : undefined,
    asked: range === "max" ? undefined : start,
    from: company.from,
    why: whyOfMultiples(market, company, {
      ...records.inputs,
      statements: usedFilings(records, filed),
    }),
  };
}

/** Why multiples of today, or of a past day, are null. */
function whyOfMultiples(market: MarketStore, company: Company, inputs: CompanyInputs): WhyMissing {
  const { instrument } = company;
  return ({ figure, path, of, isList }) => {
    const name = metricOf(path[0] === "metrics" ? String(path[1]) : figure);
    if (isList || name === undefined) return "too_few";
    if (path[0] === "rows") {
      const then = { ...inputs, price: null, asOf: String(of["date"]) };
      const reported = reportedFigures(then);
      const traded = tradedCompany(then, reported);
      const fundamentals = fundamentalsOf(then, reported, { price: null, ...traded });
      return whyPastMetric(name, { instrument, fundamentals }, market);
    }
    const isOfToday = figure === "today" || figure === "percentile" || path[0] === "verdicts";
    const isKnown = valuesOf(company.fundamentals)[name as ValuationMetric] !== null;
    return isOfToday && !isKnown ? whyMetric(name, company, market) : "too_few";
  };
}

/** The verdict on each of today's values by its place among month ends; null where too few are known. */
function verdictsOf(
  values: Readonly<Record<ValuationMetric, Float64Array>>,
  today: Readonly<Record<ValuationMetric, number | null>>,
): Record<ValuationMetric, Verdict | null> {
  const verdicts = VALUATION_METRICS.map((metric) => {
    const { points, percentile } = valueRange(values[metric], today[metric]);
    if (percentile === null || points < MIN_POINTS) return [metric, null];
    // The cheaper a share, the higher its yield.
    const isYield = metric === "dividend_yield";
    return [metric, verdictByPercentile(isYield ? 100 - percentile : percentile)];
  });
  return Object.fromEntries(verdicts) as Record<ValuationMetric, Verdict | null>;
}

function withoutPrices({ country, symbol }: StoredInstrument): BourseError {
  return notFound(`${symbol} in ${country} has no prices.`, {
    param: "symbol",
    hint: "Call get_stock_statements for its figures.",
  });
}

/** The last session of each week or month that is over, up to a date. */
function lastSessions({ dates, close }: Closes, interval: "1wk" | "1mo", end: string): Closes {
  const starts = intervalStarts(dates, interval);
  const last = dates.flatMap((date, i) =>
    i + 1 < dates.length && starts[i] !== starts[i + 1] && date <= end ? [i] : [],
  );
  return {
    dates: last.map((i) => dates[i] ?? ""),
    close: Float64Array.from(last, (i) => close[i] ?? Number.NaN),
  };
}

/** The months of the P/E of a country's index. */
function indexHistory(
  args: Input,
  { market, rollups, now }: OperationContext,
  instrument: StoredInstrument,
): History {
  const { country, range = "5y", from, to, interval = "1mo" } = args;
  refuseForIndex(args.metric, interval, instrument);
  const companies = rollups.get(country);
  const today = dateOf(now);
  const start = from ?? rangeStart(range, today);
  const stored = market.documents
    .list("indexPe", country)
    .sort((a, b) => a.month.localeCompare(b.month));
  const { status } = indexValuation(companies.pe.pe, stored);
  const [first, last] = [start.slice(0, 7), (to ?? today).slice(0, 7)];
  const shown = stored.filter(
    ({ month }) => month >= first && month <= last && month < today.slice(0, 7),
  );
  return {
    rows: shown.map(({ month, pe }) => ({ date: month, values: [pe] })),
    today: { ...NO_VALUES, pe: companies.pe.pe },
    session: companies.session,
    verdicts: { pe: status === "insufficient_history" ? null : status },
    window: INDEX_WINDOW,
    filings: null,
    first: stored[0]?.month,
    asked: range === "max" ? undefined : first,
    from: [...companies.from, ...shown.filter(({ source }) => source !== COMPUTED)],
    why: ({ isList, figure }) =>
      isList || figure === "session" ? { kind: "indexPe", country, symbol: null } : "too_few",
  };
}

const NO_VALUES = { pe: null, pb: null, ps: null, ev_ebitda: null, dividend_yield: null };

/** @throws BourseError for a metric or an interval that an index does not have */
function refuseForIndex(
  metric: string | undefined,
  interval: string,
  { symbol }: StoredInstrument,
): void {
  const refuse = (param: string, message: string) => {
    throw invalidArgument(`${symbol} is an index: ${message}`, { param });
  };
  if ((metric ?? "pe") !== "pe") refuse("metric", "its history has pe only.");
  if (interval !== "1mo") refuse("interval", "its P/E is known by month, so use 1mo.");
}

/** @throws BourseError if the answer has more cells than a model can take */
function refuseLarge(rows: number, metrics: number): void {
  const allowed = Math.floor(MAX_CELLS / (metrics + 1));
  if (rows <= allowed) return;
  throw invalidArgument(
    `The answer would have ${rows} rows, and with ${metrics} metrics at most ${allowed} are allowed.`,
    { param: "range", hint: "Ask for interval 1mo, a shorter period or fewer metrics." },
  );
}
