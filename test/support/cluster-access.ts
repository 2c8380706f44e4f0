import { createLog } from "#lib/log.ts";
import { type ClusterAccess, openClusterAccess } from "#store/access-cluster.ts";
import { Postgres } from "#store/postgres.ts";
import { addToken } from "#store/tokens.ts";
import { addUser, findUser } from "#store/users.ts";
import type { TestPostgres } from "./postgres.ts";

/** What `Postgres` needs: the real clock, and a log that is not written. */
export const POSTGRES_PARTS = {
  clock: Date.now,
  log: createLog({ format: "text", write: () => {}, clock: Date.now }),
};

/** The access store of one node of a cluster, with its connections. `close` closes both. */
export interface AccessNode {
  readonly postgres: Postgres;
  readonly access: ClusterAccess;
}

/** Connects one more node to a database. `port` leads to it through a proxy. */
export async function openAccessNode(
  server: TestPostgres,
  database: string,
  port = server.port,
): Promise<AccessNode> {
  const postgres = await Postgres.open(server.url(database, port), POSTGRES_PARTS);
  return { postgres, access: await openClusterAccess(postgres) };
}

/** Stops the clock of a cluster's database at `now` (UTC milliseconds); returns the function that moves it. */
export async function stopDatabaseClock(
  server: TestPostgres,
  database: string,
  now: number,
): Promise<(now: number) => Promise<void>> {
  await server.execute(
    `CREATE TABLE bourse.test_clock AS SELECT ${now}::double precision AS now;
     CREATE OR REPLACE FUNCTION bourse.cluster_now() RETURNS double precision LANGUAGE sql VOLATILE
       SET search_path = bourse AS 'SELECT now FROM test_clock'`,
    database,
  );
  return async (moved) => {
    await server.execute(`UPDATE bourse.test_clock SET now = ${moved}`, database);
  };
}

/** Adds a user with tokens that never expire, and returns their ids. The user is added once. */
export async function addTokens(
  access: ClusterAccess,
  user: string,
  count: number,
): Promise<number[]> {
  return access.transaction(function* () {
    yield* addUser({ name: user, plan: "max", role: "user", createdAt: 0 });
    const userId = (yield* findUser(user))?.id ?? 0;
    const ids: number[] = [];
    for (let i = 0; i < count; i++) {
      const hash = crypto.getRandomValues(new Uint8Array(32));
      const prefix = hash.toHex().slice(0, 12);
      const token = {
        userId,
        prefix,
        hash,
        label: `token ${i}`,
        rights: "",
        lists: null,
        asOf: null,
        createdAt: 0,
        expiresAt: null,
      };
      ids.push((yield* addToken(token, Number.MAX_SAFE_INTEGER)) ?? 0);
    }
    return ids;
  });
}

/** The item at `i`, counted on from the start again after the end. The list must not be empty. */
export function itemOf<T>(list: readonly T[], i: number): T {
  return list[i % list.length] as T;
}
