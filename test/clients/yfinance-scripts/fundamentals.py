# Growth and ratios from the statements.
import yfinance as yf

ticker = yf.Ticker("AAPL")
financials = ticker.financials
balance = ticker.balance_sheet
cash = ticker.cashflow
revenue = financials.loc["Total Revenue"]
growth = revenue.sort_index().pct_change().dropna() * 100
assert revenue.index[0] > revenue.index[-1]
net_margin = financials.loc["Net Income"] / revenue
debt_to_equity = balance.loc["Total Debt"] / balance.loc["Stockholders Equity" if "Stockholders Equity" in balance.index else "Common Stock Equity"]
free_cash_flow = cash.loc["Operating Cash Flow"] + cash.loc["Capital Expenditure"]
assert (free_cash_flow == cash.loc["Free Cash Flow"]).all()
for year in financials.columns[:3]:
    print(year.year, f"{revenue[year]:,.0f}", f"{net_margin[year]:.1%}", f"{debt_to_equity[year]:.2f}", f"{free_cash_flow[year]:,.0f}")
print(growth)
latest = ticker.quarterly_income_stmt.iloc[:, 0]
print(latest["Total Revenue"], ticker.quarterly_balance_sheet.columns[0].strftime("%Y-%m-%d"))
