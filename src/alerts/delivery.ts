import type { Alert, Channel } from "#domain/alert.ts";
import type { UserSettings } from "#domain/user-settings.ts";
import { DAY_MS } from "#lib/date.ts";
import { withDeadline } from "#lib/deadline.ts";
import type { Log } from "#lib/log.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { AlertFacts } from "#operations/alerts/message.ts";
import {
  type ChannelKey,
  claimDeliveries,
  countSent,
  type DueChannel,
  type DueDelivery,
  listDueChannels,
  listDueOfChannel,
  markChannelFailed,
  markFailed,
  markRetry,
  markSent,
  putOffDeliveries,
} from "#store/alert-outbox.ts";
import { createMessageId, putMessage } from "#store/alerts.ts";
import type { AccessStore } from "#store/index.ts";
import { findDocument, putDocument } from "#store/user-documents.ts";
import type { Work } from "#store/work.ts";
import { DELIVERIES } from "./limits.ts";
import { type Failure, type Outcome, type OutgoingMessage, readMessage } from "./outgoing.ts";
import { endOfQuiet } from "./quiet.ts";
import { send, type SendParts } from "./send.ts";
import { joinMessages } from "./several.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The pauses between the attempts of a delivery, which has failed after the last one. */
export const PAUSES_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
] as const;

/** When a delivery is due again whose process ended within its attempt. An attempt takes less. */
const CLAIM_MS = MINUTE_MS;
/** A channel that failed gets no message sooner, also no new one. */
const FLOOR_MS = MINUTE_MS;
/** When the limits of a user are looked at again. */
const LOOK_AGAIN_MS = { minute: 5_000, day: 5 * MINUTE_MS } as const;

/** Attempts that go on at once: of all users, and of one, whose receivers may all hang. */
const AT_ONCE = { all: 32, user: 3 } as const;
/** How long a stop waits for receivers. */
const STOP_MS = 2_000;
/** Channels that a round looks at, with the channels of users who had enough, and deliveries of one of them. */
const MOST_CHANNELS = 10_000;
const MOST_OF_CHANNEL = 100;
/** Deliveries whose failed attempt is noted in one transaction. */
const RETRIED_AT_ONCE = 300;
/** The most messages that are sent as one. */
const MOST_JOINED = 50;

/** What the delivery needs. */
export interface DeliveryParts extends SendParts {
  readonly access: AccessStore;
  readonly log: Log;
  /** Where clients reach the service, such as `https://data.example.com`; null if it is not known. */
  readonly publicUrl: string | null;
}

/** What a user waits for. */
interface Load {
  /** UTC milliseconds. */
  readonly now: number;
  /** The attempts that go on. */
  readonly going: number;
  /** The deliveries that are due. */
  readonly due: number;
}

/** An attempt that has begun. */
interface Attempt {
  readonly key: DueChannel;
  readonly channel: Channel;
  readonly messages: readonly string[];
  readonly outgoing: OutgoingMessage;
}

/**
 * Sends the messages of the outbox. A channel has one attempt at a time and a user a few, so a receiver that hangs delays no
 * other user. Each step is stored before the next one begins: a process that ends within an attempt sends the same message with
 * the same id again.
 */
export class AlertDelivery {
  readonly #parts: DeliveryParts;
  /** The attempts that go on, by channel. */
  readonly #attempts = new Map<string, { readonly userId: number; readonly work: Promise<void> }>();
  /** Channels that get no message before a time. */
  readonly #notBefore = new Map<string, number>();
  /** Users who had as much as a minute or a day allows, with the time when that is looked at again. */
  readonly #fullUntil = new Map<number, number>();

  /** Resolves when the next end of an attempt may be stored. */
  #settled: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** Begins the attempts that are due, and waits for none of them. Call it every second on one node. */
  async run(): Promise<void> {
    const { access, clock } = this.#parts;
    const now = clock();
    for (const [name, at] of this.#notBefore) if (at <= now) this.#notBefore.delete(name);
    for (const [userId, at] of this.#fullUntil) if (at <= now) this.#fullUntil.delete(userId);
    const channels = await access.run(listDueChannels(now, MOST_CHANNELS));
    const due = new Map<number, number>();
    for (const one of channels) due.set(one.userId, (due.get(one.userId) ?? 0) + one.due);
    for (const one of channels) {
      if (this.#isStopped || this.#attempts.size >= AT_ONCE.all) return;
      const name = nameOf(one);
      const going = this.#countOf(one.userId);
      if (this.#attempts.has(name) || this.#notBefore.has(name) || going >= AT_ONCE.user) continue;
      if (this.#fullUntil.has(one.userId)) continue;
      const attempt = await this.#begin(one, { now, going, due: due.get(one.userId) ?? 0 });
      // Calls come between two transactions.
      await nextTurn();
      if (attempt === null) continue;
      const work = this.#finish(attempt).finally(() => this.#attempts.delete(name));
      this.#attempts.set(name, { userId: one.userId, work });
    }
  }

  async #begin(key: DueChannel, load: Load): Promise<Attempt | null> {
    const { access, log } = this.#parts;
    try {
      const begun = await access.transaction(() => begin(this.#parts, key, load));
      if (begun === null || "messages" in begun) return begun;
      this.#fullUntil.set(key.userId, begun.fullUntil);
      return null;
    } catch (error) {
      // The others go on.
      this.#notBefore.set(nameOf(key), load.now + FLOOR_MS);
      log.error("a delivery could not begin", { error: String(error) });
      return null;
    }
  }

  /** Resolves when the attempts have ended that go on now. */
  async settled(): Promise<void> {
    await Promise.all([...this.#attempts.values()].map(({ work }) => work));
  }

  /** Begins no more attempts. A receiver that hangs is not waited for: it gets its message after the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await withDeadline(this.settled(), STOP_MS, () => new Error("late")).catch(() => {});
  }

  #countOf(userId: number): number {
    return this.#attempts.values().reduce((sum, one) => sum + Number(one.userId === userId), 0);
  }

  async #finish(attempt: Attempt): Promise<void> {
    const { access, clock, log } = this.#parts;
    const outcome = await send(this.#parts, attempt.channel, attempt.outgoing);
    const now = clock();
    if (outcome.is === "failed")
      this.#notBefore.set(nameOf(attempt.key), now + Math.max(FLOOR_MS, outcome.waitMs));
    // Several attempts can end at once, and calls come between their transactions.
    const turn = this.#settled.then(nextTurn);
    this.#settled = turn;
    await turn;
    try {
      let isMore = await access.transaction(() => settle(attempt, outcome, now));
      // A dead receiver can have thousands of deliveries.
      while (isMore) {
        await nextTurn();
        isMore = await access.transaction(() => fail(attempt.key, [], outcome as Failure, now));
      }
    } catch (error) {
      // It is due again when its claim ends.
      if (this.#isStopped) return;
      log.error("the end of a delivery could not be stored", { error: String(error) });
    }
    // The words of users and the addresses of receivers stay out of the log.
    if (outcome.is === "gone" || outcome.is === "refused")
      log.warn("an alert was not delivered", { kind: attempt.channel.kind, result: outcome.is });
  }
}

const nameOf = ({ userId, channel }: ChannelKey) => `${userId} ${channel}`;

/** Begins the attempt that is due of a channel; null if there is none now, or the time until which its user has enough. */
function* begin(
  { publicUrl }: DeliveryParts,
  key: DueChannel,
  { now, going, due }: Load,
): Work<Attempt | { readonly fullUntil: number } | null> {
  const document = yield* findDocument(key.user, { kind: "channel", name: key.channel });
  const channel = document && (JSON.parse(document.json) as Channel);
  if (channel === null || channel.stopped !== undefined) {
    yield* markChannelFailed(key, channel?.stopped ?? "The channel was removed.");
    return null;
  }
  const stored = yield* findDocument(key.user, { kind: "settings", name: "settings" });
  const settings = stored ? (JSON.parse(stored.json) as UserSettings) : {};
  const rows = yield* dropQuiet(key, settings, now);
  const { free, lookAt } = yield* findFree(key.userId, { now, going });
  const [first] = rows;
  if (free === 0) return { fullUntil: lookAt };
  if (first === undefined) return null;
  const taken = takeOf(rows, first, due > free);
  const joined = taken.length > 1 || first.joined !== null ? (first.joined ?? first.id) : null;
  const messages = taken.map(({ id }) => id);
  yield* claimDeliveries(key.channel, messages, { now, until: now + CLAIM_MS, joined });
  const texts = taken
    .toSorted((a, b) => a.at - b.at)
    .flatMap((row) => readMessage(row, settings, publicUrl) ?? []);
  const unread = messages.filter((id) => !texts.some((one) => one.id === id));
  yield* markFailed(key.channel, unread, "This version of bourse cannot read the message.");
  const [only] = texts;
  if (only === undefined) return null;
  const outgoing = joined === null ? only : joinMessages(joined, texts, settings);
  return { key, channel, messages, outgoing };
}

/**
 * The deliveries of a channel that are due, without the ones whose rules are in their quiet hours. Deliveries that were
 * joined wait for each other: a receiver may have the id that they share, and drops another body with it.
 */
function* dropQuiet(
  key: ChannelKey,
  { timeZone = "UTC" }: UserSettings,
  now: number,
): Work<DueDelivery[]> {
  const rows = yield* listDueOfChannel(key, now, MOST_OF_CHANNEL);
  const ends = rows.map(({ alertJson }) => {
    const { quiet } = (alertJson === null ? {} : JSON.parse(alertJson)) as Partial<Alert>;
    return quiet === undefined ? null : endOfQuiet(quiet, timeZone, now);
  });
  const endOf = ({ joined }: DueDelivery, i: number) =>
    joined === null
      ? (ends[i] ?? 0)
      : Math.max(...rows.map((one, at) => (one.joined === joined ? (ends[at] ?? 0) : 0)));
  const free: DueDelivery[] = [];
  for (const [i, row] of rows.entries()) {
    const end = endOf(row, i);
    if (end === 0) free.push(row);
    else yield* putOffDeliveries(key.channel, [row.id], end);
  }
  return free;
}

/** The deliveries that a user may still get now, and if there are none, when to look again. */
function* findFree(
  userId: number,
  { now, going }: { now: number; going: number },
): Work<{ readonly free: number; readonly lookAt: number }> {
  const inMinute = DELIVERIES.perMinute - (yield* countSent(userId, now - MINUTE_MS));
  const inDay = DELIVERIES.perDay - (yield* countSent(userId, now - DAY_MS));
  const free = Math.max(0, Math.min(inMinute, inDay) - going);
  return { free, lookAt: now + LOOK_AGAIN_MS[inDay <= inMinute ? "day" : "minute"] };
}

/**
 * The deliveries of the next attempt: the first, or all that it was joined with, or if more are due than the user may
 * get, the new ones together. Only those that were never tried are joined, because a receiver may have the others.
 */
function takeOf(
  rows: readonly DueDelivery[],
  first: DueDelivery,
  isTooMuch: boolean,
): readonly DueDelivery[] {
  if (first.joined !== null) return rows.filter(({ joined }) => joined === first.joined);
  if (!isTooMuch || first.attempts > 0) return [first];
  return rows.filter(({ attempts }) => attempts === 0).slice(0, MOST_JOINED);
}

/** Notes a failed attempt for deliveries of a channel; true if there are more. */
const fail = (
  key: DueChannel,
  messages: readonly string[],
  { error, waitMs }: Failure,
  now: number,
): Work<boolean> =>
  markRetry(key, messages, { now, error, waitMs, pausesMs: PAUSES_MS }, RETRIED_AT_ONCE);

/** Stores what came of an attempt; true if it failed and more deliveries of the channel must be noted. */
function* settle(attempt: Attempt, outcome: Outcome, now: number): Work<boolean> {
  if (outcome.is === "failed") return yield* fail(attempt.key, attempt.messages, outcome, now);
  yield* end(attempt, outcome, now);
  return false;
}

/** Ends deliveries. */
function* end({ key, channel, messages }: Attempt, outcome: Outcome, now: number): Work<void> {
  if (outcome.is === "sent") return yield* markSent(key.channel, messages);
  const { is, error } = outcome;
  if (is === "refused") return yield* markFailed(key.channel, messages, error);
  const name = key.channel;
  const document = yield* findDocument(key.user, { kind: "channel", name });
  // Its user may have written another address meanwhile.
  const stored = document && (JSON.parse(document.json) as Channel);
  if (stored === null || stored.url !== channel.url)
    return yield* putOffDeliveries(name, messages, now);
  yield* markChannelFailed(key, error);
  const json = JSON.stringify({ ...stored, stopped: error } satisfies Channel);
  yield* putDocument(key.userId, { kind: "channel", name, items: 0, changedAt: now, json });
  const facts = JSON.stringify({ kind: "stopped", channel: name } satisfies AlertFacts);
  const id = createMessageId();
  yield* putMessage(key.userId, { id, alert: "", kind: "stopped", at: now, facts }, []);
}
