import { expect, test } from "bun:test";
import { AlertDelivery } from "#alerts/delivery.ts";
import * as outbox from "#store/alert-outbox.ts";
import { listDeliveries, putMessage } from "#store/alerts.ts";
import { putDocument } from "#store/user-documents.ts";
import { addUser, findUser } from "#store/users.ts";
import type { AccessHome } from "./describe-access-store.ts";

const AT = Date.parse("2026-11-20T17:30:00.123Z");
const MINUTE = 60_000;
const FACTS = '{"kind":"test","channel":"a"}';

/** The laws of deliveries in every access store. */
export function describeAlertOutbox(open: () => Promise<AccessHome>): void {
  /** A store with users, messages and deliveries: `anna a msg_1` is the first to anna's channel a. */
  async function openWith(...deliveries: readonly string[]) {
    const home = await open();
    const { access } = home;
    const ids = new Map<string, number>();
    for (const [i, delivery] of deliveries.entries()) {
      const [name = "", channel = "", id = ""] = delivery.split(" ");
      if (!ids.has(name)) {
        await access.run(addUser({ name, plan: "free", role: "user", createdAt: AT }));
        ids.set(name, (await access.run(findUser(name)))?.id ?? 0);
      }
      const message = { id, alert: "low", kind: "condition", at: AT + i, facts: FACTS } as const;
      await access.run(putMessage(ids.get(name) ?? 0, message, [channel]));
    }
    const keyOf = (name: string, channel: string) => ({ userId: ids.get(name) ?? 0, channel });
    const states = async (name: string) =>
      (await access.run(listDeliveries(name, { from: 0, to: Number.MAX_SAFE_INTEGER })))
        .map(({ message, state, attempts, nextAt, error }) =>
          [message, state, attempts, nextAt - AT, error].join(" "),
        )
        .toSorted();
    return { home, access, keyOf, states };
  }

  test("each channel with due deliveries is listed once, the longest wait first", async () => {
    const { home, access, keyOf } = await openWith("ben b msg_1", "anna a msg_2", "anna a msg_3");
    await using _ = home;
    expect(await access.run(outbox.listDueChannels(AT - 1, 9))).toEqual([]);
    expect(await access.run(outbox.listDueChannels(AT + 2, 9))).toEqual([
      { ...keyOf("ben", "b"), user: "ben", due: 1 },
      { ...keyOf("anna", "a"), user: "anna", due: 2 },
    ]);
    expect(await access.run(outbox.listDueChannels(AT + 2, 1))).toHaveLength(1);
    const due = await access.run(outbox.listDueOfChannel(keyOf("anna", "a"), AT + 1, 9));
    expect(due).toEqual([
      {
        id: "msg_2",
        alert: "low",
        kind: "condition",
        at: AT + 1,
        facts: FACTS,
        attempts: 0,
        joined: null,
        alertJson: null,
      },
    ]);
  });

  test("a claimed delivery is due again when its claim ends, after the ones that were not tried", async () => {
    const { home, access, keyOf, states } = await openWith("anna a msg_1", "anna a msg_2");
    await using _ = home;
    const claim = { now: AT + 1, until: AT + MINUTE, joined: null };
    await access.run(outbox.claimDeliveries("a", ["msg_1"], claim));
    const idsAt = async (now: number) =>
      (await access.run(outbox.listDueOfChannel(keyOf("anna", "a"), now, 9))).map(({ id }) => id);
    expect(await idsAt(AT + MINUTE - 1)).toEqual(["msg_2"]);
    expect(await idsAt(AT + MINUTE)).toEqual(["msg_2", "msg_1"]);
    await access.run(outbox.markSent("a", ["msg_1"]));
    await access.run(outbox.markFailed("a", ["msg_1"], "late"));
    expect(await states("anna")).toEqual(["msg_1 sent 1 60000 ", "msg_2 due 0 1 "]);
  });

  test("deliveries that were sent together count once", async () => {
    const { home, access, keyOf } = await openWith("anna a msg_1", "anna a msg_2", "anna a msg_3");
    await using _ = home;
    const { userId } = keyOf("anna", "a");
    const claim = { now: AT, until: AT + MINUTE, joined: "msg_1" };
    await access.run(outbox.claimDeliveries("a", ["msg_1", "msg_2"], claim));
    expect(await access.run(outbox.countSent(userId, AT))).toBe(0);
    await access.run(outbox.markSent("a", ["msg_1", "msg_2"]));
    expect(await access.run(outbox.countSent(userId, AT))).toBe(1);
    await access.run(
      outbox.claimDeliveries("a", ["msg_3"], { ...claim, now: AT + 1, joined: null }),
    );
    await access.run(outbox.markSent("a", ["msg_3"]));
    expect(await access.run(outbox.countSent(userId, AT))).toBe(2);
    expect(await access.run(outbox.countSent(userId, AT + 1))).toBe(1);
  });

  test("a failed attempt counts for all due deliveries of its channel", async () => {
    const { home, access, keyOf, states } = await openWith(
      "anna a msg_1",
      "anna a msg_2",
      "anna b msg_3",
      "anna a msg_4",
    );
    await using _ = home;
    const fail = async (messages: readonly string[], now: number, waitMs = 0) => {
      await access.run(
        outbox.claimDeliveries("a", messages, { now, until: now + 1, joined: null }),
      );
      const failure = { now, error: "down", waitMs, pausesMs: [MINUTE, 5 * MINUTE] };
      const ofAttempt = messages;
      for (let rest = ofAttempt, isMore = true; isMore; rest = [])
        isMore = await access.run(outbox.markRetry(keyOf("anna", "a"), rest, failure, 1));
    };
    expect(await access.run(outbox.countDelayed())).toBe(0);
    await fail(["msg_1"], AT + 1);
    expect(await access.run(outbox.countDelayed())).toBe(2);
    expect(await states("anna")).toEqual([
      "msg_1 due 1 60001 down",
      "msg_2 due 1 60001 down",
      "msg_3 due 0 2 ",
      "msg_4 due 0 3 ",
    ]);
    await fail(["msg_1"], AT + 60_001, 400_000);
    await fail(["msg_2"], AT + 460_001);
    expect(await states("anna")).toEqual([
      "msg_1 failed 3 460001 down",
      "msg_2 failed 3 460001 down",
      "msg_3 due 0 2 ",
      "msg_4 due 2 760001 down",
    ]);
  });

  test("two processes that deliver at once send each message once", async () => {
    const { home, access, keyOf, states } = await openWith(
      ...["a", "b", "c"].flatMap((channel) => [
        `anna ${channel} msg_1${channel}`,
        `ben ${channel} msg_2${channel}`,
      ]),
    );
    await using _ = home;
    for (const name of ["anna", "ben"])
      for (const channel of ["a", "b", "c"]) {
        const json = JSON.stringify({ name: channel, kind: "webhook", url: "https://x.example/x" });
        const document = { kind: "channel", name: channel, items: 0, changedAt: AT, json } as const;
        await access.run(putDocument(keyOf(name, channel).userId, document));
      }
    const sent: string[] = [];
    const deliveries = [home.access, home.other].map(
      (store) =>
        new AlertDelivery({
          access: store,
          clock: () => AT + 1_000,
          log: { info() {}, warn() {}, error: (text) => void sent.push(text) },
          places: { mail: null, networks: [] },
          publicUrl: null,
          network: {
            resolve: async () => ["93.184.215.14"],
            async fetchFrom(_address, _url, { headers }) {
              sent.push(headers["webhook-id"] ?? "");
              return new Response();
            },
          },
        }),
    );
    for (let round = 0; round < 3; round++) {
      await Promise.all(deliveries.map((one) => one.run()));
      await Promise.all(deliveries.map((one) => one.settled()));
    }
    expect(sent.toSorted()).toEqual("msg_1a msg_1b msg_1c msg_2a msg_2b msg_2c".split(" "));
    for (const one of [...(await states("anna")), ...(await states("ben"))])
      expect(one).toContain(" sent 1 ");
  });

  test("deliveries are put off, or end with their channel", async () => {
    const { home, access, keyOf, states } = await openWith(
      "anna a msg_1",
      "anna b msg_2",
      "ben a msg_3",
    );
    await using _ = home;
    await access.run(outbox.putOffDeliveries("a", ["msg_1"], AT + 100));
    await access.run(outbox.putOffDeliveries("b", ["msg_2"], AT + 200));
    await access.run(outbox.markChannelFailed(keyOf("anna", "a"), "gone"));
    expect(await states("anna")).toEqual(["msg_1 failed 0 100 gone", "msg_2 due 0 200 "]);
    expect(await states("ben")).toEqual(["msg_3 due 0 2 "]);
  });
}
