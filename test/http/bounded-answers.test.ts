import { describe, expect, test } from "bun:test";
import { BoundedAnswers } from "#http/bounded-answers.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { CachedAnswer, DecodedRequest } from "#operations/execute.ts";
import { expectError } from "../support/error.ts";

const REQUEST = {} as DecodedRequest;
const MIB = 2 ** 20;

/** Operations whose answers have that many characters. `run` counts those that have begun. */
function operationsOf(characters: number) {
  const operations = {
    run: 0,
    execute(): CachedAnswer {
      operations.run++;
      return { body: " ".repeat(characters) } as CachedAnswer;
    },
  };
  return operations;
}

const noTime = () => 0;
const open = () => new AbortController().signal;

describe("an answer of several operations", () => {
  test("begins no operation after its deadline", async () => {
    const operations = operationsOf(1);
    const gate = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const made = new BoundedAnswers(operations, noTime, 1).make(open(), async (executor) => {
      await executor.execute(REQUEST);
      await gate.promise;
      late.resolve(executor.execute(REQUEST));
    });
    const error = await expectError(() => made, "unavailable");
    expect(error.details.retryAfterSeconds).toBe(5);
    gate.resolve();
    await expectError(() => late.promise, "unavailable");
    expect(operations.run).toBe(1);
  });

  test("begins no operation after its client has gone", async () => {
    const operations = operationsOf(1);
    const client = new AbortController();
    const made = new BoundedAnswers(operations, noTime).make(client.signal, async (executor) => {
      await executor.execute(REQUEST);
      client.abort();
      await executor.execute(REQUEST);
    });
    await expectError(() => made, "unavailable");
    expect(operations.run).toBe(1);
  });

  test.each(["ends", "loses its client"])("that %s waits for no operation", async (event) => {
    const bounded = new BoundedAnswers({ execute: () => new Promise(() => {}) }, noTime);
    const client = new AbortController();
    const end = Promise.withResolvers<void>();
    let begun: Awaitable<CachedAnswer> | null = null;
    const made = bounded.make(client.signal, async (executor) => {
      begun = executor.execute(REQUEST);
      await end.promise;
    });
    await nextTurn();
    if (event === "ends") end.resolve();
    else client.abort();
    await expectError(() => begun, "unavailable");
    end.resolve();
    await made;
  });

  test("is refused above eight million characters", async () => {
    const bounded = new BoundedAnswers(operationsOf(4 * MIB), noTime);
    const make = (count: number) =>
      bounded.make(open(), async (executor) => {
        for (let i = 0; i < count; i++) await executor.execute(REQUEST);
      });
    await make(2);
    await expectError(() => make(3), "invalid_argument");
  });

  test.each([
    ["large", MIB / 4, 2],
    ["made of more than eight operations", 1, 9],
  ])("waits for one of two slots once it is %s; small ones go on", async (_, characters, count) => {
    const operations = operationsOf(characters);
    const bounded = new BoundedAnswers(operations, noTime);
    const end = Promise.withResolvers<void>();
    const working = new Set<number>();
    const large = (i: number) =>
      bounded.make(open(), async (executor) => {
        for (let done = 0; done < count; done++) await executor.execute(REQUEST);
        working.add(i);
        await end.promise;
      });
    const all = Array.from({ length: 6 }, (_one, i) => large(i));
    const small = await bounded.make(open(), async (one) => one.execute(REQUEST));
    expect(small.body).toHaveLength(characters);
    // By then, all promises have gone on.
    await nextTurn();
    expect([...working]).toEqual([0, 1]);
    end.resolve();
    await Promise.all(all);
    expect(working.size).toBe(6);
  });
});
