import { describe, expect, test } from "bun:test";
import { AlertDelivery, PAUSES_MS } from "#alerts/delivery.ts";
import { endOfQuiet } from "#alerts/quiet.ts";
import type { Alert, Channel } from "#domain/alert.ts";
import type { UserSettings } from "#domain/user-settings.ts";
import { createLog } from "#lib/log.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { OutsideRequest } from "#lib/outside-network.ts";
import type { AlertFacts } from "#operations/alerts/message.ts";
import { messageText } from "#operations/alerts/message-text.ts";
import { listDeliveries, listMessages, putMessage } from "#store/alerts.ts";
import { findDocument, putDocument } from "#store/user-documents.ts";
import { addUser, findUser } from "#store/users.ts";
import { runStatement } from "#store/work.ts";
import { openFolder } from "../support/access.ts";
import { openCopiedAccess } from "../support/empty-files.ts";

const START = Date.parse("2026-11-20T17:30:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SECRET = `whsec_${Buffer.from("s".repeat(32)).toString("base64")}`;

type Respond = (url: URL, request: OutsideRequest) => Response | Promise<Response>;

/** A store with users and an outbox, and receivers that are played. */
function play(respond: Respond = () => new Response()) {
  const folder = openFolder();
  const access = openCopiedAccess(folder.path);
  const time = { now: START };
  const lines: string[] = [];
  const asked: { host: string; id: string; body: string }[] = [];
  const create = () =>
    new AlertDelivery({
      access,
      clock: () => time.now,
      log: createLog({ format: "text", write: (line) => lines.push(line), clock: () => time.now }),
      places: { mail: null, networks: [] },
      publicUrl: "https://data.example.com/bourse",
      timeoutMs: 2 ** 30,
      network: {
        resolve: async () => ["93.184.215.14"],
        async fetchFrom(_address, url, request) {
          const id = request.headers["webhook-id"] ?? "";
          asked.push({ host: url.hostname, id, body: request.body ?? "" });
          return respond(url, request);
        },
      },
    });
  let delivery = create();
  const put = (user: string, kind: "channel" | "alert" | "settings", value: object) => {
    let userId = access.run(findUser(user))?.id;
    if (userId === undefined) {
      access.run(addUser({ name: user, plan: "free", role: "user", createdAt: START }));
      userId = access.run(findUser(user))?.id ?? 0;
    }
    const { name = "settings" } = value as { name?: string };
    const json = JSON.stringify(value);
    access.run(putDocument(userId, { kind, name, items: 0, changedAt: time.now, json }));
  };
  const idOf = (words: string) => `msg_${Buffer.from(words).toHex()}`;
  return {
    time,
    asked,
    lines,
    put,
    idOf,
    /** A channel at a host of its name. */
    addChannel(user: string, name: string, more: Partial<Channel> = {}) {
      const url = `https://${name}.example/T0KEN`;
      put(user, "channel", { name, kind: "webhook", url, secret: SECRET, ...more });
    },
    addMessage(user: string, words: string, channels: readonly string[], alert = "low") {
      const userId = access.run(findUser(user))?.id ?? 0;
      const facts = JSON.stringify({ kind: "test", channel: words } satisfies AlertFacts);
      const message = { id: idOf(words), alert, kind: "test", at: time.now, facts } as const;
      access.transaction(() => putMessage(userId, message, channels));
    },
    /** Replaces the facts of a message by facts of another version. */
    damage: (words: string) =>
      void access.run(
        runStatement("UPDATE alert_messages SET facts = $facts WHERE message = $id", {
          facts: '{"kind":"new"}',
          id: idOf(words),
        }),
      ),
    /** A round after `ms`. */
    async round(ms = 0) {
      time.now += ms;
      await delivery.run();
      await delivery.settled();
    },
    begin: () => delivery.run(),
    stop: () => delivery.stop(),
    /** As after a kill: nothing of the process is left but the store. */
    restart: () => void (delivery = create()),
    states: (user: string) =>
      access
        .run(listDeliveries(user, { from: 0, to: Number.MAX_SAFE_INTEGER }))
        .map(({ message, channel, state, attempts, error }) => ({
          words: Buffer.from(message.slice(4), "hex").toString(),
          channel,
          state,
          attempts,
          error,
        })),
    channelOf: (user: string, name: string) =>
      JSON.parse(
        access.run(findDocument(user, { kind: "channel", name }))?.json ?? "null",
      ) as Channel,
    messagesOf: (user: string) => access.run(listMessages(user, { limit: 99 })),
    [Symbol.dispose]() {
      access.close();
      folder[Symbol.dispose]();
    },
  };
}

const hostsOf = (asked: readonly { host: string }[]) => asked.map(({ host }) => host);

describe("a message", () => {
  test("goes to each of its channels once, in the language of its user", async () => {
    using world = play();
    world.addChannel("anna", "one");
    world.addChannel("anna", "two");
    world.put("anna", "settings", { language: "ja" } satisfies UserSettings);
    world.addMessage("anna", "fell", ["one", "two"]);
    await world.round();
    await world.round(HOUR);
    expect(hostsOf(world.asked).toSorted()).toEqual(["one.example", "two.example"]);
    expect(world.asked[0]?.id).toBe(world.idOf("fell"));
    expect(JSON.parse(world.asked[0]?.body ?? "")).toMatchObject({
      type: "alert.test",
      timestamp: "2026-11-20T17:30:00.000Z",
      data: {
        alert: "low",
        title: messageText({ kind: "test", channel: "fell" }, { language: "ja" }).title,
        link: "https://data.example.com/bourse/console/alerts",
        facts: { kind: "test", channel: "fell" },
      },
    });
    const sent = { words: "fell", state: "sent" as const, attempts: 1, error: null };
    expect(world.states("anna")).toEqual([
      { ...sent, channel: "one" },
      { ...sent, channel: "two" },
    ]);
  });

  test("goes again with its id after a kill between the answer and its mark", async () => {
    using world = play(() => new Promise(() => {}));
    world.addChannel("anna", "one");
    world.addMessage("anna", "fell", ["one"]);
    await world.begin();
    await nextTurn();
    world.restart();
    await world.begin();
    expect(world.asked).toHaveLength(1);
    world.time.now += MINUTE;
    await world.begin();
    await nextTurn();
    expect(world.asked.map(({ id }) => id)).toEqual([world.idOf("fell"), world.idOf("fell")]);
  });

  test("is tried again after 1 minute to 24 hours, then it has failed", async () => {
    using world = play(() => new Response("T0KEN", { status: 500 }));
    world.addChannel("anna", "one");
    world.addMessage("anna", "fell", ["one"]);
    await world.round();
    for (const [i, pauseMs] of PAUSES_MS.entries()) {
      const error = "The receiver answers 500.";
      expect(world.states("anna")).toMatchObject([{ state: "due", attempts: i + 1, error }]);
      await world.round(pauseMs - 1);
      expect(world.asked).toHaveLength(i + 1);
      await world.round(1);
    }
    expect(world.states("anna")).toMatchObject([{ state: "failed", attempts: 8 }]);
    await world.round(1_000 * HOUR);
    expect(world.asked).toHaveLength(8);
    expect(new Set(world.asked.map(({ id }) => id))).toEqual(new Set([world.idOf("fell")]));
  });

  test("waits as long as its receiver asks, and so do the next ones", async () => {
    using world = play(
      () => new Response(null, { status: 429, headers: { "Retry-After": "7200" } }),
    );
    world.addChannel("anna", "one");
    world.addMessage("anna", "first", ["one"]);
    await world.round();
    world.addMessage("anna", "second", ["one"]);
    await world.round(2 * HOUR - 1);
    expect(world.asked).toHaveLength(1);
    await world.round(1);
    expect(world.asked).toHaveLength(2);
  });

  test("does not hold the others that wait behind it", async () => {
    using world = play(
      (_, { body = "" }) => new Response(null, { status: body.includes("bad") ? 400 : 200 }),
    );
    world.addChannel("anna", "one");
    for (const words of ["bad", "good", "fine"]) world.addMessage("anna", words, ["one"]);
    await world.round();
    await world.round(MINUTE);
    await world.round();
    const states = world.states("anna").map(({ words, state }) => `${words} ${state}`);
    expect(states.toSorted()).toEqual(["bad due", "fine sent", "good sent"]);
  });

  test("fails if its channel was removed", async () => {
    using world = play();
    world.addChannel("anna", "one");
    world.addMessage("anna", "fell", ["two"]);
    await world.round();
    const error = "The channel was removed.";
    expect(world.states("anna")).toMatchObject([{ state: "failed", error }]);
    expect(world.asked).toEqual([]);
  });
});

describe("a receiver that answers 410", () => {
  const gone = () => new Response(null, { status: 410 });
  const error = "The receiver answers 410: it wants no more messages.";

  test("stops its channel, and a message says so", async () => {
    using world = play(gone);
    world.addChannel("anna", "one");
    for (const words of ["first", "second"]) world.addMessage("anna", words, ["one"]);
    await world.round();
    world.addMessage("anna", "third", ["one"]);
    await world.round(HOUR);
    expect(world.asked).toHaveLength(1);
    for (const one of world.states("anna")) expect(one).toMatchObject({ state: "failed", error });
    expect(world.channelOf("anna", "one")).toMatchObject({ stopped: error, secret: SECRET });
    const stopped = world.messagesOf("anna").filter(({ kind }) => kind === "stopped");
    expect(stopped).toMatchObject([{ alert: "", facts: '{"kind":"stopped","channel":"one"}' }]);
  });

  test("does not stop a channel whose address was changed meanwhile", async () => {
    const answer = Promise.withResolvers<Response>();
    using world = play(({ hostname }) =>
      hostname === "one.example" ? answer.promise : new Response(),
    );
    world.addChannel("anna", "one");
    world.addMessage("anna", "fell", ["one"]);
    await world.begin();
    world.addChannel("anna", "one", { url: "https://new.example/x" });
    answer.resolve(gone());
    await world.round();
    await world.round();
    expect(hostsOf(world.asked)).toEqual(["one.example", "new.example"]);
    expect(world.channelOf("anna", "one").stopped).toBeUndefined();
    expect(world.states("anna")).toMatchObject([{ state: "sent" }]);
  });
});

describe("a receiver that hangs", () => {
  const respond: Respond = ({ hostname }) =>
    hostname.startsWith("hang") ? new Promise(() => {}) : new Response();

  test("holds no other channel", async () => {
    using world = play(respond);
    for (const name of ["hang", "one"]) world.addChannel("anna", name);
    world.addChannel("ben", "two");
    for (const words of ["a", "b"]) world.addMessage("anna", words, ["hang", "one"]);
    world.addMessage("ben", "c", ["two"]);
    await world.begin();
    await nextTurn();
    await world.begin();
    await nextTurn();
    expect(hostsOf(world.asked).toSorted()).toEqual([
      "hang.example",
      "one.example",
      "one.example",
      "two.example",
    ]);
  });

  test("is one of a few at once of its user, so that others get theirs", async () => {
    using world = play(respond);
    for (let i = 0; i < 8; i++) {
      world.addChannel("anna", `hang${i}`);
      world.addMessage("anna", `a${i}`, [`hang${i}`]);
    }
    world.addChannel("ben", "two");
    world.addMessage("ben", "c", ["two"]);
    await world.begin();
    await nextTurn();
    expect(hostsOf(world.asked).filter((host) => host.startsWith("hang"))).toHaveLength(3);
    expect(hostsOf(world.asked)).toContain("two.example");
  });
});

describe("the limits of a user", () => {
  test("send what is more than 10 in a minute as one, and say so", async () => {
    using world = play();
    world.addChannel("anna", "one");
    world.addChannel("ben", "two");
    for (let i = 1; i <= 12; i++) {
      world.addMessage("anna", `m${i}`, ["one"]);
      world.time.now += 1;
    }
    world.addMessage("ben", "c", ["two"]);
    await world.round();
    expect(hostsOf(world.asked).toSorted()).toEqual(["one.example", "two.example"]);
    const toAnna = () => world.asked.filter(({ host }) => host === "one.example");
    const body = JSON.parse(toAnna()[0]?.body ?? "") as {
      data: { text: string; facts: { messages: { data: { facts: { channel: string } } }[] } };
    };
    expect(body).toMatchObject({ type: "alert.several", data: { title: "12 messages" } });
    expect(body.data.text).toContain("more were due than are sent in a minute");
    const words = body.data.facts.messages.map(({ data }) => data.facts.channel);
    expect(words).toEqual(Array.from({ length: 12 }, (_, i) => `m${i + 1}`));
    for (const one of world.states("anna")) expect(one.state).toBe("sent");
    // It counts as one.
    for (let i = 0; i < 9; i++) {
      world.addMessage("anna", `n${i}`, ["one"]);
      await world.round();
    }
    expect(toAnna().map(({ body: text }) => text.includes("several"))).toEqual([
      true,
      ...Array.from({ length: 9 }, () => false),
    ]);
    world.addMessage("anna", "late", ["one"]);
    await world.round(30_000);
    expect(world.states("anna").filter(({ state }) => state === "due")).toHaveLength(1);
    await world.round(30_001);
    expect(toAnna()).toHaveLength(11);
  });

  test("hold messages over 200 a day until the next one", async () => {
    using world = play();
    world.addChannel("anna", "one");
    for (let i = 0; i < 203; i++) {
      world.addMessage("anna", `m${i}`, ["one"]);
      await world.round(10_000);
    }
    expect(world.asked).toHaveLength(200);
    await world.round(24 * HOUR);
    await world.round(5 * MINUTE);
    const rest = world.states("anna").filter(({ state }) => state !== "sent");
    for (let i = 0; i < rest.length; i++) await world.round();
    expect(world.states("anna").every(({ state }) => state === "sent")).toBe(true);
  });

  test("join messages for good: a second attempt has the same ones and the same id", async () => {
    let isDown = true;
    using world = play(() => new Response(null, { status: isDown ? 500 : 200 }));
    world.addChannel("anna", "one");
    for (let i = 1; i <= 11; i++) world.addMessage("anna", `m${i}`, ["one"]);
    await world.round();
    isDown = false;
    world.addMessage("anna", "new", ["one"]);
    world.restart();
    await world.round();
    await world.round(MINUTE);
    const [first, single, again] = world.asked;
    expect(single?.id).toBe(world.idOf("new"));
    expect([again?.id, again?.body]).toEqual([first?.id ?? "", first?.body ?? ""]);
    expect(world.states("anna").every(({ state }) => state === "sent")).toBe(true);
  });
});

describe("quiet hours", () => {
  const rule = (name: string, quiet: string): Alert => ({
    name,
    when: "price<380",
    repeat: "again",
    to: ["one"],
    quiet,
    since: "2026-11-01",
  });

  test("of one of several messages hold all, which have one id together", async () => {
    let isDown = true;
    using world = play(() => new Response(null, { status: isDown ? 500 : 200 }));
    world.addChannel("anna", "one");
    world.put("anna", "alert", rule("night", "17:31-18:00"));
    for (let i = 1; i <= 11; i++)
      world.addMessage("anna", `m${i}`, ["one"], i === 5 ? "night" : "low");
    await world.round();
    isDown = false;
    await world.round(MINUTE);
    expect(world.asked).toHaveLength(1);
    await world.round(29 * MINUTE);
    const [first, again] = world.asked;
    expect([again?.id, again?.body]).toEqual([first?.id ?? "", first?.body ?? ""]);
    expect(world.asked).toHaveLength(2);
  });

  test("hold the messages of their rule until their end in the zone of the user", async () => {
    using world = play();
    world.addChannel("anna", "one");
    // 17:30 UTC is 00:30 in Viet Nam.
    world.put("anna", "settings", { timeZone: "Asia/Ho_Chi_Minh" } satisfies UserSettings);
    world.put("anna", "alert", rule("low", "22:00-07:00"));
    world.put("anna", "alert", rule("day", "08:00-18:00"));
    world.addMessage("anna", "night", ["one"], "low");
    world.addMessage("anna", "now", ["one"], "day");
    await world.round();
    expect(world.asked.map(({ id }) => id)).toEqual([world.idOf("now")]);
    await world.round(6.5 * HOUR - 1);
    expect(world.asked).toHaveLength(1);
    await world.round(1);
    expect(world.asked).toHaveLength(2);
    expect(world.states("anna").map(({ attempts }) => attempts)).toEqual([1, 1]);
  });

  test.each([
    ["22:00-07:00", "Asia/Tokyo", "2026-11-20T12:59:00Z", null],
    ["22:00-07:00", "Asia/Tokyo", "2026-11-20T13:00:00Z", "2026-11-20T22:00:00Z"],
    ["22:00-07:00", "Asia/Tokyo", "2026-11-20T21:59:59Z", "2026-11-20T22:00:00Z"],
    ["22:00-07:00", "Asia/Tokyo", "2026-11-20T22:00:00Z", null],
    ["12:00-13:30", "UTC", "2026-11-20T12:00:00Z", "2026-11-20T13:30:00Z"],
    ["12:00-13:30", "UTC", "2026-11-20T13:30:00Z", null],
    ["00:00-06:00", "UTC", "2026-11-20T00:00:00Z", "2026-11-20T06:00:00Z"],
    ["07:00-07:00", "UTC", "2026-11-20T07:00:00Z", null],
    // New York sets its clocks back at 06:00 UTC, so 01:30 comes twice.
    ["22:00-07:00", "America/New_York", "2026-11-01T05:30:00Z", "2026-11-01T12:00:00Z"],
    ["01:00-01:30", "America/New_York", "2026-11-01T06:10:00Z", null],
  ])("%s in %s at %s", (quiet, zone, at, end) => {
    const found = endOfQuiet(quiet, zone, Date.parse(at));
    expect(found && new Date(found).toISOString()).toBe(end && new Date(end).toISOString());
  });
});

describe("the delivery", () => {
  test("writes no address, secret or word of a user to the log", async () => {
    let status = 500;
    using world = play(() => new Response("T0KEN fell", { status }));
    world.addChannel("anna", "one");
    world.addMessage("anna", "fell", ["one"]);
    await world.round();
    status = 410;
    await world.round(MINUTE);
    expect(world.lines).toHaveLength(1);
    expect(world.lines[0]).toEndWith(
      'WARN  an alert was not delivered kind="webhook" result="gone"',
    );
  });

  test("gives up messages and channels that it cannot read, and goes on with the others", async () => {
    using world = play();
    for (const name of ["one", "two", "wrong"]) world.addChannel("anna", name);
    world.put("anna", "channel", { name: "wrong", kind: "webhook" });
    world.addMessage("anna", "fell", ["one"]);
    world.addMessage("anna", "rose", ["two", "wrong"]);
    world.damage("fell");
    await world.round();
    expect(hostsOf(world.asked)).toEqual(["two.example"]);
    const states = world.states("anna").map(({ channel, state, error }) => [channel, state, error]);
    expect(states.toSorted(([a = ""], [b = ""]) => (String(a) < String(b) ? -1 : 1))).toEqual([
      ["one", "failed", "This version of bourse cannot read the message."],
      ["two", "sent", null],
      ["wrong", "due", expect.stringContaining("Give a url")],
    ]);
  });

  test("begins nothing after its stop", async () => {
    using world = play();
    world.addChannel("anna", "one");
    world.addMessage("anna", "fell", ["one"]);
    await world.stop();
    await world.round();
    expect(world.asked).toEqual([]);
  });
});
