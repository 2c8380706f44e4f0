import type { AlertMessageRow } from "./alerts.ts";
import { findRow, listRows, runStatement, type Work } from "./work.ts";

/** A channel of a user. */
export interface ChannelKey {
  readonly userId: number;
  /** The name of the channel. */
  readonly channel: string;
}

/** A channel with deliveries that are due. */
export interface DueChannel extends ChannelKey {
  readonly user: string;
  /** How many. */
  readonly due: number;
}

/** A delivery that is due, with its message. */
export interface DueDelivery extends AlertMessageRow {
  /** Attempts so far. */
  readonly attempts: number;
  /** The first message of the delivery that has several; null before it was sent with others. */
  readonly joined: string | null;
  /** JSON of the rule; null if it was removed or the message has none. */
  readonly alertJson: string | null;
}

const DUE = "state = 'due' AND next_at <= $now";
const OF_CHANNEL = "user_id = $userId AND channel = $channel";

/** The channels with deliveries that are due at `now` (UTC milliseconds), the one that waits longest first. */
export function listDueChannels(now: number, limit: number): Work<DueChannel[]> {
  // Counted in the order of an index, before names are looked up: users can have many thousand deliveries.
  return listRows(
    `SELECT user_id AS "userId", name AS "user", channel, due FROM (
       SELECT user_id, channel, CAST(count(*) AS INTEGER) AS due, min(next_at) AS since
       FROM alert_outbox WHERE ${DUE} GROUP BY user_id, channel) AS waiting
     JOIN users ON users.id = user_id ORDER BY since, user_id, channel LIMIT $limit`,
    { now, limit },
  );
}

/** The deliveries of a channel that are due, those that were not tried for the longest time first. */
export function listDueOfChannel(
  { userId, channel }: ChannelKey,
  now: number,
  limit: number,
): Work<DueDelivery[]> {
  return listRows(
    `SELECT alert_messages.message AS id, alert, alert_messages.kind, at, facts, attempts, joined,
       rules.value AS "alertJson"
     FROM alert_outbox JOIN alert_messages ON alert_messages.message = alert_outbox.message
     LEFT JOIN user_documents AS rules ON rules.user_id = alert_outbox.user_id
       AND rules.kind = 'alert' AND rules.name = alert
     WHERE alert_outbox.user_id = $userId AND channel = $channel AND ${DUE}
     ORDER BY coalesce(tried_at, 0), coalesce(joined, ''), next_at, at, alert_messages.message
     LIMIT $limit`,
    { userId, channel, now, limit },
  );
}

/** The deliveries that have reached a user since a time, UTC milliseconds. Several messages in one count once. */
export function* countSent(userId: number, since: number): Work<number> {
  const row = yield* findRow<{ count: number }>(
    `SELECT CAST(count(*) AS INTEGER) AS count FROM alert_outbox
     WHERE user_id = $userId AND tried_at >= $since AND state = 'sent'
     AND coalesce(joined, message) = message`,
    { userId, since },
  );
  return row?.count ?? 0;
}

/** The deliveries of all users that failed and are tried again. */
export function* countDelayed(): Work<number> {
  const row = yield* findRow<{ count: number }>(
    `SELECT CAST(count(*) AS INTEGER) AS count FROM alert_outbox
     WHERE state = 'due' AND error IS NOT NULL`,
  );
  return row?.count ?? 0;
}

/**
 * Begins an attempt: counts it and makes the deliveries due again at `until`, in case that this process ends before the
 * attempt does. Run it in the transaction that listed them.
 *
 * @param joined the first message, if they are several
 */
export function* claimDeliveries(
  channel: string,
  messages: readonly string[],
  { now, until, joined }: { now: number; until: number; joined: string | null },
): Work<void> {
  for (const message of messages)
    yield* runStatement(
      `UPDATE alert_outbox SET attempts = attempts + 1, tried_at = $now, next_at = $until,
         joined = $joined
       WHERE message = $message AND channel = $channel`,
      { message, channel, now, until, joined },
    );
}

/** Puts deliveries off without an attempt until a time, UTC milliseconds. */
export function* putOffDeliveries(
  channel: string,
  messages: readonly string[],
  until: number,
): Work<void> {
  for (const message of messages)
    yield* runStatement(
      `UPDATE alert_outbox SET next_at = $until
       WHERE message = $message AND channel = $channel AND state = 'due'`,
      { message, channel, until },
    );
}

/** The messages have arrived. */
export function* markSent(channel: string, messages: readonly string[]): Work<void> {
  for (const message of messages)
    yield* runStatement(
      `UPDATE alert_outbox SET state = 'sent', error = NULL
       WHERE message = $message AND channel = $channel AND state = 'due'`,
      { message, channel },
    );
}

/** The messages cannot arrive, for the reason in one sentence. */
export function* markFailed(
  channel: string,
  messages: readonly string[],
  error: string,
): Work<void> {
  for (const message of messages)
    yield* runStatement(
      `UPDATE alert_outbox SET state = 'failed', error = $error
       WHERE message = $message AND channel = $channel AND state = 'due'`,
      { message, channel, error },
    );
}

/** No delivery of the channel can arrive any more, for the reason in one sentence. */
export function* markChannelFailed({ userId, channel }: ChannelKey, error: string): Work<void> {
  yield* runStatement(
    `UPDATE alert_outbox SET state = 'failed', error = $error WHERE ${OF_CHANNEL} AND state = 'due'`,
    { userId, channel, error },
  );
}

/** How an attempt failed. */
export interface FailedAttempt {
  /** UTC milliseconds. */
  readonly now: number;
  readonly error: string;
  /** No pause is shorter. */
  readonly waitMs: number;
  /** The pause after each attempt but the last. */
  readonly pausesMs: readonly number[];
}

/**
 * An attempt has failed. It counts for every delivery of the channel that is due, so that a dead receiver gets one
 * attempt for all of them. Each is due again after the pause of its own attempts; after the last one it has failed.
 * Returns true if more than `limit` were due: call it again without messages.
 *
 * @param messages the messages of the attempt
 */
export function* markRetry(
  { userId, channel }: ChannelKey,
  messages: readonly string[],
  { now, error, waitMs, pausesMs }: FailedAttempt,
  limit: number,
): Work<boolean> {
  const next = pausesMs.map((pauseMs) => now + Math.max(pauseMs, waitMs));
  const times = next.map((_, i) => `WHEN ${i + 1} THEN CAST($p${i} AS BIGINT)`).join(" ");
  const update = (more: 0 | 1) =>
    `UPDATE alert_outbox SET attempts = attempts + ${more}, error = $error,
       next_at = CASE attempts + ${more} ${times} ELSE CAST($now AS BIGINT) END,
       state = CASE WHEN attempts + ${more} > ${next.length} THEN 'failed' ELSE state END`;
  const values = { now, error, channel, ...Object.fromEntries(next.map((at, i) => [`p${i}`, at])) };
  // The claimed ones are counted already, and not due yet.
  for (const message of messages)
    yield* runStatement(
      `${update(0)} WHERE message = $message AND channel = $channel AND state = 'due'`,
      { message, ...values },
    );
  const changed = yield* runStatement(
    `${update(1)} WHERE channel = $channel AND message IN (
       SELECT message FROM alert_outbox WHERE ${OF_CHANNEL} AND ${DUE} LIMIT $limit)`,
    { userId, limit, ...values },
  );
  return changed === limit;
}
