import { nasdaqQuotes } from "#sources/nasdaq/quotes.ts";
import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "bun:test";
import { lookup } from "#lib/lookup.ts";
import { forexFactoryReleases } from "#sources/calendar/forex-factory.ts";
import { mergeReleases } from "#sources/calendar/merge.ts";
import { nasdaqReleases } from "#sources/calendar/nasdaq.ts";
import type { LiveQuery } from "#sources/fetcher.ts";
import { finishReading } from "#sources/list.ts";
import { classify as classifyNasdaq } from "#sources/nasdaq/classes.ts";
import { answerReader } from "#sources/check-answer.ts";
import { nasdaqInstruments } from "#sources/nasdaq/instruments.ts";
import { readOtherListed } from "#sources/nasdaq/symbol-directory.ts";
import { answerOf } from "#sources/source-response.ts";
import { classify as classifyVietcap } from "#sources/vietcap/icb.ts";
import { YAHOO } from "#sources/yahoo/source.ts";
import { transformed } from "../support/fetcher.ts";

const KEYS_OF_OBJECT = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];

describe.each(KEYS_OF_OBJECT)("%s as the class that a source names", (key) => {
  test("is an unknown class", async () => {
    const unknown = { sector: null, industry: null };
    expect(lookup({ a: 1 }, key)).toBeUndefined();
    for (const [sector, industry] of [
      [key, ""],
      ["", key],
      [key, key],
    ] as const) {
      expect(classifyNasdaq({ sector, industry, name: "A", marketCap: null })).toEqual(unknown);
    }
    expect(classifyVietcap(key, key)).toEqual(unknown);
    const directory = [
      "ACT Symbol|Security Name|Exchange|ETF|Test Issue",
      `A|A Corp|${key}|N|N`,
      "File Creation Time: 0821202617:31||||",
    ].join("\n");
    expect(finishReading(readOtherListed(directory))).toEqual([]);
    const event = { title: "A", country: key, date: "2026-08-21T08:30:00-04:00", impact: key };
    expect(forexFactoryReleases([event, { ...event, country: "USD" }])).toEqual([]);
    const row = { gmt: "08:30", country: key, eventName: "A" };
    expect(nasdaqReleases([{ date: "2026-08-21", answer: { data: { rows: [row] } } }])).toEqual([]);
  });
});

test("a key of an answer cannot control the terminal that shows the error", () => {
  const read = answerReader(
    YAHOO,
    Type.Object({ splits: Type.Record(Type.String(), Type.Null()) }),
  );
  expect(() => read({ splits: { "\u001b[2J\u009b1m": 1 } })).toThrow(
    "yahoo: the answer has another form at /splits/�[2J�1m: Expected null",
  );
});

describe("an answer that is built to be slow", () => {
  const SHARES = 26 ** 3;
  const symbolOf = (i: number) =>
    String.fromCharCode(65 + (i % 26), 65 + ((i / 26) % 26), 65 + ((i / 676) % 26));

  test("with shares of only one issuer is read in one pass", () => {
    let reads = 0;
    const rows = Array.from({ length: SHARES }, (_, i) => ({
      symbol: symbolOf(i),
      get name() {
        reads++;
        return "One Corp Common Stock";
      },
      lastsale: "$1",
      netchange: "0",
      volume: String(i),
      marketCap: "1",
      sector: "Technology",
      industry: i === SHARES - 1 ? "Semiconductors" : "",
    }));
    const raw = {
      screener: { data: { rows } },
      nasdaqListed: "Symbol|Security Name|Test Issue|ETF\nAAA|A|N|N\nFile Creation Time: 1",
      otherListed: "ACT Symbol|Security Name|Exchange|Test Issue|ETF\nFile Creation Time: 1||||",
    };
    raw.nasdaqListed = raw.nasdaqListed.replace("Time: 1", "Time: 1|||");
    const query: LiveQuery = { now: 0, after: null, country: "US", instrument: null };
    const list = transformed("instruments", nasdaqInstruments, raw, query);
    expect(list).toHaveLength(SHARES);
    expect(reads).toBe(SHARES);
    // The last share has the largest volume; all shares get its industry.
    expect(list.filter(({ primaryListing }) => primaryListing)).toHaveLength(1);
    expect(list.every(({ industry }) => industry === "semiconductors")).toBe(true);
  });

  test("with events of only one publication is paired in one pass", () => {
    const count = 20_000;
    const release = (i: number) => ({
      country: "US" as const,
      title: "CPI",
      minute: "2026-08-19T12:30",
      previous: String(i),
      consensus: null,
      actual: null,
    });
    let reads = 0;
    const ours = Array.from({ length: count }, (_, i) => {
      const { previous, ...rest } = release(i);
      return {
        ...rest,
        importance: "high" as const,
        get previous() {
          reads++;
          return previous;
        },
      };
    });
    const theirs = Array.from({ length: count }, (_, i) => release(count - 1 - i));
    const events = mergeReleases(ours, theirs);
    expect(events).toHaveLength(count);
    // Every event was paired: none has an importance from its title alone.
    expect(new Set(events.map(({ previous }) => previous)).size).toBe(count);
    expect(reads).toBeLessThan(10 * count);
  });

  test("with more rows than any real list is refused before its rows are read", () => {
    const rows = Array.from({ length: 100_001 }, () => null);
    const query: LiveQuery = { now: 0, after: null, country: "US", instrument: null };
    expect(() => [...nasdaqQuotes.transform({ data: { rows } }, query)]).toThrow(
      "the answer has 100001 rows, more than 100000",
    );
  });

  test.each([
    ["arrays", "[".repeat(5_000_000)],
    ["objects", '{"a":'.repeat(1_000_000)],
    ["closed arrays", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
  ])("of nested %s is refused before it is parsed", async (_, text) => {
    const bytes = new TextEncoder().encode(text);
    const answer = answerOf({ name: "any" }, { status: 200, headers: new Headers() }, bytes);
    const error: unknown = await answer.json().catch((thrown: unknown) => thrown);
    expect(String(error)).toContain("any: the answer is too complex: it is nested more than 64");
  });
});
