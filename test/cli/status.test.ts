import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openAccess, openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { cliClock, expectFailure, runOn } from "../support/cli.ts";
import { stock } from "../support/market.ts";

const DAY = 86_400_000;
const folder = openFolder();
afterAll(() => folder[Symbol.dispose]());

/** The versions of the two files, as the store says. */
const schema = { access: 0, market: 0 };

beforeAll(async () => {
  const now = cliClock();
  const market = openMarket(folder.path);
  const bar = { date: "2026-11-19", open: 1, high: 1, low: 1, close: 1, volume: null };
  market.transaction(() => {
    market.setSetting("origin", "sample");
    market.put("instruments", [stock("US", "AAPL"), stock("JP", "7203")], {
      source: "sample",
      storedAt: now - 3 * DAY,
    });
    market.put("bars", [{ country: "US", symbol: "AAPL", bars: [bar] }], {
      source: "import",
      storedAt: now - 5 * 3_600_000,
    });
    market.put("indexPe", [{ country: "US", month: "2026-10", pe: 28 }], {
      source: "sample",
      storedAt: now - 90_000,
    });
  });
  schema.market = market.schemaVersion();
  market.close();
  const access = openAccess(folder.path);
  schema.access = access.schemaVersion();
  access.close();
  await runOn(folder.path, "user", "add", "anna", "--plan", "pro");
  await runOn(folder.path, "user", "add", "ben");
  for (const user of ["anna", "anna", "ben"]) await runOn(folder.path, "token", "create", user);
  await runOn(folder.path, "token", "revoke", "2");
});

describe("status", () => {
  test("as JSON is folder, schemas, users, tokens, and each kind of data with count and age", async () => {
    const { code, stdout, stderr } = await runOn(folder.path, "status", "--json");
    expect([code, stderr]).toEqual([0, ""]);
    const { data, ...rest } = JSON.parse(stdout) as { data: { ageSeconds: number }[] };
    expect(rest as Record<string, unknown>).toEqual({
      dataFolder: folder.path,
      marketSchema: schema.market,
      market: "sample",
      accessSchema: schema.access,
      users: 2,
      liveTokens: 2,
      tokens: 3,
    });
    expect(data as unknown[]).toMatchObject([
      { kind: "instruments", source: "sample", count: 2 },
      { kind: "bars", source: "import", count: 1 },
      { kind: "indexPe", source: "sample", count: 1 },
    ]);
    const ages = [3 * 86_400, 5 * 3_600, 90];
    for (const [i, { ageSeconds }] of data.entries()) {
      expect(ageSeconds - (ages[i] ?? 0)).toBeWithin(0, 60);
    }
  });

  test("as text has the same, a line each, and says that the figures are generated", async () => {
    const { code, stdout, stderr } = await runOn(folder.path, "status");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toEqual([
      `Data folder  ${folder.path}`,
      `Schema       access ${schema.access}, market ${schema.market}`,
      "Market       sample (generated figures, none is real)",
      "Users        2",
      "Tokens       2 live of 3",
      "",
      "KIND         SOURCE  COUNT  AGE",
      "instruments  sample      2  3 d",
      "bars         import      1  5 h",
      expect.stringMatching(/^indexPe {6}sample {6}1 {2}[12] min$/) as unknown as string,
      "",
    ]);
  });

  test("of a new folder has no data, no user and no token", async () => {
    using empty = openFolder();
    const json = await runOn(empty.path, "status", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({
      market: null,
      data: [],
      users: 0,
      liveTokens: 0,
      tokens: 0,
    });
    const text = await runOn(empty.path, "status");
    expect(text.code).toBe(0);
    expect(text.stdout).toContain("Market       empty\n");
  });

  test("that meets a damaged page names the file in one sentence and leaves it as it is", async () => {
    using broken = openFolder();
    const market = openMarket(broken.path);
    const symbols = Array.from({ length: 1_000 }, (_, i) => stock("US", `S${i}`));
    market.put("instruments", symbols, { source: "sample", storedAt: 0 });
    market.close();
    const path = join(broken.path, "market.db");
    const bytes = readFileSync(path);
    // The second half: how the pages of tables and indexes lie there is SQLite's own affair.
    bytes.fill(255, Math.floor(bytes.length / 8_192) * 4_096);
    writeFileSync(path, bytes);
    expectFailure(await runOn(broken.path, "status"), path, "damaged");
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });
});
