import { Type } from "@sinclair/typebox";
import { type Instrument, isShare } from "#domain/instrument.ts";
import { DateText, type Static } from "#domain/schema.ts";
import type { LiveQuery } from "#sources/fetcher.ts";
import type { SourceClient } from "#sources/source.ts";
import { codeOf, Figure, requestPages, rowsReader } from "./answer.ts";
import { JQUANTS } from "./source.ts";

const DayRow = Type.Object({
  Date: DateText,
  Code: Type.String(),
  /** 0.5 on the day from which one share is two; 1 on all others. */
  AdjFactor: Figure,
  AdjO: Figure,
  AdjH: Figure,
  AdjL: Figure,
  AdjC: Figure,
  AdjVo: Figure,
});
/** A day of one share. */
export type DayRow = Static<typeof DayRow>;

const readRows = rowsReader(DayRow);

/** Requests all days of the plan. No start date: the service refuses one outside the plan's span. */
export function requestDays({ instrument }: LiveQuery, client: SourceClient): Promise<unknown[]> {
  return requestPages(client, `/equities/bars/daily?code=${codeOf(tradedOf(instrument).symbol)}`);
}

/** The days in an answer. @throws SourceError if there are none, or if they are of another symbol */
export function readDays(pages: readonly unknown[], symbol: string): readonly DayRow[] {
  const rows = readRows(pages);
  if (rows.some(({ Code }) => Code !== codeOf(symbol)))
    throw JQUANTS.error("invalid_answer", "the answer is about another code");
  return rows;
}

/** The requested instrument. @throws SourceError `nothing` if it does not trade in shares */
export function tradedOf(instrument: Instrument | null): Instrument {
  if (!instrument || !isShare(instrument.assetType))
    throw JQUANTS.error("nothing", "it has no data for the request");
  return instrument;
}
