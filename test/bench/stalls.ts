import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { PLANS } from "#access/plans.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { SECTORS } from "#domain/taxonomy.ts";
import { openAccess, openMarket } from "#store/index.ts";
import { atOnce } from "../support/at-once.ts";
import { fillLargeMarket, largeInstrument } from "../support/large-market.ts";
import { type Arrived, playedAt, startUpstream, type Upstream } from "../support/upstream.ts";
import { FLOOR, launch, type Prepared, serviceEnvironment, startFloor } from "./contenders.ts";
import { runImport, writeImportFiles } from "./programs.ts";
import { type Report, STALLS, type StallName, stallCase } from "./report.ts";
import { processUsage } from "./process-usage.ts";
import { type ProbeResult, startProbe } from "./stall-probe.ts";
import { readTurns, TURNS_FILE } from "./turn-meter.ts";

const DAY_MS = 86_400_000;
/** Time from the start of the service to midnight UTC. */
const BEFORE_MIDNIGHT_MS = 10_000;
/** Time for which the probe runs before and after the work. */
const MARGIN_MS = 300;
/** Time within which companies with changed records are computed again. */
const AFTERMATH_MS = 3_000;
const INSTRUMENTS = 15_000;
const PROGRAM = "bourse, source";
const TOKENS_PER_PROBE = 3;

/** What a case shows of a server. */
export interface StallResult extends ProbeResult {
  /** The longest turn of its event loop without the time for which it waited for a core. */
  readonly turnMs: number;
  /** The most memory that it had since its start; null if the machine does not give it. */
  readonly residentMb: number | null;
}

/** The amount of work of the scalable cases. */
export interface StallSizes {
  readonly importedBars: number;
  readonly mistypedSymbols: number;
}

/** The service during a stall case. */
interface Stage {
  readonly folder: string;
  readonly data: string;
  readonly upstream: Upstream;
  /** Releases Nasdaq's last answer. */
  readonly release: () => void;
  /** The stderr of the service so far. */
  readonly errors: () => Promise<string>;
  readonly get: (path: string) => Promise<void>;
  /** Milliseconds of the service's clock. */
  readonly clock: () => number;
}

/** Heavy work during which hot calls are probed. */
interface StallCase {
  /** The start of the service's clock, UTC milliseconds; now if absent. */
  readonly startsAt?: () => number;
  /** The list of Nasdaq that is due when the service starts; none if absent. */
  readonly due?: "instruments" | "quotes";
  /** Waits until the work can begin. */
  readonly ready?: (stage: Stage) => Promise<void>;
  readonly run: (stage: Stage, sizes: StallSizes) => Promise<void>;
}

const CASES: Readonly<Record<StallName, StallCase>> = {
  "midnight UTC, 10,000 companies": {
    startsAt: () => (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS - BEFORE_MIDNIGHT_MS,
    async ready({ clock }) {
      const leftMs = DAY_MS - (clock() % DAY_MS) - MARGIN_MS;
      if (leftMs > BEFORE_MIDNIGHT_MS) throw new Error("midnight was over before the work began");
      await Bun.sleep(leftMs);
    },
    async run({ get }) {
      await Bun.sleep(MARGIN_MS);
      await readSectors(get);
    },
  },
  "listing of 15,000": {
    due: "instruments",
    ready: ({ upstream }) => until(() => upstream.requests.some(isOtherListed)),
    run: (stage) => releaseAndWait(stage, "instruments"),
  },
  "quotes of 15,000": {
    due: "quotes",
    ready: ({ upstream }) => until(() => upstream.requests.some(isScreener)),
    run: (stage) => releaseAndWait(stage, "quotes"),
  },
  "recompute of all roll-ups": {
    async run({ data, get }) {
      const database = new Database(join(data, "market.db"));
      database.run("INSERT INTO changed_instruments SELECT country, symbol FROM instruments");
      database.close();
      await readSectors(get);
    },
  },
  "import by another process": {
    async run({ folder, data, get }, { importedBars }) {
      const files = writeImportFiles(folder, importedBars);
      await runImport("bourse, source", data, "instruments", files.instruments);
      await runImport("bourse, source", data, "bars", files.bars);
      await readSectors(get);
    },
  },
  "mistyped symbols among 15,000": {
    async run({ get }, { mistypedSymbols }) {
      for (let i = 0; i < mistypedSymbols; i++) {
        const { symbol } = largeInstrument(15 * i);
        const typed = i % 2 === 0 ? `${symbol.slice(0, 3)}1` : `${symbol}ABCDEFGHIJKLMNOP`;
        await get(`/data/stocks/${typed}/overview?country=US`);
      }
    },
  },
};

/** Measures the longest answer to a hot call during each kind of heavy work. */
export async function measureStalls(
  report: Report,
  prepared: Pick<Prepared, "folder">,
  sizes: StallSizes,
  attempt: (what: string, work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const data = join(prepared.folder, "stalls");
  const tokens = fillStallMarket(data);
  const answer = { status: 200, headers: {}, body: "x".repeat(1_500) };
  const turnsOf = { [FLOOR]: join(data, "floor.turns"), [PROGRAM]: join(data, "service.turns") };
  const floor = await startFloor(prepared, [answer], { [TURNS_FILE]: turnsOf[FLOOR] });
  using upstream = startUpstream();
  try {
    for (const name of STALLS) {
      await attempt(stallCase(name), async () => {
        const results = await probeCase(CASES[name], sizes, {
          prepared,
          data,
          upstream,
          floorUrl: floor.bare.originOf(0),
          tokens: tokens.splice(0, TOKENS_PER_PROBE),
          turnsOf,
          floorPid: floor.bare.pid,
        });
        for (const [contender, figures] of Object.entries(results))
          report.add({ case: stallCase(name), contender, ...figures });
      });
    }
  } finally {
    await floor.bare.stop();
  }
}

async function probeCase(
  one: StallCase,
  sizes: StallSizes,
  parts: {
    prepared: Pick<Prepared, "folder">;
    data: string;
    upstream: Upstream;
    floorUrl: string;
    tokens: string[];
    turnsOf: Readonly<Record<string, string>>;
    floorPid: number;
  },
): Promise<Record<string, StallResult>> {
  const { prepared, data, upstream, floorUrl, tokens, turnsOf, floorPid } = parts;
  const aheadMs = one.startsAt ? one.startsAt() - Date.now() : 0;
  const clock = () => Date.now() + aheadMs;
  noteFetches(data, clock(), one.due);
  upstream.requests.splice(0);
  const release = playNasdaq(upstream, one.due);
  const service = await launch(
    [process.execPath, join(import.meta.dir, "shifted-serve.ts"), "serve"],
    {
      ...serviceEnvironment(data),
      ...playedAt(upstream.url),
      BOURSE_MARKET: "live",
      BOURSE_SOURCES: "nasdaq",
      BENCH_AHEAD_MS: String(aheadMs),
      [TURNS_FILE]: turnsOf[PROGRAM] ?? "",
    },
    data,
  );
  try {
    const [own = "", ...probing] = tokens;
    const get = async (path: string): Promise<void> => {
      const headers = { authorization: `Bearer ${own}` };
      await (await fetch(`${service.said}/api/v1/svc${path}`, { headers })).bytes();
    };
    const stage: Stage = {
      folder: prepared.folder,
      data,
      upstream,
      release,
      get,
      clock,
      errors: service.errors,
    };
    // Companies are computed and the hot answer is cached before the probe starts.
    await get("/data/sectors/overview");
    const path = `/data/stocks/${largeInstrument(0).symbol}/history?country=US&limit=10`;
    for (let i = 0; i < 300; i++) await get(path);
    await one.ready?.(stage);
    const probe = startProbe([
      { name: FLOOR, url: floorUrl, tokens: probing },
      { name: PROGRAM, url: `${service.said}/api/v1/svc${path}`, tokens: probing },
    ]);
    const began = Date.now();
    try {
      await Bun.sleep(MARGIN_MS);
      await one.run(stage, sizes);
      await Bun.sleep(MARGIN_MS);
      const ended = Date.now();
      const pidOf: Record<string, number> = { [FLOOR]: floorPid, [PROGRAM]: service.pid };
      const found = Object.entries(await probe.stop()).map(([name, result]) => {
        const turns = readTurns(turnsOf[name] ?? "", began, ended);
        const turnMs = Math.max(0, ...turns.map(({ ms }) => ms));
        const residentMb = processUsage(pidOf[name] ?? 0)?.peakMb ?? null;
        return [name, { ...result, turnMs, residentMb }] as const;
      });
      return Object.fromEntries(found);
    } finally {
      probe.kill();
    }
  } finally {
    await service.stop();
  }
}

/** Calls roll-ups that are not cached, for the time in which companies are computed again. */
async function readSectors(get: Stage["get"]): Promise<void> {
  const paths = COUNTRY_CODES.flatMap((country) => [
    `/data/sectors?country=${country}`,
    ...[...SECTORS.keys()].map((sector) => `/data/sectors?country=${country}&sector=${sector}`),
  ]);
  for (const path of [...paths, "/data/sectors/overview?level=industry"]) {
    await get(path);
    await Bun.sleep(AFTERMATH_MS / paths.length);
  }
}

/** Fills a market with 10,000 US companies; returns tokens for it. */
function fillStallMarket(data: string): string[] {
  mkdirSync(data, { recursive: true });
  const market = openMarket(data);
  market.setSetting("origin", "live");
  const now = Date.now();
  fillLargeMarket(market, { instruments: INSTRUMENTS, quartersEach: 5, barsEach: 20, now });
  market.checkpoint();
  market.close();
  const access = openAccess(data);
  const accounts = atOnce(new Accounts({ access, clock: Date.now, actor: COMMAND_LINE }));
  accounts.addUser("bench", "max");
  const tokens = Array.from(
    { length: PLANS.max.tokens },
    () => accounts.createToken("bench", "stalls", null).token,
  );
  access.close();
  return tokens;
}

/** Records when Nasdaq's lists were fetched: a minute ago, or long ago for the due one. */
function noteFetches(data: string, now: number, due: StallCase["due"]): void {
  const market = openMarket(data);
  for (const kind of ["instruments", "quotes"] as const) {
    const at = kind === due ? now - 30 * DAY_MS : now - 60_000;
    market.fetches.recordSuccess("nasdaq", { kind, country: "US", symbol: null }, at, INSTRUMENTS);
  }
  market.close();
}

const isScreener = ({ path }: Arrived) => path.includes("/screener/");
const isOtherListed = ({ path }: Arrived) => path.includes("/otherlisted");

/** Plays Nasdaq. The last answer of the due list waits until the returned function is called. */
function playNasdaq(upstream: Upstream, due: StallCase["due"]): () => void {
  if (due === undefined) {
    upstream.play(() => new Response("no", { status: 403 }));
    return () => {};
  }
  const isLast = due === "quotes" ? isScreener : isOtherListed;
  const released = Promise.withResolvers<undefined>();
  upstream.play(async (arrived) => {
    if (isLast(arrived)) await released.promise;
    return new Response(nasdaqAnswer(arrived));
  });
  return () => released.resolve(undefined);
}

/** The first US instruments of a large market. */
function* listUs(count: number) {
  for (let i = 0, found = 0; found < count; i++) {
    const instrument = largeInstrument(i);
    if (instrument.country !== "US") continue;
    found++;
    yield instrument;
  }
}

function nasdaqAnswer(arrived: Arrived): string {
  const listed = [...listUs(INSTRUMENTS)];
  if (isScreener(arrived)) {
    const rows = listed.map(({ symbol, name }, i) => ({
      symbol,
      name: `${name} Common Stock`,
      lastsale: `$${10 + (i % 500)}.25`,
      netchange: "0.25",
      pctchange: "1.0%",
      volume: String(1_000 + i),
      marketCap: `${1e9 + i * 1e6}.00`,
      country: "United States",
      ipoyear: "",
      industry: "",
      sector: "Technology",
      url: "",
    }));
    return JSON.stringify({ data: { headers: {}, rows }, status: { rCode: 200 } });
  }
  const end = "File Creation Time: 1121202617:30|||||||";
  if (isOtherListed(arrived)) {
    return `ACT Symbol|Security Name|Exchange|CQS Symbol|ETF|Round Lot Size|Test Issue|NASDAQ Symbol\n${end}`;
  }
  const lines = listed.map(({ symbol, name }) => `${symbol}|${name} Common Stock|Q|N|N|100|N|N`);
  return `Symbol|Security Name|Market Category|Test Issue|Financial Status|Round Lot Size|ETF|NextShares\n${lines.join("\n")}\n${end}`;
}

/** Releases the list that the service waits for, and waits until it is stored. */
async function releaseAndWait({ release, errors, get }: Stage, kind: string): Promise<void> {
  const isStored = async () =>
    new RegExp(`refreshed .*kind="${kind}" country="US"`).test(await errors());
  release();
  await until(isStored, errors);
  await readSectors(get);
}

async function until(
  isSo: () => boolean | Promise<boolean>,
  describe: () => Promise<string> = async () => "",
): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if (await isSo()) return;
    await Bun.sleep(50);
  }
  throw new Error(
    `a stall case did not reach its state within 30 s: ${(await describe()).slice(-2000)}`,
  );
}
