import { afterEach, describe, expect, test } from "bun:test";
import { createMessageId, putMessage } from "#store/alerts.ts";
import { findUser } from "#store/users.ts";
import { ConsoleClient } from "../support/console-client.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
let stopping: AbortController;
afterEach(() => service.stop());

const MINUTE = 60_000;

/** Reads a stream event by event; comments are "beat". */
async function follow(client: ConsoleClient) {
  const response = await client.send("GET", "changes");
  expect(response.status).toBe(200);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = "";
  return {
    response,
    /** The next event or comment; null after the end. */
    async next(): Promise<string | null> {
      while (!text.includes("\n\n")) {
        const { done, value } = await reader.read();
        if (done) return null;
        text += decoder.decode(value, { stream: true });
      }
      const end = text.indexOf("\n\n");
      const event = text.slice(0, end);
      text = text.slice(end + 2);
      return event === ":" ? "beat" : event;
    },
    /** The version of the next event. */
    async version(): Promise<string> {
      for (;;) {
        const event = await this.next();
        if (event === "beat") continue;
        const found = /^data: \{"version":"(\w+)"\}$/.exec(event ?? "")?.[1];
        if (found === undefined) throw new Error(`no version: ${event}`);
        return found;
      }
    },
    /** Reads until the service ends the stream. */
    async end(): Promise<void> {
      while ((await this.next()) !== null);
    },
    cancel: () => reader.cancel(),
  };
}

async function start() {
  stopping = new AbortController();
  service = await startService({
    sample: false,
    oneNode: true,
    beatMs: 2,
    stopping: stopping.signal,
  });
  service.accounts.addUser("owner", "max");
  service.accounts.addUser("anna", "free");
  return new ConsoleClient(service).signIn("anna");
}

/** Stores a public holiday: the smallest record that a source can add. */
function storeHoliday(date: string): void {
  service.market.transaction(() =>
    service.market.put(
      "holidayOverrides",
      [{ country: "JP", date, name: "Marine Day", closed: true }],
      { source: "test", storedAt: service.time.now },
    ),
  );
}

test("a change of the user's own lists, screens or settings is told at once, and to no other user", async () => {
  const anna = await start();
  const owner = await new ConsoleClient(service).signIn("owner");
  const [stream, other] = [await follow(anna), await follow(owner)];
  const nextOwn = async () => {
    for (;;) {
      const event = await stream.next();
      if (event === "beat") continue;
      return (JSON.parse(event?.slice("data: ".length) ?? "") as { documents?: string }).documents;
    }
  };
  const told = [await nextOwn()];
  expect(told).toEqual([undefined]);
  await other.version();
  const items: object[] = [];
  for (const change of [
    () => anna.send("PUT", "lists/semis", { body: { items } }),
    () => anna.send("PUT", "settings", { body: { theme: "dark" } }),
    () => anna.send("DELETE", "lists/semis"),
  ]) {
    service.time.now += 1;
    expect((await change()).status).toBeLessThan(300);
    told.push(await nextOwn());
  }
  expect(new Set(told).size).toBe(4);
  expect(await other.next()).toBe("beat");
  await Promise.all([stream.cancel(), other.cancel()]);
});

describe("the stream of the market's version", () => {
  test("names the newest message of the user's alerts, and each newer one", async () => {
    const anna = await start();
    const { access } = service;
    const send = (user: string, at: number) => {
      const { id = 0 } = access.run(findUser(user)) ?? {};
      const message = {
        id: createMessageId(),
        alert: "one",
        kind: "test",
        at,
        facts: "{}",
      } as const;
      access.run(putMessage(id, message, []));
    };
    send("anna", 1_000);
    const stream = await follow(anna);
    const told = async () => {
      for (;;) {
        const event = await stream.next();
        if (event !== "beat") return /"message":(\d+)\}$/.exec(event ?? "")?.[1];
      }
    };
    expect(await told()).toBe("1000");
    send("owner", 3_000);
    send("anna", 2_000);
    expect(await told()).toBe("2000");
    await stream.cancel();
  });

  test("begins with the version, shows that it is alive, and is not stored or cut by anyone", async () => {
    const stream = await follow(await start());
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "cross-origin-resource-policy": "same-origin",
      "x-accel-buffering": "no",
    });
    expect(await stream.next()).toMatch(/^data: \{"version":"\w+"\}$/);
    expect([await stream.next(), await stream.next()]).toEqual(["beat", "beat"]);
    await stream.cancel();
  });

  test("tells a new version once, when no answer from before is kept", async () => {
    const stream = await follow(await start());
    const first = await stream.version();
    storeHoliday("2027-07-19");
    // The service sees it between two beats, and tells it a minute later.
    for (let i = 0; i < 3; i++) expect(await stream.next()).toBe("beat");
    service.time.now += MINUTE - 1;
    for (let i = 0; i < 3; i++) expect(await stream.next()).toBe("beat");
    service.time.now += 1;
    const second = await stream.version();
    expect(second).not.toBe(first);
    service.time.now += MINUTE;
    for (let i = 0; i < 3; i++) expect(await stream.next()).toBe("beat");
    await stream.cancel();
  });

  test("ends at sign-out, when the session is ended elsewhere, and after 12 hours, which it does not prolong", async () => {
    const first = await start();
    const stream = await follow(first);
    const second = await new ConsoleClient(service).signIn("anna");
    const third = await new ConsoleClient(service).signIn("anna");
    const others = [await follow(second), await follow(third)] as const;
    await first.send("DELETE", "session");
    await stream.end();
    const list = await third.get("sessions");
    const other = list.find(({ current }) => !current);
    await third.send("DELETE", `sessions/${other?.id}`);
    await others[0].end();
    expect(await others[1].version()).not.toBe("");
    service.time.now += 12 * 60 * MINUTE + MINUTE;
    await others[1].end();
    expect((await third.send("GET", "me")).status).toBe(401);
  });

  test("ends when the service stops, and no new one begins", async () => {
    const client = await start();
    const stream = await follow(client);
    stopping.abort();
    await stream.end();
    const refused = await client.send("GET", "changes");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  });

  test("a user has at most 12, over all sessions; a closed page makes room", async () => {
    const clients = [await start(), await new ConsoleClient(service).signIn("anna")] as const;
    const streams = [];
    for (let i = 0; i < 12; i++) streams.push(await follow(clients[i % 2 === 0 ? 0 : 1]));
    for (const client of clients) {
      const refused = await client.send("GET", "changes");
      expect(refused.status).toBe(429);
      expect(await refused.text()).toContain("Close one of them");
    }
    const owner = await new ConsoleClient(service).signIn("owner");
    const other = await follow(owner);
    await streams.pop()?.cancel();
    let again = await clients[0].send("GET", "changes");
    // The service notices a closed connection in a later turn.
    while (again.status === 429) again = await clients[0].send("GET", "changes");
    expect(again.status).toBe(200);
    await again.body?.cancel();
    for (const one of [...streams, other]) await one.cancel();
  });

  test("HEAD opens none", async () => {
    const client = await start();
    for (let i = 0; i < 20; i++) expect((await client.send("HEAD", "changes")).status).toBe(200);
    await (await follow(client)).cancel();
  });
});
