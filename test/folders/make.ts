/**
 * Writes the fixture of a form of the data folder: `bun test/folders/make.ts [COMMIT]`, from the source here or that of
 * an earlier commit. Run it if the form of the folder changes, and for each new version. The fixtures of released versions
 * stay as they are.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { IMPORT_KINDS } from "#imports/import-kinds.ts";
import { outputOf } from "../support/child-process.ts";
import { temporaryFolder } from "../support/service.ts";
import {
  ask,
  askAll,
  checkOut,
  FIXTURES,
  type Form,
  ifKnown,
  listForms,
  readSchema,
  unpack,
} from "./form.ts";

const ROOT = join(import.meta.dir, "../..");
const { folder, remove } = temporaryFolder();
try {
  await make(Bun.argv[2]);
} finally {
  remove();
}

async function make(commit?: string): Promise<void> {
  const source = commit === undefined ? ROOT : join(folder, "source");
  if (commit !== undefined && !(await checkOut(commit, source)))
    throw new Error(`This clone has no commit ${commit}.`);
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  const token = await fill(source, data);
  const archive = join(folder, "archive.tar.gz");
  const said = await askAll(source, data);
  await ask(source, data, ["backup", archive, "--market"]);
  const unpacked = join(folder, "unpacked");
  await unpack(archive, unpacked);
  const numberOf = (name: string) => readSchema(join(unpacked, name)).version;
  const schemas = { "access.db": numberOf("access.db"), "market.db": numberOf("market.db") };
  const { version } = await Bun.file(join(source, "package.json")).json();
  const name = `${version}-${schemas["access.db"]}-${schemas["market.db"]}.tar.gz`;
  const at = await outputOf(["git", "-C", ROOT, "rev-parse", commit ?? "HEAD"]);
  const form: Form = { name, commit: at.trim(), schemas, token, said };
  await Bun.write(join(FIXTURES, name), Bun.file(archive));
  await note(form);
  process.stdout.write(`${name}: ${Bun.file(join(FIXTURES, name)).size} bytes\n`);
}

/** Fills a folder as its users do: accounts, a revoked token, settings, and every kind of import by its template. */
async function fill(source: string, data: string): Promise<string> {
  const run = (...words: string[]) => ask(source, data, words);
  await Bun.write(join(data, "bourse.toml"), "port = 9191\n");
  await run("user", "add", "owner", "--plan", "unlimited");
  await run("user", "add", "anna", "--plan", "pro");
  await run("user", "add", "ben");
  const token = await run("token", "create", "anna", "--name", "laptop");
  await run("token", "create", "ben", "--name", "lost");
  await run("token", "revoke", "2");
  for (const kind of Object.keys(IMPORT_KINDS)) {
    const file = join(data, `${kind}.csv`);
    const template = await ifKnown(() => run("import", kind, "--template"));
    if (template === null) continue;
    await Bun.write(file, template);
    await run("import", kind, file);
    rmSync(file);
  }
  await ifKnown(() => run("list", "save", "semis", "EXMPL", "--user", "anna"));
  return /bourse_[0-9A-Za-z]{39}/.exec(token)?.[0] ?? "";
}

/** Notes a form in the list, in the place of one with the same name. */
async function note(form: Form): Promise<void> {
  const others = (await listForms()).filter(({ name }) => name !== form.name);
  const forms = [...others, form].toSorted(
    ({ schemas: a }, { schemas: b }) =>
      a["access.db"] - b["access.db"] || a["market.db"] - b["market.db"],
  );
  await Bun.write(join(FIXTURES, "forms.json"), `${JSON.stringify(forms, null, 2)}\n`);
}
