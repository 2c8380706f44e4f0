import { Type } from "@sinclair/typebox";
import { answerReader, checkRowCount, parseAnswer } from "#sources/check-answer.ts";
import type { Observation } from "#sources/macro/series.ts";
import { SBV } from "./source.ts";

/** Neighbouring months that differ by more are in different units. */
const MOST_GROWTH = 1.5;

const readArticles = answerReader(
  SBV,
  Type.Object({
    totalCount: Type.Integer({ minimum: 0 }),
    articles: Type.Array(
      Type.Object({
        articleId: Type.String(),
        datePublished: Type.String(),
        fields: Type.Record(Type.String(), Type.Unknown()),
      }),
    ),
  }),
);

/**
 * The monthly figures in articles of one structure, the oldest first. Each article is there once for each
 * language; a later article replaces the figure of its month. Names of fields have numbers that change, so
 * the date is the field with a date, and the figure the one field with a number or the one that `figure` names.
 *
 * @throws SourceError `invalid_answer` if an article has no such fields, if articles are missing, or if the
 * figures are in different units
 */
export function parseArticles(text: string, figure: RegExp): Observation[] {
  const { totalCount, articles } = readArticles(parseAnswer(SBV, new TextEncoder().encode(text)));
  checkRowCount(SBV, articles.length);
  if (articles.length < totalCount) throw SBV.error("invalid_answer", "articles are missing");
  const byMonth = new Map<string, number>();
  const sorted = articles.toSorted((a, b) => (a.datePublished < b.datePublished ? -1 : 1));
  for (const { fields } of sorted) {
    const { period, value } = observationIn(Object.entries(fields), figure);
    byMonth.set(period, value);
  }
  const observations = [...byMonth]
    .map(([period, value]) => ({ period, value }))
    .sort((a, b) => a.period.localeCompare(b.period));
  for (const [i, { value }] of observations.entries()) {
    const before = observations[i - 1]?.value ?? value;
    if (value > before * MOST_GROWTH || before > value * MOST_GROWTH)
      throw SBV.error("invalid_answer", "the figures are in different units");
  }
  return observations;
}

function observationIn(
  fields: readonly (readonly [string, unknown])[],
  figure: RegExp,
): Observation {
  const texts = fields.flatMap(([name, value]) =>
    typeof value === "string" || typeof value === "number"
      ? [[name, String(value).trim()] as const]
      : [],
  );
  const dates = new Set(
    texts.flatMap(([, text]) => /^(\d{4}-(0[1-9]|1[0-2]))-\d{2}(T.*)?$/.exec(text)?.[1] ?? []),
  );
  const numbers = texts.flatMap(([name, text]) => {
    const value = parseAmount(text);
    return value === null ? [] : [{ name, value }];
  });
  const named = numbers.filter(({ name }) => figure.test(name));
  const [found, ...more] = named.length > 0 ? named : numbers;
  const [period] = dates;
  if (period === undefined || dates.size > 1 || !found || more.length > 0)
    throw SBV.error("invalid_answer", "an article has not one month and one figure");
  return { period, value: found.value };
}

/** The amount in a text, with or without separators of thousands: `20.000.000`, `20,000,000.5`; null for any other. */
function parseAmount(text: string): number | null {
  const grouped = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*(?:[.,]\d{1,2})?$/.exec(text);
  const [, separator = ""] = grouped ?? [];
  const plain = (separator ? text.replaceAll(separator, "") : text).replace(",", ".");
  const value = /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : 0;
  return value > 0 ? value : null;
}
