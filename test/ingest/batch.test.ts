import { describe, expect, test } from "bun:test";
import { checkBatch, partsByCompany, storeBatch } from "#ingest/batch.ts";
import { BadRow } from "#sources/list.ts";
import { SourceError } from "#sources/source.ts";
import { openTestMarket, stock, listInstruments } from "../support/market.ts";
import { quote } from "../support/refresher.ts";

const BAD = { ...quote("BAD", 1), price: -1 };
const quotes = (count: number) => Array.from({ length: count }, (_, i) => quote(`Q${i}`, i + 1));
const check = (records: Parameters<typeof checkBatch<"quotes">>[1]) =>
  checkBatch("quotes", records);

describe("a batch of records", () => {
  test("of a hundred or more loses its bad records, and says how many and why", () => {
    const good = quotes(99);
    const { records, leftOut, reason, rejectedSymbols } = check([...good, BAD]);
    expect(records).toEqual(good);
    expect([leftOut, rejectedSymbols]).toEqual([1, ["BAD"]]);
    expect(reason).toStartWith("Record 100 of quotes (US, BAD, 2026-11-20) is refused at /price: ");
  });

  test("of less than a hundred is refused whole for one bad record", () => {
    expect(() => check([...quotes(98), BAD])).toThrow("Record 99 of quotes (US, BAD");
  });

  test("without some figures is stored however short it is, and still refused for a bad record", () => {
    const figures = new BadRow(new SourceError("alpha", "invalid_answer", "a price"), "Q1", false);
    expect(check([figures, ...quotes(2)])).toMatchObject({ leftOut: 1, reason: "alpha: a price" });
    expect(() => check([figures, ...quotes(2), BAD])).toThrow("Record 4 of quotes (US, BAD");
  });

  test("is refused if more than a tenth of it is bad", () => {
    const bad = (count: number) => Array.from({ length: count }, () => BAD);
    expect(check([...quotes(180), ...bad(20)]).leftOut).toBe(20);
    expect(() => check([...quotes(179), ...bad(21)])).toThrow("Record 180 of quotes");
  });

  test("with records of any other type is checked too", () => {
    const wild = [null, 7, "text", [], Object.create(null)] as unknown[] as (typeof BAD)[];
    expect(check([...quotes(100), ...wild])).toMatchObject({ leftOut: 5, rejectedSymbols: [] });
  });

  test("without an end is refused", () => {
    function* endless() {
      for (;;) yield BAD;
    }
    expect(() => check(endless())).toThrow("more than 100000 records of quotes");
  });
});

describe("a long list of companies", () => {
  const sizes = (symbols: string, size: number) =>
    Array.from(
      partsByCompany(
        Array.from(symbols, (symbol) => ({ symbol })),
        size,
      ),
      (part) => Array.from(part, ({ symbol }) => symbol).join(""),
    );

  test("is split into parts with whole companies", () => {
    expect(sizes("AABBBCD", 2)).toEqual(["AA", "BBB", "CD"]);
    expect(sizes("AAAAAB", 2)).toEqual(["AAAAA", "B"]);
    expect(sizes("AB", 9)).toEqual(["AB"]);
    expect(sizes("", 2)).toEqual([]);
  });

  test("is read no further than the part that is used, with its pauses", () => {
    let read = 0;
    function* records() {
      for (const symbol of ["A", null, "B", "C"]) {
        read++;
        yield symbol === null ? undefined : { symbol };
      }
    }
    const [first] = partsByCompany(records(), 1);
    expect([...(first ?? [])]).toEqual([{ symbol: "A" }, undefined]);
    expect(read).toBe(3);
  });
});

describe("a source's list of a country", () => {
  const US = { country: "US" } as const;
  function openLists() {
    const home = openTestMarket();
    const { market } = home;
    const store = (records: readonly unknown[], storedAt: number, country: "US" | null = "US") => {
      const batch = checkBatch("instruments", records as ReturnType<typeof stock>[]);
      const provenance = { source: "alpha", storedAt };
      return market.transaction(() => storeBatch(market, batch, provenance, { country }));
    };
    const delisted = () =>
      listInstruments(market, null).flatMap((one) =>
        one.delistedAt === undefined ? [] : one.symbol,
      );
    return { ...home, store, delisted };
  }
  const symbols = (count: number) => Array.from({ length: count }, (_, i) => stock("US", `S${i}`));

  test("delists instruments that it no longer has", () => {
    using home = openLists();
    home.store(symbols(10), 1);
    expect(home.store(symbols(9), 2)).toEqual({ records: 9, delisted: 1, warnings: [] });
    expect(home.delisted()).toEqual(["S9"]);
  });

  test("of all countries delists in each country separately", () => {
    using home = openLists();
    home.store([...symbols(4), stock("JP", "7203"), stock("JP", "6758")], 1, null);
    // Half of Japan's list is gone: not less than half remains.
    expect(home.store([...symbols(3), stock("JP", "7203")], 2, null).delisted).toBe(2);
    expect(home.delisted()).toEqual(["S3", "6758"]);
  });

  test("that is suddenly less than half as long delists nothing and says so", () => {
    using home = openLists();
    home.store(symbols(10), 1);
    expect(home.store(symbols(4), 2)).toEqual({
      records: 4,
      delisted: 0,
      warnings: ["The list of US is suddenly short (4 instead of 10): nothing was delisted."],
    });
    expect(home.delisted()).toEqual([]);
    // The next whole list counts again.
    expect(home.store(symbols(9), 3).delisted).toBe(1);
  });

  test("keeps instruments listed that it has in a bad record", () => {
    using home = openLists();
    home.store(symbols(150), 1);
    const [first, ...rest] = symbols(149);
    const result = home.store([{ ...first, name: "" }, ...rest], 2);
    expect(result).toMatchObject({ records: 148, delisted: 1 });
    expect(result.warnings).toEqual([
      expect.stringMatching(/^Bad records left out: 1\. Record 1 of/),
    ]);
    expect(home.delisted()).toEqual(["S149"]);
  });

  test("in part, from a source that complements others, delists nothing", () => {
    using home = openLists();
    home.store(symbols(10), 1);
    const batch = checkBatch("instruments", symbols(9));
    const stored = home.market.transaction(() =>
      storeBatch(home.market, batch, { source: "alpha", storedAt: 2 }),
    );
    expect(stored.delisted).toBe(0);
    expect(home.market.instruments.countListedBy("alpha", US.country)).toBe(10);
  });
});
