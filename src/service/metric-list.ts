import type { MetricFamily, Sample } from "#lib/metrics.ts";

/** A metric of the service, without its values. */
export interface MetricInfo extends Pick<MetricFamily, "type" | "help"> {
  /** The names of its labels. */
  readonly labels?: readonly string[];
  /** Which services have it; all if absent. */
  readonly only?: "live" | "cluster";
}

/** Every metric of the service, in the order in which they are written. */
export const SERVICE_METRICS = {
  bourse_ready: {
    type: "gauge",
    help: "1 while /health/ready answers 200.",
  },
  bourse_warning: {
    type: "gauge",
    help: "1 while /health/ready warns about it: backups, exports, nodes, sources.",
    labels: ["about"],
  },
  bourse_http_requests_total: {
    type: "counter",
    help: "Answered requests by interface, operation and HTTP status.",
    labels: ["interface", "operation", "status"],
  },
  bourse_http_request_duration_seconds: {
    type: "histogram",
    help: "Time from the request until its answer begins.",
    labels: ["interface", "operation"],
  },
  bourse_cache_requests_total: {
    type: "counter",
    help: "Executed operations by result of the cache: hit, miss.",
    labels: ["result"],
  },
  bourse_quota_denials_total: {
    type: "counter",
    help: "Calls that were refused because a window of the token was full.",
    labels: ["plan"],
  },
  bourse_gate_refusals_total: {
    type: "counter",
    help: "Requests that were refused at the gate.",
  },
  bourse_sign_in_refusals_total: {
    type: "counter",
    help: "Refused attempts to sign in to the console: password, link, limit (too many attempts).",
    labels: ["reason"],
  },
  bourse_tokens_expiring: {
    type: "gauge",
    help: "Live tokens in use, with a call within 31 days, that expire within 7 days and were made for longer.",
  },
  bourse_alerts_delayed: {
    type: "gauge",
    help: "Messages of alerts that their receivers did not take yet and that are tried again.",
  },
  bourse_log_lines_total: {
    type: "counter",
    help: "Events of the log: info, warn, error. Also those that the log leaves out.",
    labels: ["level"],
  },
  bourse_event_loop_delay_seconds: {
    type: "histogram",
    help: "Delay of a timer that is due every 100 ms.",
  },
  bourse_clock_shift_seconds: {
    type: "gauge",
    help: "How far the clock was set since the start of the service; also the time that the machine slept.",
  },
  process_cpu_seconds_total: { type: "counter", help: "CPU time of the process." },
  process_resident_memory_bytes: { type: "gauge", help: "Resident memory of the process." },
  process_start_time_seconds: { type: "gauge", help: "When the service started." },
  bourse_build_info: {
    type: "gauge",
    help: "The version of bourse and of Bun.",
    labels: ["version", "bun"],
  },
  bourse_database_bytes: {
    type: "gauge",
    help: "Size of a database file and of its log.",
    labels: ["file"],
  },
  bourse_data_folder_free_bytes: {
    type: "gauge",
    help: "Free bytes on the disk of the data folder.",
  },
  bourse_backup_last_success_timestamp_seconds: {
    type: "gauge",
    help: "When the data folder was last backed up.",
  },
  bourse_backup_needs_attention: {
    type: "gauge",
    help: "1 if the last backup failed or is too old.",
  },
  bourse_export_last_success_timestamp_seconds: {
    type: "gauge",
    help: "When the market was last exported on schedule.",
  },
  bourse_export_needs_attention: {
    type: "gauge",
    help: "1 if the last scheduled export failed or is too old.",
  },
  bourse_newest_close_timestamp_seconds: {
    type: "gauge",
    help: "Date of the newest session with prices, midnight UTC.",
    labels: ["country"],
  },
  bourse_completed_session_timestamp_seconds: {
    type: "gauge",
    help: "Date of the last completed session of the exchange, midnight UTC. On live data only of countries whose prices the schedule keeps.",
    labels: ["country"],
  },
  bourse_newest_record_timestamp_seconds: {
    type: "gauge",
    help: "When records of the kind and country were last fetched.",
    labels: ["kind", "country"],
    only: "live",
  },
  bourse_scheduled_fetches: {
    type: "gauge",
    help: "What the schedule keeps up to date: a list counts as one, and so does each of the largest companies.",
    labels: ["kind", "country"],
    only: "live",
  },
  bourse_overdue_fetches: {
    type: "gauge",
    help: "The scheduled fetches that are due now.",
    labels: ["kind", "country"],
    only: "live",
  },
  bourse_source_requests_total: {
    type: "counter",
    help: "Requests to a source: answered, failed.",
    labels: ["source", "result"],
    only: "live",
  },
  bourse_source_unusable_answers_total: {
    type: "counter",
    help: "Answers of a source whose content cannot be used.",
    labels: ["source"],
    only: "live",
  },
  bourse_source_blocked: {
    type: "gauge",
    help: "1 while a source is not called because it failed repeatedly.",
    labels: ["source"],
    only: "live",
  },
  bourse_cluster_database_up: {
    type: "gauge",
    help: "1 while the cluster's database answers this node.",
    only: "cluster",
  },
  bourse_cluster_leader: {
    type: "gauge",
    help: "1 while this node refreshes the market of the cluster.",
    only: "cluster",
  },
  bourse_cluster_changes_behind: {
    type: "gauge",
    help: "Changes of the market that this node did not apply yet.",
    only: "cluster",
  },
  bourse_cluster_leases: {
    type: "gauge",
    help: "Tokens whose calls this node has counted in advance.",
    only: "cluster",
  },
  bourse_cluster_nodes: {
    type: "gauge",
    help: "Nodes that are alive, as this node knows it from the database.",
    only: "cluster",
  },
} as const satisfies Readonly<Record<string, MetricInfo>>;

/** The name of a metric of the service. */
export type ServiceMetricName = keyof typeof SERVICE_METRICS;

/** The samples of some metrics. */
export type SamplesOf<N extends ServiceMetricName> = Readonly<Record<N, readonly Sample[]>>;
