import { isIsin } from "#domain/isin.ts";
import type { ListFile } from "#domain/list-file.ts";
import { quote } from "#imports/cells.ts";
import { readFigure } from "#imports/numbers.ts";
import { Positions } from "./positions.ts";
import { cleanSymbol } from "./table.ts";

/** `US:AAPL=10`, `AAPL,10`, `AAPL 10`: a symbol with its shares. */
const WITH_SHARES = /^([^\s,;=\t]{1,60})\s*[,;=\t ]\s*(\d[\d.]*)$/;

/** What people write before the lines of a list. */
const BULLET = /^\s*(?:[-*•]|\d+[.)])\s+/;

/** `$AAPL $TSLA` and `AAPL MSFT NVDA`. Two words without a dollar can be one symbol: `7203 JP`. */
function splitTickers(written: string): string[] {
  const words = written.trim().split(/\s+/);
  const areTickers =
    words.every((word) => /^\$[A-Za-z.]{1,6}$/.test(word)) ||
    (words.length > 2 && words.every((word) => /^[A-Z0-9.]{1,6}$/.test(word)));
  return areTickers ? words : [written];
}

/**
 * Reads symbols, one a line or separated by commas, semicolons or tabs; with a number behind each symbol, those are its
 * shares. TradingView writes its watch lists so, with `###` before the title of a section.
 */
export function* readPlain(text: string): Generator<void, ListFile> {
  const positions = new Positions();
  const lines = text.split(/\r\n|\n|\r/);
  const isTradingView = /(?:^|[,\n\r])\s*###|^\s*[A-Z_]+:[^\s,]+(?:,|\s*$)/m.test(text);
  for (const [i, line] of lines.entries()) {
    if (i % 1_000 === 999) yield;
    const place = `line ${i + 1}`;
    const [, symbol, shares] = WITH_SHARES.exec(line.trim()) ?? [];
    if (symbol && shares && !/^\d[\d.]*$/.test(symbol)) {
      const count = readFigure(shares, "point") ?? 0;
      positions.add(place, { symbols: [symbol] }, { type: "holding", shares: count });
      continue;
    }
    const parts = line.replace(BULLET, "").split(/[,;\t]/);
    for (const part of parts.flatMap(splitTickers)) addSymbol(positions, place, part.trim());
  }
  return { program: isTradingView ? "TradingView" : "plain text", ...positions.finish() };
}

function addSymbol(positions: Positions, place: string, written: string): void {
  if (written === "" || written.startsWith("#")) return;
  const symbol = cleanSymbol(written.replaceAll(/^["']|["']$/g, ""));
  if (symbol === "") return;
  if (/^[A-Z_]+:[^/*+]+[/*+-][A-Z_]+:/.test(symbol)) {
    positions.remark(place, written, `${quote(symbol)} is a formula of several instruments`);
    return;
  }
  const [, before = "", inside = ""] = /^(.+?)\s*\(([^()]+)\)$/.exec(symbol) ?? [];
  const [ticker] = [inside, before].filter((one) => /^[A-Z0-9.:^=-]{1,15}$/.test(one));
  if (ticker) {
    positions.add(place, { symbols: [ticker], name: ticker === inside ? before : inside }, null);
  } else if (isIsin(symbol)) positions.add(place, { isin: symbol }, null);
  else positions.add(place, { symbols: [symbol] }, null);
}
