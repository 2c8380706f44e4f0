# What people print first about a company.
import yfinance as yf

stock = yf.Ticker("MSFT")
info = stock.info
for key in ["longName", "sector", "industry", "marketCap", "trailingPE", "forwardPE", "dividendYield", "beta", "fiftyTwoWeekHigh"]:
    print(f"{key}: {info.get(key, 'N/A')}")
assert info["symbol"] == "MSFT"
print(f"{stock.fast_info['lastPrice']:.2f} {stock.fast_info.currency}, market cap {stock.fast_info.market_cap:,}")
price = info.get("currentPrice") or info.get("regularMarketPrice")
hist = stock.history(period="1mo")
assert abs(hist["Close"].iloc[-1] - price) < 0.005
last_quote = hist["Close"].iloc[-1]
change = (last_quote - info["previousClose"]) / info["previousClose"] * 100
print(f"{last_quote:.2f} ({change:+.2f}%)")
print(stock.calendar)
print(stock.recommendations.head())
