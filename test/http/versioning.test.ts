import { afterAll, describe, expect, test } from "bun:test";
import { OPERATIONS } from "#operations/index.ts";
import { routesOf } from "#operations/operation.ts";
import { expectEveryAnswer } from "../support/contract-exchange.ts";
import { fillMarket } from "../support/contract-market.ts";
import { startService } from "../support/service.ts";

const SINCE = Date.parse("2026-10-01T00:00:00Z");
const DEPRECATION = {
  since: new Date(SINCE),
  sunset: new Date("2027-10-31T23:59:59Z"),
  link: "https://bourse.example/v1-to-v2",
};
const DEPRECATED = [
  // RFC 9745: a structured-field date, Unix seconds behind an @.
  ["deprecation", `@${SINCE / 1000}`],
  // RFC 8594: an HTTP date.
  ["sunset", "Sun, 31 Oct 2027 23:59:59 GMT"],
] as const;

const service = await startService({
  sample: false,
  versions: [{ name: "v1", deprecation: DEPRECATION }, { name: "v2" }],
});
fillMarket(service.market);
const token = service.createToken().token;
afterAll(() => service.stop());

describe("a deprecated version is announced", () => {
  const GOOD = `/data/sectors?country=US`;
  test.each([
    ["on success", GOOD, 200, {}],
    ["on 304", GOOD, 304, { headers: { "if-none-match": "*" } }],
    ["on 400", "/data/sectors?country=XX", 400, {}],
    ["on 404", "/data/stocks/NOPE/overview?country=US", 404, {}],
    ["on 405", "/data/markets", 405, { method: "POST" }],
    ["on 415", "/mcp", 415, { method: "POST" }],
    ["on its OpenAPI document", "/openapi.json", 200, {}],
  ])("%s", async (_, path, status, init) => {
    const response = await service.request(path, token, init as RequestInit);
    expect(response.status).toBe(status);
    expectEveryAnswer(response);
    for (const [name, value] of DEPRECATED) expect(response.headers.get(name)).toBe(value);
    expect(response.headers.get("link")).toMatch(
      /^<https:\/\/bourse\.example\/v1-to-v2>;.*\brel="?deprecation"?/,
    );
  });

  test("on 401", async () => {
    const response = await service.request("/data/markets", null);
    expect([response.status, response.headers.get("deprecation")]).toEqual([401, DEPRECATED[0][1]]);
  });

  test("on MCP", async () => {
    const response = await service.mcp(token, { jsonrpc: "2.0", id: 1, method: "ping" });
    expect([response.status, response.headers.get("deprecation")]).toEqual([200, DEPRECATED[0][1]]);
    expect(response.headers.get("sunset")).toBe(DEPRECATED[1][1]);
  });

  test("in every operation of its OpenAPI document", async () => {
    const { paths } = (await (await service.request("/openapi.json", null)).json()) as {
      paths: Record<string, Record<string, { deprecated?: boolean }>>;
    };
    const data = Object.entries(paths)
      .filter(([path]) => path.includes("/data/"))
      .flatMap(([, methods]) => Object.values(methods));
    expect(data).toHaveLength(OPERATIONS.flatMap(routesOf).length);
    for (const { deprecated } of data) expect(deprecated).toBe(true);
  });
});

describe("a current version", () => {
  test("is served under its own prefix without these headers", async () => {
    const base = service.base.replace("/v1/", "/v2/");
    for (const path of ["/data/markets", "/data/sectors?country=XX", "/openapi.json"]) {
      const response = await fetch(base + path, { headers: { authorization: `Bearer ${token}` } });
      expect(response.status).not.toBe(404);
      for (const name of ["deprecation", "sunset", "link"]) {
        expect(response.headers.has(name)).toBe(false);
      }
    }
  });

  test("is v1 alone, without these headers, by default", async () => {
    const plain = await startService({ sample: false });
    try {
      const response = await plain.request("/openapi.json", null);
      expect(response.status).toBe(200);
      expect(response.headers.has("deprecation")).toBe(false);
      const other = await fetch(`${plain.base.replace("/v1/", "/v2/")}/openapi.json`);
      expect(other.status).toBe(404);
    } finally {
      await plain.stop();
    }
  });
});
