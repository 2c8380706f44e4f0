import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openAccess } from "#store/index.ts";
import { listUsers } from "#store/users.ts";
import { openFolder, openTestAccess } from "../support/access.ts";
import { runProcess } from "../support/cli.ts";
import { expectError } from "../support/error.ts";

describe("changes by another process apply from the next call on", () => {
  test("a new user and token, a plan change, a revocation, a user's removal", async () => {
    using home = openTestAccess();
    // The guard checks expiry with its own clock, so both processes need the same time.
    home.time.now = Date.now();
    const program = async (...argv: string[]) => {
      const result = await runProcess([...argv, "--data", home.folder]);
      expect(result.code).toBe(0);
      return result.stdout.trim();
    };
    await program("user", "add", "anna", "--plan", "free");
    const token = await program("token", "create", "anna", "--expires", "1h");
    const charge = () => home.guard.charge(home.guard.authenticate(`Bearer ${token}`));
    expect(charge().quota.daily).toMatchObject({ limit: 100, remaining: 99 });

    await program("user", "plan", "anna", "pro");
    expect(charge().quota.daily).toMatchObject({ limit: 5_000, remaining: 4_998 });

    const second = await program("token", "create", "anna");
    await program("token", "revoke", "1");
    await expectError(charge, "invalid_token");
    expect(home.guard.authenticate(`Bearer ${second}`).tokenId).toBe(2);

    await program("user", "remove", "anna", "--yes");
    await expectError(() => home.guard.authenticate(`Bearer ${second}`), "invalid_token");
  });
});

describe("the program as a process", () => {
  test("without flag and variable keeps its data in ./bourse-data", async () => {
    using folder = openFolder();
    const { code, stderr } = await runProcess(["user", "add", "anna"], { cwd: folder.path });
    expect([code, stderr]).toEqual([0, "Added the user anna with plan free.\n"]);
    const access = openAccess(join(folder.path, "bourse-data"));
    expect(access.run(listUsers(0))).toHaveLength(1);
    access.close();
  });

  test("exits with 1 and one sentence on stderr", async () => {
    using folder = openFolder();
    const result = await runProcess(["user", "remove", "ghost", "--data", folder.path]);
    expect(result).toEqual({
      code: 1,
      stdout: "",
      stderr: "There is no user ghost; `user list` shows all, `user add ghost` adds one.\n",
    });
  });
});
