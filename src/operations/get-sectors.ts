import { Type } from "@sinclair/typebox";
import { INDEX_WINDOW, indexValuation, VALUATION_STATUSES } from "#analytics/index-valuation.ts";
import type { MarketBreadth } from "#analytics/market-breadth.ts";
import {
  type RollUpTable,
  RollUpTableBuilder,
  type SectorStatistics,
  sectorStatistics,
} from "#analytics/sector-statistics.ts";
import { COUNTRIES, type Country, CountryCode } from "#domain/country.ts";
import { BourseError, invalidArgument } from "#domain/errors.ts";
import { formatLocalSector, LOCAL_SECTORS, localSectorOf } from "#domain/local-sectors.ts";
import { COMPUTED } from "#domain/records.ts";
import {
  DateOutput,
  DisplayPanel,
  FigureOutput,
  InstantOutput,
  Named,
  Nullable,
  StringEnum,
  TableOutput,
} from "#domain/schema.ts";
import { INDUSTRIES, SECTORS, type TaxonomyClass } from "#domain/taxonomy.ts";
import { COLUMN_TERMS } from "#domain/terms.ts";
import { inTurns } from "#lib/next-turn.ts";
import { tableOf } from "#lib/table.ts";
import { SECTOR_OVERVIEW_LABELS, SECTOR_PERFORMANCE_LABELS } from "#panels/labels.ts";
import { formatChange, formatLarge, round2 } from "#panels/format.ts";
import { PE_OF } from "#rollups/companies.ts";
import type { CountryRollup } from "#rollups/country-rollup.ts";
import { AnySectorInput, readLocalSector, sectorTest } from "./reading/company-filters.ts";
import type { DecodedArguments } from "./reading/decode.ts";
import { ListInput } from "./reading/inputs.ts";
import { countryNeeds, optionalCountryNeeds } from "./needs.ts";
import { COMPANY_FACTS } from "./known-day.ts";
import { defineOperation } from "./operation.ts";
import type { Gap, Why } from "./reasons.ts";

const median = (what: string) => FigureOutput(`Median of ${what}; null below 5 companies.`);

const COLUMNS = {
  market_cap: ({ marketCap }) => marketCap,
  stocks: ({ stockCount }) => stockCount,
  change_percent: ({ changePercent }) => round2(changePercent),
  return_1w: ({ performance }) => round2(performance["1w"]),
  return_1m: ({ performance }) => round2(performance["1m"]),
  return_ytd: ({ performance }) => round2(performance["ytd"]),
  return_1y: ({ performance }) => round2(performance["1y"]),
  pe_median: ({ peMedian }) => round2(peMedian),
  pe_p25: ({ peP25 }) => round2(peP25),
  pe_p75: ({ peP75 }) => round2(peP75),
  pb_median: ({ pbMedian }) => round2(pbMedian),
  ps_median: ({ psMedian }) => round2(psMedian),
  ev_ebitda_median: ({ evEbitdaMedian }) => round2(evEbitdaMedian),
  roe_median: ({ roeMedian }) => round2(roeMedian),
  roic_median: ({ roicMedian }) => round2(roicMedian),
  revenue_growth_median: ({ revenueGrowthMedian }) => round2(revenueGrowthMedian),
  eps_growth_median: ({ epsGrowthMedian }) => round2(epsGrowthMedian),
  gross_margin_median: ({ grossMarginMedian }) => round2(grossMarginMedian),
  operating_margin_median: ({ operatingMarginMedian }) => round2(operatingMarginMedian),
  net_margin_median: ({ netMarginMedian }) => round2(netMarginMedian),
  fcf_margin_median: ({ fcfMarginMedian }) => round2(fcfMarginMedian),
  sample_size: ({ sampleSize }) => sampleSize,
} as const satisfies Record<string, (row: SectorStatistics) => number | null>;
type Column = keyof typeof COLUMNS;

/** Other words for the level of a market's own classes, with the console's words. */
export const LOCAL_LEVELS = {
  "33業種": "local_sector",
  icb: "local_sector",
  ...Object.fromEntries(
    [COLUMN_TERMS["TSE 33 sectors"], COLUMN_TERMS["ICB supersector"]]
      .flat()
      .map((word) => [word, "local_sector" as const]),
  ),
} as const;

export const getSectors = defineOperation({
  name: "get_sectors",
  set: "market",
  title: "Sectors of a country",
  description:
    "Returns a country's index valuation and, by sector, size, performance and valuation medians. Long: narrow it by sector or columns. Across countries: get_sector_overview.",
  path: "/data/sectors",
  notRewound: COMPANY_FACTS,
  input: Type.Object({
    country: CountryCode,
    sector: Type.Optional(AnySectorInput("Only this sector.")),
    level: Type.Optional(
      StringEnum(["sector", "industry", "local_sector"], {
        default: "sector",
        description: "industry: in `sector`. local_sector: Tokyo's 33, ICB.",
        aliases: {
          sectors: "sector",
          industries: "industry",
          ...LOCAL_LEVELS,
        },
      }),
    ),
    columns: Type.Optional(
      ListInput(
        StringEnum(Object.keys(COLUMNS) as Column[]),
        "A short table of these: pe_median, change_percent, return_1y…",
      ),
    ),
  }),
  complete: readLevel,
  output: Type.Object({
    country_pe: FigureOutput(
      "P/E of the index: market cap of its members / their net income TTM. Of all companies if the members are unknown.",
    ),
    country_pe_of: StringEnum(PE_OF, {
      description: "Companies in `country_pe`. All companies if no source names the index members.",
    }),
    country_pe_5y_avg: FigureOutput(
      "Mean P/E of up to 60 month-ends. Of these, 10 % are trimmed at each end.",
    ),
    country_index_name: Type.String({ description: "Primary index: S&P 500." }),
    country_valuation_status: StringEnum(VALUATION_STATUSES, {
      description:
        "The P/E against its past. Fair within half a standard deviation, Cheap or Expensive within one, else Very cheap or Very expensive.",
    }),
    country_valuation_window: Type.String({ description: "That past: 5y." }),
    sectors: Type.Record(
      Type.String(),
      Named(
        "Sector",
        Type.Object({
          name: Type.String({ description: "Name of the sector: Consumer Cyclical." }),
          slug: Type.String({ description: "Slug of the sector: consumer-cyclical." }),
          overview: DisplayPanel(
            "SectorPanel",
            "Size and newest change of the sector.",
            SECTOR_OVERVIEW_LABELS,
          ),
          performance: DisplayPanel(
            "SectorPerformance",
            "Cap-weighted change of the price over each window, from the last close before it.",
            SECTOR_PERFORMANCE_LABELS,
          ),
          stats: Named(
            "SectorStatistics",
            Type.Object({
              pe_median: median("P/E"),
              pe_p25: FigureOutput("Lower quartile of P/E; null below 8 companies."),
              pe_p75: FigureOutput("Upper quartile of P/E; null below 8 companies."),
              pb_median: median("P/B"),
              ps_median: median("P/S"),
              ev_ebitda_median: median("EV/EBITDA"),
              roe_median: median("return on equity in percent"),
              roic_median: median("return on invested capital in percent"),
              revenue_growth_median: median("revenue growth TTM in percent"),
              eps_growth_median: median("EPS growth TTM in percent"),
              gross_margin_median: median("gross margin in percent"),
              operating_margin_median: median("operating margin in percent"),
              net_margin_median: median("net margin in percent"),
              fcf_margin_median: median("free cash flow margin in percent"),
              sample_size: Type.Integer({
                description: "Number of companies with at least one figure in a median.",
              }),
              reliable: Type.Boolean({
                description:
                  "True if the sample has 10 companies, 5 valid P/E and 70 % of the sector's market cap.",
              }),
              updated_at: InstantOutput("Time at which the newest figure was stored, UTC."),
            }),
          ),
        }),
      ),
    ),
    columns: Type.Optional(TableOutput.columns),
    rows: Type.Optional(TableOutput.rows),
    session: Nullable(
      DateOutput("Date of the newest session of the prices, YYYY-MM-DD; null without prices."),
    ),
    breadth: Type.Optional(
      Type.Object(
        {
          advancers: Type.Integer(),
          decliners: Type.Integer(),
          unchanged: Type.Integer(),
          unknown: Type.Integer({ description: "Without a known change." }),
          at_ceiling: Type.Optional(Type.Integer({ description: "At the daily limit." })),
          at_floor: Type.Optional(Type.Integer()),
          traded_value: FigureOutput("Sum of close × shares traded, in the country's currency."),
          traded_value_of: Type.Integer({ description: "Number of companies in it." }),
        },
        {
          description:
            "With columns and without sector: companies by their change in `session`. Without known limits, at_ceiling and at_floor are left out.",
        },
      ),
    ),
  }),
  table: ({ sectors, columns, rows: table = [], ...country }) => {
    if (columns) return { columns, rows: table };
    const { country_pe, country_pe_of, country_pe_5y_avg } = country;
    const { country_valuation_status, country_valuation_window } = country;
    const valuation = { country_valuation_status, country_valuation_window };
    const index = { country_pe, country_pe_of, country_pe_5y_avg, ...valuation };
    const rows = Object.values(sectors).map(({ name, slug, overview, performance, stats }) => ({
      slug,
      name,
      ...overview,
      ...performance,
      ...stats,
      ...index,
      session: country.session,
    }));
    return tableOf(Object.keys(rows[0] ?? {}), rows);
  },
  needs: ({ country }) => [
    ...countryNeeds(["instruments"], country),
    ...optionalCountryNeeds(["classifications", "quotes", "indexPe"], country),
  ],
  isEmpty: ({ sectors, rows = [], session }, { sector, level }) =>
    Object.keys(sectors).length + rows.length === 0 &&
    (session === null || (sector === undefined && level !== "local_sector")),
  companiesOf: ({ country }) => [country],
  handle({ country, sector, level = "sector", columns }, { market, rollups }) {
    const companies = rollups.get(country);
    const { pe, of } = companies.pe;
    const history = market.documents.list("indexPe", country);
    const valuation = indexValuation(pe, history);
    const from = [
      ...companies.from,
      // Computed month-ends come from the same companies and do not age.
      ...history.filter(({ source }) => source !== COMPUTED),
    ];
    const updatedAt = new Date(
      from.reduce((newest, { storedAt }) => Math.max(newest, storedAt), 0),
    ).toISOString();
    const answerOf = (found: readonly Found[]) => ({
      data: {
        country_pe: round2(pe),
        country_pe_5y_avg: round2(valuation.fiveYearAverage),
        country_pe_of: of,
        country_index_name: COUNTRIES[country].indexName,
        country_valuation_status: valuation.status,
        country_valuation_window: INDEX_WINDOW,
        ...(columns === undefined
          ? {
              sectors: Object.fromEntries(
                found.map(({ one, row }) => [
                  one.slug,
                  sectorRow(one, row, COUNTRIES[country].currency, updatedAt),
                ]),
              ),
            }
          : { sectors: {}, ...sectorTable(found, columns.split(",") as Column[]) }),
        session: companies.session,
        ...(columns !== undefined &&
          sector === undefined && { breadth: breadthRow(companies.breadth) }),
      },
      from,
      why({ figure, isList }: Gap): Why {
        if (isList && figure === "sectors" && columns !== undefined) return "not_asked";
        // A sector needs market caps, and the shares of a past day are often not stored.
        if (isList && level === "local_sector") return "not_published";
        if (isList) return market.knownOn === null ? "no_match" : "not_stored";
        if (figure === "traded_value") return "not_published";
        if (figure === "session" || companies.session === null)
          return { kind: "quotes", country, symbol: null };
        return "too_few";
      },
    });
    if (level === "local_sector")
      return inTurns(localStatistics(country, sector, companies)).then(answerOf);
    const statistics = level === "sector" ? companies.statistics : companies.industryStatistics;
    return answerOf(withStatistics(listClasses(sector, level), statistics));
  },
});

/**
 * The arguments with the class of the country that `sector` names, which has a level of its own.
 *
 * @throws BourseError `invalid_argument` for industries of such a class
 */
function readLevel(args: DecodedArguments): DecodedArguments {
  const read = readLocalSector(args, [args["country"] as Country]);
  const { sector, level } = read;
  if (typeof sector !== "string" || SECTORS.has(sector)) return read;
  if (level !== "industry") return { ...read, level: "local_sector" };
  throw invalidArgument("level=industry needs one of the eleven sectors.", {
    param: "sector",
    allowed: [...SECTORS.keys()],
    hint: `For the companies of ${sector} call screen_stocks with this sector.`,
  });
}

const breadthRow = ({ atCeiling, atFloor, tradedValue, ...breadth }: MarketBreadth) => ({
  advancers: breadth.advancers,
  decliners: breadth.decliners,
  unchanged: breadth.unchanged,
  unknown: breadth.unknown,
  ...(atCeiling !== null && { at_ceiling: atCeiling }),
  ...(atFloor !== null && { at_floor: atFloor }),
  traded_value: tradedValue === null ? null : Math.round(tradedValue),
  traded_value_of: breadth.tradedValueOf,
});

/** A sector, or an industry with the slug of its sector. */
type Listed = TaxonomyClass & { readonly sector?: string };

/** A class with its statistics. */
interface Found {
  readonly one: Listed;
  readonly row: SectorStatistics;
}

const withStatistics = (
  listed: readonly Listed[],
  statistics: ReadonlyMap<string, SectorStatistics>,
): readonly Found[] =>
  listed.flatMap((one) => {
    const row = statistics.get(one.slug);
    return row ? [{ one, row }] : [];
  });

/** The companies of a country by their classes of its market, all of them or only in `sector`. */
export function localTable(list: CountryRollup["list"], sector?: string): RollUpTable {
  const builder = new RollUpTableBuilder(list.length);
  const isIn = sector === undefined ? () => true : sectorTest(sector);
  for (const { row, instrument } of list) {
    const local = localSectorOf(instrument);
    if (row && local && isIn({ ...instrument, sector: row.sector }))
      builder.add({ ...row, sector: formatLocalSector(local) });
  }
  return builder.build();
}

/** The classes of a market, of its companies in `sector` or of all. @throws BourseError for a market without classes */
function* localStatistics(
  country: Country,
  sector: string | undefined,
  { list, asOf }: CountryRollup,
): Generator<void, readonly Found[]> {
  const classes = LOCAL_SECTORS.filter((one) => one.country === country);
  if (classes.length === 0) {
    throw invalidArgument(`level=local_sector is for JP and VN, not ${country}.`, {
      param: "level",
      hint: "Companies of the US have no further classification here: use sector or industry.",
    });
  }
  const statistics = yield* sectorStatistics(localTable(list, sector), asOf);
  const listed = classes.map((one) => ({ slug: formatLocalSector(one), name: one.names[0] }));
  return withStatistics(listed, statistics);
}

/** A row for each class: its slug and these figures as numbers, returns and margins in percent. */
function sectorTable(found: readonly Found[], columns: readonly Column[]) {
  return {
    columns: ["slug", ...columns],
    rows: found.map(({ one, row }) => [one.slug, ...columns.map((name) => COLUMNS[name](row))]),
  };
}

/** @throws BourseError for industries without a sector: an answer has no room for all industries */
function listClasses(sector: string | undefined, level: "sector" | "industry"): readonly Listed[] {
  if (level === "sector") {
    return [...SECTORS.values()].filter(({ slug }) => sector === undefined || slug === sector);
  }
  if (sector !== undefined) return [...INDUSTRIES.values()].filter((one) => one.sector === sector);
  throw new BourseError("missing_argument", "With level industry, sector is required.", {
    param: "sector",
    allowed: [...SECTORS.keys()],
    hint: "For the industries of all sectors call get_sector_overview.",
  });
}

function sectorRow(
  { name, slug, sector }: Listed,
  s: SectorStatistics,
  currency: string,
  updatedAt: string,
) {
  const change = formatChange(s.changePercent);
  return {
    name,
    slug,
    overview: {
      Sector: sector === undefined ? name : (SECTORS.get(sector)?.name ?? sector),
      "Mkt cap": formatLarge(s.marketCap, currency),
      ...(sector === undefined && { Industries: String(s.industryCount) }),
      Stocks: String(s.stockCount),
      "Chg %": change,
    },
    performance: {
      "Chg %": change,
      "Perf %1W": formatChange(s.performance["1w"]),
      "Perf %1M": formatChange(s.performance["1m"]),
      "Perf %YTD": formatChange(s.performance["ytd"]),
      "Perf %1Y": formatChange(s.performance["1y"]),
    },
    stats: {
      pe_median: round2(s.peMedian),
      pe_p25: round2(s.peP25),
      pe_p75: round2(s.peP75),
      pb_median: round2(s.pbMedian),
      ps_median: round2(s.psMedian),
      ev_ebitda_median: round2(s.evEbitdaMedian),
      roe_median: round2(s.roeMedian),
      roic_median: round2(s.roicMedian),
      revenue_growth_median: round2(s.revenueGrowthMedian),
      eps_growth_median: round2(s.epsGrowthMedian),
      gross_margin_median: round2(s.grossMarginMedian),
      operating_margin_median: round2(s.operatingMarginMedian),
      net_margin_median: round2(s.netMarginMedian),
      fcf_margin_median: round2(s.fcfMarginMedian),
      sample_size: s.sampleSize,
      reliable: s.reliable,
      updated_at: updatedAt,
    },
  };
}
