import type { Country } from "#domain/country.ts";
import type { StatementItems } from "#domain/statement.ts";
import { addDays } from "#lib/date.ts";
import { endOfMonth, sessionFrom, yearsBetween } from "./dates.ts";
import { ANCHOR } from "./prices.ts";
import { type CompanyProfile, companyProfile } from "./profiles.ts";
import { normalAt, uniformAt, wander } from "./random.ts";
import type { SampleListing } from "./universe.ts";

/** What a company does in one fiscal quarter, and when the world hears of it. */
export interface FiscalQuarter {
  readonly fiscalYear: number;
  /** 1 to 4. */
  readonly fiscalQuarter: number;
  readonly periodEnd: string;
  readonly filedOn: string;
  /** Flows of the quarter alone, balances at its end. */
  readonly items: StatementItems;
}

/** The first fiscal years begin on or after 1 January of this year. */
const FIRST_YEAR = 2017;

/** The month in which the fiscal year ends. */
const USUAL_YEAR_END: Record<Country, number> = { US: 12, JP: 3, VN: 12 };
const OTHER_YEAR_ENDS: Record<Country, Readonly<Record<number, string>>> = {
  US: {
    1: "NVDA CRM DELL WMT TGT HD LOW TJX KR LULU VEEV",
    2: "STZ",
    3: "MCK RL TTWO",
    4: "MDT",
    5: "ORCL NKE FDX GIS",
    6: "MSFT PG ADP SYY",
    7: "CSCO INTU PANW",
    8: "ACN COST AZO MU",
    9: "AAPL V DIS SBUX QCOM DHI FOR",
    10: "AVGO AMAT DE",
    11: "ADBE",
  },
  JP: {
    2: "3382 8267 9602",
    6: "4385 7532",
    8: "9983",
    9: "4751 3288",
    12: "6723 3659 4324 4704 7751 5108 7272 4755 2914 2502 2503 4452 4911 2587 8113 1605 4519 4578 4151 6269 3003",
  },
  VN: { 6: "SBT", 9: "HSG" },
};

/** The month (1 to 12) in which the company's fiscal year ends. */
function yearEndMonth({ country, symbol }: SampleListing): number {
  const other = Object.entries(OTHER_YEAR_ENDS[country]).find(([, symbols]) =>
    symbols.split(" ").includes(symbol),
  );
  return other ? Number(other[0]) : USUAL_YEAR_END[country];
}

/** When each quarter ends and is filed, through the first fiscal year that ends after `through`. */
function schedule(listing: SampleListing, seed: number, through: string) {
  const { country } = listing;
  const endMonth = yearEndMonth(listing);
  const lagDays = 26 + Math.floor(11 * uniformAt(seed, 30));
  const quarters: Omit<FiscalQuarter, "items">[] = [];
  for (let year = endMonth === 12 ? FIRST_YEAR : FIRST_YEAR + 1; ; year++) {
    for (let quarter = 1; quarter <= 4; quarter++) {
      const periodEnd = endOfMonth(year, endMonth - 3 * (4 - quarter));
      const days = lagDays + (quarter === 4 ? 15 : 0) + Math.floor(3 * uniformAt(seed, 100 + quarters.length));
      quarters.push({
        fiscalYear: year,
        fiscalQuarter: quarter,
        periodEnd,
        filedOn: sessionFrom(country, addDays(periodEnd, days)),
      });
    }
    if ((quarters.at(-1)?.periodEnd ?? "") > through) return quarters;
  }
}

/**
 * The company's fiscal quarters since 2017, oldest first, through the first fiscal year that ends
 * after `through`; each is the same whatever `through` is.
 *
 * Revenue grows at the company's rate, with a season and with chance; net income is a wandering
 * margin of it, and what stands between the two follows from the profile. The balance sheet grows
 * with the equity that the profile's return on equity asks for, and the cash flows are what leads
 * from one balance sheet to the next: what equity changes by beyond net income is dividends, issues
 * and buy-backs, in financing. Revenue and income are scaled as a whole so that the twelve months
 * known on the anchor date earn what the universe's P/E says.
 */
export function fiscalQuarters(listing: SampleListing, through: string): FiscalQuarter[] {
  const profile = companyProfile(listing);
  const quarters = schedule(listing, profile.seed, through);
  const flows = incomes(listing, profile, quarters);
  let before = balanceSheet(profile, -1, endOfQuarterBefore(quarters[0]?.periodEnd ?? ANCHOR));
  let netIncomeOfYear = 0;
  return quarters.map((quarter, i) => {
    const { revenue, netIncome } = flows[i] ?? { revenue: 0, netIncome: 0 };
    const now = balanceSheet(profile, i, quarter.periodEnd);
    if (quarter.fiscalQuarter === 1) netIncomeOfYear = 0;
    const earlier = netIncomeOfYear;
    netIncomeOfYear += netIncome;
    const items: StatementItems = {
      ...incomeStatement(profile, revenue, netIncome, before.debt),
      epsDiluted: perShare(listing, netIncomeOfYear, earlier),
      sharesDiluted: listing.sharesOutstanding,
      totalAssets: now.totalAssets,
      currentAssets: profile.lendsOrInsures ? null : now.currentAssets,
      cash: now.cash,
      inventory: profile.lendsOrInsures ? null : now.inventory,
      totalLiabilities: now.debt + now.otherLiabilities,
      currentLiabilities: profile.lendsOrInsures ? null : now.currentLiabilities,
      totalDebt: now.debt,
      commonEquity: now.equity,
      preferredEquity: 0,
      minorityInterest: now.minority,
      ...cashFlows(profile, before, now, revenue, netIncome),
    };
    before = now;
    return { ...quarter, items };
  });
}
