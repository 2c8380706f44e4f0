import { afterAll, describe, expect, test } from "bun:test";
import type { AnswerTo } from "#http/console-api.ts";
import { ConsoleClient, refusalOf } from "../support/console-client.ts";
import { startService } from "../support/service.ts";

const HOUR = 3_600_000;

const service = await startService();
service.accounts.addUser("owner", "unlimited");
service.accounts.addUser("alice", "max");
service.accounts.addUser("bob", "max");
const owner = await new ConsoleClient(service).signIn("owner");
const alice = await new ConsoleClient(service).signIn("alice");
afterAll(() => service.stop());

async function create(client: ConsoleClient, body: unknown): Promise<AnswerTo<"POST tokens">> {
  const response = await client.send("POST", "tokens", { body });
  expect(response.status).toBe(200);
  expect(response.headers.get("cache-control")).toBe("no-store");
  return (await response.json()) as AnswerTo<"POST tokens">;
}

describe("a token of the console", () => {
  test("is shown once, works over REST, is counted, and is refused after its revocation", async () => {
    const { id, token } = await create(alice, { label: "laptop", expires: "90d" });
    expect(token).toMatch(/^bourse_[0-9A-Za-z]{39}$/);
    const call = () => service.request("/data/markets", token);
    expect((await call()).status).toBe(200);

    const listed = await alice.send("GET", "tokens");
    const text = await listed.text();
    expect(text).not.toContain(token.slice(0, 16));
    expect(JSON.parse(text)).toEqual([
      {
        id,
        user: "alice",
        prefix: token.slice(0, 15),
        kind: "api",
        label: "laptop",
        createdAt: service.time.now,
        expiresAt: service.time.now + 90 * 24 * HOUR,
        rights: [],
        lists: null,
        asOf: null,
        revokedAt: null,
        lastUsedAt: service.time.now,
        callsToday: 1,
        callsThisHour: 1,
      },
    ]);

    expect((await alice.send("DELETE", `tokens/${id}`)).status).toBe(204);
    expect((await call()).status).toBe(401);
    expect((await alice.get("tokens"))[0]?.revokedAt).toBe(service.time.now);
    const [created, revoked] = service.accounts.listAudit({ limit: 2 }).toReversed();
    expect(created).toMatchObject({
      actor: "alice",
      action: "token created",
      subject: `token ${id} of alice (laptop), expires 2027-02-18T17:30Z`,
      address: "127.0.0.1",
    });
    expect(revoked).toMatchObject({ actor: "alice", action: "token revoked" });
  });

  test("can be in a past day, which the list shows, and has no right to lists then", async () => {
    service.accounts.addUser("paul", "max");
    const paul = await new ConsoleClient(service).signIn("paul");
    const body = { label: "past", expires: null, asOf: "2023-03-31" };
    const { token } = await create(paul, body);
    expect(await paul.get("tokens")).toMatchObject([{ label: "past", asOf: "2023-03-31" }]);
    const answer = await service.request("/data/stocks/AAPL/history?country=US&range=1w", token);
    expect(await answer.text()).toContain("2023-03-31");
    for (const wrong of [{ asOf: "2026-11-21" }, { rights: ["lists:write"] }]) {
      const refused = await paul.send("POST", "tokens", { body: { ...body, ...wrong } });
      expect(refused.status).toBe(400);
    }
  });

  test("shows the calls of a busy program as they were served, not those counted in advance", async () => {
    service.accounts.addUser("dora", "max");
    const dora = await new ConsoleClient(service).signIn("dora");
    const { id, token } = await create(dora, { label: "busy", expires: null });
    for (let calls = 1; calls <= 25; calls++) {
      service.time.now += 2;
      await service.request("/data/markets", token);
      const busy = (await dora.get("tokens")).find((one) => one.id === id);
      expect(busy).toMatchObject({ callsToday: calls, callsThisHour: calls });
    }
    const { hours } = await dora.get("usage?days=1");
    expect(hours.filter(({ tokenId }) => tokenId === id)).toMatchObject([{ calls: 25 }]);
  });

  test("keeps a label with markup as it is: pages show it as text", async () => {
    const label = `<img src=x onerror=alert(1)> "&amp;' 👨‍👩‍👧`;
    const { id } = await create(alice, { label, expires: null });
    const token = (await alice.get("tokens")).find((one) => one.id === id);
    expect(token).toMatchObject({ label, expiresAt: null });
  });

  test.each([
    [{ label: "a\u202eb", expires: null }, 400, "label"],
    [{ label: "a\nb", expires: null }, 400, "label"],
    [{ label: "\u0000", expires: null }, 400, "label"],
    [{ label: "x".repeat(65), expires: null }, 400, "64"],
    [{ label: 7, expires: null }, 400, "label"],
    [{ label: "a" }, 400, "expires is missing"],
    [{ label: "a", expires: "soon" }, 400, "expires must be a time such as 12h"],
    [{ label: "a", expires: "2020-01-01" }, 400, "in the past"],
    [{ label: "a", expires: 90 }, 400, "expires"],
    [{ label: "a", expires: "9999y" }, 400, "expires"],
    [{ label: "a", expires: null, user: "owner" }, 400, "unknown field"],
    [{ label: "a", expires: null, id: 1 }, 400, "unknown field"],
    ["[]", 400, "JSON object"],
    ["{", 400, "JSON object"],
  ] as const)("is not made of the body %j", async (body, status, words) => {
    const before = await alice.get("tokens");
    const refusal = await refusalOf(await alice.send("POST", "tokens", { body }));
    expect(refusal).toEqual([status, expect.stringContaining(words)]);
    expect(refusal[1]).not.toContain("`token");
    expect(await alice.get("tokens")).toEqual(before);
  });

  test("is not made beyond the plan", async () => {
    service.accounts.addUser("carol", "free");
    const carol = await new ConsoleClient(service).signIn("carol");
    await create(carol, { label: "", expires: null });
    const second = await carol.send("POST", "tokens", { body: { label: "", expires: null } });
    expect(await refusalOf(second)).toEqual([
      400,
      "carol holds 1 live token, as many as plan free allows; revoke one or ask for a larger plan.",
    ]);
  });
});

describe("tokens and usage of other users", () => {
  test("are not found, exactly as tokens that do not exist", async () => {
    const { id } = service.accounts.createToken("bob", "secret project", null);
    const foreign = await alice.send("DELETE", `tokens/${id}`);
    const unknown = await alice.send("DELETE", "tokens/999999");
    const [status, message] = await refusalOf(foreign);
    expect([status, message.replace(String(id), "999999")]).toEqual(await refusalOf(unknown));
    expect(status).toBe(404);
    expect(service.accounts.listTokens("bob")[0]?.revokedAt).toBeNull();
    expect(JSON.stringify(await alice.get("tokens"))).not.toContain("secret project");
  });

  test.each(["-1", "0x1", "1e3", "1.5", "abc", "9".repeat(30), "1%20", "%00"])(
    "the id %s is not found",
    async (id) => {
      expect((await alice.send("DELETE", `tokens/${id}`)).status).toBe(404);
    },
  );

  test("are forbidden by name, whether that user exists or not", async () => {
    for (const path of ["tokens?user=", "usage?user="]) {
      const answers = await Promise.all(
        ["bob", "ghost", "owner"].map(async (user) =>
          refusalOf(await alice.send("GET", path + user)),
        ),
      );
      expect(answers.map(([status]) => status)).toEqual([403, 403, 403]);
      expect(new Set(answers.map(([, message]) => message)).size).toBe(1);
      expect((await alice.send("GET", `${path}alice`)).status).toBe(200);
    }
  });

  test("are open to an admin, also to revoke", async () => {
    const { id } = service.accounts.createToken("bob", "lost", null);
    const tokens = await owner.get("tokens?user=bob");
    expect(tokens.map((token) => token.user)).toEqual(tokens.map(() => "bob"));
    expect((await owner.send("DELETE", `tokens/${id}`)).status).toBe(204);
    expect(service.accounts.listTokens("bob").find((one) => one.id === id)?.revokedAt).toBe(
      service.time.now,
    );
    expect(service.accounts.listAudit({ limit: 1 })[0]).toMatchObject({
      actor: "owner",
      subject: `token ${id} of bob (lost)`,
    });
    expect((await owner.send("GET", "tokens?user=ghost")).status).toBe(404);
    expect((await owner.send("GET", "usage?user=ghost")).status).toBe(404);
    expect((await owner.get("usage?user=bob")).hours).toEqual([]);
  });
});

describe("usage", () => {
  test("is the calls of the user's tokens by hour, the running hour included", async () => {
    service.accounts.addUser("dave", "pro");
    const dave = await new ConsoleClient(service).signIn("dave");
    const first = await create(dave, { label: "", expires: null });
    const second = await create(dave, { label: "", expires: null });
    const began = service.time.now;
    for (const { token } of [first, second, second]) {
      await service.request("/data/markets", token);
      // A token that calls less than once a second is not counted in advance.
      service.time.now += 2_000;
    }
    service.time.now += HOUR;
    await service.request("/data/markets", first.token);
    const hour = (of: number) => Math.floor(of / HOUR) * HOUR;
    const usage = await dave.get("usage?days=2");
    expect(usage).toEqual({
      daily: 5_000,
      hourly: 500,
      dayEndsAt: Date.parse("2026-11-21T00:00:00Z"),
      hourEndsAt: hour(began) + 2 * HOUR,
      isAhead: false,
      unit: "hour",
      hours: [
        { tokenId: first.id, at: hour(began), calls: 1, denied: 0 },
        { tokenId: second.id, at: hour(began), calls: 2, denied: 0 },
        { tokenId: first.id, at: hour(began) + HOUR, calls: 1, denied: 0 },
      ],
    });
    // The default is 30 days; above 7 days the entries are days.
    expect(await dave.get("usage?days=7")).toMatchObject({ unit: "hour" });
    expect(await dave.get("usage")).toMatchObject({ unit: "day" });
    expect(await dave.get("usage?days=400")).toMatchObject({
      unit: "day",
      hours: [{ calls: 2 }, { calls: 2 }],
    });
    service.time.now = began;
  });

  test.each(["0", "401", "-1", "1.5", "NaN", "1e2", "", "9".repeat(400), "30;", "Infinity"])(
    "of %s days is refused",
    async (days) => {
      const response = await alice.send("GET", `usage?days=${days}`);
      expect(await refusalOf(response)).toEqual([
        400,
        "days must be a whole number from 1 to 400.",
      ]);
    },
  );
});

test("plans are listed with their limits", async () => {
  expect(await alice.get("plans")).toEqual([
    { plan: "free", daily: 100, hourly: 30, tokens: 1 },
    { plan: "pro", daily: 5_000, hourly: 500, tokens: 5 },
    { plan: "max", daily: 50_000, hourly: 5_000, tokens: 20 },
    { plan: "unlimited", daily: null, hourly: null, tokens: 1_000 },
  ]);
});

test("GET calls has the calls of the user's own tokens over REST and MCP, with the symbol and the status of errors", async () => {
  const { id, token } = await create(alice, { label: "log", expires: null });
  await service.request("/data/stocks/AAPL/overview?country=US", token);
  await service.request("/data/stocks/NOSUCH/overview?country=US", token);
  await service.request("/data/macro/indicators?country=JP", token);
  await service.callTool(token, "get_stock_overview", { country: "US", symbol: "FPT" });
  await service.callTool(token, "get_stock_overview", { country: "XX", symbol: "FPT" });
  await service.callTool(token, "get_stock_overview", { country: "US", symbol: "bourse_secret" });
  await service.callTool(token, "compare_stocks", { symbols: ["US:AAPL", "JP:7203"] });
  // Its text would be asked of the object, which has none.
  await service.callTool(token, "compare_stocks", { symbols: [{ toString: 1 }] });
  await service.callTool(token, "no_such_tool", {});
  const other = await create(owner, { label: "other", expires: null });
  await service.request("/data/markets", other.token);
  const answer = await alice.send("GET", "calls");
  const text = await answer.text();
  expect(text).not.toContain("secret");
  const { calls, since } = JSON.parse(text) as AnswerTo<"GET calls">;
  expect(since).toBeLessThanOrEqual(service.time.now);
  const own = calls.filter(({ tokenId }) => tokenId === id);
  expect(
    own.map((one) => `${one.via} ${one.operation} ${one.subject} ${one.status}`).toSorted(),
  ).toEqual([
    "mcp compare_stocks  400",
    "mcp compare_stocks US:AAPL,JP:7203 200",
    "mcp get_stock_overview  400",
    "mcp get_stock_overview FPT 400",
    "mcp get_stock_overview FPT 404",
    "mcp unknown  404",
    "rest get_macro_indicators JP 200",
    "rest get_stock_overview AAPL 200",
    "rest get_stock_overview NOSUCH 404",
  ]);
  expect(calls.some(({ tokenId }) => tokenId === other.id)).toBe(false);
  const refused = await alice.send("GET", "calls?user=owner");
  expect(refused.status).toBe(403);
});

test("GET refusals has the reasons of the refused calls of the user's own tokens, by day", async () => {
  const { id, token } = await create(alice, { label: "refused", expires: null });
  const feed = await create(alice, { label: "feed", expires: null, kind: "feed" });
  const other = await create(owner, { label: "other", expires: null });
  await service.request("/data/markets", token);
  for (let i = 0; i < 2; i++) await service.request("/data/stocks/AAPL/overview?country=XX", token);
  await service.request(`/data/markets?bourse_${"x".repeat(39)}=1`, token);
  await service.callTool(token, "get_stock_overview", { country: "US", symbol: "NOSUCH" });
  await service.callTool(token, "get_stock_overview", { country: "US" });
  await service.callTool(token, "no_such_tool", {});
  const path = `/feed/${feed.token}/udf/symbols?symbol=NOSUCH`;
  expect((await fetch(service.origin + path)).status).toBe(404);
  await service.request("/data/markets?nosuch=1", other.token);
  const read = async (query = "") => {
    const text = await (await alice.send("GET", `refusals${query}`)).text();
    return { text, ...(JSON.parse(text) as AnswerTo<"GET refusals">) };
  };
  const { text, date, days, refusals } = await read();
  expect(text).not.toContain("xxx");
  expect(text).not.toContain(feed.token);
  const today = new Date(service.time.now).toISOString().slice(0, 10);
  expect(date).toBe(today);
  expect(days.find((one) => one.date === today)?.calls).toBeGreaterThanOrEqual(7);
  const own = refusals.filter(({ tokenId }) => tokenId === id);
  expect(
    own
      .map(
        (one) => `${one.via} ${one.operation} ${one.status} ${one.code} ${one.param} ${one.calls}`,
      )
      .toSorted(),
  ).toEqual([
    "mcp get_stock_overview 400 missing_argument symbol 1",
    "mcp get_stock_overview 404 not_found symbol 1",
    "mcp unknown 404 not_found  1",
    "rest get_markets 400 invalid_argument … 1",
    "rest get_stock_overview 400 invalid_argument country 2",
  ]);
  for (const { message } of own) expect(message).toMatch(/\w/);
  expect(refusals.find(({ tokenId }) => tokenId === feed.id)).toMatchObject({ via: "feed" });
  expect(refusals.some(({ tokenId }) => tokenId === other.id)).toBe(false);
  expect(await read("?date=2026-11-01")).toMatchObject({ date: "2026-11-01", refusals: [] });
  expect((await alice.send("GET", "refusals?date=yesterday")).status).toBe(400);
  expect((await alice.send("GET", "refusals?user=owner")).status).toBe(403);
  expect((await owner.send("GET", "refusals?user=alice")).status).toBe(200);
});

describe("a token that is replaced", () => {
  const replace = (id: number, keep: string, client = alice) =>
    client.send("POST", `tokens/${id}/replacement`, { body: { keep } });
  const call = (token: string) => service.request("/data/markets", token);

  test("has the label, rights and lifetime of the old one, which works until its new end", async () => {
    const { id, token } = await create(alice, {
      label: "agent",
      expires: "90d",
      rights: ["lists:write"],
    });
    const made = (await (await replace(id, "1h")).json()) as AnswerTo<"POST tokens">;
    const listed = (await (await alice.send("GET", "tokens")).json()) as AnswerTo<"GET tokens">;
    const [old, next] = [id, made.id].map((one) => listed.find((row) => row.id === one));
    expect(next).toMatchObject({
      label: "agent",
      rights: ["lists:write"],
      expiresAt: service.time.now + 90 * 24 * HOUR,
    });
    expect(old?.expiresAt).toBe(service.time.now + HOUR);
    expect([(await call(token)).status, (await call(made.token)).status]).toEqual([200, 200]);
    service.time.now += HOUR - 1;
    expect((await call(token)).status).toBe(200);
    service.time.now += 1;
    expect([(await call(token)).status, (await call(made.token)).status]).toEqual([401, 200]);
    expect((await replace(id, "1h")).status).toBe(400);
  });

  test("ends at once if nothing is kept, and never later than before", async () => {
    const { id, token } = await create(alice, { label: "short", expires: "1h" });
    const kept = (await (await replace(id, "7d")).json()) as AnswerTo<"POST tokens">;
    service.time.now += HOUR;
    expect((await call(token)).status).toBe(401);
    const other = await create(alice, { label: "now", expires: null });
    const made = (await (await replace(other.id, "0")).json()) as AnswerTo<"POST tokens">;
    expect([(await call(other.token)).status, (await call(made.token)).status]).toEqual([401, 200]);
    expect(kept.id).not.toBe(made.id);
  });

  test("belongs to its user: nobody else replaces it, an admin neither", async () => {
    const { id } = await create(alice, { label: "mine", expires: null });
    for (const client of [await new ConsoleClient(service).signIn("bob"), owner]) {
      expect((await replace(id, "0", client)).status).toBe(404);
    }
    expect((await replace(id, "9y")).status).toBe(400);
  });
});

test("a token is renamed by its user or an admin, and the audit log has both names", async () => {
  const { id } = await create(alice, { label: "before", expires: null });
  const rename = (label: string, client = alice) =>
    client.send("PATCH", `tokens/${id}`, { body: { label } });
  expect((await rename("after")).ok).toBe(true);
  expect((await rename("x".repeat(65))).status).toBe(400);
  expect((await rename("x", await new ConsoleClient(service).signIn("bob"))).status).toBe(404);
  const listed = (await (await alice.send("GET", "tokens")).json()) as AnswerTo<"GET tokens">;
  expect(listed.find((one) => one.id === id)?.label).toBe("after");
  const text = await (await owner.send("GET", "audit")).text();
  expect(text).toContain("token renamed");
  expect(text).toMatch(/before.* to after/);
});
