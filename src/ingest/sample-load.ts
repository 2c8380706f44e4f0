import type { Classification } from "#domain/classification.ts";
import type { RecordKind, RecordOf } from "#domain/records.ts";
import { dateOf } from "#lib/date.ts";
import { createSampleMakers } from "#sample/provider.ts";
import { sampleStamp } from "#sample/releases.ts";
import { SAMPLE, SAMPLE_VERSION } from "#sample/stamp.ts";
import { listUniverse } from "#sample/universe.ts";
import type { MarketStore } from "#store/index.ts";
import { storeRecords } from "./batch.ts";
import { claimMarket } from "./ingest.ts";
import { isSampleDue } from "./sample-due.ts";

/**
 * Loads the sample market if it is due: if its stamp (see `sampleStamp`) differs from the stamp of the last
 * load. All of it is stored, or nothing. Returns true if it was loaded.
 *
 * @throws BourseError if the market file has another origin
 */
export function loadSample({ market, now }: SampleLoad): boolean {
  return isSampleDue(market, now) && market.transaction(() => load(market, now));
}

/** Like `loadSample`, but waits for another process that writes, without blocking the thread. */
export async function reloadSample({ market, now }: SampleLoad): Promise<boolean> {
  return isSampleDue(market, now) && market.queueTransaction(() => load(market, now));
}

interface SampleLoad {
  readonly market: MarketStore;
  /** UTC milliseconds. */
  readonly now: number;
}

function load(market: MarketStore, now: number): boolean {
  // Another process may have loaded it while this one waited for the lock.
  if (!isSampleDue(market, now)) return false;
  claimMarket(market, SAMPLE);
  // Bars of another version of the generator are replaced, not continued.
  const continues = market.findSetting(SAMPLE)?.startsWith(`${SAMPLE_VERSION} `) ?? false;
  const after = continues ? sampleStoredUpTo(market) : null;
  const provenance = { source: SAMPLE, storedAt: now };
  for (const { kind, make } of createSampleMakers({ now, after })) {
    const records = kind === "bars" && continues ? newBars(market, make()) : make();
    if (kind === "classifications") {
      market.indexMembers.put(make() as Iterable<Classification>, dateOf(now));
    }
    storeRecords(market, kind, records, provenance, { country: null });
  }
  market.setSetting(SAMPLE, sampleStamp(now));
  return true;
}

/**
 * The bars of each history that are newer than the stored ones. One date for all is not enough:
 * countries trade on different days, and bars that are not all newer would replace the whole history.
 */
function* newBars(market: MarketStore, histories: Iterable<RecordOf<RecordKind>>) {
  for (const history of histories as Iterable<RecordOf<"bars">>) {
    const instrument = market.instruments.find(history);
    const [newest] = instrument ? market.bars.listNewest(instrument.id, 1) : [];
    yield newest
      ? { ...history, bars: history.bars.filter(({ date }) => date > newest.date) }
      : history;
  }
}

/** The date up to which every instrument of the sample has bars; null if one has none. */
function sampleStoredUpTo(market: MarketStore): string | null {
  let earliest: string | null = null;
  for (const listing of listUniverse()) {
    const instrument = market.instruments.find(listing);
    const provenance = instrument && market.bars.findProvenance(instrument.id);
    if (!provenance) return null;
    // Imported bars are never continued, however old they are.
    if (provenance.source !== SAMPLE) continue;
    const [newest] = market.bars.listNewest(instrument.id, 1);
    if (!newest) return null;
    if (earliest === null || newest.date < earliest) earliest = newest.date;
  }
  return earliest;
}
