import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { packed, tarGz } from "#deploy/archives.ts";
import { zip } from "#lib/zip-writer.ts";
import { oldPathOf, upgradeExecutable } from "#service/executable.ts";
import { readExecutable, readNewestRelease } from "#service/releases.ts";
import { openFolder } from "../support/access.ts";
import { bunCommand, endChildren, spawnChild } from "../support/child-process.ts";
import { expectError } from "../support/error.ts";
import { playedExecutable, ReleaseServer } from "../support/release-server.ts";
import { createSecretKeyFile } from "../support/signing-key.ts";
import { parseSecretKey } from "#lib/minisign.ts";

afterAll(endChildren);

const TARGET = "linux-x64-musl";
const OLD = playedExecutable("1.2.3", TARGET);
const NEW = playedExecutable("1.3.0", TARGET);

/** What only a program knows of itself. */
const HERE = { isInPlace: () => true, progress() {} };

/** A folder with an executable, and a server with a newer release. */
async function openInstalled() {
  const folder = openFolder();
  const server = new ReleaseServer();
  const path = join(folder.path, "bourse");
  writeFileSync(path, OLD);
  chmodSync(path, 0o755);
  await server.publish("1.3.0", {
    [TARGET]: NEW,
    "linux-x64": playedExecutable("1.3.0", "linux-x64"),
  });
  const upgrade = async (
    more: { target?: string; server?: typeof server.settings; isInPlace?: () => boolean } = {},
  ) => {
    const given = { path, target: TARGET, server: server.settings, ...HERE, ...more };
    await upgradeExecutable({ ...given, release: await readNewestRelease(given.server) });
  };
  return {
    folder: folder.path,
    path,
    server,
    upgrade,
    /** Expects that an upgrade fails with that reason and changes nothing. */
    async expectRefused(reason: string | RegExp, more?: Parameters<typeof upgrade>[0]) {
      const before = readdirSync(folder.path);
      expect(await refusalOf(upgrade(more))).toMatch(reason);
      expect(readFileSync(path, "utf8")).toBe(OLD);
      expect(statSync(path).mode & 0o777).toBe(0o755);
      expect(readdirSync(folder.path)).toEqual(before);
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const ARCHIVE = `bourse-1.3.0-${TARGET}.tar.gz`;

describe("an upgrade", () => {
  test("puts the executable of this machine in place, and keeps the old one beside it", async () => {
    await using home = await openInstalled();
    chmodSync(home.path, 0o750);
    await home.upgrade();
    expect(readdirSync(home.folder).toSorted()).toEqual(["bourse", "bourse.old"]);
    expect(readFileSync(home.path, "utf8")).toBe(NEW);
    expect(readFileSync(`${home.path}.old`, "utf8")).toBe(OLD);
    for (const file of [home.path, `${home.path}.old`])
      expect(statSync(file).mode & 0o777).toBe(0o750);
  });

  test("replaces the executable that an earlier upgrade kept", async () => {
    await using home = await openInstalled();
    writeFileSync(`${home.path}.old`, "of long ago");
    await home.upgrade();
    expect(readFileSync(`${home.path}.old`, "utf8")).toBe(OLD);
  });

  test("asks for three files, and sends nothing that identifies who asks", async () => {
    await using home = await openInstalled();
    await home.upgrade();
    expect(home.server.requests.map(({ url }) => url.pathname).toSorted()).toEqual([
      "/latest/SHA256SUMS",
      "/latest/SHA256SUMS.minisig",
      `/latest/${ARCHIVE}`,
    ]);
    for (const { headers, url } of home.server.requests) {
      expect(url.search).toBe("");
      expect(headers["user-agent"]).toBe("bourse");
      expect(Object.keys(headers).toSorted()).toEqual(
        "accept accept-encoding connection host user-agent".split(" "),
      );
    }
  });
});

test("an upgrade follows the redirects of a forge, and takes an archive that its server calls encoded", async () => {
  await using home = await openInstalled();
  await using storage = new ReleaseServer();
  const archive = home.server.files.get(ARCHIVE) as Uint8Array<ArrayBuffer>;
  for (const encoding of ["gzip", "x-gzip"]) {
    writeFileSync(home.path, OLD);
    // Apache does so if it is configured for compressed files.
    const headers = { "content-type": "application/x-tar", "content-encoding": encoding };
    storage.files.set("archive", () => new Response(archive, { headers }));
    const { url } = storage.settings;
    home.server.files.set(ARCHIVE, () => Response.redirect(`${url}/archive`, 302));
    await home.upgrade();
    expect(readFileSync(home.path, "utf8")).toBe(NEW);
  }
});

test("the executable for Windows is read from a ZIP file; an archive without one is refused", async () => {
  const name = "bourse-1.3.0-windows-x64.zip";
  const folder = "bourse-1.3.0-windows-x64";
  // Larger than the parts of workbooks may be.
  const bytes = new Uint8Array(20_000_000).fill(7);
  const files = [packed(`${folder}/LICENSE`, "MIT"), packed(`${folder}/bin/bourse.exe`, bytes)];
  const read = async (archive: Uint8Array<ArrayBuffer>, file = name) =>
    Buffer.concat(
      await Array.fromAsync(readExecutable(file, [archive.slice(0, 99), archive.slice(99)])),
    );
  expect((await read(zip(files))).equals(bytes)).toBe(true);
  const without = files.slice(0, 1);
  await expectError(() => read(zip(without)), "unavailable");
  const tar = await tarGz(without, 0);
  await expectError(() => read(tar, "bourse-1.3.0-linux-x64.tar.gz"), "unavailable");
  expect(oldPathOf("/opt/bourse-1.2.3")).toBe("/opt/bourse-1.2.3.old");
  expect([oldPathOf("C:\\Tools\\bourse.exe"), oldPathOf("/opt/bourse")]).toEqual([
    "C:\\Tools\\bourse.old.exe",
    "/opt/bourse.old",
  ]);
});

describe("an upgrade is refused, and nothing has changed, if", () => {
  test("the archive is another file than the signed sums say", async () => {
    await using home = await openInstalled();
    const bytes = home.server.files.get(ARCHIVE) as Uint8Array;
    home.server.files.set(ARCHIVE, bytes.with(bytes.length - 1, 7));
    await home.expectRefused(`${ARCHIVE} has another SHA-256 than the signed SHA256SUMS`);
  });

  test("the sums were changed after they were signed", async () => {
    await using home = await openInstalled();
    const sums = new TextDecoder().decode(home.server.files.get("SHA256SUMS") as Uint8Array);
    const changed = sums.startsWith("f") ? sums.replace(/^./, "e") : sums.replace(/^./, "f");
    home.server.files.set("SHA256SUMS", new TextEncoder().encode(changed));
    await home.expectRefused("The signed file was changed, or the signature was forged.");
  });

  test("another key signed the sums", async () => {
    await using home = await openInstalled();
    const { publicKey } = parseSecretKey(createSecretKeyFile());
    await home.expectRefused("It was made with another key.", {
      server: { ...home.server.settings, publicKey },
    });
  });

  test("there is no signature, no archive, or a page instead of it", async () => {
    await using home = await openInstalled();
    home.server.files.delete(ARCHIVE);
    await home.expectRefused(`The release server answers 404 for ${ARCHIVE} at http`);
    const page = () =>
      new Response("<!doctype html>", { headers: { "content-type": "text/html" } });
    home.server.files.set("SHA256SUMS.minisig", page);
    await home.expectRefused("It is not a signature of minisign.");
    home.server.files.delete("SHA256SUMS.minisig");
    await home.expectRefused("The release server answers 404 for SHA256SUMS.minisig at http");
  });

  test("the archive ends early", async () => {
    await using home = await openInstalled();
    const bytes = home.server.files.get(ARCHIVE) as Uint8Array;
    const half = bytes.slice(0, bytes.length / 2);
    home.server.files.set(ARCHIVE, half);
    await home.expectRefused("has another SHA-256");
    // The connection breaks after half of the promised bytes.
    using broken = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data(socket) {
          socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`);
          socket.write(half);
          socket.end();
        },
      },
    });
    const release = await readNewestRelease(home.server.settings);
    const server = { ...home.server.settings, url: `http://127.0.0.1:${broken.port}` };
    const given = { path: home.path, target: TARGET, server, ...HERE, release };
    expect(await refusalOf(upgradeExecutable(given))).toMatch(/ended after \d+ .*try again/);
    expect(readdirSync(home.folder)).toEqual(["bourse"]);
  });

  test("the sums are larger than any sums", async () => {
    await using home = await openInstalled();
    home.server.files.set("SHA256SUMS", new Uint8Array(1_000_001));
    await home.expectRefused("SHA256SUMS is larger than 1 MB");
  });

  test("the server does not answer", async () => {
    await using home = await openInstalled();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    await home.expectRefused(`The release server ${url} does not answer`, {
      server: { ...home.server.settings, url },
    });
  });

  test("the release has nothing for this machine, or the executable of another one", async () => {
    await using home = await openInstalled();
    await home.expectRefused("Release 1.3.0 has no archive for darwin-arm64", {
      target: "darwin-arm64",
    });
    await home.server.publish("1.3.0", { [TARGET]: playedExecutable("1.3.0", "linux-x64") });
    await home.expectRefused(
      `The new executable is bourse 1.3.0 for linux-x64, and should be bourse 1.3.0 for ${TARGET}.`,
    );
    await home.server.publish("1.3.0", { [TARGET]: playedExecutable("1.2.0", TARGET) });
    await home.expectRefused(`is bourse 1.2.0 for ${TARGET}, and should be bourse 1.3.0`);
    await home.server.publish("1.3.0", { [TARGET]: "no program" });
    await home.expectRefused("The new executable does not start here");
  });

  test("another upgrade was faster, because its executable would be kept as the old one", async () => {
    await using home = await openInstalled();
    await home.expectRefused("Another upgrade has replaced", { isInPlace: () => false });
  });

  test("the signature has no time, or none that minisign writes", async () => {
    await using home = await openInstalled();
    for (const comment of [
      "",
      "hashed",
      "timestamp:",
      "timestamp:soon",
      "not a timestamp:1795109400",
    ]) {
      home.server.sign(undefined, comment);
      await home.expectRefused("has no time, so the release may be an old one");
    }
    home.server.sign(undefined, "timestamp:1795109400\tfile:other\thashed");
    expect((await readNewestRelease(home.server.settings)).signedAt).toBe(
      Date.parse("2026-11-19T17:30:00Z"),
    );
  });

  test("the sums name no version, or two", async () => {
    await using home = await openInstalled();
    for (const sums of ["", "<html>", `${"0".repeat(64)}  a\n`, twoVersions()]) {
      home.server.sign(sums);
      await home.expectRefused("names no single version of bourse");
    }
  });

  test("the folder cannot be written", async () => {
    await using home = await openInstalled();
    // Root may write everywhere except where nobody may: in the folder of a process.
    const path = "/proc/self/bourse";
    const release = await readNewestRelease(home.server.settings);
    const given = { path, target: TARGET, server: home.server.settings, ...HERE, release };
    expect(await refusalOf(upgradeExecutable(given))).toMatch(/\/proc\/self\b/);
    if (process.getuid?.() === 0) return;
    chmodSync(home.folder, 0o500);
    await home.expectRefused("cannot be written (EACCES)");
    chmodSync(home.folder, 0o700);
  });

  test("the disk is full", async () => {
    await using home = await openInstalled();
    const disk = join(home.folder, "disk");
    mkdirSync(disk);
    const mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk];
    // Only root can mount.
    if (Bun.which("mount") === null || Bun.spawnSync(mount).exitCode !== 0) return;
    try {
      const path = join(disk, "bourse");
      writeFileSync(path, OLD);
      chmodSync(path, 0o755);
      const work = `# ${"x".repeat(100_000)}`;
      await home.server.publish("1.3.0", { [TARGET]: playedExecutable("1.3.0", TARGET, work) });
      const release = await readNewestRelease(home.server.settings);
      const given = { path, target: TARGET, server: home.server.settings, ...HERE, release };
      expect(await refusalOf(upgradeExecutable(given))).toMatch(
        `${disk} cannot be written (ENOSPC), and ${path} is unchanged. Its disk is full: free 150 MB, and try again.`,
      );
      expect(readdirSync(disk)).toEqual(["bourse"]);
      expect(readFileSync(path, "utf8")).toBe(OLD);
    } finally {
      Bun.spawnSync(["umount", disk]);
    }
  });
});

describe("an upgrade that is killed", () => {
  /** Kills an upgrade in another process as soon as `isReached`, then upgrades again. */
  async function killAt(
    home: Awaited<ReturnType<typeof openInstalled>>,
    reached: Promise<unknown>,
  ): Promise<void> {
    const { url, publicKey } = home.server.settings;
    const program = join(import.meta.dir, "../support/upgrade-process.ts");
    const child = spawnChild([...bunCommand(program), home.path, TARGET, url, publicKey]);
    await reached;
    expect(await refusalOf(home.upgrade())).toMatch("Another upgrade of");
    child.kill("SIGKILL");
    await child.exited;
    expect(readFileSync(home.path, "utf8")).toBe(OLD);
    expect(existsSync(`${home.path}.old`)).toBe(false);
    await home.server.publish("1.3.0", { [TARGET]: NEW });
    await home.upgrade();
    expect(readFileSync(home.path, "utf8")).toBe(NEW);
    expect(readdirSync(home.folder).toSorted()).toEqual(["bourse", "bourse.old"]);
  }

  test("while it downloads leaves the executable, and the next one succeeds", async () => {
    await using home = await openInstalled();
    const { promise, resolve } = Promise.withResolvers<void>();
    const half = (home.server.files.get(ARCHIVE) as Uint8Array).slice(0, 100);
    home.server.files.set(ARCHIVE, () => {
      resolve();
      // A body that never ends.
      const body = new ReadableStream({ start: (controller) => controller.enqueue(half) });
      return new Response(body);
    });
    await killAt(home, promise);
  });

  test("while it tries the new executable leaves the old one, and the next one succeeds", async () => {
    await using home = await openInstalled();
    // The new executable says that it was started, and waits for the end of the upgrade.
    using other = openFolder();
    const fifo = join(other.path, "started");
    Bun.spawnSync(["mkfifo", fifo]);
    const work = `echo started > '${fifo}'; exec tail --pid=$PPID -f /dev/null`;
    await home.server.publish("1.3.0", { [TARGET]: playedExecutable("1.3.0", TARGET, work) });
    await killAt(home, Bun.file(fifo).text());
  });

  test("between its last two steps has kept the old executable twice, and the next one succeeds", async () => {
    await using home = await openInstalled();
    linkSync(home.path, `${home.path}.old`);
    writeFileSync(`${home.path}.old.new`, "a part");
    writeFileSync(`${home.path}.new`, "a part");
    await home.upgrade();
    expect(readFileSync(home.path, "utf8")).toBe(NEW);
    expect(readFileSync(`${home.path}.old`, "utf8")).toBe(OLD);
    expect(readdirSync(home.folder).toSorted()).toEqual(["bourse", "bourse.old"]);
  });
});

test("a link in the place of a new file is replaced, and its target stays as it is", async () => {
  await using home = await openInstalled();
  using other = openFolder();
  const target = join(other.path, "precious");
  writeFileSync(target, "as it was");
  for (const place of [`${home.path}.new`, `${home.path}.old.new`]) symlinkSync(target, place);
  await home.upgrade();
  expect(readFileSync(target, "utf8")).toBe("as it was");
  expect(readFileSync(home.path, "utf8")).toBe(NEW);
});

/** The sentence with which an upgrade is refused. */
async function refusalOf(upgrade: Promise<void>): Promise<string> {
  const { message } = await expectError(() => upgrade, "unavailable");
  return message;
}

async function freePort(): Promise<number> {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = server;
  server.stop(true);
  return port;
}

const twoVersions = () =>
  ["1.3.0", "1.4.0"].map((one) => `${"0".repeat(64)}  bourse-${one}-linux-x64.tar.gz\n`).join("");
