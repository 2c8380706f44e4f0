import type { UserSettings } from "#domain/user-settings.ts";
import type { OutgoingMessage } from "./outgoing.ts";
import { toBody } from "./webhook.ts";

/** How several messages are announced, by language. */
const WORDS = {
  en: {
    title: (count: number) => `${count} messages`,
    why: "They come together, because more were due than are sent in a minute or a day.",
  },
  ja: {
    title: (count: number) => `${count}件のメッセージ`,
    why: "1分または1日に送れる数を超えたため、まとめてお送りします。",
  },
  vi: {
    title: (count: number) => `${count} tin nhắn`,
    why: "Các tin được gửi chung vì vượt quá số tin gửi trong một phút hoặc một ngày.",
  },
} as const;

/** Several messages as one, which has the id of the first. Every text is in it; a channel cuts what is too long for it. */
export function joinMessages(
  id: string,
  messages: readonly OutgoingMessage[],
  { language = "en" }: UserSettings,
): OutgoingMessage {
  const { title, why } = WORDS[language as keyof typeof WORDS] ?? WORDS.en;
  return {
    id,
    alert: "",
    kind: "several",
    at: Math.max(...messages.map(({ at }) => at)),
    title: title(messages.length),
    // The titles come first, because a channel may cut the end.
    body: [
      why,
      messages.map((one) => `• ${one.title}`).join("\n"),
      ...messages.filter(({ body }) => body !== "").map((one) => `${one.title}\n${one.body}`),
    ].join("\n\n"),
    link: null,
    facts: { messages: messages.map(toBody) },
  };
}
