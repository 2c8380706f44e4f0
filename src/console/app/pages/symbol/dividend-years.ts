/** A cash dividend per share. The amount is null if it is unknown. */
export interface Paid {
  /** The ex-date, YYYY-MM-DD. */
  readonly date: string;
  readonly amount: number | null;
}

const DAY_MS = 86_400_000;
/** Days after New Year until which an ex-date can belong to the year before. */
const SHIFT = 20;

/**
 * True if raises in a row reach the first whole year of the stored prices, so the true count can be higher.
 *
 * @param raised `dividend_years_raised`
 * @param begins the first stored date, YYYY-MM-DD; undefined if it is unknown
 * @param asOf the time of the figure
 */
export function isSinceFirstYear(
  raised: number,
  begins: string | undefined,
  asOf: string,
): boolean {
  const last = new Date(Date.parse(asOf) - SHIFT * DAY_MS).getUTCFullYear() - 1;
  return raised >= last - (Number(begins?.slice(0, 4) ?? 0) + 1);
}

/** The years that are drawn. */
const YEARS = 11;

/**
 * The dividends per share by calendar year, oldest first, up to the newest year with a dividend. A year without a
 * dividend between two others has 0, and a year with an unknown amount has null. The year in which the stored prices
 * begin is left out with those before it, because its dividends may be stored in part.
 *
 * @param begins the first stored date, YYYY-MM-DD; undefined if it is unknown
 */
export function dividendYears(
  paid: readonly Paid[],
  begins: string | undefined,
): { readonly year: string; readonly sum: number | null }[] {
  const years = paid.map(({ date }) => Number(date.slice(0, 4)));
  const last = Math.max(...years);
  const first = Math.max(
    Math.min(...years),
    Number(begins?.slice(0, 4) ?? 0) + 1,
    last - YEARS + 1,
  );
  const count = Math.max(0, last - first + 1);
  return Array.from({ length: Number.isFinite(count) ? count : 0 }, (_, i) => {
    const amounts = paid.filter((_, at) => years[at] === first + i).map(({ amount }) => amount);
    const isKnown = amounts.every((amount) => amount !== null);
    const sum = isKnown ? amounts.reduce((total, amount) => total + amount, 0) : null;
    return { year: String(first + i), sum };
  });
}
