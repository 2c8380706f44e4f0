// Runs libraries of MCP hosts in a folder where they are installed: `bun mcp-hosts.js OPTIONS`. It prints JSON: what each
// host sends to its model, and what a person or a model reads. It is no TypeScript, because the libraries are not
// packages of this repository.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** `url`, `token`, `ended` and `wrong` are of the service, `probes` are addresses of servers by name. */
const { url, token, ended, wrong, probes } = JSON.parse(process.argv[2]);

/** The tools in the last request to the model. */
let sent = null;
// A model that refuses every request, because its answer is of no interest.
const model = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const body = await request.json().catch(() => ({}));
    if (body.tools) sent = body.tools;
    const error = { message: "played", type: "invalid_request_error", code: 400 };
    return Response.json({ error }, { status: 400 });
  },
});
const base = `http://127.0.0.1:${model.port}`;
const bearer = (secret) => ({ headers: { Authorization: `Bearer ${secret}` } });
const PROMPT = "hi";

async function connect(address, secret) {
  const client = new Client({ name: "host", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(address), { requestInit: bearer(secret) }),
  );
  return client;
}

async function openAiSdk(address, secret, createModel) {
  const { createMCPClient } = await import("@ai-sdk/mcp");
  const { generateText } = await import("ai");
  const client = await createMCPClient({
    transport: { type: "http", url: address, ...bearer(secret) },
  });
  const tools = await client.tools();
  const chosen = await createModel();
  return {
    call: (name, args) => tools[name].execute(args, { toolCallId: "1", messages: [] }),
    send: () => generateText({ model: chosen, tools, prompt: PROMPT, maxRetries: 0 }),
    close: () => client.close(),
  };
}

async function openLangChain(address, secret, createModel) {
  const { MultiServerMCPClient } = await import("@langchain/mcp-adapters");
  const server = { transport: "http", url: address, ...bearer(secret) };
  const client = new MultiServerMCPClient({ mcpServers: { server } });
  const tools = await client.getTools();
  const chosen = await createModel();
  return {
    call: (name, args) => tools.find((one) => one.name === name).invoke(args),
    send: () => chosen.bindTools(tools).invoke(PROMPT),
    close: () => client.close(),
  };
}

/** Each opens a server and lists its tools. `call` calls one, `send` sends all to the model. */
const HOSTS = {
  async "OpenAI Agents"(address, secret) {
    const agents = await import("@openai/agents");
    const { default: OpenAI } = await import("openai");
    agents.setTracingDisabled(true);
    agents.setDefaultOpenAIClient(new OpenAI({ apiKey: "x", baseURL: base, maxRetries: 0 }));
    const server = new agents.MCPServerStreamableHttp({
      url: address,
      requestInit: bearer(secret),
      errorFunction: ({ error }) => String(error),
    });
    await server.connect();
    await server.listTools();
    return {
      call: (name, args) => server.callTool(name, args),
      send: () =>
        agents.run(new agents.Agent({ name: "a", model: "gpt-5", mcpServers: [server] }), PROMPT),
      close: () => server.close(),
    };
  },
  "AI SDK, OpenAI": (address, secret) =>
    openAiSdk(address, secret, async () => {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ apiKey: "x", baseURL: base })("gpt-5");
    }),
  "AI SDK, Gemini": (address, secret) =>
    openAiSdk(address, secret, async () => {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return createGoogleGenerativeAI({ apiKey: "x", baseURL: base })("gemini-3-pro");
    }),
  "LangChain, OpenAI": (address, secret) =>
    openLangChain(address, secret, async () => {
      const { ChatOpenAI } = await import("@langchain/openai");
      const configuration = { baseURL: base };
      return new ChatOpenAI({ apiKey: "x", model: "gpt-5", maxRetries: 0, configuration });
    }),
  "LangChain, Gemini": (address, secret) =>
    openLangChain(address, secret, async () => {
      const { ChatGoogleGenerativeAI } = await import("@langchain/google-genai");
      const options = { apiKey: "x", model: "gemini-3-pro", maxRetries: 0, baseUrl: base };
      return new ChatGoogleGenerativeAI(options);
    }),
  async Mastra(address, secret) {
    const { MCPClient } = await import("@mastra/mcp");
    const { Agent } = await import("@mastra/core/agent");
    const { createOpenAI } = await import("@ai-sdk/openai");
    const server = { url: new URL(address), requestInit: bearer(secret) };
    const client = new MCPClient({ id: crypto.randomUUID(), servers: { server } });
    const tools = await client.listTools();
    const agent = new Agent({
      id: "a",
      name: "a",
      instructions: "x",
      model: createOpenAI({ apiKey: "x", baseURL: base })("gpt-5"),
      tools,
    });
    return {
      // A failed connection is no error: the agent has no tools.
      call: async (name, args) => tools[`server_${name}`]?.execute(args, {}) ?? "no tools",
      send: () => agent.generate(PROMPT, { maxRetries: 0 }),
      close: () => client.disconnect(),
    };
  },
  async "Google GenAI"(address, secret) {
    const { GoogleGenAI, mcpToTool } = await import("@google/genai");
    const client = await connect(address, secret);
    const tool = mcpToTool(client);
    await tool.tool();
    const google = new GoogleGenAI({ apiKey: "x", httpOptions: { baseUrl: base } });
    return {
      call: (name, args) => tool.callTool([{ name, args }]),
      send: () =>
        google.models.generateContent({
          model: "gemini-3-pro",
          contents: PROMPT,
          config: { tools: [tool] },
        }),
      close: () => client.close(),
    };
  },
  async "Anthropic SDK"(address, secret) {
    const { default: Anthropic } = await import("@anthropic-ai/sdk");
    const { mcpTools } = await import("@anthropic-ai/sdk/helpers/beta/mcp");
    const client = await connect(address, secret);
    const tools = mcpTools((await client.listTools()).tools, client);
    const anthropic = new Anthropic({ apiKey: "x", baseURL: base, maxRetries: 0 });
    const messages = [{ role: "user", content: PROMPT }];
    return {
      call: (name, args) => tools.find((one) => one.name === name).run(args),
      send: () =>
        anthropic.beta.messages.toolRunner({ model: "claude", max_tokens: 9, messages, tools }),
      close: () => client.close(),
    };
  },
  async LlamaIndex(address, secret) {
    const { mcp } = await import("@llamaindex/tools");
    const client = mcp({ url: address, requestInit: bearer(secret) });
    const tools = await client.tools();
    return {
      call: (name, args) => tools.find(({ metadata }) => metadata.name === name).call(args),
      send: async () => (sent = tools.map(({ metadata }) => metadata)),
      close: () => client.cleanup(),
    };
  },
  async Strands(address, secret) {
    const { McpClient } = await import("@strands-agents/sdk");
    const transport = new StreamableHTTPClientTransport(new URL(address), {
      requestInit: bearer(secret),
    });
    const client = new McpClient({ transport });
    const tools = await client.listTools();
    return {
      call: (name, args) =>
        client.callTool(
          tools.find((one) => one.name === name),
          args,
        ),
      send: async () => (sent = tools.map(({ toolSpec }) => toolSpec)),
      close: () => client.disconnect(),
    };
  },
};

/** The output of a program with that Bun. @throws Error with the output if it fails */
async function run(...command) {
  const child = Bun.spawn([process.execPath, ...command], { stdout: "pipe", stderr: "pipe" });
  const texts = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
  const output = (await Promise.all(texts)).join("");
  if ((await child.exited) !== 0) throw new Error(output);
  return output;
}

/** Programs between a host and a server, which have no model. */
const PROGRAMS = {
  mcporter(secret, name, args) {
    const script = "node_modules/mcporter/dist/cli.js";
    const server = ["--http-url", url, "--allow-http", "--no-oauth"];
    const header = ["--header", `Authorization=Bearer ${secret}`];
    return run(script, "call", ...server, ...header, "--tool", name, "--args", textOf(args));
  },
  async "mcp-remote"(secret, name, args) {
    const script = "node_modules/mcp-remote/dist/proxy.js";
    const header = `Authorization:Bearer ${secret}`;
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [script, url, "--allow-http", "--header", header],
      stderr: "pipe",
    });
    let log = "";
    transport.stderr.on("data", (chunk) => (log += chunk));
    const client = new Client({ name: "host", version: "1" });
    try {
      await client.connect(transport);
      return await client.callTool({ name, arguments: args });
    } catch (error) {
      throw new Error(`${error.message} ${log}`);
    } finally {
      await client.close();
    }
  },
};

const textOf = (value) => (typeof value === "string" ? value : JSON.stringify(value));
/** What a library says: a result, or the error that it throws. */
const wordsOf = async (run) => {
  try {
    return textOf(await run()) ?? "";
  } catch (error) {
    return `${error?.message ?? error} ${error?.cause?.message ?? ""}`.trim();
  }
};

/** The schema of each tool that the model gets, by the tool's name on the server. */
function schemasSent() {
  const tools = (sent ?? []).flatMap((one) => one.functionDeclarations ?? [one.function ?? one]);
  return Object.fromEntries(
    tools.map((one) => [
      one.name.replace(/^server_/, ""),
      {
        description: one.description,
        schema: one.parameters ?? one.parametersJsonSchema ?? one.input_schema ?? one.inputSchema,
      },
    ]),
  );
}

/** What the model gets of a server's tools; the error of the library if it sends none. */
async function sentOf(open, address, secret) {
  sent = null;
  const host = await open(address, secret);
  const words = await wordsOf(() => host.send());
  await host.close();
  return sent ? schemasSent() : words;
}

/** What a person or a model reads. @param call calls a tool with a secret */
async function examineWords(call) {
  const args = { country: "US", symbol: "AAPL" };
  const ask = (secret, given = args) => wordsOf(() => call(secret, "get_stock_overview", given));
  const mistake = { ...args, symbol: "APPL" };
  return {
    answer: await ask(token),
    mistake: await ask(token, mistake),
    usedUp: await ask(ended),
    wrong: await ask(wrong),
  };
}

/** What one host does. */
async function examine(open) {
  const call = async (secret, name, args) => {
    const host = await open(url, secret);
    try {
      return await host.call(name, args);
    } finally {
      await host.close();
    }
  };
  const tools = await sentOf(open, url, token);
  const features = {};
  for (const [name, address] of Object.entries(probes))
    features[name] = await wordsOf(() => sentOf(open, address, token));
  return { tools, features, ...(await examineWords(call)) };
}

// Libraries log to stdout too; the result is its last line.
const results = {};
for (const [names, examineOne] of [
  [HOSTS, examine],
  [PROGRAMS, examineWords],
])
  for (const [name, one] of Object.entries(names))
    results[name] = await examineOne(one).catch((error) => ({ failed: String(error?.stack) }));
process.stdout.write(`\n${JSON.stringify(results)}\n`, () => process.exit(0));
