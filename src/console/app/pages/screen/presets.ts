import { ORDINARY } from "#console/app/parts/ordinary.ts";
import type { Sentence } from "#console/app/words.ts";

/** A screen for a question that many investors ask. */
export interface Preset {
  readonly name: Sentence;
  readonly where: string;
  readonly sort: string;
  /** The countries in which it is offered. Left out if its conditions hold in every currency. */
  readonly countries?: readonly string[];
}

const LIMITED = ["JP", "VN"];

/** A preset of companies of an ordinary size or more, once for each country and its currency. */
const ofOrdinary = (name: Sentence, where: string, sort: string): Preset[] =>
  Object.entries(ORDINARY).map(([country, size]) => ({
    name,
    where: `${where},market_cap>=${size}`,
    sort,
    countries: [country],
  }));

/** The presets of all countries. */
export const PRESETS: readonly Preset[] = [
  { name: "P/B below 1", where: "pb<1", sort: "pb", countries: ["JP"] },
  { name: "Limit up", where: "below_ceiling<=0", sort: "-traded_value", countries: LIMITED },
  { name: "Limit down", where: "above_floor<=0", sort: "-traded_value", countries: LIMITED },
  ...ofOrdinary("Strong gains", "change_percent>=3", "-change_percent"),
  { name: "Largest volume", where: "volume>0", sort: "-volume", countries: Object.keys(ORDINARY) },
  {
    name: "Largest traded value",
    where: "traded_value>0",
    sort: "-traded_value",
    countries: Object.keys(ORDINARY),
  },
  ...ofOrdinary("Near year-to-date high", "below_high_ytd<1", "below_high_ytd"),
  ...ofOrdinary("High dividends", "dividend_yield>=4", "-dividend_yield"),
  { name: "Cheap and paying", where: "pe<15,dividend_yield>3,payout_ratio<80", sort: "pe" },
  {
    name: "Quality at a fair price",
    where: "roe>15,net_margin>10,pe<25,debt_to_equity<1",
    sort: "-roe",
  },
  { name: "Near 52-week low", where: "above_low_52w<10", sort: "above_low_52w" },
  { name: "Momentum", where: "return_6m>20,return_1m>0", sort: "-return_6m" },
  { name: "Net cash", where: "net_debt<0,free_cash_flow>0", sort: "-fcf_yield" },
  {
    name: "Analysts' favourites",
    where: "analyst_count>=5,target_upside>15,rating<=2",
    sort: "-target_upside",
  },
  { name: "Small and growing", where: "revenue_growth>15,eps_growth>15", sort: "market_cap" },
  {
    name: "Dividend growers",
    where: "dividend_years_raised>=5,dividend_yield>2",
    sort: "-dividend_growth_5y",
  },
];

/** The presets that are offered in a country, or in `all`. */
export const presetsOf = (country: string): readonly Preset[] =>
  PRESETS.filter(({ countries }) => countries?.includes(country) ?? true);

/** The address of a preset in a country, of all sectors or of one. */
export function presetPath({ where, sort }: Preset, country: string, sector?: string): string {
  const query = { country, ...(sector !== undefined && { sector }), where, sort };
  return `/console/screen?${new URLSearchParams(query)}`;
}
