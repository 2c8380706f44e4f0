import { isIsin } from "#domain/isin.ts";
import type { ListFile } from "#domain/list-file.ts";
import { quote } from "#imports/cells.ts";
import { type DecimalMark, readFigure } from "#imports/numbers.ts";
import { refuseLongLine, refuseLongList, refuseManyRows } from "./limits.ts";
import { listDecimalMark } from "./open-choice.ts";
import { ROWS_PER_TURN } from "./own.ts";
import { type Move, Positions } from "./positions.ts";
import type { ListOptions } from "./table.ts";
import { cleanSymbol } from "./instrument-cells.ts";

/** `US:AAPL=10`, `AAPL,10`, `AAPL 1,500`: a symbol with its shares. */
const WITH_SHARES = /^([^\s,;=]{1,60})([\s,;=]{1,60})(\d[\d.,]{0,30})$/;

/** A line with a symbol and its shares; null for other lines. */
function splitShares(line: string): { symbol: string; shares: string; separator: string } | null {
  const [, symbol = "", between = "", shares = ""] = WITH_SHARES.exec(line.trim()) ?? [];
  const separator = between.trim() || " ";
  const isOne = separator.length === 1 && !(separator === "," && shares.includes(","));
  return symbol && isOne && !/^\d[\d.]*$/.test(symbol) ? { symbol, shares, separator } : null;
}

/** The title of a section, or a symbol behind its exchange. */
const TRADING_VIEW = /(?:^|,)\s*###|^[A-Z_]+:[^\s,]+(?:,|$)/;

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
export function* readPlain(text: string, options: ListOptions): Generator<void, ListFile> {
  const positions = new Positions();
  const lines = text.split(/\r\n|\n|\r/);
  let isTradingView = false;
  const counts: ReturnType<typeof splitShares>[] = [];
  for (const line of lines) {
    if (counts.length % ROWS_PER_TURN === 0) yield;
    refuseLongList(line, counts.length + 1);
    counts.push(splitShares(line));
    isTradingView ||= TRADING_VIEW.test(line.trim());
  }
  const mark = options.decimal ?? markOf(counts);
  let read = 0;
  let symbols = 0;
  for (const [i, line] of lines.entries()) {
    if (i % ROWS_PER_TURN === 0) yield;
    const place = `line ${i + 1}`;
    const { symbol, shares = "" } = counts[i] ?? {};
    if (symbol !== undefined) {
      const count = readFigure(shares, mark) ?? 0;
      const reason = `${quote(shares)} is no number of shares`;
      const move: Move = Number.isFinite(count)
        ? { type: "holding", shares: count }
        : { type: "unknown", reason };
      positions.add(place, { symbols: [symbol] }, move);
      continue;
    }
    const parts = line.replace(BULLET, "").split(/[,;\t]/);
    for (const part of parts) {
      refuseLongLine(part, i + 1);
      for (const ticker of splitTickers(part)) {
        // A line can have a million separators with nothing between them.
        if (++read % ROWS_PER_TURN === 0) yield;
        if (ticker.trim() === "") continue;
        refuseManyRows(++symbols, i + 1);
        addSymbol(positions, place, ticker.trim());
      }
    }
  }
  return { program: isTradingView ? "TradingView" : "plain text", ...positions.finish() };
}

/** @throws OpenChoice if nothing shows the decimal mark */
function markOf(counts: readonly ReturnType<typeof splitShares>[]): DecimalMark {
  const cells = counts.flatMap((one, i) =>
    one ? [{ line: i + 1, text: one.shares, isVolume: false }] : [],
  );
  const isByComma = counts.some((one) => one?.separator === ",");
  return listDecimalMark(cells, isByComma ? "," : ";");
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
