import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { formatTable } from "#lib/table.ts";
import { findFreePort } from "../support/child-process.ts";
import {
  type Case,
  createCases,
  FEED_CASE,
  HOT_LARGE,
  HOT_SMALL,
  readyAnswer,
  TOOLS_CALL,
} from "./cases.ts";
import {
  BINARY,
  buildBinary,
  type Contender,
  launch,
  serviceEnvironment,
  startFloor,
} from "./contenders.ts";
import { requestTail } from "./load.ts";
import { processUsage } from "./process-usage.ts";
import { writeImportFiles } from "./programs.ts";
import { cpuMicroseconds, lowTenth, measureSlices } from "./slices.ts";

const ROOT = join(import.meta.dir, "../..");
/** Below the 5,000 calls that a token of plan max has in an hour. */
const CALLS_PER_TOKEN = 4_500;
/** The bars that are imported, and exported with the sample market. */
const BARS = 100_000;
/** When the memory of a service without requests is read, after its first answer. */
const IDLE_MS = 4_000;

/** One version of the program, with data of its own. */
interface Version {
  readonly binary: string;
  readonly data: string;
  /** Tokens of plan max. */
  readonly tokens: readonly string[];
}

/** A row of the table: what was measured, and the figure of the floor and of both versions. */
type Figures = readonly [what: string, floor: number | null, now: number, before: number];

/**
 * Measures the CPU of this program and of the program at an earlier commit, in turn, and returns a table. The earlier
 * one is built in a clone.
 *
 * @param folder for the clone and all data
 * @param slices of 1,000 requests of each case
 * @param starts of each command
 */
export async function compareWith(
  commit: string,
  { folder, slices, starts }: { folder: string; slices: number; starts: number },
): Promise<string> {
  buildBinary();
  const clone = join(folder, "clone");
  run(["git", "clone", "--quiet", ROOT, clone], folder);
  run(["git", "checkout", "--quiet", commit], clone);
  run([process.execPath, "install", "--frozen-lockfile", "--silent"], clone);
  run([process.execPath, "src/deploy/build.ts"], clone);
  const versions = [
    prepareVersion(ROOT, BINARY, join(folder, "now")),
    prepareVersion(clone, join(clone, "dist/bourse"), join(folder, "before")),
  ] as const;
  const rows = [
    ...(await compareCalls(versions, folder, slices)),
    ...(await compareStarts(versions, starts)),
    ...compareCommands(versions, folder, starts),
  ];
  const ratio = (value: number, by: number | null) =>
    by === null ? null : (value / by).toFixed(2);
  return formatTable(
    ["CPU", "FLOOR", "NOW", commit.slice(0, 8), "NOW / FLOOR", `NOW / ${commit.slice(0, 8)}`],
    rows.map(([what, floor, now, before]) => [
      what,
      floor === null ? null : floor.toFixed(2),
      now.toFixed(2),
      before.toFixed(2),
      ratio(now, floor),
      ratio(now, before),
    ]),
  );
}

/** Runs a command to its end; returns its CPU time in milliseconds. @throws Error if it fails */
function run(command: readonly string[], cwd: string, env: Record<string, string> = {}): number {
  const { success, stderr, resourceUsage } = Bun.spawnSync([...command], {
    cwd,
    env: { ...process.env, ...env },
    stdout: "ignore",
    stderr: "pipe",
  });
  if (!success) throw new Error(`${command.join(" ")} failed: ${stderr.toString()}`);
  return Number(resourceUsage.cpuTime.total) / 1_000;
}

/** Makes the market and the tokens of a version with its own code, because its files have its own form. */
function prepareVersion(root: string, binary: string, folder: string): Version {
  mkdirSync(folder);
  const contenders = JSON.stringify(join(root, "test/bench/contenders.ts"));
  const code = `(await import(${contenders})).prepare(${JSON.stringify(folder)}, 0)`;
  run([process.execPath, "--eval", code], root);
  const made = JSON.parse(readFileSync(join(folder, "tokens.json"), "utf8")) as {
    readonly token: string;
  }[];
  // The last one is of plan free.
  const tokens = made.slice(0, -1).map(({ token }) => token);
  return { binary, data: join(folder, "data"), tokens };
}

/** The cases: REST, CSV, MCP and a feed. */
function listCases(): readonly Case[] {
  const all = createCases(["AAPL"], "");
  const named = (name: string) => all.filter((one) => one.name === name);
  const csv = named(HOT_SMALL).map((one) => {
    const paths = one.request.paths.map((path) => `${path}&format=csv`);
    return { ...one, name: "CSV, hot", request: { ...one.request, paths } };
  });
  return [...named(HOT_SMALL), ...named(HOT_LARGE), ...csv, ...named(TOOLS_CALL), FEED_CASE];
}

/** The CPU of a call, in microseconds. */
async function compareCalls(
  versions: readonly [Version, Version],
  folder: string,
  slices: number,
): Promise<Figures[]> {
  const running: Contender[] = [];
  try {
    for (const { binary, data } of versions) {
      const { said, ...service } = await launch([binary, "serve"], serviceEnvironment(data), data);
      running.push({ name: binary, ...service, originOf: () => said });
    }
    const [now] = running;
    if (!now) throw new Error("there is no service to measure");
    const cases = listCases();
    const answers = await Promise.all(
      cases.map((one, i) => readyAnswer(now, i, one, versions[0].tokens.at(-1) ?? "")),
    );
    const floor = await startFloor({ folder }, answers);
    running.unshift(floor.bare);
    const rows: Figures[] = [];
    for (const [i, one] of cases.entries()) {
      const servers = running.map((contender, j) => {
        const origin = new URL(contender.originOf(i));
        const { method, paths } = one.request;
        const head = `${method} ${paths[0]} HTTP/1.1\r\nHost: ${origin.host}\r\nAuthorization: Bearer `;
        const tail = requestTail(one.request);
        const tokens = versions[Math.max(0, j - 1)]?.tokens ?? [];
        return {
          pid: contender.pid,
          port: Number(origin.port),
          requests: tokens.slice(1_000 * i, 1_000 * (i + 1)).map((token) => head + token + tail),
          callsPerRequest: CALLS_PER_TOKEN,
        };
      });
      const [bare = 0, mine = 0, theirs = 0] = await measureSlices(servers, slices);
      rows.push([`${one.name}, µs`, bare, mine, theirs]);
    }
    return rows;
  } finally {
    for (const contender of running) await contender.stop();
  }
}

/** The CPU until the first answer, and the memory some seconds later. */
async function compareStarts(
  versions: readonly [Version, Version],
  starts: number,
): Promise<Figures[]> {
  const [path = ""] = createCases([""], "")[0]?.request.paths ?? [];
  const cpu: [number[], number[]] = [[], []];
  const idle: [number, number] = [Number.NaN, Number.NaN];
  for (let round = 0; round < starts; round++) {
    for (const [i, { binary, data, tokens }] of versions.entries()) {
      const port = await findFreePort();
      const env = { ...serviceEnvironment(data), BOURSE_PORT: String(port) };
      const child = Bun.spawn([binary, "serve"], { env, stdout: "ignore", stderr: "ignore" });
      const headers = { authorization: `Bearer ${tokens.at(-2)}` };
      while (child.exitCode === null) {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers }).catch(
          () => null,
        );
        await answer?.bytes();
        if (answer?.status === 200) break;
        await Bun.sleep(1);
      }
      cpu[i]?.push(cpuMicroseconds(child.pid) / 1_000);
      if (round === starts - 1) {
        await Bun.sleep(IDLE_MS);
        idle[i] = processUsage(child.pid)?.residentMb ?? Number.NaN;
      }
      child.kill("SIGTERM");
      await child.exited;
    }
  }
  return [
    ["first 200 after start, ms", null, lowTenth(cpu[0]), lowTenth(cpu[1])],
    ["idle memory, MB", null, ...idle],
  ];
}

/** The CPU of commands from their start to their end, in milliseconds. */
function compareCommands(
  versions: readonly [Version, Version],
  folder: string,
  starts: number,
): Figures[] {
  const files = writeImportFiles(folder, BARS);
  const target = join(folder, "export");
  const measure = (words: readonly string[], times: number): [number, number] => {
    const found: [number[], number[]] = [[], []];
    for (let round = 0; round < times; round++) {
      for (const [i, { binary, data }] of versions.entries()) {
        rmSync(target, { recursive: true, force: true });
        found[i]?.push(run([binary, ...words], folder, { BOURSE_DATA: data }));
      }
    }
    return [lowTenth(found[0]), lowTenth(found[1])];
  };
  measure(["import", "instruments", files.instruments], 1);
  return [
    ["--version, ms", null, ...measure(["--version"], 2 * starts)],
    [`import of ${BARS} bars, ms`, null, ...measure(["import", "bars", files.bars], 3)],
    ["export of all bars, Parquet, ms", null, ...measure(["export", target, "--kinds", "bars"], 3)],
  ];
}
