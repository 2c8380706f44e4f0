import { Type } from "@sinclair/typebox";
import type { Country } from "./country.ts";
import type { InstrumentKey } from "./instrument.ts";
import { DateText, type Static, StringEnum } from "./schema.ts";
import { DocumentName, MAX_CONDITION } from "./user-list.ts";

/** Channels that an alert can send to, which are all that a user can have. */
export const MAX_CHANNELS = 10;

/** What a channel can be. */
export const CHANNEL_KINDS = ["webhook", "ntfy", "mail"] as const;

const TIME = "([01]\\d|2[0-3]):[0-5]\\d";

/** A rule of a user that makes messages. */
export const Alert = Type.Object(
  {
    name: DocumentName,
    title: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 120,
        description: "Text of 1 to 120 characters, in the words of the user.",
      }),
    ),
    watch: Type.Optional(
      Type.String({
        pattern: "^([A-Z]{2}:[^\\s,]{1,32}|list:[a-z0-9]+(-[a-z0-9]+)*)$",
        maxLength: 60,
        description: "An instrument or a list: US:AAPL, list:semis.",
      }),
    ),
    when: Type.String({
      minLength: 1,
      maxLength: MAX_CONDITION,
      description:
        "A condition, an event or a brief: price<380, earnings in 1d, brief daily 07:30.",
    }),
    repeat: StringEnum(["once", "again"], {
      description: "One of once and again, which is again after the condition was false.",
    }),
    to: Type.Array(DocumentName, {
      maxItems: MAX_CHANNELS,
      uniqueItems: true,
      description: `Names of at most ${MAX_CHANNELS} channels of the user.`,
    }),
    quiet: Type.Optional(
      Type.String({
        pattern: `^${TIME}-${TIME}$`,
        description: "Hours without deliveries in the time zone of the user: 22:00-07:00.",
      }),
    ),
    paused: Type.Optional(Type.Literal(true, { description: "true, or left out." })),
    /** The UTC date on which its watch and its condition were written. */
    since: DateText,
  },
  { additionalProperties: false },
);
export type Alert = Static<typeof Alert>;

/** A way by which messages leave: a webhook, a topic of ntfy or a mailbox. */
export const Channel = Type.Object(
  {
    name: DocumentName,
    kind: StringEnum(CHANNEL_KINDS, { description: `One of ${CHANNEL_KINDS.join(", ")}.` }),
    url: Type.Optional(
      Type.String({
        maxLength: 500,
        pattern: "^https?://[^\\s]+$",
        description: "The address of a webhook, or of a topic of ntfy: https://ntfy.sh/my-topic.",
      }),
    ),
    address: Type.Optional(
      Type.String({
        maxLength: 254,
        pattern: '^[^\\s@<>",;]+@[^\\s@<>",;]+$',
        description: "The address of a mailbox: anna@example.com.",
      }),
    ),
    secret: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: "^[\\x21-\\x7e]+$",
        description: "The secret of a webhook (whsec_…), or a token of ntfy.",
      }),
    ),
    stopped: Type.Optional(
      Type.String({
        maxLength: 300,
        description: "Why nothing is sent to it. Left out, messages are sent again.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type Channel = Static<typeof Channel>;

/** What a message is about. */
export type MessageKind =
  | "condition"
  | "event"
  | "thesis"
  | "brief"
  // A rule fired too often.
  | "paused"
  // A channel refused all messages.
  | "stopped"
  | "test";

/** Where a delivery is: `due` ones are tried again, the others have ended. */
export type DeliveryState = "due" | "sent" | "failed";

/** The name under which the state of the theses of a list is stored. No alert can have it. */
export const alertOfTheses = (list: string): string => `list:${list}`;

/** The instrument of a watch: US:AAPL. Null for a list. */
export function instrumentOfWatch(watch: string): InstrumentKey | null {
  const [country = "", symbol = ""] = watch.split(/:(.*)/s);
  return country === "list" ? null : { country: country as Country, symbol };
}
