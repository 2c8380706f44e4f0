import { expect, test } from "bun:test";
import { AlertDelivery } from "#alerts/delivery.ts";
import type { Alert, Channel } from "#domain/alert.ts";
import type { UserList } from "#domain/user-list.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { listDueChannels } from "#store/alert-outbox.ts";
import { putDocument } from "#store/user-documents.ts";
import { findUser } from "#store/users.ts";
import { openFolder } from "../support/access.ts";
import { openCopiedAccess } from "../support/empty-files.ts";
import { AT, openAlerts, quoteAt } from "../support/judging.ts";
import { instrument, openTestMarket } from "../support/market.ts";
import { slowness, threadMs } from "../support/pace.ts";

// Not part of the suite (no .test in its name): it measures turns. `.ci/run` has it.

const SHARES = 15_000;
const USERS = 20;
const RULES = 500;

/** Runs work, and returns the longest time that this thread computed in a turn of the event loop meanwhile, in milliseconds. */
async function longestTurn(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let isOver = false;
  const watch = (async () => {
    for (let last = threadMs(); !isOver;) {
      await nextTurn();
      const now = threadMs();
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
    const began = threadMs();
    const longest = await longestTurn(() => judging.run());
    times[name] = Math.round(threadMs() - began);
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
  for (const longest of [first, calm, some]) expect(longest).toBeLessThan(20 * pace);
  expect(alerts.lines).toEqual([]);
  access.close();
}, 600_000);

test("450 rules about 40 shares come true at once, each with 10 channels, in turns below 20 ms", async () => {
  using folder = openFolder();
  using home = openTestMarket();
  const access = openCopiedAccess(folder.path);
  const alerts = openAlerts(access, home.market);
  const symbols = Array.from({ length: 40 }, (_, i) => `S${i}`);
  const see = (price: number) =>
    alerts.put("quotes", ...symbols.map((symbol) => quoteAt(symbol, price)));
  alerts.put("instruments", ...symbols.map((symbol) => instrument("US", symbol)));
  see(100);
  await alerts.addUser("anna");
  const userId = access.run(findUser("anna"))?.id ?? 0;
  const names = Array.from({ length: 10 }, (_, i) => `c-${i}`);
  access.transaction(function* () {
    const put = (kind: "channel" | "list" | "alert", value: Channel | UserList | Alert) => {
      const json = JSON.stringify(value);
      return putDocument(userId, { kind, name: value.name, items: 0, changedAt: AT, json });
    };
    for (const name of names)
      yield* put("channel", { name, kind: "ntfy", url: "https://n.example/t" });
    const items = symbols.map((symbol) => ({ country: "US", symbol }) as const);
    yield* put("list", { name: "core", items });
    const rule = { watch: "list:core", when: "price<99", repeat: "again", to: names } as const;
    for (let i = 0; i < 450; i++)
      yield* put("alert", { name: `r-${i}`, ...rule, since: "2026-11-25" });
  });
  const { judging } = alerts.openWithRollups();
  let status = 200;
  const delivery = new AlertDelivery({
    access,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    publicUrl: null,
    places: { mail: null, networks: [] },
    clock: () => alerts.time.now,
    network: {
      resolve: async () => ["93.184.215.14"],
      fetchFrom: async () => new Response("", { status }),
    },
  });
  const deliver = async () => {
    await delivery.run();
    await delivery.settled();
  };
  const longest = [await longestTurn(() => judging.run())];
  see(98);
  longest.push(await longestTurn(() => judging.run()));
  // The newest 2,000 messages are kept.
  const due = () =>
    access.run(listDueChannels(alerts.time.now, 99)).reduce((sum, one) => sum + one.due, 0);
  expect(due()).toBe(20_000);
  for (status of [200, 500]) {
    longest.push(await longestTurn(deliver));
    alerts.time.now += 61_000;
  }
  process.stdout.write(`${JSON.stringify(longest.map(Math.round))}\n`);
  expect(due()).toBeLessThan(20_000);
  for (const one of longest) expect(one).toBeLessThan(20 * slowness());
  access.close();
}, 600_000);
