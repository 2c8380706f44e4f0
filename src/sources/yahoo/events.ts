import { repairDividends } from "#analytics/dividend-check.ts";
import { type Country, priceDateOf } from "#domain/country.ts";
import type { Dividend, DividendHistory } from "#domain/dividend.ts";
import type { Instrument } from "#domain/instrument.ts";
import type { SplitHistory } from "#domain/split.ts";
import { addDays, dateOf } from "#lib/date.ts";
import { defineFetcher, type LiveQuery } from "#sources/fetcher.ts";
import type { SourceClient } from "#sources/source.ts";
import { datesIn, priceOf, unitsPerCurrency } from "./answer.ts";
import {
  type Chart,
  knowsAllSplits,
  newestSplit,
  parseChart,
  requestChart,
  splitsIn,
} from "./chart.ts";
import { YAHOO } from "./source.ts";
import { shareOf, yahooSymbol } from "./symbol.ts";

/** Dividends and splits are read from one answer, which is requested once in this time. */
const MAX_AGE_MS = 10 * 60_000;

/** Yahoo's prices of Viet Nam are adjusted for share dividends and rights that it does not list. */
const COUNTRIES_WITH_SPLITS: readonly Country[] = ["US", "JP"];

/** Every dividend since 1970, split-adjusted. */
export const yahooDividends = defineFetcher({
  kind: "dividends",
  source: YAHOO,
  countries: ["US", "JP", "VN"],
  scope: "instrument",
  fetch: requestEvents,
  transform: (answer: unknown, query) => [
    dividendsIn(chartOf(answer, query), shareOf(query), query.now),
  ],
});

/** Every split since 1970. They stay unknown if one has no ratio. */
export const yahooSplits = defineFetcher({
  kind: "splits",
  source: YAHOO,
  countries: COUNTRIES_WITH_SPLITS,
  scope: "instrument",
  fetch: requestEvents,
  transform(answer: unknown, query) {
    const chart = chartOf(answer, query);
    if (knowsAllSplits(chart)) return [splitHistory(chart, shareOf(query))];
    throw YAHOO.error("invalid_answer", "a split has no ratio");
  },
});

/**
 * Requests the events of all years with monthly bars: events have their own days, and the answer is a
 * twentieth of the size. It ends with the day, so that it is the same for both kinds and has the split
 * of a session that opens today.
 */
async function requestEvents(query: LiveQuery, client: SourceClient): Promise<unknown> {
  const toMs = Date.parse(addDays(dateOf(query.now), 1));
  return requestChart(client, shareOf(query), {
    fromMs: 0,
    toMs,
    interval: "1mo",
    maxAgeMs: MAX_AGE_MS,
  });
}

const chartOf = (answer: unknown, query: LiveQuery) =>
  parseChart(answer, yahooSymbol(shareOf(query)));

/** The dividends of a chart of all years. Ingest converts those in another currency. */
function dividendsIn(chart: Chart, instrument: Instrument, now: number): DividendHistory {
  const perCurrency = unitsPerCurrency(chart.meta.currency, instrument);
  const dateAt = datesIn(chart.meta.exchangeTimezoneName);
  const paymentsIn = (payments: Payments) =>
    Object.values(payments ?? {})
      .filter(({ amount }) => amount > 0)
      .map(({ date, amount, currency }) => {
        const isOwn = !currency || currency === chart.meta.currency;
        const named = isOwn ? {} : { currency: currency.slice(0, 20) };
        return { exDate: dateAt(date), amount: priceOf(amount, isOwn ? perCurrency : 1), ...named };
      });
  const dividends = withCapitalGains(
    paymentsIn(chart.events?.dividends),
    paymentsIn(chart.events?.capitalGains),
  );
  const split = newestSplit(chart, now);
  const history = {
    ...keyOf(instrument),
    ...(split > priceDateOf(instrument.country, now) && { sharesAsOf: split }),
    dividends: dividends.sort(byExDate),
  };
  return repairDividends(history, splitsIn(chart));
}

type Payments = NonNullable<Chart["events"]>["dividends"];

/**
 * Dividends with the capital gains in them. Yahoo adds the gain to the dividend of its day. A gain that is larger
 * than the dividend is not in it, so it is added.
 */
function withCapitalGains(dividends: readonly Dividend[], gains: readonly Dividend[]): Dividend[] {
  const byDate = new Map(dividends.map((dividend) => [dividend.exDate, dividend]));
  for (const { exDate, amount: capitalGain, ...named } of gains) {
    const { amount } = byDate.get(exDate) ?? { amount: 0 };
    const whole = capitalGain > amount ? priceOf(amount + capitalGain, 1) : amount;
    byDate.set(exDate, { exDate, amount: whole, capitalGain, ...named });
  }
  return [...byDate.values()];
}

function splitHistory(chart: Chart, instrument: Instrument): SplitHistory {
  return { ...keyOf(instrument), splits: splitsIn(chart) };
}

/** Dividends and splits of a chart of all years that was requested for its bars. */
export function eventsIn(chart: Chart, instrument: Instrument, now: number) {
  const dividends = { kind: "dividends", records: [dividendsIn(chart, instrument, now)] } as const;
  const splits = { kind: "splits", records: [splitHistory(chart, instrument)] } as const;
  const areKnown = COUNTRIES_WITH_SPLITS.includes(instrument.country) && knowsAllSplits(chart);
  return areKnown ? [splits, dividends] : [dividends];
}

const keyOf = ({ country, symbol }: Instrument) => ({ country, symbol });

const byExDate = (a: { exDate: string }, b: { exDate: string }) => a.exDate.localeCompare(b.exDate);
