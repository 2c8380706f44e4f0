import { expect, test } from "bun:test";
import { IMPORT } from "#domain/records.ts";
import { NO_ITEMS } from "#domain/statement.ts";
import { openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { flatBar, openTestMarket, stock } from "../support/market.ts";
import { quote } from "../support/refresher.ts";

// NVIDIA: 10 new shares for one on Monday 2024-06-10. It closed at 1,208.88 on the Friday before.
const NVDA = { country: "US", symbol: "NVDA" } as const;
const SPLIT = { exDate: "2024-06-10", numerator: 10, denominator: 1 };
const FRIDAY = "2024-06-07";
const MONDAY = "2024-06-10";

const at = (date: string, time = "22:00") => Date.parse(`${date}T${time}:00Z`);
const fetched = (storedAt: number, source = "yahoo") => ({ source, storedAt });

const bar = (date: string, close: number) => flatBar(date, close, 412_386_000);

function openNvidia() {
  const home = openFolder();
  const time = { now: at(FRIDAY) };
  const market = openMarket(home.path, () => time.now);
  market.put("instruments", [stock("US", "NVDA")], fetched(at(FRIDAY)));
  market.put("splits", [{ ...NVDA, splits: [SPLIT] }], fetched(at(FRIDAY)));
  const id = market.instruments.find(NVDA)?.id ?? 0;
  return {
    market,
    id,
    time,
    closes: () => [...market.bars.closes(id, 9).close],
    [Symbol.dispose]() {
      market.close();
      home[Symbol.dispose]();
    },
  };
}

test("every record of before a split is in new shares from its ex-date on, and not a minute earlier", () => {
  using home = openNvidia();
  const { market, id, time } = home;
  const stored = fetched(at(FRIDAY));
  const estimate = { low: 5, average: 6, high: 7, analysts: 3 };
  const target = { low: 900, mean: 1_200, median: 1_250, high: 1_500, analysts: 50 };
  const put = () => {
    market.put("instruments", [stock("US", "NVDA", { sharesOutstanding: 2.46e9 })], stored);
    market.bars.put(
      [{ ...NVDA, bars: [bar("2024-06-06", 1_209.98), bar(FRIDAY, 1_208.88)] }],
      stored,
    );
    market.put(
      "quotes",
      [
        {
          ...quote("NVDA", 1_208.88),
          date: FRIDAY,
          previousClose: 1_209.98,
          volume: 5e6,
          epsTtm: 17.09,
          marketCap: 3e12,
        },
      ],
      stored,
    );
    market.put(
      "recentCloses",
      [{ ...NVDA, from: "2024-06-06", days: [0, 1], closes: [1_209.98, 1_208.88] }],
      stored,
    );
    market.put(
      "dividends",
      [{ ...NVDA, dividends: [{ exDate: "2024-03-05", amount: 0.04 }] }],
      stored,
    );
    market.put(
      "analystCoverage",
      [
        {
          ...NVDA,
          ratings: [],
          priceTarget: target,
          estimates: [
            {
              period: "current_year",
              periodEnd: "2025-01-31",
              eps: estimate,
              revenue: { ...estimate, average: 117e9 },
              epsYearAgo: 12.96,
            },
          ],
          actions: [
            {
              date: "2024-05-23",
              firm: "A",
              action: "maintain",
              fromGrade: null,
              toGrade: "Buy",
              priceTarget: 1_400,
              priorPriceTarget: null,
            },
          ],
        },
      ],
      stored,
    );
    market.put(
      "earningsDates",
      [
        {
          ...NVDA,
          date: "2024-08-28",
          session: "after_market_close",
          fiscalPeriod: null,
          epsEstimate: 5.94,
          revenueEstimate: 28e9,
          analysts: 9,
        },
      ],
      stored,
    );
  };
  put();
  const read = () => {
    const bars = market.bars.series(id, 9);
    const coverage = market.documents.find("analystCoverage", "US", "NVDA");
    const newest = market.documents.find("quotes", "US", "NVDA");
    return {
      shares: market.instruments.find(NVDA)?.sharesOutstanding,
      sameShares: market.instruments.findById(id)?.sharesOutstanding,
      closes: home.closes(),
      columns: [bars.open, bars.high, bars.low, bars.close, bars.volume].map((column) => column[1]),
      found: [
        market.bars.findAtOrBefore(id, FRIDAY)?.close,
        market.bars.findOnOrAfter(id, FRIDAY)?.open,
        market.bars.listNewest(id, 1)[0]?.low,
      ],
      quote: [
        newest?.price,
        newest?.previousClose,
        newest?.volume,
        newest?.epsTtm,
        newest?.marketCap,
      ],
      recent: market.documents.find("recentCloses", "US", "NVDA")?.closes,
      dividend: market.documents.find("dividends", "US", "NVDA")?.dividends[0]?.amount,
      target: coverage?.priceTarget,
      estimate: coverage?.estimates[0],
      action: coverage?.actions[0],
      nextEps: market.documents.list("earningsDates", "US")[0]?.epsEstimate,
    };
  };
  const before = {
    shares: 2.46e9,
    sameShares: 2.46e9,
    closes: [1_209.98, 1_208.88],
    columns: [1_208.88, 1_208.88, 1_208.88, 1_208.88, 412_386_000],
    found: [1_208.88, 1_208.88, 1_208.88],
    quote: [1_208.88, 1_209.98, 5e6, 17.09, 3e12],
    recent: [1_209.98, 1_208.88],
    dividend: 0.04,
    target,
    estimate: expect.objectContaining({ eps: estimate, epsYearAgo: 12.96 }),
    action: expect.objectContaining({ priceTarget: 1_400, priorPriceTarget: null }),
    nextEps: 5.94,
  };
  expect(read()).toEqual(before);
  time.now = at("2024-06-09", "23:59");
  expect(read()).toEqual(before);
  time.now = at(MONDAY, "00:00");
  // Amounts per share ÷ 10, numbers of shares · 10, money as it was.
  expect(read()).toEqual({
    shares: 24.6e9,
    sameShares: 24.6e9,
    closes: [120.998, 120.888],
    columns: [120.888, 120.888, 120.888, 120.888, 4_123_860_000],
    found: [120.888, 120.888, 120.888],
    quote: [120.888, 120.998, 5e7, 1.709, 3e12],
    recent: [120.998, 120.888],
    dividend: 0.004,
    target: { low: 90, mean: 120, median: 125, high: 150, analysts: 50 },
    estimate: expect.objectContaining({
      eps: { low: 0.5, average: 0.6, high: 0.7, analysts: 3 },
      revenue: { ...estimate, average: 117e9 },
      epsYearAgo: 1.296,
    }),
    action: expect.objectContaining({ priceTarget: 140, priorPriceTarget: null }),
    nextEps: 0.594,
  });
});

test("the whole history of after a split is in new shares already", () => {
  using home = openNvidia();
  const { market, time } = home;
  time.now = at(MONDAY);
  const whole = [bar(FRIDAY, 120.888), bar(MONDAY, 121.79)];
  market.bars.put([{ ...NVDA, bars: whole }], fetched(at(MONDAY)));
  expect(home.closes()).toEqual([120.888, 121.79]);
});

test("a source that has adjusted its bars before the first session in new shares says so", () => {
  using home = openNvidia();
  const { market, time } = home;
  time.now = at(MONDAY, "10:00");
  const history = { ...NVDA, sharesAsOf: MONDAY, bars: [bar(FRIDAY, 120.888)] };
  market.bars.put([history], fetched(time.now));
  expect(home.closes()).toEqual([120.888]);
});

test("bars that continue a history across a split bring the older ones into the same shares", () => {
  using home = openNvidia();
  const { market, id, time } = home;
  market.bars.put([{ ...NVDA, bars: [bar(FRIDAY, 1_208.88)] }], fetched(at(FRIDAY)));
  time.now = at(MONDAY);
  market.bars.put([{ ...NVDA, bars: [bar(MONDAY, 121.79)] }], fetched(at(MONDAY)));
  expect(home.closes()).toEqual([120.888, 121.79]);
  expect(market.bars.listNewest(id, 2)[1]?.volume).toBe(4_123_860_000);
  // A second one changes nothing more.
  market.bars.put([{ ...NVDA, bars: [bar("2024-06-11", 120.91)] }], fetched(at("2024-06-11")));
  expect(home.closes()).toEqual([120.888, 121.79, 120.91]);
});

test("imported bars are in the shares of the day of the import; a file of other days keeps the rest right", () => {
  using home = openNvidia();
  const { market, time } = home;
  const friday = { ...NVDA, bars: [bar(FRIDAY, 1_208.88)] };
  market.bars.replace(friday, fetched(at("2024-06-09"), IMPORT));
  expect(home.closes()).toEqual([1_208.88]);
  time.now = at(MONDAY, "00:00");
  expect(home.closes()).toEqual([120.888]);
  time.now = at(MONDAY, "13:30");
  market.bars.replace({ ...NVDA, bars: [bar("2024-06-06", 120.998)] }, fetched(time.now, IMPORT), {
    keepsOthers: true,
  });
  expect(home.closes()).toEqual([120.998, 120.888]);
  market.bars.replace({ ...NVDA, bars: [bar(FRIDAY, 120.888)] }, fetched(time.now, IMPORT));
  expect(home.closes()).toEqual([120.888]);
});

// The splits of `sources/facts.ts`: NVIDIA 10 for 1, NTT 25 for 1, FPT 23 for 20.
test.each([
  [NVDA, MONDAY, 10, "2024-06-10T13:30Z"], // 09:30 in New York
  [{ country: "JP", symbol: "9432" }, "2023-06-29", 25, "2023-06-29T00:00Z"], // 09:00 in Tokyo
  [{ country: "VN", symbol: "FPT" }, "2025-07-21", 1.15, "2025-07-21T02:00Z"], // 09:00 in Ho Chi Minh City
] as const)(
  "%j: records without a day are in the shares before a split until the session of %s opens",
  (key, exDate, ratio, opensAt) => {
    using home = openNvidia();
    const { market, time } = home;
    const figure = 1_000;
    const readStoredAt = (storedAt: number) => {
      const stored = fetched(storedAt);
      market.put("instruments", [stock(key.country, key.symbol)], stored);
      const splits = [{ exDate, numerator: ratio, denominator: 1 }];
      market.put("splits", [{ ...key, splits }], stored);
      const dividends = [{ exDate: "2023-01-04", amount: figure }];
      market.put("dividends", [{ ...key, dividends }], stored);
      const oneAnalyst = { low: null, high: null, analysts: 1 };
      const priceTarget = { ...oneAnalyst, mean: figure, median: null };
      const none = { ratings: [], estimates: [], actions: [] };
      market.put("analystCoverage", [{ ...key, ...none, priceTarget }], stored);
      const next = { date: "2025-08-28", session: "not_supplied", fiscalPeriod: null } as const;
      const estimate = { epsEstimate: figure, revenueEstimate: null, analysts: 1 };
      market.put("earningsDates", [{ ...key, ...next, ...estimate }], stored);
      const filed = { span: "year", fiscalYear: 2022, fiscalQuarter: 4, currency: "USD" } as const;
      const dates = { periodEnd: "2022-12-31", filedOn: "2023-02-02" };
      const items = { ...NO_ITEMS, epsDiluted: figure };
      market.put("statements", [{ ...key, ...filed, ...dates, items }], stored);
      market.bars.replace(
        { ...key, bars: [bar("2023-01-04", figure)] },
        { ...stored, source: IMPORT },
      );
      time.now = at(exDate, "23:59");
      const id = market.instruments.find(key)?.id ?? 0;
      return [
        market.documents.find("dividends", key.country, key.symbol)?.dividends[0]?.amount,
        market.documents.find("analystCoverage", key.country, key.symbol)?.priceTarget?.mean,
        market.documents.find("earningsDates", key.country, key.symbol)?.epsEstimate,
        market.statements.list(key)[0]?.items.epsDiluted,
        market.bars.listNewest(id, 1)[0]?.close,
      ];
    };
    const isNew = (amount: unknown) => Math.abs(Number(amount) - figure / ratio) < 1e-3;
    const opening = Date.parse(opensAt);
    expect(readStoredAt(opening - 60_000).map(isNew)).toEqual(Array<boolean>(5).fill(true));
    expect(readStoredAt(opening)).toEqual(Array<number>(5).fill(figure));
  },
);

test("dividends that a source has adjusted before the opening say so", () => {
  using home = openNvidia();
  const { market, time } = home;
  time.now = at(MONDAY, "10:00");
  const dividends = [{ exDate: "2024-03-05", amount: 0.004 }];
  market.put("dividends", [{ ...NVDA, sharesAsOf: MONDAY, dividends }], fetched(time.now));
  expect(market.documents.find("dividends", "US", "NVDA")?.dividends).toEqual(dividends);
});

test("the previous close of a quote of the ex-date is in the shares of that day", () => {
  using home = openNvidia();
  const { market, time } = home;
  time.now = at(MONDAY, "19:00");
  const previousOf = (previousClose: number | null) => {
    market.put(
      "quotes",
      [quote("NVDA", 121.79, { date: MONDAY, previousClose })],
      fetched(time.now),
    );
    return market.documents.find("quotes", "US", "NVDA")?.previousClose;
  };
  expect([1_208.88, 120.888, null].map(previousOf)).toEqual([120.888, 120.888, null]);
});

/*
 * GE HealthCare left General Electric on 2023-01-04. Yahoo lists it as a split of 1281 for 1000 and divides earlier prices. The
 * number of shares and EPS stayed.
 */
test("a spin-off that is listed as a split changes prices, not EPS and numbers of shares", () => {
  using home = openNvidia();
  const { market, id, time } = home;
  const stored = fetched(at(FRIDAY));
  const splits = [{ exDate: MONDAY, numerator: 1281, denominator: 1000 }];
  market.put("splits", [{ ...NVDA, splits }], stored);
  market.put("instruments", [stock("US", "NVDA", { sharesOutstanding: 1_089e6 })], stored);
  market.bars.put([{ ...NVDA, bars: [bar(FRIDAY, 128.1)] }], stored);
  const quoted = { date: FRIDAY, previousClose: 128.1, volume: 1_000, epsTtm: 2.5 };
  market.put("quotes", [quote("NVDA", 128.1, quoted)], stored);
  const items = { ...NO_ITEMS, epsDiluted: 2.5, sharesDiluted: 1_099e6 };
  const filed = { span: "year", fiscalYear: 2023, fiscalQuarter: 4, currency: "USD" } as const;
  const dates = { periodEnd: "2023-12-31", filedOn: "2024-02-02", sharesAsOf: "2024-02-02" };
  market.put("statements", [{ ...NVDA, ...filed, ...dates, items }], stored);
  time.now = at(MONDAY);
  expect(market.statements.list(NVDA)[0]?.items).toMatchObject(items);
  expect(market.instruments.findById(id)?.sharesOutstanding).toBe(1_089e6);
  expect(home.closes()).toEqual([100]);
  expect(market.documents.find("quotes", "US", "NVDA")).toMatchObject({
    price: 100,
    volume: 1_000,
    epsTtm: 2.5,
  });
});

/*
 * Vietcombank's share dividend: 276 new shares for 1,000, record date 2021-12-23, so ex-date 2021-12-22
 * (chatluongvacuocsong.vn, article d91979). It raised the charter capital by 10,236.5 to 47,325 billion VND
 * (nhaquanly.vn): 47,325 / (47,325 - 10,236.5) = 1.2760. The ratio is as odd as that of a spin-off. A figure of
 * 6,380 VND per share is 6,380 / 1.276 = 5,000 VND in new shares.
 */
test("a share dividend in Viet Nam with an odd ratio changes EPS", () => {
  using home = openTestMarket();
  const { market } = home;
  const VCB = { country: "VN", symbol: "VCB" } as const;
  const stored = fetched(at("2021-11-01"));
  const splits = [{ exDate: "2021-12-22", numerator: 1276, denominator: 1000 }];
  market.put("instruments", [stock("VN", "VCB")], stored);
  market.put("splits", [{ ...VCB, splits }], stored);
  const items = { ...NO_ITEMS, epsDiluted: 6_380 };
  const filed = { span: "year", fiscalYear: 2020, fiscalQuarter: 4, currency: "VND" } as const;
  const dates = { periodEnd: "2020-12-31", filedOn: "2021-03-31", sharesAsOf: "2021-03-31" };
  market.put("statements", [{ ...VCB, ...filed, ...dates, items }], stored);
  expect(market.statements.list(VCB)[0]?.items.epsDiluted).toBe(5_000);
});
