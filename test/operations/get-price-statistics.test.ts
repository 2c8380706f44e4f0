import { afterAll, describe, expect, test } from "bun:test";
import { OPERATIONS } from "#operations/index.ts";
import { openHandMade } from "../support/contract-answers.ts";
import { expectError } from "../support/error.ts";
import { flatBar, SAMPLE, stock } from "../support/market.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";
import { quote as newestQuote } from "../support/refresher.ts";

type Table = { columns: string[]; rows: (string | number | null)[][] };
interface Statistics extends Table {
  session: string | null;
  correlation: {
    symbols: string[];
    sessions: number;
    matrix: (number | null)[][];
  } | null;
  closes: Table | null;
  unknown: { symbol: string; closest: string | null }[];
}

const world = openHandMade();
const history = (symbol: string, closes: Record<string, number>) => ({
  country: "US" as const,
  symbol,
  bars: Object.entries(closes).map(([day, close]) => ({
    date: `2026-11-${day}`,
    open: close,
    high: close,
    low: close,
    close,
    volume: null,
  })),
});
world.market.put("instruments", [stock("US", "TWICE"), stock("US", "NONE")], SAMPLE);
world.market.put(
  "bars",
  [
    // Returns +10 %, −10 %.
    history("^GSPC", { "16": 100, "17": 110, "18": 99 }),
    // Returns +20 %, −20 %, and a session without the index.
    history("TWICE", { "16": 50, "17": 60, "18": 48, "19": 60 }),
  ],
  SAMPLE,
);
afterAll(() => world.close());

const statistics = (args: Record<string, unknown>) =>
  world.answer<Statistics>("get_price_statistics", args);
const objectsOf = ({ columns, rows }: Table) =>
  rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])));

describe("get_price_statistics", () => {
  test("has the figures of the period", async () => {
    const data = await statistics({ symbols: "TWICE", from: "2026-11-16", to: "2026-11-18" });
    expect(objectsOf(data)).toEqual([
      {
        country: "US",
        symbol: "TWICE",
        name: "TWICE Inc",
        currency: "USD",
        from_session: "2026-11-16",
        from_close: 50,
        to_session: "2026-11-18",
        to_close: 48,
        sessions: 3,
        return: -4, // 48 / 50 − 1
        total_return: null, // Its dividends are unknown.
        sharpe_without_rf: 0, // The mean return is 0.
        volatility: 449, // variance (0.2² + 0.2²) / 1 = 0.08; √(0.08 · 252) = √20.16 = 4.49
        max_drawdown: -20, // 48 / 60 − 1
        peak_session: "2026-11-17",
        trough_session: "2026-11-18",
        recovered_session: "2026-11-19", // 60 again, after the period.
        beta: 2,
        index: "^GSPC",
      },
    ]);
    expect(data).toMatchObject({
      session: "2026-11-18",
      correlation: null,
      closes: null,
      unknown: [],
    });
  });

  test("beta and correlation use the common sessions only", async () => {
    const data = await statistics({ symbols: "TWICE,^GSPC", range: "max" });
    const [twice, index] = objectsOf(data);
    // The whole history: 50 to 60, and a fourth session.
    expect(twice).toMatchObject({ sessions: 4, return: 20, beta: 2 });
    // An index has no currency.
    expect(index).toMatchObject({ sessions: 3, return: -1, beta: 1, currency: null });
    expect(data.correlation).toEqual({
      symbols: ["US:TWICE", "US:^GSPC"],
      sessions: 3,
      matrix: [
        [1, 1],
        [1, 1],
      ],
    });
  });

  test("has the closes on dates and the change since then", async () => {
    const { closes } = await statistics({
      symbols: "TWICE",
      from: "2026-11-16",
      to: "2026-11-17",
      dates: ["2026-11-17", "2026-11-20", "2026-1-2"],
    });
    // The newest close is 60, on the 19th. There is no session before the 16th.
    expect(closes && objectsOf(closes)).toEqual([
      {
        country: "US",
        symbol: "TWICE",
        date: "2026-11-17",
        session: "2026-11-17",
        close: 60,
        change_since: 0,
      },
      {
        country: "US",
        symbol: "TWICE",
        date: "2026-11-20",
        session: "2026-11-19",
        close: 60,
        change_since: 0,
      },
      {
        country: "US",
        symbol: "TWICE",
        date: "2026-01-02",
        session: null,
        close: null,
        change_since: null,
      },
    ]);
    const earlier = await statistics({ symbols: "TWICE", dates: "2026-11-18" });
    // From 48 to 60.
    expect(earlier.closes?.rows[0]?.slice(3)).toEqual(["2026-11-18", 48, 25]);
  });

  test("a range starts with the last session at or before its start date", async () => {
    const firstOf = async (range: string) =>
      objectsOf(await statistics({ symbols: "JP:7203", range }))[0]?.["from_session"];
    // 600 weekdays up to Thursday 19 November 2026 begin on Friday 2 August 2024.
    expect(await firstOf("max")).toBe("2024-08-02");
    expect(await firstOf("1y")).toBe("2025-11-19");
    expect(await firstOf("1mo")).toBe("2026-10-19");
    expect(await firstOf("1w")).toBe("2026-11-12");
    expect(await firstOf("1d")).toBe("2026-11-18");
    expect(await firstOf("ytd")).toBe("2025-12-31");
    // 19 September is a Saturday, and 19 July a Sunday.
    const month = { symbols: "JP:7203", from: "2026-09-19", to: "2026-10-19" };
    expect(objectsOf(await statistics(month))[0]?.["from_session"]).toBe("2026-09-18");
    expect(await firstOf("2y")).toBe("2024-11-19");
  });

  test("a range ends with each symbol's own newest session, and `to` with the last one before it", async () => {
    const { market } = world;
    market.put("instruments", [stock("US", "HALTED")], SAMPLE);
    const bars = [flatBar("2024-02-28", 50), flatBar("2024-03-27", 80), flatBar("2024-03-28", 100)];
    market.put("bars", [{ country: "US", symbol: "HALTED", bars }], SAMPLE);
    const rowsOf = async (args: object) =>
      objectsOf(await statistics({ symbols: "HALTED,JP:7203", ...args })).map((row) => [
        row["from_session"],
        row["to_session"],
        row["return"],
      ]);
    // 100 / 50 and 110 / 100: the newest close of 7203 is 110, all others are 100.
    expect(await rowsOf({ range: "1m" })).toEqual([
      ["2024-02-28", "2024-03-28", 100],
      ["2026-10-19", "2026-11-19", 10],
    ]);
    expect(await rowsOf({ range: "ytd" })).toEqual([
      ["2024-02-28", "2024-03-28", null],
      ["2025-12-31", "2026-11-19", 10],
    ]);
    // The year before the last session at or before Saturday 7 November.
    expect((await rowsOf({ to: "2026-11-07" }))[1]).toEqual(["2025-11-06", "2026-11-06", 0]);
    expect((await rowsOf({ from: "2024-02-29", to: "2024-03-27" }))[0]).toEqual([
      "2024-02-28",
      "2024-03-27",
      60,
    ]);
  });

  test("a quote that is newer than the bars is the newest close, as in a comparison", async () => {
    const { market } = world;
    market.put("instruments", [stock("US", "QUOTED")], SAMPLE);
    const bars = [flatBar("2025-11-19", 50), flatBar("2026-11-11", 70), flatBar("2026-11-16", 80)];
    market.put("bars", [{ country: "US", symbol: "QUOTED", bars }], SAMPLE);
    const figures = async (date: string, previousClose: number | null) => {
      market.put("quotes", [newestQuote("QUOTED", 100, { date, previousClose })], SAMPLE);
      const found = [];
      for (const range of ["1d", "1w", "1y"]) {
        const [row] = objectsOf(await statistics({ symbols: "QUOTED", range }));
        found.push([row?.["from_session"], row?.["return"]]);
      }
      const compared = await world.answer<Table>("compare_stocks", {
        symbols: "QUOTED",
        metrics: "return_1w,return_1y",
      });
      const [row] = objectsOf(compared);
      expect([row?.["return_1w"], row?.["return_1y"]]).toEqual(found.slice(1).map((one) => one[1]));
      return found;
    };
    // 100 / 80, 100 / 70 and 100 / 50: the quote says that no session is between them.
    expect(await figures("2026-11-19", 80)).toEqual([
      ["2026-11-16", 25],
      ["2026-11-11", 42.86],
      ["2025-11-19", 100],
    ]);
    // Sessions are missing before the quote. The close of a day ago is unknown, that of a week ago is not.
    expect(await figures("2026-11-19", 90)).toEqual([
      ["2026-11-19", null],
      ["2026-11-11", 42.86],
      ["2025-11-19", 100],
    ]);
    // A week before Wednesday 25 November no close is known.
    expect(await figures("2026-11-25", 90)).toEqual([
      ["2026-11-25", null],
      ["2026-11-25", null],
      ["2025-11-19", 100],
    ]);
    // A price that doubles in a day is no split if its previous close is the last one.
    market.put(
      "quotes",
      [newestQuote("QUOTED", 180, { date: "2026-11-19", previousClose: 80 })],
      SAMPLE,
    );
    const [doubled] = objectsOf(await statistics({ symbols: "QUOTED", range: "1d" }));
    expect(doubled).toMatchObject({ from_session: "2026-11-16", return: 125 });
    // The price after a split of 4 for 1 is in other shares than the bars.
    market.put("quotes", [newestQuote("QUOTED", 21, { date: "2026-11-19" })], SAMPLE);
    const [split] = objectsOf(await statistics({ symbols: "QUOTED", range: "1y" }));
    expect(split).toMatchObject({ sessions: 1, return: null, to_close: 21 });
  });

  // By pandas 1.5.3 on prices/nkx.csv and prices/7203.csv, b = c[c[:start].index[-1]:]:
  // 100 * (b.iloc[-1] / b.iloc[0] - 1), 100 * b.pct_change().std() * 252 ** 0.5, 100 * (b / b.cummax() - 1).min()
  test.skipIf(!hasRecordings)(
    "has the figures that pandas computes on recorded series",
    async () => {
      const own = openHandMade();
      const { market } = own;
      for (const [symbol, file] of [
        ["^N225", "nkx.csv"],
        ["7203", "7203.csv"],
      ] as const) {
        const bars = recordedText(`prices/${file}`)
          .trim()
          .split("\n")
          .slice(1)
          .map((line) => {
            const [date = "", open, high, low, close] = line.split(",");
            const [first, most, least, last] = [open, high, low, close].map(Number);
            return {
              date,
              open: first ?? 0,
              high: most ?? 0,
              low: least ?? 0,
              close: last ?? 0,
              volume: null,
            };
          });
        market.put("instruments", [stock("JP", symbol, { currency: "JPY" })], SAMPLE);
        market.bars.replace({ country: "JP", symbol, bars }, { source: "import", storedAt: 0 });
      }
      const found = [];
      for (const range of ["1y", "5y", "ytd"]) {
        const args = { symbols: "JP:^N225,JP:7203", range };
        const table = await own.answer<Statistics>("get_price_statistics", args);
        for (const row of objectsOf(table)) {
          const names = ["from_session", "sessions", "return", "volatility", "max_drawdown"];
          found.push(names.map((name) => row[name]));
        }
      }
      expect(found).toEqual([
        ["2025-08-21", 244, 54.93, 28.77, -15.11],
        ["2025-08-21", 244, 11.14, 31.1, -30.88],
        ["2021-08-20", 1224, 144.39, 23.25, -26.26],
        ["2021-08-20", 1224, 102.35, 31.63, -41.67],
        ["2025-12-30", 156, 31.14, 32.23, -15.11],
        ["2025-12-30", 156, -5.29, 34.16, -30.88],
      ]);
    },
  );

  test("has only the chosen columns, in their order", async () => {
    const args = { symbols: "TWICE", from: "2026-11-16", to: "2026-11-18" };
    const columns = ["drawdown", "Return", "best day", "best_session", "worst_day"];
    expect(await statistics({ ...args, columns })).toMatchObject({
      columns: "country symbol max_drawdown return best_day best_session worst_day".split(" "),
      rows: [["US", "TWICE", -20, -4, 20, "2026-11-17", -20]],
    });
  });

  test("lists the worst and the best sessions of each symbol", async () => {
    const args = { symbols: "TWICE,^GSPC", from: "2026-11-16", worst_days: 2, best_days: 1 };
    const columns = ["country", "symbol", "session", "return", "close"];
    expect(await statistics(args)).toMatchObject({
      worst_days: {
        columns,
        rows: [
          ["US", "TWICE", "2026-11-18", -20, 48],
          ["US", "TWICE", "2026-11-17", 20, 60],
          ["US", "^GSPC", "2026-11-18", -10, 99],
          ["US", "^GSPC", "2026-11-17", 10, 110],
        ],
      },
      best_days: {
        columns,
        rows: [
          ["US", "TWICE", "2026-11-19", 25, 60],
          ["US", "^GSPC", "2026-11-17", 10, 110],
        ],
      },
    });
    expect((await statistics({ symbols: "NONE", worst_days: 5 })).rows).toHaveLength(1);
    const { message } = await expectError(
      () => statistics({ ...args, worst_days: 51 }),
      "invalid_argument",
    );
    expect(message).toBe("worst_days must be at most 50 for 2 symbols, not 51.");
  });

  test("an interval combines sessions for volatility, sharpe, beta and correlation", async () => {
    const { market } = world;
    // Fridays and a Monday: 100, 110, 99; the market 100, 105, 99.75. Weeks end on 6, 13 and 16 November.
    const closes = [
      ["WEEKLY", { "05": 90, "06": 100, "09": 120, "13": 110, "16": 99 }],
      ["MARKET", { "05": 70, "06": 100, "12": 105, "16": 99.75 }],
    ] as const;
    for (const [symbol, prices] of closes) {
      market.put("instruments", [stock("US", symbol)], SAMPLE);
      market.put("bars", [history(symbol, prices)], SAMPLE);
    }
    const args = { symbols: "WEEKLY,MARKET", from: "2026-11-06", interval: "weekly" };
    const { rows, columns, correlation } = await statistics(args);
    const [row] = objectsOf({ rows, columns });
    // ±10 %: variance 0.02, √(0.02 · 52) = 1.0198.
    expect(row).toMatchObject({ sessions: 4, volatility: 101.98, sharpe_without_rf: 0 });
    expect(correlation).toMatchObject({
      sessions: 3,
      matrix: [
        [1, 1],
        [1, 1],
      ],
    });
  });

  test("calendar years are from the last close of the year before, the running one to its newest", async () => {
    const { market } = world;
    market.put("instruments", [stock("US", "LONG")], SAMPLE);
    const bars = [
      flatBar("2022-06-30", 40),
      flatBar("2022-12-28", 50),
      flatBar("2023-01-04", 40),
      flatBar("2023-11-01", 60),
      flatBar("2023-11-30", 75),
      flatBar("2024-11-29", 90),
      flatBar("2025-10-31", 80),
      flatBar("2025-11-28", 60),
      flatBar("2026-11-02", 66),
      flatBar("2026-11-19", 90),
    ];
    market.put("bars", [{ country: "US", symbol: "LONG", bars }], SAMPLE);
    const { years, rows, columns } = (await statistics({
      symbols: "LONG",
      years: "2022-2026",
    })) as unknown as Table & { years: Table & { running: string | null } };
    expect(years).toEqual({
      running: "2026",
      columns: "country symbol year return total_return volatility max_drawdown".split(" "),
      rows: [
        ["US", "LONG", 2022, null, null, null, null], // It begins in 2022.
        ["US", "LONG", 2023, 50, null, expect.any(Number), -20],
        ["US", "LONG", 2024, 20, null, null, 0], // One return has no deviation.
        ["US", "LONG", 2025, -33.33, null, expect.any(Number), -33.33],
        ["US", "LONG", 2026, 50, null, expect.any(Number), 0],
      ],
    });
    // The whole period: from 60 in 2023 on, the deepest fall is from 90 to 60, recovered at 90.
    expect(objectsOf({ rows, columns })[0]).toMatchObject({
      from_session: "2022-06-30",
      return: null,
      max_drawdown: -33.33,
      peak_session: "2024-11-29",
      trough_session: "2025-11-28",
      recovered_session: "2026-11-19",
    });
    const november = (await statistics({ symbols: "LONG", months: "November" })) as unknown as {
      months: Table & { running: string };
    };
    // 75 / 40, 90 / 75, 60 / 80; the running month 90 / 60 is not in the mean (87.5 + 20 − 25) / 3.
    expect(november.months).toEqual({
      running: "2026-11",
      columns: "country symbol month mean positive count 2022 2023 2024 2025 2026".split(" "),
      rows: [["US", "LONG", 11, 27.5, 2, 3, null, 87.5, 20, -25, 50]],
    });
    // A period limits the months to those that it has as a whole; the running one ends with today.
    for (const [period, years, running] of [
      [{ from: "2024-01-01", to: "2025-12-31" }, { 2024: 20, 2025: -25 }, null],
      [{ range: "1y" }, { 2026: 50 }, "2026-11"],
      [{ from: "2024-11-02" }, { 2025: -25, 2026: 50 }, "2026-11"],
    ] as const) {
      const { months } = (await statistics({
        symbols: "LONG",
        months: "11",
        ...period,
      })) as unknown as {
        months: Table & { running: string | null };
      };
      const {
        country: _,
        symbol: __,
        month: ___,
        mean: ____,
        positive,
        count,
        ...found
      } = objectsOf(months)[0] ?? {};
      expect([found, months.running]).toEqual([years, running]);
      expect([positive, count].every((one) => Number(one) <= Object.keys(years).length)).toBe(true);
    }
    const operation = OPERATIONS.find(({ name }) => name === "get_price_statistics");
    const args = { symbols: "LONG,NOPE", years: "2025,2026", months: "11", columns: "return" };
    const table = operation?.table?.((await statistics(args)) as never, args);
    expect(table?.columns).toEqual(
      "country symbol return return_2025 return_2026_running month_11_mean month_11_positive month_11_count month_11_2025 month_11_2026_running".split(
        " ",
      ),
    );
    expect(table?.rows[0]).toEqual(["US", "LONG", 0, -33.33, 50, -25, 0, 1, -25, 50]);
  });

  test("a year without a session of the symbol has no figures", async () => {
    // HALTED has its last session in March 2024.
    const { years, rows } = (await statistics({
      symbols: "HALTED,TWICE",
      years: "2025-2026",
      columns: "return,sessions",
    })) as unknown as Table & { years: Table };
    expect(rows[0]).toEqual(["US", "HALTED", null, 0]);
    expect(years.rows.slice(0, 2)).toEqual([
      ["US", "HALTED", 2025, null],
      ["US", "HALTED", 2026, null],
    ]);
  });

  test("has null where a figure needs more sessions, and for a symbol without prices", async () => {
    const [one] = objectsOf(await statistics({ symbols: "TWICE", from: "2026-11-19" }));
    expect(one).toMatchObject({ sessions: 1, return: 0, volatility: null, beta: null });
    const [none] = objectsOf(await statistics({ symbols: "NONE" }));
    expect(none).toMatchObject({
      from_session: null,
      to_close: null,
      sessions: 0,
      return: null,
      volatility: null,
      max_drawdown: null,
      beta: null,
    });
  });

  test("a flat price has no correlation", async () => {
    const { correlation } = await statistics({
      symbols: "US:TWICE,JP:7203",
      from: "2026-11-16",
      to: "2026-11-18",
    });
    expect(correlation?.matrix).toEqual([
      [1, null],
      [null, null],
    ]);
  });

  test("names unknown symbols, and is not found if all are unknown", async () => {
    const { rows, unknown } = await statistics({ symbols: "TWICE,TWICF" });
    expect(rows.length).toBe(1);
    expect(unknown).toMatchObject([{ symbol: "TWICF", closest: "US:TWICE" }]);
    await expectError(() => statistics({ symbols: "TWICF" }), "not_found");
  });

  test("refuses a period without sessions and says which there are", async () => {
    const { message } = await expectError(
      () => statistics({ symbols: "TWICE", to: "2020-01-01" }),
      "invalid_argument",
    );
    expect(message).toContain("2026-11-16");
    expect(message).toContain("2026-11-19");
  });

  test.each([
    [{ symbols: Array.from({ length: 11 }, (_, i) => `S${i}`).join(",") }, "symbols"],
    [{ symbols: "TWICE", range: "1y", from: "2026-01-01" }, "range"],
    [{ symbols: "TWICE", from: "2026-11-18", to: "2026-11-17" }, "from"],
    [{ symbols: "TWICE", from: "someday" }, "from"],
    [{ symbols: "TWICE", range: "forever" }, "range"],
    [{ symbols: "TWICE", dates: "2026-02-30" }, "dates"],
    [{ symbols: "TWICE", years: "2027" }, "years"], // It has not begun.
    [{ symbols: "TWICE", years: "2025-2024" }, "years"],
    [{ symbols: "TWICE", years: "last" }, "years"],
    [{ symbols: "TWICE", years: "1900-2026" }, "years"],
    [{ symbols: "TWICE", years: "2010" }, "years"], // Before its prices.
    [{ symbols: "TWICE", years: "2025", range: "1y" }, "years"],
    [{ symbols: "TWICE", months: "13" }, "months"],
    [{ symbols: "TWICE", interval: "1h" }, "interval"],
    [{ symbols: "TWICE", columns: "return,pe" }, "columns"],
    [{ symbols: "TWICE", currency: "QQQ" }, "currency"],
    [{ symbols: "TWICE", dates: Array.from({ length: 21 }, () => "2026-11-17") }, "dates"],
  ])("refuses %j", async (args, param) => {
    const { details } = await expectError(() => statistics(args), "invalid_argument");
    expect(details.param).toBe(param);
  });
});
