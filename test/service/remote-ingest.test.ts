import { afterAll, describe, expect, test } from "bun:test";
import { RefusedCalls } from "#access/refused-calls.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { RefreshLease } from "#service/refresh-lease.ts";
import { RemoteIngest } from "#service/remote-ingest.ts";
import { createHeartbeat, startUpkeep } from "#service/upkeep.ts";
import type { FetchKey } from "#domain/fetch.ts";
import { lazy } from "#lib/lazy.ts";
import { createLog } from "#lib/log.ts";
import type { Upkeep } from "#lib/periodic.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import { readComputed } from "#rollups/saved-companies.ts";
import { type MarketStore, openAccess, openMarket } from "#store/index.ts";
import { sampleStamp } from "#sample/releases.ts";
import { openFolder } from "../support/access.ts";
import { START } from "../support/service.ts";
import { listInstruments, SAMPLE, stock } from "../support/market.ts";

const WORKER = new URL("../support/crashing-worker.ts", import.meta.url).href;
/** The source of these instruments is part of the program. */
const KEY: FetchKey = { kind: "instruments", country: "VN", symbol: null };

/** A thread that only the test drives. */
class PlayedWorker extends EventTarget {
  /** The messages to the thread. */
  readonly posted: { readonly id: number; readonly name?: string }[] = [];
  /** True if each call succeeds at once. */
  answers = false;
  postMessage(message: (typeof this.posted)[number]): void {
    this.posted.push(message);
    if (this.answers) queueMicrotask(() => this.say({ id: message.id }));
  }
  say(data: object): void {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
  /** Ends the thread. */
  terminate(): void {
    this.dispatchEvent(new Event("close"));
  }
}

/** An ingest in a thread, and the market as the serving thread reads it. */
function openIngest(
  settings: Readonly<Record<string, string>> = {},
  createWorker = () => new Worker(WORKER),
) {
  const folder = openFolder();
  const market = openMarket(folder.path);
  const env: Record<string, string> = {
    BOURSE_DATA: folder.path,
    BOURSE_MARKET: "live",
    BOURSE_SOURCES: "reference",
    ...settings,
  };
  const lines: string[] = [];
  const log = createLog({ format: "text", write: (line) => lines.push(line), clock: Date.now });
  const [failed, recovered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const workers: Worker[] = [];
  const ingest = new RemoteIngest({
    log: {
      ...log,
      error(...line) {
        log.error(...line);
        failed.resolve();
      },
      info(...line) {
        log.info(...line);
        if (line[0] === "the ingest works again") recovered.resolve();
      },
    },
    figures: { indexPe: async () => null, listUnknownSplits: () => [] },
    progressed: () => {},
    accessChanged: () => {},
    startWorker() {
      const worker = createWorker();
      workers.push(worker);
      return worker;
    },
    env,
    aheadMs: () => 0,
    leases: () => 0,
    stopwatch: () => performance.now(),
    pauseMs: 1,
  });
  return {
    ingest,
    market,
    env,
    lines,
    workers,
    /** Resolves with the first error in the log. */
    failed: failed.promise,
    /** Resolves when the log says that the ingest works again. */
    recovered: recovered.promise,
    async close(): Promise<void> {
      await ingest.stop();
      await ingest.close();
      market.close();
      folder[Symbol.dispose]();
    },
  };
}

const countStored = (market: MarketStore) => market.listCounts().length;

describe("the ingest in a thread of its own", () => {
  const opened: { close(): Promise<void> }[] = [];
  const open = (...args: Parameters<typeof openIngest>) => {
    const one = openIngest(...args);
    opened.push(one);
    return one;
  };
  afterAll(() => Promise.all(opened.map((one) => one.close())));
  /** One thread for the tests that do not end it: it loads the whole program. */
  const shared = lazy(() => open());

  test("stores what a request needs before it answers", async () => {
    const { ingest, market } = shared();
    expect(await ingest.refresh(KEY)).toMatchObject({ source: "reference", error: null });
    expect(listInstruments(market, "VN").length).toBeGreaterThan(0);
    expect([...ingest.state.sources.keys()]).toEqual(["reference"]);
  });

  test("computes companies from what is stored", async () => {
    const { ingest, market } = shared();
    market.put("instruments", [stock("US", "AAPL")], SAMPLE);
    const symbols = ["AAPL", "NONE"];
    const of = { country: "US", symbols, now: START, day: null } as const;
    const computed = await ingest.computeCompanies(of);
    const [apple, none] = readComputed(market, computed, START);
    expect(apple).toMatchObject({ instrument: { symbol: "AAPL" }, newest: null });
    expect(none).toBeNull();
  });

  test("saves figures", async () => {
    const { ingest, market } = shared();
    await ingest.saveFigures("state", [{ country: "VN", body: new Uint8Array([1, 2]) }]);
    expect(market.figures.findState()).toBe("state");
    expect(market.figures.findPart("VN", 0)).toEqual(new Uint8Array([1, 2]));
  });

  test("leaves no thread when the sample is up to date", async () => {
    const { ingest, market, workers } = open({ BOURSE_MARKET: "sample" });
    market.setSetting("origin", "sample");
    market.setSetting("sample", sampleStamp(START));
    await ingest.loadSample(START);
    expect(workers).toHaveLength(1);
    await ingest.loadSample(START);
    expect(workers).toHaveLength(2);
  });

  test("passes an error on with its code", async () => {
    const { ingest } = open({ BOURSE_SOURCES: "nowhere" });
    const refusal = { code: "invalid_argument", message: expect.stringContaining("nowhere") };
    expect(await ingest.refresh(KEY).catch((error: unknown) => error)).toMatchObject(refusal);
  });

  test.each(["exit", "error", "rejection"])(
    "starts again after its end by %s: no record of the transaction is stored, callers learn when to retry",
    async (crash) => {
      const { ingest, market, env, lines, failed, recovered, workers } = open();
      env["TEST_CRASH"] = crash;
      const refusal = {
        code: "unavailable",
        message: expect.stringContaining("ended unexpectedly"),
        details: { retryAfterSeconds: 1 },
      };
      const begun = ingest.begin("http://127.0.0.1:1").catch((error: unknown) => error);
      const failure = await ingest.refresh(KEY).catch((error: unknown) => error);
      env["TEST_CRASH"] = "";
      // In the other two cases the thread ends just after the transaction, and may still answer.
      if (crash === "exit") {
        expect(failure).toMatchObject(refusal);
        expect(countStored(market)).toBe(0);
      }
      await failed;
      expect(ingest.state.warning).toContain("starts again");
      await begun;
      await recovered;
      expect(workers).toHaveLength(2);
      expect(lines.join("\n")).toMatch(
        /ERROR the ingest ended unexpectedly and starts again reason=".*(exit code 3|played)/,
      );
      expect(await ingest.refresh(KEY)).toMatchObject({ error: null });
      expect(countStored(market)).toBeGreaterThan(0);
      expect(ingest.state.warning).toBeNull();
    },
  );

  test("does not begin if it is stopped while its thread starts", async () => {
    const played = new PlayedWorker();
    const { ingest } = open({}, () => played as unknown as Worker);
    const begun = ingest.begin("http://127.0.0.1:1");
    const paused = ingest.pause();
    for (const { id } of played.posted) played.say({ id });
    await Promise.all([begun, paused]);
    expect(played.posted.map(({ name }) => name)).toEqual(["open", "pause"]);
    played.terminate();
  });

  test("pauses if the lock of the refresh was removed, and begins with the next lock", async () => {
    const played = new PlayedWorker();
    played.answers = true;
    const { ingest, market, env, lines } = open({}, () => played as unknown as Worker);
    const folder = env["BOURSE_DATA"] ?? "";
    const log = createLog({ format: "text", write: (line) => lines.push(line), clock: Date.now });
    const lease = new RefreshLease(folder, log);
    const upkeep: Upkeep[] = [];
    const access = openAccess(folder);
    const keep = {
      access,
      refused: new RefusedCalls({ access, clock: () => START }),
      market,
      log,
      ingest,
      lease,
      node: null,
      config: { market: "live", alerts: { mail: null, networks: [] }, publicUrl: null } as const,
      clock: () => START,
      stopwatch: () => START,
      rollups: new CompanyRollups(market, () => START),
      url: "http://127.0.0.1:1",
    };
    const names = () => played.posted.map(({ name }) => name).filter((name) => name !== "observe");
    await startUpkeep(keep, createHeartbeat(performance.now.bind(performance)), upkeep);
    while (names().length < 2) await Bun.sleep(1);
    expect(names()).toEqual(["open", "begin"]);
    rmSync(join(folder, "refresh.lock"));
    while (names().length < 4) await Bun.sleep(1);
    expect(names().slice(2)).toEqual(["pause", "begin"]);
    expect(lease.isHeld).toBe(true);
    await Promise.all(upkeep.map((one) => one.stop()));
    expect([names().at(-1), lease.isHeld]).toEqual(["stop", false]);
    played.terminate();
  });

  test("of a node has not caught up from the end of its thread until the next one has", async () => {
    const workers: PlayedWorker[] = [];
    const { ingest } = open({}, () => {
      const played = new PlayedWorker();
      workers.push(played);
      return played as unknown as Worker;
    });
    const begun = ingest.begin("http://127.0.0.1:1");
    const [first] = workers;
    const node = {
      hasCaughtUp: true,
      fault: null,
      differs: [],
      changesBehind: 0,
      isLeader: true,
      term: { fence: 1, holder: "a" },
      nodesAlive: 2,
    };
    const state = { sources: new Map(), warning: null, node };
    first?.say({ id: 1, name: "setState", args: [state] });
    expect(ingest.state.node).toEqual(node);
    first?.say({ id: first.posted[0]?.id });
    while (first?.posted.length !== 3) await Bun.sleep(0);
    first.terminate();
    expect(await begun.catch((error: unknown) => error)).toMatchObject({ code: "unavailable" });
    expect(ingest.state.node).toEqual({
      ...node,
      hasCaughtUp: false,
      isLeader: false,
      term: null,
    });
    const stopped = ingest.stop();
    workers.at(-1)?.terminate();
    await stopped;
  });

  test("calls nothing after its end", async () => {
    const { ingest, workers } = open();
    await ingest.refresh(KEY);
    await ingest.stop();
    await ingest.close();
    expect(await ingest.refresh(KEY).catch((error: unknown) => error)).toMatchObject({
      code: "unavailable",
    });
    expect(workers).toHaveLength(1);
  });
});
