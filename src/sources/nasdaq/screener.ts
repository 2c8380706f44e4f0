import { plainText } from "#lib/plain-text.ts";
import { checkRowCount } from "#sources/check-answer.ts";
import { type ListReading, readList, textIn } from "#sources/list.ts";
import { type SourceClient, SourceError } from "#sources/source.ts";
import { NASDAQ } from "./source.ts";

/** A line of the stock screener. */
export interface ScreenedLine {
  /** With a dot before the class of a share: `BRK.B`. */
  readonly symbol: string;
  /** With the kind of security behind it: `Apple Inc. Common Stock`. */
  readonly name: string;
  readonly lastSale: number | null;
  readonly netChange: number | null;
  readonly volume: number | null;
  /** Of all classes of the issuer; null where it is not told. */
  readonly marketCap: number | null;
  readonly sector: string;
  readonly industry: string;
}

const ADDRESS = "https://api.nasdaq.com/api/screener/stocks?tableonly=true&download=true";
/** How old the answer may be: it holds both instruments and quotes, fetched one after the other. */
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
 * Left out are, by symbol, what has a `^` in it (preferred shares) and what has a fifth letter W, R or U
 * behind the symbol of another line; and by name warrants, rights, units (but those of partnerships and
 * trusts), whatever pays a stated percentage, notes, debentures, preferred shares, and depositary shares
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
  if (lines.size === 0) throw new SourceError(NASDAQ.name, "nothing", "an empty screener");
  return [...lines.values()];
}

function screenerRows(raw: unknown): readonly unknown[] {
  const { data, status } = objectOf(raw);
  // A refusal comes with HTTP 200.
  if (data === null || data === undefined) {
    const { rCode } = objectOf(status ?? {});
    throw invalid(`no data, code ${typeof rCode === "number" ? rCode : "unknown"}`);
  }
  const { rows, table } = objectOf(data);
  const list = rows ?? objectOf(table ?? {})["rows"];
  if (!Array.isArray(list)) throw invalid("no rows");
  checkRowCount(NASDAQ, list.length);
  return list;
}

/** `BRK.B` for `BRK/B`. */
function storedSymbol(symbol: string): string {
  return symbol.toUpperCase().replaceAll("/", ".");
}

/** Null if it is no share by its symbol or name. */
function parseLine(raw: unknown, number: number): ScreenedLine | null {
  const row = objectOf(raw);
  const text = (field: string): string => {
    const value = row[field];
    if (typeof value !== "string") throw invalid(`row ${number} has no ${field}`);
    return plainText(value, 1_000);
  };
  const figure = (field: string): number | null => {
    const digits = text(field).replaceAll(/[$,%]/g, "");
    if (digits === "" || digits === "NA" || digits === "N/A" || digits === "UNCH") return null;
    const value = Number(digits);
    if (!Number.isFinite(value)) throw invalid(`row ${number} has a ${field} that is no number`);
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

/** True where a name is that of a share, or of a unit that is one. */
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

function objectOf(raw: unknown): Readonly<Record<string, unknown>> {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw))
    throw invalid("no JSON object where one belongs");
  return raw as Record<string, unknown>;
}

/** That Nasdaq answered in another form than is known. */
export function invalid(reason: string): SourceError {
  return new SourceError(NASDAQ.name, "invalid_answer", reason);
}
