import { BourseError } from "#domain/errors.ts";
import { dateOf } from "#lib/date.ts";
import type { PayloadOf } from "#operations/index.ts";
import {
  type CallOperation,
  type FeedBody,
  type FeedLayer,
  type FeedRequest,
  textBody,
} from "./layer.ts";
import { type FeedInstrument, getInstrument, getSymbols, listBars, mapInTurns } from "./request.ts";

/** The currency pair `JPY=X` (a US dollar in yen) or `EURUSD=X` (a euro in dollars). */
const PAIR = /^([A-Z]{3})?[A-Z]{3}=X$/;

/** Writes a price of one unit on a day. The currency of an index is its points'. */
type FormatPrice = (instrument: FeedInstrument, date: string, close: number) => string;

/** Price files of plain-text accounting: ledger, hledger, beancount. */
export const prices: FeedLayer = {
  name: "prices",
  title: "ledger, hledger and beancount",
  routes: {
    "/prices.ledger": (request) => answerPrices(request, formatLedger),
    "/prices.beancount": (request) => answerPrices(request, formatBeancount),
  },
  // Both programs read a line that begins with a semicolon as a comment.
  fail: ({ message, details: { hint } }) => textBody(comment(message, hint)),
};

/** The texts as one line of a comment: a symbol in them may have lines, which both programs would read. */
function comment(...texts: (string | undefined)[]): string {
  return `; ${texts.filter(Boolean).join(" ").replaceAll(/\s+/g, " ")}\n`;
}

/** The closes of all symbols of the request, one line each, a symbol after the other, oldest first. */
async function answerPrices(
  { query, call, now }: FeedRequest,
  format: FormatPrice,
): Promise<FeedBody> {
  const period = {
    range: query.get("range") ?? (query.get("from") === null ? "1y" : undefined),
    from: query.get("from") ?? undefined,
    to: query.get("to") ?? undefined,
    interval: query.get("interval") ?? undefined,
  };
  const histories = await mapInTurns(getSymbols(query), async (symbol) => {
    const instrument = await getInstrument(call, symbol);
    const { bars, note } = await listTraded(call, instrument, period);
    const { columns = [], rows = [] } = bars ?? {};
    const [date, close] = [columns.indexOf("date"), columns.indexOf("close")];
    const lines = rows.map((row) => format(instrument, String(row[date]), Number(row[close])));
    // All lines at once would take long in one turn.
    return [note, ...lines].join("");
  });
  return textBody(`; Prices by bourse, ${dateOf(now)}\n${histories.join("")}`);
}

/**
 * The prices as traded, because a ledger holds the shares that were bought. Where splits are unknown, the
 * prices are split-adjusted, and the note says so, as it says that there are no prices of the period.
 */
async function listTraded(
  call: CallOperation,
  instrument: FeedInstrument,
  period: Readonly<Record<string, unknown>>,
): Promise<Pick<PayloadOf<"get_stock_price_history">, "bars"> & { note: string | null }> {
  try {
    return { ...(await listBars(call, instrument, { ...period, adjust: "none" })), note: null };
  } catch (error) {
    if (!(error instanceof BourseError)) throw error;
    if (error.details.noData) return { note: comment(error.message) };
    if (error.details.param !== "adjust") throw error;
    const { bars } = await listBars(call, instrument, period);
    return { ...(bars && { bars }), note: comment("Adjusted for splits:", error.message) };
  }
}

/** `P 2026-11-19 AAPL 387.24 USD`. A name with other characters than letters needs quotes. */
function formatLedger(instrument: FeedInstrument, date: string, close: number): string {
  const commodity = commodityOf(instrument, instrument.symbol);
  const quoted = /^[A-Za-z]+$/.test(commodity) ? commodity : `"${commodity}"`;
  return `P ${date} ${quoted} ${close} ${currencyOf(instrument)}\n`;
}

/**
 * `2026-11-19 price US.AAPL 387.24 USD`. The name of a commodity begins with a letter, so it has the country:
 * `JP.7203`.
 */
function formatBeancount(instrument: FeedInstrument, date: string, close: number): string {
  const { country, symbol } = instrument;
  const plain = `${country}.${symbol}`.replaceAll(/[^A-Z0-9._-]/g, "");
  return `${date} price ${commodityOf(instrument, plain)} ${close} ${currencyOf(instrument)}\n`;
}

/** The currency that a pair is the price of, or the given name. */
function commodityOf({ symbol }: FeedInstrument, name: string): string {
  const pair = PAIR.exec(symbol);
  return pair ? (pair[1] ?? "USD") : name;
}

function currencyOf({ currency }: FeedInstrument): string {
  return currency ?? "POINTS";
}
