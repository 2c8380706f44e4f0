import type { Sentence } from "#console/app/words.ts";
/** A screen for a question that many investors ask. Its conditions hold in every currency. */
export interface Preset {
  readonly name: Sentence;
  readonly where: string;
  readonly sort: string;
}

/** The screens that are offered to everybody. */
export const PRESETS: readonly Preset[] = [
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

/** The address of a preset in a country, of all sectors or of one. */
export function presetPath({ where, sort }: Preset, country: string, sector?: string): string {
  const query = { country, ...(sector !== undefined && { sector }), where, sort };
  return `/console/screen?${new URLSearchParams(query)}`;
}
