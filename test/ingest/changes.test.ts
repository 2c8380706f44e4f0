import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NO_ITEMS } from "#domain/statement.ts";
import { decodeChange, encodeChange } from "#ingest/change-encoding.ts";
import {
  applyChange,
  applyLogged,
  CHANGE_FORMAT,
  createLocalWriter,
  findLogPlace,
  type ImportChange,
  importChanges,
  type MarketChange,
  OtherLog,
} from "#ingest/changes.ts";
import { compress } from "#lib/zstd.ts";
import { nextFingerprint } from "#store/market.ts";
import { openFolder } from "../support/access.ts";
import { macroForecast, macroSeries } from "../support/contract-market.ts";
import { anyChange, applyNext, changeOf, KINDS, rowsOf } from "../support/market-changes.ts";
import { openTestMarket, stock } from "../support/market.ts";
import { barsFrom, quote } from "../support/refresher.ts";
import { openCopiedMarket } from "../support/empty-files.ts";
import { TESTS_ALL } from "../support/test-all.ts";

const AT = Date.parse("2026-11-20T22:30:00Z");
const NONE = { leftOut: 0, reason: null, rejectedSymbols: [], covered: null };

/** A complete answer of quotes of the US. */
function quotes(...symbols: string[]): MarketChange {
  const key = { kind: "quotes", country: "US", symbol: null } as const;
  const fetched = { ...key, source: "alpha", at: AT, blockedUntil: null };
  const records = symbols.map((symbol) => quote(symbol, 10));
  return { type: "answer", ...fetched, ...NONE, isWhole: true, isComplete: true, records };
}

function imported(kind: "instruments", ...symbols: string[]): ImportChange {
  const records = symbols.map((symbol) => stock("US", symbol));
  return { type: "import", kind, at: AT, keepsOthers: false, records };
}

const importedBars = (...symbols: string[]): ImportChange[] => [
  ...importChanges(
    "bars",
    symbols.map((symbol) => ({ country: "US" as const, symbol, bars: barsFrom("2026-11-19", 1) })),
    { at: AT },
  ),
];

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "no error",
    (error: Error) => error.message,
  );

/** The number of random changes: with BOURSE_TEST_ALL=1 all, else a part. */
const STEPS = TESTS_ALL ? 1_000 : 250;

describe("the same changes in the same order", () => {
  test("give equal files, also encoded and with restarts in between", async () => {
    const step = fc.record({ change: anyChange, restarts: fc.nat(40).map((n) => n === 0) });
    const steps = fc.array(step, { minLength: STEPS, maxLength: STEPS });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        using one = openTestMarket();
        using folder = openFolder();
        let other = openCopiedMarket(folder.path);
        // So that a removal makes the sample due again.
        for (const market of [one.market, other]) market.setSetting("sample", "1 2026-11-20");
        for (const [i, { change, restarts }] of all.entries()) {
          if (restarts) {
            other.close();
            other = openCopiedMarket(folder.path);
          }
          const { change: decoded } = await decodeChange(await encodeChange(change));
          const results = [
            await applyNext(one.market, change, i + 1),
            await applyNext(other, decoded, i + 1),
          ];
          expect(results[1]).toEqual(results[0]);
        }
        expect(findLogPlace(other).number).toBe(STEPS);
        other.close();
        const rows = rowsOf(one.folder);
        expect(rowsOf(folder.path)).toEqual(rows);
        // The law would be empty if the changes stored nothing.
        for (const table of ["instruments", "scaled_bars", "statements", "documents", "fetches"])
          expect(rows[table]).not.toEqual([]);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });
});

describe("a change", () => {
  test.each(KINDS)("about %s is the same after it was encoded", async (kind) => {
    await fc.assert(
      fc.asyncProperty(changeOf(kind), async (change) => {
        expect((await decodeChange(await encodeChange(change))).change).toEqual(change);
      }),
    );
  });

  test("keeps lists of any length", async () => {
    const lengths = [0, 1, 999, 1_000, 1_001, 2_000, 2_345];
    const records = lengths.map((length, i) => ({
      country: "US" as const,
      symbol: `S${i}`,
      bars: barsFrom("2001-01-01", ...Array.from({ length }, (_, at) => at + 1)),
    }));
    const changes = [...importChanges("bars", records, { at: AT })];
    for (const change of changes) {
      expect((await decodeChange(await encodeChange(change))).change).toEqual(change);
    }
    expect(changes.flatMap((change): readonly unknown[] => change.records)).toEqual(records);
  });

  test("that fails in the middle leaves nothing, and its number is still the next one", async () => {
    using home = openTestMarket();
    const { market } = home;
    await applyNext(market, imported("instruments", "A", "B", "C"));
    const before = rowsOf(home.folder);
    await fc.assert(
      fc.asyncProperty(anyChange, async (change) => {
        const stopped = market.queueTransaction(() => {
          applyChange(market, change);
          throw new Error("stopped");
        });
        expect(await messageOf(stopped)).toBe("stopped");
      }),
    );
    // SQLite refuses the last record.
    const symbols = Array.from({ length: 60 }, (_, i) => `S${i}`);
    const broken = imported("instruments", ...symbols, "LAST");
    Object.assign(broken.records.at(-1) ?? {}, { name: null });
    expect(await messageOf(applyNext(market, broken))).toContain("NOT NULL");
    expect(rowsOf(home.folder)).toEqual(before);
    expect(findLogPlace(market).number).toBe(1);
    await applyNext(market, quotes("A"));
    expect(market.documents.list("quotes", "US")).toHaveLength(1);
  });

  test("with bars of an unknown instrument is applied without them", async () => {
    using home = openTestMarket();
    const writer = createLocalWriter(home.market);
    await writer.write(imported("instruments", "A"));
    const [bars] = importedBars("B", "A");
    expect((await writer.write(bars as ImportChange)).records).toBe(1);
    const key = { kind: "bars", country: "US", symbol: null, source: "alpha" } as const;
    const fetched = { ...key, at: AT, blockedUntil: null, isWhole: false, isComplete: true };
    const records = ["B", "C"].map((symbol) => ({ country: "US" as const, symbol, bars: [] }));
    const answer: MarketChange = { type: "answer", ...fetched, ...NONE, records };
    expect((await writer.write(answer)).records).toBe(0);
    expect(home.market.fetches.findLastSuccess("alpha", key)).toBe(AT);
  });
});

describe("the number of a logged change", () => {
  test("is stored with it, begins with 1 and has no gaps", async () => {
    using home = openTestMarket();
    const { market } = home;
    expect(findLogPlace(market).number).toBe(0);
    const refused = (number: number) => messageOf(applyNext(market, quotes("A"), number));
    expect(await refused(2)).toBe("Change 2 of the log is refused: the next one is 1.");
    expect(await refused(0)).toContain("the next one is 1");
    await applyNext(market, quotes("B"));
    expect(await refused(1)).toContain("the next one is 2");
    expect(await refused(3)).toContain("the next one is 2");
    expect(findLogPlace(market).number).toBe(1);
    expect(market.documents.list("quotes", "US").map(({ symbol }) => symbol)).toEqual(["B"]);
    const reopened = openCopiedMarket(home.folder);
    expect(findLogPlace(reopened).number).toBe(1);
    reopened.close();
  });

  test("is refused if the log has other changes before it", async () => {
    using home = openTestMarket();
    const { market } = home;
    await applyNext(market, quotes("A"));
    const before = rowsOf(home.folder);
    const entry = { id: crypto.randomUUID(), position: 0, number: 2 };
    const fingerprint = nextFingerprint("of another first change", entry);
    const applying = applyLogged(market, { ...entry, fingerprint }, quotes("B"));
    expect(await applying.catch((error: unknown) => error)).toBeInstanceOf(OtherLog);
    expect(rowsOf(home.folder)).toEqual(before);
  });
});

describe("an import of several changes", () => {
  test("is stored as a whole, and its later changes see the earlier ones", async () => {
    using home = openTestMarket();
    const writer = createLocalWriter(home.market);
    const changes = [imported("instruments", "A"), ...importedBars("A"), ...importedBars("A")];
    expect(await writer.writeAll(changes)).toBe(3);
    const instrument = home.market.instruments.find({ country: "US", symbol: "A" });
    expect(home.market.bars.count(instrument?.id ?? 0)).toBe(1);
  });

  test("is not stored at all if one of them cannot be read", async () => {
    using home = openTestMarket();
    const before = rowsOf(home.folder);
    const writer = createLocalWriter(home.market);
    const changes = function* () {
      yield imported("instruments", "A");
      yield* importedBars("A");
      throw new Error("the file ends");
    };
    expect(await messageOf(writer.writeAll(changes()))).toBe("the file ends");
    expect(rowsOf(home.folder)).toEqual(before);
  });

  test("has changes of bounded size, and every record once, in order", () => {
    const histories = Array.from({ length: 25 }, (_, i) => ({
      country: "US" as const,
      symbol: `S${i}`,
      bars: barsFrom("2001-01-01", ...Array.from({ length: 1_500 }, () => 1)),
    }));
    const changes = [...importChanges("bars", histories, { at: AT, keepsOthers: true })];
    // Seven histories have more than 10,000 bars: 25 = 7 + 7 + 7 + 4.
    expect(changes.map(({ records }) => records.length)).toEqual([7, 7, 7, 4]);
    expect(changes.flatMap(({ records }): readonly unknown[] => records)).toEqual(histories);
    expect(changes.every(({ at, keepsOthers }) => at === AT && keepsOthers)).toBe(true);
  });
});

const encoded = await encodeChange(quotes("A", "B", "C"));
const lines = Buffer.from(Bun.zstdDecompressSync(encoded)).toString().trimEnd().split("\n");

test("a statement of an older bourse has null for the items that it does not know", async () => {
  const statement = {
    country: "US" as const,
    symbol: "AAPL",
    span: "year" as const,
    fiscalYear: 2025,
    fiscalQuarter: 4,
    periodEnd: "2025-09-27",
    filedOn: "2025-10-31",
    currency: "USD",
    items: { ...NO_ITEMS, revenue: 1 },
  };
  const change: ImportChange = {
    type: "import",
    kind: "statements",
    at: AT,
    keepsOthers: false,
    records: [statement],
  };
  const text = Buffer.from(Bun.zstdDecompressSync(await encodeChange(change))).toString();
  // Commit 9648862 wrote format 1 and had no item of that name.
  const old = text
    .replace(`"format":${CHANGE_FORMAT}`, '"format":1')
    .replace('"researchAndDevelopment":null,', "");
  expect(old).not.toContain("researchAndDevelopment");
  expect(await decodeChange(await compress(Buffer.from(old)))).toEqual({ change, format: 1 });
});

test("lists store the members of indices, but not in the format before", () => {
  const at = Date.parse("2026-11-20T16:00Z");
  const member = { country: "US", symbol: "AAPL", sector: null, replaces: false } as const;
  const change: MarketChange = {
    type: "answer",
    kind: "classifications",
    country: "US",
    symbol: null,
    ...NONE,
    source: "ssga",
    at,
    blockedUntil: null,
    isWhole: true,
    isComplete: true,
    records: [{ ...member, indexMember: null, memberOf: "^DJI" }],
  };
  const members = (format: number) => {
    using home = openTestMarket();
    const { market } = home;
    market.transaction(() => applyChange(market, change, format));
    return market.indexMembers.listOn({ country: "US", symbol: "^DJI" }, "2026-11-20").symbols;
  };
  expect([7, 8].map(members)).toEqual([[], ["AAPL"]]);
});

test("answers keep the vintages of macro series, but not in the format before", () => {
  const vintages = (format: number) => {
    using home = openTestMarket();
    const { market } = home;
    for (const [day, values] of [
      ["19", [1, 2]],
      ["20", [1, 2.5]],
    ] as const) {
      const change: MarketChange = {
        type: "answer",
        kind: "macroSeries",
        country: "US",
        symbol: null,
        ...NONE,
        source: "fred",
        at: Date.parse(`2026-11-${day}T16:00Z`),
        blockedUntil: null,
        isWhole: true,
        isComplete: true,
        records: [macroSeries("US", "gdp", "gdp", values)],
      };
      market.transaction(() => applyChange(market, change, format));
    }
    return market.documents.find("macroVintages", "US", "gdp")?.vintages.length;
  };
  expect([7, 8].map(vintages)).toEqual([undefined, 3]);
});

test("answers keep earlier macro forecasts, but not in the format before", () => {
  const vintages = (format: number) => {
    using home = openTestMarket();
    const { market } = home;
    for (const value of [1, 2]) {
      const change: MarketChange = {
        type: "answer",
        kind: "macroForecasts",
        country: "US",
        symbol: null,
        ...NONE,
        source: "imf",
        at: Date.parse(`2026-11-1${value}T16:00Z`),
        blockedUntil: null,
        isWhole: true,
        isComplete: true,
        records: [macroForecast("US", "GDP growth", 4, [value])],
      };
      market.transaction(() => applyChange(market, change, format));
    }
    return market.documents.find("forecastVintages", "US", "gdp/GDP growth")?.vintages.length;
  };
  expect([9, 10].map(vintages)).toEqual([undefined, 2]);
});

test("changes of an older bourse are applied as it applies them, so that nodes agree after an upgrade", () => {
  const at = Date.parse("2026-11-20T16:00Z");
  const key = { kind: "statements", country: "JP", symbol: "7203" } as const;
  const period = { span: "year", fiscalYear: 2025, fiscalQuarter: 4 } as const;
  const days = { periodEnd: "2026-03-31", filedOn: "2026-05-08" };
  const answer = (source: string, revenue: number): MarketChange => ({
    type: "answer",
    ...key,
    ...NONE,
    source,
    at,
    blockedUntil: null,
    isWhole: false,
    isComplete: true,
    records: [{ ...key, ...period, ...days, currency: "JPY", items: { ...NO_ITEMS, revenue } }],
  });
  const kept = (format: number, ...sources: readonly (readonly [string, number])[]) => {
    using home = openTestMarket();
    const { market } = home;
    for (const [source, revenue] of sources)
      market.transaction(() => applyChange(market, answer(source, revenue), format));
    return market.statements
      .listFiled({ country: "JP", symbol: "7203" })
      .map(({ filedOn, items }) => [filedOn, items.revenue]);
  };
  const health = (format: number) => {
    using home = openTestMarket();
    home.market.transaction(() => applyChange(home.market, answer("a", 1), format));
    return home.market.fetches.findHealth("a").answeredAt;
  };
  expect([2, 3, 4, 5].map(health)).toEqual([null, at, at, at]);
  // Format 2 had no vintages, format 3 dated them by the UTC day. In Japan it is the 21st, one hour after midnight.
  const restated = [
    ["a", 1],
    ["a", 2],
  ] as const;
  expect(kept(2, ...restated)).toEqual([["2026-05-08", 2]]);
  expect(kept(3, ...restated)).toEqual([
    ["2026-05-08", 1],
    ["2026-11-20", 2],
  ]);
  for (const format of [4, 5, 6])
    expect(kept(format, ...restated)).toEqual([
      ["2026-05-08", 1],
      ["2026-11-21", 2],
    ]);
  // With format 3 vintages stayed when another source replaced the statements.
  const back = [
    ["a", 1],
    ["a", 2],
    ["b", 3],
    ["a", 4],
  ] as const;
  expect(kept(3, ...back)).toEqual([
    ["2026-05-08", 1],
    ["2026-11-20", 4],
  ]);
  for (const format of [4, 5, 6]) expect(kept(format, ...back)).toEqual([["2026-05-08", 4]]);
});

describe("a change is refused as a whole", () => {
  const header = JSON.parse(lines[0] ?? "") as Record<string, unknown>;
  const withHeader = (change: Record<string, unknown>) => [
    JSON.stringify({ ...header, ...change }),
    ...lines.slice(1),
  ];
  /** The reason why a change of these lines is refused. */
  const refused = async (changed: readonly string[]) =>
    messageOf(decodeChange(await compress(Buffer.from(`${changed.join("\n")}\n`))));

  test("if a bit was flipped, unless that changes nothing", async () => {
    let refusals = 0;
    for (let bit = 0; bit < encoded.length * 8; bit++) {
      const damaged = Buffer.from(encoded);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit % 8));
      const decoded = await decodeChange(damaged).catch(() => null);
      if (decoded !== null) expect(decoded.change).toEqual(quotes("A", "B", "C"));
      refusals += Number(decoded === null);
    }
    // Only in the frame header of zstd, 6 to 14 bytes, can a bit mean nothing.
    expect(refusals).toBeGreaterThan((encoded.length - 14) * 8);
  });

  test("if its end is missing", async () => {
    // The last 4 bytes are the checksum; all content is there without them.
    for (let length = 0; length < encoded.length - 4; length++) {
      expect(await messageOf(decodeChange(encoded.subarray(0, length)))).not.toBe("no error");
    }
  });

  test("if it is not what this version writes", async () => {
    expect(await refused(lines)).toBe("no error");
    expect(await messageOf(decodeChange(Buffer.from("text")))).toBe(
      "The market change is refused: it is damaged.",
    );
    for (const format of [1, 2]) expect(await refused(withHeader({ format }))).toBe("no error");
    expect(await refused(withHeader({ format: 12 }))).toBe(
      "The market change is refused: it has the format 12, and this bourse reads 1 to 11; upgrade bourse.",
    );
    expect(await refused(withHeader({ type: "merger" }))).toContain("its type is unknown");
    expect(await refused(withHeader({ type: "constructor" }))).toContain("its type is unknown");
    expect(await refused(withHeader({ at: "now" }))).toContain("/at: Expected integer");
    expect(await refused(withHeader({ kind: "rumours" }))).toContain("is refused at /kind");
    expect(await refused(withHeader({ other: 1 }))).toContain("is refused at /other");
    expect(await refused(withHeader({ records: 4 }))).toContain("records are missing");
    expect(await refused(lines.slice(0, -1))).toContain("records are missing");
    expect(await refused([...lines, lines[1] ?? ""])).toContain("there are too many");
    expect(await refused([...lines, "{"])).toContain("it has a line that is not JSON");
    expect(await refused([...lines, "7"])).toContain("it has a line that is not JSON");
    expect(await refused([...lines, `["symbol", ${lines[1]}]`])).toContain("continues no list");
    const record = (lines[1] ?? "").replace('"price":10', '"price":"10"');
    expect(await refused([lines[0] ?? "", record, ...lines.slice(2)])).toContain(
      "Record 1 of quotes (US, A, 2026-11-20) is refused at /price",
    );
    const { kind, country, symbol, source, at, blockedUntil } = header;
    const failure = { type: "failure", kind, country, symbol, source, at, blockedUntil };
    const first = JSON.stringify({ format: 1, ...failure, reason: "HTTP 500", records: 0 });
    expect(await refused([first])).toBe("no error");
    expect(await refused([first, lines[1] ?? ""])).toContain("records that do not belong to it");
  });

  test("if it is too large, without being unpacked", async () => {
    const zeros = await compress(Buffer.alloc(65 * 2 ** 20));
    expect(await messageOf(decodeChange(zeros))).toBe(
      "The market change is refused: it has more than 64 MiB.",
    );
    expect(await refused([...lines, `"${"a".repeat(5 * 2 ** 20)}"`])).toContain("too long");
  });

  test("before it is written, if no node could read it", async () => {
    const wrong = quotes("A", "B");
    if (wrong.type === "answer") Object.assign(wrong.records[1] ?? {}, { price: -1 });
    expect(await messageOf(encodeChange(wrong))).toContain(
      "Record 2 of quotes (US, B, 2026-11-20) is refused at /price",
    );
    const fractional = { ...quotes("A"), at: 0.5 };
    expect(await messageOf(encodeChange(fractional))).toContain("/at: Expected integer");
    const symbol = "S".repeat(2 ** 20);
    expect(await messageOf(encodeChange(quotes(symbol)))).toContain("record 1 is too long");
    const symbols = Array.from({ length: 70 }, (_, i) => `${i}${"S".repeat(1_000_000)}`);
    expect(await messageOf(encodeChange(quotes(...symbols)))).toContain("more than 64 MiB");
  });
});
