# Monthly and weekly bars of an index, a currency and a cryptocurrency; resampling of daily bars.
import yfinance as yf

nikkei = yf.Ticker("^N225").history(period="5y", interval="1mo")
by_month = nikkei["Close"].pct_change().groupby(nikkei.index.month).mean()
assert by_month.index.tolist() == list(range(1, 13))
print(by_month.round(4).to_dict())
weekly = yf.download("BTC-USD", period="1y", interval="1wk", progress=False)["Close"]
print(weekly.tail(2))
usd = yf.Ticker("JPY=X").history(period="3mo")["Close"]
toyota = yf.Ticker("7203.T").history(period="3mo")["Close"]
in_dollars = toyota.tz_localize(None) / usd.tz_localize(None)
assert in_dollars.notna().sum() > 40
daily = yf.Ticker("7203.T").history(start="2025-01-01", end="2026-01-01")
resampled = daily.resample("W-FRI").agg({"Open": "first", "High": "max", "Low": "min", "Close": "last", "Volume": "sum"})
print(resampled.dropna().tail(3), in_dollars.dropna().tail(2))
