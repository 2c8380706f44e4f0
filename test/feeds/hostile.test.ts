import { afterAll, expect, test } from "bun:test";
import type { ErrorCode } from "#domain/errors.ts";
import { FEED_LAYERS } from "#feeds/index.ts";
import { HTTP_ERRORS } from "#http/errors.ts";
import { expectFailure } from "../support/feeds.ts";
import { LEAK, NASTY, seeded } from "../support/hostile.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());

/** With many runs: `BOURSE_TEST_RUNS=20000 bun test test/feeds/hostile.test.ts`. */
const RUNS = Number(process.env["BOURSE_TEST_RUNS"] ?? 60);

const NAMES =
  "symbol symbols ticker tickers query search function from to date start_date end_date startDate endDate " +
  "period1 period2 range interval resolution resampleFreq period limit outputsize countback order sort fmt format " +
  "datatype fields field metrics adjust adjusted currency currencyCode country exchange mic_code type events kinds " +
  "importance base quotes s filter group function keywords from_symbol to_symbol from_currency to_currency " +
  "filing_date_lte end_date tickers line_items";
const VALUES = [
  ...NASTY,
  ..."TIME_SERIES_DAILY_ADJUSTED FX_DAILY OVERVIEW EARNINGS SYMBOL_SEARCH GLOBAL_QUOTE CURRENCY_EXCHANGE_RATE BALANCE_SHEET AAPL 7203.T FPT.VN USDJPY=X ^N225 BTC-USD NONE1 AAPL,7203,FPT US EX 1d 1wk 1mo 1day D 1M max 5y 5 -5 100000".split(
    " ",
  ),
  ..."2026-11-18 2026-13-45 1795000000 -99999999999 json csv CSV true USD JPY QQQ all price pe D,W".split(
    " ",
  ),
];

/** Half of the requests ask for something that exists. */
const ASKS = [
  ...["symbol", "symbols", "ticker", "tickers", "query"].map((name) => `${name}=AAPL`),
  "function=TIME_SERIES_DAILY",
];

test.each(FEED_LAYERS.map((layer) => [layer.name, layer] as const))(
  "%s answers anything with its own form, never with a failure or a leak",
  async (name, layer) => {
    const random = seeded(name.length * 7_203);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const encode = (text: string) =>
      random() < 0.2 ? text.replaceAll("#", "") : encodeURIComponent(text);
    const codes = new Map(Object.entries(HTTP_ERRORS).map(([code, { status }]) => [status, code]));
    let link = "";
    for (let i = 0; i < RUNS; i++) {
      // A link has 5,000 calls an hour.
      if (i % 4_000 === 0) {
        const { user } = service.createToken();
        link = service.accounts.createToken(user, "fuzz", null, "feed").token;
      }
      const isPost = layer.posts !== undefined && random() < 0.2;
      const route = pick(Object.keys((isPost && layer.posts) || layer.routes));
      const path = route
        .slice(1)
        .replaceAll(/:\w+/g, () => (random() < 0.5 ? "AAPL" : encode(pick(VALUES))))
        .replaceAll(/./gu, (letter) => (random() < 0.002 ? pick(NASTY).slice(0, 20) : letter));
      const count = Math.floor(random() * 5);
      const names = Array.from({ length: count }, () => pick(NAMES.split(" ")));
      const more = names.map((one) => `${one}=${encode(pick(VALUES))}`);
      const query = [...(random() < 0.5 ? ASKS : []), ...more].join("&");
      const url = `/feed/${link}/${name}/${path}?${query}`.replaceAll(
        /[^!-~]/gu,
        encodeURIComponent,
      );
      const response = await fetch(service.origin + url, {
        method: isPost ? "POST" : "GET",
        headers: { "content-type": "application/json" },
        ...(isPost && {
          body: pick([JSON.stringify({ [pick(NAMES.split(" "))]: pick(VALUES) }), ...NASTY]),
        }),
      });
      const at = new URL(response.url).pathname.split(`/${name}/`)[1] ?? "";
      const code = (codes.get(response.status) ?? "not_found") as ErrorCode;
      expect(`${response.status < 500 ? "" : response.status} ${url}`).toBe(` ${url}`);
      const isRefusal = response.status >= 400 && at !== "";
      const text = isRefusal
        ? await expectFailure(layer, response, code, at, new URLSearchParams(query))
        : await response.text();
      expect(text).not.toMatch(LEAK);
    }
  },
);
