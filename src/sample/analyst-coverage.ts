import {
  type AnalystCoverage,
  type EarningsDate,
  ESTIMATE_PERIODS,
  type RatingCounts,
} from "#domain/analyst-coverage.ts";
import type { Country } from "#domain/country.ts";
import type { EarningsResults } from "#domain/earnings-results.ts";
import { addDays, addMonths } from "#lib/date.ts";
import type { SampleMarket } from "./market.ts";
import { roundingOf } from "./prices.ts";
import { listingSeed, profileOf } from "./profiles.ts";
import { normalAt, seedOf, uniformAt } from "./random.ts";
import { reportsHalfYears } from "./reports.ts";
import type { SampleListing } from "./universe.ts";

/** Invented firms, so that no view is attributed to a real one. */
const FIRMS = Array.from("ABCDEFGHIJ", (letter) => `Sample Research ${letter}`);

/** Grades from worst to best, with the range of price target / price on the day of the action. */
const GRADES = [
  { name: "Sell", min: 0.72, max: 0.95 },
  { name: "Hold", min: 0.95, max: 1.08 },
  { name: "Buy", min: 1.08, max: 1.36 },
] as const;
type Grade = (typeof GRADES)[number]["name"];

/** What an action does to the grade: lowers, keeps or raises it. */
const ACTIONS = ["downgrade", "maintain", "upgrade"] as const;

/** Companies with a smaller market cap, in their own currency, are not covered. */
const MIN_COVERED_CAP: Record<Country, number> = { US: 3e9, JP: 1e12, VN: 30e12 };
/** Market cap at which the number of analysts is 0. Each 25 % more adds one. */
const UNCOVERED_CAP: Record<Country, number> = { US: 1e9, JP: 1.2e11, VN: 8e12 };
const MAX_ANALYSTS = 40;
const RATING_MONTHS = 4;
/** Days for which a firm's price target counts. */
const TARGET_DAYS = 100;
const ACTION_YEARS = 3;

/** The analysts' view of the company; null if no analyst covers it. */
export function analystCoverage(
  listing: SampleListing,
  market: SampleMarket,
): AnalystCoverage | null {
  const { country, symbol } = listing;
  const analysts = analystCount(listing);
  if (analysts === null) return null;
  const price = market.prices.closeUpTo(listing, market.today) ?? listing.price;
  const month = market.today.slice(0, 7);
  const target = price * (1.08 + 0.09 * sentiment(listing, month));
  const spread = 0.12 + 0.1 * uniformAt(listingSeed(listing), 60);
  const round = roundingOf(listing);
  const rounded = (part: number) => round(target * part);
  const made = actions(listing, market, analysts);
  const current = newestOfFirms(made, addDays(market.today, -TARGET_DAYS), market.today);
  const targets = current.map(({ priceTarget }) => priceTarget ?? target);
  return {
    country,
    symbol,
    ratings: Array.from({ length: RATING_MONTHS }, (_, back) => {
      const rated = addMonths(`${month}-01`, -back).slice(0, 7);
      const views = newestOfFirms(made, addMonths(`${rated}-01`, -11), `${rated}-31`);
      return { month: rated, ...ratingCounts(analysts, sentiment(listing, rated), views) };
    }),
    priceTarget: {
      low: Math.min(rounded(1 - 1.3 * spread), ...targets),
      mean: rounded(1),
      median: rounded(1 + 0.1 * spread),
      high: Math.max(rounded(1 + 1.6 * spread), ...targets),
      analysts,
    },
    estimates: estimates(listing, market, analysts),
    actions: made,
  };
}

/** The next report of a US company, for the first quarter not yet filed; null in other countries. */
export function earningsDate(listing: SampleListing, market: SampleMarket): EarningsDate | null {
  const { country, symbol } = listing;
  const next = market.quarters(listing).find(({ filedOn }) => filedOn > market.today);
  if (country !== "US" || !next) return null;
  const analysts = analystCount(listing);
  const [estimate] = analysts === null ? [] : estimates(listing, market, analysts);
  return {
    country,
    symbol,
    date: next.filedOn,
    session: listing.reportsBeforeOpen ? "before_market_open" : "after_market_close",
    fiscalPeriod: `Q${next.fiscalQuarter} ${next.fiscalYear}`,
    epsEstimate: estimate?.eps.average ?? null,
    revenueEstimate: estimate?.revenue.average ?? null,
    analysts,
  };
}

/**
 * The results of the last three years with the estimates before them; null without analysts. Estimates are on average
 * below the results, as real ones are.
 */
export function earningsResults(
  listing: SampleListing,
  market: SampleMarket,
): EarningsResults | null {
  const { country, symbol } = listing;
  // Analysts estimate quarters.
  if (analystCount(listing) === null || reportsHalfYears(listing)) return null;
  const shownFrom = addDays(market.today, -365 * ACTION_YEARS);
  const seed = listingSeed(listing);
  const results = market
    .quarters(listing)
    .filter(({ filedOn }) => filedOn >= shownFrom && filedOn <= market.today)
    .flatMap(({ periodEnd, filedOn, fiscalYear, fiscalQuarter, items }) => {
      const eps = items.epsDiluted;
      if (eps === null) return [];
      const surprise = 0.02 + 0.04 * normalAt(seed + 12, 4 * fiscalYear + fiscalQuarter);
      const epsEstimate = Math.round(100 * (eps - surprise * Math.abs(eps))) / 100;
      const quarterEnd = periodEnd.slice(0, 7);
      return [{ quarterEnd, reportedOn: filedOn, epsActual: eps, epsEstimate }];
    });
  return { country, symbol, results };
}

/** The number of analysts; null if none covers the company. */
function analystCount({ country, marketCap }: SampleListing): number | null {
  if (marketCap === null || marketCap < MIN_COVERED_CAP[country]) return null;
  const steps = Math.log(marketCap / UNCOVERED_CAP[country]) / Math.log(1.25);
  return Math.min(Math.max(Math.round(steps), 2), MAX_ANALYSTS);
}

/** The analysts' sentiment in a month, about −2 to 2. It changes little over time. */
function sentiment(listing: SampleListing, month: string): number {
  const seed = listingSeed(listing);
  return 0.95 * normalAt(seed, 62) + 0.3 * normalAt(seed, seedOf(month));
}

/** The newest action of each firm in a period, both days included. */
function newestOfFirms(made: AnalystCoverage["actions"], from: string, to: string) {
  const ofPeriod = made.filter(({ date }) => date >= from && date <= to);
  return ofPeriod.filter(({ firm }, i) => ofPeriod.findIndex((one) => one.firm === firm) === i);
}

/**
 * The analysts by rating: the firms by their views, the others around a middle from strong sell (0) to strong
 * buy (4); most are a buy.
 */
function ratingCounts(
  analysts: number,
  tone: number,
  views: AnalystCoverage["actions"],
): RatingCounts {
  const middle = 2.6 + 1.1 * tone;
  const weights = [0, 1, 2, 3, 4].map((grade) => Math.exp(-0.9 * (grade - middle) ** 2));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const others = analysts - views.length;
  const saying = (grade: Grade) => views.filter(({ toGrade }) => toGrade === grade).length;
  // Rounds the running sums, so that the counts add up.
  let [before, running] = [0, 0];
  const [strongSell = 0, sell = 0, hold = 0, buy = 0, strongBuy = 0] = weights.map((weight) => {
    running += weight;
    const upTo = Math.round((others * running) / total);
    const count = upTo - before;
    before = upTo;
    return count;
  });
  return {
    strongBuy,
    buy: buy + saying("Buy"),
    hold: hold + saying("Hold"),
    sell: sell + saying("Sell"),
    strongSell,
  };
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
  const { growth, seed } = profileOf(listing);
  const expected = (item: "epsDiluted" | "revenue", quarter: number): number => {
    if (quarter < first) return all[quarter]?.items[item] ?? 0;
    const error = 0.02 * normalAt(seed + (item === "revenue" ? 7 : 6), quarter);
    return expected(item, quarter - 4) * Math.exp(growth) * (1 + error);
  };
  const firstOfYear = first - next.fiscalQuarter + 1;
  return ESTIMATE_PERIODS.flatMap((period) => {
    const isYear = period.endsWith("year");
    const length = isYear ? 4 : 1;
    const from = (isYear ? firstOfYear : first) + (period.startsWith("next") ? length : 0);
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

/**
 * The rating actions of the last three years, newest first, at a regular interval per company, of no more firms than
 * analysts.
 */
function actions(
  listing: SampleListing,
  market: SampleMarket,
  analysts: number,
): AnalystCoverage["actions"] {
  const seed = listingSeed(listing);
  const firms = FIRMS.slice(0, analysts);
  const sessions = market.prices.sessions(listing.country);
  const closes = market.prices.closes(listing);
  const every = Math.floor((ACTION_YEARS * 250) / (7 + 7 * uniformAt(seed, 63)));
  const latest = new Map<string, { grade: 0 | 1 | 2; priceTarget: number }>();
  const made: AnalystCoverage["actions"] = [];
  // Starts at the first session, so that an action has the same previous one on any date.
  for (let i = Math.floor(every * uniformAt(seed, 64)); i < sessions.length; i += every) {
    const close = closes[i] ?? Number.NaN;
    if (Number.isNaN(close)) continue;
    const firm = firms[Math.floor(firms.length * uniformAt(seed + 8, i) ** 2)] ?? "";
    const before = latest.get(firm) ?? null;
    const draw = uniformAt(seed + 9, i) + 0.12 * sentiment(listing, "");
    const grade = draw < 0.12 ? 0 : draw < 0.45 ? 1 : 2;
    const { name, min, max } = GRADES[grade];
    const drawn = close * (min + (max - min) * uniformAt(seed + 11, i));
    const priceTarget = roundingOf(listing)(drawn);
    made.unshift({
      date: sessions[i] ?? "",
      firm,
      action: before ? (ACTIONS[Math.sign(grade - before.grade) + 1] ?? "maintain") : "initiate",
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
