import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { endChildren } from "../support/child-process.ts";
import { temporaryFolder } from "../support/service.ts";
import { ask, askAll, checkOut, FIXTURES, listForms, unpack } from "./form.ts";

// Not part of the suite (no .test in its name): it runs the earlier bourse of each form, from the history of this
// clone, with its packages from the npm registry.

const { folder, remove } = temporaryFolder();
afterAll(async () => {
  await endChildren();
  remove();
});
const ROOT = join(import.meta.dir, "../..");

describe.each((await listForms()).map((form) => [form.name, form] as const))(
  "a folder of %s",
  (name, form) => {
    test("goes to today's bourse and back: the earlier one restores its backup and says what it said", async () => {
      const source = join(folder, `${name}-source`);
      if (!(await checkOut(form.commit, source))) {
        process.stdout.write(`SKIPPED: this clone has no commit ${form.commit}\n`);
        return;
      }
      const data = join(folder, `${name}-data`);
      const archive = join(FIXTURES, name);
      await unpack(archive, data);
      await ask(ROOT, data, ["user", "add", "later"]);
      expect(await ask(ROOT, data, ["user", "list"])).toContain("later");
      await ask(source, data, ["restore", archive]);
      expect(await askAll(source, data)).toEqual(form.said);
    }, 600_000);
  },
);
