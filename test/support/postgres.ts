import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
} from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { removeAfterExit, resultOf, spawnChild, findFreePort } from "./child-process.ts";
import { RUN_FOLDER } from "./service.ts";

const PACKAGES = "/usr/lib/postgresql";
/** Debian's user. `initdb` and the server refuse to run as root. */
const USER = "postgres";

/** The commands of an installed Postgres. */
interface Installed {
  /** The folder with `initdb` and `postgres`. */
  readonly programs: string;
  /** What precedes each command. */
  readonly asUser: readonly string[];
  /** The owner of the data; null to keep the present user. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
}

/** The newest installed Postgres, or null: tests that need it are then skipped. */
function findPostgres(): Installed | null {
  const folders = existsSync(PACKAGES)
    ? readdirSync(PACKAGES)
        .toSorted((a, b) => Number(b) - Number(a))
        .map((version) => join(PACKAGES, version, "bin"))
    : [];
  const found = [...folders, ...(process.env["PATH"] ?? "").split(":")].find(
    (folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")),
  );
  if (found === undefined) return null;
  if (process.getuid?.() !== 0) return { programs: found, asUser: [], owner: null };
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((one) => one.startsWith(`${USER}:`));
  if (line === undefined || Bun.which("setpriv") === null) return null;
  const [uid = 0, gid = 0] = line.split(":").slice(2, 4).map(Number);
  const asUser = ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
  return { programs: found, asUser, owner: { uid, gid } };
}

/** How to run a program as the user of the installed Postgres, and who that is. */
export function asPostgresUser(): Pick<Installed, "asUser" | "owner"> {
  return findPostgres() ?? { asUser: [], owner: null };
}

/** True where the tests that need Postgres are skipped. */
export const IS_POSTGRES_MISSING = findPostgres() === null;
if (IS_POSTGRES_MISSING)
  process.stderr.write("SKIPPED: no Postgres is installed (apt-get install postgresql).\n");

/** A real Postgres on a loopback port, with its data in a temporary folder. */
export class TestPostgres {
  readonly port: number;
  readonly #installed: Installed;
  readonly #folder: string;
  readonly #settings: readonly string[];
  #server: ReturnType<typeof spawnChild> | null = null;
  #databases = 0;

  private constructor(
    installed: Installed,
    folder: string,
    port: number,
    settings: readonly string[],
  ) {
    this.#installed = installed;
    this.#folder = folder;
    this.#settings = settings;
    this.port = port;
  }

  /**
   * Creates the data and starts the server. A crash of the machine could lose data, because `fsync` is off;
   * `kill -9` of the server cannot.
   *
   * @param settings such as `max_connections=200`
   */
  static async start(settings: readonly string[] = []): Promise<TestPostgres> {
    const installed = findPostgres();
    if (installed === null) throw new Error("No Postgres is installed.");
    const folder = createFolder(installed);
    await run(["cp", "-a", `${await findNewData(installed)}/.`, folder], RUN_FOLDER);
    const server = new TestPostgres(installed, folder, await findFreePort(), settings);
    await server.start();
    return server;
  }

  /**
   * Starts a standby of this server. If it is synchronous, every commit waits from now on until the standby has
   * it too.
   */
  async startStandby({ isSynchronous = true } = {}): Promise<TestPostgres> {
    const installed = this.#installed;
    const folder = createFolder(installed);
    const from = ["-h", "127.0.0.1", "-p", String(this.port), "-U", USER];
    const options = [...from, "-D", folder, "-R", "--checkpoint=fast", "--no-sync"];
    await runInPostgres(installed, ["pg_basebackup", ...options], folder);
    const standby = new TestPostgres(installed, folder, await findFreePort(), this.#settings);
    await standby.start();
    if (!isSynchronous) return standby;
    await this.execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await this.execute("SELECT pg_reload_conf()");
    const sql = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
    while ((await this.execute(sql)).length === 0) await Bun.sleep(20);
    return standby;
  }

  /** Makes a standby the primary. */
  async promote(): Promise<void> {
    await this.execute("SELECT pg_promote()");
  }

  /** The id of the server's first process; the others are its children. */
  get pid(): number {
    return this.#server?.pid ?? 0;
  }

  /** The address of a database of the server. */
  url(database = USER, port = this.port): string {
    return `postgres://${USER}@127.0.0.1:${port}/${database}`;
  }

  /** Creates an empty database and returns its name. */
  async createDatabase(): Promise<string> {
    const name = `test_${++this.#databases}`;
    await this.execute(`CREATE DATABASE ${name}`);
    return name;
  }

  /** Runs statements on a connection of their own and returns the rows of the last one. */
  async execute<Row>(statements: string, database = USER): Promise<Row[]> {
    const sql = new SQL({ url: this.url(database), max: 1 });
    try {
      return [...(await sql.unsafe<Row[]>(statements))];
    } finally {
      await sql.close();
    }
  }

  /** Starts the server on the same port and data, and waits until it accepts connections. */
  async start(): Promise<void> {
    const settings = ["fsync=off", "full_page_writes=off", ...this.#settings];
    const options = ["-D", this.#folder, "-p", String(this.port), "-h", "127.0.0.1", "-k", ""];
    this.#server = spawnChild(
      inPostgres(this.#installed, [
        "postgres",
        ...options,
        ...settings.flatMap((setting) => ["-c", setting]),
      ]),
      { cwd: this.#folder, stdout: "ignore", stderr: "ignore" },
    );
    while (!(await this.#isReady())) await Bun.sleep(20);
  }

  /** Stops the server as its operator would; clients are disconnected. */
  async stop(): Promise<void> {
    this.#server?.kill("SIGINT");
    await this.#server?.exited;
    this.#server = null;
  }

  /** Stops the server, copies its data, and starts it again. Returns the folder of the copy. */
  async saveData(): Promise<string> {
    await this.stop();
    const copy = mkdtempSync(join(RUN_FOLDER, "postgres-copy-"));
    removeAfterExit(copy);
    await run(["cp", "-a", `${this.#folder}/.`, copy], RUN_FOLDER);
    await this.start();
    return copy;
  }

  /** Takes the server back in time: replaces its data by a copy that `saveData` made. */
  async restoreData(copy: string): Promise<void> {
    await this.kill();
    await run(["find", this.#folder, "-mindepth", "1", "-delete"], RUN_FOLDER);
    await run(["cp", "-a", `${copy}/.`, this.#folder], RUN_FOLDER);
    await this.start();
  }

  /** Kills the server and all of its processes (`kill -9`), and waits for their end. */
  async kill(): Promise<void> {
    const processes = this.#processes();
    signal(processes, "SIGKILL");
    await this.#server?.exited;
    this.#server = null;
    while (processes.some(isAlive)) await Bun.sleep(5);
  }

  /** Stops all processes of the server without ending them: connections stay open and get no answer. */
  freeze(): void {
    signal(this.#processes(), "SIGSTOP");
  }

  /** Lets a frozen server continue. */
  thaw(): void {
    signal(this.#processes(), "SIGCONT");
  }

  /** The server, stopped so that it starts no more, and its children, one for each connection. */
  #processes(): number[] {
    const server = this.#server?.pid;
    if (server === undefined) return [];
    process.kill(server, "SIGSTOP");
    const children = readFileSync(`/proc/${server}/task/${server}/children`, "utf8");
    return [server, ...children.split(" ").filter(Boolean).map(Number)];
  }

  async #isReady(): Promise<boolean> {
    if (this.#server?.exitCode !== null) throw new Error("The test's Postgres ended at its start.");
    try {
      await this.execute("SELECT 1");
      return true;
    } catch {
      return false;
    }
  }
}

/** The folder with the data of a new server. It is made once for all files of a test process. */
async function findNewData(installed: Installed): Promise<string> {
  const path = join(RUN_FOLDER, "postgres-new");
  if (existsSync(path)) return path;
  const folder = createFolder(installed);
  const command = ["initdb", "-D", folder, "-U", USER, "-A", "trust", "-E", "UTF8"];
  await runInPostgres(installed, [...command, "--locale=C", "--no-sync"], folder);
  renameSync(folder, path);
  removeAfterExit(path);
  return path;
}

/** A folder for the data of a server, removed after the end of this process. */
function createFolder({ owner }: Installed): string {
  mkdirSync(RUN_FOLDER, { recursive: true });
  // Another user runs the server.
  chmodSync(RUN_FOLDER, 0o711);
  const folder = mkdtempSync(join(RUN_FOLDER, "postgres-"));
  removeAfterExit(folder);
  if (owner) chownSync(folder, owner.uid, owner.gid);
  return folder;
}

function runInPostgres(installed: Installed, command: readonly string[], cwd: string) {
  return run(inPostgres(installed, command), cwd);
}

async function run(command: readonly string[], cwd: string): Promise<void> {
  const child = spawnChild([...command], { cwd, stderr: "pipe" });
  const { code, stderr } = await resultOf(child);
  if (code !== 0) throw new Error(`${command[0]} failed: ${stderr}`);
}

function inPostgres({ programs, asUser }: Installed, command: readonly string[]): string[] {
  const [program = "", ...options] = command;
  return [...asUser, join(programs, program), ...options];
}

function signal(processes: readonly number[], name: NodeJS.Signals): void {
  for (const one of processes) {
    try {
      process.kill(one, name);
    } catch {
      // It has ended.
    }
  }
}

/** False also for a process that has ended and whose parent did not notice yet. */
function isAlive(one: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${one}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Less than a test may take. On a busy machine a node needs many seconds. */
const UNTIL_MS = 500_000;

/** Runs work until it succeeds, and returns its result. Only a hang ends it. */
export async function until<T>(work: () => T): Promise<Awaited<T>> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() - startedAt > UNTIL_MS) throw error;
      await Bun.sleep(10);
    }
  }
}
