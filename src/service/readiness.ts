import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import type { Config } from "#config.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import type { Readiness } from "#http/health.ts";
import { hasSample } from "#ingest/ingest.ts";
import { formatCount } from "#lib/table.ts";
import type { CompanyRollups } from "#rollups/company-rollups.ts";
import type { ServiceStores } from "./stores.ts";
import { databaseNames, readFreeBytes } from "./data-folder.ts";

/** The answer is reused for this time, because anyone may request it. */
const REUSED_MS = 1_000;
/** A refresh that began no fetch for this time is stuck; the slowest fetches take minutes. */
const STUCK_MS = 30 * 60_000;
/** For this time without the cluster's database, calls are still served. */
const DOWN_MS = 10_000;
/** With less free space, a write can fail at any moment. */
const MIN_FREE_BYTES = 32 * 2 ** 20;

/** The dependencies of `ReadinessCheck`. */
export interface ReadinessParts extends Pick<
  ServiceStores,
  "checkFiles" | "market" | "clock" | "node"
> {
  readonly config: Pick<Config, "dataFolder" | "market">;
  /** The figures of all companies; absent if answers wait for them. */
  readonly rollups?: Pick<CompanyRollups, "areComplete">;
  /** How long the refresh of the market has begun no step; absent without a refresh. */
  readonly idleMs?: (() => number) | undefined;
  /** Why the backups need attention; absent without a schedule. */
  readonly backups?: { warning(): string | null } | undefined;
  /** Why the exports need attention; absent without a schedule. */
  readonly exports?: { warning(): string | null } | undefined;
  /** Why the live sources need attention; absent without live sources. */
  readonly sources?: { warning(): string | null } | undefined;
}

/** Checks whether the service can do its work: files, market, refresh and backups. */
export class ReadinessCheck {
  readonly #parts: ReadinessParts;
  #last: { readonly at: number; readonly readiness: Readiness } | null = null;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  /** The state now, or within the last second. */
  check(): Readiness {
    const now = this.#parts.clock();
    if (this.#last && Math.abs(now - this.#last.at) < REUSED_MS) return this.#last.readiness;
    const reasons = [
      this.#checkFiles(),
      this.#checkCluster(),
      this.#checkMarket(),
      this.#checkFigures(),
      this.#checkRefresh(),
    ];
    const warnings = Object.values(this.warnings());
    const isText = (text: string | null) => text !== null;
    const readiness = { reasons: reasons.filter(isText), warnings: warnings.filter(isText) };
    this.#last = { at: now, readiness };
    return readiness;
  }

  /** What needs attention although the service is ready, by topic; null for a topic that does not. */
  warnings(): Readonly<Record<"backups" | "exports" | "nodes" | "sources", string | null>> {
    const { backups, exports, sources } = this.#parts;
    return {
      backups: backups?.warning() ?? null,
      exports: exports?.warning() ?? null,
      nodes: this.#compareNodes(),
      sources: sources?.warning() ?? null,
    };
  }

  #checkFiles(): string | null {
    const { config, node, checkFiles } = this.#parts;
    try {
      checkFiles();
      for (const name of ["", ...databaseNames(Boolean(node))]) {
        accessSync(join(config.dataFolder, name), constants.R_OK | constants.W_OK);
      }
      return readFreeBytes(config.dataFolder) < MIN_FREE_BYTES
        ? "The disk of the data folder is full."
        : null;
    } catch (error) {
      if (error instanceof BourseError) return "A database file was removed, replaced or emptied.";
      return "The data folder or one of its files cannot be written.";
    }
  }

  #checkCluster(): string | null {
    const health = this.#parts.node?.health();
    if (!health) return null;
    const { downMs, hasCaughtUp, fault, changesBehind } = health;
    if (downMs >= DOWN_MS)
      return `The cluster's database has not answered for ${Math.floor(downMs / 1_000)} seconds.`;
    if (fault !== null)
      return `This node ${fault}. Meanwhile it answers from the market that it has.`;
    if (hasCaughtUp) return null;
    return changesBehind > 0
      ? `This node still applies ${formatCount(changesBehind, "change")} of the market that it missed.`
      : "This node has not read the changes of the cluster's market yet.";
  }

  #compareNodes(): string | null {
    const differs = this.#parts.node?.health().differs ?? [];
    if (differs.length === 0) return null;
    return `This node differs from the leader of the cluster in: ${differs.join(", ")}.`;
  }

  #checkMarket(): string | null {
    const { config, market } = this.#parts;
    const isPresent =
      config.market === "sample"
        ? hasSample(market)
        : COUNTRY_CODES.some((country) => market.instruments.hasListing(country));
    return isPresent ? null : "The market is empty: no list of instruments is stored yet.";
  }

  #checkFigures(): string | null {
    const { rollups } = this.#parts;
    return rollups?.areComplete === false
      ? "The figures of all companies are being computed."
      : null;
  }

  #checkRefresh(): string | null {
    const idleMs = this.#parts.idleMs?.() ?? 0;
    if (idleMs < STUCK_MS) return null;
    return `The refresh of the market has been stuck for ${Math.floor(idleMs / 60_000)} minutes.`;
  }
}
