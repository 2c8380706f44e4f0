import { createAccounts } from "#access/accounts.ts";
import type { Config } from "#config.ts";
import { BourseError } from "#domain/errors.ts";
import { V1, versionPrefix } from "#http/api-version.ts";
import { loadSample } from "#ingest/ingest.ts";
import { createLog } from "#lib/log.ts";
import { type AccessStore, openAccess, openMarket } from "#store/index.ts";
import { type Command, PROGRAM } from "./command.ts";
import { createService } from "./service.ts";
import { VERSION } from "./version.ts";

const OWNER = "owner";
/** How often it is asked whether the sample market is due. */
const REFRESH_MS = 60_000;
/** How long requests in flight may take once a stop was asked for. */
const GRACE_MS = 10_000;
/** Bun's own limit would answer without our envelope; ours are checked by the routes. */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;

export const serve: Command = {
  name: "serve",
  summary: "Run the service",
  settings: ["host", "port", "data", "trusted-proxies", "gate-per-minute", "log"],
  async run({ io, config }) {
    const log = createLog({
      format: config.logFormat,
      write: (line) => io.stderr(`${line}\n`),
      clock: Date.now,
    });
    const stopAsked = new Promise<void>((resolve) => io.onStop(resolve));
    const access = openAccess(config.dataFolder);
    const market = openMarket(config.dataFolder);
    let app: App | undefined;
    let timer: Timer | undefined;
    try {
      app = await createService({ config, access, market, clock: Date.now, log });
      // Before the sample is loaded: a port that is taken shall be told at once.
      listen(app, config);
      const refresh = () => loadSample({ market, now: Date.now() });
      refresh();
      timer = setInterval(() => {
        try {
          refresh();
        } catch (error) {
          log.error("the sample market could not be refreshed", { error: String(error) });
        }
      }, REFRESH_MS);

      io.stdout(greeting(urlOf(config, app.server?.port), createFirstToken(access)));
      await stopAsked;

      log.info("stopping; what is in flight is finished first");
      await stopListening(app.server);
    } finally {
      // After an error too: either of them would keep the process alive.
      clearInterval(timer);
      await app?.server?.stop(true);
      market.close();
      access.close();
    }
  },
};

type App = Awaited<ReturnType<typeof createService>>;
type Server = NonNullable<App["server"]>;

function listen(app: App, { host, port }: Config): void {
  try {
    app.listen({
      hostname: host,
      port,
      maxRequestBodySize: MAX_BODY_BYTES,
      // Elysia's defaults are a port that several processes may share, and pages for developers.
      reusePort: false,
      development: false,
    });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new BourseError(
      "unavailable",
      code === "EADDRINUSE"
        ? `Port ${port} on ${host} is taken; stop what listens there or choose another with --port.`
        : `Cannot listen on ${host}, port ${port} (${code || String(error)}).`,
    );
  }
}

/** Takes no more connections, lets the requests in flight finish, then closes what is left idle. */
async function stopListening(server: Server | null): Promise<void> {
  if (!server) return;
  void server.stop();
  const deadline = Date.now() + GRACE_MS;
  while (server.pendingRequests > 0 && Date.now() < deadline) await Bun.sleep(10);
  await server.stop(true);
}

/** What a client on this machine connects to. */
function urlOf({ host, port }: Config, boundPort = port): string {
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${boundPort}`;
}

/** On a data folder without users: makes the owner and one token. Null on every later start. */
function createFirstToken(access: AccessStore): string | null {
  const accounts = createAccounts({ access, clock: Date.now });
  if (accounts.listUsers().length > 0) return null;
  accounts.addUser(OWNER, "max");
  return accounts.createToken(OWNER, "first start", null).token;
}

function greeting(url: string, token: string | null): string {
  const api = url + versionPrefix(V1);
  const lines = [
    `bourse ${VERSION} listens on ${url}`,
    "SAMPLE MARKET: every figure is generated, none is real. Answers say X-Data-Source: sample.",
    "",
  ];
  if (token === null) {
    lines.push(
      `No token is shown on a later start; \`${PROGRAM} token create ${OWNER}\` makes another.`,
      "",
    );
    return lines.join("\n");
  }
  const server = { url: `${api}/mcp`, headers: { Authorization: `Bearer ${token}` } };
  lines.push(
    `The token of the user ${OWNER} (plan max), shown this once:`,
    "",
    `  ${token}`,
    "",
    "A first call:",
    "",
    `  curl -H "Authorization: Bearer ${token}" "${api}/data/stocks/AAPL/overview?country=US"`,
    "",
    "For agents, in Claude Code:",
    "",
    `  claude mcp add --transport http bourse ${server.url} --header "Authorization: Bearer ${token}"`,
    "",
    "in Cursor (.cursor/mcp.json):",
    "",
    `  ${JSON.stringify({ mcpServers: { bourse: server } })}`,
    "",
    "in VS Code (.vscode/mcp.json):",
    "",
    `  ${JSON.stringify({ servers: { bourse: { type: "http", ...server } } })}`,
    "",
  );
  return `${lines.join("\n")}\n`;
}
