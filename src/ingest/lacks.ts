import type { FetchKey, Lack } from "#domain/fetch.ts";
import { wordsOf } from "#domain/records.ts";

/** The parts that are named; the others are counted. */
const NAMED = 8;

/**
 * What a source leaves out of the records of a key, one text for each reason, the source first:
 * `fred: Unemployment rate, GDP growth YoY (fred.stlouisfed.org does not answer: …)`.
 */
export function describeLack({ kind, country, symbol }: FetchKey, lack: Lack): string[] {
  const { source, parts, error } = lack;
  if (parts.length === 0)
    return [`${source}: ${wordsOf(kind)} of ${symbol ?? country} (${withoutSource(error ?? "")})`];
  return [...Map.groupBy(parts, ({ why }) => why)].map(([why, some]) => {
    const named = some.slice(0, NAMED).map(({ what }) => what);
    const more = some.length - named.length;
    return `${source}: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""} of ${symbol ?? country} (${why})`;
  });
}

/** A stored error without the name of its source, which it begins with. */
export function withoutSource(error: string): string {
  return error.replace(/^[a-z][\w-]*: /, "");
}
