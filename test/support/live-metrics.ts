import { ServiceMetrics } from "#service/metrics.ts";
import { readConfig } from "#config.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import type { StatefulSourceClient } from "#sources/source-client.ts";
import type { MarketStore } from "#store/index.ts";
import { playNode, type PlayedNode, START, type TestService } from "./service.ts";

/** The client of a source that was called seven times and is never called again. */
export function playClient(blockedUntil = 0): StatefulSourceClient {
  return {
    counts: { answered: 5, failed: 2 },
    unusable: 1,
    blockedUntil,
    key: null,
    probe() {
      return this;
    },
    reportAnswer() {},
    request: () => Promise.reject(new Error("not called")),
  };
}

/** The metrics of a live service at `START`, which is also a node of a cluster if there is one. */
export function playLiveMetrics(
  { folder, access }: Pick<TestService, "folder" | "access">,
  parts: {
    market: MarketStore;
    backups: { succeededAt: () => number | null; warning: () => string | null };
    clients?: ReadonlyMap<string, StatefulSourceClient>;
    node?: PlayedNode;
    /** The only sources; all if absent. */
    sources?: string;
  },
): ServiceMetrics {
  const { market, backups, clients = new Map([["sec", playClient()]]), node, sources } = parts;
  const clock = () => START;
  return new ServiceMetrics({
    config: readConfig({ data: folder, market: "live", ...(sources && { sources }) }, {}),
    access,
    market,
    rollups: new CompanyRollups(market, clock),
    logLines: { info: 0, warn: 0, error: 0 },
    backups,
    exports: { succeededAt: () => START, warning: () => null },
    sources: () => clients,
    node: node ? playNode(node) : null,
    clock,
    stopwatch: () => 0,
  });
}
