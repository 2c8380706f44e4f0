import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { IMPORT_KINDS } from "#imports/import-kinds.ts";
import { VERSION } from "#domain/program.ts";
import { openAccess, openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { openGuard } from "../support/at-once.ts";
import { runWith } from "../support/cli.ts";
import {
  environmentOf,
  factsOf,
  FIXTURES,
  type Form,
  listForms,
  readSchema,
  unpack,
} from "./form.ts";

const HOUR = 3_600_000;
const forms = await listForms();
const FILES = ["access.db", "market.db"] as const;

/** A folder of an earlier form, and commands of today's bourse an hour after it was written. */
async function openForm({ name, said }: Form) {
  const folder = openFolder();
  await unpack(join(FIXTURES, name), folder.path);
  const [{ created }] = said["user list --json"] as [{ created: string }];
  const clock = () => Date.parse(created) + HOUR;
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await runWith({ clock }, environmentOf(folder.path), ...words);
    if (code !== 0) throw new Error(`${words.join(" ")}: ${stderr}`);
    return stdout;
  };
  return { ...folder, clock, run };
}

/** Every row of a database file, by table. */
function rowsOf(path: string): Record<string, unknown[]> {
  const database = new Database(path, { readonly: true });
  try {
    const tables = database
      .query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .values();
    return Object.fromEntries(
      tables.map(([value]) => {
        const name = String(value);
        return [name, database.query(`SELECT * FROM "${name}"`).values()];
      }),
    );
  } finally {
    database.close();
  }
}

describe("every form that a data folder has had", () => {
  test("has a small fixture, and no fixture is forgotten", () => {
    const files = readdirSync(FIXTURES).filter((name) => name.endsWith(".tar.gz"));
    expect(forms.map(({ name }) => name).toSorted()).toEqual(files.toSorted());
    for (const name of files) expect(statSync(join(FIXTURES, name)).size).toBeLessThan(50_000);
  });

  test("includes today's. If this fails, the form or the version is new: add a migration, change none, and run bun test/folders/make.ts", async () => {
    using today = openFolder();
    openAccess(today.path).close();
    openMarket(today.path).close();
    using kept = openFolder();
    const newest = forms.at(-1);
    expect(newest?.name).toStartWith(`${VERSION}-`);
    await unpack(join(FIXTURES, newest?.name ?? ""), kept.path);
    for (const file of FILES)
      expect(readSchema(join(kept.path, file))).toEqual(readSchema(join(today.path, file)));
    // Every kind of record that can be imported is in it.
    const imported = newest?.said["import list --json"] as { kind: string }[];
    const kinds = new Set(imported.map(({ kind }) => kind));
    expect(Object.keys(IMPORT_KINDS).filter((kind) => !kinds.has(kind))).toEqual([]);
  });
});

describe.each(forms.map((form) => [form.name, form] as const))("a data folder of %s", (_, form) => {
  test("is upgraded: today's bourse knows every fact of it, and serves its token", async () => {
    using home = await openForm(form);
    for (const file of FILES)
      expect(readSchema(join(home.path, file)).version).toBe(form.schemas[file]);
    for (const [question, answer] of Object.entries(form.said))
      expect(factsOf(await home.run(...question.split(" ")))).toMatchObject(answer as object);
    const access = openAccess(home.path);
    const guard = openGuard({ access, clock: home.clock });
    expect(guard.authenticate(`Bearer ${form.token}`)).toMatchObject({ user: "anna", plan: "pro" });
    access.close();
    using today = openFolder();
    openAccess(today.path).close();
    openMarket(today.path).close();
    for (const file of FILES)
      expect(readSchema(join(home.path, file))).toEqual(readSchema(join(today.path, file)));
  });

  test("is checked and backed up by today's bourse as it is, before its first start", async () => {
    using home = await openForm(form);
    const findings: { check: string; level: string; text: string }[] = JSON.parse(
      await home.run("doctor", "--deep", "--json", "--port", "0", "--market", "sample"),
    );
    for (const file of FILES) {
      const found = findings.find(({ check }) => check === file);
      expect(found?.level).toBe("ok");
      const number = form.schemas[file];
      expect(found?.text).toMatch(
        new RegExp(`schema ${number}(; the next start upgrades it to \\d+)?\\.$`),
      );
    }
    const archive = join(home.path, "archive.tar.gz");
    await home.run("backup", archive, "--market");
    using copy = openFolder();
    await unpack(archive, copy.path);
    for (const file of FILES)
      for (const folder of [home, copy])
        expect(readSchema(join(folder.path, file)).version).toBe(form.schemas[file]);
  });

  test("comes back, row for row and in its own form, by the restore of its backup", async () => {
    using home = await openForm(form);
    await home.run("user", "add", "later");
    await home.run("import", "remove", "bars", "--all");
    await home.run("restore", join(FIXTURES, form.name));
    using kept = openFolder();
    await unpack(join(FIXTURES, form.name), kept.path);
    for (const file of FILES) {
      const [back, before] = [home, kept].map(({ path }) => join(path, file));
      expect(readSchema(back ?? "")).toEqual(readSchema(before ?? ""));
      expect(rowsOf(back ?? "")).toEqual(rowsOf(before ?? ""));
    }
  });
});
