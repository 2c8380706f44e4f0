import type { Country } from "#domain/country.ts";
import { invalidArgument, notFound } from "#domain/errors.ts";
import { addDays, dateOf, daysBetween, isDate } from "#lib/date.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { type FeedBody, type FeedLayer, type FeedRequest, jsonBody } from "./layer.ts";
import { listBars, listFound } from "./request.ts";

/** A day has the rates of the last session within so many days before it. */
const CARRIED_DAYS = 14;
/** The most rows of one answer: ten years of eight currencies. */
const MAX_ROWS = 30_000;
/** More pairs than there are currencies. */
const MAX_PAIRS = 1_000;

/** Frankfurter's exchange rates, of version 2 and 1. A rate is one for each calendar day. */
export const frankfurter: FeedLayer = {
  name: "frankfurter",
  title: "programs that read Frankfurter's exchange rates",
  routes: {
    "/v2/rate/:base/:quote": answerRate,
    "/v2/rates": answerRates,
    "/v2/currencies": answerCurrencies,
    "/latest": answerLatest,
    "/v1/latest": answerLatest,
    "/currencies": answerNames,
    "/v1/currencies": answerNames,
    "/:period": answerPeriod,
    "/v1/:period": answerPeriod,
  },
  fail: ({ message }, status) => jsonBody({ status, message }),
};

/** The units of a currency for one US dollar from each date on, oldest first. */
type Rates = readonly (readonly [date: string, rate: number])[];

/** Dates, both included. */
interface Period {
  readonly from: string;
  readonly to: string;
}

/** A currency pair with the US dollar. */
interface Pair {
  readonly country: Country;
  readonly symbol: string;
  /** True for `EURUSD=X`, the price of one euro in dollars. */
  readonly isInverse: boolean;
}

/** The pairs with the US dollar by currency. */
async function listPairs({ call }: Pick<FeedRequest, "call">): Promise<Map<string, Pair>> {
  const pairs = new Map<string, Pair>();
  for (const { country, symbol } of await listFound(call, { type: "currency" }, MAX_PAIRS)) {
    const [, base = "USD", quote = ""] = /^([A-Z]{3})?([A-Z]{3})=X$/.exec(symbol) ?? [];
    if (base === "USD") pairs.set(quote, { country, symbol, isInverse: false });
    else if (quote === "USD" && !pairs.has(base))
      pairs.set(base, { country, symbol, isInverse: true });
  }
  return pairs;
}

/** The rates of a currency from the last session at or before `from` to `to`. @throws BourseError `not_found` */
async function loadRates(
  { call }: FeedRequest,
  currency: string,
  pairs: ReadonlyMap<string, Pair>,
  period: Period,
): Promise<Rates> {
  if (currency === "USD") return [["0000-01-01", 1]];
  const pair = pairs.get(currency);
  if (!pair) {
    throw notFound(
      `There is no rate of ${currency}; there are ${["USD", ...pairs.keys()].sort().join(", ")}.`,
    );
  }
  const args = { from: addDays(period.from, -CARRIED_DAYS), to: period.to };
  const { bars } = await listBars(call, pair, args);
  const close = bars?.columns.indexOf("close") ?? 0;
  return (bars?.rows ?? []).map((row) => {
    const price = Number(row[close]);
    return [String(row[0]), pair.isInverse ? 1 / price : price];
  });
}

/**
 * The rates of the base and of each quote, loaded one after the other until there are more rows than an answer can have.
 *
 * @throws BourseError `not_found`, or `invalid_argument` for too many rows
 */
async function loadSeries(
  request: FeedRequest,
  base: string,
  quotes: readonly string[],
  period: Period,
): Promise<Map<string, Rates>> {
  const pairs = await listPairs(request);
  const series = new Map<string, Rates>();
  let rows = 0;
  for (const currency of [base, ...quotes]) {
    const rates = series.get(currency) ?? (await loadRates(request, currency, pairs, period));
    series.set(currency, rates);
    if (currency !== base) rows += daysFrom(firstDay(period, [series.get(base), rates]), period.to);
    if (rows > MAX_ROWS) {
      throw invalidArgument(`An answer has at most ${MAX_ROWS} rates. Ask for a shorter period.`);
    }
    await nextTurn();
  }
  return series;
}

/** Sorted behind every date. */
const NEVER = "~";

/** The first day from which all of these have a rate, at the earliest the period's first day; `NEVER` if one has none. */
function firstDay({ from }: Period, all: readonly (Rates | undefined)[]): string {
  const firsts = all.map((rates) => rates?.[0]?.[0] ?? NEVER);
  return [from, ...firsts].toSorted().at(-1) ?? from;
}

const daysFrom = (first: string, last: string) => (first > last ? 0 : daysBetween(first, last) + 1);

/** One rate of a day. */
interface Row {
  readonly date: string;
  readonly base: string;
  readonly quote: string;
  readonly rate: number;
}

/** The rates of each calendar day of a period, by day and then in the order of the quotes. */
async function listRows(
  request: FeedRequest,
  base: string,
  quotes: readonly string[],
  period: Period,
): Promise<Row[]> {
  const series = await loadSeries(request, base, quotes, period);
  const next = new Map([...series.keys()].map((currency) => [currency, 0]));
  const rateOn = (currency: string, date: string): number | null => {
    const list = series.get(currency) ?? [];
    let i = next.get(currency) ?? 0;
    while (i < list.length && (list[i]?.[0] ?? "") <= date) i++;
    next.set(currency, i);
    return list[i - 1]?.[1] ?? null;
  };
  const rows: Row[] = [];
  const others = quotes.filter((quote) => quote !== base);
  if (others.length === 0) return [];
  const [start = period.from] = others
    .map((quote) => firstDay(period, [series.get(base), series.get(quote)]))
    .toSorted();
  for (let day = 0; day < daysFrom(start, period.to); day++) {
    const date = addDays(start, day);
    // A month in a turn.
    if (date.endsWith("-01")) await nextTurn();
    const perUsd = rateOn(base, date);
    for (const quote of others) {
      const rate = rateOn(quote, date);
      if (rate === null || perUsd === null) continue;
      rows.push({ date, base, quote, rate: Number((rate / perUsd).toPrecision(6)) });
    }
  }
  return rows;
}

/** The newest day with rates: the date of `date`, or of today in UTC. */
function readDay({ query, now }: FeedRequest): string {
  const today = dateOf(now);
  const date = query.get("date") || today;
  if (!isDate(date) || date > today) {
    throw invalidArgument(`date must be a date up to ${today}, YYYY-MM-DD.`);
  }
  return date;
}

/** The currencies of a parameter, or all. As Frankfurter does, it leaves out unknown ones beside known ones. */
async function readQuotes(request: FeedRequest, name: string, base: string): Promise<string[]> {
  const all = ["USD", ...(await listPairs(request)).keys()];
  const text = request.query.get(name);
  if (!text) return all.filter((currency) => currency !== base).sort();
  const asked = text.split(",").map((currency) => currency.trim().toUpperCase());
  const known = asked.filter((currency) => all.includes(currency));
  return known.length > 0 ? known : asked;
}

async function answerRate(request: FeedRequest): Promise<FeedBody> {
  const [base = "", quote = ""] = [request.path["base"], request.path["quote"]].map((one) =>
    one?.toUpperCase(),
  );
  const day = readDay(request);
  if (base === quote) return jsonBody({ date: day, base, quote, rate: 1 });
  const [row] = await listRows(request, base, [quote], { from: day, to: day });
  if (!row) throw notFound(`There is no rate of ${base}/${quote} on ${day}.`);
  return jsonBody(row);
}

async function answerRates(request: FeedRequest): Promise<FeedBody> {
  const { query } = request;
  const base = (query.get("base") || "EUR").toUpperCase();
  const quotes = await readQuotes(request, "quotes", base);
  const from = query.get("from");
  const day = readDay(request);
  const period = from ? { from, to: query.get("to") || day } : { from: day, to: day };
  checkPeriod(period);
  return jsonBody(await listRows(request, base, quotes, period));
}

function checkPeriod({ from, to }: { readonly from: string; readonly to: string }): void {
  if (isDate(from) && isDate(to) && from <= to) return;
  throw invalidArgument("from and to must be dates, YYYY-MM-DD, in order.");
}

const NAMES = new Intl.DisplayNames("en", { type: "currency" });

async function answerCurrencies(request: FeedRequest): Promise<FeedBody> {
  const codes = ["USD", ...(await listPairs(request)).keys()].sort();
  return jsonBody(codes.map((code) => ({ iso_code: code, name: NAMES.of(code) ?? code })));
}

async function answerNames(request: FeedRequest): Promise<FeedBody> {
  const codes = ["USD", ...(await listPairs(request)).keys()].sort();
  return jsonBody(Object.fromEntries(codes.map((code) => [code, NAMES.of(code) ?? code])));
}

/** What a request of version 1 asks for, whose base and symbols are also `from` and `to`. @throws BourseError */
async function readAsked(request: FeedRequest) {
  const { query } = request;
  const base = (query.get("base") || query.get("from") || "EUR").toUpperCase();
  const quotes = await readQuotes(request, query.has("to") ? "to" : "symbols", base);
  const amount = Number(query.get("amount") || 1);
  if (Number.isFinite(amount) && amount > 0) return { base, quotes, amount };
  throw invalidArgument("amount must be a number above 0.");
}

/** The rates by quote, for an amount of the base. */
const ratesOf = (rows: readonly Row[], amount: number) =>
  Object.fromEntries(
    rows.map(({ quote, rate }) => [quote, Number((rate * amount).toPrecision(12))]),
  );

/** Version 1: the newest rates, or with a date in the path the rates of that day. */
async function answerLatest(request: FeedRequest, day = dateOf(request.now)): Promise<FeedBody> {
  const { base, quotes, amount } = await readAsked(request);
  const rows = await listRows(request, base, quotes, { from: day, to: day });
  return jsonBody({ amount, base, date: day, rates: ratesOf(rows, amount) });
}

/** Version 1: `2026-01-05`, `2026-01-05..2026-02-01` or `2026-01-05..`. */
async function answerPeriod(request: FeedRequest): Promise<FeedBody> {
  const text = request.path["period"] ?? "";
  if (isDate(text)) return answerLatest(request, text);
  const [from = "", end = ""] = text.split("..");
  const period = { from, to: end || dateOf(request.now) };
  if (!text.includes("..")) throw notFound("This path is unknown.");
  checkPeriod(period);
  const { base, quotes, amount } = await readAsked(request);
  const days = Map.groupBy(await listRows(request, base, quotes, period), ({ date }) => date);
  return jsonBody({
    amount,
    base,
    start_date: period.from,
    end_date: period.to,
    rates: Object.fromEntries([...days].map(([date, rows]) => [date, ratesOf(rows, amount)])),
  });
}
