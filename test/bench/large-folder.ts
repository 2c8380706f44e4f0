import { readdirSync, statSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { claimMarket } from "#ingest/ingest.ts";

import { openAccess, openMarket } from "#store/index.ts";
import { bunCommand, childEnv, spawnChild } from "../support/child-process.ts";
import { MAIN } from "../support/cli.ts";
import { fillLargeMarket, largeInstrument, type LargeMarket } from "../support/large-market.ts";
import { spawnServe } from "../support/serve-process.ts";
import { processUsage } from "./process-usage.ts";

/** Years of statements, dividends and bars. */
const YEARS = 10;
/** How often the usage of a process is read. */
const WATCH_MS = 20;

/** Prints a line. */
export const print = (text: string) => void process.stdout.write(`${text}\n`);

/** The load of the machine in the last minute. */
export const load = () => (loadavg()[0] ?? 0).toFixed(1);

/** The time since then. */
export const secondsSince = (began: number) => ((performance.now() - began) / 1_000).toFixed(1);

/** Bytes as text in megabytes. */
export const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);

/** The bytes of a file, or of all files below a folder. */
export function bytesOf(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

/** Makes a data folder with a large market and prints its size; `hasEvents`: with dividends and splits. */
export function makeLargeFolder(
  data: string,
  size: Pick<LargeMarket, "instruments" | "barsEach">,
  { hasEvents }: { hasEvents: boolean },
): void {
  const began = performance.now();
  print(`${cpus().length} × ${cpus()[0]?.model}; load before ${load()}`);
  const market = openMarket(data);
  fillLargeMarket(market, { ...size, quartersEach: 4 * YEARS, now: Date.now() });
  if (hasEvents) putEvents(market, size.instruments);
  claimMarket(market, "live");
  market.close();
  openAccess(data).close();
  const bars = (size.instruments * (size.barsEach ?? 0)).toLocaleString("en-US");
  const bytes = statSync(join(data, "market.db")).size;
  print(`${bars} bars in ${megabytes(bytes)} MB, made in ${secondsSince(began)} s`);
}

/** A dividend a quarter for ten years, and a split. */
function putEvents(market: ReturnType<typeof openMarket>, instruments: number): void {
  const provenance = { source: "yahoo", storedAt: Date.now() };
  const dates = Array.from(
    { length: 4 * YEARS },
    (_, i) => `${2016 + Math.floor(i / 4)}-${String(2 + 3 * (i % 4)).padStart(2, "0")}-10`,
  );
  const dividends = dates.map((exDate) => ({ exDate, amount: 0.2 }));
  const splits = [{ exDate: "2020-08-31", numerator: 4, denominator: 1 }];
  market.transaction(() => {
    for (let i = 0; i < instruments; i++) {
      const { country, symbol } = largeInstrument(i);
      market.documents.put("dividends", [{ country, symbol, dividends }], provenance);
      market.documents.put("splits", [{ country, symbol, splits }], provenance);
    }
  });
}

/** A command that ended: its times include the start of the program; memory and CPU are those of it and its children. */
export interface MeasuredCommand {
  readonly seconds: string;
  readonly cpuSeconds: string;
  readonly peakMb: number;
  readonly stdout: string;
}

/** Runs a command of the program, also with the lowest priority. @throws Error if it fails */
export async function measureCommand(
  argv: readonly string[],
  { isNice = false } = {},
): Promise<MeasuredCommand> {
  const began = performance.now();
  const command = [...bunCommand(MAIN), ...argv];
  const child = spawnChild(isNice ? ["nice", "-n", "19", ...command] : command, {
    env: childEnv({ BOURSE_MARKET: "live" }),
    stdout: "pipe",
    stderr: "inherit",
  });
  let [peakMb, cpuMs] = [0, 0];
  const watch = setInterval(() => {
    const usage = processUsage(child.pid);
    // NaN while the program is being started.
    peakMb = Math.max(peakMb, usage?.residentMb || 0);
    cpuMs = Math.max(cpuMs, usage?.cpuMs || 0);
  }, WATCH_MS);
  const [stdout, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  clearInterval(watch);
  if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}: ${stdout}`);
  return {
    seconds: secondsSince(began),
    cpuSeconds: (cpuMs / 1_000).toFixed(1),
    peakMb: Math.round(peakMb),
    stdout,
  };
}

/** Starts the service on such a folder, with a source that never answers. */
export const serveLargeFolder = (data: string) =>
  spawnServe(data, {
    flags: ["--gate-per-minute", "0", "--market", "live", "--sources", "entrade"],
    env: { BOURSE_SOURCE_URL_ENTRADE: "http://127.0.0.1:1" },
  });
