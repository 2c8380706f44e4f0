import { afterEach, expect, test } from "bun:test";
import { nextTurn } from "#lib/next-turn.ts";
import { isVisibleLine } from "#lib/visible-line.ts";
import { samplesOf } from "../support/prometheus.ts";
import { startService, type TestService } from "../support/service.ts";

const ON = { BOURSE_ACCESS_LOG: "json" };

let service: TestService;
afterEach(() => service.stop());

/** The lines of the access log, after all of them are written. */
async function accessLines(): Promise<Record<string, unknown>[]> {
  await nextTurn();
  await nextTurn();
  return service.logLines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ level }) => level === "access");
}

test("a request is one line with the id of its token, without the query", async () => {
  service = await startService({ env: ON });
  const { token, id } = service.createToken();
  await service.request("/data/stocks/AAPL/overview?country=US&_key=secret", token);
  expect(await accessLines()).toEqual([
    {
      time: "2026-11-20T17:30:00.000Z",
      level: "access",
      interface: "rest",
      method: "GET",
      path: "/api/v1/svc/data/stocks/AAPL/overview",
      operation: "get_stock_overview",
      status: 200,
      ms: 0,
      token: id,
      address: "127.0.0.1",
    },
  ]);
});

test("each kind of request is logged, except health checks", async () => {
  service = await startService({ env: ON });
  const { token, id } = service.createToken();
  const root = new URL(service.base).origin;
  await service.request("/data/markets", token);
  await service.request("/data/markets", token);
  await service.request("/data/markets", null);
  await service.request("/data/sectors?country=XX", token);
  await service.request("/nothing", token);
  await service.callTool(token, "get_markets", {});
  await fetch(`${root}/console/api/service`);
  await fetch(`${root}/health`);
  const lines = await accessLines();
  expect(
    lines.map((line) => [line["interface"], line["operation"], line["status"], line["token"]]),
  ).toEqual([
    ["rest", "get_markets", 200, id],
    ["rest", "get_markets", 200, id],
    ["rest", "get_markets", 401, null],
    ["rest", "get_sectors", 400, id],
    ["other", null, 404, null],
    ["mcp", "get_markets", 200, id],
    ["console", null, 200, null],
  ]);
});

test("no line has a token, even if a client puts it into the path, and long paths are cut off", async () => {
  service = await startService({ env: ON });
  const { token } = service.createToken();
  await service.request(`/data/${token}`, token);
  await service.request(`/data/stocks/AAPL/overview?country=US&token=${token}`, token);
  await service.request(`/${"x".repeat(5_000)}`, token);
  const lines = await accessLines();
  expect(lines).toHaveLength(3);
  expect(service.logLines.join("\n")).not.toContain(token.slice(7, 20));
  expect(String(lines[2]?.["path"])).toHaveLength(200);
});

test("no form of a feed link or a token in a path is logged", async () => {
  service = await startService({ env: ON });
  const root = new URL(service.base).origin;
  const coded = (text: string) =>
    text.replaceAll(/[a-z]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  const secret = "bourse_feed_Ab12Cd34";
  for (const path of [
    `/feed/${secret}/prices/prices.ledger`,
    `/feed/${coded(secret)}/prices/prices.ledger`,
    `/feed/%62ourse_feed_Ab12Cd34%ZZ/prices`,
    "/feed/Ab12Cd34/prices",
    `/nothing/${coded(secret)}`,
    `/nothing/${coded(secret).replaceAll("%", "%25")}`,
    // Decoded, it would erase the screen of a terminal that shows the log.
    `/nothing/${coded(secret)}/%9B2J%1B[2J`,
    `/%66eed/Ab12Cd34/${coded(secret)}`,
    // A session or a sign-in link, the hash of a token, and a name that is as long as neither.
    `/console/${"aZ0-_".repeat(9).slice(0, 43)}`,
    `/console/${"%61".repeat(43)}/${"0f".repeat(32)}`,
    `/data/lists/${"a-1".repeat(13)}`,
    "/feed/prices/prices.ledger",
  ])
    await fetch(`${root}${path}`);
  const paths = (await accessLines()).map(({ path }) => path);
  expect(paths).toEqual([
    "/feed/bourse_…/prices/prices.ledger",
    "/feed/bourse_…/prices/prices.ledger",
    "/feed/bourse_…/prices",
    "/feed/bourse_…/prices",
    "/nothing/bourse_…",
    "/nothing/bourse_…",
    "/nothing/bourse_…/\u009b2J\u001b[2J",
    "/feed/bourse_…/bourse_…",
    "/console/…",
    "/console/…/…",
    `/data/lists/${"a-1".repeat(13)}`,
    "/feed/prices/prices.ledger",
  ]);
  expect(service.logLines.filter((line) => !isVisibleLine(line))).toEqual([]);
});

test("the address is that of the client behind a trusted proxy", async () => {
  service = await startService({ env: ON, trustedProxies: "127.0.0.1" });
  const { token } = service.createToken();
  await service.request("/data/markets", token, { headers: { "X-Forwarded-For": "203.0.113.7" } });
  expect((await accessLines())[0]).toMatchObject({ address: "203.0.113.7" });
});

test("a secret is masked as a whole, also if the coded one has a piece that looks like another", async () => {
  service = await startService({ env: ON });
  // Between its coded letters are 43 characters, as a session has, counting the digits of the code.
  const hash = "1460cf77308f970d83b36167bd1381c1bd4d0b12610af579f8995720e05fb519";
  const coded = "1460cf77308f970d83b36167bd1381c1bd4d0b12610%61f%3579f899%35720%650%35fb%3519";
  const token = service.createToken().token;
  for (const path of [coded, `${"A".repeat(43)}%41/${coded}`])
    await service.request(`/${path}`, token);
  const lines = (await accessLines()).map((line) => String(line["path"]));
  expect(lines).toEqual(["/api/v1/svc/…", "/api/v1/svc/…A/…"]);
  for (const line of lines) expect(line).not.toContain(hash.slice(-20));
});

test("a line has the id of the client's trace, if that has the form of W3C", async () => {
  service = await startService({ env: ON });
  const { token } = service.createToken();
  // The example of the recommendation Trace Context.
  const id = "4bf92f3577b34da6a3ce929d0e0e4736";
  for (const traceparent of [
    `00-${id}-00f067aa0ba902b7-01`,
    `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
    `${token} 00-${id}-00f067aa0ba902b7-01`,
  ])
    await service.request("/data/markets", token, { headers: { traceparent } });
  expect((await accessLines()).map((line) => line["trace_id"])).toEqual([id, undefined, undefined]);
});

test("it is off by default, and works together with the metrics", async () => {
  service = await startService();
  await service.request("/data/markets", service.createToken().token);
  expect(await accessLines()).toEqual([]);
  await service.stop();
  service = await startService({ env: ON, counts: true });
  await service.request("/data/markets", service.createToken().token);
  expect(await accessLines()).toHaveLength(1);
  const counted =
    'bourse_http_requests_total{interface="rest",operation="get_markets",status="200"}';
  expect(samplesOf(await service.metrics.write()).get(counted)).toBe(1);
});
