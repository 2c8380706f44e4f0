import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import packages from "../package.json";
import { bunCommand, outputOf, resultOf, spawnChild } from "./support/child-process.ts";
import { ReleaseServer } from "./support/release-server.ts";
import { temporaryFolder } from "./support/service.ts";
import { startProgram } from "./support/started-program.ts";

// Not part of the suite (no .test in its name): it needs `bun run build` first, and builds a newer version itself.

const ROOT = join(import.meta.dir, "..");
const NEWER = "999.1.0";
const TARGET = `${process.platform}-${process.arch}`;
const { folder, remove } = temporaryFolder();
const server = new ReleaseServer();
const bin = join(folder, "bin");
const program = join(bin, "bourse");
const data = join(folder, "bourse-data");
let newer = new Uint8Array();

beforeAll(async () => {
  mkdirSync(bin);
  copyFileSync(join(ROOT, "dist/bourse"), program);
  chmodSync(program, 0o755);
  newer = await buildNewer();
  // A release that is newer than the commit of this executable.
  const { date } = JSON.parse(await outputOf([program, "--version", "--json"], { env: {} }));
  if (date !== null) server.signedAt = Date.parse(date) + 1000;
}, 600_000);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  remove();
});

/** The executable of this source as a newer version. */
async function buildNewer(): Promise<Uint8Array<ArrayBuffer>> {
  const copy = join(folder, "source");
  mkdirSync(copy);
  for (const name of ["src", "bun.lock", "tsconfig.json", "README.md", "LICENSE"])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  const manifest = { ...packages, version: NEWER };
  await Bun.write(join(copy, "package.json"), JSON.stringify(manifest));
  await outputOf(bunCommand(join(copy, "src/deploy/build.ts")), { cwd: copy });
  return Bun.file(join(copy, "dist/bourse")).bytes();
}

/** A command of the executable in a folder without any file of the repository. */
async function run(...argv: string[]) {
  const options = { cwd: folder, env: { ...server.env }, stderr: "pipe" } as const;
  return resultOf(spawnChild([program, ...argv], options));
}

const versionOf = (path: string) => outputOf([path, "--version"], { cwd: folder, env: {} });

describe("the executable", () => {
  test("refuses a release that nobody signed for it, and goes on", async () => {
    await server.publish(NEWER, { [TARGET]: newer });
    const sums = server.files.get("SHA256SUMS") as Uint8Array;
    server.files.set("SHA256SUMS", sums.with(0, (sums[0] ?? 0) === 48 ? 49 : 48));
    const { code, stderr } = await run("upgrade");
    expect([code, stderr]).toEqual([1, expect.stringContaining("The signed file was changed")]);
    expect(await versionOf(program)).toBe(`${packages.version}\n`);
    expect(readdirSync(bin)).toEqual(["bourse"]);
  });

  test("does not go to the same version or an older one", async () => {
    for (const [version, code, text] of [
      [packages.version, 0, `bourse ${packages.version} is the newest version.`],
      ["0.0.1", 1, "The newest release of the server is 0.0.1"],
    ] as const) {
      await server.publish(version, { [TARGET]: newer });
      const result = await run("upgrade");
      expect(result.code).toBe(code);
      expect(result.stdout + result.stderr).toContain(text);
    }
    expect(readdirSync(bin)).toEqual(["bourse"]);
  });

  test("is replaced while a service runs, which goes on; the data move with the restart and come back with the old one", async () => {
    const service = await startProgram([program], folder);
    await server.publish(NEWER, { [TARGET]: newer });
    const { code, stdout, stderr } = await run("upgrade");
    expect([code, stderr]).toEqual([0, ""]);
    expect(await versionOf(program)).toBe(`${NEWER}\n`);
    expect(await versionOf(`${program}.old`)).toBe(`${packages.version}\n`);
    expect(readdirSync(bin).toSorted()).toEqual(["bourse", "bourse.old"]);
    const answers = async (base: string, token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const { status } = await fetch(`${base}/data/stocks/AAPL/technicals?country=US`, { headers });
      return status;
    };
    expect(await answers(service.base, service.token)).toBe(200);

    // Its children are of its own version: a newer one could give the files of the service a newer form.
    const backedUp = await backUpByConsole(new URL(service.base).origin);
    expect(backedUp).toMatchObject({ bourse: packages.version });

    // The printed commands, as a shell runs them.
    const commands = stdout
      .split("\n")
      .filter((line) => /^(\/|mv )/.test(line) && !/ is /.test(line));
    const [backup = "", goBack = "", restore = ""] = commands;
    expect(commands).toHaveLength(3);
    await outputOf(["sh", "-ec", backup], { cwd: folder, env: { PATH: "/usr/bin:/bin" } });
    expect(await service.stop()).toBe(0);

    const upgraded = spawnChild([program, "serve", "--port", "0"], {
      cwd: folder,
      env: {},
      stdout: "pipe",
      stderr: "ignore",
    });
    const base = await urlOf(upgraded.stdout);
    expect(await answers(`${base}/api/v1/svc`, service.token)).toBe(200);
    upgraded.kill();
    await upgraded.exited;
    expect((await run("user", "add", "later", "--data", data)).code).toBe(0);

    await outputOf(["sh", "-ec", goBack], { cwd: folder, env: { PATH: "/usr/bin:/bin" } });
    await outputOf(["sh", "-ec", restore], { cwd: folder, env: { PATH: "/usr/bin:/bin" } });
    expect(await versionOf(program)).toBe(`${packages.version}\n`);
    const users = JSON.parse((await run("user", "list", "--json", "--data", data)).stdout);
    expect(users.map(({ name }: { name: string }) => name)).toEqual(["owner"]);
  }, 600_000);

  test("belongs to npm in node_modules, and is not replaced there", async () => {
    const packaged = join(folder, "node_modules/@alice/bourse-linux-x64");
    mkdirSync(packaged, { recursive: true });
    copyFileSync(program, join(packaged, "bourse"));
    chmodSync(join(packaged, "bourse"), 0o755);
    const child = spawnChild([join(packaged, "bourse"), "upgrade"], {
      cwd: folder,
      env: { ...server.env },
      stderr: "pipe",
    });
    const { code, stderr } = await resultOf(child);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("npm install @alice/bourse@latest"),
    ]);
    expect(readdirSync(packaged)).toEqual(["bourse"]);
  });
});

/** Makes a backup by the console of a service, and gives the contents that its archive names. */
async function backUpByConsole(origin: string): Promise<unknown> {
  const { stdout: link } = await run("console", "owner", "--data", data);
  const headers = { "sec-fetch-site": "same-origin", origin, "content-type": "application/json" };
  const send = (path: string, more: object, body?: object) =>
    fetch(`${origin}/console/api/${path}`, {
      method: "POST",
      headers: { ...headers, ...more },
      ...(body && { body: JSON.stringify(body) }),
    });
  const session = await send("session", {}, { key: /#key=(\S+)/.exec(link)?.[1] });
  const [cookie = ""] = session.headers.getSetCookie()[0]?.split(";") ?? [];
  expect(await (await send("backup", { cookie })).json()).toMatchObject({ error: null });
  const [archive = ""] = readdirSync(join(data, "backups"));
  const command = ["tar", "-xzOf", join(data, "backups", archive), "backup.json"];
  return JSON.parse(await outputOf(command));
}

/** The address that a service prints. */
async function urlOf(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stdout) {
    text += new TextDecoder().decode(chunk);
    const [url] = /http:\/\/127\.0\.0\.1:\d+(?=\s)/.exec(text) ?? [];
    if (url) return url;
  }
  throw new Error(`The service printed no address: ${text}`);
}
