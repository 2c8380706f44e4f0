import { afterAll, describe, expect, test } from "bun:test";
import {
  type Exchange,
  expectEveryAnswer,
  QUOTA_HEADERS,
  startHandMade,
  testExchanges,
} from "../support/contract-exchange.ts";
import { START, type TestService } from "../support/service.ts";

const world = await startHandMade();
afterAll(() => world.service.stop());

/** 2026-11-21T00:00:00Z and 2026-11-20T18:00:00Z, the resets after 17:30 on the 20th. */
const NEXT_DAY = 1_795_219_200;
const NEXT_HOUR = 1_795_197_600;

const numbers = (response: Response) =>
  QUOTA_HEADERS.slice(0, 3).map((name) => Number(response.headers.get(name)));

async function drain(service: TestService, token: string, calls: number): Promise<void> {
  for (let i = 0; i < calls; i++) await (await service.request("/data/markets", token)).text();
}

describe("quota headers", () => {
  test("the resets of this file are the next midnight and the next full hour", () => {
    expect(new Date(NEXT_DAY * 1000).toISOString()).toBe("2026-11-21T00:00:00.000Z");
    expect(new Date(NEXT_HOUR * 1000).toISOString()).toBe("2026-11-20T18:00:00.000Z");
  });

  test.each([
    ["free", 100, 30],
    ["pro", 5_000, 500],
    ["max", 50_000, 5_000],
  ] as const)("of plan %s count down from %d a day and %d an hour", async (plan, day, hour) => {
    const { service } = world;
    const { token } = service.createToken(plan);
    for (const used of [1, 2, 3]) {
      const response = await service.request("/data/markets", token);
      expect(numbers(response)).toEqual([day, day - used, NEXT_DAY]);
      expect(response.headers.get("ratelimit-policy")).toBe(
        `"daily";q=${day};w=86400, "hourly";q=${hour};w=3600`,
      );
      // 17:30: 6.5 hours to midnight, half an hour to 18:00.
      expect(response.headers.get("ratelimit")).toBe(
        `"daily";r=${day - used};t=23400, "hourly";r=${hour - used};t=1800`,
      );
    }
  });

  test("belong to the token, not to the user or the address", async () => {
    const { service } = world;
    const first = service.createToken("pro");
    const second = service.accounts.createToken(first.user, "second", null);
    await drain(service, first.token, 3);
    expect(numbers(await service.request("/data/markets", second.token))[1]).toBe(4_999);
  });

  test("describe the new plan from the next call on", async () => {
    const { service } = world;
    const { token, user } = service.createToken("free");
    await drain(service, token, 2);
    service.accounts.setPlan(user, "pro");
    expect(numbers(await service.request("/data/markets", token))).toEqual([
      5_000,
      4_997,
      NEXT_DAY,
    ]);
    service.accounts.setPlan(user, "free");
    expect(numbers(await service.request("/data/markets", token))).toEqual([100, 96, NEXT_DAY]);
  });

  test("show the day even if the hour is exhausted", async () => {
    const { service } = world;
    const { token } = service.createToken("free");
    await drain(service, token, 30);
    const denied = await service.request("/data/markets", token);
    expect(denied.status).toBe(429);
    expect(numbers(denied)).toEqual([100, 70, NEXT_DAY]);
    expect(denied.headers.get("ratelimit")).toBe('"daily";r=70;t=23400, "hourly";r=0;t=1800');
    expect(denied.headers.get("retry-after")).toBe("1800");
    const { error } = (await denied.json()) as { error: { type: string; message: string } };
    expect(error.type).toBe("rate_limit_error");
    expect(error.message).toContain("hourly");
    expect(error.message).toMatch(/upgrade/i);
  });

  test("a denied call does not count: all calls are available after the reset", async () => {
    const { service } = world;
    const { token } = service.createToken("free");
    try {
      await drain(service, token, 45);
      service.time.now = NEXT_HOUR * 1000 - 1;
      const stillDenied = await service.request("/data/markets", token);
      expect([stillDenied.status, stillDenied.headers.get("retry-after")]).toEqual([429, "1"]);
      service.time.now = NEXT_HOUR * 1000;
      // 30 counted in the hour before, 15 denied; this is the 31st of the day.
      expect(numbers(await service.request("/data/markets", token))[1]).toBe(69);
    } finally {
      service.time.now = START;
    }
  });

  test("an exhausted day waits for midnight, even if the hour has calls left", async () => {
    const { service } = world;
    const { token } = service.createToken("free");
    try {
      // 30 calls in each of three hours, then the last 10.
      for (const hour of [0, 1, 2, 3]) {
        service.time.now = START + hour * 3_600_000;
        await drain(service, token, 30);
      }
      const denied = await service.request("/data/markets", token);
      expect(denied.status).toBe(429);
      expect(numbers(denied)).toEqual([100, 0, NEXT_DAY]);
      // 20:30 to midnight.
      expect(denied.headers.get("retry-after")).toBe(String(3.5 * 3_600));
      expect(denied.headers.get("ratelimit")).toBe('"daily";r=0;t=12600, "hourly";r=20;t=1800');
      expect(await denied.text()).toContain("daily");
      service.time.now = NEXT_DAY * 1000;
      expect(numbers(await service.request("/data/markets", token))).toEqual([
        100,
        99,
        NEXT_DAY + 86_400,
      ]);
    } finally {
      service.time.now = START;
    }
  });

  test("if both windows are exhausted, the wait is the longer one", async () => {
    const { service } = world;
    const { token } = service.createToken("free");
    try {
      for (const [hour, calls] of [
        [0, 30],
        [1, 30],
        [2, 10],
        [3, 30],
      ] as const) {
        service.time.now = START + hour * 3_600_000;
        await drain(service, token, calls);
      }
      const denied = await service.request("/data/markets", token);
      expect(denied.headers.get("ratelimit")).toBe('"daily";r=0;t=12600, "hourly";r=0;t=1800');
      expect(denied.headers.get("retry-after")).toBe("12600");
    } finally {
      service.time.now = START;
    }
  });

  test("stay exact under parallel calls", async () => {
    const { service } = world;
    const { token } = service.createToken("free");
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => service.request("/data/markets", token)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
    const remaining = answers
      .filter(({ status }) => status === 200)
      .map((answer) => numbers(answer)[1] ?? 0);
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => 70 + i));
  });

  testExchanges(
    () => world,
    [
      {
        name: "stand on 304",
        path: "/data/markets",
        headers: { "if-none-match": "*" },
        status: 304,
      },
      { name: "stand on 400", path: "/data/sectors", status: 400, refusal: "invalid" },
      {
        name: "stand on 404",
        path: "/data/stocks/NOPE/overview?country=US",
        status: 404,
        refusal: "notFound",
      },
      {
        name: "do not stand on the OpenAPI document",
        path: "/openapi.json",
        status: 200,
        charged: false,
      },
    ],
  );
});

describe("ETag", () => {
  const etagOf = async () => {
    const response = await world.service.request("/data/sectors?country=US", world.token);
    await response.text();
    return response.headers.get("etag") ?? "";
  };

  test("is a weak tag and hashes the payload alone: it does not change with as_of", async () => {
    const { service } = world;
    const etag = await etagOf();
    expect(etag).toMatch(/^W\/"[\x21\x23-\x7e]+"$/);
    service.time.now = START + 31_000;
    try {
      expect(await etagOf()).toBe(etag);
    } finally {
      service.time.now = START;
    }
  });

  test("differs between payloads", async () => {
    const { service, token } = world;
    const japan = await service.request("/data/sectors?country=JP", token);
    expect(japan.headers.get("etag")).not.toBe(await etagOf());
  });

  test.each([
    ["the tag itself", (tag: string) => tag, 304],
    ["the tag as a strong one", (tag: string) => tag.slice(2), 304],
    ["a list that holds it", (tag: string) => `"x", W/"y" , ${tag}`, 304],
    ["a star", () => "*", 304],
    ["another tag", () => '"x"', 200],
    ["the tag without quotes", (tag: string) => tag.replaceAll('"', ""), 200],
    ["nothing", () => "", 200],
  ])("If-None-Match with %s", async (_, make, status) => {
    const { service, token } = world;
    const response = await service.request("/data/sectors?country=US", token, {
      headers: { "if-none-match": make(await etagOf()) },
    });
    expect(response.status).toBe(status);
    expectEveryAnswer(response);
    for (const name of ["etag", "cache-control", "x-data-source", "x-data-age", ...QUOTA_HEADERS]) {
      expect({ [name]: response.headers.has(name) }).toEqual({ [name]: true });
    }
    expect((await response.text()) === "").toBe(status === 304);
  });

  test("a 304 counts against the quota", async () => {
    const { service } = world;
    const { token } = service.createToken("pro");
    const headers = { "if-none-match": "*" };
    for (const left of [4_999, 4_998]) {
      const response = await service.request("/data/markets", token, { headers });
      expect([response.status, numbers(response)[1]]).toEqual([304, left]);
    }
  });

  test("an error has none and is never answered with 304", async () => {
    const { service, token } = world;
    const response = await service.request("/data/sectors?country=XX", token, {
      headers: { "if-none-match": "*" },
    });
    expect([response.status, response.headers.has("etag")]).toEqual([400, false]);
    expect(response.headers.has("cache-control")).toBe(false);
  });
});

describe("age and source", () => {
  test("Cache-Control counts down the rest of the 30 seconds", async () => {
    // A process has its own cache.
    const { service, token } = await startHandMade({ oneNode: true });
    service.time.now = START + 3_600_000;
    try {
      const header = async () =>
        (await service.request("/data/markets", token)).headers.get("cache-control");
      expect(await header()).toBe("private, max-age=30");
      service.time.now += 12_400;
      expect(await header()).toBe("private, max-age=17");
      service.time.now += 17_500;
      expect(await header()).toBe("private, max-age=0");
      service.time.now += 100;
      expect(await header()).toBe("private, max-age=30");
    } finally {
      await service.stop();
    }
  });

  test("X-Data-Source and X-Data-Age describe the records of the answer", async () => {
    const { service, token } = world;
    const ages = async () => {
      const { headers } = await service.request("/data/stocks/AAPL/overview?country=US", token);
      return [headers.get("x-data-source"), headers.get("x-data-age")];
    };
    // The hand-made records were stored an hour before the tests begin.
    expect(await ages()).toEqual(["test", "3600"]);
    service.time.now += 10_000;
    expect(await ages()).toEqual(["test", "3610"]);
    service.time.now = START;
  });

  test("an answer without any record has no source, over REST and MCP", async () => {
    const { service, token } = world;
    const rest = await service.request("/data/symbols?query=nosuchname", token);
    expect(((await rest.json()) as { data: unknown }).data).toMatchObject({ total: 0 });
    expect(rest.headers.has("x-data-source")).toBe(false);
    const { result } = await service.callTool(token, "list_symbols", { query: "nosuchname" });
    expect(result?._meta.source).toBeNull();
  });

  test("a shared cache cannot serve one caller's answer to another", async () => {
    const { service, token } = world;
    const { headers } = await service.request("/data/markets", token);
    expect(headers.get("cache-control")).toMatch(/^private\b/);
  });
});

describe("CORS", () => {
  const preflight = (path: string, method: string): Exchange => ({
    name: `preflight of ${method} ${path}`,
    method: "OPTIONS",
    path,
    caller: "none",
    headers: {
      origin: "https://app.example",
      "access-control-request-method": method,
      "access-control-request-headers": "authorization,content-type,mcp-protocol-version",
    },
    status: 204,
    charged: false,
    present: {
      "access-control-allow-methods": new RegExp(`\\b${method}\\b`),
      "access-control-allow-headers":
        /(?=.*authorization)(?=.*content-type)(?=.*if-none-match)(?=.*mcp-protocol-version)(?=.*mcp-method)(?=.*mcp-name)/i,
      "access-control-max-age": /^\d+$/,
    },
  });
  testExchanges(
    () => world,
    [
      preflight("/data/markets", "GET"),
      preflight("/data/stocks/AAPL/overview", "GET"),
      preflight("/openapi.json", "GET"),
      preflight("/mcp", "POST"),
      {
        ...preflight("/data/markets", "GET"),
        caller: "live",
        name: "a preflight with a token is free",
      },
    ],
  );

  test.each<[string, string, string, Record<string, string>]>([
    ["200", "GET", "/data/markets", {}],
    ["304", "GET", "/data/markets", { "if-none-match": "*" }],
    ["400", "GET", "/data/sectors", {}],
    ["404 of a symbol", "GET", "/data/stocks/NOPE/overview?country=US", {}],
    ["404 of a path", "GET", "/nothing", {}],
    ["405", "POST", "/data/markets", {}],
    ["415", "POST", "/mcp", {}],
  ])(
    "a script of any origin may read %s, its quota and its request id",
    async (_, method, path, more) => {
      const { service, token } = world;
      const headers = { origin: "https://app.example", ...more };
      const response = await service.request(path, token, { method, headers });
      expectEveryAnswer(response);
      const exposed = (response.headers.get("access-control-expose-headers") ?? "").toLowerCase();
      const names = exposed.split(",").map((name) => name.trim());
      for (const name of [
        ...QUOTA_HEADERS,
        "retry-after",
        "etag",
        "x-data-source",
        "x-data-age",
        "x-total-count",
        "link",
        "x-request-id",
      ]) {
        expect(names).toContain(name);
      }
    },
  );

  const ping = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  };
  test.each<[string, string, BunFetchRequestInit]>([
    ["data", "/data/sectors?country=VN&_n=1", {}],
    ["304", "/data/sectors?country=VN&_n=2", { headers: { "if-none-match": "*" } }],
    ["MCP", "/mcp?n=3", ping],
  ])("the router and the fast path answer %s with the same headers", async (_, path, init) => {
    const { service, token } = world;
    const ask = async () => {
      const { headers } = await service.request(path, token, init);
      const shared = [...headers].filter(([name]) => /^(access-control-|vary$)/.test(name));
      return Object.fromEntries(shared);
    };
    // The first request of a URL goes through the router, the second does not.
    const routed = await ask();
    expect(Object.keys(routed).sort()).toEqual([
      "access-control-allow-origin",
      "access-control-expose-headers",
      "vary",
    ]);
    expect(await ask()).toEqual(routed);
  });

  test("a script may read 401 and 429 too", async () => {
    const { service } = world;
    const { token } = service.createToken("free");
    expectEveryAnswer(await service.request("/data/markets", null));
    await drain(service, token, 30);
    const denied = await service.request("/data/markets", token);
    expect(denied.status).toBe(429);
    expectEveryAnswer(denied);
  });
});
