import { expect, test } from "bun:test";
import { nextTurn } from "#lib/next-turn.ts";
import { createExecutor, decodeRequest } from "#operations/execute.ts";
import { getStockOverview } from "#operations/get-stock-overview.ts";
import { expectError } from "../support/error.ts";
import { openTestMarket, SAMPLE, stock } from "../support/market.ts";
import { START } from "../support/service.ts";

/** An executor whose records arrive when the test says so. */
function openWaiting(deadlineMs?: number) {
  const home = openTestMarket();
  home.market.put("instruments", [stock("US", "AAPL")], SAMPLE);
  const arrived = Promise.withResolvers<void>();
  const executor = createExecutor({
    market: home.market,
    clock: () => START,
    refresh: () => arrived.promise,
    ...(deadlineMs !== undefined && { deadlineMs }),
  });
  const ask = (client?: { signal: AbortSignal }) =>
    executor.execute(
      decodeRequest(getStockOverview, { country: "US", symbol: "AAPL" }),
      undefined,
      client,
    );
  return { ...home, executor, arrive: arrived.resolve, ask };
}

test("nothing is computed for a client that has closed its connection", async () => {
  using home = openWaiting();
  const client = new AbortController();
  const answer = home.ask(client);
  client.abort();
  home.arrive();
  await expectError(() => answer, "unavailable");
  expect(home.executor.counts).toEqual({ executed: 1, computed: 0 });
});

test("another client that waits for the same answer gets it", async () => {
  using home = openWaiting();
  const client = new AbortController();
  const first = home.ask(client);
  const second = home.ask(new AbortController());
  client.abort();
  home.arrive();
  await expectError(() => first, "unavailable");
  expect((await second).body).toContain("AAPL");
  expect(home.executor.counts).toEqual({ executed: 2, computed: 1 });
});

test("nothing is computed after the deadline", async () => {
  using home = openWaiting(1);
  await expectError(() => home.ask(), "unavailable");
  home.arrive();
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  expect(home.executor.counts).toEqual({ executed: 1, computed: 0 });
});
