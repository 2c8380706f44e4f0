import { afterAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { OPERATIONS } from "#operations/index.ts";
import { routesOf } from "#operations/operation.ts";
import { CATEGORIES, startHandMade } from "../support/contract-exchange.ts";

const PREFIX = "/api/v1/svc";
const COUNTRIES = ["US", "JP", "VN"];

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Record<string, unknown>;
}
interface DocumentedResponse {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: object }>;
}
interface Documented {
  readonly requestBody?: {
    readonly content: {
      readonly "application/json": { readonly schema: { readonly properties?: object } };
    };
  };
  operationId: string;
  description?: string;
  security?: unknown[];
  parameters?: Parameter[];
  responses: Record<string, DocumentedResponse>;
}
interface Document {
  openapi: string;
  info: Record<string, unknown>;
  security: unknown;
  paths: Record<string, Record<string, Documented>>;
  components: {
    securitySchemes: Record<string, unknown>;
    schemas: Record<string, object>;
    headers: Record<string, { description: string }>;
  };
}

const world = await startHandMade();
const raw = await (await world.service.request("/openapi.json", null)).text();
/** The document with every reference replaced by its target. */
const document = resolved(JSON.parse(raw), JSON.parse(raw)) as Document;
afterAll(() => world.service.stop());

function resolved(node: unknown, root: unknown): unknown {
  if (Array.isArray(node)) return node.map((item) => resolved(item, root));
  if (typeof node !== "object" || node === null) return node;
  if ("$ref" in node) {
    const path = String(node.$ref).slice(2).split("/");
    return resolved(
      path.reduce((inner, key) => (inner as Record<string, unknown>)[key], root),
      root,
    );
  }
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, resolved(value, root)]),
  );
}

const operationAt = (path: string, method = "get"): Documented => {
  const operation = document.paths[PREFIX + path]?.[method];
  if (!operation) throw new Error(`${method} ${path} is not described`);
  return operation;
};

describe("the OpenAPI document", () => {
  test("is valid OpenAPI 3.1 for an independent validator", async () => {
    expect(
      await new Validator().validate(JSON.parse(raw) as Record<string, unknown>),
    ).toMatchObject({ valid: true });
    expect(document.openapi).toStartWith("3.1");
  });

  test("needs no token and is not charged", async () => {
    const { service, token, id } = world;
    const response = await service.request("/openapi.json", token);
    expect(response.status).toBe(200);
    expect(await service.used(id)).toBe(0);
    expect(operationAt("/openapi.json").security).toEqual([]);
  });

  test("is compressed, and 304 if the client holds it", async () => {
    const { service } = world;
    const ask = (headers: Record<string, string>) =>
      service.request("/openapi.json", null, { headers, decompress: false });
    const plain = await ask({ "accept-encoding": "identity" });
    const text = await plain.text();
    const etag = plain.headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"[^"]+"$/);
    for (const [encoding, inflate] of [
      ["gzip", Bun.gunzipSync],
      ["zstd", Bun.zstdDecompressSync],
    ] as const) {
      const response = await ask({ "accept-encoding": encoding });
      expect(response.headers.get("content-encoding")).toBe(encoding);
      expect(response.headers.get("etag")).toBe(etag);
      expect(Buffer.from(inflate(new Uint8Array(await response.arrayBuffer()))).toString()).toBe(
        text,
      );
    }
    const held = await ask({ "if-none-match": etag });
    expect([held.status, held.headers.get("etag"), await held.text()]).toEqual([304, etag, ""]);
    expect((await ask({ "if-none-match": '"other"' })).status).toBe(200);
  });

  test("lists every metric of screens and comparisons, with its unit and meaning", async () => {
    const path = "/data/stocks/compare?symbols=US:AAPL&metrics=all";
    const { columns } = await world.service.payload<{ columns: string[] }>(path, world.token);
    const { properties } = document.components.schemas["Metrics"] as {
      properties: Record<string, Record<string, unknown>>;
    };
    expect(Object.keys(properties)).toEqual(
      columns.slice(5).filter((column) => !column.endsWith("_from_session")),
    );
    expect(properties["pe"]).toEqual({
      type: ["number", "null"],
      title: "P/E",
      description: "Price / diluted earnings per share of the trailing twelve months.",
      examples: [expect.any(Number)],
      "x-group": "Valuation",
      "x-unit": "multiple",
      "x-period": "TTM",
      "x-start": "12 months before the end",
      "x-end": "end of the newest reported quarter or year",
      "x-basis": "statements filed by today; ratios to the price: newest close",
      "x-better": "low",
    });
    expect(properties["roe"]?.["x-better"]).toBe("high");
    // Neither a large nor a small company is the better one.
    expect(properties["market_cap"]).not.toHaveProperty("x-better");
    expect(properties["filing_date"]).toMatchObject({
      type: ["string", "null"],
      "x-unit": "calendar date",
    });
  });

  test("describes exactly the routes", () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const routes = OPERATIONS.flatMap(routesOf).map(
      ({ method = "GET", path }) => `${method.toLowerCase()} ${PREFIX}${path}`,
    );
    expect(described.sort()).toEqual(
      [...routes, `post ${PREFIX}/mcp`, `get ${PREFIX}/openapi.json`].sort(),
    );
  });

  test("names and describes every operation once", () => {
    const all = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
    for (const { name, path, method } of OPERATIONS.flatMap(routesOf)) {
      const described = operationAt(path, method?.toLowerCase());
      expect(described.operationId).toBe(name);
      expect(described.description?.length).toBeGreaterThan(40);
    }
  });

  test("requires a bearer token for every other route", () => {
    expect(document.security).toEqual([{ bearer: [] }]);
    expect(document.components.securitySchemes["bearer"]).toMatchObject({
      type: "http",
      scheme: "bearer",
    });
    expect(operationAt("/data/markets").security).toBeUndefined();
    expect(operationAt("/mcp", "post").security).toBeUndefined();
  });

  const SYMBOL = ["symbol", "path", true, { type: "string", minLength: 1, maxLength: 20 }] as const;
  const COUNTRY = ["country", "query", true, { type: "string", enum: COUNTRIES }] as const;
  const ANY_COUNTRY = ["country", "query", false, { type: "string", enum: COUNTRIES }] as const;
  test.each([
    ["/data/markets", []],
    [
      "/data/macro/indicators",
      [COUNTRY, ["category", "query", false, { type: "string", enum: CATEGORIES }]],
    ],
    ["/data/macro/forecast", [COUNTRY]],
    [
      "/data/macro/calendar",
      [
        ANY_COUNTRY,
        ["importance", "query", false, { type: "string" }],
        ["limit", "query", false, { type: "integer", minimum: 1, maximum: 200, default: 20 }],
      ],
    ],
    ["/data/sectors", [COUNTRY]],
    ["/data/stocks/{symbol}/overview", [COUNTRY, SYMBOL]],
    [
      "/data/stocks/{symbol}/statements",
      [COUNTRY, SYMBOL, ["type", "query", true, { type: "string" }]],
    ],
    ["/data/stocks/{symbol}/technicals", [COUNTRY, SYMBOL]],
  ] as const)("gives %s the contract's parameters", (path, expected) => {
    const parameters = operationAt(path).parameters ?? [];
    for (const [name, where, required, schema] of expected) {
      const parameter = parameters.find((one) => one.name === name);
      expect(parameter).toMatchObject({ in: where, schema });
      expect(parameter?.required ?? false).toBe(required);
    }
    const requiredNames = parameters.filter(({ required }) => required).map(({ name }) => name);
    expect(requiredNames.sort()).toEqual(
      expected
        .filter(([, , required]) => required)
        .map(([name]): string => name)
        .sort(),
    );
  });

  test("is described by HEAD as by GET", async () => {
    const [get, head] = await Promise.all(
      ["GET", "HEAD"].map((method) => world.service.request("/openapi.json", null, { method })),
    );
    expect([head?.status, await head?.text()]).toEqual([200, ""]);
    for (const name of ["content-type", "etag", "vary"])
      expect(head?.headers.get(name)).toBe(get?.headers.get(name) ?? null);
  });

  test("types the rows of each operation with tables as objects, too", () => {
    const { schemas } = (JSON.parse(raw) as { components: { schemas: Record<string, object> } })
      .components;
    expect(schemas["CompareStocksResultObjects"]).toMatchObject({
      properties: {
        rows: { items: { type: "object", allOf: [{ $ref: "#/components/schemas/Metrics" }] } },
      },
    });
    expect(schemas["StockPriceHistoryObjects"]).toMatchObject({
      properties: { bars: { properties: { rows: { items: { type: "object" } } } } },
    });
    // The default stays a list.
    expect(JSON.stringify(schemas["CompareStocksResult"])).not.toContain("Metrics");
  });

  test("lists the statement types as an enum", () => {
    const type = operationAt("/data/stocks/{symbol}/statements").parameters?.find(
      ({ name }) => name === "type",
    );
    expect(type?.schema["enum"]).toEqual(["income", "balance", "cashflow"]);
  });

  test("shows every parameter of every operation's input", () => {
    for (const operation of OPERATIONS) {
      const hasRows = JSON.stringify(operation.output).includes('"columns":');
      const more = [
        "If-None-Match",
        ...(operation.table ? ["as", "decimal", "format"] : []),
        ...(hasRows ? ["rows"] : []),
      ];
      for (const { path, input, method } of routesOf(operation)) {
        const described = operationAt(path, method?.toLowerCase());
        const names = (described.parameters ?? []).map(({ name }) => name);
        const fields = Object.keys(
          described.requestBody?.content["application/json"].schema.properties ?? {},
        );
        expect([...names, ...fields].sort()).toEqual(
          [...Object.keys(input.properties), ...(method ? [] : more)].sort(),
        );
      }
    }
    expect(operationAt("/mcp", "post").parameters?.map(({ name }) => name)).toEqual([
      "MCP-Protocol-Version",
    ]);
  });

  test("publishes plain JSON Schema: real enums, no unions of constants, no keywords of our own", () => {
    expect(raw).not.toMatch(
      /"anyOf"|"patternProperties"|"upperCase"|"expected":|"label":|"const":"(?!2\.0)/,
    );
  });

  test("lists every error that each route can answer", () => {
    const ALWAYS = ["200", "304", "401", "405", "413", "429", "500", "503"];
    for (const { path, input } of OPERATIONS.flatMap(routesOf)) {
      const statuses = Object.keys(operationAt(path).responses);
      const withArguments = Object.keys(input.properties).length > 0 ? ["400", "404"] : [];
      expect(statuses.sort()).toEqual([...ALWAYS, ...withArguments].sort());
    }
    expect(Object.keys(operationAt("/mcp", "post").responses).sort()).toEqual(
      ["200", "202", "400", "401", "404", "405", "413", "415", "429", "500", "503"].sort(),
    );
  });

  test("lists the error envelope's types and codes, which are the contract's", () => {
    expect(document.components.schemas["ErrorEnvelope"]).toMatchObject({
      required: ["error"],
      properties: {
        error: {
          required: ["type", "code", "message"],
          properties: {
            type: {
              enum: [
                "invalid_request",
                "authentication_error",
                "rate_limit_error",
                "not_found",
                "server_error",
              ],
            },
            code: {
              enum: [
                "INVALID_REQUEST",
                "MISSING_AUTH",
                "INVALID_TOKEN",
                "NOT_FOUND",
                "RATE_LIMIT_EXCEEDED",
                "INTERNAL",
              ],
            },
          },
        },
      },
    });
  });
});

type Schema = { [keyword: string]: unknown; properties?: Record<string, Schema> };

/** Every schema of the document, nested ones included. */
function* schemasOf(node: unknown): Generator<Schema> {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node) && "type" in node && typeof node.type !== "object") yield node as Schema;
  for (const inner of Object.values(node)) yield* schemasOf(inner);
}

describe("generated clients compile", () => {
  test("no property contradicts the index signature that additionalProperties becomes", () => {
    for (const { properties, additionalProperties, required } of schemasOf(JSON.parse(raw))) {
      if (!properties || !additionalProperties) continue;
      // TypeScript (TS2411) wants each named property to have the type of the others, without undefined.
      const { type } = additionalProperties as Schema;
      expect(Object.keys(properties).filter((name) => properties[name]?.["type"] !== type)).toEqual(
        [],
      );
      expect(required as string[]).toEqual(Object.keys(properties));
    }
  });

  test("no schema hides a global of TypeScript", () => {
    const names = Object.keys((JSON.parse(raw) as Document).components.schemas);
    for (const name of "Error Response Request Date Object Symbol Map Record".split(" ")) {
      expect(names).not.toContain(name);
    }
    expect(names.length).toBeGreaterThan(OPERATIONS.length);
  });

  test("each operation has a tag that is described, and each required parameter an example", () => {
    const { tags } = JSON.parse(raw) as { tags: { name: string; description: string }[] };
    const described = tags.map(({ name }) => name);
    for (const methods of Object.values(document.paths)) {
      for (const operation of Object.values(methods)) {
        const { tags: own = [], parameters = [] } = operation as Documented & { tags?: string[] };
        expect(own).toHaveLength(1);
        expect(described).toContain(own[0] ?? "");
        for (const parameter of parameters.filter(({ required }) => required)) {
          expect(parameter).toHaveProperty("example");
        }
      }
    }
  });

  test("dates and instants have their format", () => {
    const { schemas } = document.components as unknown as { schemas: Record<string, Schema> };
    const propertiesOf = (name: string) => schemas[name]?.properties ?? {};
    expect(propertiesOf("SectorsAnswer")["as_of"]).toMatchObject({ format: "date-time" });
    expect(propertiesOf("StockPriceHistory")["dates"]).toMatchObject({ items: { format: "date" } });
  });
});

describe("panels", () => {
  /** The labels of a panel in the document whose values are text. */
  const labelsOf = (name: string) => {
    const { schemas } = document.components as unknown as { schemas: Record<string, Schema> };
    const properties = Object.entries(schemas[name]?.properties ?? {});
    // Other fields, such as `understood_as`, have names in snake case.
    const labels = properties.filter(([label]) => /[^a-z0-9_]/.test(label));
    return labels.filter(([, { type }]) => type === "string").map(([label]) => label);
  };
  const get = (path: string) => world.service.payload<object>(path, world.token);
  const stock = (path: string) => get(`/data/stocks/AAPL/${path}country=US`);

  test("name exactly their labels", async () => {
    const stockOverview = (await stock("overview?")) as Record<string, object>;
    const { sectors } = (await get("/data/sectors?country=US")) as Record<
      string,
      Record<string, Record<string, object>>
    >;
    const [sector] = Object.values(sectors ?? {});
    const sent: Record<string, object | undefined> = {
      // A listed instrument of the US is not delisted, has no name in another language, and no limits.
      OverviewPanel: {
        ...(stockOverview["overview"] as object),
        "Local name": "トヨタ自動車",
        Delisted: "2026-11-20",
        "Reference price": "3,340 JPY",
        "Ceiling price": "4,040 JPY",
        "Floor price": "2,640 JPY",
      },
      ValuationPanel: stockOverview["valuation"],
      PerformancePanel: stockOverview["performance"],
      TechnicalsPanel: await stock("technicals?"),
      SectorPanel: sector?.["overview"],
      SectorPerformance: sector?.["performance"],
    };
    for (const [name, panel] of Object.entries(sent)) {
      expect({ [name]: labelsOf(name).sort() }).toEqual({
        [name]: Object.keys(panel ?? {}).sort(),
      });
    }
  });

  test("of statements name those of all types", async () => {
    // Only periods with known_on have these two.
    const [latest, periods] = [new Set<string>(), new Set(["Filing date", "Accession number"])];
    for (const path of [
      ...["income", "balance", "cashflow"].map((type) => `statements?type=${type}&`),
      "ratios?",
    ]) {
      const data = await stock(`${path}period=quarterly&`);
      const { periods: columns, periods_total: _, ...panel } = data as Record<string, unknown>;
      for (const label of Object.keys(panel)) latest.add(label);
      for (const label of Object.keys((columns as object[])[0] ?? {})) periods.add(label);
    }
    // Only with known_on.
    for (const label of ["Filing date", "Accession number"]) periods.add(label);
    expect(labelsOf("StockStatements").sort()).toEqual([...latest].sort());
    expect(labelsOf("FiscalPeriodPanel").sort()).toEqual([...periods].sort());
  });

  test("describe each label", () => {
    const { schemas } = document.components as unknown as { schemas: Record<string, Schema> };
    for (const [name, { properties = {} }] of Object.entries(schemas)) {
      if (!name.endsWith("Panel")) continue;
      for (const { description } of Object.values(properties)) expect(description).toBeString();
    }
  });
});

describe("the service sends what the document describes", () => {
  /** Headers of HTTP itself and of CORS, which an API description does not list. */
  const TRANSPORT =
    /^(content-(type|length|encoding)|date|vary|connection|keep-alive|access-control-.*)$/;

  async function expectDescribed(documented: Documented, response: Response): Promise<void> {
    const described = documented.responses[String(response.status)];
    if (!described) throw new Error(`${response.status} is not described`);
    const names = Object.keys(described.headers ?? {}).map((name) => name.toLowerCase());
    const undescribed = [...response.headers.keys()].filter(
      (name) => !TRANSPORT.test(name) && !names.includes(name),
    );
    expect(undescribed).toEqual([]);
    const body = await response.text();
    const content = described.content?.["application/json"];
    expect(content !== undefined).toBe(body !== "");
    if (!content) return;
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(content.schema);
    expect({ valid: validate(JSON.parse(body)), errors: validate.errors }).toMatchObject({
      valid: true,
    });
  }

  test.each([
    ["/data/sectors", "/data/sectors?country=US", {}, 200],
    ["/data/sectors", "/data/sectors?country=US", { headers: { "if-none-match": "*" } }, 304],
    ["/data/sectors", "/data/sectors", {}, 400],
    ["/data/macro/indicators", "/data/macro/indicators?country=US&category=x", {}, 404],
    ["/data/sectors", "/data/sectors", { method: "POST" }, 405],
    ["/openapi.json", "/openapi.json", {}, 200],
    ["/openapi.json", "/openapi.json", { headers: { "if-none-match": "*" } }, 304],
    ["/openapi.json", "/openapi.json", { method: "POST" }, 405],
  ])("%s: %s", async (described, path, init, status) => {
    const response = await world.service.request(path, world.token, init as RequestInit);
    expect(response.status).toBe(status);
    await expectDescribed(operationAt(described), response);
  });

  test.each([
    [200, '{"jsonrpc":"2.0","id":1,"method":"ping"}', "application/json"],
    [202, '{"jsonrpc":"2.0","method":"notifications/initialized"}', "application/json"],
    [400, "{", "application/json"],
    [415, "{}", "text/plain"],
    [413, " ".repeat(2 ** 20 + 1), "application/json"],
  ])("MCP: %d", async (status, body, contentType) => {
    const response = await world.service.mcp(world.token, body, { "content-type": contentType });
    expect(response.status).toBe(status);
    await expectDescribed(operationAt("/mcp", "post"), response);
  });

  test("401 and 429", async () => {
    const { service } = world;
    const sectors = operationAt("/data/sectors");
    await expectDescribed(sectors, await service.request("/data/sectors", null));
    await expectDescribed(operationAt("/mcp", "post"), await service.mcp("x", {}));
    const { token } = service.createToken("free");
    for (let i = 0; i < 30; i++) await (await service.request("/data/markets", token)).text();
    const denied = await service.request("/data/sectors", token);
    expect(denied.status).toBe(429);
    await expectDescribed(sectors, denied);
  });
});
