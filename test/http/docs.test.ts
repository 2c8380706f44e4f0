import { afterAll, describe, expect, test } from "bun:test";
import { TOPICS } from "#docs/topics.ts";
import { startService } from "../support/service.ts";

const service = await startService({ sample: false, counts: true });
afterAll(() => service.stop());
const get = (path: string, init: RequestInit = {}) => fetch(service.origin + path, init);
const PATHS = ["/docs", ...TOPICS.map(({ name }) => `/docs/${name}`)];

describe("the documentation", () => {
  test.each(PATHS)("answers %s without sign-in, under the policy of the console", async (path) => {
    const [page, shell] = await Promise.all([get(path), get("/console")]);
    expect([page.status, page.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    const names = ["content-security-policy", "x-content-type-options", "referrer-policy"];
    for (const name of names) expect(page.headers.get(name)).toBe(shell.headers.get(name));
    const html = await page.text();
    expect(html).not.toMatch(/<script|<[^>]*\s(on\w+|style)=/);
    expect(html.match(/<h1\b/g)).toHaveLength(1);
  });

  test("has links and styles that answer, and anchors that exist", async () => {
    const anchors = new Map<string, Set<string>>();
    const links = new Set<string>();
    for (const path of PATHS) {
      const html = await (await get(path)).text();
      anchors.set(path, new Set([...html.matchAll(/\bid="([^"]+)"/g)].map(([, id = ""]) => id)));
      for (const [, href = ""] of html.matchAll(/\bhref="([^"]+)"/g))
        if (!/^(https?|data):/.test(href)) links.add(new URL(href, service.origin + path).href);
    }
    const wrong: string[] = [];
    const paths = new Set<string>();
    for (const link of links) {
      const { pathname, hash } = new URL(link);
      paths.add(pathname);
      if (hash !== "" && !anchors.get(pathname)?.has(decodeURIComponent(hash.slice(1))))
        wrong.push(link);
    }
    for (const path of paths) if ((await get(path)).status !== 200) wrong.push(path);
    expect(wrong).toEqual([]);
    expect(paths.size).toBeGreaterThan(2 * TOPICS.length);
  });

  test("has each topic as Markdown, with links to Markdown that answer", async () => {
    for (const { name } of TOPICS) {
      const response = await get(`/docs/${name}.md`);
      expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
      const text = await response.text();
      expect(text).toMatch(/^# /);
      for (const [, path = ""] of text.matchAll(/\]\((\/docs\/[^)#]+)/g)) {
        expect(path).toEndWith(".md");
        expect(TOPICS.map((topic) => `/docs/${topic.name}.md`)).toContain(path);
      }
    }
  });

  test("has all pages in one text for agents, and nothing for search engines", async () => {
    const all = await (await get("/llms-full.txt")).text();
    for (const topic of ["start", "operating"])
      expect(all).toContain(await (await get(`/docs/${topic}.md`)).text());
    expect(await (await get("/robots.txt")).text()).toBe("User-agent: *\nDisallow: /\n");
  });

  test("has llms.txt in the form of llmstxt.org, with links that answer", async () => {
    const response = await get("/llms.txt");
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const text = await response.text();
    expect(text).toMatch(/^# bourse\n\n> .+\n/);
    const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)].map(([, path = ""]) => path);
    // And the OpenAPI document and the collection.
    expect(links).toHaveLength(TOPICS.length + 2);
    for (const path of links) expect((await get(`/${path}`)).status).toBe(200);
  });

  test("is asked for again each time: 304 for the tag of this text, another tag for another text", async () => {
    const tags = new Set<string>();
    for (const path of ["/docs", "/docs/start", "/docs/start.md", "/docs/docs.css", "/llms.txt"]) {
      const first = await get(path);
      expect(first.headers.get("cache-control")).toBe("no-cache");
      const etag = first.headers.get("etag") ?? "";
      tags.add(etag);
      expect((await get(path, { headers: { "if-none-match": etag } })).status).toBe(304);
      expect((await get(path, { headers: { "if-none-match": 'W/"old"' } })).status).toBe(200);
    }
    expect(tags.size).toBe(5);
  });

  test("searches, and shows the query as text", async () => {
    const html = await (await get("/docs?q=backup+restore")).text();
    expect(html).toContain('<a href="/docs/operating#backup-and-restore">');
    const hostile = await (await get(`/docs?q=${encodeURIComponent('"><b>x')}`)).text();
    expect(hostile).not.toContain("<b>x");
    expect(hostile).toContain("No part of the documentation");
  });

  test.each(["[bad", "a b", ":99999999", "127.0.0.1:99999", "example.com"])(
    "answers a client that calls this service %s",
    async (host) => {
      const { hostname, port } = new URL(service.origin);
      const { promise, resolve } = Promise.withResolvers<string>();
      let text = "";
      await Bun.connect({
        hostname,
        port: Number(port),
        socket: {
          open: (socket) =>
            void socket.write(
              `GET /docs?q=backup HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
            ),
          data: (_, bytes) => void (text += bytes.toString()),
          close: () => resolve(text),
        },
      });
      expect(await promise).toMatch(/^HTTP\/1\.1 (200 OK|400 )/);
    },
  );

  test("is counted as an interface of its own", async () => {
    await get("/docs");
    expect(await service.metrics.write()).toMatch(
      /bourse_http_requests_total\{interface="docs",operation="",status="200"\} \d/,
    );
  });

  test("answers HEAD, refuses other methods, and says which topic was meant", async () => {
    const head = await get("/docs/start", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const post = await get("/docs", { method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    for (const path of ["/docs/operatin", "/docs/operatin.md"]) {
      const unknown = await get(path);
      expect(unknown.status).toBe(404);
      expect(await unknown.text()).toContain('<a href="/docs/operating">');
    }
    expect((await get("/docs/..%2f..%2fREADME.md")).status).toBe(404);
    expect((await get("/docsx")).status).toBe(404);
  });
});
