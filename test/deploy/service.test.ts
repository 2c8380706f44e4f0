import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { writeUnit } from "#cli/service-install.ts";
import { run } from "../support/cli.ts";
import { temporaryFolder } from "../support/service.ts";

const hasSystemd = Bun.which("systemd-analyze") !== null;

/** The unit as `bourse service install --print` gives it, that starts a program of this machine. */
async function writeRunnable(folder: string): Promise<string> {
  const { stdout } = await run({}, "service", "install", "--print");
  const path = join(folder, "bourse.service");
  await Bun.write(path, stdout.replace("/usr/local/bin/bourse", process.execPath));
  return path;
}

describe.skipIf(!hasSystemd)("the systemd unit", () => {
  test("is correct for systemd-analyze verify", async () => {
    const { folder, remove } = temporaryFolder();
    const checked = Bun.spawnSync(["systemd-analyze", "verify", await writeRunnable(folder)]);
    expect([checked.exitCode, checked.stderr.toString()]).toEqual([0, ""]);
    remove();
  });

  test("has an exposure below 2.0 for systemd-analyze security", async () => {
    const { folder, remove } = temporaryFolder();
    const path = await writeRunnable(folder);
    const { stdout } = Bun.spawnSync(["systemd-analyze", "security", "--offline=true", path]);
    const exposure = /exposure level for bourse\.service: ([\d.]+)/.exec(stdout.toString())?.[1];
    expect(Number(exposure)).toBeLessThan(2);
    remove();
  });
});

test("the unit gives the data folder to its user alone and restarts after a failure", async () => {
  const { stdout } = await run({}, "service", "install", "--print");
  for (const line of [
    "User=bourse",
    "StateDirectoryMode=0700",
    "UMask=0077",
    "Restart=on-failure",
  ]) {
    expect(stdout).toContain(`\n${line}\n`);
  }
});

test("everyone may read the unit, also under the umask of bourse", () => {
  const { folder, remove } = temporaryFolder();
  const path = join(folder, "bourse.service");
  const umask = process.umask(0o077);
  expect([writeUnit(path), writeUnit(path)]).toEqual([false, true]);
  process.umask(umask);
  expect((statSync(path).mode & 0o777).toString(8)).toBe("644");
  remove();
});

test("installing from source is refused with the command that builds", async () => {
  const { code, stderr } = await run({}, "service", "install");
  expect([code, stderr]).toEqual([1, expect.stringMatching(/run build`|has no systemd/)]);
});
