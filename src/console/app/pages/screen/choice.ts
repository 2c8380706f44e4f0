import type { Call } from "#console/app/api.ts";
import { COUNTRY_NAMES } from "#console/app/parts/country.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { homeCountry } from "#console/app/user-settings.ts";
import type { Screen } from "./actions.tsx";
import { joinConditions, splitConditions } from "./conditions.ts";

const ROWS = 50;
/** The columns without a choice of the user. */
export const DEFAULT_COLUMNS =
  "price,change_percent,market_cap,pe,revenue_growth,net_margin,dividend_yield,return_1y";

/** What the user chose; it is in the query of the page. */
export interface Choice {
  readonly country: string;
  readonly sector: string | null;
  readonly industry: string | null;
  /** An exchange or a market segment. */
  readonly exchange: string | null;
  readonly conditions: readonly string[];
  readonly columns: readonly string[];
  readonly sort: string;
  readonly cursor: string | null;
  /** The number of the page, for its label. */
  readonly page: number;
  /** The symbols to compare, with their country. */
  readonly picked: readonly string[];
}

const listOf = (text: string | null) => (text ?? "").split(",").filter((one) => one !== "");

export function readChoice(query: URLSearchParams): Choice {
  return {
    country: query.get("country") ?? homeCountry(),
    sector: query.get("sector"),
    industry: query.get("industry"),
    exchange: query.get("exchange"),
    conditions: splitConditions(query.get("where") ?? ""),
    columns: listOf(query.get("metrics") ?? DEFAULT_COLUMNS),
    sort: query.get("sort") ?? "-market_cap",
    cursor: query.get("cursor"),
    page: Number(query.get("page") ?? 1),
    picked: listOf(query.get("pick")),
  };
}

/** Changes a filter, and goes back to the first page of companies. The way back removes the filter. */
export function choose(changes: Readonly<Record<string, string | null>>): void {
  setQuery({ ...changes, cursor: null, page: null }, { replace: false });
}

/** Of the conditions in the address, because two changes can come before the page is drawn. */
export function changeConditions(change: (current: readonly string[]) => readonly string[]): void {
  const { conditions } = readChoice(place.value.query);
  choose({ where: joinConditions(change(conditions)) || null });
}

/** Shows or hides a column. The last one stays, because without columns the defaults would be shown. */
export function toggleColumn(name: string): void {
  const { columns } = readChoice(place.value.query);
  const others = columns.filter((one) => one !== name);
  const next = others.length < columns.length ? others : [...columns, name];
  if (next.length > 0) setQuery({ metrics: next.join(",") });
}

/** Picks a symbol for a comparison, or drops it. */
export function togglePicked(symbol: string): void {
  const current = readChoice(place.value.query).picked;
  const next = current.includes(symbol)
    ? current.filter((one) => one !== symbol)
    : [...current, symbol];
  setQuery({ pick: next.join(",") || null });
}

/** The page of companies that was chosen. */
export function callOf(choice: Choice): Call<"screen_stocks"> {
  return {
    operation: "screen_stocks",
    args: {
      country: choice.country,
      sector: choice.sector ?? undefined,
      industry: choice.industry ?? undefined,
      exchange: choice.exchange ?? undefined,
      where: joinConditions(choice.conditions) || undefined,
      sort: choice.sort,
      metrics: choice.columns.join(",") || undefined,
      limit: ROWS,
      cursor: choice.cursor ?? undefined,
    },
  };
}

/** The parts of the choice that are saved. */
export function screenOf(choice: Choice): Screen {
  const { country, sector, industry, exchange, conditions, sort, columns } = choice;
  const countries = country === "all" ? Object.keys(COUNTRY_NAMES) : listOf(country);
  return {
    // The service checks what is in the address.
    countries: countries as Screen["countries"],
    where: joinConditions(conditions),
    ...(sector !== null && { sector }),
    ...(industry !== null && { industry }),
    ...(exchange !== null && { exchange }),
    sort,
    columns: [...columns],
  };
}
