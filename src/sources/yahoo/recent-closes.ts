import { Type } from "@sinclair/typebox";
import { lastCompletedSession } from "#analytics/sessions.ts";
import { COUNTRIES } from "#domain/country.ts";
import type { RecentCloses } from "#domain/recent-closes.ts";
import { Nullable } from "#domain/schema.ts";
import { addMonths, daysBetween } from "#lib/date.ts";
import { answerReader } from "#sources/check-answer.ts";
import { defineFetcher, type LiveQuery } from "#sources/fetcher.ts";
import { readList, textIn } from "#sources/list.ts";
import { datesIn, Epoch, priceOf, resultsOf, Text, unitsPerCurrency } from "./answer.ts";
import { askWithSession } from "./session.ts";
import { YAHOO, YAHOO_API } from "./source.ts";
import { storedSymbol, yahooSymbol } from "./symbol.ts";

/** The maximum number of symbols in a request. */
const SYMBOLS_PER_REQUEST = 10;
/** The number of symbols whose closes are stored together. */
const SYMBOLS_PER_PART = 100;

const Series = Type.Object({
  meta: Type.Object({ symbol: Type.String(), currency: Text, exchangeTimezoneName: Type.String() }),
  timestamp: Type.Optional(Type.Array(Epoch)),
  indicators: Type.Object({
    quote: Type.Array(Type.Object({ close: Type.Optional(Type.Array(Nullable(Type.Number()))) }), {
      minItems: 1,
    }),
  }),
});
const readResult = answerReader(
  YAHOO,
  Type.Object({
    symbol: Type.String(),
    response: Type.Optional(Nullable(Type.Array(Series, { maxItems: 1 }))),
  }),
);

/** A year, and the sessions before it: the day a year ago can be in a long holiday. */
const KEPT_MONTHS = 13;

/**
 * The closes of all listed companies, 10 symbols a request. Yahoo gives two years; a year and a month
 * are kept. Symbols that Yahoo does not know are left out, and days without a close.
 */
export const yahooRecentCloses = defineFetcher({
  kind: "recentCloses",
  source: YAHOO,
  countries: ["US", "JP"],
  scope: "country",
  parts: (query) =>
    inParts(query.listed ?? [], SYMBOLS_PER_PART).map((listed) => ({ ...query, listed })),
  async fetch({ country, listed = [] }, client): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (const some of inParts(listed, SYMBOLS_PER_REQUEST)) {
      const symbols = some.map(({ symbol }) =>
        encodeURIComponent(yahooSymbol({ country, symbol, assetType: "stock" })),
      );
      const answer = await askWithSession(
        client,
        `${YAHOO_API}/v7/finance/spark?symbols=${symbols.join(",")}&range=2y&interval=1d`,
      );
      answers.push(await answer.json());
    }
    return answers;
  },
  *transform(answers: readonly unknown[], query) {
    const results = answers.flatMap((answer) => resultsOf(answer, "spark"));
    const read = (result: unknown) => closesIn(result, query);
    const found = yield* readList(results, read, (result) =>
      storedSymbol(query.country, textIn(result, "symbol") ?? ""),
    );
    const closes = found.filter((one) => one !== null);
    if (closes.length === 0) throw YAHOO.error("nothing", "it has no closes of these symbols");
    yield* closes;
  },
});

function inParts<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

/** The closes in one result; null if it has none. */
function closesIn(raw: unknown, query: LiveQuery): RecentCloses | null {
  const { symbol: theirs, response } = readResult(raw);
  const { country, now, holidayOverrides } = query;
  const [series] = response ?? [];
  const symbol = storedSymbol(country, theirs);
  if (!series || symbol === null) return null;
  const { timestamp = [], meta } = series;
  const closes = series.indicators.quote[0]?.close ?? [];
  if (closes.length !== timestamp.length)
    throw YAHOO.error("invalid_answer", "there is not one close for each time");
  const instrument = { symbol, assetType: "stock", currency: COUNTRIES[country].currency } as const;
  const perCurrency = unitsPerCurrency(meta.currency, instrument);
  const dateAt = datesIn(meta.exchangeTimezoneName);
  const newest = lastCompletedSession(country, now, holidayOverrides);
  const byDate = new Map<string, number>();
  for (const [i, time] of timestamp.entries()) {
    const [date, close] = [dateAt(time), closes[i] ?? 0];
    if (date <= newest && close > 0) byDate.set(date, priceOf(close, perCurrency));
  }
  const oldest = addMonths(newest, -KEPT_MONTHS);
  const dates = [...byDate.keys()].filter((date) => date >= oldest).sort();
  const [from] = dates;
  if (from === undefined) return null;
  return {
    country,
    symbol,
    from,
    days: dates.map((date) => daysBetween(from, date)),
    closes: dates.map((date) => byDate.get(date) ?? 0),
  };
}
