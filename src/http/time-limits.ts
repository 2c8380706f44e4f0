/**
 * Bun closes a connection on which nothing was sent for this time, without an answer. It is longer than an answer
 * may take and the token, gate and quota before it. Each of the three waits up to two seconds for a slow Postgres.
 */
export const IDLE_SECONDS = 20;
/** A call that is not answered in this time, counted from the start of its work, gets 503. */
export const ANSWER_MS = 8_000;
