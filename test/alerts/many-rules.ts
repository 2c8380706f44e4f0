import { expect, test } from "bun:test";
import type { Alert } from "#domain/alert.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { putDocument } from "#store/user-documents.ts";
import { findUser } from "#store/users.ts";
import { openFolder } from "../support/access.ts";
import { openCopiedAccess } from "../support/empty-files.ts";
import { AT, openAlerts, quoteAt } from "../support/judging.ts";
import { instrument, openTestMarket } from "../support/market.ts";
import { slowness } from "../support/pace.ts";

// Not part of the suite (no .test in its name): it measures turns. `.ci/run` has it.

const SHARES = 15_000;
const USERS = 20;
const RULES = 500;

/** The CPU of this process, in milliseconds. Other programs on the machine do not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Runs work, and returns the CPU of the longest turn of the event loop meanwhile, in milliseconds. */
async function longestTurn(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let isOver = false;
  const watch = (async () => {
    for (let last = cpuMs(); !isOver;) {
      await nextTurn();
      const now = cpuMs();
      longest = Math.max(longest, now - last);
      last = now;
    }
  })();
  await work();
  isOver = true;
  await watch;
  return longest;
}

test("10,000 rules are judged in turns below 20 ms after a list of 15,000 quotes", async () => {
  using folder = openFolder();
  using home = openTestMarket();
  const { market } = home;
  const access = openCopiedAccess(folder.path);
  const alerts = openAlerts(access, market);
  const symbols = Array.from({ length: SHARES }, (_, i) => `S${i}`);
  alerts.put("instruments", ...symbols.map((symbol) => instrument("US", symbol)));
  alerts.put("quotes", ...symbols.map((symbol) => quoteAt(symbol, 100)));
  for (let user = 0; user < USERS; user++) {
    await alerts.addUser(`user-${user}`);
    const userId = access.run(findUser(`user-${user}`))?.id ?? 0;
    // In one transaction, because each of its own takes the disk some milliseconds.
    access.transaction(function* () {
      for (let i = 0; i < RULES; i++) {
        const json = JSON.stringify({
          name: `r-${i}`,
          watch: `US:${symbols[(user * RULES + i) % SHARES]}`,
          when: i % 2 ? "price<99" : "price>101,change_percent>0",
          repeat: "again",
          to: [],
          since: "2026-11-25",
        } satisfies Alert);
        const document = { kind: "alert", name: `r-${i}`, items: 0, changedAt: AT, json } as const;
        yield* putDocument(userId, document);
      }
    });
  }
  const { judging, rollups } = alerts.openWithRollups();
  await rollups.update();
  const times: Record<string, number> = {};
  const measure = async (name: string) => {
    const began = cpuMs();
    const longest = await longestTurn(() => judging.run());
    times[name] = Math.round(cpuMs() - began);
    times[`${name}, longest turn`] = Math.round(longest * 10) / 10;
    return longest;
  };
  const first = await measure("first judgement");
  alerts.put("quotes", ...symbols.map((symbol) => quoteAt(symbol, 100.5)));
  await rollups.update();
  const calm = await measure("nothing comes true");
  // Every twentieth share falls: rules of its kind come true.
  alerts.put("quotes", ...symbols.map((symbol, i) => quoteAt(symbol, i % 20 === 1 ? 98 : 100.5)));
  await rollups.update();
  const some = await measure("some come true");
  process.stdout.write(`${JSON.stringify(times)}\n`);
  let told = 0;
  for (let user = 0; user < USERS; user++) told += (await alerts.told(`user-${user}`)).length;
  // 10,000 / 20 rules about shares that fell, and each of these has the limit 99.
  expect(told).toBe((USERS * RULES) / 20);
  const pace = slowness();
  for (const longest of [calm, some]) expect(longest).toBeLessThan(20 * pace);
  // The first one reads the rules and compiles the code.
  expect(first).toBeLessThan(50 * pace);
  expect(alerts.lines).toEqual([]);
  access.close();
}, 600_000);
