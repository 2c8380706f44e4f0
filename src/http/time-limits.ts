/** Bun closes a connection on which nothing was sent for this time, without an answer. */
export const IDLE_SECONDS = 10;
/** Every request has an answer before its connection is closed. */
export const ANSWER_MS = 8_000;
