import type { MessageKind } from "#domain/alert.ts";
import type { UserSettings } from "#domain/user-settings.ts";
import type { AlertFacts } from "#operations/alerts/message.ts";
import { messageText } from "#operations/alerts/message-text.ts";
import type { AlertMessageRow } from "#store/alerts.ts";

/** A message as it leaves: text in the language of its user, and the facts behind it. */
export interface OutgoingMessage {
  /** `msg_…`; the same at each attempt. */
  readonly id: string;
  /** The name of the rule; empty for a test. */
  readonly alert: string;
  /** `several` for messages that are sent as one. */
  readonly kind: MessageKind | "several";
  /** When it happened, UTC milliseconds. */
  readonly at: number;
  /** One line. */
  readonly title: string;
  /** Plain text. */
  readonly body: string;
  /** The page of the console about it; null if the address of the service is not known. */
  readonly link: string | null;
  /** What is known of it, as JSON; of `several`, the messages. */
  readonly facts: unknown;
}

/**
 * A message in the words of its user.
 *
 * @param publicUrl where clients reach the service, such as `https://data.example.com`; null if it is not known
 */
export function writeMessage(
  { id, alert, at, facts }: Pick<OutgoingMessage, "id" | "alert" | "at"> & { facts: AlertFacts },
  settings: UserSettings,
  publicUrl: string | null,
): OutgoingMessage {
  const { title, body, link } = messageText(facts, settings);
  const { kind } = facts;
  const page = publicUrl && publicUrl + link;
  return { id, alert, kind, at, title, body, link: page, facts };
}

/** A stored message as `writeMessage` writes it; null for facts of another version of bourse, which have no text. */
export function readMessage(
  row: AlertMessageRow,
  settings: UserSettings,
  publicUrl: string | null,
): OutgoingMessage | null {
  try {
    return writeMessage(
      { ...row, facts: JSON.parse(row.facts) as AlertFacts },
      settings,
      publicUrl,
    );
  } catch {
    return null;
  }
}

/** What came of an attempt. */
export type Outcome =
  | {
      readonly is: "sent";
      /** What the receiver answers, for the owner of the channel. */
      readonly said: string;
    }
  | Failure;

/** Why an attempt failed, for the owner of the channel. It has no secret. */
export interface Failure {
  /** `gone`: the receiver wants no more messages. `refused`: it will never take this one. */
  readonly is: "failed" | "refused" | "gone";
  /** One sentence or two. */
  readonly error: string;
  /** How long the receiver asked to wait, in milliseconds; 0 if it did not. */
  readonly waitMs: number;
}

/** An attempt that failed and may be repeated. */
export function failed(error: string, waitMs = 0): Failure {
  return { is: "failed", error, waitMs };
}

/** The text, cut at a character so that it has at most that many bytes of UTF-8. */
export function cutToBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(most - 3));
  return `${text.slice(0, read)}…`;
}

/** The text, cut so that it has at most that many characters. */
export function cutToLength(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
