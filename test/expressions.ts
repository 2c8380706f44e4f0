import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { installTools } from "./support/npm-tools.ts";
import { temporaryFolder } from "./support/service.ts";

// Not part of the suite (no .test in its name): it needs the npm registry.

const SRC = join(import.meta.dir, "../src");

/**
 * Where an expression may take time that grows with the square of its text, because the text is short. Every other
 * expression takes time in proportion to its text. A reason says what bounds the text.
 */
const BOUNDED: Readonly<Record<string, string>> = {
  "access/refused-calls.ts": "the beginning of a message, which cutReason cuts",
  "analytics/statement-contradictions.ts": "the digits of a number",
  "cli/mcp-remote.ts": "an address that its user gives",
  "clients/": "an address that its user gives",
  "console/app/": "a text in the browser of the person who wrote it",
  "http/client-address.ts": "an address, or one line of a header",
  "imports/": "a cell, which cutCells cuts, or a line, which refuseLongLine bounds",
  "operations/": "an argument: refuseLongArguments comes first",
  "lib/fixed-text.ts": "the digits of a number",
  "service/connection-check.ts": "the public address, which a setting or the user gives",
  "service/releases.ts": "a setting",
  "sources/calendar/release.ts": "a title, which plainText cuts",
  "sources/nasdaq/names.ts": "a name, which issuerName cuts",
  "sources/sec/debt.ts": "the digits of a number",
  "store/instrument-search.ts": "a word of a query of at most 100 characters",
};

/** Files that read texts of our own program alone. */
const OWN_TEXTS = ["docs/", "feeds/recipes/", "http/assets.ts", "http/docs-endpoint.ts"];

/** The expression, and the degree of its time where it grows faster than its text. */
type Slow = readonly [place: string, expression: string, time: string];

const { folder, remove } = temporaryFolder();
afterAll(remove);
mkdirSync(folder, { recursive: true });
const tools = await installTools(folder, { recheck: "4.5.0", typescript: "5.9.3" });

/** The expressions of a folder that take longer than their text is long. */
async function listSlow(root: string): Promise<readonly Slow[]> {
  await tools.write(
    "check.mjs",
    `import { readdirSync, readFileSync } from "node:fs";
     import { join } from "node:path";
     import { check } from "recheck";
     import ts from "typescript";
     const [root] = process.argv.slice(2);
     const found = [];
     for (const name of readdirSync(root, { recursive: true })) {
       if (!/\\.tsx?$/.test(name)) continue;
       const text = readFileSync(join(root, name), "utf8");
       const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
       const visit = (node) => {
         if (ts.isRegularExpressionLiteral(node)) found.push([name, node.text]);
         ts.forEachChild(node, visit);
       };
       visit(file);
     }
     // On a busy machine an attack is cut off, and is then counted with a higher degree than it has.
     // So is a quick expression sometimes, by the checker that tries texts.
     const bounded = ${JSON.stringify([...Object.keys(BOUNDED), ...OWN_TEXTS])};
     const isUnsure = (name, { status, complexity, checker, error }) =>
       error?.kind === "timeout" ||
       (status === "vulnerable" &&
         (complexity.degree !== 2 ||
           (checker === "fuzz" && !bounded.some((one) => name.startsWith(one)))));
     const checkSurely = async (name, ...expression) => {
       const found = await check(...expression, { timeout: 30_000 });
       const longer = { timeout: 300_000, attackTimeout: 20_000 };
       return isUnsure(name, found) ? check(...expression, longer) : found;
     };
     const slow = [];
     for (const [name, text] of found) {
       const end = text.lastIndexOf("/");
       // The checker reads no sets of the flag v; without them it means the same as u.
       const flags = text.slice(end + 1).replace("v", "u");
       const { status, complexity, error } = await checkSurely(name, text.slice(1, end), flags);
       if (status === "vulnerable")
         slow.push([name, text, complexity.type + (complexity.degree ?? "")]);
       // An expression without an answer may be slow.
       else if (error?.kind === "timeout") slow.push([name, text, "timeout"]);
     }
     console.log(JSON.stringify({ checked: found.length, slow }));`,
  );
  const { exitCode, output } = await tools.run("node", "check.mjs", root);
  expect([exitCode, output]).toEqual([0, expect.stringMatching(/^\{/)]);
  const { checked, slow } = JSON.parse(output);
  expect(checked).toBeGreaterThan(0);
  return slow;
}

describe.skipIf(!tools.isInstalled)("every regular expression", () => {
  test("takes time in proportion to its text, or has a short text", async () => {
    const slow = (await listSlow(SRC)).filter(
      ([place]) => !OWN_TEXTS.some((one) => place.startsWith(one)),
    );
    const places = Object.keys(BOUNDED);
    const isBounded = ([place, , time]: Slow) =>
      time === "polynomial2" && places.some((one) => place.startsWith(one));
    expect(slow.filter((one) => !isBounded(one))).toEqual([]);
    const needless = places.filter((one) => !slow.some(([place]) => place.startsWith(one)));
    expect(needless).toEqual([]);
    // It takes minutes, and longer than usual on a busy machine.
  }, 3_600_000);

  test("is found where it is slow", async () => {
    mkdirSync(join(folder, "slow"));
    await tools.write("slow/one.ts", "export const ENDS = /a+$/; export const FAST = /^a+$/;");
    expect(await listSlow(join(folder, "slow"))).toEqual([["one.ts", "/a+$/", "polynomial2"]]);
  });
});
