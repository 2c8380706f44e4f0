import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { createService } from "#service/service.ts";
import { createFileStores } from "#service/stores.ts";
import { readConfig } from "#config.ts";
import { listen } from "#http/listen.ts";
import { createOnRequest } from "#ingest/on-request.ts";
import { createLog } from "#lib/log.ts";
import type { Fetcher } from "#sources/fetcher.ts";
import { atOnce } from "./at-once.ts";
import { openRefresher } from "./refresher.ts";
import { openCopiedAccess } from "./empty-files.ts";

/** Waits that end when a test calls `pass`. */
export function playedWait() {
  const waits: { ms: number; pass: () => void }[] = [];
  return {
    sleep: (ms: number) => new Promise<void>((resolve) => waits.push({ ms, pass: resolve })),
    /** The length of each wait in milliseconds. */
    durations: () => waits.map(({ ms }) => ms),
    /** Ends every wait that has begun. */
    pass(): void {
      for (const { pass } of waits) pass();
    },
  };
}

/** The service on a real port with an empty live market, which hand-made fetchers fill. */
export async function startLiveService(fetchers: readonly Fetcher[]) {
  const home = openRefresher(fetchers);
  const { market, refresher, clock } = home;
  const wait = playedWait();
  const access = openCopiedAccess(home.folder);
  const accounts = atOnce(new Accounts({ access, clock, actor: COMMAND_LINE }));
  accounts.addUser("anna", "max");
  const { token } = accounts.createToken("anna", "test", null);
  const config = readConfig({ data: home.folder, "gate-per-minute": "0" }, {});
  const app = createService({
    ...createFileStores({ access, market, config, clock }),
    config,
    clock,
    log: createLog({ format: "text", write: () => {}, clock }),
    onRequest: createOnRequest({ market, refresher, clock, sleep: wait.sleep }),
  });
  const server = listen(app, { host: "127.0.0.1", port: 0 });
  const base = `http://127.0.0.1:${server.port}/api/v1/svc`;
  const headers = { authorization: `Bearer ${token}` };
  return {
    ...home,
    wait,
    /** The answer to a path of v1. */
    get: (path: string): Promise<Response> => fetch(base + path, { headers }),
    /** The JSON-RPC answer to a tool call. */
    async callTool(name: string, args: object) {
      const response = await fetch(`${base}/mcp`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name, arguments: args },
        }),
      });
      return (await response.json()) as {
        result?: { content: { text: string }[]; isError?: boolean; _meta: Record<string, unknown> };
        error?: { code: number; message: string; data?: Record<string, unknown> };
      };
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await server.stop(true);
      access.close();
      home[Symbol.dispose]();
    },
  };
}
