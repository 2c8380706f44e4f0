import type { FeedLayer } from "./layer.ts";
import { alerts } from "./alerts.ts";
import { alphavantage } from "./alphavantage.ts";
import { calendar } from "./calendar.ts";
import { eodhd } from "./eodhd.ts";
import { financialdatasets } from "./financialdatasets.ts";
import { frankfurter } from "./frankfurter.ts";
import { massive } from "./massive.ts";
import { metrics } from "./metrics.ts";
import { openbb } from "./openbb.ts";
import { prices } from "./prices.ts";
import { sheets } from "./sheets.ts";
import { tiingo } from "./tiingo.ts";
import { twelvedata } from "./twelvedata.ts";
import { udf } from "./udf.ts";
import { yahoo } from "./yahoo.ts";

/** All layers. */
export const FEED_LAYERS: readonly FeedLayer[] = [
  sheets,
  prices,
  yahoo,
  udf,
  tiingo,
  eodhd,
  twelvedata,
  frankfurter,
  massive,
  alphavantage,
  financialdatasets,
  calendar,
  alerts,
  metrics,
  openbb,
];

/** The names of all layers. */
export const LAYER_NAMES = FEED_LAYERS.map(({ name }) => name);

/** The layer of that name, or undefined. */
export function findLayer(name: string): FeedLayer | undefined {
  return FEED_LAYERS.find((layer) => layer.name === name);
}
