import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openFolder } from "../support/access.ts";
import { bunCommand, childEnv, endChildren, spawnChild } from "../support/child-process.ts";
import { exportInChild } from "#service/backup-process.ts";
import { MAIN, runOn } from "../support/cli.ts";
import { spawnServe } from "../support/serve-process.ts";

afterAll(endChildren);

const settingsIn = (archive: string) =>
  Bun.spawnSync(["tar", "-xzOf", archive, "settings.env"]).stdout.toString().split("\n");

describe("a backup by hand", () => {
  test("has the settings of the service, not those of its own shell, also after the service has ended", async () => {
    using folder = openFolder();
    const data = join(folder.path, "data");
    const service = await spawnServe(data, {
      flags: ["--market", "live", "--sources", "worldbank", "--gate-per-minute", "77"],
      env: { BOURSE_PLAN_FREE: "5/3/1" },
    });
    const backUp = async (name: string) => {
      const archive = join(folder.path, name);
      expect(await runOn(data, "backup", archive)).toMatchObject({ code: 0 });
      return settingsIn(archive);
    };
    const expected = ["BOURSE_GATE_PER_MINUTE=77", "BOURSE_PLAN_FREE=5/3/1", "BOURSE_MARKET=live"];
    expect(await backUp("during.tar.gz")).toEqual(expect.arrayContaining(expected));
    expect(await service.stop()).toBe(0);
    expect(await backUp("after.tar.gz")).toEqual(expect.arrayContaining(expected));
  }, 600_000);

  test("removes what a killed one left, and refuses the file of a running one", async () => {
    using folder = openFolder();
    const data = join(folder.path, "data");
    await runOn(data, "user", "add", "anna");
    const file = join(folder.path, "a.tar.gz");
    // A backup that waits in the middle of its work, where the test kills it.
    const script = join(folder.path, "held.ts");
    await Bun.write(
      script,
      `import { writeBackup } from "${join(MAIN, "../service/backup-archive.ts")}";
       await writeBackup({ dataFolder: "${data}", file: "${file}", withMarket: false, settings: {}, now: 0,
         copyAccess: async () => { console.log("held"); await new Promise(() => setInterval(() => {}, 1000)); } });`,
    );
    const held = spawnChild([...bunCommand(script)], {
      env: childEnv(),
      stdout: "pipe",
      stderr: "inherit",
    });
    const reader = held.stdout.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("held\n");
    const refused = await runOn(data, "backup", file);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("Wait until it ends"),
    ]);
    held.kill("SIGKILL");
    await held.exited;
    expect(existsSync(`${file}.partial`)).toBe(true);
    expect(await runOn(data, "backup", join(folder.path, "b.tar.gz"))).toMatchObject({ code: 0 });
    expect(readdirSync(folder.path).toSorted()).toEqual(["b.tar.gz", "data", "held.ts"]);
  }, 600_000);
});

describe("a backup of a service", () => {
  test("is told by its channel that the service is there", async () => {
    using folder = openFolder();
    const script = join(folder.path, "child.ts");
    await Bun.write(script, `console.error("connected", process.connected); process.exit(2);`);
    const options = {
      program: bunCommand(script),
      dataFolder: folder.path,
      env: childEnv(),
      signal: new AbortController().signal,
    };
    expect(await exportInChild(join(folder.path, "out"), options)).toBe("connected true");
  });

  test("ends with the service, also if it does not handle the request to end", async () => {
    using folder = openFolder();
    const script = join(folder.path, "child.ts");
    const out = join(folder.path, "out");
    await Bun.write(
      script,
      `process.on("SIGTERM", () => {});
       require("node:fs").mkdirSync(process.argv[3]);
       setInterval(() => {}, 1_000);`,
    );
    const stopping = new AbortController();
    const options = {
      program: bunCommand(script),
      dataFolder: folder.path,
      env: childEnv(),
      signal: stopping.signal,
      graceMs: 0,
    };
    const running = exportInChild(out, options);
    while (!existsSync(out)) await Bun.sleep(5);
    stopping.abort();
    expect(await running).toBe("The program ended with code 137.");
    expect(existsSync(out)).toBe(false);
  }, 600_000);

  test("ends if the service is gone", async () => {
    using folder = openFolder();
    // A command that waits for its input takes the place of a long backup.
    const child = spawnChild([...bunCommand(MAIN), "mcp", "--data", folder.path], {
      ipc() {},
      stdin: "pipe",
      stderr: "ignore",
    });
    const answer = child.stdout.getReader();
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
    await answer.read();
    child.disconnect();
    expect(await child.exited).toBe(1);
  });
});
