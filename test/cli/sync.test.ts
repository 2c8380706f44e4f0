import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { expectFailure, run, runOn, startCommand } from "../support/cli.ts";
import { stock, listResults } from "../support/market.ts";
import { START } from "../support/service.ts";
import { entradeChart, startUpstream, until } from "../support/upstream.ts";

/** The sources without a network: the list of indices and currencies, and Viet Nam's release dates. */
const COMPUTED = "reference,vietnam-releases";

/** A data folder with only these sources; Entrade is played at an address. */
function openSync(sources: string, entrade = "http://127.0.0.1:1") {
  const folder = openFolder();
  const env = {
    BOURSE_DATA: folder.path,
    BOURSE_SOURCES: sources,
    BOURSE_SOURCE_URL_ENTRADE: entrade,
    BOURSE_SOURCE_URL_WORLDBANK: entrade,
  };
  return {
    env,
    path: folder.path,
    sync: (...argv: string[]) => run(env, "sync", ...argv),
    /** The result of `read` on the market. */
    async stored<T>(read: (market: ReturnType<typeof openMarket>) => T): Promise<Awaited<T>> {
      const market = openMarket(folder.path);
      try {
        return await read(market);
      } finally {
        market.close();
      }
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const counts = (market: ReturnType<typeof openMarket>) =>
  Object.fromEntries(market.listCounts().map(({ kind, count }) => [kind, count]));

describe("sync", () => {
  test("fetches all due data of whole countries, prints a line for each kind and a summary, and marks the folder as live", async () => {
    using home = openSync(COMPUTED);
    const { code, stdout, stderr } = await home.sync();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^4 fetched, \d+ records, 0 failed\.\n$/);
    // Sources are fetched side by side, so the lines are compared without their order.
    const lines = stderr
      .trim()
      .split("\n")
      .map((line) => line.replace(/^\d+\/\d+ /, ""));
    expect(lines.toSorted()).toEqual([
      expect.stringMatching(/^calendarEvents VN: \d+ records from vietnam-releases$/),
      expect.stringMatching(/^instruments JP: \d+ records from reference$/),
      expect.stringMatching(/^instruments US: \d+ records from reference$/),
      expect.stringMatching(/^instruments VN: \d+ records from reference$/),
    ]);
    expect(await home.stored((market) => market.findSetting("origin"))).toBe("live");
    expect(await home.stored(counts)).toEqual({
      instruments: expect.any(Number),
      calendarEvents: expect.any(Number),
    });
  });

  test("fetches nothing the second time", async () => {
    using home = openSync(COMPUTED);
    await home.sync();
    expect(await home.sync()).toEqual({
      code: 0,
      stdout: "0 fetched, 0 records, 0 failed.\n",
      stderr: "",
    });
  });

  test("of one country or one kind fetches only that, and the rest is still due", async () => {
    using home = openSync(COMPUTED);
    const fetched = async (...argv: string[]) =>
      (await home.sync(...argv)).stderr.match(/(?<= )\w+ [A-Z]{2}(?=:)/g);
    expect(await fetched("--kind", "calendarEvents")).toEqual(["calendarEvents VN"]);
    expect(await fetched("--country", "VN")).toEqual(["instruments VN"]);
    expect(await fetched("--country", "JP", "--kind", "instruments")).toEqual(["instruments JP"]);
    expect(await fetched()).toEqual(["instruments US"]);
  });

  test("of symbols fetches all of their data, the listing first", async () => {
    using upstream = startUpstream(entradeChart());
    using home = openSync("reference,entrade", upstream.url);
    const { code, stderr } = await home.sync("--country", "VN", "--symbols", " vnindex,,");
    expect(code).toBe(0);
    expect(stderr.match(/(?<=\/\d+ ).*/g)).toEqual([
      expect.stringMatching(/^instruments VN: \d+ records from reference$/),
      "bars VN VNINDEX: 5 records from entrade",
    ]);
    expect(upstream.requests.map(({ path }) => path)).toEqual([
      expect.stringContaining("/index?symbol=VNINDEX&"),
    ]);
    expect(await home.stored(counts)).toMatchObject({ bars: 5 });
    expect((await home.sync("--country", "VN", "--symbols", "VNINDEX")).stderr).toBe("");
  });

  test("of one kind of symbols fetches the listing too if it is due", async () => {
    using upstream = startUpstream(entradeChart());
    using home = openSync("reference,entrade", upstream.url);
    const argv = ["--country", "VN", "--symbols", "VNINDEX", "--kind", "bars", "--json"];
    const { stdout } = await home.sync(...argv);
    expect(JSON.parse(stdout)).toMatchObject({
      fetched: 2,
      failed: 0,
      stopped: false,
      outcomes: [
        { kind: "instruments", country: "VN", symbol: null, source: "reference", error: null },
        { kind: "bars", symbol: "VNINDEX", source: "entrade", records: 5, error: null },
      ],
    });
  });

  test("says once that a symbol is not listed, calls no source for it, and exits with 1", async () => {
    using upstream = startUpstream(entradeChart());
    using home = openSync("reference,entrade", upstream.url);
    const { code, stdout, stderr } = await home.sync(
      "--country",
      "VN",
      "--symbols",
      "NOPE,VNINDEX",
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/^3 fetched, \d+ records, 1 failed\.\n$/);
    expect(stderr.match(/NOPE is not listed in VN/g)).toHaveLength(1);
    expect(stderr).toEndWith("1 of 3 could not be fetched.\n");
    expect(upstream.requests).toHaveLength(1);
  });

  test("exits with 1 if a fetch failed, keeps the other records, and repeats only the failed fetch the next time", async () => {
    using upstream = startUpstream(() => new Response("no", { status: 403 }));
    using home = openSync("reference,entrade", upstream.url);
    const argv = ["--country", "VN", "--symbols", "VNINDEX"];
    const { code, stdout, stderr } = await home.sync(...argv);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^2 fetched, \d+ records, 1 failed\.\n$/);
    expect(stderr).toContain("bars VN VNINDEX: entrade: services.entrade.com.vn 403: ");
    expect(stderr).toContain("WARN");
    expect(await home.stored((market) => counts(market)["instruments"])).toBeGreaterThan(0);

    upstream.play(entradeChart());
    const second = await home.sync(...argv);
    expect([second.code, second.stdout]).toEqual([0, "1 fetched, 5 records, 0 failed.\n"]);
  });

  test("exits with 1 and names the source if the fetch of a country's series failed", async () => {
    using upstream = startUpstream(() => new Response("no", { status: 403 }));
    using home = openSync("worldbank,entrade", upstream.url);
    const { code, stderr } = await home.sync("--country", "US");
    expect(code).toBe(1);
    expect(stderr).toMatch(/macroSeries US: worldbank: api\.worldbank\.org 403: /);
  });

  test("that is stopped ends the running fetch without an error, and the rest is still due", async () => {
    const gate = Promise.withResolvers<undefined>();
    using upstream = startUpstream(async () => {
      await gate.promise;
      return new Response(entradeChart());
    });
    using home = openSync("reference,entrade", upstream.url);
    const argv = ["--country", "VN", "--symbols", "VNINDEX"];
    const running = startCommand(home.env, "sync", ...argv);
    await until(() => upstream.requests.length === 1);
    running.stop();
    const { code, stdout, stderr } = await running.result;
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^1 fetched, \d+ records, 0 failed; stopped, the rest is still due\.\n$/,
    );
    expect(stderr).not.toContain("bars");
    expect((await home.stored(listResults)).map(({ source }) => source)).toEqual(["reference"]);

    gate.resolve(undefined);
    const second = await home.sync(...argv);
    expect([second.code, second.stdout]).toEqual([0, "1 fetched, 5 records, 0 failed.\n"]);
  });

  test("that is stopped between two fetches ends there", async () => {
    using home = openSync(COMPUTED);
    const running = startCommand(home.env, "sync", "--json");
    running.stop();
    const { stdout } = await running.result;
    const { fetched, stopped } = JSON.parse(stdout) as { fetched: number; stopped: boolean };
    expect(stopped).toBe(true);
    expect(fetched).toBeLessThan(4);
    expect((await home.sync()).stdout).toStartWith(`${4 - fetched} fetched`);
  });

  /** Lists two companies of Viet Nam. */
  const listTwo = (home: ReturnType<typeof openSync>) =>
    home.stored((market) =>
      market.put("instruments", [stock("VN", "FPT"), stock("VN", "VNM")], {
        source: "lister",
        storedAt: START,
      }),
    );

  /** The currency pairs of Viet Nam, which Entrade does not have. */
  const PAIRS = ["VND=X", "EURVND=X", "JPYVND=X"];

  test("of a kind of company data fetches the list of companies, currency pairs, then the largest companies", async () => {
    using upstream = startUpstream(entradeChart());
    using home = openSync("reference,entrade", upstream.url);
    await listTwo(home);
    const { code, stdout, stderr } = await home.sync("--country", "VN", "--kind", "bars");
    expect(code).toBe(0);
    expect(stderr.match(/(?<=\d\/\d ).*/g)).toEqual([
      expect.stringMatching(/^instruments VN: \d+ records from reference$/),
      ...PAIRS.map((pair) => `bars VN ${pair}: 0 records from entrade`),
      "bars VN FPT: 5 records from entrade",
      "bars VN VNM: 5 records from entrade",
    ]);
    expect(stdout).toMatch(/^6 fetched, \d+ records, 0 failed\.\n$/);
    expect((await home.sync("--country", "VN", "--kind", "bars")).stdout).toStartWith("0 fetched");
  });

  test("without a flag fetches companies after the data of whole countries, and continues where it was stopped", async () => {
    const gate = Promise.withResolvers<undefined>();
    using upstream = startUpstream(async ({ path }) => {
      if (path.includes("VNM")) await gate.promise;
      return new Response(entradeChart());
    });
    using home = openSync("reference,entrade", upstream.url);
    await listTwo(home);
    const running = startCommand(home.env, "sync");
    await until(() => upstream.requests.length === 2);
    running.stop();
    const { code, stdout } = await running.result;
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^7 fetched, \d+ records, 0 failed; stopped, the rest is still due\.\n$/,
    );
    gate.resolve(undefined);
    const second = await home.sync();
    expect(second.stdout).toBe("1 fetched, 5 records, 0 failed.\n");
    expect(second.stderr).toEndWith("bars VN VNM: 5 records from entrade\n");
  });

  test("retries a fetch that has just failed", async () => {
    using upstream = startUpstream(() => new Response("no", { status: 403 }));
    using home = openSync("reference,entrade", upstream.url);
    await listTwo(home);
    expect((await home.sync("--kind", "bars")).stdout).toMatch(/ 2 failed\.\n$/);
    upstream.play(entradeChart());
    expect((await home.sync("--kind", "bars")).stdout).toStartWith("2 fetched, 10 records");
  });

  test("prints its log in the requested format on stderr, and only JSON on stdout", async () => {
    using upstream = startUpstream(() => new Response("no", { status: 403 }));
    using home = openSync("worldbank", upstream.url);
    const { stdout, stderr } = await run(
      { ...home.env, BOURSE_LOG: "json" },
      "sync",
      "--country",
      "US",
      "--json",
    );
    expect(JSON.parse(stdout)).toMatchObject({ failed: 1 });
    expect(JSON.parse(stderr.split("\n")[0] ?? "")).toMatchObject({
      level: "warn",
      message: "a source failed",
      source: "worldbank",
      reason: expect.stringMatching(/^worldbank: api\.worldbank\.org 403: /) as unknown,
    });
  });
});

describe("what sync refuses, in one sentence, before any folder is created", () => {
  test.each([
    [["--country", "us"], "--country must be one of US, JP, VN, not us."],
    [["--kind", "prices"], "--kind must be one of instruments, "],
    [["--kind", "holidayOverrides"], "--kind must be one of instruments, "],
    [["--kind", "__proto__"], "--kind must be one of instruments, "],
    [["--symbols", "AAPL"], "--symbols needs --country"],
    [
      ["--kind", "macroSeries", "--symbols", "AAPL", "--country", "US"],
      "--kind macroSeries is not fetched by symbol; leave --symbols out.",
    ],
  ])("%j", async (argv, words) => {
    using folder = openFolder();
    const data = join(folder.path, "data");
    expectFailure(await runOn(data, "sync", ...argv), words);
    expect(existsSync(data)).toBe(false);
  });
});

test("sync with a cluster is refused, because its leader fetches, and creates nothing", async () => {
  using folder = openFolder();
  const data = join(folder.path, "data");
  const BOURSE_CLUSTER = "postgres://bourse:secret@127.0.0.1:1/bourse";
  expectFailure(
    await run({ BOURSE_DATA: data, BOURSE_CLUSTER }, "sync"),
    "The leader of the cluster fetches all data that is due.",
  );
  expect(existsSync(data)).toBe(false);
});

describe("what sync refuses without marking the folder as sample or live", () => {
  test.each([
    [{ BOURSE_SOURCES: "sec,ghost" }, "There is no source ghost; the sources are nasdaq, sec, "],
    [{ BOURSE_SOURCE_URL_REFERENCE: "bourse.test" }, "The address set for the source reference"],
    [
      { BOURSE_SOURCE_URL_REFERENCE: "http://bourse.test" },
      "must begin with https:, or with http:",
    ],
  ])("%j", async (env, words) => {
    using home = openSync(COMPUTED);
    expectFailure(await run({ ...home.env, ...env }, "sync"), words);
    expect(await home.stored((market) => market.findSetting("origin"))).toBeNull();
  });

  test("a folder with the sample market, which stays unchanged", async () => {
    using home = openSync(COMPUTED);
    await home.stored((market) => market.setSetting("origin", "sample"));
    expectFailure(
      await home.sync(),
      "The data folder holds the sample market; name another folder with --data, or start `serve --market live --reset-market`",
    );
    expect(await home.stored((market) => market.findSetting("origin"))).toBe("sample");
  });
});
