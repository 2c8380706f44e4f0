import { describe, expect, test } from "bun:test";
import type { Country } from "#domain/country.ts";
import { fredMacro, fredMacroJapan, fredMacroVietNam } from "#sources/fred/macro.ts";
import { FRED } from "#sources/fred/source.ts";
import { createSourceClient } from "#sources/source-client.ts";
import { SourceError } from "#sources/source.ts";
import { playedWorld, startUpstream } from "../support/upstream.ts";
import { answersFrom } from "../support/answers.ts";
import { BROKEN_BODIES, faultOf, playMacro, queryOf, shown } from "./macro-support.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";

const QUERY = queryOf("US", "2026-11-20");
const CATEGORIES = 10;

/** A CSV of monthly values for any requested series, in the form of fredgraph.csv. */
function fakeFred(values: Readonly<Record<string, string>> = {}) {
  const months = Array.from({ length: 60 }, (_, month) => {
    const date = new Date(Date.UTC(2021, 10 + month, 1)).toISOString().slice(0, 10);
    return `${date},${100 + month}`;
  });
  const bodyOf = (id: string) => values[id] ?? `observation_date,${id}\n${months.join("\n")}\n`;
  const client = answersFrom({});
  return {
    ...client,
    async request(url: string) {
      client.requests.push({ url, method: "GET", headers: {}, body: null });
      const body = bodyOf(new URL(url).searchParams.get("id") ?? "");
      if (body === "down") throw new SourceError("fred", "unreachable", "HTTP 500");
      return answersFrom({ "": body }).request(url);
    },
  };
}

async function play(values: Readonly<Record<string, string>>, query = QUERY, fetcher = fredMacro) {
  const client = fakeFred(values);
  const raw = await fetcher.fetch(query, client);
  return {
    requests: client.requests,
    records: [...fetcher.transform(raw, query)] as Parameters<typeof shown>[0],
  };
}

describe("macro series of FRED", () => {
  test("fill all ten categories of the US with three to five series each", async () => {
    const { records } = await play({});
    const counts = Map.groupBy(records, ({ category }) => category);
    expect(counts.size).toBe(CATEGORIES);
    for (const series of counts.values()) {
      expect(series.length).toBeGreaterThanOrEqual(3);
      expect(series.length).toBeLessThanOrEqual(5);
    }
  });

  test("are requested one by one, from the date that 36 observations and a year before them need", async () => {
    const { requests } = await play({});
    const addresses = requests.map(({ url }) => url);
    expect(new Set(addresses).size).toBe(addresses.length);
    expect(addresses).toContain(
      "https://fred.stlouisfed.org/graph/fredgraph.csv?id=CPIAUCSL&cosd=2021-11-20",
    );
    expect(addresses).toContain(
      "https://fred.stlouisfed.org/graph/fredgraph.csv?id=GDPC1&cosd=2014-11-20",
    );
  });

  test("a missing value (a dot or nothing) is not an observation and not a zero", async () => {
    const { records } = await play({
      DGS10: "DATE,DGS10\n2026-11-16,4.10\n2026-11-17,.\n2026-11-18,\n2026-11-19,4.25\n",
    });
    expect(shown(records, "treasury-10y")).toMatchObject({
      latest: { period: "2026-11-19", value: 4.25 },
      previous: { period: "2026-11-16", value: 4.1 },
    });
  });

  test("growth over a year compares only with the same month of the year before", async () => {
    // October 2025 was never published; October 2026 is not compared with another month.
    const { records } = await play({
      CPIAUCSL: `observation_date,CPIAUCSL
2025-08-01,100
2025-09-01,100
2025-10-01,.
2026-08-01,102
2026-09-01,103
2026-10-01,104
`,
    });
    expect(shown(records, "cpi-yoy")).toMatchObject({
      latest: { period: "2026-09", value: 3 },
      previous: { period: "2026-08", value: 2 },
    });
  });

  test("payrolls are the change from the month before, claims are in thousands", async () => {
    const { records } = await play({
      PAYEMS: "observation_date,PAYEMS\n2026-08-01,159000\n2026-09-01,159100\n2026-10-01,159075\n",
      ICSA: "observation_date,ICSA\n2026-11-07,226000\n2026-11-14,231000\n",
    });
    expect(shown(records, "nonfarm-payrolls")).toMatchObject({
      latest: { period: "2026-10", value: -25 },
      previous: { period: "2026-09", value: 100 },
      unit: "thousand",
    });
    expect(shown(records, "initial-claims")).toMatchObject({ latest: { value: 231 } });
  });

  test("a quarterly figure has the quarter of its first day", async () => {
    const { records } = await play({
      GFDEBTN: "observation_date,GFDEBTN\n2026-04-01,38000000\n2026-07-01,38510000\n",
    });
    expect(shown(records, "federal-debt")).toEqual({
      latest: { period: "2026-Q3", value: 38.51 },
      previous: { period: "2026-Q2", value: 38 },
      unit: "USD tn",
      category: "government",
    });
  });

  test("a series that ended more than 18 months ago is left out", async () => {
    const body = (month: string) => `observation_date,TCU\n2020-01-01,76\n${month}-01,77\n`;
    // 18 months before 2026-11-20 is 2025-05-20: a series to May 2025 is kept, one to April is not.
    expect(shown((await play({ TCU: body("2025-05") })).records, "capacity-use")).toBeDefined();
    expect(shown((await play({ TCU: body("2025-04") })).records, "capacity-use")).toBeUndefined();
  });

  test("at most the last 36 observations are kept", async () => {
    const { records } = await play({});
    expect(Math.max(...records.map(({ observations }) => observations.length))).toBe(36);
  });

  test("a series that fails or has another form does not lose the others", async () => {
    const all = (await play({})).records.length;
    expect((await play({ UNRATE: "down" })).records.length).toBe(all - 1);
    for (const body of Object.values(BROKEN_BODIES)) {
      expect((await play({ UNRATE: body })).records.length).toBe(all - 1);
    }
    const wrong = [
      "observation_date,PAYEMS\n2026-10-01,4.1\n",
      "observation_date,UNRATE\n2026-10-01,high\n",
      "observation_date,UNRATE\nOctober,4.1\n",
      "observation_date,UNRATE\n2026-10,4.1\n",
      "observation_date,UNRATE\n2026-10-01,4.1,5\n",
    ];
    for (const body of wrong) expect((await play({ UNRATE: body })).records.length).toBe(all - 1);
  });

  test("the source fails if more than half of the series fail", async () => {
    const ids = (await play({})).requests.map(
      ({ url }) => new URL(url).searchParams.get("id") ?? "",
    );
    const failing = (body: string, count: number) =>
      Object.fromEntries(ids.slice(0, count).map((id) => [id, body]));
    const half = Math.floor(ids.length / 2);
    expect(await faultOf(play(failing("down", half)))).toBe(null);
    expect(await faultOf(play(failing("down", half + 1)))).toBe("unreachable");
    expect(await faultOf(play(failing("<html>", half + 1)))).toBe("invalid_answer");
  });

  test("a source that is paused after failures has failed; a source that was never called has not", async () => {
    const alone = new SourceError("fred", "not_asked", "it is paused after failures", 60_000);
    const client = (errors: readonly SourceError[]) => {
      let attempts = 0;
      return { key: null, request: () => Promise.reject(errors[attempts++] ?? alone) };
    };
    const refused = new SourceError("fred", "unreachable", "no connection");
    expect(await faultOf(fredMacro.fetch(QUERY, client([refused])))).toBe("unreachable");
    expect(await faultOf(fredMacro.fetch(QUERY, client([])))).toBe("not_asked");
  });

  test("a table that ends within a figure is left out", async () => {
    const cut = "observation_date,UNRATE\n2026-09-01,4.3\n2026-10-01,4";
    const { records } = await play({ UNRATE: cut });
    expect(shown(records, "unemployment-rate")).toBeUndefined();
  });

  test("Japan and Viet Nam have their own series, with world energy prices", async () => {
    const energy = async (country: Country, fetcher: typeof fredMacro) => {
      const { records } = await play({}, queryOf(country, "2026-11-20"), fetcher);
      expect(records.every((record) => record.country === country)).toBe(true);
      return records.filter(({ category }) => category === "energy").map(({ id }) => id);
    };
    expect(await energy("JP", fredMacroJapan)).toContain("brent-oil");
    expect(await energy("VN", fredMacroVietNam)).toContain("brent-oil");
  });

  test("Japan's trade, in dollars at FRED, is shown in billions", async () => {
    const { records } = await play(
      {
        XTEXVA01JPM667S:
          "observation_date,XTEXVA01JPM667S\n2026-08-01,6.1e10\n2026-09-01,61534000000\n",
      },
      queryOf("JP", "2026-11-20"),
      fredMacroJapan,
    );
    expect(shown(records, "goods-exports")).toMatchObject({
      latest: { value: 61.5 },
      previous: { value: 61 },
      unit: "USD bn",
    });
  });
});

describe("the doors of FRED", () => {
  const KEY = "k3y-of-32-characters";
  const SETTINGS = { contact: null, program: "bourse/1.2.3", blockedUntil: 0 };
  const rows = Array.from({ length: 60 }, (_, i) => ({
    date: new Date(Date.UTC(2021, 10 + i, 1)).toISOString().slice(0, 10),
    value: i === 3 ? "." : String(100 + i),
  }));
  const api = () => Response.json({ count: rows.length, observations: rows });
  const csv = (id: string) =>
    new Response(
      `observation_date,${id}\n${rows.map(({ date, value }) => `${date},${value}\n`).join("")}`,
    );

  async function fetchWith(key: string | null, answer: (path: URL, place: number) => Response) {
    let place = 0;
    using upstream = startUpstream(({ path }) => answer(new URL(path, "http://x"), place++));
    const client = createSourceClient(
      FRED,
      { ...SETTINGS, key, mirror: upstream.url },
      playedWorld(),
    );
    const raw = await fredMacro.fetch(QUERY, client);
    const records = [...fredMacro.transform(raw, QUERY)] as Parameters<typeof shown>[0];
    const missing = fredMacro.lacks?.(raw, QUERY) ?? [];
    return { records, missing, paths: upstream.requests.map(({ path }) => path) };
  }
  const isApi = ({ pathname }: URL) => pathname === "/fred/series/observations";

  test("with a key the API is called alone, and both forms give the same", async () => {
    const keyed = await fetchWith(KEY, (url) =>
      isApi(url) ? api() : new Response("", { status: 403 }),
    );
    expect(keyed.paths.every((path) => path.includes(`&file_type=json&api_key=${KEY}`))).toBe(true);
    const keyless = await fetchWith(null, (url) => csv(url.searchParams.get("id") ?? ""));
    expect(keyless.paths.every((path) => path.startsWith("/graph/fredgraph.csv?"))).toBe(true);
    expect(keyed.records).toEqual(keyless.records);
    expect([keyed.missing, keyless.missing]).toEqual([[], []]);
  });

  // The API answers so after some calls, although the key is registered (mortada/fredapi 45).
  test("a key that is not accepted after some series opens the other door", async () => {
    const { records, missing } = await fetchWith(KEY, (url, place) => {
      if (!isApi(url)) return csv(url.searchParams.get("id") ?? "");
      return place < 3 ? api() : Response.json({ error_code: 400 }, { status: 400 });
    });
    expect([records.length > 25, missing]).toEqual([true, []]);
  });

  test("if both refuse, the error names both and no key", async () => {
    const words = await fetchWith(
      KEY,
      (url) => new Response("", { status: isApi(url) ? 400 : 403 }),
    ).then(
      () => "no error",
      (error: Error) => error.message,
    );
    expect(words).toMatch(
      /^fred: api\.stlouisfed\.org 400: it does not accept the key; check FRED_API_KEY; fred\.stlouisfed\.org 403: /,
    );
    expect(words).not.toContain(KEY);
  });

  test("a page of the API that is not whole is refused", async () => {
    const cut = () => Response.json({ count: 61, observations: rows });
    const both = fetchWith(KEY, (url) => (isApi(url) ? cut() : new Response("", { status: 403 })));
    expect(await faultOf(both)).toBe("invalid_answer");
  });
});

describe.skipIf(!hasRecordings)("recorded answers of FRED (../shared/data)", () => {
  test("CPI of August 2025 is 2.9% over a year, as the BLS published (2.7% in July)", async () => {
    const { records } = await play(
      { CPIAUCSL: recordedText("fred/fredgraph_CPIAUCSL_raw.csv") },
      queryOf("US", "2025-09-20"),
    );
    expect(shown(records, "cpi-yoy")).toMatchObject({
      latest: { period: "2025-08", value: 2.9 },
      previous: { period: "2025-07", value: 2.7 },
    });
  });

  test("the 10-year yield, unemployment and M2 to mid-2026, values read off the recording", async () => {
    const { records } = await play(
      {
        DGS10: recordedText("fred/graph_DGS10.csv"),
        UNRATE: recordedText("fred/graph_UNRATE.csv"),
        M2SL: recordedText("fred/graph_M2SL.csv"),
      },
      queryOf("US", "2026-08-01"),
    );
    expect(shown(records, "treasury-10y")).toMatchObject({
      latest: { period: "2026-07-28", value: 4.61 },
      previous: { period: "2026-07-27", value: 4.65 },
    });
    expect(shown(records, "unemployment-rate")).toMatchObject({
      latest: { period: "2026-06", value: 4.2 },
      previous: { period: "2026-05", value: 4.3 },
    });
    expect(shown(records, "m2-yoy")?.latest?.period).toBe("2026-06");
  });
});

test("every record of FRED passes its schema", async () => {
  await playMacro("macroSeries", fredMacroVietNam, queryOf("VN", "2026-11-20"), {
    DCOILBRENTEU: "observation_date,DCOILBRENTEU\n2026-11-16,63.1\n2026-11-17,62.9\n",
    PCOALAUUSDM: "observation_date,PCOALAUUSDM\n2026-09-01,105.4\n2026-10-01,104.2\n",
  });
});
