import {
  type AnalystCoverage,
  type EarningsDate,
  ESTIMATE_PERIODS,
  type RatingCounts,
} from "#domain/analyst-coverage.ts";
import type { Country } from "#domain/country.ts";
import { addDays, addMonths } from "#lib/date.ts";
import type { SampleMarket } from "./market.ts";
import { companyProfile, listingSeed } from "./profiles.ts";
import { normalAt, seedOf, uniformAt } from "./random.ts";
import { reportsBeforeOpen } from "./reports.ts";
import { roundPrice } from "./ticks.ts";
import type { SampleListing } from "./universe.ts";

/** Invented firms, so that no view is attributed to a real one. */
const FIRMS = Array.from("ABCDEFGHIJ", (letter) => `Sample Research ${letter}`);

/** Grades from worst to best, with the range of price target / price on the day of the action. */
const GRADES = [
  { name: "Sell", min: 0.72, max: 0.95 },
  { name: "Hold", min: 0.95, max: 1.08 },
  { name: "Buy", min: 1.08, max: 1.36 },
] as const;

/** Days for which a firm's newest price target counts. */
const TARGET_DAYS = 100;

/** Companies with a smaller market cap, in their own currency, are not covered. */
const MIN_COVERED_CAP: Record<Country, number> = { US: 3e9, JP: 1e12, VN: 30e12 };

/** Market cap at which the number of analysts is 0. Each 25 % more adds one. */
const UNCOVERED_CAP: Record<Country, number> = { US: 1e9, JP: 1.2e11, VN: 8e12 };
const MAX_ANALYSTS = 40;

const RATING_MONTHS = 4;
const ACTION_YEARS = 3;

/** The analysts' view of the company; null if no analyst covers it. */
export function analystCoverage(
  listing: SampleListing,
  market: SampleMarket,
): AnalystCoverage | null {
  const { country, symbol, marketCap } = listing;
  if ((marketCap ?? 0) < MIN_COVERED_CAP[country]) return null;
  const analysts = analystCount(listing);
  const price = market.prices.closeUpTo(listing, market.today) ?? listing.price;
  const month = market.today.slice(0, 7);
  const target = price * (1.09 + 0.07 * sentiment(listing, month));
  const spread = 0.12 + 0.1 * uniformAt(listingSeed(listing), 60);
  const rounded = (value: number) => roundPrice(listing, value);
  const made = actions(listing, market);
  const current = currentTargets(made, addDays(market.today, -TARGET_DAYS));
  return {
    country,
    symbol,
    ratings: Array.from({ length: RATING_MONTHS }, (_, back) => {
      const rated = addMonths(`${month}-01`, -back).slice(0, 7);
      const sellers = countSellers(made, rated);
      return { month: rated, ...ratingCounts(analysts, sentiment(listing, rated), sellers) };
    }),
    priceTarget: {
      low: Math.min(rounded(target * (1 - 1.3 * spread)), ...current),
      mean: rounded(target),
      median: rounded(target * (1 + 0.1 * spread)),
      high: Math.max(rounded(target * (1 + 1.6 * spread)), ...current),
      analysts,
    },
    estimates: estimates(listing, market, analysts),
    actions: made,
  };
}

/** The next report of a US company, for the first quarter not yet filed; null in other countries. */
export function earningsDate(listing: SampleListing, market: SampleMarket): EarningsDate | null {
  const next = nextQuarter(listing, market);
  if (listing.country !== "US" || !next) return null;
  const covered = (listing.marketCap ?? 0) >= MIN_COVERED_CAP.US;
  const analysts = covered ? analystCount(listing) : null;
  const [estimate] = covered ? estimates(listing, market, analystCount(listing)) : [];
  return {
    country: listing.country,
    symbol: listing.symbol,
    date: next.filedOn,
    session: reportsBeforeOpen(listing) ? "before_market_open" : "after_market_close",
    fiscalPeriod: `Q${next.fiscalQuarter} ${next.fiscalYear}`,
    epsEstimate: estimate?.eps.average ?? null,
    revenueEstimate: estimate?.revenue.average ?? null,
    analysts,
  };
}

function nextQuarter(listing: SampleListing, { today, quarters }: SampleMarket) {
  return quarters(listing).find(({ filedOn }) => filedOn > today);
}

function analystCount({ country, marketCap }: SampleListing): number {
  const steps = Math.log((marketCap ?? 0) / UNCOVERED_CAP[country]) / Math.log(1.25);
  return Math.min(Math.max(Math.round(steps), 2), MAX_ANALYSTS);
}

/** The analysts' sentiment in a month, about −2 to 2. It changes little over time. */
function sentiment(listing: SampleListing, month: string): number {
  const seed = listingSeed(listing);
  return 0.7 * normalAt(seed, 62) + 0.3 * normalAt(seed, seedOf(month));
}

/** The number of firms whose newest action in the twelve months up to the month is a Sell. */
function countSellers(made: AnalystCoverage["actions"], month: string): number {
  const since = addMonths(`${month}-01`, -11);
  const grades = new Map<string, string | null>();
  for (const { date, firm, toGrade } of made)
    if (date >= since && date.slice(0, 7) <= month && !grades.has(firm)) grades.set(firm, toGrade);
  return [...grades.values()].filter((grade) => grade === "Sell").length;
}

function ratingCounts(analysts: number, tone: number, sellers: number): RatingCounts {
  const share = (usual: number, slope: number) =>
    Math.floor(analysts * Math.min(Math.max(usual + slope * tone, 0), 0.5));
  const strongBuy = share(0.2, 0.11);
  const buy = share(0.36, 0.1);
  const strongSell = share(0.02, -0.03);
  const others = analysts - strongBuy - buy - strongSell;
  const sell = Math.min(Math.max(share(0.06, -0.06), sellers - strongSell), others);
  const hold = others - sell;
  return { strongBuy, buy, hold, sell, strongSell };
}

/**
 * Estimates for this and the next quarter and year, from filed quarters only. A quarter that is not
 * filed is the quarter a year before, grown at the company's rate, with an error.
 */
function estimates(
  listing: SampleListing,
  market: SampleMarket,
  analysts: number,
): AnalystCoverage["estimates"] {
  const all = market.quarters(listing);
  const first = all.findIndex(({ filedOn }) => filedOn > market.today);
  const next = all[first];
  if (!next) return [];
  const seed = listingSeed(listing);
  const { growth } = companyProfile(listing);
  const expected = (item: "epsDiluted" | "revenue", quarter: number): number => {
    if (quarter < first) return all[quarter]?.items[item] ?? 0;
    const error = 0.02 * normalAt(seed + (item === "revenue" ? 7 : 6), quarter);
    return expected(item, quarter - 4) * Math.exp(growth) * (1 + error);
  };
  const firstOfYear = first - next.fiscalQuarter + 1;
  const spans: Record<(typeof ESTIMATE_PERIODS)[number], readonly [from: number, length: number]> =
    {
      current_quarter: [first, 1],
      next_quarter: [first + 1, 1],
      current_year: [firstOfYear, 4],
      next_year: [firstOfYear + 4, 4],
    };
  return ESTIMATE_PERIODS.flatMap((period) => {
    const [from, length] = spans[period];
    const last = all[from + length - 1];
    if (!last) return [];
    const total = (item: "epsDiluted" | "revenue", start: number) =>
      Array.from({ length }, (_, i) => expected(item, start + i)).reduce((sum, x) => sum + x, 0);
    const isYearAgoFiled = from - 4 + length <= first;
    return [
      {
        period,
        periodEnd: last.periodEnd,
        eps: consensus(total("epsDiluted", from), 0.08, 100, analysts),
        revenue: consensus(total("revenue", from), 0.03, 1 / 1_000, analysts),
        epsYearAgo: isYearAgoFiled ? Math.round(100 * total("epsDiluted", from - 4)) / 100 : null,
      },
    ];
  });
}

/** The newest price target of each firm, without targets from before the date. */
function currentTargets(made: AnalystCoverage["actions"], since: string): number[] {
  const byFirm = new Map<string, number>();
  for (const { date, firm, priceTarget } of made)
    if (date >= since && priceTarget !== null && !byFirm.has(firm)) byFirm.set(firm, priceTarget);
  return [...byFirm.values()];
}

function consensus(average: number, spread: number, stepsPerUnit: number, analysts: number) {
  const rounded = (value: number) => Math.round(value * stepsPerUnit) / stepsPerUnit;
  const width = spread * Math.abs(average);
  return {
    low: rounded(average - width),
    average: rounded(average),
    high: rounded(average + width),
    analysts,
  };
}

/** The rating actions of the last three years, newest first, at a regular interval per company. */
function actions(listing: SampleListing, market: SampleMarket): AnalystCoverage["actions"] {
  const seed = listingSeed(listing);
  const sessions = market.prices.sessions(listing.country);
  const closes = market.prices.closes(listing);
  const every = Math.floor((ACTION_YEARS * 250) / (7 + 7 * uniformAt(seed, 63)));
  const offset = Math.floor(every * uniformAt(seed, 64));
  const latest = new Map<string, { grade: 0 | 1 | 2; priceTarget: number }>();
  const made: AnalystCoverage["actions"] = [];
  // Starts at the first session, so that an action has the same previous one on any date.
  for (let i = offset; i < sessions.length; i += every) {
    const firm = FIRMS[Math.floor(FIRMS.length * uniformAt(seed + 8, i) ** 2)] ?? "";
    const before = latest.get(firm) ?? null;
    const draw = uniformAt(seed + 9, i);
    const grade = draw < 0.12 ? 0 : draw < 0.45 ? 1 : 2;
    const { name, min, max } = GRADES[grade];
    const close = closes[i] ?? Number.NaN;
    if (Number.isNaN(close)) continue;
    const keepsTarget =
      before?.grade === grade &&
      before.priceTarget >= min * close &&
      before.priceTarget <= max * close &&
      uniformAt(seed + 10, i) < 0.5;
    const priceTarget = keepsTarget
      ? before.priceTarget
      : roundPrice(listing, close * (min + (max - min) * uniformAt(seed + 11, i)));
    made.unshift({
      date: sessions[i] ?? "",
      firm,
      action:
        before === null
          ? "initiate"
          : grade > before.grade
            ? "upgrade"
            : grade < before.grade
              ? "downgrade"
              : keepsTarget
                ? "reiterate"
                : "maintain",
      fromGrade: before && GRADES[before.grade].name,
      toGrade: name,
      priceTarget,
      priorPriceTarget: before?.priceTarget ?? null,
    });
    latest.set(firm, { grade, priceTarget });
  }
  const shownFrom = addDays(market.today, -365 * ACTION_YEARS);
  return made.filter(({ date }) => date >= shownFrom);
}
