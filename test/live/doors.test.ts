import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SOURCES } from "#service/live.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { RecordKind } from "#domain/records.ts";
import type { Country } from "#domain/country.ts";
import { openFolder } from "../support/access.ts";
import { runWith } from "../support/cli.ts";
import { PLAYED_AT, type PlayedBody, type PlayedSource } from "../support/played-answer.ts";
import { CALLS, restPath } from "../support/contract-calls.ts";
import { type PlayedService, startPlayedService } from "../support/played-service.ts";
import { type PlayedSources, playSources } from "../support/played-sources.ts";

// Each refusal as it was seen, then the door behind it: with the service and with `sources check`.

const NAMED = /^Mozilla\/5\.0 \(compatible; bourse\/[\d.]+\)$/;
const key = (kind: RecordKind, country: Country, symbol: string | null = null): FetchKey => ({
  kind,
  country,
  symbol,
});
/** Its played figures are not the published ones, so the verdict is no measure. */
const PASSED = /^yahoo +quotes +JP +7203 +1 [^]*^yahoo +bars +JP +7203 +1 /m;
const status = (code: number): PlayedBody => ({ status: code, body: "" });
/** The sources that call one host in turn, at the pace of the slowest. */
const SHARED = [["nasdaq", "calendar", "nasdaq-earnings"]];
const NOTHING: PlayedBody = { body: "" };

interface Case {
  readonly source: string;
  readonly refuse: PlayedSource;
  /** Fetched in this order. */
  readonly keys: readonly FetchKey[];
  /** The source of each key's records, or the words of its error. */
  readonly ends: readonly (string | RegExp)[];
  /** Another source that is checked with it. */
  readonly beside?: string;
  /** What `sources check` says of the source. */
  readonly verdict: RegExp;
}

const CASES: Readonly<Record<string, Case>> = {
  "Yahoo refuses one name of the program (429)": {
    source: "yahoo",
    refuse: ({ headers }) => (NAMED.test(headers.get("user-agent") ?? "") ? status(429) : null),
    keys: [key("quotes", "JP"), key("bars", "JP", "7203"), key("statements", "JP", "7203")],
    ends: ["yahoo", "yahoo", "yahoo"],
    verdict: PASSED,
  },
  "an ad blocker hides the host of Yahoo's cookie": {
    source: "yahoo",
    refuse: ({ path }) => {
      if (path === "/") return status(403);
      const cookie = { "set-cookie": "A3=played; Domain=.yahoo.com" };
      return path === "/quote/AAPL/" ? { body: "<html>", headers: cookie } : null;
    },
    keys: [key("quotes", "JP"), key("bars", "JP", "7203")],
    ends: ["yahoo", "yahoo"],
    verdict: PASSED,
  },
  "Yahoo refuses the crumb": {
    source: "yahoo",
    refuse: ({ path }) => (path === "/v1/test/getcrumb" ? status(429) : null),
    keys: [key("quotes", "JP"), key("bars", "JP", "7203"), key("statements", "JP", "7203")],
    ends: [
      /query1\.finance\.yahoo\.com \(session\) 429: .*set BOURSE_USER_AGENT/,
      "yahoo",
      "yahoo",
    ],
    verdict: /^yahoo +partly\n {2}Without it: .*quotes/m,
  },
  "the SEC wants a contact, without parentheses": {
    source: "sec",
    refuse: ({ headers }) =>
      /^bourse\/[\d.]+ \S+@\S+$/.test(headers.get("user-agent") ?? "") ? null : status(403),
    keys: [key("statements", "US", "AAPL")],
    ends: ["sec"],
    verdict: /^sec +(works|partly)$/m,
  },
  "the SEC refuses": {
    source: "sec",
    refuse: ({ path }) => (path.startsWith("/api/xbrl/") ? status(403) : null),
    keys: [key("statements", "US", "AAPL")],
    ends: ["yahoo"],
    beside: "yahoo",
    verdict:
      /^sec +partly\n {2}Without it: statements of US come from yahoo\n {2}data\.sec\.gov 403: it wants a contact with an email address/m,
  },
  "FRED ignores cloud addresses": {
    source: "fred",
    refuse: ({ path }) => (path.startsWith("/graph/") ? status(403) : null),
    keys: [key("macroSeries", "US")],
    ends: [
      /^(?!.*oecd).*fred\.stlouisfed\.org 403: it often ignores cloud addresses; set FRED_API_KEY \(free\)/,
    ],
    verdict: /^fred +refused\n {2}Without it: no .*\n {2}fred\.stlouisfed\.org 403: it often/m,
  },
  "the IMF's SDMX service refuses": {
    source: "imf",
    refuse: ({ path }) => (path.includes("/dataflow/IMF.RES/") ? status(403) : null),
    keys: [key("macroForecasts", "VN")],
    ends: ["imf"],
    verdict: /^imf +works$/m,
  },
  "the IMF's DataMapper refuses programs": {
    source: "imf",
    refuse: ({ path }) => {
      if (path.startsWith("/external/datamapper/")) return status(403);
      const rows = [2025, 2026, 2027, 2028].flatMap((year) =>
        ["VNM", "JPN", "USA"].flatMap((iso3) =>
          ["NGDP_RPCH", "GGXWDG_NGDP", "GGXCNL_NGDP"].map(
            (code) => `${iso3},${code},A,${year},6.5`,
          ),
        ),
      );
      const header = "COUNTRY,INDICATOR,FREQUENCY,TIME_PERIOD,OBS_VALUE";
      return path.includes("/dataflow/IMF.RES/")
        ? { body: `${[header, ...rows].join("\n")}\n` }
        : null;
    },
    keys: [key("macroForecasts", "VN")],
    ends: ["imf"],
    verdict: /^imf +works$/m,
  },
  "the State Bank answers within Viet Nam only": {
    source: "sbv",
    refuse: ({ path }) => (path.startsWith("/o/article/") ? status(403) : null),
    keys: [key("macroSeries", "VN")],
    ends: [/^nso, sbv, .*/],
    verdict:
      /^sbv +partly\n {2}Without it: no M2 money supply YoY\n {2}sbv\.gov\.vn 403: it often answers only within Viet Nam/m,
  },
  "Nasdaq answers nothing to this network": {
    source: "nasdaq",
    refuse: ({ path }) => (/^\/api\/|symdir|listed\.txt/.test(path) ? NOTHING : null),
    keys: [key("instruments", "US")],
    ends: [/^sec, reference$/],
    verdict:
      /^nasdaq +refused\n {2}Without it: .*\n(?: {2}.*\n)* {2}api\.nasdaq\.com answers nothing to this network/m,
  },
  "Vietcap refuses cloud addresses": {
    source: "vietcap",
    refuse: ({ path }) => (path.includes("/iq-insight-service/") ? status(403) : null),
    keys: [key("instruments", "VN")],
    ends: [/^ssi, reference$/],
    verdict:
      /^vietcap +refused\n {2}Without it: .*\n {2}\S+vietcap\.com\.vn 403: it refuses some cloud addresses/m,
  },
  "GitHub counts the calls of others": {
    source: "constituents",
    refuse: ({ path }) => (path.startsWith("/datasets/") ? status(429) : null),
    keys: [key("instruments", "US"), key("classifications", "US")],
    ends: [/^nasdaq, reference$/, /raw\.githubusercontent\.com 429: others share this address/],
    verdict:
      /^constituents +refused\n {2}Without it: .*\n {2}raw\.githubusercontent\.com 429: others share/m,
  },
};

describe.each(Object.entries(CASES))("%s", (_, { source, refuse, keys, ends, beside, verdict }) => {
  test("the service goes through the next door, or says why not", async () => {
    using folder = openFolder();
    const played = await playSources({ nasdaq: refuse });
    const service = await startPlayedService(folder.path, played);
    try {
      const { refresher } = service.live;
      for (const country of ["US", "JP", "VN"] as const)
        if (keys.some((one) => one.country === country && one.symbol !== null))
          await refresher.refresh(key("instruments", country));
      for (const [i, one] of keys.entries()) {
        const outcome = await refresher.refresh(one);
        const end = ends[i];
        const said = `${outcome.source ?? ""}${outcome.error ?? ""}`;
        if (typeof end === "string") expect([said, outcome.records > 0]).toEqual([end, true]);
        else expect(said).toMatch(end ?? /./);
      }
    } finally {
      await service.stop();
      await played.stop();
    }
  });

  test("`sources check` says the same, with one verdict", async () => {
    using folder = openFolder();
    const played = await playSources({ nasdaq: refuse });
    try {
      const env = {
        ...played.environment,
        BOURSE_DATA: folder.path,
        BOURSE_CONTACT: "tests@bourse.example",
        BOURSE_SOURCES: [source, beside ?? source].join(","),
      };
      const clock = () => PLAYED_AT;
      const { stdout } = await runWith({ clock, sleep: async () => {} }, env, "sources", "check");
      expect(stdout).toMatch(verdict);
    } finally {
      await played.stop();
    }
  });
});

test("`sources check` asks no host for longer than three quarters of a minute", async () => {
  using folder = openFolder();
  const played = await playSources();
  try {
    const env = {
      ...played.environment,
      BOURSE_DATA: folder.path,
      BOURSE_CONTACT: "tests@bourse.example",
    };
    const { stdout } = await runWith(
      { clock: () => PLAYED_AT, sleep: async () => {} },
      env,
      "sources",
      "check",
    );
    expect(stdout).not.toMatch(/^[\w-]+ +refused$/m);
    // What is lost comes first.
    expect(stdout).toMatch(/^ {2}Without it: no .*; instruments of JP come from jpx/m);
    // A source that has several hosts takes less.
    const seconds = new Map<string, number>();
    for (const { source } of played.calls) {
      const [one] = SHARED.filter((names) => names.includes(source));
      const names = one ?? [source];
      const rate = Math.min(
        ...SOURCES.flatMap(({ name, requestsPerSecond }) =>
          names.includes(name) ? requestsPerSecond : [],
        ),
      );
      const host = names.join(", ");
      seconds.set(host, (seconds.get(host) ?? 0) + 1 / rate);
    }
    expect([...seconds].filter(([, sum]) => sum > 45)).toEqual([]);
  } finally {
    await played.stop();
  }
});

describe("while Yahoo, the SEC, FRED, the IMF, Nasdaq and the State Bank all refuse", () => {
  const REFUSED: readonly RegExp[] = [
    // Yahoo
    /^\/$|^\/quote\/|^\/v\d+\/(finance|test)\/|^\/ws\//,
    // the SEC
    /^\/files\/company_tickers|^\/api\/xbrl\//,
    // FRED, the IMF and the State Bank
    /^\/graph\/|^\/external\/|^\/o\/article\//,
    // Nasdaq
    /^\/api\/(screener|quote|calendar|company)\/|listed\.txt$/,
  ];
  const refuseAll: PlayedSource = ({ path }) =>
    REFUSED.some((one) => one.test(path)) ? status(403) : null;
  const folder = openFolder();
  let service: PlayedService;
  let played: PlayedSources;
  beforeAll(async () => {
    played = await playSources({ nasdaq: refuseAll });
    service = await startPlayedService(folder.path, played, { largest: 2 });
    await service.live.schedule.run({ stopped: () => false });
  }, 600_000);
  afterAll(async () => {
    await service.stop();
    await played.stop();
    folder[Symbol.dispose]();
  });

  test("the table of sources/README.md says what still answers", async () => {
    const rows: string[] = [];
    // The default call of the earnings calendar names a US ticker in every country.
    const calls = CALLS.filter(
      ({ operation, isDefault, arguments: { country } }) =>
        isDefault && country && operation.name !== "get_earnings_calendar",
    );
    for (const [name, own] of Map.groupBy(calls, ({ operation }) => operation.name)) {
      const cells: string[] = [];
      for (const country of ["US", "JP", "VN"]) {
        const call = own.find((one) => one.arguments["country"] === country);
        const answer = call ? await service.get(restPath(call)) : null;
        const isAnswered = answer?.status === 200;
        const isWhole = isAnswered && !answer.headers.has("x-data-missing");
        cells.push(
          isAnswered
            ? `${answer.headers.get("x-data-source") ?? "no record"}${isWhole ? "" : ", in part"}`
            : String(answer?.status ?? ""),
        );
      }
      rows.push(`| \`${name}\` | ${cells.join(" | ")} |`);
    }
    const readme = await Bun.file(new URL("../../src/sources/README.md", import.meta.url)).text();
    const plain = readme.replaceAll(/ +\|/g, " |");
    const missing = rows.filter((row) => !plain.includes(row));
    expect(missing, "Put these rows into the table What still answers.").toEqual([]);
  });

  test("an empty market is 503 with the reason and the time of the next try", async () => {
    for (const path of ["/data/sectors?country=US", "/data/sectors/overview"]) {
      const answer = await service.get(path);
      const { error } = (await answer.json()) as { error: { message: string } };
      expect([path, answer.status]).toEqual([path, 503]);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(error.message).toMatch(/(yahoo|nasdaq|sec)\.\w+ 403: .*Retry in \d+ seconds/);
    }
    const markets = await service.get("/data/markets");
    expect(markets.headers.get("x-data-missing")).toMatch(
      /nasdaq: instruments of US \(\S+nasdaq\S+ 403: /,
    );
  });

  test("every answer names what it lacks, also over MCP and in `status`", async () => {
    const macro = await service.get("/data/macro/indicators?country=JP");
    expect(macro.status).toBe(200);
    expect(macro.headers.get("x-data-missing")).toMatch(
      /fred: macro series of JP \(fred\.stlouisfed\.org 403: it often ignores cloud addresses; set FRED_API_KEY \(free\)\)/,
    );
    const history = await service.get("/data/macro/history?country=US&series=Unemployment%20rate");
    const { error } = (await history.json()) as { error: { hint: string } };
    expect([history.status, error.hint]).toEqual([
      404,
      expect.stringContaining("Sources refused, so it may be missing: fred: macro series of US ("),
    ]);
    const called = await fetch(`${service.base}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "get_macro_indicators", arguments: { country: "JP" } },
      }),
    });
    const { result } = (await called.json()) as { result: { _meta: { missing: string[] } } };
    expect(result._meta.missing).toContainEqual(expect.stringContaining("set FRED_API_KEY"));
  });

  test("the next start begins where the last one passed", async () => {
    const hosts = service.market.fetches.readHosts();
    expect(hosts.find(({ host }) => host === "query1.finance.yahoo.com (session)")).toBeUndefined();
    expect(hosts.find(({ host }) => host === "fc.yahoo.com")?.refusal).toBe("403");
    expect(hosts.find(({ host }) => host === "sdmx.oecd.org")?.refusal ?? null).toBeNull();
  });
});
