import { readConfig } from "#config.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { RefreshOutcome } from "#ingest/source-chain.ts";
import type { Log, LogLevel } from "#lib/log.ts";
import type { CompaniesToCompute } from "#rollups/saved-companies.ts";
import type { FiguresPart } from "#store/company-figures.ts";
import { LocalIngest } from "./local-ingest.ts";
import type { CompanyFigures, IngestState } from "./market-ingest.ts";
import { ThreadCalls } from "./thread-calls.ts";

/** How often the thread reports its state if it has changed. */
const REPORT_MS = 200;

/** What a thread begins with. */
export interface ThreadStart {
  /** The environment with all settings. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly aheadMs: number;
  readonly leases: number;
}

/** The functions of the thread of the ingest: see `MarketIngest`. */
export interface WorkerCalls {
  open(start: ThreadStart): Promise<void>;
  refresh(key: FetchKey): Promise<RefreshOutcome>;
  computeCompanies(companies: CompaniesToCompute): Promise<string>;
  saveFigures(state: string, parts: readonly FiguresPart[]): Promise<void>;
  loadSample(now: number): Promise<void>;
  begin(url: string): Promise<void>;
  /** Sets how far the cluster's time is ahead of this machine, in milliseconds, and the leases of the node. */
  observe(aheadMs: number, leases: number): void;
  pause(): Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** The functions of the thread that serves. */
export interface HostCalls extends CompanyFigures {
  log(level: LogLevel, ...line: Parameters<Log["info"]>): void;
  progressed(): void;
  accessChanged(): void;
  setState(state: IngestState): void;
}

/** The world of the thread. */
export interface ThreadWorld {
  /** UTC milliseconds. */
  readonly clock: () => number;
  /** Milliseconds from any start, which never go back. */
  readonly stopwatch: () => number;
  /** Sends a message to the thread that serves. */
  readonly post: (message: unknown) => void;
}

/** Runs the ingest in this thread; returns the function that takes messages of the thread that serves. */
export function runIngestThread({ clock, stopwatch, post }: ThreadWorld): (data: unknown) => void {
  let opening: Promise<LocalIngest> = Promise.reject(new Error("The ingest is not open."));
  opening.catch(() => {});
  let cluster = { aheadMs: 0, leases: 0 };
  let reported = "";
  let reporting: ReturnType<typeof setInterval>;
  const report = ({ state }: LocalIngest) => {
    const text = JSON.stringify({ ...state, sources: [...state.sources] });
    if (text === reported) return;
    reported = text;
    host.tell("setState", state);
  };
  const functions: WorkerCalls = {
    async open({ env, ...start }) {
      cluster = start;
      opening = LocalIngest.open({
        config: readConfig({}, env),
        wallClock: clock,
        clock: () => clock() + cluster.aheadMs,
        stopwatch,
        leases: () => cluster.leases,
        log: createThreadLog(host),
        progressed: () => host.tell("progressed"),
        accessChanged: () => host.tell("accessChanged"),
        figures: {
          indexPe: (country) => host.call("indexPe", country),
          listUnknownSplits: (country) => host.call("listUnknownSplits", country),
        },
      });
      const ingest = await opening;
      report(ingest);
      reporting = setInterval(report, REPORT_MS, ingest);
    },
    refresh: async (key) => (await opening).refresh(key),
    computeCompanies: async (companies) => (await opening).computeCompanies(companies),
    saveFigures: async (state, parts) => (await opening).saveFigures(state, parts),
    loadSample: async (now) => (await opening).loadSample(now),
    begin: async (url) => (await opening).begin(url),
    observe: (aheadMs, leases) => void (cluster = { aheadMs, leases }),
    pause: async () => (await opening).pause(),
    stop: async () => (await opening).stop(),
    async close() {
      const ingest = await opening;
      clearInterval(reporting);
      await ingest.close();
    },
  };
  const host = new ThreadCalls<HostCalls>(post, functions);
  return (data) => host.receive(data);
}

function createThreadLog(host: ThreadCalls<HostCalls>): Log {
  const line =
    (level: LogLevel): Log["info"] =>
    (...event) =>
      host.tell("log", level, ...event);
  return { info: line("info"), warn: line("warn"), error: line("error") };
}
