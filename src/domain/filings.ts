import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { DateText, Nullable, type Static, StringEnum } from "./schema.ts";

/** A report that a company filed, and that a source can give by its number. */
const Filing = Type.Object({
  /** The source's number of the report: `S100ABCD`. */
  id: Type.String({ pattern: "^[A-Z0-9]{1,20}$" }),
  form: StringEnum(["annual", "half", "quarter"]),
  filedOn: DateText,
  /** The number of the report that this one corrects; null for a first report. */
  corrects: Nullable(Type.String({ pattern: "^[A-Z0-9]{1,20}$" })),
});
export type Filing = Static<typeof Filing>;

/** The newest reports of one company, oldest first. A report stays until an answer has it again. */
export const Filings = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  filings: Type.Array(Filing),
});
export type Filings = Static<typeof Filings>;

/** The most reports of a company that are kept: five years of them with corrections. */
const MOST_FILINGS = 20;

/** The reports of both records, oldest first. The newer record wins. */
export function mergeFilings(older: Filings, newer: Filings): Filings {
  const merged = new Map([...older.filings, ...newer.filings].map((one) => [one.id, one]));
  const filings = [...merged.values()].sort(
    (a, b) => a.filedOn.localeCompare(b.filedOn) || a.id.localeCompare(b.id),
  );
  return { ...newer, filings: filings.slice(-MOST_FILINGS) };
}
