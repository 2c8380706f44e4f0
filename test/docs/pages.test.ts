import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { COMMANDS } from "#cli/commands.ts";
import { replaceLinks, targetOf, writeFile } from "#docs/links.ts";
import {
  helpMarkdown,
  listSections,
  loadPages,
  nameExecutable,
  pageHtml,
  siteMarkdown,
} from "#docs/page.ts";
import { search } from "#docs/search.ts";
import { findTopic, TOPICS, type Topic } from "#docs/topics.ts";

const ROOT = join(import.meta.dir, "../..");
const pages = await loadPages();
const byName = pages.map((page) => [page.topic.name, page] as const);

/** The anchor that GitHub gives a heading: https://docs.github.com (section links). */
const githubAnchor = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");

/** The anchors of a topic that are the same here and on GitHub, also if a heading is there twice. */
function anchorsOf(topic: Topic): Set<string> {
  const page = pages.find((one) => one.topic === topic);
  const counts = new Map<string, number>();
  return new Set(
    (page ? listSections(page) : []).flatMap(({ id, heading }) => {
      const anchor = githubAnchor(heading);
      const before = counts.get(anchor) ?? 0;
      counts.set(anchor, before + 1);
      return id === (before === 0 ? anchor : `${anchor}-${before}`) ? [id] : [];
    }),
  );
}

describe("the topics", () => {
  test("are all README files of users and operators", async () => {
    const files = await Array.fromAsync(new Bun.Glob("src/**/*.md").scan(ROOT));
    // The first is for contributors, the second is a part of the plugin for agents.
    const others = ["src/README.md", "src/deploy/skill.md"];
    expect(TOPICS.map(({ file }) => file).toSorted()).toEqual(
      ["README.md", ...files.filter((file) => !others.includes(file))].toSorted(),
    );
  });

  test("load the file that they name", async () => {
    for (const { file, load } of TOPICS)
      expect((await load()).default).toBe(await Bun.file(join(ROOT, file)).text());
  });

  test("have names of their own, which no command has", () => {
    const names = TOPICS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const words = COMMANDS.map(({ name }) => name.split(" ")[0] ?? "");
    expect(names.filter((name) => words.includes(name))).toEqual([]);
    for (const name of names) expect(name).toMatch(/^[a-z-]+$/);
  });
});

describe.each(byName)("the page %s", (_, page) => {
  test("links only to headings and files that exist, here and on GitHub", async () => {
    const wrong: string[] = [];
    const files: string[] = [];
    replaceLinks(page.markdown, page.topic, (text, target) => {
      if ("file" in target) files.push(target.file);
      else if ("topic" in target && target.anchor !== "") {
        if (!anchorsOf(target.topic).has(target.anchor.slice(1)))
          wrong.push(`${target.topic.file}${target.anchor}`);
      }
      return text;
    });
    for (const file of files) {
      const isThere = (await Bun.file(join(ROOT, file)).exists()) || (await isFolder(file));
      if (!isThere) wrong.push(file);
    }
    expect(wrong).toEqual([]);
  });

  test("has a link on the site for every link that its parser finds, and none leads to a file of the repository", () => {
    const found = [...pageHtml(page).matchAll(/<a href="([^"]*)"/g)].map(([, href = ""]) => href);
    const left = found.filter(
      (href) => !/^(https?:|#|\/docs\/[a-z-]+(#|$)|\/clients\/)/.test(href),
    );
    expect(left).toEqual([]);
    expect(siteMarkdown(page, ".md")).not.toMatch(/\]\([^)]*README\.md/);
  });

  test("has one title and no markup of HTML", () => {
    const html = pageHtml(page);
    expect(html.match(/<h1 /g)).toHaveLength(1);
    expect(html.startsWith("<h1 ")).toBe(true);
    expect(html).not.toMatch(/&lt;!--|<[^>]*\sstyle=|<script|<img/);
  });

  test("names commands instead of links in a terminal", () => {
    const text = helpMarkdown(page, "bourse help");
    expect(text).not.toMatch(/\]\((?!https?:)/);
    for (const [, name = ""] of text.matchAll(/\(`bourse help ([^`]+)`\)/g))
      expect(findTopic(name)).toBeDefined();
  });
});

const isFolder = (file: string) =>
  Bun.file(join(ROOT, file))
    .stat()
    .then(
      (stat) => stat.isDirectory(),
      () => false,
    );

test("an executable names itself in commands, but not where a text explains the source", () => {
  const text =
    "`npx -y bun@1.4.4 start` runs it. `npx -y bun@1.4.4 src/main.ts token create owner` makes a token. In the repository, write `npx -y bun@1.4.4 src/main.ts`, and `npx -y bun@1.4.4 run build` builds it.";
  expect(nameExecutable(text)).toBe(
    "`bourse serve` runs it. `bourse token create owner` makes a token. In the repository, write `npx -y bun@1.4.4 src/main.ts`, and `npx -y bun@1.4.4 run build` builds it.",
  );
  const clone = "Above.\n\n<!-- clone -->\n\nIn a clone:\n\n<!-- /clone -->\n\nBelow.\n";
  expect(nameExecutable(clone + clone)).toBe("Above.\n\nBelow.\nAbove.\n\nBelow.\n");
  const start = pages.find(({ topic }) => topic.name === "start")?.markdown ?? "";
  expect(nameExecutable(start)).not.toMatch(/bun@\S+ (start|src)/);
});

describe("a link", () => {
  const topic = findTopic("operating");
  if (!topic) throw new Error("no topic");
  test("starts from the file of its topic", () => {
    expect(targetOf(topic, "../deploy/README.md#cluster")).toMatchObject({
      topic: { name: "maintenance" },
      anchor: "#cluster",
    });
    expect(targetOf(topic, "#logs")).toEqual({ topic, anchor: "#logs" });
    expect(targetOf(topic, "../clients/bourse.py")).toEqual({ url: "/clients/bourse.py" });
    expect(targetOf(topic, "../deploy/alerts.yml")).toEqual({ file: "src/deploy/alerts.yml" });
    expect(targetOf(topic, "https://example.com/a")).toEqual({ url: "https://example.com/a" });
  });

  test("to a file of the repository becomes its path", () => {
    expect(writeFile("alerts.yml", "src/deploy/alerts.yml")).toBe("`src/deploy/alerts.yml`");
    expect(writeFile("`lists/read.ts`", "src/imports/lists/read.ts")).toBe(
      "`src/imports/lists/read.ts`",
    );
    expect(writeFile("the table", "src/a.ts")).toBe("the table (`src/a.ts`)");
  });

  test("within code is left alone", () => {
    const code =
      "`[a](b.md)` and ``[`c`](d.md)``\n\n```sh\n[e](f.md)\n```\n\n  ```\n  [g](h.md)\n  ```\n";
    const seen: string[] = [];
    const write = (text: string) => {
      seen.push(text);
      return "X";
    };
    expect(replaceLinks(code, topic, write)).toBe(code);
    expect(replaceLinks("[`a`](b.md), [c](d.md)", topic, write)).toBe("X, X");
    expect(seen).toEqual(["`a`", "c"]);
  });
});

describe("the search", () => {
  const sections = pages.flatMap(listSections);
  test("finds parts with all words, the best heading first", () => {
    const [first, ...rest] = search(sections, "Backup  restore");
    expect([first?.section.page.topic.name, first?.section.id]).toEqual([
      "operating",
      "backup-and-restore",
    ]);
    for (const { section } of rest) {
      const all = `${section.heading} ${section.text}`.toLowerCase();
      expect([all.includes("backup"), all.includes("restore")]).toEqual([true, true]);
    }
  });

  test("marks what it found, and takes any text as text", () => {
    const [hit] = search(sections, "bourse_trusted_proxies");
    expect(hit?.excerpt.filter((_, i) => i % 2 === 1)).toContain("BOURSE_TRUSTED_PROXIES");
    expect(search(sections, "(.*[")).toEqual([]);
    expect(search(sections, "  ")).toEqual([]);
    expect(search(sections, "a ".repeat(5_000)).length).toBeLessThanOrEqual(20);
  });
});

test("each page of the console names a topic, with a heading that the topic has", async () => {
  // The pages need a browser, so their code is read as text.
  const code = await Bun.file(join(ROOT, "src/console/app/routes.ts")).text();
  const named = [...code.matchAll(/docs: "([^"#]+)#?([^"]*)"/g)];
  expect(named).toHaveLength(code.match(/import\("\.\/pages/g)?.length ?? 0);
  for (const [, name = "", heading] of named) {
    const topic = findTopic(name);
    expect(topic, name).toBeDefined();
    if (topic && heading) expect(anchorsOf(topic)).toContain(heading);
  }
});
