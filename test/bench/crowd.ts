/**
 * Sixty clients at once ask a real service for the largest answers of each kind, and others hold their connections. Run it
 * with `bun test/bench/crowd.ts`; `--only "feed|MCP"` runs some of the kinds, `--data FOLDER` keeps the market. It prints
 * memory, connections that were closed without an answer, and the slowest `/health`, and ends with 1 above the budget.
 */
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { SignIn } from "#access/sign-in.ts";
import { formatTable } from "#lib/table.ts";
import { openAccess, openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { atOnce } from "../support/at-once.ts";
import { endChildren } from "../support/child-process.ts";
import { fillLargeMarket, largeInstrument } from "../support/large-market.ts";
import { spawnServe } from "../support/serve-process.ts";
import { load, makeLargeFolder, measureCommand, print } from "./large-folder.ts";
import { processUsage } from "./process-usage.ts";
import { startProbe } from "./stall-probe.ts";

const CLIENTS = 60;
const BUDGET = { peakMb: 512, resets: 0, healthMs: 500 } as const;
/** Companies with figures, for screens; the first of them have bars of fifty years. */
const COMPANIES = 6_000;
const WITH_BARS = 450;
const BARS_EACH = 12_500;
/** How long clients hold their connections, and memory is given back. */
const HOLD_MS = 15_000;
const MEMORY_MS = 20;

const { values: flags } = parseArgs({
  options: { only: { type: "string", default: "" }, data: { type: "string" } },
});
using temporary = openFolder();
const data = flags.data ?? join(temporary.path, "data");

/** What a client may use. */
interface Access {
  readonly url: string;
  readonly token: string;
  readonly link: string;
  readonly cookie: string;
}

type Ask = (access: Access, client: number) => Promise<Response>;

const symbolOf = (i: number) => {
  const { country, symbol } = largeInstrument(i % WITH_BARS);
  return `${country}:${symbol}`;
};
const symbolsOf = (client: number, count: number) =>
  Array.from({ length: count }, (_, i) => symbolOf(client * 7 + i)).join(",");
const holdingsOf = (client: number) =>
  Array.from({ length: 50 }, (_, i) => `US:${usSymbol(client + 5 * i)}=10`).join(",");
/** Different for each client, so that no answer is cached. */
const dayOf = (client: number) =>
  `1979-${String(1 + (client % 12)).padStart(2, "0")}-${String(1 + (client % 28)).padStart(2, "0")}`;
/** Of 300 instruments of the US. */
const usSymbol = (i: number) => largeInstrument(15 * (i % 30) + (Math.floor(i / 30) % 10)).symbol;

const rest =
  (path: (client: number) => string): Ask =>
  ({ url, token }, client) =>
    fetch(`${url}/api/v1/svc${path(client)}`, { headers: { authorization: `Bearer ${token}` } });
const feed =
  (path: (client: number) => string): Ask =>
  ({ url, link }, client) =>
    fetch(`${url}/feed/${link}/${path(client)}`);
const tool =
  (name: string, args: (client: number) => object): Ask =>
  ({ url, token }, client) =>
    fetch(`${url}/api/v1/svc/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args(client) },
      }),
    });
const page =
  (path: (client: number) => string, body?: () => string): Ask =>
  ({ url, cookie }, client) =>
    fetch(`${url}/console/api/${path(client)}`, {
      method: body ? "POST" : "GET",
      headers: { cookie, "sec-fetch-site": "same-origin", origin: url },
      ...(body && { body: body() }),
    });
/** Downloads the CSV of a link that a call gives. */
const linked =
  (path: (client: number) => string): Ask =>
  async (access, client) => {
    const answer = await rest((one) => `${path(one)}&as=csv_link`)(access, client);
    if (answer.status !== 200) return answer;
    const { data: made } = (await answer.json()) as { data: { csv_link: string } };
    return fetch(made.csv_link);
  };

const history = (client: number) =>
  `/data/stocks/${usSymbol(client)}/history?country=US&from=${dayOf(client)}&limit=100000`;
const screen = (client: number) =>
  `/data/stocks/screen?country=US&where=${encodeURIComponent(`pe < ${1000 + client}`)}&metrics=price,market_cap,pe,ps,pb,net_margin,roe,roa,dividend_yield&limit=1000`;

const KINDS: Readonly<Record<string, Ask>> = {
  "feed, prices of 100 symbols": feed(
    (client) => `prices/prices.ledger?symbols=${symbolsOf(client, 100)}&from=${dayOf(client)}`,
  ),
  "feed, a year of 100 symbols": feed(
    (client) => `prices/prices.ledger?symbols=${symbolsOf(client, 100)}&range=1y`,
  ),
  "feed, prices of 5 symbols": feed(
    (client) => `prices/prices.ledger?symbols=${symbolsOf(client, 5)}&from=${dayOf(client)}`,
  ),
  "feed, series of 100 symbols": feed(
    (client) =>
      `twelvedata/time_series?symbol=${symbolsOf(client, 100)}&interval=1day&outputsize=${5_000 - client}`,
  ),
  "feed, quotes of 100 symbols": feed(
    (client) => `sheets/quotes.csv?symbols=${symbolsOf(client, 100)}&fields=all`,
  ),
  "feed, history": feed(
    (client) => `sheets/history.csv?symbol=${usSymbol(client)}&from=${dayOf(client)}`,
  ),
  "CSV link, history": linked(history),
  "CSV link, screen": linked(screen),
  "file, bars": rest(() => "/files/bars/US.parquet"),
  "REST, history": rest(history),
  "REST, history as CSV": rest((client) => `${history(client)}&format=csv`),
  "REST, screen": rest(screen),
  "REST, statistics": rest(
    (client) => `/data/prices/statistics?symbols=${symbolsOf(client, 10)}&from=${dayOf(client)}`,
  ),
  "REST, portfolio": rest(
    (client) => `/data/portfolio?holdings=${holdingsOf(client)}&from=${dayOf(client)}&currency=USD`,
  ),
  "MCP, statistics": tool("get_price_statistics", (client) => ({
    symbols: symbolsOf(client, 10),
    from: dayOf(client),
  })),
  "MCP, comparison": tool("compare_stocks", (client) => ({
    symbols: symbolsOf(client, 20),
    rank: true,
  })),
  "MCP, screen": tool("screen_stocks", (client) => ({
    where: `pe < ${2000 + client}`,
    limit: 1000,
  })),
  "console, distribution": page(
    (client) =>
      `distribution?country=US&metrics=pe&where=${encodeURIComponent(`pe < ${3000 + client}`)}`,
  ),
  "console, indicator lines": page(
    (client) => `indicator-lines?country=US&symbol=${usSymbol(client)}`,
  ),
  "console, history": page(
    (client) =>
      `data/get_stock_price_history?country=US&symbol=${usSymbol(client)}&from=${dayOf(client)}&limit=100000`,
  ),
  "console, file of a list": page(
    (client) => `list-preview?file=list-${client}.csv`,
    () => `Symbol,Name,Quantity\n${"AAAA,A company of no market,10\n".repeat(60_000)}`,
  ),
  "OpenAPI document": rest(() => "/openapi.json?answers=all"),
};

/** Sends a request by hand and holds the connection. */
type Hold = (access: Access, client: number) => string;
const head = (target: string, { url }: Access, more = "") =>
  `GET ${target} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${more}`;
const bearer = ({ token }: Access) => `Authorization: Bearer ${token}\r\n`;
const posted = (access: Access, length: number, body: string) =>
  head("/api/v1/svc/mcp", access, bearer(access)).replace("GET", "POST") +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;

/** Clients that hold connections: how many, and what each one sends; they read a byte a second. */
const HOLDERS: Readonly<Record<string, readonly [number, Hold]>> = {
  "200 slow readers of feeds": [
    200,
    (access, client) =>
      head(
        `/feed/${access.link}/prices/prices.ledger?symbols=${symbolsOf(client, 5)}&from=${dayOf(client)}`,
        access,
        "\r\n",
      ),
  ],
  "200 slow readers of files": [
    200,
    (access) => head("/api/v1/svc/files/bars/US.parquet", access, `${bearer(access)}\r\n`),
  ],
  "200 slow readers of histories": [
    200,
    (access, client) => head(`/api/v1/svc${history(client)}`, access, `${bearer(access)}\r\n`),
  ],
  "500 idle connections": [500, () => ""],
  "500 half heads": [500, (access) => head("/", access)],
  "200 half bodies of 1 MB": [200, (access) => posted(access, 1_000_000, " ".repeat(999_000))],
  "100 heads of 1 MB": [100, (access) => head("/", access, `X: ${"x".repeat(1_000_000)}\r\n\r\n`)],
  "20 pipelines of 500 calls": [
    20,
    (access, client) =>
      head(`/api/v1/svc${history(client)}`, access, `${bearer(access)}\r\n`).repeat(500),
  ],
  "500 ranges of files in 50 pipelines": [
    50,
    (access) =>
      head(
        "/api/v1/svc/files/bars/US.parquet",
        access,
        `${bearer(access)}Range: bytes=0-10000000\r\n\r\n`,
      ).repeat(10),
  ],
  "500 streams of MCP": [
    500,
    (access) =>
      head("/api/v1/svc/mcp", access, `${bearer(access)}Accept: text/event-stream\r\n\r\n`),
  ],
  "100 streams of changes": [
    100,
    (access) =>
      head(
        "/console/api/changes",
        access,
        `Cookie: ${access.cookie}\r\nSec-Fetch-Site: same-origin\r\n\r\n`,
      ),
  ],
};

/** Holds connections; returns 0, because the service may close them. */
async function hold(access: Access, [count, make]: readonly [number, Hold]): Promise<number> {
  const sockets = Array.from({ length: count }, (_, client) => {
    const socket = connect({ port: Number(new URL(access.url).port), host: "127.0.0.1" });
    socket.on("error", () => {});
    socket.on("connect", () => {
      socket.write(make(access, client));
      socket.pause();
    });
    return socket;
  });
  const reading = setInterval(() => {
    for (const socket of sockets) socket.read(1);
  }, 1_000);
  await Bun.sleep(HOLD_MS);
  clearInterval(reading);
  for (const socket of sockets) socket.destroy();
  return 0;
}

const statuses = new Map<string, number>();

/** Sixty requests at once; returns the number of connections that were closed without a whole answer. */
async function crowd(access: Access, asks: readonly Ask[]): Promise<number> {
  let resets = 0;
  statuses.clear();
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      try {
        const response = await (asks[client % asks.length] as Ask)(access, client);
        let bytes = 0;
        for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
        const key = String(response.status);
        statuses.set(key, (statuses.get(key) ?? 0) + 1);
        statuses.set("MB", (statuses.get("MB") ?? 0) + bytes / 1e6);
      } catch (error) {
        resets++;
        statuses.set(String(error).slice(0, 40), resets);
      }
    }),
  );
  return resets;
}

function makeAccess(url: string): Access {
  const access = openAccess(data);
  const accounts = atOnce(new Accounts({ access, clock: Date.now, actor: COMMAND_LINE }));
  const { token } = accounts.createToken("owner", "crowd", null);
  const { token: link } = accounts.createToken("owner", "crowd", null, "feed");
  const { key } = atOnce(new SignIn(access, Date.now)).createKey("owner", COMMAND_LINE);
  access.close();
  return { url, token, link, cookie: key };
}

async function signIn(access: Access): Promise<Access> {
  const answer = await fetch(`${access.url}/console/api/session`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "sec-fetch-site": "same-origin",
      origin: access.url,
    },
    body: JSON.stringify({ key: access.cookie }),
  });
  const [cookie = ""] = answer.headers.getSetCookie()[0]?.split(";") ?? [];
  return { ...access, cookie };
}

/** Measures the service during work and afterwards. */
async function measure(
  pid: number,
  access: Access,
  work: () => Promise<number>,
): Promise<{ peakMb: number; resets: number; healthMs: number; afterMb: number; seconds: number }> {
  let peakMb = 0;
  const watch = setInterval(
    () => (peakMb = Math.max(peakMb, processUsage(pid)?.residentMb ?? 0)),
    MEMORY_MS,
  );
  const health = { name: "health", url: `${access.url}/health`, tokens: [""], perSecond: 100 };
  const probe = startProbe([health]);
  await Bun.sleep(300);
  const began = performance.now();
  const resets = await work();
  const seconds = (performance.now() - began) / 1_000;
  const { health: result } = await probe.stop();
  clearInterval(watch);
  await Bun.sleep(1_000);
  const afterMb = processUsage(pid)?.residentMb ?? 0;
  return { peakMb, resets, healthMs: result?.maxMs ?? Number.NaN, afterMb, seconds };
}

async function prepare(): Promise<void> {
  if (existsSync(join(data, "market.db"))) return;
  makeLargeFolder(data, { instruments: COMPANIES }, { hasEvents: false });
  const market = openMarket(data);
  fillLargeMarket(market, { instruments: WITH_BARS, barsEach: BARS_EACH, now: Date.now() });
  market.close();
  const folder = join(data, "exports", "20260101T000000Z");
  await measureCommand(["export", folder, "--data", data, "--kinds", "bars"]);
}

await prepare();
const service = await spawnServe(data, {
  flags: ["--gate-per-minute", "0", "--market", "live", "--sources", "entrade"],
  env: { BOURSE_SOURCE_URL_ENTRADE: "http://127.0.0.1:1" },
});
await service.isReady();
const access = await signIn(makeAccess(service.url));
const rows: (string | number)[][] = [];
let isAbove = false;
const run = async (name: string, work: () => Promise<number>) => {
  if (!new RegExp(flags.only, "i").test(name)) return;
  statuses.clear();
  const { peakMb, resets, healthMs, afterMb, seconds } = await measure(service.pid, access, work);
  const isOver = peakMb > BUDGET.peakMb || resets > BUDGET.resets || healthMs > BUDGET.healthMs;
  isAbove ||= isOver;
  const figures = [peakMb, afterMb, resets, healthMs].map(Math.round);
  const answers = [...statuses].map(([key, value]) => `${key}: ${Math.round(value)}`).join(", ");
  rows.push([name, seconds.toFixed(1), ...figures, isOver ? "above" : "", load(), answers]);
  print(rows.at(-1)?.join(" | ") ?? "");
};
for (const [name, ask] of Object.entries(KINDS)) await run(name, () => crowd(access, [ask]));
await run("all kinds", () => crowd(access, Object.values(KINDS)));
for (const [name, holder] of Object.entries(HOLDERS)) await run(name, () => hold(access, holder));
await service.stop();
await endChildren();
const COLUMNS = [
  "SECONDS",
  "PEAK MB",
  "MB AFTER",
  "RESETS",
  "SLOWEST /health, ms",
  "",
  "LOAD",
  "ANSWERS",
];
print(formatTable(["60 CLIENTS", ...COLUMNS], rows));
print(`Budget: ${BUDGET.peakMb} MB, ${BUDGET.resets} resets, /health ${BUDGET.healthMs} ms.`);
process.exit(isAbove ? 1 : 0);
