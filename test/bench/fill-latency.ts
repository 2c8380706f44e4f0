/**
 * Hot calls during the first fill from the SEC, at a fixed rate without waiting for answers: a service that
 * fills its market, one that does not, and the floor, all at the same time, so that other work of the machine
 * delays all of them. Run it with `bun test/bench/fill-latency.ts`; `--rate 200` sets the calls a second of
 * each, `--rounds 3` repeats it. The SEC is played at its own limit: frames of 5,300 companies, and for the 500
 * largest the facts of Tesla, 4 MB, from `../shared/data`. The fill takes some 80 seconds.
 */
import { mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { PLANS } from "#access/plans.ts";
import { formatTable } from "#lib/table.ts";
import { openAccess, openMarket } from "#store/index.ts";
import { atOnce } from "../support/at-once.ts";
import { openFolder } from "../support/access.ts";
import { fillLargeMarket, largeInstrument } from "../support/large-market.ts";
import { PLAYED_AT, type PlayedSource } from "../support/played-answer.ts";
import { playSources } from "../support/played-sources.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";
import { FLOOR, launch, serviceEnvironment, startFloor } from "./contenders.ts";
import { playFrames } from "./fill-frames.ts";
import { startProbe } from "./stall-probe.ts";
import { readTurns, TURNS_FILE } from "./turn-meter.ts";

const { values: flags } = parseArgs({
  options: { rate: { type: "string" }, rounds: { type: "string" } },
});
const RATE = Number(flags.rate ?? 200);
const ROUNDS = Number(flags.rounds ?? 1);
const MAX_SECONDS = 300;
/** Without a request to the SEC for this time, the fill is over. */
const QUIET_MS = 8_000;
const CALLS_PER_TOKEN = 4_500;
const FILLING = "filling";
const IDLE = "not filling";

const facts: string | null = hasRecordings
  ? JSON.stringify(recordedJson("real-2/TSLA.json.gz"))
  : null;

/** The frames of all companies; the facts of each as those of Tesla. */
const sec: PlayedSource = (request) => {
  const cik = /\/companyfacts\/CIK0*(\d+)\.json$/.exec(request.path)?.[1];
  if (cik === undefined || facts === null) return playFrames(request);
  return { body: facts.replace(/"cik":\d+/, `"cik":${cik}`) };
};

const print = (text: string) => void process.stdout.write(`${text}\n`);

for (let round = 0; round < ROUNDS; round++) await measure();

async function measure(): Promise<void> {
  using home = openFolder();
  const played = await playSources({ sec });
  const answers = [{ status: 200, headers: {}, body: "x".repeat(1_500) }];
  const turnsOf = (name: string) => join(home.path, `${name}.turns`);
  const floor = await startFloor({ folder: home.path }, answers, {
    [TURNS_FILE]: turnsOf(FLOOR),
  });
  const start = (name: string, sources: string) =>
    startService(join(home.path, name.replaceAll(" ", "-")), turnsOf(name), {
      ...played.environment,
      BOURSE_SOURCES: sources,
    });
  const idle = await start(IDLE, "reference");
  const began = Date.now();
  const [load = 0] = loadavg();
  const filling = await start(FILLING, "nasdaq,sec");
  const probe = startProbe([
    { name: FLOOR, url: floor.bare.originOf(0), tokens: filling.tokens, perSecond: RATE },
    { name: IDLE, url: idle.url, tokens: idle.tokens, perSecond: RATE },
    { name: FILLING, url: filling.url, tokens: filling.tokens, perSecond: RATE },
  ]);
  try {
    for (let [seen, seenAt] = [0, Date.now()]; Date.now() - began < MAX_SECONDS * 1_000;) {
      await Bun.sleep(500);
      const { length } = played.calls.filter(({ source }) => source === "sec");
      if (length > seen) [seen, seenAt] = [length, Date.now()];
      else if (seen > 100 && Date.now() - seenAt > QUIET_MS) break;
    }
    const ended = Date.now();
    const results = await probe.stop();
    const calls = played.calls.filter(({ source }) => source === "sec");
    const megabytes = calls.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
    print(
      `${played.calls.filter(({ address }) => address.includes("companyfacts")).length} companies, ${((ended - began) / 1_000).toFixed(0)} s, ${calls.length} requests to the SEC, ${megabytes.toFixed(0)} MB, ${RATE} calls a second each, load before ${load.toFixed(1)}`,
    );
    print(
      formatTable(
        ["SERVER", "CALLS", "P50 MS", "P99 MS", "P99.9 MS", "MAX MS", "TURN MS"],
        Object.entries(results).map(([name, { calls: count, p50Ms, p99Ms, p999Ms, maxMs }]) => {
          const turns = readTurns(turnsOf(name), began + 3_000, ended).map(({ ms }) => ms);
          const times = [p50Ms, p99Ms, p999Ms, maxMs, Math.max(0, ...turns)];
          return [name, count, ...times.map((ms) => ms.toFixed(2))];
        }),
      ),
    );
  } finally {
    probe.kill();
    await Promise.all([filling.stop(), idle.stop(), floor.bare.stop(), played.stop()]);
  }
}

/** Starts a service on a small market, with tokens for all calls and the address of a hot call. */
async function startService(data: string, turns: string, env: Record<string, string>) {
  mkdirSync(data, { recursive: true });
  const market = openMarket(data);
  market.setSetting("origin", "live");
  fillLargeMarket(market, { instruments: 150, quartersEach: 5, barsEach: 20, now: PLAYED_AT });
  market.close();
  const access = openAccess(data);
  const accounts = atOnce(new Accounts({ access, clock: () => PLAYED_AT, actor: COMMAND_LINE }));
  const tokens: string[] = [];
  for (let user = 0; tokens.length * CALLS_PER_TOKEN < RATE * MAX_SECONDS; user++) {
    accounts.addUser(`bench-${user}`, "max");
    for (let i = 0; i < PLANS.max.tokens; i++)
      tokens.push(accounts.createToken(`bench-${user}`, "fill", null).token);
  }
  access.close();
  const service = await launch(
    [process.execPath, join(import.meta.dir, "shifted-serve.ts"), "serve"],
    {
      ...serviceEnvironment(data),
      ...env,
      BOURSE_MARKET: "live",
      BOURSE_CONTACT: "bench@bourse.example",
      BENCH_AHEAD_MS: String(PLAYED_AT - Date.now()),
      [TURNS_FILE]: turns,
    },
    data,
  );
  // Of Japan, so that no call waits for a source.
  const path = `/data/stocks/${largeInstrument(11).symbol}/history?country=JP&limit=10`;
  return { url: `${service.said}/api/v1/svc${path}`, tokens, stop: () => service.stop() };
}
