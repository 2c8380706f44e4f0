"""Market data of a bourse service as pandas objects.

    import bourse as yf                       # a script that was written for yfinance
    yf.Ticker("7203.T").history(period="1y")

    import bourse                             # everything that the service has
    bourse.screen("JP", where="pe<12,roe>10", sort="-market_cap")

The address and the token come from the variables BOURSE_URL and BOURSE_TOKEN, or from `connect(url, token)`.
Symbols may be in any usual notation: AAPL, BRK-B, 7203.T, JP:7203, VN:FPT, ^GSPC, JPY=X, BTC-USD.
With `known_on="2023-03-31"`, a call has only what was known then; `connect(known_on=…)` sets it for all calls.

`Ticker`, `Tickers` and `download` have the names, shapes and units of yfinance. What the service does not have is
left out: a missing attribute or key says so, and a missing figure is NaN. Python 3.9, pandas 1.5 or later.
"""

from __future__ import annotations

import datetime
import decimal
import difflib
import gzip
import http.client
import io
import json
import logging
import numbers
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import pandas as pd

_log = logging.getLogger("bourse")

Day = Union[str, int, datetime.date, datetime.datetime, pd.Timestamp]
Symbols = Union[str, Iterable[str]]


# Errors


class BourseError(Exception):
    """An error with the sentence of the service. `status` is 0 if the service did not answer."""

    def __init__(self, message: str, status: int = 0, error: Optional[Mapping[str, Any]] = None,
                 retry_after: Optional[int] = None) -> None:
        super().__init__(message)
        details = error or {}
        self.status = status
        self.type: Optional[str] = details.get("type")
        self.code: Optional[str] = details.get("code")
        #: The argument that is wrong.
        self.param: Optional[str] = details.get("param")
        #: Seconds until the call could succeed.
        self.retry_after = retry_after


class NotFound(BourseError):
    """The service does not know this symbol, category or series."""


class AuthenticationError(BourseError):
    """The token is missing, unknown, expired or revoked."""


class RateLimitError(BourseError):
    """The quota of the token is used up, also after the wait that the service asked for."""


class Unreachable(BourseError):
    """No bourse service answers at the address."""


_CLASSES = {401: AuthenticationError, 404: NotFound, 429: RateLimitError}


# The connection


class _Settings:
    url: Optional[str] = None
    token: Optional[str] = None
    max_wait: float = 3600
    timeout: float = 60
    known_on: Optional[Day] = None


def connect(url: Optional[str] = None, token: Optional[str] = None, max_wait: float = 3600,
            timeout: float = 60, known_on: Optional[Day] = None) -> None:
    """Sets the address (`http://127.0.0.1:8787`) and the token; without them, BOURSE_URL and BOURSE_TOKEN are used.

    With `known_on`, every call that has none of its own answers as on that day, and does not look ahead.

    If the quota is used up, a call waits once as long as the service asks, but never longer than `max_wait` seconds.
    """
    _Settings.url, _Settings.token = url, token
    _Settings.max_wait, _Settings.timeout = max_wait, timeout
    _Settings.known_on = known_on
    _listed.clear()


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect could take the token to another host."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def get(path: str, **arguments: Any) -> Any:
    """The `data` of any call below /data: `get("stocks/AAPL/technicals", country="US")`."""
    return _payload(_read(path, arguments, "application/json")[0])


def _payload(text: str) -> Any:
    answer = json.loads(text)
    if not isinstance(answer, dict) or "data" not in answer:
        raise Unreachable("The address answers, but it is not a bourse service. Check BOURSE_URL.")
    return answer["data"]


def table(path: str, **arguments: Any) -> pd.DataFrame:
    """The rows of any call below /data. `attrs["total"]` is the number of rows on all pages."""
    text, total = _read(path, {**arguments, "format": "csv"}, "text/csv")
    # Only an empty cell is missing: NA and NULL can be symbols.
    texts = {name: str for name in ("symbol", "code", "name", "period", "date", "currency", "country")}
    frame = pd.read_csv(io.StringIO(text), dtype=texts, keep_default_na=False, na_values=[""])
    frame.attrs["total"] = total if total is not None else len(frame)
    return frame


def _read(path: str, arguments: Mapping[str, Any], accept: str, method: str = "GET",
          body: Optional[Mapping[str, Any]] = None) -> Tuple[str, Optional[int]]:
    """The text of an answer and the number of rows on all pages. Waits once if the quota is used up."""
    base = (_Settings.url or os.environ.get("BOURSE_URL") or "http://127.0.0.1:8787").rstrip("/")
    token = (_Settings.token or os.environ.get("BOURSE_TOKEN") or "").strip()
    if not re.match(r"https?://[^/]", base):
        raise Unreachable(f"BOURSE_URL must be http:// or https:// with a host, not {base!r}.")
    if not re.fullmatch(r"[!-~]*", token):
        raise AuthenticationError("BOURSE_TOKEN has characters that no token has. Copy the token again.")
    if method == "GET" and _Settings.known_on is not None:
        arguments = {"known_on": _Settings.known_on, **arguments}
    query = urllib.parse.urlencode({name: _text(value) for name, value in arguments.items() if value is not None})
    headers = {"Accept": accept, "Accept-Encoding": "gzip", "User-Agent": "bourse.py"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if body is not None:
        headers["Content-Type"] = "application/json"
    data = None if body is None else json.dumps(body).encode()
    url = f"{base}/api/v1/svc/data/{path.lstrip('/')}?{query}"
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    try:
        return _send(request, base)
    except RateLimitError as error:
        if error.retry_after is None or error.retry_after > _Settings.max_wait:
            raise
        _log.warning("%s Waiting %s s.", error, error.retry_after)
        time.sleep(error.retry_after)
    return _send(request, base)


def _text(value: Any) -> str:
    """An argument as the service reads it: true, 2026-01-31, AAPL,MSFT or US:AAPL=10,JP:7203=300."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.date):
        return value.strftime("%Y-%m-%d")
    if isinstance(value, Mapping):
        return ",".join(f"{key}={_text(amount)}" for key, amount in value.items())
    if isinstance(value, float):
        # Without an exponent: 0.0000001 for 1e-07.
        return format(decimal.Decimal(str(value)), "f")
    if isinstance(value, (list, tuple, set, pd.Index, pd.Series)):
        return ",".join(_text(one) for one in value)
    return str(value)


def _send(request: urllib.request.Request, base: str) -> Tuple[str, Optional[int]]:
    try:
        with _opener.open(request, timeout=_Settings.timeout) as answer:
            text, kind = _body(answer), answer.headers.get_content_type()
            total = answer.headers.get("X-Total-Count")
    except urllib.error.HTTPError as answer:
        raise _error_of(answer, _body(answer), base) from None
    except (OSError, http.client.HTTPException, EOFError) as error:
        reason = getattr(error, "reason", None) or error
        raise Unreachable(f"{base} does not answer ({reason}). Check BOURSE_URL, and that the service runs.") from None
    if kind != request.get_header("Accept"):
        raise Unreachable(f"{base} answers, but it is not a bourse service. Check BOURSE_URL.")
    return text, int(total) if total else None


def _body(answer: Any) -> str:
    raw = answer.read()
    if answer.headers.get("Content-Encoding") == "gzip":
        raw = gzip.decompress(raw)
    return raw.decode("utf-8", "replace")


def _error_of(answer: urllib.error.HTTPError, body: str, base: str) -> BourseError:
    try:
        error = json.loads(body)["error"]
        message = " ".join(filter(None, [error["message"], error.get("hint")]))
    except (ValueError, KeyError, TypeError):
        to = answer.headers.get("Location")
        then = f"Connect to {to.partition('/api/')[0]}." if to else "Check BOURSE_URL."
        return Unreachable(f"{base} answered {answer.code} without an error of bourse. {then}", answer.code)
    if error.get("code") == "MISSING_AUTH":
        message += " Set BOURSE_TOKEN, or call bourse.connect(url, token)."
    wait = answer.headers.get("Retry-After", "")
    kind = _CLASSES.get(answer.code, BourseError)
    return kind(message, answer.code, error, int(wait) if wait.isdigit() else None)


# Symbols

_ZONES = {"US": "America/New_York", "JP": "Asia/Tokyo", "VN": "Asia/Ho_Chi_Minh"}
_COUNTRIES = {"US": "United States", "JP": "Japan", "VN": "Viet Nam"}
#: Instruments that trade around the clock. Their days are those of UTC.
_PAIR = re.compile(r"[A-Z]{0,6}=X|[A-Z0-9]+-[A-Z]{3}")
#: Country and symbol, by the symbol as it was written.
_listed: Dict[str, Tuple[str, str]] = {}


def _likely(written: str) -> Tuple[str, str]:
    """The country that the notation names; the US for a bare ticker, as in yfinance."""
    found = re.fullmatch(r"(US|JP|VN):(.+)", written)
    if found:
        return found.group(1), found.group(2)
    if written.endswith(".T") or re.fullmatch(r"\d[0-9A-Z]\d[0-9A-Z]", written):
        return "JP", written
    return ("VN" if written.endswith(".VN") else "US"), written


def _call(read: Any, written: str, tail: str, arguments: Mapping[str, Any]) -> Any:
    """Calls stocks/SYMBOL/tail. Asks the service for the country if the symbol is not where the notation says."""
    def attempt(country: str, symbol: str) -> Any:
        return read(f"stocks/{urllib.parse.quote(symbol, safe='')}/{tail}", country=country, **arguments)

    written = written.strip().upper()
    if written in _listed:
        return attempt(*_listed[written])
    likely = _likely(written)
    try:
        answer = attempt(*likely)
    except NotFound:
        key = _find(written)
        if key == likely:
            raise
        answer = attempt(*key)
        likely = key
    _listed[written] = likely
    return answer


def _find(written: str) -> Tuple[str, str]:
    """The country and the symbol; raises NotFound with what the service knows: delisted, renamed, listed elsewhere."""
    try:
        row = table("stocks/compare", symbols=written, metrics="price").iloc[0]
    except NotFound as error:
        sentence = str(error).replace(f"No symbol was found. {written}: ", "").replace("list_symbols", "bourse.symbols")
        sentence = re.sub("^Not found", f"{written}: not found", sentence)
        raise NotFound(sentence, 404, {"code": error.code, "param": "symbol"}) from None
    return row["country"], row["symbol"]


# The whole interface. All arguments of the REST interface can follow, such as limit, currency or sector.


def markets() -> pd.DataFrame:
    """Countries, exchanges, numbers of symbols, holidays."""
    return table("markets")


def symbols(query: Optional[str] = None, **arguments: Any) -> pd.DataFrame:
    """Finds symbols by a name, a ticker, a country, a type or a sector."""
    return table("symbols", query=query, **arguments)


def screen(country: Symbols, where: Optional[str] = None, **arguments: Any) -> pd.DataFrame:
    """Companies by figures: `screen("US,JP", where="pe<15,roe>20", sort="-market_cap", metrics="pe,roe", limit=50)`."""
    return table("stocks/screen", country=country, where=where, **arguments)


def compare(symbols: Symbols, metrics: Optional[Symbols] = None, **arguments: Any) -> pd.DataFrame:
    """Figures of up to 20 symbols side by side; `metrics="all"` gives all of them."""
    return table("stocks/compare", symbols=symbols, metrics=metrics, **arguments)


def statistics(symbols: Symbols, **arguments: Any) -> pd.DataFrame:
    """Return, volatility, drawdown, beta and correlation of up to 10 symbols; `range="5y"`, `years="2020-2025"`."""
    return table("prices/statistics", symbols=symbols, **arguments)


def portfolio(holdings: Union[str, Mapping[str, Any]], **arguments: Any) -> pd.DataFrame:
    """Value, return and risk of `{"US:AAPL": 10, "JP:7203": 300}`; the row PORTFOLIO has the total."""
    return table("portfolio", holdings=holdings, **arguments)


def lists(name: Optional[str] = None, **arguments: Any) -> pd.DataFrame:
    """Your lists, or the items of one: `lists("semis", metrics="price,pe")`. Elsewhere "list:semis" stands for its symbols."""
    return table("lists", name=name, **arguments)


def save_list(name: str, items: Union[str, Sequence[Any], Mapping[str, Any]]) -> Dict[str, Any]:
    """Replaces a list: `save_list("semis", ["NVDA", "8035.T"])` or `{"US:AAPL": 10}`. The token needs the right lists:write."""
    path = f"lists/{urllib.parse.quote(name, safe='')}"
    return _payload(_read(path, {}, "application/json", "PUT", {"items": _items(items)})[0])


def delete_list(name: str) -> Dict[str, Any]:
    """Deletes a list. The token needs the right lists:write."""
    path = f"lists/{urllib.parse.quote(name, safe='')}"
    return _payload(_read(path, {}, "application/json", "DELETE")[0])


def _items(items: Union[str, Sequence[Any], Mapping[str, Any]]) -> Any:
    """Items that JSON can write: amounts by symbol and rows of a frame are texts too."""
    if isinstance(items, Mapping):
        return _text(items)
    return items if isinstance(items, str) else [one if isinstance(one, Mapping) else _text(one) for one in items]


def prices(symbol: str, **arguments: Any) -> pd.DataFrame:
    """Bars by date, oldest first: `range="5y"` or `start`, `end` (both included), `adjust="total"`, `currency="USD"`."""
    arguments = {{"start": "from", "end": "to"}.get(name, name): value for name, value in arguments.items()}
    frame = _call(table, symbol, "history", {"fields": "ohlcv", "limit": 100_000, **arguments})
    return _dated(frame)


def valuation(symbol: Symbols, metric: Symbols = "pe", **arguments: Any) -> pd.DataFrame:
    """P/E and other multiples at month ends, with the figures that were known on each day; of several symbols by month."""
    if not isinstance(symbol, str) or "," in symbol or symbol.lower().startswith("list:"):
        frame = table("stocks/valuation", symbols=symbol, metric=metric, **arguments)
        return frame.set_index(frame.columns[0])
    return _dated(_call(table, symbol, "valuation", {"metric": metric, **arguments}))


def statements(symbol: str, type: str = "income", **arguments: Any) -> pd.DataFrame:
    """Figures of fiscal periods, newest first: type income, balance or cashflow; `period="quarterly"`, `known_on=…`."""
    return _call(table, symbol, "statements", {"type": type, **arguments})


def ratios(symbol: str, **arguments: Any) -> pd.DataFrame:
    """Ratios of fiscal periods, newest first."""
    return _call(table, symbol, "ratios", arguments)


def overview(symbol: str, **arguments: Any) -> Dict[str, Any]:
    """Price, valuation, business and performance as text."""
    return _call(get, symbol, "overview", arguments)


def technicals(symbol: str, **arguments: Any) -> Dict[str, Any]:
    """Technical indicators and ratings as text."""
    return _call(get, symbol, "technicals", arguments)


def forecast(symbol: str, **arguments: Any) -> Dict[str, Any]:
    """Ratings, price targets, estimates and surprises of analysts."""
    return _call(get, symbol, "forecast", arguments)


def earnings(tickers: Optional[Symbols] = None, **arguments: Any) -> pd.DataFrame:
    """Report dates of US companies: by ticker, or `start` and `end`."""
    arguments = {{"start": "from", "end": "to"}.get(name, name): value for name, value in arguments.items()}
    return table("earnings/calendar", tickers=tickers, **arguments)


def sectors(country: str, **arguments: Any) -> pd.DataFrame:
    """Sectors, or with `level="industry"` and `sector` industries, with their medians."""
    return table("sectors", country=country, **arguments)


def macro(country: Symbols, series: Optional[str] = None, **arguments: Any) -> pd.DataFrame:
    """The newest figures of one economy or several, or the history of a series: `macro("US,JP", "Unemployment rate")`."""
    if series is None:
        return table("macro/indicators", countries=country, **arguments)
    return table("macro/history", countries=country, series=series, **arguments)


def macro_forecast(country: str, **arguments: Any) -> pd.DataFrame:
    """Forecasts of an economy by quarter."""
    return table("macro/forecast", country=country, **arguments)


def macro_calendar(country: Optional[Symbols] = None, **arguments: Any) -> pd.DataFrame:
    """Coming publications: previous, forecast, consensus."""
    return table("macro/calendar", countries=country, **arguments)


def _dated(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.set_index(pd.DatetimeIndex(pd.to_datetime(frame.pop("date")), name="Date"))


# The interface of yfinance

_PERIODS = "1d, 5d, 1mo, 3mo, 6mo, 1y, 2y, 5y, 10y, ytd, max"
_PRICES = ["Open", "High", "Low", "Close"]
_UNITS = {"d": "days", "wk": "weeks", "mo": "months", "y": "years"}
#: The rows of statements in the order of Yahoo: its name, our column, the sign of an outflow.
_ROWS: Dict[str, List[Tuple[str, str, int]]] = {
    "income": [
        ("EBITDA", "ebitda", 1), ("InterestExpense", "interest_expense", 1),
        ("DilutedAverageShares", "shares_diluted", 1), ("DilutedEPS", "eps_diluted", 1),
        ("NetIncomeCommonStockholders", "net_income", 1), ("NetIncome", "net_income", 1),
        ("TaxProvision", "income_tax", 1), ("PretaxIncome", "pretax_income", 1),
        ("OperatingIncome", "operating_income", 1), ("ResearchAndDevelopment", "research_and_development", 1),
        ("SellingGeneralAndAdministration", "selling_general_administrative", 1), ("GrossProfit", "gross_profit", 1),
        ("CostOfRevenue", "cost_of_revenue", 1), ("TotalRevenue", "revenue", 1),
    ],
    "balance": [
        ("OrdinarySharesNumber", "shares_outstanding", 1), ("TotalDebt", "total_debt", 1),
        ("CapitalLeaseObligations", "lease_liabilities", 1), ("CommonStockEquity", "common_equity", 1),
        ("PreferredStockEquity", "preferred_equity", 1), ("TotalEquityGrossMinorityInterest", "total_equity", 1),
        ("MinorityInterest", "minority_interest", 1), ("TotalLiabilitiesNetMinorityInterest", "total_liabilities", 1),
        ("CurrentLiabilities", "current_liabilities", 1), ("AccountsPayable", "payables", 1),
        ("TotalAssets", "total_assets", 1), ("Goodwill", "goodwill", 1), ("CurrentAssets", "current_assets", 1),
        ("Inventory", "inventory", 1), ("AccountsReceivable", "receivables", 1),
        ("CashCashEquivalentsAndShortTermInvestments", "cash", 1),
    ],
    "cashflow": [
        ("FreeCashFlow", "free_cash_flow", 1), ("RepurchaseOfCapitalStock", "share_repurchases", -1),
        ("CapitalExpenditure", "capital_expenditure", -1), ("FinancingCashFlow", "financing_cash_flow", 1),
        ("CashDividendsPaid", "dividends_paid", -1), ("InvestingCashFlow", "investing_cash_flow", 1),
        ("OperatingCashFlow", "operating_cash_flow", 1), ("StockBasedCompensation", "stock_compensation", 1),
        ("DepreciationAndAmortization", "depreciation_and_amortization", 1),
    ],
}


#: Where the figures of other names of yfinance are.
_INSTEAD = {
    "earnings": "income_stmt has revenue and net income", "quarterly_earnings": "quarterly_income_stmt has revenue and net income",
    "shares": 'fast_info["shares"] is the newest number', "get_shares_full": 'fast_info["shares"] is the newest number',
    "upgrades_downgrades": 'bourse.forecast(symbol)["actions"] has the changes of ratings',
    "ttm_income_stmt": "add four columns of quarterly_income_stmt", "ttm_cashflow": "add four columns of quarterly_cashflow",
    "Search": "bourse.symbols(text) finds symbols by name", "Lookup": "bourse.symbols(text) finds symbols by name",
    "EquityQuery": 'bourse.screen("US", where="pe<15,roe>20") screens', "Screener": 'bourse.screen("US", where="pe<15") screens',
    "FundQuery": 'bourse.screen("US", where="pe<15") screens', "Sector": 'bourse.sectors("US") has sectors',
    "Industry": 'bourse.sectors("US", level="industry", sector="technology") has industries',
    "Market": "bourse.markets() has the exchanges", "Calendars": "bourse.earnings() and bourse.macro_calendar() are the calendars",
    "WebSocket": "prices are daily", "AsyncWebSocket": "prices are daily", "pdr_override": "bourse.download has the same frames",
    "config": "bourse.connect(url, token) sets the service", "set_config": "bourse.connect(url, token) sets the service",
}
#: What people call of yfinance and the service does not have.
_ABSENT = re.compile("option|news|holder|insider|sustainab|isin|filing|fund|capital_gain|eps_|growth|valuation")


def _advice(name: str, known: Iterable[str]) -> str:
    """What to do about a name that is not there, after a clause that says so."""
    if name in _INSTEAD:
        return f": {_INSTEAD[name]}."
    if _ABSENT.search(name):
        return (": the service has no options, news, filings, holders, funds' contents, ISINs or past estimates. It has the "
                "history of prices, statements, estimates and what `info` shows.")
    near = difflib.get_close_matches(name, [one for one in known if one[0] != "_"], 1, 0.8)
    return f"; did you mean {near[0]}?" if near else "; its help shows what it has."


class Ticker:
    """One instrument, with the names and shapes of yfinance.

    An unknown symbol gives empty results and a line in the log. A wrong token, a used-up quota or a service
    that does not answer raises a `BourseError`.
    """

    def __init__(self, ticker: str, session: Any = None, proxy: Any = None) -> None:
        if not isinstance(ticker, str):
            raise ValueError(f"A ticker is a text such as AAPL, 7203.T or VN:FPT, not {ticker!r}; Tickers takes several.")
        if not ticker.strip():
            raise ValueError("Empty ticker name")
        self.ticker = ticker.strip().upper()
        self._kept: Dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"bourse.Ticker object <{self.ticker}>"

    def __getattr__(self, name: str) -> Any:
        if hasattr(type(self), name):
            # An error within a property, which would be hidden.
            return object.__getattribute__(self, name)
        raise AttributeError(f"bourse has no {name!r} of a ticker{_advice(name, dir(type(self)))}")

    # Prices

    def history(self, period: Optional[str] = None, interval: str = "1d", start: Optional[Day] = None,
                end: Optional[Day] = None, prepost: bool = False, actions: bool = True, auto_adjust: bool = True,
                back_adjust: bool = False, repair: bool = False, keepna: bool = False, rounding: bool = False,
                timeout: Optional[float] = None, raise_errors: bool = False, proxy: Any = None) -> pd.DataFrame:
        """Bars of days (1d), weeks (1wk) or months (1mo), oldest first; `end` is excluded.

        With auto_adjust, prices are adjusted for splits and dividends, else for splits beside "Adj Close". A period ends
        with the newest session. Without prices, the frame is empty and the log has the reason.
        Volume, Dividends and Stock Splits are 0 for an index and a currency, and NaN for a share if they are unknown.
        """
        try:
            frame = self._history(period, interval, start, end, auto_adjust, back_adjust)
        except BourseError as error:
            if raise_errors or not _is_missing(error):
                raise
            self._kept["failure"] = str(error)
            _log.error("$%s: %s", self.ticker, error)
            return _empty_prices()
        frame = frame if actions else frame.drop(columns=["Dividends", "Stock Splits"])
        return frame.round(2) if rounding else frame

    def _history(self, period: Optional[str], interval: str, start: Optional[Day], end: Optional[Day],
                 auto_adjust: bool, back_adjust: bool) -> pd.DataFrame:
        if interval not in ("1d", "1wk", "1mo"):
            raise ValueError(f"bourse has no bars of {interval}: its prices are daily, so interval must be 1d, 1wk or 1mo. "
                             "Resample those for longer bars.")
        if back_adjust:
            raise ValueError("bourse has no back_adjust: use auto_adjust=True, or False for prices beside Adj Close.")
        window, offset = self._window(period, interval, start, end)
        bars = self._bars(interval, window, "total" if auto_adjust else "split")
        if bars.empty:
            raise NotFound(f"{self.ticker} has no prices.", 404, {"param": "symbol"})
        frame = pd.DataFrame({name: bars[name.lower()].astype(float) for name in _PRICES})
        if not auto_adjust:
            frame["Adj Close"] = self._total(interval, window).reindex(bars["date"]).to_numpy()
        is_share = bars["dividend"].notna().any() or self._is_share()
        volume = bars["volume"] if is_share or bars["volume"].notna().any() else bars["volume"].fillna(0)
        frame["Volume"] = volume.astype("float64" if volume.isna().any() else "int64")
        none = float("nan") if is_share else 0.0
        frame["Dividends"] = bars["dividend"].astype(float).fillna(none)
        frame["Stock Splits"] = bars["split"].astype(float).replace(1.0, 0.0).fillna(none)
        ends = pd.to_datetime(bars["date"])
        days = ends - pd.to_timedelta(ends.dt.weekday, unit="D") if interval == "1wk" else ends
        days = ends.dt.to_period("M").dt.to_timestamp() if interval == "1mo" else days
        frame.index = pd.DatetimeIndex(days, name="Date").tz_localize(self._zone(), nonexistent="shift_forward")
        newest = ends.iloc[-1]
        first = newest.replace(month=1, day=1) if offset == "ytd" else newest - offset if offset else window.get("from")
        # A week or month that begins before the period is left out, unless there is no other.
        return frame if first is None else frame[(days >= first).to_numpy() | (ends == newest).to_numpy()]

    def _window(self, period: Optional[str], interval: str, start: Optional[Day],
                end: Optional[Day]) -> Tuple[Dict[str, Any], Any]:
        """The arguments of the call, and how far before its newest session the period begins."""
        period = None if period is None or " " in period else period.lower()
        if period and start is not None and end is not None:
            raise ValueError("Setting period, start and end is nonsense. Set maximum 2 of them.")
        found = re.fullmatch(r"([1-9]\d{0,2})(d|wk|mo|y)", period or "1mo")
        if found is None and period not in ("ytd", "max"):
            raise ValueError(f"Period {period!r} is invalid, must be one of: {_PERIODS}.")
        offset = pd.DateOffset(**{_UNITS[found.group(2)]: int(found.group(1))}) if found else None
        if start is None and end is None or period == "ytd":
            if found and found.group(2) == "d" and interval == "1d":
                return {"limit": int(found.group(1))}, None
            # A range of the service begins with the session at or before its first day.
            text = found.group(1) + found.group(2)[0] if found and interval == "1d" else "max"
            return {"range": text}, offset if found else ("ytd" if period == "ytd" else None)
        zone = self._zone()
        first, last = _moment(start, zone), _moment(end, zone)
        if last is None and first is not None and period not in (None, "max"):
            last = first + offset
        if first is None and period != "max":
            first = last - offset
        first = pd.Timestamp("1900-01-01") if first is None else first.normalize()
        # The end is excluded: a day begins at midnight, so a moment later that day includes it.
        to = None if last is None else (last - pd.Timedelta(1, unit="ns")).normalize()
        if to is not None and to < first:
            raise NotFound(f"{self.ticker} has no session from {start} to before {end}.", 404, {"param": "from"})
        return {"from": first, "to": to}, None

    def _bars(self, interval: str, window: Mapping[str, Any], adjust: str) -> pd.DataFrame:
        arguments = {"fields": "ohlcv", "limit": 100_000, "interval": interval, "dividends": True, "splits": True, **window}
        try:
            return _call(table, self.ticker, "history", {**arguments, "adjust": adjust})
        except BourseError as error:
            # An index pays no dividends.
            if error.param != "adjust" or self._is_share():
                raise
        return _call(table, self.ticker, "history", arguments)

    def _total(self, interval: str, window: Mapping[str, Any]) -> pd.Series:
        """The closes with reinvested dividends by date; NaN if dividends are unknown."""
        try:
            bars = self._bars(interval, window, "total")
        except BourseError as error:
            if error.param != "adjust":
                raise
            return pd.Series(dtype=float)
        return bars.set_index("date")["close"].astype(float)

    def _zone(self) -> str:
        return "UTC" if _PAIR.fullmatch(self._key()[1]) else _ZONES[self._key()[0]]

    def _key(self) -> Tuple[str, str]:
        """The country and a notation of the symbol. The service is only asked if no call has found them."""
        if self.ticker not in _listed:
            _call(table, self.ticker, "history", {"limit": 1})
        return _listed[self.ticker]

    def _is_share(self) -> bool:
        """False for an index, a currency, a commodity or a cryptocurrency."""
        symbol = self._key()[1]
        if _PAIR.fullmatch(symbol) or symbol.startswith("^") or symbol.endswith("=F"):
            return False
        return not pd.isna(self._figures()["currency"])

    def _figures(self) -> Dict[str, Any]:
        """All figures of the service by name; None for a missing one."""
        def read() -> Dict[str, Any]:
            data = get("stocks/compare", symbols=":".join(self._key()), metrics="all")
            return dict(zip(data["columns"], data["rows"][0]))
        return self._keep("figures", read)

    def _keep(self, name: str, read: Any) -> Any:
        if name not in self._kept:
            self._kept[name] = read()
        return self._kept[name]

    def _found(self, name: str, read: Any, empty: Any) -> Any:
        """What `read` returns; for an unknown symbol `empty`, and a line in the log."""
        try:
            return self._keep(name, read)
        except NotFound as error:
            _log.error("$%s: %s", self.ticker, error)
            return empty

    # Dividends and splits

    def _events(self) -> Dict[str, Any]:
        return self._keep("events", lambda: _call(
            get, self.ticker, "history", {"range": "max", "limit": 1, "dividends": True, "splits": True}))

    def _series(self, name: str, read: Any) -> pd.Series:
        """Events by date. Unknown ones are an empty series and a line in the log."""
        def make() -> pd.Series:
            events = self._events().get(name)
            if events is None and self._is_share():
                _log.error("$%s: its %s are unknown.", self.ticker, name)
            rows = events["rows"] if events else []
            index = pd.DatetimeIndex([row[0] for row in rows], name="Date").tz_localize(self._zone())
            return pd.Series([read(row) for row in rows], index, dtype=float)
        return self._found(name, make, pd.Series(dtype=float)).copy()

    def get_dividends(self, period: str = "max") -> pd.Series:
        """Cash dividends of a share by ex-date, adjusted for splits."""
        return self._within(self._series("dividends", lambda row: row[1]).rename("Dividends"), period)

    def get_splits(self, period: str = "max") -> pd.Series:
        """New shares for an old one by ex-date."""
        return self._within(self._series("splits", lambda row: row[1] / row[2]).rename("Stock Splits"), period)

    def get_actions(self, period: str = "max") -> pd.DataFrame:
        """Dividends and splits by date, 0 on days without one; a column that is unknown is left out."""
        actions = pd.concat([self.get_dividends(period), self.get_splits(period)], axis=1).sort_index().fillna(0.0)
        unknown = [column for column in actions if self._is_unknown(column.split()[-1].lower())]
        return actions.drop(columns=unknown).rename_axis("Date")

    def _is_unknown(self, name: str) -> bool:
        try:
            return self._events().get(name) is None and self._is_share()
        except NotFound:
            return False

    def _within(self, events: pd.Series, period: str) -> pd.Series:
        if period == "max" or events.empty:
            return events
        bars = self.history(period=period)
        return events[events.index >= bars.index[0]] if len(bars) else events[:0]

    # Statements

    def _statement(self, type: str, freq: str, pretty: bool, as_dict: bool, limit: Optional[int]) -> Any:
        if freq not in ("yearly", "quarterly"):
            raise ValueError("bourse has statements with freq yearly or quarterly.")
        # As many periods as Yahoo has.
        count = limit or (4 if freq == "yearly" else 5)

        def read() -> pd.DataFrame:
            period = "annual" if freq == "yearly" else freq
            return _call(table, self.ticker, "statements", {"type": type, "period": period, "limit": count, "figures": "only"})
        figures = self._found(f"{type} {freq} {count}", read, pd.DataFrame())
        rows = {name: sign * figures[column].astype(float) for name, column, sign in _ROWS[type] if column in figures}
        if type == "balance" and len(figures):
            of = figures.reindex(columns=["common_equity", "preferred_equity", "current_assets", "current_liabilities"]).astype(float)
            # A company that reports no preferred equity has none.
            rows["StockholdersEquity"] = of["common_equity"] + of["preferred_equity"].fillna(0)
            rows["WorkingCapital"] = of["current_assets"] - of["current_liabilities"]
        frame = pd.DataFrame(rows).T
        frame.columns = pd.DatetimeIndex(figures["period_end"].to_numpy() if len(figures) else [])
        frame = frame.dropna(how="all")
        if pretty:
            frame.index = [re.sub("([a-z])([A-Z])", r"\1 \2", name) for name in frame.index]
        return frame.to_dict() if as_dict else frame

    def get_income_stmt(self, as_dict: bool = False, pretty: bool = False, freq: str = "yearly",
                        limit: Optional[int] = None) -> Any:
        """The income statements of fiscal years or quarters, newest first; net income is that to common shareholders."""
        return self._statement("income", freq, pretty, as_dict, limit)

    def get_balance_sheet(self, as_dict: bool = False, pretty: bool = False, freq: str = "yearly",
                          limit: Optional[int] = None) -> Any:
        """The balance sheets at the ends of fiscal years or quarters, newest first."""
        return self._statement("balance", freq, pretty, as_dict, limit)

    def get_cash_flow(self, as_dict: bool = False, pretty: bool = False, freq: str = "yearly",
                      limit: Optional[int] = None) -> Any:
        """The cash flow statements of fiscal years or quarters, newest first; what is paid is negative."""
        return self._statement("cashflow", freq, pretty, as_dict, limit)

    # Analysts

    def _forecast(self) -> Dict[str, Any]:
        return self._found("forecast", lambda: forecast(self.ticker, limit=100), {})

    def get_recommendations(self, as_dict: bool = False) -> Any:
        """Numbers of analysts by rating and month, newest first."""
        trend = self._forecast().get("rating_trend") or []
        months = [pd.Period(row["month"], "M") for row in trend]
        frame = pd.DataFrame(
            [[f"{(month - months[0]).n or 0}m".replace("-0m", "0m"), *(row[name] for name in _GRADES)]
             for month, row in zip(months, trend)],
            columns=["period", "strongBuy", "buy", "hold", "sell", "strongSell"] if trend else None)
        return frame.to_dict() if as_dict else frame

    @property
    def analyst_price_targets(self) -> Dict[str, float]:
        """The newest price, and the lowest, highest, mean and median target."""
        targets = self._forecast().get("price_target")
        if not targets:
            return {}
        return {"current": self._forecast()["price"], **{name: targets[name] for name in ("high", "low", "mean", "median")}}

    def _estimates(self, of: str) -> pd.DataFrame:
        rows = [one for one in self._forecast().get("estimates") or [] if one.get(of)]
        index = pd.Index([_ESTIMATED[one["period"]] for one in rows], name="period")
        names = {"avg": "average", "low": "low", "high": "high", "numberOfAnalysts": "analysts"}
        return pd.DataFrame([{to: one[of][name] for to, name in names.items()} for one in rows], index)

    @property
    def earnings_estimate(self) -> pd.DataFrame:
        """Estimates of earnings per share: 0q is this quarter, +1y next year."""
        return self._estimates("eps")

    @property
    def revenue_estimate(self) -> pd.DataFrame:
        """Estimates of revenue: 0q is this quarter, +1y next year."""
        return self._estimates("revenue")

    @property
    def earnings_dates(self) -> pd.DataFrame:
        """Reports, newest first: estimated and reported earnings per share, and the surprise in percent."""
        return self.get_earnings_dates(100)

    def get_earnings_dates(self, limit: int = 12, offset: int = 0) -> pd.DataFrame:
        """The newest reports, as in `earnings_dates`."""
        rows = [one for one in self._forecast().get("surprises") or [] if one["reported_on"]]
        rows = rows[offset:offset + limit]
        index = pd.DatetimeIndex([row["reported_on"] for row in rows], name="Earnings Date").tz_localize(self._zone() if rows else "UTC")
        names = {"EPS Estimate": "eps_estimate", "Reported EPS": "eps_actual", "Surprise(%)": "surprise_percent"}
        return pd.DataFrame({to: pd.Series([row[name] for row in rows], index, dtype=float) for to, name in names.items()})

    @property
    def earnings_history(self) -> pd.DataFrame:
        """The last four reports by quarter, oldest first; surprisePercent is a fraction, as Yahoo writes it."""
        rows = [one for one in self._forecast().get("surprises") or []][3::-1]
        index = pd.DatetimeIndex([pd.Period(row["quarter_end"], "M").end_time.normalize() for row in rows], name="quarter")
        columns = {"epsActual": "eps_actual", "epsEstimate": "eps_estimate", "surprisePercent": "surprise_percent"}
        frame = pd.DataFrame({to: pd.Series([row[name] for row in rows], index, dtype=float) for to, name in columns.items()})
        frame.insert(2, "epsDifference", (frame["epsActual"] - frame["epsEstimate"]).round(6))
        return frame.assign(surprisePercent=frame["surprisePercent"] / 100)

    @property
    def calendar(self) -> Dict[str, Any]:
        """The next ex-dividend and report dates, and the estimates of the next report."""
        return dict(self._found("calendar", self._calendar, {}))

    def _calendar(self) -> Dict[str, Any]:
        days: Dict[str, Any] = {}
        if self._figures()["next_ex_date"]:
            days["Ex-Dividend Date"] = datetime.date.fromisoformat(self._figures()["next_ex_date"])
        country, symbol = self._key()
        # The service has report dates of US companies.
        reports = get("earnings/calendar", tickers=symbol)["earnings"] if country == "US" else []
        days["Earnings Date"] = [datetime.date.fromisoformat(one["date"]) for one in reports]
        quarter = next((one for one in self._forecast().get("estimates") or [] if one["period"] == "current_quarter"), {})
        for name, of in (("Earnings", "eps"), ("Revenue", "revenue")):
            for bound in ("High", "Low", "Average"):
                days[f"{name} {bound}"] = (quarter.get(of) or {}).get(bound.lower())
        return days

    # Quote and company

    @property
    def fast_info(self) -> "FastInfo":
        """The newest price and what follows from a year of prices; raises NotFound for an unknown symbol."""
        return self._keep("fast_info", lambda: FastInfo(self))

    @property
    def info(self) -> Dict[str, Any]:
        """Figures of the company under Yahoo's names and in its units, as far as both mean the same."""
        return dict(self._found("info", self._info, {}))

    def _info(self) -> Dict[str, Any]:
        figures, fast = self._figures(), self.fast_info
        info: Dict[str, Any] = {name: figures[metric] for name, metric in _SAME.items()}
        for name, metric in _FRACTIONS.items():
            info[name] = None if figures[metric] is None else round(figures[metric] / 100, 6)
        for name, key in _QUOTED.items():
            info[name] = fast[key]
        if figures["debt_to_equity"] is not None:
            info["debtToEquity"] = round(figures["total_debt"] / figures["total_equity"] * 100, 3)
        if figures["ebitda"] is not None and figures["revenue"]:
            info["ebitdaMargins"] = round(figures["ebitda"] / figures["revenue"], 6)
        panel = overview(self.ticker)
        business = panel.get("business_model") or {}
        for name, key in (("sector", "sector"), ("industry", "industry"), ("longBusinessSummary", "business_summary")):
            info[name] = None if business.get(key) in (None, "", "—") else business[key]
        rating = panel["overview"].get("Analyst rating", "—")
        info["recommendationKey"] = "none" if rating == "—" else rating.lower().replace(" ", "_")
        info["country"] = _COUNTRIES[self._key()[0]]
        # Yahoo leaves out what it does not know.
        return {"symbol": self.ticker, **{name: value for name, value in info.items() if value is not None}}

    @property
    def history_metadata(self) -> Dict[str, Any]:
        """The instrument as Yahoo's chart describes it."""
        return dict(self._found("metadata", self._metadata, {}))

    def _metadata(self) -> Dict[str, Any]:
        fast = self.fast_info
        return {"currency": fast["currency"], "symbol": self.ticker, "exchangeName": fast["exchange"],
                "instrumentType": fast["quoteType"], "exchangeTimezoneName": fast["timezone"],
                "regularMarketPrice": fast["lastPrice"], "longName": self._figures()["name"],
                "shortName": self._figures()["name"], "dataGranularity": "1d", "validRanges": _PERIODS.split(", ")}

    basic_info = property(lambda self: self.fast_info)
    get_info = lambda self: self.info  # noqa: E731
    get_earnings_history = lambda self: self.earnings_history  # noqa: E731
    get_fast_info = lambda self: self.fast_info  # noqa: E731
    get_calendar = lambda self: self.calendar  # noqa: E731
    get_history_metadata = lambda self: self.history_metadata  # noqa: E731
    get_incomestmt = get_financials = get_income_stmt
    get_balancesheet = get_balance_sheet
    get_cashflow = get_cash_flow
    dividends = property(get_dividends)
    splits = property(get_splits)
    actions = property(get_actions)
    recommendations = recommendations_summary = property(get_recommendations)
    income_stmt = incomestmt = financials = property(lambda self: self.get_income_stmt(pretty=True))
    quarterly_income_stmt = quarterly_incomestmt = quarterly_financials = property(
        lambda self: self.get_income_stmt(pretty=True, freq="quarterly"))
    balance_sheet = balancesheet = property(lambda self: self.get_balance_sheet(pretty=True))
    quarterly_balance_sheet = quarterly_balancesheet = property(
        lambda self: self.get_balance_sheet(pretty=True, freq="quarterly"))
    cash_flow = cashflow = property(lambda self: self.get_cash_flow(pretty=True))
    quarterly_cash_flow = quarterly_cashflow = property(lambda self: self.get_cash_flow(pretty=True, freq="quarterly"))


_GRADES = ("strong_buy", "buy", "hold", "sell", "strong_sell")
_ESTIMATED = {"current_quarter": "0q", "next_quarter": "+1q", "current_year": "0y", "next_year": "+1y"}
_TYPES = {"stock": "EQUITY", "reit": "EQUITY", "etf": "ETF", "index": "INDEX", "currency": "CURRENCY",
          "cryptocurrency": "CRYPTOCURRENCY", "commodity": "FUTURE"}
#: Keys of Yahoo's info and our figures with the same definition and unit.
_SAME = {
    "shortName": "name", "longName": "name", "currency": "currency", "marketCap": "market_cap", "beta": "beta",
    "enterpriseValue": "enterprise_value", "trailingPE": "pe", "forwardPE": "forward_pe", "priceToBook": "pb",
    "priceToSalesTrailing12Months": "ps", "enterpriseToRevenue": "ev_revenue", "enterpriseToEbitda": "ev_ebitda",
    "trailingEps": "eps", "totalRevenue": "revenue", "grossProfits": "gross_profit", "ebitda": "ebitda",
    "netIncomeToCommon": "net_income", "operatingCashflow": "operating_cash_flow", "totalCash": "cash",
    "totalDebt": "total_debt", "currentRatio": "current_ratio", "quickRatio": "quick_ratio",
    "impliedSharesOutstanding": "shares_outstanding", "sharesOutstanding": "shares_outstanding",
    "trailingAnnualDividendRate": "dividend_per_share", "dividendYield": "dividend_yield",
    "recommendationMean": "rating", "numberOfAnalystOpinions": "analyst_count", "targetMeanPrice": "target_price",
    "fullTimeEmployees": "employees",
}
#: Ours are in percent.
_FRACTIONS = {
    "trailingAnnualDividendYield": "dividend_yield", "payoutRatio": "payout_ratio", "grossMargins": "gross_margin",
    "operatingMargins": "operating_margin", "profitMargins": "net_margin", "returnOnEquity": "roe",
    "52WeekChange": "return_1y",
}
#: Keys of info and of fast_info.
_QUOTED = {
    "currentPrice": "lastPrice", "regularMarketPrice": "lastPrice", "previousClose": "previousClose",
    "regularMarketPreviousClose": "previousClose", "open": "open", "regularMarketOpen": "open", "dayHigh": "dayHigh",
    "regularMarketDayHigh": "dayHigh", "dayLow": "dayLow", "regularMarketDayLow": "dayLow", "volume": "lastVolume",
    "regularMarketVolume": "lastVolume", "fiftyTwoWeekHigh": "yearHigh", "fiftyTwoWeekLow": "yearLow",
    "fiftyDayAverage": "fiftyDayAverage", "twoHundredDayAverage": "twoHundredDayAverage",
    "averageVolume": "threeMonthAverageVolume", "averageVolume10days": "tenDayAverageVolume", "quoteType": "quoteType",
    "exchange": "exchange", "exchangeTimezoneName": "timezone",
}


class FastInfo(Mapping[str, Any]):
    """The newest session and figures of a year of prices, by key (`lastPrice`) or by name (`last_price`)."""

    def __init__(self, ticker: Ticker) -> None:
        figures = ticker._figures()
        country, symbol = figures["country"], figures["symbol"]
        bars = ticker.history(period="1y", auto_adjust=False)
        listed = get("symbols", country=country, query=symbol, limit=10)["symbols"]
        if bars.empty:
            raise NotFound(f"{ticker.ticker} has no prices of the last year.", 404, {"param": "symbol"})
        close, volume = bars["Close"], bars["Volume"].where(bars["Volume"] > 0)

        def mean(values: pd.Series) -> Optional[int]:
            return None if values.isna().any() or values.empty else int(values.mean())

        before = float(close.iloc[-2]) if len(close) > 1 else None

        change = figures["return_1y"]
        self._values: Dict[str, Any] = {
            "currency": figures["currency"], "exchange": {"US": "US", "JP": "JPX", "VN": "VSE"}[country],
            "quoteType": next((_TYPES[one["type"]] for one in listed if one["symbol"] == symbol), None),
            "timezone": ticker._zone(), "marketCap": figures["market_cap"], "shares": figures["shares_outstanding"],
            "lastPrice": float(close.iloc[-1]), "previousClose": before, "regularMarketPreviousClose": before,
            "open": float(bars["Open"].iloc[-1]), "dayHigh": float(bars["High"].iloc[-1]),
            "dayLow": float(bars["Low"].iloc[-1]), "lastVolume": mean(volume.iloc[-1:]),
            "fiftyDayAverage": float(close.iloc[-50:].mean()), "twoHundredDayAverage": float(close.iloc[-200:].mean()),
            "tenDayAverageVolume": mean(volume.iloc[-10:]),
            "threeMonthAverageVolume": mean(volume[volume.index > volume.index[-1] - pd.DateOffset(months=3)]),
            "yearHigh": figures["high_52w"], "yearLow": figures["low_52w"],
            "yearChange": None if change is None else round(change / 100, 6),
        }

    def __getitem__(self, key: str) -> Any:
        return self._values[re.sub("_([a-z])", lambda found: found.group(1).upper(), key)]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"fast_info has no {name!r}; it has {', '.join(self)}.") from None

    def __iter__(self) -> Any:
        return iter(sorted(self._values))

    def __len__(self) -> int:
        return len(self._values)

    def toJSON(self, indent: int = 4) -> str:  # noqa: N802
        return json.dumps(dict(self), indent=indent)

    def __repr__(self) -> str:
        return f"FastInfo with keys = {list(self)}"


class Tickers:
    """Several instruments: `Tickers("AAPL 7203.T").tickers["AAPL"].info`."""

    def __init__(self, tickers: Symbols, session: Any = None) -> None:
        self.symbols = [one.upper() for one in _split(tickers)]
        self.tickers = {one: Ticker(one) for one in self.symbols}

    def __repr__(self) -> str:
        return f"bourse.Tickers object <{','.join(self.symbols)}>"

    def history(self, period: Optional[str] = None, interval: str = "1d", start: Optional[Day] = None,
                end: Optional[Day] = None, prepost: bool = False, actions: bool = True, auto_adjust: bool = True,
                repair: bool = False, threads: Any = True, group_by: str = "column", progress: bool = True,
                timeout: Optional[float] = None, **more: Any) -> pd.DataFrame:
        """Bars of all of them, as `download` gives them, with dividends and splits."""
        return download(self.symbols, start, end, actions, group_by=group_by, auto_adjust=auto_adjust, period=period,
                        interval=interval, **more)

    download = history


def download(tickers: Symbols, start: Optional[Day] = None, end: Optional[Day] = None, actions: bool = False,
             threads: Any = True, ignore_tz: Optional[bool] = None, group_by: str = "column", auto_adjust: bool = True,
             back_adjust: bool = False, repair: bool = False, keepna: bool = False, progress: bool = True,
             period: Optional[str] = None, interval: str = "1d", prepost: bool = False, rounding: bool = False,
             timeout: Optional[float] = None, session: Any = None, multi_level_index: bool = True, proxy: Any = None,
             show_errors: bool = True) -> pd.DataFrame:
    """Bars of several instruments with columns (Price, Ticker), or (Ticker, Price) with `group_by="ticker"`.

    The columns of an unknown symbol are empty, and the log names it. Days have no time zone unless ignore_tz is False.
    """
    frames: Dict[str, pd.DataFrame] = {}
    failures: Dict[str, str] = {}
    for symbol in dict.fromkeys(one.upper() for one in _split(tickers)):
        try:
            frames[symbol] = Ticker(symbol).history(
                period, interval, start, end, actions=actions, auto_adjust=auto_adjust, back_adjust=back_adjust,
                rounding=rounding, raise_errors=True)
        except BourseError as error:
            if not _is_missing(error):
                raise
            frames[symbol], failures[symbol] = _empty_prices(), str(error)
    if failures and show_errors:
        _log.error("\n%d Failed download%s:", len(failures), "s" if len(failures) > 1 else "")
        for symbol, reason in failures.items():
            _log.error("['%s']: %s", symbol, reason)
    _align(frames, ignore_tz in (None, True))
    data = pd.concat(frames.values(), axis=1, keys=frames.keys(), names=["Ticker", "Price"])
    if group_by == "column":
        data.columns = data.columns.swaplevel(0, 1)
        data = data.sort_index(level=0, axis=1)
    if not multi_level_index and len(frames) == 1:
        data = data.droplevel(0 if group_by == "ticker" else 1, axis=1).rename_axis(None, axis=1)
    return data


def _align(frames: Dict[str, pd.DataFrame], ignore_tz: bool) -> None:
    """Gives all frames the days of all of them, without a time zone or in the most frequent one."""
    found = [frame for frame in frames.values() if len(frame)]
    zones = [str(frame.index.tz) for frame in found]
    for symbol, frame in frames.items():
        if len(frame):
            zone = max(zones, key=zones.count)
            frames[symbol] = frame.tz_localize(None) if ignore_tz else frame.tz_convert(zone)
    days = pd.DatetimeIndex([], name="Date")
    for frame in (frame for frame in frames.values() if len(frame)):
        days = frame.index if days.empty else days.union(frame.index)
    for symbol, frame in frames.items():
        frames[symbol] = frame.reindex(days.rename("Date"))


def _split(tickers: Symbols) -> List[str]:
    listed = tickers.replace(",", " ").split() if isinstance(tickers, str) else list(tickers)
    if not listed:
        raise ValueError("Name at least one ticker.")
    return listed


def _is_missing(error: BourseError) -> bool:
    """True if an instrument has no such prices: an unknown symbol, a period without a session, unknown dividends."""
    return isinstance(error, NotFound) or error.param in ("symbol", "from", "to", "adjust")


def _empty_prices() -> pd.DataFrame:
    """The frame that yfinance returns for an unknown symbol."""
    return pd.DataFrame(columns=[*_PRICES, "Adj Close", "Volume"], dtype=float, index=pd.DatetimeIndex([], name="Date"))


def _moment(value: Optional[Day], zone: str) -> Optional[pd.Timestamp]:
    """A day, or a moment on the clock of the exchange; a number counts seconds since 1970."""
    if value is None:
        return None
    if isinstance(value, numbers.Real):
        value = pd.Timestamp(value, unit="s", tz="UTC")
    moment = pd.Timestamp(value)
    return moment if moment.tz is None else moment.tz_convert(zone).tz_localize(None)


# What scripts for yfinance set or ask for beside that


def set_tz_cache_location(folder: Any) -> None:
    """Does nothing: nothing is cached on the disk."""


def enable_debug_mode() -> None:
    """Shows every line of the log."""
    _log.setLevel(logging.DEBUG)


def __getattr__(name: str) -> Any:
    """Names of yfinance that are not here."""
    if name[:1] == "_":
        raise AttributeError(f"module 'bourse' has no attribute {name!r}")
    raise AttributeError(f"bourse has no {name!r}{_advice(name, globals())}")
