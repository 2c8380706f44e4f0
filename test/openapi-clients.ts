import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { endChildren } from "./support/child-process.ts";
import { installTools } from "./support/npm-tools.ts";
import { startService, temporaryFolder, type TestService } from "./support/service.ts";

// Not part of the suite (no .test in its name): it installs linters and generators from the npm registry.

const TOOLS = {
  "@hey-api/openapi-ts": "0.99.0",
  "@redocly/cli": "2.77.0",
  "@stoplight/spectral-cli": "6.16.3",
  "openapi-fetch": "0.17.0",
  "openapi-typescript": "7.13.0",
  orval: "7.21.0",
  typescript: "5.9.3",
};

const { folder, remove } = temporaryFolder();
let service: TestService;
let token = "";

const { isInstalled, run, write } = await installTools(folder, TOOLS);
const tool = (name: string, ...more: string[]) => run(`node_modules/.bin/${name}`, ...more);

beforeAll(async () => {
  service = await startService();
  ({ token } = service.createToken("pro"));
  const document = await service.request("/openapi.json", null);
  await write("openapi.json", await document.text());
}, 600_000);
afterAll(async () => {
  await endChildren();
  await service.stop();
  remove();
});

const STRICT = {
  strict: true,
  noEmit: true,
  target: "esnext",
  module: "preserve",
  lib: ["esnext", "dom", "dom.iterable"],
  types: [],
};

/** Type-checks a program strictly, then runs it with the service's URL and a token. */
async function runProgram(name: string, program: string): Promise<string> {
  await write(name, program);
  await write("tsconfig.json", JSON.stringify({ compilerOptions: STRICT, files: [name] }));
  const checked = await tool("tsc", "--project", "tsconfig.json");
  expect(checked.output).toBe("");
  const { output } = await run(process.execPath, name, new URL(service.base).origin, token);
  return output.trim();
}

describe.skipIf(!isInstalled)("the OpenAPI document", () => {
  test("has no errors by Redocly's recommended rules", async () => {
    const { exitCode, output } = await tool("redocly", "lint", "openapi.json");
    expect(output).toContain("Your API description is valid");
    expect(exitCode).toBe(0);
  });

  test("has no errors by Spectral's rules for OpenAPI", async () => {
    await write("spectral.yaml", 'extends: ["spectral:oas"]\n');
    const { exitCode, output } = await tool(
      "spectral",
      "lint",
      "openapi.json",
      "--ruleset",
      "spectral.yaml",
    );
    expect([exitCode, output]).toEqual([0, expect.stringContaining("0 errors")]);
  });

  test("gives a working client by openapi-typescript and openapi-fetch", async () => {
    await tool("openapi-typescript", "openapi.json", "-o", "schema.ts");
    const program = `
      import createClient from "openapi-fetch";
      import type { paths } from "./schema";
      declare const process: { argv: string[] };
      const [, , baseUrl = "", token] = process.argv;
      const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } });
      const { data } = await client.GET("/api/v1/svc/data/stocks/{symbol}/overview", {
        params: { path: { symbol: "AAPL" }, query: { country: "US" } },
      });
      const name: string | undefined = data?.data.overview.Name;
      const sectors = await client.GET("/api/v1/svc/data/sectors/overview");
      const stocks: number = sectors.data?.data.rows[0]?.stocks ?? 0;
      console.log(name, stocks > 0);
    `;
    expect(await runProgram("fetch.ts", program)).toBe("Apple Inc. true");
  });

  test("gives a working client by Hey API", async () => {
    await tool("openapi-ts", "-i", "openapi.json", "-o", "hey");
    const program = `
      import { client } from "./hey/client.gen";
      import { getSectorOverview, getStockOverview } from "./hey";
      declare const process: { argv: string[] };
      const [, , baseUrl = "", auth = ""] = process.argv;
      client.setConfig({ baseUrl, auth });
      const { data } = await getStockOverview({ path: { symbol: "7203" }, query: { country: "JP" } });
      const name: string | undefined = data?.data.overview.Name;
      const sectors = await getSectorOverview();
      const stocks: number = sectors.data?.data.rows[0]?.stocks ?? 0;
      console.log(name, stocks > 0);
    `;
    expect(await runProgram("hey-client.ts", program)).toBe("Toyota Motor Corporation true");
  });

  test("gives a working client by orval", async () => {
    const output = { target: "orval.ts", client: "fetch", baseUrl: new URL(service.base).origin };
    const config = { bourse: { input: "openapi.json", output } };
    await write("orval.config.js", `export default ${JSON.stringify(config)};`);
    await tool("orval");
    const program = `
      import { getSectorOverview, getStockOverview } from "./orval";
      declare const process: { argv: string[] };
      const headers = { authorization: \`Bearer \${process.argv[3]}\` };
      const answer = await getStockOverview("FPT", { country: "VN" }, { headers });
      const name: string | undefined = answer.status === 200 ? answer.data.data.overview.Name : "";
      const sectors = await getSectorOverview({}, { headers });
      const stocks: number = sectors.status === 200 ? (sectors.data.data.rows[0]?.stocks ?? 0) : 0;
      console.log(name, stocks > 0);
    `;
    expect(await runProgram("orval-client.ts", program)).toBe("FPT Corporation true");
  });
});
