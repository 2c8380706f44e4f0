import { describe, expect, test } from "bun:test";
import type { FetchKey } from "#domain/fetch.ts";
import type { RecordKind } from "#domain/records.ts";
import type { Country } from "#domain/country.ts";
import { openFolder } from "../support/access.ts";
import { runWith } from "../support/cli.ts";
import { PLAYED_AT, type PlayedBody, type PlayedSource } from "../support/played-answer.ts";
import { startPlayedService } from "../support/played-service.ts";
import { playSources } from "../support/played-sources.ts";

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
    ends: [/^yahoo, reference$/],
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
