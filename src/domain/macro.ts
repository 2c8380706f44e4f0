import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { Amount, DateText, Nullable, type Static, StringEnum } from "./schema.ts";

/** The categories of macro figures, in the order in which they are listed. */
export const MACRO_CATEGORIES = [
  "gdp",
  "labor",
  "prices",
  "money",
  "consumer",
  "housing",
  "business",
  "trade",
  "government",
  "energy",
] as const;

/** The unit of a macro figure, as printed after the number: `%`, `index`, `USD bn`, `thousand`; empty for a plain number. */
export const MacroUnit = Type.String({ maxLength: 60 });
/** Its number of decimals. */
const decimals = Type.Integer({ minimum: 0, maximum: 6 });

/** A figure's text with the unit of its series: `3.1%`, `104.2` of an index, `-73.1 USD bn`. */
export function textWithUnit(text: string, unit: string): string {
  return unit === "" || unit === "index" ? text : unit === "%" ? `${text}%` : `${text} ${unit}`;
}

/** The id of a macro series, unique within its country: `cpi-yoy`. */
export const SeriesId = Type.String({ pattern: "^[a-z0-9-]{1,60}$" });

/** The period of an observation: `2026`, `2026-Q3`, `2026-10` or `2026-10-31`. */
export const MacroPeriod = Type.String({ pattern: "^\\d{4}(-Q[1-4]|-\\d{2}(-\\d{2})?)?$" });

/** A published series of a country's economy with at least one observation, oldest first. */
export const MacroSeries = Type.Object({
  country: CountryCode,
  category: StringEnum(MACRO_CATEGORIES),
  id: SeriesId,
  name: Type.String({ minLength: 1, maxLength: 120 }),
  unit: MacroUnit,
  decimals,
  /** True for a series that is shown only with its category, such as one maturity of a yield curve. */
  isDetail: Type.Optional(Type.Boolean()),
  observations: Type.Array(Type.Object({ period: MacroPeriod, value: Amount }), { minItems: 1 }),
});
export type MacroSeries = Static<typeof MacroSeries>;

/** What the ids of the maturities of a yield curve begin with. */
const CURVE_ID = "yield-curve-";

/** True for a series that is one maturity of a government's yield curve. */
export const isCurveMaturity = ({ id }: Pick<MacroSeries, "id">): boolean =>
  id.startsWith(CURVE_ID);

/** How the series of one maturity of a yield curve is described, by its length in months: `yield-curve-10y` for 120. */
export function curveMaturity(months: number) {
  const [length, unit] = months % 12 === 0 ? [months / 12, "year"] : [months, "month"];
  return {
    category: "money",
    id: `${CURVE_ID}${String(length).replace(".", "-")}${unit.slice(0, 1)}`,
    name: `Yield curve, ${length} ${unit}${length === 1 ? "" : "s"}`,
    unit: "%",
    isDetail: true,
  } as const;
}

/** A forecast of one macro figure by quarter, soonest first. */
export const MacroForecast = Type.Object({
  country: CountryCode,
  category: StringEnum(MACRO_CATEGORIES),
  name: Type.String({ minLength: 1, maxLength: 120 }),
  unit: MacroUnit,
  decimals,
  /** The publication that contains the forecast: `OECD Economic Outlook 119`. */
  origin: Type.String({ minLength: 1, maxLength: 120 }),
  /** The UTC date of the publication, if its data name it. */
  publishedOn: Type.Optional(DateText),
  values: Type.Array(
    Type.Object({
      year: Type.Integer({ minimum: 1900, maximum: 2200 }),
      quarter: Type.Integer({ minimum: 1, maximum: 4 }),
      value: Nullable(Amount),
    }),
    { minItems: 1 },
  ),
});
export type MacroForecast = Static<typeof MacroForecast>;

/** The price/earnings ratio of a country's primary index at the end of one month. */
export const IndexPe = Type.Object({
  country: CountryCode,
  month: Type.String({ pattern: "^\\d{4}-(0[1-9]|1[0-2])$" }),
  pe: Type.Number({ exclusiveMinimum: 0, maximum: 1e6 }),
});
export type IndexPe = Static<typeof IndexPe>;
