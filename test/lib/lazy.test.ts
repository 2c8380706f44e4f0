import { expect, test } from "bun:test";
import { lazy } from "#lib/lazy.ts";

test("a lazy value is computed once, on the first call, also if it is undefined", () => {
  let made = 0;
  const value = lazy(() => void made++);
  expect(made).toBe(0);
  value();
  value();
  expect(made).toBe(1);
});
