import { expect, test } from "bun:test";
import { join } from "node:path";
import { NO_ITEMS } from "#domain/statement.ts";
import { openDatabase } from "#store/database.ts";
import { openMarket } from "#store/index.ts";
import { MARKET } from "#store/market.ts";
import { openFolder } from "../support/access.ts";

const STORED_AT = Date.parse("2024-05-30T12:00:00Z");
const AAPL = { country: "US", symbol: "AAPL" } as const;

/** Writes a market file as the first version of the schema had it. */
function writeFirstVersion(folder: string): void {
  const [first = ""] = MARKET.migrations;
  const database = openDatabase(join(folder, "market.db"), { ...MARKET, migrations: [first] });
  database.run(
    `INSERT INTO instruments (id, country, symbol, name, asset_type, currency, shares_outstanding,
       primary_listing, index_member, source, stored_at)
     VALUES (1, 'US', 'AAPL', 'Apple', 'stock', 'USD', 15e9, 1, 1, 'sec', ${STORED_AT})`,
  );
  database.run(`INSERT INTO bar_histories VALUES (1, 'yahoo', ${STORED_AT})`);
  database.run("INSERT INTO scaled_bars VALUES (1, 20240529, 1e6, 1e6, 1e6, 1e6, 5)");
  for (const [source, year] of [
    ["import", 2022],
    ["sec", 2023],
  ]) {
    const items = JSON.stringify({ ...NO_ITEMS, epsDiluted: 6 });
    database.run(
      `INSERT INTO statements VALUES
         ('US', 'AAPL', 'year', ${year}, 4, '${year}-12-31', '2024-02-01', 'USD', ?, '${source}', ${STORED_AT})`,
      [items],
    );
  }
  database.run(
    `INSERT INTO fetches VALUES ('sec', 'statements', 'US', 'AAPL', ${STORED_AT}, ${STORED_AT}, 1, NULL)`,
  );
  database.close();
}

test("a market of the first version keeps imported statements, and fetches the guessed ones again", () => {
  using home = openFolder();
  writeFirstVersion(home.path);
  const market = openMarket(home.path);
  const listEps = () => market.statements.list(AAPL).map(({ items }) => items.epsDiluted);
  expect(listEps()).toEqual([6]);
  expect(market.fetches.findLastSuccess("sec", { kind: "statements", ...AAPL })).toBeNull();
  expect(market.instruments.listChanged(0, 9)).toHaveLength(1);
  // What was imported on 30 May is in the shares of that day.
  const split = (exDate: string) => ({
    ...AAPL,
    splits: [{ exDate, numerator: 3, denominator: 1 }],
  });
  const imported = { source: "import", storedAt: STORED_AT };
  market.put("splits", [split("2024-05-30")], imported);
  expect(listEps()).toEqual([6]);
  market.put("splits", [split("2024-05-31")], imported);
  expect(listEps()).toEqual([2]);
  market.close();
});

test("failures of the version before are known after the upgrade: the key waits, and its source stays blocked", async () => {
  using home = openFolder();
  const HOUR = 3_600_000;
  const before = { ...MARKET, migrations: MARKET.migrations.slice(0, 5) };
  const database = openDatabase(join(home.path, "market.db"), before);
  const add = (symbol: string, succeededAt: number | null, error: string | null) =>
    database.run("INSERT INTO fetches VALUES ('sec', 'bars', 'US', ?, ?, ?, 1, ?)", [
      symbol,
      STORED_AT,
      succeededAt,
      error,
    ]);
  add("", null, "sec: HTTP 500");
  add("AAPL", STORED_AT - HOUR, "sec: HTTP 500");
  add("IBM", STORED_AT, "two rows were left out");
  add("MSFT", STORED_AT, null);
  database.run(`INSERT INTO blocked_sources VALUES ('sec', ${STORED_AT + HOUR})`);
  database.close();
  const market = openMarket(home.path);
  expect(market.fetches.listLast("bars", "US")).toEqual([
    { symbol: "AAPL", succeededAt: STORED_AT - HOUR, nextAttemptAt: STORED_AT + 6 * HOUR },
    { symbol: "IBM", succeededAt: STORED_AT, nextAttemptAt: null },
    { symbol: "MSFT", succeededAt: STORED_AT, nextAttemptAt: null },
  ]);
  const [companies, list] = (await market.fetches.readSummaries()).toSorted(
    (a, b) => (b.companies ?? 0) - (a.companies ?? 0),
  );
  expect(companies).toMatchObject({ companies: 3, failed: 1, faulty: 1 });
  expect(list).toMatchObject({ failed: 1, nextAttemptAt: STORED_AT + 60_000 });
  expect(market.fetches.blockedUntil("sec")).toBe(STORED_AT + HOUR);
  market.close();
});

test("companies of the version before are found by their exchange, and the lists with classes are fetched again", () => {
  using home = openFolder();
  const before = { ...MARKET, migrations: MARKET.migrations.slice(0, 8) };
  const database = openDatabase(join(home.path, "market.db"), before);
  const add = (country: string, symbol: string, exchange: string, delistedAt: number | null) =>
    database.run(
      `INSERT INTO instruments (country, symbol, name, asset_type, exchange, currency, sector,
         primary_listing, index_member, source, stored_at, delisted_at)
       VALUES (?, ?, 'Name', 'stock', ?, 'JPY', 'technology', 1, 0, 'jpx', ${STORED_AT}, ?)`,
      [country, symbol, exchange, delistedAt],
    );
  add("JP", "6758", "TSE", null);
  add("JP", "1234", "TSE", STORED_AT);
  add("VN", "FPT", "HOSE", null);
  for (const country of ["US", "JP", "VN"])
    database.run(
      `INSERT INTO fetches (source, kind, country, symbol, attempted_at, succeeded_at, records)
       VALUES ('list', 'instruments', ?, '', ${STORED_AT}, ${STORED_AT}, 1)`,
      [country],
    );
  database.close();
  const market = openMarket(home.path);
  const found = (filter: object) =>
    market.instruments
      .search(filter, { limit: 9, after: null })
      .instruments.map(({ symbol }) => symbol);
  expect(found({ exchange: "TSE" })).toEqual(["6758"]);
  expect(found({ exchange: "HOSE", sector: "technology", query: "name" })).toEqual(["FPT"]);
  expect(found({ exchange: "TSE", segment: "prime" })).toEqual([]);
  const isKnown = (country: "US" | "JP" | "VN") =>
    market.fetches.findLastSuccess("list", { kind: "instruments", country, symbol: null }) !== null;
  expect([isKnown("US"), isKnown("JP"), isKnown("VN")]).toEqual([true, false, false]);
  market.close();
});
