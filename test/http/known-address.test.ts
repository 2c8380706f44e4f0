import { afterAll, describe, expect, test } from "bun:test";
import { heapStats } from "bun:jsc";
import { PLAN_NAMES, PLANS } from "#access/plans.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { CALLS, restPath } from "../support/contract-calls.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());

/** The same request at another address, with an undeclared parameter. */
let addresses = 0;
const elsewhere = (path: string) => `${path}${path.includes("?") ? "&" : "?"}_x=${++addresses}`;

async function get(path: string, token: string | null, headers: Record<string, string> = {}) {
  const response = await service.request(path, token, { headers, decompress: false });
  return {
    status: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => name !== "date")),
    body: new Uint8Array(await response.arrayBuffer()),
  };
}

type Request = { readonly headers?: Record<string, string>; readonly token?: null | string };

/** Requests a known URL and a new one, with tokens in the same state. */
async function expectSame(path: string, plan: keyof typeof PLANS, request: Request, calls = 1) {
  const [one, other] = [service.createToken(plan).token, service.createToken(plan).token];
  await get(path, service.createToken().token);
  let last: Awaited<ReturnType<typeof get>> | undefined;
  for (let i = 0; i < calls; i++) {
    const token = (own: string) => (request.token === undefined ? own : request.token);
    last = await get(path, token(one), request.headers);
    expect(last).toEqual(await get(elsewhere(path), token(other), request.headers));
  }
  return last;
}

describe("a URL that was requested before gets the same bytes as a new one", () => {
  test.each(CALLS.map((call) => [call.title, restPath(call)] as const))("%s", async (_, path) => {
    for (const plan of PLAN_NAMES) {
      expect((await expectSame(path, plan, {}, 2))?.status).toBe(200);
    }
  });

  const PATH = "/data/stocks/AAPL/forecast?country=US";
  const get200 = async () => get(PATH, service.createToken().token);

  test.each<[string, number, () => Request | Promise<Request>]>([
    [
      "a payload that the client holds",
      304,
      async () => ({ headers: { "if-none-match": (await get200()).headers["etag"] ?? "" } }),
    ],
    ["gzip", 200, () => ({ headers: { "accept-encoding": "gzip" } })],
    ["zstd", 200, () => ({ headers: { "accept-encoding": "br, zstd;q=0.5" } })],
    ["no compression", 200, () => ({ headers: { "accept-encoding": "identity" } })],
    ["no token", 401, () => ({ token: null })],
    ["an invalid token", 401, () => ({ token: "bourse_no" })],
  ])("with %s: %d", async (_, status, make) => {
    const request = await make();
    for (const plan of PLAN_NAMES) {
      expect((await expectSame(PATH, plan, request))?.status).toBe(status);
    }
  });

  test("with an exhausted quota: 429", async () => {
    const denied = await expectSame(PATH, "free", {}, PLANS.free.hourly + 1);
    expect(denied?.status).toBe(429);
  });

  test("with another method: 405", async () => {
    const { token } = service.createToken();
    const post = async (path: string) =>
      (await service.request(path, token, { method: "POST" })).status;
    expect([await post(PATH), await post(elsewhere(PATH))]).toEqual([405, 405]);
  });
});

describe("a compressed body", () => {
  const PATH = "/data/stocks/AAPL/forecast?country=US";

  test("is the plain one, in fewer bytes", async () => {
    const { token } = service.createToken();
    const plain = await get(PATH, token, { "accept-encoding": "identity" });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    for (const [encoding, inflate] of [
      ["gzip", Bun.gunzipSync],
      ["zstd", Bun.zstdDecompressSync],
    ] as const) {
      const { headers, body } = await get(PATH, token, { "accept-encoding": encoding });
      expect(headers["content-encoding"]).toBe(encoding);
      expect(headers["vary"]).toContain("Accept-Encoding");
      expect(body.length).toBeLessThan(plain.body.length);
      expect(Buffer.from(inflate(body)).toString()).toBe(Buffer.from(plain.body).toString());
    }
  });

  test.each([
    ["gzip", "gzip"],
    ["gzip, zstd", "zstd"],
    ["zstd;q=0.1, gzip;q=0.9", "gzip"],
    ["zstd;q=0, gzip", "gzip"],
    ["*", "gzip"],
    ["*;q=0.5, gzip;q=0", undefined],
    ["*, zstd;q=0.5", "gzip"],
    ["gzip;q=0.5, identity", undefined],
    ["gzip, identity;q=0.5", "gzip"],
    ["gzip;q=0.5, identity;q=0.5", "gzip"],
    ["*;q=0", undefined],
    ["br, deflate", undefined],
    ["GZIP;Q=1", "gzip"],
    ["gzip;q=x", undefined],
    ["identity", undefined],
  ])("follows Accept-Encoding: %s", async (accepted, encoding) => {
    const { headers } = await get(PATH, service.createToken().token, {
      "accept-encoding": accepted,
    });
    expect(headers["content-encoding"]).toBe(encoding);
  });

  test("is not used below a kilobyte", async () => {
    const { headers, body } = await get(
      "/data/stocks/AAPL/technicals?country=US",
      service.createToken().token,
      { "accept-encoding": "gzip" },
    );
    expect(body.length).toBeLessThan(1_024);
    expect(headers["content-encoding"]).toBeUndefined();
  });
});

test("a known URL does not keep its first request in memory", async () => {
  const { token } = service.createToken("max");
  const countRequests = async () => {
    Bun.gc(true);
    await nextTurn();
    Bun.gc(true);
    return heapStats().objectTypeCounts["Request"] ?? 0;
  };
  const before = await countRequests();
  for (let i = 1; i <= 300; i++)
    await get(`/data/stocks/AAPL/history?country=US&limit=${i}`, token);
  expect((await countRequests()) - before).toBeLessThan(100);
});
