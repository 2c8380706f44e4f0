import {
  BALANCES,
  fiscalQuarterNumber,
  NO_ITEMS,
  QUARTERS_OF_YEAR,
  type Statement,
  type StatementItem,
} from "#domain/statement.ts";
import { daysBetween } from "#lib/date.ts";
import { SUMMED_FLOWS } from "./statement-check.ts";

/** Figures that add up to others may miss them by this part: rounding, and small lines of their own. */
const TOLERANCE = 0.02;
/** Lines above net income are often restated in a year, not in its quarters: Tesla's cash flow of 2011 by 12 %. */
const RESTATED = 0.2;
/** The part of all assets that minority interest and mezzanine equity can be, if the statement does not give them. */
const UNGIVEN_EQUITY = 0.25;
/** In days: the last days of the quarters of one fiscal year differ by 13 weeks each, up to 17. */
const LABEL_SLACK_DAYS = 45;

/** Items that are amounts of money paid, positive as such. */
const OUTFLOWS = [
  "costOfRevenue",
  "capitalExpenditure",
  "dividendsPaid",
  "shareRepurchases",
] as const;

/** A clause on what contradicts a statement, or null. `others` are all of its company in its currency, itself included. */
type Check = (statement: Statement, others: readonly Statement[]) => string | null;

/**
 * What contradicts a statement that an operator imports, in clauses: its own figures, or other statements of its
 * company. Empty if nothing does. `others` may include the statement itself.
 *
 * Both sides may be wrong, so these are questions. Statements of live sources pass `checkStatement` only: their quarters
 * are not restated with their years, and their balance sheets lack lines.
 */
export function findContradictions(statement: Statement, others: readonly Statement[]): string[] {
  const peers = others.filter(({ currency }) => currency === statement.currency);
  const checks: readonly Check[] = [
    unlikelyYear,
    otherEnd,
    unequalSums,
    lessThanPart,
    cumulativeQuarters,
    yearAsQuarter,
    unbalanced,
    partAboveWhole,
    incomeInOtherUnit,
    wrongMargin,
    negativeOutflow,
    balanceInFlow,
    sameQuarter,
    otherShares,
  ];
  return checks.flatMap((check) => check(statement, peers) ?? []);
}

const nameOf = ({ span, fiscalYear, fiscalQuarter }: Statement) =>
  span === "year"
    ? `FY ${fiscalYear}`
    : `Q${fiscalQuarter} ${fiscalYear}${span === "year_to_date" ? " to date" : ""}`;

const labelOf = ({ fiscalYear, fiscalQuarter }: Statement) =>
  fiscalQuarterNumber(fiscalYear, fiscalQuarter);

/** True if a sum misses its whole by more than the tolerance of the larger side. */
const misses = (sum: number, whole: number) =>
  Math.abs(sum - whole) > TOLERANCE * Math.max(Math.abs(sum), Math.abs(whole));

function unlikelyYear({ fiscalYear, periodEnd }: Statement): string | null {
  return Math.abs(fiscalYear - Number(periodEnd.slice(0, 4))) <= 1
    ? null
    : `fiscalYear ${fiscalYear} does not fit periodEnd ${periodEnd}`;
}

/** The fewest days between the ends of two periods of a span: 12 weeks of a quarter, 52 of a year, less a few. */
const LEAST_DAYS: Readonly<Partial<Record<Statement["span"], number>>> = { quarter: 75, year: 350 };

/**
 * Periods end in the order of their labels. Quarters of one fiscal year end a quarter apart. Years end at least their
 * own length apart.
 */
function otherEnd(statement: Statement, others: readonly Statement[]): string | null {
  for (const other of others) {
    const quarters = labelOf(statement) - labelOf(other);
    const days = daysBetween(other.periodEnd, statement.periodEnd);
    const isInYear = other.fiscalYear === statement.fiscalYear;
    const fits = isInYear
      ? Math.abs(days - (quarters * 365.25) / QUARTERS_OF_YEAR) <= LABEL_SLACK_DAYS
      : Math.sign(days) === Math.sign(quarters) &&
        (other.span !== statement.span || Math.abs(days) >= (LEAST_DAYS[other.span] ?? 0));
    if (fits) continue;
    const end = (one: Statement) => `${nameOf(one)} ends on ${one.periodEnd}`;
    return `${end(statement)}, ${end(other)}: a label or a date is wrong`;
  }
  return null;
}

/** The quarters that a year or a year to date covers, in order, if all are known. */
function quartersOf(
  { span, fiscalYear, fiscalQuarter }: Statement,
  others: readonly Statement[],
): readonly Statement[] | null {
  if (span === "quarter") return null;
  const before = fiscalQuarter > QUARTERS_OF_YEAR ? QUARTERS_OF_YEAR : 0;
  const count = fiscalQuarter - before;
  const quarters = Array.from({ length: count }, (_, i) =>
    others.find(
      (one) =>
        one.span === "quarter" &&
        one.fiscalYear === fiscalYear &&
        one.fiscalQuarter === before + i + 1,
    ),
  ).filter((one) => one !== undefined);
  return quarters.length === count ? quarters : null;
}

function unequalSums(statement: Statement, others: readonly Statement[]): string | null {
  const quarters = quartersOf(statement, others);
  if (!quarters) return null;
  for (const item of SUMMED_FLOWS) {
    const whole = statement.items[item];
    const parts = quarters.map(({ items }) => items[item]);
    if (whole === null || !parts.every((part) => part !== null)) continue;
    const sum = parts.reduce((total, part) => total + part, 0);
    const size = parts.reduce((total, part) => total + Math.abs(part), Math.abs(whole));
    // A quarter that is the year has a question of its own: see `quarterAsYear`.
    const isYear = statement.span === "year" && parts.includes(whole);
    const most = item === "revenue" || item === "netIncome" ? TOLERANCE : RESTATED;
    if (Math.abs(sum - whole) <= (most * size) / 2 || isYear) continue;
    const sums =
      quarters.length === 1 ? `${sum} of the quarter` : `the sum of its quarters, ${sum}`;
    return `${item} ${whole} of ${nameOf(statement)} is not ${sums}: one of them is wrong, or the year was restated`;
  }
  return null;
}

/**
 * A year or a year to date has no less revenue than a part of the same year, unless a part has revenue below 0. If all
 * quarters are known, their sum decides instead.
 */
function lessThanPart(statement: Statement, others: readonly Statement[]): string | null {
  const { span, fiscalYear, fiscalQuarter, items } = statement;
  const whole = items.revenue;
  if (span === "quarter" || whole === null || quartersOf(statement, others)) return null;
  const isLong = fiscalQuarter > QUARTERS_OF_YEAR;
  const parts = others.filter(
    (one) =>
      one.fiscalYear === fiscalYear &&
      one.fiscalQuarter <= fiscalQuarter &&
      one.fiscalQuarter > QUARTERS_OF_YEAR === isLong,
  );
  const revenueOf = (one: Statement) => one.items.revenue ?? 0;
  if (parts.some((one) => revenueOf(one) < 0)) return null;
  const part = parts.find((one) => revenueOf(one) * (1 - TOLERANCE) > whole);
  return part === undefined
    ? null
    : `revenue ${whole} of ${nameOf(statement)} is less than ${revenueOf(part)} of ${nameOf(part)}, which is a part: one of them is wrong, or the year was restated`;
}

/** The ratios of each quarter to the one before, if figures are to date, not of the quarter. */
const TO_DATE = [
  { quarter: 2, least: 1.6, most: 2.6 },
  { quarter: 3, least: 1.3, most: 1.8 },
  { quarter: 4, least: 1.15, most: 1.6 },
] as const;

/**
 * Revenue that grows like a year to date through a year, and begins again with the next one. Not if the year is the sum
 * of the quarters, as in a season.
 */
function cumulativeQuarters(statement: Statement, others: readonly Statement[]): string | null {
  const { span, fiscalYear, fiscalQuarter } = statement;
  if (span !== "quarter" || fiscalQuarter === 1) return null;
  const revenueOf = (year: number, quarter: number, of: Statement["span"] = "quarter") =>
    others.find(
      (one) => one.span === of && one.fiscalYear === year && one.fiscalQuarter === quarter,
    )?.items.revenue ?? null;
  const quarters = [1, 2, 3, 4].map((quarter) => revenueOf(fiscalYear, quarter));
  const grows = TO_DATE.every(({ quarter, least, most }) => {
    const [before, after] = [quarters[quarter - 2] ?? null, quarters[quarter - 1] ?? null];
    return before !== null && after !== null && after >= least * before && after <= most * before;
  });
  const last = quarters[3] ?? null;
  const next = revenueOf(fiscalYear + 1, 1);
  const former = revenueOf(fiscalYear - 1, 4);
  const begins =
    (next !== null && last !== null && next < last / 2) ||
    (former !== null && quarters[0] !== null && (quarters[0] ?? 0) < former / 2);
  const year = revenueOf(fiscalYear, QUARTERS_OF_YEAR, "year");
  const sum = quarters.reduce((total: number, quarter) => total + (quarter ?? 0), 0);
  const isSum = year !== null && !misses(sum, year);
  return grows && begins && !isSum
    ? `revenue grows through the quarters of ${fiscalYear} like a year to date: it may be cumulative (span year_to_date), or of single quarters`
    : null;
}

/** The ratios of a year to its first three quarters together: 4/3 if all quarters are equal. */
const YEAR_TO_THREE_QUARTERS = { least: 1.15, most: 1.6 };

/** A fourth quarter in the proportion of a year to the three quarters before it, while the year itself is not known. */
function yearAsQuarter(statement: Statement, others: readonly Statement[]): string | null {
  const { span, fiscalYear, fiscalQuarter } = statement;
  if (span !== "quarter" || fiscalQuarter !== QUARTERS_OF_YEAR) return null;
  const isYearKnown = others.some((one) => one.span === "year" && one.fiscalYear === fiscalYear);
  const before = quartersOf({ ...statement, span: "year" }, others)?.slice(0, -1);
  if (isYearKnown || !before) return null;
  const sumOf = (item: "revenue" | "netIncome") => {
    const parts = before.flatMap(({ items }) => items[item] ?? []);
    const isPositive = parts.length === before.length && parts.every((part) => part > 0);
    return isPositive ? parts.reduce((total, part) => total + part, 0) : null;
  };
  const { least, most } = YEAR_TO_THREE_QUARTERS;
  const { revenue, netIncome } = statement.items;
  const isLikeYear = (amount: number, sum: number) => amount >= least * sum && amount <= most * sum;
  const [sum, income] = [sumOf("revenue"), sumOf("netIncome")];
  if (revenue === null || sum === null || !isLikeYear(revenue, sum)) return null;
  if (netIncome !== null && income !== null && !isLikeYear(netIncome, income)) return null;
  return `revenue ${revenue} of ${nameOf(statement)} is more than the sum of the three quarters before, ${sum}: it may be the whole year (span year), or a large quarter`;
}

/** Assets are liabilities and all equity. */
function unbalanced({ items }: Statement): string | null {
  const { totalAssets, totalLiabilities, commonEquity, preferredEquity, minorityInterest } = items;
  if (totalAssets === null || totalLiabilities === null || commonEquity === null) return null;
  const claims = totalLiabilities + commonEquity + (preferredEquity ?? 0) + (minorityInterest ?? 0);
  const isGiven = preferredEquity !== null && minorityInterest !== null;
  const most = isGiven ? TOLERANCE : UNGIVEN_EQUITY;
  const rest = totalAssets - claims;
  if (rest >= -TOLERANCE * Math.abs(totalAssets) && rest <= most * Math.abs(totalAssets))
    return null;
  return `totalAssets ${totalAssets} are not totalLiabilities and equity, ${claims}: one is wrong or in another unit`;
}

const PARTS = [
  ["currentAssets", "totalAssets"],
  ["currentLiabilities", "totalLiabilities"],
  ["cash", "totalAssets"],
  ["inventory", "totalAssets"],
  ["goodwill", "totalAssets"],
] as const satisfies readonly (readonly [StatementItem, StatementItem])[];

function partAboveWhole({ items }: Statement): string | null {
  for (const [part, whole] of PARTS) {
    const [a, b] = [items[part], items[whole]];
    if (a === null || b === null || b <= 0 || a <= (1 + TOLERANCE) * b) continue;
    return `${part} ${a} is more than ${whole} ${b}`;
  }
  return null;
}

/** Income above revenue by this factor is in another unit. */
const OTHER_UNIT = 100;

/**
 * Net income far above revenue, although the operating income is not. Gains outside the operations explain less, as of a
 * holding company or a sold business (eBay in 2021). Without such an operating income, `checkStatement` asks.
 */
function incomeInOtherUnit({ items }: Statement): string | null {
  const { revenue, operatingIncome, netIncome } = items;
  if (revenue === null || operatingIncome === null || netIncome === null || revenue <= 0)
    return null;
  return operatingIncome <= revenue && netIncome > OTHER_UNIT * revenue
    ? `netIncome ${netIncome} is more than ${OTHER_UNIT} times revenue ${revenue}: one of them is in another unit`
    : null;
}

function wrongMargin({ items: { revenue, costOfRevenue, grossProfit } }: Statement): string | null {
  if (revenue === null || costOfRevenue === null || grossProfit === null) return null;
  if (costOfRevenue < 0 || !misses(costOfRevenue + grossProfit, revenue)) return null;
  return `grossProfit ${grossProfit} is not revenue ${revenue} less costOfRevenue ${costOfRevenue}`;
}

function negativeOutflow({ items }: Statement): string | null {
  const item = OUTFLOWS.find((name) => (items[name] ?? 0) < 0);
  return item === undefined
    ? null
    : `${item} ${items[item]} is below 0: costs and outflows are positive here`;
}

const ALL = Object.keys(NO_ITEMS) as StatementItem[];
const TOTALS = ["totalAssets", "totalLiabilities", "commonEquity"] as const;

/**
 * The same figure in a flow and in a total of the balance sheet is one of them twice. It has five digits or more: of
 * shorter ones, two are often equal by chance: the revenue and the assets of companies that round to millions.
 */
function balanceInFlow({ items }: Statement): string | null {
  for (const total of TOTALS) {
    const amount = items[total];
    if (amount === null || digitsOf(amount) < 5) continue;
    const flow = ALL.find((item) => !BALANCES.has(item) && items[item] === amount);
    if (flow) return `${flow} and ${total} are both ${amount}: one has the figure of the other`;
  }
  return null;
}

/** Two quarters with the same revenue and the same income of four digits or more have one report. */
function sameQuarter(statement: Statement, others: readonly Statement[]): string | null {
  const { revenue, netIncome } = statement.items;
  if (statement.span !== "quarter" || revenue === null || netIncome === null) return null;
  if (digitsOf(revenue) < 4 || digitsOf(netIncome) < 3) return null;
  const twin = others.find(
    ({ span, periodEnd, items }) =>
      span === "quarter" &&
      periodEnd !== statement.periodEnd &&
      items.revenue === revenue &&
      items.netIncome === netIncome,
  );
  return twin === undefined
    ? null
    : `${nameOf(statement)} and ${nameOf(twin)} both have revenue ${revenue} and netIncome ${netIncome}: one is a copy, or a half of six months`;
}

/** Shares at the end of a period are about as many as on average. */
function otherShares({ items }: Statement): string | null {
  const { sharesOutstanding: end, sharesDiluted: average } = items;
  if (end === null || average === null || end <= 0 || average <= 0) return null;
  return Math.abs(Math.log10(end / average)) < 2
    ? null
    : `sharesOutstanding ${end} and sharesDiluted ${average} are in different units, or one is of another class`;
}

/** The number of digits without the zeros at the end. */
const digitsOf = (amount: number) => String(Math.abs(amount)).replace(/0+$/, "").length;
