import { expect } from "bun:test";
import type { Country } from "#domain/country.ts";
import { installTools } from "./npm-tools.ts";
import { startForPrograms } from "./program-service.ts";

/**
 * A service and an npm client that reads one of its feeds. `program` is the client's script: its first argument is the
 * address of all feeds, the second one the feed link, and it prints its result as a line of JSON.
 */
export async function openFeedClient(
  dependencies: Readonly<Record<string, string>>,
  program: string,
) {
  const { service, folder } = await startForPrograms();
  const { isInstalled, run, write } = await installTools(folder, dependencies);
  await write("client.mjs", program);
  /** A new user with that plan and a feed link. */
  const createLink = (plan: "free" | "max" = "max") =>
    service.accounts.createToken(service.createToken(plan).user, "client", null, "feed");
  const { token: link } = createLink();

  return {
    isInstalled,
    service,
    link,
    /** What the script prints for a feed link and arguments, which it gets as JSON unless they are texts. */
    call: async <T>(token: string, ...args: unknown[]): Promise<T> => {
      const texts = args.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
      const base = `${service.origin}/feed`;
      const { output } = await run(process.execPath, "client.mjs", base, token, ...texts);
      const line = output.split("\n").findLast((one) => /^[[{]/.test(one));
      if (line === undefined) throw new Error(output);
      return JSON.parse(line) as T;
    },
    /** The stored dates and closes of an instrument since a date, oldest first. */
    stored: (country: Country, symbol: string, from: string, before = "9999-01-01") => {
      const instrument = service.market.instruments.find({ country, symbol });
      if (!instrument) throw new Error(`no ${symbol}`);
      const { dates, close } = service.market.bars.series(instrument.id, 9_999, { from, before });
      return { dates: [...dates], closes: [...close] };
    },
    /** Checks what `read` gets for a link whose quota is used up, and then for the same link after it was revoked. */
    expectRefusals: async (
      path: string,
      read: (token: string) => Promise<unknown>,
      refusals: { readonly usedUp: unknown; readonly revoked: unknown },
    ): Promise<void> => {
      const { token, id } = createLink("free");
      for (let i = 0; i < 30; i++) await fetch(`${service.origin}/feed/${token}/${path}`);
      expect(await read(token)).toEqual(refusals.usedUp);
      service.accounts.revokeToken(id);
      expect(await read(token)).toEqual(refusals.revoked);
    },
  };
}
