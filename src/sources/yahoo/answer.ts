import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { currencyIn } from "#domain/currency.ts";
import type { Instrument } from "#domain/instrument.ts";
import { Nullable } from "#domain/schema.ts";
import { dateIn } from "#lib/zone.ts";
import { plainText as plainTextOf } from "#lib/plain-text.ts";
import { answerReader } from "#sources/check-answer.ts";
import { YAHOO } from "./source.ts";

/** A number as Yahoo writes it: plain, wrapped in `{ raw, fmt }`, `{}` or null if missing. */
export const Figure = Type.Optional(
  Nullable(
    Type.Union([
      Type.Number(),
      Type.Object({ raw: Type.Optional(Nullable(Type.Number())) }),
      Type.String({ pattern: "^-?(Infinity|NaN)$" }),
    ]),
  ),
);

/** A text that may be missing. */
export const Text = Type.Optional(Nullable(Type.String()));

/** A part of an answer that may be missing. */
export const Part = <T extends TProperties>(properties: T) =>
  Type.Optional(Nullable(Type.Object(properties)));

/** Seconds since 1970, within the range of JavaScript's dates. */
export const Epoch = Type.Number({ minimum: -8e12, maximum: 8e12 });

/** The number in a figure; null if it has no number. */
export function figureOf(figure: Static<typeof Figure> | undefined): number | null {
  if (typeof figure === "number") return figure;
  if (typeof figure === "string" || figure === null || figure === undefined) return null;
  return figure.raw ?? null;
}

/** The number in a figure if it is above 0, else null. */
export function positiveOf(figure: Static<typeof Figure> | undefined): number | null {
  const value = figureOf(figure);
  return value !== null && value > 0 ? value : null;
}

/** Converts a text to plain text (see `plainText` of lib); null if no text is left. */
export function plainText(text: string | null | undefined, maxLength: number): string | null {
  return plainTextOf(text ?? "", maxLength) || null;
}

const readWhole = answerReader(YAHOO, Type.Record(Type.String(), Type.Unknown()));

const readBody = answerReader(
  YAHOO,
  Type.Object({
    result: Type.Optional(Nullable(Type.Array(Type.Unknown()))),
    error: Part({ code: Type.String(), description: Text }),
  }),
);

/** Messages of Yahoo for an unknown symbol, or for a time span without data. */
const UNKNOWN = /^not found$|no data found|doesn't exist|delisted/i;

/**
 * The results under the root of an answer (`chart`, `quoteSummary`, …).
 *
 * @throws SourceError `nothing` if Yahoo has no data for the request, `unreachable` for any other
 * error that it reports, `invalid_answer` for another form
 */
export function resultsOf(raw: unknown, root: string): unknown[] {
  const whole = readWhole(raw);
  // Errors of the gateway are under `finance` for every request.
  const { result, error } = readBody(whole[root] ?? whole["finance"]);
  if (error) {
    if (UNKNOWN.test(error.code) || UNKNOWN.test(error.description ?? "")) {
      throw YAHOO.error("nothing", "it does not know the symbol, or has no data for it");
    }
    throw YAHOO.error("unreachable", `it reports ${plainText(error.code, 40) ?? "an error"}`);
  }
  if (!result) throw YAHOO.error("invalid_answer", "the answer has no result");
  return result;
}

/** Refuses an answer about another symbol than requested. @throws SourceError `invalid_answer` */
export function checkSymbol(answered: string | null | undefined, requested: string): void {
  if (typeof answered === "string" && answered.toUpperCase() !== requested.toUpperCase()) {
    throw YAHOO.error("invalid_answer", `the answer is about another symbol than ${requested}`);
  }
}

/** Formats seconds since 1970 as local dates, `YYYY-MM-DD`. @throws SourceError `invalid_answer` */
export function datesIn(timeZone: string): (epochSeconds: number) => string {
  try {
    dateIn(timeZone, 0);
  } catch {
    throw YAHOO.error("invalid_answer", "the answer names an unknown time zone");
  }
  return (epochSeconds) => dateIn(timeZone, epochSeconds * 1000);
}

/** True if figures are in that currency, or if Yahoo names no currency. */
export function isIn(currency: string, named: string | null | undefined): boolean {
  return named === null || named === undefined || named === currency;
}

/**
 * The number of quoted units in one unit of the instrument's currency: 1, or 100
 * for cents. An index is in points and has no unit.
 *
 * @throws SourceError `invalid_answer` if the prices are in another currency
 */
export function unitsPerCurrency(
  quoted: string | null | undefined,
  { assetType, currency, symbol }: Pick<Instrument, "assetType" | "currency" | "symbol">,
): number {
  if (assetType === "index" || quoted === null || quoted === undefined) return 1;
  if (quoted === currency) return 1;
  const [whole, units] = currencyIn(quoted);
  if (whole === currency) return units;
  throw YAHOO.error("invalid_answer", `the prices of ${symbol} are not in ${currency}`);
}

/**
 * The decimal price before it was stored in single precision, in whole units of currency:
 * 164.32 for 164.32000732421875.
 */
export function priceOf(value: number, unitsPerCurrency: number): number {
  return unitsPerCurrency === 1
    ? shortest(value)
    : Number((shortest(value) / unitsPerCurrency).toPrecision(12));
}

function shortest(value: number): number {
  const single = Math.fround(value);
  // Some answers are cut to 15 digits; a larger difference means that it never was in single precision.
  if (Math.abs(single - value) > 1e-12 * Math.abs(value)) return value;
  for (let digits = 3; digits <= 9; digits++) {
    const decimal = Number(value.toPrecision(digits));
    if (Math.fround(decimal) === single) return decimal;
  }
  return value;
}
