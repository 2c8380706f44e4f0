import { expect, test } from "bun:test";
import { type CachedAnswer, readPayload } from "#operations/execute.ts";

const answerOf = (data: object): CachedAnswer => ({
  body: JSON.stringify({ data }),
  etag: '"1"',
  source: null,
  storedAt: 0,
  changedAt: 0,
  madeAt: 0,
});

test("the payload of a small answer is known at once", () => {
  expect(readPayload(answerOf({ rows: [1] }))).toEqual({ rows: [1] });
});

test("a large answer is parsed in a turn between two others", async () => {
  const data = { rows: Array.from({ length: 50_000 }, (_, i) => i) };
  const order: string[] = [];
  setImmediate(() => {
    order.push("turn 1");
    setImmediate(() => order.push("turn 2"));
  });
  const payload = await readPayload(answerOf(data));
  order.push("payload");
  expect(payload).toEqual(data);
  expect(order).toEqual(["turn 1", "turn 2", "payload"]);
});
