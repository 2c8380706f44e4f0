import { type ImportChange, type MarketWriter, tryImport } from "#ingest/changes.ts";
import type { MarketStore } from "#store/index.ts";
import type { ImportOptions } from "./import-flags.ts";

/** The market of an import, and its time. */
export interface ImportTarget {
  readonly market: MarketStore;
  readonly writer: MarketWriter;
  /** UTC milliseconds. */
  readonly now: number;
}

/** Writes an import, or with `--dry-run` only tries it; returns the number of records. */
export async function writeImport(
  target: Pick<ImportTarget, "market" | "writer"> & { readonly options: ImportOptions },
  changes: Iterable<ImportChange>,
): Promise<number> {
  const { market, writer, options } = target;
  return options.isDryRun ? tryImport(market, changes) : writer.writeAll(changes);
}
