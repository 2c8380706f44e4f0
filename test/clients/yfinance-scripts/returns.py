# Closes of several tickers, daily returns and their correlation.
import numpy as np
import pandas as pd
import yfinance as yf

tickers = ["AAPL", "MSFT", "GOOGL", "^GSPC"]
data = yf.download(tickers, start="2023-01-01", end="2026-01-01", auto_adjust=True, progress=False)
close = data["Close"].dropna()
returns = close.pct_change().dropna()
assert list(close.columns) == sorted(tickers)
assert len(close) > 700
correlation = returns.corr()
assert np.allclose(np.diag(correlation), 1)
annual = returns.mean() * 252
volatility = returns.std() * np.sqrt(252)
print(pd.DataFrame({"return": annual, "volatility": volatility, "sharpe": annual / volatility}))
print(correlation.round(2))
