/** What shows the depositary ratio of a traded share. Amounts are in the currency of the price. */
interface DepositaryEvidence {
  /** Common shares by the statements; null if unknown. */
  readonly shares: number | null;
  /** Those by which earnings per share were divided; null if unknown. */
  readonly dilutedShares: number | null;
  /** Traded shares that make up the company: market cap / price; null if unknown. */
  readonly tradedShares: number | null;
  /** Diluted earnings per common share TTM by the statements; null if unknown. */
  readonly eps: number | null;
  /** Earnings per traded share TTM by a quote of the same time as the statements; null if unknown. */
  readonly quotedEps: number | null;
}

/** Share counts of different days differ by issues and buy-backs. */
const SHARES_TOLERANCE = 0.04;
/** Averages of a year, with options. */
const DILUTION_TOLERANCE = 0.1;
/** Quotes convert earnings by other rates, and may count one quarter more. */
const EPS_TOLERANCE = 0.06;

const MULTIPLES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20, 25, 30, 40, 50, 100, 200, 400];
const RATIOS = [...MULTIPLES, ...MULTIPLES.slice(1).map((multiple) => 1 / multiple)];

/** The simple ratio that is nearest to the quotient of two figures; null if none is near. */
function simpleRatio(part: number | null, whole: number | null, tolerance: number): number | null {
  if (part === null || whole === null || !(part / whole > 0)) return null;
  const distance = (ratio: number) => Math.abs(part / whole / ratio - 1);
  const nearest = RATIOS.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
  return distance(nearest) <= tolerance ? nearest : null;
}

/** True if a depositary ratio agrees with the share counts, or if one of them is unknown. */
export function agreesWithShares(
  ratio: number | null,
  { shares, tradedShares }: DepositaryEvidence,
): boolean {
  if (shares === null || tradedShares === null) return true;
  return ratio !== null && Math.abs(shares / tradedShares / ratio - 1) <= SHARES_TOLERANCE;
}

/**
 * The number of common shares that one traded share represents: 5 for an American depositary share of
 * TSMC, 1/4 for one of POSCO, 1 for a share that is traded itself.
 *
 * Share counts and earnings per share each show it, if they differ by a simple ratio. It is null if they
 * show different ratios. If statements and price have one currency (`isForeign` false), the share is
 * taken for a common share without evidence, and another ratio than 1 needs both: market caps and
 * counts of companies with several classes of shares may cover one class.
 */
export function depositaryRatio(
  { shares, dilutedShares, tradedShares, eps, quotedEps }: DepositaryEvidence,
  isForeign: boolean,
): number | null {
  if (!isForeign && simpleRatio(dilutedShares, tradedShares, DILUTION_TOLERANCE) === 1) return 1;
  const byShares = simpleRatio(shares, tradedShares, SHARES_TOLERANCE);
  const byEps = simpleRatio(quotedEps, eps, EPS_TOLERANCE);
  if (byShares === byEps) return byShares ?? (isForeign ? null : 1);
  if (isForeign) return byShares !== null && byEps !== null ? null : (byShares ?? byEps);
  return byEps === 1 || byShares === null || byShares === 1 ? 1 : null;
}
