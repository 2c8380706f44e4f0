import {
  createLocalWriter,
  type ImportChange,
  type MarketWriter,
  tryImport,
} from "#ingest/changes.ts";
import { LOCK_WAIT_MS } from "#store/market.ts";
import type { MarketStore } from "#store/index.ts";
import type { ImportOptions } from "./import-flags.ts";

/** The market of an import, and its time. */
export interface ImportTarget {
  readonly market: MarketStore;
  readonly writer: MarketWriter;
  /** UTC milliseconds. */
  readonly now: number;
}

/** The writer of a command, which waits for another process as long as its other statements do. */
export function createCommandWriter(market: MarketStore): MarketWriter {
  return createLocalWriter(market, { waitMs: LOCK_WAIT_MS });
}

/** Writes an import, or with `--dry-run` only tries it; returns the number of records. */
export async function writeImport(
  target: Pick<ImportTarget, "market" | "writer"> & { readonly options: ImportOptions },
  changes: Iterable<ImportChange>,
): Promise<number> {
  const { market, writer, options } = target;
  return options.isDryRun ? tryImport(market, changes) : writer.writeAll(changes);
}
