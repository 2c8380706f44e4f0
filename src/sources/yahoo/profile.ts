import { INDUSTRIES } from "#domain/taxonomy.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { figureOf, plainText, positiveOf } from "./answer.ts";
import { requestQuoteSummary, parseQuoteSummary } from "./quote-summary.ts";
import { YAHOO } from "./source.ts";
import { shareOf } from "./symbol.ts";
import { industrySlug, sectorSlug } from "./taxonomy.ts";

const SUMMARY_LENGTH = 4_000;

/**
 * The description of a company, its employees, class and shares; a fund has a description only.
 * Shares are all classes' if Yahoo gives them (`impliedSharesOutstanding`), else
 * the line's; null if Yahoo gives neither, because the store knows the day of the number that it has.
 */
export const yahooProfile = defineFetcher({
  kind: "instruments",
  source: YAHOO,
  countries: ["US", "JP", "VN"],
  scope: "instrument",
  complements: true,
  fetch: async (query, client) => requestQuoteSummary(client, shareOf(query)),
  transform(answer: unknown, query) {
    const instrument = shareOf(query);
    const { assetProfile, defaultKeyStatistics } = parseQuoteSummary(answer, instrument);
    const isFund = instrument.assetType === "etf";
    const industry =
      industrySlug(assetProfile?.industryKey) ?? industrySlug(assetProfile?.industry);
    const sector =
      (industry !== null ? INDUSTRIES.get(industry)?.sector : null) ??
      sectorSlug(assetProfile?.sectorKey) ??
      sectorSlug(assetProfile?.sector);
    const employees = figureOf(assetProfile?.fullTimeEmployees);
    const known = {
      summary: plainText(assetProfile?.longBusinessSummary, SUMMARY_LENGTH),
      employees: employees !== null && employees >= 0 ? Math.round(employees) : null,
      sharesOutstanding:
        positiveOf(defaultKeyStatistics?.impliedSharesOutstanding) ??
        positiveOf(defaultKeyStatistics?.sharesOutstanding),
      sector: isFund ? null : sector,
      industry: isFund ? null : industry,
    };
    const given = Object.entries(known).filter(([, value]) => value !== null);
    if (given.length === 0) throw YAHOO.error("nothing", "it has no profile of the symbol");
    return [
      {
        ...instrument,
        sharesOutstanding: null,
        ...(Object.fromEntries(given) as Partial<typeof known>),
      },
    ];
  },
});
