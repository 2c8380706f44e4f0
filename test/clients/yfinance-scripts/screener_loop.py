# A loop over tickers, with a table at the end; unknown fields are skipped.
import pandas as pd
import yfinance as yf

rows = []
for symbol in ["AAPL", "MSFT", "NVDA", "JPM", "XOM"]:
    ticker = yf.Ticker(symbol)
    try:
        info = ticker.info
        hist = ticker.history(period="1y")
        rows.append({
            "Ticker": symbol,
            "Price": hist["Close"].iloc[-1],
            "P/E": info.get("trailingPE"),
            "ROE": info.get("returnOnEquity"),
            "52w change": hist["Close"].iloc[-1] / hist["Close"].iloc[0] - 1,
            "Above SMA200": hist["Close"].iloc[-1] > hist["Close"].rolling(200).mean().iloc[-1],
            "Free cash flow": info.get("freeCashflow"),
        })
    except Exception as error:
        raise SystemExit(f"{symbol}: {error}")
df = pd.DataFrame(rows).set_index("Ticker").sort_values("P/E")
assert df["Price"].notna().all()
print(df.to_string())
