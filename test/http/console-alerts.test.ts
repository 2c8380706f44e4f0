import { afterAll, describe, expect, test } from "bun:test";
import { createMessageId, putMessage } from "#store/alerts.ts";
import { findUser } from "#store/users.ts";
import { ConsoleClient, refusalOf } from "../support/console-client.ts";
import { startService } from "../support/service.ts";

const service = await startService();
for (const name of ["owner", "alice", "bob"]) service.accounts.addUser(name, "max");
const alice = await new ConsoleClient(service).signIn("alice");
const bob = await new ConsoleClient(service).signIn("bob");
afterAll(() => service.stop());

const put = (client: ConsoleClient, path: string, body: unknown) =>
  client.send("PUT", path, { body });
const check = async (when: string, watch = "US:AAPL") => {
  const query = new URLSearchParams({ when, watch }).toString();
  return alice.send("GET", `alert-check?${query}`);
};

describe("an alert of the console", () => {
  test("is saved in its usual form, listed with its state, and deleted; others do not see it", async () => {
    const saved = await put(alice, "alerts/cheap", {
      watch: "aapl",
      when: "price falls below $380",
    });
    expect(await saved.json()).toEqual({ name: "cheap", isNew: true, when: "price<380 USD" });
    const { alerts } = await alice.get("alerts");
    expect(alerts).toMatchObject([
      {
        name: "cheap",
        watch: "US:AAPL",
        when: "price<380 USD",
        repeat: "once",
        states: { true: 0, false: 0, unknown: 0 },
        trueSince: null,
        done: 0,
        firedAt: null,
        firedTooOften: false,
      },
    ]);
    expect(await bob.get("alerts")).toEqual({ alerts: [], channels: [] });
    expect((await bob.send("DELETE", "alerts/cheap")).status).toBe(404);
    expect((await alice.send("DELETE", "alerts/cheap")).status).toBe(204);
  });

  test("is refused with the nearest right form", async () => {
    const refused = await put(alice, "alerts/soon", { watch: "US:AAPL", when: "earning in 1d" });
    expect(await refusalOf(refused)).toEqual([
      400,
      expect.stringContaining("when must be a condition"),
    ]);
  });

  test("is checked before it is saved: its form, its figures and whether it holds", async () => {
    const checked = (await (await check("giá > 1 USD, PER<100000")).json()) as { now: object[] };
    expect(checked).toMatchObject({ text: "price>1 USD,pe<100000", kind: "condition", is: true });
    expect(checked.now).toMatchObject([{ metric: "price" }, { metric: "pe" }]);
    expect(await (await check("price>high_52w")).json()).toMatchObject({
      is: false,
      notes: [expect.stringContaining("can never hold")],
    });
    expect(await (await check("price<1000000")).json()).toMatchObject({
      notes: [expect.stringContaining("is that in another unit?")],
    });
    expect(await (await check("earnings in 1d", "US:^GSPC")).json()).toMatchObject({
      notes: ["US:^GSPC is of type index, which has no earnings: no message ever comes."],
    });
    expect(await (await check("決算の3日前")).json()).toMatchObject({
      kind: "event",
      text: "earnings in 3d",
      now: [],
    });
    expect((await check("price<380", "US:NOSUCH")).status).toBe(404);
  });

  test("paused because it fired too often says so", async () => {
    await put(alice, "alerts/wild", { watch: "US:AAPL", when: "price>1", paused: true });
    const { id = 0 } = service.access.run(findUser("alice")) ?? {};
    const facts = JSON.stringify({ kind: "paused", fired: 50 });
    const at = service.time.now;
    const message = { id: createMessageId(), alert: "wild", kind: "paused", at, facts } as const;
    service.access.run(putMessage(id, message, []));
    const { alerts } = await alice.get("alerts");
    expect(alerts).toMatchObject([{ name: "wild", paused: true, firedTooOften: true }]);
    expect(await alice.get("alert-messages?language=ja&zone=Asia/Tokyo")).toMatchObject([
      {
        alert: "wild",
        title: "アラートを一時停止しました",
        link: "/console/alerts",
        deliveries: [],
      },
    ]);
    expect(await alice.get("alert-messages?language=xx&zone=Mars/Base")).toMatchObject([
      { title: "An alert is paused" },
    ]);
    expect(await bob.get("alert-messages")).toEqual([]);
  });
});

describe("a channel of the console", () => {
  test("shows the secret that was made for it once, and keeps it", async () => {
    const hook = { kind: "webhook", url: "https://example.com/hook/part" };
    const made = (await (await put(alice, "channels/hook", hook)).json()) as { secret: string };
    expect(made.secret).toStartWith("whsec_");
    expect(await (await put(alice, "channels/hook", hook)).json()).toEqual({
      name: "hook",
      secret: null,
    });
    const text = JSON.stringify(await alice.get("alerts"));
    expect(text).toContain("example.com");
    expect(text).not.toContain(made.secret);
    expect(text).not.toContain("/part");
    expect((await alice.send("DELETE", "channels/hook")).status).toBe(204);
  });

  test.each([
    ["mail", { kind: "mail", address: "anna@example.com" }],
    ["webhook", { kind: "webhook", url: "ftp://example.com" }],
    ["webhook", { kind: "webhook" }],
  ])("of kind %s that cannot be used is refused with a sentence: %o", async (_, body) => {
    const refused = await put(alice, "channels/wrong", body);
    const [status, message] = await refusalOf(refused);
    expect(status).toBe(400);
    expect(message.length).toBeGreaterThan(20);
  });

  test("of another user cannot be tested", async () => {
    await put(alice, "channels/phone", { kind: "ntfy", url: "https://ntfy.example.com/topic" });
    expect((await bob.send("POST", "channels/phone/test")).status).toBe(404);
  });
});

test.each(["Infinity", "1.5", "-1", "abc", ""])(
  "messages before %p are refused",
  async (before) => {
    const [status, message] = await refusalOf(
      await alice.send("GET", `alert-messages?before=${before}`),
    );
    expect([status, message]).toEqual([
      400,
      "before must be a whole number from 0 to 9007199254740991.",
    ]);
  },
);

test("a receiver that hangs is named before the answer is late", async () => {
  const hanging = Bun.serve({ port: 0, fetch: () => new Promise<Response>(() => {}) });
  const env = { BOURSE_ALERT_NETWORKS: "127.0.0.1" };
  const slow = await startService({ sample: false, answerMs: 500, env });
  try {
    slow.accounts.addUser("alice", "max");
    const client = await new ConsoleClient(slow).signIn("alice");
    const url = `http://127.0.0.1:${hanging.port}/hook`;
    await put(client, "channels/hook", { kind: "webhook", url });
    const answer = await client.send("POST", "channels/hook/test");
    expect(await answer.json()).toEqual({
      isSent: false,
      said: "The receiver does not answer in time.",
    });
  } finally {
    await slow.stop();
    await hanging.stop(true);
  }
});

describe("a thesis in a list of the console", () => {
  const items = (condition: string) => ({
    items: [{ country: "US", symbol: "AAPL", thesis: { text: "It earns.", while: condition } }],
  });
  test("is stored in its usual form, or refused about while", async () => {
    expect((await put(alice, "lists/core", items("ROE > 25"))).status).toBe(200);
    expect(await alice.get("lists/core")).toMatchObject(items("roe>25"));
    const refused = await put(alice, "lists/core", items("statement"));
    expect(await refusalOf(refused)).toEqual([
      400,
      expect.stringContaining("while must be conditions"),
    ]);
  });
});
