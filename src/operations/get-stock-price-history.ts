import { Type } from "@sinclair/typebox";
import { performanceReferences } from "#analytics/performance.ts";
import { CountryCode } from "#domain/country.ts";
import type { BarSeries } from "#domain/daily-bar.ts";
import { DateOutput, DateText, Nullable, StringEnum } from "#domain/schema.ts";
import { addDays, addMonths, dateOf } from "#lib/date.ts";
import { roundPrice } from "#panels/format.ts";
import { SymbolInput } from "./inputs.ts";
import type { InputKeywords } from "./decode.ts";
import { getInstrument } from "./instruments.ts";
import { instrumentNeeds } from "./needs.ts";
import { defineOperation } from "./operation.ts";

/** The maximum number of closes in an answer: more would exceed 20,000 tokens. */
const MAX_POINTS = 1_800;
/** A limit above the number of sessions of any history. */
const ALL_BARS = 100_000;

const RANGES = ["1m", "3m", "6m", "ytd", "1y", "5y", "10y", "max"] as const;
const RANGE_MONTHS = { "1m": 1, "3m": 3, "6m": 6, "1y": 12, "5y": 60, "10y": 120 } as const;

const Closes = {
  dates: Type.Array(DateOutput("Date of a session, YYYY-MM-DD.")),
  closes: Type.Array(Type.Number({ description: "Close of the session in `currency`: 177.39." })),
};

export const getStockPriceHistory = defineOperation({
  name: "get_stock_price_history",
  title: "Price history",
  description:
    "Returns the split-adjusted daily closes of a ticker, newest last, as parallel lists of dates and closes. US: the full series, paged with before. JP and VN: one year of daily closes, and earlier month-ends in snapshot. Long: narrow it with range or limit. For indicators use get_stock_technicals.",
  path: "/data/stocks/{symbol}/history",
  input: Type.Object({
    country: CountryCode,
    symbol: SymbolInput,
    range: Type.Optional(
      StringEnum(RANGES, {
        default: "max",
        description: "Period up to the newest close.",
        aliases: { "1mo": "1m", "3mo": "3m", "6mo": "6m", "12m": "1y", "1yr": "1y", all: "max" },
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_POINTS,
        default: MAX_POINTS,
        description: "Maximum number of daily closes; the newest are returned.",
      }),
    ),
    before: Type.Optional(
      Type.String({
        ...DateText,
        maxLength: 10,
        description: "Only closes before this date: next_before of the previous page.",
        expected: "a date, YYYY-MM-DD",
      } satisfies InputKeywords & Record<string, unknown>),
    ),
  }),
  output: Type.Object({
    name: Type.String({ description: "Name of the instrument: Apple Inc." }),
    currency: Type.String({ description: "ISO code of the currency of closes: USD." }),
    ...Closes,
    total: Type.Integer({ description: "Number of daily closes in the range, on all pages." }),
    next_before: Nullable(
      Type.String({
        description: "Value of `before` for the next (older) page; null on the last page.",
      }),
    ),
    snapshot: Type.Optional(
      Type.Object(Closes, { description: "Last close of each month before the daily closes." }),
    ),
  }),
  needs: (input) => instrumentNeeds(input, ["bars"]),
  handle({ country, symbol, range = "max", limit = MAX_POINTS, before }, { market, now }) {
    const instrument = getInstrument(market, { country, symbol });
    const { bars } = market;
    const [newestBar] = bars.listNewest(instrument.id, 1);
    const newest = newestBar?.date ?? dateOf(now);
    const from = rangeStart(range, newest, dateOf(now));
    const yearAgo = addDays(newest, -365);
    const dailyFrom = country === "US" || from > yearAgo ? from : yearAgo;

    // One additional close shows if there is an older page.
    const page = bars.series(instrument.id, limit + 1, { from: dailyFrom, before });
    const first = Math.max(0, page.dates.length - limit);
    const dates = page.dates.slice(first);
    return {
      data: {
        name: instrument.name,
        currency: instrument.currency,
        dates,
        closes: Array.from(page.close.subarray(first), roundPrice),
        total: bars.count(instrument.id, dailyFrom),
        next_before: first > 0 ? (dates[0] ?? null) : null,
        ...(country !== "US" && {
          snapshot: monthEnds(bars.series(instrument.id, ALL_BARS, { from }), dailyFrom),
        }),
      },
      from: [market.bars.findProvenance(instrument.id) ?? instrument],
    };
  },
});

/** The first date of a range. `ytd` starts like the performance window of that name. */
function rangeStart(range: (typeof RANGES)[number], newest: string, today: string): string {
  if (range === "max") return "0000-01-01";
  if (range === "ytd") return performanceReferences(today, newest).yearToDate;
  return addMonths(newest, -RANGE_MONTHS[range]);
}

/** The last close of each month among the bars before `end`. */
function monthEnds(bars: BarSeries, end: string) {
  const dates: string[] = [];
  const closes: number[] = [];
  for (const [i, date] of bars.dates.entries()) {
    if (date >= end) break;
    const [next = "", close] = [bars.dates[i + 1], bars.close[i]];
    if (date.slice(0, 7) === next.slice(0, 7) || close === undefined) continue;
    dates.push(date);
    closes.push(roundPrice(close));
  }
  return { dates, closes };
}
