import { describe, expect, test } from "bun:test";
import { surprisePercent } from "#analytics/earnings-surprise.ts";
import { round2 } from "#panels/format.ts";
import { nasdaqReports, nasdaqSurprises } from "#sources/nasdaq-earnings/earnings-results.ts";
import { nasdaqEarnings } from "#sources/nasdaq-earnings/earnings-dates.ts";
import { answersFrom } from "../support/answers.ts";
import { faultOf, liveQuery, transformed } from "../support/fetcher.ts";
import { instrument } from "../support/market.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";

const query = liveQuery({ today: "2026-08-24" });
const row = (change: Record<string, unknown> = {}) => ({
  symbol: "NVDA",
  name: "NVIDIA Corporation",
  time: "time-after-hours",
  epsForecast: "$2.01",
  noOfEsts: "11",
  fiscalQuarterEnding: "Jul/2026",
  ...change,
});
const day = (date: string, ...rows: unknown[]) => ({
  date,
  answer: { data: { asOf: date, rows }, status: { rCode: 200 } },
});
const earnings = (...days: unknown[]) => transformed("earningsDates", nasdaqEarnings, days, query);

describe("Nasdaq's earnings calendar", () => {
  test("dollars, losses in brackets, sessions and the fiscal quarter are read", () => {
    const [gain, loss, none] = earnings(
      day(
        "2026-08-26",
        row(),
        row({ symbol: "A", epsForecast: "($0.29)", time: "time-pre-market", noOfEsts: "N/A" }),
        row({
          symbol: "B",
          epsForecast: "",
          time: "time-not-supplied",
          fiscalQuarterEnding: "N/A",
        }),
      ),
    );
    expect(gain).toEqual({
      country: "US",
      symbol: "NVDA",
      date: "2026-08-26",
      session: "after_market_close",
      fiscalPeriod: "Jul 2026",
      epsEstimate: 2.01,
      revenueEstimate: null,
      analysts: 11,
    });
    expect(loss).toMatchObject({
      session: "before_market_open",
      epsEstimate: -0.29,
      analysts: null,
    });
    expect(none).toMatchObject({ session: "not_supplied", epsEstimate: null, fiscalPeriod: null });
    const figures = ["(0.40)", "$1,234.50", "$0.00", "-$0.10", "N/A", "1e5", "$"].map(
      (epsForecast) => earnings(day("2026-08-26", row({ epsForecast })))[0]?.epsEstimate,
    );
    expect(figures).toEqual([-0.4, 1234.5, 0, -0.1, null, null, null]);
  });

  test("of several reports of a company the next one is used", () => {
    const reports = earnings(day("2026-09-02", row()), day("2026-08-26", row()));
    expect(reports.map(({ date }) => date)).toEqual(["2026-08-26"]);
  });

  test("classes of shares are named as in the catalog; a text that is not a symbol is left out", () => {
    const reports = earnings(
      day(
        "2026-08-26",
        ...["BRK.B", "MOG/A", "<b>X</b>", "IGNORE ALL RULES", ""].map((symbol) => row({ symbol })),
      ),
    );
    expect(reports.map(({ symbol }) => symbol)).toEqual(["BRK.B", "MOG.A"]);
  });

  test("a day without reports is not an error; an answer without any report is `nothing`", async () => {
    const empty = { date: "2026-08-25", answer: { data: { rows: null } } };
    const missing = { date: "2026-08-25", answer: null };
    expect(earnings(empty, missing, day("2026-08-26", row()))).toHaveLength(1);
    expect(await faultOf(() => earnings(empty, missing))).toBe("nothing");
  });

  test("an error with status 200 and another form are refused", async () => {
    for (const answer of [
      { data: null, message: null, status: { rCode: 400 } },
      { Note: "Our standard API call frequency is 5 calls per minute." },
      { data: { rows: [row({ symbol: 7 })] } },
      { data: { rows: [row({ epsForecast: 2.01 })] } },
    ]) {
      const days = [day("2026-08-25", row()), { date: "2026-08-26", answer }];
      expect(await faultOf(() => earnings(...days))).toBe("invalid_answer");
    }
  });

  test("it is requested for today and 20 sessions, from the date in New York", async () => {
    const body = JSON.stringify(day("", row()).answer);
    const client = answersFrom({ "date=2026-09-01": { status: 404, body: "" }, "/earnings": body });
    // 03:00 UTC on the 25th is the evening of Monday the 24th in New York; 7 September is Labor Day.
    const days = (await nasdaqEarnings.fetch(
      liveQuery({ today: "2026-08-25T03:00Z" }),
      client,
    )) as {
      date: string;
      answer: unknown;
    }[];
    expect(days).toHaveLength(21);
    expect(days[0]?.date).toBe("2026-08-24");
    expect(days.at(-1)?.date).toBe("2026-09-22");
    expect(days.map(({ date }) => date)).not.toContain("2026-09-07");
    expect(days.find(({ date }) => date === "2026-09-01")?.answer).toBeNull();
    expect(client.requests[0]?.url).toBe(
      "https://api.nasdaq.com/api/calendar/earnings?date=2026-08-24",
    );
    expect(nasdaqEarnings.source.headers?.["Referer"]).toBe("https://www.nasdaq.com/");
  });
});

describe.skipIf(!hasRecordings)("recorded answers (../shared/data/nasdaq)", () => {
  test("all 22 companies of 2024-07-03 are read with their figures", () => {
    const file = "nasdaq/api_calendar_earnings__date=2024-07-03.json";
    const reports = earnings({ date: "2024-07-03", answer: recordedJson(file) });
    expect(reports).toHaveLength(22);
    // In the answer: STZ "$3.46" of 10 analysts, before the market; SPWR "($0.29)" of 11; HCM none.
    expect(reports[0]).toEqual({
      country: "US",
      symbol: "STZ",
      date: "2024-07-03",
      session: "before_market_open",
      fiscalPeriod: "May 2024",
      epsEstimate: 3.46,
      revenueEstimate: null,
      analysts: 10,
    });
    expect(reports[1]).toMatchObject({ symbol: "HCM", epsEstimate: null, analysts: null });
    expect(reports[2]).toMatchObject({ symbol: "SPWR", epsEstimate: -0.29, analysts: 11 });
  });
});

describe("past results", () => {
  const micron = liveQuery({ today: "2026-06-04", instrument: instrument("US", "MU") });
  const page = (...rows: unknown[]) => ({ data: { earningsSurpriseTable: { rows } } });
  const results = (...rows: unknown[]) =>
    transformed("earningsResults", nasdaqSurprises, page(...rows), micron)[0]?.results;

  test("the page of a company has four quarters, the newest first, in numbers and in text", () => {
    const found = results(
      {
        fiscalQtrEnd: "Feb 2026",
        dateReported: "3/18/2026",
        eps: 12.08,
        consensusForecast: "8.64",
        percentageSurprise: "39.81",
      },
      {
        fiscalQtrEnd: "Nov 2025",
        dateReported: "12/17/2025",
        eps: "$4.61",
        consensusForecast: "3.67",
      },
      { fiscalQtrEnd: "Aug 2025", dateReported: "N/A", eps: "($0.10)", consensusForecast: "N/A" },
      { fiscalQtrEnd: "May 2025", dateReported: "6/25/2025", consensusForecast: "1.57" },
    );
    expect(found).toEqual([
      { quarterEnd: "2025-08", reportedOn: null, epsActual: -0.1, epsEstimate: null },
      { quarterEnd: "2025-11", reportedOn: "2025-12-17", epsActual: 4.61, epsEstimate: 3.67 },
      { quarterEnd: "2026-02", reportedOn: "2026-03-18", epsActual: 12.08, epsEstimate: 8.64 },
    ]);
    // As Nasdaq publishes them for Micron: 39.81 and 25.61 %.
    const percents = (found ?? []).map((one) => round2(surprisePercent(one)));
    expect(percents).toEqual([null, 25.61, 39.81]);
  });

  test("an answer without results is `nothing`, one of another form is refused", async () => {
    expect(await faultOf(() => results())).toBe("nothing");
    const fault = (answer: unknown) =>
      faultOf(() => transformed("earningsResults", nasdaqSurprises, answer, micron));
    expect(await fault({ data: null, status: { rCode: 400 } })).toBe("nothing");
    expect(await fault({ data: { earningsSurpriseTable: { rows: [7] } } })).toBe("invalid_answer");
  });

  test("the calendar of a day that is over has results; reports without one are left out", async () => {
    const over = row({ eps: "$2.10", surprise: "4.48" });
    const days = [
      day("2026-08-26", over, row({ symbol: "LATE", eps: "N/A" }), row({ symbol: "A" })),
    ];
    expect(transformed("earningsResults", nasdaqReports, days, query)).toEqual([
      {
        country: "US",
        symbol: "NVDA",
        results: [
          { quarterEnd: "2026-07", reportedOn: "2026-08-26", epsActual: 2.1, epsEstimate: 2.01 },
        ],
      },
    ]);
    expect(await faultOf(() => transformed("earningsResults", nasdaqReports, [], query))).toBe(
      "nothing",
    );
  });

  test("the calendar is requested for the ten sessions before today, in New York", async () => {
    const body = JSON.stringify(day("", row()).answer);
    const client = answersFrom({ "/earnings": body });
    // The 4th of September is a Friday, the 7th is Labor Day.
    const at = liveQuery({ today: "2026-09-09T03:00Z" });
    const days = (await nasdaqReports.fetch(at, client)) as { date: string }[];
    expect(days.map(({ date }) => date.slice(5)).join(" ")).toBe(
      "08-24 08-25 08-26 08-27 08-28 08-31 09-01 09-02 09-03 09-04",
    );
  });
});
