import { afterAll, describe, expect, test } from "bun:test";
import { Client as NextClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as NextStdioTransport } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { COMMAND_LINE } from "#access/audit.ts";
import { UserData } from "#access/user-data.ts";
import { runCli } from "#cli/cli.ts";
import { claimMarket } from "#ingest/ingest.ts";
import { OPERATIONS } from "#operations/index.ts";
import { openMarket } from "#store/index.ts";
import {
  bunCommand,
  childEnv,
  endChildren,
  resultOf,
  spawnChild,
} from "../support/child-process.ts";
import { openFolder } from "../support/access.ts";
import { MAIN_AT, run, runWith } from "../support/cli.ts";
import { CALLS } from "../support/contract-calls.ts";
import { START, startService } from "../support/service.ts";

const service = await startService();
const token = service.createToken().token;
afterAll(async () => {
  await service.stop();
  await endChildren();
});

interface Message {
  jsonrpc: string;
  id: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

interface Served {
  code: number;
  messages: Message[];
  stderr: string;
}

/** Runs `mcp` within this process on these lines of stdin, at the time of the service. */
async function serve(
  env: Record<string, string>,
  argv: readonly string[],
  ...lines: (string | object)[]
): Promise<Served> {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  const { code, stdout, stderr } = await runWith(
    {
      stdin: () => new Blob([text.join("\n")]).stream(),
      clock: () => START,
      sleep: () => Promise.reject(new Error("it must not sleep")),
    },
    env,
    "mcp",
    ...argv,
  );
  expect(stdout).toMatch(/^(|.*\n)$/s);
  const messages = stdout.split("\n").slice(0, -1);
  return { code, stderr, messages: messages.map((line) => JSON.parse(line) as Message) };
}

const request = (id: number, method: string, params?: object) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params && { params }),
});
const call = (id: number, name: string, args: object) =>
  request(id, "tools/call", { name, arguments: args });
const WRITES = ["--write-lists", "--write-alerts"];
const local = (...lines: (string | object)[]) =>
  serve({ BOURSE_DATA: service.folder }, WRITES, ...lines);
const remote = (...lines: (string | object)[]) =>
  serve({ BOURSE_TOKEN: token }, ["--url", new URL(service.base).origin], ...lines);

test("mcp on the data folder has the lists of the user that it names, and says so without users", async () => {
  const { user } = service.createToken();
  const ask = async (name: string, args: object, ...argv: string[]) => {
    const { messages } = await serve({ BOURSE_DATA: service.folder }, argv, call(1, name, args));
    return JSON.stringify(messages[0]?.result);
  };
  const items = { name: "mine", items: ["AAPL"] };
  const write = ["--user", user, ...WRITES];
  expect(await ask("save_list", items, ...write)).toContain("US:AAPL");
  const compare = { symbols: "list:mine", metrics: "price" };
  expect(await ask("compare_stocks", compare, "--user", user)).toContain("Apple Inc.");
  expect(await ask("compare_stocks", compare, "--user", "carl")).toContain("no user carl");
  const [entry] = service.accounts.listAudit({ limit: 1 });
  expect(entry).toMatchObject({ actor: "local mcp", subject: `list mine of ${user} (1 item)` });

  using empty = openFolder();
  const { messages } = await serve({ BOURSE_DATA: empty.path }, [], call(1, "get_lists", {}));
  expect(JSON.stringify(messages[0])).toContain("There is no user yet");
});

test.each([
  ["on the data folder", { BOURSE_DATA: service.folder }, []],
  ["with --url", { BOURSE_TOKEN: token }, ["--url", new URL(service.base).origin]],
])("mcp %s has the tools of the sets that --tools names", async (_, env, argv) => {
  const start = request(1, "initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  const ask = [start, request(2, "tools/list"), call(3, "get_sectors", { country: "US" })];
  const { messages } = await serve(env, [...argv, "--tools", "prices"], ...ask);
  const [begun, listed, outside] = messages.sort((a, b) => Number(a.id) - Number(b.id));
  expect(begun?.result?.["instructions"]).toContain("only prices");
  expect(listed?.result?.["tools"]).toMatchObject([
    { name: "get_stock_price_history" },
    { name: "get_price_statistics" },
    { name: "analyze_portfolio" },
  ]);
  expect(outside?.result).toMatchObject({ isError: true });
  const [refused] = (await serve(env, [...argv, "--tools", "stocks"], start)).messages;
  expect(refused?.error).toMatchObject({
    code: -32602,
    message: expect.stringContaining("The tool sets are market, company,"),
  });
});

test("mcp on the data folder changes lists only with --write-lists, and lists the tools that it has", async () => {
  const { user } = service.createToken();
  const { access } = service;
  const data = new UserData({ access, clock: () => START, user, actor: COMMAND_LINE });
  await data.save("list", { name: "mine", items: [] });
  const items = { name: "mine", items: ["AAPL"] };
  const send = (...argv: string[]) =>
    serve(
      { BOURSE_DATA: service.folder },
      ["--user", user, ...argv],
      request(1, "tools/list"),
      call(2, "save_list", items),
      call(3, "delete_list", { name: "mine" }),
      call(4, "no_such_tool", {}),
    );
  const writing = OPERATIONS.filter(({ right }) => right).map(({ name }) => name);
  expect(writing.toSorted()).toEqual(["delete_alert", "delete_list", "save_alert", "save_list"]);
  const find = (messages: readonly Message[], id: number) => messages.find((one) => one.id === id);
  const toolsOf = (messages: readonly Message[]) =>
    (find(messages, 1)?.result?.["tools"] as { name: string }[] | undefined)?.map(
      ({ name }) => name,
    );

  const reading = (await send()).messages;
  expect(toolsOf(reading)).toEqual(
    OPERATIONS.map(({ name }) => name).filter((name) => !writing.includes(name)),
  );
  for (const id of [2, 3]) {
    expect(find(reading, id)?.result).toMatchObject({ isError: true });
    expect(JSON.stringify(find(reading, id))).toContain("bourse mcp --write-lists");
  }
  expect(find(reading, 4)?.error?.message).toContain("get_lists");
  expect(find(reading, 4)?.error?.message).not.toContain("save_list");
  expect((await data.get("list", "mine")).value.items).toEqual([]);

  const all = (await send("--write-lists")).messages;
  expect(toolsOf(all)).toEqual(
    OPERATIONS.flatMap(({ name, right }) => (right === "alerts:write" ? [] : name)),
  );
  expect(find(all, 3)?.result?.["isError"]).toBeUndefined();

  const { code, stderr } = await serve({ BOURSE_TOKEN: token }, [
    "--url",
    new URL(service.base).origin,
    "--write-lists",
  ]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("the right is the token's")]);
});

describe.each([
  ["on the data folder", local],
  ["with --url", remote],
])("mcp %s", (_, send) => {
  test("answers as HTTP does", async () => {
    const messages = [
      ...CALLS.map(({ operation, arguments: args }, id) => call(id, operation.name, args)),
      call(1_000, "get_sectors", { country: "XX" }),
      call(1_001, "list_symbols", { q: "toyota" }),
      call(1_002, "get_sectors", {}),
      call(1_003, "nothing", {}),
      request(1_004, "tools/list"),
      request(1_005, "ping"),
      request(1_006, "nothing"),
      request(1_007, "initialize", {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      }),
    ];
    const { code, messages: answers, stderr } = await send(...messages);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const byId = new Map(answers.map((answer) => [answer.id, answer]));
    expect(byId.size).toBe(messages.length);
    // The quota differs: a local server counts no calls. A long answer has a link over HTTP only.
    const withoutQuota = ({ result, ...rest }: Message) => {
      const written = JSON.stringify({
        ...rest,
        ...(result && {
          result: { ...result, _meta: { ...(result["_meta"] as object), quota: null } },
        }),
      });
      return JSON.parse(
        written.replaceAll(/(\\?"left_out\\?":\{\\?"total\\?":\d+).*?\}/g, "$1}"),
      ) as Message;
    };
    for (const message of messages) {
      const response = await service.mcp(token, message);
      const expected = (await response.json()) as Message;
      const answer = byId.get(message.id);
      expect(answer && withoutQuota(answer)).toEqual(withoutQuota(expected));
    }
  });

  test("answers what is not a request as HTTP does, and nothing else", async () => {
    const { messages } = await send(
      "",
      "  \r",
      "nonsense",
      [request(1, "ping")],
      { id: 2, method: "ping" },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 3, result: {} },
      request(4, "ping"),
    );
    expect(messages.map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32700],
      [null, -32600],
      [2, -32600],
      [4, undefined],
    ]);
  });

  test("as=csv_link needs an address, which the data folder has not", async () => {
    const { messages } = await send(call(1, "list_symbols", { country: "VN", as: "csv_link" }));
    const { isError, content } = (messages[0]?.result ?? {}) as {
      isError?: boolean;
      content: { text: string }[];
    };
    const words =
      send === local ? "start bourse mcp with --url" : `"csv_link":"${service.origin}/csv/`;
    expect(isError ?? false).toBe(send === local);
    expect(content[0]?.text).toContain(words);
  });

  test("refuses a message of more than 1 MiB and goes on", async () => {
    const long = JSON.stringify(request(1, "ping", { filler: "x".repeat(2 ** 20) }));
    const { messages } = await send(long, request(2, "ping"));
    expect(messages.map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32600],
      [2, undefined],
    ]);
  });

  test("speaks 2026-07-28 with requests that name it", async () => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const unknown = { ..._meta, "io.modelcontextprotocol/protocolVersion": "2030-01-01" };
    const { messages } = await send(
      request(1, "server/discover", { _meta }),
      request(2, "tools/call", { name: "get_markets", arguments: {}, _meta }),
      request(3, "tools/call", { name: "é", arguments: {}, _meta }),
      request(4, "ping", { _meta }),
      request(5, "tools/list", { _meta: unknown }),
    );
    const answers = messages.sort((a, b) => Number(a.id) - Number(b.id));
    expect(answers[0]?.result).toMatchObject({ resultType: "complete" });
    expect(answers[1]?.result).toMatchObject({ resultType: "complete" });
    expect(answers.slice(2).map(({ error }) => error?.code)).toEqual([-32601, -32601, -32022]);
  });
});

test("mcp answers messages that arrive while a thread generates the sample market", async () => {
  using folder = openFolder();
  const lines: Message[] = [];
  const began = Promise.withResolvers<void>();
  const generated = Promise.withResolvers<void>();
  /** A thread that does nothing until the test has the answers of the other messages. */
  class PausedWorker extends EventTarget {
    async postMessage({ id }: { id: number }): Promise<void> {
      began.resolve();
      await generated.promise;
      this.dispatchEvent(new MessageEvent("message", { data: { id, result: null } }));
    }
    terminate(): void {
      this.dispatchEvent(new CloseEvent("close", { code: 0 }));
    }
  }
  const sent = (message: object) => new TextEncoder().encode(`${JSON.stringify(message)}\n`);
  await runCli({
    argv: ["mcp"],
    env: { BOURSE_DATA: folder.path },
    startWorker: () => new PausedWorker() as unknown as Worker,
    async *stdin() {
      yield sent(call(1, "get_markets", {}));
      await began.promise;
      yield sent(request(2, "ping"));
      yield sent(request(3, "tools/list"));
    },
    stdout(line) {
      if (lines.push(JSON.parse(line) as Message) === 2) generated.resolve();
    },
    stderr: () => {},
    clock: () => START,
    onStop: () => {},
  });
  expect(lines.map(({ id }) => id)).toEqual([2, 3, 1]);
});

test("mcp refuses every call if the sample market could not be generated", async () => {
  using folder = openFolder();
  const lines: string[] = [];
  const answered = Promise.withResolvers<void>();
  const sent = (message: object) => new TextEncoder().encode(`${JSON.stringify(message)}\n`);
  await runCli({
    argv: ["mcp"],
    env: { BOURSE_DATA: folder.path },
    async *stdin() {
      // Another process makes the empty folder a live market.
      const market = openMarket(folder.path);
      claimMarket(market, "live");
      market.close();
      yield sent(call(1, "get_markets", {}));
      await answered.promise;
      yield sent(call(2, "get_markets", {}));
    },
    stdout: (line) => {
      lines.push(line);
      answered.resolve();
    },
    stderr: () => {},
    clock: () => START,
    onStop: () => {},
  });
  const errors = lines.map((line) => (JSON.parse(line) as Message).error);
  expect(errors.map((error) => error?.code)).toEqual([-32002, -32002]);
  expect(errors[1]?.message).toContain("holds the live market");
});

describe("mcp with --url", () => {
  test("reads at most 16 MiB of an answer", async () => {
    let sent = 0;
    const chunk = new Uint8Array(2 ** 20).fill(32);
    using server = Bun.serve({
      port: 0,
      fetch: () =>
        new Response(
          new ReadableStream({
            type: "bytes",
            async pull(controller) {
              sent++;
              if (sent > 200) return controller.close();
              controller.enqueue(chunk.slice());
            },
          }),
        ),
    });
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const { messages } = await serve({ BOURSE_TOKEN: token }, ["--url", server.url.origin], ping);
    expect(messages[0]?.error?.message).toContain("answered with more than 16 MiB");
    // What the buffers of both ends hold was sent too.
    expect(sent).toBeLessThan(200);
  });

  const errorOf = async (served: Promise<Served>) => {
    const { code, messages } = await served;
    expect(code).toBe(0);
    expect(messages).toHaveLength(1);
    return messages[0]?.error;
  };
  const ping = request(1, "ping");

  test("counts calls against the quota of its token", async () => {
    const { token: other, id } = service.createToken("free");
    const argv = ["--url", `${service.base}/mcp/`];
    await serve({ BOURSE_TOKEN: other }, argv, ping, call(2, "get_markets", {}));
    expect(await service.used(id)).toBe(1);
  });

  test("passes on the error of an exhausted quota", async () => {
    const { token: free } = service.createToken("free");
    for (let i = 0; i < 30; i++) await service.callTool(free, "get_markets", {});
    const origin = new URL(service.base).origin;
    const denied = serve({ BOURSE_TOKEN: free }, ["--url", origin], call(1, "get_markets", {}));
    expect(await errorOf(denied)).toMatchObject({
      code: -32001,
      data: { retry_after_seconds: 1_800 },
    });
  });

  test("says what to do about a token that is not live", async () => {
    const argv = ["--url", new URL(service.base).origin];
    const error = await errorOf(serve({ BOURSE_TOKEN: "bourse_wrong" }, argv, ping));
    expect(error?.code).toBe(-32600);
    expect(error?.message).toContain("Set BOURSE_TOKEN to a live token");
    expect(error?.message).not.toContain("bourse_wrong");
  });

  test("says what to check if no service answers", async () => {
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const origin = server.url.origin;
    await server.stop(true);
    const error = await errorOf(serve({ BOURSE_TOKEN: token }, ["--url", origin], ping));
    expect(error?.code).toBe(-32002);
    expect(error?.message).toContain(`${origin} cannot be reached`);
    expect(error?.message).toContain("--url");
  });

  test.each([
    ["a page", () => new Response("<html>", { status: 502 }), 502],
    ["nothing", () => new Response(), 200],
    ["null", () => Response.json(null), 200],
    ["a redirect", () => Response.redirect("http://127.0.0.1:1/", 302), 302],
  ])("says what to check if another program answers %s", async (_, answer, status) => {
    using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
    const argv = ["--url", server.url.origin];
    const error = await errorOf(serve({ BOURSE_TOKEN: token }, argv, ping));
    expect(error?.code).toBe(-32002);
    expect(error?.message).toContain(`HTTP ${status}`);
  });

  test.each([
    ["localhost:8787"],
    ["ftp://localhost"],
    ["ftp://anna:sec/ret@localhost"],
    ["anna:sec/ret@localhost"],
    ["nonsense"],
    [""],
  ])("refuses the address %j without its password", async (url) => {
    const result = await run({ BOURSE_TOKEN: token }, "mcp", "--url", url);
    expect(result).toMatchObject({ code: 1, stdout: "" });
    expect(result.stderr).toContain("--url");
    expect(result.stderr).not.toMatch(/anna|sec|ret@/);
  });

  test.each([
    [{}],
    [{ BOURSE_TOKEN: "bourse_first\nbourse_second" }],
    [{ BOURSE_TOKEN: "“bourse_quoted”" }],
  ])("needs a token, not %j", async (env) => {
    const result = await run(env, "mcp", "--url", "http://127.0.0.1:8787");
    expect(result).toMatchObject({ code: 1, stdout: "" });
    expect(result.stderr).toContain("BOURSE_TOKEN");
    expect(result.stderr).not.toContain("bourse_");
  });

  test("says how long to wait if a proxy refuses a call until a date", async () => {
    const answer = () =>
      Response.json(
        { error: { message: "Slow down." } },
        { status: 429, headers: { "Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT" } },
      );
    using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
    const argv = ["--url", server.url.origin];
    const error = await errorOf(serve({ BOURSE_TOKEN: token }, argv, ping));
    expect(error).toMatchObject({ code: -32001, data: { retry_after_seconds: 1 } });
  });
});

describe("mcp as a process", () => {
  const command = [...bunCommand(MAIN_AT), String(START), "mcp"];
  const [program = "", ...args] = command;

  test("the official client connects, lists and calls", async () => {
    const client = new Client({ name: "test", version: "1" });
    const env = childEnv({ BOURSE_DATA: service.folder });
    const transport = new StdioClientTransport({ command: program, args, env, stderr: "pipe" });
    await client.connect(transport);
    try {
      expect(client.getServerVersion()).toMatchObject({ name: "bourse" });
      expect((await client.listTools()).tools.length).toBeGreaterThanOrEqual(13);
      const { structuredContent } = await client.callTool({
        name: "get_stock_overview",
        arguments: { country: "US", symbol: "AAPL" },
      });
      expect(structuredContent).toMatchObject({
        country: "US",
        data: { overview: { Name: "Apple Inc." } },
      });
    } finally {
      await client.close();
    }
  }, 600_000);

  test("version 2 of the official client negotiates 2026-07-28 with a remote service", async () => {
    const client = new NextClient(
      { name: "test", version: "1" },
      { versionNegotiation: { mode: "auto" } },
    );
    const env = childEnv({ BOURSE_TOKEN: token });
    await client.connect(
      new NextStdioTransport({
        command: program,
        args: [...args, "--url", new URL(service.base).origin],
        env,
        stderr: "pipe",
      }),
    );
    try {
      expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
      const { structuredContent } = await client.callTool({ name: "get_markets", arguments: {} });
      expect(structuredContent).toMatchObject({
        data: { supported_countries: ["US", "JP", "VN"] },
      });
    } finally {
      await client.close();
    }
  }, 600_000);

  test("ends when stdin ends, after the last answer", async () => {
    const child = spawnChild(command, {
      env: childEnv({ BOURSE_DATA: service.folder }),
      stdin: new Blob([JSON.stringify(call(1, "get_sectors", { country: "US" }))]),
      stdout: "pipe",
      stderr: "pipe",
    });
    const { code, stdout, stderr } = await resultOf(child);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toEndWith("\n");
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { structuredContent: {} } });
  }, 600_000);
});
