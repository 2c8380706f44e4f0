import { sessionsBetween } from "#analytics/sessions.ts";
import { COUNTRIES } from "#domain/country.ts";
import type { ErrorDetails } from "#domain/errors.ts";
import { isShare } from "#domain/instrument.ts";
import { REASONS } from "#domain/reasons.ts";
import { addDays } from "#lib/date.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { listYears } from "./calendar-returns.ts";
import { FIRST_DATE } from "./reading/price-range.ts";
import type { Gap, Why, WhyMissing } from "./reasons.ts";
import type { History } from "./statistics-history.ts";

const LAST_DATE = "9999-12-31";

/** The dates of a period without a stored price, both inclusive; all earlier or later ones without one. */
interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The UTC date. */
  readonly today: string;
}

/** Why no price of an instrument is stored in a period, by its prices, the calendar and the index. */
export function whyNoPrice(
  market: MarketStore,
  instrument: StoredInstrument,
  { from = FIRST_DATE, to = LAST_DATE, today }: Period,
): Why {
  const { id, country, symbol, assetType, delistedAt } = instrument;
  const oldest = market.bars.findOnOrAfter(id)?.date;
  const newest = market.bars.listNewest(id, 1)[0]?.date;
  if (oldest === undefined || newest === undefined) return { kind: "bars", country, symbol };
  if (to < oldest) return "not_listed_then";
  if (from > newest && delistedAt !== undefined) return "delisted";
  if (from > today) return "beyond_horizon";
  if (!isShare(assetType) && assetType !== "index") return "not_known";
  const overrides = market.documents.list("holidayOverrides", country);
  const last = to < today ? to : today;
  const first = from > oldest ? from : oldest;
  if (sessionsBetween(country, first, last, overrides).length === 0) return "no_session";
  if (from > newest) return "beyond_horizon";
  const index = market.instruments.find({ country, symbol: COUNTRIES[country].indexSymbol });
  if (!index || index.id === id) return "not_known";
  // The rules do not know every closure, such as days of mourning.
  const traded = market.bars.findAtOrBefore(index.id, to);
  if (traded && traded.date >= from) return "suspended";
  return traded && market.bars.findOnOrAfter(index.id, to) ? "no_session" : "not_known";
}

/** The reason of a refusal in its details; none if it is not known. */
export function reasonOf(why: Why): ErrorDetails {
  return typeof why !== "string" || why === "not_known" ? {} : { reason: why, hint: REASONS[why] };
}

/** The period that a call asks for, as it is written. */
interface Asked {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly years?: string | undefined;
}

/** The first and the last date that a call names; undefined where it names none. */
export function datesOf({ from, to, years }: Asked): Pick<Asked, "from" | "to"> {
  if (years === undefined) return { from, to };
  const all = listYears(years);
  return { from: `${all[0]}-01-01`, to: `${all.at(-1)}-12-31` };
}

/** Why statistics of prices are null. `today` is a UTC date. */
export function whyOfStatistics(
  market: MarketStore,
  histories: readonly History[],
  { from, to, years, today }: Asked & { readonly today: string },
): WhyMissing {
  const period = { ...datesOf({ from, to, years }), today };
  return (gap) => {
    const { figure, path, of } = gap;
    if (figure === "correlation" || figure === "closes" || figure === "running") return "not_asked";
    if (path[0] === "correlation") return "too_few";
    const history = histories.find(
      ({ instrument: { country, symbol } }) => of["country"] === country && of["symbol"] === symbol,
    );
    if (!history) return undefined;
    const { instrument } = history;
    if (figure === "currency") return "not_applicable";
    if (figure === "total_return" || history.shown === null) {
      const unknown = whyNoTotal(market, history);
      if (unknown !== undefined) return unknown;
    }
    if (path[0] === "closes") {
      const date = String(of["date"]);
      return isBefore(date, history) ? "not_listed_then" : undefined;
    }
    if (path[0] === "years") return whyYear(history, gap);
    if (path[0] === "months") return whyMonth(history, gap, today);
    if (history.isEmpty) return whyNoPrice(market, instrument, period);
    if (history.closes.dates.length === 0) return "no_rate";
    return whyFigure(history, gap);
  };
}

const isBefore = (date: string, { begins }: History) => begins !== null && date < begins;

/** Why returns with dividends are unknown; undefined if they are known. */
function whyNoTotal(market: MarketStore, history: History): Why | undefined {
  if (history.totals() !== null) return undefined;
  const { country, symbol, assetType } = history.instrument;
  if (assetType === "index") return "not_applicable";
  const paid = market.documents.find("dividends", country, symbol);
  // A dividend as large as the price before it.
  return paid ? "contradicted" : { kind: "dividends", country, symbol };
}

function whyFigure(history: History, { figure, of }: Gap): Why | undefined {
  const { begins, closes } = history;
  if (/^(?:peak|trough|recovered)_session$/.test(figure))
    return of["max_drawdown"] === null ? "too_few" : "none";
  const isReturn = figure === "return" || figure === "total_return";
  if (!isReturn) return figure.endsWith("_close") ? "no_rate" : "too_few";
  // Without an earlier close, the period begins with the first stored one.
  const [first] = closes.dates;
  return first === begins ? "not_listed_then" : "no_rate";
}

function whyYear(history: History, { of }: Gap): Why | undefined {
  const year = String(of["year"]);
  return isBefore(`${year}-01-01`, history) ? "not_listed_then" : undefined;
}

/** Why the return of a month is null, or its mean. Its other columns are years. */
function whyMonth(history: History, { figure, of }: Gap, today: string): Why | undefined {
  if (!/^\d{4}$/.test(figure)) return "too_few";
  const month = `${figure}-${String(of["month"]).padStart(2, "0")}-01`;
  if (month > today) return "not_released";
  return isBefore(addDays(month, -1), history) ? "not_listed_then" : "not_asked";
}
