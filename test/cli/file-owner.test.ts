import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { claimMarket } from "#ingest/ingest.ts";
import { openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { endChildren, spawnChild } from "../support/child-process.ts";
import { expectFailure, MAIN, runOn } from "../support/cli.ts";
import { fillMarket } from "../support/contract-market.ts";
import { spawnServe } from "../support/serve-process.ts";

afterAll(endChildren);

const isRoot = process.getuid?.() === 0;
/** The user id of a service. */
const SERVICE_USER = 65_534;

/** A data folder of a service that runs as another user than root. Only the owner of its small market matters. */
function openServiceFolder(origin: "live" | "sample" = "live") {
  const home = openFolder();
  const path = join(home.path, "data");
  mkdirSync(path, { mode: 0o700 });
  const market = openMarket(path);
  claimMarket(market, origin);
  fillMarket(market);
  market.close();
  chownSync(join(path, "market.db"), SERVICE_USER, SERVICE_USER);
  chownSync(path, SERVICE_USER, SERVICE_USER);
  return { ...home, home: home.path, path };
}

/** The files and folders below a folder that belong to root. */
function listRootsFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => lstatSync(join(folder, name)).uid !== SERVICE_USER,
  );
}

/** Runs a command on the folder as its user. */
async function runAsService(folder: { home: string; path: string }, ...argv: string[]) {
  // The test's folders are closed to other users.
  for (let at = folder.home; at.length > 1; at = dirname(at))
    if ((lstatSync(at).mode & 0o011) === 0) chmodSync(at, 0o711);
  const ids = [`--reuid=${SERVICE_USER}`, `--regid=${SERVICE_USER}`, "--clear-groups"];
  return runWith(ids, folder, argv);
}

/** Runs a command on the folder with those options of setpriv. */
async function runWith(options: string[], folder: { path: string }, argv: string[]) {
  const child = spawnChild(
    ["setpriv", ...options, process.execPath, MAIN, ...argv, "--data", folder.path],
    { stdout: "pipe", stderr: "pipe" },
  );
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, stdout, stderr };
}

describe.skipIf(!isRoot)("a command of root on the folder of another user", () => {
  test("leaves every file to that user: accounts, imports, backups and restores", async () => {
    using folder = openServiceFolder();
    const { path } = folder;
    const run = async (...argv: string[]) => {
      const result = await runOn(path, ...argv);
      expect(result).toMatchObject({ code: 0 });
      expect([argv[0], ...listRootsFiles(path)]).toEqual([argv[0] ?? ""]);
    };
    await run("user", "add", "owner");
    await run("token", "create", "owner");
    const bars = join(folder.home, "AAPL.csv");
    writeFileSync(bars, "date,open,high,low,close,volume\n2026-11-19,1,2,1,2,5\n");
    await run("import", "bars", bars, "--country", "US", "--symbol", "AAPL");
    writeFileSync(join(path, "bourse.toml"), 'log = "json"\n');
    chownSync(join(path, "bourse.toml"), SERVICE_USER, SERVICE_USER);
    const archive = join(path, "archive.tar.gz");
    await run("backup", archive, "--market");
    await run("restore", archive);
    expect(readdirSync(path).some((name) => name.startsWith("before-restore-"))).toBe(true);
    expectFailure(await runOn(path, "restore", bars), "not a complete backup");
    expect(listRootsFiles(path)).toEqual([]);
  }, 600_000);

  test("leaves a folder and an archive elsewhere to the owner of the place", async () => {
    using folder = openServiceFolder();
    await runOn(folder.path, "user", "add", "owner");
    const other = join(folder.path, "new", "data");
    expect(await runOn(other, "user", "add", "owner")).toMatchObject({ code: 0 });
    expect(listRootsFiles(folder.path)).toEqual([]);
  });

  test("also while a service of root runs there, and after it was killed", async () => {
    using folder = openServiceFolder("sample");
    const service = await spawnServe(folder.path, {
      flags: ["--market", "live", "--sources", "worldbank", "--reset-market"],
    });
    expect(listRootsFiles(folder.path)).toEqual([]);
    service.kill("SIGKILL");
    await service.exited();
    expect(listRootsFiles(folder.path)).toEqual([]);
  }, 600_000);

  test.skipIf(Bun.which("setpriv") === null)(
    "which can start the service then",
    async () => {
      using folder = openServiceFolder();
      await runOn(folder.path, "user", "add", "owner");
      const archive = join(folder.home, "archive.tar.gz");
      await runOn(folder.path, "backup", archive, "--market");
      await runOn(folder.path, "restore", archive);
      const { code, stdout } = await runAsService(folder, "token", "create", "owner");
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^bourse_\w+\n$/)]);
    },
    600_000,
  );

  test.skipIf(Bun.which("setpriv") === null)(
    "says that the folder or a file cannot be read, if root has no right to",
    async () => {
      using folder = openServiceFolder();
      await runOn(folder.path, "user", "add", "owner");
      const run = (...argv: string[]) =>
        runWith(["--bounding-set=-dac_override,-dac_read_search"], folder, argv);
      const isRefused = (name: string) =>
        `${join(folder.path, name)} cannot be read (EACCES). Run bourse as the owner of the data folder, or give the folder to this user (chown -R).\n`;
      for (const [mode, command, name] of [
        [0o700, "status", "bourse.toml"],
        [0o711, "status", ""],
        [0o711, "doctor", ""],
        [0o755, "status", "access.db"],
      ] as const) {
        chmodSync(folder.path, mode);
        expect(await run(command)).toMatchObject({ code: 1, stderr: isRefused(name) });
      }
      expect((await run("doctor")).stdout).not.toContain("restores a backup");
    },
    600_000,
  );

  test.skipIf(Bun.which("setpriv") === null)(
    "whose archive that user cannot read, and restore names it",
    async () => {
      using folder = openServiceFolder();
      await runOn(folder.path, "user", "add", "owner");
      const archive = join(folder.home, "archive.tar.gz");
      await runOn(folder.path, "backup", archive);
      chownSync(archive, 0, 0);
      const { code, stderr } = await runAsService(folder, "restore", archive);
      expect([code, stderr]).toEqual([
        1,
        `${archive} cannot be read (EACCES); run \`restore\` as root or as the owner of the archive.\n`,
      ]);
    },
    600_000,
  );
});
