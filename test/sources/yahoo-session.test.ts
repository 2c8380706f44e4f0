import { expect, test } from "bun:test";
import { createSourceClient } from "#sources/source-client.ts";
import type { SourceClient } from "#sources/source.ts";
import { YAHOO } from "#sources/yahoo/source.ts";
import { yahooCoverage } from "#sources/yahoo/analyst-coverage.ts";
import { yahooEarningsDate } from "#sources/yahoo/earnings-dates.ts";
import { yahooProfile } from "#sources/yahoo/profile.ts";
import { yahooQuote } from "#sources/yahoo/quotes.ts";
import { askWithSession } from "#sources/yahoo/session.ts";
import { faultOf } from "../support/fetcher.ts";
import { answersFrom } from "../support/answers.ts";
import { playedWorld, startUpstream } from "../support/upstream.ts";
import { ask, instrument } from "./yahoo-support.ts";

const greeting = {
  status: 404,
  body: "<html>not found</html>",
  headers: {
    "Set-Cookie": "A3=d=abc&S=x; Expires=Sat, 20 Nov 2027 00:00:00 GMT; Secure; HttpOnly",
  },
};
const session = { "fc.yahoo.com": greeting, "/getcrumb": "aB1/.xyZ" };
const unauthorized = JSON.stringify({
  finance: { result: null, error: { code: "Unauthorized", description: "no access" } },
});
const URL_ASKED = "https://query1.finance.yahoo.com/v7/finance/quote?symbols=AAPL";

/** Like `answersFrom`, but the first protected requests are refused. */
function refusing(times: number): SourceClient & { requests: { url: string }[] } {
  const client = answersFrom({ ...session, "/v7/": "{}" });
  const refused = answersFrom({ "/v7/": { status: 401, body: unauthorized } });
  let left = times;
  return {
    key: null,
    requests: client.requests,
    request(url, request) {
      if (!url.includes("/v7/") || left === 0) return client.request(url, request);
      left--;
      client.requests.push({ url, method: "GET", headers: {}, body: null });
      return refused.request(url, request);
    },
  };
}

const pathsOf = (client: { requests: readonly { url: string }[] }) =>
  client.requests.map(({ url }) => new URL(url).pathname);

test("a session is opened once, and every request has its cookie and crumb", async () => {
  const client = answersFrom({ ...session, "/v7/": "{}" });
  await Promise.all([askWithSession(client, URL_ASKED), askWithSession(client, URL_ASKED)]);
  await askWithSession(client, URL_ASKED);
  expect(client.requests.map(({ url }) => url)).toEqual([
    "https://fc.yahoo.com/",
    "https://query1.finance.yahoo.com/v1/test/getcrumb",
    ...Array.from({ length: 3 }, () => `${URL_ASKED}&crumb=aB1%2F.xyZ`),
  ]);
  expect(client.requests.slice(1).map(({ headers }) => headers["Cookie"])).toEqual(
    Array.from({ length: 4 }, () => "A3=d=abc&S=x"),
  );
});

test("a page of Yahoo gives the cookie if an ad blocker blocks the host that only sets it", async () => {
  const page = { ...greeting, status: 200 };
  const client = answersFrom({
    "finance.yahoo.com/quote/": page,
    "/getcrumb": "aB1/.xyZ",
    "/v7/": "{}",
  });
  await askWithSession(client, URL_ASKED);
  expect(client.requests.map(({ url }) => new URL(url).host)).toEqual([
    "fc.yahoo.com",
    "finance.yahoo.com",
    "query1.finance.yahoo.com",
    "query1.finance.yahoo.com",
  ]);
  for (const { headers } of client.requests.slice(2))
    expect(headers).toMatchObject({
      Cookie: "A3=d=abc&S=x",
      Origin: "https://finance.yahoo.com",
      Referer: "https://finance.yahoo.com/",
      "Accept-Language": "en-US,en;q=0.9",
    });
});

test.each([
  ["429", () => new Response("Too Many Requests", { status: 429 })],
  ["403", () => new Response("", { status: 403 })],
  ["nothing", () => new Response("")],
  ["a page", () => new Response("<html>consent</html>")],
])(
  "a refused crumb (%s) stops no charts, and is not asked for again and again",
  async (_, refuse) => {
    using upstream = startUpstream(({ path }) => {
      if (path === "/") return new Response("", { status: 404, headers: { "Set-Cookie": "A3=d" } });
      return path.includes("getcrumb") ? refuse() : new Response("{}");
    });
    const settings = { contact: null, key: null, program: "bourse/1.2.3", blockedUntil: 0 };
    const client = createSourceClient(YAHOO, { ...settings, mirror: upstream.url }, playedWorld());
    const asks = () => upstream.requests.filter(({ path }) => path.includes("getcrumb")).length;
    for (let i = 0; i < 4; i++) await faultOf(() => askWithSession(client, URL_ASKED));
    const before = asks();
    const words = await askWithSession(client, URL_ASKED).then(
      () => "no error",
      (thrown: Error) => thrown.message,
    );
    expect(words).toContain("query1.finance.yahoo.com (session) ");
    expect(words).not.toContain("A3=d");
    expect(asks()).toBe(before);
    const chart = await client.request("https://query1.finance.yahoo.com/v8/finance/chart/AAPL");
    expect([chart.status, client.blockedUntil]).toEqual([200, 0]);
  },
);

test("an expired session is opened again once", async () => {
  const client = refusing(1);
  expect((await askWithSession(client, URL_ASKED)).status).toBe(200);
  expect(pathsOf(client)).toEqual(
    "/ /v1/test/getcrumb /v7/finance/quote / /v1/test/getcrumb /v7/finance/quote".split(" "),
  );
});

test("if a new session is refused too, the request fails, and the next one opens another session", async () => {
  const client = refusing(2);
  expect(await faultOf(() => askWithSession(client, URL_ASKED))).toBe("unreachable");
  expect(pathsOf(client)).toHaveLength(6);
  expect((await askWithSession(client, URL_ASKED)).status).toBe(200);
});

test("without a cookie, or with a page instead of the crumb, there is no session", async () => {
  const noCookie = answersFrom({ ...session, "fc.yahoo.com": { status: 404, body: "" } });
  expect(await faultOf(() => askWithSession(noCookie, URL_ASKED))).toBe("unreachable");
  for (const body of ["", "<html>consent</html>", "Too Many Requests", '{"finance":{}}']) {
    const client = answersFrom({ ...session, "/getcrumb": body });
    expect(await faultOf(() => askWithSession(client, URL_ASKED))).toBe("invalid_answer");
  }
});

test("profile, coverage and earnings date of a symbol share one request for a minute", async () => {
  const body = JSON.stringify({ quoteSummary: { result: [{}], error: null } });
  const client = answersFrom({ ...session, "/v10/": body });
  const about = instrument({ symbol: "BRK.B" });
  const asksOf = () => client.requests.filter(({ url }) => url.includes("/v10/"));
  const query = ask(about, "2026-11-20T22:00:00Z");
  for (const fetcher of [yahooProfile, yahooCoverage, yahooEarningsDate])
    await fetcher.fetch(query, client);
  expect(new Set(asksOf().map(({ url, maxAgeMs }) => `${maxAgeMs} ${url}`)).size).toBe(1);
  expect(asksOf()[0]?.maxAgeMs).toBe(60_000);
  expect(asksOf()[0]?.url).toStartWith(
    "https://query1.finance.yahoo.com/v10/finance/quoteSummary/BRK-B?formatted=false&modules=price%2CassetProfile%2C",
  );
});

test("a summary that failed is requested again", async () => {
  const client = answersFrom({ ...session, "/v10/": "<html>busy</html>" }, { source: "yahoo" });
  const query = ask(instrument(), "2026-11-20T22:00Z");
  expect(await faultOf(() => yahooProfile.fetch(query, client))).toBe("invalid_answer");
  expect(await faultOf(() => yahooProfile.fetch(query, client))).toBe("invalid_answer");
  expect(pathsOf(client).filter((path) => path.startsWith("/v10/"))).toHaveLength(2);
});

test("no error contains the crumb", async () => {
  const client = refusing(2);
  const query = ask(instrument(), "2026-11-20T22:00Z");
  const message = await Promise.resolve(yahooQuote.fetch(query, client)).then(
    () => "no error",
    (error: Error) => error.message,
  );
  expect(message).toBe("yahoo: it refuses a new session");
});
