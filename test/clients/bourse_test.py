"""Tests of bourse.py against a running service. python.ts starts them, with the service's address, tokens and helpers."""

import contextlib
import datetime
import io
import json
import logging
import os
import unittest
import urllib.parse
import urllib.request

import numpy as np
import pandas as pd

import bourse

TOKEN = os.environ["BOURSE_TOKEN"]
HELPER = os.environ["TEST_HELPER"]
PRICES = os.environ.get("TEST_PRICES")
COLUMNS = ["Open", "High", "Low", "Close", "Volume", "Dividends", "Stock Splits"]


def api(path, **arguments):
    """The service's answer without bourse.py."""
    query = urllib.parse.urlencode(arguments)
    request = urllib.request.Request(f"{os.environ['BOURSE_URL']}/api/v1/svc/data/{path}?{query}")
    request.add_header("Authorization", f"Bearer {TOKEN}")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["data"]


def helper(path):
    with urllib.request.urlopen(f"{HELPER}/{path}", data=b"") as answer:
        return answer.read().decode()


def bars_of(country, symbol, **arguments):
    data = api(f"stocks/{urllib.parse.quote(symbol)}/history", country=country, fields="ohlcv", limit=100000, **arguments)
    return pd.DataFrame(data["bars"]["rows"], columns=data["bars"]["columns"]).set_index("date")


@contextlib.contextmanager
def logged():
    lines = io.StringIO()
    handler = logging.StreamHandler(lines)
    logger = logging.getLogger("bourse")
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
        logger.propagate = True


class History(unittest.TestCase):
    ZONES = {"AAPL": "America/New_York", "7203.T": "Asia/Tokyo", "JP:7203": "Asia/Tokyo", "FPT.VN": "Asia/Ho_Chi_Minh",
             "^GSPC": "America/New_York", "^N225": "Asia/Tokyo", "VNINDEX": "Asia/Ho_Chi_Minh", "JPY=X": "UTC", "BTC-USD": "UTC"}

    def test_every_kind_of_instrument_has_the_shape_of_yfinance(self):
        for symbol, zone in self.ZONES.items():
            with self.subTest(symbol):
                frame = bourse.Ticker(symbol).history(period="1mo")
                self.assertEqual(list(frame.columns), COLUMNS)
                self.assertEqual([str(kind) for kind in frame.dtypes], ["float64"] * 4 + ["int64"] + ["float64"] * 2)
                self.assertEqual((frame.index.name, str(frame.index.tz)), ("Date", zone))
                self.assertTrue((frame.index == frame.index.normalize()).all())
                self.assertTrue(frame.index.is_monotonic_increasing and frame.index.is_unique)
                self.assertFalse(frame.isna().any().any())

    def test_every_figure_is_that_of_the_api(self):
        for written, country, symbol in (("AAPL", "US", "AAPL"), ("7203.T", "JP", "7203"), ("VN:FPT", "VN", "FPT")):
            for interval in ("1d", "1wk", "1mo"):
                with self.subTest((written, interval)):
                    frame = bourse.Ticker(written).history(period="max", interval=interval)
                    expected = bars_of(country, symbol, adjust="total", interval=interval, range="max")
                    np.testing.assert_array_equal(frame[COLUMNS[:5]].to_numpy(), expected.to_numpy())
                    plain = bourse.Ticker(written).history(period="max", interval=interval, auto_adjust=False)
                    split = bars_of(country, symbol, interval=interval, range="max")
                    np.testing.assert_array_equal(plain[["Open", "High", "Low", "Close", "Volume"]].to_numpy(), split.to_numpy())
                    np.testing.assert_array_equal(plain["Adj Close"].to_numpy(), expected["close"].to_numpy())
                    self.assertEqual(list(plain.columns), COLUMNS[:4] + ["Adj Close"] + COLUMNS[4:])

    def test_an_index_is_not_adjusted(self):
        frame = bourse.Ticker("^GSPC").history(period="5d", auto_adjust=False)
        self.assertTrue((frame["Close"] == frame["Adj Close"]).all())
        np.testing.assert_array_equal(frame["Close"].to_numpy(), bars_of("US", "^GSPC")["close"].to_numpy()[-5:])

    def test_auto_adjust_reinvests_dividends(self):
        frame = bourse.Ticker("AAPL").history(period="2y", auto_adjust=False)
        # Yahoo's method: prices before an ex-date are multiplied by 1 - dividend / close of the day before.
        factor = (1 - frame["Dividends"] / frame["Close"].shift()).fillna(1)
        after = factor[::-1].cumprod()[::-1].shift(-1).fillna(1)
        self.assertEqual((frame["Dividends"] > 0).sum(), 8)
        np.testing.assert_allclose(frame["Adj Close"], frame["Close"] * after, rtol=1e-4)

    def test_dividends_and_splits_are_on_their_sessions(self):
        # Apple split 4 for 1 on 2020-08-31.
        frame = bourse.Ticker("AAPL").history(start="2020-08-27", end="2020-09-02")
        self.assertEqual(frame["Stock Splits"].tolist(), [0, 0, 4, 0])
        self.assertEqual([str(day.date()) for day in frame.index], ["2020-08-27", "2020-08-28", "2020-08-31", "2020-09-01"])
        splits = bourse.Ticker("AAPL").splits
        self.assertEqual((splits.name, splits.index.name, splits["2020-08-31"]), ("Stock Splits", "Date", 4.0))
        events = api("stocks/AAPL/history", country="US", range="max", limit=1, dividends="true")["dividends"]["rows"]
        dividends = bourse.Ticker("AAPL").dividends
        self.assertEqual([[str(day.date()), paid] for day, paid in dividends.items()], events)
        self.assertEqual((dividends.name, str(dividends.index.tz), dividends.dtype), ("Dividends", "America/New_York", float))
        whole = bourse.Ticker("AAPL").history(period="max")
        self.assertEqual(whole["Dividends"][whole["Dividends"] > 0].tolist(), dividends.tolist())
        months = bourse.Ticker("AAPL").history(period="max", interval="1mo")
        self.assertAlmostEqual(months["Dividends"].sum(), dividends.sum())
        actions = bourse.Ticker("AAPL").actions
        self.assertEqual(list(actions.columns), ["Dividends", "Stock Splits"])
        self.assertEqual(len(actions), len(dividends) + len(splits))
        # As in yfinance, a share that never split has a column of splits too; unknown ones have none.
        whole = next(ticker for ticker in map(bourse.Ticker, ("KO", "JNJ", "PG", "JPM", "XOM", "HD")) if ticker.splits.empty)
        self.assertEqual((len(whole.actions) > 0, whole.actions["Stock Splits"].unique().tolist()), (True, [0.0]))
        with logged():
            self.assertEqual(list(bourse.Ticker("YOUNG").actions.columns), [])
        self.assertEqual(list(bourse.Ticker("^GSPC").actions.columns), ["Dividends", "Stock Splits"])

    def test_weeks_begin_on_monday_and_months_on_the_first(self):
        weeks = bourse.Ticker("7203.T").history(period="1y", interval="1wk")
        self.assertEqual(set(weeks.index.weekday), {0})
        months = bourse.Ticker("7203.T").history(start="2024-01-01", end="2025-01-01", interval="1mo")
        self.assertEqual([str(day.date()) for day in months.index], [f"2024-{month:02}-01" for month in range(1, 13)])
        self.assertEqual(len(bourse.Ticker("AAPL").history(period="1d", interval="1mo")), 1)

    def test_periods_end_with_the_newest_session_and_ends_are_excluded(self):
        apple = bourse.Ticker("AAPL")
        days = [datetime.date.fromisoformat(day) for day in bars_of("US", "AAPL").index]
        # On the service's clock, New York trades on 2026-11-20; its newest session is the day before.
        self.assertEqual(days[-1], datetime.date(2026, 11, 19))
        for period, first in (("1mo", (2026, 10, 19)), ("1y", (2025, 11, 19)), ("ytd", (2026, 1, 1)), ("2wk", (2026, 11, 5))):
            with self.subTest(period):
                shown = list(apple.history(period=period).index.date)
                self.assertEqual(shown, [day for day in days if day >= datetime.date(*first)])
        self.assertEqual(list(apple.history(period="5d").index.date), days[-5:])
        self.assertEqual(list(apple.history().index.date), list(apple.history(period="1mo").index.date))
        day = datetime.date(2026, 3, 10)
        expected = [one for one in days if datetime.date(2026, 3, 2) <= one < day]
        for end in (day, "2026-03-10", datetime.datetime(2026, 3, 10), datetime.datetime(2026, 3, 9, 16),
                    pd.Timestamp("2026-03-10", tz="America/New_York"), int(pd.Timestamp("2026-03-10 04:00", tz="UTC").timestamp())):
            with self.subTest(end=end):
                self.assertEqual(list(apple.history(start="2026-03-02", end=end).index.date), expected)
        shown = apple.history(start="2026-03-02", period="8d").index
        self.assertEqual(list(shown.date), expected)
        self.assertEqual(apple.history(period="1mo", end="2026-03-10").index[0].date(), datetime.date(2026, 2, 10))

    def test_mistakes_are_explained(self):
        apple = bourse.Ticker("AAPL")
        with self.assertRaisesRegex(ValueError, "interval must be 1d, 1wk or 1mo"):
            apple.history(interval="5m")
        with self.assertRaisesRegex(ValueError, "must be one of: 1d, 5d"):
            apple.history(period="7q")
        with self.assertRaisesRegex(ValueError, "maximum 2"):
            apple.history(period="1y", start="2020-01-01", end="2021-01-01")
        with self.assertRaisesRegex(AttributeError, "no 'news'.*history"):
            apple.news
        with self.assertRaises(ValueError):
            bourse.Ticker(" ")
        self.assertFalse(hasattr(apple, "option_chain"))
        for name, advice in (("upgrades_downgrades", "forecast"), ("quarterly_earnings", "quarterly_income_stmt"),
                             ("balance_shet", "did you mean balance_sheet"), ("get_shares_full", "fast_info")):
            with self.assertRaisesRegex(AttributeError, f"no '{name}'.*{advice}"):
                getattr(apple, name)
        with self.assertRaisesRegex(ValueError, "daily, so interval must be 1d, 1wk or 1mo"):
            bourse.download("AAPL", period="1d", interval="1m")
        with self.assertRaisesRegex(ValueError, "A ticker is a text"):
            bourse.Ticker(("AAPL", "XNAS"))

    def test_without_prices_the_frame_is_empty_and_the_log_says_why(self):
        for symbol, arguments, reason in (("NOPE", {}, "not found"), ("AAPL", {"start": "2024-01-06", "end": "2024-01-07"}, "no session")):
            with self.subTest(symbol), logged() as lines:
                frame = bourse.Ticker(symbol).history(**arguments)
                self.assertEqual((len(frame), frame.index.name), (0, "Date"))
                self.assertEqual(list(frame.columns), ["Open", "High", "Low", "Close", "Adj Close", "Volume"])
                self.assertRegex(lines.getvalue(), rf"^\${symbol}: .*{reason}")
                with self.assertRaisesRegex(bourse.BourseError, reason):
                    bourse.Ticker(symbol).history(raise_errors=True, **arguments)
        with logged():
            nothing = bourse.Ticker("NOPE")
            empty = [nothing.dividends, nothing.splits, nothing.actions, nothing.income_stmt, nothing.cashflow,
                     nothing.recommendations, nothing.calendar, nothing.info, nothing.earnings_estimate, nothing.earnings_dates]
            self.assertEqual([len(one) for one in empty], [0] * len(empty))
            with self.assertRaises(bourse.NotFound):
                nothing.fast_info

    def test_a_symbol_that_is_not_there_has_the_sentence_of_the_service(self):
        for symbol, sentence in (("TWTR", r"^\$TWTR: TWTR \(Twitter, Inc\.\) was delisted on 2022-10-27\."),
                                 ("VOD.L", "listed in London, and only US, JP and VN"), ("APPL", "Did you mean US:AAPL?")):
            with self.subTest(symbol), logged() as lines:
                self.assertTrue(bourse.Ticker(symbol).history().empty)
                self.assertRegex(lines.getvalue(), sentence)

    def test_seconds_since_1970_may_have_fractions_and_be_of_numpy(self):
        begin = pd.Timestamp("2026-03-02", tz="America/New_York").timestamp()
        for start in (begin, np.int64(begin), np.float64(begin)):
            shown = bourse.Ticker("AAPL").history(start=start, end="2026-03-10")
            self.assertEqual(shown.index[0].date(), datetime.date(2026, 3, 2))

    def test_unknown_dividends_are_not_zero(self):
        with logged() as lines:
            self.assertTrue(bourse.Ticker("YOUNG").history().empty)
            self.assertIn("dividends are not stored", lines.getvalue())
            self.assertTrue(bourse.Ticker("YOUNG").dividends.empty)
            self.assertIn("dividends are unknown", lines.getvalue())
        frame = bourse.Ticker("YOUNG").history(auto_adjust=False)
        self.assertTrue(frame["Close"].notna().all())
        self.assertTrue(frame[["Adj Close", "Dividends", "Stock Splits"]].isna().all().all())


class Downloads(unittest.TestCase):
    def test_columns_are_price_and_ticker(self):
        data = bourse.download(["MSFT", "7203.T", "AAPL"], period="1mo")
        self.assertEqual(data.columns.names, ["Price", "Ticker"])
        self.assertEqual(list(data.columns), [(price, ticker) for price in ("Close", "High", "Low", "Open", "Volume")
                                              for ticker in ("7203.T", "AAPL", "MSFT")])
        self.assertEqual((data.index.name, data.index.tz), ("Date", None))
        self.assertEqual(list(data["Close"].columns), ["7203.T", "AAPL", "MSFT"])
        single = bourse.Ticker("MSFT").history(period="1mo")["Close"].tolist()
        self.assertEqual(data["Close"]["MSFT"].dropna().tolist(), single)

    def test_by_ticker(self):
        data = bourse.download("MSFT, AAPL", period="5d", group_by="ticker", actions=True)
        self.assertEqual(data.columns.names, ["Ticker", "Price"])
        self.assertEqual(list(data["AAPL"].columns), COLUMNS)

    def test_one_ticker_with_and_without_levels(self):
        self.assertEqual(bourse.download("AAPL", period="5d").columns.nlevels, 2)
        data = bourse.download("aapl", period="5d", multi_level_index=False)
        self.assertEqual((list(data.columns), data.columns.name), (["Close", "High", "Low", "Open", "Volume"], None))
        zoned = bourse.download(["7203.T", "AAPL", "MSFT"], period="5d", ignore_tz=False)
        self.assertEqual(str(zoned.index.tz), "America/New_York")

    def test_an_unknown_symbol_has_empty_columns_and_a_line(self):
        with logged() as lines:
            data = bourse.download(["AAPL", "NOPE"], period="5d")
        self.assertEqual((len(data), data["Close"]["NOPE"].isna().all()), (5, True))
        self.assertIn(("Adj Close", "NOPE"), data.columns)
        self.assertRegex(lines.getvalue(), r"1 Failed download:\n\['NOPE'\]: .*not found")
        with logged():
            self.assertEqual(len(bourse.download(["NOPE"])), 0)

    def test_tickers(self):
        several = bourse.Tickers("aapl 7203.T")
        self.assertEqual(list(several.tickers), ["AAPL", "7203.T"])
        self.assertEqual(several.tickers["7203.T"].fast_info["currency"], "JPY")
        self.assertEqual(several.history(period="5d").columns.names, ["Price", "Ticker"])

    @unittest.skipUnless(PRICES, "without the folder of recorded answers")
    def test_recorded_frames_of_yfinance_have_the_same_columns(self):
        def header(path):
            with open(f"{PRICES}/{path}", encoding="utf-8") as file:
                return file.readline().strip().split(","), file.readline().split(",")[0]

        columns, _ = header("prices/AAPL_yfinance.csv")
        data = bourse.download("AAPL", period="5d", multi_level_index=False)
        self.assertEqual(list(data.reset_index().columns), columns)
        columns, day = header("real-2/prices/4063-T-1d-bad-stock-split.csv")
        frame = bourse.Ticker("4063.T").history(period="5d", auto_adjust=False)
        self.assertEqual(list(frame.reset_index().columns), columns)
        self.assertEqual(str(frame.index[0])[10:], day[10:])
        recorded = pd.read_csv(f"{PRICES}/prices/AAPL_yfinance.csv")
        self.assertEqual(recorded.dtypes[1:].tolist(), data.dtypes.tolist())


class Company(unittest.TestCase):
    STATEMENTS = {"income_stmt": ("income", "annual", 4), "quarterly_income_stmt": ("income", "quarterly", 5),
                  "balance_sheet": ("balance", "annual", 4), "quarterly_balance_sheet": ("balance", "quarterly", 5),
                  "cashflow": ("cashflow", "annual", 4), "quarterly_cashflow": ("cashflow", "quarterly", 5)}
    #: Yahoo's rows with our columns; what is paid is negative.
    ROWS = {"Total Revenue": ("revenue", 1), "Net Income": ("net_income", 1), "Diluted EPS": ("eps_diluted", 1),
            "EBITDA": ("ebitda", 1), "Operating Income": ("operating_income", 1), "Total Assets": ("total_assets", 1),
            "Common Stock Equity": ("common_equity", 1), "Total Debt": ("total_debt", 1), "Free Cash Flow": ("free_cash_flow", 1),
            "Operating Cash Flow": ("operating_cash_flow", 1), "Capital Expenditure": ("capital_expenditure", -1),
            "Total Liabilities Net Minority Interest": ("total_liabilities", 1)}

    def test_statements_are_those_of_the_api_newest_first(self):
        found = set()
        for name, (kind, period, count) in self.STATEMENTS.items():
            with self.subTest(name):
                frame = getattr(bourse.Ticker("AAPL"), name)
                data = api("stocks/AAPL/statements", country="US", type=kind, period=period, limit=count, figures="only")["figures"]
                figures = pd.DataFrame(data["rows"], columns=data["columns"])
                self.assertEqual([str(day.date()) for day in frame.columns], figures["period_end"].tolist())
                self.assertEqual(set(frame.dtypes.astype(str)), {"float64"})
                for row, (column, sign) in self.ROWS.items():
                    if row in frame.index:
                        found.add(row)
                        np.testing.assert_array_equal(frame.loc[row], sign * figures[column])
        self.assertEqual(found, set(self.ROWS))
        income = bourse.Ticker("AAPL").income_stmt
        np.testing.assert_allclose(income.loc["Gross Profit"], income.loc["Total Revenue"] - income.loc["Cost Of Revenue"])
        for symbol in ("AAPL", "JPM", "FPT.VN"):
            with self.subTest(symbol):
                balance = bourse.Ticker(symbol).get_balance_sheet()
                preferred = balance.loc["PreferredStockEquity"].fillna(0) if "PreferredStockEquity" in balance.index else 0
                np.testing.assert_array_equal(balance.loc["StockholdersEquity"], balance.loc["CommonStockEquity"] + preferred)
                if "CurrentAssets" in balance.index:
                    np.testing.assert_array_equal(balance.loc["WorkingCapital"],
                                                  balance.loc["CurrentAssets"] - balance.loc["CurrentLiabilities"])
        self.assertEqual(bourse.Ticker("AAPL").get_income_stmt().loc["TotalRevenue"].tolist(), income.loc["Total Revenue"].tolist())
        self.assertEqual(bourse.Ticker("AAPL").get_cashflow(freq="quarterly", limit=9).shape[1], 9)
        with logged():
            self.assertTrue(bourse.Ticker("SPY").income_stmt.empty)

    @unittest.skipUnless(PRICES, "without the folder of recorded answers")
    def test_recorded_rows_of_yahoo_have_our_names(self):
        for kind, name in (("financials", "income_stmt"), ("balance-sheet", "balance_sheet"), ("cash-flow", "cashflow")):
            with open(f"{PRICES}/yahoo/fundamentalsTimeSeries-AAPL-{kind}-annual.json", encoding="utf-8") as file:
                recorded = {key[6:] for one in json.load(file)["timeseries"]["result"] for key in one if key.startswith("annual")}
            ours = set(getattr(bourse.Ticker("AAPL"), f"get_{name}")().index)
            # Yahoo has no such row for Apple.
            self.assertEqual(ours - recorded - {"PreferredStockEquity", "MinorityInterest"}, set())

    def test_info_has_yahoos_units(self):
        data = api("stocks/compare", symbols="US:AAPL", metrics="all")
        figures = dict(zip(data["columns"], data["rows"][0]))
        info = bourse.Ticker("AAPL").info
        same = {"marketCap": "market_cap", "trailingPE": "pe", "trailingEps": "eps", "currentPrice": "price", "beta": "beta",
                "totalRevenue": "revenue", "fiftyTwoWeekHigh": "high_52w", "enterpriseToEbitda": "ev_ebitda",
                "sharesOutstanding": "shares_outstanding", "fullTimeEmployees": "employees", "volume": "volume"}
        for key, metric in same.items():
            self.assertEqual((key, info[key]), (key, figures[metric]))
        # Yahoo's margins are fractions; its dividendYield and debtToEquity are percent.
        self.assertAlmostEqual(info["profitMargins"], figures["net_income"] / figures["revenue"], places=3)
        self.assertAlmostEqual(info["debtToEquity"], 100 * figures["total_debt"] / figures["total_equity"], places=2)
        self.assertAlmostEqual(info["dividendYield"], 100 * info["trailingAnnualDividendRate"] / info["currentPrice"], places=2)
        self.assertEqual([info[key] for key in ("symbol", "quoteType", "currency", "country", "sector", "exchangeTimezoneName")],
                         ["AAPL", "EQUITY", "USD", "United States", "Technology", "America/New_York"])
        self.assertNotIn(None, info.values())
        json.dumps(info)
        self.assertEqual(bourse.Ticker("7203.T").info["quoteType"], "EQUITY")
        index = bourse.Ticker("^GSPC").info
        self.assertEqual((index["quoteType"], "marketCap" in index), ("INDEX", False))

    @unittest.skipUnless(PRICES, "without the folder of recorded answers")
    def test_keys_of_info_are_yahoos(self):
        recorded = set()
        with open(f"{PRICES}/yahoo/quoteSummary-all-AAPL.json", encoding="utf-8") as file:
            for module in json.load(file)["quoteSummary"]["result"][0].values():
                recorded |= set(module) if isinstance(module, dict) else set()
        ours = set(bourse.Ticker("AAPL").info)
        # These come from another request of yfinance.
        self.assertEqual(ours - recorded - {"exchangeTimezoneName"}, set())

    def test_fast_info_by_key_and_by_name(self):
        fast = bourse.Ticker("AAPL").fast_info
        bars = bars_of("US", "AAPL")
        self.assertEqual(fast["lastPrice"], bars["close"].iloc[-1])
        self.assertEqual((fast.previous_close, fast["previous_close"]), (bars["close"].iloc[-2],) * 2)
        self.assertAlmostEqual(fast.fifty_day_average, bars["close"].iloc[-50:].mean())
        self.assertEqual(fast.day_high, bars["high"].iloc[-1])
        self.assertEqual(fast.ten_day_average_volume, int(bars["volume"].iloc[-10:].mean()))
        self.assertEqual(sorted(fast), sorted(fast.keys()))
        self.assertAlmostEqual(fast.market_cap / fast.shares, fast.last_price, places=2)
        self.assertIsNone(bourse.Ticker("^GSPC").fast_info["lastVolume"])
        with self.assertRaises(KeyError):
            fast["nothing"]
        self.assertEqual(json.loads(fast.toJSON())["lastPrice"], fast["lastPrice"])
        self.assertEqual(bourse.Ticker("AAPL").basic_info["lastPrice"], fast["lastPrice"])

    def test_analysts_and_calendar(self):
        data = api("stocks/AAPL/forecast", country="US", limit=100)
        ticker = bourse.Ticker("AAPL")
        table = ticker.recommendations
        self.assertEqual(list(table.columns), ["period", "strongBuy", "buy", "hold", "sell", "strongSell"])
        self.assertEqual(table["period"].tolist(), ["0m", "-1m", "-2m", "-3m"])
        self.assertEqual(table["strongBuy"].tolist(), [row["strong_buy"] for row in data["rating_trend"]])
        self.assertEqual(ticker.analyst_price_targets["median"], data["price_target"]["median"])
        self.assertEqual(ticker.earnings_estimate.index.tolist(), ["0q", "+1q", "0y", "+1y"])
        self.assertEqual(ticker.earnings_estimate["avg"].tolist(), [one["eps"]["average"] for one in data["estimates"]])
        self.assertEqual(ticker.earnings_dates["Reported EPS"].tolist(), [one["eps_actual"] for one in data["surprises"]])
        self.assertEqual(ticker.get_earnings_dates(limit=2, offset=1).index.tolist(), ticker.earnings_dates.index[1:3].tolist())
        past = ticker.earnings_history
        self.assertEqual(list(past.columns), ["epsActual", "epsEstimate", "epsDifference", "surprisePercent"])
        newest = data["surprises"][0]
        self.assertEqual((len(past), past.index[-1].strftime("%Y-%m")), (4, newest["quarter_end"]))
        self.assertEqual(past["epsActual"].iloc[-1], newest["eps_actual"])
        self.assertAlmostEqual(past["surprisePercent"].iloc[-1] * 100, newest["surprise_percent"])
        self.assertAlmostEqual(past["epsDifference"].iloc[-1], newest["eps_actual"] - newest["eps_estimate"])
        report = api("earnings/calendar", tickers="AAPL")["earnings"][0]
        calendar = ticker.calendar
        self.assertEqual(calendar["Earnings Date"], [datetime.date.fromisoformat(report["date"])])
        self.assertEqual(calendar["Earnings Average"], report["eps_estimate"])
        self.assertEqual(bourse.Ticker("7203.T").calendar["Earnings Date"], [])


class Interface(unittest.TestCase):
    def test_tables_are_those_of_the_api(self):
        screened = bourse.screen("JP", where="pe<15", sort="-market_cap", limit=5)
        data = api("stocks/screen", country="JP", where="pe<15", sort="-market_cap", limit=5)
        self.assertEqual(screened[data["columns"]].to_numpy().tolist(), data["rows"])
        self.assertEqual(set(screened["country"]), {"JP"})
        self.assertEqual(screened.attrs["total"], data["total"])
        compared = bourse.compare(["AAPL", "7203.T", "VN:FPT"], ["pe", "roe"], currency="USD")
        self.assertEqual(compared["symbol"].tolist(), ["AAPL", "7203", "FPT"])
        self.assertEqual(bourse.statistics(["AAPL", "^GSPC"], range="5y")["symbol"].tolist(), ["AAPL", "^GSPC"])
        self.assertEqual(bourse._text({"US:AAPL": 1e-07, "B": 1e21, "C": 0.5, "D": 10}),
                         "US:AAPL=0.0000001,B=1000000000000000000000,C=0.5,D=10")
        with self.assertRaisesRegex(bourse.BourseError, "For several symbols"):
            bourse.prices("AAPL,MSFT")
        held = bourse.portfolio({"US:AAPL": 10, "JP:7203": 300}, currency="USD")
        self.assertEqual(held["symbol"].tolist(), ["US:AAPL", "JP:7203", "PORTFOLIO"])
        self.assertEqual(held["value"].iloc[2], api("portfolio", holdings="US:AAPL=10,JP:7203=300", currency="USD")["value"])
        prices = bourse.prices("7203.T", start="2026-01-05", end="2026-01-09", currency="USD")
        self.assertEqual((prices.index[-1], list(prices.columns[:5])), (pd.Timestamp("2026-01-09"), ["open", "high", "low", "close", "volume"]))

    def test_every_function_answers(self):
        answers = [
            bourse.markets(), bourse.symbols("toyota"), bourse.macro("US"), bourse.macro("US", "Unemployment rate", limit=3),
            bourse.macro_forecast("JP"), bourse.macro_calendar("US,JP", limit=3), bourse.sectors("VN"), bourse.overview("FPT"),
            bourse.technicals("AAPL"), bourse.forecast("AAPL"), bourse.valuation("AAPL", ["pe", "pb"]), bourse.valuation(["AAPL", "7203.T"]), bourse.macro(["US", "JP"], "CPI"), bourse.ratios("7203.T"),
            bourse.statements("AAPL", "balance", period="quarterly"), bourse.earnings(["AAPL", "MSFT"]),
            bourse.earnings(start="2026-11-20", end="2026-12-20"), bourse.get("sectors/overview"), bourse.table("sectors/overview"),
        ]
        self.assertNotIn(0, [len(one) for one in answers])
        self.assertEqual(bourse.symbols("toyota")["symbol"].iloc[0], "7203")
        self.assertEqual(bourse.macro("US", "Unemployment rate", limit=3)["value"].dtype, float)

    def test_a_day_ends_what_is_known(self):
        day = "2026-03-31"
        wanted = bourse.prices("AAPL", known_on=day)
        self.assertEqual(wanted.index[-1], pd.Timestamp(day))
        technicals = bourse.technicals("AAPL", known_on=day)
        try:
            bourse.connect(known_on=pd.Timestamp(day))
            pd.testing.assert_frame_equal(bourse.prices("AAPL"), wanted)
            self.assertEqual(bourse.technicals("AAPL"), technicals)
            self.assertEqual(bourse.overview("AAPL")["known_on"]["date"], day)
            self.assertEqual(bourse.prices("AAPL", known_on="2026-03-30").index[-1], pd.Timestamp("2026-03-30"))
            self.assertEqual(bourse.save_list("then", ["NVDA"])["name"], "then")
        finally:
            bourse.connect()
        self.assertEqual(bourse.delete_list("then")["deleted"], "then")

    def test_a_back_test_of_60_months_knows_what_pandas_computes_from_all_records(self):
        keys = ["US:AAPL", "US:MSFT", "US:NVDA", "US:TSLA", "JP:7203", "JP:6758"]
        closes = {key: bourse.prices(key, adjust="none")["close"] for key in keys}
        quarters = {key: bourse.statements(key, period="quarterly", limit=40).set_index("period_end") for key in keys}
        for day in pd.date_range("2021-09-30", periods=60, freq=pd.offsets.MonthEnd()):
            known = bourse.compare(keys, ["price", "revenue"], known_on=day).set_index("symbol")
            for key in keys:
                row = known.loc[key.split(":")[1]]
                # A close is in the shares of its day, and a split after the newest session is not known.
                self.assertEqual(row["price"], closes[key][:day].iloc[-1], (key, day))
                filed = quarters[key][pd.to_datetime(quarters[key]["filing_date"]) <= day]
                self.assertAlmostEqual(row["revenue"] / filed.sort_index()["revenue"].tail(4).sum(), 1, 9, (key, day))

    def test_a_back_test_of_60_months_screens_all_companies_as_pandas_does_from_all_records(self):
        days = pd.date_range("2021-09-30", periods=60, freq=pd.offsets.MonthEnd())
        metrics = ["revenue", "market_cap"]
        screens = {day: bourse.screen("US", metrics=metrics, limit=1000, known_on=day).set_index("symbol") for day in days}
        self.assertGreaterEqual(min(len(known) for known in screens.values()), 200)
        checked = 0
        for symbol in screens[days[-1]].index:
            key = f"US:{symbol}"
            closes = bourse.prices(key, start="2021-08-01")["close"]
            income, balance = [bourse.statements(key, kind, period="quarterly", limit=40).sort_values("period_end")
                               for kind in ("income", "balance")]
            filed, revenue, shares = pd.to_datetime(income["filing_date"]), income["revenue"], balance["shares_outstanding"]
            for day in days:
                if symbol not in screens[day].index:
                    continue
                known = (filed <= day).to_numpy()
                row = screens[day].loc[symbol]
                self.assertAlmostEqual(row["revenue"] / revenue.to_numpy()[known][-4:].sum(), 1, 9, (key, day))
                if pd.isna(row["market_cap"]):  # A legal form from abroad.
                    continue
                # Closes and counts of today's shares: a split changes no market cap.
                cap = closes[:day].iloc[-1] * shares.to_numpy()[known][-1]
                self.assertAlmostEqual(row["market_cap"] / cap, 1, 3, (key, day))
                checked += 1
        self.assertGreater(checked, 12_000)

    def test_lists_are_saved_read_and_deleted(self):
        saved = bourse.save_list("My semis", {"US:NVDA": 10, "8035.T": 300})
        self.assertEqual((saved["name"], saved["added"]), ("my-semis", ["US:NVDA", "JP:8035"]))
        self.assertEqual(bourse.save_list("my-semis", ["NVDA", {"symbol": "8035", "country": "JP", "note": "é"}])["added"], [])
        self.assertEqual(bourse.lists()["name"].tolist(), ["my-semis"])
        items = bourse.lists("my-semis", metrics="price")
        self.assertEqual(items["symbol"].tolist(), ["NVDA", "8035"])
        self.assertEqual(items["note"].iloc[1], "é")
        self.assertEqual(bourse.compare("list:my-semis", "price")["price"].tolist(), items["price"].tolist())
        with self.assertRaisesRegex(bourse.NotFound, "Nothing was saved.*NOSUCH"):
            bourse.save_list("my-semis", ["NOSUCH"])
        self.assertEqual(bourse.delete_list("My semis"), {"deleted": "my-semis", "source": None})
        with self.assertRaisesRegex(bourse.NotFound, "has no list my-semis"):
            bourse.lists("my-semis")

    def test_errors_have_the_services_sentence(self):
        with self.assertRaisesRegex(bourse.BourseError, "Did you mean pe") as raised:
            bourse.screen("US", where="pee<1")
        self.assertEqual((raised.exception.status, raised.exception.code, raised.exception.param), (400, "INVALID_REQUEST", "where"))
        with self.assertRaisesRegex(bourse.NotFound, "NOPE"):
            bourse.compare("NOPE")
        with self.assertRaisesRegex(bourse.NotFound, "not found in US, JP or VN"):
            bourse.prices("NOPE")
        for name, advice in (("Search", "bourse.symbols"), ("EquityQuery", "bourse.screen"), ("Sector", "bourse.sectors"),
                             ("downlod", "did you mean download")):
            with self.assertRaisesRegex(AttributeError, f"no '{name}'.*{advice}"):
                getattr(bourse, name)
        bourse.set_tz_cache_location("/tmp/cache")


class Connection(unittest.TestCase):
    def setUp(self):
        self.slept = []
        self.sleep = bourse.time.sleep

        def sleep(seconds):
            self.slept.append(seconds)
            helper(f"advance/{seconds}")

        bourse.time.sleep = sleep

    def tearDown(self):
        bourse.time.sleep = self.sleep
        bourse.connect()

    def test_a_used_up_hour_waits_once_as_told(self):
        # The plan free has 30 calls an hour. The service's clock stands still unless the test moves it.
        bourse.connect(token=helper("token/free"))
        with logged() as lines:
            for _ in range(31):
                bourse.markets()
        self.assertEqual((len(self.slept), self.slept[0] <= 3600), (1, True))
        self.assertRegex(lines.getvalue(), "Rate limit.*Waiting")

    def test_a_used_up_quota_is_an_error_after_one_wait_and_if_the_wait_is_too_long(self):
        bourse.connect(token=helper("token/free"))
        for _ in range(30):
            bourse.markets()
        bourse.time.sleep = self.slept.append
        with logged(), self.assertRaisesRegex(bourse.RateLimitError, "(?i)rate limit") as raised:
            bourse.markets()
        self.assertEqual((self.slept, raised.exception.status), ([raised.exception.retry_after], 429))
        bourse.connect(token=bourse._Settings.token, max_wait=raised.exception.retry_after - 1)
        for call in (bourse.markets, bourse.Ticker("AAPL").history, lambda: bourse.download(["AAPL", "MSFT"]), lambda: bourse.Ticker("AAPL").info):
            with self.assertRaises(bourse.RateLimitError):
                call()
        self.assertEqual(len(self.slept), 1)

    def test_a_wrong_token(self):
        token = helper("token/max")
        bourse.connect(token=token)
        bourse.markets()
        helper("revoke")
        for call in (bourse.markets, bourse.Ticker("AAPL").history, lambda: bourse.download("AAPL")):
            with self.assertRaises(bourse.AuthenticationError) as raised:
                call()
            self.assertEqual((raised.exception.code, token in str(raised.exception)), ("INVALID_TOKEN", False))
        bourse.connect(token="ключ\n")
        with self.assertRaisesRegex(bourse.AuthenticationError, "Copy the token"):
            bourse.markets()

    def test_without_a_token(self):
        token = os.environ.pop("BOURSE_TOKEN")
        try:
            with self.assertRaisesRegex(bourse.AuthenticationError, "Set BOURSE_TOKEN") as raised:
                bourse.markets()
            self.assertEqual(raised.exception.code, "MISSING_AUTH")
        finally:
            os.environ["BOURSE_TOKEN"] = token

    def test_no_service_at_the_address(self):
        for url, sentence in (("http://127.0.0.1:1", "does not answer.*Check BOURSE_URL"), ("127.0.0.1:8787", "must be http"),
                              ("file:///etc/passwd", "must be http"), (f"{HELPER}/page", "not a bourse service"),
                              (f"{HELPER}/broken", "answered 502"), (f"{HELPER}/cut", "does not answer")):
            with self.subTest(url):
                bourse.connect(url)
                with self.assertRaisesRegex(bourse.Unreachable, sentence):
                    bourse.markets()

    def test_a_service_of_another_kind(self):
        bourse.connect(f"{HELPER}/other")
        for call in (lambda: bourse.get("markets"), lambda: bourse.overview("AAPL"), bourse.markets):
            with self.assertRaisesRegex(bourse.Unreachable, "not a bourse service"):
                call()

    def test_a_redirect_gets_no_token(self):
        bourse.connect(f"{HELPER}/moved")
        with self.assertRaisesRegex(bourse.Unreachable, "Connect to https://elsewhere.example"):
            bourse.markets()
        self.assertEqual(helper("asked"), "")


if __name__ == "__main__":
    unittest.main(verbosity=1)
