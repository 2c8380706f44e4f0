import { Type } from "@sinclair/typebox";
import { technicals } from "#analytics/technicals.ts";
import { CountryCode } from "#domain/country.ts";
import { Named, type Panel, panelProperties, TableOutput } from "#domain/schema.ts";
import { tableOf } from "#lib/table.ts";
import { TECHNICALS_LABELS } from "#panels/labels.ts";
import { technicalsPanel, votesTable } from "#panels/technicals-panel.ts";
import { SymbolInput } from "./reading/inputs.ts";
import { getInstrument } from "./reading/instruments.ts";
import { instrumentNeeds } from "./needs.ts";
import { PRICE_FACTS } from "./known-day.ts";
import { defineOperation } from "./operation.ts";

/** The number of bars after which EMA (200), the slowest average of the ratings, has converged. */
const HISTORY_BARS = 1_260;
/** With as many bars, every indicator and average is known, unless it divides by zero. */
const SLOWEST_AVERAGE = 200;

export const getStockTechnicals = defineOperation({
  name: "get_stock_technicals",
  set: "company",
  title: "Technical indicators",
  description:
    "Returns a ticker's oscillators and ratings from completed daily sessions, split-adjusted: RSI, MACD, stochastic, CCI, momentum, Awesome Oscillator; ratings from 26 votes. For prices use get_stock_price_history.",
  path: "/data/stocks/{symbol}/technicals",
  notRewound: PRICE_FACTS,
  input: Type.Object({
    country: CountryCode,
    symbol: SymbolInput,
    votes: Type.Optional(Type.Boolean({ description: "Adds the 26 votes." })),
  }),
  sourceKey: "Source",
  output: Named(
    "TechnicalsPanel",
    Type.Object(
      {
        ...panelProperties(TECHNICALS_LABELS),
        votes: Type.Optional(
          Type.Object(TableOutput, {
            description:
              "A row for each vote: group, item, value, vote. A vote is buy, sell or neutral; null without a value.",
          }),
        ),
      },
      { description: "Text by display label." },
    ),
  ),
  table: ({ votes, ...panel }) => {
    const rows = Object.entries(panel).map(([label, value]) => ({ label, value: String(value) }));
    return votes ?? tableOf(["label", "value"], rows);
  },
  needs: (input) => instrumentNeeds(input, ["bars"]),
  handle({ country, symbol, votes }, { market }) {
    const instrument = getInstrument(market, { country, symbol });
    const bars = market.bars.series(instrument.id, HISTORY_BARS);
    const [newest = null] = market.bars.listNewest(instrument.id, 1);
    const panel: Panel = technicalsPanel(instrument, newest, technicals(bars));
    return {
      data: { ...panel, ...(votes && { votes: votesTable(bars) }) },
      from: [market.bars.findProvenance(instrument.id) ?? instrument],
      // Without a change of the price, an indicator can divide by zero.
      why: () =>
        newest === null
          ? { kind: "bars", country, symbol }
          : bars.dates.length < SLOWEST_AVERAGE
            ? "too_few"
            : "not_meaningful",
    };
  },
});
