import { type Static, Type } from "@sinclair/typebox";
import type { MetricName } from "#analytics/metrics.ts";
import { listPeriods } from "#analytics/periods.ts";
import { invalidArgument, notFound } from "#domain/errors.ts";
import { isCompany } from "#domain/instrument.ts";
import { StringEnum, TableOutput } from "#domain/schema.ts";
import { dateOf } from "#lib/date.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { Cell } from "#lib/table.ts";
import { formatFiscalPeriod } from "#panels/format.ts";
import { getCompany } from "#rollups/companies.ts";
import { CurrencyRates, rateNeeds } from "#rollups/currency-rates.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { CurrencyInput, RatesOutput, ratesOf } from "./conversion.ts";
import { symbolListNeeds } from "./needs.ts";
import { COMPANY_FACTS } from "./known-day.ts";
import { defineOperation } from "./operation.ts";
import { metricOf, type Subject, whyPastMetric } from "./metric-reasons.ts";
import {
  PAST_METRICS,
  figuresOfPeriod,
  newestInputs,
  periodReader,
  refuseOtherMetrics,
} from "./past-periods.ts";
import { DateInput, MetricListInput, PERIOD_WORDS, SymbolListInput } from "./reading/inputs.ts";
import { getFiled, KnownOnOutput } from "./reading/known-on.ts";
import { parseMetrics } from "./reading/metric-query.ts";
import { formatKey, requireSymbols, unknownRows, UnknownSymbolsOutput } from "./reading/symbols.ts";

const MAX_SYMBOLS = 10;
const MAX_METRICS = 10;
const DEFAULT_PERIODS = 5;
const DEFAULT_METRICS = ["revenue", "net_margin", "roe"] as const satisfies readonly MetricName[];
const HEAD = ["country", "symbol", "currency", "fiscal_period", "period_end", "filing_date"];

const input = Type.Object({
  symbols: SymbolListInput(MAX_SYMBOLS),
  metrics: Type.Optional({
    ...MetricListInput("Up to 10 of statements or multiples: revenue,net_margin,roe by default."),
    example: "revenue,net_margin,pe",
  }),
  period: Type.Optional({
    ...StringEnum(["annual", "quarterly", "ttm"], {
      default: "annual",
      description: "ttm: the trailing twelve months at each quarter's end.",
      aliases: PERIOD_WORDS,
    }),
  }),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 40,
      default: DEFAULT_PERIODS,
      description: "Newest periods of each company.",
    }),
  ),
  currency: Type.Optional(CurrencyInput("Of amounts, at the rate of each period's end.")),
  known_on: Type.Optional(DateInput("As filed by this date")),
});

export const getMetricHistory = defineOperation({
  name: "get_metric_history",
  set: "company",
  title: "History of metrics",
  description:
    "Returns how figures of up to 10 companies developed over fiscal years or quarters: margins, growth, ROE, debt, EPS, multiples. For figures of today use compare_stocks, for all lines of one company get_stock_statements, for multiples by month get_valuation_history.",
  path: "/data/stocks/metrics",
  notRewound: COMPANY_FACTS,
  input,
  output: Type.Object({
    ...TableOutput,
    columns: {
      ...TableOutput.columns,
      description:
        "A row for each company and fiscal period, oldest first. Figures have the definitions of compare_stocks: flows are of the twelve months that end with the period (quarterly: flows, margins and growth are of the quarter), balances of its end, multiples have the close of its end and the shares of today's splits. currency is the currency of amounts.",
    },
    rates: Type.Optional(RatesOutput),
    known_on: Type.Optional(KnownOnOutput),
    notes: Type.Optional(
      Type.Array(
        Type.String({ description: "Companies without periods, and why figures are null." }),
      ),
    ),
    unknown: UnknownSymbolsOutput,
  }),
  table: ({ columns, rows, unknown }) => ({
    columns,
    rows: [...rows, ...unknownRows(unknown, columns)],
  }),
  needs: ({ symbols, currency }) => [
    ...symbolListNeeds(symbols, ["quotes", "bars", "statements"]),
    ...rateNeeds(currency),
  ],
  async handle(args, { market, now }) {
    const metrics = readMetrics(args.metrics);
    const { found, unknown } = requireSymbols(market, args.symbols);
    const rates = new CurrencyRates(market);
    const histories: History[] = [];
    for (const instrument of found) {
      // Forty periods of one company take some milliseconds.
      if (histories.length > 0) await nextTurn();
      histories.push(
        historyOf(market, instrument, args, { metrics, rates, today: dateOf(now), now }),
      );
    }
    const notes = histories.flatMap(({ note }) => note ?? []);
    const known = histories.find((one) => one.known !== null)?.known ?? null;
    if (histories.every(({ rows }) => rows.length === 0))
      throw notFound(`No figures are known. ${notes.join(" ")}`, { param: "symbols" });
    const used = ratesOf(rates);
    return {
      data: {
        columns: [...HEAD, ...metrics],
        rows: histories.flatMap(({ rows }) => rows),
        ...(used.length > 0 && { rates: used }),
        ...(known && { known_on: known }),
        ...(notes.length > 0 && { notes }),
        unknown: [...unknown],
      },
      from: histories.flatMap(({ from }) => from),
      why({ figure, row }) {
        const subject = histories.flatMap(({ subjects }) => subjects)[row];
        const name = metricOf(figure);
        return subject && name && whyPastMetric(name, subject(), market);
      },
    };
  },
});

/** @throws BourseError for a metric without a past, or too many */
function readMetrics(text: string | undefined): readonly MetricName[] {
  if (text === undefined) return DEFAULT_METRICS;
  const metrics = parseMetrics(text, PAST_METRICS);
  refuseOtherMetrics(metrics);
  if (metrics.length > MAX_METRICS) {
    throw invalidArgument(`metrics must be at most ${MAX_METRICS}, not ${metrics.length}.`, {
      param: "metrics",
    });
  }
  return metrics;
}

/** The periods of one company. */
interface History {
  readonly rows: Cell[][];
  /** What the figures of each row were read from. */
  readonly subjects: readonly (() => Pick<Subject, "instrument" | "fundamentals">)[];
  readonly note: string | null;
  readonly known: Static<typeof KnownOnOutput> | null;
  readonly from: ReturnType<typeof getCompany>["from"];
}

interface Asked {
  readonly metrics: readonly MetricName[];
  readonly rates: CurrencyRates;
  /** YYYY-MM-DD. */
  readonly today: string;
  /** UTC milliseconds. */
  readonly now: number;
}

function historyOf(
  market: MarketStore,
  instrument: StoredInstrument,
  { period = "annual", limit = DEFAULT_PERIODS, currency, known_on: day }: Static<typeof input>,
  { metrics, rates, today, now }: Asked,
): History {
  const none = { rows: [], subjects: [], known: null, from: [] };
  const key = formatKey(instrument);
  if (!isCompany(instrument.assetType))
    return { ...none, note: `${key} is of type ${instrument.assetType}, so it has no statements.` };
  if (day !== undefined && market.statements.listFiled(instrument).length === 0)
    return { ...none, note: `${key} has no statement filed by ${day}.` };
  const past = day === undefined ? null : getFiled(market, instrument, day);
  const company = getCompany(market, instrument, now);
  const inputs = newestInputs(market, instrument, company.newest?.close ?? null, today);
  const all = listPeriods(inputs.statements, today, period === "annual" ? "annual" : "quarterly");
  if (all.length === 0) {
    const hint = period === "annual" && inputs.statements.length > 0 ? " Use period=ttm." : "";
    return {
      ...none,
      note: `No fiscal ${period === "annual" ? "year" : "quarter"} of ${key} is stored.${hint}`,
    };
  }
  const read = periodReader(market, instrument, inputs, period === "quarterly" ? all : []);
  const shown = all.slice(0, limit).toReversed();
  const rows = shown.map((statement): Cell[] => {
    const { span, fiscalYear, fiscalQuarter, periodEnd, filedOn } = statement;
    const to = currency ?? statement.currency;
    return [
      instrument.country,
      instrument.symbol,
      to,
      formatFiscalPeriod(fiscalYear, span === "year" ? null : fiscalQuarter),
      periodEnd,
      filedOn,
      ...figuresOfPeriod(statement, { instrument, read, metrics, rates, to }),
    ];
  });
  const known = past?.known ?? null;
  const subjects = shown.map((one) => () => ({ instrument, fundamentals: read(one) }));
  return { rows, subjects, note: null, known, from: company.from };
}
