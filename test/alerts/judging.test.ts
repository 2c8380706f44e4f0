import { describe, expect, test } from "bun:test";
import { MESSAGES_OF_RULE } from "#alerts/limits.ts";
import { MOST_WATCHED, parseRules } from "#alerts/rules.ts";
import { listAlertStates, putAlertState } from "#store/alerts.ts";
import { listAuditEntries } from "#store/audit.ts";
import { findUser } from "#store/users.ts";
import { runStatement } from "#store/work.ts";
import { AT, openAlerts, quoteAt } from "../support/judging.ts";
import { openAccessTwice } from "../support/access.ts";
import { instrument, openTestMarket } from "../support/market.ts";

const DAY = 86_400_000;

/** A market with shares, and two users without rules. */
async function openWorld(...symbols: string[]) {
  const home = await openAccessTwice();
  const { market, ...files } = openTestMarket();
  const alerts = openAlerts(home.access, market);
  for (const symbol of symbols) alerts.put("instruments", instrument("US", symbol));
  const anna = await alerts.addUser("anna");
  const ben = await alerts.addUser("ben");
  return {
    ...alerts,
    ...home,
    market,
    anna,
    ben,
    quote: (symbol: string, price: number) => alerts.put("quotes", quoteAt(symbol, price)),
    async [Symbol.asyncDispose]() {
      files[Symbol.dispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

describe("a rule about a price", () => {
  test("fires once each time it comes true, record by record", async () => {
    await using world = await openWorld("ACME");
    await world.save("anna", { name: "low", when: "price<380" });
    await world.save("anna", { name: "once", when: "price<380", repeat: "once" });
    await world.save("ben", { name: "high", when: "price>=400" });
    const judging = world.open();
    // 390 is the baseline. 380 is not below 380.
    for (const price of [390, 379, 378, 380, 379.5, 401, 402, 399, 400]) {
      world.quote("ACME", price);
      world.time.now += 1_000;
      await judging.run();
      await judging.run();
    }
    // Messages of one moment have no order.
    const told = (await world.told("anna")).toSorted();
    expect(told).toEqual(["low 379", "low 379.5", "once 379"]);
    expect(await world.told("ben")).toEqual(["high 401", "high 400"]);
  });

  test("follows the trades of foreigners, also of a session whose price came before", async () => {
    await using world = await openWorld();
    world.put("instruments", instrument("VN", "FPT"));
    await world.save("anna", { name: "sold", watch: "VN:FPT", when: "khối ngoại bán ròng" });
    const judging = world.open();
    for (const [date, boughtValue, soldValue] of [
      ["2026-11-24", 9e9, 2e9],
      ["2026-11-25", 3e9, 5e9],
      ["2026-11-26", 1e9, null],
      ["2026-11-27", 1e9, 4e9],
    ] as const) {
      world.time.now = Date.parse(`${date}T10:00Z`);
      world.put("quotes", { ...quoteAt("FPT", 100_000, { date }), country: "VN" });
      await judging.run();
      world.put("foreignTrades", {
        country: "VN",
        symbol: "FPT",
        date,
        boughtValue,
        soldValue,
        room: 7,
      });
      await judging.run();
    }
    expect(await world.told("anna")).toEqual(["sold -2000000000"]);
  });

  test("goes on under the new symbol of a company, with what was known of it", async () => {
    // FB is META since 2022-06-09.
    await using world = await openWorld("META", "ACME");
    const rule = { watch: "US:FB", when: "price<380" };
    await world.save("anna", { name: "low", ...rule });
    await world.save("anna", { name: "once", ...rule, repeat: "once" });
    const { id: userId = 0 } = world.access.run(findUser("anna")) ?? {};
    for (const [alert, json] of [
      ["low", '{"is":false}'],
      ["once", '{"is":false,"fired":true}'],
    ] as const)
      world.access.run(putAlertState({ userId, alert, about: "US:FB", json }, AT));
    const judging = world.open();
    for (const price of [370, 390, 371]) {
      world.quote("META", price);
      await judging.run();
    }
    expect((await world.told("anna")).toSorted()).toEqual(["low 370", "low 371"]);
    const states = world.access.run(listAlertStates("anna"));
    expect(states.map(({ alert, about }) => `${alert} ${about}`)).toEqual([
      "low US:META",
      "once US:META",
    ]);
  });

  test("that is true already fires when it is true again", async () => {
    await using world = await openWorld("ACME");
    world.quote("ACME", 300);
    await world.save("anna", { name: "low", when: "price<380" });
    const judging = world.open();
    await judging.run();
    world.quote("ACME", 301);
    await judging.run();
    expect(await world.told("anna")).toEqual([]);
    for (const price of [381, 379]) {
      world.quote("ACME", price);
      await judging.run();
    }
    expect(await world.told("anna")).toEqual(["low 379"]);
  });

  test("fires for what happened while no process ran, and not again after a start", async () => {
    await using world = await openWorld("ACME");
    world.quote("ACME", 390);
    await world.save("anna", { name: "low", when: "price<380" });
    await world.open().run();
    world.quote("ACME", 379);
    for (let start = 0; start < 3; start++) await world.open().run();
    expect(await world.told("anna")).toEqual(["low 379"]);
  });

  test("begins again with another limit, and ends when it is deleted or paused", async () => {
    await using world = await openWorld("ACME");
    const judging = world.open();
    const see = async (price: number) => {
      world.quote("ACME", price);
      world.time.now += 1_000;
      await judging.run();
    };
    await world.save("anna", { name: "low", when: "price<380" });
    await see(390);
    await world.save("anna", { name: "low", when: "price<370" });
    await see(375);
    // The new limit had no baseline before 375.
    await see(369);
    expect(await world.told("anna")).toEqual(["low 369"]);
    await world.save("anna", { name: "low", when: "price<370", paused: true });
    for (const price of [375, 368]) await see(price);
    await world.save("anna", { name: "low", when: "price<370" });
    // It is true when it is resumed, which is its baseline.
    for (const price of [367, 375, 366]) await see(price);
    expect(await world.told("anna")).toEqual(["low 369", "low 366"]);
    await world.anna.remove("alert", "low");
    for (const price of [375, 365]) await see(price);
    expect(await world.told("anna")).toHaveLength(2);
  });

  test("does not hear of a figure that is unknown, and a symbol that is unknown breaks no other", async () => {
    await using world = await openWorld("ACME", "OTHER");
    await world.anna.save("list", {
      name: "mine",
      items: ["NOPE", "ACME", "OTHER"].map((symbol) => ({ country: "US", symbol })),
    });
    await world.save("anna", { name: "low", when: "price<380", watch: "list:mine" });
    const judging = world.open();
    world.quote("ACME", 390);
    await judging.run();
    // OTHER has no price yet: its first one below the limit is news, because it was not known to be true before.
    world.quote("OTHER", 10);
    await judging.run();
    world.time.now += 1_000;
    world.quote("ACME", 379);
    await judging.run();
    expect(await world.told("anna")).toEqual(["low 10", "low 379"]);
    // A listing that arrives later begins with its own baseline.
    world.put("instruments", instrument("US", "NOPE"));
    await judging.run();
    world.quote("NOPE", 5);
    await judging.run();
    expect(await world.told("anna")).toHaveLength(3);
    expect(world.lines).toEqual([]);
  });

  test("of an item that left the list is forgotten", async () => {
    await using world = await openWorld("ACME");
    const items = [{ country: "US" as const, symbol: "ACME" }];
    const listed = (some: typeof items) => world.anna.save("list", { name: "mine", items: some });
    await listed(items);
    await world.save("anna", { name: "low", when: "price<380", watch: "list:mine" });
    const judging = world.open();
    const see = async (price: number) => {
      world.quote("ACME", price);
      world.time.now += 1_000;
      await judging.run();
    };
    await see(390);
    await listed([]);
    await see(379);
    await listed(items);
    await see(378);
    expect(await world.told("anna")).toEqual([]);
    await world.anna.remove("list", "mine");
    for (const price of [390, 370]) await see(price);
    expect(await world.told("anna")).toEqual([]);
    expect(world.lines).toEqual([]);
  });

  test("is paused after too many messages of a day, says so, and goes on when it is saved", async () => {
    await using world = await openWorld("ACME");
    await world.save("anna", { name: "low", when: "price<380", title: "Cheap" });
    const judging = world.open();
    const flap = async (times: number) => {
      for (let i = 0; i < times; i++) {
        for (const price of [390, 370]) {
          world.quote("ACME", price);
          world.time.now += 1_000;
          await judging.run();
        }
      }
    };
    await flap(MESSAGES_OF_RULE + 5);
    const told = await world.told("anna");
    expect(told).toHaveLength(MESSAGES_OF_RULE + 1);
    expect(told.at(-1)).toBe("low paused");
    expect((await world.anna.get("alert", "low")).value).toMatchObject({ paused: true });
    const [entry] = world.access.run(listAuditEntries({ limit: 1 }));
    expect(entry).toMatchObject({ actor: "alert limit", subject: "alert low of anna, paused" });
    world.time.now += DAY;
    await world.save("anna", { name: "low", when: "price<380" });
    world.put("quotes", { ...quoteAt("ACME", 390), date: "2026-11-26" });
    await judging.run();
    world.put("quotes", { ...quoteAt("ACME", 370), date: "2026-11-26" });
    await judging.run();
    expect(await world.told("anna")).toHaveLength(MESSAGES_OF_RULE + 2);
  });

  test("that its user resumes within the day tells again, as often as a new one", async () => {
    await using world = await openWorld("ACME");
    await world.save("anna", { name: "low", when: "price<380" });
    const judging = world.open();
    for (const round of [1, 2]) {
      for (let i = 0; i <= MESSAGES_OF_RULE + 1; i++) {
        for (const price of [390, 370]) {
          world.quote("ACME", price);
          world.time.now += 1_000;
          await judging.run();
        }
      }
      const told = await world.told("anna");
      expect(told).toHaveLength((MESSAGES_OF_RULE + 1) * round);
      expect(told.at(-1)).toBe("low paused");
      await world.save("anna", { name: "low", when: "price<380" });
    }
  });

  test("about more shares than it may name is paused once", async () => {
    const symbols = Array.from({ length: MESSAGES_OF_RULE + 15 }, (_, i) => `A${i}`);
    await using world = await openWorld(...symbols);
    const items = symbols.map((symbol) => ({ country: "US" as const, symbol }));
    await world.anna.save("list", { name: "many", items });
    await world.save("anna", { name: "low", when: "price<380", watch: "list:many" });
    const judging = world.open();
    for (const price of [390, 370]) {
      for (const symbol of symbols) world.quote(symbol, price);
      world.time.now += 1_000;
      await judging.run();
    }
    expect(await world.told("anna")).toHaveLength(MESSAGES_OF_RULE + 1);
    const entries = world.access.run(listAuditEntries({ limit: 9 }));
    expect(entries.filter(({ actor }) => actor === "alert limit")).toHaveLength(1);
  });
});

describe("an event", () => {
  test("in some days comes by the clock, once", async () => {
    await using world = await openWorld("ACME");
    world.put("earningsDates", {
      country: "US",
      symbol: "ACME",
      date: "2026-11-28",
      session: "after_close",
      fiscalPeriod: null,
      epsEstimate: null,
    } as never);
    await world.save("anna", { name: "report", when: "earnings in 1d" });
    const judging = world.open();
    await judging.run();
    expect(await world.told("anna")).toEqual([]);
    // 27 November in New York begins at 5:00 UTC.
    world.time.now = Date.parse("2026-11-27T04:59Z");
    await judging.run();
    expect(await world.told("anna")).toEqual([]);
    world.time.now = Date.parse("2026-11-27T05:01Z");
    for (let i = 0; i < 3; i++) await judging.run();
    world.time.now += DAY;
    await judging.run();
    await world.open().run();
    expect(await world.told("anna")).toEqual(["report event"]);
  });
});

describe("a thesis", () => {
  test("of an item tells once that it broke, and goes to all channels", async () => {
    await using world = await openWorld("ACME");
    await world.anna.save("channel", { name: "phone", kind: "ntfy", url: "https://n.example/a" });
    const thesis = { text: "Stays above 300.", while: "price>300" };
    await world.anna.save("list", {
      name: "mine",
      items: [{ country: "US", symbol: "ACME", thesis }],
    });
    const judging = world.open();
    for (const price of [310, 305, 299, 298]) {
      world.quote("ACME", price);
      world.time.now += 1_000;
      await judging.run();
    }
    expect(await world.told("anna")).toEqual(["list:mine 299"]);
    const [message] = await world.anna.alerts.messages({ limit: 1 });
    expect(message).toMatchObject({
      kind: "thesis",
      facts: { text: "Stays above 300.", list: "mine" },
      deliveries: [{ channel: "phone", state: "due" }],
    });
  });
});

describe("a brief", () => {
  test("comes at its time in the zone of the user, and is silent without news", async () => {
    await using world = await openWorld("ACME");
    await world.anna.saveSettings({ timeZone: "Asia/Tokyo" });
    await world.anna.save("list", { name: "mine", items: [{ country: "US", symbol: "ACME" }] });
    world.put("bars", {
      country: "US",
      symbol: "ACME",
      bars: [
        { date: "2026-11-23", open: 100, high: 100, low: 100, close: 100, volume: null },
        { date: "2026-11-24", open: 100, high: 100, low: 100, close: 100, volume: null },
      ],
    });
    await world.save("anna", { name: "morning", when: "brief daily 07:30", watch: "list:mine" });
    const judging = world.open();
    await judging.run();
    world.put("bars", {
      country: "US",
      symbol: "ACME",
      bars: [{ date: "2026-11-25", open: 100, high: 120, low: 100, close: 120, volume: null }],
    });
    await judging.run();
    expect(await world.told("anna")).toEqual([]);
    // 7:30 of 26 November in Tokyo.
    world.time.now = Date.parse("2026-11-25T22:30Z");
    for (let i = 0; i < 2; i++) await judging.run();
    await world.open().run();
    expect(await world.told("anna")).toEqual(["morning brief"]);
    world.time.now += DAY;
    await judging.run();
    expect(await world.told("anna")).toHaveLength(1);
  });
});

test("a brief goes on after a clock that was a year ahead", async () => {
  await using world = await openWorld("ACME");
  await world.save("anna", { name: "morning", when: "brief daily 07:30" });
  const closes = (date: string, close: number) => ({
    country: "US" as const,
    symbol: "ACME",
    bars: [{ date, open: close, high: close, low: close, close, volume: null }],
  });
  world.put("bars", closes("2026-11-24", 100));
  world.time.now += 365 * DAY;
  await world.open().run();
  world.time.now -= 365 * DAY;
  const judging = world.open();
  await judging.run();
  world.put("bars", closes("2026-11-25", 120));
  world.time.now += DAY;
  await judging.run();
  expect(await world.told("anna")).toEqual(["morning brief"]);
});

test("a rule with too many instruments keeps no smaller one from being judged", async () => {
  await using world = await openWorld("ACME");
  const itemsOf = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ country: "US" as const, symbol: `A${i}` }));
  const rule = { when: "price<380", repeat: "again", since: "2026-11-25" } as const;
  const watches = ["list:large", "list:larger", "US:ACME"];
  const sources = {
    alerts: watches.map((watch, i) => ({ ...rule, name: `r-${i}`, watch, to: [] })),
    channels: new Set<string>(),
    settings: {},
    lists: new Map([
      ["large", itemsOf(MOST_WATCHED - 2)],
      ["larger", itemsOf(3)],
    ]),
    theses: [],
    paused: new Set<string>(),
  };
  const owner = { userId: 1, user: "anna", fingerprint: "" };
  const parsing = parseRules(owner, sources, world.market, "2026-11-25");
  let step = parsing.next();
  while (!step.done) step = parsing.next();
  const counts = step.value.instruments.map(({ keys }) => keys.length);
  expect(counts).toEqual([MOST_WATCHED - 2, 0, 1]);
});

describe("two processes", () => {
  test("that judge at once make one message", async () => {
    await using world = await openWorld("ACME");
    world.quote("ACME", 390);
    for (let i = 0; i < 30; i++) await world.save("anna", { name: `n-${i}`, when: "price<380" });
    const [one, two] = [world.open(), world.open()];
    await Promise.all([one.run(), two.run()]);
    world.quote("ACME", 370);
    await Promise.all([one.run(), two.run()]);
    for (const judging of [one, two]) await judging.run();
    expect(await world.told("anna")).toHaveLength(30);
  });

  test("judge only where one of them may", async () => {
    await using world = await openWorld("ACME");
    world.quote("ACME", 390);
    await world.save("anna", { name: "low", when: "price<380" });
    let may = true;
    const judging = openAlerts(world.access, world.market, { mayJudge: () => may }).open();
    await judging.run();
    may = false;
    world.quote("ACME", 370);
    await judging.run();
    expect(await world.told("anna")).toEqual([]);
    may = true;
    await judging.run();
    expect(await world.told("anna")).toEqual(["low 370"]);
  });
});

test("a brief that cannot be judged keeps no other message back", async () => {
  await using world = await openWorld("ACME");
  await world.save("ben", { name: "morning", when: "brief daily 07:30" });
  await world.save("anna", { name: "low", when: "price<380" });
  world.quote("ACME", 390);
  const judging = world.open();
  await judging.run();
  // A zone that this version does not know.
  const json = JSON.stringify({ timeZone: "Mars/Olympus" });
  world.access.run(
    runStatement(
      `INSERT INTO user_documents (user_id, kind, name, items, changed_at, value)
       SELECT id, 'settings', 'settings', 0, 1, $json FROM users WHERE name = 'ben'`,
      { json },
    ),
  );
  world.quote("ACME", 370);
  await judging.run();
  expect(await world.told("anna")).toEqual(["low 370"]);
  await judging.run();
  expect(world.lines).toHaveLength(1);
});

test("an instrument that cannot be read keeps no other message back", async () => {
  await using world = await openWorld("ACME");
  world.put("instruments", instrument("JP", "7203"));
  await world.save("anna", { name: "low", when: "price<380" });
  await world.save("ben", { name: "yen", when: "price<380", watch: "JP:7203" });
  const { judging, rollups } = world.openWithRollups();
  world.quote("ACME", 390);
  await judging.run();
  const get = rollups.get.bind(rollups);
  rollups.get = (country) => {
    if (country === "JP") throw new Error("broken");
    return get(country);
  };
  world.quote("ACME", 370);
  world.put("quotes", { ...quoteAt("7203", 370), country: "JP" });
  await judging.run();
  expect(await world.told("anna")).toEqual(["low 370"]);
  expect(world.lines).toHaveLength(1);
});

test("while the access store fails, nothing is lost, and no line has the text of a rule", async () => {
  await using world = await openWorld("ACME");
  world.quote("ACME", 390);
  await world.save("anna", { name: "secretive", when: "price<380", title: "My secret" });
  const judging = world.open();
  await judging.run();
  world.access.run(runStatement("ALTER TABLE alert_messages RENAME TO elsewhere"));
  world.quote("ACME", 370);
  await judging.run();
  expect(world.lines).toHaveLength(1);
  world.access.run(runStatement("ALTER TABLE elsewhere RENAME TO alert_messages"));
  // The price stays as it is: what could not be stored is judged again.
  await judging.run();
  expect(await world.told("anna")).toEqual(["secretive 370"]);
  expect(world.lines.join()).not.toMatch(/380|secret/);
});
