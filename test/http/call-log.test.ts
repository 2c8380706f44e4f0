import { expect, test } from "bun:test";
import { CallLog, MAX_CALLS } from "#http/call-log.ts";
import type { Trace } from "#http/trace.ts";

let now = 0;
const makeLog = () =>
  new CallLog(
    () => now,
    () => now,
  );
const trace = (tokenId: number | null): Trace => ({
  via: "rest",
  operation: "get_markets",
  subject: "AAPL",
  refusal: null,
  tokenId,
});

test("the newest calls of the asked tokens, newest first", () => {
  const log = makeLog();
  for (now = 1; now <= 3; now++) log.finished(trace(now % 2), 200 + now, now / 2);
  log.finished(trace(null), 401, 1);
  expect(log.list([1])).toEqual([
    {
      at: 3,
      tokenId: 1,
      via: "rest",
      operation: "get_markets",
      subject: "AAPL",
      status: 203,
      ms: 1.5,
    },
    {
      at: 1,
      tokenId: 1,
      via: "rest",
      operation: "get_markets",
      subject: "AAPL",
      status: 201,
      ms: 0.5,
    },
  ]);
  expect(log.list([0, 1]).map(({ at }) => at)).toEqual([3, 2, 1]);
  expect(log.list([7])).toEqual([]);
});

test("a token keeps its newest thousand calls", () => {
  const log = makeLog();
  for (now = 1; now <= MAX_CALLS + 5; now++) log.finished(trace(1), 200, 1);
  const calls = log.list([1]);
  expect(calls).toHaveLength(MAX_CALLS);
  expect([calls[0]?.at, calls.at(-1)?.at]).toEqual([MAX_CALLS + 5, 6]);
});

test("calls of one millisecond are newest first too, also after a thousand", () => {
  const log = makeLog();
  for (let call = 1; call <= MAX_CALLS + 5; call++) log.finished(trace(1), call, 1);
  const statuses = log.list([1]).map(({ status }) => status);
  expect([statuses[0], statuses[1], statuses.at(-1)]).toEqual([MAX_CALLS + 5, MAX_CALLS + 4, 6]);
});

test("many tokens keep memory bounded: the first one makes room", () => {
  const log = makeLog();
  for (let id = 1; id <= 201; id++) log.finished(trace(id), 200, 1);
  expect(log.list([1])).toEqual([]);
  expect(log.list([2, 201])).toHaveLength(2);
});
