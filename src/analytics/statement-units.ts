import {
  BALANCES,
  NO_ITEMS,
  PER_SHARE_ITEMS,
  SHARE_COUNT_ITEMS,
  type Statement,
  type StatementItem,
} from "#domain/statement.ts";
import { daysBetween } from "#lib/date.ts";
import {
  countLikeNeighbours,
  describeUnit,
  epsShowsUnit,
  isUsualShift,
  shiftOf,
  unitOfShift,
} from "./other-units.ts";
import { threshold } from "./plausibility.ts";
import { median } from "./quantile.ts";
import { difference } from "./ratios.ts";

/** An item that is not stored, and why. */
export interface ItemFault {
  readonly item: StatementItem;
  /** A clause: `totalDebt 300 is more than totalLiabilities 200`. */
  readonly reason: string;
}

/** What is known of a company beside its statements, in their currency; null if unknown. */
export interface Witnesses {
  readonly sharesOutstanding: number | null;
  readonly price: number | null;
}

const OF_SHARES: ReadonlySet<StatementItem> = new Set([...PER_SHARE_ITEMS, ...SHARE_COUNT_ITEMS]);
const COUNTS: ReadonlySet<StatementItem> = new Set(SHARE_COUNT_ITEMS);
/** The items that are amounts of money of the whole company. */
const MONEY = (Object.keys(NO_ITEMS) as StatementItem[]).filter((item) => !OF_SHARES.has(item));
const SHEET = MONEY.filter((item) => BALANCES.has(item));
/** Items that no company loses from one quarter to the next. */
const STABLE: readonly StatementItem[] = [
  "revenue",
  "costOfRevenue",
  "totalAssets",
  "totalLiabilities",
];

/** The nearest statements show what is usual: two years of quarters with their years. */
const NEIGHBOURS = 10;
/** Statements of more days before or after it show nothing. */
const NEIGHBOUR_DAYS = 1_500;
/** EPS below this have too few digits for a comparison. */
const LEAST_EPS = 0.05;
/** An income in another unit differs from its neighbours by the unit, up to five times. */
const SAME_UNIT = 0.7;
/** Numbers of shares of one company from two sources differ by less than a factor of two. */
const SAME_COUNT = 0.3;
/** Earnings of a year are between a thousandth of the price and the whole price. */
const USUAL_YIELD = { min: 1e-3, max: 1 };

/**
 * The items that are in another unit than the rest: amounts in thousands, shares in thousands, EPS in cents.
 *
 * Net income / (EPS × shares) shows that one of the three is wrong. The wrong one differs by that unit from the
 * company's other statements, or from the shares and the price of other sources. If nothing shows which, all are wrong
 * that nothing confirms. If the shares are too few, only they are wrong, because amounts are rarely
 * written too large. If the income is wrong, so are the amounts that the other statements do not confirm.
 * Without EPS, two amounts that differ by one unit show it, unless two periods next to it are as large. Another
 * ratio than a unit is a fault of EPS.
 */
export function checkUnits(
  statement: Statement,
  peers: readonly Statement[],
  witnesses: Witnesses,
): ItemFault[] {
  const ratio = powerOfIncome(statement);
  const usual = usualPower(peers);
  const unit = ratio === null ? null : unitOfIncome(ratio - usual);
  const near = nearest(statement, peers).map((peer) => {
    const power = powerOfIncome(peer);
    return { peer, unit: power === null ? null : unitOfIncome(power - usual) };
  });
  const sound = near.flatMap((one) => (one.unit === null ? one.peer : []));
  const shift = shiftAmong(statement, sound);
  const counted = countOf(statement);
  if (unit === null) {
    // The number of one day may be far from the average of the period.
    const isAverage = counted === "sharesDiluted";
    if (isAverage && ratio !== null && isFar(ratio) && isFar(ratio - usual))
      return [faultOf(statement, "epsDiluted")];
    if (ratio === null && hasOppositeSigns(statement)) return signFaults(statement);
    const ofShares = unitOfShift(shift(counted));
    const isChecked = ratio !== null && ofShares === null;
    const found = isChecked ? null : sharedUnit(shift);
    const isRefuted =
      found !== null &&
      ((ofShares === null && epsRefutes(found, statement, usual)) || isLasting(statement, sound));
    const shared = isRefuted ? null : found;
    return [
      ...otherCount(statement, isChecked, shift),
      ...unbalanced(statement, shift),
      ...amountsIn(shared, statement, shift),
      ...(ratio === null ? amountsLike(misstated(near, witnesses), statement, shift) : []),
      ...(shared !== null && shared === ofShares ? countsIn(shared, statement, shift) : []),
      ...(isChecked ? partsIn(statement, sound, shift) : []),
    ];
  }
  const wrong = wrongSides(statement, unit, shift, witnesses);
  const others = wrong.includes("netIncome") ? amountsIn(unit, statement, shift) : [];
  return [
    ...wrong.map((item) => faultOf(statement, item)),
    ...others.filter(({ item }) => item !== "netIncome"),
  ];
}

type Side = "netIncome" | "epsDiluted" | ReturnType<typeof countOf>;

/** A side of net income / (EPS × shares) that is not what the other two give. */
function faultOf(statement: Statement, item: Side): ItemFault {
  const counted = countOf(statement);
  const of = (side: Side) => `${side} ${statement.items[side]}`;
  const others =
    item === "netIncome"
      ? `${of("epsDiluted")} × ${of(counted)}`
      : `${of("netIncome")} / ${of(item === "epsDiluted" ? counted : "epsDiluted")}`;
  return { item, reason: `${of(item)} is not ${others}` };
}

/** Finds the shift of an item among other statements, each once. */
function shiftAmong(
  statement: Statement,
  others: readonly Statement[],
): (item: StatementItem) => number | null {
  const known = new Map<StatementItem, number | null>();
  return (item) => {
    const found = known.get(item);
    if (found !== undefined) return found;
    const neighbours = others.flatMap((peer) => yearly(peer, item) ?? []);
    const shift = shiftOf(yearly(statement, item), neighbours);
    known.set(item, shift);
    return shift;
  };
}

/** The statements of the nearest periods. */
function nearest({ periodEnd }: Statement, peers: readonly Statement[]): Statement[] {
  return peers
    .map((peer) => ({ peer, days: Math.abs(daysBetween(peer.periodEnd, periodEnd)) }))
    .filter(({ days }) => days <= NEIGHBOUR_DAYS)
    .sort((a, b) => a.days - b.days)
    .slice(0, NEIGHBOURS)
    .map(({ peer }) => peer);
}

/**
 * The number of shares on the last day, if it is in another unit than the average. If nothing confirms the average
 * (`isChecked`: net income / EPS does), the one that differs from the other statements is wrong, or else both are.
 */
function otherCount(
  { items }: Statement,
  isChecked: boolean,
  shift: (item: StatementItem) => number | null,
): ItemFault[] {
  const { sharesOutstanding: count, sharesDiluted: average } = items;
  if (!count || !average || unitOfShift(Math.log10(count / average), SAME_COUNT) === null)
    return [];
  const open = COUNTED.filter((item) => !isUsualShift(shift(item)));
  const wrong = isChecked || open.length === 0 ? [COUNTED[0]] : open;
  const reason = `sharesOutstanding ${count} beside sharesDiluted ${average}`;
  return wrong.map((item) => ({ item, reason }));
}

const COUNTED = ["sharesOutstanding", "sharesDiluted"] as const;

/** True if EPS is a loss per share beside an income of the same size, or the reverse. */
function hasOppositeSigns({ items }: Statement): boolean {
  const { epsDiluted, netIncome, sharesDiluted } = items;
  const ratio = (netIncome ?? 0) / ((epsDiluted ?? 0) * (sharesDiluted ?? 0));
  return Math.abs(epsDiluted ?? 0) >= LEAST_EPS && ratio < 0 && !isFar(Math.log10(-ratio));
}

/** Net income or EPS, whichever has not the sign of the pretax or operating income; both without them. */
function signFaults(statement: Statement): ItemFault[] {
  const { items } = statement;
  const sign = Math.sign(items.pretaxIncome ?? items.operatingIncome ?? 0);
  const wrong = (["netIncome", "epsDiluted"] as const).filter(
    (item) => Math.sign(items[item] ?? 0) !== sign,
  );
  return wrong.map((item) => faultOf(statement, item));
}

/** Assets or liabilities in another unit than in the other statements, if assets − liabilities are not the equity. */
function unbalanced(
  { items }: Statement,
  shift: (item: StatementItem) => number | null,
): ItemFault[] {
  const { totalAssets: assets, totalLiabilities: liabilities, commonEquity: equity } = items;
  if (assets === null || liabilities === null) return [];
  const others = (items.preferredEquity ?? 0) + (items.minorityInterest ?? 0);
  const gapOf = (item?: string, unit = 0) => {
    const of = (name: string, value: number) => (name === item ? value / 10 ** unit : value);
    const whole = of("totalAssets", assets);
    return (
      (whole - of("totalLiabilities", liabilities) - of("commonEquity", equity ?? 0) - others) /
      Math.abs(whole)
    );
  };
  const gap = gapOf();
  if (Math.abs(gap) <= UNBALANCED) return [];
  return (["totalAssets", "totalLiabilities", "commonEquity"] as const).flatMap((item) => {
    const unit = unitOfShift(shift(item));
    const right = unit === null ? gap : gapOf(item, unit);
    // Equity that may be redeemed explains a gap above zero: most assets of a shell company are held for it.
    const isWrong = gap < 0 ? right >= -UNBALANCED : Math.abs(right) <= UNBALANCED;
    return unit !== null && isWrong
      ? [{ item, reason: `${item} ${items[item]} does not balance, and is in another unit` }]
      : [];
  });
}

/** Equity that may be redeemed is in neither equity nor liabilities, and is mostly less than this part of the assets. */
const UNBALANCED = 0.05;

/** The sides of net income / (EPS × shares) that are wrong, if that is a power of ten. */
function wrongSides(
  statement: Statement,
  unit: number,
  shift: (item: StatementItem) => number | null,
  { sharesOutstanding, price }: Witnesses,
): Side[] {
  const { items } = statement;
  const counted = countOf(statement);
  const shares = items[counted];
  const others = counted === "sharesDiluted" ? [items.sharesOutstanding] : [];
  const counts = [...others, sharesOutstanding].flatMap((count) =>
    count && shares ? Math.log10(shares / count) : [],
  );
  const perYear = Math.abs(items.epsDiluted ?? 0) * timesAYear(statement);
  const yieldOf = price === null ? null : perYear / price;
  const sides = (
    [
      ["netIncome", unit],
      ["epsDiluted", -unit],
      [counted, -unit],
    ] as const
  ).map(([item, by]) => {
    const own = shift(item);
    const isWrong =
      (own !== null && Math.abs(own - by) <= SAME_UNIT) ||
      (item === counted && counts.some((power) => Math.abs(power - by) <= SAME_COUNT)) ||
      (item === "epsDiluted" && !isUsualYield(yieldOf) && isUsualYield(yieldOf, by));
    const isRight =
      isUsualShift(own) ||
      (item === counted && counts.some((power) => Math.abs(power) <= SAME_COUNT)) ||
      (item === "epsDiluted" && isUsualYield(yieldOf));
    return { item, isWrong, isRight };
  });
  const shown = sides.filter(({ isWrong, isRight }) => isWrong && !isRight);
  if (shown.length > 0) return shown.map(({ item }) => item);
  const open = sides.filter(({ isRight }) => !isRight).map(({ item }) => item);
  const first = Math.abs(unit) === CENTS ? "epsDiluted" : unit > 0 ? counted : null;
  if (first && open.includes(first)) return [first];
  if (open.length > 0) return open;
  // No amount is in hundredths.
  const possible = sides.filter(({ item }) => item !== "netIncome" || Math.abs(unit) !== CENTS);
  return possible.map(({ item }) => item);
}

/** True if earnings / price is usual after a change of the unit by a power of ten; false if it is unknown. */
function isUsualYield(yieldOf: number | null, by = 0): boolean {
  const real = (yieldOf ?? 0) / 10 ** by;
  return real >= USUAL_YIELD.min && real <= USUAL_YIELD.max;
}

/** The amounts that are in a unit, or may be: all that the other statements do not confirm. */
function amountsIn(
  unit: number | null,
  { items }: Statement,
  shift: (item: StatementItem) => number | null,
  among: readonly StatementItem[] = MONEY,
): ItemFault[] {
  if (unit === null) return [];
  return among.flatMap((item) =>
    !items[item] || isUsualShift(shift(item))
      ? []
      : [
          {
            item,
            reason: `${item} ${items[item]} is in a statement of ${describeUnit(unit)} the others`,
          },
        ],
  );
}

/** The numbers of shares that differ from the other statements by a unit. */
function countsIn(
  unit: number,
  statement: Statement,
  shift: (item: StatementItem) => number | null,
): ItemFault[] {
  return COUNTED.flatMap((item) =>
    unitOfShift(shift(item)) === unit
      ? [{ item, reason: `${item} ${statement.items[item]} is ${describeUnit(unit)} the others` }]
      : [],
  );
}

/**
 * The balance sheet, or revenue and its costs, in another unit beside an income that EPS confirm. A sheet is, if the
 * income is a usual one; revenue and costs are, if no income changed with them.
 */
function partsIn(
  statement: Statement,
  peers: readonly Statement[],
  shift: (item: StatementItem) => number | null,
): ItemFault[] {
  const ofSheet = sharedUnit(shift, SHEET);
  const ofLines = sharedUnit(shift, LINES);
  if ((ofSheet === null && ofLines === null) || isLasting(statement, peers)) return [];
  const changeOf = (value: (one: Statement) => number | null) => {
    const usual = median(peers.flatMap((peer) => value(peer) ?? []).sort((a, b) => a - b));
    const own = value(statement);
    return own === null || usual === null ? 0 : Math.abs(own - usual);
  };
  const profit = changeOf((one) =>
    difference(yearly(one, "revenue"), yearly(one, "costOfRevenue")),
  );
  const incomes = INCOMES.map((item) => changeOf((one) => yearly(one, item)));
  const isSheet = isUsualShift(shift("netIncome"));
  const isLines = Math.max(...incomes) < profit / 10;
  return [
    ...(isSheet ? amountsIn(ofSheet, statement, shift, SHEET) : []),
    ...(isLines ? amountsIn(ofLines, statement, shift, LINES) : []),
  ];
}

const LINES = ["revenue", "costOfRevenue"] as const;
const INCOMES = ["netIncome", "operatingIncome", "pretaxIncome"] as const;

/** The statements of an income in another unit; of such a company, a statement without EPS is no better. */
function misstated(
  near: readonly { readonly peer: Statement; readonly unit: number | null }[],
  witnesses: Witnesses,
): Statement[] {
  return near.flatMap(({ peer, unit }) =>
    unit !== null && wrongSides(peer, unit, () => null, witnesses).includes("netIncome")
      ? [peer]
      : [],
  );
}

/** The amounts that are as large as in misstated statements, and not as large as in others. */
function amountsLike(
  others: readonly Statement[],
  statement: Statement,
  shift: (item: StatementItem) => number | null,
): ItemFault[] {
  return MONEY.flatMap((item) => {
    const values = others.flatMap((peer) => yearly(peer, item) ?? []);
    const isLike = isUsualShift(shiftOf(yearly(statement, item), values));
    if (!isLike || isUsualShift(shift(item))) return [];
    return [{ item, reason: `${item} ${statement.items[item]} is like amounts in another unit` }];
  });
}

/** The unit by which two amounts or more differ from the other statements, one of them stable; null without one. */
function sharedUnit(
  shift: (item: StatementItem) => number | null,
  among: readonly StatementItem[] = MONEY,
): number | null {
  const unitOf = (item: StatementItem) => unitOfShift(shift(item));
  const first = among.find((item) => STABLE.includes(item) && unitOf(item) !== null);
  if (!first) return null;
  const unit = unitOf(first);
  const same = among.filter((item) => unitOf(item) === unit);
  const isUsual = among.filter((item) => isUsualShift(shift(item)));
  return same.length > 1 && same.length >= isUsual.length ? unit : null;
}

/** True if EPS shows that the income is not in a unit, even if it has too few digits for a ratio. */
function epsRefutes(unit: number, statement: Statement, usual: number): boolean {
  const { netIncome: income, epsDiluted: eps } = statement.items;
  const shares = statement.items[countOf(statement)];
  return epsShowsUnit(unit, { income, eps, shares }, usual) === false;
}

/** True if the stable amounts are as large in two periods next to a statement's: then the company changed. */
function isLasting(statement: Statement, peers: readonly Statement[]): boolean {
  const shifts = peers.flatMap((peer) =>
    STABLE.flatMap((item) => {
      const [own, other] = [yearly(statement, item), yearly(peer, item)];
      return own && other ? { day: peer.periodEnd, shift: Math.log10(Math.abs(own / other)) } : [];
    }),
  );
  const byDay = Map.groupBy(shifts, ({ day }) => day);
  const isLike = (day: string) => (byDay.get(day) ?? []).every(({ shift }) => isUsualShift(shift));
  return countLikeNeighbours(statement.periodEnd, [...byDay.keys()], isLike) >= 2;
}

const CENTS = 2;

/** The unit that net income / (EPS × shares) shows, as a power of ten; cents included. Null for other ratios. */
function unitOfIncome(power: number): number | null {
  const cents = [CENTS, -CENTS].find((one) => !isFar(power - one));
  return unitOfShift(power, Math.log10(threshold("epsOfIncome"))) ?? cents ?? null;
}

const isFar = (power: number) => Math.abs(power) >= Math.log10(threshold("epsOfIncome"));

/** The usual power of net income / (EPS × shares): 0, or the power of a company's ADRs. */
function usualPower(peers: readonly Statement[]): number {
  const powers = peers.flatMap((peer) => powerOfIncome(peer) ?? []);
  // No ADR has a thousand shares.
  const possible = powers.filter((power) =>
    [3, 6, 9].every((unit) => isFar(Math.abs(power) - unit)),
  );
  return possible.length < 2 ? 0 : (median(possible.sort((a, b) => a - b)) ?? 0);
}

/** The number of shares by which EPS is checked: the average, or the shares of the last day if that is unknown. */
function countOf({ items }: Statement): "sharesDiluted" | "sharesOutstanding" {
  return items.sharesDiluted === null ? "sharesOutstanding" : "sharesDiluted";
}

/** The power of ten of net income / (EPS × shares); null if one is unknown or too small, or their signs differ. */
function powerOfIncome(statement: Statement): number | null {
  const { epsDiluted, netIncome } = statement.items;
  const shares = statement.items[countOf(statement)];
  if (epsDiluted === null || netIncome === null || !shares) return null;
  if (Math.abs(epsDiluted) < LEAST_EPS) return null;
  const ratio = netIncome / (epsDiluted * shares);
  return ratio > 0 ? Math.log10(ratio) : null;
}

/** A flow for a year, so that flows of all spans compare; a balance or a number of shares as it is. */
function yearly(statement: Statement, item: StatementItem): number | null {
  const value = statement.items[item];
  if (value === null || BALANCES.has(item) || COUNTS.has(item)) return value;
  return value * timesAYear(statement);
}

function timesAYear({ span, fiscalQuarter }: Pick<Statement, "span" | "fiscalQuarter">): number {
  return span === "year" ? 1 : 4 / (span === "quarter" ? 1 : fiscalQuarter);
}
