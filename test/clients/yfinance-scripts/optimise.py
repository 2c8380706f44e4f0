# Weights of least variance, in the currency of each market; by ticker, then in long form.
import numpy as np
import pandas as pd
import yfinance as yf

data = yf.download("AAPL MSFT KO", period="2y", group_by="ticker", threads=True, progress=False)
prices = {name: data[name]["Close"] for name in ["AAPL", "MSFT", "KO"]}
returns = np.log(data.xs("Close", axis=1, level=1) / data.xs("Close", axis=1, level=1).shift(1)).dropna()
inverse = np.linalg.inv(returns.cov().values * 252)
weights = inverse.sum(axis=1) / inverse.sum()
assert abs(weights.sum() - 1) < 1e-9
print(dict(zip(returns.columns, weights.round(3))))
stacked = pd.concat([data[name].assign(Ticker=name) for name in prices]).reset_index()
assert set(stacked["Ticker"]) == {"AAPL", "MSFT", "KO"}
print(stacked.tail(3))
