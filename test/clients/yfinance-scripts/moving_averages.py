# A crossover of moving averages, with the result of trading it.
import datetime as dt
import yfinance as yf

end = dt.datetime(2026, 11, 1)
start = end - dt.timedelta(days=365 * 3)
df = yf.download("AAPL", start=start, end=end, interval="1d", multi_level_index=False, progress=False)
df["SMA50"] = df["Close"].rolling(50).mean()
df["SMA200"] = df["Close"].rolling(window=200).mean()
df["Signal"] = (df["SMA50"] > df["SMA200"]).astype(int)
df["Strategy"] = df["Close"].pct_change() * df["Signal"].shift(1)
df.dropna(inplace=True)
assert len(df) > 400
assert df.index.max() < end
print(df[["Open", "High", "Low", "Close", "Volume", "SMA50", "SMA200"]].tail())
print("buy and hold", df["Close"].iloc[-1] / df["Close"].iloc[0] - 1, "strategy", (1 + df["Strategy"]).prod() - 1)
