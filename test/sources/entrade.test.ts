import { describe, expect, test } from "bun:test";
import { entradeBars } from "#sources/entrade/bars.ts";
import { answersFrom } from "../support/answers.ts";
import { faultOf, liveQuery, transformed, vietnamese } from "../support/fetcher.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";

const FPT = vietnamese("FPT");
const VNINDEX = vietnamese("VNINDEX", { assetType: "index", exchange: null });
const query = (today: string, instrument = FPT) => liveQuery({ today, instrument });
const seconds = (moment: string) => Date.parse(moment) / 1000;

/** Two sessions of FPT in the documented form; the figures are those of its published prices. */
const twoSessions = () => ({
  t: [seconds("2026-08-06T00:00Z"), seconds("2026-08-07T00:00Z")],
  o: [70.4, 71.1],
  h: [71.4, 71.7],
  l: [70.4, 70.3],
  c: [70.7, 70.8],
  v: [4_629_700, 4_301_800],
  nextTime: 0,
});
const barsOf = (raw: unknown, today = "2026-08-10", instrument = FPT) =>
  transformed("bars", entradeBars, raw, query(today, instrument))[0]?.bars;

describe("bars of Entrade", () => {
  test("a price in thousand VND is converted to VND without binary noise", () => {
    expect(barsOf({ ...twoSessions(), o: [47.56, 71.1], c: [0.1 + 0.2, 70.8] })).toEqual([
      {
        date: "2026-08-06",
        open: 47_560,
        high: 71_400,
        low: 70_400,
        close: 300,
        volume: 4_629_700,
      },
      {
        date: "2026-08-07",
        open: 71_100,
        high: 71_700,
        low: 70_300,
        close: 70_800,
        volume: 4_301_800,
      },
    ]);
  });

  test("index points are not converted", () => {
    const raw = { ...twoSessions(), c: [1_734.24, 1_768.12] };
    expect(barsOf(raw, "2026-08-10", VNINDEX)?.map(({ close }) => close)).toEqual([
      1734.24, 1768.12,
    ]);
  });

  test("a session that is not over has no bar", () => {
    // HOSE is over by 08:30 UTC.
    expect(barsOf(twoSessions(), "2026-08-07T08:29Z")).toHaveLength(1);
    expect(barsOf(twoSessions(), "2026-08-07T08:30Z")).toHaveLength(2);
  });

  test("the date is that of Viet Nam at any hour of the timestamp", () => {
    const t = [seconds("2026-08-05T17:00Z"), seconds("2026-08-07T02:15Z")];
    expect(barsOf({ ...twoSessions(), t })?.map(({ date }) => date)).toEqual([
      "2026-08-06",
      "2026-08-07",
    ]);
  });

  test("a bar without one of its prices is left out, a missing volume is null", () => {
    const raw = { ...twoSessions(), h: [null, 71.7], v: [1, null] };
    expect(barsOf(raw)).toEqual([
      { date: "2026-08-07", open: 71_100, high: 71_700, low: 70_300, close: 70_800, volume: null },
    ]);
  });

  test("an answer without bars is `nothing`; an answer in another form is refused", async () => {
    const empty = { t: [], o: [], h: [], l: [], c: [], v: [], nextTime: 0 };
    const none = { t: null, o: null, h: null, l: null, c: null, v: null };
    expect(await faultOf(() => barsOf(empty))).toBe("nothing");
    expect(await faultOf(() => barsOf(none))).toBe("nothing");
    for (const raw of [
      { ...twoSessions(), c: ["70.7", "70.8"] },
      { ...twoSessions(), c: [70.7] },
      { ...twoSessions(), t: ["2026-08-06", "2026-08-07"] },
    ]) {
      expect(await faultOf(() => barsOf(raw))).toBe("invalid_answer");
    }
  });

  test("a request asks for the whole history; an index has another path than a share", async () => {
    const client = answersFrom({ "/ohlcs/": JSON.stringify(twoSessions()) });
    await entradeBars.fetch(query("2026-08-10T09:00Z"), client);
    await entradeBars.fetch(query("2026-08-10T09:00Z", VNINDEX), client);
    const base = "https://services.entrade.com.vn/chart-api/v2/ohlcs";
    expect(client.requests.map(({ url }) => url)).toEqual([
      `${base}/stock?symbol=FPT&resolution=1D&from=946684800&to=${seconds("2026-08-10T09:00Z")}`,
      `${base}/index?symbol=VNINDEX&resolution=1D&from=946684800&to=${seconds("2026-08-10T09:00Z")}`,
    ]);
  });

  test("an unknown symbol is `nothing`; instruments without a chart are not requested", async () => {
    const client = answersFrom({ "/ohlcs/": { status: 400, body: "bad" } });
    expect(await faultOf(() => entradeBars.fetch(query("2026-08-10"), client))).toBe("nothing");
    const dong = vietnamese("USDVND", { assetType: "currency" });
    expect(await faultOf(() => entradeBars.fetch(query("2026-08-10", dong), client))).toBe(
      "nothing",
    );
    expect(client.requests).toHaveLength(1);
  });
});

describe.skipIf(!hasRecordings)("published prices of FPT (../shared/data/prices)", () => {
  test("five years of sessions are read in VND, and none is lost", () => {
    const rows = recordedText("prices/FPT_vci.csv")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(","));
    const column = (index: number) => rows.map((cells) => Number(cells[index]));
    const raw = {
      t: rows.map(([time]) => seconds(`${time?.slice(0, 10)}T00:00Z`)),
      o: column(1),
      h: column(2),
      l: column(3),
      c: column(4),
      v: column(5),
      nextTime: 0,
    };
    const bars = barsOf(raw);
    expect(bars).toHaveLength(rows.length);
    // 2021-08-16,47.56,47.66,47.26,47.36,1906800
    expect(bars?.[0]).toEqual({
      date: "2021-08-16",
      open: 47_560,
      high: 47_660,
      low: 47_260,
      close: 47_360,
      volume: 1_906_800,
    });
  });
});
