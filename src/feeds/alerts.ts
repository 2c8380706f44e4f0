import { formatAtom } from "#lib/atom.ts";
import { type FeedBody, type FeedLayer, type FeedRequest, textBody } from "./layer.ts";

/** The most entries of the feed. */
const MAX_NEWS = 100;

/** Readers of news feeds, which show what the alerts of a user said. */
export const alerts: FeedLayer = {
  name: "alerts.atom",
  title: "news readers (Atom): the messages of your alerts",
  routes: { "/": answerNews },
  fail: ({ message, details: { hint } }) =>
    textBody(`${[message, hint].filter(Boolean).join(" ")}\n`),
};

async function answerNews({ messages, now }: FeedRequest): Promise<FeedBody> {
  const { owner, newest } = await messages(MAX_NEWS);
  const body = formatAtom({
    uid: `alerts-${owner}`,
    title: "bourse: alerts",
    subtitle: "",
    author: "bourse",
    entries: newest.map(({ id, at, kind, title, body: text, link }) => ({
      uid: id,
      at,
      title,
      text: text || title,
      category: kind,
      link,
    })),
    emptyAt: now,
  });
  return { type: "application/atom+xml; charset=utf-8", body };
}
