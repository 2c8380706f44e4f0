import { afterAll, describe, expect, test } from "bun:test";
import { FEED_LAYERS } from "#feeds/index.ts";
import { readAddress } from "#http/feed-address.ts";
import { START, startService } from "../support/service.ts";

const service = await startService({ env: { BOURSE_ACCESS_LOG: "json" }, counts: true });
afterAll(() => service.stop());

const get = (path: string, init: RequestInit = {}) => fetch(`${service.origin}/feed/${path}`, init);
const VALUE = "sheets/value?symbol=AAPL";

describe("a feed link", () => {
  const { link, token } = service.createFeedLink();
  const bodyOf = async (response: Response) => [response.status, await response.text()] as const;

  test("reads in the path, and where clients of the layers put their key", async () => {
    const expected = await bodyOf(await get(`${link}/${VALUE}`));
    expect(expected[0]).toBe(200);
    for (const name of ["apikey", "apiKey", "api_token", "token", "access_token"])
      expect(await bodyOf(await get(`${VALUE}&${name}=${link}`))).toEqual(expected);
    for (const headers of [
      { authorization: `Bearer ${link}` },
      { authorization: `Token ${link}` },
      { authorization: `apikey ${link}` },
      { "x-api-key": link },
      { authorization: `Bearer ${token}` },
      { "x-api-key": token },
    ] as Record<string, string>[])
      expect(await bodyOf(await get(VALUE, { headers }))).toEqual(expected);
  });

  test("is refused by the API and by MCP, with a sentence", async () => {
    const rest = await service.request("/data/markets", link);
    const mcp = await service.mcp(link, { jsonrpc: "2.0", id: 1, method: "ping" });
    for (const response of [rest, mcp]) {
      expect(response.status).toBe(401);
      expect(await response.text()).toContain("a feed link reads below /feed/ only");
    }
  });

  test("is needed: a token in a URL, a revoked link and none are 401 in the layer's shape", async () => {
    const revoked = service.createFeedLink();
    expect((await get(`${revoked.link}/${VALUE}`)).status).toBe(200);
    service.accounts.revokeToken(revoked.id);
    for (const [path, words] of [
      [`${token}/${VALUE}`, "Use a feed link"],
      [`${VALUE}&token=${token}`, "Use a feed link"],
      [`${revoked.link}/${VALUE}`, "revoked"],
      [`${link}x/${VALUE}`, "mistyped"],
      [VALUE, "The feed link is missing"],
    ] as const) {
      const response = await get(path);
      expect(response.status).toBe(401);
      expect(response.headers.get("content-type")).toStartWith("text/plain");
      expect(await response.text()).toContain(words);
    }
  });

  test("has the quota of the plan: 30 calls an hour of plan free, then 429 in the layer's shape", async () => {
    const free = service.createFeedLink("free");
    const statuses = [];
    for (let i = 0; i < 31; i++) statuses.push((await get(`${free.link}/${VALUE}`)).status);
    expect(statuses).toEqual([...Array<number>(30).fill(200), 429]);
    const refused = await get(`${free.link}/${VALUE}`);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.headers.get("x-ratelimit-limit")).toBe("100");
    expect(await refused.text()).toStartWith("Rate limit exceeded");
    // The user's token has its own calls.
    expect((await service.request("/data/markets", free.token)).status).toBe(200);
  });

  test("has places of its own beside the tokens of the plan", () => {
    const free = service.createFeedLink("free");
    const create = (kind: "api" | "feed") =>
      service.accounts.createToken(free.user, "one more", null, kind);
    expect(() => create("api")).toThrow(/holds 1 live token, as many as plan free allows/);
    expect(() => create("feed")).toThrow(/holds 1 live feed link, as many as plan free allows/);
  });

  test("is in no log, error, header, metric or audit entry, in whatever place it was sent", async () => {
    const secret = service.createFeedLink();
    const { link: inUrl, token: inHeader } = secret;
    const hidden = [inUrl, inHeader];
    const query = "symbol=AAPL&symbols=AAPL,NONE&ticker=NONE";
    const referer = `${service.origin}/feed/${inUrl}/sheets/quotes.csv?symbols=AAPL`;
    for (const { name, routes, posts = {} } of FEED_LAYERS)
      for (const route of [...Object.keys({ ...routes, ...posts }), "/unknown"])
        for (const [path, headers] of [
          [`${inUrl}/${name}${route}?${query}`, { referer }],
          [`${name}${route}?symbol=NONE&symbols=NONE&token=${inUrl}`, {}],
          [`${name}${route}?${query}`, { authorization: `Bearer ${inUrl}` }],
          [`${name}${route}?${query}`, { "x-api-key": inHeader }],
          [`${inHeader}/${name}${route}`, {}],
          [`${name}${route}?${query}&apikey=${inHeader}`, {}],
          [`${inUrl}x/${name}${route}`, { referer }],
        ] as [string, Record<string, string>][])
          for (const method of ["GET", "POST", "PUT"]) {
            const type = { "content-type": "application/json" };
            const body = method === "GET" ? null : JSON.stringify({ tickers: ["AAPL"] });
            const response = await get(path, { method, body, headers: { ...type, ...headers } });
            const shown = JSON.stringify([...response.headers]) + (await response.text());
            expect(response.status).toBeLessThan(500);
            for (const one of hidden) expect(shown).not.toContain(one);
            expect(response.headers.get("referrer-policy")).toBe("no-referrer");
          }
    await new Promise((resolve) => setImmediate(resolve));
    const written = [
      ...service.logLines,
      await service.metrics.write(),
      JSON.stringify(service.accounts.listAudit({ limit: 100 })),
    ].join("\n");
    expect(written).toContain('"interface":"feed"');
    expect(written).toContain(`"token":${secret.id}`);
    for (const one of hidden) expect(written).not.toContain(one.slice(0, -6));
  });
});

describe("an answer of a feed", () => {
  const { link } = service.createFeedLink();

  test("has the headers of quota, source and cache, and 304 for the same ETag", async () => {
    const first = await get(`${link}/${VALUE}`);
    expect(first.headers.get("access-control-allow-origin")).toBe("*");
    expect(first.headers.get("cache-control")).toMatch(/^private, max-age=\d+$/);
    expect(first.headers.get("x-data-source")).toBe("sample");
    expect(first.headers.get("x-ratelimit-remaining")).toMatch(/^\d+$/);
    const etag = first.headers.get("etag") ?? "";
    const again = await get(`${link}/${VALUE}`, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  test("is the same for HEAD, without a body; other methods are 405", async () => {
    const head = await get(`${link}/${VALUE}`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const post = await get(`${link}/${VALUE}`, { method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    const preflight = await get(`${link}/${VALUE}`, { method: "OPTIONS" });
    expect(preflight.status).toBe(204);
  });

  test("is made again when the figures have changed", async () => {
    const read = async () => (await get(`${link}/${VALUE}`)).text();
    const before = await read();
    const quote = {
      country: "US",
      symbol: "AAPL",
      date: "2026-11-20",
      price: Number(before) + 1,
      previousClose: Number(before),
      volume: null,
      marketCap: null,
      epsTtm: null,
      priceToBook: null,
      dividendYieldPercent: null,
    } as const;
    service.market.documents.put("quotes", [quote], { source: "sample", storedAt: START });
    expect(await read()).toBe(before);
    service.time.now += 31_000;
    expect(Number(await read())).toBeCloseTo(Number(before) + 1, 5);
  });

  test("keeps the bodies of paths apart that differ in an encoded slash", () => {
    const keyOf = (path: string) => readAddress(new Request(`http://a/feed/${path}`), path).key;
    expect(keyOf("tiingo/tiingo/daily/A%2Fprices")).not.toBe(keyOf("tiingo/tiingo/daily/A/prices"));
    expect(keyOf("tiingo/tiingo/daily/A%3Fb")).not.toBe(keyOf("tiingo/tiingo/daily/A?b"));
    expect(keyOf("tiingo/tiingo/daily/%41/prices")).toBe(keyOf("tiingo/tiingo/daily/A/prices"));
  });

  test("names the feeds if there is no such feed, and the paths if there is no such path", async () => {
    const unknown = await get(`${link}/nothing/x`);
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({
      error: { code: "NOT_FOUND", hint: expect.stringContaining("sheets") },
    });
    const path = await get(`${link}/prices/x`);
    expect(path.status).toBe(404);
    expect(await path.text()).toContain("/prices.ledger");
  });
});
