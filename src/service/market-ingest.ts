import type { Country } from "#domain/country.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { RefreshOutcome } from "#ingest/source-chain.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import type { Log } from "#lib/log.ts";
import type { CompanyRollups } from "#rollups/company-rollups.ts";
import type { CompaniesToCompute } from "#rollups/saved-companies.ts";
import type { StatefulSourceClient } from "#sources/source-client.ts";
import type { FiguresPart } from "#store/company-figures.ts";
import type { NodeProgress } from "./stores.ts";

/** What the reports and metrics show of a source. */
export type SourceState = Pick<StatefulSourceClient, "counts" | "unusable" | "blockedUntil">;

/** What the ingest reports of itself. */
export interface IngestState {
  /** The sources that are switched on, by name. */
  readonly sources: ReadonlyMap<string, SourceState>;
  /** Why the sources need attention, in one sentence; null if they do not. */
  readonly warning: string | null;
  /** Null on one machine. */
  readonly node: NodeProgress | null;
}

/**
 * All that writes the market of a running service. It works in a thread and on database connections of its
 * own, so that no request waits for it.
 */
export interface MarketIngest {
  /** The last known state. */
  readonly state: IngestState;
  /**
   * Fetches a key if it is due.
   *
   * @throws BourseError `unavailable` if the thread has ended; it starts again
   */
  refresh(key: FetchKey): Promise<RefreshOutcome>;
  /** Computes companies: see `computeForThread`. @throws BourseError as `refresh` */
  computeCompanies(companies: CompaniesToCompute): Promise<string>;
  /** Saves the figures of all companies: see `CompanyFigureStore.replace`. */
  saveFigures(state: string, parts: readonly FiguresPart[]): Promise<void>;
  /** Brings the sample market up to `now`, UTC milliseconds. */
  loadSample(now: number): Promise<void>;
  /**
   * Begins to keep the market up to date: by the schedule, or as a node of the cluster.
   *
   * @param url the address of the service for its operators
   * @throws BourseError `unavailable` if the database of the cluster is
   */
  begin(url: string): Promise<void>;
  /** Begins no more scheduled fetches until the next `begin`. */
  pause(): Promise<void>;
  /** Ends the calls of sources and what `begin` began. Figures can still be saved. */
  stop(): Promise<void>;
  /** Ends the thread. */
  close(): Promise<void>;
}

/** The figures of all companies that a schedule needs. */
export interface CompanyFigures {
  /** The current P/E of a country's index; null if unknown. */
  indexPe(country: Country): Promise<number | null>;
  /** The symbols whose newest quotes show a split that is not known yet. */
  listUnknownSplits(country: Country): Awaitable<readonly string[]>;
}

/** What an ingest needs of its service. */
export interface IngestHost {
  readonly log: Log;
  readonly figures: CompanyFigures;
  /** Called when the refresh of the market makes progress. */
  readonly progressed: () => void;
  /** Called when another node of the cluster may have changed users or tokens. */
  readonly accessChanged: () => void;
}

/** The figures of all companies, from their roll-ups. */
export function figuresOf(rollups: CompanyRollups): CompanyFigures {
  return {
    async indexPe(country) {
      await rollups.update([country]);
      return rollups.get(country).pe.pe;
    },
    listUnknownSplits: (country) => rollups.listUnknownSplits(country),
  };
}
