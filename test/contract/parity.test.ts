import { afterAll, describe, expect, test } from "bun:test";
import { COUNTRY_CODES } from "#domain/country.ts";
import { addMonths, daysBetween } from "#lib/date.ts";
import { OPERATIONS } from "#operations/index.ts";
import { CALLS, isLongerOverRest, restPath, SYMBOLS } from "../support/contract-calls.ts";
import { callWhole } from "../support/long-answers.ts";
import { expectReasons } from "../support/reasons.ts";
import { startService } from "../support/service.ts";

const service = await startService();
const token = service.createToken().token;
afterAll(() => service.stop());

/** The source that a payload names: in itself, as a panel's label, or in each of its entries. */
function namedSource(payload: unknown): unknown {
  const data = payload as Record<string, unknown>;
  if ("source" in data || "Source" in data) return data["source"] ?? data["Source"];
  const entries = Object.values(data).flat() as { source: string }[];
  return [...new Set(entries.map(({ source }) => source))].sort().join(", ");
}

describe("REST and MCP give the same answer, and say why figures are missing", () => {
  const equal = CALLS.filter((call) => !isLongerOverRest(call));
  test.each(equal.map((call) => [call.title, call] as const))("%s", async (_, call) => {
    const rest = await service.request(restPath(call), token);
    const body = await rest.text();
    expect({ status: rest.status, body: body.slice(0, 300) }).toMatchObject({ status: 200 });

    // Half a minute later, so that the second answer is not cached.
    service.time.now += 30_000;
    const { result } = await callWhole(service, token, call.operation.name, call.arguments);
    const envelope = JSON.parse(body) as Record<string, unknown>;
    expectReasons(envelope["data"]);
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

  test("except for the default of a US price history, which is complete over REST", async () => {
    const asked = { country: "US", symbol: "AAPL" };
    const path = "/data/stocks/AAPL/history?country=US";
    const data = await service.payload<Record<string, unknown>>(path, token);
    const { result } = await service.callTool(token, "get_stock_price_history", asked);
    const year = result?.structuredContent?.["data"] as Record<string, unknown>;
    expect(data["dates"]).toHaveLength(Number(data["total"]));
    expect(data).not.toHaveProperty("snapshot");
    expect(data["next_before"]).toBeNull();
    expect(year["total"]).toBe(data["total"]);
    const dates = year["dates"] as string[];
    expect(dates).toEqual((data["dates"] as string[]).slice(-dates.length));
    expect(year["next_before"]).toBe(dates[0]);
    expect(year).toHaveProperty("snapshot");
  });

  const RANGES = ["1d", "1w", "2y", "3y", "5y", "10y", "max"];
  test.each(COUNTRY_CODES.flatMap((country) => RANGES.map((range) => [country, range] as const)))(
    "%s: a range of %s is obeyed over REST, MCP and CSV",
    async (country, range) => {
      const { stock } = SYMBOLS[country];
      const path = `/data/stocks/${stock}/history?country=${country}&range=${range}`;
      const { data } = (await (await service.request(path, token)).json()) as {
        data: { dates: string[]; total: number; next_before: null };
      };
      const asked = { country, symbol: stock, range };
      const { result } = await callWhole(service, token, "get_stock_price_history", asked);
      expect(result?.structuredContent?.["data"]).toEqual(data);
      const csv = await (await service.request(`${path}&format=csv`, token)).text();
      expect(csv.trim().split(/\r?\n/).length - 1).toBe(data.dates.length);
      expect([data.dates.length, data.next_before]).toEqual([data.total, null]);
      const years = Number(/^(\d+)y$/.exec(range)?.[1] ?? 0);
      const [first = "", last = ""] = [data.dates[0], data.dates.at(-1)];
      // At or a few days before the same day so many years ago.
      if (years > 0) expect(daysBetween(first, addMonths(last, -12 * years))).toBeWithin(0, 12);
    },
  );

  test("a limit of 3,000 closes or 600 bars over MCP, and of any number over REST", async () => {
    const limited = async (limit: number, fields: string) => {
      const path = `/data/stocks/AAPL/history?country=US&limit=${limit}&fields=${fields}`;
      const rest = await service.request(path, token);
      const asked = { country: "US", symbol: "AAPL", limit, fields };
      const { result } = await service.callTool(token, "get_stock_price_history", asked);
      return [rest.status, result?.isError ?? false];
    };
    expect(await limited(3_000, "close")).toEqual([200, false]);
    expect(await limited(3_001, "close")).toEqual([200, true]);
    expect(await limited(600, "ohlcv")).toEqual([200, false]);
    expect(await limited(601, "ohlcv")).toEqual([200, true]);
    expect(await limited(100_001, "close")).toEqual([400, true]);
  });

  test("for all operations and all three countries", () => {
    const names = new Set(CALLS.map(({ operation }) => operation.name));
    expect(names.size).toBe(OPERATIONS.filter(({ own }) => !own).length);
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
