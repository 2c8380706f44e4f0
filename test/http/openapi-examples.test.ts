import { afterAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { RIGHT_NAMES } from "#domain/rights.ts";
import { startService } from "../support/service.ts";

const PREFIX = "/api/v1/svc";
const service = await startService();
afterAll(() => service.stop());
const { user } = service.createToken();
const { token } = service.accounts.createToken(user, "collection", null, "api", RIGHT_NAMES);

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: string | number | boolean;
}
interface Described {
  readonly parameters?: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: { content: Record<string, { example: object }> };
  readonly responses: Record<string, { content: Record<string, { schema: object }> }>;
}
interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

async function read(query = "", headers: Record<string, string> = {}): Promise<Document> {
  const response = await service.request(`/openapi.json${query}`, null, { headers });
  return (await response.json()) as Document;
}
const document = await read();

const parametersOf = ({ parameters = [] }: Described): Parameter[] =>
  parameters.map((one) => {
    const shared = document.components.parameters[one.$ref?.split("/").at(-1) ?? ""];
    return shared ?? one;
  });

/** The path of a call with the examples of all parameters, as programs make it that try each one. */
function callOf(path: string, described: Described, more: Record<string, string> = {}): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, in: where, example } of parametersOf(described)) {
    if (example === undefined) continue;
    if (where === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(String(example)));
    if (where === "query") query.set(name, String(example));
  }
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return `${filled.slice(PREFIX.length)}?${query.toString()}`;
}

/** All operations with the method, what makes a list before what reads one, and what deletes it last. */
const calls = Object.entries(document.paths)
  .filter(([path]) => path !== `${PREFIX}/mcp`)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => [method, path, described] as const),
  )
  .toSorted(([a], [b]) => order(a) - order(b));

function order(method: string): number {
  return ["put", "get", "delete"].indexOf(method);
}

const REQUEST_HEADERS = { "content-type": "application/json" };

describe("the OpenAPI document", () => {
  test("has examples that are calls, alone and all together", async () => {
    for (const [method, path, described] of calls) {
      const body = described.requestBody?.content["application/json"]?.example;
      const send = (url: string) =>
        service.request(url, token, {
          method: method.toUpperCase(),
          ...(body && { body: JSON.stringify(body), headers: REQUEST_HEADERS }),
        });
      const url = callOf(path, described);
      expect([method, url, (await send(url)).status]).toEqual([method, url, 200]);
      if (method !== "get") continue;
      const all = parametersOf(described);
      // Without required arguments, an operation may need one of several.
      const needed = all.filter((one) => one.required);
      const required = needed.length > 0 ? needed : all.filter((one) => one.example).slice(0, 1);
      for (const one of all.filter((each) => !each.required && each.in === "query")) {
        if (one.example === undefined) continue;
        const alone = callOf(path, { ...described, parameters: [...required, one] });
        expect([alone, (await send(alone)).status]).toEqual([alone, 200]);
      }
    }
  }, 600_000);

  test("has the address of the request, whatever its Host says", async () => {
    expect(document.servers).toEqual([{ url: service.origin }]);
    for (const [host, url] of [
      ["bourse.example.com", "http://bourse.example.com"],
      ["[::1]:8787", "http://[::1]:8787"],
      // No name of a host.
      ["a.example/b?c", "/"],
      ['x"onload=1', "/"],
      ["user@a.example", "/"],
    ] as const)
      expect([host, (await read("", { host })).servers]).toEqual([host, [{ url }]]);
    for (const [protocols, url] of [
      ["https", "https://a.example"],
      ["https, HTTPS", "https://a.example"],
      ["https,http", "http://a.example"],
    ] as const) {
      const forwarded = { host: "a.example", "x-forwarded-proto": protocols };
      expect((await read("", forwarded)).servers).toEqual([{ url }]);
    }
    // The answer to one caller is not the one of another.
    expect((await read()).servers).toEqual([{ url: service.origin }]);
    const response = await service.request("/openapi.json", null);
    expect(response.headers.get("cache-control")).toBe("private");
  });

  test("has BOURSE_PUBLIC_URL where it is set, whatever the request says", async () => {
    const url = "https://bourse.example.com";
    const own = await startService({ sample: false, env: { BOURSE_PUBLIC_URL: url } });
    const headers = { host: "a.example" };
    const answer = await own.request("/openapi.json", null, { headers });
    const collection = await fetch(`${own.origin}/docs/bourse.postman_collection.json`, {
      headers,
    });
    await own.stop();
    expect(((await answer.json()) as Document).servers).toEqual([{ url }]);
    expect(await collection.json()).toMatchObject({ variable: [{ value: url }, { value: "" }] });
  });

  test("describes every form of an answer for programs that check answers", async () => {
    const all = await read("?answers=all");
    expect(await new Validator().validate(structuredClone(all) as never)).toMatchObject({
      valid: true,
    });
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(all, "document");
    for (const [path, { get }] of Object.entries(all.paths)) {
      if (!get || !path.includes("/data/") || /\/(lists|alerts)/.test(path)) continue;
      const { content = {} } = get.responses["200"] ?? {};
      const pointer = path.replaceAll("~", "~0").replaceAll("/", "~1");
      const schema = `document#/paths/${encodeURIComponent(pointer)}/get/responses/200/content/application~1json/schema`;
      const names = parametersOf(get).map(({ name }) => name);
      for (const more of [{}, { rows: "objects" }, { as: "csv_link" }, { format: "csv" }]) {
        const [name = "as"] = Object.keys(more);
        if (!names.includes(name)) continue;
        const response = await service.request(callOf(path, get, more), token);
        const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
        expect([path, name, Object.keys(content).includes(type)]).toEqual([path, name, true]);
        if (type !== "application/json") continue;
        const validate = ajv.getSchema(schema);
        const isValid = validate?.(await response.json());
        expect([path, name, isValid, validate?.errors?.[0] ?? null]).toEqual([
          path,
          name,
          true,
          null,
        ]);
      }
    }
  }, 600_000);
});

interface Request {
  readonly method: string;
  readonly body?: { readonly raw: string };
  readonly header: readonly { readonly key: string; readonly value: string }[];
  readonly url: {
    readonly raw: string;
    readonly query: readonly { key: string; value: string; disabled: boolean }[];
    readonly variable: readonly { key: string; value: string }[];
  };
}
interface Item {
  readonly name: string;
  readonly item?: readonly Item[];
  readonly request?: Request;
}

const requestsOf = ({ item = [], request }: Item): Request[] =>
  request ? [request] : item.flatMap(requestsOf);

test("the collection has a request for each operation, and each succeeds as it is, in its order", async () => {
  const response = await fetch(`${service.origin}/docs/bourse.postman_collection.json`);
  expect(response.headers.get("content-type")).toBe("application/json");
  const collection = (await response.json()) as Item & { variable: object[] };
  expect(collection.variable).toContainEqual({
    key: "baseUrl",
    value: service.origin,
    type: "string",
  });
  const requests = requestsOf(collection);
  expect(requests).toHaveLength(calls.length);
  for (const { method, url, header, body } of requests) {
    const address = url.variable
      .reduce((text, { key, value }) => text.replace(`:${key}`, value), url.raw)
      .replace("{{baseUrl}}", service.origin);
    const headers = Object.fromEntries(header.map(({ key, value }) => [key, value]));
    const { status } = await fetch(address, {
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
      ...(body && { body: body.raw }),
    });
    expect([method, address, status]).toEqual([method, address, 200]);
    // Optional arguments are there, switched off.
    expect(url.query.filter(({ disabled }) => !disabled).every(({ value }) => value !== "")).toBe(
      true,
    );
  }
});
