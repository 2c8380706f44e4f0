import { afterEach, expect, test } from "bun:test";
import { Backups } from "#service/backups.ts";
import { ConsoleClient } from "../support/console-client.ts";
import { samplesOf } from "../support/prometheus.ts";
import { startService, START, type TestService } from "../support/service.ts";

let service: TestService;
afterEach(() => service.stop());

const OVERVIEW = "/data/stocks/AAPL/overview?country=US";
const NEVER = new Promise<never>(() => {});

test("an answer that never comes ends in 503 with Retry-After, over both interfaces", async () => {
  service = await startService({ sample: false, onRequest: () => NEVER, answerMs: 1 });
  const { token } = service.createToken();
  const response = await service.request(OVERVIEW, token);
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await response.json()).toMatchObject({
    error: {
      code: "INTERNAL",
      message:
        "The answer takes too long. Retry in 5 seconds, or ask for fewer symbols or a shorter range.",
    },
  });
  const { error } = await service.callTool(token, "get_stock_overview", {
    country: "US",
    symbol: "AAPL",
  });
  expect(error?.code).toBe(-32002);
});

test("a connection that the client closed before the answer is counted as 499", async () => {
  const asked = Promise.withResolvers<void>();
  const fetched = Promise.withResolvers<void>();
  service = await startService({
    sample: false,
    counts: true,
    oneNode: true,
    onRequest(needs) {
      if (needs.every(({ symbol }) => symbol !== "AAPL")) return undefined;
      asked.resolve();
      return fetched.promise;
    },
  });
  const { token } = service.createToken();
  const client = new AbortController();
  const answer = service.request(OVERVIEW, token, { signal: client.signal });
  await asked.promise;
  client.abort();
  expect(await answer.catch((error: Error) => error.name)).toBe("AbortError");
  // The service sees the end of the connection before this later request.
  await service.request("/data/markets", token);
  fetched.resolve();
  const labels = 'bourse_http_requests_total{interface="rest",operation="get_stock_overview"';
  for (;;) {
    const samples = [...samplesOf(await service.metrics.write())];
    const counted = samples.filter(([name]) => name.startsWith(labels));
    if (counted.length === 0) continue;
    expect(counted).toEqual([[`${labels},status="499"}`, 1]]);
    break;
  }
});

test("a backup that takes longer than a request may last goes on, and the answer says so", async () => {
  service = await startService({ sample: false });
  service.accounts.addUser("owner", "max");
  const admin = await new ConsoleClient(service).signIn("owner");
  const { folder } = service;
  let began = 0;
  const backups = new Backups({
    dataFolder: folder,
    config: { everyMs: null, keep: 3, folder: `${folder}/archives`, command: null },
    runCommand: async () => null,
    clock: () => START,
    log: { info() {}, warn() {}, error() {} },
    write() {
      began++;
      return NEVER;
    },
  });
  const slow = await startService({ folder, backups, answerMs: 1 });
  const client = new ConsoleClient(slow);
  client.cookie = admin.cookie;
  const response = await client.send("POST", "backup");
  expect([response.status, response.headers.get("retry-after"), began]).toEqual([503, "5", 1]);
  expect(await response.text()).toContain("It goes on; reload the page later");
  await slow.stop();
});
