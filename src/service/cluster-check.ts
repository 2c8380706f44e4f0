import type { Config } from "#config.ts";
import { BourseError } from "#domain/errors.ts";
import type { Finding } from "#http/service-reports.ts";
import { hideSecrets } from "#lib/secrets.ts";
import { formatCount } from "#lib/table.ts";
import { CLUSTER_ACCESS } from "#store/access-cluster.ts";
import { MARKET_LOG } from "#store/market-log.ts";
import { countUsedClients } from "#store/oauth.ts";
import { type PostgresState, readPostgresState } from "#store/postgres-state.ts";
import { checkAddress } from "#store/postgres-pool.ts";
import { ClusterNodes } from "#store/cluster-nodes.ts";
import type { Postgres } from "#store/postgres.ts";
import { withPostgres } from "./cluster-stores.ts";
import { postgresPartsOf, type World } from "./world.ts";
import { describeNode, describePlaces, failed, ok, warning } from "./finding.ts";

/** A larger difference between this machine's clock and the database's is reported. */
const MAX_CLOCK_ERROR_MS = 5_000;

/** Checks the database of a cluster for `doctor` and changes nothing in it. */
export async function checkDatabase(
  { world, config }: { readonly world: World; readonly config: Config },
  url: string,
): Promise<Finding[]> {
  try {
    return await withPostgres(url, postgresPartsOf(world, config), async (postgres) => {
      const sentAt = world.clock();
      const state = await readPostgresState(postgres);
      return [
        ok("database", `${hideSecrets(url)} answers (Postgres ${state.version}).`),
        checkTables(state),
        checkTls(state, url),
        checkRights(state),
        await checkNodes(postgres, state),
        ...(await checkClients(postgres, state)),
        // Less than a second is between both clocks.
        checkClock(sentAt - state.now),
      ];
    });
  } catch (error) {
    if (error instanceof BourseError) return [failed("database", error.message)];
    throw error;
  }
}

function checkTables({ schemas }: PostgresState): Finding {
  if (schemas === null) return ok("tables", "There are none yet; the first node creates them.");
  const areas = [CLUSTER_ACCESS, MARKET_LOG].map(({ name, migrations }) => ({
    name,
    stored: schemas.get(name) ?? 0,
    known: migrations.length,
  }));
  const newer = areas.find(({ stored, known }) => stored > known);
  if (newer) {
    const { name, stored, known } = newer;
    return failed(
      "tables",
      `A newer bourse has upgraded them (${name}: schema ${stored}, this one knows ${known}); upgrade bourse on this machine.`,
    );
  }
  const list = areas.map(({ name, stored }) => `${name}: schema ${stored}`).join(", ");
  const isOld = areas.some(({ stored, known }) => stored < known);
  return ok("tables", isOld ? `${list}; the next start of a node upgrades them.` : `${list}.`);
}

/** The places of OAuth clients, if few are left. */
async function checkClients(postgres: Postgres, state: PostgresState): Promise<Finding[]> {
  if (!state.schemas?.has(CLUSTER_ACCESS.name)) return [];
  return describePlaces(await postgres.run(countUsedClients(state.now)));
}

/** Modes in which the certificate of the server is checked. */
const VERIFYING = ["verify-ca", "verify-full"];

function checkTls({ tls }: PostgresState, url: string): Finding {
  const { socket, url: address } = checkAddress(url);
  if (socket !== null) return ok("database TLS", "Not needed over a Unix socket.");
  const { hostname, searchParams } = address;
  const mode = searchParams.get("sslmode") ?? "prefer";
  const text = tls === null ? "Clear text" : tls;
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  if (isLocal || (tls !== null && VERIFYING.includes(mode)))
    return ok("database TLS", `${text} (sslmode=${mode}).`);
  return warning(
    "database TLS",
    tls === null
      ? `Passwords and users go over the network in clear text (sslmode=${mode}). Switch TLS on at the server, and add ?sslmode=verify-full&sslrootcert=FILE to BOURSE_CLUSTER.`
      : `${tls}, but the certificate is not checked (sslmode=${mode}). Add ?sslmode=verify-full&sslrootcert=FILE to BOURSE_CLUSTER.`,
  );
}

function checkRights({ isOpenToAll }: PostgresState): Finding {
  if (!isOpenToAll)
    return ok("database rights", "Only users with the right to connect reach the database.");
  return warning(
    "database rights",
    "Every user of the server can connect to the database, and send notifications to the nodes. Give bourse a database of its own: REVOKE CONNECT ON DATABASE … FROM PUBLIC",
  );
}

async function checkNodes(postgres: Postgres, { schemas }: PostgresState): Promise<Finding> {
  if (schemas?.get(MARKET_LOG.name) !== MARKET_LOG.migrations.length)
    return ok("nodes", "There are none yet.");
  const nodes = await new ClusterNodes(postgres).list();
  const faults = nodes.flatMap((node) =>
    node.isGone || node.fault !== null || node.differs.length > 0
      ? [`${node.host} (${node.url}): ${describeNode(node)}`]
      : [],
  );
  if (faults.length === 0) return ok("nodes", `${formatCount(nodes.length, "node")}, all equal.`);
  const advice = [
    nodes.some(({ differs }) => differs.length > 0) &&
      "Give all nodes the same program and settings.",
    nodes.some(({ isGone }) => isGone) &&
      "Start a node that is gone again; one that was removed leaves the list after a minute.",
    nodes.some(({ fault }) => fault !== null) &&
      "A node that does not follow the log tries again by itself; its own log says more.",
  ];
  return warning("nodes", [`${faults.join(". ")}.`, ...advice.filter(Boolean)].join(" "));
}

function checkClock(aheadMs: number): Finding {
  if (Math.abs(aheadMs) <= MAX_CLOCK_ERROR_MS)
    return ok("database clock", "It agrees with the clock of this machine.");
  const seconds = formatCount(Math.round(Math.abs(aheadMs) / 1_000), "second");
  const place = aheadMs > 0 ? "ahead of" : "behind";
  return warning(
    "database clock",
    `The clock of this machine is ${seconds} ${place} the database's. Services follow the database's clock, but commands, backups and logs follow this one. Set it: timedatectl set-ntp true`,
  );
}
