import type { Country } from "#domain/country.ts";
import { decodeRequest, createExecutor, type CachedAnswer } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { fillMarket } from "./contract-market.ts";
import { START, temporaryFolder } from "./service.ts";
import { openCopiedMarket } from "./empty-files.ts";

/** Answers of the operations on the hand-made market, or on an empty one. */
export function openHandMade({ filled = true } = {}) {
  const { folder, remove } = temporaryFolder();
  const time = { now: START };
  const market = openCopiedMarket(folder, () => time.now);
  if (filled) fillMarket(market);

  /** Runs an operation without any cache. */
  const execute = async (
    name: string,
    args: Record<string, unknown> = {},
  ): Promise<CachedAnswer> => {
    const operation = OPERATIONS.find((one) => one.name === name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    const executor = createExecutor({ market, clock: () => time.now });
    return executor.execute(decodeRequest(operation, args));
  };
  const envelope = async (...call: Parameters<typeof execute>) =>
    JSON.parse((await execute(...call)).body) as {
      country?: Country;
      data: unknown;
      as_of: string;
    };
  return {
    market,
    /** Set `time.now` to move the clock. */
    time,
    execute,
    envelope,
    /** The payload of an answer. */
    async answer<T = Record<string, unknown>>(
      name: string,
      args: Record<string, unknown> = {},
    ): Promise<T> {
      return (await envelope(name, args)).data as T;
    },
    close(): void {
      market.close();
      remove();
    },
  };
}
