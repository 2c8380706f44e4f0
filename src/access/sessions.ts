import { isDatabaseBusy } from "#domain/errors.ts";
import {
  addSession,
  addSignInKey,
  endSession,
  findSession,
  type ListedSession,
  listSessions,
  pruneSessions,
  type SessionEnds,
  type SessionUse,
  type SessionUser,
  type StoredSession,
  takeSignInKey,
  touchSession,
} from "#store/sessions.ts";
import type { Work } from "#store/work.ts";
import { createSecret, hashSecret } from "./secret.ts";

export type { SessionUser };
/** A live session and its user. */
export type Session = StoredSession;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long a sign-in link is valid. */
const KEY_MS = 15 * MINUTE_MS;
/** How long a session lasts at most. */
export const SESSION_MS = 7 * 24 * HOUR_MS;
/** A session that is not used for this time ends. */
const IDLE_MS = 12 * HOUR_MS;
/** The time of the last use is written at most this often. */
const TOUCH_MS = MINUTE_MS;
/** Characters of the User-Agent header that are stored. */
const MAX_BROWSER_LENGTH = 256;
/** 32 bytes in base64url. */
const SECRET = /^[\w-]{43}$/;

/** The client of a sign-in. */
export interface Client {
  readonly address: string;
  /** The User-Agent header. */
  readonly browser: string;
}

/** Creates, finds and ends sessions, and the keys of sign-in links. */
export class Sessions {
  readonly #clock: () => number;

  /** @param clock UTC milliseconds */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Creates the key of a link that signs this user in once, within 15 minutes. */
  *createKey(userId: number): Work<{ key: string; expiresAt: number }> {
    const now = this.#clock();
    const key = createSecret();
    const expiresAt = now + KEY_MS;
    yield* pruneSessions(now, endsAt(now));
    yield* addSignInKey({ hash: hashSecret(key), userId, expiresAt });
    return { key, expiresAt };
  }

  /** Uses up a key and returns its user; null if it is unknown, used or expired. */
  *takeKey(key: string): Work<SessionUser | null> {
    return SECRET.test(key) ? yield* takeSignInKey(hashSecret(key), this.#clock()) : null;
  }

  /** Starts a session and returns its secret, which is not stored. */
  *start(userId: number, { address, browser }: Client): Work<string> {
    const now = this.#clock();
    const secret = createSecret();
    yield* pruneSessions(now, endsAt(now));
    yield* addSession({
      hash: hashSecret(secret),
      userId,
      address,
      browser: browser.slice(0, MAX_BROWSER_LENGTH),
      now,
    });
    return secret;
  }

  /** The live session with that secret, or null. Notes its use, at most once a minute. */
  *find(secret: string): Work<Session | null> {
    const hash = sessionHashOf(secret);
    if (!hash) return null;
    const use = this.use();
    const session = yield* findSession(hash, use);
    if (session && session.lastUsedAt <= use.notedBefore) yield* touch(session.id, use.now);
    return session;
  }

  /** A look-up of sessions at this moment. */
  use(): SessionUse {
    const now = this.#clock();
    return { ...endsAt(now), now, notedBefore: now - TOUCH_MS };
  }

  /** The live sessions of a user, newest first. */
  list(userId: number): Work<ListedSession[]> {
    return listSessions(userId, endsAt(this.#clock()));
  }

  /** Ends a session of that user; false if the user has no such session. */
  end(id: number, userId: number): Work<boolean> {
    return endSession(id, userId);
  }
}

/** The hash by which the session of a secret is stored, or null if it is none. */
export function sessionHashOf(secret: string): Uint8Array | null {
  return SECRET.test(secret) ? hashSecret(secret) : null;
}

function* touch(id: number, now: number): Work<void> {
  try {
    yield* touchSession(id, now);
  } catch (error) {
    // The next request tries again.
    if (!isDatabaseBusy(error)) throw error;
  }
}

const endsAt = (now: number): SessionEnds => ({
  createdBefore: now - SESSION_MS,
  usedBefore: now - IDLE_MS,
});
