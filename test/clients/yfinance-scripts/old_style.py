# As scripts for older versions write it: Adj Close, tuples of columns, a period in upper case.
import yfinance as yf

data = yf.download(["AAPL", "MSFT"], start="2022-01-03", end="2023-01-03", auto_adjust=False)
adjusted = data["Adj Close"]
assert adjusted.columns.tolist() == ["AAPL", "MSFT"]
assert (adjusted <= data["Close"]).all().all()
print(data[("Volume", "AAPL")].head(2), adjusted.resample("W").last().pct_change().tail(2))
apple = yf.Ticker("aapl")
history = apple.history(period="max", auto_adjust=True)
print(history.loc["2020-08-28":"2020-09-01", ["Close", "Stock Splits"]])
assert apple.ticker == "AAPL"
print(apple.get_info()["currency"], len(apple.get_dividends()), apple.get_balance_sheet().loc["TotalAssets"].iloc[0])
