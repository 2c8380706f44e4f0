# Tickers, their metadata, and files that other programs read.
import io
import yfinance as yf

tickers = yf.Tickers("msft aapl goog")
print(tickers.tickers["MSFT"].info["longName"], tickers.tickers["AAPL"].history(period="1mo").shape)
aapl = tickers.tickers["AAPL"]
meta = aapl.history_metadata
assert (meta["currency"], meta["exchangeTimezoneName"], meta["instrumentType"]) == ("USD", "America/New_York", "EQUITY")
hist = tickers.history(period="5d")
print(hist["Close"])
frame = aapl.history(period="max")
frame.index = frame.index.tz_localize(None)
text = io.StringIO()
frame.to_csv(text)
assert text.getvalue().startswith("Date,Open,High,Low,Close,Volume,Dividends,Stock Splits\n")
print(aapl.analyst_price_targets, aapl.earnings_estimate, aapl.quarterly_cashflow.shape)
