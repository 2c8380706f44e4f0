import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Country } from "#domain/country.ts";
import { openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { bunCommand, endChildren } from "../support/child-process.ts";
import { MAIN_AT, runProcess } from "../support/cli.ts";

import { US_COMPANIES } from "../support/played-companies.ts";
import { JP_LISTED, VN_LISTED } from "../support/played-markets.ts";
import { type PlayedSources, playSources } from "../support/played-sources.ts";
import { spawnServe } from "../support/serve-process.ts";
import { START } from "../support/service.ts";
import { listInstruments } from "../support/market.ts";

/** The number of invented issues in JPX's list. */
const JP_ISSUES = JP_LISTED.stock + JP_LISTED.etf + JP_LISTED.reit;
/** The number of companies and funds in Vietcap's listing. */
const VN_ISSUES = Object.values(VN_LISTED).reduce((sum, count) => sum + count);

/** The number of a country's instruments in a data folder. */
function countInstruments(folder: string, country: Country): number {
  const market = openMarket(folder);
  try {
    return listInstruments(market, country).length;
  } finally {
    market.close();
  }
}

/** Starts `serve` at `START`, when the played answers are current. */
const start = (folder: string, env: Readonly<Record<string, string>>) => {
  const program = [...bunCommand(MAIN_AT), String(START)];
  return spawnServe(folder, { program, env, flags: ["--market", "live"] });
};

describe("the program with live data, its sources played", () => {
  const [served, synced, killed] = [openFolder(), openFolder(), openFolder()];
  let played: PlayedSources;
  /** The environment of a process that calls only these sources. */
  const environment = (folder: string, ...sources: string[]) => ({
    ...played.environment,
    BOURSE_DATA: folder,
    BOURSE_CONTACT: "tests@bourse.example",
    BOURSE_SOURCES: sources.join(","),
  });
  beforeAll(async () => {
    played = await playSources();
  });
  afterAll(async () => {
    await endChildren();
    await played.stop();
    for (const folder of [served, synced, killed]) folder[Symbol.dispose]();
  });

  test("fills the whole catalog by `serve` and by `sync`, and shows the state of its sources", async () => {
    const serving = (async () => {
      const env = environment(served.path, "nasdaq", "jpx", "vietcap", "reference");
      const serve = await start(served.path, env);
      for (const country of ["US", "JP", "VN"]) {
        await serve.stderrHolds(
          new RegExp(`refreshed kind="instruments" country="${country}".*records=\\d{3}`),
        );
      }
      const symbols = await serve.get("/data/symbols?country=US&query=apple&type=stock");
      const listed = (await symbols.json()) as { data: { symbols: { symbol: string }[] } };
      return { listed, code: await serve.stop(), stderr: serve.stderr() };
    })();
    const syncing = runProcess(["sync", "--country", "US", "--kind", "instruments"], {
      env: environment(synced.path, "nasdaq", "reference"),
      at: START,
    });
    const checking = runProcess(["sources", "check", "--json"], {
      env: environment(synced.path, "jpx", "sec", "entrade", "shiller", "worldbank"),
      at: START,
    });

    const { listed, code } = await serving;
    expect(code).toBe(0);
    expect(listed.data.symbols.map(({ symbol }) => symbol)).toContain("AAPL");
    const counts = (["US", "JP", "VN"] as const).map((country) =>
      countInstruments(served.path, country),
    );
    expect(counts[0]).toBeGreaterThan(US_COMPANIES);
    expect(counts[1]).toBeGreaterThan(JP_ISSUES);
    expect(counts[2]).toBeGreaterThanOrEqual(VN_ISSUES);

    const sync = await syncing;
    expect(sync).toMatchObject({ code: 0 });
    expect(sync.stdout).toBe(`1 fetched, ${counts[0]} records, 0 failed.\n`);
    expect(countInstruments(synced.path, "US")).toBe(counts[0] ?? 0);

    const check = await checking;
    // The played figures are invented, so those that were published differ.
    expect(check.code).toBe(1);
    expect(check.stderr).toEndWith("Checks failed: sec, entrade.\n");
    const differs = expect.stringContaining("times the published figure");
    expect(JSON.parse(check.stdout)).toMatchObject([
      { source: "sec", kind: "instruments", country: "US", error: null },
      { source: "sec", kind: "statements", country: "US", symbol: "AAPL", error: differs },
      { symbol: "GOOGL", error: "sec: GOOGL is not registered with the SEC" },
      // Of all companies.
      { source: "sec", kind: "statements", country: "US", symbol: null, error: null },
      { source: "jpx", kind: "instruments", country: "JP", error: null },
      { source: "jpx", kind: "earningsDates", country: "JP", error: null },
      { source: "entrade", kind: "bars", country: "VN", newest: "2026-08-21", error: differs },
      { source: "worldbank", kind: "macroSeries", country: "VN", newest: "2024", error: null },
      { source: "worldbank", kind: "macroSeries", country: "JP", newest: "2025", error: null },
      { source: "worldbank", kind: "macroSeries", country: "US", newest: "2024", error: null },
      { source: "shiller", kind: "indexPe", country: "US", newest: "2023-06", error: null },
    ]);

    const list = await runProcess(["sources", "--json"], {
      env: environment(served.path, "nasdaq", "jpx", "vietcap", "reference"),
    });
    const rows = JSON.parse(list.stdout) as { source: string; on: boolean; records: number }[];
    expect(rows.filter(({ on }) => on).map(({ source }) => source)).toEqual([
      "nasdaq",
      "jpx",
      "vietcap",
      "reference",
    ]);
    expect(rows.find(({ source }) => source === "jpx")?.records).toBeGreaterThan(JP_ISSUES);
  }, 600_000);

  test("killed during a refresh it stores all of it or nothing, and continues after a restart", async () => {
    const env = environment(killed.path, "jpx");
    const counts: number[] = [];
    for (const afterMs of [0, 60, 120]) {
      const requested = played.nextCall("jpx");
      const serve = await start(killed.path, env);
      await requested;
      await Bun.sleep(afterMs);
      serve.kill("SIGKILL");
      await serve.exited();
      counts.push(countInstruments(killed.path, "JP"));
      // The next run must fetch again, even if this one succeeded.
      if (counts.at(-1) !== 0) break;
    }
    const serve = await start(killed.path, env);
    if (counts.at(-1) === 0) await serve.stderrHolds(/refreshed kind="instruments" country="JP"/);
    serve.kill("SIGTERM");
    expect(await serve.exited()).toBe(0);
    const whole = countInstruments(killed.path, "JP");
    expect(whole).toBeGreaterThan(JP_ISSUES);
    for (const count of counts) expect([0, whole]).toContain(count);
  }, 600_000);
});
