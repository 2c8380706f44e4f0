import type { Channel } from "#domain/alert.ts";
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
const CHATS: Readonly<Record<string, (text: string) => object>> = {
  "discord.com": toDiscord,
  "discordapp.com": toDiscord,
  "hooks.slack.com": (text) => ({ text: cutToLength(escapeSlack(text), MOST_OF_SLACK) }),
};

/**
 * The request of Standard Webhooks 1.0 for a message. Discord and Slack get their own bodies.
 *
 * @param now UTC milliseconds
 */
export async function createWebhookRequest(
  { url = "", secret = "" }: Channel,
  message: OutgoingMessage,
  now: number,
): Promise<ChannelRequest> {
  const chat = CHATS[new URL(url).hostname];
  const body = JSON.stringify(chat ? chat(textOf(message)) : toBody(message));
  const timestamp = String(Math.floor(now / 1_000));
  const key = readWebhookSecret(secret);
  return {
    headers: {
      "Content-Type": "application/json",
      "webhook-id": message.id,
      "webhook-timestamp": timestamp,
      ...(key && { "webhook-signature": await signWebhook(key, message.id, timestamp, body) }),
    },
    body,
  };
}

/** The signature of Standard Webhooks: `v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`. */
export async function signWebhook(
  key: Uint8Array<ArrayBuffer>,
  id: string,
  timestamp: string,
  body: string,
): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  const text = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  return `v1,${new Uint8Array(await crypto.subtle.sign("HMAC", imported, text)).toBase64()}`;
}

/** The body of a webhook: see `webhook-body.ts`. */
export function toBody({ alert, kind, at, title, body, link, facts }: OutgoingMessage): object {
  return {
    type: `alert.${kind}`,
    timestamp: new Date(at).toISOString(),
    data: { alert, title, text: body, link, facts },
  };
}

const textOf = ({ title, body, link }: OutgoingMessage) =>
  [title, body, link].filter(Boolean).join("\n");

/** Without mentions, so that no text can call everyone in a channel. */
function toDiscord(text: string): object {
  return { content: cutToLength(text, MOST_OF_DISCORD), allowed_mentions: { parse: [] } };
}

/** The three characters that Slack reads as its own marks. */
const escapeSlack = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
