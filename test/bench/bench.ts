// Measures the service against a floor and against peers that do the same job: `bun run bench`, or
// `bun run bench --short` for daily use. It asserts nothing.
//
// The floor is a bare `Bun.serve` that sends the same bytes. Every contender runs once in each round,
// and ratios are computed within a round only, so that other work on the machine affects both sides.
// The product is not changed for the load. A token has 5,000 calls an hour, so a hot case uses one
// token until its hour is nearly full and then the next. The peers have the same tokens and limits.
// They look the token up in SQLite by its SHA-256 and count with one upsert (WAL, NORMAL). So with them
// too, a revocation applies at once and no call is forgotten.
import { rmSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PLANS } from "#access/plans.ts";
import { proveKills } from "../support/kill-proof.ts";
import { RUN_FOLDER, temporaryFolder } from "../support/service.ts";
import { formatBudgets } from "./budgets.ts";
import { type Effort, runCase, tokensForCases, tokensForHot } from "./cases.ts";
import { measureCluster } from "./cluster.ts";
import { compareWith } from "./compare.ts";
import { BINARY, buildBinary, installPeers, PEERS_FOLDER, prepare } from "./contenders.ts";
import { measureInProcess } from "./in-process.ts";
import { createLoadGenerator } from "./load.ts";
import {
  measureAtRate,
  measureImport,
  measureSoak,
  TOKENS_FOR_SOAK,
  tokensAtRate,
} from "./programs.ts";
import {
  AT_RATE,
  createReport,
  formatRows,
  importCase,
  MILLION_BARS,
  SOAK,
  STALLS,
  stallCase,
} from "./report.ts";
import { openStage } from "./stage.ts";
import { measureStalls } from "./stalls.ts";

const { values: flags } = parseArgs({
  options: {
    against: { type: "string" },
    short: { type: "boolean", default: false },
    only: { type: "string" },
    rounds: { type: "string" },
    seconds: { type: "string" },
    soak: { type: "string" },
    kills: { type: "string" },
  },
});
const isShort = flags.short;
const effort: Effort = {
  rounds: Number(flags.rounds ?? (isShort ? 2 : 5)),
  seconds: Number(flags.seconds ?? (isShort ? 0.3 : 2)),
  warmUpSeconds: isShort ? 0.3 : 1,
};
const soakMinutes = Number(flags.soak ?? (isShort ? 0 : 10));
const kills = Number(flags.kills ?? (isShort ? 0 : 50));
const effortAtRate = { rounds: isShort ? 1 : 3, seconds: isShort ? 1 : 5 };

const began = performance.now();
const report = createReport();
const say = (text: string) =>
  void process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0)} s: ${text}\n`);
const only = flags.only === undefined ? null : new RegExp(flags.only, "i");
/** Runs a part if `--only` selects it. If it fails, the report says why and the bench continues. */
const attempt = async (what: string, work: () => void | Promise<void>): Promise<void> => {
  if (only && !only.test(what)) return;
  say(what);
  try {
    await work();
  } catch (error) {
    report.note(
      what,
      `could not be run (${error instanceof Error ? error.message : String(error)})`,
    );
  }
};

if (flags.against !== undefined) {
  const { folder, remove } = temporaryFolder();
  try {
    const size = { slices: isShort ? 50 : 400, starts: isShort ? 5 : 20 };
    process.stdout.write(`${await compareWith(flags.against, { folder, ...size })}\n`);
  } finally {
    remove();
  }
  process.exit();
}

// The load of other work, before the bench starts.
const [othersLoad = 0] = loadavg();
const { folder, remove } = temporaryFolder();
try {
  say("preparing the program, the market, the tokens and the peers");
  buildBinary();
  // The peers' folder also has the load generator that is used without wrk.
  const obstacle = isShort && Bun.which("wrk") !== null ? null : installPeers();
  if (obstacle !== null) report.note("peers", obstacle);
  // A peer on Node needs seconds to warm up. Without them it would look slower than it is.
  else if (isShort) report.note("peers", "left out of the short mode");
  const fresh =
    tokensForCases(effort) +
    tokensForHot(effort) +
    tokensAtRate(effortAtRate) +
    TOKENS_FOR_SOAK +
    10;
  const prepared = prepare(folder, fresh);
  const generator = createLoadGenerator(join(folder, "load"), PEERS_FOLDER);
  const stage = await openStage(prepared, { withPeers: !isShort && obstacle === null }, report);
  const { cases, answers, programs } = stage;
  const [hot] = cases;
  const binary = programs.at(-1);
  if (!hot || !binary) throw new Error("there is nothing to measure");
  try {
    // First, before thousands of answers and tokens are cached; the soak measures that state.
    await attempt(AT_RATE, () => {
      const contenders = stage.contendersOf({ ...hot, hasHeadedFloor: false });
      return measureAtRate(report, hot, contenders, prepared, generator, effortAtRate);
    });
    for (const [i, one] of cases.entries()) {
      await attempt(one.name, async () => {
        await stage.check(one);
        const contenders = stage.contendersOf(one);
        report.addHttp(one.name, await runCase(one, i, contenders, prepared, generator, effort));
      });
    }
    const contenders = stage.contendersOf({ ...hot, hasHeadedFloor: false, peers: null });
    const parts = { report, prepared, generator, effort, hot, contenders };
    await measureCluster({ ...parts, kills: 4 * kills }, attempt);
    if (soakMinutes === 0) report.note(SOAK, "left out");
    else {
      await attempt(SOAK, () => measureSoak(report, hot, binary, prepared, generator, soakMinutes));
    }
  } finally {
    await stage.stop();
  }

  const sizes = isShort
    ? { importedBars: 100_000, mistypedSymbols: 100 }
    : { importedBars: 1_000_000, mistypedSymbols: 500 };
  if (!only || STALLS.some((name) => only.test(stallCase(name)))) {
    await measureStalls(report, prepared, sizes, attempt);
  }
  report.note(
    "stalls",
    `the import beside the calls is of ${sizes.importedBars.toLocaleString("en-US")} bars, the mistyped symbols are ${sizes.mistypedSymbols}`,
  );
  await attempt("in process", () => measureInProcess(report, { isShort }));
  const bars = isShort ? MILLION_BARS / 10 : MILLION_BARS;
  if (isShort)
    report.note(
      importCase(MILLION_BARS),
      `the short mode imports ${bars.toLocaleString("en-US")} bars`,
    );
  await attempt(importCase(bars), () => measureImport(report, bars, prepared));
  if (kills === 0) report.note("kills", "left out");
  else {
    await attempt("kills", async () => {
      const proof = await proveKills([BINARY], kills);
      report.note(
        `${kills} kills of the binary under load`,
        `of ${proof.answered} answered calls ${proof.forgotten} were forgotten; counted too much after one kill: at most ${proof.overcountHot} of a hot token (${PLANS.max.lease} allowed), ${proof.overcountSlow} of a slow one (0 allowed); tokens above their ceiling: ${proof.overCeiling}`,
      );
    });
  }

  const node = Bun.which("node") ? Bun.spawnSync(["node", "--version"]).stdout.toString() : "none";
  process.stdout.write(
    [
      `${cpus().length} × ${cpus()[0]?.model ?? "unknown CPU"}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}; Bun ${Bun.version}, Node ${node.trim()}; load before the run ${othersLoad.toFixed(1)}`,
      `${generator.name}; ${effort.rounds} rounds of ${effort.seconds} s; medians, ratios within a round; at 70 % over connections that pause for 1 to 5 ms`,
      `bodies: ${cases.map(({ name }, i) => `${name} ${Buffer.byteLength(answers[i]?.body ?? "")} B`).join(", ")}`,
      "",
      formatRows(report.rows),
      formatBudgets(report),
      ...report.notes,
      "",
      `${Math.round((performance.now() - began) / 1000)} s`,
      "",
    ].join("\n"),
  );
} finally {
  remove();
  rmSync(RUN_FOLDER, { recursive: true, force: true });
}
