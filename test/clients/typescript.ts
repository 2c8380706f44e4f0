import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { below, tarGz } from "#deploy/archives.ts";
import { typescriptClient } from "#deploy/typescript-client.ts";
import { type ClientService, startForClients } from "../support/client-service.ts";
import { installTools } from "../support/npm-tools.ts";

// Not part of the suite: it builds the package with the compiler from the npm registry.

const NPM = Bun.which("npm") ?? "npm";

let service: ClientService;
let isInstalled = false;
beforeAll(async () => {
  service = await startForClients();
  ({ isInstalled } = await installTools(service.folder, { typescript: "5.9.3" }));
}, 600_000);
afterAll(() => service.stop());

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  target: "es2022",
  module: "nodenext",
  lib: ["es2022", "dom", "dom.iterable"],
  types: [],
};

/** A program of a user. It writes what the test expects. */
const PROGRAM = `
  import { type BoursePayload, BourseError, createBourse } from "bourse-client";
declare const process: { argv: string[] };
const [, , url = "", token = "", helper = ""] = process.argv;
const bourse = createBourse({ url, token });
const failure = (call: Promise<unknown>) => call.then(() => null, (error: unknown) => error as BourseError);

const overview: BoursePayload<"/stocks/{symbol}/overview"> = await bourse.get("/stocks/{symbol}/overview", {
  path: { symbol: "7203" },
  query: { country: "JP" },
});
const name: string | undefined = overview.overview.Name;
const { rows } = await bourse.get("/stocks/compare", { query: { symbols: "AAPL,7203.T,VN:FPT", metrics: "pe,roe" } });
const pe: number | null | undefined = rows[0]?.pe;
const history = await bourse.get("/stocks/{symbol}/history", {
  path: { symbol: "^GSPC" },
  query: { country: "US", fields: "ohlcv", limit: 2 },
});
const close: string | number | boolean | null | undefined = history.bars?.rows[0]?.close;
const markets = await bourse.get("/markets");
console.log(name, typeof pe, rows.length, typeof close, markets.countries.length);

// @ts-expect-error an unknown path
void failure(bourse.get("/stock"));
// @ts-expect-error a missing argument
void failure(bourse.get("/stocks/compare"));
// @ts-expect-error a value that the argument does not have
void failure(bourse.get("/macro/indicators", { query: { country: "FR" } }));

const wrong = await failure(bourse.get("/stocks/screen", { query: { country: "US", where: "pee<1" } }));
console.log(wrong?.name, wrong?.status, wrong?.code, wrong?.param, wrong?.message.includes("Did you mean pe"));
console.log((await failure(createBourse({ url }).get("/markets")))?.code);
for (const other of ["http://127.0.0.1:1", helper + "/page", helper + "/other", helper + "/broken", helper + "/moved"]) {
  const error = await failure(createBourse({ url: other, token }).get("/markets"));
  console.log(error?.name, error?.status);
}

const asked: number[] = [];
const patient = createBourse({
  url,
  token: await (await fetch(helper + "/token/free")).text(),
  sleep: async (ms) => {
    asked.push(ms);
    await fetch(helper + "/advance/" + ms / 1000);
  },
});
for (let call = 0; call < 31; call++) await patient.get("/markets");
console.log(asked.length, (asked[0] ?? 0) <= 3_600_000);
const free = await (await fetch(helper + "/token/free")).text();
const hasty = createBourse({ url, token: free, maxWaitSeconds: 0 });
for (let call = 0; call < 30; call++) await hasty.get("/markets");
const used = await failure(hasty.get("/markets"));
console.log(used?.status, used?.code, (used?.retryAfter ?? 0) > 0);
let slept = 0;
const once = createBourse({ url, token: free, sleep: async () => void slept++ });
console.log((await failure(once.get("/markets")))?.status, slept);
const controller = new AbortController();
const waiting = failure(createBourse({ url, token: free }).get("/markets", { signal: controller.signal }));
setTimeout(() => controller.abort(), 50);
console.log((await waiting)?.name);
await fetch(helper + "/revoke");
console.log((await failure(hasty.get("/markets")))?.code);
`;

const SEEN = `Toyota Motor Corporation number 3 number 3
BourseError 400 INVALID_REQUEST where true
MISSING_AUTH
BourseError 0
BourseError 0
BourseError 200
BourseError 502
BourseError 301
1 true
429 RATE_LIMIT_EXCEEDED true
429 1
AbortError
INVALID_TOKEN
`;

describe("the TypeScript client", () => {
  test("is made as by a release, installed in a clean folder, type-checked strictly, and calls the service", async () => {
    if (!isInstalled) return;
    const { folder, run, origin, token, helper } = service;
    const must = async (...command: string[]) => {
      const { code, stdout, stderr } = await run(...command);
      expect({ code, output: code === 0 ? "" : stdout + stderr }).toEqual({ code: 0, output: "" });
      return stdout;
    };
    const files = await typescriptClient();
    expect(files.map(({ name }) => name).toSorted()).toEqual([
      "LICENSE",
      "README.md",
      "dist/index.d.ts",
      "dist/index.js",
      "dist/schema.d.ts",
      "dist/schema.js",
      "dist/tables.d.ts",
      "dist/tables.js",
      "package.json",
    ]);
    const archive = join(folder, "bourse-client.tgz");
    await Bun.write(archive, await tarGz(below("package", files), 0));
    await must(NPM, "install", archive, "--no-audit", "--no-fund");
    await Bun.write(join(folder, "program.ts"), PROGRAM);
    const config = { compilerOptions: STRICT, files: ["program.ts"] };
    await Bun.write(join(folder, "tsconfig.json"), JSON.stringify(config));
    await must(join(folder, "node_modules/.bin/tsc"), "--project", folder);
    const emitted = ["--project", folder, "--noEmit", "false"];
    await must(join(folder, "node_modules/.bin/tsc"), ...emitted);
    expect(await must("node", "program.js", origin, token, helper)).toBe(SEEN);
    expect(await must(process.execPath, "program.ts", origin, token, helper)).toBe(SEEN);
  }, 600_000);
});
