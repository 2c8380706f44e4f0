import type { Channel } from "#domain/alert.ts";
import { cutToBytes, type OutgoingMessage } from "./outgoing.ts";
import type { ChannelRequest } from "./webhook.ts";

/** A longer body arrives as an attached file. */
const MOST_BYTES = 4_096;
/** Characters of a line of RFC 2047 that hold a word, without its marks. */
const WORD_CHARACTERS = 60;

/** Priorities of ntfy: 2 is low, 3 the default, 4 high. */
const PRIORITIES: Readonly<Record<string, string>> = { thesis: "4", brief: "2" };

/** The emoji of ntfy that a message shows, by its kind. */
const TAGS: Readonly<Record<string, string>> = {
  event: "calendar",
  thesis: "warning",
  brief: "newspaper",
};

/** The request that publishes a message on a topic of ntfy. */
export function createNtfyRequest({ secret }: Channel, message: OutgoingMessage): ChannelRequest {
  const { id, kind, title, body, link } = message;
  return {
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      Title: encodeHeader(title),
      Priority: PRIORITIES[kind] ?? "3",
      Tags: TAGS[kind] ?? "chart_with_upwards_trend",
      // A message that is sent again replaces the first one on the phone, since ntfy 2.16.
      "X-Sequence-ID": id,
      ...(link !== null && { Click: link }),
      ...(secret !== undefined && { Authorization: `Bearer ${secret}` }),
    },
    // Without a body, ntfy shows "triggered".
    body: cutToBytes(body || title, MOST_BYTES),
  };
}

/** A text as a header: ASCII as it is, else in words of RFC 2047, which ntfy decodes. */
export function encodeHeader(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.includes("=?")) return text;
  const words: string[] = [""];
  for (const character of text) {
    const word = words.at(-1) + character;
    if (Buffer.byteLength(word) * (4 / 3) > WORD_CHARACTERS) words.push(character);
    else words[words.length - 1] = word;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`).join(" ");
}
