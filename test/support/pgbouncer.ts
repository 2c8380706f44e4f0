import { chownSync, existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { findFreePort, removeAfterExit, spawnChild } from "./child-process.ts";
import { asPostgresUser, type TestPostgres } from "./postgres.ts";
import { RUN_FOLDER } from "./service.ts";

const PROGRAM =
  ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find(existsSync) ?? Bun.which("pgbouncer");

/** True where the tests that need PgBouncer are skipped. */
export const IS_PGBOUNCER_MISSING = PROGRAM === null;
if (IS_PGBOUNCER_MISSING)
  process.stderr.write("SKIPPED: no PgBouncer is installed (apt-get install pgbouncer).\n");

/** A real PgBouncer on a loopback port, in front of a server. */
export class TestPgBouncer {
  readonly port: number;
  readonly #file: string;
  #process: ReturnType<typeof spawnChild> | null = null;

  private constructor(port: number, file: string) {
    this.port = port;
    this.#file = file;
  }

  /** @param settings of its file, such as `["pool_mode = session"]` */
  static async start(server: TestPostgres, settings: readonly string[]): Promise<TestPgBouncer> {
    const folder = mkdtempSync(join(RUN_FOLDER, "pgbouncer-"));
    removeAfterExit(folder);
    const file = join(folder, "pgbouncer.ini");
    const users = join(folder, "users");
    const port = await findFreePort();
    writeFileSync(users, '"postgres" ""\n');
    writeFileSync(
      file,
      `[databases]
test_1 = host=127.0.0.1 port=${server.port}
postgres = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = trust
auth_file = ${users}
unix_socket_dir =
${settings.join("\n")}
`,
    );
    const { owner } = asPostgresUser();
    if (owner) for (const path of [folder, file, users]) chownSync(path, owner.uid, owner.gid);
    const pooler = new TestPgBouncer(port, file);
    await pooler.start();
    return pooler;
  }

  /** Starts it, and waits until it accepts connections. */
  async start(): Promise<void> {
    const command = [...asPostgresUser().asUser, PROGRAM ?? "", "-q", this.#file];
    this.#process = spawnChild(command, { stdout: "ignore", stderr: "ignore" });
    while (!(await accepts(this.port))) {
      if (this.#process.exitCode !== null)
        throw new Error("The test's PgBouncer ended at its start.");
      await Bun.sleep(20);
    }
  }

  /** Ends it, with all connections (`kill -9`). */
  async kill(): Promise<void> {
    this.#process?.kill("SIGKILL");
    await this.#process?.exited;
    this.#process = null;
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
