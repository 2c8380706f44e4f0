import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { signCall } from "#access/call-link.ts";
import { fingerprintToken } from "#access/token-secret.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { csvRows } from "#lib/csv.ts";
import { TEST_CLUSTER } from "../support/cluster-service.ts";
import { START, startService, type TestService } from "../support/service.ts";

const HOUR = 3_600_000;

let service: TestService;
let token: string;
let id: number;

beforeAll(async () => {
  service = await startService({ env: { BOURSE_ACCESS_LOG: "json" } });
  ({ token, id } = service.createToken("max"));
});
afterAll(() => service.stop());

interface Linked {
  csv_link: string;
  expires_at: string;
  columns: string[];
  row_count: number;
  source: string;
}

/** The payload of a tool's answer with a link. */
async function link(name: string, args: object, by = token): Promise<Linked> {
  const { result } = await service.callTool(by, name, { ...args, as: "csv_link" });
  const envelope = result?.structuredContent as { data: Linked } | undefined;
  if (!envelope) throw new Error(result?.content[0]?.text);
  return envelope.data;
}

async function read(url: string) {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  const [header = [], ...rows] = [...csvRows(await response.text())].map(({ cells }) => cells);
  return { response, header, rows };
}

describe("as=csv_link", () => {
  test("answers with a link of one hour, its columns and its number of rows, in text, structure and as a resource", async () => {
    const call = { country: "US", symbol: "AAPL" };
    const { result } = await service.callTool(token, "get_stock_price_history", {
      ...call,
      as: "csv_link",
    });
    const [text, resource, ...more] = (result?.content ?? []) as unknown as Record<
      string,
      string
    >[];
    expect(more).toEqual([]);
    const { data, ...envelope } = JSON.parse(text?.["text"] ?? "") as { data: Linked };
    expect(result?.structuredContent as object).toEqual({ ...envelope, data });
    expect(envelope).toEqual({ country: "US", as_of: new Date(START).toISOString() });
    const { csv_link: url, ...about } = data;
    expect(url).toStartWith(
      `${service.origin}/csv/get_stock_price_history.csv?country=US&symbol=AAPL&link=`,
    );
    expect(resource).toEqual({
      type: "resource_link",
      uri: url,
      name: "get_stock_price_history.csv",
      mimeType: "text/csv",
    });
    expect(about).toMatchObject({
      expires_at: new Date(START + HOUR).toISOString(),
      columns: ["date", "close", "rate", "rate_date"].slice(0, about.columns.length),
      source: "sample",
    });
    const { header, rows, response } = await read(url);
    expect([header, rows.length]).toEqual([about.columns, about.row_count]);
    // The whole series over REST.
    const path = "/data/stocks/AAPL/history?country=US";
    const all = await service.payload<{ dates: string[]; closes: number[] }>(path, token);
    expect(rows.map(([date, close]) => [date, Number(close)])).toEqual(
      all.dates.map((date, i) => [date, all.closes[i]]),
    );
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(response.headers.get("cache-control")).toStartWith("private, ");
  });

  test.each([
    ["screen_stocks", { country: "US", metrics: "pe", where: "market_cap>0", sort: "pe" }],
    ["list_symbols", { country: "US" }],
    ["get_stock_price_history", { country: "JP", symbol: "トヨタ自動車", range: "10y" }],
    ["get_macro_history", { country: "US", series: "Unemployment rate" }],
    ["get_macro_calendar", {}],
  ])("%s: the CSV has the rows of all pages", async (name, args) => {
    const { csv_link: url, row_count: count, columns } = await link(name, args);
    const { header, rows } = await read(url);
    expect([header, rows.length]).toEqual([columns, count]);
    expect(count).toBeGreaterThan(20);
    expect(new Set(rows.map((row) => row.join())).size).toBe(count);
    const limited = await link(name, { ...args, limit: 7 });
    expect([limited.row_count, (await read(limited.csv_link)).rows]).toEqual([
      7,
      name === "get_macro_history" || name === "get_stock_price_history"
        ? rows.slice(-7)
        : rows.slice(0, 7),
    ]);
  });

  test("does not take part in pages: cursor and before are left out of the link", async () => {
    const whole = await link("screen_stocks", { country: "US" });
    const { result } = await service.callTool(token, "screen_stocks", { country: "US" });
    const { data } = result?.structuredContent ?? {};
    const { next_cursor: cursor } = data as { next_cursor: string };
    const other = await link("screen_stocks", { country: "US", cursor });
    expect(other.csv_link).toBe(whole.csv_link);
  });

  test("over REST it is the same answer; csv is understood, other values and tables of the console are not", async () => {
    const path = "/data/stocks/7203/history?country=JP&range=1m";
    const data = await service.payload<Linked>(`${path}&as=csv_link`, token);
    expect(data).toEqual(
      await link("get_stock_price_history", { country: "JP", symbol: "7203", range: "1m" }),
    );
    expect((await read(data.csv_link)).rows).toHaveLength(data.row_count);
    const ratios = "/data/stocks/7203/ratios?country=JP&as=csv";
    const linked = await service.payload<Linked>(ratios, token);
    expect((await read(linked.csv_link)).header).toContain("roic_percent");
    const refused = await service.request(`${path}&as=xlsx`, token);
    const { error } = (await refused.json()) as { error: { message: string } };
    expect([refused.status, error.message]).toEqual([
      400,
      'as must be csv_link, a link to all rows as CSV, or rows, the default; not "xlsx".',
    ]);
    // The default may be written.
    const [written, bare] = await Promise.all(
      [`${path}&as=rows`, path].map(async (one) => (await service.request(one, token)).json()),
    );
    expect(written).toEqual(bare);
  });

  test("a wrong call is refused before there is a link, and format=csv leads to it", async () => {
    const refusal = async (args: object) => {
      const { result } = await service.callTool(token, "get_stock_price_history", args);
      expect(result?.isError).toBe(true);
      return result?.content[0]?.text;
    };
    expect(await refusal({ country: "US", symbol: "APPL", as: "csv_link" })).toContain("AAPL");
    expect(await refusal({ country: "US", symbol: "AAPL", as: "csv_link", form: 1 })).toContain(
      "no argument form",
    );
    expect(await refusal({ country: "US", symbol: "AAPL", format: "csv" })).toContain(
      "as=csv_link",
    );
  });
});

describe("a link", () => {
  const call = { country: "US", symbol: "AAPL", range: "1m" };
  const open = async (url: string, words: string, status = 401, code = "INVALID_TOKEN") => {
    const response = await fetch(url);
    const { error } = (await response.json()) as { error: Record<string, string> };
    expect([response.status, error["code"]]).toEqual([status, code]);
    expect(`${error["message"]} ${error["hint"]}`).toContain(words);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
  };

  test("works for its own operation, arguments, end and token only", async () => {
    const { csv_link: url } = await link("get_stock_price_history", call);
    const [, prefix = "", end = "", signature = ""] = /link=(\w+)\.(\d+)\.(.+)$/.exec(url) ?? [];
    expect(Number(end)).toBe((START + HOUR) / 1000);
    const later = Number(end) + 3600;
    for (const altered of [
      url.replace("range=1m", "range=1y"),
      url.replace("AAPL", "MSFT"),
      url.replace("country=US&", ""),
      url.replace("csv?", "csv?limit=5&"),
      url.replace(`.${end}.`, `.${later}.`),
      url.replace("get_stock_price_history", "get_stock_overview"),
      url.replace(signature, signature.split("").reverse().join("")),
      url.replace(prefix, service.createToken().token.slice(0, prefix.length)),
      url.replace(prefix, "bourse_00000000"),
    ]) {
      await open(altered, "altered");
    }
    // The service would answer the signed call, but the address names another one.
    for (const twice of [
      "range=1y&range=1m",
      "symbol=MSFT&range=1m",
      "decimal=comma&decimal=comma&range=1m",
    ])
      await open(url.replace("range=1m", twice), "in it twice");
    await open(url.slice(0, -1), "cut off");
    await open(url.replace(/&link=.*/, ""), "Open the whole link", 401, "MISSING_AUTH");
    await open(
      url.replace("get_stock_price_history.csv", "prices.csv"),
      "as=csv_link",
      404,
      "NOT_FOUND",
    );
    // The order of the arguments is free.
    await read(url.replace("country=US&symbol=AAPL", "symbol=AAPL&country=US"));
  });

  test("that is signed for longer than an hour does not work", async () => {
    const other = service.createToken("max");
    const { csv_link: url } = await link("get_stock_price_history", call, other.token);
    const fingerprint = fingerprintToken(other.token);
    if (!fingerprint) throw new Error("no token");
    const canonical = "get_stock_price_history?country=US&range=1m&symbol=AAPL";
    const end = (seconds: number) => START / 1000 + seconds;
    const linked = (text: string) => url.replace(/link=.*/, `link=${text}`);
    const sign = async (seconds: number) =>
      linked(await service.guard.signLink(`Bearer ${other.token}`, canonical, end(seconds)));
    await read(await sign(3600));
    await open(await sign(2 * 3600), "altered: a link works for one hour");
    await open(await sign(10 * 365 * 86_400), "altered: a link works for one hour");
    // A backup has the hash of the token, which signs nothing.
    const { hash } = fingerprint;
    await open(linked(signCall(fingerprint, canonical, end(3600), hash)), "altered");
  });

  test("ends with its token, and is a call of its quota", async () => {
    const free = service.createToken("free");
    const { csv_link: url } = await link("get_stock_price_history", call, free.token);
    // 30 calls an hour: the one for the link and 29 downloads.
    for (let i = 1; i <= 29; i++) expect((await fetch(url)).status).toBe(200);
    await open(url, "Rate limit exceeded", 429, "RATE_LIMIT_EXCEEDED");
    const other = service.createToken("max");
    const { csv_link: revoked } = await link("get_stock_price_history", call, other.token);
    await read(revoked);
    service.accounts.revokeToken(other.id);
    await open(revoked, "revoked");
  });

  test("answers HEAD and If-None-Match, and refuses other methods", async () => {
    const { csv_link: url } = await link("get_stock_price_history", call);
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const tag = head.headers.get("etag") ?? "";
    expect((await fetch(url, { headers: { "if-none-match": tag } })).status).toBe(304);
    const post = await fetch(url, { method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("is in no log with its signature", async () => {
    const { csv_link: url } = await link("get_stock_price_history", call);
    await read(url);
    await nextTurn();
    await nextTurn();
    const signature = /link=(.+)$/.exec(url)?.[1] ?? "";
    const lines = service.logLines.join("\n");
    expect(lines).not.toContain(signature.slice(-20));
    const entry = service.logLines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .findLast(({ path }) => String(path).startsWith("/csv/"));
    expect(entry).toMatchObject({
      interface: "rest",
      operation: "get_stock_price_history",
      path: "/csv/get_stock_price_history.csv",
      token: id,
      status: 200,
    });
  });

  // The clock of a cluster's database is its own.
  test.skipIf(TEST_CLUSTER !== undefined)("ends after an hour", async () => {
    const { csv_link: url } = await link("get_stock_price_history", call);
    service.time.now = START + HOUR - 1000;
    await read(url);
    service.time.now = START + HOUR;
    await open(url, "one hour");
    service.time.now = START;
  });
});

test("a link has the public address of the service", async () => {
  const behind = await startService({
    sample: false,
    env: { BOURSE_PUBLIC_URL: "https://data.example.com" },
  });
  const { result } = await behind.callTool(behind.createToken().token, "get_sector_overview", {
    as: "csv_link",
  });
  const { data } = result?.structuredContent ?? {};
  expect((data as Linked).csv_link).toStartWith(
    "https://data.example.com/csv/get_sector_overview.csv?link=bourse_",
  );
  await behind.stop();
});
