import { type Page, listSections, pageHtml } from "./page.ts";
import type { Hit } from "./search.ts";
import { GROUPS, type Topic, TOPICS } from "./topics.ts";

const { escapeHTML } = Bun;

const ABOUT =
  "Markets data for the United States, Japan and Viet Nam that you run yourself: REST, MCP and a console.";

/** The addresses of the styles of every page. */
export type Styles = readonly string[];

/** The page of a topic. */
export function topicPage(page: Page, styles: Styles): string {
  const { name } = page.topic;
  const html = pageHtml(page);
  const parts = listSections(page).slice(1);
  const contents = parts
    .map(({ id, heading }) => `<li><a href="#${id}">${escapeHTML(heading)}</a></li>`)
    .join("");
  const list =
    contents &&
    `<details class="docs-contents"><summary>On this page</summary><ul>${contents}</ul></details>`;
  const body = [
    html.replace("</h1>", () => `</h1>\n${list}`),
    `<p class="docs-source">${html.includes("<code>src/") ? "Paths such as <code>src/…</code> are in the repository. " : ""}This page as <a href="/docs/${name}.md">Markdown</a>. In a terminal: <code>bourse help ${name}</code></p>`,
  ].join("\n");
  return documentOf({ title: page.topic.title, body, styles, current: page.topic });
}

/** The list of all topics. */
export function indexPage(styles: Styles): string {
  const body = [
    "<h1>Documentation</h1>",
    `<p>${ABOUT}</p>`,
    ...GROUPS.map(
      (group) =>
        `<h2>${group}</h2><dl class="docs-index">${inGroup(group)
          .map(
            (topic) =>
              `<dt><a href="/docs/${topic.name}">${escapeHTML(topic.title)}</a></dt><dd>${escapeHTML(topic.summary)}.</dd>`,
          )
          .join("")}</dl>`,
    ),
    '<p class="docs-source">For agents: <a href="/llms.txt">llms.txt</a>. In a terminal: <code>bourse help</code></p>',
  ].join("\n");
  return documentOf({ title: "Documentation", body, styles });
}

/** What a search found. */
export function searchPage(query: string, hits: readonly Hit[], styles: Styles): string {
  const items = hits.map(({ section: { page, id, heading }, excerpt }) => {
    const text = excerpt
      .map((piece, i) => (i % 2 === 1 ? `<mark>${escapeHTML(piece)}</mark>` : escapeHTML(piece)))
      .join("");
    return `<li><a href="/docs/${page.topic.name}#${id}">${escapeHTML(heading)}</a> <span class="muted">${escapeHTML(page.topic.title)}</span><p>${text}</p></li>`;
  });
  const body = [
    "<h1>Search</h1>",
    hits.length === 0
      ? `<p>No part of the documentation has all words of “${escapeHTML(query)}”. Use fewer or shorter words.</p>`
      : `<ol class="docs-hits">${items.join("")}</ol>`,
  ].join("\n");
  return documentOf({ title: `Search: ${query}`, body, styles, query });
}

/** The answer for a name that no topic has. */
export function unknownPage(near: string | null, styles: Styles): string {
  const hint =
    near === null
      ? "Choose a topic of the menu, or search."
      : `Did you mean <a href="/docs/${near}">${near}</a>?`;
  const body = `<h1>Unknown topic</h1><p>The documentation has no topic with this name. ${hint}</p>`;
  return documentOf({ title: "Unknown topic", body, styles });
}

/** The documentation for agents: https://llmstxt.org */
export function llmsText(): string {
  const line = (topic: Topic) => `- [${topic.title}](docs/${topic.name}.md): ${topic.summary}`;
  return [
    "# bourse",
    "",
    `> ${ABOUT}`,
    "",
    "Calls need a bearer token. MCP is at `/api/v1/svc/mcp`, REST below `/api/v1/svc`.",
    ...GROUPS.flatMap((group) => ["", `## ${group}`, "", ...inGroup(group).map(line)]),
    "",
    "## API",
    "",
    "- [All pages in one text](llms-full.txt)",
    "- [OpenAPI 3.1](api/v1/svc/openapi.json): every operation with its arguments and its answer",
    "- [Collection](docs/bourse.postman_collection.json): a request for each operation, for Postman, Bruno and Insomnia",
    "",
  ].join("\n");
}

const inGroup = (group: Topic["group"]): Topic[] => TOPICS.filter((topic) => topic.group === group);

interface Parts {
  readonly title: string;
  /** HTML. */
  readonly body: string;
  readonly styles: Styles;
  readonly current?: Topic;
  readonly query?: string;
}

function documentOf({ title, body, styles, current, query = "" }: Parts): string {
  const menu = GROUPS.map(
    (group) =>
      `<h2>${group}</h2><ul>${inGroup(group)
        .map((topic) => {
          const mark = topic === current ? ' aria-current="page"' : "";
          return `<li><a href="/docs/${topic.name}"${mark}>${escapeHTML(topic.title)}</a></li>`;
        })
        .join("")}</ul>`,
  ).join("");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${escapeHTML(title)} · bourse</title>
${current ? `<link rel="alternate" type="text/markdown" href="/docs/${current.name}.md">\n` : ""}${styles.map((href) => `<link rel="stylesheet" href="${href}">`).join("\n")}
</head>
<body class="docs">
<a class="docs-skip" href="#content">Skip to the content</a>
<header class="docs-head">
<a class="docs-brand" href="/docs">bourse <span class="muted">docs</span></a>
<form action="/docs" role="search"><input type="search" name="q" value="${escapeHTML(query)}" maxlength="100" aria-label="Search the documentation" placeholder="Search"><button>Search</button></form>
<a href="/console">Console</a>
</header>
<div class="docs-body">
<nav aria-label="Topics">${menu}</nav>
<main id="content" tabindex="-1">
${body}
</main>
</div>
</body>
</html>
`;
}
