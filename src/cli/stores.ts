import { existsSync } from "node:fs";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { BourseError } from "#domain/errors.ts";
import { type AccessFile, type MarketStore, openAccess, openMarket } from "#store/index.ts";
import type { Invocation } from "./command.ts";

/** Opens the access file while `work` runs. Without `creates`, the data folder must exist. */
export async function withAccess<T>(
  folder: string,
  work: (access: AccessFile) => T,
  options: { creates?: true } = {},
): Promise<Awaited<T>> {
  if (!options.creates) refuseAbsent(folder);
  const access = openAccess(folder);
  try {
    return await work(access);
  } catch (error) {
    throw access.toUserError(error);
  } finally {
    access.close();
  }
}

/** Opens the market file while `work` runs. */
export async function withMarket<T>(
  folder: string,
  work: (market: MarketStore) => T,
): Promise<Awaited<T>> {
  const market = openMarket(folder);
  try {
    return await work(market);
  } catch (error) {
    throw market.toUserError(error);
  } finally {
    market.close();
  }
}

/** Opens the accounts of the access file while `work` runs. */
export async function withAccounts<T>(
  { io: { clock }, config: { dataFolder, plans } }: Pick<Invocation, "io" | "config">,
  work: (accounts: Accounts) => T,
  options: { creates?: true } = {},
): Promise<Awaited<T>> {
  return withAccess(
    dataFolder,
    (access) => work(new Accounts({ access, plans, clock, actor: COMMAND_LINE })),
    options,
  );
}

/** @throws BourseError if the folder is missing: a mistyped one would be created, and all data would seem deleted. */
export function refuseAbsent(folder: string): void {
  if (existsSync(folder)) return;
  throw new BourseError(
    "not_found",
    `There is no data folder ${folder}; \`serve\` and \`user add\` create one, and --data or BOURSE_DATA selects another.`,
  );
}
