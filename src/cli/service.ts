import type { Guard } from "#access/guard.ts";
import { createIpGate } from "#access/ip-gate.ts";
import type { Config } from "#config.ts";
import { type ApiVersion, V1 } from "#http/api-version.ts";
import { createApp } from "#http/app.ts";
import { createClientAddress } from "#http/client-address.ts";
import type { OnRequest } from "#ingest/on-request.ts";
import type { Log } from "#lib/log.ts";
import { McpServer } from "#mcp/server.ts";
import { createExecutor } from "#operations/execute.ts";
import type { CompanyRollups } from "#rollups/company-rollups.ts";
import type { MarketStore } from "#store/index.ts";
import { VERSION } from "./version.ts";

/** What the service is made of; the composition root opens and closes it. */
export interface ServiceParts {
  readonly config: Config;
  readonly guard: Guard;
  readonly market: MarketStore;
  readonly clock: () => number;
  readonly log: Log;
  /** Brings what a request needs from live sources; left out where nothing is live. */
  readonly onRequest?: OnRequest | undefined;
  /** Roll-ups of the same market; where left out, answers wait until they are computed. */
  readonly rollups?: CompanyRollups;
  /** The versions of the interface to mount; v1 where left out. */
  readonly versions?: readonly ApiVersion[];
}

/** Puts the service together: every part is made here and handed to those that need it. */
export function createService(parts: ServiceParts) {
  const { config, guard, market, clock, log, onRequest, versions = [V1] } = parts;
  const perMinute = config.gatePerMinute;
  const executor = createExecutor({
    market,
    clock,
    refresh: onRequest,
    rollups: parts.rollups,
  });
  const dependencies = {
    executor,
    guard,
    mcp: new McpServer({ executor, guard, clock, log, version: VERSION }),
    gate: perMinute > 0 ? createIpGate(perMinute, clock) : null,
    clientAddress: createClientAddress(config.trustedProxies),
    clock,
    log,
  };
  return createApp(dependencies, versions);
}
