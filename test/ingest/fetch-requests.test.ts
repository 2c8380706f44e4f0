import { describe, expect, test } from "bun:test";
import type { FetchKey } from "#domain/fetch.ts";
import { FetchRequests } from "#ingest/fetch-requests.ts";
import type { RefreshOutcome } from "#ingest/source-chain.ts";

const KEY: FetchKey = { kind: "quotes", country: "US", symbol: null };
const OUTCOME: RefreshOutcome = {
  ...KEY,
  source: "yahoo",
  records: 2,
  error: null,
  calledSource: true,
  firstAnswered: true,
  retryAt: null,
};

/** A leader and another node; the channels of their database deliver at once. The leader's fetch ends by `end`. */
async function startNodes({ hasLeader = true } = {}) {
  const time = { now: 0 };
  const heard = new Map<string, ((payload: string) => void)[]>();
  const postgres = {
    listen: async (channel: string, listener: (payload: string) => void) =>
      void heard.set(channel, [...(heard.get(channel) ?? []), listener]),
    notify: async (channel: string, payloads: readonly string[]) => {
      for (const payload of payloads)
        for (const listener of heard.get(channel) ?? []) listener(payload);
    },
  };
  const flight = Promise.withResolvers<RefreshOutcome>();
  let fetches = 0;
  let caughtUp = 0;
  const start = async (isLeading: boolean) => {
    const node = new FetchRequests({
      postgres,
      replica: { catchUp: async () => void caughtUp++, applied: 0 },
      stopwatch: () => time.now,
      isLeading: () => isLeading,
      fetch: () => {
        fetches++;
        return flight.promise;
      },
    });
    await node.listen();
    return node;
  };
  await start(hasLeader);
  const follower = await start(false);
  return {
    follower,
    end: () => flight.resolve(OUTCOME),
    fetches: () => fetches,
    caughtUp: () => caughtUp,
    /** Sends a notification as any user of the database can. */
    notify: postgres.notify,
    /** Lets time pass, with the repetition of each second at its end. */
    pass: async (ms: number) => {
      time.now += ms;
      follower.repeat();
      await Bun.sleep(0);
    },
  };
}

describe("a request to the leader", () => {
  test("waits for a fetch of minutes, which the leader reports", async () => {
    const { follower, pass, end, fetches } = await startNodes();
    const answer = follower.request(KEY);
    for (let second = 0; second < 120; second++) await pass(1_000);
    end();
    expect(await answer).toEqual(OUTCOME);
    expect(fetches()).toBe(1);
  });

  test("waits for the newest change of the log, whatever number an answer has", async () => {
    const { follower, notify, caughtUp } = await startNodes();
    const answer = follower.request(KEY);
    await notify("bourse_fetched", [JSON.stringify({ outcome: OUTCOME, number: 2 ** 52 })]);
    expect(await answer).toEqual(OUTCOME);
    expect(caughtUp()).toBe(1);
  });

  test("ends half a minute after it was sent if no node leads", async () => {
    const { follower, pass } = await startNodes({ hasLeader: false });
    const answer = follower.request(KEY).catch(String);
    for (let second = 0; second < 31; second++) await pass(1_000);
    expect(await answer).toBe("BourseError: No node of the cluster refreshes the market.");
  });
});
