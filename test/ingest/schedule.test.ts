import { describe, expect, test } from "bun:test";
import { COUNTRY_CODES } from "#domain/country.ts";
import { broadKeys, refreshBroad } from "#ingest/schedule.ts";
import { createLog } from "#lib/log.ts";
import { FETCHERS } from "#providers/index.ts";
import { stock } from "../support/market.ts";
import { failing, madeFetcher, openRefresher, quote } from "../support/upstream-refresher.ts";

const everywhere = { scope: "country", countries: COUNTRY_CODES } as const;

/** A market whose lists and quotes are served for all countries, in the order in which it was asked. */
function openBroad() {
  const order: string[] = [];
  const noted = <T>(what: string, country: string, result: T): T => {
    order.push(`${what} ${country}`);
    return result;
  };
  const listing = madeFetcher(
    "lister",
    "instruments",
    ({ country }) => noted("instruments", country, [stock(country, "AAA")]),
    everywhere,
  );
  const quotes = madeFetcher(
    "quoter",
    "quotes",
    ({ country }) => noted("quotes", country, [quote("AAA", 1, { country })]),
    everywhere,
  );
  const home = openRefresher([quotes, listing]);
  const lines: string[] = [];
  const log = createLog({ format: "text", write: (line) => lines.push(line), clock: home.clock });
  const run = (stopped = () => false) => refreshBroad(home.refresher, log, stopped);
  return { listing, quotes, home, order, lines, run };
}

describe("the schedule", () => {
  test("has every kind that is fetched for whole countries, and the listing first", () => {
    const keys = broadKeys();
    expect(keys.every(({ symbol }) => symbol === null)).toBe(true);
    for (const country of COUNTRY_CODES) {
      const kinds = keys.filter((key) => key.country === country).map(({ kind }) => kind);
      expect(kinds[0]).toBe("instruments");
      const served = FETCHERS.filter(
        ({ scope, countries }) => scope === "country" && countries.includes(country),
      ).map(({ kind }) => kind);
      expect(served.filter((kind) => !kinds.includes(kind))).toEqual([]);
    }
  });

  test("brings what is due, each list before what builds on it, and says what it brought", async () => {
    const { home, order, lines, run } = openBroad();
    using _ = home;
    await run();
    expect(order).toEqual(
      COUNTRY_CODES.flatMap((country) => [`instruments ${country}`, `quotes ${country}`]),
    );
    expect(lines).toHaveLength(6);
    expect(lines[0]).toContain(
      'refreshed kind="instruments" country="US" source="lister" records=1',
    );
    await run();
    expect(order).toHaveLength(6);
  });

  test("goes on after what fails, and comes back to it", async () => {
    const { listing, home, order, run } = openBroad();
    using _ = home;
    const works = listing.gives;
    listing.gives = failing("lister", "unreachable");
    await run();
    expect(order).toEqual(["quotes US", "quotes JP", "quotes VN"]);
    listing.gives = works;
    home.time.now += 60_000;
    await run();
    expect(order.slice(3)).toEqual(["instruments US", "instruments JP", "instruments VN"]);
  });

  test("ends between two of them when it is told to stop, and the rest is due still", async () => {
    const { home, order, run } = openBroad();
    using _ = home;
    await run(() => order.length === 2);
    expect(order).toEqual(["instruments US", "quotes US"]);
    await run();
    expect(order).toHaveLength(6);
  });
});
