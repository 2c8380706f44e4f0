import { describe, expect, test } from "bun:test";
import { createLineWriter } from "#lib/line-writer.ts";

/** A sink whose reader takes nothing until `read` is called. */
function stalledReader() {
  const taken: string[] = [];
  const waiting: { text: string; done: () => void }[] = [];
  return {
    taken,
    sink: { write: (text: string, done: () => void) => void waiting.push({ text, done }) },
    read(): void {
      for (const { text, done } of waiting.splice(0)) {
        taken.push(text);
        done();
      }
    },
  };
}

describe("a line writer", () => {
  test("writes lines in order and counts unwritten characters", () => {
    const reader = stalledReader();
    const writer = createLineWriter(reader.sink);
    writer.write("one\n");
    writer.write("two\n");
    expect(writer.waiting()).toBe(8);
    reader.read();
    expect(reader.taken).toEqual(["one\n", "two\n"]);
    expect(writer.waiting()).toBe(0);
  });

  test("buffers at most 1 MiB for a stalled reader, and then reports how many lines it dropped", () => {
    const reader = stalledReader();
    const writer = createLineWriter(reader.sink);
    const line = `${"x".repeat(1023)}\n`;
    for (let i = 0; i < 3_000; i++) writer.write(line);
    // 1,024 lines of 1,024 characters fit into 2^20.
    expect(writer.waiting()).toBe(2 ** 20);
    reader.read();
    expect(reader.taken).toHaveLength(1_024);
    writer.write("after\n");
    writer.write("again\n");
    reader.read();
    expect(reader.taken.slice(1_024)).toEqual([
      "1976 log lines were dropped because the reader was too slow.\n",
      "after\n",
      "again\n",
    ]);
  });
});
