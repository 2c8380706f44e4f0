import { describe, expect, test } from "bun:test";
import { type TObject, Type } from "@sinclair/typebox";
import { DateText, StringEnum } from "#domain/schema.ts";
import {
  decodeArguments,
  type RawArguments,
  refuseLongArguments,
} from "#operations/reading/decode.ts";
import { decodeRequest } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { SymbolInput } from "#operations/reading/inputs.ts";
import { routesOf } from "#operations/operation.ts";
import { ORDER_NAMES } from "#operations/order.ts";
import { expectError } from "../../support/error.ts";

const INPUT = Type.Object({
  size: StringEnum(["small", "medium", "large"]),
  colour: Type.Optional(StringEnum(["red", "green"], { default: "red" })),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
  code: Type.Optional(Type.String({ maxLength: 5, upperCase: true } as object)),
});

describe("decodeArguments", () => {
  test("keeps declared arguments in the schema's order, with defaults", () => {
    const decoded = decodeArguments(INPUT, { code: "aB1", other: 1, size: "small" });
    expect(Object.entries(decoded)).toEqual([
      ["size", "small"],
      ["colour", "red"],
      ["code", "AB1"],
    ]);
  });

  test("treats null as omitted", async () => {
    expect(decodeArguments(INPUT, { size: "small", count: null })).not.toHaveProperty("count");
    await expectError(() => decodeArguments(INPUT, { size: null }), "missing_argument");
  });

  test("reports missing arguments before invalid ones", async () => {
    const error = await expectError(
      () => decodeArguments(INPUT, { count: 99 }),
      "missing_argument",
    );
    expect(error.details.param).toBe("size");
  });

  test("ignores inherited properties of the arguments", async () => {
    const inherited = Object.create({ size: "small" }) as Record<string, unknown>;
    await expectError(() => decodeArguments(INPUT, inherited), "missing_argument");
  });

  test("names the parameter, the allowed values and the closest value", async () => {
    const error = await expectError(
      () => decodeArguments(INPUT, { size: "largee" }),
      "invalid_argument",
    );
    expect(error.message).toBe('size must be one of small, medium, large, not "largee".');
    expect(error.details).toEqual({
      param: "size",
      allowed: ["small", "medium", "large"],
      hint: "Did you mean large?",
    });
  });

  test("refuses an unknown value with not_found if the operation says so, but never an empty value", async () => {
    await expectError(() => decodeArguments(INPUT, { size: "x" }, ["size"]), "not_found");
    await expectError(() => decodeArguments(INPUT, { size: "" }, ["size"]), "invalid_argument");
  });

  test("does not quote long or nested values", async () => {
    for (const [value, says] of [
      ["x".repeat(9_999), "…"],
      [["small"], "a list"],
      [{ size: "small" }, "an object"],
    ] as const) {
      const error = await expectError(
        () => decodeArguments(INPUT, { size: value }),
        "invalid_argument",
      );
      expect(error.message).toContain(says);
      expect(error.message.length).toBeLessThan(120);
    }
  });
});

describe("unmistakable values", () => {
  const lists = Type.Object({
    levels: Type.String({
      pattern: "^(low|high)(,(low|high))*$",
      maxItems: 3,
      each: StringEnum(["low", "high"], { aliases: { top: "high" } }),
    } as object),
  });
  const input = Type.Object({
    size: Type.Optional(
      StringEnum(["small", "very-large"], {
        aliases: { "Extra small": "small", huge: "very-large" },
      }),
    ),
    market: Type.Optional(StringEnum(["US", "JP"], { exact: true, aliases: { Japan: "JP" } })),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
    split: Type.Optional(Type.Boolean()),
    code: Type.Optional(Type.String({ maxLength: 5 })),
    day: Type.Optional(Type.String({ ...DateText, maxLength: 10 })),
  });
  const read = (args: object) => decodeArguments(input, args as Record<string, unknown>);

  test.each([
    [{ size: "Small" }, { size: "small" }],
    [{ size: "Very Large" }, { size: "very-large" }],
    [{ size: "VERY_LARGE" }, { size: "very-large" }],
    [{ size: "extra-small" }, { size: "small" }],
    [{ size: "Huge" }, { size: "very-large" }],
    [{ count: "5" }, { count: 5 }],
    [{ split: "true" }, { split: true }],
    [{ split: "false" }, { split: false }],
    [{ code: 7203 }, { code: "7203" }],
    [{ code: "5" }, { code: "5" }],
    [{ day: "2026-5-21" }, { day: "2026-05-21" }],
    [{ day: "2026-05-1" }, { day: "2026-05-01" }],
    [{ day: "2026/5/21" }, { day: "2026-05-21" }],
    [{ day: "2026.05.21" }, { day: "2026-05-21" }],
    [{ day: "20260521" }, { day: "2026-05-21" }],
    [{ day: "2026-05-21T00:00:00Z" }, { day: "2026-05-21" }],
  ])("%j is read as %j", (written, meant) => {
    expect(read(written)).toEqual(meant);
  });

  test.each([
    ["HIGH,low", "high,low"],
    ["high, TOP", "high"],
    ["low,low", "low"],
    [["low", "high"], "low,high"],
    ['["low"]', "low"],
  ])("%j is read as the list %j", (levels, meant) => {
    expect(decodeArguments(lists, { levels })).toEqual({ levels: meant });
  });

  test.each([
    { size: "extra" },
    { size: 1 },
    { size: "" },
    { market: "us" },
    { market: " US" },
    { market: "Japan" },
    { split: "yes" },
    { split: 1 },
    { day: "2026-2-30" },
    { day: "21-5-2026" },
    { day: "2026-5" },
    { day: "2026-05/21" },
    { day: "2026511" },
    { day: "05/21/2026" },
    ...["1e2", "1.0", " 5", "5 ", "+5", "0x5", "", "five", "5n", "9".repeat(16)].map((count) => ({
      count,
    })),
  ])("%j is refused", async (written) => {
    await expectError(() => read(written), "invalid_argument");
  });

  test.each(["low;high", "urgent", "low,urgent", "low,", "low,low,low,low", " low"])(
    "the list %j is refused",
    async (levels) => {
      await expectError(() => decodeArguments(lists, { levels }), "invalid_argument");
    },
  );

  test("in words, other separators, countries and letters with marks are understood and told", () => {
    const read = (args: object) => {
      const understood: Record<string, string> = {};
      const all = Type.Object({
        ...input.properties,
        levels: Type.Optional(lists.properties.levels),
      });
      const decoded = decodeArguments(all, args as Record<string, unknown>, [], {
        readsWords: true,
        understood,
      });
      return [decoded, understood];
    };
    for (const levels of ["low;high", "low、high", "low\nhigh;", "low；top"]) {
      expect(read({ levels })).toEqual([{ levels: "low,high" }, { levels: "low,high" }]);
    }
    expect(read({ market: "Japán", size: "huge" })).toEqual([
      { size: "very-large", market: "JP" },
      { size: "very-large", market: "JP" },
    ]);
    expect(read({ market: "JP", size: "Very Large", levels: "low,high" })[1]).toEqual({});
  });

  test("a value of a megabyte is refused without delay", async () => {
    const before = process.cpuUsage();
    const spaces = " ".repeat(1_000_000);
    const refused = (input: TObject, raw: RawArguments) =>
      expectError(() => refuseLongArguments(input, raw), "invalid_argument");
    for (const text of [
      spaces,
      ",".repeat(1_000_000),
      `a${spaces}b`,
      `${spaces},`,
      "a.".repeat(500_000),
      "[".repeat(1_000_000),
    ]) {
      await refused(lists, { levels: text });
      await refused(INPUT, { size: text });
      await refused(Type.Object({ symbol: SymbolInput }), { symbol: text });
    }
    // In microseconds of this process, which do not depend on what else the machine does.
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(2_000_000);
  });

  test("a refused list gets the suggestion of each item", async () => {
    const read = () => decodeArguments(lists, { levels: "hig;low" });
    const error = await expectError(read, "invalid_argument");
    expect(error.details.hint).toBe("Did you mean high,low?");
  });

  test("several values for one get the hint to make several calls", async () => {
    for (const size of ["small,very-large", ["small", "very-large"]]) {
      const error = await expectError(() => read({ size }), "invalid_argument");
      expect(error.details.hint).toBe("Give one value, and make one call for each value.");
    }
  });

  test.each([
    ["us", "US"],
    ["japan", "JP"],
  ])("the exact value %j is refused with the suggestion %s", async (market, suggestion) => {
    const error = await expectError(() => read({ market }), "invalid_argument");
    expect(error.details.hint).toBe(`Did you mean ${suggestion}?`);
  });
});

test("every argument of every route refuses a longer text than it can have before it is read", async () => {
  let tried = 0;
  for (const operation of OPERATIONS) {
    for (const route of routesOf(operation)) {
      const names = [...Object.keys(route.input.properties), ...ORDER_NAMES];
      for (const name of names) {
        const { maxLength = 0 } = (route.input.properties[name] ?? {}) as { maxLength?: number };
        const text = `2020${" ".repeat(Math.max(100_000, 4 * maxLength))}x`;
        for (const value of [text, [text], { [text]: 1 }]) {
          const { message, details } = await expectError(
            () => decodeRequest(operation, { sort: "pe", [name]: value }, route, true),
            "invalid_argument",
          );
          expect(details.param).toBe(name);
          expect(message).toEndWith(" characters.");
          tried++;
        }
      }
    }
  }
  expect(tried).toBeGreaterThan(300);
});

test("a list of names has at most twice as many parts as items, because a name can have a comma", () => {
  const operation = OPERATIONS.find(({ name }) => name === "get_earnings_calendar");
  if (!operation) throw new Error("there is no such operation");
  const decode = (tickers: string) => decodeRequest(operation, { tickers }, operation, true);
  expect(decode("Amazon.com, Inc.,".repeat(49) + "Apple").input).toHaveProperty("tickers");
  for (const separator of ["\n", ",", ";"])
    expect(() => decode(`Apple Computer${separator}`.repeat(60) + "a\n".repeat(60))).toThrow(
      "tickers must be 1 to 50 US tickers",
    );
});
