import { describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { dividendsOfLastYear } from "#analytics/valuation.ts";
import { parseBars } from "#imports/bars-file.ts";
import { yahooBars } from "#sources/yahoo/bars.ts";
import { yahooDividends, yahooSplits } from "#sources/yahoo/events.ts";
import { yahooSymbol } from "#sources/yahoo/symbol.ts";
import { faultOf, transformed } from "../support/fetcher.ts";
import { answersFrom } from "../support/answers.ts";
import { ask, fakeChart, flat, inJapan, instrument } from "./yahoo-support.ts";
import { hasRecordings, recordedBytes, recordedJson, recordedText } from "../support/recordings.ts";

const AAPL = instrument();
const gold = instrument({ symbol: "GC=F", assetType: "commodity", exchange: "COMEX" });
const corn = instrument({ symbol: "ZC=F", assetType: "commodity", exchange: "CBOT" });
const bitcoin = instrument({ symbol: "BTC-USD", assetType: "cryptocurrency", exchange: null });
const yen = instrument({
  country: "JP",
  symbol: "JPY=X",
  assetType: "currency",
  exchange: "FX",
  currency: "JPY",
});
const vnIndex = instrument({
  country: "VN",
  symbol: "VNINDEX",
  assetType: "index",
  exchange: "HOSE",
  currency: "VND",
});

const whole = (answer: unknown) => ({ whole: true, answer });
const newer = (answer: unknown) => ({ whole: false, answer });
const barsOf = (raw: unknown, query: Parameters<typeof transformed>[3]) =>
  transformed("bars", yahooBars, raw, query)[0]?.bars ?? [];
const datesOf = (raw: unknown, query: Parameters<typeof transformed>[3]) =>
  barsOf(raw, query).map(({ date }) => date);

describe("symbols", () => {
  test("each instrument has its symbol at Yahoo", () => {
    const symbols = [
      AAPL,
      instrument({ symbol: "BRK.B" }),
      inJapan("7203"),
      inJapan("130A"),
      instrument({ country: "VN", symbol: "FPT", currency: "VND" }),
      instrument({ symbol: "^GSPC", assetType: "index" }),
      vnIndex,
      yen,
      gold,
      bitcoin,
    ].map(yahooSymbol);
    expect(symbols).toEqual(
      "AAPL BRK-B 7203.T 130A.T FPT.VN ^GSPC ^VNINDEX.VN JPY=X GC=F BTC-USD".split(" "),
    );
  });

  test("an index without a symbol at Yahoo is not requested", async () => {
    const client = answersFrom({});
    const hnx = { ...vnIndex, symbol: "HNXINDEX" };
    expect(await faultOf(() => yahooBars.fetch(ask(hnx, "2026-11-20T10:00Z"), client))).toBe(
      "nothing",
    );
    expect(client.requests).toEqual([]);
  });
});

describe.skipIf(!hasRecordings)("recorded charts (../shared/data/yahoo)", () => {
  test("AAPL's price of 2022-02-22 is the split-adjusted one, not the dividend-adjusted 161.70", () => {
    const bars = barsOf(
      whole(recordedJson("yahoo/chart-AAPL.json")),
      ask(AAPL, "2025-03-24T14:00Z"),
    );
    expect(bars).toEqual([
      {
        date: "2022-02-22",
        open: 164.98,
        high: 166.69,
        low: 162.15,
        close: 164.32,
        volume: 91_162_800,
      },
    ]);
  });

  test("AAPL's whole history since 1980 is read", () => {
    const raw = recordedJson("yahoo/chart_2022_AAPL_ee55.json");
    const bars = barsOf(whole(raw), ask(AAPL, "2022-07-18T09:00Z"));
    // 10,486 times are recorded; on 1981-08-10 (four prices equal to the previous close, volume 0) there
    // was no trade.
    expect(bars).toHaveLength(10_485);
    expect(bars[0]?.date).toBe("1980-12-12");
    expect(bars.at(-1)).toEqual({
      date: "2022-07-15",
      open: 149.78,
      high: 150.86,
      low: 148.2,
      close: 150.17,
      volume: 76_030_800,
    });
    // The first day after the 4:1 split: closes before and after it have the same size.
    const split = bars.findIndex(({ date }) => date === "2020-08-31");
    expect(bars[split - 1]?.close).toBeCloseTo(124.81, 2);
    expect(bars[split]?.close).toBeCloseTo(129.04, 2);
  });

  test("1301.T's current day is left out, by Tokyo's dates", () => {
    const raw = recordedJson("yahoo/chart_1301.T_1mo_1d.json");
    // 23 bars from 2024-11-06 to 2024-12-06; Tokyo's session is over at 07:00 UTC.
    const during = datesOf(whole(raw), ask(inJapan("1301"), "2024-12-06T06:00Z"));
    const after = barsOf(whole(raw), ask(inJapan("1301"), "2024-12-06T07:00Z"));
    expect(during).toHaveLength(22);
    expect(during.at(-1)).toBe("2024-12-05");
    expect(after).toHaveLength(23);
    expect(after[0]).toEqual({
      date: "2024-11-06",
      open: 4125,
      high: 4190,
      low: 4000,
      close: 4035,
      volume: 100_400,
    });
    expect(after.at(-1)?.date).toBe("2024-12-06");
  });

  test("6309.T's whole history is requested after its 3:1 split, and its dividend is read", async () => {
    const body = recordedText("yahoo/chart_6309.T_split_dividend.json");
    const client = answersFrom({ "/v8/finance/chart/6309.T": body });
    const about = inJapan("6309");
    const query = ask(about, "2025-05-19T08:00Z", "2025-04-25");
    const raw = await yahooBars.fetch(query, client);
    expect(client.requests.map(({ url }) => new URL(url).searchParams.get("period1"))).toEqual([
      String(Date.parse("2025-04-25") / 1000),
      "0",
    ]);
    const bars = barsOf(raw, query);
    // 1428.33 was 4285 before the split: 4285 / 3.
    expect(bars[0]).toMatchObject({ date: "2025-04-21", close: 1428.3334 });
    expect(bars).toHaveLength(18);
    expect(transformed("dividends", yahooDividends, JSON.parse(body), query)).toEqual([
      { country: "JP", symbol: "6309", dividends: [{ exDate: "2025-04-28", amount: 73 }] },
    ]);
  });

  test("AAPL's five splits are read", () => {
    const raw = recordedJson("yahoo/chart_2022_AAPL_ee55.json");
    const [history] = transformed("splits", yahooSplits, raw, ask(AAPL, "2022-07-18T09:00Z"));
    // investor.apple.com/faq: "Apple's stock has split five times since the company went public."
    expect(history?.splits).toEqual([
      { exDate: "1987-06-16", numerator: 2, denominator: 1 },
      { exDate: "2000-06-21", numerator: 2, denominator: 1 },
      { exDate: "2005-02-28", numerator: 2, denominator: 1 },
      { exDate: "2014-06-09", numerator: 7, denominator: 1 },
      { exDate: "2020-08-31", numerator: 4, denominator: 1 },
    ]);
  });

  test("AAPL's 75 dividends are split-adjusted", () => {
    const raw = recordedJson("yahoo/chart_2022_AAPL_ee55.json");
    const [history] = transformed("dividends", yahooDividends, raw, ask(AAPL, "2022-07-18T09:00Z"));
    expect(history?.dividends).toHaveLength(75);
    // Apple paid 0.12 a share in May 1987; split 2:1 three times, 7:1 and 4:1 since: 0.12 / 224.
    expect(history?.dividends[0]).toEqual({ exDate: "1987-05-11", amount: 0.000536 });
    expect(history?.dividends.at(-1)).toEqual({ exDate: "2022-05-06", amount: 0.23 });
  });
});

describe("requests for bars", () => {
  const now = "2026-11-20T22:30Z";

  test("ask for the whole history of the encoded symbol without stored bars", async () => {
    const client = answersFrom({ "/chart/": JSON.stringify(fakeChart([])) });
    await yahooBars.fetch(ask(vnIndex, now), client);
    expect(client.requests.map(({ url }) => url)).toEqual([
      `https://query1.finance.yahoo.com/v8/finance/chart/%5EVNINDEX.VN?period1=0&period2=${Date.parse(now) / 1000}&interval=1d&events=div%7Csplit`,
    ]);
  });

  test("ask for newer bars if bars are stored, and return only these", async () => {
    const body = fakeChart([
      flat("2026-11-18T14:30Z", 10, 100),
      flat("2026-11-19T14:30Z", 11, 100),
      flat("2026-11-20T14:30Z", 12, 100),
    ]);
    const client = answersFrom({ "/chart/": JSON.stringify(body) });
    const query = ask(AAPL, now, "2026-11-18");
    const raw = await yahooBars.fetch(query, client);
    expect(client.requests).toHaveLength(1);
    expect(datesOf(raw, query)).toEqual(["2026-11-19", "2026-11-20"]);
  });

  test("ask for the whole history after a split since the newest stored bar", async () => {
    const bars = [flat("2026-11-18T14:30Z", 5, 100), flat("2026-11-19T14:30Z", 6, 100)];
    const splits = {
      "1": {
        date: Date.parse("2026-11-19T14:30Z") / 1000,
        numerator: 2,
        denominator: 1,
        splitRatio: "2:1",
      },
    };
    const client = answersFrom({ "/chart/": JSON.stringify(fakeChart(bars, {}, { splits })) });
    const query = ask(AAPL, now, "2026-11-18");
    const raw = await yahooBars.fetch(query, client);
    expect(client.requests.map(({ url }) => new URL(url).searchParams.get("period1"))).toEqual([
      String(Date.parse("2026-11-18") / 1000),
      "0",
    ]);
    expect(datesOf(raw, query)).toEqual(["2026-11-18", "2026-11-19"]);
  });

  test("have the fault `nothing` for a symbol that Yahoo does not know", async () => {
    const error = { code: "Not Found", description: "No data found, symbol may be delisted" };
    const body = JSON.stringify({ chart: { result: null, error } });
    const client = answersFrom({ "/v8/finance/chart/": { status: 404, body } });
    for (const fetcher of [yahooBars, yahooDividends]) {
      const query = ask(AAPL, "2026-11-20T22:00Z");
      const fault = await faultOf(async () =>
        fetcher.transform(await fetcher.fetch(query, client), query),
      );
      expect(fault).toBe("nothing");
    }
  });

  test("return an empty record without newer bars, and no record without any bar", async () => {
    const body = fakeChart([]);
    expect(datesOf(newer(body), ask(AAPL, now, "2026-11-20"))).toEqual([]);
    expect(await faultOf(() => barsOf(whole(body), ask(AAPL, now)))).toBe("nothing");
    const refused = {
      chart: {
        result: null,
        error: {
          code: "Bad Request",
          description: "Data doesn't exist for startDate = 1, endDate = 2",
        },
      },
    };
    expect(await faultOf(() => barsOf(newer(refused), ask(AAPL, now, "2026-11-20")))).toBe(
      "nothing",
    );
  });
});

describe("bars", () => {
  const evening = "2026-11-20T22:30Z";

  test("a bar without four prices above 0 is left out", () => {
    const partly = { ...flat("2026-11-18T14:30Z", 10, 5), low: null };
    // WTI closed at -37.63 on 2020-04-20.
    const below = { ...flat("2026-11-19T14:30Z", 10, 5), close: -37.63 };
    const body = fakeChart([partly, below, flat("2026-11-20T14:30Z", 12, 5)]);
    expect(datesOf(whole(body), ask(AAPL, evening))).toEqual(["2026-11-20"]);
  });

  test("a day without trades that was filled forward is left out", () => {
    const body = fakeChart([
      flat("2026-11-18T14:30Z", 10, 5),
      flat("2026-11-19T14:30Z", 10, 0),
      flat("2026-11-20T14:30Z", 11, 0),
    ]);
    expect(datesOf(whole(body), ask(AAPL, evening))).toEqual(["2026-11-18", "2026-11-20"]);
  });

  test("a day that was closed by decree is not a session", () => {
    const index = {
      symbol: "^VNINDEX.VN",
      currency: "VND",
      exchangeTimezoneName: "Asia/Ho_Chi_Minh",
    };
    const body = fakeChart(
      [
        flat("2027-05-03T02:00Z", 1_500, 5),
        flat("2027-05-04T02:00Z", 1_500, 0),
        flat("2027-05-05T02:00Z", 1_510, 5),
      ],
      index,
    );
    const query = ask(vnIndex, "2027-05-05T09:00Z");
    const decreed = { country: "VN", date: "2027-05-04", name: "Swap", closed: true } as const;
    expect(datesOf(whole(body), query)).toContain("2027-05-04");
    expect(datesOf(whole(body), { ...query, holidayOverrides: [decreed] })).toEqual([
      "2027-05-03",
      "2027-05-05",
    ]);
  });

  test("of two bars of one day the later one is used, because Yahoo adds the current price", () => {
    const body = fakeChart([flat("2026-11-20T14:30Z", 10, 5), flat("2026-11-20T21:00Z", 11, 6)]);
    expect(barsOf(whole(body), ask(AAPL, evening))).toMatchObject([
      { date: "2026-11-20", close: 11, volume: 6 },
    ]);
  });

  test("high and low include open and close", () => {
    const bar = { ...flat("2026-11-20T14:30Z", 10, 5), open: 10.5, close: 9.5 };
    expect(barsOf(whole(fakeChart([bar])), ask(AAPL, evening))).toMatchObject([
      { high: 10.5, low: 9.5 },
    ]);
  });

  test("a bar of an instrument that trades at weekends is complete at the end of its own local day", () => {
    const meta = { symbol: "BTC-USD", exchangeTimezoneName: "UTC" };
    const body = fakeChart(
      [flat("2026-11-21T00:00Z", 95_000.5, 9), flat("2026-11-22T00:00Z", 96_000, 9)],
      meta,
    );
    expect(datesOf(whole(body), ask(bitcoin, "2026-11-22T12:00Z"))).toEqual(["2026-11-21"]);
  });

  test("currencies have dates of London, and their volume of 0 is null", () => {
    // Midnight in London is 23:00 UTC of the day before in summer.
    const meta = { symbol: "JPY=X", currency: "JPY", exchangeTimezoneName: "Europe/London" };
    const body = fakeChart([flat("2026-07-14T23:00Z", 155.25, 0)], meta);
    expect(barsOf(whole(body), ask(yen, "2026-07-16T12:00Z"))).toMatchObject([
      { date: "2026-07-15", close: 155.25, volume: null },
    ]);
  });

  test("prices in US cents are converted to dollars, and another currency is refused", async () => {
    const bar = flat("2026-11-19T05:00Z", 430.25, 9);
    const cents = fakeChart([bar], { symbol: "ZC=F", currency: "USX" });
    expect(barsOf(whole(cents), ask(corn, evening))).toMatchObject([{ close: 4.3025 }]);
    const euros = fakeChart([bar], { symbol: "ZC=F", currency: "EUR" });
    expect(await faultOf(() => barsOf(whole(euros), ask(corn, evening)))).toBe("invalid_answer");
  });

  const good = () => fakeChart([flat("2026-11-20T14:30Z", 10, 5)]);
  const query = ask(AAPL, evening);
  const changed: Record<string, (body: ReturnType<typeof good>) => unknown> = {
    "a body that is no object": () => [1, 2],
    "another root": ({ chart }) => ({ graph: chart }),
    "no result and no error": () => ({ chart: { result: null, error: null } }),
    "two charts": ({ chart }) => ({ chart: { result: [...chart.result, ...chart.result] } }),
    "another symbol": () => fakeChart([], { symbol: "MSFT" }),
    "an unknown time zone": () => fakeChart([], { exchangeTimezoneName: "Mars/Olympus" }),
    "a price in words": () =>
      fakeChart([{ ...flat("2026-11-20T14:30Z", 10, 5), close: "10" as unknown as number }]),
    "monthly bars": () => fakeChart([flat("2026-11-20T14:30Z", 10, 5)], { dataGranularity: "1mo" }),
    "a time beyond all dates": () => fakeChart([{ ...flat("2026-11-20", 10, 5), time: 1e300 }]),
    "fewer prices than times": (body) => {
      body.chart.result[0]?.indicators.quote[0]?.close?.pop();
      return body;
    },
  };
  for (const [name, change] of Object.entries(changed)) {
    test(`${name}: the answer is refused`, async () => {
      expect(barsOf(whole(good()), query)).toHaveLength(1);
      expect(await faultOf(() => barsOf(whole(change(good())), query))).toBe("invalid_answer");
    });
  }

  test("an error that Yahoo reports is not an empty history", async () => {
    const body = { finance: { result: null, error: { code: "Internal Server Error" } } };
    expect(await faultOf(() => barsOf(whole(body), query))).toBe("unreachable");
  });
});

describe("splits", () => {
  const evening = "2026-11-20T22:30Z";
  const splitAt = (time: string, numerator: number, denominator: number) => ({
    date: Date.parse(time) / 1000,
    numerator,
    denominator,
  });

  test("are those of the answer that has the dividends: one request for both", async () => {
    const body = JSON.stringify(fakeChart([], { dataGranularity: "1mo" }));
    const client = answersFrom({ "/chart/": body });
    await yahooDividends.fetch(ask(AAPL, evening), client);
    await yahooSplits.fetch(ask(AAPL, "2026-11-20T22:31Z"), client);
    const [first, second] = client.requests;
    expect(second?.url).toBe(first?.url ?? "");
    expect([first?.maxAgeMs, second?.maxAgeMs]).toEqual([600_000, 600_000]);
    // It ends with the day: the split of a session that opens later today is in it.
    expect(new URL(first?.url ?? "").searchParams.get("period2")).toBe(
      String(Date.parse("2026-11-21T00:00Z") / 1000),
    );
  });

  test("are listed oldest first by the exchange's dates; a share that never split has none", () => {
    const splits = {
      a: splitAt("2025-03-29T00:00Z", 5, 1),
      b: splitAt("2013-09-25T15:30Z", 1, 10),
      c: splitAt("2020-01-06T00:00Z", 1, 1),
    };
    const meta = { symbol: "6758.T", currency: "JPY", exchangeTimezoneName: "Asia/Tokyo" };
    const sony = ask(inJapan("6758"), evening);
    expect(transformed("splits", yahooSplits, fakeChart([], meta, { splits }), sony)).toEqual([
      {
        country: "JP",
        symbol: "6758",
        splits: [
          { exDate: "2013-09-26", numerator: 1, denominator: 10 },
          { exDate: "2025-03-29", numerator: 5, denominator: 1 },
        ],
      },
    ]);
    expect(transformed("splits", yahooSplits, fakeChart([]), ask(AAPL, evening))).toEqual([
      { country: "US", symbol: "AAPL", splits: [] },
    ]);
  });

  test.each([
    [0, 0],
    [4, 0],
    [0, 1],
    [null, 1],
    [-2, 1],
  ])("are unknown if one of them is %p for %p", (numerator, denominator) => {
    const splits = {
      a: splitAt("2020-08-31T13:30Z", 4, 1),
      b: { date: 1_000_000_000, numerator, denominator },
    };
    const body = fakeChart([flat("2026-11-20T14:30Z", 10, 100)], {}, { splits });
    expect(() => transformed("splits", yahooSplits, body, ask(AAPL, evening))).toThrow(
      "a split has no ratio",
    );
    const others = yahooBars.others?.(whole(body), ask(AAPL, evening)) ?? [];
    expect(others.map(({ kind }) => kind)).toEqual(["dividends"]);
  });

  test("and dividends come with a whole history of bars; not with newer bars alone", () => {
    const splits = { a: splitAt("2026-11-19T14:30Z", 4, 1) };
    const body = fakeChart([flat("2026-11-20T14:30Z", 10, 100)], {}, { splits });
    const others = (raw: unknown) => yahooBars.others?.(raw, ask(AAPL, evening)) ?? [];
    expect(others(whole(body)).map(({ kind }) => kind)).toEqual(["splits", "dividends"]);
    expect(others(whole(body))[0]?.records).toEqual([
      {
        country: "US",
        symbol: "AAPL",
        splits: [{ exDate: "2026-11-19", numerator: 4, denominator: 1 }],
      },
    ]);
    expect(others(newer(body))).toEqual([]);
  });

  test("of a session that is not over are in the bars before it already", () => {
    const splits = { a: splitAt("2026-11-20T14:30Z", 4, 1), b: splitAt("2026-12-01T14:30Z", 2, 1) };
    const body = fakeChart([flat("2026-11-19T14:30Z", 10, 100)], {}, { splits });
    const [history] = transformed("bars", yahooBars, whole(body), ask(AAPL, "2026-11-20T13:00Z"));
    expect(history).toMatchObject({ sharesAsOf: "2026-11-20", bars: [{ date: "2026-11-19" }] });
    const paid = fakeChart([], {}, { splits, dividends: {} });
    const [before, after] = ["2026-11-20T13:00Z", "2026-11-20T15:00Z"].map(
      (now) => transformed("dividends", yahooDividends, paid, ask(AAPL, now))[0],
    );
    expect([before?.sharesAsOf, after?.sharesAsOf]).toEqual(["2026-11-20", undefined]);
  });
});

describe("dividends", () => {
  test("a share that never paid has an empty history; other instruments have none", async () => {
    const query = ask(AAPL, "2026-11-20T22:30Z");
    expect(transformed("dividends", yahooDividends, fakeChart([]), query)).toEqual([
      { country: "US", symbol: "AAPL", dividends: [] },
    ]);
    const client = answersFrom({});
    expect(await faultOf(() => yahooDividends.fetch(ask(gold, "2026-11-20"), client))).toBe(
      "nothing",
    );
  });

  test("they are listed oldest first, without amounts of 0", () => {
    const at = (time: string, amount: number) => ({ date: Date.parse(time) / 1000, amount });
    const dividends = {
      a: at("2026-08-10T13:30Z", 0.26),
      b: at("2026-05-11T13:30Z", 0.25),
      c: at("2026-02-09T14:30Z", 0),
    };
    const body = fakeChart([], { dataGranularity: "1mo" }, { dividends });
    const query = ask(AAPL, "2026-11-20T22:30Z");
    expect(transformed("dividends", yahooDividends, body, query)[0]?.dividends).toEqual([
      { exDate: "2026-05-11", amount: 0.25 },
      { exDate: "2026-08-10", amount: 0.26 },
    ]);
  });
});

test("a dividend in another currency or in pence names it; without one it is in the currency of the prices", () => {
  const at = (month: number, currency?: string | null) => ({
    date: Date.UTC(2026, month - 1, 10, 15) / 1000,
    amount: 94.25,
    ...(currency !== undefined && { currency }),
  });
  const codes = [undefined, null, "", "USD", "CAD", "GBp", "ILA", "ZAc", "USX"];
  const dividends = Object.fromEntries(codes.map((code, i) => [i, at(i + 1, code)]));
  const body = fakeChart([], { dataGranularity: "1mo" }, { dividends });
  const [history] = transformed("dividends", yahooDividends, body, ask(AAPL, "2026-11-20T22:30Z"));
  expect(history?.dividends.map(({ amount, currency }) => [amount, currency])).toEqual([
    ...codes.slice(0, 4).map(() => [94.25, undefined]),
    ...codes.slice(4).map((code) => [94.25, code ?? undefined]),
  ]);
});

test("capital gains of a fund are requested, and are a part of the dividend of their day", async () => {
  const spy = instrument({ symbol: "SPY", assetType: "etf" });
  const query = ask(spy, "2026-11-20T22:30Z");
  const client = answersFrom({ "/chart/": "{}" });
  await yahooDividends.fetch(query, client);
  expect(client.requests[0]?.url).toEndWith("&events=div%7Csplit%7CcapitalGains");
  const at = (day: string, amount: number) => ({
    date: Date.parse(`2025-${day}T15:00Z`) / 1000,
    amount,
  });
  // Yahoo's dividend of 7.857 is one of 1.437 and a gain of 6.42. In September it does not contain the gain.
  const dividends = { a: at("12-17", 7.857), b: at("09-17", 0.25), c: at("06-17", 0.5) };
  const capitalGains = { a: at("12-17", 6.42), b: at("09-17", 0.75), c: at("03-17", 0.1) };
  const body = fakeChart([], { symbol: "SPY" }, { dividends, capitalGains });
  const [history] = transformed("dividends", yahooDividends, body, query);
  expect(history?.dividends).toEqual([
    { exDate: "2025-03-17", amount: 0.1, capitalGain: 0.1 },
    { exDate: "2025-06-17", amount: 0.5 },
    { exDate: "2025-09-17", amount: 1, capitalGain: 0.75 },
    { exDate: "2025-12-17", amount: 7.857, capitalGain: 6.42 },
  ]);
  // 0.1 − 0.1 + 0.5 + 1 − 0.75 + 7.857 − 6.42
  expect(dividendsOfLastYear(history?.dividends ?? [], "2025-12-31")).toBeCloseTo(2.187, 9);
});

describe.if(hasRecordings)("Shin-Etsu's split of 2023, five for one", () => {
  const chart = () =>
    JSON.parse(gunzipSync(recordedBytes("real-2/yahoo-chart-4063.T.json.gz")).toString()) as {
      chart: { result: { events: object }[] };
    };
  const shinEtsu = ask(inJapan("4063"), "2023-04-16T12:00Z");
  const csv = (name: string) =>
    parseBars(recordedText(`real-2/prices/${name}.csv`), {
      country: "JP",
      assetType: "stock",
      fileName: name,
    }).bars;

  test("divides the bars that Yahoo has not adjusted", () => {
    expect(barsOf(whole(chart()), shinEtsu)).toEqual(csv("4063-T-1d-bad-stock-split-fixed"));
  });
});
