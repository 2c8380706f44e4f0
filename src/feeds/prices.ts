import { BourseError, invalidArgument, notFound } from "#domain/errors.ts";
import { type Decimal, decimalText } from "#lib/csv.ts";
import { dateOf } from "#lib/date.ts";
import { mapInTurns } from "#lib/next-turn.ts";
import { numberText } from "#lib/number-text.ts";
import { readDecimal } from "#operations/csv-link.ts";
import type { PayloadOf } from "#operations/index.ts";
import {
  beancountName,
  currencyOf,
  FileNames,
  isCurrencyCode,
  ledgerName,
  pricedBy,
} from "./commodity-names.ts";
import {
  type CallOperation,
  type FeedBody,
  type FeedLayer,
  type FeedRequest,
  textBody,
} from "./layer.ts";
import { type FeedInstrument, getInstrument, getSymbols, listBars } from "./request.ts";

/** Writes the prices of one program. */
interface PriceForm {
  /** The name of what the instrument's price is of. */
  readonly nameOf: (instrument: FeedInstrument, withCountry: boolean) => string;
  /** The price of one unit on a day. */
  readonly lineOf: (date: string, name: string, price: string) => string;
  /** What is before the prices. @throws BourseError if the program does not read that mark before decimals */
  readonly head: (decimal: Decimal) => string;
  /** The text of a price, which has a point before its decimals. */
  readonly priceText: (price: string, decimal: Decimal) => string;
}

/**
 * `P 2026-11-19 AAPL 387.24 USD`. In a journal with a decimal comma, both programs can take a point for a mark of
 * thousands. hledger reads `decimal-mark`, which ledger passes over. ledger takes three decimals for thousands, so a
 * fourth follows them.
 */
const LEDGER: PriceForm = {
  nameOf: (instrument, withCountry) => ledgerName(pricedBy(instrument), withCountry),
  lineOf: (date, name, price) => `P ${date} ${name} ${price}\n`,
  head: (decimal) => `decimal-mark ${decimal === "comma" ? "," : "."}\n`,
  priceText: (price, decimal) => decimalText(price.replace(/\.\d{3}$/, "$&0"), decimal),
};
/** `2026-11-19 price US.AAPL 387.24 USD` */
const BEANCOUNT: PriceForm = {
  nameOf: (instrument) => beancountName(pricedBy(instrument)),
  lineOf: (date, name, price) => `${date} price ${name} ${price}\n`,
  head(decimal) {
    if (decimal === "point") return "";
    const text = "decimal must be point: in beancount, a comma separates thousands.";
    throw invalidArgument(text, { param: "decimal", allowed: ["point"] });
  },
  priceText: (price) => price,
};

/** Price files of plain-text accounting: ledger, hledger, beancount. */
export const prices: FeedLayer = {
  name: "prices",
  title: "ledger, hledger and beancount",
  routes: {
    "/prices.ledger": (request) => answerPrices(request, LEDGER),
    "/prices.beancount": (request) => answerPrices(request, BEANCOUNT),
  },
  // Both programs read a line that begins with a semicolon as a comment.
  fail: ({ message, details: { hint } }) => textBody(comment(message, hint)),
};

/** The texts as one line of a comment: a symbol in them may have lines, which both programs would read. */
function comment(...texts: (string | undefined)[]): string {
  return `; ${texts.filter(Boolean).join(" ").replaceAll(/\s+/g, " ")}\n`;
}

/**
 * The closes of all symbols of the request, one line each, a symbol after the other, oldest first. An unknown symbol is a
 * comment.
 *
 * @throws BourseError if all symbols are unknown, or if two of them would have one name
 */
async function answerPrices({ query, call, now }: FeedRequest, form: PriceForm): Promise<FeedBody> {
  const withCountry = readNames(query);
  const decimal = readDecimal(query.get("decimal"));
  const head = `; Prices by bourse, ${dateOf(now)}\n${form.head(decimal)}`;
  const period = {
    range: query.get("range") ?? (query.get("from") === null ? "1y" : undefined),
    from: query.get("from") ?? undefined,
    to: query.get("to") ?? undefined,
    interval: query.get("interval") ?? undefined,
  };
  const symbols = getSymbols(query);
  const found = await mapInTurns(symbols, (symbol) => findInstrument(call, symbol));
  const unknown = found.filter((one) => one instanceof BourseError);
  const [only] = unknown;
  if (only && unknown.length === found.length) {
    const reasons = unknown.map(reasonOf).join(" ");
    throw found.length === 1 ? only : notFound(NONE_FOUND + reasons);
  }
  const names = new FileNames();
  const listed = found.map((one) => {
    if (one instanceof BourseError) return one;
    const name = form.nameOf(one, withCountry);
    names.add(name, pricedBy(one));
    names.add(currencyOf(one), currencyOf(one));
    return { instrument: one, name, nameNote: withCountry ? null : nameNote(one, name) };
  });
  const histories = await mapInTurns(listed, async (one) => {
    if (one instanceof BourseError) return comment(reasonOf(one));
    const { instrument, name } = one;
    const { bars, note } = await listTraded(call, instrument, period);
    const { columns = [], rows = [] } = bars ?? {};
    const [date, close] = [columns.indexOf("date"), columns.indexOf("close")];
    const lines = rows.map((row) => {
      const price = form.priceText(numberText(Number(row[close])), decimal);
      return form.lineOf(String(row[date]), name, `${price} ${currencyOf(instrument)}`);
    });
    // All lines at once would take long in one turn.
    return [one.nameNote, note, ...lines].join("");
  });
  return textBody(head + histories.join(""));
}

/** True if the country is before every symbol. @throws BourseError for another value than `symbol` and `country` */
function readNames(query: URLSearchParams): boolean {
  const names = query.get("names") || "symbol";
  if (names === "symbol" || names === "country") return names === "country";
  throw invalidArgument("names must be symbol or country.", {
    param: "names",
    allowed: ["symbol", "country"],
  });
}

/** The instrument, or why there is none. @throws BourseError for another reason */
async function findInstrument(
  call: CallOperation,
  symbol: string,
): Promise<FeedInstrument | BourseError> {
  try {
    return await getInstrument(call, symbol);
  } catch (error) {
    if (error instanceof BourseError && error.code === "not_found") return error;
    throw error;
  }
}

const NONE_FOUND = "No symbol was found. ";

/** Why one symbol is unknown: `NONE1: Not found in US, JP or VN.` */
const reasonOf = ({ message }: BourseError) => message.replace(NONE_FOUND, "");

/** A comment on a name that has the country only because its symbol is a currency's code. */
function nameNote({ symbol }: FeedInstrument, name: string): string | null {
  return isCurrencyCode(symbol) && name.startsWith('"')
    ? comment(`${symbol} alone is the code of a currency, so it is ${name} here.`)
    : null;
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
