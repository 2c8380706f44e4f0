import { BourseError } from "#domain/errors.ts";
import { hideSecrets } from "#lib/secrets.ts";
import { formatCount } from "#lib/table.ts";
import { CLUSTER_ACCESS } from "#store/access-cluster.ts";
import { MARKET_LOG } from "#store/market-log.ts";
import { type PostgresState, readPostgresState } from "#store/postgres-state.ts";
import { withPostgres } from "./cluster-stores.ts";
import { ageClockOf, type Invocation } from "./command.ts";
import { failed, type Finding, ok, warning } from "./finding.ts";
import { createClusterLog } from "./stores.ts";

/** A larger difference between this machine's clock and the database's is reported. */
const MAX_CLOCK_ERROR_MS = 5_000;

/** Checks the database of a cluster for `doctor` and changes nothing in it. */
export async function checkDatabase(
  { io, config }: Pick<Invocation, "io" | "config">,
  url: string,
): Promise<Finding[]> {
  const parts = { clock: ageClockOf(io), log: createClusterLog({ io, config }) };
  try {
    return await withPostgres(url, parts, async (postgres) => {
      const sentAt = io.clock();
      const state = await readPostgresState(postgres);
      return [
        ok("database", `${hideSecrets(url)} answers (Postgres ${state.version}).`),
        checkTables(state),
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
