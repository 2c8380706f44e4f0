import { Type } from "@sinclair/typebox";
import { technicals } from "#analytics/technicals.ts";
import { CountryCode } from "#domain/country.ts";
import { DisplayPanel } from "#domain/schema.ts";
import { TECHNICALS_LABELS } from "#panels/labels.ts";
import { technicalsPanel } from "#panels/technicals-panel.ts";
import { SymbolInput } from "./inputs.ts";
import { getInstrument } from "./instruments.ts";
import { instrumentNeeds } from "./needs.ts";
import { defineOperation } from "./operation.ts";

/** The number of bars after which EMA (200), the slowest average of the ratings, has converged. */
const HISTORY_BARS = 1_260;

export const getStockTechnicals = defineOperation({
  name: "get_stock_technicals",
  title: "Technical indicators",
  description:
    "Returns a ticker's oscillators and ratings from completed daily sessions, split-adjusted: RSI (14) with Wilder's smoothing, MACD (12,26,9), slow stochastic (14,3,3), CCI (20) of the typical price, momentum (10), Awesome Oscillator; ratings from 26 votes. For prices use get_stock_price_history.",
  path: "/data/stocks/{symbol}/technicals",
  input: Type.Object({ country: CountryCode, symbol: SymbolInput }),
  sourceKey: "Source",
  output: DisplayPanel("TechnicalsPanel", "Text by display label.", TECHNICALS_LABELS),
  needs: (input) => instrumentNeeds(input, ["bars"]),
  handle({ country, symbol }, { market }) {
    const instrument = getInstrument(market, { country, symbol });
    const bars = market.bars.series(instrument.id, HISTORY_BARS);
    const [newest = null] = market.bars.listNewest(instrument.id, 1);
    return {
      data: technicalsPanel(instrument, newest, technicals(bars)),
      from: [market.bars.findProvenance(instrument.id) ?? instrument],
    };
  },
});
