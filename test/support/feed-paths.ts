/** A path with figures below each feed. */
export const FEED_PATHS: Readonly<Record<string, string>> = {
  sheets: "quotes.csv?symbols=US:AAPL",
  prices: "prices.ledger?symbols=US:AAPL&range=1w",
  yahoo: "v8/finance/chart/AAPL?range=5d",
  udf: "config",
  tiingo: "tiingo/daily/AAPL",
  eodhd: "api/eod/AAPL.US?fmt=json",
  twelvedata: "quote?symbol=AAPL",
  frankfurter: "v1/latest",
  massive: "v2/aggs/ticker/AAPL/prev",
  alphavantage: "query?function=GLOBAL_QUOTE&symbol=AAPL",
  financialdatasets: "prices/snapshot/?ticker=AAPL",
  calendar: "calendar.ics?kinds=releases",
  "alerts.atom": "",
  metrics: "?symbols=US:AAPL",
  openbb: "quotes?symbols=US:AAPL",
};
