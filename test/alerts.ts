import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { ServiceMetrics } from "#service/metrics.ts";
import { readConfig } from "#config.ts";
import { openFolder } from "./support/access.ts";
import { ALERTS, judgeAlerts, quiet } from "./support/alerts.ts";
import { endChildren, resultOf, spawnChild } from "./support/child-process.ts";
import { ConsoleClient } from "./support/console-client.ts";
import { playClient, playLiveMetrics } from "./support/live-metrics.ts";
import { type PlayedSources, playSources } from "./support/played-sources.ts";
import { startPlayedService } from "./support/played-service.ts";
import { TestCluster } from "./support/cluster.ts";
import { IS_POSTGRES_MISSING, TestPostgres } from "./support/postgres.ts";
import { samplesOf } from "./support/prometheus.ts";
import {
  type PlayedNode,
  START,
  startService,
  temporaryFolder,
  type TestService,
} from "./support/service.ts";

// Not part of the suite (no .test in its name): it needs the program `promtool`, and Postgres for a real cluster.

const { folder, remove } = temporaryFolder();
let service: TestService;
let played: PlayedSources;

beforeAll(async () => void (played = await playSources()));
afterEach(() => service?.stop());
afterAll(async () => {
  await endChildren();
  await played.stop();
  remove();
});

const HOUR_MS = 3_600_000;
const DAY_MINUTES = 24 * 60;
const noBackups = { succeededAt: () => START, warning: (): string | null => null };

/** A service on the sample market, and its metrics while all is well. */
async function startQuiet(node?: PlayedNode): Promise<string> {
  service = await startService({ counts: true, ...(node && { node }) });
  await service.rollups.update();
  return service.metrics.write();
}

test("promtool finds no fault in the alerts", async () => {
  const child = spawnChild(["promtool", "check", "rules", ALERTS], {
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await resultOf(child)).toMatchObject({ code: 0, stderr: "" });
  await startQuiet();
});

test("a service that does not answer", async () => {
  const text = await startQuiet();
  await judgeAlerts(folder, [
    { ...quiet(text), fires: [] },
    { text: null, minutes: 2, fires: ["BourseDown"] },
    { text, minutes: 1, fires: [] },
  ]);
});

test("all sources fail, and answer again", async () => {
  await startQuiet();
  using home = openFolder();
  const sources = ["nasdaq", "jpx", "vietcap", "reference"];
  const live = await startPlayedService(home.path, played, { sources, counts: true });
  const run = () => live.live.schedule.run({ stopped: () => false, triesOnce: true });
  await run();
  const before = await live.metrics.write();
  const ready = async () => {
    const response = await fetch(new URL("/health/ready", live.base));
    return (await response.json()) as { status: string; warnings: string[] };
  };
  expect(await ready()).toMatchObject({ status: "ready", warnings: [] });
  played.setAllModes("down");
  // Quotes and lists are due again, and the schedule looks every minute.
  live.time.now += 24 * HOUR_MS;
  for (let minute = 0; minute <= 11; minute++) {
    await run();
    live.time.now += 60_000;
  }
  const outage = await live.metrics.write();
  expect(await ready()).toMatchObject({
    status: "ready",
    warnings: [expect.stringMatching(/^No source has answered for 1\d minutes\. Failed: .*nasdaq/)],
  });
  played.setAllModes("normal");
  live.time.now += 2 * HOUR_MS;
  await run();
  const after = await live.metrics.write();
  expect(await ready()).toMatchObject({ status: "ready", warnings: [] });
  await live.stop();
  await judgeAlerts(folder, [
    { ...quiet(before), fires: [] },
    { text: outage, minutes: 10, fires: ["BourseSourcesFail"] },
    { text: after, minutes: 10, fires: [] },
  ]);
}, 600_000);

test("one kind of records is overdue, while other sources answer", async () => {
  await startQuiet();
  using home = openFolder();
  const sources = ["jpx", "calendar"];
  const live = await startPlayedService(home.path, played, { sources, counts: true });
  const run = () => live.live.schedule.run({ stopped: () => false, triesOnce: true });
  await run();
  const before = await live.metrics.write();
  played.setMode("calendar", "down");
  live.time.now += 24 * HOUR_MS;
  await run();
  const outage = await live.metrics.write();
  played.setMode("calendar", "normal");
  await live.stop();
  const overdue = [...outage.matchAll(/^bourse_overdue_fetches\{kind="(\w+)".*\} [1-9]/gm)];
  expect(new Set(overdue.map(([, kind]) => kind))).toEqual(new Set(["calendarEvents"]));
  await judgeAlerts(folder, [
    { text: before, minutes: DAY_MINUTES, fires: [] },
    { text: outage, minutes: 240, fires: [] },
    { text: outage, minutes: 120, fires: ["BourseOverdue"] },
    { text: before, minutes: 15, fires: [] },
  ]);
  // A new data folder: what was never fetched is overdue, but has a day for its first fill.
  const filling = outage.replaceAll(/^bourse_source_blocked.*\n/gm, "");
  await judgeAlerts(folder, [
    { text: filling, minutes: DAY_MINUTES - 120, fires: [] },
    { text: filling, minutes: 150, fires: ["BourseOverdue"] },
  ]);
}, 600_000);

test("a source is blocked for hours", async () => {
  await startQuiet();
  const { market } = service;
  const textOf = (blockedUntil: number) =>
    playLiveMetrics(service, {
      market,
      backups: noBackups,
      clients: new Map([["sec", playClient(blockedUntil)]]),
    }).write();
  // Nothing was ever fetched here, which is another alert.
  const only = (text: string) => text.replaceAll(/^bourse_overdue.*\n/gm, "");
  await judgeAlerts(folder, [
    { ...quiet(only(await textOf(0))), fires: [] },
    { text: only(await textOf(START + 1)), minutes: 375, fires: ["BourseSourceBlocked"] },
  ]);
});

test("no prices of a completed session", async () => {
  const text = await startQuiet();
  // Friday's sessions were stored; Monday's of New York and Ho Chi Minh City are completed.
  service.time.now = Date.parse("2026-11-24T01:00:00Z");
  const monday = await service.metrics.write();
  await judgeAlerts(folder, [
    { ...quiet(text), fires: [] },
    { text: monday, minutes: 7 * 60, fires: [] },
    { text: monday, minutes: 2 * 60, fires: ["BourseCloseMissing"] },
    // An exchange that was closed by exception is no reason to wake someone.
    { text: monday, minutes: DAY_MINUTES, fires: ["BourseCloseMissing"] },
  ]);
  const failing = monday.replace(/^(bourse_warning\{about="sources"\}) .*$/m, "$1 1");
  const both = ["BourseCloseMissing", "BourseSourcesFail"];
  await judgeAlerts(folder, [
    { ...quiet(text), fires: [] },
    { text: failing, minutes: DAY_MINUTES - 60, fires: both },
    { text: failing, minutes: 120, fires: [...both, "BourseRecordsOld"] },
    { text: monday, minutes: 5, fires: ["BourseCloseMissing"] },
  ]);
});

test("a service fails again and again", async () => {
  const text = await startQuiet();
  const startedAt = (at: number) => text.replace(/^(process_start_time_seconds) .*$/m, `$1 ${at}`);
  // Three starts are an upgrade that went back. Each of these answers before Prometheus looks.
  const starts = [1, 2, 3].map((at) => ({ text: startedAt(at), minutes: 2, fires: [] }));
  await judgeAlerts(folder, [
    { ...quiet(startedAt(0)), fires: [] },
    ...starts,
    { text: startedAt(4), minutes: 2, fires: ["BourseRestarts"] },
    { text: startedAt(4), minutes: 30, fires: [] },
  ]);
});

test("the disk fills", async () => {
  const text = await startQuiet();
  const withFree = (bytes: number) =>
    text.replace(/^(bourse_data_folder_free_bytes) .*$/m, `$1 ${bytes}`);
  await judgeAlerts(folder, [
    { ...quiet(withFree(20e9)), fires: [] },
    { text: withFree(1.9e9), minutes: 10, fires: ["BourseDiskNearlyFull"] },
    { text: withFree(0.2e9), minutes: 1, fires: ["BourseDiskNearlyFull", "BourseDiskFull"] },
    { text: withFree(20e9), minutes: 1, fires: [] },
  ]);
});

test.each([
  ["backup", "BourseBackupFailed"],
  ["export", "BourseExportFailed"],
])("a scheduled %s fails", async (work, alert) => {
  await startQuiet();
  const { market } = service;
  const textOf = (warning: string | null) =>
    new ServiceMetrics({
      config: readConfig({ data: service.folder }, {}),
      access: service.access,
      market,
      rollups: service.rollups,
      logLines: { info: 0, warn: 0, error: 0 },
      backups: { succeededAt: () => START, warning: () => (work === "backup" ? warning : null) },
      exports: { succeededAt: () => null, warning: () => (work === "export" ? warning : null) },
      sources: () => new Map(),
      node: null,
      clock: () => START,
      stopwatch: () => 0,
    }).write();
  await judgeAlerts(folder, [
    { ...quiet(await textOf(null)), fires: [] },
    { text: await textOf(`The last ${work} failed.`), minutes: 15, fires: [alert] },
  ]);
});

test("sign-ins are attacked", async () => {
  const text = await startQuiet();
  const { user } = service.createToken();
  const browser = new ConsoleClient(service);
  const attack = async () => {
    for (let i = 0; i < 8; i++) {
      const body = { user, password: `wrong password ${i}` };
      expect((await browser.send("POST", "session", { body })).ok).toBe(false);
    }
    service.time.now += 60_000;
    return { text: await service.metrics.write(), minutes: 1 };
  };
  const forgot = await attack();
  const minutes = [];
  for (let i = 0; i < 3; i++) minutes.push({ ...(await attack()), fires: [] });
  const last = await attack();
  // A user who forgot the password is no attack. 32 attempts within ten minutes are. The alert ends by itself.
  await judgeAlerts(folder, [
    { ...quiet(text), fires: [] },
    { ...forgot, minutes: 20, fires: [] },
    ...minutes,
    { ...last, fires: ["BourseSignInAttack"] },
    { text: last.text, minutes: 20, fires: [] },
  ]);
}, 600_000);

test("tokens expire soon", async () => {
  const text = await startQuiet();
  const { token } = service.createToken("max", 8 * 24 * HOUR_MS);
  // A connector that was never used wakes no one.
  service.createToken("max", 3 * 24 * HOUR_MS + 7 * 24 * HOUR_MS);
  expect((await service.request("/data/markets", token)).status).toBe(200);
  service.time.now += 60_000;
  const later = await service.metrics.write();
  service.time.now += 2 * 24 * HOUR_MS;
  const soon = (await service.metrics.write())
    // Two days without a generator of the sample.
    .replaceAll(/^bourse_completed_session.*\n/gm, "");
  await judgeAlerts(folder, [
    { ...quiet(text), fires: [] },
    { text: later, minutes: 90, fires: [] },
    { text: soon, minutes: 90, fires: ["BourseTokensExpire"] },
  ]);
  expect(samplesOf(soon).get("bourse_tokens_expiring")).toBe(1);
});

test("messages of alerts wait for their receiver", async () => {
  const text = await startQuiet();
  const waiting = text.replace(/^bourse_alerts_delayed 0$/m, "bourse_alerts_delayed 3");
  expect(waiting).not.toBe(text);
  await judgeAlerts(folder, [
    { ...quiet(text), fires: [] },
    { text: waiting, minutes: 110, fires: [] },
    { text: waiting, minutes: 60, fires: ["BourseAlertsDelayed"] },
  ]);
});

test("the clock is set", async () => {
  const text = await startQuiet();
  service.time.now += 60_000;
  const later = await service.metrics.write();
  service.time.now -= 600_000;
  service.time.setMs -= 600_000;
  const set = await service.metrics.write();
  await judgeAlerts(folder, [
    { ...quiet(text), fires: [] },
    { text: later, minutes: 10, fires: [] },
    { text: set, minutes: 5, fires: ["BourseClockStep"] },
    { text: set, minutes: 10, fires: [] },
  ]);
});

test("the log has errors, and calls fail", async () => {
  const text = await startQuiet();
  service.log.error("a played error");
  const logged = await service.metrics.write();
  const answer = (status: number) =>
    service.metrics.finished(
      { via: "rest", operation: "get_markets", subject: "", refusal: null, tokenId: null },
      status,
      1,
    );
  for (let i = 0; i < 98; i++) answer(200);
  for (let i = 0; i < 2; i++) answer(503);
  const first = await service.metrics.write();
  for (let i = 0; i < 98; i++) answer(200);
  for (let i = 0; i < 2; i++) answer(500);
  const failing = [];
  for (let minute = 0; minute < 7; minute++) {
    for (let i = 0; i < 98; i++) answer(200);
    for (let i = 0; i < 2; i++) answer(503);
    failing.push({ text: await service.metrics.write(), minutes: 1 });
  }
  const last = failing.pop() ?? { text: "", minutes: 0 };
  const failed = (calls: number) =>
    `${text}bourse_http_requests_total{interface="rest",operation="x",status="503"} ${calls}\n`;
  // A job calls every 4 minutes. Two failures wake no one, six do.
  await judgeAlerts(folder, [
    { ...quiet(failed(1)), fires: [] },
    { text: failed(2), minutes: 4, fires: [] },
    { text: failed(3), minutes: 4, fires: [] },
    { text: failed(3), minutes: 60, fires: [] },
    ...[4, 5, 6, 7, 8].map((calls) => ({ text: failed(calls), minutes: 4, fires: [] })),
    { text: failed(9), minutes: 4, fires: [] },
    { text: failed(10), minutes: 4, fires: ["BourseServerErrors"] },
  ]);
  await judgeAlerts(folder, [
    { ...quiet(text), fires: [] },
    { text: logged, minutes: 5, fires: ["BourseErrorsInLog"] },
    { text: first, minutes: 15, fires: [] },
    ...failing.map((phase, i) => ({ ...phase, fires: i < 5 ? [] : ["BourseServerErrors"] })),
    { ...last, fires: ["BourseServerErrors"] },
  ]);
});

test("the event loop is blocked", async () => {
  const text = await startQuiet();
  const stop = service.metrics.watchEventLoop();
  for (let i = 0; i < 3; i++) {
    // The timer of 100 ms finds that 700 ms have passed.
    service.time.now += 700;
    await Bun.sleep(110);
  }
  stop();
  const slow = await service.metrics.write();
  const grow = (times: number) =>
    slow.replaceAll(
      /^(bourse_event_loop_delay_seconds_\S+) (.*)$/gm,
      (_, name: string, value: string) => `${name} ${Number(value) * times}`,
    );
  await judgeAlerts(folder, [
    { ...quiet(text), fires: [] },
    ...Array.from({ length: 15 }, (_, i) => ({
      text: grow(i + 1),
      minutes: 1,
      fires: i < 10 ? [] : ["BourseSlow"],
    })),
  ]);
});

test("nodes of a cluster: the database, the leader, the changes, the settings", async () => {
  const well = {
    isDatabaseUp: true,
    downMs: 0,
    isLeader: true,
    changesBehind: 0,
    differs: [] as string[],
  };
  const health = { ...well };
  const text = await startQuiet({ list: () => [], health });
  const when = async (state: Partial<typeof well>) => {
    Object.assign(health, well, state);
    service.time.now += 1_000;
    return service.metrics.write();
  };
  const down = await when({ isDatabaseUp: false, downMs: 30_000 });
  const leaderless = await when({ isLeader: false });
  const behind = await when({ changesBehind: 500 });
  const differs = await when({ differs: ["plans"] });
  const fine = await when({});
  await judgeAlerts(folder, [
    { ...quiet(text), fires: [] },
    { text: down, minutes: 1, fires: ["BourseDatabaseDown"] },
    { text: down, minutes: 2, fires: ["BourseDatabaseDown", "BourseNotReady"] },
    { text: fine, minutes: 1, fires: [] },
    { text: leaderless, minutes: 2, fires: ["BourseNoLeader"] },
    { text: behind, minutes: 12, fires: ["BourseNodeBehind"] },
    { text: differs, minutes: 20, fires: ["BourseNodesDiffer"] },
    { text: fine, minutes: 1, fires: [] },
  ]);
});

test.skipIf(IS_POSTGRES_MISSING)(
  "a real cluster: a killed node, and a killed Postgres",
  async () => {
    await startQuiet();
    const server = await TestPostgres.start();
    const probe = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const { port } = probe;
    await probe.stop(true);
    // The third node is killed; the metrics are those of the first.
    const cluster = await TestCluster.start(server, {
      nodes: 3,
      envOf: (node) => (node === 0 ? { BOURSE_METRICS: `127.0.0.1:${port}` } : {}),
    });
    try {
      /** The metrics of the first node when a sample has that value. */
      const textWhen = async (name: string, value: number): Promise<string> => {
        for (;;) {
          const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
          if (samplesOf(text).get(name) === value) return text;
          await Bun.sleep(200);
        }
      };
      const nodes = "bourse_cluster_nodes";
      await cluster.processOf(0).isReady();
      const three = await textWhen(nodes, 3);
      await cluster.nodes[2]?.kill();
      const two = await textWhen(nodes, 2);
      // This node leads if the killed one did.
      await textWhen("bourse_ready", 1);
      await server.kill();
      const down = await textWhen("bourse_ready", 0);
      const only = (text: string) => text.replace(/^(bourse_cluster_leader) .*$/m, "$1 1");
      await judgeAlerts(folder, [
        { ...quiet(only(three)), fires: [] },
        { text: only(two), minutes: 2, fires: ["BourseNodeGone"] },
        { text: only(two), minutes: 40, fires: [] },
        { text: only(down), minutes: 1, fires: ["BourseDatabaseDown"] },
        { text: only(down), minutes: 3, fires: ["BourseDatabaseDown", "BourseNotReady"] },
      ]);
    } finally {
      await cluster.close();
      await server.kill();
    }
  },
  600_000,
);
