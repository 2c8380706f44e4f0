import type { DeliveryState, MessageKind } from "#domain/alert.ts";
import type { DocumentKind } from "#domain/user-documents.ts";
import type { MessagesPage } from "#domain/user-alerts.ts";
import { DAY_MS } from "#lib/date.ts";
import type { LeaderTerm } from "./leadership.ts";
import { findRow, listRows, runStatement, type Work } from "./work.ts";

/** Messages are kept for 90 days, of each user the newest. */
const KEPT_MS = 90 * DAY_MS;
const KEPT_OF_USER = 2_000;

/** The key of a state. */
export interface AlertStateKey {
  readonly userId: number;
  /** The name of the rule; `list:NAME` for the theses of a list. */
  readonly alert: string;
  /** The instrument: `US:AAPL`; empty for a rule without one. */
  readonly about: string;
}

/** What is known of a rule and an instrument, as JSON. */
export interface AlertStateRow extends AlertStateKey {
  readonly json: string;
}

/** A state in the store. */
export interface StoredAlertState extends AlertStateRow {
  /** When it became as it is, UTC milliseconds. */
  readonly changedAt: number;
}

/** A part of the states of a user. */
interface StatesPage {
  readonly after?: Pick<AlertStateKey, "alert" | "about"> | null;
  readonly limit?: number;
}

/** A message of a rule with its facts as JSON. */
export interface AlertMessageRow {
  /** `msg_…` */
  readonly id: string;
  readonly alert: string;
  readonly kind: MessageKind;
  /** UTC milliseconds. */
  readonly at: number;
  readonly facts: string;
}

/** The key of a delivery. */
export interface DeliveryKey {
  /** The id of the message. */
  readonly message: string;
  /** The name of the channel. */
  readonly channel: string;
}

/** A delivery of a message to a channel. */
export interface DeliveryRow extends DeliveryKey {
  readonly state: DeliveryState;
  /** Attempts so far, also one that goes on. */
  readonly attempts: number;
  /** One that is due is not tried before this time, UTC milliseconds. */
  readonly nextAt: number;
  /** The last attempt, UTC milliseconds; null before the first. */
  readonly triedAt: number | null;
  /** What went wrong at the last attempt, in plain words; null without an error. */
  readonly error: string | null;
  /** The message that carries this one too, because several waited; null if it is sent alone. */
  readonly joined: string | null;
}

const DELIVERY = `message, channel, state, attempts, next_at AS "nextAt", tried_at AS "triedAt", error, joined`;
const MESSAGE = "message AS id, alert, kind, at, facts";
const OF_USER = "user_id = (SELECT id FROM users WHERE name = $user)";

/** A new id of a message: 128 random bits. */
export function createMessageId(): string {
  return `msg_${crypto.getRandomValues(new Uint8Array(16)).toHex()}`;
}

/** The states of a user's rules by rule and instrument: all, or a part after a key. */
export function listAlertStates(
  user: string,
  { after = null, limit = Number.MAX_SAFE_INTEGER }: StatesPage = {},
): Work<StoredAlertState[]> {
  const { alert, about } = after ?? { alert: "", about: "" };
  return listRows(
    `SELECT user_id AS "userId", alert, about, state AS json, changed_at AS "changedAt" FROM alert_states
     WHERE ${OF_USER} AND (alert, about) > ($alert, $about) ORDER BY alert, about LIMIT $limit`,
    { user, alert, about, limit },
  );
}

/** The state with that key as JSON; null without one. */
export function* findAlertState({ userId, alert, about }: AlertStateKey): Work<string | null> {
  const row = yield* findRow<{ json: string }>(
    `SELECT state AS json FROM alert_states
     WHERE user_id = $userId AND alert = $alert AND about = $about`,
    { userId, alert, about },
  );
  return row?.json ?? null;
}

/** Stores a state in place of the one with its key. A user who was removed gets none. */
export function* putAlertState(
  { userId, alert, about, json }: AlertStateRow,
  changedAt: number,
): Work<void> {
  yield* runStatement(
    `INSERT INTO alert_states (user_id, alert, about, changed_at, state)
     SELECT id, $alert, $about, $changedAt, $json FROM users WHERE id = $userId
     ON CONFLICT (user_id, alert, about) DO UPDATE
       SET changed_at = excluded.changed_at, state = excluded.state`,
    { userId, alert, about, changedAt, json },
  );
}

/** Removes the states of a rule, or the one about an instrument. */
export function* removeAlertStates(
  userId: number,
  alert: string,
  about: string | null = null,
): Work<void> {
  yield* runStatement(
    `DELETE FROM alert_states WHERE user_id = $userId AND alert = $alert
     AND about = coalesce($about, about)`,
    { userId, alert, about },
  );
}

/** Moves the states about an instrument to another key, unless a rule has a state there already. */
export function* moveStates(userId: number, about: string, to: string): Work<void> {
  yield* runStatement(
    `UPDATE alert_states SET about = $to WHERE user_id = $userId AND about = $about
       AND NOT EXISTS (SELECT 1 FROM alert_states AS other WHERE other.user_id = $userId
         AND other.alert = alert_states.alert AND other.about = $to)`,
    { userId, about, to },
  );
}

/** Removes at most `limit` states of a user; returns how many it removed. */
export function removeStatesOfUser(user: string, limit: number): Work<number> {
  return runStatement(
    `DELETE FROM alert_states WHERE (user_id, alert, about) IN (
       SELECT user_id, alert, about FROM alert_states WHERE ${OF_USER} LIMIT $limit)`,
    { user, limit },
  );
}

/** Removes at most `limit` messages of a user with their deliveries; returns how many it removed. */
export function removeMessagesOfUser(user: string, limit: number): Work<number> {
  return runStatement(
    `DELETE FROM alert_messages WHERE message IN (
       SELECT message FROM alert_messages WHERE ${OF_USER} LIMIT $limit)`,
    { user, limit },
  );
}

/**
 * Stores a message with a delivery to each channel, and removes old messages of its user. Run it in the transaction that
 * stores the state of the rule, so that each of them is stored if the other one is.
 */
export function* putMessage(
  userId: number,
  { id, alert, kind, at, facts }: AlertMessageRow,
  channels: readonly string[],
): Work<void> {
  yield* runStatement(
    `INSERT INTO alert_messages (message, user_id, alert, kind, at, facts)
     VALUES ($id, $userId, $alert, $kind, $at, $facts)`,
    { id, userId, alert, kind, at, facts },
  );
  for (const channel of channels) {
    yield* runStatement(
      `INSERT INTO alert_outbox (message, channel, user_id, state, attempts, next_at)
       VALUES ($id, $channel, $userId, 'due', 0, $at)`,
      { id, channel, userId, at },
    );
  }
  // Two searches of an index. Messages of one judgement have the same time.
  yield* runStatement(
    `DELETE FROM alert_messages WHERE message IN (
       SELECT message FROM alert_messages WHERE user_id = $userId AND at < $before
       UNION ALL SELECT message FROM (
         SELECT message FROM alert_messages WHERE user_id = $userId
         ORDER BY at DESC LIMIT $kept OFFSET $kept) AS old)`,
    { userId, before: at - KEPT_MS, kept: KEPT_OF_USER },
  );
}

/** The newest messages of a user first, of one rule if it is named, only those before a message. */
export function listMessages(
  user: string,
  { alert = null, before = null, limit }: MessagesPage,
): Work<AlertMessageRow[]> {
  const { at, id } = before ?? { at: Number.MAX_SAFE_INTEGER, id: "" };
  return listRows(
    `SELECT ${MESSAGE} FROM alert_messages
     WHERE ${OF_USER} AND (at, message) < (CAST($at AS BIGINT), $id)
       AND alert = coalesce($alert, alert) ORDER BY at DESC, message DESC LIMIT $limit`,
    { user, alert, at, id, limit },
  );
}

/** The number of messages of a rule from a time on, UTC milliseconds. */
export function* countMessages(userId: number, alert: string, since: number): Work<number> {
  const row = yield* findRow<{ count: number }>(
    `SELECT CAST(count(*) AS INTEGER) AS count FROM alert_messages
     WHERE user_id = $userId AND alert = $alert AND at >= $since`,
    { userId, alert, since },
  );
  return row?.count ?? 0;
}

/** When a rule was last paused because it told too much, in a span of time; all UTC milliseconds. Null if it was not. */
export function* findPause(
  userId: number,
  alert: string,
  { from, to }: { readonly from: number; readonly to: number },
): Work<number | null> {
  const row = yield* findRow<{ at: number | null }>(
    `SELECT max(at) AS at FROM alert_messages
     WHERE user_id = $userId AND alert = $alert AND kind = 'paused'
       AND at BETWEEN CAST($from AS BIGINT) AND CAST($to AS BIGINT)`,
    { userId, alert, from, to },
  );
  return row?.at ?? null;
}

/** The deliveries of a user's messages in a span of time (UTC milliseconds), by message and channel. */
export function listDeliveries(
  user: string,
  { from, to }: { readonly from: number; readonly to: number },
): Work<DeliveryRow[]> {
  return listRows(
    `SELECT ${DELIVERY} FROM alert_outbox WHERE message IN (
       SELECT message FROM alert_messages WHERE ${OF_USER}
         AND at BETWEEN CAST($from AS BIGINT) AND CAST($to AS BIGINT))
     ORDER BY message, channel`,
    { user, from, to },
  );
}

/** A user with a fingerprint of the documents that rules depend on. */
export interface RuleOwner {
  readonly userId: number;
  readonly user: string;
  /** Changes when a document is saved or removed. */
  readonly fingerprint: string;
}

/** The users with documents, by id; only one of them if `userId` is not null. */
export function* listRuleOwners(userId: number | null = null): Work<RuleOwner[]> {
  const rows = yield* listRows<{
    userId: number;
    user: string;
    count: number;
    sum: number;
    rules: number;
  }>(
    `SELECT user_id AS "userId", users.name AS "user", CAST(count(*) AS INTEGER) AS count,
       CAST(sum(changed_at) AS DOUBLE PRECISION) AS sum,
       CAST(sum(CASE kind WHEN 'alert' THEN 1 ELSE 0 END) AS INTEGER) AS rules
     FROM user_documents JOIN users ON users.id = user_id
     WHERE kind IN ('alert', 'list', 'channel', 'settings')
       ${userId === null ? "" : "AND user_id = $userId"}
     GROUP BY user_id, users.name ORDER BY user_id`,
    userId === null ? {} : { userId },
  );
  return rows.map(({ userId: id, user, count, sum, rules }) => ({
    userId: id,
    user,
    fingerprint: `${count} ${rules} ${sum}`,
  }));
}

/** A document that rules depend on. */
export interface RuleDocument {
  readonly kind: DocumentKind;
  readonly name: string;
  readonly json: string;
}

/** The rules, channels and settings of a user, and the lists with theses. */
export function listRuleDocuments(userId: number): Work<RuleDocument[]> {
  return listRows(
    `SELECT kind, name, value AS json FROM user_documents WHERE user_id = $userId
       AND (kind IN ('alert', 'channel', 'settings') OR (kind = 'list' AND value LIKE '%"thesis":{%'))
     ORDER BY kind, name`,
    { userId },
  );
}

/** The list of a user as JSON; null without one. */
export function* findListOfUser(userId: number, name: string): Work<string | null> {
  const row = yield* findRow<{ json: string }>(
    `SELECT value AS json FROM user_documents
     WHERE user_id = $userId AND kind = 'list' AND name = $name`,
    { userId, name },
  );
  return row?.json ?? null;
}

/** States that are stored by one statement. */
const STATES_AT_ONCE = 50;

/** Stores first states. One that is there already stays. */
export function* putFirstStates(rows: readonly AlertStateRow[], changedAt: number): Work<void> {
  for (let start = 0; start < rows.length; start += STATES_AT_ONCE) {
    const some = rows.slice(start, start + STATES_AT_ONCE);
    const values = some.flatMap(({ userId, alert, about, json }, i) => [
      [`u${i}`, userId] as const,
      [`a${i}`, alert] as const,
      [`b${i}`, about] as const,
      [`j${i}`, json] as const,
    ]);
    const tuples = some.map(
      (_, i) => `(CAST($u${i} AS INTEGER), $a${i}, $b${i}, CAST($at AS BIGINT), $j${i})`,
    );
    // A user who was removed meanwhile has no states.
    yield* runStatement(
      `INSERT INTO alert_states (user_id, alert, about, changed_at, state)
       SELECT * FROM (VALUES ${tuples.join(", ")}) AS fresh
       WHERE EXISTS (SELECT 1 FROM users WHERE id = fresh.column1)
       ON CONFLICT (user_id, alert, about) DO NOTHING`,
      { at: changedAt, ...Object.fromEntries(values) },
    );
  }
}

/** True while a node leads with that term, and until this transaction ends. Only a cluster has terms. */
export function* holdsTerm({ fence, holder }: LeaderTerm): Work<boolean> {
  const row = yield* findRow<{ held: number }>(
    `SELECT 1 AS held FROM leader WHERE fence = $fence AND holder = CAST($holder AS uuid)
       AND until > cluster_now() FOR SHARE`,
    { fence, holder },
  );
  return row !== null;
}
