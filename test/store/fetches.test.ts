import { describe, expect, test } from "bun:test";
import type { FetchKey } from "#domain/fetch.ts";
import { openTestMarket, listResults } from "../support/market.ts";

const QUOTES: FetchKey = { kind: "quotes", country: "US", symbol: null };
const AAPL: FetchKey = { ...QUOTES, symbol: "AAPL" };

describe("fetches", () => {
  test("the last success is known by source, kind, country and symbol", () => {
    using home = openTestMarket();
    const { fetches } = home.market;
    fetches.recordSuccess("alpha", AAPL, 1_000, 3);
    expect(fetches.findLastSuccess("alpha", AAPL)).toBe(1_000);
    expect(fetches.findLastSuccess("beta", AAPL)).toBeNull();
    expect(fetches.findLastSuccess("alpha", QUOTES)).toBeNull();
    expect(fetches.findLastSuccess("alpha", { ...AAPL, country: "JP" })).toBeNull();
    expect(fetches.findLastSuccess("alpha", { ...AAPL, kind: "bars" })).toBeNull();
    fetches.recordSuccess("alpha", AAPL, 2_000, 0);
    expect(fetches.findLastSuccess("alpha", AAPL)).toBe(2_000);
  });

  test("a failure does not change the last success", () => {
    using home = openTestMarket();
    const { fetches } = home.market;
    fetches.recordFailure("alpha", AAPL, 500, "alpha: HTTP 500");
    expect(fetches.findLastSuccess("alpha", AAPL)).toBeNull();
    fetches.recordSuccess("alpha", AAPL, 1_000, 3);
    fetches.recordFailure("alpha", AAPL, 2_000, "alpha: HTTP 500");
    expect(fetches.findLastSuccess("alpha", AAPL)).toBe(1_000);
  });

  test("a source has its last success and its last error without a later success", async () => {
    using home = openTestMarket();
    const { fetches } = home.market;
    expect(await listResults(home.market)).toEqual([]);
    fetches.recordSuccess("alpha", QUOTES, 1_000, 5);
    fetches.recordFailure("alpha", AAPL, 2_000, "alpha: HTTP 500");
    fetches.recordFailure("alpha", { ...AAPL, symbol: "MSFT" }, 3_000, "alpha: HTTP 502");
    fetches.recordFailure("beta", QUOTES, 9_000, "beta: no");
    expect(await listResults(home.market)).toEqual([
      {
        source: "alpha",
        lastSuccessAt: 1_000,
        lastErrorAt: 3_000,
        lastError: "alpha: HTTP 502",
        faulty: 0,
      },
      { source: "beta", lastSuccessAt: null, lastErrorAt: 9_000, lastError: "beta: no", faulty: 0 },
    ]);
    // A success clears the error.
    fetches.recordSuccess("alpha", { ...AAPL, symbol: "MSFT" }, 4_000, 1);
    fetches.recordSuccess("beta", QUOTES, 10_000, 1);
    expect(await listResults(home.market)).toEqual([
      {
        source: "alpha",
        lastSuccessAt: 4_000,
        lastErrorAt: 2_000,
        lastError: "alpha: HTTP 500",
        faulty: 0,
      },
      { source: "beta", lastSuccessAt: 10_000, lastErrorAt: null, lastError: null, faulty: 0 },
    ]);
  });

  test("of a kind and country are listed by symbol: the last success of any source, and later failures", () => {
    using home = openTestMarket();
    const { fetches } = home.market;
    fetches.recordSuccess("alpha", AAPL, 1_000, 1);
    fetches.recordSuccess("beta", AAPL, 2_000, 1);
    fetches.recordFailure("alpha", AAPL, 3_000, "alpha: no");
    fetches.recordFailure("beta", { ...AAPL, symbol: "MSFT" }, 4_000, "beta: no");
    fetches.recordSuccess("alpha", QUOTES, 5_000, 1);
    fetches.recordSuccess("alpha", { ...AAPL, country: "JP" }, 6_000, 1);
    fetches.recordSuccess("alpha", { ...AAPL, kind: "bars" }, 7_000, 1);
    const wait = 6 * 3_600_000;
    expect(fetches.listLast("quotes", "US")).toEqual([
      { symbol: "AAPL", succeededAt: 2_000, nextAttemptAt: 3_000 + wait },
      { symbol: "MSFT", succeededAt: null, nextAttemptAt: 4_000 + wait },
    ]);
    // A clock that was set back to before the failures does not prolong the wait.
    expect(fetches.listLast("quotes", "US", { now: 2_999 })[0]).toMatchObject({
      nextAttemptAt: null,
    });
    fetches.recordSuccess("alpha", AAPL, 8_000, 1);
    expect(fetches.listLast("quotes", "US")[0]).toMatchObject({
      succeededAt: 8_000,
      nextAttemptAt: null,
    });
  });

  test("keep the end of a source's block for the next process", () => {
    using home = openTestMarket();
    const { fetches } = home.market;
    expect(fetches.blockedUntil("alpha")).toBe(0);
    fetches.block("alpha", 5_000);
    fetches.block("alpha", 9_000);
    expect([fetches.blockedUntil("alpha"), fetches.blockedUntil("beta")]).toEqual([9_000, 0]);
  });

  test("keep the last state of each host", () => {
    using home = openTestMarket();
    const { fetches } = home.market;
    const host = { host: "a.example.com", blockedUntil: 9, refusal: "403", refusedAt: 5 };
    fetches.putHost({ ...host, identity: null });
    const passed = { ...host, blockedUntil: 0, refusal: null, refusedAt: null, identity: "mine/1" };
    fetches.putHost({ ...passed, host: "b.example.com" });
    fetches.putHost({ ...host, identity: "mine/1" });
    expect(fetches.readHosts()).toEqual([
      { ...host, identity: "mine/1" },
      { ...passed, host: "b.example.com" },
    ]);
  });

  test("know what an answer lacks until the next whole one, and a source that never gave a record", () => {
    using home = openTestMarket();
    const { fetches } = home.market;
    const parts = [{ what: "Unemployment rate", why: "a.example.com does not answer" }];
    expect(fetches.listLacks(QUOTES)).toEqual([]);
    fetches.recordSuccess("alpha", QUOTES, 1, 5, null, parts);
    fetches.recordFailure("beta", QUOTES, 2, "beta: HTTP 403");
    fetches.recordFailure("beta", AAPL, 2, "beta: HTTP 403");
    expect(fetches.listLacks(QUOTES)).toEqual([
      { source: "alpha", parts, error: null },
      { source: "beta", parts: [], error: "beta: HTTP 403" },
    ]);
    expect(fetches.listMissing()).toEqual([
      { source: "alpha", kind: "quotes", country: "US", parts },
    ]);
    fetches.recordSuccess("alpha", QUOTES, 3, 6);
    // Its records of before are old, but they are there.
    fetches.recordFailure("alpha", QUOTES, 4, "alpha: HTTP 403");
    fetches.recordSuccess("beta", QUOTES, 5, 0);
    expect([fetches.listLacks(QUOTES), fetches.listMissing()]).toEqual([[], []]);
  });

  test("an answer without records does not count as a success of its source", async () => {
    using home = openTestMarket();
    const { fetches } = home.market;
    fetches.recordSuccess("alpha", AAPL, 1_000, 0);
    expect((await listResults(home.market))[0]?.lastSuccessAt).toBeNull();
    fetches.recordSuccess("alpha", QUOTES, 2_000, 1);
    expect((await listResults(home.market))[0]?.lastSuccessAt).toBe(2_000);
  });

  test("an error is stored with at most 300 characters", async () => {
    using home = openTestMarket();
    const { fetches } = home.market;
    fetches.recordFailure("alpha", AAPL, 1, "x".repeat(5_000));
    expect((await listResults(home.market))[0]?.lastError).toBe("x".repeat(300));
  });
});

test("summaries are by source, kind and country, whole countries apart from companies", async () => {
  using home = openTestMarket();
  const { fetches } = home.market;
  expect(await fetches.readSummaries()).toEqual([]);
  fetches.recordSuccess("alpha", QUOTES, 1_000, 5, "2 rows were left out");
  fetches.recordSuccess("alpha", AAPL, 2_000, 0);
  fetches.recordFailure("alpha", { ...AAPL, symbol: "MSFT" }, 4_000, "alpha: HTTP 502");
  fetches.recordFailure("alpha", { ...AAPL, symbol: "IBM" }, 3_000, "alpha: HTTP 500");
  fetches.recordSuccess("beta", { ...QUOTES, country: "JP" }, 6_000, 7);
  const none = { errorAt: null, error: null };
  expect(await fetches.readSummaries()).toEqual([
    {
      source: "alpha",
      kind: "quotes",
      country: "US",
      companies: 3,
      failed: 2,
      // Six hours after the older one.
      nextAttemptAt: 3_000 + 6 * 3_600_000,
      faulty: 0,
      records: 0,
      succeededAt: 2_000,
      deliveredAt: null,
      errorAt: 4_000,
      error: "alpha: HTTP 502",
    },
    {
      source: "alpha",
      kind: "quotes",
      country: "US",
      companies: null,
      // Faulty rows are a warning, not a failure.
      failed: 0,
      nextAttemptAt: null,
      faulty: 1,
      records: 5,
      succeededAt: 1_000,
      deliveredAt: 1_000,
      errorAt: 1_000,
      error: "2 rows were left out",
    },
    {
      source: "beta",
      kind: "quotes",
      country: "JP",
      companies: null,
      failed: 0,
      nextAttemptAt: null,
      faulty: 0,
      records: 7,
      succeededAt: 6_000,
      deliveredAt: 6_000,
      ...none,
    },
  ]);
});
