import { expect, test } from "bun:test";
import { CLIENT_TYPES, firstLine } from "../support/client-types.ts";

test("the types of the TypeScript client are those of this OpenAPI document; `bun run docs` writes them", async () => {
  const types = await Bun.file(CLIENT_TYPES).text();
  expect(types.slice(0, types.indexOf("\n"))).toBe(firstLine());
});
