import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { JsonLimitError, parseBoundedJson } from "#lib/bounded-json.ts";
import { runAtOnce } from "#lib/slices.ts";

const slices = (text: string) => parseBoundedJson(new TextEncoder().encode(text));
const parse = (text: string) => runAtOnce(slices(text));
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("JSON of limited depth", () => {
  test.each([
    "{}",
    "\uFEFF[1]",
    ' {"a": [1, 2, {"b": null}], "c": "[[[{{{"} ',
    '"a \\" quote, a \\\\ and [ in a string"',
    '{"東証": "\\u005b\\"["}',
    "-1.5e3",
  ])("%s equals the result of JSON.parse", (text) => {
    expect(parse(text)).toEqual(JSON.parse(text.replace("\uFEFF", "")));
  });

  test("can be 64 levels deep but not deeper", () => {
    expect(parse(nested(64))).toEqual(JSON.parse(nested(64)));
    expect(() => parse(nested(65))).toThrow(JsonLimitError);
    // Brackets in strings do not count, and brackets side by side are one level.
    expect(parse(JSON.stringify(nested(1_000)))).toBe(nested(1_000));
    expect(parse(`[${Array.from({ length: 1_000 }, () => "[]").join(",")}]`)).toHaveLength(1_000);
  });

  test("can have two million arrays and objects but not more", () => {
    const many = (count: number) => `[${"{},".repeat(count - 2)}{}]`;
    expect(parse(many(2_000_000))).toHaveLength(1_999_999);
    expect(() => parse(many(2_000_001))).toThrow("more than 2000000 arrays and objects");
  });

  test.each(["", "{", '"open', '"open\\', "[1,]", "<html>", nested(3).slice(1)])(
    "%p is no JSON",
    (text) => {
      expect(() => parse(text)).toThrow(SyntaxError);
    },
  );
});

/** The value of a text, or "no JSON". */
function outcome(read: (text: string) => unknown, text: string): unknown {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof SyntaxError) return "no JSON";
    throw error;
  }
}

describe("a long text", () => {
  /** Long enough that every few strings begin a new piece. */
  const long = (text: string) => text.repeat(Math.ceil(60_000 / text.length));
  const leaf = fc.oneof(
    fc.constantFrom(null, true, -1.5e3, "", long("a"), long('東\\"[{,'), long("é]}:")),
    fc.string({ maxLength: 5 }),
  );
  const name = fc.constantFrom("a", "b", "2", "10", "__proto__", "constructor", 'quo"te,[', "東");
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc.array(tie("value"), { maxLength: 6 }),
      fc
        .array(fc.tuple(name, tie("value")), { maxLength: 6 })
        .map((members) => Object.fromEntries(members)),
    ),
  }));
  const text = fc
    .tuple(fc.array(value, { minLength: 1, maxLength: 6 }), fc.constantFrom(undefined, 1, "\r\n\t"))
    .map(([values, space]) => JSON.stringify(values, null, space));

  test("equals the result of JSON.parse", () => {
    fc.assert(
      fc.property(text, (one) => {
        const parsed = parse(one);
        expect(parsed).toEqual(JSON.parse(one));
        expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(one)));
      }),
      { numRuns: 100 },
    );
  });

  test("is no JSON if JSON.parse says so: brackets, commas and quotes that are missing or too many", () => {
    const mark = fc.constantFrom("", ",", "[", "]", "{", "}", ":", '"', " ", "1", "\\", ",,");
    const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(text, place, mark, (one, where, written) => {
        const marks = [...one.matchAll(/[[\]{},:"]/g)].map(({ index }) => index);
        const at = marks[Math.floor(where * marks.length)] ?? 0;
        for (const kept of [0, 1]) {
          const damaged = one.slice(0, at + kept) + written + one.slice(at + 1);
          expect(outcome(parse, damaged)).toEqual(outcome(JSON.parse, damaged));
        }
        const cut = one.slice(0, at);
        expect(outcome(parse, cut)).toEqual(outcome(JSON.parse, cut));
      }),
      { numRuns: 100 },
    );
  });

  test("has the last of two members with the same name, at any end of a piece", () => {
    const list = JSON.stringify(Array.from({ length: 30_000 }, (_, i) => `item ${i}`));
    for (const one of [
      `{"a":${list},"a":[1]}`,
      `{"a":[1],"a":${list},"b":${list}}`,
      `{"1":${list},"b":{"a":[${list},${list}]},"0":${list},"b":${list}}`,
    ]) {
      expect(parse(one)).toEqual(JSON.parse(one));
    }
  });

  test("is parsed in slices, in arrays and in objects of any depth", () => {
    const rows = Array.from({ length: 15_000 }, (_, i) => ({ symbol: `S${i}`, price: "$1.25" }));
    const byName = Object.fromEntries(rows.map((row) => [row.symbol, { deep: { row } }]));
    for (const one of [{ data: { rows } }, { facts: { gaap: byName } }]) {
      const written = JSON.stringify(one);
      let count = 1;
      const running = slices(written);
      for (let step = running.next(); ; step = running.next()) {
        if (step.done) {
          expect(step.value).toEqual(one);
          break;
        }
        count++;
      }
      // A slice ends at the first comma after 2 ** 16 characters.
      expect(count).toBe(Math.ceil(written.length / 2 ** 16));
    }
  });

  test("is limited in depth and in its parts like a short one", () => {
    const before = `[${"[],".repeat(100_000)}`;
    expect(parse(`${before}${nested(63)}]`)).toHaveLength(100_001);
    expect(() => parse(`${before}${nested(64)}]`)).toThrow(JsonLimitError);
  });
});
