import type { AnalystCoverage } from "#domain/analyst-coverage.ts";
import type { BarSeries } from "#domain/daily-bar.ts";
import { addDays } from "#lib/date.ts";

/** The results of a firm's past price targets for one instrument. */
interface TrackRecord {
  readonly firm: string;
  /** Number of targets that are old enough to be evaluated. */
  readonly targets: number;
  /** Share of these targets that the price reached within a year, in percent. */
  readonly hitPercent: number;
  /** Mean change of the price in the year after each target was set, in percent. */
  readonly averageReturnPercent: number;
}

const YEAR_DAYS = 365;

/**
 * The track record of each firm, most evaluated targets first. No free source publishes track records,
 * so targets are tested against our own bars. A target is evaluated if the bars cover the whole year
 * after it was set. It was hit if a session's high (low for a target below that day's close) reached it.
 */
export function trackRecords(actions: AnalystCoverage["actions"], bars: BarSeries): TrackRecord[] {
  const byFirm = new Map<string, { hit: boolean; returnPercent: number }[]>();
  for (const action of actions) {
    const outcome = evaluateTarget(action, bars);
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

function evaluateTarget(
  { date, priceTarget }: AnalystCoverage["actions"][number],
  bars: BarSeries,
) {
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
