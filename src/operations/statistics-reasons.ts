import { addDays } from "#lib/date.ts";
import type { MarketStore } from "#store/index.ts";
import { listYears } from "./calendar-returns.ts";
import type { Gap, Why, WhyMissing } from "./reasons.ts";
import { whyNoPrice } from "./session-reasons.ts";
import type { History } from "./statistics-history.ts";

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
