import { join } from "node:path";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import type { PlanName } from "#access/plans.ts";
import { type DatabaseName, inspectDatabase } from "#store/index.ts";
import { atOnce, openGuard } from "./at-once.ts";
import { START, temporaryFolder } from "./service.ts";
import { openCopiedAccess } from "./empty-files.ts";

/** A new folder for a test. `using` removes it at the end of the block. */
export function openFolder(): Disposable & { readonly path: string } {
  const { folder, remove } = temporaryFolder();
  return { path: folder, [Symbol.dispose]: remove };
}

/** The number of migrations that have run on a database file of a data folder. */
export function migrationsOf(folder: string, name: DatabaseName): number {
  return inspectDatabase(join(folder, name), name).schema;
}

/** A new access file that is opened twice, as two processes have it. */
export async function openAccessTwice() {
  const folder = openFolder();
  const [access, other] = [openCopiedAccess(folder.path), openCopiedAccess(folder.path)];
  return {
    access,
    other,
    async [Symbol.asyncDispose]() {
      access.close();
      other.close();
      folder[Symbol.dispose]();
    },
  };
}

/** Accounts and guard on a real file, with a clock that only the test moves. */
export function openTestAccess() {
  const folder = openFolder();
  const time = { now: START };
  const clock = () => time.now;
  const access = openCopiedAccess(folder.path);
  const accounts = atOnce(new Accounts({ access, clock, actor: COMMAND_LINE }));
  const guard = openGuard({ access, clock });
  let users = 0;

  return {
    folder: folder.path,
    time,
    access,
    accounts,
    guard,
    /** A token of a new user with that plan. */
    createToken(plan: PlanName, lifetimeMs: number | null = null) {
      const user = `user-${++users}`;
      accounts.addUser(user, plan);
      return { user, ...accounts.createToken(user, "test", lifetimeMs) };
    },
    [Symbol.dispose]() {
      access.close();
      folder[Symbol.dispose]();
    },
  };
}
