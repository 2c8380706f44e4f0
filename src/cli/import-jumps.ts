import type { DailyBar } from "#domain/daily-bar.ts";
import { BourseError } from "#domain/errors.ts";
import type { Instrument } from "#domain/instrument.ts";
import type { Split } from "#domain/split.ts";
import { checkImport } from "#ingest/plausibility.ts";
import { KNOWN_CLOSES, priceAdjustment } from "#sources/price-adjustment.ts";
import type { MarketStore } from "#store/index.ts";
import type { ImportOptions } from "./import-flags.ts";
import { counted, type ReportedRow } from "./import-report.ts";

/** The bars of an instrument after the check of their jumps. */
export interface CheckedImport {
  readonly bars: DailyBar[];
  /** The bars that were left out, as `--on-bad skip` says. */
  readonly skipped: readonly ReportedRow[];
  /** True if bars were divided by a split. */
  readonly isDivided: boolean;
}

/**
 * Asks about jumps that no known split explains, unless `--splits none`, `--on-bad keep` or `--on-bad skip`
 * answers, and about closes that are adjusted for cash dividends, unless one of the first two answers. Bars before
 * a known split that lack it are divided; `splits` are those that the file names.
 *
 * @throws BourseError with the question, for the first jump
 */
export function askAboutJumps(
  market: MarketStore,
  instrument: Instrument,
  bars: DailyBar[],
  { onBad, append, splits: given }: ImportOptions,
  splits: readonly Split[] = [],
): CheckedImport {
  if (given === null || onBad === "keep") return { bars, skipped: [], isDivided: false };
  refuseDividendAdjusted(market, instrument, bars);
  const evidence = { splits: [...given, ...splits], keepsOthers: append };
  const checked = checkImport(market, instrument, bars, evidence);
  const skipped = checked.faults.map((fault) => ({
    place: `${instrument.symbol}, ${fault.date}`,
    reason: fault.bars === 1 ? fault.reason : `${fault.reason} (${counted(fault.bars, "bar")})`,
  }));
  const [first] = skipped;
  if (first && onBad !== "skip")
    throw new BourseError(
      "invalid_argument",
      `${first.place}: ${first.reason}: give --splits DATE=NEW:OLD if it is a split that the bars before it lack, --splits none if all prices are right, or --on-bad skip to leave such bars out`,
    );
  return { bars: checked.bars, skipped, isDivided: checked.isDivided };
}

/** Refuses closes that are lower than the traded ones by cash dividends, where a traded close is known. */
function refuseDividendAdjusted(
  market: MarketStore,
  { country, symbol }: Instrument,
  bars: readonly DailyBar[],
): void {
  const splits = market.documents.find("splits", country, symbol)?.splits ?? null;
  for (const known of KNOWN_CLOSES) {
    if (known.country !== country || known.symbol !== symbol) continue;
    const close = bars.find(({ date }) => date === known.date)?.close;
    if (close === undefined || priceAdjustment(known, close, splits) !== "total") continue;
    throw new BourseError(
      "invalid_argument",
      `${symbol}, ${known.date}: close ${close}, but ${known.close} was traded, so the prices are adjusted for cash dividends: import prices that are adjusted for splits only, or give --splits none if all prices are right`,
    );
  }
}
