# Everything there is of many tickers, one of them unknown; returns of months; a long table for a database.
import sqlite3

import pandas as pd
import yfinance as yf

yf.set_tz_cache_location("cache")
tickers = ["SPY", "^GSPC", "BTC-USD", "NOTTHERE"]
raw = yf.download(tickers, period="max", interval="1d", auto_adjust=False, group_by="ticker", threads=True,
                  progress=False, proxy=None, show_errors=False)
assert isinstance(raw.columns, pd.MultiIndex)
closes = {}
for ticker in tickers:
    frame = raw[ticker].dropna(how="all") if ticker in raw.columns.get_level_values(0) else pd.DataFrame()
    if not frame.empty:
        closes[ticker] = frame["Adj Close"]
assert list(closes) == ["SPY", "^GSPC", "BTC-USD"]
monthly = yf.download(["SPY", "^GSPC"], period="max", interval="1mo", progress=False)["Close"].pct_change().dropna()
print(monthly.mean() * 12)
long = yf.download(["AAPL", "MSFT"], start="2024-01-01", end="2024-03-01", progress=False).stack(level=1).reset_index()
assert set(long["Ticker"]) == {"AAPL", "MSFT"}
with sqlite3.connect(":memory:") as database:
    long.to_sql("history", database, index=False)
    count = database.execute("SELECT count(DISTINCT Date) FROM history").fetchone()[0]
assert count == len(long) / 2
print(long.tail(3))
