import type { Recipe } from "./recipe.ts";

const FEED = "<URL>/feed/<LINK>";
const QUOTES = `${FEED}/sheets/quotes.csv?symbols=AAPL,7203.T,FPT`;
const VALUE = `${FEED}/sheets/value?symbol=AAPL`;
const HISTORY = `${FEED}/sheets/history.csv?symbol=AAPL&range=5y`;
const pricesOf = (form: "ledger" | "beancount") =>
  `${FEED}/prices/prices.${form}?symbols=AAPL,7203.T,USD/JPY`;
const QUOTE = `${FEED}/twelvedata/quote?symbol=AAPL`;
const BARS = `${FEED}/udf/history?symbol=US:AAPL&countback=250`;
const EVENTS = `${FEED}/calendar/calendar.ics?tickers=AAPL,7203.T,FPT&importance=high`;
const NEWS = `${FEED}/calendar/calendar.atom?tickers=AAPL,7203.T,FPT&importance=high`;
/**
 * A line that saves a file. If the download or the check fails, the old file stays.
 *
 * @param check a command that fails if the file, its last argument, has no prices
 */
function save(url: string, path: string, check?: string): string {
  const fresh = path.replace(/\w+$/, "new");
  const steps = [`curl -fsS "${url}" -o ${fresh}`, check && `${check} ${fresh}`];
  return [...steps, `mv ${fresh} ${path}`].filter(Boolean).join(" && ");
}
const SAVE_LEDGER = save(pricesOf("ledger"), "prices.ledger", 'grep -q "^P "');
/** The whole history, adjusted for splits, newest first. */
const seriesOf = (symbol: string) =>
  `${FEED}/twelvedata/time_series?symbol=${symbol}&interval=1day&outputsize=5000`;

const SPREADSHEETS: readonly Recipe[] = [
  {
    program: "Google Sheets",
    group: "Spreadsheets",
    how: "Paste a formula into a cell. Its last argument says that decimals have a point, whatever the language of the sheet. Google's servers read the address, so it must be public.",
    isReadByServers: true,
    texts: [
      { label: "A table", text: `=IMPORTDATA("${QUOTES}"; ","; "en_US")` },
      { label: "One value", text: `=IMPORTDATA("${VALUE}&field=price"; ","; "en_US")` },
    ],
    proof: null,
  },
  {
    program: "Excel",
    group: "Spreadsheets",
    how: "Choose Data, From Web and enter the address of a table. If your decimals have a comma, as in Germany and Viet Nam, add &decimal=comma to the address. In Excel for Windows, a formula reads one value.",
    texts: [
      { label: "A table", text: QUOTES },
      { label: "One value", text: `=NUMBERVALUE(WEBSERVICE("${VALUE}&field=price"),".")` },
    ],
    proof: null,
  },
  {
    program: "LibreOffice Calc",
    group: "Spreadsheets",
    how: "Choose Sheet, External Links and enter the address of a table. In the dialog, choose the language English (USA) and the separator Comma: in German or Vietnamese, 0.236 would become 236. Or add &decimal=comma to the address, and choose your language and the separator Semicolon. A formula reads one value.",
    texts: [
      { label: "A table", text: QUOTES },
      { label: "One value", text: `=NUMBERVALUE(WEBSERVICE("${VALUE}&field=price");".")` },
    ],
    proof:
      "LibreOffice 7.4 opens the table from its address, in Vietnamese, German and French too.",
  },
];

const PORTFOLIOS: readonly Recipe[] = [
  {
    program: "Portfolio Performance",
    group: "Portfolios",
    how: "In a security, open Historical Quotes, choose the provider JSON and fill in these fields. The ticker symbol may be AAPL, 7203.T or HOSE:FPT. Prices are adjusted for splits.",
    texts: [
      { label: "Feed URL", text: seriesOf("{TICKER}") },
      { label: "Path to date", text: "$.values[*].datetime" },
      { label: "Path to close", text: "$.values[*].close" },
      { label: "Path to day's high", text: "$.values[*].high" },
      { label: "Path to day's low", text: "$.values[*].low" },
      { label: "Path to volume", text: "$.values[*].volume" },
    ],
    proof: "The npm package jsonpath-plus finds as many closes as dates by these paths.",
  },
  {
    program: "Ghostfolio",
    group: "Portfolios",
    how: "In Admin Control, add an asset profile with the data source MANUAL, and enter this as its scraper configuration. The second text fills in the history: GHOSTFOLIO is the address of Ghostfolio, GHOSTFOLIO_TOKEN its bearer token.",
    texts: [
      {
        label: "Scraper configuration",
        text: `{ "url": "${FEED}/twelvedata/price?symbol=AAPL", "selector": "$.price", "locale": "en-US", "mode": "instant" }`,
      },
      {
        label: "History",
        text: `curl -fsS "${seriesOf("AAPL")}" -o history.json \\
  && jq '{ marketData: [.values[] | { date: .datetime, marketPrice: (.close | tonumber) }] }' history.json > prices.json \\
  && curl -fsS -X POST "$GHOSTFOLIO/api/v1/market-data/MANUAL/AAPL" --data @prices.json \\
    -H "Authorization: Bearer $GHOSTFOLIO_TOKEN" -H "Content-Type: application/json"`,
      },
    ],
    proof:
      "The npm package jsonpath that Ghostfolio uses finds the price. The lines for the history post to a server that stands for Ghostfolio.",
  },
  {
    program: "Wealthfolio",
    group: "Portfolios",
    how: "In Settings, Market data, add a custom provider with one source for the latest price and one for the history, both with the format JSON.",
    texts: [
      { label: "Latest: URL", text: `${FEED}/twelvedata/quote?symbol={SYMBOL}` },
      { label: "Latest: price path", text: "$.close" },
      { label: "Latest: date path", text: "$.datetime" },
      { label: "Latest: currency path", text: "$.currency" },
      {
        label: "Historical: URL",
        text: `${seriesOf("{SYMBOL}")}&start_date={FROM}&end_date={TO}`,
      },
      { label: "Historical: price path", text: "$.values[*].close" },
      { label: "Historical: date path", text: "$.values[*].datetime" },
    ],
    proof: "The npm package jsonpath-plus finds prices and dates by these paths.",
  },
  {
    program: "Sure",
    group: "Portfolios",
    how: "Add these variables to the environment of Sure, and start it again.",
    texts: [
      {
        label: ".env",
        text: `SECURITIES_PROVIDERS=eodhd
EODHD_URL=<URL>/feed/eodhd
EODHD_API_KEY=<LINK>
EXCHANGE_RATE_PROVIDER=frankfurter
FRANKFURTER_URL=${FEED}/frankfurter/v2`,
      },
    ],
    proof: null,
  },
];

const LEDGERS: readonly Recipe[] = [
  {
    program: "GnuCash",
    group: "Ledgers",
    how: "GnuCash reads prices by Finance::Quote. Save the module and start GnuCash with these variables. Then choose the source bourse, under Unknown, for a security. GnuCash gets exchange rates from Alpha Vantage: if a book has several currencies and ALPHAVANTAGE_API_KEY is not set, it reads no prices at all.",
    texts: [
      {
        label: "Once",
        text: `mkdir -p ~/perl/Finance/Quote
${save("<URL>/clients/Bourse.pm", "~/perl/Finance/Quote/Bourse.pm")}`,
      },
      {
        label: "Start",
        text: `export PERL5LIB=~/perl FQ_LOAD_QUOTELET="-defaults Bourse"
export BOURSE_URL="<URL>" BOURSE_LINK="<LINK>"
export ALPHAVANTAGE_API_KEY="\${ALPHAVANTAGE_API_KEY:-none}"
gnucash`,
      },
    ],
    proof: "gnc-fq-dump and gnucash-cli of GnuCash 4.13 read prices with the module.",
  },
  {
    program: "beancount",
    group: "Ledgers",
    how: 'Save the prices beside your ledger, which has the line include "prices.beancount". A failed download leaves the old prices. Or save the module in a folder of PYTHONPATH: a commodity then has the line price: "JPY:bourse_price/7203.T", and bean-price fetches its prices. From a ledger, bean-price rounds prices to the decimals that the ledger usually has: 0.2417 becomes 0.24.',
    texts: [
      {
        label: "All prices",
        text: `${save(pricesOf("beancount"), "prices.beancount", "bean-check")}
bean-check ledger.beancount`,
      },
      {
        label: "One price",
        text: `${save("<URL>/clients/bourse_price.py", "bourse_price.py")}
export PYTHONPATH=. BOURSE_URL="<URL>" BOURSE_LINK="<LINK>"
bean-price -e USD:bourse_price/AAPL`,
      },
    ],
    proof: "These lines run with beancount 2.3.5.",
  },
  {
    program: "hledger",
    group: "Ledgers",
    how: "Save the prices, and value your journal with them. A failed download leaves the old prices. A comment in the file names each symbol that has none.",
    texts: [
      {
        label: null,
        text: `${SAVE_LEDGER}
hledger -f journal.ledger -f prices.ledger balance --value=now,USD`,
      },
    ],
    proof: "These lines run with hledger 1.25.",
  },
  {
    program: "ledger",
    group: "Ledgers",
    how: "Save the prices, and value your journal with them. A failed download leaves the old prices. A comment in the file names each symbol that has none.",
    texts: [
      {
        label: null,
        text: `${SAVE_LEDGER}
ledger -f journal.ledger --price-db prices.ledger balance --exchange USD`,
      },
    ],
    proof: "These lines run with ledger 3.3.",
  },
];

/** KMyMoney reads prices by the module that GnuCash reads. */
const KMYMONEY: Recipe = {
  program: "KMyMoney",
  group: "Ledgers",
  how: "KMyMoney reads prices by Finance::Quote too. Save the module as for GnuCash, and start KMyMoney with these variables. Then choose the source Finance::Quote bourse for a security.",
  texts: [
    {
      label: null,
      text: `export PERL5LIB=~/perl FQ_LOAD_QUOTELET="-defaults Bourse"
export BOURSE_URL="<URL>" BOURSE_LINK="<LINK>"
kmymoney`,
    },
  ],
  proof: "The script financequote.pl of KMyMoney 5.1.3 reads prices with the module, run by hand.",
  untried: "KMyMoney itself was not run.",
};

const CODE: readonly Recipe[] = [
  {
    program: "pandas",
    group: "Code",
    how: "Prices are adjusted for splits; adjust=total adds reinvested dividends.",
    texts: [
      {
        label: null,
        text: `import pandas as pd

prices = pd.read_csv(
    "${HISTORY}",
    index_col="date",
    parse_dates=True,
)
print(prices["close"].pct_change().std() * 252**0.5)`,
      },
    ],
    proof: "It runs with pandas 1.5.",
  },
  {
    program: "yfinance",
    group: "Code",
    how: "Save the module beside your script, and import it instead of yfinance. It has the names and shapes of yfinance.",
    texts: [
      {
        label: null,
        text: `${save("<URL>/clients/bourse.py", "bourse.py")}
export BOURSE_URL="<URL>" BOURSE_TOKEN="<TOKEN>"
python3 -c 'import bourse as yf; print(yf.Ticker("AAPL").history(period="1y")["Close"].iloc[-1])'`,
      },
    ],
    proof: "These lines run with pandas 1.5.",
  },
  {
    program: "R",
    group: "Code",
    how: "The columns have the names that quantmod knows.",
    texts: [
      {
        label: null,
        text: `prices <- read.csv("${HISTORY}")
AAPL <- xts::xts(prices[, -1], order.by = as.Date(prices$date))
print(tail(quantmod::dailyReturn(quantmod::Cl(AAPL))))`,
      },
    ],
    proof: "It runs with R 4.2 and quantmod 0.4.20.",
  },
  {
    program: "DuckDB",
    group: "Code",
    how: "The extension httpfs reads the address.",
    texts: [
      {
        label: null,
        text: `INSTALL httpfs;
LOAD httpfs;
FROM read_csv('${HISTORY}')
SELECT year(date) AS year, min(low) AS low, max(high) AS high
GROUP BY ALL ORDER BY ALL;`,
      },
    ],
    proof: "The query runs with DuckDB 1.5 on a saved file.",
    untried: "The extension could not be installed here.",
  },
  {
    program: "yahoo-finance2",
    group: "Code",
    how: "The package calls the feed instead of Yahoo. It reads charts, quotes, summaries and the search. The README of the feeds lists the modules.",
    texts: [
      {
        label: null,
        text: `import YahooFinance from "yahoo-finance2";

const base = "${FEED}/yahoo";
const yahoo = new YahooFinance({
  fetch: (url, init) => fetch(String(url).replace(/^https:\\/\\/[^/]+/, base), init),
});
console.log((await yahoo.chart("AAPL", { period1: "2026-01-01" })).quotes.length);
console.log((await yahoo.quote("AAPL")).regularMarketPrice);`,
      },
    ],
    proof: "It runs with yahoo-finance2 4.0.",
  },
  {
    program: "@polygon.io/client-js",
    group: "Code",
    how: "The package calls the feed instead of Polygon. The README of the feeds lists the calls.",
    texts: [
      {
        label: null,
        text: `import { restClient } from "@polygon.io/client-js";

const rest = restClient("<LINK>", "<URL>/feed/massive");
const { results } = await rest.getStocksAggregates("AAPL", 1, "day", "2026-01-01", "2026-11-18");
console.log(results.length);`,
      },
    ],
    proof: "It runs with @polygon.io/client-js 8.2.",
  },
  {
    program: "Finance::QuoteHist",
    group: "Code",
    how: "The lines before the call send its requests to the feed instead of Yahoo.",
    texts: [
      {
        label: null,
        text: `use Finance::QuoteHist::Yahoo;

my $base = '${FEED}/yahoo';
{
  no warnings 'redefine';
  my $send = \\&LWP::UserAgent::request;
  *LWP::UserAgent::request = sub {
    my ($agent, $request, @more) = @_;
    $request->uri($request->uri =~ s{^https://[^/]+}{$base}r);
    return $agent->$send($request, @more);
  };
}
my $history = Finance::QuoteHist::Yahoo->new(
  symbols => ['AAPL'], start_date => '2026-11-02', end_date => '2026-11-18');
print join(',', @$_), "\\n" for $history->quotes;`,
      },
    ],
    proof: "It runs with Finance::QuoteHist 1.32.",
  },
];

const AUTOMATION: readonly Recipe[] = [
  {
    program: "Home Assistant",
    group: "Dashboards and automation",
    how: "Add this to configuration.yaml, and restart Home Assistant.",
    texts: [
      {
        label: "configuration.yaml",
        text: `rest:
  - resource: "${QUOTE}"
    scan_interval: 900
    sensor:
      - name: Apple
        unique_id: bourse_aapl
        value_template: "{{ value_json.close | float }}"
        unit_of_measurement: USD`,
      },
    ],
    proof: "The template runs with Jinja 3.1 on the answer.",
    untried: "Home Assistant itself was not run.",
  },
  {
    program: "Grafana",
    group: "Dashboards and automation",
    how: "With the data source Infinity, add a query of type CSV and format Time series. Add the column date as Time and the column close as Number.",
    texts: [{ label: "URL", text: HISTORY }],
    proof: null,
  },
  {
    program: "Node-RED",
    group: "Dashboards and automation",
    how: "Choose Import in the menu and paste this flow. It reads the quote each quarter of an hour.",
    texts: [
      {
        label: null,
        text: JSON.stringify([
          {
            id: "bourse-1",
            type: "inject",
            name: "",
            props: [],
            repeat: "900",
            once: true,
            wires: [["bourse-2"]],
          },
          {
            id: "bourse-2",
            type: "http request",
            name: "Quote",
            method: "GET",
            ret: "obj",
            url: QUOTE,
            wires: [["bourse-3"]],
          },
          { id: "bourse-3", type: "debug", name: "", complete: "payload", wires: [] },
        ]),
      },
    ],
    proof: "The flow runs in Node-RED 4.1, run by hand.",
  },
  {
    program: "n8n",
    group: "Dashboards and automation",
    how: "Paste this into the canvas of a workflow.",
    texts: [
      {
        label: null,
        text: JSON.stringify({
          nodes: [
            {
              name: "Quote",
              type: "n8n-nodes-base.httpRequest",
              typeVersion: 4.2,
              position: [0, 0],
              parameters: { url: QUOTE },
            },
          ],
          connections: {},
        }),
      },
    ],
    proof: "The address of the node answers JSON.",
    untried: "n8n itself was not run.",
  },
  {
    program: "Prometheus",
    group: "Dashboards and automation",
    how: "Add this to scrape_configs in prometheus.yml. Prometheus shows a value for five minutes after its scrape, and last_over_time(bourse_price[1h]) for longer.",
    texts: [
      {
        label: "prometheus.yml",
        text: `  - job_name: markets
    scrape_interval: 15m
    metrics_path: /feed/<LINK>/metrics
    params: { symbols: ["AAPL,7203.T,FPT"] }
    static_configs: [{ targets: ["<URL>"] }]
    relabel_configs:
      - { source_labels: [__address__], regex: "(.+)://.+", target_label: __scheme__ }
      - { source_labels: [__address__], regex: ".+://(.+)", target_label: __address__ }`,
      },
    ],
    proof: "Prometheus 2.42 scrapes the figures with this job.",
  },
  {
    program: "Homepage",
    group: "Dashboards and automation",
    how: "Add this to services.yaml. The format float keeps the decimals.",
    texts: [
      {
        label: "services.yaml",
        text: `- Markets:
    - Apple:
        widget:
          type: customapi
          url: ${QUOTE}
          refreshInterval: 900000
          mappings:
            - { field: close, label: Price, format: float }
            - { field: percent_change, label: Change, format: float, suffix: "%" }`,
      },
    ],
    proof: "The address answers JSON with these fields.",
    untried: "Homepage itself was not run.",
  },
  {
    program: "Glance",
    group: "Dashboards and automation",
    how: "Add this widget to a column in glance.yml.",
    texts: [
      {
        label: "glance.yml",
        text: `- type: custom-api
  title: Markets
  cache: 15m
  url: ${QUOTE}
  template: |
    <p>{{ .JSON.String "name" }} {{ .JSON.String "close" }} {{ .JSON.String "percent_change" }} %</p>`,
      },
    ],
    proof: "The address answers JSON with these fields.",
    untried: "Glance itself was not run.",
  },
  {
    program: "MagicMirror",
    group: "Dashboards and automation",
    how: "Add these modules to config.js. They are part of MagicMirror.",
    texts: [
      {
        label: "config.js",
        text: `{
  module: "calendar",
  position: "top_left",
  config: { calendars: [{ url: "${EVENTS}" }] },
},
{
  module: "newsfeed",
  position: "bottom_bar",
  config: { feeds: [{ title: "Markets", url: "${NEWS}" }] },
},`,
      },
    ],
    proof:
      "The packages that these modules use, node-ical 0.26 and feedme 2.0, read both addresses.",
    untried: "MagicMirror itself was not run.",
  },
  {
    program: "curl",
    group: "Dashboards and automation",
    how: "Run this in a terminal.",
    texts: [{ label: null, text: `curl "${QUOTES}"` }],
    proof: "It runs.",
  },
];

const CHARTS: readonly Recipe[] = [
  {
    program: "OpenBB Workspace",
    group: "Charts and calendars",
    how: "Choose Connect backend, and enter this address. The app bourse then has all widgets.",
    texts: [{ label: "Endpoint URL", text: `${FEED}/openbb` }],
    proof: "The answers have the keys and values of OpenBB's published examples.",
    untried: "The workspace itself was not run.",
  },
  {
    program: "TradingView charting library",
    group: "Charts and calendars",
    how: "Give the library this datafeed. Its file datafeeds/udf/dist/bundle.js has the class.",
    texts: [
      {
        label: null,
        text: `new TradingView.widget({
  container: "chart",
  library_path: "/charting_library/",
  symbol: "US:AAPL",
  interval: "1D",
  datafeed: new Datafeeds.UDFCompatibleDatafeed("${FEED}/udf"),
});`,
      },
    ],
    proof: "The library's own UDF client reads the feed.",
    untried: "The library itself was not run.",
  },
  {
    program: "Calendars",
    group: "Charts and calendars",
    how: "Subscribe to this address: in Google Calendar with From URL, in Apple Calendar with New Calendar Subscription, in Outlook with Subscribe from web, in Thunderbird with New Calendar, On the Network. Google's and Microsoft's servers read the address, so it must be public for them.",
    isReadByServers: true,
    texts: [{ label: null, text: EVENTS }],
    proof: "khal 0.10, icalendar 4.0 and vobject 0.9 read it.",
    untried: "The calendars that are named were not run.",
  },
  {
    program: "News readers",
    group: "Charts and calendars",
    how: "Subscribe to this address. It has publications, reports and dividends when they happened, with their figures.",
    texts: [{ label: null, text: NEWS }],
    proof: "feedsmith 3.0, rss-parser 3.13 and feedme 2.0 read it.",
    untried: "No news reader was run.",
  },
  {
    program: "Vega-Lite",
    group: "Charts and calendars",
    how: "Embed this specification with vega-embed.",
    texts: [
      {
        label: null,
        text: `{
  "data": { "url": "${HISTORY}", "format": { "type": "csv" } },
  "mark": "line",
  "encoding": {
    "x": { "field": "date", "type": "temporal" },
    "y": { "field": "close", "type": "quantitative", "scale": { "zero": false } }
  }
}`,
      },
    ],
    proof: "Vega 6.4 and Vega-Lite 6.4 draw it.",
  },
  {
    program: "ECharts",
    group: "Charts and calendars",
    how: "The element with the id chart needs a width and a height.",
    texts: [
      {
        label: null,
        text: `const { t, o, h, l, c } = await (await fetch("${BARS}")).json();
echarts.init(document.getElementById("chart")).setOption({
  xAxis: { data: t.map((second) => new Date(second * 1000).toISOString().slice(0, 10)) },
  yAxis: { scale: true },
  series: [{ type: "candlestick", data: t.map((_, i) => [o[i], c[i], l[i], h[i]]) }],
});`,
      },
    ],
    proof: "ECharts 6.1 draws these options as SVG.",
    untried: "It was not run in a browser.",
  },
  {
    program: "KLineChart",
    group: "Charts and calendars",
    how: "The element with the id chart needs a width and a height.",
    texts: [
      {
        label: null,
        text: `const chart = klinecharts.init("chart");
chart.setSymbol({ ticker: "US:AAPL", pricePrecision: 2, volumePrecision: 0 });
chart.setPeriod({ type: "day", span: 1 });
chart.setDataLoader({
  getBars: async ({ callback }) => {
    const { t, o, h, l, c, v } = await (await fetch("${BARS}")).json();
    callback(t.map((second, i) => (
      { timestamp: second * 1000, open: o[i], high: h[i], low: l[i], close: c[i], volume: v[i] }
    )));
  },
});`,
      },
    ],
    proof: "KLineChart 10.0 loads the bars with jsdom, run by hand.",
    untried: "It was not run in a browser.",
  },
];

/** Agents that read prices and figures from a data vendor. Other agents use MCP. */
const AGENTS: readonly Recipe[] = [
  {
    program: "ai-hedge-fund",
    group: "Agents",
    how: "It reads Financial Datasets' interface. Set the key, and run the lines before the agents start. The feed has no news and no insider trades.",
    texts: [
      { label: "Environment", text: `export FINANCIAL_DATASETS_API_KEY="<LINK>"` },
      {
        label: "Python",
        text: `from hedge_fund.data.client import FDClient

FDClient.BASE_URL = "<URL>/feed/financialdatasets"`,
      },
    ],
    proof: "Its client reads the feed, where its source is given to the test.",
    untried: "The agents were not run.",
  },
  {
    program: "TradingAgents",
    group: "Agents",
    how: "It reads prices and fundamentals from Alpha Vantage's interface. Set the key, and run the lines before the graph is made.",
    texts: [
      { label: "Environment", text: `export ALPHA_VANTAGE_API_KEY="<LINK>"` },
      {
        label: "Python",
        text: `import tradingagents.dataflows.alpha_vantage_common as alpha_vantage
from tradingagents.default_config import DEFAULT_CONFIG

alpha_vantage.API_BASE_URL = "<URL>/feed/alphavantage/query"
for kind in ("core_stock_apis", "fundamental_data"):
    DEFAULT_CONFIG["data_vendors"][kind] = "alpha_vantage"`,
      },
    ],
    proof:
      "Its own functions for prices, fundamentals and statements read the feed after these lines, run by hand.",
    untried: "The agents were not run.",
  },
];

/** A recipe for each program that reads feeds, by group. */
export const FEED_RECIPES: readonly Recipe[] = [
  ...SPREADSHEETS,
  ...PORTFOLIOS,
  ...LEDGERS,
  KMYMONEY,
  ...CODE,
  ...AUTOMATION,
  ...CHARTS,
  ...AGENTS,
];
