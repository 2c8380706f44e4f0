import type { Awaitable } from "#lib/awaitable.ts";
import type { Alert, Channel, DeliveryState, MessageKind } from "./alert.ts";

/** A rule with what is known of it. */
export interface AlertWithState extends Alert {
  /** How many instruments meet the condition, do not meet it, or are not known well enough. */
  readonly states: { readonly true: number; readonly false: number; readonly unknown: number };
  /** Since when the condition of one instrument is known to hold, UTC milliseconds; null if it does not, or for a list. */
  readonly trueSince: number | null;
  /** For how many instruments a rule that fires once has fired; 0 for a rule that fires again. */
  readonly done: number;
}

/** A channel without its secret, and without the path of its URL, which can be a secret too. */
export interface ShownChannel extends Pick<Channel, "name" | "kind" | "stopped"> {
  /** The host of its URL, or the address of its mailbox. */
  readonly where: string;
}

/** A delivery of a message. */
export interface ShownDelivery {
  readonly channel: string;
  readonly state: DeliveryState;
  /** What went wrong at the last attempt; null without an error. */
  readonly error: string | null;
}

/** A message of a rule. */
export interface AlertMessage {
  /** `msg_…` */
  readonly id: string;
  /** The name of the rule; `list:NAME` of a thesis. */
  readonly alert: string;
  readonly kind: MessageKind;
  /** UTC milliseconds. */
  readonly at: number;
  /** JSON of what it says. */
  readonly facts: unknown;
  readonly deliveries: readonly ShownDelivery[];
}

/** The alerts of one user. Their rules and channels are saved as `OwnDocuments`. */
export interface OwnAlerts {
  /** The rules by name. */
  list(): Awaitable<readonly AlertWithState[]>;
  /** The channels by name. */
  channels(): Awaitable<readonly ShownChannel[]>;
  /** The newest messages first. */
  messages(page: MessagesPage): Awaitable<readonly AlertMessage[]>;
}

/** A part of the messages of a user. */
export interface MessagesPage {
  /** Only messages of this rule. */
  readonly alert?: string | null;
  /** Only messages before this one. */
  readonly before?: Pick<AlertMessage, "at" | "id"> | null;
  readonly limit: number;
}
