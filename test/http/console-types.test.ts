import { expect, test } from "bun:test";
import { endpoint, marketEndpoint, publicEndpoint } from "#http/console-endpoint.ts";

test("an endpoint does not compile without what it declares, nor reads the market as another kind", () => {
  const declared = [
    // @ts-expect-error a role is missing
    endpoint({ method: "GET", path: "a", handle: () => ({}) }),
    // @ts-expect-error only `marketEndpoint` reads the market
    endpoint({ method: "GET", path: "a", role: "user", handle: (_call, read) => read }),
    // @ts-expect-error only `marketEndpoint` reads the market
    publicEndpoint({ method: "GET", path: "a", handle: (_call, read) => read }),
    endpoint({
      method: "GET",
      path: "a",
      role: "user",
      // @ts-expect-error operations are run by `read` alone, which counts them
      handle: ({ parts }) => parts.bounded,
    }),
    marketEndpoint({
      method: "GET",
      path: "a",
      // @ts-expect-error operations are run by `read` alone, which counts them
      handle: ({ parts }) => parts.executor,
    }),
    marketEndpoint({ method: "GET", path: "a", handle: (_call, read) => read }),
  ];
  expect(declared.map(({ readsMarket = false }) => readsMarket).filter(Boolean)).toHaveLength(2);
});
