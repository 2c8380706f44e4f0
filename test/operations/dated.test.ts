import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import type { Caller } from "#operations/caller.ts";
import { createExecutor, decodeRequest } from "#operations/execute.ts";
import { getStockOverview } from "#operations/get-stock-overview.ts";
import { defineOperation } from "#operations/operation.ts";
import { DateInput } from "#operations/reading/inputs.ts";
import { Moments } from "#operations/moments.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import { openHandMade } from "../support/contract-answers.ts";
import { START } from "../support/service.ts";

test("a hot answer to a caller in a past day is made once, and is no answer of another day", async () => {
  const world = openHandMade();
  const executor = createExecutor({ market: world.market, clock: () => START });
  const request = decodeRequest(getStockOverview, { country: "US", symbol: "AAPL" });
  const callerIn = (asOf: string | null): Caller => ({
    user: "anna",
    rights: [],
    lists: null,
    asOf,
  });
  const ask = (asOf: string | null) => executor.execute(request, callerIn(asOf));
  const first = await ask("2026-11-18");
  expect(first.understoodAs).toBe("known_on=2026-11-18 (the day of this token)");
  // The writers of answers keep what they made of an object.
  expect(await ask("2026-11-18")).toBe(first);
  expect((await ask("2026-11-17")).understoodAs).toContain("2026-11-17");
  expect((await ask(null)).understoodAs).toBeUndefined();
  expect((await ask("2026-11-18")).body).toBe(first.body);
  world.close();
});

test("calls for more days than stay in memory share what they compute", () => {
  const world = openHandMade();
  const clock = () => START;
  const moments = new Moments(world.market, new CompanyRollups(world.market, clock), clock);
  const days = ["2026-11-11", "2026-11-12", "2026-11-13", "2026-11-14", "2026-11-15"];
  const all = days.map((known_on) => moments.of({ known_on }));
  const again = days.map((known_on) => moments.of({ known_on }));
  expect(again.every((one, i) => one === all[i])).toBeTrue();
  world.close();
});

test("a day in words is a date in each argument that is a date, whatever its name", async () => {
  const world = openHandMade({ filled: false });
  const operation = defineOperation({
    name: "get_since",
    set: "market",
    title: "Since",
    description: "Returns its argument.",
    path: "/data/since",
    input: Type.Object({ since: DateInput("First date"), note: Type.String() }),
    output: Type.Object({ since: Type.String(), note: Type.String() }),
    handle: (input) => ({ data: input, from: [] }),
  });
  const clock = () => Date.parse("2026-11-20T12:00Z");
  const executor = createExecutor({ market: world.market, clock });
  const request = decodeRequest(operation, { since: "yesterday", note: "yesterday" });
  const { data } = JSON.parse((await executor.execute(request)).body) as { data: object };
  world.close();
  expect(data).toMatchObject({ since: "2026-11-19", note: "yesterday" });
});
