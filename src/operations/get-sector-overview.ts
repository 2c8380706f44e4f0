import { Type } from "@sinclair/typebox";
import { convertTable, type RollUpTable, sectorTotals } from "#analytics/sector-statistics.ts";
import { COUNTRIES, COUNTRY_CODES, type Country } from "#domain/country.ts";
import { formatLocalSector, LOCAL_SECTORS } from "#domain/local-sectors.ts";
import { FigureOutput, SessionsOutput, StringEnum } from "#domain/schema.ts";
import { INDUSTRIES, SECTORS } from "#domain/taxonomy.ts";
import { inTurns, nextTurn } from "#lib/next-turn.ts";
import { tableOf } from "#lib/table.ts";
import { round2 } from "#panels/format.ts";
import { CurrencyRates, rateNeeds } from "#rollups/currency-rates.ts";
import { countryNeeds, optionalCountryNeeds } from "./needs.ts";
import { LOCAL_LEVELS, localTable } from "./get-sectors.ts";
import { COMPANY_FACTS } from "./known-day.ts";
import { defineOperation } from "./operation.ts";

const SectorRow = Type.Object({
  slug: Type.String({
    description: "Slug of the sector or industry, or the class: auto-parts, JP:banks.",
  }),
  name: Type.String({ description: "Name of the sector or industry: Auto Parts." }),
  stocks: Type.Integer({ description: "Number of companies; 0 without known companies." }),
  market_cap: FigureOutput("Market cap in US dollars: 21450000000000."),
  dividend_yield: FigureOutput(
    "Cap-weighted dividend yield in percent. Of the last 12 months: 0.61.",
  ),
  pe: FigureOutput("Market cap / net income TTM, losses included: 28.40."),
  profit_margin: FigureOutput("Net income TTM / revenue TTM in percent: 18.20."),
  change_1d: FigureOutput("Cap-weighted change of the newest session in percent: -0.42."),
  change_1y: FigureOutput(
    "Cap-weighted change of price in a year, in percent. Up to the newest session: 21.35.",
  ),
});

/** The classes of each level, in order. */
const CLASSES = {
  sector: () => [...SECTORS.values()],
  industry: () => [...INDUSTRIES.values()],
  local_sector: () =>
    LOCAL_SECTORS.map((one) => ({ slug: formatLocalSector(one), name: one.names[0] })),
} as const;

/** What the rows have, for readers who take the broad market for the world's. */
function coverageOf(countries: readonly Country[]): string {
  if (countries.length === 0) return "No company is stored.";
  const names = countries.map((one) => (one === "US" ? "the US" : COUNTRIES[one].name));
  const foreign = countries.includes("US") ? ", with foreign companies listed in the US" : "";
  return `Stored companies listed in ${new Intl.ListFormat("en-GB").format(names)}${foreign}.`;
}

export const getSectorOverview = defineOperation({
  name: "get_sector_overview",
  set: "market",
  title: "Sectors or industries of the broad market",
  description:
    "Returns one row for each of the 11 sectors, or of the 145 industries, over all markets, in US dollars. For one country with valuations use get_sectors.",
  path: "/data/sectors/overview",
  notRewound: COMPANY_FACTS,
  input: Type.Object({
    level: Type.Optional(
      StringEnum(["sector", "industry", "local_sector"], {
        default: "sector",
        description: "local_sector: Tokyo's 33, ICB.",
        aliases: { sectors: "sector", industries: "industry", ...LOCAL_LEVELS },
      }),
    ),
  }),
  output: Type.Object({
    rows: Type.Array(SectorRow),
    coverage: Type.String({ description: "Companies in the rows." }),
    currency: Type.String({ description: "ISO code of the currency of amounts: USD." }),
    sessions: SessionsOutput,
  }),
  table: ({ rows }) => tableOf(Object.keys(SectorRow.properties), rows),
  needs: () => [
    ...countryNeeds(["instruments"]),
    ...optionalCountryNeeds(["quotes"]),
    ...rateNeeds(),
  ],
  isEmpty: ({ rows }) => rows.every(({ stocks }) => stocks === 0),
  companiesOf: () => COUNTRY_CODES,
  async handle({ level = "sector" }, { market, rollups }) {
    const countries = COUNTRY_CODES.map((country) => rollups.get(country));
    const rates = new CurrencyRates(market);
    const unitsOf = (currency: string) => rates.find("USD", currency);
    const converted: RollUpTable[] = [];
    for (const { table, list } of countries) {
      converted.push(convertTable(level === "local_sector" ? localTable(list) : table, unitsOf));
      await nextTurn();
    }
    const by = level === "industry" ? "industry" : "sector";
    const totals = await inTurns(sectorTotals(converted, by));
    return {
      data: {
        rows: CLASSES[level]().map(({ slug, name }) => {
          const row = totals.get(slug);
          return {
            slug,
            name,
            stocks: row?.stockCount ?? 0,
            market_cap: row ? Math.round(row.marketCap) : null,
            dividend_yield: round2(row?.dividendYieldPercent ?? null),
            pe: round2(row?.pe ?? null),
            profit_margin: round2(row?.profitMarginPercent ?? null),
            change_1d: round2(row?.changePercent ?? null),
            change_1y: round2(row?.performance["1y"] ?? null),
          };
        }),
        coverage: coverageOf(
          COUNTRY_CODES.filter(
            (country, i) =>
              countries[i]?.list.length &&
              (level !== "local_sector" || LOCAL_SECTORS.some((one) => one.country === country)),
          ),
        ),
        currency: "USD",
        sessions: Object.fromEntries(
          countries.flatMap(({ session }, i) =>
            session === null ? [] : [[COUNTRY_CODES[i] ?? "", session]],
          ),
        ),
      },
      from: [...countries.flatMap((country) => country.from), ...rates.from],
      why({ figure, of }) {
        if (of["stocks"] === 0) return "no_match";
        const { profit_margin: margin } = of;
        const isLoss = figure === "pe" && typeof margin === "number" && margin <= 0;
        return isLoss ? "not_meaningful" : "too_few";
      },
    };
  },
});
