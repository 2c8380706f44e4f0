import { type Static, Type } from "@sinclair/typebox";
import { invalidArgument } from "#domain/errors.ts";
import { DateOutput, FigureOutput, Nullable, StringEnum, TableOutput } from "#domain/schema.ts";
import { addDays, dateOf } from "#lib/date.ts";
import type { Cell } from "#lib/table.ts";
import { CURRENCIES } from "#domain/currency.ts";
import { rateNeeds } from "#rollups/currency-rates.ts";
import { CurrencyInput, rateColumns, RatesOutput } from "./conversion.ts";
import { isCash, HoldingsInput, parseHoldings } from "./reading/holdings.ts";
import { DateInput, ListInput } from "./reading/inputs.ts";
import { countryNeeds, symbolListNeeds } from "./needs.ts";
import { COMPANY_FACTS } from "./known-day.ts";
import { defineOperation } from "./operation.ts";
import {
  analyze,
  HOLDING_COLUMNS,
  type HoldingColumn,
  type Portfolio,
} from "./portfolio/figures.ts";
import { checkRange, RangeInput } from "./reading/price-range.ts";

const DEFAULT_COLUMNS = [
  "symbol",
  "value",
  "weight",
  "return",
  "contribution",
  "risk_share",
] as const satisfies readonly HoldingColumn[];

/** The columns of holdings with a price paid. */
const COST_COLUMNS: readonly HoldingColumn[] = ["cost", "gain", "gain_percent"];

/** The classes by which weights are summed. */
const CLASSES = ["countries", "sectors", "industries", "local_sectors", "currencies"] as const;
/** The parts of an answer beside its holdings. */
const PARTS = [
  ...CLASSES,
  "performance",
  "risk",
  "income",
  "income_by_month",
  "ratios",
  "next",
  "rates",
  "course",
] as const;
type Part = (typeof PARTS)[number];
const DEFAULT_PARTS: readonly Part[] = [
  "countries",
  "sectors",
  "performance",
  "risk",
  "income",
  "ratios",
  "next",
];
/** The number of next events, unless `parts` names them. */
const DEFAULT_EVENTS = 2;

const input = Type.Object({
  holdings: HoldingsInput,
  currency: Type.Optional(CurrencyInput("Of all figures; USD if holdings differ.")),
  range: Type.Optional(RangeInput("Period of returns and risk, 1y by default.")),
  from: Type.Optional(DateInput("Start, instead of range")),
  to: Type.Optional(DateInput("Last date")),
  benchmark: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      upperCase: true,
      description: "By default the largest country's index.",
      example: "US:^GSPC",
    }),
  ),
  rebalance: Type.Optional(
    StringEnum(["none", "monthly"], {
      description: "none holds; monthly restores the first weights.",
      aliases: { "buy and hold": "none", hold: "none", month: "monthly", "1mo": "monthly" },
    }),
  ),
  columns: Type.Optional(
    ListInput(
      StringEnum(["all", ...HOLDING_COLUMNS]),
      "Columns, or all: total_return, income, pe…",
    ),
  ),
  parts: Type.Optional(
    ListInput(
      StringEnum(["all", ...PARTS]),
      "Parts in full, or all (without course): currencies, income_by_month, rates…",
    ),
  ),
});

const output = Type.Object({
  currency: Type.String({ description: "ISO code of the currency of all amounts." }),
  value: FigureOutput("Value at the newest prices; null for weights alone."),
  session: DateOutput("Newest session of the holdings, YYYY-MM-DD."),
  columns: {
    ...TableOutput.columns,
    description:
      "At the newest prices: value, weight (percent of all), price, income (dividends of the last 12 months), yield (they / price in the holding's own currency), pe, pb. Over the period, in percent: return (of prices; null if they begin later); contribution (profit / value of the portfolio at the start: start_weight · return if it is kept; they sum to the portfolio's return); total_return and total_contribution (dividends reinvested); risk_share (covariance of its daily profits with the portfolio's daily returns / their variance; they sum to 100).",
  },
  rows: TableOutput.rows,
  gain: Type.Optional(
    Type.Object(
      {
        cost: FigureOutput("What the shares cost; what short sales brought in counts as positive."),
        gain: FigureOutput("Value − cost, in money."),
        gain_percent: FigureOutput("Gain / cost."),
        without_cost: Type.Array(Type.String(), {
          description: "Holdings without a price paid, which are left out.",
        }),
      },
      {
        description:
          "Of the holdings with a price paid, at the newest prices and rates, before dividends. A price with its day has the rate of the day, and the splits since.",
      },
    ),
  ),
  weights: Type.Optional(
    Type.Record(Type.String(), Type.Record(Type.String(), Nullable(Type.Number())), {
      description: `Percent of the value by ${CLASSES.join(", ")}; holdings that are no companies count by their type.`,
    }),
  ),
  performance: Type.Optional(
    Type.Object(
      {
        from_session: DateOutput("The last one at or before the start date."),
        to_session: DateOutput("The last one of the period."),
        return: FigureOutput("End value / start value − 1."),
        total_return: FigureOutput("With dividends reinvested; null if some are unknown."),
        start_value: Type.Optional(FigureOutput("Null for weights alone.")),
        end_value: Type.Optional(FigureOutput("Without dividends.")),
      },
      {
        description:
          "Returns in percent: shares are held from start to end, weights and amounts are bought at the start. Figures at the newest prices take weights and amounts as written. No fees, taxes or interest.",
      },
    ),
  ),
  risk: Type.Optional(
    Type.Object(
      {
        volatility: FigureOutput(
          "Standard deviation of daily returns × √252 (with cryptocurrencies √365).",
        ),
        max_drawdown: FigureOutput("Deepest fall of the value."),
        peak_session: Nullable(DateOutput("Session of the highest value before the fall.")),
        trough_session: Nullable(DateOutput("Session of the lowest value.")),
        recovered_session: Nullable(DateOutput("First session back at the peak; null if not yet.")),
        benchmark: Nullable(Type.String({ description: "Symbol: US:^GSPC." })),
        benchmark_return: FigureOutput("Of prices, in this period and currency."),
        beta: FigureOutput("Of daily returns on common sessions."),
        correlation: FigureOutput("Of daily returns on common sessions, −1 to 1."),
      },
      {
        description:
          "Volatility and drawdown in percent, by the value on each session of any holding; the others keep their last close.",
      },
    ),
  ),
  income: Type.Optional(
    Type.Object({
      last_12_months: FigureOutput(
        "Dividends with an ex-date in the last 12 months, at its rate; null for weights alone, or if some are unknown.",
      ),
      yield: FigureOutput("Yields of the holdings, weighted by value."),
    }),
  ),
  income_by_month: Type.Optional(
    Type.Object(
      {
        ...TableOutput,
        without: Type.Array(Type.String(), {
          description: "Holdings whose dividends are not known, which are left out.",
        }),
      },
      {
        description:
          "Dividends by month of the ex-date: paid in the last 12 months at the rate of the ex-date, expected in the next 12 months at the newest rate. Expected are announced dividends, else the dividend of the same month a year before. Null for weights alone.",
      },
    ),
  ),
  ratios: Type.Optional(
    Type.Object(
      {
        pe: FigureOutput("Value / its part of the earnings, losses included: harmonic mean."),
        pb: FigureOutput("Value / its part of the book values."),
        gross_margin: Type.Optional(FigureOutput("As net_margin, of gross profits.")),
        operating_margin: Type.Optional(FigureOutput("As net_margin, of operating incomes.")),
        net_margin: FigureOutput("Its part of net incomes / of revenues."),
        coverage: FigureOutput("Part of the value behind the ratio with the fewest figures."),
      },
      {
        description:
          "Of companies held long, as one company at the newest values: TTM, pb MRQ, margins in percent.",
      },
    ),
  ),
  next: Type.Optional(
    Type.Object(
      {
        ...TableOutput,
        total: Type.Integer({ description: "Number of known events; parts=next lists all." }),
        unknown: Type.Integer({
          description: "Number of companies whose report date is not known.",
        }),
        without_date: Type.Optional(
          Type.Array(Type.String(), { description: "These companies, with parts=next." }),
        ),
      },
      { description: "Next reports and ex-dividend dates, soonest first." },
    ),
  ),
  rates: Type.Optional(RatesOutput),
  course: Type.Optional(
    Type.Object(TableOutput, {
      description:
        "Value over the period, and what the value at the start would be in the benchmark: at most 131 sessions. For weights alone both begin at 100.",
    }),
  ),
  notes: Type.Optional(
    Type.Array(Type.String({ description: "What was assumed; why a figure is null." })),
  ),
});

export const analyzePortfolio = defineOperation({
  name: "analyze_portfolio",
  set: "prices",
  title: "Portfolio analysis",
  description:
    "Analyzes a portfolio: weights, sums by country and sector, returns with contributions, risk, income, ratios, next events. For symbols without amounts use compare_stocks.",
  path: "/data/portfolio",
  notRewound: COMPANY_FACTS,
  input,
  output,
  tableArguments: { columns: "all", parts: "all" },
  table: (data) => withTotals(data),
  needs({ holdings, currency, benchmark }) {
    const all = parseHoldings(holdings);
    const symbols = all.filter((one) => !isCash(one)).map(({ symbol }) => symbol);
    const list = [...symbols, ...(benchmark === undefined ? [] : [benchmark])].join(",");
    const currencies = CURRENCIES.filter((code) =>
      all.some(
        ({ symbol, unit, costCurrency }) =>
          unit === code || costCurrency === code || symbol === `CASH:${code}`,
      ),
    );
    const needs = [
      ...symbolListNeeds(list, ["quotes", "bars", "statements", "dividends"]),
      ...countryNeeds(["earningsDates"], "US").map((need) => ({
        ...need,
        optional: true as const,
      })),
      ...[currency, ...currencies].flatMap((code) => rateNeeds(code)),
    ];
    return [...new Map(needs.map((need) => [JSON.stringify(need), need])).values()];
  },
  async handle(args, { market, now }) {
    checkRange(args.range, args.from, args.to);
    if (args.to !== undefined && args.to > addDays(dateOf(now), 1))
      throw invalidArgument(`to must not be in the future: ${args.to}.`, { param: "to" });
    const portfolio = await analyze(market, args, now);
    const byDefault =
      args.currency === undefined ? DEFAULT_PARTS : [...DEFAULT_PARTS, "rates" as const];
    const parts = listed(args.parts, PARTS, byDefault).filter(
      // A hundred rows come only by name.
      (part) => part !== "course" || args.parts?.split(",").includes("course") === true,
    );
    const columns = columnsOf(portfolio, args.columns);
    const shown: readonly HoldingColumn[] = columns.includes("symbol")
      ? columns
      : ["symbol", ...columns];
    return {
      data: {
        currency: portfolio.currency,
        value: portfolio.value,
        session: portfolio.session,
        columns: [...shown],
        rows: portfolio.holdings.map((one) => shown.map((name) => one[name])),
        ...(portfolio.gain && { gain: portfolio.gain }),
        ...partsOf(portfolio, parts, args.parts !== undefined),
        ...(portfolio.notes.length > 0 && { notes: [...portfolio.notes] }),
      },
      from: portfolio.from,
      why: portfolio.why,
    };
  },
});

/** The columns of an answer. Without a price paid, only their names ask for cost and gain. */
function columnsOf({ value, gain }: Portfolio, asked: string | undefined) {
  const byDefault = DEFAULT_COLUMNS.filter((name) => value !== null || name !== "value");
  const paid = gain ? COST_COLUMNS : [];
  const listedColumns = listed(asked, HOLDING_COLUMNS, [...byDefault, ...paid]);
  const isAll = asked?.split(",").includes("all") === true;
  return isAll && !gain
    ? listedColumns.filter((name) => !COST_COLUMNS.includes(name))
    : listedColumns;
}

/** The values of a list argument; all of them for `all`. */
function listed<T extends string>(
  text: string | undefined,
  all: readonly T[],
  byDefault: readonly T[],
): readonly T[] {
  if (text === undefined) return byDefault;
  const names = text.split(",");
  return names.includes("all") ? all : all.filter((one) => names.includes(one));
}

/** The parts: those that are asked for as a whole, by default without their less usual figures. */
function partsOf({ groups, next, ...all }: Portfolio, parts: readonly Part[], isAsked: boolean) {
  const { from_session, to_session, return: price, total_return } = all.performance;
  const { pe, pb, net_margin, coverage } = all.ratios;
  const rows = next.rows.map((row) => [...row]);
  const events = {
    columns: [...next.columns],
    rows,
    total: rows.length,
    unknown: next.withoutDate.length,
  };
  const short = {
    performance: { from_session, to_session, return: price, total_return },
    ratios: { pe, pb, net_margin, coverage },
    next: { ...events, rows: rows.slice(0, DEFAULT_EVENTS) },
  };
  const whole = { ...all, next: { ...events, without_date: [...next.withoutDate] } };
  const known: Partial<Record<Part, unknown>> = isAsked ? whole : { ...whole, ...short };
  const classes = CLASSES.filter((part) => parts.includes(part));
  const others = parts.filter((part) => !(CLASSES as readonly Part[]).includes(part));
  return {
    ...(classes.length > 0 && {
      weights: Object.fromEntries(classes.map((part) => [part, groups[part]])),
    }),
    ...(Object.fromEntries(others.map((part) => [part, known[part]])) as Partial<
      Omit<typeof whole, "gain">
    >),
  };
}

/** The holdings, then a row `PORTFOLIO` with the figures of the whole, for CSV. */
function withTotals(data: Static<typeof output>): { columns: string[]; rows: Cell[][] } {
  const { performance, risk, income, ratios } = data;
  const rates = rateColumns(data.rates ?? []);
  const whole: Record<string, Cell | undefined> = {
    symbol: "PORTFOLIO",
    value: data.value,
    weight: 100,
    currency: data.currency,
    ...performance,
    contribution: performance?.return,
    total_contribution: performance?.total_return,
    start_weight: 100,
    end_weight: 100,
    risk_share: risk?.volatility ? 100 : null,
    cost: data.gain?.cost,
    gain: data.gain?.gain,
    gain_percent: data.gain?.gain_percent,
    income: income?.last_12_months,
    yield: income?.yield,
    ...risk,
    ...ratios,
  };
  const added = Object.keys({ ...performance, ...risk, ...ratios }).filter(
    (name) => !data.columns.includes(name),
  );
  const names = [...data.columns, ...added];
  return {
    columns: [...names, ...rates.columns],
    rows: [
      ...data.rows.map((row) => [...row, ...added.map(() => null), ...rates.values]),
      [...names.map((name) => whole[name] ?? null), ...rates.values],
    ],
  };
}
