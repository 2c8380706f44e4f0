import { describe, expect, test } from "bun:test";
import { listSettings } from "#config.ts";
import { SOURCES } from "#service/live.ts";
import { addDays, dateOf, isWeekend } from "#lib/date.ts";
import { FETCHERS } from "#sources/index.ts";
import { noteServiceSettings } from "#service/last-settings.ts";
import { noteServer } from "#service/servers.ts";
import { openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { cliClock, run, runWith } from "../support/cli.ts";
import { entradeChart, playedAt, startUpstream, until } from "../support/upstream.ts";

interface Row {
  source: string;
  official: boolean;
  on: boolean;
  ready: string;
  fills: string;
  terms: string;
  lastSuccess: string | null;
  lastErrorAt: string | null;
  lastError: string | null;
  blockedUntil: string | null;
  nextFetch: string | null;
  records: number;
}

function openSources(env: Record<string, string> = {}) {
  const folder = openFolder();
  const whole = { BOURSE_DATA: folder.path, ...env };
  return {
    folder: folder.path,
    run: (...argv: string[]) => run(whole, ...argv),
    async rows(more: Record<string, string> = {}): Promise<Map<string, Row>> {
      const { code, stdout } = await run({ ...whole, ...more }, "sources", "--json");
      expect(code).toBe(0);
      return new Map((JSON.parse(stdout) as Row[]).map((row) => [row.source, row]));
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe("sources", () => {
  test("lists every source of a fetcher once, with one line for its terms and one for its data", async () => {
    using home = openSources();
    const rows = await home.rows();
    expect(new Set(rows.keys())).toEqual(new Set(FETCHERS.map(({ source }) => source.name)));
    expect(rows.size).toBe(SOURCES.length);
    for (const { name, official, terms, fills } of SOURCES) {
      expect(rows.get(name)).toMatchObject({
        official,
        terms,
        fills,
        records: 0,
        lastSuccess: null,
      });
      expect(`${terms}${fills}`).toMatch(/^[^\n]{20,}$/);
    }
  });

  test("without known terms is off unless BOURSE_SOURCES names it", async () => {
    using home = openSources();
    expect((await home.rows()).get("multpl")?.on).toBe(false);
    const named = await home.rows({ BOURSE_SOURCES: "multpl,sec" });
    expect(named.get("multpl")?.on).toBe(true);
    expect(named.get("shiller")?.on).toBe(false);
  });

  test("prints a table that marks the unofficial sources, and the terms of each source", async () => {
    using home = openSources();
    const { code, stdout, stderr } = await home.run("sources");
    expect([code, stderr]).toEqual([0, ""]);
    const lines = stdout.split("\n");
    expect(lines[0]).toMatch(
      /^SOURCE +OFFICIAL +STATE +LAST SUCCESS +NEXT FETCH +RECORDS +FAULTY +LAST ERROR$/,
    );
    for (const { name, official, terms, fills } of SOURCES) {
      const line = lines.find((text) => text.startsWith(`${name} `));
      expect(line?.split(/\s+/)[1]).toBe(official ? "yes" : "no");
      expect(stdout).toContain(`\n${name}: ${fills}\n  Terms: ${terms}\n`);
    }
  });

  test("shows which sources are switched off, and which need a contact or a key", async () => {
    using home = openSources();
    const plain = await home.rows();
    expect(plain.get("sec")).toMatchObject({ on: true, ready: "needs BOURSE_CONTACT" });
    expect(plain.get("nso")).toMatchObject({ on: true, ready: "ready" });
    const set = await home.rows({
      BOURSE_CONTACT: "ops@example.com",
      BOURSE_SOURCES: "sec, entrade",
    });
    expect(set.get("sec")).toMatchObject({ on: true, ready: "ready" });
    expect(set.get("entrade")?.on).toBe(true);
    expect(set.get("fred")?.on).toBe(false);

    for (const { name, key } of SOURCES) {
      if (!key) continue;
      expect(plain.get(name)?.ready).toBe(
        key.required ? `needs ${key.variable}` : "ready, without key",
      );
      const withKey = await home.rows({ [key.variable]: "SECRET" });
      expect(withKey.get(name)?.ready).toBe("ready, with key");
      expect(JSON.stringify([...withKey.values()])).not.toContain("SECRET");
    }
  });

  test("shows the results of each source: last success, last error and number of stored records", async () => {
    using upstream = startUpstream(entradeChart());
    using home = openSources({
      BOURSE_SOURCES: "reference,entrade",
      BOURSE_SOURCE_URL_ENTRADE: upstream.url,
    });
    const sync = (symbol: string) =>
      home.run("sync", "--country", "VN", "--symbols", symbol, "--kind", "bars");
    await sync("VNINDEX");
    let entrade = (await home.rows()).get("entrade");
    expect(entrade).toMatchObject({ records: 5, lastError: null, lastErrorAt: null });
    expect(entrade?.lastSuccess).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/);

    upstream.play(() => new Response("no", { status: 403 }));
    await sync("HNXINDEX");
    entrade = (await home.rows()).get("entrade");
    expect(entrade).toMatchObject({
      records: 5,
      lastError: expect.stringMatching(/^entrade: services\.entrade\.com\.vn 403: it refuses /),
    });
    expect((await home.run("sources")).stdout).toMatch(
      /entrade .*Z entrade: services\.entrade\.com\.vn 403: .+\n/,
    );
  });

  test("shows when a failed key is fetched next: a list after a minute, a company after six hours", async () => {
    using home = openSources();
    const market = openMarket(home.folder);
    const now = cliClock();
    const key = { kind: "bars", country: "US" } as const;
    market.fetches.recordFailure("nasdaq", { ...key, symbol: "AAPL" }, now, "nasdaq: HTTP 500");
    market.fetches.recordFailure("yahoo", { ...key, symbol: "AAPL" }, now, "yahoo: HTTP 500");
    market.fetches.block("yahoo", now + 7 * 3_600_000);
    const list = { ...key, kind: "calendarEvents", symbol: null } as const;
    market.fetches.recordFailure("calendar", list, now, "calendar: HTTP 500");
    market.close();
    const rows = await home.rows();
    const minute = (at: number) => `${new Date(at).toISOString().slice(0, 16)}Z`;
    expect(["nasdaq", "yahoo", "calendar", "sec"].map((name) => rows.get(name)?.nextFetch)).toEqual(
      [minute(now + 6 * 3_600_000), minute(now + 7 * 3_600_000), minute(now + 60_000), null],
    );
  });

  test("shows until when a source is blocked, and a new process keeps the block", async () => {
    using upstream = startUpstream(
      () => new Response("busy", { status: 429, headers: { "Retry-After": "1800" } }),
    );
    using home = openSources({
      BOURSE_SOURCES: "reference,entrade",
      BOURSE_SOURCE_URL_ENTRADE: upstream.url,
    });
    const argv = ["sync", "--country", "VN", "--symbols", "VNINDEX", "--kind", "bars"];
    await home.run(...argv);
    expect(upstream.requests).toHaveLength(1);
    const until = (await home.rows()).get("entrade")?.blockedUntil;
    expect(Date.parse(until ?? "") - cliClock()).toBeWithin(28 * 60_000, 31 * 60_000);
    const { stdout } = await home.run("sources");
    expect(stdout).toMatch(/entrade +no +paused until \d{4}-\d\d-\d\dT\d\d:\d\dZ /);
    expect(stdout).toMatch(/reference +yes +works +\d{4}-/);
    expect((await home.run("status")).stdout).toMatch(
      /\nSources {6}entrade is paused until \d{4}-\d\d-\d\dT\d\d:\d\dZ; `[^`]+ sources` says why\n/,
    );

    upstream.play(entradeChart());
    const { code, stderr } = await home.run(...argv);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("it is not called for a while after failures"),
    ]);
    expect(upstream.requests).toHaveLength(1);
    // The check calls it anyway.
    expect((await home.run("sources", "check")).stdout).toMatch(/entrade +bars +VN +FPT +1 /);
  });

  test("refuses a contact without an email address, which the SEC answers with 403", async () => {
    for (const contact of ["https://example.com", "the operator", "ops@"]) {
      using home = openSources({ BOURSE_CONTACT: contact });
      for (const argv of [["sources"], ["sources", "check"], ["sync", "--kind", "bars"]]) {
        const { code, stderr } = await home.run(...argv);
        expect([code, stderr]).toEqual([1, expect.stringContaining("must have an email address")]);
      }
    }
  });

  test("refuses an unknown source", async () => {
    using home = openSources({ BOURSE_SOURCES: "ghost" });
    const { code, stderr } = await home.run("sources");
    expect(code).toBe(1);
    expect(stderr).toStartWith("There is no source ghost; the sources are ");
  });
});

describe("sources check", () => {
  const open = (url: string, more: Record<string, string> = {}) =>
    openSources({ BOURSE_SOURCES: "entrade", BOURSE_SOURCE_URL_ENTRADE: url, ...more });

  test("calls each source once and prints the number and the age of its records", async () => {
    using upstream = startUpstream(entradeChart());
    using home = open(upstream.url);
    const { code, stdout, stderr } = await home.run("sources", "check");
    expect(code).toBe(0);
    expect(stderr).toBe("1 of 1 called: entrade bars VN: 1 record\n");
    expect(stdout).toMatch(
      /^entrade  works\n\nSOURCE +KIND +COUNTRY +SYMBOL +RECORDS +NEWEST +ERROR\nentrade +bars +VN +FPT +1 +2026-01-09 +—\n\nSOURCE +FACT .*\nentrade +FPT close 2025-07-18 +126000 +109565 +— +— +not in the answer\n$/,
    );
    expect(upstream.requests.map(({ path }) => path)).toEqual([
      expect.stringContaining("/stock?symbol=FPT&"),
    ]);
  });

  // 126,000 VND on 2025-07-18 are 109,565.2 after 23 shares for 20; 95,800 on 2025-12-31. A dividend of
  // 1,000 after a close of 97,300 takes 1.03 % of the first.
  test.each([
    ["split", 109.57, 95.8, 0, "ok"],
    ["none", 126, 95.8, 1, "it is not adjusted for the split"],
    ["total", 106.96, 94.5, 1, "it is adjusted for cash dividends too"],
    [null, 100, 95.8, 1, "it is 0.7937 times the published figure and 0.9127 times the adjusted"],
  ])("compares closes with published ones: %s", async (adjustment, first, second, code, words) => {
    const days = ["2025-07-18", "2025-12-31"].map((date) => Date.parse(`${date}T02:00Z`) / 1000);
    const [t, prices] = [days, [first, second]];
    using upstream = startUpstream(
      JSON.stringify({ t, o: prices, h: prices, l: prices, c: prices, v: prices }),
    );
    using home = open(upstream.url);
    const text = await home.run("sources", "check");
    expect(text.code).toBe(code);
    expect(text.stdout).toContain(`  ${words}\n`);
    const json = await home.run("sources", "check", "--json");
    const [row] = JSON.parse(json.stdout) as { failed: boolean; facts: object[] }[];
    expect(row).toMatchObject({
      failed: code === 1,
      error: code === 1 ? `entrade: FPT close 2025-07-18 is ${first * 1_000}: ${words}` : null,
      facts: [{ adjustment, published: 126_000, found: first * 1_000 }],
    });
    if (code === 1) expect(text.stderr).toEndWith("Checks failed: entrade.\n");
  });

  test("fetches the companies of all facts", async () => {
    using upstream = startUpstream(() => new Response("no", { status: 403 }));
    using home = openSources({
      BOURSE_SOURCES: "jquants",
      JQUANTS_API_KEY: "k",
      BOURSE_SOURCE_URL_JQUANTS: upstream.url,
    });
    const { stdout } = await home.run("sources", "check", "--json");
    const rows = JSON.parse(stdout) as { kind: string; symbol: string | null }[];
    const symbols = rows.filter(({ kind }) => kind === "statements").map(({ symbol }) => symbol);
    expect(symbols).toContain("7203");
    expect(symbols).toContain("9432");
  });

  test("fetches a currency pair from a source that knows no companies", async () => {
    const rates: Record<string, object> = {};
    for (let date = "1999-01-04"; date < dateOf(cliClock()); date = addDays(date, 1))
      if (!isWeekend(date)) rates[date] = { USD: 1.1, JPY: 165 };
    using rated = startUpstream(JSON.stringify({ base: "EUR", rates }));
    using refusing = startUpstream(() => new Response("", { status: 403 }));
    using home = openSources({
      BOURSE_SOURCES: "frankfurter,yahoo",
      BOURSE_SOURCE_URL_FRANKFURTER: rated.url,
      BOURSE_SOURCE_URL_YAHOO: refusing.url,
    });
    const { stdout } = await home.run("sources", "check");
    expect(stdout).toMatch(/^frankfurter +bars +US +EURUSD=X +1 /m);
    expect(stdout).toMatch(/^frankfurter +bars +JP +JPY=X +1 /m);
    // Rates replace no prices of companies.
    expect(stdout).toMatch(/^ {2}Without it: .*\bno bars[^;]* of US/m);
  });

  test("stores nothing", async () => {
    using upstream = startUpstream(entradeChart());
    using home = open(upstream.url);
    await home.run("sources", "check");
    const { stdout } = await home.run("status", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ market: null, data: [] });
    expect((await home.rows()).get("entrade")?.lastSuccess).toBeNull();
  });

  test.each([
    [
      "refuses",
      () => new Response("no", { status: 403 }),
      "entrade: services.entrade.com.vn 403: ",
    ],
    ["knows nothing", () => new Response("{}", { status: 404 }), "entrade: it has no bars"],
    [
      "answers with a page",
      () => new Response("<html>"),
      "entrade: services.entrade.com.vn answers with something else: it shows a page for people instead, or this network wants a sign-in; sign in to this network",
    ],
    ["has changed its form", () => new Response('{"t":"soon"}'), "entrade: the answer has another"],
  ])("exits with 1 and names the source that %s", async (_, answer, words) => {
    using upstream = startUpstream(answer);
    using home = open(upstream.url);
    const { code, stdout, stderr } = await home.run("sources", "check", "--json");
    expect(code).toBe(1);
    expect(stderr).toEndWith("\nChecks failed: entrade.\n");
    expect(JSON.parse(stdout)).toEqual([
      {
        source: "entrade",
        kind: "bars",
        country: "VN",
        symbol: "FPT",
        records: null,
        newest: null,
        failed: true,
        error: expect.stringContaining(words),
      },
    ]);
  });

  test("reports a source that needs a contact or a key, but not as failed", async () => {
    using home = openSources({ BOURSE_SOURCES: "sec,reference" });
    const { code, stdout } = await home.run("sources", "check");
    expect(code).toBe(0);
    expect(stdout).toMatch(/sec +\w+ +US +— +— +— +sec: .*set BOURSE_CONTACT\n/);
    expect(stdout).toMatch(/reference +instruments +VN +— +\d+ /);
  });

  test("reports the other kinds of a failed source as not called, not as failed", async () => {
    using upstream = startUpstream(() => new Response("no", { status: 403 }));
    using home = open("http://127.0.0.1:1", {
      BOURSE_SOURCES: "yahoo",
      BOURSE_SOURCE_URL_YAHOO: upstream.url,
    });
    const { code, stdout, stderr } = await home.run("sources", "check", "--json");
    expect(code).toBe(1);
    expect(stderr).toEndWith("\nChecks failed: yahoo.\n");
    const rows = JSON.parse(stdout) as { failed: boolean; error: string }[];
    const failed = rows.filter((row) => row.failed);
    expect(failed.length).toBeGreaterThanOrEqual(4);
    for (const { error } of failed)
      expect(error).toMatch(
        /^yahoo: (it is not called .+: )?\w+(\.finance)?\.yahoo\.com 403: it refuses /,
      );
    const rest = rows.filter((row) => !row.failed);
    expect(rest.length).toBeGreaterThan(4);
    for (const { error } of rest) expect(error).toBe("not called: the source failed before");
  });

  test("says with one verdict what is lost with a source, and what to do", async () => {
    using upstream = startUpstream(({ path }) =>
      path.includes("/stock?") ? new Response(entradeChart()) : new Response("", { status: 403 }),
    );
    using home = openSources({
      BOURSE_SOURCES: "entrade,yahoo,sec",
      BOURSE_SOURCE_URL_ENTRADE: upstream.url,
      BOURSE_SOURCE_URL_YAHOO: upstream.url,
    });
    const { stdout } = await home.run("sources", "check");
    expect(stdout).toMatch(/^sec +not called\n {2}it requires a contact: set BOURSE_CONTACT$/m);
    expect(stdout).toMatch(/^ {2}Without it: no instruments, statements of US$/m);
    expect(stdout).toMatch(/^entrade +works$/m);
    const [, lost = "", advice = ""] =
      /^yahoo +refused\n {2}Without it: (.+)\n((?: {2}.+\n)+)/m.exec(stdout) ?? [];
    expect(lost.split("; ")).toContain("bars of VN come from entrade");
    expect(lost).toMatch(
      /(^|; )no instruments, bars, splits of JP unless JQUANTS_API_KEY is set(;|$)/,
    );
    expect(lost).toMatch(
      /(^|; )no statements of JP unless EDINET_API_KEY or JQUANTS_API_KEY is set(;|$)/,
    );
    expect(lost).toMatch(/(^|; )no classifications, quotes, [^;]+ of US, JP, VN(;|$)/);
    expect(advice).toStartWith("  fc.yahoo.com 403: it refuses this User-Agent");
    expect(advice).toContain("set BOURSE_USER_AGENT to one that it accepts");
    expect(advice.trimEnd().split("\n")).toHaveLength(1);
  });

  test("shows what an answer lacks", async () => {
    using upstream = startUpstream(({ path }) => {
      const id = new URL(path, "http://x").searchParams.get("id") ?? "";
      return id === "UNRATE"
        ? new Response("", { status: 403 })
        : new Response(`observation_date,${id}\n2025-10-01,100\n2026-09-01,101\n2026-10-01,102\n`);
    });
    using home = openSources({
      BOURSE_SOURCES: "fred",
      BOURSE_SOURCE_URL_FRED: upstream.url,
    });
    const { code, stdout } = await home.run("sources", "check");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^fred +partly\n {2}Without it: no Unemployment rate\n {2}fred\.stlouisfed\.org 403: it often/m,
    );
    expect(stdout).toMatch(
      /^fred +macroSeries +US .* not whole: Unemployment rate of US \(fred\.stlouisfed\.org 403: /m,
    );
    const rows = JSON.parse((await home.run("sources", "check", "--json")).stdout) as object[];
    expect(rows).toContainEqual(
      expect.objectContaining({
        country: "US",
        missing: [{ what: "Unemployment rate", why: expect.stringContaining("set FRED_API_KEY") }],
      }),
    );
  });

  test("says what is lost without each source that was not called", async () => {
    using answering = startUpstream("[]");
    using home = openSources(playedAt(answering.url));
    const { stdout } = await home.run("sources", "check");
    const said = (source: string) =>
      new RegExp(`^${source} +not called\\n((?: {2}.+\\n)+)`, "m").exec(stdout)?.[1];
    for (const [source, advice, kind] of [
      ["sec", "set BOURSE_CONTACT", "statements of US"],
      ["jquants", "set JQUANTS_API_KEY", "statements"],
      ["multpl", "set BOURSE_SOURCES", "index P/E of US"],
    ] as const) {
      expect(said(source)).toContain(advice);
      expect(said(source)).toMatch(new RegExp(`^ {2}Without it: .*${kind}`, "m"));
    }
    expect(said("jquants")).toContain("unless JQUANTS_API_KEY is set");
    // A source that only adds to others takes nothing from them.
    expect(stdout).toMatch(
      /^fred +\w+\n {2}Without it: (no|only other sources') macro series of /m,
    );
  });

  test("ends although a source hangs: after 30 seconds without an answer", async () => {
    const hanging = Promise.withResolvers<Response>();
    using upstream = startUpstream(({ path }) =>
      path.includes("/stock?") ? new Response(entradeChart()) : hanging.promise,
    );
    using folder = openFolder();
    const env = {
      BOURSE_DATA: folder.path,
      BOURSE_SOURCES: "entrade,fred",
      BOURSE_SOURCE_URL_ENTRADE: upstream.url,
      BOURSE_SOURCE_URL_FRED: upstream.url,
    };
    let shown = "";
    // The half minute is over when the other source has answered.
    const waits: number[] = [];
    const timeout = (ms: number) => {
      waits.push(ms);
      const signal = new AbortController();
      if (ms === 30_000) void until(() => shown.includes("entrade")).then(() => signal.abort());
      return signal.signal;
    };
    const stderr = (text: string) => void (shown += text);
    const { code, stdout } = await runWith({ timeout, stderr }, env, "sources", "check");
    expect(code).toBe(1);
    expect(waits).toContain(55_000);
    expect(stdout).toMatch(
      /^fred +refused\n {2}Without it: no macro series of US, JP, VN\n {2}fred\.stlouisfed\.org does not answer: .*set FRED_API_KEY/m,
    );
    expect(stdout).toMatch(/^entrade +bars +VN +FPT +1 /m);
    hanging.resolve(new Response(""));
  });

  test("names the refusal of a host behind which another source waits", async () => {
    using refusing = startUpstream(() => new Response("", { status: 403 }));
    // No day has an event, so each one is requested.
    using empty = startUpstream(({ path }) =>
      path.startsWith("/api/") ? new Response("", { status: 404 }) : new Response("[]"),
    );
    using folder = openFolder();
    const env = {
      BOURSE_DATA: folder.path,
      BOURSE_SOURCES: "nasdaq,calendar",
      BOURSE_SOURCE_URL_NASDAQ: refusing.url,
      BOURSE_SOURCE_URL_CALENDAR: empty.url,
    };
    let shown = "";
    // Both sources call api.nasdaq.com in turn. The calendar's turn does not come after the refusals.
    const sleep = () =>
      refusing.requests.length < 4 ? Promise.resolve() : new Promise<void>(() => {});
    const timeout = (ms: number) => {
      const signal = new AbortController();
      if (ms === 30_000) void until(() => shown.includes("nasdaq bars")).then(() => signal.abort());
      return signal.signal;
    };
    const stderr = (text: string) => void (shown += text);
    const { stdout } = await runWith({ timeout, sleep, stderr }, env, "sources", "check");
    expect(stdout).toMatch(/^calendar +refused\n.*\n {2}api\.nasdaq\.com 403: it ignores /m);
  });

  test("counts the calls on a terminal, and clears the line", async () => {
    using folder = openFolder();
    const stderrOf = async (isTerminal: boolean) => {
      const env = { BOURSE_DATA: folder.path, BOURSE_SOURCES: "vietnam-releases" };
      return (await runWith({ isTerminal }, env, "sources", "check")).stderr;
    };
    // In a log or in CI there is a line for each.
    expect(await stderrOf(false)).toMatch(
      /^1 of 1 called: vietnam-releases calendarEvents VN: \d+ records\n$/,
    );
    expect(await stderrOf(true)).toBe(
      "\r\u001B[2K1 of 1 called: vietnam-releases calendarEvents VN\r\u001B[2K",
    );
  });

  test("calls no source that is switched off", async () => {
    using upstream = startUpstream(entradeChart());
    using home = open(upstream.url, { BOURSE_SOURCES: "reference" });
    const { code, stdout } = await home.run("sources", "check", "--json");
    expect(code).toBe(0);
    expect(upstream.requests).toEqual([]);
    expect((JSON.parse(stdout) as Row[]).map(({ source }) => source)).toEqual([
      "reference",
      "reference",
      "reference",
    ]);
  });
});

describe("while a service runs on the folder", () => {
  /** Notes a service that runs with this environment. */
  function noteService(folder: string, env: Record<string, string>): () => void {
    const keys = Object.keys(env).filter((name) => name.endsWith("_API_KEY"));
    noteServiceSettings(folder, listSettings({}, env), keys);
    return noteServer(folder, {
      pid: process.ppid,
      url: "http://127.0.0.1:8787",
      startedAt: cliClock(),
    });
  }
  const VALUES = "The service's values are used here.\n";
  const differs = (names: string) =>
    `This shell has other values of ${names} than the service that runs on this folder. ${VALUES}`;

  test("sources shows its settings, and says which ones the shell has otherwise", async () => {
    using home = openSources({ BOURSE_SOURCES: "fred" });
    const env = { BOURSE_CONTACT: "ops@example.com", JQUANTS_API_KEY: "SECRET" };
    const remove = noteService(home.folder, env);
    const rows = await home.rows();
    expect(rows.get("sec")).toMatchObject({ on: true, ready: "ready" });
    expect(rows.get("fred")?.on).toBe(true);
    expect(rows.get("jquants")?.ready).toBe("ready, with key");
    const { stderr, stdout } = await home.run("sources");
    expect(stderr).toBe(differs("BOURSE_CONTACT, BOURSE_SOURCES, JQUANTS_API_KEY"));
    expect(stdout).not.toContain("SECRET");
    // A flag is a question about another value.
    const asked = await home.run("sources", "--sources", "boj", "--json");
    expect(asked.stderr).toBe(differs("BOURSE_CONTACT, JQUANTS_API_KEY"));
    const named = new Map((JSON.parse(asked.stdout) as Row[]).map((row) => [row.source, row]));
    expect([named.get("sec")?.on, named.get("boj")?.on]).toEqual([false, true]);
    // Without a service, the shell's own values count.
    remove();
    expect((await home.rows()).get("sec")?.on).toBe(false);
    expect((await home.run("sources")).stderr).toBe("");
  });

  test("a shell with the same settings reads nothing about them", async () => {
    const env = { BOURSE_CONTACT: "https://user:secret@example.com/a", JQUANTS_API_KEY: "SECRET" };
    using home = openSources(env);
    const remove = noteService(home.folder, { BOURSE_DATA: home.folder, ...env });
    expect((await home.run("sources")).stderr).toBe("");
    remove();
  });

  test("status and doctor show its sources, backups and exports", async () => {
    using home = openSources();
    await home.run("user", "add", "anna");
    const remove = noteService(home.folder, { BOURSE_EXPORT_EVERY: "1h", BOURSE_MARKET: "sample" });
    const later = (...argv: string[]) =>
      runWith({ clock: () => cliClock() + 9 * 3_600_000 }, { BOURSE_DATA: home.folder }, ...argv);
    const { stderr } = await later("status");
    expect(stderr).toBe(differs("BOURSE_EXPORT_EVERY"));
    const doctor = await later("doctor", "--json");
    expect(doctor.stderr).toContain(differs("BOURSE_EXPORT_EVERY"));
    const checks = (JSON.parse(doctor.stdout) as { check: string }[]).map(({ check }) => check);
    expect(checks).toContain("export");
    remove();
    expect((await later("status")).stderr).toBe("");
  });

  test("config shows the shell's values, and says which ones the service has", async () => {
    using home = openSources({ BOURSE_SOURCES: "fred" });
    const remove = noteService(home.folder, { BOURSE_SOURCES: "sec", BOURSE_DATA: "./data" });
    const { stdout, stderr } = await home.run("config");
    expect(stdout).toMatch(/^sources +fred +environment/m);
    expect(stderr).toBe(
      "The service that runs on this folder has other values: BOURSE_SOURCES=sec\n",
    );
    remove();
    expect((await home.run("config")).stderr).toBe("");
  });

  test("a check calls its sources, and says which key it has not", async () => {
    using upstream = startUpstream(entradeChart());
    using home = openSources({ BOURSE_SOURCE_URL_ENTRADE: upstream.url, BOURSE_SOURCES: "fred" });
    const remove = noteService(home.folder, {
      BOURSE_SOURCES: "entrade",
      JQUANTS_API_KEY: "SECRET",
    });
    const { stdout, stderr } = await home.run("sources", "check", "--json");
    expect(stderr).toStartWith(
      `${differs("BOURSE_SOURCES").trimEnd()} The service has JQUANTS_API_KEY and this shell has not, so its source is called without the key, or not at all.\n`,
    );
    const called = (JSON.parse(stdout) as Row[]).map(({ source }) => source);
    expect(new Set(called)).toEqual(new Set(["entrade"]));
    remove();
  });
});
