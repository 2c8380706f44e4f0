import { afterAll, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { createWebhookSecret } from "#alerts/channel.ts";
import type { Channel } from "#domain/alert.ts";
import { listDeliveries, putMessage } from "#store/alerts.ts";
import { openAccess } from "#store/index.ts";
import { putDocument } from "#store/user-documents.ts";
import { addUser, findUser } from "#store/users.ts";
import { openFolder } from "../support/access.ts";
import { bunCommand, endChildren, spawnChild } from "../support/child-process.ts";

// Not part of the suite (no .test in its name): it kills many processes.

afterAll(endChildren);

const PROGRAM = fileURLToPath(new URL("../support/alert-delivery-process.ts", import.meta.url));
const USERS = 60;
const MESSAGES = 3;
/** A claim of an attempt that was killed ends after a minute. */
const CLAIM_MS = 61_000;

test("a delivery that is killed again and again, within and after its answers, loses no message", async () => {
  using folder = openFolder();
  const received: string[] = [];
  let killAt = 0;
  let kill = () => {};
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      received.push(request.headers.get("webhook-id") ?? "");
      const isLast = --killAt === 0;
      // Before the answer, or at some moment after it.
      if (isLast && Math.random() < 0.5) {
        kill();
        return new Promise<Response>(() => {});
      }
      if (isLast) setTimeout(kill, Math.random() * 4);
      return new Response();
    },
  });
  const access = openAccess(folder.path);
  const ids: string[] = [];
  const at = Date.now() - 1_000;
  // Each user gets 10 deliveries in a minute.
  for (let i = 0; i < USERS; i++) {
    const name = `user-${i}`;
    access.run(addUser({ name, plan: "free", role: "user", createdAt: at }));
    const userId = access.run(findUser(name))?.id ?? 0;
    const url = `http://127.0.0.1:${server.port}/x`;
    const channel: Channel = { name: "c", kind: "webhook", url, secret: createWebhookSecret() };
    const json = JSON.stringify(channel);
    access.run(putDocument(userId, { kind: "channel", name: "c", items: 0, changedAt: at, json }));
    for (let n = 0; n < MESSAGES; n++) {
      const id = `msg_${i}_${n}`;
      ids.push(id);
      const facts = JSON.stringify({ kind: "test", channel: "c" });
      access.run(putMessage(userId, { id, alert: "", kind: "test", at, facts }, ["c"]));
    }
  }
  let kills = 0;
  for (let ahead = 0; ; ahead += CLAIM_MS) {
    killAt = 1 + Math.floor(Math.random() * 30);
    const child = spawnChild([...bunCommand(PROGRAM), folder.path, String(ahead)], {
      stderr: "inherit",
    });
    kill = () => child.kill("SIGKILL");
    if ((await child.exited) === 0) break;
    kills++;
  }
  const states = Array.from({ length: USERS }, (_, i) =>
    access.run(listDeliveries(`user-${i}`, { from: 0, to: at })),
  ).flat();
  access.close();
  expect(states.map(({ state }) => state)).toEqual(ids.map(() => "sent"));
  expect([...new Set(received)].toSorted()).toEqual(ids.toSorted());
  expect(kills).toBeGreaterThan(5);
  // A kill is within the few attempts that go on at once.
  const twice = received.length - ids.length;
  expect(twice).toBeGreaterThan(0);
  expect(twice).toBeLessThanOrEqual(kills * 32);
  process.stdout.write(`${kills} kills, ${ids.length} messages, ${twice} sent again\n`);
}, 600_000);
