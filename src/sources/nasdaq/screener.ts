import { Type } from "@sinclair/typebox";
import { Nullable } from "#domain/schema.ts";
import { plainText } from "#lib/plain-text.ts";
import { answerReader, checkRowCount } from "#sources/check-answer.ts";
import { type ListReading, readList, textIn } from "#sources/list.ts";
import type { SourceClient } from "#sources/source.ts";
import { NASDAQ } from "./source.ts";

/** A line of the stock screener. */
export interface ScreenedLine {
  /** With a dot before the class of a share: `BRK.B`. */
  readonly symbol: string;
  /** With the kind of security after it: `Apple Inc. Common Stock`. */
  readonly name: string;
  readonly lastSale: number | null;
  readonly netChange: number | null;
  readonly volume: number | null;
  /** Of all classes of the issuer; null if it is not given. */
  readonly marketCap: number | null;
  readonly sector: string;
  readonly industry: string;
}

const ADDRESS = "https://api.nasdaq.com/api/screener/stocks?tableonly=true&download=true";
/** The maximum age of the answer: it has both instruments and quotes, which are fetched one after the other. */
export const MAX_AGE_MS = 10 * 60_000;

/** The screener's answer, at most `maxAgeMs` old. */
export async function fetchScreener(
  client: SourceClient,
  maxAgeMs: number = MAX_AGE_MS,
): Promise<unknown> {
  return (await client.request(ADDRESS, { maxAgeMs })).json();
}

/**
 * Reads the lines of the screener that are shares, in its order, without duplicates.
 *
 * Left out by symbol: symbols with `^` (preferred shares), and symbols of another line with a fifth letter
 * W, R or U. Left out by name: warrants, rights, units (except of partnerships and trusts), securities with a stated percentage, notes, debentures, preferred shares, and depositary shares
 * other than American and global ones, which are shares abroad.
 */
export function* readScreener(raw: unknown): ListReading<ScreenedLine[]> {
  const lines = new Map<string, ScreenedLine>();
  const rows = screenerRows(raw);
  const read = yield* readList(rows, parseLine, (row) => storedSymbol(textIn(row, "symbol") ?? ""));
  for (const line of read) {
    if (line !== null && !lines.has(line.symbol)) lines.set(line.symbol, line);
  }
  for (const symbol of lines.keys())
    if (/^[A-Z]{4}[WRU]$/.test(symbol) && lines.has(symbol.slice(0, 4))) lines.delete(symbol);
  if (lines.size === 0) throw NASDAQ.error("nothing", "the screener is empty");
  return [...lines.values()];
}

const Rows = Type.Optional(Nullable(Type.Array(Type.Unknown())));
const readAnswer = answerReader(
  NASDAQ,
  Type.Object({
    data: Type.Optional(
      Nullable(
        Type.Object({ rows: Rows, table: Type.Optional(Nullable(Type.Object({ rows: Rows }))) }),
      ),
    ),
    status: Type.Optional(Nullable(Type.Object({ rCode: Type.Optional(Type.Unknown()) }))),
  }),
);

function screenerRows(raw: unknown): readonly unknown[] {
  const { data, status } = readAnswer(raw);
  // A refusal has the status 200.
  if (!data) {
    const code = typeof status?.rCode === "number" ? status.rCode : "unknown";
    throw NASDAQ.error("invalid_answer", `no data, code ${code}`);
  }
  const rows = data.rows ?? data.table?.rows;
  if (!rows) throw NASDAQ.error("invalid_answer", "no rows");
  checkRowCount(NASDAQ, rows.length);
  return rows;
}

/** `BRK.B` for `BRK/B`. */
function storedSymbol(symbol: string): string {
  return symbol.toUpperCase().replaceAll("/", ".");
}

/** Null if its symbol or name shows that it is not a share. */
function parseLine(raw: unknown, number: number): ScreenedLine | null {
  const text = (field: string): string => {
    const value = textIn(raw, field);
    if (value === null) throw NASDAQ.error("invalid_answer", `row ${number} has no ${field}`);
    return plainText(value, 1_000);
  };
  const figure = (field: string): number | null => {
    const digits = text(field).replaceAll(/[$,%]/g, "");
    if (digits === "" || digits === "NA" || digits === "N/A" || digits === "UNCH") return null;
    const value = Number(digits);
    if (!Number.isFinite(value))
      throw NASDAQ.error("invalid_answer", `row ${number} has a ${field} that is not a number`);
    return value;
  };
  const positive = (value: number | null) => (value !== null && value > 0 ? value : null);
  const volume = figure("volume");
  const line = {
    symbol: storedSymbol(text("symbol")),
    name: text("name"),
    lastSale: positive(figure("lastsale")),
    netChange: figure("netchange"),
    volume: volume !== null && volume >= 0 ? volume : null,
    marketCap: positive(figure("marketCap")),
    sector: text("sector"),
    industry: text("industry"),
  };
  return /^[A-Z]{1,6}(\.[A-Z])?$/.test(line.symbol) && isShareName(line.name) ? line : null;
}

/** True for the name of a share, or of a unit that is one. */
function isShareName(name: string): boolean {
  if (/\bwarrants?\b|\brights?\b(?! to receive)|\bSTRATS\b|\bCorTS\b|\d ?%/i.test(name))
    return false;
  if (/\bnotes? (series )?due\b|\bsenior notes\b|\bsubordinated\b|\bdebentures?\b/i.test(name))
    return false;
  if (/\b(American|Global) Deposit[ao]ry\b|\bAD[RS]s?\b/i.test(name)) return true;
  if (/\bdeposit[ao]ry shares?\b/i.test(name)) return false;
  const isPreferred = /\b(preferred|preference|pfd)\b/i.test(name);
  if (isPreferred && !/\b(common|ordinary|fund)\b/i.test(name)) return false;
  return !/\bunits?\b/i.test(name) || /\b(common units?|limited partner|beneficial)/i.test(name);
}
