import { describe, expect, test } from "bun:test";
import { Batch } from "#lib/batch.ts";
import { nextTurn } from "#lib/next-turn.ts";

/** A batch of at most three items whose answers the test gives. */
function openBatch() {
  const sent: { items: readonly number[]; answer: (answers: (string | Error)[]) => void }[] = [];
  const failures: ((error: Error) => void)[] = [];
  const batch = new Batch<number, string>((items) => {
    const { promise, resolve, reject } = Promise.withResolvers<(string | Error)[]>();
    sent.push({ items, answer: resolve });
    failures.push(reject);
    return promise;
  }, 3);
  return { batch, sent, failures };
}

describe("a batch", () => {
  test("has the items of one turn, in order, and each gets its own answer", async () => {
    const { batch, sent } = openBatch();
    const answers = [batch.add(1), batch.add(2)];
    expect(sent).toEqual([]);
    await nextTurn();
    expect(sent.map(({ items }) => items)).toEqual([[1, 2]]);
    sent[0]?.answer(["one", "two"]);
    expect(await Promise.all(answers)).toEqual(["one", "two"]);
  });

  test("waits for the one before, and has at most as many items as allowed", async () => {
    const { batch, sent } = openBatch();
    const answers = [1, 2, 3, 4].map((item) => batch.add(item));
    await nextTurn();
    answers.push(batch.add(5));
    await nextTurn();
    expect(sent.map(({ items }) => items)).toEqual([[1, 2, 3]]);
    sent[0]?.answer(["1", "2", "3"]);
    await nextTurn();
    await nextTurn();
    expect(sent.map(({ items }) => items)).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    sent[1]?.answer(["4", "5"]);
    expect(await Promise.all(answers)).toEqual(["1", "2", "3", "4", "5"]);
  });

  test("that fails rejects its items; an error among the answers rejects one; the next batch works", async () => {
    const { batch, sent, failures } = openBatch();
    const failed = Promise.allSettled([batch.add(1), batch.add(2)]);
    await nextTurn();
    failures[0]?.(new Error("no answer"));
    expect((await failed).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const mixed = Promise.allSettled([batch.add(3), batch.add(4)]);
    await nextTurn();
    sent[1]?.answer(["three", new Error("four is gone")]);
    expect(await mixed).toMatchObject([
      { value: "three" },
      { reason: { message: "four is gone" } },
    ]);
  });
});
