import { describe, expect, test } from "bun:test";
import { createLog, type LogFormat } from "#lib/log.ts";

/** A log at 2026-11-20T17:30:00.000Z and its written lines. */
function recordingLog(format: LogFormat) {
  const lines: string[] = [];
  const log = createLog({
    format,
    write: (line) => lines.push(line),
    clock: () => Date.UTC(2026, 10, 20, 17, 30),
  });
  return { log, lines };
}

describe("log", () => {
  test("a JSON line is one object with time, level, message and the fields", () => {
    const { log, lines } = recordingLog("json");
    log.warn("slow answer", { requestId: "a-1", ms: 12.5, cached: false });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        time: "2026-11-20T17:30:00.000Z",
        level: "warn",
        message: "slow answer",
        requestId: "a-1",
        ms: 12.5,
        cached: false,
      },
    ]);
  });

  test("leaves out lines that are less important than its level", () => {
    const lines: string[] = [];
    const log = createLog({
      format: "text",
      write: (line) => lines.push(line),
      clock: () => 0,
      least: "warn",
    });
    log.info("a");
    log.warn("b");
    log.error("c");
    expect(lines).toEqual(["1970-01-01T00:00:00.000Z WARN  b", "1970-01-01T00:00:00.000Z ERROR c"]);
  });

  test("a text line is time, level, message and key=value, with levels of equal width", () => {
    const { log, lines } = recordingLog("text");
    log.info("ready");
    log.warn("slow answer", { requestId: "a-1", ms: 12.5 });
    log.error("failed", { cached: false });
    expect(lines).toEqual([
      "2026-11-20T17:30:00.000Z INFO  ready",
      '2026-11-20T17:30:00.000Z WARN  slow answer requestId="a-1" ms=12.5',
      "2026-11-20T17:30:00.000Z ERROR failed cached=false",
    ]);
  });

  test.each(["text", "json"] as const)("a field never adds a line break to a %s line", (format) => {
    const { log, lines } = recordingLog(format);
    log.error("failed", { stack: "Error: x\n    at y\r\n\u001B[31m\u009B2J\u202E" });
    expect(lines).toHaveLength(1);
    for (const control of ["\n", "\r", "\u001B", "\u009B", "\u202E"])
      expect(lines[0]).not.toContain(control);
  });

  test("a repeated error is written ten times a minute; the next line reports the suppressed ones", () => {
    const lines: string[] = [];
    const time = { now: Date.UTC(2026, 10, 20, 17, 30) };
    const clock = () => time.now;
    const log = createLog({ format: "json", write: (line) => lines.push(line), clock });
    for (let i = 0; i < 35; i++) log.error("failed", { requestId: String(i) });
    for (let i = 0; i < 35; i++) log.info("refreshed");
    log.error("another");
    expect(lines).toHaveLength(10 + 35 + 1);
    time.now += 60_000;
    log.error("failed");
    log.error("failed");
    expect(lines.slice(46).map((line) => JSON.parse(line).suppressed)).toEqual([25, undefined]);
  });

  test.each(["text", "json"] as const)("a password in a URL is hidden in %s", (format) => {
    const { log, lines } = recordingLog(format);
    log.error("failed", { error: "no answer from postgres://me:secret@db/bourse", times: 3 });
    expect(lines[0]).toContain("no answer from postgres://…@db/bourse");
    expect(lines[0]).not.toContain("secret");
  });

  test.each(["text", "json"] as const)("an undefined field is left out in %s", (format) => {
    const { log, lines } = recordingLog(format);
    log.info("ready", { address: undefined });
    expect(lines[0]).not.toContain("address");
  });
});

test("a source that keeps failing does not silence another one", () => {
  const lines: string[] = [];
  const log = createLog({ format: "json", write: (line) => lines.push(line), clock: () => 0 });
  for (let i = 0; i < 50; i++) log.warn("a source failed", { source: "alpha" });
  log.warn("a source failed", { source: "beta" });
  const sources = lines.map((line) => (JSON.parse(line) as { source: string }).source);
  expect(sources).toEqual([...Array.from({ length: 10 }, () => "alpha"), "beta"]);
});
