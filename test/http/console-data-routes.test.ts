import { afterAll, expect, test } from "bun:test";
import { ConsoleClient } from "../support/console-client.ts";
import { startHandMade } from "../support/contract-exchange.ts";

const world = await startHandMade();
afterAll(() => world.service.stop());

test("data/:operation takes the names of OpenAPI, such as get_stock_ratios, which is no tool", async () => {
  const client = await new ConsoleClient(world.service).signIn("user-1");
  const console = await client.send("GET", "data/get_stock_ratios?country=US&symbol=AAPL");
  const rest = await world.service.request("/data/stocks/AAPL/ratios?country=US", world.token);
  expect([console.status, await console.json()]).toEqual([200, await rest.json()]);
});

test("names of companies are in the language that is asked for; none in English", async () => {
  const client = await new ConsoleClient(world.service).signIn("user-1");
  const names = async (language: string): Promise<Record<string, string>> =>
    (await (await client.send("GET", `company-names/${language}`)).json()) as Record<
      string,
      string
    >;
  expect(await names("ja")).toMatchObject({ "JP:7203": "トヨタ自動車", "US:AAPL": "アップル" });
  expect(await names("vi")).not.toHaveProperty("JP:7203");
  expect(await names("en")).toEqual({});
});

test("an unknown name is refused with the closest one", async () => {
  const client = await new ConsoleClient(world.service).signIn("user-1");
  const answer = await client.send("GET", "data/get_stock_ratio?country=US&symbol=AAPL");
  expect(answer.status).toBe(404);
  expect(await answer.text()).toContain("did you mean get_stock_ratios?");
});
