import { Database } from "bun:sqlite";
import { describe, expect, test, spyOn } from "bun:test";
import { BourseError } from "#domain/errors.ts";
import { join } from "node:path";
import type { CalendarEvent } from "#domain/calendar-event.ts";
import type { MacroSeries } from "#domain/macro.ts";
import { type Statement, StatementItems } from "#domain/statement.ts";
import { nameOf } from "#ingest/due-keys.ts";
import { reasonOf } from "#lib/reason.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { Throttle } from "#lib/throttle.ts";
import type { LiveQuery } from "#sources/fetcher.ts";
import { SourceError } from "#sources/source.ts";
import { calendarEvent, macroSeries } from "../support/contract-market.ts";
import { stock, listInstruments, listResults } from "../support/market.ts";
import {
  barsFrom,
  EVENING,
  failing,
  keyOf,
  type FakeFetcher,
  fakeFetcher,
  openRefresher,
  quote,
} from "../support/refresher.ts";
import { playedSource, until } from "../support/upstream.ts";

const DAY = 86_400_000;
const AAPL = stock("US", "AAPL");
const NOTHING_DONE = { source: null, records: 0, error: null };
const ofCountry = { scope: "country" } as const;

describe("a refresh", () => {
  test("stores the source's records with its name and the time, and is not due again", async () => {
    const fetcher = fakeFetcher("alpha", "quotes", () => [quote("AAPL", 200)]);
    using home = openRefresher([fetcher]);
    home.list(AAPL);
    const key = keyOf("quotes", "AAPL");
    expect(home.refresher.isDue(key)).toBe(true);
    expect(await home.refresh(key)).toEqual({ source: "alpha", records: 1, error: null });
    expect(home.market.documents.find("quotes", "US", "AAPL")).toEqual({
      ...quote("AAPL", 200),
      source: "alpha",
      storedAt: EVENING,
    });
    expect(home.refresher.isDue(key)).toBe(false);
    expect(await home.refresh(key)).toEqual(NOTHING_DONE);
    expect(fetcher.queries).toHaveLength(1);
  });

  test("stores new quotes while a session is open, and the closing price after it", async () => {
    const prices = [201, 202, 203];
    const respond = () => [quote("AAPL", prices.shift() ?? 0)];
    const one = fakeFetcher("alpha", "quotes", respond);
    const all = fakeFetcher("beta", "quotes", () => [quote("AAPL", 200)], ofCountry);
    using home = openRefresher([one, all]);
    home.list(AAPL);
    const [ofAapl, ofAll] = [keyOf("quotes", "AAPL"), keyOf("quotes", null)];
    const dueAt = async (time: string) => {
      home.time.now = Date.parse(`2026-11-20T${time}Z`);
      const due = [home.refresher.isDue(ofAapl), home.refresher.isDue(ofAll)];
      for (const key of [ofAll, ofAapl]) await home.refresh(key);
      return due;
    };
    expect(await dueAt("15:00")).toEqual([true, true]);
    expect(await dueAt("15:14")).toEqual([false, false]);
    expect(await dueAt("15:15")).toEqual([true, false]);
    // The quotes of the whole country may be an hour old.
    expect(await dueAt("22:00")).toEqual([true, true]);
    expect(home.market.documents.find("quotes", "US", "AAPL")?.price).toBe(203);
    expect(await dueAt("23:59")).toEqual([false, false]);
  });

  test("gives the fetcher the time, the country and the stored instrument", async () => {
    const one = fakeFetcher("alpha", "quotes", () => [quote("AAPL", 200)]);
    const all = fakeFetcher("alpha", "macroSeries", () => [], {
      ...ofCountry,
      countries: ["JP", "VN"],
    });
    using home = openRefresher([one, all]);
    home.list(AAPL);
    await home.refresh(keyOf("quotes", "AAPL"));
    await home.refresh(keyOf("macroSeries", null, "JP"));
    const any = expect.any(Function);
    const common = {
      now: EVENING,
      after: null,
      holidayOverrides: [],
      splitsOf: any,
      filingsOf: any,
    };
    expect(one.queries).toEqual([{ ...common, country: "US", instrument: AAPL }]);
    expect(all.queries).toEqual([{ ...common, country: "JP", instrument: null }]);
  });

  test("gives the fetcher the stored splits of the country's instruments; null if unknown", async () => {
    const fetcher = fakeFetcher("alpha", "statements", () => []);
    using home = openRefresher([fetcher]);
    home.list(AAPL);
    const splits = [{ exDate: "2020-08-31", numerator: 4, denominator: 1 }];
    const provenance = { source: "import", storedAt: 1 };
    home.market.put("splits", [{ country: "US", symbol: "AAPL", splits }], provenance);
    await home.refresh(keyOf("statements", "AAPL"));
    const [query] = fetcher.queries;
    expect(query?.splitsOf?.("AAPL")).toEqual(splits);
    expect(query?.splitsOf?.("MSFT")).toBeNull();
  });

  test("stores what the answer has of other kinds as if it was fetched on its own", async () => {
    const events = fakeFetcher("alpha", "splits", () => []);
    const splits = [{ exDate: "2020-08-31", numerator: 4, denominator: 1 }];
    const history = { country: "US", symbol: "AAPL", splits } as const;
    const bars = {
      ...fakeFetcher("alpha", "bars", () => [
        { country: "US", symbol: "AAPL", bars: barsFrom("2026-11-19", 9) },
      ]),
      others: () => [{ kind: "splits" as const, records: [history] }],
    };
    using home = openRefresher([bars, events]);
    home.list(AAPL);
    const outcome = await home.refresh(keyOf("bars", "AAPL"));
    expect(outcome).toMatchObject({ records: 1, error: null });
    expect(home.market.documents.find("splits", "US", "AAPL")).toMatchObject(history);
    await home.refresh(keyOf("splits", "AAPL"));
    expect(events.queries).toEqual([]);
  });

  test("gives the fetcher the country's holiday overrides", async () => {
    const fetcher = fakeFetcher("alpha", "macroSeries", () => [], {
      ...ofCountry,
      countries: ["JP"],
    });
    using home = openRefresher([fetcher]);
    const closed = { date: "2026-11-24", name: "Decreed", closed: true };
    home.market.transaction(() =>
      home.market.put(
        "holidayOverrides",
        [
          { ...closed, country: "JP" },
          { ...closed, country: "VN" },
        ],
        { source: "import", storedAt: 1 },
      ),
    );
    await home.refresh(keyOf("macroSeries", null, "JP"));
    expect(fetcher.queries[0]?.holidayOverrides).toMatchObject([{ ...closed, country: "JP" }]);
  });

  test("is due again only when its kind is", async () => {
    const fetcher = fakeFetcher("alpha", "macroSeries", () => [], ofCountry);
    using home = openRefresher([fetcher]);
    const key = keyOf("macroSeries");
    await home.refresh(key);
    home.time.now += DAY - 1;
    await home.refresh(key);
    expect(fetcher.queries).toHaveLength(1);
    home.time.now += 1;
    await home.refresh(key);
    expect(fetcher.queries).toHaveLength(2);
  });

  test("is not due if no source has the kind, the country or the scope", async () => {
    const fetcher = fakeFetcher("alpha", "quotes", () => []);
    using home = openRefresher([fetcher]);
    home.list(AAPL, stock("JP", "7203"));
    for (const key of [
      keyOf("dividends", "AAPL"),
      keyOf("quotes", "7203", "JP"),
      keyOf("quotes"),
    ]) {
      expect(home.refresher.isDue(key)).toBe(false);
      expect(home.refresher.wasNeverFetched(key)).toBe(false);
      expect(await home.refresh(key)).toEqual(NOTHING_DONE);
    }
    expect(fetcher.queries).toEqual([]);
  });

  test("of a symbol that is not listed calls no source", async () => {
    const fetcher = fakeFetcher("alpha", "quotes", () => []);
    using home = openRefresher([fetcher]);
    const key = keyOf("quotes", "NOPE");
    expect(home.refresher.isDue(key)).toBe(false);
    expect(await home.refresh(key)).toEqual(NOTHING_DONE);
    home.list(stock("US", "NOPE"));
    expect(home.refresher.isDue(key)).toBe(true);
  });

  test("is one fetch with one outcome for a hundred concurrent callers", async () => {
    const gate = Promise.withResolvers<undefined>();
    const fetcher = fakeFetcher("alpha", "quotes", async () => {
      await gate.promise;
      return [quote("AAPL", 200)];
    });
    using home = openRefresher([fetcher]);
    home.list(AAPL, stock("US", "MSFT"));
    const asking = Array.from({ length: 100 }, () =>
      home.refresher.refresh(keyOf("quotes", "AAPL")),
    );
    const other = home.refresher.refresh(keyOf("quotes", "MSFT"));
    gate.resolve(undefined);
    expect(new Set(await Promise.all(asking)).size).toBe(1);
    await other;
    expect(fetcher.queries.map(({ instrument }) => instrument?.symbol)).toEqual(["AAPL", "MSFT"]);
  });

  test("keeps its records across a restart", async () => {
    const fetcher = fakeFetcher("alpha", "quotes", () => [quote("AAPL", 200)]);
    using home = openRefresher([fetcher]);
    home.list(AAPL);
    await home.refresh(keyOf("quotes", "AAPL"));
    expect(home.market.fetches.findLastSuccess("alpha", keyOf("quotes", "AAPL"))).toBe(EVENING);
  });
});

describe("of several sources", () => {
  const three = () => {
    const a = fakeFetcher("alpha", "quotes", () => [quote("AAPL", 1)]);
    const b = fakeFetcher("beta", "quotes", () => [quote("AAPL", 2)]);
    const c = fakeFetcher("gamma", "quotes", () => [quote("AAPL", 3)]);
    const home = openRefresher([a, b, c]);
    home.list(AAPL);
    const calls = () => [a.queries.length, b.queries.length, c.queries.length];
    return { a, b, c, home, calls, key: keyOf("quotes", "AAPL") };
  };

  test("the first is enough", async () => {
    const { home, calls, key } = three();
    using _ = home;
    expect(await home.refresh(key)).toEqual({ source: "alpha", records: 1, error: null });
    expect(calls()).toEqual([1, 0, 0]);
  });

  test("the next is called if one fails or has nothing, and the key is then fresh", async () => {
    const { a, b, home, calls, key } = three();
    using _ = home;
    a.respond = failing("alpha", "unreachable");
    b.respond = failing("beta", "nothing", "it knows no AAPL");
    expect(await home.refresh(key)).toEqual({ source: "gamma", records: 1, error: null });
    expect(calls()).toEqual([1, 1, 1]);
    expect(home.refresher.isDue(key)).toBe(false);
    expect(home.market.documents.find("quotes", "US", "AAPL")).toMatchObject({
      price: 3,
      source: "gamma",
    });
    expect(await listResults(home.market)).toEqual([
      {
        source: "alpha",
        lastSuccessAt: null,
        lastErrorAt: EVENING,
        lastError: "alpha: HTTP 500",
        faulty: 0,
      },
      { source: "gamma", lastSuccessAt: EVENING, lastErrorAt: null, lastError: null, faulty: 0 },
    ]);
  });

  test("the preferred one is used again when it works", async () => {
    const { a, home, key } = three();
    using _ = home;
    const works = a.respond;
    a.respond = failing("alpha", "unreachable");
    await home.refresh(key);
    a.respond = works;
    home.time.now += 4 * DAY;
    expect((await home.refresh(key)).source).toBe("alpha");
    expect(home.market.documents.find("quotes", "US", "AAPL")).toMatchObject({ source: "alpha" });
  });

  test("if all have nothing, that is an answer and stays valid as long as records", async () => {
    const { a, b, c, home, calls, key } = three();
    using _ = home;
    a.respond = failing("alpha", "nothing");
    b.respond = failing("beta", "nothing");
    c.respond = failing("gamma", "nothing");
    expect(await home.refresh(key)).toEqual({ source: "gamma", records: 0, error: null });
    expect(home.refresher.isDue(key)).toBe(false);
    expect(home.refresher.wasNeverFetched(key)).toBe(false);
    home.time.now += DAY;
    await home.refresh(key);
    expect(calls()).toEqual([1, 1, 1]);
    expect(home.logLines).toEqual([]);
  });

  test("if all fail, the error has every reason, and old data stays", async () => {
    const { a, b, c, home, key } = three();
    using _ = home;
    await home.refresh(key);
    home.time.now += 4 * DAY;
    a.respond = failing("alpha", "unreachable");
    b.respond = failing("beta", "invalid_answer", "the answer is not JSON");
    c.respond = failing("gamma", "not_asked", "it is blocked after failures", 60_000);
    expect(await home.refresh(key)).toEqual({
      source: null,
      records: 0,
      error: "alpha: HTTP 500; beta: the answer is not JSON; gamma: it is blocked after failures",
    });
    expect(home.market.documents.find("quotes", "US", "AAPL")).toMatchObject({
      price: 1,
      storedAt: EVENING,
    });
    expect(home.refresher.isDue(key)).toBe(true);
    expect(home.refresher.wasNeverFetched(key)).toBe(false);
  });

  test("a failure everywhere is remembered for a minute, then tried again", async () => {
    const { a, b, c, home, calls, key } = three();
    using _ = home;
    const works = a.respond;
    for (const one of [a, b, c]) one.respond = failing(one.source.name, "unreachable");
    const first = await home.refresh(key);
    a.respond = works;
    home.time.now += 59_999;
    expect(await home.refresh(key)).toEqual(first);
    expect(calls()).toEqual([1, 1, 1]);
    expect(home.refresher.wasNeverFetched(key)).toBe(true);
    home.time.now += 1;
    expect(await home.refresh(key)).toMatchObject({ source: "alpha", error: null });
    expect(home.refresher.isDue(key)).toBe(false);
  });

  test("a clock that steps back does not prolong a failure", async () => {
    const { a, b, c, home, calls, key } = three();
    using _ = home;
    for (const one of [a, b, c]) one.respond = failing(one.source.name, "unreachable");
    await home.refresh(key);
    home.time.now -= 60_000;
    await home.refresh(key);
    expect(calls()).toEqual([2, 2, 2]);
  });

  test("if one fails and the others have nothing, that is not an answer: the failed one may have records", async () => {
    const { a, b, c, home, key } = three();
    using _ = home;
    a.respond = failing("alpha", "nothing", "it knows no AAPL");
    b.respond = failing("beta", "unreachable");
    c.respond = failing("gamma", "nothing", "nor does it");
    expect((await home.refresh(key)).error).toBe("beta: HTTP 500");
    expect(home.refresher.isDue(key)).toBe(true);
  });

  test("a source that is not configured is skipped, without a failure", async () => {
    const { a, b, c, home, key } = three();
    using _ = home;
    a.respond = failing("alpha", "not_asked", "it needs a key: set ALPHA_KEY");
    b.respond = failing("beta", "nothing");
    c.respond = failing("gamma", "nothing");
    expect(await home.refresh(key)).toEqual({ source: "gamma", records: 0, error: null });
    expect(home.refresher.isDue(key)).toBe(false);
    expect(home.logLines).toEqual([]);
    expect((await listResults(home.market)).map(({ source }) => source)).toEqual(["gamma"]);
  });

  test("if none is configured, the outcome says what to set", async () => {
    const fetcher = fakeFetcher(
      "alpha",
      "quotes",
      failing("alpha", "not_asked", "it needs a key: set ALPHA_KEY"),
    );
    using home = openRefresher([fetcher]);
    home.list(AAPL);
    expect(await home.refresh(keyOf("quotes", "AAPL"))).toEqual({
      source: null,
      records: 0,
      error: "alpha: it needs a key: set ALPHA_KEY",
    });
    expect(await listResults(home.market)).toEqual([]);
  });

  test("those that are switched off are not called", async () => {
    const a = fakeFetcher("alpha", "quotes", () => [quote("AAPL", 1)]);
    const b = fakeFetcher("beta", "quotes", () => [quote("AAPL", 2)]);
    const c = fakeFetcher("alpha", "macroSeries", () => [], ofCountry);
    using home = openRefresher([a, b, c], ["alpha"]);
    home.list(AAPL);
    expect((await home.refresh(keyOf("quotes", "AAPL"))).source).toBe("beta");
    expect(home.refresher.isDue(keyOf("macroSeries"))).toBe(false);
    expect(home.refresher.wasNeverFetched(keyOf("macroSeries"))).toBe(false);
    expect([a.queries, c.queries]).toEqual([[], []]);
  });
});

describe("the requests of one source", () => {
  test("go to a caller that waits first, then to lists, then to companies", async () => {
    // One request at a time. The first one waits for the gate.
    const throttle = new Throttle({
      intervalMs: 0,
      concurrency: 1,
      clock: () => 0,
      sleep: async () => {},
    });
    const gate = Promise.withResolvers<undefined>();
    const order: string[] = [];
    const request = (name: string) =>
      throttle.run(async () => {
        order.push(name);
        await gate.promise;
        return [];
      });
    const ofCompany = fakeFetcher("alpha", "dividends", ({ instrument }) =>
      request(instrument?.symbol ?? ""),
    );
    const closes = fakeFetcher("alpha", "recentCloses", () => request("closes"), ofCountry);
    const events = fakeFetcher("alpha", "calendarEvents", () => request("events"), ofCountry);
    const quotes = fakeFetcher("alpha", "quotes", () => request("quotes"), ofCountry);
    using home = openRefresher([ofCompany, closes, events, quotes]);
    home.list(...["A", "B", "C", "D"].map((symbol) => stock("US", symbol)));
    const ask = (key: Parameters<typeof home.refresher.refresh>[0], probe = false) =>
      home.refresher.refresh(key, { probe });
    const all = [
      ask(keyOf("dividends", "A")),
      ask(keyOf("dividends", "B")),
      ask(keyOf("dividends", "C")),
      // A caller that waits does not make hundreds of requests urgent.
      ask(keyOf("recentCloses"), true),
      ask(keyOf("calendarEvents")),
      ask(keyOf("quotes"), true),
      ask(keyOf("dividends", "D"), true),
      // This one joins the fetch that is under way.
      ask(keyOf("dividends", "C"), true),
    ];
    await until(() => order.length > 0);
    gate.resolve(undefined);
    await Promise.all(all);
    expect(order[0]).toBe("A");
    expect(order.slice(1, 4).toSorted()).toEqual(["C", "D", "quotes"]);
    expect(order.slice(4, 6).toSorted()).toEqual(["closes", "events"]);
    expect(order.slice(6)).toEqual(["B"]);
  });
});

describe("a record from a better source", () => {
  const two = () => {
    const a = fakeFetcher("alpha", "dividends", () => [dividends("AAPL", "2026-05-01")]);
    const b = fakeFetcher("beta", "dividends", () => [dividends("AAPL", "2020-01-01")]);
    const home = openRefresher([a, b]);
    home.list(AAPL);
    return { a, b, home, key: keyOf("dividends", "AAPL") };
  };
  const dividends = (symbol: string, exDate: string) => ({
    country: "US" as const,
    symbol,
    dividends: [{ exDate, amount: 1 }],
  });

  test.each([
    ["fails", "unreachable"],
    ["has nothing any more", "nothing"],
    ["is not set up any more", "not_asked"],
  ] as const)("stays if the source %s; the worse source is not called", async (_, fault) => {
    const { a, b, home, key } = two();
    using _home = home;
    await home.refresh(key);
    home.time.now += 4 * DAY;
    a.respond = failing("alpha", fault, "why");
    await home.refresh(key);
    expect(b.queries).toHaveLength(0);
    expect(home.market.documents.find("dividends", "US", "AAPL")).toMatchObject({
      source: "alpha",
      dividends: [{ exDate: "2026-05-01" }],
    });
  });
});

describe("records of a worse source during an outage of the better one", () => {
  const MINUTE = 60_000;

  const paid = (symbol: string) => ({ country: "US" as const, symbol, dividends: [] });

  function openOutage(kind: "dividends" | "quotes" = "dividends") {
    const a = fakeFetcher("alpha", kind, failing("alpha", "unreachable"));
    const b = fakeFetcher("beta", kind, () => []);
    b.respond = ({ instrument }) => {
      const { symbol = "" } = instrument ?? {};
      return [kind === "quotes" ? quote(symbol, 9) : paid(symbol)];
    };
    const home = openRefresher([a, b]);
    home.list(AAPL, stock("US", "MSFT"), stock("US", "NVDA"));
    return { a, home };
  }

  test("are due again once the better one answers, not a day later", async () => {
    const { a, home } = openOutage();
    using _ = home;
    const key = keyOf("dividends", "AAPL");
    expect(await home.refresh(key)).toMatchObject({ source: "beta" });
    home.time.now += 5 * MINUTE;
    expect(home.refresher.isDue(key)).toBe(false);
    a.respond = () => [paid("MSFT")];
    await home.refresh(keyOf("dividends", "MSFT"));
    expect([home.refresher.isDue(key), home.refresher.wasNeverFetched(key)]).toEqual([true, false]);
    a.respond = () => [paid("AAPL")];
    home.time.now += 1;
    expect(await home.refresh(key)).toMatchObject({ source: "alpha" });
    expect(home.refresher.isDue(key)).toBe(false);
  });

  test("stay for their time if they were fetched before or after it, and if they are prices", async () => {
    const { a, home } = openOutage();
    using _ = home;
    a.respond = failing("alpha", "nothing");
    await home.refresh(keyOf("dividends", "AAPL"));
    a.respond = failing("alpha", "unreachable");
    home.time.now += MINUTE;
    await home.refresh(keyOf("dividends", "MSFT"));
    home.time.now += 5 * MINUTE;
    a.respond = failing("alpha", "nothing");
    await home.refresh(keyOf("dividends", "NVDA"));
    const isDue = (symbol: string) => home.refresher.isDue(keyOf("dividends", symbol));
    expect(["AAPL", "MSFT", "NVDA"].map(isDue)).toEqual([false, true, false]);

    const prices = openOutage("quotes");
    using __ = prices.home;
    await prices.home.refresh(keyOf("quotes", "AAPL"));
    prices.home.time.now += 5 * MINUTE;
    prices.a.respond = () => [quote("MSFT", 9)];
    await prices.home.refresh(keyOf("quotes", "MSFT"));
    expect(prices.home.refresher.isDue(keyOf("quotes", "AAPL"))).toBe(false);
  });
});

describe("a source that never had records", () => {
  test("does not stop the next source", async () => {
    const a = fakeFetcher("alpha", "dividends", failing("alpha", "nothing"));
    const b = fakeFetcher("beta", "dividends", failing("beta", "not_asked", "it needs a key"));
    using home = openRefresher([a, b]);
    home.list(AAPL);
    const key = keyOf("dividends", "AAPL");
    expect((await home.refresh(key)).source).toBe("alpha");
    home.time.now += 4 * DAY;
    b.respond = () => [{ country: "US", symbol: "AAPL", dividends: [] }];
    expect((await home.refresh(key)).source).toBe("beta");
  });
});

describe("the list of a country that is not found", () => {
  test("has moved: that is a failure, which is logged and retried", async () => {
    const a = fakeFetcher("alpha", "instruments", failing("alpha", "nothing", "HTTP 404"), {
      scope: "country",
    });
    using home = openRefresher([a]);
    const key = { kind: "instruments", country: "US", symbol: null } as const;
    expect(await home.refresh(key)).toEqual({ source: null, records: 0, error: "alpha: HTTP 404" });
    expect(home.refresher.isDue(key)).toBe(true);
    expect(home.refresher.wasNeverFetched(key)).toBe(true);
    expect(await listResults(home.market)).toMatchObject([{ lastError: "alpha: HTTP 404" }]);
  });
});

test("what an answer lacks is stored with it, and is no bad record", async () => {
  const missing = [{ what: "Prices of MSFT", why: "no" }];
  const fetcher = {
    ...fakeFetcher("alpha", "quotes", () => [], { scope: "country" }),
    transform: () => [quote("AAPL", 1)],
    lacks: () => missing,
  };
  using home = openRefresher([fetcher]);
  home.list(AAPL);
  const key = { kind: "quotes", country: "US", symbol: null } as const;
  expect(await home.refresh(key)).toEqual({ source: "alpha", records: 1, error: null });
  expect(home.market.fetches.listLacks(key)).toEqual([
    { source: "alpha", parts: missing, error: null },
  ]);
  expect(await listResults(home.market)).toMatchObject([{ lastError: null, faulty: 0 }]);
});

describe("a blocked source", () => {
  test("is still blocked in the next process", async () => {
    const fetcher = fakeFetcher("alpha", "quotes", failing("alpha", "unreachable"));
    using home = openRefresher([fetcher]);
    home.list(AAPL);
    await home.refresh(keyOf("quotes", "AAPL"));
    expect(home.market.fetches.blockedUntil("alpha")).toBe(0);
    home.blockedUntil.set("alpha", home.time.now + 5 * 60_000);
    home.time.now += 60_000;
    await home.refresh(keyOf("quotes", "AAPL"));
    expect(home.market.fetches.blockedUntil("alpha")).toBe(EVENING + 5 * 60_000);
  });

  test("with one blocked part is tried for that part when its block ends", async () => {
    const part = fakeFetcher(
      "alpha",
      "quotes",
      failing("alpha", "not_asked", "blocked", 15 * 60_000),
    );
    using home = openRefresher([part]);
    home.list(AAPL);
    expect(await home.refresher.refresh(keyOf("quotes", "AAPL"))).toMatchObject({
      retryAt: EVENING + 15 * 60_000,
    });
  });

  test("is not called, as the outcome says, and neither is one that is not configured", async () => {
    const alone = fakeFetcher("alpha", "quotes", failing("alpha", "not_asked", "blocked", 1_000));
    const notSetUp = fakeFetcher("beta", "quotes", failing("beta", "not_asked", "set a key"));
    const works = fakeFetcher("gamma", "quotes", () => [quote("AAPL", 1)]);
    for (const [fetchers, calledSource] of [
      [[alone, notSetUp], false],
      [[alone, notSetUp, works], true],
      [[fakeFetcher("delta", "quotes", failing("delta", "unreachable"))], true],
    ] as const) {
      using home = openRefresher(fetchers);
      home.list(AAPL);
      expect(await home.refresher.refresh(keyOf("quotes", "AAPL"))).toMatchObject({
        calledSource,
      });
    }
  });
});

describe("a source that complements others", () => {
  const series = (id: string, value: number) => macroSeries("US", "prices", id, [1, value]);
  const listing = () => {
    const main = fakeFetcher("main", "instruments", () => [AAPL], ofCountry);
    const extra = fakeFetcher("extra", "instruments", () => [stock("US", "^GSPC")], {
      ...ofCountry,
      complements: true,
    });
    const home = openRefresher([extra, main]);
    return { main, extra, home, key: keyOf("instruments") };
  };

  test("is called in addition, whether they give records or not", async () => {
    const { main, home, key } = listing();
    using _ = home;
    expect(await home.refresh(key)).toEqual({ source: "main, extra", records: 2, error: null });
    home.time.now += DAY;
    main.respond = failing("main", "nothing");
    expect(await home.refresh(key)).toEqual({
      source: "extra",
      records: 1,
      // A list of a whole country that is not there has moved.
      error: "main: HTTP 500",
    });
  });

  test("does not replace them: their failed key is still due, and it is not called again", async () => {
    const { main, extra, home, key } = listing();
    using _ = home;
    const works = main.respond;
    main.respond = failing("main", "unreachable");
    expect(await home.refresh(key)).toEqual({
      source: "extra",
      records: 1,
      error: "main: HTTP 500",
    });
    expect(listInstruments(home.market, "US").map(({ symbol }) => symbol)).toEqual(["^GSPC"]);
    expect(home.refresher.isDue(key)).toBe(true);
    expect(home.refresher.wasNeverFetched(key)).toBe(true);

    main.respond = works;
    home.time.now += 60_000;
    expect(await home.refresh(key)).toEqual({ source: "main", records: 1, error: null });
    expect([main.queries.length, extra.queries.length]).toEqual([2, 1]);
    expect(home.refresher.wasNeverFetched(key)).toBe(false);
  });

  test("fails alone: the others are fresh, it is still due and called again after a minute", async () => {
    const { main, extra, home, key } = listing();
    using _ = home;
    const works = extra.respond;
    extra.respond = failing("extra", "unreachable");
    const first = await home.refresh(key);
    expect(first).toEqual({ source: "main", records: 1, error: "extra: HTTP 500" });
    expect(await home.refresh(key)).toEqual(first);
    extra.respond = works;
    home.time.now += 60_000;
    expect(await home.refresh(key)).toEqual({ source: "extra", records: 1, error: null });
    expect([main.queries.length, extra.queries.length]).toEqual([1, 2]);
  });

  test("needs no other: each of several gives its own records and is due separately", async () => {
    const a = fakeFetcher("alpha", "macroSeries", () => [series("cpi", 2)], {
      ...ofCountry,
      complements: true,
    });
    const b = fakeFetcher("beta", "macroSeries", failing("beta", "unreachable"), {
      ...ofCountry,
      complements: true,
    });
    using home = openRefresher([a, b]);
    const key = keyOf("macroSeries");
    expect(await home.refresh(key)).toEqual({
      source: "alpha",
      records: 1,
      error: "beta: HTTP 500",
    });
    expect(home.refresher.wasNeverFetched(key)).toBe(false);
    b.respond = () => [series("gdp", 3)];
    home.time.now += 60_000;
    expect((await home.refresh(key)).source).toBe("beta");
    expect(home.market.documents.list("macroSeries", "US").map(({ id }) => id)).toEqual([
      "cpi",
      "gdp",
    ]);
    expect(home.refresher.isDue(key)).toBe(false);
  });

  test("waits for no other: its records are stored while another one hangs", async () => {
    const hanging = Promise.withResolvers<never[]>();
    const extra = { ...ofCountry, complements: true } as const;
    const a = fakeFetcher("alpha", "macroSeries", () => hanging.promise, extra);
    const b = fakeFetcher("beta", "macroSeries", () => [series("gdp", 3)], extra);
    using home = openRefresher([a, b]);
    const whole = home.refresh(keyOf("macroSeries"));
    await until(() => home.market.documents.list("macroSeries", "US").length > 0);
    hanging.resolve([]);
    expect(await whole).toEqual({ source: "alpha, beta", records: 1, error: null });
  });

  test("may be partial: records that are missing stay", async () => {
    const a = fakeFetcher("alpha", "macroSeries", () => [series("cpi", 2), series("gdp", 3)], {
      ...ofCountry,
      complements: true,
    });
    using home = openRefresher([a]);
    await home.refresh(keyOf("macroSeries"));
    a.respond = () => [series("gdp", 4)];
    home.time.now += DAY;
    await home.refresh(keyOf("macroSeries"));
    expect(
      home.market.documents
        .list("macroSeries", "US")
        .map(({ id, observations }) => [id, observations.at(-1)?.value]),
    ).toEqual([
      ["cpi", 2],
      ["gdp", 4],
    ]);
  });
});

describe("an answer in another form", () => {
  const event = (id: string, change: Partial<CalendarEvent> = {}) => ({
    ...calendarEvent("US", "2026-11-24", "13:30", "high"),
    id,
    ...change,
  });
  const open = () => {
    const fetcher = fakeFetcher(
      "alpha",
      "calendarEvents",
      () => [event("a"), event("b")],
      ofCountry,
    );
    const home = openRefresher([fetcher]);
    const ids = () => home.market.documents.list("calendarEvents", "US").map(({ id }) => id);
    return { fetcher, home, ids, key: keyOf("calendarEvents") };
  };

  test("is rejected whole and logged with record and path, and the old data stays", async () => {
    const { fetcher, home, ids, key } = open();
    using _ = home;
    await home.refresh(key);
    home.time.now += DAY;
    fetcher.respond = () => [event("c"), event("d", { time: "half past one" })];
    const { error } = await home.refresh(key);
    expect(error).toStartWith(
      "Record 2 of calendarEvents (US, d, 2026-11-24) is refused at /time: ",
    );
    expect(ids()).toEqual(["a", "b"]);
    expect(home.logLines).toEqual([
      {
        time: "2026-11-21T22:30:00.000Z",
        level: "warn",
        message: "a source failed",
        source: "alpha",
        kind: "calendarEvents",
        country: "US",
        reason: error,
      },
    ]);
    expect(await listResults(home.market)).toEqual([
      {
        source: "alpha",
        lastSuccessAt: EVENING,
        lastErrorAt: EVENING + DAY,
        lastError: error ?? "",
        faulty: 0,
      },
    ]);
    expect(home.refresher.isDue(key)).toBe(true);
  });

  test("includes a record of another type", async () => {
    const { fetcher, home, ids, key } = open();
    using _ = home;
    for (const records of [[null], ["text"], [[]], [{}]]) {
      fetcher.respond = () => records;
      expect((await home.refresh(key)).error).toMatch(/^Record 1 of calendarEvents \(nameless\)/);
      home.time.now += 60_000;
    }
    expect(ids()).toEqual([]);
  });

  test("that the transform cannot read is a failure like any other", async () => {
    const { fetcher, home, key } = open();
    using _ = home;
    fetcher.transform = () => {
      throw new TypeError("undefined is not an object");
    };
    expect((await home.refresh(key)).error).toBe("undefined is not an object");
    fetcher.transform = function* () {
      yield event("c");
      throw new SourceError("alpha", "invalid_answer", "row 2 has no date");
    };
    home.time.now += 60_000;
    expect((await home.refresh(key)).error).toBe("alpha: row 2 has no date");
    expect(home.market.documents.list("calendarEvents", "US")).toEqual([]);
  });

  test("puts no control characters and no long text into logs and tables", async () => {
    const { fetcher, home, key } = open();
    using _ = home;
    const name = `\u001b[2J${"x".repeat(5_000)}`;
    fetcher.respond = () => [{ ...event("c"), id: `line\nline ${name}`, time: 1 }];
    const { error } = await home.refresh(key);
    for (const text of [
      error,
      home.logLines[0]?.["reason"],
      (await listResults(home.market))[0]?.lastError,
    ]) {
      expect(text).toMatch(/^[^\p{Cc}]{50,300}$/u);
    }
    expect(reasonOf("a\r\nb")).toBe("a b");
    expect(reasonOf("x".repeat(300))).toBe("x".repeat(300));
    expect(reasonOf("x".repeat(301))).toBe(`${"x".repeat(299)}…`);
  });
});

describe("the answer of one refresh", () => {
  test("is stored in one transaction: a reader sees none of it or all", async () => {
    const seen: number[] = [];
    const fetcher = fakeFetcher("alpha", "macroSeries", () => [], ofCountry);
    using home = openRefresher([fetcher]);
    const count = () => home.market.documents.list("macroSeries", "US").length;
    fetcher.transform = function* () {
      for (let i = 0; i < 50; i++) {
        seen.push(count());
        yield macroSeries("US", "prices", `series-${i}`, [1, 2]) as MacroSeries;
      }
    };
    using reader = new Database(join(home.folder, "market.db"), { readonly: true });
    // SQLite's own count of commits by others.
    const commits = () => Number(reader.query("PRAGMA data_version").values()[0]?.[0]);
    const before = commits();
    await home.refresh(keyOf("macroSeries"));
    expect(new Set(seen)).toEqual(new Set([0]));
    expect(count()).toBe(50);
    // One commit: a later reader finds the records and the note of the fetch, or neither.
    expect(commits()).toBe(before + 1);
    expect(home.market.fetches.findLastSuccess("alpha", keyOf("macroSeries"))).toBe(EVENING);
  });

  test("for a whole country replaces only its own source's records of that country", async () => {
    const of = (country: "US" | "JP", id: string) => ({
      ...calendarEvent(country, "2026-11-24", "13:30", "high"),
      id,
    });
    let round = 0;
    const fetcher = fakeFetcher(
      "alpha",
      "calendarEvents",
      ({ country }) => [of(country as "US" | "JP", `${country}-${++round}`)],
      { ...ofCountry, countries: ["US", "JP"] },
    );
    using home = openRefresher([fetcher]);
    home.market.put("calendarEvents", [of("US", "other")], { source: "beta", storedAt: 1 });
    home.market.put("indexPe", [{ country: "US", month: "2026-10", pe: 28 }], {
      source: "alpha",
      storedAt: 1,
    });
    await home.refresh(keyOf("calendarEvents", null, "US"));
    await home.refresh(keyOf("calendarEvents", null, "JP"));
    home.time.now += DAY;
    await home.refresh(keyOf("calendarEvents", null, "US"));
    expect(home.market.documents.list("calendarEvents", null).map(({ id }) => id)).toEqual([
      "other",
      "JP-2",
      "US-3",
    ]);
    expect(home.market.documents.list("indexPe", "US")).toHaveLength(1);
  });

  test("for one instrument leaves those of all others", async () => {
    const fetcher = fakeFetcher("alpha", "quotes", ({ instrument }) => [
      quote(instrument?.symbol ?? "", 5),
    ]);
    using home = openRefresher([fetcher]);
    home.list(AAPL, stock("US", "MSFT"));
    await home.refresh(keyOf("quotes", "AAPL"));
    await home.refresh(keyOf("quotes", "MSFT"));
    expect(home.market.documents.list("quotes", "US").map(({ symbol }) => symbol)).toEqual([
      "AAPL",
      "MSFT",
    ]);
  });
});

test("prices are not due after a day that an imported decree closes", async () => {
  const fetcher = fakeFetcher("alpha", "quotes", () => [quote("AAPL", 200)]);
  using home = openRefresher([fetcher]);
  home.list(AAPL);
  const key = keyOf("quotes", "AAPL");
  await home.refresh(key);
  // From Friday evening to Monday evening.
  home.time.now += 3 * DAY;
  expect(home.refresher.isDue(key)).toBe(true);
  const decree = { country: "US" as const, date: "2026-11-23", name: "Storm", closed: true };
  home.market.put("holidayOverrides", [decree], { source: "import", storedAt: home.time.now });
  expect(home.refresher.isDue(key)).toBe(false);
  home.time.now += DAY;
  expect(home.refresher.isDue(key)).toBe(true);
});

describe("a source's list", () => {
  const listOf = (...symbols: string[]) => symbols.map((symbol) => stock("US", symbol));

  test("delists instruments that it no longer has: no source is called for their prices", async () => {
    const list = fakeFetcher("alpha", "instruments", () => listOf("AAPL", "TWTR"), ofCountry);
    const prices = fakeFetcher("beta", "quotes", ({ instrument }) => [
      quote(instrument?.symbol ?? "", 1),
    ]);
    using home = openRefresher([list, prices]);
    await home.refresh(keyOf("instruments"));
    home.time.now += DAY;
    list.respond = () => listOf("AAPL", "NVDA");
    await home.refresh(keyOf("instruments"));
    expect(home.market.instruments.listSymbols("US").toSorted()).toEqual(["AAPL", "NVDA"]);
    expect(home.market.instruments.find({ country: "US", symbol: "TWTR" })?.delistedAt).toBe(
      home.time.now,
    );
    expect(home.refresher.isDue(keyOf("quotes", "TWTR"))).toBe(false);
    expect(await home.refresh(keyOf("quotes", "TWTR"))).toEqual(NOTHING_DONE);
    expect(prices.queries).toEqual([]);
    expect(home.refresher.isDue(keyOf("quotes", "AAPL"))).toBe(true);
    expect(home.logLines).toMatchObject([
      { level: "info", message: "instruments were delisted", country: "US", delisted: 1 },
    ]);
  });

  test("that is suddenly short, or has a bad record, is stored with a warning in log and sources", async () => {
    const symbols = Array.from({ length: 200 }, (_, i) => `S${i}`);
    const list = fakeFetcher("alpha", "instruments", () => listOf(...symbols), ofCountry);
    using home = openRefresher([list]);
    await home.refresh(keyOf("instruments"));
    home.time.now += DAY;
    list.respond = () => listOf(...symbols.slice(0, 90));
    expect(await home.refresh(keyOf("instruments"))).toEqual({
      source: "alpha",
      records: 90,
      error: null,
    });
    const short = "The list of US is suddenly short (90 instead of 200): nothing was delisted.";
    expect(home.market.instruments.listSymbols("US")).toHaveLength(200);
    home.time.now += DAY;
    list.respond = () => listOf(...symbols.slice(0, 199), "lower case");
    await home.refresh(keyOf("instruments"));
    const bad = /^Bad records left out: 1\. Record 200 of instruments \(US, lower case/;
    expect(home.logLines).toMatchObject([
      { level: "warn", message: "an answer was stored in part", warning: short, source: "alpha" },
      { level: "warn", warning: expect.stringMatching(bad), source: "alpha" },
      { level: "info", message: "instruments were delisted", delisted: 1 },
    ]);
    expect(await listResults(home.market)).toMatchObject([
      { lastSuccessAt: home.time.now, lastError: expect.stringMatching(bad) },
    ]);
    expect(home.refresher.isDue(keyOf("instruments"))).toBe(false);
  });
});

describe("calendar events that complement others", () => {
  const on = (id: string, date: string) => ({ ...calendarEvent("US", date, "13:30", "high"), id });

  test("are removed if they are missing in an answer that covers their dates", async () => {
    const fetcher: FakeFetcher = {
      ...fakeFetcher(
        "alpha",
        "calendarEvents",
        () => [on("old", "2026-11-24"), on("later", "2026-12-24")],
        { ...ofCountry, complements: true },
      ),
      covers: () => ({ from: "2026-11-20", to: "2026-12-04" }),
    };
    using home = openRefresher([fetcher]);
    await home.refresh(keyOf("calendarEvents"));
    home.time.now += DAY / 4;
    fetcher.respond = () => [on("new", "2026-11-25")];
    await home.refresh(keyOf("calendarEvents"));
    expect(home.market.documents.list("calendarEvents", "US").map(({ id }) => id)).toEqual([
      "later",
      "new",
    ]);
  });

  test("stay if the answer covers no dates", async () => {
    const fetcher: FakeFetcher = {
      ...fakeFetcher("alpha", "calendarEvents", () => [on("old", "2026-11-24")], {
        ...ofCountry,
        complements: true,
      }),
      covers: () => null,
    };
    using home = openRefresher([fetcher]);
    await home.refresh(keyOf("calendarEvents"));
    home.time.now += DAY / 4;
    fetcher.respond = () => [on("new", "2026-11-25")];
    await home.refresh(keyOf("calendarEvents"));
    expect(home.market.documents.list("calendarEvents", "US")).toHaveLength(2);
  });

  test("are removed sixty days after their date", async () => {
    const fetcher = fakeFetcher("alpha", "calendarEvents", () => [on("one", "2026-11-20")], {
      ...ofCountry,
      complements: true,
    });
    using home = openRefresher([fetcher]);
    await home.refresh(keyOf("calendarEvents"));
    fetcher.respond = () => [on("two", "2027-01-20")];
    const ids = () => home.market.documents.list("calendarEvents", "US").map(({ id }) => id);
    // 20 November and sixty days: 19 January.
    home.time.now = Date.parse("2027-01-19T12:00:00Z");
    await home.refresh(keyOf("calendarEvents"));
    expect(ids()).toEqual(["one", "two"]);
    home.time.now = Date.parse("2027-01-20T12:00:00Z");
    await home.refresh(keyOf("calendarEvents"));
    expect(ids()).toEqual(["two"]);
  });
});

describe("an imported record", () => {
  const imported = { source: "import", storedAt: 7 };

  test("as bars is the whole history: no source is called", async () => {
    const fetcher = fakeFetcher("alpha", "bars", () => []);
    using home = openRefresher([fetcher]);
    home.list(AAPL);
    home.market.bars.replace(
      { country: "US", symbol: "AAPL", bars: barsFrom("2020-01-02", 1) },
      imported,
    );
    expect(home.refresher.isDue(keyOf("bars", "AAPL"))).toBe(false);
    expect(await home.refresh(keyOf("bars", "AAPL"))).toEqual(NOTHING_DONE);
    expect(fetcher.queries).toEqual([]);
  });

  test("as bars during a fetch stays", async () => {
    const gate = Promise.withResolvers<undefined>();
    const fetcher = fakeFetcher("alpha", "bars", async () => {
      await gate.promise;
      return [{ country: "US", symbol: "AAPL", bars: barsFrom("2026-11-19", 9, 9) }];
    });
    using home = openRefresher([fetcher]);
    home.list(AAPL);
    const refreshing = home.refresh(keyOf("bars", "AAPL"));
    home.market.bars.replace(
      { country: "US", symbol: "AAPL", bars: barsFrom("2020-01-02", 1) },
      imported,
    );
    gate.resolve(undefined);
    await refreshing;
    const id = home.market.instruments.find(AAPL)?.id ?? -1;
    expect(home.market.bars.listNewest(id, 9).map(({ close }) => close)).toEqual([1]);
  });

  test("as an instrument stays unchanged, and others of the list are fetched", async () => {
    const fetcher = fakeFetcher(
      "alpha",
      "instruments",
      () => [stock("US", "AAPL", { name: "Theirs" }), stock("US", "MSFT", { name: "Theirs" })],
      ofCountry,
    );
    using home = openRefresher([fetcher]);
    home.market.put("instruments", [stock("US", "AAPL", { name: "Ours" })], imported);
    await home.refresh(keyOf("instruments"));
    expect(listInstruments(home.market, "US").map(({ name, source }) => [name, source])).toEqual([
      ["Ours", "import"],
      ["Theirs", "alpha"],
    ]);
  });

  test("as a statement stays, and other periods are fetched", async () => {
    const statement = (fiscalQuarter: number, revenue: number): Statement => ({
      country: "US",
      symbol: "AAPL",
      span: "quarter",
      fiscalYear: 2026,
      fiscalQuarter,
      periodEnd: `2026-0${fiscalQuarter * 3}-30`,
      filedOn: "2026-11-01",
      currency: "USD",
      items: {
        ...(Object.fromEntries(
          Object.keys(StatementItems.properties).map((item) => [item, null]),
        ) as StatementItems),
        revenue,
      },
    });
    const fetcher = fakeFetcher("alpha", "statements", () => [
      statement(1, 100),
      statement(2, 200),
    ]);
    using home = openRefresher([fetcher]);
    home.list(AAPL);
    home.market.put("statements", [statement(1, 1)], imported);
    await home.refresh(keyOf("statements", "AAPL"));
    expect(
      home.market.statements.list(AAPL).map(({ items, source }) => [items.revenue, source]),
    ).toEqual([
      [1, "import"],
      [200, "alpha"],
    ]);
  });

  test("as a document stays, even if its source gives the whole country again", async () => {
    const fetcher = fakeFetcher(
      "alpha",
      "quotes",
      () => [quote("AAPL", 9), quote("MSFT", 9)],
      ofCountry,
    );
    using home = openRefresher([fetcher]);
    home.market.put("quotes", [quote("AAPL", 1)], imported);
    await home.refresh(keyOf("quotes"));
    expect(
      home.market.documents.list("quotes", "US").map(({ price, source }) => [price, source]),
    ).toEqual([
      [1, "import"],
      [9, "alpha"],
    ]);
  });
});

describe("bars", () => {
  const history = (...args: Parameters<typeof barsFrom>) => [
    { country: "US" as const, symbol: "AAPL", bars: barsFrom(...args) },
  ];
  const open = () => {
    const a = fakeFetcher("alpha", "bars", () => history("2026-11-18", 101, 102, 103));
    const b = fakeFetcher("beta", "bars", () => history("2026-11-17", 110, 120, 130, 140));
    const home = openRefresher([a, b]);
    home.list(AAPL);
    const id = home.market.instruments.find(AAPL)?.id ?? -1;
    const closes = () => [...home.market.bars.series(id, 99).close];
    return { a, b, home, closes, id, key: keyOf("bars", "AAPL") };
  };
  const afterOf = (fetcher: { queries: { after: string | null }[] }) =>
    fetcher.queries.map(({ after }) => after);

  test("newer bars are requested from the source of the stored bars, and added", async () => {
    const { a, home, closes, key } = open();
    using _ = home;
    await home.refresh(key);
    home.time.now += 3 * DAY;
    a.respond = () => history("2026-11-23", 104);
    await home.refresh(key);
    expect(afterOf(a)).toEqual([null, "2026-11-20"]);
    expect(closes()).toEqual([101, 102, 103, 104]);
  });

  test("all bars are requested from another source, and replace the stored ones", async () => {
    const { a, b, home, closes, key } = open();
    using _ = home;
    await home.refresh(key);
    home.time.now += 3 * DAY;
    a.respond = failing("alpha", "unreachable");
    await home.refresh(key);
    expect(afterOf(b)).toEqual([null]);
    expect(closes()).toEqual([110, 120, 130, 140]);
    home.time.now += DAY;
    await home.refresh(key);
    expect(afterOf(a)).toEqual([null, "2026-11-20", null]);
  });

  test("a source without a newer bar leaves the stored ones, and they are fresh", async () => {
    const { a, home, closes, id, key } = open();
    using _ = home;
    await home.refresh(key);
    home.time.now += 3 * DAY;
    a.respond = () => history("2026-11-23");
    await home.refresh(key);
    expect(closes()).toEqual([101, 102, 103]);
    expect(home.market.bars.findProvenance(id)?.storedAt).toBe(home.time.now);
    expect(home.refresher.isDue(key)).toBe(false);
  });

  test("another source without bars removes nothing", async () => {
    const { a, b, home, closes, id, key } = open();
    using _ = home;
    await home.refresh(key);
    home.time.now += 3 * DAY;
    a.respond = failing("alpha", "unreachable");
    b.respond = () => history("2026-11-17");
    await home.refresh(key);
    expect(closes()).toEqual([101, 102, 103]);
    expect(home.market.bars.findProvenance(id)?.source).toBe("alpha");
  });

  test("that are empty are not a history", async () => {
    const { a, home, id, key } = open();
    using _ = home;
    a.respond = () => history("2026-11-17");
    await home.refresh(key);
    expect(home.market.bars.findProvenance(id)).toBeNull();
    expect(home.market.holds(key)).toBe(false);
  });

  test("are the only kind for which a fetcher gets the date of the stored records", async () => {
    const fetcher = fakeFetcher("alpha", "quotes", () => [quote("AAPL", 1)]);
    using home = openRefresher([fetcher]);
    home.list(AAPL);
    await home.refresh(keyOf("quotes", "AAPL"));
    home.time.now += 3 * DAY;
    await home.refresh(keyOf("quotes", "AAPL"));
    expect(afterOf(fetcher)).toEqual([null, null]);
  });
});

describe("a stop", () => {
  test("waits for running fetches, prevents new ones, and counts as no failure", async () => {
    const gate = Promise.withResolvers<undefined>();
    const first = fakeFetcher("alpha", "quotes", async () => {
      await gate.promise;
      throw new SourceError("alpha", "not_asked", "bourse is stopping", 0);
    });
    const second = fakeFetcher("beta", "quotes", () => [quote("AAPL", 1)]);
    using home = openRefresher([first, second]);
    home.list(AAPL, stock("US", "MSFT"));
    const refreshing = home.refresh(keyOf("quotes", "AAPL"));
    let isOver = false;
    const stopping = home.refresher.stop().then(() => (isOver = true));
    await Bun.sleep(5);
    expect(isOver).toBe(false);
    gate.resolve(undefined);
    await stopping;
    expect((await refreshing).error).toContain("bourse is stopping");
    expect((await home.refresh(keyOf("quotes", "MSFT"))).error).toContain("bourse is stopping");
    expect([first.queries.length, second.queries.length]).toEqual([1, 0]);
    expect(home.logLines).toEqual([]);
    expect(await listResults(home.market)).toEqual([]);
  });
});

describe("an upcoming earnings date from the calendar of a country", () => {
  test("is not fetched again by symbol until it is past", async () => {
    const date = (day: string) => ({
      country: "US" as const,
      symbol: "AAPL",
      date: day,
      session: "not_supplied" as const,
      fiscalPeriod: null,
      epsEstimate: null,
      revenueEstimate: null,
      analysts: null,
    });
    const calendar = fakeFetcher(
      "calendar",
      "earningsDates",
      () => [date("2026-11-23")],
      ofCountry,
    );
    const single = fakeFetcher("single", "earningsDates", () => [date("2027-02-01")]);
    using home = openRefresher([calendar, single]);
    home.list(AAPL);
    const key = keyOf("earningsDates", "AAPL");
    expect(home.refresher.isDue(key)).toBe(true);
    await home.refresh(keyOf("earningsDates"));
    expect(home.refresher.isDue(key)).toBe(false);
    // The day after the report, the calendar does not have the next one.
    home.time.now += 4 * DAY;
    expect(home.refresher.isDue(key)).toBe(true);
    await home.refresh(key);
    expect(home.market.documents.find("earningsDates", "US", "AAPL")).toMatchObject({
      date: "2027-02-01",
      source: "single",
    });
    // A date from the single source is fetched again.
    home.time.now += DAY;
    expect(home.refresher.isDue(key)).toBe(true);
  });
});

describe("a store that fails", () => {
  test("does not reject: the outcome says why, and it is retried after a minute", async () => {
    const fetcher = fakeFetcher("alpha", "quotes", () => [quote("AAPL", 1)]);
    using home = openRefresher([fetcher]);
    home.list(AAPL);
    const key = keyOf("quotes", "AAPL");
    const fails = () => Promise.reject(new Error("database or disk is full"));
    const spies = [spyOn(home.market, "queueTransaction").mockImplementation(fails)];
    expect(await home.refresh(key)).toEqual({
      source: null,
      records: 0,
      error: "database or disk is full",
    });
    expect(home.logLines.map(({ level }) => level)).toEqual(["warn", "error"]);
    for (const spy of spies) spy.mockRestore();
    expect((await home.refresh(key)).error).toBe("database or disk is full");
    home.time.now += 60_000;
    expect(await home.refresh(key)).toMatchObject({ source: "alpha", error: null });
  });

  test.each([
    ["that passes by itself", { retryAfterSeconds: 1 }, "warn"],
    ["that does not", {}, "error"],
  ] as const)(
    "is not called a failure of the source: one line, for an outage %s",
    async (_, details, level) => {
      using home = openRefresher([fakeFetcher("alpha", "quotes", () => [quote("AAPL", 1)])]);
      home.list(AAPL);
      const outage = new BourseError("unavailable", "The store cannot be used.", details);
      spyOn(home.market, "queueTransaction").mockImplementation(() => Promise.reject(outage));
      expect((await home.refresh(keyOf("quotes", "AAPL"))).error).toBe("The store cannot be used.");
      expect(home.logLines).toMatchObject([{ level, message: "a refresh failed" }]);
    },
  );

  test("is waited for while another process writes, and nothing else waits", async () => {
    const fetcher = fakeFetcher("alpha", "quotes", () => [quote("AAPL", 1)]);
    using home = openRefresher([fetcher]);
    home.list(AAPL);
    const other = new Database(join(home.folder, "market.db"));
    other.run("BEGIN IMMEDIATE");
    const refreshing = home.refresh(keyOf("quotes", "AAPL"));
    // This thread runs on while the refresh waits, else it could not release the lock below.
    for (let turn = 0; turn < 1_000; turn++) await nextTurn();
    expect(home.market.holds(keyOf("quotes", "AAPL"))).toBe(false);
    other.run("COMMIT");
    other.close();
    expect(await refreshing).toEqual({ source: "alpha", records: 1, error: null });
  });

  test("and is closed during a fetch causes no error", async () => {
    const gate = Promise.withResolvers<undefined>();
    const fetcher = fakeFetcher("alpha", "quotes", async () => {
      await gate.promise;
      return [quote("AAPL", 1)];
    });
    using home = openRefresher([fetcher]);
    home.list(AAPL);
    const refreshing = home.refresh(keyOf("quotes", "AAPL"));
    home.market.close();
    gate.resolve(undefined);
    expect((await refreshing).error).not.toBeNull();
  });
});

describe("a list that is fetched in parts", () => {
  const closes = (symbol: string) => ({
    country: "US" as const,
    symbol,
    from: "2026-11-18",
    days: [0, 1],
    closes: [1, 2],
  });
  function openParts() {
    const asked: string[] = [];
    const failures = new Set<string>();
    const fetcher = fakeFetcher(
      "closer",
      "recentCloses",
      ({ listed = [] }) => {
        const [symbol = ""] = listed.map((one) => one.symbol);
        asked.push(symbol);
        if (failures.has(symbol)) failing("closer", "unreachable")();
        if (symbol === "GONE") failing("closer", "nothing", "it knows none")();
        return [closes(symbol)];
      },
      { scope: "country" },
    );
    const parts = (query: LiveQuery) =>
      (query.listed ?? []).map((one) => ({ ...query, listed: [one] }));
    const home = openRefresher([{ ...fetcher, parts }]);
    const key = keyOf("recentCloses");
    const stored = () =>
      home.market.documents.list("recentCloses", "US").map(({ symbol }) => symbol);
    return { home, key, asked, failures, stored, [Symbol.dispose]: () => home[Symbol.dispose]() };
  }

  test("of reports continues from the newest stored day, and companies wait until it is whole", async () => {
    const asked: unknown[] = [];
    let fails = true;
    const filing = (id: string, filedOn: string) =>
      ({ id, form: "annual", filedOn, corrects: null }) as const;
    const fetcher = fakeFetcher(
      "filer",
      "filings",
      ({ after, filingsOf }) => {
        asked.push([after, filingsOf?.("A")]);
        if (after === "2026-06-02" && fails) failing("filer", "unreachable")();
        const filings = [filing(`S${after ?? 0}`.replaceAll("-", ""), after ?? "2026-06-01")];
        return [{ country: "US", symbol: "A", filings }];
      },
      { scope: "country" },
    );
    const parts = (query: LiveQuery) =>
      query.after === null ? [query, { ...query, after: "2026-06-02" }] : [query];
    using home = openRefresher([{ ...fetcher, parts }]);
    home.list(stock("US", "A"));
    const key = keyOf("filings");
    expect((await home.refresh(key)).error).not.toBeNull();
    fails = false;
    home.time.now += 2 * 60_000;
    await home.refresh(key);
    home.time.now += 25 * 3_600_000;
    await home.refresh(key);
    const first = filing("S0", "2026-06-01");
    const second = filing("S20260601", "2026-06-01");
    expect(asked).toEqual([
      [null, null],
      ["2026-06-02", null],
      // The day of the first part, because the second one failed.
      ["2026-06-01", null],
      ["2026-06-01", [first, second]],
    ]);
  });

  test("is requested for the listed companies without bars, and stores each part", async () => {
    using open = openParts();
    const { home, key, asked } = open;
    expect(home.refresher.isDue(key)).toBe(false);
    home.list(stock("US", "A"), stock("US", "GONE"), stock("US", "B"), stock("US", "OLD"));
    const bars = keyOf("bars", "OLD");
    home.market.fetches.recordSuccess("barman", bars, home.time.now, 5);
    // A part without records does not fail.
    expect(await home.refresh(key)).toEqual({ source: "closer", records: 2, error: null });
    expect(asked).toEqual(["A", "GONE", "B"]);
    expect(open.stored()).toEqual(["A", "B"]);
    expect(home.refresher.isDue(key)).toBe(false);
  });

  test("keeps the parts before a failure, and continues after it", async () => {
    using open = openParts();
    const { home, key, asked, failures } = open;
    home.list(stock("US", "A"), stock("US", "B"), stock("US", "C"));
    failures.add("B");
    expect((await home.refresh(key)).error).toContain("closer: HTTP 500");
    expect(open.stored()).toEqual(["A"]);
    failures.clear();
    home.time.now += 60_000;
    asked.length = 0;
    expect(await home.refresh(key)).toMatchObject({ records: 2, error: null });
    expect(asked).toEqual(["B", "C"]);
    expect(open.stored()).toEqual(["A", "B", "C"]);
  });

  test("fails if no part has records", async () => {
    using open = openParts();
    open.home.list(stock("US", "GONE"));
    expect((await open.home.refresh(open.key)).error).toContain("it knows none");
  });
});

test("a list of price targets does not replace the coverage of another source", async () => {
  const coverage = (symbol: string, mean: number) => ({
    country: "VN" as const,
    symbol,
    ratings: [],
    priceTarget: { low: null, mean, median: null, high: null, analysts: 1 },
    estimates: [],
    actions: [],
  });
  const change = { scope: "country", countries: ["VN"], complements: true } as const;
  const broker = fakeFetcher(
    "broker",
    "analystCoverage",
    () => [coverage("FPT", 90), coverage("VNM", 70)],
    change,
  );
  using home = openRefresher([broker]);
  const { market } = home;
  home.list(stock("VN", "FPT"), stock("VN", "VNM"));
  market.put("analystCoverage", [coverage("FPT", 80)], { source: "analysts", storedAt: 1 });
  const key = keyOf("analystCoverage", null, "VN");
  expect(await home.refresh(key)).toEqual({ source: "broker", records: 1, error: null });
  const meanOf = (symbol: string) =>
    market.documents.find("analystCoverage", "VN", symbol)?.priceTarget?.mean;
  expect([meanOf("FPT"), meanOf("VNM")]).toEqual([80, 70]);
  // Its own targets are replaced.
  broker.respond = () => [coverage("VNM", 75)];
  home.time.now += 86_400_000;
  await home.refresh(key);
  expect(meanOf("VNM")).toBe(75);
});

test("a list of prices only fills in what a source with more fields does not have, or no longer", async () => {
  const anywhere = { scope: "country", countries: ["VN"] } as const;
  const screener = fakeFetcher(
    "screener",
    "quotes",
    () => [quote("FPT", 70, { country: "VN", epsTtm: 5 })],
    anywhere,
  );
  const broker = fakeFetcher(
    "broker",
    "quotes",
    () => [quote("FPT", 71, { country: "VN" }), quote("ACV", 54, { country: "VN" })],
    { ...anywhere, complements: true },
  );
  using home = openRefresher([screener, broker]);
  const key = keyOf("quotes", null, "VN");
  const stored = (symbol: string) => home.market.documents.find("quotes", "VN", symbol);
  expect(await home.refresh(key)).toMatchObject({ source: "screener, broker", records: 2 });
  expect(stored("FPT")).toMatchObject({ source: "screener", price: 70, epsTtm: 5 });
  expect(stored("ACV")).toMatchObject({ source: "broker", price: 54 });

  // The screener fails on Monday, so the broker's price is the newest one.
  screener.respond = failing("screener", "unreachable");
  broker.respond = () => [
    quote("FPT", 72, { country: "VN", date: "2026-11-23" }),
    quote("ACV", 55, { country: "VN", date: "2026-11-23" }),
  ];
  home.time.now += 3 * 86_400_000;
  await home.refresh(key);
  expect(stored("FPT")).toMatchObject({ source: "broker", price: 72 });
  expect(stored("ACV")).toMatchObject({ source: "broker", price: 55 });
});

describe("a refresh of another node", () => {
  test("is one flight for all callers, and may be fetched here instead", async () => {
    const fetcher = fakeFetcher("alpha", "quotes", () => [quote("AAPL", 200)]);
    const asked: string[] = [];
    const elsewhere = {
      source: "alpha",
      records: 7,
      error: null,
      calledSource: true,
      retryAt: null,
    };
    let isHere = false;
    using home = openRefresher([fetcher], [], async (key, fetchHere) => {
      asked.push(nameOf(key));
      return isHere ? fetchHere() : { ...key, ...elsewhere, firstAnswered: true };
    });
    home.list(AAPL);
    const key = keyOf("quotes", "AAPL");
    const both = await Promise.all([home.refresh(key), home.refresh(key)]);
    expect(both.map(({ records }) => records)).toEqual([7, 7]);
    expect(asked).toEqual(["quotes US AAPL"]);
    expect(fetcher.queries).toEqual([]);
    // Nothing was stored here, so the key is still due; it is requested again after a minute.
    await home.refresh(key);
    expect(asked).toHaveLength(1);
    home.time.now += 60_000;
    isHere = true;
    expect(await home.refresh(key)).toEqual({ source: "alpha", records: 1, error: null });
    expect(home.refresher.isDue(key)).toBe(false);
  });
});

test("a source that needs a key and has none is not called, and nothing is due for it", async () => {
  const keyed = {
    ...fakeFetcher("keyed", "quotes", () => [quote("AAPL", 1)]),
    source: playedSource({ name: "keyed", key: { variable: "PLAYED_KEY", required: true } }),
  };
  const free = fakeFetcher("free", "bars", () => []);
  using home = openRefresher([keyed, free]);
  home.list(stock("US", "AAPL"));
  expect(home.refresher.sourceOf(keyOf("quotes", "AAPL"))).toBeNull();
  expect(home.refresher.isDue(keyOf("quotes", "AAPL"))).toBe(false);
  expect(home.refresher.isDue(keyOf("bars", "AAPL"))).toBe(true);
  await home.refresher.refresh(keyOf("quotes", "AAPL"));
  expect(keyed.queries).toEqual([]);
});
