import { CLIENT_FILES } from "#clients/index.ts";
import { type Topic, TOPICS } from "./topics.ts";

/** Where a link of a topic leads. */
export type Target =
  | { readonly topic: Topic; readonly anchor: string }
  /** A file of the repository that is no topic. */
  | { readonly file: string }
  | { readonly url: string };

/** A link, a code span or a code block. Links within code are text. */
const LINK_OR_CODE =
  /^ *(`{3,}).*\n[\s\S]*?^ *\1 *$|(?<!`)(`+)(?!`)[\s\S]*?[^`]\2(?!`)|\[([^[\]]*)\]\(([^()\s]+)\)/gm;

/** The Markdown with every link as `write` gives it. */
export function replaceLinks(
  markdown: string,
  topic: Topic,
  write: (text: string, target: Target) => string,
): string {
  return markdown.replaceAll(LINK_OR_CODE, (whole, _block, _span, text?: string, href?: string) =>
    text === undefined || href === undefined ? whole : write(text, targetOf(topic, href)),
  );
}

/** Where the address of a link leads, which starts from the topic's file. */
export function targetOf(topic: Topic, href: string): Target {
  if (/^[a-z]+:/.test(href)) return { url: href };
  const { pathname, hash } = new URL(href, `file:///${topic.file}`);
  const file = decodeURIComponent(pathname.slice(1));
  const linked = TOPICS.find((one) => one.file === file);
  if (linked) return { topic: linked, anchor: hash };
  const handedOut = CLIENT_FILES.find(({ name }) => file === `src/clients/${name}`);
  return handedOut ? { url: `/clients/${handedOut.name}` } : { file };
}

/** A link to a file of the repository as text: its path, beside the words of the link if they do not name it. */
export function writeFile(text: string, file: string): string {
  const path = `\`${file}\``;
  return file.endsWith(text.replaceAll("`", "")) ? path : `${text} (${path})`;
}
