import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Country } from "#domain/country.ts";
import type { Need } from "#domain/fetch.ts";
import type { RecordKind, RecordOf } from "#domain/records.ts";
import { NO_ITEMS, type Statement } from "#domain/statement.ts";
import { csvRows } from "#lib/csv.ts";
import { addDays, isWeekend } from "#lib/date.ts";
import { flatBar, instrument } from "../support/market.ts";
import { startService } from "../support/service.ts";
import { tokensOf } from "../support/tokens.ts";

/** A Monday before the sessions of all countries. */
const BEGIN = Date.parse("2026-11-02T00:00Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let world: Awaited<ReturnType<typeof openWorld>>;
beforeEach(async () => void (world = await openWorld()));
afterAll(() => world.service.stop());

interface Brief {
  since: string;
  until: string;
  previous_since?: string;
  summary: string;
  columns: string[];
  rows: (string | number | null)[][];
  total: number;
  unknown?: string[];
  next_cursor?: string;
  source: string | null;
}

/** A market with one share of each country, closes of more than a year, and a user with two tokens. */
async function openWorld() {
  await world?.service.stop();
  const service = await startService({ sample: false });
  const { market, time, accounts } = service;
  time.now = BEGIN;
  accounts.addUser("anna", "unlimited");
  const create = () => accounts.createToken("anna", "", null, "api", ["lists:write"]);
  const [first, second] = [create(), create()];
  const put = <K extends RecordKind>(kind: K, ...records: RecordOf<K>[]) =>
    market.transaction(() => market.put(kind, records, { source: "test", storedAt: time.now }));
  put(
    "instruments",
    instrument("US", "ACME", { name: "Acme Corp" }),
    instrument("JP", "7203", { name: "Toyota" }),
    instrument("VN", "FPT", { name: "FPT" }),
  );
  const days = weekdays("2025-09-01", "2026-10-30");
  for (const [country, symbol] of SHARES)
    put("bars", { country, symbol, bars: days.map((date) => flatBar(date, 100)) });
  put("statements", quarter(2025, 4, 90), quarter(2026, 1, 100), quarter(2026, 2, 100));
  put("statements", quarter(2025, 3, 100));
  put("dividends", {
    country: "US",
    symbol: "ACME",
    dividends: [{ exDate: "2026-08-10", amount: 1 }],
  });
  const calls = {
    /** A brief over MCP; its rows as objects. */
    brief: async (args: object = {}, token = first.token) => {
      const { result, error } = await service.callTool(token, "get_brief", args);
      const text = result?.content[0]?.text ?? "";
      if (error || result?.isError) throw new Error(error?.message ?? text);
      const { data } = JSON.parse(text) as { data: Brief };
      return {
        ...data,
        text,
        whats: data.rows.map(([date, symbol, what, detail]) =>
          [what, symbol, date, detail].join(" ").trim(),
        ),
      };
    },
    save: (name: string, items: string) =>
      service.callTool(first.token, "save_list", { name, items }),
    /** Closes of the ACME share on these days. */
    bars: (...bars: (readonly [string, number])[]) =>
      put("bars", {
        country: "US",
        symbol: "ACME",
        bars: bars.map(([date, close]) => flatBar(date, close)),
      }),
  };
  await calls.save("mine", "US:ACME");
  return { service, market, time, put, first, second, ...calls };
}

const SHARES = [
  ["US", "ACME"],
  ["JP", "7203"],
  ["VN", "FPT"],
] as const satisfies readonly (readonly [Country, string])[];

function weekdays(first: string, last: string): string[] {
  const days: string[] = [];
  for (let date = first; date <= last; date = addDays(date, 1))
    if (!isWeekend(date)) days.push(date);
  return days;
}

/** A quarter of ACME, filed 30 days after its end. Its earnings per share are a hundredth of its revenue. */
function quarter(
  year: number,
  fiscalQuarter: number,
  revenue: number,
  filedOn?: string,
): Statement {
  const periodEnd = `${year}-${["03-31", "06-30", "09-30", "12-31"][fiscalQuarter - 1]}`;
  return {
    country: "US",
    symbol: "ACME",
    span: "quarter",
    fiscalYear: year,
    fiscalQuarter,
    periodEnd,
    filedOn: filedOn ?? addDays(periodEnd, 30),
    currency: "USD",
    items: { ...NO_ITEMS, revenue, epsDiluted: revenue / 100 },
  };
}

const release = (id: string, at: string, actual: string | null, importance = "high") =>
  ({
    id,
    country: "US",
    event: `Inflation ${id}`,
    date: at.slice(0, 10),
    time: at.slice(11, 16),
    importance,
    previous: "2.9%",
    forecast: "3.0%",
    consensus: null,
    actual,
  }) as RecordOf<"calendarEvents">;

const due = (date: string): RecordOf<"earningsDates"> => ({
  country: "US",
  symbol: "ACME",
  date,
  session: "after_market_close",
  fiscalPeriod: null,
  epsEstimate: 1.2,
  revenueEstimate: null,
  analysts: null,
});

describe("a brief names", () => {
  test("what became known since the last one, each kind with its figures", async () => {
    const { brief, put, bars, time } = world;
    const begun = await brief();
    expect(begun.summary).toBe("1 list, 1 instrument: nothing changed.");
    expect(begun).toMatchObject({ since: "2026-10-26T00:00:00Z", until: "2026-11-02T00:00:00Z" });
    time.now += 2 * DAY;
    // 100 + 90 + 100 + 100 to June, and 90 + 100 + 100 + 120 to September: 410 / 390 − 1 = 5.13 %.
    put("statements", quarter(2026, 3, 120));
    bars(["2026-11-02", 100], ["2026-11-03", 90]);
    put("earningsDates", due("2026-11-10"));
    put("dividends", {
      country: "US",
      symbol: "ACME",
      dividends: [
        { exDate: "2026-08-10", amount: 1 },
        { exDate: "2026-11-09", amount: 1.1 },
      ],
    });
    put(
      "calendarEvents",
      release("cpi", "2026-11-03T13:30", "3.1%"),
      release("minor", "2026-11-03T13:30", "1%", "medium"),
      release("next", "2026-11-12T13:30", null),
    );
    const { columns, rows, summary, total, source } = await brief();
    expect({ columns, rows, summary, total, source }).toEqual({
      columns: [
        "date",
        "symbol",
        "what",
        "detail",
        "before",
        "expected",
        "after",
        "percent",
        "unit",
      ],
      rows: [
        [
          "2026-10-30",
          "US:ACME",
          "statement",
          "revenue TTM to 2026-09-30",
          390,
          null,
          410,
          5.13,
          "USD",
        ],
        [
          "2026-10-30",
          "US:ACME",
          "statement",
          "eps TTM to 2026-09-30",
          3.9,
          null,
          4.1,
          5.13,
          "USD",
        ],
        ["2026-11-03", "US:ACME", "move", null, 100, null, 90, -10, "USD"],
        ["2026-11-03", "US:ACME", "low_52w", null, 100, null, 90, -10, "USD"],
        ["2026-11-03", "US", "release", "Inflation cpi", "2.9%", "3.0%", "3.1%", null, null],
        ["2026-11-10", "US:ACME", "report", "after_market_close", null, 1.2, null, null, "USD"],
        ["2026-11-09", "US:ACME", "ex_date", null, null, null, 1.1, null, "USD"],
      ],
      summary:
        "1 list, 1 instrument: 1 new statement, 1 move of 5 % or more, 1 new 52-week low, 1 macro release, 1 report due, 1 ex-date.",
      total: 7,
      source: "test",
    });
    time.now += HOUR;
    expect((await brief()).summary).toBe("1 list, 1 instrument: nothing changed.");
  });

  test("a statement that was filed before the last brief and arrived after it, and no history that arrives late", async () => {
    const { brief, put, time } = world;
    await brief();
    time.now += DAY;
    put("statements", quarter(2024, 4, 80), quarter(2026, 3, 100, "2026-10-20"));
    expect((await brief()).whats).toEqual([
      "statement US:ACME 2026-10-20 revenue TTM to 2026-09-30",
      "statement US:ACME 2026-10-20 eps TTM to 2026-09-30",
    ]);
  });

  test("what a company changed in its own forecast, once, also if it arrives late", async () => {
    const { brief, put, time } = world;
    const none = { revenue: null, operatingIncome: null, ordinaryIncome: null, eps: null };
    const forecast = (announcedOn: string, netIncome: number, dividendPerShare: number) => ({
      ...none,
      yearEnd: "2027-03-31",
      announcedOn,
      netIncome,
      dividendPerShare,
    });
    const store = (...forecasts: ReturnType<typeof forecast>[]) =>
      put("companyForecasts", { country: "JP", symbol: "7203", currency: "JPY", forecasts });
    const first = forecast("2026-08-05", 4e12, 80);
    const of = { symbols: "JP:7203" };
    store(first, forecast("2026-08-20", 4.2e12, 80));
    // The announcements of months before are no news.
    expect((await brief(of)).whats).toEqual([]);
    time.now = Date.parse("2026-11-12T00:00Z");
    // One of the last month arrives late.
    store(
      first,
      forecast("2026-08-20", 4.2e12, 80),
      forecast("2026-10-15", 4.2e12, 90),
      forecast("2026-11-06", 4.41e12, 85),
    );
    const { whats, rows, summary } = await brief(of);
    expect(whats.filter((what) => what.startsWith("forecast"))).toEqual([
      "forecast JP:7203 2026-11-06 net_income to 2027-03-31",
      "forecast JP:7203 2026-11-06 dividend_per_share to 2027-03-31",
      "forecast JP:7203 2026-10-15 dividend_per_share to 2027-03-31",
    ]);
    // 4.2 → 4.41 trillion is 5 %.
    expect(rows[0]?.slice(4)).toEqual([4.2e12, null, 4.41e12, 5, "JPY"]);
    expect(summary).toContain("3 changed forecasts");
    time.now += DAY;
    expect((await brief(of)).whats).toEqual([]);
  });

  test("nothing of a company whose statements arrive for the first time, but what was filed since", async () => {
    const { brief, put, time } = world;
    const of = { symbols: "JP:7203" };
    await brief(of);
    time.now += DAY;
    const toyota = (one: Statement): Statement => ({
      ...one,
      country: "JP",
      symbol: "7203",
      currency: "JPY",
    });
    put("statements", ...[quarter(2026, 1, 10), quarter(2026, 2, 10)].map(toyota));
    expect((await brief(of)).total).toBe(0);
    time.now += DAY;
    put("statements", toyota(quarter(2026, 3, 10, "2026-11-03")));
    const { rows } = await brief(of);
    // Four quarters are not known, so there are no figures of twelve months.
    expect(rows).toEqual([
      ["2026-11-03", "JP:7203", "statement", "period to 2026-09-30", null, null, null, null, null],
    ]);
  });

  test("a report once while it is due within 7 days, and again if its day moves", async () => {
    const { brief, put, time } = world;
    put("earningsDates", due("2026-11-12"));
    const seen: string[][] = [];
    for (let day = 2; day <= 13; day++) {
      if (day === 8) put("earningsDates", due("2026-11-11"));
      seen.push((await brief()).whats);
      time.now += DAY;
    }
    expect(seen.flatMap((whats, i) => whats.map((what) => `${i + 2}: ${what}`))).toEqual([
      // At midnight UTC it is the day before in New York.
      "6: report US:ACME 2026-11-12 after_market_close",
      "8: report US:ACME 2026-11-11 after_market_close",
    ]);
  });

  test("moves of the given size, per session, and of closes that are final", async () => {
    const { brief, bars, put, time } = world;
    await brief();
    time.now += 3 * DAY;
    bars(["2026-11-02", 103], ["2026-11-03", 103], ["2026-11-04", 108.2]);
    // At midnight UTC the session of 4 November is over in the US. Its quote was stored while it was open.
    time.now += 15 * HOUR;
    put("quotes", {
      country: "US",
      symbol: "ACME",
      date: "2026-11-05",
      price: 150,
      previousClose: 108.2,
      volume: null,
      marketCap: null,
      epsTtm: null,
      priceToBook: null,
      dividendYieldPercent: null,
    });
    const first = await brief({ move: 3 });
    // 103 / 100 and 108.2 / 103.
    expect(
      first.rows.filter(([, , what]) => what === "move").map((row) => [row[0], row[7]]),
    ).toEqual([
      ["2026-11-04", 5.05],
      ["2026-11-02", 3],
    ]);
    expect(first.whats).toContain("high_52w US:ACME 2026-11-04");
    time.now += 15 * HOUR;
    expect((await brief()).total).toBe(0);
    bars(["2026-11-05", 120]);
    time.now += HOUR;
    expect((await brief()).whats).toEqual([
      "move US:ACME 2026-11-05",
      "high_52w US:ACME 2026-11-05",
    ]);
  });

  test("moves after a split once the split is known", async () => {
    const { brief, put, time } = world;
    await brief();
    time.now += 2 * DAY;
    // Two new shares for one: 50 was 100.
    put("quotes", {
      country: "US",
      symbol: "ACME",
      date: "2026-11-03",
      price: 55,
      previousClose: 50,
      volume: null,
      marketCap: null,
      epsTtm: null,
      priceToBook: null,
      dividendYieldPercent: null,
    });
    expect((await brief()).total).toBe(0);
    time.now += DAY;
    put("splits", {
      country: "US",
      symbol: "ACME",
      splits: [{ exDate: "2026-11-03", numerator: 2, denominator: 1 }],
    });
    expect((await brief()).rows).toEqual([
      ["2026-11-03", "US:ACME", "move", null, 50, null, 55, 10, "USD"],
      ["2026-11-03", "US:ACME", "high_52w", null, 50, null, 55, 10, "USD"],
    ]);
  });

  test("no extreme of a share with less than a year of sessions", async () => {
    const { brief, put, time } = world;
    put("instruments", instrument("US", "NEW"));
    put("bars", {
      country: "US",
      symbol: "NEW",
      bars: [flatBar("2026-10-29", 10), flatBar("2026-10-30", 10)],
    });
    await brief({ symbols: "NEW" });
    time.now += 2 * DAY;
    put("bars", { country: "US", symbol: "NEW", bars: [flatBar("2026-11-02", 20)] });
    expect((await brief({ symbols: "NEW" })).whats).toEqual(["move US:NEW 2026-11-02"]);
  });

  test("sessions of three countries by their own closes", async () => {
    const { brief, put, time } = world;
    const of = { symbols: "US:ACME,JP:7203,VN:FPT" };
    await brief(of);
    for (const [country, symbol] of SHARES)
      put("bars", { country, symbol, bars: [flatBar("2026-11-02", 110)] });
    const seen: string[] = [];
    // Tokyo closes at 06:30 UTC, the last exchange of Viet Nam at 08:00, New York at 21:00.
    for (const hour of [6, 7, 8, 20, 21, 22]) {
      time.now = BEGIN + hour * HOUR + 45 * 60_000;
      for (const what of (await brief(of)).whats)
        if (what.startsWith("move")) seen.push(`${hour} ${what}`);
    }
    expect(seen).toEqual([
      "6 move JP:7203 2026-11-02",
      "8 move VN:FPT 2026-11-02",
      "21 move US:ACME 2026-11-02",
    ]);
  });
});

describe("the mark of a token", () => {
  const changed = async () => {
    const { brief, bars, time } = world;
    await brief();
    time.now += 2 * DAY;
    bars(["2026-11-02", 90]);
    return (await brief()).since;
  };

  test("moves with a brief; within 30 seconds the brief is repeated", async () => {
    const { brief, time } = world;
    await brief();
    time.now += 2 * DAY;
    world.bars(["2026-11-02", 90]);
    const once = await brief();
    time.now += 29_000;
    const again = await brief();
    expect([again.since, again.rows]).toEqual([once.since, once.rows]);
    time.now += 1_000;
    const next = await brief();
    expect([next.total, next.previous_since]).toEqual([0, once.since]);
    // A lost brief can be read again, as often as wanted.
    for (let i = 0; i < 2; i++)
      expect((await brief({ since: next.previous_since })).rows).toEqual(once.rows);
    time.now += HOUR;
    expect((await brief()).since).toBe(next.until);
  });

  test("stays where it is with since, a day, a day word or an instant with its offset", async () => {
    const { brief, time } = world;
    await changed();
    time.now += HOUR;
    const news = ["move US:ACME 2026-11-02", "low_52w US:ACME 2026-11-02"];
    for (const since of [
      "2026-11-02",
      "2 days ago",
      "2026-11-03T03:00:00+09:00",
      "2 Nov 2026",
      "2026-11-02T20:59:59Z",
    ])
      expect([since, (await brief({ since })).whats]).toEqual([since, news]);
    expect((await brief({ since: "2026-11-02T21:00:00Z" })).total).toBe(0);
    expect((await brief()).total).toBe(0);
  });

  test("is of one token, and of one list or set of symbols", async () => {
    const { brief, second, save, bars, time } = world;
    await save("other", "US:ACME,JP:7203");
    const scopes = [{}, { symbols: "list:mine" }, { symbols: "list:Other" }, { symbols: "ACME" }];
    for (const scope of scopes) await brief(scope);
    await brief({}, second.token);
    time.now += 2 * DAY;
    bars(["2026-11-02", 90]);
    for (const scope of scopes) expect((await brief(scope)).total).toBe(2);
    expect((await brief({}, second.token)).total).toBe(2);
    time.now += 31_000;
    for (const scope of [...scopes, { symbols: "list:other" }, { symbols: "US:acme" }])
      expect((await brief(scope)).total).toBe(0);
  });

  test("passes to the token that replaces its own, and goes with its list", async () => {
    const { brief, service, first, time } = world;
    const of = { symbols: "list:mine" };
    const { until } = await brief(of);
    time.now += HOUR;
    const { token } = service.accounts.replaceToken(first.id, 0);
    expect((await brief(of, token)).since).toBe(until);
    time.now += HOUR;
    await service.callTool(token, "delete_list", { name: "mine" });
    await service.callTool(token, "save_list", { name: "mine", items: "US:ACME" });
    expect((await brief(of, token)).since).toBe(
      new Date(time.now - 7 * DAY).toISOString().replace(".000", ""),
    );
  });

  test("begins for a new symbol of a list with the last brief", async () => {
    const { brief, put, save, time } = world;
    await brief();
    put("bars", { country: "JP", symbol: "7203", bars: [flatBar("2026-11-02", 90)] });
    time.now += 2 * DAY;
    await brief();
    put("bars", {
      country: "JP",
      symbol: "7203",
      bars: [flatBar("2026-11-03", 80), flatBar("2026-11-04", 70)],
    });
    time.now += DAY;
    await save("mine", "US:ACME,JP:7203");
    expect((await brief()).whats).toEqual([
      "move JP:7203 2026-11-04",
      "low_52w JP:7203 2026-11-04",
    ]);
  });
});

describe("a brief is answered", () => {
  test("with the same payload over REST, as CSV too, and moves no mark for a link", async () => {
    const { service, first, brief, bars, time } = world;
    const get = (path: string) => service.request(`/data/brief${path}`, first.token);
    await brief();
    time.now += 2 * DAY;
    bars(["2026-11-02", 90]);
    const { result } = await service.callTool(first.token, "get_brief", { as: "csv_link" });
    const { data: link } = (result?.structuredContent ?? {}) as {
      data: { csv_link: string; row_count: number };
    };
    const { text, rows } = await brief();
    const overRest = await get("");
    expect(await overRest.text()).toBe(text);
    expect(overRest.headers.get("cache-control")).toBe("private, max-age=0");
    expect([...csvRows(await (await get("?format=csv")).text())]).toHaveLength(rows.length + 1);
    const file = await fetch(link.csv_link);
    expect([...csvRows(await file.text())]).toHaveLength(link.row_count + 1);
  });

  test("in one sentence without lists, and refused where it cannot be read", async () => {
    const { service, brief, time } = world;
    service.accounts.addUser("ben", "unlimited");
    const { token } = service.accounts.createToken("ben", "", null);
    expect(await brief({}, token)).toMatchObject({
      summary: "There is no list. Save one with save_list, or give symbols.",
      total: 0,
      rows: [],
    });
    expect((await brief({ symbols: "ACME,NOPE" }, token)).unknown).toEqual(["NOPE"]);
    const refused = async (args: object) => {
      const error = await brief(args, token).then(() => "", String);
      return error.replace("Error: ", "");
    };
    expect(await refused({ symbols: "NOPE" })).toContain("No symbol was found.");
    expect(await refused({ symbols: "list:nope" })).toContain("ben has no list nope.");
    expect(await refused({ since: "2026-11-02T10:00" })).toContain(
      "since must be a date, YYYY-MM-DD, or a time with its offset",
    );
    time.now += HOUR;
    expect(await refused({ since: "2026-11-03" })).toContain(
      "since must be between 2025-11-02 and now, 2026-11-02T01:00:00Z, not 2026-11-03.",
    );
    expect(await refused({ since: "2024-01-01" })).toContain("between");
    expect(await refused({ cursor: "x" })).toContain("cursor must be");
  });

  test("for symbols to a client that may not read lists, and refused for its lists", async () => {
    const { service, brief } = world;
    const { token } = service.accounts.createToken("anna", "client", null, "api", [], []);
    expect((await brief({ symbols: "ACME" }, token)).summary).toBe(
      "1 instrument: nothing changed.",
    );
    for (const args of [{}, { symbols: "list:mine" }])
      await expectRefused(() => brief(args, token));
  });

  test("after the records of its first 50 instruments were refreshed, with what sources refused", async () => {
    const asked: Need[] = [];
    const refresh = Object.assign(
      (needs: readonly Need[]) => {
        asked.push(...needs);
        return Promise.resolve();
      },
      { missing: () => ["statements of JP: refused"] },
    );
    const service = await startService({ sample: false, onRequest: refresh });
    service.accounts.addUser("anna", "unlimited");
    const { token } = service.accounts.createToken("anna", "", null);
    const symbols = Array.from({ length: 60 }, (_, i) => `S${i}`);
    service.market.transaction(() =>
      service.market.put(
        "instruments",
        symbols.map((symbol) => instrument("US", symbol)),
        {
          source: "test",
          storedAt: BEGIN,
        },
      ),
    );
    const response = await service.request(`/data/brief?symbols=${symbols.join()}`, token);
    expect(response.headers.get("x-data-missing")).toBe("statements of JP: refused");
    // No record that is missing makes a brief impossible.
    expect(asked.every(({ optional, country }) => optional && country === "US")).toBe(true);
    const named = asked.filter(({ kind, symbol }) => kind === "statements" && symbol !== null);
    expect(named.map(({ symbol }) => symbol)).toEqual(symbols.slice(0, 50));
    await service.stop();
  });

  test("for the present only: a token in a past day is refused", async () => {
    const { service, brief } = world;
    const { token } = service.accounts.createToken(
      "anna",
      "past",
      null,
      "api",
      [],
      null,
      "2026-10-01",
    );
    for (const args of [{}, { symbols: "ACME" }]) {
      const text = await brief(args, token).then(() => "", String);
      expect(text).toContain(
        "Brief: this call answers for the present only, and this token is in 2026-10-01.",
      );
    }
  });

  test("in less than 700 tokens for 100 symbols with many changes, and the rest follows page by page", async () => {
    const { brief, put, save, time } = world;
    const symbols = Array.from({ length: 100 }, (_, i) => `LONGER${i}`);
    put("instruments", ...symbols.map((symbol) => instrument("US", symbol)));
    const days = weekdays("2025-09-01", "2026-10-30");
    for (const symbol of symbols)
      put("bars", { country: "US", symbol, bars: days.map((date) => flatBar(date, 1234.56)) });
    const shares = (one: Statement, symbol: string): Statement => ({ ...one, symbol });
    const quarters = [
      quarter(2025, 3, 1e11),
      quarter(2025, 4, 1.1e11),
      quarter(2026, 1, 1.2e11),
      quarter(2026, 2, 1.3e11),
    ];
    for (const symbol of symbols) put("statements", ...quarters.map((one) => shares(one, symbol)));
    await save("hundred", symbols.map((symbol) => `US:${symbol}`).join(","));
    const of = { symbols: "list:hundred" };
    await brief(of);
    time.now += 2 * DAY;
    for (const [i, symbol] of symbols.entries()) {
      put("statements", shares(quarter(2026, 3, 123_456_789_123 + i), symbol));
      put("bars", { country: "US", symbol, bars: [flatBar("2026-11-02", 1357.91 + i)] });
      put("earningsDates", { ...due("2026-11-09"), symbol });
    }
    put(
      "calendarEvents",
      ...Array.from({ length: 20 }, (_, i) =>
        release(`figure ${i} of a long name`, "2026-11-03T13:30", "3.1%"),
      ),
    );
    const first = await brief(of);
    expect(tokensOf(first.text)).toBeLessThan(700);
    expect(first.total).toBe(520);
    expect(first.summary).toBe(
      "list:hundred, 100 instruments: 100 new statements, 100 moves of 5 % or more, 100 new 52-week highs, 20 macro releases, 100 reports due. 10 of 520 rows are here; next_cursor reads on.",
    );
    const all = [...first.whats];
    let { next_cursor: cursor } = first;
    // What arrives between two pages is of the next brief.
    time.now += HOUR;
    put("calendarEvents", release("late", "2026-11-03T13:30", "3.1%"));
    while (cursor !== undefined) {
      const page = await brief({ ...of, cursor, limit: 100 });
      expect([page.since, page.until]).toEqual([first.since, first.until]);
      all.push(...page.whats);
      cursor = page.next_cursor;
    }
    expect(new Set(all).size).toBe(520);
    expect((await brief(of)).whats).toEqual(["release US 2026-11-03 Inflation late"]);
  });
});

async function expectRefused(work: () => Promise<unknown>) {
  const text = await work().then(() => "", String);
  expect(text).toContain("This token reads market data and no lists.");
}

/** What happens to the market or to an agent, an hour and a half to two days after the step before. */
const STEPS = [
  "statement",
  "bars",
  "bars",
  "release",
  "report",
  "exDate",
  "a",
  "b",
  "list",
] as const;

test("over consecutive briefs each change is named exactly once, for each token and scope", async () => {
  const steps = fc.array(
    fc.tuple(fc.constantFrom(...STEPS), fc.integer({ min: 90, max: 2_880 }), fc.nat(99)),
    { minLength: 20, maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (chosen) => {
      await playLaw(chosen);
    }),
    { numRuns: 6, endOnFailure: true },
  );
});

async function playLaw(steps: readonly (readonly [(typeof STEPS)[number], number, number])[]) {
  world = await openWorld();
  const { brief, put, bars, time, first, second } = world;
  const readers = [
    { token: first.token, args: {}, named: [] as string[] },
    { token: second.token, args: {}, named: [] as string[] },
    { token: second.token, args: { symbols: "list:mine", limit: 100 }, named: [] as string[] },
  ] as const;
  const read = async ({ token, args, named }: (typeof readers)[number]) => {
    named.push(...(await brief({ limit: 100, ...args }, token)).whats);
  };
  // The first brief of each reader is before all changes.
  for (const reader of readers) await read(reader);
  const happened: string[] = [];
  const dividends = [{ exDate: "2026-08-10", amount: 1 }];
  let [quarters, releases, last, close] = [0, 0, "2026-10-30", 100];
  for (const [step, minutes, value] of steps) {
    time.now += minutes * 60_000;
    const today = new Date(time.now).toISOString().slice(0, 10);
    if (step === "statement") {
      // A brief reads the statements of four fiscal years.
      if (quarters === 6) continue;
      const next = quarter(
        2026 + Math.floor((2 + quarters) / 4),
        ((2 + quarters) % 4) + 1,
        100 + value,
      );
      quarters++;
      // It can arrive weeks after its filing.
      const filedOn = addDays(today, -(value % 40));
      put("statements", { ...next, filedOn });
      for (const figure of ["revenue", "eps"])
        happened.push(`statement US:ACME ${filedOn} ${figure} TTM to ${next.periodEnd}`);
    } else if (step === "bars") {
      // The sessions that are over in New York in winter and summer: late ones come together.
      const over = addDays(new Date(time.now - 22 * HOUR).toISOString().slice(0, 10), 0);
      const added = weekdays(addDays(last, 1), over);
      bars(
        ...added.map((date, i) => {
          const percent = ((value + i * 37) % 21) - 10;
          const before = close;
          close *= 1 + percent / 100;
          if (Math.abs(100 * (close / before - 1)) >= 5) happened.push(`move US:ACME ${date}`);
          return [date, close] as const;
        }),
      );
      last = added.at(-1) ?? last;
    } else if (step === "release") {
      const id = `r${releases++}`;
      // The figure is known up to 20 days after the time of the release.
      const at = new Date(time.now - (value % 20) * DAY).toISOString();
      put("calendarEvents", release(id, at, null));
      time.now += HOUR;
      put("calendarEvents", release(id, at, "3.1%"));
      happened.push(`release US ${at.slice(0, 10)} Inflation ${id}`);
    } else if (step === "exDate") {
      const exDate = addDays(today, dividends.length % 3);
      if (dividends.some((one) => one.exDate >= exDate)) continue;
      dividends.push({ exDate, amount: 1 });
      put("dividends", { country: "US", symbol: "ACME", dividends: [...dividends] });
      happened.push(`ex_date US:ACME ${exDate}`);
    } else if (step === "report") {
      // Every reader sees a date before the next one replaces it.
      const date = addDays(today, 1 + (value % 5));
      if (happened.some((one) => one.startsWith(`report US:ACME ${date}`))) continue;
      put("earningsDates", due(date));
      happened.push(`report US:ACME ${date} after_market_close`);
      for (const reader of readers) await read(reader);
    } else if (step === "list") {
      await read(readers[2]);
    } else await read(step === "a" ? readers[0] : readers[1]);
  }
  time.now += HOUR;
  for (const reader of readers) await read(reader);
  for (const { named } of readers)
    expect(named.filter((what) => !what.includes("_52w")).toSorted()).toEqual(happened.toSorted());
}
