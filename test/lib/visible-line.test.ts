import { expect, test } from "bun:test";
import { isVisibleLine, toVisibleJson, toVisibleLine } from "#lib/visible-line.ts";

// ESC and CSI begin commands of a terminal; the others hide text, turn it round or end a line.
const REFUSED = [
  "\u001b",
  "\u0007",
  "\u009b",
  "\u007f",
  "\n",
  "\r",
  "\u2028",
  "\u202e",
  "\u{e0041}",
];

test.each(REFUSED)("%j is replaced in a line and escaped in JSON, which keeps its value", (one) => {
  const text = `a${one}b`;
  expect(isVisibleLine(text)).toBe(false);
  expect(toVisibleLine(text)).toBe("a\ufffdb");
  const json = toVisibleJson(JSON.stringify({ text }));
  expect(isVisibleLine(json)).toBe(true);
  expect(JSON.parse(json)).toEqual({ text });
});

test.each(["Café 東京 Đồng", "👩\u200d🚀 ✓", "  a  "])("%j stays as it is", (text) => {
  expect(isVisibleLine(text)).toBe(true);
  expect(toVisibleLine(text)).toBe(text);
  expect(toVisibleJson(text)).toBe(text);
});
