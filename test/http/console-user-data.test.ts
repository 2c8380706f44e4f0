import { afterAll, describe, expect, test } from "bun:test";
import { SMALL_BODY } from "#http/json-body.ts";
import { ConsoleClient, refusalOf } from "../support/console-client.ts";
import { startService } from "../support/service.ts";

const service = await startService();
for (const name of ["owner", "alice", "bob"]) service.accounts.addUser(name, "max");
const owner = await new ConsoleClient(service).signIn("owner");
const alice = await new ConsoleClient(service).signIn("alice");
const bob = await new ConsoleClient(service).signIn("bob");
afterAll(() => service.stop());

const APPLE = { country: "US", symbol: "AAPL", shares: 10, note: "long-term" };
const TOYOTA = { country: "JP", symbol: "7203" };

const put = (client: ConsoleClient, path: string, body: unknown) =>
  client.send("PUT", path, { body });
const settingsOf = async (client: ConsoleClient) => (await client.get("user-data")).settings;

describe("a list of the console", () => {
  test("is saved, listed, read in its order, replaced whole and deleted, each with its audit entry", async () => {
    const saved = await put(alice, "lists/semis", { items: [TOYOTA, APPLE] });
    const changedAt = service.time.now;
    expect(await saved.json()).toEqual({ name: "semis", isNew: true, changedAt });
    expect(await alice.get("lists")).toEqual([{ name: "semis", items: 2, changedAt }]);
    const read = { name: "semis", items: [TOYOTA, APPLE], changedAt };
    expect(await (await alice.send("GET", "lists/semis")).json()).toEqual(read);

    service.time.now += 1_000;
    const again = await put(alice, "lists/semis", { items: [APPLE] });
    expect(await again.json()).toEqual({
      name: "semis",
      isNew: false,
      changedAt: changedAt + 1_000,
    });
    expect(await (await alice.send("GET", "lists/semis")).json()).toMatchObject({ items: [APPLE] });

    expect((await alice.send("DELETE", "lists/semis")).status).toBe(204);
    expect(await alice.get("lists")).toEqual([]);
    const log = service.accounts.listAudit({ limit: 3 }).toReversed();
    expect(
      log.map(({ actor, action, subject, address }) => [actor, action, subject, address]),
    ).toEqual([
      ["alice", "list saved", "list semis of alice (2 items)", "127.0.0.1"],
      ["alice", "list saved", "list semis of alice (1 item)", "127.0.0.1"],
      ["alice", "list deleted", "list semis of alice", "127.0.0.1"],
    ]);
  });

  test("takes many items with the longest notes, in a body that other endpoints refuse", async () => {
    const listed = service.market.instruments.search({}, { limit: 1_000, after: null }).instruments;
    const items = listed.map(({ country, symbol }) => ({
      country,
      symbol,
      note: "株".repeat(200),
    }));
    expect(items.length).toBeGreaterThan(SMALL_BODY.maxContainers);
    expect(Buffer.byteLength(JSON.stringify(items))).toBeGreaterThan(SMALL_BODY.maxBytes);
    expect((await put(alice, "lists/long", { items })).status).toBe(200);
    expect((await alice.get("lists"))[0]).toMatchObject({ name: "long", items: items.length });
    expect((await alice.send("DELETE", "lists/long")).status).toBe(204);
  });

  test.each([
    [
      "semis",
      { items: [APPLE, { country: "US", symbol: "APPL" }] },
      404,
      "1 item of 2 is not understood: US:APPL is unknown. Is it US:AAPL?",
    ],
    ["semis", { items: [APPLE, APPLE] }, 400, "US:AAPL is in the list twice"],
    ["semis", { items: [{ ...APPLE, note: "a\nb" }] }, 400, "The note of US:AAPL has invisible"],
    [
      "semis",
      { items: [{ ...APPLE, note: "a\u202eb" }] },
      400,
      "The note of US:AAPL has invisible",
    ],
    ["semis", { items: [{ ...APPLE, note: "\u001b[31m" }] }, 400, "The note of US:AAPL has"],
    ["semis", { items: [{ ...APPLE, weight: 5 }] }, 400, "shares and a weight"],
    [
      "semis",
      { items: [TOYOTA, { ...APPLE, shares: "10" }] },
      400,
      "items[1].shares of the list is invalid. Number",
    ],
    [
      "semis",
      { items: [{ symbol: "AAPL" }] },
      400,
      "items[0].country of the list is missing. One of US, JP, VN",
    ],
    [
      "semis",
      { items: [{ ...APPLE, price: 1 }] },
      400,
      "items[0].price of the list is unknown. Its object takes country, symbol, shares, weight, note",
    ],
    [
      "semis",
      { items: Array.from({ length: 1_001 }, () => APPLE) },
      400,
      "At most 1000 instruments",
    ],
    ["semis", { items: "AAPL" }, 400, "items is invalid. It is a list"],
    ["semis", {}, 400, "items is missing"],
    ["semis", { items: [], name: "other" }, 400, "unknown field"],
    ["My List", { items: [] }, 400, "The field name of the list is invalid. 1 to 40 letters"],
    ["x".repeat(41), { items: [] }, 400, "1 to 40 letters"],
  ] as const)("is not saved as %.20s with %.60j", async (name, body, status, words) => {
    const refusal = await refusalOf(await put(alice, `lists/${encodeURIComponent(name)}`, body));
    expect(refusal).toEqual([status, expect.stringContaining(words)]);
    expect(await alice.get("lists")).toEqual([]);
  });

  test("of another user does not exist, also for an admin", async () => {
    await put(bob, "lists/secret-plan", { items: [APPLE] });
    for (const client of [alice, owner]) {
      expect(await client.get("lists")).toEqual([]);
      for (const method of ["GET", "DELETE"]) {
        const [status, message] = await refusalOf(await client.send(method, "lists/secret-plan"));
        expect([status, message.replace(/^\w+/, "X")]).toEqual([404, "X has no list secret-plan."]);
      }
      await put(client, "lists/secret-plan", { items: [] });
      await client.send("DELETE", "lists/secret-plan");
    }
    expect(await bob.get("lists")).toMatchObject([{ name: "secret-plan", items: 1 }]);
  });
});

describe("a screen of the console", () => {
  const SCREEN = {
    countries: ["JP", "US"],
    where: "pe<15,roe>10",
    sort: "-roe",
    columns: ["pe", "roe"],
  };

  test("is saved, listed, read and deleted", async () => {
    expect((await put(alice, "screens/cheap", SCREEN)).status).toBe(200);
    const changedAt = service.time.now;
    expect(await alice.get("screens")).toEqual([{ name: "cheap", items: 0, changedAt }]);
    const read = await alice.send("GET", "screens/cheap");
    expect(await read.json()).toEqual({ ...SCREEN, name: "cheap", changedAt });
    expect(await refusalOf(await bob.send("GET", "screens/cheap"))).toEqual([
      404,
      "bob has no screen cheap.",
    ]);
    expect((await alice.send("DELETE", "screens/cheap")).status).toBe(204);
    expect(await alice.get("screens")).toEqual([]);
  });

  test.each([
    [{ ...SCREEN, where: "pee<15" }, "pe"],
    [{ ...SCREEN, exchange: "マザーズ" }, "exchange must be one of NASDAQ,"],
    [{ ...SCREEN, sort: "-rooe" }, 'sort names "rooe"'],
    [{ ...SCREEN, columns: ["p/x"] }, "p/x"],
    [{ ...SCREEN, countries: [] }, "countries is invalid. It is a list of one to three countries"],
    [{ ...SCREEN, limit: 5 }, "unknown field"],
  ])("is not saved as %j", async (body, words) => {
    const refusal = await refusalOf(await put(alice, "screens/cheap", body));
    expect(refusal).toEqual([expect.any(Number), expect.stringContaining(words)]);
    expect(await alice.get("screens")).toEqual([]);
  });
});

describe("settings of the console", () => {
  test("are empty first, then those that were saved last, of this user only", async () => {
    expect(await settingsOf(alice)).toEqual({});
    const all = {
      theme: "dark",
      colors: "red-green",
      candles: "hollow",
      density: "compact",
      language: "ja",
      country: "JP",
      currency: "JPY",
      timeZone: "Asia/Tokyo",
      firstPage: "lists",
    };
    expect((await put(alice, "settings", all)).status).toBe(200);
    expect(await settingsOf(alice)).toEqual(all as object);
    expect(await settingsOf(bob)).toEqual({});
    await put(alice, "settings", { theme: "light" });
    expect(await settingsOf(alice)).toEqual({ theme: "light" });
    expect(service.accounts.listAudit({ limit: 1 })[0]).toMatchObject({
      actor: "alice",
      action: "settings saved",
      subject: "settings of alice",
    });
  });

  test.each([
    [{ theme: "pink" }, "theme is invalid. It is system, light or dark."],
    [{ colour: "red-green" }, "unknown field"],
    [{ currency: "XAU" }, "It is one of USD, JPY"],
    [{ timeZone: "Asia/Atlantis" }, "Asia/Atlantis is no time zone"],
    [{ timeZone: "../x y" }, "timeZone is invalid. It is the name of a time zone"],
    [{ country: null }, "It is one of US, JP, VN"],
  ])("are not saved as %j", async (body, words) => {
    const before = await settingsOf(alice);
    const refusal = await refusalOf(await put(alice, "settings", body));
    expect(refusal).toEqual([400, expect.stringContaining(words)]);
    expect(await settingsOf(alice)).toEqual(before);
  });
});

test("a removed user leaves nothing to the next user of the same name", async () => {
  service.accounts.addUser("eve", "max");
  const eve = await new ConsoleClient(service).signIn("eve");
  await put(eve, "lists/old", { items: [APPLE] });
  await put(eve, "settings", { theme: "dark" });
  service.accounts.removeUser("eve");
  service.accounts.addUser("eve", "max");
  const next = await new ConsoleClient(service).signIn("eve");
  expect(await next.get("lists")).toEqual([]);
  expect(await settingsOf(next)).toEqual({});
});
