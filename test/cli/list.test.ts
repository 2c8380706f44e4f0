import { describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "#access/audit.ts";
import { UserData } from "#access/user-data.ts";
import { openAccess, openMarket } from "#store/index.ts";
import { expectFailure, openUsers } from "../support/cli.ts";
import { createSmallSample } from "../support/contract-market.ts";
import { instrument, SAMPLE } from "../support/market.ts";
import { START } from "../support/service.ts";

/** A folder with the users anna, who has two lists, and ben, who has none. */
async function openLists() {
  const users = await openUsers("anna", "ben");
  const access = openAccess(users.path);
  const data = new UserData({ access, clock: () => START, user: "anna", actor: COMMAND_LINE });
  await data.save("list", {
    name: "semis",
    items: [
      { country: "US", symbol: "NVDA", shares: 10, note: "long-term" },
      { country: "JP", symbol: "8035" },
    ],
  });
  await data.save("list", { name: "banks", items: [] });
  access.close();
  return users;
}

/** Puts the instruments of the lists into the market of a folder, which is small. */
function putInstruments(folder: string): void {
  createSmallSample(folder, START);
  const market = openMarket(folder);
  market.put("instruments", [instrument("US", "NVDA"), instrument("JP", "8035")], SAMPLE);
  market.close();
}

describe("list", () => {
  test("show names the lists of the oldest admin, or of another user, and prints the items of one", async () => {
    using users = await openLists();
    expect(await users.run("list", "show")).toEqual({
      code: 0,
      stdout:
        "LIST   ITEMS  CHANGED\n" +
        "banks      0  2026-11-20T17:30Z\n" +
        "semis      2  2026-11-20T17:30Z\n",
      stderr: "",
    });
    expect(await users.run("list", "show", "--user", "ben")).toMatchObject({
      code: 0,
      stdout: "ben has no list yet; `list save` and `list import` make one.\n",
    });
    expect(await users.run("list", "show", "Semis")).toEqual({
      code: 0,
      stdout:
        "COUNTRY  SYMBOL  SHARES  WEIGHT  NOTE\n" +
        "US       NVDA        10  —       long-term\n" +
        "JP       8035         —  —       —\n",
      stderr: "semis has 2 items.\n",
    });
    const { stdout } = await users.run("list", "show", "semis", "--json");
    expect(JSON.parse(stdout)).toEqual({
      name: "semis",
      items: [
        { country: "US", symbol: "NVDA", shares: 10, note: "long-term" },
        { country: "JP", symbol: "8035" },
      ],
      changed: "2026-11-20T17:30Z",
    });
  });

  test("save makes or replaces one; an item that is not understood is named, and nothing is saved", async () => {
    using users = await openLists();
    putInstruments(users.path);
    const save = (...argv: string[]) => users.run("list", "save", ...argv);
    expect(await save("Chips", "us:nvda=10", "8035.T", "--user", "ben")).toEqual({
      code: 0,
      stdout: "",
      stderr: "Saved the list chips of ben with 2 items.\n",
    });
    const shown = await users.run("list", "show", "chips", "--user", "ben", "--json");
    expect(JSON.parse(shown.stdout)).toMatchObject({
      name: "chips",
      items: [
        { country: "US", symbol: "NVDA", shares: 10 },
        { country: "JP", symbol: "8035" },
      ],
    });
    expect((await save("semis", "NVDA=40%,8035=60%")).stderr).toBe(
      "Replaced the list semis of anna with 2 items.\n",
    );
    expectFailure(await save("semis", "NVDA", "NVDAA", "=5"), "2 items of 3", "NVDAA", "=5");
    const { stdout } = await users.run("list", "show", "semis", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ items: [{ weight: 40 }, { weight: 60 }] });
    expectFailure(
      await save("株", "NVDA"),
      "The field name of the list is invalid. 1 to 40 letters",
    );
  });

  test("delete removes one, and the audit log names it", async () => {
    using users = await openLists();
    expect(await users.run("list", "delete", "semis", "--user", "anna")).toEqual({
      code: 0,
      stdout: "",
      stderr: "Deleted the list semis of anna.\n",
    });
    expect(JSON.parse((await users.run("list", "show", "--json")).stdout)).toMatchObject([
      { name: "banks" },
    ]);
    const { stdout } = await users.run("audit", "--limit", "1");
    expect(stdout).toContain("command line  list deleted  list semis of anna");
  });

  test.each([
    [["show", "semi"], "anna has no list semi (is it semis?)"],
    [["show", "semis", "--user", "ben"], "ben has no list semis"],
    [["delete", "semi"], "anna has no list semi (is it semis?)"],
    [["show", "--user", "eve"], "There is no user eve; `user list` shows all."],
    [["delete", "semis", "--user", "eve"], "There is no user eve; `user list` shows all."],
  ])("%j is refused in one sentence", async (argv, words) => {
    using users = await openLists();
    expectFailure(await users.run("list", ...argv), words);
  });
});
