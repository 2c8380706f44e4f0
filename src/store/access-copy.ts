import type { Database } from "bun:sqlite";
import { existsSync, rmSync } from "node:fs";
import { unavailable } from "#domain/errors.ts";
import { ACCESS } from "./access.ts";
import { openDatabase, toUserError } from "./database.ts";
import type { Postgres } from "./postgres.ts";
import { LOCKS, type PostgresTransaction } from "./postgres-transaction.ts";
import type { SqlValue } from "./work.ts";

/** The number of rows of each table, by name. */
export type CopiedRows = Readonly<Record<string, number>>;

/** Rows that are copied by one statement. */
const ROWS_AT_ONCE = 500;
/** The same for tables whose rows can have half a megabyte. */
const LARGE_ROWS_AT_ONCE = 20;
const LARGE_TABLES = ["user_documents", "brief_marks", "alert_states"];
/** How long a statement of a copy may take. */
const STATEMENT_MS = 60_000;

type Row = Readonly<Record<string, SqlValue>>;

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rowsAtOnce: number;
}

/**
 * Copies all data of an `access.db` into the cluster, in one transaction. The file is upgraded first if it
 * is of an older version, and otherwise does not change.
 *
 * @param path the file; no service may use it meanwhile, because calls that it counts later are not copied
 * @param postgres a cluster without users; sign-ins and clients of strangers that it has noted are removed
 * @throws BourseError `unavailable` if the cluster has users, or as `openDatabase` and `Postgres.query`
 */
export async function copyAccessToCluster(path: string, postgres: Postgres): Promise<CopiedRows> {
  refuseMissing(path);
  const database = openDatabase(path, ACCESS);
  try {
    // The tables are read at one moment.
    database.run("BEGIN");
    return await postgres.transaction(
      async (transaction) => {
        await refuseUsers(transaction);
        const copied: Record<string, number> = {};
        for (const table of listTables(database)) {
          await transaction.query(`DELETE FROM ${table.name}`);
          copied[table.name] = await insertRows(transaction, table, database);
          await setIdentity(transaction, table, database);
        }
        return copied;
      },
      { lock: LOCKS.access, statementMs: STATEMENT_MS },
    );
  } finally {
    database.close();
  }
}

/**
 * Copies all data of the access store of a cluster, as it is at one moment, into a new `access.db`. Only the
 * owner can read the file.
 *
 * @param path a path where no file is
 * @throws BourseError `unavailable` as `openDatabase` and `Postgres.query`; then there is no file
 */
export async function copyAccessFromCluster(postgres: Postgres, path: string): Promise<CopiedRows> {
  if (existsSync(path)) {
    throw unavailable(`${path} exists already. Choose another name.`);
  }
  const database = openDatabase(path, ACCESS);
  try {
    database.run("BEGIN IMMEDIATE");
    const copied = await postgres.transaction(
      async (transaction) => {
        const counts: Record<string, number> = {};
        for (const table of listTables(database)) {
          counts[table.name] = await fetchRows(transaction, table, database);
          await setSequence(transaction, table, database);
        }
        return counts;
      },
      { isolation: "REPEATABLE READ", statementMs: STATEMENT_MS },
    );
    database.run("COMMIT");
    database.close();
    return copied;
  } catch (error) {
    database.close();
    for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
    throw toUserError(path, error);
  }
}

/** The tables of the file, each after those that it refers to. The cluster has the same ones. */
function listTables(database: Database): Table[] {
  const columns = database.query<{ name: string }, [string]>(
    "SELECT name FROM pragma_table_info(?) ORDER BY cid",
  );
  return database
    .query<{ name: string }, []>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid`,
    )
    .all()
    .map(({ name }) => ({
      name,
      columns: columns.all(name).map((column) => column.name),
      rowsAtOnce: LARGE_TABLES.includes(name) ? LARGE_ROWS_AT_ONCE : ROWS_AT_ONCE,
    }));
}

async function insertRows(
  transaction: PostgresTransaction,
  { name, columns, rowsAtOnce }: Table,
  database: Database,
): Promise<number> {
  const described = await transaction.query<{ name: string; type: string }>(
    `SELECT column_name::text AS name, udt_name::text AS type FROM information_schema.columns
     WHERE table_schema = 'bourse' AND table_name = $1`,
    [name],
  );
  const types = new Map(described.map((column) => [column.name, column.type]));
  const arrays = columns.map((column, i) => `$${i + 1}::${types.get(column)}[]`);
  const insert = `INSERT INTO ${name} (${columns.join(", ")})
    SELECT * FROM unnest(${arrays.join(", ")})`;
  let count = 0;
  let chunk: Row[] = [];
  const send = async () => {
    const values = columns.map((column) => chunk.map((row) => row[column] ?? null));
    await transaction.query(insert, values);
    count += chunk.length;
    chunk = [];
  };
  for (const row of database.query<Row, []>(`SELECT * FROM ${name}`).iterate()) {
    chunk.push(row);
    if (chunk.length === rowsAtOnce) await send();
  }
  if (chunk.length > 0) await send();
  return count;
}

async function fetchRows(
  transaction: PostgresTransaction,
  { name, columns, rowsAtOnce }: Table,
  database: Database,
): Promise<number> {
  const insert = database.query<unknown, SqlValue[]>(
    `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
  );
  await transaction.query(
    `DECLARE copy_${name} CURSOR FOR SELECT ${columns.join(", ")} FROM ${name}`,
  );
  let count = 0;
  let rows: Row[];
  do {
    rows = await transaction.query<Row>(`FETCH ${rowsAtOnce} FROM copy_${name}`);
    for (const row of rows) insert.run(...columns.map((column) => row[column] ?? null));
    count += rows.length;
  } while (rows.length === rowsAtOnce);
  await transaction.query(`CLOSE copy_${name}`);
  return count;
}

/** Lets the ids of new rows follow all ids that the file ever gave. */
async function setIdentity(
  transaction: PostgresTransaction,
  table: Table,
  database: Database,
): Promise<void> {
  const sequence = await findSequence(transaction, table);
  if (sequence === null) return;
  const { name } = table;
  const [row] = database
    .query<{ last: number }, [string]>(
      `SELECT max(coalesce((SELECT max(id) FROM ${name}), 0),
         coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0)) AS last`,
    )
    .all(name);
  await transaction.query("SELECT setval($1::regclass, $2::integer + 1, false)", [
    sequence,
    row?.last ?? 0,
  ]);
}

/** Lets the ids of new rows in the file follow all ids that the cluster ever gave. */
async function setSequence(
  transaction: PostgresTransaction,
  table: Table,
  database: Database,
): Promise<void> {
  const sequence = await findSequence(transaction, table);
  if (sequence === null) return;
  const [row] = await transaction.query<{ last: number }>(
    `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END::integer AS last FROM ${sequence}`,
  );
  const last = row?.last ?? 0;
  database.run("DELETE FROM sqlite_sequence WHERE name = ?", [table.name]);
  database.run(
    `INSERT INTO sqlite_sequence (name, seq)
     SELECT name, ? FROM sqlite_schema WHERE name = ? AND sql LIKE '%AUTOINCREMENT%'`,
    [last, table.name],
  );
}

/** The Postgres sequence of a table's ids; null for a table without them. */
async function findSequence(
  transaction: PostgresTransaction,
  { name, columns }: Table,
): Promise<string | null> {
  if (!columns.includes("id")) return null;
  const [row] = await transaction.query<{ sequence: string | null }>(
    "SELECT pg_get_serial_sequence($1::text, 'id') AS sequence",
    [name],
  );
  return row?.sequence ?? null;
}

async function refuseUsers(transaction: PostgresTransaction): Promise<void> {
  const users = await transaction.query("SELECT 1 FROM users LIMIT 1");
  if (users.length === 0) return;
  throw unavailable(
    "The cluster has users already. Copy into a new database, or remove the users first.",
  );
}

function refuseMissing(path: string): void {
  if (existsSync(path)) return;
  throw unavailable(`${path} does not exist. Name the folder of an access.db.`);
}
