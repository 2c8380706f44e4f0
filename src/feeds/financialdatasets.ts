import { COUNTRIES } from "#domain/country.ts";
import { invalidArgument, notFound } from "#domain/errors.ts";
import { dateOf } from "#lib/date.ts";
import type { Cell } from "#lib/table.ts";
import {
  type Figures,
  findQuarter,
  getFigures,
  listPeriods,
  MAX_PERIODS,
  ratioOf,
  type StatementType,
} from "./company.ts";
import { type FeedBody, type FeedLayer, type FeedRequest, jsonBody, statusText } from "./layer.ts";
import { writeSymbol } from "./notation.ts";
import {
  BALANCE,
  CASH_FLOW,
  INCOME,
  LINE_ITEMS,
  METRICS,
  type Names,
  type Source,
} from "./financialdatasets-names.ts";
import {
  changeOf,
  type FeedInstrument,
  findType,
  getParameter,
  getShare,
  listBars,
  mapFound,
  orEmpty,
  orNone,
  pricesByDate,
  readDate,
  readLimit,
  textOf,
} from "./request.ts";

const INTERVALS: ReadonlyMap<string, string> = new Map([
  ["day", "1d"],
  ["week", "1wk"],
  ["month", "1mo"],
]);
const PERIODS = ["ttm", "annual", "quarterly"] as const;
type Period = (typeof PERIODS)[number];
const MAX_TICKERS = 10;

/** Financial Datasets' prices, statements and metrics. */
export const financialdatasets: FeedLayer = {
  name: "financialdatasets",
  title: "programs that read Financial Datasets: ai-hedge-fund",
  routes: {
    "/prices": answerPrices,
    "/prices/snapshot": answerSnapshot,
    "/financial-metrics": answerMetrics,
    "/financial-metrics/snapshot": answerMetricsSnapshot,
    "/financials/income-statements": (request) =>
      answerStatements(request, "income_statements", ["income"], INCOME),
    "/financials/balance-sheets": (request) =>
      answerStatements(request, "balance_sheets", ["balance"], BALANCE),
    "/financials/cash-flow-statements": (request) =>
      answerStatements(request, "cash_flow_statements", ["cashflow", "income"], CASH_FLOW),
    "/company/facts": answerFacts,
    "/earnings": answerEarnings,
    "/news": refuseNews,
    "/insider-trades": refuseNews,
    "/filings": refuseNews,
  },
  posts: { "/financials/search/line-items": answerLineItems },
  names: { symbols: ["ticker"], symbol: ["ticker"], from: ["start_date"], to: ["end_date"] },
  // Its clients retry 429, and take 404 as no data.
  fail: ({ message }, status) => jsonBody({ error: statusText(status), message }),
};

/** What a request for periods says. */
interface Asked {
  readonly period: Period;
  readonly limit: number;
  /** Only what was filed by this day. */
  readonly filedBy: string | null;
  /** Only periods that end by this day. */
  readonly endsBy: string | null;
}

/** A period of a company: figures by our column, or for the trailing twelve months by metric. */
interface Row {
  readonly figures: Figures;
  readonly isNewest: boolean;
  /** False if the newest price, and dividends until today, are later than the request allows. */
  readonly hasPrice: boolean;
  readonly period: Period;
}

async function getTicker({ call }: FeedRequest, written: string) {
  const instrument = await getShare(call, written);
  const type = await findType(call, instrument);
  return { instrument, ticker: writeSymbol("financialdatasets", { ...instrument, type }) };
}

/** Bars, adjusted for splits. */
async function answerPrices(request: FeedRequest): Promise<FeedBody> {
  const { query, call } = request;
  const interval = INTERVALS.get(query.get("interval") || "day");
  if (interval === undefined || (query.get("interval_multiplier") || "1") !== "1") {
    throw invalidArgument(
      "interval must be day, week or month and interval_multiplier 1; there are no intraday bars.",
    );
  }
  const limit = readLimit(query, "limit", 100_000, 100_000);
  const { instrument, ticker } = await getTicker(request, getParameter(query, "ticker"));
  const args = {
    from: getParameter(query, "start_date"),
    to: query.get("end_date") || undefined,
    interval,
  };
  const list = async () => [...pricesByDate(await listBars(call, instrument, args))];
  const bars = (await orEmpty(list())).slice(0, limit);
  const prices = bars.map(([date, { open, close, high, low, volume }]) => ({
    ticker,
    open,
    close,
    high,
    low,
    volume,
    ...timeOf(date),
  }));
  return jsonBody({ ticker, prices });
}

/** The day of a session, which is midnight UTC for every country, so that clients read the exchange's date. */
const timeOf = (date: string) => ({
  time: `${date}T00:00:00Z`,
  time_milliseconds: Date.parse(date),
});

async function answerSnapshot(request: FeedRequest): Promise<FeedBody> {
  const { query, call } = request;
  const { instrument, ticker } = await getTicker(request, getParameter(query, "ticker"));
  // One answer, because the newest price can be of a session that has no bar yet.
  const figures = await getFigures(call, instrument, ["price", "change_percent", "market_cap"]);
  const [price, session] = [figures.get("price"), figures.get("to_session")];
  if (typeof price !== "number" || typeof session !== "string") {
    throw notFound(`There is no price of ${ticker}.`);
  }
  const bars = [...pricesByDate(await listBars(call, instrument, { limit: 2 }))];
  const before = bars.findLast(([date]) => date < session)?.[1].close ?? null;
  const percent = figures.get("change_percent") ?? null;
  // Other sessions can be between the last bar and this price.
  const isNext = before !== null && Math.abs((price / before - 1) * 100 - Number(percent)) < 0.01;
  return jsonBody({
    snapshot: {
      ticker,
      price,
      day_change: isNext ? changeOf(price, before) : null,
      day_change_percent: percent,
      market_cap: figures.get("market_cap") ?? null,
      ...timeOf(session),
    },
  });
}

/** @throws BourseError for a period, limit or date that is none */
function readAsked(query: URLSearchParams, fallback: Period): Asked {
  const period = PERIODS.find((one) => one === (query.get("period") || fallback));
  if (!period) {
    throw invalidArgument(`period must be one of ${PERIODS.join(", ")}.`);
  }
  const limit = Math.min(readLimit(query, "limit", 10, 1_000), MAX_PERIODS);
  return {
    period,
    limit,
    filedBy: readDate(query, "filing_date_lte"),
    endsBy: readDate(query, "report_period_lte") ?? readDate(query, "end_date"),
  };
}

/**
 * Periods, newest first. The first row is the trailing twelve months;
 * older rows are fiscal years.
 */
async function listRows(
  { call, now }: FeedRequest,
  instrument: FeedInstrument,
  types: readonly StatementType[],
  names: Names,
  asked: Asked,
): Promise<Row[]> {
  const { period, limit, filedBy, endsBy } = asked;
  const today = dateOf(now);
  const known = filedBy !== null && filedBy < today ? { known_on: filedBy } : {};
  const span = period === "quarterly" ? "quarterly" : "annual";
  const periods = await listPeriods(call, instrument, types, { period: span, ...known });
  const isWithin = (figures: Figures) =>
    (endsBy === null || String(figures.get("period_end")) <= endsBy) &&
    (filedBy === null || String(figures.get("filing_date")) <= filedBy);
  const rows = periods
    .filter(isWithin)
    .map((figures): Row => ({ figures, isNewest: false, hasPrice: true, period }));
  if (period !== "ttm") return rows.slice(0, limit);
  const newest = await findTrailing(call, instrument, names, periods);
  if (!newest || !isWithin(newest)) return rows.slice(0, limit);
  const session = String(newest.get("to_session"));
  const hasPrice = [filedBy, endsBy].every((bound) => bound === null || bound >= session);
  const ends = newest.get("period_end");
  const others = rows.filter(({ figures }) => figures.get("period_end") !== ends);
  return [{ figures: newest, isNewest: true, hasPrice, period }, ...others].slice(0, limit);
}

/** The metrics of the newest twelve months, with the end and filing of their period; null if that is unknown. */
async function findTrailing(
  call: FeedRequest["call"],
  instrument: FeedInstrument,
  names: Names,
  years: readonly Figures[],
): Promise<Figures | null> {
  const metrics = Object.values(names).flatMap((source) => source?.metric ?? []);
  const all = [...new Set([...metrics, "fiscal_period", "filing_date"])];
  const figures = await getFigures(call, instrument, all);
  const quarters = await listPeriods(call, instrument, ["income"], { period: "quarterly" });
  const label = labelOf(figures.get("fiscal_period")).replace("-FY", "-Q4");
  const last = [...quarters.slice(0, 1), ...years.slice(0, 1)].find(
    (one) => labelOf(one.get("fiscal_period")).replace("-FY", "-Q4") === label,
  );
  if (!last) return null;
  const head = ["period_end", "filing_date", "fiscal_period"].map((name): [string, Cell] => [
    name,
    last.get(name) ?? null,
  ]);
  return new Map([...figures, ...head, ["statement_currency", last.get("currency") ?? null]]);
}

/** A fiscal period as Financial Datasets writes it: `2026-Q3` for `Q3 2026`. */
function labelOf(written: Cell | undefined): string {
  return String(written).replace(/^(FY|Q\d) (\d{4})$/, "$2-$1");
}

/** A row of an answer with the named figures. */
function formatRow(ticker: string, row: Row, names: readonly string[], sources: Names) {
  const { figures, isNewest, hasPrice, period } = row;
  const valueOf = (source: Source | null | undefined): Cell => {
    const name = isNewest ? source?.metric : source?.column;
    if (!source || name === undefined) return null;
    if (isNewest && source.isPriced && !hasPrice) return null;
    const value = figures.get(name) ?? null;
    if (typeof value !== "number") return value;
    return source.isPercent ? ratioOf(value) : source.isOutflow && value !== 0 ? -value : value;
  };
  return {
    ticker,
    report_period: figures.get("period_end") ?? null,
    fiscal_period: labelOf(figures.get("fiscal_period")),
    period,
    currency: figures.get(isNewest ? "statement_currency" : "currency") ?? null,
    filing_date: figures.get("filing_date") ?? null,
    ...Object.fromEntries(
      names.map((name) => [name, Object.hasOwn(sources, name) ? valueOf(sources[name]) : null]),
    ),
  };
}

async function answerStatements(
  request: FeedRequest,
  key: string,
  types: readonly StatementType[],
  names: Names,
  fallback: Period = "annual",
): Promise<FeedBody> {
  const { query } = request;
  const { instrument, ticker } = await getTicker(request, getParameter(query, "ticker"));
  const rows = await listRows(request, instrument, types, names, readAsked(query, fallback));
  return jsonBody({ [key]: rows.map((row) => formatRow(ticker, row, Object.keys(names), names)) });
}

function answerMetrics(request: FeedRequest): Promise<FeedBody> {
  return answerStatements(request, "financial_metrics", ["ratios", "income"], METRICS, "ttm");
}

async function answerMetricsSnapshot(request: FeedRequest): Promise<FeedBody> {
  const { instrument, ticker } = await getTicker(request, getParameter(request.query, "ticker"));
  const asked: Asked = { period: "ttm", limit: 1, filedBy: null, endsBy: null };
  const [row] = await listRows(request, instrument, ["ratios", "income"], METRICS, asked);
  if (!row) throw notFound(`There are no metrics of ${ticker}.`);
  return jsonBody({ snapshot: formatRow(ticker, row, Object.keys(METRICS), METRICS) });
}

/** Named figures of several companies. An unknown name is null; an unknown company is left out if others are known. */
async function answerLineItems(request: FeedRequest): Promise<FeedBody> {
  const posted = (request.posted ?? {}) as Readonly<Record<string, unknown>>;
  const tickers = listText(posted["tickers"], "tickers", MAX_TICKERS);
  const items = listText(posted["line_items"], "line_items", 100);
  const query = new URLSearchParams();
  for (const name of ["period", "limit", "end_date", "filing_date_lte"]) {
    const value = posted[name];
    if (typeof value === "string" || typeof value === "number") query.set(name, String(value));
  }
  const asked = readAsked(query, "ttm");
  const types = ["income", "balance", "cashflow", "ratios"] as const;
  const results = await mapFound(tickers, async (written) => {
    const { instrument, ticker } = await getTicker(request, written);
    const rows = await listRows(request, instrument, types, LINE_ITEMS, asked);
    return rows.map((row) => formatRow(ticker, row, items, LINE_ITEMS));
  });
  return jsonBody({ search_results: results.flatMap((rows) => rows ?? []) });
}

function listText(value: unknown, name: string, max: number): string[] {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= max;
  if (isList && value.every((one) => typeof one === "string" && one !== "" && one.length <= 60))
    return value as string[];
  throw invalidArgument(`${name} must be a list of 1 to ${max} names.`, { param: name });
}

async function answerFacts(request: FeedRequest): Promise<FeedBody> {
  const { query, call } = request;
  const { instrument, ticker } = await getTicker(request, getParameter(query, "ticker"));
  const { country, symbol, name } = instrument;
  const { business_model: business } = await call("get_stock_overview", { country, symbol });
  const figures = await getFigures(call, instrument, ["market_cap"]);
  return jsonBody({
    company_facts: {
      ticker,
      name,
      cik: null,
      industry: textOf(business.industry),
      sector: textOf(business.sector),
      category: null,
      exchange: null,
      is_active: true,
      listing_date: null,
      location: COUNTRIES[country].name,
      market_cap: figures.get("market_cap") ?? null,
      number_of_employees: business.employees ?? null,
      sec_filings_url: null,
      sic_code: null,
      sic_industry: null,
      sic_sector: null,
      website_url: null,
      weighted_average_shares: null,
    },
  });
}

/** Reported quarters with the estimates that analysts had. */
async function answerEarnings(request: FeedRequest): Promise<FeedBody> {
  const { query, call } = request;
  const { instrument, ticker } = await getTicker(request, getParameter(query, "ticker"));
  const { country, symbol } = instrument;
  const names: Names = { ...BALANCE, ...CASH_FLOW, ...INCOME };
  const asked = { ...readAsked(query, "quarterly"), period: "quarterly" } as const;
  const types = ["income", "balance", "cashflow"] as const;
  const rows = await listRows(request, instrument, types, names, asked);
  const forecast = await orNone(
    call("get_stock_forecast", { country, symbol, limit: MAX_PERIODS }),
  );
  const surprises = forecast?.surprises ?? [];
  const earnings = rows.map((row) => {
    const shown = formatRow(ticker, row, EARNINGS, names);
    const { report_period: end, fiscal_period, currency, filing_date, ...head } = shown;
    const result = findQuarter(surprises, String(end));
    const [actual, estimate] = [result?.eps_actual ?? null, result?.eps_estimate ?? null];
    const figures = Object.fromEntries(
      EARNINGS.map((name) => [name, (shown as Readonly<Record<string, Cell>>)[name] ?? null]),
    );
    return {
      ticker: head.ticker,
      report_period: end,
      fiscal_period,
      currency,
      // Not the form of a filing: the operations do not name it.
      source_type: "statement",
      filing_date,
      quarterly: {
        ...figures,
        earnings_per_share: actual ?? row.figures.get("eps_diluted") ?? null,
        estimated_earnings_per_share: estimate,
        eps_surprise: actual === null || estimate === null ? null : surpriseOf(actual - estimate),
      },
    };
  });
  return jsonBody({ earnings });
}

/** The figures of a quarter in an answer about earnings. */
const EARNINGS =
  "revenue net_income gross_profit operating_income free_cash_flow weighted_average_shares_diluted total_debt total_assets total_liabilities shareholders_equity net_cash_flow_from_operations capital_expenditure net_cash_flow_from_investing net_cash_flow_from_financing".split(
    " ",
  );

function surpriseOf(difference: number): string {
  if (difference === 0) return "MEET";
  return difference > 0 ? "BEAT" : "MISS";
}

/** No data, which is 404 to its clients. */
function refuseNews(): Promise<FeedBody> {
  throw notFound("There are no news, insider trades and filings.");
}
