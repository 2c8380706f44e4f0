import { afterAll, describe, expect, test } from "bun:test";
import { OPERATIONS } from "#operations/index.ts";
import { routesOf } from "#operations/operation.ts";
import { removeUser } from "#store/users.ts";
import { CALLS, CONTRACT_OPERATIONS, restPath } from "../support/contract-calls.ts";
import {
  type Exchange,
  expectErrorEnvelope,
  QUOTA_HEADERS,
  sendRaw,
  startHandMade,
  testExchanges,
} from "../support/contract-exchange.ts";

const world = await startHandMade();
afterAll(() => world.service.stop());

const inUsOrNoCountry = CALLS.filter(
  ({ arguments: { country } }) => country === undefined || country === "US",
);

describe("200", () => {
  testExchanges(
    () => world,
    [
      ...inUsOrNoCountry.filter(({ isDefault }) => isDefault).map(restPath),
      "/data/macro/indicators?country=US&category=prices",
      "/data/macro/calendar?country=JP&importance=high,medium&limit=5",
      "/data/stocks/AAPL/statements?country=US&type=balance",
      "/data/stocks/AAPL/statements?country=US&type=cashflow",
    ].map((path): Exchange => ({ name: path, path, status: 200 })),
  );

  test.each([...CONTRACT_OPERATIONS])("is an answer of %s on %s", (name, path) => {
    expect(OPERATIONS.find((operation) => operation.name === name)?.path).toBe(path);
  });
});

describe("401", () => {
  const CHALLENGE = 'Bearer realm="bourse"';
  const refused = (
    name: string,
    authorization: string | null,
    refusal: "missingAuth" | "invalidToken",
  ): Exchange[] =>
    [
      { path: "/data/markets", rest: {} },
      {
        path: "/mcp",
        rest: {
          method: "POST",
          body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
          headers: { "content-type": "application/json" },
        },
      },
    ].map(({ path, rest }) => ({
      name: `${name}, ${path}`,
      path,
      ...rest,
      caller: authorization === null ? "none" : { authorization },
      status: 401,
      refusal,
      charged: false,
      says: refusal === "missingAuth" ? ["earer token"] : ["nvalid or revoked token"],
      present: {
        "www-authenticate":
          refusal === "missingAuth" ? CHALLENGE : `${CHALLENGE}, error="invalid_token"`,
      },
      absent: QUOTA_HEADERS,
    }));

  testExchanges(
    () => world,
    [
      ...refused("no header", null, "missingAuth"),
      ...refused("a bare scheme", "Bearer", "missingAuth"),
      ...refused("a bare scheme with spaces", "Bearer   ", "missingAuth"),
      ...refused("another scheme", "Basic dXNlcjpwYXNz", "missingAuth"),
      ...refused("a token without a scheme", "bourse_0123456789", "missingAuth"),
      ...refused("a scheme that only begins so", "Bearertoken abc", "missingAuth"),
      ...refused("rubbish", "Bearer rubbish", "invalidToken"),
      ...refused(
        "the shape of a token, never issued",
        `Bearer bourse_${"A".repeat(39)}`,
        "invalidToken",
      ),
      ...refused("an injection", "Bearer ' OR 1=1 --", "invalidToken"),
      ...refused("a very long token", `Bearer ${"x".repeat(4_000)}`, "invalidToken"),
    ],
  );

  const status = async (token: string) =>
    Promise.all([
      world.service.request("/data/markets", token).then((response) => response.status),
      world.service
        .mcp(token, { jsonrpc: "2.0", id: 1, method: "ping" })
        .then((response) => response.status),
    ]);

  test("a token with one letter changed is refused", async () => {
    const { token } = world;
    const last = token.at(-1) === "0" ? "1" : "0";
    expect(await status(token.slice(0, -1) + last)).toEqual([401, 401]);
    expect(await status(token.toUpperCase())).toEqual([401, 401]);
  });

  test("a revoked token is refused on its next call", async () => {
    const { token, id } = world.service.createToken();
    expect(await status(token)).toEqual([200, 200]);
    world.service.accounts.revokeToken(id);
    expect(await status(token)).toEqual([401, 401]);
    const response = await world.service.request("/data/markets", token);
    expectErrorEnvelope(await response.text(), "invalidToken");
  });

  test("a token is refused from the millisecond of its expiry", async () => {
    const { service } = world;
    const start = service.time.now;
    const { token } = service.createToken("max", 60_000);
    try {
      service.time.now = start + 59_999;
      expect(await status(token)).toEqual([200, 200]);
      service.time.now = start + 60_000;
      expect(await status(token)).toEqual([401, 401]);
    } finally {
      service.time.now = start;
    }
  });

  test("a token of a removed user is refused", async () => {
    const { service } = world;
    const { token, user } = service.createToken();
    service.access.run(removeUser(user));
    expect(await status(token)).toEqual([401, 401]);
  });

  test("the scheme is case-insensitive", async () => {
    const { service, token } = world;
    for (const scheme of ["bearer", "BEARER", "Bearer "]) {
      const response = await service.request("/data/markets", null, {
        headers: { authorization: `${scheme} ${token}` },
      });
      expect(response.status).toBe(200);
    }
  });

  test("on MCP has no JSON-RPC body", async () => {
    const response = await world.service.mcp(null, { jsonrpc: "2.0", id: 7, method: "ping" });
    expect(Object.keys((await response.json()) as object)).toEqual(["error"]);
  });
});

describe("404", () => {
  const unknown = (path: string): Exchange => ({
    name: path,
    path,
    caller: "none",
    status: 404,
    refusal: "notFound",
    charged: false,
  });
  testExchanges(
    () => world,
    [
      unknown("/"),
      unknown("/data"),
      unknown("/data/stocks"),
      unknown("/data/stocks/AAPL"),
      unknown("/data/stocks/AAPL/nothing?country=US"),
      unknown("/data/stocks//overview?country=US"),
      unknown("/data/markets/more"),
      unknown("/Data/Markets"),
      unknown("/mcp/sse"),
      {
        name: "an unknown symbol names the symbol and the country",
        path: "/data/stocks/NOPE/overview?country=US",
        status: 404,
        refusal: "notFound",
        says: ["NOPE", "not found", "US"],
      },
      {
        name: "a symbol of another country is not found, and the answer says where it is",
        path: "/data/stocks/7203/technicals?country=US",
        status: 404,
        refusal: "notFound",
        says: ["7203"],
      },
      {
        name: "an unknown symbol of each of the other panels, statements",
        path: "/data/stocks/NOPE/statements?country=VN&type=income",
        status: 404,
        refusal: "notFound",
      },
      {
        name: "an unknown symbol of each of the other panels, history",
        path: "/data/stocks/NOPE/history?country=JP",
        status: 404,
        refusal: "notFound",
      },
      {
        name: "an unknown symbol of each of the other panels, forecast",
        path: "/data/stocks/NOPE/forecast?country=JP",
        status: 404,
        refusal: "notFound",
      },
      {
        name: "tickers of which none is known",
        path: "/data/earnings/calendar?tickers=NOPE,NADA",
        status: 404,
        refusal: "notFound",
      },
      {
        name: "an unknown category",
        path: "/data/macro/indicators?country=US&category=weather",
        status: 404,
        refusal: "notFound",
        says: ["gdp, labor, prices, money, consumer, housing, business, trade, government, energy"],
      },
      {
        name: "a category of which the country has nothing",
        path: "/data/macro/indicators?country=US&category=energy",
        status: 404,
        refusal: "notFound",
      },
      {
        name: "an index has no statements",
        path: "/data/stocks/%5EGSPC/statements?country=US&type=income",
        status: 404,
        refusal: "notFound",
      },
    ],
  );

  test("is also the answer outside the mount, and for discovery documents of other protocols", async () => {
    const origin = new URL(world.service.base).origin;
    for (const path of [
      "/",
      "/api/v1",
      "/api/v2/svc/data/markets",
      "/api/v1/other/data/markets",
      "/.well-known/oauth-protected-resource",
      "/.well-known/oauth-authorization-server/api/v1/svc/mcp",
      "/.well-known/openid-configuration",
      "/favicon.ico",
    ]) {
      const response = await fetch(origin + path);
      expect(response.status).toBe(404);
      expect(response.headers.get("content-type")).toMatch(/^application\/json/);
      expectErrorEnvelope(await response.text(), "notFound");
    }
  });
});

describe("405", () => {
  const METHODS = ["POST", "PUT", "PATCH", "DELETE", "HEAD", "PROPFIND", "QUERY"];
  const refused = (method: string, path: string, allow: string): Exchange => ({
    name: `${method} ${path}`,
    method,
    path: path.replace("{symbol}", "AAPL").replace("{name}", "semis"),
    ...(method !== "HEAD" && method !== "GET" && { body: "{}" }),
    status: 405,
    refusal: "invalid",
    charged: false,
    says: [allow],
    present: { allow },
  });
  testExchanges(
    () => world,
    [...Map.groupBy(OPERATIONS.flatMap(routesOf), ({ path }) => path)].flatMap(([path, routes]) => {
      const allowed: string[] = routes.map(({ method = "GET" }) => method);
      return METHODS.filter((method) => !allowed.includes(method)).map((method) => ({
        ...refused(method, path, allowed.join(", ")),
        says: [allowed.join(" and ")],
      }));
    }),
  );
  // Paths outside /data answer HEAD as GET.
  testExchanges(
    () => world,
    METHODS.filter((method) => method !== "HEAD").map((method) => ({
      ...refused(method, "/openapi.json", "GET, HEAD"),
      says: ["GET and HEAD"],
    })),
  );
  testExchanges(
    () => world,
    ["GET", "PUT", "PATCH", "DELETE", "HEAD", "QUERY"].map((method) =>
      refused(method, "/mcp", "POST"),
    ),
  );

  // A host that falls back to the older transport shows the answer of its GET.
  test.each(["GET", "HEAD", "DELETE", "PUT"])(
    "%s /mcp says 401 to a header without a live token, and 405 else",
    async (method) => {
      const { service, token } = world;
      const statusOf = async (authorization: string | null) => {
        const headers: Record<string, string> = authorization === null ? {} : { authorization };
        const response = await service.request("/mcp", null, { method, headers });
        return [response.status, response.headers.get("www-authenticate")?.split(",").length];
      };
      for (const [authorization, expected] of [
        [`Bearer ${token}`, [405, undefined]],
        [null, [405, undefined]],
        ["Bearer bourse_wrong", [401, 2]],
        [`Bearer ${token.slice(0, -1)}`, [401, 2]],
        // No bearer token at all: without error="invalid_token".
        ["Bearer", [401, 1]],
        ["Basic YTpi", [401, 1]],
      ] as const) {
        expect([authorization, await statusOf(authorization)]).toEqual([
          authorization,
          [...expected],
        ]);
      }
    },
  );

  test.each(["TRACE", "CONNECT"])("%s, which fetch does not send", async (method) => {
    const answer = await sendRaw(
      world.service,
      `${method} /api/v1/svc/data/markets HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    );
    expect(answer?.status).toBe(405);
    expect(answer?.headers.get("allow")).toBe("GET");
  });
});

describe("415", () => {
  const posted = (contentType: string | null, status: number): Exchange => ({
    name: String(contentType),
    method: "POST",
    path: "/mcp",
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    // fetch would add text/plain itself.
    headers: { "content-type": contentType ?? "" },
    status,
    charged: false,
    ...(status === 415
      ? { refusal: "invalid", says: ["application/json"] }
      : { quotaHeaders: true }),
  });
  testExchanges(
    () => world,
    [
      posted("text/plain", 415),
      posted("text/plain;charset=UTF-8", 415),
      posted("application/x-www-form-urlencoded", 415),
      posted("multipart/form-data; boundary=x", 415),
      posted("application/jsonp", 415),
      posted("application/json-rpc", 415),
      posted("", 415),
      posted("application/json", 200),
      posted("application/json; charset=utf-8", 200),
      posted("application/json;charset=UTF-8", 200),
      posted("Application/JSON", 200),
    ],
  );

  test("a missing Content-Type", async () => {
    const { service, token } = world;
    const answer = await sendRaw(
      service,
      `POST /api/v1/svc/mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expect(answer?.status).toBe(415);
    expectErrorEnvelope(answer?.body ?? "", "invalid");
  });
});
