import { expect, test } from "bun:test";
import { endpoint, marketEndpoint, publicEndpoint } from "#http/console-endpoint.ts";

test("an endpoint does not compile without what it declares, nor reads the market as another kind", () => {
  const declared = [
    // @ts-expect-error a role is missing
    endpoint({ route: "GET a", handle: () => ({}) }),
    // @ts-expect-error only `marketEndpoint` reads the market
    endpoint({ route: "GET a", role: "user", handle: (_call, read) => read }),
    // @ts-expect-error only `marketEndpoint` reads the market
    publicEndpoint({ route: "GET a", handle: (_call, read) => read }),
    endpoint({
      route: "GET a",
      role: "user",
      // @ts-expect-error operations are run by `read` alone, which counts them
      handle: ({ parts }) => parts.bounded,
    }),
    marketEndpoint({
      route: "GET a",
      // @ts-expect-error operations are run by `read` alone, which counts them
      handle: ({ parts }) => parts.executor,
    }),
    marketEndpoint({ route: "GET a", handle: (_call, read) => read }),
  ];
  expect(declared.map(({ readsMarket = false }) => readsMarket).filter(Boolean)).toHaveLength(2);
});
