import type { AnalystCoverage } from "#domain/analyst-coverage.ts";
import type { BarSeries } from "#domain/daily-bar.ts";
import { addDays } from "#lib/date.ts";

/** How a firm's price targets for one instrument came out. */
export interface TrackRecord {
  readonly firm: string;
  /** Targets that are old enough to be judged. */
  readonly targets: number;
  /** Share of them that the price touched within a year, in percent. */
  readonly hitPercent: number;
  /** Mean change of the price in the year after they were set, in percent. */
  readonly averageReturnPercent: number;
}

const YEAR_DAYS = 365;

/**
 * The track record of each firm, the most judged first: no free source publishes one, so it is
 * tested back on our own prices. A target is judged where bars span the whole year after it was set;
 * it was touched where a session's high (for a target above that day's close) or low reached it.
 */
export function trackRecords(actions: AnalystCoverage["actions"], bars: BarSeries): TrackRecord[] {
  const byFirm = new Map<string, { hit: boolean; returnPercent: number }[]>();
  for (const action of actions) {
    const outcome = judge(action, bars);
    if (outcome) byFirm.set(action.firm, [...(byFirm.get(action.firm) ?? []), outcome]);
  }
  return [...byFirm]
    .map(([firm, outcomes]) => ({
      firm,
      targets: outcomes.length,
      hitPercent: (100 * outcomes.filter(({ hit }) => hit).length) / outcomes.length,
      averageReturnPercent:
        outcomes.reduce((sum, { returnPercent }) => sum + returnPercent, 0) / outcomes.length,
    }))
    .sort((a, b) => b.targets - a.targets || a.firm.localeCompare(b.firm));
}

function judge({ date, priceTarget }: AnalystCoverage["actions"][number], bars: BarSeries) {
  if (priceTarget === null) return null;
  const start = bars.dates.findLastIndex((session) => session <= date);
  const yearLater = addDays(date, YEAR_DAYS);
  const end = bars.dates.findLastIndex((session) => session <= yearLater);
  const startClose = bars.close[start];
  const endClose = bars.close[end];
  const newest = bars.dates.at(-1);
  if (
    startClose === undefined ||
    endClose === undefined ||
    newest === undefined ||
    newest < yearLater
  ) {
    return null;
  }
  let hit = false;
  for (let i = start + 1; i <= end && !hit; i++) {
    hit =
      priceTarget >= startClose
        ? (bars.high[i] ?? Number.NaN) >= priceTarget
        : (bars.low[i] ?? Number.NaN) <= priceTarget;
  }
  return { hit, returnPercent: 100 * (endClose / startClose - 1) };
}
