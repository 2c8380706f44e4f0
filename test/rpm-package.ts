import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { rpmName } from "#deploy/rpm.ts";
import { RPM } from "#deploy/targets.ts";
import packages from "../package.json";
import { asBourse, CAN_MAKE_ROOT, DebianRoot, runHere } from "./support/debian-root.ts";
import { temporaryFolder } from "./support/service.ts";

// Not part of the suite (no .test in its name): it needs `bun run release` first, root, debootstrap and rpm.
// Its Debian has the programs that the scripts of the package call, as Fedora and openSUSE do.

const { version } = packages;
const RELEASE = join(import.meta.dir, "../dist/release");
const STAGED = join(import.meta.dir, "../dist/build/x86_64");
const file = join(RELEASE, rpmName("x86_64"));
const { folder, remove } = temporaryFolder();
afterAll(remove);
const root = new DebianRoot(folder);
const isPossible = CAN_MAKE_ROOT && Bun.which("rpm") !== null && existsSync(file);
if (!isPossible)
  process.stderr.write(
    "SKIPPED: the test of the rpm needs root, debootstrap, rpm and the release\n",
  );

async function output(...command: string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere(...command);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}

/** Changes the packages of the root. Its database does not know Debian's packages, so it can require none. */
const rpm = (...args: string[]) =>
  output("rpm", "--root", root.path, "--force-debian", "--nodeps", ...args);

/** The package with another version: the same files, for upgrades. */
async function packageOf(other: string): Promise<string> {
  const defines = {
    _topdir: join(folder, "build"),
    _rpmdir: folder,
    _rpmfilename: `${other}.rpm`,
    bourse_version: other,
    bourse_root: join(STAGED, "staged"),
  };
  await output(
    "rpmbuild",
    "-bb",
    "--quiet",
    "--target",
    "x86_64-linux",
    ...Object.entries(defines).flatMap(([name, value]) => ["--define", `${name} ${value}`]),
    join(STAGED, "bourse.spec"),
  );
  return join(folder, `${other}.rpm`);
}

describe.skipIf(!isPossible)("the package for Fedora, RHEL and openSUSE", () => {
  test("names its architecture, what it needs, and no machine that made it", async () => {
    for (const architecture of Object.values(RPM)) {
      const path = join(RELEASE, rpmName(architecture));
      const format = "%{NAME} %{VERSION} %{ARCH} %{BUILDHOST} %{LICENSE}";
      expect(await output("rpm", "-qp", "--queryformat", format, path)).toBe(
        `bourse ${version} ${architecture} reproducible MIT`,
      );
      expect(await output("rpm", "-qp", "--requires", path)).toContain("glibc >= 2.25\n");
      expect(await output("rpm", "-qp", "--configfiles", path)).toBe("/etc/bourse/bourse.toml\n");
    }
  });

  test("is installed, with a user, a unit and settings that only the service reads", async () => {
    await root.make();
    const said = await rpm("--install", await packageOf("0.0.1"));
    expect(said).toContain("systemctl enable --now bourse");
    expect(await root.run("bourse --version")).toBe(`${version}\n`);
    expect(await root.run("stat -c '%U:%G %a' /var/lib/bourse /etc/bourse/bourse.toml")).toBe(
      "bourse:bourse 700\nroot:bourse 640\n",
    );
    expect(await root.run("grep ExecStart= /usr/lib/systemd/system/bourse.service")).toBe(
      "ExecStart=/usr/bin/bourse serve\n",
    );
    expect(await root.run("zcat /usr/share/man/man1/bourse.1.gz | head -1")).toContain(version);
  }, 600_000);

  test("keeps data and settings when it is upgraded or removed", async () => {
    await root.run(asBourse("user add owner --plan unlimited"));
    await root.run("echo 'port = 9191' >> /etc/bourse/bourse.toml");
    expect(await rpm("--upgrade", file)).not.toContain("systemctl enable");
    expect(await output("rpm", "--root", root.path, "-q", "bourse")).toContain(`-${version}-1`);
    expect(await root.run(asBourse("config"))).toMatch(/port\s+9191\b/);
    expect(await root.run(asBourse("user list"))).toContain("owner");
    expect(JSON.parse(await root.run(asBourse("call get_markets")))).toHaveProperty("data");
    await rpm("--erase", "bourse");
    expect(
      await root.run("ls /var/lib/bourse/access.db /etc/bourse/bourse.toml.rpmsave"),
    ).toContain("rpmsave");
    const gone = "/usr/bin/bourse /usr/lib/systemd/system/bourse.service /usr/share/doc/bourse";
    expect(await root.run(`ls ${gone} 2>/dev/null || true`)).toBe("");
    // The user stays, because files belong to it.
    expect(await root.run("getent passwd bourse")).toContain("/var/lib/bourse");
    await rpm("--install", file);
    expect(await root.run(asBourse("user list"))).toContain("owner");
  }, 600_000);

  test("leaves nothing of an installation that was never started", async () => {
    await rpm("--erase", "bourse");
    await root.run("rm -r /var/lib/bourse /etc/bourse && userdel bourse");
    await rpm("--install", file);
    await rpm("--erase", "bourse");
    const left = "find / -xdev -path /proc -prune -o -name '*bourse*' -print";
    expect(await root.run(left)).toBe("");
  }, 600_000);
});
