import { loadAssets, PAGE } from "./assets.ts";
import { BourseError } from "#domain/errors.ts";
import { closest } from "#lib/closest.ts";
import { lazy } from "#lib/lazy.ts";
import type { Log } from "#lib/log.ts";
import { reportError } from "#operations/report-error.ts";
import { contentHeaders, encode } from "./answers.ts";
import { SECURITY_HEADERS } from "./console-assets.ts";
import { errorAnswer } from "./console-answers.ts";
import { type Encoding, encodingFor, isHeld, weakEtag } from "./headers.ts";
import { addBaseToHtml, addBaseToMarkdown, addressOf, basePathOf } from "./service-address.ts";

/** The path of a page, `operating` or `operating.md`; empty for `/docs`. The URL begins with the `Host` header if that is a host. */
const DOCS_PATH =
  /^(?:https?:\/\/[^/?#]*)?\/(?:docs(?:\/([^?#]*))?|(llms(?:-full)?\.txt|robots\.txt))(?:[?#]|$)/;

const HTML = "text/html; charset=utf-8";
const STYLE = "docs.css";
const COLLECTION = "bourse.postman_collection.json";
const TEXT = "text/plain; charset=utf-8";
/** Nothing of a service at home is for a search engine. */
const ROBOTS = "User-agent: *\nDisallow: /\n";
/** Longer searches are cut. */
const MAX_QUERY = 100;

/** A text that was made, with its tag and the bodies that were sent so far. */
interface Sendable {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly tag: string;
  readonly bodies: Map<Encoding, Blob>;
}

/**
 * The answer to a request for the documentation, or null for another path. It needs no sign-in, because the
 * repository has the same texts.
 */
export function answerDocs(
  request: Request,
  { log, publicUrl }: { readonly log: Log; readonly publicUrl?: string | null | undefined },
): Promise<Response> | null {
  const [, path = "", file] = DOCS_PATH.exec(request.url) ?? [];
  if (!DOCS_PATH.test(request.url) || request.method === "OPTIONS") return null;
  if (request.method !== "GET" && request.method !== "HEAD") {
    const error = new BourseError("method_not_allowed", "This path answers GET and HEAD only.");
    return Promise.resolve(errorAnswer(error, { Allow: "GET, HEAD" }));
  }
  const answered =
    path === COLLECTION
      ? answerCollection(request, publicUrl ?? addressOf(request))
      : answer(request, file ?? path, basePathOf(publicUrl));
  return answered.catch((thrown) => errorAnswer(reportError(thrown, log)));
}

/** Made for each request, because the address in it is the one of the caller. */
async function answerCollection(request: Request, address: string): Promise<Response> {
  const { createCollection } = await import("./collection.ts");
  const collection = JSON.stringify(createCollection(address), null, 2);
  return send(request, sendableOf(200, "application/json", collection));
}

async function answer(request: Request, path: string, base: string): Promise<Response> {
  // Not by URL: the address begins with the Host header, which any text can be.
  const written = /\?([^#]*)/.exec(request.url)?.[1];
  const query = new URLSearchParams(written).get("q")?.trim().slice(0, MAX_QUERY) ?? "";
  const { site, made } = await documentation();
  // A process has one base path, but its tests have several.
  const key = `${base} ${path}`;
  let sendable = made.get(key);
  if (path === "" && query !== "")
    sendable = sendableOf(200, HTML, addBaseToHtml(await site.search(query), base));
  else if (!sendable) {
    sendable = withBase(await site.make(path), base);
    // Any path could be asked for, so only topics are kept.
    if (sendable.status === 200) made.set(key, sendable);
  }
  return send(request, sendable);
}

/** The page with its links below the base path. */
function withBase(page: Sendable, base: string): Sendable {
  const { status, type, text } = page;
  if (base === "" || type.startsWith("text/css")) return page;
  const add = type === HTML ? addBaseToHtml : addBaseToMarkdown;
  return sendableOf(status, type, add(text, base));
}

/** The pages, whose texts are loaded with the first request. */
const documentation = lazy(async () => ({
  site: await createSite(),
  made: new Map<string, Sendable>(),
}));

async function createSite() {
  const [docs, { search }, { loadPages, listSections, siteMarkdown }, style] = await Promise.all([
    import("#docs/site.ts"),
    import("#docs/search.ts"),
    import("#docs/page.ts"),
    import("#docs/docs.css", { with: { type: "text" } }),
  ]);
  const pages = await loadPages();
  const styles = lazy(async () => [...(await listConsoleStyles()), `/docs/${STYLE}`]);
  const sections = lazy(() => pages.flatMap(listSections));
  return {
    search: async (query: string) =>
      docs.searchPage(query, search(sections(), query), await styles()),
    async make(path: string): Promise<Sendable> {
      if (path === STYLE) return sendableOf(200, "text/css; charset=utf-8", style.default);
      if (path === "robots.txt") return sendableOf(200, TEXT, ROBOTS);
      if (path === "llms.txt") return sendableOf(200, TEXT, docs.llmsText());
      if (path === "llms-full.txt")
        return sendableOf(200, TEXT, pages.map((page) => siteMarkdown(page, ".md")).join("\n\n"));
      if (path === "") return sendableOf(200, HTML, docs.indexPage(await styles()));
      const name = path.replace(/(\.md|\/)$/, "");
      const page = pages.find(({ topic }) => topic.name === name);
      if (page && path.endsWith(".md"))
        return sendableOf(200, "text/markdown; charset=utf-8", siteMarkdown(page, ".md"));
      if (page) return sendableOf(200, HTML, docs.topicPage(page, await styles()));
      const near = closest(
        name,
        pages.map(({ topic }) => topic.name),
      );
      return sendableOf(404, HTML, docs.unknownPage(near, await styles()));
    },
  };
}

/** The paths of the console's styles, from its page: they are other ones in each version. */
async function listConsoleStyles(): Promise<string[]> {
  const page = (await loadAssets()).find(({ path }) => path === PAGE);
  const html = new TextDecoder().decode(page?.bytes);
  return [...html.matchAll(/<link\b[^>]*\brel="stylesheet"[^>]*>/g)].flatMap(
    ([link]) => /\bhref="([^"]+)"/.exec(link)?.[1] ?? [],
  );
}

function sendableOf(status: number, type: string, text: string): Sendable {
  return { status, type, text, tag: `"${Bun.hash(text).toString(36)}"`, bodies: new Map() };
}

/** Browsers ask again each time, so that a page never outlives its version; mostly the answer is 304. */
function send(request: Request, { status, type, text, tag, bodies }: Sendable): Response {
  const headers = { ...SECURITY_HEADERS, ETag: weakEtag(tag), "Cache-Control": "no-cache" };
  if (isHeld(request, tag)) return new Response(null, { status: 304, headers });
  const encoding = encodingFor(request, text.length);
  const body = bodies.get(encoding) ?? encode(text, encoding);
  bodies.set(encoding, body);
  return new Response(request.method === "HEAD" ? null : body, {
    status,
    headers: { ...headers, ...contentHeaders(type, encoding) },
  });
}
