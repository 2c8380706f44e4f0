import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { UsageFolding } from "#access/usage-folding.ts";
import type { CountedCalls, DeniedCalls, UsageHour } from "#store/usage.ts";
import { listHours, windowsAt } from "#store/usage.ts";
import { listTokens, revokeToken } from "#store/tokens.ts";
import { removeUser } from "#store/users.ts";
import {
  type AccessNode,
  addTokens,
  itemOf,
  openAccessNode,
  stopDatabaseClock,
} from "../support/cluster-access.ts";
import { IS_POSTGRES_MISSING, TestPostgres, until } from "../support/postgres.ts";

// Not part of the suite (no .test in its name): it needs Postgres.

const PLENTY = { daily: 1_000_000, hourly: 1_000_000 };
const DAY_MS = 86_400_000;

describe.skipIf(IS_POSTGRES_MISSING)("ClusterUsage", () => {
  let server: TestPostgres;
  let database = "";
  const nodes: AccessNode[] = [];
  let setClock: (now: number) => Promise<void>;
  const usageOf = (i: number) => itemOf(nodes, i).access.usage;

  beforeAll(async () => {
    server = await TestPostgres.start();
    database = await server.createDatabase();
    for (let i = 0; i < 4; i++) nodes.push(await openAccessNode(server, database));
    setClock = await stopDatabaseClock(server, database, windowsAt(Date.now()).day * DAY_MS);
  });
  afterAll(async () => {
    for (const { access } of nodes) await access.close();
    await server?.kill();
  });

  const addUserTokens = (user: string, count: number) =>
    addTokens(itemOf(nodes, 0).access, user, count);
  const hoursOf = (user: string): Promise<UsageHour[]> =>
    itemOf(nodes, 0).access.run(listHours(user, 0, 10_000_000));

  describe("charge", () => {
    test("grants what is wanted, then the rest of the room, then nothing", async () => {
      const now = 490_000 * 3_600_000 + 1_234;
      await setClock(now);
      const [tokenId = 0, other = 0] = await addUserTokens("anna", 2);
      const { day, hour } = windowsAt(now);
      const ceilings = { daily: 10, hourly: 100 };
      const charge = (calls: number) => usageOf(0).charge([{ tokenId, calls, ceilings }]);
      const used = (n: number) => ({ day, dayUsed: n, hour, hourUsed: n });
      expect(await charge(4)).toEqual({ now, granted: [{ calls: 4, usage: used(4) }] });
      expect(await charge(4)).toEqual({ now, granted: [{ calls: 4, usage: used(8) }] });
      expect(await charge(4)).toEqual({ now, granted: [{ calls: 2, usage: used(10) }] });
      expect(await charge(4)).toEqual({ now, granted: [{ calls: 0, usage: used(10) }] });
      // The hourly ceiling too, also for a first call.
      const small = { daily: 100, hourly: 3 };
      const first = await usageOf(0).charge([{ tokenId: other, calls: 5, ceilings: small }]);
      expect(first.granted).toEqual([{ calls: 3, usage: used(3) }]);
      expect(await usageOf(1).list([other, tokenId, 99_999])).toEqual({
        now,
        usages: [used(3), used(10), used(0)],
      });
      const [listed] = await itemOf(nodes, 0).access.run(listTokens("anna"));
      expect(listed?.lastUsedAt).toBe(now);
    });

    test("answers many tokens in the order of the request, and no tokens at all", async () => {
      const ids = await addUserTokens("berta", 3);
      const wanted = [itemOf(ids, 2), 88_888, itemOf(ids, 0), itemOf(ids, 1)].map((tokenId, i) => ({
        tokenId,
        calls: i + 1,
        ceilings: PLENTY,
      }));
      const { granted } = await usageOf(0).charge(wanted);
      expect(granted.map((one) => one?.calls ?? null)).toEqual([1, null, 3, 4]);
      expect((await usageOf(0).charge([])).granted).toEqual([]);
    });

    test("refuses revoked, expired and removed tokens, by the clock of the database", async () => {
      const now = 491_000 * 3_600_000;
      await setClock(now);
      const [revoked = 0, expired = 0, live = 0] = await addUserTokens("clara", 3);
      await itemOf(nodes, 1).access.run(revokeToken(revoked, now));
      await server.execute(
        `UPDATE bourse.tokens SET expires_at = ${now} WHERE id = ${expired};
         UPDATE bourse.tokens SET expires_at = ${now + 1} WHERE id = ${live}`,
        database,
      );
      const charge = async () => {
        const wanted = [revoked, expired, live].map((tokenId) => ({
          tokenId,
          calls: 1,
          ceilings: PLENTY,
        }));
        return (await usageOf(0).charge(wanted)).granted.map((one) => one?.calls ?? null);
      };
      expect(await charge()).toEqual([null, null, 1]);
      await itemOf(nodes, 2).access.transaction(() => removeUser("clara"));
      expect(await charge()).toEqual([null, null, null]);
    });

    test("begins new windows, keeps the history, and counts in a later window after a step back", async () => {
      const hour = 500_000;
      const at = (hours: number) => (hour + hours) * 3_600_000;
      const [tokenId = 0] = await addUserTokens("dora", 1);
      const charge = async () =>
        (await usageOf(0).charge([{ tokenId, calls: 1, ceilings: PLENTY }])).granted[0]?.usage;
      await setClock(at(0));
      await charge();
      await charge();
      await setClock(at(1));
      expect(await charge()).toMatchObject({ hour: hour + 1, hourUsed: 1, dayUsed: 3 });
      // Back by an hour: the call counts in the later hour.
      await setClock(at(0));
      expect(await charge()).toMatchObject({ hour: hour + 1, hourUsed: 2, dayUsed: 4 });
      // Back by more than a day: the clock was wrong before.
      await setClock(at(-40));
      expect(await charge()).toMatchObject({ hour: hour - 40, hourUsed: 1, dayUsed: 1 });
      expect(await hoursOf("dora")).toEqual([
        { tokenId, hour: hour - 40, calls: 1, denied: 0 },
        { tokenId, hour, calls: 2, denied: 0 },
        { tokenId, hour: hour + 1, calls: 2, denied: 0 },
      ]);
      // 400 days later, the closed hours are removed.
      await setClock(at(9_602));
      await charge();
      await setClock(at(9_603));
      await charge();
      expect((await hoursOf("dora")).map((one) => one.hour)).toEqual([hour + 9_602, hour + 9_603]);
    });
  });

  describe("settle", () => {
    test("gives back in the right windows, closed hours too, and stores refused calls", async () => {
      const hour = 24 * 21_000 + 22;
      await setClock(hour * 3_600_000);
      const [one = 0, two = 0] = await addUserTokens("emma", 2);
      const charge = (calls: number) =>
        usageOf(0).charge([one, two].map((tokenId) => ({ tokenId, calls, ceilings: PLENTY })));
      await charge(10);
      await setClock((hour + 1) * 3_600_000);
      await charge(7);
      const { day } = windowsAt(hour * 3_600_000);
      // 10 - 3 calls in the first hour; 7 - 2 - 1 calls in the second; 17 - 6 in the day.
      const unused = [
        { tokenId: one, day, hour, calls: 3 },
        { tokenId: one, day, hour: hour + 1, calls: 2 },
        { tokenId: one, day, hour: hour + 1, calls: 1 },
        { tokenId: 77_777, day, hour, calls: 5 },
      ];
      const denied = [
        { tokenId: two, hour, denied: 4 },
        { tokenId: two, hour, denied: 1 },
        { tokenId: 77_777, hour, denied: 5 },
      ];
      await usageOf(1).settle(unused, denied);
      expect((await usageOf(2).list([one])).usages).toEqual([
        { day, dayUsed: 11, hour: hour + 1, hourUsed: 4 },
      ]);
      // Another day: only the closed hour is left to give back to.
      await setClock((hour + 2) * 3_600_000);
      await charge(1);
      await usageOf(1).settle([{ tokenId: one, day, hour: hour + 1, calls: 1 }], []);
      await usageOf(1).settle([], []);
      expect((await usageOf(2).list([one])).usages).toEqual([
        { day: day + 1, dayUsed: 1, hour: hour + 2, hourUsed: 1 },
      ]);
      expect(await hoursOf("emma")).toEqual([
        { tokenId: one, hour, calls: 7, denied: 0 },
        { tokenId: two, hour, calls: 10, denied: 5 },
        { tokenId: one, hour: hour + 1, calls: 3, denied: 0 },
        { tokenId: two, hour: hour + 1, calls: 7, denied: 0 },
        { tokenId: one, hour: hour + 2, calls: 1, denied: 0 },
        { tokenId: two, hour: hour + 2, calls: 1, denied: 0 },
      ]);
    });
  });

  test("two nodes fold old hours into days at the same time, and no call is lost or counted twice", async () => {
    const day = 22_000;
    const now = day * DAY_MS + 1;
    await setClock(now);
    const ids = await addUserTokens("fritz", 700);
    const rows = (days: readonly number[], hours: string) =>
      server.execute(
        `INSERT INTO bourse.usage_hours SELECT id, day * 24 + hour, id, 2 FROM bourse.tokens,
           unnest(ARRAY[${days.join()}]) AS day, unnest(ARRAY[${hours}]) AS hour
         WHERE user_id = (SELECT id FROM bourse.users WHERE name = 'fritz')`,
        database,
      );
    await rows([day - 20, day - 8], "0, 5, 23");
    await rows([day - 7, day - 1], "0, 5, 23");
    const fold = (i: number) =>
      new UsageFolding(itemOf(nodes, i).access).run(
        now,
        () => false,
        async () => {},
      );
    await Promise.all([fold(0), fold(1), fold(0)]);
    const stored = await hoursOf("fritz");
    // A row a day before the last seven whole days, three after.
    expect(stored).toHaveLength(700 * (2 * 1 + 2 * 3));
    const ofDay = stored.filter(({ hour }) => hour === (day - 8) * 24);
    expect(ofDay).toEqual(
      ids.map((tokenId) => ({ tokenId, hour: (day - 8) * 24, calls: 3 * tokenId, denied: 6 })),
    );
    expect(await deadlocks()).toBe(0);
  });

  test("counts as a model does, over windows, refunds and refusals", async () => {
    let users = 0;
    const step = fc.oneof(
      fc.record({
        kind: fc.constant("charge" as const),
        calls: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant("pass" as const), hours: fc.integer({ min: 1, max: 5 }) }),
      fc.record({
        kind: fc.constant("settle" as const),
        /** The share of what was granted and is not given back yet, for the newest and older grants. */
        shares: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
        denied: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 3 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 20 }),
        async (steps, daily, hourly) => {
          const user = `model ${users++}`;
          const ids = await addUserTokens(user, 3);
          const model = new Model(ids, { daily, hourly });
          for (const [i, one] of steps.entries()) {
            await setClock(model.now);
            if (one.kind === "pass") model.now += one.hours * 3_600_000;
            else if (one.kind === "charge") {
              const wanted = one.calls.map((calls, t) => ({
                tokenId: itemOf(ids, t),
                calls,
                ceilings: { daily, hourly },
              }));
              const { granted } = await usageOf(i).charge(wanted);
              expect(granted).toEqual(
                wanted.map(({ tokenId, calls }) => model.charge(tokenId, calls)),
              );
            } else {
              const { unused, denied } = model.settle(one.shares, one.denied);
              await usageOf(i).settle(unused, denied);
            }
          }
          await setClock(model.now);
          expect((await usageOf(0).list(ids)).usages).toEqual(ids.map((id) => model.usage(id)));
          expect(await hoursOf(user)).toEqual(model.hours());
        },
      ),
      { numRuns: 60 },
    );
  });

  test("concurrent charges and refunds of several nodes never exceed a ceiling and never deadlock", async () => {
    const hour = 24 * 22_000;
    await setClock(hour * 3_600_000);
    const ids = await addUserTokens("fiona", 30);
    const ceilings = { daily: 400, hourly: 300 };
    const before = await deadlocks();
    /** Granted minus given back, per token. */
    const held = new Map<number, number>();
    const add = (tokenId: number, calls: number) =>
      held.set(tokenId, (held.get(tokenId) ?? 0) + calls);
    const { day } = windowsAt(hour * 3_600_000);
    const worker = async (w: number) => {
      for (let round = 0; round < 60; round++) {
        // Any order, and other tokens in each round.
        const some = ids.toSorted((a, b) => hash(a, w, round) - hash(b, w, round)).slice(0, 12);
        const wanted = some.map((tokenId) => ({ tokenId, calls: 1 + (round % 9), ceilings }));
        const { granted } = await usageOf(w).charge(wanted);
        const unused = [];
        for (const [i, one] of granted.entries()) {
          const tokenId = itemOf(some, i);
          const back = Math.floor((one?.calls ?? 0) / 3);
          add(tokenId, (one?.calls ?? 0) - back);
          expect(one?.usage.hourUsed).toBeLessThanOrEqual(ceilings.hourly);
          if (back > 0) unused.push({ tokenId, day, hour, calls: back });
        }
        const denied = some.slice(0, 3).map((tokenId) => ({ tokenId, hour, denied: 1 }));
        if (round % 4 === 0) await usageOf(w).settle(unused, denied);
        else for (const one of unused) add(one.tokenId, one.calls);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, w) => worker(w)));
    const { usages } = await usageOf(0).list(ids);
    expect(usages.map(({ hourUsed }) => hourUsed)).toEqual(ids.map((id) => held.get(id) ?? 0));
    expect(Math.max(...usages.map(({ hourUsed }) => hourUsed))).toBe(ceilings.hourly);
    const refused = (await hoursOf("fiona")).reduce((sum, { denied }) => sum + denied, 0);
    expect(refused).toBe(8 * 15 * 3);
    expect(await deadlocks()).toBe(before);
  });

  test("the first calls of tokens, new hours and the removal of users at the same moment", async () => {
    const hour = 24 * 23_000;
    await setClock(hour * 3_600_000);
    const before = await deadlocks();
    for (let round = 0; round < 15; round++) {
      const kept = await addUserTokens("greta", 6);
      const removed = await addUserTokens(`gone ${round}`, 6);
      const ids = kept.flatMap((id, i) => [itemOf(removed, i), id]);
      const wanted = ids.map((tokenId) => ({ tokenId, calls: 2, ceilings: PLENTY }));
      // Some of the removed ones have counters already.
      await usageOf(0).charge(wanted.slice(0, 5));
      await setClock((hour + round + 1) * 3_600_000);
      const [answers] = await Promise.all([
        Promise.all([
          usageOf(0).charge(wanted),
          usageOf(1).charge(wanted.toReversed()),
          usageOf(2).charge(wanted),
        ]),
        itemOf(nodes, 3).access.transaction(() => removeUser(`gone ${round}`)),
      ]);
      const charged = kept.map((id) =>
        answers
          .flatMap(({ granted }, n) => (n === 1 ? granted.toReversed() : granted))
          .filter((_, i) => ids[i % ids.length] === id)
          .map((one) => one?.calls),
      );
      expect(charged).toEqual(kept.map(() => [2, 2, 2]));
      const { usages } = await usageOf(0).list([...kept, ...removed]);
      expect(usages.map(({ hourUsed }) => hourUsed)).toEqual([
        ...kept.map(() => 6),
        ...removed.map(() => 0),
      ]);
    }
    expect(await deadlocks()).toBe(before);
  });

  test("reads few rows of tables that have grown and have no new statistics", async () => {
    const hour = 24 * 24_000;
    const { day } = windowsAt(hour * 3_600_000);
    const grown = await server.createDatabase();
    const node = await openAccessNode(server, grown);
    const { usage } = node.access;
    const useAll = async (tokenIds: readonly number[], prefixes: readonly string[]) => {
      await usage.charge(tokenIds.map((tokenId) => ({ tokenId, calls: 3, ceilings: PLENTY })));
      await usage.settle(
        tokenIds.map((tokenId) => ({ tokenId, day, hour, calls: 1 })),
        tokenIds.map((tokenId) => ({ tokenId, hour, denied: 1 })),
      );
      await usage.list(tokenIds);
      await node.access.listCandidates(prefixes);
    };
    const few = await addTokens(node.access, "helga", 5);
    await server.execute(
      `CREATE OR REPLACE FUNCTION bourse.cluster_now() RETURNS double precision LANGUAGE sql VOLATILE
         AS 'SELECT ${hour * 3_600_000}::double precision';
       ALTER TABLE bourse.users SET (autovacuum_enabled = off);
       ALTER TABLE bourse.tokens SET (autovacuum_enabled = off);
       ALTER TABLE bourse.usage SET (autovacuum_enabled = off);
       ALTER TABLE bourse.usage_hours SET (autovacuum_enabled = off)`,
      grown,
    );
    await useAll(few, ["few"]);
    await server.execute("ANALYZE", grown);
    // Postgres keeps a general plan from the sixth time on.
    for (let i = 0; i < 8; i++) await useAll(few, ["few"]);
    await server.execute(
      `SET track_counts = off; -- Rows that are read here do not count below.
       INSERT INTO bourse.tokens (user_id, prefix, hash, label, created_at)
         SELECT 1, 'token ' || n, sha256(n::text::bytea), '', 0 FROM generate_series(1, 20000) AS n;
       INSERT INTO bourse.usage SELECT id, ${day}, 9, ${hour}, 9, 0 FROM bourse.tokens
         ON CONFLICT DO NOTHING;
       INSERT INTO bourse.usage_hours SELECT id, ${hour - 1}, 1, 1 FROM bourse.tokens`,
      grown,
    );
    const rowsRead = async () => {
      const [row] = await server.execute<{ rows: number }>(
        `SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 AS rows
         FROM pg_stat_user_tables WHERE schemaname = 'bourse'`,
        grown,
      );
      return row?.rows ?? 0;
    };
    const before = await rowsRead();
    const many = Array.from({ length: 500 }, (_, i) => 1_000 + i);
    await useAll(
      many,
      many.map((n) => `token ${n}`),
    );
    const { usages } = await usage.list(many);
    expect(usages.every(({ hourUsed }) => hourUsed === 9 + 3 - 1)).toBe(true);
    // A connection reports what it has read before it ends.
    await node.access.close();
    await until(async () => {
      const open = `SELECT pid FROM pg_stat_activity WHERE application_name = 'bourse' AND datname = '${grown}'`;
      expect(await server.execute(open)).toEqual([]);
    });
    const perToken = ((await rowsRead()) - before) / many.length;
    expect(perToken).toBeGreaterThan(5);
    expect(perToken).toBeLessThan(30);
  });

  async function deadlocks(): Promise<number> {
    const [row] = await server.execute<{ deadlocks: string }>(
      "SELECT sum(deadlocks) AS deadlocks FROM pg_stat_database",
    );
    return Number(row?.deadlocks);
  }
});

/** Any number that depends on all three. */
const hash = (a: number, b: number, c: number): number =>
  ((a * 73_856_093) ^ (b * 19_349_663) ^ (c * 83_492_791)) >>> 0;

/** The counters of some tokens with the same ceilings, as the plainest code counts them. */
class Model {
  now = 600_000 * 3_600_000;
  readonly #ids: readonly number[];
  readonly #ceilings: { daily: number; hourly: number };
  /** Calls by token and window. */
  readonly #days = new Map<string, number>();
  readonly #hours = new Map<string, number>();
  readonly #denied = new Map<string, number>();
  #grants: CountedCalls[] = [];

  constructor(ids: readonly number[], ceilings: { daily: number; hourly: number }) {
    this.#ids = ids;
    this.#ceilings = ceilings;
  }

  usage(id: number) {
    const { day, hour } = windowsAt(this.now);
    const dayUsed = this.#days.get(`${id} ${day}`) ?? 0;
    return { day, dayUsed, hour, hourUsed: this.#hours.get(`${id} ${hour}`) ?? 0 };
  }

  charge(tokenId: number, wanted: number) {
    const { day, dayUsed, hour, hourUsed } = this.usage(tokenId);
    const { daily, hourly } = this.#ceilings;
    const calls = Math.min(wanted, daily - dayUsed, hourly - hourUsed);
    this.#add({ tokenId, day, hour, calls }, 1);
    if (calls > 0) this.#grants.push({ tokenId, day, hour, calls });
    return { calls, usage: this.usage(tokenId) };
  }

  settle(shares: readonly number[], refused: readonly number[]) {
    const unused: CountedCalls[] = shares.flatMap((share) => {
      const grant = this.#grants.pop();
      return grant ? [{ ...grant, calls: Math.ceil(grant.calls * share) }] : [];
    });
    for (const one of unused) this.#add(one, -1);
    const { hour } = windowsAt(this.now);
    const denied: DeniedCalls[] = refused.map((count, i) => ({
      tokenId: itemOf(this.#ids, i),
      hour,
      denied: count,
    }));
    for (const one of denied) add(this.#denied, `${one.tokenId} ${hour}`, one.denied);
    return { unused, denied };
  }

  hours(): UsageHour[] {
    const keys = new Set([...this.#hours.keys(), ...this.#denied.keys()]);
    return [...keys]
      .map((key) => {
        const [tokenId = 0, hour = 0] = key.split(" ").map(Number);
        const calls = this.#hours.get(key) ?? 0;
        return { tokenId, hour, calls, denied: this.#denied.get(key) ?? 0 };
      })
      .filter(({ calls, denied }) => calls > 0 || denied > 0)
      .toSorted((a, b) => a.hour - b.hour || a.tokenId - b.tokenId);
  }

  #add({ tokenId, day, hour, calls }: CountedCalls, sign: 1 | -1): void {
    add(this.#days, `${tokenId} ${day}`, sign * calls);
    add(this.#hours, `${tokenId} ${hour}`, sign * calls);
  }
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
