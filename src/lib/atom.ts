// News feeds as text: Atom, RFC 4287, with ids by RFC 4151.

/** Something that happened. */
export interface NewsEntry {
  /** The same in every version of the entry, and in no other entry. It may have any characters. */
  readonly uid: string;
  /** When it happened, UTC milliseconds. It is also when the entry changed, so that readers show it once. */
  readonly at: number;
  readonly title: string;
  /** Plain text. */
  readonly text: string;
  readonly category: string;
  /** The address of a page about it; null or left out without one. */
  readonly link?: string | null;
}

/** A news feed. */
export interface NewsFeed {
  /** What distinguishes it from other feeds. */
  readonly uid: string;
  readonly title: string;
  readonly subtitle: string;
  readonly author: string;
  /** Newest first. */
  readonly entries: readonly NewsEntry[];
  /** When it changed, UTC milliseconds, if it has no entries. */
  readonly emptyAt: number;
}

/** A news feed as Atom. */
export function formatAtom({ uid, title, subtitle, author, entries, emptyAt }: NewsFeed): string {
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    element("id", idOf(uid)),
    element("title", title),
    ...(subtitle === "" ? [] : [element("subtitle", subtitle)]),
    element("updated", instant(entries[0]?.at ?? emptyAt)),
    `<author>${element("name", author)}</author>`,
    ...entries.map(
      (entry) =>
        `<entry>${[
          element("id", idOf(entry.uid)),
          element("title", entry.title),
          element("updated", instant(entry.at)),
          element("published", instant(entry.at)),
          `<category term="${escapeXml(entry.category)}"/>`,
          ...(entry.link ? [`<link href="${escapeXml(entry.link)}"/>`] : []),
          element("content", entry.text),
        ].join("")}</entry>`,
    ),
    "</feed>",
  ];
  return `${lines.join("\n")}\n`;
}

const element = (name: string, text: string) => `<${name}>${escapeXml(text)}</${name}>`;
const idOf = (uid: string) => `tag:bourse,2026:${encodeURIComponent(uid)}`;
const instant = (utcMs: number) => new Date(utcMs).toISOString();

/** Text without the control characters that XML 1.0 has no form for. */
function escapeXml(text: string): string {
  return Bun.escapeHTML(text.toWellFormed().replaceAll(/[^\P{Cc}\n\t]|[\ufffe\uffff]/gu, ""));
}
