import { describe, expect, test } from "bun:test";
import { yahooRecentCloses } from "#sources/yahoo/recent-closes.ts";
import { answersFrom, type PlayedAnswer } from "../support/answers.ts";
import { faultOf, liveQuery, transformed } from "../support/fetcher.ts";
import { fake, fakeJson } from "../support/played-answer.ts";

const SESSION: Readonly<Record<string, PlayedAnswer>> = {
  "fc.yahoo.com": { status: 404, body: "", headers: { "set-cookie": "A3=x; Path=/" } },
  getcrumb: "Cr.umb1",
};
const SPARK = String(fake("yahoo/spark.fake.json").body);
const clientWith = (answer: PlayedAnswer) => answersFrom({ ...SESSION, "/spark?": answer });
const listed = (...symbols: string[]) => symbols.map((symbol) => ({ symbol }));
/** A Friday evening in New York: its session is complete. */
const FRIDAY = "2026-08-21T22:30:00Z";

describe("recent closes from Yahoo", () => {
  test("are the closes of completed sessions by date, without days that have none", async () => {
    const query = liveQuery({ today: FRIDAY, listed: listed("AAPL", "BRK.B", "GONE") });
    const raw = await yahooRecentCloses.fetch(query, clientWith(SPARK));
    // 2026-08-19, -20 and -21, 13:30 UTC; the last entry is of the same day.
    expect(transformed("recentCloses", yahooRecentCloses, raw, query)).toEqual([
      { country: "US", symbol: "AAPL", from: "2026-08-19", days: [0, 2], closes: [298.5, 302.5] },
      { country: "US", symbol: "BRK.B", from: "2026-08-19", days: [0, 1], closes: [164.32, 165] },
    ]);
    const noon = liveQuery({ today: "2026-08-21T16:00:00Z", listed: listed("AAPL") });
    expect(transformed("recentCloses", yahooRecentCloses, raw, noon)[0]?.days).toEqual([0]);
  });

  test("are requested for 10 symbols at a time, and stored in parts of 100", async () => {
    const symbols = Array.from({ length: 230 }, (_, i) => `S${i}`);
    const query = liveQuery({ today: FRIDAY, listed: listed(...symbols) });
    const parts = yahooRecentCloses.parts?.(query) ?? [];
    expect(parts.map((part) => part.listed?.length)).toEqual([100, 100, 30]);
    const client = clientWith(SPARK);
    await yahooRecentCloses.fetch(parts[2] ?? query, client);
    const asked = client.requests.flatMap(({ url }) => /symbols=([^&]+)/.exec(url)?.[1] ?? []);
    expect(asked.map((list) => list.split(",").length)).toEqual([10, 10, 10]);
    expect(client.requests.at(-1)?.url).toContain("&range=2y&interval=1d");
  });

  test("of Japan are requested with the suffix of its exchange", async () => {
    const query = liveQuery({ today: FRIDAY, country: "JP", listed: listed("285A") });
    const client = clientWith(SPARK);
    await yahooRecentCloses.fetch(query, client);
    expect(client.requests.at(-1)?.url).toContain("symbols=285A.T&");
  });

  const change = (work: (aapl: Record<string, unknown>) => void) => {
    const body = fakeJson("yahoo/spark.fake.json");
    work(body.spark.result[0].response[0]);
    return JSON.stringify(body);
  };
  test.each([
    ["HTML", "<html>busy</html>"],
    ["an empty body", ""],
    ["without results", JSON.stringify({ spark: { error: null } })],
    ["a list under another name", JSON.stringify({ sparks: { result: [] } })],
    ["with fewer closes than times", change((one) => (one["timestamp"] = [1787146200]))],
    [
      "in another currency",
      change(
        (one) =>
          (one["meta"] = { symbol: "AAPL", currency: "EUR", exchangeTimezoneName: "Europe/Paris" }),
      ),
    ],
    ["with closes as texts", change((one) => (one["indicators"] = { quote: [{ close: ["1"] }] }))],
  ])("an answer %s is refused", async (_, body) => {
    const query = liveQuery({ today: FRIDAY, listed: listed("AAPL") });
    const work = async () =>
      transformed(
        "recentCloses",
        yahooRecentCloses,
        await yahooRecentCloses.fetch(query, clientWith(body)),
        query,
      );
    expect(await faultOf(work)).toBe("invalid_answer");
  });

  test("of unknown symbols alone are `nothing`", async () => {
    const query = liveQuery({ today: FRIDAY, listed: listed("GONE") });
    const body = JSON.stringify({ spark: { result: [], error: null } });
    const raw = await yahooRecentCloses.fetch(query, clientWith(body));
    expect(await faultOf(() => transformed("recentCloses", yahooRecentCloses, raw, query))).toBe(
      "nothing",
    );
  });
});
