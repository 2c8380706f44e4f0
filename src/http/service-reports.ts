import type { Arrival } from "#domain/fetch.ts";
import type { NodeInfo } from "#domain/cluster-node.ts";
import type { Country } from "#domain/country.ts";
import type { RecordKind } from "#domain/records.ts";
import type { Readiness } from "./health.ts";

// Times are UTC milliseconds.

/** What the console shows of the running service. */
export interface ServiceReports {
  /** Every source that a live market can use, for all visitors. */
  readonly terms: readonly SourceTerms[];
  listSources(): Promise<SourceInfo[]>;
  readStatus(): Promise<ServiceStatus>;
  /** What is still to come of a live market; null for the sample, and once all of it has come. */
  readArrivals(): Promise<ArrivalsInfo | null>;
  /** The check of how clients reach the service. */
  readonly connection: ConnectionReports;
  /** Writes a backup of the data folder and resolves with its result; null if this service writes none. */
  readonly backUp: (() => Promise<ServiceStatus["lastBackup"]>) | null;
}

/** What a check found, in one text, with what to do if it is not `ok`. */
export interface Finding {
  readonly check: string;
  readonly level: "ok" | "warning" | "failed";
  readonly text: string;
}

/** A request of a client that connects, without its query and its secrets. */
export interface SeenRequest {
  /** Counts up. */
  readonly id: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** The method of MCP; empty if unknown. */
  readonly operation: string;
  readonly status: number;
  /** How the program names itself; empty if it does not. */
  readonly agent: string;
}

/** What the check of the connection has found so far. */
export interface ConnectionInfo {
  /** The public address that is checked; null if none is set. */
  readonly url: string | null;
  readonly findings: readonly Finding[];
  readonly isRunning: boolean;
  /** The newest requests of clients while someone looks, oldest first. */
  readonly requests: readonly SeenRequest[];
  /** How far the client came, and what to do; null while that is open. */
  readonly client: Finding | null;
}

/** Checks how clients reach the public address of the service, and no other one. */
export interface ConnectionReports {
  /** Begins a check, unless one runs. @param user whose token the handshake of MCP has */
  start(user: string): void;
  /** What was found since the last start. Requests are remembered for a minute after each call. */
  read(): ConnectionInfo;
}

/** What a source allows. */
export interface SourceTerms extends Pick<SourceInfo, "source" | "official" | "fills" | "terms"> {
  /** True if the terms allow to pass its records on, for example in exported files. */
  readonly redistributable: boolean;
}

/** A live source, for admins. The list is empty while the market is the sample. */
export interface SourceInfo {
  readonly source: string;
  /** False if no licence offers the data. */
  readonly official: boolean;
  /** `ready`, `ready, with key`, `ready, without key`, `switched off`, or `needs BOURSE_CONTACT`. */
  readonly state: string;
  /** What it provides, in one line. */
  readonly fills: string;
  /** Its terms, in one line. */
  readonly terms: string;
  readonly lastSuccessAt: number | null;
  readonly lastErrorAt: number | null;
  readonly lastError: string | null;
  /** The number of fetches whose last answer was stored without its faulty records. */
  readonly faulty: number;
  /** The source is not called until then, because it failed repeatedly; null if it may be called. */
  readonly blockedUntil: number | null;
  /** The newest times without answers, the last one first, UTC milliseconds; one that has not ended is to now. */
  readonly outages: readonly { readonly from: number; readonly to: number }[];
  /** The source as its figures show it; null if it was never called, or if `state` says why it cannot be. */
  readonly verdict: "works" | "partly" | "refused" | "empty" | null;
  /** Why it does not work, and what to do, in the words of refusals. */
  readonly advice: readonly string[];
  /** The kinds of records that were ever fetched from it. */
  readonly kinds: readonly SourceKind[];
}

/** The fetches of one kind of records from one source for one country. */
export interface SourceKind {
  readonly kind: string;
  readonly country: string;
  /** Null for the whole country at once, else the number of companies that were fetched. */
  readonly companies: number | null;
  /** How many of these fetches failed at their last attempt. */
  readonly failed: number;
  /** Records that the last successful fetches gave: a whole list, or for prices only the newest. */
  readonly records: number;
  readonly succeededAt: number | null;
  /** Of the last failure; null if no fetch failed. */
  readonly error: string | null;
  /** When the background refresh fetches it again; null for companies, whose times differ. */
  readonly nextDueAt: number | null;
}

/** A list of records of a country, and when a source last gave one; null if none did. */
export interface ListInfo {
  readonly kind: RecordKind;
  readonly country: Country;
  readonly fetchedAt: number | null;
}

/** What is live, old or refused, in words for people. */
export interface DoorsInfo {
  readonly live: readonly ListInfo[];
  /** The lists that are due. */
  readonly old: readonly ListInfo[];
  /** The lists that no source has given yet. */
  readonly empty: readonly ListInfo[];
  /** The hosts whose last word was a refusal, those with the same reason together, the newest first. */
  readonly refused: readonly {
    readonly hosts: readonly string[];
    /** The first host, what happened, the likely reason, what to do, and the number of other hosts. */
    readonly words: string;
    /** When the newest of them refused. */
    readonly at: number;
    /** When the first of them is called again; null if one may be called now. */
    readonly retryAt: number | null;
  }[];
  /** What the lists of countries lack, one text for each reason: the source, the records and the reason. */
  readonly missing: readonly string[];
}

/** What has come of a kind of records of a country. */
export interface ArrivalInfo {
  readonly kind: string;
  readonly country: string;
  readonly state: Arrival;
  /** The lists and companies whose records are up to date. */
  readonly done: number;
  readonly total: number;
  /** The settings of the keys with which another source would give them; for admins only. */
  readonly keys: readonly string[];
}

/** What is still to come of a live market, and what sources refused. */
export interface ArrivalsInfo {
  readonly kinds: readonly ArrivalInfo[];
  /** At the pace of the last minutes; null without a pace, or if nothing is being fetched. */
  readonly secondsLeft: number | null;
  /** The hosts that refuse, the newest first; an operator's advice is for admins only. */
  readonly refused: readonly {
    readonly host: string;
    readonly happened: string;
    readonly why: string;
    readonly toDo: string | null;
    readonly retryAt: number | null;
  }[];
  /** Why other sources gave nothing, the source first; for admins only. */
  readonly faults: readonly string[];
  /** True if nothing has come for an hour, and nothing will soon. */
  readonly isOver: boolean;
}

/** The service that answers. */
export interface ServiceStatus {
  /** What keeps the service from its work, and what needs attention, as health checks have it. */
  readonly health: Readiness;
  readonly version: string;
  readonly startedAt: number;
  readonly memoryBytes: number;
  /** Requests a second in the last minute. */
  readonly requestsPerSecond: number;
  readonly files: readonly {
    readonly name: string;
    readonly bytes: number;
    readonly schema: number;
  }[];
  /** The files of the newest export on schedule, below `/files/`; empty without one. */
  readonly exported: readonly { readonly path: string; readonly bytes: number }[];
  /** Null before the first attempt. */
  readonly lastBackup: { readonly at: number; readonly error: string | null } | null;
  /** Null if the service does not ask for newer versions. */
  readonly updates: {
    /** The newest version that is released; null before the first answer. */
    readonly newest: string | null;
    /** When its release was signed, UTC milliseconds; null before the first answer. */
    readonly signedAt: number | null;
    /** True if it is newer than the version of this service. */
    readonly isNewer: boolean;
    /** Of the last question; null before it. */
    readonly askedAt: number | null;
    /** Why the last question had no answer; null if it had one. */
    readonly error: string | null;
  } | null;
  /** What the background refresh has done, by country and kind; empty for the sample. */
  readonly progress: readonly {
    readonly kind: string;
    readonly country: string;
    /** The lists and companies whose records are up to date. */
    readonly done: number;
    readonly total: number;
    /** At the pace of the last minutes; null without a pace or without a known company, 0 if nothing is left. */
    readonly secondsLeft: number | null;
    /** What has come of it so far, however old it is. */
    readonly state: Arrival;
  }[];
  /** Empty for the sample. */
  readonly doors: DoorsInfo;
  /** Null on one machine. */
  readonly cluster: {
    /** By machine and start; null while the cluster's database does not answer. */
    readonly nodes: readonly NodeInfo[] | null;
  } | null;
}
