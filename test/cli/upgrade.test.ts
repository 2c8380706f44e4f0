import { describe, expect, test } from "bun:test";
import { describeInstaller, describeNextSteps } from "#cli/upgrade.ts";
import { RELEASES, VERSION } from "#domain/program.ts";
import { openFolder } from "../support/access.ts";
import { run, runAt } from "../support/cli.ts";
import { playedExecutable, ReleaseServer } from "../support/release-server.ts";

// The executable is upgraded in test/upgrade.ts, which needs a build.

const TARGET = "linux-x64";
const DAY_MS = 86_400_000;

async function openServer(version: string) {
  const server = new ReleaseServer();
  await server.publish(version, { [TARGET]: playedExecutable(version, TARGET) });
  return server;
}

/** The settings of the server, on a folder that does not exist, so that nothing is noted. */
const envOf = ({ env }: ReleaseServer) => ({ ...env, BOURSE_DATA: "/nowhere/bourse-data" });

describe("bourse upgrade", () => {
  test("run from the source changes nothing, and says how to get the newer source", async () => {
    await using server = await openServer("999.1.0");
    const { code, stdout, stderr } = await run(envOf(server), "upgrade");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(
      "This bourse runs from its source, not as an executable. Get the newer source: git pull, then start it again.\n",
    );
    expect(server.requests).toEqual([]);
  });

  test("--check says whether there is a newer version, also from the source", async () => {
    await using server = await openServer("999.1.0");
    const newer = await run(envOf(server), "upgrade", "--check");
    expect(newer).toEqual({
      code: 0,
      stdout: `bourse 999.1.0 is released; this is ${VERSION}.\n`,
      stderr: "",
    });
    const { stdout } = await run(envOf(server), "upgrade", "--check", "--json");
    expect(JSON.parse(stdout)).toEqual({
      version: VERSION,
      newest: "999.1.0",
      signedAt: "2026-11-19T17:30:00.000Z",
      upgraded: false,
    });
    await server.publish(VERSION, { [TARGET]: playedExecutable(VERSION, TARGET) });
    expect(await run(envOf(server), "upgrade", "--check")).toEqual({
      code: 0,
      stdout: `bourse ${VERSION} is the newest version. Nothing was changed.\n`,
      stderr: "",
    });
  });

  test("knows a version before a release by its whole name", async () => {
    await using server = await openServer("999.1.0-rc.2");
    const { stdout } = await run(envOf(server), "upgrade", "--check");
    expect(stdout).toBe(`bourse 999.1.0-rc.2 is released; this is ${VERSION}.\n`);
    const before = `${VERSION}-rc.1`;
    await server.publish(before, { [TARGET]: playedExecutable(before, TARGET) });
    // It is older than the release of the same number.
    expect((await run(envOf(server), "upgrade", "--check")).stderr).toContain(
      `The newest release of the server is ${before}, and this is ${VERSION}.`,
    );
  });

  test("never goes to an older version", async () => {
    await using server = await openServer("0.0.9");
    const { code, stderr } = await run(envOf(server), "upgrade", "--check");
    expect(code).toBe(1);
    expect(stderr).toContain(`The newest release of the server is 0.0.9, and this is ${VERSION}.`);
  });

  test("says how old the newest release is from 180 days on", async () => {
    await using server = await openServer("999.1.0");
    const signedAt = Date.parse("2026-11-19T17:30:00Z");
    const textAt = async (days: number) => {
      const clock = () => signedAt + days * DAY_MS;
      return (await runAt(clock, envOf(server), "upgrade", "--check")).stdout;
    };
    expect(await textAt(179.9)).toBe(`bourse 999.1.0 is released; this is ${VERSION}.\n`);
    expect(await textAt(180)).toBe(
      `bourse 999.1.0 is released; this is ${VERSION}. The newest release of the server was signed 180 days ago. A server can hide newer releases: compare it with the page of the project.\n`,
    );
    await server.publish(VERSION, { [TARGET]: playedExecutable(VERSION, TARGET) });
    expect(await textAt(400.5)).toStartWith(
      `bourse ${VERSION} is the newest version. Nothing was changed. The newest release of the server was signed 400 days ago.`,
    );
  });

  test("refuses a release that was signed before one that it saw", async () => {
    await using server = await openServer("999.1.0");
    using folder = openFolder();
    const check = () =>
      run({ ...envOf(server), BOURSE_DATA: folder.path }, "upgrade", "--check", "--json");
    expect((await check()).code).toBe(0);
    // The same version again, signed later, as its publisher may do without a new release.
    server.signedAt += DAY_MS;
    server.sign();
    expect((await check()).code).toBe(0);
    server.signedAt -= DAY_MS;
    await server.publish("999.0.9", { [TARGET]: playedExecutable("999.0.9", TARGET) });
    const { code, stderr } = await check();
    expect(code).toBe(1);
    expect(JSON.stringify(stderr)).toContain(
      "The server offers bourse 999.0.9, signed at 2026-11-19T17:30Z, but a release of 2026-11-20T17:30Z was seen before.",
    );
    // Times of another publisher are not compared.
    await using other = await openServer("999.0.9");
    const env = { ...envOf(other), BOURSE_DATA: folder.path };
    expect((await run(env, "upgrade", "--check")).code).toBe(0);
  });

  test.skipIf(RELEASES.url !== "")(
    "without a known release server names the two settings",
    async () => {
      const BOURSE_UPDATES_URL = "https://mirror.example.com";
      for (const env of [{}, { BOURSE_UPDATES_URL }]) {
        const { code, stderr } = await run(env, "upgrade", "--check");
        expect(code).toBe(1);
        expect(stderr).toMatch(/BOURSE_UPDATES_URL.*BOURSE_UPDATES_KEY/);
      }
    },
  );
});

describe("an executable that something else installed", () => {
  const none = () => false;
  test.each([
    ["/srv/app/node_modules/@alice/bourse-linux-x64/bourse", "npm install @alice/bourse@latest,"],
    [
      "C:\\app\\node_modules\\@alice\\bourse-windows-x64\\bourse.exe",
      "npx -y @alice/bourse@latest for one call.",
    ],
    [
      "/srv/node_modules/.pnpm/@alice+bourse-linux-x64@1.2.3/node_modules/@alice/bourse-linux-x64/bourse",
      "npm install @alice/bourse@latest,",
    ],
    ["/srv/app/node_modules/bourse-linux-x64/bourse", "install an archive of the release"],
    ["/usr/bin/bourse", "apt install ./bourse_VERSION_amd64.deb"],
    ["/usr/lib/bourse/bourse", "apt install"],
    ["/bin/bourse", "apt install"],
    ["/nix/store/abc-bourse/bin/bourse", "package manager"],
    ["/opt/homebrew/Cellar/bourse/1/bin/bourse", "package manager"],
  ])("%s is refused with what to do", (path, advice) => {
    expect(describeInstaller(path, none)).toContain(advice);
  });

  test("in an image, and in an extension of a desktop client", () => {
    const path = "/usr/local/bin/bourse";
    for (const mark of ["/.dockerenv", "/run/.containerenv"]) {
      const isMark = (one: string) => one === mark;
      expect(describeInstaller(path, isMark, () => false)).toContain("newer image");
      // A container for work, in which somebody unpacked the archive.
      expect(describeInstaller(path, isMark, () => true)).toBeNull();
    }
    const extension = "/home/anna/extensions/bourse/server/bourse";
    const manifest = "/home/anna/extensions/bourse/manifest.json";
    expect(describeInstaller(extension, (one) => one === manifest)).toContain(".mcpb");
  });

  test.each([
    ["/usr/local/bin/bourse"],
    ["/opt/bourse/bin/bourse"],
    ["/home/anna/bin/bourse"],
    ["/srv/server/bourse"],
    ["C:\\Tools\\bourse.exe"],
  ])("%s is upgraded", (path) => {
    expect(describeInstaller(path, none)).toBeNull();
  });
});

describe("the next steps", () => {
  /** The commands of the steps: everything but sentences and comments. */
  const commandsOf = (steps: string) =>
    steps
      .split("\n")
      .filter((line) => /^(\/|mv |sudo |systemctl )/.test(line) && !/ is /.test(line));

  test("back up before the restart, and the way back restores that backup", () => {
    const steps = describeNextSteps({
      path: "/opt/bourse",
      old: "/opt/bourse.old",
      newest: "999.1.0",
      folder: "/srv/data",
      isNode: false,
      hasUnit: false,
    });
    expect(commandsOf(steps)).toEqual([
      "/opt/bourse.old backup /srv/data/before-999.1.0.tar.gz --market --data /srv/data",
      "mv -f /opt/bourse.old /opt/bourse",
      "/opt/bourse restore /srv/data/before-999.1.0.tar.gz --data /srv/data",
    ]);
    expect(steps).toContain("a supervisor starts the new executable");
  });

  test("under systemd are those of the documentation, as its user and with the unit of each version", () => {
    const path = "/usr/local/bin/bourse";
    const steps = describeNextSteps({
      path,
      old: `${path}.old`,
      newest: "999.1.0",
      folder: "./bourse-data",
      isNode: false,
      hasUnit: true,
    });
    const archive = "/var/lib/bourse/before-999.1.0.tar.gz";
    expect(commandsOf(steps)).toEqual([
      `sudo -u bourse ${path}.old backup ${archive} --market --data /var/lib/bourse`,
      `${path} service install`,
      "systemctl restart bourse",
      "systemctl stop bourse",
      `mv -f ${path}.old ${path}`,
      `${path} service install`,
      `sudo -u bourse ${path} restore ${archive} --data /var/lib/bourse`,
      "systemctl start bourse",
    ]);
  });

  test("of a node of a cluster are in the documentation, because its data are in Postgres", () => {
    const steps = describeNextSteps({
      path: "/opt/bourse",
      old: "/opt/bourse.old",
      newest: "999.1.0",
      folder: "/srv/data",
      isNode: true,
      hasUnit: true,
    });
    expect(commandsOf(steps)).toEqual([]);
    expect(steps).toContain("dump the database");
    expect(steps).toContain("help maintenance");
  });
});
