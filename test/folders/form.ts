import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { readTar } from "#lib/tar.ts";
import { bunCommand, resultOf, spawnChild } from "../support/child-process.ts";

/** The folder with the fixtures. */
export const FIXTURES = import.meta.dir;
const ROOT = join(import.meta.dir, "../..");

/** A form of the data folder, with a folder that the bourse of that form has written. */
export interface Form {
  /** The archive beside this file, which `bourse backup --market` of that bourse wrote. */
  readonly name: string;
  /** The commit of that bourse. */
  readonly commit: string;
  /** The numbers of the schemas of `access.db` and `market.db`. */
  readonly schemas: Readonly<Record<"access.db" | "market.db", number>>;
  /** A token that the folder knows. */
  readonly token: string;
  /** What that bourse said of the folder, by command. */
  readonly said: Readonly<Record<string, unknown>>;
}

/**
 * Every form that a data folder has had since there are backups, oldest first; the last one is today's. Schema 3 of
 * `access.db` is left out: it existed for 13 minutes between two commits, and the next one changed its migration.
 */
export async function listForms(): Promise<Form[]> {
  return Bun.file(join(FIXTURES, "forms.json")).json();
}

/** The commands whose answers are compared: today's bourse gives at least the facts that the earlier one gave. */
export const QUESTIONS = [
  "user list --json",
  "token list --json",
  "list show semis --user anna --json",
  "import list --json",
  "call get_stock_price_history --country US --symbol EXMPL",
] as const;

/** The environment of a bourse that calls no source. */
export const environmentOf = (data: string) => ({
  BOURSE_DATA: data,
  BOURSE_MARKET: "live",
  BOURSE_CONTACT: "test@example.com",
  // It has no records of companies, so that no question calls it.
  BOURSE_SOURCES: "shiller",
  HOME: data,
});

/** What a command of a bourse prints. @param source the folder of its source @throws Error if it fails */
export async function ask(source: string, data: string, words: readonly string[]): Promise<string> {
  const child = spawnChild([...bunCommand(join(source, "src/main.ts")), ...words], {
    cwd: data,
    env: environmentOf(data),
    stderr: "pipe",
  });
  const { code, stdout, stderr } = await resultOf(child);
  if (code === 0) return stdout;
  throw new Error(`${words.join(" ")} ended with ${code}: ${stderr}`);
}

/** The answers of a bourse to all questions. */
export async function askAll(source: string, data: string): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const question of QUESTIONS) {
    const answer = await ifKnown(() => ask(source, data, question.split(" ")));
    if (answer !== null) answers[question] = factsOf(answer);
  }
  return answers;
}

/** The facts of an answer, without the time of the answer. */
export function factsOf(answer: string): unknown {
  const parsed = JSON.parse(answer);
  if (Array.isArray(parsed)) return parsed;
  const { as_of: _, ...facts } = parsed;
  return facts;
}

/** What a command prints; null if an earlier bourse does not have it. */
export async function ifKnown(run: () => Promise<string>): Promise<string | null> {
  try {
    return await run();
  } catch (error) {
    if (String(error).includes("There is no command")) return null;
    throw error;
  }
}

/** Writes the files of an archive into a folder as that bourse had them. */
export async function unpack(archive: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const bytes = Bun.file(archive).stream().pipeThrough(new DecompressionStream("gzip"));
  for await (const { name, content } of readTar(bytes)) {
    const pieces = await Array.fromAsync(content);
    if (/\.(db|toml)$/.test(name)) await Bun.write(join(folder, name), Buffer.concat(pieces));
  }
}

/** The number of the schema of a database file, and the statements that make it. */
export function readSchema(path: string): { version: number; sql: string[] } {
  const database = new Database(path, { readonly: true });
  try {
    const [[version] = []] = database.query("PRAGMA user_version").values();
    const rows = database
      .query("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name")
      .values();
    return { version: Number(version), sql: rows.map(([sql]) => String(sql)) };
  } finally {
    database.close();
  }
}

/** Writes the source of a commit into a folder, with its packages. False if this clone does not have the commit. */
export async function checkOut(commit: string, folder: string): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  const git = [
    "git",
    "-C",
    ROOT,
    "archive",
    "--format=tar",
    "--output",
    join(folder, "source.tar"),
  ];
  const archived = await resultOf(spawnChild([...git, commit], { stderr: "pipe" }));
  if (archived.code !== 0) return false;
  for (const command of [
    ["tar", "-xf", "source.tar"],
    [process.execPath, "install", "--frozen-lockfile", "--silent"],
  ]) {
    const { code, stderr } = await resultOf(spawnChild(command, { cwd: folder, stderr: "pipe" }));
    if (code !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
  }
  return true;
}
