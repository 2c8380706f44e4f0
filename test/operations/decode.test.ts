import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { StringEnum } from "#domain/schema.ts";
import { decodeArguments, readTextArguments } from "#operations/decode.ts";
import { expectError } from "../support/error.ts";

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

describe("readTextArguments", () => {
  test("reads integers if the schema requires one and leaves other values as text", () => {
    expect(readTextArguments(INPUT, { count: "5", size: "5", code: "5", other: "5" })).toEqual({
      count: 5,
      size: "5",
      code: "5",
      other: "5",
    });
  });

  test.each(["1e2", "1.0", " 5", "5 ", "+5", "0x5", "", "five", "9".repeat(16)])(
    "leaves %j, which is not an integer, as text",
    async (text) => {
      const raw = readTextArguments(INPUT, { size: "small", count: text });
      expect(raw["count"]).toBe(text);
      await expectError(() => decodeArguments(INPUT, raw), "invalid_argument");
    },
  );
});
