import { expect, test } from "bun:test";
import {
  addRefusedCalls,
  listRefusalDays,
  listRefusalSums,
  listRefusedCalls,
  type RefusedCalls,
  REFUSALS_A_DAY,
  removeOldRefusals,
  removeRefusalsOfUser,
} from "#store/refused-calls.ts";
import { addToken } from "#store/tokens.ts";
import { addUser, findUser, removeUser } from "#store/users.ts";
import type { Work } from "#store/work.ts";
import type { AccessHome } from "./describe-access-store.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
/** 2026-11-20T00:00Z. */
const TODAY = Date.UTC(2026, 10, 20) / DAY;
const AT = TODAY * DAY + 17.5 * 60 * MINUTE;

/** Adds a user with a token and returns the token's id. */
function* addOwner(name: string): Work<number> {
  yield* addUser({ name, plan: "free", role: "user", createdAt: AT });
  const userId = (yield* findUser(name))?.id ?? 0;
  const hash = new Bun.CryptoHasher("sha256").update(name).digest();
  const row = { userId, prefix: `bourse_${name}`, hash, label: "", rights: "", lists: null };
  return (yield* addToken({ ...row, asOf: null, createdAt: AT, expiresAt: null }, 9)) ?? 0;
}

const refused = (tokenId: number, more: Partial<RefusedCalls> = {}): RefusedCalls => ({
  tokenId,
  at: AT,
  calls: 1,
  via: "rest",
  operation: "get_markets",
  code: "invalid_argument",
  param: "country",
  message: "country must be US, JP or VN.",
  ...more,
});

/** The laws of the refused calls of an access store. */
export function describeRefusedCalls(open: () => Promise<AccessHome>): void {
  test("are one row for each reason and minute, and every process has them", async () => {
    await using home = await open();
    const { access, other } = home;
    const id = await access.transaction(() => addOwner("anna"));
    const rows = [
      refused(id),
      refused(id, { at: AT + MINUTE - 1, calls: 2 }),
      refused(id, { at: AT + MINUTE, message: "株 is unknown." }),
      refused(id, { at: AT - DAY, via: "mcp", param: "" }),
      // A token that was removed.
      refused(id + 1),
    ];
    for (const store of [access, other]) await store.transaction(() => addRefusedCalls(rows));
    expect(await other.run(listRefusedCalls("anna", TODAY))).toEqual([
      refused(id, { at: AT + MINUTE, calls: 2, message: "株 is unknown." }),
      // Both stores have added 1 and 2.
      refused(id, { at: AT + MINUTE - 1, calls: 6 }),
    ]);
    expect(await access.run(listRefusalDays("anna", TODAY))).toEqual([
      { day: TODAY, calls: 8 },
      { day: TODAY - 1, calls: 2 },
    ]);
    // The first of 30 days is 29 days ago.
    expect(await access.run(listRefusalDays("anna", TODAY + 28))).toHaveLength(2);
    expect(await access.run(listRefusalDays("anna", TODAY + 29))).toHaveLength(1);
    expect(await access.run(listRefusalDays("anna", TODAY + 30))).toEqual([]);
  });

  test("are the newest of a token and day, also if all are of one moment", async () => {
    await using home = await open();
    const { access } = home;
    const id = await access.transaction(() => addOwner("anna"));
    const some = (day: number, ms: number) =>
      Array.from({ length: REFUSALS_A_DAY + 5 }, (_, i) =>
        refused(id, { at: AT + day * DAY + i * ms, message: `reason ${i}` }),
      );
    await access.transaction(() => addRefusedCalls([...some(0, 1_000), ...some(1, 0)]));
    const kept = await access.run(listRefusedCalls("anna", TODAY));
    expect(kept).toHaveLength(REFUSALS_A_DAY);
    expect([kept[0]?.message, kept.at(-1)?.message]).toEqual([
      `reason ${REFUSALS_A_DAY + 4}`,
      "reason 5",
    ]);
    expect(await access.run(listRefusedCalls("anna", TODAY + 1))).toHaveLength(REFUSALS_A_DAY);
  });

  test("are of one user, go after 30 days, and go with the user", async () => {
    await using home = await open();
    const { access } = home;
    const [anna, ben] = await access.transaction(function* () {
      return [yield* addOwner("anna"), yield* addOwner("ben")] as const;
    });
    const on = (id: number) => [refused(id), refused(id, { at: AT + DAY })];
    await access.transaction(() => addRefusedCalls([...on(anna), ...on(ben)]));
    const rows = async (name: string) =>
      [TODAY, TODAY + 1].map(async (day) => (await access.run(listRefusedCalls(name, day))).length);
    const left = async () => [
      await Promise.all(await rows("anna")),
      await Promise.all(await rows("ben")),
    ];
    const sum = { code: "invalid_argument", calls: 1, rows: 1 };
    const sums = (first: number, last: number, to: number) =>
      access.run<unknown>(listRefusalSums(first, last, TODAY, to));
    expect(await sums(anna, anna, TODAY + 1)).toEqual([
      { user: "anna", tokenId: anna, day: TODAY, ...sum },
      { user: "anna", tokenId: anna, day: TODAY + 1, ...sum },
    ]);
    expect(await sums(anna + 1, ben, TODAY)).toEqual([
      { user: "ben", tokenId: ben, day: TODAY, ...sum },
    ]);
    const remove = (days: number, limit: number) =>
      access.run(removeOldRefusals(AT + days * DAY, limit));
    expect(await remove(29, 9)).toBe(0);
    expect([await remove(30, 1), await remove(30, 9), await remove(30, 9)]).toEqual([1, 1, 0]);
    expect(await left()).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(await access.run(removeRefusalsOfUser("ben", 9))).toBe(1);
    expect(await left()).toEqual([
      [0, 1],
      [0, 0],
    ]);
    await access.run(removeUser("anna"));
    expect(await remove(99, 9)).toBe(0);
  });
}
