import type { Country } from "#domain/country.ts";
import { formatMetrics, type Labels, type Sample } from "#lib/metrics.ts";
import { mapInTurns } from "#lib/next-turn.ts";
import { type FeedBody, type FeedLayer, type FeedRequest, textBody } from "./layer.ts";
import { timesOf } from "./market-hours.ts";
import { type Comparison, findFigures, findType, getSymbols } from "./request.ts";

const FIGURES = ["price", "change_percent", "market_cap"] as const;

/** Figures of chosen symbols as Prometheus, VictoriaMetrics and Grafana Alloy scrape them. */
export const metrics: FeedLayer = {
  name: "metrics",
  title: "Prometheus",
  routes: { "/": answerMetrics },
  names: {},
  fail: ({ message, details: { hint } }) =>
    textBody(`# ${[message, hint].filter(Boolean).join(" ")}\n`),
};

/** A symbol with what is known of it. */
interface Found {
  readonly written: string;
  readonly figures: Comparison | null;
  /** When the price was made, UTC seconds; null without one. */
  readonly pricedAt: number | null;
}

async function answerMetrics(request: FeedRequest): Promise<FeedBody> {
  const symbols = [...new Set(getSymbols(request.query))];
  const all = await mapInTurns(symbols, (symbol) => find(request, symbol));
  // Prometheus refuses two samples of one instrument, which two notations can name.
  const found = [...new Map(all.map((one) => [nameOf(one), one])).values()];
  const gauge = (name: string, help: string, samples: Iterable<Sample>) => ({
    name: `bourse_${name}`,
    type: "gauge" as const,
    help,
    samples,
  });
  const text = formatMetrics([
    gauge("price", "Newest price, in the currency of the label.", samplesOf(found, "price")),
    gauge(
      "change_ratio",
      "Change from the close before to the newest price: 0.01 is 1 %.",
      samplesOf(found, "change_percent", 0.01),
    ),
    gauge(
      "market_cap",
      "Market capitalisation, in the currency of the label.",
      samplesOf(found, "market_cap"),
    ),
    gauge(
      "price_time_seconds",
      "When the newest price was made: the end of its session, or now while it is open.",
      found.flatMap(({ figures, pricedAt }) =>
        figures && pricedAt !== null ? { labels: labelsOf(figures), value: pricedAt } : [],
      ),
    ),
    gauge(
      "symbol_unknown",
      "1 for a symbol of the request that no country has.",
      found.flatMap(({ written, figures }) =>
        figures === null ? { labels: { symbol: written }, value: 1 } : [],
      ),
    ),
  ]);
  return { type: "text/plain; version=0.0.4; charset=utf-8", body: text };
}

const nameOf = ({ written, figures }: Found) =>
  figures ? `${figures.get("country")}:${figures.get("symbol")}` : `? ${written}`;

async function find(request: FeedRequest, written: string): Promise<Found> {
  const { call, now } = request;
  const figures = await findFigures(call, written, FIGURES);
  const session = figures?.get("to_session");
  if (!figures || typeof session !== "string") return { written, figures, pricedAt: null };
  const instrument = {
    country: figures.get("country") as Country,
    symbol: String(figures.get("symbol")),
  };
  const type = await findType(call, instrument);
  const { closesAt } = timesOf(instrument.country, type, session);
  return { written, figures, pricedAt: Math.floor(Math.min(closesAt, now) / 1000) };
}

/** A figure of all symbols that have it. */
function samplesOf(found: readonly Found[], name: (typeof FIGURES)[number], factor = 1): Sample[] {
  return found.flatMap(({ figures }) => {
    const value = figures?.get(name);
    if (!figures || typeof value !== "number") return [];
    return { labels: labelsOf(figures), value: Number((value * factor).toPrecision(15)) };
  });
}

/** An index has no currency. */
function labelsOf(figures: Comparison): Labels {
  const currency = figures.get("currency");
  return {
    country: String(figures.get("country")),
    symbol: String(figures.get("symbol")),
    ...(typeof currency === "string" && { currency }),
  };
}
