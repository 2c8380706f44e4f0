import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { BarHistory, BarRun, DailyBar } from "#domain/daily-bar.ts";
import type { Place, Provenance } from "#domain/records.ts";
import { addDays } from "#lib/date.ts";
import { openMarket } from "#store/index.ts";
import { expectError } from "../support/error.ts";
import { openTestMarket, SAMPLE, stock } from "../support/market.ts";

const IMPORT = { source: "import", storedAt: 5_000 };

const bar = (date: string, close: number, volume: number | null = 100) => ({
  date,
  open: close - 1,
  high: close + 1,
  low: close - 2,
  close,
  volume,
});

const historyOf = (...bars: BarHistory["bars"]): BarHistory => ({
  country: "JP",
  symbol: "7203",
  bars,
});

/** A market that knows 7203, whose bars these are, and 6758. */
function openBars() {
  const home = openTestMarket();
  home.market.put("instruments", [stock("JP", "7203"), stock("JP", "6758")], SAMPLE);
  const id = home.market.instruments.find({ country: "JP", symbol: "7203" })?.id ?? 0;
  const closes = () => [...home.market.bars.series(id, 100).close];
  const { market } = home;
  /** Replaces all bars of the instruments by those that `fill` adds; returns the number of instruments. */
  const replaceAll = (fill: (add: AddById) => void, provenance: Provenance) => {
    const keyOf = (at: number) =>
      ({ id: at, country: "JP", symbol: at === id ? "7203" : "6758" }) as const;
    using staged = market.bars.stage((add) => fill((at, ...rest) => add(keyOf(at), ...rest)));
    market.transaction(() => {
      for (const history of staged.histories()) market.bars.replace(history, provenance);
    });
    return staged.instruments;
  };
  return { ...home, bars: market.bars, id, closes, replaceAll };
}

type AddById = (id: number, bar: DailyBar | null, place: Place) => void;

test("bars that are staged in any order come oldest first, or the first date that comes twice is named", () => {
  const added = fc.record({ id: fc.constantFrom(1, 2), day: fc.nat(700), isRun: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(added, { maxLength: 900, size: "max" }),
      fc.boolean(),
      (rows, isUnique) => {
        using home = openBars();
        const seen = new Map<string, number>();
        const all = isUnique
          ? rows.filter(
              ({ id, day }, i) => rows.findIndex((one) => one.id === id && one.day === day) === i,
            )
          : rows;
        const twin = all.findIndex(({ id, day }, i) => {
          const key = `${id} ${day}`;
          if (!seen.has(key)) seen.set(key, i);
          return seen.get(key) !== i;
        });
        const within = "a.csv, line";
        const dateAt = (day: number) => addDays("2024-01-01", day);
        const stage = () =>
          home.market.bars.stage((add, addRun) => {
            for (const [number, { id, day, isRun }] of all.entries()) {
              const key = { id, country: "JP", symbol: String(id) } as const;
              const { date, ...prices } = bar(dateAt(day), number + 1, null);
              const columns = Object.fromEntries(
                Object.entries(prices).map(([name, value]) => [
                  name,
                  Float64Array.of(0, value ?? Number.NaN),
                ]),
              ) as Pick<BarRun, "open" | "high" | "low" | "close" | "volume">;
              const dates = Int32Array.of(0, Number(date.replaceAll("-", "")));
              if (!isRun) add(key, { date, ...prices }, { within, number });
              else
                addRun(key, { ...columns, dates, within, firstNumber: number - 1, count: 2 }, 1, 2);
            }
          });
        const read = () => {
          using staged = stage();
          return [...staged.histories()];
        };
        if (twin !== -1) {
          const { id, day } = all[twin] as (typeof all)[number];
          const message = `${within} ${twin}: date ${dateAt(day)} appears here and in ${within} ${seen.get(`${id} ${day}`)}`;
          expect(read).toThrow(message);
          return;
        }
        const expected = [1, 2].flatMap((id) => {
          const own = all.flatMap((row, number) => (row.id === id ? { ...row, number } : []));
          const bars = own
            .toSorted((a, b) => a.day - b.day)
            .map(({ day, number }) => bar(dateAt(day), number + 1, null));
          return bars.length === 0 ? [] : { country: "JP" as const, symbol: String(id), bars };
        });
        expect(read()).toEqual(expected);
      },
    ),
    { numRuns: 30 },
  );
});

test("staged runs of a thousand instruments keep all bars, and an empty run adds no instrument", () => {
  using home = openBars();
  const [instruments, count] = [1_000, 252];
  const prices = new Float64Array(count).fill(1);
  const [open, high, low, close, volume] = [prices, prices, prices, prices, prices];
  const dates = Int32Array.from({ length: count }, (_, i) =>
    Number(addDays("2025-01-01", i).replaceAll("-", "")),
  );
  const run = {
    within: "a.csv, line",
    firstNumber: 2,
    count,
    dates,
    open,
    high,
    low,
    close,
    volume,
  };
  using staged = home.market.bars.stage((_add, addRun) => {
    for (let id = 1; id <= instruments; id++)
      addRun({ id, country: "JP", symbol: String(id) }, run, 0, count);
    addRun({ id: instruments + 1, country: "JP", symbol: "none" }, run, 5, 5);
  });
  const lengths = new Set([...staged.histories()].map(({ bars }) => bars.length));
  expect({ instruments: staged.instruments, lengths: [...lengths] }).toEqual({
    instruments,
    lengths: [count],
  });
});

describe("reading", () => {
  const days = ["2025-12-30", "2025-12-31", "2026-01-05", "2026-01-06"];

  test("a series is the newest bars as columns, oldest first", () => {
    using home = openBars();
    home.bars.put([historyOf(...days.map((date, i) => bar(date, 10 + i)))], SAMPLE);
    const series = home.bars.series(home.id, 3);
    expect(series.dates).toEqual(["2025-12-31", "2026-01-05", "2026-01-06"]);
    expect([...series.close]).toEqual([11, 12, 13]);
    expect([...series.open]).toEqual([10, 11, 12]);
    expect([...series.high]).toEqual([12, 13, 14]);
    expect([...series.low]).toEqual([9, 10, 11]);
    expect([...series.volume]).toEqual([100, 100, 100]);
    const { dates, close } = series;
    expect(home.bars.closes(home.id, 3)).toEqual({ dates, close });
  });

  test("a series of a range begins at its first date, ends before its last, and is its newest bars", () => {
    using home = openBars();
    home.bars.put([historyOf(...days.map((date, i) => bar(date, 10 + i)))], SAMPLE);
    const dates = (limit: number, range: { from?: string; before?: string }) => {
      const series = home.bars.series(home.id, limit, range);
      expect(home.bars.closes(home.id, limit, range).dates).toEqual(series.dates);
      return series.dates;
    };
    expect(dates(9, { from: "2025-12-31" })).toEqual(days.slice(1));
    expect(dates(9, { before: "2026-01-06" })).toEqual(days.slice(0, 3));
    expect(dates(1, { from: "2025-12-31", before: "2026-01-06" })).toEqual(["2026-01-05"]);
    expect(dates(9, { from: "2026-01-07" })).toEqual([]);
    expect([home.bars.count(home.id), home.bars.count(home.id, "2026-01-01")]).toEqual([4, 2]);
  });

  test("a volume that the source does not give is NaN in a series and null in a bar", () => {
    using home = openBars();
    home.bars.put([historyOf(bar("2026-01-05", 10, null), bar("2026-01-06", 11, 0))], SAMPLE);
    expect([...home.bars.series(home.id, 9).volume]).toEqual([Number.NaN, 0]);
    expect(home.bars.listNewest(home.id, 9).map(({ volume }) => volume)).toEqual([0, null]);
  });

  test("no digit of a price is lost, in the store or in the view daily_bars", () => {
    using home = openBars();
    const reader = new Database(join(home.folder, "market.db"), { readonly: true });
    const price = fc.oneof(
      fc.double({ min: Number.MIN_VALUE, max: Number.MAX_VALUE, noNaN: true }),
      fc.double({ min: 0.000_001, max: 100_000, noNaN: true }),
      fc.integer({ min: 1, max: 2 ** 53 - 1 }),
      // Decimals as exchanges quote them.
      fc.integer({ min: 1, max: 1_000_000_000 }).map((n) => n / 100),
      fc.integer({ min: 1, max: 1_000_000_000 }).map((n) => n / 10_000),
      fc.integer({ min: 1, max: 1_000_000_000 }).map((n) => n / 100_000),
      fc.float({ min: 1, max: 10_000, noNaN: true }),
    );
    fc.assert(
      fc.property(price, price, price, price, (open, high, low, close) => {
        const put = { date: "2026-01-05", open, high, low, close, volume: null };
        home.bars.replace(historyOf(put), SAMPLE);
        expect(home.bars.listNewest(home.id, 9)).toEqual([put]);
        const { open: opens, high: highs, low: lows, close: closes } = home.bars.series(home.id, 9);
        expect([...opens, ...highs, ...lows, ...closes]).toEqual([open, high, low, close]);
        expect(reader.query("SELECT * FROM daily_bars").all()).toEqual([
          { ...put, instrument_id: home.id, date: 20260105 },
        ]);
      }),
    );
    reader.close();
  });

  test("a bar of quoted prices takes less than 40 bytes of the file", () => {
    using home = openBars();
    const path = join(home.folder, "market.db");
    home.market.checkpoint();
    const before = statSync(path).size;
    // Weekdays do not matter here: 5,000 dates, prices to the cent, volumes of six digits.
    const bars = Array.from({ length: 5_000 }, (_, i) => ({
      ...bar(
        new Date(i * 86_400_000).toISOString().slice(0, 10),
        100 + (i % 977) / 100,
        900_000 - i,
      ),
      open: 100 + (i % 983) / 100,
      high: 110.25,
      low: 99.75,
    }));
    home.bars.put([historyOf(...bars)], SAMPLE);
    home.market.checkpoint();
    expect((statSync(path).size - before) / 5_000).toBeLessThan(40);
  });

  test("the newest bars come newest first, with unchanged numbers", () => {
    using home = openBars();
    const exact = { ...bar("2026-01-06", 310.8500061035156), volume: 2 ** 53 };
    home.bars.put([historyOf(bar("2026-01-05", 10), exact)], SAMPLE);
    expect(home.bars.listNewest(home.id, 9)).toEqual([exact, bar("2026-01-05", 10)]);
    expect(home.bars.listNewest(home.id, 1)).toEqual([exact]);
  });

  test("a date finds its bar, or the nearest before or after it", () => {
    using home = openBars();
    home.bars.put([historyOf(...days.map((date, i) => bar(date, 10 + i)))], SAMPLE);
    const { id, bars } = home;
    expect(bars.findAtOrBefore(id, "2026-01-05")?.date).toBe("2026-01-05");
    expect(bars.findAtOrBefore(id, "2026-01-04")?.date).toBe("2025-12-31");
    expect(bars.findAtOrBefore(id, "2025-12-29")).toBeNull();
    expect(bars.findOnOrAfter(id, "2026-01-01")?.date).toBe("2026-01-05");
    expect(bars.findOnOrAfter(id, "2026-01-06")?.date).toBe("2026-01-06");
    expect(bars.findOnOrAfter(id, "2026-01-07")).toBeNull();
  });

  test("an instrument without bars has empty columns and no provenance", () => {
    using home = openBars();
    expect(home.bars.series(home.id, 9)).toEqual({
      dates: [],
      open: new Float64Array(),
      high: new Float64Array(),
      low: new Float64Array(),
      close: new Float64Array(),
      volume: new Float64Array(),
    });
    expect(home.bars.listNewest(home.id, 9)).toEqual([]);
    expect(home.bars.findProvenance(home.id)).toBeNull();
  });
});

describe("put", () => {
  test("adds bars that are all newer than the stored ones, and returns how many", () => {
    using home = openBars();
    expect(home.bars.put([historyOf(bar("2026-01-05", 10))], SAMPLE)).toBe(1);
    const later = { source: "sample", storedAt: 9_000 };
    expect(home.bars.put([historyOf(bar("2026-01-06", 11))], later)).toBe(1);
    expect(home.closes()).toEqual([10, 11]);
    expect(home.bars.put([historyOf()], later)).toBe(0);
    expect(home.closes()).toEqual([10, 11]);
    expect(home.bars.findProvenance(home.id)).toEqual(later);
  });

  test("replaces the history by any other bars, because a split changes all of them", () => {
    using home = openBars();
    home.bars.put([historyOf(bar("2026-01-02", 40), bar("2026-01-05", 44))], SAMPLE);
    const adjusted = historyOf(bar("2026-01-02", 10), bar("2026-01-05", 11), bar("2026-01-06", 12));
    expect(home.bars.put([adjusted], SAMPLE)).toBe(3);
    expect(home.closes()).toEqual([10, 11, 12]);
    // The bars of two sources do not mix either.
    const other = { source: "other", storedAt: 9_000 };
    home.bars.put([historyOf(bar("2026-01-07", 13))], other);
    expect(home.closes()).toEqual([13]);
    expect(home.bars.findProvenance(home.id)).toEqual(other);
    // A source whose bars end weeks earlier does not replace one that may answer tomorrow.
    home.bars.put([historyOf(bar("2025-11-03", 5), bar("2025-11-04", 6))], SAMPLE);
    expect(home.closes()).toEqual([13]);
  });

  test("leaves an imported history unchanged", () => {
    using home = openBars();
    home.bars.replace(historyOf(bar("2026-01-05", 10)), IMPORT);
    expect(home.bars.put([historyOf(bar("2026-01-06", 99))], SAMPLE)).toBe(0);
    expect(home.closes()).toEqual([10]);
    expect(home.bars.findProvenance(home.id)).toEqual(IMPORT);
  });

  test("touches no other instrument", () => {
    using home = openBars();
    home.bars.put(
      [
        historyOf(bar("2026-01-05", 10)),
        { country: "JP", symbol: "6758", bars: [bar("2026-01-05", 20)] },
      ],
      SAMPLE,
    );
    home.bars.replace(historyOf(bar("2026-01-06", 11)), IMPORT);
    expect(home.bars.listNewest(home.id + 1, 9)).toEqual([bar("2026-01-05", 20)]);
  });

  test("of an unknown instrument is refused", async () => {
    using home = openBars();
    const stranger = { ...historyOf(bar("2026-01-05", 10)), country: "US" } as const;
    const put = await expectError(() => home.bars.put([stranger], SAMPLE), "not_found");
    expect(put.message).toContain("7203 is not known in US");
    await expectError(() => home.bars.replace(stranger, IMPORT), "not_found");
  });
});

describe("replace", () => {
  test("replaces all bars of the instrument, older and newer, of any source", () => {
    using home = openBars();
    home.bars.put([historyOf(bar("2026-01-05", 10), bar("2026-01-07", 12))], SAMPLE);
    expect(home.bars.replace(historyOf(bar("2026-01-06", 50)), IMPORT)).toBe(1);
    expect(home.bars.listNewest(home.id, 9)).toEqual([bar("2026-01-06", 50)]);
    home.bars.replace(historyOf(bar("2026-01-02", 40)), { source: "import", storedAt: 6_000 });
    expect(home.bars.listNewest(home.id, 9)).toEqual([bar("2026-01-02", 40)]);
    expect(home.bars.findProvenance(home.id)?.storedAt).toBe(6_000);
  });

  test("that fails within a transaction leaves the stored bars", () => {
    using home = openBars();
    home.bars.put([historyOf(bar("2026-01-05", 10))], SAMPLE);
    const broken = { ...bar("2026-01-06", 50), close: Number.NaN };
    const replacing = () =>
      home.market.transaction(() =>
        home.bars.replace(historyOf(bar("2026-01-02", 40), broken), IMPORT),
      );
    expect(replacing).toThrow("NOT NULL");
    expect(home.closes()).toEqual([10]);
    expect(home.bars.findProvenance(home.id)).toEqual(SAMPLE);
  });
});

describe("stage", () => {
  const place = (number: number) => ({ within: "a.csv, line", number });

  test("replaces all bars of several instruments, given in any order", () => {
    using home = openBars();
    const other = home.id + 1;
    home.bars.put([historyOf(bar("2026-01-05", 10), bar("2026-01-07", 12))], SAMPLE);
    const stored = home.replaceAll((add) => {
      add(other, bar("2026-01-06", 31, null), place(2));
      add(home.id, bar("2026-01-06", 21), place(3));
      add(other, bar("2026-01-05", 30), place(4));
      add(home.id, bar("2026-01-02", 20), place(5));
    }, IMPORT);
    expect(stored).toBe(2);
    expect(home.bars.listNewest(home.id, 9)).toEqual([
      bar("2026-01-06", 21),
      bar("2026-01-02", 20),
    ]);
    expect(home.bars.listNewest(other, 9)).toEqual([
      bar("2026-01-06", 31, null),
      bar("2026-01-05", 30),
    ]);
    expect(home.bars.findProvenance(home.id)).toEqual(IMPORT);
    expect(home.bars.findProvenance(other)).toEqual(IMPORT);
  });

  test("of a null leaves a history without bars, and other histories unchanged", () => {
    using home = openBars();
    home.bars.put([historyOf(bar("2026-01-05", 10))], SAMPLE);
    expect(home.replaceAll((add) => add(home.id + 1, null, place(2)), IMPORT)).toBe(1);
    expect(home.bars.findProvenance(home.id + 1)).toEqual(IMPORT);
    expect(home.bars.findProvenance(home.id)).toEqual(SAMPLE);
    expect(home.closes()).toEqual([10]);
  });

  test("names both places of the first duplicate date, and changes nothing", async () => {
    using home = openBars();
    home.bars.put([historyOf(bar("2026-01-05", 10))], SAMPLE);
    const add = (...dates: string[]) =>
      home.replaceAll((to) => {
        for (const [i, date] of dates.entries()) to(home.id, bar(date, 20), place(i + 2));
      }, IMPORT);
    // The 8th occurs twice before the 7th does, and the 7th a third time.
    const [seventh, eighth] = ["2026-01-07", "2026-01-08"];
    const twice = () => add(seventh, eighth, "2026-01-06", eighth, seventh, seventh);
    const { message } = await expectError(twice, "invalid_argument");
    expect(message).toBe("a.csv, line 5: date 2026-01-08 appears here and in a.csv, line 3");
    expect(home.closes()).toEqual([10]);
    // Also if the duplicates are adjacent and everything else is in order.
    const { message: next } = await expectError(() => add(seventh, seventh), "invalid_argument");
    expect(next).toContain("line 3: date 2026-01-07 appears here and in a.csv, line 2");
    expect(add(seventh)).toBe(1);
    expect(home.closes()).toEqual([20]);
  });

  test("lets other processes write and read while bars are added; they see none of them", () => {
    using home = openBars();
    const other = openMarket(home.folder);
    home.bars.put([historyOf(bar("2026-01-05", 10))], SAMPLE);
    home.replaceAll((add) => {
      add(home.id, bar("2026-01-06", 20), place(2));
      other.setSetting("written", "meanwhile");
      expect(other.bars.findProvenance(home.id)).toEqual(SAMPLE);
      expect(home.closes()).toEqual([10]);
      add(home.id, bar("2026-01-07", 21), place(3));
    }, IMPORT);
    expect(other.findSetting("written")).toBe("meanwhile");
    expect([...other.bars.series(home.id, 9).close]).toEqual([20, 21]);
    other.close();
  });

  test("changes nothing if adding fails, and works again", () => {
    using home = openBars();
    home.bars.put([historyOf(bar("2026-01-05", 10))], SAMPLE);
    const broken = () =>
      home.replaceAll((add) => {
        add(home.id, bar("2026-01-06", 20), place(2));
        throw new Error("the file ends");
      }, IMPORT);
    expect(broken).toThrow("the file ends");
    expect(home.closes()).toEqual([10]);
    expect(home.replaceAll((add) => add(home.id, bar("2026-01-07", 30), place(2)), IMPORT)).toBe(1);
    expect(home.closes()).toEqual([30]);
  });
});

test("of many rows of one date, the second is refused and the others are never read", async () => {
  using home = openBars();
  let read = 0;
  const { message } = await expectError(
    () =>
      home.replaceAll((add) => {
        for (; read < 3_000_000; read++)
          add(home.id, bar("2026-01-05", 10), { within: "a.csv, line", number: read + 2 });
      }, IMPORT),
    "invalid_argument",
  );
  expect(message).toBe("a.csv, line 3: date 2026-01-05 appears here and in a.csv, line 2");
  expect(read).toBe(1);
});
