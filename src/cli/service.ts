import { Accounts } from "#access/accounts.ts";
import type { Guard } from "#access/guard.ts";
import { createIpGate, type IpGate } from "#access/ip-gate.ts";
import type { Config } from "#config.ts";
import { type ApiVersion, V1 } from "#http/api-version.ts";
import { createApp } from "#http/app.ts";
import type { BrowserApp } from "#http/browser-app.ts";
import { type ClientAddress, createClientAddress, TrustedProxies } from "#http/client-address.ts";
import type { OnRequest } from "#ingest/on-request.ts";
import { lazy } from "#lib/lazy.ts";
import type { Log } from "#lib/log.ts";
import { McpServer } from "#mcp/server.ts";
import { createExecutor, type Executor } from "#operations/execute.ts";
import type { CompanyRollups } from "#rollups/company-rollups.ts";
import type { AccessStore, MarketStore } from "#store/index.ts";
import { VERSION } from "./version.ts";

/** The parts of the service; the composition root opens and closes them. */
export interface ServiceParts {
  readonly config: Config;
  readonly access: AccessStore;
  readonly guard: Guard;
  readonly market: MarketStore;
  readonly clock: () => number;
  readonly log: Log;
  /** Fetches the records that a request needs from live sources; absent without live sources. */
  readonly onRequest?: OnRequest | undefined;
  /** Roll-ups of the same market; if absent, answers wait until they are computed. */
  readonly rollups?: CompanyRollups;
  /** The versions of the interface to mount; v1 if absent. */
  readonly versions?: readonly ApiVersion[];
}

/** Creates the service: every part is created here and passed to the parts that need it. */
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
  const browser = createBrowser(parts, dependencies);
  return createApp({ ...dependencies, browser }, versions);
}

/** The console. Its modules are loaded by the first request, because the start does not need them. */
function createBrowser(
  { config, access, clock, log }: ServiceParts,
  shared: { executor: Executor; gate: IpGate | null; clientAddress: ClientAddress },
): BrowserApp {
  const { host, publicUrl, insecureSignIn, trustedProxies, plans, market } = config;
  const load = lazy(async () => {
    const [{ createBrowserApp }, { SignIn }] = await Promise.all([
      import("#http/browser-app.ts"),
      import("#access/sign-in.ts"),
    ]);
    return createBrowserApp({
      ...shared,
      signIn: new SignIn(access, clock),
      accountsOf: (actor) => new Accounts({ access, plans, clock, actor }),
      settings: { host, publicUrl, insecureSignIn, proxies: new TrustedProxies(trustedProxies) },
      market,
      version: VERSION,
      clock,
      log,
    });
  });
  return async (...visit) => (await load())(...visit);
}
