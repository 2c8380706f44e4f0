import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadSample } from "#ingest/ingest.ts";
import { openMarket } from "#store/index.ts";
import { temporaryFolder } from "./service.ts";

// Kept in memory: no event tells a test process that its run is over, to remove a file.
let marketFile: Uint8Array | undefined;

/**
 * Puts the sample market of this moment into a folder, for tests of the program itself, which has no
 * other clock. It is generated once for all tests of a run.
 */
export function putTodaysMarket(folder: string): void {
  marketFile ??= generate();
  writeFileSync(join(folder, "market.db"), marketFile);
}

function generate(): Uint8Array {
  const { folder, remove } = temporaryFolder();
  const market = openMarket(folder);
  loadSample({ market, now: Date.now() });
  market.close();
  const bytes = readFileSync(join(folder, "market.db"));
  remove();
  return bytes;
}
