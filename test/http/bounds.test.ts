import { afterAll, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CLIENT_FILES } from "#clients/index.ts";
import { TOPICS } from "#docs/topics.ts";
import { FEED_LAYERS } from "#feeds/index.ts";
import { ENDPOINTS } from "#http/console-api.ts";
import { serverMetadata } from "#http/oauth-metadata.ts";
import { OPERATIONS } from "#operations/index.ts";
import { routesOf } from "#operations/operation.ts";
import { ConsoleClient } from "../support/console-client.ts";
import { startService } from "../support/service.ts";

const SRC = join(import.meta.dir, "../../src");
const guide = await Bun.file(join(SRC, "http/README.md")).text();

/** The rows of the table of bounds. The first row that has a path of a request is the one of its kind. */
const rows = guide
  .slice(guide.indexOf("## Bounds of requests"))
  .split("\n")
  .filter((line) => /^\| .*`\//.test(line))
  .map((line) => {
    const [, kind = "", paths = "", deadline = "", bound = "", files = ""] = line.split("|");
    const listed = [...paths.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
    return { kind: kind.trim(), listed, deadline, bound, files };
  });

/** The kinds whose most exact path fits: the files below `/feed/` are no feeds. */
function kindsOf(path: string): string[] {
  const fits = rows.flatMap(({ kind, listed }) =>
    listed
      .filter((one) =>
        new RegExp(`^${one.replaceAll(".", "\\.").replaceAll("*", ".+")}$`).test(path),
      )
      .map((one) => ({ kind, length: one.length })),
  );
  const longest = Math.max(...fits.map(({ length }) => length));
  return fits.filter(({ length }) => length === longest).map(({ kind }) => kind);
}

const V1 = "/api/v1/svc";
const oauth = serverMetadata("https://a.example", true);
/** Every route of the service. */
const ROUTES = [
  ...OPERATIONS.flatMap((operation) => [
    ...routesOf(operation).map(({ path }) => V1 + path),
    ...(operation.otherPaths ?? []).map((path) => V1 + path),
    ...(operation.table ? [`/csv/${operation.name}.csv`] : []),
  ]),
  ...["mcp", "openapi.json", "files", "files/bars/US.parquet"].map((path) => `${V1}/${path}`),
  ...ENDPOINTS.map(({ path }) => `/console/api/${path}`),
  ...FEED_LAYERS.flatMap(({ name, routes, posts = {} }) =>
    [...Object.keys(routes), ...Object.keys(posts)].map((path) => `/feed/LINK/${name}${path}`),
  ),
  "/feed/LINK/files/manifest.json",
  ...TOPICS.map(({ name }) => `/docs/${name}`),
  ...CLIENT_FILES.map(({ name }) => `/clients/${name}`),
  ...Object.values(oauth).flatMap((value) =>
    typeof value === "string" && value.includes("/oauth/")
      ? (URL.parse(value)?.pathname ?? [])
      : [],
  ),
  "/.well-known/oauth-authorization-server",
  "/docs",
  "/llms.txt",
  "/health",
  "/health/ready",
  "/console",
  "/console/US/AAPL",
  "/chunk-a1.js",
  "/",
];

test("every route of the service has one row in the table of bounds", () => {
  expect(rows.length).toBeGreaterThan(10);
  const wrong = ROUTES.map((path) => [path, kindsOf(path)] as const).filter(
    ([, kinds]) => kinds.length !== 1,
  );
  expect(wrong).toEqual([]);
});

test("every row has a deadline, a bound and files that exist", () => {
  for (const { kind, deadline, bound, files } of rows) {
    expect([kind, deadline.trim(), bound.trim()]).not.toContain("");
    const named = [...files.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file);
    expect(named.length).toBeGreaterThan(0);
    for (const file of named) expect([file, existsSync(join(SRC, file))]).toEqual([file, true]);
  }
});

test("no path of the room http is missing in the table", async () => {
  const first = new Set<string>();
  for (const name of readdirSync(join(SRC, "http")).filter((one) => one.endsWith(".ts"))) {
    const source = await Bun.file(join(SRC, "http", name)).text();
    // const CSV_PATH = /^(?:https?:…)?\/csv\/…/
    for (const [, path = ""] of source.matchAll(/_PATH =\s*\/\^(.*)\//g)) {
      const own = path.replace("(?:https?:\\/\\/[^/?#]*)?", "").replace("[^?#]*", "");
      for (const [, segment = ""] of own.matchAll(/\\\/\(?(?:\?:)?([a-z]\w+)/g)) first.add(segment);
    }
  }
  const known = rows.flatMap(({ listed }) => listed).join(" ");
  expect(first.size).toBeGreaterThan(5);
  expect([...first].filter((segment) => !known.includes(segment))).toEqual([]);
});

const NEVER = new Promise<never>(() => {});
const slow = await startService({ onRequest: () => NEVER, answerMs: 1 });
afterAll(() => slow.stop());

test("figures in the console end at the deadline", async () => {
  slow.accounts.addUser("anna", "max");
  const client = await new ConsoleClient(slow).signIn("anna");
  for (const path of [
    "data/get_stock_overview?country=US&symbol=AAPL",
    "macro-lines?country=US",
    "indicator-lines?country=US&symbol=AAPL",
  ]) {
    const response = await client.send("GET", path);
    expect([path, response.status, response.headers.get("retry-after")]).toEqual([path, 503, "5"]);
    expect(await response.text()).toContain("The answer takes too long.");
  }
});
