import { type Static, Type } from "@sinclair/typebox";
import type { Instrument } from "#domain/instrument.ts";
import { Nullable } from "#domain/schema.ts";
import { answerReader } from "#sources/check-answer.ts";
import type { SourceClient } from "#sources/source.ts";
import { checkSymbol, Epoch, Figure, Part, resultsOf, Text } from "./answer.ts";
import { askWithSession } from "./session.ts";
import { YAHOO, YAHOO_API } from "./source.ts";
import { yahooSymbol } from "./symbol.ts";

const Estimate = {
  avg: Figure,
  low: Figure,
  high: Figure,
  numberOfAnalysts: Figure,
};

const QuoteSummary = Type.Object({
  price: Part({ symbol: Text, currency: Text }),
  assetProfile: Part({
    sector: Text,
    sectorKey: Text,
    industry: Text,
    industryKey: Text,
    longBusinessSummary: Text,
    fullTimeEmployees: Figure,
  }),
  defaultKeyStatistics: Part({ sharesOutstanding: Figure, impliedSharesOutstanding: Figure }),
  financialData: Part({
    /** The currency of the company's statements. */
    financialCurrency: Text,
    targetLowPrice: Figure,
    targetMeanPrice: Figure,
    targetMedianPrice: Figure,
    targetHighPrice: Figure,
    numberOfAnalystOpinions: Figure,
  }),
  recommendationTrend: Part({
    trend: Type.Array(
      Type.Object({
        period: Type.String(),
        strongBuy: Figure,
        buy: Figure,
        hold: Figure,
        sell: Figure,
        strongSell: Figure,
      }),
    ),
  }),
  earningsTrend: Part({
    trend: Type.Array(
      Type.Object({
        period: Type.String(),
        endDate: Text,
        earningsEstimate: Part({ ...Estimate, yearAgoEps: Figure, earningsCurrency: Text }),
        revenueEstimate: Part({ ...Estimate, revenueCurrency: Text }),
      }),
    ),
  }),
  earningsHistory: Part({
    history: Type.Array(
      Type.Object({
        quarter: Figure,
        epsActual: Figure,
        epsEstimate: Figure,
        currency: Text,
      }),
    ),
  }),
  upgradeDowngradeHistory: Part({
    history: Type.Array(
      Type.Object({
        epochGradeDate: Epoch,
        firm: Text,
        fromGrade: Text,
        toGrade: Text,
        action: Text,
        currentPriceTarget: Figure,
        priorPriceTarget: Figure,
      }),
    ),
  }),
  calendarEvents: Part({
    earnings: Part({
      earningsDate: Type.Optional(Nullable(Type.Array(Figure))),
      isEarningsDateEstimate: Type.Optional(Nullable(Type.Boolean())),
      earningsAverage: Figure,
      revenueAverage: Figure,
    }),
  }),
});
const readSummary = answerReader(YAHOO, QuoteSummary);
/** Yahoo's data of one symbol except its prices; each part may be missing. */
export type QuoteSummary = Static<typeof QuoteSummary>;

const MODULES = Object.keys(QuoteSummary.properties).join("%2C");

/** Profile, coverage and earnings date are in one answer, and are fetched one after the other. */
const MAX_AGE_MS = 60_000;

/** Yahoo's data of an instrument except its prices, at most a minute old. */
export async function requestQuoteSummary(
  client: SourceClient,
  instrument: Instrument,
): Promise<unknown> {
  const symbol = encodeURIComponent(yahooSymbol(instrument));
  const answer = await askWithSession(
    client,
    `${YAHOO_API}/v10/finance/quoteSummary/${symbol}?formatted=false&modules=${MODULES}`,
    { maxAgeMs: MAX_AGE_MS },
  );
  return answer.json();
}

/** The one summary in an answer. @throws SourceError */
export function parseQuoteSummary(raw: unknown, instrument: Instrument): QuoteSummary {
  const results = resultsOf(raw, "quoteSummary");
  if (results.length !== 1) throw YAHOO.error("invalid_answer", "the answer is not one summary");
  const summary = readSummary(results[0]);
  checkSymbol(summary.price?.symbol, yahooSymbol(instrument));
  return summary;
}
