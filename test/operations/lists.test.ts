import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { notFound, unavailable } from "#domain/errors.ts";
import type { OwnDocuments } from "#domain/user-documents.ts";
import { MAX_LIST_ITEMS } from "#domain/user-list.ts";
import { csvRows } from "#lib/csv.ts";
import { IndexLists } from "#operations/portfolio/index-lists.ts";
import { ConsoleClient } from "../support/console-client.ts";
import { startHandMade } from "../support/contract-exchange.ts";
import { STORED_AT } from "../support/contract-market.ts";
import { expectError } from "../support/error.ts";
import { NASTY } from "../support/hostile.ts";
import { instrument, openTestMarket } from "../support/market.ts";
import { tokensOf } from "../support/tokens.ts";

const { service } = await startHandMade();
afterAll(() => service.stop());

/** A user with a token that may change lists, one that only reads, and a feed link. */
function addUser(name: "anna" | "bob") {
  service.accounts.addUser(name, "unlimited");
  const create = (...more: ["api" | "feed", ["lists:write"]?]) =>
    service.accounts.createToken(name, "test", null, ...more);
  return { name, writes: create("api", ["lists:write"]).token, reads: create("api").token };
}
/** A new feed link of a user that reads these lists. */
const linkOf = (user: string, lists: readonly string[] = []) =>
  service.accounts.createToken(user, "sheet", null, "feed", [], lists);

const anna = addUser("anna");
const bob = addUser("bob");

/** The text of a tool's answer; an error begins with `ERROR`. */
async function call(token: string, name: string, args: unknown): Promise<string> {
  const { result, error } = await service.callTool(token, name, args);
  if (error) return `ERROR ${error.code} ${error.message}`;
  return `${result?.isError ? "ERROR " : ""}${result?.content[0]?.text ?? ""}`;
}

/** The payload of a tool's answer. */
async function payload(token: string, name: string, args: unknown) {
  const text = await call(token, name, args);
  expect(text).not.toStartWith("ERROR");
  return (JSON.parse(text) as { data: Record<string, unknown> }).data;
}

const save = (name: string, items: unknown, token = anna.writes) =>
  payload(token, "save_list", { name, items });

/** The rows of a list. */
const rowsOf = async (name: string, token = anna.reads) =>
  (await payload(token, "get_lists", { name }))["rows"];

/** Calls REST, with a JSON body if one is given. */
const rest = (path: string, token: string, method = "GET", body?: unknown) =>
  service.request(`/data${path}`, token, {
    method,
    ...(body !== undefined && {
      body: typeof body === "string" ? body : JSON.stringify(body),
      headers: { "content-type": "application/json" },
    }),
  });

const APPLE = ["US", "AAPL", "Apple Inc.", null, null, null];
const TOYOTA = ["JP", "7203", "Toyota Motor Corporation", null, null, null];

beforeEach(async () => {
  // Each test begins with these lists and an empty cache.
  service.time.now += 31_000;
  for (const token of [anna.writes, bob.writes]) {
    const { rows } = await payload(token, "get_lists", {});
    for (const [name] of rows as [string][]) await call(token, "delete_list", { name });
  }
  await save("mine", ["AAPL", "7203.T"]);
  await save("held", "US:AAPL=10,BRK-B=5");
});

describe("lists over MCP and REST", () => {
  test("are saved, shown and deleted with equal payloads, each for one call", async () => {
    const written = { items: ["AAPL=3", "VN:FPT"] };
    const saved = await payload(anna.writes, "save_list", { name: "My List", ...written });
    expect(saved).toEqual({
      name: "my-list",
      is_new: true,
      items: 2,
      added: ["US:AAPL", "VN:FPT"],
      removed: [],
      source: null,
    });
    const again = await rest("/lists/My%20List", anna.writes, "PUT", { items: "AAPL=3,7203.T" });
    expect((await again.json()) as object).toMatchObject({
      data: { ...saved, is_new: false, added: ["JP:7203"], removed: ["VN:FPT"] },
    });

    for (const [path, args] of [
      ["/lists", {}],
      ["/lists/my-list", { name: "my-list" }],
      ["/lists/my-list?metrics=price,currency", { name: "my-list", metrics: "price,currency" }],
    ] as const) {
      const response = await rest(path, anna.reads);
      if (path.endsWith("currency")) continue;
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(text).toBe(await call(anna.reads, "get_lists", args));
    }
    expect(await rowsOf("my-list")).toEqual([["US", "AAPL", "Apple Inc.", 3, null, null], TOYOTA]);

    expect(await payload(anna.writes, "delete_list", { name: "MY-LIST" })).toEqual({
      deleted: "my-list",
      source: null,
    });
    expect(await call(anna.reads, "get_lists", { name: "my-list" })).toContain("has no list");
    const gone = await rest("/lists/my-list", anna.writes, "DELETE");
    expect([gone.status, await gone.text()]).toEqual([
      404,
      expect.stringContaining("anna has no list my-list"),
    ]);
  });

  test("each call counts once, also one with a broken body or without the right", async () => {
    const { user, token, id } = service.createToken("max");
    const right = service.accounts.createToken(user, "writes", null, "api", ["lists:write"]);
    const used = async () => (await service.used(id)) + (await service.used(right.id));
    let calls = 0;
    for (const [path, method, body, by, status] of [
      ["/lists/a", "PUT", { items: ["AAPL"] }, right.token, 200],
      ["/lists/a", "PUT", "{", right.token, 400],
      ["/lists/a", "PUT", { items: ["ZZZZ"] }, right.token, 404],
      ["/lists/a", "PUT", { items: ["AAPL"] }, token, 403],
      ["/lists/a", "GET", undefined, token, 200],
      ["/stocks/compare?symbols=list:a", "GET", undefined, token, 200],
      ["/lists/a", "DELETE", undefined, token, 403],
      ["/lists/a", "DELETE", undefined, right.token, 200],
    ] as const) {
      const response = await rest(path, by, method, body);
      expect([path, method, response.status]).toEqual([path, method, status]);
      expect(await used()).toBe(++calls);
    }
    const wrong = await rest("/lists/a", right.token, "POST", {});
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, PUT, DELETE"]);
    expect((await rest("/lists/a", "", "PUT", {})).status).toBe(401);
    expect(await used()).toBe(calls);
  });

  test("have the currency of each price, and pages of 50 items", async () => {
    const { columns, rows } = await payload(anna.reads, "get_lists", {
      name: "list:mine",
      metrics: ["price"],
    });
    expect(columns).toEqual("country symbol name shares weight note currency price".split(" "));
    // The newest close of the hand-made market is 110.
    expect(rows).toEqual([
      [...APPLE, "USD", 110],
      [...TOYOTA, "JPY", 110],
    ]);
    const csv = await rest("/lists/mine?metrics=price&format=csv", anna.reads);
    expect([...csvRows(await csv.text())].map(({ cells }) => cells)[2]).toEqual([
      "JP",
      "7203",
      "Toyota Motor Corporation",
      "",
      "",
      "",
      "JPY",
      "110",
    ]);
  });

  test("of 1,000 items are saved, read in pages, and restrict screens and calendars", async () => {
    const { market } = service;
    const symbols = Array.from({ length: MAX_LIST_ITEMS - 1 }, (_, i) => `Z${1_000 + i}`);
    market.transaction(() =>
      market.instruments.put(
        symbols.map((symbol) => instrument("US", symbol)),
        { source: "test", storedAt: STORED_AT },
      ),
    );
    const all = ["US:AAPL", ...symbols.map((symbol) => `US:${symbol}`)];
    expect(await save("long", all)).toMatchObject({ items: MAX_LIST_ITEMS });
    const seen: unknown[] = [];
    let cursor: unknown = null;
    let pages = 0;
    do {
      const page = await payload(anna.reads, "get_lists", {
        name: "long",
        ...(cursor !== null && { cursor }),
      });
      expect(page["total"]).toBe(MAX_LIST_ITEMS);
      expect(tokensOf(page)).toBeLessThan(1_600);
      seen.push(...(page["rows"] as string[][]).map(([country, symbol]) => `${country}:${symbol}`));
      cursor = page["next_cursor"] ?? null;
      pages++;
    } while (cursor !== null);
    expect([seen, pages]).toEqual([all, MAX_LIST_ITEMS / 50]);

    const linked = await payload(anna.reads, "get_lists", { name: "long", as: "csv_link" });
    const csv = await (await fetch(String(linked["csv_link"]))).text();
    expect([...csvRows(csv)]).toHaveLength(MAX_LIST_ITEMS + 1);

    const screen = { country: "US", where: "list:long,market_cap>1B" };
    expect(await payload(anna.reads, "screen_stocks", screen)).toMatchObject({
      total: 1,
      understood_as: "list=long (1,000 instruments)",
    });
    const dates = { tickers: "list:long", from: "2026-11-20" };
    expect(await payload(anna.reads, "get_earnings_calendar", dates)).toMatchObject({ total: 1 });
    expect(await call(anna.reads, "compare_stocks", { symbols: "list:long" })).toContain(
      "list:long gives 1000 symbols, and symbols takes at most 30. Make a shorter list, or name symbols. screen_stocks takes a list of any length: where=list:long.",
    );
    const more = await call(anna.writes, "save_list", { name: "x", items: [...all, "JP:7203"] });
    expect(more).toContain("1001 items, and a list has at most 1000");
  });
});

describe("list:NAME", () => {
  const COMPARE = "compare_stocks";
  const price = (symbols: string, token = anna.reads) =>
    payload(token, COMPARE, { symbols, metrics: "price" });
  const symbolsIn = ({ rows }: Record<string, unknown>) =>
    (rows as string[][]).map(([country, symbol]) => `${country}:${symbol}`);

  test.each([
    "list:mine",
    "LIST:Mine",
    " list : mine ",
    "list:mine,list:mine",
    "list:mine;AAPL",
    '["list:mine","AAPL"]',
  ])("%p is the list", async (symbols) => {
    const answer = await price(symbols);
    expect(symbolsIn(answer)).toEqual(["US:AAPL", "JP:7203"]);
    expect(answer["understood_as"]).toEndWith("list=mine (2 instruments: US 1, JP 1)");
  });

  test("has the members of an index, by any of its names, unless the user has a list of that name", async () => {
    const members = (list: string) => payload(anna.reads, "get_lists", { name: list });
    const { rows, total } = await members("dow");
    expect(total).toBe(2);
    expect(rows).toContainEqual(APPLE);
    const answer = await price("FPT,list:Dow Jones");
    expect(answer["understood_as"]).toMatch(
      /list=dow-jones \(2 instruments; Dow Jones Industrial Average, members known since \d{4}-\d\d-\d\d\)/,
    );
    expect(symbolsIn(answer)).toEqual(["VN:FPT", "US:AAPL", "US:YOUNG"]);
    for (const [list, country] of [
      ["S&P 500", "US"],
      ["nikkei225", "JP"],
      ["vn-30", "VN"],
      ["VN Index", "VN"],
    ] as const) {
      const among = { country, where: `list:${list}` };
      expect(await payload(anna.reads, "screen_stocks", among)).toMatchObject({ total: 1 });
    }
    await save("dow", ["AAPL"]);
    expect((await members("dow"))["total"]).toBe(1);
    expect(await call(anna.reads, COMPARE, { symbols: "list:topix" })).toContain(
      "The members of the index TOPIX are not known.",
    );
  });

  test("can be beside symbols, and other lists", async () => {
    expect(symbolsIn(await price("FPT,list:held,list:mine"))).toEqual([
      "VN:FPT",
      "US:AAPL",
      "US:BRK-B",
      "JP:7203",
    ]);
  });

  test.each([
    ["list:", "names no list"],
    ["list:株", "anna has no list 株"],
    ["list:nope", "anna has no list nope"],
    ["list:mime", "is it mine?"],
    ["list:list:mine", "anna has no list list-mine"],
    ["list:mine extra", "anna has no list mine-extra"],
  ])("%p is refused", async (symbols, says) => {
    expect(await call(anna.reads, COMPARE, { symbols })).toMatch(/^ERROR /);
    expect(await call(anna.reads, COMPARE, { symbols })).toContain(says);
  });

  test("of an empty list is refused, and so is a list in a list", async () => {
    await save("empty", []);
    expect(await call(anna.reads, COMPARE, { symbols: "list:empty" })).toContain("empty");
    const nested = await call(anna.writes, "save_list", { name: "x", items: ["list:mine"] });
    expect(nested).toContain("list:mine: Not found");
  });

  test("answers as its symbols do, over REST, MCP, CSV and a link", async () => {
    await save("owned", "AAPL=10,YOUNG=5");
    for (const [tool, path, args, plain] of [
      [COMPARE, "/stocks/compare", { symbols: "list:mine" }, { symbols: "US:AAPL,JP:7203" }],
      [
        "get_price_statistics",
        "/prices/statistics",
        { symbols: "list:mine" },
        { symbols: "US:AAPL,JP:7203" },
      ],
      [
        "analyze_portfolio",
        "/portfolio",
        { holdings: "list:owned" },
        { holdings: "US:AAPL=10,US:YOUNG=5" },
      ],
      [
        "get_earnings_calendar",
        "/earnings/calendar",
        { tickers: "list:held" },
        { tickers: "AAPL,BRK-B" },
      ],
    ] as const) {
      const { understood_as, ...answer } = await payload(anna.reads, tool, args);
      expect(understood_as).toStartWith("list=");
      expect(answer).toEqual(await payload(anna.reads, tool, plain));
      const query = new URLSearchParams(args).toString();
      const response = await rest(`${path}?${query}`, anna.reads);
      expect(response.headers.get("x-understood-as")).toBe(String(understood_as));
      expect(((await response.json()) as { data: object }).data).toEqual({
        understood_as,
        ...answer,
      });
    }
    const { csv_link: url } = await payload(anna.reads, COMPARE, {
      symbols: "list:mine",
      metrics: "price",
      as: "csv_link",
    });
    const viaLink = await (await fetch(String(url))).text();
    const viaRest = await rest(
      "/stocks/compare?symbols=list:mine&metrics=price&format=csv",
      anna.reads,
    );
    expect(viaLink).toBe(await viaRest.text());
    expect(viaLink).toContain("JP,7203");
  });

  test("a list has columns of text beside metrics", async () => {
    await save("places", ["AAPL", "7203.T"]);
    const { columns, rows } = await payload(anna.reads, "get_lists", {
      name: "places",
      metrics: "sàn,price",
    });
    const at = (columns as string[]).indexOf("exchange");
    expect((columns as string[]).slice(at - 1)).toEqual(["currency", "exchange", "price"]);
    expect((rows as unknown[][]).map((row) => row[at])).toEqual(["NASDAQ", "TSE"]);
  });

  test("What on my list reports this week? is one call, and it names what no calendar covers", async () => {
    // By hand: BRK-B reports on 2026-12-01, AAPL on 2027-01-28.
    await save("all", ["AAPL", "BRK-B", "7203.T", "VN:FPT"]);
    const week = { tickers: "list:all", from: "2026-11-30", to: "2026-12-04" };
    const answer = await payload(anna.reads, "get_earnings_calendar", week);
    expect(answer).toMatchObject({
      earnings: [{ symbol: "BRK-B", date: "2026-12-01" }],
      total: 1,
      not_covered: ["JP:7203", "VN:FPT"],
      understood_as: "list=all (4 instruments: US 2, JP 1, VN 1)",
    });
    // The next report of AAPL is after the week; that of YOUNG is not known.
    await save("us", ["AAPL", "YOUNG"]);
    const none = await payload(anna.reads, "get_earnings_calendar", {
      ...week,
      tickers: "list:us",
    });
    expect(none).toMatchObject({ earnings: [], without_date: ["YOUNG"], not_covered: [] });
    const mixed = { ...week, tickers: "list:all,YOUNG" };
    expect(await call(anna.reads, "get_earnings_calendar", mixed)).toContain("takes lists only");
  });

  test("restricts a screen to the list, also to another line of shares and over pages", async () => {
    const screen = (args: object) =>
      payload(anna.reads, "screen_stocks", { country: "US", ...args });
    expect(await screen({ where: "list:held" })).toMatchObject({ total: 2, of: 2 });
    expect(await screen({ where: "in list:held and pe>0" })).toMatchObject({ total: 1 });
    const first = await screen({ where: "list:held", limit: 1 });
    const next = await screen({ where: "list:held", limit: 1, cursor: first["next_cursor"] });
    const [one, two] = [first, next].map(({ rows }) => (rows as string[][])[0]?.[0]);
    expect(new Set([one, two])).toEqual(new Set(["AAPL", "BRK-B"]));
    expect(
      await payload(anna.reads, "screen_stocks", { country: "all", where: "list:mine" }),
    ).toMatchObject({ total: 2 });
    const none = await call(anna.reads, "screen_stocks", { country: "VN", where: "list:mine" });
    expect(none).toContain(
      "mine (2 instruments: US 1, JP 1) has no instrument of VN. Use country=US,JP.",
    );
    const or = await call(anna.reads, "screen_stocks", {
      country: "US",
      where: "list:mine or pe<5",
    });
    expect(or).toContain("cannot stand beside or");
  });

  test("has amounts for a portfolio, and without them says what to do", async () => {
    await save("owned", "US:AAPL=10");
    const { weights } = await payload(anna.reads, "analyze_portfolio", {
      holdings: "list:owned,USD=1100",
    });
    expect(weights).toMatchObject({ countries: { US: 50, cash: 50 } });
    const bare = await call(anna.reads, "analyze_portfolio", { holdings: "list:mine" });
    expect(bare).toContain("nothing about how much of US:AAPL is held");
    await save("shares", "AAPL=40%,YOUNG=60%");
    const { rows } = await payload(anna.reads, "analyze_portfolio", {
      holdings: "list:shares",
      columns: "weight",
    });
    expect(rows).toEqual([
      ["US:AAPL", 40],
      ["US:YOUNG", 60],
    ]);
  });

  test("is told where a single symbol is needed, and where an argument is named list", async () => {
    const one = await call(anna.reads, "get_stock_overview", {
      country: "US",
      symbol: "list:mine",
    });
    expect(one).toContain("call compare_stocks with symbols=list:NAME");
    for (const [tool, meant] of [
      [COMPARE, "symbols"],
      ["screen_stocks", "where"],
      ["get_earnings_calendar", "tickers"],
      ["analyze_portfolio", "holdings"],
      ["get_lists", "name"],
    ] as const) {
      const text = await call(anna.reads, tool, {
        watchlist: "mine",
        ...(tool === "screen_stocks" && { country: "US" }),
      });
      expect(text).toContain(`did you mean ${meant}?`);
    }
  });

  test("understands a title, which stays when the items change", async () => {
    const client = await new ConsoleClient(service).signIn("anna");
    const put = (name: string, title: string) => {
      const items = [{ country: "US", symbol: "AAPL" }];
      return client.send("PUT", `lists/${name}`, { body: { items, title } });
    };
    for (const [name, title] of [
      ["list-1", "半導体 2"],
      ["co-phieu-cua-toi", "Cổ phiếu của tôi"],
      ["b", "Банки, b"],
    ] as const)
      expect((await put(name, title)).status).toBe(200);
    const compared = async (symbols: string, token = anna.reads) => {
      const data = await payload(token, COMPARE, { symbols, metrics: "price" });
      return (data["rows"] as string[][]).map(([country, symbol]) => `${country}:${symbol}`);
    };
    for (const name of [
      "半導体 2",
      " 半導体　２",
      "co phieu cua toi",
      "Cổ phiếu của tôi",
      "LIST 1",
    ])
      expect([name, await compared(`list:${name},VN:FPT`)]).toEqual([name, ["US:AAPL", "VN:FPT"]]);
    // A title that has the same slug as another list.
    for (const name of ["自動車 b", "2"])
      expect(await call(anna.reads, COMPARE, { symbols: `list:${name}` })).toStartWith("ERROR ");
    expect(await save("半導体 2", ["7203.T"])).toMatchObject({ name: "list-1", is_new: false });
    expect(await payload(anna.reads, "get_lists", { name: "半導体 2" })).toMatchObject({
      name: "list-1",
      title: "半導体 2",
      rows: [TOYOTA],
    });
    const { columns, rows } = await payload(anna.reads, "get_lists", {});
    expect(columns).toEqual(["name", "items", "changed_at", "title"]);
    expect((rows as (string | null)[][]).map(([name, , , title]) => [name, title])).toEqual([
      ["b", "Банки, b"],
      ["co-phieu-cua-toi", "Cổ phiếu của tôi"],
      ["held", null],
      ["list-1", "半導体 2"],
      ["mine", null],
    ]);
    // It is not saved over a list that another title names.
    const refused = await call(anna.writes, "save_list", { name: "自動車 b", items: "AAPL" });
    expect(refused).toStartWith("ERROR The list Банки, b has the name b already.");
    // A link reads the list by its title too, and no other one.
    const { token } = linkOf("anna", ["半導体 2"]);
    const quote = async (name: string) =>
      (await fetch(`${service.origin}/feed/${token}/sheets/quotes.csv?symbols=list:${name}`))
        .status;
    expect(await quote("半導体 2")).toBe(200);
    expect([await quote("Cổ phiếu của tôi"), await quote("株")]).toEqual([404, 404]);
    expect(await payload(anna.writes, "delete_list", { name: "半導体 2" })).toMatchObject({
      deleted: "list-1",
    });
  });

  test("works in feeds by a link that reads it", async () => {
    const { token } = linkOf("anna", ["mine", "held"]);
    const get = async (path: string, link = token) => {
      const response = await fetch(`${service.origin}/feed/${link}/${path}`);
      return [response.status, await response.text()] as const;
    };
    const [status, quotes] = await get("sheets/quotes.csv?symbols=list:mine&fields=price");
    expect([status, quotes]).toEqual([200, "symbol,price\r\nUS:AAPL,110\r\nJP:7203,110\r\n"]);
    expect(await get("sheets/quotes.csv?list=mine&fields=price")).toEqual([200, quotes]);
    expect((await get("sheets/quotes.csv?symbols=FPT,list:mine&fields=price"))[1]).toStartWith(
      "symbol,price\r\nFPT,",
    );
    // Beside a list, what was written keeps its rows, and the list does not repeat it.
    const beside = await get("sheets/quotes.csv?symbols=FPT,,list:mine,US:AAPL,FPT&fields=price");
    const rows = beside[1].split("\r\n").map((row) => row.split(",")[0]);
    expect(rows).toEqual(["symbol", "FPT", "", "JP:7203", "US:AAPL", "FPT", ""]);
    for (const path of [
      "prices/prices.ledger?range=1w&symbols=list:mine",
      "calendar/calendar.ics?list=held",
      "openbb/quotes?symbols=list:mine",
      "udf/quotes?symbols=list:mine",
    ])
      expect((await get(path)).join(" ")).toMatch(/^200 [^]*AAPL/);
    for (const path of ["sheets/quotes.csv?symbols=list:mine", "calendar/calendar.ics?list=mine"])
      expect((await get(path, linkOf("bob").token)).join(" ")).toMatch(/^404 [^]*No list can be/);
    // The feed's own cache has no list that was changed since.
    await save("mine", ["VN:FPT"]);
    expect((await get("sheets/quotes.csv?symbols=list:mine&fields=symbol,price"))[1]).toContain(
      "VN:FPT",
    );
  });
});

describe("a feed link", () => {
  /** The status and the text of an answer to a link, whose own secret is left out. */
  const read = async (link: string, path: string) => {
    const response = await fetch(`${service.origin}/feed/${link}/${path}`);
    return `${response.status} ${(await response.text()).replaceAll(link, "LINK")}`;
  };
  const quotes = (list: string) => `sheets/quotes.csv?symbols=list:${list}&fields=price`;

  test("reads no list unless it was chosen", async () => {
    expect(await read(linkOf("anna").token, quotes("mine"))).toStartWith("404 ");
    const { token } = linkOf("anna", ["Mine", "mine"]);
    expect(await read(token, quotes("mine"))).toMatch(/^200 [^]*AAPL/);
    expect(await read(token, quotes("MINE"))).toMatch(/^200 [^]*AAPL/);
    expect(await read(token, quotes("held"))).toStartWith("404 ");
    // Beside one that it reads, too.
    expect(await read(token, quotes("mine,list:held"))).toStartWith("404 ");
    const [listed] = service.accounts.listTokens("anna").slice(-1);
    expect(listed).toMatchObject({ kind: "feed", lists: ["mine"] });
  });

  test.each([
    ["sheets/quotes.csv?symbols=list:"],
    ["sheets/quotes.csv?list="],
    ["calendar/calendar.ics?list="],
    ["openbb/quotes?symbols=list:"],
    ["udf/quotes?symbols=list:"],
    ["prices/prices.ledger?range=1w&symbols=list:"],
    ["yahoo/v7/finance/quote?symbols=list:"],
    ["iex?list="],
  ])("%s names no user, and no list that it does not read", async (path) => {
    const before = ["retirement-2030", "retirement-2031"];
    for (const name of before) await save(name, "AAPL");
    const none = linkOf("anna").token;
    const one = linkOf("anna", ["mine"]).token;
    const gone = linkOf("anna", ["mine", "retirement-2030"]).token;
    await payload(anna.writes, "delete_list", { name: "retirement-2030" });
    for (const link of [none, one, gone]) {
      // One that is there, one that is not, and a typing error of each.
      const texts = await Promise.all(
        ["retirement-2031", "retirement-2030", "retirement-203", "min", "bob"].map((name) =>
          read(link, path + name),
        ),
      );
      for (const text of texts) {
        expect(text).toStartWith("404 ");
        expect(text).not.toMatch(/anna|bob|retirement|held|is it|Did you mean/);
        if (link === none) expect(text).not.toContain("mine");
      }
      // So an error does not show which lists there are.
      expect(new Set(texts).size).toBe(1);
    }
  });

  test("does not read a list that is removed or renamed, also if another one gets its name", async () => {
    const { token, id } = linkOf("anna", ["mine", "held"]);
    await payload(anna.writes, "delete_list", { name: "mine" });
    await save("mine", "VN:FPT");
    expect(await read(token, quotes("mine"))).toStartWith("404 ");
    expect(await read(token, quotes("held"))).toMatch(/^200 [^]*AAPL/);
    expect(service.accounts.listTokens("anna").find((one) => one.id === id)?.lists).toEqual([
      "held",
    ]);
    // The items of a list may change, and a link of another user is not touched.
    await save("mine", "VN:FPT", bob.writes);
    const ofBob = linkOf("bob", ["mine"]);
    await save("held", "JP:7203");
    await payload(anna.writes, "delete_list", { name: "mine" });
    expect(await read(token, quotes("held"))).toMatch(/^200 [^]*7203/);
    expect(await read(ofBob.token, quotes("mine"))).toMatch(/^200 [^]*FPT/);
  });

  test("keeps its lists when it is replaced", async () => {
    const { id } = linkOf("anna", ["held"]);
    const { token } = service.accounts.replaceToken(id, 0);
    expect(await read(token, quotes("held"))).toMatch(/^200 [^]*AAPL/);
    expect(await read(token, quotes("mine"))).toStartWith("404 ");
  });

  test("takes lists of its user only, and a token takes none", async () => {
    await expectError(() => linkOf("bob", ["mine", "held"]), "invalid_argument");
    await expectError(() => linkOf("anna", [""]), "invalid_argument");
    const token = () => service.accounts.createToken("anna", "x", null, "api", [], ["mine"]);
    expect((await expectError(token, "invalid_argument")).message).toContain("Make a feed link");
    const link = () => service.accounts.createToken("anna", "x", null, "feed", [], null);
    await expectError(link, "invalid_argument");
  });

  test("a CSV link names no list but its own", async () => {
    await save("retirement", "AAPL");
    const linked = async (name: string, args: object) => {
      const { csv_link: url } = await payload(anna.reads, name, { ...args, as: "csv_link" });
      return String(url);
    };
    const urls = [
      await linked("compare_stocks", { symbols: "list:held", metrics: "price" }),
      await linked("get_lists", { name: "held" }),
      await linked("screen_stocks", { country: "US", where: "list:held and price>0" }),
    ];
    for (const url of urls) expect((await fetch(url)).status).toBe(200);
    await payload(anna.writes, "delete_list", { name: "held" });
    service.time.now += 31_000;
    for (const url of urls) {
      const response = await fetch(url);
      const text = await response.text();
      expect(response.status).toBe(404);
      expect(text).not.toMatch(/anna|retirement|mine|is it|Did you mean/);
    }
  });
});

describe("two users", () => {
  test("never see each other's lists, by any way, tag or cache", async () => {
    await save("mine", ["VN:FPT"], bob.writes);
    const links = { anna: linkOf("anna", ["mine"]).token, bob: linkOf("bob", ["mine"]).token };
    const seen = async (user: typeof anna) => {
      const compare = await rest("/stocks/compare?symbols=list:mine&metrics=price", user.reads);
      const one = await rest("/lists/mine", user.reads);
      const feed = await fetch(
        `${service.origin}/feed/${links[user.name]}/sheets/quotes.csv?symbols=list:mine&fields=price`,
      );
      const linked = await payload(user.reads, "compare_stocks", {
        symbols: "list:mine",
        metrics: "price",
        as: "csv_link",
      });
      const tags = [compare, one].map(({ headers }) => headers.get("etag"));
      return {
        tags,
        texts: [
          await compare.text(),
          await one.text(),
          await feed.text(),
          await (await fetch(String(linked["csv_link"]))).text(),
          await call(user.reads, "compare_stocks", { symbols: "list:mine", metrics: "price" }),
        ],
      };
    };
    // In turn, so that each answer is in the cache when the other user asks.
    const rounds = [await seen(anna), await seen(bob), await seen(anna), await seen(bob)];
    rounds.forEach(({ texts }, i) => {
      const [has, lacks] = i % 2 === 0 ? ["7203", "FPT"] : ["FPT", "7203"];
      for (const text of texts) {
        expect(text).toContain(has);
        expect(text).not.toContain(lacks);
      }
    });
    const [ofAnna, ofBob] = rounds;
    for (const i of [0, 1]) {
      const path = ["/stocks/compare?symbols=list:mine&metrics=price", "/lists/mine"][i] ?? "";
      const tag = ofAnna?.tags[i] ?? "";
      expect(tag).not.toBe(ofBob?.tags[i] ?? "");
      const headers = { "if-none-match": tag };
      expect((await service.request(`/data${path}`, anna.reads, { headers })).status).toBe(304);
      expect((await service.request(`/data${path}`, bob.reads, { headers })).status).toBe(200);
    }
    expect((await payload(bob.reads, "get_lists", {}))["total"]).toBe(1);
    await call(bob.writes, "delete_list", { name: "mine" });
    for (const path of [
      "/lists/mine",
      "/stocks/compare?symbols=list:mine",
      "/portfolio?holdings=list:mine",
    ])
      expect((await rest(path, bob.reads)).status).toBe(404);
    expect(await rowsOf("mine")).toEqual([APPLE, TOYOTA]);
  });

  test("have no answer that a client keeps after a list has changed", async () => {
    for (const path of [
      "/lists",
      "/lists/mine",
      "/stocks/compare?symbols=list:mine",
      "/stocks/screen?country=US&where=list:mine",
    ])
      expect((await rest(path, anna.reads)).headers.get("cache-control")).toBe(
        "private, max-age=0",
      );
    const saved = await rest("/lists/mine", anna.writes, "PUT", { items: ["AAPL"] });
    expect(saved.headers.get("cache-control")).toBe("private, max-age=0");
    const again = await service.request("/data/lists/mine", anna.writes, {
      method: "PUT",
      body: JSON.stringify({ items: ["AAPL"] }),
      headers: { "content-type": "application/json", "if-none-match": "*" },
    });
    expect(again.status).toBe(200);
    const plain = await rest("/stocks/compare?symbols=US:AAPL", anna.reads);
    expect(plain.headers.get("cache-control")).toBe("private, max-age=30");
  });

  test("are their own in the console too, whose session may change lists", async () => {
    const client = await new ConsoleClient(service).signIn("bob");
    const path = "data/compare_stocks?symbols=list:mine&metrics=price";
    expect((await client.send("GET", path)).status).toBe(404);
    await save("mine", ["VN:FPT"], bob.writes);
    expect(await (await client.send("GET", path)).text()).toContain("FPT");
    // A GET changes nothing: another site could link to it.
    for (const change of ["save_list?name=mine&items=AAPL", "delete_list?name=mine"])
      expect((await client.send("GET", `data/${change}`)).status).toBe(404);
    expect(await rowsOf("mine", bob.reads)).toEqual([
      ["VN", "FPT", "FPT Corporation", null, null, null],
    ]);
  });

  test("who may not write are told how, and nothing changes", async () => {
    for (const [tool, args] of [
      ["save_list", { name: "mine", items: ["FPT"] }],
      ["delete_list", { name: "mine" }],
    ] as const) {
      const text = await call(anna.reads, tool, args);
      expect(text).toMatch(/^ERROR This token only reads\..*lists:write.*--write-lists/);
    }
    for (const token of [linkOf("anna", ["mine"]).token, ""]) {
      expect((await rest("/lists/mine", token, "DELETE")).status).toBe(401);
    }
    const feed = await fetch(
      `${service.origin}/feed/${linkOf("anna", ["mine"]).token}/sheets/quotes.csv?list=mine`,
      { method: "DELETE" },
    );
    expect(feed.status).toBe(405);
    expect(await rowsOf("mine")).toEqual([APPLE, TOYOTA]);
  });
});

describe("save_list understands", () => {
  test.each([
    ["AAPL,7203.T", [APPLE, TOYOTA]],
    ["AAPL; 7203.T\n", [APPLE, TOYOTA]],
    [
      ["NASDAQ:AAPL", "TSE:7203"],
      [APPLE, TOYOTA],
    ],
    [
      ["Apple Inc.", "Toyota Motor"],
      [APPLE, TOYOTA],
    ],
    [[7203], [TOYOTA]],
    ['["AAPL","JP:7203"]', [APPLE, TOYOTA]],
    ["AAPL,AAPL", [APPLE]],
    [
      ["US:AAPL=10", "JP:7203=40%"],
      [
        ["US", "AAPL", "Apple Inc.", 10, null, null],
        ["JP", "7203", "Toyota Motor Corporation", null, 40, null],
      ],
    ],
    [
      [{ symbol: "AAPL", country: "US", shares: 10, note: "long  term" }],
      [["US", "AAPL", "Apple Inc.", 10, null, "long term"]],
    ],
    [
      [{ ticker: "7203", country: "JP", quantity: "300" }],
      [["JP", "7203", "Toyota Motor Corporation", 300, null, null]],
    ],
    [
      [{ symbol: "JP:7203", country: "JP", weight: "40%", shares: null }],
      [["JP", "7203", "Toyota Motor Corporation", null, 40, null]],
    ],
    [{ AAPL: 10 }, [["US", "AAPL", "Apple Inc.", 10, null, null]]],
    [{ symbol: "AAPL" }, [APPLE]],
    [[], []],
  ] as [unknown, unknown[]][])("%j", async (items, rows) => {
    await save("understood", items);
    expect(await rowsOf("understood")).toEqual(rows);
  });

  test("a former symbol, and says so; notes stay with items that stay", async () => {
    await save("mine", [{ symbol: "AAPL", note: "keep" }, "7203.T"]);
    const answer = await save("mine", ["AAPL=2", "Toyota"]);
    expect(answer["understood"]).toEqual([expect.stringContaining("7203")]);
    expect(answer).toMatchObject({ is_new: false, items: 2, added: [], removed: [] });
    expect(await rowsOf("mine")).toEqual([["US", "AAPL", "Apple Inc.", 2, null, "keep"], TOYOTA]);
  });

  test("prices paid, with the gain, which stay with an item of as many shares", async () => {
    await save("mine", [
      { symbol: "AAPL", shares: 2, cost: 50, currency: "USD", bought_on: "2024-05-01" },
      "7203.T",
      "BRK-B=5@300",
    ]);
    const { columns, rows } = await payload(anna.reads, "get_lists", { name: "mine" });
    expect(columns).toEqual(
      "country symbol name shares weight note cost cost_currency cost_date currency gain gain_percent".split(
        " ",
      ),
    );
    const [apple = [], toyota = [], berkshire = []] = rows as (string | number | null)[][];
    expect(apple.slice(6, 10)).toEqual([50, "USD", "2024-05-01", "USD"]);
    // Every close of the hand-made market of Apple is 110.
    expect(apple.slice(10)).toEqual([2 * 110 - 2 * 50, 120]);
    expect(toyota.slice(6)).toEqual([null, null, null, "JPY", null, null]);
    expect(berkshire.slice(6, 9)).toEqual([300, "USD", null]);
    // Other shares have another cost, which is not known.
    await save("mine", ["AAPL=2", "BRK-B=6"]);
    const kept = await payload(anna.reads, "get_lists", { name: "mine", metrics: "price" });
    const [still = [], changed = []] = kept["rows"] as (string | number | null)[][];
    expect(still.slice(6, 9)).toEqual([50, "USD", "2024-05-01"]);
    expect(changed.slice(6, 9)).toEqual([null, null, null]);
    await save("mine", "AAPL=2");
    const portfolio = await payload(anna.reads, "analyze_portfolio", { holdings: "list:mine" });
    expect(portfolio["gain"]).toEqual({
      cost: 100,
      gain: 120,
      gain_percent: 120,
      without_cost: [],
    });
    for (const [items, words] of [
      [[{ symbol: "AAPL", cost: 50 }], '"cost":50'],
      [[{ symbol: "AAPL", shares: 1, cost: { price: 1, fee: 2 } }], '"fee":2'],
      [[{ symbol: "AAPL", shares: 1, cost: { currency: "USD" } }], '"currency":"USD"'],
      [["AAPL=40%@50"], "AAPL=40%@50"],
      [["AAPL=1@50XXQ"], "XXQ"],
    ] as const)
      expect(await call(anna.writes, "save_list", { name: "mine", items })).toContain(words);
  });

  test("a thesis, which stays with its item until it gets another one", async () => {
    const thesis = { text: "Margins  hold.", while: "roe>25, revenue_growth>0" };
    await save("mine", [{ symbol: "AAPL", note: "keep", thesis }, "7203.T"]);
    await save("mine", ["AAPL=2", "Toyota"]);
    const apple = ["US", "AAPL", "Apple Inc."];
    const { columns, rows } = await payload(anna.reads, "get_lists", { name: "mine" });
    expect(columns).toEqual("country symbol name shares weight note thesis while".split(" "));
    const kept = [...apple, 2, null, "keep", "Margins hold.", "roe>25,revenue_growth>0"];
    expect(rows).toEqual([kept, [...TOYOTA, null, null]]);
    await save("mine", [{ symbol: "AAPL", thesis: { text: "Cheap.", while: "pe<20" } }]);
    expect(await rowsOf("mine")).toEqual([[...apple, null, null, "keep", "Cheap.", "pe<20"]]);
  });

  test.each([
    [
      ["APPL", "AAPL", "ZZZZQ"],
      "2 items of 3 are not understood: APPL: Not found in US, JP or VN. Is it US:AAPL? ZZZZQ",
    ],
    [[{ symbol: "AAPL", bought: "2020" }], '{"symbol":"AAPL","bought":"2020"}'],
    [[["US", "AAPL"]], '["US","AAPL"]'],
    [[null], "null"],
    [["AAPL=1", "AAPL=2"], "is there twice"],
    [["AAPL=5000USD"], "Give shares (AAPL=10) or a weight"],
    [["USD=1000"], "Cash is no instrument"],
    [[{ symbol: "AAPL", note: "n".repeat(201) }], "note"],
    [[{ symbol: "AAPL", thesis: "roe>25" }], '"thesis":"roe>25"'],
    [[{ symbol: "AAPL", thesis: { text: "a", while: "rowe>25" } }], "The thesis of US:AAPL: "],
    [[{ symbol: "AAPL", thesis: { text: "a", when: "roe>25" } }], "thesis with text and while."],
    [[{ symbol: "AAPL", thesis: { text: "Strong." } }], '"thesis":{"text":"Strong."}'],
    [5, "items must be"],
  ])("not %j, and stores nothing", async (items, says) => {
    const text = await call(anna.writes, "save_list", { name: "mine", items });
    expect(text).toMatch(/^ERROR /);
    expect(text).toContain(says);
    expect(await rowsOf("mine")).toEqual([APPLE, TOYOTA]);
  });

  test.each([
    ["save_list", { name: "x", symbols: ["AAPL"] }, "did you mean items?"],
    ["save_list", { watchlist: "x", items: ["AAPL"] }, "did you mean name?"],
    ["save_list", { name: "株", items: ["AAPL"] }, "letters a-z or digits"],
    ["save_list", { name: "x" }, "items must be"],
    ["create_watchlist", { name: "x" }, "save_list"],
    ["get_lists", { name: "mime" }, "is it mine?"],
  ])("%s %j is told what to do", async (tool, args, says) => {
    expect(await call(anna.writes, tool, args)).toContain(says);
  });

  test("hostile names and items only as text", async () => {
    for (const text of NASTY) {
      for (const args of [
        { name: text, items: ["AAPL"] },
        { name: "mine", items: [text] },
      ]) {
        const answer = await call(anna.writes, "save_list", args);
        expect(answer).not.toMatch(/-32603|INTERNAL/);
      }
      for (const symbols of [`list:${text}`, text]) {
        const answer = await call(bob.reads, "compare_stocks", { symbols });
        expect(answer).not.toMatch(/-32603|INTERNAL|Toyota/);
      }
    }
    const { rows } = await payload(anna.reads, "get_lists", {});
    for (const [name] of rows as [string][]) expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  });
});

test("an index does not take the name of a list that cannot be read now", async () => {
  using home = openTestMarket();
  const members = { country: "US", symbol: "AAPL", memberOf: "^DJI", indexMember: null } as const;
  home.market.indexMembers.put([members], "2026-11-20");
  const listsAfter = (error: Error) => {
    const own = { get: () => Promise.reject(error) } as unknown as OwnDocuments;
    return new IndexLists(() => own, home.market, "2026-11-20").get("list", "dow");
  };
  const { value } = await listsAfter(notFound("There is no list."));
  expect(value.items).toEqual([{ country: "US", symbol: "AAPL" }]);
  await expectError(() => listsAfter(unavailable("The database is away.")), "unavailable");
});
