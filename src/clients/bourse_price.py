"""Prices of a bourse for bean-price.

Save this file in a folder of PYTHONPATH. Set BOURSE_URL to the address of the service and BOURSE_LINK to a feed
link. Then write USD:bourse_price/AAPL, JPY:bourse_price/7203.T or VND:bourse_price/HOSE:FPT as a commodity's price.
"""

import datetime
import os
import urllib.error
import urllib.parse
import urllib.request
from decimal import Decimal

try:
    from beanprice import source
except ImportError:
    from beancount.prices import source

# Longer than an exchange is closed at once.
DAYS = 14


class Source(source.Source):
    """Closes as traded, without an adjustment for later splits, because a ledger has the shares that were bought."""

    def get_latest_price(self, ticker):
        """The newest close, or None if the symbol is unknown."""
        return _read(ticker, {"range": "1m"})

    def get_historical_price(self, ticker, time):
        """The close of that day, or the newest one of the two weeks before it; None without one."""
        # bean-price asks for four o'clock in the afternoon here, in UTC: the next day in the west of America.
        day = time.astimezone().date()
        return _read(ticker, {"from": day - datetime.timedelta(DAYS), "to": day})


def _read(ticker, period):
    base = os.environ.get("BOURSE_URL", "http://127.0.0.1:8787")
    query = urllib.parse.urlencode({"symbols": ticker, **period})
    url = f"{base}/feed/prices/prices.beancount?{query}"
    request = urllib.request.Request(url, headers={"X-API-Key": os.environ.get("BOURSE_LINK", "")})
    try:
        with urllib.request.urlopen(request) as answer:
            lines = answer.read().decode().splitlines()
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        raise RuntimeError(error.read().decode().strip("; \n")) from None
    prices = [line.split() for line in lines if not line.startswith(";")]
    if not prices:
        return None
    date, _, _, price, currency = prices[-1]
    # Noon here, so that the date is the same in the reader's time zone.
    noon = datetime.datetime.combine(datetime.date.fromisoformat(date), datetime.time(12))
    return source.SourcePrice(Decimal(price), noon.astimezone(), currency)
