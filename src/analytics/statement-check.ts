import { BALANCE_ITEMS, type Statement, type StatementItem } from "#domain/statement.ts";
import { daysBetween } from "#lib/date.ts";
import { threshold } from "./plausibility.ts";
import { median } from "./quantile.ts";

const BALANCES: ReadonlySet<StatementItem> = new Set(BALANCE_ITEMS);
/** Flows whose quarters add up to the year. */
export const SUMMED_FLOWS = [
  "revenue",
  "netIncome",
  "grossProfit",
  "operatingIncome",
  "operatingCashFlow",
] as const;

/** An item that is not stored, and why. */
export interface ItemFault {
  readonly item: StatementItem;
  /** A clause: `totalDebt 300 is more than totalLiabilities 200`. */
  readonly reason: string;
}

/**
 * The statement without the items that its other items or the company's other statements prove wrong: they are
 * null. `others` may include the statement itself. Thresholds: `THRESHOLDS`.
 */
export function checkStatement(
  statement: Statement,
  others: readonly Statement[],
): { statement: Statement; faults: readonly ItemFault[] } {
  const peers = others.filter(
    ({ periodEnd, currency }) =>
      periodEnd !== statement.periodEnd && currency === statement.currency,
  );
  const faults = [checkDebt, checkEps, checkRevenue].flatMap(
    (check) => check(statement, peers) ?? [],
  );
  faults.push(...quarterAsYear(statement, others));
  if (faults.length === 0) return { statement, faults };
  const items = { ...statement.items };
  for (const { item } of faults) items[item] = null;
  return { statement: { ...statement, items }, faults };
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

/** EPS below this have too few digits for a comparison. */
const LEAST_EPS = 0.05;

function checkEps(statement: Statement, peers: readonly Statement[]): ItemFault | null {
  const own = incomePerEps(statement);
  if (own === null) return null;
  // Income / (EPS × shares) is 1, or the ratio of the company's ADRs in all of its statements.
  const ratios = peers.flatMap((peer) => incomePerEps(peer) ?? []).sort((a, b) => a - b);
  const usual = ratios.length < 2 ? null : median(ratios);
  const far = (ratio: number) => Math.abs(Math.log(ratio)) >= Math.log(threshold("epsOfIncome"));
  // No ADR has a thousand shares, so the number is in thousands or millions, and EPS may be right.
  const isOtherUnit = [1e3, 1e6].some((unit) => !far(own / unit));
  if (!isOtherUnit && (!far(own) || (usual !== null && !far(own / usual)))) return null;
  const { epsDiluted, netIncome, sharesDiluted } = statement.items;
  return {
    item: isOtherUnit ? "sharesDiluted" : "epsDiluted",
    reason: `epsDiluted ${epsDiluted} is not netIncome ${netIncome} / sharesDiluted ${sharesDiluted}`,
  };
}

/** Net income / (EPS × shares); null if one is unknown or too small, or their signs differ. */
function incomePerEps({ items }: Statement): number | null {
  const { epsDiluted, netIncome, sharesDiluted } = items;
  if (epsDiluted === null || netIncome === null || !sharesDiluted) return null;
  if (Math.abs(epsDiluted) < LEAST_EPS) return null;
  const ratio = netIncome / (epsDiluted * sharesDiluted);
  return ratio > 0 ? ratio : null;
}

/** A fourth quarter is mostly the year minus three quarters, so an error of either shows in it alone. */
function checkRevenue(statement: Statement, peers: readonly Statement[]): ItemFault | null {
  const { revenue, netIncome, costOfRevenue, operatingIncome } = statement.items;
  if (statement.span !== "quarter" || statement.fiscalQuarter !== 4 || revenue === null)
    return null;
  const near = peers.filter(
    (peer) =>
      peer.span === "quarter" && Math.abs(daysBetween(peer.periodEnd, statement.periodEnd)) < 400,
  );
  const revenues = near.flatMap(({ items }) => items.revenue ?? []);
  const least = Math.min(...revenues);
  if (revenues.length < 3 || least <= 0) return null;
  const faultOf = (reason: string): ItemFault => ({ item: "revenue", reason });
  if (revenue < 0) return faultOf(`revenue ${revenue} is below 0 between quarters above it`);
  const most = Math.max(...revenues);
  if (revenue < threshold("revenueOfNeighbours") * most) return null;
  const figures = [netIncome, costOfRevenue, operatingIncome].filter((figure) => figure !== null);
  const shown = Math.max(0, ...figures.map(Math.abs));
  return figures.length > 0 && shown < (revenue - most) / 10
    ? faultOf(`revenue ${revenue} is ${Math.round(revenue / most)} times the quarters around it`)
    : null;
}

/**
 * The flows of a quarter that equal those of its fiscal year, if that has another quarter with such a flow: the year
 * under the label of a quarter. Empty if there are none.
 */
function quarterAsYear(statement: Statement, others: readonly Statement[]): readonly ItemFault[] {
  if (statement.span !== "quarter") return [];
  const inYear = others.filter(
    ({ fiscalYear, currency }) =>
      fiscalYear === statement.fiscalYear && currency === statement.currency,
  );
  const year = inYear.find(({ span }) => span === "year");
  const equal = SUMMED_FLOWS.filter((item) => {
    const amount = statement.items[item];
    if (!amount || year?.items[item] !== amount) return false;
    return inYear.some(
      ({ span, fiscalQuarter, items }) =>
        span === "quarter" && fiscalQuarter !== statement.fiscalQuarter && Boolean(items[item]),
    );
  });
  const [first] = equal;
  if (!year || (first !== "revenue" && !equal.includes("netIncome"))) return [];
  const reason = `${first} ${statement.items[first ?? "netIncome"]} of Q${statement.fiscalQuarter} ${year.fiscalYear} is that of FY ${year.fiscalYear}: it is the whole year under the label of a quarter, or the year has the figures of the quarter`;
  const flows = (Object.keys(statement.items) as StatementItem[]).filter(
    (item) =>
      !BALANCES.has(item) &&
      statement.items[item] !== null &&
      statement.items[item] === year.items[item],
  );
  return flows.map((item) => ({ item, reason }));
}
