import { afterAll, describe, expect, test } from "bun:test";
import {
  type Exchange,
  sendRaw,
  startHandMade,
  testExchanges,
} from "../support/contract-exchange.ts";

const world = await startHandMade();
afterAll(() => world.service.stop());

const accepted = (path: string): Exchange => ({ name: `${path} is 200`, path, status: 200 });
const refused = (path: string, ...says: string[]): Exchange => ({
  name: `${path.length > 90 ? `${path.slice(0, 90)}…` : path} is 400`,
  path,
  status: 400,
  refusal: "invalid",
  says,
});
const notFound = (path: string, ...says: string[]): Exchange => ({
  name: `${path} is 404`,
  path,
  status: 404,
  refusal: "notFound",
  says,
});

describe("country", () => {
  const needing = [
    "/data/macro/indicators?",
    "/data/macro/forecast?",
    "/data/sectors?",
    "/data/stocks/AAPL/overview?",
    "/data/stocks/AAPL/statements?type=income&",
    "/data/stocks/AAPL/technicals?",
    "/data/stocks/AAPL/forecast?",
    "/data/stocks/AAPL/history?",
  ];
  const says = ["country must be one of US, JP, VN"];
  testExchanges(
    () => world,
    needing.flatMap((path) => [refused(path, ...says), refused(`${path}country=XX`, ...says)]),
  );
  testExchanges(
    () => world,
    [
      accepted("/data/macro/calendar"),
      accepted("/data/symbols"),
      ...[
        "",
        ..."us Us USA %20US US%20 US%00 US,JP null %F0%9F%87%BA%F0%9F%87%B8 __proto__".split(" "),
        "constructor",
      ].map((value) => refused(`/data/sectors?country=${value}`, ...says)),
      refused("/data/macro/calendar?country=", ...says),
      refused("/data/macro/calendar?country=us", ...says),
      refused("/data/sectors?Country=US", ...says),
      refused("/data/sectors?country=US&country=US"),
      refused("/data/sectors?country=US&country=JP"),
      refused("/data/sectors?country=US&country="),
    ],
  );
});

describe("category", () => {
  const path = "/data/macro/indicators?country=US&category=";
  testExchanges(
    () => world,
    [
      accepted(`${path}prices`),
      accepted(`${path}labor`),
      refused(path),
      refused(`${path}prices&category=prices`),
      accepted(`${path}Prices`),
      accepted(`${path}LABOUR`),
      notFound(`${path}price`),
      notFound(`${path}%20prices`),
      notFound(`${path}prices,labor`),
      notFound(`${path}__proto__`),
      notFound(`${path}%00`),
    ],
  );
});

describe("importance", () => {
  const path = "/data/macro/calendar?importance=";
  const says = ["high", "medium", "low", "all"];
  testExchanges(
    () => world,
    [
      ...[
        ..."high medium low all high,medium medium,high high,medium,low high,high".split(" "),
        ..."high%2Cmedium High HIGH,%20Medium ALL %5B%22high%22,%22low%22%5D".split(" "),
      ].map((value) => accepted(path + value)),
      ...[
        "",
        "high medium",
        "high,".repeat(2_000),
        ..."urgent high,urgent high, ,high high;medium %20high high,,low".split(" "),
      ].map((value) => refused(path + value, ...says)),
      refused(`${path}high&importance=low`),
    ],
  );
});

describe("limit", () => {
  const path = "/data/macro/calendar?limit=";
  const says = ["limit", "1", "200"];
  testExchanges(
    () => world,
    [
      ...["1", "20", "200"].map((value) => accepted(path + value)),
      ...[
        "",
        "9".repeat(400),
        ..."0 -0 -1 201 1e2 1.5 1.0 %205 5%20 +5 %2B5 0x10 5n ten NaN Infinity 1_0 ٣".split(" "),
        ..."null true 1,2 %00".split(" "),
      ].map((value) => refused(path + value, ...says)),
      refused(`${path}5&limit=5`),
    ],
  );

  test("of the other lists have their own bounds", async () => {
    const status = async (path: string) => (await world.service.request(path, world.token)).status;
    expect(await status("/data/symbols?limit=100")).toBe(200);
    expect(await status("/data/symbols?limit=101")).toBe(400);
    expect(await status("/data/symbols?limit=0")).toBe(400);
    expect(await status("/data/stocks/AAPL/statements?country=US&type=income&limit=0")).toBe(400);
    expect(await status("/data/stocks/AAPL/history?country=US&limit=0")).toBe(400);
  });
});

describe("type", () => {
  const path = "/data/stocks/AAPL/statements?country=US&type=";
  const says = ["statementType", "income, balance, cashflow"];
  testExchanges(
    () => world,
    [
      ...["income", "balance", "cashflow"].map((value) => accepted(path + value)),
      refused("/data/stocks/AAPL/statements?country=US", ...says),
      refused("/data/stocks/AAPL/statements?country=US&statementType=income", ...says),
      ...["Income", "BALANCE", "cash_flow", "Cash%20Flow", "income%20statement"].map((value) =>
        accepted(path + value),
      ),
      ...["", "cash", "%20income", "income,balance", "__proto__", "ratios"].map((value) =>
        refused(path + value, ...says),
      ),
      refused(`${path}income&type=income`),
      accepted(`${path}income&period=annual`),
      accepted(`${path}income&period=quarterly&limit=2`),
      refused(`${path}income&period=monthly`, "annual", "quarterly"),
      ...["true", "false"].map((value) => accepted(`${path}income&figures=${value}`)),
      ...["", "yes", "1", "True"].map((value) =>
        refused(`${path}income&figures=${value}`, "true or false"),
      ),
      // Ratios have their own path, which implies the type.
      accepted("/data/stocks/AAPL/ratios?country=US"),
      accepted("/data/stocks/AAPL/ratios?country=US&period=quarterly&limit=2&figures=true"),
      refused("/data/stocks/AAPL/ratios?country=US&type=income", '"type" is not a parameter'),
      refused("/data/stocks/AAPL/ratios", "country"),
      notFound("/data/stocks/NOPE/ratios?country=US", "NOPE"),
    ],
  );

  test("ratios at their path are the answer of the tool with type ratios", async () => {
    const { service, token } = world;
    const rest = await service.request("/data/stocks/AAPL/ratios?country=US", token);
    const tool = await service.callTool(token, "get_stock_statements", {
      country: "US",
      symbol: "AAPL",
      type: "ratios",
    });
    expect(tool.result?.content[0]?.text).toBe(await rest.text());
  });

  test("is named statementType over REST only", async () => {
    const { service, token } = world;
    const rest = await service.request(`${path}ratios`, token);
    expect(await rest.json()).toMatchObject({
      error: {
        message:
          'type (statementType) must be one of income, balance, cashflow (ratios are at /data/stocks/{symbol}/ratios), not "ratios".',
        allowed: ["income", "balance", "cashflow"],
      },
    });
    const args = { country: "US", symbol: "AAPL", type: "x" };
    const { result } = await service.callTool(token, "get_stock_statements", args);
    expect(result?.isError).toBe(true);
    expect(result?.content[0]?.text).toStartWith(
      'type must be one of income, balance, cashflow, ratios, not "x".',
    );
  });
});

describe("symbol", () => {
  const overview = (symbol: string, country = "US") =>
    `/data/stocks/${symbol}/overview?country=${country}`;
  testExchanges(
    () => world,
    [
      accepted(overview("AAPL")),
      accepted(overview("aapl")),
      accepted(overview("aApL")),
      accepted(overview("BRK-B")),
      accepted(overview("brk-b")),
      accepted(overview("^GSPC")),
      accepted(overview("%5EGSPC")),
      accepted(overview("%41APL")),
      accepted(overview("7203", "JP")),
      accepted(overview("fpt", "VN")),
      ...["US:AAPL", "NASDAQ:AAPL", "AAPL.US", "$AAPL", "%20aapl%20", "%EF%BC%A1APL"].map(
        (symbol) => accepted(overview(symbol)),
      ),
      ...["BRK.B", "BRK%2FB"].map((symbol) => accepted(overview(symbol))),
      ...["7203.T", "TSE:7203", "JP:7203", "7203%20JP"].map((symbol) =>
        accepted(overview(symbol, "JP")),
      ),
      ...["FPT.VN", "HOSE:FPT", "vn:fpt"].map((symbol) => accepted(overview(symbol, "VN"))),
      notFound(overview("7203.T"), "Symbol 7203.T is in JP, not in US."),
      notFound(overview("VN:FPT", "JP"), "Symbol VN:FPT is in VN, not in JP."),
      notFound(overview("AAPL.VN"), "Symbol AAPL.VN not found in VN."),
      notFound(overview("a%2Fb"), "A.B (written A/B)"),
      notFound(overview("%EF%BC%A1"), "Symbol A not found"),
      notFound(overview("A".repeat(20)), "A".repeat(20), "US"),
      refused(overview("A".repeat(21)), "symbol"),
      refused(overview("A".repeat(4_000)), "symbol"),
      ...(
        "%00 AAPL%00 A%20B A+B %0A AAPL%0D%0A ..%2F..%2Fetc%2Fpasswd %2e%2e%2f " +
        "__proto__ A_B A%27%3B-- %22 %3Cscript%3E %E2%82%AC %C3%84 ÄÖ %F0%9F%98%80 * " +
        "%25 AAPL:US LON:VOD US:JP:7203 A%2FB%2FC A,B %ZZ % %C0%AF %FF"
      )
        .split(" ")
        .map((symbol) => refused(overview(symbol), "symbol")),
      notFound(overview("constructor")),
      notFound(overview("toString")),
      notFound(overview("..."), "..."),
      notFound(overview("=1-1")),
    ],
  );

  test("is looked up in the requested country", async () => {
    const { service, token } = world;
    const name = async (path: string) => {
      const body = await (await service.request(path, token)).json();
      return (body as { data: { overview: { Name: string } } }).data.overview.Name;
    };
    expect(await name(overview("aapl"))).toBe("Apple Inc.");
    expect(await name(overview("7203", "JP"))).toBe("Toyota Motor Corporation");
  });

  test("dot segments never reach another route", async () => {
    const { service, token } = world;
    for (const symbol of ["..", "../markets", "%2e%2e", "AAPL/../../markets"]) {
      const answer = await sendRaw(
        service,
        `GET /api/v1/svc/data/stocks/${symbol}/overview?country=US HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
      expect([400, 404]).toContain(answer?.status ?? 0);
    }
  });
});

describe("tickers", () => {
  const path = "/data/earnings/calendar?tickers=";

  test("is read from the path with the tool's name, too", async () => {
    const { service, token } = world;
    const [body, other] = await Promise.all(
      [path, "/data/earnings-calendar?tickers="].map(async (one) =>
        (await service.request(`${one}AAPL`, token)).text(),
      ),
    );
    expect(other).toBe(body ?? "");
    expect(body).toContain('"earnings":[');
  });

  const many = (count: number) => Array.from({ length: count }, () => "AAPL").join(",");
  testExchanges(
    () => world,
    [
      ...[
        many(50),
        ..."AAPL aapl AAPL,BRK-B AAPL,%20BRK-B NASDAQ:AAPL,brk.b,$AAPL".split(" "),
        "%5B%22AAPL%22,%20%22BRK-B%22%5D",
      ].map((value) => ({
        ...accepted(path + value),
        name: `${value.slice(0, 30)} is 200`,
      })),
      refused("/data/earnings/calendar", "tickers", "50"),
      ...[
        "",
        many(51),
        "A".repeat(21),
        ...", AAPL, ,AAPL AAPL,,BRK-B AAPL;MSFT AAPL%00".split(" "),
      ].map((value) => refused(path + value, "tickers", "50")),
      refused(`${path}AAPL&tickers=AAPL`),
    ],
  );
});

describe("the other lists", () => {
  testExchanges(
    () => world,
    [
      accepted("/data/symbols?type=stock&sector=technology&query=apple&limit=1"),
      accepted("/data/symbols?query=%25_%27%22%5C"),
      accepted("/data/symbols?query=%F0%9F%98%80"),
      accepted("/data/symbols?type=Stock"),
      accepted("/data/symbols?type=Crypto"),
      accepted("/data/symbols?sector=Technology"),
      accepted("/data/symbols?sector=Information%20Technology"),
      refused("/data/symbols?type=bond", "commodity", "stock"),
      refused("/data/symbols?sector=tech", "technology"),
      refused("/data/symbols?query="),
      refused(`/data/symbols?query=${"x".repeat(101)}`),
      refused("/data/symbols?cursor="),
      refused("/data/symbols?cursor=nonsense"),
      refused("/data/symbols?cursor=%00"),
      accepted("/data/sectors/overview?level=industry"),
      refused("/data/sectors/overview?level=company", "sector", "industry"),
      accepted("/data/sectors?country=US&sector=technology"),
      refused("/data/sectors?country=US&sector=tech", "technology"),
      accepted("/data/stocks/AAPL/history?country=US&range=1y&before=2026-11-01"),
      accepted("/data/stocks/AAPL/history?country=US&range=2y"),
      refused("/data/stocks/AAPL/history?country=US&range=forever", "3y"),
      refused("/data/stocks/AAPL/history?country=US&before=someday", "YYYY-MM-DD"),
      refused("/data/stocks/AAPL/history?country=US&before=2026-02-30", "YYYY-MM-DD"),
      accepted("/data/stocks/AAPL/history?country=US&before=2024-02-29"),
      accepted("/data/stocks/AAPL/history?country=US&from=2026-11-02&to=2026-11-13&adjusted=true"),
      accepted("/data/stocks/AAPL/history?country=US&limit=100000"),
      refused("/data/stocks/AAPL/history?country=US&limit=100001", "100000"),
      refused("/data/stocks/AAPL/history?country=US&from=2026-02-30", "date that exists"),
      refused("/data/stocks/AAPL/history?country=US&interval=1h", "1d, 1wk, 1mo"),
      refused("/data/stocks/AAPL/history?country=US&fields=open", "close, ohlcv"),
      refused("/data/stocks/AAPL/history?country=US&adjust=dividend", "split, none, total"),
      accepted("/data/stocks/AAPL/history?country=US&adjust=total&splits=true"),
      accepted("/data/stocks/AAPL/history?country=US&before=2026-5-2&range=1Y"),
    ],
  );
});

describe("unknown parameters", () => {
  testExchanges(
    () => world,
    [
      refused(
        "/data/markets?nation=XX",
        '"nation" is not a parameter',
        "It takes country, known_on, as, format, decimal.",
      ),
      refused("/data/sectors?country=US&nonsense=1&nonsense=2", '"nonsense"'),
      refused("/data/sectors?country=US&__proto__=1&constructor=2", '"constructor"'),
      refused("/data/sectors?country=US&&&=&=x&%ZZ=%ZZ", '""'),
      refused("/data/sectors?country=US&symbol=AAPL", '"symbol"'),
      // A misspelled name must not give other data than was asked for.
      refused("/data/stocks/AAPL/history?country=US&form=2026-01-01", "did you mean from?"),
      refused("/data/stocks/AAPL/history?country=US&start_date=2026-01-01", "did you mean from?"),
      refused("/data/symbols?country=US&Limit=5", "did you mean limit?"),
      refused("/data/symbols?country=US&fromat=csv", "did you mean format?"),
      // An order beside the parameters is understood where the rows can have it.
      accepted("/data/stocks/screen?country=US&sort=pe&order=desc"),
      refused("/data/stocks/AAPL/history?country=US&order=desc", "oldest first", "Leave order out"),
      // Programs add these for themselves.
      accepted("/data/sectors?country=US&_=1763800000&utm_source=mail&utm_medium=x&_=2"),
      {
        ...accepted(`/data/sectors?country=US&_x=${"y".repeat(8_192)}`),
        name: "8 KB of an ignored one are 200",
      },
      {
        ...refused(`/data/sectors?country=US&x=${"y".repeat(8_192)}`, '"x"'),
        name: "8 KB of an unknown one are 400",
      },
      {
        ...accepted(`/data/sectors?country=US${"&_a=1".repeat(2_000)}`),
        name: "2,000 ignored ones are 200",
      },
      { ...refused(`/data/sectors?country=${"x".repeat(8_192)}`), name: "8 KB of country are 400" },
    ],
  );

  test.each([
    ["/data/sectors?Country=US", "country", "did you mean country?"],
    ["/data/stocks/AAPL/overview?contry=US", "country", "did you mean country?"],
    ["/data/stocks/AAPL/statements?country=US&statementType=income", "type", "did you mean type?"],
  ])(
    "%s: the hint about the missing parameter names the unknown one",
    async (path, param, hint) => {
      const response = await world.service.request(path, world.token);
      const { error } = (await response.json()) as { error: Record<string, string> };
      expect([error["param"], error["hint"]]).toEqual([param, expect.stringContaining(hint)]);
    },
  );

  test("a path parameter cannot be overridden in the query", async () => {
    const { service, token } = world;
    const response = await service.request(
      "/data/stocks/AAPL/overview?country=US&symbol=YOUNG",
      token,
    );
    expect(await response.text()).toContain("Apple Inc.");
  });
});

describe("messages", () => {
  test("repeat only a short part of the request, without control characters", async () => {
    const { service, token } = world;
    for (const value of ["x".repeat(8_000), "%1B%5B31m%07%00%0A", "%E2%80%AE%E2%81%A6"]) {
      const response = await service.request(`/data/sectors?country=${value}`, token);
      const body = await response.text();
      expect(body.length).toBeLessThan(400);
      expect(body).not.toMatch(/\p{Cc}/u);
    }
  });

  test("name the parameter, the allowed values, and the closest value", async () => {
    const { service, token } = world;
    const response = await service.request("/data/sectors?country=us", token);
    expect(await response.json()).toMatchObject({
      error: { param: "country", allowed: ["US", "JP", "VN"], hint: "Did you mean US?" },
    });
  });
});

describe("the Host header", () => {
  test("may be left out in HTTP/1.0, over REST and MCP", async () => {
    const { service, token } = world;
    const head = (target: string) => `${target} HTTP/1.0\r\nAuthorization: Bearer ${token}\r\n`;
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    for (const request of [
      `${head("GET /api/v1/svc/data/sectors?country=US")}\r\n`,
      `${head("GET /api/v1/svc/data/stocks/AAPL/overview?country=US")}\r\n`,
      `${head("POST /api/v1/svc/mcp")}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ]) {
      expect((await sendRaw(service, request))?.status).toBe(200);
    }
    expect((await sendRaw(service, `${head("GET /nothing")}\r\n`))?.status).toBe(404);
  });

  test.each(["b", "nas", "localhost", "bourse.example:8787", "[::1]:80", "[::1", "exa%mple"])(
    "%s reaches the same routes",
    async (host) => {
      const { service, token } = world;
      const answer = await sendRaw(
        service,
        `GET /api/v1/svc/data/sectors?country=US HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
      expect(answer?.status).toBe(200);
    },
  );
});
