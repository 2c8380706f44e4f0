import { describe, expect, test } from "bun:test";
import type { MacroVintages } from "#domain/macro-vintages.ts";
import { seriesOn } from "#domain/macro-vintages.ts";
import { alfredVintages } from "#sources/alfred/macro-vintages.ts";
import { SourceError } from "#sources/source.ts";
import { answersFrom } from "../support/answers.ts";
import { faultOf, queryOf } from "./macro-support.ts";

const QUERY = queryOf("US", "2026-11-20");

/** A client that answers each address with that body. */
function clientOf(bodyOf: (query: URLSearchParams) => string, key: string | null = null) {
  const client = answersFrom({}, { source: "alfred", ...(key !== null && { key }) });
  return {
    ...client,
    async request(url: string) {
      client.requests.push({ url, method: "GET", headers: {}, body: null });
      const body = bodyOf(new URL(url).searchParams);
      if (body === "down") throw new SourceError("alfred", "unreachable", "HTTP 500");
      return answersFrom({ "": body }).request(url);
    },
  };
}

async function vintages(
  bodyOf: (query: URLSearchParams) => string,
  key: string | null = null,
): Promise<readonly MacroVintages[]> {
  const raw = await alfredVintages.fetch(QUERY, clientOf(bodyOf, key));
  return [...alfredVintages.transform(raw, QUERY)] as MacroVintages[];
}

const idOf = (query: URLSearchParams) =>
  query.get("series_id") ?? query.get("id")?.split(",")[0] ?? "";

/** A graph with the levels of a quarter that each vintage has; the names of its columns can be other ones. */
function graph(
  query: URLSearchParams,
  levelOf: (period: string, day: string) => number | null,
  nameOf = (id: string, day: string) => `${id}_${day.replaceAll("-", "")}`,
): string {
  const days = query.get("vintage_date")?.split(",") ?? [];
  const rows = ["2025-07-01", "2025-10-01", "2026-01-01", "2026-04-01", "2026-07-01"].map(
    (period) => `${period},${days.map((day) => levelOf(period, day) ?? ".").join()}`,
  );
  return [
    `observation_date,${days.map((day) => nameOf(idOf(query), day)).join()}`,
    ...rows,
    "",
  ].join("\n");
}

describe("ALFRED without a key", () => {
  // The level of the third quarter is 100, and 102 a year later; first it was 103. It comes in October.
  const level = (period: string, day: string) => {
    if (period === "2025-07-01") return 100;
    if (period !== "2026-07-01") return day > period ? 101 : null;
    return day < "2026-10-01" ? null : day < "2026-11-01" ? 103 : 102;
  };

  test("asks for the ends of 24 months, twelve in a graph, and of no daily series", async () => {
    const client = clientOf((query) => graph(query, level));
    await alfredVintages.fetch(QUERY, client);
    const urls = client.requests.map(({ url }) => url);
    const ofGdp = urls.filter((url) => url.includes("id=GDPC1,"));
    expect(ofGdp).toHaveLength(2);
    expect(ofGdp[0]).toStartWith(
      "https://alfred.stlouisfed.org/graph/alfredgraph.csv?id=GDPC1,GDPC1,",
    );
    expect(ofGdp[0]).toContain("&vintage_date=2024-11-30,2024-12-31,2025-01-31,");
    expect(ofGdp[1]).toEndWith(",2026-09-30,2026-10-31");
    expect(urls.some((url) => url.includes("DGS10"))).toBeFalse();
  });

  test("knows the growth of each end of a month by the levels of that day, and no first figure", async () => {
    const gdp = (await vintages((query) => graph(query, level))).find(({ id }) => id === "gdp-yoy");
    expect(gdp?.vintages).toEqual([
      { period: "2026-Q3", since: "2026-10-31", value: 3, isBase: true },
    ]);
  });

  test.each([
    ["the plain name, as FRED answers that ignores the day", (id: string) => id],
    ["another day", (id: string) => `${id}_20200131`],
    ["another series", (_: string, day: string) => `XYZ_${day.replaceAll("-", "")}`],
  ])("is refused if a column has %s", async (_, nameOf) => {
    const all = vintages((query) => graph(query, level, nameOf));
    expect(await faultOf(all)).toBe("invalid_answer");
  });
});

describe("ALFRED with the key of FRED", () => {
  const row = (date: string, value: string, start: string, end = "9999-12-31") => ({
    realtime_start: start,
    realtime_end: end,
    date,
    value,
  });
  const answer = (observations: readonly object[], start: string) =>
    JSON.stringify({
      realtime_start: start,
      realtime_end: "9999-12-31",
      count: observations.length,
      observations,
    });
  // Nominal GDP in billions: 2023 Q4 came in January 2024. The revision of February is too small for two decimals.
  const rows = [
    row("2021-07-01", "23200", "2021-11-20"),
    row("2023-10-01", "27940", "2024-01-25", "2024-02-27"),
    row("2023-10-01", "27942", "2024-02-28", "2024-09-25"),
    row("2023-10-01", "28270", "2024-09-26"),
    row("2026-04-01", "31000", "2026-07-30"),
    // It is withdrawn with the next vintage.
    row("2026-01-01", "30500", "2026-04-29", "2026-07-29"),
    // ALFRED adds a year that it lacked.
    row("2020-10-01", "21400", "2026-08-01"),
  ];
  const play = (query: URLSearchParams) => {
    const start = query.get("realtime_start") ?? "";
    return answer(rows, start);
  };

  test("has every change with its day, and the first figure", async () => {
    const gdp = (await vintages(play, "key")).find(({ id }) => id === "nominal-gdp");
    expect(gdp?.vintages).toEqual([
      { period: "2020-Q4", since: "2026-08-01", value: 21.4, isBase: true },
      { period: "2021-Q3", since: "2021-11-20", value: 23.2, isBase: true },
      { period: "2023-Q4", since: "2024-01-25", value: 27.94 },
      { period: "2023-Q4", since: "2024-09-26", value: 28.27 },
      { period: "2026-Q1", since: "2026-04-29", value: 30.5 },
      { period: "2026-Q1", since: "2026-07-30", value: null },
      { period: "2026-Q2", since: "2026-07-30", value: 31 },
    ]);
    const series = {
      country: "US" as const,
      category: "gdp" as const,
      id: "nominal-gdp",
      name: "Nominal GDP",
      unit: "USD tn",
      decimals: 2,
      observations: [{ period: "2023-Q4", value: 28.27 }],
    };
    const on = (day: string) => gdp && seriesOn(series, gdp, day)?.observations.at(-1)?.value;
    expect(["2024-01-24", "2024-01-25", "2024-09-25", "2024-09-26"].map(on)).toEqual([
      23.2, 27.94, 27.94, 28.27,
    ]);
  });

  test("asks for five years of days", async () => {
    const client = clientOf(play, "key");
    await alfredVintages.fetch(QUERY, client);
    expect(client.requests[0]?.url).toContain(
      "&realtime_start=2021-11-20&realtime_end=9999-12-31&",
    );
  });

  test.each([
    ["other days", (query: URLSearchParams) => play(query).replace("2021-11-20", "2026-11-20")],
    ["a part", (query: URLSearchParams) => play(query).replace('"count":7', '"count":8')],
    ["no day in a row", (query: URLSearchParams) => play(query).replace("2024-01-25", "soon")],
  ])("is refused with %s", async (_, bodyOf) => {
    expect(await faultOf(vintages(bodyOf, "key"))).toBe("invalid_answer");
  });
});
