import { statSync } from "node:fs";
import { join } from "node:path";
import type { Guard } from "#access/guard.ts";
import type { IpGate } from "#access/ip-gate.ts";
import { PLANS } from "#access/plans.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { type RecordKind, RECORDS } from "#domain/records.ts";
import type { Trace } from "#http/trace.ts";
import { whenKnown } from "#lib/awaitable.ts";
import { formatMetrics, Histogram, type Labels, type Metric, type Sample } from "#lib/metrics.ts";
import { runInTurns, type Slices } from "#lib/slices.ts";
import type { Executor } from "#operations/execute.ts";
import type { MarketStore } from "#store/index.ts";
import type { Backups } from "./backups.ts";
import type { Live } from "./live.ts";
import type { ClusterNodeParts } from "./service-stores.ts";
import { databaseNames } from "./data-folder.ts";
import { VERSION } from "./version.ts";

/** Upper bounds in seconds; a cached answer takes less than a millisecond. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** How often the delay of the event loop is measured. */
const LOOP_MS = 100;
const NO_EXECUTIONS: Executor["counts"] = { executed: 0, computed: 0 };

type Interface = Trace["via"];

/** The parts of a service that its metrics describe. */
export interface MetricsParts {
  readonly dataFolder: string;
  readonly market: MarketStore;
  readonly backups: Pick<Backups, "succeededAt" | "warning">;
  /** Null while the market is the sample. */
  readonly live: Pick<Live, "clients"> | null;
  /** This node of a cluster; null on one machine. */
  readonly node: Pick<ClusterNodeParts, "health"> | null;
  /** UTC milliseconds. */
  readonly clock: () => number;
  /** Milliseconds from any start; it never goes back. */
  readonly stopwatch: () => number;
}

/** The requests of one operation over one interface. */
interface RequestCounts {
  readonly labels: Labels;
  /** The number of requests at the index of their status. */
  readonly byStatus: number[];
  readonly durations: Histogram;
}

/** Counts what a service does and writes it in the format of Prometheus. */
export class ServiceMetrics {
  readonly stopwatch: () => number;
  readonly #parts: MetricsParts;
  readonly #startedAt: number;
  readonly #requests: Readonly<Record<Interface, Map<string, RequestCounts>>> = {
    rest: new Map(),
    mcp: new Map(),
    console: new Map(),
    oauth: new Map(),
    health: new Map(),
    other: new Map(),
  };
  readonly #denials = new Map<string, number>();
  readonly #loopDelays = new Histogram(SECONDS);
  #gateRefusals = 0;
  #executor: Pick<Executor, "counts"> | null = null;

  constructor(parts: MetricsParts) {
    this.#parts = parts;
    this.stopwatch = parts.stopwatch;
    this.#startedAt = parts.clock();
  }

  /** Counts an answered request. */
  finished({ via, operation }: Trace, status: number, ms: number): void {
    const counts = this.#requests[via].get(operation) ?? this.#addCounts(via, operation);
    counts.byStatus[status] = (counts.byStatus[status] ?? 0) + 1;
    counts.durations.observe(ms / 1000);
  }

  #addCounts(via: Interface, operation: string): RequestCounts {
    const counts = {
      labels: { interface: via, operation },
      byStatus: [],
      durations: new Histogram(SECONDS),
    };
    this.#requests[via].set(operation, counts);
    return counts;
  }

  /** The same guard, whose denied calls are counted. */
  watchGuard(guard: Guard): Guard {
    return {
      ...guard,
      charge: (principal) =>
        whenKnown(guard.charge(principal), (charge) => {
          if (charge.denied) {
            const { plan } = principal;
            this.#denials.set(plan, (this.#denials.get(plan) ?? 0) + 1);
          }
          return charge;
        }),
    };
  }

  /** The same gate, whose refusals are counted. */
  watchGate(gate: IpGate): IpGate {
    return {
      check: (address) =>
        whenKnown(gate.check(address), (refusal) => {
          if (refusal) this.#gateRefusals++;
          return refusal;
        }),
    };
  }

  /** Reports the counts of the executor. */
  watchExecutor(executor: Pick<Executor, "counts">): void {
    this.#executor = executor;
  }

  /** Measures the delay of the event loop until the returned function is called. */
  watchEventLoop(): () => void {
    let dueAt = this.stopwatch() + LOOP_MS;
    const timer = setInterval(() => {
      const now = this.stopwatch();
      this.#loopDelays.observe(Math.max(0, now - dueAt) / 1000);
      dueAt = now + LOOP_MS;
    }, LOOP_MS);
    return () => clearInterval(timer);
  }

  /** All metrics as text. The queries run in slices, so that requests are answered in between. */
  async write(): Promise<string> {
    const newest = await runInTurns(this.#listNewest());
    return formatMetrics([
      ...this.#listRequests(),
      ...this.#listProcess(),
      ...this.#listFiles(),
      ...this.#listSources(),
      ...this.#listCluster(),
      gauge(
        "bourse_newest_record_timestamp_seconds",
        "When records of the kind and country were last fetched.",
        newest,
      ),
    ]);
  }

  *#listRequests(): Iterable<Metric> {
    const counts = Object.values(this.#requests).flatMap((operations) => [...operations.values()]);
    yield counter(
      "bourse_http_requests_total",
      "Answered requests by interface, operation and HTTP status.",
      counts.flatMap(({ labels, byStatus }) =>
        Object.entries(byStatus).map(([status, value]) => ({
          labels: { ...labels, status },
          value,
        })),
      ),
    );
    yield {
      name: "bourse_http_request_duration_seconds",
      type: "histogram",
      help: "Time from the request until its answer begins.",
      samples: counts.flatMap(({ labels, durations }) => [...durations.samples(labels)]),
    };
    const { executed, computed } = this.#executor?.counts ?? NO_EXECUTIONS;
    yield counter("bourse_cache_requests_total", "Executed operations by result of the cache.", [
      { labels: { result: "hit" }, value: executed - computed },
      { labels: { result: "miss" }, value: computed },
    ]);
    yield counter(
      "bourse_quota_denials_total",
      "Calls that were refused because a window of the token was full.",
      Object.keys(PLANS).map((plan) => ({ labels: { plan }, value: this.#denials.get(plan) ?? 0 })),
    );
    yield counter("bourse_gate_refusals_total", "Requests that were refused at the gate.", [
      { labels: {}, value: this.#gateRefusals },
    ]);
  }

  *#listProcess(): Iterable<Metric> {
    yield {
      name: "bourse_event_loop_delay_seconds",
      type: "histogram",
      help: "Delay of a timer that is due every 100 ms.",
      samples: this.#loopDelays.samples({}),
    };
    const one = (value: number) => [{ labels: {}, value }];
    const { user, system } = process.cpuUsage();
    yield counter(
      "process_cpu_seconds_total",
      "CPU time of the process.",
      one((user + system) / 1e6),
    );
    yield gauge(
      "process_resident_memory_bytes",
      "Resident memory of the process.",
      one(process.memoryUsage.rss()),
    );
    yield gauge(
      "process_start_time_seconds",
      "When the service started.",
      one(this.#startedAt / 1000),
    );
    yield gauge("bourse_build_info", "The version of bourse and of Bun.", [
      { labels: { version: VERSION, bun: Bun.version }, value: 1 },
    ]);
  }

  *#listFiles(): Iterable<Metric> {
    const { dataFolder, backups, node } = this.#parts;
    const files = databaseNames(node !== null).flatMap((name) =>
      ["", "-wal"].map((suffix) => {
        const stats = statSync(join(dataFolder, name + suffix), { throwIfNoEntry: false });
        return { labels: { file: name + suffix }, value: stats?.size ?? 0 };
      }),
    );
    yield gauge("bourse_database_bytes", "Size of a database file and of its log.", files);
    const succeededAt = backups.succeededAt();
    yield gauge(
      "bourse_backup_last_success_timestamp_seconds",
      "When the data folder was last backed up.",
      succeededAt === null ? [] : [{ labels: {}, value: succeededAt / 1000 }],
    );
    yield gauge("bourse_backup_needs_attention", "1 if the last backup failed or is too old.", [
      { labels: {}, value: Number(backups.warning() !== null) },
    ]);
  }

  *#listSources(): Iterable<Metric> {
    const { live, clock } = this.#parts;
    const clients = [...(live?.clients ?? [])];
    yield counter(
      "bourse_source_requests_total",
      "Requests to a source: answered or failed.",
      clients.flatMap(([source, { counts }]) =>
        Object.entries(counts).map(([result, value]) => ({ labels: { source, result }, value })),
      ),
    );
    yield counter(
      "bourse_source_unusable_answers_total",
      "Answers of a source whose content cannot be used.",
      clients.map(([source, { unusable }]) => ({ labels: { source }, value: unusable })),
    );
    yield gauge(
      "bourse_source_blocked",
      "1 while a source is not called because it failed repeatedly.",
      clients.map(([source, { blockedUntil }]) => ({
        labels: { source },
        value: Number(blockedUntil > clock()),
      })),
    );
  }

  *#listCluster(): Iterable<Metric> {
    const health = this.#parts.node?.health();
    if (!health) return;
    const { isDatabaseUp, isLeader, changesBehind, leases } = health;
    for (const [name, help, value] of [
      ["database_up", "1 while the cluster's database answers this node.", Number(isDatabaseUp)],
      ["leader", "1 while this node refreshes the market of the cluster.", Number(isLeader)],
      ["changes_behind", "Changes of the market that this node did not apply yet.", changesBehind],
      ["leases", "Tokens whose calls this node has counted in advance.", leases],
    ] as const)
      yield gauge(`bourse_cluster_${name}`, help, [{ labels: {}, value }]);
  }

  *#listNewest(): Slices<Sample[]> {
    const { market } = this.#parts;
    const samples: Sample[] = [];
    for (const kind of Object.keys(RECORDS) as RecordKind[]) {
      for (const country of COUNTRY_CODES) {
        const succeededAt = market.fetches.findNewest(kind, country);
        if (succeededAt !== null)
          samples.push({ labels: { kind, country }, value: succeededAt / 1000 });
        yield;
      }
    }
    return samples;
  }
}

function counter(name: string, help: string, samples: Iterable<Sample>): Metric {
  return { name, type: "counter", help, samples };
}

function gauge(name: string, help: string, samples: Iterable<Sample>): Metric {
  return { name, type: "gauge", help, samples };
}
