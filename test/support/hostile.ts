/** Internals that no answer may contain: a stack, a path of this machine, SQL, a token. */
export const LEAK =
  /node_modules|\/src\/|\/tmp\/|\.ts:\d|\bat [\w.<]+ \(|SQLITE|SELECT |TypeError|RangeError|SyntaxError|bourse_\w{20}/;

/** Numbers between 0 and 1 that are the same on every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Values that no program should send. */
export const NASTY = [
  "",
  " ",
  "%00",
  "%ZZ",
  "%",
  "%F0%9F",
  "..",
  "../../../etc/passwd",
  "..%2f..%2f",
  "__proto__",
  "constructor",
  "prototype",
  "hasOwnProperty",
  "null",
  "undefined",
  "NaN",
  "-1",
  "1e309",
  "0x1",
  "9".repeat(30),
  "' OR '1'='1",
  '"; DROP TABLE tokens; --',
  "<script>alert(1)</script>",
  "${7*7}",
  "{{7*7}}",
  "\u202e\u2066",
  "ＡＡＰＬ",
  "😀".repeat(50),
  "A".repeat(3_000),
  "%0d%0aX-Injected: 1",
  "[object Object]",
  "true",
  "[]",
  "{}",
  "US",
  "AAPL",
];
