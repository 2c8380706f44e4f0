import { type Static, Type } from "@sinclair/typebox";
import {
  isOfHistory,
  isOfYear,
  METRIC_NAMES,
  type MetricName,
  METRICS,
} from "#analytics/metrics.ts";
import { PERFORMANCE_WINDOWS } from "#analytics/performance.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { invalidArgument } from "#domain/errors.ts";
import { DateOutput, Nullable, TableOutput } from "#domain/schema.ts";
import { createMetricsReader } from "#rollups/companies.ts";
import { ConvertedCompanies } from "#rollups/converted-companies.ts";
import { rateNeeds } from "#rollups/currency-rates.ts";
import { CurrencyInput, RatesOutput, ratesOf, withRates } from "./conversion.ts";
import { MetricListInput, SymbolListInput } from "./reading/inputs.ts";
import { parseMetrics } from "./reading/metric-query.ts";
import { inSlices, isRanked, MetricRanks } from "./metric-ranks.ts";
import { whyOfCompanies } from "./metric-reasons.ts";
import { columnReader } from "./metric-values.ts";
import { symbolListNeeds } from "./needs.ts";
import { COMPANY_FACTS } from "./known-day.ts";
import { compareFiscalYear } from "./fiscal-years.ts";
import { defineOperation, type OperationContext } from "./operation.ts";
import { PAST_METRICS, refuseOtherMetrics } from "./past-periods.ts";
import { splitColumns, TEXT_COLUMNS } from "./reading/text-columns.ts";
import { requireSymbols, unknownRows, UnknownSymbolsOutput } from "./reading/symbols.ts";

const MAX_SYMBOLS = 30;
/** Each rank reads all companies of a sector. */
const MAX_RANKED = 10;
const HEAD_COLUMNS = ["country", "symbol", "name", "currency", "to_session"];
const DEFAULT_METRICS = [
  "price",
  "change_percent",
  "market_cap",
  "pe",
  "revenue_growth",
  "net_margin",
  "roe",
  "dividend_yield",
  "return_1y",
] as const satisfies readonly MetricName[];

/** The usual metrics of a fiscal year. */
const YEAR_METRICS = [
  "market_cap",
  "pe",
  "revenue",
  "revenue_growth",
  "net_margin",
  "roe",
] as const satisfies readonly MetricName[];

const input = Type.Object({
  symbols: SymbolListInput(MAX_SYMBOLS),
  metrics: Type.Optional(
    MetricListInput("Metrics as in screen_stocks, or all; nine common ones by default."),
  ),
  currency: Type.Optional(CurrencyInput("USD or another, for amounts and returns.")),
  fiscal_year: Type.Optional(
    Type.Integer({
      minimum: 1990,
      maximum: 2100,
      description: "Figures of the fiscal years that end in it, of statements and multiples.",
    }),
  ),
  rank: Type.Optional(
    Type.Boolean({ description: "true: percentiles in sector and country, as pe_rank." }),
  ),
});

export const compareStocks = defineOperation({
  name: "compare_stocks",
  set: "company",
  title: "Comparison of stocks",
  description:
    "Returns figures of up to 30 named stocks side by side, also of several countries. To find companies by figures use screen_stocks, for past prices get_price_statistics.",
  path: "/data/stocks/compare",
  notRewound: COMPANY_FACTS,
  input,
  output: Type.Object({
    ...TableOutput,
    columns: {
      ...TableOutput.columns,
      description:
        "Names of the columns. to_session is the session of the price. from_session is the one from whose close the return is measured; with several returns, each has its own: return_1y_from_session. pe_rank is the percent of the companies of its sector and country with a lower P/E, equal ones half: 0 lowest, 100 highest; null below 5 companies. With fiscal_year each row has the year that ends in it, or in the first week after it, with fiscal_period by the company's own numbering, and figures as in get_metric_history.",
    },
    session: Nullable(DateOutput("Newest session of all rows, YYYY-MM-DD; null without prices.")),
    currency: Nullable(
      Type.String({ description: "ISO code of the currency of all amounts; null if rows differ." }),
    ),
    rates: RatesOutput,
    notes: Type.Optional(
      Type.Array(Type.String(), { description: "With fiscal_year: why figures are null." }),
    ),
    unknown: UnknownSymbolsOutput,
  }),
  // A row may need two rates: one for its prices and one for its statements.
  table({ rates, unknown, ...table }) {
    const { columns, rows } = withRates(table, rates);
    return { columns, rows: [...rows, ...unknownRows(unknown, columns)] };
  },
  needs: ({ symbols, metrics, currency }) => [
    ...symbolListNeeds(symbols, [
      ...(["quotes", "bars", "statements", "dividends", "analystCoverage"] as const),
      ...(listMetrics(metrics).some((name) => METRICS[name].period === "reports")
        ? (["earningsResults"] as const)
        : []),
    ]),
    ...rateNeeds(currency),
  ],
  companiesOf: ({ rank }) => (rank ? COUNTRY_CODES : []),
  prepare({ symbols, metrics, rank }, { market, rollups }) {
    const late = listRanked(metrics, rank).filter(
      (name) => isOfHistory(METRICS[name]) || (market.knownOn !== null && isOfYear(METRICS[name])),
    );
    if (late.length === 0) return undefined;
    const ranks = new MetricRanks(market, rollups);
    const peers = requireSymbols(market, symbols).found.flatMap((one) => ranks.peersOf(one));
    return inSlices([...new Set(peers)], (peer) => {
      for (const name of late) METRICS[name].valueOf(peer);
    });
  },
  handle(args, context) {
    const { symbols, metrics, currency, rank, fiscal_year: year } = args;
    const { market, rollups, now } = context;
    if (year !== undefined) return compareYear(args, year, context);
    const names = listMetrics(metrics);
    const { texts } = splitColumns(metrics);
    const ranked = listRanked(metrics, rank);
    const ranks = new MetricRanks(market, rollups);
    const windows = PERFORMANCE_WINDOWS.filter((window) => names.includes(`return_${window}`));
    const { found, unknown } = requireSymbols(market, symbols);
    const companies = found.map(createMetricsReader(market, now));
    const figures = new ConvertedCompanies(market, currency ?? null);
    const { rates } = figures;
    const readers = names.map((name) => columnReader(name, figures));
    const rows = companies.map((company) => {
      const { instrument, newest, starts } = company;
      const shown = figures.currencyOf(instrument);
      return {
        currency: shown,
        session: newest?.date ?? null,
        cells: [
          instrument.country,
          instrument.symbol,
          instrument.name,
          shown,
          newest?.date ?? null,
          ...texts.map((column) => TEXT_COLUMNS[column](instrument)),
          ...readers.map((reader) => reader(company)),
          ...ranked.map((name) => ranks.find(name, company)),
          ...windows.map((window) => starts[window]),
        ],
      };
    });
    const [first = null, ...others] = new Set(rows.flatMap((row) => row.currency ?? []));
    return {
      data: {
        columns: [
          ...HEAD_COLUMNS,
          ...texts,
          ...names,
          ...ranked.map((name) => `${name}_rank`),
          ...fromColumns(windows),
        ],
        rows: rows.map(({ cells }) => cells),
        session:
          rows
            .map(({ session }) => session ?? "")
            .toSorted()
            .at(-1) || null,
        currency: others.length === 0 ? first : null,
        rates: ratesOf(rates),
        unknown: [...unknown],
      },
      from: [
        ...companies.flatMap(({ from, analysts }) => [
          ...from,
          ...(analysts ? [analysts.from] : []),
        ]),
        ...rates.from,
      ],
      why: whyOfCompanies(market, ({ row }) => companies[row]),
    };
  },
});

/** The comparison of fiscal years. @throws BourseError for metrics without a past, and beside rank */
async function compareYear(
  { symbols, metrics, currency, rank }: Static<typeof input>,
  year: number,
  { market, now }: OperationContext,
) {
  if (rank)
    throw invalidArgument("rank is of today: use it without fiscal_year.", { param: "rank" });
  const names = metrics === undefined ? YEAR_METRICS : listYearMetrics(metrics);
  const { found, unknown } = requireSymbols(market, symbols);
  const asked = { year, metrics: names, currency, now };
  const { data, ...rest } = await compareFiscalYear(market, found, asked);
  return { data: { ...data, unknown: [...unknown] }, ...rest };
}

function listYearMetrics(text: string): readonly MetricName[] {
  const names =
    text.trim().toLowerCase() === "all" ? [...PAST_METRICS] : parseMetrics(text, PAST_METRICS);
  refuseOtherMetrics(names);
  return names;
}

/** The columns of the sessions from which the returns of these windows are measured. */
function fromColumns(windows: readonly string[]): string[] {
  if (windows.length === 1) return ["from_session"];
  return windows.map((window) => `return_${window}_from_session`);
}

function listMetrics(text: string | undefined): readonly MetricName[] {
  if (text === undefined) return DEFAULT_METRICS;
  if (text.trim().toLowerCase() === "all") return METRIC_NAMES;
  const { others } = splitColumns(text);
  return others === null ? [] : parseMetrics(others);
}

/** The metrics that are ranked. @throws BourseError for more than can be ranked at once */
function listRanked(text: string | undefined, rank: boolean | undefined): readonly MetricName[] {
  const names = rank ? listMetrics(text).filter(isRanked) : [];
  if (names.length <= MAX_RANKED) return names;
  throw invalidArgument(`rank takes at most ${MAX_RANKED} metrics, not ${names.length}.`, {
    param: "metrics",
    hint: "Name the metrics to rank, such as metrics=pe,roe.",
  });
}
