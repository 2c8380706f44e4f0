import { createAccounts } from "#access/accounts.ts";
import { type AccessStore, type MarketStore, openAccess, openMarket } from "#store/index.ts";

/** Opens the access file for the time that `work` takes. */
export async function withAccess<T>(
  folder: string,
  work: (access: AccessStore) => T,
): Promise<Awaited<T>> {
  const access = openAccess(folder);
  try {
    return await work(access);
  } catch (error) {
    throw access.inWords(error);
  } finally {
    access.close();
  }
}

/** Opens the market file for the time that `work` takes. */
export async function withMarket<T>(
  folder: string,
  work: (market: MarketStore) => T,
): Promise<Awaited<T>> {
  const market = openMarket(folder);
  try {
    return await work(market);
  } catch (error) {
    throw market.inWords(error);
  } finally {
    market.close();
  }
}

/** Opens the accounts of the access file for the time that `work` takes. */
export async function withAccounts<T>(
  folder: string,
  work: (accounts: ReturnType<typeof createAccounts>) => T,
): Promise<Awaited<T>> {
  return withAccess(folder, (access) => work(createAccounts({ access, clock: Date.now })));
}
