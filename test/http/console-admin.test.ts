import { afterAll, describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { Backups } from "#service/backups.ts";
import { SOURCES } from "#service/live.ts";
import { VERSION } from "#domain/program.ts";
import { BourseError } from "#domain/errors.ts";
import { ENDPOINTS } from "#http/console-api.ts";
import { migrationsOf } from "../support/access.ts";
import { ConsoleClient, refusalOf } from "../support/console-client.ts";
import { stock } from "../support/market.ts";
import { START, startService, type TestService } from "../support/service.ts";

const service = await startService({ sample: false });
service.accounts.addUser("owner", "unlimited");
service.accounts.addUser("alice", "free");
const owner = await new ConsoleClient(service).signIn("owner");
const alice = await new ConsoleClient(service).signIn("alice");
afterAll(() => service.stop());

/** The roles of all users, read past the console. */
const rolesOf = () =>
  Object.fromEntries(service.accounts.listUsers().map(({ name, role }) => [name, role]));

describe("the endpoints of admins", () => {
  const endpoints = ENDPOINTS.filter(({ role }) => role === "admin").map(
    ({ method, path }) => [method, path.replaceAll(/:\w+/g, "1")] as const,
  );

  test("are all of users, the audit log, sources and the service", () => {
    expect(endpoints.map((one) => one.join(" "))).toEqual(
      expect.arrayContaining([
        "GET users",
        "POST users",
        "PATCH users/1",
        "DELETE users/1",
        "GET audit",
        "GET audit.csv",
        "GET user-days",
        "GET user-days.csv",
        "GET sources",
        "GET status",
        "POST backup",
      ]),
    );
  });

  test.each(endpoints)(
    "%s %s is forbidden for a user, without one it is 401",
    async (method, path) => {
      const before = [service.accounts.listUsers(), service.accounts.listAudit({ limit: 1 })];
      const body = method === "POST" || method === "PATCH" ? {} : undefined;
      const [status, message] = await refusalOf(await alice.send(method, path, { body }));
      expect([status, message]).toEqual([403, expect.stringContaining("Only an admin")]);
      expect((await new ConsoleClient(service).send(method, path, { body })).status).toBe(401);
      expect([service.accounts.listUsers(), service.accounts.listAudit({ limit: 1 })]).toEqual(
        before,
      );
    },
  );

  test("are closed from the request after a demotion", async () => {
    service.accounts.addUser("temp", "free", "admin");
    const temp = await new ConsoleClient(service).signIn("temp");
    expect((await temp.send("GET", "users")).status).toBe(200);
    expect((await owner.send("PATCH", "users/temp", { body: { role: "user" } })).status).toBe(200);
    expect((await temp.send("GET", "users")).status).toBe(403);
    service.accounts.removeUser("temp");
  });
});

describe("users", () => {
  test("are added, changed, listed and removed, each with an entry in the audit log", async () => {
    const added = await owner.send("POST", "users", {
      body: { name: "bob", plan: "pro", role: "user" },
    });
    const bob = {
      name: "bob",
      role: "user",
      plan: "pro",
      createdAt: service.time.now,
      hasPassword: false,
      liveTokens: 0,
      callsToday: 0,
      callsThisHour: 0,
    } as const;
    expect(await added.json()).toEqual(bob);
    const changed = await owner.send("PATCH", "users/bob", {
      body: { plan: "max", role: "admin" },
    });
    expect(await changed.json()).toEqual({ ...bob, plan: "max", role: "admin" });
    const users = await owner.get("users");
    expect(users.map(({ name }) => name)).toEqual(["alice", "bob", "owner"]);
    expect((await owner.send("DELETE", "users/bob")).status).toBe(204);
    expect(await owner.get("users")).toHaveLength(2);
    const entries = (await owner.get("audit")).slice(0, 4);
    expect(entries.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
      ["owner", "user removed", "user bob (admin, plan max)"],
      ["owner", "plan changed", "user bob: pro to max"],
      ["owner", "role changed", "user bob: user to admin"],
      ["owner", "user added", "user bob (user, plan pro)"],
    ]);
    expect(entries.map(({ address }) => address)).toEqual(entries.map(() => "127.0.0.1"));
  });

  test.each([
    [{ name: "a b", plan: "free", role: "user" }, "A user's name has"],
    [{ name: "<b>", plan: "free", role: "user" }, "A user's name has"],
    // The path of such a user would be another one.
    [{ name: "..", plan: "free", role: "user" }, "A user's name has"],
    [{ name: ".", plan: "free", role: "user" }, "A user's name has"],
    [{ name: "", plan: "free", role: "user" }, "A user's name has"],
    [{ name: "alice", plan: "free", role: "user" }, "exists already"],
    [{ name: "eve", plan: "gold", role: "user" }, "free, pro, max, unlimited"],
    [{ name: "eve", plan: "free", role: "root" }, "admin, user"],
    [{ name: "eve", plan: "free" }, "role is missing"],
    [{ name: "eve", plan: "free", role: "user", id: 1 }, "unknown field"],
    [{ name: ["eve"], plan: "free", role: "user" }, "name is invalid"],
  ])("are not added from %j", async (body, words) => {
    expect(await refusalOf(await owner.send("POST", "users", { body }))).toEqual([
      400,
      expect.stringContaining(words),
    ]);
    expect(Object.keys(rolesOf())).toEqual(["alice", "owner"]);
  });

  test.each([
    [{}, "Send plan, role or both"],
    [{ name: "mallory" }, "unknown field"],
    [{ plan: "pro", hasPassword: false }, "unknown field"],
    [{ __proto__: null, constructor: "x" }, "unknown field"],
    [{ plan: "PRO" }, "free, pro, max, unlimited"],
    [{ role: null }, "admin, user"],
  ])("are not changed by %j", async (body, words) => {
    expect(await refusalOf(await owner.send("PATCH", "users/alice", { body }))).toEqual([
      400,
      expect.stringContaining(words),
    ]);
    expect(service.accounts.listUsers()[0]).toMatchObject({ plan: "free", role: "user" });
  });

  test("that do not exist are not found", async () => {
    for (const [method, body] of [
      ["PATCH", { plan: "pro" }],
      ["PATCH", { role: "admin" }],
      ["DELETE", undefined],
    ] as const) {
      for (const name of ["ghost", "%3Cscript%3E", "..%2Fowner", "owner%00"]) {
        const response = await owner.send(method, `users/${name}`, { body });
        expect((await refusalOf(response))[0]).toBe(404);
      }
    }
  });

  test("keep at least one admin", async () => {
    for (const response of [
      await owner.send("DELETE", "users/owner"),
      await owner.send("PATCH", "users/owner", { body: { role: "user", plan: "free" } }),
    ]) {
      expect(await refusalOf(response)).toEqual([400, expect.stringContaining("only admin")]);
    }
    expect(rolesOf()).toEqual({ alice: "user", owner: "admin" });
    // The plan was not changed either.
    expect((await owner.get("me")).plan).toBe("unlimited");
  });

  test("lose their session and tokens when they are removed", async () => {
    service.accounts.addUser("gone", "free");
    const { token } = service.accounts.createToken("gone", "", null);
    const gone = await new ConsoleClient(service).signIn("gone");
    expect((await owner.send("DELETE", "users/gone")).status).toBe(204);
    expect((await gone.send("GET", "tokens")).status).toBe(401);
    expect((await service.request("/data/markets", token)).status).toBe(401);
  });
});

describe("the audit log", () => {
  test("is read in pages of 100, newest first", async () => {
    for (let i = 0; i < 120; i++) service.accounts.setPlan("alice", i % 2 === 0 ? "pro" : "free");
    const first = await owner.get("audit");
    const last = first.at(-1)?.id ?? 0;
    const second = await owner.get(`audit?before=${last}`);
    expect(first).toHaveLength(100);
    expect(second[0]?.id).toBe(last - 1);
    const ids = [...first, ...second].map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
  });

  test("is one file of all entries, or of those with a text", async () => {
    // More than are read at once.
    for (let i = 0; i < 1_001; i++) service.accounts.setPlan("alice", i % 2 === 0 ? "max" : "pro");
    const linesOf = async (path: string) => {
      const response = await owner.send("GET", path);
      expect(response.headers.get("content-disposition")).toContain("audit.csv");
      return (await response.text()).split("\r\n").slice(1, -1);
    };
    const all = service.accounts.listAudit({ limit: 100_000 });
    expect(all.length).toBeGreaterThan(1_001);
    expect(await linesOf("audit.csv")).toHaveLength(all.length);
    const added = all.filter(({ action }) => action === "user added");
    const found = await linesOf("audit.csv?find=User%20added");
    expect(found).toEqual(
      added.map(
        (one) =>
          `${new Date(one.at).toISOString()},${one.actor},user added,"${one.subject}",${one.address ?? ""}`,
      ),
    );
  });

  test.each(["0", "-1", "x", "1.5", "", "99999999999999999999"])(
    "before=%s is refused",
    async (before) => {
      const response = await owner.send("GET", `audit?before=${before}`);
      expect((await refusalOf(response))[0]).toBe(400);
    },
  );
});

const DAY = 86_400_000;
const HOUR = DAY / 24;

describe("the usage of all users by day", () => {
  /** A service of its own with a token of anna. */
  async function open() {
    const used = await startService({ sample: false, oneNode: true });
    used.accounts.addUser("owner", "unlimited");
    used.accounts.addUser("anna", "free");
    const signIn = () => new ConsoleClient(used).signIn("owner");
    const { token } = used.accounts.createToken("anna", "laptop", null);
    const call = async (path: string, times = 1) => {
      for (let i = 0; i < times; i++) await (await used.request(path, token)).text();
    };
    return { used, signIn, call, days: async () => (await (await signIn()).get("user-days")).days };
  }
  const MARKETS = "/data/markets?country=JP";
  const LISTS = "/data/lists";

  test("has calls, refused calls by code and operations, and no row without a call", async () => {
    const { used, signIn, call, days } = await open();
    expect(await days()).toEqual([]);
    await call(MARKETS, 2);
    await call("/data/markets?country=XX", 2);
    await call("/data/stocks/NOSUCH/overview?country=US");
    used.time.now += DAY;
    // Plan free has 30 calls an hour, so the last three are refused and not counted.
    await call(LISTS, 20);
    await call(MARKETS, 13);
    const rows = [
      {
        user: "anna",
        date: "2026-11-21",
        calls: 30,
        refused: [{ code: "rate_limited", calls: 3 }],
        isPart: false,
        operations: [
          { operation: "get_lists", calls: 20 },
          { operation: "get_markets", calls: 10 },
        ],
        remembered: 30,
      },
      {
        user: "anna",
        date: "2026-11-20",
        calls: 5,
        refused: [
          { code: "invalid_argument", calls: 2 },
          { code: "not_found", calls: 1 },
        ],
        isPart: false,
        operations: [{ operation: "get_markets", calls: 2 }],
        remembered: 2,
      },
    ];
    expect<unknown>(await days()).toEqual(rows);
    const file = await (await signIn()).send("GET", "user-days.csv");
    expect(file.headers.get("content-disposition")).toContain("usage.csv");
    expect((await file.text()).split("\r\n")).toEqual([
      "date,user,calls,refused,refused_is_part,refused_codes,operations,operations_of_calls",
      "2026-11-21,anna,30,3,false,rate_limited 3,get_lists 20; get_markets 10,30",
      "2026-11-20,anna,5,3,false,invalid_argument 2; not_found 1,get_markets 2,2",
      "",
    ]);
    // The seventh day is the last one, and a removed user has no rows.
    used.time.now += 6 * DAY;
    expect<unknown>(await days()).toEqual(rows.slice(0, 1));
    used.accounts.removeUser("anna");
    expect(await days()).toEqual([]);
    await used.stop();
  });

  test("says where refused calls are a part, because only the newest reasons are stored", async () => {
    const { used, call, days } = await open();
    used.accounts.setPlan("anna", "max");
    // A token keeps 200 reasons of a day.
    for (let i = 0; i < 201; i++) await call(`/data/markets?x${i}=1`);
    expect(await days()).toMatchObject([
      { calls: 201, refused: [{ code: "invalid_argument", calls: 200 }], isPart: true },
    ]);
    await used.stop();
  });
});

/** A service with live sources that are not called, and an admin who is signed in. */
async function openLive() {
  const live = await startService({
    sample: false,
    env: {
      BOURSE_MARKET: "live",
      BOURSE_SOURCES: "sec,entrade",
      BOURSE_CONTACT: "ops@example.com",
    },
  });
  live.accounts.addUser("owner", "unlimited");
  return { live, admin: await new ConsoleClient(live).signIn("owner") };
}

test("the terms of all sources need no session", async () => {
  const terms = await new ConsoleClient(service).get("terms");
  expect(terms).toEqual(
    SOURCES.map(({ name, official, fills, terms: text, isRedistributable = false }) => ({
      source: name,
      official,
      fills,
      terms: text,
      redistributable: isRedistributable,
    })),
  );
});

describe("the sources", () => {
  test("are none while the market is the sample", async () => {
    expect(await owner.get("sources")).toEqual([]);
  });

  test("have their state, last results and fetches by kind and country", async () => {
    const { live, admin } = await openLive();
    const { fetches } = live.market;
    const key = { country: "US", symbol: null } as const;
    fetches.recordSuccess("sec", { ...key, kind: "instruments" }, START - 5 * HOUR, 7_000);
    fetches.recordFailure("sec", { ...key, kind: "instruments" }, START - HOUR, "sec: HTTP 503");
    fetches.recordSuccess("sec", { ...key, kind: "statements", symbol: "AAPL" }, START - 3, 40);
    fetches.recordFailure(
      "sec",
      { ...key, kind: "statements", symbol: "X" },
      START - 2,
      "sec: <b>",
    );
    fetches.block("sec", START + HOUR);
    fetches.putHealth("sec", {
      answeredAt: START - 2 * HOUR,
      failedAt: START - 2,
      failingSince: START - HOUR,
      outages: [{ from: START - DAY, to: START - DAY + HOUR }],
    });
    fetches.recordSuccess("entrade", { kind: "bars", country: "VN", symbol: "FPT" }, START, 5);

    const sources = await admin.get("sources");
    expect(sources.map(({ source }) => source)).toEqual(SOURCES.map(({ name }) => name));
    const declared = SOURCES.find(({ name }) => name === "sec");
    expect(sources.find(({ source }) => source === "sec")).toEqual({
      source: "sec",
      official: true,
      state: "ready",
      fills: declared?.fills ?? "",
      terms: declared?.terms ?? "",
      lastSuccessAt: START - 3,
      lastErrorAt: START - 2,
      lastError: "sec: <b>",
      faulty: 0,
      blockedUntil: START + HOUR,
      // The last one has not ended.
      outages: [
        { from: START - HOUR, to: START },
        { from: START - DAY, to: START - DAY + HOUR },
      ],
      // The list failed, and one of two companies.
      verdict: "partly",
      advice: ["HTTP 503"],
      kinds: [
        {
          kind: "instruments",
          country: "US",
          companies: null,
          failed: 1,
          records: 7_000,
          succeededAt: START - 5 * HOUR,
          error: "sec: HTTP 503",
          // Listings are fetched every day.
          nextDueAt: START + 19 * HOUR,
        },
        {
          kind: "statements",
          country: "US",
          companies: 2,
          failed: 1,
          records: 40,
          succeededAt: START - 3,
          error: "sec: <b>",
          // The company that failed at START - 2 is tried again after six hours.
          nextDueAt: START - 2 + 6 * HOUR,
        },
      ],
    });
    const states = new Map(sources.map(({ source, state }) => [source, state]));
    expect([states.get("entrade"), states.get("yahoo")]).toEqual(["ready", "switched off"]);
    const verdicts = new Map(sources.map(({ source, verdict }) => [source, verdict]));
    expect([verdicts.get("entrade"), verdicts.get("yahoo")]).toEqual(["works", null]);
    await live.stop();
  });
});

describe("the status of the service", () => {
  test("has version, start, memory, requests, files and no progress for the sample", async () => {
    service.time.now += 60_000;
    await owner.get("status");
    service.time.now += 1_000;
    const status = await owner.get("status");
    const bytesOf = (name: string) =>
      ["", "-wal"].reduce((sum, end) => sum + statSync(join(service.folder, name + end)).size, 0);
    expect(status).toEqual({
      // This service has no market, as /health/ready says.
      health: {
        reasons: ["The market is empty: no list of instruments is stored yet."],
        warnings: [],
      },
      version: VERSION,
      startedAt: START,
      memoryBytes: expect.any(Number) as unknown as number,
      requestsPerSecond: expect.any(Number) as unknown as number,
      files: [
        {
          name: "access.db",
          bytes: bytesOf("access.db"),
          schema: migrationsOf(service.folder, "access.db"),
        },
        {
          name: "market.db",
          bytes: bytesOf("market.db"),
          schema: migrationsOf(service.folder, "market.db"),
        },
      ],
      exported: [],
      lastBackup: null,
      updates: null,
      progress: [],
      doors: { live: [], old: [], empty: [], refused: [], missing: [] },
      cluster: null,
    });
    expect(status.memoryBytes).toBeGreaterThan(10_000_000);
    // At least the first of these two requests was in the last minute.
    expect(status.requestsPerSecond).toBeGreaterThanOrEqual(0.02);
  });

  test("has the nodes of a cluster, and says if its database does not answer", async () => {
    const node = {
      id: "0b4fb5a1-4f3b-4b0e-8d6d-1b7f1a3c5e77",
      host: "one.example",
      version: "1.2.3",
      url: "http://10.0.0.1:8787",
      upMs: HOUR,
      applied: 40,
      leases: 7,
      seenMs: 900,
      lag: 2,
      isLeader: true,
      isGone: false,
      fault: null,
      differs: ["plan-free"],
    };
    let isDown = false;
    const list = () => {
      if (isDown) throw new BourseError("unavailable", "The cluster's database is down.");
      return [node];
    };
    const clustered = await startService({ sample: false, node: { list } });
    clustered.accounts.addUser("owner", "unlimited");
    const admin = await new ConsoleClient(clustered).signIn("owner");
    const readCluster = async () => (await admin.get("status")).cluster;
    expect(await readCluster()).toEqual({ nodes: [node] });
    isDown = true;
    expect(await readCluster()).toEqual({ nodes: null });
    await clustered.stop();
  });

  test("has the progress of the background refresh, and the time that it still needs", async () => {
    const { live, admin } = await openLive();
    const { market } = live;
    const symbols = ["A", "B", "C", "D", "E", "F"];
    market.transaction(() =>
      market.put(
        "instruments",
        symbols.map((symbol) => stock("US", symbol)),
        { source: "sec", storedAt: START },
      ),
    );
    const fetched = (symbol: string, at: number) =>
      market.fetches.recordSuccess("sec", { kind: "statements", country: "US", symbol }, at, 1);
    fetched("A", START - 8 * DAY);
    fetched("B", START - HOUR);
    fetched("C", START - 60_000);
    fetched("D", START - 240_000);
    const statements = async () => {
      const { progress } = await admin.get("status");
      return progress.find((one) => one.kind === "statements" && one.country === "US");
    };
    // Two companies in four minutes, so the other three and the list of all take eight. A is due again
    // after seven days.
    const common = { kind: "statements", country: "US", total: 7 };
    expect(await statements()).toEqual({
      ...common,
      done: 3,
      secondsLeft: 8 * 60,
      state: "fetching",
    });
    live.time.now += HOUR;
    expect(await statements()).toEqual({
      ...common,
      done: 3,
      secondsLeft: null,
      state: "fetching",
    });
    for (const symbol of symbols) fetched(symbol, live.time.now);
    const list = { kind: "statements", country: "US", symbol: null } as const;
    market.fetches.recordSuccess("sec", list, live.time.now, 6);
    expect(await statements()).toEqual({ ...common, done: 7, secondsLeft: 0, state: "given" });
    await live.stop();
  });
});

describe("what is still to come", () => {
  test("is nothing in the sample market", async () => {
    expect(await alice.get("arrivals")).toBeNull();
  });

  test("has the state of each kind, who refused, and advice for admins only", async () => {
    const { live, admin } = await openLive();
    const { fetches } = live.market;
    live.accounts.addUser("bob", "free");
    const user = await new ConsoleClient(live).signIn("bob");
    const list = { kind: "instruments", country: "US", symbol: null } as const;
    const statesOf = async () => {
      // An answer is kept for some seconds.
      live.time.now += 10_000;
      const found = await admin.get("arrivals");
      const states = found?.kinds.filter(({ country }) => country === "US") ?? [];
      return Object.fromEntries(states.map(({ kind, state }) => [kind, state]));
    };
    expect(await statesOf()).toEqual({ instruments: "waiting", statements: "waiting" });
    fetches.recordSuccess("sec", list, live.time.now, 0);
    // Statements are asked for by company.
    expect(await statesOf()).toEqual({ instruments: "empty", statements: "empty" });
    live.market.transaction(() =>
      live.market.put("instruments", [stock("US", "A"), stock("US", "B")], {
        source: "sec",
        storedAt: START,
      }),
    );
    fetches.recordSuccess("sec", list, live.time.now, 2);
    expect(await statesOf()).toEqual({ instruments: "given", statements: "waiting" });
    const missing = [{ what: "a file", why: "it is gone" }];
    fetches.recordSuccess("sec", list, live.time.now, 2, null, missing);
    fetches.recordFailure("sec", { ...list, kind: "statements" }, live.time.now, "sec: HTTP 403");
    fetches.block("sec", live.time.now + HOUR);
    const refused = {
      refusal: "403",
      refusedAt: START,
      blockedUntil: START + HOUR,
      identity: null,
    };
    fetches.putHost({ host: "www.sec.gov", ...refused });
    expect(await statesOf()).toEqual({ instruments: "part", statements: "refused" });
    const forAdmin = await admin.get("arrivals");
    expect(forAdmin).toMatchObject({ isOver: true, faults: ["sec: HTTP 403"] });
    const host = {
      host: "www.sec.gov",
      happened: "403",
      why: "it wants a contact with an email address",
      retryAt: START + HOUR,
    };
    expect(forAdmin?.refused).toEqual([
      expect.objectContaining({ ...host, toDo: expect.stringContaining("set BOURSE_CONTACT") }),
    ]);
    const forUser = await user.get("arrivals");
    expect(forUser?.refused).toEqual([expect.objectContaining({ ...host, toDo: null })]);
    expect(JSON.stringify(forUser)).not.toContain("BOURSE_");
    await live.stop();
  });
});

describe("a backup", () => {
  test("is refused with a sentence by a service without backups", async () => {
    const refusal = await refusalOf(await owner.send("POST", "backup"));
    expect(refusal).toEqual([503, "This service writes no backups."]);
  });

  test("is written now, and its result is the answer and in the status", async () => {
    const files: string[] = [];
    const results = [null, "The disk is full."];
    let parts: TestService | null = null;
    const folder = service.folder;
    const backups = new Backups({
      dataFolder: folder,
      config: { everyMs: null, keep: 3, folder: join(folder, "archives"), command: null },
      runCommand: async () => null,
      clock: () => parts?.time.now ?? START,
      log: { info() {}, warn() {}, error() {} },
      async write(file) {
        files.push(file);
        return results.shift() ?? null;
      },
    });
    const other = await startService({ folder, backups });
    parts = other;
    const admin = await new ConsoleClient(other).signIn("owner");
    const run = async () => (await (await admin.send("POST", "backup")).json()) as unknown;
    expect(await run()).toEqual({ at: START, error: null });
    expect(files).toEqual([join(folder, "archives", "bourse-20261120T173000Z.tar.gz")]);
    expect(await run()).toEqual({ at: START, error: "The disk is full." });
    expect((await admin.get("status")).lastBackup).toEqual({
      at: START,
      error: "The disk is full.",
    });
    await other.stop();
  });
});
