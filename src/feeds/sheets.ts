import { invalidArgument } from "#domain/errors.ts";
import { decimalText, formatCsv } from "#lib/csv.ts";
import { mapInTurns } from "#lib/next-turn.ts";
import { numberText } from "#lib/number-text.ts";
import { type Cell, cellText } from "#lib/table.ts";
import { readDecimal } from "#operations/csv-link.ts";
import { csvBody, type FeedBody, type FeedLayer, type FeedRequest, textBody } from "./layer.ts";
import {
  findFigures,
  getCells,
  getComparison,
  getInstrument,
  getParameter,
  listBars,
  startOf,
} from "./request.ts";

const DEFAULT_FIELDS = ["price", "name", "currency", "change_percent"];
/** Columns of a comparison that are no metric. */
const TEXT_FIELDS = ["country", "symbol", "name", "currency", "to_session"];
/** Fields as GOOGLEFINANCE names them. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["changepct", "change_percent"],
  ["marketcap", "market_cap"],
  ["high52", "high_52w"],
  ["low52", "low_52w"],
  ["session", "to_session"],
  ["date", "to_session"],
]);
const INTERVALS = ["1d", "1wk", "1mo"];
const PERIOD = ["range", "from", "to", "interval", "adjust", "currency"];

/** Tables for spreadsheets: `IMPORTDATA` of Google Sheets, `WEBSERVICE` and Power Query of Excel, LibreOffice. */
export const sheets: FeedLayer = {
  name: "sheets",
  title: "Google Sheets, Excel and LibreOffice",
  routes: { "/quotes.csv": answerQuotes, "/history.csv": answerHistory, "/value": answerValue },
  names: { metrics: ["fields", "field"], symbols: ["symbols", "symbol"] },
  fail: ({ message, details: { hint } }) =>
    textBody(`${[message, hint].filter(Boolean).join(" ")}\n`),
};

/** One row for each place between commas, in order. An unknown symbol and an empty place have empty cells. */
async function answerQuotes({ query, call }: FeedRequest): Promise<FeedBody> {
  const symbols = getCells(query);
  const decimal = readDecimal(query.get("decimal"));
  const asked = query.get("fields")?.split(",").map(fieldOf).filter(Boolean) ?? [];
  if (asked.length === 0) asked.push(...DEFAULT_FIELDS);
  const found = await mapInTurns(symbols, async (symbol) =>
    symbol === "" ? null : findFigures(call, symbol, metricsOf(asked)),
  );
  // `all` stands for every figure that the operation has.
  const [known] = found.flatMap((figures) => figures ?? []);
  const fields = asked.flatMap((field) =>
    field === "all" ? [...(known?.keys() ?? [])].filter((one) => one !== "symbol") : field,
  );
  const rows = found.map((figures, i): Cell[] => [
    symbols[i] ?? null,
    ...fields.map((field) => figures?.get(field) ?? null),
  ]);
  return csvBody(formatCsv({ columns: ["symbol", ...fields], rows }, decimal));
}

/** The bars of one symbol, oldest first. */
async function answerHistory({ query, call }: FeedRequest): Promise<FeedBody> {
  const instrument = await getInstrument(call, getParameter(query, "symbol"));
  const period = PERIOD.map((name) => [name, query.get(name) ?? undefined] as const);
  const interval = query.get("interval") || "1d";
  const isFirstDay = readLabel(query, interval);
  const { bars } = await listBars(call, instrument, Object.fromEntries(period));
  const { columns, rows } = bars ?? { columns: [], rows: [] };
  const labelled = isFirstDay
    ? rows.map(([date = null, ...prices]) => [startOf(interval, String(date)), ...prices])
    : rows;
  return csvBody(formatCsv({ columns, rows: labelled }, readDecimal(query.get("decimal"))));
}

/** True if a week has the date of its Monday and a month of its first day. @throws BourseError for another value */
function readLabel(query: URLSearchParams, interval: string): boolean {
  const label = query.get("label") || "session";
  if (label === "start" && !INTERVALS.includes(interval)) {
    // The operation understands other words, such as weekly.
    const text = `With label=start, interval must be one of ${INTERVALS.join(", ")}.`;
    throw invalidArgument(text, { param: "interval", allowed: INTERVALS });
  }
  if (label === "session" || label === "start") return label === "start";
  throw invalidArgument(
    "label must be session, the last session of a week or month, or start, its first day.",
    { param: "label", allowed: ["session", "start"] },
  );
}

/** One bare value. */
async function answerValue({ query, call }: FeedRequest): Promise<FeedBody> {
  const symbol = getParameter(query, "symbol");
  const field = fieldOf(query.get("field") || "price");
  const figures = await getComparison(call, symbol, metricsOf([field]));
  const figure = figures.get(field) ?? null;
  if (typeof figure !== "number") return textBody(cellText(figure));
  return textBody(decimalText(numberText(figure), readDecimal(query.get("decimal"))));
}

function fieldOf(text: string): string {
  const field = text.trim().toLowerCase();
  return ALIASES.get(field) ?? field;
}

function metricsOf(fields: readonly string[]): string[] {
  return fields.filter((field) => !TEXT_FIELDS.includes(field));
}
