import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { COMMAND_LINE } from "#access/audit.ts";
import { UserData } from "#access/user-data.ts";
import { RIGHT_NAMES } from "#domain/rights.ts";
import { dateOf } from "#lib/date.ts";
import { createMessageId, putAlertState, putMessage } from "#store/alerts.ts";
import { findUser } from "#store/users.ts";
import { startHandMade } from "../../support/contract-exchange.ts";

const { service } = await startHandMade();
afterAll(() => service.stop());
service.accounts.addUser("anna", "unlimited");
const { token } = service.accounts.createToken("anna", "t", null, "api", RIGHT_NAMES);
const { id: userId } = service.access.run(findUser("anna")) ?? { id: 0 };

/** The text of a tool's answer; an error begins with `ERROR`. */
async function call(name: string, args: unknown, by = token): Promise<string> {
  const { result, error } = await service.callTool(by, name, args);
  if (error) return `ERROR ${error.code} ${error.message}`;
  return `${result?.isError ? "ERROR " : ""}${result?.content[0]?.text ?? ""}`;
}

async function payload(name: string, args: unknown): Promise<Record<string, unknown>> {
  const text = await call(name, args);
  expect(text).not.toStartWith("ERROR");
  return (JSON.parse(text) as { data: Record<string, unknown> }).data;
}

const rowOf = async (name: string) => {
  const { columns, rows } = await payload("get_alerts", { name });
  const [row = []] = rows as unknown[][];
  return Object.fromEntries((columns as string[]).map((column, i) => [column, row[i]]));
};

describe("save_alert", () => {
  test("stores a rule in its usual form, and keeps what is left out", async () => {
    const saved = await payload("save_alert", {
      name: "Cheap Apple",
      watch: "aapl",
      when: "Price  below 1",
      title: "A bargain",
      quiet: "22-7",
    });
    expect(saved).toEqual({
      name: "cheap-apple",
      is_new: true,
      when: "price<1",
      to: [],
      true_now: [],
      source: null,
    });
    const again = await payload("save_alert", {
      name: "cheap-apple",
      repeat: "again",
      paused: true,
    });
    expect(again).toMatchObject({ is_new: false, when: "price<1" });
    expect(await rowOf("cheap-apple")).toEqual({
      name: "cheap-apple",
      watch: "US:AAPL",
      when: "price<1",
      repeat: "again",
      to: "",
      state: "paused, not judged yet",
      title: "A bargain",
      quiet: "22:00-07:00",
    });
    await payload("save_alert", {
      name: "cheap-apple",
      paused: false,
      quiet: "none",
      title: "none",
    });
    expect(await rowOf("cheap-apple")).toMatchObject({ quiet: null, title: null });
  });

  test("says for what the condition is true already", async () => {
    await payload("save_list", { name: "pair", items: ["AAPL", "7203.T"] });
    const one = await payload("save_alert", { name: "one", watch: "US:AAPL", when: "price>1" });
    expect(one).toMatchObject({
      true_now: ["US:AAPL"],
      note: "It is true now, which sends nothing: a message comes when it is true after it was not.",
    });
    const both = await payload("save_alert", {
      name: "both",
      watch: "list:Pair",
      when: "price>1",
    });
    expect(both["true_now"]).toEqual(["US:AAPL", "JP:7203"]);
    expect(both["note"]).toContain("It is true now for 2 of 2");
  });

  test("takes events, and releases without a watch", async () => {
    for (const when of ["earnings in 1d", "ex_date in 2d", "statement", "rating_change"]) {
      expect(await payload("save_alert", { name: "e", watch: "AAPL", when })).toMatchObject({
        when,
        true_now: [],
      });
    }
    const release = await payload("save_alert", { name: "e", when: "release cpi-yoy US" });
    expect(release["when"]).toBe("release cpi-yoy US");
    expect((await rowOf("e"))["watch"]).toBeNull();
    expect(release["note"]).toContain("no coming publication of");
  });

  test("is told again of each event, but of a condition once, if nothing else is written", async () => {
    for (const [name, when, repeat] of [
      ["every-report", "earnings in 1d", "again"],
      ["each-brief", "brief daily 07:30", "again"],
      ["one-price", "price<1", "once"],
    ]) {
      await payload("save_alert", { name, watch: "US:AAPL", when });
      const state = repeat === "again" ? "waiting" : "not judged yet";
      expect(await rowOf(name ?? "")).toMatchObject({ repeat, state });
      await payload("delete_alert", { name });
    }
  });

  test("goes to all channels of the user if it is new, and to those that are named", async () => {
    const data = new UserData({
      access: service.access,
      clock: () => service.time.now,
      user: "anna",
      actor: COMMAND_LINE,
    });
    for (const name of ["phone", "mail"])
      await data.save("channel", {
        name,
        kind: "ntfy",
        url: `https://ntfy.example/${name}-secret`,
      });
    const args = { name: "to", watch: "AAPL", when: "price<1" };
    expect((await payload("save_alert", args))["to"]).toEqual(["mail", "phone"]);
    expect((await payload("save_alert", { ...args, to: "Phone" }))["to"]).toEqual(["phone"]);
    expect((await payload("save_alert", args))["to"]).toEqual(["phone"]);
    expect((await payload("save_alert", { ...args, to: ["mail", "phone"] }))["to"]).toEqual([
      "mail",
      "phone",
    ]);
    expect((await payload("save_alert", { ...args, to: [] }))["to"]).toEqual([]);
    expect((await payload("save_alert", { ...args, to: "none" }))["to"]).toEqual([]);
    const text = await call("get_alerts", {});
    expect(text).toContain("phone (ntfy, ntfy.example)");
    expect(text).not.toContain("secret");
    for (const name of ["phone", "mail"]) await data.remove("channel", name);
  });

  test.each([
    [{ when: "price<380" }, "watch must be a symbol or a list"],
    [{ watch: "AAPL" }, "a new one needs when: price<380"],
    [{ watch: "AAPL", when: "prise<380" }, "price"],
    [{ watch: "AAPL", when: "cheap" }, "when must be a condition"],
    [{ watch: "AAPL,MSFT", when: "price<3" }, "watch takes one symbol or one list"],
    [{ watch: "ZZZZQ", when: "price<3" }, "ZZZZQ"],
    [{ watch: "pair", when: "price<3" }, "Write it as list:pair"],
    [{ watch: "list:nothing", when: "price<3" }, "nothing"],
    [{ watch: "AAPL", when: "release CPI US" }, "watches no stock"],
    [{ when: "release Nonsense US" }, "Nonsense"],
    [{ watch: "AAPL", when: "price<3", to: "pager" }, "There is no channel pager"],
    [{ watch: "AAPL", when: "price<3", quiet: "night" }, "quiet must be two different times"],
    [{ watch: "AAPL", when: "price<3", quiet: "25-07" }, "quiet must be two different times"],
  ])("refuses %j", async (args, says) => {
    const text = await call("save_alert", { name: "wrong", ...args });
    expect(text).toStartWith("ERROR ");
    expect(text).toContain(says);
    expect(await call("get_alerts", { name: "wrong" })).toContain("There is no alert wrong");
  });

  test.each([
    [{ watch: "US:^GSPC", when: "earnings in 1d" }, "of type index, which has no earnings"],
    [{ watch: "US:^GSPC", when: "ex_date in 2d" }, "of type index, which has no ex_date"],
    [{ watch: "AAPL", when: "price<200000" }, "is that in another unit?"],
  ])("is told that no message comes of %j", async (args, says) => {
    const { note } = await payload("save_alert", { name: "never", ...args });
    expect(note).toContain(says);
    await payload("delete_alert", { name: "never" });
  });

  test("refuses a token in a past day, which makes no rules", async () => {
    const day = dateOf(service.time.now);
    const dated = service.accounts.createToken("anna", "d", null, "api", [], null, day).token;
    const args = { name: "x", watch: "AAPL", when: "price<1" };
    expect(await call("save_alert", args, dated)).toStartWith("ERROR ");
    expect(await call("get_alerts", {}, dated)).toContain("ERROR ");
  });
});

describe("get_alerts", () => {
  test("shows what is known of rules, and pages through messages", async () => {
    await payload("save_alert", { name: "seen", watch: "list:pair", when: "price<1" });
    const put = (about: string, is: boolean | null, fired?: true) =>
      service.access.run(
        putAlertState({ userId, alert: "seen", about, json: JSON.stringify({ is, fired }) }, 1),
      );
    put("US:AAPL", true);
    put("JP:7203", null);
    expect((await rowOf("seen"))["state"]).toBe("true now for 1 of 2, 1 unknown");
    put("US:AAPL", true, true);
    expect((await rowOf("seen"))["state"]).toBe("fired for 1 of 2, true now for 1 of 2, 1 unknown");
    put("JP:7203", false, true);
    expect((await rowOf("seen"))["state"]).toBe("fired, true now for 1 of 2");
    await payload("save_alert", { name: "seen", repeat: "again" });
    put("US:AAPL", true, true);
    expect((await rowOf("seen"))["state"]).toStartWith("true now for 1 of");
    const at = service.time.now;
    for (let i = 0; i < 31; i++) {
      const facts = JSON.stringify({ kind: "test", channel: `c${i}` });
      service.access.transaction(() =>
        putMessage(
          userId,
          { id: createMessageId(), alert: "seen", kind: "test", at: at - i, facts },
          ["phone"],
        ),
      );
    }
    const first = await payload("get_alerts", { show: "messages", name: "seen" });
    expect(first["columns"]).toEqual(["at", "alert", "title", "text", "sent"]);
    const rows = first["rows"] as string[][];
    expect(rows).toHaveLength(30);
    expect(rows[0]?.[0]).toBe(new Date(at).toISOString());
    expect(rows[0]?.[3]).toContain("c0");
    expect(rows[0]?.[4]).toBe("phone due");
    const next = await payload("get_alerts", { show: "messages", cursor: first["next_cursor"] });
    expect((next["rows"] as string[][]).map((row) => row[0])).toEqual([
      new Date(at - 30).toISOString(),
    ]);
    expect(await call("get_alerts", { show: "messages", cursor: "x" })).toContain("next_cursor");
    expect(await call("get_alerts", { name: "sen" })).toContain("is it seen?");
  });

  test("says that a list is gone, or that a share is not listed", async () => {
    await payload("save_list", { name: "gone", items: ["AAPL"] });
    await payload("save_alert", { name: "idle", watch: "list:gone", when: "price<1" });
    await payload("save_alert", { name: "index", watch: "list:gone", when: "statement" });
    await payload("delete_list", { name: "gone" });
    expect((await rowOf("idle"))["state"]).toBe("there is no list:gone");
    expect((await rowOf("index"))["state"]).toBe("there is no list:gone");
    await payload("save_alert", { name: "idle", watch: "US:AAPL" });
    const { market } = service;
    const instrument = market.instruments.find({ country: "US", symbol: "AAPL" });
    const find = spyOn(market.instruments, "find").mockReturnValue(
      instrument && { ...instrument, delistedAt: 1 },
    );
    expect((await rowOf("idle"))["state"]).toBe("US:AAPL is not listed");
    find.mockRestore();
  });

  test("shows nothing of another user, and deleted alerts are gone", async () => {
    service.accounts.addUser("ben", "unlimited");
    const other = service.accounts.createToken("ben", "t", null, "api", RIGHT_NAMES).token;
    expect(JSON.parse(await call("get_alerts", {}, other))).toMatchObject({ data: { rows: [] } });
    expect(await call("delete_alert", { name: "seen" }, other)).toStartWith("ERROR ");
    expect(await payload("delete_alert", { name: "Seen" })).toMatchObject({ deleted: "seen" });
    expect(await call("get_alerts", { name: "seen" })).toContain("There is no alert seen");
  });
});
