import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import packages from "../package.json";
import { asBourse, CAN_MAKE_ROOT, DebianRoot, runHere } from "./support/debian-root.ts";
import { temporaryFolder } from "./support/service.ts";

// Not part of the suite (no .test in its name): it needs `bun run release` first, root, debootstrap and lintian.

const { version } = packages;
const DEB = join(import.meta.dir, `../dist/release/bourse_${version}_amd64.deb`);
const { folder, remove } = temporaryFolder();
afterAll(remove);
const root = new DebianRoot(folder);
const inside = (script: string) => root.run(script);

describe.skipIf(!CAN_MAKE_ROOT)("the package for Debian", () => {
  test("has no error of lintian", async () => {
    const { code, stdout } = await runHere(
      "lintian",
      "--allow-root",
      "--tag-display-limit",
      "0",
      DEB,
    );
    expect(stdout.split("\n").filter((line) => line.startsWith("E:"))).toEqual([]);
    expect(code).toBe(0);
  });

  test("is installed, with a user, a unit and settings that only the service reads", async () => {
    await root.make();
    copyFileSync(DEB, join(root.path, "bourse.deb"));
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
  }, 600_000);

  test("is not replaced by bourse upgrade, which names the package", async () => {
    const said = await inside("bourse upgrade 2>&1 || true");
    expect(said).toContain("belongs to a package of the system");
    expect(said).toContain("apt install ./bourse_VERSION_amd64.deb");
  });

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
  }, 600_000);

  test("leaves nothing when it is purged", async () => {
    await inside("dpkg -P bourse");
    const left =
      "find / -xdev -path /proc -prune -o -name '*bourse*' -print | grep -v '^/bourse.deb'";
    expect(await inside(`${left} | grep -v ^/old || true`)).toBe("");
    expect(await inside("getent passwd bourse || true")).toBe("");
  }, 600_000);
});
