import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openFolder } from "../support/access.ts";
import { expectFailure, runOn } from "../support/cli.ts";

describe("a restore", () => {
  const folder = openFolder();
  const data = join(folder.path, "data");
  beforeAll(async () => {
    await runOn(data, "user", "add", "owner");
    expect((await runOn(data, "import", "list")).code).toBe(0);
  });
  afterAll(() => folder[Symbol.dispose]());

  /** An archive of the folder after a change of one of its files, which is undone. */
  async function archiveWith(name: string, change: string, undo: string): Promise<string> {
    const archive = join(folder.path, `${Bun.hash(change)}.tar.gz`);
    using file = new Database(join(data, name));
    file.run(change);
    expect(await runOn(data, "backup", archive, "--market")).toMatchObject({ code: 0 });
    file.run(undo);
    return archive;
  }

  test.each([
    [
      "access.db",
      "a trigger",
      "CREATE TRIGGER again AFTER UPDATE OF revoked_at ON tokens BEGIN UPDATE tokens SET revoked_at = NULL; END",
      "DROP TRIGGER again",
    ],
    ["access.db", "a view", "CREATE VIEW people AS SELECT * FROM users", "DROP VIEW people"],
    [
      "market.db",
      "a trigger",
      "CREATE TRIGGER zero AFTER INSERT ON scaled_bars BEGIN UPDATE scaled_bars SET close = 0; END",
      "DROP TRIGGER zero",
    ],
  ])(
    "refuses an archive whose %s has %s that is not of bourse",
    async (name, what, change, undo) => {
      const archive = await archiveWith(name, change, undo);
      const target = join(folder.path, `target-${Bun.hash(change)}`);
      expectFailure(
        await runOn(target, "restore", archive),
        `${name} of the archive has ${what} that is not of bourse`,
      );
      expect(existsSync(target)).toBe(false);
    },
  );

  test("refuses a trigger of bourse with other content", async () => {
    using file = new Database(join(data, "market.db"));
    const name = "bars_changed_delete";
    const [own] = file.query("SELECT sql FROM sqlite_schema WHERE name = ?").values(name)[0] as [
      string,
    ];
    file.run(`DROP TRIGGER ${name}`);
    const changed = `CREATE TRIGGER ${name} AFTER DELETE ON bar_histories BEGIN SELECT 1; END`;
    const archive = await archiveWith("market.db", changed, `DROP TRIGGER ${name}`);
    file.run(own);
    const target = join(folder.path, "target");
    expectFailure(await runOn(target, "restore", archive), name);
    // With its own triggers it is restored.
    const whole = join(folder.path, "whole.tar.gz");
    await runOn(data, "backup", whole, "--market");
    expect(await runOn(target, "restore", whole)).toMatchObject({ code: 0 });
  });

  test("names the settings of the archive's bourse.toml", async () => {
    writeFileSync(join(data, "bourse.toml"), 'insecure-sign-in = "true"\ngate-per-minute = 0\n');
    const archive = join(folder.path, "toml.tar.gz");
    expect(await runOn(data, "backup", archive)).toMatchObject({ code: 0 });
    const { code, stdout } = await runOn(join(folder.path, "other"), "restore", archive);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(
        "bourse.toml of the archive sets insecure-sign-in, gate-per-minute: check them before you start.\n",
      ),
    ]);
  });
});
