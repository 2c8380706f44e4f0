import { describe, expect, test } from "bun:test";
import { METRIC_NAMES, type Metric, METRICS } from "#analytics/metrics.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { titleOfMetric } from "#console/app/parts/metric-title.ts";
import { showLanguage, translate, translateTerm } from "#console/app/words.ts";
import { INDUSTRIES, SECTORS } from "#domain/taxonomy.ts";
import { formatLocalSector, LOCAL_SECTORS } from "#domain/local-sectors.ts";
import { COLUMN_TERMS, INDUSTRY_TERMS, SECTOR_TERMS } from "#domain/terms.ts";
import { BOARD_TERMS, BOARDS } from "#domain/exchanges.ts";
import { decodeRequest } from "#operations/execute.ts";
import { getSectors } from "#operations/get-sectors.ts";
import { findIndustries } from "#operations/reading/industries.ts";
import { findMacroSeries } from "#operations/reading/macro-series.ts";
import { findMetric } from "#operations/reading/metric-names.ts";
import { splitColumns } from "#operations/reading/text-columns.ts";
import { screenStocks } from "#operations/screen-stocks.ts";
import { listEconomicFigures } from "#sample/economy.ts";
import { seriesIdOf } from "#sample/macro.ts";

// Who copies a word from a page to an agent or a program must be understood.

describe.each(["ja", "vi"] as const)("the words of the console in %s", (language) => {
  const shown = async (text: string) => {
    await showLanguage(language);
    return { sentence: translate(text) as string, term: translateTerm(text) as string };
  };

  test("name metrics", async () => {
    const understood: (readonly [string, string | null])[] = [];
    for (const name of METRIC_NAMES) {
      const { label, title = label }: Metric = METRICS[name];
      const base = titleOfMetric(name, title).replace(/ (?:TTM YoY|TTM|FQ)$/, "");
      const { sentence } = await shown(base);
      understood.push([sentence, findMetric(sentence)]);
    }
    expect(understood.map(([, metric]) => metric)).toEqual(METRIC_NAMES);
  });

  test("name sectors", async () => {
    for (const { slug, name } of SECTORS.values()) {
      const { sentence: sector } = await shown(name);
      const { input } = decodeRequest(getSectors, { country: "JP", sector });
      expect([sector, input["sector"]]).toEqual([sector, slug]);
    }
  });

  test("name the classes of a market", () => {
    const place = { ja: 1, vi: 2 }[language];
    for (const one of LOCAL_SECTORS) {
      const sector = one.names[place];
      const { input } = decodeRequest(screenStocks, { country: one.country, sector });
      expect([sector, input["sector"]]).toEqual([sector, formatLocalSector(one)]);
    }
  });

  test("name exchanges and segments", async () => {
    for (const { name } of BOARDS) {
      const { sentence } = await shown(name);
      const { input } = decodeRequest(screenStocks, { country: "JP", exchange: sentence });
      expect([sentence, input["exchange"]]).toEqual([sentence, name]);
    }
  });

  test("name columns of text", async () => {
    for (const name of Object.keys(COLUMN_TERMS)) {
      const { sentence } = await shown(name);
      expect([sentence, splitColumns(sentence).others]).toEqual([sentence, null]);
    }
  });

  test("name industries", async () => {
    for (const { slug, name } of INDUSTRIES.values()) {
      const { term } = await shown(name);
      expect([term, ...findIndustries(term).map((one) => one.slug)]).toContain(slug);
    }
  });

  test("name series", async () => {
    for (const country of COUNTRY_CODES) {
      const all = listEconomicFigures()
        .filter((one) => one.country === country)
        .map((one) => ({
          id: seriesIdOf(one),
          name: one.name,
        }));
      for (const series of all) {
        const { term } = await shown(series.name);
        expect([country, term, findMacroSeries(all, country, term).name]).toEqual([
          country,
          term,
          series.name,
        ]);
      }
    }
  });

  test("have one meaning each", () => {
    const place = { ja: 0, vi: 1 }[language];
    const words = [SECTOR_TERMS, INDUSTRY_TERMS, COLUMN_TERMS, BOARD_TERMS].flatMap((table) =>
      Object.values(table).map((texts): string => texts[place]),
    );
    words.push(...LOCAL_SECTORS.map(({ names }) => names[place + 1] ?? ""));
    expect(words.filter((word, i) => words.indexOf(word) !== i)).toEqual([]);
  });
});
