import { expect, test } from "bun:test";
import { BourseError } from "#domain/errors.ts";
import { ThreadCalls } from "#service/thread-calls.ts";

interface Functions {
  echo(value: unknown): unknown;
  fail(error: Error): never;
}

/** The error of a call as text. */
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => "no error",
    (error: unknown) => String(error),
  );

/** Two ends whose messages are copied, as between threads. */
function connect(handlers: Functions) {
  const here: ThreadCalls<Functions> = new ThreadCalls<Functions>(
    (message) => there.receive(structuredClone(message)),
    {},
  );
  const there = new ThreadCalls<Functions>(
    (message) => here.receive(structuredClone(message)),
    handlers,
  );
  return here;
}

const cannotBeCopied = () => {};
const CALLS: Functions = {
  echo: (value) => (value === "function" ? cannotBeCopied : value),
  fail: (error) => {
    throw error.message === "details"
      ? new BourseError("unavailable", "with details", { hint: cannotBeCopied as never })
      : error;
  },
};

test("a call has the result of the other thread, or rejects with its error", async () => {
  const calls = connect(CALLS);
  expect(await calls.call("echo", { a: [1] })).toEqual({ a: [1] });
  expect(await errorOf(calls.call("fail", new Error("no")))).toContain("Error: no");
});

test("a value that cannot be copied rejects the call, in both directions", async () => {
  const calls = connect(CALLS);
  expect(await errorOf(calls.call("echo", cannotBeCopied))).toContain("DataCloneError");
  expect(await errorOf(calls.call("echo", "function"))).toContain("DataCloneError");
  expect(await errorOf(calls.call("fail", new Error("details")))).toContain("with details");
  // Nothing waits any more, so the end of the other thread rejects nothing.
  calls.end(new Error("ended"));
  expect(await calls.call("echo", 1)).toBe(1);
  calls.tell("echo", cannotBeCopied);
});
