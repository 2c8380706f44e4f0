import type { DividendHistory } from "#domain/dividend.ts";
import { BourseError } from "#domain/errors.ts";
import { formatPlace, type Place } from "#domain/records.ts";
import type { Statement } from "#domain/statement.ts";
import type { LeftOut } from "#imports/record-rows.ts";
import { checkImportedDividends, checkImportedStatements } from "#ingest/plausibility.ts";
import type { MarketStore } from "#store/index.ts";
import type { ImportOptions } from "./import-flags.ts";

/** A record to import, and where it was read. */
export interface ReadRecord<R> {
  readonly place: Place;
  /** With the entries of earlier imports, if they are kept. */
  readonly record: R;
  /** The places of the entries of its list that were read, by their date. */
  readonly placeOf: ReadonlyMap<string, Place>;
}

/** Records after the check of their figures. */
export interface CheckedRecords<R> {
  readonly records: readonly R[];
  /** The rows that were left out, as `--on-bad skip` says. */
  readonly skipped: readonly LeftOut[];
  /** The number of dividends that were divided by a split. */
  readonly divided: number;
}

/**
 * Asks about statements whose figures other figures prove wrong, unless `--on-bad skip` leaves them out.
 *
 * @throws BourseError with the question
 */
export function askAboutStatements(
  market: MarketStore,
  read: readonly ReadRecord<Statement>[],
  options: ImportOptions,
): CheckedRecords<Statement> {
  const statements = read.map(({ record }) => record);
  const faults = checkImportedStatements(market, statements);
  const skipped = read.flatMap(({ place }, i) => {
    const reasons = faults[i]?.map(({ reason }) => reason) ?? [];
    return reasons.length > 0 ? { place, reason: reasons.join("; ") } : [];
  });
  ask(skipped, options);
  return { records: statements.filter((_, i) => !faults[i]?.length), skipped, divided: 0 };
}

/**
 * Asks about dividends in another unit than their neighbours, unless `--on-bad skip` leaves them out. Dividends in
 * the shares before a known split are divided.
 *
 * @throws BourseError with the question
 */
export function askAboutDividends(
  market: MarketStore,
  read: readonly ReadRecord<DividendHistory>[],
  options: ImportOptions,
): CheckedRecords<DividendHistory> {
  const skipped: LeftOut[] = [];
  let divided = 0;
  const records = read.map(({ record, placeOf }) => {
    const { adjusted, faults } = checkImportedDividends(market, record);
    divided += adjusted.dividends.filter((one, i) => one !== record.dividends[i]).length;
    const wrong = new Set<string>();
    for (const { exDate, reason } of faults) {
      const place = placeOf.get(exDate);
      // A stored dividend was accepted when it was stored.
      if (!place) continue;
      skipped.push({ place, reason });
      wrong.add(exDate);
    }
    const dividends = adjusted.dividends.filter(({ exDate }) => !wrong.has(exDate));
    return { ...adjusted, dividends };
  });
  ask(skipped, options);
  return { records, skipped, divided };
}

function ask([first, ...others]: readonly LeftOut[], { onBad }: ImportOptions): void {
  if (!first || onBad === "skip") return;
  const count = others.length;
  const more = count === 0 ? "" : ` (and ${count} other row${count === 1 ? "" : "s"})`;
  throw new BourseError(
    "invalid_argument",
    `${formatPlace(first.place)}: ${first.reason}${more}: give --on-bad keep if such values are right, or --on-bad skip to leave such rows out`,
  );
}
