import { describe, expect, test } from "bun:test";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { NO_ITEMS, type Statement } from "#domain/statement.ts";
import { listProgress } from "#ingest/progress.ts";
import { countryKeys, Schedule, type ScheduleParts } from "#ingest/schedule.ts";
import { createLog } from "#lib/log.ts";
import type { LiveQuery } from "#sources/fetcher.ts";
import { FETCHERS } from "#sources/index.ts";
import { stock } from "../support/market.ts";
import { until } from "../support/upstream.ts";
import {
  barsFrom,
  failing,
  keyOf,
  fakeFetcher,
  openRefresher,
  quote,
} from "../support/refresher.ts";

const everywhere = { scope: "country", countries: COUNTRY_CODES } as const;

type ScheduleOptions = Partial<
  Pick<ScheduleParts, "indexPe" | "largest" | "listUnknownSplits" | "patience">
>;

/** The schedule of a refresher, which notes the lines of its log. */
function createSchedule(
  { market, writer, refresher, clock }: ReturnType<typeof openRefresher>,
  options: ScheduleOptions = {},
) {
  const lines: string[] = [];
  const log = createLog({ format: "text", write: (line) => lines.push(line), clock });
  const indexPe = async () => null;
  const schedule = new Schedule({ market, writer, refresher, clock, log, indexPe, ...options });
  return { schedule, lines };
}

/** A market with sources of lists and quotes for all countries; `order` has their calls. */
function openBroad(options: ScheduleOptions = {}) {
  const order: string[] = [];
  const noted = <T>(what: string, country: string, result: T): T => {
    order.push(`${what} ${country}`);
    return result;
  };
  const listing = fakeFetcher(
    "lister",
    "instruments",
    ({ country }) => noted("instruments", country, [stock(country, "AAA")]),
    everywhere,
  );
  const quotes = fakeFetcher(
    "quoter",
    "quotes",
    ({ country }) => noted("quotes", country, [quote("AAA", 1, { country })]),
    everywhere,
  );
  const home = openRefresher([quotes, listing]);
  const { schedule, lines } = createSchedule(home, options);
  const run = (stopped = () => false) => schedule.run({ stopped });
  return { listing, quotes, home, order, lines, run };
}

describe("the schedule", () => {
  test("has every kind that is fetched for whole countries, and the listing first", () => {
    const keys = countryKeys();
    expect(keys.every(({ symbol }) => symbol === null)).toBe(true);
    for (const country of COUNTRY_CODES) {
      const kinds = keys.filter((key) => key.country === country).map(({ kind }) => kind);
      expect(kinds[0]).toBe("instruments");
      const served = FETCHERS.filter(
        ({ scope, countries }) => scope === "country" && countries.includes(country),
      ).map(({ kind }) => kind);
      expect(served.filter((kind) => !kinds.includes(kind))).toEqual([]);
    }
  });

  test("fetches due keys in order of dependency, and logs them", async () => {
    const { home, order, lines, run } = openBroad();
    using _ = home;
    await run();
    expect(order).toEqual(
      ["instruments", "quotes"].flatMap((kind) => COUNTRY_CODES.map((code) => `${kind} ${code}`)),
    );
    expect(lines).toHaveLength(6);
    expect(lines[0]).toContain(
      'refreshed kind="instruments" country="US" source="lister" records=1',
    );
    await run();
    expect(order).toHaveLength(6);
  });

  test("continues after a failure, and retries it", async () => {
    const { listing, home, order, run } = openBroad();
    using _ = home;
    const works = listing.respond;
    listing.respond = failing("lister", "unreachable");
    await run();
    expect(order).toEqual(["quotes US", "quotes JP", "quotes VN"]);
    listing.respond = works;
    home.time.now += 60_000;
    await run();
    expect(order.slice(3)).toEqual(["instruments US", "instruments JP", "instruments VN"]);
  });

  test("a source that hangs holds no other, and a source without due keys looks again", async () => {
    const waits: number[] = [];
    const passes: (() => void)[] = [];
    const patience = (ms: number) =>
      new Promise<void>((resolve) => {
        waits.push(ms);
        passes.push(resolve);
      });
    const { listing, home, order, run } = openBroad({ patience });
    using _ = home;
    const hangs = Promise.withResolvers<never>();
    const works = listing.respond;
    listing.respond = () => hangs.promise;
    const ended = run();
    await until(() => waits.includes(30_000));
    expect(order).toEqual([]);
    passes[0]?.();
    await until(() => waits.filter((ms) => ms === 30_000).length === 2);
    passes[1]?.();
    await until(() => waits.includes(60_000));
    expect(order).toEqual(["quotes US", "quotes JP", "quotes VN"]);
    // The quotes become due again while the other source still hangs.
    home.time.now += 7 * DAY;
    passes.at(-1)?.();
    await until(() => order.length === 6);
    listing.respond = works;
    hangs.reject(new Error("the connection ended"));
    await ended;
    expect(order.slice(6)).toContain("instruments JP");
  });

  test("fills a market in the order in which people look: macro at once, then sectors and quotes by country", async () => {
    const order: string[] = [];
    const noting =
      (kind: string) =>
      ({ country }: LiveQuery) => {
        order.push(`${kind} ${country}`);
        return [];
      };
    const listed = Promise.withResolvers<undefined>();
    const listing = fakeFetcher(
      "lister",
      "instruments",
      async ({ country }) => {
        await listed.promise;
        return [stock(country, "AAA")];
      },
      everywhere,
    );
    const calendar = fakeFetcher(
      "calendar",
      "calendarEvents",
      noting("calendarEvents"),
      everywhere,
    );
    using home = openRefresher([
      listing,
      fakeFetcher("quoter", "classifications", noting("classifications"), everywhere),
      fakeFetcher("quoter", "quotes", noting("quotes"), everywhere),
      calendar,
    ]);
    const running = createSchedule(home).schedule.run({ stopped: () => false });
    await until(() => order.length === 3);
    // The list of instruments is not there yet.
    expect(order).toEqual(COUNTRY_CODES.map((country) => `calendarEvents ${country}`));
    listed.resolve(undefined);
    await running;
    expect(order.slice(3)).toEqual(
      COUNTRY_CODES.flatMap((country) => [`classifications ${country}`, `quotes ${country}`]),
    );
  });

  test("stops between two fetches, and the rest is still due", async () => {
    const { home, order, run } = openBroad();
    using _ = home;
    await run(() => order.length === 2);
    expect(order).toEqual(["instruments US", "instruments JP"]);
    await run();
    expect(order).toHaveLength(6);
  });
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ofEach = { scope: "instrument", countries: COUNTRY_CODES } as const;

/** A market of listed companies with a source of bars, dividends and statements; `order` has its calls. */
function openCompanies(options: ScheduleOptions = {}) {
  const order: string[] = [];
  let underWay = 0;
  let most = 0;
  const gates = new Map<string, Promise<unknown>>();
  const noted = async <T>(
    what: string,
    { country, instrument }: LiveQuery,
    result: T,
  ): Promise<T[]> => {
    const name = `${what} ${country} ${instrument?.symbol}`;
    order.push(name);
    most = Math.max(most, ++underWay);
    await gates.get(name);
    underWay--;
    return [result];
  };
  const keyed = ({ country, instrument }: LiveQuery) => ({
    country,
    symbol: instrument?.symbol ?? "",
  });
  const bars = fakeFetcher(
    "keeper",
    "bars",
    (query) =>
      noted("bars", query, { ...keyed(query), bars: barsFrom("2026-11-18", 101, 102, 103) }),
    ofEach,
  );
  const dividends = fakeFetcher(
    "keeper",
    "dividends",
    (query) => noted("dividends", query, { ...keyed(query), dividends: [] }),
    ofEach,
  );
  const statements = fakeFetcher(
    "keeper",
    "statements",
    (query) => noted("statements", query, statement(keyed(query))),
    ofEach,
  );
  const profiles = fakeFetcher(
    "keeper",
    "instruments",
    (query) => noted("profile", query, { ...stock(query.country, "AAA"), ...keyed(query) }),
    ofEach,
  );
  const home = openRefresher([bars, dividends, statements, profiles]);
  const { schedule, lines } = createSchedule(home, options);
  return {
    home,
    schedule,
    bars,
    dividends,
    statements,
    lines,
    gates,
    order,
    /** The maximum number of concurrent fetches of companies. */
    most: () => most,
    /** Runs the schedule; returns the fetched records of companies, in order. */
    async run(stopped = () => false, once = false): Promise<string[]> {
      order.length = 0;
      await schedule.run({ stopped, triesOnce: once });
      return [...order];
    },
    /** Lists companies of a country with these market caps. */
    list(country: Country, caps: Readonly<Record<string, number | null>>): void {
      home.list(
        ...Object.keys(caps).map((symbol) => stock(country, symbol, { sharesOutstanding: null })),
      );
      const { market } = home;
      market.transaction(() =>
        market.put(
          "quotes",
          Object.entries(caps).map(([symbol, marketCap]) =>
            quote(symbol, 10, { country, marketCap }),
          ),
          { source: "quoter", storedAt: home.time.now },
        ),
      );
    },
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

function statement(key: { country: Country; symbol: string }): Statement {
  return {
    ...key,
    span: "year",
    fiscalYear: 2025,
    fiscalQuarter: 4,
    periodEnd: "2025-12-31",
    filedOn: "2026-02-01",
    currency: "USD",
    items: NO_ITEMS,
  };
}

const ALL = (company: string) => [
  `bars ${company}`,
  `dividends ${company}`,
  `statements ${company}`,
];

describe("the schedule of several sources", () => {
  /** A market of companies with a source for each kind; `gates` hold up their calls. */
  function openSources() {
    const calls: string[] = [];
    const gates = new Map<string, Promise<unknown>>();
    const call = async <T>(name: string, records: T[]): Promise<T[]> => {
      calls.push(name);
      await gates.get(name);
      return records;
    };
    const symbolOf = ({ instrument }: LiveQuery) => instrument?.symbol ?? "";
    const home = openRefresher([
      fakeFetcher("lister", "quotes", () => call("quotes", [quote("A", 1)]), { scope: "country" }),
      fakeFetcher("calendar", "calendarEvents", () => call("calendar", []), { scope: "country" }),
      fakeFetcher("barman", "bars", (query) =>
        call(`bars ${symbolOf(query)}`, [
          { country: "US", symbol: symbolOf(query), bars: barsFrom("2026-11-20", 1) },
        ]),
      ),
      fakeFetcher("filer", "statements", (query) =>
        call(`statements ${symbolOf(query)}`, [
          statement({ country: "US", symbol: symbolOf(query) }),
        ]),
      ),
    ]);
    home.list(stock("US", "A"), stock("US", "B"));
    const { schedule } = createSchedule(home);
    return { home, calls, gates, schedule, [Symbol.dispose]: () => home[Symbol.dispose]() };
  }

  test("calls them in parallel, each with one request at a time", async () => {
    using open = openSources();
    const gate = Promise.withResolvers<undefined>();
    open.gates.set("bars A", gate.promise);
    const running = open.schedule.run({ stopped: () => false });
    await until(() => open.calls.includes("statements B"));
    expect(open.calls).toEqual(expect.arrayContaining(["bars A", "statements A"]));
    expect(open.calls).not.toContain("bars B");
    gate.resolve(undefined);
    await running;
    expect(open.calls).toContain("bars B");
  });

  test("waits with companies until quotes name the largest, but not with other lists", async () => {
    using open = openSources();
    const gate = Promise.withResolvers<undefined>();
    open.gates.set("quotes", gate.promise);
    const running = open.schedule.run({ stopped: () => false });
    await until(() => open.calls.includes("calendar"));
    expect(new Set(open.calls)).toEqual(new Set(["quotes", "calendar"]));
    gate.resolve(undefined);
    await running;
    expect(open.calls).toHaveLength(6);
  });

  test("fetches a list that becomes due while another source is busy", async () => {
    using open = openSources();
    const gate = Promise.withResolvers<undefined>();
    open.gates.set("bars A", gate.promise);
    const running = open.schedule.run({ stopped: () => false });
    await until(() => open.calls.includes("statements B"));
    // The calendar is due every three hours, and companies are left after a minute.
    open.home.time.now += 4 * HOUR;
    gate.resolve(undefined);
    await running;
    expect(open.calls.filter((call) => call === "calendar")).toHaveLength(2);
  });

  /** Two sources of statements: the first has none and gives way to the other, whose answers are gated. */
  function openDetour() {
    const calls: string[] = [];
    const gates = new Map<string, Promise<unknown>>();
    const from = (source: string, records: (symbol: string) => Statement[]) =>
      fakeFetcher(source, "statements", async ({ instrument }) => {
        const symbol = instrument?.symbol ?? "";
        calls.push(`${source} ${symbol}`);
        await gates.get(`${source} ${symbol}`);
        return records(symbol);
      });
    const home = openRefresher([
      from("first", (symbol) =>
        symbol === "C" ? [statement({ country: "US", symbol })] : failing("first", "nothing")(),
      ),
      from("other", (symbol) => [statement({ country: "US", symbol })]),
    ]);
    home.list(stock("US", "A"), stock("US", "B"), stock("US", "C"));
    const gate = Promise.withResolvers<undefined>();
    gates.set("other A", gate.promise);
    const { schedule } = createSchedule(home);
    return { home, calls, gate, schedule, [Symbol.dispose]: () => home[Symbol.dispose]() };
  }

  test("a company that goes on to a slow source holds no other, and that source gets one at a time", async () => {
    using open = openDetour();
    const outcomes: string[] = [];
    const running = open.schedule.run({
      stopped: () => false,
      onOutcome: ({ source, symbol }, place, of) =>
        outcomes.push(`${place}/${of} ${source} ${symbol}`),
    });
    await until(() => outcomes.length === 1);
    expect(open.calls.toSorted()).toEqual(["first A", "first B", "first C", "other A"]);
    // A and B are still under way.
    expect(outcomes).toEqual(["1/3 first C"]);
    open.gate.resolve(undefined);
    await running;
    expect(open.calls.slice(4)).toEqual(["other B"]);
    expect(outcomes.slice(1)).toEqual(["2/3 other A", "3/3 other B"]);
  });

  test("a call that waits for such a company does not wait for the ones before it", async () => {
    using open = openDetour();
    const running = open.schedule.run({ stopped: () => false });
    await until(() => open.calls.includes("first C"));
    const outcome = await open.home.refresher.refresh(keyOf("statements", "B"), { probe: true });
    expect(outcome).toMatchObject({ source: "other", records: 1, error: null });
    open.gate.resolve(undefined);
    await running;
    expect(open.calls.filter((call) => call.startsWith("other"))).toEqual(["other A", "other B"]);
  });

  test("a stop calls no further source for such companies, and they are still due", async () => {
    using open = openDetour();
    let isStopped = false;
    const running = open.schedule.run({ stopped: () => isStopped });
    await until(() => open.calls.includes("first C"));
    isStopped = true;
    open.gate.resolve(undefined);
    await running;
    expect(open.calls).not.toContain("other B");
    const { refresher, market } = open.home;
    expect(refresher.isDue(keyOf("statements", "B"))).toBe(true);
    expect(market.fetches.findError("other", keyOf("statements", "B"))).toBeNull();
  });

  test("reports what is done of each kind, and the time left at the pace of the last minutes", async () => {
    using open = openSources();
    const { home, schedule } = open;
    const fetchers = [
      { kind: "quotes", countries: ["US"], scope: "country", source: { name: "lister" } },
      { kind: "bars", countries: ["US"], scope: "instrument", source: { name: "barman" } },
    ] as const;
    const progress = () =>
      listProgress({ market: home.market, fetchers, now: home.time.now, largest: 2 });
    expect(await progress()).toEqual([
      { kind: "quotes", country: "US", done: 0, total: 1, secondsLeft: null, state: "waiting" },
      { kind: "bars", country: "US", done: 0, total: 2, secondsLeft: null, state: "waiting" },
    ]);
    await schedule.run({ stopped: () => open.calls.includes("bars A") });
    home.time.now += 10_000;
    // One of two in ten seconds.
    expect(await progress()).toEqual([
      { kind: "quotes", country: "US", done: 1, total: 1, secondsLeft: 0, state: "given" },
      { kind: "bars", country: "US", done: 1, total: 2, secondsLeft: 10, state: "fetching" },
    ]);
    await schedule.run({ stopped: () => false });
    expect((await progress())[1]).toMatchObject({ done: 2, secondsLeft: 0, state: "given" });
  });

  test("counts no source of currency pairs for companies", async () => {
    const yen = { ...stock("JP", "JPY=X"), assetType: "currency" } as const;
    using home = openRefresher([]);
    const { market, time } = home;
    home.list(stock("JP", "7203"), yen);
    const bars = { kind: "bars", countries: ["JP"], scope: "instrument" } as const;
    const fetchers = [
      { ...bars, source: { name: "barman" } },
      { ...bars, source: { name: "pairs" }, assetType: "currency" },
    ] as const;
    const { now } = time;
    market.fetches.recordSuccess("pairs", keyOf("bars", "JPY=X", "JP"), now - 10_000, 1);
    market.fetches.block("barman", now + MINUTE);
    expect(await listProgress({ market, fetchers, now })).toEqual([
      { kind: "bars", country: "JP", done: 0, total: 1, secondsLeft: null, state: "refused" },
    ]);
  });

  test("reports nothing as done while no company is known", async () => {
    using home = openRefresher([]);
    const fetchers = [
      { kind: "bars", countries: ["US"], scope: "instrument", source: { name: "barman" } },
    ] as const;
    // No source gives the list of companies.
    expect(await listProgress({ market: home.market, fetchers, now: home.time.now })).toEqual([
      { kind: "bars", country: "US", done: 0, total: 0, secondsLeft: null, state: "refused" },
    ]);
  });
});

test("a list that one source gave in part is logged once until it is fetched again", async () => {
  const extra = { ...everywhere, countries: ["US"] as const, complements: true as const };
  const given = fakeFetcher("given", "macroSeries", () => [], extra);
  const refused = fakeFetcher("refused", "macroSeries", failing("refused", "unreachable"), extra);
  using home = openRefresher([given, refused]);
  const { schedule, lines } = createSchedule(home);
  for (let i = 0; i < 3; i++) await schedule.run({ stopped: () => false });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('refreshed kind="macroSeries" country="US" source="given"');
});

describe("the progress of a list", () => {
  test("counts each source that complements it: a part is not the whole", async () => {
    const series = (source: string, change: object) =>
      fakeFetcher(source, "macroSeries", () => [], { scope: "country", ...change });
    const chain = [series("best", {}), series("next", {})];
    const all = [...chain, series("more", { complements: true })];
    using home = openRefresher(all);
    const { market, refresher, time } = home;
    const progress = async () => {
      const [one] = await listProgress({ market, fetchers: all, now: time.now });
      return `${one?.done}/${one?.total}`;
    };
    expect(await progress()).toBe("0/2");
    for (const one of chain) one.respond = failing("best", "unreachable");
    await refresher.refresh(keyOf("macroSeries"));
    expect(await progress()).toBe("1/2");
    // Either source of the chain is enough.
    time.now += MINUTE;
    if (chain[1]) chain[1].respond = () => [];
    await refresher.refresh(keyOf("macroSeries"));
    expect(await progress()).toBe("2/2");
  });
});

describe("the schedule of companies", () => {
  test("fetches all kinds that sectors need, the largest first, the countries in turn, one at a time", async () => {
    using home = openCompanies();
    home.list("US", { SMALL: 5, BIG: 50, MIDDLE: 20 });
    home.list("VN", { TINY: 1, GIANT: 900 });
    expect(await home.run()).toEqual(
      ["US BIG", "VN GIANT", "US MIDDLE", "VN TINY", "US SMALL"].flatMap(ALL),
    );
    expect(home.most()).toBe(1);
    expect(home.lines.join()).toContain('refreshed companies source="keeper" fetched=15');
  });

  test("calls no source again before the next session for prices, or a week for the rest", async () => {
    using home = openCompanies();
    home.list("US", { AAPL: 50 });
    expect(await home.run()).toEqual(ALL("US AAPL"));
    home.home.time.now += HOUR;
    expect(await home.run()).toEqual([]);
    // The evening is a Friday's; the next session ends on Monday.
    home.home.time.now += 2 * DAY;
    expect(await home.run()).toEqual([]);
    home.home.time.now += DAY;
    expect(await home.run()).toEqual(["bars US AAPL"]);
    home.home.time.now += 4 * DAY;
    expect(await home.run()).toEqual(ALL("US AAPL"));
  });

  test("fetches the bars of listed currency pairs before the companies", async () => {
    using home = openCompanies({ largest: 1 });
    home.list("US", { TSM: 50 });
    const pair = { assetType: "currency", sector: null, industry: null } as const;
    home.home.list(stock("US", "TWD=X", pair), stock("JP", "JPY=X", pair));
    expect(await home.run()).toEqual(["bars US TWD=X", "bars JP JPY=X", ...ALL("US TSM")]);
  });

  test("fetches at most `largest` companies of each country, without funds and secondary listings", async () => {
    using home = openCompanies({ largest: 2 });
    home.list("JP", { A: 5, B: 4, C: 3 });
    home.home.list(
      stock("JP", "FUND", { assetType: "etf", sector: null, industry: null }),
      stock("JP", "A2", { primaryListing: false }),
    );
    expect(await home.run()).toEqual(["JP A", "JP B"].flatMap(ALL));
  });

  test("takes a company of unknown size last, and fetches its profile with its shares first", async () => {
    using home = openCompanies();
    home.list("VN", { UNKNOWN: null, KNOWN: 1 });
    expect(await home.run()).toEqual([
      ...ALL("VN KNOWN"),
      "profile VN UNKNOWN",
      ...ALL("VN UNKNOWN"),
    ]);
    // Now with a thousand shares at 10 it is the larger one.
    home.home.time.now += 8 * DAY;
    expect((await home.run())[0]).toBe("bars VN UNKNOWN");
  });

  test("takes the profile of a company without a sector too", async () => {
    using home = openCompanies();
    home.list("US", { KNOWN: 8 });
    home.home.list(stock("US", "BLANK", { sector: null, industry: null }));
    home.home.market.put("quotes", [quote("BLANK", 9)], { source: "quoter", storedAt: 1 });
    const fetched = await home.run();
    expect(fetched.filter((key) => key.startsWith("profile"))).toEqual(["profile US BLANK"]);
  });

  test("tries one company of a failing kind after each pause, continues with the others, and recovers", async () => {
    using home = openCompanies();
    const symbols = Array.from("ABCDEFGHIJKL");
    home.list("US", Object.fromEntries(symbols.map((symbol, i) => [symbol, 99 - i])));
    const works = home.statements.respond;
    home.statements.respond = failing("filer", "unreachable");
    const tried = () =>
      home.statements.queries.splice(0).map(({ instrument }) => instrument?.symbol);
    const fetched = await home.run();
    expect(fetched.filter((key) => key.startsWith("bars"))).toHaveLength(12);
    expect(tried()).toEqual(["A", "B", "C", "D"]);
    expect(home.lines.join()).toContain(
      'companies are paused after failures kind="statements" country="US" reason="filer: HTTP 500"',
    );
    for (const [minutes, symbol] of [
      [1, "E"],
      [2, "F"],
      [4, "G"],
      [8, "H"],
      [15, "I"],
      [15, "J"],
    ] as const) {
      home.home.time.now += minutes * MINUTE - 1;
      await home.run();
      expect(tried()).toEqual([]);
      home.home.time.now += 1;
      await home.run();
      expect(tried()).toEqual([symbol]);
    }
    home.statements.respond = works;
    home.home.time.now += 15 * MINUTE;
    expect(await home.run()).toEqual(["statements US K", "statements US L"]);
    // The others failed because the source failed, so they do not wait for six hours.
    expect(await home.run()).toEqual(
      Array.from("ABCDEFGHIJ").map((symbol) => `statements US ${symbol}`),
    );
    expect(home.lines.filter((line) => line.includes("are paused"))).toHaveLength(1);
  });

  test("knows the failures after a restart, but a single run tries once", async () => {
    using home = openCompanies();
    const symbols = Array.from("ABCDEFGH");
    home.list("US", Object.fromEntries(symbols.map((symbol, i) => [symbol, 99 - i])));
    home.statements.respond = failing("keeper", "unreachable");
    await home.run();
    const tried = async (triesOnce: boolean) => {
      home.statements.queries.length = 0;
      const { schedule } = createSchedule(home.home);
      await schedule.run({ stopped: () => false, triesOnce });
      return home.statements.queries.map(({ instrument }) => instrument?.symbol);
    };
    home.home.time.now += MINUTE - 1;
    expect(await tried(false)).toEqual([]);
    home.home.time.now += 1;
    expect(await tried(false)).toEqual(["E"]);
    // Pauses by failures of its own run only.
    home.home.time.now += 1;
    expect(await tried(true)).toEqual(["A", "B", "C", "D"]);
  });

  test("resumes as soon as the source answers anything again, and says so once", async () => {
    using home = openCompanies();
    home.list("US", { A: 9, B: 8, C: 7, D: 6, E: 5, F: 4, G: 3, H: 2 });
    const fetchers = [home.bars, home.dividends, home.statements];
    const works = fetchers.map(({ respond }) => respond);
    for (const one of fetchers) one.respond = failing("keeper", "unreachable");
    await home.run();
    for (const minutes of [1, 2, 4]) {
      home.home.time.now += minutes * MINUTE;
      await home.run();
    }
    home.home.time.now += MINUTE;
    fetchers.forEach((one, i) => (one.respond = works[i] ?? one.respond));
    expect(await home.run()).toEqual([]);
    // A call requests one company.
    await home.home.refresh(keyOf("dividends", "H"));
    expect(await home.run()).toEqual(
      Array.from("ABCDEFGH")
        .flatMap((symbol) => ALL(`US ${symbol}`))
        .filter((key) => key !== "dividends US H"),
    );
    expect(
      home.home.logLines.filter(({ message }) => message === "a source answers again"),
    ).toEqual([expect.objectContaining({ source: "keeper", failedMinutes: 8 })]);
  });

  test("does not pause a kind because of a fallback that fails", async () => {
    const first = fakeFetcher("first", "bars", failing("first", "nothing", "no bars"));
    const fallback = fakeFetcher("fallback", "bars", failing("fallback", "unreachable"));
    using home = openRefresher([first, fallback]);
    home.list(...Array.from("ABCDEF").map((symbol) => stock("US", symbol)));
    const { schedule } = createSchedule(home);
    await schedule.run({ stopped: () => false });
    expect(first.queries).toHaveLength(6);
  });

  test("fetches from a source that answers again what a fallback gave during its outage", async () => {
    const paid = ({ instrument }: LiveQuery) => [
      { country: "US" as const, symbol: instrument?.symbol ?? "", dividends: [] },
    ];
    const first = fakeFetcher("first", "dividends", failing("first", "unreachable"));
    const fallback = fakeFetcher("fallback", "dividends", paid);
    using home = openRefresher([first, fallback]);
    home.list(...Array.from("ABC").map((symbol) => stock("US", symbol)));
    const { schedule } = createSchedule(home);
    const run = () => schedule.run({ stopped: () => false });
    await run();
    expect(fallback.queries).toHaveLength(3);
    home.time.now += 5 * MINUTE;
    first.respond = paid;
    await run();
    expect(first.queries).toHaveLength(3);
    home.list(stock("US", "D"));
    await run();
    // A, B and C a second time, and none a third time.
    for (let round = 0; round < 2; round++) {
      await run();
      expect(first.queries).toHaveLength(7);
    }
    expect(fallback.queries).toHaveLength(3);
  });

  test("continues after a single failure, and a single run retries it", async () => {
    using home = openCompanies();
    home.list("US", { A: 9, B: 8, C: 7 });
    const works = home.bars.respond;
    home.bars.respond = (query) =>
      query.instrument?.symbol === "B" ? failing("barman", "invalid_answer")() : works(query);
    expect(await home.run()).toEqual(
      ["US A", "US B", "US C"].flatMap(ALL).filter((key) => key !== "bars US B"),
    );
    home.bars.respond = works;
    home.home.time.now += MINUTE;
    expect(await home.run()).toEqual([]);
    expect(await home.run(undefined, true)).toEqual(["bars US B"]);
  });

  test("retries a company that failed alone after six hours", async () => {
    using home = openCompanies();
    home.list("US", { A: 9, B: 8, C: 7 });
    const works = home.bars.respond;
    home.bars.respond = (query) =>
      query.instrument?.symbol === "B" ? failing("barman", "invalid_answer")() : works(query);
    await home.run();
    home.bars.respond = works;
    home.home.time.now += 6 * HOUR - 1;
    expect(await home.run()).toEqual([]);
    home.home.time.now += 1;
    expect(await home.run()).toEqual(["bars US B"]);
  });

  test("does not try a whole list against a blocked source", async () => {
    using home = openCompanies();
    home.list("US", { A: 9, B: 8, C: 7 });
    const works = home.dividends.respond;
    home.dividends.respond = failing("payer", "not_asked", "it is blocked after failures", 9_000);
    const fetched = await home.run();
    expect(fetched.filter((key) => key.startsWith("bars"))).toHaveLength(3);
    expect(home.dividends.queries).toHaveLength(1);
    // The block was logged when it began.
    expect(home.lines.join()).not.toContain("WARN");
    home.dividends.respond = works;
    home.home.time.now += MINUTE;
    expect(await home.run()).toEqual(["dividends US A", "dividends US B", "dividends US C"]);
  });

  test("stops between two fetches, and the rest is still due", async () => {
    using home = openCompanies();
    home.list("US", { A: 9, B: 8 });
    expect(await home.run(() => home.order.length === 2)).toEqual(["bars US A", "dividends US A"]);
    expect(await home.run()).toEqual(["statements US A", ...ALL("US B")]);
  });

  test("starts again with the largest after each minute", async () => {
    using home = openCompanies();
    home.list("US", { A: 9, B: 8, C: 7 });
    const works = home.bars.respond;
    home.bars.respond = failing("barman", "not_asked", "it is blocked after failures", 9_000);
    home.dividends.respond = ({ instrument }) => {
      home.order.push(`dividends US ${instrument?.symbol}`);
      home.home.time.now += MINUTE;
      home.bars.respond = works;
      return [{ country: "US", symbol: instrument?.symbol ?? "", dividends: [] }];
    };
    expect(await home.run()).toEqual([
      "dividends US A",
      "bars US A",
      "statements US A",
      "bars US B",
      "dividends US B",
      "statements US B",
      "bars US C",
      "dividends US C",
      "statements US C",
    ]);
  });

  test("as a single run tries nothing twice, however long it takes, and reports the progress", async () => {
    using home = openCompanies();
    home.list("US", { A: 9, B: 8, C: 7 });
    const outcomes: string[] = [];
    home.bars.respond = () => {
      home.home.time.now += 2 * MINUTE;
      return failing("barman", "invalid_answer")();
    };
    await home.schedule.run({
      stopped: () => false,
      triesOnce: true,
      onOutcome: ({ kind, symbol }, place, of) => outcomes.push(`${place}/${of} ${kind} ${symbol}`),
    });
    expect(home.bars.queries.map(({ instrument }) => instrument?.symbol)).toEqual(["A", "B", "C"]);
    expect(outcomes[0]).toBe("1/9 bars A");
    expect(outcomes.at(-1)).toBe("9/9 statements C");
    expect(outcomes).toHaveLength(9);
  });

  test("stores the index P/E of the month after the companies, and not after a stop", async () => {
    using home = openCompanies({
      indexPe: async (country) => (country === "US" ? 1 + home.bars.queries.length : null),
    });
    home.list("US", { A: 9, B: 8 });
    const stored = () => home.home.market.documents.list("indexPe", null);
    await home.run(() => home.order.length === 1);
    expect(stored()).toEqual([]);
    await home.run();
    expect(stored()).toMatchObject([
      { country: "US", month: "2026-11", pe: 3, source: "computed" },
    ]);
  });

  test("does not delay other requests", async () => {
    using home = openCompanies();
    home.list("US", { A: 9, B: 8, C: 7 });
    const gate = Promise.withResolvers<undefined>();
    home.gates.set("bars US A", gate.promise);
    const running = home.run();
    await until(() => home.order.length === 1);
    // No fetch of the schedule has started yet, and none is before it.
    expect(await home.home.refresh(keyOf("bars", "C"))).toMatchObject({ records: 3, error: null });
    expect(home.order).toEqual(["bars US A", "bars US C"]);
    gate.resolve(undefined);
    expect((await running).filter((key) => key === "bars US C")).toHaveLength(1);
  });

  test("does not delay the keys of whole countries", async () => {
    const calls: string[] = [];
    const calendar = fakeFetcher(
      "keeper",
      "calendarEvents",
      () => {
        calls.push("calendarEvents");
        return [];
      },
      { scope: "country" },
    );
    const bars = fakeFetcher("keeper", "bars", ({ instrument }) => {
      calls.push(`bars ${instrument?.symbol}`);
      home.time.now += 2 * HOUR;
      return [{ country: "US", symbol: instrument?.symbol ?? "", bars: barsFrom("2026-11-20", 1) }];
    });
    using home = openRefresher([calendar, bars]);
    home.list(stock("US", "A"), stock("US", "B"), stock("US", "C"));
    const { schedule } = createSchedule(home);
    await schedule.run({ stopped: () => false });
    // The calendar is due every three hours.
    expect(calls).toEqual(["calendarEvents", "bars A", "bars B", "calendarEvents", "bars C"]);
  });
});

test("splits that quotes show are fetched first, also of companies below the largest ones", async () => {
  const order: string[] = [];
  const noting =
    <T extends object>(kind: string, record: T) =>
    ({ country, instrument }: LiveQuery) => {
      const symbol = instrument?.symbol ?? "";
      order.push(`${kind} ${symbol}`);
      return [{ country, symbol, ...record }];
    };
  const splits = fakeFetcher("keeper", "splits", noting("splits", { splits: [] }), ofEach);
  const paid = fakeFetcher("keeper", "dividends", noting("dividends", { dividends: [] }), ofEach);
  using home = openRefresher([splits, paid]);
  const { schedule } = createSchedule(home, {
    largest: 1,
    listUnknownSplits: (country) => (country === "US" ? ["SMALL"] : []),
  });
  home.list(
    stock("US", "LARGE", { sharesOutstanding: 1e9 }),
    stock("US", "SMALL", { sharesOutstanding: 1 }),
  );
  home.market.put("quotes", [quote("LARGE", 10), quote("SMALL", 10)], {
    source: "quoter",
    storedAt: home.time.now,
  });
  await schedule.run({ stopped: () => false });
  expect(order).toEqual(["splits SMALL", "dividends LARGE", "splits LARGE"]);
});
