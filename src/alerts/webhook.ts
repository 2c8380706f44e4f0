import type { Channel } from "#domain/alert.ts";
import type { JsonSchema } from "#domain/schema.ts";
import { readWebhookSecret } from "./channel.ts";
import { cutToLength, type OutgoingMessage } from "./outgoing.ts";

/** A request to a channel. */
export interface ChannelRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The most characters of a message in Discord, and in Slack before it cuts. */
const MOST_OF_DISCORD = 2_000;
const MOST_OF_SLACK = 4_000;

/** Hosts that want a body of their own. */
const CHATS: ReadonlyMap<string, (message: OutgoingMessage) => object> = new Map([
  ["discord.com", toDiscord],
  ["discordapp.com", toDiscord],
  ["hooks.slack.com", toSlack],
  ["hooks.slack-gov.com", toSlack],
]);

/**
 * The request of Standard Webhooks 1.0 for a message. Discord and Slack get their own bodies.
 *
 * @param now UTC milliseconds
 */
export function createWebhookRequest(
  { url = "", secret = "" }: Channel,
  message: OutgoingMessage,
  now: number,
): ChannelRequest {
  const chat = chatOf(new URL(url));
  const body = JSON.stringify(chat ? chat(message) : toBody(message));
  const timestamp = String(Math.floor(now / 1_000));
  const key = readWebhookSecret(secret);
  return {
    headers: {
      "Content-Type": "application/json",
      "webhook-id": message.id,
      "webhook-timestamp": timestamp,
      ...(key && { "webhook-signature": signWebhook(key, message.id, timestamp, body) }),
    },
    body,
  };
}

/** How a chat wants a message; undefined for other hosts. Discord's previews of new versions have hosts of their own. */
function chatOf({ hostname, pathname }: URL) {
  const chat = CHATS.get(hostname.replace(/^(?:canary|ptb)\.(?=discord)/, ""));
  // Discord takes the body of Slack there.
  return chat === toDiscord && /\/slack\/?$/.test(pathname) ? toSlack : chat;
}

/** The signature of Standard Webhooks: `v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`. */
export function signWebhook(key: Uint8Array, id: string, timestamp: string, body: string): string {
  const hasher = new Bun.CryptoHasher("sha256", Buffer.from(key));
  return `v1,${hasher.update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

/** The kinds of messages that leave. That a channel was stopped is shown in the console only. */
const KINDS: Readonly<Record<Exclude<OutgoingMessage["kind"], "stopped">, true>> = {
  condition: true,
  event: true,
  thesis: true,
  brief: true,
  paused: true,
  several: true,
  test: true,
};

/** The headers of a webhook, each with a sentence. */
export const WEBHOOK_HEADERS = {
  "webhook-id": "The id of the message, the same at each attempt: drop a second copy.",
  "webhook-timestamp": "Unix seconds of the attempt.",
  "webhook-signature":
    "`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body` with the secret of the channel.",
} as const;

/** The JSON schema of the body of a webhook. @param item the schema of a message in another: `{ $ref: "#" }` */
export const webhookSchema = (item: JsonSchema): JsonSchema => ({
  type: "object",
  required: ["type", "timestamp", "data"],
  properties: {
    type: { enum: Object.keys(KINDS).map((kind) => `alert.${kind}`) },
    timestamp: { type: "string", format: "date-time" },
    data: {
      type: "object",
      required: ["alert", "title", "text", "link", "facts"],
      properties: {
        alert: { type: "string", description: "Name of the alert, empty without one." },
        title: { type: "string" },
        text: { type: "string" },
        link: { type: ["string", "null"], format: "uri" },
        facts: {
          type: "object",
          properties: {
            messages: {
              description: "The messages of alert.several.",
              type: "array",
              items: item,
            },
          },
        },
      },
    },
  },
});

/** The body of a webhook: its type, when it happened, and its data. */
export function toBody({ alert, kind, at, title, body, link, facts }: OutgoingMessage): object {
  return {
    type: `alert.${kind}`,
    timestamp: new Date(at).toISOString(),
    data: { alert, title, text: body, link, facts },
  };
}

/** Title, text and link. Only the text is cut. */
function textOf({ title, body, link }: OutgoingMessage, most: number): string {
  const rest = most - title.length - (link?.length ?? 0) - 2;
  return [title, cutToLength(body, rest), link].filter(Boolean).join("\n");
}

/** Without mentions, so that no text can call everyone in a channel. */
function toDiscord(message: OutgoingMessage): object {
  return { content: textOf(message, MOST_OF_DISCORD), allowed_mentions: { parse: [] } };
}

function toSlack(message: OutgoingMessage): object {
  return { text: escapeSlack(textOf(message, MOST_OF_SLACK)) };
}

/** The three characters that Slack reads as its own marks. */
const escapeSlack = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
