import { COUNTRY_CODES } from "#domain/country.ts";
import type { IndexPe } from "#domain/macro.ts";
import { addDays, addMonths } from "#lib/date.ts";
import { indexUpTo } from "./dates.ts";
import type { SampleMarket } from "./market.ts";
import { listCompanies } from "./universe.ts";

const MONTHS = 72;

/**
 * The P/E of each country's index at the end of each of the last 72 whole months, oldest first:
 * the members' market cap at the month's last close / their net income of the last four quarters filed
 * by then. `#analytics/index-valuation.ts` computes the current P/E in the same way.
 */
export function* indexPeHistory({ today, prices, quarters }: SampleMarket): Generator<IndexPe> {
  const thisMonth = `${today.slice(0, 7)}-01`;
  for (const country of COUNTRY_CODES) {
    const sessions = prices.sessions(country);
    const members = listCompanies().filter(
      (listing) => listing.country === country && listing.indexMember && listing.primaryListing,
    );
    for (let back = MONTHS; back > 0; back--) {
      const monthEnd = addDays(addMonths(thisMonth, 1 - back), -1);
      const session = indexUpTo(sessions, monthEnd);
      let marketCap = 0;
      let netIncome = 0;
      for (const listing of members) {
        const filed = quarters(listing);
        const known = filed.findLastIndex(({ filedOn }) => filedOn <= monthEnd);
        const close = prices.closes(listing)[session];
        if (known < 3 || close === undefined || Number.isNaN(close)) continue;
        marketCap += close * (filed[known]?.items.sharesDiluted ?? 0);
        for (let i = known - 3; i <= known; i++) netIncome += filed[i]?.items.netIncome ?? 0;
      }
      if (netIncome > 0) yield { country, month: monthEnd.slice(0, 7), pe: marketCap / netIncome };
    }
  }
}
