import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { OPERATIONS } from "#operations/index.ts";
import { type Operation, type Route, routesOf } from "#operations/operation.ts";

/**
 * The contract's tools, top-down, with the paths of their routes. The list is fixed: the service may
 * have more operations, but never fewer.
 */
export const CONTRACT_OPERATIONS = [
  ["get_markets", "/data/markets"],
  ["list_symbols", "/data/symbols"],
  ["get_macro_indicators", "/data/macro/indicators"],
  ["get_macro_forecast", "/data/macro/forecast"],
  ["get_macro_calendar", "/data/macro/calendar"],
  ["get_sectors", "/data/sectors"],
  ["get_sector_overview", "/data/sectors/overview"],
  ["get_stock_overview", "/data/stocks/{symbol}/overview"],
  ["get_stock_statements", "/data/stocks/{symbol}/statements"],
  ["get_stock_technicals", "/data/stocks/{symbol}/technicals"],
  ["get_stock_forecast", "/data/stocks/{symbol}/forecast"],
  ["get_stock_price_history", "/data/stocks/{symbol}/history"],
  ["get_earnings_calendar", "/data/earnings/calendar"],
] as const;

/** One operation with arguments that succeed on the sample market and on the hand-made market. */
export interface Call {
  readonly title: string;
  readonly operation: Operation;
  /** True for the first call of the operation in its country. */
  readonly isDefault: boolean;
  readonly arguments: Readonly<Record<string, string | number | boolean>>;
}

/** True for the one call whose answer over REST is longer: prices of a US ticker without a period. */
export const isLongerOverRest = ({ operation, isDefault, arguments: { country } }: Call) =>
  operation.name === "get_stock_price_history" && isDefault && country === "US";

/** A stock, an index and a currency or fund of each country. */
export const SYMBOLS: Record<Country, { stock: string; other: string[] }> = {
  US: { stock: "AAPL", other: ["^GSPC", "SPY"] },
  JP: { stock: "7203", other: ["^N225"] },
  VN: { stock: "FPT", other: ["VNINDEX"] },
};

/**
 * Arguments beyond country and symbol. The first set is the default call; an operation that is not here is
 * called without any.
 */
const VARIANTS: Readonly<Record<string, readonly Call["arguments"][]>> = {
  list_symbols: [
    {},
    { type: "stock", sector: "technology", limit: 2 },
    { query: "a", limit: 100 },
    { queries: "bank,zzzyx motors" },
    { sort: "-market_cap", limit: 5 },
  ],
  get_macro_indicators: [
    {},
    { category: "prices" },
    { to: "2026-10-31" },
    { countries: "US,JP,VN", category: "prices" },
  ],
  get_macro_history: [
    { series: "Unemployment rate" },
    { series: "GDP growth YoY", from: "2025-02-15", to: "2026-03-31", revisions: true },
    { series: "Unemployment rate", countries: "US,JP,VN", limit: 12 },
  ],
  get_macro_forecast: [
    {},
    { categories: "gdp,prices" },
    { countries: "US,JP,VN", categories: "gdp" },
  ],
  get_macro_calendar: [
    {},
    { importance: "high,medium", limit: 200 },
    { from: "2026-11-16", to: "2026-11-25", importance: "high" },
  ],
  get_sectors: [{}, { sector: "energy" }, { columns: "pe_median,return_1y" }],
  get_sector_overview: [{}, { level: "industry" }, { level: "local_sector" }],
  screen_stocks: [
    {},
    { where: "pe<20,revenue_growth>0", sort: "-roe", metrics: "roe,beta", limit: 100 },
    { sort: "both:change_percent" },
    { where: "return_1y>0", metrics: "price,volatility,return_1y", currency: "EUR" },
    {
      where: "pe<pe_5y_median or pe<industry.pe_median,dividend_yield>0.5",
      metrics: "dividend_years_raised,next_ex_date,fiscal_period",
    },
    { exchange: "TSE Prime", metrics: "exchange,local_sector,pe" },
  ],
  compare_stocks: [
    { symbols: "US:AAPL,JP:7203,VN:FPT" },
    { symbols: "AAPL,^GSPC,JPY=X,NOPE", metrics: "all", currency: "USD" },
    { symbols: "US:AAPL,JP:7203", fiscal_year: 2025, currency: "USD" },
    { symbols: "US:AAPL,JP:7203", metrics: "exchange,local_sector,pe" },
    { symbols: "AAPL,JP:7203", metrics: "pe,pe_percentile_5y,total_return_5y", rank: true },
  ],
  get_stock_statements: [
    ...["income", "balance", "cashflow", "ratios"].map((type) => ({ type })),
    { type: "income", period: "annual" },
    { type: "ratios", period: "quarterly", limit: 8 },
    { type: "cashflow", period: "annual", figures: true },
    { type: "ratios", figures: true },
    { type: "income", period: "quarterly", figures: true, known_on: "2026-06-01" },
  ],
  get_stock_price_history: [
    {},
    { range: "1m" },
    { limit: 5 },
    { fields: "ohlcv", from: "2026-08-03", to: "2026-08-14" },
    { interval: "1wk", range: "10y", fields: "ohlcv", snapshot: false },
    { interval: "1mo", limit: 600, dividends: true },
    { range: "1m", currency: "EUR", row_rates: true, dividends: true },
  ],
  get_stock_technicals: [{}, { votes: true }],
  get_price_statistics: [
    { symbols: "US:AAPL,JP:7203,VN:FPT" },
    { symbols: "AAPL,^GSPC", range: "5y", dates: "2026-03-02,2020-01-01" },
    { symbols: "BTC-USD", from: "2026-01-01", to: "2026-06-30" },
    { symbols: "AAPL,^GSPC", range: "1y", worst_days: 5, best_days: 3 },
    { symbols: "US:AAPL,JP:7203", years: "2024-2026", months: "11", currency: "USD" },
    { symbols: "JP:7203,VNINDEX", interval: "1wk", columns: "volatility,beta", currency: "EUR" },
  ],
  analyze_portfolio: [
    { holdings: "AAPL=10,USD=1000" },
    { holdings: "AAPL=10,7203=100", parts: "income,income_by_month,course", currency: "USD" },
    { holdings: "US:AAPL=10,JP:7203=300,VN:FPT=5000" },
    { holdings: "US:AAPL=60%,JP:7203=20%,cash:JPY=10%", rebalance: "monthly", range: "3m" },
    { holdings: "AAPL=5000USD,USD=1000", columns: "all", parts: "all", benchmark: "AAPL" },
  ],
  get_metric_history: [
    { symbols: "AAPL,7203", period: "ttm" },
    {
      symbols: "AAPL,7203",
      period: "quarterly",
      metrics: "revenue_growth,net_margin,pe",
      limit: 8,
    },
    { symbols: "AAPL", metrics: "pe,roe,revenue", period: "ttm", limit: 2, currency: "JPY" },
    { symbols: "US:AAPL", known_on: "2026-06-01", period: "ttm", limit: 1 },
  ],
  check_figures: [
    { claims: "US:AAPL|revenue|400B USD;JP:7203|price|1,234;US|Unemployment rate|4.3%" },
    { claims: "AAPL|pe|35.1;NOPE|pe|1;AAPL|nope|1;US:AAPL|close|190|2026-08-14;VN:FPT|eps|x" },
  ],
  get_valuation_history: [
    {},
    { metric: "pe,pb,ps,ev_ebitda,dividend_yield", range: "3y" },
    { metric: "pb", from: "2025-01-01", to: "2026-06-30", interval: "1wk" },
    { symbols: "US:AAPL,JP:7203,NOPE", metric: "pe,pb", range: "1y" },
    { metric: "pe,pb", summary: true },
  ],
  get_stock_forecast: [
    {},
    { sections: "price_target,estimates" },
    { sections: "surprises", limit: 8 },
  ],
  get_earnings_calendar: [
    { tickers: "AAPL" },
    { tickers: "AAPL,MSFT,SPY,NOPE" },
    { from: "2027-01-11", to: "2027-01-31", limit: 5 },
    { from: "2026-07-01", to: "2026-08-31", limit: 5, table: true },
  ],
};

/**
 * Calls of all operations on the market, for every country if the operation takes a country. Those on the user's own
 * data are tested with users in test/operations/lists.test.ts.
 */
export const CALLS: readonly Call[] = OPERATIONS.filter(({ own }) => !own).flatMap((operation) => {
  const { input } = operation;
  const places = !("country" in input.properties)
    ? [{}]
    : COUNTRY_CODES.map((country) => ({
        country,
        ...("symbol" in input.properties && { symbol: SYMBOLS[country].stock }),
      }));
  return [
    ...("country" in input.properties && !input.required?.includes("country") ? [{}] : []),
    ...places,
  ].flatMap((place) =>
    (VARIANTS[operation.name] ?? [{}]).map((more, i) => {
      const args = { ...place, ...more };
      const missing = (input.required ?? []).filter((name) => !(name in args));
      if (missing.length > 0)
        throw new Error(
          `Calls of ${operation.name} need ${missing.join(", ")}: add them to VARIANTS in test/support/contract-calls.ts.`,
        );
      const title = `${operation.name} ${JSON.stringify(args)}`;
      return { title, operation, isDefault: i === 0, arguments: args };
    }),
  );
});

/** The path and query of a call over REST. */
export function restPath({
  operation,
  arguments: args,
}: Pick<Call, "operation" | "arguments">): string {
  const query = new URLSearchParams();
  const isImplied = ({ implied }: Route) =>
    implied !== undefined && Object.entries(implied).every(([name, value]) => args[name] === value);
  const route: Route = routesOf(operation).find(isImplied) ?? operation;
  let { path } = route;
  for (const [name, value] of Object.entries(args)) {
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (!Object.hasOwn(route.implied ?? {}, name)) query.set(name, String(value));
  }
  return query.size > 0 ? `${path}?${query.toString()}` : path;
}
