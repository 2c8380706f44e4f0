/**
 * The store of lists with 100 lists of 1,000 items of one user, in SQLite and, if it is installed, in Postgres: times in
 * milliseconds, medians of 100 (the opening: of 5). Run it with `bun test/bench/lists.ts`; `--longest` gives each item the
 * longest note. It asserts nothing.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { UserData } from "#access/user-data.ts";
import { USER_DOCUMENTS } from "#domain/user-documents.ts";
import { type ListItem, MAX_LIST_ITEMS, MAX_NOTE } from "#domain/user-list.ts";
import { formatTable } from "#lib/table.ts";
import { type AccessStore, openAccess } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { openAccessNode } from "../support/cluster-access.ts";
import { IS_POSTGRES_MISSING, TestPostgres } from "../support/postgres.ts";

const { values: flags } = parseArgs({
  options: { longest: { type: "boolean", default: false } },
});

const LISTS = USER_DOCUMENTS.list.most;
const clock = Date.now;

const itemsOf = (seed: number): ListItem[] =>
  Array.from({ length: MAX_LIST_ITEMS }, (_, i) => ({
    country: "JP",
    symbol: `S${1_000 + ((i * 7 + seed) % 9_000)}`,
    shares: i + 0.5,
    ...(flags.longest && { note: "株".repeat(MAX_NOTE) }),
  }));

async function medianOf(times: number, work: (i: number) => unknown): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    await work(i);
    taken.push(performance.now() - start);
  }
  return taken.toSorted((a, b) => a - b)[times >> 1] ?? Number.NaN;
}

const rows: [what: string, ms: string][] = [];
const note = (what: string, ms: number) => void rows.push([what, ms.toFixed(3)]);

async function measure(name: string, access: AccessStore): Promise<Accounts> {
  const accounts = new Accounts({ access, clock, actor: COMMAND_LINE });
  await accounts.addUser("anna", "max");
  const data = new UserData({ access, clock, user: "anna", actor: COMMAND_LINE });
  const save = (i: number, seed: number) =>
    data.save("list", { name: `list-${i}`, items: itemsOf(seed) });
  const times: Readonly<Record<string, (i: number) => unknown>> = {
    "a new list": (i) => save(i, i),
    "a list in place of another": (i) => save(i, i + LISTS),
    "the same list again": (i) => save(i, i + LISTS),
    "all names": () => data.list("list"),
    "one list": (i) => data.get("list", `list-${i}`),
    settings: () => data.settings(),
  };
  for (const [what, work] of Object.entries(times))
    note(`${name}: ${what}`, await medianOf(LISTS, work));
  return accounts;
}

using folder = openFolder();
const open = (name: string) => openAccess(join(folder.path, name));
const first = open("full");
await measure("SQLite", first);
first.close();
note("SQLite: opening", await medianOf(5, () => open("full").close()));
note("SQLite: opening without lists", await medianOf(5, () => open("empty").close()));
const megabytes = statSync(join(folder.path, "full", "access.db")).size / 1e6;
const again = open("full");
const accounts = new Accounts({ access: again, clock, actor: COMMAND_LINE });
note("SQLite: removal of the user", await medianOf(1, () => accounts.removeUserInSlices("anna")));
again.close();
if (!IS_POSTGRES_MISSING) {
  const server = await TestPostgres.start();
  const { access } = await openAccessNode(server, await server.createDatabase());
  await measure("Postgres", access);
  await access.close();
  await server.kill();
}
process.stdout.write(`access.db: ${megabytes.toFixed(1)} MB\n${formatTable(["WHAT", "MS"], rows)}`);
