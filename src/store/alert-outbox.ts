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
  return listRows(
    `SELECT user_id AS "userId", name AS "user", channel, CAST(count(*) AS INTEGER) AS due
     FROM alert_outbox JOIN users ON users.id = user_id WHERE ${DUE}
     GROUP BY user_id, name, channel ORDER BY min(next_at), user_id, channel LIMIT $limit`,
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

/** Puts all deliveries of a user off that are due, until a time, UTC milliseconds. */
export function* putOffUser(userId: number, now: number, until: number): Work<void> {
  yield* runStatement(
    `UPDATE alert_outbox SET next_at = $until WHERE user_id = $userId AND ${DUE}`,
    {
      userId,
      now,
      until,
    },
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

/**
 * An attempt has failed. It counts for every delivery of the channel that is due, so that a dead receiver gets one
 * attempt for all of them. Each is due again after the pause of its own attempts; after the last one it has failed.
 *
 * @param messages the messages of the attempt
 * @param pausesMs the pause after each attempt but the last
 */
export function* markRetry(
  { userId, channel }: ChannelKey,
  messages: readonly string[],
  {
    now,
    error,
    waitMs,
    pausesMs,
  }: {
    now: number;
    error: string;
    /** No pause is shorter. */
    waitMs: number;
    pausesMs: readonly number[];
  },
): Work<void> {
  yield* runStatement(
    `UPDATE alert_outbox SET attempts = attempts + 1 WHERE ${OF_CHANNEL} AND ${DUE}`,
    { userId, channel, now },
  );
  yield* putOffDeliveries(channel, messages, now);
  for (const [i, pauseMs] of pausesMs.entries())
    yield* runStatement(
      `UPDATE alert_outbox SET next_at = $next, error = $error
       WHERE ${OF_CHANNEL} AND ${DUE} AND attempts = $attempts`,
      { userId, channel, now, error, attempts: i + 1, next: now + Math.max(pauseMs, waitMs) },
    );
  yield* runStatement(
    `UPDATE alert_outbox SET state = 'failed', error = $error WHERE ${OF_CHANNEL} AND ${DUE}`,
    { userId, channel, now, error },
  );
}
