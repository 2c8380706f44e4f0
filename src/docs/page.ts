import { IS_COMPILED, SOURCE_COMMAND } from "#lib/compiled.ts";
import { replaceLinks, writeFile } from "./links.ts";
import { type Topic, TOPICS } from "./topics.ts";

/** A topic with its text. */
export interface Page {
  readonly topic: Topic;
  /**
   * As in the repository, without comments and pictures: a reader of a service has its console. An executable names
   * itself in commands.
   */
  readonly markdown: string;
}

/** A part of a page, from one heading to the next. */
export interface Section {
  readonly page: Page;
  readonly heading: string;
  /** The id of the heading. */
  readonly id: string;
  readonly text: string;
  /** The text in lower case, for the search. */
  readonly lowerText: string;
}

/** Reads a topic. */
export async function loadPage(topic: Topic): Promise<Page> {
  const { default: text } = await topic.load();
  const own = IS_COMPILED ? nameExecutable(text) : text;
  return { topic, markdown: own.replaceAll(/^(?:<!-- .* -->|!\[.*)\n+/gm, "") };
}

/**
 * A text of the repository with the commands of an executable, without the parts between `<!-- clone -->` and
 * `<!-- /clone -->`. What explains how to build the source stays.
 */
export function nameExecutable(text: string): string {
  return text
    .replaceAll(/^<!-- clone -->\n.*?^<!-- \/clone -->\n+/gms, "")
    .replaceAll(`${SOURCE_COMMAND} `, "bourse ")
    .replaceAll("npx -y bun@1.4.4 start", "bourse serve");
}

/** Reads all topics. */
export const loadPages = (): Promise<Page[]> => Promise.all(TOPICS.map(loadPage));

/** The Markdown of a page with links to other pages below `/docs`. @param suffix after the name of a topic */
export function siteMarkdown({ topic, markdown }: Page, suffix = ""): string {
  return replaceLinks(markdown, topic, (text, target) => {
    if ("url" in target) return `[${text}](${target.url})`;
    if ("file" in target) return writeFile(text, target.file);
    const path = target.topic === topic ? "" : `/docs/${target.topic.name}${suffix}`;
    return `[${text}](${path}${target.anchor})`;
  });
}

/** The page as HTML. Only these texts of our own become markup. Wide parts scroll by themselves, also by keys. */
export function pageHtml(page: Page): string {
  return Bun.markdown
    .html(siteMarkdown(page), { headings: { ids: true }, noHtmlBlocks: true, noHtmlSpans: true })
    .replaceAll("<table>", '<div class="docs-table" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll("<pre>", '<pre tabindex="0">');
}

/** The parts of a page in order. */
export function listSections(page: Page): Section[] {
  return pageHtml(page)
    .split(/(?=<h[1-6] id=")/)
    .flatMap((html) => {
      const [, id, heading = "", body = ""] =
        /^<h[1-6] id="([^"]*)">(.*?)<\/h[1-6]>(.*)$/s.exec(html) ?? [];
      if (id === undefined) return [];
      const text = textOf(body);
      return [{ page, id, heading: textOf(heading), text, lowerText: text.toLowerCase() }];
    });
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&amp;": "&",
};

/** The text of HTML that we made. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<\/?(?:p|li|t[dhr]|pre|div|h\d)\b[^>]*>/g, " ")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll(/\s+/g, " ")
    .trim();

/** The Markdown of a page for a terminal. @param help the command that prints another page: `bourse help` */
export function helpMarkdown({ topic, markdown }: Page, help: string): string {
  return replaceLinks(markdown, topic, (text, target) => {
    if ("url" in target) return target.url.startsWith("/") ? text : `[${text}](${target.url})`;
    if ("file" in target) return writeFile(text, target.file);
    return target.topic === topic ? text : `${text} (\`${help} ${target.topic.name}\`)`;
  });
}
