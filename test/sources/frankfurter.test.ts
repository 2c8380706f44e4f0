import { describe, expect, test } from "bun:test";
import type { Instrument } from "#domain/instrument.ts";
import type { RecordOf } from "#domain/records.ts";
import { frankfurterBars } from "#sources/frankfurter/bars.ts";
import { frankfurterRates } from "#sources/frankfurter/macro.ts";
import { addDays } from "#lib/date.ts";
import { answersFrom } from "../support/answers.ts";
import { liveQuery } from "../support/fetcher.ts";
import { fakeJson } from "../support/played-answer.ts";
import { stock } from "../support/market.ts";
import { faultOf, playMacro, queryOf, shown } from "./macro-support.ts";

const BODY = JSON.stringify(fakeJson("frankfurter/rates.fake.json"));
const QUERY = queryOf("JP", "2026-08-21");

describe("reference rates", () => {
  test("are crosses of the euro's rates, of days that are over", async () => {
    const { records, requests } = await playMacro("macroSeries", frankfurterRates, QUERY, {
      "": BODY,
    });
    expect(requests.map(({ url }) => url)).toEqual([
      "https://api.frankfurter.dev/v1/2024-08-21..?base=EUR&symbols=JPY,USD",
    ]);
    // 178.2 / 1.1 and 177.1 / 1.1; the bank was closed on the 19th.
    expect(shown(records, "ecb-usdjpy")).toEqual({
      latest: { period: "2026-08-20", value: 162 },
      previous: { period: "2026-08-18", value: 161 },
      unit: "JPY",
      category: "money",
    });
    const { records: ofUs } = await playMacro(
      "macroSeries",
      frankfurterRates,
      queryOf("US", "2026-08-21"),
      { "": BODY },
    );
    // 1.1 / 0.88 dollars for a pound, 1.63 / 1.1 Canadian dollars for a dollar.
    expect(shown(ofUs, "ecb-gbpusd")?.latest?.value).toBe(1.25);
    expect(shown(ofUs, "ecb-usdcad")?.latest?.value).toBe(1.4818);
    expect(ofUs.map(({ id }) => id)).toContain("ecb-eurusd");
  });

  test("that were sampled by week or month are refused", async () => {
    const every = (days: number) => {
      const rates: Record<string, object> = {};
      for (let date = "2026-05-04"; date < "2026-08-21"; date = addDays(date, days))
        rates[date] = { USD: 1.1, JPY: 170 };
      return JSON.stringify({ amount: 1, base: "EUR", rates });
    };
    const play = (body: string) =>
      faultOf(playMacro("macroSeries", frankfurterRates, QUERY, { "": body }));
    expect(await play(every(7))).toBe("invalid_answer");
    expect(await play(every(28))).toBe("invalid_answer");
    expect(await play(BODY)).toBeNull();
  });

  test.each([
    ["of another base", { base: "USD" }],
    ["of another amount", { amount: 100 }],
    ["of a Sunday", { rates: { "2026-08-16": { USD: 1.1, JPY: 170 } } }],
    ["of zero", { rates: { "2026-08-17": { USD: 1.1, JPY: 0 } } }],
    ["as texts", { rates: { "2026-08-17": { USD: "1.1", JPY: "170" } } }],
  ])("%s are refused", async (_, fields) => {
    const body = JSON.stringify({ ...fakeJson("frankfurter/rates.fake.json"), ...fields });
    expect(await faultOf(playMacro("macroSeries", frankfurterRates, QUERY, { "": body }))).toBe(
      "invalid_answer",
    );
  });
});

describe("bars of currency pairs", () => {
  const pair = (symbol: string, country: "US" | "JP" = "JP"): Instrument => ({
    ...stock(country, symbol),
    assetType: "currency",
  });
  const play = async (instrument: Instrument, after: string | null = null) => {
    const query = {
      ...liveQuery({ today: "2026-08-21T12:00Z", country: instrument.country }),
      instrument,
      after,
    };
    const client = answersFrom({ "": BODY });
    const [record] = [
      ...frankfurterBars.transform(await frankfurterBars.fetch(query, client), query),
    ];
    return { record: record as RecordOf<"bars">, urls: client.requests.map(({ url }) => url) };
  };

  test("have one price a day, since 1999", async () => {
    const { record, urls } = await play(pair("EURJPY=X"));
    expect(urls).toEqual(["https://api.frankfurter.dev/v1/1999-01-04..?base=EUR&symbols=JPY,USD"]);
    expect(record.bars.at(-1)).toEqual({
      date: "2026-08-20",
      open: 178.2,
      high: 178.2,
      low: 178.2,
      close: 178.2,
      volume: null,
    });
    expect(record.bars).toHaveLength(3);
  });

  test("continue after the newest stored one", async () => {
    const { record, urls } = await play(pair("JPY=X"), "2026-08-18");
    expect(urls[0]).toStartWith("https://api.frankfurter.dev/v1/2026-08-18..?");
    expect(record.bars.map(({ date, close }) => [date, close])).toEqual([["2026-08-20", 162]]);
  });

  test("are of listed currencies only, and no request is made for others", async () => {
    for (const one of [
      pair("VND=X"),
      pair("TWD=X", "US"),
      pair("BTC-USD", "US"),
      stock("US", "AAPL"),
    ])
      expect(await faultOf(play(one))).toBe("nothing");
  });
});
