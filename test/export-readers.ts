import { beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { METRIC_NAMES } from "#analytics/metrics.ts";
import type { Manifest } from "#exports/manifest.ts";
import { roundPrice } from "#panels/format.ts";
import { CallLoad } from "./support/call-load.ts";
import { bunCommand, childEnv, resultOf, spawnChild } from "./support/child-process.ts";
import { MAIN, runAt } from "./support/cli.ts";
import { installTools, type NpmTools } from "./support/npm-tools.ts";
import { spawnServe } from "./support/serve-process.ts";
import { copySampleMarket, START } from "./support/service.ts";
import { startForPrograms } from "./support/program-service.ts";

// Not part of the suite (no .test in its name): it installs DuckDB and Polars from the npm registry, and exports the
// whole sample market several times.

const { service, folder } = await startForPrograms();
const { token } = service.createToken("unlimited");
const market = join(folder, "market");
let tools: NpmTools;
let manifest: Manifest;

beforeAll(async () => {
  tools = await installTools(folder, {
    "@duckdb/node-api": "1.5.6-r.1",
    "nodejs-polars": "0.26.1",
    hyparquet: "1.31.5",
    "hyparquet-compressors": "1.1.2",
  });
  const env = { BOURSE_DATA: service.folder };
  const { code, stdout } = await runAt(() => START, env, "export", market, "--json");
  expect(code).toBe(0);
  manifest = JSON.parse(stdout);
}, 600_000);

type Row = Record<string, unknown>;

/** Runs a script in the folder of the tools; its last line is JSON. */
async function runScript<T>(script: string, ...args: string[]): Promise<T> {
  await tools.write("script.ts", script);
  const { exitCode, output } = await tools.run(process.execPath, "script.ts", ...args);
  expect([exitCode, output.slice(-2_000)]).toEqual([0, expect.any(String)]);
  return JSON.parse(output.trim().split("\n").at(-1) ?? "");
}

/** The rows of SQL queries, in DuckDB. */
const query = (...queries: string[]) =>
  runScript<Row[][]>(
    `import { DuckDBInstance } from "@duckdb/node-api";
     const connection = await (await DuckDBInstance.create(":memory:")).connect();
     const results = [];
     for (const sql of JSON.parse(process.argv[2]!))
       results.push((await connection.runAndReadAll(sql)).getRowObjectsJson());
     console.log(JSON.stringify(results));`,
    JSON.stringify(queries),
  );

const file = (path: string) => `'${join(market, path)}'`;

interface Answer {
  data: {
    columns: string[];
    rows: unknown[][];
    bars: { columns: string[]; rows: unknown[][] };
  };
}

async function ask(path: string): Promise<Answer["data"] | null> {
  const response = await service.request(path, token);
  if (response.status === 400) return null;
  expect([path, response.status]).toEqual([path, 200]);
  return ((await response.json()) as Answer).data;
}

describe("DuckDB", () => {
  test("reads every file, with as many rows as the manifest says", async () => {
    if (!tools.isInstalled) return;
    const queries = manifest.files.map(
      ({ path }) => `SELECT count(*)::INT AS n FROM ${file(path)}`,
    );
    const counts = (await query(...queries)).map(([row]) => row?.["n"]);
    expect(counts).toEqual(manifest.files.map(({ rows }) => rows));
  }, 600_000);

  test("sees the types of the manifest", async () => {
    if (!tools.isInstalled) return;
    const TYPES = {
      text: "VARCHAR",
      date: "DATE",
      number: "DOUBLE",
      integer: "INTEGER",
      boolean: "BOOLEAN",
    } as Record<string, string>;
    const described = await query(
      ...manifest.files.map(({ path }) => `DESCRIBE SELECT * FROM ${file(path)}`),
    );
    for (const [i, { kind }] of manifest.files.entries())
      expect(described[i]?.map((row) => [row["column_name"], row["column_type"]])).toEqual(
        (manifest.kinds[kind]?.columns ?? []).map(({ name, type }) => [name, TYPES[type]]),
      );
  }, 600_000);

  test("finds one symbol in one group of rows", async () => {
    if (!tools.isInstalled) return;
    const [groups] = await query(
      `SELECT count(*)::INT AS n FROM parquet_metadata(${file("bars/US.parquet")})
       WHERE path_in_schema = 'symbol' AND stats_min_value <= 'AAPL' AND stats_max_value >= 'AAPL'`,
    );
    expect(groups?.[0]?.["n"]).toBe(1);
  }, 600_000);

  test("agrees with the API on 150 random prices, as they are, as traded and with dividends", async () => {
    if (!tools.isInstalled) return;
    const lists = await query(
      ...["US", "JP", "VN"].map(
        (country) =>
          `SELECT *, date::VARCHAR AS day, '${country}' AS country FROM ${file(`bars/${country}.parquet`)}
           USING SAMPLE reservoir(17 ROWS) REPEATABLE (7)`,
      ),
    );
    let compared = 0;
    for (const row of lists.flat()) {
      const { country, symbol, day } = row as Record<string, string>;
      for (const [adjust, factor] of [
        ["split", 1],
        ["none", row["split_factor"]],
        ["total", row["total_return_factor"]],
      ] as const) {
        const data = await ask(
          `/data/stocks/${encodeURIComponent(String(symbol))}/history?country=${country}&from=${day}&to=${day}&fields=ohlcv&adjust=${adjust}`,
        );
        // The API refuses what it does not know; the file has no factor then.
        const [shown] = data?.bars.rows ?? [];
        const prices = ["open", "high", "low", "close"].map((name) =>
          factor === null ? undefined : roundPrice(Number(row[name]) * Number(factor)),
        );
        expect([symbol, day, adjust, shown?.slice(1, 5)]).toEqual([
          symbol,
          day,
          adjust,
          factor === null ? undefined : prices,
        ]);
        const volume = row["volume"] === null ? null : Number(row["volume"]);
        if (shown)
          expect(shown[5]).toBe(
            adjust === "none" && volume !== null ? Math.round(volume / Number(factor)) : volume,
          );
        compared++;
      }
    }
    expect(compared).toBeGreaterThanOrEqual(150);
  }, 600_000);

  test("agrees with the API on all metrics of 9 companies", async () => {
    if (!tools.isInstalled) return;
    const lists = await query(
      ...["US", "JP", "VN"].map(
        (country) =>
          `SELECT *, '${country}' AS country FROM ${file(`metrics/${country}.parquet`)}
           USING SAMPLE reservoir(3 ROWS) REPEATABLE (11)`,
      ),
    );
    const rows = lists.flat();
    const symbols = rows.map(({ country, symbol }) => `${String(country)}:${String(symbol)}`);
    const data = await ask(`/data/stocks/compare?metrics=all&symbols=${symbols.join(",")}`);
    const { columns = [], rows: shown = [] } = data ?? {};
    for (const [i, row] of rows.entries()) {
      const cells = Object.fromEntries(columns.map((name, at) => [name, shown[i]?.[at]]));
      expect(Object.fromEntries(METRIC_NAMES.map((name) => [name, row[name]]))).toEqual(
        Object.fromEntries(METRIC_NAMES.map((name) => [name, cells[name]])),
      );
    }
  }, 600_000);

  test("agrees with the API on the income of 12 random periods", async () => {
    if (!tools.isInstalled) return;
    const [rows = []] = await query(
      `SELECT *, period_end::VARCHAR AS ended FROM ${file("statements/US.parquet")}
       WHERE span = 'quarter' AND period_end > '2022-01-01' USING SAMPLE reservoir(12 ROWS) REPEATABLE (3)`,
    );
    for (const row of rows) {
      const data = await ask(
        `/data/stocks/${String(row["symbol"])}/statements?country=US&type=income&period=quarterly&limit=40&figures=true`,
      );
      const table = (data as unknown as { figures: Answer["data"] }).figures;
      const at = table.columns.indexOf("period_end");
      const shown = table.rows.find((cells) => cells[at] === row["ended"]);
      for (const name of ["revenue", "net_income", "eps_diluted", "income_tax"])
        expect(shown?.[table.columns.indexOf(name)]).toEqual(row[name]);
    }
  }, 600_000);
});

test("Polars reads every file with as many rows as the manifest says, and the same sums as DuckDB", async () => {
  if (!tools.isInstalled) return;
  const rows = await runScript<[number, number][]>(
    `import pl from "nodejs-polars";
     const results = [];
     for (const path of JSON.parse(process.argv[2]!)) {
       const frame = pl.readParquet(path);
       results.push([frame.height, frame.columns.includes("close") ? frame.getColumn("close").sum() : 0]);
     }
     console.log(JSON.stringify(results));`,
    JSON.stringify(manifest.files.map(({ path }) => join(market, path))),
  );
  expect(rows.map(([count]) => count)).toEqual(manifest.files.map((one) => one.rows));
  const bars = manifest.files.filter(({ kind }) => kind === "bars");
  const sums = await query(
    ...bars.map(({ path }) => `SELECT sum(close) AS sum FROM ${file(path)}`),
  );
  for (const [i, { path }] of bars.entries()) {
    const at = manifest.files.findIndex((one) => one.path === path);
    expect(rows[at]?.[1]).toBeCloseTo(Number(sums[i]?.[0]?.["sum"]), 0);
  }
}, 600_000);

test("hyparquet reads one symbol over HTTP with ranges: a part of the file, and one call", async () => {
  if (!tools.isInstalled) return;
  const exports = join(service.folder, "exports", "20261120T170000Z");
  mkdirSync(join(exports, "bars"), { recursive: true });
  for (const path of ["manifest.json", "bars/US.parquet"])
    copyFileSync(join(market, path), join(exports, path));
  const { id, user, token: reader } = service.createToken("max");
  service.accounts.setRole(user, "admin");
  const result = await runScript<{ rows: number; bytes: number; size: number; last: string }>(
    `import { asyncBufferFromUrl, parquetReadObjects, cachedAsyncBuffer } from "hyparquet";
     import { compressors } from "hyparquet-compressors";
     const [url, token] = process.argv.slice(2);
     let bytes = 0;
     const counted = async (...args) => {
       const response = await fetch(...args);
       bytes += Number(args[1]?.method === "HEAD" ? 0 : response.headers.get("content-length"));
       return response;
     };
     const requestInit = { headers: { authorization: "Bearer " + token } };
     const remote = await asyncBufferFromUrl({ url, requestInit, fetch: counted });
     const rows = await parquetReadObjects({
       file: cachedAsyncBuffer(remote), compressors, columns: ["symbol", "date", "close"],
       filter: { symbol: { $eq: "AAPL" } },
     });
     console.log(JSON.stringify({ rows: rows.length, bytes, size: remote.byteLength, last: rows.at(-1).date }));`,
    `${service.base}/files/bars/US.parquet`,
    reader,
  );
  const [[counted] = []] = await query(
    `SELECT count(*)::INT AS n, max(date)::VARCHAR AS last FROM ${file("bars/US.parquet")} WHERE symbol = 'AAPL'`,
  );
  expect([result.rows, result.last.slice(0, 10)]).toEqual([
    counted?.["n"] as number,
    String(counted?.["last"]),
  ]);
  expect(result.bytes).toBeLessThan(result.size / 4);
  expect(await service.used(id)).toBe(1);
}, 600_000);

/** The names of the files below a folder. */
const filesBelow = (path: string) =>
  existsSync(path)
    ? readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) =>
        statSync(join(path, name)).isFile(),
      )
    : [];

describe("an export of the whole sample", () => {
  const data = join(folder, "data");
  const start = (target: string) =>
    spawnChild([...bunCommand(MAIN), "export", target, "--data", data], {
      env: childEnv(),
      stdout: "pipe",
      stderr: "pipe",
    });
  /** Resolves when files are being made. */
  const hasBegun = async (target: string) => {
    while (!filesBelow(target).some((name) => name.endsWith(".part"))) await Bun.sleep(5);
  };

  beforeAll(() => {
    mkdirSync(data);
    copySampleMarket(data);
  });

  test("that is stopped leaves nothing; one that is killed shows nothing, and the next one cleans up", async () => {
    const target = join(folder, "stopped");

    for (let round = 0; round < 3; round++) {
      const child = start(target);
      await hasBegun(target);
      await Bun.sleep(400 * round);
      child.kill("SIGTERM");
      const { code, stderr } = await resultOf(child);
      expect([code, stderr]).toEqual([1, "The export was stopped, and no file was changed.\n"]);
      expect(existsSync(target)).toBe(false);
    }
    const killed = start(target);
    await hasBegun(target);
    killed.kill("SIGKILL");
    await killed.exited;
    expect(filesBelow(target).filter((name) => !name.startsWith(".bourse-export/"))).toEqual([]);
    expect((await resultOf(start(target))).code).toBe(0);
    expect(filesBelow(target).filter((name) => name.startsWith("."))).toEqual([]);
    expect(existsSync(join(target, "manifest.json"))).toBe(true);
  }, 600_000);

  test("on a full disk ends with one sentence and no file", async () => {
    const disk = join(folder, "disk");
    mkdirSync(disk);
    const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk]);
    if (mounted.exitCode !== 0) {
      process.stderr.write("SKIPPED: this user cannot mount a small disk.\n");
      return;
    }
    try {
      for (const format of ["parquet", "csv", "lean", "flat"]) {
        const child = spawnChild(
          [...bunCommand(MAIN), "export", disk, "--data", data, "--format", format],
          { env: childEnv(), stdout: "pipe", stderr: "pipe" },
        );
        const { code, stdout, stderr } = await resultOf(child);
        expect([code, stdout, stderr]).toEqual([
          1,
          "",
          `${disk} cannot be written (ENOSPC); check that its folder exists, is writable and has free space.\n`,
        ]);
        expect(readdirSync(disk)).toEqual([]);
      }
    } finally {
      Bun.spawnSync(["umount", disk]);
    }
  }, 600_000);

  test("beside a service answers every call", async () => {
    const running = await spawnServe(data, { flags: ["--gate-per-minute", "0"] });
    await running.isReady();
    const load = new CallLoad(running.url, [running.ownersToken], { clients: 4 });
    await load.served(50);
    const target = join(folder, "beside");
    expect((await resultOf(start(target))).code).toBe(0);
    const { served, broken, unavailable, other, refused } = await load.stop();
    expect([broken, unavailable, other, refused]).toEqual([0, 0, 0, 0]);
    expect(served).toBeGreaterThan(50);
    await running.stop();
  }, 600_000);
});
