# Income of a portfolio by year, and the total return with reinvested dividends.
import yfinance as yf
import pandas as pd

holdings = {"KO": 100, "JNJ": 50, "7203.T": 300}
for symbol, shares in holdings.items():
    t = yf.Ticker(symbol)
    yearly = t.dividends.groupby(t.dividends.index.year).sum() * shares
    total = t.history(period="5y")["Close"]
    price = t.history(period="5y", auto_adjust=False)["Close"]
    assert total.iloc[-1] / total.iloc[0] > price.iloc[-1] / price.iloc[0]
    print(symbol, yearly.tail(3).to_dict(), f"{total.iloc[-1] / total.iloc[0] - 1:.1%}")
actions = yf.Ticker("AAPL").actions
splits = yf.Ticker("AAPL").splits
recent = splits[splits.index >= pd.Timestamp("2020-01-01", tz="America/New_York")]
print(actions.tail(2), recent)
assert recent.tolist() == [4.0]
