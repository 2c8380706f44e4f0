import type { Channel } from "#domain/alert.ts";
import { BourseError } from "#domain/errors.ts";
import type { UserSettings } from "#domain/user-settings.ts";
import { createMessageId } from "#store/alerts.ts";
import { DELIVERIES } from "./limits.ts";
import { writeMessage } from "./outgoing.ts";
import { send, type SendParts } from "./send.ts";

const MINUTE_MS = 60_000;

/** What came of a test. */
export interface ChannelTest {
  readonly isSent: boolean;
  /** What the receiver answers, or what is wrong, in one sentence without a secret. */
  readonly said: string;
}

/** What a test needs. */
export interface ChannelTestParts extends SendParts {
  /** Where clients reach the service; null if it is not known. */
  readonly publicUrl: string | null;
}

/** Sends test messages, at most as many in a minute to a user as there are deliveries. */
export class ChannelTests {
  readonly #parts: ChannelTestParts;
  /** When the last tests of each user were, UTC milliseconds. */
  readonly #times = new Map<string, number[]>();

  constructor(parts: ChannelTestParts) {
    this.#parts = parts;
  }

  /** Sends a test to a channel of a user at once, also to one that is stopped. @throws BourseError `rate_limited` */
  async test(user: string, channel: Channel, settings: UserSettings): Promise<ChannelTest> {
    const now = this.#parts.clock();
    this.#count(user, now);
    const facts = { kind: "test", channel: channel.name } as const;
    const message = { id: createMessageId(), alert: "", at: now, facts };
    const outgoing = writeMessage(message, settings, this.#parts.publicUrl);
    const outcome = await send(this.#parts, channel, outgoing);
    return outcome.is === "sent"
      ? { isSent: true, said: outcome.said }
      : { isSent: false, said: outcome.error };
  }

  #count(user: string, now: number): void {
    for (const [name, times] of this.#times) {
      const fresh = times.filter((at) => at > now - MINUTE_MS && at <= now);
      if (fresh.length > 0) this.#times.set(name, fresh);
      else this.#times.delete(name);
    }
    const times = this.#times.get(user) ?? [];
    if (times.length >= DELIVERIES.perMinute)
      throw new BourseError(
        "rate_limited",
        `A user may test channels ${DELIVERIES.perMinute} times a minute. Wait a minute.`,
      );
    this.#times.set(user, [...times, now]);
  }
}
