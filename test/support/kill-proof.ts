import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { PLANS } from "#access/plans.ts";
import { openAccess } from "#store/index.ts";
import { openFolder } from "./access.ts";
import { atOnce } from "./at-once.ts";
import { createSmallSample } from "./contract-market.ts";
import { spawnServe } from "./serve-process.ts";

/** The counters after all rounds in which the service was killed under load. */
export interface KillProof {
  /** Calls whose answer the client received. */
  readonly answered: number;
  /** Calls that were running at a kill: each may be counted or not. */
  readonly unanswered: number;
  /** Calls that were answered but not counted. */
  readonly forgotten: number;
  /** The largest number of counted calls of one busy token, after one kill, that were never made. */
  readonly overcountHot: number;
  /** The same for a token that calls less than once a second. */
  readonly overcountSlow: number;
  /** Tokens that were allowed more calls than their hour has. */
  readonly overCeiling: number;
}

const HOT_TOKENS = 3;
const SLOW_TOKENS = 3;
const SLOW_MS = 1_100;
const CALLERS = 16;

interface Caller {
  readonly id: number;
  readonly token: string;
  lastCallAt: number;
  answered: number;
  unanswered: number;
}

/**
 * Starts the program, loads it with tokens that call as fast as they can and others that call less
 * than once a second, and kills it at a random moment. Then it compares the counters with the
 * answers. All rounds use one data folder.
 */
export async function proveKills(program: readonly string[], rounds: number): Promise<KillProof> {
  using folder = openFolder();
  createSmallSample(folder.path, Date.now());
  const slow = makeCallers(folder.path, "slow", SLOW_TOKENS);
  const proofs: KillProof[] = [];
  while (proofs.length < rounds) {
    const hot = makeCallers(folder.path, `hot-${proofs.length}-${Date.now()}`, HOT_TOKENS);
    const before = countersOf(folder.path, [...hot, ...slow]);
    for (const caller of slow) Object.assign(caller, { answered: 0, unanswered: 0 });
    await loadAndKill(program, folder.path, hot, slow);
    const after = countersOf(folder.path, [...hot, ...slow]);
    // The counters restart at midnight and could not be compared.
    if (after.day !== before.day) continue;

    const differences = (callers: readonly Caller[]) =>
      callers.map(({ id, answered, unanswered }) => {
        const counted = (after.used.get(id) ?? 0) - (before.used.get(id) ?? 0);
        return { forgotten: answered - counted, over: counted - answered - unanswered };
      });
    const [ofHot, ofSlow] = [differences(hot), differences(slow)];
    const most = (values: readonly number[]) => Math.max(0, ...values);
    const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
    const all = [...hot, ...slow];
    proofs.push({
      answered: sum(all.map(({ answered }) => answered)),
      unanswered: sum(all.map(({ unanswered }) => unanswered)),
      forgotten: sum([...ofHot, ...ofSlow].map(({ forgotten }) => most([forgotten]))),
      overcountHot: most(ofHot.map(({ over }) => over)),
      overcountSlow: most(ofSlow.map(({ over }) => over)),
      overCeiling: hot.filter(({ answered }) => answered > PLANS.max.hourly).length,
    });
  }
  return proofs.reduce((one, other) => ({
    answered: one.answered + other.answered,
    unanswered: one.unanswered + other.unanswered,
    forgotten: one.forgotten + other.forgotten,
    overcountHot: Math.max(one.overcountHot, other.overcountHot),
    overcountSlow: Math.max(one.overcountSlow, other.overcountSlow),
    overCeiling: one.overCeiling + other.overCeiling,
  }));
}

/** Opens the store only while the service is stopped, because only its start may repair the state after a kill. */
function makeCallers(folder: string, user: string, count: number): Caller[] {
  const access = openAccess(folder);
  const accounts = atOnce(new Accounts({ access, clock: Date.now, actor: COMMAND_LINE }));
  accounts.addUser(user, "max");
  const callers = Array.from({ length: count }, () => ({
    ...accounts.createToken(user, "kill", null),
    lastCallAt: 0,
    answered: 0,
    unanswered: 0,
  }));
  access.close();
  return callers;
}

function countersOf(folder: string, callers: readonly Caller[]) {
  const access = openAccess(folder);
  const usages = callers.map(({ id }) => [id, access.usage.get(id, Date.now())] as const);
  access.close();
  return {
    day: Math.max(...usages.map(([, { day }]) => day)),
    used: new Map(usages.map(([id, { dayUsed }]) => [id, dayUsed])),
  };
}

async function loadAndKill(
  program: readonly string[],
  folder: string,
  hot: readonly Caller[],
  slow: readonly Caller[],
): Promise<void> {
  const service = await spawnServe(folder, { program, env: { BOURSE_GATE_PER_MINUTE: "0" } });
  const killAfter = 200 + Math.floor(Math.random() * 1_500);
  const waiting = new Set(slow);
  let answers = 0;
  let isKilled = false;
  const call = async (caller: Caller): Promise<void> => {
    caller.lastCallAt = Date.now();
    try {
      const response = await service.get("/data/markets", caller.token);
      await response.bytes();
      if (response.status === 200) caller.answered++;
      answers++;
    } catch (error) {
      if (!isKilled) throw error;
      caller.unanswered++;
    }
  };
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, i) => {
      while (!isKilled) {
        // At moments over the whole round, the last one just before the kill.
        const turn = (answers / killAfter) * slow.length >= slow.length - waiting.size;
        const due = [...waiting].find(({ lastCallAt }) => Date.now() - lastCallAt >= SLOW_MS);
        if (turn && due) waiting.delete(due);
        const next = (turn && due) || hot[i % hot.length];
        if (next) await call(next);
        if (!isKilled && answers >= killAfter && waiting.size === 0) {
          isKilled = true;
          service.kill("SIGKILL");
        }
      }
    }),
  );
  await service.exited();
}
