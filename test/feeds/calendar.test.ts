import { afterAll, describe, expect, test } from "bun:test";
import { formatAtom } from "#lib/atom.ts";
import { formatCalendar } from "#lib/icalendar.ts";
import { START, startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());
const { token, link } = service.createFeedLink();

const get = (query: string) =>
  fetch(`${service.origin}/feed/${link}/calendar/calendar.ics?${query}`);

/** The lines of a calendar, unfolded (RFC 5545, 3.1). */
const unfold = (text: string) => text.replaceAll("\r\n ", "").split("\r\n").slice(0, -1);

/** The events of a calendar, each with its properties by name. */
function readEvents(text: string): ReadonlyMap<string, string>[] {
  const events: Map<string, string>[] = [];
  for (const line of unfold(text)) {
    if (line === "BEGIN:VEVENT") events.push(new Map());
    const [, name = "", value = ""] = /^([A-Z-]+)[^:]*:(.*)$/.exec(line) ?? [];
    events.at(-1)?.set(name, value);
  }
  return events;
}

async function listEvents(query: string) {
  const response = await get(query);
  const text = await response.text();
  expect([response.status, text.slice(0, 15)]).toEqual([200, "BEGIN:VCALENDAR"]);
  return readEvents(text);
}

const answer = <T>(path: string) => service.payload<T>(path, token);

const plain = (date: unknown) => String(date).replaceAll("-", "");
const sorted = (list: readonly (string | undefined)[]) => list.map((one) => one ?? "").toSorted();

const entry = {
  uid: "a@b",
  start: "2026-11-20",
  summary: "a, b; c\\d\r\ne\u0007",
  description: "é".repeat(100),
  category: "Test",
  changedAt: Date.parse("2026-11-20T17:30:00Z"),
};
const example = await formatCalendar({
  name: "ベトナム".repeat(20),
  description: "",
  refreshHours: 6,
  entries: [entry, { ...entry, start: Date.parse("2026-11-20T13:30:00Z") }],
});

describe("the text of a calendar (RFC 5545)", () => {
  test("has lines of at most 75 octets that end with CRLF, and no character is split", () => {
    const lines = example.split("\r\n");
    expect(lines.pop()).toBe("");
    for (const line of lines) {
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
      expect(line).not.toMatch(/[\r\n\ufffd]/);
    }
    expect(unfold(example)).toContain(`DESCRIPTION:${"é".repeat(100)}`);
    expect(unfold(example)).toContain(`NAME:${"ベトナム".repeat(20)}`);
  });

  test("escapes text, and writes days as dates and moments in UTC", () => {
    const [first, second] = readEvents(example);
    expect(first?.get("SUMMARY")).toBe("a\\, b\\; c\\\\d\\ne");
    expect(unfold(example)).toContain("DTSTART;VALUE=DATE:20261120");
    expect(second?.get("DTSTART")).toBe("20261120T133000Z");
    // Without a duration, khal shows an hour. A day needs none.
    expect([first?.get("DURATION"), second?.get("DURATION")]).toEqual([undefined, "PT1M"]);
    expect(second?.get("DTSTAMP")).toBe("20261120T173000Z");
    // Seconds from 2000-01-01 to 2026-11-20 17:30: 9,820 days of 86,400 s, and 63,000 s.
    expect(second?.get("SEQUENCE")).toBe(String(9_820 * 86_400 + 63_000));
  });
});

describe("a calendar", () => {
  test("has the next report of each US company, and says that others are not known", async () => {
    const { earnings } = await answer<{ earnings: { symbol: string; date: string }[] }>(
      "/data/earnings/calendar?tickers=AAPL,MSFT",
    );
    const query = "kinds=earnings&tickers=MSFT,AAPL,7203.T,US:AAPL,NONE1";
    const events = await listEvents(query);
    expect(sorted(events.map((event) => event.get("DTSTART")))).toEqual(
      sorted(earnings.map(({ date }) => plain(date))),
    );
    expect(events.map((event) => event.get("SUMMARY")?.split(" ")[0])).toEqual(["MSFT", "AAPL"]);
    const words = unfold(await (await get(query)).text());
    expect(words.find((line) => line.startsWith("DESCRIPTION"))).toBe(
      "DESCRIPTION:The symbol NONE1 is unknown. Report dates are known of US companies only.",
    );
  });

  test.each([
    ["AAPL", "US", "AAPL", "USD"],
    ["7203.T", "JP", "7203", "JPY"],
    ["HOSE:FPT", "VN", "FPT", "VND"],
  ])("has the dividends of %s", async (written, country, symbol, currency) => {
    const { dividends } = await answer<{ dividends: { rows: [string, number][] } }>(
      `/data/stocks/${symbol}/history?country=${country}&range=1y&dividends=true`,
    );
    const events = await listEvents(`kinds=dividends&tickers=${written}`);
    expect(events.length).toBeGreaterThan(0);
    expect(events.map((event) => [event.get("DTSTART"), event.get("SUMMARY")])).toEqual(
      dividends.rows.map(([date, amount]) => [
        plain(date),
        `${symbol} ex-dividend ${amount} ${currency}`,
      ]),
    );
  });

  test.each(["US", "JP", "VN"])(
    "has all releases of %s at their moment in UTC",
    async (country) => {
      const { events, summary } = await answer<{
        events: { id: string; event: string; date: string; time: string }[];
        summary: { total: number };
      }>(`/data/macro/calendar?country=${country}&from=2026-10-21&limit=200`);
      const shown = await listEvents(`kinds=releases&country=${country}`);
      expect(shown.length).toBe(summary.total);
      expect(shown.map((event) => [event.get("UID"), event.get("DTSTART")])).toEqual(
        events.map(({ id, date, time }) => [
          `releases-${country}-${id}@bourse`,
          `${plain(date)}T${time.replace(":", "")}00Z`,
        ]),
      );
    },
  );

  test("names the unit of a publication's figures", async () => {
    const shown = await listEvents("kinds=releases&country=VN");
    const trade = shown.find((event) => event.get("SUMMARY") === "VN Trade balance");
    expect(trade?.get("DESCRIPTION")).toMatch(/Previous: \d+\.\d USD bn\\nUnit: USD bn\\n/);
  });

  test.each(["US", "JP", "VN"])("has the holidays of %s", async (country) => {
    interface Day {
      readonly date: string;
    }
    const { countries } = await answer<{
      countries: { code: string; upcoming_holidays: Day[]; upcoming_half_days: Day[] }[];
    }>("/data/markets");
    const market = countries.find(({ code }) => code === country);
    const days = [...(market?.upcoming_holidays ?? []), ...(market?.upcoming_half_days ?? [])];
    const events = await listEvents(`kinds=holidays&country=${country}`);
    expect(events.map((event) => event.get("DTSTART"))).toEqual(
      days.map(({ date }) => plain(date)),
    );
    // New Year's Day is a Friday, a holiday of all three.
    expect(events.map((event) => event.get("DTSTART"))).toContain("20270101");
  });

  test("has releases and holidays of all countries without tickers, and all kinds with them", async () => {
    const kindsOf = async (query: string) =>
      new Set((await listEvents(query)).map((event) => event.get("CATEGORIES")));
    expect(await kindsOf("")).toEqual(new Set(["Releases", "Holidays"]));
    expect(await kindsOf("tickers=KO")).toEqual(
      new Set(["Earnings", "Dividends", "Releases", "Holidays"]),
    );
  });

  test("has each UID once", async () => {
    const events = await listEvents("tickers=AAPL,NVDA,7203.T,FPT,^GSPC,JPY=X");
    const ids = events.map((event) => event.get("UID"));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("refuses other kinds, other countries, and company events without a known ticker", async () => {
    for (const [query, status, words] of [
      ["kinds=news", 400, "kinds must be one or more of earnings"],
      ["country=FR", 400, "country must be one or more of US, JP, VN"],
      ["kinds=splits", 400, "tickers is missing"],
      ["tickers=NONE1", 404, "The symbol NONE1 is unknown."],
      ["importance=huge", 400, "importance must be"],
    ] as const) {
      const response = await get(query);
      expect([response.status, response.headers.get("content-type")]).toEqual([
        status,
        "text/plain; charset=utf-8",
      ]);
      expect(await response.text()).toContain(words);
    }
  });

  test("keeps UID and raises SEQUENCE and DTSTAMP if a report is moved", async () => {
    const [before] = await listEvents("kinds=earnings&tickers=KO");
    const { documents } = service.market;
    const record = documents.find("earningsDates", "US", "KO");
    if (!record) throw new Error("KO has no report");
    const { source, storedAt: _, ...report } = record;
    const storedAt = START + 40_000;
    documents.put("earningsDates", [{ ...report, date: "2027-02-09" }], { source, storedAt });
    // After the 30 seconds of the cache.
    service.time.now = START + 60_000;
    const [after] = await listEvents("kinds=earnings&tickers=KO");
    expect(after?.get("UID")).toBe(before?.get("UID") ?? "");
    expect(after?.get("DTSTART")).toBe("20270209");
    expect(Number(after?.get("SEQUENCE")) - Number(before?.get("SEQUENCE"))).toBe(40);
    expect(after?.get("DTSTAMP")).toBe("20261120T173040Z");
  });
});

describe("the news feed (RFC 4287)", () => {
  interface Entry {
    readonly id: string;
    readonly title: string;
    readonly updated: string;
    readonly content: string;
  }
  const getNews = (query: string) =>
    fetch(`${service.origin}/feed/${link}/calendar/calendar.atom?${query}`);
  const partOf = (xml: string, name: string) =>
    new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? "";
  async function listNews(query: string): Promise<Entry[]> {
    const text = await (await getNews(query)).text();
    return [...text.matchAll(/<entry>(.*?)<\/entry>/gs)].map(([, entry = ""]) => ({
      id: partOf(entry, "id"),
      title: partOf(entry, "title"),
      updated: partOf(entry, "updated"),
      content: partOf(entry, "content"),
    }));
  }

  test("has the publications that happened, newest first, with their figures", async () => {
    const response = await getNews("country=US&kinds=releases");
    expect(response.headers.get("content-type")).toBe("application/atom+xml; charset=utf-8");
    const news = await listNews("country=US&kinds=releases");
    const { events } = await answer<{
      events: { id: string; date: string; time: string; event: string; actual: string | null }[];
    }>("/data/macro/calendar?country=US&from=2026-10-21&to=2026-11-20&limit=200");
    const past = events.filter(({ date, time }) => Date.parse(`${date}T${time}Z`) <= START);
    expect(news.length).toBe(Math.min(past.length, 100));
    const times = news.map(({ updated }) => updated);
    expect(times).toEqual(times.toSorted().toReversed());
    const known = past.find(({ actual }) => actual !== null);
    const found = news.find(({ id }) => id.includes(encodeURIComponent(known?.id ?? "?")));
    expect(found?.content).toContain(`Actual: ${known?.actual}`);
    // The id stays when the figures arrive, and another feed has the same one.
    expect(new Set(news.map(({ id }) => id)).size).toBe(news.length);
    for (const { id } of news) expect(id).toMatch(/^tag:bourse,2026:releases-US-[\w.%-]+$/);
  });

  test("has the reports of companies with their surprise, and no announced event", async () => {
    const news = await listNews("tickers=AAPL,7203.T&kinds=earnings,dividends");
    const { surprises } = await answer<{
      surprises: { reported_on: string; eps_actual: number; quarter_end: string }[];
    }>("/data/stocks/AAPL/forecast?country=US&sections=surprises&limit=1");
    const [newest] = surprises;
    expect(news).toContainEqual({
      id: `tag:bourse,2026:reports-US-AAPL-${newest?.quarter_end}%40bourse`,
      title: `AAPL reported ${newest?.quarter_end}: EPS ${newest?.eps_actual} USD`,
      updated: `${newest?.reported_on}T00:00:00.000Z`,
      content: expect.stringContaining("Surprise: "),
    });
    expect(news.some(({ title }) => title.startsWith("7203 ex-dividend"))).toBe(true);
    for (const { updated } of news) expect(Date.parse(updated)).toBeLessThanOrEqual(START);
  });

  test("has no secret, is the same a minute later, and is a feed without entries too", async () => {
    const text = await (await getNews("country=JP&kinds=holidays")).text();
    expect(text).not.toContain(link);
    expect(text).toContain("<updated>");
    const before = await (await getNews("country=JP&kinds=releases")).text();
    service.time.now += 60_000;
    expect(await (await getNews("country=JP&kinds=releases")).text()).toBe(before);
    service.time.now -= 60_000;
  });

  test("escapes text, and drops characters that XML has no form for", () => {
    const atom = formatAtom({
      uid: "x?a=1&b=2",
      title: "a < b & c\u0000\ud800",
      subtitle: "",
      author: "bourse",
      emptyAt: 0,
      entries: [],
    });
    expect(atom).toContain("<title>a &lt; b &amp; c\ufffd</title>");
    expect(atom).toContain("<id>tag:bourse,2026:x%3Fa%3D1%26b%3D2</id>");
    expect(atom).toContain("<updated>1970-01-01T00:00:00.000Z</updated>");
  });
});
