import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import packages from "../package.json";
import { outputOf, resultOf, spawnChild } from "./support/child-process.ts";
import { temporaryFolder } from "./support/service.ts";

// Not part of the suite (no .test in its name): it needs `bun run release` first, root, debootstrap and lintian.

const { version } = packages;
const DEB = join(import.meta.dir, `../dist/release/bourse_${version}_amd64.deb`);
const { folder, remove } = temporaryFolder();
afterAll(remove);
const root = join(folder, "root");
const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", DEBIAN_FRONTEND: "noninteractive" };
const isPossible =
  process.getuid?.() === 0 && Bun.which("debootstrap", { PATH: env.PATH }) !== null;

/** What a script prints in the Debian of its own. It must end well. */
async function inside(script: string): Promise<string> {
  // Bun needs /proc. The mounts end with the process.
  const enter =
    'mount --bind /proc "$0/proc"; mount --bind /dev "$0/dev"; exec chroot "$0" sh -ec "$1"';
  const command = ["unshare", "--mount", "sh", "-ec", enter, root, script];
  const child = spawnChild(command, { env, stderr: "pipe" });
  const { code, stdout, stderr } = await resultOf(child);
  if (code !== 0) throw new Error(`${script} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}

const asBourse = (command: string) =>
  `runuser -u bourse -- bourse ${command} --data /var/lib/bourse`;

describe.skipIf(!isPossible)("the package for Debian", () => {
  test("has no error of lintian", async () => {
    const child = spawnChild(["lintian", "--allow-root", "--tag-display-limit", "0", DEB], {
      env,
      stderr: "pipe",
    });
    const { code, stdout } = await resultOf(child);
    expect(stdout.split("\n").filter((line) => line.startsWith("E:"))).toEqual([]);
    expect(code).toBe(0);
  });

  test("is installed, with a user, a unit and settings that only the service reads", async () => {
    await outputOf(["debootstrap", "--variant=minbase", "bookworm", root], { env });
    copyFileSync(DEB, join(root, "bourse.deb"));
    // The same package as an older version, for the upgrade.
    await inside(
      "dpkg-deb -R bourse.deb old && sed -i 's/^Version: .*/Version: 0.0.1/' old/DEBIAN/control && dpkg-deb -Znone -b old old.deb",
    );
    const said = await inside("dpkg -i old.deb");
    expect(said).toContain("systemctl enable --now bourse");
    expect(await inside("bourse --version")).toBe(`${version}\n`);
    expect(await inside("stat -c '%U:%G %a' /var/lib/bourse /etc/bourse/bourse.toml")).toBe(
      "bourse:bourse 700\nroot:bourse 640\n",
    );
    expect(await inside("grep ExecStart= /usr/lib/systemd/system/bourse.service")).toBe(
      "ExecStart=/usr/bin/bourse serve\n",
    );
  }, 400_000);

  test("keeps data and settings when it is upgraded or removed", async () => {
    await inside(asBourse("user add owner --plan unlimited"));
    await inside("echo 'port = 9191' >> /etc/bourse/bourse.toml");
    await inside("dpkg -i bourse.deb");
    expect(await inside("dpkg-query -W -f '${Version}' bourse")).toBe(version);
    const settings = await inside(asBourse("config"));
    expect(settings).toMatch(/port\s+9191\b/);
    expect(await inside(asBourse("user list"))).toContain("owner");
    expect(JSON.parse(await inside(asBourse("call get_markets")))).toHaveProperty("data");
    await inside("dpkg -r bourse");
    expect(await inside("ls /var/lib/bourse/access.db /etc/bourse/bourse.toml")).toContain("db");
    expect(await inside("test -e /usr/lib/systemd/system/bourse.service || echo gone")).toBe(
      "gone\n",
    );
    await inside("dpkg -i bourse.deb");
    expect(await inside(asBourse("user list"))).toContain("owner");
  }, 120_000);

  test("leaves nothing when it is purged", async () => {
    await inside("dpkg -P bourse");
    const left =
      "find / -xdev -path /proc -prune -o -name '*bourse*' -print | grep -v '^/bourse.deb'";
    expect(await inside(`${left} | grep -v ^/old || true`)).toBe("");
    expect(await inside("getent passwd bourse || true")).toBe("");
  }, 60_000);
});
