import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { SOURCES } from "#service/live.ts";
import type { Country } from "#domain/country.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { RecordKind } from "#domain/records.ts";
import { mapRecord } from "#lib/map-record.ts";
import { openFolder } from "../support/access.ts";
import { runOn } from "../support/cli.ts";
import { BUSY_SECONDS, PLAYED_MODES, type PlayedMode, POISON } from "../support/played-modes.ts";

import { FOREVER, type PlayedService, startPlayedService } from "../support/played-service.ts";
import { secFacts } from "../support/played-statements.ts";
import {
  type PlayedSources,
  playSources,
  SOURCES_WITHOUT_REQUESTS,
} from "../support/played-sources.ts";
import { listInstruments } from "../support/market.ts";
import { US_COMPANIES } from "../support/played-companies.ts";
import { TESTS_ALL } from "../support/test-all.ts";
import { until } from "../support/upstream.ts";

const DAY = 86_400_000;

const BAD_MODES = PLAYED_MODES.filter(
  (mode) => !["normal", "slow", "drips", "poisoned"].includes(mode),
);

const of = (kind: RecordKind, country: Country, symbol: string | null = null): FetchKey => ({
  kind,
  country,
  symbol,
});

interface Part {
  readonly keys: readonly FetchKey[];
  readonly path: string;
  readonly unused?: string;
}

const INDEX_PE: Part = {
  keys: [of("indexPe", "US")],
  path: "/sectors?country=US",
  unused: "country = 'US' AND NOT index_member",
};

/**
 * The keys to refresh from each source, and a path whose answer uses their records. The instruments that
 * match `unused` are removed first, because the answer would compute the figures of all of them each time.
 */
const PARTS: Readonly<Record<string, Part>> = {
  nasdaq: {
    keys: [of("instruments", "US"), of("quotes", "US"), of("bars", "US", "AAPL")],
    path: "/symbols?country=US",
  },
  sec: {
    keys: [of("instruments", "US"), of("statements", "US", "AAPL"), of("statements", "US")],
    path: "/stocks/AAPL/statements?country=US&type=income",
  },
  jpx: { keys: [of("instruments", "JP"), of("earningsDates", "JP")], path: "/symbols?country=JP" },
  vietcap: {
    keys: [
      of("analystCoverage", "VN"),
      of("quotes", "VN"),
      of("instruments", "VN"),
      of("instruments", "VN", "FPT"),
      of("statements", "VN", "FPT"),
      of("dividends", "VN", "FPT"),
    ],
    path: "/stocks/FPT/statements?country=VN&type=balance",
  },
  ssi: {
    keys: [
      of("instruments", "VN"),
      of("quotes", "VN"),
      of("classifications", "VN"),
      of("foreignTrades", "VN"),
    ],
    path: "/symbols?country=VN",
  },
  entrade: { keys: [of("bars", "VN", "FPT")], path: "/stocks/FPT/technicals?country=VN" },
  yahoo: {
    keys: [
      of("quotes", "US"),
      of("quotes", "JP"),
      of("recentCloses", "US"),
      of("classifications", "US"),
      of("quotes", "US", "AAPL"),
      of("instruments", "US", "AAPL"),
      of("bars", "US", "AAPL"),
      of("bars", "JP", "7203"),
      of("dividends", "US", "AAPL"),
      of("statements", "JP", "7203"),
      of("analystCoverage", "US", "AAPL"),
      of("earningsDates", "US", "AAPL"),
      of("earningsResults", "US", "AAPL"),
    ],
    path: "/stocks/AAPL/overview?country=US",
  },
  fred: { keys: [of("macroSeries", "US")], path: "/macro/indicators?country=US" },
  alfred: {
    keys: [of("macroVintages", "US")],
    path: "/macro/history?country=US&series=GDP%20growth%20YoY&revisions=true",
  },
  treasury: {
    keys: [of("macroSeries", "US")],
    path: "/macro/indicators?country=US&category=money",
  },
  mof: {
    keys: [of("macroSeries", "JP")],
    path: "/macro/indicators?country=JP&category=money",
  },
  frankfurter: {
    keys: [of("macroSeries", "JP"), of("bars", "US", "EURUSD=X")],
    path: "/macro/indicators?country=JP&category=money",
  },
  boj: {
    keys: [of("macroSeries", "JP")],
    path: "/macro/indicators?country=JP&category=business",
  },
  oecd: {
    keys: [of("macroSeries", "JP"), of("macroForecasts", "US")],
    path: "/macro/forecast?country=US",
  },
  nso: { keys: [of("macroSeries", "VN")], path: "/macro/indicators?country=VN" },
  sbv: { keys: [of("macroSeries", "VN")], path: "/macro/indicators?country=VN" },
  imf: { keys: [of("macroForecasts", "VN")], path: "/macro/forecast?country=VN" },
  worldbank: { keys: [of("macroSeries", "JP")], path: "/macro/indicators?country=JP" },
  calendar: { keys: [of("calendarEvents", "US")], path: "/macro/calendar?country=US" },
  constituents: { keys: [of("classifications", "US")], path: "/symbols?country=US" },
  ssga: { keys: [of("classifications", "US")], path: "/symbols?country=US" },
  nikkei: { keys: [of("classifications", "JP")], path: "/symbols?country=JP" },
  shiller: INDEX_PE,
  multpl: INDEX_PE,
  vndirect: { keys: [of("indexPe", "VN")], path: "/sectors?country=VN" },
  "nasdaq-earnings": {
    keys: [of("earningsDates", "US"), of("earningsResults", "US")],
    path: "/earnings/calendar?tickers=NVDA",
  },
};

/** The modes that a source is tested in: a sixth of them, but with BOURSE_TEST_ALL=1 all. Neighbours have others. */
function modesOf(source: string): readonly PlayedMode[] {
  const index = Object.keys(PARTS).indexOf(source);
  return BAD_MODES.filter((_, i) => TESTS_ALL || (i + index) % 6 === 0);
}

/** The number of rows and the newest time of storage in each table of a folder's market file. */
function stateOf(folder: string) {
  using database = new Database(join(folder, "market.db"), { readonly: true });
  return ["instruments", "bar_histories", "statements", "documents"].map((table) => ({
    table,
    ...(database
      .query(`SELECT count(*) AS rows, max(stored_at) AS newest FROM ${table}`)
      .get() as object),
  }));
}

async function fill(service: PlayedService): Promise<void> {
  await service.live.schedule.run({ stopped: () => false });
  const keys = Object.values(PARTS).flatMap((part) => part.keys);
  for (const key of keys) await service.live.refresher.refresh(key);
}

describe("an answer in another form than its source documents", () => {
  const folder = openFolder();
  let played: PlayedSources;
  beforeAll(async () => {
    played = await playSources();
    const service = await startPlayedService(folder.path, played);
    await fill(service);
    await service.stop();
  }, 600_000);
  afterAll(async () => {
    await played.stop();
    folder[Symbol.dispose]();
  });

  test("is tested with every source that is called over a network and needs no key", () => {
    const wanted = SOURCES.filter(
      ({ name, key }) => !SOURCES_WITHOUT_REQUESTS.has(name) && !key?.required,
    );
    expect(new Set(Object.keys(PARTS))).toEqual(new Set(wanted.map(({ name }) => name)));
  });

  describe.each(Object.entries(PARTS))("%s", (source, { keys, path, unused }) => {
    const own = openFolder();
    let service: PlayedService;
    beforeAll(async () => {
      const file = join(own.path, "market.db");
      copyFileSync(join(folder.path, "market.db"), file);
      if (unused !== undefined) {
        using database = new Database(file);
        database.run(`DELETE FROM instruments WHERE ${unused}`);
      }
      // Only this source, so that no other one replaces it.
      service = await startPlayedService(own.path, played, { sources: [source] });
    });
    afterAll(async () => {
      played.setMode(source, "normal");
      await service.stop();
      own[Symbol.dispose]();
    });

    const refreshAll = async (mode: PlayedMode) => {
      played.setMode(source, mode);
      // Every record is due and every breaker is closed. A list of all statements is due once a week.
      service.time.now += 7 * DAY;
      const outcomes = [];
      for (const key of keys) outcomes.push(await service.live.refresher.refresh(key));
      return outcomes;
    };

    test.each(modesOf(source))(
      "%s: it is not stored, the log names the reason, old data is served",
      async (mode) => {
        const before = stateOf(own.path);
        service.logLines.length = 0;
        for (const { error } of await refreshAll(mode)) expect(error).toStartWith(`${source}: `);
        expect(stateOf(own.path)).toEqual(before);
        const failures = service.logLines
          .map((line) => JSON.parse(line) as Record<string, string>)
          .filter(({ message }) => message === "a source failed");
        expect(failures.length).toBeGreaterThan(0);
        for (const failure of failures) {
          expect(failure).toMatchObject({ level: "warn", source });
          expect(failure["reason"]).toStartWith(`${source}: `);
          expect(failure["reason"]).not.toContain("http");
        }
        const answer = await service.get(`/data${path}`);
        expect(answer.status).toBe(200);
        expect(Number(answer.headers.get("x-data-age"))).toBeGreaterThan(0);
        expect(played.strayed()).toBe(0);
        if (mode === "busy") {
          const { blockedUntil = 0 } = service.live.clients.get(source) ?? {};
          expect(blockedUntil).toBeGreaterThanOrEqual(service.time.now + BUSY_SECONDS * 1_000);
        }
      },
    );

    test("the next normal answers are stored", async () => {
      const outcomes = await refreshAll("normal");
      expect(outcomes.map(({ error }) => error)).toEqual(keys.map(() => null));
    });
  });
});

describe.each([
  ["never answers", "slow", "does not answer"],
  ["sends one byte of its answer", "drips", "did not send its whole answer"],
] as const)("a source that %s", (_, mode, reason) => {
  test("holds no list of another source, and the next source replaces it after the time-out", async () => {
    using folder = openFolder();
    const played = await playSources();
    played.setMode("nasdaq", mode);
    const timeouts: AbortController[] = [];
    const passes: (() => void)[] = [];
    const service = await startPlayedService(folder.path, played, {
      sources: ["nasdaq", "sec", "jpx", "vietcap", "yahoo", "fred", "oecd", "entrade"],
      largest: 2,
      timeout: () => {
        const timeout = new AbortController();
        timeouts.push(timeout);
        return timeout.signal;
      },
      // The test passes the half minutes; an idle source does not look again.
      patience: (ms) => (ms < 60_000 ? new Promise((pass) => passes.push(pass)) : FOREVER()),
    });
    const { market, live } = service;
    const isThere = (kind: RecordKind, country: Country) =>
      market.fetches.findLastList(kind, country) !== null;
    let isOver = false;
    const running = live.schedule.run({ stopped: () => false }).then(() => (isOver = true));
    const untilThere = (...lists: readonly [RecordKind, Country][]) =>
      until(() => lists.every((list) => isThere(...list)));
    await untilThere(["instruments", "JP"], ["instruments", "VN"], ["macroSeries", "US"]);
    passes[0]?.();
    await untilThere(["quotes", "US"], ["quotes", "JP"], ["quotes", "VN"], ["recentCloses", "JP"]);
    passes[1]?.();
    await until(() => played.calls.some(({ source }) => source === "entrade"));
    expect(isThere("instruments", "US")).toBeFalse();
    expect(isOver).toBeFalse();
    // A request that still runs when no other has arrived for a while is one to Nasdaq, which has sent its byte.
    let [seen, quietFor] = [played.calls.length, 0];
    await until(() => {
      quietFor = seen === played.calls.length ? quietFor + 1 : 0;
      seen = played.calls.length;
      if (quietFor > 10)
        for (const timeout of timeouts.splice(0))
          timeout.abort(new DOMException("", "TimeoutError"));
      return isOver;
    });
    await running;
    expect(service.logLines.join()).toContain(reason);
    expect(market.instruments.find({ country: "US", symbol: "AAPL" })?.source).toBe("sec");
    played.setMode("nasdaq", "normal");
    await service.stop();
    await played.stop();
  }, 600_000);
});

describe("the SEC's frames, if they have moved", () => {
  const folder = openFolder();
  const key = of("statements", "US");
  let isMoved = false;
  let played: PlayedSources;
  let service: PlayedService;
  beforeAll(async () => {
    played = await playSources({
      sec: ({ path }) =>
        isMoved && path.startsWith("/api/xbrl/frames/") ? { status: 404, body: "" } : null,
    });
    service = await startPlayedService(folder.path, played, { sources: ["sec"] });
    for (const one of [of("instruments", "US"), key]) await service.live.refresher.refresh(one);
  });
  afterAll(async () => {
    await service.stop();
    await played.stop();
    folder[Symbol.dispose]();
  });

  test("leave the stored statements, and `sources` says why; the rest is not requested", async () => {
    const before = stateOf(folder.path);
    isMoved = true;
    service.time.now += 7 * DAY;
    const calls = played.calls.length;
    const { error, source } = await service.live.refresher.refresh(key);
    expect([source, error]).toEqual([null, "sec: its frames have no company with statements"]);
    expect(played.calls.slice(calls).length).toBeLessThan(40);
    expect(stateOf(folder.path)).toEqual(before);

    const answer = await service.get("/data/stocks/MSFT/statements?country=US&type=balance");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-data-source")).toContain("sec");
    const { stdout } = await runOn(folder.path, "sources");
    expect(stdout).toMatch(/^sec .* sec: its frames have no company with statements$/m);
  });

  test("are used again after their return", async () => {
    isMoved = false;
    service.time.now += 60_000;
    const { error, records } = await service.live.refresher.refresh(key);
    expect(error).toBeNull();
    expect(records).toBeGreaterThan(0);
  });
});

describe("a filing of the SEC in thousands", () => {
  const folder = openFolder();
  const key = of("statements", "US", "AAPL");
  const wrong = "0000320193-26-000003";
  let played: PlayedSources;
  let service: PlayedService;
  beforeAll(async () => {
    const { cik, entityName, facts } = secFacts();
    const inThousands = mapRecord(facts["us-gaap"] ?? {}, (tag) => ({
      ...tag,
      units: mapRecord(tag.units, (all, unit) =>
        all.map((fact) =>
          fact.accn === wrong && unit === "USD" ? { ...fact, val: fact.val / 1_000 } : fact,
        ),
      ),
    }));
    const body = JSON.stringify({ cik, entityName, facts: { ...facts, "us-gaap": inThousands } });
    played = await playSources({
      sec: ({ path }) => (path.endsWith("/CIK0000320193.json") ? { body } : null),
    });
    service = await startPlayedService(folder.path, played, { sources: ["sec"] });
    await service.live.refresher.refresh(of("instruments", "US"));
  });
  afterAll(async () => {
    await service.stop();
    await played.stop();
    folder[Symbol.dispose]();
  });

  test("is named by `sources` and once in the log; its amounts are unknown", async () => {
    for (let day = 0; day < 3; day++) {
      expect((await service.live.refresher.refresh(key)).error).toBeNull();
      service.time.now += 7 * DAY;
    }
    const last = service.market.statements.list({ country: "US", symbol: "AAPL" }).at(-1);
    expect([last?.items.revenue, last?.items.totalAssets, last?.items.epsDiluted]).toEqual([
      null,
      null,
      2.2,
    ]);
    const { stdout } = await runOn(folder.path, "sources");
    expect(stdout).toMatch(new RegExp(`^sec .* in ${wrong} is about 1/1,000 of its`, "m"));
    expect(service.logLines.filter((line) => line.includes(wrong))).toHaveLength(1);
  });
});

describe("a preferred source that fails", () => {
  const folder = openFolder();
  let played: PlayedSources;
  let service: PlayedService;
  beforeAll(async () => {
    played = await playSources();
    service = await startPlayedService(folder.path, played, { patience: FOREVER });
  });
  afterAll(async () => {
    await service.stop();
    await played.stop();
    folder[Symbol.dispose]();
  });
  const sourcesOf = async (path: string) => {
    const response = await service.get(`/data${path}`);
    expect(response.status).toBe(200);
    return response.headers.get("x-data-source");
  };
  const countReits = () =>
    listInstruments(service.market, "US").filter(({ assetType }) => assetType === "reit").length;

  test("is replaced by the next one from the start, and answers name that source", async () => {
    for (const source of ["nasdaq", "oecd"]) played.setMode(source, "html");
    // The SEC's list, with Yahoo's quotes.
    expect(await sourcesOf("/symbols?country=US&query=MSFT")).toBe("sec, yahoo");
    // FRED has the latest published figures beside the forecasts.
    expect(await sourcesOf("/macro/forecast?country=US")).toBe("fred, imf");
    played.setMode("sec", "down");
    expect(await sourcesOf("/stocks/AAPL/statements?country=US&type=income")).toContain("yahoo");
    const { statements } = service.market;
    // Four quarters of 100 billion.
    expect(
      statements
        .list({ country: "US", symbol: "AAPL" })
        .find(({ span, fiscalYear }) => span === "year" && fiscalYear === 2024),
    ).toMatchObject({ source: "yahoo", items: { revenue: 400_000_000_000 } });
  });

  test("is used again after its return, and statements of two sources never mix", async () => {
    played.setAllModes("normal");
    service.time.now += 2 * DAY;
    expect(await sourcesOf("/symbols?country=US&query=MSFT")).toBe("nasdaq, yahoo");
    expect(await sourcesOf("/macro/forecast?country=US")).toBe("fred, oecd");
    expect(await sourcesOf("/stocks/AAPL/statements?country=US&type=income")).toContain("sec");
    const stored = service.market.statements.list({ country: "US", symbol: "AAPL" });
    expect(new Set(stored.map(({ source }) => source))).toEqual(new Set(["sec"]));
    expect(countReits()).toBeGreaterThan(US_COMPANIES / 12);
  });

  test("of bars is replaced by Nasdaq, which continues the stored history", async () => {
    const apple = () => service.market.instruments.find({ country: "US", symbol: "AAPL" });
    expect(await sourcesOf("/stocks/AAPL/technicals?country=US")).toContain("yahoo");
    const before = service.market.bars.count(apple()?.id ?? 0);
    played.setMode("yahoo", "down");
    service.time.now += 3 * DAY;
    expect(await sourcesOf("/stocks/AAPL/technicals?country=US")).toContain("nasdaq");
    played.setMode("yahoo", "normal");
    // The history is longer than that of Nasdaq.
    expect(service.market.bars.count(apple()?.id ?? 0)).toBe(before);
  });

  test("of bars is replaced by Nasdaq if nothing is stored, with the same prices", async () => {
    using own = openFolder();
    const alone = await startPlayedService(own.path, played, {
      sources: ["nasdaq"],
      patience: FOREVER,
    });
    const response = await alone.get("/data/stocks/AAPL/history?country=US&limit=2");
    expect(response.status).toBe(200);
    const { data } = (await response.json()) as { data: unknown };
    expect(data).toMatchObject({ dates: ["2026-08-20", "2026-08-21"], closes: [300, 302.5] });
    expect(response.headers.get("x-data-source")).toContain("nasdaq");
    await alone.stop();
  });

  test("that fails later keeps its records: a poorer list does not replace them", async () => {
    const before = countReits();
    for (const source of ["nasdaq", "oecd", "sec"]) played.setMode(source, "down");
    service.time.now += 2 * DAY;
    expect(await sourcesOf("/symbols?country=US&query=MSFT")).toBe("nasdaq, yahoo");
    expect(await sourcesOf("/macro/forecast?country=US")).toBe("fred, oecd");
    expect(await sourcesOf("/stocks/AAPL/statements?country=US&type=income")).toContain("sec");
    expect(countReits()).toBe(before);
  });
});

describe("prompts, control characters and endless texts from sources", () => {
  const folder = openFolder();
  let played: PlayedSources;
  let service: PlayedService;
  beforeAll(async () => {
    played = await playSources();
    played.setAllModes("poisoned");
    // Without Nasdaq the SEC lists the US.
    for (const sources of [undefined, ["sec"]]) {
      service = await startPlayedService(folder.path, played, sources && { sources });
      await fill(service);
      await service.stop();
    }
    service = await startPlayedService(folder.path, played);
  }, 600_000);
  afterAll(async () => {
    await service.stop();
    await played.stop();
    folder[Symbol.dispose]();
  });

  const storedTexts = () => {
    const { market } = service;
    return [
      ...listInstruments(market, null).flatMap(({ name, summary }) => [name, summary ?? ""]),
      ...market.documents.list("calendarEvents", null).map(({ event }) => event),
      ...market.documents
        .list("analystCoverage", null)
        .flatMap(({ actions }) => actions.flatMap(({ firm, toGrade }) => [firm, toGrade ?? ""])),
    ];
  };

  test("are stored as plain text of limited length", () => {
    const texts = storedTexts();
    const poisoned = texts.filter((text) => text.startsWith(POISON));
    expect(poisoned.length).toBeGreaterThan((5 / 6) * US_COMPANIES);
    for (const text of texts) {
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(text.length).toBeLessThanOrEqual(4_000);
    }
    const { market } = service;
    for (const country of ["US", "JP", "VN"] as const) {
      for (const { name } of listInstruments(market, country))
        expect(name.length).toBeLessThanOrEqual(200);
    }
    expect(market.instruments.find({ country: "US", symbol: "AAPL" })?.summary).toStartWith(POISON);
    expect(market.instruments.find({ country: "JP", symbol: "7203" })?.name).toStartWith(POISON);
  });

  test("are served as data only", async () => {
    for (const path of [
      "/data/symbols?country=US&limit=100",
      "/data/symbols?country=JP",
      "/data/macro/calendar?country=US&limit=200",
      "/data/stocks/AAPL/overview?country=US",
      "/data/stocks/AAPL/forecast?country=US",
      "/data/stocks/FPT/overview?country=VN",
    ]) {
      const response = await service.get(path);
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(text).toContain(POISON);
      expect(text).not.toMatch(/\\u00[01]|\u202e|<script/i);
      // No header contains the text of a source.
      for (const value of response.headers.values()) expect(value).not.toContain("Ignore");
    }
    expect(service.logLines.join("")).not.toContain("Ignore");
  });
});
