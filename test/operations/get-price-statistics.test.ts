import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openHandMade } from "../support/contract-answers.ts";
import { expectError } from "../support/error.ts";
import { SAMPLE, stock } from "../support/market.ts";

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

let world: ReturnType<typeof openHandMade>;
beforeAll(() => {
  world = openHandMade();
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
});
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
        first_session: "2026-11-16",
        first_close: 50,
        last_session: "2026-11-18",
        last_close: 48,
        sessions: 3,
        return: -4, // 48 / 50 − 1
        volatility: 449, // variance (0.2² + 0.2²) / 1 = 0.08; √(0.08 · 252) = √20.16 = 4.49
        max_drawdown: -20, // 48 / 60 − 1
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
    const data = await statistics({ symbols: "TWICE,^GSPC" });
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

  test("a range ends with the newest close of all symbols", async () => {
    const firstOf = async (range: string) =>
      objectsOf(await statistics({ symbols: "JP:7203", range }))[0]?.["first_session"];
    // 600 weekdays up to Thursday 19 November 2026 begin on Friday 2 August 2024.
    expect(await firstOf("max")).toBe("2024-08-02");
    expect(await firstOf("1y")).toBe("2025-11-19");
    expect(await firstOf("1mo")).toBe("2026-10-19");
    expect(await firstOf("ytd")).toBe("2026-01-01");
  });

  test("has null where a figure needs more sessions, and for a symbol without prices", async () => {
    const [one] = objectsOf(await statistics({ symbols: "TWICE", from: "2026-11-19" }));
    expect(one).toMatchObject({ sessions: 1, return: 0, volatility: null, beta: null });
    const [none] = objectsOf(await statistics({ symbols: "NONE" }));
    expect(none).toMatchObject({
      first_session: null,
      last_close: null,
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
    [{ symbols: "TWICE", from: "yesterday" }, "from"],
    [{ symbols: "TWICE", range: "2y" }, "range"],
    [{ symbols: "TWICE", dates: "2026-02-30" }, "dates"],
    [{ symbols: "TWICE", dates: Array.from({ length: 21 }, () => "2026-11-17") }, "dates"],
  ])("refuses %j", async (args, param) => {
    const { details } = await expectError(() => statistics(args), "invalid_argument");
    expect(details.param).toBe(param);
  });
});
