import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { bunCommand, endChildren } from "../support/child-process.ts";
import { expectFailure, MAIN_AT, run } from "../support/cli.ts";
import { type ServeProcess, spawnServe } from "../support/serve-process.ts";
import { START } from "../support/service.ts";
import {
  type Answerer,
  entradeChart,
  playedAt,
  startUpstream,
  until,
} from "../support/upstream.ts";

afterAll(endChildren);

/** Answers with charts of Entrade, and refuses the requests to every other source. */
const play: Answerer = ({ path }) =>
  path.startsWith("/chart-api/")
    ? new Response(entradeChart())
    : new Response("no", { status: 403 });

/** Starts `serve` on the live market with that environment. */
const spawnLive = (folder: string, env: Readonly<Record<string, string>>, ...flags: string[]) =>
  spawnServe(folder, { env, flags: ["--market", "live", ...flags] });

const HISTORY = "/data/stocks/VNINDEX/history?country=VN";

const originIn = (folder: string): string | null => {
  const market = openMarket(folder);
  const origin = market.findSetting("origin");
  market.close();
  return origin;
};

describe("a live service whose sources are played", () => {
  const folder = openFolder();
  const upstream = startUpstream(play);
  let service: ServeProcess;
  beforeAll(async () => {
    const program = [...bunCommand(MAIN_AT), `=${START}`];
    const env = playedAt(upstream.url);
    service = await spawnServe(folder.path, { program, env, flags: ["--market", "live"] });
  });
  afterAll(async () => {
    await service.stop();
    upstream[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  test("says that it is live, and which sources need a contact", () => {
    expect(service.stdout()).toContain("Live market: figures come from public sources");
    expect(service.stdout()).toContain("BOURSE_CONTACT is not set: the SEC");
    expect(service.stdout()).not.toContain("SAMPLE");
  });

  test("lists what its schedule has fetched, with its sources", async () => {
    const answer = await service.get("/data/macro/calendar?country=VN");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-data-source")).toBe("vietnam-releases");
    expect(await answer.text()).toContain("CPI");
  });

  test("lists the markets although its sources refuse: names, holidays and the reference list", async () => {
    const answer = await service.get("/data/markets");
    expect(answer.status).toBe(200);
    const { data } = (await answer.json()) as {
      data: {
        countries: { name: string; total_symbols: number; upcoming_holidays: unknown[] }[];
      };
    };
    expect(data.countries.map(({ name }) => name)).toEqual(["United States", "Japan", "Viet Nam"]);
    for (const country of data.countries) {
      expect(country.total_symbols).toBeGreaterThan(0);
      expect(country.upcoming_holidays).not.toBeEmpty();
    }
  });

  test("does not present its few built-in symbols as a market", async () => {
    for (const path of ["/data/symbols?country=VN", "/data/sectors?country=VN"]) {
      expect((await service.get(path)).status).toBe(503);
    }
  });

  test("fetches a record once, at its first request, and names its source", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.get(HISTORY)));
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get("x-data-source")).toBe("entrade");
      // The clock stands still.
      expect(answer.headers.get("x-data-age")).toBe("0");
      expect(await answer.json()).toMatchObject({
        country: "VN",
        data: { closes: [1_700, 1_710, 1_720, 1_730, 1_740] },
      });
    }
    expect(upstream.requests.filter(({ path }) => path.includes("symbol=VNINDEX"))).toHaveLength(1);
  });

  test("answers 503 if nothing is stored and its sources refuse", async () => {
    const answer = await service.get("/data/macro/indicators?country=US");
    expect(answer.status).toBe(503);
    // The breaker blocks a source for a minute after its failures, and the clock has not moved since.
    expect(answer.headers.get("retry-after")).toBe("60");
  });
});

describe("a live service", () => {
  test("stops at once even if its sources hang, with exit code 0, and stores nothing from them", async () => {
    let quickest = Infinity;
    // One quick stop shows that no timer is left, such as the longest wait for the thread, which is five seconds.
    // A busy machine may need more attempts.
    for (let attempt = 0; attempt < 10 && quickest >= 4_900; attempt++) {
      using folder = openFolder();
      using upstream = startUpstream(() => new Promise<Response>(() => {}));
      const service = await spawnLive(folder.path, playedAt(upstream.url));
      const waiting = service.get(HISTORY).catch(() => null);
      // The schedule waits for the list of the US, the request for the list of Viet Nam.
      await until(() => upstream.requests.length > 1);
      const stoppedAt = performance.now();
      // The sources never answer: it would not end if it waited for one.
      expect(await service.stop()).toBe(0);
      quickest = Math.min(quickest, performance.now() - stoppedAt);
      expect(service.stderr()).not.toMatch(/ERROR|a source failed/);
      await waiting;
      expect(originIn(folder.path)).toBe("live");
    }
    expect(quickest).toBeLessThan(4_900);
  }, 600_000);
});

describe("sample and live never mix", () => {
  /** A folder of that origin, without any record. */
  const folderOf = (origin: string) => {
    const folder = openFolder();
    const market = openMarket(folder.path);
    market.setSetting("origin", origin);
    market.put("indexPe", [{ country: "US", month: "2026-10", pe: 28 }], {
      source: origin,
      storedAt: 1,
    });
    market.close();
    return folder;
  };

  test.each([
    ["live", "sample"],
    ["sample", "live"],
  ])(
    "a %s folder is refused as %s, with a sentence that says what to do, and stays unchanged",
    async (held, wanted) => {
      using folder = folderOf(held);
      const env = { BOURSE_DATA: folder.path, BOURSE_SOURCES: "reference" };
      expectFailure(
        await run(env, "serve", "--port", "0", "--market", wanted),
        `The data folder holds the ${held} market; name another folder with --data, or start \`serve --market ${wanted} --reset-market\` to delete that market.`,
      );
      expect(originIn(folder.path)).toBe(held);
    },
  );

  test("a call marks an empty folder with its market before anything is fetched", async () => {
    using folder = openFolder();
    const env = { BOURSE_DATA: folder.path, BOURSE_MARKET: "live", BOURSE_SOURCES: "reference" };
    const { code, stderr } = await run(env, "call", "list_symbols", "--country", "VN");
    expect([code, stderr]).toEqual([0, "Source: reference\n"]);
    expect(originIn(folder.path)).toBe("live");
    expectFailure(
      await run({ ...env, BOURSE_MARKET: "sample" }, "serve", "--port", "0"),
      "holds the live",
    );
  });

  test("--reset-market deletes the old market with its exports, and starts the other one", async () => {
    using folder = folderOf("sample");
    const exported = join(folder.path, "exports", "20261120T000000Z");
    mkdirSync(exported, { recursive: true });
    const env = { BOURSE_SOURCES: "reference", BOURSE_CONTACT: "ops@example.com" };
    const service = await spawnLive(folder.path, env, "--reset-market");
    expect(service.stdout()).toContain("Live market");
    expect(service.stdout()).not.toContain("BOURSE_CONTACT");
    // A busy machine may answer before it has the list.
    const list = () => service.get("/data/symbols?country=VN");
    let listed = await list();
    while (listed.status === 503) listed = await list();
    expect(listed.headers.get("x-data-source")).toBe("reference");
    expect(await service.stop()).toBe(0);
    expect(existsSync(exported)).toBe(false);
    const market = openMarket(folder.path);
    expect(market.findSetting("origin")).toBe("live");
    expect(market.listCounts().map(({ kind }) => kind)).toEqual(["instruments"]);
    market.close();
  });

  test("--reset-market is refused while another process uses the market, which stays unchanged", async () => {
    using folder = openFolder();
    const env = { BOURSE_SOURCES: "reference" };
    const service = await spawnLive(folder.path, env);
    const argv = ["serve", "--port", "0", "--market", "sample", "--reset-market"];
    expectFailure(
      await run({ BOURSE_DATA: folder.path }, ...argv),
      `Another process uses the market of ${folder.path}. Stop it before you delete the market.`,
    );
    expect((await service.get("/data/markets")).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(originIn(folder.path)).toBe("live");
  });

  test("a wrong setting of a source is reported before --reset-market deletes anything", async () => {
    using folder = folderOf("sample");
    const env = { BOURSE_DATA: folder.path, BOURSE_SOURCES: "ghost" };
    const argv = ["serve", "--port", "0", "--market", "live", "--reset-market"];
    expectFailure(await run(env, ...argv), "There is no source ghost");
    expect(originIn(folder.path)).toBe("sample");
  });
});
