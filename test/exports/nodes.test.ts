import { expect, test } from "bun:test";
import fc from "fast-check";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { ExportedFiles } from "#exports/exported-files.ts";
import { openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { runAt } from "../support/cli.ts";
import { anyChange, applyNext, changeOf } from "../support/market-changes.ts";
import { START } from "../support/service.ts";

const HOUR = 3_600_000;
const STEPS = 120;
const seed = 26;

/** The ETag and the bytes of each file that a node serves, by path. */
async function serve(node: string, name: string, now: number) {
  const exports = join(node, "exports");
  const env = { BOURSE_DATA: node };
  const { code, stderr } = await runAt(() => now, env, "export", join(exports, name));
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  const files = [...new ExportedFiles(exports).list()];
  return Object.fromEntries(
    await Promise.all(
      files.map(async ([path, file]) => {
        const bytes = Buffer.from(await Bun.file(file.path).bytes());
        return [path, { tag: file.sha256, bytes: bytes.toString("base64") }] as const;
      }),
    ),
  );
}

test("two nodes with the same log serve equal files with equal tags, and with another change another tag", async () => {
  using folder = openFolder();
  const [a, b] = [join(folder.path, "a"), join(folder.path, "b")];
  const changes = [
    ...fc.sample(changeOf("instruments"), { numRuns: STEPS / 4, seed }),
    ...fc.sample(anyChange, { numRuns: STEPS, seed }),
  ];
  const one = openMarket(a);
  for (const change of changes.slice(0, STEPS / 2)) await applyNext(one, change);
  // The second node joins with a copy of the first one, and applies the rest with a restart in between.
  one.checkpoint();
  mkdirSync(b);
  copyFileSync(join(a, "market.db"), join(b, "market.db"));
  for (const part of [changes.slice(STEPS / 2, STEPS), changes.slice(STEPS)]) {
    const other = openMarket(b);
    for (const change of part) {
      await applyNext(one, change);
      await applyNext(other, change);
    }
    other.close();
  }
  one.close();

  // At another time of the same day.
  const first = await serve(a, "20261120T170000Z", START);
  expect(await serve(b, "20261120T170100Z", START + HOUR)).toEqual(first);
  const rows = Object.values(first).filter(({ bytes }) => bytes.length > 3_000);
  expect(rows.length).toBeGreaterThan(5);

  // This node is a change ahead of the other one: no program can mix their parts.
  const ahead = openMarket(a);
  const [more] = fc.sample(
    changeOf("instruments").filter(
      (change) => change.type === "import" && change.records.length > 0,
    ),
    { numRuns: 1, seed },
  );
  if (more) await applyNext(ahead, more);
  ahead.close();
  const next = await serve(a, "20261120T180000Z", START);
  for (const path of ["instruments.parquet", "manifest.json"])
    expect(next[path]?.tag).not.toBe(first[path]?.tag);
  expect(next["macro/US.parquet"]).toEqual(first["macro/US.parquet"]);
});
