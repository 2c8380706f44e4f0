import { afterAll, describe, expect, test } from "bun:test";
import { type TSchema } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { COUNTRY_CODES } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import { publishSchema } from "#domain/schema.ts";
import { lazy } from "#lib/lazy.ts";
import { decodeArguments } from "#operations/reading/decode.ts";
import { OPERATIONS } from "#operations/index.ts";
import { withSource } from "#operations/operation.ts";
import { type Call, CALLS } from "../support/contract-calls.ts";
import { START, startService } from "../support/service.ts";

const service = await startService();
const { market, rollups } = service;
await rollups.update();
const context = { market, rollups, now: START };
afterAll(() => service.stop());

const verbs = new Set(OPERATIONS.map(({ name }) => name.split("_")[0]));
/** What looks like the name of an operation: a verb of an operation's name and more words. */
const ANY_NAME = new RegExp(`\\b(${[...verbs].join("|")})_\\w+`, "g");

const named = OPERATIONS.map((operation) => [operation.name, operation] as const);

describe("the list of operations", () => {
  test("has unique names, titles and paths", () => {
    for (const key of ["name", "title"] as const) {
      expect(new Set(OPERATIONS.map((operation) => operation[key])).size).toBe(OPERATIONS.length);
    }
    const routes = OPERATIONS.map(({ method = "GET", path }) => `${method} ${path}`);
    expect(new Set(routes).size).toBe(OPERATIONS.length);
  });

  test("refers only to existing operations", () => {
    const names = new Set(OPERATIONS.map(({ name }) => name));
    for (const { description } of OPERATIONS) {
      for (const [mentioned] of description.matchAll(ANY_NAME)) {
        expect(names).toContain(mentioned);
      }
    }
  });
});

describe.each(named)("%s", (name, operation) => {
  const { path, input, output, description, notFound } = operation;

  test("has a description that says what to use instead", () => {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
    expect(description).toMatch(/^[A-Z].*\.$/s);
    expect(description.match(ANY_NAME)).not.toBeNull();
    expect(description).not.toContain(name);
    expect(description.length).toBeLessThan(400);
  });

  test("requires every parameter of its path", () => {
    expect(path).toMatch(/^\/data(\/([a-z]+|\{[a-z]+\}))+$/);
    for (const [, parameter = ""] of path.matchAll(/\{(\w+)\}/g)) {
      expect(input.required ?? []).toContain(parameter);
    }
  });

  test("describes every argument", () => {
    for (const [argument, schema] of Object.entries(input.properties) as [string, TSchema][]) {
      expect({ [argument]: String(schema["description"]).length > 5 }).toEqual({
        [argument]: true,
      });
      expect(["string", "integer", "boolean"], `the type of ${argument}`).toContain(
        String(schema["type"]),
      );
      // A text without a limit could be as long as a body.
      const bounded =
        schema["type"] === "boolean" ||
        schema["format"] === "date" ||
        "enum" in schema ||
        "maxLength" in schema ||
        ("minimum" in schema && "maximum" in schema);
      expect(bounded, `${argument} needs maxLength, enum, or minimum and maximum`).toBe(true);
    }
    for (const argument of notFound ?? [])
      expect(Object.keys(input.properties)).toContain(argument);
  });

  test("accepts its own defaults", () => {
    for (const schema of Object.values(input.properties)) {
      if (schema["default"] !== undefined)
        expect(Value.Check(schema, schema["default"])).toBe(true);
    }
  });

  const typeCheck = lazy(() => TypeCompiler.Compile(output));
  const validator = lazy(() => {
    const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
    addFormats.default(ajv);
    return ajv.compile(closed(publishSchema(output)) as object);
  });
  const calls = CALLS.filter((call) => call.operation === operation);
  test.each(calls.map((call) => [JSON.stringify(call.arguments), call] as const))(
    "has an answer to %s that matches its schema, by an independent validator",
    async (_, call) => {
      const args = decodeArguments(input, call.arguments, notFound);
      const { data: payload, from } = await operation.handle(args, context);
      const data = withSource(operation, payload, "sample");
      const errors = [...typeCheck().Errors(data)].slice(0, 3);
      expect(errors).toEqual([]);
      // The answer must not change when it is converted to JSON.
      const sent: unknown = JSON.parse(JSON.stringify(data));
      expect(sent).toEqual(data);

      const validate = validator();
      validate(sent);
      expect(validate.errors ?? []).toEqual([]);

      const sources = [...from];
      expect(sources.length).toBeGreaterThan(0);
      for (const { source, storedAt } of sources) {
        expect(source).toBe("sample");
        expect(storedAt).toBeLessThanOrEqual(START);
      }
    },
  );

  test("returns the same answer twice", async () => {
    for (const call of calls.slice(0, 3)) {
      const args = decodeArguments(input, call.arguments, notFound);
      const answer = async () => (await operation.handle(args, context)).data;
      expect(await answer()).toEqual(await answer());
    }
  });
});

/** The schema without additional properties. */
function closed(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === "properties"
        ? Object.fromEntries(
            Object.entries(value as object).map(([name, one]) => [name, closed(one)]),
          )
        : closed(value),
    ]),
  );
  return "properties" in inner && !("additionalProperties" in inner)
    ? { ...inner, additionalProperties: false }
    : inner;
}

test("every operation is called for every country", () => {
  for (const { name, input, own } of OPERATIONS) {
    if (own) continue;
    const calls = CALLS.filter(({ operation }) => operation.name === name);
    expect(calls.length).toBeGreaterThan(0);
    if (!("country" in input.properties)) continue;
    const countries = new Set(calls.map(({ arguments: args }) => args["country"]));
    for (const country of COUNTRY_CODES) expect(countries).toContain(country);
  }
});

/** Dates beyond all records, at the ends of the calendar and well within it. */
const FAR = [
  ["0001-01-01", "1000-01-01"],
  ["9999-12-31", "5000-02-28"],
] as const;
const DATED = OPERATIONS.flatMap((operation) =>
  Object.entries(operation.input.properties as Record<string, TSchema>)
    .filter(([, { format, each }]) => format === "date" || each?.format === "date")
    .map(([argument]) => ({ operation, argument })),
);

test.each(DATED.map((one) => [`${one.operation.name} ${one.argument}`, one] as const))(
  "%s: the ends of the calendar are as good as any date beyond all records",
  async (_, { operation, argument }) => {
    const calls = CALLS.filter(
      ({ operation: one, arguments: { country = "US" } }) => one === operation && country === "US",
    );
    /** The answer, or the error, without the date. */
    const answerTo = async (call: Call, date: string) => {
      try {
        const given = { ...call.arguments, [argument]: date };
        const args = decodeArguments(operation.input, given, operation.notFound);
        const { data } = await operation.handle(args, context);
        return JSON.stringify(data).replaceAll(date, "DATE");
      } catch (error) {
        if (!(error instanceof BourseError)) throw error;
        return error.message.replaceAll(date, "DATE");
      }
    };
    for (const call of calls)
      for (const [end, within] of FAR)
        expect(await answerTo(call, end)).toBe(await answerTo(call, within));
  },
);
