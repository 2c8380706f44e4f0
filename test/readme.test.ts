import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TObject } from "@sinclair/typebox";
import { HTTP_ERRORS } from "#http/errors.ts";
import { getStockTechnicals } from "#operations/get-stock-technicals.ts";
import { DOCUMENTED, withTables } from "./documentation.ts";

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

  test("is shorter than 16 KiB", () => {
    expect(Buffer.byteLength(readme)).toBeLessThan(16_384);
  });

  test("shows a first answer with the labels of today", () => {
    const answer = JSON.parse(/^\{\n {2}"country"[^`]+/m.exec(readme)?.[0] ?? "{}");
    expect(Object.keys(answer.data)).toEqual(
      Object.keys((getStockTechnicals.output as TObject).properties),
    );
  });

  test("names every status that an error can have", () => {
    for (const { status, code } of Object.values(HTTP_ERRORS)) {
      expect(readme).toContain(String(status));
      expect(readme).toContain(`\`${code}\``);
    }
  });

  test.each([...DOCUMENTED, "src/README.md", "src/imports/README.md", "test/bench/README.md"])(
    "links only to files that exist in %s",
    async (file) => {
      const text = await Bun.file(join(ROOT, file)).text();
      for (const [, path = ""] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
        expect([path, existsSync(join(ROOT, dirname(file), path))]).toEqual([path, true]);
      }
    },
  );

  test("links only to its own headings", () => {
    const headings = [...readme.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(/[^a-z ]/g, "")
        .replaceAll(" ", "-"),
    );
    const links = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = ""]) => anchor);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((anchor) => !headings.includes(anchor))).toEqual([]);
  });
});
