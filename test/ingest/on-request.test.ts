import { describe, expect, test } from "bun:test";
import type { Need } from "#domain/fetch.ts";
import { createOnRequest } from "#ingest/on-request.ts";
import { Patience } from "#lib/deadline.ts";
import type { Fetcher } from "#sources/fetcher.ts";
import { SourceError } from "#sources/source.ts";
import { macroSeries } from "../support/contract-market.ts";
import { expectError } from "../support/error.ts";
import { stock } from "../support/market.ts";
import { until } from "../support/upstream.ts";
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
import { playedWait, startLiveService } from "../support/live-service.ts";

const DAY = 86_400_000;
const AAPL = stock("US", "AAPL");
const LISTING: Need = keyOf("instruments");
const BARS: Need = keyOf("bars", "AAPL");
const optional = (need: Need): Need => ({ ...need, optional: true });
const ofCountry = { scope: "country" } as const;

const listing = () => fakeFetcher("lister", "instruments", () => [AAPL], ofCountry);
const bars = () =>
  fakeFetcher("pricer", "bars", () => [
    { country: "US", symbol: "AAPL", bars: barsFrom("2026-11-16", 10, 11, 12, 13, 14) },
  ]);
const dividends = () => fakeFetcher("payer", "dividends", failing("payer", "unreachable"));

/** A fetcher that gives nothing until its gate is opened. */
function gated(fetcher: FakeFetcher) {
  const gate = Promise.withResolvers<undefined>();
  const respond = fetcher.respond;
  fetcher.respond = async (query) => {
    await gate.promise;
    return respond(query);
  };
  return () => gate.resolve(undefined);
}

function openOnRequest(fetchers: readonly Fetcher[]) {
  const home = openRefresher(fetchers);
  const wait = playedWait();
  const { market, refresher, clock } = home;
  return { ...home, wait, bring: createOnRequest({ market, refresher, clock, sleep: wait.sleep }) };
}

describe("a record that a request needs", () => {
  test("is not waited for if nothing is due: there is no promise", async () => {
    const [lister, pricer] = [listing(), bars()];
    using home = openOnRequest([lister, pricer]);
    await home.bring([LISTING, BARS]);
    expect(home.bring([LISTING, BARS])).toBeUndefined();
    expect(home.bring([])).toBeUndefined();
    // No source provides these.
    expect(home.bring([keyOf("statements", "AAPL"), keyOf("indexPe")])).toBeUndefined();
    expect([lister.queries.length, pricer.queries.length]).toEqual([1, 1]);
  });

  test("is fetched, the listing before what is listed", async () => {
    const [lister, pricer] = [listing(), bars()];
    const open = gated(lister);
    using home = openOnRequest([pricer, lister]);
    const bringing = home.bring([LISTING, BARS]);
    expect([lister.queries.length, pricer.queries.length]).toEqual([1, 0]);
    open();
    await bringing;
    expect(pricer.queries.map(({ instrument }) => instrument?.name)).toEqual(["AAPL Inc"]);
    expect(home.market.holds(BARS)).toBe(true);
  });

  test("waits for the listing of its symbol, and for no other list", async () => {
    const [lister, pricer] = [listing(), bars()];
    const events = fakeFetcher("calendar", "calendarEvents", () => [], ofCountry);
    const open = gated(events);
    using home = openOnRequest([pricer, lister, events]);
    const bringing = home.bring([LISTING, optional(keyOf("calendarEvents")), BARS]);
    await until(() => home.market.holds(BARS));
    open();
    await bringing;
  });

  test("does not wait for a newer listing if its symbol is known", async () => {
    const [lister, pricer] = [listing(), bars()];
    const open = gated(lister);
    using home = openOnRequest([pricer, lister]);
    home.list(AAPL);
    const bringing = home.bring([LISTING, BARS]);
    await until(() => home.market.holds(BARS));
    open();
    await bringing;
  });

  test("of a symbol that is not listed calls no source and does not fail", async () => {
    const [lister, pricer] = [listing(), bars()];
    using home = openOnRequest([pricer, lister]);
    await home.bring([LISTING, keyOf("bars", "NOPE")]);
    expect(pricer.queries).toEqual([]);
    expect(home.bring([LISTING, keyOf("bars", "NOPE")])).toBeUndefined();
  });

  test("of an unknown symbol is unavailable while there never was a listing, and unknown after", async () => {
    const lister = listing();
    const extra = fakeFetcher("extra", "instruments", () => [stock("US", "^GSPC")], {
      ...ofCountry,
      complements: true,
    });
    const works = lister.respond;
    lister.respond = failing("lister", "unreachable");
    using home = openOnRequest([lister, extra, bars()]);
    const error = await expectError(() => home.bring([LISTING, BARS]), "unavailable");
    expect(error.message).toBe(
      "The sources of bars for AAPL cannot be reached and nothing is stored yet: HTTP 500. Retry in 60 seconds.",
    );
    lister.respond = works;
    home.time.now += 60_000;
    await home.bring([LISTING]);
    lister.respond = failing("lister", "unreachable");
    home.time.now += DAY;
    await home.bring([LISTING, keyOf("bars", "NOPE")]);
  });

  test("that no source has is unavailable, with the time to retry after", async () => {
    const pricer = bars();
    pricer.respond = failing("pricer", "unreachable");
    using home = openOnRequest([pricer]);
    home.list(AAPL);
    const error = await expectError(() => home.bring([BARS]), "unavailable");
    expect(error.details.retryAfterSeconds).toBe(60);
    expect(error.message).not.toContain("pricer");
    const country = fakeFetcher("macro", "macroSeries", failing("macro", "unreachable"), ofCountry);
    using other = openOnRequest([country]);
    const { message } = await expectError(() => other.bring([keyOf("macroSeries")]), "unavailable");
    expect(message).toContain("macro series for US cannot be reached");
  });

  test("that is missing is named with the reason, unless another source gave it", async () => {
    const words = { host: "a.test", cause: 403 } as const;
    const refused = (source: string) => () => {
      throw new SourceError(source, "unreachable", words);
    };
    const first = fakeFetcher("first", "macroSeries", refused("first"), ofCountry);
    const second = fakeFetcher("second", "macroSeries", refused("second"), ofCountry);
    const added = { ...fakeFetcher("added", "macroSeries", refused("added"), ofCountry) };
    using home = openOnRequest([first, second, { ...added, complements: true }]);
    const series = optional(keyOf("macroSeries"));
    expect(home.bring.explainEmpty([series])?.message).toBe(
      "The macro series for US are being fetched. Retry in 5 seconds.",
    );
    await home.bring([series]);
    const why =
      "macro series of US (a.test 403: it refuses this program or this network; call it from another network)";
    expect(home.bring.missing([series, series])).toEqual([
      `first: ${why}`,
      `second: ${why}`,
      `added: ${why}`,
    ]);
    expect(home.bring.explainEmpty([series])).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(
        `The market is empty, because sources refused: first: ${why}`,
      ),
      details: { retryAfterSeconds: 60 },
    });
    second.respond = () => [macroSeries("US", "gdp", "growth", [1, 2])];
    home.time.now += DAY;
    await home.bring([series]);
    expect(home.bring.missing([series])).toEqual([`added: ${why}`]);
  });

  test("is replaced by its substitute if that is stored", async () => {
    const pricer = bars();
    pricer.respond = failing("pricer", "unreachable");
    using home = openOnRequest([pricer]);
    home.list(AAPL);
    const substitutable: Need = { ...BARS, substitute: "quotes" };
    await expectError(() => home.bring([substitutable]), "unavailable");
    home.market.put("quotes", [quote("AAPL", 200)], { source: "lister", storedAt: 1 });
    home.time.now += 60_000;
    await home.bring([substitutable]);
    expect(pricer.queries).toHaveLength(2);
    home.time.now += 60_000;
    await expectError(() => home.bring([BARS]), "unavailable");
  });

  test("of a source that is blocked says when the block ends, and lets the source be probed", async () => {
    const pricer = bars();
    pricer.respond = failing("pricer", "not_asked", "blocked", 7 * 60_000);
    using home = openOnRequest([pricer]);
    home.list(AAPL);
    home.blockedUntil.set("pricer", home.time.now + 7 * 60_000);
    const error = await expectError(() => home.bring([BARS]), "unavailable");
    expect(error.details.retryAfterSeconds).toBe(7 * 60);
    expect(home.probed).toEqual(["pricer"]);
    // The schedule does not probe, because no request waits for it.
    home.time.now += 61_000;
    await home.refresher.refresh(BARS);
    expect(home.probed).toEqual(["pricer"]);
  });

  test("is served from the store if its sources fail", async () => {
    const pricer = bars();
    using home = openOnRequest([pricer]);
    home.list(AAPL);
    await home.bring([BARS]);
    pricer.respond = failing("pricer", "unreachable");
    home.time.now += 3 * DAY;
    await home.bring([BARS]);
    expect(home.refresher.isDue(BARS)).toBe(true);
  });

  test("that no source had stays missing while the sources fail", async () => {
    const pricer = bars();
    pricer.respond = failing("pricer", "nothing");
    using home = openOnRequest([pricer]);
    home.list(AAPL);
    await home.bring([BARS]);
    pricer.respond = failing("pricer", "unreachable");
    home.time.now += 3 * DAY;
    await home.bring([BARS]);
    expect(pricer.queries).toHaveLength(2);
  });

  test("that is optional never fails an answer", async () => {
    using home = openOnRequest([dividends(), bars()]);
    home.list(AAPL);
    await home.bring([BARS, optional(keyOf("dividends", "AAPL"))]);
    await expectError(() => home.bring([BARS, keyOf("dividends", "AAPL")]), "unavailable");
  });

  test("is waited for 2.5 seconds, then the stored records are served and the fetch continues", async () => {
    const pricer = bars();
    using home = openOnRequest([pricer]);
    home.list(AAPL);
    await home.bring([BARS]);
    const open = gated(pricer);
    home.time.now += 3 * DAY;
    const bringing = home.bring([BARS]);
    expect(home.wait.durations()).toEqual([2_500, 2_500]);
    home.wait.pass();
    await bringing;
    expect(home.refresher.isDue(BARS)).toBe(true);
    open();
    await until(() => !home.refresher.isDue(BARS));
    expect(pricer.queries).toHaveLength(2);
  });

  test("is unavailable after 2.5 seconds if nothing is stored, and available after the fetch", async () => {
    const pricer = bars();
    const open = gated(pricer);
    using home = openOnRequest([pricer]);
    home.list(AAPL);
    const bringing = home.bring([BARS]);
    home.wait.pass();
    const { message, details } = await expectError(() => bringing, "unavailable");
    expect(message).toBe("The bars for AAPL are being fetched. Retry in 5 seconds.");
    expect(details.retryAfterSeconds).toBe(5);
    open();
    await until(() => home.market.holds(BARS));
    expect(home.bring([BARS])).toBeUndefined();
  });

  test("is not waited for again while its fetch goes on, and other records are", async () => {
    const [pricer, payer] = [bars(), fakeFetcher("payer", "dividends", () => [])];
    const [openBars, openDividends] = [gated(pricer), gated(payer)];
    using home = openOnRequest([pricer, payer]);
    home.list(AAPL);
    const first = home.bring([BARS]);
    home.wait.pass();
    await expectError(() => first, "unavailable");
    // No wait of this one is played to its end.
    await expectError(() => home.bring([BARS]), "unavailable");
    const both = home.bring([optional(BARS), optional(keyOf("dividends", "AAPL"))]);
    openDividends();
    await both;
    expect(pricer.queries).toHaveLength(1);
    openBars();
    await until(() => home.market.holds(BARS));
    home.time.now += 3 * DAY;
    const closed = gated(pricer);
    const again = home.bring([BARS]);
    const waits = home.wait.durations().length;
    closed();
    await again;
    expect(home.wait.durations()).toHaveLength(waits);
    expect(home.refresher.isDue(BARS)).toBe(false);
  });

  test("takes the time of a wait from the patience of its call", async () => {
    const pricer = bars();
    gated(pricer);
    using home = openOnRequest([pricer]);
    home.list(AAPL);
    const patience = new Patience(home.clock);
    const bringing = home.bring([optional(BARS)], patience);
    home.time.now += 2_000;
    home.wait.pass();
    await bringing;
    expect(patience.leftMs).toBe(500);
    const other = fakeFetcher("macro", "macroSeries", () => [], ofCountry);
    gated(other);
    using second = openOnRequest([other]);
    const rest = second.bring([optional(keyOf("macroSeries"))], patience);
    expect(second.wait.durations()).toEqual([500]);
    second.wait.pass();
    await rest;
  });

  test("is unavailable too if the listing alone takes longer", async () => {
    const [lister, pricer] = [listing(), bars()];
    const open = gated(lister);
    using home = openOnRequest([lister, pricer]);
    const bringing = home.bring([LISTING, BARS]);
    home.wait.pass();
    const { message } = await expectError(() => bringing, "unavailable");
    expect(message).toContain("are being fetched");
    expect(pricer.queries).toEqual([]);
    open();
    await until(() => home.market.holds(BARS));
  });
});

const HISTORY = "/data/stocks/AAPL/history?country=US";
const historyTool = ["get_stock_price_history", { symbol: "AAPL", country: "US" }] as const;

describe("through the service", () => {
  test("a symbol that was never requested is fetched once for all concurrent requests, and answered", async () => {
    const [lister, pricer] = [listing(), bars()];
    await using service = await startLiveService([lister, pricer]);
    const answers = await Promise.all(Array.from({ length: 40 }, () => service.get(HISTORY)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    const [answer] = answers;
    expect(answer?.headers.get("x-data-source")).toBe("pricer");
    expect(answer?.headers.get("x-data-age")).toBe("0");
    expect([lister.queries.length, pricer.queries.length]).toEqual([1, 1]);
  });

  test("a source that is down: stored records with their age, over REST and MCP, until it works again", async () => {
    const [lister, pricer] = [listing(), bars()];
    await using service = await startLiveService([lister, pricer]);
    const before = (await (await service.get(HISTORY)).json()) as { data: unknown };
    const works = pricer.respond;
    pricer.respond = failing("pricer", "unreachable");
    lister.respond = failing("lister", "unreachable");
    service.time.now += 3 * DAY;

    const rest = await service.get(HISTORY);
    expect(rest.status).toBe(200);
    expect(rest.headers.get("x-data-age")).toBe(String((3 * DAY) / 1000));
    expect(rest.headers.get("x-data-source")).toBe("pricer");
    expect(((await rest.json()) as { data: unknown }).data).toEqual(before.data);
    const tool = await service.callTool(...historyTool);
    expect(tool.result?._meta).toMatchObject({ source: "pricer", age_seconds: (3 * DAY) / 1000 });

    pricer.respond = works;
    service.time.now += 60_000;
    const healed = await service.get(HISTORY);
    expect([healed.status, healed.headers.get("x-data-age")]).toEqual([200, "0"]);
  });

  test("nothing stored and the source down: 503 with Retry-After, -32002, and 200 once it is back", async () => {
    const [lister, pricer] = [listing(), bars()];
    const works = pricer.respond;
    pricer.respond = failing("pricer", "unreachable");
    await using service = await startLiveService([lister, pricer]);
    const rest = await service.get(HISTORY);
    expect(rest.status).toBe(503);
    expect(rest.headers.get("retry-after")).toBe("60");
    expect(rest.headers.get("x-ratelimit-remaining")).not.toBeNull();
    expect(await rest.json()).toMatchObject({
      error: { type: "server_error", code: "INTERNAL", message: expect.stringContaining("AAPL") },
    });
    const tool = await service.callTool(...historyTool);
    expect(tool.error).toMatchObject({ code: -32002, data: { retry_after_seconds: 60 } });
    // Within the minute the source is not called again.
    expect(pricer.queries).toHaveLength(1);

    pricer.respond = works;
    service.time.now += 60_000;
    expect((await service.get(HISTORY)).status).toBe(200);
    expect((await service.callTool(...historyTool)).result?.isError).toBeUndefined();
  });

  test("an unknown symbol is 404 and calls no source", async () => {
    const pricer = bars();
    await using service = await startLiveService([listing(), pricer]);
    const answer = await service.get("/data/stocks/NOPE/history?country=US");
    expect(answer.status).toBe(404);
    expect(pricer.queries).toEqual([]);
  });

  test("an optional record may fail, and the answer says that its source refused", async () => {
    await using service = await startLiveService([listing(), bars(), dividends()]);
    const answer = await service.get("/data/stocks/AAPL/overview?country=US");
    expect(answer.status).toBe(200);
    const { data } = (await answer.json()) as { data: { reasons: Record<string, string[]> } };
    expect(data.reasons["refused_by_source"]).toEqual(["Div yield %TTM of overview"]);
    // No source of this test has statements.
    expect(data.reasons["not_published"]).toContain("all of valuation");
  });

  test("the reason why a record is missing is what its sources did", async () => {
    const payer = dividends();
    using home = openOnRequest([listing(), payer, fakeFetcher("quoter", "quotes", () => [])]);
    const why = (kind: Need["kind"]) => home.bring.whyAbsent(keyOf(kind, "AAPL"));
    expect([why("dividends"), why("statements")]).toEqual(["not_fetched_yet", "not_published"]);
    await home.bring([LISTING, optional(keyOf("dividends", "AAPL"))]);
    await home.bring([optional(keyOf("quotes", "AAPL"))]);
    expect([why("dividends"), why("quotes")]).toEqual(["refused_by_source", "not_published"]);
  });

  test("a cached answer waits for no running refresh, and no other request does either", async () => {
    const [lister, pricer] = [listing(), bars()];
    await using service = await startLiveService([lister, pricer]);
    await service.get(HISTORY);
    service.time.now = EVENING + 3 * DAY;
    const open = gated(pricer);
    const waiting = service.get("/data/stocks/AAPL/history?country=US&range=1m");
    await until(() => pricer.queries.length === 2);
    // The first answer has expired after three days. This one is made now and cached.
    service.wait.pass();
    expect((await waiting).status).toBe(200);
    const other = service.get(HISTORY);
    for (let i = 0; i < 20; i++) {
      // If it waited for the refresh, it would never end: the gate of that fetch is closed.
      const cached = await service.get("/data/stocks/AAPL/history?country=US&range=1m");
      expect(cached.status).toBe(200);
    }
    // The same wait was in vain before, so this answer has the stored bars at once.
    expect((await other).headers.get("x-data-age")).toBe(String((3 * DAY) / 1_000));
    // There is no second fetch, and the running one gives the new bars to all later callers.
    expect(pricer.queries).toHaveLength(2);
    open();
    await until(() => !service.refresher.isDue(BARS));
    const later = await service.get("/data/stocks/AAPL/history?country=US&range=3m");
    expect(later.headers.get("x-data-age")).toBe("0");
  });

  test("a request that gave up waiting finds the new data later", async () => {
    const pricer = bars();
    await using service = await startLiveService([listing(), pricer]);
    await service.get(HISTORY);
    const open = gated(pricer);
    service.time.now += 3 * DAY;
    const waiting = service.get(HISTORY);
    await until(() => service.wait.durations().length > 1);
    service.wait.pass();
    expect((await waiting).headers.get("x-data-age")).toBe(String((3 * DAY) / 1000));
    open();
    await until(() => !service.refresher.isDue(BARS));
    // The earlier answer is served for its 30 seconds, not longer.
    service.time.now += 30_000;
    expect((await service.get(HISTORY)).headers.get("x-data-age")).toBe("30");
  });
});
