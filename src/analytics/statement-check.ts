import {
  BALANCES,
  type Statement,
  type StatementItem,
  type StatementItems,
} from "#domain/statement.ts";
import { daysBetween } from "#lib/date.ts";
import { threshold } from "./plausibility.ts";
import { median } from "./quantile.ts";
import { checkUnits, type ItemFault, type Witnesses } from "./statement-units.ts";

/** Flows whose quarters add up to the year. */
export const SUMMED_FLOWS = [
  "revenue",
  "netIncome",
  "grossProfit",
  "operatingIncome",
  "operatingCashFlow",
] as const;

/**
 * The statement without the items that its other items or the company's other statements prove wrong: they are
 * null. `others` may include the statement itself. Thresholds: `THRESHOLDS`.
 */
export function checkStatement(
  statement: Statement,
  others: readonly Statement[],
  witnesses: Witnesses = { sharesOutstanding: null, price: null },
): { statement: Statement; faults: readonly ItemFault[] } {
  const peers = others.filter(
    ({ periodEnd, currency }) =>
      periodEnd !== statement.periodEnd && currency === statement.currency,
  );
  const found = [checkDebt, checkUnits, checkRevenue].flatMap(
    (check) => check(statement, peers, witnesses) ?? [],
  );
  found.push(...quarterAsYear(statement, others));
  const faults = found.filter(
    ({ item }, i) => found.findIndex((other) => other.item === item) === i,
  );
  if (faults.length === 0) return { statement, faults };
  const items = { ...statement.items };
  for (const { item } of [...faults, ...resultsOf(statement, faults)]) items[item] = null;
  return { statement: { ...statement, items }, faults };
}

/** Results of two lines, which sources also compute. Revenue and costs are each computed from the other. */
const RESULTS = [
  { item: "grossProfit", lines: ["revenue", "costOfRevenue"], sign: -1 },
  { item: "costOfRevenue", lines: ["revenue", "grossProfit"], sign: -1 },
  { item: "ebitda", lines: ["operatingIncome", "depreciationAndAmortization"], sign: 1 },
] as const;

/** The items that are results of wrong ones, so that they are wrong too. */
function resultsOf(
  { items }: Statement,
  faults: readonly ItemFault[],
): readonly Pick<ItemFault, "item">[] {
  return RESULTS.filter(({ item, lines, sign }) => {
    const [first, second] = lines.map((line) => items[line]);
    if (first === null || second === null || items[item] === null) return false;
    const result = (first ?? 0) + sign * (second ?? 0);
    const isResult = Math.abs(items[item] - result) <= 1e-6 * Math.abs(result);
    return isResult && faults.some((fault) => lines.some((line) => line === fault.item));
  });
}

function checkDebt({ items, periodEnd }: Statement, peers: readonly Statement[]): ItemFault | null {
  const { totalDebt: debt, totalLiabilities: liabilities } = items;
  if (debt === null || liabilities === null || debt <= 0 || liabilities <= 0) return null;
  const faultOf = (reason: string): ItemFault => ({ item: "totalDebt", reason });
  if (debt > threshold("debtOfLiabilities") * liabilities)
    return faultOf(`totalDebt ${debt} is more than totalLiabilities ${liabilities}`);
  const before = newestBefore(periodEnd, peers);
  if (!before) return null;
  const [debtBefore, liabilitiesBefore] = [before.items.totalDebt, before.items.totalLiabilities];
  if (debtBefore === null || liabilitiesBefore === null || debtBefore <= 0) return null;
  const [rest, restBefore] = [liabilities - debt, liabilitiesBefore - debtBefore];
  const isTooMuch =
    debt >= threshold("debtGrowth") * debtBefore &&
    restBefore > 0 &&
    rest < threshold("otherLiabilities") * restBefore;
  return isTooMuch
    ? faultOf(`totalDebt ${debt} after ${debtBefore} is not in totalLiabilities ${liabilities}`)
    : null;
}

/** The newest balance sheet of the 400 days before a date that has debt. */
function newestBefore(periodEnd: string, peers: readonly Statement[]): Statement | null {
  let newest: Statement | null = null;
  for (const peer of peers) {
    if (peer.periodEnd >= periodEnd || peer.items.totalDebt === null) continue;
    if (daysBetween(peer.periodEnd, periodEnd) > 400) continue;
    if (newest === null || peer.periodEnd > newest.periodEnd) newest = peer;
  }
  return newest;
}

function checkRevenue(statement: Statement, peers: readonly Statement[]): ItemFault | null {
  const { revenue } = statement.items;
  if (revenue === null) return null;
  const near = peers.filter(
    (peer) =>
      peer.span === statement.span &&
      Math.abs(daysBetween(peer.periodEnd, statement.periodEnd)) < 400,
  );
  const reason =
    belowIncome(statement, peers, revenue) ??
    (statement.span === "quarter" ? unlikeQuarters(statement, near, revenue) : null);
  return reason === null ? null : { item: "revenue", reason };
}

/**
 * Why revenue that is less than the net income is a part of all revenue, such as the fees of a broker. Null if another
 * line explains the income, or if this is not usual at the company and the revenue is: one gain, not one part.
 */
function belowIncome(
  { items, span, periodEnd }: Statement,
  peers: readonly Statement[],
  revenue: number,
): string | null {
  const { netIncome, operatingIncome } = items;
  if (netIncome === null || netIncome <= 0 || revenue >= netIncome) return null;
  if (operatingIncome !== null && operatingIncome <= Math.max(revenue, 0)) return null;
  const known = peers.flatMap((peer) => {
    const { revenue: all, netIncome: earned } = peer.items;
    const isNear = Math.abs(daysBetween(peer.periodEnd, periodEnd)) < YEARS_OF_INCOME * 366;
    return peer.span === span && isNear && all !== null && earned !== null ? [{ all, earned }] : [];
  });
  const usual = median(known.map(({ all }) => all).sort((a, b) => a - b)) ?? Number.NaN;
  const isUsual = revenue >= usual / 2 && revenue <= 2 * usual;
  const isRare = known.filter(({ all, earned }) => all < earned).length * 2 < known.length;
  return isUsual && isRare ? null : `revenue ${revenue} is less than netIncome ${netIncome}`;
}

/** Years around a statement that show whether its company usually earns more than its revenue. */
const YEARS_OF_INCOME = 3;

/** Why the revenue of a quarter cannot be right beside the quarters around it; null if it may be. */
function unlikeQuarters(
  { items, fiscalQuarter }: Statement,
  near: readonly Statement[],
  revenue: number,
): string | null {
  const revenues = near.flatMap((peer) => peer.items.revenue ?? []).sort((a, b) => a - b);
  const [least = 0, most = 0] = [revenues[0], revenues.at(-1)];
  if (revenues.length < 3 || least <= 0) return null;
  const isLast = fiscalQuarter === 4;
  // A fourth quarter is mostly the year minus three quarters, so an error of either shows in it alone.
  if (isLast && revenue < 0) return `revenue ${revenue} is below 0 between quarters above it`;
  const times = threshold(isLast ? "revenueOfNeighbours" : "revenueOfQuarters");
  if (revenue >= times * most) {
    const { netIncome, costOfRevenue, operatingIncome } = items;
    const figures = [netIncome, costOfRevenue, operatingIncome].filter((one) => one !== null);
    const shown = Math.max(0, ...figures.map(Math.abs));
    return figures.length > 0 && shown < (revenue - most) / 10
      ? `revenue ${revenue} is ${Math.round(revenue / most)} times the quarters around it`
      : null;
  }
  const isTooSmall =
    revenues.length >= 4 && revenue > 0 && revenue * threshold("revenueOfQuarters") < least;
  return isTooSmall && !hasFallen(items, near, least - revenue)
    ? `revenue ${revenue} is less than a hundredth of the quarters around it`
    : null;
}

/** True if income or costs fell by a tenth of an amount, so that the revenue really fell. */
function hasFallen(items: StatementItems, near: readonly Statement[], amount: number): boolean {
  return (["netIncome", "operatingIncome", "pretaxIncome", "costOfRevenue"] as const).some(
    (item) => {
      const others = near.flatMap((peer) => peer.items[item] ?? []).sort((a, b) => a - b);
      const usual = median(others);
      return usual !== null && usual - (items[item] ?? usual) >= amount / 10;
    },
  );
}

/**
 * The flows of a quarter that equal the flows of its fiscal year, although its other quarters do not add up to 0: the
 * year under the label of a quarter. Empty if there are none.
 */
function quarterAsYear(statement: Statement, others: readonly Statement[]): readonly ItemFault[] {
  const { span: own, fiscalQuarter: quarter } = statement;
  if (own !== "quarter") return [];
  const inYear = others.filter(
    ({ fiscalYear, currency }) =>
      fiscalYear === statement.fiscalYear && currency === statement.currency,
  );
  const year = inYear.find(({ span }) => span === "year");
  const equal = SUMMED_FLOWS.filter((item) => {
    const amount = statement.items[item];
    if (!amount || year?.items[item] !== amount) return false;
    const rest = inYear
      .filter(({ span, fiscalQuarter }) => span === "quarter" && fiscalQuarter !== quarter)
      .reduce((sum, { items }) => sum + (items[item] ?? 0), 0);
    return rest !== 0;
  });
  const [first] = equal;
  if (!year || (first !== "revenue" && !equal.includes("netIncome"))) return [];
  const reason = `${first} ${statement.items[first ?? "netIncome"]} of Q${quarter} ${year.fiscalYear} is also the ${first} of FY ${year.fiscalYear}: it is the whole year under the label of a quarter, or the year has the figures of the quarter`;
  const flows = (Object.keys(statement.items) as StatementItem[]).filter(
    (item) =>
      !BALANCES.has(item) &&
      statement.items[item] !== null &&
      statement.items[item] === year.items[item],
  );
  return flows.map((item) => ({ item, reason }));
}
