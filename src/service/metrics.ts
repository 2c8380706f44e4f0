import { join } from "node:path";
import type { Guard } from "#access/guard.ts";
import type { IpGate } from "#access/ip-gate.ts";
import { PLANS } from "#access/plans.ts";
import type { SignInRefusal } from "#access/sign-in.ts";
import { isUnavailable } from "#domain/errors.ts";
import type { Trace } from "#http/trace.ts";
import { whenKnown } from "#lib/awaitable.ts";
import { DAY_MS } from "#lib/date.ts";
import type { LogLevel } from "#lib/log.ts";
import { formatMetrics, Histogram, type Labels, type Sample } from "#lib/metrics.ts";
import type { Executor } from "#operations/execute.ts";
import { countDelayed } from "#store/alert-outbox.ts";
import type { AccessStore } from "#store/index.ts";
import { countExpiringTokens } from "#store/tokens.ts";
import type { Backups } from "./backups.ts";
import type { Exports } from "./exports.ts";
import type { IngestState } from "./market-ingest.ts";
import { databaseNames, readFreeBytes } from "./data-folder.ts";
import {
  type MarketMetricsParts,
  type MarketSamples,
  readMarketMetrics,
} from "./market-metrics.ts";
import {
  type MetricInfo,
  type SamplesOf,
  SERVICE_METRICS,
  type ServiceMetricName,
} from "./metric-list.ts";
import type { ReadinessCheck } from "./readiness.ts";
import type { ClusterNodeParts, NodeHealth } from "./stores.ts";
import { sizeOf } from "./state.ts";
import { VERSION } from "#domain/program.ts";

/** Upper bounds in seconds; a cached answer takes less than a millisecond. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** How often the delay of the event loop is measured. */
const LOOP_MS = 100;
/** How often metrics are read that take many queries. */
const RARE_MS = 60_000;
/** A token that expires within this time is about to expire. */
const EXPIRES_SOON_MS = 7 * DAY_MS;
/** A token without a call in this time is not in use. A monthly job is. */
const IN_USE_MS = 31 * DAY_MS;
const NO_EXECUTIONS: Executor["counts"] = { executed: 0, computed: 0 };

type Interface = Trace["via"];
type StoredSamples = MarketSamples & SamplesOf<"bourse_tokens_expiring" | "bourse_alerts_delayed">;

/** The parts of a service that its metrics describe. */
export interface MetricsParts extends MarketMetricsParts {
  readonly access: AccessStore;
  /** The events of the log so far. */
  readonly logLines: Readonly<Record<LogLevel, number>>;
  readonly backups: Pick<Backups, "succeededAt" | "warning">;
  readonly exports: Pick<Exports, "succeededAt" | "warning">;
  /** The sources that are switched on; none while the market is the sample. */
  readonly sources: () => IngestState["sources"];
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
    feed: new Map(),
    console: new Map(),
    docs: new Map(),
    oauth: new Map(),
    health: new Map(),
    other: new Map(),
  };
  readonly #denials = new Map<string, number>();
  readonly #loopDelays = new Histogram(SECONDS);
  readonly #signInRefusals: Record<SignInRefusal, number> = {
    password: 0,
    link: 0,
    provider: 0,
    limit: 0,
  };
  readonly #wallAheadAtStart: number;
  #gateRefusals = 0;
  #executor: Pick<Executor, "counts"> | null = null;
  #readiness: Pick<ReadinessCheck, "check" | "warnings"> | null = null;
  #rare: { at: number; values: Promise<StoredSamples> } | null = null;

  constructor(parts: MetricsParts) {
    this.#parts = parts;
    this.stopwatch = parts.stopwatch;
    this.#startedAt = parts.clock();
    this.#wallAheadAtStart = this.#wallAheadMs();
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

  /** Reports whether the service is ready. */
  watchReadiness(check: Pick<ReadinessCheck, "check" | "warnings">): void {
    this.#readiness = check;
  }

  /** Counts a refused attempt to sign in. */
  signInRefused(reason: SignInRefusal): void {
    this.#signInRefusals[reason]++;
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
    const values: Readonly<Record<ServiceMetricName, Iterable<Sample>>> = {
      ...(await this.#readRarely()),
      ...this.#listRequests(),
      ...this.#listReadiness(),
      ...this.#listProcess(),
      ...this.#listFiles(),
      ...this.#listSources(),
      ...this.#listCluster(),
    };
    return formatMetrics(
      Object.entries<MetricInfo>(SERVICE_METRICS).map(([name, { type, help }]) => ({
        name,
        type,
        help,
        samples: values[name as ServiceMetricName],
      })),
    );
  }

  /** What takes many queries: read at most once a minute, however often it is scraped. */
  #readRarely(): Promise<StoredSamples> {
    const now = this.stopwatch();
    if (this.#rare === null || now - this.#rare.at >= RARE_MS) {
      const values = this.#readStored();
      const rare = { at: now, values };
      this.#rare = rare;
      values.catch(() => {
        if (this.#rare === rare) this.#rare = null;
      });
    }
    return this.#rare.values;
  }

  async #readStored(): Promise<StoredSamples> {
    const { access, clock } = this.#parts;
    const now = clock();
    return {
      ...(await readMarketMetrics(this.#parts, now)),
      bourse_tokens_expiring: await countExpiring(access, now),
      bourse_alerts_delayed: one(await access.run(countDelayed())),
    };
  }

  #listReadiness() {
    const check = this.#readiness;
    const warnings = check ? Object.entries(check.warnings()) : [];
    return {
      bourse_ready: check ? one(Number(check.check().reasons.length === 0)) : [],
      bourse_warning: warnings.map(([about, text]) => ({
        labels: { about },
        value: Number(text !== null),
      })),
    };
  }

  #listRequests() {
    const counts = Object.values(this.#requests).flatMap((operations) => [...operations.values()]);
    const { executed, computed } = this.#executor?.counts ?? NO_EXECUTIONS;
    return {
      bourse_http_requests_total: counts.flatMap(({ labels, byStatus }) =>
        Object.entries(byStatus).map(([status, value]) => ({
          labels: { ...labels, status },
          value,
        })),
      ),
      bourse_http_request_duration_seconds: counts.flatMap(({ labels, durations }) => [
        ...durations.samples(labels),
      ]),
      bourse_cache_requests_total: countsBy("result", {
        hit: executed - computed,
        miss: computed,
      }),
      bourse_quota_denials_total: Object.keys(PLANS).map((plan) => ({
        labels: { plan },
        value: this.#denials.get(plan) ?? 0,
      })),
      bourse_gate_refusals_total: one(this.#gateRefusals),
      bourse_sign_in_refusals_total: countsBy("reason", this.#signInRefusals),
      bourse_log_lines_total: countsBy("level", this.#parts.logLines),
    };
  }

  #listProcess() {
    const { user, system } = process.cpuUsage();
    return {
      bourse_event_loop_delay_seconds: this.#loopDelays.samples({}),
      bourse_clock_shift_seconds: one((this.#wallAheadMs() - this.#wallAheadAtStart) / 1000),
      process_cpu_seconds_total: one((user + system) / 1e6),
      process_resident_memory_bytes: one(process.memoryUsage.rss()),
      process_start_time_seconds: one(this.#startedAt / 1000),
      bourse_build_info: [{ labels: { version: VERSION, bun: Bun.version }, value: 1 }],
    };
  }

  /** The clock minus the stopwatch. It stays the same unless the clock is set or the machine sleeps. */
  #wallAheadMs(): number {
    return this.#parts.clock() - this.stopwatch();
  }

  #listFiles() {
    const { backups, exports, node } = this.#parts;
    const { dataFolder } = this.#parts.config;
    const sampleTime = (at: number | null) => (at === null ? [] : one(at / 1000));
    return {
      bourse_database_bytes: databaseNames(node !== null).flatMap((name) =>
        [name, `${name}-wal`].map((file) => ({
          labels: { file },
          value: sizeOf(join(dataFolder, file)),
        })),
      ),
      bourse_data_folder_free_bytes: sampleFreeBytes(dataFolder),
      bourse_backup_last_success_timestamp_seconds: sampleTime(backups.succeededAt()),
      bourse_backup_needs_attention: one(Number(backups.warning() !== null)),
      bourse_export_last_success_timestamp_seconds: sampleTime(exports.succeededAt()),
      bourse_export_needs_attention: one(Number(exports.warning() !== null)),
    };
  }

  #listSources() {
    const { sources, clock } = this.#parts;
    const clients = [...sources()];
    return {
      bourse_source_requests_total: clients.flatMap(([source, { counts }]) =>
        Object.entries(counts).map(([result, value]) => ({ labels: { source, result }, value })),
      ),
      bourse_source_unusable_answers_total: clients.map(([source, { unusable }]) => ({
        labels: { source },
        value: unusable,
      })),
      bourse_source_blocked: clients.map(([source, { blockedUntil }]) => ({
        labels: { source },
        value: Number(blockedUntil > clock()),
      })),
    };
  }

  #listCluster() {
    const health = this.#parts.node?.health();
    const state = (value: (health: NodeHealth) => number | null) => {
      const known = health && value(health);
      return known === undefined || known === null ? [] : one(known);
    };
    return {
      bourse_cluster_database_up: state(({ isDatabaseUp }) => Number(isDatabaseUp)),
      bourse_cluster_leader: state(({ isLeader }) => Number(isLeader)),
      bourse_cluster_changes_behind: state(({ changesBehind }) => changesBehind),
      bourse_cluster_leases: state(({ leases }) => leases),
      bourse_cluster_nodes: state(({ nodesAlive }) => nodesAlive),
    };
  }
}

/** The live tokens that expire soon; no sample while the cluster's database does not answer. */
async function countExpiring(access: AccessStore, now: number): Promise<Sample[]> {
  try {
    return one(await access.run(countExpiringTokens(now, EXPIRES_SOON_MS, now - IN_USE_MS)));
  } catch (error) {
    if (isUnavailable(error)) return [];
    throw error;
  }
}

/** The free bytes of a folder's disk; no sample if the folder cannot be read, as `/health/ready` then says. */
function sampleFreeBytes(folder: string): Sample[] {
  try {
    return one(readFreeBytes(folder));
  } catch {
    return [];
  }
}

/** The sample of a metric without labels. */
function one(value: number): Sample[] {
  return [{ labels: {}, value }];
}

/** A sample for each value of one label. */
function countsBy(label: string, counts: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(counts).map(([name, value]) => ({ labels: { [label]: name }, value }));
}
