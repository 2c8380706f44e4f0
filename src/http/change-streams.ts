import type { Session } from "#access/sessions.ts";
import type { SignIn } from "#access/sign-in.ts";
import { BourseError, unavailable } from "#domain/errors.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import type { Log } from "#lib/log.ts";
import { CACHE_MS } from "#operations/execute.ts";
import { IDLE_SECONDS } from "./time-limits.ts";

/** How often a stream shows that it is alive: twice before Bun would close its connection. */
const BEAT_MS = (IDLE_SECONDS * 1_000) / 2;
/** A version is told when no answer from before is cached, and so seldom that pages stay below their limits. */
const TELL_MS = 2 * CACHE_MS;
/** Streams of one user, over all sessions. Only visible pages have one. */
const MAX_PER_USER = 12;

const ENCODER = new TextEncoder();
/** A comment, which browsers ignore. */
const BEAT = ENCODER.encode(":\n\n");

/** The two pieces of a stream that shows if a proxy passes on each piece as it comes. */
export const STREAM_PIECES = [": first\n\n", ": last\n\n"] as const;
/** The second piece comes after this part of a beat. */
const PIECE_PART = 5;

/** What a stream needs of its session. */
type OfSession = Pick<Session, "id" | "userId" | "user">;

interface Listener {
  readonly session: OfSession;
  readonly stream: ReadableStreamDefaultController<Uint8Array>;
  /** What the page knows. */
  own: OwnChanges;
}

/** What changed last of a user's own data. */
export interface OwnChanges {
  /** The time of the newest message of an alert, UTC milliseconds; null without one. */
  readonly message: number | null;
  /** A text that changes with the lists, screens and settings; empty without any. */
  readonly documents: string;
}

const NOTHING: OwnChanges = { message: null, documents: "" };

interface ChangeStreamsParts {
  /** The version of this process's market: a text that changes with its records. */
  readonly findVersion: () => Promise<string>;
  readonly ownChangesOf: (user: string) => Awaitable<OwnChanges>;
  readonly signIn: Pick<SignIn, "listSessions">;
  /** UTC milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
  /** Ends all streams. */
  readonly stopping?: AbortSignal | undefined;
  readonly beatMs?: number | undefined;
}

/**
 * Streams that tell pages the version of this process's market, and what changed of the user's own data, as server-sent
 * events. A stream ends with its session and when the service stops. Without streams, nothing runs.
 */
export class ChangeStreams {
  readonly #parts: ChangeStreamsParts;
  readonly #listeners = new Set<Listener>();
  /** The version that pages know; empty before the first stream. */
  #told = "";
  /** A newer version, and when it was seen. */
  #seen: { readonly version: string; readonly at: number } | null = null;
  #timer: ReturnType<typeof setInterval> | null = null;
  #isChecking = false;

  constructor(parts: ChangeStreamsParts) {
    this.#parts = parts;
    parts.stopping?.addEventListener("abort", () => {
      for (const one of this.#listeners) this.#close(one);
    });
  }

  /**
   * A stream for the page of a session.
   *
   * @throws BourseError `unavailable` while the service stops; `rate_limited` if the user has too many
   */
  open(session: OfSession): ReadableStream<Uint8Array> {
    this.#refuse(session.userId);
    let listener: Listener | null = null;
    return new ReadableStream<Uint8Array>({
      start: async (stream) => {
        const opened: Listener = (listener = { session, stream, own: NOTHING });
        this.#listeners.add(opened);
        try {
          if (this.#told === "") this.#told = await this.#parts.findVersion();
          opened.own = await this.#parts.ownChangesOf(session.user);
        } catch (error) {
          this.#forget(opened);
          throw error;
        }
        // It may have been closed meanwhile.
        if (!this.#listeners.has(opened)) return;
        this.#timer ??= setInterval(() => this.#beat(), this.#parts.beatMs ?? BEAT_MS).unref();
        stream.enqueue(this.#event(opened));
      },
      cancel: () => {
        if (listener) this.#forget(listener);
      },
    });
  }

  /** The stream of `STREAM_PIECES`, for anyone. */
  openProbe(): ReadableStream<Uint8Array> {
    const [first, last] = STREAM_PIECES;
    let timer: ReturnType<typeof setTimeout> | undefined;
    return new ReadableStream<Uint8Array>({
      start: (stream) => {
        stream.enqueue(ENCODER.encode(first));
        timer = setTimeout(
          () => {
            stream.enqueue(ENCODER.encode(last));
            stream.close();
          },
          (this.#parts.beatMs ?? BEAT_MS) / PIECE_PART,
        ).unref();
      },
      cancel: () => clearTimeout(timer),
    });
  }

  /** Ends the streams of a session. */
  end({ id }: Pick<Session, "id">): void {
    for (const one of this.#listeners) if (one.session.id === id) this.#close(one);
  }

  #refuse(userId: number): void {
    if (this.#parts.stopping?.aborted) {
      throw unavailable("The service is stopping. Retry shortly.", { retryAfterSeconds: 5 });
    }
    const open = [...this.#listeners].filter(({ session }) => session.userId === userId).length;
    if (open < MAX_PER_USER) return;
    throw new BourseError(
      "rate_limited",
      `You have ${MAX_PER_USER} open pages that follow the market, which is the most. Close one of them.`,
      { retryAfterSeconds: 60 },
    );
  }

  /** Tells the version if it has changed, shows that the streams are alive, and ends those without a session. */
  #beat(): void {
    const isTime = this.#isTimeToTell();
    for (const one of this.#listeners) one.stream.enqueue(isTime ? this.#event(one) : BEAT);
    if (this.#isChecking) return;
    this.#isChecking = true;
    void Promise.all([this.#look(), this.#tellOwn(), this.#checkSessions()])
      .catch((error) =>
        this.#parts.log.warn("changes could not be looked for", { error: String(error) }),
      )
      .finally(() => (this.#isChecking = false));
  }

  /** True if pages should know a newer version now. */
  #isTimeToTell(): boolean {
    if (this.#seen === null || this.#parts.clock() - this.#seen.at < TELL_MS) return false;
    this.#told = this.#seen.version;
    this.#seen = null;
    return true;
  }

  /** Notes a newer version. */
  async #look(): Promise<void> {
    const version = await this.#parts.findVersion();
    if (version !== this.#told) this.#seen ??= { version, at: this.#parts.clock() };
  }

  /** Tells each page what has changed of its user's own data. */
  async #tellOwn(): Promise<void> {
    const byUser = Map.groupBy(this.#listeners, ({ session }) => session.user);
    for (const [user, listeners] of byUser) {
      const own = await this.#parts.ownChangesOf(user);
      for (const one of listeners) {
        if (Bun.deepEquals(one.own, own) || !this.#listeners.has(one)) continue;
        one.own = own;
        one.stream.enqueue(this.#event(one));
      }
    }
  }

  /** Ends the streams whose session has ended. It is no use of a session, which would last for ever. */
  async #checkSessions(): Promise<void> {
    const users = new Set([...this.#listeners].map(({ session }) => session.userId));
    for (const userId of users) {
      const live = await this.#parts.signIn.listSessions(userId);
      for (const one of this.#listeners) {
        const { session } = one;
        if (session.userId === userId && !live.some(({ id }) => id === session.id))
          this.#close(one);
      }
    }
  }

  #event({ own: { message, documents } }: Listener): Uint8Array {
    const known = {
      version: this.#told,
      ...(message !== null && { message }),
      ...(documents !== "" && { documents }),
    };
    return ENCODER.encode(`data: ${JSON.stringify(known)}\n\n`);
  }

  #close(listener: Listener): void {
    if (!this.#forget(listener)) return;
    listener.stream.close();
  }

  #forget(listener: Listener): boolean {
    const isKnown = this.#listeners.delete(listener);
    if (this.#listeners.size === 0 && this.#timer) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
    return isKnown;
  }
}
