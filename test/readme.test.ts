import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { HTTP_ERRORS } from "#http/errors.ts";
import { DOCUMENTED, VERSIONED, withTables, withVersion } from "./documentation.ts";
import { startService, temporaryFolder, type TestService } from "./support/service.ts";

const ROOT = join(import.meta.dir, "..");
const readme = await Bun.file(join(ROOT, "README.md")).text();

/** The formatter pads the cells of tables. */
const unpadded = (markdown: string) =>
  markdown
    .replaceAll(/ {2,}/g, " ")
    .replaceAll(/-{3,}:?/g, "---")
    .replaceAll(/\n+/g, "\n");

describe("the README", () => {
  test("shows the two commands on lines of their own, and the scripts are there", async () => {
    expect(readme).toMatch(/^npx -y bun@1\.4\.4 start$/m);
    expect(readme).toMatch(/^npx -y bun@1\.4\.4 run test$/m);
    const { scripts } = await Bun.file(join(ROOT, "package.json")).json();
    expect(Object.keys(scripts)).toContainValues(["start", "test", "build"]);
  });

  test.each(DOCUMENTED)("has current tables in %s; `bun run docs` writes them", async (file) => {
    const text = await Bun.file(join(ROOT, file)).text();
    expect(unpadded(withTables(text))).toBe(unpadded(text));
  });

  test.each(VERSIONED)("names today's version in %s; `bun run docs` writes it", async (file) => {
    const text = await Bun.file(join(ROOT, file)).text();
    expect(text).toMatch(/\d\.\d+\.\d/);
    expect(withVersion(text)).toBe(text);
  });

  test("has no version within an address", () => {
    const line = "hostssl bourse bourse 10.0.0.0/24 scram-sha-256";
    expect(withVersion(line)).toBe(line);
  });

  test("is shorter than 8 KiB", () => {
    expect(Buffer.byteLength(readme)).toBeLessThan(8_192);
  });

  test("names every status that an error can have, in the guide to the interfaces", async () => {
    const guide = await Bun.file(join(ROOT, "src/http/README.md")).text();
    for (const { status, code } of Object.values(HTTP_ERRORS)) {
      expect(guide).toContain(String(status));
      expect(guide).toContain(`\`${code}\``);
    }
  });

  test.each([
    "README.md",
    ...DOCUMENTED,
    "src/README.md",
    "src/clients/README.md",
    "src/deploy/README.md",
    "src/http/README.md",
    "src/imports/README.md",
    "src/store/README.md",
    "test/bench/README.md",
  ])("links only to files that exist in %s", async (file) => {
    const text = await Bun.file(join(ROOT, file)).text();
    for (const [, path = ""] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
      expect([path, existsSync(join(ROOT, dirname(file), path))]).toEqual([path, true]);
    }
  });

  test("links only to its own headings", () => {
    const headings = [...readme.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(/[^a-z ]/g, "")
        .replaceAll(" ", "-"),
    );
    const links = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = ""]) => anchor);
    expect(links).not.toBeEmpty();
    expect(links.filter((anchor) => !headings.includes(anchor))).toEqual([]);
  });
});

/** The shown JSON, in which `…` is any number and `"…"` any text. */
const parseShown = (shown: string): unknown =>
  JSON.parse(shown.replaceAll(/(?<!")…/g, '"… number"'), (_, value) =>
    value === "… number" ? expect.any(Number) : value === "…" ? expect.any(String) : value,
  );

/**
 * The service has the sample market of 2026-11-20, as the answers in these files. They leave its figures out,
 * because none is real.
 */
describe.each(["README.md", "src/operations/README.md"])("the examples of %s", (file) => {
  const ADDRESS = "http://127.0.0.1:8787/api/v1/svc";
  let service: TestService;
  let token: string;
  let text: string;
  beforeAll(async () => {
    service = await startService();
    token = service.createToken().token;
    text = await Bun.file(join(ROOT, file)).text();
  }, 600_000);
  afterAll(() => service.stop());

  test("have the shown answers", async () => {
    const examples = [
      ...text.matchAll(/"http:\/\/127\S+\/svc(\/data\/\S+)"\n```\n\n```(json|csv)\n(.*?)```/gs),
    ];
    expect(examples).not.toBeEmpty();
    for (const [, path = "", format, shown = ""] of examples) {
      const response = await service.request(path, token);
      if (format === "json") expect(await response.json()).toEqual(parseShown(shown));
      else
        expect((await response.text()).replaceAll(/\r|(?<=,)[\d.]+/g, "")).toBe(
          shown.replaceAll("…", ""),
        );
    }
  });

  test("name addresses that answer, as CSV where they say so", async () => {
    const paths = [...text.matchAll(/"http:\/\/127\S+\/svc(\/data\/[^\s"]+\?[^\s"]+)"/g)];
    expect(paths).not.toBeEmpty();
    for (const [, path = ""] of paths) {
      const response = await service.request(path, token);
      expect([path, response.status]).toEqual([path, 200]);
      const type = path.includes("format=csv") ? "text/csv" : "application/json";
      expect(response.headers.get("content-type")).toStartWith(type);
    }
  });

  test("in TypeScript run", async () => {
    const codes = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);
    const { folder, remove } = temporaryFolder();
    const table = spyOn(console, "table").mockImplementation(() => {});
    process.env["TOKEN"] = token;
    for (const [i, code] of codes.entries()) {
      const path = join(folder, `example-${i}.ts`);
      await Bun.write(path, `${code.replaceAll(ADDRESS, service.base)}\nexport {};\n`);
      await import(path);
    }
    expect(table.mock.calls.map(([rows]: unknown[]) => (rows as unknown[]).length)).toEqual(
      codes.map(() => 3),
    );
    delete process.env["TOKEN"];
    table.mockRestore();
    remove();
  });
});
