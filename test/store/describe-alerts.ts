import { expect, test } from "bun:test";
import type { DocumentKind } from "#domain/user-documents.ts";
import type { MessagesPage } from "#domain/user-alerts.ts";
import * as alerts from "#store/alerts.ts";
import { putDocument } from "#store/user-documents.ts";
import { addUser, findUser, removeUser } from "#store/users.ts";
import { runStatement, type Work } from "#store/work.ts";
import type { AccessHome } from "./describe-access-store.ts";

const AT = Date.parse("2026-11-20T17:30:00.123Z");
const DAY = 86_400_000;

/** Adds a user and returns the id. */
function* add(name: string): Work<number> {
  yield* addUser({ name, plan: "free", role: "user", createdAt: AT });
  return (yield* findUser(name))?.id ?? 0;
}

const message = (id: string, at: number, more: Partial<alerts.AlertMessageRow> = {}) => ({
  id,
  alert: "low",
  kind: "condition" as const,
  at,
  facts: '{"name":"株"}',
  ...more,
});

/** The laws of the states of alerts and of their messages in every access store. */
export function describeAlerts(open: () => Promise<AccessHome>): void {
  test("states are of a user, a rule and an instrument, and go with them", async () => {
    await using home = await open();
    const { access, other } = home;
    const anna = await access.run(add("anna"));
    const ben = await access.run(add("ben"));
    const put = (userId: number, alert: string, about: string, json: string) =>
      access.run(alerts.putAlertState({ userId, alert, about, json }, AT));
    for (const about of ["US:AAPL", "US:MSFT", ""]) await put(anna, "low", about, "1");
    await put(anna, "low", "US:AAPL", "2");
    await put(anna, "high", "US:AAPL", "3");
    await put(ben, "low", "US:AAPL", "4");
    // A user who was removed gets none.
    await put(999, "low", "", "5");
    const jsons = async (work: Work<alerts.AlertStateRow[]>) =>
      (await other.run(work)).map(({ alert, about, json }) => `${alert} ${about} ${json}`);
    expect(await jsons(alerts.listAlertStates("anna"))).toEqual([
      "high US:AAPL 3",
      "low  1",
      "low US:AAPL 2",
      "low US:MSFT 1",
    ]);
    const key = { userId: anna, alert: "low", about: "US:AAPL" };
    expect(await other.run(alerts.findAlertState(key))).toBe("2");
    await access.run(alerts.removeAlertStates(anna, "low", "US:AAPL"));
    expect(await other.run(alerts.findAlertState(key))).toBeNull();
    await access.run(alerts.removeAlertStates(anna, "low"));
    expect(await jsons(alerts.listAlertStates("anna"))).toEqual(["high US:AAPL 3"]);
    expect(await access.run(alerts.removeStatesOfUser("anna", 1))).toBe(1);
    expect(await access.run(alerts.removeStatesOfUser("anna", 1))).toBe(0);
    await access.run(removeUser("ben"));
    expect(await other.run(alerts.listAlertStates("ben"))).toEqual([]);
  });

  test("a message has a delivery to each channel, which goes with it", async () => {
    await using home = await open();
    const { access, other } = home;
    const anna = await access.run(add("anna"));
    const channels = ["phone", "mail"];
    await access.transaction(() => alerts.putMessage(anna, message("msg_1", AT), channels));
    const one = { message: "msg_1", state: "due", attempts: 0, nextAt: AT, triedAt: null };
    expect(await other.run(alerts.listDeliveries("anna", { from: AT, to: AT }))).toEqual([
      { ...one, channel: "mail", error: null, joined: null } as alerts.DeliveryRow,
      { ...one, channel: "phone", error: null, joined: null } as alerts.DeliveryRow,
    ]);
    const later = { from: AT + 1, to: AT + 2 };
    expect(await other.run(alerts.listDeliveries("anna", later))).toEqual([]);
    expect(await access.run(alerts.removeMessagesOfUser("anna", 1))).toBe(1);
    expect(await other.run(alerts.listDeliveries("anna", { from: AT, to: AT }))).toEqual([]);
  });

  test("messages are listed newest first, kept for 90 days, and 2,000 of a user", async () => {
    await using home = await open();
    const { access, other } = home;
    const anna = await access.run(add("anna"));
    const ben = await access.run(add("ben"));
    await access.transaction(function* () {
      yield* alerts.putMessage(ben, message("msg_old", AT - 91 * DAY), []);
      yield* alerts.putMessage(ben, message("msg_ben", AT), []);
      // As many as are kept, by a statement, because each message looks for old ones.
      yield* runStatement(
        `INSERT INTO alert_messages (message, user_id, alert, kind, at, facts)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
         SELECT 'msg_' || i, CAST($anna AS INTEGER), 'low', 'test', CAST($at AS BIGINT) + i, '{}' FROM n`,
        { anna, at: AT },
      );
      yield* alerts.putMessage(anna, message("msg_new", AT + 9_000, { alert: "high" }), ["phone"]);
    });
    const ids = async (user: string, page: MessagesPage) =>
      (await other.run(alerts.listMessages(user, page))).map(({ id }) => id);
    expect(await ids("ben", { limit: 9 })).toEqual(["msg_ben"]);
    expect(await ids("anna", { limit: 2 })).toEqual(["msg_new", "msg_2000"]);
    expect(await ids("anna", { limit: 9, alert: "high" })).toEqual(["msg_new"]);
    expect(await ids("anna", { limit: 1, before: { at: AT + 2_000, id: "" } })).toEqual([
      "msg_1999",
    ]);
    expect(await ids("anna", { limit: 9, before: { at: AT + 2, id: "msg_3" } })).toEqual(["msg_2"]);
    expect(await other.run(alerts.countMessages(anna, "low", AT + 1_991))).toBe(10);
    expect(await access.run(alerts.removeMessagesOfUser("anna", 1_990))).toBe(1_990);
    expect(await access.run(alerts.removeMessagesOfUser("anna", 1_990))).toBe(10);
    await access.transaction(function* () {
      // One judgement can make more messages than are kept. All have its time.
      yield* runStatement(
        `INSERT INTO alert_messages (message, user_id, alert, kind, at, facts)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
         SELECT 'tie_' || i, CAST($anna AS INTEGER), 'tie', 'test', CAST($at AS BIGINT), '{}' FROM n`,
        { anna, at: AT + 9_500 },
      );
      yield* alerts.putMessage(anna, message("msg_last", AT + 9_500), []);
    });
    expect(await access.run(alerts.removeMessagesOfUser("anna", 9_000))).toBe(2_000);
    const pause = message("msg_pause", AT, { kind: "paused" });
    await access.transaction(() => alerts.putMessage(anna, pause, []));
    const pausedIn = (from: number, to: number) =>
      other.run(alerts.findPause(anna, "low", { from, to }));
    expect(await pausedIn(AT - DAY, AT)).toBe(AT);
    expect(await pausedIn(AT + 1, AT + DAY)).toBeNull();
    await access.run(removeUser("ben"));
    expect(await ids("ben", { limit: 9 })).toEqual([]);
  });

  test("first states are stored together, and one that is there stays", async () => {
    await using home = await open();
    const { access, other } = home;
    const anna = await access.run(add("anna"));
    const key = (about: string) => ({ userId: anna, alert: "low", about });
    await access.run(alerts.putAlertState({ ...key("US:5"), json: "old" }, AT));
    const rows = Array.from({ length: 120 }, (_, i) => ({ ...key(`US:${i}`), json: `{"n":${i}}` }));
    const ofNobody = { userId: 999, alert: "low", about: "US:1", json: "{}" };
    await access.transaction(() => alerts.putFirstStates([...rows, ofNobody], AT));
    expect(await other.run(alerts.listAlertStates("anna"))).toHaveLength(120);
    expect(await other.run(alerts.findAlertState(key("US:5")))).toBe("old");
    expect(await other.run(alerts.findAlertState(key("US:119")))).toBe('{"n":119}');
  });

  test("the fingerprint of a user changes with each document that rules depend on", async () => {
    await using home = await open();
    const { access, other } = home;
    const anna = await access.run(add("anna"));
    await access.run(add("ben"));
    const seen = new Set<string>();
    const look = async () => {
      const owners = await other.run(alerts.listRuleOwners());
      expect(owners.map(({ user }) => user)).toEqual(["anna"]);
      seen.add(owners[0]?.fingerprint ?? "");
      expect(await other.run(alerts.listRuleOwners(anna))).toEqual(owners);
    };
    const put = (kind: DocumentKind, name: string, changedAt: number, json = "{}") =>
      access.run(putDocument(anna, { kind, name, items: 0, changedAt, json }));
    await put("alert", "low", AT);
    await look();
    await put("alert", "low", AT + 1);
    await look();
    const thesis = '{"name":"mine","items":[{"symbol":"A","thesis":{"text":"a"}}]}';
    await put("list", "mine", AT, thesis);
    await look();
    for (const kind of ["channel", "settings"] as const) {
      await put(kind, kind, AT);
      await look();
    }
    expect(seen.size).toBe(5);
    await put("screen", "cheap", AT);
    await put("list", "plain", AT - 5);
    await look();
    expect(seen.size).toBe(6);
    expect(await other.run(alerts.listRuleDocuments(anna))).toEqual([
      { kind: "alert", name: "low", json: "{}" },
      { kind: "channel", name: "channel", json: "{}" },
      { kind: "list", name: "mine", json: thesis },
      { kind: "settings", name: "settings", json: "{}" },
    ]);
    expect(await other.run(alerts.findListOfUser(anna, "plain"))).toBe("{}");
    expect(await other.run(alerts.findListOfUser(anna, "other"))).toBeNull();
    expect(await other.run(alerts.listRuleOwners(999))).toEqual([]);
  });

  test("ids of messages differ, and are fit for a header", () => {
    const made = Array.from({ length: 50 }, alerts.createMessageId);
    expect(new Set(made).size).toBe(50);
    for (const id of made) expect(id).toMatch(/^msg_[0-9a-f]{32}$/);
  });
}
