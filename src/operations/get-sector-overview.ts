import { Type } from "@sinclair/typebox";
import { indexPe, profitMarginPercent } from "#analytics/index-valuation.ts";
import {
  divideMarketCap,
  type RollUpRow,
  rollUpTable,
  sectorTotals,
} from "#analytics/sector-statistics.ts";
import type { CompanyFundamentals } from "#analytics/valuation.ts";
import { COUNTRIES, COUNTRY_CODES } from "#domain/country.ts";
import type { Provenance } from "#domain/records.ts";
import { Nullable, StringEnum } from "#domain/schema.ts";
import { INDUSTRIES, SECTORS } from "#domain/taxonomy.ts";
import { round2 } from "#panels/format.ts";
import type { MarketStore } from "#store/index.ts";
import { countryNeeds, optionalCountryNeeds } from "./needs.ts";
import { defineOperation, type OperationContext } from "./operation.ts";

const Figure = (description: string) => Nullable(Type.Number({ description }));

export const getSectorOverview = defineOperation({
  name: "get_sector_overview",
  title: "Sectors or industries of the broad market",
  description:
    "One row for each of the 11 sectors, or the 145 industries, over all companies of all countries, in US dollars. For one country with valuation statistics use get_sectors.",
  path: "/data/sectors/overview",
  input: Type.Object({
    level: Type.Optional(
      StringEnum(["sector", "industry"], {
        default: "sector",
        description: "What a row stands for.",
      }),
    ),
  }),
  output: Type.Object({
    rows: Type.Array(
      Type.Object({
        slug: Type.String(),
        name: Type.String(),
        stocks: Type.Integer({ description: "Companies; 0 where none is known." }),
        market_cap: Figure("In US dollars."),
        dividend_yield: Figure("Cap-weighted, in percent."),
        pe: Figure("Market cap / net income TTM, losses included."),
        profit_margin: Figure("Net income TTM / revenue TTM, in percent."),
        change_1d: Figure("Cap-weighted change of the newest session, in percent."),
        change_1y: Figure("Cap-weighted change over a year, in percent."),
      }),
    ),
    currency: Type.String(),
  }),
  needs: () => [
    ...countryNeeds(["instruments"]),
    ...optionalCountryNeeds(["quotes"]),
    ...COUNTRY_CODES.filter((country) => COUNTRIES[country].currency !== "USD").map((country) => ({
      kind: "bars" as const,
      country,
      symbol: pairOf(COUNTRIES[country].currency),
      optional: true as const,
    })),
  ],
  companiesOf: () => COUNTRY_CODES,
  handle({ level = "sector" }, { market, rollups }) {
    const { rows, earnings, from } = listInDollars(market, rollups, level);
    const totals = sectorTotals(rollUpTable(rows), level);
    const classes = level === "sector" ? SECTORS : INDUSTRIES;
    return {
      data: {
        rows: [...classes.values()].map(({ slug, name }) => {
          const row = totals.get(slug);
          const members = earnings.get(slug) ?? [];
          return {
            slug,
            name,
            stocks: row?.stockCount ?? 0,
            market_cap: row ? Math.round(row.marketCap) : null,
            dividend_yield: round2(row?.dividendYieldPercent ?? null),
            pe: round2(indexPe(members)),
            profit_margin: round2(profitMarginPercent(members)),
            change_1d: round2(row?.changePercent ?? null),
            change_1y: round2(row?.performance.oneYear ?? null),
          };
        }),
        currency: "USD",
      },
      from,
    };
  },
});

/** What a row adds up beside its totals, in US dollars where the statements are in the share's currency. */
type Earnings = Pick<
  CompanyFundamentals,
  "marketCap" | "currency" | "statementCurrency" | "revenueTtm" | "netIncomeTtm"
>;

/** All companies whose currency has a rate: their rows, and the earnings of primary listings by class. */
function listInDollars(
  market: MarketStore,
  rollups: OperationContext["rollups"],
  level: "sector" | "industry",
): { rows: RollUpRow[]; earnings: Map<string, Earnings[]>; from: Provenance[] } {
  const rates = new Map<string, ReturnType<typeof findRate>>();
  const rateOf = (currency: string) => {
    let rate = rates.get(currency);
    if (rate === undefined) rates.set(currency, (rate = findRate(market, currency)));
    return rate;
  };
  const rows: RollUpRow[] = [];
  const earnings = new Map<string, Earnings[]>();
  const countries = COUNTRY_CODES.map((country) => rollups.get(country));
  for (const { instrument, fundamentals, row } of countries.flatMap(({ list }) => list)) {
    const rate = rateOf(instrument.currency);
    if (!rate) continue;
    const { unitsPerDollar } = rate;
    if (row) rows.push(unitsPerDollar === 1 ? row : divideMarketCap(row, unitsPerDollar));
    const slug = instrument[level];
    if (slug === null || !instrument.primaryListing) continue;
    const members = earnings.get(slug) ?? [];
    if (members.length === 0) earnings.set(slug, members);
    members.push(earningsInDollars(fundamentals, unitsPerDollar));
  }
  return {
    rows,
    earnings,
    from: [
      ...countries.flatMap((country) => country.from),
      ...[...rates.values()].flatMap((rate) => rate?.from ?? []),
    ],
  };
}

/** The symbol of the pair that tells how much of a currency a US dollar buys. */
const pairOf = (currency: string) => `${currency}=X`;

/** How much of a currency a US dollar buys, by the newest close of its pair; null where unknown. */
function findRate(
  market: MarketStore,
  currency: string,
): { unitsPerDollar: number; from: readonly Provenance[] } | null {
  if (currency === "USD") return { unitsPerDollar: 1, from: [] };
  const symbol = pairOf(currency);
  const [country] = market.instruments.listCountries(symbol);
  const pair = country && market.instruments.find({ country, symbol });
  const [newest] = pair ? market.bars.listNewest(pair.id, 1) : [];
  const provenance = pair && market.bars.findProvenance(pair.id);
  return newest && provenance ? { unitsPerDollar: newest.close, from: [provenance] } : null;
}

/** Earnings in yet another currency than the share's stay out of sums. */
function earningsInDollars(f: CompanyFundamentals, unitsPerDollar: number): Earnings {
  const isSame = f.statementCurrency === f.currency;
  const dollars = (value: number | null) => (value === null ? null : value / unitsPerDollar);
  return {
    marketCap: dollars(f.marketCap),
    currency: "USD",
    statementCurrency: isSame ? "USD" : f.statementCurrency,
    revenueTtm: isSame ? dollars(f.revenueTtm) : null,
    netIncomeTtm: isSame ? dollars(f.netIncomeTtm) : null,
  };
}
