import { join } from "node:path";
import type { PlanName } from "#access/plans.ts";
import { childEnv, endChildren, resultOf, spawnChild } from "./child-process.ts";
import { instrument } from "./market.ts";
import { hasRecordings, recordedPath } from "./recordings.ts";
import { START, startService, temporaryFolder } from "./service.ts";

/** A service with the sample market, a folder, and a helper for programs that test it. */
export type ClientService = Awaited<ReturnType<typeof startForClients>>;

/**
 * Starts a service and a helper server. By requests to the helper, a program gets another token (`/token/free`), revokes
 * it (`/revoke`) and moves the service's clock (`/advance/3600`). Below `/page`, `/broken`, `/cut` and `/moved` the helper
 * is a server that is no bourse service.
 */
export async function startForClients() {
  const { folder, remove } = temporaryFolder();
  const service = await startService();
  const { user } = service.createToken("max");
  const { token } = service.accounts.createToken(user, "clients", null, "api", ["lists:write"]);
  const known = { source: "test", storedAt: START };
  const bars = ["2026-11-18", "2026-11-19", "2026-11-20"].map((date) => ({
    date,
    open: 10,
    high: 10,
    low: 10,
    close: 10,
    volume: 5,
  }));
  // Its dividends and splits are unknown.
  service.market.instruments.put([instrument("US", "YOUNG")], known);
  service.market.put("bars", [{ country: "US", symbol: "YOUNG", bars }], known);
  let newestId = 0;
  const helper = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const [action = "", value = ""] = new URL(request.url).pathname.slice(1).split("/");
      if (action === "advance") service.time.now += Number(value) * 1000;
      if (action === "token") {
        const created = service.createToken(value as PlanName);
        newestId = created.id;
        return new Response(created.token);
      }
      if (action === "revoke") service.accounts.revokeToken(newestId);
      return FOREIGN[action]?.() ?? new Response("");
    },
  });
  const env = childEnv({
    BOURSE_URL: service.origin,
    BOURSE_TOKEN: token,
    TEST_HELPER: helper.url.origin,
    PYTHONPATH: folder,
    PYTHONDONTWRITEBYTECODE: "1",
    ...(hasRecordings && { TEST_PRICES: recordedPath("") }),
  });

  return {
    folder,
    origin: service.origin,
    token,
    helper: helper.url.origin,
    /** Saves a file of `/clients/` in the folder. */
    async save(name: string): Promise<void> {
      const file = await fetch(`${service.origin}/clients/${name}`);
      await Bun.write(join(folder, name), await file.text());
    },
    /** Runs a program in the folder, with the address and the token in its environment. */
    run: (...command: string[]) =>
      resultOf(spawnChild(command, { cwd: folder, env, stdout: "pipe", stderr: "pipe" })),
    async stop(): Promise<void> {
      await endChildren();
      await helper.stop(true);
      await service.stop();
      remove();
    },
  };
}

/** Answers of servers that are no bourse service. */
const FOREIGN: Readonly<Record<string, () => Response>> = {
  other: () => Response.json({ status: "ok" }),
  page: () => new Response("<p>hello", { headers: { "content-type": "text/html" } }),
  broken: () => new Response("<p>bad gateway", { status: 502 }),
  cut: () =>
    new Response(Bun.gzipSync("hello".repeat(1000)).slice(0, 30), {
      headers: { "content-encoding": "gzip" },
    }),
  moved: () => Response.redirect("https://elsewhere.example/api/v1/svc/data", 301),
};
