import { type DividendHistory, dividendIncome } from "#domain/dividend.ts";
import { addDays } from "#lib/date.ts";
import { percent, ratio } from "./ratios.ts";
import { dividendsOfLastYear } from "./valuation.ts";

type Dividends = DividendHistory["dividends"];

/**
 * The dividends of a share, special ones included but capital gains of funds not, in the shares of today. Years are calendar years by ex-date that are
 * over (see `dividendYears`). A year with equal dividends is no raise. The year in which the stored prices begin can be
 * stored in part, so nothing is compared with it.
 */
export interface DividendRecord {
  /** The sum of the last twelve months, as in the dividend yield. */
  readonly perShare: number;
  /** Last year / the year before − 1; null if the dividends of the year before are none or stored in part. */
  readonly growth1yPercent: number | null;
  /** Annual growth from five years before to last year; null if one of the two years has no dividends, or not all of them are stored. */
  readonly growth5yPercent: number | null;
  /** The number of years in a row, up to last year, in which the sum was higher than in the year before. */
  readonly yearsRaised: number;
  /** The number of years in a row, up to last year, with a dividend. */
  readonly yearsPaid: number;
  /** The first ex-date after `asOf`, YYYY-MM-DD; null if none is known. */
  readonly nextExDate: string | null;
}

/** Sums that differ by less are equal: sources round dividends after a split. */
const ROUNDING = 1e-4;

/**
 * Computes the record of a share on the date `asOf`.
 *
 * @param begins the first stored date of its prices, YYYY-MM-DD; null without prices
 */
export function dividendRecord(
  dividends: Dividends,
  asOf: string,
  begins: string | null,
): DividendRecord {
  const known = dividends.filter(({ exDate }) => exDate <= asOf);
  const { last, yearOf, sumOf } = dividendYears(known, asOf);
  const firstWhole = begins === null ? -Infinity : yearOf(begins) + 1;
  /** What later years are compared with: 0 of a year that can be stored in part. */
  const baseOf = (year: number) => (year < firstWhole ? 0 : sumOf(year));
  const countBack = (holds: (year: number) => boolean) => {
    let years = 0;
    while (holds(last - years)) years++;
    return years;
  };
  const fiveYears = ratio(sumOf(last), baseOf(last - 5));
  const growth = percent(sumOf(last), baseOf(last - 1));
  const next = dividends.map(({ exDate }) => exDate).filter((day) => day > asOf);
  return {
    perShare: dividendsOfLastYear(dividends, asOf),
    growth1yPercent: growth === null ? null : growth - 100,
    growth5yPercent: fiveYears === null ? null : 100 * (fiveYears ** 0.2 - 1),
    yearsRaised: countBack((year) => {
      const before = baseOf(year - 1);
      return before > 0 && sumOf(year) > before * (1 + ROUNDING);
    }),
    yearsPaid: countBack((year) => sumOf(year) > 0),
    nextExDate: next.sort()[0] ?? null,
  };
}

/** Days after New Year until which an ex-date can belong to the year before, beginning with none. */
const SHIFTS = [0, 10, 20];
/** No shift moves a later day of a year into the year before. */
const LAST_SHIFTED = "-01-20";

/**
 * The dividends of calendar years by ex-date. An ex-date that moves across New Year would make years of three and of
 * five quarterly dividends. So the years of a share begin 0, 10 or 20 days after New Year, whichever gives most years
 * the number of dividends of the year before.
 */
function dividendYears(dividends: Dividends, asOf: string) {
  const [years] = SHIFTS.map((shift) => {
    const yearOf = (date: string) =>
      Number((date.slice(4) > LAST_SHIFTED ? date : addDays(date, -shift)).slice(0, 4));
    const sums = new Map<number, number>();
    const counts = new Map<number, number>();
    for (const dividend of dividends) {
      const year = yearOf(dividend.exDate);
      sums.set(year, (sums.get(year) ?? 0) + dividendIncome(dividend));
      counts.set(year, (counts.get(year) ?? 0) + 1);
    }
    const last = yearOf(asOf) - 1;
    const changes = [...counts].filter(
      ([year, count]) => year <= last && counts.get(year - 1) !== count,
    ).length;
    return { last, yearOf, sumOf: (year: number) => sums.get(year) ?? 0, changes };
  }).toSorted((a, b) => a.changes - b.changes);
  return years!;
}
