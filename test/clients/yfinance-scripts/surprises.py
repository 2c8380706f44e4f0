# Reports and what the market did after them; missing features are skipped, as scripts for many versions do.
import json

import pandas as pd
import yfinance as yf

stock = yf.Ticker("AAPL")
reports = stock.get_earnings_dates(limit=8).dropna(subset=["Reported EPS"])
prices = stock.history(period="3y")["Close"]
for day, row in reports.iterrows():
    after = prices[prices.index > day]
    before = prices[prices.index <= day]
    if len(after) and len(before):
        print(day.date(), f"{row['Surprise(%)']:+.1f}%", f"{after.iloc[0] / before.iloc[-1] - 1:+.2%}")
history = stock.earnings_history
assert (history["epsDifference"].round(2) == (history["epsActual"] - history["epsEstimate"]).round(2)).all()
print(json.loads(stock.fast_info.toJSON())["lastPrice"], stock.basic_info["marketCap"])
dates = getattr(stock, "options", ())
assert len(dates) == 0
for name in ("news", "major_holders", "sustainability"):
    try:
        print(getattr(stock, name))
    except AttributeError as error:
        assert name in str(error)
print(pd.concat({"actual": history["epsActual"], "estimate": history["epsEstimate"]}, axis=1))
