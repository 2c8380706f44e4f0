import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Country } from "#domain/country.ts";
import type { MacroSeries } from "#domain/macro.ts";
import { formatWithUnit } from "#panels/format.ts";
import { FETCHERS } from "#sources/index.ts";
import { fetchPlayed, queryOf } from "../support/describe-fetcher.ts";
import { transformed } from "../support/fetcher.ts";
import { type PlayedSources, playSources } from "../support/played-sources.ts";

/** All fetchers of a country's macro series. Their series are shown together. */
const setOf = (country: Country) =>
  FETCHERS.filter(({ kind, countries }) => kind === "macroSeries" && countries.includes(country));
const COUNTRIES = ["US", "JP", "VN"] as const;

let played: PlayedSources;
beforeAll(async () => {
  played = await playSources();
});
afterAll(() => played.stop());

async function setsOf(country: Country): Promise<MacroSeries[]> {
  const series: MacroSeries[] = [];
  for (const fetcher of setOf(country)) {
    const query = queryOf(fetcher, country);
    const raw = await fetchPlayed(fetcher, query, played);
    series.push(...transformed("macroSeries", fetcher, raw, query));
  }
  return series;
}

/** A figure as long as the longest of its unit. */
const LONG_FIGURES: Readonly<Record<string, number>> = {
  "%": -12.34,
  "USD bn": -123.45,
  "USD tn": 38.51,
  "USD m": 1234,
  "VND tn": 3012,
  VND: 25123,
  thousand: 1360,
};

test("the sources of a country have no series in common, by id or by name", async () => {
  for (const country of COUNTRIES) {
    const series = await setsOf(country);
    expect(new Set(series.map(({ id }) => id)).size).toBe(series.length);
    expect(new Set(series.map(({ name }) => name)).size).toBe(series.length);
  }
});

test("together they fill all ten categories", async () => {
  for (const country of COUNTRIES) {
    const series = await setsOf(country);
    expect([country, new Set(series.map(({ category }) => category)).size]).toEqual([country, 10]);
  }
});

test("the series of a country without isDetail fit an answer of 3,900 characters", async () => {
  for (const country of COUNTRIES) {
    const answer: Record<string, unknown[]> = {};
    for (const { category, name, unit, decimals, isDetail } of await setsOf(country)) {
      if (isDetail) continue;
      const figure = Number((LONG_FIGURES[unit] ?? 105.25).toFixed(decimals));
      const raw = formatWithUnit(figure, unit, decimals);
      (answer[category] ??= []).push({
        name,
        latest: figure,
        previous: figure,
        latest_raw: raw,
        previous_raw: raw,
      });
    }
    const length = JSON.stringify(answer).length;
    expect([country, length <= 3_900]).toEqual([country, true]);
  }
});
