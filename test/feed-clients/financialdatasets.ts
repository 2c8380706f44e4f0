import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { resultOf, spawnChild } from "../support/child-process.ts";
import { startForPrograms } from "../support/program-service.ts";

// Not part of the suite: it needs Python with requests. The client of ai-hedge-fund is used if Python finds it
// (PYTHONPATH=ai-hedge-fund); otherwise a class that calls and retries as it does.

const { service, folder } = await startForPrograms();

const PROGRAM = `
import json, sys
import requests

class Refused(Exception):
    def __init__(self, status):
        self.status_code = status

class Client:
    """404 is no data, 429 is tried again, other errors are raised, and pages are followed."""
    def __init__(self, api_key):
        self.session = requests.Session()
        self.session.headers["X-API-Key"] = api_key
    def send(self, method, url, **kwargs):
        for delay in (*self._RETRY_DELAYS, None):
            response = self.session.request(method, url, timeout=30, **kwargs)
            if response.status_code == 429 and delay is not None:
                continue
            if response.status_code == 404:
                return None
            if response.status_code >= 400:
                raise Refused(response.status_code)
            return response.json()
    def read(self, path, key, **params):
        body = self.send("GET", self.BASE_URL + path, params=params)
        return [] if body is None else body[key]
    def get_prices(self, ticker, start, end):
        return self.read("/prices/", "prices", ticker=ticker, interval="day", interval_multiplier=1,
                         start_date=start, end_date=end)
    def get_financial_metrics(self, ticker, end, period="ttm", limit=10):
        return self.read("/financial-metrics/", "financial_metrics", ticker=ticker,
                         filing_date_lte=end, period=period, limit=limit)
    def get_company_facts(self, ticker):
        return self.read("/company/facts/", "company_facts", ticker=ticker) or None
    def get_earnings_history(self, ticker, limit=12):
        return self.read("/earnings/", "earnings", ticker=ticker, limit=limit)
    def get_news(self, ticker, end):
        return self.read("/news/", "news", ticker=ticker, end_date=end, limit=1000)
    def get_insider_trades(self, ticker, end):
        return self.read("/insider-trades/", "insider_trades", ticker=ticker, filing_date_lte=end, limit=1000)

try:
    from hedge_fund.data.client import FDClient as Client
    print("the client of ai-hedge-fund", file=sys.stderr)
except ImportError:
    print("a class that behaves as the client of ai-hedge-fund", file=sys.stderr)

base, key, method, args = sys.argv[1:]
Client.BASE_URL = base
Client._RETRY_DELAYS = (0, 0, 0)
try:
    if method == "line_items":
        answer = requests.post(base + "/financials/search/line-items", headers={"X-API-KEY": key}, json=json.loads(args)).json()
    else:
        answer = getattr(Client(key), method)(*json.loads(args))
    print(json.dumps(answer, default=lambda model: model.model_dump()))
except Exception as error:
    print(json.dumps({"status": getattr(error, "status_code", None), "message": str(error)}))
`;
const script = join(folder, "client.py");
await Bun.write(script, PROGRAM);

const python = ["python3", "/usr/bin/python3"].find(
  (one) => Bun.which(one) && Bun.spawnSync([one, "-c", "import requests"]).exitCode === 0,
);
if (!python) process.stderr.write("SKIPPED: Financial Datasets needs python3-requests.\n");

/** What called. */
const clients = new Set<string>();
afterAll(() =>
  process.stderr.write(`Financial Datasets was read by ${[...clients].join(", ")}.\n`),
);

async function call<T>(link: string, method: string, args: unknown): Promise<T> {
  const base = `${service.origin}/feed/financialdatasets`;
  const command = [python ?? "", script, base, link, method, JSON.stringify(args)];
  const child = spawnChild(command, { stdout: "pipe", stderr: "pipe" });
  const { stdout, stderr } = await resultOf(child);
  if (stdout === "") throw new Error(stderr);
  clients.add(stderr.trim());
  return JSON.parse(stdout) as T;
}

type Row = Readonly<Record<string, string | number | null>>;

describe.skipIf(!python)("the client of ai-hedge-fund", () => {
  const { link } = service.createFeedLink();

  test.each([
    ["AAPL", "US", "AAPL"],
    ["7203.T", "JP", "7203"],
    ["FPT.VN", "VN", "FPT"],
  ] as const)("reads the prices and metrics of %s", async (ticker, country, symbol) => {
    const rows = await call<Row[]>(link, "get_prices", [ticker, "2026-10-01", "2026-11-18"]);
    const instrument = service.market.instruments.find({ country, symbol });
    if (!instrument) throw new Error(`no ${symbol}`);
    const period = { from: "2026-10-01", before: "2026-11-19" };
    const { dates, close } = service.market.bars.series(instrument.id, 99, period);
    expect(rows.map((row) => String(row["time"]).slice(0, 10))).toEqual([...dates]);
    expect(rows.map((row) => row["close"])).toEqual([...close]);
    const [metrics] = await call<Row[]>(link, "get_financial_metrics", [ticker, "2026-11-20"]);
    expect(metrics).toMatchObject({ ticker, period: "ttm" });
    expect(Number(metrics?.["price_to_earnings_ratio"])).toBeGreaterThan(0);
  });

  test("reads facts, earnings and line items; there are no news and insider trades", async () => {
    expect(await call<Row>(link, "get_company_facts", ["AAPL"])).toMatchObject({
      ticker: "AAPL",
      name: "Apple Inc.",
    });
    const earnings = await call<{ quarterly: Row }[]>(link, "get_earnings_history", ["AAPL", 4]);
    expect(earnings.map(({ quarterly }) => quarterly["eps_surprise"])).toHaveLength(4);
    const items = { tickers: ["AAPL"], line_items: ["revenue"], end_date: "2026-11-20", limit: 2 };
    const { search_results: found } = await call<{ search_results: Row[] }>(link, "line_items", {
      ...items,
      period: "annual",
    });
    expect(found.map((row) => Number(row["revenue"]) > 0)).toEqual([true, true]);
    expect(await call<Row[]>(link, "get_news", ["AAPL", "2026-11-20"])).toEqual([]);
    expect(await call<Row[]>(link, "get_insider_trades", ["AAPL", "2026-11-20"])).toEqual([]);
  });

  test("takes an unknown symbol as no data, and raises a used-up quota and a revoked link", async () => {
    const prices = (token: string, ticker: string) =>
      call<object>(token, "get_prices", [ticker, "2026-10-01", "2026-11-18"]);
    expect(await prices(link, "NONE1")).toEqual([]);
    const free = service.createFeedLink("free");
    for (let i = 0; i < 30; i++) {
      await fetch(`${service.origin}/feed/${free.link}/financialdatasets/news?ticker=AAPL`);
    }
    expect(await prices(free.link, "AAPL")).toMatchObject({ status: 429 });
    service.accounts.revokeToken(free.id);
    expect(await prices(free.link, "AAPL")).toMatchObject({ status: 401 });
  });
});
