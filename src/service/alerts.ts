import { AlertDelivery } from "#alerts/delivery.ts";
import { Judging } from "#alerts/judging.ts";
import type { Config } from "#config.ts";
import type { Log } from "#lib/log.ts";
import { OUTSIDE_NETWORK } from "#lib/outside-network.ts";
import { keepAt, type Upkeep } from "#lib/periodic.ts";
import type { CompanyRollups } from "#rollups/company-rollups.ts";
import type { ServiceStores } from "./stores.ts";

/** How often messages are delivered. */
const DELIVERY_MS = 1_000;

/** The dependencies of the alerts of a service. */
export interface AlertsParts extends Pick<ServiceStores, "access" | "market" | "clock" | "node"> {
  readonly rollups: CompanyRollups;
  readonly stopwatch: () => number;
  readonly log: Log;
  readonly config: Pick<Config, "alerts" | "publicUrl">;
  /** False while another process on the data folder refreshes the market. */
  readonly mayFetch: () => boolean;
}

/** The alerts of a service: one process of several judges and delivers. */
export interface ServiceAlerts extends Upkeep {
  /** Computes the figures of companies that changed, and judges the rules about them. */
  run(): Promise<void>;
}

/** A log whose errors are warnings while the database is down, because another line and an alert say that. */
const quietWhile = (isDown: () => boolean, log: Log): Log => ({
  info: log.info.bind(log),
  warn: log.warn.bind(log),
  error: (...line) => log[isDown() ? "warn" : "error"](...line),
});

/** Begins the delivery of messages. Rules are judged by `run`. */
export function startAlerts(parts: AlertsParts): ServiceAlerts {
  const { access, clock, config, node, mayFetch } = parts;
  const isDatabaseUp = () => node?.health().isDatabaseUp ?? true;
  const mayJudge = () => isDatabaseUp() && (node ? node.health().isLeader : mayFetch());
  const log = quietWhile(() => !isDatabaseUp(), parts.log);
  const judging = new Judging({
    ...parts,
    log,
    mayJudge,
    term: node ? () => node.health().term : undefined,
  });
  const { alerts: places, publicUrl } = config;
  const delivery = new AlertDelivery({
    access,
    clock,
    log,
    places,
    publicUrl,
    network: OUTSIDE_NETWORK,
  });
  const times = { firstMs: DELIVERY_MS, everyMs: DELIVERY_MS };
  const delivering = keepAt(
    times,
    async () => {
      if (mayJudge()) await delivery.run();
    },
    () => log.error("messages of alerts could not be delivered now"),
  );
  return {
    run: () => judging.run(),
    async stop() {
      judging.stop();
      await delivering.stop();
      await delivery.stop();
    },
  };
}
