import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Country } from "#domain/country.ts";
import type { RecordKind } from "#domain/records.ts";
import { claimMarket } from "#ingest/ingest.ts";
import { describeRefusal } from "#sources/refusal.ts";
import { noteServer } from "#service/servers.ts";
import { openMarket } from "#store/index.ts";
import { cliClock, openUsers, run } from "../support/cli.ts";
import { playSmtp } from "../support/played-smtp.ts";
import { START, startService } from "../support/service.ts";
import { entradeChart, playedAt, startUpstream } from "../support/upstream.ts";

interface Finding {
  check: string;
  level: string;
  text: string;
}

/** What doctor says about a folder with one user, by check. */
async function diagnose(env: Record<string, string>) {
  const { code, stdout, stderr } = await run({ BOURSE_PORT: "0", ...env }, "doctor", "--json");
  const findings = JSON.parse(stdout) as Finding[];
  const find = (check: string) => {
    const found = findings.find((one) => one.check === check);
    return found && [found.level, found.text];
  };
  return { code, stderr, findings, find };
}

async function openHome() {
  const folder = await openUsers("owner --plan unlimited");
  chmodSync(folder.path, 0o700);
  return { ...folder, env: { BOURSE_DATA: folder.path } };
}

describe("doctor", () => {
  test("finds nothing to do in a new data folder", async () => {
    using home = await openHome();
    const { code, stderr, findings } = await diagnose(home.env);
    expect([code, stderr]).toEqual([0, ""]);
    expect(findings.filter(({ level, check }) => level !== "ok" && check !== "disk")).toEqual([]);
    expect(findings.map(({ check }) => check)).toEqual(
      "folder disk access.db market.db service proxy sources backup".split(" "),
    );
  });

  test("warns if other users can read the folder", async () => {
    using home = await openHome();
    chmodSync(home.path, 0o755);
    const { code, find } = await diagnose(home.env);
    expect([code, find("folder")]).toEqual([
      0,
      ["warning", `Other users can read ${home.path}; make it private: chmod 700 ${home.path}`],
    ]);
  });

  test("names a damaged file and how to restore it", async () => {
    using home = await openHome();
    writeFileSync(join(home.path, "market.db"), "not a database");
    const { code, stderr, find } = await diagnose(home.env);
    expect([code, stderr]).toEqual([1, "Checks failed: market.db.\n"]);
    expect(find("market.db")).toEqual([
      "failed",
      expect.stringMatching(/market\.db .*restore FILE/),
    ]);
  });

  test("names a port in use", async () => {
    using home = await openHome();
    using other = startUpstream();
    const port = new URL(other.url).port;
    const { find } = await diagnose({ ...home.env, BOURSE_PORT: port });
    expect(find("service")).toEqual([
      "failed",
      `No service runs on this folder, and another program has port ${port} on 127.0.0.1; choose another one with --port.`,
    ]);
  });

  test("shows the proxy without its password", async () => {
    using home = await openHome();
    const { find } = await diagnose({
      ...home.env,
      HTTPS_PROXY: "http://user:secret@proxy.example:3128",
    });
    expect(find("proxy")).toEqual([
      "ok",
      "Sources are called through http://proxy.example:3128 (HTTPS_PROXY).",
    ]);
  });

  test("asks the mail server of alerts, and shows no password", async () => {
    using home = await openHome();
    using smtp = await playSmtp({ tls: "none" });
    const mail = `smtp://localhost:${smtp.port}`;
    const relay = { ...home.env, BOURSE_MAIL: mail, BOURSE_MAIL_FROM: "b@example.com" };
    const taken = await diagnose(relay);
    expect(taken.find("mail")).toEqual(["ok", "localhost takes mail from b@example.com."]);
    const secret = mail.replace("//", "//anna:pa55word@");
    const refused = await diagnose({ ...relay, BOURSE_MAIL: secret });
    expect([refused.code, refused.find("mail")]).toEqual([
      1,
      ["failed", "The mail server has no TLS with a valid certificate, which BOURSE_MAIL needs."],
    ]);
    expect(JSON.stringify(refused.findings) + refused.stderr).not.toContain("pa55word");
    expect(smtp.mails).toEqual([]);
  });

  test("refuses a folder that does not exist", async () => {
    const { code, stderr } = await run({ BOURSE_DATA: "/nonexistent" }, "doctor");
    expect([code, stderr]).toEqual([1, expect.stringContaining("There is no data folder")]);
  });
});

describe("doctor connect", () => {
  /** A service on a folder with the user anna, and the commands of a shell beside it. */
  async function openService() {
    const folder = await openUsers("anna");
    const service = await startService({ folder: folder.path, oneNode: true, beatMs: 100 });
    const note = { pid: process.ppid, url: service.origin, startedAt: START };
    const remove = noteServer(folder.path, note);
    return {
      service,
      run: (...argv: string[]) => folder.run("doctor", "connect", ...argv),
      async [Symbol.asyncDispose]() {
        remove();
        await service.stop();
        folder[Symbol.dispose]();
      },
    };
  }

  test("checks an address, with a token of its folder that it revokes", async () => {
    await using home = await openService();
    const { service } = home;
    const { code, stdout, stderr } = await home.run(service.origin);
    const checks = stdout.split("\n").map((line) => line.split(/\s+/).slice(0, 2).join(" "));
    expect([code, stderr, checks]).toEqual([
      0,
      "",
      [
        "CHECK RESULT",
        "address warning",
        "name warning",
        "port ok",
        "service ok",
        "host ok",
        "stream ok",
        "challenge ok",
        "agents ok",
        "authorization ok",
        "mcp warning",
        "",
      ],
    ]);
    const { code: failedCode, stderr: failure } = await home.run("https://localhost:1");
    expect([failedCode, failure]).toEqual([1, "Checks failed: port.\n"]);
  });

  test("shows requests as they arrive, and ends its session", async () => {
    await using home = await openService();
    const { service } = home;
    const { token } = service.createToken("pro");
    const timer = setInterval(
      () => void service.mcp(token, { jsonrpc: "2.0", id: 1, method: "tools/list" }),
      20,
    );
    const { stdout, stderr } = await home.run(service.origin, "--wait", "600");
    clearInterval(timer);
    expect(stderr).toContain("Its requests are shown for 600 seconds");
    expect(stdout).toMatch(/\d\d:\d\d:\d\d POST \/api\/v1\/svc\/mcp tools\/list 200/);
    expect(stdout).toEndWith("A client is connected.\n");
    expect(stdout).not.toContain("bourse_");
    const audit = service.accounts.listAudit({ limit: 10 }).map(({ action }) => action);
    expect(audit.slice(0, 3)).toEqual(["sign-out", "sign-in", "link created"]);
  });

  test("says after 30 seconds that nothing arrived", async () => {
    await using home = await openService();
    const { service } = home;
    const isWatching = () =>
      service.accounts.listAudit({ limit: 3 }).some(({ action }) => action === "sign-in");
    // Earlier, the service would end the requests of the checks as too slow.
    const timer = setInterval(() => (service.time.now += isWatching() ? 1_000 : 0), 1);
    const { stdout } = await home.run(service.origin, "--wait", "600", "--json");
    clearInterval(timer);
    expect((JSON.parse(stdout) as Finding[]).at(-1)).toEqual({
      check: "client",
      level: "warning",
      text: expect.stringContaining("Nothing arrived in 30 s"),
    });
  });

  test("asks for an address, and sends a token of its folder to no other service", async () => {
    await using home = await openService();
    expect(await home.run()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Name the address of the service"),
    });
    expect((await home.run("http://localhost:1", "--wait", "1e3")).stderr).toContain(
      "--wait must be a whole number of seconds from 0 to 600",
    );
  });
});

describe("doctor of a live market", () => {
  const live = (url: string) => ({
    BOURSE_MARKET: "live",
    BOURSE_SOURCES: "entrade",
    BOURSE_SOURCE_URL_ENTRADE: url,
  });
  const answerDated = (offsetMs: number) => () =>
    new Response(entradeChart(), {
      headers: { Date: new Date(cliClock() + offsetMs).toUTCString() },
    });

  test("calls every source that is switched on", async () => {
    using home = await openHome();
    using upstream = startUpstream(answerDated(0));
    const { code, find } = await diagnose({ ...home.env, ...live(upstream.url) });
    expect(code).toBe(0);
    expect(find("entrade")).toEqual([
      "ok",
      expect.stringMatching(/^It answers \(\d+ records? of bars\)\.$/),
    ]);
    expect(find("clock")).toEqual(["ok", "It agrees with the sources."]);
  });

  test.each([
    [10 * 60_000, "10 minutes behind the sources"],
    [-3_600_000, "60 minutes ahead of the sources"],
    [30 * 3_600_000, "30 hours behind the sources"],
    [-92 * 86_400_000, "92 days ahead of the sources"],
  ])("compares the clock with the dates of the answers (%d ms)", async (offsetMs, text) => {
    using home = await openHome();
    using upstream = startUpstream(answerDated(offsetMs));
    const { code, find } = await diagnose({ ...home.env, ...live(upstream.url) });
    expect([code, find("clock")]).toEqual([1, ["failed", expect.stringContaining(text)]]);
  });

  test("does not warn about a source that needs a key and has none", async () => {
    using home = await openHome();
    const { code, find } = await diagnose({
      ...home.env,
      ...live("http://127.0.0.1:1"),
      BOURSE_SOURCES: "jquants,sec",
    });
    expect([code, find("jquants"), find("sec")]).toEqual([
      0,
      ["ok", "It is not used without a key; set JQUANTS_API_KEY to use it."],
      ["warning", expect.stringMatching(/^It .*BOURSE_CONTACT/)],
    ]);
  });

  test("names a source that refuses", async () => {
    using home = await openHome();
    using upstream = startUpstream(() => new Response("no", { status: 403 }));
    const { stderr, find } = await diagnose({ ...home.env, ...live(upstream.url) });
    expect(find("entrade")).toEqual([
      "failed",
      expect.stringMatching(/^services\.entrade\.com\.vn 403: it refuses .+\.$/),
    ]);
    expect(stderr).toContain("entrade");
  });

  test("names a cause once, with the sources and the records that it concerns", async () => {
    using home = await openHome();
    using upstream = startUpstream(() => new Response("no", { status: 403 }));
    const names = ["nasdaq", "nasdaq-earnings"];
    const urls = Object.entries(playedAt(upstream.url)).filter(([name]) => name.includes("NASDAQ"));
    const market = openMarket(home.path);
    claimMarket(market, "live");
    const host = "api.nasdaq.com";
    const key = { kind: "instruments", country: "US", symbol: null } as const;
    const why = `it is not called for a while after failures: ${describeRefusal({ host, cause: 403 })}`;
    const parts = [{ what: "Sectors (GICS)", why }];
    market.fetches.recordSuccess("nasdaq", key, cliClock(), 3, null, parts);
    const stored = { refusal: "403", refusedAt: cliClock(), blockedUntil: 0, identity: null };
    market.fetches.putHost({ host, ...stored });
    market.close();
    const { findings } = await diagnose({
      ...home.env,
      BOURSE_MARKET: "live",
      BOURSE_SOURCES: names.join(","),
      ...Object.fromEntries(urls),
    });
    const told = findings.filter(({ text }) => text.includes(host));
    expect(told.map(({ check }) => check.split(", ").sort())).toEqual([names.toSorted()]);
    expect(told[0]?.text).toBe(
      "api.nasdaq.com 403: it ignores some cloud addresses; call it from another network, or through HTTPS_PROXY. Without it: nasdaq: Sectors (GICS) of US.",
    );
    const { stdout } = await run({ ...home.env, BOURSE_MARKET: "live" }, "status");
    expect(stdout).toMatch(/^Refused .*HTTPS_PROXY \(.+\) Without it: .*\(GICS\) of US\.$/m);
    expect(stdout).not.toMatch(/^Missing /m);
  });

  test("says in the words of refusals what is live, old, missing and refused, as `status` does", async () => {
    using home = await openHome();
    using upstream = startUpstream(answerDated(0));
    const env = {
      ...home.env,
      ...live(upstream.url),
      BOURSE_SOURCES: "entrade,fred,nasdaq,reference",
    };
    const market = openMarket(home.path);
    const now = cliClock();
    const of = (kind: RecordKind, country: Country) => ({ kind, country, symbol: null });
    const why = "fred.stlouisfed.org does not answer: it often ignores cloud addresses";
    claimMarket(market, "live");
    market.fetches.recordSuccess("reference", of("instruments", "VN"), now, 3);
    market.fetches.recordSuccess("nasdaq", of("quotes", "US"), now - 9 * 86_400_000, 3);
    const parts = [{ what: "Unemployment rate", why }];
    market.fetches.recordSuccess("fred", of("macroSeries", "US"), now, 3, null, parts);
    const refused = { refusedAt: now, identity: null };
    market.fetches.putHost({
      host: "api.nasdaq.com",
      refusal: "empty",
      blockedUntil: now + 60_000,
      ...refused,
    });
    market.fetches.putHost({ host: "www.sec.gov", refusal: null, blockedUntil: 0, ...refused });
    // Two hosts of a source with one reason; the second may be called now.
    for (const [host, blockedUntil] of [
      ["fc.yahoo.com", now + 60_000],
      ["query1.finance.yahoo.com", 0],
    ] as const)
      market.fetches.putHost({
        host,
        refusal: "403",
        blockedUntil,
        ...refused,
        refusedAt: now - 1,
      });
    market.close();
    const { findings, find } = await diagnose(env);
    expect(find("live")?.[1]).toMatch(/^instruments of VN; macro series of US\.$/);
    expect(find("old")).toEqual([
      "warning",
      "quotes of US (9 d); the service fetches them while it runs.",
    ]);
    expect(find("empty")?.[1]).toContain("No source has given instruments of US, JP;");
    const words =
      "api.nasdaq.com answers nothing to this network: it ignores some cloud addresses; call it from another network, or through HTTPS_PROXY";
    expect(findings.filter(({ check }) => check === "refused")).toEqual([
      {
        check: "refused",
        level: "warning",
        text: expect.stringContaining(`${words}. It refused at `),
      },
      {
        check: "refused",
        level: "warning",
        text: expect.stringMatching(
          /^fc\.yahoo\.com 403: it refuses .*accepts \(1 more host does the same\)\. It refused at \S+\.$/,
        ),
      },
    ]);
    const missing = `fred: Unemployment rate of US (${why})`;
    expect(find("missing")).toEqual(["warning", `${missing}.`]);

    const { stdout } = await run(env, "status");
    expect(stdout).toContain(`\nRefused      ${words} (`);
    expect(stdout).toMatch(/\nRefused {6}fc\.yahoo\.com 403: .*\(1 more host does the same\) \(/);
    expect(stdout.match(/^Refused /gm)).toHaveLength(2);
    expect(stdout).toContain(`\nMissing      ${missing}\n`);
  });
});
