import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readTar, TarError, type TarFile, writeTar } from "#lib/tar.ts";
import { openFolder } from "../support/access.ts";

const MODIFIED = Date.parse("2026-11-20T17:30:00Z");

/** Sizes around the size of a block, and one of several chunks. */
const FILES: readonly (readonly [name: string, bytes: Buffer])[] = [
  ["empty", Buffer.alloc(0)],
  ["one", Buffer.from("1")],
  ["block", Buffer.alloc(512, "b")],
  ["block and one", Buffer.alloc(513, "c")],
  ["large.db", Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 167 + 13) % 256))],
];

const fileOf = ([name, bytes]: readonly [string, Buffer]): TarFile => ({
  name,
  size: bytes.length,
  content: new Blob([new Uint8Array(bytes)]).stream(),
});

async function pack(files: readonly TarFile[]): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(writeTar(files, MODIFIED)));
}

/** All files of an archive that arrives in chunks of `size` bytes. */
async function unpack(archive: Buffer, size = 1_000): Promise<[string, Buffer][]> {
  async function* chunks() {
    for (let i = 0; i < archive.length; i += size) yield archive.subarray(i, i + size);
  }
  const files: [string, Buffer][] = [];
  for await (const { name, content } of readTar(chunks())) {
    files.push([name, Buffer.concat(await Array.fromAsync(content))]);
  }
  return files;
}

/** The error of a promise, or null if it has none. */
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

function tar(...args: string[]): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync(["tar", ...args]);
  expect([stderr.toString(), exitCode]).toEqual(["", 0]);
  return stdout.toString();
}

describe("an archive", () => {
  test.each([1, 511, 512, 513, 1_000_000])(
    "is read as it was written, in chunks of %d bytes",
    async (size) => {
      const small = size === 1 ? FILES.slice(0, 4) : FILES;
      expect(await unpack(await pack(small.map(fileOf)), size)).toEqual([...small] as never);
    },
  );

  test("is extracted by the system's tar, with its time and for its owner only", async () => {
    using folder = openFolder();
    const path = join(folder.path, "a.tar");
    writeFileSync(path, await pack(FILES.map(fileOf)));
    expect(tar("-tf", path).trim().split("\n")).toEqual(FILES.map(([name]) => name));
    const times = tar("--utc", "--full-time", "-tvf", path).match(/2026-11-20 17:30:00/g);
    expect(times).toHaveLength(FILES.length);
    tar("-xf", path, "-C", folder.path);
    for (const [name, bytes] of FILES) {
      const file = join(folder.path, name);
      expect(readFileSync(file).equals(bytes)).toBe(true);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
  });

  test("has folders, owners and permissions that the system's tar names", async () => {
    using folder = openFolder();
    const path = join(folder.path, "a.tar");
    const data = { ...fileOf(["data/", Buffer.alloc(0)]), mode: 0o1777, owner: 10_001 };
    writeFileSync(path, await pack([data, { ...fileOf(["run", Buffer.from("#")]), mode: 0o755 }]));
    const lines = tar("--numeric-owner", "-tvf", path).trim().split("\n");
    expect(lines.map((line) => line.split(/\s+/).slice(0, 3))).toEqual([
      ["drwxrwxrwt", "10001/10001", "0"],
      ["-rwxr-xr-x", "0/0", "1"],
    ]);
  });

  test("of the system's tar is read", async () => {
    using folder = openFolder();
    for (const [name, bytes] of FILES) writeFileSync(join(folder.path, name), bytes);
    const path = join(folder.path, "a.tar");
    const names = FILES.map(([name]) => name);
    tar("--format=ustar", "-cf", path, "-C", folder.path, ...names);
    expect(await unpack(readFileSync(path))).toEqual([...FILES] as never);
  });

  test("is refused at every place where it can be cut off", async () => {
    const whole = await pack(FILES.slice(0, 4).map(fileOf));
    // Four headers, four blocks of contents (0, 1, 1 and 2) and two empty blocks at the end.
    expect(whole).toHaveLength(10 * 512);
    // Without the second empty block it is complete.
    for (let length = 0; length < whole.length - 512; length += 64) {
      const error = await failureOf(unpack(whole.subarray(0, length)));
      expect([length, error]).toEqual([length, expect.any(TarError)]);
    }
  });

  test("with a link, a folder, a long name or a wrong checksum is refused", async () => {
    using folder = openFolder();
    const at = (name: string) => join(folder.path, name);
    const long = "n".repeat(150);
    symlinkSync("/etc/passwd", at("link"));
    mkdirSync(at("folder"));
    writeFileSync(at(long), "x");
    for (const name of ["link", "folder", long]) {
      tar("-cf", at("a.tar"), "-C", folder.path, name);
      expect(await failureOf(unpack(readFileSync(at("a.tar"))))).toBeInstanceOf(TarError);
    }
    const broken = await pack([fileOf(["one", Buffer.from("1")])]);
    broken[0] = (broken[0] ?? 0) + 1;
    expect(await failureOf(unpack(broken))).toBeInstanceOf(TarError);
  });

  test("is not written with a name or a content that does not fit", async () => {
    const content = async function* () {
      yield new Uint8Array(3);
    };
    const files = [
      { name: "", size: 3 },
      { name: "n".repeat(101), size: 3 },
      { name: "é", size: 3 },
      { name: "large", size: 8 ** 11 },
      { name: "grew", size: 2 },
      { name: "shrank", size: 4 },
    ];
    for (const file of files) {
      expect(await failureOf(pack([{ ...file, content: content() }]))).toBeInstanceOf(TarError);
    }
  });
});
