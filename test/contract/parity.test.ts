import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OPERATIONS } from "#operations/index.ts";
import { CALLS, restPath } from "../support/contract-calls.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await startService();
  token = service.createToken().token;
}, 60_000);
afterAll(() => service.stop());

/** The source that a payload names: in itself, as a panel's label, or in each of its entries. */
function namedSource(payload: unknown): unknown {
  const data = payload as Record<string, unknown>;
  if ("source" in data || "Source" in data) return data["source"] ?? data["Source"];
  const entries = Object.values(data).flat() as { source: string }[];
  return [...new Set(entries.map(({ source }) => source))].sort().join(", ");
}

describe("REST and MCP give the same answer", () => {
  test.each(CALLS.map((call) => [call.title, call] as const))("%s", async (_, call) => {
    const rest = await service.request(restPath(call), token);
    const body = await rest.text();
    expect({ status: rest.status, body: body.slice(0, 300) }).toMatchObject({ status: 200 });

    // Half a minute later, so that the second answer is not cached.
    service.time.now += 30_000;
    const { result } = await service.callTool(token, call.operation.name, call.arguments);
    const envelope = JSON.parse(body) as Record<string, unknown>;
    const made = { ...envelope, as_of: new Date(service.time.now).toISOString() };
    expect(result?.structuredContent).toEqual(made);
    expect(JSON.parse(result?.content[0]?.text ?? "null")).toEqual(made);

    // Within the 30 seconds, both are byte-identical.
    const again = await service.request(restPath(call), token);
    expect(await again.text()).toBe(result?.content[0]?.text ?? "");
    expect(again.headers.get("x-data-source")).toBe(result?._meta.source ?? null);
    expect(namedSource(envelope["data"])).toBe(result?._meta.source ?? null);
    expect(Number(again.headers.get("x-data-age"))).toBe(result?._meta.age_seconds ?? -1);
  });

  test("for all operations and all three countries", () => {
    const names = new Set(CALLS.map(({ operation }) => operation.name));
    expect(names.size).toBe(OPERATIONS.length);
    for (const { name, input } of new Set(CALLS.map(({ operation }) => operation))) {
      if (!("country" in input.properties)) continue;
      const countries = CALLS.filter(({ operation }) => operation.name === name).map(
        ({ arguments: args }) => args["country"],
      );
      expect(countries).toEqual(expect.arrayContaining(["US", "JP", "VN"]));
    }
  });

  test.each([
    ["an unknown symbol", "get_stock_overview", { country: "US", symbol: "NOPE" }],
    ["a wrong country", "get_sectors", { country: "XX" }],
    ["a wrong limit", "get_macro_calendar", { limit: 201 }],
    [
      "a wrong period",
      "get_stock_statements",
      { country: "JP", symbol: "7203", type: "income", period: "x" },
    ],
  ])("and the same message for %s", async (_, name, args) => {
    const operation = CALLS.find((call) => call.operation.name === name)?.operation;
    if (!operation) throw new Error(`no operation ${name}`);
    const rest = await service.request(restPath({ operation, arguments: args }), token);
    const { error } = (await rest.json()) as { error: { message: string } };
    const { result } = await service.callTool(token, name, args);
    // REST alone calls the type of a statement statementType.
    const text = error.message.replace("type (statementType)", "type");
    expect(result?.content[0]?.text).toStartWith(text);
  });
});
