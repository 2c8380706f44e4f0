import { instructionsFor } from "#mcp/identity.ts";
import { afterAll, describe, expect, test } from "bun:test";
import { createLog } from "#lib/log.ts";
import type { JsonObject } from "#mcp/json-rpc.ts";
import { ToolCalls } from "#mcp/tool-call.ts";
import type { DecodedRequest } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { TOOL_SETS } from "#operations/operation.ts";
import { expectEveryAnswer, QUOTA_HEADERS, startHandMade } from "../support/contract-exchange.ts";
import { START } from "../support/service.ts";

const world = await startHandMade();
afterAll(() => world.service.stop());

const used = (id = world.id) => world.service.used(id);

/** Calls a tool, which must be charged exactly once, whatever the result. */
async function charged(name: string, args: unknown) {
  const before = await used();
  const message = await world.service.callTool(world.token, name, args);
  expect((await used()) - before).toBe(1);
  return message;
}

/** Calls a tool that must answer with `isError`, and returns its text. */
async function toolError(name: string, args: unknown): Promise<string> {
  const { error, result } = await charged(name, args);
  expect(error).toBeUndefined();
  expect(result?.isError).toBe(true);
  expect(result?.structuredContent).toBeUndefined();
  expect(result?.content).toHaveLength(1);
  expect(result?.content[0]?.type).toBe("text");
  return result?.content[0]?.text ?? "";
}

describe("a result", () => {
  test("carries the REST body as text and as structuredContent, and the quota after the call", async () => {
    const { service } = world;
    const { token } = service.createToken("free");
    const rest = await service.request("/data/stocks/AAPL/overview?country=US", token);
    const body = await rest.text();
    const { result } = await service.callTool(token, "get_stock_overview", {
      country: "US",
      symbol: "AAPL",
    });
    expect(result?.content).toEqual([{ type: "text", text: body }]);
    expect(result?.structuredContent).toEqual(JSON.parse(body) as Record<string, unknown>);
    expect(result?.isError ?? false).toBe(false);
    expect(result?._meta).toEqual({
      quota: {
        plan: "free",
        daily: { limit: 100, remaining: 98, reset: Date.parse("2026-11-21T00:00:00Z") / 1000 },
        hourly: { limit: 30, remaining: 28, reset: Date.parse("2026-11-20T18:00:00Z") / 1000 },
      },
      source: "test",
      // The hand-made records were stored an hour before.
      age_seconds: 3_600,
    });
  });

  test("carries the quota headers too", async () => {
    const { service, token } = world;
    const response = await service.mcp(token, {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "get_markets" },
    });
    expectEveryAnswer(response);
    expect(QUOTA_HEADERS.filter((name) => response.headers.has(name))).toEqual(QUOTA_HEADERS);
  });

  test("symbols are case-insensitive; null counts as absent", async () => {
    const lower = await charged("get_stock_overview", { country: "US", symbol: "aapl" });
    expect(lower.result?.structuredContent).toBeDefined();
    const { result } = await charged("get_macro_calendar", { country: null, limit: null });
    expect(result?.structuredContent).toBeDefined();
  });

  test("fields of later revisions are ignored: a task, a progress token", async () => {
    const response = await world.service.mcp(world.token, {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "get_markets",
        arguments: {},
        task: { ttl: 60_000 },
        _meta: { progressToken: 1, "io.modelcontextprotocol/related-task": { taskId: "x" } },
      },
    });
    const { result } = (await response.json()) as { result?: { structuredContent?: object } };
    expect(result?.structuredContent).toBeDefined();
  });

  test("the catalog ignores unknown arguments, such as a client's dummy", async () => {
    const { result } = await charged("get_markets", {
      random_string: "x",
      nonsense: 1,
      constructor: { country: "XX" },
    });
    expect(result?.structuredContent).toBeDefined();
  });
});

describe("an argument that the tool does not declare", () => {
  test.each([
    ["list_symbols", { q: "toyota" }, "q; did you mean query?"],
    ["list_symbols", { search: "toyota" }, "search; did you mean query?"],
    ["list_symbols", { contry: "JP" }, "contry; did you mean country?"],
    ["list_symbols", { pageSize: 5 }, "pageSize; did you mean limit?"],
    ["get_macro_calendar", { Importance: "high" }, "Importance; did you mean importance?"],
    ["get_macro_indicators", { country: "US", categories: "gdp" }, "did you mean category?"],
    [
      "get_sector_overview",
      { country: "US" },
      "country; call get_sectors for that, or use one of level, known_on.",
    ],
    ["get_sectors", { country: "US", zzzzzz: 1 }, "zzzzzz; leave it out"],
    ["compare_stocks", { symbols: "US:AAPL", fields: "pe" }, "did you mean metrics?"],
    ["screen_stocks", { country: "US", filter: "pe<20" }, "filter; did you mean where?"],
    [
      "get_price_statistics",
      { symbols: "US:AAPL", start_date: "2026-01-01" },
      "start_date; did you mean from?",
    ],
    ["get_sectors", { country: "US", constructor: 1 }, "constructor; leave it out"],
    ["get_sectors", { country: "US", __proto: 1 }, "__proto; leave it out"],
    [
      "get_stock_statements",
      { country: "US", symbol: "AAPL", type: "income", frequency: "annual" },
      "frequency; did you mean period?",
    ],
  ])("of %s: %j is refused, with the closest one and all of them", async (name, args, says) => {
    const text = await toolError(name, args);
    expect(text).toContain(`${name} has no argument `);
    expect(text).toContain(says);
    const tool = OPERATIONS.find((operation) => operation.name === name);
    for (const declared of Object.keys(tool?.input.properties ?? {})) {
      expect(text).toContain(declared);
    }
    expect(text).toEndWith(`Fix the argument and call ${name} again.`);
  });

  test("of thousands, only five are named", async () => {
    const others = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`country${i}`, 1]));
    const text = await toolError("screen_stocks", { country: "US", ...others });
    expect(text).toContain("screen_stocks has no argument country4;");
    expect(text).not.toContain("country5;");
  });

  test.each([
    [{ country: "US", tickr: "AAPL" }, "symbol is missing.", "tickr; did you mean symbol?"],
    [{ country: "US", zzzzzz: "AAPL" }, "symbol is missing.", "zzzzzz; did you mean symbol?"],
    [{ zzzzzz: "AAPL" }, "country is missing.", "zzzzzz; leave it out"],
  ])(
    "is named where a required one is missing, which is -32602: %j",
    async (args, first, second) => {
      const { error } = await charged("get_stock_overview", args);
      expect(error?.code).toBe(-32602);
      for (const words of [first, second]) expect(error?.message).toContain(words);
    },
  );

  test("is ignored if it is null, as agents send it for arguments that they omit", async () => {
    const { result } = await charged("get_sectors", { country: "US", zzzzzz: null });
    expect(result?.structuredContent).toBeDefined();
  });

  test("is refused over REST too, unless a program adds it for itself", async () => {
    const { service, token } = world;
    const response = await service.request("/data/sectors?country=US&zzzzzz=1", token);
    expect(response.status).toBe(400);
    const ignored = await service.request("/data/sectors?country=US&_zzzzzz=1", token);
    expect(ignored.status).toBe(200);
  });

  test("is not repeated if its name is long", async () => {
    const text = await toolError("get_sectors", { country: "US", ["x".repeat(100_000)]: 1 });
    expect(text.length).toBeLessThan(300);
  });
});

describe("an unknown tool is -32601", () => {
  test.each(["nothing", "", "Get_Markets", "get_markets ", "constructor", "__proto__", "toString"])(
    "%j",
    async (name) => {
      const { error } = await charged(name, {});
      expect(error?.code).toBe(-32601);
      expect(error?.message).toContain("get_markets");
    },
  );

  test("says what is not here, in the words of the instructions", async () => {
    const { error } = await charged("get_news", { symbol: "AAPL" });
    const says = "No news, options or intraday prices; daily prices go back ten years.";
    expect(error).toMatchObject({ code: -32601, message: expect.stringContaining(says) });
    expect(instructionsFor(["market"])).toContain(says);
  });

  test("of a great length is not repeated", async () => {
    const { error } = await charged("x".repeat(500_000), {});
    expect(error?.code).toBe(-32601);
    expect(error?.message.length).toBeLessThan(1_000);
  });
});

describe("a missing required argument, or arguments that are not an object, are -32602", () => {
  test.each([
    ["get_macro_indicators", {}, "country"],
    ["get_macro_indicators", { category: "prices" }, "country"],
    ["get_macro_forecast", {}, "country"],
    ["get_sectors", {}, "country"],
    ["get_stock_overview", {}, "country"],
    ["get_stock_overview", { country: "US" }, "symbol"],
    ["get_stock_overview", { symbol: "AAPL" }, "country"],
    ["get_stock_overview", { country: "XX" }, "symbol"],
    ["get_stock_overview", { country: "US", symbol: null }, "symbol"],
    ["get_stock_statements", { country: "US", symbol: "AAPL" }, "type"],
    ["get_stock_technicals", { country: "US" }, "symbol"],
    ["get_stock_forecast", { country: "US" }, "symbol"],
    ["get_stock_price_history", { country: "US" }, "symbol"],
    ["get_earnings_calendar", {}, "tickers"],
  ])("%s with %j", async (name, args, missing) => {
    const { error } = await charged(name, args);
    expect(error?.code).toBe(-32602);
    expect(error?.message).toContain(missing);
    expect(error?.data?.["param"]).toBe(missing);
  });

  test.each([[[]], ["country=US"], [5], [null], [true], [[["country", "US"]]]])(
    "arguments of %j",
    async (args) => {
      expect((await charged("get_sectors", args)).error?.code).toBe(-32602);
    },
  );

  test.each([
    ["no params", undefined],
    ["no name", { arguments: {} }],
    ["a name that is not a string", { name: 5 }],
    ["params that are an array", ["get_markets"]],
  ])("%s", async (_, params) => {
    const before = await used();
    const response = await world.service.mcp(world.token, {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params,
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32602 } });
    expect((await used()) - before).toBe(1);
  });

  test("arguments can be left out if none is required", async () => {
    const { service, token } = world;
    // The earnings calendar takes either tickers or dates.
    const free = OPERATIONS.filter(
      ({ name, input }) => !input.required?.length && name !== "get_earnings_calendar",
    );
    expect(free.length).toBeGreaterThan(3);
    for (const { name } of free) {
      const { result } = await service.callTool(token, name, undefined);
      expect(result?.structuredContent).toBeDefined();
    }
  });
});

test("a ticker that is sent as a number is that ticker", async () => {
  const named = await charged("get_stock_technicals", { country: "JP", symbol: "7203" });
  const numbered = await charged("get_stock_technicals", { country: "JP", symbol: 7203 });
  expect(numbered.result?.structuredContent).toEqual(named.result?.structuredContent);
  expect(numbered.result?.structuredContent).toBeDefined();
});

describe("an invalid argument is a result with isError", () => {
  test.each([
    ["a wrong country", "get_sectors", { country: "XX" }, ["US", "JP", "VN", "get_sectors"]],
    ["a country that is not covered", "get_sectors", { country: "China" }, ["US, JP, VN"]],
    ["a country that is not a string", "get_sectors", { country: 1 }, ["US, JP, VN"]],
    ["an empty country", "get_sectors", { country: "" }, ["US, JP, VN"]],
    ["a list of countries", "get_sectors", { country: ["US"] }, ["US, JP, VN"]],
    [
      "a near miss of a symbol",
      "get_stock_overview",
      { country: "US", symbol: "APPL" },
      ["APPL", "US", "Did you mean AAPL?", "list_symbols"],
    ],
    [
      "a symbol of another country",
      "get_stock_technicals",
      { country: "US", symbol: "7203" },
      ["7203", "JP"],
    ],
    [
      "an unknown symbol",
      "get_stock_forecast",
      { country: "US", symbol: "ZZZZZZ" },
      ["ZZZZZZ", "list_symbols"],
    ],
    [
      "a symbol of 21 characters",
      "get_stock_overview",
      { country: "US", symbol: "A".repeat(21) },
      ["20"],
    ],
    [
      "a symbol that is a list",
      "get_stock_overview",
      { country: "JP", symbol: [7203] },
      ["symbol", "a list"],
    ],
    [
      "a wrong category",
      "get_macro_indicators",
      { country: "US", category: "price" },
      ["gdp, labor, prices", "Did you mean prices?"],
    ],
    [
      "a wrong type",
      "get_stock_statements",
      { country: "US", symbol: "AAPL", type: "cashflwo" },
      ["type must be one of income, balance, cashflow", "Did you mean cashflow?"],
    ],
    [
      "a wrong importance",
      "get_macro_calendar",
      { importance: "urgent" },
      ["high, medium, low", "all"],
    ],
    ["a limit beyond its bounds", "get_macro_calendar", { limit: 201 }, ["1", "200"]],
    ["a limit of zero", "get_macro_calendar", { limit: 0 }, ["1", "200"]],
    ["a limit as text with an exponent", "get_macro_calendar", { limit: "1e2" }, ["1", "200"]],
    ["a fractional limit", "get_macro_calendar", { limit: 1.5 }, ["1", "200"]],
    [
      "tickers of which none is known",
      "get_earnings_calendar",
      { tickers: "NOPE" },
      ["NOPE", "list_symbols"],
    ],
    [
      "an index without statements",
      "get_stock_statements",
      { country: "US", symbol: "^GSPC", type: "income" },
      ["index", "get_stock_overview"],
    ],
    ["a foreign cursor", "list_symbols", { cursor: "abc" }, ["next_cursor"]],
  ])("%s names the allowed values and the next call", async (_, name, args, says) => {
    const text = await toolError(name, args);
    for (const words of says) expect(text).toContain(words);
    expect(text.length).toBeLessThan(600);
  });

  test("names one next step: the call that finds the right value, else the same call", async () => {
    const symbol = await toolError("get_stock_overview", { country: "US", symbol: "Aple & Co" });
    expect(symbol).toContain("Call list_symbols");
    expect(symbol).not.toContain("again");
    const country = await toolError("get_sectors", { country: "XX" });
    expect(country).toEndWith("Fix the argument and call get_sectors again.");
  });

  test("however deeply it is nested, within the limit of 10,000 values", async () => {
    const { service, token } = world;
    for (const depth of [100, 4_900]) {
      const deep = "[".repeat(depth) + "]".repeat(depth);
      const response = await service.mcp(
        token,
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_sectors","arguments":{"country":${deep},"other":${deep}}}}`,
      );
      expect(await response.json()).toMatchObject({ result: { isError: true } });
    }
  });

  test("carries the quota after the call", async () => {
    const { result } = await charged("get_sectors", { country: "XX" });
    expect(result?._meta.quota).toMatchObject({ plan: "max", daily: { limit: 50_000 } });
  });
});

describe("the quota", () => {
  const call = { jsonrpc: "2.0", id: 9, method: "tools/call", params: { name: "get_markets" } };

  test("is one budget for both interfaces", async () => {
    const { service } = world;
    const { token } = service.createToken("free");
    for (let i = 0; i < 15; i++) {
      await service.request("/data/markets", token);
      await service.callTool(token, "get_markets", {});
    }
    expect((await service.request("/data/markets", token)).status).toBe(429);
    expect((await service.callTool(token, "get_markets", {})).error?.code).toBe(-32001);
  });

  test("denies under HTTP 200 with -32001, the wait in data, the headers, and no Retry-After", async () => {
    const { service } = world;
    const { token, id } = service.createToken("free");
    for (let i = 0; i < 30; i++) await service.callTool(token, "get_markets", {});
    const response = await service.mcp(token, call);
    expect(response.status).toBe(200);
    expectEveryAnswer(response);
    expect(QUOTA_HEADERS.map((name) => response.headers.get(name)).slice(0, 3)).toEqual([
      "100",
      "70",
      String(Date.parse("2026-11-21T00:00:00Z") / 1000),
    ]);
    const { error, ...envelope } = (await response.json()) as {
      error: { code: number; message: string; data: object };
    };
    expect(envelope).toEqual({ jsonrpc: "2.0", id: 9 });
    expect(error.code).toBe(-32001);
    // 17:30 to 18:00. Some clients read -32001 as a time-out, so the message must name the limit.
    expect(error.data).toEqual({ retry_after_seconds: 1_800 });
    expect(error.message).toStartWith("Rate limit exceeded (hourly): retry after 1800 s");
    expect(await used(id)).toBe(30);
  });

  test("is not needed for initialize, ping, tools/list and notifications, also when exhausted", async () => {
    const { service } = world;
    const { token, id } = service.createToken("free");
    for (let i = 0; i < 30; i++) await service.callTool(token, "get_markets", {});
    for (const message of [
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", id: 1, method: "tools/list" },
      {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "t", version: "1" },
        },
      },
    ]) {
      const response = await service.mcp(token, message);
      expect(await response.json()).toHaveProperty("result");
      expect(response.headers.get("x-ratelimit-remaining")).toBe("70");
    }
    const note = await service.mcp(token, { jsonrpc: "2.0", method: "notifications/initialized" });
    expect([note.status, note.headers.get("x-ratelimit-remaining")]).toEqual([202, "70"]);
    expect(await used(id)).toBe(30);
  });

  test("is charged for a call that is refused before any work", async () => {
    await charged("no_such_tool", {});
    await charged("get_sectors", {});
    await charged("get_sectors", { country: "XX" });
  });

  test("is restored at the next hour", async () => {
    const { service } = world;
    const { token } = service.createToken("free");
    for (let i = 0; i < 30; i++) await service.callTool(token, "get_markets", {});
    service.time.now = START + 1_800_000;
    try {
      expect((await service.callTool(token, "get_markets", {})).result).toBeDefined();
    } finally {
      service.time.now = START;
    }
  });
});

describe("equal arguments are decoded once, so that repeated calls are fast", () => {
  const asked: DecodedRequest[] = [];
  const calls = new ToolCalls({
    executor: {
      counts: { executed: 0, computed: 0 },
      execute(request) {
        asked.push(request);
        return { body: "{}", etag: '""', source: null, storedAt: 0, changedAt: 0, madeAt: 0 };
      },
    },
    clock: () => START,
    log: createLog({ format: "text", write: () => {}, clock: () => START }),
  });
  const decode = (name: string, args: object): DecodedRequest | undefined => {
    const window = { limit: 2, remaining: 1, resetAt: 0 };
    void calls.answer(
      "1",
      { name, args: JSON.parse(JSON.stringify(args)) as JsonObject },
      {
        quota: { plan: "free", daily: window, hourly: window },
        frame: { revision: "2025-06-18", first: "", meta: "" },
        caller: { user: "ann", rights: [], lists: null, asOf: null },
        tools: TOOL_SETS,
        client: undefined,
        makeLink: null,
        onError: undefined,
      },
    );
    return asked.at(-1);
  };

  test.each([
    ["get_stock_overview", { country: "US", symbol: "AAPL" }],
    ["compare_stocks", { symbols: Array.from({ length: 30 }, (_, i) => `US:A${i}`) }],
    ["analyze_portfolio", { holdings: Array.from({ length: 50 }, (_, i) => `US:A${i}=${i + 1}`) }],
    ["analyze_portfolio", { holdings: [{ symbol: "US:AAPL", shares: 10 }] }],
    ["screen_stocks", { country: "US", where: { pe: { lt: 15 } } }],
  ])("of %s, case %#", (name, args) => {
    const first = decode(name, args);
    expect(first?.operation.name).toBe(name);
    expect(decode(name, args)).toBe(first);
  });
});
