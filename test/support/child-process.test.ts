import { expect, test } from "bun:test";
import { endChildren, spawnChild } from "./child-process.ts";

test("endChildren ends a child that its test left running", async () => {
  const child = spawnChild(["sleep", "60"]);
  expect(() => process.kill(child.pid, 0)).not.toThrow();
  await endChildren();
  expect(child.signalCode).toBe("SIGKILL");
  expect(() => process.kill(child.pid, 0)).toThrow();
});
