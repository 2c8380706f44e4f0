/**
 * Makes a sample market in a folder, or adds what is due to the one in it, and saves the figures of its companies, so
 * that no test computes them again: `bun test/support/save-sample.ts FOLDER NOW`. It is a program of its own because
 * tests take a market at once, and figures are computed in turns.
 */
import { loadSample } from "#ingest/sample-load.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import { findBuild } from "#domain/program.ts";
import { openMarket } from "#store/index.ts";

const [folder = "", now = ""] = Bun.argv.slice(2);
const market = openMarket(folder);
loadSample({ market, now: Number(now) });
const rollups = new CompanyRollups(market, () => Number(now), { servesPrevious: false, findBuild });
await rollups.update(COUNTRY_CODES);
// The figures of several years are saved if they were read.
for (const country of COUNTRY_CODES)
  for (const { history } of rollups.get(country).list) void history.ownHistory;
await rollups.save({ all: true });
market.close();
